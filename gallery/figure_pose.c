#include "figure.h"

#include <math.h>
#include <string.h>

/* Bones by name. Of two sides, the left one (at positive x) comes first. */
enum {
    PELVIS,
    SPINE,
    CHEST,
    NECK,
    HEAD,
    COLLAR,
    UPPER_ARM = COLLAR + 2,
    FOREARM = UPPER_ARM + 2,
    HAND = FOREARM + 2,
    THIGH = HAND + 2,
    SHIN = THIGH + 2,
    FOOT = SHIN + 2,
    TOES = FOOT + 2,
};

#define SIDES(parent, x0, y0, z0, x1, y1, z1, body, coat)                                          \
    {(parent), {(x0), (y0), (z0)}, {(x1), (y1), (z1)}, (body), (coat)},                            \
    {                                                                                              \
        (parent) > HEAD ? (parent) + 1 : (parent), {-(x0), (y0), (z0)}, {-(x1), (y1), (z1)},       \
            (body), (coat)                                                                         \
    }

/* The coat is stiff: below the belt it hangs from the hips more than it follows the thighs. */
const figure_bone figure_bones[FIGURE_BONES] = {
    {-1, {0.0, 0.0, 0.95}, {0.0, 0.0, 1.03}, 1.0, 1.0},
    {PELVIS, {0.0, 0.0, 1.03}, {0.0, 0.0, 1.2}, 1.0, 1.0},
    {SPINE, {0.0, 0.0, 1.2}, {0.0, 0.0, 1.42}, 1.0, 1.0},
    {CHEST, {0.0, 0.0, 1.45}, {0.0, -0.01, 1.54}, 1.0, 0.0},
    {NECK, {0.0, -0.01, 1.56}, {0.0, -0.02, 1.74}, 1.0, 0.0},
    SIDES(CHEST, 0.04, 0.0, 1.4, 0.16, 0.0, 1.41, 0.4, 0.4),
    SIDES(COLLAR, 0.19, 0.0, 1.38, 0.37, 0.0, 1.15, 1.0, 1.0),
    SIDES(UPPER_ARM, 0.37, 0.0, 1.15, 0.51, -0.03, 0.94, 1.0, 0.0),
    SIDES(FOREARM, 0.51, -0.03, 0.94, 0.57, -0.05, 0.82, 1.0, 0.0),
    SIDES(PELVIS, 0.11, 0.0, 0.92, 0.115, -0.01, 0.5, 1.0, 0.12),
    SIDES(THIGH, 0.115, -0.01, 0.5, 0.115, 0.01, 0.1, 1.0, 0.0),
    SIDES(SHIN, 0.115, 0.01, 0.1, 0.12, -0.1, 0.045, 1.0, 0.0),
    SIDES(FOOT, 0.12, -0.1, 0.045, 0.12, -0.18, 0.04, 1.0, 0.0),
};

/* Angles by which a bone turns against its parent: about x, then y, then z. */
typedef double figure_angles[FIGURE_BONES][3];

static double ease(double x)
{
    x = fmin(fmax(x, 0.0), 1.0);
    return x * x * (3.0 - 2.0 * x);
}

/* Legs swing against each other, and arms against the legs; -x turns a limb forwards. */
static void walk(double share, double stride, const double phases[3], figure_angles angles)
{
    for (int side = 0; side < 2; side++) {
        double swing = gallery_sin(stride + (side == 0 ? 0.0 : GALLERY_PI));
        double lift = fmax(gallery_cos(stride + (side == 0 ? 0.0 : GALLERY_PI)), 0.0);
        angles[THIGH + side][0] -= share * (0.42 * swing + 0.1 * lift);
        angles[SHIN + side][0] += share * (0.12 + 0.75 * lift);
        angles[FOOT + side][0] += share * (0.15 * swing - 0.15 * lift);
        angles[TOES + side][0] -= share * 0.3 * fmax(-swing, 0.0);
        angles[UPPER_ARM + side][0] += share * (0.45 + 0.1 * gallery_sin(phases[1])) * swing;
        angles[FOREARM + side][0] -= share * (0.4 - 0.2 * swing);
        angles[COLLAR + side][2] += share * 0.06 * swing;
    }
    angles[PELVIS][2] += share * 0.08 * gallery_sin(stride);
    angles[SPINE][2] -= share * 0.06 * gallery_sin(stride);
    angles[CHEST][2] -= share * 0.1 * gallery_sin(stride);
    angles[HEAD][2] += share * 0.08 * gallery_sin(stride);
    angles[HEAD][0] += share * 0.05 * gallery_sin(2.0 * stride + phases[2]);
}

/* Thighs go up to level, the trunk leans forwards and the arms with it. */
static void squat(double share, figure_angles angles)
{
    for (int side = 0; side < 2; side++) {
        double outwards = side == 0 ? 1.0 : -1.0;
        angles[THIGH + side][0] -= share * 1.75;
        angles[THIGH + side][1] -= share * 0.12 * outwards;
        angles[SHIN + side][0] += share * 2.1;
        angles[FOOT + side][0] -= share * 0.7;
        angles[UPPER_ARM + side][0] -= share * 0.9;
        angles[FOREARM + side][0] -= share * 0.5;
        angles[HAND + side][0] += share * 0.2;
    }
    angles[PELVIS][0] += share * 0.35;
    angles[SPINE][0] += share * 0.15;
    angles[CHEST][0] += share * 0.1;
    angles[NECK][0] -= share * 0.2;
    angles[HEAD][0] -= share * 0.3;
}

typedef struct figure_frame {
    double rotation[3][3], joint[3]; /* where the joint has gone */
} figure_frame;

static void turn(const double angles[3], double rotation[3][3])
{
    double c[3], s[3];
    for (int axis = 0; axis < 3; axis++) {
        c[axis] = gallery_cos(angles[axis]);
        s[axis] = gallery_sin(angles[axis]);
    }
    const double rows[3][3] = {
        {c[2] * c[1], c[2] * s[1] * s[0] - s[2] * c[0], c[2] * s[1] * c[0] + s[2] * s[0]},
        {s[2] * c[1], s[2] * s[1] * s[0] + c[2] * c[0], s[2] * s[1] * c[0] - c[2] * s[0]},
        {-s[1], c[1] * s[0], c[1] * c[0]}};
    memcpy(rotation, rows, sizeof rows);
}

/* Where a bone's frame takes a point that was at `point` at rest. */
static void carry(const figure_frame *frame, const double joint[3], const double point[3],
                  double place[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const double *row = frame->rotation[axis];
        place[axis] = frame->joint[axis] + row[0] * (point[0] - joint[0]) +
                      row[1] * (point[1] - joint[1]) + row[2] * (point[2] - joint[2]);
    }
}

/* From the pelvis outwards. */
static void chain(figure_angles angles, figure_frame frames[FIGURE_BONES])
{
    for (int i = 0; i < FIGURE_BONES; i++) {
        const figure_bone *bone = &figure_bones[i];
        double own[3][3];
        turn(angles[i], own);
        if (bone->parent < 0) {
            memcpy(frames[i].rotation, own, sizeof own);
            memcpy(frames[i].joint, bone->joint, sizeof bone->joint);
            continue;
        }
        const figure_frame *parent = &frames[bone->parent];
        carry(parent, figure_bones[bone->parent].joint, bone->joint, frames[i].joint);
        for (int k = 0; k < 9; k++) {
            const double *row = parent->rotation[k / 3];
            int column = k % 3;
            frames[i].rotation[k / 3][column] =
                row[0] * own[0][column] + row[1] * own[1][column] + row[2] * own[2][column];
        }
    }
}

/* Puts the lower foot on the ground, and under the body when the figure squats. */
static void stand(double crouch, double way, figure_frame frames[FIGURE_BONES])
{
    double left = frames[FOOT].joint[2], right = frames[FOOT + 1].joint[2];
    double down = fmin(left, right) - figure_bones[FOOT].joint[2];
    double back = 0.5 * (frames[FOOT].joint[1] + frames[FOOT + 1].joint[1]);
    for (int i = 0; i < FIGURE_BONES; i++) {
        frames[i].joint[2] -= down;
        frames[i].joint[1] -= crouch * (back - figure_bones[FOOT].joint[1]) + way;
    }
}

/* How the bones' frames move what follows them. */
static void put_transforms(const figure_frame frames[FIGURE_BONES],
                           float transforms[12 * FIGURE_BONES])
{
    for (int i = 0; i < FIGURE_BONES; i++) {
        static const double origin[3] = {0.0, 0.0, 0.0};
        double moved[3];
        carry(&frames[i], figure_bones[i].joint, origin, moved);
        for (int row = 0; row < 3; row++) {
            float *numbers = transforms + 12 * i + 4 * row;
            for (int column = 0; column < 3; column++) {
                numbers[column] = (float)frames[i].rotation[row][column];
            }
            numbers[3] = (float)moved[row];
        }
    }
}

void figure_pose(double time, const double phases[3], float coordinates[FIGURE_MODES],
                 float transforms[12 * FIGURE_BONES])
{
    figure_angles angles = {{0.0}};
    figure_frame frames[FIGURE_BONES];
    /* It walks for six tenths of the time, squats, and stands up again. */
    double pace = 22.0 + 2.0 * gallery_sin(phases[0]);
    double walking = ease(time / 0.08) * ease((0.6 - time) / 0.08);
    double crouch = ease((time - 0.62) / 0.14) * ease((1.0 - time) / 0.14);
    walk(walking, pace * time, phases, angles);
    squat(crouch, angles);
    chain(angles, frames);
    stand(crouch, 1.8 * ease(time / 0.6), frames);
    put_transforms(frames, transforms);
    coordinates[0] = (float)(0.5 - 0.5 * gallery_cos(25.0 * time));
    coordinates[1] = (float)(ease((time - 0.6) / 0.2) * ease((1.0 - time) / 0.05));
    coordinates[2] = (float)(ease(time / 0.1) * gallery_sin(40.0 * time + phases[2]));
}

void figure_stroll(double seconds, const double phases[3], float coordinates[FIGURE_MODES],
                   float transforms[12 * FIGURE_BONES])
{
    figure_angles angles = {{0.0}};
    figure_frame frames[FIGURE_BONES];
    double begun = ease(seconds / 0.4);
    walk(begun, 5.3 * seconds, phases, angles);
    chain(angles, frames);
    stand(0.0, 0.0, frames);
    put_transforms(frames, transforms);
    coordinates[0] = (float)(0.5 - 0.5 * gallery_cos(2.5 * seconds));
    coordinates[1] = 0.0f;
    coordinates[2] = 0.0f;
}
