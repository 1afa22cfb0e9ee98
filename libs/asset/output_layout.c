/* Where everything is in a GLB file of bodies: tracks of joints, accessors with data, and nodes. */
#include "output.h"

bool pli_output_has_track(const pliant_asset_output *body, uint32_t track)
{
    return body->joint_count > 0 && (track == PLI_TRACK_SCALE   ? body->scales != NULL
                                     : track == PLI_TRACK_INNER ? body->inner_rotations != NULL
                                                                : true);
}

uint32_t pli_output_track_count(const pliant_asset_output *body)
{
    uint32_t count = 0;
    for (uint32_t track = 0; track < PLI_TRACKS; track++) {
        count += pli_output_has_track(body, track) ? 1 : 0;
    }
    return count;
}

uint32_t pli_output_track(const pliant_asset_output *body, uint32_t at)
{
    uint32_t track = 0;
    for (;; track++) {
        if (pli_output_has_track(body, track) && at-- == 0) {
            return track;
        }
    }
}

const float *pli_output_track_data(const pliant_asset_output *body, uint32_t track)
{
    const float *const data[PLI_TRACKS] = {body->translations, body->rotations, body->scales,
                                           body->inner_rotations};
    return data[track];
}

uint32_t pli_output_track_width(uint32_t track)
{
    return track == PLI_TRACK_ROTATION || track == PLI_TRACK_INNER ? 4 : 3;
}

uint32_t pli_output_coordinates_at(const pliant_asset_output *body)
{
    return 2 + body->mode_count;
}

uint32_t pli_output_influences_at(const pliant_asset_output *body)
{
    return pli_output_coordinates_at(body) + (body->mode_count > 0 ? 1 : 0);
}

uint32_t pli_output_tracks_at(const pliant_asset_output *body)
{
    return pli_output_influences_at(body) + 2 * body->influence_sets;
}

static uint32_t accessors_of(const pliant_asset_output *body)
{
    return pli_output_tracks_at(body) + body->joint_count * pli_output_track_count(body);
}

uint32_t pli_output_first_accessor(const pli_output *file, uint32_t body)
{
    uint32_t first = 1;
    for (uint32_t i = 0; i < body; i++) {
        first += accessors_of(&file->bodies[i]);
    }
    return first;
}

uint32_t pli_output_joint_nodes(const pliant_asset_output *body)
{
    return body->inner_rotations != NULL ? 2 : 1;
}

bool pli_output_has_skin(const pliant_asset_output *body)
{
    return body->joint_count > 0 && body->influence_sets > 0;
}

static uint32_t nodes_of(const pliant_asset_output *body)
{
    return pli_output_has_skin(body) ? 2 + body->joint_count * pli_output_joint_nodes(body)
           : body->joint_count > 0   ? pli_output_joint_nodes(body)
                                     : 1;
}

uint32_t pli_output_first_node(const pli_output *file, uint32_t body)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < body; i++) {
        first += nodes_of(&file->bodies[i]);
    }
    return first;
}

uint32_t pli_output_joint_node(const pli_output *file, uint32_t body, uint32_t joint)
{
    const pliant_asset_output *out = &file->bodies[body];
    return pli_output_first_node(file, body) +
           (pli_output_has_skin(out) ? 2 + joint * pli_output_joint_nodes(out) : 0);
}

static void describe_track(const pli_output *file, const pliant_asset_output *out, uint32_t at,
                           pli_glb_accessor *accessor)
{
    uint32_t count = pli_output_track_count(out);
    uint32_t joint = at / count, track = pli_output_track(out, at % count);
    uint32_t width = pli_output_track_width(track);
    *accessor = (pli_glb_accessor){.use = PLI_GLB_KEYS,
                                   .data = pli_output_track_data(out, track) +
                                           (size_t)joint * file->frame_count * width,
                                   .count = file->frame_count,
                                   .components = width};
}

static void describe_influences(const pliant_asset_output *out, uint32_t at,
                                pli_glb_accessor *accessor)
{
    size_t offset = (size_t)(at / 2) * out->vertex_count * 4;
    bool is_joints = at % 2 == 0;
    *accessor = (pli_glb_accessor){.use = is_joints ? PLI_GLB_JOINTS : PLI_GLB_VERTICES,
                                   .data = is_joints ? (const void *)(out->joints + offset)
                                                     : (const void *)(out->weights + offset),
                                   .count = out->vertex_count,
                                   .components = 4};
}

void pli_output_describe(void *user, uint32_t index, pli_glb_accessor *accessor)
{
    const pli_output *file = user;
    if (index == 0) {
        *accessor = (pli_glb_accessor){.use = PLI_GLB_KEYS,
                                       .rate = file->rate,
                                       .count = file->frame_count,
                                       .components = 1,
                                       .bounds = true};
        return;
    }
    uint32_t body = 0, at = index - 1;
    while (at >= accessors_of(&file->bodies[body])) {
        at -= accessors_of(&file->bodies[body++]);
    }
    const pliant_asset_output *out = &file->bodies[body];
    if (at == 1) {
        *accessor = (pli_glb_accessor){.use = PLI_GLB_INDICES,
                                       .data = out->triangles,
                                       .count = (uint64_t)3 * out->triangle_count,
                                       .components = 1};
    } else if (at < pli_output_coordinates_at(out)) {
        const float *field =
            at == 0 ? out->positions : out->modes + (size_t)3 * out->vertex_count * (at - 2);
        *accessor = (pli_glb_accessor){.use = PLI_GLB_VERTICES,
                                       .data = field,
                                       .count = out->vertex_count,
                                       .components = 3,
                                       .bounds = true};
    } else if (at < pli_output_influences_at(out)) {
        *accessor = (pli_glb_accessor){.use = PLI_GLB_KEYS,
                                       .data = out->coordinates,
                                       .count = (uint64_t)file->frame_count * out->mode_count,
                                       .components = 1};
    } else if (at < pli_output_tracks_at(out)) {
        describe_influences(out, at - pli_output_influences_at(out), accessor);
    } else {
        describe_track(file, out, at - pli_output_tracks_at(out), accessor);
    }
}
