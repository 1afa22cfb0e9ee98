/*
 * The triangle test for libraries that leave it to their users: the library's exact one behind a
 * float32 filter. The filter answers only where the corners of one triangle all lie on one side of
 * the other's plane by more than the arithmetic can be wrong, which settles most pairs of triangles
 * whose boxes overlap; so peers lose nothing by answering exactly.
 */
#ifndef BENCH_PEERS_TRIANGLE_HPP
#define BENCH_PEERS_TRIANGLE_HPP

#include <cmath>
#include <cstring>

#include "adaptor.hpp"
#include "pliant/triangle.h"

/* Whether all of t lies on one side of the plane of s, for certain. */
inline bool one_side(const float *const s[3], const float *const t[3])
{
    float u[3], v[3], w[3][3], longest = 0.0f, farthest = 0.0f;
    for (int k = 0; k < 3; k++) {
        u[k] = s[1][k] - s[0][k];
        v[k] = s[2][k] - s[0][k];
        longest = std::max(longest, std::max(std::fabs(u[k]), std::fabs(v[k])));
        for (int i = 0; i < 3; i++) {
            w[i][k] = t[i][k] - s[0][k];
            farthest = std::max(farthest, std::fabs(w[i][k]));
        }
    }
    float normal[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                       u[0] * v[1] - u[1] * v[0]};
    /* Six products of three factors, each rounded fewer than ten times; 1e-30 covers underflow. */
    float error = 8e-6f * longest * longest * farthest + 1e-30f;
    float d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = normal[0] * w[i][0] + normal[1] * w[i][1] + normal[2] * w[i][2];
    }
    return (d[0] > error && d[1] > error && d[2] > error) ||
           (d[0] < -error && d[1] < -error && d[2] < -error);
}

inline bool triangles_touch(const surface &a, uint32_t i, const surface &b, uint32_t j)
{
    const float *s[3] = {a.corner(i, 0), a.corner(i, 1), a.corner(i, 2)};
    const float *t[3] = {b.corner(j, 0), b.corner(j, 1), b.corner(j, 2)};
    if (one_side(s, t) || one_side(t, s)) {
        return false;
    }
    pliant_triangle triangles[2];
    for (int k = 0; k < 3; k++) {
        std::memcpy(triangles[0].corner[k], s[k], sizeof triangles[0].corner[k]);
        std::memcpy(triangles[1].corner[k], t[k], sizeof triangles[1].corner[k]);
    }
    return pliant_triangle_overlap(&triangles[0], &triangles[1]);
}

#endif
