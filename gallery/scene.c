#include "scene.h"

#ifdef PLIANT_HAVE_LAPACKE
#include "gallery/modal/kinds.h"
#endif

#include <stdlib.h>
#include <string.h>

const scene_kind *const scene_kinds[] = {
    &scene_spheres,       &scene_cloth,          &scene_bowl,   &scene_soup,   &scene_arms,
    &scene_crowd_spheres, &scene_crowd_arms,
#ifdef PLIANT_HAVE_LAPACKE
    &scene_curtain,       &scene_curtain_pushed, &scene_chairs, &scene_bridge,
#endif
    &scene_ring,          &scene_school,         &scene_brain,  &scene_figure, &scene_volumes,
};
const uint32_t scene_kind_count = sizeof scene_kinds / sizeof scene_kinds[0];

const scene_kind *scene_find(const char *name)
{
    for (uint32_t i = 0; i < scene_kind_count; i++) {
        if (strcmp(scene_kinds[i]->name, name) == 0) {
            return scene_kinds[i];
        }
    }
    return NULL;
}

static void draw_orientations(scene_instance *scene)
{
    for (uint32_t body = 0; body < scene->body_count; body++) {
        scene_random random = scene_random_seed(scene->seed, body);
        scene_random_rotation(&random, scene->rotations[body]);
        for (int i = 0; i < 3; i++) {
            scene->phases[body][i] = scene_random_range(&random, 0.0, 2.0 * SCENE_PI);
        }
    }
}

/* Keeps what create() put into the meshes as the rest state, and moves the meshes to step 0. */
static bool start(scene_instance *scene)
{
    for (uint32_t body = 0; body < scene->body_count; body++) {
        scene_mesh *mesh = &scene->bodies[body];
        size_t size = (size_t)mesh->vertex_count * 3 * sizeof(float);
        scene->rest[body] = malloc(size);
        if (scene->rest[body] == NULL) {
            return false;
        }
        memcpy(scene->rest[body], mesh->positions, size);
        scene_evaluate(scene, body, 0, mesh->positions);
    }
    return true;
}

static bool allocate_bodies(scene_instance *scene)
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

static bool fill(scene_instance *scene, uint32_t triangles)
{
    if (!allocate_bodies(scene)) {
        return false;
    }
    draw_orientations(scene);
    return scene->kind->create(scene, triangles) && start(scene);
}

scene_instance *scene_create(const scene_kind *kind, const scene_settings *settings)
{
    scene_instance *made = calloc(1, sizeof *made);
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
        scene_destroy(made);
        return NULL;
    }
    return made;
}

void scene_destroy(scene_instance *scene)
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
            scene_model_free(&scene->models[body]);
        }
    }
    free(scene->bodies);
    free(scene->rest);
    free(scene->rotations);
    free(scene->phases);
    free(scene->models);
    free(scene);
}

bool scene_has_model(const scene_instance *scene, uint32_t body)
{
    return scene->models[body].mode_count > 0 || scene->models[body].joint_count > 0;
}

void scene_state(const scene_instance *scene, uint32_t body, uint32_t step, float *coordinates,
                 float *transforms)
{
    scene->kind->state(scene, body, step, coordinates, transforms);
}

static void evaluate_model(const scene_instance *scene, uint32_t body, uint32_t step,
                           float *positions)
{
    const scene_model *model = &scene->models[body];
    float *coordinates = malloc((model->mode_count + 1) * sizeof *coordinates);
    float *transforms = malloc((12 * (size_t)model->joint_count + 1) * sizeof *transforms);
    if (coordinates != NULL && transforms != NULL) {
        scene_state(scene, body, step, coordinates, transforms);
        scene_model_evaluate(model, scene->rest[body], scene->bodies[body].vertex_count,
                             coordinates, transforms, positions);
    }
    free(coordinates);
    free(transforms);
}

static double time_of(const scene_instance *scene, uint32_t step)
{
    return (double)step / (double)scene->steps;
}

void scene_place(const scene_instance *scene, uint32_t body, uint32_t step,
                 scene_placement *placement)
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

void scene_evaluate(const scene_instance *scene, uint32_t body, uint32_t step, float *positions)
{
    if (scene_has_model(scene, body)) {
        evaluate_model(scene, body, step, positions);
        return;
    }
    scene_placement placement;
    scene_place(scene, body, step, &placement);
    bool placed = scene->kind->place != NULL;
    scene->kind->evaluate(scene, body, time_of(scene, step), placed ? &placement : NULL, positions);
}

void scene_evaluate_local(const scene_instance *scene, uint32_t body, uint32_t step,
                          float *positions)
{
    if (scene_has_model(scene, body)) {
        evaluate_model(scene, body, step, positions);
        return;
    }
    scene->kind->evaluate(scene, body, time_of(scene, step), NULL, positions);
}

void scene_put(const scene_placement *placement, const double point[3], float position[3])
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
