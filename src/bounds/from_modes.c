/*
 * Bounds of reduced bodies.
 * Based on: D. L. James, D. K. Pai, BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models, SIGGRAPH 2004.
 *
 * A child's centre moves with the mean of its vertices' fields and its radius grows by the largest
 * deviation from that mean, each times the coordinate: O(M) per bound, whatever lies below, in any
 * order of nodes. Ours: boxes about the middle of each field's range instead of its mean; boxes
 * that shear with the modes ("affine"), far tighter where fields are smooth; only the modes that
 * matter below a node; eight children at a time.
 */
#include "bounds/bounds.h"

#include <float.h>
#include <math.h>

/* A remembered bound may grow by this share of its size before it is made anew. */
#define MOST_GROWTH 0.125

static void gather(const pli_model_kernels *kernels, const pli_coefficient_view *coefficients,
                   const pli_pose *pose, pli_local *local)
{
    if (coefficients->kind == PLI_COEFFICIENTS_SPHERE) {
        kernels->gather_spheres(coefficients, pose, local);
    } else if (coefficients->kind == PLI_COEFFICIENTS_AFFINE) {
        /* Coefficients without modes are placed as they are. */
        if (coefficients->mode_count > 0) {
            kernels->gather_affine(coefficients, pose, local);
        }
    } else {
        kernels->gather_axes(coefficients, pose, local);
    }
}

static void place(const pli_model_kernels *kernels, const pli_coefficient_view *coefficients,
                  const pli_pose *pose, const pli_local *local, float length, pli_boxes *boxes,
                  pli_spheres *spheres)
{
    if (coefficients->kind == PLI_COEFFICIENTS_SPHERE) {
        kernels->place_spheres(coefficients, pose, local, length, boxes, spheres);
    } else if (coefficients->kind == PLI_COEFFICIENTS_AFFINE) {
        kernels->place_affine(coefficients, pose, local, length, boxes);
    } else {
        kernels->place_boxes(coefficients, pose, local, length, boxes);
    }
}

void pli_hold_everything(const pli_coefficient_view *coefficients, pli_boxes *boxes,
                         pli_spheres *spheres)
{
    pli_boxes_clear(boxes);
    for (uint32_t lane = 0; lane < coefficients->lanes; lane++) {
        for (int k = 0; k < 3; k++) {
            boxes->side[k][lane] = -FLT_MAX;
            boxes->side[3 + k][lane] = FLT_MAX;
        }
    }
    /* No coordinate passes 2^127, so no vertex is farther from the origin than the largest float.
     */
    for (int lane = 0; lane < PLI_WIDTH && coefficients->kind == PLI_COEFFICIENTS_SPHERE; lane++) {
        for (int k = 0; k < 3; k++) {
            spheres->centre[k][lane] = 0.0f;
        }
        spheres->radius[lane] = FLT_MAX;
    }
}

/* The boxes of all children of a node, and their spheres if its coefficients are of spheres. */
static void bound_children(const pli_model_kernels *kernels,
                           const pli_coefficient_view *coefficients, const pli_pose *pose,
                           pli_boxes *boxes, pli_spheres *spheres)
{
    pli_local local;
    if (pose->far_out) {
        pli_hold_everything(coefficients, boxes, spheres);
        return;
    }
    gather(kernels, coefficients, pose, &local);
    place(kernels, coefficients, pose, &local, 0.0f, boxes, spheres);
}

void pli_bound_children_from_coefficients(const pli_model_kernels *kernels,
                                          const pli_coefficient_view *coefficients,
                                          const pli_pose *pose, pli_boxes *boxes,
                                          pli_spheres *spheres)
{
    if (coefficients->kind == PLI_COEFFICIENTS_BLEND) {
        pli_bound_children_from_blend(kernels, coefficients, pose, boxes);
    } else {
        bound_children(kernels, coefficients, pose, boxes, spheres);
    }
}

/*
 * What coherent bodies remember.
 *
 * Let a node have been gathered at coordinates q0, and let q be the coordinates now. Each step on
 * the way was added to the path, rounded upward, so that no step is lost: with L = path now - path
 * then, |q - q0| <= L by the triangle inequality. By Cauchy and Schwarz a vertex with fields U has
 * moved by at most |U| L, and the growth of a node's coefficients is not below the |U| of any of
 * its vertices: what was gathered, grown by growth times L, holds the vertices at q.
 *
 * In floating point: what lengths, the growth, L and the product round is covered by the factor
 * 1 + 2^-20 below. L is finite in float32, so that a growth of 0 times L is 0. A product that
 * underflows is one of those that the last term of the margin is for. The margin of a pose has room
 * for 1.25 times the roundings of gathering there (bounds/pose.c); those at q0 are proportional to
 * the reach at q0 and grow with its active modes. So a memory is used only if its reach was at most
 * 1.1 times what it is now, with at most 4 more active modes: for affine coefficients that is
 * 1.1 (23 (m + 5) + 120) + 1.01 (m + 5) < 1.25 (24 m + 256), and for the others still less.
 */

void pli_path_add(pli_path *path, double step)
{
    if (!(step > 0.0)) {
        return;
    }
    double before = path->length, after = nextafter(before + step, (double)INFINITY);
    if (after - before > 2.0 * step) { /* the step drowns in rounding: every node starts anew */
        path->epoch++;
        after = step;
    }
    path->length = after;
}

/* How far the coordinates may go before some child has grown by the share above; never so far that
   a float32 cannot hold it. */
static double growth_limit(const pli_coefficient_view *coefficients, const pli_local *local)
{
    double limit = 0.5 * (double)FLT_MAX;
    if (coefficients->mode_count == 0) {
        return limit;
    }
    const float *end =
        coefficients->values + pli_coefficient_count(coefficients->kind, coefficients->mode_count,
                                                     coefficients->joint_count);
    const float *growth =
        end -
        (coefficients->kind == PLI_COEFFICIENTS_SPHERE ? PLI_HALVES : PLI_COEFFICIENT_COLUMNS);
    const float *half = coefficients->values + PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME;
    for (uint32_t lane = 0; lane < coefficients->lanes; lane++) {
        double size = 0.0, rate = 0.0;
        if (coefficients->kind == PLI_COEFFICIENTS_SPHERE) {
            size = (double)local->axes[24 + lane];
            rate = (double)growth[lane];
        } else {
            for (uint32_t k = 0; k < 3; k++) {
                double along = coefficients->kind == PLI_COEFFICIENTS_AFFINE
                                   ? (double)half[8 * k + lane]
                                   : (double)local->axes[16 * k + 8 + lane];
                size = fmax(size, along);
                rate = fmax(rate, (double)growth[8 * k + lane]);
            }
        }
        if (rate > 0.0) {
            limit = fmin(limit, MOST_GROWTH * size / rate);
        }
    }
    return limit;
}

/* Whether what is remembered still bounds, and tightly enough. */
static bool is_usable(const pli_local_memory *memory, const pli_pose *pose, pli_path path)
{
    return memory->path.epoch == path.epoch && path.length - memory->path.length <= memory->limit &&
           memory->reach <= 1.1 * pose->local && memory->active <= pose->active + 4.0;
}

void pli_bound_children_coherently(const pli_model_kernels *kernels,
                                   const pli_coefficient_view *coefficients, const pli_pose *pose,
                                   pli_path path, bool fresh, pli_local_memory *memory,
                                   pli_boxes *boxes, pli_spheres *spheres)
{
    if (fresh || !is_usable(memory, pose, path)) {
        gather(kernels, coefficients, pose, &memory->local);
        memory->path = path;
        memory->limit = growth_limit(coefficients, &memory->local);
        memory->reach = pose->local;
        memory->active = pose->active;
    }
    double gone = path.length - memory->path.length;
    float length = gone > 0.0 ? nextafterf((float)(gone * (1.0 + 0x1p-20)), INFINITY) : 0.0f;
    place(kernels, coefficients, pose, &memory->local, length, boxes, spheres);
}

pli_coefficient_view pli_view_coefficients(const pliant_shape *shape, size_t index, uint32_t lanes)
{
    const pli_coefficients *coefficients = &shape->coefficients[index];
    pli_coefficient_view view = {
        .values = shape->coefficient_values + coefficients->first_value,
        .modes = coefficients->mode_count > 0 ? shape->coefficient_modes + coefficients->first_mode
                                              : NULL,
        .joints = coefficients->joint_count > 0
                      ? shape->coefficient_joints + coefficients->first_joint
                      : NULL,
        .mode_count = coefficients->mode_count,
        .joint_count = coefficients->joint_count,
        .lanes = lanes,
        .kind = (pli_coefficient_kind)coefficients->kind,
    };
    return view;
}
