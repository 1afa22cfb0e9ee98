#include "steinemann.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct median_item {
    float middle[3];
    float along; /* the axis that is split at */
    uint32_t triangle;
} median_item;

/* -------------------------------------------------------------------- tree */

/* The axis along which midpoints vary most, by a few steps of power iteration: an axis a little off
   the longest one splits as well. */
static void longest_axis(const median_item *items, uint32_t count, double axis[3])
{
    double mean[3] = {0}, covariance[3][3] = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            mean[k] += (double)items[i].middle[k] / count;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 9; k++) {
            covariance[k / 3][k % 3] += ((double)items[i].middle[k / 3] - mean[k / 3]) *
                                        ((double)items[i].middle[k % 3] - mean[k % 3]);
        }
    }
    axis[0] = 1.0;
    axis[1] = 0.9;
    axis[2] = 0.8;
    for (int again = 0; again < 24; again++) {
        double next[3], most = 0.0;
        for (int k = 0; k < 3; k++) {
            next[k] = covariance[k][0] * axis[0] + covariance[k][1] * axis[1] +
                      covariance[k][2] * axis[2];
            most = fmax(most, fabs(next[k]));
        }
        for (int k = 0; k < 3 && most > 0.0; k++) {
            axis[k] = next[k] / most;
        }
    }
}

/* Brings the smaller half to the front (Hoare's selection); equal values may be on both sides. */
static void select_median(median_item *items, uint32_t count, uint32_t median)
{
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        float pivot = items[low + (high - low) / 2].along;
        uint32_t i = low, j = high;
        while (i <= j) {
            while (items[i].along < pivot) {
                i++;
            }
            while (items[j].along > pivot) {
                j--;
            }
            if (i <= j) {
                median_item moved = items[i];
                items[i++] = items[j];
                items[j] = moved;
                if (j-- == 0) {
                    break;
                }
            }
        }
        if (median < i && (j == UINT32_MAX || median > j)) {
            return;
        }
        if (median >= i) {
            low = i;
        } else {
            high = j;
        }
    }
}

static void build_node(baseline_tree *tree, uint32_t at, median_item *items, uint32_t count)
{
    if (count == 1) {
        tree->nodes[at] = (baseline_node){.first = items[0].triangle};
        return;
    }
    double axis[3];
    longest_axis(items, count, axis);
    for (uint32_t i = 0; i < count; i++) {
        const float *p = items[i].middle;
        items[i].along =
            (float)(axis[0] * (double)p[0] + axis[1] * (double)p[1] + axis[2] * (double)p[2]);
    }
    select_median(items, count, count / 2);
    uint32_t first = tree->node_count;
    tree->nodes[at] = (baseline_node){.first = first, .count = 2};
    tree->node_count += 2;
    build_node(tree, first, items, count / 2);
    build_node(tree, first + 1, items + count / 2, count - count / 2);
}

static bool build_tree(const gallery_mesh *mesh, const float *positions, baseline_tree *tree)
{
    size_t count = mesh->triangle_count;
    median_item *items = malloc(count * sizeof *items);
    *tree = (baseline_tree){.triangles = mesh->triangles, .arity = 2, .node_count = 1};
    tree->nodes = malloc(2 * count * sizeof *tree->nodes);
    if (items == NULL || tree->nodes == NULL) {
        free(items);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t *corners = mesh->triangles + 3 * i;
        for (size_t k = 0; k < 3; k++) {
            items[i].middle[k] =
                (positions[(size_t)3 * corners[0] + k] + positions[(size_t)3 * corners[1] + k] +
                 positions[(size_t)3 * corners[2] + k]) /
                3.0f;
        }
        items[i].triangle = (uint32_t)i;
    }
    build_node(tree, 0, items, (uint32_t)count);
    free(items);
    return true;
}

/* ------------------------------------------------------------------ ranges */

/* What is gathered of the vertices below a node. */
typedef struct gatherer {
    steinemann_shape *shape;
    uint32_t *seen;   /* per vertex: the last node that had it, plus 1 */
    uint32_t *slots;  /* per joint: its place among the node's ranges, or UINT32_MAX */
    uint32_t *having; /* per range of the node: how many vertices have it */
    size_t range_count, range_capacity;
    uint32_t node, vertex_count;
    float lower[3], upper[3];
    double sums[2];
} gatherer;

static void gather_influence(gatherer *g, uint32_t joint, float weight)
{
    steinemann_rest *rest = &g->shape->rest[g->node];
    steinemann_range *ranges = g->shape->ranges + rest->first_range;
    if (g->slots[joint] == UINT32_MAX) {
        g->slots[joint] = rest->range_count++;
        ranges[g->slots[joint]] = (steinemann_range){joint, weight, weight};
        g->having[g->slots[joint]] = 0;
    }
    steinemann_range *range = &ranges[g->slots[joint]];
    range->low = fminf(range->low, weight);
    range->high = fmaxf(range->high, weight);
    g->having[g->slots[joint]]++;
}

static void gather_vertex(gatherer *g, uint32_t vertex)
{
    const gallery_model *model = g->shape->model;
    const float *p = g->shape->positions + (size_t)3 * vertex;
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        g->lower[k] = fminf(g->lower[k], p[k]);
        g->upper[k] = fmaxf(g->upper[k], p[k]);
    }
    for (uint32_t i = model->influence_offsets[vertex]; i < model->influence_offsets[vertex + 1];
         i++) {
        float weight = model->influence_weights[i];
        if (weight > 0.0f) {
            gather_influence(g, model->influence_joints[i], weight);
            sum += (double)weight;
        }
    }
    g->sums[0] = fmin(g->sums[0], sum);
    g->sums[1] = fmax(g->sums[1], sum);
    g->vertex_count++;
}

static void gather_below(gatherer *g, uint32_t at)
{
    const baseline_tree *tree = &g->shape->tree;
    const baseline_node *node = &tree->nodes[at];
    for (uint32_t i = 0; i < node->count; i++) {
        gather_below(g, node->first + i);
    }
    for (size_t k = 0; k < 3 && node->count == 0; k++) {
        uint32_t vertex = tree->triangles[(size_t)3 * node->first + k];
        if (g->seen[vertex] != g->node + 1) {
            g->seen[vertex] = g->node + 1;
            gather_vertex(g, vertex);
        }
    }
}

static bool reserve_ranges(gatherer *g)
{
    size_t needed = g->range_count + g->shape->model->joint_count;
    if (needed <= g->range_capacity) {
        return true;
    }
    steinemann_range *grown = realloc(g->shape->ranges, 2 * needed * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    g->shape->ranges = grown;
    g->range_capacity = 2 * needed;
    return true;
}

/* A joint that some vertex lacks has the least weight 0. */
static void finish_node(gatherer *g)
{
    steinemann_rest *rest = &g->shape->rest[g->node];
    steinemann_range *ranges = g->shape->ranges + rest->first_range;
    double least = 0.0;
    for (uint32_t i = 0; i < rest->range_count; i++) {
        ranges[i].low = g->having[i] < g->vertex_count ? 0.0f : ranges[i].low;
        least += (double)ranges[i].low;
        g->slots[ranges[i].joint] = UINT32_MAX;
    }
    rest->left[0] = (float)(g->sums[0] - least);
    rest->left[1] = (float)(g->sums[1] - least);
    for (int k = 0; k < 3; k++) {
        rest->centre[k] = 0.5f * (g->lower[k] + g->upper[k]);
        rest->half[k] = 0.5f * (g->upper[k] - g->lower[k]);
    }
    g->range_count += rest->range_count;
}

static bool gather_node(gatherer *g, uint32_t at)
{
    g->node = at;
    g->vertex_count = 0;
    g->sums[0] = (double)INFINITY;
    g->sums[1] = 0.0;
    for (int k = 0; k < 3; k++) {
        g->lower[k] = INFINITY;
        g->upper[k] = -INFINITY;
    }
    if (!reserve_ranges(g)) {
        return false;
    }
    g->shape->rest[at] = (steinemann_rest){.first_range = (uint32_t)g->range_count};
    gather_below(g, at);
    finish_node(g);
    return true;
}

static bool gather_all(steinemann_shape *shape)
{
    size_t joints = shape->model->joint_count;
    gatherer g = {.shape = shape,
                  .seen = calloc(shape->vertex_count, sizeof *g.seen),
                  .slots = malloc(joints * sizeof *g.slots),
                  .having = malloc(joints * sizeof *g.having)};
    bool done = g.seen != NULL && g.slots != NULL && g.having != NULL;
    if (done) {
        memset(g.slots, 0xff, joints * sizeof *g.slots);
    }
    for (uint32_t at = 0; done && at < shape->tree.node_count; at++) {
        done = shape->tree.nodes[at].count == 0 || gather_node(&g, at);
    }
    free(g.seen);
    free(g.slots);
    free(g.having);
    return done;
}

bool steinemann_shape_create(const gallery_mesh *mesh, const gallery_model *model,
                             const float *positions, steinemann_shape *shape)
{
    *shape = (steinemann_shape){
        .model = model, .positions = positions, .vertex_count = mesh->vertex_count};
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        shape->reach[i % 3] = fmaxf(shape->reach[i % 3], fabsf(positions[i]));
    }
    if (!build_tree(mesh, positions, &shape->tree)) {
        return false;
    }
    shape->rest = calloc(shape->tree.node_count, sizeof *shape->rest);
    return shape->rest != NULL && gather_all(shape);
}

void steinemann_shape_free(steinemann_shape *shape)
{
    baseline_tree_free(&shape->tree);
    free(shape->rest);
    free(shape->ranges);
    *shape = (steinemann_shape){0};
}
