/*
 * T10 for the public calls about contexts, shapes and bodies, cold and warm. What is asked after
 * each failure is everything that touches in a scene of bodies of all kinds, which is compared with
 * brute force.
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

static const failing_call calls[] = {
    {"make objects", make_objects},           {"copy shapes", copy_shapes},
    {"borrow a shape", borrow_shape},         {"look at a shape", look_at_shape},
    {"set positions", set_positions},         {"body: set state", set_state},
    {"share positions", share_positions},     {"set coordinates and transforms", set_models},
    {"set world transforms", set_worlds},     {"set matrices", set_matrices},
    {"set updates and prepare", set_updates},
};

static void every_call_survives(void **state)
{
    (void)state;
    world_try_calls(calls, sizeof calls / sizeof calls[0], fixture_scale() < 0.1 ? 150 : 350);
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
