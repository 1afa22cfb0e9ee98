#include "moving_polygon.h"

#include <math.h>

/* ----------------------------------------------------------- the polygon */

/* Corner i of the polygon is the difference of these two points. */
static void set_corners(pli_polygon *corners, const pli_moving_points *points, int end)
{
    static const int pairs[2][PLI_MOST_CORNERS][2] = {{{1, 0}, {2, 0}, {3, 0}},
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

static double largest_coordinate(const pli_polygon *corners)
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

static void scale_corners(pli_polygon *corners, double scale)
{
    for (int i = 0; i < corners->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            corners->x[i][k] *= scale;
        }
    }
}

void pli_polygon_set(pli_moving_polygon *p, const pli_moving_points *points, double d)
{
    set_corners(&p->end[0], points, 0);
    set_corners(&p->end[1], points, 1);
    int exponent = 0;
    double r =
        frexp(fmax(largest_coordinate(&p->end[0]), largest_coordinate(&p->end[1])), &exponent);
    double scale = ldexp(1.0, -exponent);
    scale_corners(&p->end[0], scale);
    scale_corners(&p->end[1], scale);
    p->d = d * scale * (1.0 + PLI_LENGTH_ERROR);
    p->beyond = p->d + PLI_HEIGHT_ERROR;
    p->close = d * scale * (1.0 + 0x1p-21) + 0.75 * 0x1p-44 * r;
}

void pli_polygon_at(const pli_moving_polygon *p, double t, pli_polygon *corners)
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
    const pli_polygon *corners;
    double r[3], squared;
    int part;
} direction_search;

/* Tries the direction of a part, of any length; that of a plane is one of two. */
static void try_direction(direction_search *s, const double r[3], int part)
{
    double low = pli_dot(r, s->corners->x[0]), high = low, square = pli_dot(r, r);
    for (int i = 1; i < s->corners->count; ++i) {
        double x = pli_dot(r, s->corners->x[i]);
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    bool turned = part == PLI_PLANE && -high > low;
    double least = turned ? -high : low;
    if (least > 0.0 && square > PLI_LEAST_SQUARE && least * least > s->squared * square) {
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
        double along = pli_dot(r, u) / square_of_u;
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

void pli_polygon_side(const pli_polygon *corners, int i, double e[3])
{
    subtract(e, corners->x[i + 1 < corners->count ? i + 1 : 0], corners->x[i]);
}

static void try_side(direction_search *s, int i)
{
    const pli_polygon *corners = s->corners;
    double u[3], r[3] = {corners->x[i][0], corners->x[i][1], corners->x[i][2]};
    pli_polygon_side(corners, i, u);
    double square = pli_dot(u, u);
    if (square > PLI_LEAST_SQUARE) {
        make_perpendicular(r, u, square);
        try_direction(s, r, PLI_SIDE + i);
    }
}

static void try_plane(direction_search *s)
{
    double u[3], v[3], normal[3];
    pli_polygon_side(s->corners, 0, u);
    pli_polygon_side(s->corners, 1, v);
    double square = pli_dot(u, u);
    if (square > PLI_LEAST_SQUARE) {
        make_perpendicular(v, u, square);
        pli_cross(normal, u, v);
        try_direction(s, normal, PLI_PLANE);
    }
}

void pli_polygon_direction(const pli_moving_polygon *p, double t, pli_direction *found)
{
    pli_polygon corners;
    pli_polygon_at(p, t, &corners);
    direction_search s = {.corners = &corners};
    try_plane(&s);
    for (int i = 0; i < corners.count; ++i) {
        try_direction(&s, corners.x[i], PLI_CORNER + i);
        try_side(&s, i);
    }
    double length = sqrt(pli_dot(s.r, s.r));
    for (int k = 0; k < 3; ++k) {
        found->n[k] = s.squared > 0.0 ? s.r[k] / length : 0.0;
    }
    found->height = sqrt(s.squared);
    found->part = s.part;
}
