/* What a torn shape is like as a whole: found when it is asked for, since edits only look around.
 */
#include "tearing.h"

#include "mesh/mesh.h"

#include <string.h>

/* The facts about the mesh that edits do not keep. */
static pliant_result measure_mesh(const pliant_shape *shape, pliant_shape_quality *quality)
{
    pli_tearing *t = shape->tearing;
    pli_mesh mesh = {.context = shape->context,
                     .vertex_count = shape->vertex_count,
                     .triangle_count = shape->triangle_count,
                     .removed_count = shape->triangle_count - t->live_count,
                     .positions = t->positions.data,
                     .triangles = t->triangles.data,
                     .welded = t->welded.data};
    pliant_result result = pli_mesh_connect(&mesh);
    quality->component_count = mesh.facts.component_count;
    quality->degenerate_triangle_count = mesh.facts.degenerate_triangle_count;
    quality->duplicate_triangle_count = mesh.facts.duplicate_triangle_count;
    mesh.positions = NULL; /* they stay the shape's */
    mesh.triangles = mesh.welded = NULL;
    pli_mesh_release(&mesh);
    return result;
}

static uint32_t count_order(const pliant_shape *shape, uint8_t *seen, uint32_t *order)
{
    uint32_t count = 0;
    memset(seen, 0, shape->vertex_count);
    for (uint32_t c = 0; c < shape->cluster_count; c++) {
        const pli_cluster *cluster = &shape->clusters[c];
        uint32_t listed = cluster->triangle_count > 0 ? cluster->vertex_count : 0;
        for (uint32_t i = 0; i < listed; i++) {
            uint32_t v = shape->cluster_vertices[cluster->first_vertex + i];
            if (!seen[v] && order != NULL) {
                order[count] = v;
            }
            count += !seen[v];
            seen[v] = 1;
        }
    }
    return count;
}

pliant_result pli_tearing_order_vertices(const pliant_shape *shape, uint32_t *order)
{
    uint8_t *seen = pli_allocate(shape->context, shape->vertex_count);
    if (seen == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    uint32_t count = count_order(shape, seen, order);
    for (uint32_t v = 0; v < shape->vertex_count; v++) {
        if (!seen[v]) {
            order[count++] = v; /* used by no triangle: behind all others */
        }
    }
    pli_release(shape->context, seen, shape->vertex_count);
    return PLIANT_OK;
}

pliant_result pli_tearing_measure(const pliant_shape *shape, pliant_shape_quality *quality)
{
    pliant_shape_quality found = shape->block->quality;
    uint8_t *seen = pli_allocate(shape->context, shape->vertex_count);
    pliant_result result = seen != NULL ? measure_mesh(shape, &found) : PLIANT_ERROR_OUT_OF_MEMORY;
    if (result == PLIANT_OK) {
        uint32_t used = count_order(shape, seen, NULL), clusters = 0;
        uint64_t listed = 0;
        for (uint32_t c = 0; c < shape->cluster_count; c++) {
            bool there = shape->clusters[c].triangle_count > 0;
            clusters += there;
            listed += there ? shape->clusters[c].vertex_count : 0;
        }
        pli_shape_measure_tree(shape, &found);
        found.cluster_count = clusters;
        found.unused_vertex_count = shape->vertex_count - used;
        found.cluster_fill = (double)shape->tearing->live_count / (double)clusters /
                             (shape->block->arity * shape->block->leaf_size);
        found.boundary_share = (double)(listed - used) / (double)used;
        *quality = found;
    }
    pli_release(shape->context, seen, shape->vertex_count);
    return result;
}
