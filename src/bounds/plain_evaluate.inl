/*
 * The vertices of a skin block in plain C; a part of model_kernels.c, which includes it where there
 * is one lane. Sixteen vertices are carried through all joints together: a joint that moves none of
 * them is left out, and the loops over them are such that compilers make lanes of them. The
 * operations on a vertex and their order are those of the wide kernels.
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
