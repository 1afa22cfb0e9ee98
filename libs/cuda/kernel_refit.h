/* The begin of a step: counters and buckets are emptied, and the clusters of bodies that are given
   by positions get their vertices side by side and their boxes. */
#ifndef PLI_CUDA_KERNEL_REFIT_H
#define PLI_CUDA_KERNEL_REFIT_H

#include "scratch.h"

/* Whether two bodies are compared, a <= b; boxes are asked only where there are more than two. */
PLI_DEVICE bool pli_bodies_compared(const pli_cuda_step *s, uint32_t a, uint32_t b)
{
    if (a >= b) {
        return a == b && s->bodies[a].self != 0;
    }
    if (s->body_count > 2 && !pli_ordered_meet(&s->body_boxes[a], &s->body_boxes[b])) {
        return false;
    }
    const pli_cuda_body *first = &s->bodies[a], *second = &s->bodies[b];
    return (first->category & second->mask) != 0 && (second->category & first->mask) != 0 &&
           (first->is_static == 0 || second->is_static == 0);
}

/* Two bodies or one: their pairs are known before any box is. */
PLI_DEVICE void pli_list_few_bodies(const pli_cuda_step *s)
{
    uint64_t count = 0;
    for (uint32_t a = 0; a < s->body_count; a++) {
        for (uint32_t b = a; b < s->body_count; b++) {
            if (pli_bodies_compared(s, a, b)) {
                s->pairs[count].a = a;
                s->pairs[count++].b = b;
            }
        }
    }
    s->counters[PLI_CUDA_BODIES] = count;
}

/* What the first kernel of a step does besides: all that its other warps leave alone is emptied.
   Boxes of octets were when the step before had used them, and so was PLI_CUDA_BAD. */
PLI_DEVICE void pli_begin_step(const pli_cuda_step *s, const pli_cuda_warp *warp)
{
    uint64_t turns = (uint64_t)warp->count * PLI_CUDA_LANES;
    uint64_t buckets = (uint64_t)s->bucket_rows * PLI_CUDA_BUCKET_ROW;
    bool few = s->body_count <= 2;
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < PLI_CUDA_COUNTERS; i += turns) {
        if (i != PLI_CUDA_BAD && !(few && i == PLI_CUDA_BODIES)) {
            s->counters[i] = i == PLI_CUDA_UNITS ? s->first_units : 0;
        }
    }
    for (uint64_t i = start; i < buckets; i += turns) {
        s->bucket_sizes[i] = 0;
    }
    for (uint64_t i = start; i < (uint64_t)s->lazy_count * PLI_CUDA_OCTET; i += turns) {
        s->marks[s->lazy[i / PLI_CUDA_OCTET].octet * PLI_CUDA_OCTET + i % PLI_CUDA_OCTET] = 0;
    }
    for (uint64_t i = start; s->finds_first != 0 && i < s->capacity[PLI_CUDA_BODIES]; i += turns) {
        s->first[i] = PLI_CUDA_NOTHING;
    }
    if (few && start == 0) {
        pli_list_few_bodies(s);
    }
    PLI_END
}

/* What a step leaves behind for the next, once it has told what it counted. */
PLI_DEVICE void pli_end_step(const pli_cuda_step *s, const pli_cuda_warp *warp)
{
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    if (warp->number + 1 == warp->count && lane == 0) { /* that warp told it */
        s->counters[PLI_CUDA_BAD] = PLI_CUDA_NOTHING;
    }
    for (uint64_t i = start; i < s->free_count; i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        pli_empty_ordered(&s->octet_boxes[s->free[i].cluster / PLI_CUDA_OCTET]);
    }
    PLI_END
}

/* The same before the first step with new tables, or after one that failed; and the boxes of
   clusters that are not there. */
PLI_DEVICE void pli_kernel_reset(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    (void)scratch;
    pli_end_step(s, warp);
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < s->cluster_count; i += (uint64_t)warp->count * PLI_CUDA_LANES) {
        pli_empty_box(&s->boxes[i]);
        pli_empty_ordered(&s->octet_boxes[i / PLI_CUDA_OCTET]);
    }
    PLI_END
}

/* Each row is ((a0 x + a1 y) + a2 z) + t, every operation rounded once (definition D1). */
PLI_DEVICE void pli_transform(const float *rows, float point[3])
{
    float x = point[0], y = point[1], z = point[2];
    for (int k = 0; k < 3; k++) {
        const float *row = rows + 4 * k;
        point[k] = ((row[0] * x + row[1] * y) + row[2] * z) + row[3];
    }
}

/* The last steps to a vertex: the world transform, and no zero with a sign. */
PLI_DEVICE void pli_finish_vertex(const pli_cuda_body *body, float point[3])
{
    if (body->world != NULL) {
        pli_transform(body->world, point);
    }
    for (int k = 0; k < 3; k++) {
        point[k] += 0.0f;
    }
}

/* Stores a vertex of a cluster and grows a box by it; one that is not finite is told of, and stands
   at 0. */
PLI_DEVICE void pli_store_vertex(const pli_cuda_step *s, uint32_t body, uint32_t vertex,
                                 float point[3], float *at, uint32_t stride, pli_cuda_ordered *box)
{
    bool finite = true;
    for (int k = 0; k < 3; k++) {
        finite = finite && point[k] - point[k] == 0.0f;
    }
    if (!finite) {
        pli_atomic_min(&s->counters[PLI_CUDA_BAD], (uint64_t)body << 32 | (vertex + 1));
    }
    for (uint32_t k = 0; k < 3; k++) {
        point[k] = finite ? point[k] : 0.0f;
        at[k * stride] = point[k];
        int32_t order = pli_order_of(point[k]);
        box->lower[k] = order < box->lower[k] ? order : box->lower[k];
        box->upper[k] = order > box->upper[k] ? order : box->upper[k];
    }
}

/* Makes one box of those of all lanes; lane 0 stores it, and grows the octet's by it if that is
   wanted. */
PLI_DEVICE void pli_store_box(const pli_cuda_step *s, const pli_cuda_warp *warp, uint32_t cluster,
                              const pli_cuda_ordered *of_lanes, bool grows)
{
    pli_cuda_box *box = &s->boxes[cluster];
    pli_cuda_ordered *octet = &s->octet_boxes[cluster / PLI_CUDA_OCTET];
    PLI_UNROLL
    for (int k = 0; k < 3; k++) {
        PLI_VARIES(int32_t, low);
        PLI_VARIES(int32_t, high);
        PLI_LANES(warp)
        PLI_OF(low) = PLI_AT(of_lanes).lower[k];
        PLI_OF(high) = PLI_AT(of_lanes).upper[k];
        PLI_END
        int32_t lower = pli_least(PLI_REF(low)), upper = pli_greatest(PLI_REF(high));
        PLI_LANES(warp)
        if (lane == 0) {
            box->lower[k] = pli_float_of(lower);
            box->upper[k] = pli_float_of(upper);
            if (grows) {
                pli_atomic_min_int(&octet->lower[k], lower);
                pli_atomic_max_int(&octet->upper[k], upper);
            }
        }
        PLI_END
    }
}

/* A vertex of a body that is given by positions. */
PLI_DEVICE void pli_given_vertex(const pli_cuda_body *body, uint32_t vertex, float point[3])
{
    const float *given = body->positions + vertex * body->position_stride;
    for (int k = 0; k < 3; k++) {
        point[k] = given[k];
    }
    if (body->shape->joint_count > 0) {
        pli_transform(body->transforms, point);
    }
    pli_finish_vertex(body, point);
}

PLI_DEVICE void pli_refit_cluster(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                  pli_cuda_free of)
{
    const pli_cuda_body *body = &s->bodies[of.body];
    float *vertices = s->vertices + (uint64_t)of.place * PLI_CUDA_UNIT;
    PLI_VARIES(pli_cuda_ordered, box);
    PLI_LANES(warp)
    pli_empty_ordered(&PLI_OF(box));
    for (uint32_t i = lane; i < of.stride; i += PLI_CUDA_LANES) { /* the last ones are repeated */
        float point[3];
        uint32_t vertex = of.vertices[i];
        pli_given_vertex(body, vertex, point);
        pli_store_vertex(s, of.body, vertex, point, vertices + i, of.stride, &PLI_OF(box));
    }
    PLI_END
    pli_store_box(s, warp, of.cluster, PLI_REF(box), true);
}

PLI_DEVICE void pli_kernel_refit(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    (void)scratch;
    pli_begin_step(s, warp);
    for (uint64_t i = warp->number; i < s->free_count; i += warp->count) {
        pli_refit_cluster(s, warp, s->free[pli_item(warp, i, s->free_count)]);
    }
}

/* The boxes of whole bodies, of those of their octets. */
PLI_DEVICE void pli_kernel_bodies(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                  pli_cuda_scratch *scratch)
{
    (void)scratch;
    for (uint64_t i = warp->number; i < s->body_count; i += warp->count) {
        const pli_cuda_body *body = &s->bodies[i];
        uint32_t first = body->first_cluster / PLI_CUDA_OCTET;
        uint32_t count = (body->cluster_count + PLI_CUDA_OCTET - 1) / PLI_CUDA_OCTET;
        for (int k = 0; k < 3; k++) {
            PLI_VARIES(int32_t, low);
            PLI_VARIES(int32_t, high);
            PLI_LANES(warp)
            PLI_OF(low) = INT32_MAX;
            PLI_OF(high) = INT32_MIN;
            for (uint32_t g = lane; g < count; g += PLI_CUDA_LANES) {
                const pli_cuda_ordered *box = &s->octet_boxes[first + g];
                PLI_OF(low) = box->lower[k] < PLI_OF(low) ? box->lower[k] : PLI_OF(low);
                PLI_OF(high) = box->upper[k] > PLI_OF(high) ? box->upper[k] : PLI_OF(high);
            }
            PLI_END
            int32_t lower = pli_least(PLI_REF(low)), upper = pli_greatest(PLI_REF(high));
            PLI_LANES(warp)
            if (lane == 0) {
                s->body_boxes[i].lower[k] = lower;
                s->body_boxes[i].upper[k] = upper;
                s->body_boxes[i].lower[3] = s->body_boxes[i].upper[3] = 0;
            }
            PLI_END
        }
    }
}

#endif
