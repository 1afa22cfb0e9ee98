/* Connected pieces of a mesh. Seams of texture or normals double vertices, so vertices at equal
 * positions count as one. */
#include "check.h"
#include "surface.h"

#include <stdlib.h>
#include <string.h>

/* Vertices by position. */
typedef struct position_table {
    const float *positions;
    uint32_t *slots;
    uint32_t slot_mask;
} position_table;

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

/* The lowest vertex at the position of one, which comes after all lower ones. */
static uint32_t find_lowest(position_table *table, uint32_t vertex)
{
    const float *position = table->positions + 3 * (size_t)vertex;
    uint32_t slot = hash_position(position) & table->slot_mask;
    for (; table->slots[slot] != CHECK_NONE; slot = (slot + 1) & table->slot_mask) {
        const float *other = table->positions + 3 * (size_t)table->slots[slot];
        if (other[0] == position[0] && other[1] == position[1] && other[2] == position[2]) {
            return table->slots[slot];
        }
    }
    table->slots[slot] = vertex;
    return vertex;
}

bool check_weld(const pliant_asset_mesh *mesh, uint32_t *welded)
{
    size_t slots = 1;
    while (slots < 2 * (size_t)mesh->vertex_count) {
        slots *= 2;
    }
    position_table table = {.positions = mesh->positions, .slot_mask = (uint32_t)(slots - 1)};
    table.slots = malloc(slots * sizeof *table.slots);
    if (table.slots == NULL) {
        return false;
    }
    memset(table.slots, 0xff, slots * sizeof *table.slots);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        welded[v] = find_lowest(&table, v);
    }
    free(table.slots);
    return true;
}

/* Numbers roots in the order in which triangles meet them. */
static uint32_t number_pieces(const pliant_asset_mesh *mesh, uint32_t *parents, uint32_t *numbers,
                              uint32_t *pieces)
{
    memset(numbers, 0xff, (size_t)mesh->vertex_count * sizeof *numbers);
    uint32_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t root = find_root(parents, mesh->triangles[3 * (size_t)t]);
        if (numbers[root] == CHECK_NONE) {
            numbers[root] = count++;
        }
        pieces[t] = numbers[root];
    }
    return count;
}

check_result check_find_pieces(const pliant_asset_mesh *mesh, uint32_t *pieces, uint32_t *count)
{
    /* Per vertex: a union-find forest, in which welded vertices hang on their lowest from the
       beginning; numbers of roots. */
    uint32_t *parents = malloc(((size_t)mesh->vertex_count + 1) * sizeof *parents);
    uint32_t *numbers = malloc(((size_t)mesh->vertex_count + 1) * sizeof *numbers);
    if (parents == NULL || numbers == NULL || !check_weld(mesh, parents)) {
        free(parents);
        free(numbers);
        return CHECK_NO_MEMORY;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corners = mesh->triangles + 3 * (size_t)t;
        unite(parents, corners[0], corners[1]);
        unite(parents, corners[0], corners[2]);
    }
    *count = number_pieces(mesh, parents, numbers, pieces);
    free(parents);
    free(numbers);
    return CHECK_DONE;
}
