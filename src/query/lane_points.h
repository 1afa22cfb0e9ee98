/* Points of clusters in every lane, in float32: a part of the files of kernels. */
#ifndef PLI_QUERY_LANE_POINTS_H
#define PLI_QUERY_LANE_POINTS_H

#include "bounds/cluster_points.h"
#include "query/pair_kernels.h"

/* A point, or a difference of two, in every lane. */
typedef struct lanes3 {
    pli_vf c[3];
} lanes3;

static inline lanes3 subtract(lanes3 a, lanes3 b)
{
    lanes3 d;
    for (int k = 0; k < 3; k++) {
        d.c[k] = pli_vf_sub(a.c[k], b.c[k]);
    }
    return d;
}

PLI_ALWAYS_INLINE lanes3 cross(lanes3 u, lanes3 v)
{
    lanes3 n;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        n.c[i] = pli_vf_sub(pli_vf_mul(u.c[j], v.c[k]), pli_vf_mul(u.c[k], v.c[j]));
    }
    return n;
}

/* n . w */
static inline pli_vf dot(lanes3 n, lanes3 w)
{
    return pli_vf_add(pli_vf_add(pli_vf_mul(n.c[0], w.c[0]), pli_vf_mul(n.c[1], w.c[1])),
                      pli_vf_mul(n.c[2], w.c[2]));
}

static inline lanes3 choose(pli_vm m, lanes3 a, lanes3 b)
{
    lanes3 r;
    for (int k = 0; k < 3; k++) {
        r.c[k] = pli_vf_select(m, a.c[k], b.c[k]);
    }
    return r;
}

/* Turns a triangle so that the first corner of those that `first` names comes first; the last, if
   it names neither of the others. */
PLI_ALWAYS_INLINE void turn_to(const pli_vm first[2], const lanes3 t[3], lanes3 turned[3])
{
    for (int i = 0; i < 3; i++) {
        turned[i] = choose(first[0], t[i], choose(first[1], t[(i + 1) % 3], t[(i + 2) % 3]));
    }
}

static inline lanes3 fetch_point(const pli_cluster_record *record, uint32_t entries, pli_vi index)
{
    lanes3 point;
    pli_fetch_points(record->data + 6 * (size_t)record->slots, record->stride, entries, index,
                     point.c);
    return point;
}

PLI_ALWAYS_INLINE void fetch_corners(const pli_slot_triangles *t, uint32_t entries,
                                     const uint8_t *slot, lanes3 corner[3])
{
    for (size_t c = 0; c < 3; c++) {
        pli_vi index = pli_vi_look_up(t->corners + c * t->record->slots, slot);
        corner[c] = fetch_point(t->record, entries, index);
    }
}

/* The bits of the pairs that there are. */
static inline uint64_t cut(uint64_t bits, uint32_t count)
{
    return count == PLI_BATCH ? bits : bits & (((uint64_t)1 << count) - 1);
}

/* Calls a function with the number of vertices known, so that it is not asked again for every
   look-up. */
#define WITH_ENTRIES(most, call) ((most) <= 64 ? call(64) : (most) <= 128 ? call(128) : call(192))

static inline uint32_t most_vertices(const pli_cluster_record *a, const pli_cluster_record *b)
{
    return a->stride > b->stride ? a->stride : b->stride;
}

#endif
