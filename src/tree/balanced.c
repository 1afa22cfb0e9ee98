/*
 * The balanced partition, ours. All clusters but the last are full, and so are all nodes but some
 * near the root, which is what the eight-wide kernels want; the tree has the least possible number
 * of levels. What that leaves open, where to cut along the longest axis of the midpoints' box, goes
 * by the boxes on both sides.
 */
#include "builder.h"

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
void pli_select_smallest(pli_item *items, uint32_t count, uint32_t rank, int axis)
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

/* ------------------------------------------------------------ where to cut */

enum { SLICES = 64 }; /* along an axis; a cut is judged by whole ones */

/* Some of the items, and the box of their midpoints. */
typedef struct slice {
    float lower[3], upper[3];
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

static slice measure(const pli_item *items, uint32_t count)
{
    slice all = empty_slice();
    for (uint32_t i = 0; i < count; i++) {
        add_to_slice(&all, items[i].midpoint, items[i].midpoint, 1);
    }
    return all;
}

static int longest_side(const slice *s)
{
    int longest = 0;
    for (int k = 1; k < 3; k++) {
        if (s->upper[k] - s->lower[k] > s->upper[longest] - s->lower[longest]) {
            longest = k;
        }
    }
    return longest;
}

int pli_longest_axis(const pli_item *items, uint32_t count)
{
    slice all = measure(items, count);
    return longest_side(&all);
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

static void fill_slices(const pli_item *items, const slice *all, int axis, slice slices[SLICES])
{
    double lower = (double)all->lower[axis], extent = (double)all->upper[axis] - lower;
    double scale = extent > 0.0 ? SLICES / extent : 0.0;
    for (uint32_t i = 0; i < SLICES; i++) {
        slices[i] = empty_slice();
    }
    for (uint32_t i = 0; i < all->count; i++) {
        const float *midpoint = items[i].midpoint;
        uint32_t at = (uint32_t)(((double)midpoint[axis] - lower) * scale);
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
static uint64_t choose_cut(const pli_item *items, const slice *all, int axis, pli_portions portions)
{
    slice slices[SLICES], after[SLICES + 1], before = empty_slice();
    fill_slices(items, all, axis, slices);
    after[SLICES] = empty_slice();
    for (uint32_t i = SLICES; i-- > 0;) {
        after[i] = join(&slices[i], &after[i + 1]);
    }
    uint64_t units = divide_up(all->count, portions.unit), best = 0;
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
    slice all = measure(items, count);
    int axis = longest_side(&all);
    uint32_t left = (uint32_t)(choose_cut(items, &all, axis, portions) * portions.unit);
    pli_select_smallest(items, count, left, axis);
    uint32_t parts = pli_cut(items, left, portions, sizes);
    return parts + pli_cut(items + left, count - left, portions, sizes + parts);
}

/* Children are made of the largest subtrees that are complete in all of them. */
uint32_t pli_split_balanced(pli_tree_builder *builder, pli_item_run run, uint32_t sizes[PLI_WIDTH])
{
    pli_portions portions = {.unit = builder->cluster_triangles, .most = 1};
    while (portions.unit * portions.most * builder->arity < run.count) {
        portions.unit *= portions.most;
        portions.most = builder->arity;
    }
    return pli_cut(builder->items.data + run.first, run.count, portions, sizes);
}
