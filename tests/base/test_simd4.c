/*
 * Every operation of the table of 128-bit registers (base/simd/simd4.h) against plain C, on all
 * pairs of numbers that machines are known to disagree about. A program without a framework, so
 * that it runs wherever the library does.
 */
#include "base/simd/simd4.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int failures, checks;

/* Compares lanes of 4 or 8 bytes; with `any_nan`, which NaN a NaN is does not matter. */
static void compare(const char *what, const void *got, const void *want, size_t size, size_t lanes,
                    bool any_nan)
{
    for (size_t k = 0; k < lanes; k++) {
        uint64_t g = 0, w = 0;
        if (size == 4) {
            uint32_t short_got, short_want;
            memcpy(&short_got, (const char *)got + 4 * k, 4);
            memcpy(&short_want, (const char *)want + 4 * k, 4);
            g = short_got, w = short_want;
        } else {
            memcpy(&g, (const char *)got + 8 * k, 8);
            memcpy(&w, (const char *)want + 8 * k, 8);
        }
        uint64_t infinite = size == 4 ? UINT32_C(0x7f800000) : UINT64_C(0x7ff0000000000000);
        uint64_t no_sign = size == 4 ? UINT32_C(0x7fffffff) : UINT64_C(0x7fffffffffffffff);
        bool both_nan = (g & no_sign) > infinite && (w & no_sign) > infinite;
        checks++;
        if (g != w && !(any_nan && both_nan) && failures++ < 20) {
            printf("%s: lane %zu is %llx instead of %llx\n", what, k, (unsigned long long)g,
                   (unsigned long long)w);
        }
    }
}

/* For each lane k, the value in plain C beside what the table gives. */
#define EXPECT(lanes, number, store, got, value, any_nan)                                          \
    do {                                                                                           \
        number found[lanes], wanted[lanes];                                                        \
        store(found, got);                                                                         \
        for (int k = 0; k < (lanes); k++) {                                                        \
            wanted[k] = value;                                                                     \
        }                                                                                          \
        compare(#got, found, wanted, sizeof(number), lanes, any_nan);                              \
    } while (0)
#define FLOATS(got, value)  EXPECT(4, float, pli_f4_storeu, got, value, true)
#define CHOSEN(got, value)  EXPECT(4, float, pli_f4_storeu, got, value, false)
#define INTS(got, value)    EXPECT(4, int32_t, pli_n4_storeu, got, value, false)
#define DOUBLES(got, value) EXPECT(2, double, pli_d2_storeu, got, value, true)
#define PICKED(got, value)  EXPECT(2, double, pli_d2_storeu, got, value, false)

/* A truth value per lane: all bits or none, in the mask and in what is chosen by it. */
#define TRUTHS(mask, value)                                                                        \
    do {                                                                                           \
        pli_m4 truths = mask;                                                                      \
        unsigned found_bits = pli_m4_movemask(truths), wanted_bits = 0;                            \
        for (int k = 0; k < 4; k++) {                                                              \
            wanted_bits |= (value) ? 1u << k : 0u;                                                 \
        }                                                                                          \
        compare("movemask of " #mask, &found_bits, &wanted_bits, 4, 1, false);                     \
        INTS(pli_n4_select(truths, pli_n4_set1(-1), pli_n4_set1(0)), (value) ? -1 : 0);            \
    } while (0)
#define TWO_TRUTHS(mask, value)                                                                    \
    do {                                                                                           \
        pli_dm2 truths = mask;                                                                     \
        unsigned found_bits = pli_dm2_movemask(truths), wanted_bits = 0;                           \
        for (int k = 0; k < 2; k++) {                                                              \
            wanted_bits |= (value) ? 1u << k : 0u;                                                 \
        }                                                                                          \
        compare("movemask of " #mask, &found_bits, &wanted_bits, 4, 1, false);                     \
        PICKED(pli_d2_select(truths, pli_d2_set1(1), pli_d2_set1(2)), (value) ? 1 : 2);            \
    } while (0)

#if defined(PLI_SIMD4_NAME)

static const int32_t places[4] = {3, 0, 0, 2};

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool sign_of(float x)
{
    return signbit(x) != 0;
}

static void check_arithmetic(const float *x, const float *y)
{
    pli_f4 a = pli_f4_loadu(x), b = pli_f4_loadu(y);
    FLOATS(pli_f4_add(a, b), x[k] + y[k]);
    FLOATS(pli_f4_sub(a, b), x[k] - y[k]);
    FLOATS(pli_f4_mul(a, b), x[k] * y[k]);
    FLOATS(pli_f4_div(a, b), x[k] / y[k]);
    FLOATS(pli_f4_sqrt(a), sqrtf(x[k]));
    CHOSEN(pli_f4_min(a, b), x[k] < y[k] ? x[k] : y[k]);
    CHOSEN(pli_f4_max(a, b), x[k] > y[k] ? x[k] : y[k]);
    CHOSEN(pli_f4_abs(a), copysignf(x[k], 1.0f));
    TRUTHS(pli_f4_less(a, b), x[k] < y[k]);
    TRUTHS(pli_f4_less_equal(a, b), x[k] <= y[k]);
    TRUTHS(pli_m4_from_signs(pli_m4_cast(a)), sign_of(x[k]));
    CHOSEN(pli_f4_select(pli_f4_less(a, b), a, b), x[k] < y[k] ? x[k] : y[k]);
}

static void check_masks(const float *x, const float *y)
{
    pli_m4 a = pli_m4_from_signs(pli_m4_cast(pli_f4_loadu(x)));
    pli_m4 b = pli_m4_from_signs(pli_m4_cast(pli_f4_loadu(y)));
    TRUTHS(pli_m4_and(a, b), sign_of(x[k]) && sign_of(y[k]));
    TRUTHS(pli_m4_or(a, b), sign_of(x[k]) || sign_of(y[k]));
    TRUTHS(pli_m4_xor(a, b), sign_of(x[k]) != sign_of(y[k]));
    TRUTHS(pli_m4_and_not(a, b), sign_of(x[k]) && !sign_of(y[k]));
}

static void check_moving(const float *x, const float *y)
{
    pli_f4 a = pli_f4_loadu(x), b = pli_f4_loadu(y);
    CHOSEN(pli_f4_set1(x[1]), x[1]);
    CHOSEN(pli_f4_setr(x[3], x[2], x[1], x[0]), x[3 - k]);
    CHOSEN(pli_f4_unpacklo(a, b), k % 2 == 0 ? x[k / 2] : y[k / 2]);
    CHOSEN(pli_f4_unpackhi(a, b), k % 2 == 0 ? x[2 + k / 2] : y[2 + k / 2]);
    CHOSEN(pli_f4_low_halves(a, b), k < 2 ? x[k] : y[k - 2]);
    CHOSEN(pli_f4_high_halves(a, b), k < 2 ? x[k + 2] : y[k]);
    CHOSEN(pli_f4_swap_halves(a), x[(k + 2) % 4]);
    CHOSEN(pli_f4_swap_pairs(a), x[k ^ 1]);
    CHOSEN(pli_f4_set1(pli_f4_first(a)), x[0]);
    CHOSEN(pli_f4_gather(x, pli_n4_loadu(places)), x[places[k]]);
    _Alignas(16) float aligned[4];
    memcpy(aligned, x, sizeof aligned);
    CHOSEN(pli_f4_load(aligned), x[k]);
}

static void check_conversions(const float *x)
{
    float near[4];
    for (int k = 0; k < 4; k++) {
        near[k] = x[k] > -0x1p31f && x[k] < 0x1p31f ? x[k] : 0.0f;
    }
    INTS(pli_n4_of_floats(pli_f4_loadu(near)), (int32_t)near[k]);
    PICKED(pli_d2_of_floats(near), (double)near[k]);
    PICKED(pli_d2_of_floats(near + 2), (double)near[k + 2]);
}

static void check_floats(void)
{
    static const uint32_t bits[] = {
        0,          0x80000000, 1,          0x80000001, 0x007fffff, /* zeros, denormals */
        0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x7f7fffff, /* up to the greatest */
        0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, /* infinities, NaN */
        0x7fc12345, 0xffc54321, 0x3f800000, 0xbf800000, 0x3f800001, /* NaN with a payload, 1 */
        0x3f7fffff, 0x3fc00000, 0xc0490fdb, 0x4b800001, 0xcb7fffff, /* 2^24 and beside it */
        0x4effffff, 0xceffffff, 0x3dcccccd, 0x5f000000, 0x1f800000  /* 2^63 and 2^-64 */
    };
    enum { COUNT = sizeof bits / sizeof *bits };
    float number[COUNT + 3];
    for (int i = 0; i < COUNT + 3; i++) {
        number[i] = float_of(bits[i % COUNT]);
    }
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            check_arithmetic(number + i, number + j);
            check_masks(number + i, number + j);
            check_moving(number + i, number + j);
        }
        check_conversions(number + i);
    }
}

static void check_bits(void)
{
    for (unsigned bits = 0; bits < 16; bits++) {
        TRUTHS(pli_m4_from_bits(bits), bits >> k & 1);
        TRUTHS(pli_m4_from_bits(bits | 0xfffffff0), bits >> k & 1);
    }
}

/* Integers wrap around, which int32 may not in plain C. */
static void check_pair_of_ints(const int32_t *x, const int32_t *y)
{
    pli_n4 a = pli_n4_loadu(x), b = pli_n4_loadu(y);
    INTS(pli_n4_set1(x[2]), x[2]);
    INTS(pli_n4_setr(x[0], y[1], x[2], y[3]), k % 2 == 0 ? x[k] : y[k]);
    INTS(pli_n4_add(a, b), (int32_t)((uint32_t)x[k] + (uint32_t)y[k]));
    INTS(pli_n4_sub(a, b), (int32_t)((uint32_t)x[k] - (uint32_t)y[k]));
    INTS(pli_n4_mullo(a, b), (int32_t)((uint32_t)x[k] * (uint32_t)y[k]));
    INTS(pli_n4_min(a, b), x[k] < y[k] ? x[k] : y[k]);
    INTS(pli_n4_max(a, b), x[k] > y[k] ? x[k] : y[k]);
    INTS(pli_n4_srai(a, 8), x[k] >> 8);
    INTS(pli_n4_slli(a, 8), (int32_t)((uint32_t)x[k] << 8));
    INTS(pli_n4_gather(x, pli_n4_loadu(places)), x[places[k]]);
    TRUTHS(pli_n4_greater(a, b), x[k] > y[k]);
    TRUTHS(pli_n4_equal(a, b), x[k] == y[k]);
    INTS(pli_n4_select(pli_n4_greater(a, b), a, b), x[k] > y[k] ? x[k] : y[k]);
    FLOATS(pli_f4_of_ints(a), (float)x[k]);
}

static void check_ints(void)
{
    static const int32_t special[] = {
        0,    1,     -1,    2,        255,       256,       -256,       INT32_MAX,  INT32_MIN,
        -257, 65535, 65536, 16777217, -16777219, 305419896, 2147483584, -INT32_MAX, 1 << 30};
    enum { COUNT = sizeof special / sizeof *special };
    int32_t number[COUNT + 3];
    for (int i = 0; i < COUNT + 3; i++) {
        number[i] = special[i % COUNT];
    }
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            check_pair_of_ints(number + i, number + j);
        }
    }
}

static void check_pair_of_doubles(const double *x, const double *y)
{
    pli_d2 a = pli_d2_loadu(x), b = pli_d2_loadu(y);
    pli_dm2 less = pli_d2_less(a, b), not_above = pli_d2_less_equal(a, b);
    PICKED(pli_d2_set1(x[1]), x[1]);
    DOUBLES(pli_d2_add(a, b), x[k] + y[k]);
    DOUBLES(pli_d2_sub(a, b), x[k] - y[k]);
    DOUBLES(pli_d2_mul(a, b), x[k] * y[k]);
    DOUBLES(pli_d2_div(a, b), x[k] / y[k]);
    DOUBLES(pli_d2_sqrt(a), sqrt(x[k]));
    PICKED(pli_d2_min(a, b), x[k] < y[k] ? x[k] : y[k]);
    PICKED(pli_d2_max(a, b), x[k] > y[k] ? x[k] : y[k]);
    PICKED(pli_d2_select(less, a, b), x[k] < y[k] ? x[k] : y[k]);
    TWO_TRUTHS(less, x[k] < y[k]);
    TWO_TRUTHS(not_above, x[k] <= y[k]);
    TWO_TRUTHS(pli_dm2_and(less, not_above), x[k] < y[k]);
    TWO_TRUTHS(pli_dm2_or(less, not_above), x[k] <= y[k]);
    TWO_TRUTHS(pli_dm2_xor(less, not_above), x[k] == y[k]);
    TWO_TRUTHS(pli_dm2_and_not(not_above, less), x[k] == y[k]);
}

static void check_doubles(void)
{
    static const uint64_t bits[] = {0,
                                    0x8000000000000000,
                                    1,
                                    0x8000000000000001,
                                    0x000fffffffffffff,
                                    0x0010000000000000,
                                    0x7fefffffffffffff,
                                    0xffefffffffffffff,
                                    0x7ff0000000000000,
                                    0xfff0000000000000,
                                    0x7ff8000000000000,
                                    0xfff8000000000000,
                                    0x7ff8000012345678,
                                    0x3ff0000000000000,
                                    0xbff0000000000000,
                                    0x3ff0000000000001,
                                    0x3fb999999999999a,
                                    0x1ff0000000000000};
    enum { COUNT = sizeof bits / sizeof *bits };
    double number[COUNT + 1];
    for (int i = 0; i < COUNT + 1; i++) {
        number[i] = double_of(bits[i % COUNT]);
    }
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            check_pair_of_doubles(number + i, number + j);
        }
    }
}

#endif

static void check_memory(void)
{
    const float more[4] = {-1.0f, 2.0f, NAN, -0.0f};
    float least[4] = {0.0f, 1.0f, 3.0f, 0.0f}, rows[20], columns[16], wanted[16];
    pli_four_min(least, more);
    compare("pli_four_min", least, (const float[4]){-1.0f, 1.0f, 3.0f, 0.0f}, 4, 4, false);
    for (int i = 0; i < 20; i++) {
        rows[i] = (float)i;
    }
    for (int i = 0; i < 16; i++) {
        wanted[i] = rows[i % 4 * 5 + i / 4];
    }
    pli_four_transpose(rows, 5, columns);
    compare("pli_four_transpose", columns, wanted, 4, 16, false);
}

int main(void)
{
    check_memory();
#if defined(PLI_SIMD4_NAME)
    check_floats();
    check_bits();
    check_ints();
    check_doubles();
    printf("%s: ", PLI_SIMD4_NAME);
#endif
    printf("%d of %d lanes are wrong\n", failures, checks);
    return failures == 0 ? 0 : 1;
}
