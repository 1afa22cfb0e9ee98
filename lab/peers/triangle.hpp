/*
 * The triangle test for libraries that leave it to their users: the library's exact one behind a
 * float32 filter. The filter answers only where the corners of one triangle all lie on one side of
 * the other's plane by more than the arithmetic can be wrong, which settles most pairs of triangles
 * whose boxes overlap; so peers lose nothing by answering exactly.
 */
#ifndef BENCH_PEERS_TRIANGLE_HPP
#define BENCH_PEERS_TRIANGLE_HPP

#include <cstring>

#include "adaptor.hpp"
#include "one_side.h"
#include "pliant/triangle.h"

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
