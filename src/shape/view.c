/* A shape's arrays, shown to libraries that take them elsewhere (pliant/view.h). */
#include "pliant/view.h"

#include "base/error.h"
#include "shape/shape.h"

static pliant_result check_viewed(const pliant_shape *shape, const char *call)
{
    if (shape->tearing != NULL) {
        return pli_fail(PLIANT_ERROR_STATE, "%s: the shape of a torn body changes with it", call);
    }
    return PLIANT_OK;
}

pliant_result pliant_shape_get_view(const pliant_shape *shape, pliant_shape_view *view)
{
    PLI_REQUIRE(shape);
    PLI_REQUIRE(view);
    pliant_result result = check_viewed(shape, __func__);
    if (result == PLIANT_OK) {
        *view = (pliant_shape_view){
            .vertex_count = shape->vertex_count,
            .triangle_count = shape->triangle_count,
            .cluster_count = shape->cluster_count,
            .mode_count = shape->block->model.mode_count,
            .joint_count = shape->block->model.joint_count,
            .has_influences = shape->block->model.has_influences != 0,
            .positions = shape->positions,
            .triangles = shape->triangles,
            .groups = shape->groups,
            .welded = shape->welded,
        };
    }
    return result;
}

/* What the vertices of a cluster are evaluated from. */
static void view_skin_block(const pliant_shape *shape, uint32_t index, pliant_shape_cluster *view)
{
    const pli_skin_block *block = &shape->skin_blocks[index];
    size_t stride = view->stride;
    view->mode_count = block->mode_count;
    view->joint_count = block->joint_count;
    view->rest = shape->skin_block_values + block->first_value;
    if (block->mode_count > 0) {
        view->modes = shape->skin_block_modes + block->first_mode;
        view->fields = view->rest + 3 * stride;
    }
    if (block->joint_count > 0) {
        view->joints = shape->skin_block_joints + block->first_joint;
        view->weights = view->rest + 3 * (1 + (size_t)block->mode_count) * stride;
    }
}

pliant_result pliant_shape_get_cluster(const pliant_shape *shape, uint32_t cluster,
                                       pliant_shape_cluster *view)
{
    PLI_REQUIRE(shape);
    PLI_REQUIRE(view);
    pliant_result result = check_viewed(shape, __func__);
    if (result != PLIANT_OK) {
        return result;
    }
    if (cluster >= shape->cluster_count) {
        return pli_fail(PLIANT_ERROR_RANGE, "cluster %u of %u", cluster, shape->cluster_count);
    }
    const pli_cluster *of = &shape->clusters[cluster];
    *view = (pliant_shape_cluster){
        .live = of->live,
        .vertices = shape->cluster_vertices + of->first_vertex,
        .triangles = shape->slot_triangles + of->first_slot,
        .corners = shape->slot_corners + 3 * (size_t)of->first_slot,
        .vertex_count = of->vertex_count,
        .slot_count = of->slot_count,
        .stride = pli_padded_count(of->vertex_count),
    };
    if (shape->skin_blocks != NULL) {
        view_skin_block(shape, cluster, view);
    }
    return PLIANT_OK;
}
