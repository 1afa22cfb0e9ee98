#include "walk_one.h"

#include "bounds/boxes.h"

pliant_result pli_visit_push(pli_run *run, pli_visit visit)
{
    bool done = PLI_PUSH(run->worker->context, &run->worker->visits, visit);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

pliant_result pli_visit_push_nearest(pli_run *run, pli_node_record *record, const pli_node *node,
                                     unsigned mask, const double near[PLI_WIDTH])
{
    pli_worker *worker = run->worker;
    size_t first = worker->visits.count;
    for (mask &= pli_child_lanes(node); mask != 0; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        pli_visit visit = {near[lane], record, node->child[lane], lane};
        pliant_result result = pli_visit_push(run, visit);
        if (result != PLIANT_OK) {
            return result;
        }
        pli_visit *visits = worker->visits.data;
        size_t place = worker->visits.count - 1;
        for (; place > first && visits[place - 1].near <= visit.near; place--) {
            visits[place] = visits[place - 1];
        }
        visits[place] = visit;
    }
    return PLIANT_OK;
}

pliant_result pli_visit_refresh(pli_run *run, const pli_visit *visit, void **record)
{
    pliant_body *body = run->body[0];
    pli_arena *arena = run->arena[0];
    if (arena == NULL) {
        return pli_body_peek(body, visit->parent, visit->lane, visit->child, record);
    }
    arena->counts = &run->counts[0];
    return pli_body_await_child(body, arena, visit->parent, visit->lane, visit->child, record);
}
