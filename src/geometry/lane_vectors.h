/* Vectors in every lane, in double: a part of the files of kernels. They multiply and add in the
   order in which nearest_points.c does, so that their results are the same. */
#ifndef PLI_GEOMETRY_LANE_VECTORS_H
#define PLI_GEOMETRY_LANE_VECTORS_H

#include "base/simd/simd_double.h"

typedef struct lane_vector {
    pli_vd k[3];
} lane_vector;

static inline lane_vector subtract(lane_vector a, lane_vector b)
{
    for (int k = 0; k < 3; k++) {
        a.k[k] = pli_vd_sub(a.k[k], b.k[k]);
    }
    return a;
}

static inline lane_vector minus(lane_vector a)
{
    for (int k = 0; k < 3; k++) {
        a.k[k] = pli_vd_minus(a.k[k]);
    }
    return a;
}

static inline pli_vd dot(lane_vector a, lane_vector b)
{
    return pli_vd_add(pli_vd_add(pli_vd_mul(a.k[0], b.k[0]), pli_vd_mul(a.k[1], b.k[1])),
                      pli_vd_mul(a.k[2], b.k[2]));
}

static inline lane_vector cross(lane_vector a, lane_vector b)
{
    lane_vector r;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r.k[i] = pli_vd_sub(pli_vd_mul(a.k[j], b.k[k]), pli_vd_mul(a.k[k], b.k[j]));
    }
    return r;
}

static inline lane_vector select_vector(pli_vdm m, lane_vector a, lane_vector b)
{
    for (int k = 0; k < 3; k++) {
        b.k[k] = pli_vd_select(m, a.k[k], b.k[k]);
    }
    return b;
}

/* (1 - s) a + s b. */
static inline lane_vector mix(lane_vector a, lane_vector b, pli_vd s)
{
    pli_vd rest = pli_vd_sub(pli_vd_set(1.0), s);
    for (int k = 0; k < 3; k++) {
        a.k[k] = pli_vd_add(pli_vd_mul(rest, a.k[k]), pli_vd_mul(s, b.k[k]));
    }
    return a;
}

#endif
