/* From scenes to the library: the shape of a scene's body, and its state at a step. */
#ifndef GALLERY_BODY_H
#define GALLERY_BODY_H

#include "pliant/body.h"
#include "gallery.h"

/* A definition with the mesh and the model of a body; it borrows the scene's arrays. */
static inline pliant_shape_def gallery_shape_def(const gallery_scene *scene, uint32_t body)
{
    const gallery_mesh *mesh = &scene->bodies[body];
    const gallery_model *model = &scene->models[body];
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = gallery_has_model(scene, body) ? scene->rest[body] : mesh->positions;
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    def.modes = model->modes;
    def.mode_count = model->mode_count;
    def.joint_count = model->joint_count;
    def.influence_offsets = model->influence_offsets;
    def.influence_joints = model->influence_joints;
    def.influence_weights = model->influence_weights;
    def.normalise_weights = false; /* they are as the scene evaluates them */
    if (scene->kind->whole != NULL) {
        const gallery_mesh *whole = scene->kind->whole(scene);
        def.triangles = whole->triangles;
        def.vertex_count = whole->vertex_count;
    }
    return def;
}

/* How many floats gallery_set_body() needs for a body. */
static inline size_t gallery_state_size(const gallery_scene *scene, uint32_t body)
{
    const gallery_model *model = &scene->models[body];
    return gallery_has_model(scene, body) ? model->mode_count + 12 * (size_t)model->joint_count
                                          : 3 * (size_t)scene->bodies[body].vertex_count;
}

/* Tears a body, if it is to be, as far as it is at a step; what is torn stays so at earlier steps.
 */
static inline pliant_result gallery_tear_body(const gallery_scene *scene, uint32_t step,
                                              pliant_body *body)
{
    pliant_tear torn;
    uint32_t vertices = pliant_shape_get_vertex_count(pliant_body_get_shape(body));
    return scene->kind->tear != NULL && scene->kind->tear(scene, vertices, step, &torn)
               ? pliant_body_tear(body, &torn)
               : PLIANT_OK;
}

/*
 * Puts a body of that shape into its state at a step: coordinates and transforms if it has a model;
 * else its positions, which are shared. `state` must live as long as the body is in that state.
 */
static inline pliant_result gallery_set_body(const gallery_scene *scene, uint32_t body,
                                             uint32_t step, float *state, pliant_body *set)
{
    const gallery_model *model = &scene->models[body];
    if (!gallery_has_model(scene, body)) {
        pliant_result torn = gallery_tear_body(scene, step, set);
        if (torn != PLIANT_OK) {
            return torn;
        }
        gallery_evaluate(scene, body, step, state);
        return pliant_body_share_positions(set, state, 0);
    }
    float *transforms = state + model->mode_count;
    pliant_result result = PLIANT_OK;
    gallery_state(scene, body, step, state, transforms);
    if (model->mode_count > 0) {
        result = pliant_body_set_coordinates(set, state, model->mode_count);
    }
    if (model->joint_count > 0 && result == PLIANT_OK) {
        result = pliant_body_set_transforms(set, transforms, model->joint_count, 0);
    }
    return result;
}

#endif
