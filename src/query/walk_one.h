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
    pliant_query *query = run->query;
    if (query->visits.count == 0) {
        return false;
    }
    *visit = query->visits.data[--query->visits.count];
    return true;
}

/* The record of a child, refreshed if it is stale. */
static inline pliant_result pli_visit_open(pli_run *run, const pli_visit *visit, void **record)
{
    run->query->stats.nodes_tested++;
    return pli_body_child(run->body[0], visit->parent, visit->lane, visit->child, record);
}

#endif
