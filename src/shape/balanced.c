/*
 * The balanced partition, ours: median by count along the longest axis of the midpoints' box, cut
 * at multiples of arity^k clusters. All clusters but the last are full, which is what the
 * eight-wide kernels want, and the tree has the least possible number of levels.
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

uint32_t pli_split_balanced(pli_tree_builder *builder, pli_run run, uint32_t sizes[PLI_WIDTH])
{
    uint64_t piece = builder->cluster_capacity;
    while (piece * builder->arity < run.count) {
        piece *= builder->arity;
    }
    pli_cut_into_pieces(builder->items + run.first, run.count, (uint32_t)piece);
    uint32_t parts = 0;
    for (uint32_t left = run.count; left > 0; left -= sizes[parts - 1]) {
        sizes[parts++] = left < piece ? left : (uint32_t)piece;
    }
    return parts;
}
