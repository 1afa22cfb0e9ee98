#include "world.h"

#include <float.h>
#include <math.h>

pli_world_product pli_world_multiply(const float *world, const float *rows)
{
    pli_world_product product;
    for (int a = 0; a < 3; a++) {
        const float *row = world + 4 * a;
        for (int k = 0; k < 4; k++) {
            double value = 0.0, size = 0.0;
            for (int i = 0; i < 3; i++) {
                double term = (double)row[i] * (double)rows[4 * i + k];
                value += term;
                size += fabs(term);
            }
            product.value[a][k] = value;
            product.size[a][k] = size;
        }
    }
    return product;
}

/* Within what a float32 can hold: poses whose products are larger are far out. */
static float round_entry(double x)
{
    return (float)fmin(fmax(x, -(double)FLT_MAX), (double)FLT_MAX);
}

void pli_pose_place(const pliant_shape *shape, float *room, pli_pose *pose)
{
    const pli_model *model = &shape->block->model;
    pose->moved = !model->has_influences && (model->joint_count > 0 || pose->world != NULL);
    if (pose->world == NULL || model->joint_count == 0) {
        pose->placing = pose->world != NULL ? pose->world : pose->transforms;
        return;
    }
    for (size_t j = 0; j < model->joint_count; j++) {
        pli_world_product product = pli_world_multiply(pose->world, pose->transforms + 12 * j);
        for (int i = 0; i < 12; i++) {
            bool shifts = i % 4 == 3 && pose->moved;
            room[12 * j + (size_t)i] =
                round_entry(product.value[i / 4][i % 4] + (shifts ? (double)pose->world[i] : 0.0));
        }
    }
    pose->placing = room;
}

void pli_world_shift(const pli_pose *pose, pli_boxes *boxes)
{
    for (int side = 0; side < 6 && pose->world != NULL; side++) {
        float shift = pose->world[4 * (side % 3) + 3];
        for (int lane = 0; lane < PLI_WIDTH; lane++) {
            boxes->side[side][lane] += shift;
        }
    }
}
