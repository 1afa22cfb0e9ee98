/*
 * Cutting runs of items, one per triangle, in two where that makes small boxes. Items are permuted
 * in place; which items lie on which side of a cut, and in which order, follows from the items
 * alone, however many workers share the work.
 */
#ifndef PLI_TREE_CUT_H
#define PLI_TREE_CUT_H

#include "base/context.h"
#include "tree/tree.h"

typedef struct pli_item {
    union {
        struct {
            float midpoint[3]; /* mean of the corners */
            uint32_t triangle;
        };
        float four[4]; /* the same as one register; the last one is no number to compute with */
    };
} pli_item;

/* Items that follow each other: a node, a cluster or a leaf. */
typedef struct pli_item_run {
    uint32_t first, count;
} pli_item_run;

/* Where items are cut. */
typedef struct pli_cutter {
    pliant_context *context;  /* whose workers share the passes over large runs; NULL: none do */
    pli_item *items;          /* all items of the tree */
    pli_item *scratch;        /* as many */
    uint8_t *slice;           /* as many: where an item lies along the axis of the present cut */
    struct pli_slices *block; /* pli_cutter_blocks() of them, if workers share */
    pliant_result result;     /* not PLIANT_OK after a caller's scheduler failed */
} pli_cutter;

/* How many elements of `block` a cutter of so many items needs, and the bytes of one. */
uint32_t pli_cutter_blocks(uint32_t items);
size_t pli_cutter_block_size(void);

/* What a run is cut into: children of whole units, up to so many each. */
typedef struct pli_portions {
    uint64_t unit; /* in triangles */
    uint64_t most;
} pli_portions;

/*
 * Cuts a run of items into the fewest children there can be, which follow each other; only the last
 * unit may be short. Cuts once and then both sides, so that children that follow each other are
 * near each other. Writes the size of each child and returns their number.
 */
uint32_t pli_cut(pli_cutter *cutter, pli_item_run run, pli_portions portions,
                 uint32_t sizes[PLI_WIDTH]);

/* The axis along which the midpoints of `count` items spread most; the first such one. */
int pli_longest_axis(const pli_item *items, uint32_t count);

/* Puts the `rank` smallest items along an axis first; midpoints that are equal go by number. */
void pli_select_smallest(pli_item *items, uint32_t count, uint32_t rank, int axis);

#endif
