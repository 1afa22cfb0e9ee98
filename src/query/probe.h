/*
 * A question other than which triangles touch: from its start to its statistics, and the stack of
 * children still to be opened, of which the nearest comes first.
 */
#ifndef PLI_QUERY_PROBE_H
#define PLI_QUERY_PROBE_H

#include "query/collision.h"

typedef struct pli_probe {
    pliant_query *query;
    pliant_body *body[2]; /* the second may be NULL */
    double started;
    pli_refresh_counts counts[2]; /* of the bodies, when it began */
} pli_probe;

/* Clears statistics and stacks and prepares the bodies. */
pliant_result pli_probe_begin(pli_probe *probe, pliant_query *query, pliant_body *a,
                              pliant_body *b);

/* Fills in statistics. */
void pli_probe_end(pli_probe *probe, uint64_t reported);

/* Pushes one child, or the root: lane 0 of body->top. */
pliant_result pli_probe_push(pli_probe *probe, pli_visit visit);

/* Pushes the children of a node whose bits are set, so that the nearest is popped first. */
pliant_result pli_probe_push_nearest(pli_probe *probe, pli_node_record *record,
                                     const pli_node *node, unsigned mask,
                                     const double near[PLI_WIDTH]);

/* Pops a child, or returns false when there is none. */
static inline bool pli_probe_pop(pli_probe *probe, pli_visit *visit)
{
    pliant_query *query = probe->query;
    if (query->visit_count == 0) {
        return false;
    }
    *visit = query->visits[--query->visit_count];
    return true;
}

/* The record of a child of the first body, refreshed if it is stale. */
static inline pliant_result pli_probe_open(pli_probe *probe, const pli_visit *visit, void **record)
{
    probe->query->stats.nodes_tested++;
    return pli_body_child(probe->body[0], visit->parent, visit->lane, visit->child, record);
}

/* Appends to query->keys. */
pliant_result pli_probe_add_key(pli_probe *probe, uint64_t key);

#endif
