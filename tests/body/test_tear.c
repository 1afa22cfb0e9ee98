/*
 * Bodies that are torn. Random programs of states and tears are compared with bodies of shapes that
 * are made anew of what is left: every question about both has the same answer, and the tree of the
 * torn one is sound. Its triangles keep their numbers, so those of the other are translated.
 */
#include "torn_mesh.h"

#include "body/body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ the same answers */

static void compare_pairs(const torn_mesh *m, const pliant_pair *torn, uint64_t torn_count,
                          const pliant_pair *anew, uint64_t anew_count)
{
    assert_int_equal(torn_count, anew_count);
    for (uint64_t i = 0; i < anew_count; i++) {
        assert_int_equal(torn[i].a, m->number[anew[i].a]);
        assert_int_equal(torn[i].b, m->number[anew[i].b]);
    }
}

static void compare_self(const torn_mesh *m, pliant_query *q[2], pliant_body *b[2])
{
    pliant_contacts c[2];
    pliant_collide_options options = pliant_collide_options_default();
    for (int rule = 0; rule < 3; rule++) {
        options.neighbours = (pliant_neighbours)rule;
        for (int i = 0; i < 2; i++) {
            assert_ok(pliant_collide_self(q[i], b[i], &options, &c[i]));
        }
        compare_pairs(m, c[0].pairs, c[0].count, c[1].pairs, c[1].count);
    }
    options.mode = PLIANT_COLLIDE_FIRST; /* what the query remembers may have been removed */
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_collide_self(q[i], b[i], &options, &c[i]));
    }
    assert_int_equal(c[0].count, c[1].count);
    pliant_proximities p[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_find_within_self(q[i], b[i], 0.04f, NULL, &p[i]));
    }
    assert_int_equal(p[0].count, p[1].count);
    for (uint64_t i = 0; i < p[0].count; i++) {
        assert_int_equal(p[0].pairs[i].a, m->number[p[1].pairs[i].a]);
        assert_int_equal(p[0].pairs[i].b, m->number[p[1].pairs[i].b]);
        assert_true(p[0].pairs[i].gap.distance == p[1].pairs[i].gap.distance);
    }
}

/* Faces go by triangles, edges by 3 t + k. */
static uint32_t feature_number(const torn_mesh *m, pliant_feature_kind kind, uint32_t anew, bool b)
{
    bool face = kind == PLIANT_VERTEX_FACE && b;
    return kind == PLIANT_EDGE_EDGE ? 3 * m->number[anew / 3] + anew % 3
           : face                   ? m->number[anew]
                                    : anew;
}

static void compare_features(const torn_mesh *m, pliant_query *q[2], pliant_body *b[2])
{
    pliant_features f[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_find_features_self(q[i], b[i], 0.03f, NULL, &f[i]));
    }
    compare_pairs(m, f[0].crossings, f[0].crossing_count, f[1].crossings, f[1].crossing_count);
    assert_int_equal(f[0].count, f[1].count);
    for (uint64_t i = 0; i < f[0].count; i++) {
        const pliant_feature_pair *torn = &f[0].pairs[i], *anew = &f[1].pairs[i];
        assert_int_equal(torn->kind, anew->kind);
        assert_int_equal(torn->a, feature_number(m, anew->kind, anew->a, false));
        assert_int_equal(torn->b, feature_number(m, anew->kind, anew->b, true));
        assert_memory_equal(torn->vertices, anew->vertices, sizeof torn->vertices);
        assert_true(torn->distance == anew->distance);
    }
}

static void compare_points(const torn_mesh *m, pliant_query *q[2], pliant_body *b[2], rng *r)
{
    enum { COUNT = 12 };
    float points[3 * COUNT];
    pliant_ray rays[COUNT];
    pliant_signed_distance d[2][COUNT];
    pliant_ray_hit hit[2][COUNT];
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3; k++) {
            points[3 * i + k] = (float)rng_range(r, -1.2, 1.2);
            rays[i].origin[k] = (float)rng_range(r, -1.5, 1.5);
            rays[i].direction[k] = (float)rng_range(r, -1.0, 1.0);
        }
        rays[i].t_max = INFINITY;
    }
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_measure_distances(q[i], b[i], points, COUNT, 0, NULL, d[i]));
        assert_ok(pliant_raycast_many(q[i], b[i], rays, COUNT, hit[i]));
    }
    for (int i = 0; i < COUNT; i++) {
        assert_true(d[0][i].distance == d[1][i].distance && d[0][i].side == d[1][i].side &&
                    d[0][i].winding == d[1][i].winding && d[0][i].flags == d[1][i].flags);
        assert_int_equal(d[0][i].closest.triangle, m->number[d[1][i].closest.triangle]);
        uint32_t there = hit[1][i].triangle;
        assert_int_equal(hit[0][i].triangle,
                         there == PLIANT_NO_TRIANGLE ? there : m->number[there]);
    }
    pliant_box box[2];
    const uint32_t *inside[2];
    uint64_t count[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_get_bounds(b[i], &box[i]));
    }
    assert_memory_equal(&box[0], &box[1], sizeof box[0]);
    for (int k = 0; k < 3; k++) {
        box[0].upper[k] = 0.5f * (box[0].lower[k] + box[0].upper[k]);
    }
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_overlap_box(q[i], b[i], &box[0], &inside[i], &count[i]));
    }
    assert_int_equal(count[0], count[1]);
    for (uint64_t i = 0; i < count[0]; i++) {
        assert_int_equal(inside[0][i], m->number[inside[1][i]]);
    }
}

static void compare_contours(const torn_mesh *m, pliant_body *b[2])
{
    pliant_contours *contours[2];
    pliant_contour_set set[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_contours_create(m->context, &contours[i]));
        assert_ok(pliant_contours_find_self(contours[i], b[i], NULL, &set[i]));
    }
    assert_int_equal(set[0].contour_count, set[1].contour_count);
    assert_int_equal(set[0].region_count, set[1].region_count);
    for (uint32_t t = 0; t < m->left_count && set[0].triangle_regions[0] != NULL; t++) {
        assert_int_equal(set[0].triangle_regions[0][m->number[t]], set[1].triangle_regions[0][t]);
    }
    for (int i = 0; i < 2; i++) {
        pliant_contours_destroy(contours[i]);
    }
}

/* A step after the tear: it begins where the body is, copies of vertices too. */
static void compare_step(torn_mesh *m, pliant_query *q[2], pliant_body *b[2], rng *r)
{
    pliant_meetings found[2];
    if (b[0]->positions.first == m->positions) { /* shared ones would have to stay as they are */
        assert_ok(pliant_body_set_positions(b[0], m->positions, 0));
    }
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_begin_step(b[i]));
    }
    torn_mesh_move(m, r);
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_set_positions(b[i], m->positions, 0));
        assert_ok(pliant_find_meetings_self(q[i], b[i], NULL, &found[i]));
    }
    compare_pairs(m, found[0].pairs, found[0].count, found[1].pairs, found[1].count);
}

static void compare_facts(const pliant_body *torn, const pliant_body *anew)
{
    const pliant_shape *a = pliant_body_get_shape(torn), *b = pliant_body_get_shape(anew);
    pliant_shape_quality p = fixture_quality(a), q = fixture_quality(b);
    assert_int_equal(pliant_shape_is_closed(a), pliant_shape_is_closed(b));
    assert_int_equal(p.open_edge_count, q.open_edge_count);
    assert_int_equal(p.component_count, q.component_count);
    assert_int_equal(p.duplicate_triangle_count, q.duplicate_triangle_count);
    assert_int_equal(p.degenerate_triangle_count, q.degenerate_triangle_count);
}

/* ------------------------------------------------------------ programs */

static void compare_all(torn_mesh *m, pliant_query *q[2], pliant_body *torn, rng *r, uint32_t turn)
{
    torn_mesh_check_tree(m, pliant_body_get_shape(torn));
    pliant_shape *shape = torn_mesh_make_anew(m);
    pliant_body *b[2] = {torn, NULL};
    assert_ok(pliant_body_create(shape, NULL, &b[1]));
    assert_ok(pliant_body_set_positions(b[1], m->positions, 0));
    compare_self(m, q, b);
    compare_points(m, q, b, r);
    if (!m->seams) { /* vertices of features go by the lowest, which has another number then */
        compare_features(m, q, b);
        compare_facts(torn, b[1]);
    }
    assert_int_equal(pliant_shape_is_closed(pliant_body_get_shape(torn)),
                     pliant_shape_is_closed(shape));
    if (turn % 3 == 0) {
        compare_contours(m, b);
    }
    if (turn % 3 == 1) {
        compare_step(m, q, b, r);
    }
    pliant_body_destroy(b[1]);
    pliant_shape_destroy(shape);
}

static void give_state(torn_mesh *m, pliant_body *torn, rng *r)
{
    torn_mesh_move(m, r);
    if (rng_below(r, 2)) {
        assert_ok(pliant_body_share_positions(torn, m->positions, 0));
    } else {
        assert_ok(pliant_body_set_positions(torn, m->positions, 0));
    }
}

/* The tree of a torn body is built anew, by the second state from now. */
static void rebuild(torn_mesh *m, pliant_body *torn, rng *r)
{
    pli_body_ask_rebuild(torn);
    give_state(m, torn, r);
    torn_mesh_move(m, r);
    assert_ok(pliant_body_set_positions(torn, m->positions, 0));
    assert_ptr_not_equal(torn->shape, pliant_body_get_shape(torn));
    assert_int_equal(torn->shape->nodes[0].triangle_count, m->left_count);
}

static void run_program(torn_kind kind, uint64_t seed, uint32_t turns)
{
    rng r;
    rng_seed(&r, seed);
    pliant_isa isa = (pliant_isa)(1 + rng_below(&r, 4));
    pliant_context *context = fixture_context_with(isa, 1 + (uint32_t)rng_below(&r, 3));
    torn_mesh m;
    torn_mesh_create(&m, context, kind, &r);
    pliant_query *q[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_query_create(context, &q[i]));
    }
    pliant_shape *shape = torn_mesh_make_whole(&m);
    pliant_body_def def = pliant_body_def_default();
    def.update = (pliant_update)rng_below(&r, 5);
    def.rebuild = (pliant_rebuild)rng_below(&r, 2);
    pliant_body *torn = NULL;
    assert_ok(pliant_body_create(shape, &def, &torn));
    for (uint32_t turn = 0; turn < turns; turn++) {
        if (rng_below(&r, 4) > 0 || turn == 0) {
            give_state(&m, torn, &r);
        }
        uint32_t tears = 1 + (uint32_t)rng_below(&r, 3);
        for (uint32_t i = 0; i < tears; i++) {
            torn_mesh_tear(&m, torn, &r);
        }
        if (def.rebuild == PLIANT_REBUILD_AUTO && rng_below(&r, 2)) {
            rebuild(&m, torn, &r);
        }
        compare_all(&m, q, torn, &r, turn);
    }
    for (int i = 0; i < 2; i++) {
        pliant_query_destroy(q[i]);
    }
    pliant_body_destroy(torn);
    pliant_shape_destroy(shape);
    torn_mesh_destroy(&m);
    pliant_context_destroy(context);
}

static void programs_answer_as_shapes_made_anew(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < fixture_at_least(6, 60); i++) {
        run_program((torn_kind)(i % TORN_KINDS), 700 + i, 6);
    }
}

/* Until one triangle is left: clusters and nodes become empty on the way. */
static void bodies_can_be_torn_to_the_last_triangle(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 42);
    torn_mesh m;
    torn_mesh_create(&m, test_context, TORN_SHEET, &r);
    pliant_shape *shape = torn_mesh_make_whole(&m);
    pliant_body *torn = NULL;
    assert_ok(pliant_body_create(shape, NULL, &torn));
    pliant_query *q[2] = {test_query, NULL};
    assert_ok(pliant_query_create(test_context, &q[1]));
    for (uint32_t turn = 0; m.left_count > 1; turn++) {
        torn_mesh_remove(&m, torn, m.left_count > 60 ? 40 : 1 + (uint32_t)rng_below(&r, 9), &r);
        if (turn % 2 == 0 || m.left_count < 10) {
            give_state(&m, torn, &r);
            compare_all(&m, q, torn, &r, turn);
        }
    }
    const uint32_t last = m.number[0];
    pliant_tear all = {.removed = &last, .removed_count = 1};
    assert_int_equal(pliant_body_tear(torn, &all), PLIANT_ERROR_RANGE);
    assert_non_null(strstr(pliant_last_error(), "at least one must stay"));
    pliant_query_destroy(q[1]);
    pliant_body_destroy(torn);
    pliant_shape_destroy(shape);
    torn_mesh_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_answer_as_shapes_made_anew),
        cmocka_unit_test(bodies_can_be_torn_to_the_last_triangle),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, test_query_tear_down);
}
