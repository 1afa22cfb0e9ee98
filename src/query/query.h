/* The inside of a query: scratch, results and statistics, kept from call to call. */
#ifndef PLI_QUERY_QUERY_H
#define PLI_QUERY_QUERY_H

#include "pliant/proxy.h"

#include "body/refresh.h"
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

/* A child still to be opened, in a question about one body: see query/probe.h. */
typedef struct pli_visit {
    double near; /* what it could contribute is at least this far */
    pli_node_record *parent;
    uint32_t child, lane;
} pli_visit;

struct pliant_query {
    pliant_context *context;
    pli_use use;
    pliant_stats stats;
    pli_witness witness[PLI_WITNESSES]; /* a direct-mapped table */
    pli_task *tasks;                    /* a stack */
    size_t task_count, task_room;
    pli_task *deferred; /* tasks that wait for a record another worker is making */
    size_t deferred_count, deferred_room;
    /* Results: a pair is the key a << 32 | b until it is sorted. */
    uint64_t *keys;
    size_t key_count, key_room;
    pliant_segment *segments; /* as many, in the order found, if they were asked for */
    size_t segment_room;
    pliant_separation *separations; /* likewise */
    size_t separation_room;
    /* Room for sorting, and for the sorted answer. */
    uint64_t *key_scratch, *order, *order_scratch;
    size_t key_scratch_room, order_room, order_scratch_room;
    pliant_segment *sorted_segments;
    size_t sorted_segment_room;
    pliant_separation *sorted_separations;
    size_t sorted_separation_room;
    /* Questions about one body. */
    pli_visit *visits; /* a stack */
    size_t visit_count, visit_room;
    pliant_ray_hit *hits;
    size_t hit_room;
    /* pliant_find_within(): in the order found, sorted, and a cluster with boxes grown. */
    pliant_proximity *proximities, *sorted_proximities;
    size_t proximity_room, sorted_proximity_room;
    pli_cluster_record *grown;
    /* pliant_collide_proxies(): contacts in the order found, sorted, and a direct-mapped table. */
    pliant_proxy_contact *proxies, *sorted_proxies;
    size_t proxy_count, proxy_room, sorted_proxy_room;
    pli_leaf_bounds *leaf_bounds; /* NULL until it is first needed */
    pli_sphere_table *spheres;    /* likewise */
    pli_sphere_pair *aside;       /* a stack */
    size_t aside_room;
    /* pliant_find_contact_time(): positions of the two bodies. */
    float *moved[2];
    size_t moved_room[2];
};

/*
 * Room for `count` more tasks, which the caller fills in and then adds to task_count; NULL when
 * there is no memory. Tasks are written in place, since a copy of one that was just put together
 * has to wait until its parts have all reached memory.
 */
static inline pli_task *pli_query_task_room(pliant_query *query, size_t count)
{
    pli_task *tasks = pli_grow(query->context, query->tasks, &query->task_room,
                               query->task_count + count, sizeof *tasks);
    if (tasks == NULL) {
        return NULL;
    }
    query->tasks = tasks;
    return tasks + query->task_count;
}

static inline pliant_result pli_query_push(pliant_query *query, const pli_task *task)
{
    pli_task *room = pli_query_task_room(query, 1);
    if (room == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *room = *task;
    query->task_count++;
    return PLIANT_OK;
}

/*
 * Sorts query->keys. With `order`, query->order[i] then tells at which place the i-th key was
 * before.
 */
pliant_result pli_query_sort(pliant_query *query, bool order);

/* Bytes of query->grown. */
size_t pli_query_grown_size(void);

/* Whether a triangle is in a set of groups; bits NULL means all. */
bool pli_in_groups(const pliant_shape *shape, pliant_groups groups, uint32_t triangle);

/* Bytes the query holds. */
uint64_t pli_query_memory(const pliant_query *query);

#endif
