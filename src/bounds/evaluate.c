#include "bounds/bounds.h"

#include <string.h>

/* Skin blocks of a shape that are more numbers than that do not all stay in a near cache. */
enum { NEAR_NUMBERS = 1 << 18 };

/*
 * A skin block is read once per state at most. All of it is asked for before anything is computed:
 * while the sums wait for their numbers, the processor does not look far enough ahead to ask for
 * the next ones.
 */
static void fetch_skin_block(const pliant_shape *shape, uint32_t index, size_t stride)
{
    const pli_skin_block *skin_block = &shape->skin_blocks[index];
    const float *values = shape->skin_block_values + skin_block->first_value;
    size_t count = stride * (3 + 3 * (size_t)skin_block->mode_count + skin_block->joint_count);
    for (size_t i = 0; i < count; i += 16) {
        __builtin_prefetch(values + i);
    }
}

void pli_evaluate_cluster(const pli_vertex_kernels *vertex_kernels,
                          const pli_model_kernels *kernels, const pliant_shape *shape,
                          uint32_t index, const pli_pose *pose, pli_cluster_record *record)
{
    const pli_cluster *cluster = &shape->clusters[index];
    record->slots = cluster->slot_count;
    record->stride = pli_padded_count(cluster->vertex_count);
    if (shape->skin_blocks != NULL) {
        if (shape->block->model.has_influences &&
            shape->block->count[PLI_SECTION_SKIN_BLOCK_VALUES] > NEAR_NUMBERS) {
            fetch_skin_block(shape, index, record->stride);
        }
        kernels->evaluate(shape, index, pose, record);
    } else {
        pli_positions rest = {shape->positions, 3 * sizeof(float), shape->vertex_count - 1};
        float sum[4];
        vertex_kernels->read_vertices(rest, shape->cluster_vertices + cluster->first_vertex, record,
                                      sum);
        kernels->transform(pose->transforms, record);
        if (pose->world != NULL) {
            kernels->transform(pose->world, record);
        }
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

/*
 * The skin block that owns the vertex at a place of the tree's order, sought from `near` on in
 * growing steps: vertices that are asked for one after the other mostly lie close to each other.
 */
static uint64_t find_skin_block(const pliant_shape *shape, uint32_t place, uint64_t near)
{
    const pli_skin_block *skin_blocks = shape->skin_blocks;
    uint64_t low = near, high = near + 1, count = shape->block->count[PLI_SECTION_SKIN_BLOCKS];
    for (uint64_t step = 1; skin_blocks[low].first_place > place; step *= 2) {
        high = low;
        low = low > step ? low - step : 0;
    }
    for (uint64_t step = 1; high < count && skin_blocks[high].first_place <= place; step *= 2) {
        low = high;
        high = count - high > step ? high + step : count;
    }
    while (high - low > 1) { /* the last skin block that begins at or before the place */
        uint64_t middle = low + (high - low) / 2;
        if (skin_blocks[middle].first_place <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Sums what the joints of a skin block make of y. A weight of 0 adds nothing but the sign of a
   zero, which the caller drops. */
static void blend(const pliant_shape *shape, const pli_skin_block *skin_block, const pli_pose *pose,
                  const float *weights, size_t stride, const float y[3], float x[3])
{
    memset(x, 0, 3 * sizeof *x);
    for (size_t j = 0; j < skin_block->joint_count; j++) {
        if (weights[j * stride] == 0.0f) {
            continue;
        }
        uint32_t joint = shape->skin_block_joints[skin_block->first_joint + j];
        float moved[3];
        pli_transform_point(pose->transforms + 12 * (size_t)joint, y, moved);
        for (int k = 0; k < 3; k++) {
            x[k] += weights[j * stride] * moved[k];
        }
    }
}

/* Vertex number `i` of a skin block. */
static void evaluate_in_skin_block(const pliant_shape *shape, const pli_pose *pose,
                                   const pli_skin_block *skin_block, size_t i, float position[3])
{
    float y[3];
    size_t stride = pli_padded_count(skin_block->vertex_count);
    const float *values = shape->skin_block_values + skin_block->first_value + i;
    for (size_t k = 0; k < 3; k++) {
        y[k] = values[k * stride];
        for (size_t m = 0; m < skin_block->mode_count; m++) {
            float q = pose->coordinates[shape->skin_block_modes[skin_block->first_mode + m]];
            y[k] += q * values[(3 + 3 * m + k) * stride];
        }
    }
    if (shape->block->model.has_influences) {
        blend(shape, skin_block, pose, values + (3 + 3 * (size_t)skin_block->mode_count) * stride,
              stride, y, position);
    } else if (shape->block->model.joint_count > 0) {
        pli_transform_point(pose->transforms, y, position);
    } else {
        memcpy(position, y, sizeof y);
    }
}

void pli_evaluate_vertices(const pliant_shape *shape, const pli_pose *pose,
                           const uint32_t *vertices, uint32_t count, float *positions)
{
    uint64_t near = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t vertex = vertices != NULL ? vertices[i] : i;
        float *position = positions + 3 * (size_t)i;
        if (shape->skin_blocks == NULL) {
            pli_transform_point(pose->transforms, shape->positions + 3 * (size_t)vertex, position);
        } else {
            uint32_t place = shape->vertex_place[vertex];
            near = find_skin_block(shape, place, near);
            const pli_skin_block *skin_block = &shape->skin_blocks[near];
            evaluate_in_skin_block(shape, pose, skin_block, place - skin_block->first_place,
                                   position);
        }
        if (pose->world != NULL) {
            pli_transform_point(pose->world, position, position);
        }
        for (int k = 0; k < 3; k++) {
            position[k] += 0.0f; /* -0 becomes 0 */
        }
    }
}

void pli_evaluate_vertex(const pliant_shape *shape, const pli_pose *pose, uint32_t vertex,
                         float position[3])
{
    pli_evaluate_vertices(shape, pose, &vertex, 1, position);
}
