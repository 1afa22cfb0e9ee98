/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models", 2004, section 4: linear modal vibration models with a strain limit, rigid
 * motion, and forces by a simple Kelvin-Voigt penalty law. The paper gives no more than that.
 *
 * A body's state is its centre, its momentum, its angular momentum (not its rate of turning: so it
 * is kept to the last bit while nothing touches), its orientation, and q with dq/dt.
 */
#include "world_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gallery/numbers.h"

modal_world_def modal_world_default(void)
{
    return (modal_world_def){
        .time_step = 1.0 / 150.0,
        .gravity = {0, 0, -9.81},
        .contact_frequency = 60.0,
        .contact_damping = 0.5,
        .friction = 0.3,
        .modal_damping = 0.05,
        .strain_limit = 0.25,
    };
}

modal_world *modal_world_create(const modal_world_def *def)
{
    modal_world *world = calloc(1, sizeof *world);
    if (world != NULL) {
        world->def = *def;
    }
    return world;
}

void modal_world_destroy(modal_world *world)
{
    if (world == NULL) {
        return;
    }
    for (uint32_t i = 0; i < world->shape_count; i++) {
        free(world->shapes[i].oscillators);
    }
    free(world->shapes);
    free(world->bodies);
    free(world->coordinates);
    free(world->rates);
    free(world->forces);
    free(world);
}

/* e^-x for x >= 0, of IEEE 754's own operations alone. */
static double decay(double x)
{
    int halvings = 0;
    while (x > 0.01) {
        x *= 0.5;
        halvings++;
    }
    double result = 1.0 - x * (1.0 - x / 2.0 * (1.0 - x / 3.0 * (1.0 - x / 4.0 * (1.0 - x / 5.0))));
    for (; halvings > 0; halvings--) {
        result *= result;
    }
    return result;
}

/* The exact solution of q'' + 2 damping w q' + w^2 q = 0 after one step. */
static oscillator make_oscillator(double frequency, double damping, double time)
{
    damping = fmin(damping, 0.999);
    double slow = damping * frequency;
    double turning = frequency * sqrt(1.0 - damping * damping);
    double fade = decay(slow * time);
    double sine = gallery_sin(turning * time), cosine = gallery_cos(turning * time);
    return (oscillator){
        .square = frequency * frequency,
        .qq = fade * (cosine + slow / turning * sine),
        .qv = fade * sine / turning,
        .vq = -fade * frequency * frequency / turning * sine,
        .vv = fade * (cosine - slow / turning * sine),
    };
}

uint32_t modal_world_add_shape(modal_world *world, const modal_model *model)
{
    world_shape *grown = realloc(world->shapes, (world->shape_count + 1) * sizeof *world->shapes);
    if (grown == NULL) {
        return UINT32_MAX;
    }
    world->shapes = grown;
    world_shape *shape = &grown[world->shape_count];
    *shape = (world_shape){.model = model};
    if (model->frequencies != NULL) {
        shape->oscillators = malloc((model->mode_count + 1) * sizeof *shape->oscillators);
        if (shape->oscillators == NULL) {
            return UINT32_MAX;
        }
        for (uint32_t m = 0; m < model->mode_count; m++) {
            shape->oscillators[m] = make_oscillator(model->frequencies[m], world->def.modal_damping,
                                                    world->def.time_step);
        }
    }
    if (model->mass > 0.0) {
        modal_invert(&model->inertia, &shape->inverse_inertia);
    }
    shape->limit = world->def.strain_limit * model->radius;
    return world->shape_count++;
}

/* The rate of turning that belongs to an angular momentum at an orientation. */
static void spin_of(const world_shape *shape, const modal_matrix *rotation, const double angular[3],
                    double spin[3])
{
    double local[3], turned[3];
    modal_apply_transposed(rotation, angular, local);
    modal_apply(&shape->inverse_inertia, local, turned);
    modal_apply(rotation, turned, spin);
}

/* What follows from the momenta and the orientation. */
static void derive_velocities(const modal_world *world, world_body *body)
{
    const world_shape *shape = &world->shapes[body->shape];
    modal_rotation(body->orientation, &body->rotation);
    for (int a = 0; a < 3 && !body->fixed; a++) {
        body->velocity[a] = body->momentum[a] / shape->model->mass;
    }
    if (!body->fixed) {
        spin_of(shape, &body->rotation, body->angular, body->spin);
    }
}

static bool grow_modes(modal_world *world, size_t count)
{
    size_t room = world->mode_capacity;
    while (room < world->mode_count + count) {
        room = room > 0 ? 2 * room : 256;
    }
    double **arrays[3] = {&world->coordinates, &world->rates, &world->forces};
    for (int i = 0; i < 3 && room > world->mode_capacity; i++) {
        double *grown = realloc(*arrays[i], room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        *arrays[i] = grown;
    }
    world->mode_capacity = room;
    for (int i = 0; i < 3 && count > 0; i++) {
        memset(*arrays[i] + world->mode_count, 0, count * sizeof(double));
    }
    return true;
}

uint32_t modal_world_add_body(modal_world *world, uint32_t shape, const double position[3],
                              const modal_matrix *rotation, bool fixed)
{
    uint32_t modes = world->shapes[shape].model->mode_count;
    if (world->body_count == world->body_capacity) {
        uint32_t room = world->body_capacity > 0 ? 2 * world->body_capacity : 64;
        world_body *grown = realloc(world->bodies, room * sizeof *grown);
        if (grown == NULL) {
            return UINT32_MAX;
        }
        world->bodies = grown;
        world->body_capacity = room;
    }
    if (!grow_modes(world, modes)) {
        return UINT32_MAX;
    }
    world_body *body = &world->bodies[world->body_count];
    *body = (world_body){.shape = shape, .fixed = fixed, .first = world->mode_count};
    memcpy(body->position, position, sizeof body->position);
    modal_orientation(rotation, body->orientation);
    derive_velocities(world, body);
    world->mode_count += modes;
    return world->body_count++;
}

uint32_t modal_world_body_count(const modal_world *world)
{
    return world->body_count;
}

void modal_world_set_velocity(modal_world *world, uint32_t body, const double linear[3],
                              const double angular[3])
{
    world_body *own = &world->bodies[body];
    const modal_model *model = world->shapes[own->shape].model;
    double local[3], turned[3];
    modal_apply_transposed(&own->rotation, angular, local);
    modal_apply(&model->inertia, local, turned);
    modal_apply(&own->rotation, turned, own->angular);
    for (int a = 0; a < 3; a++) {
        own->momentum[a] = model->mass * linear[a];
    }
    derive_velocities(world, own);
}

void modal_world_drive(modal_world *world, uint32_t body, const float *coordinates)
{
    const world_body *own = &world->bodies[body];
    uint32_t modes = world->shapes[own->shape].model->mode_count;
    for (uint32_t m = 0; m < modes; m++) {
        double *q = &world->coordinates[own->first + m];
        world->rates[own->first + m] = ((double)coordinates[m] - *q) / world->def.time_step;
    }
}

void modal_world_stiffen(modal_world *world)
{
    world->rigid = true;
    if (world->mode_count == 0) {
        return;
    }
    memset(world->coordinates, 0, world->mode_count * sizeof(double));
    memset(world->rates, 0, world->mode_count * sizeof(double));
}

/* Momenta first, then the place with the new momenta; the turn with the spin of its middle. */
static void move(const modal_world *world, world_body *body)
{
    const world_shape *shape = &world->shapes[body->shape];
    double time = world->def.time_step, keep = 1.0 / (1.0 + world->def.drag * time);
    for (int a = 0; a < 3; a++) {
        double weight = shape->model->mass * world->def.gravity[a];
        body->momentum[a] = keep * (body->momentum[a] + time * (body->force[a] + weight));
        body->angular[a] = keep * (body->angular[a] + time * body->torque[a]);
        body->position[a] += time * body->momentum[a] / shape->model->mass;
    }
    double middle[4], spin[3];
    modal_matrix rotation;
    memcpy(middle, body->orientation, sizeof middle);
    spin_of(shape, &body->rotation, body->angular, spin);
    modal_turn(middle, spin, 0.5 * time);
    modal_rotation(middle, &rotation);
    spin_of(shape, &rotation, body->angular, spin);
    modal_turn(body->orientation, spin, time);
    derive_velocities(world, body);
}

/* Shrinks q until no vertex can be beyond the limit, and stops what leads further out. */
static void limit_strain(const world_shape *shape, double *q, double *rates)
{
    double reach = 0.0;
    for (uint32_t m = 0; m < shape->model->mode_count; m++) {
        reach += fabs(q[m]) * shape->model->largest[m];
    }
    if (reach <= shape->limit) {
        return;
    }
    for (uint32_t m = 0; m < shape->model->mode_count; m++) {
        q[m] *= shape->limit / reach;
        rates[m] = rates[m] * q[m] > 0.0 ? 0.0 : rates[m];
    }
}

static void vibrate(modal_world *world, const world_body *body)
{
    const world_shape *shape = &world->shapes[body->shape];
    double *q = world->coordinates + body->first, *rates = world->rates + body->first;
    const double *forces = world->forces + body->first;
    if (shape->oscillators == NULL) {
        for (uint32_t m = 0; m < shape->model->mode_count; m++) {
            q[m] += world->def.time_step * rates[m];
            rates[m] = 0.0;
        }
        return;
    }
    for (uint32_t m = 0; m < shape->model->mode_count; m++) {
        const oscillator *by = &shape->oscillators[m];
        double rest = forces[m] / by->square, away = q[m] - rest;
        q[m] = rest + by->qq * away + by->qv * rates[m];
        rates[m] = by->vq * away + by->vv * rates[m];
    }
    limit_strain(shape, q, rates);
}

void modal_world_step(modal_world *world, const modal_contact *contacts, uint64_t contact_count)
{
    for (uint32_t i = 0; i < world->body_count; i++) {
        world_body *body = &world->bodies[i];
        body->contact_count = 0;
        memset(body->force, 0, sizeof body->force);
        memset(body->torque, 0, sizeof body->torque);
    }
    if (world->mode_count > 0) {
        memset(world->forces, 0, world->mode_count * sizeof *world->forces);
    }
    for (uint64_t i = 0; i < contact_count; i++) {
        world->bodies[contacts[i].a].contact_count++;
        world->bodies[contacts[i].b].contact_count++;
    }
    for (uint64_t i = 0; i < contact_count; i++) {
        modal_world_press(world, &contacts[i]);
    }
    for (uint32_t i = 0; i < world->body_count; i++) {
        if (!world->rigid) {
            vibrate(world, &world->bodies[i]);
        }
        if (!world->bodies[i].fixed) {
            move(world, &world->bodies[i]);
        }
    }
}

void modal_world_state(const modal_world *world, uint32_t body, float *coordinates,
                       float transform[12])
{
    const world_body *own = &world->bodies[body];
    uint32_t modes = world->shapes[own->shape].model->mode_count;
    for (uint32_t m = 0; m < modes && coordinates != NULL; m++) {
        coordinates[m] = (float)world->coordinates[own->first + m];
    }
    for (int row = 0; row < 3 && transform != NULL; row++) {
        for (int column = 0; column < 3; column++) {
            transform[4 * row + column] = (float)own->rotation.rows[row][column];
        }
        transform[4 * row + 3] = (float)own->position[row];
    }
}

void modal_world_place(const modal_world *world, uint32_t body, const float rest[3],
                       uint32_t vertex, double point[3])
{
    const world_body *own = &world->bodies[body];
    const modal_model *model = world->shapes[own->shape].model;
    double local[3] = {(double)rest[0], (double)rest[1], (double)rest[2]};
    for (uint32_t m = 0; m < model->mode_count; m++) {
        const float *u = model->modes + 3 * ((size_t)m * model->vertex_count + vertex);
        for (int a = 0; a < 3; a++) {
            local[a] += world->coordinates[own->first + m] * (double)u[a];
        }
    }
    modal_apply(&own->rotation, local, point);
    for (int a = 0; a < 3; a++) {
        point[a] += own->position[a];
    }
}

modal_totals modal_world_totals(const modal_world *world)
{
    modal_totals totals = {0};
    for (uint32_t i = 0; i < world->body_count; i++) {
        const world_body *body = &world->bodies[i];
        const world_shape *shape = &world->shapes[body->shape];
        if (body->fixed) {
            continue;
        }
        double orbital[3];
        modal_cross(body->position, body->momentum, orbital);
        for (int a = 0; a < 3; a++) {
            totals.momentum[a] += body->momentum[a];
            totals.angular[a] += body->angular[a] + orbital[a];
        }
        totals.kinetic += 0.5 * (modal_dot(body->momentum, body->velocity) +
                                 modal_dot(body->angular, body->spin));
        totals.height -= shape->model->mass * modal_dot(world->def.gravity, body->position);
        for (uint32_t m = 0; m < shape->model->mode_count && shape->oscillators != NULL; m++) {
            double q = world->coordinates[body->first + m], rate = world->rates[body->first + m];
            totals.kinetic += 0.5 * rate * rate;
            totals.elastic += 0.5 * shape->oscillators[m].square * q * q;
        }
    }
    return totals;
}
