/*
 * Two moving features as one moving polygon: seen from a vertex a face is a triangle, and the
 * points of one edge seen from those of another are a parallelogram. Features are as far apart as
 * that polygon is from the origin; moving_approach.c says what for, and proves the bounds.
 */
#ifndef PLI_GEOMETRY_MOVING_POLYGON_H
#define PLI_GEOMETRY_MOVING_POLYGON_H

#include "moving_exact.h"

/* What rounding can do to heights along vectors of length 1, and to their length. */
#define PLI_HEIGHT_ERROR 0x1p-48
#define PLI_LENGTH_ERROR 0x1p-40

/* Squares below this may have lost digits to underflow. */
#define PLI_LEAST_SQUARE 0x1p-900

enum { PLI_MOST_CORNERS = 4 };

/* Where the corners are at one time, around the polygon. */
typedef struct pli_polygon {
    int count;
    double x[PLI_MOST_CORNERS][3];
} pli_polygon;

/* Lengths are scaled, so that no coordinate is above 1. */
typedef struct pli_moving_polygon {
    pli_polygon end[2];
    double d;      /* a little more than was asked for: vectors may be a little longer than 1 */
    double beyond; /* what is computed to be that high is higher than d */
    double close;  /* what is no higher than that is within D15's limit */
} pli_moving_polygon;

/* What of a polygon is closest: its plane, corner i, or side i, from that corner to the next. */
enum { PLI_PLANE = 0, PLI_CORNER = 1, PLI_SIDE = PLI_CORNER + PLI_MOST_CORNERS };

/* A vector of length 1, along which all corners are at least that high. */
typedef struct pli_direction {
    double n[3];
    double height; /* 0: there is none */
    int part;
} pli_direction;

static inline double pli_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void pli_cross(double r[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/* The polygon of two features, and the distance that they may come within. */
void pli_polygon_set(pli_moving_polygon *p, const pli_moving_points *points, double d);

void pli_polygon_at(const pli_moving_polygon *p, double t, pli_polygon *corners);

/* The side that begins at corner i. */
void pli_polygon_side(const pli_polygon *corners, int i, double e[3]);

/* The direction from the origin to the polygon at a time. */
void pli_polygon_direction(const pli_moving_polygon *p, double t, pli_direction *found);

/* moving_turn.c: whether the polygon stays beyond d from one time to another, by the part that is
   closest at one of these, or else by the directions there. It may, and it is not said. */
bool pli_polygon_is_free(const pli_moving_polygon *p, double from, const pli_direction *first,
                         double to, const pli_direction *last);

#endif
