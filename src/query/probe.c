#include "probe.h"

#include "base/clock.h"
#include "query/boxes.h"

pliant_result pli_probe_begin(pli_probe *probe, pliant_query *query, pliant_body *a, pliant_body *b)
{
    if (a->context != query->context || (b != NULL && b->context != query->context)) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "the query and the body have different contexts");
    }
    *probe = (pli_probe){.query = query, .body = {a, b}, .started = pli_seconds()};
    query->stats = (pliant_stats){0};
    query->visit_count = query->task_count = query->key_count = 0;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < 2 && probe->body[i] != NULL && result == PLIANT_OK; i++) {
        probe->counts[i] = probe->body[i]->counts;
        result = pli_body_prepare(probe->body[i]);
    }
    query->stats.seconds_update = pli_seconds() - probe->started;
    return result;
}

void pli_probe_end(pli_probe *probe, uint64_t reported)
{
    pliant_stats *stats = &probe->query->stats;
    stats->seconds_traverse =
        pli_seconds() - probe->started - stats->seconds_update - stats->seconds_sort;
    stats->bytes = pli_query_memory(probe->query);
    stats->pairs = reported;
    for (int i = 0; i < 2 && probe->body[i] != NULL; i++) {
        const pliant_body *body = probe->body[i];
        stats->nodes_refreshed += body->counts.nodes - probe->counts[i].nodes;
        stats->clusters_refreshed += body->counts.clusters - probe->counts[i].clusters;
        stats->vertices_read += body->counts.vertices - probe->counts[i].vertices;
        stats->bytes += pliant_body_get_memory(body).bounds;
    }
}

pliant_result pli_probe_push(pli_probe *probe, pli_visit visit)
{
    pliant_query *query = probe->query;
    pli_visit *visits = pli_grow(query->context, query->visits, &query->visit_room,
                                 query->visit_count + 1, sizeof *visits);
    if (visits == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    query->visits = visits;
    visits[query->visit_count++] = visit;
    return PLIANT_OK;
}

pliant_result pli_probe_push_nearest(pli_probe *probe, pli_node_record *record,
                                     const pli_node *node, unsigned mask,
                                     const double near[PLI_WIDTH])
{
    pliant_query *query = probe->query;
    size_t first = query->visit_count;
    for (mask &= pli_child_lanes(node); mask != 0; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        pli_visit visit = {near[lane], record, node->child[lane], lane};
        pliant_result result = pli_probe_push(probe, visit);
        if (result != PLIANT_OK) {
            return result;
        }
        size_t place = query->visit_count - 1;
        for (; place > first && query->visits[place - 1].near <= visit.near; place--) {
            query->visits[place] = query->visits[place - 1];
        }
        query->visits[place] = visit;
    }
    return PLIANT_OK;
}

pliant_result pli_probe_add_key(pli_probe *probe, uint64_t key)
{
    pliant_query *query = probe->query;
    uint64_t *keys =
        pli_grow(query->context, query->keys, &query->key_room, query->key_count + 1, sizeof *keys);
    if (keys == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    query->keys = keys;
    keys[query->key_count++] = key;
    return PLIANT_OK;
}
