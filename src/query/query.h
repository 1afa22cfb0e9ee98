/* The inside of a query: scratch, results and statistics, kept from call to call. */
#ifndef PLI_QUERY_QUERY_H
#define PLI_QUERY_QUERY_H

#include "pliant/proxy.h"

#include "body/refresh.h"
#include "query/feature_list.h"
#include "query/sphere_table.h"

/*
 * Two children still to be compared: lane_a of record_a against lane_b of record_b. Their records
 * are looked up, and refreshed if stale, only when it is their turn. For a child against itself, in
 * pliant_collide_self(), both halves are the same.
 */
typedef struct pli_task {
    pli_node_record *parent_a, *parent_b;
    uint32_t child_a, child_b; /* entries of the shape's tree */
    uint32_t lane_a, lane_b;
} pli_task;

/* The latest answer to a first-contact query about two bodies: likely to touch again. */
typedef struct pli_witness {
    uint32_t body_a, body_b; /* ids; 0 in an empty entry */
    uint32_t triangle_a, triangle_b;
} pli_witness;

enum { PLI_WITNESSES = 256 };

/* The bounds of a cluster's leaves from coordinates and transforms, remembered because the next
   pairs of clusters will ask for them too. */
typedef struct pli_leaf_bounds {
    pli_boxes boxes;
    pli_spheres spheres;
    uint64_t state;         /* of the body */
    uint32_t body, cluster; /* id; 0 in an empty entry */
} pli_leaf_bounds;

enum { PLI_LEAF_BOUNDS = 256 };

/* Two spheres, lanes of rows, still to be compared: see query/proxy_spheres.c. */
typedef struct pli_sphere_item {
    uint32_t row, lane;
    float centre[3], radius;
} pli_sphere_item;

typedef struct pli_sphere_pair {
    pli_sphere_item item[2];
} pli_sphere_pair;

/* A child still to be opened, in a question about one body: see query/walk_one.h. */
typedef struct pli_visit {
    double near; /* what it could contribute is at least this far */
    pli_node_record *parent;
    uint32_t child, lane;
} pli_visit;

/* What may be asked about each key of a result, one column each; see query/result.h. */
typedef enum pli_column {
    PLI_SEGMENTS,
    PLI_SEPARATIONS,
    PLI_PROXIMITIES,
    PLI_PROXY_CONTACTS
} pli_column;

enum { PLI_COLUMNS = PLI_PROXY_CONTACTS + 1 };

extern const size_t pli_column_sizes[PLI_COLUMNS]; /* bytes of an element */

typedef struct pli_column_arrays {
    void *found, *sorted; /* in the order found, and in that of the sorted keys */
    size_t found_capacity, sorted_capacity;
} pli_column_arrays;

struct pliant_query {
    pliant_context *context;
    pli_use use;
    pliant_stats stats;
    pli_witness witness[PLI_WITNESSES]; /* a direct-mapped table */
    pli_task *tasks;                    /* a stack */
    size_t task_count, task_capacity;
    pli_task *deferred; /* tasks that wait for a record another worker is making */
    size_t deferred_count, deferred_capacity;
    /* Results, and what sorting them needs. */
    uint64_t *keys;
    size_t key_count, key_capacity;
    pli_column_arrays columns[PLI_COLUMNS];
    uint64_t *key_scratch, *order, *order_scratch;
    size_t key_scratch_capacity, order_capacity, order_scratch_capacity;
    /* Questions about one body. */
    pli_visit *visits; /* a stack */
    size_t visit_count, visit_capacity;
    pliant_ray_hit *hits;
    size_t hit_capacity;
    pli_cluster_record *grown;  /* pliant_find_within(): a cluster with boxes grown */
    pli_feature_lists features; /* pliant_find_features() */
    /* pliant_collide_proxies(): */
    pli_leaf_bounds *leaf_bounds; /* a direct-mapped table; NULL until it is first needed */
    pli_sphere_table *spheres;    /* likewise */
    pli_sphere_pair *aside;       /* a stack */
    size_t aside_capacity;
    /* pliant_find_contact_time(): positions of the two bodies. */
    float *moved[2];
    size_t moved_capacity[2];
};

/* Bytes of query->grown. */
size_t pli_query_grown_size(void);

/* Whether a triangle is in a set of groups; bits NULL means all. */
bool pli_in_groups(const pliant_shape *shape, pliant_groups groups, uint32_t triangle);

/* Bytes the query holds. */
uint64_t pli_query_memory(const pliant_query *query);

#endif
