#include "baseline_tree.h"

#include <stdlib.h>
#include <string.h>

#include "geometry/triangle_overlap.h"

static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

/* A triangle while the tree is built. */
typedef struct item {
    float middle[3]; /* of its box */
    uint32_t triangle;
} item;

typedef struct tree_builder {
    baseline_tree *tree;
    item *items;
} tree_builder;

typedef struct item_range {
    uint32_t begin, end;
} item_range;

/* Splits a range at the middle of the longest side of its midpoints' box; by count if all midpoints
   would fall on one side. Returns where the second part begins. */
static uint32_t split(item *items, item_range range)
{
    float lower[3], upper[3];
    memcpy(lower, items[range.begin].middle, sizeof lower);
    memcpy(upper, items[range.begin].middle, sizeof upper);
    for (uint32_t i = range.begin + 1; i < range.end; i++) {
        for (int axis = 0; axis < 3; axis++) {
            lower[axis] = smaller(lower[axis], items[i].middle[axis]);
            upper[axis] = larger(upper[axis], items[i].middle[axis]);
        }
    }
    int longest = 0;
    for (int axis = 1; axis < 3; axis++) {
        if (upper[axis] - lower[axis] > upper[longest] - lower[longest]) {
            longest = axis;
        }
    }
    float middle = 0.5f * (lower[longest] + upper[longest]);
    uint32_t second = range.begin;
    for (uint32_t i = range.begin; i < range.end; i++) {
        if (items[i].middle[longest] < middle) {
            item moved = items[i];
            items[i] = items[second];
            items[second++] = moved;
        }
    }
    bool one_sided = second == range.begin || second == range.end;
    return one_sided ? range.begin + (range.end - range.begin) / 2 : second;
}

/* Splits a range into up to `arity` parts, always the largest next. */
static uint32_t split_into_children(tree_builder *builder, item_range whole, item_range *parts)
{
    uint32_t count = 1;
    parts[0] = whole;
    while (count < builder->tree->arity) {
        uint32_t largest = 0;
        for (uint32_t i = 1; i < count; i++) {
            if (parts[i].end - parts[i].begin > parts[largest].end - parts[largest].begin) {
                largest = i;
            }
        }
        if (parts[largest].end - parts[largest].begin < 2) {
            break;
        }
        uint32_t second = split(builder->items, parts[largest]);
        parts[count++] = (item_range){second, parts[largest].end};
        parts[largest].end = second;
    }
    return count;
}

static void build_node(tree_builder *builder, uint32_t at, item_range whole)
{
    baseline_tree *tree = builder->tree;
    if (whole.end - whole.begin == 1) {
        tree->nodes[at].first = builder->items[whole.begin].triangle;
        tree->nodes[at].count = 0;
        return;
    }
    item_range parts[8];
    uint32_t count = split_into_children(builder, whole, parts);
    uint32_t first = tree->node_count;
    tree->nodes[at].first = first;
    tree->nodes[at].count = count;
    tree->node_count += count;
    for (uint32_t i = 0; i < count; i++) {
        build_node(builder, first + i, parts[i]);
    }
}

static void leaf_box(const baseline_tree *tree, const float *positions, uint32_t triangle,
                     float lower[3], float upper[3])
{
    const uint32_t *corners = tree->triangles + (size_t)3 * triangle;
    const float *p = positions + (size_t)3 * corners[0];
    const float *q = positions + (size_t)3 * corners[1];
    const float *r = positions + (size_t)3 * corners[2];
    for (int axis = 0; axis < 3; axis++) {
        lower[axis] = smaller(smaller(p[axis], q[axis]), r[axis]);
        upper[axis] = larger(larger(p[axis], q[axis]), r[axis]);
    }
}

bool baseline_tree_build(const gallery_mesh *mesh, uint32_t arity, baseline_tree *tree)
{
    uint32_t count = mesh->triangle_count;
    item *items = malloc((size_t)count * sizeof *items);
    *tree = (baseline_tree){.triangles = mesh->triangles, .node_count = 1, .arity = arity};
    tree->nodes = malloc((size_t)2 * count * sizeof *tree->nodes);
    if (items == NULL || tree->nodes == NULL) {
        free(items);
        baseline_tree_free(tree);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        float lower[3], upper[3];
        leaf_box(tree, mesh->positions, i, lower, upper);
        for (int axis = 0; axis < 3; axis++) {
            items[i].middle[axis] = 0.5f * (lower[axis] + upper[axis]);
        }
        items[i].triangle = i;
    }
    tree_builder builder = {.tree = tree, .items = items};
    build_node(&builder, 0, (item_range){0, count});
    free(items);
    return true;
}

void baseline_tree_free(baseline_tree *tree)
{
    free(tree->nodes);
    tree->nodes = NULL;
}

bool baseline_forest_build(const bench_motion *motion, bool local, uint32_t arity,
                           baseline_forest *forest)
{
    bool done = true;
    forest->count = motion->body_count;
    for (uint32_t i = 0; i < motion->body_count; i++) {
        gallery_mesh mesh = motion->meshes[i];
        mesh.positions = local ? motion->start.local[i] : motion->start.world[i];
        done = baseline_tree_build(&mesh, arity, &forest->trees[i]) && done;
    }
    return done;
}

void baseline_forest_free(baseline_forest *forest)
{
    for (uint32_t i = 0; i < forest->count; i++) {
        baseline_tree_free(&forest->trees[i]);
    }
}

/* Merges the children's boxes into a node's. */
static inline void merge(baseline_node *node, const baseline_node *children, uint32_t count)
{
    for (int axis = 0; axis < 3; axis++) {
        float lower = children[0].lower[axis];
        float upper = children[0].upper[axis];
        for (uint32_t i = 1; i < count; i++) {
            lower = smaller(children[i].lower[axis], lower);
            upper = larger(children[i].upper[axis], upper);
        }
        node->lower[axis] = lower;
        node->upper[axis] = upper;
    }
}

void baseline_tree_refit(baseline_tree *tree, const float *positions)
{
    bool binary = tree->arity == 2;
    for (uint32_t i = tree->node_count; i-- > 0;) {
        baseline_node *node = tree->nodes + i;
        if (node->count == 0) {
            leaf_box(tree, positions, node->first, node->lower, node->upper);
        } else if (binary) {
            merge(node, tree->nodes + node->first, 2);
        } else {
            merge(node, tree->nodes + node->first, node->count);
        }
    }
}

void baseline_scratch_free(baseline_scratch *scratch)
{
    free(scratch->stack);
    free(scratch->pairs);
    free(scratch->ranges);
    memset(scratch, 0, sizeof *scratch);
}

static bool grow(void **array, size_t *capacity, size_t needed, size_t element_size)
{
    size_t wanted = 2 * needed;
    void *grown = realloc(*array, wanted * element_size);
    if (grown == NULL) {
        return false;
    }
    *array = grown;
    *capacity = wanted;
    return true;
}

bool baseline_stack_reserve(baseline_scratch *scratch, size_t used, size_t extra)
{
    if (used + extra <= scratch->stack_capacity) {
        return true;
    }
    void *stack = scratch->stack;
    bool grown = grow(&stack, &scratch->stack_capacity, used + extra, sizeof *scratch->stack);
    scratch->stack = stack;
    scratch->out_of_memory = scratch->out_of_memory || !grown;
    return grown;
}

bool baseline_pairs_reserve(baseline_scratch *scratch)
{
    if (scratch->pair_count < scratch->pair_capacity) {
        return true;
    }
    void *pairs = scratch->pairs;
    bool grown =
        grow(&pairs, &scratch->pair_capacity, scratch->pair_count + 1024, sizeof *scratch->pairs);
    scratch->pairs = pairs;
    scratch->out_of_memory = scratch->out_of_memory || !grown;
    return grown;
}

bool baseline_close_range(baseline_scratch *scratch, uint32_t a, uint32_t b, size_t first)
{
    if (scratch->pair_count == first) {
        return true;
    }
    if (scratch->range_count == scratch->range_capacity) {
        void *ranges = scratch->ranges;
        bool grown = grow(&ranges, &scratch->range_capacity, scratch->range_count + 16,
                          sizeof *scratch->ranges);
        scratch->ranges = ranges;
        if (!grown) {
            scratch->out_of_memory = true;
            return false;
        }
    }
    scratch->ranges[scratch->range_count++] =
        (bench_range){.a = a, .b = b, .first = first, .count = scratch->pair_count - first};
    return true;
}

void baseline_scratch_clear(baseline_scratch *scratch)
{
    scratch->pair_count = 0;
    scratch->range_count = 0;
}

void baseline_scratch_show(const baseline_scratch *scratch, bench_outcome *outcome)
{
    outcome->pairs = scratch->pairs;
    outcome->ranges = scratch->ranges;
    outcome->range_count = (uint32_t)scratch->range_count;
}

bool baseline_triangles_touch(const uint32_t *triangles_a, const float *positions_a, uint32_t a,
                              const uint32_t *triangles_b, const float *positions_b, uint32_t b)
{
    float p[3][3], q[3][3];
    uint64_t fallbacks = 0;
    for (int corner = 0; corner < 3; corner++) {
        memcpy(p[corner], positions_a + (size_t)3 * triangles_a[(size_t)3 * a + corner],
               sizeof p[corner]);
        memcpy(q[corner], positions_b + (size_t)3 * triangles_b[(size_t)3 * b + corner],
               sizeof q[corner]);
    }
    return pli_triangle_overlap((const float(*)[3])p, (const float(*)[3])q, &fallbacks);
}
