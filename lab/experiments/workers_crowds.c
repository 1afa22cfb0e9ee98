/* Casts of large crowds: spheres that are given by their positions, and skinned people. */
#include "workers.h"

#include <math.h>
#include <stdlib.h>

#include "gallery/figure.h"

/* ---------------------------------------------------------------- spheres */

#define SPHERE_TRIANGLES 5120
#define BUMP_HEIGHT      0.05
#define BUMP_FREQUENCY   9.0
#define SWAY             0.04 /* of the centres */

typedef struct sphere_crowd {
    gallery_mesh mesh;
    float *positions; /* body after body, step after step */
} sphere_crowd;

static bool make_sphere_shape(const workers_cast *cast, pliant_context *context, uint32_t number,
                              pliant_shape **shape)
{
    (void)number;
    const sphere_crowd *crowd = cast->own;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = crowd->mesh.positions;
    def.triangles = crowd->mesh.triangles;
    def.vertex_count = crowd->mesh.vertex_count;
    def.triangle_count = crowd->mesh.triangle_count;
    return pliant_shape_create(context, &def, shape) == PLIANT_OK;
}

static float *sphere_positions(const workers_cast *cast, uint32_t at, uint32_t body)
{
    const sphere_crowd *crowd = cast->own;
    return crowd->positions +
           3 * (size_t)crowd->mesh.vertex_count * ((size_t)at * cast->body_count + body);
}

static void show_spheres(workers_cast *cast, uint32_t at)
{
    for (uint32_t i = 0; i < cast->body_count; i++) {
        cast->states[i] = (workers_state){.positions = sphere_positions(cast, at, i)};
    }
}

static void free_spheres(workers_cast *cast)
{
    sphere_crowd *crowd = cast->own;
    if (crowd != NULL) {
        mesh_free(&crowd->mesh);
        free(crowd->positions);
        free(crowd);
    }
}

/* Bumps travel over the sphere, whose centre sways about its place in the grid. */
static void move_sphere(const workers_cast *cast, uint32_t side, double spacing, uint32_t at,
                        uint32_t body)
{
    const gallery_mesh *mesh = &((const sphere_crowd *)cast->own)->mesh;
    gallery_random random = gallery_random_seed(1, body);
    const uint32_t cell[3] = {body % side, body / side % side, body / side / side};
    double phase = gallery_random_range(&random, 0.0, 2.0 * GALLERY_PI) + 0.3 * at, centre[3];
    for (int k = 0; k < 3; k++) {
        centre[k] = spacing * cell[k] + SWAY * gallery_sin((1.0 + 0.3 * k) * phase + k);
    }
    float *to = sphere_positions(cast, at, body);
    const float *from = mesh->positions;
    for (uint32_t v = 0; v < mesh->vertex_count; v++, to += 3, from += 3) {
        double wave = 0.0;
        for (int k = 0; k < 3; k++) {
            wave += gallery_sin(BUMP_FREQUENCY * (double)from[k] + phase + k);
        }
        for (int k = 0; k < 3; k++) {
            to[k] = (float)(centre[k] + (1.0 + BUMP_HEIGHT / 3.0 * wave) * (double)from[k]);
        }
    }
}

bool workers_cast_spheres(uint32_t count, double spacing, uint32_t step_count, workers_cast *cast)
{
    sphere_crowd *crowd = calloc(1, sizeof *crowd);
    *cast = (workers_cast){.title = "workers, spheres",
                           .body_count = count,
                           .step_count = step_count,
                           .own = crowd,
                           .states = calloc(count, sizeof *cast->states),
                           .make_shape = make_sphere_shape,
                           .show = show_spheres,
                           .free = free_spheres};
    if (crowd == NULL || cast->states == NULL ||
        !mesh_make_sphere(SPHERE_TRIANGLES, &crowd->mesh)) {
        return false;
    }
    crowd->positions = malloc(3 * sizeof(float) * crowd->mesh.vertex_count * step_count * count);
    uint32_t side = (uint32_t)ceil(cbrt(count) - 1e-9);
    for (uint32_t at = 0; at < step_count && crowd->positions != NULL; at++) {
        for (uint32_t i = 0; i < count; i++) {
            move_sphere(cast, side, spacing, at, i);
        }
    }
    return crowd->positions != NULL;
}

/* ----------------------------------------------------------------- people */

#define PEOPLE_SPACING 0.9 /* metres between neighbours in a row */
#define PEOPLE_SWAY    0.15
#define PEOPLE_STEP    0.013 /* of the figure's motion from one step to the next */

typedef struct person_state {
    float coordinates[FIGURE_MODES], transforms[12 * FIGURE_BONES];
} person_state;

typedef struct people {
    gallery_mesh mesh;
    gallery_model model;
    person_state *states; /* person after person, step after step */
} people;

static bool make_person_shape(const workers_cast *cast, pliant_context *context, uint32_t number,
                              pliant_shape **shape)
{
    (void)number;
    const people *own = cast->own;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = own->mesh.positions;
    def.triangles = own->mesh.triangles;
    def.vertex_count = own->mesh.vertex_count;
    def.triangle_count = own->mesh.triangle_count;
    def.mode_count = own->model.mode_count;
    def.modes = own->model.modes;
    def.mode_stride = 3 * sizeof(float) * (size_t)own->mesh.vertex_count;
    def.joint_count = own->model.joint_count;
    def.influence_offsets = own->model.influence_offsets;
    def.influence_joints = own->model.influence_joints;
    def.influence_weights = own->model.influence_weights;
    return pliant_shape_create(context, &def, shape) == PLIANT_OK;
}

static void show_people(workers_cast *cast, uint32_t at)
{
    const people *own = cast->own;
    for (uint32_t i = 0; i < cast->body_count; i++) {
        const person_state *state = &own->states[(size_t)at * cast->body_count + i];
        cast->states[i] =
            (workers_state){.coordinates = state->coordinates, .transforms = state->transforms};
    }
}

static void free_people(workers_cast *cast)
{
    people *own = cast->own;
    if (own != NULL) {
        mesh_free(&own->mesh);
        gallery_model_free(&own->model);
        free(own->states);
        free(own);
    }
}

/* Turns a person about the vertical axis and moves it to its place: W after every transform. */
static void place_person(double angle, double x, double y, float *transforms)
{
    double sine = gallery_sin(angle), cosine = gallery_cos(angle);
    for (int j = 0; j < FIGURE_BONES; j++) {
        float *t = transforms + (size_t)12 * j;
        for (int k = 0; k < 4; k++) {
            double u = (double)t[k], v = (double)t[4 + k];
            t[k] = (float)(cosine * u - sine * v + (k == 3 ? x : 0.0));
            t[4 + k] = (float)(sine * u + cosine * v + (k == 3 ? y : 0.0));
        }
    }
}

static void pose_person(const workers_cast *cast, uint32_t at, uint32_t i)
{
    const people *own = cast->own;
    person_state *state = &own->states[(size_t)at * cast->body_count + i];
    gallery_random random = gallery_random_seed(2, i);
    double phases[3], angle = gallery_random_range(&random, 0.0, 2.0 * GALLERY_PI), place[2];
    double when = gallery_random_range(&random, 0.1, 0.9 - PEOPLE_STEP * cast->step_count);
    uint32_t side = (uint32_t)ceil(sqrt(cast->body_count) - 1e-9);
    for (int k = 0; k < 3; k++) {
        phases[k] = gallery_random_range(&random, 0.0, 2.0 * GALLERY_PI);
    }
    for (int k = 0; k < 2; k++) {
        place[k] = PEOPLE_SPACING * (k == 0 ? i % side : i / side) +
                   gallery_random_range(&random, -PEOPLE_SWAY, PEOPLE_SWAY);
    }
    figure_pose(when + PEOPLE_STEP * at, phases, state->coordinates, state->transforms);
    place_person(angle + 0.02 * at, place[0], place[1], state->transforms);
}

bool workers_cast_people(uint32_t count, uint32_t triangles, uint32_t step_count,
                         workers_cast *cast)
{
    people *own = calloc(1, sizeof *own);
    *cast = (workers_cast){.title = "workers, people",
                           .body_count = count,
                           .step_count = step_count,
                           .own = own,
                           .states = calloc(count, sizeof *cast->states),
                           .make_shape = make_person_shape,
                           .show = show_people,
                           .free = free_people};
    if (own == NULL || cast->states == NULL ||
        !figure_make_body(triangles / 2 + 2, &own->mesh, &own->model)) {
        return false;
    }
    own->states = calloc((size_t)count * step_count, sizeof *own->states);
    for (uint32_t at = 0; at < step_count && own->states != NULL; at++) {
        for (uint32_t i = 0; i < count; i++) {
            pose_person(cast, at, i);
        }
    }
    return own->states != NULL;
}
