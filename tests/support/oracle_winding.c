/*
 * Winding numbers by another way than the library's: along a line in a direction without any
 * relation to the axes, whose crossings are decided by orientation signs. Signs that double
 * arithmetic leaves the slightest doubt about are those of integers (oracle_orient3d()). A line
 * that meets an edge or a corner is given up for another one.
 */
#include "oracle.h"

#include <math.h>
#include <stdbool.h>

/* The sign of |b-a, c-a, d-a|. The double result is believed where it is more than a thousand times
   what rounding can do. */
static int side_of(const float a[3], const float b[3], const float c[3], const float d[3])
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - a[k];
        v[k] = (double)c[k] - a[k];
        w[k] = (double)d[k] - a[k];
    }
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        sum += w[i] * (u[j] * v[k] - u[k] * v[j]);
        size += fabs(w[i]) * (fabs(u[j] * v[k]) + fabs(u[k] * v[j]));
    }
    if (fabs(sum) > 0x1p-40 * size) {
        return sum > 0.0 ? 1 : -1;
    }
    return oracle_orient3d(a, b, c, d);
}

/* A point far beyond the others in some direction; its coordinates are what they are rounded to. */
static void far_point(const float point[3], double size, unsigned attempt, float far[3])
{
    static const double directions[4][3] = {{0.7236, 0.5257, 0.4472},
                                            {-0.2764, 0.8507, -0.4472},
                                            {0.5173, -0.3319, 0.7888},
                                            {-0.6127, -0.7413, 0.2741}};
    const double *direction = directions[attempt % 4];
    for (int k = 0; k < 3; k++) {
        far[k] = (float)(point[k] + size * (1.0 + 0.37 * (double)(attempt / 4)) * direction[k] +
                         size * 0x1p-12 * (double)(attempt * (unsigned)(k + 1)));
    }
}

typedef enum verdict { COUNTED, UNLUCKY, ON_SURFACE } verdict;

/* One more or less if the segment from p to q passes through. Unlucky is a line that meets the
   border, or whose end does not tell. */
static verdict count_triangle(const float p[3], const float q[3], const float corner[3][3],
                              int *count)
{
    int side[3];
    for (int i = 0; i < 3; i++) {
        side[i] = side_of(p, q, corner[i], corner[(i + 1) % 3]);
    }
    bool positive = side[0] > 0 || side[1] > 0 || side[2] > 0;
    bool negative = side[0] < 0 || side[1] < 0 || side[2] < 0;
    if (positive && negative) {
        return COUNTED; /* the line passes beside it */
    }
    int from = side_of(corner[0], corner[1], corner[2], p);
    int to = side_of(corner[0], corner[1], corner[2], q);
    if (from * to > 0) {
        return COUNTED;
    }
    if (side[0] == 0 || side[1] == 0 || side[2] == 0 || to == 0) {
        return UNLUCKY;
    }
    *count += to; /* the normal points to where the segment ends: it leaves */
    return from == 0 ? ON_SURFACE : COUNTED;
}

bool oracle_winding(const float (*corners)[3][3], uint32_t count, const float point[3],
                    int *winding)
{
    double size = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 9; k++) {
            size = fmax(size, fabs((double)corners[i][k / 3][k % 3] - point[k % 3]));
        }
    }
    for (unsigned attempt = 0; attempt < 24; attempt++) {
        float far[3];
        verdict so_far = COUNTED;
        far_point(point, 4.0 * size, attempt, far);
        *winding = 0;
        for (uint32_t i = 0; i < count && so_far == COUNTED; i++) {
            so_far = count_triangle(point, far, corners[i], winding);
        }
        if (so_far != UNLUCKY) {
            return so_far == COUNTED;
        }
    }
    return false;
}
