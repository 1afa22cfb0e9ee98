#include "evaluate.h"

#include <string.h>

void pli_evaluate_cluster(const pli_vertex_kernels *vertex_kernels,
                          const pli_model_kernels *kernels, const pliant_shape *shape,
                          uint32_t index, const pli_pose *pose, pli_cluster_record *record)
{
    const pli_cluster *cluster = &shape->clusters[index];
    record->slots = cluster->slot_count;
    record->stride = pli_padded_count(cluster->vertex_count);
    if (shape->patches != NULL) {
        kernels->evaluate(shape, index, pose, record);
    } else {
        pli_positions rest = {shape->positions, 3 * sizeof(float), shape->vertex_count - 1};
        float sum[4];
        vertex_kernels->read_vertices(rest, shape->cluster_vertices + cluster->first_vertex, record,
                                      sum);
        kernels->transform(pose->transforms, record);
    }
    atomic_init(&record->stage, PLI_EVALUATED);
}

void pli_transform_point(const float *rows, const float point[3], float moved[3])
{
    float p[3] = {point[0], point[1], point[2]};
    for (int k = 0; k < 3; k++) {
        const float *row = rows + 4 * k;
        moved[k] = ((row[0] * p[0] + row[1] * p[1]) + row[2] * p[2]) + row[3];
    }
}

/* The patch that owns the vertex at a place of the tree's order. */
static const pli_patch *find_patch(const pliant_shape *shape, uint32_t place)
{
    uint64_t low = 0, high = shape->block->count[PLI_SECTION_PATCHES];
    while (high - low > 1) { /* the last patch that begins at or before the place */
        uint64_t middle = low + (high - low) / 2;
        if (shape->patches[middle].first_place <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &shape->patches[low];
}

/* Sums what the nodes of a patch make of y, number `i` of the patch. */
static void blend(const pliant_shape *shape, const pli_patch *patch, const pli_pose *pose,
                  const float *weights, size_t stride, const float y[3], float x[3])
{
    memset(x, 0, 3 * sizeof *x);
    for (size_t j = 0; j < patch->node_count; j++) {
        uint32_t node = shape->patch_nodes[patch->first_node + j];
        float moved[3];
        pli_transform_point(pose->transforms + 12 * (size_t)node, y, moved);
        for (int k = 0; k < 3; k++) {
            x[k] += weights[j * stride] * moved[k];
        }
    }
}

void pli_evaluate_vertex(const pliant_shape *shape, const pli_pose *pose, uint32_t vertex,
                         float position[3])
{
    float y[3];
    if (shape->patches == NULL) {
        memcpy(y, shape->positions + 3 * (size_t)vertex, sizeof y);
        pli_transform_point(pose->transforms, y, position);
    } else {
        uint32_t place = shape->vertex_place[vertex];
        const pli_patch *patch = find_patch(shape, place);
        size_t stride = pli_padded_count(patch->vertex_count), i = place - patch->first_place;
        const float *values = shape->patch_values + patch->first_value + i;
        for (size_t k = 0; k < 3; k++) {
            y[k] = values[k * stride];
            for (size_t m = 0; m < patch->mode_count; m++) {
                float q = pose->coordinates[shape->patch_modes[patch->first_mode + m]];
                y[k] += q * values[(3 + 3 * m + k) * stride];
            }
        }
        if (shape->block->model.has_influences) {
            blend(shape, patch, pose, values + (3 + 3 * (size_t)patch->mode_count) * stride, stride,
                  y, position);
        } else if (pose->moved) {
            pli_transform_point(pose->transforms, y, position);
        } else {
            memcpy(position, y, sizeof y);
        }
    }
    for (int k = 0; k < 3; k++) {
        position[k] += 0.0f; /* -0 becomes 0 */
    }
}
