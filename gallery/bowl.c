/* A bumpy ball sinks through an open bowl: bodies of different shape and size, one of them open. */
#include "gallery.h"

#include <string.h>

static bool create(gallery_scene *scene, uint32_t triangles)
{
    uint32_t ball_triangles = triangles / 3 > 20 ? triangles / 3 : 20;
    return mesh_make_sphere(triangles + triangles / 2, &scene->bodies[0]) &&
           mesh_cut_above(&scene->bodies[0], 0.3f) &&
           mesh_make_sphere(ball_triangles, &scene->bodies[1]);
}

static void place(const gallery_scene *scene, uint32_t body, double time,
                  gallery_placement *placement)
{
    /* The bowl itself keeps its opening upwards, so only the ball is turned. */
    static const double upright[3][3] = {{0.96, 0.28, 0.0}, {-0.28, 0.96, 0.0}, {0.0, 0.0, 1.0}};
    const double *rotation = body == 0 ? upright[0] : scene->rotations[body][0];
    memcpy(placement->rotation, rotation, sizeof placement->rotation);
    placement->translation[0] = body == 0 ? 0.0 : 0.07;
    placement->translation[1] = body == 0 ? 0.0 : -0.11;
    placement->translation[2] = body == 0 ? 0.0 : 1.1 - 2.4 * time;
}

static void evaluate(const gallery_scene *scene, uint32_t body, double time,
                     const gallery_placement *placement, float *positions)
{
    double size = body == 0 ? 1.0 : 0.55;
    double sway = body == 0 ? 0.06 : 0.08;
    double phase = scene->phases[body][0] + 9.0 * time;
    const float *direction = scene->rest[body];
    for (uint32_t i = 0; i < scene->bodies[body].vertex_count; i++, direction += 3) {
        double wave = gallery_sin(6.0 * (double)direction[0] + phase) *
                      gallery_cos(5.0 * (double)direction[1] - phase + 3.0 * (double)direction[2]);
        double radius = size * (1.0 + sway * wave);
        double point[3];
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = radius * (double)direction[axis];
        }
        gallery_put(placement, point, positions + (size_t)3 * i);
    }
}

const gallery_kind gallery_bowl = {
    .name = "bowl",
    .title = "A bumpy ball sinks through a bowl",
    .description = "a bumpy ball sinks through an open bowl of three times its triangles",
    .body_count = 2,
    .triangles = 5120,
    .steps = 200,
    .create = create,
    .place = place,
    .evaluate = evaluate,
};
