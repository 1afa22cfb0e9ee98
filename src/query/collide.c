/* Which triangles of two bodies touch. */
#include "collision.h"

#include "base/assert.h"
#include "base/float_env.h"
#include "query/boxes.h"
#include "query/spheres.h"

/* Pushes a pair of children for every bit 8 i + j of the mask. */
static pliant_result push_children(pli_collision *collision, uint64_t mask,
                                   pli_node_record *record_a, const pli_node *node_a,
                                   pli_node_record *record_b, const pli_node *node_b)
{
    pliant_query *query = collision->query;
    pli_task *first = pli_query_task_room(query, PLI_WIDTH * PLI_WIDTH), *task = first;
    if (first == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (; mask != 0; mask &= mask - 1, task++) {
        uint32_t bit = (uint32_t)__builtin_ctzll(mask);
        uint32_t i = bit / PLI_WIDTH, j = bit % PLI_WIDTH;
        PLI_ASSERT(i < node_a->child_count && j < node_b->child_count);
        task->parent_a = record_a;
        task->parent_b = record_b;
        task->child_a = node_a->child[i];
        task->child_b = node_b->child[j];
        task->lane_a = i;
        task->lane_b = j;
    }
    query->task_count += (size_t)(task - first);
    return PLIANT_OK;
}

/* Only one node opens: the other is a cluster, or much smaller. */
static pliant_result open_one_node(pli_collision *collision, const pli_task *task,
                                   pli_node_record *opened, bool first)
{
    pli_node_record *other = first ? task->parent_b : task->parent_a;
    uint32_t lane = first ? task->lane_b : task->lane_a;
    uint32_t node = first ? task->child_a : task->child_b;
    const pli_node *constant = &collision->body[first ? 0 : 1]->shape->nodes[node];
    /* The whole body's box has no sphere behind it. */
    bool spheres = collision->spheres && other != &collision->body[first ? 1 : 0]->top;
    pli_task below = *task;
    unsigned mask = pli_box_meets(&other->box, lane, &opened->box) & pli_child_lanes(constant);
    for (; mask != 0; mask &= mask - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(mask);
        PLI_ASSERT(i < constant->child_count);
        if (spheres && !pli_spheres_meet(pli_record_spheres(other), lane,
                                         pli_record_spheres(opened), i, 0.0)) {
            continue;
        }
        if (first) {
            below.parent_a = opened;
            below.child_a = constant->child[i];
            below.lane_a = i;
        } else {
            below.parent_b = opened;
            below.child_b = constant->child[i];
            below.lane_b = i;
        }
        pliant_result result = pli_query_push(collision->query, &below);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return PLIANT_OK;
}

/* Whether the box of an evaluated cluster meets a box, given by its six sides. */
static bool cluster_meets(const pli_cluster_record *cluster, const float *sides, size_t stride)
{
    bool meets = true;
    for (size_t k = 0; k < 3; k++) {
        meets = meets && cluster->box[k] <= sides[(3 + k) * stride] &&
                sides[k * stride] <= cluster->box[3 + k];
    }
    return meets;
}

/* Evaluates a task's cluster of body `which`; *meets: it is there, and as far as is known by then
   it meets the box of the other. */
static inline pliant_result reach_cluster(pli_collision *collision, int which, const pli_task *task,
                                          void **record, bool *meets)
{
    pliant_result result = pli_collision_record(collision, which, task, record);
    *meets = result == PLIANT_OK && *record != NULL; /* else: an error, or the task was put aside */
    if (*meets && pli_body_has_rows(collision->body[which])) {
        const pli_node_record *parent = which == 0 ? task->parent_b : task->parent_a;
        uint32_t lane = which == 0 ? task->lane_b : task->lane_a;
        *meets = cluster_meets(*record, &parent->box.side[0][lane], PLI_WIDTH);
    }
    return result;
}

/*
 * Cluster against cluster. The bound of a cluster of a body with a model is looser than its
 * vertices' box, so that is asked first: before the other cluster is evaluated, and again before
 * boxes of triangles are made. Which of the two comes first must not depend on what happened
 * before, so that counts do not either.
 */
static pliant_result collide_two_clusters(pli_collision *collision, const pli_task *task)
{
    bool modelled_a = pli_body_has_rows(collision->body[0]);
    bool modelled_b = pli_body_has_rows(collision->body[1]);
    bool second_first = modelled_b && !modelled_a, meets = true;
    void *a = NULL, *b = NULL;
    pliant_result result = PLIANT_OK;
    if (second_first) {
        result = reach_cluster(collision, 1, task, &b, &meets);
    }
    if (meets) {
        result = reach_cluster(collision, 0, task, &a, &meets);
    }
    if (meets && !second_first) {
        result = reach_cluster(collision, 1, task, &b, &meets);
    }
    if (!meets ||
        (modelled_a && modelled_b && !cluster_meets(a, ((const pli_cluster_record *)b)->box, 1))) {
        return result;
    }
    pli_finish_cluster(collision->body[0], task->child_a, a);
    pli_finish_cluster(collision->body[1], task->child_b, b);
    return pli_collide_clusters(collision, pli_view_cluster(collision->body[0], task->child_a, a),
                                pli_view_cluster(collision->body[1], task->child_b, b));
}

pliant_result pli_collide_task(pli_collision *collision, const pli_task *task)
{
    bool cluster_a = task->child_a & PLI_CLUSTER_BIT, cluster_b = task->child_b & PLI_CLUSTER_BIT;
    PLI_ASSERT(task->lane_a < PLI_WIDTH && task->lane_b < PLI_WIDTH);
    if (cluster_a && cluster_b) {
        return collide_two_clusters(collision, task);
    }
    float size_a = pli_box_size(&task->parent_a->box, task->lane_a);
    float size_b = pli_box_size(&task->parent_b->box, task->lane_b);
    bool open_a = !cluster_a && (cluster_b || !(size_b > PLI_MUCH_LARGER * size_a));
    bool open_b = !cluster_b && (cluster_a || !open_a || !(size_a > PLI_MUCH_LARGER * size_b));
    void *record_a = NULL, *record_b = NULL;
    pliant_result result = PLIANT_OK;
    if (open_a) {
        result = pli_collision_record(collision, 0, task, &record_a);
    }
    if (open_b && result == PLIANT_OK && (!open_a || record_a != NULL)) {
        result = pli_collision_record(collision, 1, task, &record_b);
    }
    if (result != PLIANT_OK || (open_a && record_a == NULL) || (open_b && record_b == NULL)) {
        return result; /* an error, or the task has been put aside */
    }
    if (!open_a || !open_b) {
        return open_one_node(collision, task, open_a ? record_a : record_b, open_a);
    }
    pli_node_record *node_a = record_a, *node_b = record_b;
    const pli_node *constant_a = &collision->body[0]->shape->nodes[task->child_a];
    const pli_node *constant_b = &collision->body[1]->shape->nodes[task->child_b];
    uint64_t mask = collision->kernels->boxes_meet(node_a->box.side[0], PLI_WIDTH,
                                                   node_b->box.side[0], PLI_WIDTH);
    mask &= pli_child_pairs(constant_a, constant_b);
    if (collision->spheres) {
        mask =
            pli_spheres_filter(mask, pli_record_spheres(node_a), pli_record_spheres(node_b), 0.0);
    }
    return push_children(collision, mask, node_a, constant_a, node_b, constant_b);
}

static PLI_NOINLINE pliant_result collide(pliant_query *query, pliant_body *a, pliant_body *b,
                                          const pliant_collide_options *options,
                                          pliant_contacts *contacts)
{
    pli_collision collision;
    pliant_result result = pli_collision_begin(&collision, query, a, b, options);
    if (result == PLIANT_OK) {
        result = pli_collision_run(&collision);
    }
    return result == PLIANT_OK ? pli_collision_end(&collision, contacts) : result;
}

pliant_result pliant_collide(pliant_query *query, pliant_body *a, pliant_body *b,
                             const pliant_collide_options *options, pliant_contacts *contacts)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    PLI_REQUIRE_TAG(options, pliant_collide_options);
    if (contacts == NULL && (options == NULL || options->callback == NULL)) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "pliant_collide: contacts is NULL, and there is no "
                                               "callback");
    }
    if (a == b) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "pliant_collide: both bodies are the same; use pliant_collide_self");
    }
    pliant_result result = pli_collision_enter(query, a, b, options, __func__);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = collide(query, a, b, options, contacts);
        pli_float_env_leave(env);
        pli_collision_leave(query, a, b, options);
    }
    return result;
}
