/* A torus knot moves through a body with ears: two closed bodies whose overlap comes and goes. */
#include "closed.h"

#include <string.h>

static bool create(gallery_scene *scene, uint32_t triangles)
{
    uint32_t second = (uint32_t)((uint64_t)triangles * closed_triangles(CLOSED_RABBIT) /
                                 closed_triangles(CLOSED_KNOT));
    return closed_make(CLOSED_KNOT, triangles, &scene->bodies[0]) &&
           closed_make(CLOSED_RABBIT, second, &scene->bodies[1]);
}

static void place(const gallery_scene *scene, uint32_t body, double time,
                  gallery_placement *placement)
{
    memcpy(placement->rotation, scene->rotations[body], sizeof placement->rotation);
    placement->translation[0] = body == 0 ? 2.2 - 3.2 * time : 0.0;
    placement->translation[1] = 0.0;
    placement->translation[2] = body == 0 ? 0.2 : 0.0;
}

static void evaluate(const gallery_scene *scene, uint32_t body, double time,
                     const gallery_placement *placement, float *positions)
{
    closed_deform(scene->rest[body], scene->bodies[body].vertex_count,
                  time + scene->phases[body][0], placement, positions);
}

const gallery_kind gallery_volumes = {
    .name = "volumes",
    .title = "A torus knot moves through a body with ears",
    .description = "a torus knot moves through a body with ears, both closed and swaying (after "
                   "Heidelberger, Teschner and Gross 2003)",
    .body_count = 2,
    .triangles = 12000,
    .steps = 100,
    .create = create,
    .place = place,
    .evaluate = evaluate,
};
