/*
 * The inside of a body: its state, and the records of what queries have asked for in that state.
 */
#ifndef PLI_BODY_BODY_H
#define PLI_BODY_BODY_H

#include "pliant/body.h"

#include "bounds/from_vertices.h"

/* What refreshing has cost since the body was created. */
typedef struct pli_refresh_counts {
    uint64_t nodes, clusters, vertices;
    /* Because queries met them stale: vertices read to bound nodes, and clusters. */
    uint64_t vertices_on_demand, clusters_on_demand;
} pli_refresh_counts;

/* Where one worker cuts records from, and where it counts them. */
typedef struct pli_room {
    char *next, *end;
    pli_refresh_counts *counts;
} pli_room;

struct pliant_body {
    pli_node_record top;  /* lane 0: the whole body's box, whose child is the root's record */
    bool ready;           /* the box above and what the strategy does eagerly are done */
    _Atomic bool valid;   /* false after a non-finite borrowed position was met */
    uint32_t id;          /* within its context */
    uint64_t state;       /* counts states */
    pliant_update update; /* never AUTO */
    bool automatic;       /* AUTO was asked for: eager_levels follows what is read on demand */
    uint32_t eager_levels, lazy_levels;
    const pliant_shape *shape;
    pliant_context *context;
    const pli_vertex_kernels *kernels;
    void *user;
    const void *scene; /* the scene it is in, or NULL */
    pli_positions positions;
    float *copy; /* buffer of pliant_body_set_positions(), NULL before its first call */
    /* Records come first from a block that holds just the eager part (so that a body nobody touches
       stays small), then from pages of the context's pool. Workers of a scene have rooms of their
       own, in the same pages. */
    pli_room room;
    char *eager_block;
    size_t eager_size;
    _Atomic(pli_page *) pages;
    _Atomic uint64_t page_count;
    pli_refresh_counts counts, counts_before; /* in all, and when this state was set */
};

/* Drops all records: the state has changed. */
void pli_body_forget(pliant_body *body);

/* Cuts a record of `size` bytes, a multiple of 64; NULL when there is no memory. */
void *pli_body_allocate_record(pliant_body *body, pli_room *room, size_t size);

#endif
