/* One rippled sheet that rolls up until its ends pass through each other: for self queries. */
#include "gallery.h"

#include <math.h>
#include <string.h>

#define START_ANGLE   1.0 /* that half of the sheet is bent by */
#define END_ANGLE     4.4 /* beyond pi the ends overlap */
#define RIPPLE_HEIGHT 0.03

static bool create(gallery_scene *scene, uint32_t triangles)
{
    uint32_t side = (uint32_t)floor(sqrt((double)triangles / 2.0) + 0.5);
    side = side > 0 ? side : 1;
    return mesh_make_sheet(side, side, &scene->bodies[0]);
}

static void place(const gallery_scene *scene, uint32_t body, double time,
                  gallery_placement *placement)
{
    (void)time;
    memset(placement, 0, sizeof *placement);
    memcpy(placement->rotation, scene->rotations[body], sizeof placement->rotation);
}

static void evaluate(const gallery_scene *scene, uint32_t body, double time,
                     const gallery_placement *placement, float *positions)
{
    double angle = START_ANGLE + (END_ANGLE - START_ANGLE) * time;
    double phase = scene->phases[body][0] + 6.0 * time;
    const float *rest = scene->rest[body];
    for (uint32_t i = 0; i < scene->bodies[body].vertex_count; i++, rest += 3) {
        double u = (double)rest[0];
        double v = (double)rest[1];
        double ripple = gallery_sin(9.0 * u + phase) + gallery_sin(7.0 * v - 1.3 * phase + 4.0 * u);
        /* A slight cone: one end of the roll is narrower than the other. */
        double radius = (1.0 + 0.1 * v) / angle + RIPPLE_HEIGHT * ripple;
        double point[3] = {radius * gallery_sin(angle * u), v, -radius * gallery_cos(angle * u)};
        gallery_put(placement, point, positions + (size_t)3 * i);
    }
}

const gallery_kind gallery_cloth = {
    .name = "cloth",
    .title = "A sheet rolls up through itself",
    .description = "one rippled sheet rolls up until its ends pass through each other",
    .body_count = 1,
    .triangles = 5000,
    .steps = 200,
    .self = true,
    .create = create,
    .place = place,
    .evaluate = evaluate,
};
