/*
 * Which proxies of two bodies meet.
 * Based on: D. L. James, D. K. Pai, BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models, SIGGRAPH 2004, section 3.5: traversal of bounded depth.
 *
 * Ours: the depth is asked for in triangles per proxy; coarser spheres hold proxies for all
 * coordinates (shape/rows_sphere.c), so that the answer does not depend on the tree above; a spent
 * budget leaves coarse contacts where it left the walk, so that nothing is lost.
 */
#include "proxy_lanes.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "query/boxes.h"
#include "query/probe.h"
#include "shape/proxies.h"

/* What a child of a task is to the walk. */
typedef enum child_kind {
    CHILD_NODE,    /* has children of its own to compare */
    CHILD_CLUSTER, /* has leaves that are proxies, or triangles */
    CHILD_PROXY    /* is compared as it is */
} child_kind;

pliant_proxy_options pliant_proxy_options_default(void)
{
    pliant_proxy_options options = {
        .proxies_a = true, .proxies_b = true, .tag = PLI_TAG(pliant_proxy_options)};
    return options;
}

/* --------------------------------------------------------------- contacts */

pliant_result pli_proxy_run_add(pli_proxy_run *run, const pliant_proxy_contact *contact)
{
    pliant_query *query = run->query;
    pliant_proxy_contact *contacts = pli_grow(query->context, query->proxies, &query->proxy_room,
                                              query->proxy_count + 1, sizeof *contacts);
    if (contacts == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    query->proxies = contacts;
    contacts[query->proxy_count++] = *contact;
    return PLIANT_OK;
}

/* What a lane of a set is called. */
static pliant_proxy lane_proxy(const pli_proxy_side *side, const pli_lane_set *set, uint32_t lane)
{
    return set->child != PLI_LANES_ARE_LEAVES
               ? pli_proxy_of_child(side->body->shape, set->child)
               : pli_proxy_of_leaf(side->body->shape, set->leaves_of, lane);
}

/* All proxies of two sets whose lanes meet; a sphere is made once, however often it is met. */
static pliant_result meet_proxies(pli_proxy_run *run, const pli_lane_set set[2], uint64_t mask)
{
    pli_ball ball[2][PLI_WIDTH];
    unsigned made[2] = {0, 0};
    for (; mask != 0; mask &= mask - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(mask);
        const uint32_t lane[2] = {bit / PLI_WIDTH, bit % PLI_WIDTH};
        for (int s = 0; s < 2; s++) {
            if (!(made[s] >> lane[s] & 1)) {
                ball[s][lane[s]] = pli_lane_ball(&run->side[s], &set[s], lane[s]);
                made[s] |= 1u << lane[s];
            }
        }
        const pli_ball *a = &ball[0][lane[0]], *b = &ball[1][lane[1]];
        if (!pli_balls_meet(a, b)) {
            continue;
        }
        pliant_proxy_contact contact = {.a = lane_proxy(&run->side[0], &set[0], lane[0]),
                                        .b = lane_proxy(&run->side[1], &set[1], lane[1])};
        pli_contact_balls(a, b, &contact);
        pliant_result result = pli_proxy_run_add(run, &contact);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return PLIANT_OK;
}

/* Whether the box of the triangle in a slot meets a box, each widened by the error of the first. */
static bool slot_meets(const pli_cluster_record *record, uint32_t slot, float error,
                       const float lower[3], const float upper[3])
{
    for (size_t k = 0; k < 3; k++) {
        if (pli_below(record->data[k * record->slots + slot], error) > upper[k] ||
            -pli_below(-record->data[(3 + k) * record->slots + slot], error) < lower[k]) {
            return false;
        }
    }
    return true;
}

static unsigned leaf_slots(const pli_cluster *cluster, uint32_t leaf)
{
    return (unsigned)(cluster->live >> (PLI_WIDTH * leaf) & 0xff);
}

/* A proxy of side `which` and the triangles of a leaf of the other. */
static pliant_result meet_triangles(pli_proxy_run *run, const pli_lane_set set[2],
                                    const uint32_t lane[2], int which)
{
    const pli_proxy_side *side = &run->side[which], *other = &run->side[1 - which];
    const pli_lane_set *proxy = &set[which];
    pli_cluster_view view = set[1 - which].cluster;
    uint32_t leaf = lane[1 - which];
    pli_ball ball = pli_lane_ball(side, proxy, lane[which]);
    float lower[3], upper[3];
    for (int k = 0; k < 3; k++) {
        lower[k] = proxy->boxes->side[k][lane[which]];
        upper[k] = proxy->boxes->side[3 + k][lane[which]];
    }
    for (unsigned live = leaf_slots(view.cluster, leaf); live != 0; live &= live - 1) {
        uint32_t slot = PLI_WIDTH * leaf + (uint32_t)__builtin_ctz(live);
        if (!slot_meets(view.record, slot, other->error, lower, upper)) {
            continue;
        }
        float corner[3][3];
        pliant_proxy_contact contact = {.flags = 0};
        pli_slot_corners(view, slot, corner);
        run->query->stats.triangle_tests++;
        if (!pli_contact_ball_triangle(&ball, (const float(*)[3])corner, (double)other->error,
                                       &contact)) {
            continue;
        }
        pliant_proxy triangle = {pli_slot_triangle(view, slot), 0};
        contact.a = which == 0 ? lane_proxy(side, proxy, lane[0]) : triangle;
        contact.b = which == 0 ? triangle : lane_proxy(side, proxy, lane[1]);
        for (int k = 0; k < 3 && which == 1; k++) {
            contact.normal[k] = -contact.normal[k]; /* it points to the sphere, which is b's */
        }
        pliant_result result = pli_proxy_run_add(run, &contact);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return PLIANT_OK;
}

/* The triangles of two leaves. */
static pliant_result meet_leaves(pli_proxy_run *run, pli_cluster_view a, uint32_t leaf_a,
                                 pli_cluster_view b, uint32_t leaf_b)
{
    double error = (double)run->side[0].error + (double)run->side[1].error;
    for (unsigned i = leaf_slots(a.cluster, leaf_a); i != 0; i &= i - 1) {
        uint32_t slot_a = PLI_WIDTH * leaf_a + (uint32_t)__builtin_ctz(i);
        float p[3][3], lower[3], upper[3];
        for (size_t k = 0; k < 3; k++) {
            lower[k] = pli_below(a.record->data[k * a.record->slots + slot_a], run->side[0].error);
            upper[k] =
                -pli_below(-a.record->data[(3 + k) * a.record->slots + slot_a], run->side[0].error);
        }
        pli_slot_corners(a, slot_a, p);
        for (unsigned j = leaf_slots(b.cluster, leaf_b); j != 0; j &= j - 1) {
            uint32_t slot_b = PLI_WIDTH * leaf_b + (uint32_t)__builtin_ctz(j);
            if (!slot_meets(b.record, slot_b, run->side[1].error, lower, upper)) {
                continue;
            }
            float q[3][3];
            pliant_proxy_contact contact = {.a = {pli_slot_triangle(a, slot_a), 0},
                                            .b = {pli_slot_triangle(b, slot_b), 0}};
            pli_slot_corners(b, slot_b, q);
            run->query->stats.triangle_tests++;
            if (!pli_contact_triangles((const float(*)[3])p, (const float(*)[3])q, error,
                                       &run->query->stats.exact_fallbacks, &contact)) {
                continue;
            }
            pliant_result result = pli_proxy_run_add(run, &contact);
            if (result != PLIANT_OK) {
                return result;
            }
        }
    }
    return PLIANT_OK;
}

/* ------------------------------------------------------------------- walk */

static child_kind kind_of(const pli_proxy_side *side, const pli_node_record *parent, uint32_t child)
{
    const pliant_shape *shape = side->body->shape;
    if (side->proxies && parent != &side->body->top &&
        pli_child_triangles(shape, child) <= shape->block->model.proxy_triangles) {
        return CHILD_PROXY;
    }
    return child & PLI_CLUSTER_BIT ? CHILD_CLUSTER : CHILD_NODE;
}

/* Whether a node waits because the other is much larger. A whole body never does: its box is not
   that of its spheres. */
static bool waits(const pli_proxy_run *run, const pli_task *task, int which)
{
    float a = pli_box_size(&task->parent_a->box, task->lane_a);
    float b = pli_box_size(&task->parent_b->box, task->lane_b);
    const pli_node_record *own = which == 0 ? task->parent_a : task->parent_b;
    return own != &run->side[which].body->top &&
           (which == 0 ? b > PLI_MUCH_LARGER * a : a > PLI_MUCH_LARGER * b);
}

/* A node among the two is opened, both if both are nodes of similar size; what is none waits. */
static pliant_result open_nodes(pli_proxy_run *run, const pli_task *task, const child_kind kind[2])
{
    pli_node_record *parent[2] = {task->parent_a, task->parent_b};
    uint32_t child[2] = {task->child_a, task->child_b}, lane[2] = {task->lane_a, task->lane_b};
    const uint32_t *children[2] = {NULL, NULL};
    pli_lane_set set[2];
    for (int s = 0; s < 2; s++) {
        unsigned used = 1u << lane[s];
        if (kind[s] == CHILD_NODE && (kind[1 - s] != CHILD_NODE || !waits(run, task, s))) {
            const pli_node *node = &run->side[s].body->shape->nodes[child[s]];
            void *record = NULL;
            pliant_result result =
                pli_proxy_open(&run->side[s], parent[s], lane[s], child[s], &record);
            if (result != PLIANT_OK) {
                return result;
            }
            parent[s] = record;
            children[s] = node->child;
            used = pli_child_lanes(node);
        }
        pli_lanes_of_record(&run->side[s], parent[s], used, &set[s]);
    }
    for (uint64_t mask = pli_lanes_meet(run, &set[0], &set[1]); mask != 0; mask &= mask - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(mask);
        uint32_t i = bit / PLI_WIDTH, j = bit % PLI_WIDTH;
        pli_task below = {parent[0],
                          parent[1],
                          children[0] != NULL ? children[0][i] : child[0],
                          children[1] != NULL ? children[1][j] : child[1],
                          i,
                          j};
        pliant_result result = pli_query_push(run->query, &below);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return PLIANT_OK;
}

/* Neither is a node: proxies, leaves and triangles. */
static pliant_result compare(pli_proxy_run *run, const pli_task *task, const child_kind kind[2])
{
    pli_node_record *parent[2] = {task->parent_a, task->parent_b};
    const uint32_t child[2] = {task->child_a, task->child_b};
    const uint32_t lane[2] = {task->lane_a, task->lane_b};
    pli_lane_set set[2];
    pliant_result result = PLIANT_OK;
    for (int s = 0; s < 2 && result == PLIANT_OK; s++) {
        const pli_proxy_side *side = &run->side[s];
        if (kind[s] == CHILD_PROXY) {
            pli_lanes_of_record(side, parent[s], 1u << lane[s], &set[s]);
            set[s].child = child[s];
        } else {
            result = pli_lanes_of_cluster(run, s, parent[s], lane[s], child[s], &set[s]);
            set[s].child = PLI_LANES_ARE_LEAVES;
        }
    }
    if (result != PLIANT_OK) {
        return result;
    }
    uint64_t mask = pli_lanes_meet(run, &set[0], &set[1]);
    bool triangles_a = set[0].cluster.record != NULL, triangles_b = set[1].cluster.record != NULL;
    if (!triangles_a && !triangles_b) {
        return meet_proxies(run, set, mask);
    }
    for (; mask != 0 && result == PLIANT_OK; mask &= mask - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(mask);
        const uint32_t pair[2] = {bit / PLI_WIDTH, bit % PLI_WIDTH};
        result = triangles_a && triangles_b
                     ? meet_leaves(run, set[0].cluster, pair[0], set[1].cluster, pair[1])
                     : meet_triangles(run, set, pair, triangles_a ? 1 : 0);
    }
    return result;
}

static pliant_result step(pli_proxy_run *run, const pli_task *task)
{
    const child_kind kind[2] = {kind_of(&run->side[0], task->parent_a, task->child_a),
                                kind_of(&run->side[1], task->parent_b, task->child_b)};
    run->tested++;
    return kind[0] == CHILD_NODE || kind[1] == CHILD_NODE ? open_nodes(run, task, kind)
                                                          : compare(run, task, kind);
}

/* The contact that stands for all that a task could have led to. */
static pliant_result add_coarse(pli_proxy_run *run, const pli_task *task)
{
    pli_lane_set set[2];
    pli_lanes_of_record(&run->side[0], task->parent_a, 1u << task->lane_a, &set[0]);
    pli_lanes_of_record(&run->side[1], task->parent_b, 1u << task->lane_b, &set[1]);
    pli_ball a = pli_lane_ball(&run->side[0], &set[0], task->lane_a);
    pli_ball b = pli_lane_ball(&run->side[1], &set[1], task->lane_b);
    pliant_proxy_contact contact = {
        .a = pli_proxy_of_child(run->side[0].body->shape, task->child_a),
        .b = pli_proxy_of_child(run->side[1].body->shape, task->child_b),
        .flags = PLIANT_PROXY_COARSE};
    pli_contact_balls(&a, &b, &contact);
    return pli_proxy_run_add(run, &contact);
}

/* Whether a budget is spent. The clock is asked once in 64 pairs. */
bool pli_proxy_run_is_spent(const pli_proxy_run *run)
{
    return (run->budget_nodes != 0 && run->tested >= run->budget_nodes) ||
           (run->deadline > 0.0 && run->tested % 64 == 0 && pli_seconds() >= run->deadline);
}

static pliant_result push_root(pli_proxy_run *run)
{
    pli_node_record *top[2] = {&run->side[0].body->top, &run->side[1].body->top};
    pli_lane_set set[2];
    for (int s = 0; s < 2; s++) {
        pli_lanes_of_record(&run->side[s], top[s], 1, &set[s]);
    }
    /* Boxes of bodies with spheres may be tighter than these; their children will tell. */
    bool spheres = (run->side[0].spheres && run->side[0].proxies) ||
                   (run->side[1].spheres && run->side[1].proxies);
    return spheres || (pli_lanes_meet(run, &set[0], &set[1]) & 1)
               ? pli_query_push(run->query, &(pli_task){top[0], top[1], 0, 0, 0, 0})
               : PLIANT_OK;
}

/* Orders the contacts from `first` on. */
static pliant_result sort_contacts(pliant_query *query, size_t first)
{
    size_t count = query->proxy_count - first;
    if (count == 0) {
        return PLIANT_OK;
    }
    uint64_t *keys = pli_grow(query->context, query->keys, &query->key_room, count, sizeof *keys);
    query->keys = keys != NULL ? keys : query->keys;
    pliant_proxy_contact *sorted =
        pli_grow(query->context, query->sorted_proxies, &query->sorted_proxy_room,
                 query->proxy_count, sizeof *sorted);
    query->sorted_proxies = sorted != NULL ? sorted : query->sorted_proxies;
    if (keys == NULL || sorted == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    const pliant_proxy_contact *found = query->proxies + first;
    for (size_t i = 0; i < count; i++) {
        keys[i] = (uint64_t)found[i].a.id << 32 | found[i].b.id;
    }
    query->key_count = count;
    pliant_result result = pli_query_sort(query, true);
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        sorted[first + i] = found[query->order[i]];
    }
    query->key_count = 0;
    return result;
}

void pli_proxy_run_init(pli_proxy_run *run, pliant_query *query, pliant_body *a, bool proxies_a,
                        pliant_body *b, bool proxies_b)
{
    *run = (pli_proxy_run){
        .query = query, .kernels = pli_context_kernels(query->context)->pair, .complete = true};
    for (int s = 0; s < 2; s++) {
        pliant_body *body = s == 0 ? a : b;
        run->side[s] = (pli_proxy_side){.body = body,
                                        .proxies = s == 0 ? proxies_a : proxies_b,
                                        .spheres = pli_body_has_spheres(body),
                                        .error = body->pose.world_error,
                                        .slack = 4.0f * body->pose.radius_margin};
    }
    run->slack = run->side[0].slack + run->side[1].slack;
    query->task_count = 0;
}

/* Works off all tasks, or until a budget is spent. */
static pliant_result walk_records(pli_proxy_run *run)
{
    pliant_query *query = run->query;
    pliant_result result = push_root(run);
    while (result == PLIANT_OK && query->task_count > 0 && !pli_proxy_run_is_spent(run)) {
        pli_task task = query->tasks[--query->task_count];
        result = step(run, &task);
    }
    while (result == PLIANT_OK && query->task_count > 0) {
        run->complete = false;
        result = add_coarse(run, &query->tasks[--query->task_count]);
    }
    return result;
}

pliant_result pli_proxy_run_walk(pli_proxy_run *run)
{
    pliant_query *query = run->query;
    size_t first = query->proxy_count;
    pliant_result result = pli_proxy_run_is_round(run) && !pli_proxy_run_is_spent(run)
                               ? pli_proxy_run_walk_spheres(run)
                               : walk_records(run);
    query->stats.nodes_tested += run->tested;
    return result == PLIANT_OK ? sort_contacts(query, first) : result;
}

/* ------------------------------------------------------------- entry point */

pliant_result pli_check_proxies(const pliant_shape *shape, const char *who)
{
    if (shape->block->model.proxy_triangles == 0) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "%s cannot take part as proxies: its shape has none; set proxy_triangles",
                        who);
    }
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result collide_proxies(pliant_query *query, pliant_body *a,
                                                  pliant_body *b,
                                                  const pliant_proxy_options *options,
                                                  pliant_proxy_contacts *contacts)
{
    pli_probe probe;
    pli_proxy_run run;
    pliant_result result = pli_probe_begin(&probe, query, a, b);
    if (result != PLIANT_OK) {
        return result;
    }
    query->proxy_count = 0;
    pli_proxy_run_init(&run, query, a, options->proxies_a, b, options->proxies_b);
    run.budget_nodes = options->budget_nodes;
    if (options->budget_microseconds != 0) {
        run.deadline = pli_seconds() + 1e-6 * (double)options->budget_microseconds;
    }
    result = pli_proxy_run_walk(&run);
    if (result == PLIANT_OK) {
        pli_probe_end(&probe, query->proxy_count);
        contacts->contacts = query->proxy_count > 0 ? query->sorted_proxies : NULL;
        contacts->count = query->proxy_count;
        contacts->complete = run.complete;
    }
    return result;
}

pliant_result pliant_collide_proxies(pliant_query *query, pliant_body *a, pliant_body *b,
                                     const pliant_proxy_options *options,
                                     pliant_proxy_contacts *contacts)
{
    pliant_proxy_options defaults = pliant_proxy_options_default();
    if (options == NULL) {
        options = &defaults;
    }
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    PLI_REQUIRE(contacts);
    PLI_REQUIRE_TAG(options, pliant_proxy_options);
    if (a == b) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "pliant_collide_proxies: both bodies are the same");
    }
    pliant_result result =
        options->proxies_a ? pli_check_proxies(a->shape, "the first body") : PLIANT_OK;
    if (result == PLIANT_OK && options->proxies_b) {
        result = pli_check_proxies(b->shape, "the second body");
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pli_float_env env = pli_float_env_enter();
    result = collide_proxies(query, a, b, options, contacts);
    pli_float_env_leave(env);
    return result;
}
