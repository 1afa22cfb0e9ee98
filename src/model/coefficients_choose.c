/*
 * Which kind a node's coefficients are, where the library may choose: affine boxes cost two to
 * three times as much as plain ones to refresh, and near the root of a tree, where a child is a
 * large part of the body and no field is nearly affine, they are hardly smaller. So both are tried
 * on a few states in which every mode moves the body by as much as any other, and all together by
 * about a tenth of its size; and they are affine where that makes its boxes smaller.
 */
#include "builder.h"

#include <math.h>

/* Affine boxes have to be smaller than this share of plain ones. */
#define SMALL_ENOUGH 0.97

enum { TRIED_STATES = 8 };

/* Numbers from -1 to 1, the same on every machine. */
static double draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1.0;
}

/* The sum of the half sides of a lane's box that three runs of numbers hold. */
static double half_sides(const float *values, uint32_t lane)
{
    const float *half = values + PLI_WIDTH + lane;
    return (double)half[0] + (double)half[PLI_HALVES] + (double)half[2 * PLI_HALVES];
}

/* The same of a lane's plain box in a state. */
static double box_sides(const float *values, uint32_t mode_count, uint32_t lane, const double *q)
{
    double sum = half_sides(values, lane);
    for (size_t m = 0; m < mode_count; m++) {
        sum += fabs(q[m]) * half_sides(values + PLI_COEFFICIENT_AXES * (m + 1), lane);
    }
    return sum;
}

/* The same of its affine box; of one that is turned about, on average, along the columns. */
static double affine_sides(const float *values, uint32_t mode_count, uint32_t lane, const double *q,
                           bool turned)
{
    const float *half = values + PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME + lane;
    const float *modes =
        values + PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME + PLI_COEFFICIENT_COLUMNS;
    double sum = half_sides(values, lane), frame[3][3];
    for (size_t k = 0; k < 9; k++) {
        frame[k / 3][k % 3] =
            (double)values[PLI_COEFFICIENT_AXES + 32 * (k / 3) + 8 * (k % 3) + lane];
    }
    for (size_t m = 0; m < mode_count; m++) {
        const float *mode = modes + (PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME) * m;
        sum += fabs(q[m]) * half_sides(mode, lane);
        for (size_t k = 0; k < 9; k++) {
            frame[k / 3][k % 3] +=
                q[m] * (double)mode[PLI_COEFFICIENT_AXES + 32 * (k / 3) + 8 * (k % 3) + lane];
        }
    }
    for (size_t a = 0; a < 3; a++) {
        double x = frame[0][a], y = frame[1][a], z = frame[2][a];
        double length = turned ? sqrt(x * x + y * y + z * z) : fabs(x) + fabs(y) + fabs(z);
        sum += (double)half[PLI_WIDTH * a] * length;
    }
    return sum;
}

bool pli_affine_pays(const pli_model_builder *builder, const pli_coefficients *coefficients,
                     uint32_t lanes, const float *affine, const float *box, double *coordinates)
{
    const uint32_t *modes = builder->coefficient_modes.data + coefficients->first_mode;
    double affine_sum = 0.0, box_sum = 0.0;
    double most = 0.2 * builder->size / sqrt((double)builder->model.mode_count);
    uint32_t state = 1;
    for (int i = 0; i < TRIED_STATES; i++) {
        for (uint32_t m = 0; m < coefficients->mode_count; m++) {
            double largest = (double)builder->reach.data[1 + modes[m]];
            coordinates[m] = largest > 0.0 ? most / largest * draw(&state) : 0.0;
        }
        for (uint32_t lane = 0; lane < lanes; lane++) {
            affine_sum += affine_sides(affine, coefficients->mode_count, lane, coordinates,
                                       builder->model.joint_count > 0);
            box_sum += box_sides(box, coefficients->mode_count, lane, coordinates);
        }
    }
    /* Written so that boxes are taken where numbers are beyond all bounds. */
    return affine_sum < SMALL_ENOUGH * box_sum;
}
