/*
 * Small triangles to crossings, a triangle per lane. For the instruction set that base/simd/simd.h
 * was told to use; raster_lanes.h has what is computed for a lane.
 */
#include "raster_kernels.h"

#include "volume/raster_lanes.h"

/* ------------------------------------------------------------ images of squares

   Few triangles of a cluster touch few squares each, so lanes are not triangles but pairs of a
   triangle and a square. The triangles are kept in tables, which are read for as many pairs as
   there are lanes. */

/* Columns of the tables. */
enum { INTS_OF_TRIANGLE = 21, FLOATS_OF_TRIANGLE = 8 };

typedef struct squares_filler {
    int32_t corner[2][PLI_CLUSTER_SLOTS]; /* the first pixel to look at */
    int32_t ints[INTS_OF_TRIANGLE][PLI_CLUSTER_SLOTS];
    float floats[FLOATS_OF_TRIANGLE][PLI_CLUSTER_SLOTS];
    uint32_t count; /* of the target's pairs */
} squares_filler;

/* Pairs the triangles of some lanes with the squares that their pixels lie in; false if there are
   none. */
static inline bool list_squares(const lanes_triangles *t, pli_vm active, uint32_t first,
                                pli_raster_target *target, squares_filler *s)
{
    int32_t size[2][PLI_LANES];
    pli_vn_store(s->corner[0] + first, t->corner[0]);
    pli_vn_store(s->corner[1] + first, t->corner[1]);
    pli_vn_store(size[0], t->width);
    pli_vn_store(size[1], t->height);
    uint32_t before = s->count, count = before, end = target->first_square + target->square_count;
    for (unsigned bits = pli_vm_bits(active); bits != 0; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(bits), slot = first + i;
        const int32_t corner[2] = {s->corner[0][slot], s->corner[1][slot]};
        const pli_pixel_box box = {{corner[0], corner[1]},
                                   {corner[0] + size[0][i] - 1, corner[1] + size[1][i] - 1}};
        pli_pixel_box under = pli_squares_under(target->squares, &box);
        for (int32_t row = under.first[1]; row <= under.last[1]; row++) {
            pli_chosen chosen =
                pli_squares_between(target->squares, row, under.first[0], under.last[0]);
            for (uint32_t at = chosen.first; at < chosen.end; at++) {
                target->pair_slot[count] = (uint8_t)slot;
                target->pair_square[count] = at;
                count += at >= target->first_square && at < end;
            }
        }
    }
    s->count = count;
    return count > before;
}

/* All that fill_squares() asks about triangles, in one order, for going to the tables and back. */
typedef struct kept_triangle {
    pli_vn *ints[INTS_OF_TRIANGLE];
    pli_vf *floats[FLOATS_OF_TRIANGLE];
} kept_triangle;

static inline kept_triangle list_fields(lanes_triangles *t, lanes_edges *e, lanes_depths *d)
{
    kept_triangle all = {
        .ints = {&t->area, &t->facing, &t->width, &t->height, &t->number, &t->slot},
        .floats = {&t->depth[0], &d->rise[0], &d->rise[1], &d->weight, &d->least, &d->greatest,
                   &d->margin, &d->spread}};
    uint32_t at = 6;
    for (uint32_t k = 0; k < 3; k++) {
        pli_vn *of_edge[5] = {&e->value[k], &e->next[k], &e->next_row[k], &e->bias[k],
                              &e->margin[k]};
        for (uint32_t i = 0; i < 5; i++) {
            all.ints[at++] = of_edge[i];
        }
    }
    return all;
}

/* Puts what is known of the triangles of some lanes into the tables. */
static inline void keep_triangles(lanes_triangles *t, uint32_t first, pli_raster_target *target,
                                  squares_filler *s)
{
    lanes_edges e;
    lanes_depths d;
    set_edges(t, &e);
    set_depths(t, &e, true, &d);
    keep_slopes(&d, first, target);
    for (uint32_t k = 0; k < 3; k++) {
        e.next_row[k] = pli_vn_times_pixel(e.du[k]); /* here: straight to the next row */
    }
    kept_triangle all = list_fields(t, &e, &d);
    for (uint32_t i = 0; i < INTS_OF_TRIANGLE; i++) {
        pli_vn_store(s->ints[i] + first, *all.ints[i]);
    }
    for (uint32_t i = 0; i < FLOATS_OF_TRIANGLE; i++) {
        pli_vf_store(s->floats[i] + first, *all.floats[i]);
    }
}

/* Looks up the triangles of some pairs. */
static inline void find_triangles(const squares_filler *s, pli_vn slot, lanes_triangles *t,
                                  lanes_edges *e, lanes_depths *d)
{
    kept_triangle all = list_fields(t, e, d);
    for (uint32_t i = 0; i < INTS_OF_TRIANGLE; i++) {
        *all.ints[i] = pli_vn_gather(s->ints[i], PLI_CLUSTER_SLOTS, slot);
    }
    for (uint32_t i = 0; i < FLOATS_OF_TRIANGLE; i++) {
        *all.floats[i] = pli_vf_gather(s->floats[i], PLI_CLUSTER_SLOTS, slot);
    }
}

/* The squares of some pairs: their first pixels, from the triangle's, and these pixels' numbers. */
typedef struct lanes_square {
    int32_t slot[PLI_LANES], from[2][PLI_LANES];
    uint32_t pixel[PLI_LANES];
} lanes_square;

static inline void find_squares(const squares_filler *s, uint32_t first,
                                const pli_raster_target *target, lanes_square *q)
{
    const pli_squares *squares = target->squares;
    for (uint32_t i = 0; i < PLI_LANES; i++) {
        uint32_t pair = first + i < s->count ? first + i : s->count - 1;
        uint32_t slot = target->pair_slot[pair], at = target->pair_square[pair];
        const pli_square_range *square = &squares->chosen[at];
        int32_t place[2] = {squares->first[0] + (int32_t)square->column,
                            squares->first[1] + (int32_t)square->row};
        q->slot[i] = (int32_t)slot;
        q->from[0][i] = place[0] * (1 << squares->shift) - s->corner[0][slot];
        q->from[1][i] = place[1] * (1 << squares->shift) - s->corner[1][slot];
        q->pixel[i] = (at - target->first_square) << 2 * squares->shift;
    }
}

/* Lanes whose pixel, `from` the first of `count`, is one of these. */
static inline pli_vm within(pli_vm lanes, pli_vn from, pli_vn count)
{
    lanes = pli_vm_and(lanes, pli_vn_greater(count, from));
    return pli_vm_and_not(lanes, pli_vn_greater(pli_vn_set(0), from));
}

/* One pixel per lane. */
static inline void fill_pixel(const lanes_triangles *t, const lanes_edges *e, const lanes_depths *d,
                              pli_vn pixel, pli_vm active, pli_raster_target *target)
{
    pli_vf depth = plane_depth(t, e, d);
    pli_vm inside = pli_vm_and(active, pli_vn_greater(t->area, pli_vn_set(0)));
    for (uint32_t k = 0; k < 3; k++) {
        inside = pli_vm_and_not(inside, pli_vn_greater(e->bias[k], e->value[k]));
    }
    if (pli_vm_bits(inside) != 0) {
        put_crossings(t, d, depth, pixel, inside, target);
    }
    put_intervals(t, e, d, depth, pixel, active, target);
}

/* As fill_triangles(), but only pixels of squares. */
static inline void fill_squares(const squares_filler *s, pli_raster_target *target)
{
    int32_t side = 1 << target->squares->shift;
    for (uint32_t first = 0; first < s->count; first += PLI_LANES) {
        uint32_t left = s->count - first;
        pli_vm lanes = pli_vm_from_bits(left < PLI_LANES ? (1u << left) - 1
                                                         : (1u << (PLI_LANES - 1) << 1) - 1);
        lanes_square q;
        find_squares(s, first, target, &q);
        lanes_triangles t;
        lanes_edges e;
        lanes_depths d;
        find_triangles(s, pli_vn_load(q.slot), &t, &e, &d);
        for (int32_t i = 0; i < side * side; i++) {
            pli_vn column = pli_vn_add(pli_vn_load(q.from[0]), pli_vn_set(i & (side - 1)));
            pli_vn row = pli_vn_add(pli_vn_load(q.from[1]), pli_vn_set(i / side));
            pli_vm there = within(within(lanes, column, t.width), row, t.height);
            if (pli_vm_bits(there) == 0) {
                continue;
            }
            lanes_edges here = e;
            for (uint32_t k = 0; k < 3; k++) {
                pli_vn across = pli_vn_mul(e.next[k], column);
                pli_vn down = pli_vn_mul(e.next_row[k], row);
                here.value[k] = pli_vn_add(e.value[k], pli_vn_add(across, down));
            }
            fill_pixel(&t, &here, &d, pli_vn_add(pli_vn_load(q.pixel), pli_vn_set(i)), there,
                       target);
        }
    }
}

/* ------------------------------------------------------------ all of a window */

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
