/*
 * Which triangles meet a box, exactly. Children inside the box are listed as they are; others are
 * opened. A triangle with a corner in the box meets it. One without, if it meets the box at all,
 * also has points outside, so it meets the box's border: one of the twelve triangles that make up
 * its faces.
 */
#include "query/descend.h"
#include "query/query.h"
#include "scene/scene.h"

#include "base/float_env.h"
#include "base/context.h"
#include "geometry/orient.h"
#include "geometry/triangle_overlap.h"
#include "bounds/boxes.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct box_question {
    pli_run *run;
    pliant_box box;  /* with sides that are numbers */
    pli_boxes lanes; /* lane 0: the box */
    float corner[8][3];
} box_question;

/* The corners of the box, by the bits of their number: bit k set, the upper side of axis k. Each
   face is the four corners that share a bit, cut along a diagonal. */
static const uint8_t face_triangles[12][3] = {
    {0, 2, 4}, {6, 2, 4}, {1, 3, 5}, {7, 3, 5}, {0, 1, 4}, {5, 1, 4},
    {2, 3, 6}, {7, 3, 6}, {0, 1, 2}, {3, 1, 2}, {4, 5, 6}, {7, 5, 6},
};

/* Which of eight boxes lie in the box. */
static unsigned inside_box(const pliant_box *box, const float *side, size_t stride)
{
    unsigned mask = 0;
    for (size_t j = 0; j < PLI_WIDTH; j++) {
        unsigned inside = 1;
        for (size_t k = 0; k < 3; k++) {
            inside &= box->lower[k] <= side[k * stride + j];
            inside &= side[(3 + k) * stride + j] <= box->upper[k];
        }
        mask |= inside << j;
    }
    return mask;
}

static bool in_box(const pliant_box *box, const float p[3])
{
    return box->lower[0] <= p[0] && p[0] <= box->upper[0] && box->lower[1] <= p[1] &&
           p[1] <= box->upper[1] && box->lower[2] <= p[2] && p[2] <= box->upper[2];
}

/* Whether all corners of the box lie strictly on one side of a triangle's plane. */
static bool plane_misses(const box_question *q, const float p[3][3], uint64_t *fallbacks)
{
    pli_plane plane;
    pli_plane_set(&plane, p[0], p[1], p[2]);
    int side = pli_plane_side(&plane, q->corner[0], fallbacks);
    for (int i = 1; i < 8 && side != 0; i++) {
        side = pli_plane_side(&plane, q->corner[i], fallbacks) == side ? side : 0;
    }
    return side != 0;
}

/* A triangle whose box meets the box. */
static bool triangle_meets(const box_question *q, const float p[3][3], uint64_t *fallbacks)
{
    if (in_box(&q->box, p[0]) || in_box(&q->box, p[1]) || in_box(&q->box, p[2])) {
        return true;
    }
    if (plane_misses(q, p, fallbacks)) {
        return false;
    }
    for (int i = 0; i < 12; i++) {
        float face[3][3];
        for (int c = 0; c < 3; c++) {
            memcpy(face[c], q->corner[face_triangles[i][c]], sizeof face[c]);
        }
        if (pli_triangle_overlap((const float(*)[3])face, p, fallbacks)) {
            return true;
        }
    }
    return false;
}

static pliant_result list_cluster(box_question *q, uint32_t cluster)
{
    const pliant_shape *shape = q->run->body[0]->shape;
    const pli_cluster *constant = &shape->clusters[cluster];
    pliant_result result = PLIANT_OK;
    for (uint64_t live = constant->live; live != 0 && result == PLIANT_OK; live &= live - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(live);
        result = pli_result_add(q->run->worker, shape->slot_triangles[constant->first_slot + slot]);
    }
    return result;
}

/* Lists everything below a child that lies in the box. Depth is bounded by the tree's. */
static pliant_result list_child(box_question *q, const pli_node *nodes, uint32_t child)
{
    if (child & PLI_CLUSTER_BIT) {
        return list_cluster(q, child & ~PLI_CLUSTER_BIT);
    }
    const pli_node *node = &nodes[child];
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < node->child_count && result == PLIANT_OK; i++) {
        result = list_child(q, nodes, node->child[i]);
    }
    return result;
}

static pliant_result test_cluster(box_question *q, pli_cluster_view view)
{
    pliant_stats *stats = &q->run->worker->stats;
    pli_cluster_record *record = view.record;
    unsigned leaves = pli_box_meets(&q->lanes, 0, &record->leaf_box);
    for (; leaves != 0; leaves &= leaves - 1) {
        uint32_t first = PLI_WIDTH * (uint32_t)__builtin_ctz(leaves);
        pli_boxes boxes;
        for (int k = 0; k < 6; k++) {
            memcpy(boxes.side[k], pli_triangle_side(record, k) + first, sizeof boxes.side[k]);
        }
        unsigned inside = inside_box(&q->box, boxes.side[0], PLI_WIDTH);
        unsigned slots = pli_box_meets(&q->lanes, 0, &boxes);
        for (; slots != 0; slots &= slots - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(slots);
            bool meets = inside >> lane & 1;
            if (!meets) {
                float corner[3][3];
                pli_slot_corners(view, first + lane, corner);
                stats->triangle_tests++;
                meets = triangle_meets(q, (const float(*)[3])corner, &stats->exact_fallbacks);
            }
            if (meets) {
                pliant_result result =
                    pli_result_add(q->run->worker, pli_slot_triangle(view, first + lane));
                if (result != PLIANT_OK) {
                    return result;
                }
            }
        }
    }
    return PLIANT_OK;
}

/* Deals with lane `lane` of a record, which meets the box. Depth is bounded by the tree's. */
static pliant_result visit_lane(box_question *q, pli_node_record *parent, uint32_t lane,
                                uint32_t child)
{
    pliant_body *body = q->run->body[0];
    if (inside_box(&q->box, parent->box.side[0], PLI_WIDTH) >> lane & 1) {
        /* Below the root, which may not have been opened, as the shape has it. */
        return list_child(q, child == 0 ? body->shape->nodes : body->nodes, child);
    }
    void *record = NULL;
    pli_visit visit = {0.0, parent, child, lane};
    pliant_result result = pli_visit_open(q->run, &visit, &record);
    if (result != PLIANT_OK) {
        return result;
    }
    if (child & PLI_CLUSTER_BIT) {
        return test_cluster(q, pli_view_cluster(body, child, record));
    }
    pli_node_record *node = record;
    const pli_node *constant = &body->nodes[child];
    unsigned mask = pli_box_meets(&q->lanes, 0, &node->box) & pli_child_lanes(constant);
    for (; mask != 0 && result == PLIANT_OK; mask &= mask - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(mask);
        result = visit_lane(q, node, i, constant->child[i]);
    }
    return result;
}

/* No coordinate of a body is beyond FLT_MAX, so that an infinite side may as well be there. */
static void set_box(box_question *q, const pliant_box *box)
{
    pli_boxes_clear(&q->lanes);
    for (int k = 0; k < 3; k++) {
        float lower = box->lower[k] < -FLT_MAX ? -FLT_MAX : box->lower[k];
        float upper = box->upper[k] > FLT_MAX ? FLT_MAX : box->upper[k];
        q->box.lower[k] = q->lanes.side[k][0] = lower;
        q->box.upper[k] = q->lanes.side[3 + k][0] = upper;
        for (int i = 0; i < 8; i++) {
            q->corner[i][k] = i >> k & 1 ? upper : lower;
        }
    }
}

void pli_keys_to_triangles(uint64_t *keys, size_t count)
{
    char *packed = (char *)keys;
    for (size_t i = 0; i < count; i++) {
        uint32_t triangle = (uint32_t)keys[i];
        memcpy(packed + i * sizeof triangle, &triangle, sizeof triangle);
    }
}

pliant_result pli_box_list_triangles(pli_run *run, const pliant_box *box)
{
    pliant_body *body = run->body[0];
    box_question q = {.run = run};
    set_box(&q, box);
    bool meets = pli_box_meets(&q.lanes, 0, &body->root.box) & 1;
    return meets ? visit_lane(&q, &body->root, 0, 0) : PLIANT_OK;
}

static PLI_NOINLINE pliant_result overlap_box(pliant_query *query, pliant_body *body,
                                              const pliant_box *box, const uint32_t **triangles,
                                              uint64_t *count)
{
    pli_run run;
    pliant_result result = pli_box_check(box, "box");
    if (result == PLIANT_OK) {
        pli_run_init(&run, &query->worker, body, NULL);
        result = pli_run_begin(&run);
    }
    if (result == PLIANT_OK) {
        pli_stage_begin(query->context, PLIANT_STAGE_QUERY_TRAVERSE);
        result = pli_box_list_triangles(&run, box);
        pli_stage_end(query->context, PLIANT_STAGE_QUERY_TRAVERSE);
    }
    pli_collection *found = &query->found;
    if (result == PLIANT_OK) {
        result = pli_run_collect(
            &run, (pli_collecting){.list_count = 1, .convert = pli_keys_to_triangles}, found);
    }
    if (result == PLIANT_OK) {
        pli_run_end(query, &run, found->total);
        *triangles = found->total > 0 ? (const uint32_t *)(const void *)found->found : NULL;
        *count = found->total;
    }
    return result;
}

pliant_result pliant_overlap_box(pliant_query *query, pliant_body *body, const pliant_box *box,
                                 const uint32_t **triangles, uint64_t *count)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(body);
    PLI_REQUIRE(box);
    PLI_REQUIRE(triangles);
    PLI_REQUIRE(count);
    pli_float_env env = pli_float_env_enter();
    pliant_result result = overlap_box(query, body, box, triangles, count);
    pli_float_env_leave(env);
    return result;
}
