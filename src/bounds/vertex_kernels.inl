/* The kernels that read vertices, for the instruction set that base/simd.h was told to use. */
#include "bounds/vertex_kernels.h"

#include "base/simd.h"

#include <math.h>

/* A test builds this with bounds that are too small by one float, to show that the other tests
   would notice (tests/test_power.c). */
#ifdef PLI_TEST_SHRUNK_BOUNDS
#define LOWER_BOUND(x) nextafterf((x), INFINITY)
#define UPPER_BOUND(x) nextafterf((x), -INFINITY)
#else
#define LOWER_BOUND(x) (x)
#define UPPER_BOUND(x) (x)
#endif

/* Two boxes that grow side by side: one alone would wait for its own last addition. */
typedef struct twin_boxes {
    pli_vp lower[2], upper[2], sum[2];
} twin_boxes;

static inline twin_boxes twins_empty(void)
{
    twin_boxes twins;
    for (int i = 0; i < 2; i++) {
        twins.lower[i] = pli_vp_set(INFINITY);
        twins.upper[i] = pli_vp_set(-INFINITY);
        twins.sum[i] = pli_vp_set(0.0f);
    }
    return twins;
}

static inline void twins_grow(twin_boxes *twins, int i, pli_vp point)
{
    twins->lower[i] = pli_vp_min(point, twins->lower[i]);
    twins->upper[i] = pli_vp_max(point, twins->upper[i]);
    twins->sum[i] = pli_vp_add(point, twins->sum[i]);
}

static inline void twins_join(const twin_boxes *twins, pli_growing_box *box)
{
    float lower[3], upper[3], sum[3];
    pli_vp_store(lower, pli_vp_min(twins->lower[0], twins->lower[1]));
    pli_vp_store(upper, pli_vp_max(twins->upper[0], twins->upper[1]));
    pli_vp_store(sum, pli_vp_add(twins->sum[0], twins->sum[1]));
    for (int k = 0; k < 3; k++) {
        float low = LOWER_BOUND(lower[k]), high = UPPER_BOUND(upper[k]);
        box->lower[k] = low < box->lower[k] ? low : box->lower[k];
        box->upper[k] = high > box->upper[k] ? high : box->upper[k];
        box->sum[k] += sum[k];
    }
}

static inline pli_vp load_vertex(pli_positions positions, uint32_t vertex)
{
    const float *p = pli_position(positions, vertex);
    return __builtin_expect(vertex == positions.last, 0) ? pli_vp_load_last(p) : pli_vp_load(p);
}

static void enclose_list(pli_positions positions, const uint32_t *list, uint32_t count,
                         pli_growing_box *box)
{
    twin_boxes twins = twins_empty();
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (uint32_t j = 0; j < 4; j++) {
            twins_grow(&twins, j & 1, load_vertex(positions, list[i + j]));
        }
    }
    for (; i < count; i++) {
        twins_grow(&twins, 0, load_vertex(positions, list[i]));
    }
    twins_join(&twins, box);
}

static void enclose_range(pli_positions positions, uint32_t first, uint32_t count,
                          pli_growing_box *box)
{
    twin_boxes twins = twins_empty();
    uint32_t i = 0;
    /* One short of the end, so that none of these is the last vertex of all. */
    for (; i + 5 <= count; i += 4) {
        const float *p = pli_position(positions, first + i);
        for (uint32_t j = 0; j < 4; j++) {
            twins_grow(&twins, j & 1, pli_vp_load(p));
            p = (const float *)(const void *)((const char *)p + positions.stride);
        }
    }
    for (; i < count; i++) {
        twins_grow(&twins, 0, load_vertex(positions, first + i));
    }
    twins_join(&twins, box);
}

static void read_vertices(pli_positions positions, const uint32_t *list, uint32_t count,
                          pli_cluster_record *record, float sum[3])
{
    float *x = pli_cluster_coordinate(record, 0), *y = pli_cluster_coordinate(record, 1);
    float *z = pli_cluster_coordinate(record, 2);
    pli_vp total = pli_vp_set(0.0f), last = pli_vp_set(0.0f);
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        pli_vp point[4];
        for (uint32_t j = 0; j < 4; j++) {
            point[j] = load_vertex(positions, list[i + j]);
            total = pli_vp_add(point[j], total);
        }
        pli_vp_spread(point[0], point[1], point[2], point[3], x + i, y + i, z + i);
    }
    /* The padding repeats the last vertex. */
    for (; i < record->stride; i += 4) {
        pli_vp point[4];
        for (uint32_t j = 0; j < 4; j++) {
            last = load_vertex(positions, list[i + j < count ? i + j : count - 1]);
            total = pli_vp_add(last, total);
            point[j] = last;
        }
        pli_vp_spread(point[0], point[1], point[2], point[3], x + i, y + i, z + i);
    }
    pli_vp_store(sum, total);
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
        __m128 r[4], t[2];                                                                         \
        for (int i = 0; i < 4; i++) {                                                              \
            const float *row = in + 32 * half + 8 * i;                                             \
            r[i] = op(_mm_loadu_ps(row), _mm_loadu_ps(row + 4));                                   \
        }                                                                                          \
        for (int i = 0; i < 2; i++) {                                                              \
            __m128 a = r[2 * i], b = r[2 * i + 1];                                                 \
            t[i] = op(_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));                               \
        }                                                                                          \
        _mm_storeu_ps(out + 4 * half,                                                              \
                      op(_mm_shuffle_ps(t[0], t[1], 0x44), _mm_shuffle_ps(t[0], t[1], 0xee)));     \
    }
static inline void fold_runs(const float *in, float *out, bool most)
{
    if (most) {
        FOLD(_mm_max_ps)
    } else {
        FOLD(_mm_min_ps)
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

static inline void bound_along_axis(const uint8_t *corners, uint32_t slots, const float *coordinate,
                                    uint32_t entries, float *lower, float *upper)
{
    for (uint32_t s = 0; s < slots; s += PLI_LANES) {
        pli_vf a = pli_vf_look_up(coordinate, entries, corners + s);
        pli_vf b = pli_vf_look_up(coordinate, entries, corners + slots + s);
        pli_vf c = pli_vf_look_up(coordinate, entries, corners + 2 * slots + s);
        pli_vf_store(lower + s, pli_vf_min(pli_vf_min(a, b), c));
        pli_vf_store(upper + s, pli_vf_max(pli_vf_max(a, b), c));
    }
}

static void bound_triangles(const pli_cluster *cluster, const uint8_t *corners,
                            pli_cluster_record *record)
{
    uint32_t slots = cluster->slot_count;
    uint64_t all = slots == 64 ? UINT64_MAX : ((uint64_t)1 << slots) - 1;
    for (int k = 0; k < 3; k++) {
        float *lower = pli_triangle_side(record, k), *upper = pli_triangle_side(record, 3 + k);
        bound_along_axis(corners, slots, pli_cluster_coordinate(record, k), record->stride, lower,
                         upper);
        for (uint64_t holes = all & ~cluster->live; holes != 0; holes &= holes - 1) {
            int s = __builtin_ctzll(holes);
            lower[s] = INFINITY;
            upper[s] = -INFINITY;
        }
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

const pli_vertex_kernels PLI_VERTEX_KERNELS = {
    .enclose_list = enclose_list,
    .enclose_range = enclose_range,
    .read_vertices = read_vertices,
    .bound_triangles = bound_triangles,
};
