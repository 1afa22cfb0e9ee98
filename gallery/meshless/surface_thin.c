/*
 * Fewer vertices by collapsing the shortest edges. An edge is collapsed only where the surface
 * stays a closed surface of the same kind (its ends have exactly two common neighbours: the link
 * condition of T. Dey, H. Edelsbrunner, S. Guha, D. Nekhayev, "Topology Preserving Edge
 * Contraction", 1999) and where no triangle turns over. Every collapse removes one vertex, so any
 * number of vertices can be reached.
 */
#include "surface.h"

#include <stdlib.h>
#include <string.h>

#define GONE UINT32_MAX

typedef struct thin_edge {
    float square; /* of its length */
    uint32_t a, b;
} thin_edge;

/* One round: no two of its collapses are neighbours, so what is known of each stays true. */
typedef struct thinning {
    gallery_mesh *mesh;
    uint32_t *starts;   /* of each vertex in `around`; one more at the end */
    uint32_t *around;   /* the triangles of each vertex */
    uint32_t *valences; /* triangles of each vertex, as they are now */
    uint32_t *renamed;  /* where a vertex has gone */
    bool *touched;      /* has a neighbour that was collapsed in this round */
    thin_edge *edges;
} thinning;

static bool allocate(gallery_mesh *mesh, thinning *round)
{
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    round->mesh = mesh;
    round->starts = malloc((vertices + 1) * sizeof *round->starts);
    round->around = malloc((3 * triangles + 1) * sizeof *round->around);
    round->valences = malloc(vertices * sizeof *round->valences);
    round->renamed = malloc(vertices * sizeof *round->renamed);
    round->touched = malloc(vertices * sizeof *round->touched);
    round->edges = malloc((3 * triangles / 2 + 1) * sizeof *round->edges);
    return round->starts != NULL && round->around != NULL && round->valences != NULL &&
           round->renamed != NULL && round->touched != NULL && round->edges != NULL;
}

static void release(thinning *round)
{
    free(round->starts);
    free(round->around);
    free(round->valences);
    free(round->renamed);
    free(round->touched);
    free(round->edges);
}

static void find_around(thinning *round)
{
    const gallery_mesh *mesh = round->mesh;
    uint32_t corners = 3 * mesh->triangle_count;
    memset(round->valences, 0, mesh->vertex_count * sizeof *round->valences);
    for (uint32_t i = 0; i < corners; i++) {
        round->valences[mesh->triangles[i]]++;
    }
    uint32_t start = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        round->starts[v] = start;
        start += round->valences[v];
        round->renamed[v] = v;
        round->touched[v] = false;
    }
    round->starts[mesh->vertex_count] = start;
    for (uint32_t i = corners; i-- > 0;) {
        /* Filled from the back, so that the starts come out right without a copy. */
        uint32_t v = mesh->triangles[i];
        round->around[round->starts[v] + --round->valences[v]] = i / 3;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        round->valences[v] = round->starts[v + 1] - round->starts[v];
    }
}

static int compare_edges(const void *first, const void *second)
{
    const thin_edge *x = first, *y = second;
    if (x->square != y->square) {
        return x->square < y->square ? -1 : 1;
    }
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return x->b < y->b ? -1 : x->b > y->b;
}

static const float *position(const thinning *round, uint32_t vertex)
{
    return round->mesh->positions + (size_t)3 * vertex;
}

static uint32_t list_edges(thinning *round)
{
    const gallery_mesh *mesh = round->mesh;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t a = mesh->triangles[i];
        uint32_t b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        if (a < b) { /* each edge is met once in either direction */
            float square = 0.0f;
            for (int axis = 0; axis < 3; axis++) {
                float d = position(round, a)[axis] - position(round, b)[axis];
                square += d * d;
            }
            round->edges[count++] = (thin_edge){square, a, b};
        }
    }
    qsort(round->edges, count, sizeof *round->edges, compare_edges);
    return count;
}

static bool has_corner(const uint32_t *triangle, uint32_t vertex)
{
    return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

static void normal_of(const float *const p[3], double normal[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        normal[axis] =
            ((double)p[1][next] - (double)p[0][next]) * ((double)p[2][last] - (double)p[0][last]) -
            ((double)p[1][last] - (double)p[0][last]) * ((double)p[2][next] - (double)p[0][next]);
    }
}

/* Does a triangle around `vertex`, which has not `other`, turn over if it moves to `place`? */
static bool turns_over(const thinning *round, uint32_t vertex, uint32_t other, const float place[3])
{
    for (uint32_t i = round->starts[vertex]; i < round->starts[vertex + 1]; i++) {
        const uint32_t *corners = round->mesh->triangles + (size_t)3 * round->around[i];
        if (has_corner(corners, other)) {
            continue;
        }
        const float *before[3], *after[3];
        for (int k = 0; k < 3; k++) {
            before[k] = position(round, corners[k]);
            after[k] = corners[k] == vertex ? place : before[k];
        }
        double m[3], n[3];
        normal_of(before, m);
        normal_of(after, n);
        double dot = m[0] * n[0] + m[1] * n[1] + m[2] * n[2];
        double squares =
            (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) * (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (!(dot > 0.0) || dot * dot < 0.04 * squares) {
            return true;
        }
    }
    return false;
}

/* The link condition; `opposite` gets the two common neighbours. */
static bool can_link(const thinning *round, uint32_t a, uint32_t b, uint32_t opposite[2])
{
    uint32_t shared = 0, common = 0;
    for (uint32_t i = round->starts[a]; i < round->starts[a + 1]; i++) {
        const uint32_t *corners = round->mesh->triangles + (size_t)3 * round->around[i];
        for (int k = 0; k < 3; k++) {
            /* Around a closed fan every neighbour is the one after `a` in one triangle. */
            if (corners[k] != a) {
                continue;
            }
            uint32_t next = corners[(k + 1) % 3];
            bool is_common = false;
            for (uint32_t j = round->starts[b]; j < round->starts[b + 1]; j++) {
                is_common = is_common ||
                            has_corner(round->mesh->triangles + (size_t)3 * round->around[j], next);
            }
            common += is_common && next != b;
        }
        if (has_corner(corners, b)) {
            if (shared < 2) {
                opposite[shared] = corners[0] + corners[1] + corners[2] - a - b;
            }
            shared++;
        }
    }
    return shared == 2 && common == 2 && round->valences[opposite[0]] > 3 &&
           round->valences[opposite[1]] > 3;
}

static void touch_around(thinning *round, uint32_t vertex)
{
    for (uint32_t i = round->starts[vertex]; i < round->starts[vertex + 1]; i++) {
        for (int k = 0; k < 3; k++) {
            round->touched[round->mesh->triangles[(size_t)3 * round->around[i] + (size_t)k]] = true;
        }
    }
}

static bool collapse(thinning *round, uint32_t a, uint32_t b)
{
    uint32_t opposite[2] = {0, 0};
    float middle[3];
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = 0.5f * (position(round, a)[axis] + position(round, b)[axis]);
    }
    if (round->touched[a] || round->touched[b] || !can_link(round, a, b, opposite) ||
        turns_over(round, a, b, middle) || turns_over(round, b, a, middle)) {
        return false;
    }
    touch_around(round, a);
    touch_around(round, b);
    round->valences[opposite[0]]--;
    round->valences[opposite[1]]--;
    round->renamed[b] = a;
    memcpy(round->mesh->positions + (size_t)3 * a, middle, sizeof middle);
    return true;
}

/* Drops the triangles that have lost an edge, and renumbers the vertices that are left. */
static void pack(thinning *round)
{
    gallery_mesh *mesh = round->mesh;
    uint32_t *numbers = round->starts; /* no longer needed */
    uint32_t vertex_count = 0, triangle_count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (round->renamed[v] == v) {
            memmove(mesh->positions + (size_t)3 * vertex_count, position(round, v),
                    3 * sizeof(float));
            numbers[v] = vertex_count++;
        }
    }
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        uint32_t corners[3];
        for (int k = 0; k < 3; k++) {
            corners[k] = numbers[round->renamed[mesh->triangles[(size_t)3 * i + (size_t)k]]];
        }
        if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0]) {
            memcpy(mesh->triangles + (size_t)3 * triangle_count++, corners, sizeof corners);
        }
    }
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
}

bool surface_thin(gallery_mesh *mesh, uint32_t vertex_count)
{
    bool done = true, stuck = false;
    while (done && !stuck && mesh->vertex_count > vertex_count) {
        thinning round = {0};
        done = allocate(mesh, &round);
        if (done) {
            uint32_t surplus = mesh->vertex_count - vertex_count, removed = 0;
            find_around(&round);
            uint32_t count = list_edges(&round);
            for (uint32_t i = 0; i < count && removed < surplus; i++) {
                removed += collapse(&round, round.edges[i].a, round.edges[i].b);
            }
            stuck = removed == 0;
            pack(&round);
        }
        release(&round);
    }
    if (!done) {
        mesh_free(mesh);
    }
    return done;
}
