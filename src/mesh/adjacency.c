/* Edges of the welded mesh and what they tell: closedness, connected pieces, duplicates. */
#include "mesh.h"

#include "base/atomic.h"
#include "base/sort.h"
#include "geometry/orient.h"

#include <string.h>

/* A mesh while its edges are looked at. */
typedef struct connecting {
    pli_mesh *mesh;
    const uint32_t *corners; /* 3 per triangle: welded vertices */
    uint32_t *welded;        /* the same, if they are not the mesh's own */
    bool uses_vertex_twice;  /* some triangle does */
    bool is_crowded;         /* more triangles share an edge than are compared one by one */
    PLI_ATOMIC(uint32_t) degenerate;
} connecting;

static size_t corner_bytes(const pli_mesh *mesh)
{
    return 3 * (size_t)mesh->triangle_count * sizeof(uint32_t);
}

static bool is_removed(const pli_mesh *mesh, uint32_t triangle)
{
    return mesh->triangles[3 * (size_t)triangle] == UINT32_MAX;
}

/* Without seams welded corners are the corners themselves. */
static pliant_result weld_corners(connecting *c)
{
    pli_mesh *mesh = c->mesh;
    uint32_t moved = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        moved |= mesh->welded[v] ^ v;
    }
    c->corners = mesh->triangles;
    if (moved != 0) {
        c->welded = pli_allocate(mesh->context, corner_bytes(mesh));
        if (c->welded == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
            uint32_t v = mesh->triangles[i];
            c->welded[i] = v != UINT32_MAX ? mesh->welded[v] : v;
        }
        c->corners = c->welded;
    }
    return PLIANT_OK;
}

/* The edge of a triangle before edge 3 t + k: it begins at the corner across from that. */
static uint32_t previous_edge(uint32_t edge)
{
    return edge % 3 == 0 ? edge + 2 : edge - 1;
}

/* Counts edges by their lower vertex into edge_start, then places them. */
static void group_edges(connecting *c)
{
    pli_mesh *mesh = c->mesh;
    uint32_t *start = mesh->edge_start;
    memset(start, 0, ((size_t)mesh->vertex_count + 1) * sizeof *start);
    uint32_t edge_count = 3 * mesh->triangle_count;
    for (uint32_t t = 0; t < edge_count; t += 3) {
        uint32_t from = c->corners[t + 2];
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t to = c->corners[t + k];
            if (from != to) {
                start[from < to ? from : to]++;
            } else if (to != UINT32_MAX) {
                c->uses_vertex_twice = true;
            }
            from = to;
        }
    }
    uint32_t sum = 0;
    for (size_t v = 0; v <= mesh->vertex_count; v++) {
        sum += start[v];
        start[v] = sum; /* the end for now: placing counts it down to the start */
    }
    for (uint32_t t = edge_count; t > 0; t -= 3) {
        uint32_t to = c->corners[t - 3];
        for (uint32_t e = t; e-- > t - 3;) {
            uint32_t from = c->corners[e];
            uint32_t lower = from < to ? from : to, higher = from < to ? to : from;
            if (from != to) {
                mesh->edges[--start[lower]] = (uint64_t)higher << 32 | e;
            }
            to = from;
        }
    }
}

enum { FEW = 16 }; /* edges of a vertex, or around an edge: nearly all meshes have no more */

static void sort_few(uint64_t *keys, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        uint32_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) {
            keys[j] = keys[j - 1];
        }
        keys[j] = key;
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
        uint32_t first = mesh->edge_start[v], count = mesh->edge_start[v + 1] - first;
        if (count <= FEW) {
            sort_few(mesh->edges + first, count);
        } else {
            pli_sort_keys(mesh->edges + first, scratch, NULL, NULL, count);
        }
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

/*
 * One edge, from its lower vertex to `higher`, and the triangles around it: joins them, and counts
 * the edge unless it closes. Triangles of the same three vertices meet at the edge between the
 * lower two, where the third vertex tells; each is compared with those before it.
 */
static void inspect_edge(connecting *c, const uint64_t *edges, uint32_t count, uint32_t higher)
{
    pli_mesh *mesh = c->mesh;
    uint32_t third[FEW], first = (uint32_t)edges[0] / 3;
    int64_t balance = 0;
    c->is_crowded |= count > FEW;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t edge = (uint32_t)edges[i];
        balance += c->corners[edge] == higher ? -1 : 1;
        if (i > 0) {
            join_pieces(mesh->component, first, edge / 3);
        }
        if (i < FEW && count > 1) {
            third[i] = c->corners[previous_edge(edge)];
            bool same = false;
            for (uint32_t j = 0; j < i; j++) {
                same |= third[j] == third[i];
            }
            mesh->facts.duplicate_triangle_count += same && third[i] > higher;
        }
    }
    mesh->facts.open_edge_count += balance != 0;
}

/* The same for an edge of two triangles, which nearly all have. */
static void inspect_pair(const connecting *c, const uint64_t *edges, uint32_t higher)
{
    pli_mesh *mesh = c->mesh;
    uint32_t a = (uint32_t)edges[0], b = (uint32_t)edges[1];
    uint32_t third = c->corners[previous_edge(a)];
    join_pieces(mesh->component, a / 3, b / 3);
    mesh->facts.duplicate_triangle_count += third > higher && third == c->corners[previous_edge(b)];
    mesh->facts.open_edge_count += (c->corners[a] == higher) == (c->corners[b] == higher);
}

static void inspect_edges(connecting *c)
{
    const pli_mesh *mesh = c->mesh;
    for (uint32_t lower = 0; lower < mesh->vertex_count; lower++) {
        uint32_t end = mesh->edge_start[lower + 1];
        for (uint32_t i = mesh->edge_start[lower]; i < end;) {
            uint32_t first = i, higher = (uint32_t)(mesh->edges[i] >> 32);
            while (i < end && (uint32_t)(mesh->edges[i] >> 32) == higher) {
                i++;
            }
            if (i - first == 2) {
                inspect_pair(c, mesh->edges + first, higher);
            } else {
                inspect_edge(c, mesh->edges + first, i - first, higher);
            }
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
        if (component[t] != t) {
            component[t] = component[component[t]];
        } else if (mesh->removed_count == 0 || !is_removed(mesh, t)) {
            component[t] = mesh->facts.component_count++;
        }
    }
}

/* Welded corners in ascending order. */
static void sorted_corners(const uint32_t *corners, uint32_t triangle, uint32_t sorted[3])
{
    for (int k = 0; k < 3; k++) {
        uint32_t v = corners[3 * (size_t)triangle + (size_t)k];
        int j = k;
        for (; j > 0 && sorted[j - 1] > v; j--) {
            sorted[j] = sorted[j - 1];
        }
        sorted[j] = v;
    }
}

/* Duplicates by a table: for meshes with triangles that use a vertex twice, or with crowded edges.
 */
static pliant_result look_up_duplicates(connecting *c)
{
    pli_mesh *mesh = c->mesh;
    size_t size = 16;
    while (size < 2 * (size_t)mesh->triangle_count) {
        size *= 2;
    }
    uint32_t *table = pli_allocate(mesh->context, size * sizeof *table);
    if (table == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(table, 0xff, size * sizeof *table);
    mesh->facts.duplicate_triangle_count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t mine[3], other[3];
        sorted_corners(c->corners, t, mine);
        if (mine[0] == UINT32_MAX) {
            continue; /* removed */
        }
        uint64_t h = (mine[0] * 0x9e3779b97f4a7c15u ^ mine[1]) * 0xbf58476d1ce4e5b9u ^ mine[2];
        h = (h ^ h >> 31) * 0x94d049bb133111ebu;
        size_t at = (h ^ h >> 29) & (size - 1);
        for (; table[at] != UINT32_MAX; at = (at + 1) & (size - 1)) {
            sorted_corners(c->corners, table[at], other);
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

enum { TRIANGLES_AT_ONCE = 4096 }; /* that a worker looks at */

static void count_degenerate(void *argument, uint32_t piece, uint32_t worker)
{
    connecting *c = argument;
    (void)worker;
    const pli_mesh *mesh = c->mesh;
    uint32_t first = piece * TRIANGLES_AT_ONCE, rest = mesh->triangle_count - first, found = 0;
    for (uint32_t i = 0; i < TRIANGLES_AT_ONCE && i < rest; i++) {
        const uint32_t *corner = mesh->triangles + 3 * (size_t)(first + i);
        if (corner[0] == UINT32_MAX) {
            continue; /* removed */
        }
        const float *p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = mesh->positions + 3 * (size_t)corner[k];
        }
        found += pli_collinear(p[0], p[1], p[2], NULL);
    }
    atomic_fetch_add_explicit(&c->degenerate, found, memory_order_relaxed);
}

static pliant_result find_facts(connecting *c)
{
    pli_mesh *mesh = c->mesh;
    pliant_result result = weld_corners(c);
    if (result == PLIANT_OK) {
        group_edges(c);
        result = sort_edges(mesh);
    }
    if (result == PLIANT_OK) {
        inspect_edges(c);
        number_components(mesh);
        result = pli_mesh_run(mesh, count_degenerate, c,
                              (mesh->triangle_count - 1) / TRIANGLES_AT_ONCE + 1);
    }
    if (result == PLIANT_OK && (c->uses_vertex_twice || c->is_crowded)) {
        result = look_up_duplicates(c);
    }
    mesh->facts.degenerate_triangle_count = atomic_load(&c->degenerate);
    mesh->is_closed = mesh->facts.open_edge_count == 0 && !c->uses_vertex_twice;
    pli_release(mesh->context, c->welded, corner_bytes(mesh));
    return result;
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
    return find_facts(&(connecting){.mesh = mesh});
}

/* Marks the corner of the lowest triangle at each vertex. */
static void own_corners(pli_mesh *mesh, uint8_t *seen)
{
    memset(seen, 0, mesh->vertex_count);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3 && !is_removed(mesh, (uint32_t)t); k++) {
            uint32_t v = mesh->welded[mesh->triangles[3 * t + k]];
            bits |= (seen[v] ^ 1u) << k;
            seen[v] = 1;
        }
        mesh->owned[t] = (uint8_t)bits;
    }
}

static void own_edges(pli_mesh *mesh)
{
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        uint64_t before = UINT64_MAX; /* no vertex has so high a number */
        for (uint32_t i = mesh->edge_start[v]; i < mesh->edge_start[v + 1]; i++) {
            uint32_t edge = (uint32_t)mesh->edges[i];
            if (mesh->edges[i] >> 32 != before) {
                mesh->owned[edge / 3] |= (uint8_t)(1u << (3 + edge % 3));
            }
            before = mesh->edges[i] >> 32;
        }
    }
}

pliant_result pli_mesh_own_features(pli_mesh *mesh)
{
    mesh->owned = pli_allocate(mesh->context, mesh->triangle_count);
    uint8_t *seen = pli_allocate(mesh->context, mesh->vertex_count);
    bool enough = mesh->owned != NULL && seen != NULL;
    if (enough) {
        own_corners(mesh, seen);
        own_edges(mesh);
    }
    pli_release(mesh->context, seen, mesh->vertex_count);
    return enough ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}
