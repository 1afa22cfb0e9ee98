/*
 * Welding: vertices at equal rest positions that also move alike count as one. Files duplicate
 * vertices along seams of texture and material; without welding every seam would be a gap, and its
 * triangles no neighbours.
 */
#include "mesh.h"

#include <string.h>

/* The position as three words in which 0 and -0 are the same. */
static void position_words(const float p[3], uint32_t words[3])
{
    for (int k = 0; k < 3; k++) {
        float x = p[k] + 0.0f; /* -0 + 0 is +0 */
        memcpy(&words[k], &x, sizeof x);
    }
}

static uint64_t hash_words(uint64_t h, const void *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word = 0;
        memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
        h = (h ^ word) * 0xbf58476d1ce4e5b9u;
        h ^= h >> 29;
    }
    return h;
}

static uint64_t hash_entries(uint64_t h, const pli_entries *entries, size_t width, uint32_t vertex)
{
    if (entries->start == NULL) {
        return h;
    }
    size_t first = entries->start[vertex], count = entries->start[vertex + 1] - first;
    h = hash_words(h, entries->number + first, count);
    return hash_words(h, entries->value + width * first, width * count);
}

/* All that vertices are compared by: many may lie in one place and move differently. */
static uint64_t hash_vertex(const pli_mesh *mesh, const uint32_t words[3], uint32_t vertex)
{
    uint64_t h = hash_words(0x9e3779b97f4a7c15u, words, 3);
    h = hash_entries(h, &mesh->fields, 3, vertex);
    return hash_entries(h, &mesh->influences, 1, vertex);
}

/* Whether two vertices have the same entries, bit for bit. */
static bool same_entries(const pli_entries *entries, uint32_t width, uint32_t a, uint32_t b)
{
    if (entries->start == NULL) {
        return true;
    }
    size_t first_a = entries->start[a], first_b = entries->start[b];
    size_t count = entries->start[a + 1] - first_a;
    return entries->start[b + 1] - first_b == count &&
           memcmp(entries->number + first_a, entries->number + first_b,
                  count * sizeof *entries->number) == 0 &&
           memcmp(entries->value + width * first_a, entries->value + width * first_b,
                  count * width * sizeof *entries->value) == 0;
}

/* The first vertex of the table that is the same, which is `vertex` itself if it is new. */
static uint32_t find_or_add(const pli_mesh *mesh, uint32_t *table, size_t mask, uint32_t vertex)
{
    const float *positions = mesh->positions;
    uint32_t words[3], other[3];
    position_words(positions + 3 * (size_t)vertex, words);
    for (size_t at = hash_vertex(mesh, words, vertex) & mask;; at = (at + 1) & mask) {
        if (table[at] == UINT32_MAX) {
            table[at] = vertex;
            return vertex;
        }
        position_words(positions + 3 * (size_t)table[at], other);
        if (memcmp(words, other, sizeof words) == 0 &&
            same_entries(&mesh->fields, 3, vertex, table[at]) &&
            same_entries(&mesh->influences, 1, vertex, table[at])) {
            return table[at];
        }
    }
}

pliant_result pli_mesh_weld(pli_mesh *mesh, bool by_position)
{
    size_t count = mesh->vertex_count;
    mesh->welded = pli_allocate(mesh->context, count * sizeof *mesh->welded);
    if (mesh->welded == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (!by_position) {
        for (size_t v = 0; v < count; v++) {
            mesh->welded[v] = (uint32_t)v;
        }
        mesh->facts.welded_vertex_count = mesh->vertex_count;
        return PLIANT_OK;
    }
    size_t size = 16;
    while (size < 2 * count) {
        size *= 2;
    }
    uint32_t *table = pli_allocate(mesh->context, size * sizeof *table);
    if (table == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(table, 0xff, size * sizeof *table);
    for (size_t v = 0; v < count; v++) {
        mesh->welded[v] = find_or_add(mesh, table, size - 1, (uint32_t)v);
        mesh->facts.welded_vertex_count += mesh->welded[v] == v;
    }
    pli_release(mesh->context, table, size * sizeof *table);
    return PLIANT_OK;
}
