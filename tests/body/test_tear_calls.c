/* Tearing as a call: what is refused, when, and what other objects see. */
#include "torn_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ refusals */

static void refuse(pliant_body *body, pliant_tear tear, pliant_result result, const char *sentence)
{
    uint64_t before = pliant_body_get_memory(body).bounds;
    const pliant_shape *shape = pliant_body_get_shape(body);
    uint32_t vertices = pliant_shape_get_vertex_count(shape);
    assert_int_equal(pliant_body_tear(body, &tear), result);
    if (strstr(pliant_last_error(), sentence) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", sentence, pliant_last_error());
    }
    assert_ptr_equal(pliant_body_get_shape(body), shape);
    assert_int_equal(pliant_shape_get_vertex_count(shape), vertices);
    assert_int_equal(pliant_body_get_memory(body).bounds, before);
}

static void bad_tears_are_refused(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 5);
    torn_mesh m;
    torn_mesh_create(&m, test_context, TORN_SHEET, &r);
    pliant_shape *shape = torn_mesh_make_whole(&m);
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, NULL, &body));
    uint32_t n = m.vertex_count, far = m.triangle_count, vertex = m.triangles[0];
    const uint32_t twice[2] = {7, 7};
    const uint32_t first = 0;
    for (int torn = 0; torn < 2; torn++) {
        refuse(body, (pliant_tear){.removed_count = 1}, PLIANT_ERROR_ARGUMENT, "removed is NULL");
        refuse(body, (pliant_tear){.split_count = 2}, PLIANT_ERROR_ARGUMENT, "split is NULL");
        refuse(body, (pliant_tear){.corner_count = 2}, PLIANT_ERROR_ARGUMENT, "corners is NULL");
        refuse(body, (pliant_tear){.added_count = 3}, PLIANT_ERROR_ARGUMENT,
               "triangles cannot be added");
        refuse(body, (pliant_tear){.removed = &far, .removed_count = 1}, PLIANT_ERROR_RANGE,
               "entry 0 is triangle 512 of 512");
        refuse(body, (pliant_tear){.removed = twice, .removed_count = 2}, PLIANT_ERROR_ARGUMENT,
               "triangle 7 once more");
        refuse(body, (pliant_tear){.split = &n, .split_count = 1}, PLIANT_ERROR_RANGE,
               "split: entry 0 is vertex");
        uint32_t copies = pliant_shape_get_vertex_count(pliant_body_get_shape(body));
        const uint32_t wrong = copies + 1, both[2] = {vertex, vertex + 1};
        const uint32_t alike[2] = {copies, copies};
        refuse(body, (pliant_tear){.split = &vertex, .split_count = 1, .welded = &wrong},
               PLIANT_ERROR_ARGUMENT, "welded: entry 0");
        refuse(body, (pliant_tear){.split = both, .split_count = 2, .welded = alike},
               PLIANT_ERROR_ARGUMENT, "which are not welded");
        const pliant_torn_corner corners[] = {{far, copies}, {0, copies + 1}, {0, 0}, {99, copies}};
        static const char *const sentences[] = {"of triangle 512 of 512", "goes to vertex",
                                                "goes to vertex", "has no corner at vertex"};
        for (int i = 0; i < 4; i++) {
            refuse(
                body,
                (pliant_tear){
                    .split = &vertex, .split_count = 1, .corners = &corners[i], .corner_count = 1},
                i == 3 ? PLIANT_ERROR_ARGUMENT : PLIANT_ERROR_RANGE, sentences[i]);
        }
        const pliant_torn_corner moved[2] = {{0, copies}, {0, copies}};
        refuse(
            body,
            (pliant_tear){.split = &vertex, .split_count = 1, .corners = moved, .corner_count = 2},
            PLIANT_ERROR_ARGUMENT, "or had it moved already");
        refuse(body,
               (pliant_tear){.removed = &first,
                             .removed_count = 1,
                             .split = &vertex,
                             .split_count = 1,
                             .corners = moved,
                             .corner_count = 1},
               PLIANT_ERROR_ARGUMENT, "which is removed");
        if (torn == 0) {
            assert_ok(pliant_body_tear(body, &(pliant_tear){.added_count = 0}));
            assert_ptr_not_equal(pliant_body_get_shape(body), shape);
        }
        torn_mesh_check_tree(&m, pliant_body_get_shape(body));
        n = pliant_shape_get_vertex_count(pliant_body_get_shape(body));
    }
    const uint32_t gone = 3;
    const pliant_tear removes = {.removed = &gone, .removed_count = 1};
    assert_ok(pliant_body_tear(body, &removes));
    refuse(body, removes, PLIANT_ERROR_ARGUMENT, "triangle 3, which was removed before");
    uint32_t corners[3];
    const pliant_shape *own = pliant_body_get_shape(body);
    assert_int_equal(pliant_shape_get_triangle(own, 3, corners), PLIANT_ERROR_RANGE);
    assert_ok(pliant_shape_get_triangle(own, 4, corners));
    uint64_t size = 0;
    assert_int_equal(pliant_shape_write(own, NULL, 0, &size), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_shape_validate(own), PLIANT_ERROR_STATE);
    uint32_t *order = malloc(n * sizeof *order);
    bool *seen = calloc(n, sizeof *seen);
    assert_ok(pliant_shape_get_vertex_order(own, order));
    for (uint32_t i = 0; i < n; i++) {
        assert_true(order[i] < n && !seen[order[i]]);
        seen[order[i]] = true;
    }
    free(order);
    free(seen);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    torn_mesh_destroy(&m);
}

/* A triangle with one joint, or with one mode. */
static void other_kinds_are_refused(void **state)
{
    (void)state;
    static const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, field[9] = {0, 0, 1};
    static const uint32_t triangle[3] = {0, 1, 2};
    for (int kind = 0; kind < 2; kind++) {
        pliant_shape_def def = pliant_shape_def_default();
        def.positions = positions;
        def.vertex_count = 3;
        def.triangles = triangle;
        def.triangle_count = 1;
        def.joint_count = kind == 0 ? 1 : 0;
        def.mode_count = kind == 0 ? 0 : 1;
        def.modes = kind == 0 ? NULL : field;
        pliant_shape *shape = NULL;
        pliant_body *body = NULL;
        assert_ok(pliant_shape_create(test_context, &def, &shape));
        assert_ok(pliant_body_create(shape, NULL, &body));
        refuse(body, (pliant_tear){0}, PLIANT_ERROR_ARGUMENT, "only free bodies can be torn");
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
    }
}

/* ------------------------------------------------------------ what others see */

/* A body that is made of the shape of a torn one keeps it; steps are given up; scenes follow. */
static void others_are_left_alone(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 6);
    torn_mesh m;
    torn_mesh_create(&m, test_context, TORN_SPHERE, &r);
    pliant_shape *shape = torn_mesh_make_whole(&m);
    pliant_body *torn = NULL, *other = NULL;
    assert_ok(pliant_body_create(shape, NULL, &torn));
    pliant_scene *scene = NULL;
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    pliant_member_def how = pliant_member_def_default();
    how.self = true;
    pliant_body_id id;
    assert_ok(pliant_scene_add(scene, torn, &how, &id));
    assert_true(pliant_shape_is_closed(pliant_body_get_shape(torn)));
    torn_mesh_move(&m, &r);
    assert_ok(pliant_body_begin_step(torn));
    assert_ok(pliant_body_set_positions(torn, m.positions, 0));
    torn_mesh_remove(&m, torn, 5, &r);
    assert_false(pliant_shape_is_closed(pliant_body_get_shape(torn)));
    const pliant_shape *kept = pliant_body_get_shape(torn);
    assert_ok(pliant_body_create(kept, NULL, &other));
    pliant_meetings meetings;
    assert_ok(pliant_find_meetings_self(test_query, torn, NULL, &meetings)); /* it stands still */
    pliant_scene_contacts contacts;
    pliant_contacts alone;
    for (int i = 0; i < 4; i++) {
        torn_mesh_tear(&m, torn, &r);
        torn_mesh_check_tree(&m, pliant_body_get_shape(torn));
        assert_ptr_not_equal(pliant_body_get_shape(torn), kept);
        assert_ok(pliant_scene_collide(scene, NULL, &contacts));
        pliant_shape *made = torn_mesh_make_anew(&m);
        pliant_body *anew = NULL;
        assert_ok(pliant_body_create(made, NULL, &anew));
        assert_ok(pliant_body_set_positions(anew, m.positions, 0));
        assert_ok(pliant_collide_self(test_query, anew, NULL, &alone));
        assert_int_equal(contacts.count, alone.count);
        pliant_body_destroy(anew);
        pliant_shape_destroy(made);
    }
    uint32_t vertices = pliant_shape_get_vertex_count(kept);
    assert_int_equal(vertices, pliant_shape_get_vertex_count(shape));
    pliant_box box;
    assert_ok(pliant_body_get_bounds(other, &box));
    pliant_body_destroy(other);
    pliant_scene_destroy(scene);
    pliant_body_destroy(torn);
    pliant_shape_destroy(shape);
    torn_mesh_destroy(&m);
}

/* The pair that a query remembers may have been removed since. */
static void removed_pairs_are_not_remembered(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 8);
    torn_mesh m;
    torn_mesh_create(&m, test_context, TORN_SPHERE, &r);
    pliant_shape *shape = torn_mesh_make_whole(&m);
    pliant_body *torn = NULL, *other = NULL;
    assert_ok(pliant_body_create(shape, NULL, &torn));
    assert_ok(pliant_body_create(shape, NULL, &other));
    pliant_collide_options options = pliant_collide_options_default();
    options.mode = PLIANT_COLLIDE_FIRST;
    pliant_contacts contacts;
    bool *gone = calloc(m.triangle_count, sizeof *gone);
    for (uint32_t i = 0; i < 20; i++) {
        assert_ok(pliant_collide(test_query, torn, other, &options, &contacts));
        assert_int_equal(contacts.count, 1);
        uint32_t found = contacts.pairs[0].a;
        assert_false(gone[found]);
        gone[found] = true;
        pliant_tear tear = {.removed = &found, .removed_count = 1};
        assert_ok(pliant_body_tear(torn, &tear));
    }
    free(gone);
    pliant_body_destroy(torn);
    pliant_body_destroy(other);
    pliant_shape_destroy(shape);
    torn_mesh_destroy(&m);
}

/* ------------------------------------------------------------ order of calls */

static bool tear_inside(void *user, const pliant_contacts *batch)
{
    (void)batch;
    pliant_tear nothing = {.added_count = 0};
    assert_int_equal(pliant_body_tear(user, &nothing), PLIANT_ERROR_STATE);
    return true;
}

static bool tear_inside_scene(void *user, const pliant_scene_pair *bodies,
                              const pliant_contacts *contacts)
{
    (void)bodies;
    return tear_inside(user, contacts);
}

/* While a question about the body or its scene is being answered, and without a valid state. */
static void tears_at_the_wrong_time_are_refused(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 16);
    torn_mesh m;
    torn_mesh_create(&m, test_context, TORN_SPHERE, &r);
    pliant_shape *shape = torn_mesh_make_whole(&m);
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, NULL, &body));
    torn_mesh_move(&m, &r);
    assert_ok(pliant_body_set_positions(body, m.positions, 0));
    pliant_collide_options options = pliant_collide_options_default();
    options.callback = tear_inside;
    options.callback_user = body;
    pliant_contacts contacts;
    assert_ok(pliant_collide_self(test_query, body, &options, &contacts));
    assert_true(contacts.count > 0);
    pliant_scene *scene = NULL;
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    pliant_member_def self = pliant_member_def_default();
    self.self = true;
    assert_ok(pliant_scene_add(scene, body, &self, &(pliant_body_id){0}));
    pliant_scene_options in_scene = pliant_scene_options_default();
    in_scene.callback = tear_inside_scene;
    in_scene.callback_user = body;
    assert_ok(pliant_scene_collide(scene, &in_scene, NULL));
    pliant_scene_destroy(scene);
    /* Shared positions are copied as they are, and looked at by the next question. */
    assert_ok(pliant_body_share_positions(body, m.positions, 0));
    m.positions[3 * (size_t)m.triangles[0]] = (float)NAN;
    assert_int_equal(pliant_collide_self(test_query, body, NULL, &contacts),
                     PLIANT_ERROR_NOT_FINITE);
    pliant_tear nothing = {.added_count = 0};
    assert_int_equal(pliant_body_tear(body, &nothing), PLIANT_ERROR_STATE);
    torn_mesh_move(&m, &r);
    assert_ok(pliant_body_set_positions(body, m.positions, 0));
    assert_ok(pliant_body_tear(body, &nothing));
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    torn_mesh_destroy(&m);
}

static bool write_nowhere(void *user, const void *bytes, uint64_t size)
{
    (void)bytes;
    *(uint64_t *)user += size;
    return true;
}

/* Recordings have no tears: neither while they are made, nor of bodies that were torn before. */
static void recorded_bodies_are_not_torn(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 18);
    torn_mesh m;
    torn_mesh_create(&m, test_context, TORN_SPHERE, &r);
    pliant_shape *shape = torn_mesh_make_whole(&m);
    pliant_body *body = NULL;
    pliant_scene *scene = NULL;
    uint64_t written = 0;
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    assert_ok(pliant_scene_add(scene, body, NULL, &(pliant_body_id){0}));
    pliant_recording_options options = pliant_recording_options_default();
    options.write = write_nowhere;
    options.write_user = &written;
    assert_ok(pliant_scene_record(scene, &options));
    refuse(body, (pliant_tear){.added_count = 0}, PLIANT_ERROR_STATE, "recordings have no tears");
    assert_ok(pliant_scene_stop_recording(scene));
    torn_mesh_remove(&m, body, 3, &r);
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_record(scene, &options));
    assert_ok(pliant_scene_collide(scene, NULL, &contacts)); /* answers are as good */
    assert_false(pliant_scene_is_recording(scene));
    assert_int_equal(pliant_scene_stop_recording(scene), PLIANT_ERROR_STATE);
    assert_non_null(strstr(pliant_last_error(), "recordings have no tears"));
    torn_mesh_remove(&m, body, 3, &r);
    pliant_scene_destroy(scene);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    torn_mesh_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_tears_are_refused),
        cmocka_unit_test(other_kinds_are_refused),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(removed_pairs_are_not_remembered),
        cmocka_unit_test(recorded_bodies_are_not_torn),
        cmocka_unit_test(tears_at_the_wrong_time_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, test_query_tear_down);
}
