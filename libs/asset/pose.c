/* Moments of an asset: a clip and a time become the coordinates and transforms of every body. */
#include "affine.h"
#include "animation.h"
#include "asset.h"
#include "number_locale.h"

#include <math.h>
#include <string.h>

#include "pliant/triangle.h"

/* A node's own transform, before its parents'. */
typedef struct pose_local {
    double translation[3], rotation[4], scale[3];
} pose_local;

/* What one body has in the pose. */
typedef struct pose_body {
    float *transforms;
    float *positions;
} pose_body;

struct pliant_asset_pose {
    const pliant_asset *asset;
    pli_memory memory;
    pose_local *locals; /* per node */
    double (*worlds)[12];
    float *weights;    /* of all nodes */
    double *scratch;   /* as many numbers as the widest channel has */
    uint32_t *current; /* per frames: the frame whose positions are here, or PLI_NONE */
    pose_body *bodies;
};

static void reset_nodes(pliant_asset_pose *pose)
{
    const pliant_asset *asset = pose->asset;
    for (size_t i = 0; i < asset->node_count; i++) {
        const pli_asset_node *node = &asset->nodes[i];
        pose_local *local = &pose->locals[i];
        for (int k = 0; k < 3; k++) {
            local->translation[k] = (double)node->translation[k];
            local->scale[k] = (double)node->scale[k];
        }
        for (int k = 0; k < 4; k++) {
            local->rotation[k] = (double)node->rotation[k];
        }
        pli_normalise_rotation(local->rotation);
        if (node->weight_count > 0) {
            memcpy(pose->weights + node->weight_start, node->weights,
                   node->weight_count * sizeof *pose->weights);
        }
    }
}

static void apply_channel(pliant_asset_pose *pose, const pli_asset_channel *channel, double time)
{
    const pli_asset_node *node = &pose->asset->nodes[channel->node];
    pose_local *local = &pose->locals[channel->node];
    pli_channel_value(channel, pli_find_key(channel, time), pose->scratch);
    switch (channel->path) {
    case PLI_PATH_TRANSLATION:
        memcpy(local->translation, pose->scratch, sizeof local->translation);
        break;
    case PLI_PATH_ROTATION:
        memcpy(local->rotation, pose->scratch, sizeof local->rotation);
        break;
    case PLI_PATH_SCALE:
        memcpy(local->scale, pose->scratch, sizeof local->scale);
        break;
    case PLI_PATH_WEIGHTS:
        for (uint32_t i = 0; i < channel->width; i++) {
            bool fits = fabs(pose->scratch[i]) <= 0x1.fffffep127;
            pose->weights[node->weight_start + i] =
                fits ? (float)pose->scratch[i] : (float)INFINITY; /* found further down */
        }
        break;
    }
}

/* Parents come before their children. */
static void find_worlds(pliant_asset_pose *pose)
{
    for (size_t i = 0; i < pose->asset->node_count; i++) {
        const pli_asset_node *node = &pose->asset->nodes[i];
        const pose_local *local = &pose->locals[i];
        double map[12];
        if (node->has_matrix) {
            memcpy(map, node->matrix, sizeof map);
        } else {
            pli_affine_compose(local->translation, local->rotation, local->scale, map);
        }
        if (node->parent == PLI_NONE) {
            memcpy(pose->worlds[i], map, sizeof map);
        } else {
            pli_affine_multiply(pose->worlds[node->parent], map, pose->worlds[i]);
        }
    }
}

/* Rounds a map to float32; false if it does not fit. */
static bool store_map(const double map[12], float *transform)
{
    bool finite = true;
    for (int i = 0; i < 12; i++) {
        finite = finite && fabs(map[i]) <= 0x1.fffffep127;
        transform[i] = finite ? (float)map[i] : 0.0f;
    }
    return finite;
}

static pliant_result place_body(pliant_asset_pose *pose, size_t index)
{
    const pli_asset_body *body = &pose->asset->bodies[index];
    float *transforms = pose->bodies[index].transforms;
    if (body->node == PLI_NONE || transforms == NULL || pose->worlds == NULL) {
        return PLIANT_OK; /* stays where it is */
    }
    bool finite = true;
    uint32_t failed = 0;
    for (uint32_t j = 0; finite && j < body->shown.joint_count; j++) {
        const double *world = pose->worlds[body->joints != NULL ? body->joints[j] : body->node];
        double product[12], inverse_bind[12];
        if (body->joints != NULL && body->inverse_binds != NULL) {
            for (size_t i = 0; i < 12; i++) {
                inverse_bind[i] = (double)body->inverse_binds[12 * (size_t)j + i];
            }
            pli_affine_multiply(world, inverse_bind, product);
            world = product;
        }
        finite = store_map(world, transforms + 12 * (size_t)j);
        failed = j;
    }
    return finite ? PLIANT_OK
                  : pli_asset_fail(PLIANT_ERROR_NOT_FINITE,
                                   "the transform of node '%s' of body '%s' is not finite",
                                   PLI_SHOW(body->shown.joint_names[failed]),
                                   PLI_SHOW(body->shown.name));
}

static uint32_t frame_at(const pliant_asset *asset, const pli_frames *frames, double time)
{
    uint32_t last = frames->frame_count - 1;
    if (frames->times == NULL) {
        double frame = floor(time * asset->frames_per_second + 0.5);
        return frame <= 0.0 ? 0 : frame >= last ? last : (uint32_t)frame;
    }
    uint32_t nearest = 0;
    for (uint32_t i = 1; i <= last; i++) {
        if (fabs((double)frames->times[i] - time) < fabs((double)frames->times[nearest] - time)) {
            nearest = i;
        }
    }
    return nearest;
}

/* A frame of a sequence must be the first file with other positions. */
static pliant_result copy_frame(pliant_asset_pose *pose, const pli_frames *frames,
                                const pli_reader *reader)
{
    const pliant_asset *asset = pose->asset;
    if (reader->mesh_count != frames->body_count) {
        return pli_read_fail(reader, "it has %zu bodies, and the first frame %u",
                             reader->mesh_count, frames->body_count);
    }
    if (reader->topology != frames->topology) {
        return pli_read_fail(reader, "its faces are not those of the first frame");
    }
    for (uint32_t i = 0; i < frames->body_count; i++) {
        size_t index = frames->first_body + i;
        const pliant_asset_mesh *first = &asset->meshes[asset->bodies[index].shown.shape];
        const pliant_asset_mesh *mesh = &reader->meshes[i];
        if (mesh->vertex_count != first->vertex_count ||
            mesh->triangle_count != first->triangle_count) {
            return pli_read_fail(reader,
                                 "'%s' has %u vertices and %u triangles, and in the "
                                 "first frame %u and %u",
                                 PLI_SHOW(mesh->name), mesh->vertex_count, mesh->triangle_count,
                                 first->vertex_count, first->triangle_count);
        }
        memcpy(pose->bodies[index].positions, mesh->positions,
               3 * (size_t)mesh->vertex_count * sizeof *mesh->positions);
    }
    return PLIANT_OK;
}

static pliant_result read_sequence_frame(pliant_asset_pose *pose, const pli_frames *frames,
                                         uint32_t frame)
{
    const char *path = frames->paths[frame];
    pli_memory memory = {.context = pose->asset->context, .limit = PLI_MEMORY_BASE};
    pli_reader reader = {.memory = &memory, .name = pli_base_name(path), .positions_only = true};
    pliant_result result = pli_mesh_file_read(&pose->asset->files, path, &reader);
    pli_number_locale locale = pli_number_locale_enter();
    result = result == PLIANT_OK ? pli_read_mesh(&reader) : result;
    pli_number_locale_leave(locale);
    result = result == PLIANT_OK ? copy_frame(pose, frames, &reader) : result;
    pli_memory_clear(&memory);
    return result;
}

static pliant_result go_to_frame(pliant_asset_pose *pose, size_t index, uint32_t frame)
{
    const pli_frames *frames = &pose->asset->frames[index];
    if (pose->current[index] == frame) {
        return PLIANT_OK;
    }
    pose->current[index] = PLI_NONE;
    pliant_result result = frames->is_sequence
                               ? read_sequence_frame(pose, frames, frame)
                               : pli_cache_read(pose->asset, frames, frame,
                                                pose->bodies[frames->first_body].positions);
    if (result == PLIANT_OK) {
        pose->current[index] = frame;
    }
    return result;
}

/* The rest pose of bodies with frames: the mesh that was loaded. */
static void rest_frames(pliant_asset_pose *pose, size_t index)
{
    const pliant_asset *asset = pose->asset;
    const pli_frames *frames = &asset->frames[index];
    pose->current[index] = PLI_NONE;
    for (uint32_t i = 0; i < frames->body_count; i++) {
        size_t body = frames->first_body + i;
        const pliant_asset_mesh *mesh = &asset->meshes[asset->bodies[body].shown.shape];
        memcpy(pose->bodies[body].positions, mesh->positions,
               3 * (size_t)mesh->vertex_count * sizeof *mesh->positions);
    }
}

static PLIANT_NOINLINE pliant_result sample(pliant_asset_pose *pose, uint32_t clip, double time)
{
    const pliant_asset *asset = pose->asset;
    reset_nodes(pose);
    if (clip != PLIANT_ASSET_REST) {
        const pli_asset_clip *played = &asset->clips[clip];
        for (uint32_t i = 0; i < played->channel_count; i++) {
            apply_channel(pose, &asset->channels[played->first_channel + i], time);
        }
    }
    find_worlds(pose);
    pliant_result result = PLIANT_OK;
    for (size_t i = 0; result == PLIANT_OK && i < asset->body_count; i++) {
        result = place_body(pose, i);
    }
    for (size_t i = 0; result == PLIANT_OK && i < asset->frames_count; i++) {
        if (clip == PLIANT_ASSET_REST) {
            rest_frames(pose, i);
        } else {
            result = go_to_frame(pose, i, frame_at(asset, &asset->frames[i], time));
        }
    }
    for (size_t i = 0; result == PLIANT_OK && i < asset->weight_total; i++) {
        if (!isfinite(pose->weights[i])) {
            result = pli_asset_fail(PLIANT_ERROR_NOT_FINITE, "a morph weight is not finite");
        }
    }
    return result;
}

static pliant_result sample_anywhere(pliant_asset_pose *pose, uint32_t clip, double time)
{
    pliant_float_env saved;
    pliant_float_env_enter(&saved);
    pliant_result result = sample(pose, clip, time);
    pliant_float_env_leave(&saved);
    return result;
}

pliant_result pliant_asset_pose_sample(pliant_asset_pose *pose, uint32_t clip, double time)
{
    PLI_ASSET_REQUIRE(pose);
    if (clip != PLIANT_ASSET_REST && clip >= pose->asset->clip_count) {
        return pli_asset_fail(PLIANT_ERROR_RANGE, "there is no clip %u; there are %zu", clip,
                              pose->asset->clip_count);
    }
    if (!isfinite(time)) {
        return pli_asset_fail(PLIANT_ERROR_NOT_FINITE, "the time is not finite");
    }
    return sample_anywhere(pose, clip, fmax(-1e30, fmin(time, 1e30)));
}

static bool allocate_bodies(pliant_asset_pose *pose)
{
    const pliant_asset *asset = pose->asset;
    for (size_t i = 0; i < asset->body_count; i++) {
        const pli_asset_body *body = &asset->bodies[i];
        pose_body *made = &pose->bodies[i];
        if (body->frames != PLI_NONE) {
            uint32_t vertices = asset->meshes[body->shown.shape].vertex_count;
            made->positions = pli_memory_get(&pose->memory, vertices, 3 * sizeof(float));
            if (made->positions == NULL) {
                return false;
            }
            continue;
        }
        made->transforms =
            pli_memory_get(&pose->memory, body->shown.joint_count, 12 * sizeof(float));
        if (made->transforms == NULL) {
            return false;
        }
        for (size_t k = 0; k < 3; k++) { /* for bodies that no node places */
            made->transforms[5 * k] = 1.0f;
        }
    }
    return true;
}

static bool allocate_pose(pliant_asset_pose *pose)
{
    const pliant_asset *asset = pose->asset;
    pli_memory *memory = &pose->memory;
    size_t widest = 4;
    for (size_t i = 0; i < asset->channel_count; i++) {
        widest = asset->channels[i].width > widest ? asset->channels[i].width : widest;
    }
    return (pose->locals = pli_memory_get(memory, asset->node_count, sizeof *pose->locals)) &&
           (pose->worlds = pli_memory_get(memory, asset->node_count, sizeof *pose->worlds)) &&
           (pose->weights = pli_memory_get(memory, asset->weight_total, sizeof *pose->weights)) &&
           (pose->scratch = pli_memory_get(memory, widest, sizeof *pose->scratch)) &&
           (pose->current = pli_memory_get(memory, asset->frames_count, sizeof *pose->current)) &&
           (pose->bodies = pli_memory_get(memory, asset->body_count, sizeof *pose->bodies)) &&
           allocate_bodies(pose);
}

pliant_result pliant_asset_pose_create(const pliant_asset *asset, pliant_asset_pose **pose)
{
    PLI_ASSET_REQUIRE(asset);
    PLI_ASSET_REQUIRE(pose);
    pliant_asset_pose *created = pliant_context_allocate(asset->context, sizeof *created);
    if (created == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_asset_join(asset);
    *created = (pliant_asset_pose){
        .asset = asset, .memory = {.context = asset->context, .limit = asset->memory.limit}};
    pliant_result result = allocate_pose(created) ? PLIANT_OK : created->memory.failure;
    result = result == PLIANT_OK ? sample_anywhere(created, PLIANT_ASSET_REST, 0.0) : result;
    if (result != PLIANT_OK) {
        pliant_asset_pose_destroy(created);
        return result;
    }
    *pose = created;
    return PLIANT_OK;
}

void pliant_asset_pose_destroy(pliant_asset_pose *pose)
{
    if (pose != NULL) {
        const pliant_asset *asset = pose->asset;
        pliant_context *context = asset->context;
        pli_memory_clear(&pose->memory);
        pliant_context_release(context, pose, sizeof *pose);
        pli_asset_leave(asset);
    }
}

const pliant_asset *pli_pose_asset(const pliant_asset_pose *pose)
{
    return pose->asset;
}

/* Whether every transform of a body is singular: there is nothing left of it, or it is flat. */
static bool is_hidden(const pliant_asset_state *state)
{
    const float origin[3] = {0.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; i < state->transform_count; i++) {
        const float *rows = state->transforms + 12 * (size_t)i;
        if (pliant_orient3d(rows, rows + 4, rows + 8, origin) != 0) {
            return false;
        }
    }
    return state->transform_count > 0;
}

pliant_asset_state pliant_asset_pose_get_state(const pliant_asset_pose *pose, uint32_t body)
{
    pliant_asset_state state = {0};
    if (pose == NULL || body >= pose->asset->body_count) {
        return state;
    }
    const pli_asset_body *described = &pose->asset->bodies[body];
    const pliant_asset_mesh *mesh = &pose->asset->meshes[described->shown.shape];
    state.transforms = pose->bodies[body].transforms;
    state.transform_count = state.transforms != NULL ? described->shown.joint_count : 0;
    state.hidden = is_hidden(&state);
    state.positions = pose->bodies[body].positions;
    state.position_count = state.positions != NULL ? mesh->vertex_count : 0;
    if (mesh->mode_count > 0) {
        state.coordinates = pose->weights + pose->asset->nodes[described->node].weight_start;
        state.coordinate_count = mesh->mode_count;
    }
    return state;
}
