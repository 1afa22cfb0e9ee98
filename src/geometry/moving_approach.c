/*
 * When two moving features come within a distance d.
 *
 * Seen from a vertex, a face is a triangle; the points of one edge seen from those of another are a
 * parallelogram. Features are as far apart as that polygon is from the origin, and its corners x_k
 * move along straight lines too. So if a unit vector n has n . x_k > d for all k at two times, it
 * has at all times between. And if two have, n at the first time and m at the second, and one turns
 * into the other, n(s) = (1 - s) n + s m, then n(s) . x_k is a quadratic with the Bernstein
 * coefficients n . x_k at the first time, m . x_k at the second, and half the sum of n . x_k at the
 * second and m . x_k at the first. Where these are above d, so are the quadratics, and |n(s)| is at
 * most 1.
 *
 * From a time t on, the way is therefore free as long as the direction from the origin to the
 * polygon at t vouches for it: to a time that is computed, at which another direction is found. A
 * polygon that turns leaves such a direction soon, though it may come no closer. So if that gets on
 * slowly, a leap is tried as well, with the directions at both its ends; leaps grow where they
 * succeed. It ends where nothing comes closer until time 1, or where the polygon is so close that
 * D5's limit allows to say so.
 *
 * Bounds. Lengths are scaled by a power of two so that the largest |coordinate| of an x_k, at both
 * ends, is in [1/2, 1). With e = 2^-53, differences of float32 values are off by a factor of 1 + e,
 * n is longer than 1 by 4e at most, and n . x_k, sums of three products below 1, are off by 6e at
 * most at both ends, and by 12e in between, interpolated or for a corner that was. A time computed
 * from two of these is off by 4e, which is another 16e for corners that move by 2 sqrt(3) at most.
 * So what is above BEYOND(d) = d (1 + 2^-40) + 2^-48 as computed is above d.
 *
 * The polygon counts as close if the best direction found leaves at most CLOSE(d) = d (1 + 2^-21) +
 * 2^-46. Directions tried are those in which the closest point can lie: of all corners, of all
 * sides perpendicularly, and of the plane. Sides and plane are made perpendicular twice, so that
 * the direction is off by no more than rounding times how far the corners are apart. If d is so
 * small that the direction of a corner or side is uncertain, and another corner is ahead by that,
 * then the direction of a side, or of the plane, with that corner is as good up to the square of
 * the uncertainty. So the best is off by a small multiple of e, and what counts as close is within
 * D5's limit, which allows 2^-20 d + 2^-45.
 *
 * Speeds are at most 2 sqrt(3), and what is not close is beyond BEYOND(d) by 96e at least, of which
 * rounding takes less than half: so every look gets on by 2^-50 or more, and the loop ends. How
 * many looks it takes is another matter: see docs/soundness.md, S12.
 */
#include "moving_approach.h"

#include <math.h>
#include <stddef.h>

#define BEYOND(d) ((d) * (1.0 + 0x1p-40) + 0x1p-48)
#define CLOSE(d)  ((d) * (1.0 + 0x1p-21) + 0x1p-46)

/* Squares below this may have lost digits to underflow. */
#define LEAST_SQUARE 0x1p-900

enum { MOST_CORNERS = 4 };

typedef struct corner_set {
    int count;
    double x[MOST_CORNERS][3]; /* around the polygon */
} corner_set;

typedef struct moving_polygon {
    corner_set end[2];
    double beyond, close;
} moving_polygon;

/* A vector of length 1, along which all corners are at least that high. */
typedef struct direction {
    double n[3];
    double height; /* 0: there is none */
} direction;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ----------------------------------------------------------- the polygon */

/* Corner i of the polygon is the difference of these two points. */
static void set_corners(corner_set *corners, const pli_moving_points *points, int end)
{
    static const int pairs[2][MOST_CORNERS][2] = {{{1, 0}, {2, 0}, {3, 0}},
                                                  {{2, 0}, {2, 1}, {3, 1}, {3, 0}}};
    corners->count = points->edges ? 4 : 3;
    for (int i = 0; i < corners->count; ++i) {
        const int *pair = pairs[points->edges][i];
        for (int k = 0; k < 3; ++k) {
            corners->x[i][k] =
                (double)points->x[pair[0]][end][k] - (double)points->x[pair[1]][end][k];
        }
    }
}

static double largest_coordinate(const corner_set *corners)
{
    double largest = 0.0;
    for (int i = 0; i < corners->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            double x = fabs(corners->x[i][k]);
            largest = x > largest ? x : largest;
        }
    }
    return largest;
}

static void scale_corners(corner_set *corners, double scale)
{
    for (int i = 0; i < corners->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            corners->x[i][k] *= scale;
        }
    }
}

static void set_polygon(moving_polygon *p, const pli_moving_points *points, double d)
{
    set_corners(&p->end[0], points, 0);
    set_corners(&p->end[1], points, 1);
    int exponent = 0;
    frexp(fmax(largest_coordinate(&p->end[0]), largest_coordinate(&p->end[1])), &exponent);
    double scale = ldexp(1.0, -exponent);
    scale_corners(&p->end[0], scale);
    scale_corners(&p->end[1], scale);
    p->beyond = BEYOND(d * scale);
    p->close = CLOSE(d * scale);
}

static void corners_at(const moving_polygon *p, double t, corner_set *corners)
{
    corners->count = p->end[0].count;
    for (int i = 0; i < corners->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            corners->x[i][k] = (1.0 - t) * p->end[0].x[i][k] + t * p->end[1].x[i][k];
        }
    }
}

/* ------------------------------------------------------------ directions */

/* The best direction so far: not of length 1, and the square of the height along it. */
typedef struct search {
    const corner_set *corners;
    double r[3], squared;
} search;

/* Tries a direction of any length; if `either`, its opposite too. */
static void try_direction(search *s, const double r[3], bool either)
{
    double low = dot(r, s->corners->x[0]), high = low, square = dot(r, r);
    for (int i = 1; i < s->corners->count; ++i) {
        double x = dot(r, s->corners->x[i]);
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    bool turned = either && -high > low;
    double least = turned ? -high : low;
    if (least > 0.0 && square > LEAST_SQUARE && least * least > s->squared * square) {
        s->squared = least * least / square;
        for (int k = 0; k < 3; ++k) {
            s->r[k] = turned ? -r[k] : r[k];
        }
    }
}

/* r becomes perpendicular to u: twice, so that what is left of a long r is as well. */
static void make_perpendicular(double r[3], const double u[3], double square_of_u)
{
    for (int turn = 0; turn < 2; ++turn) {
        double along = dot(r, u) / square_of_u;
        for (int k = 0; k < 3; ++k) {
            r[k] -= along * u[k];
        }
    }
}

static void side(const corner_set *corners, int from, int to, double u[3])
{
    for (int k = 0; k < 3; ++k) {
        u[k] = corners->x[to][k] - corners->x[from][k];
    }
}

static void try_side(search *s, int i)
{
    const corner_set *corners = s->corners;
    double u[3], r[3] = {corners->x[i][0], corners->x[i][1], corners->x[i][2]};
    side(corners, i, i + 1 < corners->count ? i + 1 : 0, u);
    double square = dot(u, u);
    if (square > LEAST_SQUARE) {
        make_perpendicular(r, u, square);
        try_direction(s, r, false);
    }
}

static void try_plane(search *s)
{
    double u[3], v[3], normal[3];
    side(s->corners, 0, 1, u);
    side(s->corners, 0, s->corners->count - 1, v);
    double square = dot(u, u);
    if (square > LEAST_SQUARE) {
        make_perpendicular(v, u, square);
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            normal[i] = u[j] * v[k] - u[k] * v[j];
        }
        try_direction(s, normal, true);
    }
}

/* The direction from the origin to the polygon at a time. */
static void find_direction(const moving_polygon *p, double t, direction *found)
{
    corner_set corners;
    corners_at(p, t, &corners);
    search s = {.corners = &corners};
    try_plane(&s);
    for (int i = 0; i < corners.count; ++i) {
        try_direction(&s, corners.x[i], false);
        try_side(&s, i);
    }
    double length = sqrt(dot(s.r, s.r));
    for (int k = 0; k < 3; ++k) {
        found->n[k] = s.squared > 0.0 ? s.r[k] / length : 0.0;
    }
    found->height = sqrt(s.squared);
}

/* -------------------------------------------------------------- the way */

/* Until when all corners stay beyond d along n, along which they are beyond it at some time. */
static double find_end(const moving_polygon *p, const double n[3])
{
    double until = 2.0; /* beyond the end of the step */
    for (int i = 0; i < p->end[0].count; ++i) {
        double start = dot(n, p->end[0].x[i]), end = dot(n, p->end[1].x[i]);
        double at = end < p->beyond ? (start - p->beyond) / (start - end) : 2.0;
        until = at < until ? at : until;
    }
    return until;
}

/* Whether all corners stay beyond d from one time to another, along n at the first and m at the
   second and what is between in between. */
static bool stay_beyond(const moving_polygon *p, double from, const double n[3], double to,
                        const double m[3])
{
    corner_set first, last;
    corners_at(p, from, &first);
    corners_at(p, to, &last);
    for (int i = 0; i < first.count; ++i) {
        double between = 0.5 * (dot(n, last.x[i]) + dot(m, first.x[i]));
        if (!(dot(n, first.x[i]) > p->beyond && dot(m, last.x[i]) > p->beyond &&
              between > p->beyond)) {
            return false;
        }
    }
    return true;
}

typedef struct way {
    double t;
    direction at;
    double leap;
    uint32_t looks;
} way;

/* Tries a leap from where the way is free to so far. */
static void leap_ahead(const moving_polygon *p, way *w)
{
    double to = w->t + w->leap < 1.0 ? w->t + w->leap : 1.0;
    direction next;
    find_direction(p, to, &next);
    w->looks++;
    if (stay_beyond(p, w->t, w->at.n, to, next.n)) {
        w->t = to;
        w->at = next;
        w->leap *= 2.0;
    } else {
        w->leap *= 0.25;
    }
}

/* Goes on to where the polygon is close, or until nothing comes closer before the limit. */
static bool go(const moving_polygon *p, double limit, way *w)
{
    find_direction(p, 0.0, &w->at);
    for (w->looks = 1; w->at.height > p->close;) {
        double until = find_end(p, w->at.n);
        if (until > limit || until >= 1.0) {
            return false;
        }
        double gained = until - w->t;
        if (!(gained > 0.0)) {
            return true; /* of coordinates that are not finite */
        }
        w->t = until;
        find_direction(p, until, &w->at);
        w->looks++;
        if (gained < w->leap && w->at.height > p->close) {
            leap_ahead(p, w);
        }
        if (w->t > limit) {
            return false;
        }
    }
    return true;
}

bool pli_moving_approach(const pli_moving_points *points, double d, double limit, double *time,
                         uint32_t *looks)
{
    moving_polygon p;
    set_polygon(&p, points, d);
    way w = {.t = 0.0, .leap = 0.125};
    bool close = go(&p, limit, &w);
    *time = w.t;
    if (looks != NULL) {
        *looks = w.looks;
    }
    return close;
}
