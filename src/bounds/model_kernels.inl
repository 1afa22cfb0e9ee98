/*
 * The kernels of bodies with models, for the instruction set that base/simd.h was told to use.
 * Nothing here is fused or reassociated: the margins of bounds/pose.c count every rounding.
 */
#include "bounds/model_kernels.h"

#include "base/simd16.h"

#include <math.h>

/* (x | |x|): what multiplies centres and what multiplies half sizes. */
static inline pli_w signed_and_size(float x)
{
    return pli_w_halves(x, fabsf(x));
}

static inline pli_w add_product(pli_w sum, pli_w a, pli_w b)
{
    return pli_w_add(sum, pli_w_mul(a, b));
}

/* Sums `runs` runs of 16 over the modes of a row, `step` numbers apart. */
static inline void gather_runs(const pli_row_view *row, const pli_pose *pose, const float *rest,
                               const float *modes, size_t step, const int runs, float *out)
{
    pli_w sum[3];
    for (int k = 0; k < runs; k++) {
        sum[k] = pli_w_load(rest + 16 * k);
    }
    for (uint32_t m = 0; m < row->mode_count; m++) {
        float q = pose->coordinates[row->modes[m]];
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

static void gather_axes(const pli_row_view *row, const pli_pose *pose, pli_local *local)
{
    gather_runs(row, pose, row->values, row->values + PLI_ROW_AXES, PLI_ROW_AXES, 3, local->axes);
}

static void gather_spheres(const pli_row_view *row, const pli_pose *pose, pli_local *local)
{
    pli_w sum[2] = {pli_w_load(row->values), pli_w_load(row->values + 16)};
    for (uint32_t m = 0; m < row->mode_count; m++) {
        const float *values = row->values + 32 * (1 + (size_t)m);
        float q = pose->coordinates[row->modes[m]];
        if (q == 0.0f) {
            continue;
        }
        sum[0] = add_product(sum[0], pli_w_load(values), pli_w_set(q));
        sum[1] = add_product(sum[1], pli_w_load(values + 16), signed_and_size(q));
    }
    pli_w_store(local->axes, sum[0]);
    pli_w_store(local->axes + 16, sum[1]);
}

enum { AFFINE_REST = PLI_ROW_AXES + PLI_ROW_FRAME + PLI_ROW_COLUMNS };
enum { AFFINE_MODE = PLI_ROW_AXES + PLI_ROW_FRAME };

static void gather_affine(const pli_row_view *row, const pli_pose *pose, pli_local *local)
{
    const float *frame = row->values + PLI_ROW_AXES, *modes = row->values + AFFINE_REST;
    pli_w axis[3], column[6];
    for (int k = 0; k < 3; k++) {
        axis[k] = pli_w_load(row->values + 16 * k);
    }
    for (int k = 0; k < 6; k++) {
        column[k] = pli_w_load(frame + 16 * k);
    }
    for (uint32_t m = 0; m < row->mode_count; m++) {
        const float *values = modes + (size_t)AFFINE_MODE * m;
        float q = pose->coordinates[row->modes[m]];
        if (q == 0.0f) {
            continue;
        }
        pli_w both = signed_and_size(q), plain = pli_w_set(q);
        for (int k = 0; k < 3; k++) {
            axis[k] = add_product(axis[k], pli_w_load(values + 16 * k), both);
        }
        for (int k = 0; k < 6; k++) {
            column[k] = add_product(column[k], pli_w_load(values + PLI_ROW_AXES + 16 * k), plain);
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
static inline pli_w place_axis(const pli_pose *pose, const pli_w axis[3], int a)
{
    if (!pose->moved) {
        return pli_w_add(axis[a], pli_w_halves(0.0f, pose->margin[a]));
    }
    const float *row = pose->transforms + 4 * a;
    pli_w sum = pli_w_mul(axis[0], signed_and_size(row[0]));
    sum = add_product(sum, axis[1], signed_and_size(row[1]));
    sum = add_product(sum, axis[2], signed_and_size(row[2]));
    return pli_w_add(sum, pli_w_halves(row[3], pose->margin[a]));
}

static inline void put_axis(const float both[16], uint32_t lanes, pli_boxes *boxes, int a)
{
    float *lower = boxes->side[a], *upper = boxes->side[3 + a];
    for (int i = 0; i < 8; i++) {
        lower[i] = both[i] - both[8 + i];
        upper[i] = both[i] + both[8 + i];
    }
    for (uint32_t i = lanes; i < 8; i++) {
        lower[i] = INFINITY;
        upper[i] = -INFINITY;
    }
}

static void place_boxes(const pli_row_view *row, const pli_pose *pose, const pli_local *local,
                        float length, pli_boxes *boxes)
{
    const float *growth = row->values + PLI_ROW_AXES * (1 + (size_t)row->mode_count);
    pli_w axis[3];
    for (int k = 0; k < 3; k++) {
        axis[k] = load_grown(local->axes + 16 * k, growth + 8 * k, length);
    }
    for (int a = 0; a < 3; a++) {
        float both[16];
        pli_w_store(both, place_axis(pose, axis, a));
        put_axis(both, row->lanes, boxes, a);
    }
}

static void place_affine(const pli_row_view *row, const pli_pose *pose, const pli_local *local,
                         float length, pli_boxes *boxes)
{
    const float *half = row->values + PLI_ROW_AXES + PLI_ROW_FRAME;
    const float *growth = row->values + AFFINE_REST + (size_t)AFFINE_MODE * row->mode_count;
    pli_w axis[3], half_low = pli_w_load(half), half_high = pli_w_load(half + 16);
    for (int k = 0; k < 3; k++) {
        axis[k] = load_grown(local->axes + 16 * k, growth + 8 * k, length);
    }
    for (int a = 0; a < 3; a++) {
        pli_w low = pli_w_load(local->frame + 32 * a),
              high = pli_w_load(local->frame + 32 * a + 16);
        if (pose->moved) {
            const float *rows = pose->transforms + 4 * a;
            pli_w first = pli_w_set(rows[0]), second = pli_w_set(rows[1]);
            pli_w third = pli_w_set(rows[2]);
            low = pli_w_mul(pli_w_load(local->frame), first);
            low = add_product(low, pli_w_load(local->frame + 32), second);
            low = add_product(low, pli_w_load(local->frame + 64), third);
            high = pli_w_mul(pli_w_load(local->frame + 16), first);
            high = add_product(high, pli_w_load(local->frame + 48), second);
            high = add_product(high, pli_w_load(local->frame + 80), third);
        }
        /* Columns (0 | 1) and (2 | nothing): their sizes add up. */
        pli_w sizes = pli_w_mul(pli_w_abs(low), half_low);
        sizes = add_product(sizes, pli_w_abs(high), half_high);
        float both[16], columns[16];
        pli_w_store(both, place_axis(pose, axis, a));
        pli_w_store(columns, sizes);
        for (int i = 0; i < 8; i++) {
            both[8 + i] += columns[i] + columns[8 + i];
        }
        put_axis(both, row->lanes, boxes, a);
    }
}

static void place_spheres(const pli_row_view *row, const pli_pose *pose, const pli_local *local,
                          float length, pli_boxes *boxes, pli_spheres *spheres)
{
    const float *x = local->axes, *y = x + 8, *z = x + 16, *radius = x + 24;
    const float *growth = row->values + 32 * (1 + (size_t)row->mode_count);
    for (int i = 0; i < 8; i++) {
        float centre[3] = {x[i], y[i], z[i]};
        float grown = radius[i] + growth[i] * length;
        spheres->radius[i] = grown * pose->radius_scale + pose->radius_margin;
        for (int a = 0; a < 3; a++) {
            const float *rows = pose->transforms + 4 * a;
            spheres->centre[a][i] =
                pose->moved
                    ? ((rows[0] * centre[0] + rows[1] * centre[1]) + rows[2] * centre[2]) + rows[3]
                    : centre[a];
        }
    }
    for (int a = 0; a < 3; a++) {
        float both[16];
        for (int i = 0; i < 8; i++) {
            both[i] = spheres->centre[a][i];
            both[8 + i] = spheres->radius[i];
        }
        put_axis(both, row->lanes, boxes, a);
    }
}

/* Nodes whose sides along an axis are kept between passes; those of others are computed again. */
enum { KEPT_NODES = 320 };

/* What a blend starts from: the boxes of the children before transforms, as (c | -c) and (e | e),
   so that the upper sides of both directions come out at once. */
typedef struct blend_source {
    pli_w centre[3], size[3];
} blend_source;

/* Upper sides of the boxes that one transform makes, along axis k and against it. */
static inline pli_w transformed_side(const blend_source *source, const float *rows, int k)
{
    const float *row = rows + 4 * k;
    pli_w side = pli_w_mul(source->centre[0], pli_w_set(row[0]));
    pli_w size = pli_w_mul(source->size[0], pli_w_set(fabsf(row[0])));
    side = add_product(side, source->centre[1], pli_w_set(row[1]));
    size = add_product(size, source->size[1], pli_w_set(fabsf(row[1])));
    side = add_product(side, source->centre[2], pli_w_set(row[2]));
    size = add_product(size, source->size[2], pli_w_set(fabsf(row[2])));
    return pli_w_add(pli_w_add(side, pli_w_halves(row[3], -row[3])), size);
}

static inline blend_source load_source(const pli_local *local)
{
    blend_source source;
    for (int k = 0; k < 3; k++) {
        float centre[16];
        const float *run = local->axes + 16 * k;
        for (int i = 0; i < 8; i++) {
            centre[i] = run[i];
            centre[8 + i] = -run[i];
        }
        source.centre[k] = pli_w_load(centre);
        source.size[k] = pli_w_load_twice(run + 8);
    }
    return source;
}

/* The sides of the row's nodes along one axis, kept or made again. */
typedef struct blend_sides {
    const pli_row_view *row;
    const pli_pose *pose;
    const blend_source *source;
    const float *weights; /* (least | greatest) of each node */
    float *kept;          /* [KEPT_NODES][16] */
    int axis;
} blend_sides;

static inline pli_w make_side(const blend_sides *sides, uint32_t j)
{
    const float *rows = sides->pose->transforms + 12 * (size_t)sides->row->nodes[j];
    return transformed_side(sides->source, rows, sides->axis);
}

static inline pli_w side_of(const blend_sides *sides, uint32_t j)
{
    return j < KEPT_NODES ? pli_w_load(sides->kept + 16 * (size_t)j) : make_side(sides, j);
}

/* The mean side by middle weights, times the sum of these; keeps sides on the way. */
static inline pli_w weigh_sides(const blend_sides *sides)
{
    pli_w half = pli_w_set(0.5f), sum = pli_w_set(0.0f);
    for (uint32_t j = 0; j < sides->row->node_count; j++) {
        const float *range = sides->weights + 16 * (size_t)j;
        pli_w middle =
            pli_w_mul(pli_w_add(pli_w_load_twice(range), pli_w_load_twice(range + 8)), half);
        pli_w side = make_side(sides, j);
        sum = add_product(sum, middle, side);
        if (j < KEPT_NODES) {
            pli_w_store(sides->kept + 16 * (size_t)j, side);
        }
    }
    return sum;
}

/* The second largest side among nodes that move anything, or the only one; keeps sides on the way.
   The dual bound about it is the bound of Steinemann, Otaduy & Gross. */
static inline pli_w second_side(const blend_sides *sides)
{
    pli_w none = pli_w_set(-INFINITY), zero = pli_w_set(0.0f), first = none, second = none;
    for (uint32_t j = 0; j < sides->row->node_count; j++) {
        pli_w high = pli_w_load_twice(sides->weights + 16 * (size_t)j + 8);
        pli_w side = make_side(sides, j);
        if (j < KEPT_NODES) {
            pli_w_store(sides->kept + 16 * (size_t)j, side);
        }
        side = pli_w_select_less(zero, high, side, none);
        second = pli_w_max(second, pli_w_min(first, side));
        first = pli_w_max(first, side);
    }
    second = pli_w_select_less(none, second, second, first);
    return pli_w_select_less(none, second, second, zero);
}

/* What the sides above x gain and those below it lose, and the weight on the way. */
typedef struct blend_balance {
    pli_w above, below, mass;
} blend_balance;

static inline blend_balance balance_about(const blend_sides *sides, pli_w x, bool with_mass)
{
    pli_w zero = pli_w_set(0.0f);
    blend_balance b = {zero, zero, zero};
    for (uint32_t j = 0; j < sides->row->node_count; j++) {
        const float *range = sides->weights + 16 * (size_t)j;
        pli_w low = pli_w_load_twice(range), high = pli_w_load_twice(range + 8);
        pli_w over = pli_w_sub(side_of(sides, j), x);
        b.above = add_product(b.above, high, pli_w_max(over, zero));
        b.below = add_product(b.below, low, pli_w_min(over, zero));
        if (with_mass) {
            b.mass = pli_w_add(b.mass, pli_w_select_less(zero, over, high, low));
        }
    }
    return b;
}

/*
 * The dual bound: for any number x, sum w_j b_j is at most x s + sum_j of the greater of
 * l_j (b_j - x) and h_j (b_j - x). Each further try steps towards where the slope changes sign.
 */
static inline pli_w dual_bound(const blend_sides *sides, const float *sums, int tries, pli_w x)
{
    pli_w half = pli_w_set(0.5f), best = pli_w_set(INFINITY), step = half;
    pli_w least = pli_w_load_twice(sums), greatest = pli_w_load_twice(sums + 8);
    pli_w slack = pli_w_set(1.25f * 0x1p-24f * (float)(sides->row->node_count + 8));
    for (int i = 0; i < tries; i++) {
        blend_balance b =
            i + 1 < tries ? balance_about(sides, x, true) : balance_about(sides, x, false);
        pli_w bound = pli_w_max(pli_w_mul(x, least), pli_w_mul(x, greatest));
        bound = pli_w_add(bound, pli_w_add(b.above, b.below));
        bound = add_product(bound, pli_w_sub(b.above, b.below), slack);
        best = pli_w_min(bound, best);
        if (i + 1 < tries) {
            /* More mass above x than may be handed out: x should rise, else fall. */
            step = pli_w_mul(i == 0 ? pli_w_sub(b.above, b.below) : step, half);
            x = pli_w_select_less(b.mass, greatest, pli_w_sub(x, step), pli_w_add(x, step));
        }
    }
    return best;
}

static void blend_boxes(const pli_row_view *row, const pli_pose *pose, const pli_local *local,
                        int tries, pli_boxes *boxes)
{
    const float *sums = row->values + PLI_ROW_AXES * (1 + (size_t)row->mode_count);
    const float *inverse = sums + 16;
    blend_source source = load_source(local);
    _Alignas(64) float kept[KEPT_NODES * 16];
    blend_sides sides = {row, pose, &source, inverse + 16, kept, 0};
    for (int k = 0; k < 3; k++) {
        sides.axis = k;
        float both[16];
        pli_w x = tries == 0 ? second_side(&sides)
                             : pli_w_mul(weigh_sides(&sides), pli_w_load_twice(inverse));
        pli_w bound = dual_bound(&sides, sums, tries == 0 ? 1 : tries, x);
        pli_w_store(both, pli_w_add(bound, pli_w_set(pose->margin[k])));
        for (int i = 0; i < 8; i++) {
            boxes->side[k][i] = -both[8 + i];
            boxes->side[3 + k][i] = both[i];
        }
        for (uint32_t i = row->lanes; i < 8; i++) {
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

/* ((a0 y0 + a1 y1) + a2 y2) + t, as the definition of vertices has it. */
static inline pli_vf transform_axis(const float *row, const pli_vf y[3])
{
    pli_vf sum =
        pli_vf_add(pli_vf_mul(pli_vf_set(row[0]), y[0]), pli_vf_mul(pli_vf_set(row[1]), y[1]));
    sum = pli_vf_add(sum, pli_vf_mul(pli_vf_set(row[2]), y[2]));
    return pli_vf_add(sum, pli_vf_set(row[3]));
}

static void evaluate(const pliant_shape *shape, uint32_t index, const pli_pose *pose,
                     pli_cluster_record *record)
{
    const pli_patch *patch = &shape->patches[index];
    /* A shape without modes, or without nodes, has no list of them to point into. */
    const uint32_t *modes = patch->mode_count > 0 ? shape->patch_modes + patch->first_mode : NULL;
    const uint32_t *nodes = patch->node_count > 0 ? shape->patch_nodes + patch->first_node : NULL;
    size_t stride = record->stride;
    const float *rest = shape->patch_values + patch->first_value;
    const float *fields = rest + 3 * stride;
    const float *weights = fields + 3 * stride * patch->mode_count;
    bool blended = shape->block->model.has_influences != 0;
    pli_vf zero = pli_vf_set(0.0f), low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = pli_vf_set(INFINITY);
        high[k] = pli_vf_set(-INFINITY);
    }
    record->vertex_step = PLI_VERTEX_STEP;
    record->axis_step = PLI_AXIS_STEP(record->stride);
    for (uint32_t i = 0; i < stride; i += PLI_LANES) {
        pli_vf y[3], x[3];
        for (size_t k = 0; k < 3; k++) {
            y[k] = pli_vf_load(rest + k * stride + i);
        }
        for (uint32_t m = 0; m < patch->mode_count; m++) {
            pli_vf q = pli_vf_set(pose->coordinates[modes[m]]);
            const float *field = fields + 3 * stride * m + i;
            for (size_t k = 0; k < 3; k++) {
                y[k] = pli_vf_add(y[k], pli_vf_mul(q, pli_vf_load(field + k * stride)));
            }
        }
        for (int k = 0; k < 3; k++) {
            x[k] = blended       ? zero
                   : pose->moved ? transform_axis(pose->transforms + 4 * k, y)
                                 : y[k];
        }
        for (uint32_t j = 0; j < patch->node_count; j++) {
            const float *rows = pose->transforms + 12 * (size_t)nodes[j];
            pli_vf weight = pli_vf_load(weights + stride * j + i);
            for (int k = 0; k < 3; k++) {
                x[k] = pli_vf_add(x[k], pli_vf_mul(weight, transform_axis(rows + 4 * k, y)));
            }
        }
        for (int k = 0; k < 3; k++) {
            x[k] = pli_vf_add(x[k], zero); /* -0 becomes 0, whatever was skipped above */
            low[k] = pli_vf_min(x[k], low[k]);
            high[k] = pli_vf_max(x[k], high[k]);
        }
        put_lanes(record, i, x);
    }
    for (int k = 0; k < 3; k++) {
        record->box[k] = -pli_vf_greatest(pli_vf_sub(zero, low[k]));
        record->box[3 + k] = pli_vf_greatest(high[k]);
    }
}

static void transform(const float *rows, pli_cluster_record *record)
{
    for (int k = 0; k < 3; k++) {
        record->box[k] = INFINITY;
        record->box[3 + k] = -INFINITY;
    }
    for (uint32_t i = 0; i < record->stride; i++) {
        float *point = pli_cluster_points(record) + i * record->vertex_step;
        float p[3], *at[3];
        for (size_t k = 0; k < 3; k++) {
            at[k] = point + k * record->axis_step;
            p[k] = *at[k];
        }
        for (int k = 0; k < 3; k++) {
            const float *row = rows + 4 * k;
            float x = (((row[0] * p[0] + row[1] * p[1]) + row[2] * p[2]) + row[3]) + 0.0f;
            *at[k] = x;
            record->box[k] = x < record->box[k] ? x : record->box[k];
            record->box[3 + k] = x > record->box[3 + k] ? x : record->box[3 + k];
        }
    }
}

const pli_model_kernels PLI_MODEL_KERNELS = {
    .gather_axes = gather_axes,
    .gather_affine = gather_affine,
    .gather_spheres = gather_spheres,
    .place_boxes = place_boxes,
    .place_affine = place_affine,
    .place_spheres = place_spheres,
    .blend_boxes = blend_boxes,
    .evaluate = evaluate,
    .transform = transform,
};
