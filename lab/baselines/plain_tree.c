/*
 * Based on: I. Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007: each
 * node is split between two of 8 bins of midpoints, where the sum of surface area times triangles
 * is least. A node becomes a leaf if no split is cheaper than its triangles.
 */
#include "plain_tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "plain_boxes.h"

enum { BINS = 8, MOST_IN_LEAF = 8 };

typedef struct plain_builder {
    plain_tree *tree;
    plain_box *boxes; /* of the triangles of the mesh */
    uint32_t *order;  /* triangles of the mesh, node by node */
} plain_builder;

/* A split of a node: triangles whose bin on the axis is below `border` go to the left child. */
typedef struct plain_split {
    int axis, border; /* axis -1: no split is cheaper than a leaf */
    float low, width; /* of the midpoints on the axis */
    float cost;
} plain_split;

static plain_box empty_box(void)
{
    const float high[4] = {FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX};
    const float low[4] = {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX};
    return (plain_box){plain_load(high), plain_load(low)};
}

static float area(plain_box box)
{
    float lower[4], upper[4], d[3];
    plain_store(lower, box.lower);
    plain_store(upper, box.upper);
    for (int k = 0; k < 3; k++) {
        d[k] = upper[k] - lower[k];
    }
    return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
}

/* Twice the middle of a triangle's box, on an axis. */
static float middle(const plain_builder *builder, uint32_t triangle, int axis)
{
    float lower[4], upper[4];
    plain_store(lower, builder->boxes[triangle].lower);
    plain_store(upper, builder->boxes[triangle].upper);
    return lower[axis] + upper[axis];
}

static int bin_of(const plain_builder *builder, uint32_t triangle, const plain_split *split)
{
    float at = middle(builder, triangle, split->axis) - split->low;
    int bin = (int)((float)BINS * at / split->width);
    return bin < BINS ? bin : BINS - 1;
}

/* Tries the seven borders between the bins of one axis. */
static void try_axis(const plain_builder *builder, uint32_t begin, uint32_t end, plain_split tried,
                     plain_split *best)
{
    plain_box bins[BINS], sum = empty_box();
    uint32_t counts[BINS] = {0}, count = 0;
    float right[BINS] = {0}; /* cost of the triangles from a bin on */
    for (int i = 0; i < BINS; i++) {
        bins[i] = empty_box();
    }
    for (uint32_t i = begin; i < end; i++) {
        int bin = bin_of(builder, builder->order[i], &tried);
        bins[bin] = plain_union(bins[bin], builder->boxes[builder->order[i]]);
        counts[bin]++;
    }
    for (int i = BINS - 1; i > 0; i--) {
        sum = plain_union(sum, bins[i]);
        count += counts[i];
        right[i] = count > 0 ? (float)count * area(sum) : 0.0f;
    }
    sum = empty_box();
    count = 0;
    for (tried.border = 1; tried.border < BINS; tried.border++) {
        sum = plain_union(sum, bins[tried.border - 1]);
        count += counts[tried.border - 1];
        if (count > 0 && count < end - begin) {
            tried.cost = (float)count * area(sum) + right[tried.border];
            *best = tried.cost < best->cost ? tried : *best;
        }
    }
}

/* The cheapest split; visiting a node costs as much as testing a triangle. */
static plain_split find_split(const plain_builder *builder, uint32_t begin, uint32_t end)
{
    plain_box whole = empty_box();
    float low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = FLT_MAX;
        high[axis] = -FLT_MAX;
    }
    for (uint32_t i = begin; i < end; i++) {
        whole = plain_union(whole, builder->boxes[builder->order[i]]);
        for (int axis = 0; axis < 3; axis++) {
            float at = middle(builder, builder->order[i], axis);
            low[axis] = fminf(low[axis], at);
            high[axis] = fmaxf(high[axis], at);
        }
    }
    plain_split best = {.axis = -1, .cost = (float)(end - begin - 1) * area(whole)};
    for (int axis = 0; axis < 3; axis++) {
        if (high[axis] > low[axis]) {
            plain_split tried = {.axis = axis, .low = low[axis], .width = high[axis] - low[axis]};
            try_axis(builder, begin, end, tried, &best);
        }
    }
    return best;
}

/* Moves triangles of the left child before the others; returns the first of the right child, or
   `end` for a leaf. */
static uint32_t partition(const plain_builder *builder, uint32_t begin, uint32_t end)
{
    plain_split best = find_split(builder, begin, end);
    uint32_t *order = builder->order, right = begin;
    if (best.axis < 0) {
        return end - begin > MOST_IN_LEAF ? begin + (end - begin) / 2 : end;
    }
    for (uint32_t i = begin; i < end; i++) {
        if (bin_of(builder, order[i], &best) < best.border) {
            uint32_t moved = order[i];
            order[i] = order[right];
            order[right++] = moved;
        }
    }
    return right;
}

static void divide(const plain_builder *builder, uint32_t at, uint32_t begin, uint32_t end)
{
    plain_tree *tree = builder->tree;
    uint32_t right = partition(builder, begin, end);
    if (right == end) {
        tree->nodes[at].first = begin;
        tree->nodes[at].count = end - begin;
        return;
    }
    uint32_t child = tree->node_count;
    tree->node_count += 2;
    tree->nodes[at].first = child;
    tree->nodes[at].count = 0;
    divide(builder, child, begin, right);
    divide(builder, child + 1, right, end);
}

static void copy_positions(plain_tree *tree, const float *positions)
{
    uint32_t last = tree->vertex_count - 1;
    for (uint32_t i = 0; i < last; i++) {
        plain_store(tree->points + 4 * (size_t)i, plain_load(positions + 3 * (size_t)i));
    }
    memcpy(tree->points + 4 * (size_t)last, positions + 3 * (size_t)last, 3 * sizeof *positions);
}

bool plain_tree_build(const peer_body *body, plain_tree *tree)
{
    size_t count = body->triangle_count;
    *tree = (plain_tree){.node_count = 1,
                         .vertex_count = body->vertex_count,
                         .triangle_count = body->triangle_count};
    tree->nodes = malloc(2 * count * sizeof *tree->nodes);
    tree->points = calloc(body->vertex_count, 4 * sizeof *tree->points);
    tree->corners = malloc(3 * count * sizeof *tree->corners);
    tree->names = malloc(count * sizeof *tree->names);
    plain_box *boxes = malloc(count * sizeof *boxes);
    bool done = tree->nodes != NULL && tree->points != NULL && tree->corners != NULL &&
                tree->names != NULL && boxes != NULL;
    if (done) {
        copy_positions(tree, body->positions);
        memcpy(tree->corners, body->triangles, 3 * count * sizeof *tree->corners);
        for (uint32_t i = 0; i < count; i++) {
            boxes[i] = plain_triangle_box(tree, i);
            tree->names[i] = i;
        }
        divide(&(plain_builder){tree, boxes, tree->names}, 0, 0, body->triangle_count);
        for (uint32_t i = 0; i < count; i++) {
            memcpy(tree->corners + 3 * (size_t)i, body->triangles + 3 * (size_t)tree->names[i],
                   3 * sizeof *tree->corners);
        }
        plain_tree_refit(tree, body->positions);
    } else {
        plain_tree_free(tree);
    }
    free(boxes);
    return done;
}

void plain_tree_free(plain_tree *tree)
{
    free(tree->nodes);
    free(tree->points);
    free(tree->corners);
    free(tree->names);
    *tree = (plain_tree){0};
}

void plain_tree_refit(plain_tree *tree, const float *positions)
{
    copy_positions(tree, positions);
    for (uint32_t i = tree->node_count; i-- > 0;) {
        plain_node *node = tree->nodes + i;
        uint32_t first = node->first, count = node->count;
        plain_box box;
        if (count == 0) {
            box = plain_union(plain_node_box(tree->nodes + first),
                              plain_node_box(tree->nodes + first + 1));
        } else {
            box = plain_triangle_box(tree, first);
            for (uint32_t t = first + 1; t < first + count; t++) {
                box = plain_union(box, plain_triangle_box(tree, t));
            }
        }
        plain_store(node->lower, box.lower);
        plain_store(node->upper, box.upper);
        node->first = first;
        node->count = count;
    }
}
