#include "bodies.h"

#include <float.h>
#include <math.h>

static double mass_of(const elastic_world *world, uint32_t body, uint32_t index)
{
    return world->shape->masses[index - world->starts[body]];
}

void bodies_add_gravity(const elastic_world *world, double strength, double (*forces)[3])
{
    for (uint32_t body = 0; body < world->body_count; body++) {
        for (uint32_t i = world->starts[body]; i < world->starts[body + 1]; i++) {
            forces[i][2] -= strength * mass_of(world, body, i);
        }
    }
}

void bodies_add_target(const elastic_world *world, uint32_t body, uint32_t node,
                       const double target[3], const double velocity[3], double stiffness,
                       double (*forces)[3])
{
    uint32_t i = world->starts[body] + node;
    double mass = mass_of(world, body, i), damping = sqrt(stiffness);
    for (int axis = 0; axis < 3; axis++) {
        forces[i][axis] += mass * (stiffness * (target[axis] - world->positions[i][axis]) +
                                   damping * (velocity[axis] - world->velocities[i][axis]));
    }
}

void bodies_add_ball(const elastic_world *world, const double centre[3], double radius,
                     double stiffness, double (*forces)[3])
{
    for (uint32_t body = 0; body < world->body_count; body++) {
        for (uint32_t i = world->starts[body]; i < world->starts[body + 1]; i++) {
            double side[3], square = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                side[axis] = world->positions[i][axis] - centre[axis];
                square += side[axis] * side[axis];
            }
            double distance = sqrt(square);
            for (int axis = 0; axis < 3 && distance > 0.0 && distance < radius; axis++) {
                forces[i][axis] += mass_of(world, body, i) * stiffness * (radius - distance) *
                                   side[axis] / distance;
            }
        }
    }
}

/* The balls of all nodes of a body: lower and upper corner. */
static void find_box(const bodies_simulation *simulation, const elastic_world *world, uint32_t body,
                     double share, double box[2][3])
{
    for (int axis = 0; axis < 3; axis++) {
        box[0][axis] = DBL_MAX;
        box[1][axis] = -DBL_MAX;
    }
    for (uint32_t i = world->starts[body]; i < world->starts[body + 1]; i++) {
        double size = share * simulation->sizes[i - world->starts[body]];
        for (int axis = 0; axis < 3; axis++) {
            box[0][axis] = fmin(box[0][axis], world->positions[i][axis] - size);
            box[1][axis] = fmax(box[1][axis], world->positions[i][axis] + size);
        }
    }
}

static bool overlap(double a[2][3], double b[2][3])
{
    bool apart = false;
    for (int axis = 0; axis < 3; axis++) {
        apart = apart || a[1][axis] < b[0][axis] || b[1][axis] < a[0][axis];
    }
    return !apart;
}

/* Pushes two nodes apart whose balls have a distance of centres below `reach`. */
static void push_apart(const elastic_world *world, uint32_t i, uint32_t j, double reach,
                       double stiffness, double mass, double (*forces)[3])
{
    const double *a = world->positions[i], *b = world->positions[j];
    double side[3], square = 0.0, speed = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        side[axis] = b[axis] - a[axis];
        square += side[axis] * side[axis];
    }
    if (square >= reach * reach || square == 0.0) {
        return;
    }
    double distance = sqrt(square);
    for (int axis = 0; axis < 3; axis++) {
        side[axis] /= distance;
        speed += side[axis] * (world->velocities[j][axis] - world->velocities[i][axis]);
    }
    /* The damping is that of a spring which comes to rest at once, while it is pressed. */
    double force = mass * (stiffness * (reach - distance) - sqrt(stiffness) * fmin(speed, 0.0));
    for (int axis = 0; axis < 3; axis++) {
        forces[i][axis] -= force * side[axis];
        forces[j][axis] += force * side[axis];
    }
}

static void push_bodies(const bodies_simulation *simulation, const elastic_world *world, uint32_t a,
                        uint32_t b, double share, double stiffness, double (*forces)[3])
{
    for (uint32_t i = world->starts[a]; i < world->starts[a + 1]; i++) {
        double size = share * simulation->sizes[i - world->starts[a]];
        double ball[2][3];
        for (int axis = 0; axis < 3; axis++) {
            ball[0][axis] = world->positions[i][axis] - size;
            ball[1][axis] = world->positions[i][axis] + size;
        }
        if (!overlap(ball, simulation->boxes[b])) {
            continue;
        }
        for (uint32_t j = world->starts[b]; j < world->starts[b + 1]; j++) {
            double reach = size + share * simulation->sizes[j - world->starts[b]];
            double mass = fmin(mass_of(world, a, i), mass_of(world, b, j));
            push_apart(world, i, j, reach, stiffness, mass, forces);
        }
    }
}

void bodies_add_contact(const bodies_simulation *simulation, const elastic_world *world,
                        double share, double stiffness, double (*forces)[3])
{
    for (uint32_t a = 0; a < world->body_count; a++) {
        find_box(simulation, world, a, share, simulation->boxes[a]);
    }
    for (uint32_t a = 0; a < world->body_count; a++) {
        for (uint32_t b = a + 1; b < world->body_count; b++) {
            if (overlap(simulation->boxes[a], simulation->boxes[b])) {
                push_bodies(simulation, world, a, b, share, stiffness, forces);
            }
        }
    }
}
