#include "mesh.h"

#include "base/checked.h"

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
        result = pli_mesh_weld(mesh, def->weld);
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
