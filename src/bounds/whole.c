#include "bounds/bounds.h"

#include "bounds/pose.h"

#include <float.h>

static float smaller(float a, float b)
{
    return a < b ? a : b;
}

/* Encloses all joint boxes: eight boxes, some of which may hold the same. */
static void enclose_joints(const pli_model_kernels *kernels, const pliant_shape *shape,
                           const pli_pose *pose, pli_boxes *boxes)
{
    pli_boxes_clear(boxes);
    for (uint64_t i = pli_shape_bounded_count(shape);
         i < shape->block->count[PLI_SECTION_COEFFICIENTS]; i++) {
        pli_coefficient_view coefficients = pli_view_coefficients(shape, i, PLI_WIDTH);
        kernels->enclose_joints(&coefficients, pose, boxes);
    }
}

void pli_bound_whole(const pli_model_kernels *kernels, const pliant_shape *shape,
                     const pli_pose *pose, pli_boxes *box)
{
    static const float identity[12] = {1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f,
                                       0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    const pli_model *model = &shape->block->model;
    const float *sums = model->weight_sums;
    bool moves = shape->block->count[PLI_SECTION_COEFFICIENTS] > pli_shape_bounded_count(shape);
    pli_pose placed = *pose;
    float margin[3];
    pli_boxes joints;
    if (!pose->moved && !model->has_influences) {
        placed.placing = identity; /* products with 0 and 1 do not round */
    }
    if (moves && !pose->far_out) {
        enclose_joints(kernels, shape, &placed, &joints);
        pli_boxes_merge(&joints, box, 0);
    }
    pli_pose_whole_margin(shape, pose, margin);
    for (int k = 0; k < 3; k++) {
        float lower = moves ? box->side[k][0] : 0.0f, upper = moves ? box->side[3 + k][0] : 0.0f;
        /* Weights that sum to s put a vertex s times as far out as such that sum to 1. */
        lower = smaller(lower * sums[0], lower * sums[1]) - margin[k];
        upper = -smaller(-upper * sums[0], -upper * sums[1]) + margin[k];
        box->side[k][0] = pose->far_out ? -FLT_MAX : lower;
        box->side[3 + k][0] = pose->far_out ? FLT_MAX : upper;
    }
    if (pose->world != NULL && model->has_influences && !pose->far_out) {
        pli_world_shift(pose->world, box);
    }
}
