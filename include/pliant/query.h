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

/* Destroys a query and the arrays of its latest answer. NULL is ignored. */
PLIANT_API void pliant_query_destroy(pliant_query *query);

/* What the latest call cost. Counts are the same on every machine; times are not. */
typedef struct pliant_stats {
    uint64_t nodes_refreshed;    /* inner nodes: the bounds of all children of one node; not what
                                    is computed in passing where proxies that are spheres meet */
    uint64_t clusters_refreshed; /* clusters: their vertices, leaves and triangles */
    uint64_t vertices_read;      /* vertex positions read to refresh the above */
    uint64_t nodes_tested;       /* pairs of nodes or clusters whose children were compared; in a
                                    question about one body: nodes and clusters opened */
    uint64_t triangle_tests;     /* pairs of triangles given to the exact test; triangles tested
                                    against a ray, a point or a box */
    uint64_t feature_tests;      /* pairs of features measured in double */
    uint64_t exact_fallbacks;    /* signs that needed more than double precision, and times that had
                                    to be compared exactly to sort meetings; not counted for rays */
    uint64_t lines;              /* lines followed through a body because the side of a point did
                                    not follow from that of another */
    uint64_t pairs;              /* pairs, hits, triangles or closest points reported */
    uint64_t bytes;              /* held by the query and the pages of the bodies asked about */
    uint64_t bound_sizes;        /* the sides of the bounds of refreshed nodes' children together,
                                    each body's in 2^-20 of its own bounds when its tree was cut; */
    uint64_t bound_sizes_at_cut; /* and what they were then: pliant_body_get_quality() */
    double seconds_update;       /* the eager part of the update */
    double seconds_traverse;     /* traversal with refreshes on demand and triangle tests */
    double seconds_sort;         /* putting the result in order */
} pliant_stats;

PLIANT_API const pliant_stats *pliant_query_get_stats(const pliant_query *query);

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

/* The answer, or a batch of it. Arrays belong to the query and live until its next call. */
typedef struct pliant_contacts {
    const pliant_pair *pairs;             /* ascending by a, then b; each pair once */
    const pliant_segment *segments;       /* same order; NULL unless asked for */
    const pliant_separation *separations; /* the same */
    uint64_t count;                       /* pairs above; with a callback: pairs given to it */
    bool complete; /* false: a budget was spent or the callback stopped; the pairs given do touch,
                      but there may be more */
} pliant_contacts;

/*
 * Receives a batch of pairs, unsorted. Return false to stop. Which pairs come, is exact; how they
 * are batched, is not promised. The arrays live until the function returns. Meanwhile the query
 * answers nothing else, and the bodies keep their state: what would change them fails.
 */
typedef bool (*pliant_pairs_callback)(void *user, const pliant_contacts *batch);

/* To which side of a pair the second triangle goes in a separation. */
typedef enum pliant_separation_side {
    PLIANT_SEPARATION_SHORTEST = 0, /* whichever way is shortest, into a body or out of it */
    /* Where the normal of the first triangle points to, by the order of its corners: the shortest
       of the ways that do not lead against it (pliant_triangle_separate_towards()). */
    PLIANT_SEPARATION_FRONT_OF_A,
    /* So that the first triangle comes to where the normal of the second one points to. */
    PLIANT_SEPARATION_FRONT_OF_B
} pliant_separation_side;

typedef struct pliant_collide_options {
    uint32_t tag;             /* set by pliant_collide_options_default() */
    pliant_collide_mode mode; /* default PLIANT_COLLIDE_ALL */
    bool segments;            /* also compute what each pair has in common; default false */
    bool separations;         /* also compute how to part each pair of triangles, whatever
                                 becomes of the bodies: normal and depth; default false */
    pliant_separation_side separation_side; /* default PLIANT_SEPARATION_SHORTEST */
    pliant_neighbours neighbours;           /* pliant_collide_self() only; default BEYOND_SHARED */
    pliant_groups groups_a;       /* only triangles of these groups of the first body; bits NULL
                                     (the default): all of them */
    pliant_groups groups_b;       /* the same for the second body. Within one body: one triangle of
                                     the pair in groups_a and the other in groups_b */
    uint64_t budget_nodes;        /* stop after this many node pairs; 0 (the default): never.
                                     The same input stops at the same place */
    uint64_t budget_microseconds; /* stop after about this time; 0 (the default): never */
    pliant_pairs_callback callback; /* if set, pairs go there and none are stored */
    void *callback_user;
} pliant_collide_options;

PLIANT_DEFAULT(pliant_collide_options)

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
 * while their current positions are equal. Triangles that share three different vertices are never
 * reported.
 */
PLIANT_API pliant_result pliant_collide_self(pliant_query *query, pliant_body *body,
                                             const pliant_collide_options *options,
                                             pliant_contacts *contacts);

/* The triangle of an answer that says "none". */
#define PLIANT_NO_TRIANGLE UINT32_MAX

/*
 * The closed segment origin + t * direction, 0 <= t <= t_max, or half line if t_max is infinite.
 * The direction need not have length 1 and may be zero; the ray is then its origin. The end point
 * is not rounded.
 */
typedef struct pliant_ray {
    float origin[3], direction[3];
    float t_max; /* 0 to infinity */
} pliant_ray;

/* Where a ray first meets a body. */
typedef struct pliant_ray_hit {
    double t;          /* the parameter, correctly rounded; infinite if there is no hit */
    float point[3];    /* origin + t * direction, computed in double and rounded; 0 without a hit */
    uint32_t triangle; /* PLIANT_NO_TRIANGLE: the ray meets no triangle, and what follows is 0 */
    double weights[3]; /* of the triangle's corners, which sum to 1 and give the point, computed in
                          double; 0 to 1 up to its rounding */
    float normal[3];   /* of the triangle, by the order of its corners: of length 1, or 0 if it is
                          degenerate */
    uint16_t group;    /* of the triangle */
} pliant_ray_hit;

/*
 * The first triangle along a ray. Whether a triangle is hit and which hit comes first is exact:
 * triangles are closed, so no ray slips between neighbours, rays in the plane of a triangle count,
 * and of several triangles hit at the very same parameter the lowest is reported.
 */
PLIANT_API pliant_result pliant_raycast(pliant_query *query, pliant_body *body,
                                        const pliant_ray *ray, pliant_ray_hit *hit);

/*
 * The same for `count` rays; `hits` has room for as many. An error names the first bad ray, and no
 * hit is written then.
 */
PLIANT_API pliant_result pliant_raycast_many(pliant_query *query, pliant_body *body,
                                             const pliant_ray *rays, uint64_t count,
                                             pliant_ray_hit *hits);

/* Every triangle along rays. Arrays belong to the query and live until its next call. */
typedef struct pliant_ray_hits {
    const uint64_t *starts;     /* by ray, and one more: those of ray i are hits[starts[i]] up to
                                   hits[starts[i + 1] - 1] */
    const pliant_ray_hit *hits; /* by ray ascending by parameter, exactly, then by triangle; NULL if
                                   there are none */
    uint64_t count;             /* of all rays */
} pliant_ray_hits;

/* All triangles along each of `count` rays, exactly as above: a triangle is hit where it first has
   a point in common with the ray, and only there. An error names the first bad ray. */
PLIANT_API pliant_result pliant_raycast_all(pliant_query *query, pliant_body *body,
                                            const pliant_ray *rays, uint64_t count,
                                            pliant_ray_hits *hits);

/* The point of a body closest to a given one. */
typedef struct pliant_closest {
    bool found;              /* false: nothing within the distance asked for; the rest is void */
    uint32_t triangle;       /* PLIANT_NO_TRIANGLE if nothing was found */
    double distance;         /* 0 if and only if the given point lies on the surface, exactly */
    pliant_surface_point at; /* the closest point, on that triangle */
    double weights[3];       /* of the triangle's corners, which sum to 1 and give that point; 0
                                exactly for corners that it does not depend on */
    float normal[3];         /* of the triangle, by the order of its corners: of length 1, or 0 if
                                it is degenerate */
    uint16_t group;          /* of the triangle */
} pliant_closest;

/*
 * The point of a body's surface closest to `point`, among those within `max_distance` (0 to
 * infinity). Distances are computed in double, triangle by triangle, off by less than e = 2^-46
 * times the largest difference of a coordinate between the point and a corner of that triangle; of
 * equal ones the lowest triangle wins, whatever the tree. Everything within max_distance is
 * considered, and nothing beyond max_distance + 4 e. With max_distance 0 the answer is the
 * lowest triangle that the point lies on, exactly.
 */
PLIANT_API pliant_result pliant_find_closest_point(pliant_query *query, pliant_body *body,
                                                   const float point[3], float max_distance,
                                                   pliant_closest *closest);

/*
 * The triangles that share a point with a closed box, exactly, in ascending order. The box may be
 * flat, and its sides may be infinite: it then goes on without end. NaN, a lower side above the
 * upper one, +infinity as a lower and -infinity as an upper side are errors. The array belongs to
 * the query and lives until its next call; it is NULL if no triangle meets the box. What lies in
 * nodes inside the box is listed without being refreshed.
 */
PLIANT_API pliant_result pliant_overlap_box(pliant_query *query, pliant_body *body,
                                            const pliant_box *box, const uint32_t **triangles,
                                            uint64_t *count);

typedef struct pliant_within_options {
    uint32_t tag;           /* set by pliant_within_options_default() */
    pliant_groups groups_a; /* only triangles of these groups of the first body; bits NULL (the
                               default): all of them */
    pliant_groups groups_b; /* the same for the second body. Within one body: one triangle of the
                               pair in groups_a and the other in groups_b */
    bool across_groups;     /* only triangles of different groups; default false */
} pliant_within_options;

PLIANT_DEFAULT(pliant_within_options)

/* Triangle a of the first body and triangle b of the second, and how they lie to each other. */
typedef struct pliant_proximity {
    uint32_t a, b;
    pliant_gap gap;
} pliant_proximity;

/* The answer. The array belongs to the query and lives until its next call. */
typedef struct pliant_proximities {
    const pliant_proximity *pairs; /* ascending by a, then b; each pair once; NULL if none */
    uint64_t count;
} pliant_proximities;

/*
 * Which triangles of two bodies are within a distance of each other (0 or more, finite), with their
 * closest points. A pair is reported if and only if pliant_triangle_measure_distance(), with the
 * triangle of `a` first, returns at most `distance`; see there for its accuracy. Distance 0 asks
 * for the pairs that touch, exactly those of pliant_collide(). Where shapes have an error
 * (pliant_shape_def.error), `distance` grows by that of both bodies as their transforms stretch it,
 * rounded up to a float. The bodies must differ; `options` may be NULL.
 */
PLIANT_API pliant_result pliant_find_within(pliant_query *query, pliant_body *a, pliant_body *b,
                                            float distance, const pliant_within_options *options,
                                            pliant_proximities *proximities);

/*
 * The same within one body, for pairs of triangles that share no vertex: a < b. Vertices count as
 * shared as in pliant_collide_self(), and distance 0 asks what that does with
 * PLIANT_NEIGHBOURS_SKIP. A fine mesh has many such pairs next to each other on its surface, unless
 * the distance is shorter than its triangles are high.
 */
PLIANT_API pliant_result pliant_find_within_self(pliant_query *query, pliant_body *body,
                                                 float distance,
                                                 const pliant_within_options *options,
                                                 pliant_proximities *proximities);

/* Which features of two meshes are close: a vertex and a face (a triangle), or two edges. */
typedef enum pliant_feature_kind {
    PLIANT_VERTEX_FACE = 0, /* a vertex of the first body and a face of the second */
    PLIANT_FACE_VERTEX,     /* a face of the first and a vertex of the second; within one body such
                               pairs are PLIANT_VERTEX_FACE */
    PLIANT_EDGE_EDGE
} pliant_feature_kind;

/*
 * Two features that are close. A vertex goes by its number, of welded ones the lowest; a face by
 * its triangle; an edge by 3 t + k, from corner k of triangle t to the next, t the lowest triangle
 * that has it. With x_i the positions of `vertices`, of which those of the first feature come
 * first, and w_i their `weights`, the closest points are the sums of w_i x_i over either feature's,
 * and the derivative of the distance by x_i is w_i times the direction: minus that for the first.
 */
typedef struct pliant_feature_pair {
    pliant_feature_kind kind;
    uint32_t a, b;        /* the features; within one body edges have a < b */
    uint32_t vertices[4]; /* of a, then of b: 1 and 3, 3 and 1, or 2 and 2; welded: the lowest */
    float weights[4];     /* 0 to 1; those of each feature add up to 1, up to rounding */
    float direction[3];   /* from the point of a to that of b, length 1. At distance 0: the normal
                             of the face, or of both edges; 0 if there is none */
    double distance;      /* 0 if and only if the features share a point, exactly */
} pliant_feature_pair;

typedef struct pliant_feature_options {
    uint32_t tag;           /* set by pliant_feature_options_default() */
    pliant_groups groups_a; /* only features that belong to triangles of these groups of the first
                               body, and only crossings of these; bits NULL (the default): all */
    pliant_groups groups_b; /* the same for the second body. Within one body: one feature of the
                               pair in groups_a and the other in groups_b */
} pliant_feature_options;

PLIANT_DEFAULT(pliant_feature_options)

/* The answer. Arrays belong to the query and live until its next call. */
typedef struct pliant_features {
    const pliant_feature_pair *pairs; /* ascending by kind, then a, then b; each once; NULL if none
                                       */
    uint64_t count;
    const pliant_pair *crossings; /* triangles that touch, as pliant_collide() or
                                     pliant_collide_self() give them; NULL if none. Two triangles
                                     that cross may have no features that are close: without a look
                                     at these, features do not prove bodies to be apart */
    uint64_t crossing_count;
} pliant_features;

/*
 * All pairs of a vertex and a face and all pairs of edges of two bodies that are within a distance
 * (0 or more, finite) of each other, each once however many triangles share a vertex or an edge:
 * what barrier and repulsion solvers ask in each step. A pair is reported if and only if its
 * pliant_feature_pair.distance is at most `distance`. That is computed in double, off by less than
 * 2^-46 times the largest difference of a coordinate between two of the pair's vertices; distance 0
 * asks for features that share a point, exactly. The bodies must differ; `options` may be NULL.
 */
PLIANT_API pliant_result pliant_find_features(pliant_query *query, pliant_body *a, pliant_body *b,
                                              float distance, const pliant_feature_options *options,
                                              pliant_features *features);

/*
 * The same within one body. Features that have a welded vertex in common are left out. A welded
 * vertex is where the lowest triangle that has it has it, and so is an edge: a mesh that is to be
 * torn apart at welded vertices should be made with `weld` off.
 */
PLIANT_API pliant_result pliant_find_features_self(pliant_query *query, pliant_body *body,
                                                   float distance,
                                                   const pliant_feature_options *options,
                                                   pliant_features *features);

/* A bound of the tree, as pliant_visit_bounds() shows it. */
typedef struct pliant_bound {
    pliant_box box;
    uint32_t level;          /* 0: the whole body; 1: a child of the root; ... */
    uint32_t triangle_count; /* triangles below */
    bool is_cluster;         /* the bound of a cluster: nothing lies below it here */
    bool refreshed_below;    /* what lies below has been refreshed in the current state */
} pliant_bound;

/* Receives one bound; return false to leave out what lies below it. Meanwhile the query answers
   nothing else, and the body keeps its state. */
typedef bool (*pliant_bound_callback)(void *user, const pliant_bound *bound);

/*
 * Shows the bounds of a body from the root down, parents before children, for drawing. With
 * `refresh` false, only those that earlier queries have refreshed in the current state, and nothing
 * changes, no later count either; with true, all that the callback asks for are refreshed, and
 * later questions about this state find them there.
 */
PLIANT_API pliant_result pliant_visit_bounds(pliant_query *query, pliant_body *body, bool refresh,
                                             pliant_bound_callback callback, void *user);

#ifdef __cplusplus
}
#endif

#endif
