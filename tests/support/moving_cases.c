#include "moving_cases.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

const char *moving_family_name(int family)
{
    static const char *const names[MOVING_FAMILIES] = {
        "general position",    "grid of 3",    "grid of 7",       "in a plane",
        "on a line",           "half at rest", "every magnitude", "swapping sides",
        "common points",       "few powers",   "tangent",         "in a tilted plane",
        "shrinking or growing"};
    return names[family];
}

static float on_grid(rng *r, int side)
{
    return (float)((int)rng_below(r, (uint64_t)side) - side / 2);
}

static float general(rng *r)
{
    return (float)rng_range(r, -1.0, 1.0);
}

/* A coordinate of a family in which coordinates have little to do with each other. */
static float coordinate(int family, rng *r, int point, int end, int axis, float x[][2][3])
{
    switch (family) {
    case 1:
        return on_grid(r, 3);
    case 2:
        return on_grid(r, 7);
    case 3:
        return axis == 2 ? 0.5f : on_grid(r, 5);
    case 4:
        return axis > 0 ? 0.0f : on_grid(r, 5);
    case 5:
        return end == 1 && rng_below(r, 2) == 0 ? x[point][0][axis] : on_grid(r, 5);
    case 6:
        return (float)ldexp(rng_range(r, -1.0, 1.0), (int)rng_below(r, 253) - 126);
    case 7:
        return axis == 2 ? (float)(point == 0 ? 1 : -1) * (float)(end == 0 ? 1 : -1) : general(r);
    case 8:
        return point > 0 && rng_below(r, 3) == 0 ? x[point - 1][end][axis] : general(r);
    case 9:
        return ldexpf(on_grid(r, 3), (int)rng_below(r, 4) * 60 - 120);
    default:
        return general(r);
    }
}

/* Points that come from one side to a plane and go back: the cubic has a double root, or nearly. */
static void set_tangent(rng *r, int count, float x[][2][3])
{
    for (int i = 0; i < count; i++) {
        for (int end = 0; end < 2; end++) {
            x[i][end][0] = on_grid(r, 5);
            x[i][end][1] = on_grid(r, 5);
            x[i][end][2] = (float)(i % 2 == end) + (rng_below(r, 8) == 0 ? 0x1p-20f : 0.0f);
        }
    }
}

/* All points in a plane through the origin, with integers that its equation keeps: z = a x + b y.
 */
static void tilt(rng *r, int count, float x[][2][3])
{
    float a = on_grid(r, 5), b = on_grid(r, 5);
    for (int i = 0; i < 2 * count; i++) {
        float *p = x[i / 2][i % 2];
        p[0] = on_grid(r, 7);
        p[1] = on_grid(r, 7);
        p[2] = a * p[0] + b * p[1];
    }
}

/* Points spread over a body at one end of the step, and almost one point at the other end. */
static void shrink(rng *r, int count, float x[][2][3])
{
    int small = (int)rng_below(r, 2);
    for (int i = 0; i < 6 * count; i++) {
        bool is_small = i / 3 % 2 == small;
        x[i / 6][i / 3 % 2][i % 3] = is_small ? ldexpf(on_grid(r, 5), -140) : general(r);
    }
}

void moving_case(int family, rng *r, int count, float x[][2][3])
{
    if (family == 10) {
        set_tangent(r, count, x);
        return;
    }
    if (family == 11) {
        tilt(r, count, x);
        return;
    }
    if (family == 12) {
        shrink(r, count, x);
        return;
    }
    for (int i = 0; i < 6 * count; i++) {
        int point = i / 6, end = i / 3 % 2, axis = i % 3;
        x[point][end][axis] = coordinate(family, r, point, end, axis, x);
    }
}
