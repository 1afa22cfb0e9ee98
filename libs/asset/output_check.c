/* Checks what is to be written: everything that is needed is there, in range and finite. */
#include "output.h"

#include <math.h>

static pliant_result check_numbers(const float *numbers, uint64_t count, const char *name,
                                   const char *what)
{
    for (uint64_t i = 0; i < count; i++) {
        if (!isfinite(numbers[i])) {
            return pli_asset_fail(PLIANT_ERROR_NOT_FINITE,
                                  "'%s': number %llu of its %s is not finite", PLI_SHOW(name),
                                  (unsigned long long)i, what);
        }
    }
    return PLIANT_OK;
}

static pliant_result check_joints(const pliant_asset_output *body, uint32_t frame_count)
{
    PLI_ASSET_REQUIRE(body->translations);
    PLI_ASSET_REQUIRE(body->rotations);
    if (body->influence_sets == 0 && body->joint_count > 1) {
        return pli_asset_fail(PLIANT_ERROR_ARGUMENT, "'%s' has %u joints and no influences",
                              PLI_SHOW(body->name), body->joint_count);
    }
    uint64_t slots = (uint64_t)4 * body->vertex_count * body->influence_sets;
    if (slots > 0) {
        PLI_ASSET_REQUIRE(body->joints);
        PLI_ASSET_REQUIRE(body->weights);
    }
    for (uint64_t i = 0; i < slots; i++) {
        if (body->joints[i] >= body->joint_count) {
            return pli_asset_fail(PLIANT_ERROR_RANGE, "'%s': influence %llu uses joint %u of %u",
                                  PLI_SHOW(body->name), (unsigned long long)i, body->joints[i],
                                  body->joint_count);
        }
    }
    pliant_result result = check_numbers(body->weights, slots, body->name, "weights");
    for (uint32_t track = 0; track < PLI_TRACKS && result == PLIANT_OK; track++) {
        if (pli_output_has_track(body, track)) {
            result = check_numbers(pli_output_track_data(body, track),
                                   (uint64_t)frame_count * body->joint_count *
                                       pli_output_track_width(track),
                                   body->name, "joints' places");
        }
    }
    return result;
}

pliant_result pli_output_check(const pliant_asset_output *body, uint32_t frame_count)
{
    PLI_ASSET_REQUIRE(body->name);
    PLI_ASSET_REQUIRE(body->positions);
    PLI_ASSET_REQUIRE(body->triangles);
    if (!(body->error >= 0.0f && isfinite(body->error))) {
        return pli_asset_fail(PLIANT_ERROR_RANGE, "'%s': its error is %g", PLI_SHOW(body->name),
                              (double)body->error);
    }
    if (body->vertex_count == 0 || body->triangle_count == 0) {
        return pli_asset_fail(PLIANT_ERROR_RANGE, "'%s' has no vertices or no triangles",
                              PLI_SHOW(body->name));
    }
    for (uint64_t i = 0; i < (uint64_t)3 * body->triangle_count; i++) {
        if (body->triangles[i] >= body->vertex_count) {
            return pli_asset_fail(PLIANT_ERROR_RANGE, "'%s': triangle %llu uses vertex %u of %u",
                                  PLI_SHOW(body->name), (unsigned long long)(i / 3),
                                  body->triangles[i], body->vertex_count);
        }
    }
    uint64_t field = (uint64_t)3 * body->vertex_count;
    pliant_result result = check_numbers(body->positions, field, body->name, "positions");
    if (result == PLIANT_OK && body->joint_count > 0) {
        result = check_joints(body, frame_count);
    }
    if (result != PLIANT_OK || body->mode_count == 0) {
        return result;
    }
    PLI_ASSET_REQUIRE(body->modes);
    PLI_ASSET_REQUIRE(body->coordinates);
    result = check_numbers(body->modes, field * body->mode_count, body->name, "modes");
    return result == PLIANT_OK
               ? check_numbers(body->coordinates, (uint64_t)frame_count * body->mode_count,
                               body->name, "coordinates")
               : result;
}
