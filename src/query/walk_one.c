#include "walk_one.h"

#include "query/boxes.h"

pliant_result pli_visit_push(pli_run *run, pli_visit visit)
{
    pliant_query *query = run->query;
    pli_visit *visits = pli_grow(query->context, query->visits, &query->visit_capacity,
                                 query->visit_count + 1, sizeof *visits);
    if (visits == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    query->visits = visits;
    visits[query->visit_count++] = visit;
    return PLIANT_OK;
}

pliant_result pli_visit_push_nearest(pli_run *run, pli_node_record *record, const pli_node *node,
                                     unsigned mask, const double near[PLI_WIDTH])
{
    pliant_query *query = run->query;
    size_t first = query->visit_count;
    for (mask &= pli_child_lanes(node); mask != 0; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        pli_visit visit = {near[lane], record, node->child[lane], lane};
        pliant_result result = pli_visit_push(run, visit);
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
