/*
 * The walk over one tree, for questions about one body: the stack of children still to be opened,
 * of which the nearest comes first.
 */
#ifndef PLI_QUERY_WALK_ONE_H
#define PLI_QUERY_WALK_ONE_H

#include "query/cluster_view.h"
#include "query/run.h"

/* Pushes one child, or the root: lane 0 of body->root. */
pliant_result pli_visit_push(pli_run *run, pli_visit visit);

/* Pushes the children of a node whose bits are set, so that the nearest is popped first. */
pliant_result pli_visit_push_nearest(pli_run *run, pli_node_record *record, const pli_node *node,
                                     unsigned mask, const double near[PLI_WIDTH]);

/* Pops a child, or returns false when there is none. */
static inline bool pli_visit_pop(pli_run *run, pli_visit *visit)
{
    pli_worker *worker = run->worker;
    if (worker->visits.count == 0) {
        return false;
    }
    *visit = worker->visits.data[--worker->visits.count];
    return true;
}

/* Makes the record of a child that was found stale or claimed. */
pliant_result pli_visit_refresh(pli_run *run, const pli_visit *visit, void **record);

/* The record of a child, refreshed if it is stale; clusters in both stages. */
static inline pliant_result pli_visit_open(pli_run *run, const pli_visit *visit, void **record)
{
    pliant_body *body = run->body[0];
    run->worker->stats.nodes_tested++;
    void *found = atomic_load_explicit(&visit->parent->child[visit->lane], memory_order_acquire);
    if (found == NULL || found == PLI_CLAIMED) {
        pliant_result result = pli_visit_refresh(run, visit, &found);
        if (result != PLIANT_OK) {
            return result;
        }
    } else {
        pli_body_mark_opened(body, visit->child);
    }
    if (visit->child & PLI_CLUSTER_BIT) {
        pli_finish_cluster(body, visit->child, found);
    }
    *record = found;
    return PLIANT_OK;
}

/* overlap_box.c: lists the triangles of a prepared body that meet a box, as keys, in any order. */
pliant_result pli_box_list_triangles(pli_run *run, const pliant_box *box);

/* overlap_box.c: keys become the numbers of triangles they stand for, in place. */
void pli_keys_to_triangles(uint64_t *keys, size_t count);

#endif
