/*
 * Two triangles in whole numbers. Coordinates that are multiples of one power of two, and at most
 * 40 bits of it, have differences of 41 bits; minors of two have 83 and determinants of three 126,
 * so that signs are exact in 128 bits. What has a wider range, and degenerate triangles where they
 * matter, stay unsure: the processor's exact test decides them. The rules are those of the core,
 * which has their proofs (triangle_overlap.c).
 */
#ifndef PLI_CUDA_EXACT_H
#define PLI_CUDA_EXACT_H

#include "decide.h"

__extension__ typedef __int128 pli_cuda_wide;

enum { PLI_CUDA_EXACT_BITS = 40 };

typedef struct pli_cuda_point {
    int64_t at[3];
} pli_cuda_point;

/* Two triangles. */
typedef struct pli_cuda_whole {
    pli_cuda_point of[2][3];
} pli_cuda_whole;

PLI_DEVICE int pli_wide_sign(pli_cuda_wide value)
{
    return (value > 0) - (value < 0);
}

/* The sign of |b - a, c - a, d - a|. */
PLI_DEVICE_CALL int pli_exact_orient(const pli_cuda_point *a, const pli_cuda_point *b,
                                     const pli_cuda_point *c, const pli_cuda_point *d)
{
    int64_t u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b->at[k] - a->at[k];
        v[k] = c->at[k] - a->at[k];
        w[k] = d->at[k] - a->at[k];
    }
    pli_cuda_wide x = (pli_cuda_wide)u[1] * v[2] - (pli_cuda_wide)u[2] * v[1];
    pli_cuda_wide y = (pli_cuda_wide)u[2] * v[0] - (pli_cuda_wide)u[0] * v[2];
    pli_cuda_wide z = (pli_cuda_wide)u[0] * v[1] - (pli_cuda_wide)u[1] * v[0];
    return pli_wide_sign(x * w[0] + y * w[1] + z * w[2]);
}

/* The turn from a over b to c, seen along an axis. */
PLI_DEVICE_CALL int pli_exact_turn(const pli_cuda_point *a, const pli_cuda_point *b,
                                   const pli_cuda_point *c, int axis)
{
    int x = axis == 2 ? 0 : axis + 1, y = x == 2 ? 0 : x + 1;
    return pli_wide_sign((pli_cuda_wide)(b->at[x] - a->at[x]) * (c->at[y] - a->at[y]) -
                         (pli_cuda_wide)(b->at[y] - a->at[y]) * (c->at[x] - a->at[x]));
}

/* An axis along which a triangle has an area, or -1: it is degenerate. */
PLI_DEVICE int pli_exact_axis(const pli_cuda_point t[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (pli_exact_turn(&t[0], &t[1], &t[2], axis) != 0) {
            return axis;
        }
    }
    return -1;
}

/* Mantissa and exponent of a float. */
PLI_DEVICE void pli_float_parts(float x, int32_t *mantissa, int *exponent)
{
    int32_t bits = pli_bits_of(x), field = bits >> 23 & 255, low = bits & 0x7fffff;
    *exponent = (field > 0 ? field : 1) - 150;
    *mantissa = field > 0 ? low | 0x800000 : low;
    *mantissa = bits < 0 ? -*mantissa : *mantissa;
}

/* Corners as multiples of one power of two; false where they need more than 40 bits. */
PLI_DEVICE bool pli_to_whole(const pli_cuda_corners *c, pli_cuda_whole *whole)
{
    int lowest = 1000, highest = -1000, exponent;
    int32_t mantissa;
    for (int i = 0; i < 18; i++) {
        pli_float_parts(c->at[i / 9][i / 3 % 3][i % 3], &mantissa, &exponent);
        if (mantissa != 0) {
            int low = exponent + (int)pli_lowest_bit((uint32_t)mantissa);
            lowest = low < lowest ? low : lowest;
            highest = exponent + 24 > highest ? exponent + 24 : highest;
        }
    }
    if (highest - lowest > PLI_CUDA_EXACT_BITS) {
        return false;
    }
    for (int i = 0; i < 18; i++) {
        pli_float_parts(c->at[i / 9][i / 3 % 3][i % 3], &mantissa, &exponent);
        int shift = mantissa != 0 ? exponent - lowest : 0;
        int64_t x = mantissa;
        whole->of[i / 9][i / 3 % 3].at[i % 3] =
            shift >= 0 ? x * ((int64_t)1 << shift) : x / ((int64_t)1 << -shift);
    }
    return true;
}

/* Whether an edge of a has all of b strictly beyond it; a goes round by `turn`. */
PLI_DEVICE bool pli_exact_edge_parts(const pli_cuda_point a[3], const pli_cuda_point b[3], int axis,
                                     int turn)
{
    for (int i = 0; i < 3; i++) {
        const pli_cuda_point *end = &a[(i + 1) % 3];
        if (turn * pli_exact_turn(&a[i], end, &b[0], axis) < 0 &&
            turn * pli_exact_turn(&a[i], end, &b[1], axis) < 0 &&
            turn * pli_exact_turn(&a[i], end, &b[2], axis) < 0) {
            return true;
        }
    }
    return false;
}

/* Triangles of one plane. */
PLI_DEVICE int pli_exact_flat(const pli_cuda_point a[3], const pli_cuda_point b[3])
{
    int axis = pli_exact_axis(a);
    int turn_a = axis >= 0 ? pli_exact_turn(&a[0], &a[1], &a[2], axis) : 0;
    int turn_b = axis >= 0 ? pli_exact_turn(&b[0], &b[1], &b[2], axis) : 0;
    if (turn_a == 0 || turn_b == 0) {
        return PLI_CUDA_UNSURE;
    }
    return pli_exact_edge_parts(a, b, axis, turn_a) || pli_exact_edge_parts(b, a, axis, turn_b)
               ? PLI_CUDA_APART
               : PLI_CUDA_TOUCH;
}

/* A corner that is above the plane, or in it, while the others are below or in it, and further so;
   or the reverse: then *below is 1. The sides are not all one. */
PLI_DEVICE int pli_exact_lone(const int side[3], int *below)
{
    for (int i = 0; i < 3; i++) {
        int p = side[i], q = side[(i + 1) % 3], r = side[(i + 2) % 3];
        if (p >= 0 && q <= 0 && r <= 0 && p > q && p > r) {
            *below = 0;
            return i;
        }
        if (p <= 0 && q >= 0 && r >= 0 && p < q && p < r) {
            *below = 1;
            return i;
        }
    }
    *below = 0;
    return 0;
}

PLI_DEVICE int pli_exact_overlap(const pli_cuda_point a[3], const pli_cuda_point b[3])
{
    int side_a[3], side_b[3], below_a, below_b;
    for (int i = 0; i < 3; i++) {
        side_a[i] = pli_exact_orient(&b[0], &b[1], &b[2], &a[i]);
    }
    if (side_a[0] == side_a[1] && side_a[1] == side_a[2]) {
        return side_a[0] == 0 ? pli_exact_flat(a, b) : PLI_CUDA_APART;
    }
    for (int i = 0; i < 3; i++) {
        side_b[i] = pli_exact_orient(&a[0], &a[1], &a[2], &b[i]);
    }
    if (side_b[0] == side_b[1] && side_b[1] == side_b[2]) {
        return side_b[0] == 0 ? pli_exact_flat(a, b) : PLI_CUDA_APART;
    }
    int i = pli_exact_lone(side_a, &below_a), k = pli_exact_lone(side_b, &below_b);
    const pli_cuda_point *q = &a[(i + 1 + below_b) % 3], *r = &a[(i + 2 - below_b) % 3];
    const pli_cuda_point *v = &b[(k + 1 + below_a) % 3], *w = &b[(k + 2 - below_a) % 3];
    bool touch =
        pli_exact_orient(&a[i], q, &b[k], v) <= 0 && pli_exact_orient(&a[i], r, &b[k], w) >= 0;
    return touch ? PLI_CUDA_TOUCH : PLI_CUDA_APART;
}

/* Triangles with the edge from u to v in common; p and r are their third corners. */
PLI_DEVICE int pli_exact_beyond_edge(const pli_cuda_point *u, const pli_cuda_point *v,
                                     const pli_cuda_point *p, const pli_cuda_point *r)
{
    if (pli_exact_orient(u, v, p, r) != 0) {
        return PLI_CUDA_APART;
    }
    bool on_line = true;
    for (int axis = 0; axis < 3; axis++) {
        int side_p = pli_exact_turn(u, v, p, axis), side_r = pli_exact_turn(u, v, r, axis);
        if (side_p * side_r != 0) {
            return side_p == side_r ? PLI_CUDA_TOUCH : PLI_CUDA_APART;
        }
        on_line = on_line && side_p == 0 && side_r == 0;
    }
    return on_line ? PLI_CUDA_UNSURE : PLI_CUDA_APART;
}

/* Whether a segment whose ends are not both in the plane of (v, r, s), and not both on one side of
   it, meets that triangle. */
PLI_DEVICE bool pli_exact_segment_meets(const pli_cuda_point *p, const pli_cuda_point *q,
                                        const pli_cuda_point *v, const pli_cuda_point *r,
                                        const pli_cuda_point *s)
{
    int i = pli_exact_orient(p, q, v, r), j = pli_exact_orient(p, q, r, s);
    int k = pli_exact_orient(p, q, s, v);
    return (i >= 0 && j >= 0 && k >= 0) || (i <= 0 && j <= 0 && k <= 0);
}

/* Whether x lies in the angle at v from p to q, which goes round counterclockwise. */
PLI_DEVICE bool pli_exact_between(const pli_cuda_point *v, const pli_cuda_point *p,
                                  const pli_cuda_point *q, const pli_cuda_point *x, int axis)
{
    return pli_exact_turn(v, p, x, axis) >= 0 && pli_exact_turn(v, x, q, axis) >= 0;
}

/* Triangles of one plane that have corner v in common. */
PLI_DEVICE bool pli_exact_angles_meet(const pli_cuda_point *v, const pli_cuda_point *p,
                                      const pli_cuda_point *q, const pli_cuda_point *r,
                                      const pli_cuda_point *s, int axis)
{
    bool left_a = pli_exact_turn(v, p, q, axis) > 0, left_b = pli_exact_turn(v, r, s, axis) > 0;
    const pli_cuda_point *first = left_a ? p : q, *second = left_a ? q : p;
    const pli_cuda_point *third = left_b ? r : s, *fourth = left_b ? s : r;
    return pli_exact_between(v, first, second, third, axis) ||
           pli_exact_between(v, third, fourth, first, axis);
}

/* Triangles (v, p, q) and (v, r, s), with corner v in common. */
PLI_DEVICE int pli_exact_beyond_corner(const pli_cuda_whole *t, int i, int k)
{
    const pli_cuda_point *v = &t->of[0][i], *p = &t->of[0][(i + 1) % 3],
                         *q = &t->of[0][(i + 2) % 3];
    const pli_cuda_point *r = &t->of[1][(k + 1) % 3], *s = &t->of[1][(k + 2) % 3];
    int side_p = pli_exact_orient(v, r, s, p), side_q = pli_exact_orient(v, r, s, q);
    if (side_p * side_q > 0) {
        return PLI_CUDA_APART;
    }
    int side_r = pli_exact_orient(v, p, q, r), side_s = pli_exact_orient(v, p, q, s);
    if (side_r * side_s > 0) {
        return PLI_CUDA_APART;
    }
    int axis = pli_exact_axis(t->of[0]);
    if (axis < 0 || pli_exact_axis(t->of[1]) < 0) {
        return PLI_CUDA_UNSURE;
    }
    bool more = side_p == 0 && side_q == 0 ? pli_exact_angles_meet(v, p, q, r, s, axis)
                                           : pli_exact_segment_meets(p, q, v, r, s) ||
                                                 pli_exact_segment_meets(r, s, v, p, q);
    return more ? PLI_CUDA_TOUCH : PLI_CUDA_APART;
}

/* A candidate that filters left; UNSURE: the processor decides. */
PLI_DEVICE int pli_exact_decide(const pli_cuda_corners *c, const pli_cuda_shared *shared)
{
    pli_cuda_whole whole;
    if (!pli_to_whole(c, &whole)) {
        return PLI_CUDA_UNSURE;
    }
    if (shared->count == 0) {
        return pli_exact_overlap(whole.of[0], whole.of[1]);
    }
    int i = shared->corner[0][0], k = shared->corner[1][0];
    if (shared->count == 1) {
        return pli_exact_beyond_corner(&whole, i, k);
    }
    int rest_a = 3 - i - shared->corner[0][1], rest_b = 3 - k - shared->corner[1][1];
    return pli_exact_beyond_edge(&whole.of[0][i], &whole.of[0][shared->corner[0][1]],
                                 &whole.of[0][rest_a], &whole.of[1][rest_b]);
}

#endif
