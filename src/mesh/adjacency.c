/* Edges of the welded mesh and what they tell: closedness, connected pieces, duplicates. */
#include "mesh.h"

#include "base/sort.h"
#include "geometry/orient.h"

#include <string.h>

/* The welded end points of edge 3 t + k. */
static void edge_ends(const pli_mesh *mesh, uint32_t edge, uint32_t *from, uint32_t *to)
{
    const uint32_t *corner = mesh->triangles + edge / 3 * (size_t)3;
    *from = mesh->welded[corner[edge % 3]];
    *to = mesh->welded[corner[(edge + 1) % 3]];
}

/* Counts edges by their lower vertex into edge_start, then places them. */
static void group_edges(pli_mesh *mesh)
{
    uint32_t *start = mesh->edge_start;
    uint32_t edge_count = 3 * mesh->triangle_count, from = 0, to = 0;
    memset(start, 0, ((size_t)mesh->vertex_count + 1) * sizeof *start);
    for (uint32_t e = 0; e < edge_count; e++) {
        edge_ends(mesh, e, &from, &to);
        start[from < to ? from : to] += from != to;
    }
    uint32_t sum = 0;
    for (size_t v = 0; v <= mesh->vertex_count; v++) {
        sum += start[v];
        start[v] = sum; /* the end for now: placing counts it down to the start */
    }
    for (uint32_t e = edge_count; e-- > 0;) {
        edge_ends(mesh, e, &from, &to);
        if (from != to) {
            uint32_t lower = from < to ? from : to, higher = from < to ? to : from;
            mesh->edges[--start[lower]] = (uint64_t)higher << 32 | e;
        }
    }
}

static pliant_result sort_edges(pli_mesh *mesh)
{
    uint32_t most = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t degree = mesh->edge_start[v + 1] - mesh->edge_start[v];
        most = degree > most ? degree : most;
    }
    size_t bytes = (most + (size_t)1) * sizeof(uint64_t);
    uint64_t *scratch = pli_allocate(mesh->context, bytes);
    if (scratch == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t first = mesh->edge_start[v];
        pli_sort_keys(mesh->edges + first, scratch, NULL, NULL, mesh->edge_start[v + 1] - first);
    }
    pli_release(mesh->context, scratch, bytes);
    return PLIANT_OK;
}

/* The representative of a triangle's piece, with paths halved on the way. */
static uint32_t find_piece(uint32_t *parent, uint32_t t)
{
    while (parent[t] != t) {
        parent[t] = parent[parent[t]];
        t = parent[t];
    }
    return t;
}

static void join_pieces(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find_piece(parent, a);
    b = find_piece(parent, b);
    /* The lower number stays the representative, so that numbering below goes by first triangle. */
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

/* Walks the groups of equal edges: joins their triangles and counts those that do not close. */
static void inspect_edges(pli_mesh *mesh)
{
    uint32_t *parent = mesh->component;
    for (uint32_t lower = 0; lower < mesh->vertex_count; lower++) {
        uint32_t end = mesh->edge_start[lower + 1];
        for (uint32_t i = mesh->edge_start[lower]; i < end;) {
            uint32_t higher = (uint32_t)(mesh->edges[i] >> 32);
            uint32_t first = (uint32_t)mesh->edges[i] / 3;
            int64_t balance = 0;
            for (; i < end && (uint32_t)(mesh->edges[i] >> 32) == higher; i++) {
                uint32_t from = 0, to = 0;
                edge_ends(mesh, (uint32_t)mesh->edges[i], &from, &to);
                balance += from < to ? 1 : -1;
                join_pieces(parent, first, (uint32_t)mesh->edges[i] / 3);
            }
            mesh->facts.open_edge_count += balance != 0;
        }
    }
}

/* Turns representatives into numbers 0, 1, ... */
static void number_components(pli_mesh *mesh)
{
    uint32_t *component = mesh->component;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        component[t] = find_piece(component, t);
    }
    /* A representative is the lowest triangle of its piece: it is numbered before it is looked up.
     */
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        component[t] = component[t] == t ? mesh->facts.component_count++ : component[component[t]];
    }
}

/* Welded corners in ascending order. */
static void sorted_corners(const pli_mesh *mesh, uint32_t triangle, uint32_t sorted[3])
{
    for (int k = 0; k < 3; k++) {
        uint32_t v = mesh->welded[mesh->triangles[3 * (size_t)triangle + (size_t)k]];
        int j = k;
        for (; j > 0 && sorted[j - 1] > v; j--) {
            sorted[j] = sorted[j - 1];
        }
        sorted[j] = v;
    }
}

static bool triangle_is_collinear(const pli_mesh *mesh, uint32_t triangle)
{
    const float *corner[3];
    for (size_t k = 0; k < 3; k++) {
        corner[k] = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)triangle + k];
    }
    return pli_collinear(corner[0], corner[1], corner[2], NULL);
}

static pliant_result count_odd_triangles(pli_mesh *mesh, bool *uses_vertex_twice)
{
    size_t size = 16;
    while (size < 2 * (size_t)mesh->triangle_count) {
        size *= 2;
    }
    uint32_t *table = pli_allocate(mesh->context, size * sizeof *table);
    if (table == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(table, 0xff, size * sizeof *table);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t mine[3], other[3];
        sorted_corners(mesh, t, mine);
        *uses_vertex_twice |= mine[0] == mine[1] || mine[1] == mine[2];
        mesh->facts.degenerate_triangle_count += triangle_is_collinear(mesh, t);
        uint64_t h = (mine[0] * 0x9e3779b97f4a7c15u ^ mine[1]) * 0xbf58476d1ce4e5b9u ^ mine[2];
        h = (h ^ h >> 31) * 0x94d049bb133111ebu;
        size_t at = (h ^ h >> 29) & (size - 1);
        for (; table[at] != UINT32_MAX; at = (at + 1) & (size - 1)) {
            sorted_corners(mesh, table[at], other);
            if (memcmp(mine, other, sizeof mine) == 0) {
                break;
            }
        }
        if (table[at] == UINT32_MAX) {
            table[at] = t;
        } else {
            mesh->facts.duplicate_triangle_count++;
        }
    }
    pli_release(mesh->context, table, size * sizeof *table);
    return PLIANT_OK;
}

pliant_result pli_mesh_connect(pli_mesh *mesh)
{
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    mesh->edges = pli_allocate(mesh->context, 3 * triangles * sizeof *mesh->edges);
    mesh->edge_start = pli_allocate(mesh->context, (vertices + 1) * sizeof *mesh->edge_start);
    mesh->component = pli_allocate(mesh->context, triangles * sizeof *mesh->component);
    if (mesh->edges == NULL || mesh->edge_start == NULL || mesh->component == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t t = 0; t < triangles; t++) {
        mesh->component[t] = (uint32_t)t;
    }
    group_edges(mesh);
    pliant_result result = sort_edges(mesh);
    if (result != PLIANT_OK) {
        return result;
    }
    inspect_edges(mesh);
    number_components(mesh);
    bool uses_vertex_twice = false;
    result = count_odd_triangles(mesh, &uses_vertex_twice);
    mesh->is_closed = mesh->facts.open_edge_count == 0 && !uses_vertex_twice;
    return result;
}

pliant_result pli_mesh_own_features(const pli_mesh *mesh, uint8_t *owned)
{
    uint8_t *seen = pli_allocate(mesh->context, mesh->vertex_count);
    if (seen == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(seen, 0, mesh->vertex_count);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        owned[t] = 0;
        for (size_t k = 0; k < 3; k++) {
            uint32_t v = mesh->welded[mesh->triangles[3 * t + k]];
            owned[t] |= (uint8_t)((seen[v] ^ 1u) << k);
            seen[v] = 1;
        }
    }
    pli_release(mesh->context, seen, mesh->vertex_count);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        for (uint32_t i = mesh->edge_start[v]; i < mesh->edge_start[v + 1]; i++) {
            bool first =
                i == mesh->edge_start[v] || mesh->edges[i - 1] >> 32 != mesh->edges[i] >> 32;
            uint32_t edge = (uint32_t)mesh->edges[i];
            owned[edge / 3] |= (uint8_t)((unsigned)first << (3 + edge % 3));
        }
    }
    return PLIANT_OK;
}
