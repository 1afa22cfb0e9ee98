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

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------ the polygon */

/* What rounding can do to heights along vectors of length 1, and to their length. */
#define HEIGHT_ERROR 0x1p-48
#define LENGTH_ERROR 0x1p-40

/* Squares below this may have lost digits to underflow. */
#define LEAST_SQUARE 0x1p-900

enum { MOST_CORNERS = 4 };

/* Where the corners are at one time, around the polygon. */
typedef struct seen_polygon {
    int count;
    double x[MOST_CORNERS][3];
} seen_polygon;

/* Lengths are scaled, so that no coordinate is above 1. */
typedef struct moving_polygon {
    seen_polygon end[2];
    double d;      /* a little more than was asked for: vectors may be a little longer than 1 */
    double beyond; /* what is computed to be that high is higher than d */
    double close;  /* what is no higher than that is within D15's limit */
} moving_polygon;

/* What of a polygon is closest: its plane, corner i, or side i, from that corner to the next. */
enum { PLANE = 0, CORNER = 1, SIDE = CORNER + MOST_CORNERS };

/* A vector of length 1, along which all corners are at least that high. */
typedef struct direction {
    double n[3];
    double height; /* 0: there is none */
    int part;
} direction;

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross(double r[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/* Corner i of the polygon is the difference of these two points. */
static void set_corners(seen_polygon *corners, const pli_moving_points *points, int end)
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

static double largest_coordinate(const seen_polygon *corners)
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

static void scale_corners(seen_polygon *corners, double scale)
{
    for (int i = 0; i < corners->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            corners->x[i][k] *= scale;
        }
    }
}

/* The polygon of two features, and the distance that they may come within. */
static void set_polygon(moving_polygon *p, const pli_moving_points *points, double d)
{
    set_corners(&p->end[0], points, 0);
    set_corners(&p->end[1], points, 1);
    int exponent = 0;
    double r =
        frexp(fmax(largest_coordinate(&p->end[0]), largest_coordinate(&p->end[1])), &exponent);
    double scale = ldexp(1.0, -exponent);
    scale_corners(&p->end[0], scale);
    scale_corners(&p->end[1], scale);
    p->d = d * scale * (1.0 + LENGTH_ERROR);
    p->beyond = p->d + HEIGHT_ERROR;
    p->close = d * scale * (1.0 + 0x1p-21) + 0.75 * 0x1p-44 * r;
}

static void polygon_at(const moving_polygon *p, double t, seen_polygon *corners)
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
typedef struct direction_search {
    const seen_polygon *corners;
    double r[3], squared;
    int part;
} direction_search;

/* Tries the direction of a part, of any length; that of a plane is one of two. */
static void try_direction(direction_search *s, const double r[3], int part)
{
    double low = dot(r, s->corners->x[0]), high = low, square = dot(r, r);
    for (int i = 1; i < s->corners->count; ++i) {
        double x = dot(r, s->corners->x[i]);
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    bool turned = part == PLANE && -high > low;
    double least = turned ? -high : low;
    if (least > 0.0 && square > LEAST_SQUARE && least * least > s->squared * square) {
        s->squared = least * least / square;
        s->part = part;
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

static void subtract(double r[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; ++k) {
        r[k] = a[k] - b[k];
    }
}

/* The side that begins at corner i. */
static void side_of(const seen_polygon *corners, int i, double e[3])
{
    subtract(e, corners->x[i + 1 < corners->count ? i + 1 : 0], corners->x[i]);
}

static void try_side(direction_search *s, int i)
{
    const seen_polygon *corners = s->corners;
    double u[3], r[3] = {corners->x[i][0], corners->x[i][1], corners->x[i][2]};
    side_of(corners, i, u);
    double square = dot(u, u);
    if (square > LEAST_SQUARE) {
        make_perpendicular(r, u, square);
        try_direction(s, r, SIDE + i);
    }
}

static void try_plane(direction_search *s)
{
    double u[3], v[3], normal[3];
    side_of(s->corners, 0, u);
    side_of(s->corners, 1, v);
    double square = dot(u, u);
    if (square > LEAST_SQUARE) {
        make_perpendicular(v, u, square);
        cross(normal, u, v);
        try_direction(s, normal, PLANE);
    }
}

/* The direction from the origin to the polygon at a time. */
static void find_direction(const moving_polygon *p, double t, direction *found)
{
    seen_polygon corners;
    polygon_at(p, t, &corners);
    direction_search s = {.corners = &corners};
    try_plane(&s);
    for (int i = 0; i < corners.count; ++i) {
        try_direction(&s, corners.x[i], CORNER + i);
        try_side(&s, i);
    }
    double length = sqrt(dot(s.r, s.r));
    for (int k = 0; k < 3; ++k) {
        found->n[k] = s.squared > 0.0 ? s.r[k] / length : 0.0;
    }
    found->height = sqrt(s.squared);
    found->part = s.part;
}

/* ------------------------------------------------------------ directions that turn

   They turn with the polygon, and prove that it stays farther away than d. */

enum { MOST_TURN = 3, MOST_SQUARE = 2 * (MOST_TURN + 1) };

/* A part of the way, and a direction that turns on it: a polynomial by its Bernstein coefficients.
 */
typedef struct turn {
    seen_polygon at[2]; /* at both ends */
    double n[MOST_TURN + 1][3];
    int degree;
} turn;

/* The normal of the plane, on the side that `n` points to. */
static void turn_with_plane(turn *t, const double n[3])
{
    double u[2][3], v[2][3], other[3];
    for (int end = 0; end < 2; ++end) {
        side_of(&t->at[end], 0, u[end]);
        side_of(&t->at[end], 1, v[end]);
    }
    t->degree = 2;
    cross(t->n[0], u[0], v[0]);
    cross(t->n[1], u[0], v[1]);
    cross(other, u[1], v[0]);
    cross(t->n[2], u[1], v[1]);
    double sign = dot(t->n[0], n) < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 3; ++k) {
        t->n[0][k] *= sign;
        t->n[1][k] = 0.5 * sign * (t->n[1][k] + other[k]);
        t->n[2][k] *= sign;
    }
}

/* x (e . e) - e (x . e), e being side i and x a point that moves with it, about where it is
   closest: there x is short, and little is lost in the difference. */
static void turn_with_side(turn *t, int i)
{
    double x[2][3], e[2][3], along = 0.0;
    for (int end = 0; end < 2; ++end) {
        side_of(&t->at[end], i, e[end]);
        along -= 0.5 * dot(t->at[end].x[i], e[end]) / dot(e[end], e[end]);
    }
    for (int j = 0; j < 6; ++j) {
        x[j / 3][j % 3] = t->at[j / 3].x[i][j % 3] + along * e[j / 3][j % 3];
    }
    const double ee[3] = {dot(e[0], e[0]), dot(e[0], e[1]), dot(e[1], e[1])};
    const double xe[3] = {dot(x[0], e[0]), 0.5 * (dot(x[0], e[1]) + dot(x[1], e[0])),
                          dot(x[1], e[1])};
    t->degree = 3;
    for (int j = 0; j <= 3; ++j) { /* the product of a quadratic and a line */
        double first = (3 - j) / 3.0, last = j / 3.0;
        int q = j < 3 ? j : 2, r = j > 0 ? j - 1 : 0;
        for (int k = 0; k < 3; ++k) {
            t->n[j][k] = first * (ee[q] * x[0][k] - xe[q] * e[0][k]) +
                         last * (ee[r] * x[1][k] - xe[r] * e[1][k]);
        }
    }
}

static void turn_between(turn *t, const double first[3], const double last[3])
{
    t->degree = 1;
    memcpy(t->n[0], first, sizeof t->n[0]);
    memcpy(t->n[1], last, sizeof t->n[1]);
}

/* Bernstein coefficients become those times the binomials, which are multiplied as polynomials are:
   c becomes the coefficients of the product of a and b. */
static void multiply(double c[], const double a[], int degree_a, const double b[], int degree_b)
{
    for (int i = 0; i <= degree_a + degree_b; ++i) {
        c[i] = 0.0;
    }
    for (int i = 0; i <= degree_a; ++i) {
        for (int j = 0; j <= degree_b; ++j) {
            c[i + j] += a[i] * b[j];
        }
    }
}

static double binomial(int n, int k)
{
    static const double rows[5][5] = {
        {1, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 2, 1, 0, 0}, {1, 3, 3, 1, 0}, {1, 4, 6, 4, 1}};
    return rows[n][k];
}

/* The square of d |n(t)|, of the degree of the square of n(t) . x(t), rounded up: |n(t)| is at most
   `longest`. */
static void square_limit(const turn *t, double d, double longest, double limit[MOST_SQUARE + 1])
{
    const double raise[3] = {1.0, 2.0, 1.0};
    double n[MOST_TURN + 1], square[2 * MOST_TURN + 1], sum[2 * MOST_TURN + 1] = {0.0};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i <= t->degree; ++i) {
            n[i] = binomial(t->degree, i) * t->n[i][k];
        }
        multiply(square, n, t->degree, n, t->degree);
        for (int i = 0; i <= 2 * t->degree; ++i) {
            sum[i] += square[i];
        }
    }
    for (int i = 0; i <= 2 * t->degree; ++i) {
        sum[i] += 20.0 * HEIGHT_ERROR * longest * longest; /* no binomial is above 20 */
    }
    multiply(limit, sum, 2 * t->degree, raise, 2);
    for (int i = 0; i <= 2 * t->degree + 2; ++i) {
        limit[i] *= d * d;
    }
}

/* The height of corner i along n(t), less what rounding can do; false if it may be 0. */
static bool find_heights(const turn *t, int i, double error, double height[MOST_TURN + 2])
{
    int degree = t->degree + 1;
    bool above = true;
    for (int j = 0; j <= degree; ++j) {
        double sum = 0.0;
        sum += j <= t->degree ? binomial(t->degree, j) * dot(t->n[j], t->at[0].x[i]) : 0.0;
        sum += j > 0 ? binomial(t->degree, j - 1) * dot(t->n[j - 1], t->at[1].x[i]) : 0.0;
        height[j] = sum - binomial(degree, j) * error;
        above = above && height[j] > 0.0;
    }
    return above;
}

/* Whether all corners stay beyond d along n(t). */
static bool stay_beyond(const moving_polygon *p, const turn *t)
{
    double limit[MOST_SQUARE + 1], square[MOST_SQUARE + 1], height[MOST_TURN + 2];
    double longest = 0.0;
    for (int i = 0; i <= t->degree; ++i) {
        longest = fmax(longest, sqrt(dot(t->n[i], t->n[i])));
    }
    square_limit(t, p->d, longest, limit);
    bool beyond = longest * longest > LEAST_SQUARE;
    for (int i = 0; i < t->at[0].count && beyond; ++i) {
        beyond = find_heights(t, i, HEIGHT_ERROR * longest, height);
        int degree = t->degree + 1;
        multiply(square, height, degree, height, degree);
        for (int j = 0; j <= 2 * degree && beyond; ++j) {
            beyond = square[j] > limit[j];
        }
    }
    return beyond;
}

/* The direction of a part of the polygon; of the plane, on the side that n points to. */
static void turn_with_part(turn *t, int part, const double n[3])
{
    if (part == PLANE) {
        turn_with_plane(t, n);
    } else if (part >= SIDE) {
        turn_with_side(t, part - SIDE);
    } else {
        turn_between(t, t->at[0].x[part - CORNER], t->at[1].x[part - CORNER]);
    }
}

/* Whether the polygon stays beyond d from one time to another, by the part that is closest at one
   of these, or else by the directions there. It may, and it is not said. */
static bool is_free(const moving_polygon *p, double from, const direction *first, double to,
                    const direction *last)
{
    turn t;
    polygon_at(p, from, &t.at[0]);
    polygon_at(p, to, &t.at[1]);
    turn_with_part(&t, first->part, first->n);
    bool is_beyond = stay_beyond(p, &t);
    if (!is_beyond && last->part != first->part) {
        turn_with_part(&t, last->part, first->n);
        is_beyond = stay_beyond(p, &t);
    }
    if (!is_beyond) {
        turn_between(&t, first->n, last->n);
        is_beyond = stay_beyond(p, &t);
    }
    return is_beyond;
}

/* ------------------------------------------------------------ the way */

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

typedef struct way {
    double t;
    direction at;
    double leap;
    uint32_t looks;
} way;

/* Tries a leap of a length from where the way is free to so far. Leaps grow where they succeed. */
static void leap_ahead(const moving_polygon *p, double length, way *w)
{
    double to = w->t + length < 1.0 ? w->t + length : 1.0;
    direction next;
    find_direction(p, to, &next);
    w->looks++;
    if (is_free(p, w->t, &w->at, to, &next)) {
        w->t = to;
        w->at = next;
        w->leap *= length < w->leap ? 1.0 : 2.0;
    } else {
        w->leap = 0.25 * length;
    }
}

/* How far to leap: to a little before the height is expected to be d, if it goes on to shrink as it
   did from `height` in the time that was gained. */
static double leap_length(const moving_polygon *p, const way *w, double height, double gained)
{
    double lost = height - w->at.height;
    double left = 0.98 * gained * (w->at.height - p->beyond) / lost;
    return lost > 0.0 && left < w->leap ? left : w->leap;
}

/* Goes on to where the polygon is close, or until nothing comes closer before the limit. */
static bool go(const moving_polygon *p, double limit, way *w)
{
    find_direction(p, 0.0, &w->at);
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
        find_direction(p, until, &w->at);
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
static bool is_far_along_axis(const moving_polygon *p)
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
    moving_polygon p;
    set_polygon(&p, points, d);
    way w = {.t = 0.0, .leap = 0.125};
    bool close = !is_far_along_axis(&p) && go(&p, limit, &w);
    *time = w.t;
    if (looks != NULL) {
        *looks = w.looks;
    }
    return close;
}
