#include "elastic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TURN   0.2            /* change of a deformation gradient in one step */
#define MOST_GROWTH 0.02           /* of energy in one step, beyond what was put in */
#define PATIENCE    30             /* steps after a repeated one before a longer one is tried */
#define LEAST_STEP  (1.0 / 4096.0) /* of the longest; taken without a look */

/* What a step is repeated from. */
typedef struct elastic_saved {
    double (*positions)[3], (*velocities)[3], (*inner)[3], (*outer)[3], (*gradients)[3][3];
    double elastic_energy;
} elastic_saved;

static bool allocate(elastic_world *world)
{
    size_t count = (size_t)world->node_count + 1;
    elastic_saved *saved = calloc(1, sizeof *saved);
    world->saved = saved;
    if (saved == NULL) {
        return false;
    }
    world->positions = calloc(count, sizeof *world->positions);
    world->velocities = calloc(count, sizeof *world->velocities);
    world->gradients = calloc(count, sizeof *world->gradients);
    world->inner = calloc(count, sizeof *world->inner);
    world->outer = calloc(count, sizeof *world->outer);
    saved->positions = calloc(count, sizeof *saved->positions);
    saved->velocities = calloc(count, sizeof *saved->velocities);
    saved->gradients = calloc(count, sizeof *saved->gradients);
    saved->inner = calloc(count, sizeof *saved->inner);
    saved->outer = calloc(count, sizeof *saved->outer);
    return world->positions != NULL && world->velocities != NULL && world->gradients != NULL &&
           world->inner != NULL && world->outer != NULL && saved->positions != NULL &&
           saved->velocities != NULL && saved->gradients != NULL && saved->inner != NULL &&
           saved->outer != NULL;
}

/* A wave crosses a node's surroundings in no less than this; longer steps cannot be stable. */
static double longest_step(const elastic_shape *shape)
{
    const elastic_material *material = &shape->material;
    double speed = sqrt((material->stiffness + material->volume) / material->density);
    double shortest = shape->nodes->radii[0];
    for (uint32_t node = 0; node < shape->nodes->count; node++) {
        shortest = fmin(shortest, nodes_cube_root(shape->nodes->volumes[node]));
    }
    return 1.5 * shortest / speed;
}

elastic_world *elastic_world_create(const elastic_shape *shape, uint32_t body_count)
{
    elastic_world *world = calloc(1, sizeof *world);
    if (world == NULL) {
        return NULL;
    }
    world->body_count = body_count;
    world->node_count = body_count * shape->nodes->count;
    world->shape = shape;
    world->longest_step = world->step = longest_step(shape);
    world->starts = calloc((size_t)body_count + 1, sizeof *world->starts);
    if (world->starts == NULL || !allocate(world)) {
        elastic_world_destroy(world);
        return NULL;
    }
    for (uint32_t body = 0; body <= body_count; body++) {
        world->starts[body] = body * shape->nodes->count;
    }
    static const gallery_placement origin = {.rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (uint32_t body = 0; body < body_count; body++) {
        elastic_place(world, body, &origin);
    }
    return world;
}

void elastic_world_destroy(elastic_world *world)
{
    if (world == NULL) {
        return;
    }
    elastic_saved *saved = world->saved;
    if (saved != NULL) {
        free(saved->positions);
        free(saved->velocities);
        free(saved->gradients);
        free(saved->inner);
        free(saved->outer);
    }
    free(saved);
    free(world->starts);
    free(world->positions);
    free(world->velocities);
    free(world->gradients);
    free(world->inner);
    free(world->outer);
    free(world);
}

void elastic_place(elastic_world *world, uint32_t body, const gallery_placement *placement)
{
    const node_cloud *nodes = world->shape->nodes;
    for (uint32_t node = 0; node < nodes->count; node++) {
        uint32_t index = world->starts[body] + node;
        for (int axis = 0; axis < 3; axis++) {
            const double *row = placement->rotation[axis], *rest = nodes->points[node];
            world->positions[index][axis] = row[0] * rest[0] + row[1] * rest[1] + row[2] * rest[2] +
                                            placement->translation[axis];
            world->velocities[index][axis] = 0.0;
        }
        memcpy(world->gradients[index], placement->rotation, sizeof placement->rotation);
    }
}

static double mass_of(const elastic_world *world, uint32_t body, uint32_t index)
{
    return world->shape->masses[index - world->starts[body]];
}

double elastic_kinetic_energy(const elastic_world *world)
{
    double energy = 0.0;
    for (uint32_t body = 0; body < world->body_count; body++) {
        for (uint32_t i = world->starts[body]; i < world->starts[body + 1]; i++) {
            const double *v = world->velocities[i];
            energy += 0.5 * mass_of(world, body, i) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        }
    }
    return energy;
}

/* Half a step of velocities under the current forces, and then `drift` of a step of positions. */
static void kick(elastic_world *world, double step, double drift)
{
    for (uint32_t body = 0; body < world->body_count; body++) {
        double keep = 1.0 / (1.0 + 0.5 * step * world->shape->material.drag);
        for (uint32_t i = world->starts[body]; i < world->starts[body + 1]; i++) {
            double share = 0.5 * step / mass_of(world, body, i);
            for (int axis = 0; axis < 3; axis++) {
                double force = world->inner[i][axis] + world->outer[i][axis];
                double *velocity = &world->velocities[i][axis];
                *velocity = keep * (*velocity + share * force);
                world->positions[i][axis] += drift * step * *velocity;
            }
        }
    }
}

static void save(elastic_world *world)
{
    elastic_saved *saved = world->saved;
    size_t count = world->node_count;
    memcpy(saved->positions, world->positions, count * sizeof *saved->positions);
    memcpy(saved->velocities, world->velocities, count * sizeof *saved->velocities);
    memcpy(saved->inner, world->inner, count * sizeof *saved->inner);
    memcpy(saved->outer, world->outer, count * sizeof *saved->outer);
    memcpy(saved->gradients, world->gradients, count * sizeof *saved->gradients);
    saved->elastic_energy = world->elastic_energy;
}

static void restore(elastic_world *world)
{
    const elastic_saved *saved = world->saved;
    size_t count = world->node_count;
    memcpy(world->positions, saved->positions, count * sizeof *saved->positions);
    memcpy(world->velocities, saved->velocities, count * sizeof *saved->velocities);
    memcpy(world->inner, saved->inner, count * sizeof *saved->inner);
    memcpy(world->outer, saved->outer, count * sizeof *saved->outer);
    memcpy(world->gradients, saved->gradients, count * sizeof *saved->gradients);
    world->elastic_energy = saved->elastic_energy;
}

/* Did a step turn or stretch any node's surroundings too far? Also true of what is not a number. */
static bool deformed_too_far(const elastic_world *world)
{
    const elastic_saved *saved = world->saved;
    for (uint32_t i = 0; i < world->node_count; i++) {
        for (int k = 0; k < 9; k++) {
            double change = world->gradients[i][k / 3][k % 3] - saved->gradients[i][k / 3][k % 3];
            if (!(fabs(change) < MOST_TURN)) {
                return true;
            }
        }
    }
    return false;
}

/* What the forces from outside did in a step, with their mean over the step. */
static double work_done(const elastic_world *world)
{
    const elastic_saved *saved = world->saved;
    double work = 0.0;
    for (uint32_t i = 0; i < world->node_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            work += 0.5 * (saved->outer[i][axis] + world->outer[i][axis]) *
                    (world->positions[i][axis] - saved->positions[i][axis]);
        }
    }
    return work;
}

/* Energy that is too little to matter: that of a strain of a thousandth everywhere. */
static double trifle(const elastic_world *world)
{
    const elastic_shape *shape = world->shape;
    return 1e-6 * shape->material.stiffness * shape->nodes->volumes[0] * world->node_count;
}

/* Velocity Verlet, taken back if the step was too long. */
static bool take_step(elastic_world *world, double step)
{
    double before = world->elastic_energy + elastic_kinetic_energy(world);
    save(world);
    kick(world, step, 1.0);
    world->time += step;
    elastic_update(world);
    kick(world, step, 0.0);
    double after = world->elastic_energy + elastic_kinetic_energy(world);
    double allowed = before + work_done(world) + MOST_GROWTH * before + trifle(world);
    if (step > LEAST_STEP * world->longest_step &&
        (deformed_too_far(world) || !(after <= allowed))) {
        world->time -= step;
        restore(world);
        return false;
    }
    return true;
}

void elastic_advance(elastic_world *world, double duration)
{
    double start = world->time, left = duration;
    elastic_update(world);
    while (left > 1e-9 * duration) {
        double step = fmin(world->step, left);
        /* Two equal steps rather than a long one and a tiny one. */
        step = step < left && left < 2.0 * step ? 0.5 * left : step;
        if (take_step(world, step)) {
            world->step_count++;
            left -= step;
            if (world->patience > 0) {
                world->patience--;
            } else {
                world->step = fmin(1.1 * world->step, world->longest_step);
            }
        } else {
            world->repeat_count++;
            world->step = 0.5 * step;
            world->patience = PATIENCE;
        }
    }
    world->time = start + duration;
}

void elastic_transform(const elastic_world *world, uint32_t body, uint32_t node,
                       float transform[12])
{
    uint32_t index = world->starts[body] + node;
    const double *rest = world->shape->nodes->points[node];
    for (int row = 0; row < 3; row++) {
        const double *f = world->gradients[index][row];
        for (int column = 0; column < 3; column++) {
            transform[4 * row + column] = (float)f[column];
        }
        transform[4 * row + 3] = (float)(world->positions[index][row] -
                                         (f[0] * rest[0] + f[1] * rest[1] + f[2] * rest[2]));
    }
}
