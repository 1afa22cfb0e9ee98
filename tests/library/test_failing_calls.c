/*
 * Allocations fail in the calls that are no rows of the table (table/test_failing.c): those that
 * create objects, set several states, record, draw, or return one value. A collide query of a scene
 * follows each failure.
 */
#include "world_of_bodies.h"

#include "pliant/backend.h"
#include "pliant/draw.h"
#include "pliant/recording.h"

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

static pliant_result make_bodies(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_result result = PLIANT_OK;
    *hash = 1;
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        pliant_shape_def def = world_shape_def(i);
        pliant_body_def body_def = pliant_body_def_default();
        pliant_shape *shape = NULL;
        pliant_body *body = NULL;
        def.arity = 2u << i % 3;
        def.sphere_centre = PLIANT_SPHERE_SMALLEST;
        body_def.coherent = i % 2 == 0;
        result = pliant_shape_create(w->context, &def, &shape);
        result = result == PLIANT_OK ? pliant_body_create(shape, &body_def, &body) : result;
        *hash = 31 * *hash + (result == PLIANT_OK ? pliant_shape_get_memory(shape) : 0);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
    }
    return result;
}

static pliant_result make_objects(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_query *query = NULL;
    pliant_scene *scene = NULL;
    pliant_volume *volume = NULL;
    pliant_volume_backend *backend = NULL;
    pliant_volume_backend_def backend_def = pliant_volume_backend_def_default();
    backend_def.name = "none";
    backend_def.cross = find_nothing;
    pliant_contours *contours = NULL;
    pliant_result result = pliant_query_create(w->context, &query);
    result = result == PLIANT_OK ? pliant_scene_create(w->context, NULL, &scene) : result;
    result = result == PLIANT_OK ? pliant_volume_create(w->context, NULL, &volume) : result;
    result = result == PLIANT_OK ? pliant_contours_create(w->context, &contours) : result;
    result = result == PLIANT_OK ? pliant_volume_backend_create(w->context, &backend_def, &backend)
                                 : result;
    *hash = 1;
    pliant_volume_backend_destroy(backend);
    pliant_contours_destroy(contours);
    pliant_volume_destroy(volume);
    pliant_scene_destroy(scene);
    pliant_query_destroy(query);
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

static pliant_result set_state(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 4;
    const pliant_state state = {.positions = world_cases[FREE].positions};
    pliant_result result = pliant_body_set_state(w->body[FREE], &state);
    return result == PLIANT_OK ? ask_bounds(w, FREE, hash) : result;
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

/* ------------------------------------------------------- scenes, recording, drawing */

static pliant_result collide(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_scene_contacts contacts;
    pliant_result result = pliant_scene_collide(w->scene, NULL, &contacts);
    *hash = result == PLIANT_OK ? world_hash_contacts(&contacts) : 0;
    return result;
}

static bool take_all(void *user, const pliant_scene_pair *bodies, const pliant_contacts *contacts)
{
    uint64_t *hash = user;
    *hash = hash_bytes(*hash, &bodies->b.index, sizeof bodies->b.index);
    *hash = hash_bytes(*hash, contacts->pairs, (size_t)contacts->count * sizeof *contacts->pairs);
    return true;
}

/* Pairs that go to a callback: of bodies with groups, and of all with themselves. */
static pliant_result scene_callback(void *made, uint64_t *hash)
{
    world *w = made;
    const uint64_t bits = 1;
    pliant_member_def def = world_member_def(FREE);
    def.groups = (pliant_groups){&bits, 1};
    pliant_scene_options options = pliant_scene_options_default();
    uint64_t given = 3;
    options.callback = take_all;
    options.callback_user = &given;
    pliant_result result = pliant_scene_set_member(w->scene, w->id[FREE], &def);
    result = result == PLIANT_OK ? pliant_scene_collide(w->scene, &options, NULL) : result;
    options.only_self = true;
    result = result == PLIANT_OK ? pliant_scene_collide(w->scene, &options, NULL) : result;
    *hash = given;
    return result;
}

static pliant_result get_boxes(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_box boxes[BODIES];
    pliant_result result = pliant_scene_get_boxes(w->scene, w->id, BODIES, boxes);
    if (result == PLIANT_OK) {
        *hash = hash_bytes(17, boxes, sizeof boxes);
    }
    return result;
}

static pliant_result add_member(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_body *body = NULL;
    pliant_body_id id;
    pliant_result result = pliant_body_create(w->shape[FREE], NULL, &body);
    result = result == PLIANT_OK ? pliant_scene_add(w->scene, body, NULL, &id) : result;
    if (result == PLIANT_OK) {
        *hash = id.index;
        assert_ok(pliant_scene_remove(w->scene, id));
    }
    pliant_body_destroy(body);
    return result;
}

static pliant_state state_of(int i)
{
    const model_case *c = &world_cases[i];
    if (i >= FREE) {
        return (pliant_state){.positions = c->positions};
    }
    return (pliant_state){.coordinates = c->model.mode_count > 0 ? c->coordinates : NULL,
                          .coordinate_count = c->model.mode_count,
                          .transforms = c->model.joint_count > 0 ? c->transforms : NULL,
                          .transform_count = c->model.joint_count};
}

static pliant_result set_states(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_scene_state states[BODIES];
    for (int i = 0; i < BODIES; i++) {
        states[i] = (pliant_scene_state){w->id[i], state_of(i)};
    }
    pliant_result result = pliant_scene_set_states(w->scene, states, BODIES);
    return result == PLIANT_OK ? collide(made, hash) : result;
}

static pliant_result begin_steps(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_member_def def;
    pliant_scene_meetings found;
    pliant_result result = pliant_scene_get_member(w->scene, w->id[FREE], &def);
    result = result == PLIANT_OK ? pliant_scene_begin_step(w->scene) : result;
    result = result == PLIANT_OK ? pliant_scene_find_meetings(w->scene, NULL, &found) : result;
    *hash = result == PLIANT_OK ? world_hash_pairs(found.bodies, found.body_pair_count) : 0;
    for (int i = 0; i < BODIES; i++) {
        assert_ok(pliant_body_end_step(w->body[i]));
    }
    return result;
}

static bool swallow(void *user, const void *bytes, uint64_t size)
{
    (void)bytes;
    *(uint64_t *)user += size;
    return true;
}

/* A recording without memory ends, and stopping it returns that error. The query succeeds. */
static pliant_result record_scene(void *made, uint64_t *hash)
{
    world *w = made;
    uint64_t written = 0;
    pliant_recording_options options = pliant_recording_options_default();
    options.write = swallow;
    options.write_user = &written;
    pliant_result result = pliant_scene_record(w->scene, &options);
    if (result != PLIANT_OK) {
        return result;
    }
    result = collide(made, hash);
    pliant_result stopped = pliant_scene_stop_recording(w->scene);
    if (stopped == PLIANT_ERROR_STATE && strstr(pliant_last_error(), "have no tears") != NULL) {
        stopped = PLIANT_OK; /* the recording ended there, but the scene answers */
    }
    return result == PLIANT_OK ? stopped : result;
}

static void count_box(void *user, const pliant_draw_item *item, const pliant_box *box)
{
    (void)box;
    *(uint64_t *)user += item->level + 1;
}

static void count_triangle(void *user, const pliant_draw_item *item,
                           const pliant_triangle *triangle)
{
    (void)triangle;
    *(uint64_t *)user += item->triangle;
}

static pliant_result draw(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_draw_options options = pliant_draw_options_default();
    pliant_drawer drawer = {.draw_box = count_box, .draw_triangle = count_triangle, .user = hash};
    pliant_scene_contacts contacts;
    pliant_contacts pairs;
    options.bounds = options.refresh = true;
    *hash = 0;
    pliant_result result = pliant_draw_body(w->query, w->body[FREE], &options, &drawer);
    result = result == PLIANT_OK ? pliant_draw_scene(w->scene, &options, &drawer) : result;
    result = result == PLIANT_OK ? pliant_scene_collide(w->scene, NULL, &contacts) : result;
    result = result == PLIANT_OK
                 ? pliant_draw_scene_contacts(w->scene, &contacts, &options, &drawer)
                 : result;
    result = result == PLIANT_OK
                 ? pliant_collide(w->query, w->body[FREE], w->body[OTHER_FREE], NULL, &pairs)
                 : result;
    return result == PLIANT_OK
               ? pliant_draw_contacts(w->body[FREE], w->body[OTHER_FREE], &pairs, &options, &drawer)
               : result;
}

/* ------------------------------------------------------------ queries, volumes */

static bool count_bound(void *user, const pliant_bound *bound)
{
    uint64_t *hash = user;
    *hash = hash_bytes(*hash, &bound->triangle_count, sizeof bound->triangle_count);
    return true;
}

static pliant_result visit_bounds(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 12;
    return pliant_visit_bounds(w->query, w->body[MODEL_COMPOSED], true, count_bound, hash);
}

/* Queries of one ray and of one point. */
static pliant_result ask_once(void *made, uint64_t *hash)
{
    world *w = made;
    const float point[3] = {1.0f, 2.0f, 3.0f};
    const pliant_ray ray = {{-9.0f, 0.1f, 0.2f}, {1.0f, 0.01f, 0.0f}, INFINITY};
    pliant_ray_hit hit;
    pliant_closest closest;
    uint16_t group = 0;
    pliant_result result = pliant_raycast(w->query, w->body[MODEL_MODES], &ray, &hit);
    result = result == PLIANT_OK ? pliant_find_closest_point(w->query, w->body[MODEL_COMPOSED],
                                                             point, INFINITY, &closest)
                                 : result;
    result = result == PLIANT_OK ? pliant_shape_get_group(w->shape[FREE], 1, &group) : result;
    *hash = group;
    if (result == PLIANT_OK) {
        *hash = hash_bytes(*hash, &hit.t, sizeof hit.t);
        *hash = hash_bytes(*hash, &closest.distance, sizeof closest.distance);
    }
    return result;
}

static pliant_result measure_volumes(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_volume_options options = pliant_volume_options_default();
    const float points[6] = {0.1f, 0.1f, 0.1f, 2.0f, 0.0f, 0.0f};
    pliant_volume_measure measure;
    pliant_volume_point located[2];
    options.resolution = 16;
    options.allow_open = options.spans = options.gradients = true;
    *hash = 16;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        result = pliant_volume_measure_body(w->volume, w->body[i], &options, &measure);
        result = result == PLIANT_OK ? pliant_volume_locate_points(w->volume, w->body[i], points, 2,
                                                                   0, &options, located, NULL)
                                     : result;
        if (result == PLIANT_OK) {
            const int32_t winding[2] = {located[0].winding, located[1].winding};
            *hash = hash_bytes(*hash, winding, sizeof winding);
            *hash = hash_bytes(*hash, &measure.volume, sizeof measure.volume);
        }
    }
    return result;
}

static const failing_call calls[] = {
    {"make bodies", make_bodies},
    {"make objects", make_objects},
    {"copy shapes", copy_shapes},
    {"borrow a shape", borrow_shape},
    {"look at a shape", look_at_shape},
    {"body: set state", set_state},
    {"set world transforms", set_worlds},
    {"set matrices", set_matrices},
    {"set updates and prepare", set_updates},
    {"scene: callback and groups", scene_callback},
    {"scene: boxes of bodies", get_boxes},
    {"scene: add and remove", add_member},
    {"scene: set states", set_states},
    {"scene: begin steps", begin_steps},
    {"scene: recording", record_scene},
    {"drawing", draw},
    {"visit bounds", visit_bounds},
    {"one ray, one point", ask_once},
    {"volumes", measure_volumes},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_survive),
        cmocka_unit_test(every_call_survives),
    };
    return cmocka_run_group_tests(tests, world_set_up, world_tear_down);
}
