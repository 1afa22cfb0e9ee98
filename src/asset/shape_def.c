/* From an asset's mesh to the definition of a shape: the one place that knows both. */
#include "asset.h"

pliant_result pliant_asset_shape(const pliant_asset *asset, uint32_t shape, pliant_shape_def *def)
{
    PLI_REQUIRE(asset);
    PLI_REQUIRE(def);
    const pliant_asset_mesh *mesh = pliant_asset_get_mesh(asset, shape);
    if (mesh == NULL) {
        return pli_fail(PLIANT_ERROR_RANGE, "there is no shape %u; there are %zu", shape,
                        asset->mesh_count);
    }
    if (mesh->triangle_count == 0) {
        return pli_fail(PLIANT_ERROR_DATA,
                        "'%.150s' has no triangles: it is a cache without its "
                        "mesh",
                        mesh->name);
    }
    pliant_shape_def filled = pliant_shape_default();
    filled.positions = mesh->positions;
    filled.vertex_count = mesh->vertex_count;
    filled.triangles = mesh->triangles;
    filled.triangle_count = mesh->triangle_count;
    filled.groups = mesh->groups;
    *def = filled;
    return PLIANT_OK;
}
