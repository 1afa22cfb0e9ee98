/*
 * What floating-point arithmetic can say for certain about two triangles. Included twice, with REAL
 * float and double, NAME(x) the name of a function for it and ROUNDING half the distance from 1 to
 * the next number, u below.
 *
 * Let R be the largest difference of a coordinate between two of the six corners. A difference is
 * off by u of itself, a product of two by 3 u, a difference of two such products, each at most R R,
 * by 4 u 2 R R = 8 u R R; times a third difference and summed over three axes, a determinant is off
 * by less than 8 u 6 R R R = 48 u R R R but for squares of u. FLAT and SOLID are a little more than
 * these factors. In float R stays below 2^40, so that nothing overflows, and what underflows is
 * covered by the constants that are added. NaN compares as false and stays undecided.
 */

typedef struct NAME(point) {
    REAL x, y, z;
} NAME(point);

PLI_DEVICE NAME(point) NAME(less)(NAME(point) a, NAME(point) b)
{
    NAME(point) d;
    d.x = a.x - b.x;
    d.y = a.y - b.y;
    d.z = a.z - b.z;
    return d;
}

PLI_DEVICE NAME(point) NAME(cross)(NAME(point) a, NAME(point) b)
{
    NAME(point) n;
    n.x = a.y * b.z - a.z * b.y;
    n.y = a.z * b.x - a.x * b.z;
    n.z = a.x * b.y - a.y * b.x;
    return n;
}

PLI_DEVICE REAL NAME(dot)(NAME(point) a, NAME(point) b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

/* |b - a, c - a, d - a|. */
PLI_DEVICE REAL NAME(orient)(NAME(point) a, NAME(point) b, NAME(point) c, NAME(point) d)
{
    return NAME(dot)(NAME(cross)(NAME(less)(b, a), NAME(less)(c, a)), NAME(less)(d, a));
}

PLI_DEVICE NAME(point) NAME(pick)(const NAME(point) t[3], int i)
{
    return i == 0 ? t[0] : i == 1 ? t[1] : t[2];
}

PLI_DEVICE REAL NAME(along)(NAME(point) p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

/* +1 or -1 where the sign is certain, else 0. */
PLI_DEVICE int NAME(sign)(REAL value, REAL bound)
{
    return value > bound ? 1 : value < -bound ? -1 : 0;
}

/* The sides of a's corners of b's plane: whether they are certain; `apart` if they are all one. */
PLI_DEVICE bool NAME(sides)(const NAME(point) a[3], const NAME(point) b[3], REAL bound, int side[3],
                            bool *apart)
{
    NAME(point) n = NAME(cross)(NAME(less)(b[1], b[0]), NAME(less)(b[2], b[0]));
    side[0] = NAME(sign)(NAME(dot)(n, NAME(less)(a[0], b[0])), bound);
    side[1] = NAME(sign)(NAME(dot)(n, NAME(less)(a[1], b[0])), bound);
    side[2] = NAME(sign)(NAME(dot)(n, NAME(less)(a[2], b[0])), bound);
    *apart = side[0] != 0 && side[0] == side[1] && side[1] == side[2];
    return side[0] != 0 && side[1] != 0 && side[2] != 0;
}

/* The corner whose side is not that of the other two. */
PLI_DEVICE int NAME(lone)(const int side[3])
{
    return side[1] == side[2] ? 0 : side[0] == side[2] ? 1 : 2;
}

/* Whether two triangles touch, by the signs of the core's exact test (triangle_overlap.c there),
   where all of them are certain. */
PLI_DEVICE int NAME(overlap)(const NAME(point) a[3], const NAME(point) b[3], REAL bound)
{
    int side_a[3], side_b[3];
    bool apart;
    bool certain = NAME(sides)(a, b, bound, side_a, &apart);
    if (apart) {
        return PLI_CUDA_APART;
    }
    certain = NAME(sides)(b, a, bound, side_b, &apart) && certain;
    if (apart || !certain) {
        return apart ? PLI_CUDA_APART : PLI_CUDA_UNSURE;
    }
    int i = NAME(lone)(side_a), k = NAME(lone)(side_b);
    int below_a = (i == 0 ? side_a[0] : i == 1 ? side_a[1] : side_a[2]) < 0;
    int below_b = (k == 0 ? side_b[0] : k == 1 ? side_b[1] : side_b[2]) < 0;
    NAME(point) p = NAME(pick)(a, i), q = NAME(pick)(a, (i + 1 + below_b) % 3);
    NAME(point) r = NAME(pick)(a, (i + 2 - below_b) % 3);
    NAME(point) u = NAME(pick)(b, k), v = NAME(pick)(b, (k + 1 + below_a) % 3);
    NAME(point) w = NAME(pick)(b, (k + 2 - below_a) % 3);
    int near = NAME(sign)(NAME(orient)(p, q, u, v), bound);
    int far = NAME(sign)(NAME(orient)(p, r, u, w), bound);
    if (near > 0 || far < 0) {
        return PLI_CUDA_APART;
    }
    return near < 0 && far > 0 ? PLI_CUDA_TOUCH : PLI_CUDA_UNSURE;
}

/*
 * Triangles with corners u and v in common, whose third ones are p and r. They have no more than
 * the edge in common if they lie in different planes; or if, seen along an axis, p and r are on
 * different sides of the edge, whatever the planes.
 */
PLI_DEVICE int NAME(beyond_edge)(NAME(point) u, NAME(point) v, NAME(point) p, NAME(point) r,
                                 REAL flat, REAL solid)
{
    NAME(point) edge = NAME(less)(v, u), to_r = NAME(less)(r, u);
    NAME(point) n = NAME(cross)(edge, NAME(less)(p, u)), m = NAME(cross)(edge, to_r);
    bool parted = NAME(sign)(n.x, flat) * NAME(sign)(m.x, flat) < 0 ||
                  NAME(sign)(n.y, flat) * NAME(sign)(m.y, flat) < 0 ||
                  NAME(sign)(n.z, flat) * NAME(sign)(m.z, flat) < 0;
    return parted || NAME(sign)(NAME(dot)(n, to_r), solid) != 0 ? PLI_CUDA_APART : PLI_CUDA_UNSURE;
}

/* Whether, seen along an axis, x is certainly not in the angle from p to q, which goes round
   counterclockwise. */
PLI_DEVICE bool NAME(not_between)(NAME(point) p, NAME(point) q, NAME(point) x, int axis, REAL flat)
{
    return NAME(along)(NAME(cross)(p, x), axis) < -flat ||
           NAME(along)(NAME(cross)(q, x), axis) > flat;
}

/* Whether two angles, seen along the axis that both triangles show most of themselves to, have no
   direction in common. All are differences from the common corner; n and m are p x q and r x s. */
PLI_DEVICE bool NAME(angles_part)(NAME(point) p, NAME(point) q, NAME(point) r, NAME(point) s,
                                  NAME(point) n, NAME(point) m, REAL flat)
{
    REAL x = (n.x < 0 ? -n.x : n.x) + (m.x < 0 ? -m.x : m.x);
    REAL y = (n.y < 0 ? -n.y : n.y) + (m.y < 0 ? -m.y : m.y);
    REAL z = (n.z < 0 ? -n.z : n.z) + (m.z < 0 ? -m.z : m.z);
    int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    int turn_a = NAME(sign)(NAME(along)(n, axis), flat);
    int turn_b = NAME(sign)(NAME(along)(m, axis), flat);
    if (turn_a == 0 || turn_b == 0) {
        return false;
    }
    NAME(point) first = turn_a > 0 ? p : q, second = turn_a > 0 ? q : p;
    NAME(point) third = turn_b > 0 ? r : s, fourth = turn_b > 0 ? s : r;
    return NAME(not_between)(first, second, third, axis, flat) &&
           NAME(not_between)(first, second, fourth, axis, flat) &&
           NAME(not_between)(third, fourth, first, axis, flat) &&
           NAME(not_between)(third, fourth, second, axis, flat);
}

/* Whether the segment from p to q, whose ends are certainly on different sides of the plane of
   (v, r, s), meets that triangle. */
PLI_DEVICE int NAME(segment_meets)(NAME(point) p, NAME(point) q, NAME(point) v, NAME(point) r,
                                   NAME(point) s, REAL solid)
{
    int i = NAME(sign)(NAME(orient)(p, q, v, r), solid);
    int j = NAME(sign)(NAME(orient)(p, q, r, s), solid);
    int k = NAME(sign)(NAME(orient)(p, q, s, v), solid);
    bool above = i > 0 || j > 0 || k > 0, below = i < 0 || j < 0 || k < 0;
    if (above && below) {
        return PLI_CUDA_APART;
    }
    return i != 0 && j != 0 && k != 0 ? PLI_CUDA_TOUCH : PLI_CUDA_UNSURE;
}

/* Triangles (v, p, q) and (v, r, s) with one corner in common: whether they have more (the core's
   triangle_overlap.c has the reasons). */
PLI_DEVICE int NAME(beyond_corner)(NAME(point) v, NAME(point) p, NAME(point) q, NAME(point) r,
                                   NAME(point) s, REAL flat, REAL solid)
{
    NAME(point) vp = NAME(less)(p, v), vq = NAME(less)(q, v);
    NAME(point) vr = NAME(less)(r, v), vs = NAME(less)(s, v);
    NAME(point) n = NAME(cross)(vp, vq), m = NAME(cross)(vr, vs);
    int side_p = NAME(sign)(NAME(dot)(m, vp), solid), side_q = NAME(sign)(NAME(dot)(m, vq), solid);
    int side_r = NAME(sign)(NAME(dot)(n, vr), solid), side_s = NAME(sign)(NAME(dot)(n, vs), solid);
    if (side_p * side_q > 0 || side_r * side_s > 0 ||
        NAME(angles_part)(vp, vq, vr, vs, n, m, flat)) {
        return PLI_CUDA_APART;
    }
    if (side_p * side_q == 0 || side_r * side_s == 0) {
        return PLI_CUDA_UNSURE;
    }
    int first = NAME(segment_meets)(p, q, v, r, s, solid);
    int second = NAME(segment_meets)(r, s, v, p, q, solid);
    if (first == PLI_CUDA_TOUCH || second == PLI_CUDA_TOUCH) {
        return PLI_CUDA_TOUCH;
    }
    return first == PLI_CUDA_APART && second == PLI_CUDA_APART ? PLI_CUDA_APART : PLI_CUDA_UNSURE;
}

/* Two triangles that share `shared->count` corners: do they have more in common than these? */
PLI_DEVICE int NAME(decide)(const pli_cuda_corners *c, const pli_cuda_shared *shared)
{
    NAME(point) a[3], b[3];
    REAL size = 0;
    for (int k = 0; k < 3; k++) {
        REAL low = (REAL)c->at[0][0][k], high = low;
        for (int i = 0; i < 6; i++) {
            REAL x = (REAL)c->at[i / 3][i % 3][k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        size = high - low > size ? high - low : size;
    }
    if (!(size < LARGEST)) {
        return PLI_CUDA_UNSURE;
    }
    for (int i = 0; i < 3; i++) {
        a[i].x = (REAL)c->at[0][i][0];
        a[i].y = (REAL)c->at[0][i][1];
        a[i].z = (REAL)c->at[0][i][2];
        b[i].x = (REAL)c->at[1][i][0];
        b[i].y = (REAL)c->at[1][i][1];
        b[i].z = (REAL)c->at[1][i][2];
    }
    REAL flat = (REAL)9 * ROUNDING * (size * size) + SMALLEST;
    REAL solid = (REAL)52 * ROUNDING * (size * size * size) + SMALLEST;
    if (shared->count == 0) {
        return NAME(overlap)(a, b, solid);
    }
    int i = shared->corner[0][0], k = shared->corner[1][0];
    if (shared->count == 1) {
        return NAME(beyond_corner)(NAME(pick)(a, i), NAME(pick)(a, (i + 1) % 3),
                                   NAME(pick)(a, (i + 2) % 3), NAME(pick)(b, (k + 1) % 3),
                                   NAME(pick)(b, (k + 2) % 3), flat, solid);
    }
    int rest_a = 3 - i - shared->corner[0][1], rest_b = 3 - k - shared->corner[1][1];
    return NAME(beyond_edge)(NAME(pick)(a, i), NAME(pick)(a, shared->corner[0][1]),
                             NAME(pick)(a, rest_a), NAME(pick)(b, rest_b), flat, solid);
}
