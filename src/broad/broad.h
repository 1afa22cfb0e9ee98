/*
 * The broad phase: which boxes of many overlap. Five methods, one answer.
 *
 * Bodies are slots, small numbers that the caller hands out, lowest free first. Adding, moving and
 * removing only note what changed; pli_broad_pairs() does the work. Boxes are closed, so touching
 * counts, and compared exactly in any floating-point environment. A side may be infinite.
 */
#ifndef PLI_BROAD_BROAD_H
#define PLI_BROAD_BROAD_H

#include "pliant/body.h"

#include "base/array.h"

typedef enum pli_broad_kind {
    PLI_BROAD_AUTO = 0,  /* the one that is likely to be fastest; see broad.c */
    PLI_BROAD_ALL_PAIRS, /* every box with every other */
    PLI_BROAD_SWEEP, /* three sorted lists, re-sorted: for bodies that move a little at a time */
    PLI_BROAD_GRID,  /* cells, filled anew each time: for bodies of similar size */
    PLI_BROAD_SORT,  /* one axis, sorted anew each time: for hundreds or thousands of bodies */
    PLI_BROAD_TREE   /* a tree that is kept: for tens to many thousands that move a little */
} pli_broad_kind;

enum { PLI_BROAD_KINDS = 6 };

/* Slots are below this. */
#define PLI_BROAD_MAX_SLOTS ((uint32_t)1 << 31)

/* Pairs are numbered by 32 bits; workers that take them count a little beyond the last. */
#define PLI_MOST_PAIRS (UINT32_MAX - ((uint32_t)1 << 16))

/* What the latest pli_broad_pairs() cost. */
typedef struct pli_broad_stats {
    pli_broad_kind method; /* that answered; never PLI_BROAD_AUTO */
    uint64_t tests;        /* pairs of boxes compared */
    uint64_t ends_read;    /* sweep: entries of the sorted lists that were brought up to date */
    uint64_t swaps;        /* sweep: exchanges of neighbours while re-sorting */
    uint64_t cells;        /* grid: entries of bodies in cells */
    uint64_t left;         /* tree: bodies that left their fat boxes since it answered last */
    bool rebuilt;          /* sweep, tree: lists or kept pairs were made from nothing */
} pli_broad_stats;

typedef struct pli_broad pli_broad;

pliant_result pli_broad_create(pliant_context *context, pli_broad_kind kind, pli_broad **broad);

/* NULL is ignored. */
void pli_broad_destroy(pli_broad *broad);

/* Adds a body in a free slot. No coordinate is NaN, and lower <= upper. */
pliant_result pli_broad_add(pli_broad *broad, uint32_t slot, const pliant_box *box);

/* The body's box is another one now. Several threads may say so at once about different bodies. */
void pli_broad_move(pli_broad *broad, uint32_t slot, const pliant_box *box);

void pli_broad_remove(pli_broad *broad, uint32_t slot);

/*
 * All pairs of bodies whose boxes overlap, as keys low << 32 | high with low < high, ascending: the
 * same list for every method. It belongs to `broad` and lives until its next call. When there is no
 * memory, or there are more than PLI_MOST_PAIRS, the call fails, and the next one answers as if it
 * had not been made.
 */
pliant_result pli_broad_pairs(pli_broad *broad, const uint64_t **keys, size_t *count);

/*
 * Brings the tree over the bodies up to date, which the walks of walk.h go through. Where nothing
 * has changed since it returns at once. After a failure the next call does what this one did not.
 */
pliant_result pli_broad_update_tree(pli_broad *broad);

/*
 * All pairs of bodies whose boxes are within a distance of each other along every axis, as
 * pli_broad_pairs() lists those that overlap; a distance above 0 is widened by 2^-20 of itself. The
 * list lives until the next such call, beside the other one. Fails like it.
 */
pliant_result pli_broad_pairs_within(pli_broad *broad, double distance, const uint64_t **keys,
                                     size_t *count);

/* How many pairs may be found: PLI_MOST_PAIRS, unless a test lowers it. */
uint64_t pli_broad_most_pairs(const pli_broad *broad);
void pli_broad_limit_pairs(pli_broad *broad, uint64_t most);

const pli_broad_stats *pli_broad_get_stats(const pli_broad *broad);

/* Bytes held. */
uint64_t pli_broad_memory(const pli_broad *broad);

/* ------------------------------------------------------------ walks

   Walks over the tree of a broad phase: which bodies a ray may meet, which lie near a point, which
   are near a box. The tree has to be up to date (pli_broad_update_tree()) and is only read: several
   threads may walk at once, each with a walk of its own. What a walk finds, and in which order,
   follows from the bodies' boxes alone, whatever the tree is like. */

/* A node or body that a walk has yet to come to. */
typedef struct pli_broad_walk_entry {
    double near;   /* nothing below begins before */
    uint64_t rank; /* of equal ones, which is first: nodes before bodies, bodies by slot */
} pli_broad_walk_entry;

enum { PLI_BROAD_WALK_ARRAYS = 3 };

/* One of zero bytes is ready for use; its memory is kept from walk to walk. */
typedef struct pli_broad_walk {
    const pli_broad *broad;
    bool has_direction;           /* a ray; else a point */
    bool failed;                  /* for want of memory: the walk ended too early */
    bool backward[3];             /* where the direction is below 0 */
    double origin[3], inverse[3]; /* of the direction */
    union {
        struct {
            PLI_ARRAY(pli_broad_walk_entry)
            heap; /* none comes before the one above it, (i - 1) / 2 */
            pli_keys slots, scratch;
        };
        pli_array arrays[PLI_BROAD_WALK_ARRAYS];
    };
} pli_broad_walk;

/* A body that a walk came to. */
typedef struct pli_broad_walk_step {
    uint32_t slot;
    double near; /* where the ray may enter the box; or how near the point it may come */
} pli_broad_walk_step;

/* Begins a walk along a ray, from 0 to `limit` lengths of `direction`, or away from a point up to a
   distance of `limit`. All numbers are finite, but for the limit. */
void pli_broad_walk_ray(pli_broad_walk *walk, const pli_broad *broad, const float origin[3],
                        const float direction[3], double limit);
void pli_broad_walk_point(pli_broad_walk *walk, const pli_broad *broad, const float point[3],
                          double limit);

/*
 * The next body, in ascending order of `near`, of equal ones in that of slots; false when there is
 * none with near <= limit, or when memory was wanting, which walk->failed says. The limit may
 * shrink from call to call. `near` is rounded down by a few units of its last place, so that a body
 * is never missed.
 */
bool pli_broad_walk_next(pli_broad_walk *walk, double limit, pli_broad_walk_step *step);

/*
 * The bodies whose boxes are within a distance of a box along every axis, ascending by slot; with
 * 0, those whose boxes meet it. A distance above 0 is widened by 2^-20 of itself. The list belongs
 * to the walk and lives until its next call.
 */
pliant_result pli_broad_walk_box(pli_broad_walk *walk, const pli_broad *broad,
                                 const pliant_box *box, double distance, const uint64_t **slots,
                                 size_t *count);

/* A box around all bodies; without any, one that is nowhere. */
pliant_box pli_broad_walk_room(const pli_broad *broad);

void pli_broad_walk_release(pliant_context *context, pli_broad_walk *walk);

#endif
