/* The queries of random_world.h. Every field of an answer goes into its hash, except padding. */
#include "random_world.h"

#include "failing_memory.h"
#include "scene_options.h"

#include <math.h>
#include <string.h>

enum { RAYS = 5, POINTS = 9 };

/* A query with what it may be given. */
typedef struct asked {
    random_world *w;
    uint64_t hash;
    uint32_t salt;
    random_body *a, *b; /* may be the same */
    bool grouped;
    uint64_t groups;
    float distance;
    pliant_scene_options options;
    pliant_scene_select select;
    pliant_ray rays[RAYS];
    float points[3 * POINTS];
} asked;

static void fold(asked *q, const void *bytes, size_t size)
{
    q->hash = hash_bytes(q->hash, bytes, size);
}
#define FOLD(q, value) fold((q), &(value), sizeof(value))

/* Folds how a call ended. Returns true if it has an answer. */
static bool answered(asked *q, pliant_result result)
{
    FOLD(q, result);
    if (result != PLIANT_OK) {
        fold(q, pliant_last_error(), strlen(pliant_last_error()));
    }
    return result == PLIANT_OK;
}

static bool filter_pair(void *user, pliant_body_id a, pliant_body_id b)
{
    return (a.index * 7 + b.index * 13 + *(const uint32_t *)user) % 5 != 0;
}

static bool filter_body(void *user, pliant_body_id id)
{
    return (id.index * 7 + *(const uint32_t *)user) % 5 != 0;
}

/* ------------------------------------------------------------- parts of answers */

static void fold_bodies(asked *q, const pliant_scene_pair *bodies, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        FOLD(q, bodies[i].a);
        FOLD(q, bodies[i].b);
        FOLD(q, bodies[i].first);
        FOLD(q, bodies[i].count);
        FOLD(q, bodies[i].complete);
    }
}

static void fold_pairs(asked *q, const pliant_pair *pairs, uint64_t count)
{
    fold(q, pairs, (size_t)count * sizeof *pairs);
}

static void fold_meeting(asked *q, const pliant_meeting *meeting)
{
    FOLD(q, meeting->kind);
    FOLD(q, meeting->a);
    FOLD(q, meeting->b);
    FOLD(q, meeting->time);
}

static void fold_meetings(asked *q, const pliant_pair *pairs, const pliant_meeting *meetings,
                          uint64_t count)
{
    fold_pairs(q, pairs, count);
    for (uint64_t i = 0; i < count; i++) {
        fold_meeting(q, &meetings[i]);
    }
}

static void fold_closest(asked *q, const pliant_closest *closest)
{
    FOLD(q, closest->found);
    if (closest->found) {
        FOLD(q, closest->triangle);
        FOLD(q, closest->distance);
        FOLD(q, closest->at.point);
        FOLD(q, closest->at.feature);
        FOLD(q, closest->at.index);
        FOLD(q, closest->weights);
        FOLD(q, closest->normal);
        FOLD(q, closest->group);
    }
}

static void fold_hit(asked *q, pliant_body_id body, const pliant_ray_hit *hit)
{
    FOLD(q, body);
    FOLD(q, hit->t);
    FOLD(q, hit->point);
    FOLD(q, hit->triangle);
    FOLD(q, hit->weights);
    FOLD(q, hit->normal);
    FOLD(q, hit->group);
}

static bool fold_block(void *user, const pliant_scene_pair *bodies, const pliant_contacts *contacts)
{
    asked *q = user;
    FOLD(q, bodies->a);
    FOLD(q, bodies->b);
    fold_pairs(q, contacts->pairs, contacts->count);
    return true;
}

/* ------------------------------------------------------------- scenes */

static void ask_contacts(asked *q)
{
    pliant_scene_contacts found;
    if (!answered(q, pliant_scene_collide(q->w->scene, &q->options, &found))) {
        return;
    }
    fold_bodies(q, found.bodies, found.body_pair_count);
    fold_pairs(q, found.pairs, found.count);
    for (uint64_t i = 0; i < found.count; i++) {
        if (q->options.segments) {
            FOLD(q, found.segments[i].p);
            FOLD(q, found.segments[i].q);
        }
        if (q->options.separations) {
            FOLD(q, found.separations[i].normal);
            FOLD(q, found.separations[i].depth);
        }
    }
    uint32_t count = 0;
    const pliant_scene_event *events = pliant_scene_get_events(q->w->scene, &count);
    for (uint32_t i = 0; i < count && q->options.events; i++) {
        FOLD(q, events[i].a);
        FOLD(q, events[i].b);
        FOLD(q, events[i].touch);
    }
}

static void ask_blocks(asked *q)
{
    pliant_scene_contacts found;
    q->options.callback = fold_block;
    q->options.callback_user = q;
    (void)answered(q, pliant_scene_collide(q->w->scene, &q->options, &found));
}

static void ask_meetings(asked *q)
{
    pliant_scene_meetings found;
    q->options.mode = q->salt % 3 == 0 ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    q->options.first_in_all = q->salt % 4 == 0;
    const pliant_scene_options used = scene_options_for(PLIANT_RECORDED_FIND_MEETINGS, &q->options);
    if (answered(q, pliant_scene_find_meetings(q->w->scene, &used, &found))) {
        fold_bodies(q, found.bodies, found.body_pair_count);
        fold_meetings(q, found.pairs, found.meetings, found.count);
    }
}

static void ask_free_time(asked *q)
{
    const pliant_scene_options used =
        scene_options_for(PLIANT_RECORDED_FIND_FREE_TIME, &q->options);
    pliant_scene_free_time found;
    if (answered(q, pliant_scene_find_free_time(q->w->scene, &used, &found))) {
        FOLD(q, found.a);
        FOLD(q, found.b);
        FOLD(q, found.path.time);
        FOLD(q, found.path.touches);
        FOLD(q, found.path.pair);
        fold_meeting(q, &found.path.meeting);
    }
}

static void ask_within(asked *q)
{
    const pliant_scene_options used = scene_options_for(PLIANT_RECORDED_FIND_WITHIN, &q->options);
    pliant_scene_proximities found;
    if (answered(q, pliant_scene_find_within(q->w->scene, q->distance, &used, &found))) {
        fold_bodies(q, found.bodies, found.body_pair_count);
        for (uint64_t i = 0; i < found.count; i++) {
            FOLD(q, found.pairs[i].a);
            FOLD(q, found.pairs[i].b);
            FOLD(q, found.pairs[i].gap.distance);
        }
    }
}

static void ask_features(asked *q)
{
    const pliant_scene_options used = scene_options_for(PLIANT_RECORDED_FIND_FEATURES, &q->options);
    pliant_scene_features found;
    if (!answered(q, pliant_scene_find_features(q->w->scene, q->distance, &used, &found))) {
        return;
    }
    fold_bodies(q, found.bodies, found.body_pair_count);
    for (uint64_t i = 0; i < found.count; i++) {
        const pliant_feature_pair *pair = &found.pairs[i];
        FOLD(q, pair->kind);
        FOLD(q, pair->a);
        FOLD(q, pair->b);
        FOLD(q, pair->vertices);
        FOLD(q, pair->weights);
        FOLD(q, pair->direction);
        FOLD(q, pair->distance);
    }
    fold_pairs(q, found.crossings.pairs, found.crossings.count);
}

static void ask_rays(asked *q)
{
    pliant_scene_ray_hit first[RAYS];
    pliant_scene_ray_hits all;
    bool blocked[RAYS];
    if (answered(q, pliant_scene_raycast(q->w->scene, q->rays, RAYS, &q->select, first))) {
        for (int i = 0; i < RAYS; i++) {
            fold_hit(q, first[i].body, &first[i].hit);
        }
    }
    if (answered(q, pliant_scene_raycast_all(q->w->scene, q->rays, RAYS, &q->select, &all))) {
        for (uint64_t i = 0; i < all.count; i++) {
            fold_hit(q, all.hits[i].body, &all.hits[i].hit);
        }
    }
    if (answered(q, pliant_scene_raycast_any(q->w->scene, q->rays, RAYS, &q->select, blocked))) {
        FOLD(q, blocked);
    }
}

static void ask_closest(asked *q)
{
    pliant_scene_closest found[POINTS];
    float most = q->salt % 2 == 0 ? INFINITY : 1.0f;
    if (answered(q, pliant_scene_find_closest_points(q->w->scene, q->points, POINTS, 0, most,
                                                     &q->select, found))) {
        for (int i = 0; i < POINTS; i++) {
            FOLD(q, found[i].body);
            fold_closest(q, &found[i].closest);
        }
    }
}

static void ask_distances(asked *q)
{
    pliant_scene_signed_distance found[POINTS];
    pliant_distance_options options = pliant_distance_options_default();
    options.side = q->salt % 2 == 0 ? PLIANT_SIDE_AUTO : PLIANT_SIDE_SURFACE;
    if (answered(q, pliant_scene_measure_distances(q->w->scene, q->points, POINTS, 0, &options,
                                                   &q->select, found))) {
        for (int i = 0; i < POINTS; i++) {
            FOLD(q, found[i].body);
            FOLD(q, found[i].distance.distance);
            FOLD(q, found[i].distance.side);
            FOLD(q, found[i].distance.winding);
            FOLD(q, found[i].distance.flags);
            FOLD(q, found[i].distance.direction);
            fold_closest(q, &found[i].distance.closest);
        }
    }
}

static void ask_box(asked *q)
{
    pliant_scene_triangles found;
    pliant_box box;
    for (int k = 0; k < 3; k++) {
        box.lower[k] = (float)(q->salt >> 2 * k & 3);
        box.upper[k] = box.lower[k] + (float)(q->salt >> (2 * k + 6) & 3);
    }
    box.upper[0] = q->salt % 7 == 0 ? INFINITY : box.upper[0];
    if (answered(q, pliant_scene_overlap_box(q->w->scene, &box, &q->select, &found))) {
        FOLD(q, found.body_count);
        fold(q, found.triangles, (size_t)found.count * sizeof *found.triangles);
    }
}

/* ------------------------------------------------------------- volumes, contours */

static pliant_volume_options volume_options(const asked *q)
{
    pliant_volume_options options = pliant_volume_options_default();
    options.resolution = 8;
    options.allow_open = true;
    options.gradients = q->salt % 2 == 0;
    return options;
}

static void fold_measure(asked *q, const pliant_volume_measure *measure)
{
    FOLD(q, measure->overlap);
    FOLD(q, measure->volume);
    FOLD(q, measure->error);
    FOLD(q, measure->least);
    FOLD(q, measure->most);
    FOLD(q, measure->centroid);
    FOLD(q, measure->open_rays);
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < measure->vertex_count[side]; i++) {
            const pliant_volume_vertex *v = &measure->vertices[side][i];
            FOLD(q, v->vertex);
            FOLD(q, v->depth);
            FOLD(q, v->area);
            FOLD(q, v->gradient);
        }
    }
}

static void ask_volume(asked *q)
{
    const pliant_volume_options options = volume_options(q);
    pliant_volume_measure found;
    pliant_result result =
        q->a == q->b
            ? pliant_volume_intersect_self(q->w->volume, q->a->body, &options, &found)
            : pliant_volume_intersect(q->w->volume, q->a->body, q->b->body, &options, &found);
    if (answered(q, result)) {
        fold_measure(q, &found);
    }
}

static void ask_scene_volumes(asked *q)
{
    const pliant_scene_options used =
        scene_options_for(PLIANT_RECORDED_INTERSECT_VOLUMES, &q->options);
    const pliant_volume_options options = volume_options(q);
    pliant_scene_volumes found;
    pliant_result result =
        pliant_volume_intersect_scene(q->w->volume, q->w->scene, &used, &options, &found);
    if (answered(q, result)) {
        for (uint32_t i = 0; i < found.count; i++) {
            FOLD(q, found.pairs[i].a);
            FOLD(q, found.pairs[i].b);
            fold_measure(q, &found.pairs[i].measure);
        }
    }
}

static void ask_contours(asked *q)
{
    pliant_contour_options options = pliant_contour_options_default();
    pliant_contour_set found;
    options.gradients = true;
    pliant_result result =
        q->a == q->b
            ? pliant_contours_find_self(q->w->contours, q->a->body, &options, &found)
            : pliant_contours_find(q->w->contours, q->a->body, q->b->body, &options, &found);
    if (!answered(q, result)) {
        return;
    }
    FOLD(q, found.contour_count);
    FOLD(q, found.segment_count);
    FOLD(q, found.touch_count);
    FOLD(q, found.length);
    for (uint64_t i = 0; i < found.region_count; i++) {
        FOLD(q, found.regions[i].inside);
        FOLD(q, found.regions[i].guess);
        FOLD(q, found.regions[i].area);
        FOLD(q, found.regions[i].depth);
    }
    for (uint64_t i = 0; i < found.point_count; i++) {
        FOLD(q, found.points[i].point);
    }
    for (int side = 0; side < 2; side++) {
        const random_body *b = side == 0 ? q->a : q->b;
        if (found.gradients[side] != NULL) {
            fold(q, found.gradients[side], 3 * (size_t)b->mesh.vertex_count * sizeof(float));
        }
    }
}

/* ------------------------------------------------------------- two bodies */

static void ask_two_meetings(asked *q)
{
    pliant_meetings found;
    pliant_meeting_options options = pliant_meeting_options_default();
    options.distance = q->options.distance;
    options.groups_a = q->grouped ? (pliant_groups){&q->groups, 3} : options.groups_a;
    pliant_result result =
        q->a == q->b ? pliant_find_meetings_self(q->w->query, q->a->body, &options, &found)
                     : pliant_find_meetings(q->w->query, q->a->body, q->b->body, &options, &found);
    if (answered(q, result)) {
        fold_meetings(q, found.pairs, found.meetings, found.count);
    }
}

static void ask_two_contacts(asked *q)
{
    pliant_contacts found;
    pliant_collide_options options = pliant_collide_options_default();
    options.neighbours = q->options.neighbours;
    options.groups_a = q->grouped ? (pliant_groups){&q->groups, 3} : options.groups_a;
    pliant_result result =
        q->a == q->b ? pliant_collide_self(q->w->query, q->a->body, &options, &found)
                     : pliant_collide(q->w->query, q->a->body, q->b->body, &options, &found);
    if (answered(q, result)) {
        fold_pairs(q, found.pairs, found.count);
    }
    pliant_shape_quality quality;
    if (answered(q, pliant_shape_get_quality(pliant_body_get_shape(q->a->body), &quality))) {
        FOLD(q, quality.open_edge_count);
    }
}

static void ask_advance(asked *q)
{
    pliant_scene_options options = pliant_scene_options_default();
    pliant_scene_advance found;
    if (answered(q, pliant_scene_advance_bodies(q->w->scene, &options, &found))) {
        FOLD(q, found.time);
        FOLD(q, found.path.a);
        FOLD(q, found.path.b);
        fold_meeting(q, &found.path.path.meeting);
    }
}

/* ------------------------------------------------------------- choice */

static void choose_options(asked *q, rng *r)
{
    q->options = pliant_scene_options_default();
    q->options.neighbours = (pliant_neighbours)rng_below(r, 3);
    q->options.events = rng_below(r, 2) == 0;
    q->options.segments = rng_below(r, 2) == 0;
    q->options.separations = rng_below(r, 2) == 0;
    q->options.only_self = rng_below(r, 8) == 0;
    q->options.distance = rng_below(r, 3) > 0 ? 0.0f : 0.1f * (float)rng_below(r, 5);
    q->options.filter = rng_below(r, 3) == 0 ? filter_pair : NULL;
    q->options.filter_user = &q->salt;
    q->select = pliant_scene_select_default();
    q->select.filter = rng_below(r, 3) == 0 ? filter_body : NULL;
    q->select.filter_user = &q->salt;
    q->distance = rng_below(r, 2) == 0 ? 0.0f : 0.125f * (float)rng_below(r, 8);
    q->salt = (uint32_t)rng_below(r, 1u << 16);
    q->grouped = rng_below(r, 4) == 0;
    q->groups = rng_below(r, 8);
}

/* Some on the grid that many vertices are on. */
static float choose_number(rng *r, double low, double high)
{
    return (float)(rng_below(r, 2) == 0 ? floor(rng_range(r, low, high)) : rng_range(r, low, high));
}

void random_world_ask(random_world *w)
{
    static const struct {
        const char *name;
        void (*ask)(asked *q);
    } queries[] = {
        {"scene: contacts", ask_contacts},
        {"scene: contacts by callback", ask_blocks},
        {"scene: meetings", ask_meetings},
        {"scene: free time", ask_free_time},
        {"scene: within", ask_within},
        {"scene: features", ask_features},
        {"scene: rays", ask_rays},
        {"scene: closest points", ask_closest},
        {"scene: distances", ask_distances},
        {"scene: box", ask_box},
        {"scene: volumes", ask_scene_volumes},
        {"volume", ask_volume},
        {"contours", ask_contours},
        {"meetings", ask_two_meetings},
        {"contacts", ask_two_contacts},
        {"scene: advance", ask_advance},
    };
    for (uint64_t n = 5 + rng_below(&w->r, 6); n > 0; n--) {
        uint64_t which = rng_below(&w->r, sizeof queries / sizeof queries[0]);
        asked q = {.w = w, .hash = 1};
        choose_options(&q, &w->r);
        q.a = &w->body[rng_below(&w->r, w->body_count)];
        q.b = &w->body[rng_below(&w->r, w->body_count)];
        for (int i = 0; i < RAYS; i++) {
            for (int k = 0; k < 3; k++) {
                q.rays[i].origin[k] = choose_number(&w->r, 0.0, 5.0);
                q.rays[i].direction[k] = choose_number(&w->r, -1.0, 2.0);
            }
            q.rays[i].t_max = rng_below(&w->r, 2) == 0 ? INFINITY : (float)rng_below(&w->r, 4);
        }
        for (int i = 0; i < 3 * POINTS; i++) {
            q.points[i] = choose_number(&w->r, 0.0, 5.0);
        }
        queries[which].ask(&q);
        random_world_note(w, queries[which].name, q.hash);
    }
}
