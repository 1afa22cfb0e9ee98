/*
 * Points in registers, on top of base/simd/simd.h: loading and storing them one by one, and turning
 * four of them into axes.
 */
#ifndef PLI_BASE_SIMD_POINTS_H
#define PLI_BASE_SIMD_POINTS_H

#include "simd.h"

/*
 * pli_vp: PLI_POINTS points side by side, each x, y, z and a fourth lane that means nothing.
 */

#if !defined(PLI_SIMD_PLAIN)

typedef pli_f4 pli_point;

/* Loads one point: 12 bytes if it is the last of its array, else 16. (Masked loads, which would do
   for both, keep some processors from fetching what follows ahead of time.) */
static inline pli_point pli_point_load(const float *p, bool is_last)
{
    return __builtin_expect(is_last, 0) ? pli_f4_setr(p[0], p[1], p[2], 0.0f) : pli_f4_loadu(p);
}

/* Four points become four x, four y and four z. */
static inline void pli_points_transpose(const pli_point p[4], pli_f4 out[3])
{
    pli_f4 ab_xy = pli_f4_unpacklo(p[0], p[1]), cd_xy = pli_f4_unpacklo(p[2], p[3]);
    pli_f4 ab_z = pli_f4_unpackhi(p[0], p[1]), cd_z = pli_f4_unpackhi(p[2], p[3]);
    out[0] = pli_f4_low_halves(ab_xy, cd_xy);
    out[1] = pli_f4_high_halves(ab_xy, cd_xy);
    out[2] = pli_f4_low_halves(ab_z, cd_z);
}

/* Stores the point and a fourth number that means nothing. */
static inline void pli_point_store(float p[4], pli_point a)
{
    pli_f4_storeu(p, a);
}

#else

typedef struct pli_point {
    float lane[3];
} pli_point;

static inline pli_point pli_point_load(const float *p, bool is_last)
{
    (void)is_last;
    pli_point a = {{p[0], p[1], p[2]}};
    return a;
}
static inline void pli_point_store(float p[4], pli_point a)
{
    memcpy(p, a.lane, sizeof a.lane);
}
#endif

/* 16 lanes were measured slower here than 8: joining four points costs more than it saves. */
#if defined(PLI_SIMD_AVX2) || defined(PLI_SIMD_AVX512)

enum { PLI_POINTS = 2 };
typedef __m256 pli_vp;

static inline pli_vp pli_vp_join(const pli_point p[PLI_POINTS])
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(p[0]), p[1], 1);
}
/* The two points exchanged, where there are two. */
static inline pli_vp pli_vp_exchange(pli_vp a)
{
    return _mm256_permute2f128_ps(a, a, 1);
}
static inline pli_point pli_vp_first(pli_vp a)
{
    return _mm256_castps256_ps128(a);
}
PLI_DEFINE_ARITHMETIC(pli_vp, float, _mm256_, _ps)

#elif defined(PLI_SIMD_BASELINE)

enum { PLI_POINTS = 1 };
typedef pli_f4 pli_vp;

static inline pli_vp pli_vp_join(const pli_point p[PLI_POINTS])
{
    return p[0];
}
static inline pli_vp pli_vp_exchange(pli_vp a)
{
    return a;
}
static inline pli_point pli_vp_first(pli_vp a)
{
    return a;
}
PLI_DEFINE_ARITHMETIC(pli_vp, float, pli_f4_, )

#else

enum { PLI_POINTS = 1 };
typedef pli_point pli_vp;

static inline pli_vp pli_vp_join(const pli_point p[PLI_POINTS])
{
    return p[0];
}
static inline pli_vp pli_vp_exchange(pli_vp a)
{
    return a;
}
static inline pli_point pli_vp_first(pli_vp a)
{
    return a;
}
static inline pli_vp pli_vp_set(float x)
{
    pli_vp a = {{x, x, x}};
    return a;
}
static inline pli_vp pli_vp_min(pli_vp a, pli_vp b)
{
    for (int k = 0; k < 3; k++) {
        a.lane[k] = pli_vf_min(a.lane[k], b.lane[k]);
    }
    return a;
}
static inline pli_vp pli_vp_max(pli_vp a, pli_vp b)
{
    for (int k = 0; k < 3; k++) {
        a.lane[k] = pli_vf_max(a.lane[k], b.lane[k]);
    }
    return a;
}
static inline pli_vp pli_vp_add(pli_vp a, pli_vp b)
{
    for (int k = 0; k < 3; k++) {
        a.lane[k] += b.lane[k];
    }
    return a;
}

#endif

#endif
