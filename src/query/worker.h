/*
 * State of one worker: its tasks, what it found, its costs and its scratch, all kept from call to
 * call. A query about two bodies has one worker.
 */
#ifndef PLI_QUERY_WORKER_H
#define PLI_QUERY_WORKER_H

#include "pliant/continuous.h"
#include "pliant/distance.h"
#include "pliant/proxy.h"

#include "base/array.h"
#include "body/refresh.h"
#include "query/sphere_table.h"

/*
 * Two children still to be compared: lane_a of parent_a against lane_b of parent_b. Their records
 * are looked up, and refreshed if stale, only when it is their turn. For a child against itself, in
 * pliant_collide_self(), both halves are the same.
 */
typedef struct pli_task {
    pli_node_record *parent_a, *parent_b;
    uint32_t child_a, child_b; /* entries of the shape's tree */
    uint32_t lane_a, lane_b;
} pli_task;

typedef PLI_ARRAY(pli_task) pli_task_array;

/* The bounds of a cluster's leaves from coordinates and transforms, remembered because the next
   pairs of clusters will ask for them too. */
typedef struct pli_leaf_bounds {
    pli_boxes boxes;
    pli_spheres spheres;
    uint64_t state;         /* of the body */
    uint32_t body, cluster; /* id; 0 in an empty entry */
} pli_leaf_bounds;

enum { PLI_LEAF_BOUNDS = 256 };

/* A sphere that is still to be compared, a lane of siblings: see query/proxy_spheres.c. */
typedef struct pli_sphere_item {
    uint32_t siblings, lane; /* node n's children: n; cluster c's leaves: node_count + c */
    float centre[3], radius;
} pli_sphere_item;

typedef struct pli_sphere_pair {
    pli_sphere_item item[2];
} pli_sphere_pair;

/* A child still to be opened, in a query about one body: see query/descend.h. */
typedef struct pli_visit {
    double near; /* what it could contribute is at least this far */
    pli_node_record *parent;
    uint32_t child, lane;
} pli_visit;

/* A triangle that a ray meets: see query/ray_walk.h. */
typedef struct pli_ray_touch {
    double t; /* the parameter, correctly rounded */
    uint32_t body, triangle;
    float corner[3][3]; /* of the triangle */
} pli_ray_touch;

/* A body that is advanced: see query/advance.c. */
typedef struct pli_traveller {
    pli_positions end; /* positions at the end of its way */
    size_t first;      /* index of the positions that are tried */
    uint32_t next;     /* index of the next body that moves; the number of bodies if none */
    bool moves;
} pli_traveller;

/* ---------------------------------------------------------------- results */

/* Columns of a list of results: one element per key. */
typedef enum pli_column {
    PLI_SEGMENTS,
    PLI_SEPARATIONS,
    PLI_PROXIMITIES,
    PLI_FEATURES,
    PLI_PROXY_CONTACTS,
    PLI_MEETINGS
} pli_column;

enum { PLI_COLUMNS = PLI_MEETINGS + 1 };

extern const size_t pli_column_sizes[PLI_COLUMNS]; /* bytes of an element */

/* Lists of results: most queries have one; of features there is another per kind. */
enum { PLI_FEATURE_LISTS = PLIANT_EDGE_EDGE + 1, PLI_RESULT_LISTS = 1 + PLI_FEATURE_LISTS };

/* Results that a worker found for a pair of bodies, one after the other. */
typedef struct pli_range {
    uint32_t pair; /* its number in the list of pairs */
    uint16_t worker, list;
    uint64_t first, count;
    uint64_t to; /* index of the first among all results, once these are collected */
} pli_range;

typedef PLI_ARRAY(pli_range) pli_ranges;

/* A list: what a worker found, in the order found. The key of a pair of triangles is a << 32 | b,
   so that keys and pairs have the same order. */
typedef struct pli_results {
    pli_keys keys;
    pli_ranges ranges;
    pli_array column[PLI_COLUMNS]; /* parallel to the keys; counts are not used */
} pli_results;

/* ----------------------------------------------------------------- worker */

enum { PLI_WORKER_ARRAYS = 15 + PLI_RESULT_LISTS * (2 + PLI_COLUMNS) };

typedef struct pli_worker {
    pliant_context *context;
    pliant_stats stats;
    union {
        struct {
            pli_task_array tasks;    /* a stack */
            pli_task_array deferred; /* tasks that wait for a record of another worker */
            pli_results results[PLI_RESULT_LISTS]; /* the first: of triangles */
            pli_indices over_budget;               /* pairs of bodies whose budget was spent here */
            PLI_ARRAY(pli_visit) visits;           /* a stack, in queries about one body */
            PLI_ARRAY(pli_ray_touch) touches;      /* of rays that look for all triangles */
            pli_keys key_scratch, order, order_scratch;
            PLI_ARRAY(char) visitor; /* of the pair that is compared */
            PLI_ARRAY(char) grown;   /* a cluster record with boxes grown */
            /* pliant_collide_proxies(): */
            PLI_ARRAY(pli_leaf_bounds) leaf_bounds; /* a direct-mapped table, once it is needed */
            PLI_ARRAY(pli_sphere_table) spheres;    /* one, once it is needed */
            PLI_ARRAY(pli_sphere_pair) aside;       /* a stack */
            /* pliant_advance_bodies(): bodies, and positions that are tried. */
            PLI_ARRAY(pli_traveller) travellers;
            PLI_ARRAY(float) moved;
        };
        pli_array arrays[PLI_WORKER_ARRAYS];
    };
} pli_worker;

PLI_CHECK_ARRAYS(pli_worker);

/* Frees the memory of a worker's arrays; returns the bytes of a worker. */
void pli_worker_release(pli_worker *worker);
uint64_t pli_worker_memory(const pli_worker *worker);

/* Forgets what a worker found; memory stays. */
void pli_worker_clear(pli_worker *worker);

/* Makes room for `count` more keys of the first list, and for as many elements in the columns whose
   bits are set. The caller writes them and then adds to the count of keys. */
pliant_result pli_result_reserve(pli_worker *worker, size_t count, unsigned columns);

/* Returns where the element that goes with the next key is written, once there is room for it. */
static inline void *pli_result_next(const pli_worker *worker, pli_column column)
{
    const pli_results *results = worker->results;
    return (char *)results->column[column].data + results->keys.count * pli_column_sizes[column];
}

/* Adds a key without columns to the first list. */
pliant_result pli_result_add(pli_worker *worker, uint64_t key);

/* Makes room for one more key and element of a list. */
pliant_result pli_results_grow(pli_worker *worker, pli_results *results, pli_column column);

/* Adds a key with one column to a list; returns where its element is to be written, NULL without
   memory. */
static inline void *pli_results_add(pli_worker *worker, pli_results *results, uint64_t key,
                                    pli_column column)
{
    pli_array *elements = &results->column[column];
    size_t at = results->keys.count;
    bool there = at < results->keys.capacity && at < elements->capacity;
    if (!there && pli_results_grow(worker, results, column) != PLIANT_OK) {
        return NULL;
    }
    results->keys.data[results->keys.count++] = key;
    return (char *)elements->data + at * pli_column_sizes[column];
}

/* The numbers of keys in the first `lists` lists, before a pair is compared. */
typedef struct pli_found_before {
    size_t count[PLI_RESULT_LISTS];
} pli_found_before;

static inline pli_found_before pli_worker_found(const pli_worker *worker, uint32_t lists)
{
    pli_found_before before;
    before.count[0] = worker->results[0].keys.count;
    for (uint32_t i = 1; i < lists; i++) {
        before.count[i] = worker->results[i].keys.count;
    }
    return before;
}

/* Returns true if a list has more keys since then. */
static inline bool pli_worker_has_found(const pli_worker *worker, const pli_found_before *before,
                                        uint32_t lists)
{
    bool found = worker->results[0].keys.count != before->count[0];
    for (uint32_t i = 1; i < lists; i++) {
        found = found || worker->results[i].keys.count != before->count[i];
    }
    return found;
}

/* Notes that the keys which worker number `number` added to these lists since then belong to a
   pair. */
pliant_result pli_worker_note_found(pli_worker *worker, uint32_t number, uint32_t pair,
                                    const pli_found_before *before, uint32_t lists);

/* Notes that a pair's budget was spent. */
pliant_result pli_worker_note_over_budget(pli_worker *worker, uint32_t pair);

/* Returns true if a triangle is in a set of groups; bits NULL means all. */
bool pli_in_groups(const pliant_shape *shape, pliant_groups groups, uint32_t triangle);

#endif
