/* Bringing the tree up to date; tree.h says how. */
#include "method.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/sort.h"

/* The slack of a fat box on each side, of the body's longest finite edge. */
#define SLACK 0.125

/* The tree is built anew when one of so many bodies has left its fat box since the last time, or
   bodies have left so many times since it was built, which harms it little. */
#define FEW_STAY         4
#define CHANGES_PER_BODY 4

/* A body keeps its place in the tree while it stays inside of the node so many levels above. */
#define STAY_LEVELS 10

/* Leaves below a node up to which it is looked how deep they are. */
enum { MANY_LEAVES = 32 };

/* Slots are looked through in pieces of so many words of 64, by several workers from so many
   pieces on. */
enum { WORDS_PER_PIECE = 64, SHARED_PIECES = 8 };

/* -------------------------------------------------------------- fat boxes */

static double clamp_side(float side)
{
    double x = (double)side;
    return x > (double)FLT_MAX ? (double)FLT_MAX : x < -(double)FLT_MAX ? -(double)FLT_MAX : x;
}

/* An edge that no side of is infinite. */
static bool is_finite(float lower, float upper)
{
    return clamp_side(lower) == (double)lower && clamp_side(upper) == (double)upper;
}

static pli_ordered_box fatten(const pli_ordered_box *box)
{
    float lower[3], upper[3], slack = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        lower[axis] = pli_ordered_float(box->lower[axis]);
        upper[axis] = pli_ordered_float(box->upper[axis]);
        if (is_finite(lower[axis], upper[axis])) {
            double wanted = SLACK * ((double)upper[axis] - (double)lower[axis]);
            slack = wanted > (double)slack ? (float)wanted : slack;
        }
    }
    pli_ordered_box fat; /* rounding is monotone: it never lies inside of the box */
    for (int axis = 0; axis < 3; axis++) {
        fat.lower[axis] = pli_order_float(lower[axis] - slack);
        fat.upper[axis] = pli_order_float(upper[axis] + slack);
    }
    return fat;
}

static void set_leaf(pli_body_tree *tree, uint32_t node, uint32_t slot)
{
    const pli_ordered_box *fat = &tree->fats.data[slot];
    pli_body_tree_node *leaf = &tree->nodes.data[node];
    for (int axis = 0; axis < 3; axis++) {
        leaf->lower[axis] = pli_ordered_float(fat->lower[axis]);
        leaf->upper[axis] = pli_ordered_float(fat->upper[axis]);
    }
    leaf->below = PLI_BODY_TREE_LEAF | slot;
    tree->leaves.data[slot] = node;
}

/* -------------------------------------------------------------- making the tree anew

   Based on: T. Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d
   Trees", 2012: bodies are sorted along a curve through the cells that their middles lie in, and a
   node's bodies are parted where the highest bit of their cells' codes changes. Deviations:

     - Bodies much larger than most have codes of their own, above all others (after M. Vinkler,
       J. Bittner, V. Havran, "Extended Morton Codes for High Performance Bounding Volume Hierarchy
       Construction", 2017): one of them would make all nodes above it large.
     - A few bodies far away do not matter for the cells: they lie in those at the ends.
     - Nodes are in the order of a walk from the top, so that what lies near is near in memory. */

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
            set_leaf(tree, range.node, (uint32_t)tree->slots.data[range.first]);
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

static void build(pli_body_tree *tree, uint32_t slot_count)
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

/* ---------------------------------------------------- single bodies */

/* Half of the surface of the box around two nodes, finite for any sides. */
static double area_around(const pli_body_tree_node *a, const pli_body_tree_node *b)
{
    double edge[3];
    for (int axis = 0; axis < 3; axis++) {
        float lower = a->lower[axis] < b->lower[axis] ? a->lower[axis] : b->lower[axis];
        float upper = a->upper[axis] > b->upper[axis] ? a->upper[axis] : b->upper[axis];
        edge[axis] = clamp_side(upper) - clamp_side(lower);
    }
    return edge[0] * edge[1] + edge[1] * edge[2] + edge[2] * edge[0];
}

static void refit_from(pli_body_tree_node *nodes, uint32_t node)
{
    while (node != PLI_BODY_TREE_NONE) {
        uint32_t child = pli_body_tree_child(&nodes[node]);
        if (!pli_body_tree_wrap(&nodes[node], &nodes[child], &nodes[child + 1])) {
            return;
        }
        node = nodes[node].above;
    }
}

/* A node moves to another place; those that name it are told. */
static void move_node(const pli_body_tree *tree, uint32_t from, uint32_t to)
{
    pli_body_tree_node *nodes = tree->nodes.data;
    uint32_t above = nodes[to].above;
    nodes[to] = nodes[from];
    nodes[to].above = above;
    if (pli_body_tree_is_leaf(&nodes[to])) {
        tree->leaves.data[pli_body_tree_slot(&nodes[to])] = to;
    } else {
        uint32_t child = pli_body_tree_child(&nodes[to]);
        nodes[child].above = nodes[child + 1].above = to;
    }
}

static uint32_t take_pair(pli_body_tree *tree)
{
    uint32_t pair = tree->free_pair;
    if (pair == PLI_BODY_TREE_NONE) {
        return tree->pair_count++;
    }
    tree->free_pair = tree->nodes.data[2 * (size_t)pair].below;
    return pair;
}

/* What a new leaf would add to the surfaces of all nodes, were it put beside or below a child. */
static double cost_below(const pli_body_tree_node *child, const pli_body_tree_node *leaf)
{
    double around = area_around(child, leaf);
    return pli_body_tree_is_leaf(child) ? around : around - area_around(child, child);
}

/* Levels below a node of few leaves; MANY_LEAVES if it has more. */
static uint32_t count_levels(const pli_body_tree_node *nodes, uint32_t node)
{
    uint32_t stack[MANY_LEAVES + 1], levels[MANY_LEAVES + 1], height = 1, most = 0, leaves = 1;
    stack[0] = node;
    levels[0] = 0;
    while (height > 0 && leaves < MANY_LEAVES) {
        const pli_body_tree_node *at = &nodes[stack[--height]];
        uint32_t level = levels[height];
        most = level > most ? level : most;
        for (uint32_t i = 0; i < 2 && !pli_body_tree_is_leaf(at); i++) {
            stack[height] = pli_body_tree_child(at) + i;
            levels[height++] = level + 1;
            leaves += i; /* of one two */
        }
    }
    return leaves < MANY_LEAVES ? most : MANY_LEAVES;
}

/* What lies below a node at this depth sinks by a level. */
static void sink(pli_body_tree *tree, uint32_t node, uint32_t depth)
{
    uint32_t levels = count_levels(tree->nodes.data, node);
    uint32_t deepest = levels < MANY_LEAVES ? depth + 1 + levels : tree->depth + 1;
    tree->depth = deepest > tree->depth ? deepest : tree->depth;
}

/*
 * The node that a new leaf becomes the sibling of, by descending to the child where the surfaces of
 * all nodes grow least, until putting it right there costs less. Nodes on the way are widened.
 */
static uint32_t find_sibling(pli_body_tree *tree, const pli_body_tree_node *leaf)
{
    pli_body_tree_node *nodes = tree->nodes.data;
    uint32_t at = 0, depth = 1;
    for (; !pli_body_tree_is_leaf(&nodes[at]); depth++) {
        double around = area_around(&nodes[at], leaf);
        double widening = around - area_around(&nodes[at], &nodes[at]);
        uint32_t child = pli_body_tree_child(&nodes[at]);
        double costs[2] = {cost_below(&nodes[child], leaf), cost_below(&nodes[child + 1], leaf)};
        uint32_t better = costs[1] < costs[0];
        if (around <= widening + costs[better]) {
            sink(tree, at, depth - 1);
            break;
        }
        pli_body_tree_wrap(&nodes[at], &nodes[at], leaf);
        at = child + better;
    }
    tree->depth = depth > tree->depth ? depth : tree->depth;
    return at;
}

static void insert(pli_body_tree *tree, uint32_t slot)
{
    pli_body_tree_node *nodes = tree->nodes.data;
    if (tree->leaf_count++ == 0) {
        nodes[0].above = PLI_BODY_TREE_NONE;
        set_leaf(tree, 0, slot);
        return;
    }
    uint32_t pair = take_pair(tree), new_node = 2 * pair + 1;
    set_leaf(tree, new_node, slot);
    uint32_t at = find_sibling(tree, &nodes[new_node]);
    nodes[2 * pair].above = nodes[new_node].above = at;
    move_node(tree, at, 2 * pair);
    nodes[at].below = pair;
    pli_body_tree_wrap(&nodes[at], &nodes[2 * pair], &nodes[new_node]);
}

static void take_out(pli_body_tree *tree, uint32_t slot)
{
    pli_body_tree_node *nodes = tree->nodes.data;
    uint32_t leaf = tree->leaves.data[slot], above = nodes[leaf].above;
    tree->leaves.data[slot] = PLI_BODY_TREE_NONE;
    if (--tree->leaf_count == 0) {
        return;
    }
    move_node(tree, leaf ^ 1, above);
    nodes[leaf & ~1u].below = tree->free_pair;
    tree->free_pair = leaf / 2;
    refit_from(nodes, nodes[above].above);
}

/* Is a slot's new fat box inside of the node some levels above its leaf? That node then does not
   grow: bodies that go far change their place in the tree instead of stretching it. */
static bool can_stay(const pli_body_tree *tree, uint32_t slot)
{
    const pli_body_tree_node *nodes = tree->nodes.data;
    uint32_t node = tree->leaves.data[slot];
    for (int level = 0; level < STAY_LEVELS && nodes[node].above != PLI_BODY_TREE_NONE; level++) {
        node = nodes[node].above;
    }
    const pli_ordered_box *fat = &tree->fats.data[slot];
    bool inside = true;
    for (int axis = 0; axis < 3; axis++) {
        inside &= nodes[node].lower[axis] <= pli_ordered_float(fat->lower[axis]);
        inside &= nodes[node].upper[axis] >= pli_ordered_float(fat->upper[axis]);
    }
    return inside;
}

/* A body left its fat box, came or went. */
static void change(pli_body_tree *tree, uint32_t slot, pli_ordered_box fat)
{
    bool was = tree->leaves.data[slot] != PLI_BODY_TREE_NONE, is = !pli_ordered_box_is_empty(&fat);
    tree->fats.data[slot] = fat;
    if (was && is && can_stay(tree, slot)) {
        uint32_t leaf = tree->leaves.data[slot];
        set_leaf(tree, leaf, slot);
        refit_from(tree->nodes.data, tree->nodes.data[leaf].above);
        return;
    }
    if (was) {
        take_out(tree, slot);
    }
    if (is) {
        insert(tree, slot);
    }
}

/* -------------------------------------------------------------- all bodies */

/* Is a box not inside of the fat one? An empty box is inside of an empty one alone. */
static bool has_left(const pli_ordered_box *box, const pli_ordered_box *fat)
{
    bool outside = pli_ordered_box_is_empty(box) != pli_ordered_box_is_empty(fat);
    for (int axis = 0; axis < 3; axis++) {
        outside |= (box->lower[axis] < fat->lower[axis]) | (box->upper[axis] > fat->upper[axis]);
    }
    return outside;
}

static void look_through(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const pli_broad *broad = argument;
    const pli_body_tree *tree = &broad->tree;
    uint64_t end = (uint64_t)(index + 1) * WORDS_PER_PIECE * 64;
    end = end < broad->slot_count ? end : broad->slot_count;
    uint64_t *words = tree->left.data;
    memset(words + (size_t)index * WORDS_PER_PIECE, 0, WORDS_PER_PIECE * sizeof *words);
    for (uint64_t slot = (uint64_t)index * WORDS_PER_PIECE * 64; slot < end; slot++) {
        uint64_t left = has_left(&broad->boxes.data[slot], &tree->fats.data[slot]);
        words[slot / 64] |= left << slot % 64;
    }
}

static uint32_t count_pieces(uint32_t slots)
{
    return slots / (WORDS_PER_PIECE * 64) + 1;
}

/* Finds which bodies left their fat boxes. */
static pliant_result find_left(pli_broad *broad)
{
    uint32_t pieces = count_pieces(broad->slot_count);
    if (pieces >= SHARED_PIECES) {
        return pli_context_run(broad->context, look_through, broad, pieces);
    }
    for (uint32_t i = 0; i < pieces; i++) {
        look_through(broad, i, 0);
    }
    return PLIANT_OK;
}

static bool reserve(pli_broad *broad)
{
    pliant_context *context = broad->context;
    pli_body_tree *tree = &broad->tree;
    size_t slots = broad->slot_count, known = tree->leaves.count;
    size_t words = (size_t)count_pieces(broad->slot_count) * WORDS_PER_PIECE;
    pli_keys *const scratch[] = {&tree->codes, &tree->code_scratch, &tree->slots,
                                 &tree->slot_scratch};
    bool done =
        PLI_RESERVE(context, &tree->nodes, 2 * slots + 2) &&
        PLI_RESERVE(context, &tree->leaves, slots) && PLI_RESERVE(context, &tree->fats, slots) &&
        PLI_RESERVE(context, &tree->left, words) && PLI_RESERVE(context, &tree->stale, words);
    for (int i = 0; i < 4; i++) {
        done = done && PLI_RESERVE(context, scratch[i], slots);
    }
    if (!done) {
        return false;
    }
    for (; known < slots; known++) {
        tree->leaves.data[known] = PLI_BODY_TREE_NONE;
        tree->fats.data[known] = PLI_EMPTY_BOX;
    }
    tree->leaves.count = slots;
    for (; tree->stale.count < words; tree->stale.count++) {
        tree->stale.data[tree->stale.count] = 0;
    }
    return true;
}

/* Runs what follows for each slot that has a bit among the words of a tree. */
#define FOR_EACH_BIT(words, word_count, slot)                                                      \
    for (size_t word_ = 0; word_ < (word_count); word_++)                                          \
        for (uint64_t bits_ = (words)[word_], slot = 64 * word_;                                   \
             bits_ != 0 && (slot = 64 * word_ + (uint64_t)__builtin_ctzll(bits_), true);           \
             bits_ &= bits_ - 1)

/* Whether a leaf may be too deep to be left there: `depth` is only a bound, so it is measured. */
static bool is_too_deep(pli_body_tree *tree, uint32_t slot_count)
{
    if (tree->depth < PLI_BODY_TREE_DEPTH) {
        return false;
    }
    tree->depth = 0;
    for (uint32_t slot = 0; slot < slot_count; slot++) {
        uint32_t node = tree->leaves.data[slot], depth = 0;
        for (; node != PLI_BODY_TREE_NONE && node != 0; depth++) {
            node = tree->nodes.data[node].above;
        }
        tree->depth = depth > tree->depth ? depth : tree->depth;
    }
    return tree->depth > PLI_BODY_TREE_DEPTH / 2;
}

/* The bodies that left their fat boxes, below the places of their leaves in memory. */
static void list_left(pli_body_tree *tree)
{
    tree->slots.count = 0;
    FOR_EACH_BIT(tree->left.data, tree->stale.count, slot)
    {
        tree->slots.data[tree->slots.count++] = (uint64_t)tree->leaves.data[slot] << 32 | slot;
    }
}

/* Gives all bodies that left their fat boxes new ones. */
static void change_all(pli_broad *broad)
{
    pli_body_tree *tree = &broad->tree;
    list_left(tree);
    uint64_t count = tree->slots.count;
    bool rebuild = count * FEW_STAY > broad->body_count ||
                   tree->changes + count > (uint64_t)CHANGES_PER_BODY * broad->body_count;
    if (!rebuild) { /* what is near in the tree is changed together, while it is in the cache */
        pli_sort_keys(tree->slots.data, tree->slot_scratch.data, NULL, NULL, (size_t)count);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = (uint32_t)tree->slots.data[i];
        const pli_ordered_box *box = &broad->boxes.data[slot];
        pli_ordered_box fat = pli_ordered_box_is_empty(box) ? PLI_EMPTY_BOX : fatten(box);
        if (rebuild) {
            tree->fats.data[slot] = fat;
        } else {
            change(tree, slot, fat);
        }
        tree->stale.data[slot / 64] |= (uint64_t)1 << slot % 64;
    }
    tree->changes += count;
    tree->left_count += count;
    if (rebuild || is_too_deep(tree, broad->slot_count)) {
        build(tree, broad->slot_count);
    }
}

pliant_result pli_broad_update_tree(pli_broad *broad)
{
    if (!broad->tree_is_old) {
        return PLIANT_OK;
    }
    if (!reserve(broad)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = find_left(broad);
    if (result != PLIANT_OK) {
        return result;
    }
    change_all(broad);
    broad->tree_is_old = false;
    PLI_ASSERT_VALID(pli_body_tree_is_valid(&broad->tree, broad->boxes.data, broad->slot_count));
    return PLIANT_OK;
}

#ifdef PLI_DEBUG
/* Every node is around its children, every leaf known by its slot and around the body's box. */
bool pli_body_tree_is_valid(const pli_body_tree *tree, const pli_ordered_box *boxes,
                            uint32_t slot_count)
{
    const pli_body_tree_node *nodes = tree->nodes.data;
    uint32_t leaves = 0;
    bool valid = true;
    for (uint32_t slot = 0; slot < slot_count && valid; slot++) {
        uint32_t node = tree->leaves.data[slot], depth = 0;
        valid = !has_left(&boxes[slot], &tree->fats.data[slot]) &&
                (node == PLI_BODY_TREE_NONE) == pli_ordered_box_is_empty(&boxes[slot]);
        if (!valid || node == PLI_BODY_TREE_NONE) {
            continue;
        }
        leaves++;
        valid = nodes[node].below == (PLI_BODY_TREE_LEAF | slot);
        for (; valid && node != 0; node = nodes[node].above) {
            pli_body_tree_node above = nodes[nodes[node].above];
            valid = above.below == node / 2 && ++depth < PLI_BODY_TREE_DEPTH &&
                    !pli_body_tree_wrap(&above, &above, &nodes[node]);
        }
    }
    return valid && leaves == tree->leaf_count;
}
#endif
