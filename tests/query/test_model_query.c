/*
 * Every question asked of bodies with models: the answers must be those of free bodies with the
 * same vertices, which other tests compare with brute force.
 */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A body with a model and a free body with the same vertices. */
typedef struct twins {
    model_case c;
    pliant_shape *shape, *free_shape;
    pliant_body *body, *free_body;
} twins;

static twins twins_create(pliant_context *context, rng *r, uint32_t triangles)
{
    twins t;
    t.c = model_case_create(rng_below(r, MODEL_KINDS), rng_below(r, MODEL_TRAITS), 1.0, 0.0,
                            triangles, r);
    t.shape =
        model_case_shape(context, &t.c, rng_below(r, PLIANT_BOUND_AFFINE + 1), fixture_usual_tree);
    t.free_shape = fixture_shape(context, &t.c.mesh, fixture_usual_tree);
    pliant_body_def def = pliant_body_def_default();
    def.update = (pliant_update)rng_below(r, PLIANT_UPDATE_FRONT + 1);
    def.coherent = rng_below(r, 2) != 0;
    assert_ok(pliant_body_create(t.shape, &def, &t.body));
    assert_ok(pliant_body_create(t.free_shape, NULL, &t.free_body));
    if (rng_below(r, 2) == 0) {
        model_case_place_somewhere(&t.c, r);
    }
    return t;
}

static void twins_move(twins *t, rng *r, bool coherent)
{
    model_case_move(&t->c, r, coherent);
    model_case_set(&t->c, t->body);
    assert_ok(pliant_body_set_positions(t->free_body, t->c.positions, 0));
}

static void twins_destroy(twins *t)
{
    pliant_body_destroy(t->body);
    pliant_body_destroy(t->free_body);
    pliant_shape_destroy(t->shape);
    pliant_shape_destroy(t->free_shape);
    model_case_destroy(&t->c);
}

static void random_point(rng *r, float point[3])
{
    for (int k = 0; k < 3; k++) {
        point[k] = (float)rng_range(r, -2.0, 2.0);
    }
}

static void compare_rays(pliant_query *query, twins *t, rng *r)
{
    for (int i = 0; i < 20; i++) {
        pliant_ray ray = {.t_max = INFINITY};
        pliant_ray_hit hit, free_hit;
        random_point(r, ray.origin);
        for (int k = 0; k < 3; k++) {
            ray.direction[k] = (float)rng_range(r, -0.5, 0.5) - ray.origin[k];
        }
        assert_ok(pliant_raycast(query, t->body, &ray, &hit));
        assert_ok(pliant_raycast(query, t->free_body, &ray, &free_hit));
        assert_int_equal(hit.triangle, free_hit.triangle);
        assert_true(hit.t == free_hit.t);
    }
}

static void compare_points_and_boxes(pliant_query *query, twins *t, rng *r)
{
    for (int i = 0; i < 20; i++) {
        float point[3];
        pliant_closest closest, free_closest;
        random_point(r, point);
        float most = rng_below(r, 2) ? INFINITY : 0.3f;
        assert_ok(pliant_find_closest_point(query, t->body, point, most, &closest));
        assert_ok(pliant_find_closest_point(query, t->free_body, point, most, &free_closest));
        assert_int_equal(closest.found, free_closest.found);
        if (closest.found) {
            assert_int_equal(closest.triangle, free_closest.triangle);
            assert_true(closest.distance == free_closest.distance);
        }
        pliant_box box;
        for (int k = 0; k < 3; k++) {
            box.lower[k] = point[k];
            box.upper[k] = point[k] + (float)rng_range(r, 0.0, 1.0);
        }
        const uint32_t *triangles, *found;
        uint64_t count, free_count;
        assert_ok(pliant_overlap_box(query, t->body, &box, &triangles, &count));
        uint32_t *copy = calloc(count + 1, sizeof *copy);
        if (count > 0) {
            memcpy(copy, triangles, count * sizeof *copy);
        }
        assert_ok(pliant_overlap_box(query, t->free_body, &box, &found, &free_count));
        assert_int_equal(count, free_count);
        assert_true(count == 0 || memcmp(copy, found, count * sizeof *copy) == 0);
        free(copy);
    }
}

static void compare_features(pliant_query *query, pliant_body *a, pliant_body *b,
                             pliant_body *free_a, pliant_body *free_b, float distance)
{
    pliant_features found, free_found;
    assert_ok(b == NULL ? pliant_find_features_self(query, a, distance, NULL, &found)
                        : pliant_find_features(query, a, b, distance, NULL, &found));
    size_t bytes = found.count * sizeof *found.pairs;
    pliant_feature_pair *copy = malloc(bytes + 1);
    if (found.count > 0) {
        memcpy(copy, found.pairs, bytes);
    }
    uint64_t count = found.count, crossings = found.crossing_count;
    assert_ok(b == NULL ? pliant_find_features_self(query, free_a, distance, NULL, &free_found)
                        : pliant_find_features(query, free_a, free_b, distance, NULL, &free_found));
    assert_int_equal(count, free_found.count);
    assert_int_equal(crossings, free_found.crossing_count);
    assert_true(count == 0 || memcmp(copy, free_found.pairs, bytes) == 0);
    free(copy);
}

static void compare_pairs(pliant_query *query, twins *a, twins *b, rng *r)
{
    pliant_proximities near, free_near;
    float distance = (float)rng_range(r, 0.0, 0.1);
    assert_ok(pliant_find_within(query, a->body, b->body, distance, NULL, &near));
    size_t bytes = near.count * sizeof *near.pairs;
    pliant_proximity *copy = malloc(bytes + 1);
    if (near.count > 0) {
        memcpy(copy, near.pairs, bytes);
    }
    uint64_t count = near.count;
    assert_ok(pliant_find_within(query, a->free_body, b->free_body, distance, NULL, &free_near));
    assert_int_equal(count, free_near.count);
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(copy[i].a, free_near.pairs[i].a);
        assert_int_equal(copy[i].b, free_near.pairs[i].b);
    }
    free(copy);
    compare_features(query, a->body, b->body, a->free_body, b->free_body, distance);
    compare_features(query, a->body, NULL, a->free_body, NULL, 0.1f * distance);
    pliant_collide_options first = pliant_collide_options_default();
    first.mode = PLIANT_COLLIDE_FIRST;
    pliant_contacts contacts, free_contacts;
    assert_ok(pliant_collide(query, a->body, b->body, &first, &contacts));
    count = contacts.count;
    assert_ok(pliant_collide(query, a->free_body, b->free_body, &first, &free_contacts));
    assert_int_equal(count, free_contacts.count);
}

static void compare_self(pliant_query *query, twins *t)
{
    pliant_contacts contacts, free_contacts;
    assert_ok(pliant_collide_self(query, t->body, NULL, &contacts));
    brute_pairs found = {0};
    for (uint64_t i = 0; i < contacts.count; i++) {
        brute_add(&found, contacts.pairs[i].a, contacts.pairs[i].b);
    }
    assert_ok(pliant_collide_self(query, t->free_body, NULL, &free_contacts));
    assert_true(brute_equal(&found, &free_contacts, "one body with itself"));
    brute_free(&found);
}

static void queries_agree(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 11);
    for (uint32_t round = 0; round < fixture_count(60); round++) {
        pliant_query *query = NULL;
        pliant_context *context = fixture_context_with((pliant_isa)rng_below(&r, 5), 1);
        assert_ok(pliant_query_create(context, &query));
        twins a = twins_create(context, &r, 900), b = twins_create(context, &r, 400);
        for (int step = 0; step < 3; step++) {
            twins_move(&a, &r, step == 1);
            twins_move(&b, &r, step == 2);
            compare_rays(query, &a, &r);
            compare_points_and_boxes(query, &b, &r);
            compare_pairs(query, &a, &b, &r);
            compare_self(query, &a);
        }
        twins_destroy(&a);
        twins_destroy(&b);
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
}

enum { CROWD = 12 };

/* A scene of all kinds under several numbers of workers: pairs of free twins, equal counts. */
static void scenes_agree(void **state)
{
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (uint32_t round = 0; round < fixture_count(6); round++) {
        uint64_t nodes = 0, clusters = 0, tested = 0;
        for (int w = 0; w < 4; w++) {
            rng r;
            rng_seed(&r, 100 + round);
            pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, workers[w]);
            pliant_scene *scene = NULL, *free_scene = NULL;
            assert_ok(pliant_scene_create(context, NULL, &scene));
            assert_ok(pliant_scene_create(context, NULL, &free_scene));
            twins t[CROWD];
            for (int i = 0; i < CROWD; i++) {
                pliant_body_id id;
                t[i] = twins_create(context, &r, 1200);
                pliant_member_def member = pliant_member_def_default();
                member.self = i % 3 == 0;
                assert_ok(pliant_scene_add(scene, t[i].body, &member, &id));
                assert_ok(pliant_scene_add(free_scene, t[i].free_body, &member, &id));
            }
            for (int step = 0; step < 3; step++) {
                for (int i = 0; i < CROWD; i++) {
                    twins_move(&t[i], &r, step > 0);
                }
                pliant_scene_contacts contacts, free_contacts;
                assert_ok(pliant_scene_collide(scene, NULL, &contacts));
                assert_ok(pliant_scene_collide(free_scene, NULL, &free_contacts));
                assert_true(contacts.count > 0);
                assert_int_equal(contacts.count, free_contacts.count);
                assert_int_equal(contacts.body_pair_count, free_contacts.body_pair_count);
                assert_memory_equal(contacts.pairs, free_contacts.pairs,
                                    contacts.count * sizeof *contacts.pairs);
            }
            pliant_scene_proximities near, free_near;
            assert_ok(pliant_scene_find_within(scene, 0.02f, NULL, &near));
            assert_ok(pliant_scene_find_within(free_scene, 0.02f, NULL, &free_near));
            assert_true(near.count > 0 && near.count == free_near.count);
            for (uint64_t i = 0; i < near.count; i++) {
                assert_int_equal(near.pairs[i].a, free_near.pairs[i].a);
                assert_int_equal(near.pairs[i].b, free_near.pairs[i].b);
                assert_true(near.pairs[i].gap.distance == free_near.pairs[i].gap.distance);
            }
            const pliant_scene_stats *stats = pliant_scene_get_stats(scene);
            if (w == 0) {
                nodes = stats->narrow.nodes_refreshed;
                clusters = stats->narrow.clusters_refreshed;
                tested = stats->narrow.nodes_tested;
            }
            assert_int_equal(nodes, stats->narrow.nodes_refreshed);
            assert_int_equal(clusters, stats->narrow.clusters_refreshed);
            assert_int_equal(tested, stats->narrow.nodes_tested);
            pliant_scene_destroy(scene);
            pliant_scene_destroy(free_scene);
            for (int i = 0; i < CROWD; i++) {
                twins_destroy(&t[i]);
            }
            pliant_context_destroy(context);
        }
    }
}

/* Steps of a warm scene and query allocate nothing. */
static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    rng r;
    rng_seed(&r, 12);
    twins a = twins_create(context, &r, 1200), b = twins_create(context, &r, 1200);
    uint64_t calls = 0;
    for (int step = 0; step < 40; step++) {
        rng again;
        rng_seed(&again, 50 + (uint64_t)step % 8);
        twins_move(&a, &again, false);
        twins_move(&b, &again, false);
        calls = step == 20 ? allocator.calls : calls;
        pliant_contacts contacts;
        assert_ok(pliant_collide(query, a.body, b.body, NULL, &contacts));
    }
    assert_int_equal(allocator.calls, calls);
    twins_destroy(&a);
    twins_destroy(&b);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

/* Two bodies of one shape, worn on top of each other, with an update strategy. */
typedef struct worn {
    pliant_body *under, *over;
    uint64_t tested;
} worn;

static worn worn_create(const pliant_shape *shape, pliant_update update)
{
    worn w = {0};
    pliant_body_def def = pliant_body_def_default();
    def.update = update;
    assert_ok(pliant_body_create(shape, &def, &w.under));
    assert_ok(pliant_body_create(shape, &def, &w.over));
    return w;
}

/* Where contact is broad, the front takes clusters in: fewer nodes are compared, and the answers
   stay. */
static void broad_contact_is_followed(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 11);
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    model_case c = model_case_create(MODEL_BLENDED, MODEL_SMOOTH, 1.0, 0.0, 3000, &r);
    pliant_shape *shape = model_case_shape(context, &c, PLIANT_BOUND_BOX, fixture_usual_tree);
    worn all[2] = {worn_create(shape, PLIANT_UPDATE_TOP_DOWN),
                   worn_create(shape, PLIANT_UPDATE_FRONT)};
    for (int step = 0; step < 6; step++) {
        pliant_pair *expected = NULL;
        uint64_t count = 0;
        for (int i = 0; i < 2; i++) {
            model_case_set(&c, all[i].under);
        }
        model_case_move(&c, &r, true);
        for (int i = 0; i < 2; i++) {
            pliant_contacts contacts;
            model_case_set(&c, all[i].over);
            assert_ok(pliant_collide(query, all[i].under, all[i].over, NULL, &contacts));
            all[i].tested += pliant_query_get_stats(query)->nodes_tested;
            if (i == 0) {
                count = contacts.count;
                expected = malloc((count + 1) * sizeof *expected);
                assert_non_null(expected);
                assert_true(count > 100);
                memcpy(expected, contacts.pairs, count * sizeof *expected);
            } else {
                assert_int_equal(contacts.count, count);
                assert_memory_equal(contacts.pairs, expected, count * sizeof *expected);
            }
        }
        free(expected);
    }
    assert_true(all[1].tested < all[0].tested);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(all[i].under);
        pliant_body_destroy(all[i].over);
    }
    pliant_shape_destroy(shape);
    model_case_destroy(&c);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

/* Vertices in any order are those in the usual one. */
static void lists_of_vertices_agree(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 12);
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    for (uint32_t round = 0; round < fixture_count(40); round++) {
        twins t = twins_create(context, &r, 1500);
        twins_move(&t, &r, false);
        uint32_t vertices = t.c.mesh.vertex_count;
        float *usual = calloc(vertices, 3 * sizeof *usual);
        assert_non_null(usual);
        assert_ok(pliant_body_evaluate(t.body, NULL, vertices, usual));
        assert_memory_equal(usual, t.c.positions, 3 * (size_t)vertices * sizeof *usual);
        uint32_t list[64];
        float found[3 * 64];
        for (uint32_t i = 0; i < 64; i++) {
            list[i] = (uint32_t)rng_below(&r, vertices);
        }
        list[0] = vertices - 1;
        list[1] = 0;
        assert_ok(pliant_body_evaluate(t.body, list, 64, found));
        for (uint32_t i = 0; i < 64; i++) {
            assert_memory_equal(found + 3 * (size_t)i, usual + 3 * (size_t)list[i],
                                3 * sizeof *found);
        }
        free(usual);
        twins_destroy(&t);
    }
    pliant_context_destroy(context);
}

/* Cubes moved by whole numbers, face to face: boxes of evaluated vertices touch and no more. */
static void faces_that_touch_are_found(void **state)
{
    (void)state;
    float corners[24];
    static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 24; i++) {
        corners[i] = (float)(i / 3 >> i % 3 & 1);
    }
    pliant_context *context = NULL;
    pliant_query *query = NULL;
    pliant_shape *shape = NULL;
    pliant_body *body[2] = {NULL, NULL};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corners;
    def.vertex_count = 8;
    def.triangles = faces;
    def.triangle_count = 12;
    def.joint_count = 1;
    assert_ok(pliant_context_create(NULL, &context));
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body[0]));
    assert_ok(pliant_body_create(shape, NULL, &body[1]));
    for (int way = 0; way < 6; way++) {
        float rows[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, moved[24];
        rows[4 * (way / 2) + 3] = way % 2 == 0 ? 1.0f : -1.0f;
        assert_ok(pliant_body_set_transforms(body[1], rows, 1, 0));
        for (int i = 0; i < 24; i++) {
            moved[i] = corners[i] + rows[4 * (i % 3) + 3];
        }
        brute_body truth[2] = {{corners, faces, 8, 12}, {moved, faces, 8, 12}};
        brute_pairs expected = {0};
        pliant_contacts contacts;
        brute_collide(&truth[0], &truth[1], &expected);
        assert_true(expected.count > 0);
        assert_ok(pliant_collide(query, body[0], body[1], NULL, &contacts));
        assert_true(brute_equal(&expected, &contacts, "face to face"));
        brute_free(&expected);
    }
    pliant_body_destroy(body[0]);
    pliant_body_destroy(body[1]);
    pliant_shape_destroy(shape);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_agree),
        cmocka_unit_test(scenes_agree),
        cmocka_unit_test(warm_steps_allocate_nothing),
        cmocka_unit_test(broad_contact_is_followed),
        cmocka_unit_test(lists_of_vertices_agree),
        cmocka_unit_test(faces_that_touch_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
