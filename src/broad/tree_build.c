/*
 * The tree made anew. Based on: T. Karras, "Maximizing Parallelism in the Construction of BVHs,
 * Octrees, and k-d Trees", 2012: bodies are sorted along a curve through the cells that their
 * middles lie in, and a node's bodies are parted where the highest bit of their cells' codes
 * changes. Deviations:
 *
 *   - Bodies much larger than most have codes of their own, above all others (after M. Vinkler,
 *     J. Bittner, V. Havran, "Extended Morton Codes for High Performance Bounding Volume Hierarchy
 *     Construction", 2017): one of them would make all nodes above it large.
 *   - A few bodies far away do not matter for the cells: they lie in those at the ends.
 *   - Nodes are in the order of a walk from the top, so that what lies near is near in memory.
 */
#include "tree.h"

#include <math.h>

#include "sample.h"
#include "base/sort.h"

enum { CELL_BITS = 20, CELLS = 1 << CELL_BITS };

#define LARGER_BY     8.0  /* edges of one size over those of the size below */
#define SAMPLE_CUT    16   /* one of so many at either end of the sample is no measure */
#define BEYOND_SAMPLE 0.25 /* cells reach so far beyond the rest, of its width */

typedef struct tree_frame {
    double origin[3], cells_per_unit[3];
    double median_edge;
} tree_frame;

static tree_frame choose_frame(const pli_body_tree *tree, uint32_t slot_count)
{
    pli_sample sample;
    tree_frame frame = {.median_edge = 0.0};
    pli_sample_draw(tree->fats.data, slot_count, &sample);
    if (sample.count == 0) {
        return frame;
    }
    frame.median_edge = pli_sample_median_edge(&sample);
    size_t cut = sample.count / SAMPLE_CUT;
    for (int axis = 0; axis < 3; axis++) {
        double first = pli_ordered_side((uint32_t)sample.corners[axis][cut]);
        double last = pli_ordered_side((uint32_t)sample.corners[axis][sample.count - 1 - cut]);
        double width = last - first + frame.median_edge;
        frame.origin[axis] = first - BEYOND_SAMPLE * width;
        frame.cells_per_unit[axis] =
            width > 0.0 ? CELLS / ((1.0 + 2.0 * BEYOND_SAMPLE) * width) : 0.0;
    }
    return frame;
}

/* Puts two zeros before each of 20 bits. */
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

/* Where there is nothing to compute with, the first cell. */
static uint64_t cell_of(const tree_frame *frame, const pli_ordered_box *box, int axis)
{
    double middle = 0.5 * (pli_ordered_side(box->lower[axis]) + pli_ordered_side(box->upper[axis]));
    double at = (middle - frame->origin[axis]) * frame->cells_per_unit[axis];
    at = at > 0.0 ? at : 0.0;
    return (uint64_t)(at < CELLS - 1 ? at : CELLS - 1);
}

static uint64_t size_of(const tree_frame *frame, const pli_ordered_box *box)
{
    double edge = pli_longest_edge(box), limit = LARGER_BY * frame->median_edge;
    uint64_t size = 0;
    for (; size < 3 && edge > limit; size++) {
        limit *= LARGER_BY;
    }
    return isfinite(edge) ? size : 3;
}

static uint64_t code_of(const tree_frame *frame, const pli_ordered_box *box)
{
    uint64_t code = size_of(frame, box) << 3 * CELL_BITS;
    for (int axis = 0; axis < 3; axis++) {
        code |= spread_bits(cell_of(frame, box, axis)) << (2 - axis);
    }
    return code;
}

static void sort_slots(pli_body_tree *tree, uint32_t slot_count)
{
    tree_frame frame = choose_frame(tree, slot_count);
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < slot_count; slot++) {
        tree->leaves.data[slot] = PLI_BODY_TREE_NONE;
        if (!pli_ordered_box_is_empty(&tree->fats.data[slot])) {
            tree->codes.data[count] = code_of(&frame, &tree->fats.data[slot]);
            tree->slots.data[count++] = slot;
        }
    }
    tree->leaf_count = count;
    pli_sort_keys(tree->codes.data, tree->code_scratch.data, tree->slots.data,
                  tree->slot_scratch.data, count);
}

/* Where the second child of a node with the leaves `first` to `end` begins. */
static uint32_t find_split(const uint64_t *codes, uint32_t first, uint32_t end)
{
    uint64_t differing = codes[first] ^ codes[end - 1];
    if (differing == 0) {
        return first + (end - first) / 2;
    }
    uint64_t bit = (uint64_t)1 << (63 - __builtin_clzll(differing));
    uint32_t low = first, high = end - 1; /* the bit is not set at low, but at high */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if ((codes[middle] & bit) != 0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* A node to be made of a range of sorted leaves. */
typedef struct node_range {
    uint32_t node, first, end, depth;
} node_range;

static void make_nodes(pli_body_tree *tree)
{
    node_range stack[PLI_BODY_TREE_DEPTH];
    uint32_t height = 0;
    stack[height++] = (node_range){0, 0, tree->leaf_count, 0};
    tree->nodes.data[0].above = PLI_BODY_TREE_NONE;
    while (height > 0) {
        node_range range = stack[--height];
        tree->depth = range.depth > tree->depth ? range.depth : tree->depth;
        if (range.end - range.first == 1) {
            pli_body_tree_set_leaf(tree, range.node, (uint32_t)tree->slots.data[range.first]);
            continue;
        }
        uint32_t pair = tree->pair_count++;
        uint32_t split = find_split(tree->codes.data, range.first, range.end);
        tree->nodes.data[range.node].below = pair;
        tree->nodes.data[2 * pair].above = tree->nodes.data[2 * pair + 1].above = range.node;
        stack[height++] = (node_range){2 * pair + 1, split, range.end, range.depth + 1};
        stack[height++] = (node_range){2 * pair, range.first, split, range.depth + 1};
    }
}

void pli_body_tree_build(pli_body_tree *tree, uint32_t slot_count)
{
    sort_slots(tree, slot_count);
    tree->pair_count = 1;
    tree->free_pair = PLI_BODY_TREE_NONE;
    tree->changes = 0;
    tree->depth = 0;
    if (tree->leaf_count == 0) {
        return;
    }
    make_nodes(tree);
    for (uint32_t pair = tree->pair_count - 1; pair > 0; pair--) { /* children first */
        const pli_body_tree_node *children = &tree->nodes.data[2 * (size_t)pair];
        pli_body_tree_wrap(&tree->nodes.data[children->above], &children[0], &children[1]);
    }
}
