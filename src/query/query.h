/* The inside of a query: scratch, results and statistics, kept from call to call. */
#ifndef PLI_QUERY_QUERY_H
#define PLI_QUERY_QUERY_H

#include "pliant/continuous.h"
#include "pliant/distance.h"
#include "pliant/proxy.h"

#include "base/array.h"
#include "body/refresh.h"
#include "query/feature_list.h"
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

/* A sphere that is still to be compared, a lane of siblings: see query/proxy_spheres.c. */
typedef struct pli_sphere_item {
    uint32_t siblings, lane; /* node n's children: n; cluster c's leaves: node_count + c */
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

/* A triangle that a ray meets: see query/ray_walk.h. */
typedef struct pli_ray_touch {
    double t; /* the parameter, correctly rounded */
    uint32_t body, triangle;
    float corner[3][3]; /* of the triangle */
} pli_ray_touch;

/* What may be asked about each key of a result, one column each; see query/result.h. */
typedef enum pli_column {
    PLI_SEGMENTS,
    PLI_SEPARATIONS,
    PLI_PROXIMITIES,
    PLI_PROXY_CONTACTS,
    PLI_MEETINGS
} pli_column;

enum { PLI_COLUMNS = PLI_MEETINGS + 1 };

extern const size_t pli_column_sizes[PLI_COLUMNS]; /* bytes of an element */

typedef struct pli_column_arrays {
    pli_array found, sorted; /* in the order found, and in that of the sorted keys */
} pli_column_arrays;

/* A body that is advanced: where it was to go, and where its positions are tried: see
   query/advance.c. */
typedef struct pli_traveller {
    pli_positions end;
    size_t first;
    uint32_t next; /* index of the next body behind it that moves; the number of bodies if none */
    bool moves;
} pli_traveller;

/* The arrays of a query. */
enum { PLI_QUERY_ARRAYS = 20 + PLI_FEATURE_ARRAYS + 2 * PLI_COLUMNS };

struct pliant_query {
    pliant_context *context;
    pli_use use;
    pliant_stats stats;
    pli_witness witness[PLI_WITNESSES]; /* a direct-mapped table */
    union {
        struct {
            pli_task_array tasks;    /* a stack */
            pli_task_array deferred; /* tasks that wait for a record another worker is making */
            /* Results, and what sorting them needs. */
            pli_keys keys;
            pli_column_arrays columns[PLI_COLUMNS];
            pli_keys key_scratch, order, order_scratch;
            /* Questions about one body. */
            PLI_ARRAY(pli_visit) visits; /* a stack */
            PLI_ARRAY(pliant_ray_hit) hits;
            PLI_ARRAY(pli_ray_touch) touches; /* of rays that look for all triangles */
            pli_keys hit_starts;              /* by ray, where its hits begin */
            /* Questions about many points: a table of workers, once it is needed, and answers. */
            PLI_ARRAY(struct pli_point_worker) point_workers;
            PLI_ARRAY(pliant_signed_distance) distances;
            /* pliant_find_within() and pliant_find_features(): a cluster record with boxes grown.
             */
            PLI_ARRAY(char) grown;
            pli_feature_lists features;
            /* pliant_collide_proxies(): */
            PLI_ARRAY(pli_leaf_bounds) leaf_bounds; /* a direct-mapped table, once it is needed */
            PLI_ARRAY(pli_sphere_table) spheres;    /* one, once it is needed */
            PLI_ARRAY(pli_sphere_pair) aside;       /* a stack */
            /* pliant_advance_bodies(): bodies, and positions that are tried. */
            PLI_ARRAY(pli_traveller) travellers;
            PLI_ARRAY(float) moved;
        };
        pli_array arrays[PLI_QUERY_ARRAYS];
    };
};

PLI_CHECK_ARRAYS(struct pliant_query);

/* point_walk.c: the workers of questions about many points, made when they are first asked for;
   NULL when there is no memory. What their stacks hold, and the end of these. */
struct pli_point_worker *pli_query_point_workers(pliant_query *query);
uint64_t pli_query_point_memory(const pliant_query *query);
void pli_query_release_points(pliant_query *query);

/* Whether a triangle is in a set of groups; bits NULL means all. */
bool pli_in_groups(const pliant_shape *shape, pliant_groups groups, uint32_t triangle);

/* Bytes the query holds. */
uint64_t pli_query_memory(const pliant_query *query);

#endif
