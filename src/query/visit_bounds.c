/* Showing the bounds of a body, for drawing. */
#include "query/run.h"
#include "query/query.h"

#include "base/float_env.h"

typedef struct visit {
    pliant_body *body;
    bool refresh;
    pliant_bound_callback callback;
    void *user;
} visit;

/* The record of a node, refreshed if it is stale. Looking is not opening: it leaves no mark for
   strategies that follow what questions opened. */
static pliant_result find_record(pliant_body *body, pli_node_record *parent, uint32_t lane,
                                 uint32_t child, void **record)
{
    *record = atomic_load_explicit(&parent->child[lane], memory_order_acquire);
    if (*record != NULL) {
        return PLIANT_OK;
    }
    pliant_result result = pli_body_refresh_child(body, &body->arena, parent, lane, child, record);
    if (result == PLIANT_OK) {
        atomic_store_explicit(&parent->child[lane], *record, memory_order_release);
    }
    return result;
}

/* Shows the bound in one lane of a record, then what lies below. Depth is bounded by the tree's. */
static pliant_result visit_lane(const visit *v, pli_node_record *parent, uint32_t lane,
                                uint32_t child, uint32_t level)
{
    const pliant_shape *shape = v->body->shape;
    bool is_cluster = child & PLI_CLUSTER_BIT;
    pliant_bound bound = {
        .level = level,
        .triangle_count = is_cluster ? shape->clusters[child & ~PLI_CLUSTER_BIT].triangle_count
                                     : v->body->nodes[child].triangle_count,
        .is_cluster = is_cluster,
        .refreshed_below = parent->child[lane] != NULL,
    };
    for (int k = 0; k < 3; k++) {
        bound.box.lower[k] = parent->box.side[k][lane];
        bound.box.upper[k] = parent->box.side[3 + k][lane];
    }
    if (!v->callback(v->user, &bound) || is_cluster || (!bound.refreshed_below && !v->refresh)) {
        return PLIANT_OK;
    }
    void *record = NULL;
    pliant_result result = find_record(v->body, parent, lane, child, &record);
    const pli_node *node = &v->body->nodes[child]; /* read once its record is there */
    for (uint32_t i = 0; i < node->child_count && result == PLIANT_OK; i++) {
        result = visit_lane(v, record, i, node->child[i], level + 1);
    }
    return result;
}

static PLI_NOINLINE pliant_result visit_all(const visit *v)
{
    pliant_result result = PLIANT_OK;
    if (v->refresh || !v->body->valid) {
        result = pli_body_prepare(v->body); /* names the reason if there is no state */
    }
    if (result != PLIANT_OK || !v->body->ready) {
        return result;
    }
    /* Nor is it a demand, by which the automatic strategy chooses what it refreshes early. */
    const pli_refresh_counts before = v->body->counts;
    result = visit_lane(v, &v->body->root, 0, 0, 0);
    v->body->counts.vertices_on_demand = before.vertices_on_demand;
    v->body->counts.clusters_on_demand = before.clusters_on_demand;
    return result;
}

pliant_result pli_visit_bounds(pliant_body *body, bool refresh, pliant_bound_callback callback,
                               void *user)
{
    visit v = {.body = body, .refresh = refresh, .callback = callback, .user = user};
    pli_body_begin_call(body);
    pli_float_env env = pli_float_env_enter();
    pliant_result result = visit_all(&v);
    pli_float_env_leave(env);
    pli_body_end_call(body);
    return result;
}

pliant_result pliant_visit_bounds(pliant_query *query, pliant_body *body, bool refresh,
                                  pliant_bound_callback callback, void *user)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(body);
    PLI_REQUIRE(callback);
    pliant_result result = pli_run_enter(query, body, body, __func__);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_run run;
    pli_run_init(&run, &query->worker, body, NULL);
    result = pli_run_open(&run);
    if (result == PLIANT_OK) {
        result = pli_visit_bounds(body, refresh, callback, user);
        pli_run_end(query, &run, 0);
    }
    pli_run_leave(query, body, body);
    return result;
}
