/*
 * Joint boxes: every vertex lies in a box of each of its joints, and the box of a whole skinned
 * body, which follows from them, holds all vertices, is tight, and depends on the state alone.
 */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bounds/bounds.h"
#include "shape/shape.h"

/* Whether a value lies in lane `lane` of a run of (centre | half size). */
static bool lies_in(const float *run, uint32_t lane, double value)
{
    return fabs(value - (double)run[lane]) <= (double)run[PLI_WIDTH + lane];
}

/* Whether lane `lane` of the boxes behind `axes` holds a vertex at rest, and its field in each mode
   that the coefficients name; the fields of the others must be zero there. */
static bool lane_holds(const model_case *c, const pli_coefficient_view *view, const float *axes,
                       uint32_t lane, uint32_t vertex)
{
    bool holds = true;
    for (uint32_t k = 0; k < 3; k++) {
        holds = holds && lies_in(axes + PLI_HALVES * k, lane,
                                 (double)c->mesh.positions[3 * (size_t)vertex + k]);
    }
    uint32_t next = 0;
    for (uint32_t m = 0; m < c->model.mode_count; m++) {
        const float *field = c->model.modes + 3 * ((size_t)m * c->mesh.vertex_count + vertex);
        bool named = next < view->mode_count && view->modes[next] == m;
        next += named;
        for (uint32_t k = 0; k < 3; k++) {
            holds = holds &&
                    (named ? lies_in(axes + PLI_COEFFICIENT_AXES * (size_t)next + PLI_HALVES * k,
                                     lane, (double)field[k])
                           : field[k] == 0.0f);
        }
    }
    return holds;
}

static bool joint_holds(const model_case *c, const pliant_shape *shape, uint32_t joint,
                        uint32_t vertex)
{
    for (uint64_t i = pli_shape_bounded_count(shape);
         i < shape->block->count[PLI_SECTION_COEFFICIENTS]; i++) {
        pli_coefficient_view view = pli_view_coefficients(shape, i, PLI_WIDTH);
        for (uint32_t j = 0; j < view.joint_count; j++) {
            for (uint32_t lane = 0; lane < PLI_WIDTH && view.joints[j] == joint; lane++) {
                if (lane_holds(c, &view,
                               view.values +
                                   PLI_COEFFICIENT_AXES * (size_t)(1 + view.mode_count) * j,
                               lane, vertex)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static void boxes_hold_what_joints_move(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 21);
    uint64_t held = 0;
    for (uint32_t i = 0; i < 2 * MODEL_TRAITS; i++) {
        model_case c = model_case_create(i % 2 == 0 ? MODEL_BLENDED : MODEL_COMPOSED, i / 2, 1.0,
                                         0.0, 300, &r);
        c.proxy_triangles = i % 3 == 0 ? 20 : 0; /* then coefficients of clusters stand before */
        pliant_shape *shape =
            model_case_shape(test_context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
        for (uint32_t t = 0; t < 3 * c.mesh.triangle_count; t++) {
            uint32_t v = c.mesh.triangles[t];
            for (uint32_t e = c.model.influence_offsets[v]; e < c.model.influence_offsets[v + 1];
                 e++) {
                if (c.model.influence_weights[e] > 0.0f) {
                    assert_true(joint_holds(&c, shape, c.model.influence_joints[e], v));
                    held++;
                }
            }
        }
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
    assert_true(held > 10000);
}

/* The smallest box around the vertices of a body. All vertices of the cases are used. */
static pliant_box smallest_box(const float *positions, uint32_t count)
{
    pliant_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < 3 * count; i++) {
        box.lower[i % 3] = fminf(box.lower[i % 3], positions[i]);
        box.upper[i % 3] = fmaxf(box.upper[i % 3], positions[i]);
    }
    return box;
}

static void assert_holds(const pliant_box *outer, const pliant_box *inner)
{
    for (int k = 0; k < 3; k++) {
        assert_true(outer->lower[k] <= inner->lower[k] && inner->upper[k] <= outer->upper[k]);
    }
}

/* Whatever the strategy, the instruction set and what was asked before, the box is the same. */
static void box_follows_from_the_state(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 22);
    static const pliant_update updates[] = {PLIANT_UPDATE_AUTO, PLIANT_UPDATE_TOP_DOWN,
                                            PLIANT_UPDATE_HYBRID, PLIANT_UPDATE_FRONT};
    for (uint32_t i = 0; i < 2 * MODEL_TRAITS; i++) {
        model_case c = model_case_create(i % 2 == 0 ? MODEL_BLENDED : MODEL_COMPOSED, i / 2, 1.0,
                                         0.0, 2000, &r);
        enum { ISAS = 5 };
        pliant_context *context[ISAS];
        pliant_query *query[ISAS];
        pliant_shape *shape[ISAS];
        pliant_body *asked[ISAS];
        for (uint32_t k = 0; k < ISAS; k++) {
            context[k] = fixture_context_with((pliant_isa)k, 1);
            assert_ok(pliant_query_create(context[k], &query[k]));
            shape[k] = model_case_shape(context[k], &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
            pliant_body_def def = pliant_body_def_default();
            def.update = updates[k % 4];
            assert_ok(pliant_body_create(shape[k], &def, &asked[k]));
        }
        for (int step = 0; step < 4; step++) {
            pliant_box smallest = smallest_box(c.positions, c.mesh.vertex_count), first;
            for (uint32_t k = 0; k < ISAS; k++) {
                pliant_closest closest;
                pliant_box box;
                pliant_body *fresh = NULL;
                assert_ok(pliant_body_create(shape[k], NULL, &fresh));
                model_case_set(&c, fresh);
                model_case_set(&c, asked[k]);
                assert_ok(
                    pliant_find_closest_point(query[k], asked[k], c.positions, INFINITY, &closest));
                assert_ok(pliant_body_get_bounds(fresh, &box));
                first = k == 0 ? box : first;
                assert_memory_equal(&box, &first, sizeof box);
                assert_ok(pliant_body_get_bounds(asked[k], &box));
                assert_memory_equal(&box, &first, sizeof box);
                assert_holds(&box, &smallest);
                pliant_body_destroy(fresh);
            }
            model_case_move(&c, &r, step % 2 == 0);
        }
        for (uint32_t k = 0; k < ISAS; k++) {
            pliant_body_destroy(asked[k]);
            pliant_shape_destroy(shape[k]);
            pliant_query_destroy(query[k]);
            pliant_context_destroy(context[k]);
        }
        model_case_destroy(&c);
    }
}

/* A row of triangles along x, one joint for each, and what is asked of it. */
typedef struct chain {
    float *positions, *weights, *transforms;
    uint32_t *triangles, *offsets, *joints;
    uint32_t count;
} chain;

static chain chain_create(uint32_t count)
{
    chain c = {malloc(9 * count * sizeof(float)),
               malloc(3 * count * sizeof(float)),
               malloc(12 * count * sizeof(float)),
               malloc(3 * count * sizeof(uint32_t)),
               malloc((3 * count + 1) * sizeof(uint32_t)),
               malloc(3 * count * sizeof(uint32_t)),
               count};
    for (uint32_t v = 0; v < 3 * count; v++) {
        c.positions[3 * v] = (float)(v / 3) + (v % 3 == 1 ? 1.0f : 0.0f);
        c.positions[3 * v + 1] = v % 3 == 2 ? 1.0f : 0.0f;
        c.positions[3 * v + 2] = 0.0f;
        c.triangles[v] = c.offsets[v] = v;
        c.joints[v] = v / 3;
        c.weights[v] = 1.0f;
    }
    c.offsets[3 * count] = 3 * count;
    for (uint32_t i = 0; i < 12 * count; i++) {
        c.transforms[i] = i % 12 % 5 == 0 ? 1.0f : 0.0f;
    }
    return c;
}

static void chain_destroy(chain *c)
{
    free(c->positions);
    free(c->weights);
    free(c->transforms);
    free(c->triangles);
    free(c->offsets);
    free(c->joints);
}

static pliant_body *chain_body(const chain *c, pliant_shape **shape)
{
    pliant_body *body = NULL;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = c->positions;
    def.triangles = c->triangles;
    def.vertex_count = 3 * c->count;
    def.triangle_count = c->count;
    def.joint_count = c->count;
    def.influence_offsets = c->offsets;
    def.influence_joints = c->joints;
    def.influence_weights = c->weights;
    def.normalise_weights = false;
    assert_ok(pliant_shape_create(test_context, &def, shape));
    assert_ok(pliant_shape_validate(*shape));
    assert_ok(pliant_body_create(*shape, NULL, &body));
    assert_ok(pliant_body_set_transforms(body, c->transforms, c->count, 0));
    return body;
}

static void assert_near(const pliant_box *box, const float lower[3], const float upper[3])
{
    for (int k = 0; k < 3; k++) {
        assert_true(box->lower[k] <= lower[k] && box->lower[k] > lower[k] - 1e-2f);
        assert_true(box->upper[k] >= upper[k] && box->upper[k] < upper[k] + 1e-2f);
    }
}

/* Triangles that each follow a joint of their own are put on top of each other: no joint carries
   what it does not move. With 300 joints each has one run of boxes. */
static void joints_carry_only_their_own(void **state)
{
    (void)state;
    static const float lower[3] = {0.0f, 0.0f, 0.0f}, upper[3] = {1.0f, 1.0f, 0.0f};
    for (uint32_t count = 1; count <= 300; count += count < 4 ? 1 : 296) {
        chain c = chain_create(count);
        for (uint32_t j = 0; j < count; j++) {
            c.transforms[12 * j + 3] = -(float)j;
        }
        pliant_shape *shape = NULL;
        pliant_body *body = chain_body(&c, &shape);
        pliant_box box;
        assert_ok(pliant_body_get_bounds(body, &box));
        assert_near(&box, lower, upper);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
        chain_destroy(&c);
    }
}

/* Weights that sum to another number than 1, and none at all: vertices without influences lie at
   the origin, and a box that has to hold one reaches there. */
static void sums_of_weights_count(void **state)
{
    (void)state;
    static const float sums[4][2] = {{1.0f, 1.0f}, {2.0f, 2.0f}, {0.5f, 2.0f}, {0.0f, 0.0f}};
    for (int i = 0; i < 5; i++) {
        chain c = chain_create(2);
        for (uint32_t j = 0; j < 2; j++) {
            c.transforms[12 * j + 3] = 10.0f;
            c.transforms[12 * j + 7] = -10.0f;
        }
        for (uint32_t v = 0; v < 6; v++) {
            c.weights[v] = i < 4 ? sums[i][v / 3] : v == 0 ? 0.0f : 1.0f;
        }
        float lower[3] = {10.0f * c.weights[0], -10.0f * c.weights[5], 0.0f};
        float upper[3] = {12.0f * c.weights[5], -9.0f * c.weights[0], 0.0f};
        if (i == 4) { /* one vertex has no weight: the origin and the two triangles */
            upper[1] = 0.0f;
        }
        pliant_shape *shape = NULL;
        pliant_body *body = chain_body(&c, &shape);
        pliant_box box;
        assert_ok(pliant_body_get_bounds(body, &box));
        assert_near(&box, lower, upper);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
        chain_destroy(&c);
    }
}

/* An arm that rests along the diagonal of space is turned to lie along x: one box around it at rest
   would become hundreds of times as large. */
static void long_parts_are_held_by_several_boxes(void **state)
{
    (void)state;
    chain c = chain_create(40);
    for (uint32_t v = 0; v < 120; v++) {
        c.joints[v] = 0;
        for (uint32_t k = 0; k < 3; k++) {
            c.positions[3 * v + k] = (float)(v / 3) + (v % 3 == k ? 3.0f : 0.0f);
        }
    }
    float turned[12] = {0.57735027f, 0.57735027f,  0.57735027f,  0.0f,
                        0.70710678f, -0.70710678f, 0.0f,         0.0f,
                        0.40824829f, 0.40824829f,  -0.81649658f, 0.0f};
    memcpy(c.transforms, turned, sizeof turned);
    pliant_shape *shape = NULL;
    pliant_body *body = chain_body(&c, &shape);
    float positions[360];
    assert_ok(pliant_body_evaluate(body, NULL, 120, positions));
    pliant_box box, smallest = smallest_box(positions, 120);
    assert_ok(pliant_body_get_bounds(body, &box));
    assert_holds(&box, &smallest);
    double ratio = 1.0;
    for (int k = 0; k < 3; k++) {
        ratio *= ((double)box.upper[k] - (double)box.lower[k]) /
                 ((double)smallest.upper[k] - (double)smallest.lower[k]);
    }
    print_message("  %g times the smallest volume\n", ratio);
    assert_true(ratio < 3.0);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    chain_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_hold_what_joints_move),
        cmocka_unit_test(box_follows_from_the_state),
        cmocka_unit_test(joints_carry_only_their_own),
        cmocka_unit_test(sums_of_weights_count),
        cmocka_unit_test(long_parts_are_held_by_several_boxes),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
