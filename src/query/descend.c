#include "descend.h"

#include "bounds/boxes.h"

pliant_result pli_visit_push(pli_run *run, pli_visit visit)
{
    bool done = PLI_PUSH(run->worker->context, &run->worker->visits, visit);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

pliant_result pli_visit_start(pli_run *run)
{
    run->worker->visits.count = 0;
    return pli_visit_push(run, (pli_visit){0.0, &run->body[0]->root, 0, 0});
}

pliant_result pli_visit_push_nearest(pli_run *run, pli_node_record *record, uint32_t node,
                                     unsigned mask, const double near[PLI_WIDTH])
{
    pli_worker *worker = run->worker;
    const pli_node *constant = &run->body[0]->nodes[node];
    if (!PLI_RESERVE_MORE(worker->context, &worker->visits, PLI_WIDTH)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_visit *stack = worker->visits.data;
    size_t first = worker->visits.count, count = first;
    for (mask &= pli_child_lanes(constant); mask != 0; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        size_t place = count++;
        for (; place > first && stack[place - 1].near <= near[lane]; place--) {
            stack[place] = stack[place - 1];
        }
        stack[place] = (pli_visit){near[lane], record, constant->child[lane], lane};
    }
    worker->visits.count = count;
    return PLIANT_OK;
}

pliant_result pli_visit_push_squared(pli_run *run, pli_node_record *record, uint32_t node,
                                     unsigned mask, const float *squared)
{
    pli_worker *worker = run->worker;
    const pli_node *constant = &run->body[0]->nodes[node];
    if (!PLI_RESERVE_MORE(worker->context, &worker->visits, PLI_WIDTH)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_visit *stack = worker->visits.data;
    size_t first = worker->visits.count, count = first;
    for (mask &= pli_child_lanes(constant); mask != 0; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        double near = squared != NULL ? (double)squared[lane] : 0.0;
        size_t place = count++;
        for (; place > first && stack[place - 1].near < near; place--) {
            stack[place] = stack[place - 1];
        }
        stack[place] = (pli_visit){near, record, constant->child[lane], lane};
    }
    worker->visits.count = count;
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
