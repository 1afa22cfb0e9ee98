/* Contacts of a world: a spring and a damper side by side (Kelvin and Voigt), and friction. */
#include "world_parts.h"

#include <math.h>

/* One side of a contact. */
typedef struct contact_side {
    world_body *body;
    const world_shape *shape;
    uint32_t vertex;
    double arm[3];      /* from the body's centre to the point */
    double velocity[3]; /* of the body there */
} contact_side;

static double mode_along(const contact_side *side, uint32_t mode, const double local[3])
{
    const modal_model *model = side->shape->model;
    const float *u = model->modes + 3 * ((size_t)mode * model->vertex_count + side->vertex);
    return (double)u[0] * local[0] + (double)u[1] * local[1] + (double)u[2] * local[2];
}

static uint32_t moving_modes(const modal_world *world, const contact_side *side)
{
    return world->rigid ? 0 : side->shape->model->mode_count;
}

static contact_side side_of(const modal_world *world, uint32_t body, uint32_t vertex,
                            const double point[3])
{
    contact_side side = {.body = &world->bodies[body], .vertex = vertex};
    side.shape = &world->shapes[side.body->shape];
    for (int a = 0; a < 3; a++) {
        side.arm[a] = point[a] - side.body->position[a];
    }
    double turning[3], local[3] = {0, 0, 0}, bending[3];
    modal_cross(side.body->spin, side.arm, turning);
    const modal_model *model = side.shape->model;
    for (uint32_t m = 0; m < moving_modes(world, &side); m++) {
        const float *u = model->modes + 3 * ((size_t)m * model->vertex_count + vertex);
        for (int a = 0; a < 3; a++) {
            local[a] += world->rates[side.body->first + m] * (double)u[a];
        }
    }
    modal_apply(&side.body->rotation, local, bending);
    for (int a = 0; a < 3; a++) {
        side.velocity[a] = side.body->velocity[a] + turning[a] + bending[a];
    }
    return side;
}

/* How easily a side gives way along a direction: the velocity that a unit impulse causes there. */
static double mobility(const modal_world *world, const contact_side *side,
                       const double direction[3])
{
    if (side->body->fixed) {
        return 0.0;
    }
    double axis[3], local[3], turned[3];
    modal_cross(side->arm, direction, axis);
    modal_apply_transposed(&side->body->rotation, axis, local);
    modal_apply(&side->shape->inverse_inertia, local, turned);
    double sum = 1.0 / side->shape->model->mass + modal_dot(local, turned);
    modal_apply_transposed(&side->body->rotation, direction, local);
    for (uint32_t m = 0; m < moving_modes(world, side); m++) {
        double along = mode_along(side, m, local);
        sum += side->shape->oscillators != NULL ? along * along : 0.0;
    }
    return sum;
}

static void push(modal_world *world, const contact_side *side, const double force[3], double sign)
{
    world_body *body = side->body;
    double signed_force[3] = {sign * force[0], sign * force[1], sign * force[2]};
    double torque[3], local[3];
    modal_cross(side->arm, signed_force, torque);
    for (int a = 0; a < 3; a++) {
        body->force[a] += signed_force[a];
        body->torque[a] += torque[a];
    }
    modal_apply_transposed(&body->rotation, signed_force, local);
    for (uint32_t m = 0; m < moving_modes(world, side); m++) {
        world->forces[body->first + m] += mode_along(side, m, local);
    }
}

/*
 * The force of one contact. Its spring is as stiff as the two bodies can bear: with mobility w the
 * frequency is sqrt(k w), and it is shared out among the contacts of the busier body, since they
 * act together. Friction opposes sliding, never by more than what would stop it within the step.
 */
void modal_world_press(modal_world *world, const modal_contact *contact)
{
    double point[3], normal[3], sliding[3], force[3];
    for (int a = 0; a < 3; a++) {
        point[a] = (double)contact->point[a];
        normal[a] = (double)contact->normal[a];
    }
    contact_side a = side_of(world, contact->a, contact->vertex_a, point);
    contact_side b = side_of(world, contact->b, contact->vertex_b, point);
    double give = mobility(world, &a, normal) + mobility(world, &b, normal);
    if (give <= 0.0 || contact->depth <= 0.0f) {
        return;
    }
    uint32_t share_a = a.body->fixed ? 0 : a.body->contact_count;
    uint32_t share_b = b.body->fixed ? 0 : b.body->contact_count;
    double mass = 1.0 / (give * (share_a > share_b ? share_a : share_b));
    double frequency = fmin(world->def.contact_frequency, 0.5 / world->def.time_step);
    double relative[3] = {a.velocity[0] - b.velocity[0], a.velocity[1] - b.velocity[1],
                          a.velocity[2] - b.velocity[2]};
    double leaving = modal_dot(relative, normal);
    double pressure =
        mass * frequency *
        (frequency * (double)contact->depth - 2.0 * world->def.contact_damping * leaving);
    if (pressure <= 0.0) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        sliding[i] = relative[i] - leaving * normal[i];
    }
    double speed = sqrt(modal_dot(sliding, sliding));
    double grip = fmin(world->def.friction * pressure, 0.5 * mass * speed / world->def.time_step);
    for (int i = 0; i < 3; i++) {
        force[i] = pressure * normal[i] - (speed > 0.0 ? grip * sliding[i] / speed : 0.0);
    }
    push(world, &a, force, 1.0);
    push(world, &b, force, -1.0);
}

void modal_world_strike(modal_world *world, uint32_t body, uint32_t vertex, const double point[3],
                        const double impulse[3])
{
    contact_side side = side_of(world, body, vertex, point);
    double turn[3], local[3];
    if (side.body->fixed) {
        return;
    }
    modal_cross(side.arm, impulse, turn);
    for (int a = 0; a < 3; a++) {
        side.body->momentum[a] += impulse[a];
        side.body->angular[a] += turn[a];
    }
    modal_apply_transposed(&side.body->rotation, impulse, local);
    for (uint32_t m = 0; m < moving_modes(world, &side) && side.shape->oscillators != NULL; m++) {
        world->rates[side.body->first + m] += mode_along(&side, m, local);
    }
}
