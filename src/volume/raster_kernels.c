/*
 * Small triangles to crossings, a triangle per lane. For the instruction set that base/simd/simd.h
 * was told to use; raster_lanes.h has what is computed for a lane.
 */
#include "raster_kernels.h"

#include "volume/raster_squares.h"

/* Steps to a whole number: adding and subtracting this rounds to nearest even. */
#define ROUNDING 0x1.8p52

static int32_t snap_one(double x)
{
    double shifted = x + ROUNDING;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return (int32_t)(uint32_t)bits;
}

static void snap_side(const float *from, size_t step, uint32_t count, double lower, double scale,
                      int32_t *to)
{
    uint32_t i = 0;
#if defined(PLI_SIMD_AVX512)
    for (; step == 1 && i < count; i += 8) {
        __m512d x = _mm512_cvtps_pd(_mm256_loadu_ps(from + i));
        x = _mm512_mul_pd(_mm512_sub_pd(x, _mm512_set1_pd(lower)), _mm512_set1_pd(scale));
        _mm256_storeu_si256((__m256i *)(void *)(to + i), _mm512_cvtpd_epi32(x));
    }
#endif
    for (; i < count; i++) {
        to[i] = snap_one(((double)from[i * step] - lower) * scale);
    }
}

static void snap_depth(const float *from, size_t step, uint32_t count, double lower, double scale,
                       float *to)
{
    uint32_t i = 0;
#if defined(PLI_SIMD_AVX512)
    for (; step == 1 && i < count; i += 8) {
        __m512d x = _mm512_cvtps_pd(_mm256_loadu_ps(from + i));
        x = _mm512_mul_pd(_mm512_sub_pd(x, _mm512_set1_pd(lower)), _mm512_set1_pd(scale));
        _mm256_storeu_ps(to + i, _mm512_cvtpd_ps(x));
    }
#endif
    for (; i < count; i++) {
        to[i] = (float)(((double)from[i * step] - lower) * scale);
    }
}

static void snap(const pli_grid *grid, const pli_cluster_record *record, uint32_t count,
                 pli_snapped *snapped)
{
    const float *points = record->data + 6 * (size_t)record->slots;
    for (uint32_t k = 0; k < 3; k++) {
        const float *from = points + (size_t)grid->axis[k] * record->axis_step;
        if (k < 2) {
            snap_side(from, record->vertex_step, count, grid->lower[k], grid->scale[k],
                      snapped->side[k]);
        } else {
            snap_depth(from, record->vertex_step, count, grid->lower[k], grid->scale[k],
                       snapped->depth);
        }
    }
}

/* Goes through the pixels of all lanes in step; `first` is the slot of the first lane. */
static inline void fill_triangles(const lanes_triangles *t, pli_vm active, uint32_t first,
                                  pli_raster_target *target)
{
    lanes_edges e;
    lanes_depths d;
    set_edges(t, &e);
    set_depths(t, &e, target->intervals, &d);
    if (target->intervals) {
        keep_slopes(&d, first, target);
    }
    pli_vn zero = pli_vn_set(0), one = pli_vn_set(1);
    pli_vn columns = pli_vn_set((int32_t)target->columns);
    pli_vn row = pli_vn_sub(t->corner[1], pli_vn_set(target->first[1]));
    pli_vn column = pli_vn_sub(t->corner[0], pli_vn_set(target->first[0]));
    pli_vn pixel = pli_vn_add(pli_vn_mul(row, columns), column);
    pli_vn to_next_row = pli_vn_add(pli_vn_sub(columns, t->width), one);
    pli_vn left = t->width, rows_left = t->height;
    pli_vm seen = pli_vn_greater(t->area, zero);
    while (pli_vm_bits(active) != 0) {
        pli_vf depth = plane_depth(t, &e, &d);
        pli_vm inside = pli_vm_and(active, seen);
        for (uint32_t k = 0; k < 3; k++) {
            inside = pli_vm_and_not(inside, pli_vn_greater(e.bias[k], e.value[k]));
        }
        if (pli_vm_bits(inside) != 0) {
            put_crossings(t, &d, depth, pixel, inside, target);
        }
        if (target->intervals) {
            put_intervals(t, &e, &d, depth, pixel, active, target);
        }
        left = pli_vn_sub(left, one);
        pli_vm more = pli_vn_greater(left, zero);
        for (uint32_t k = 0; k < 3; k++) {
            e.value[k] = pli_vn_add(e.value[k], pli_vn_select(more, e.next[k], e.next_row[k]));
        }
        pixel = pli_vn_add(pixel, pli_vn_select(more, one, to_next_row));
        left = pli_vn_select(more, left, t->width);
        rows_left = pli_vn_sub(rows_left, pli_vn_select(more, zero, one));
        active = pli_vm_and(active, pli_vn_greater(rows_left, zero));
    }
}

static uint64_t fill(const pli_cluster *cluster, const uint8_t *corners, const uint32_t *triangles,
                     const pli_snapped *snapped, pli_raster_target *target)
{
    uint64_t large = 0;
    uint32_t slot_words[PLI_CLUSTER_SLOTS];
    squares_filler squares;
    squares.count = 0;
    for (uint32_t i = 0; i < PLI_CLUSTER_SLOTS; i++) {
        slot_words[i] = i << PLI_SLOT_SHIFT;
    }
    for (uint32_t first = 0; first < cluster->slot_count; first += PLI_LANES) {
        lanes_triangles t;
        pli_vm small;
        pli_vm any = load_triangles(cluster, corners, snapped, target, first, &t, &small);
        large |= (uint64_t)pli_vm_bits(pli_vm_and_not(any, small)) << first;
        if (pli_vm_bits(small) == 0 ||
            (target->squares != NULL && !list_squares(&t, small, first, target, &squares))) {
            continue;
        }
        turn(&t);
        t.number = pli_vn_load(triangles + first);
        t.slot = pli_vn_load(slot_words + first);
        if (target->squares != NULL) {
            keep_triangles(&t, first, target, &squares);
        } else {
            fill_triangles(&t, small, first, target);
        }
    }
    if (squares.count > 0) {
        fill_squares(&squares, target);
    }
    return large;
}

const pli_raster_kernels PLI_KERNELS_OF(raster) = {.snap = snap, .fill = fill};
