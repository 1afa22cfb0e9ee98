/*
 * The balanced partition, ours: median by count along the longest axis of the midpoints' box. All
 * clusters but the last are full, and so are all nodes but some near the root, which is what the
 * eight-wide kernels want; the tree has the least possible number of levels.
 */
#include "tree_builder.h"

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

void pli_cut_into_pieces(pli_item *items, uint32_t count, uint32_t piece)
{
    while (count > piece) {
        uint32_t pieces = (count + piece - 1) / piece;
        uint32_t left = pieces / 2 * piece;
        select_smallest(items, count, left, pli_longest_axis(items, count));
        pli_cut_into_pieces(items, left, piece);
        items += left;
        count -= left;
    }
}

/* Cuts a run into runs of the sizes given, in the same way. */
static void cut_into_sizes(pli_item *items, const uint32_t *sizes, uint32_t parts)
{
    while (parts > 1) {
        uint32_t half = parts / 2, left = 0, count = 0;
        for (uint32_t i = 0; i < parts; i++) {
            left += i < half ? sizes[i] : 0;
            count += sizes[i];
        }
        select_smallest(items, count, left, pli_longest_axis(items, count));
        cut_into_sizes(items, sizes, half);
        items += left;
        sizes += half;
        parts -= half;
    }
}

/*
 * As few children as the number of levels allows, of nearly the same size each. They are made of
 * units, the largest subtrees that are complete in all of them; only the last unit may be short.
 */
uint32_t pli_split_balanced(pli_tree_builder *builder, pli_run run, uint32_t sizes[PLI_WIDTH])
{
    uint64_t unit = builder->cluster_capacity, most = unit; /* of a child */
    while (most * builder->arity < run.count) {
        unit = most;
        most *= builder->arity;
    }
    uint64_t parts = (run.count + most - 1) / most, units = (run.count + unit - 1) / unit;
    uint32_t done = 0;
    for (uint64_t i = 0; i < parts; i++) {
        uint64_t end = units * (i + 1) / parts * unit;
        sizes[i] = (uint32_t)(end < run.count ? end : run.count) - done;
        done += sizes[i];
    }
    cut_into_sizes(builder->items + run.first, sizes, (uint32_t)parts);
    return (uint32_t)parts;
}
