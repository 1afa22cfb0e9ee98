/*
 * The kernels of bodies with models, for the instruction set that base/simd/simd.h was told to use.
 * Nothing here is fused or reassociated: the margins of bounds/pose.c count every rounding.
 */
#include "bounds/model_kernels.h"

#include "base/simd/simd_wide.h"
#include "bounds/cluster_points.h"

#include <math.h>
#include <string.h>

/* (x | |x|): what multiplies centres and what multiplies half sizes. */
static inline pli_w signed_and_size(float x)
{
    return pli_w_set_and_size(x);
}

static inline pli_w add_product(pli_w sum, pli_w a, pli_w b)
{
    return pli_w_add(sum, pli_w_mul(a, b));
}

#include "bounds/blend_kernels.inl"
#include "bounds/pose_kernels.inl"

/* Sums `runs` runs of 16 over the modes of a node's coefficients, `step` numbers apart. */
static inline void gather_runs(const pli_coefficient_view *coefficients, const pli_pose *pose,
                               const float *rest, const float *modes, size_t step, const int runs,
                               float *out)
{
    pli_w sum[3];
    for (int k = 0; k < runs; k++) {
        sum[k] = pli_w_load(rest + 16 * k);
    }
    for (uint32_t m = 0; m < coefficients->mode_count; m++) {
        float q = pose->coordinates[coefficients->modes[m]];
        if (q == 0.0f) {
            continue;
        }
        pli_w factor = signed_and_size(q);
        for (int k = 0; k < runs; k++) {
            sum[k] = add_product(sum[k], pli_w_load(modes + step * m + 16 * k), factor);
        }
    }
    for (int k = 0; k < runs; k++) {
        pli_w_store(out + 16 * k, sum[k]);
    }
}

static void gather_axes(const pli_coefficient_view *coefficients, const pli_pose *pose,
                        pli_local *local)
{
    gather_runs(coefficients, pose, coefficients->values,
                coefficients->values + PLI_COEFFICIENT_AXES, PLI_COEFFICIENT_AXES, 3, local->axes);
}

static void gather_spheres(const pli_coefficient_view *coefficients, const pli_pose *pose,
                           pli_local *local)
{
    pli_w sum[2] = {pli_w_load(coefficients->values), pli_w_load(coefficients->values + 16)};
    for (uint32_t m = 0; m < coefficients->mode_count; m++) {
        const float *values = coefficients->values + 32 * (1 + (size_t)m);
        float q = pose->coordinates[coefficients->modes[m]];
        if (q == 0.0f) {
            continue;
        }
        sum[0] = add_product(sum[0], pli_w_load(values), pli_w_set(q));
        sum[1] = add_product(sum[1], pli_w_load(values + 16), signed_and_size(q));
    }
    pli_w_store(local->axes, sum[0]);
    pli_w_store(local->axes + 16, sum[1]);
}

enum { AFFINE_REST = PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME + PLI_COEFFICIENT_COLUMNS };
enum { AFFINE_MODE = PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME };

static void gather_affine(const pli_coefficient_view *coefficients, const pli_pose *pose,
                          pli_local *local)
{
    const float *frame = coefficients->values + PLI_COEFFICIENT_AXES,
                *modes = coefficients->values + AFFINE_REST;
    pli_w axis[3], column[6];
    for (int k = 0; k < 3; k++) {
        axis[k] = pli_w_load(coefficients->values + 16 * k);
    }
    for (int k = 0; k < 6; k++) {
        column[k] = pli_w_load(frame + 16 * k);
    }
    for (uint32_t m = 0; m < coefficients->mode_count; m++) {
        const float *values = modes + (size_t)AFFINE_MODE * m;
        float q = pose->coordinates[coefficients->modes[m]];
        if (q == 0.0f) {
            continue;
        }
        pli_w both = signed_and_size(q), plain = pli_w_set(q);
        for (int k = 0; k < 3; k++) {
            axis[k] = add_product(axis[k], pli_w_load(values + 16 * k), both);
        }
        for (int k = 0; k < 6; k++) {
            column[k] =
                add_product(column[k], pli_w_load(values + PLI_COEFFICIENT_AXES + 16 * k), plain);
        }
    }
    for (int k = 0; k < 3; k++) {
        pli_w_store(local->axes + 16 * k, axis[k]);
    }
    for (int k = 0; k < 6; k++) {
        pli_w_store(local->frame + 16 * k, column[k]);
    }
}

/* Loads (centre | half size) along one axis, grown by growth[8] * length. */
static inline pli_w load_grown(const float *run, const float *growth, float length)
{
    if (length == 0.0f) {
        return pli_w_load(run);
    }
    float grown[16];
    for (int i = 0; i < 8; i++) {
        grown[i] = run[i];
        grown[8 + i] = run[8 + i] + growth[i] * length;
    }
    return pli_w_load(grown);
}

/* Row a of the transform applied to (centre | half size), with the margin. */
PLI_ALWAYS_INLINE pli_w place_axis(const pli_pose *pose, const pli_w axis[3], int a)
{
    if (!pose->moved) {
        return pli_w_add(axis[a], pli_w_halves(0.0f, pose->margin[a]));
    }
    const float *row = pose->placing + 4 * a;
    pli_w sum = pli_w_mul(axis[0], signed_and_size(row[0]));
    sum = add_product(sum, axis[1], signed_and_size(row[1]));
    sum = add_product(sum, axis[2], signed_and_size(row[2]));
    return pli_w_add(sum, pli_w_halves(row[3], pose->margin[a]));
}

/* Stores the boxes with the given (centre | half size) along an axis. */
static inline void put_axis(pli_w axis, uint32_t lanes, pli_boxes *boxes, int a)
{
    float *lower = boxes->side[a], *upper = boxes->side[3 + a];
    pli_w_store_apart(lower, upper, pli_w_sides(axis));
    for (uint32_t i = lanes; i < 8; i++) {
        lower[i] = INFINITY;
        upper[i] = -INFINITY;
    }
}

static void place_boxes(const pli_coefficient_view *coefficients, const pli_pose *pose,
                        const pli_local *local, float length, pli_boxes *boxes)
{
    const float *growth =
        coefficients->values + PLI_COEFFICIENT_AXES * (1 + (size_t)coefficients->mode_count);
    pli_w axis[3];
    for (int k = 0; k < 3; k++) {
        axis[k] = load_grown(local->axes + 16 * k, growth + 8 * k, length);
    }
    for (int a = 0; a < 3; a++) {
        put_axis(place_axis(pose, axis, a), coefficients->lanes, boxes, a);
    }
}

/* What two boxes have in common. */
static inline void narrow(pli_boxes *boxes, const pli_boxes *by)
{
    for (int k = 0; k < 3; k++) {
        float *lower = boxes->side[k], *upper = boxes->side[3 + k];
        for (int i = 0; i < 8; i++) {
            lower[i] = lower[i] > by->side[k][i] ? lower[i] : by->side[k][i];
            upper[i] = upper[i] < by->side[3 + k][i] ? upper[i] : by->side[3 + k][i];
        }
    }
}

static void place_affine(const pli_coefficient_view *coefficients, const pli_pose *pose,
                         const pli_local *local, float length, pli_boxes *boxes)
{
    const float *half = coefficients->values + PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME;
    const float *growth =
        coefficients->values + AFFINE_REST + (size_t)AFFINE_MODE * coefficients->mode_count;
    /* Coefficients without modes are what was gathered. */
    const float *axes = coefficients->mode_count > 0 ? local->axes : coefficients->values;
    const float *frame =
        coefficients->mode_count > 0 ? local->frame : coefficients->values + PLI_COEFFICIENT_AXES;
    pli_w axis[3], half_low = pli_w_load(half), half_high = pli_w_load(half + 16);
    pli_w widest = pli_w_set(0x1p20f * PLI_FAR_OUT);
    for (int k = 0; k < 3; k++) {
        axis[k] = load_grown(axes + 16 * k, growth + 8 * k, length);
    }
    for (int a = 0; a < 3; a++) {
        pli_w low = pli_w_load(frame + 32 * a), high = pli_w_load(frame + 32 * a + 16);
        if (pose->moved) {
            const float *rows = pose->placing + 4 * a;
            pli_w first = pli_w_set(rows[0]), second = pli_w_set(rows[1]);
            pli_w third = pli_w_set(rows[2]);
            low = pli_w_mul(pli_w_load(frame), first);
            low = add_product(low, pli_w_load(frame + 32), second);
            low = add_product(low, pli_w_load(frame + 64), third);
            high = pli_w_mul(pli_w_load(frame + 16), first);
            high = add_product(high, pli_w_load(frame + 48), second);
            high = add_product(high, pli_w_load(frame + 80), third);
        }
        /* Columns (0 | 1) and (2 | nothing): their sizes add up. */
        pli_w sizes = pli_w_mul(pli_w_abs(low), half_low);
        sizes = add_product(sizes, pli_w_abs(high), half_high);
        /* Of a surface that is minute before the modes stretch it, the frame may overflow. The
           others are within PLI_FAR_OUT (bounds/pose.c), and what is wider than that holds them. */
        sizes = pli_w_min(sizes, widest);
        pli_w placed = pli_w_add(place_axis(pose, axis, a), pli_w_sum_second(sizes));
        put_axis(placed, coefficients->lanes, boxes, a);
    }
    if (coefficients->mode_count == 0 && pose->moved) {
        const float *upright = growth + PLI_COEFFICIENT_COLUMNS;
        pli_boxes other;
        for (int k = 0; k < 3; k++) {
            axis[k] = pli_w_load(upright + 16 * k);
        }
        for (int a = 0; a < 3; a++) {
            put_axis(place_axis(pose, axis, a), coefficients->lanes, &other, a);
        }
        narrow(boxes, &other);
    }
}

/* Rows a and b of a transform applied to the centres of spheres. */
static inline pli_w place_centres(const float *rows, const float *centres, int a, int b)
{
    const float *first = rows + 4 * a, *second = rows + 4 * b;
    pli_w sum = pli_w_mul(pli_w_load_twice(centres), pli_w_halves(first[0], second[0]));
    for (int k = 1; k < 3; k++) {
        sum =
            add_product(sum, pli_w_load_twice(centres + 8 * k), pli_w_halves(first[k], second[k]));
    }
    return pli_w_add(sum, pli_w_halves(first[3], second[3]));
}

static void place_spheres(const pli_coefficient_view *coefficients, const pli_pose *pose,
                          const pli_local *local, float length, pli_boxes *boxes,
                          pli_spheres *spheres)
{
    const float *growth = coefficients->values + 32 * (1 + (size_t)coefficients->mode_count);
    float radius[8];
    for (int i = 0; i < 8; i++) {
        float grown = local->axes[24 + i] + growth[i] * length;
        radius[i] = grown * pose->radius_scale + pose->radius_margin;
    }
    pli_w reach = pli_w_load_twice(radius), xy, zz;
    if (pose->moved) {
        xy = place_centres(pose->placing, local->axes, 0, 1);
        zz = place_centres(pose->placing, local->axes, 2, 2);
    } else {
        xy = pli_w_load(local->axes);
        zz = pli_w_load_twice(local->axes + 16);
    }
    pli_w_store(spheres->centre[0], xy);
    pli_w_store_apart(spheres->centre[2], spheres->radius, zz); /* the radii follow */
    memcpy(spheres->radius, radius, sizeof radius);
    pli_w_store(boxes->side[0], pli_w_sub(xy, reach));
    pli_w_store(boxes->side[3], pli_w_add(xy, reach));
    pli_w_store_apart(boxes->side[2], boxes->side[5],
                      add_product(zz, reach, pli_w_halves(-1.0f, 1.0f)));
    for (uint32_t i = coefficients->lanes; i < 8; i++) {
        for (int k = 0; k < 3; k++) {
            boxes->side[k][i] = INFINITY;
            boxes->side[3 + k][i] = -INFINITY;
        }
    }
}

/* Stores a register of vertices each along x, y, z, from vertex i on, as the record keeps them. */
static inline void put_lanes(pli_cluster_record *record, uint32_t i, const pli_vf axis[3])
{
    float *vertices = pli_cluster_points(record);
#if defined(PLI_SIMD_AVX512)
    for (size_t k = 0; k < 3; k++) {
        pli_vf_store(vertices + k * record->stride + i, axis[k]);
    }
#else
    float lanes[3][PLI_LANES];
    for (int k = 0; k < 3; k++) {
        pli_vf_store(lanes[k], axis[k]);
    }
    for (uint32_t j = 0; j < PLI_LANES; j++) {
        float *point = vertices + 4 * (size_t)(i + j);
        for (int k = 0; k < 3; k++) {
            point[k] = lanes[k][j];
        }
        point[3] = 0.0f;
    }
#endif
}

/* Loads what put_lanes() stored. */
static inline void get_lanes(const float *vertices, uint32_t stride, uint32_t i, pli_vf axis[3])
{
#if defined(PLI_SIMD_AVX512)
    for (size_t k = 0; k < 3; k++) {
        axis[k] = pli_vf_load(vertices + k * stride + i);
    }
#else
    pli_vi here;
    for (uint32_t j = 0; j < PLI_LANES; j++) {
        here.lane[j] = (uint8_t)j;
    }
    pli_fetch_points(vertices + 4 * (size_t)i, stride, PLI_LANES, here, axis);
#endif
}

/* ((a0 y0 + a1 y1) + a2 y2) + t, as the definition of vertices has it. */
static inline pli_vf transform_axis(const float *row, const pli_vf y[3])
{
    pli_vf sum =
        pli_vf_add(pli_vf_mul(pli_vf_set(row[0]), y[0]), pli_vf_mul(pli_vf_set(row[1]), y[1]));
    sum = pli_vf_add(sum, pli_vf_mul(pli_vf_set(row[2]), y[2]));
    return pli_vf_add(sum, pli_vf_set(row[3]));
}

static inline void transform_lanes(const float *rows, pli_vf x[3])
{
    const pli_vf y[3] = {x[0], x[1], x[2]};
    for (int k = 0; k < 3; k++) {
        x[k] = transform_axis(rows + 4 * k, y);
    }
}

/* The box around vertices, lane by lane. */
typedef struct lane_box {
    pli_vf low[3], high[3];
} lane_box;

static inline lane_box lane_box_empty(void)
{
    lane_box box;
    for (int k = 0; k < 3; k++) {
        box.low[k] = pli_vf_set(INFINITY);
        box.high[k] = pli_vf_set(-INFINITY);
    }
    return box;
}

/* Finished vertices: turns -0 into 0, whatever was skipped on the way, widens the box by them and
   stores them. */
static inline void finish_lanes(pli_cluster_record *record, uint32_t i, pli_vf x[3], lane_box *box)
{
    for (int k = 0; k < 3; k++) {
        x[k] = pli_vf_add(x[k], pli_vf_set(0.0f));
        box->low[k] = pli_vf_min(x[k], box->low[k]);
        box->high[k] = pli_vf_max(x[k], box->high[k]);
    }
    put_lanes(record, i, x);
}

static inline void store_box(const lane_box *box, pli_cluster_record *record)
{
    for (int k = 0; k < 3; k++) {
        record->box[k] = -pli_vf_greatest(pli_vf_sub(pli_vf_set(0.0f), box->low[k]));
        record->box[3 + k] = pli_vf_greatest(box->high[k]);
    }
}

#if defined(PLI_SIMD_PLAIN)
/*
 * In plain C sixteen vertices are carried through all joints together. A joint that moves none of
 * them is left out, and compilers make lanes of the loops over them. The operations on a vertex and
 * their order are those of the wide kernels.
 */
enum { RUN = 16 }; /* every stride is a multiple of it */

/* Coordinates of so many vertices. */
typedef struct run {
    float axis[3][RUN];
} run;

/* Whether all weights are 0: a joint with such adds nothing but the sign of a zero, which
   finish_run() drops. */
static inline bool are_zero(const float weights[RUN])
{
    uint64_t bits[RUN / 2], any = 0;
    memcpy(bits, weights, sizeof bits);
    for (int i = 0; i < RUN / 2; i++) {
        any |= bits[i];
    }
    return (any & UINT64_C(0x7fffffff7fffffff)) == 0;
}

static inline void add_mode(run *y, float q, const float *field, size_t stride)
{
    for (size_t k = 0; k < 3; k++) {
        for (int i = 0; i < RUN; i++) {
            y->axis[k][i] = y->axis[k][i] + q * field[k * stride + (size_t)i];
        }
    }
}

/* transform_axis() of a run. */
static inline void transform_run(const float *rows, const run *y, run *x)
{
    for (int k = 0; k < 3; k++) {
        const float a0 = rows[4 * k], a1 = rows[4 * k + 1], a2 = rows[4 * k + 2];
        const float t = rows[4 * k + 3];
        for (int i = 0; i < RUN; i++) {
            x->axis[k][i] = ((a0 * y->axis[0][i] + a1 * y->axis[1][i]) + a2 * y->axis[2][i]) + t;
        }
    }
}

/* Adds what a joint makes of a run, times its weights. */
static inline void add_joint(const float *rows, const run *y, const float *weights, run *x)
{
    run moved;
    transform_run(rows, y, &moved);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < RUN; i++) {
            x->axis[k][i] = x->axis[k][i] + weights[i] * moved.axis[k][i];
        }
    }
}

/* finish_lanes() of a run, from vertex `first` on. */
static inline void finish_run(pli_cluster_record *record, uint32_t first, const run *x,
                              lane_box *box)
{
    float *vertices = pli_cluster_points(record) + 4 * (size_t)first;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < RUN; i++) {
            float c = x->axis[k][i] + 0.0f;
            box->low[k] = pli_vf_min(c, box->low[k]);
            box->high[k] = pli_vf_max(c, box->high[k]);
            vertices[4 * i + k] = c;
        }
    }
}

static void evaluate(const pliant_shape *shape, uint32_t index, const pli_pose *pose,
                     pli_cluster_record *record)
{
    const pli_skin_block *skin_block = &shape->skin_blocks[index];
    size_t stride = record->stride;
    const float *rest = shape->skin_block_values + skin_block->first_value;
    const float *fields = rest + 3 * stride;
    const float *weights = fields + 3 * stride * skin_block->mode_count;
    lane_box box = lane_box_empty();
    record->vertex_step = PLI_VERTEX_STEP;
    record->axis_step = PLI_AXIS_STEP(record->stride);
    for (uint32_t i = 0; i < stride; i += RUN) {
        run y, x = {{{0}}};
        for (size_t k = 0; k < 3; k++) {
            memcpy(y.axis[k], rest + k * stride + i, sizeof y.axis[k]);
        }
        for (size_t m = 0; m < skin_block->mode_count; m++) {
            uint32_t mode = shape->skin_block_modes[skin_block->first_mode + m];
            add_mode(&y, pose->coordinates[mode], fields + 3 * stride * m + i, stride);
        }
        for (size_t j = 0; j < skin_block->joint_count; j++) {
            const float *weight = weights + stride * j + i;
            if (!are_zero(weight)) {
                uint32_t joint = shape->skin_block_joints[skin_block->first_joint + j];
                add_joint(pose->transforms + 12 * (size_t)joint, &y, weight, &x);
            }
        }
        if (!shape->block->model.has_influences) {
            shape->block->model.joint_count > 0 ? transform_run(pose->transforms, &y, &x)
                                                : (void)(x = y);
        }
        if (pose->world != NULL) {
            y = x;
            transform_run(pose->world, &y, &x);
        }
        finish_run(record, i, &x, &box);
    }
    store_box(&box, record);
}
#else

static void evaluate(const pliant_shape *shape, uint32_t index, const pli_pose *pose,
                     pli_cluster_record *record)
{
    const pli_skin_block *skin_block = &shape->skin_blocks[index];
    /* A shape without modes, or without joints, has no list of them to point into. */
    const uint32_t *modes =
        skin_block->mode_count > 0 ? shape->skin_block_modes + skin_block->first_mode : NULL;
    const uint32_t *joints =
        skin_block->joint_count > 0 ? shape->skin_block_joints + skin_block->first_joint : NULL;
    size_t stride = record->stride;
    const float *rest = shape->skin_block_values + skin_block->first_value;
    const float *fields = rest + 3 * stride;
    const float *weights = fields + 3 * stride * skin_block->mode_count;
    bool blended = shape->block->model.has_influences != 0;
    bool moved = shape->block->model.joint_count > 0;
    lane_box box = lane_box_empty();
    record->vertex_step = PLI_VERTEX_STEP;
    record->axis_step = PLI_AXIS_STEP(record->stride);
    for (uint32_t i = 0; i < stride; i += PLI_LANES) {
        pli_vf y[3], x[3];
        for (size_t k = 0; k < 3; k++) {
            y[k] = pli_vf_load(rest + k * stride + i);
        }
        for (uint32_t m = 0; m < skin_block->mode_count; m++) {
            pli_vf q = pli_vf_set(pose->coordinates[modes[m]]);
            const float *field = fields + 3 * stride * m + i;
            for (size_t k = 0; k < 3; k++) {
                y[k] = pli_vf_add(y[k], pli_vf_mul(q, pli_vf_load(field + k * stride)));
            }
        }
        for (int k = 0; k < 3; k++) {
            x[k] = blended ? pli_vf_set(0.0f)
                   : moved ? transform_axis(pose->transforms + 4 * k, y)
                           : y[k];
        }
        for (uint32_t j = 0; j < skin_block->joint_count; j++) {
            const float *rows = pose->transforms + 12 * (size_t)joints[j];
            pli_vf weight = pli_vf_load(weights + stride * j + i);
            for (int k = 0; k < 3; k++) {
                x[k] = pli_vf_add(x[k], pli_vf_mul(weight, transform_axis(rows + 4 * k, y)));
            }
        }
        if (pose->world != NULL) {
            transform_lanes(pose->world, x);
        }
        finish_lanes(record, i, x, &box);
    }
    store_box(&box, record);
}

#endif

static void transform(const float *rows, pli_cluster_record *record)
{
    const float *vertices = pli_cluster_points(record);
    lane_box box = lane_box_empty();
    for (uint32_t i = 0; i < record->stride; i += PLI_LANES) {
        pli_vf x[3];
        get_lanes(vertices, record->stride, i, x);
        transform_lanes(rows, x);
        finish_lanes(record, i, x, &box);
    }
    store_box(&box, record);
}

const pli_model_kernels PLI_KERNELS_OF(model) = {
    .gather_axes = gather_axes,
    .gather_affine = gather_affine,
    .gather_spheres = gather_spheres,
    .place_boxes = place_boxes,
    .place_affine = place_affine,
    .place_spheres = place_spheres,
    .blend_boxes = blend_boxes,
    .enclose_joints = enclose_joints,
    .evaluate = evaluate,
    .transform = transform,
    .measure = measure,
};
