/* Principal components: what is reported is attained, never exceeded, and as small as it can be. */
#include "asset_fixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/fit.h"
#include "random.h"

typedef struct animation {
    float *frames;
    uint32_t frame_count, vertex_count;
} animation;

static animation make_animation(uint32_t frames, uint32_t vertices)
{
    animation made = {calloc((size_t)frames * vertices, 3 * sizeof(float)), frames, vertices};
    assert_non_null(made.frames);
    return made;
}

/* `rank` random fields with smooth coordinates over a random rest shape, and noise on top. */
static animation random_animation(uint64_t seed, uint32_t frames, uint32_t vertices, uint32_t rank,
                                  double noise, double offset)
{
    rng r;
    rng_seed(&r, seed);
    animation made = make_animation(frames, vertices);
    size_t numbers = 3 * (size_t)vertices;
    double *rest = calloc(numbers * (rank + 1), sizeof *rest);
    assert_non_null(rest);
    for (size_t i = 0; i < numbers * (rank + 1); i++) {
        rest[i] = rng_range(&r, -1.0, 1.0);
    }
    for (uint32_t f = 0; f < frames; f++) {
        for (size_t i = 0; i < numbers; i++) {
            double x = rest[i] + offset;
            for (uint32_t m = 1; m <= rank; m++) {
                x += rest[m * numbers + i] * sin(0.3 * m * f + m) / m;
            }
            made.frames[f * numbers + i] = (float)(x + noise * rng_range(&r, -1.0, 1.0));
        }
    }
    free(rest);
    return made;
}

static const pliant_fit *fit(pliant_context *context, const animation *a, uint32_t modes,
                             const float *rest)
{
    pliant_fit_def def = pliant_fit_def_default();
    def.frames = a->frames;
    def.frame_count = a->frame_count;
    def.vertex_count = a->vertex_count;
    def.mode_count = modes;
    def.rest = rest;
    const pliant_fit *made = NULL;
    assert_ok(pliant_fit_create(context, &def, &made));
    return made;
}

/* The distance of one vertex from its frame, in extended precision. */
static long double error_of(const pliant_fit *made, const animation *a, size_t frame, size_t vertex)
{
    size_t numbers = 3 * (size_t)a->vertex_count;
    long double squares = 0.0L;
    for (size_t k = 0; k < 3; k++) {
        size_t i = 3 * vertex + k;
        float y = made->rest[i];
        for (size_t m = 0; m < made->mode_count; m++) {
            y += made->coordinates[frame * made->mode_count + m] * made->modes[m * numbers + i];
        }
        long double d = (long double)a->frames[frame * numbers + i] - (long double)y;
        squares += d * d;
    }
    return sqrtl(squares);
}

static void check_error(const pliant_fit *made, const animation *a)
{
    long double largest = 0.0L;
    for (size_t f = 0; f < a->frame_count; f++) {
        for (size_t v = 0; v < a->vertex_count; v++) {
            long double error = error_of(made, a, f, v);
            largest = error > largest ? error : largest;
            if (error > (long double)made->largest_error) {
                fail_msg("frame %zu, vertex %zu: %.12Lg exceeds %.12g", f, v, error,
                         (double)made->largest_error);
            }
        }
    }
    assert_true((long double)made->largest_error <= largest * (1.0L + 0x1p-22L) + 0x1p-148L);
    assert_true(error_of(made, a, made->largest_frame, made->largest_vertex) >=
                largest * (1.0L - 0x1p-40L));
}

static void the_error_is_attained_and_never_exceeded(void **unused)
{
    (void)unused;
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    static const struct {
        uint32_t frames, vertices, rank, modes;
        double noise, offset;
    } cases[] = {{20, 60, 5, 3, 0.01, 0.0},   {20, 60, 5, 5, 0.0, 0.0}, {1, 9, 1, 3, 0.1, 0.0},
                 {40, 5, 4, 6, 0.1, 0.0},     {90, 2, 4, 20, 0.3, 0.0}, {20, 60, 5, 4, 0.01, 1e3},
                 {20, 60, 5, 19, 0.01, -1e5}, {7, 30, 3, 0, 0.1, 0.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        animation a = random_animation(100 + i, cases[i].frames, cases[i].vertices, cases[i].rank,
                                       cases[i].noise, cases[i].offset);
        /* Now and then the very last vertex is the worst. */
        a.frames[3 * (size_t)a.vertex_count * a.frame_count - 1] += i % 2 == 1 ? 9.0f : 0.0f;
        const pliant_fit *made = fit(context, &a, cases[i].modes, NULL);
        assert_true(made->mode_count <= cases[i].modes);
        check_error(made, &a);
        for (size_t q = 0; q < (size_t)made->mode_count * made->frame_count; q++) {
            assert_true(fabsf(made->coordinates[q]) <= 1.0f);
        }
        pliant_fit_destroy(made);
        /* The same around a given rest shape: the first frame. */
        made = fit(context, &a, cases[i].modes, a.frames);
        assert_memory_equal(made->rest, a.frames, (size_t)a.vertex_count * 3 * sizeof(float));
        check_error(made, &a);
        pliant_fit_destroy(made);
        free(a.frames);
    }
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
}

/* An animation of rank 5 needs 5 modes, no more, and they describe it up to rounding. */
static void modes_are_clipped_to_the_rank(void **unused)
{
    (void)unused;
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    for (int wide = 0; wide < 2; wide++) {
        /* Few frames of many vertices, and many frames of few vertices. */
        animation a = random_animation(7, wide ? 200 : 30, wide ? 20 : 400, 5, 0.0, 0.0);
        const pliant_fit *made = fit(context, &a, 25, NULL);
        assert_int_equal(made->mode_count, 5);
        assert_true((double)made->largest_error < 1e-6 * made->size);
        assert_true(made->variance_kept > 0.999999);
        pliant_fit_destroy(made);
        made = fit(context, &a, 2, NULL);
        assert_int_equal(made->mode_count, 2);
        assert_true((double)made->largest_error > 1e-3);
        assert_true(made->variance_kept > 0.3 && made->variance_kept < 0.99);
        pliant_fit_destroy(made);
        free(a.frames);
    }
    /* What does not move needs no mode, and its error is that of the mean: none. */
    animation still = make_animation(5, 4);
    for (int i = 0; i < 60; i++) {
        still.frames[i] = (float)(i % 12) / 7.0f;
    }
    const pliant_fit *made = fit(context, &still, 3, NULL);
    assert_int_equal(made->mode_count, 0);
    assert_true(made->largest_error == 0.0f);
    assert_true(made->variance_kept == 1.0);
    pliant_fit_destroy(made);
    free(still.frames);
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
}

/* One field and one coordinate that are known: the mode is that field, with the sign we promise. */
static void a_known_mode_is_found(void **unused)
{
    (void)unused;
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    for (int sign = -1; sign <= 1; sign += 2) {
        animation a = make_animation(5, 2);
        const float field[6] = {0.5f, 0.0f, -2.0f, 0.25f, 1.0f, 0.0f};
        for (int f = 0; f < 5; f++) {
            for (int i = 0; i < 6; i++) {
                a.frames[6 * f + i] = (float)i + (float)(sign * (f - 2)) * field[i];
            }
        }
        const pliant_fit *made = fit(context, &a, 4, NULL);
        assert_int_equal(made->mode_count, 1);
        /* The number of largest size, -2, is made positive, and 2 steps are coordinate 1. */
        for (int i = 0; i < 6; i++) {
            assert_true(fabsf(made->modes[i] + 2.0f * field[i]) < 1e-6f);
            assert_true(made->rest[i] == (float)i);
        }
        for (int f = 0; f < 5; f++) {
            assert_true(fabsf(made->coordinates[f] + (float)(sign * (f - 2)) / 2.0f) < 1e-6f);
        }
        pliant_fit_destroy(made);
        free(a.frames);
    }
    pliant_context_destroy(context);
}

/* Principal components are the best: no other modes of the same number leave a smaller residual.
   They are compared with the fields that the animation was made of. */
static void more_modes_leave_less(void **unused)
{
    (void)unused;
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    animation a = random_animation(11, 24, 80, 8, 0.05, 0.0);
    double kept = 0.0;
    long double before = 1e30L;
    for (uint32_t modes = 1; modes <= 12; modes++) {
        const pliant_fit *made = fit(context, &a, modes, NULL);
        long double residual = 0.0L, spread = 0.0L;
        for (size_t f = 0; f < a.frame_count; f++) {
            for (size_t v = 0; v < a.vertex_count; v++) {
                long double error = error_of(made, &a, f, v);
                residual += error * error;
                for (size_t k = 0; k < 3; k++) {
                    long double d = (long double)a.frames[(f * a.vertex_count + v) * 3 + k] -
                                    (long double)made->rest[3 * v + k];
                    spread += d * d;
                }
            }
        }
        assert_true(residual < before);
        assert_true(made->variance_kept > kept);
        /* The share of variance is the share of squares that the residual leaves. */
        assert_true(fabsl(1.0L - residual / spread - (long double)made->variance_kept) < 1e-6L);
        before = residual;
        kept = made->variance_kept;
        pliant_fit_destroy(made);
    }
    free(a.frames);
    pliant_context_destroy(context);
}

static void the_same_input_gives_the_same_fit(void **unused)
{
    (void)unused;
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    animation a = random_animation(13, 15, 40, 6, 0.02, 3.0);
    const pliant_fit *first = fit(context, &a, 6, NULL), *second = fit(context, &a, 6, NULL);
    assert_memory_equal(first->modes, second->modes, (size_t)6 * 120 * sizeof(float));
    assert_memory_equal(first->coordinates, second->coordinates, (size_t)6 * 15 * sizeof(float));
    pliant_fit_destroy(first);
    pliant_fit_destroy(second);
    free(a.frames);
    pliant_context_destroy(context);
}

static void bad_input_is_refused(void **unused)
{
    (void)unused;
    counting_allocator memory = {.fail_from_there = true};
    pliant_context *context = asset_context(&memory);
    float frames[12] = {0};
    pliant_fit_def def = pliant_fit_def_default();
    const pliant_fit *made = NULL;
    assert_int_equal(pliant_fit_create(context, &def, &made), PLIANT_ERROR_ARGUMENT);
    def.frames = frames;
    def.frame_count = 2;
    def.vertex_count = 2;
    pliant_fit_def bad = def;
    bad.tag = 0;
    assert_int_equal(pliant_fit_create(context, &bad, &made), PLIANT_ERROR_ARGUMENT);
    bad = def;
    bad.frame_count = 0;
    assert_int_equal(pliant_fit_create(context, &bad, &made), PLIANT_ERROR_RANGE);
    bad = def;
    bad.vertex_count = 0;
    assert_int_equal(pliant_fit_create(context, &bad, &made), PLIANT_ERROR_RANGE);
    frames[7] = NAN;
    assert_int_equal(pliant_fit_create(context, &def, &made), PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "frame 1, vertex 0"));
    frames[7] = 0.0f;
    const float rest[6] = {0, 0, 0, INFINITY, 0, 0};
    def.rest = rest;
    assert_int_equal(pliant_fit_create(context, &def, &made), PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "vertex 1 at rest"));
    def.rest = NULL;
    /* No memory, wherever it runs out. */
    animation a = random_animation(17, 6, 10, 3, 0.1, 0.0);
    def.frames = a.frames;
    def.frame_count = 6;
    def.vertex_count = 10;
    uint64_t before = memory.live;
    pliant_result result = PLIANT_ERROR_OUT_OF_MEMORY;
    for (uint64_t i = 1; result != PLIANT_OK; i++) {
        assert_int_equal(result, PLIANT_ERROR_OUT_OF_MEMORY);
        memory.fail_at = memory.calls + i;
        result = pliant_fit_create(context, &def, &made);
        assert_true(result == PLIANT_OK || memory.live == before);
    }
    pliant_fit_destroy(made);
    free(a.frames);
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
}

#ifndef PLI_DEBUG /* Debug builds stop where something is destroyed before its users */
static void fits_keep_their_context(void **state)
{
    (void)state;
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    animation a = random_animation(5, 10, 12, 2, 0.0, 0.0);
    const pliant_fit *made = fit(context, &a, 2, NULL);
    pliant_context_destroy(context);
    check_error(made, &a);
    pliant_fit_destroy(made);
    free(a.frames);
    assert_int_equal(memory.live, 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_is_attained_and_never_exceeded),
        cmocka_unit_test(modes_are_clipped_to_the_rank),
        cmocka_unit_test(a_known_mode_is_found),
        cmocka_unit_test(more_modes_leave_less),
        cmocka_unit_test(the_same_input_gives_the_same_fit),
        cmocka_unit_test(bad_input_is_refused),
#ifndef PLI_DEBUG
        cmocka_unit_test(fits_keep_their_context),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
