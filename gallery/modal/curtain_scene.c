/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree", 2004, section 4: a ball thrown at a compressed
 * animation of a curtain, 110 frames. In that scene the curtain knows nothing of the ball. In the
 * other it was simulated together with the ball, which is not the paper's and far more to compute:
 * the ball pushes the curtain ahead of it for nine frames.
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

static bool create(gallery_scene *scene, modal_curtain motion, uint32_t triangles)
{
    curtain_state *own = calloc(1, sizeof *own);
    scene->own = own;
    if (own == NULL ||
        !modal_make_curtain(motion, triangles, scene->seed, scene->isa, &scene->bodies[0],
                            &own->animation, own->balls) ||
        !modal_copy_model(own->animation.modes, own->animation.mode_count,
                          own->animation.vertex_count, false, &scene->models[0]) ||
        !mesh_make_sphere(triangles < 2000 ? 320 : 1280, &scene->bodies[1])) {
        return false;
    }
    for (size_t i = 0; i < 3 * (size_t)scene->bodies[1].vertex_count; i++) {
        scene->bodies[1].positions[i] *= (float)MODAL_BALL_RADIUS;
    }
    scene->models[1].joint_count = 1;
    return true;
}

static bool create_blown(gallery_scene *scene, uint32_t triangles)
{
    return create(scene, MODAL_CURTAIN_BLOWN, triangles);
}

static bool create_pushed(gallery_scene *scene, uint32_t triangles)
{
    return create(scene, MODAL_CURTAIN_PUSHED, triangles);
}

static void destroy(gallery_scene *scene)
{
    curtain_state *own = scene->own;
    if (own != NULL) {
        modal_animation_free(&own->animation);
        free(own);
    }
}

/* A turn between two, in proportion; of the two quaternions of a turn the one on the same side. */
static void turn_between(const double from[4], const double to[4], double share,
                         modal_matrix *rotation)
{
    double q[4], together = 0.0, square = 0.0;
    for (int i = 0; i < 4; i++) {
        together += from[i] * to[i];
    }
    for (int i = 0; i < 4; i++) {
        q[i] = (1.0 - share) * from[i] + (together < 0.0 ? -share : share) * to[i];
        square += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) {
        q[i] /= sqrt(square);
    }
    modal_rotation(q, rotation);
}

/* Between two frames in proportion. */
static void place_ball(const curtain_state *own, double frame, float transform[12])
{
    uint32_t before = (uint32_t)fmin(floor(frame), MODAL_CURTAIN_FRAMES - 2);
    const modal_ball *from = &own->balls[before], *to = &own->balls[before + 1];
    double share = frame - before;
    modal_matrix rotation;
    turn_between(from->orientation, to->orientation, share, &rotation);
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            transform[4 * row + column] = (float)rotation.rows[row][column];
        }
        transform[4 * row + 3] =
            (float)(from->centre[row] + share * (to->centre[row] - from->centre[row]));
    }
}

static void state(const gallery_scene *scene, uint32_t body, uint32_t step, float *coordinates,
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

const gallery_kind gallery_curtain = {
    .name = "curtain",
    .title = "A ball is thrown at a curtain",
    .description = "a curtain of 12 principal components of a cloth in the wind, and a ball thrown "
                   "at it that bounces off (James and Pai 2004)",
    .body_count = 2,
    .triangles = MODAL_CURTAIN_FACES,
    .steps = MODAL_CURTAIN_FRAMES - 1,
    .create = create_blown,
    .destroy = destroy,
    .state = state,
};

const gallery_kind gallery_curtain_pushed = {
    .name = "curtain-pushed",
    .title = "A ball pushes a curtain",
    .description = "the same curtain simulated together with the ball, which pushes it ahead for "
                   "nine frames",
    .body_count = 2,
    .triangles = MODAL_CURTAIN_FACES,
    .steps = MODAL_CURTAIN_FRAMES - 1,
    .create = create_pushed,
    .destroy = destroy,
    .state = state,
};
