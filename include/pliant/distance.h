/*
 * Pliant: distances of many points to a body, with the side that each lies on: what particles,
 * cloth or any set of vertices needs to be pushed out of a closed body.
 */
#ifndef PLIANT_DISTANCE_H
#define PLIANT_DISTANCE_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What "inside" means. */
typedef enum pliant_side_rule {
    PLIANT_SIDE_AUTO = 0, /* INSIDE for closed bodies, SURFACE for open ones */
    PLIANT_SIDE_INSIDE,   /* inside is where the winding number is not 0, exactly; open bodies have
                             no inside and are refused */
    PLIANT_SIDE_SURFACE   /* inside is behind the surface where that is closest: opposite to its
                             angle-weighted normal there */
} pliant_side_rule;

typedef struct pliant_distance_options {
    uint32_t tag;          /* set by pliant_distance_options_default() */
    pliant_side_rule side; /* default PLIANT_SIDE_AUTO */
    float max_distance;    /* 0 to infinity, the default: triangles farther away are not looked for
                              and what can only belong to such is not refreshed */
} pliant_distance_options;

PLIANT_DEFAULT(pliant_distance_options)

/* The side is that of the surface, by rounded arithmetic, not an inside: the body is open, or was
   asked about by PLIANT_SIDE_SURFACE, or is UNCLOSED at this point. */
#define PLIANT_DISTANCE_BY_SURFACE 1u

/* The shape is closed, but the line through this point along x does not enter the body as often as
   it leaves: welded vertices of a free body have been moved apart. */
#define PLIANT_DISTANCE_UNCLOSED 2u

/* How a point lies to a body. */
typedef struct pliant_signed_distance {
    double distance;        /* closest.distance with the sign of `side`; where nothing was found
                               within max_distance: +infinity, or -infinity inside */
    int32_t side;           /* 1 outside, -1 inside, 0 on the surface, exactly. Without an inside
                               (flag BY_SURFACE): 0 also where that cannot be told */
    int32_t winding;        /* how often the surface goes around the point; 0 on the surface and
                               where the side is BY_SURFACE */
    uint32_t flags;         /* 0, or PLIANT_DISTANCE_BY_SURFACE and PLIANT_DISTANCE_UNCLOSED */
    float direction[3];     /* of length 1, out of the inside: point minus closest point outside,
                               the reverse inside, the angle-weighted normal on the surface; 0 where
                               nothing was found or normals cancel */
    pliant_closest closest; /* as pliant_find_closest_point() gives it */
} pliant_signed_distance;

/*
 * The signed distance of `count` points, fewer than 2^32, `stride` bytes apart (0: 12), to a body.
 * Closest points are those of pliant_find_closest_point() with its bounds on errors; the side of a
 * closed body is exact. Where a body overlaps itself, the distance is still that to its whole
 * surface: inside it is then a lower bound of the way out. `distances` has room for `count`
 * answers. Work is shared by the context's workers; no answer depends on their number, nor on which
 * other points are asked about. An error names the first bad point, and nothing is written then.
 * `options` may be NULL.
 */
PLIANT_API pliant_result pliant_measure_distances(pliant_query *query, pliant_body *body,
                                                  const float *points, uint64_t count,
                                                  size_t stride,
                                                  const pliant_distance_options *options,
                                                  pliant_signed_distance *distances);

/* pliant_find_closest_point() for many points, which are as above. */
PLIANT_API pliant_result pliant_find_closest_points(pliant_query *query, pliant_body *body,
                                                    const float *points, uint64_t count,
                                                    size_t stride, float max_distance,
                                                    pliant_closest *closest);

#ifdef __cplusplus
}
#endif

#endif
