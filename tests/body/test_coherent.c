/*
 * Coherent bodies: what their nodes remember must bound the vertices whatever the coordinates did
 * before. Small steps after large ones, paths longer than any float32, parts that no mode moves,
 * and random walks with leaps of all sizes, against bodies that remember nothing and brute force.
 */
#include "models.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "containment.h"

static pliant_body *coherent_body(const pliant_shape *shape)
{
    pliant_body *body = NULL;
    pliant_body_def def = pliant_body_def_default();
    def.coherent = true;
    assert_ok(pliant_body_create(shape, &def, &body));
    return body;
}

/* A body that is one point. */
typedef struct needle {
    pliant_shape *shape;
    pliant_body *body;
} needle;

static needle needle_create(void)
{
    static const float positions[9];
    static const uint32_t triangle[3] = {0, 1, 2};
    needle n;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    assert_ok(pliant_shape_create(test_context, &def, &n.shape));
    assert_ok(pliant_body_create(n.shape, NULL, &n.body));
    return n;
}

static void needle_destroy(needle *n)
{
    pliant_body_destroy(n->body);
    pliant_shape_destroy(n->shape);
}

/* How many triangles of a body touch one of its vertices. */
static uint64_t count_at_vertex(pliant_body *body, uint32_t vertex, const needle *n)
{
    float corners[9];
    pliant_contacts contacts;
    for (int c = 0; c < 3; c++) {
        assert_ok(pliant_body_evaluate(body, &vertex, 1, corners + 3 * c));
    }
    assert_ok(pliant_body_set_positions(n->body, corners, 0));
    assert_ok(pliant_collide(test_query, body, n->body, NULL, &contacts));
    return contacts.count;
}

/* Two triangles that one mode lifts. */
static pliant_shape *create_lift(pliant_bound_kind bound)
{
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0.25f};
    static const float modes[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const uint32_t triangles[] = {0, 1, 2, 1, 3, 2};
    pliant_shape *shape = NULL;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 2;
    def.modes = modes;
    def.mode_count = 1;
    def.bound = bound;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    return shape;
}

/* A leap, back, and so many steps: none of them may be lost in the length of the leap. */
static void check_steps_after_leap(float leap, double step, uint32_t steps)
{
    needle n = needle_create();
    for (int bound = PLIANT_BOUND_BOX; bound <= PLIANT_BOUND_AFFINE; bound++) {
        pliant_shape *shape = create_lift((pliant_bound_kind)bound);
        pliant_body *body = coherent_body(shape);
        float there = leap, back = 0.0f;
        assert_ok(pliant_body_set_coordinates(body, &there, 1));
        assert_int_equal(count_at_vertex(body, 3, &n), 1);
        assert_ok(pliant_body_set_coordinates(body, &back, 1));
        assert_int_equal(count_at_vertex(body, 3, &n), 1);
        for (uint32_t i = 1; i <= steps; i++) {
            float q = (float)(step * i);
            assert_ok(pliant_body_set_coordinates(body, &q, 1));
        }
        assert_int_equal(count_at_vertex(body, 3, &n), 1);
        assert_int_equal(count_at_vertex(body, 0, &n), 1);
        assert_int_equal(containment_of_body(body), 0);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
    }
    needle_destroy(&n);
}

static void no_step_is_lost_after_a_leap(void **state)
{
    (void)state;
    check_steps_after_leap(1e30f, 10.0, 1);
    check_steps_after_leap(1e9f, 1e-7, 100000);
    check_steps_after_leap(1e9f, 1e-5, 30000);
    check_steps_after_leap(1.0f, 1e-17, 1000);
    check_steps_after_leap(1e36f, 1e-30, 1000);
    check_steps_after_leap(1e20f, 0.0, 10);
}

/* Rows of triangles: the first half never moves, the others hardly, however far coordinates go. */
enum { ROW = 130 };

static pliant_shape *create_row(pliant_bound_kind bound)
{
    static float positions[9 * ROW], modes[9 * ROW];
    static uint32_t triangles[3 * ROW];
    for (uint32_t v = 0; v < 3 * ROW; v++) {
        positions[3 * v] = 2.0f * (float)(v / 3) + (v % 3 == 1 ? 1.0f : 0.0f);
        positions[3 * v + 1] = v % 3 == 2 ? 1.0f : 0.0f;
        modes[3 * v + 2] = v / 3 < ROW / 2 ? 0.0f : 1e-41f;
        triangles[v] = v;
    }
    pliant_shape *shape = NULL;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = 3 * ROW;
    def.triangles = triangles;
    def.triangle_count = ROW;
    def.modes = modes;
    def.mode_count = 1;
    def.bound = bound;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    return shape;
}

static void paths_may_be_longer_than_any_number(void **state)
{
    (void)state;
    needle n = needle_create();
    for (int bound = PLIANT_BOUND_BOX; bound <= PLIANT_BOUND_AFFINE; bound++) {
        pliant_shape *shape = create_row((pliant_bound_kind)bound);
        pliant_body *body = coherent_body(shape);
        const float q[] = {0.0f, 3e38f, -3e38f, FLT_MAX, -FLT_MAX, 1e-45f, 0.0f, -1e30f};
        for (size_t i = 0; i < sizeof q / sizeof *q; i++) {
            assert_ok(pliant_body_set_coordinates(body, &q[i], 1));
            for (uint32_t v = 0; v < 3 * ROW; v += i % 2 == 0 ? 1 : 30) {
                assert_int_equal(count_at_vertex(body, v, &n), 1);
            }
            assert_int_equal(containment_of_body(body), 0);
        }
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
    }
    needle_destroy(&n);
}

/* The next coordinates of a walk: mostly a step of some size, now and then a leap, or home. */
static void walk_on(model_case *c, rng *r)
{
    double home = rng_unit(r), most = 36.0 - fmax(log10(c->scale), 0.0);
    double step = pow(10.0, rng_range(r, -12.0, -1.0)), leap = pow(10.0, rng_range(r, -30.0, most));
    uint64_t what = rng_below(r, 12);
    for (uint32_t m = 0; m < c->model.mode_count; m++) {
        float *q = &c->coordinates[m];
        if (what == 0) {
            *q = (float)(leap * rng_range(r, -1.0, 1.0));
        } else if (what <= 2) {
            *q = (float)(home * rng_range(r, -1.0, 1.0));
        } else if (what == 3) {
            *q = rng_below(r, 3) == 0 ? 0.0f : *q;
        } else {
            *q += (float)(step * rng_range(r, -1.0, 1.0));
        }
    }
}

/* One step of a walk: both bodies touch a vertex where brute force does, and nothing else. */
static void check_step(model_case *c, pliant_body *body[2], const needle *n, rng *r)
{
    uint32_t vertex = (uint32_t)rng_below(r, c->mesh.vertex_count);
    gallery_model_evaluate(&c->model, c->mesh.positions, c->mesh.vertex_count, c->coordinates,
                           c->transforms, c->positions);
    const uint32_t corners[3] = {vertex, vertex, vertex};
    brute_body whole = model_case_brute(c), point = whole;
    point.triangles = corners;
    point.triangle_count = 1;
    brute_pairs truth = {0};
    brute_collide(&whole, &point, &truth);
    for (int i = 0; i < 2; i++) {
        model_case_set(c, body[i]);
        assert_int_equal(count_at_vertex(body[i], vertex, n), truth.count);
    }
    assert_true(truth.count > 0);
    brute_free(&truth);
}

static void random_walks_miss_nothing(void **state)
{
    (void)state;
    needle n = needle_create();
    static const double scales[] = {1e-30, 1e-15, 1e-3, 1.0, 1e15, 1e30};
    for (uint32_t round = 0; round < fixture_count(240); round++) {
        rng r;
        rng_seed(&r, 100 + round);
        model_kind kind = rng_below(&r, 2) == 0 ? MODEL_MODES : MODEL_REDUCED;
        model_case c = model_case_create(kind, rng_below(&r, MODEL_TRAITS),
                                         scales[rng_below(&r, 6)], 0.0, 400, &r);
        fixture_tree tree = {PLIANT_PARTITION_BALANCED, 2u << rng_below(&r, 3), 4};
        pliant_shape *shape = model_case_shape(test_context, &c, round % 4, tree);
        pliant_body *body[2] = {coherent_body(shape), NULL};
        assert_ok(pliant_body_create(shape, NULL, &body[1]));
        assert_ok(pliant_body_set_update(body[0], (pliant_update)rng_below(&r, 5), 0, 1));
        for (uint32_t step = 0; step < 60; step++) {
            walk_on(&c, &r);
            check_step(&c, body, &n, &r);
            if (rng_below(&r, 8) == 0) {
                assert_int_equal(containment_of_body(body[0]), 0);
            }
        }
        for (int i = 0; i < 2; i++) {
            pliant_body_destroy(body[i]);
        }
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
    needle_destroy(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_is_lost_after_a_leap),
        cmocka_unit_test(paths_may_be_longer_than_any_number),
        cmocka_unit_test(random_walks_miss_nothing),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, test_query_tear_down);
}
