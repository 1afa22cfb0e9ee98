/*
 * Pliant: the exact tests of moving features and triangles, usable alone. Over a step, from time 0
 * to time 1, every corner moves along a straight line at constant speed: at time t it is at
 * (1 - t) start + t end, in real numbers (definition D9). No context, no allocation, no tolerance:
 * whether two meet is the answer of real-number arithmetic on the float32 values given, contacts
 * that touch and part in one moment included. Non-finite coordinates are the caller's mistake: the
 * answer is then unspecified (but nothing else happens). A rare call needs up to 128 KiB of stack.
 */
#ifndef PLIANT_MOVING_H
#define PLIANT_MOVING_H

#include "triangle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a point is at times 0 and 1. */
typedef struct pliant_moving_point {
    float start[3], end[3];
} pliant_moving_point;

/* A triangle by its corners, and a segment by its ends. */
typedef struct pliant_moving_triangle {
    pliant_moving_point corner[3];
} pliant_moving_triangle;

typedef struct pliant_moving_edge {
    pliant_moving_point end[2];
} pliant_moving_edge;

/* Two times that the first contact lies between: at most 2^-40 apart, and equal only where the time
   of contact is that very number. */
typedef struct pliant_meeting_time {
    double low, high;
} pliant_meeting_time;

/* Whether a moving vertex meets a moving closed triangle in the step. `time`, which may be NULL,
   receives the first time at which it does. */
PLIANT_API bool pliant_moving_point_meet(const pliant_moving_point *vertex,
                                         const pliant_moving_triangle *face,
                                         pliant_meeting_time *time);

/* Whether two moving closed edges meet. */
PLIANT_API bool pliant_moving_edge_meet(const pliant_moving_edge *a, const pliant_moving_edge *b,
                                        pliant_meeting_time *time);

/* What meets first. */
typedef enum pliant_meeting_kind {
    PLIANT_MEETING_NONE = 0,
    PLIANT_MEETING_START,       /* they touch at time 0 */
    PLIANT_MEETING_VERTEX_FACE, /* corner a of the first triangle and the second triangle */
    PLIANT_MEETING_FACE_VERTEX, /* the first triangle and corner b of the second */
    PLIANT_MEETING_EDGE_EDGE,   /* edge a of the first and edge b of the second; edge i goes from
                                   corner i to the next */
    PLIANT_MEETING_END          /* they touch at time 1: neighbours within one body, of which no
                                   features met before (continuous.h) */
} pliant_meeting_kind;

typedef struct pliant_meeting {
    pliant_meeting_kind kind;
    uint32_t a, b; /* which corner or edge; 0 for a triangle */
    pliant_meeting_time time;
} pliant_meeting;

/*
 * Whether two moving closed triangles share a point at some time of the step, and what meets first:
 * if they are apart at time 0, a vertex and a face or two edges. Of several that meet at the very
 * same time, the first in the order of pliant_meeting_kind, then of a, then of b. `meeting` may be
 * NULL.
 */
PLIANT_API bool pliant_moving_triangle_meet(const pliant_moving_triangle *a,
                                            const pliant_moving_triangle *b,
                                            pliant_meeting *meeting);

/*
 * Whether two moving closed triangles come within a distance of each other at some time of the step
 * (definition D15): yes if they do, no if they always stay beyond a limit, which is greater by
 * 2^-20 of the distance and 2^-44 of the largest difference of coordinates. `meeting`, which may be
 * NULL, receives a time, low and high being the same: before it the triangles are farther apart
 * than the distance, and at it they are at most the limit apart, as are the vertex and face or the
 * edges that its kind names; PLIANT_MEETING_START: within the distance at time 0. A distance of 0
 * asks what pliant_moving_triangle_meet() does; one that is negative, infinite or NaN is the
 * caller's mistake, as coordinates are that are not finite.
 */
PLIANT_API bool pliant_moving_triangle_approach(const pliant_moving_triangle *a,
                                                const pliant_moving_triangle *b, float distance,
                                                pliant_meeting *meeting);

#ifdef __cplusplus
}
#endif

#endif
