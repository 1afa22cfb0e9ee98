#include "orient.h"

#include <string.h>

#include "base/float_env.h"
#include "base/int128.h"
#include "pliant/triangle.h"
#include "wide.h"

#define ORIENT3D_BITS       40
#define ORIENT2D_BITS       50

#define FLOAT_INFINITY_WORD 0x7f800000u

static void count_fallback(uint64_t *fallbacks)
{
    if (fallbacks != NULL) {
        ++*fallbacks;
    }
}

static void subtract_points(pli_wide r[3], const float a[3], const float b[3], int unit)
{
    pli_wide from;
    for (int i = 0; i < 3; ++i) {
        pli_wide_from_float(&r[i], b[i], unit);
        pli_wide_from_float(&from, a[i], unit);
        pli_wide_subtract(&r[i], &r[i], &from);
    }
}

static int common_unit(const float *const *point, int count)
{
    int unit = 1000;
    for (int p = 0; p < count; ++p) {
        for (int i = 0; i < 3; ++i) {
            int own = pli_float_unit(point[p][i]);
            unit = own < unit ? own : unit;
        }
    }
    return unit;
}

/* r = |b-a, c-a, d-a| in units of 2^(3 unit); returns the unit. */
static int orient3d_wide(pli_wide *r, const float a[3], const float b[3], const float c[3],
                         const float d[3])
{
    const float *point[4] = {a, b, c, d};
    int unit = common_unit(point, 4);
    pli_wide u[3];
    pli_wide v[3];
    pli_wide w[3];
    pli_wide n[3];
    subtract_points(u, a, b, unit);
    subtract_points(v, a, c, unit);
    subtract_points(w, a, d, unit);
    pli_wide_cross(n, u, v);
    pli_wide_dot(r, n, w);
    return unit;
}

static int orient2d_wide(pli_wide *r, const float a[3], const float b[3], const float c[3],
                         int axis)
{
    const float *point[3] = {a, b, c};
    int unit = common_unit(point, 3);
    int j = pli_next_axis(axis);
    int k = pli_next_axis(j);
    pli_wide u[3];
    pli_wide v[3];
    subtract_points(u, a, b, unit);
    subtract_points(v, a, c, unit);
    pli_wide_minor(r, &u[j], &u[k], &v[j], &v[k]);
    return unit;
}

#if PLI_HAVE_INT128
static int sign_of(pli_int128 x)
{
    return (x > 0) - (x < 0);
}

static inline uint32_t magnitude_word(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word & 0x7fffffffu;
}

/* The power of two that brings magnitudes up to the one given, as a word, below 2^bits. */
static inline double scale_below(uint32_t largest, int bits)
{
    uint64_t word = ((uint64_t)(1023 + 126 + bits) - (largest >> 23)) << 52;
    double scale;
    memcpy(&scale, &word, sizeof scale);
    return scale;
}

/*
 * x scaled, if that is an integer below 2^50; clears *fits otherwise. Adding 1.5 * 2^52 rounds to
 * an integer, which then stands in the low bits of the sum; subtracting it again shows whether
 * anything was lost.
 */
static inline int64_t to_integer(float x, double scale, bool *fits)
{
    const double shifter = 0x1.8p52;
    double scaled = (double)x * scale;
    double shifted = scaled + shifter;
    *fits &= shifted - shifter == scaled;
    int64_t word;
    int64_t zero;
    memcpy(&word, &shifted, sizeof word);
    memcpy(&zero, &shifter, sizeof zero);
    return (int64_t)((uint64_t)word - (uint64_t)zero);
}

/*
 * Tier 2. Coordinates of 40 bits and a sign have differences of magnitude at most 2^41, so the six
 * products of three differences sum to at most 6 * 2^123 < 2^126. Returns false if they do not fit.
 */
static inline bool orient3d_int128(const float *const point[4], int *sign)
{
    uint32_t largest = 0;
    for (int p = 0; p < 4; ++p) {
        for (int i = 0; i < 3; ++i) {
            uint32_t word = magnitude_word(point[p][i]);
            largest = word > largest ? word : largest;
        }
    }
    if (largest >= FLOAT_INFINITY_WORD) {
        return false;
    }
    double scale = scale_below(largest, ORIENT3D_BITS);
    bool fits = true;
    int64_t u[3];
    int64_t v[3];
    int64_t w[3];
    for (int i = 0; i < 3; ++i) {
        int64_t origin = to_integer(point[0][i], scale, &fits);
        u[i] = to_integer(point[1][i], scale, &fits) - origin;
        v[i] = to_integer(point[2][i], scale, &fits) - origin;
        w[i] = to_integer(point[3][i], scale, &fits) - origin;
    }
    if (!fits) {
        return false;
    }
    pli_int128 sum = 0;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        int k = (i + 2) % 3;
        pli_int128 n = (pli_int128)u[j] * v[k] - (pli_int128)u[k] * v[j];
        sum += n * w[i];
    }
    *sign = sign_of(sum);
    return true;
}

/* Coordinates of 50 bits and a sign: two products of differences sum to at most 2 * 2^102. */
static inline bool orient2d_int128(const float *const point[3], int j, int k, int *sign)
{
    uint32_t largest = 0;
    for (int p = 0; p < 3; ++p) {
        uint32_t word_j = magnitude_word(point[p][j]);
        uint32_t word_k = magnitude_word(point[p][k]);
        largest = word_j > largest ? word_j : largest;
        largest = word_k > largest ? word_k : largest;
    }
    if (largest >= FLOAT_INFINITY_WORD) {
        return false;
    }
    double scale = scale_below(largest, ORIENT2D_BITS);
    bool fits = true;
    int64_t x[3];
    int64_t y[3];
    for (int p = 0; p < 3; ++p) {
        x[p] = to_integer(point[p][j], scale, &fits);
        y[p] = to_integer(point[p][k], scale, &fits);
    }
    if (!fits) {
        return false;
    }
    pli_int128 plus = (pli_int128)(x[1] - x[0]) * (y[2] - y[0]);
    pli_int128 minus = (pli_int128)(y[1] - y[0]) * (x[2] - x[0]);
    *sign = sign_of(plus - minus);
    return true;
}
#else
/* Without such integers everything goes to tier 3. */
static inline bool orient3d_int128(const float *const point[4], int *sign)
{
    (void)point;
    (void)sign;
    return false;
}

static inline bool orient2d_int128(const float *const point[3], int j, int k, int *sign)
{
    (void)point;
    (void)j;
    (void)k;
    (void)sign;
    return false;
}
#endif

int pli_orient3d_exact(const float a[3], const float b[3], const float c[3], const float d[3],
                       uint64_t *fallbacks)
{
    count_fallback(fallbacks);
    if (pli_vec3_equal(a, b) || pli_vec3_equal(a, c) || pli_vec3_equal(a, d) ||
        pli_vec3_equal(b, c) || pli_vec3_equal(b, d) || pli_vec3_equal(c, d)) {
        return 0;
    }
    const float *point[4] = {a, b, c, d};
    int sign;
    if (orient3d_int128(point, &sign)) {
        return sign;
    }
    pli_wide r;
    orient3d_wide(&r, a, b, c, d);
    return r.sign;
}

int pli_orient2d_exact(const float a[3], const float b[3], const float c[3], int axis,
                       uint64_t *fallbacks)
{
    count_fallback(fallbacks);
    int j = pli_next_axis(axis);
    const float *point[3] = {a, b, c};
    int sign;
    if (orient2d_int128(point, j, pli_next_axis(j), &sign)) {
        return sign;
    }
    pli_wide r;
    orient2d_wide(&r, a, b, c, axis);
    return r.sign;
}

/* An estimate this far above the bound of its error has 30 bits right. */
#define VALUE_MARGIN 0x1p31

double pli_orient3d_value(const float a[3], const float b[3], const float c[3], const float d[3])
{
    pli_plane plane;
    pli_plane_set(&plane, a, b, c);
    pli_estimate s = pli_plane_estimate(&plane, d);
    if (fabs(s.value) > VALUE_MARGIN * PLI_ORIENT3D_BOUND * s.permanent) {
        return s.value;
    }
    pli_wide r;
    int unit = orient3d_wide(&r, a, b, c, d);
    return pli_wide_to_double(&r, 3 * unit);
}

double pli_orient2d_value(const float a[3], const float b[3], const float c[3], int axis)
{
    pli_estimate s = pli_orient2d_estimate(a, b, c, axis);
    if (fabs(s.value) > VALUE_MARGIN * PLI_ORIENT2D_BOUND * s.permanent) {
        return s.value;
    }
    pli_wide r;
    int unit = orient2d_wide(&r, a, b, c, axis);
    return pli_wide_to_double(&r, 2 * unit);
}

static PLI_NOINLINE int orient3d_default_env(const float a[3], const float b[3], const float c[3],
                                             const float d[3])
{
    return pli_orient3d(a, b, c, d, NULL);
}

int pliant_orient3d(const float a[3], const float b[3], const float c[3], const float d[3])
{
    pli_float_env saved = pli_float_env_enter();
    int sign = orient3d_default_env(a, b, c, d);
    pli_float_env_leave(saved);
    return sign;
}
