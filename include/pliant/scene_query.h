/*
 * Pliant: questions about the bodies of a scene, one side of which is a ray, a point or a box:
 * those of query.h and distance.h, asked of all bodies, or of some, at once. Many rays and points
 * are shared by the context's workers. A tree over the bodies finds those that are concerned; it is
 * made when the first such question is asked. No answer depends on workers, their scheduler, the
 * broad phase or earlier calls. A body with a loose box is read only if that box is concerned.
 */
#ifndef PLIANT_SCENE_QUERY_H
#define PLIANT_SCENE_QUERY_H

#include "distance.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whether a body takes part in a question. Called from the thread that asks, once per body whose
 * category and mask agree, ascending by index, before anything else happens. What it may do is what
 * a pliant_scene_filter may.
 */
typedef bool (*pliant_body_filter)(void *user, pliant_body_id body);

/* Which bodies a question is asked of. All questions below take NULL for every body, whatever its
   category and mask. */
typedef struct pliant_scene_select {
    uint32_t tag;              /* set by pliant_scene_select_default() */
    uint64_t category;         /* of the question; default 1 */
    uint64_t mask;             /* default all ones. A body takes part if its category has a bit in
                                  this mask, and this category one in the body's mask */
    pliant_body_filter filter; /* default NULL: no filter */
    void *filter_user;
} pliant_scene_select;

PLIANT_DEFAULT(pliant_scene_select)

/* Where a ray meets a body of the scene. */
typedef struct pliant_scene_ray_hit {
    pliant_body_id body; /* generation 0: the ray meets nobody */
    void *user;          /* pliant_member_def.user of the body; NULL without one */
    pliant_ray_hit hit;
} pliant_scene_ray_hit;

/*
 * The first triangle along each of `count` rays; `hits` has room for as many. Exact, as in
 * pliant_raycast(); of bodies hit at the very same parameter the one of the lowest index is
 * reported. An error names the first bad ray, and no hit is written then.
 */
PLIANT_API pliant_result pliant_scene_raycast(pliant_scene *scene, const pliant_ray *rays,
                                              uint64_t count, const pliant_scene_select *select,
                                              pliant_scene_ray_hit *hits);

/* Whether each of `count` rays meets any body, exactly: for lines of sight and shadows. It ends at
   the first triangle met, and works out no parameter. `blocked` has room for `count` answers. */
PLIANT_API pliant_result pliant_scene_raycast_any(pliant_scene *scene, const pliant_ray *rays,
                                                  uint64_t count, const pliant_scene_select *select,
                                                  bool *blocked);

/* Every triangle along rays. Arrays belong to the scene and live until its next call. */
typedef struct pliant_scene_ray_hits {
    const uint64_t *starts; /* by ray, and one more: those of ray i are hits[starts[i]] up to
                               hits[starts[i + 1] - 1] */
    const pliant_scene_ray_hit *hits; /* by ray ascending by parameter, exactly, then by the body's
                                         index, then by triangle; NULL if there are none */
    uint64_t count;                   /* of all rays */
} pliant_scene_ray_hits;

/* All triangles of all bodies along each of `count` rays, as in pliant_raycast_all(). */
PLIANT_API pliant_result pliant_scene_raycast_all(pliant_scene *scene, const pliant_ray *rays,
                                                  uint64_t count, const pliant_scene_select *select,
                                                  pliant_scene_ray_hits *hits);

/* The point of a scene closest to a given one. */
typedef struct pliant_scene_closest {
    pliant_body_id body; /* generation 0: nothing within the distance asked for */
    void *user;          /* pliant_member_def.user of the body; NULL without one */
    pliant_closest closest;
} pliant_scene_closest;

/*
 * The points of all bodies' surfaces closest to `count` points, which are `stride` bytes apart
 * (0: 12), among those within `max_distance`: as pliant_find_closest_points() gives them, of the
 * body with the least computed distance, and of equal ones that of the lowest index. `closest` has
 * room for `count` answers. An error names the first bad point, and nothing is written then.
 */
PLIANT_API pliant_result pliant_scene_find_closest_points(pliant_scene *scene, const float *points,
                                                          uint64_t count, size_t stride,
                                                          float max_distance,
                                                          const pliant_scene_select *select,
                                                          pliant_scene_closest *closest);

/* How a point lies to the bodies of a scene. */
typedef struct pliant_scene_signed_distance {
    pliant_body_id body; /* generation 0: inside of nobody, and nothing within max_distance; the
                            distance is then +infinity and the side 1 */
    void *user;          /* pliant_member_def.user of the body; NULL without one */
    pliant_signed_distance distance; /* to that body */
} pliant_scene_signed_distance;

/*
 * The signed distances of `count` points, as above, to the bodies of the scene: those that
 * pliant_measure_distances() gives for one of them. For a point inside of bodies, by their winding
 * numbers, it is the one that it is deepest in; for another one that whose surface is closest; of
 * equal ones that of the lowest index. `options` may be NULL. With PLIANT_SIDE_INSIDE open bodies
 * that take part are refused.
 */
PLIANT_API pliant_result pliant_scene_measure_distances(pliant_scene *scene, const float *points,
                                                        uint64_t count, size_t stride,
                                                        const pliant_distance_options *options,
                                                        const pliant_scene_select *select,
                                                        pliant_scene_signed_distance *distances);

/*
 * The boxes of `count` bodies as the broad phase has them: around their current states and as far
 * beyond as their shapes' errors reach, or their loose boxes. The bounds of all bodies are brought
 * up to date on all workers, so that what is asked next finds them. `boxes` has room for `count`;
 * nothing is written on failure.
 */
PLIANT_API pliant_result pliant_scene_get_boxes(pliant_scene *scene, const pliant_body_id *bodies,
                                                uint32_t count, pliant_box *boxes);

/* The triangles of one body in an answer. */
typedef struct pliant_scene_range {
    pliant_body_id body;
    void *user;            /* pliant_member_def.user of the body */
    uint64_t first, count; /* count is at least 1 */
} pliant_scene_range;

/* Triangles by body. Arrays belong to the scene and live until its next call. */
typedef struct pliant_scene_triangles {
    const pliant_scene_range *bodies; /* ascending by index */
    uint32_t body_count;
    const uint32_t *triangles; /* ascending within a body */
    uint64_t count;
} pliant_scene_triangles;

/* The triangles of all bodies that share a point with a closed box, exactly, as in
   pliant_overlap_box(): sides may be infinite. */
PLIANT_API pliant_result pliant_scene_overlap_box(pliant_scene *scene, const pliant_box *box,
                                                  const pliant_scene_select *select,
                                                  pliant_scene_triangles *triangles);

#ifdef __cplusplus
}
#endif

#endif
