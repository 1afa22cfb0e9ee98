/*
 * The guard: no two triangles meet on the way from one state to the next, exactly. Vertices of
 * triangles that meet are slowed down until none do, as the line searches of barrier solvers do it
 * for all vertices at once: only those that are in the way lose speed, so the cloth does not
 * freeze. The state that is accepted is the one that was asked about last, as it is rounded.
 */
#include "cape.h"

#include <math.h>

#define ROUNDS 10
#define SHARE  0.8 /* of the way to the first meeting */

/* The corners of a triangle go no farther than a share of the way to when it meets another. */
static void slow(cape_world *world, uint32_t triangle, double time)
{
    for (size_t k = 0; k < 3; k++) {
        double *share = &world->shares[world->triangles[3 * (size_t)triangle + k]];
        *share = fmin(*share, SHARE * time);
    }
}

/* Slows what meets, unless it touches to begin with: the guard can only keep apart what is apart.
   Returns how many pairs there are. */
static uint64_t slow_all(cape_world *world, const pliant_meetings *found, bool self)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < found->count; i++) {
        const pliant_meeting *meeting = &found->meetings[i];
        if (meeting->kind != PLIANT_MEETING_START) {
            count++;
            slow(world, found->pairs[i].a, meeting->time.low);
            if (self) {
                slow(world, found->pairs[i].b, meeting->time.low);
            }
        }
    }
    return count;
}

/* What meets on the way of the cloth to its positions; how far each vertex may go of it. */
static bool find_meetings(cape_world *world, uint64_t *count)
{
    pliant_meetings found;
    for (uint32_t i = 0; i < world->cloth.count; i++) {
        world->shares[i] = 1.0;
    }
    if (pliant_body_set_positions(world->bodies[0], world->cloth.positions, 0) != PLIANT_OK ||
        pliant_find_meetings(world->self, world->bodies[0], world->bodies[1], NULL, &found) !=
            PLIANT_OK) {
        return false;
    }
    *count = slow_all(world, &found, false);
    if (pliant_find_meetings_self(world->self, world->bodies[0], NULL, &found) != PLIANT_OK) {
        return false;
    }
    *count += slow_all(world, &found, true);
    return true;
}

/*
 * Takes vertices back along their way: near the figure to where its surface carries them, which is
 * the way that keeps them where they are on it, and else to where they were.
 */
static uint64_t take_back(cape_world *world)
{
    cape_cloth *cloth = &world->cloth;
    uint64_t slowed = 0;
    for (uint32_t i = 0; i < cloth->count; i++) {
        double share = world->shares[i], carried[3] = {0.0, 0.0, 0.0};
        if (share < 1.0) {
            const pliant_closest *closest = &world->distances[i].closest;
            slowed++;
            if (closest->found) {
                cape_carry(world, closest, carried);
            }
            for (int axis = 0; axis < 3; axis++) {
                double still = cloth->starts[i][axis] + carried[axis];
                cloth->places[i][axis] = still + share * (cloth->places[i][axis] - still);
            }
        }
    }
    cape_cloth_round(cloth);
    return slowed;
}

bool cape_guard(cape_world *world, bool *is_free)
{
    uint64_t count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (!find_meetings(world, &count)) {
            return false;
        }
        world->counts.meetings += count;
        if (count == 0) {
            break;
        }
        world->counts.slowed += take_back(world);
    }
    *is_free = count == 0;
    return true;
}
