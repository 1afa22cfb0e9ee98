/*
 * Walks over the tree of a broad phase: which bodies a ray may meet, which lie near a point, which
 * are near a box. The tree has to be up to date (pli_broad_update_tree()) and is only read: several
 * threads may walk at once, each with a walk of its own. What a walk finds, and in which order,
 * follows from the bodies' boxes alone, whatever the tree is like.
 */
#ifndef PLI_BROAD_WALK_H
#define PLI_BROAD_WALK_H

#include "broad.h"
#include "base/array.h"

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
