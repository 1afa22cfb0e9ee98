/* Contacts of spheres and triangles: point, normal and depth, in double. */
#include "proxies.h"

#include "geometry/triangle_distance.h"

pli_ball pli_ball_around(const float lower[3], const float upper[3], float error)
{
    pli_ball ball = {.round = false};
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        ball.lower[k] = pli_below(lower[k], error);
        ball.upper[k] = -pli_below(-upper[k], error);
        ball.centre[k] = 0.5f * lower[k] + 0.5f * upper[k];
        double half = fmax((double)upper[k] - (double)ball.centre[k],
                           (double)ball.centre[k] - (double)lower[k]);
        square += half * half;
    }
    ball.radius = (sqrt(square) + (double)error) * (1.0 + 0x1p-48);
    return ball;
}

/* The squared distance of a point from a box. */
static double box_distance(const float point[3], const pli_ball *box)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double gap = fmax(fmax((double)box->lower[k] - (double)point[k],
                               (double)point[k] - (double)box->upper[k]),
                          0.0);
        square += gap * gap;
    }
    return square;
}

bool pli_balls_meet(const pli_ball *a, const pli_ball *b)
{
    if (!a->round && !b->round) {
        return true;
    }
    double square = 0.0, reach = a->radius + b->radius;
    if (a->round && b->round) {
        for (int k = 0; k < 3; k++) {
            double d = (double)a->centre[k] - (double)b->centre[k];
            square += d * d;
        }
    } else {
        const pli_ball *ball = a->round ? a : b;
        square = box_distance(ball->centre, a->round ? b : a);
        reach = ball->radius;
    }
    return !(square > reach * reach * (1.0 + 0x1p-49));
}

/* A distance that is reported: 0 at least, and a finite float. */
static float distance_to_float(double x)
{
    return x > 0.0 ? (float)fmin(x, (double)FLT_MAX) : 0.0f;
}

/* Stores a direction at length 1; one without a length becomes (0, 0, 1). */
static void set_normal(pliant_proxy_contact *contact, const double direction[3], double sign)
{
    double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                         direction[2] * direction[2]);
    for (int k = 0; k < 3; k++) {
        contact->normal[k] =
            length > 0.0 ? (float)(sign * direction[k] / length) : (k == 2 ? 1.0f : 0.0f);
    }
}

void pli_contact_balls(const pli_ball *a, const pli_ball *b, pliant_proxy_contact *contact)
{
    double apart[3], square = 0.0;
    for (int k = 0; k < 3; k++) {
        apart[k] = (double)a->centre[k] - (double)b->centre[k];
        square += apart[k] * apart[k];
    }
    double distance = sqrt(square);
    contact->depth = distance_to_float(a->radius + b->radius - distance);
    set_normal(contact, apart, 1.0);
    /* Amid the surfaces along the line of the centres, but between these. */
    double along = 0.5 * (distance + b->radius - a->radius);
    along = distance > 0.0 ? fmin(fmax(along / distance, 0.0), 1.0) : 0.0;
    for (int k = 0; k < 3; k++) {
        contact->point[k] = (float)((double)b->centre[k] + along * apart[k]);
    }
}

/* The normal of a triangle, not of length 1; 0 for a degenerate one. */
static void find_normal(const float triangle[3][3], double normal[3])
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)triangle[1][k] - (double)triangle[0][k];
        v[k] = (double)triangle[2][k] - (double)triangle[0][k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        normal[k] = u[i] * v[j] - u[j] * v[i];
    }
}

static bool is_zero(const double v[3])
{
    return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

bool pli_contact_ball_triangle(const pli_ball *ball, const float triangle[3][3], double error,
                               pliant_proxy_contact *contact)
{
    double closest[3], away[3], reach = ball->radius + error;
    double distance = pli_triangle_closest_point(ball->centre, triangle, closest);
    double spread = pli_coordinate_spread(triangle, (const float(*)[3]) & ball->centre, 1);
    if (distance > reach * (1.0 + 0x1p-49) + PLI_DISTANCE_ERROR * spread) {
        return false;
    }
    contact->depth = distance_to_float(reach - distance);
    for (int k = 0; k < 3; k++) {
        contact->point[k] = (float)closest[k];
        away[k] = (double)ball->centre[k] - closest[k];
    }
    if (is_zero(away)) {
        find_normal(triangle, away);
    }
    set_normal(contact, away, 1.0);
    return true;
}

/* The normal of two triangles that touch: that of one of them, towards the first. */
static void choose_normal(const float a[3][3], const float b[3][3], pliant_proxy_contact *contact)
{
    double normal[3], side = 0.0;
    find_normal(b, normal);
    if (is_zero(normal)) {
        find_normal(a, normal);
    }
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++) {
            side += normal[k] * ((double)a[c][k] - (double)b[c][k]);
        }
    }
    set_normal(contact, normal, side < 0.0 ? -1.0 : 1.0);
}

bool pli_contact_triangles(const float a[3][3], const float b[3][3], double error,
                           uint64_t *fallbacks, pliant_proxy_contact *contact)
{
    if (error == 0.0 && !pli_triangle_overlap(a, b, fallbacks)) {
        return false;
    }
    pliant_gap gap;
    double distance = pli_triangle_distance(a, b, &gap, fallbacks);
    if (distance >
        error + (error > 0.0 ? PLI_DISTANCE_ERROR * pli_coordinate_spread(a, b, 3) : 0.0)) {
        return false;
    }
    contact->depth = distance_to_float(error - distance);
    double away[3];
    for (int k = 0; k < 3; k++) {
        away[k] = gap.a.point[k] - gap.b.point[k];
        contact->point[k] = (float)(0.5 * gap.a.point[k] + 0.5 * gap.b.point[k]);
    }
    if (is_zero(away)) {
        choose_normal(a, b, contact);
    } else {
        set_normal(contact, away, 1.0);
    }
    return true;
}
