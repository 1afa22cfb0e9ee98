/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models", 2004; layered spheres as in J. Brown et al., "Real-Time Simulation of
 * Deformable Objects", 2001. Radii carry small margins, so that no contact is missed and answers
 * can be compared with exact ones.
 */
#include "sphere_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/triangle_distance.h"

static const float GROW = 1.0f + 0x1p-21f;

/* What rounding may do to a centre. */
static inline float margin(const float centre[3])
{
    return 0x1p-22f * fmaxf(fabsf(centre[0]), fmaxf(fabsf(centre[1]), fabsf(centre[2])));
}

static inline float squared_distance(const float a[3], const float b[3])
{
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

baseline_sphere sphere_merge(const baseline_sphere *a, const baseline_sphere *b)
{
    const baseline_sphere *large = a->radius >= b->radius ? a : b, *small = large == a ? b : a;
    float distance = sqrtf(squared_distance(a->centre, b->centre));
    baseline_sphere merged = *large;
    if (distance + small->radius > large->radius) {
        float radius = 0.5f * (distance + a->radius + b->radius);
        float share = (radius - large->radius) / distance;
        for (int k = 0; k < 3; k++) {
            merged.centre[k] += share * (small->centre[k] - large->centre[k]);
        }
        merged.radius = radius;
    }
    merged.radius = merged.radius * GROW + margin(merged.centre);
    return merged;
}

baseline_sphere sphere_around_triangle(const float *p, const float *q, const float *r)
{
    baseline_sphere sphere;
    for (int k = 0; k < 3; k++) {
        sphere.centre[k] = (p[k] + q[k] + r[k]) * (1.0f / 3.0f);
    }
    float most =
        fmaxf(squared_distance(p, sphere.centre),
              fmaxf(squared_distance(q, sphere.centre), squared_distance(r, sphere.centre)));
    sphere.radius = sqrtf(most) * GROW + margin(sphere.centre);
    return sphere;
}

static void update_layered(sphere_body *body)
{
    const baseline_tree *tree = &body->shape->tree;
    const float *x = body->positions;
    for (uint32_t i = tree->node_count; i-- > 0;) {
        const baseline_node *node = &tree->nodes[i];
        if (node->count == 0) {
            const uint32_t *corners = tree->triangles + (size_t)3 * node->first;
            body->spheres[i] = sphere_around_triangle(
                x + (size_t)3 * corners[0], x + (size_t)3 * corners[1], x + (size_t)3 * corners[2]);
        } else {
            body->spheres[i] =
                sphere_merge(&body->spheres[node->first], &body->spheres[node->first + 1]);
        }
    }
    body->refreshed += tree->node_count;
}

/* --------------------------------------------------------- precomputation */

/* The distinct vertices below nodes, one node after another. */
typedef struct vertex_walk {
    uint32_t *seen; /* per vertex: the last node that listed it, plus 1 */
    uint32_t *list;
    uint32_t count;
} vertex_walk;

static void list_vertices(const baseline_tree *tree, uint32_t node, uint32_t mark,
                          vertex_walk *walk)
{
    const baseline_node *n = &tree->nodes[node];
    for (uint32_t i = 0; i < n->count; i++) {
        list_vertices(tree, n->first + i, mark, walk);
    }
    for (uint32_t k = 0; k < 3 && n->count == 0; k++) {
        uint32_t vertex = tree->triangles[(size_t)3 * n->first + k];
        if (walk->seen[vertex] != mark) {
            walk->seen[vertex] = mark;
            walk->list[walk->count++] = vertex;
        }
    }
}

/* The mean of a field over vertices, and how far it goes from there: rounded up. */
static void wrap(const float *field, const vertex_walk *walk, float mean[3], float *radius)
{
    double sum[3] = {0};
    float most = 0.0f;
    for (uint32_t i = 0; i < walk->count; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            sum[k] += (double)field[3 * (size_t)walk->list[i] + k];
        }
    }
    for (int k = 0; k < 3; k++) {
        mean[k] = (float)(sum[k] / walk->count);
    }
    for (uint32_t i = 0; i < walk->count; i++) {
        most = fmaxf(most, squared_distance(field + 3 * (size_t)walk->list[i], mean));
    }
    *radius = sqrtf(most) * GROW;
}

static bool wrap_nodes(sphere_shape *shape)
{
    const gallery_mesh *mesh = shape->mesh;
    uint32_t modes = shape->model->mode_count;
    vertex_walk walk = {.seen = calloc(mesh->vertex_count, sizeof *walk.seen),
                        .list = malloc(mesh->vertex_count * sizeof *walk.list)};
    bool done = walk.seen != NULL && walk.list != NULL;
    for (uint32_t i = 0; done && i < shape->tree.node_count; i++) {
        walk.count = 0;
        list_vertices(&shape->tree, i, i + 1, &walk);
        wrap(mesh->positions, &walk, shape->rest[i].centre, &shape->rest[i].radius);
        for (uint32_t m = 0; m < modes; m++) {
            float *bound = shape->bounds + 4 * ((size_t)i * modes + m);
            wrap(shape->model->modes + 3 * (size_t)m * mesh->vertex_count, &walk, bound, bound + 3);
        }
    }
    free(walk.seen);
    free(walk.list);
    return done;
}

bool sphere_shape_create(const gallery_mesh *mesh, const gallery_model *model, pliant_isa cap,
                         sphere_shape *shape)
{
    *shape = (sphere_shape){.mesh = mesh, .model = model};
    if (!baseline_tree_build(mesh, 2, &shape->tree) ||
        !baseline_fields_create(mesh, model, cap, &shape->fields)) {
        return false;
    }
    size_t nodes = shape->tree.node_count;
    shape->rest = malloc(nodes * sizeof *shape->rest);
    shape->bounds = malloc((4 * nodes * model->mode_count + 1) * sizeof *shape->bounds);
    return shape->rest != NULL && shape->bounds != NULL && wrap_nodes(shape);
}

bool sphere_shape_create_wide(const gallery_mesh *mesh, const gallery_model *model, pliant_isa cap,
                              sphere_shape *shape)
{
    *shape = (sphere_shape){.mesh = mesh, .model = model};
    return baseline_tree_build(mesh, 2, &shape->tree) &&
           baseline_fields_create(mesh, model, cap, &shape->fields) &&
           wide_order_create(&shape->tree, cap, &shape->order);
}

void sphere_shape_free(sphere_shape *shape)
{
    wide_order_free(&shape->order);
    baseline_tree_free(&shape->tree);
    baseline_fields_free(&shape->fields);
    free(shape->rest);
    free(shape->bounds);
    *shape = (sphere_shape){0};
}

static uint32_t add_growth(const sphere_shape *shape, uint32_t node, uint32_t level, double *growth,
                           uint32_t *nodes, uint32_t capacity)
{
    uint32_t modes = shape->model->mode_count, levels = level + 1;
    const baseline_node *n = &shape->tree.nodes[node];
    if (level == capacity) {
        return capacity;
    }
    double square = 0.0;
    for (uint32_t m = 0; m < modes; m++) {
        double added = (double)shape->bounds[4 * ((size_t)node * modes + m) + 3];
        square += added * added;
    }
    growth[level] += sqrt(square);
    nodes[level]++;
    for (uint32_t i = 0; i < n->count; i++) {
        uint32_t below = add_growth(shape, n->first + i, level + 1, growth, nodes, capacity);
        levels = below > levels ? below : levels;
    }
    return levels;
}

uint32_t sphere_shape_growth(const sphere_shape *shape, double *growth, uint32_t *nodes,
                             uint32_t capacity)
{
    memset(growth, 0, capacity * sizeof *growth);
    memset(nodes, 0, capacity * sizeof *nodes);
    uint32_t levels = add_growth(shape, 0, 0, growth, nodes, capacity);
    for (uint32_t i = 0; i < levels; i++) {
        growth[i] /= nodes[i];
    }
    return levels;
}

/* ------------------------------------------------------------------ bodies */

bool sphere_body_create(const sphere_shape *shape, sphere_method method, sphere_body *body)
{
    *body = (sphere_body){.shape = shape, .method = method};
    body->spheres = malloc(shape->tree.node_count * sizeof *body->spheres);
    body->positions = baseline_fields_positions(&shape->fields);
    body->stamps = calloc(shape->tree.node_count, sizeof *body->stamps);
    body->vertex_stamps = calloc(shape->mesh->vertex_count, sizeof *body->vertex_stamps);
    return body->spheres != NULL && body->positions != NULL && body->stamps != NULL &&
           body->vertex_stamps != NULL;
}

void sphere_body_free(sphere_body *body)
{
    free(body->spheres);
    free(body->positions);
    free(body->stamps);
    free(body->vertex_stamps);
    *body = (sphere_body){0};
}

/* Places a point; rigid bodies only, so that radii stay. */
static inline void place(const float *transform, const float from[3], float to[3])
{
    for (int k = 0; k < 3; k++) {
        const float *row = transform + 4 * k;
        to[k] = ((row[0] * from[0] + row[1] * from[1]) + row[2] * from[2]) + row[3];
    }
}

static inline void evaluate_vertex(const sphere_body *body, size_t vertex, float to[3])
{
    const sphere_shape *shape = body->shape;
    float y[3];
    memcpy(y, shape->mesh->positions + 3 * vertex, sizeof y);
    for (size_t m = 0; m < shape->model->mode_count; m++) {
        const float *u = shape->model->modes + 3 * (m * shape->mesh->vertex_count + vertex);
        for (int k = 0; k < 3; k++) {
            y[k] += body->coordinates[m] * u[k];
        }
    }
    if (shape->model->joint_count > 0) {
        place(body->transform, y, to);
    } else {
        memcpy(to, y, sizeof y);
    }
}

void sphere_body_set(sphere_body *body, const float *coordinates, const float *transform)
{
    body->coordinates = coordinates;
    body->transform = transform;
    body->stamp++;
    body->refreshed = 0;
    switch (body->method) {
    case SPHERES_LAYERED_SCALAR:
        for (size_t v = 0; v < body->shape->mesh->vertex_count; v++) {
            evaluate_vertex(body, v, body->positions + 3 * v);
        }
        update_layered(body);
        break;
    case SPHERES_LAYERED:
        baseline_fields_evaluate(&body->shape->fields, coordinates, transform, body->positions);
        update_layered(body);
        break;
    case SPHERES_LAYERED_WIDE:
        baseline_fields_evaluate(&body->shape->fields, coordinates, transform, body->positions);
        body->shape->order.update(&body->shape->order, body->positions, body->spheres);
        body->refreshed = body->shape->tree.node_count;
        break;
    case SPHERES_BD:
        break;
    }
}

static void refresh(sphere_body *body, uint32_t node)
{
    const sphere_shape *shape = body->shape;
    uint32_t modes = shape->model->mode_count;
    const float *bound = shape->bounds + 4 * (size_t)node * modes;
    baseline_sphere sphere = shape->rest[node], *to = &body->spheres[node];
    for (uint32_t m = 0; m < modes; m++, bound += 4) {
        float q = body->coordinates[m];
        for (int k = 0; k < 3; k++) {
            sphere.centre[k] += q * bound[k];
        }
        sphere.radius += fabsf(q) * bound[3];
    }
    to->radius = sphere.radius * GROW * GROW + 4.0f * margin(sphere.centre);
    if (shape->model->joint_count > 0) {
        place(body->transform, sphere.centre, to->centre);
    } else {
        memcpy(to->centre, sphere.centre, sizeof to->centre);
    }
    to->radius += 4.0f * margin(to->centre);
    body->stamps[node] = body->stamp;
    body->refreshed++;
}

const baseline_sphere *sphere_body_at(sphere_body *body, uint32_t node)
{
    if (body->method == SPHERES_BD && body->stamps[node] != body->stamp) {
        refresh(body, node);
    }
    return &body->spheres[node];
}

static void triangle_of(sphere_body *body, uint32_t triangle, float corners[3][3])
{
    const uint32_t *vertices = body->shape->mesh->triangles + (size_t)3 * triangle;
    for (size_t corner = 0; corner < 3; corner++) {
        size_t vertex = vertices[corner];
        float *position = body->positions + 3 * vertex;
        if (body->method == SPHERES_BD && body->vertex_stamps[vertex] != body->stamp) {
            body->vertex_stamps[vertex] = body->stamp;
            evaluate_vertex(body, vertex, position);
        }
        memcpy(corners[corner], position, sizeof corners[corner]);
    }
}

/* -------------------------------------------------------------------- walk */

static inline bool spheres_meet(const baseline_sphere *a, const baseline_sphere *b, float radius)
{
    float reach = a->radius + b->radius + radius;
    return squared_distance(a->centre, b->centre) <= reach * reach * GROW;
}

static bool triangles_touch(const float p[3][3], const float q[3][3], float radius)
{
    uint64_t fallbacks = 0;
    double weights[3];
    return radius > 0.0f ? pli_triangle_closest_weights(q[0], p, weights) <= (double)radius
                         : pli_triangle_overlap(p, q, &fallbacks);
}

static bool try_triangles(sphere_body *a, sphere_body *b, pliant_pair pair, float radius,
                          baseline_scratch *scratch)
{
    float p[3][3], q[3][3];
    triangle_of(a, pair.a, p);
    triangle_of(b, pair.b, q);
    if (!triangles_touch((const float(*)[3])p, (const float(*)[3])q, radius)) {
        return true;
    }
    if (!baseline_pairs_reserve(scratch)) {
        return false;
    }
    scratch->pairs[scratch->pair_count++] = pair;
    return true;
}

bool sphere_bodies_collide(sphere_body *a, sphere_body *b, float radius, baseline_scratch *scratch,
                           uint64_t *tests)
{
    size_t top = 0;
    if (!baseline_stack_reserve(scratch, 0, 128)) {
        return false;
    }
    ++*tests;
    if (spheres_meet(sphere_body_at(a, 0), sphere_body_at(b, 0), radius)) {
        scratch->stack[top++] = 0;
    }
    while (top > 0) {
        uint64_t both = scratch->stack[--top];
        uint32_t i = (uint32_t)(both >> 32), j = (uint32_t)both;
        const baseline_node *m = &a->shape->tree.nodes[i], *n = &b->shape->tree.nodes[j];
        if (m->count == 0 && n->count == 0) {
            if (!try_triangles(a, b, (pliant_pair){m->first, n->first}, radius, scratch)) {
                return false;
            }
            continue;
        }
        if (!baseline_stack_reserve(scratch, top, 2)) {
            return false;
        }
        bool open_a =
            n->count == 0 || (m->count != 0 && a->spheres[i].radius >= b->spheres[j].radius);
        for (uint32_t c = 0; c < 2; c++) {
            uint32_t x = open_a ? m->first + c : i, y = open_a ? j : n->first + c;
            ++*tests;
            if (spheres_meet(sphere_body_at(a, x), sphere_body_at(b, y), radius)) {
                scratch->stack[top++] = (uint64_t)x << 32 | y;
            }
        }
    }
    return true;
}
