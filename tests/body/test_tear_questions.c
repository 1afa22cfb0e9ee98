/*
 * Every question about a torn body beside another one, and about the scene of both, against the
 * same questions about a body made anew. The torn one has a tree of its own, any strategy, any
 * number of workers and any instruction set; the other one the usual ones. Of each answer all that
 * does not depend on the tree is put into one hash, triangles by their old numbers.
 */
#include "torn_mesh.h"

#include "body/body.h"
#include "failing_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 16, STEPS = 2 };

/* The torn body, or the one made anew, with another beside it. */
typedef struct side {
    const torn_mesh *mesh;
    bool anew;
    pliant_context *context;
    pliant_shape *shape, *other_shape;
    pliant_body *body, *other;
    pliant_query *query;
    pliant_contours *contours;
    pliant_volume *volume;
    pliant_scene *scene;
    uint64_t hash;
} side;

/* Where questions are asked: the same on both sides. */
typedef struct places {
    float points[3 * POINTS];
    pliant_ray rays[POINTS];
} places;

/* ------------------------------------------------------------ hashes */

static void fold(side *s, const void *bytes, size_t size)
{
    s->hash = hash_bytes(s->hash, bytes, size);
}
#define FOLD(side, value) fold((side), &(value), sizeof(value))

static void fold_triangle(side *s, uint32_t triangle)
{
    bool translate = s->anew && triangle != PLIANT_NO_TRIANGLE;
    uint32_t number = translate ? s->mesh->number[triangle] : triangle;
    FOLD(s, number);
}

/* Within the body itself b is one of its triangles too. */
static void fold_pair(side *s, pliant_pair pair, bool self)
{
    fold_triangle(s, pair.a);
    if (self) {
        fold_triangle(s, pair.b);
    } else {
        FOLD(s, pair.b);
    }
}

static void fold_pairs(side *s, const pliant_pair *pairs, uint64_t count, bool self)
{
    FOLD(s, count);
    for (uint64_t i = 0; i < count; i++) {
        fold_pair(s, pairs[i], self);
    }
}

static void fold_proximities(side *s, const pliant_proximity *pairs, uint64_t count, bool self)
{
    FOLD(s, count);
    for (uint64_t i = 0; i < count; i++) {
        fold_pair(s, (pliant_pair){pairs[i].a, pairs[i].b}, self);
        FOLD(s, pairs[i].gap.distance);
    }
}

static void fold_feature(side *s, pliant_feature_kind kind, uint32_t feature, bool second)
{
    bool face = kind == (second ? PLIANT_VERTEX_FACE : PLIANT_FACE_VERTEX);
    if (kind == PLIANT_EDGE_EDGE) {
        fold_triangle(s, feature / 3);
        feature %= 3;
    } else if (face) {
        fold_triangle(s, feature);
        return;
    }
    FOLD(s, feature);
}

static void fold_features(side *s, const pliant_feature_pair *pairs, uint64_t count, bool self)
{
    FOLD(s, count);
    for (uint64_t i = 0; i < count; i++) {
        const pliant_feature_pair *p = &pairs[i];
        FOLD(s, p->kind);
        fold_feature(s, p->kind, p->a, false);
        if (self) {
            fold_feature(s, p->kind, p->b, true);
        } else {
            FOLD(s, p->b);
        }
        FOLD(s, p->vertices);
        FOLD(s, p->distance);
    }
}

static void fold_meetings(side *s, const pliant_pair *pairs, const pliant_meeting *meetings,
                          uint64_t count, bool self)
{
    fold_pairs(s, pairs, count, self);
    for (uint64_t i = 0; i < count; i++) {
        FOLD(s, meetings[i].kind);
        FOLD(s, meetings[i].a);
        FOLD(s, meetings[i].b);
    }
}

static void fold_free_time(side *s, const pliant_free_time *found, bool self)
{
    FOLD(s, found->time);
    FOLD(s, found->touches);
    if (found->meeting.kind != PLIANT_MEETING_NONE) {
        fold_pair(s, found->pair, self);
    }
}

static void fold_hit(side *s, const pliant_ray_hit *hit)
{
    fold_triangle(s, hit->triangle);
    FOLD(s, hit->t);
    FOLD(s, hit->group);
}

static void fold_distance(side *s, const pliant_signed_distance *d)
{
    FOLD(s, d->distance);
    FOLD(s, d->side);
    FOLD(s, d->winding);
    FOLD(s, d->flags);
    FOLD(s, d->direction); /* by the triangles around a vertex or an edge */
    fold_triangle(s, d->closest.triangle);
}

/* ------------------------------------------------------------ two bodies */

static void ask_contacts(side *s)
{
    pliant_contacts found;
    pliant_collide_options options = pliant_collide_options_default();
    const uint64_t some = 0x15;
    options.segments = options.separations = true;
    for (int groups = 0; groups < 2; groups++) {
        options.groups_a = (pliant_groups){groups ? &some : NULL, 5};
        assert_ok(pliant_collide(s->query, s->body, s->other, &options, &found));
        fold_pairs(s, found.pairs, found.count, false);
        fold(s, found.segments, found.count * sizeof *found.segments);
        fold(s, found.separations, found.count * sizeof *found.separations);
        assert_ok(pliant_collide_self(s->query, s->body, &options, &found));
        fold_pairs(s, found.pairs, found.count, true);
    }
}

static void ask_within(side *s)
{
    pliant_proximities found;
    pliant_within_options options = pliant_within_options_default();
    assert_ok(pliant_find_within(s->query, s->body, s->other, 0.1f, &options, &found));
    fold_proximities(s, found.pairs, found.count, false);
    options.across_groups = true;
    assert_ok(pliant_find_within_self(s->query, s->body, 0.03f, &options, &found));
    fold_proximities(s, found.pairs, found.count, true);
}

static void ask_features(side *s)
{
    pliant_features found;
    assert_ok(pliant_find_features(s->query, s->body, s->other, 0.1f, NULL, &found));
    fold_features(s, found.pairs, found.count, false);
    fold_pairs(s, found.crossings, found.crossing_count, false);
    assert_ok(pliant_find_features_self(s->query, s->body, 0.03f, NULL, &found));
    fold_features(s, found.pairs, found.count, true);
}

static void ask_places(side *s, const places *at)
{
    pliant_ray_hits hits;
    pliant_signed_distance distances[POINTS];
    assert_ok(pliant_raycast_all(s->query, s->body, at->rays, POINTS, &hits));
    fold(s, hits.starts, (POINTS + 1) * sizeof *hits.starts);
    for (uint64_t i = 0; i < hits.count; i++) {
        fold_hit(s, &hits.hits[i]);
    }
    assert_ok(pliant_measure_distances(s->query, s->body, at->points, POINTS, 0, NULL, distances));
    for (int i = 0; i < POINTS; i++) {
        fold_distance(s, &distances[i]);
    }
}

static void fold_contours(side *s, const pliant_contour_set *set, bool self)
{
    FOLD(s, set->contour_count);
    FOLD(s, set->touch_count);
    FOLD(s, set->region_count);
    for (uint64_t i = 0; i < set->contour_count; i++) {
        FOLD(s, set->contours[i].length);
        FOLD(s, set->contours[i].begin);
        FOLD(s, set->contours[i].end);
    }
    for (uint64_t i = 0; i < set->segment_count; i++) {
        fold_pair(s, (pliant_pair){set->segments[i].a, set->segments[i].b}, self);
    }
    for (uint64_t i = 0; i < set->region_count; i++) {
        FOLD(s, set->regions[i].inside);
        FOLD(s, set->regions[i].guess);
        FOLD(s, set->regions[i].triangle_count);
        FOLD(s, set->regions[i].vertex_count);
        FOLD(s, set->regions[i].depth);
    }
    for (uint32_t i = 0; i < s->mesh->left_count && set->triangle_regions[0] != NULL; i++) {
        FOLD(s, set->triangle_regions[0][s->anew ? i : s->mesh->number[i]]);
    }
    if (!s->mesh->seams) { /* else another vertex stands for the welded ones */
        fold(s, set->gradients[0], 3 * (size_t)s->mesh->vertex_count * sizeof(float));
    }
}

static void ask_contours(side *s)
{
    pliant_contour_set set;
    pliant_contour_options options = pliant_contour_options_default();
    options.gradients = true;
    assert_ok(pliant_contours_find(s->contours, s->body, s->other, &options, &set));
    fold_contours(s, &set, false);
    assert_ok(pliant_contours_find_self(s->contours, s->body, &options, &set));
    fold_contours(s, &set, true);
}

static void fold_volume(side *s, const pliant_volume_measure *measure)
{
    FOLD(s, measure->volume);
    FOLD(s, measure->open_rays);
    FOLD(s, measure->centroid);
    fold(s, measure->spans, measure->span_count * sizeof *measure->spans);
    if (!s->mesh->seams && measure->vertices[0] != NULL) {
        fold(s, measure->vertices[0], measure->vertex_count[0] * sizeof *measure->vertices[0]);
    }
}

static void ask_volumes(side *s)
{
    pliant_volume_measure measure;
    pliant_volume_options options = pliant_volume_options_default();
    options.allow_open = options.spans = true;
    options.resolution = 24;
    assert_ok(pliant_volume_measure_body(s->volume, s->body, &options, &measure));
    fold_volume(s, &measure);
    assert_ok(pliant_volume_intersect_self(s->volume, s->body, &options, &measure));
    fold_volume(s, &measure);
    options.gradients = true;
    assert_ok(pliant_volume_intersect(s->volume, s->body, s->other, &options, &measure));
    fold_volume(s, &measure);
}

/* ------------------------------------------------------------ a scene of both */

static void fold_scene_pairs(side *s, const pliant_scene_contacts *found)
{
    FOLD(s, found->body_pair_count);
    for (uint32_t i = 0; i < found->body_pair_count; i++) {
        const pliant_scene_pair *bodies = &found->bodies[i];
        FOLD(s, bodies->b.index);
        fold_pairs(s, found->pairs + bodies->first, bodies->count,
                   bodies->a.index == bodies->b.index);
    }
}

static void ask_scene_pairs(side *s)
{
    pliant_scene_contacts contacts;
    pliant_scene_proximities within;
    pliant_scene_features features;
    pliant_scene_options options = pliant_scene_options_default();
    for (int rule = 0; rule < 3; rule++) {
        options.neighbours = (pliant_neighbours)rule;
        options.events = rule == 0;
        assert_ok(pliant_scene_collide(s->scene, &options, &contacts));
        fold_scene_pairs(s, &contacts);
    }
    assert_ok(pliant_scene_find_within(s->scene, 0.03f, NULL, &within));
    for (uint32_t i = 0; i < within.body_pair_count; i++) {
        const pliant_scene_pair *bodies = &within.bodies[i];
        fold_proximities(s, within.pairs + bodies->first, bodies->count,
                         bodies->a.index == bodies->b.index);
    }
    assert_ok(pliant_scene_find_features(s->scene, 0.03f, NULL, &features));
    fold_scene_pairs(s, &features.crossings);
    for (uint32_t i = 0; i < features.body_pair_count && !s->mesh->seams; i++) {
        const pliant_scene_pair *bodies = &features.bodies[i];
        fold_features(s, features.pairs + bodies->first, bodies->count,
                      bodies->a.index == bodies->b.index);
    }
}

static void ask_scene_places(side *s, const places *at)
{
    pliant_scene_ray_hit first[POINTS];
    bool blocked[POINTS];
    pliant_scene_ray_hits all;
    pliant_scene_closest closest[POINTS];
    pliant_scene_signed_distance distances[POINTS];
    assert_ok(pliant_scene_raycast(s->scene, at->rays, POINTS, NULL, first));
    assert_ok(pliant_scene_raycast_any(s->scene, at->rays, POINTS, NULL, blocked));
    assert_ok(
        pliant_scene_find_closest_points(s->scene, at->points, POINTS, 0, 9.0f, NULL, closest));
    assert_ok(
        pliant_scene_measure_distances(s->scene, at->points, POINTS, 0, NULL, NULL, distances));
    for (int i = 0; i < POINTS; i++) {
        FOLD(s, blocked[i]);
        FOLD(s, first[i].hit.t);
        FOLD(s, closest[i].closest.distance);
        FOLD(s, distances[i].distance.distance);
        if (closest[i].body.index == 0) {
            fold_triangle(s, closest[i].closest.triangle);
        }
    }
    assert_ok(pliant_scene_raycast_all(s->scene, at->rays, POINTS, NULL, &all));
    for (uint64_t i = 0; i < all.count; i++) {
        FOLD(s, all.hits[i].body.index);
        if (all.hits[i].body.index == 0) {
            fold_hit(s, &all.hits[i].hit);
        }
    }
    pliant_box box = {{-0.5f, -0.5f, -0.5f}, {0.4f, 0.3f, 0.4f}};
    pliant_scene_triangles inside;
    assert_ok(pliant_scene_overlap_box(s->scene, &box, NULL, &inside));
    FOLD(s, inside.count);
}

/* ------------------------------------------------------------ steps */

static void ask_step(side *s)
{
    pliant_meetings found;
    pliant_free_time free_time;
    pliant_scene_meetings in_scene;
    pliant_scene_free_time of_scene;
    assert_ok(pliant_find_meetings(s->query, s->body, s->other, NULL, &found));
    fold_meetings(s, found.pairs, found.meetings, found.count, false);
    assert_ok(pliant_find_meetings_self(s->query, s->body, NULL, &found));
    fold_meetings(s, found.pairs, found.meetings, found.count, true);
    assert_ok(pliant_find_free_time(s->query, s->body, s->other, NULL, &free_time));
    fold_free_time(s, &free_time, false);
    assert_ok(pliant_find_free_time_self(s->query, s->body, NULL, &free_time));
    fold_free_time(s, &free_time, true);
    assert_ok(pliant_scene_find_meetings(s->scene, NULL, &in_scene));
    for (uint32_t i = 0; i < in_scene.body_pair_count; i++) {
        const pliant_scene_pair *bodies = &in_scene.bodies[i];
        fold_meetings(s, in_scene.pairs + bodies->first, in_scene.meetings + bodies->first,
                      bodies->count, bodies->a.index == bodies->b.index);
    }
    assert_ok(pliant_scene_find_free_time(s->scene, NULL, &of_scene));
    fold_free_time(s, &of_scene.path, of_scene.a.index == of_scene.b.index);
    pliant_scene_advance advance;
    pliant_scene_options options = pliant_scene_options_default();
    assert_ok(pliant_scene_advance_bodies(s->scene, &options, &advance));
    FOLD(s, advance.time);
    float *positions = malloc(3 * (size_t)s->mesh->vertex_count * sizeof *positions);
    assert_ok(pliant_body_evaluate(s->body, NULL, s->mesh->vertex_count, positions));
    fold(s, positions, 3 * (size_t)s->mesh->vertex_count * sizeof *positions);
    free(positions);
}

/* ------------------------------------------------------------ both sides */

static void side_create(side *s, const torn_mesh *m, pliant_context *context, bool anew,
                        const pliant_body_def *def)
{
    *s = (side){.mesh = m, .anew = anew, .context = context};
    pliant_member_def self = pliant_member_def_default();
    pliant_body_id id;
    gallery_settings settings = {.triangles = 320, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &settings);
    self.self = true;
    s->other_shape = fixture_shape(context, &scene->bodies[0], fixture_usual_tree);
    gallery_destroy(scene);
    torn_mesh in = *m;
    in.context = context;
    s->shape = anew ? torn_mesh_make_anew(&in) : torn_mesh_make_whole(&in);
    assert_ok(pliant_body_create(s->shape, def, &s->body));
    assert_ok(pliant_body_create(s->other_shape, NULL, &s->other));
    assert_ok(pliant_query_create(context, &s->query));
    assert_ok(pliant_contours_create(context, &s->contours));
    assert_ok(pliant_volume_create(context, NULL, &s->volume));
    assert_ok(pliant_scene_create(context, NULL, &s->scene));
    assert_ok(pliant_scene_add(s->scene, s->body, &self, &id));
    assert_ok(pliant_scene_add(s->scene, s->other, NULL, &id));
}

static void side_destroy(side *s)
{
    pliant_scene_destroy(s->scene);
    pliant_volume_destroy(s->volume);
    pliant_contours_destroy(s->contours);
    pliant_query_destroy(s->query);
    pliant_body_destroy(s->body);
    pliant_body_destroy(s->other);
    pliant_shape_destroy(s->shape);
    pliant_shape_destroy(s->other_shape);
}

static places draw_places(rng *r)
{
    places at;
    for (int i = 0; i < POINTS; i++) {
        for (int k = 0; k < 3; k++) {
            at.points[3 * i + k] = (float)rng_range(r, -1.2, 1.2);
            at.rays[i].origin[k] = (float)rng_range(r, -1.5, 1.5);
            at.rays[i].direction[k] = (float)rng_range(r, -1.0, 1.0);
        }
        at.rays[i].t_max = INFINITY;
    }
    return at;
}

static void expect_equal(const side s[2], const char *question)
{
    if (s[0].hash != s[1].hash) {
        fail_msg("other %s than of a shape made anew", question);
    }
}

static void ask_all(side s[2], const places *at)
{
    for (int i = 0; i < 2; i++) {
        ask_contacts(&s[i]);
    }
    expect_equal(s, "contacts");
    for (int i = 0; i < 2; i++) {
        ask_within(&s[i]);
    }
    expect_equal(s, "pairs within a distance");
    for (int i = 0; i < 2 && !s->mesh->seams; i++) {
        ask_features(&s[i]);
    }
    expect_equal(s, "features");
    for (int i = 0; i < 2; i++) {
        ask_places(&s[i], at);
    }
    expect_equal(s, "hits or distances");
    for (int i = 0; i < 2; i++) {
        ask_contours(&s[i]);
    }
    expect_equal(s, "contours");
    for (int i = 0; i < 2; i++) {
        ask_volumes(&s[i]);
    }
    expect_equal(s, "volumes");
    for (int i = 0; i < 2; i++) {
        ask_scene_pairs(&s[i]);
    }
    expect_equal(s, "pairs in a scene");
    for (int i = 0; i < 2; i++) {
        ask_scene_places(&s[i], at);
    }
    expect_equal(s, "hits or distances in a scene");
}

/* The next state, as a step of the whole scene. */
static void step_both(side s[2], torn_mesh *m, rng *r)
{
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_scene_begin_step(s[i].scene));
    }
    torn_mesh_move(m, r);
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_set_positions(s[i].body, m->positions, 0));
        ask_step(&s[i]);
    }
    expect_equal(s, "meetings");
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_end_step(s[i].body));
        assert_ok(pliant_body_end_step(s[i].other));
        assert_ok(pliant_body_set_positions(s[i].body, m->positions, 0));
    }
}

static void run_program(torn_kind kind, uint64_t seed)
{
    rng r;
    rng_seed(&r, seed);
    pliant_isa isa = (pliant_isa)(1 + rng_below(&r, 4));
    pliant_context *context[2] = {fixture_context_with(isa, 1 + (uint32_t)(seed % 3)),
                                  fixture_context_with(PLIANT_ISA_BEST, 1)};
    pliant_body_def def = pliant_body_def_default();
    torn_mesh m;
    torn_mesh_create(&m, context[0], kind, &r);
    def.update = (pliant_update)(seed % 5);
    def.rebuild = PLIANT_REBUILD_AUTO;
    side s[2];
    side_create(&s[0], &m, context[0], false, &def);
    for (uint32_t step = 0; step < STEPS; step++) {
        if (step % 2 == 1) {
            pli_body_ask_rebuild(s[0].body);
        }
        torn_mesh_move(&m, &r);
        assert_ok(pliant_body_set_positions(s[0].body, m.positions, 0));
        for (uint64_t i = 0; i <= rng_below(&r, 3); i++) {
            torn_mesh_tear(&m, s[0].body, &r);
        }
        side_create(&s[1], &m, context[1], true, NULL);
        assert_ok(pliant_body_set_positions(s[1].body, m.positions, 0));
        s[0].hash = s[1].hash = 0;
        places at = draw_places(&r);
        ask_all(s, &at);
        step_both(s, &m, &r);
        side_destroy(&s[1]);
    }
    side_destroy(&s[0]);
    torn_mesh_destroy(&m);
    pliant_context_destroy(context[0]);
    pliant_context_destroy(context[1]);
}

static void questions_answer_as_of_shapes_made_anew(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < fixture_at_least(TORN_KINDS, 15); i++) {
        run_program((torn_kind)(i % TORN_KINDS), 900 + i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_answer_as_of_shapes_made_anew),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, test_query_tear_down);
}
