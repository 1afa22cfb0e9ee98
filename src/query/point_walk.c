#include "point_walk.h"

#include "bounds/boxes.h"

pliant_result pli_point_walk_start(pli_point_walk *walk)
{
    walk->worker->stack.count = 0;
    bool pushed = PLI_PUSH(walk->body->context, &walk->worker->stack,
                           (pli_visit){0.0, &walk->body->root, 0, 0});
    return pushed ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

pliant_result pli_point_walk_push(pli_point_walk *walk, pli_node_record *record, uint32_t node,
                                  unsigned mask, const float *squared)
{
    pli_point_worker *worker = walk->worker;
    const pli_node *constant = &walk->body->nodes[node];
    if (!PLI_RESERVE_MORE(walk->body->context, &worker->stack, PLI_WIDTH)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_visit *stack = worker->stack.data;
    size_t first = worker->stack.count, count = first;
    for (mask &= pli_child_lanes(constant); mask != 0; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        double near = squared != NULL ? (double)squared[lane] : 0.0;
        size_t place = count++;
        for (; place > first && stack[place - 1].near < near; place--) {
            stack[place] = stack[place - 1];
        }
        stack[place] = (pli_visit){near, record, constant->child[lane], lane};
    }
    worker->stack.count = count;
    return PLIANT_OK;
}

pliant_result pli_point_walk_refresh(pli_point_walk *walk, const pli_visit *visit, void **record)
{
    return walk->arena == NULL
               ? pli_body_peek(walk->body, visit->parent, visit->lane, visit->child, record)
               : pli_body_await_child(walk->body, walk->arena, visit->parent, visit->lane,
                                      visit->child, record);
}

static uint32_t worker_count(const pliant_query *query)
{
    return pliant_context_get_worker_count(query->context);
}

pli_point_worker *pli_query_point_workers(pliant_query *query)
{
    bool made = PLI_CREATE(query->context, &query->point_workers, worker_count(query));
    return made ? query->point_workers.data : NULL;
}

uint64_t pli_query_point_memory(const pliant_query *query)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < query->point_workers.count; i++) {
        bytes += pli_arrays_bytes(&query->point_workers.data[i].stack.array, 1);
    }
    return bytes;
}

void pli_query_release_points(pliant_query *query)
{
    for (size_t i = 0; i < query->point_workers.count; i++) {
        pli_array_release(query->context, &query->point_workers.data[i].stack.array);
    }
}
