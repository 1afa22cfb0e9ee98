/* Tearing as a call: what is refused, what is left when memory runs out, what other objects see. */
#include "torn_mesh.h"

#include "body/body.h"

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

/* ------------------------------------------------------------ memory */

static uint64_t fingerprint(pliant_query *query, pliant_body *body)
{
    pliant_contacts contacts;
    assert_ok(pliant_collide_self(query, body, NULL, &contacts));
    uint64_t hash = contacts.count + pliant_shape_get_vertex_count(pliant_body_get_shape(body));
    for (uint64_t i = 0; i < contacts.count; i++) {
        hash = (hash ^ contacts.pairs[i].a) * 1099511628211u;
        hash = (hash ^ contacts.pairs[i].b) * 1099511628211u;
    }
    return hash;
}

/* Whichever allocation fails, of the first tear, of a later one or of one while a tree is being
   built, which goes on without it: nothing has changed, and the same tear succeeds afterwards. */
static void failed_allocations_change_nothing(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint32_t later = 0; later < 3; later++) {
        bool reached = true;
        for (uint64_t at = 0; reached; at++) {
            counting_allocator allocator = {0};
            pliant_context *context = fixture_context(&allocator);
            rng r;
            rng_seed(&r, 11);
            torn_mesh m;
            torn_mesh_create(&m, context, TORN_SHEET, &r);
            pliant_shape *shape = torn_mesh_make_whole(&m);
            pliant_body *body = NULL;
            pliant_query *query = NULL;
            assert_ok(pliant_query_create(context, &query));
            pliant_body_def def = pliant_body_def_default();
            def.rebuild = later == 2 ? PLIANT_REBUILD_AUTO : PLIANT_REBUILD_NEVER;
            assert_ok(pliant_body_create(shape, &def, &body));
            torn_mesh_move(&m, &r);
            assert_ok(pliant_body_set_positions(body, m.positions, 0));
            for (uint32_t i = 0; i < 8 * later; i++) {
                torn_mesh_tear(&m, body, &r);
            }
            pli_body_ask_rebuild(body);
            assert_ok(pliant_body_set_positions(body, m.positions, 0));
            /* Enough copies at one place that its cluster needs more room, and so do all lists. */
            enum { COPIES = 60 };
            uint32_t split[COPIES], count = 0;
            pliant_torn_corner corners[COPIES];
            for (uint32_t i = 0; i < m.left_count && count < COPIES; i++) {
                uint32_t t = m.number[i];
                split[count] = m.triangles[3 * (size_t)t];
                corners[count] = (pliant_torn_corner){t, m.vertex_count + count};
                count++;
            }
            pliant_tear tear = {
                .split = split, .split_count = count, .corners = corners, .corner_count = count};
            uint64_t before = fingerprint(query, body);
            allocator.fail_at = at == 0 ? 0 : allocator.calls + at;
            pliant_result result = pliant_body_tear(body, &tear);
            reached = allocator.calls >= allocator.fail_at;
            allocator.fail_at = 0;
            if (result != PLIANT_OK) {
                assert_int_equal(result, PLIANT_ERROR_OUT_OF_MEMORY);
                assert_int_equal(fingerprint(query, body), before);
                assert_ok(pliant_body_tear(body, &tear));
            }
            uint64_t after = fingerprint(query, body);
            expected = at == 0 ? after : expected;
            assert_int_equal(after, expected);
            pliant_query_destroy(query);
            pliant_body_destroy(body);
            pliant_shape_destroy(shape);
            torn_mesh_destroy(&m);
            pliant_context_destroy(context);
            assert_int_equal(allocator.live, 0);
        }
    }
}

/* A tree that is being built is taken into use before a tear, or none would ever be where every
   state is torn. */
static void torn_bodies_are_built_anew(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 14);
    torn_mesh m;
    torn_mesh_create(&m, test_context, TORN_SHEET, &r);
    pliant_shape *shape = torn_mesh_make_whole(&m);
    pliant_body_def def = pliant_body_def_default();
    def.rebuild = PLIANT_REBUILD_AUTO;
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, &def, &body));
    for (uint32_t i = 0; i < 6; i++) {
        pliant_body_quality quality;
        pli_body_ask_rebuild(body);
        torn_mesh_move(&m, &r);
        assert_ok(pliant_body_set_positions(body, m.positions, 0));
        torn_mesh_tear(&m, body, &r);
        assert_ok(pliant_body_get_quality(body, &quality));
        assert_int_equal(quality.rebuilds, i + 1);
        assert_int_equal(body->shape->nodes[0].triangle_count, m.left_count);
    }
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    torn_mesh_destroy(&m);
}

/* A body that was given nothing but a world transform is at rest, torn and built anew as well. */
static void bodies_at_rest_stay_there(void **state)
{
    (void)state;
    static const float rows[12] = {1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, 0};
    rng r;
    rng_seed(&r, 15);
    torn_mesh m;
    torn_mesh_create(&m, test_context, TORN_SPHERE, &r);
    pliant_shape *shape = torn_mesh_make_whole(&m);
    pliant_body_def def = pliant_body_def_default();
    def.rebuild = PLIANT_REBUILD_AUTO;
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, &def, &body));
    for (uint32_t i = 0; i < 4; i++) {
        pliant_state given;
        pliant_box box, expected;
        pli_body_ask_rebuild(body);
        assert_ok(pliant_body_set_world(body, rows));
        if (i % 2 == 1) {
            assert_ok(pliant_body_set_world(body, rows));
        }
        torn_mesh_tear(&m, body, &r);
        assert_ok(pliant_body_get_state(body, &given));
        assert_null(given.positions);
        assert_ok(pliant_body_get_bounds(body, &box));
        pliant_shape *made = torn_mesh_make_anew(&m);
        pliant_body *anew = NULL;
        assert_ok(pliant_body_create(made, NULL, &anew));
        assert_ok(pliant_body_set_world(anew, rows));
        assert_ok(pliant_body_get_bounds(anew, &expected));
        assert_memory_equal(&box, &expected, sizeof box);
        pliant_body_destroy(anew);
        pliant_shape_destroy(made);
        assert_ok(pliant_collide_self(test_query, body, NULL, &(pliant_contacts){0}));
    }
    pliant_body_destroy(body);
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

/*
 * Many edits need no more memory than their vertices: corners go to copies and, by copies of these,
 * on and on; a body of as many vertices made anew would need about as much.
 */
static void many_edits_need_little_memory(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 12);
    torn_mesh m;
    torn_mesh_create(&m, test_context, TORN_SPHERE, &r);
    pliant_shape *shape = torn_mesh_make_whole(&m);
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_ok(pliant_body_set_positions(body, m.positions, 0));
    uint64_t fixed = 0;
    uint32_t edits = fixture_at_least(3000, 100000), vertices = m.vertex_count;
    for (uint32_t i = 0; i < edits; i++) {
        uint32_t t = (uint32_t)rng_below(&r, m.triangle_count), corners[3];
        assert_ok(pliant_shape_get_triangle(pliant_body_get_shape(body), t, corners));
        pliant_torn_corner corner = {t, vertices++};
        pliant_tear tear = {.split = &corners[rng_below(&r, 3)],
                            .split_count = 1,
                            .corners = &corner,
                            .corner_count = 1};
        assert_ok(pliant_body_tear(body, &tear));
        pliant_body_memory memory = pliant_body_get_memory(body);
        uint64_t bytes =
            memory.positions + memory.bounds + pliant_shape_get_memory(pliant_body_get_shape(body));
        fixed = i == 1000 ? bytes : fixed;
        /* 12 bytes twice for positions and 12 for numbers per vertex, and twice that while arrays
           double. */
        assert_true(i < 1000 || bytes <= fixed + 2 * 36 * (uint64_t)vertices);
    }
    pliant_box box, rest;
    assert_ok(pliant_body_get_bounds(body, &box));
    pliant_body *whole = NULL;
    assert_ok(pliant_body_create(shape, NULL, &whole));
    assert_ok(pliant_body_get_bounds(whole, &rest));
    assert_memory_equal(&box, &rest, sizeof box);
    pliant_body_destroy(whole);
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
        cmocka_unit_test(failed_allocations_change_nothing),
        cmocka_unit_test(torn_bodies_are_built_anew),
        cmocka_unit_test(bodies_at_rest_stay_there),
        cmocka_unit_test(tears_at_the_wrong_time_are_refused),
        cmocka_unit_test(many_edits_need_little_memory),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, test_query_tear_down);
}
