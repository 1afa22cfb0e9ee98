/*
 * States of bodies with modes and transforms: vertices are where they are defined to be, what
 * touches is what brute force finds there, and a state that is refused leaves the one before.
 */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "containment.h"

/* The body's vertices are exactly where the definition puts them. */
static void check_positions(const model_case *c, pliant_body *body)
{
    size_t bytes = 3 * (size_t)c->mesh.vertex_count * sizeof(float);
    float *positions = malloc(bytes);
    assert_ok(pliant_body_evaluate(body, NULL, c->mesh.vertex_count, positions));
    assert_memory_equal(positions, c->positions, bytes);
    free(positions);
}

static void evaluation_is_as_defined(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 1);
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        for (int trait = 0; trait < MODEL_TRAITS; trait++) {
            model_case c = model_case_create(kind, trait, 1.0, 0.0, 320, &r);
            pliant_shape *shape =
                model_case_shape(test_context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
            pliant_body *body = NULL;
            assert_ok(pliant_body_create(shape, NULL, &body));
            model_case_set(&c, body);
            check_positions(&c, body);
            pliant_body_destroy(body);
            pliant_shape_destroy(shape);
            model_case_destroy(&c);
        }
    }
}

/* T6: pairs of bodies of all kinds, free ones among them, against brute force. */
static void pairs_equal_brute_force(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 4);
    uint64_t pairs = 0;
    for (uint32_t round = 0; round < fixture_count(150); round++) {
        pliant_context *context = fixture_context_with((pliant_isa)rng_below(&r, 5), 1);
        pliant_query *query = NULL;
        assert_ok(pliant_query_create(context, &query));
        model_case c[2];
        pliant_shape *shape[2];
        pliant_body *body[2];
        bool spheres = round % 3 == 1; /* two that have them meet by these */
        for (int i = 0; i < 2; i++) {
            model_kind kind = spheres && round % 2 == 1 ? MODEL_RIGID
                              : spheres                 ? rng_below(&r, MODEL_BLENDED)
                                                        : rng_below(&r, MODEL_KINDS);
            c[i] = model_case_create(kind, rng_below(&r, MODEL_TRAITS), 1.0, 0.0, 500, &r);
            pliant_bound_kind bound =
                spheres ? PLIANT_BOUND_SPHERE : rng_below(&r, PLIANT_BOUND_AFFINE + 1);
            pliant_body_def def = pliant_body_def_default();
            def.update = (pliant_update)rng_below(&r, PLIANT_UPDATE_FRONT + 1);
            def.coherent = rng_below(&r, 2) != 0;
            bool is_free = rng_below(&r, 5) == 0 && !spheres;
            shape[i] = is_free ? fixture_shape(context, &c[i].mesh, fixture_usual_tree)
                               : model_case_shape(context, &c[i], bound, fixture_usual_tree);
            assert_ok(pliant_body_create(shape[i], &def, &body[i]));
        }
        for (int step = 0; step < 3; step++) {
            for (int i = 0; i < 2; i++) {
                model_case_move(&c[i], &r, step == 1);
                if (pliant_shape_get_mode_count(shape[i]) + pliant_shape_get_joint_count(shape[i]) >
                    0) {
                    model_case_set(&c[i], body[i]);
                } else {
                    assert_ok(pliant_body_set_positions(body[i], c[i].positions, 0));
                }
            }
            brute_body a = model_case_brute(&c[0]), b = model_case_brute(&c[1]);
            brute_pairs truth = {0};
            pliant_contacts contacts;
            brute_collide(&a, &b, &truth);
            assert_ok(pliant_collide(query, body[0], body[1], NULL, &contacts));
            assert_true(brute_equal(&truth, &contacts, "bodies with models"));
            pairs += truth.count;
            brute_free(&truth);
        }
        for (int i = 0; i < 2; i++) {
            pliant_body_destroy(body[i]);
            pliant_shape_destroy(shape[i]);
            model_case_destroy(&c[i]);
        }
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
    assert_true(pairs > 0);
}

/* The body's box is the smallest one around all of these positions. */
static void check_smallest_box(pliant_body *body, const float *positions, uint32_t count)
{
    pliant_box box;
    assert_ok(pliant_body_get_bounds(body, &box));
    for (uint32_t k = 0; k < 3; k++) {
        float lower = INFINITY, upper = -INFINITY;
        for (uint32_t v = 0; v < count; v++) {
            lower = fminf(lower, positions[3 * v + k]);
            upper = fmaxf(upper, positions[3 * v + k]);
        }
        assert_true(box.lower[k] == lower && box.upper[k] == upper);
    }
}

/* A transform on top of positions. */
static void positions_can_be_moved(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 5);
    model_case c = model_case_create(MODEL_RIGID, MODEL_SMOOTH, 1.0, 0.0, 1280, &r);
    pliant_shape *shape = model_case_shape(test_context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, NULL, &body));
    size_t count = 3 * (size_t)c.mesh.vertex_count;
    float *given = malloc(count * sizeof *given), *moved = malloc(count * sizeof *moved);
    for (int update = 0; update <= PLIANT_UPDATE_FRONT; update++) {
        assert_ok(pliant_body_set_update(body, (pliant_update)update, 0, 1));
        for (int step = 0; step < 4; step++) {
            /* In the end from far away to the origin, where what was rounded on the way shows. */
            bool back = step == 3;
            for (size_t i = 0; i < count; i++) {
                float wobble = (float)rng_range(&r, -0.1, 0.1);
                given[i] = c.mesh.positions[i] + (back ? 1000.0f : wobble);
            }
            model_case_move(&c, &r, false);
            for (int i = 0; i < 12 && back; i++) {
                c.transforms[i] = i % 4 == 3 ? -1300.0f : i % 5 == 0 ? 1.3f : 0.0f;
            }
            assert_ok(pliant_body_set_positions(body, given, 0));
            assert_ok(pliant_body_set_transforms(body, c.transforms, 1, 0));
            gallery_model_evaluate(&c.model, given, c.mesh.vertex_count, NULL, c.transforms, moved);
            assert_ok(pliant_body_evaluate(body, NULL, c.mesh.vertex_count, given));
            assert_memory_equal(given, moved, count * sizeof *given);
            assert_int_equal(containment_of_body(body), 0);
            check_smallest_box(body, moved, c.mesh.vertex_count);
        }
    }
    free(given);
    free(moved);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    model_case_destroy(&c);
}

/* A state that is refused leaves the one before. */
static void bad_states_are_refused(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 6);
    model_case c = model_case_create(MODEL_REDUCED, MODEL_SMOOTH, 1.0, 0.0, 320, &r);
    pliant_shape *shape = model_case_shape(test_context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, NULL, &body));
    model_case_set(&c, body);
    float q[64], t[12];
    uint32_t modes = c.model.mode_count;
    memcpy(q, c.coordinates, modes * sizeof *q);
    memcpy(t, c.transforms, sizeof t);
    assert_int_equal(pliant_body_set_coordinates(body, q, modes - 1), PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "6 coordinates given; the shape has 7 modes"));
    q[3] = NAN;
    assert_int_equal(pliant_body_set_coordinates(body, q, modes), PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "coordinate 3"));
    q[3] = 3e38f;
    assert_int_equal(pliant_body_set_coordinates(body, q, modes), PLIANT_ERROR_RANGE);
    t[6] = INFINITY;
    assert_int_equal(pliant_body_set_transforms(body, t, 1, 0), PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "transform 0: row 1, column 2"));
    memcpy(t, c.transforms, sizeof t);
    for (int i = 0; i < 3; i++) { /* two rows alike */
        t[4 + i] = t[i];
    }
    assert_int_equal(pliant_body_set_transforms(body, t, 1, 0), PLIANT_ERROR_RANGE);
    assert_non_null(strstr(pliant_last_error(), "singular"));
    assert_int_equal(pliant_body_set_transforms(body, t, 2, 0), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_body_set_positions(body, c.positions, 0), PLIANT_ERROR_ARGUMENT);
    check_positions(&c, body);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    model_case_destroy(&c);
}

/* A rigid body of three vertices for each strategy, to be given by positions. */
static pliant_body *create_triangle(float size, pliant_update update, pliant_shape **shape)
{
    const float rest[9] = {0, 0, 0, size, 0, 0, 0, size, 0};
    const uint32_t triangle[3] = {0, 1, 2};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = rest;
    def.vertex_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    def.joint_count = 1;
    assert_ok(pliant_shape_create(test_context, &def, shape));
    pliant_body_def body_def = pliant_body_def_default();
    body_def.update = update;
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(*shape, &body_def, &body));
    return body;
}

/* The body's vertex 1 is at (x, 0, 0), for vertices and for bounds. */
static void check_vertex(pliant_body *body, float x)
{
    float p[3];
    pliant_box box;
    const uint32_t vertex = 1;
    assert_ok(pliant_body_evaluate(body, &vertex, 1, p));
    assert_true(p[0] == x);
    assert_ok(pliant_body_get_bounds(body, &box));
    assert_true(box.lower[0] <= 0.0f && box.upper[0] >= x && box.upper[0] <= 1.001f * x);
}

/* Positions and a transform that overflow together are refused by the call that sets the second of
   them, whatever the strategy and whatever the positions at rest; the state before stays. */
static void overflow_is_refused_when_set(void **state)
{
    (void)state;
    const float small[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const float large[9] = {0, 0, 0, 1e30f, 0, 0, 0, 1e30f, 0};
    const float one[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const float most[12] = {1e30f, 0, 0, 0, 0, 1e30f, 0, 0, 0, 0, 1, 0};
    typedef pliant_result (*give)(pliant_body *, const float *, size_t);
    const give gives[2] = {pliant_body_set_positions, pliant_body_share_positions};
    for (int i = 0; i < 4 * (PLIANT_UPDATE_FRONT + 1); i++) {
        pliant_shape *shape = NULL;
        give positions = gives[i % 2];
        pliant_body *body =
            create_triangle(i / 2 % 2 == 0 ? 1.0f : 1e30f, (pliant_update)(i / 4), &shape);
        assert_ok(positions(body, large, 0));
        assert_int_equal(pliant_body_set_transforms(body, most, 1, 0), PLIANT_ERROR_RANGE);
        assert_non_null(strstr(pliant_last_error(), "positions, coordinates and transforms that"));
        check_vertex(body, 1e30f);
        assert_ok(positions(body, small, 0));
        assert_ok(pliant_body_set_transforms(body, most, 1, 0));
        check_vertex(body, 1e30f);
        assert_int_equal(positions(body, large, 0), PLIANT_ERROR_RANGE);
        check_vertex(body, 1e30f);
        assert_ok(pliant_body_set_transforms(body, one, 1, 0));
        check_vertex(body, 1.0f);
        assert_ok(positions(body, large, 0));
        check_vertex(body, 1e30f);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
    }
}

/* Where a transform moves them, borrowed positions are looked at when they are shared. Who changes
   them afterwards is told so, and another set mends the body. */
static void moved_positions_are_checked_when_shared(void **state)
{
    (void)state;
    const float most[12] = {1e23f, 0, 0, 0, 0, 1e23f, 0, 0, 0, 0, 1, 0};
    for (int update = 0; update <= PLIANT_UPDATE_FRONT; update++) {
        pliant_shape *shape = NULL;
        pliant_body *body = create_triangle(1.0f, (pliant_update)update, &shape);
        float shared[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
        float bad[9] = {0, 0, 0, 1, 0, NAN, 0, 1, 0};
        pliant_box box;
        assert_ok(pliant_body_set_transforms(body, most, 1, 0));
        assert_int_equal(pliant_body_share_positions(body, bad, 0), PLIANT_ERROR_NOT_FINITE);
        assert_non_null(strstr(pliant_last_error(), "vertex 1: coordinate z"));
        check_vertex(body, 1e23f);
        assert_ok(pliant_body_share_positions(body, shared, 0));
        check_vertex(body, 1e23f);
        if (update == PLIANT_UPDATE_TOP_DOWN) { /* one of those that bound before they evaluate */
            assert_ok(pliant_body_share_positions(body, shared, 0));
            shared[3] = 1e30f;
            assert_int_equal(pliant_body_get_bounds(body, &box), PLIANT_ERROR_RANGE);
            assert_non_null(strstr(pliant_last_error(), "changed after they were shared"));
            assert_int_equal(pliant_body_evaluate(body, NULL, 1, bad), PLIANT_ERROR_STATE);
            assert_non_null(strstr(pliant_last_error(), "changed after they were shared"));
            shared[3] = 1.0f;
            assert_ok(pliant_body_share_positions(body, shared, 0));
            check_vertex(body, 1e23f);
        }
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
    }
}

/* A row of triangles, each stretch of which follows a joint of its own, so that children of nodes
   are bounded by fewer joints than their parents. */
enum { LINKS = 8, LINK = 64 };

static pliant_shape *create_chain(void)
{
    enum { TRIANGLES = LINKS * LINK, VERTICES = 3 * TRIANGLES };
    static float positions[3 * VERTICES], weights[VERTICES];
    static uint32_t triangles[VERTICES], offsets[VERTICES + 1], joints[VERTICES];
    for (uint32_t v = 0; v < VERTICES; v++) {
        positions[3 * v] = (float)(v / 3) + (v % 3 == 1 ? 0.5f : 0.0f);
        positions[3 * v + 1] = v % 3 == 2 ? 0.5f : 0.0f;
        triangles[v] = v;
        weights[v] = 1.0f;
        offsets[v + 1] = v + 1;
        joints[v] = v / 3 / LINK;
    }
    pliant_shape *shape = NULL;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = VERTICES;
    def.triangles = triangles;
    def.triangle_count = TRIANGLES;
    def.arity = 2;
    def.joint_count = LINKS;
    def.influence_offsets = offsets;
    def.influence_joints = joints;
    def.influence_weights = weights;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    return shape;
}

/* Where the links are at a time. */
static void set_chain(pliant_body *body, double time)
{
    float transforms[12 * LINKS] = {0};
    for (int j = 0; j < LINKS; j++) {
        float *rows = transforms + (size_t)12 * (size_t)j;
        double angle = 0.1 * j + time;
        rows[0] = rows[5] = (float)cos(angle);
        rows[4] = (float)sin(angle);
        rows[1] = -rows[4];
        rows[10] = 1.0f;
        rows[3] = (float)(j * time);
    }
    assert_ok(pliant_body_set_transforms(body, transforms, LINKS, 0));
}

/* The box of a blended body is that of a new one in the same state, wherever queries were. */
static void fronts_hand_out_the_same_box(void **state)
{
    (void)state;
    pliant_query *query = NULL;
    pliant_shape *shape = create_chain();
    pliant_body *used = NULL;
    assert_ok(pliant_query_create(test_context, &query));
    assert_ok(pliant_body_create(shape, NULL, &used));
    for (int step = 0; step < 20; step++) {
        pliant_body *fresh = NULL;
        pliant_box boxes[2];
        pliant_closest closest;
        float point[3];
        uint32_t vertex = (uint32_t)step * 70;
        assert_ok(pliant_body_create(shape, NULL, &fresh));
        set_chain(used, 0.1 * step);
        set_chain(fresh, 0.1 * step);
        assert_ok(pliant_body_get_bounds(used, &boxes[0]));
        assert_ok(pliant_body_get_bounds(fresh, &boxes[1]));
        assert_memory_equal(&boxes[0], &boxes[1], sizeof boxes[0]);
        assert_ok(pliant_body_evaluate(used, &vertex, 1, point));
        assert_ok(pliant_find_closest_point(query, used, point, 0.1f, &closest));
        pliant_body_destroy(fresh);
    }
    pliant_body_destroy(used);
    pliant_shape_destroy(shape);
    pliant_query_destroy(query);
}

/* The same of bodies with modes that are told to keep a front. */
static void fronts_of_modes_hand_out_the_same_box(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 47);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(test_context, &query));
    for (uint32_t i = 0; i < 4; i++) {
        model_case c = model_case_create(i % 2 == 0 ? MODEL_MODES : MODEL_REDUCED, MODEL_ROUGH, 1.0,
                                         0.0, 3000, &r);
        pliant_shape *shape =
            model_case_shape(test_context, &c, PLIANT_BOUND_BOX, fixture_usual_tree);
        pliant_body_def def = pliant_body_def_default();
        pliant_body *used = NULL;
        def.update = PLIANT_UPDATE_FRONT;
        assert_ok(pliant_body_create(shape, &def, &used));
        for (int step = 0; step < 5; step++) {
            pliant_body *fresh = NULL;
            pliant_box boxes[2];
            pliant_closest closest;
            assert_ok(pliant_body_create(shape, &def, &fresh));
            model_case_set(&c, used);
            model_case_set(&c, fresh);
            assert_ok(pliant_body_get_bounds(used, &boxes[0]));
            assert_ok(pliant_body_get_bounds(fresh, &boxes[1]));
            assert_memory_equal(&boxes[0], &boxes[1], sizeof boxes[0]);
            for (uint32_t v = 0; v < c.mesh.vertex_count; v += 97) {
                assert_ok(pliant_find_closest_point(query, used, c.positions + 3 * (size_t)v, 0.1f,
                                                    &closest));
            }
            pliant_body_destroy(fresh);
            model_case_move(&c, &r, true);
        }
        pliant_body_destroy(used);
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
    pliant_query_destroy(query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluation_is_as_defined),
        cmocka_unit_test(pairs_equal_brute_force),
        cmocka_unit_test(positions_can_be_moved),
        cmocka_unit_test(bad_states_are_refused),
        cmocka_unit_test(overflow_is_refused_when_set),
        cmocka_unit_test(moved_positions_are_checked_when_shared),
        cmocka_unit_test(fronts_hand_out_the_same_box),
        cmocka_unit_test(fronts_of_modes_hand_out_the_same_box),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
