/* Bodies with modes and joints as a GLB file: morph targets, skins and one animation of both. */
#include "asset.h"
#include "gltf_write.h"

#include <math.h>

typedef struct written {
    const pliant_asset_output *bodies;
    uint32_t body_count, frame_count;
    double rate;
} written;

/* What of a joint is animated, in the order of its accessors. */
enum { TRACK_TRANSLATION, TRACK_ROTATION, TRACK_SCALE, TRACK_INNER, TRACKS };

static bool has_track(const pliant_asset_output *body, uint32_t track)
{
    return body->joint_count > 0 && (track == TRACK_SCALE   ? body->scales != NULL
                                     : track == TRACK_INNER ? body->inner_rotations != NULL
                                                            : true);
}

static uint32_t tracks_of(const pliant_asset_output *body)
{
    uint32_t count = 0;
    for (uint32_t track = 0; track < TRACKS; track++) {
        count += has_track(body, track) ? 1 : 0;
    }
    return count;
}

/*
 * Accessors: the times of keys, then each body's positions, triangles, modes, weights of modes,
 * joints and weights of vertices, and the tracks of joint after joint.
 */
static uint32_t coordinates_at(const pliant_asset_output *body)
{
    return 2 + body->mode_count;
}

static uint32_t influences_at(const pliant_asset_output *body)
{
    return coordinates_at(body) + (body->mode_count > 0 ? 1 : 0);
}

static uint32_t tracks_at(const pliant_asset_output *body)
{
    return influences_at(body) + 2 * body->influence_sets;
}

static uint32_t accessors_of(const pliant_asset_output *body)
{
    return tracks_at(body) + body->joint_count * tracks_of(body);
}

static uint32_t first_accessor(const written *file, uint32_t body)
{
    uint32_t first = 1;
    for (uint32_t i = 0; i < body; i++) {
        first += accessors_of(&file->bodies[i]);
    }
    return first;
}

/* Nodes: the mesh; with a skin also one that holds the joints; each joint, and its inner one. */
static uint32_t joint_nodes(const pliant_asset_output *body)
{
    return body->inner_rotations != NULL ? 2 : 1;
}

static bool has_skin(const pliant_asset_output *body)
{
    return body->joint_count > 0 && body->influence_sets > 0;
}

static uint32_t nodes_of(const pliant_asset_output *body)
{
    return has_skin(body)          ? 2 + body->joint_count * joint_nodes(body)
           : body->joint_count > 0 ? joint_nodes(body)
                                   : 1;
}

static uint32_t first_node(const written *file, uint32_t body)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < body; i++) {
        first += nodes_of(&file->bodies[i]);
    }
    return first;
}

/* The node that is moved by a joint; its child has the inner rotation, if there is one. */
static uint32_t joint_node(const written *file, uint32_t body, uint32_t joint)
{
    const pliant_asset_output *out = &file->bodies[body];
    return first_node(file, body) + (has_skin(out) ? 2 + joint * joint_nodes(out) : 0);
}

static const float *track_data(const pliant_asset_output *body, uint32_t track)
{
    const float *const data[TRACKS] = {body->translations, body->rotations, body->scales,
                                       body->inner_rotations};
    return data[track];
}

static uint32_t track_width(uint32_t track)
{
    return track == TRACK_ROTATION || track == TRACK_INNER ? 4 : 3;
}

/* Track number `at` of those that a body has. */
static uint32_t nth_track(const pliant_asset_output *body, uint32_t at)
{
    uint32_t track = 0;
    for (;; track++) {
        if (has_track(body, track) && at-- == 0) {
            return track;
        }
    }
}

static void describe_track(const written *file, const pliant_asset_output *out, uint32_t at,
                           pli_glb_accessor *accessor)
{
    uint32_t joint = at / tracks_of(out), track = nth_track(out, at % tracks_of(out));
    uint32_t width = track_width(track);
    *accessor = (pli_glb_accessor){.use = PLI_GLB_KEYS,
                                   .data = track_data(out, track) +
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
    while (at >= accessors_of(&file->bodies[body])) {
        at -= accessors_of(&file->bodies[body++]);
    }
    const pliant_asset_output *out = &file->bodies[body];
    if (at == 1) {
        *accessor = (pli_glb_accessor){.use = PLI_GLB_INDICES,
                                       .data = out->triangles,
                                       .count = (uint64_t)3 * out->triangle_count,
                                       .components = 1};
    } else if (at < coordinates_at(out)) {
        const float *field =
            at == 0 ? out->positions : out->modes + (size_t)3 * out->vertex_count * (at - 2);
        *accessor = (pli_glb_accessor){.use = PLI_GLB_VERTICES,
                                       .data = field,
                                       .count = out->vertex_count,
                                       .components = 3,
                                       .bounds = true};
    } else if (at < influences_at(out)) {
        *accessor = (pli_glb_accessor){.use = PLI_GLB_KEYS,
                                       .data = out->coordinates,
                                       .count = (uint64_t)file->frame_count * out->mode_count,
                                       .components = 1};
    } else if (at < tracks_at(out)) {
        describe_influences(out, at - influences_at(out), accessor);
    } else {
        describe_track(file, out, at - tracks_at(out), accessor);
    }
}

static void write_mesh(pli_sink *sink, const written *file, uint32_t body)
{
    const pliant_asset_output *out = &file->bodies[body];
    uint32_t first = first_accessor(file, body);
    pli_sink_text(sink, "%s{\"name\":", body > 0 ? "," : "");
    pli_sink_string(sink, out->name);
    pli_sink_text(sink, ",\"primitives\":[{\"attributes\":{\"POSITION\":%u", first);
    for (uint32_t set = 0; set < out->influence_sets; set++) {
        uint32_t at = first + influences_at(out) + 2 * set;
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
static void write_place(pli_sink *sink, const written *file, const pliant_asset_output *out,
                        uint32_t joint, bool is_inner)
{
    static const char *const names[TRACKS] = {"translation", "rotation", "scale", "rotation"};
    for (uint32_t track = 0; track < TRACKS; track++) {
        if (has_track(out, track) && (track == TRACK_INNER) == is_inner) {
            uint32_t width = track_width(track);
            write_numbers(sink, names[track],
                          track_data(out, track) + (size_t)joint * file->frame_count * width,
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
static void write_rigid(pli_sink *sink, const written *file, uint32_t body)
{
    const pliant_asset_output *out = &file->bodies[body];
    write_name(sink, "{", out->name, "");
    if (out->joint_count > 0) {
        write_place(sink, file, out, 0, false);
    }
    if (out->joint_count > 0 && out->inner_rotations != NULL) {
        pli_sink_text(sink, ",\"children\":[%u]},{\"mesh\":%u", first_node(file, body) + 1, body);
        write_place(sink, file, out, 0, true);
    } else {
        pli_sink_text(sink, ",\"mesh\":%u", body);
    }
    pli_sink_text(sink, "}");
}

static void write_skinned(pli_sink *sink, const written *file, uint32_t body)
{
    const pliant_asset_output *out = &file->bodies[body];
    uint32_t skin = 0;
    for (uint32_t i = 0; i < body; i++) {
        skin += has_skin(&file->bodies[i]) ? 1 : 0;
    }
    write_name(sink, "{", out->name, "");
    pli_sink_text(sink, ",\"mesh\":%u,\"skin\":%u},", body, skin);
    write_name(sink, "{", out->name, ",\"children\":[");
    for (uint32_t joint = 0; joint < out->joint_count; joint++) {
        pli_sink_text(sink, "%s%u", joint > 0 ? "," : "", joint_node(file, body, joint));
    }
    pli_sink_text(sink, "]}");
    for (uint32_t joint = 0; joint < out->joint_count; joint++) {
        pli_sink_text(sink, ",{\"name\":\"joint %u\"", joint);
        write_place(sink, file, out, joint, false);
        if (out->inner_rotations != NULL) {
            pli_sink_text(sink, ",\"children\":[%u]},{\"name\":\"joint %u inner\"",
                          joint_node(file, body, joint) + 1, joint);
            write_place(sink, file, out, joint, true);
        }
        pli_sink_text(sink, "}");
    }
}

static void write_skins(pli_sink *sink, const written *file)
{
    uint32_t skins = 0;
    for (uint32_t body = 0; body < file->body_count; body++) {
        const pliant_asset_output *out = &file->bodies[body];
        if (!has_skin(out)) {
            continue;
        }
        pli_sink_text(sink, "%s{\"joints\":[", skins == 0 ? ",\"skins\":[" : ",");
        for (uint32_t joint = 0; joint < out->joint_count; joint++) {
            pli_sink_text(sink, "%s%u", joint > 0 ? "," : "",
                          joint_node(file, body, joint) + joint_nodes(out) - 1);
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
static uint32_t each_channel(pli_sink *sink, const written *file,
                             void (*visit)(pli_sink *sink, uint32_t number, const channel *made))
{
    static const char *const paths[TRACKS] = {"translation", "rotation", "scale", "rotation"};
    uint32_t number = 0;
    for (uint32_t body = 0; body < file->body_count; body++) {
        const pliant_asset_output *out = &file->bodies[body];
        uint32_t output = first_accessor(file, body), node = first_node(file, body);
        if (out->mode_count > 0) {
            bool is_child = !has_skin(out) && out->joint_count > 0 && out->inner_rotations != NULL;
            channel made = {node + (is_child ? 1 : 0), output + coordinates_at(out), "weights"};
            visit(sink, number++, &made);
        }
        output += tracks_at(out);
        for (uint32_t joint = 0; joint < out->joint_count; joint++) {
            for (uint32_t i = 0; i < tracks_of(out); i++) {
                uint32_t track = nth_track(out, i);
                channel made = {joint_node(file, body, joint) + (track == TRACK_INNER ? 1 : 0),
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

static void write_animation(pli_sink *sink, const written *file)
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
    const written *file = user;
    pli_sink_text(sink, ",\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (uint32_t i = 0; i < file->body_count; i++) {
        uint32_t node = first_node(file, i);
        pli_sink_text(sink, "%s%u", i > 0 ? "," : "", node);
        if (has_skin(&file->bodies[i])) {
            pli_sink_text(sink, ",%u", node + 1);
        }
    }
    pli_sink_text(sink, "]}],\"nodes\":[");
    for (uint32_t i = 0; i < file->body_count; i++) {
        pli_sink_text(sink, "%s", i > 0 ? "," : "");
        if (has_skin(&file->bodies[i])) {
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

static pliant_result check_joints(const pliant_asset_output *body, uint32_t frame_count)
{
    PLI_REQUIRE(body->translations);
    PLI_REQUIRE(body->rotations);
    if (body->influence_sets == 0 && body->joint_count > 1) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "'%.100s' has %u joints and no influences",
                        body->name, body->joint_count);
    }
    uint64_t slots = (uint64_t)4 * body->vertex_count * body->influence_sets;
    if (slots > 0) {
        PLI_REQUIRE(body->joints);
        PLI_REQUIRE(body->weights);
    }
    for (uint64_t i = 0; i < slots; i++) {
        if (body->joints[i] >= body->joint_count) {
            return pli_fail(PLIANT_ERROR_RANGE, "'%.100s': influence %llu uses joint %u of %u",
                            body->name, (unsigned long long)i, body->joints[i], body->joint_count);
        }
    }
    pliant_result result = check_numbers(body->weights, slots, body->name, "weights");
    for (uint32_t track = 0; track < TRACKS && result == PLIANT_OK; track++) {
        if (has_track(body, track)) {
            result = check_numbers(track_data(body, track),
                                   (uint64_t)frame_count * body->joint_count * track_width(track),
                                   body->name, "joints' places");
        }
    }
    return result;
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
    if (result == PLIANT_OK && body->joint_count > 0) {
        result = check_joints(body, frame_count);
    }
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
