/* A motion of boxes that broad phases play, and what it costs them. */
#ifndef LAB_EXPERIMENTS_BROAD_RUN_H
#define LAB_EXPERIMENTS_BROAD_RUN_H

#include "experiments.h"

#include "broad/broad.h"
#include "lab/peers/peers.h"

#define BROAD_MAX_STEPS 64

/* A box on its way. */
typedef struct mover {
    double centre[3], velocity[3], half[3];
} mover;

typedef struct swarm {
    mover *movers;
    uint32_t count;
    double side; /* of the cube they stay in */
} swarm;

/* What one method did over a motion. */
typedef struct broad_costs {
    double seconds; /* median per step */
    double mean;    /* of all steps: those in which a tree does more are few */
    double tests, ends_read, swaps, left, pairs;
    double ray_seconds, box_seconds; /* of a walk, by a tree */
    uint64_t rays_met, boxes_met;
    uint64_t hash; /* of all answers */
} broad_costs;

typedef struct broad_run {
    pliant_context *context;
    swarm swarm;
    pliant_box *boxes;
    uint32_t steps;
    uint32_t warm_up; /* steps before those that are timed: kept trees have settled then */
    double speed;
    uint64_t seed;
} broad_run;

/* The boxes at the start, with velocities of up to the run's speed; a step later; and where they
   are. */
void broad_draw(broad_run *run);
void broad_advance(broad_run *run);
void broad_write_boxes(broad_run *run);

/* Goes on with a hash of pairs. */
uint64_t broad_mix_keys(uint64_t hash, const uint64_t *keys, size_t count);

/* Median and mean of the steps' times. */
void broad_take_times(broad_costs *costs, double *seconds, uint32_t steps);

/* broad_trees.c: rays and boxes through our tree, as it is after the motion. */
bool broad_walk_tree(const broad_run *run, pli_broad *broad, broad_costs *costs);

/* The other library goes through the whole motion; it need not put its pairs in order. */
bool broad_play_peer(broad_run *run, const box_peer *peer, broad_costs *costs);

/* Whether the other library found what our tree did. */
bool broad_agrees(const broad_costs *ours, const broad_costs *peer);

#endif
