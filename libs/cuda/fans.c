/*
 * The fans of a shape's vertices (kernel_fans.h): round which of them triangles go on from each
 * other, in the same sense, and are all there are. Found once, when BEYOND_SHARED is first asked.
 */
#include "library.h"

#include <string.h>

/* What fans are found in: triangles by vertex, as pairs of edge ends. */
typedef struct fan_search {
    const pliant_shape_view *view;
    uint32_t *first; /* per vertex and one more: its entries in */
    uint32_t *edges; /* two numbers per entry: from where to where the triangle's far edge goes */
    uint32_t *fans, *rings;
} fan_search;

static bool is_proper(const uint32_t *t)
{
    return t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
}

/* Lists edges by the vertex that they lie opposite to. */
static void list_edges(fan_search *s)
{
    uint32_t vertices = s->view->vertex_count;
    const uint32_t *corners = s->view->triangles;
    memset(s->first, 0, ((size_t)vertices + 1) * sizeof *s->first);
    for (size_t i = 0; i < 3 * (size_t)s->view->triangle_count; i++) {
        s->first[corners[i] + 1]++;
    }
    for (uint32_t v = 0; v < vertices; v++) {
        s->first[v + 1] += s->first[v];
    }
    /* Filled from the end of each vertex's entries, which then are where they began. */
    for (size_t t = s->view->triangle_count; t-- > 0;) {
        const uint32_t *triangle = corners + 3 * t;
        for (size_t i = 0; i < 3; i++) {
            uint32_t *edge = s->edges + 2 * (size_t)--s->first[triangle[i] + 1];
            bool proper = is_proper(triangle);
            edge[0] = proper ? triangle[(i + 1) % 3] : UINT32_MAX;
            edge[1] = proper ? triangle[(i + 2) % 3] : UINT32_MAX;
        }
    }
    memmove(s->first, s->first + 1, vertices * sizeof *s->first);
    s->first[vertices] = 3 * s->view->triangle_count;
}

/* The edge that begins or ends at a vertex; `count` if there is none or more than one. */
static uint32_t find_edge(const uint32_t *edges, uint32_t count, int end, uint32_t vertex)
{
    uint32_t found = count;
    for (uint32_t i = 0; i < count; i++) {
        if (edges[2 * i + (uint32_t)end] == vertex) {
            if (found < count) {
                return count;
            }
            found = i;
        }
    }
    return found;
}

/* The ring round a vertex; returns its length, 0 where there is no fan. */
static uint32_t find_ring(const uint32_t *edges, uint32_t count, uint32_t *ring)
{
    if (count == 0 || count >= PLI_CUDA_RING) {
        return 0;
    }
    uint32_t start = 0, length = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (edges[2 * i] == UINT32_MAX) {
            return 0;
        }
        if (find_edge(edges, count, 1, edges[2 * i]) == count) {
            start = i; /* nothing ends where it begins: the first of an open fan */
        }
    }
    ring[length++] = edges[2 * start];
    for (uint32_t i = start; i < count && length <= count;) {
        ring[length++] = edges[2 * i + 1];
        i = edges[2 * i + 1] == ring[0] ? count : find_edge(edges, count, 0, edges[2 * i + 1]);
    }
    if (length != count + 1) {
        return 0;
    }
    /* No vertex twice but the first at the end, so that each triangle was met once. */
    for (uint32_t i = 1; i < length; i++) {
        for (uint32_t k = i == length - 1 ? 1 : 0; k < i; k++) {
            if (ring[k] == ring[i]) {
                return 0;
            }
        }
    }
    return length;
}

static void find_fans(fan_search *s)
{
    uint32_t total = 0;
    list_edges(s);
    for (uint32_t v = 0; v < s->view->vertex_count; v++) {
        s->fans[v] = total;
        total += find_ring(s->edges + 2 * (size_t)s->first[v], s->first[v + 1] - s->first[v],
                           s->rings + total);
    }
    s->fans[s->view->vertex_count] = total;
}

/* Copies fans and rings, and the shape that points to them. */
static pliant_result copy_fans(pliant_cuda *cuda, const fan_search *s, pli_cuda_upload *upload)
{
    size_t fans = (size_t)s->view->vertex_count + 1, rings = s->fans[s->view->vertex_count];
    pliant_result result =
        pli_cuda_replace(cuda, &upload->fans, pli_cuda_bytes(fans + rings, sizeof(uint32_t)));
    uint32_t *to = upload->fans.data;
    if (result == PLIANT_OK) {
        result = pli_cuda_upload_bytes(cuda, to, s->fans, fans * sizeof *to);
    }
    if (result == PLIANT_OK) {
        result = pli_cuda_upload_bytes(cuda, to + fans, s->rings, rings * sizeof *to);
    }
    pli_cuda_shape shape = upload->shape;
    shape.fans = to;
    shape.rings = to + fans;
    if (result == PLIANT_OK) {
        result = pli_cuda_upload_bytes(cuda, upload->self.data, &shape, sizeof shape);
    }
    if (result == PLIANT_OK) {
        upload->shape = shape;
    }
    return result;
}

pliant_result pli_cuda_upload_fans(pliant_cuda *cuda, pli_cuda_upload *upload)
{
    if (upload->shape.fans != NULL) {
        return PLIANT_OK;
    }
    const pliant_shape_view *view = &upload->view;
    uint64_t vertices = view->vertex_count, corners = 3 * (uint64_t)view->triangle_count;
    /* A ring has one entry more than its vertex has triangles. */
    uint64_t words = (vertices + 1) + 2 * corners + (vertices + 1) + (corners + vertices);
    if (corners + vertices > UINT32_MAX) {
        return pliant_fail(PLIANT_ERROR_TOO_LARGE, "the shape is too large for a device");
    }
    size_t size = pli_cuda_bytes(words, sizeof(uint32_t));
    uint32_t *memory = pliant_context_allocate(cuda->context, size);
    if (memory == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    fan_search s = {.view = view, .first = memory, .edges = memory + vertices + 1};
    s.fans = s.edges + 2 * corners;
    s.rings = s.fans + vertices + 1;
    find_fans(&s);
    pliant_result result = copy_fans(cuda, &s, upload);
    pliant_context_release(cuda->context, memory, size);
    return result;
}
