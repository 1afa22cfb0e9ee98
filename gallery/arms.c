/*
 * Two bodies with six waving arms each pass through each other. The body is the second kind of
 * experiment 3 in T. Larsson, T. Akenine-Moller, "Collision Detection for Continuously Deforming
 * Bodies", 2001, which shows but does not define it; this one is ours.
 *
 * A unit sphere is drawn in to a core and pulled out along six axes. At each height above the core
 * an arm's cross-section is shifted sideways; cross-sections of different heights cannot meet, so
 * an arm never touches itself, however it waves.
 */
#include "arms.h"

#include <math.h>
#include <string.h>

#define ARM_LENGTH 0.55
#define STRETCH    0.15 /* share by which arms grow and shrink */
#define ARM_COSINE 0.85 /* of the angle from an arm's axis to its foot */
#define SWAY       0.25 /* how far a tip is shifted */
#define WAVE       2.5  /* radians that a tip lags behind the root */
#define TURNS      12.0 /* radians that arms wave from start to end */
#define START      1.2  /* half the distance of the bodies */

/* An arm at one time. Arm k points along axis k / 2, forwards if k is even. */
typedef struct arm_state {
    int axis;
    double sign, length, phase;
} arm_state;

static arm_state state_of(const gallery_scene *scene, uint32_t body, uint32_t arm, double time)
{
    arm_state state = {.axis = (int)(arm / 2), .sign = arm % 2 == 0 ? 1.0 : -1.0};
    double speed = TURNS * (1.0 + 0.1 * (double)arm);
    state.phase = scene->phases[body][state.axis] + 2.0 * (double)arm + speed * time;
    state.length = ARM_LENGTH * (1.0 + STRETCH * gallery_sin(0.7 * state.phase));
    return state;
}

/* Shifts a point of the cross-section at `height` sideways. */
static void sway(const arm_state *arm, double height, double point[3])
{
    double angle = arm->phase - WAVE * height;
    double shift = SWAY * height * height;
    point[(arm->axis + 1) % 3] += shift * gallery_sin(angle);
    point[(arm->axis + 2) % 3] += shift * gallery_cos(1.3 * angle);
}

double arms_middle(const gallery_scene *scene, uint32_t body, uint32_t arm, double height,
                   double time, double point[3])
{
    arm_state state = state_of(scene, body, arm, time);
    double cosine = ARM_COSINE + (1.0 - ARM_COSINE) * sqrt(height);
    double radius = ARMS_CORE_RADIUS + height * state.length;
    memset(point, 0, 3 * sizeof *point);
    point[state.axis] = state.sign * radius * cosine;
    sway(&state, height, point);
    return radius * sqrt(1.0 - cosine * cosine);
}

static void evaluate(const gallery_scene *scene, uint32_t body, double time,
                     const gallery_placement *placement, float *positions)
{
    arm_state arms[ARMS_COUNT];
    for (uint32_t arm = 0; arm < ARMS_COUNT; arm++) {
        arms[arm] = state_of(scene, body, arm, time);
    }
    const float *direction = scene->rest[body];
    for (uint32_t i = 0; i < scene->bodies[body].vertex_count; i++, direction += 3) {
        double point[3];
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = ARMS_CORE_RADIUS * (double)direction[axis];
        }
        /* Feet are too narrow to overlap: a vertex is part of one arm at most. */
        for (uint32_t arm = 0; arm < ARMS_COUNT; arm++) {
            double cosine = arms[arm].sign * (double)direction[arms[arm].axis];
            if (cosine > ARM_COSINE) {
                double along = (cosine - ARM_COSINE) / (1.0 - ARM_COSINE);
                double height = along * along;
                for (int axis = 0; axis < 3; axis++) {
                    point[axis] += height * arms[arm].length * (double)direction[axis];
                }
                sway(&arms[arm], height, point);
            }
        }
        gallery_put(placement, point, positions + (size_t)3 * i);
    }
}

static bool create(gallery_scene *scene, uint32_t triangles)
{
    return mesh_make_sphere(triangles, &scene->bodies[0]) &&
           mesh_make_sphere(triangles, &scene->bodies[1]);
}

static void place(const gallery_scene *scene, uint32_t body, double time,
                  gallery_placement *placement)
{
    double side = body == 0 ? -1.0 : 1.0;
    memcpy(placement->rotation, scene->rotations[body], sizeof placement->rotation);
    placement->translation[0] = side * START * (1.0 - 2.0 * time);
    placement->translation[1] = side * 0.3;
    placement->translation[2] = 0.0;
}

const gallery_kind gallery_arms = {
    .name = "arms",
    .title = "Two bodies with waving arms pass through each other",
    .description = "two bodies with six waving arms each pass through each other",
    .body_count = 2,
    .triangles = 5120,
    .steps = 200,
    .create = create,
    .place = place,
    .evaluate = evaluate,
};
