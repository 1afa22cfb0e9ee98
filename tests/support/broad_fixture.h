/* Boxes for the tests of the broad phase: a world of random ones with the pairs that overlap, and a
   swarm of moving ones. */
#ifndef PLIANT_TESTS_BROAD_FIXTURE_H
#define PLIANT_TESTS_BROAD_FIXTURE_H

#include "broad/method.h"
#include "fixture.h"
#include "gallery/numbers.h"

enum { WORLD_BODIES = 160 };

/* What a broad phase should hold, and the pairs that it should find. */
typedef struct world {
    pliant_box boxes[WORLD_BODIES];
    bool present[WORLD_BODIES];
    uint32_t count;
    uint64_t keys[WORLD_BODIES * WORLD_BODIES / 2];
    size_t key_count;
} world;

/* Finds the pairs by brute force. */
void world_find_pairs(world *w);

/* Half of all boxes have whole coordinates, so that many touch exactly. */
pliant_box random_box(gallery_random *random);

/* The same box, up to `reach` away along each axis. */
pliant_box moved_box(gallery_random *random, pliant_box box, double reach);

/* Bodies of edge 1 spread evenly in a cube, 1.5 apart on average, each with its own velocity. */
typedef struct swarm {
    uint32_t count;
    double width;
    double (*centres)[3], (*velocities)[3];
    pli_broad *broad;
} swarm;

swarm swarm_create(pliant_context *context, pli_broad_kind kind, uint32_t count);
void swarm_destroy(swarm *s);
pliant_box swarm_box(const swarm *s, uint32_t body);

/* Moves all bodies for a time and finds the pairs; returns what that took. */
const pli_broad_stats *swarm_step(swarm *s, double time, size_t *pairs);

/* A caller's scheduler without threads: one worker after the other, the last piece first; `user` is
   how many there are. */
void run_in_turn(void *user, pliant_task task, void *argument, uint32_t count);

#endif
