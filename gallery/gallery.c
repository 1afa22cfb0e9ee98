#include "gallery.h"

#ifdef PLIANT_HAVE_LAPACKE
#include "gallery/modal/kinds.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const gallery_kind *const gallery_kinds[] = {
    &gallery_spheres, &gallery_cloth,          &gallery_bowl,       &gallery_soup,
    &gallery_arms,    &gallery_crowd_spheres,  &gallery_crowd_arms,
#ifdef PLIANT_HAVE_LAPACKE
    &gallery_curtain, &gallery_curtain_pushed, &gallery_chairs,     &gallery_bridge,
#endif
    &gallery_ring,    &gallery_school,         &gallery_brain,      &gallery_figure,
    &gallery_volumes, &gallery_cape,           &gallery_shatter,    &gallery_tear,
};
const uint32_t gallery_kind_count = sizeof gallery_kinds / sizeof gallery_kinds[0];

const gallery_kind *gallery_find(const char *name)
{
    for (uint32_t i = 0; i < gallery_kind_count; i++) {
        if (strcmp(gallery_kinds[i]->name, name) == 0) {
            return gallery_kinds[i];
        }
    }
    return NULL;
}

static void draw_orientations(gallery_scene *scene)
{
    for (uint32_t body = 0; body < scene->body_count; body++) {
        gallery_random random = gallery_random_seed(scene->seed, body);
        gallery_random_rotation(&random, scene->rotations[body]);
        for (int i = 0; i < 3; i++) {
            scene->phases[body][i] = gallery_random_range(&random, 0.0, 2.0 * GALLERY_PI);
        }
    }
}

/* Keeps what create() put into the meshes as the rest state, and moves the meshes to step 0. */
static bool start(gallery_scene *scene)
{
    for (uint32_t body = 0; body < scene->body_count; body++) {
        gallery_mesh *mesh = &scene->bodies[body];
        size_t size = (size_t)mesh->vertex_count * 3 * sizeof(float);
        scene->rest[body] = malloc(size);
        if (scene->rest[body] == NULL) {
            return false;
        }
        memcpy(scene->rest[body], mesh->positions, size);
        gallery_evaluate(scene, body, 0, mesh->positions);
    }
    return true;
}

static bool allocate_bodies(gallery_scene *scene)
{
    uint32_t count = scene->body_count;
    scene->bodies = calloc(count, sizeof *scene->bodies);
    scene->rest = calloc(count, sizeof *scene->rest);
    scene->rotations = calloc(count, sizeof *scene->rotations);
    scene->phases = calloc(count, sizeof *scene->phases);
    scene->models = calloc(count, sizeof *scene->models);
    return scene->bodies != NULL && scene->rest != NULL && scene->rotations != NULL &&
           scene->phases != NULL && scene->models != NULL;
}

static bool fill(gallery_scene *scene, uint32_t triangles)
{
    if (!allocate_bodies(scene)) {
        return false;
    }
    draw_orientations(scene);
    return scene->kind->create(scene, triangles) && start(scene);
}

gallery_scene *gallery_create(const gallery_kind *kind, const gallery_settings *settings)
{
    gallery_scene *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->kind = kind;
    made->seed = settings->seed;
    made->isa = settings->isa;
    made->steps = settings->steps > 0 ? settings->steps : kind->steps;
    made->body_count =
        kind->any_count && settings->bodies > 0 ? settings->bodies : kind->body_count;
    if (!fill(made, settings->triangles > 0 ? settings->triangles : kind->triangles)) {
        gallery_destroy(made);
        return NULL;
    }
    return made;
}

void gallery_destroy(gallery_scene *scene)
{
    if (scene == NULL) {
        return;
    }
    if (scene->kind->destroy != NULL) {
        scene->kind->destroy(scene);
    }
    for (uint32_t body = 0; body < scene->body_count; body++) {
        if (scene->bodies != NULL) {
            mesh_free(&scene->bodies[body]);
        }
        if (scene->rest != NULL) {
            free(scene->rest[body]);
        }
        if (scene->models != NULL) {
            gallery_model_free(&scene->models[body]);
        }
    }
    free(scene->bodies);
    free(scene->rest);
    free(scene->rotations);
    free(scene->phases);
    free(scene->models);
    free(scene);
}

void gallery_name_body(const gallery_scene *scene, uint32_t body, char name[GALLERY_NAME])
{
    if (scene->kind->names != NULL) {
        snprintf(name, GALLERY_NAME, "%s", scene->kind->names[body]);
    } else {
        snprintf(name, GALLERY_NAME, "body %u", body + 1);
    }
}

bool gallery_has_model(const gallery_scene *scene, uint32_t body)
{
    return scene->models[body].mode_count > 0 || scene->models[body].joint_count > 0;
}

void gallery_state(const gallery_scene *scene, uint32_t body, uint32_t step, float *coordinates,
                   float *transforms)
{
    scene->kind->state(scene, body, step, coordinates, transforms);
}

static void evaluate_model(const gallery_scene *scene, uint32_t body, uint32_t step,
                           float *positions)
{
    const gallery_model *model = &scene->models[body];
    float *coordinates = malloc((model->mode_count + 1) * sizeof *coordinates);
    float *transforms = malloc((12 * (size_t)model->joint_count + 1) * sizeof *transforms);
    if (coordinates != NULL && transforms != NULL) {
        gallery_state(scene, body, step, coordinates, transforms);
        gallery_model_evaluate(model, scene->rest[body], scene->bodies[body].vertex_count,
                               coordinates, transforms, positions);
    }
    free(coordinates);
    free(transforms);
}

static double time_of(const gallery_scene *scene, uint32_t step)
{
    return (double)step / (double)scene->steps;
}

void gallery_place(const gallery_scene *scene, uint32_t body, uint32_t step,
                   gallery_placement *placement)
{
    if (scene->kind->place != NULL) {
        scene->kind->place(scene, body, time_of(scene, step), placement);
        return;
    }
    memset(placement, 0, sizeof *placement);
    for (int axis = 0; axis < 3; axis++) {
        placement->rotation[axis][axis] = 1.0;
    }
}

void gallery_evaluate(const gallery_scene *scene, uint32_t body, uint32_t step, float *positions)
{
    if (gallery_has_model(scene, body)) {
        evaluate_model(scene, body, step, positions);
        return;
    }
    gallery_placement placement;
    gallery_place(scene, body, step, &placement);
    bool placed = scene->kind->place != NULL;
    scene->kind->evaluate(scene, body, time_of(scene, step), placed ? &placement : NULL, positions);
}

void gallery_evaluate_local(const gallery_scene *scene, uint32_t body, uint32_t step,
                            float *positions)
{
    if (gallery_has_model(scene, body)) {
        evaluate_model(scene, body, step, positions);
        return;
    }
    scene->kind->evaluate(scene, body, time_of(scene, step), NULL, positions);
}

void gallery_put(const gallery_placement *placement, const double point[3], float position[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (placement == NULL) {
            position[axis] = (float)point[axis];
        } else {
            const double *row = placement->rotation[axis];
            position[axis] = (float)(row[0] * point[0] + row[1] * point[1] + row[2] * point[2] +
                                     placement->translation[axis]);
        }
    }
}
