/*
 * One walk of pliant_collide() or pliant_collide_self(): what was asked, and the exact tests and
 * reports that it ends in.
 */
#ifndef PLI_QUERY_COLLISION_H
#define PLI_QUERY_COLLISION_H

#include "query/query.h"
#include "query/walk.h"

typedef struct pli_collision {
    pli_walk walk; /* the first member, as every walk's */
    const pliant_collide_options *options;
    pli_witness *witness; /* entry of the bodies, which a first contact is written to; or NULL */
    bool kernels_apply;   /* triangles may be given to them */
    uint64_t reported;    /* pairs */
    pliant_collide_options with_groups; /* the options with the groups of members */
} pli_collision;

/* collide.c: checks options; NULL stands for the defaults. */
pliant_result pli_collide_options_check(const pliant_collide_options *options);

/* collide.c: whether the kernels' error bounds hold: all coordinates of a prepared body are below
   2^38 in magnitude. */
bool pli_coordinates_are_moderate(const pliant_body *body);

/* Whether what is found depends on the order of a walk's tasks. */
static inline bool pli_collision_keeps_order(const pliant_collide_options *options)
{
    return options->mode == PLIANT_COLLIDE_FIRST || options->budget_nodes != 0;
}

/* collide.c: sets up a walk over two bodies that have been prepared; `options` are checked and not
   NULL. */
void pli_collision_init(pli_collision *collision, pli_worker *worker, pliant_body *a,
                        pliant_body *b, const pliant_collide_options *options);

/* Where the walk ends: compares two clusters, or one with itself, down to exact tests. */
pli_walk_clusters pli_collide_clusters;

/* A pair of slots that a kernel found to touch, or could not decide: tests it exactly if need be,
   and reports it if it touches. */
pliant_result pli_settle_pair(pli_collision *collision, pli_cluster_view a, uint32_t slot_a,
                              pli_cluster_view b, uint32_t slot_b, bool touches);

/* Tests a pair of triangles exactly, and reports it if it touches. */
pliant_result pli_test_pair(pli_collision *collision, uint32_t triangle_a, uint32_t triangle_b,
                            const float a[3][3], const float b[3][3]);

/* Whether the options' groups let a pair of triangles through. */
bool pli_collision_groups_allow(const pli_collision *collision, uint32_t a, uint32_t b);

/* The columns that the options ask for. */
unsigned pli_collision_columns(const pliant_collide_options *options);

/* Gives the pairs found since the last time to the callback. */
void pli_collision_flush(pli_collision *collision);

#endif
