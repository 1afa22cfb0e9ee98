/*
 * Pliant: queries. A query object owns the scratch memory, the results and the statistics of the
 * questions asked through it. Use one per thread. Results live until its next call. Once it has
 * seen its largest answer it allocates nothing.
 */
#ifndef PLIANT_QUERY_H
#define PLIANT_QUERY_H

#include "body.h"
#include "triangle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pliant_query pliant_query;

PLIANT_API pliant_result pliant_query_create(pliant_context *context, pliant_query **query);
PLIANT_API void pliant_query_destroy(pliant_query *query);

/* What the latest call cost. Counts are the same on every machine; times are not. */
typedef struct pliant_stats {
    uint64_t nodes_refreshed;    /* inner nodes: the bounds of all children of one node */
    uint64_t clusters_refreshed; /* clusters: their vertices, leaves and triangles */
    uint64_t vertices_read;      /* vertex positions read to refresh the above */
    uint64_t nodes_tested;       /* pairs of nodes or clusters whose children were compared */
    uint64_t triangle_tests;     /* pairs of triangles given to the exact test */
    uint64_t exact_fallbacks;    /* signs that needed more than double precision */
    uint64_t pairs;              /* pairs reported */
    uint64_t bytes;              /* held by the query and the pages of the bodies asked about */
    double seconds_update;       /* the eager part of the update */
    double seconds_traverse;     /* traversal with refreshes on demand and triangle tests */
    double seconds_sort;         /* putting the result in order */
} pliant_stats;

PLIANT_API const pliant_stats *pliant_query_stats(const pliant_query *query);

/* Triangle a of the first body touches triangle b of the second. Within one body a < b. */
typedef struct pliant_pair {
    uint32_t a, b;
} pliant_pair;

/* A set of groups: bit g of word g / 64. Groups at or beyond `count` are not in it. */
typedef struct pliant_groups {
    const uint64_t *bits;
    uint32_t count; /* groups that `bits` has room for */
} pliant_groups;

typedef enum pliant_collide_mode {
    PLIANT_COLLIDE_ALL = 0, /* every touching pair */
    PLIANT_COLLIDE_FIRST    /* any one touching pair, if there is one */
} pliant_collide_mode;

/* What pliant_collide_self() says of two triangles that share vertices. */
typedef enum pliant_neighbours {
    /* Reported iff they meet in more than the hull of the vertices they share. */
    PLIANT_NEIGHBOURS_BEYOND_SHARED = 0,
    PLIANT_NEIGHBOURS_ALL, /* reported like any other pair */
    PLIANT_NEIGHBOURS_SKIP /* never reported */
} pliant_neighbours;

/*
 * Receives a batch of pairs, unsorted, with their segments where those were asked for (NULL
 * otherwise). Return false to stop. Which pairs come, is exact; how they are batched, is not
 * promised. The arrays live until the function returns; it must not use the query or the bodies.
 */
typedef bool (*pliant_pairs_callback)(void *user, const pliant_pair *pairs,
                                      const pliant_segment *segments, uint64_t count);

typedef struct pliant_collide_options {
    pliant_collide_mode mode;     /* default PLIANT_COLLIDE_ALL */
    bool segments;                /* also compute what each pair has in common; default false */
    pliant_neighbours neighbours; /* pliant_collide_self() only; default BEYOND_SHARED */
    pliant_groups groups_a;       /* only triangles of these groups of the first body; bits NULL
                                     (the default): all of them */
    pliant_groups groups_b;       /* the same for the second body. Within one body: one triangle of
                                     the pair in groups_a and the other in groups_b */
    uint64_t budget_nodes;        /* stop after this many node pairs; 0 (the default): never.
                                     The same input stops at the same place */
    uint64_t budget_microseconds; /* stop after about this time; 0 (the default): never */
    pliant_pairs_callback callback; /* if set, pairs go there and none are stored */
    void *callback_user;
    uint32_t cookie; /* set by pliant_collide_default() */
} pliant_collide_options;

PLIANT_API pliant_collide_options pliant_collide_default(void);

/* The answer. Arrays belong to the query and live until its next call. */
typedef struct pliant_contacts {
    const pliant_pair *pairs;       /* ascending by a, then b; each pair once */
    const pliant_segment *segments; /* same order; NULL unless asked for */
    uint64_t count;                 /* pairs above; with a callback: pairs given to it */
    bool complete; /* false: a budget was spent or the callback stopped; the pairs given do touch,
                      but there may be more */
} pliant_contacts;

/*
 * Which triangles of two bodies touch: exactly the pairs whose closed triangles share a point.
 * The bodies must differ (see pliant_collide_self()) and may share a shape. `options` may be NULL
 * for the defaults; `contacts` may be NULL with a callback.
 */
PLIANT_API pliant_result pliant_collide(pliant_query *query, pliant_body *a, pliant_body *b,
                                        const pliant_collide_options *options,
                                        pliant_contacts *contacts);

/*
 * Which triangles of one body touch each other. Two triangles of the mesh that share welded
 * vertices always touch there; options->neighbours says what that means. Vertices count as shared
 * while their current positions are equal. Triangles that share all three are never reported.
 */
PLIANT_API pliant_result pliant_collide_self(pliant_query *query, pliant_body *body,
                                             const pliant_collide_options *options,
                                             pliant_contacts *contacts);

/* A bound of the tree, as pliant_visit_bounds() shows it. */
typedef struct pliant_bound {
    pliant_box box;
    uint32_t level;          /* 0: the whole body; 1: a child of the root; ... */
    uint32_t triangle_count; /* triangles below */
    bool is_cluster;         /* the bound of a cluster: nothing lies below it here */
    bool refreshed_below;    /* what lies below has been refreshed in the current state */
} pliant_bound;

/* Receives one bound; return false to leave out what lies below it. */
typedef bool (*pliant_bound_callback)(void *user, const pliant_bound *bound);

/*
 * Shows the bounds of a body from the root down, parents before children, for drawing. With
 * `refresh` false, only those that earlier queries have refreshed in the current state; with true,
 * all that the callback asks for are refreshed.
 */
PLIANT_API pliant_result pliant_visit_bounds(pliant_query *query, pliant_body *body, bool refresh,
                                             pliant_bound_callback callback, void *user);

#ifdef __cplusplus
}
#endif

#endif
