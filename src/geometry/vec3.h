/* Points of three float32 coordinates: the comparisons that the exact tests need, and normals. */
#ifndef PLI_GEOMETRY_VEC3_H
#define PLI_GEOMETRY_VEC3_H

#include <math.h>
#include <stdbool.h>

/* The axis after `i` in the cycle x, y, z. */
static inline int pli_next_axis(int i)
{
    return i == 2 ? 0 : i + 1;
}

static inline bool pli_vec3_equal(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Negative, zero or positive as a comes before, at or after b in the lexicographic order. Along a
   straight line that order is the order of the points on the line. */
static inline int pli_vec3_compare(const float a[3], const float b[3])
{
    for (int i = 0; i < 3; ++i) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static inline float pli_min(float x, float y)
{
    return y < x ? y : x;
}

static inline float pli_max(float x, float y)
{
    return y > x ? y : x;
}

/* Whether p lies in the smallest box that holds a and b. */
static inline bool pli_vec3_between(const float p[3], const float a[3], const float b[3])
{
    for (int i = 0; i < 3; ++i) {
        if (p[i] < pli_min(a[i], b[i]) || p[i] > pli_max(a[i], b[i])) {
            return false;
        }
    }
    return true;
}

/* The unit normal of a triangle by the order of its corners, in double, for use and not for proof;
   0 if what is computed of it is. */
static inline void pli_unit_normal(const float corner[3][3], double normal[3])
{
    double u[3], v[3], square = 0.0;
    for (int k = 0; k < 3; k++) {
        u[k] = (double)corner[1][k] - (double)corner[0][k];
        v[k] = (double)corner[2][k] - (double)corner[0][k];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        normal[i] = u[j] * v[k] - u[k] * v[j];
        square += normal[i] * normal[i];
    }
    double scale = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
    for (int k = 0; k < 3; k++) {
        normal[k] *= scale;
    }
}

#endif
