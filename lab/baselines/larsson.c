/*
 * Based on: T. Larsson, T. Akenine-Moller, "Collision Detection for Continuously Deforming Bodies",
 * 2001, sections 3.2 and 3.3, as its authors would write it in plain C: initial-shape trees of
 * world-space boxes, 2-, 4- or 8-ary, split at the centre of the box, one triangle per leaf; inner
 * nodes list the distinct vertices below them. Hybrid update: of a tree of depth n (edges), levels
 * 0 to n/2 are updated before the query, level n/2 from its vertices and those above by merging;
 * the rest from their vertices when a walk asks. Top-down and bottom-up are the two ends of the
 * same.
 *
 * Ours: a node whose midpoints all fall into one part is halved by count, which the paper leaves
 * open; both nodes of a pair are opened at once, which was measured faster than opening the larger
 * one; triangles go to the exact test.
 */
#include "baselines.h"

#include <stdlib.h>
#include <string.h>

/* Which levels are updated before the query. */
enum { LARSSON_HYBRID, LARSSON_TOP_DOWN, LARSSON_BOTTOM_UP };

/* Nodes lie level by level, so that the eager part is a range of them. */
typedef struct larsson_tree {
    baseline_tree tree;
    uint32_t *vertices;      /* below inner nodes, node after node */
    uint32_t *vertex_starts; /* per node, and one more at the end; leaves list none */
    uint32_t *stamps;        /* per node: the state it was last bounded in */
    uint32_t merged_end;     /* nodes before this one are merged from their children */
    uint32_t eager_end;      /* and those from there to here are bounded before the query too */
} larsson_tree;

typedef struct larsson {
    larsson_tree trees[BENCH_MAX_BODIES];
    uint32_t count;
    uint32_t stamp; /* of the current state */
    const bench_frame *frame;
    baseline_scratch scratch;
    bench_work work; /* in the current state */
} larsson;

/* ---------------------------------------------------------------- building */

typedef struct shape_item {
    float middle[3]; /* of the triangle's box */
    uint32_t triangle;
} shape_item;

typedef struct item_range {
    uint32_t begin, end;
} item_range;

typedef struct shape_builder {
    const gallery_mesh *mesh;
    baseline_tree *tree;
    shape_item *items, *sorted;
    item_range *ranges; /* per node */
} shape_builder;

static inline void include(const float *point, float lower[3], float upper[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lower[axis] = point[axis] < lower[axis] ? point[axis] : lower[axis];
        upper[axis] = point[axis] > upper[axis] ? point[axis] : upper[axis];
    }
}

static inline void begin_box(const float *point, float lower[3], float upper[3])
{
    memcpy(lower, point, 3 * sizeof *lower);
    memcpy(upper, point, 3 * sizeof *upper);
}

static inline void box_triangle(const uint32_t *corners, const float *positions, float lower[3],
                                float upper[3])
{
    begin_box(positions + (size_t)3 * corners[0], lower, upper);
    include(positions + (size_t)3 * corners[1], lower, upper);
    include(positions + (size_t)3 * corners[2], lower, upper);
}

/* The box of all triangles of a range. */
static void box_items(const shape_builder *builder, item_range range, float lower[3],
                      float upper[3])
{
    for (uint32_t i = range.begin; i < range.end; i++) {
        const uint32_t *corners = builder->mesh->triangles + (size_t)3 * builder->items[i].triangle;
        if (i == range.begin) {
            box_triangle(corners, builder->mesh->positions, lower, upper);
        }
        for (int corner = 0; corner < 3; corner++) {
            include(builder->mesh->positions + (size_t)3 * corners[corner], lower, upper);
        }
    }
}

/* The axes by the length of the box's sides, longest first. */
static void order_axes(const float lower[3], const float upper[3], int axes[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int at = axis;
        while (at > 0 && upper[axes[at - 1]] - lower[axes[at - 1]] < upper[axis] - lower[axis]) {
            axes[at] = axes[at - 1];
            at--;
        }
        axes[at] = axis;
    }
}

/* Sorts a range into the sub-volumes of its box; returns how many parts are not empty. */
static uint32_t split(shape_builder *builder, item_range range, item_range parts[8])
{
    float lower[3] = {0}, upper[3] = {0};
    int axes[3] = {0};
    int splits = builder->tree->arity == 8 ? 3 : builder->tree->arity == 4 ? 2 : 1;
    box_items(builder, range, lower, upper);
    order_axes(lower, upper, axes);
    uint32_t count = 0, at = range.begin;
    for (uint32_t part = 0; part < builder->tree->arity; part++) {
        uint32_t first = at;
        for (uint32_t i = range.begin; i < range.end; i++) {
            uint32_t side = 0;
            for (int k = 0; k < splits; k++) {
                float centre = 0.5f * lower[axes[k]] + 0.5f * upper[axes[k]];
                side |= (uint32_t)(builder->items[i].middle[axes[k]] >= centre) << k;
            }
            if (side == part) {
                builder->sorted[at++] = builder->items[i];
            }
        }
        if (at > first) {
            parts[count++] = (item_range){first, at};
        }
    }
    memcpy(builder->items + range.begin, builder->sorted + range.begin,
           (range.end - range.begin) * sizeof *builder->items);
    if (count == 1) {
        uint32_t half = range.begin + (range.end - range.begin) / 2;
        parts[0] = (item_range){range.begin, half};
        parts[1] = (item_range){half, range.end};
        count = 2;
    }
    return count;
}

/* Builds level by level; returns in `levels` where each begins, and in `depth` the deepest. */
static void build_levels(shape_builder *builder, uint32_t *levels, uint32_t capacity,
                         uint32_t *depth)
{
    baseline_tree *tree = builder->tree;
    uint32_t level_end = 1;
    tree->node_count = 1;
    *depth = 0;
    levels[0] = 0;
    levels[1] = 1;
    for (uint32_t at = 0; at < tree->node_count; at++) {
        if (at == level_end) {
            level_end = tree->node_count;
            *depth += *depth + 2 < capacity ? 1 : 0;
            levels[*depth] = at;
            levels[*depth + 1] = level_end;
        }
        item_range range = builder->ranges[at], parts[8];
        baseline_node *node = &tree->nodes[at];
        if (range.end - range.begin == 1) {
            *node = (baseline_node){.first = builder->items[range.begin].triangle};
            continue;
        }
        *node = (baseline_node){.first = tree->node_count, .count = split(builder, range, parts)};
        for (uint32_t i = 0; i < node->count; i++) {
            builder->ranges[tree->node_count++] = parts[i];
        }
    }
}

/* Lists the distinct vertices below every inner node. False when there is no memory. */
static bool list_vertices(const shape_builder *builder, larsson_tree *tree)
{
    const gallery_mesh *mesh = builder->mesh;
    size_t count = 0, capacity = (size_t)8 * mesh->triangle_count + 64;
    uint32_t *seen = calloc(mesh->vertex_count, sizeof *seen);
    tree->vertices = malloc(capacity * sizeof *tree->vertices);
    bool done = seen != NULL && tree->vertices != NULL;
    for (uint32_t at = 0; done && at < tree->tree.node_count; at++) {
        item_range range = builder->ranges[at];
        size_t most = (size_t)3 * (range.end - range.begin);
        tree->vertex_starts[at] = (uint32_t)count;
        if (count + most > capacity) {
            capacity = 2 * (count + most);
            uint32_t *grown = realloc(tree->vertices, capacity * sizeof *grown);
            done = grown != NULL;
            tree->vertices = done ? grown : tree->vertices;
        }
        for (size_t i = 0; done && tree->tree.nodes[at].count > 0 && i < most; i++) {
            uint32_t triangle = builder->items[range.begin + i / 3].triangle;
            uint32_t vertex = mesh->triangles[(size_t)3 * triangle + i % 3];
            if (seen[vertex] != at + 1) {
                seen[vertex] = at + 1;
                tree->vertices[count++] = vertex;
            }
        }
    }
    if (done) {
        tree->vertex_starts[tree->tree.node_count] = (uint32_t)count;
    }
    free(seen);
    return done;
}

static bool fill_tree(shape_builder *builder, int update, larsson_tree *tree)
{
    enum { LEVELS = 128 };
    uint32_t levels[LEVELS + 2] = {0}, depth = 0;
    for (uint32_t i = 0; i < builder->mesh->triangle_count; i++) {
        float lower[3], upper[3];
        box_triangle(builder->mesh->triangles + (size_t)3 * i, builder->mesh->positions, lower,
                     upper);
        for (int axis = 0; axis < 3; axis++) {
            builder->items[i].middle[axis] = 0.5f * (lower[axis] + upper[axis]);
        }
        builder->items[i].triangle = i;
    }
    builder->ranges[0] = (item_range){0, builder->mesh->triangle_count};
    build_levels(builder, levels, LEVELS, &depth);
    switch (update) {
    case LARSSON_HYBRID:
        tree->merged_end = levels[depth / 2];
        tree->eager_end = levels[depth / 2 + 1];
        break;
    case LARSSON_BOTTOM_UP:
        tree->merged_end = tree->eager_end = tree->tree.node_count;
        break;
    default:
        tree->merged_end = tree->eager_end = 0;
        break;
    }
    return list_vertices(builder, tree);
}

static bool build_tree(const gallery_mesh *mesh, uint32_t arity, int update, larsson_tree *tree)
{
    size_t count = mesh->triangle_count;
    shape_builder builder = {.mesh = mesh,
                             .tree = &tree->tree,
                             .items = malloc(count * sizeof *builder.items),
                             .sorted = malloc(count * sizeof *builder.sorted),
                             .ranges = malloc(2 * count * sizeof *builder.ranges)};
    *tree = (larsson_tree){.tree = {.triangles = mesh->triangles, .arity = arity}};
    tree->tree.nodes = malloc(2 * count * sizeof *tree->tree.nodes);
    tree->vertex_starts = malloc((2 * count + 1) * sizeof *tree->vertex_starts);
    tree->stamps = calloc(2 * count, sizeof *tree->stamps);
    bool done = builder.items != NULL && builder.sorted != NULL && builder.ranges != NULL &&
                tree->tree.nodes != NULL && tree->vertex_starts != NULL && tree->stamps != NULL &&
                fill_tree(&builder, update, tree);
    free(builder.items);
    free(builder.sorted);
    free(builder.ranges);
    return done;
}

static void destroy(void *state)
{
    larsson *rival = state;
    if (rival == NULL) {
        return;
    }
    for (uint32_t i = 0; i < rival->count; i++) {
        baseline_tree_free(&rival->trees[i].tree);
        free(rival->trees[i].vertices);
        free(rival->trees[i].vertex_starts);
        free(rival->trees[i].stamps);
    }
    baseline_scratch_free(&rival->scratch);
    free(rival);
}

static void *create(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings)
{
    (void)settings;
    larsson *rival = calloc(1, sizeof *rival);
    bool done = rival != NULL;
    for (uint32_t i = 0; done && i < motion->body_count; i++) {
        gallery_mesh mesh = motion->meshes[i];
        mesh.positions = motion->start.world[i];
        rival->count = i + 1;
        done = build_tree(&mesh, method->arity, method->variant, &rival->trees[i]);
    }
    if (!done) {
        destroy(rival);
        return NULL;
    }
    return rival;
}

/* ---------------------------------------------------------------- updating */

/* Bounds a node by the vertices below it; returns how many. */
static uint32_t bound_from_vertices(larsson_tree *tree, uint32_t at, const float *positions)
{
    baseline_node *node = &tree->tree.nodes[at];
    if (node->count == 0) {
        box_triangle(tree->tree.triangles + (size_t)3 * node->first, positions, node->lower,
                     node->upper);
        return 3;
    }
    const uint32_t *vertices = tree->vertices + tree->vertex_starts[at];
    uint32_t count = tree->vertex_starts[at + 1] - tree->vertex_starts[at];
    float lower[3], upper[3];
    begin_box(positions + (size_t)3 * vertices[0], lower, upper);
    for (uint32_t i = 1; i < count; i++) {
        include(positions + (size_t)3 * vertices[i], lower, upper);
    }
    memcpy(node->lower, lower, sizeof lower);
    memcpy(node->upper, upper, sizeof upper);
    return count;
}

static void merge_children(larsson_tree *tree, baseline_node *node)
{
    const baseline_node *children = tree->tree.nodes + node->first;
    float lower[3], upper[3];
    begin_box(children[0].lower, lower, upper);
    memcpy(upper, children[0].upper, sizeof upper);
    for (uint32_t i = 1; i < node->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            float low = children[i].lower[axis], high = children[i].upper[axis];
            lower[axis] = low < lower[axis] ? low : lower[axis];
            upper[axis] = high > upper[axis] ? high : upper[axis];
        }
    }
    memcpy(node->lower, lower, sizeof lower);
    memcpy(node->upper, upper, sizeof upper);
}

static void update(larsson_tree *tree, const float *positions, bench_work *work)
{
    for (uint32_t at = tree->eager_end; at-- > 0;) {
        baseline_node *node = &tree->tree.nodes[at];
        if (at < tree->merged_end && node->count > 0) {
            merge_children(tree, node);
            work->merges++;
        } else {
            work->vertices += bound_from_vertices(tree, at, positions);
            work->early++;
        }
    }
}

/* ----------------------------------------------------------------- walking */

/* A node with its box of the current state. */
static inline const baseline_node *node_at(larsson *rival, uint32_t body, uint32_t at)
{
    larsson_tree *tree = &rival->trees[body];
    if (at >= tree->eager_end && tree->stamps[at] != rival->stamp) {
        tree->stamps[at] = rival->stamp;
        rival->work.vertices += bound_from_vertices(tree, at, rival->frame->world[body]);
        rival->work.late++;
    }
    return &tree->tree.nodes[at];
}

static inline bool boxes_overlap(const baseline_node *a, const baseline_node *b)
{
    return a->lower[0] <= b->upper[0] && b->lower[0] <= a->upper[0] && a->lower[1] <= b->upper[1] &&
           b->lower[1] <= a->upper[1] && a->lower[2] <= b->upper[2] && b->lower[2] <= a->upper[2];
}

/* The children of a node that meet a node of the other tree; a leaf stands for itself. */
static uint32_t list_children(larsson *rival, uint32_t body, uint32_t at,
                              const baseline_node *other, uint32_t list[8])
{
    const baseline_node *node = &rival->trees[body].tree.nodes[at];
    uint32_t count = 0;
    if (node->count == 0) {
        list[0] = at;
        return 1;
    }
    for (uint32_t child = node->first; child < node->first + node->count; child++) {
        list[count] = child;
        count += boxes_overlap(node_at(rival, body, child), other);
    }
    return count;
}

/* Opens both nodes of a pair and pushes the pairs of their children that overlap. */
static size_t push_children(larsson *rival, uint32_t a, uint32_t b, uint64_t both, size_t top)
{
    uint32_t i = (uint32_t)(both >> 32), j = (uint32_t)both;
    const baseline_node *nodes_a = rival->trees[a].tree.nodes;
    const baseline_node *nodes_b = rival->trees[b].tree.nodes;
    uint32_t list_a[8], list_b[8];
    uint32_t count_a = list_children(rival, a, i, &nodes_b[j], list_a);
    uint32_t count_b = count_a > 0 ? list_children(rival, b, j, &nodes_a[i], list_b) : 0;
    for (uint32_t x = 0; x < count_a; x++) {
        for (uint32_t y = 0; y < count_b; y++) {
            if (boxes_overlap(&nodes_a[list_a[x]], &nodes_b[list_b[y]])) {
                rival->scratch.stack[top++] = (uint64_t)list_a[x] << 32 | list_b[y];
            }
        }
    }
    return top;
}

/* Two bodies whose roots overlap. */
static bool walk(larsson *rival, uint32_t a, uint32_t b, bool first_only)
{
    baseline_scratch *scratch = &rival->scratch;
    const baseline_tree *tree_a = &rival->trees[a].tree, *tree_b = &rival->trees[b].tree;
    size_t top = 0;
    if (!baseline_stack_reserve(scratch, 0, 128)) {
        return false;
    }
    scratch->stack[top++] = 0;
    while (top > 0) {
        uint64_t both = scratch->stack[--top];
        const baseline_node *m = tree_a->nodes + (both >> 32);
        const baseline_node *n = tree_b->nodes + (uint32_t)both;
        if (m->count == 0 && n->count == 0) {
            if (baseline_triangles_touch(tree_a->triangles, rival->frame->world[a], m->first,
                                         tree_b->triangles, rival->frame->world[b], n->first)) {
                if (!baseline_pairs_reserve(scratch)) {
                    return false;
                }
                scratch->pairs[scratch->pair_count++] = (pliant_pair){m->first, n->first};
                if (first_only) {
                    return true;
                }
            }
            continue;
        }
        if (!baseline_stack_reserve(scratch, top, 64)) {
            return false;
        }
        top = push_children(rival, a, b, both, top);
    }
    return true;
}

static bool collide(larsson *rival, bool first_only)
{
    bool done = true;
    baseline_scratch_clear(&rival->scratch);
    for (uint32_t a = 0; a < rival->count; a++) {
        for (uint32_t b = a + 1; done && b < rival->count; b++) {
            if (boxes_overlap(node_at(rival, a, 0), node_at(rival, b, 0))) {
                size_t first = rival->scratch.pair_count;
                done = walk(rival, a, b, first_only) &&
                       baseline_close_range(&rival->scratch, a, b, first);
            }
        }
    }
    return done;
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    larsson *rival = state;
    double start = bench_seconds();
    rival->frame = frame;
    rival->stamp++;
    rival->work = (bench_work){0};
    for (uint32_t i = 0; i < rival->count; i++) {
        update(&rival->trees[i], frame->world[i], &rival->work);
    }
    double updated = bench_seconds();
    if (!collide(rival, first_only)) {
        return false;
    }
    double end = bench_seconds();
    outcome->update_seconds = updated - start;
    outcome->total_seconds = end - start;
    outcome->work = rival->work;
    baseline_scratch_show(&rival->scratch, outcome);
    return true;
}

#define LARSSON(title, children, which)                                                            \
    {                                                                                              \
        .name = title, .arity = children, .variant = which, .create = create, .step = step,        \
        .destroy = destroy                                                                         \
    }
const bench_method bench_larsson = LARSSON("Larsson, hybrid, 8-ary", 8, LARSSON_HYBRID);
const bench_method bench_larsson_4 = LARSSON("Larsson, hybrid, 4-ary", 4, LARSSON_HYBRID);
const bench_method bench_larsson_2 = LARSSON("Larsson, hybrid, binary", 2, LARSSON_HYBRID);
const bench_method bench_larsson_top_down =
    LARSSON("Larsson, top-down, 8-ary", 8, LARSSON_TOP_DOWN);
const bench_method bench_larsson_bottom_up =
    LARSSON("Larsson, bottom-up, 8-ary", 8, LARSSON_BOTTOM_UP);
