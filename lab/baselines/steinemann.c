/*
 * Based on: D. Steinemann, M. A. Otaduy, M. Gross, "Efficient Bounds for Point-Based Animations",
 * 2007, sections 3.3, 3.4 and 4, as its authors would write it in plain C: a binary tree of boxes,
 * bounded from the transforms by the two largest sides (equation 11). Of the part of the tree that
 * the last query visited, the front is bounded by that formula, what is above it by merging, and
 * what is below on demand. Leaves are single triangles whose vertices are evaluated, each once in a
 * state.
 *
 * Why no pair is lost. Let u = 2^-24, and let `size` bound |A| |p| + |t| along an axis over all
 * joints and vertices. With n joints, a vertex in float32 is off by less than (n + 5) u size, its
 * weights summing to little more than 1; a side of a transformed box by less than 6 u size; the
 * formula's sum of n + 3 products, whose weights sum to at most 3, by less than 3 (n + 8) u size;
 * what is left of the weights is off by 2 u. Together that is less than (n + 8) 2^-21 size, by
 * which every box is grown. Merged boxes need nothing more.
 */
#include "steinemann.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines.h"

/* A body: its boxes of the current state, and what the last query looked at. */
typedef struct steinemann_body {
    const steinemann_shape *shape;
    const float *transforms;
    baseline_node *nodes; /* the shape's, with boxes */
    uint32_t *bounded;    /* per node: the state its box is of */
    uint32_t *visited;    /* per node: the last query that looked at its box */
    float *positions;
    uint32_t *evaluated; /* per vertex: the state its position is of */
    float size[3];
    bench_work *work; /* of its method, in the current state */
} steinemann_body;

typedef struct steinemann {
    steinemann_shape shapes[BENCH_MAX_BODIES]; /* of twins: that of the first */
    steinemann_body bodies[BENCH_MAX_BODIES];
    uint32_t count;
    uint32_t stamp; /* of the state, and of the query about it */
    baseline_scratch scratch;
    bench_work work; /* in the current state */
} steinemann;

/* ------------------------------------------------------------------- bound */

/* The two largest sides so far, and all that is multiplied by least weights. */
typedef struct largest_two {
    float first, second, base, more; /* more: the range of the weight of the first */
} largest_two;

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}

/* Without branches: which side is the largest so far cannot be foretold. */
static inline void take_side(largest_two *two, float side, float low, float range)
{
    bool most = side > two->first;
    two->base += low * side;
    two->second = larger(two->second, smaller(two->first, side));
    two->more = most ? range : two->more;
    two->first = most ? side : two->first;
}

/* With one joint the first takes all that is left; vertices without any lie at the origin. */
static inline float finish_side(const largest_two *two, const float left[2], uint32_t count)
{
    if (count == 0) {
        return 0.0f;
    }
    if (count == 1) {
        return two->base + larger(left[0] * two->first, left[1] * two->first);
    }
    float fixed = two->base + two->more * two->first;
    return fixed + larger((left[0] - two->more) * two->second, (left[1] - two->more) * two->second);
}

void steinemann_bound(const steinemann_shape *shape, uint32_t node, const float *transforms,
                      const float size[3], float lower[3], float upper[3])
{
    const steinemann_rest *rest = &shape->rest[node];
    const steinemann_range *ranges = shape->ranges + rest->first_range;
    uint32_t count = rest->range_count;
    float c0 = rest->centre[0], c1 = rest->centre[1], c2 = rest->centre[2];
    float h0 = rest->half[0], h1 = rest->half[1], h2 = rest->half[2];
    largest_two sides[6];
    for (int i = 0; i < 6; i++) {
        sides[i] = (largest_two){.first = -INFINITY, .second = -INFINITY};
    }
    for (uint32_t j = 0; j < count; j++) {
        const float *rows = transforms + (size_t)12 * ranges[j].joint;
        float low = ranges[j].low, range = ranges[j].high - ranges[j].low;
        for (int axis = 0; axis < 3; axis++, rows += 4) {
            float middle = ((rows[0] * c0 + rows[1] * c1) + rows[2] * c2) + rows[3];
            float half = (fabsf(rows[0]) * h0 + fabsf(rows[1]) * h1) + fabsf(rows[2]) * h2;
            take_side(&sides[axis], middle + half, low, range);
            take_side(&sides[axis + 3], half - middle, low, range);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        float margin = (float)(count + 8) * 0x1p-21f * size[axis];
        upper[axis] = finish_side(&sides[axis], rest->left, count) + margin;
        lower[axis] = -(finish_side(&sides[axis + 3], rest->left, count) + margin);
    }
}

/* ------------------------------------------------------------------ bodies */

static void destroy(void *state)
{
    steinemann *rival = state;
    if (rival == NULL) {
        return;
    }
    for (uint32_t i = 0; i < rival->count; i++) {
        steinemann_body *body = &rival->bodies[i];
        free(body->nodes);
        free(body->bounded);
        free(body->visited);
        free(body->positions);
        free(body->evaluated);
        steinemann_shape_free(&rival->shapes[i]);
    }
    baseline_scratch_free(&rival->scratch);
    free(rival);
}

static bool create_body(const steinemann_shape *shape, steinemann_body *body)
{
    size_t nodes = shape->tree.node_count, vertices = shape->vertex_count;
    *body = (steinemann_body){.shape = shape,
                              .nodes = malloc(nodes * sizeof *body->nodes),
                              .bounded = calloc(nodes, sizeof *body->bounded),
                              .visited = calloc(nodes, sizeof *body->visited),
                              .positions = malloc(3 * vertices * sizeof *body->positions),
                              .evaluated = calloc(vertices, sizeof *body->evaluated)};
    if (body->nodes == NULL || body->bounded == NULL || body->visited == NULL ||
        body->positions == NULL || body->evaluated == NULL) {
        return false;
    }
    memcpy(body->nodes, shape->tree.nodes, nodes * sizeof *body->nodes);
    return true;
}

static void *create(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings)
{
    (void)method;
    (void)settings;
    steinemann *rival = calloc(1, sizeof *rival);
    bool done = rival != NULL;
    for (uint32_t i = 0; done && i < motion->body_count; i++) {
        uint32_t twin = motion->twins[i];
        rival->count = i + 1;
        done = (twin < i || steinemann_shape_create(&motion->meshes[i], motion->models[i],
                                                    motion->rest[i], &rival->shapes[i])) &&
               create_body(&rival->shapes[twin], &rival->bodies[i]);
    }
    if (!done) {
        destroy(rival);
        return NULL;
    }
    return rival;
}

/* How large |A| |p| + |t| can be. */
static void measure_transforms(steinemann_body *body)
{
    const float *reach = body->shape->reach;
    memset(body->size, 0, sizeof body->size);
    for (uint32_t j = 0; j < body->shape->model->joint_count; j++) {
        const float *row = body->transforms + (size_t)12 * j;
        for (int axis = 0; axis < 3; axis++, row += 4) {
            float size = fabsf(row[0]) * reach[0] + fabsf(row[1]) * reach[1] +
                         fabsf(row[2]) * reach[2] + fabsf(row[3]);
            body->size[axis] = larger(body->size[axis], size);
        }
    }
}

static const float *vertex_at(steinemann_body *body, uint32_t vertex, uint32_t stamp)
{
    float *position = body->positions + (size_t)3 * vertex;
    if (body->evaluated[vertex] != stamp) {
        body->evaluated[vertex] = stamp;
        body->work->vertices++;
        baseline_blend_vertex(body->shape->model, body->shape->positions, vertex, body->transforms,
                              position);
    }
    return position;
}

/* The optimal box of a triangle. */
static void bound_leaf(steinemann_body *body, baseline_node *node, uint32_t stamp)
{
    const uint32_t *corners = body->shape->tree.triangles + (size_t)3 * node->first;
    const float *p = vertex_at(body, corners[0], stamp);
    const float *q = vertex_at(body, corners[1], stamp);
    const float *r = vertex_at(body, corners[2], stamp);
    for (int axis = 0; axis < 3; axis++) {
        node->lower[axis] = smaller(p[axis], smaller(q[axis], r[axis]));
        node->upper[axis] = larger(p[axis], larger(q[axis], r[axis]));
    }
}

static void bound_node(steinemann_body *body, uint32_t at, uint32_t stamp)
{
    baseline_node *node = &body->nodes[at];
    body->bounded[at] = stamp;
    if (node->count == 0) {
        bound_leaf(body, node, stamp);
    } else {
        steinemann_bound(body->shape, at, body->transforms, body->size, node->lower, node->upper);
    }
}

/* Bounds the front of what the last query visited below a node, and merges above it. A query that
   opens a node looks at both of its children. */
static void update_front(steinemann_body *body, uint32_t at, uint32_t stamp)
{
    baseline_node *node = &body->nodes[at];
    if (node->count == 0 || stamp == 1 || body->visited[node->first] != stamp - 1) {
        bound_node(body, at, stamp);
        body->work->early++;
        return;
    }
    const baseline_node *a = &body->nodes[node->first], *b = a + 1;
    update_front(body, node->first, stamp);
    update_front(body, node->first + 1, stamp);
    body->bounded[at] = stamp;
    body->work->merges++;
    for (int axis = 0; axis < 3; axis++) {
        node->lower[axis] = smaller(a->lower[axis], b->lower[axis]);
        node->upper[axis] = larger(a->upper[axis], b->upper[axis]);
    }
}

/* ----------------------------------------------------------------- walking */

/* A node with its box of the current state, which the query looks at. */
static inline const baseline_node *look_at(steinemann_body *body, uint32_t at, uint32_t stamp)
{
    body->visited[at] = stamp;
    if (body->bounded[at] != stamp) {
        bound_node(body, at, stamp);
        body->work->late++;
    }
    return &body->nodes[at];
}

static inline bool boxes_overlap(const baseline_node *a, const baseline_node *b)
{
    return a->lower[0] <= b->upper[0] && b->lower[0] <= a->upper[0] && a->lower[1] <= b->upper[1] &&
           b->lower[1] <= a->upper[1] && a->lower[2] <= b->upper[2] && b->lower[2] <= a->upper[2];
}

/* Pushes the children of one node that meet the other node. */
static size_t push_children(steinemann *rival, steinemann_body *a, steinemann_body *b,
                            uint64_t both, bool open_a, size_t top)
{
    uint32_t i = (uint32_t)(both >> 32), j = (uint32_t)both;
    uint32_t first = open_a ? a->nodes[i].first : b->nodes[j].first;
    const baseline_node *other = open_a ? &b->nodes[j] : &a->nodes[i];
    for (uint32_t child = first + 2; child-- > first;) {
        if (boxes_overlap(look_at(open_a ? a : b, child, rival->stamp), other)) {
            rival->scratch.stack[top++] =
                open_a ? (uint64_t)child << 32 | j : (uint64_t)i << 32 | child;
        }
    }
    return top;
}

/* Both have been evaluated for their boxes. */
static bool try_triangles(steinemann *rival, const steinemann_body *a, const steinemann_body *b,
                          pliant_pair pair)
{
    if (!baseline_triangles_touch(a->shape->tree.triangles, a->positions, pair.a,
                                  b->shape->tree.triangles, b->positions, pair.b)) {
        return true;
    }
    if (!baseline_pairs_reserve(&rival->scratch)) {
        return false;
    }
    rival->scratch.pairs[rival->scratch.pair_count++] = pair;
    return true;
}

/* Two bodies whose roots overlap. */
static bool walk(steinemann *rival, steinemann_body *a, steinemann_body *b, bool first_only)
{
    baseline_scratch *scratch = &rival->scratch;
    size_t first = scratch->pair_count, top = 0;
    if (!baseline_stack_reserve(scratch, 0, 128)) {
        return false;
    }
    scratch->stack[top++] = 0;
    while (top > 0 && !(first_only && scratch->pair_count > first)) {
        uint64_t both = scratch->stack[--top];
        const baseline_node *m = a->nodes + (both >> 32);
        const baseline_node *n = b->nodes + (uint32_t)both;
        if (m->count == 0 && n->count == 0) {
            if (!try_triangles(rival, a, b, (pliant_pair){m->first, n->first})) {
                return false;
            }
            continue;
        }
        if (!baseline_stack_reserve(scratch, top, 2)) {
            return false;
        }
        bool open_a =
            n->count == 0 || (m->count != 0 && baseline_node_size(m) >= baseline_node_size(n));
        top = push_children(rival, a, b, both, open_a, top);
    }
    return true;
}

static bool collide(steinemann *rival, bool first_only)
{
    bool done = true;
    baseline_scratch_clear(&rival->scratch);
    for (uint32_t i = 0; i < rival->count; i++) {
        for (uint32_t j = i + 1; done && j < rival->count; j++) {
            steinemann_body *a = &rival->bodies[i], *b = &rival->bodies[j];
            if (boxes_overlap(look_at(a, 0, rival->stamp), look_at(b, 0, rival->stamp))) {
                size_t first = rival->scratch.pair_count;
                done = walk(rival, a, b, first_only) &&
                       baseline_close_range(&rival->scratch, i, j, first);
            }
        }
    }
    return done;
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    steinemann *rival = state;
    double start = bench_seconds();
    rival->stamp++;
    rival->work = (bench_work){0};
    for (uint32_t i = 0; i < rival->count; i++) {
        steinemann_body *body = &rival->bodies[i];
        body->transforms = frame->transforms[i];
        body->work = &rival->work;
        measure_transforms(body);
        update_front(body, 0, rival->stamp);
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

const bench_method bench_steinemann = {
    .name = "Steinemann, front, binary",
    .create = create,
    .step = step,
    .destroy = destroy,
};
