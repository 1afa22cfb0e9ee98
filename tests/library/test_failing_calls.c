/*
 * T10 for the public calls about contexts, shapes, bodies and queries, cold and warm. What is asked
 * after each failure is everything that touches in a scene of bodies of all kinds, which is
 * compared with brute force.
 */
#include "world_of_bodies.h"

#include "pliant/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------- contexts, shapes */

static pliant_result find_nothing(void *user, const pliant_backend_triangles *triangles,
                                  pliant_backend_crossings *crossings)
{
    (void)user;
    (void)triangles;
    (void)crossings;
    return PLIANT_OK;
}

static pliant_result make_objects(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_shape_def def = world_shape_def(MODEL_COMPOSED);
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_query *query = NULL;
    pliant_scene *scene = NULL;
    pliant_volume *volume = NULL;
    pliant_volume_backend *backend = NULL;
    pliant_volume_backend_def backend_def = pliant_volume_backend_def_default();
    backend_def.name = "none";
    backend_def.cross = find_nothing;
    pliant_contours *contours = NULL;
    pliant_result result = pliant_shape_create(w->context, &def, &shape);
    result = result == PLIANT_OK ? pliant_body_create(shape, NULL, &body) : result;
    result = result == PLIANT_OK ? pliant_query_create(w->context, &query) : result;
    result = result == PLIANT_OK ? pliant_scene_create(w->context, NULL, &scene) : result;
    result = result == PLIANT_OK ? pliant_volume_create(w->context, NULL, &volume) : result;
    result = result == PLIANT_OK ? pliant_contours_create(w->context, &contours) : result;
    result = result == PLIANT_OK ? pliant_volume_backend_create(w->context, &backend_def, &backend)
                                 : result;
    *hash = pliant_shape_get_memory(shape);
    pliant_volume_backend_destroy(backend);
    pliant_contours_destroy(contours);
    pliant_volume_destroy(volume);
    pliant_scene_destroy(scene);
    pliant_query_destroy(query);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    return result;
}

static pliant_result copy_shapes(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 18;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        uint64_t size = 0;
        assert_ok(pliant_shape_write(w->shape[i], NULL, 0, &size));
        void *block = malloc((size_t)size);
        assert_ok(pliant_shape_write(w->shape[i], block, size, &size));
        pliant_shape *copy = NULL;
        result = pliant_shape_read(w->context, block, size, &copy);
        result = result == PLIANT_OK ? pliant_shape_validate(copy) : result;
        *hash = hash_bytes(*hash, block, (size_t)size);
        pliant_shape_destroy(copy);
        free(block);
    }
    return result;
}

static void keep(void *user, const void *data, uint64_t size)
{
    (void)user;
    (void)data;
    (void)size;
}

static pliant_result borrow_shape(void *made, uint64_t *hash)
{
    world *w = made;
    uint64_t size = 0;
    assert_ok(pliant_shape_write(w->shape[MODEL_COMPOSED], NULL, 0, &size));
    void *block = aligned_alloc(64, (size_t)size);
    assert_ok(pliant_shape_write(w->shape[MODEL_COMPOSED], block, size, &size));
    pliant_shape *shape = NULL;
    pliant_result result = pliant_shape_borrow(w->context, block, size, keep, NULL, &shape);
    result = result == PLIANT_OK ? pliant_shape_set_user(shape, w) : result;
    *hash = hash_bytes(19, block, (size_t)size);
    pliant_shape_destroy(shape);
    free(block);
    return result;
}

static pliant_result look_at_shape(void *made, uint64_t *hash)
{
    world *w = made;
    const pliant_shape *shape = w->shape[MODEL_MODES];
    uint32_t order[4 * TRIANGLES], corners[3], triangles[4 * TRIANGLES], count = 0, vertex = 0;
    pliant_proxy proxies[4 * TRIANGLES];
    pliant_shape_quality quality;
    pliant_result result = pliant_shape_get_vertex_order(shape, order);
    result = result == PLIANT_OK ? pliant_shape_get_triangle(shape, 0, corners) : result;
    result = result == PLIANT_OK ? pliant_shape_get_quality(shape, &quality) : result;
    result = result == PLIANT_OK ? pliant_shape_get_proxies(shape, proxies, 4 * TRIANGLES, &count)
                                 : result;
    result = result == PLIANT_OK ? pliant_shape_get_proxy_triangles(shape, proxies[0], triangles,
                                                                    4 * TRIANGLES, &count)
                                 : result;
    result =
        result == PLIANT_OK ? pliant_shape_get_proxy_vertex(shape, proxies[0], &vertex) : result;
    *hash = hash_bytes(hash_bytes(3, corners, sizeof corners), &vertex, sizeof vertex);
    return result;
}

/* ----------------------------------------------------------------- bodies */

static pliant_result ask_bounds(world *w, int i, uint64_t *hash)
{
    pliant_box box;
    pliant_result result = pliant_body_get_bounds(w->body[i], &box);
    if (result == PLIANT_OK) {
        *hash = hash_bytes(*hash, &box, sizeof box);
    }
    return result;
}

static pliant_result set_positions(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 4;
    pliant_result result = pliant_body_set_positions(w->body[FREE], world_cases[FREE].positions, 0);
    return result == PLIANT_OK ? ask_bounds(w, FREE, hash) : result;
}

static pliant_result set_state(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 4;
    const pliant_state state = {.positions = world_cases[FREE].positions};
    pliant_result result = pliant_body_set_state(w->body[FREE], &state);
    return result == PLIANT_OK ? ask_bounds(w, FREE, hash) : result;
}

static pliant_result share_positions(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 18;
    pliant_result result =
        pliant_body_share_positions(w->body[FREE], world_cases[FREE].positions, 0);
    return result == PLIANT_OK ? ask_bounds(w, FREE, hash) : result;
}

static pliant_result set_models(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 5;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < MODEL_KINDS && result == PLIANT_OK; i++) {
        result = world_set_model(w, i);
        result = result == PLIANT_OK ? ask_bounds(w, i, hash) : result;
    }
    return result;
}

/* In steps that leave every vertex where it is. */
static pliant_result set_worlds(void *made, uint64_t *hash)
{
    world *w = made;
    const float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const float rows[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    *hash = 20;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        result = pliant_body_set_user(w->body[i], w);
        result = result == PLIANT_OK ? pliant_body_set_world(w->body[i], rows) : result;
        result = result == PLIANT_OK ? pliant_body_set_world_matrix(w->body[i], matrix) : result;
        result = result == PLIANT_OK ? ask_bounds(w, i, hash) : result;
    }
    return result;
}

static pliant_result set_matrices(void *made, uint64_t *hash)
{
    world *w = made;
    float matrices[16 * 8];
    const model_case *c = &world_cases[MODEL_BLENDED];
    for (uint32_t i = 0; i < 16 * c->model.joint_count; i++) {
        const float *rows = c->transforms + 12 * (size_t)(i / 16);
        matrices[i] = i % 4 == 3 ? (float)(i % 16 == 15) : rows[4 * (i % 4) + i % 16 / 4];
    }
    *hash = 21;
    pliant_result result =
        pliant_body_set_matrices(w->body[MODEL_BLENDED], matrices, c->model.joint_count, 0);
    return result == PLIANT_OK ? ask_bounds(w, MODEL_BLENDED, hash) : result;
}

static pliant_result set_updates(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 6;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        result = pliant_body_set_update(w->body[i], PLIANT_UPDATE_FRONT, 0, 2);
        result = result == PLIANT_OK ? pliant_body_prepare(w->body[i]) : result;
    }
    return result;
}

/* ---------------------------------------------------------------- queries */

static pliant_result collide(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 7;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i + 1 < BODIES && result == PLIANT_OK; i++) {
        pliant_collide_options options = pliant_collide_options_default();
        options.segments = options.separations = i % 2 == 0;
        pliant_contacts contacts;
        result = pliant_collide(w->query, w->body[i], w->body[i + 1], &options, &contacts);
        if (result == PLIANT_OK) {
            *hash =
                hash_bytes(*hash, contacts.pairs, (size_t)contacts.count * sizeof *contacts.pairs);
        }
    }
    return result;
}

static pliant_result collide_self(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 8;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        pliant_collide_options options = pliant_collide_options_default();
        options.neighbours = PLIANT_NEIGHBOURS_ALL;
        pliant_contacts contacts;
        result = pliant_collide_self(w->query, w->body[i], &options, &contacts);
        if (result == PLIANT_OK) {
            *hash =
                hash_bytes(*hash, contacts.pairs, (size_t)contacts.count * sizeof *contacts.pairs);
        }
    }
    return result;
}

static pliant_result within(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_proximities found;
    pliant_result result = pliant_find_within(w->query, w->body[MODEL_REDUCED],
                                              w->body[MODEL_BLENDED], 0.1f, NULL, &found);
    *hash = result == PLIANT_OK ? found.count : 0;
    return result;
}

static pliant_result within_self(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_proximities found;
    pliant_result result =
        pliant_find_within_self(w->query, w->body[MODEL_BLENDED], 0.1f, NULL, &found);
    *hash = result == PLIANT_OK ? found.count : 0;
    return result;
}

static pliant_result features(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_features found;
    pliant_result result = pliant_find_features(w->query, w->body[MODEL_REDUCED],
                                                w->body[MODEL_BLENDED], 0.1f, NULL, &found);
    *hash = result == PLIANT_OK ? found.count ^ found.crossing_count << 32 : 0;
    return result;
}

static pliant_result features_self(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_features found;
    pliant_result result =
        pliant_find_features_self(w->query, w->body[MODEL_BLENDED], 0.1f, NULL, &found);
    *hash = result == PLIANT_OK ? found.count ^ found.crossing_count << 32 : 0;
    return result;
}

/* Steps that lead nowhere: what meets is what touches, or is close. */
static pliant_result meet_within(void *made, uint64_t *hash, float distance)
{
    world *w = made;
    pliant_meetings found;
    pliant_meeting_options options = pliant_meeting_options_default();
    options.distance = distance;
    *hash = 20;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        result = pliant_body_begin_step(w->body[i]);
        result = result == PLIANT_OK && i < FREE ? world_set_model(w, i) : result;
    }
    for (int i = 0; i + 1 < BODIES && result == PLIANT_OK; i++) {
        result = pliant_find_meetings(w->query, w->body[i], w->body[i + 1], &options, &found);
        *hash = result == PLIANT_OK ? 31 * *hash + found.count : 0;
        result = result == PLIANT_OK
                     ? pliant_find_meetings_self(w->query, w->body[i], &options, &found)
                     : result;
        *hash = result == PLIANT_OK ? 31 * *hash + found.count : 0;
    }
    for (int i = 0; i < BODIES; i++) {
        assert_ok(pliant_body_end_step(w->body[i]));
    }
    return result;
}

static pliant_result meetings(void *made, uint64_t *hash)
{
    return meet_within(made, hash, 0.0f);
}

static pliant_result approaches(void *made, uint64_t *hash)
{
    return meet_within(made, hash, 0.05f);
}

/* A free body goes from far away to where it is, or as far as that is free. */
static pliant_result free_time(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_free_time found, self;
    pliant_advance advance;
    pliant_body *two[2] = {w->body[FREE], w->body[MODEL_BLENDED]};
    size_t numbers = 3 * (size_t)world_cases[FREE].mesh.vertex_count;
    float *away = malloc(numbers * sizeof *away);
    for (size_t i = 0; i < numbers; i++) {
        away[i] = world_cases[FREE].positions[i] + 9.0f;
    }
    pliant_result result = pliant_body_share_positions(two[0], away, 0);
    result = result == PLIANT_OK ? pliant_body_begin_step(two[0]) : result;
    result = result == PLIANT_OK
                 ? pliant_body_share_positions(two[0], world_cases[FREE].positions, 0)
                 : result;
    result = result == PLIANT_OK ? pliant_find_free_time(w->query, two[0], two[1], NULL, &found)
                                 : result;
    result =
        result == PLIANT_OK ? pliant_find_free_time_self(w->query, two[0], NULL, &self) : result;
    result = result == PLIANT_OK ? pliant_advance_bodies(w->query, two, 2, NULL, &advance) : result;
    *hash = 22;
    if (result == PLIANT_OK) {
        *hash = hash_bytes(*hash, &found.time, sizeof found.time);
        *hash = hash_bytes(*hash, &self.time, sizeof self.time);
        *hash = hash_bytes(*hash, &advance.time, sizeof advance.time);
    }
    assert_ok(pliant_body_end_step(two[0]));
    assert_ok(pliant_body_share_positions(two[0], world_cases[FREE].positions, 0));
    free(away);
    return result;
}

static pliant_result collide_proxies(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 9;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i + 1 < BODIES && result == PLIANT_OK; i++) {
        pliant_proxy_contacts found;
        result = pliant_collide_proxies(w->query, w->body[i], w->body[i + 1], NULL, &found);
        if (result == PLIANT_OK) {
            *hash = hash_bytes(*hash, &found.count, sizeof found.count);
        }
    }
    return result;
}

static pliant_result cast_rays(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_ray rays[8];
    pliant_ray_hit hits[9];
    for (int i = 0; i < 8; i++) {
        rays[i] =
            (pliant_ray){{-9.0f, 0.1f * (float)i, 0.2f}, {1.0f, 0.01f * (float)i, 0.0f}, INFINITY};
    }
    pliant_result result = pliant_raycast_many(w->query, w->body[FREE], rays, 8, hits);
    result = result == PLIANT_OK
                 ? pliant_raycast(w->query, w->body[MODEL_MODES], &rays[0], &hits[8])
                 : result;
    pliant_ray_hits all = {.count = 0};
    result = result == PLIANT_OK ? pliant_raycast_all(w->query, w->body[OTHER_FREE], rays, 8, &all)
                                 : result;
    *hash = 10 + all.count;
    for (int i = 0; i < 9 && result == PLIANT_OK; i++) {
        *hash = hash_bytes(*hash, &hits[i].t, sizeof hits[i].t);
    }
    return result;
}

static pliant_result find_near(void *made, uint64_t *hash)
{
    world *w = made;
    const float point[3] = {1.0f, 2.0f, 3.0f};
    const pliant_box box = {{-0.4f, -0.4f, -0.4f}, {0.6f, 0.6f, 0.6f}};
    pliant_closest closest;
    const uint32_t *triangles = NULL;
    uint64_t count = 0;
    pliant_result result =
        pliant_find_closest_point(w->query, w->body[MODEL_COMPOSED], point, INFINITY, &closest);
    result = result == PLIANT_OK
                 ? pliant_overlap_box(w->query, w->body[FREE], &box, &triangles, &count)
                 : result;
    if (result == PLIANT_OK) {
        *hash = hash_bytes(11, &closest.distance, sizeof closest.distance);
        *hash = hash_bytes(*hash, triangles, (size_t)count * sizeof *triangles);
    }
    return result;
}

static bool count_bound(void *user, const pliant_bound *bound)
{
    uint64_t *hash = user;
    *hash = hash_bytes(*hash, &bound->triangle_count, sizeof bound->triangle_count);
    return true;
}

/* More points than one task takes, so that the workers share them. */
static pliant_result measure_distances(void *made, uint64_t *hash)
{
    enum { POINTS = 1100 };
    static float points[POINTS][3];
    static pliant_signed_distance distances[POINTS];
    static pliant_closest closest[POINTS];
    world *w = made;
    uint16_t group = 0;
    for (int i = 0; i < 3 * POINTS; i++) {
        points[i / 3][i % 3] = (float)((i * 7919) % 997) / 400.0f - 1.2f;
    }
    *hash = 12;
    pliant_result result = pliant_shape_get_group(w->shape[FREE], 1, &group);
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        result =
            pliant_measure_distances(w->query, w->body[i], points[0], POINTS, 0, NULL, distances);
        result = result == PLIANT_OK ? pliant_find_closest_points(w->query, w->body[i], points[0],
                                                                  600, 0, 0.5f, closest)
                                     : result;
        for (int j = 0; j < POINTS && result == PLIANT_OK; j++) {
            *hash = hash_bytes(*hash, &distances[j].distance, sizeof distances[j].distance);
        }
    }
    return result;
}

static pliant_result visit_bounds(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 12;
    return pliant_visit_bounds(w->query, w->body[MODEL_COMPOSED], true, count_bound, hash);
}

/* ---------------------------------------------------------------- contours */

static uint64_t hash_contours(uint64_t hash, const pliant_contour_set *set)
{
    hash = hash_bytes(hash, &set->length, sizeof set->length);
    for (uint64_t i = 0; i < set->region_count; i++) {
        double sizes[] = {set->regions[i].area, set->regions[i].depth};
        hash = hash_bytes(hash, sizes, sizeof sizes);
    }
    return hash;
}

static pliant_result find_contours(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_contour_options options = pliant_contour_options_default();
    pliant_contour_set set = {.length = 0.0};
    options.gradients = true;
    *hash = 18;
    pliant_result result =
        pliant_contours_find(w->contours, w->body[FREE], w->body[MODEL_BLENDED], &options, &set);
    *hash = result == PLIANT_OK ? hash_contours(*hash, &set) : 0;
    result = result == PLIANT_OK
                 ? pliant_contours_find_self(w->contours, w->body[MODEL_COMPOSED], &options, &set)
                 : result;
    *hash = result == PLIANT_OK ? hash_contours(*hash, &set) : 0;
    return result;
}

static const failing_call calls[] = {
    {"make objects", make_objects},
    {"copy shapes", copy_shapes},
    {"borrow a shape", borrow_shape},
    {"look at a shape", look_at_shape},
    {"set positions", set_positions},
    {"body: set state", set_state},
    {"share positions", share_positions},
    {"set coordinates and transforms", set_models},
    {"set world transforms", set_worlds},
    {"set matrices", set_matrices},
    {"set updates and prepare", set_updates},
    {"collide", collide},
    {"collide self", collide_self},
    {"within", within},
    {"within one body", within_self},
    {"features", features},
    {"features of one body", features_self},
    {"meetings", meetings},
    {"meetings within a distance", approaches},
    {"free time", free_time},
    {"collide proxies", collide_proxies},
    {"rays", cast_rays},
    {"closest point and box", find_near},
    {"distances", measure_distances},
    {"visit bounds", visit_bounds},
    {"contours", find_contours},
};

static void every_call_survives(void **state)
{
    (void)state;
    world_try_calls(calls, sizeof calls / sizeof calls[0], fixture_scale() < 0.1 ? 300 : 700);
}

/* A second context: its own allocations fail too. */
static void contexts_survive(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        counting_allocator allocator = {.fail_at = n};
        pliant_context *context = fixture_context(&allocator);
        bool made = context != NULL;
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
        if (made) {
            assert_true(n > 1);
            return;
        }
        assert_non_null(strstr(pliant_last_error(), "no memory for"));
    }
}

/* What is asked after each failure is what brute force finds. */
static void the_answer_is_right(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    world *w = world_create(&allocator);
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_collide(w->scene, NULL, &contacts));
    brute_body body[BODIES];
    for (int i = 0; i < BODIES; i++) {
        body[i] = model_case_brute(&world_cases[i]);
        body[i].positions = world_positions(w, i);
    }
    uint32_t touching = 0;
    for (uint32_t p = 0; p < contacts.body_pair_count; p++) {
        const pliant_scene_pair *pair = &contacts.bodies[p];
        uint32_t a = pair->a.index, b = pair->b.index;
        brute_pairs expected = {NULL, 0, 0};
        if (a == b) {
            brute_collide_self(&body[a], world_cases[a].mesh.positions,
                               PLIANT_NEIGHBOURS_BEYOND_SHARED, &expected);
        } else {
            brute_collide(&body[a], &body[b], &expected);
            touching++;
        }
        pliant_contacts part = {.pairs = contacts.pairs + pair->first, .count = pair->count};
        assert_true(brute_equal(&expected, &part, "after failures"));
        brute_free(&expected);
    }
    assert_int_equal(touching, BODIES * (BODIES - 1) / 2); /* all bodies lie in one place */
    for (int i = 0; i < BODIES; i++) {
        free((void *)body[i].positions);
    }
    world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_survive),
        cmocka_unit_test(the_answer_is_right),
        cmocka_unit_test(every_call_survives),
    };
    return cmocka_run_group_tests(tests, world_set_up, world_tear_down);
}
