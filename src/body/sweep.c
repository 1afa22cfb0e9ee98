/*
 * Bounds throughout a step. Vertices move along straight lines, so a box that holds them at both
 * ends holds them in between: a sweep's boxes hold those of its start and of its end.
 */
#include "refresh.h"

#include "bounds/whole.h"

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

void pli_clip_swept_root(pliant_body *sweep)
{
    if (!pli_body_is_blended(sweep->ends[0])) {
        return;
    }
    pli_boxes both, one;
    pli_boxes_clear(&both);
    for (int i = 0; i < end_count(sweep); i++) {
        pli_boxes_clear(&one);
        pli_bound_whole(sweep->model_kernels, sweep->shape, &sweep->ends[i]->pose, &one);
        enclose(&both, &one, 1);
    }
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
