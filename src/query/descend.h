/*
 * The descent of one tree, for queries about one body: rays, points, boxes, winding numbers. Each
 * worker has a stack of children still to be opened, of which the nearest comes first.
 */
#ifndef PLI_QUERY_DESCEND_H
#define PLI_QUERY_DESCEND_H

#include "query/cluster_view.h"
#include "query/point_kernels.h"
#include "query/run.h"

/* A descent by vector kernels; records are made as the run says. */
typedef struct pli_descent {
    pli_run *run;
    const pli_point_kernels *kernels;
} pli_descent;

/* Pushes one child, or the root: lane 0 of body->root. */
pliant_result pli_visit_push(pli_run *run, pli_visit visit);

/* Empties the stack and pushes the root. */
pliant_result pli_visit_start(pli_run *run);

/* Pushes the children of a node whose bits are set, so that the nearest is popped first; of equally
   near ones the first is. */
pliant_result pli_visit_push_nearest(pli_run *run, pli_node_record *record, uint32_t node,
                                     unsigned mask, const double near[PLI_WIDTH]);

/* The same by squared distances, of equally near ones the last; with NULL in any order. */
pliant_result pli_visit_push_squared(pli_run *run, pli_node_record *record, uint32_t node,
                                     unsigned mask, const float *squared);

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
