/*
 * World transforms: vertices of every kind of body are where the definition puts them, bounds hold
 * them and stay tight, what touches is what brute force finds there, and the order in which states
 * and world transforms are set makes no difference.
 */
#include "placed.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/body.h"
#include "containment.h"

/* The body's vertices are exactly where the definition puts them. */
static void check_positions(const placed_body *s)
{
    size_t bytes = 3 * (size_t)s->c.mesh.vertex_count * sizeof(float);
    float *positions = malloc(bytes);
    assert_ok(pliant_body_evaluate(s->body, NULL, s->c.mesh.vertex_count, positions));
    assert_memory_equal(positions, s->c.positions, bytes);
    free(positions);
}

static void check_box(const placed_body *s)
{
    pliant_box box;
    assert_ok(pliant_body_get_bounds(s->body, &box));
    for (uint32_t k = 0; k < 3; k++) {
        float lower = INFINITY, upper = -INFINITY;
        for (uint32_t v = 0; v < s->c.mesh.vertex_count; v++) {
            lower = fminf(lower, s->c.positions[3 * v + k]);
            upper = fmaxf(upper, s->c.positions[3 * v + k]);
        }
        assert_true(box.lower[k] <= lower && upper <= box.upper[k]);
        assert_true(!placed_is_given(s) || (box.lower[k] == lower && box.upper[k] == upper));
    }
}

/* World transforms that are hard in some way, for a body of the given size whose state may be one
   of models.h. */
enum { WORLDS = 12 };

static void make_world(int which, const placed_body *s, rng *r, float rows[12])
{
    static const float scales[WORLDS] = {1,        1,       1,      1,      1e-6f, 1e6f,
                                         0x1p-60f, 0x1p60f, 1e-38f, 1e-44f, 1,     1};
    double size = s->c.scale;
    model_random_transform(r, which == 0 ? 0.3 : 1.0, rows);
    for (int i = 0; i < 12; i++) {
        float away = which == 1 ? 0.0f : which == 2 ? 1e3f : which == 3 ? 1e7f : 1.0f;
        rows[i] *= i % 4 == 3 ? (float)size * away : 1.0f;
        rows[i] *= scales[which];
    }
    if (which == 10) { /* nearly flat */
        for (int k = 0; k < 3; k++) {
            rows[8 + k] = rows[k] + rows[4 + k];
        }
        rows[8] += ldexpf(1.0f, ilogbf(rows[8]) - 22);
        rows[9] -= ldexpf(1.0f, ilogbf(rows[9]) - 23);
    }
    if (which == 11 && s->c.model.joint_count > 0) { /* back to where it came from, nearly */
        const float *t = s->c.transforms;
        for (int a = 0; a < 3; a++) {
            rows[4 * a + 3] = 0.0f;
            for (int k = 0; k < 3; k++) {
                rows[4 * a + 3] -= rows[4 * a + k] * t[4 * k + 3];
            }
        }
    }
    for (int i = 0; i < 12 && which == 9; i++) { /* a few of the smallest numbers */
        rows[i] = i % 5 == 0 ? (float)(1 + (int)rng_below(r, 9)) * -0x1p-149f : 0.0f;
    }
}

static void bounds_hold(void **state)
{
    (void)state;
    static const double scales[] = {1.0, 0x1p-20, 0x1p20};
    rng r;
    rng_seed(&r, 21);
    uint32_t rounds = fixture_count(6), done = 0;
    for (uint32_t i = 0; i < rounds * PLACED_KINDS * MODEL_TRAITS; i++) {
        pliant_context *context = fixture_context_with((pliant_isa)rng_below(&r, 5), 1);
        pliant_body_def def = pliant_body_def_default();
        def.update = (pliant_update)rng_below(&r, PLIANT_UPDATE_FRONT + 1);
        def.coherent = rng_below(&r, 2) != 0;
        placed_body s = placed_create(
            context, i % PLACED_KINDS, i / PLACED_KINDS % MODEL_TRAITS, scales[rng_below(&r, 3)],
            (pliant_bound_kind)rng_below(&r, PLIANT_BOUND_AFFINE + 1), &def, &r);
        for (int step = 0; step < 5; step++) {
            int which = (int)rng_below(&r, WORLDS);
            float world[12];
            make_world(which, &s, &r, world);
            s.c.together = step == 4;
            s.c.away = step == 4 ? s.c.scale * 1e6 : 0.0;
            placed_move(&s, step == 3 ? NULL : world, step % 2 == 1, &r);
            check_positions(&s);
            uint64_t violations = containment_of_body(s.body);
            if (violations != 0) {
                fail_msg("%llu violations: kind %d, trait %d, scale %g, world %d, step %d",
                         (unsigned long long)violations, s.kind, (int)s.c.trait, s.c.scale, which,
                         step);
            }
            check_box(&s);
            done++;
        }
        placed_destroy(&s);
        pliant_context_destroy(context);
    }
    assert_true(done > 0);
}

/* Numbers near both ends of the range: nodes may hold everything then, but no more goes wrong. */
static void bounds_hold_at_the_ends(void **state)
{
    (void)state;
    /* The body's size, its transforms', and the world transform's. */
    static const float sizes[][3] = {
        {0x1p100f, 1, 0x1p12f}, {0x1p-120f, 1, 0x1p120f},      {0x1p-60f, 0x1p80f, 0x1p80f},
        {1, 1, 0x1p118f},       {0x1p60f, 0x1p50f, 1e-45f},    {1, 0x1p116f, 0x1p-140f},
        {0x1p-100f, 1, 1e-44f}, {0x1p110f, 1, 0x1p-149f},      {1, 0x1p-140f, 0x1p116f},
        {0x1p-60f, 1, FLT_MAX}, {0x1p-100f, 0x1p80f, 0x1p80f}, {0x1p-40f, 0x1p-100f, FLT_MAX}};
    rng r;
    rng_seed(&r, 22);
    for (uint32_t i = 0; i < PLACED_KINDS * sizeof sizes / sizeof *sizes; i++) {
        const float *size = sizes[i / PLACED_KINDS];
        pliant_body_def def = pliant_body_def_default();
        def.update = (pliant_update)rng_below(&r, PLIANT_UPDATE_FRONT + 1);
        placed_body s = placed_create(test_context, i % PLACED_KINDS, MODEL_SMOOTH, (double)size[0],
                                      (pliant_bound_kind)(i % (PLIANT_BOUND_AFFINE + 1)), &def, &r);
        float world[12];
        for (int k = 0; k < 12; k++) {
            float beside = size[2] < 1e-40f ? 0.0f : (float)rng_range(&r, -0.2, 0.2);
            world[k] = (k % 5 == 0 ? 1.0f : k % 4 == 3 ? beside * size[0] : beside) * size[2];
        }
        for (uint32_t k = 0; k < 12 * s.c.model.joint_count; k++) {
            s.c.transforms[k] *= k % 4 == 3 ? 0.0f : size[1];
        }
        model_case_place(&s.c, world);
        if (placed_is_given(&s)) {
            assert_ok(pliant_body_set_positions(s.body, s.c.mesh.positions, 0));
        }
        model_case_set(&s.c, s.body);
        check_positions(&s);
        assert_int_equal(containment_of_body(s.body), 0);
        check_box(&s);
        placed_destroy(&s);
    }
}

/* The boxes of a body are those that its joints would give with the world transform multiplied into
   them, but for rounding: nothing is turned twice. */
static void bounds_are_as_tight_as_those_of_one_transform(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 24);
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        if (kind == MODEL_MODES) {
            continue; /* has no transform to multiply into */
        }
        placed_body s =
            placed_create(test_context, kind, MODEL_SMOOTH, 1.0, PLIANT_BOUND_AUTO, NULL, &r);
        float world[12], product[12 * 6];
        pliant_box placed, folded;
        model_random_transform(&r, 1.0, world);
        for (uint32_t j = 0; j < s.c.model.joint_count; j++) {
            for (uint32_t i = 0; i < 12; i++) {
                double sum = i % 4 == 3 ? (double)world[i] : 0.0;
                for (uint32_t k = 0; k < 3; k++) {
                    sum += (double)world[i / 4 * 4 + k] *
                           (double)s.c.transforms[12 * j + 4 * k + i % 4];
                }
                product[12 * j + i] = (float)sum;
            }
        }
        model_case_set(&s.c, s.body);
        assert_ok(pliant_body_set_transforms(s.body, product, s.c.model.joint_count, 0));
        assert_ok(pliant_body_get_bounds(s.body, &folded));
        model_case_set(&s.c, s.body);
        assert_ok(pliant_body_set_world(s.body, world));
        assert_ok(pliant_body_get_bounds(s.body, &placed));
        for (int k = 0; k < 3; k++) {
            assert_true(fabsf(placed.lower[k] - folded.lower[k]) < 1e-4f);
            assert_true(fabsf(placed.upper[k] - folded.upper[k]) < 1e-4f);
        }
        placed_destroy(&s);
    }
}

/* Taken away, it leaves nothing; set again or last, it gives the same. */
static void order_and_history_do_not_matter(void **state)
{
    (void)state;
    rng r;
    for (int kind = 0; kind < PLACED_KINDS; kind++) {
        rng_seed(&r, 25);
        placed_body s =
            placed_create(test_context, kind, MODEL_SMOOTH, 1.0, PLIANT_BOUND_AUTO, NULL, &r);
        pliant_body *other = NULL;
        float world[12], wrong[12];
        pliant_box box[2];
        placed_move(&s, NULL, false, &r);
        assert_ok(pliant_body_create(s.shape, NULL, &other));
        model_random_transform(&r, 1.0, world);
        model_random_transform(&r, 1.0, wrong);
        for (int placed = 0; placed < 2; placed++) {
            /* One has been elsewhere, the other comes here straight. */
            assert_ok(pliant_body_set_world(s.body, wrong));
            assert_ok(pliant_body_get_bounds(s.body, &box[0]));
            model_case_place(&s.c, placed ? world : NULL);
            assert_ok(pliant_body_set_world(s.body, placed ? world : NULL));
            assert_ok(pliant_body_set_world(other, placed ? world : NULL));
            if (placed_is_given(&s)) {
                assert_ok(pliant_body_set_positions(other, s.c.mesh.positions, 0));
            }
            model_case_set(&s.c, other);
            check_positions(&s);
            assert_ok(pliant_body_get_bounds(s.body, &box[0]));
            assert_ok(pliant_body_get_bounds(other, &box[1]));
            assert_memory_equal(&box[0], &box[1], sizeof *box);
            assert_true(s.body->pose.world_error == other->pose.world_error);
        }
        pliant_body_destroy(other);
        placed_destroy(&s);
    }
}

static void bad_ones_are_refused(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 26);
    for (int kind = 0; kind < PLACED_KINDS; kind++) {
        placed_body s =
            placed_create(test_context, kind, MODEL_SMOOTH, 1.0, PLIANT_BOUND_AUTO, NULL, &r);
        float world[12], bad[12];
        model_random_transform(&r, 1.0, world);
        placed_move(&s, world, false, &r);
        memcpy(bad, world, sizeof bad);
        bad[6] = NAN;
        assert_int_equal(pliant_body_set_world(s.body, bad), PLIANT_ERROR_NOT_FINITE);
        assert_non_null(strstr(pliant_last_error(), "world transform: row 1, column 2 is nan"));
        bad[6] = INFINITY;
        assert_int_equal(pliant_body_set_world(s.body, bad), PLIANT_ERROR_NOT_FINITE);
        for (int k = 0; k < 3; k++) {
            bad[4 + k] = 3.0f * (bad[k] = (float)(k + 1));
        }
        assert_int_equal(pliant_body_set_world(s.body, bad), PLIANT_ERROR_RANGE);
        assert_non_null(strstr(pliant_last_error(), "singular"));
        memset(bad, 0, sizeof bad);
        assert_int_equal(pliant_body_set_world(s.body, bad), PLIANT_ERROR_RANGE);
        memcpy(bad, world, sizeof bad);
        bad[11] = FLT_MAX;
        assert_int_equal(pliant_body_set_world(s.body, bad), PLIANT_ERROR_RANGE);
        assert_non_null(strstr(pliant_last_error(), "beyond 2^127"));
        check_positions(&s);
        assert_int_equal(containment_of_body(s.body), 0);
        placed_destroy(&s);
    }
}

/* The smallest determinants that are not 0 are no reason to refuse. */
static void only_singular_ones_are_singular(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 27);
    placed_body s =
        placed_create(test_context, PLACED_FREE, MODEL_SMOOTH, 1.0, PLIANT_BOUND_AUTO, NULL, &r);
    float world[12] = {1e-45f, 0, 0, 0, 0, 1e-45f, 0, 0, 0, 0, 1e-45f, 0};
    assert_ok(pliant_body_set_world(s.body, world));
    model_case_place(&s.c, world);
    float flat[12] = {1, 1, 1, 0, 1, 1, 1 + FLT_EPSILON, 0, 1, 1 + FLT_EPSILON, 1, 0};
    assert_ok(pliant_body_set_world(s.body, flat)); /* determinant -2^-46 */
    flat[9] = 1.0f;
    assert_int_equal(pliant_body_set_world(s.body, flat), PLIANT_ERROR_RANGE);
    placed_destroy(&s);
}

/* What overflows together is refused by whichever call sets the last of it. */
static void overflow_is_refused_when_set(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 28);
    const float large[12] = {0x1p80f, 0, 0, 0, 0, 0x1p80f, 0, 0, 0, 0, 0x1p80f, 0};
    for (int kind = 0; kind < PLACED_KINDS; kind++) {
        placed_body s =
            placed_create(test_context, kind, MODEL_SMOOTH, 1.0, PLIANT_BOUND_AUTO, NULL, &r);
        uint32_t joints = s.c.model.joint_count, modes = s.c.model.mode_count;
        float many[12 * 6], q[16];
        placed_move(&s, large, false, &r);
        for (uint32_t i = 0; i < 12 * joints; i++) {
            many[i] = large[i % 12];
        }
        for (uint32_t i = 0; i < modes; i++) {
            q[i] = 0x1p60f;
        }
        if (joints > 0) {
            assert_int_equal(pliant_body_set_transforms(s.body, many, joints, 0),
                             PLIANT_ERROR_RANGE);
        }
        if (modes > 0) {
            assert_int_equal(pliant_body_set_coordinates(s.body, q, modes), PLIANT_ERROR_RANGE);
        }
        check_positions(&s);
        assert_ok(pliant_body_set_world(s.body, NULL));
        if (joints > 0) {
            assert_ok(pliant_body_set_transforms(s.body, many, joints, 0));
            assert_int_equal(pliant_body_set_world(s.body, large), PLIANT_ERROR_RANGE);
        }
        placed_destroy(&s);
    }
}

/* What is set last of a state with a world transform that stretches by `size`, and whether that is
   accepted. */
typedef enum last_set { LAST_WORLD, LAST_TRANSFORMS, LAST_COORDINATES } last_set;

static bool accepts(placed_body *s, float size, last_set last)
{
    uint32_t joints = s->c.model.joint_count, modes = s->c.model.mode_count;
    float small[12 * 6], world[12] = {0}, rest[16] = {0};
    for (uint32_t i = 0; i < 12 * joints; i++) {
        small[i] = 0x1p-20f * s->c.transforms[i];
    }
    world[0] = world[5] = world[10] = size;
    assert_ok(pliant_body_set_world(s->body, NULL));
    if (last == LAST_COORDINATES) {
        assert_ok(pliant_body_set_coordinates(s->body, rest, modes));
    }
    assert_ok(pliant_body_set_transforms(s->body, last == LAST_TRANSFORMS ? small : s->c.transforms,
                                         joints, 0));
    pliant_result result = pliant_body_set_world(s->body, world);
    assert_true(result == PLIANT_OK || last != LAST_TRANSFORMS);
    if (last == LAST_TRANSFORMS) {
        result = pliant_body_set_transforms(s->body, s->c.transforms, joints, 0);
    } else if (last == LAST_COORDINATES && result == PLIANT_OK) {
        result = pliant_body_set_coordinates(s->body, s->c.coordinates, modes);
    }
    if (last == LAST_COORDINATES && result != PLIANT_OK) {
        assert_ok(pliant_body_set_world(s->body, NULL));
        assert_ok(pliant_body_set_coordinates(s->body, s->c.coordinates, modes));
    }
    return result == PLIANT_OK;
}

/* What is refused is the same to the last float, whichever comes last. */
static void overflow_does_not_depend_on_order(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 34);
    for (int i = 0; i < 5 * PLACED_KINDS; i++) {
        placed_body s = placed_create(test_context, i % PLACED_KINDS, i / PLACED_KINDS, 1.0,
                                      PLIANT_BOUND_AUTO, NULL, &r);
        if (s.c.model.joint_count > 0) {
            float low = 0x1p100f, high = 0x1p127f;
            model_case_set(&s.c, s.body);
            assert_true(accepts(&s, low, LAST_WORLD) && !accepts(&s, high, LAST_WORLD));
            while (nextafterf(low, high) < high) {
                float middle = low + 0.5f * (high - low);
                *(accepts(&s, middle, LAST_WORLD) ? &low : &high) = middle;
            }
            for (int last = LAST_TRANSFORMS;
                 last <= (s.c.model.mode_count > 0 ? LAST_COORDINATES : LAST_TRANSFORMS); last++) {
                assert_true(accepts(&s, low, (last_set)last) && !accepts(&s, high, (last_set)last));
            }
        }
        placed_destroy(&s);
    }
}

/* A free body's positions are looked at by whichever call comes last. */
static void positions_are_checked_when_shared(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 29);
    placed_body s =
        placed_create(test_context, PLACED_FREE, MODEL_SMOOTH, 1.0, PLIANT_BOUND_AUTO, NULL, &r);
    const float large[12] = {0x1p80f, 0, 0, 0, 0, 0x1p80f, 0, 0, 0, 0, 0x1p80f, 0};
    float *positions = s.c.mesh.positions, kept = positions[7];
    positions[7] = NAN;
    assert_ok(pliant_body_share_positions(s.body, positions, 0));
    assert_int_equal(pliant_body_set_world(s.body, large), PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "vertex 2: coordinate y"));
    positions[7] = 0x1p80f;
    assert_ok(pliant_body_share_positions(s.body, positions, 0));
    assert_int_equal(pliant_body_set_world(s.body, large), PLIANT_ERROR_RANGE);
    positions[7] = kept;
    assert_ok(pliant_body_share_positions(s.body, positions, 0));
    assert_ok(pliant_body_set_world(s.body, large));
    model_case_place(&s.c, large);
    check_positions(&s);
    positions[7] = NAN;
    assert_int_equal(pliant_body_share_positions(s.body, positions, 0), PLIANT_ERROR_NOT_FINITE);
    positions[7] = FLT_MAX;
    assert_int_equal(pliant_body_set_positions(s.body, positions, 0), PLIANT_ERROR_RANGE);
    positions[7] = kept;
    check_positions(&s);
    placed_destroy(&s);
}

/* The error of a shape is stretched as the body is. */
static void errors_are_stretched(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 30);
    const float world[12] = {0, -3, 0, 7, 2, 0, 0, 1, 0, 0, 0.5f, 0};
    for (int kind = 0; kind < PLACED_KINDS; kind++) {
        placed_body s = {.kind = kind};
        s.c = model_case_create(kind < MODEL_KINDS ? (model_kind)kind : MODEL_RIGID, MODEL_SMOOTH,
                                1.0, 0.0, 200, &r);
        s.c.error = 0.25f;
        s.c.model.joint_count = kind == PLACED_FREE ? 0 : s.c.model.joint_count;
        s.shape = model_case_shape(test_context, &s.c, PLIANT_BOUND_AUTO, fixture_usual_tree);
        assert_ok(pliant_body_create(s.shape, NULL, &s.body));
        assert_ok(pliant_body_set_world(s.body, world));
        float error = s.body->pose.world_error;
        assert_true(error >= 0.75f && error < 0.7501f); /* transforms are the identity */
        assert_ok(pliant_body_set_world(s.body, NULL));
        assert_true(s.body->pose.world_error >= 0.25f && s.body->pose.world_error < 0.2501f);
        placed_destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(bounds_hold_at_the_ends),
        cmocka_unit_test(bounds_are_as_tight_as_those_of_one_transform),
        cmocka_unit_test(order_and_history_do_not_matter),
        cmocka_unit_test(bad_ones_are_refused),
        cmocka_unit_test(only_singular_ones_are_singular),
        cmocka_unit_test(overflow_is_refused_when_set),
        cmocka_unit_test(overflow_does_not_depend_on_order),
        cmocka_unit_test(positions_are_checked_when_shared),
        cmocka_unit_test(errors_are_stretched),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
