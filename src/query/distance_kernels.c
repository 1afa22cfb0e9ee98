/*
 * Which pairs may be within a distance, in float32, for the instruction set that base/simd/simd.h
 * was told to use. The computed distance of a pair that is dropped exceeds the distance too
 * (docs/soundness.md, S13).
 *
 * Seen along a direction r, whatever r is, two sets are no farther apart than they are. So a pair
 * is dropped if along some r all differences x of a point of one and a point of the other agree
 * that r.x > d |r|. Good directions are those in which features of the two can be closest: the
 * axes (the boxes), normals of faces, cross products of edges, differences of corners, and from a
 * corner perpendicularly to an edge.
 *
 * The bound. Let e = 2^-24. Differences are scaled by a power of two so that |x_k| <= 1. A
 * difference is off by e, each product and sum in r.x by e more of what it is made of: together by
 * less than 4.1 e (|r_0| + |r_1| + |r_2|) <= 7.2 e |r|, and by 2^-147 where products underflow. So
 * r.x > (d + 8e) |r| as computed is proof, if |r| is not underrated: its square L is off by a
 * factor below 1 + 4e and by 2^-147. The test is c > 0 and c^2 > (L + 2^-80) B^2, c the least r.x
 * and B = (d + 8e) (1 + 2^-18), whose last factor covers the roundings of the test. 2^-80 covers
 * underflow: c is at most 2 |r|, and a pair is dropped only if c > 2^-40 8e = 2^-61, so that |r| >
 * 2^-62 and what 8e is more than 7.2 e, times |r|, is more than 2^-147.
 */
#include "query/distance_kernels.h"

#include "base/simd/simd_int.h"
#include "query/lane_points.h"

static inline lanes3 scaled(lanes3 a, pli_vf factor)
{
    for (int k = 0; k < 3; k++) {
        a.c[k] = pli_vf_mul(a.c[k], factor);
    }
    return a;
}

/* The part of x that is perpendicular to an edge, times the edge's square. */
static inline lanes3 perpendicular(lanes3 x, lanes3 edge)
{
    return subtract(scaled(x, dot(edge, edge)), scaled(edge, dot(x, edge)));
}

typedef struct lane_reach {
    pli_vf scale, limit, minus_limit, limit_squared;
} lane_reach;

static inline lane_reach spread_reach(const pli_near_limit *reach)
{
    lane_reach lanes = {pli_vf_set(reach->scale), pli_vf_set(reach->limit),
                        pli_vf_set(-reach->limit), pli_vf_set(reach->limit_squared)};
    return lanes;
}

/* Whether `count` differences are all beyond the reach along one of the axes. */
PLI_ALWAYS_INLINE pli_vm far_along_axes(const lanes3 *x, int count, const lane_reach *reach)
{
    pli_vm far = pli_vf_less(pli_vf_set(0.0f), pli_vf_set(0.0f));
    for (int k = 0; k < 3; k++) {
        pli_vf low = x[0].c[k], high = low;
        for (int i = 1; i < count; i++) {
            low = pli_vf_min(low, x[i].c[k]);
            high = pli_vf_max(high, x[i].c[k]);
        }
        far = pli_vm_or(
            far, pli_vm_or(pli_vf_less(reach->limit, low), pli_vf_less(high, reach->minus_limit)));
    }
    return far;
}

static inline pli_vm is_beyond(pli_vf least, lanes3 r, const lane_reach *reach)
{
    pli_vf square = pli_vf_add(dot(r, r), pli_vf_set(0x1p-80f));
    return pli_vm_and(
        pli_vf_less(pli_vf_set(0.0f), least),
        pli_vf_less(pli_vf_mul(square, reach->limit_squared), pli_vf_mul(least, least)));
}

/* The same along r; if `either`, along -r too. */
PLI_ALWAYS_INLINE pli_vm far_along(lanes3 r, const lanes3 *x, int count, bool either,
                                   const lane_reach *reach)
{
    pli_vf low = dot(r, x[0]), high = low;
    for (int i = 1; i < count; i++) {
        pli_vf along = dot(r, x[i]);
        low = pli_vf_min(low, along);
        high = either ? pli_vf_max(high, along) : high;
    }
    return is_beyond(either ? pli_vf_max(low, pli_vf_sub(pli_vf_set(0.0f), high)) : low, r, reach);
}

/* Bit i unless lane i is far; all lanes count as there. */
static inline unsigned near_lanes(pli_vm far)
{
    return ~pli_vm_bits(far) & (unsigned)(((uint64_t)1 << PLI_LANES) - 1);
}

/* Byte k of each word. */
static inline pli_vi byte_of(const uint32_t *words, int k)
{
#if defined(PLI_SIMD_AVX512)
    __m512i shifted = _mm512_srl_epi32(_mm512_loadu_si512(words), _mm_cvtsi32_si128(8 * k));
    return _mm512_and_si512(shifted, _mm512_set1_epi32(0xff));
#else
    pli_vi a;
    for (int i = 0; i < PLI_LANES; i++) {
        a.lane[i] = (uint8_t)(words[i] >> 8 * k);
    }
    return a;
#endif
}

/* ----------------------------------------------------- vertices and faces */

/* x are the corners of the face as seen from the vertex. */
PLI_ALWAYS_INLINE unsigned near_face(const lanes3 x[3], const lane_reach *reach)
{
    pli_vm far = far_along_axes(x, 3, reach);
    if (near_lanes(far) == 0) {
        return 0;
    }
    lanes3 edge[3] = {subtract(x[1], x[0]), subtract(x[2], x[1]), subtract(x[0], x[2])};
    far = pli_vm_or(far, far_along(cross(edge[0], edge[1]), x, 3, true, reach));
    for (int i = 0; i < 3; i++) {
        far = pli_vm_or(far, far_along(x[i], x, 3, false, reach));
        far = pli_vm_or(far, far_along(perpendicular(x[i], edge[i]), x, 3, false, reach));
    }
    return near_lanes(far);
}

PLI_ALWAYS_INLINE uint64_t all_vertices_near(const pli_cluster_record *a,
                                             const pli_cluster_record *b, const uint32_t *pairs,
                                             uint32_t count, const pli_near_limit *reach,
                                             uint32_t entries)
{
    lane_reach lanes = spread_reach(reach);
    uint64_t near = 0;
    for (uint32_t i = 0; i < count; i += PLI_LANES) {
        lanes3 x[3];
        PLI_LOAD_AGAIN();
        lanes3 point = fetch_point(a, entries, byte_of(pairs + i, 0));
        for (int c = 0; c < 3; c++) {
            lanes3 corner = fetch_point(b, entries, byte_of(pairs + i, 1 + c));
            x[c] = scaled(subtract(corner, point), lanes.scale);
        }
        near |= (uint64_t)near_face(x, &lanes) << i;
    }
    return cut(near, count);
}

static uint64_t vertices_near(const pli_cluster_record *a, const pli_cluster_record *b,
                              const uint32_t *pairs, uint32_t count, const pli_near_limit *reach)
{
#define CALL(entries) all_vertices_near(a, b, pairs, count, reach, entries)
    return WITH_ENTRIES(most_vertices(a, b), CALL);
#undef CALL
}

/* ------------------------------------------------------------------ edges */

/* x are the ends of the one edge less those of the other: 2 i + j. */
PLI_ALWAYS_INLINE unsigned near_edge(const lanes3 x[4], lanes3 u, lanes3 v, const lane_reach *reach)
{
    pli_vm far = far_along_axes(x, 4, reach);
    if (near_lanes(far) == 0) {
        return 0;
    }
    far = pli_vm_or(far, far_along(cross(u, v), x, 4, true, reach));
    for (int i = 0; i < 2; i++) {
        far = pli_vm_or(far, far_along(perpendicular(x[2 * i], v), x, 4, false, reach));
        far = pli_vm_or(far, far_along(perpendicular(x[i], u), x, 4, false, reach));
    }
    if (near_lanes(far) == 0) {
        return 0;
    }
    for (int i = 0; i < 4; i++) {
        far = pli_vm_or(far, far_along(x[i], x, 4, false, reach));
    }
    return near_lanes(far);
}

PLI_ALWAYS_INLINE uint64_t all_edges_near(const pli_cluster_record *a, const pli_cluster_record *b,
                                          const uint32_t *pairs, uint32_t count,
                                          const pli_near_limit *reach, uint32_t entries)
{
    lane_reach lanes = spread_reach(reach);
    uint64_t near = 0;
    for (uint32_t i = 0; i < count; i += PLI_LANES) {
        lanes3 end[4], x[4];
        PLI_LOAD_AGAIN();
        for (int c = 0; c < 4; c++) {
            end[c] = fetch_point(c < 2 ? a : b, entries, byte_of(pairs + i, c));
        }
        for (int c = 0; c < 4; c++) {
            x[c] = scaled(subtract(end[c / 2], end[2 + c % 2]), lanes.scale);
        }
        lanes3 u = scaled(subtract(end[1], end[0]), lanes.scale);
        lanes3 v = scaled(subtract(end[3], end[2]), lanes.scale);
        near |= (uint64_t)near_edge(x, u, v, &lanes) << i;
    }
    return cut(near, count);
}

static uint64_t edges_near(const pli_cluster_record *a, const pli_cluster_record *b,
                           const uint32_t *pairs, uint32_t count, const pli_near_limit *reach)
{
#define CALL(entries) all_edges_near(a, b, pairs, count, reach, entries)
    return WITH_ENTRIES(most_vertices(a, b), CALL);
#undef CALL
}

/* -------------------------------------------------------------- triangles */

/* The nearest of differences, kept with its square. */
typedef struct nearest_lanes {
    lanes3 r;
    pli_vf square;
} nearest_lanes;

static inline void keep_nearer(nearest_lanes *nearest, lanes3 r)
{
    pli_vf square = dot(r, r);
    pli_vm nearer = pli_vf_less(square, nearest->square);
    nearest->square = pli_vf_select(nearer, square, nearest->square);
    for (int k = 0; k < 3; k++) {
        nearest->r.c[k] = pli_vf_select(nearer, r.c[k], nearest->r.c[k]);
    }
}

/* From a corner, x away from where an edge starts, to the closest point of the edge. */
static inline lanes3 to_edge(lanes3 x, lanes3 edge, pli_vf over_square)
{
    pli_vf s = pli_vf_mul(dot(x, edge), over_square);
    s = pli_vf_min(pli_vf_max(s, pli_vf_set(0.0f)), pli_vf_set(1.0f));
    return subtract(x, scaled(edge, s));
}

/* 1 / the square of an edge; the least float keeps it finite. */
static inline pli_vf over_square(lanes3 edge)
{
    return pli_vf_div(pli_vf_set(1.0f), pli_vf_max(dot(edge, edge), pli_vf_set(0x1p-100f)));
}

/* Whether triangles are far along the shortest way from a corner of one to an edge of the other. x
   are corners of a less corners of b: 3 i + j. */
PLI_ALWAYS_INLINE pli_vm far_from_corners(const lanes3 x[9], const lanes3 u[3], const lanes3 v[3],
                                          const lane_reach *reach)
{
    nearest_lanes nearest = {x[0], dot(x[0], x[0])};
    for (int i = 0; i < 3; i++) {
        pli_vf over_u = over_square(u[i]), over_v = over_square(v[i]);
        lanes3 back = scaled(u[i], pli_vf_set(-1.0f));
        for (int j = 0; j < 3; j++) {
            keep_nearer(&nearest, to_edge(x[3 * i + j], back, over_u)); /* corner j of b */
            keep_nearer(&nearest, to_edge(x[3 * j + i], v[i], over_v)); /* corner j of a */
        }
    }
    return far_along(nearest.r, x, 9, false, reach);
}

PLI_ALWAYS_INLINE unsigned near_triangle(const lanes3 x[9], const lanes3 u[3], const lanes3 v[3],
                                         const lane_reach *reach)
{
    pli_vm far = far_along_axes(x, 9, reach);
    if (near_lanes(far) == 0) {
        return 0;
    }
    far = pli_vm_or(far, far_along(cross(u[0], u[1]), x, 9, true, reach));
    far = pli_vm_or(far, far_along(cross(v[0], v[1]), x, 9, true, reach));
    if (near_lanes(far) == 0) {
        return 0;
    }
    far = pli_vm_or(far, far_from_corners(x, u, v, reach));
    for (int l = 0; l < 9 && near_lanes(far) != 0; l++) {
        far = pli_vm_or(far, far_along(cross(u[l / 3], v[l % 3]), x, 9, true, reach));
    }
    return near_lanes(far);
}

PLI_ALWAYS_INLINE uint64_t all_triangles_near(const pli_slot_triangles *a, const uint8_t *slot_a,
                                              const pli_slot_triangles *b, const uint8_t *slot_b,
                                              uint32_t count, const pli_near_limit *reach,
                                              uint32_t entries)
{
    lane_reach lanes = spread_reach(reach);
    uint64_t near = 0;
    for (uint32_t i = 0; i < count; i += PLI_LANES) {
        lanes3 p[3], q[3], x[9], u[3], v[3];
        PLI_LOAD_AGAIN();
        fetch_corners(a, entries, slot_a + i, p);
        fetch_corners(b, entries, slot_b + i, q);
        for (int c = 0; c < 9; c++) {
            x[c] = scaled(subtract(p[c / 3], q[c % 3]), lanes.scale);
        }
        for (int c = 0; c < 3; c++) {
            u[c] = scaled(subtract(p[(c + 1) % 3], p[c]), lanes.scale);
            v[c] = scaled(subtract(q[(c + 1) % 3], q[c]), lanes.scale);
        }
        near |= (uint64_t)near_triangle(x, u, v, &lanes) << i;
    }
    return cut(near, count);
}

static uint64_t triangles_near(const pli_slot_triangles *a, const uint8_t *slot_a,
                               const pli_slot_triangles *b, const uint8_t *slot_b, uint32_t count,
                               const pli_near_limit *reach)
{
#define CALL(entries) all_triangles_near(a, slot_a, b, slot_b, count, reach, entries)
    return WITH_ENTRIES(most_vertices(a->record, b->record), CALL);
#undef CALL
}

const pli_distance_kernels PLI_KERNELS_OF(distance) = {
    .triangles_near = triangles_near,
    .vertices_near = vertices_near,
    .edges_near = edges_near,
};
