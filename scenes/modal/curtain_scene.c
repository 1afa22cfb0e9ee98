/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree", 2004, section 4: a ball thrown at a compressed
 * animation of a curtain, 110 frames.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "models.h"

typedef struct curtain_state {
    modal_animation animation;
    modal_ball balls[MODAL_CURTAIN_FRAMES];
} curtain_state;

static bool create(scene_instance *scene, uint32_t triangles)
{
    curtain_state *own = calloc(1, sizeof *own);
    scene->own = own;
    if (own == NULL ||
        !modal_make_curtain(triangles, scene->seed, &scene->bodies[0], &own->animation,
                            own->balls) ||
        !modal_copy_model(own->animation.modes, own->animation.mode_count,
                          own->animation.vertex_count, false, &scene->models[0]) ||
        !mesh_make_sphere(triangles < 2000 ? 320 : 1280, &scene->bodies[1])) {
        return false;
    }
    for (size_t i = 0; i < 3 * (size_t)scene->bodies[1].vertex_count; i++) {
        scene->bodies[1].positions[i] *= (float)MODAL_BALL_RADIUS;
    }
    scene->models[1].node_count = 1;
    return true;
}

static void destroy(scene_instance *scene)
{
    curtain_state *own = scene->own;
    if (own != NULL) {
        modal_animation_free(&own->animation);
        free(own);
    }
}

/* Between two frames in proportion; the ball turns about x. */
static void place_ball(const curtain_state *own, double frame, float transform[12])
{
    uint32_t before = (uint32_t)fmin(floor(frame), MODAL_CURTAIN_FRAMES - 2);
    const modal_ball *from = &own->balls[before], *to = &own->balls[before + 1];
    double share = frame - before, angle = from->turned + share * (to->turned - from->turned);
    float cosine = (float)scene_cos(angle), sine = (float)scene_sin(angle);
    const float rotation[3][3] = {{1, 0, 0}, {0, cosine, -sine}, {0, sine, cosine}};
    for (int row = 0; row < 3; row++) {
        memcpy(transform + 4 * row, rotation[row], sizeof rotation[row]);
        transform[4 * row + 3] =
            (float)(from->centre[row] + share * (to->centre[row] - from->centre[row]));
    }
}

static void state(const scene_instance *scene, uint32_t body, uint32_t step, float *coordinates,
                  float *transforms)
{
    const curtain_state *own = scene->own;
    double frame = (double)step / scene->steps * (MODAL_CURTAIN_FRAMES - 1);
    if (body == 0) {
        modal_animation_at(&own->animation, frame, coordinates);
    } else {
        place_ball(own, frame, transforms);
    }
}

const scene_kind scene_curtain = {
    .name = "curtain",
    .title = "A ball is thrown at a curtain",
    .description = "a curtain of 12 principal components of a cloth simulation, and a ball thrown "
                   "at it (James and Pai 2004)",
    .body_count = 2,
    .triangles = MODAL_CURTAIN_FACES,
    .steps = MODAL_CURTAIN_FRAMES - 1,
    .create = create,
    .destroy = destroy,
    .state = state,
};
