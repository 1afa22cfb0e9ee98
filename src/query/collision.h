/*
 * One run of pliant_collide() or pliant_collide_self(): what was asked, what has been found, and
 * when to stop. The two differ in how they walk; how pairs are tested, reported and put in order is
 * here.
 */
#ifndef PLI_QUERY_COLLISION_H
#define PLI_QUERY_COLLISION_H

#include "query/pair_kernels.h"
#include "query/query.h"

/* Workers that wait for tasks, and tasks that have been given away and not been taken yet. */
typedef struct pli_hunger {
    _Atomic uint32_t waiting, given;
} pli_hunger;

typedef struct pli_collision {
    pliant_query *query;
    const pliant_collide_options *options;
    const pli_pair_kernels *kernels;
    bool kernels_apply;   /* triangles may be given to them */
    pliant_body *body[2]; /* the same one twice within one body */
    bool within;          /* pliant_collide_self() */
    bool spheres;         /* both bodies' nodes have spheres, which are asked too */
    bool stopped;         /* enough found, or not allowed to go on */
    bool complete;
    uint64_t reported; /* pairs */
    double started, deadline;
    pli_refresh_counts counts[2]; /* of the bodies, when it began */
    pli_room *room[2]; /* this worker's in the bodies; NULL where no other worker is about */
    pli_refresh_counts made[2]; /* what this run refreshed, per body, where others are about */
    pli_hunger *hunger;         /* NULL: no tasks are given away */
} pli_collision;

/* Checks options; NULL stands for the defaults. */
pliant_result pli_collide_options_check(const pliant_collide_options *options);

/* Sets up a run about two bodies that have been prepared; `options` are checked and not NULL. */
void pli_collision_init(pli_collision *collision, pliant_query *query, pliant_body *a,
                        pliant_body *b, const pliant_collide_options *options);

/*
 * Starts a run of its own: checks options, forgets earlier results, prepares the bodies, and pushes
 * the first task. It may be over at once: `stopped` is set if the pair that answered the last
 * first-contact query answers this one too.
 */
pliant_result pli_collision_begin(pli_collision *collision, pliant_query *query, pliant_body *a,
                                  pliant_body *b, const pliant_collide_options *options);

/* A callback runs the caller's code, which may come back to the query and the bodies: with one they
   are in use from enter to leave. */
pliant_result pli_collision_enter(pliant_query *query, pliant_body *a, pliant_body *b,
                                  const pliant_collide_options *options, const char *call);
void pli_collision_leave(pliant_query *query, pliant_body *a, pliant_body *b,
                         const pliant_collide_options *options);

/* Pushes the task that compares the two bodies as wholes, if their boxes meet. */
pliant_result pli_collision_push_root(pli_collision *collision);

/* Works off all tasks, or until the run has stopped or spent its budget, or others wait for tasks
   while it has several. */
pliant_result pli_collision_run(pli_collision *collision);

/* Compares the two children of one task, or opens them and pushes tasks for what lies below. The
   task may lie where the first of these will: it is not read once they are pushed. */
pliant_result pli_collision_step(pli_collision *collision, const pli_task *task);

/* One side of a comparison of clusters. */
typedef struct pli_cluster_view {
    const pliant_shape *shape;
    const pli_cluster *cluster;
    pli_cluster_record *record;
} pli_cluster_view;

static inline pli_cluster_view pli_view_cluster(const pliant_body *body, uint32_t child,
                                                void *record)
{
    pli_cluster_view view = {.shape = body->shape,
                             .cluster = &body->shape->clusters[child & ~PLI_CLUSTER_BIT],
                             .record = record};
    return view;
}

/* The corners of the triangle in a slot of a cluster. */
static inline void pli_slot_corners(pli_cluster_view view, uint32_t slot, float corner[3][3])
{
    const uint8_t *corners = view.shape->slot_corners + 3 * (size_t)view.cluster->first_slot + slot;
    for (size_t c = 0; c < 3; c++) {
        uint8_t vertex = corners[c * view.cluster->slot_count];
        for (size_t k = 0; k < 3; k++) {
            corner[c][k] = pli_cluster_coordinate(view.record, vertex, k);
        }
    }
}

/* The caller's number of the triangle in a slot. */
static inline uint32_t pli_slot_triangle(pli_cluster_view view, uint32_t slot)
{
    return view.shape->slot_triangles[view.cluster->first_slot + slot];
}

/* The triangles of a cluster, as kernels like them. */
static inline pli_slot_triangles pli_view_triangles(pli_cluster_view view)
{
    pli_slot_triangles triangles = {
        .record = view.record,
        .corners = view.shape->slot_corners + 3 * (size_t)view.cluster->first_slot,
    };
    return triangles;
}

/* A pair of slots that a kernel found to touch, or could not decide: tests it exactly if need be,
   and reports it if it touches. */
pliant_result pli_settle_pair(pli_collision *collision, pli_cluster_view a, uint32_t slot_a,
                              pli_cluster_view b, uint32_t slot_b, bool touches);

/* Compares two clusters, or one with itself, down to exact tests of triangles. */
pliant_result pli_collide_clusters(pli_collision *collision, pli_cluster_view a,
                                   pli_cluster_view b);

/* Makes the record of a task's child in body `which`, which was found stale or claimed. Where other
   workers are about and all pairs are wanted, *record is NULL if one of them is making it, and the
   task has then been put aside. */
pliant_result pli_collision_refresh(pli_collision *collision, int which, const pli_task *task,
                                    void **record);

/* The record of a task's child in body `which`, refreshed if it is stale; clusters may be in their
   first stage. */
static inline pliant_result pli_collision_record(pli_collision *collision, int which,
                                                 const pli_task *task, void **record)
{
    pli_node_record *parent = which == 0 ? task->parent_a : task->parent_b;
    uint32_t lane = which == 0 ? task->lane_a : task->lane_b;
    void *found = atomic_load_explicit(&parent->child[lane], memory_order_acquire);
    if (found == NULL || found == PLI_CLAIMED) {
        return pli_collision_refresh(collision, which, task, record);
    }
    pli_body_mark_opened(collision->body[which], which == 0 ? task->child_a : task->child_b);
    *record = found;
    return PLIANT_OK;
}

/* collide.c: the two children of a task, which differ. */
pliant_result pli_collide_task(pli_collision *collision, const pli_task *task);

/* collide_self.c: one child with itself. */
pliant_result pli_collide_self_task(pli_collision *collision, const pli_task *task);

/* Ends a run: flushes, sorts, fills in statistics and the answer. */
pliant_result pli_collision_end(pli_collision *collision, pliant_contacts *contacts);

#endif
