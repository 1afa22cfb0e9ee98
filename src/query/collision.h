/*
 * One run of pliant_collide() or pliant_collide_self(): what was asked, what has been found, and
 * when to stop. The two differ in how they walk; how pairs are tested, reported and put in order is
 * here.
 */
#ifndef PLI_QUERY_COLLISION_H
#define PLI_QUERY_COLLISION_H

#include "query/pair_kernels.h"
#include "query/query.h"

typedef struct pli_collision {
    pliant_query *query;
    const pliant_collide_options *options;
    const pli_pair_kernels *kernels;
    bool kernels_apply;   /* triangles may be given to them */
    pliant_body *body[2]; /* the same one twice within one body */
    bool within;          /* pliant_collide_self() */
    bool stopped;         /* enough found, or not allowed to go on */
    bool complete;
    uint64_t reported; /* pairs */
    double started, deadline;
    pli_refresh_counts counts[2]; /* of the bodies, when it began */
} pli_collision;

/*
 * Checks options and starts a run; `options` are replaced by the defaults if NULL. It may be over
 * at once: `stopped` is set if the pair that answered the last first-contact query answers this one
 * too.
 */
pliant_result pli_collision_begin(pli_collision *collision, pliant_query *query, pliant_body *a,
                                  pliant_body *b, const pliant_collide_options *options);

/* Pushes a task. */
pliant_result pli_collision_push(pli_collision *collision, pli_task task);

/* Pops the next task; false when there is none, or when the run has stopped or spent its budget. */
bool pli_collision_pop(pli_collision *collision, pli_task *task);

/* One side of a comparison of clusters. */
typedef struct pli_cluster_view {
    const pliant_shape *shape;
    const pli_cluster *cluster;
    pli_cluster_record *record;
} pli_cluster_view;

pli_cluster_view pli_view_cluster(const pliant_body *body, uint32_t child, void *record);

/* Compares two clusters, or one with itself, down to exact tests of triangles. */
pliant_result pli_collide_clusters(pli_collision *collision, pli_cluster_view a,
                                   pli_cluster_view b);

/* collide.c: compares the two children of a task, which differ, or opens them. */
pliant_result pli_collide_task(pli_collision *collision, const pli_task *task);

/* Ends a run: flushes, sorts, fills in statistics and the answer. */
pliant_result pli_collision_end(pli_collision *collision, pliant_contacts *contacts);

#endif
