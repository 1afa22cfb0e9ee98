/* clang-format off */
/*
 * Margins of bounds in floating point (docs/soundness.md, S2).
 *
 * With u = 2^-24, a vertex as it is evaluated differs from its formula by at most
 *
 *     1.01 (m + n + 5) u S        along an axis, with
 *
 *     m   the modes whose coordinates are not 0
 *     n   the most influences that a vertex has
 *     S   s max_j (sum_i |A_j,ai| Y + |t_j,a|) along axis a, s the largest sum of weights
 *     Y   max |p| + sum_m |q_m| max |U_m|, over all vertices and axes.
 *
 * The kernels of bounds/model_kernels.c add, multiply and subtract numbers that are each at most a
 * small multiple of Y, or after a transform of S. Their roundings, each worth at most u times that
 * number, come to:
 *
 *     bounds   before the transform                                  for the transform
 *     boxes    (m + 1) Y for centres, as much for half sizes         4 + 3, and 1 at the end
 *     affine   (m + 1) (6 + 6 + 11) Y: constants of modes are at     6 * 20
 *              most 5 Y, gradients times half sizes at most 4 Y,
 *              the frame times half sizes at most 11 Y
 *     blends   as boxes; the dual bound's own sums are widened where they are made
 *
 * The factors in count_roundings() are above these sums. Since Y is taken over all axes and the
 * whole body, one margin per state serves every node. All products that underflow together are
 * worth less than the term `tiny`.
 *
 * A world transform on top (S10) makes S larger, and adds five roundings: four of the vertex, and
 * one of the transforms that bounds are placed by.
 */
/* clang-format on */
#include "pose.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Roundings, in units of u S: so many per active mode and influence, and so many besides. */
static void count_roundings(pli_coefficient_kind kind, double *each, double *besides)
{
    *each = kind == PLI_COEFFICIENTS_AFFINE ? 24.0 : 8.0;
    *besides = kind == PLI_COEFFICIENTS_AFFINE ? 256.0 : 80.0;
}

void pli_pose_measure_coordinates(const pliant_shape *shape, pli_pose *pose)
{
    double sum = (double)shape->reach[0] + (double)shape->block->model.error, active = 0.0;
    bool huge_fields = false;
    for (uint32_t m = 0; m < shape->block->model.mode_count; m++) {
        sum += fabs((double)pose->coordinates[m]) * (double)shape->reach[1 + m];
        active += pose->coordinates[m] != 0.0f;
        huge_fields |= pose->coordinates[m] != 0.0f && shape->reach[1 + m] >= PLI_FAR_OUT;
    }
    pose->local = sum;
    pose->active = active;
    pose->huge_fields = huge_fields;
}

/* Not fmax(): that is a call, because of NaN. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* An upper bound of the spectral norm of A: the root of the largest row sum of |A^T A|. */
static double stretch(const float *rows)
{
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        double sum = 0.0;
        for (int j = 0; j < 3; j++) {
            double product = 0.0;
            for (int k = 0; k < 3; k++) {
                product += (double)rows[4 * k + i] * (double)rows[4 * k + j];
            }
            sum += fabs(product);
        }
        most = larger(most, sum);
    }
    return sqrt(most) * (1.0 + 1e-12);
}

/* Not below the given number, which is not negative. */
static float round_up(double x)
{
    return (float)(x * (1.0 + 0x1p-23)) + 0x1p-149f;
}

float pli_pose_local(const pli_pose *pose)
{
    return round_up(pose->local);
}

/* What the margins are made of. */
typedef struct pose_reach {
    double along[3]; /* no vertex is farther out along an axis, if its weights sum to 1 */
    double largest;  /* the same over all axes, with the largest sum of weights */
    double entries;  /* no row's |a0| + |a1| + |a2| is larger, nor is 1 */
    double norm;     /* no direction is stretched more */
} pose_reach;

static pose_reach reach_of_transforms(const pli_pose *pose, uint32_t count, double sums,
                                      bool needs_norm)
{
    double local = pose->local;
    pose_reach reach = {{local, local, local}, local, 1.0, 1.0};
    for (uint32_t j = 0; j < count; j++) {
        const float *rows = pose->transforms + 12 * (size_t)j;
        if (needs_norm) {
            reach.norm = j == 0 ? stretch(rows) : larger(reach.norm, stretch(rows));
        }
        for (int k = 0; k < 3; k++) {
            const float *row = rows + 4 * k;
            double size = fabs((double)row[0]) + fabs((double)row[1]) + fabs((double)row[2]);
            double sum = size * local + fabs((double)row[3]);
            reach.along[k] = j == 0 ? sum : larger(reach.along[k], sum);
            reach.largest = larger(reach.largest, sums * sum);
            reach.entries = larger(reach.entries, size);
        }
    }
    return reach;
}

/* The same from what a kernel found in float32; false where that is no use. */
static bool reach_of_kernel(const pli_pose *pose, const pli_reach *found, double sums,
                            pose_reach *reach)
{
    *reach = (pose_reach){
        .largest = pose->local, .entries = larger(3.0 * (double)found->entry, 1.0), .norm = 1.0};
    for (int k = 0; k < 3; k++) {
        reach->along[k] = (double)found->sum[k] * (1.0 + 0x1p-20) + 0x1p-140;
        reach->largest = larger(reach->largest, sums * reach->along[k]);
    }
    return reach->largest < 0x1p126;
}

/* The largest row sum of |B| |A|, of two transforms. */
static double largest_row(const float *world, const float *rows)
{
    double largest = 0.0;
    for (int a = 0; a < 3; a++) {
        double sum = 0.0;
        for (int i = 0; i < 9; i++) {
            sum += fabs((double)world[4 * a + i / 3] * (double)rows[4 * (i / 3) + i % 3]);
        }
        largest = larger(largest, sum);
    }
    return largest;
}

/* What the world transform makes of a reach: of bounds that it places, and of blends', which its
   translation moves when they have been made. */
static void reach_of_world(const pli_pose *pose, const pli_model *model, double sums,
                           bool needs_norm, pose_reach *reach)
{
    const double before[3] = {reach->along[0], reach->along[1], reach->along[2]};
    double entries = 1.0;
    for (int a = 0; a < 3; a++) {
        const float *row = pose->world + 4 * a;
        double size = 0.0, sum = 0.0, shift = fabs((double)row[3]);
        for (int k = 0; k < 3; k++) {
            size += fabs((double)row[k]);
            sum += fabs((double)row[k]) * before[k];
        }
        entries = larger(entries, size);
        reach->largest = larger(reach->largest, sums * sum + shift);
        reach->along[a] = model->has_influences ? sum : sum + shift;
    }
    reach->entries *= entries;
    if (needs_norm) {
        reach->norm = model->joint_count == 0 ? stretch(pose->world) : 0.0;
        for (size_t j = 0; j < model->joint_count; j++) {
            double slack = 0x1p-22 * largest_row(pose->world, pose->transforms + 12 * j);
            reach->norm = larger(reach->norm, stretch(pose->placing + 12 * j) + slack);
        }
    }
}

/* How far a pose reaches; what a kernel found of its transforms is used where that will do. */
static pose_reach find_reach(const pliant_shape *shape, const pli_reach *found, double sums,
                             bool needs_norm, const pli_pose *pose)
{
    const pli_model *model = &shape->block->model;
    pose_reach reach;
    bool known = found != NULL && !needs_norm && reach_of_kernel(pose, found, sums, &reach);
    if (known && pose->world != NULL) {
        reach_of_world(pose, model, sums, false, &reach);
        known = reach.largest < 0x1p126; /* what is refused is decided without a kernel */
    }
    if (!known) {
        reach = reach_of_transforms(pose, model->joint_count, sums, needs_norm);
        if (pose->world != NULL) {
            reach_of_world(pose, model, sums, needs_norm, &reach);
        }
    }
    return reach;
}

/* Bound of rounding errors: a factor of the reach of vertices, and a term for underflow. */
typedef struct pose_rounding {
    double factor, tiny;
} pose_rounding;

static pose_rounding find_rounding(const pli_model *model, pli_coefficient_kind kind, double sums,
                                   const pose_reach *reach, const pli_pose *pose)
{
    double each, besides, terms = pose->active + model->vertex_influences;
    count_roundings(kind, &each, &besides);
    double tiny = 0x1p-140 * (terms + 8.0) * reach->entries;
    tiny += pose->world != NULL ? 0x1p-147 * sums * (pose->local + 1.0) : 0.0;
    return (pose_rounding){1.25 * (each * terms + besides) * 0x1p-24, tiny};
}

static void set_margins(const pose_rounding *rounding, double sums, const pose_reach *reach,
                        float margin[3])
{
    for (int k = 0; k < 3; k++) {
        margin[k] = round_up(rounding->factor * sums * reach->along[k] + rounding->tiny);
#ifdef PLI_TEST_SHRUNK_BOUNDS
        margin[k] = 0.0f;
#endif
    }
}

void pli_pose_whole_margin(const pliant_shape *shape, const pli_pose *pose, float margin[3])
{
    const pli_model *model = &shape->block->model;
    if (model->has_influences) {
        memcpy(margin, pose->margin, 3 * sizeof *margin);
        return;
    }
    pose_reach reach = find_reach(shape, NULL, 1.0, false, pose);
    pose_rounding rounding = find_rounding(model, PLI_COEFFICIENTS_BOX, 1.0, &reach, pose);
    set_margins(&rounding, 1.0, &reach, margin);
}

pliant_result pli_pose_measure(const pliant_shape *shape, pli_pose *pose)
{
    return pli_pose_measure_by(shape, NULL, pose);
}

pliant_result pli_pose_measure_by(const pliant_shape *shape, const pli_reach *found, pli_pose *pose)
{
    const pli_model *model = &shape->block->model;
    bool needs_norm = model->coefficient_kind == PLI_COEFFICIENTS_SPHERE || model->error > 0.0f;
    double sums = model->has_influences ? larger((double)model->weight_sums[1], 1.0) : 1.0;
    pose_reach reach = find_reach(shape, found, sums, needs_norm, pose);
    if (!(reach.largest < 0x1p127)) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "positions, coordinates and transforms that can take a vertex to %g: "
                        "beyond 2^127",
                        reach.largest);
    }
    pose_rounding rounding =
        find_rounding(model, (pli_coefficient_kind)model->coefficient_kind, sums, &reach, pose);
    for (int k = 0; k < 3; k++) {
        pose->size[k] = round_up(1.02 * sums * reach.along[k]);
    }
    set_margins(&rounding, sums, &reach, pose->margin);
    /* Counting the weights that vertices of blends may have besides their own. */
    pose->far_out = pose->huge_fields ||
                    !(reach.largest * sums * (model->joint_count + 1.0) < (double)PLI_FAR_OUT);
    bool multiplied = pose->world != NULL && model->joint_count > 0;
    pose->far_out = pose->far_out || (multiplied && !(reach.entries < (double)PLI_FAR_OUT));
    if (needs_norm) {
        const double *r = reach.along;
        double all = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
        pose->radius_scale = round_up(reach.norm);
        pose->radius_margin = round_up(rounding.factor * all + rounding.tiny);
        pose->far_out = pose->far_out || !isfinite(pose->radius_scale);
        /* Without an error there must be none: questions about a distance of 0 are exact. */
        pose->world_error =
            model->error > 0.0f ? round_up((double)model->error * reach.norm * sums) : 0.0f;
    }
#ifdef PLI_TEST_SHRUNK_BOUNDS
    pose->radius_margin = 0.0f;
    pose->size[0] = pose->size[1] = pose->size[2] = 0.0f;
#endif
    return PLIANT_OK;
}

/* ------------------------------------------------------------ placed by a world transform */

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

void pli_world_shift(const float *world, pli_boxes *boxes)
{
    for (int side = 0; side < 6; side++) {
        float shift = world[4 * (side % 3) + 3];
        for (int lane = 0; lane < PLI_WIDTH; lane++) {
            boxes->side[side][lane] += shift;
        }
    }
}
