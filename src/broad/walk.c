#include "walk.h"

#include <math.h>

#include "method.h"

/* ------------------------------------------------- nearest first */

/* A box that is asked where it begins. */
typedef struct plain_box {
    double lower[3], upper[3];
} plain_box;

static plain_box node_box(const pli_body_tree_node *node)
{
    plain_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lower[axis] = (double)node->lower[axis];
        box.upper[axis] = (double)node->upper[axis];
    }
    return box;
}

static plain_box body_box(const pli_ordered_box *ordered)
{
    plain_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lower[axis] = (double)pli_ordered_float(ordered->lower[axis]);
        box.upper[axis] = (double)pli_ordered_float(ordered->upper[axis]);
    }
    return box;
}

/*
 * Where a ray may enter a box; INFINITY if it misses it. Parameters are computed in double with
 * three roundings, each off by a factor of at most 1 + 2^-53; widening them by 2^-50 of their size
 * keeps every point of the box. All of it is monotone in the sides: a larger box begins no later.
 */
static double ray_enters(const pli_broad_walk *walk, const plain_box *box)
{
    double near = 0.0, far = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        double direction = walk->direction[axis];
        double low = box->lower[axis] - walk->origin[axis];
        double high = box->upper[axis] - walk->origin[axis];
        if (direction == 0.0) {
            if (low > 0.0 || high < 0.0) {
                return INFINITY;
            }
            continue;
        }
        double first = (direction > 0.0 ? low : high) / direction;
        double last = (direction > 0.0 ? high : low) / direction;
        first *= first > 0.0 ? 1.0 - 0x1p-50 : 1.0 + 0x1p-50;
        last *= last > 0.0 ? 1.0 + 0x1p-50 : 1.0 - 0x1p-50;
        near = first > near ? first : near;
        far = last < far ? last : far;
    }
    return near <= far ? near : INFINITY;
}

/* A distance that no point of the box comes closer than. */
static double point_distance(const pli_broad_walk *walk, const plain_box *box)
{
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double below = box->lower[axis] - walk->origin[axis];
        double above = walk->origin[axis] - box->upper[axis];
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

static pli_broad_walk_entry take_from_heap(pli_broad_walk *walk)
{
    pli_broad_walk_entry *heap = walk->heap.data, first = heap[0];
    size_t count = --walk->heap.count, i = 0;
    pli_broad_walk_entry last = heap[count];
    for (size_t child = 1; child < count; child = 2 * i + 1) {
        child += child + 1 < count && comes_before(&heap[child + 1], &heap[child]);
        if (!comes_before(&heap[child], &last)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return first;
}

/* Bodies rank behind all nodes, so that of equal ones none is given out before all are known. */
#define BODY_RANK ((uint64_t)1 << 32)

static void consider(pli_broad_walk *walk, uint32_t node, double limit)
{
    const pli_body_tree_node *at = &walk->broad->tree.nodes.data[node];
    bool is_leaf = pli_body_tree_is_leaf(at);
    plain_box box =
        is_leaf ? body_box(&walk->broad->boxes.data[pli_body_tree_slot(at)]) : node_box(at);
    double near = walk->has_direction ? ray_enters(walk, &box) : point_distance(walk, &box);
    if (near <= limit && near < INFINITY) {
        add_to_heap(walk, (pli_broad_walk_entry){near, is_leaf ? BODY_RANK | pli_body_tree_slot(at)
                                                               : node});
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
        consider(walk, 0, limit);
    }
}

void pli_broad_walk_ray(pli_broad_walk *walk, const pli_broad *broad, const float origin[3],
                        const float direction[3], double limit)
{
    walk->has_direction = true;
    for (int axis = 0; axis < 3; axis++) {
        walk->direction[axis] = (double)direction[axis];
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
        pli_broad_walk_entry entry = take_from_heap(walk);
        if (entry.near > limit) {
            walk->heap.count = 0;
        } else if (entry.rank >= BODY_RANK) {
            *step = (pli_broad_walk_step){(uint32_t)entry.rank, entry.near};
            return true;
        } else {
            uint32_t child = pli_body_tree_child(&walk->broad->tree.nodes.data[entry.rank]);
            consider(walk, child, limit);
            consider(walk, child + 1, limit);
        }
    }
    return false;
}

/* ------------------------------------------------------------------ boxes */

/* Nothing of one box is within a distance of another, along one axis alone. */
static bool is_far(const plain_box *a, const plain_box *b, double distance)
{
    bool far = false;
    for (int axis = 0; axis < 3; axis++) {
        far |= (a->lower[axis] - b->upper[axis] > distance) |
               (b->lower[axis] - a->upper[axis] > distance);
    }
    return far;
}

static void list_near(pli_broad_walk *walk, const plain_box *wanted, double distance)
{
    const pli_body_tree *tree = &walk->broad->tree;
    uint32_t stack[PLI_BODY_TREE_DEPTH + 1], height = 0;
    if (tree->leaf_count > 0) {
        stack[height++] = 0;
    }
    while (height > 0) {
        const pli_body_tree_node *node = &tree->nodes.data[stack[--height]];
        bool is_leaf = pli_body_tree_is_leaf(node);
        plain_box box =
            is_leaf ? body_box(&walk->broad->boxes.data[pli_body_tree_slot(node)]) : node_box(node);
        if (is_far(wanted, &box, distance)) {
            continue;
        }
        if (!is_leaf) {
            stack[height++] = pli_body_tree_child(node);
            stack[height++] = pli_body_tree_child(node) + 1;
        } else if (!PLI_PUSH(walk->broad->context, &walk->slots, pli_body_tree_slot(node))) {
            walk->failed = true;
            return;
        }
    }
}

pliant_result pli_broad_walk_box(pli_broad_walk *walk, const pli_broad *broad,
                                 const pliant_box *box, double distance, const uint64_t **slots,
                                 size_t *count)
{
    pli_ordered_box ordered;
    for (int axis = 0; axis < 3; axis++) {
        ordered.lower[axis] = pli_order_float(box->lower[axis]);
        ordered.upper[axis] = pli_order_float(box->upper[axis]);
    }
    plain_box wanted = body_box(&ordered);
    walk->broad = broad;
    walk->failed = false;
    walk->slots.count = 0;
    list_near(walk, &wanted, distance * (1.0 + 0x1p-20));
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
