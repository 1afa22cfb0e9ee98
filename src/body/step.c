/*
 * Steps: where a body was when its step began. The start is a body of its own in that state, which
 * nobody but the sweep ever looks at; the sweep is one whose bounds hold the body all the time.
 */
#include "body/body.h"

#include "base/float_env.h"
#include "body/refresh.h"
#include "bounds/bounds.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------- the start's state */

/* Copies what is computed from: coordinates, transforms, and a world transform, for which there is
   room. */
static void copy_pose(pliant_body *to, const pliant_body *from)
{
    const pli_model *model = &from->shape->block->model;
    pli_pose pose = from->pose;
    pose.coordinates = to->pose.coordinates;
    pose.transforms = to->pose.transforms;
    if (model->mode_count > 0) {
        memcpy(pose.coordinates, from->pose.coordinates, model->mode_count * sizeof(float));
    }
    if (model->joint_count > 0) {
        memcpy(pose.transforms, from->pose.transforms, 12 * model->joint_count * sizeof(float));
    }
    pose.placing = pose.transforms;
    if (from->pose.world != NULL) {
        float *world = to->world_block, *placing = world + 24;
        memcpy(world, from->pose.world, 12 * sizeof(float));
        pose.world = pose.placing = world;
        if (model->joint_count > 0) {
            memcpy(placing, from->pose.placing, 12 * model->joint_count * sizeof(float));
            pose.placing = placing;
        }
    }
    to->pose = pose;
}

static void swap_copies(pliant_body *a, pliant_body *b)
{
    float *copy = a->copy;
    size_t capacity = a->copy_capacity;
    a->copy = b->copy;
    a->copy_capacity = b->copy_capacity;
    b->copy = copy;
    b->copy_capacity = capacity;
}

/* Hands the positions over: the body goes on with the start's old buffer, and until it is given
   others it is where its start is. */
static void hand_over_positions(pliant_body *start, pliant_body *body)
{
    if (body->copy != NULL && body->positions.first == body->copy) {
        swap_copies(start, body);
    }
    start->positions = body->positions;
    start->by_positions = body->by_positions;
}

pliant_result pli_body_prepare_step(pliant_body *body)
{
    pliant_result result = pli_body_check_valid(body);
    if (result == PLIANT_OK && body->start == NULL) {
        pliant_body_def def = pliant_body_def_default();
        def.update = PLIANT_UPDATE_TOP_DOWN;
        result = pliant_body_create(body->shape, &def, &body->start);
    }
    pliant_body *start = body->start;
    if (result == PLIANT_OK && body->pose.world != NULL && start->world_block == NULL) {
        start->world_block = pli_allocate(body->context, pli_body_world_size(body));
        result = start->world_block != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

void pli_body_start_step(pliant_body *body)
{
    pliant_body *start = body->start;
    copy_pose(start, body);
    hand_over_positions(start, body);
    start->valid = true;
    pli_body_forget(start);
}

void pli_body_drop_start(pliant_body *body)
{
    pli_body_free(body->start);
    body->start = NULL;
    if (body->sweep != NULL) {
        body->sweep->ends[0] = NULL; /* another start may come to lie where this one was */
    }
}

static PLI_NOINLINE pliant_result begin_step(pliant_body *body)
{
    bool is_first = body->start == NULL;
    pliant_result result = pli_body_prepare_step(body);
    if (result == PLIANT_OK) {
        pli_body_start_step(body);
    } else if (is_first && body->start != NULL) {
        pli_body_drop_start(body);
    }
    return result;
}

pliant_result pliant_body_begin_step(pliant_body *body)
{
    PLI_REQUIRE(body);
    pliant_result result = pli_body_check_idle(body, __func__);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = begin_step(body);
        pli_float_env_leave(env);
    }
    return result;
}

pliant_result pliant_body_end_step(pliant_body *body)
{
    PLI_REQUIRE(body);
    pliant_result result = pli_body_check_idle(body, __func__);
    pliant_body *start = body->start;
    if (result != PLIANT_OK || start == NULL) {
        return result;
    }
    if (start->copy != NULL && body->positions.first == start->copy) {
        swap_copies(start, body); /* the body still stands where its start does */
    }
    pli_body_drop_start(body);
    return PLIANT_OK;
}

/* ------------------------------------------------------------------- sweep */

static pliant_result create_sweep(pliant_body *body)
{
    pliant_body *made = pli_allocate(body->context, sizeof *made);
    if (made == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *made = (pliant_body){
        .valid = true,
        .id = pli_context_next_id(body->context),
        .shape = body->shape,
        .given = body->shape,
        .nodes = body->shape->nodes,
        .context = body->context,
        .kernels = body->kernels,
        .model_kernels = body->model_kernels,
        .by_positions = true, /* boxes are made of boxes, and clusters of vertices */
        .ends = {body, body},
        .asked = pli_body_has_coefficients(body) ? PLIANT_UPDATE_TOP_DOWN : PLIANT_UPDATE_AUTO,
        .lazy_levels = 1,
    };
    pli_shape_join(body->shape);
    pli_context_join(body->context, PLI_OBJECT_BODY);
    made->arena.counts = &made->counts;
    pli_boxes_clear(&made->root.box);
    pli_body_adopt_update(made);
    body->sweep = made;
    return PLIANT_OK;
}

pliant_result pli_body_get_sweep(pliant_body *body, pliant_body **sweep)
{
    pliant_body *const ends[2] = {body->start != NULL ? body->start : body, body};
    pliant_result result = body->sweep == NULL ? create_sweep(body) : PLIANT_OK;
    if (result == PLIANT_OK && !ends[0]->valid && ends[0] != body) {
        return pli_fail(PLIANT_ERROR_STATE, "the start of the step is not valid: its shared "
                                            "positions were not finite; begin the step again");
    }
    result = result == PLIANT_OK ? pli_body_check_valid(body) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    *sweep = body->sweep;
    bool fresh = true;
    for (int i = 0; i < 2; i++) {
        fresh = fresh && (*sweep)->ends[i] == ends[i] && (*sweep)->end_states[i] == ends[i]->state;
        (*sweep)->ends[i] = ends[i];
        (*sweep)->end_states[i] = ends[i]->state;
    }
    (*sweep)->pose.world_error = fmaxf(ends[0]->pose.world_error, ends[1]->pose.world_error);
    if (!fresh) {
        pli_body_forget(*sweep);
    }
    return PLIANT_OK;
}

uint64_t pli_body_step_memory(const pliant_body *body)
{
    uint64_t bytes = 0;
    const pliant_body *const others[2] = {body->start, body->sweep};
    for (int i = 0; i < 2; i++) {
        pliant_body_memory memory = pliant_body_get_memory(others[i]);
        bytes += memory.positions + memory.bounds;
    }
    return bytes;
}

/* ------------------------------------------------------- bounds of the sweep

   Vertices move along straight lines, so a box that holds them at both ends holds them in between:
   a sweep's boxes hold those of its start and of its end. */

static void enclose(pli_boxes *box, const pli_boxes *other, unsigned lanes)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        for (int k = 0; k < 3; k++) {
            float *lower = &box->side[k][lane], *upper = &box->side[3 + k][lane];
            *lower = other->side[k][lane] < *lower ? other->side[k][lane] : *lower;
            *upper = other->side[3 + k][lane] > *upper ? other->side[3 + k][lane] : *upper;
        }
    }
}

/* How many different ends a sweep has: one if the body stands still. */
static int end_count(const pliant_body *sweep)
{
    return sweep->ends[0] == sweep->ends[1] ? 1 : 2;
}

pliant_result pli_bound_swept_children(pliant_body *sweep, pli_arena *arena, uint32_t node,
                                       unsigned merged, pli_node_record *record)
{
    struct {
        pli_node_record record;
        pli_spheres spheres; /* which some bodies' records have behind them */
    } end;
    unsigned lanes = ((1u << sweep->shape->nodes[node].child_count) - 1) & ~merged;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < end_count(sweep) && result == PLIANT_OK; i++) {
        pli_boxes_clear(&end.record.box);
        result = pli_bound_children(sweep->ends[i], arena, node, merged, &end.record);
        enclose(&record->box, &end.record.box, lanes);
    }
    return result;
}

/* Whether the box of a body's root is the smallest one of its vertices, for every tree. */
static bool has_smallest_root(const pliant_body *body)
{
    return !pli_body_has_coefficients(body) && !body->pose.moved;
}

void pli_swept_state_box(const pliant_body *sweep, pli_boxes *box)
{
    if (has_smallest_root(sweep->ends[0]) && has_smallest_root(sweep->ends[1])) {
        *box = sweep->root.box;
        return;
    }
    pli_boxes_clear(box);
    for (int i = 0; i < end_count(sweep); i++) {
        pli_boxes one;
        pli_boxes_clear(&one);
        if (has_smallest_root(sweep->ends[i])) { /* it may not have been refreshed */
            pli_body_enclose_vertices(sweep->ends[i], &one);
        } else {
            pli_body_state_box(sweep->ends[i], &one);
        }
        enclose(box, &one, 1);
    }
}

void pli_clip_swept_root(pliant_body *sweep)
{
    if (!pli_body_is_blended(sweep->ends[0])) {
        return;
    }
    pli_boxes both;
    pli_swept_state_box(sweep, &both);
    for (int k = 0; k < 3; k++) {
        float *lower = &sweep->root.box.side[k][0], *upper = &sweep->root.box.side[3 + k][0];
        *lower = both.side[k][0] > *lower ? both.side[k][0] : *lower;
        *upper = both.side[3 + k][0] < *upper ? both.side[3 + k][0] : *upper;
    }
}

enum { STEP = 16 }; /* slots come in multiples of so many */

/* Sides of boxes become those that hold others too; `widest` grows with their distances. */
static void enclose_slots(float *restrict lower, float *restrict upper,
                          const float *restrict other_lower, const float *restrict other_upper,
                          float *restrict widest)
{
    for (int i = 0; i < STEP; i++) {
        lower[i] = other_lower[i] < lower[i] ? other_lower[i] : lower[i];
        upper[i] = other_upper[i] > upper[i] ? other_upper[i] : upper[i];
        float width = upper[i] - lower[i];
        widest[i] = width > widest[i] ? width : widest[i];
    }
}

/* The boxes of triangles that hold those of both records, and the longest side of one. */
static void enclose_triangles(pli_cluster_record *record, pli_cluster_record *end)
{
    float widest[STEP] = {0.0f}, extent = 0.0f;
    enclose(&record->leaf_box, &end->leaf_box, (1u << PLI_WIDTH) - 1);
    for (int k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < record->slots; i += STEP) {
            enclose_slots(pli_triangle_side(record, k) + i, pli_triangle_side(record, 3 + k) + i,
                          pli_triangle_side(end, k) + i, pli_triangle_side(end, 3 + k) + i, widest);
        }
    }
    for (int i = 0; i < STEP; i++) {
        extent = widest[i] > extent ? widest[i] : extent;
    }
    record->extent = extent;
}

pliant_result pli_fill_swept_cluster(pliant_body *sweep, pli_arena *arena, uint32_t cluster,
                                     pli_cluster_record *record)
{
    const pli_cluster *constant = &sweep->shape->clusters[cluster];
    pli_cluster_record *both[2] = {record, pli_swept_end(constant, record)};
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < 2 && result == PLIANT_OK; i++) {
        result = pli_fill_cluster(sweep->ends[i], arena, cluster, both[i]);
        if (result == PLIANT_OK) {
            pli_finish_cluster(sweep->ends[i], cluster | PLI_CLUSTER_BIT, both[i]);
        }
    }
    if (result == PLIANT_OK) {
        enclose_triangles(record, both[1]);
    }
    return result;
}
