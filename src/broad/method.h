/* Shared by the methods of the broad phase: their state, pairs, samples and the kernel. */
#ifndef PLI_BROAD_METHOD_H
#define PLI_BROAD_METHOD_H

#include "base/atomic.h"
#include "base/kernels.h"

#include "broad.h"
#include "tree.h"

/* ------------------------------------------------------------ the kernel

   It compares one box with many that lie side by side, one table per instruction set. Sides are
   integers: all sets find the same boxes, in the same order. */

enum { PLI_OVERLAP_PADDING = 16 }; /* empty boxes behind the last one: the widest kernel's lanes */

/* Boxes by place, side by side. Their sides are in the order of the floats that they stand for. */
typedef struct pli_box_rows {
    int32_t *lower[3], *upper[3];
    uint32_t *slots; /* whose box it is */
} pli_box_rows;

typedef struct pli_overlap_kernels {
    uint32_t quick; /* comparisons in about 32 ns */
    /*
     * Writes the slots of those boxes that overlap the one at `place`, of those behind it and
     * before `end`, and returns how many there are. Boxes from `end` on may be compared as well, so
     * they must not overlap it. `found` has room for all candidates and PLI_OVERLAP_PADDING more.
     */
    uint32_t (*meet)(const pli_box_rows *rows, uint32_t place, uint32_t end, uint32_t *found);
} pli_overlap_kernels;

/* ------------------------------------------------------------ state */

static inline uint64_t pli_pair_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* The three sorted lists of sweep_and_prune.c and the pairs that follow from them: arrays only. */
typedef struct pli_broad_sweep {
    pli_keys ends[3];                /* of each axis: both ends of every body, ascending */
    PLI_ARRAY(pli_ordered_box) seen; /* by slot, the boxes that the lists were made of */
    pli_keys pairs;                  /* that overlap, ascending */
    pli_keys added, removed;         /* since the last time, with repetitions */
    pli_keys scratch;
    pli_indices open, place; /* bodies that a sweep is inside of; where in `open` each body is */
} pli_broad_sweep;

typedef struct pli_grid_range {
    int32_t lower[3], upper[3];
} pli_grid_range;

typedef struct pli_grid_entry {
    uint64_t cell;
    uint32_t slot;
} pli_grid_entry;

/* Scratch memory of grid.c, arrays only; nothing in it outlives a call. */
typedef struct pli_broad_grid {
    PLI_ARRAY(pli_grid_range) ranges;  /* by slot, the cells that a body touches */
    PLI_ARRAY(pli_grid_entry) entries; /* bodies in cells, bucket by bucket */
    PLI_ARRAY(size_t) starts;          /* first entry of each bucket, and the end of the last */
    pli_indices large;                 /* bodies in too many cells */
} pli_broad_grid;

/* A part of a search for pairs, for one worker at a time. */
typedef struct pli_broad_piece {
    _Alignas(64) bool failed; /* for want of memory */
    uint64_t tests;           /* pairs of boxes compared */
    size_t first;             /* where its pairs go when all are brought together */
    union {
        struct {
            pli_keys pairs;    /* found here */
            pli_indices slots; /* found for one body */
        };
        pli_array arrays[2];
    };
} pli_broad_piece;

/* The cells of an axis; the first and the last are endless. */
typedef struct pli_line_frame {
    int axis;
    uint32_t cells, bucket_bits; /* a bucket has 2 to the power of these cells */
    double origin, cells_per_unit;
} pli_line_frame;

/* Scratch memory of sort_and_sweep.c, arrays only; nothing in it outlives a call. */
typedef struct pli_line {
    pli_indices begins;  /* by slot, the cell of the lower side */
    pli_indices counts;  /* by piece and bucket, its bodies; then where the next one goes */
    pli_indices buckets; /* where each begins, in `order`, which has slots by bucket; and the end */
    pli_indices order;
    pli_indices starts;       /* by cell, where its bodies begin; once they are in order, end */
    PLI_ARRAY(int32_t) sides; /* of all rows */
    pli_indices slots;        /* by place, whose box it is */
    pli_indices reaches;      /* by place, the cell of the upper side; then where candidates end */
} pli_line;

/* Parts that pairs are sorted in by several workers. */
enum { PLI_BROAD_PARTS = 64 };

enum { PLI_BROAD_ARRAYS = 28 };

struct pli_broad {
    pliant_context *context;
    const pli_overlap_kernels *kernels;
    pli_broad_kind kind;
    uint32_t slot_count; /* slots that were ever used */
    uint32_t body_count;
    PLI_ATOMIC(bool) changed;     /* since `answer` was found */
    PLI_ATOMIC(bool) tree_is_old; /* something changed since it was brought up to date */
    uint64_t most_pairs;          /* PLI_MOST_PAIRS; tests lower it */
    uint32_t shared_from; /* bodies to search for from which on workers share; tests lower it */
    PLI_ATOMIC(bool) too_many;                 /* the latest call found more */
    pliant_result scheduled;                   /* how the latest run on the workers ended */
    uint32_t piece_count;                      /* pieces that the search under way is cut into */
    pli_keys *gathered;                        /* where its pairs go, */
    uint32_t part_begins[PLI_BROAD_PARTS + 1]; /* and where those of each part begin */
    const pli_keys *answer;
    /* PLI_BROAD_AUTO: steps that others stand in for the tree, that sorting is not tried. */
    uint32_t tree_pause, line_pause;
    uint64_t restless;   /* how many bodies leave their fat boxes per step; see broad.c */
    bool tree_is_warm;   /* the tree answered the call before */
    bool sweep_is_valid; /* its lists, pairs and `seen` belong together */
    bool line_declined;  /* the latest call found that there would be too many candidates */
    pli_box_rows rows;   /* of the line, by place */
    pli_line_frame line_frame;
    pli_broad_stats stats;
    pli_body_tree tree;
    union {
        struct {
            PLI_ARRAY(pli_ordered_box) boxes; /* by slot; empty where there is no body */
            pli_keys found;                   /* pairs, for methods that keep none */
            pli_keys scratch;
            pli_indices ends;  /* scratch of pli_broad_order_pairs() */
            pli_indices parts; /* by piece and part, its pairs; then where the next one goes */
            pli_broad_sweep sweep;
            pli_broad_grid grid;
            pli_line line;
            PLI_ARRAY(pli_broad_piece) pieces; /* a few per worker */
        };
        pli_array arrays[PLI_BROAD_ARRAYS];
    };
};

PLI_CHECK_ARRAYS(struct pli_broad);

/* Pairs from which on workers share what is done with them: sixteen take as long as a body. */
static inline size_t pli_broad_many_pairs(const pli_broad *broad)
{
    return (size_t)16 * broad->shared_from;
}

/* Whether a list is no longer than pairs may be many; if not, the call is to fail, and says why. */
static inline bool pli_broad_allows(pli_broad *broad, const pli_keys *pairs)
{
    bool allowed = pairs->count <= broad->most_pairs;
    if (!allowed) {
        atomic_store_explicit(&broad->too_many, true, memory_order_relaxed);
    }
    return allowed;
}

/* Sorts a list ascending; false without memory for `scratch`, whose contents are lost. */
bool pli_keys_sort(pliant_context *context, pli_keys *list, pli_keys *scratch);

/* Sorts a list of pairs ascending, in two passes where they are many; false without memory. */
bool pli_broad_order_pairs(pli_broad *broad, pli_keys *pairs);

/* A search begins: nothing has failed, nothing has been counted. */
void pli_broad_begin(pli_broad *broad);

/* Why a search failed, on the thread that asked; `what` is said of the pairs that are too many. */
pliant_result pli_broad_failure(const pli_broad *broad, const char *what);

/*
 * collect.c: a stage of a search is cut into pieces for the workers, or left in one. run() runs the
 * task with `broad` for each; false if a piece failed or did not run. collect() brings the pieces'
 * pairs together as well, piece by piece or ascending, in `found`, which no piece reads and which
 * is nothing if it fails. What is allocated does not depend on who runs a piece.
 */
void pli_broad_cut(pli_broad *broad, bool shared);
bool pli_broad_run(pli_broad *broad, pliant_task task);
bool pli_broad_collect(pli_broad *broad, pliant_task task, pli_keys *found);
bool pli_broad_collect_in_order(pli_broad *broad, pliant_task task, pli_keys *found);

/* The numbers below `count` that are a piece's. */
typedef struct pli_broad_range {
    size_t first, end;
} pli_broad_range;

pli_broad_range pli_broad_share(const pli_broad *broad, uint32_t piece, size_t count);

/* Each finds all pairs and leaves them in `answer`; false when there is no memory. Sorting may
   decline, for PLI_BROAD_AUTO only. */
bool pli_line_find(pli_broad *broad);
bool pli_sweep_find(pli_broad *broad);
bool pli_grid_find(pli_broad *broad);
bool pli_body_tree_find(pli_broad *broad);

/* ------------------------------------------------------------ samples

   A few bodies that stand for all of them, for methods that choose cells by how bodies lie. */

enum { PLI_SAMPLE = 512 };

/* Infinite bodies are left out. Each list is ascending by itself. */
typedef struct pli_sample {
    size_t count;
    uint64_t edges[PLI_SAMPLE];      /* bits of the longest edges: they order like the edges */
    uint64_t corners[3][PLI_SAMPLE]; /* lower corners, as ordered integers */
} pli_sample;

static inline double pli_ordered_side(uint32_t ordered)
{
    return (double)pli_ordered_float(ordered);
}

/* The longest edge of a box: infinite if one is. */
double pli_longest_edge(const pli_ordered_box *box);

void pli_sample_draw(const pli_ordered_box *boxes, uint32_t slot_count, pli_sample *sample);

/* The longest edge of the median body; needs at least one. */
double pli_sample_median_edge(const pli_sample *sample);

#endif
