/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree", 2004, section 4: deformable plastic chairs crashing
 * to the ground. The paper has 3,601 of them; see models.h for those.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "kinds.h"
#include "models.h"
#include "record.h"
#include "touch.h"

#define DURATION   3.0 /* seconds of the whole motion */
#define WORLD_STEP (1.0 / 240.0)
#define SPACING    0.03 /* of the balls below the surface */
#define BALL       0.0105
#define FLOOR_HALF 3.0

static uint32_t floor_body(const gallery_scene *scene)
{
    return scene->body_count - 1;
}

/* A tower of chairs, each turned at will, so close that they fall into each other. */
static modal_start start_of(const gallery_scene *scene, uint32_t chair, double radius)
{
    gallery_random random = gallery_random_seed(scene->seed, 100 + (uint64_t)chair);
    modal_start start = {{0}, .velocity = {0, 0, -2.0}};
    memcpy(start.rotation.rows, scene->rotations[chair], sizeof start.rotation.rows);
    double around = 2.0 * GALLERY_PI * (chair % 3) / 3.0;
    double out = 0.55 * radius;
    start.position[0] = out * gallery_cos(around) + gallery_random_range(&random, -0.1, 0.1);
    start.position[1] = out * gallery_sin(around) + gallery_random_range(&random, -0.1, 0.1);
    start.position[2] = (1.1 + 1.75 * chair) * radius;
    for (int a = 0; a < 3; a++) {
        start.spin[a] = gallery_random_range(&random, -1.5, 1.5);
    }
    return start;
}

/* Balls below the floor are pushed up. */
static bool touch_floor(modal_touch *touch, uint32_t body, double radius)
{
    for (uint32_t i = 0; i < touch->ball_count; i++) {
        const modal_touch_ball *ball = &touch->balls[i];
        double depth = radius - ball->centre[2];
        if (depth > 0.0) {
            modal_contact contact = {.a = ball->body, .b = body, .normal = {0, 0, 1}};
            contact.vertex_a = ball->vertex;
            contact.depth = (float)depth;
            contact.point[0] = (float)ball->centre[0];
            contact.point[1] = (float)ball->centre[1];
            if (!modal_touch_add(touch, &contact)) {
                return false;
            }
        }
    }
    return true;
}

typedef struct chairs_work {
    modal_model chair, ground;
    modal_samples samples;
    modal_touch touch;
    modal_world *world;
} chairs_work;

static bool make_world(const gallery_scene *scene, double step, chairs_work *work)
{
    modal_world_def def = modal_world_default();
    def.time_step = step;
    def.contact_frequency = 120.0;
    work->ground = modal_driven_model(&scene->bodies[floor_body(scene)], NULL);
    work->world = modal_world_create(&def);
    if (work->world == NULL || modal_world_add_shape(work->world, &work->chair) != 0 ||
        modal_world_add_shape(work->world, &work->ground) != 1) {
        return false;
    }
    for (uint32_t i = 0; i < floor_body(scene); i++) {
        modal_start start = start_of(scene, i, work->chair.radius);
        if (modal_world_add_body(work->world, 0, start.position, &start.rotation, false) != i) {
            return false;
        }
        modal_world_set_velocity(work->world, i, start.velocity, start.spin);
    }
    modal_matrix upright = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return modal_world_add_body(work->world, 1, (const double[3]){0, 0, 0}, &upright, true) ==
           floor_body(scene);
}

static bool simulate(const gallery_scene *scene, chairs_work *work, const modal_record *record)
{
    double time = DURATION / scene->steps;
    uint32_t substeps = (uint32_t)ceil(time / WORLD_STEP - 1e-9);
    if (!make_world(scene, time / substeps, work)) {
        return false;
    }
    for (uint32_t step = 0; step <= scene->steps; step++) {
        for (uint32_t body = 0; body < scene->body_count; body++) {
            float *numbers = modal_record_at(record, body, step);
            modal_world_state(work->world, body, numbers, numbers + scene->models[body].mode_count);
        }
        for (uint32_t i = 0; i < substeps && step < scene->steps; i++) {
            if (!modal_touch_bodies(&work->touch, work->world, 0, floor_body(scene),
                                    &work->samples) ||
                !touch_floor(&work->touch, floor_body(scene), work->samples.radius)) {
                return false;
            }
            modal_world_step(work->world, work->touch.contacts, work->touch.contact_count);
        }
    }
    return true;
}

/* The floor: one thick slab, its upper side at z = 0. */
static bool make_floor(gallery_scene *scene)
{
    modal_builder builder = {0};
    modal_build_beam(&builder, (const double[3]){-FLOOR_HALF, 0, -0.1},
                     (const double[3]){FLOOR_HALF, 0, -0.1}, (const double[2]){2 * FLOOR_HALF, 0.2},
                     8);
    scene->models[floor_body(scene)].joint_count = 1;
    return modal_build_finish(&builder, &scene->bodies[floor_body(scene)]);
}

/* Every chair has its own copy of the one mesh. */
static bool copy_chairs(gallery_scene *scene, const gallery_mesh *mesh, const modal_model *model)
{
    for (uint32_t i = 0; i < floor_body(scene); i++) {
        if (!modal_copy_body(mesh, model, &scene->bodies[i], &scene->models[i])) {
            return false;
        }
    }
    return true;
}

static bool create(gallery_scene *scene, uint32_t triangles)
{
    chairs_work work = {0};
    gallery_mesh mesh = {0};
    modal_record *record = calloc(1, sizeof *record);
    scene->own = record;
    bool done = record != NULL && modal_make_chair(triangles, &mesh, &work.chair) &&
                modal_sample_mesh(&mesh, SPACING, BALL, &work.samples) &&
                copy_chairs(scene, &mesh, &work.chair) && make_floor(scene) &&
                modal_record_create(scene, record) && simulate(scene, &work, record);
    mesh_free(&mesh);
    modal_model_free(&work.chair);
    modal_samples_free(&work.samples);
    modal_touch_free(&work.touch);
    modal_world_destroy(work.world);
    return done;
}

const gallery_kind gallery_chairs = {
    .name = "chairs",
    .title = "Plastic chairs crash to the ground",
    .description = "eight chairs of 10 vibration modes fall onto each other and onto a floor "
                   "(James and Pai 2004)",
    .body_count = 9,
    .triangles = MODAL_CHAIR_FACES,
    .steps = 180,
    .create = create,
    .destroy = modal_record_destroy_own,
    .state = modal_record_state,
};
