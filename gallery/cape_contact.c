#include "cape.h"

#include <math.h>
#include <string.h>

/* Lengths, in mean edges of the cloth: shorter than a triangle is high, so that neighbours on the
   cloth do not count as close. */
#define APART    0.3 /* kept between features of the cloth */
#define OFF      0.4 /* kept between the cloth's vertices and the figure */
#define AROUND   0.8 /* looked for around vertices */
#define FRICTION 0.6
#define ROUNDS   8 /* of the last projection, at most */

bool cape_find_self(cape_world *world, pliant_features *features)
{
    float near = (float)(world->near * world->cloth.edge);
    return pliant_body_set_positions(world->bodies[0], world->cloth.positions, 0) == PLIANT_OK &&
           pliant_find_features_self(world->self, world->bodies[0], near, NULL, features) ==
               PLIANT_OK;
}

/*
 * Holds two features apart along the direction they had when the step began. It says which side is
 * which, even if they have passed through each other since.
 */
static void hold_pair(cape_cloth *cloth, const pliant_feature_pair *pair)
{
    int firsts = pair->kind == PLIANT_EDGE_EDGE ? 2 : 1;
    double gap = -APART * cloth->edge, square = 0.0, shares[4];
    for (int i = 0; i < 4; i++) {
        const double *place = cloth->places[pair->vertices[i]];
        shares[i] = (i < firsts ? -1.0 : 1.0) * (double)pair->weights[i];
        square += shares[i] * shares[i];
        for (int axis = 0; axis < 3; axis++) {
            gap += shares[i] * (double)pair->direction[axis] * place[axis];
        }
    }
    for (int i = 0; i < 4 && gap < 0.0; i++) {
        for (int axis = 0; axis < 3; axis++) {
            cloth->places[pair->vertices[i]][axis] -=
                shares[i] * gap / square * (double)pair->direction[axis];
        }
    }
}

void cape_hold_self(cape_cloth *cloth, const pliant_features *features)
{
    for (uint64_t i = 0; i < features->count; i++) {
        hold_pair(cloth, &features->pairs[i]);
    }
}

static bool measure(cape_world *world, double farthest)
{
    pliant_distance_options options = pliant_distance_options_default();
    options.max_distance = (float)farthest;
    cape_cloth_round(&world->cloth);
    return pliant_measure_distances(world->outside, world->bodies[1], world->cloth.positions,
                                    world->cloth.count, 0, &options, world->distances) == PLIANT_OK;
}

bool cape_find_outside(cape_world *world)
{
    return measure(world, AROUND * world->cloth.edge);
}

void cape_carry(const cape_world *world, const pliant_closest *closest, double carried[3])
{
    const uint32_t *corners = world->figure->triangles + 3 * (size_t)closest->triangle;
    for (size_t axis = 0; axis < 3; axis++) {
        carried[axis] = 0.0;
        for (int k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)corners[k] + axis;
            carried[axis] +=
                closest->weights[k] * ((double)world->skin[at] - (double)world->skin_before[at]);
        }
    }
}

/* Takes away what the vertex slid along the surface, as far as friction holds it. */
static void rub(const double carried[3], const float normal[3], double push, const double start[3],
                double place[3])
{
    double slide[3], along = 0.0, square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        slide[axis] = place[axis] - start[axis] - carried[axis];
        along += slide[axis] * (double)normal[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        slide[axis] -= along * (double)normal[axis];
        square += slide[axis] * slide[axis];
    }
    double held = FRICTION * push, length = sqrt(square);
    double share = length > held ? held / length : 1.0;
    for (int axis = 0; axis < 3; axis++) {
        place[axis] -= share * slide[axis];
    }
}

/* Near the figure a vertex stays in front of the plane through the closest point. */
void cape_hold_outside(cape_world *world)
{
    cape_cloth *cloth = &world->cloth;
    world->costs.on_body = 0;
    for (uint32_t i = 0; i < cloth->count; i++) {
        const pliant_signed_distance *found = &world->distances[i];
        if (!found->closest.found) {
            continue;
        }
        double gap = -OFF * cloth->edge, *place = cloth->places[i];
        for (int axis = 0; axis < 3; axis++) {
            gap += (double)found->direction[axis] *
                   (place[axis] - (double)found->closest.at.point[axis]);
        }
        if (gap < 0.0) {
            double carried[3];
            for (int axis = 0; axis < 3; axis++) {
                place[axis] -= gap * (double)found->direction[axis];
            }
            cape_carry(world, &found->closest, carried);
            rub(carried, found->direction, -gap, cloth->starts[i], place);
            world->costs.on_body++;
        }
    }
}

/* Moves vertices to at least `least` from the figure; are some still inside, or as good as? */
static bool push_out(cape_world *world, double least)
{
    bool inside = false;
    for (uint32_t i = 0; i < world->cloth.count; i++) {
        const pliant_signed_distance *found = &world->distances[i];
        if (found->distance < least) {
            /* Where there are several ways out, the shortest may end inside another part. */
            inside = inside || found->distance < 0.5 * least;
            for (int axis = 0; axis < 3 && found->closest.found; axis++) {
                world->cloth.places[i][axis] +=
                    (least - found->distance) * (double)found->direction[axis];
            }
        }
    }
    return inside;
}

bool cape_leave_figure(cape_world *world)
{
    double least = 0.5 * OFF * world->cloth.edge;
    bool inside = true;
    for (uint32_t round = 0; inside && round < ROUNDS; round++) {
        /* A vertex so deep that nothing is close needs the whole figure to be looked at. */
        if (!measure(world, round == 0 ? AROUND * world->cloth.edge : HUGE_VAL)) {
            return false;
        }
        inside = push_out(world, least);
        world->costs.rounds = round + 1;
    }
    cape_cloth_round(&world->cloth);
    return true;
}
