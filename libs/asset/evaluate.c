/* The vertices of a body in a pose. The order of operations is part of what they are
   (docs/definition.md, D1). */
#include "asset.h"

#include <string.h>

static void transform_point(const float *map, const float y[3], float x[3])
{
    for (int row = 0; row < 3; row++) {
        const float *r = map + 4 * row;
        x[row] = ((r[0] * y[0] + r[1] * y[1]) + r[2] * y[2]) + r[3];
    }
}

static void blend(const pliant_asset_mesh *mesh, const float *transforms, size_t vertex,
                  const float y[3], float x[3])
{
    float sum[3] = {0};
    for (uint32_t i = mesh->influence_offsets[vertex]; i < mesh->influence_offsets[vertex + 1];
         i++) {
        float moved[3];
        transform_point(transforms + 12 * (size_t)mesh->influence_joints[i], y, moved);
        for (int k = 0; k < 3; k++) {
            sum[k] += mesh->influence_weights[i] * moved[k];
        }
    }
    memcpy(x, sum, sizeof sum);
}

static PLIANT_NOINLINE void evaluate(const pliant_asset_mesh *mesh, const pliant_asset_state *state,
                                     float *positions)
{
    size_t field = 3 * (size_t)mesh->vertex_count;
    memcpy(positions, mesh->positions, field * sizeof *positions);
    for (size_t m = 0; m < mesh->mode_count; m++) {
        for (size_t i = 0; i < field; i++) {
            positions[i] += state->coordinates[m] * mesh->modes[m * field + i];
        }
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        float y[3];
        memcpy(y, positions + 3 * v, sizeof y);
        if (mesh->influence_offsets != NULL) {
            blend(mesh, state->transforms, v, y, positions + 3 * v);
        } else {
            transform_point(state->transforms, y, positions + 3 * v);
        }
    }
}

pliant_result pliant_asset_pose_evaluate(const pliant_asset_pose *pose, uint32_t body,
                                         float *positions)
{
    PLI_ASSET_REQUIRE(pose);
    PLI_ASSET_REQUIRE(positions);
    pliant_asset_state state = pliant_asset_pose_get_state(pose, body);
    const pliant_asset *asset = pli_pose_asset(pose);
    const pliant_asset_body *described = pliant_asset_get_body(asset, body);
    if (described == NULL) {
        return pli_asset_fail(PLIANT_ERROR_RANGE, "there is no body %u; there are %zu", body,
                              asset->body_count);
    }
    const pliant_asset_mesh *mesh = pliant_asset_get_mesh(asset, described->shape);
    if (state.positions != NULL) {
        memcpy(positions, state.positions, 3 * (size_t)mesh->vertex_count * sizeof *positions);
        return PLIANT_OK;
    }
    pliant_float_env saved;
    pliant_float_env_enter(&saved);
    evaluate(mesh, &state, positions);
    pliant_float_env_leave(&saved);
    return PLIANT_OK;
}
