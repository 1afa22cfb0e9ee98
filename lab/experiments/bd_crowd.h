/* Parts of bd-crowd: the crowd, ours on all bodies, rivals on a block. */
#ifndef LAB_EXPERIMENTS_BD_CROWD_H
#define LAB_EXPERIMENTS_BD_CROWD_H

#include "lab/motions/crowd.h"
#include "lab/motions/reduced.h"

#define BD_MAX_STEPS 64

/* Size of a run. */
typedef struct bd_size {
    uint32_t side;  /* bodies along an edge of the grid */
    uint32_t block; /* the same of the rival's part */
    uint32_t steps, plays;
} bd_size;

typedef struct bd_variant {
    const char *name, *key, *meaning, *key_modern;
    double spacing;
} bd_variant;

typedef struct bd_crowd {
    const bench_settings *settings;
    const bd_variant *variant;
    bd_size size;
    crowd stars;
    uint32_t count, block_count;
    bench_range *ranges;                 /* of the block */
    bench_summary answers[BD_MAX_STEPS]; /* of the block */
    bench_summary totals[BD_MAX_STEPS];  /* of all bodies */
    double pair_scale[BD_MAX_STEPS];     /* pairs of bodies that meet, all over the block's */
} bd_crowd;

/* Whether a body is in the rival's part, and the i-th body that is. */
static inline bool bd_in_block(const bd_crowd *c, uint32_t body)
{
    uint32_t side = c->size.side, block = c->size.block;
    return body % side < block && body / side % side < block && body / side / side < block;
}

static inline uint32_t bd_block_body(const bd_crowd *c, uint32_t i)
{
    uint32_t side = c->size.side, block = c->size.block;
    return i % block + side * (i / block % block + side * (i / block / block));
}

static inline bool bd_same(bench_summary a, bench_summary b)
{
    return a.count == b.count && a.hash == b.hash;
}

/* Sets the state of a body, and of all bodies before a query. */
bool bd_set(const bd_crowd *c, crowd_scene *own, uint32_t body, uint32_t step);
bool bd_ours_step(const bd_crowd *c, crowd_scene *own, uint32_t step,
                  pliant_scene_contacts *contacts);

/* A rival on its block: once scalar and binary, once modern. */
typedef struct bd_rival bd_rival;
bd_rival *bd_rival_create(const bd_crowd *c);
void bd_rival_destroy(const bd_crowd *c, bd_rival *rival);

/* Milliseconds of a step, scaled up to the whole crowd. */
typedef struct bd_rival_cost {
    double evaluate, refit, query;
} bd_rival_cost;

/* One step; answers of the block must be known. False, with the reason in the report, if somebody
   disagrees. */
bool bd_rival_step(bd_crowd *c, bd_rival *rival, bool modern, uint32_t step, bd_rival_cost *cost,
                   bench_report *report);

/* Counts how many times more pairs of bodies are walked in all than in the block; call it before
   any step. The block may touch little, so it also compares a few pairs of bodies that touch. */
bool bd_rival_prepare(bd_crowd *c, crowd_scene *own, bd_rival *rival, bench_report *report);

#endif
