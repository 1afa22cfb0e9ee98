/* The kernels that read vertices, for the instruction set that base/simd/simd.h was told to use. */
#include "bounds/vertex_kernels.h"

#include "bounds/cluster_points.h"

#include <math.h>

/* A test builds this with bounds that are too small by one float, to show that the other tests
   would notice (tests/bounds/test_power.c). */
#ifdef PLI_TEST_SHRUNK_BOUNDS
#define LOWER_BOUND(x) nextafterf((x), INFINITY)
#define UPPER_BOUND(x) nextafterf((x), -INFINITY)
#else
#define LOWER_BOUND(x) (x)
#define UPPER_BOUND(x) (x)
#endif

/* Boxes that grow side by side, so that none has to wait for its own last addition. */
enum { TWINS = 2, STEP = TWINS * PLI_POINTS };

typedef struct twin_boxes {
    pli_vp lower[TWINS], upper[TWINS], sum[TWINS];
} twin_boxes;

static inline twin_boxes twins_empty(void)
{
    twin_boxes twins;
    for (int i = 0; i < TWINS; i++) {
        twins.lower[i] = pli_vp_set(INFINITY);
        twins.upper[i] = pli_vp_set(-INFINITY);
        twins.sum[i] = pli_vp_set(0.0f);
    }
    return twins;
}

static inline void twins_grow(twin_boxes *twins, const pli_point points[STEP])
{
    for (int i = 0; i < TWINS; i++) {
        pli_vp joined = pli_vp_join(points + i * PLI_POINTS);
        twins->lower[i] = pli_vp_min(joined, twins->lower[i]);
        twins->upper[i] = pli_vp_max(joined, twins->upper[i]);
        twins->sum[i] = pli_vp_add(joined, twins->sum[i]);
    }
}

static inline pli_vp fold_sum(pli_vp sum)
{
    return PLI_POINTS > 1 ? pli_vp_add(sum, pli_vp_exchange(sum)) : sum;
}

/* Folds all into one point: the least, the greatest, the sum. */
static inline void twins_join(const twin_boxes *twins, pli_vertex_box *box)
{
    pli_vp lower = pli_vp_min(twins->lower[0], twins->lower[1]);
    pli_vp upper = pli_vp_max(twins->upper[0], twins->upper[1]);
    pli_vp sum = fold_sum(pli_vp_add(twins->sum[0], twins->sum[1]));
    if (PLI_POINTS > 1) {
        lower = pli_vp_min(lower, pli_vp_exchange(lower));
        upper = pli_vp_max(upper, pli_vp_exchange(upper));
    }
    pli_point_store(box->lower, pli_vp_first(lower));
    pli_point_store(box->upper, pli_vp_first(upper));
    pli_point_store(box->sum, pli_vp_first(sum));
#ifdef PLI_TEST_SHRUNK_BOUNDS
    for (int k = 0; k < 3; k++) {
        box->lower[k] = LOWER_BOUND(box->lower[k]);
        box->upper[k] = UPPER_BOUND(box->upper[k]);
    }
#endif
}

static inline pli_point load_vertex(pli_positions positions, size_t vertex)
{
    return pli_point_load(pli_position(positions, vertex), vertex == positions.last);
}

/* Grows the boxes by `count` listed vertices. */
static inline void enclose(twin_boxes *twins, pli_positions positions, const uint32_t *list,
                           size_t count)
{
    const uint32_t *end = list + count;
    for (; (size_t)(end - list) >= STEP; list += STEP) {
        pli_point points[STEP];
        for (int j = 0; j < STEP; j++) {
            points[j] = load_vertex(positions, list[j]);
        }
        twins_grow(twins, points);
    }
    if (list < end) { /* the rest, its last vertex again and again */
        pli_point points[STEP];
        for (int j = 0; j < STEP; j++) {
            points[j] = load_vertex(positions, list + j < end ? list[j] : end[-1]);
        }
        twins_grow(twins, points);
    }
}

static void enclose_lists(pli_positions positions, const uint32_t *list, uint32_t count,
                          const uint32_t *extras, uint32_t extra_count, pli_vertex_box *box)
{
    twin_boxes twins = twins_empty();
    if (positions.stride ==
        12) { /* known to the compiler, which saves a multiplication per vertex */
        positions.stride = 12;
        enclose(&twins, positions, list, count);
        enclose(&twins, positions, extras, extra_count);
    } else {
        enclose(&twins, positions, list, count);
        enclose(&twins, positions, extras, extra_count);
    }
    twins_join(&twins, box);
}

static void enclose_range(pli_positions positions, uint32_t first, uint32_t count,
                          const uint32_t *extras, uint32_t extra_count, pli_vertex_box *box)
{
    twin_boxes twins = twins_empty();
    size_t at = first, end = (size_t)first + count;
    /* One short of the end, so that none of these is the last vertex of all. */
    for (; at + STEP < end; at += STEP) {
        const float *p = pli_position(positions, at);
        pli_point points[STEP];
        for (int j = 0; j < STEP; j++) {
            points[j] = pli_point_load(p, false);
            p = (const float *)(const void *)((const char *)p + positions.stride);
        }
        twins_grow(&twins, points);
    }
    if (at < end) {
        pli_point points[STEP];
        for (size_t j = 0; j < STEP; j++) {
            points[j] = load_vertex(positions, at + j < end ? at + j : end - 1);
        }
        twins_grow(&twins, points);
    }
    enclose(&twins, positions, extras, extra_count);
    twins_join(&twins, box);
}

static void read_vertices(pli_positions positions, const uint32_t *list, pli_cluster_record *record,
                          float sum[4])
{
    float *vertices = pli_cluster_points(record);
    pli_vp total = pli_vp_set(0.0f);
    record->vertex_step = PLI_VERTEX_STEP;
    record->axis_step = PLI_AXIS_STEP(record->stride);
    for (uint32_t i = 0; i < record->stride; i += 4) {
        pli_point points[4];
        for (uint32_t j = 0; j < 4; j++) {
            points[j] = load_vertex(positions, list[i + j]);
        }
        for (uint32_t j = 0; j < 4; j += PLI_POINTS) {
            total = pli_vp_add(pli_vp_join(points + j), total);
        }
        pli_put_points(vertices, record->stride, i, points);
    }
    pli_point_store(sum, pli_vp_first(fold_sum(total)));
}

/*
 * The least (or, with `most`, the greatest) of each run of eight among 64 numbers. The wide
 * versions fold rows against each other, so that no lane is ever reduced on its own.
 */
#if defined(PLI_SIMD_AVX2) || defined(PLI_SIMD_AVX512)
#define FOLD(op)                                                                                   \
    do {                                                                                           \
        __m256 t[4], u[2];                                                                         \
        for (int i = 0; i < 4; i++) {                                                              \
            __m256 a = _mm256_loadu_ps(in + 16 * i), b = _mm256_loadu_ps(in + 16 * i + 8);         \
            t[i] = op(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));                         \
        }                                                                                          \
        for (int i = 0; i < 2; i++) {                                                              \
            __m256 a = t[2 * i], b = t[2 * i + 1];                                                 \
            u[i] = op(_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xee));               \
        }                                                                                          \
        _mm256_storeu_ps(out, op(_mm256_permute2f128_ps(u[0], u[1], 0x20),                         \
                                 _mm256_permute2f128_ps(u[0], u[1], 0x31)));                       \
    } while (0)
static inline void fold_runs(const float *in, float *out, bool most)
{
    if (most) {
        FOLD(_mm256_max_ps);
    } else {
        FOLD(_mm256_min_ps);
    }
}
#undef FOLD
#elif defined(PLI_SIMD_BASELINE)
#define FOLD(op)                                                                                   \
    for (int half = 0; half < 2; half++) {                                                         \
        pli_f4 r[4], t[2];                                                                         \
        for (int i = 0; i < 4; i++) {                                                              \
            const float *row = in + 32 * half + 8 * i;                                             \
            r[i] = op(pli_f4_loadu(row), pli_f4_loadu(row + 4));                                   \
        }                                                                                          \
        for (int i = 0; i < 2; i++) {                                                              \
            pli_f4 a = r[2 * i], b = r[2 * i + 1];                                                 \
            t[i] = op(pli_f4_unpacklo(a, b), pli_f4_unpackhi(a, b));                               \
        }                                                                                          \
        pli_f4_storeu(out + 4 * half,                                                              \
                      op(pli_f4_low_halves(t[0], t[1]), pli_f4_high_halves(t[0], t[1])));          \
    }
static inline void fold_runs(const float *in, float *out, bool most)
{
    if (most) {
        FOLD(pli_f4_max)
    } else {
        FOLD(pli_f4_min)
    }
}
#undef FOLD
#else
static inline void fold_runs(const float *in, float *out, bool most)
{
    for (int run = 0; run < PLI_WIDTH; run++) {
        float best = in[8 * run];
        for (int i = 1; i < PLI_WIDTH; i++) {
            float x = in[8 * run + i];
            best = most ? pli_vf_max(x, best) : pli_vf_min(x, best);
        }
        out[run] = best;
    }
}
#endif

/* The box of one leaf along one axis, for clusters with fewer than eight leaves. */
static void bound_leaves_slowly(const float *in, uint32_t slots, float *out, bool most)
{
    for (uint32_t leaf = 0; leaf < PLI_WIDTH; leaf++) {
        float best = most ? -INFINITY : INFINITY;
        for (uint32_t s = 8 * leaf; s < 8 * leaf + 8 && s < slots; s++) {
            best = (most ? in[s] > best : in[s] < best) ? in[s] : best;
        }
        out[leaf] = best;
    }
}

/* Boxes of all slots; holes are filled like their neighbours. Returns the longest side among them.
 */
static inline float bound_slots(const uint8_t *corners, uint32_t slots, uint32_t entries,
                                pli_cluster_record *record)
{
    const float *vertices = pli_cluster_points(record);
    pli_vf longest = pli_vf_set(0.0f);
    for (uint32_t s = 0; s < slots; s += PLI_LANES) {
        pli_vf corner[3][3];
        for (uint32_t c = 0; c < 3; c++) {
            pli_vi index = pli_vi_load(corners + c * slots + s);
            pli_fetch_points(vertices, record->stride, entries, index, corner[c]);
        }
        for (int k = 0; k < 3; k++) {
            pli_vf low = pli_vf_min(pli_vf_min(corner[0][k], corner[1][k]), corner[2][k]);
            pli_vf high = pli_vf_max(pli_vf_max(corner[0][k], corner[1][k]), corner[2][k]);
            longest = pli_vf_max(pli_vf_sub(high, low), longest);
            pli_vf_store(pli_triangle_side(record, k) + s, low);
            pli_vf_store(pli_triangle_side(record, 3 + k) + s, high);
        }
    }
    return pli_vf_greatest(longest);
}

static void empty_holes(uint64_t holes, pli_cluster_record *record)
{
    for (; holes != 0; holes &= holes - 1) {
        int s = __builtin_ctzll(holes);
        for (int k = 0; k < 3; k++) {
            pli_triangle_side(record, k)[s] = INFINITY;
            pli_triangle_side(record, 3 + k)[s] = -INFINITY;
        }
    }
}

static void bound_triangles(const pli_cluster *cluster, const uint8_t *corners,
                            pli_cluster_record *record)
{
    uint32_t slots = cluster->slot_count;
    uint64_t all = slots == 64 ? UINT64_MAX : ((uint64_t)1 << slots) - 1;
    record->extent = record->stride <= 64    ? bound_slots(corners, slots, 64, record)
                     : record->stride <= 128 ? bound_slots(corners, slots, 128, record)
                                             : bound_slots(corners, slots, 192, record);
    empty_holes(all & ~cluster->live, record);
    for (int k = 0; k < 3; k++) {
        float *lower = pli_triangle_side(record, k), *upper = pli_triangle_side(record, 3 + k);
#ifdef PLI_TEST_SHRUNK_BOUNDS
        for (uint32_t s = 0; s < slots; s++) {
            lower[s] = LOWER_BOUND(lower[s]);
            upper[s] = UPPER_BOUND(upper[s]);
        }
#endif
        if (slots == 64) {
            fold_runs(lower, record->leaf_box.side[k], false);
            fold_runs(upper, record->leaf_box.side[3 + k], true);
        } else {
            bound_leaves_slowly(lower, slots, record->leaf_box.side[k], false);
            bound_leaves_slowly(upper, slots, record->leaf_box.side[3 + k], true);
        }
    }
}

const pli_vertex_kernels PLI_KERNELS_OF(vertex) = {
    .enclose_lists = enclose_lists,
    .enclose_range = enclose_range,
    .read_vertices = read_vertices,
    .bound_triangles = bound_triangles,
};
