#include "torn_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shape/shape.h"

enum { SIDE = 16, PIECES = 4, MOST_SPLITS = 8, MOST_REMOVED = 8 };

/* A sheet of `side` x `side` squares, whose corner is square x, y of the whole. */
static void add_sheet(torn_mesh *m, uint32_t side, uint32_t x, uint32_t y)
{
    uint32_t first = m->vertex_count, row = side + 1;
    for (uint32_t i = 0; i < row * row; i++) {
        float *p = m->rest + 3 * (size_t)m->vertex_count++;
        p[0] = (float)(x + i % row) * 2.0f / SIDE - 1.0f;
        p[1] = (float)(y + i / row) * 2.0f / SIDE - 1.0f;
        p[2] = 0.0f;
    }
    for (uint32_t i = 0; i < side * side; i++) {
        uint32_t v = first + i / side * row + i % side;
        uint32_t corners[6] = {v, v + 1, v + row, v + 1, v + row + 1, v + row};
        memcpy(m->triangles + 3 * (size_t)m->triangle_count, corners, sizeof corners);
        m->triangle_count += 2;
    }
}

/* Triangles between vertices that follow each other on a random path. */
static void add_soup(torn_mesh *m, rng *r)
{
    enum { VERTICES = 150, TRIANGLES = 200, NEAR = 6 };
    for (uint32_t v = 0; v < VERTICES; v++) {
        for (uint32_t k = 0; k < 3; k++) {
            float before = v > 0 ? m->rest[3 * v + k - 3] : 0.0f;
            double next = (double)before + rng_range(r, -0.15, 0.15);
            m->rest[3 * v + k] = (float)(next > 1.0 ? 1.0 : next < -1.0 ? -1.0 : next);
        }
    }
    m->vertex_count = VERTICES;
    for (; m->triangle_count < TRIANGLES; m->triangle_count++) {
        uint32_t *corners = m->triangles + 3 * (size_t)m->triangle_count;
        uint32_t v = (uint32_t)rng_below(r, VERTICES - NEAR);
        for (int k = 0; k < 3; k++) {
            corners[k] = v + (uint32_t)rng_below(r, NEAR);
        }
        if (m->triangle_count > 0 && rng_below(r, 10) == 0) {
            memcpy(corners, corners - 3, 3 * sizeof *corners);
        }
    }
}

static void add_sphere(torn_mesh *m)
{
    gallery_settings wanted = {.triangles = 320, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    const gallery_mesh *mesh = &scene->bodies[0];
    memcpy(m->rest, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *m->rest);
    memcpy(m->triangles, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof *m->triangles);
    m->vertex_count = mesh->vertex_count;
    m->triangle_count = mesh->triangle_count;
    gallery_destroy(scene);
}

/* Half of the triangles get vertices of their own, at the same places. */
static void add_seams(torn_mesh *m)
{
    uint32_t before = m->vertex_count;
    memcpy(m->rest + 3 * (size_t)before, m->rest, 3 * (size_t)before * sizeof *m->rest);
    m->vertex_count *= 2;
    for (uint32_t i = 0; i < 3 * (m->triangle_count / 2); i++) {
        m->triangles[i] += before;
    }
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        m->welded[v] = v < before ? v : v - before;
    }
}

static void list_left(torn_mesh *m)
{
    m->left_count = 0;
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        if (m->triangles[3 * (size_t)t] != UINT32_MAX) {
            m->number[m->left_count++] = t;
        }
    }
}

static void add_kind(torn_mesh *m, torn_kind kind, rng *r)
{
    switch (kind) {
    case TORN_SHEET:
        add_sheet(m, SIDE, 0, 0);
        return;
    case TORN_PIECES:
        for (uint32_t i = 0; i < PIECES * PIECES; i++) {
            add_sheet(m, SIDE / PIECES, i % PIECES * SIDE / PIECES, i / PIECES * SIDE / PIECES);
        }
        return;
    case TORN_SOUP:
        add_soup(m, r);
        return;
    case TORN_SPHERE:
    case TORN_SEAM:
    case TORN_KINDS:
        add_sphere(m);
        return;
    }
}

void torn_mesh_create(torn_mesh *m, pliant_context *context, torn_kind kind, rng *r)
{
    enum { MOST = 4096 };
    *m = (torn_mesh){.context = context, .seams = kind == TORN_SEAM, .capacity = MOST};
    m->rest = malloc(3 * MOST * sizeof *m->rest);
    m->positions = malloc(3 * MOST * sizeof *m->positions);
    m->welded = malloc(MOST * sizeof *m->welded);
    m->triangles = malloc(3 * MOST * sizeof *m->triangles);
    m->number = malloc(MOST * sizeof *m->number);
    m->groups = malloc(MOST * sizeof *m->groups);
    add_kind(m, kind, r);
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        m->welded[v] = v;
    }
    if (m->seams) {
        add_seams(m);
    }
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        m->groups[t] = (uint16_t)(t / 7 % 5);
    }
    m->tree = pliant_shape_def_default();
    if (rng_below(r, 3) > 0) { /* else the usual one, which is flat for so few triangles */
        m->tree.arity = 2u << rng_below(r, 3);
        m->tree.leaf_size = 1 + (uint32_t)rng_below(r, 8);
        m->tree.partition = (pliant_partition)rng_below(r, 5);
    }
    m->tree.islands = kind == TORN_PIECES ? PLIANT_ISLANDS_ALWAYS : PLIANT_ISLANDS_AUTO;
    memcpy(m->positions, m->rest, 3 * (size_t)m->vertex_count * sizeof *m->rest);
    list_left(m);
}

void torn_mesh_destroy(torn_mesh *m)
{
    free(m->rest);
    free(m->groups);
    free(m->positions);
    free(m->welded);
    free(m->triangles);
    free(m->number);
}

void torn_mesh_move(torn_mesh *m, rng *r)
{
    double phase = rng_range(r, 0.0, 6.0), fold = rng_range(r, 0.5, 2.5);
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        const float *p = m->rest + 3 * (size_t)v;
        float *q = m->positions + 3 * (size_t)v;
        double x = (double)p[0], y = (double)p[1], z = (double)p[2];
        q[0] = (float)(0.8 * sin(fold * x + phase) + 0.05 * rng_range(r, -1.0, 1.0));
        q[1] = (float)(0.8 * sin(fold * y - phase * x));
        q[2] = (float)(0.6 * z + 0.3 * cos(fold * (x + y)) + 0.05 * rng_range(r, -1.0, 1.0));
        if (m->welded[v] != v) {
            memcpy(q, m->positions + 3 * (size_t)m->welded[v], 3 * sizeof *q);
        }
    }
}

pliant_shape *torn_mesh_make_whole(const torn_mesh *m)
{
    pliant_shape_def def = m->tree;
    def.positions = m->rest;
    def.vertex_count = m->vertex_count;
    def.triangles = m->triangles;
    def.triangle_count = m->triangle_count;
    def.groups = m->groups;
    def.weld = m->seams;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(m->context, &def, &shape));
    return shape;
}

pliant_shape *torn_mesh_make_anew(const torn_mesh *m)
{
    uint32_t *triangles = malloc(3 * (size_t)m->left_count * sizeof *triangles);
    uint16_t *groups = malloc(m->left_count * sizeof *groups);
    for (uint32_t t = 0; t < m->left_count; t++) {
        groups[t] = m->groups[m->number[t]];
    }
    for (uint32_t i = 0; i < 3 * m->left_count; i++) {
        triangles[i] = m->welded[m->triangles[3 * (size_t)m->number[i / 3] + i % 3]];
    }
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = m->rest;
    def.vertex_count = m->vertex_count;
    def.triangles = triangles;
    def.triangle_count = m->left_count;
    def.groups = groups;
    def.proxy_triangles = m->tree.proxy_triangles;
    def.weld = false;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(m->context, &def, &shape));
    free(triangles);
    free(groups);
    return shape;
}

/* ------------------------------------------------------------ tearing */

static uint32_t some_triangle(const torn_mesh *m, rng *r)
{
    return m->number[rng_below(r, m->left_count)];
}

/* Chooses triangles that are all different; returns how many were found. */
static uint32_t choose_removed(const torn_mesh *m, uint32_t *removed, uint32_t count, rng *r)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count && found + 1 < m->left_count; i++) {
        removed[found] = some_triangle(m, r);
        bool once = true;
        for (uint32_t j = 0; j < found; j++) {
            once = once && removed[j] != removed[found];
        }
        found += once;
    }
    return found;
}

static void apply_removed(torn_mesh *m, const uint32_t *removed, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        memset(m->triangles + 3 * (size_t)removed[i], 0xff, 3 * sizeof *m->triangles);
    }
    list_left(m);
}

/* A copy of a vertex, for some of the triangles that have it; returns how many corners moved. */
static uint32_t split_vertex(torn_mesh *m, uint32_t vertex, pliant_torn_corner *corners,
                             uint32_t most, rng *r)
{
    uint32_t copy = m->vertex_count++, moved = 0;
    memcpy(m->rest + 3 * (size_t)copy, m->rest + 3 * (size_t)vertex, 3 * sizeof *m->rest);
    memcpy(m->positions + 3 * (size_t)copy, m->positions + 3 * (size_t)vertex, 3 * sizeof *m->rest);
    m->welded[copy] = copy;
    for (uint32_t i = 0; i < m->left_count && moved < most; i++) {
        uint32_t *corner = m->triangles + 3 * (size_t)m->number[i];
        bool has = corner[0] == vertex || corner[1] == vertex || corner[2] == vertex;
        if (has && rng_below(r, 2)) {
            corners[moved++] = (pliant_torn_corner){m->number[i], copy};
            for (int k = 0; k < 3; k++) {
                corner[k] = corner[k] == vertex ? copy : corner[k];
            }
        }
    }
    return moved;
}

void torn_mesh_tear(torn_mesh *m, pliant_body *body, rng *r)
{
    enum { MOST_CORNERS = 256 };
    uint32_t removed[MOST_REMOVED], split[MOST_SPLITS], welded[MOST_SPLITS];
    pliant_torn_corner corners[MOST_CORNERS];
    pliant_tear tear = {.removed = removed, .split = split, .corners = corners};
    tear.removed_count = choose_removed(m, removed, (uint32_t)rng_below(r, MOST_REMOVED + 1), r);
    uint32_t first = m->vertex_count;
    apply_removed(m, removed, tear.removed_count);
    uint32_t splits = (uint32_t)rng_below(r, MOST_SPLITS);
    for (uint32_t i = 0; i < splits && m->vertex_count + 2 < m->capacity; i++) {
        uint32_t t = some_triangle(m, r), k = (uint32_t)rng_below(r, 3);
        uint32_t vertex = m->triangles[3 * (size_t)t + k];
        if (vertex >= first) {
            continue; /* a copy of this call */
        }
        split[tear.split_count] = vertex;
        tear.corner_count += split_vertex(m, vertex, corners + tear.corner_count,
                                          MOST_CORNERS - tear.corner_count, r);
        welded[tear.split_count] = m->vertex_count - 1;
        tear.split_count++;
    }
    /* Copies of two welded vertices may be welded too. */
    for (uint32_t i = 1; i < tear.split_count && m->seams; i++) {
        uint32_t other = (uint32_t)rng_below(r, i);
        if (m->welded[split[i]] == m->welded[split[other]]) {
            welded[i] = welded[other];
            m->welded[first + i] = welded[i];
            tear.welded = welded;
        }
    }
    assert_ok(pliant_body_tear(body, &tear));
}

void torn_mesh_remove(torn_mesh *m, pliant_body *body, uint32_t count, rng *r)
{
    uint32_t *removed = malloc(count * sizeof *removed);
    pliant_tear tear = {.removed = removed};
    tear.removed_count = choose_removed(m, removed, count, r);
    apply_removed(m, removed, tear.removed_count);
    assert_ok(pliant_body_tear(body, &tear));
    free(removed);
}

/* ------------------------------------------------------------ the tree */

static void mark_below(const pliant_shape *shape, uint32_t child, uint8_t *used, uint32_t *count)
{
    if (!(child & PLI_CLUSTER_BIT)) {
        const pli_node *node = &shape->nodes[child];
        assert_true(node->child_count > 0);
        for (uint32_t i = 0; i < node->child_count; i++) {
            mark_below(shape, node->child[i], used, count);
        }
        return;
    }
    const pli_cluster *cluster = &shape->clusters[child & ~PLI_CLUSTER_BIT];
    for (uint64_t live = cluster->live; live != 0; live &= live - 1) {
        uint32_t t = shape->slot_triangles[cluster->first_slot + (uint32_t)__builtin_ctzll(live)];
        for (uint32_t k = 0; k < 3; k++) {
            used[shape->triangles[3 * (size_t)t + k]] = 1;
        }
        ++*count;
    }
}

/* The vertices that bounds of a child are made of are those of its triangles. */
static void check_vertices(const pliant_shape *shape, uint32_t child)
{
    uint8_t *used = calloc(shape->vertex_count, 1);
    uint32_t triangles = 0, missing = 0, first, count;
    mark_below(shape, child, used, &triangles);
    if (child & PLI_CLUSTER_BIT) {
        const pli_cluster *cluster = &shape->clusters[child & ~PLI_CLUSTER_BIT];
        first = cluster->first_vertex;
        count = pli_padded_count(cluster->vertex_count);
        assert_int_equal(cluster->triangle_count, triangles);
    } else {
        first = shape->nodes[child].vertices.first;
        count = shape->nodes[child].vertices.count;
        assert_int_equal(shape->nodes[child].vertices.extra_count, 0);
        assert_int_equal(shape->nodes[child].triangle_count, triangles);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = shape->cluster_vertices[first + i];
        assert_true(v < shape->vertex_count && used[v] != 0);
        used[v] = 2;
    }
    for (uint32_t v = 0; v < shape->vertex_count; v++) {
        missing += used[v] == 1;
    }
    assert_int_equal(missing, 0);
    free(used);
}

static void check_below(const pliant_shape *shape, uint32_t child)
{
    check_vertices(shape, child);
    for (uint32_t i = 0; !(child & PLI_CLUSTER_BIT) && i < shape->nodes[child].child_count; i++) {
        check_below(shape, shape->nodes[child].child[i]);
    }
}

void torn_mesh_check_tree(const torn_mesh *m, const pliant_shape *shape)
{
    assert_int_equal(shape->vertex_count, m->vertex_count);
    assert_int_equal(shape->nodes[0].triangle_count, m->left_count);
    assert_memory_equal(shape->triangles, m->triangles,
                        3 * (size_t)m->triangle_count * sizeof *m->triangles);
    assert_memory_equal(shape->welded, m->welded, m->vertex_count * sizeof *m->welded);
    assert_memory_equal(shape->positions, m->rest, 3 * (size_t)m->vertex_count * sizeof *m->rest);
    check_below(shape, 0);
    for (uint32_t c = 0; c < shape->cluster_count; c++) {
        const pli_cluster *cluster = &shape->clusters[c];
        for (uint32_t s = 0; s < cluster->slot_count && cluster->live != 0; s++) {
            uint32_t t = shape->slot_triangles[cluster->first_slot + s];
            for (uint32_t k = 0; k < 3; k++) {
                uint32_t local = shape->slot_corners[3 * (size_t)cluster->first_slot +
                                                     k * (size_t)cluster->slot_count + s];
                assert_int_equal(shape->cluster_vertices[cluster->first_vertex + local],
                                 shape->triangles[3 * (size_t)t + k]);
            }
        }
    }
}
