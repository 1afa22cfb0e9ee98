#include "mesh.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static pliant_result check_counts(const pliant_shape_def *def)
{
    if (def->vertex_count == 0 || def->triangle_count == 0) {
        return pli_fail(PLIANT_ERROR_RANGE, "a shape needs vertices and triangles; %u and %u given",
                        def->vertex_count, def->triangle_count);
    }
    if (def->vertex_count > 0x7fffffffu) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "%u vertices; at most 2147483647 are possible",
                        def->vertex_count);
    }
    if (def->triangle_count > 0x40000000u) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "%u triangles; at most 1073741824 are possible",
                        def->triangle_count);
    }
    return PLIANT_OK;
}

pliant_result pli_resolve_stride(const char *name, size_t *stride, size_t element_size,
                                 size_t alignment, size_t count)
{
    if (*stride == 0) {
        *stride = element_size;
    }
    if (*stride < element_size || *stride % alignment != 0) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "%s_stride is %zu; it must be 0 or a multiple of %zu from %zu on", name,
                        *stride, alignment, element_size);
    }
    size_t bytes = 0;
    if (!pli_size_multiply(*stride, count, &bytes) || bytes > PTRDIFF_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "%zu %ss, %zu bytes apart, pass the address space",
                        count, name, *stride);
    }
    return PLIANT_OK;
}

static pliant_result copy_positions(pli_mesh *mesh, const void *source, size_t stride)
{
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        float *p = mesh->positions + 3 * v;
        memcpy(p, (const char *)source + v * stride, 3 * sizeof *p);
        for (int k = 0; k < 3; k++) {
            if (!isfinite(p[k])) {
                return pli_fail(PLIANT_ERROR_NOT_FINITE, "vertex %zu: coordinate %c is %f", v,
                                "xyz"[k], (double)p[k]);
            }
        }
    }
    return PLIANT_OK;
}

static pliant_result copy_triangles(pli_mesh *mesh, const pliant_shape_def *def, size_t stride)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t *corner = mesh->triangles + 3 * t;
        if (def->triangles16 != NULL) {
            uint16_t given[3];
            memcpy(given, (const char *)def->triangles16 + t * stride, sizeof given);
            for (int k = 0; k < 3; k++) {
                corner[k] = given[k];
            }
        } else {
            memcpy(corner, (const char *)def->triangles + t * stride, 3 * sizeof *corner);
        }
        for (int k = 0; k < 3; k++) {
            if (corner[k] >= mesh->vertex_count) {
                return pli_fail(PLIANT_ERROR_RANGE, "triangle %zu uses vertex %u of %u", t,
                                corner[k], mesh->vertex_count);
            }
        }
    }
    return PLIANT_OK;
}

static pliant_result copy_arrays(pli_mesh *mesh, const pliant_shape_def *def)
{
    size_t position_stride = def->position_stride;
    size_t triangle_stride = def->triangle_stride;
    size_t group_stride = def->group_stride;
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    pliant_result result = pli_resolve_stride("position", &position_stride, 12, 4, vertices);
    if (result == PLIANT_OK) {
        size_t index = def->triangles16 != NULL ? sizeof(uint16_t) : sizeof(uint32_t);
        result = pli_resolve_stride("triangle", &triangle_stride, 3 * index, index, triangles);
    }
    if (result == PLIANT_OK) {
        result = pli_resolve_stride("group", &group_stride, 2, 2, triangles);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    mesh->positions = pli_allocate(mesh->context, 3 * vertices * sizeof *mesh->positions);
    mesh->triangles = pli_allocate(mesh->context, 3 * triangles * sizeof *mesh->triangles);
    if (mesh->positions == NULL || mesh->triangles == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    result = copy_positions(mesh, def->positions, position_stride);
    if (result == PLIANT_OK) {
        result = copy_triangles(mesh, def, triangle_stride);
    }
    if (result != PLIANT_OK || def->groups == NULL) {
        return result;
    }
    mesh->groups = pli_allocate(mesh->context, triangles * sizeof *mesh->groups);
    if (mesh->groups == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t t = 0; t < triangles; t++) {
        memcpy(mesh->groups + t, (const char *)def->groups + t * group_stride, 2);
    }
    return PLIANT_OK;
}

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

/*
 * Welding: vertices at equal rest positions that also move alike count as one. Files duplicate
 * vertices along seams of texture and material; without welding every seam would be a gap, and its
 * triangles no neighbours.
 */
static pliant_result weld(pli_mesh *mesh, bool by_position)
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

pliant_result pli_mesh_create(pliant_context *context, const pliant_shape_def *def, pli_mesh *mesh)
{
    pliant_result result = check_counts(def);
    if (result != PLIANT_OK) {
        return result;
    }
    *mesh = (pli_mesh){.context = context,
                       .vertex_count = def->vertex_count,
                       .triangle_count = def->triangle_count};
    result = copy_arrays(mesh, def);
    if (result == PLIANT_OK) {
        result = pli_mesh_copy_model(mesh, def);
    }
    if (result == PLIANT_OK) {
        result = weld(mesh, def->weld);
    }
    if (result == PLIANT_OK) {
        result = pli_mesh_connect(mesh);
    }
    if (result != PLIANT_OK) {
        pli_mesh_release(mesh);
    }
    return result;
}

pliant_result pli_mesh_run(const pli_mesh *mesh, pliant_task task, void *argument, uint32_t count)
{
    if (!mesh->alone && mesh->triangle_count >= PLI_SHARED_TRIANGLES) {
        return pli_context_run(mesh->context, task, argument, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        task(argument, i, 0);
    }
    return PLIANT_OK;
}

void pli_mesh_release_edges(pli_mesh *mesh)
{
    pli_release(mesh->context, mesh->edges, 3 * (size_t)mesh->triangle_count * sizeof *mesh->edges);
    pli_release(mesh->context, mesh->edge_start,
                ((size_t)mesh->vertex_count + 1) * sizeof *mesh->edge_start);
    mesh->edges = NULL;
    mesh->edge_start = NULL;
}

void pli_mesh_release(pli_mesh *mesh)
{
    pliant_context *context = mesh->context;
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    pli_release(context, mesh->positions, 3 * vertices * sizeof *mesh->positions);
    pli_release(context, mesh->triangles, 3 * triangles * sizeof *mesh->triangles);
    pli_release(context, mesh->groups, triangles * sizeof *mesh->groups);
    pli_release(context, mesh->welded, vertices * sizeof *mesh->welded);
    pli_mesh_release_edges(mesh);
    pli_release(context, mesh->component, triangles * sizeof *mesh->component);
    pli_release(context, mesh->owned, triangles * sizeof *mesh->owned);
    pli_mesh_release_model(mesh);
    *mesh = (pli_mesh){.context = context};
}
