/* Torn bodies and memory: allocations that fail, trees that are built anew between tears, and many
   edits. */
#include "torn_mesh.h"

#include "body/body.h"
#include "shape/tearing.h"

#include <stdlib.h>

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

/* Tears and new trees in turn: each takes the place of what was there before. */
static void trees_in_turn_need_no_more_memory(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    rng r;
    rng_seed(&r, 17);
    torn_mesh m;
    torn_mesh_create(&m, context, TORN_PIECES, &r);
    pliant_shape *shape = torn_mesh_make_whole(&m);
    pliant_body_def def = pliant_body_def_default();
    def.rebuild = PLIANT_REBUILD_AUTO;
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, &def, &body));
    uint64_t most = 0;
    for (uint32_t i = 0; i < 30; i++) {
        pliant_tear tear = {.removed = &m.number[2 * i], .removed_count = 1};
        pli_body_ask_rebuild(body);
        assert_ok(pliant_body_set_positions(body, m.positions, 0));
        if (i % 3 > 0) { /* with the next state, or with the tear */
            assert_ok(pliant_body_set_positions(body, m.positions, 0));
        }
        assert_ok(pliant_body_tear(body, &tear));
        most = i < 6 && allocator.live_bytes > most ? allocator.live_bytes : most;
        assert_true(allocator.live_bytes <= most);
    }
    pliant_body_quality quality;
    assert_ok(pliant_body_get_quality(body, &quality));
    assert_int_equal(quality.rebuilds, 30);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    torn_mesh_destroy(&m);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
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

/* The list of each cluster has room for 16 more vertices, so a crack that splits 16 in each cluster
   moves no list. Moving them takes time in proportion to the whole mesh. */
static void a_crack_moves_no_lists(void **state)
{
    (void)state;
    enum { ROOM = 16 };
    rng r;
    rng_seed(&r, 18);
    torn_mesh m;
    torn_mesh_create(&m, test_context, TORN_SHEET, &r);
    m.tree = pliant_shape_def_default(); /* clusters of many triangles */
    pliant_shape *shape = torn_mesh_make_whole(&m);
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_ok(pliant_body_tear(body, &(pliant_tear){.removed_count = 0}));
    const pli_tearing *tearing = body->shape->tearing;
    const uint32_t *lists = tearing->lists.data;
    uint32_t *torn = calloc(tearing->clusters.count, sizeof *torn), full = 0, copy = m.vertex_count;
    for (uint32_t t = 0; t < m.triangle_count; t++) {
        uint32_t *count = &torn[tearing->cluster_of.data[tearing->slot_of.data[t] / 16]];
        if (*count == ROOM) {
            continue;
        }
        full += ++*count == ROOM;
        pliant_torn_corner corner = {t, copy++};
        pliant_tear tear = {.split = &m.triangles[3 * (size_t)t],
                            .split_count = 1,
                            .corners = &corner,
                            .corner_count = 1};
        assert_ok(pliant_body_tear(body, &tear));
        assert_ptr_equal(body->shape->tearing, tearing);
        assert_ptr_equal(tearing->lists.data, lists);
    }
    assert_true(full > 0);
    free(torn);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    torn_mesh_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_allocations_change_nothing),
        cmocka_unit_test(torn_bodies_are_built_anew),
        cmocka_unit_test(trees_in_turn_need_no_more_memory),
        cmocka_unit_test(bodies_at_rest_stay_there),
        cmocka_unit_test(many_edits_need_little_memory),
        cmocka_unit_test(a_crack_moves_no_lists),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, test_query_tear_down);
}
