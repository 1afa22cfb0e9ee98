/*
 * Bounds of free bodies.
 * Based on: T. Larsson, T. Akenine-Moller, Collision Detection for Continuously Deforming Bodies,
 * Eurographics 2001, section 3.3.
 *
 * A node is bounded from the distinct vertices below it, read through index lists in the caller's
 * order. Ours: those lists are ranges of one vertex order that all nodes share, plus short lists of
 * extras; eight children lie side by side; and a cluster of up to 64 triangles is refreshed whole.
 */
#include "bounds/bounds.h"

#include <math.h>

static bool is_finite(const float sum[])
{
    return isfinite(sum[0]) && isfinite(sum[1]) && isfinite(sum[2]);
}

/* Looks at listed vertices one by one, where their sum has overflowed. */
static bool list_is_finite(pli_positions positions, const uint32_t *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!is_finite(pli_position(positions, list[i]))) {
            return false;
        }
    }
    return true;
}

bool pli_bound_child_from_vertices(const pli_vertex_kernels *kernels, const pliant_shape *shape,
                                   uint32_t child, pli_positions positions, pli_boxes *boxes,
                                   uint32_t lane)
{
    pli_vertex_box box;
    const uint32_t *list, *extras = shape->node_extras;
    uint32_t count, extra_count = 0;
    if (child & PLI_CLUSTER_BIT) {
        const pli_cluster *cluster = &shape->clusters[child & ~PLI_CLUSTER_BIT];
        list = shape->cluster_vertices + cluster->first_vertex;
        count = pli_padded_count(cluster->vertex_count); /* repeats do no harm and need no rest */
        kernels->enclose_lists(positions, list, count, extras, 0, &box);
    } else {
        const pli_vertex_span *span = &shape->nodes[child].vertices;
        list = shape->vertex_order + span->first;
        count = span->count;
        extras += span->extra_first;
        extra_count = span->extra_count;
        if (shape->in_tree_order) {
            kernels->enclose_range(positions, span->first, count, extras, extra_count, &box);
        } else {
            kernels->enclose_lists(positions, list, count, extras, extra_count, &box);
        }
    }
    for (int k = 0; k < 3; k++) {
        boxes->side[k][lane] = box.lower[k];
        boxes->side[3 + k][lane] = box.upper[k];
    }
    return is_finite(box.sum) || (list_is_finite(positions, list, count) &&
                                  list_is_finite(positions, extras, extra_count));
}

uint32_t pli_child_vertex_count(const pliant_shape *shape, uint32_t child)
{
    if (child & PLI_CLUSTER_BIT) {
        return shape->clusters[child & ~PLI_CLUSTER_BIT].vertex_count;
    }
    return shape->nodes[child].vertices.count + shape->nodes[child].vertices.extra_count;
}

bool pli_refresh_cluster_from_vertices(const pli_vertex_kernels *kernels, const pliant_shape *shape,
                                       uint32_t index, pli_positions positions,
                                       const float *transform, const float *world,
                                       const pli_model_kernels *model_kernels,
                                       pli_cluster_record *record)
{
    const pli_cluster *cluster = &shape->clusters[index];
    const uint32_t *list = shape->cluster_vertices + cluster->first_vertex;
    float sum[4];
    record->slots = cluster->slot_count;
    record->stride = pli_padded_count(cluster->vertex_count);
    kernels->read_vertices(positions, list, record, sum);
    if (!is_finite(sum) && !list_is_finite(positions, list, cluster->vertex_count)) {
        return false;
    }
    if (transform != NULL) {
        model_kernels->transform(transform, record);
    }
    if (world != NULL) {
        model_kernels->transform(world, record);
    }
    kernels->bound_triangles(cluster, shape->slot_corners + 3 * (size_t)cluster->first_slot,
                             record);
    atomic_init(&record->stage, PLI_BOXED);
    return true;
}

void pli_boxes_clear(pli_boxes *boxes)
{
    for (int k = 0; k < 3; k++) {
        for (int lane = 0; lane < PLI_WIDTH; lane++) {
            boxes->side[k][lane] = INFINITY;
            boxes->side[3 + k][lane] = -INFINITY;
        }
    }
}

/* The least or the greatest of eight, by halves: compilers turn this into three wide operations. */
static inline float fold_eight(const float x[PLI_WIDTH], bool most)
{
    float four[4], two[2];
    for (int i = 0; i < 4; i++) {
        four[i] = (most ? x[i] > x[i + 4] : x[i] < x[i + 4]) ? x[i] : x[i + 4];
    }
    for (int i = 0; i < 2; i++) {
        two[i] = (most ? four[i] > four[i + 2] : four[i] < four[i + 2]) ? four[i] : four[i + 2];
    }
    return (most ? two[0] > two[1] : two[0] < two[1]) ? two[0] : two[1];
}

void pli_boxes_merge(const pli_boxes *from, pli_boxes *to, uint32_t lane)
{
    for (int k = 0; k < 3; k++) {
        to->side[k][lane] = fold_eight(from->side[k], false);
        to->side[3 + k][lane] = fold_eight(from->side[3 + k], true);
    }
}
