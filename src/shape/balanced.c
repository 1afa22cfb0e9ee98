/*
 * The balanced partition, ours. All clusters but the last are full, and so are all nodes but some
 * near the root, which is what the eight-wide kernels want; the tree has the least possible number
 * of levels. What that leaves open, where to cut along the longest axis of the midpoints' box, goes
 * by the boxes on both sides.
 */
#include "tree_builder.h"

#include <math.h>

/* Midpoint along `axis`, then number: a total order, so that the tree is the same everywhere. */
static bool item_is_less(const pli_item *a, const pli_item *b, int axis)
{
    float x = a->midpoint[axis], y = b->midpoint[axis];
    return x < y || (x == y && a->triangle < b->triangle);
}

static void swap_items(pli_item *a, pli_item *b)
{
    pli_item kept = *a;
    *a = *b;
    *b = kept;
}

/*
 * Puts the `rank` smallest items first (quickselect). Pivots come from a fixed sequence: expected
 * linear time whatever the input's order.
 */
static void select_smallest(pli_item *items, uint32_t count, uint32_t rank, int axis)
{
    uint32_t low = 0, high = count, state = count;
    while (high - low > 1) {
        state = state * 1664525u + 1013904223u;
        pli_item pivot = items[low + (uint32_t)(((uint64_t)state * (high - low)) >> 32)];
        uint32_t i = low, j = high - 1;
        for (;;) {
            while (item_is_less(&items[i], &pivot, axis)) {
                i++;
            }
            while (item_is_less(&pivot, &items[j], axis)) {
                j--;
            }
            if (i >= j) {
                break;
            }
            swap_items(&items[i++], &items[j--]);
        }
        /* i == j: the pivot stands there, in its final place. Otherwise i == j + 1 parts the two
         * sides. */
        uint32_t above = i == j ? i + 1 : i;
        if (rank < i) {
            high = i;
        } else if (rank > above) {
            low = above;
        } else {
            return;
        }
    }
}

int pli_longest_axis(const pli_item *items, uint32_t count)
{
    float lower[3], upper[3];
    for (int k = 0; k < 3; k++) {
        lower[k] = upper[k] = items[0].midpoint[k];
    }
    for (uint32_t i = 1; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            float x = items[i].midpoint[k];
            lower[k] = x < lower[k] ? x : lower[k];
            upper[k] = x > upper[k] ? x : upper[k];
        }
    }
    int longest = 0;
    for (int k = 1; k < 3; k++) {
        if (upper[k] - lower[k] > upper[longest] - lower[longest]) {
            longest = k;
        }
    }
    return longest;
}

/* ------------------------------------------------------------ where to cut */

enum { SLICES = 64 }; /* along an axis; a cut is judged by whole ones */

typedef struct slice {
    float lower[3], upper[3]; /* of the midpoints in it */
    uint32_t count;
} slice;

static slice empty_slice(void)
{
    return (slice){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
}

static void add_to_slice(slice *s, const float lower[3], const float upper[3], uint32_t count)
{
    for (int k = 0; k < 3; k++) {
        s->lower[k] = lower[k] < s->lower[k] ? lower[k] : s->lower[k];
        s->upper[k] = upper[k] > s->upper[k] ? upper[k] : s->upper[k];
    }
    s->count += count;
}

static slice join(const slice *a, const slice *b)
{
    slice both = *a;
    add_to_slice(&both, b->lower, b->upper, b->count);
    return both;
}

static double diagonal(const slice *s)
{
    double square = 0.0;
    for (int k = 0; k < 3 && s->count > 0; k++) {
        double side = (double)s->upper[k] - (double)s->lower[k];
        square += side * side;
    }
    return sqrt(square);
}

static void fill_slices(const pli_item *items, uint32_t count, int axis, slice slices[SLICES])
{
    float lower = items[0].midpoint[axis], upper = lower;
    for (uint32_t i = 1; i < count; i++) {
        float x = items[i].midpoint[axis];
        lower = x < lower ? x : lower;
        upper = x > upper ? x : upper;
    }
    double extent = (double)upper - (double)lower, scale = extent > 0.0 ? SLICES / extent : 0.0;
    for (uint32_t i = 0; i < SLICES; i++) {
        slices[i] = empty_slice();
    }
    for (uint32_t i = 0; i < count; i++) {
        const float *midpoint = items[i].midpoint;
        uint32_t at = (uint32_t)(((double)midpoint[axis] - (double)lower) * scale);
        add_to_slice(&slices[at < SLICES ? at : SLICES - 1], midpoint, midpoint, 1);
    }
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/*
 * How many units of a run go to the left of a cut along an axis: as many as make the diagonals of
 * the boxes on both sides shortest, each weighed by what is in it, but no number that would take
 * one child more than the run needs. The slice in which a cut falls counts for both sides.
 */
static uint64_t choose_cut(const pli_item *items, uint32_t count, int axis, pli_portions portions)
{
    slice slices[SLICES], after[SLICES + 1], before = empty_slice();
    fill_slices(items, count, axis, slices);
    after[SLICES] = empty_slice();
    for (uint32_t i = SLICES; i-- > 0;) {
        after[i] = join(&slices[i], &after[i + 1]);
    }
    uint64_t units = divide_up(count, portions.unit), best = 0;
    uint64_t children = divide_up(units, portions.most);
    double least = (double)INFINITY;
    uint32_t at = 0; /* the slice in which the cut falls */
    for (uint64_t left = 1; left < units; left++) {
        while (before.count + slices[at].count < left * portions.unit) {
            before = join(&before, &slices[at++]);
        }
        slice with = join(&before, &slices[at]);
        const slice *rest = &after[with.count == left * portions.unit ? at + 1 : at];
        double cost = diagonal(&with) * (double)left + diagonal(rest) * (double)(units - left);
        uint64_t needed = divide_up(left, portions.most) + divide_up(units - left, portions.most);
        if (needed == children && cost < least) {
            least = cost;
            best = left;
        }
    }
    return best;
}

uint32_t pli_cut(pli_item *items, uint32_t count, pli_portions portions, uint32_t sizes[PLI_WIDTH])
{
    if (count <= portions.most * portions.unit) {
        sizes[0] = count;
        return 1;
    }
    int axis = pli_longest_axis(items, count);
    uint32_t left = (uint32_t)(choose_cut(items, count, axis, portions) * portions.unit);
    select_smallest(items, count, left, axis);
    uint32_t parts = pli_cut(items, left, portions, sizes);
    return parts + pli_cut(items + left, count - left, portions, sizes + parts);
}

/* Children are made of the largest subtrees that are complete in all of them. */
uint32_t pli_split_balanced(pli_tree_builder *builder, pli_run run, uint32_t sizes[PLI_WIDTH])
{
    pli_portions portions = {.unit = builder->cluster_capacity, .most = 1};
    while (portions.unit * portions.most * builder->arity < run.count) {
        portions.unit *= portions.most;
        portions.most = builder->arity;
    }
    return pli_cut(builder->items + run.first, run.count, portions, sizes);
}
