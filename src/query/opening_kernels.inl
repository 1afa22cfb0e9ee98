/*
 * Part of moving_kernels.c: which of the fifteen pairs of features of two moving triangles are
 * open. The others never meet: one is ahead of the other along an axis at both ends; or a corner
 * stays on one side of the plane of the other triangle, both ends of an edge do; or two edges stay
 * askew, for their determinant p = (u x v) . w, with u and v along the edges and w between them,
 * keeps its sign. What moving_kernels.c has about the errors of p holds for it too, with the
 * product of both clusters' r in place of r^2.
 */

/* Where the features of a triangle are, and which of them cannot meet the other triangle. */
typedef struct lane_features {
    lane_feature corner[3], edge[3], face;
    pli_vm idle_corner[3], idle_edge[3];
} lane_features;

/* The features of a, beside the plane of b. */
PLI_ALWAYS_INLINE void find_features(const lane_motion *a, const lane_motion *b, float bound,
                                     lane_features *features)
{
    lane_normal n = normal_of(b);
    pli_vm above[3], below[3];
    for (int i = 0; i < 3; i++) {
        lane_height height = corner_height(b, &n, a, i);
        above[i] = is_above(&height, bound);
        below[i] = is_below(&height, bound);
        features->idle_corner[i] = pli_vm_or(above[i], below[i]);
        features->corner[i] = feature_of_corner(a, i);
    }
    for (int i = 0; i < 3; i++) {
        int next = (i + 1) % 3;
        features->idle_edge[i] =
            pli_vm_or(pli_vm_and(above[i], above[next]), pli_vm_and(below[i], below[next]));
        features->edge[i] = join_features(&features->corner[i], &features->corner[next]);
    }
    features->face = join_features(&features->edge[0], &features->corner[2]);
}

/* Where edges i of a and j of b stay askew. */
PLI_ALWAYS_INLINE pli_vm stay_askew(const lane_motion *a, int i, const lane_motion *b, int j,
                                    float bound)
{
    lanes3 u[2], v[2], w[2];
    for (int end = 0; end < 2; end++) {
        u[end] = subtract(a->at[end][(i + 1) % 3], a->at[end][i]);
        v[end] = subtract(b->at[end][(j + 1) % 3], b->at[end][j]);
        w[end] = subtract(b->at[end][j], a->at[end][i]);
    }
    lane_normal n = moving_normal(u, v);
    lane_height height = height_over(&n, w[0], w[1]);
    return pli_vm_or(is_above(&height, bound), is_below(&height, bound));
}

/* Adds a pair of features to those that are open in lanes. */
static inline void open_in(unsigned lanes, uint32_t feature, uint32_t *open)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        open[__builtin_ctz(lanes)] |= 1u << feature;
    }
}

/* The pairs in `asked` lanes; bounds for the plane of a, the plane of b, and two edges. */
PLI_ALWAYS_INLINE void open_lanes(const lane_motion *a, const lane_motion *b, const float bound[3],
                                  unsigned asked, uint32_t *open)
{
    lane_features of_a, of_b;
    find_features(a, b, bound[1], &of_a);
    find_features(b, a, bound[0], &of_b);
    for (uint32_t i = 0; i < 3; i++) {
        pli_vm idle = pli_vm_or(of_a.idle_corner[i], keep_order(&of_a.corner[i], &of_b.face));
        open_in(asked & not_in(idle), i, open);
        idle = pli_vm_or(of_b.idle_corner[i], keep_order(&of_b.corner[i], &of_a.face));
        open_in(asked & not_in(idle), 3 + i, open);
    }
    for (uint32_t edge = 0; edge < 9; edge++) {
        uint32_t i = edge / 3, j = edge % 3;
        pli_vm idle = pli_vm_or(of_a.idle_edge[i], of_b.idle_edge[j]);
        idle = pli_vm_or(idle, keep_order(&of_a.edge[i], &of_b.edge[j]));
        if ((asked & not_in(idle)) != 0) {
            idle = pli_vm_or(idle, stay_askew(a, (int)i, b, (int)j, bound[2]));
            open_in(asked & not_in(idle), 6 + edge, open);
        }
    }
}

PLI_ALWAYS_INLINE void open_all(const pli_swept_triangles *a, const uint8_t *slot_a,
                                const pli_swept_triangles *b, const uint8_t *slot_b, uint32_t count,
                                uint32_t entries, uint32_t open[PLI_BATCH])
{
    float r[2] = {extent_of(a), extent_of(b)};
    const float bound[3] = {bound_of(a, b, r[0], r[0]), bound_of(a, b, r[1], r[1]),
                            bound_of(a, b, r[0], r[1])};
    memset(open, 0, PLI_BATCH * sizeof *open);
    for (uint32_t i = 0; i < count; i += PLI_LANES) {
        lane_motion motion_a, motion_b;
        uint32_t left = count - i < PLI_LANES ? count - i : PLI_LANES;
        fetch_pairs(a, slot_a + i, b, slot_b + i, entries, false, &motion_a, &motion_b);
        open_lanes(&motion_a, &motion_b, bound, (unsigned)(((uint64_t)1 << left) - 1), open + i);
    }
}

static void open_features(const pli_swept_triangles *a, const uint8_t *slot_a,
                          const pli_swept_triangles *b, const uint8_t *slot_b, uint32_t count,
                          uint32_t open[PLI_BATCH])
{
#define CALL(entries) open_all(a, slot_a, b, slot_b, count, entries, open)
    WITH_ENTRIES(most_vertices(a->end.record, b->end.record), CALL);
#undef CALL
}
