/* Animations become clips, their channels and samplers one list of channels. */
#include "clips.h"
#include "gltf.h"

#include <math.h>
#include <string.h>

static pliant_result read_interpolation(const gltf_doc *doc, size_t animation,
                                        const json_t *sampler, pli_interpolation *interpolation)
{
    static const char *const names[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    const json_t *member = json_object_get(sampler, "interpolation");
    *interpolation = PLI_INTERPOLATION_LINEAR;
    if (member == NULL) {
        return PLIANT_OK;
    }
    const char *name = json_string_value(member);
    for (int i = PLI_INTERPOLATION_LINEAR; name != NULL && i <= PLI_INTERPOLATION_CUBIC; i++) {
        if (strcmp(name, names[i]) == 0) {
            *interpolation = (pli_interpolation)i;
            return PLIANT_OK;
        }
    }
    return pli_gltf_fail(doc, "animation", animation,
                         "its interpolation is none of LINEAR, STEP and CUBICSPLINE");
}

static pliant_result read_times(gltf_doc *doc, size_t animation, uint32_t accessor,
                                pli_asset_channel *channel)
{
    gltf_numbers times = {0};
    pliant_result result = pli_gltf_floats(doc, accessor, 1, &times);
    for (uint64_t i = 1; result == PLIANT_OK && i < times.count; i++) {
        if (times.at[i] < times.at[i - 1]) {
            return pli_gltf_fail(doc, "animation", animation,
                                 "accessor %u: key %llu comes before the key ahead of it", accessor,
                                 (unsigned long long)i);
        }
    }
    channel->times = times.at;
    channel->key_count = (uint32_t)times.count;
    return result;
}

static pliant_result read_values(gltf_doc *doc, size_t animation, uint32_t accessor,
                                 pli_asset_channel *channel)
{
    gltf_numbers values = {0};
    bool weights = channel->path == PLI_PATH_WEIGHTS;
    pliant_result result = pli_gltf_floats(doc, accessor, weights ? 1 : channel->width, &values);
    uint64_t wanted = (uint64_t)channel->key_count * (weights ? channel->width : 1) *
                      (channel->interpolation == PLI_INTERPOLATION_CUBIC ? 3 : 1);
    if (result == PLIANT_OK && values.count < wanted) {
        return pli_gltf_fail(doc, "animation", animation,
                             "accessor %u has %llu elements where %u keys need %llu", accessor,
                             (unsigned long long)values.count, channel->key_count,
                             (unsigned long long)wanted);
    }
    channel->values = values.at;
    return result;
}

static pliant_result read_sampler(gltf_doc *doc, size_t animation, const json_t *sampler,
                                  pli_asset_channel *channel)
{
    uint32_t input = PLI_NONE, output = PLI_NONE;
    pliant_result result = read_interpolation(doc, animation, sampler, &channel->interpolation);
    result = result == PLIANT_OK ? pli_gltf_get_index(doc, "animation", animation, sampler, "input",
                                                      doc->accessors, &input)
                                 : result;
    result = result == PLIANT_OK ? pli_gltf_get_index(doc, "animation", animation, sampler,
                                                      "output", doc->accessors, &output)
                                 : result;
    if (result == PLIANT_OK && (input == PLI_NONE || output == PLI_NONE)) {
        return pli_gltf_fail(doc, "animation", animation, "a sampler without input and output");
    }
    result = result == PLIANT_OK ? read_times(doc, animation, input, channel) : result;
    return result == PLIANT_OK ? read_values(doc, animation, output, channel) : result;
}

/* Which property of which node; *used is false for properties that move nothing here. */
static pliant_result read_target(gltf_doc *doc, size_t animation, const json_t *target,
                                 pli_asset_channel *channel, bool *used)
{
    static const char *const names[] = {"translation", "rotation", "scale", "weights"};
    static const uint32_t widths[] = {3, 4, 3, 0};
    const char *path = json_string_value(json_object_get(target, "path"));
    uint32_t node = PLI_NONE;
    pliant_result result =
        pli_gltf_get_index(doc, "animation", animation, target, "node", doc->nodes, &node);
    *used = false;
    if (result != PLIANT_OK || node == PLI_NONE || path == NULL) {
        return result;
    }
    channel->node = doc->node_of[node];
    result = doc->is_bound ? pli_gltf_bind_node(doc, node, &channel->node) : PLIANT_OK;
    if (result != PLIANT_OK || channel->node == PLI_NONE) {
        return result;
    }
    const pli_asset_node *moved = &doc->asset->nodes[channel->node];
    for (int i = PLI_PATH_TRANSLATION; i <= PLI_PATH_WEIGHTS; i++) {
        if (strcmp(path, names[i]) == 0) {
            channel->path = (pli_asset_path)i;
            channel->width = i == PLI_PATH_WEIGHTS ? moved->weight_count : widths[i];
            *used = channel->width > 0 && !(moved->has_matrix && i != PLI_PATH_WEIGHTS);
        }
    }
    if (!*used) {
        pli_note(doc->reader, "animation %zu: '%s' of node %u moves nothing", animation,
                 PLI_SHOW(path), node);
    }
    return PLIANT_OK;
}

static pliant_result read_channel(gltf_doc *doc, size_t animation, const json_t *object,
                                  const json_t *samplers, pli_asset_clip *clip)
{
    pli_asset_channel channel = {0};
    const json_t *target = NULL;
    uint32_t sampler = PLI_NONE;
    bool used = false;
    pliant_result result =
        pli_gltf_get_object(doc, "animation", animation, object, "target", &target);
    result = result == PLIANT_OK ? read_target(doc, animation, target, &channel, &used) : result;
    result = result == PLIANT_OK ? pli_gltf_get_index(doc, "animation", animation, object,
                                                      "sampler", samplers, &sampler)
                                 : result;
    if (result != PLIANT_OK || !used) {
        return result;
    }
    if (sampler == PLI_NONE) {
        return pli_gltf_fail(doc, "animation", animation, "a channel without a sampler");
    }
    result = read_sampler(doc, animation, json_array_get(samplers, sampler), &channel);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_asset_channel *added = pli_asset_add_channel(doc->asset);
    if (added == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    *added = channel;
    clip->channel_count++;
    double last = (double)channel.times[channel.key_count - 1];
    clip->shown.duration = fmax(clip->shown.duration, last);
    return PLIANT_OK;
}

static pliant_result read_animation(gltf_doc *doc, size_t index)
{
    const json_t *object = json_array_get(doc->animations, index);
    const json_t *channels = NULL, *samplers = NULL;
    pli_asset_clip clip = {.first_channel = (uint32_t)doc->asset->channel_count};
    clip.shown.name = pli_gltf_name(doc, object, "animation", index);
    if (clip.shown.name == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    pliant_result result =
        pli_gltf_get_list(doc, "animation", index, object, "channels", &channels);
    result = result == PLIANT_OK
                 ? pli_gltf_get_list(doc, "animation", index, object, "samplers", &samplers)
                 : result;
    for (size_t i = 0; result == PLIANT_OK && i < json_array_size(channels); i++) {
        result = read_channel(doc, index, json_array_get(channels, i), samplers, &clip);
    }
    pli_asset_clip *added = result == PLIANT_OK ? pli_asset_add_clip(doc->asset) : NULL;
    if (added == NULL) {
        return result != PLIANT_OK ? result : pli_read_fail_memory(doc->reader);
    }
    *added = clip;
    pli_clip_measure_keys(doc->asset, added);
    return PLIANT_OK;
}

/* Bodies that hang on a moving node move as wholes. */
static pliant_result mark_moving(gltf_doc *doc)
{
    pliant_asset *asset = doc->asset;
    bool *moves = pli_memory_get(doc->memory, asset->node_count, sizeof *moves);
    if (moves == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    for (size_t i = 0; i < asset->channel_count; i++) {
        moves[asset->channels[i].node] |= asset->channels[i].path != PLI_PATH_WEIGHTS;
    }
    for (size_t i = 0; i < asset->node_count; i++) { /* parents come first */
        uint32_t parent = asset->nodes[i].parent;
        moves[i] = moves[i] || (parent != PLI_NONE && moves[parent]);
    }
    for (size_t i = 0; i < asset->body_count; i++) {
        pli_asset_body *body = &asset->bodies[i];
        if (body->node != PLI_NONE && body->shown.motion == PLIANT_ASSET_STILL &&
            moves[body->node]) {
            body->shown.motion = PLIANT_ASSET_RIGID;
        }
    }
    pli_memory_drop(doc->memory, moves);
    return PLIANT_OK;
}

pliant_result pli_gltf_read_animations(gltf_doc *doc)
{
    pliant_result result = PLIANT_OK;
    for (size_t i = 0; result == PLIANT_OK && i < json_array_size(doc->animations); i++) {
        result = read_animation(doc, i);
    }
    return result == PLIANT_OK ? mark_moving(doc) : result;
}

/* Clips that move other files are called after their own; several may be one. */
pliant_result pli_gltf_name_clips(gltf_doc *doc, size_t first)
{
    pliant_asset *asset = doc->asset;
    const char *file = pli_base_name(doc->path);
    size_t size = pli_stem_size(file), count = asset->clip_count - first;
    for (size_t i = first; doc->is_bound && i < asset->clip_count; i++) {
        const char *own = asset->clips[i].shown.name;
        size_t length = count > 1 ? size + 1 + strlen(own) : size;
        char *name = pli_memory_get(doc->memory, length + 1, 1);
        if (name == NULL) {
            return pli_read_fail_memory(doc->reader);
        }
        memcpy(name, file, size);
        if (count > 1) {
            name[size] = ':';
            memcpy(name + size + 1, own, length - size); /* with its end */
        }
        asset->clips[i].shown.name = name;
    }
    if (asset->together && count > 1) {
        const char *name = pli_memory_text(doc->memory, file, size);
        if (name == NULL) {
            return pli_read_fail_memory(doc->reader);
        }
        pli_clips_join(asset, first, name);
    }
    return PLIANT_OK;
}
