/* From an asset's meshes and poses to shapes and bodies: the one place that knows both. */
#include "asset.h"

pliant_result pliant_asset_get_shape_def(const pliant_asset *asset, uint32_t shape,
                                         pliant_shape_def *def)
{
    PLI_ASSET_REQUIRE(asset);
    PLI_ASSET_REQUIRE(def);
    const pliant_asset_mesh *mesh = pliant_asset_get_mesh(asset, shape);
    if (mesh == NULL) {
        return pli_asset_fail(PLIANT_ERROR_RANGE, "there is no shape %u; there are %zu", shape,
                              asset->mesh_count);
    }
    if (mesh->triangle_count == 0) {
        return pli_asset_fail(PLIANT_ERROR_DATA,
                              "'%s' has no triangles: it is a cache without its "
                              "mesh",
                              PLI_SHOW(mesh->name));
    }
    pliant_shape_def filled = pliant_shape_def_default();
    filled.positions = mesh->positions;
    filled.vertex_count = mesh->vertex_count;
    filled.triangles = mesh->triangles;
    filled.triangle_count = mesh->triangle_count;
    filled.groups = mesh->groups;
    filled.modes = mesh->modes;
    filled.mode_count = mesh->mode_count;
    filled.joint_count = mesh->joint_count;
    filled.influence_offsets = mesh->influence_offsets;
    filled.influence_joints = mesh->influence_joints;
    filled.influence_weights = mesh->influence_weights;
    filled.error = mesh->error;
    filled.normalise_weights = false; /* the asset has done so, if it was asked to */
    *def = filled;
    return PLIANT_OK;
}

pliant_result pliant_asset_pose_apply(const pliant_asset_pose *pose, uint32_t body,
                                      pliant_body *target)
{
    PLI_ASSET_REQUIRE(pose);
    PLI_ASSET_REQUIRE(target);
    const pliant_asset *asset = pli_pose_asset(pose);
    const pliant_asset_body *described = pliant_asset_get_body(asset, body);
    if (described == NULL) {
        return pli_asset_fail(PLIANT_ERROR_RANGE, "there is no body %u; there are %zu", body,
                              asset->body_count);
    }
    pliant_asset_state state = pliant_asset_pose_get_state(pose, body);
    if (state.hidden) {
        return pli_asset_fail(PLIANT_ERROR_RANGE,
                              "body '%s' is hidden: every transform of it is singular",
                              PLI_SHOW(described->name));
    }
    const pliant_state given = {.positions = state.positions,
                                .coordinates = state.coordinates,
                                .coordinate_count = state.coordinate_count,
                                .transforms = state.transforms,
                                .transform_count = state.transform_count};
    return pliant_body_set_state(target, &given);
}
