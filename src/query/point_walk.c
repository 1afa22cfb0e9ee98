#include "point_walk.h"

#include "query/boxes.h"

#include <string.h>

static pliant_result reserve(pli_point_walk *walk, size_t more)
{
    pli_point_worker *worker = walk->worker;
    if (worker->count + more <= worker->capacity) {
        return PLIANT_OK;
    }
    pli_visit *stack = pli_grow(walk->body->context, worker->stack, &worker->capacity,
                                worker->count + more, sizeof *stack);
    if (stack == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    worker->stack = stack;
    return PLIANT_OK;
}

pliant_result pli_point_walk_start(pli_point_walk *walk)
{
    walk->worker->count = 0;
    pliant_result result = reserve(walk, 1);
    if (result == PLIANT_OK) {
        walk->worker->stack[walk->worker->count++] = (pli_visit){0.0, &walk->body->top, 0, 0};
    }
    return result;
}

pliant_result pli_point_walk_push(pli_point_walk *walk, pli_node_record *record, uint32_t node,
                                  unsigned mask, const float *squared)
{
    pli_point_worker *worker = walk->worker;
    const pli_node *constant = &walk->body->shape->nodes[node];
    pliant_result result = reserve(walk, PLI_WIDTH);
    if (result != PLIANT_OK) {
        return result;
    }
    size_t first = worker->count;
    for (mask &= pli_child_lanes(constant); mask != 0; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        double near = squared != NULL ? (double)squared[lane] : 0.0;
        size_t place = worker->count++;
        for (; place > first && worker->stack[place - 1].near < near; place--) {
            worker->stack[place] = worker->stack[place - 1];
        }
        worker->stack[place] = (pli_visit){near, record, constant->child[lane], lane};
    }
    return PLIANT_OK;
}

pliant_result pli_point_walk_refresh(pli_point_walk *walk, const pli_visit *visit, void **record)
{
    return walk->alone ? pli_body_peek(walk->body, visit->parent, visit->lane, visit->child, record)
                       : pli_body_await_child(walk->body, &walk->worker->arena, visit->parent,
                                              visit->lane, visit->child, record);
}

static uint32_t worker_count(const pliant_query *query)
{
    return pliant_context_get_worker_count(query->context);
}

pli_point_worker *pli_query_point_workers(pliant_query *query)
{
    if (query->point_workers == NULL) {
        size_t size = worker_count(query) * sizeof(pli_point_worker);
        query->point_workers = pli_allocate(query->context, size);
        if (query->point_workers != NULL) {
            memset(query->point_workers, 0, size);
        }
    }
    return query->point_workers;
}

uint64_t pli_query_point_memory(const pliant_query *query)
{
    uint64_t bytes = query->distance_capacity * sizeof *query->distances;
    for (uint32_t i = 0; query->point_workers != NULL && i < worker_count(query); i++) {
        bytes += sizeof(pli_point_worker) + query->point_workers[i].capacity * sizeof(pli_visit);
    }
    return bytes;
}

void pli_query_release_points(pliant_query *query)
{
    pliant_context *context = query->context;
    pli_release(context, query->distances, query->distance_capacity * sizeof *query->distances);
    if (query->point_workers == NULL) {
        return;
    }
    for (uint32_t i = 0; i < worker_count(query); i++) {
        pli_point_worker *worker = &query->point_workers[i];
        pli_release(context, worker->stack, worker->capacity * sizeof *worker->stack);
    }
    pli_release(context, query->point_workers, worker_count(query) * sizeof(pli_point_worker));
}
