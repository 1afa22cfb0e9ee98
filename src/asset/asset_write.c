/* Bodies with modes as a GLB file: morph targets and one animation of their weights. */
#include "asset.h"
#include "gltf_write.h"

#include <math.h>

typedef struct written {
    const pliant_asset_output *bodies;
    uint32_t body_count, frame_count;
    double rate;
} written;

/* Accessors: the times of keys, then each body's positions, triangles, modes and weights. */
static uint32_t accessors_of(const written *file, uint32_t body)
{
    uint32_t modes = file->bodies[body].mode_count;
    return 2 + modes + (modes > 0 ? 1 : 0);
}

static uint32_t first_accessor(const written *file, uint32_t body)
{
    uint32_t first = 1;
    for (uint32_t i = 0; i < body; i++) {
        first += accessors_of(file, i);
    }
    return first;
}

static void describe(void *user, uint32_t index, pli_glb_accessor *accessor)
{
    const written *file = user;
    if (index == 0) {
        *accessor = (pli_glb_accessor){.use = PLI_GLB_KEYS,
                                       .rate = file->rate,
                                       .count = file->frame_count,
                                       .components = 1,
                                       .bounds = true};
        return;
    }
    uint32_t body = 0, at = index - 1;
    while (at >= accessors_of(file, body)) {
        at -= accessors_of(file, body++);
    }
    const pliant_asset_output *out = &file->bodies[body];
    if (at == 1) {
        *accessor = (pli_glb_accessor){.use = PLI_GLB_INDICES,
                                       .data = out->triangles,
                                       .count = (uint64_t)3 * out->triangle_count,
                                       .components = 1};
    } else if (at == 2 + out->mode_count) {
        *accessor = (pli_glb_accessor){.use = PLI_GLB_KEYS,
                                       .data = out->coordinates,
                                       .count = (uint64_t)file->frame_count * out->mode_count,
                                       .components = 1};
    } else {
        const float *field =
            at == 0 ? out->positions : out->modes + (size_t)3 * out->vertex_count * (at - 2);
        *accessor = (pli_glb_accessor){.use = PLI_GLB_VERTICES,
                                       .data = field,
                                       .count = out->vertex_count,
                                       .components = 3,
                                       .bounds = true};
    }
}

static void write_mesh(pli_sink *sink, const written *file, uint32_t body)
{
    const pliant_asset_output *out = &file->bodies[body];
    uint32_t first = first_accessor(file, body);
    pli_sink_text(sink, "%s{\"name\":", body > 0 ? "," : "");
    pli_sink_string(sink, out->name);
    pli_sink_text(sink, ",\"primitives\":[{\"attributes\":{\"POSITION\":%u},\"indices\":%u", first,
                  first + 1);
    for (uint32_t m = 0; m < out->mode_count; m++) {
        pli_sink_text(sink, "%s{\"POSITION\":%u}", m == 0 ? ",\"targets\":[" : ",", first + 2 + m);
    }
    pli_sink_text(sink, "%s}]", out->mode_count > 0 ? "]" : "");
    for (uint32_t m = 0; m < out->mode_count; m++) {
        pli_sink_text(sink, "%s0", m == 0 ? ",\"weights\":[" : ",");
    }
    pli_sink_text(sink, "%s", out->mode_count > 0 ? "]" : "");
    if (out->error > 0.0f) {
        pli_sink_text(sink, ",\"extras\":{\"pliantError\":%.9g}", (double)out->error);
    }
    pli_sink_text(sink, "}");
}

static void write_animation(pli_sink *sink, const written *file)
{
    uint32_t channels = 0;
    for (uint32_t body = 0; body < file->body_count; body++) {
        if (file->bodies[body].mode_count > 0) {
            pli_sink_text(sink, "%s{\"sampler\":%u,\"target\":{\"node\":%u,\"path\":\"weights\"}}",
                          channels == 0 ? ",\"animations\":[{\"name\":\"frames\",\"channels\":["
                                        : ",",
                          channels, body);
            channels++;
        }
    }
    uint32_t samplers = 0;
    for (uint32_t body = 0; channels > 0 && body < file->body_count; body++) {
        uint32_t modes = file->bodies[body].mode_count;
        if (modes > 0) {
            pli_sink_text(sink, "%s{\"input\":0,\"output\":%u}",
                          samplers == 0 ? "],\"samplers\":[" : ",",
                          first_accessor(file, body) + 2 + modes);
            samplers++;
        }
    }
    pli_sink_text(sink, "%s", channels > 0 ? "]}]" : "");
}

static void write_members(void *user, pli_sink *sink)
{
    const written *file = user;
    pli_sink_text(sink, ",\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (uint32_t i = 0; i < file->body_count; i++) {
        pli_sink_text(sink, "%s%u", i > 0 ? "," : "", i);
    }
    pli_sink_text(sink, "]}],\"nodes\":[");
    for (uint32_t i = 0; i < file->body_count; i++) {
        pli_sink_text(sink, "%s{\"mesh\":%u,\"name\":", i > 0 ? "," : "", i);
        pli_sink_string(sink, file->bodies[i].name);
        pli_sink_text(sink, "}");
    }
    pli_sink_text(sink, "],\"meshes\":[");
    for (uint32_t i = 0; i < file->body_count; i++) {
        write_mesh(sink, file, i);
    }
    pli_sink_text(sink, "]");
    write_animation(sink, file);
}

static pliant_result check_numbers(const float *numbers, uint64_t count, const char *name,
                                   const char *what)
{
    for (uint64_t i = 0; i < count; i++) {
        if (!isfinite(numbers[i])) {
            return pli_fail(PLIANT_ERROR_NOT_FINITE,
                            "'%.100s': number %llu of its %s is not finite", name,
                            (unsigned long long)i, what);
        }
    }
    return PLIANT_OK;
}

static pliant_result check_body(const pliant_asset_output *body, uint32_t frame_count)
{
    PLI_REQUIRE(body->name);
    PLI_REQUIRE(body->positions);
    PLI_REQUIRE(body->triangles);
    if (!(body->error >= 0.0f && isfinite(body->error))) {
        return pli_fail(PLIANT_ERROR_RANGE, "'%.100s': its error is %g", body->name,
                        (double)body->error);
    }
    if (body->vertex_count == 0 || body->triangle_count == 0) {
        return pli_fail(PLIANT_ERROR_RANGE, "'%.100s' has no vertices or no triangles", body->name);
    }
    for (uint64_t i = 0; i < (uint64_t)3 * body->triangle_count; i++) {
        if (body->triangles[i] >= body->vertex_count) {
            return pli_fail(PLIANT_ERROR_RANGE, "'%.100s': triangle %llu uses vertex %u of %u",
                            body->name, (unsigned long long)(i / 3), body->triangles[i],
                            body->vertex_count);
        }
    }
    uint64_t field = (uint64_t)3 * body->vertex_count;
    pliant_result result = check_numbers(body->positions, field, body->name, "positions");
    if (result != PLIANT_OK || body->mode_count == 0) {
        return result;
    }
    PLI_REQUIRE(body->modes);
    PLI_REQUIRE(body->coordinates);
    result = check_numbers(body->modes, field * body->mode_count, body->name, "modes");
    return result == PLIANT_OK
               ? check_numbers(body->coordinates, (uint64_t)frame_count * body->mode_count,
                               body->name, "coordinates")
               : result;
}

pliant_result pliant_asset_write(const pliant_asset_output *bodies, uint32_t body_count,
                                 uint32_t frame_count, double frames_per_second, void *buffer,
                                 uint64_t capacity, uint64_t *size)
{
    PLI_REQUIRE(bodies);
    PLI_REQUIRE(size);
    if (body_count == 0 || frame_count == 0) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "%s: no bodies or no frames", __func__);
    }
    if (!(frames_per_second > 0.0 && frames_per_second <= 1e6)) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "frames_per_second is %g; it must be above 0, up to 1e6",
                        frames_per_second);
    }
    for (uint32_t i = 0; i < body_count; i++) {
        pliant_result result = check_body(&bodies[i], frame_count);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    written file = {bodies, body_count, frame_count, frames_per_second};
    pli_glb glb = {.accessor_count = first_accessor(&file, body_count),
                   .describe = describe,
                   .members = write_members,
                   .user = &file};
    return pli_glb_write(&glb, buffer, capacity, size);
}
