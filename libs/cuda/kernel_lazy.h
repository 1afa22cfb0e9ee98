/*
 * Bodies that are given by coordinates and transforms: boxes of all their clusters follow from
 * these, and the vertices of clusters that come near others are evaluated, by definition D1 to the
 * bit.
 *
 * The box of a cluster: its vertices before transforms lie in the box c + sum q_m c_m, half as
 * large as h + sum |q_m| h_m; each of its joints makes a box of that; and as weights are not
 * negative and have sums between two known ones, blends lie in the box around these boxes times
 * such a sum. Rounding, of vertices and of the box itself, is covered by a margin: with M the sum
 * of absolute values that enter and n the operations in a row, neither is off by more than n 2^-23
 * M, plus what underflows. Where M is beyond 2^100 the box holds everything.
 */
#ifndef PLI_CUDA_KERNEL_LAZY_H
#define PLI_CUDA_KERNEL_LAZY_H

#include "kernel_refit.h"

#include <float.h>

#define PLI_CUDA_FAR_OUT   0x1p100f
#define PLI_CUDA_UNDERFLOW 0x1p-120f

/* A box by centre and half size, with a sum M that is at least that of each of its sides. */
typedef struct pli_cuda_extent {
    float centre[3], half[3], size;
} pli_cuda_extent;

PLI_DEVICE float pli_magnitude(float x)
{
    return x < 0.0f ? -x : x;
}

PLI_DEVICE float pli_largest(float x, float y, float z)
{
    float larger = x > y ? x : y;
    return larger > z ? larger : z;
}

PLI_DEVICE bool pli_is_finite(float x)
{
    return x - x == 0.0f;
}

/* Grows half sizes by what n operations in a row can be off, in vertices and in the box. */
PLI_DEVICE void pli_grow_extent(pli_cuda_extent *e, uint32_t operations)
{
    float margin = (float)(2 * operations) * 0x1p-23f * e->size + PLI_CUDA_UNDERFLOW;
    for (int k = 0; k < 3; k++) {
        e->half[k] += margin;
    }
    e->size *= 1.0f + 0x1p-10f;
}

/* What rest and modes make of a cluster, whose column of the octet's numbers begins at `bound`. */
PLI_DEVICE void pli_modes_extent(const pli_cuda_body *body, const pli_cuda_lazy *octet,
                                 const float *bound, pli_cuda_extent *e)
{
    const uint32_t *modes = octet->modes;
    for (int k = 0; k < 3; k++) {
        e->centre[k] = bound[k * PLI_CUDA_OCTET];
        e->half[k] = bound[(3 + k) * PLI_CUDA_OCTET];
    }
    e->size = bound[6 * PLI_CUDA_OCTET];
    PLI_UNROLL_BY_FOUR
    for (uint32_t m = 0; m < octet->mode_count; m++) {
        const float *field = bound + (uint64_t)(m + 1) * PLI_CUDA_BOUND_ROWS * PLI_CUDA_OCTET;
        float q = body->coordinates[modes[m]], amount = pli_magnitude(q);
        for (int k = 0; k < 3; k++) {
            e->centre[k] += q * field[k * PLI_CUDA_OCTET];
            e->half[k] += amount * field[(3 + k) * PLI_CUDA_OCTET];
        }
        e->size += amount * field[6 * PLI_CUDA_OCTET];
    }
    pli_grow_extent(e, 3 * octet->mode_count + 4);
}

/* What one transform makes of a box. */
PLI_DEVICE void pli_move_extent(const float *rows, const pli_cuda_extent *from, pli_cuda_extent *to)
{
    float size[3];
    for (int k = 0; k < 3; k++) {
        const float *row = rows + 4 * k;
        float x = pli_magnitude(row[0]), y = pli_magnitude(row[1]), z = pli_magnitude(row[2]);
        to->centre[k] = ((row[3] + row[0] * from->centre[0]) + row[1] * from->centre[1]) +
                        row[2] * from->centre[2];
        to->half[k] = (x * from->half[0] + y * from->half[1]) + z * from->half[2];
        size[k] = pli_magnitude(row[3]) + (x + y + z) * from->size;
    }
    to->size = 2.01f * pli_largest(size[0], size[1], size[2]);
    pli_grow_extent(to, 8);
}

/* What joints make of a box: the box around theirs, times sums of weights, the least and the
   greatest. */
PLI_DEVICE void pli_blend_extent(const pli_cuda_body *body, const pli_cuda_cluster *of,
                                 const float sums[2], const pli_cuda_extent *from,
                                 pli_cuda_extent *to)
{
    const uint32_t *joints = body->shape->joints + of->first_joint;
    float low[3] = {0.0f, 0.0f, 0.0f}, high[3] = {0.0f, 0.0f, 0.0f}, size = 0.0f;
    PLI_UNROLL_BY_FOUR
    for (uint32_t j = 0; j < of->joint_count; j++) {
        pli_cuda_extent moved;
        pli_move_extent(body->transforms + joints[j] * body->transform_stride, from, &moved);
        for (int k = 0; k < 3; k++) {
            float lower = moved.centre[k] - moved.half[k], upper = moved.centre[k] + moved.half[k];
            low[k] = j == 0 || lower < low[k] ? lower : low[k];
            high[k] = j == 0 || upper > high[k] ? upper : high[k];
        }
        size = moved.size > size ? moved.size : size;
    }
    for (int k = 0; k < 3; k++) {
        float lower = low[k] * (low[k] < 0.0f ? sums[1] : sums[0]);
        float upper = high[k] * (high[k] > 0.0f ? sums[1] : sums[0]);
        to->centre[k] = 0.5f * lower + 0.5f * upper;
        to->half[k] = 0.5f * upper - 0.5f * lower;
    }
    to->size = 2.01f * size * (sums[1] + 1.0f);
    pli_grow_extent(to, 3 * of->joint_count + 8);
}

/* The box of a cluster; it holds every finite vertex where numbers are too large. */
PLI_DEVICE void pli_bound_cluster(const pli_cuda_body *body, const pli_cuda_lazy *octet,
                                  uint32_t column, pli_cuda_box *box)
{
    const pli_cuda_shape *shape = body->shape;
    const float *bound = octet->bounds + column;
    pli_cuda_extent plain, moved, placed;
    pli_modes_extent(body, octet, bound, &plain);
    moved = plain;
    if (shape->has_influences != 0) {
        const float *row = bound + (uint64_t)PLI_CUDA_BOUND_ROWS * PLI_CUDA_OCTET *
                                       (1 + (uint64_t)octet->mode_count);
        float sums[2] = {row[0], row[PLI_CUDA_OCTET]};
        pli_blend_extent(body, &shape->clusters[octet->own + column], sums, &plain, &moved);
    } else if (shape->joint_count > 0) {
        pli_move_extent(body->transforms, &plain, &moved);
    }
    placed = moved;
    if (body->world != NULL) {
        pli_move_extent(body->world, &moved, &placed);
    }
    bool near = plain.size < PLI_CUDA_FAR_OUT && moved.size < PLI_CUDA_FAR_OUT &&
                placed.size < PLI_CUDA_FAR_OUT;
    for (int k = 0; k < 3; k++) {
        box->lower[k] = near ? placed.centre[k] - placed.half[k] : -FLT_MAX;
        box->upper[k] = near ? placed.centre[k] + placed.half[k] : FLT_MAX;
    }
}

/* Four octets in a row of the list, a lane per cluster; and the boxes of the octets. */
PLI_DEVICE void pli_bound_octets(const pli_cuda_step *s, const pli_cuda_warp *warp, uint64_t first)
{
    PLI_VARIES(pli_cuda_box, box);
    PLI_LANES(warp)
    uint64_t i = first + lane / PLI_CUDA_OCTET;
    pli_empty_box(&PLI_OF(box));
    if (i < s->lazy_count) {
        pli_cuda_lazy octet = s->lazy[i];
        uint32_t column = lane % PLI_CUDA_OCTET;
        const pli_cuda_body *body = &s->bodies[octet.body];
        if (octet.own + column < body->cluster_count) {
            pli_bound_cluster(body, &octet, column, &PLI_OF(box));
            s->boxes[octet.octet * PLI_CUDA_OCTET + column] = PLI_OF(box);
        }
    }
    PLI_END
    PLI_UNROLL
    for (int side = 0; side < 6; side++) { /* the greatest is the least of negative numbers */
        PLI_VARIES(int32_t, least);
        PLI_LANES(warp)
        PLI_OF(least) = side < 3 ? pli_order_of(PLI_OF(box).lower[side])
                                 : ~pli_order_of(PLI_OF(box).upper[side - 3]);
        PLI_END
        pli_least_of_eight(PLI_REF(least));
        PLI_LANES(warp)
        uint64_t i = first + lane / PLI_CUDA_OCTET;
        if (i < s->lazy_count && lane % PLI_CUDA_OCTET == 0) {
            pli_cuda_ordered *octet = &s->octet_boxes[s->lazy[i].octet];
            *(side < 3 ? &octet->lower[side] : &octet->upper[side - 3]) =
                side < 3 ? PLI_OF(least) : ~PLI_OF(least);
        }
        PLI_END
    }
}

/* States that lie on the device are looked at here: numbers of them that are not finite. */
PLI_DEVICE void pli_look_at_states(const pli_cuda_step *s, const pli_cuda_warp *warp)
{
    for (uint64_t i = warp->number; i < s->body_count; i += warp->count) {
        const pli_cuda_body *body = &s->bodies[i];
        PLI_LANES(warp)
        bool finite = true;
        for (uint32_t m = lane; body->coordinates != NULL && m < body->mode_count;
             m += PLI_CUDA_LANES) {
            finite = finite && pli_is_finite(body->coordinates[m]);
        }
        for (uint32_t n = lane; body->transforms != NULL && n < 12 * body->shape->joint_count;
             n += PLI_CUDA_LANES) {
            finite =
                finite && pli_is_finite(body->transforms[n / 12 * body->transform_stride + n % 12]);
        }
        if (body->world != NULL && lane < 12) {
            finite = finite && pli_is_finite(body->world[lane]);
        }
        if (!finite) {
            pli_atomic_min(&s->counters[PLI_CUDA_BAD], i << 32);
        }
        PLI_END
    }
}

PLI_DEVICE void pli_kernel_bound(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t rows = ((uint64_t)s->lazy_count + 3) / 4;
    if (s->free_count == 0) {
        pli_begin_step(s, warp);
    }
    pli_look_at_states(s, warp);
    for (uint64_t i = warp->number; i < rows; i += warp->count) {
        pli_bound_octets(s, warp, 4 * pli_item(warp, i, rows));
    }
}

/* One vertex of a cluster, by D1. */
PLI_DEVICE void pli_evaluate_vertex(const pli_cuda_body *body, const pli_cuda_cluster *of,
                                    uint32_t i, float point[3])
{
    const pli_cuda_shape *shape = body->shape;
    const float *values = shape->values + of->first_value + i;
    const uint32_t *modes = shape->modes + of->first_mode;
    uint64_t stride = of->stride;
    float y[3] = {values[0], values[stride], values[2 * stride]};
    PLI_UNROLL_BY_FOUR
    for (uint32_t m = 0; m < of->mode_count; m++) {
        const float *field = values + (3 + 3 * (uint64_t)m) * stride;
        float q = body->coordinates[modes[m]];
        y[0] += q * field[0];
        y[1] += q * field[stride];
        y[2] += q * field[2 * stride];
    }
    for (int k = 0; k < 3; k++) {
        point[k] = shape->has_influences != 0 ? 0.0f : y[k];
    }
    if (shape->has_influences == 0 && shape->joint_count > 0) {
        pli_transform(body->transforms, point);
    }
    uint32_t joint_count = shape->has_influences != 0 ? of->joint_count : 0;
    PLI_UNROLL_BY_FOUR /* transforms are read whether they count or not, to be on their way */
        for (uint32_t j = 0; j < joint_count; j++)
    {
        float weight = values[(3 + 3 * (uint64_t)of->mode_count + j) * stride];
        float moved[3] = {y[0], y[1], y[2]};
        uint64_t joint = shape->joints[of->first_joint + j];
        pli_transform(body->transforms + joint * body->transform_stride, moved);
        for (int k = 0; k < 3; k++) {
            point[k] = weight != 0.0f ? point[k] + weight * moved[k] : point[k];
        }
    }
    pli_finish_vertex(body, point);
}

PLI_DEVICE void pli_evaluate_cluster(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                     uint32_t cluster)
{
    pli_cuda_site site = s->sites[cluster];
    const pli_cuda_body *body = &s->bodies[site.body];
    const pli_cuda_cluster *of = &body->shape->clusters[site.own];
    const uint32_t *list = body->shape->vertices + of->first_vertex;
    if (site.place == UINT32_MAX) {
        return;
    }
    float *vertices = s->vertices + (uint64_t)site.place * PLI_CUDA_UNIT;
    PLI_VARIES(pli_cuda_ordered, box);
    PLI_LANES(warp)
    pli_empty_ordered(&PLI_OF(box));
    for (uint32_t i = lane; i < of->stride; i += PLI_CUDA_LANES) { /* the last ones are repeated */
        float point[3];
        pli_evaluate_vertex(body, of, i, point);
        pli_store_vertex(s, site.body, list[i], point, vertices + i, of->stride, &PLI_OF(box));
    }
    PLI_END
    pli_store_box(s, warp, cluster, PLI_REF(box), false);
}

PLI_DEVICE void pli_kernel_evaluate(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                    pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t count = pli_queued(s, PLI_CUDA_EVALUATED);
    for (uint64_t i = warp->number; i < count; i += warp->count) {
        pli_evaluate_cluster(s, warp, s->evaluated[pli_item(warp, i, count)]);
    }
}

#endif
