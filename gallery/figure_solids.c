#include "figure.h"

#include <math.h>

#include "gallery/meshless/solids.h"

#define CLEARANCE 0.04 /* between body and coat, at rest */

/* The trunk, all radii larger by `more`. Points are of the left half. */
static double trunk(const double p[3], double more)
{
    double value = solid_ellipsoid(p, (const double[3]){0.0, 0.01, 0.98},
                                   (const double[3]){0.18 + more, 0.125 + more, 0.14 + more});
    value = solid_join(value,
                       solid_ellipsoid(p, (const double[3]){0.0, 0.0, 1.12},
                                       (const double[3]){0.145 + more, 0.11 + more, 0.17 + more}),
                       0.08);
    return solid_join(value,
                      solid_ellipsoid(p, (const double[3]){0.0, 0.0, 1.3},
                                      (const double[3]){0.175 + more, 0.12 + more, 0.19 + more}),
                      0.08);
}

static double upper_arm(const double p[3], double more)
{
    return solid_limb(p, (const double[3]){0.16, 0.0, 1.4}, 0.06 + more,
                      (const double[3]){0.37, 0.0, 1.15}, 0.045 + more);
}

static double body(const double point[3])
{
    const double p[3] = {fabs(point[0]), point[1], point[2]};
    double value = trunk(p, 0.0);
    value = solid_join(value,
                       solid_limb(p, (const double[3]){0.0, 0.0, 1.42}, 0.058,
                                  (const double[3]){0.0, -0.01, 1.57}, 0.052),
                       0.05);
    value = solid_join(value,
                       solid_ellipsoid(p, (const double[3]){0.0, -0.02, 1.67},
                                       (const double[3]){0.085, 0.105, 0.125}),
                       0.02);
    value = solid_join(value, solid_ball(p, 0.0, -0.128, 1.66, 0.022), 0.02);
    value = solid_join(value, upper_arm(p, 0.0), 0.04);
    value = solid_join(value,
                       solid_limb(p, (const double[3]){0.37, 0.0, 1.15}, 0.045,
                                  (const double[3]){0.51, -0.03, 0.94}, 0.034),
                       0.01);
    value = solid_join(value,
                       solid_limb(p, (const double[3]){0.52, -0.033, 0.92}, 0.04,
                                  (const double[3]){0.57, -0.05, 0.82}, 0.03),
                       0.015);
    value = solid_join(value,
                       solid_limb(p, (const double[3]){0.11, 0.0, 0.92}, 0.092,
                                  (const double[3]){0.115, -0.01, 0.5}, 0.062),
                       0.03);
    value = solid_join(value,
                       solid_limb(p, (const double[3]){0.115, -0.01, 0.5}, 0.06,
                                  (const double[3]){0.115, 0.01, 0.1}, 0.042),
                       0.01);
    return solid_join(value,
                      solid_limb(p, (const double[3]){0.115, 0.015, 0.06}, 0.05,
                                 (const double[3]){0.12, -0.15, 0.042}, 0.04),
                      0.02);
}

const implicit_solid figure_body = {
    .value = body,
    .lower = {-0.7, -0.3, -0.05},
    .upper = {0.7, 0.25, 1.9},
    .finest = 0.022,
};

static double coat(const double point[3])
{
    const double p[3] = {fabs(point[0]), point[1], point[2]};
    const double flat[3] = {p[0], 1.15 * p[1], p[2]};
    double value = trunk(p, CLEARANCE);
    value = solid_join(value,
                       solid_limb(flat, (const double[3]){0.0, 0.0, 0.95}, 0.225,
                                  (const double[3]){0.0, 0.0, 0.45}, 0.28),
                       0.06);
    return solid_join(value, upper_arm(p, CLEARANCE), 0.05);
}

bool figure_is_cloth(const double point[3])
{
    double out = fabs(point[0]);
    bool sleeve = out > 0.27 && point[2] > 0.95;
    double past_elbow = (out - 0.37) * 0.21 - (point[2] - 1.15) * 0.25;
    return point[2] > 0.53 && point[2] < 1.45 && !(sleeve && past_elbow > -0.01);
}

const implicit_solid figure_coat = {
    .value = coat,
    .lower = {-0.6, -0.4, 0.1},
    .upper = {0.6, 0.4, 1.65},
    .finest = 0.03,
};

void figure_morph(uint32_t mode, const double point[3], double offset[3])
{
    /* Bumps around a place, which move the surface along its normal. */
    static const double places[FIGURE_MODES][3] = {
        {0.0, -0.08, 1.3}, {0.0, -0.12, 1.08}, {0.0, -0.1, 1.6}};
    static const double sizes[FIGURE_MODES] = {0.22, 0.17, 0.07};
    static const double heights[FIGURE_MODES] = {0.012, 0.022, 0.01};
    double square = 0.0, normal[3];
    for (int axis = 0; axis < 3; axis++) {
        double d = (point[axis] - places[mode][axis]) / sizes[mode];
        square += d * d;
    }
    double rest = fmax(1.0 - square, 0.0);
    surface_normal(&figure_body, point, 0.01, normal);
    for (int axis = 0; axis < 3; axis++) {
        offset[axis] = heights[mode] * rest * rest * normal[axis];
    }
}
