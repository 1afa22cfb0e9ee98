/* The begin of a step: counters and boxes are emptied, and the clusters of bodies that are given by
   positions get their vertices side by side and their boxes. */
#ifndef PLI_CUDA_KERNEL_REFIT_H
#define PLI_CUDA_KERNEL_REFIT_H

#include "scratch.h"

PLI_DEVICE void pli_empty_box(pli_cuda_box *box)
{
    for (int k = 0; k < 4; k++) {
        box->lower[k] = INT32_MAX;
        box->upper[k] = INT32_MIN;
    }
}

PLI_DEVICE void pli_kernel_reset(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    (void)scratch;
    uint64_t turns = (uint64_t)warp->count * PLI_CUDA_LANES;
    PLI_LANES(warp)
    uint64_t start = (uint64_t)warp->number * PLI_CUDA_LANES + lane;
    for (uint64_t i = start; i < PLI_CUDA_COUNTERS; i += turns) {
        s->counters[i] = i == PLI_CUDA_BAD      ? PLI_CUDA_NOTHING
                         : i == PLI_CUDA_UNITS ? s->first_units
                                               : 0;
    }
    for (uint64_t i = start; i < 2 * (uint64_t)PLI_CUDA_BUCKETS; i += turns) {
        s->bucket_sizes[i] = 0;
    }
    for (uint64_t i = start; i < s->group_count; i += turns) {
        pli_empty_box(&s->group_boxes[i]);
    }
    for (uint64_t i = start; i < s->lazy_count; i += turns) {
        s->marks[s->lazy_clusters[i]] = 0;
    }
    for (uint64_t i = start; s->finds_first != 0 && i < s->capacity[PLI_CUDA_BODIES]; i += turns) {
        s->first[i] = PLI_CUDA_NOTHING;
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

/* Stores a vertex of a cluster; one that is not finite is told of, and stands at 0. */
PLI_DEVICE void pli_store_vertex(const pli_cuda_step *s, uint32_t body, uint32_t vertex,
                                 float point[3], float *at, uint32_t stride)
{
    bool finite = true;
    for (int k = 0; k < 3; k++) {
        finite = finite && point[k] - point[k] == 0.0f;
    }
    if (!finite) {
        pli_atomic_min(&s->counters[PLI_CUDA_BAD], (uint64_t)body << 32 | (vertex + 1));
    }
    for (uint32_t k = 0; k < 3; k++) {
        at[k * stride] = finite ? point[k] : 0.0f;
    }
}

/* Finds the box of a cluster's stored vertices, and grows its group's by it. */
PLI_DEVICE void pli_box_vertices(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 uint32_t cluster, const float *vertices, uint32_t count,
                                 uint32_t stride)
{
    pli_cuda_box *box = &s->boxes[cluster], *group = &s->group_boxes[cluster / PLI_CUDA_GROUP];
    for (uint32_t k = 0; k < 3; k++) {
        PLI_VARIES(int32_t, low);
        PLI_VARIES(int32_t, high);
        PLI_LANES(warp)
        PLI_OF(low) = INT32_MAX;
        PLI_OF(high) = INT32_MIN;
        for (uint32_t i = lane; i < count; i += PLI_CUDA_LANES) {
            int32_t order = pli_order_of(vertices[k * stride + i]);
            PLI_OF(low) = order < PLI_OF(low) ? order : PLI_OF(low);
            PLI_OF(high) = order > PLI_OF(high) ? order : PLI_OF(high);
        }
        PLI_END
        int32_t lower = pli_least(PLI_REF(low)), upper = pli_greatest(PLI_REF(high));
        PLI_LANES(warp)
        if (lane == 0) {
            box->lower[k] = lower;
            box->upper[k] = upper;
            pli_atomic_min_int(&group->lower[k], lower);
            pli_atomic_max_int(&group->upper[k], upper);
        }
        PLI_END
    }
}

PLI_DEVICE void pli_refit_cluster(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                  uint32_t cluster)
{
    uint32_t number = s->cluster_body[cluster];
    const pli_cuda_body *body = &s->bodies[number];
    const pli_cuda_shape *shape = body->shape;
    const pli_cuda_cluster *of = &shape->clusters[cluster - body->first_cluster];
    const uint32_t *list = shape->vertices + of->first_vertex;
    float *vertices = s->vertices + (uint64_t)s->places[cluster] * PLI_CUDA_UNIT;
    PLI_LANES(warp)
    for (uint32_t i = lane; i < of->vertex_count; i += PLI_CUDA_LANES) {
        const float *given = body->positions + list[i] * body->position_stride;
        float point[3] = {given[0], given[1], given[2]};
        if (shape->joint_count > 0) {
            pli_transform(body->transforms, point);
        }
        pli_finish_vertex(body, point);
        pli_store_vertex(s, number, list[i], point, vertices + i, of->stride);
    }
    PLI_END
    pli_box_vertices(s, warp, cluster, vertices, of->vertex_count, of->stride);
}

PLI_DEVICE void pli_kernel_refit(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                 pli_cuda_scratch *scratch)
{
    (void)scratch;
    for (uint64_t i = warp->number; i < s->free_count; i += warp->count) {
        pli_refit_cluster(s, warp, s->free_clusters[pli_item(warp, i, s->free_count)]);
    }
}

/* The boxes of whole bodies, of those of their groups. */
PLI_DEVICE void pli_kernel_bodies(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                  pli_cuda_scratch *scratch)
{
    (void)scratch;
    for (uint64_t i = warp->number; i < s->body_count; i += warp->count) {
        const pli_cuda_body *body = &s->bodies[i];
        uint32_t first = body->first_cluster / PLI_CUDA_GROUP;
        uint32_t count = (body->cluster_count + PLI_CUDA_GROUP - 1) / PLI_CUDA_GROUP;
        for (int k = 0; k < 3; k++) {
            PLI_VARIES(int32_t, low);
            PLI_VARIES(int32_t, high);
            PLI_LANES(warp)
            PLI_OF(low) = INT32_MAX;
            PLI_OF(high) = INT32_MIN;
            for (uint32_t g = lane; g < count; g += PLI_CUDA_LANES) {
                const pli_cuda_box *box = &s->group_boxes[first + g];
                PLI_OF(low) = box->lower[k] < PLI_OF(low) ? box->lower[k] : PLI_OF(low);
                PLI_OF(high) = box->upper[k] > PLI_OF(high) ? box->upper[k] : PLI_OF(high);
            }
            PLI_END
            int32_t lower = pli_least(PLI_REF(low)), upper = pli_greatest(PLI_REF(high));
            PLI_LANES(warp)
            if (lane == 0) {
                s->body_boxes[i].lower[k] = lower;
                s->body_boxes[i].upper[k] = upper;
            }
            PLI_END
        }
    }
}

#endif
