/* Bodies with modes and joints as a GLB file: morph targets, skins and one animation of both. */
#include "output.h"

static void write_mesh(pli_sink *sink, const pli_output *file, uint32_t body)
{
    const pliant_asset_output *out = &file->bodies[body];
    uint32_t first = pli_output_first_accessor(file, body);
    pli_sink_text(sink, "%s{\"name\":", body > 0 ? "," : "");
    pli_sink_string(sink, out->name);
    pli_sink_text(sink, ",\"primitives\":[{\"attributes\":{\"POSITION\":%u", first);
    for (uint32_t set = 0; set < out->influence_sets; set++) {
        uint32_t at = first + pli_output_influences_at(out) + 2 * set;
        pli_sink_text(sink, ",\"JOINTS_%u\":%u,\"WEIGHTS_%u\":%u", set, at, set, at + 1);
    }
    pli_sink_text(sink, "},\"indices\":%u", first + 1);
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

static void write_numbers(pli_sink *sink, const char *name, const float *numbers, uint32_t count)
{
    pli_sink_text(sink, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        pli_sink_text(sink, "%s%.9g", i > 0 ? "," : "", (double)numbers[i]);
    }
    pli_sink_text(sink, "]");
}

/* Where a joint is in the first frame. */
static void write_place(pli_sink *sink, const pli_output *file, const pliant_asset_output *out,
                        uint32_t joint, bool is_inner)
{
    static const char *const names[PLI_TRACKS] = {"translation", "rotation", "scale", "rotation"};
    for (uint32_t track = 0; track < PLI_TRACKS; track++) {
        if (pli_output_has_track(out, track) && (track == PLI_TRACK_INNER) == is_inner) {
            uint32_t width = pli_output_track_width(track);
            write_numbers(sink, names[track],
                          pli_output_track_data(out, track) +
                              (size_t)joint * file->frame_count * width,
                          width);
        }
    }
}

static void write_name(pli_sink *sink, const char *before, const char *name, const char *after)
{
    pli_sink_text(sink, "%s\"name\":", before);
    pli_sink_string(sink, name);
    pli_sink_text(sink, "%s", after);
}

/* A body that a single joint moves whole: the mesh hangs on the innermost node. */
static void write_rigid(pli_sink *sink, const pli_output *file, uint32_t body)
{
    const pliant_asset_output *out = &file->bodies[body];
    write_name(sink, "{", out->name, "");
    if (out->joint_count > 0) {
        write_place(sink, file, out, 0, false);
    }
    if (out->joint_count > 0 && out->inner_rotations != NULL) {
        pli_sink_text(sink, ",\"children\":[%u]},{\"mesh\":%u",
                      pli_output_first_node(file, body) + 1, body);
        write_place(sink, file, out, 0, true);
    } else {
        pli_sink_text(sink, ",\"mesh\":%u", body);
    }
    pli_sink_text(sink, "}");
}

static void write_skinned(pli_sink *sink, const pli_output *file, uint32_t body)
{
    const pliant_asset_output *out = &file->bodies[body];
    uint32_t skin = 0;
    for (uint32_t i = 0; i < body; i++) {
        skin += pli_output_has_skin(&file->bodies[i]) ? 1 : 0;
    }
    write_name(sink, "{", out->name, "");
    pli_sink_text(sink, ",\"mesh\":%u,\"skin\":%u},", body, skin);
    write_name(sink, "{", out->name, ",\"children\":[");
    for (uint32_t joint = 0; joint < out->joint_count; joint++) {
        pli_sink_text(sink, "%s%u", joint > 0 ? "," : "", pli_output_joint_node(file, body, joint));
    }
    pli_sink_text(sink, "]}");
    for (uint32_t joint = 0; joint < out->joint_count; joint++) {
        pli_sink_text(sink, ",{\"name\":\"joint %u\"", joint);
        write_place(sink, file, out, joint, false);
        if (out->inner_rotations != NULL) {
            pli_sink_text(sink, ",\"children\":[%u]},{\"name\":\"joint %u inner\"",
                          pli_output_joint_node(file, body, joint) + 1, joint);
            write_place(sink, file, out, joint, true);
        }
        pli_sink_text(sink, "}");
    }
}

static void write_skins(pli_sink *sink, const pli_output *file)
{
    uint32_t skins = 0;
    for (uint32_t body = 0; body < file->body_count; body++) {
        const pliant_asset_output *out = &file->bodies[body];
        if (!pli_output_has_skin(out)) {
            continue;
        }
        pli_sink_text(sink, "%s{\"joints\":[", skins == 0 ? ",\"skins\":[" : ",");
        for (uint32_t joint = 0; joint < out->joint_count; joint++) {
            pli_sink_text(sink, "%s%u", joint > 0 ? "," : "",
                          pli_output_joint_node(file, body, joint) + pli_output_joint_nodes(out) -
                              1);
        }
        pli_sink_text(sink, "]}");
        skins++;
    }
    pli_sink_text(sink, "%s", skins > 0 ? "]" : "");
}

/* One channel with its sampler, of the same number. */
typedef struct channel {
    uint32_t node, output;
    const char *path;
} channel;

/* Calls `visit` for every channel; returns how many there are. */
static uint32_t each_channel(pli_sink *sink, const pli_output *file,
                             void (*visit)(pli_sink *sink, uint32_t number, const channel *made))
{
    static const char *const paths[PLI_TRACKS] = {"translation", "rotation", "scale", "rotation"};
    uint32_t number = 0;
    for (uint32_t body = 0; body < file->body_count; body++) {
        const pliant_asset_output *out = &file->bodies[body];
        uint32_t output = pli_output_first_accessor(file, body),
                 node = pli_output_first_node(file, body);
        if (out->mode_count > 0) {
            bool is_child =
                !pli_output_has_skin(out) && out->joint_count > 0 && out->inner_rotations != NULL;
            channel made = {node + (is_child ? 1 : 0), output + pli_output_coordinates_at(out),
                            "weights"};
            visit(sink, number++, &made);
        }
        output += pli_output_tracks_at(out);
        for (uint32_t joint = 0; joint < out->joint_count; joint++) {
            for (uint32_t i = 0; i < pli_output_track_count(out); i++) {
                uint32_t track = pli_output_track(out, i);
                channel made = {pli_output_joint_node(file, body, joint) +
                                    (track == PLI_TRACK_INNER ? 1 : 0),
                                output++, paths[track]};
                visit(sink, number++, &made);
            }
        }
    }
    return number;
}

static void count_channel(pli_sink *sink, uint32_t number, const channel *made)
{
    (void)sink, (void)number, (void)made;
}

static void write_channel(pli_sink *sink, uint32_t number, const channel *made)
{
    pli_sink_text(sink, "%s{\"sampler\":%u,\"target\":{\"node\":%u,\"path\":\"%s\"}}",
                  number > 0 ? "," : "", number, made->node, made->path);
}

static void write_sampler(pli_sink *sink, uint32_t number, const channel *made)
{
    pli_sink_text(sink, "%s{\"input\":0,\"output\":%u}", number > 0 ? "," : "", made->output);
}

static void write_animation(pli_sink *sink, const pli_output *file)
{
    if (each_channel(sink, file, count_channel) == 0) {
        return;
    }
    pli_sink_text(sink, ",\"animations\":[{\"name\":\"frames\",\"channels\":[");
    each_channel(sink, file, write_channel);
    pli_sink_text(sink, "],\"samplers\":[");
    each_channel(sink, file, write_sampler);
    pli_sink_text(sink, "]}]");
}

static void write_members(void *user, pli_sink *sink)
{
    const pli_output *file = user;
    pli_sink_text(sink, ",\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (uint32_t i = 0; i < file->body_count; i++) {
        uint32_t node = pli_output_first_node(file, i);
        pli_sink_text(sink, "%s%u", i > 0 ? "," : "", node);
        if (pli_output_has_skin(&file->bodies[i])) {
            pli_sink_text(sink, ",%u", node + 1);
        }
    }
    pli_sink_text(sink, "]}],\"nodes\":[");
    for (uint32_t i = 0; i < file->body_count; i++) {
        pli_sink_text(sink, "%s", i > 0 ? "," : "");
        if (pli_output_has_skin(&file->bodies[i])) {
            write_skinned(sink, file, i);
        } else {
            write_rigid(sink, file, i);
        }
    }
    pli_sink_text(sink, "],\"meshes\":[");
    for (uint32_t i = 0; i < file->body_count; i++) {
        write_mesh(sink, file, i);
    }
    pli_sink_text(sink, "]");
    write_skins(sink, file);
    write_animation(sink, file);
}

pliant_result pliant_asset_output_write(const pliant_asset_output *bodies, uint32_t body_count,
                                        uint32_t frame_count, double frames_per_second,
                                        void *buffer, uint64_t capacity, uint64_t *size)
{
    PLI_ASSET_REQUIRE(bodies);
    PLI_ASSET_REQUIRE(size);
    if (body_count == 0 || frame_count == 0) {
        return pli_asset_fail(PLIANT_ERROR_ARGUMENT, "%s: no bodies or no frames", __func__);
    }
    if (!(frames_per_second > 0.0 && frames_per_second <= 1e6)) {
        return pli_asset_fail(PLIANT_ERROR_RANGE,
                              "frames_per_second is %g; it must be above 0, up to 1e6",
                              frames_per_second);
    }
    for (uint32_t i = 0; i < body_count; i++) {
        pliant_result result = pli_output_check(&bodies[i], frame_count);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    pli_output file = {bodies, body_count, frame_count, frames_per_second};
    pli_glb glb = {.accessor_count = pli_output_first_accessor(&file, body_count),
                   .describe = pli_output_describe,
                   .members = write_members,
                   .user = &file};
    return pli_glb_write(&glb, buffer, capacity, size);
}
