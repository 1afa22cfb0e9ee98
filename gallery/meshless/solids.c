#include "solids.h"

#include <math.h>

#include "gallery/numbers.h"

double solid_join(double a, double b, double blend)
{
    double overlap = fmax(blend - fabs(a - b), 0.0);
    return fmin(a, b) - 0.25 * overlap * overlap / blend;
}

double solid_ball(const double point[3], double x, double y, double z, double radius)
{
    double d[3] = {point[0] - x, point[1] - y, point[2] - z};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - radius;
}

double solid_ellipsoid(const double point[3], const double centre[3], const double radii[3])
{
    double first = 0.0, second = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double d = (point[axis] - centre[axis]) / radii[axis];
        first += d * d;
        second += d * d / (radii[axis] * radii[axis]);
    }
    /* The value over its own gradient, which is the distance to first order. */
    double scale = sqrt(first);
    return second > 0.0 ? scale * (scale - 1.0) / sqrt(second) : -radii[0];
}

double solid_limb(const double point[3], const double a[3], double ra, const double b[3], double rb)
{
    double along = 0.0, square = 0.0, distance = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double side = b[axis] - a[axis];
        along += side * (point[axis] - a[axis]);
        square += side * side;
    }
    along = fmin(fmax(along / square, 0.0), 1.0);
    for (int axis = 0; axis < 3; axis++) {
        double d = point[axis] - (a[axis] + along * (b[axis] - a[axis]));
        distance += d * d;
    }
    return sqrt(distance) - (ra + along * (rb - ra));
}

/* A ring around the z axis. */
static double hoop(const double point[3], double z, double radius, double thickness)
{
    double out = sqrt(point[0] * point[0] + point[1] * point[1]) - radius;
    return sqrt(out * out + (point[2] - z) * (point[2] - z)) - thickness;
}

static double santa(const double point[3])
{
    /* Left and right are the same. */
    const double p[3] = {fabs(point[0]), point[1], point[2]};
    double value =
        solid_ellipsoid(p, (const double[3]){0.0, -0.02, 0.5}, (const double[3]){0.5, 0.46, 0.56});
    value = solid_join(value, hoop(p, 0.36, 0.46, 0.07), 0.06); /* the belt */
    value = solid_join(value, solid_ball(p, 0.0, 0.0, 1.27, 0.3), 0.12);
    value = solid_join(value,
                       solid_limb(p, (const double[3]){0.2, 0.0, 0.2}, 0.2,
                                  (const double[3]){0.22, 0.0, -0.12}, 0.16),
                       0.08);
    value = solid_join(value,
                       solid_ellipsoid(p, (const double[3]){0.23, -0.1, -0.17},
                                       (const double[3]){0.16, 0.26, 0.13}),
                       0.04);
    value = solid_join(value,
                       solid_limb(p, (const double[3]){0.33, 0.0, 0.85}, 0.17,
                                  (const double[3]){0.72, -0.14, 0.58}, 0.13),
                       0.08);
    value = solid_join(value, solid_ball(p, 0.79, -0.17, 0.54, 0.155), 0.03);
    value = solid_join(
        value,
        solid_ellipsoid(p, (const double[3]){0.0, -0.27, 1.05}, (const double[3]){0.23, 0.15, 0.3}),
        0.03);
    value = solid_join(value, solid_ball(p, 0.0, -0.33, 1.31, 0.07), 0.02);
    value = solid_join(value, hoop(p, 1.47, 0.25, 0.095), 0.03);
    value = solid_join(value,
                       solid_limb(p, (const double[3]){0.0, 0.0, 1.5}, 0.27,
                                  (const double[3]){0.0, 0.0, 2.02}, 0.12),
                       0.04);
    return solid_join(value, solid_ball(p, 0.0, 0.0, 2.12, 0.17), 0.03);
}

const implicit_solid solid_santa = {
    .value = santa,
    .lower = {-1.05, -0.65, -0.4},
    .upper = {1.05, 0.65, 2.4},
    .finest = 0.06,
};

static double fish(const double point[3])
{
    const double p[3] = {point[0], fabs(point[1]), point[2]};
    double value =
        solid_ellipsoid(p, (const double[3]){0.15, 0.0, 0.0}, (const double[3]){0.8, 0.22, 0.36});
    value = solid_join(value,
                       solid_limb(p, (const double[3]){-0.3, 0.0, 0.0}, 0.2,
                                  (const double[3]){-0.95, 0.0, 0.0}, 0.08),
                       0.1);
    for (int side = -1; side <= 1; side += 2) {
        value = solid_join(value,
                           solid_limb(p, (const double[3]){-0.92, 0.0, 0.06 * side}, 0.08,
                                      (const double[3]){-1.32, 0.0, 0.4 * side}, 0.045),
                           0.08);
    }
    value = solid_join(
        value,
        solid_ellipsoid(p, (const double[3]){0.0, 0.0, 0.36}, (const double[3]){0.34, 0.065, 0.2}),
        0.05);
    value = solid_join(value,
                       solid_limb(p, (const double[3]){0.32, 0.15, -0.1}, 0.075,
                                  (const double[3]){0.02, 0.45, -0.28}, 0.045),
                       0.05);
    value = solid_join(value, solid_ball(p, 0.62, 0.13, 0.09, 0.07), 0.02);
    /* The mouth: a ball cut out of the front. */
    return fmax(value, -solid_ball(p, 1.06, 0.0, -0.09, 0.16));
}

const implicit_solid solid_fish = {
    .value = fish,
    .lower = {-1.5, -0.6, -0.6},
    .upper = {1.15, 0.6, 0.7},
    .finest = 0.035,
};

/* A pattern of winding lines: zero along them, growing to either side. */
static double winding(const double p[3])
{
    double q[3];
    for (int axis = 0; axis < 3; axis++) {
        q[axis] = 7.0 * p[axis] + 1.0 * gallery_sin(4.3 * p[(axis + 1) % 3] + 1.7 * axis);
    }
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        sum += gallery_sin(q[axis]) * gallery_cos(q[(axis + 1) % 3]);
    }
    return sum;
}

/* Cuts grooves along the lines. The lines are drawn on an ellipsoid and the grooves lead straight
   to its centre, so that no two of them meet below the surface. */
static double fold(double value, double depth, const double p[3], const double centre[3],
                   const double radii[3])
{
    double drawn[3], square = 0.0;
    if (value < -0.3 || value > 0.3 || depth <= 0.0) {
        return value;
    }
    for (int axis = 0; axis < 3; axis++) {
        drawn[axis] = (p[axis] - centre[axis]) / radii[axis];
        square += drawn[axis] * drawn[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        drawn[axis] *= 0.8 / sqrt(square + 0.01);
    }
    double line = winding(drawn);
    double groove = fmax(1.0 - line * line, 0.0);
    return value + depth * (groove - 0.25);
}

static double brain(const double point[3])
{
    static const double centre[3] = {0.36, 0.0, 0.12}, radii[3] = {0.47, 0.95, 0.68};
    const double p[3] = {fabs(point[0]), point[1], point[2]}; /* two halves */
    double value = solid_ellipsoid(p, centre, radii);
    value = solid_join(value,
                       solid_ellipsoid(p, (const double[3]){0.42, -0.2, -0.22},
                                       (const double[3]){0.36, 0.5, 0.34}),
                       0.1);
    double little =
        solid_ellipsoid(p, (const double[3]){0.2, 0.55, -0.42}, (const double[3]){0.3, 0.34, 0.24});
    double stem = solid_limb(p, (const double[3]){0.0, 0.12, -0.2}, 0.22,
                             (const double[3]){0.0, 0.32, -0.85}, 0.15);
    /* Grooves end before the cleft between the halves and before what grows out below: a groove
       with a lid would be a tunnel. */
    double room = fmin(p[0], fmin(little, stem)) - 0.03;
    value = fold(value, 0.11 * fmin(room / 0.1, 1.0), p, centre, radii);
    little += 0.012 * gallery_sin(38.0 * p[2]);
    return solid_join(solid_join(value, little, 0.05), stem, 0.06);
}

const implicit_solid solid_brain = {
    .value = brain,
    .lower = {-1.05, -1.15, -1.15},
    .upper = {1.05, 1.15, 1.0},
    .finest = 0.045,
};
