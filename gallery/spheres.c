/*
 * Based on: T. Larsson, T. Akenine-Moller, "Collision Detection for Continuously Deforming Bodies",
 * 2001, experiment 1: two bumpy spheres, whose bumps travel, move slowly into each other.
 * The paper gives neither bumps nor paths. Ours are chosen to meet what it does give for 20,480
 * triangles, with seed 1: first contact near step 60 of 200 and about 3,760 pairs at step 200.
 */
#include "gallery.h"

#include <math.h>
#include <string.h>

#define BUMP_HEIGHT    0.08  /* the radius stays within 1 +- 8 % */
#define BUMP_FREQUENCY 14.0  /* of the three waves, along the body's axes, */
#define BUMP_TRIANGLES 20480 /* chosen for a body of so many triangles */
#define BUMP_TURNS     12.0  /* radians that the waves travel from start to end */
#define START_DISTANCE 2.83
#define END_DISTANCE   0.0785

static bool create(gallery_scene *scene, uint32_t triangles)
{
    return mesh_make_sphere(triangles, &scene->bodies[0]) &&
           mesh_make_sphere(triangles, &scene->bodies[1]);
}

static void place(const gallery_scene *scene, uint32_t body, double time,
                  gallery_placement *placement)
{
    memcpy(placement->rotation, scene->rotations[body], sizeof placement->rotation);
    double distance = START_DISTANCE + (END_DISTANCE - START_DISTANCE) * time;
    placement->translation[0] = body == 0 ? -0.5 * distance : 0.5 * distance;
    placement->translation[1] = 0.0;
    placement->translation[2] = 0.0;
}

static void evaluate_bumps(const gallery_scene *scene, uint32_t body, double frequency, double time,
                           const gallery_placement *placement, float *positions)
{
    static const double speeds[3] = {1.0, -1.3, 0.7};
    double phases[3];
    for (int axis = 0; axis < 3; axis++) {
        phases[axis] = scene->phases[body][axis] + speeds[axis] * BUMP_TURNS * time;
    }
    const float *direction = scene->rest[body];
    for (uint32_t i = 0; i < scene->bodies[body].vertex_count; i++, direction += 3) {
        double waves = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            waves += gallery_sin(frequency * (double)direction[axis] + phases[axis]);
        }
        double radius = 1.0 + BUMP_HEIGHT / 3.0 * waves;
        double point[3];
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = radius * (double)direction[axis];
        }
        gallery_put(placement, point, positions + (size_t)3 * i);
    }
}

static void evaluate(const gallery_scene *scene, uint32_t body, double time,
                     const gallery_placement *placement, float *positions)
{
    evaluate_bumps(scene, body, BUMP_FREQUENCY, time, placement, positions);
}

/* Bumps as fine as the mesh: always as many triangles to a bump. */
static void evaluate_fine(const gallery_scene *scene, uint32_t body, double time,
                          const gallery_placement *placement, float *positions)
{
    double finer = (double)scene->bodies[body].triangle_count / BUMP_TRIANGLES;
    evaluate_bumps(scene, body, BUMP_FREQUENCY * sqrt(finer), time, placement, positions);
}

const gallery_kind gallery_spheres = {
    .name = "spheres",
    .title = "Two bumpy spheres move into each other",
    .description = "two bumpy spheres, whose bumps travel, move into each other (Larsson and "
                   "Akenine-Moller 2001, experiment 1)",
    .body_count = 2,
    .triangles = 20480,
    .steps = 200,
    .create = create,
    .place = place,
    .evaluate = evaluate,
};

const gallery_kind gallery_spheres_fine = {
    .name = "spheres-fine",
    .title = "Two spheres with fine bumps move into each other",
    .description = "the same with bumps as fine as the mesh, so that the number of triangles that "
                   "touch grows as that of all triangles",
    .body_count = 2,
    .triangles = 20480,
    .steps = 200,
    .create = create,
    .place = place,
    .evaluate = evaluate_fine,
};
