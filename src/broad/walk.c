#include "broad.h"

#include <math.h>

#include "method.h"

/* ------------------------------------------------- nearest first */

static pliant_box body_box(const pli_ordered_box *ordered)
{
    pliant_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lower[axis] = pli_ordered_float(ordered->lower[axis]);
        box.upper[axis] = pli_ordered_float(ordered->upper[axis]);
    }
    return box;
}

/*
 * Where a ray may enter a box; INFINITY if it misses it. Parameters are computed in double with
 * four roundings, each off by a factor of at most 1 + 2^-53; widening them by 2^-50 of their size
 * keeps every point of the box. All of it is monotone in the sides: a larger box begins no later.
 * Along an axis on which the ray stands still the inverse is infinite, and so are parameters: of
 * the sign that tells on which side of the plane the origin lies, or no number if it lies on it,
 * and then the comparisons leave everything as it is.
 */
static double ray_enters(const pli_broad_walk *walk, const float lower[3], const float upper[3])
{
    double near = 0.0, far = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        bool forward = !walk->backward[axis];
        double enter = (double)(forward ? lower : upper)[axis] - walk->origin[axis];
        double leave = (double)(forward ? upper : lower)[axis] - walk->origin[axis];
        double first = enter * walk->inverse[axis], last = leave * walk->inverse[axis];
        near = first > near ? first : near;
        far = last < far ? last : far;
    }
    near *= 1.0 - 0x1p-50;
    return near <= far * (1.0 + 0x1p-50) ? near : INFINITY; /* below 0 it is a miss anyway */
}

/* A distance that no point of the box comes closer than. */
static double point_distance(const pli_broad_walk *walk, const float lower[3], const float upper[3])
{
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double below = (double)lower[axis] - walk->origin[axis];
        double above = walk->origin[axis] - (double)upper[axis];
        double gap = below > above ? below : above;
        sum += gap > 0.0 ? gap * gap : 0.0;
    }
    return sqrt(sum) * (1.0 - 0x1p-40); /* a handful of roundings of 2^-53 each */
}

static bool comes_before(const pli_broad_walk_entry *a, const pli_broad_walk_entry *b)
{
    return a->near < b->near || (a->near == b->near && a->rank < b->rank);
}

static void add_to_heap(pli_broad_walk *walk, pli_broad_walk_entry entry)
{
    if (!PLI_RESERVE_MORE(walk->broad->context, &walk->heap, 1)) {
        walk->failed = true;
        return;
    }
    pli_broad_walk_entry *heap = walk->heap.data;
    size_t i = walk->heap.count++;
    for (; i > 0 && comes_before(&entry, &heap[(i - 1) / 2]); i = (i - 1) / 2) {
        heap[i] = heap[(i - 1) / 2];
    }
    heap[i] = entry;
}

/* Puts another entry in the place of the first. */
static void replace_first(pli_broad_walk *walk, pli_broad_walk_entry entry)
{
    pli_broad_walk_entry *heap = walk->heap.data;
    size_t count = walk->heap.count, i = 0;
    for (size_t child = 1; child < count; child = 2 * i + 1) {
        child += child + 1 < count && comes_before(&heap[child + 1], &heap[child]);
        if (!comes_before(&heap[child], &entry)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = entry;
}

static void remove_first(pli_broad_walk *walk)
{
    pli_broad_walk_entry last = walk->heap.data[--walk->heap.count];
    if (walk->heap.count > 0) {
        replace_first(walk, last);
    }
}

/* Bodies rank behind all nodes, so that of equal ones none is given out before all are known. */
#define BODY_RANK ((uint64_t)1 << 32)

static double find_near(const pli_broad_walk *walk, const float lower[3], const float upper[3])
{
    return walk->has_direction ? ray_enters(walk, lower, upper)
                               : point_distance(walk, lower, upper);
}

/* What the walk has to do with a node or body; its `near` is INFINITY if nothing. */
static pli_broad_walk_entry look_at(const pli_broad_walk *walk, uint32_t node)
{
    const pli_body_tree_node *at = &walk->broad->tree.nodes.data[node];
    if (!pli_body_tree_is_leaf(at)) {
        return (pli_broad_walk_entry){find_near(walk, at->lower, at->upper), node};
    }
    uint32_t slot = pli_body_tree_slot(at);
    pliant_box box = body_box(&walk->broad->boxes.data[slot]);
    return (pli_broad_walk_entry){find_near(walk, box.lower, box.upper), BODY_RANK | slot};
}

static bool is_wanted(const pli_broad_walk_entry *entry, double limit)
{
    return entry->near <= limit && entry->near < INFINITY;
}

/* The first entry is a node: its children take its place. */
static void open_first(pli_broad_walk *walk, double limit)
{
    uint32_t node = (uint32_t)walk->heap.data[0].rank;
    uint32_t child = pli_body_tree_child(&walk->broad->tree.nodes.data[node]);
    pli_broad_walk_entry a = look_at(walk, child), b = look_at(walk, child + 1);
    bool wants_a = is_wanted(&a, limit), wants_b = is_wanted(&b, limit);
    if (!wants_a && !wants_b) {
        remove_first(walk);
        return;
    }
    replace_first(walk, wants_a ? a : b);
    if (wants_a && wants_b) {
        add_to_heap(walk, b);
    }
}

static void begin(pli_broad_walk *walk, const pli_broad *broad, const float origin[3], double limit)
{
    walk->broad = broad;
    walk->failed = false;
    walk->heap.count = 0;
    for (int axis = 0; axis < 3; axis++) {
        walk->origin[axis] = (double)origin[axis];
    }
    if (broad->tree.leaf_count > 0) {
        pli_broad_walk_entry root = look_at(walk, 0);
        if (is_wanted(&root, limit)) {
            add_to_heap(walk, root);
        }
    }
}

void pli_broad_walk_ray(pli_broad_walk *walk, const pli_broad *broad, const float origin[3],
                        const float direction[3], double limit)
{
    walk->has_direction = true;
    for (int axis = 0; axis < 3; axis++) {
        walk->inverse[axis] = direction[axis] == 0.0f ? INFINITY : 1.0 / (double)direction[axis];
        walk->backward[axis] = direction[axis] < 0.0f;
    }
    begin(walk, broad, origin, limit);
}

void pli_broad_walk_point(pli_broad_walk *walk, const pli_broad *broad, const float point[3],
                          double limit)
{
    walk->has_direction = false;
    begin(walk, broad, point, limit);
}

bool pli_broad_walk_next(pli_broad_walk *walk, double limit, pli_broad_walk_step *step)
{
    while (!walk->failed && walk->heap.count > 0) {
        pli_broad_walk_entry first = walk->heap.data[0];
        if (first.near > limit) {
            walk->heap.count = 0;
        } else if (first.rank >= BODY_RANK) {
            remove_first(walk);
            *step = (pli_broad_walk_step){(uint32_t)first.rank, first.near};
            return true;
        } else {
            open_first(walk, limit);
        }
    }
    return false;
}

/* ------------------------------------------------------------------ boxes */

/* Nothing of one box is within a distance of another, along one axis alone. */
static bool is_far(const pliant_box *box, const float lower[3], const float upper[3],
                   double distance)
{
    bool far = false;
    for (int axis = 0; axis < 3; axis++) {
        far |= ((double)box->lower[axis] - (double)upper[axis] > distance) |
               ((double)lower[axis] - (double)box->upper[axis] > distance);
    }
    return far;
}

static void list_near(pli_broad_walk *walk, const pliant_box *wanted, double distance)
{
    const pli_body_tree *tree = &walk->broad->tree;
    uint32_t stack[PLI_BODY_TREE_DEPTH + 1], height = 0;
    if (tree->leaf_count > 0) {
        stack[height++] = 0;
    }
    while (height > 0 && !walk->failed) {
        const pli_body_tree_node *node = &tree->nodes.data[stack[--height]];
        if (is_far(wanted, node->lower, node->upper, distance)) {
            continue;
        }
        if (!pli_body_tree_is_leaf(node)) {
            stack[height++] = pli_body_tree_child(node);
            stack[height++] = pli_body_tree_child(node) + 1;
            continue;
        }
        uint32_t slot = pli_body_tree_slot(node);
        pliant_box box = body_box(&walk->broad->boxes.data[slot]);
        if (!is_far(wanted, box.lower, box.upper, distance)) {
            walk->failed = !PLI_PUSH(walk->broad->context, &walk->slots, slot);
        }
    }
}

pliant_result pli_broad_walk_box(pli_broad_walk *walk, const pli_broad *broad,
                                 const pliant_box *box, double distance, const uint64_t **slots,
                                 size_t *count)
{
    walk->broad = broad;
    walk->failed = false;
    walk->slots.count = 0;
    list_near(walk, box, distance * (1.0 + 0x1p-20));
    if (walk->failed || !pli_keys_sort(broad->context, &walk->slots, &walk->scratch)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *slots = walk->slots.data;
    *count = walk->slots.count;
    return PLIANT_OK;
}

pliant_box pli_broad_walk_room(const pli_broad *broad)
{
    pliant_box room = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int axis = 0; axis < 3 && broad->tree.leaf_count > 0; axis++) {
        room.lower[axis] = broad->tree.nodes.data[0].lower[axis];
        room.upper[axis] = broad->tree.nodes.data[0].upper[axis];
    }
    return room;
}

void pli_broad_walk_release(pliant_context *context, pli_broad_walk *walk)
{
    pli_arrays_release(context, walk->arrays, PLI_BROAD_WALK_ARRAYS);
}
