/*
 * Pairs of bodies by the tree. Two nodes whose boxes are apart have no pairs below them; from the
 * root with itself down this finds all pairs of leaves. The pairs of fat boxes that overlap are
 * kept: while bodies stay inside of theirs no other pair can meet, and a step only compares the
 * boxes of those that are kept. A fat box that is new is compared with the tree alone. With n
 * bodies, k kept pairs and m new fat boxes a step takes O(n + k + m log n).
 */
#include "method.h"

#include "base/error.h"

/* All pairs are found anew when one of so many fat boxes is new. */
#define FEW_STAY 4

enum { TASKS_PER_PIECE = 8, STACK = 4 * PLI_BODY_TREE_DEPTH };

/* ------------------------------------------------- from the root down */

/* A search of one worker. */
typedef struct tree_search {
    pli_broad *broad;
    const pli_body_tree_node *nodes;
    double distance; /* between boxes along every axis; below 0: fat boxes that overlap */
    pli_broad_piece *piece;
} tree_search;

static uint64_t pair_nodes(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

static bool nodes_are_near(const tree_search *s, uint32_t a, uint32_t b)
{
    const pli_body_tree_node *x = &s->nodes[a], *y = &s->nodes[b];
    if (s->distance < 0.0) {
        return pli_body_tree_nodes_meet(x, y);
    }
    bool near = true;
    for (int axis = 0; axis < 3; axis++) {
        near &= !((double)x->lower[axis] - (double)y->upper[axis] > s->distance) &
                !((double)y->lower[axis] - (double)x->upper[axis] > s->distance);
    }
    return near;
}

/* Lists the pairs of nodes below a pair of nodes, or below one of them if the other is a leaf. */
static uint32_t open_pair(const tree_search *s, uint64_t pair, uint64_t below[4])
{
    uint32_t a = (uint32_t)(pair >> 32), b = (uint32_t)pair, count = 0;
    const pli_body_tree_node *nodes = s->nodes;
    if (a == b) {
        uint32_t child = pli_body_tree_child(&nodes[a]);
        for (uint32_t i = child; i < child + 2; i++) {
            below[count] = pair_nodes(i, i);
            count += !pli_body_tree_is_leaf(&nodes[i]);
        }
        below[count] = pair_nodes(child, child + 1);
        count += nodes_are_near(s, child, child + 1);
        s->piece->tests++;
        return count;
    }
    bool a_is_leaf = pli_body_tree_is_leaf(&nodes[a]), b_is_leaf = pli_body_tree_is_leaf(&nodes[b]);
    uint32_t first_a = a_is_leaf ? a : pli_body_tree_child(&nodes[a]);
    uint32_t first_b = b_is_leaf ? b : pli_body_tree_child(&nodes[b]);
    for (uint32_t i = first_a; i < first_a + 2 - a_is_leaf; i++) {
        for (uint32_t j = first_b; j < first_b + 2 - b_is_leaf; j++) {
            below[count] = pair_nodes(i, j);
            count += nodes_are_near(s, i, j);
            s->piece->tests++;
        }
    }
    return count;
}

static bool are_leaves(const tree_search *s, uint64_t pair)
{
    return (s->nodes[pair >> 32].below & s->nodes[(uint32_t)pair].below & PLI_BODY_TREE_LEAF) != 0;
}

/* Whether the boxes of two bodies are near, which those of their leaves are. */
static bool bodies_are_near(const tree_search *s, uint32_t a, uint32_t b)
{
    const pli_ordered_box *x = &s->broad->boxes.data[a], *y = &s->broad->boxes.data[b];
    bool near = true;
    for (int axis = 0; axis < 3 && s->distance >= 0.0; axis++) {
        double lower[2] = {(double)pli_ordered_float(x->lower[axis]),
                           (double)pli_ordered_float(y->lower[axis])};
        double upper[2] = {(double)pli_ordered_float(x->upper[axis]),
                           (double)pli_ordered_float(y->upper[axis])};
        near &= !(lower[0] - upper[1] > s->distance) & !(lower[1] - upper[0] > s->distance);
    }
    return near;
}

/* Whether so many pairs may be listed. Those of fat boxes may be more than those that count. */
static bool allows(pli_broad *broad, const pli_keys *pairs, bool of_fat_boxes)
{
    uint64_t count = pairs->count;
    for (size_t i = 0; i < pairs->count && of_fat_boxes && count > broad->most_pairs; i++) {
        uint64_t pair = pairs->data[i];
        count -= !pli_ordered_boxes_overlap(&broad->boxes.data[pair >> 32],
                                            &broad->boxes.data[(uint32_t)pair]);
    }
    return pli_broad_allows(broad, &(pli_keys){.count = (size_t)count});
}

static bool add_pair(const tree_search *s, uint32_t a, uint32_t b)
{
    pli_keys *pairs = &s->piece->pairs;
    if (pairs->count == pairs->capacity && !(allows(s->broad, pairs, s->distance < 0.0) &&
                                             PLI_RESERVE_MORE(s->broad->context, pairs, 1))) {
        return false;
    }
    pairs->data[pairs->count++] = pli_pair_key(a, b);
    return true;
}

/* Finds all pairs below a pair of nodes; false without memory. Opening a pair adds three to the
   stack at most, and goes down by a level. */
static bool search_below(const tree_search *s, uint64_t pair)
{
    uint64_t stack[STACK];
    uint32_t height = 0;
    stack[height++] = pair;
    while (height > 0) {
        pair = stack[--height];
        if (!are_leaves(s, pair)) {
            height += open_pair(s, pair, &stack[height]);
            PLI_ASSERT(height <= STACK - 4);
            continue;
        }
        uint32_t a = pli_body_tree_slot(&s->nodes[pair >> 32]);
        uint32_t b = pli_body_tree_slot(&s->nodes[(uint32_t)pair]);
        if (bodies_are_near(s, a, b) && !add_pair(s, a, b)) {
            return false;
        }
    }
    return true;
}

static void search_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    pli_broad *broad = argument;
    pli_broad_piece *piece = &broad->pieces.data[index];
    tree_search s = {broad, broad->tree.nodes.data, broad->tree.distance, piece};
    for (size_t i = index; i < broad->tree.tasks.count && !piece->failed; i += broad->piece_count) {
        piece->failed = !search_below(&s, broad->tree.tasks.data[i]);
    }
}

/* Opens all tasks that can be; false when there were none. */
static bool open_tasks(const tree_search *s, pli_keys *tasks, pli_keys *opened)
{
    bool any = false;
    opened->count = 0;
    for (size_t i = 0; i < tasks->count; i++) {
        if (are_leaves(s, tasks->data[i])) {
            opened->data[opened->count++] = tasks->data[i];
        } else {
            opened->count += open_pair(s, tasks->data[i], &opened->data[opened->count]);
            any = true;
        }
    }
    pli_keys swap = *tasks;
    *tasks = *opened;
    *opened = swap;
    return any;
}

/* Cuts the search into tasks: the root with itself, opened until there are enough for all pieces.
   Each opens into four at most. */
static bool list_tasks(pli_broad *broad)
{
    pli_keys *tasks = &broad->tree.tasks, *opened = &broad->tree.fresh;
    size_t wanted = broad->piece_count > 1 ? (size_t)TASKS_PER_PIECE * broad->piece_count : 1;
    tree_search s = {broad, broad->tree.nodes.data, broad->tree.distance, broad->pieces.data};
    if (!PLI_RESERVE(broad->context, tasks, 4 * wanted + 4) ||
        !PLI_RESERVE(broad->context, opened, 4 * wanted + 4)) {
        return false;
    }
    tasks->count = 0;
    if (broad->tree.leaf_count > 1) {
        tasks->data[tasks->count++] = pair_nodes(0, 0);
    }
    while (tasks->count < wanted && open_tasks(&s, tasks, opened)) {
    }
    return true;
}

/* Finds all pairs within tree.distance. */
static bool search_all(pli_broad *broad, pli_keys *found)
{
    pli_broad_cut(broad, broad->tree.leaf_count >= broad->shared_from);
    return list_tasks(broad) && pli_broad_collect_in_order(broad, search_task, found);
}

/* --------------------------------------------------------- new fat boxes */

/* 1 if the fat box is a new one, else 0. */
static uint64_t is_stale(const pli_body_tree *tree, uint64_t slot)
{
    return tree->stale.data[slot / 64] >> slot % 64 & 1;
}

/* Lists the pairs of a fat box that is new. Of two new ones the lower slot lists their pair, so
   that a new one lists none with itself. */
static bool search_leaf(const tree_search *s, uint32_t slot)
{
    const pli_body_tree *tree = &s->broad->tree;
    uint32_t stack[PLI_BODY_TREE_DEPTH + 1], height = 0, leaf = tree->leaves.data[slot];
    stack[height++] = 0;
    while (height > 0) {
        uint32_t at = stack[--height];
        const pli_body_tree_node *node = &s->nodes[at];
        s->piece->tests++;
        if (!pli_body_tree_nodes_meet(node, &s->nodes[leaf])) {
            continue;
        }
        if (!pli_body_tree_is_leaf(node)) {
            stack[height++] = pli_body_tree_child(node);
            stack[height++] = pli_body_tree_child(node) + 1;
            continue;
        }
        uint32_t other = pli_body_tree_slot(node);
        if ((slot < other || is_stale(tree, other) == 0) && !add_pair(s, slot, other)) {
            return false;
        }
    }
    return true;
}

static void fresh_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    pli_broad *broad = argument;
    pli_broad_piece *piece = &broad->pieces.data[index];
    tree_search s = {broad, broad->tree.nodes.data, broad->tree.distance, piece};
    pli_broad_range leaves = pli_broad_share(broad, index, broad->tree.tasks.count);
    for (size_t i = leaves.first; i < leaves.end && !piece->failed; i++) {
        piece->failed = !search_leaf(&s, (uint32_t)broad->tree.tasks.data[i]);
    }
}

/* Lists the fat boxes that are new, in the order in which their leaves lie in memory. */
static bool list_stale(pli_broad *broad, uint64_t count)
{
    pli_body_tree *tree = &broad->tree;
    pli_keys *tasks = &tree->tasks;
    if (!PLI_RESERVE(broad->context, tasks, (size_t)count)) {
        return false;
    }
    tasks->count = 0;
    for (size_t word = 0; word < tree->stale.count; word++) {
        for (uint64_t bits = tree->stale.data[word]; bits != 0; bits &= bits - 1) {
            size_t slot = 64 * word + (size_t)__builtin_ctzll(bits);
            if (tree->leaves.data[slot] != PLI_BODY_TREE_NONE) {
                tasks->data[tasks->count++] = (uint64_t)tree->leaves.data[slot] << 32 | slot;
            }
        }
    }
    return pli_keys_sort(broad->context, tasks, &tree->fresh);
}

/* ------------------------------------------------------------- kept pairs */

/* Whether workers share what is to be done with kept pairs. */
static bool shares_pairs(const pli_broad *broad)
{
    return broad->tree.candidates.count >= pli_broad_many_pairs(broad);
}

/* Where a key is, or would be, in a sorted list. */
static size_t find_key(const pli_keys *keys, uint64_t key)
{
    size_t low = 0, high = keys->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (keys->data[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What of the fresh pairs comes before the kept one at a place; for the last piece all. */
static size_t fresh_before(const pli_body_tree *tree, size_t place)
{
    if (place == 0) {
        return 0;
    }
    return place < tree->candidates.count ? find_key(&tree->fresh, tree->candidates.data[place])
                                          : tree->fresh.count;
}

/* A piece of the kept pairs without those of new fat boxes, with the fresh ones between them. */
static void merge_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    pli_broad *broad = argument;
    const pli_body_tree *tree = &broad->tree;
    pli_broad_piece *piece = &broad->pieces.data[index];
    pli_broad_range kept = pli_broad_share(broad, index, tree->candidates.count);
    bool is_last = index + 1 == broad->piece_count;
    size_t next = fresh_before(tree, kept.first);
    size_t end = is_last ? tree->fresh.count : fresh_before(tree, kept.end);
    piece->failed = !PLI_RESERVE(broad->context, &piece->pairs, kept.end - kept.first + end - next);
    if (piece->failed) {
        return;
    }
    const uint64_t *fresh = tree->fresh.data;
    uint64_t *merged = piece->pairs.data;
    size_t count = 0;
    for (size_t i = kept.first; i < kept.end; i++) {
        uint64_t pair = tree->candidates.data[i];
        while (next < end && fresh[next] < pair) {
            merged[count++] = fresh[next++];
        }
        merged[count] = pair;
        count += 1 ^ (is_stale(tree, pair >> 32) | is_stale(tree, (uint32_t)pair));
    }
    while (next < end) {
        merged[count++] = fresh[next++];
    }
    piece->pairs.count = count;
}

/* The kept pairs whose boxes overlap. */
static void compare_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    pli_broad *broad = argument;
    const pli_keys *candidates = &broad->tree.candidates;
    pli_broad_piece *piece = &broad->pieces.data[index];
    pli_broad_range kept = pli_broad_share(broad, index, candidates->count);
    piece->failed = !PLI_RESERVE(broad->context, &piece->pairs, kept.end - kept.first);
    if (piece->failed) {
        return;
    }
    const pli_ordered_box *boxes = broad->boxes.data;
    uint64_t *pairs = piece->pairs.data;
    size_t count = 0;
    for (size_t i = kept.first; i < kept.end; i++) {
        uint64_t pair = candidates->data[i];
        pairs[count] = pair;
        count += pli_ordered_boxes_overlap(&boxes[pair >> 32], &boxes[(uint32_t)pair]);
    }
    piece->pairs.count = count;
    piece->tests += kept.end - kept.first;
}

/* Makes the kept pairs right for all fat boxes. Until it is done they stay as they were. */
static bool update_candidates(pli_broad *broad)
{
    pli_body_tree *tree = &broad->tree;
    uint64_t stale = 0;
    for (size_t i = 0; i < tree->stale.count; i++) {
        stale += (uint64_t)__builtin_popcountll(tree->stale.data[i]);
    }
    if (tree->pairs_are_known && stale == 0) {
        return true;
    }
    bool all = !tree->pairs_are_known || stale * FEW_STAY > tree->leaf_count;
    tree->distance = -1.0;
    if (all) {
        broad->stats.rebuilt = true;
        if (!search_all(broad, &tree->merged)) {
            return false;
        }
    } else {
        pli_broad_cut(broad, stale >= broad->shared_from);
        if (!list_stale(broad, stale) ||
            !pli_broad_collect_in_order(broad, fresh_task, &tree->fresh)) {
            return false;
        }
        pli_broad_cut(broad, shares_pairs(broad));
        if (!pli_broad_collect(broad, merge_task, &tree->merged)) {
            return false;
        }
    }
    pli_keys swap = tree->candidates;
    tree->candidates = tree->merged;
    tree->merged = swap;
    memset(tree->stale.data, 0, tree->stale.count * sizeof *tree->stale.data);
    tree->pairs_are_known = true;
    return true;
}

bool pli_body_tree_find(pli_broad *broad)
{
    broad->scheduled = pli_broad_update_tree(broad);
    if (broad->scheduled != PLIANT_OK || !update_candidates(broad)) {
        return false;
    }
    broad->stats.left = broad->tree.left_count;
    broad->tree.left_count = 0;
    pli_broad_cut(broad, shares_pairs(broad));
    broad->answer = &broad->found;
    return pli_broad_collect(broad, compare_task, &broad->found);
}

/* ------------------------------------------------------ within a distance */

pliant_result pli_broad_pairs_within(pli_broad *broad, double distance, const uint64_t **keys,
                                     size_t *count)
{
    PLI_ASSERT(distance >= 0.0);
    pliant_result result = pli_broad_update_tree(broad);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_broad_begin(broad);
    pli_keys *near = &broad->tree.near;
    broad->tree.distance = distance * (1.0 + 0x1p-20);
    if (!search_all(broad, near) || !pli_broad_allows(broad, near)) {
        return pli_broad_failure(broad, "are that close");
    }
    *keys = near->data;
    *count = near->count;
    return PLIANT_OK;
}
