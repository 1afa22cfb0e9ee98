/*
 * When two moving features come within a distance d.
 *
 * Seen from a vertex, a face is a triangle; the points of one edge seen from those of another are a
 * parallelogram. Features are as far apart as that polygon is from the origin, and its corners x_k
 * move along straight lines too. So if a unit vector n has n . x_k > d for all k at two times, it
 * has at all times between. From a time t on, the way is therefore free as long as the direction
 * from the origin to the polygon at t vouches for it: to a time that is computed, at which another
 * direction is found. It ends where nothing comes closer until time 1, or where the polygon is so
 * close that D15's limit permits a yes.
 *
 * A polygon that turns leaves such a direction soon, though it may come no closer. So if that gets
 * on slowly, a leap is tried as well, which grows where it succeeds, with directions that turn:
 * n(t) is a polynomial, and the way is free where for all k n(t) . x_k(t) > d |n(t)|. If the
 * closest point is on the same part of the polygon at both ends of the leap, n(t) points there: it
 * is the normal of the plane, u x v with u and v sides; the vector x (e . e) - e (x . e) from the
 * origin perpendicularly to a side e, which x is a corner of; or a corner itself. Else it turns
 * from the direction at one end to that at the other, (1 - s) n + s m. Whatever n is, what is
 * computed is a proof for that n.
 *
 * Bounds. Lengths are scaled by a power of two so that r, the largest |coordinate| of an x_k at
 * both ends, is in [1/2, 1). With e = 2^-53, differences of float32 values are off by a factor of 1
 * + e, n is longer than 1 by 4e at most, and n . x_k, sums of three products below 1, are off by 7e
 * at most at both ends, and by 12e at a time between, interpolated or for a corner that was. A time
 * computed from two of these is off by 4e, which is another 14e for corners that move by 2 sqrt(3)
 * at most. Bernstein coefficients of n(t) . x_k(t) are means of such products, off by 14e times the
 * largest |n|. So 32e, HEIGHT_ERROR, is enough for all of them, and as much times the square of the
 * largest |n| for the coefficients of n(t)^2. The squares of heights are sums of positive products,
 * whose relative errors LENGTH_ERROR covers.
 *
 * The polygon counts as close if the best direction found leaves at most d (1 + 2^-21) + 0.75 2^-44
 * r. Directions tried are those in which the closest point can lie: of all corners, of all sides
 * perpendicularly, and of the plane. Sides and plane are made perpendicular twice, so that the
 * direction is off by no more than rounding times how far the corners are apart. If d is so small
 * that the direction of a corner or side is uncertain, and another corner is ahead by that, then
 * the direction of a side, or of the plane, with that corner is as good up to the square of the
 * uncertainty. So the best is off by a small multiple of e, and there are 64e left of what D15's
 * limit allows, 2^-20 d + 2^-44 r.
 *
 * Speeds are at most 2 sqrt(3), and what is not close is beyond d by 192e at least, of which
 * rounding takes less than half: so every look gets on by 2^-50 or more, and the loop ends. How
 * many looks it takes is another matter: see docs/soundness.md, S12.
 */
#include "moving_approach.h"

#include "moving_polygon.h"

#include <stddef.h>

/* Until when all corners stay beyond d along n, along which they are beyond it at some time. */
static double find_end(const pli_moving_polygon *p, const double n[3])
{
    double until = 2.0; /* beyond the end of the step */
    for (int i = 0; i < p->end[0].count; ++i) {
        double start = pli_dot(n, p->end[0].x[i]), end = pli_dot(n, p->end[1].x[i]);
        double at = end < p->beyond ? (start - p->beyond) / (start - end) : 2.0;
        until = at < until ? at : until;
    }
    return until;
}

typedef struct way {
    double t;
    pli_direction at;
    double leap;
    uint32_t looks;
} way;

/* Tries a leap of a length from where the way is free to so far. Leaps grow where they succeed. */
static void leap_ahead(const pli_moving_polygon *p, double length, way *w)
{
    double to = w->t + length < 1.0 ? w->t + length : 1.0;
    pli_direction next;
    pli_polygon_direction(p, to, &next);
    w->looks++;
    if (pli_polygon_is_free(p, w->t, &w->at, to, &next)) {
        w->t = to;
        w->at = next;
        w->leap *= length < w->leap ? 1.0 : 2.0;
    } else {
        w->leap = 0.25 * length;
    }
}

/* How far to leap: to a little before the height is expected to be d, if it goes on to shrink as it
   did from `height` in the time that was gained. */
static double leap_length(const pli_moving_polygon *p, const way *w, double height, double gained)
{
    double lost = height - w->at.height;
    double left = 0.98 * gained * (w->at.height - p->beyond) / lost;
    return lost > 0.0 && left < w->leap ? left : w->leap;
}

/* Goes on to where the polygon is close, or until nothing comes closer before the limit. */
static bool go(const pli_moving_polygon *p, double limit, way *w)
{
    pli_polygon_direction(p, 0.0, &w->at);
    for (w->looks = 1; w->at.height > p->close;) {
        double until = find_end(p, w->at.n), height = w->at.height;
        if (until > limit || until >= 1.0) {
            return false;
        }
        double gained = until - w->t;
        if (!(gained > 0.0)) {
            return true; /* of coordinates that are not finite */
        }
        w->t = until;
        pli_polygon_direction(p, until, &w->at);
        w->looks++;
        double length = leap_length(p, w, height, gained);
        if (gained < length && w->at.height > p->close) {
            leap_ahead(p, length, w);
        }
        if (w->t > limit) {
            return false;
        }
    }
    return true;
}

/* Whether an axis has the polygon apart from the origin throughout. */
static bool is_far_along_axis(const pli_moving_polygon *p)
{
    bool far = false;
    for (int k = 0; k < 3 && !far; ++k) {
        double low = p->end[0].x[0][k], high = low;
        for (int i = 0; i < 2 * p->end[0].count; ++i) {
            double x = p->end[i % 2].x[i / 2][k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        far = low > p->close || high < -p->close;
    }
    return far;
}

bool pli_moving_approach(const pli_moving_points *points, double d, double limit, double *time,
                         uint32_t *looks)
{
    pli_moving_polygon p;
    pli_polygon_set(&p, points, d);
    way w = {.t = 0.0, .leap = 0.125};
    bool close = !is_far_along_axis(&p) && go(&p, limit, &w);
    *time = w.t;
    if (looks != NULL) {
        *looks = w.looks;
    }
    return close;
}
