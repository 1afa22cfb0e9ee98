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
} pli_refresh_counts;

struct pliant_body {
    pli_node_record top;  /* lane 0: the whole body's box, whose child is the root's record */
    bool ready;           /* the box above and what the strategy does eagerly are done */
    bool valid;           /* false after a non-finite borrowed position was met */
    uint32_t id;          /* within its context */
    pliant_update update; /* never AUTO */
    bool automatic;       /* AUTO was asked for: eager_levels follows what is read on demand */
    uint32_t eager_levels, lazy_levels;
    /* In this state, because queries met them stale: vertices read to bound nodes, and clusters. */
    uint64_t read_on_demand, clusters_on_demand;
    const pliant_shape *shape;
    pliant_context *context;
    const pli_vertex_kernels *kernels;
    void *user;
    pli_positions positions;
    float *copy; /* buffer of pliant_body_set_positions(), NULL before its first call */
    /* Records are cut from `next` to `end`, first from a block that holds just the eager part (so
       that a body nobody touches stays small), then from pages of the context's pool. */
    char *next, *end;
    char *eager_block;
    size_t eager_size;
    pli_page *pages;
    uint64_t page_count;
    pli_refresh_counts counts;
};

/* Drops all records: the state has changed. */
void pli_body_forget(pliant_body *body);

/* Cuts a record of `size` bytes, a multiple of 64; NULL when there is no memory. */
void *pli_body_allocate_record(pliant_body *body, size_t size);

#endif
