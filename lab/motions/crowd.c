#include "crowd.h"

#include <stdlib.h>

#include "lab/harness/ours.h"
#include "reduced.h"

void crowd_free(crowd *c)
{
    mesh_free(&c->mesh);
    gallery_model_free(&c->model);
    free(c->floats);
    free(c->states);
}

/* ----------------------------------------------------------------- states */

static size_t state_floats(const crowd *c)
{
    return (size_t)c->position_floats + c->coordinate_floats + c->transform_floats;
}

float *crowd_positions(const crowd *c, uint32_t at, uint32_t body)
{
    return c->floats + state_floats(c) * ((size_t)at * c->body_count + body);
}

float *crowd_coordinates(const crowd *c, uint32_t at, uint32_t body)
{
    return crowd_positions(c, at, body) + c->position_floats;
}

float *crowd_transforms(const crowd *c, uint32_t at, uint32_t body)
{
    return crowd_coordinates(c, at, body) + c->coordinate_floats;
}

static void show_motion(crowd *c, uint32_t at)
{
    const bench_frame *live = bench_motion_show(c->motion, at);
    for (uint32_t i = 0; i < c->body_count; i++) {
        const gallery_model *model = c->motion->models[i];
        c->states[i] = (body_state){
            .positions = model == NULL ? live->world[i] : NULL,
            .coordinates = model != NULL && model->mode_count > 0 ? live->coordinates[i] : NULL,
            .transforms = model != NULL && model->joint_count > 0 ? live->transforms[i] : NULL};
    }
}

void crowd_show(crowd *c, uint32_t at)
{
    if (c->motion != NULL) {
        show_motion(c, at);
        return;
    }
    for (uint32_t i = 0; i < c->body_count; i++) {
        c->states[i] = (body_state){
            .positions = c->position_floats > 0 ? crowd_positions(c, at, i) : NULL,
            .coordinates = c->coordinate_floats > 0 ? crowd_coordinates(c, at, i) : NULL,
            .transforms = c->transform_floats > 0 ? crowd_transforms(c, at, i) : NULL};
    }
}

/* ----------------------------------------------------------------- shapes */

uint32_t crowd_shape_of(const crowd *c, uint32_t body)
{
    if (c->motion != NULL) {
        return c->motion->twins[body];
    }
    return c->meshes != NULL ? body : 0;
}

bool crowd_make_shape(const crowd *c, pliant_context *context, uint32_t number,
                      pliant_shape **shape)
{
    if (c->motion != NULL) {
        return ours_create_shape_of(context, &bench_scene_auto, c->motion, number, shape);
    }
    const gallery_model none = {.mode_count = 0};
    pliant_shape_def def =
        c->meshes != NULL ? reduced_shape_def(&c->meshes[number], &none) : c->shape;
    return pliant_shape_create(context, &def, shape) == PLIANT_OK;
}

/* ----------------------------------------------------------------- makers */

bool crowd_allocate(crowd *c, bool is_free)
{
    c->shape = reduced_shape_def(&c->mesh, &c->model);
    c->shape.influence_offsets = c->model.influence_offsets;
    c->shape.influence_joints = c->model.influence_joints;
    c->shape.influence_weights = c->model.influence_weights;
    c->position_floats = is_free ? 3 * c->mesh.vertex_count : 0;
    c->coordinate_floats = c->model.mode_count;
    c->transform_floats = 12 * c->model.joint_count;
    c->states = calloc(c->body_count, sizeof *c->states);
    c->floats = calloc(state_floats(c) * c->body_count * (size_t)c->step_count, sizeof *c->floats);
    return c->states != NULL && c->floats != NULL;
}

bool crowd_of_motion(const char *title, bench_motion *motion, crowd *c)
{
    *c = (crowd){.title = title,
                 .body_count = motion->body_count,
                 .step_count = motion->step_count,
                 .motion = motion,
                 .states = calloc(motion->body_count, sizeof *c->states)};
    return c->states != NULL;
}

bool crowd_of_scene(const gallery_scene *scene, uint32_t step, crowd *c)
{
    *c = (crowd){.body_count = scene->body_count,
                 .step_count = 1,
                 .meshes = scene->bodies,
                 .position_floats = 3 * scene->bodies[0].vertex_count,
                 .states = calloc(scene->body_count, sizeof *c->states)};
    c->floats = malloc(state_floats(c) * c->body_count * sizeof *c->floats);
    for (uint32_t i = 0; c->floats != NULL && i < c->body_count; i++) {
        gallery_evaluate(scene, i, step, crowd_positions(c, 0, i));
    }
    return c->states != NULL && c->floats != NULL;
}
