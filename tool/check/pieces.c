/* Connected pieces of a mesh. Seams of texture or normals double vertices, so vertices at equal
 * positions count as one. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

typedef struct piece_finder {
    const float *positions;
    uint32_t *parents; /* per vertex: a union-find forest */
    uint32_t *slots;   /* a hash table of vertices by position */
    uint32_t slot_mask;
} piece_finder;

static uint32_t find_root(uint32_t *parents, uint32_t vertex)
{
    while (parents[vertex] != vertex) {
        parents[vertex] = parents[parents[vertex]];
        vertex = parents[vertex];
    }
    return vertex;
}

/* The lower of two roots wins, so that roots do not depend on the order of unions. */
static void unite(uint32_t *parents, uint32_t a, uint32_t b)
{
    a = find_root(parents, a);
    b = find_root(parents, b);
    parents[a > b ? a : b] = a > b ? b : a;
}

static uint32_t hash_position(const float *position)
{
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) {
        float number = position[k] + 0.0f; /* -0 becomes 0 */
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash >> 16);
}

static void weld(piece_finder *finder, uint32_t vertex)
{
    const float *position = finder->positions + 3 * (size_t)vertex;
    uint32_t slot = hash_position(position) & finder->slot_mask;
    for (; finder->slots[slot] != CHECK_NONE; slot = (slot + 1) & finder->slot_mask) {
        const float *other = finder->positions + 3 * (size_t)finder->slots[slot];
        if (other[0] == position[0] && other[1] == position[1] && other[2] == position[2]) {
            unite(finder->parents, finder->slots[slot], vertex);
            return;
        }
    }
    finder->slots[slot] = vertex;
}

/* Numbers roots in the order in which triangles meet them. */
static uint32_t number_pieces(const pliant_asset_mesh *mesh, piece_finder *finder, uint32_t *pieces)
{
    uint32_t *numbers = finder->slots; /* no longer needed as such */
    memset(numbers, 0xff, ((size_t)finder->slot_mask + 1) * sizeof *numbers);
    uint32_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t root = find_root(finder->parents, mesh->triangles[3 * (size_t)t]);
        if (numbers[root] == CHECK_NONE) {
            numbers[root] = count++;
        }
        pieces[t] = numbers[root];
    }
    return count;
}

check_result check_find_pieces(const pliant_asset_mesh *mesh, uint32_t *pieces, uint32_t *count)
{
    size_t slots = 1;
    while (slots < 2 * (size_t)mesh->vertex_count) {
        slots *= 2;
    }
    piece_finder finder = {.positions = mesh->positions, .slot_mask = (uint32_t)(slots - 1)};
    finder.parents = malloc(((size_t)mesh->vertex_count + 1) * sizeof *finder.parents);
    finder.slots = malloc(slots * sizeof *finder.slots);
    if (finder.parents == NULL || finder.slots == NULL) {
        free(finder.parents);
        free(finder.slots);
        return CHECK_NO_MEMORY;
    }
    memset(finder.slots, 0xff, slots * sizeof *finder.slots);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        finder.parents[v] = v;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        weld(&finder, v);
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corners = mesh->triangles + 3 * (size_t)t;
        unite(finder.parents, corners[0], corners[1]);
        unite(finder.parents, corners[0], corners[2]);
    }
    *count = number_pieces(mesh, &finder, pieces);
    free(finder.parents);
    free(finder.slots);
    return CHECK_DONE;
}
