/*
 * The walk over one tree for many points at once: like query/walk_one.h, but every worker has a
 * stack and an arena of its own.
 */
#ifndef PLI_QUERY_POINT_WALK_H
#define PLI_QUERY_POINT_WALK_H

#include "query/cluster_view.h"
#include "query/point_kernels.h"
#include "query/query.h"

/* What one worker has for itself, kept from call to call. */
typedef struct pli_point_worker {
    _Alignas(64) PLI_ARRAY(pli_visit) stack;
    pli_arena arena;         /* in the body, during a call */
    pli_refresh_counts made; /* counts of that arena */
    pliant_stats costs;      /* of this call */
    pliant_result result;    /* the first failure, */
    uint64_t failed_at;      /* the number of the task that it happened in, */
    char message[160];       /* and its sentence */
} pli_point_worker;

/* A walk by one worker. */
typedef struct pli_point_walk {
    pliant_body *body;
    pli_point_worker *worker;
    const pli_point_kernels *kernels;
    pli_arena *arena; /* the worker's in the body; NULL where no other worker is about: records are
                         then made in the body's own */
} pli_point_walk;

/* Forgets what is on the stack and pushes the root. */
pliant_result pli_point_walk_start(pli_point_walk *walk);

/* Pushes the children of a node whose bits are set, so that the nearest is popped first; with
   `squared` NULL in any order. */
pliant_result pli_point_walk_push(pli_point_walk *walk, pli_node_record *record, uint32_t node,
                                  unsigned mask, const float *squared);

static inline bool pli_point_walk_pop(pli_point_walk *walk, pli_visit *visit)
{
    pli_point_worker *worker = walk->worker;
    if (worker->stack.count == 0) {
        return false;
    }
    *visit = worker->stack.data[--worker->stack.count];
    return true;
}

/* Makes the record of a child that was found stale or claimed. */
pliant_result pli_point_walk_refresh(pli_point_walk *walk, const pli_visit *visit, void **record);

/* The record of a child, refreshed if it is stale; clusters in both stages. */
static inline pliant_result pli_point_walk_open(pli_point_walk *walk, const pli_visit *visit,
                                                void **record)
{
    walk->worker->costs.nodes_tested++;
    void *found = atomic_load_explicit(&visit->parent->child[visit->lane], memory_order_acquire);
    if (found == NULL || found == PLI_CLAIMED) {
        pliant_result result = pli_point_walk_refresh(walk, visit, &found);
        if (result != PLIANT_OK) {
            return result;
        }
    } else {
        pli_body_mark_opened(walk->body, visit->child);
    }
    if (visit->child & PLI_CLUSTER_BIT) {
        pli_finish_cluster(walk->body, visit->child, found);
    }
    *record = found;
    return PLIANT_OK;
}

#endif
