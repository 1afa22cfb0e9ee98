#include "world.h"

#include <float.h>
#include <math.h>

/* Within what a float32 can hold: poses whose products are larger are far out. */
static float round_entry(double x)
{
    x = x < (double)FLT_MAX ? x : (double)FLT_MAX; /* not fmin(): that is a call */
    return (float)(x > -(double)FLT_MAX ? x : -(double)FLT_MAX);
}

/* W T, or without the translation of W. Products are exact in double (S1). */
static void multiply(const float *world, const float *rows, bool shifts, float product[12])
{
    for (int a = 0; a < 3; a++) {
        const double w[3] = {(double)world[4 * a], (double)world[4 * a + 1],
                             (double)world[4 * a + 2]};
        double sum[4];
        for (int k = 0; k < 4; k++) {
            sum[k] =
                w[0] * (double)rows[k] + w[1] * (double)rows[4 + k] + w[2] * (double)rows[8 + k];
        }
        sum[3] += shifts ? (double)world[4 * a + 3] : 0.0;
        for (int k = 0; k < 4; k++) {
            product[4 * a + k] = round_entry(sum[k]);
        }
    }
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
        multiply(pose->world, pose->transforms + 12 * j, pose->moved, room + 12 * j);
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
