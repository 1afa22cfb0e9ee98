#include "scene.h"

#include <stdlib.h>
#include <string.h>

const scene_kind *const scene_kinds[] = {&scene_spheres, &scene_cloth, &scene_bowl, &scene_soup};
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
    for (uint32_t body = 0; body < SCENE_MAX_BODIES; body++) {
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
    for (uint32_t body = 0; body < scene->kind->body_count; body++) {
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

scene_instance *scene_create(const scene_kind *kind, const scene_settings *settings)
{
    scene_instance *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->kind = kind;
    made->seed = settings->seed;
    made->steps = settings->steps > 0 ? settings->steps : kind->steps;
    draw_orientations(made);
    uint32_t triangles = settings->triangles > 0 ? settings->triangles : kind->triangles;
    if (!kind->create(made, triangles) || !start(made)) {
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
    for (uint32_t body = 0; body < SCENE_MAX_BODIES; body++) {
        mesh_free(&scene->bodies[body]);
        free(scene->rest[body]);
    }
    free(scene);
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
    scene_placement placement;
    scene_place(scene, body, step, &placement);
    bool placed = scene->kind->place != NULL;
    scene->kind->evaluate(scene, body, time_of(scene, step), placed ? &placement : NULL, positions);
}

void scene_evaluate_local(const scene_instance *scene, uint32_t body, uint32_t step,
                          float *positions)
{
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
