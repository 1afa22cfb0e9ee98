/*
 * Bounds of blended bodies.
 * Based on: D. Steinemann, M. A. Otaduy, M. Gross, Efficient Bounds for Point-Based Animations,
 * Symposium on Point-Based Graphics 2007: a child's rest box is carried along by each joint, and
 * every vertex is a convex combination of the results whose weights lie in known ranges.
 *
 * Along a direction that is a continuous knapsack. Ours: its exact maximum instead of the paper's
 * two largest; the linear program's dual instead of sorting, which bounds eight children and both
 * senses of a direction in one pass over the joints; and rest boxes that themselves follow modes.
 */
#include "bounds/bounds.h"

#include "bounds/pose.h"

#include <float.h>
#include <math.h>

/*
 * Where many joints compete, near the root, most of the weight can go to the largest sides: the
 * dual bound about the second largest is close to the maximum there, and far from it about the side
 * of the mean transform. Where few do, it is the other way round. Measured by `pliant bench
 * points-tightness` and by the time of whole steps, which hardly differs between 40 and 90.
 */
enum { MANY_JOINTS = 48 };

void pli_bound_children_from_blend(const pli_model_kernels *kernels,
                                   const pli_coefficient_view *coefficients, const pli_pose *pose,
                                   pli_boxes *boxes)
{
    pli_local local;
    if (pose->far_out) {
        pli_hold_everything(coefficients, boxes, NULL);
        return;
    }
    if (coefficients->mode_count > 0) { /* otherwise the kernel takes the coefficients' own boxes */
        kernels->gather_axes(coefficients, pose, &local);
    }
    kernels->blend_boxes(coefficients, pose, &local,
                         coefficients->joint_count > MANY_JOINTS ? 0 : 1, boxes);
    if (pose->world != NULL) {
        pli_world_shift(pose->world, boxes);
    }
}

/* One joint that competes for weight. */
typedef struct blend_candidate {
    double side, low, high;
} blend_candidate;

size_t pli_blend_scratch_size(const pli_coefficient_view *coefficients)
{
    return (size_t)coefficients->joint_count * (sizeof(blend_candidate) / sizeof(double));
}

static void sort_candidates(blend_candidate *list, size_t count)
{
    for (size_t gap = count / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < count; i++) {
            blend_candidate moved = list[i];
            size_t at = i;
            for (; at >= gap && list[at - gap].side < moved.side; at -= gap) {
                list[at] = list[at - gap];
            }
            list[at] = moved;
        }
    }
}

/* The paper's bound for weights that sum to `sum`: each has its least, the largest side its
   greatest, and the second largest side what is left. */
static double two_largest(const blend_candidate *list, size_t count, double sum)
{
    double bound = 0.0, left = sum;
    for (size_t j = 0; j < count; j++) {
        double weight = j == 0 && count > 1 ? list[j].high : list[j].low;
        bound += weight * list[j].side;
        left -= weight;
    }
    return count > 0 ? bound + left * list[count > 1 ? 1 : 0].side : 0.0;
}

/* The maximum for weights that sum to something between `least` and `greatest`: each has its
   least, and the rest goes to the largest sides first, up to their greatest; beyond the least sum
   only where it gains. The last takes what must be handed out, without a limit. */
static double hand_out(const blend_candidate *list, size_t count, double least, double greatest)
{
    double bound = 0.0;
    for (size_t j = 0; j < count; j++) {
        bound += list[j].low * list[j].side;
        least -= list[j].low;
        greatest -= list[j].low;
    }
    for (size_t j = 0; j < count; j++) {
        double wanted = fmax(list[j].side > 0.0 ? greatest : least, 0.0);
        double taken = j + 1 == count ? wanted : fmin(wanted, list[j].high - list[j].low);
        bound += taken * list[j].side;
        least -= taken;
        greatest -= taken;
    }
    return bound;
}

/* The upper side of a child's box along an axis, or against it (sign -1). */
static double blend_side(const pli_coefficient_view *coefficients, const pli_pose *pose,
                         const pli_local *local, uint32_t lane, int axis, double sign,
                         pli_blend_rule rule, blend_candidate *list)
{
    const float *sums =
        coefficients->values + PLI_COEFFICIENT_AXES * (1 + (size_t)coefficients->mode_count);
    const float *weights = sums + 2 * PLI_HALVES;
    size_t count = 0;
    double size = 0.0;
    for (uint32_t j = 0; j < coefficients->joint_count; j++) {
        const float *low = weights + PLI_HALVES * (size_t)j + lane;
        const float *rows = pose->placing + 12 * (size_t)coefficients->joints[j] + 4 * axis;
        double side = sign * (double)rows[3];
        if (low[PLI_WIDTH] <= 0.0f) {
            continue; /* it moves nothing here and must not be handed anything */
        }
        for (size_t k = 0; k < 3; k++) {
            const float *run = local->axes + PLI_HALVES * k + lane;
            side += sign * (double)rows[k] * (double)run[0] +
                    fabs((double)rows[k]) * (double)run[PLI_WIDTH];
        }
        list[count++] = (blend_candidate){side, (double)low[0], (double)low[PLI_WIDTH]};
        size = fmax(size, fabs(side));
    }
    sort_candidates(list, count);
    double least = (double)sums[lane], greatest = (double)sums[PLI_WIDTH + lane];
    double bound = rule == PLI_BLEND_EXACT
                       ? hand_out(list, count, least, greatest)
                       : fmax(two_largest(list, count, least), two_largest(list, count, greatest));
    return bound + 1e-12 * size + (double)pose->margin[axis];
}

void pli_bound_children_by_rule(const pli_model_kernels *kernels,
                                const pli_coefficient_view *coefficients, const pli_pose *pose,
                                pli_blend_rule rule, double *scratch, pli_boxes *boxes)
{
    pli_local local;
    kernels->gather_axes(coefficients, pose, &local);
    for (uint32_t lane = 0; lane < PLI_WIDTH; lane++) {
        for (int axis = 0; axis < 3; axis++) {
            if (lane >= coefficients->lanes) {
                boxes->side[axis][lane] = INFINITY;
                boxes->side[3 + axis][lane] = -INFINITY;
                continue;
            }
            blend_candidate *list = (blend_candidate *)(void *)scratch;
            double upper = blend_side(coefficients, pose, &local, lane, axis, 1.0, rule, list);
            double lower = -blend_side(coefficients, pose, &local, lane, axis, -1.0, rule, list);
            boxes->side[axis][lane] = nextafterf((float)lower, -INFINITY);
            boxes->side[3 + axis][lane] = nextafterf((float)upper, INFINITY);
        }
    }
    if (pose->world != NULL) {
        pli_world_shift(pose->world, boxes);
    }
}
