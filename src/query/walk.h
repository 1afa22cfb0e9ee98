/*
 * The walk over two trees, or over one with itself. It begins with the two roots. Of a pair of
 * children that meet it opens both, or only one if the other ends there or is much smaller; pairs
 * of what lies below that meet come next. Two children that both end are given to the question.
 *
 * Questions differ in what meets and in what ends: a walk describes that by constants, and is the
 * first member of the question's own struct.
 */
#ifndef PLI_QUERY_WALK_H
#define PLI_QUERY_WALK_H

#include "query/cluster_view.h"
#include "query/run.h"
#include "shape/shape.h"

typedef struct pli_walk pli_walk;

/* Compares two children that both end: two clusters, evaluated, or as pli_walk.whole says. */
typedef pliant_result pli_walk_clusters(pli_walk *walk, pli_cluster_view a, pli_cluster_view b);
typedef pliant_result pli_walk_leaf(pli_walk *walk, const pli_task *task);

/* The boxes by which the lanes of a record of body `which` are compared, of which those in `used`
   matter: its own, or others, in `wider`. */
typedef const pli_boxes *pli_walk_widen(const pli_walk *walk, int which, pli_node_record *record,
                                        unsigned used, pli_boxes *wider);

struct pli_walk {
    pli_run run;
    const pli_pair_kernels *kernels;
    pli_walk_clusters *clusters;
    pli_walk_leaf *leaf;   /* NULL: only clusters end, and go evaluated to `clusters` */
    pli_walk_widen *widen; /* NULL: a record's own boxes, the first body's grown by `grow` */
    float grow;
    bool spheres;      /* both bodies' nodes have spheres, which must meet too; */
    double apart;      /* they do if they are at most that far apart */
    uint32_t whole[2]; /* children of at most so many triangles end, though no body as a whole does;
                          0: only clusters do */
    bool opens_roots;  /* however much larger the other is */
    bool makes_records; /* costs of records are counted */
};

/* Up to eight bounds side by side, as they are compared. */
typedef struct pli_lanes {
    const pli_boxes *boxes;
    const pli_spheres *spheres; /* NULL: none */
    unsigned used;              /* bit l: lane l is there */
} pli_lanes;

/* Which pairs of lanes may meet: bit 8 i + j. */
uint64_t pli_lanes_meet(const pli_walk *walk, const pli_lanes *a, const pli_lanes *b);

/* Sets up a walk without growth over two bodies, down to clusters. */
void pli_walk_init(pli_walk *walk, pli_worker *worker, pliant_body *a, pliant_body *b,
                   pli_walk_clusters *clusters);

/* Pushes the task that compares the two bodies as wholes; the second pushes it only if their boxes
   meet. */
pliant_result pli_walk_push_root(pli_walk *walk);
pliant_result pli_walk_push_meeting_roots(pli_walk *walk);

/* Works off all tasks, or until the run has stopped or spent its budget, or should donate some. */
pliant_result pli_walk_work(pli_walk *walk);

/* Whether a child ends though it may have children. */
static inline bool pli_walk_is_whole(const pli_walk *walk, int which, const pli_node_record *parent,
                                     uint32_t child)
{
    const pliant_body *body = walk->run.body[which];
    return walk->whole[which] != 0 && parent != &body->root &&
           pli_child_triangles(body->shape, child) <= walk->whole[which];
}

#endif
