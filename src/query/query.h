/* A query: its worker, its results and remembered first contacts, kept from call to call. */
#ifndef PLI_QUERY_QUERY_H
#define PLI_QUERY_QUERY_H

#include "base/team.h"
#include "query/run.h"

/* The pair of triangles that answered the latest first-contact query about two bodies. */
typedef struct pli_witness {
    uint32_t body_a, body_b; /* ids; 0 in an empty entry */
    uint32_t triangle_a, triangle_b;
} pli_witness;

/* A worker of a query about many points. */
typedef struct pli_point_worker {
    pli_worker worker;
    pli_arena arena; /* in the body, during a call */
    pli_run run;
} pli_point_worker;

enum { PLI_WITNESSES = 256, PLI_QUERY_ARRAYS = 5 };

struct pliant_query {
    pliant_context *context;
    pli_use use;
    pli_witness witness[PLI_WITNESSES]; /* a direct-mapped table */
    pli_worker worker;
    pli_collection found, features; /* triangles; features, which have lists of their own */
    union {
        struct {
            PLI_ARRAY(pliant_ray_hit) hits;
            pli_keys hit_starts; /* by ray, where its hits begin */
            /* Queries about many points: a table of workers, once it is needed, and results. */
            PLI_ARRAY(pli_point_worker) point_workers;
            pli_team team; /* of these */
            PLI_ARRAY(pliant_signed_distance) distances;
        };
        pli_array arrays[PLI_QUERY_ARRAYS];
    };
};

PLI_CHECK_ARRAYS(struct pliant_query);

/* visit_bounds.c: pliant_visit_bounds() without a query. */
pliant_result pli_visit_bounds(pliant_body *body, bool refresh, pliant_bound_callback callback,
                               void *user);

/* Returns the bytes of a query. */
uint64_t pli_query_memory(const pliant_query *query);

#endif
