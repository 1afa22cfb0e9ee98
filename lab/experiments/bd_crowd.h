/* What the parts of bd-crowd have in common: the crowd, ours on all of it, rivals on a block. */
#ifndef LAB_EXPERIMENTS_BD_CROWD_H
#define LAB_EXPERIMENTS_BD_CROWD_H

#include "lab/harness/contest.h"
#include "lab/motions/reduced.h"
#include "lab/motions/star_crowd.h"

#define CROWD_MAX_STEPS 64

/* How large a run is. */
typedef struct crowd_size {
    uint32_t side;  /* bodies along an edge of the grid */
    uint32_t block; /* the same of the rival's part */
    uint32_t steps, plays;
} crowd_size;

typedef struct crowd_variant {
    const char *name, *key, *meaning, *key_modern;
    double spacing;
} crowd_variant;

/* The state of all bodies in one step. */
typedef struct crowd_state {
    float coordinates[STAR_MODES], transform[12];
} crowd_state;

typedef struct crowd {
    const bench_settings *settings;
    const crowd_variant *variant;
    crowd_size size;
    uint32_t count, block_count;
    gallery_mesh mesh;
    gallery_model model;
    crowd_state *states;                    /* body after body, step after step */
    bench_range *ranges;                    /* of the block */
    bench_summary answers[CROWD_MAX_STEPS]; /* of the block */
    bench_summary totals[CROWD_MAX_STEPS];  /* of all bodies */
    double pair_scale[CROWD_MAX_STEPS];     /* pairs of bodies that meet, all over the block's */
} crowd;

static inline const crowd_state *crowd_state_of(const crowd *c, uint32_t body, uint32_t step)
{
    return &c->states[(size_t)step * c->count + body];
}

/* Whether a body is in the rival's part, and the i-th body that is. */
static inline bool crowd_in_block(const crowd *c, uint32_t body)
{
    uint32_t side = c->size.side, block = c->size.block;
    return body % side < block && body / side % side < block && body / side / side < block;
}

static inline uint32_t crowd_block_body(const crowd *c, uint32_t i)
{
    uint32_t side = c->size.side, block = c->size.block;
    return i % block + side * (i / block % block + side * (i / block / block));
}

typedef struct crowd_ours {
    pliant_context *context;
    pliant_shape *shape;
    pliant_body **bodies;
    pliant_scene *scene;
} crowd_ours;

static inline bool crowd_same(bench_summary a, bench_summary b)
{
    return a.count == b.count && a.hash == b.hash;
}

/* One step, from coordinates to pairs. */
bool crowd_ours_step(crowd *c, crowd_ours *own, uint32_t step, pliant_scene_contacts *contacts);

/* A rival on its block: once scalar and binary, once modern. */
typedef struct crowd_rival crowd_rival;
crowd_rival *crowd_rival_create(const crowd *c);
void crowd_rival_destroy(const crowd *c, crowd_rival *rival);

/* Milliseconds of a step, scaled up to the whole crowd. */
typedef struct rival_cost {
    double evaluate, refit, query;
} rival_cost;

/* One step; answers of the block must be known. False, with the reason in the report, if somebody
   disagrees. */
bool crowd_rival_step(crowd *c, crowd_rival *rival, bool modern, uint32_t step, rival_cost *cost,
                      bench_report *report);

/* Before any step: how many times more pairs of bodies are walked in all than in the block; and the
   block may touch little, so a few pairs of bodies that do touch are compared as well. */
bool crowd_rival_prepare(crowd *c, crowd_ours *own, crowd_rival *rival, bench_report *report);

#endif
