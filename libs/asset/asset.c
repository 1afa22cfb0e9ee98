/* Loading files into an asset, and what can be asked about it. */
#include "asset.h"
#include "number_locale.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PLIANT_DEFINE_DEFAULT(pliant_asset_def)
{
    return (pliant_asset_def){.frames_per_second = 30.0,
                              .normalise_weights = true,
                              .files = pli_files_default(),
                              .tag = PLI_ASSET_TAG(pliant_asset_def)};
}

const char *pliant_asset_version(void)
{
    return PLIANT_VERSION_TEXT " (files"
#ifdef PLI_HAVE_JANSSON
                               " jansson"
#endif
#ifdef PLI_HAVE_MESHOPTIMIZER
                               " meshoptimizer"
#endif
#ifdef PLI_HAVE_DRACO
                               " draco"
#endif
#ifdef PLI_HAVE_LAPACKE
                               " lapacke"
#endif
                               ")";
}

/* Lists that grow at the end. */
#define DEFINE_ADD(type, function, list, count, capacity)                                          \
    type *function(pliant_asset *asset)                                                            \
    {                                                                                              \
        type *grown = pli_memory_grow(&asset->memory, asset->list, &asset->capacity,               \
                                      asset->count + 1, sizeof *grown);                            \
        if (grown == NULL) {                                                                       \
            return NULL;                                                                           \
        }                                                                                          \
        asset->list = grown;                                                                       \
        memset(&grown[asset->count], 0, sizeof *grown);                                            \
        return &grown[asset->count++];                                                             \
    }
DEFINE_ADD(pliant_asset_mesh, pli_asset_add_mesh, meshes, mesh_count, mesh_capacity)
DEFINE_ADD(pli_asset_body, pli_asset_add_body, bodies, body_count, body_capacity)
DEFINE_ADD(pli_asset_node, pli_asset_add_node, nodes, node_count, node_capacity)
DEFINE_ADD(pli_asset_channel, pli_asset_add_channel, channels, channel_count, channel_capacity)
DEFINE_ADD(pli_asset_clip, pli_asset_add_clip, clips, clip_count, clip_capacity)
static DEFINE_ADD(pli_frames, add_frames, frames, frames_count, frames_capacity)

    /* Makes bodies, each standing where its file puts it, of a reader's meshes. */
    static pliant_result add_meshes(pliant_asset *asset, const pli_reader *reader)
{
    for (size_t i = 0; i < reader->mesh_count; i++) {
        const char **name = pli_memory_get(&asset->memory, 1, sizeof *name);
        pliant_asset_mesh *mesh = name != NULL ? pli_asset_add_mesh(asset) : NULL;
        pli_asset_body *body = mesh != NULL ? pli_asset_add_body(asset) : NULL;
        if (body == NULL) {
            return pli_read_fail_memory(reader);
        }
        *mesh = reader->meshes[i];
        *name = mesh->name;
        *body = (pli_asset_body){.shown = {.name = mesh->name,
                                           .shape = (uint32_t)asset->mesh_count - 1,
                                           .joint_count = 1,
                                           .joint_names = name},
                                 .node = PLI_NONE,
                                 .frames = PLI_NONE};
    }
    return PLIANT_OK;
}

static pliant_result load_mesh(pliant_asset *asset, const char *path, bool merge,
                               uint64_t *topology)
{
    pli_reader reader = {.memory = &asset->memory,
                         .name = pli_base_name(path),
                         .merge = merge,
                         .notes = &asset->notes};
    pliant_result result = pli_mesh_file_read(&asset->files, path, &reader);
    if (result != PLIANT_OK) {
        return result;
    }
    result = pli_read_mesh(&reader);
    pli_memory_drop(&asset->memory, (void *)reader.bytes);
    *topology = reader.topology;
    return result == PLIANT_OK ? add_meshes(asset, &reader) : result;
}

/* Makes the bodies from `first` on move with the frames that were added last. */
static void attach_frames(pliant_asset *asset, pli_frames *frames, size_t first)
{
    frames->first_body = (uint32_t)first;
    frames->body_count = (uint32_t)(asset->body_count - first);
    for (size_t i = first; i < asset->body_count; i++) {
        asset->bodies[i].frames = (uint32_t)(frames - asset->frames);
        asset->bodies[i].shown.motion = PLIANT_ASSET_FRAMES;
        asset->bodies[i].shown.joint_count = 0;
        asset->meshes[asset->bodies[i].shown.shape].joint_count = 0;
    }
}

/* A body that is named after the first file of its sequence loses the number: "cloth.####.ply" is
   "cloth". */
static pliant_result name_sequence(pliant_asset *asset, pli_asset_body *body, const char *pattern,
                                   const char *first_path)
{
    const char *first = pli_base_name(first_path), *base = pli_base_name(pattern);
    size_t stem = pli_stem_size(first), size = strcspn(base, "#");
    while (size > 0 && strchr("._- ", base[size - 1]) != NULL) {
        size--;
    }
    if (size == 0 || strlen(body->shown.name) != stem ||
        memcmp(body->shown.name, first, stem) != 0) {
        return PLIANT_OK;
    }
    const char *name = pli_memory_text(&asset->memory, base, size);
    if (name == NULL) {
        return asset->memory.failure;
    }
    body->shown.name = name;
    asset->meshes[body->shown.shape].name = name;
    return PLIANT_OK;
}

static pliant_result load_sequence(pliant_asset *asset, const char *pattern)
{
    char **paths = NULL;
    uint64_t *numbers = NULL;
    uint32_t count = 0;
    pliant_result result =
        pli_sequence_list(&asset->memory, &asset->notes, pattern, &numbers, &paths, &count);
    if (result != PLIANT_OK) {
        return result;
    }
    size_t first = asset->body_count;
    uint64_t topology = 0;
    result = load_mesh(asset, paths[0], false, &topology);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_frames *frames = add_frames(asset);
    if (frames == NULL) {
        return asset->memory.failure;
    }
    frames->is_sequence = true;
    frames->paths = (const char *const *)paths;
    frames->frame_count = count;
    frames->numbers = numbers;
    frames->topology = topology;
    attach_frames(asset, frames, first);
    return name_sequence(asset, &asset->bodies[first], pattern, paths[0]);
}

/* A cache without its mesh: points, at rest where its first frame has them. */
static pliant_result add_points(pliant_asset *asset, const pli_reader *reader,
                                const pli_frames *frames)
{
    pli_reader points = *reader;
    points.memory = &asset->memory;
    pliant_asset_mesh *mesh =
        pli_reader_add_mesh(&points, reader->name, pli_stem_size(reader->name));
    float *positions = mesh != NULL
                           ? pli_memory_get(&asset->memory, frames->point_count, 3 * sizeof(float))
                           : NULL;
    if (positions == NULL) {
        return pli_read_fail_memory(&points);
    }
    mesh->positions = positions;
    mesh->vertex_count = frames->point_count;
    pli_note(reader, "a cache without its mesh: points only");
    pliant_result result = pli_cache_read(asset, frames, 0, positions);
    return result == PLIANT_OK ? add_meshes(asset, &points) : result;
}

/* A cache moves the mesh file before it, which is the last body if `has_mesh`. */
static pliant_result load_cache(pliant_asset *asset, const pli_reader *reader, uint64_t size,
                                const char *path, const pli_format *format, bool has_mesh)
{
    pli_frames *frames = add_frames(asset);
    const char **paths = frames != NULL ? pli_memory_get(&asset->memory, 1, sizeof *paths) : NULL;
    if (paths == NULL || (paths[0] = pli_memory_text(&asset->memory, path, strlen(path))) == NULL) {
        return asset->memory.failure;
    }
    frames->paths = paths;
    pliant_result result = format->open_cache(asset, reader, size, frames);
    if (result == PLIANT_OK && !has_mesh) {
        result = add_points(asset, reader, frames);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    const pli_asset_body *body = &asset->bodies[asset->body_count - 1];
    uint32_t vertices = asset->meshes[body->shown.shape].vertex_count;
    if (vertices != frames->point_count) {
        return pli_read_fail(reader, "it has %u points, and its mesh '%s' %u vertices",
                             frames->point_count, PLI_SHOW(body->shown.name), vertices);
    }
    attach_frames(asset, frames, asset->body_count - 1);
    return PLIANT_OK;
}

/* The first bytes of a file, its size, and its format. */
static pliant_result look_at(pliant_asset *asset, const char *path, uint8_t head[PLI_HEAD + 1],
                             pli_reader *reader, uint64_t *size, const pli_format **format)
{
    pliant_result result = pli_file_size(&asset->files, path, size);
    if (result != PLIANT_OK) {
        return result;
    }
    if (*size == 0) {
        return pli_asset_fail(PLIANT_ERROR_DATA, "%s: it is empty",
                              PLI_SHOW_FILE(pli_base_name(path)));
    }
    uint64_t known = *size < PLI_HEAD ? *size : PLI_HEAD;
    result = pli_file_read_part(&asset->files, path, 0, head, known);
    *reader = (pli_reader){.memory = &asset->memory,
                           .name = pli_base_name(path),
                           .bytes = head,
                           .size = (size_t)known,
                           .notes = &asset->notes};
    return result == PLIANT_OK ? pli_format_of(reader, format) : result;
}

/* `is_mesh` says whether the path before this one was a mesh file, and is set for the next. */
static pliant_result load_path(pliant_asset *asset, const char *path, const char *next,
                               bool *is_mesh)
{
    bool had_mesh = *is_mesh;
    *is_mesh = false;
    if (strchr(path, '#') != NULL) {
        return load_sequence(asset, path);
    }
    uint8_t head[PLI_HEAD + 1] = {0};
    uint64_t topology = 0, size = 0;
    pli_reader reader;
    const pli_format *format = NULL;
    pliant_result result = look_at(asset, path, head, &reader, &size, &format);
    if (result != PLIANT_OK) {
        return result;
    }
    switch (format->kind) {
    case PLI_FORMAT_MESH:
        *is_mesh = true;
        return load_mesh(asset, path, next != NULL && pli_is_cache_name(next), &topology);
    case PLI_FORMAT_SCENE:
        return pli_read_gltf(asset, &reader, size, path, false);
    case PLI_FORMAT_CACHE:
        break;
    }
    if (!had_mesh && asset->body_count > 0) {
        return pli_read_fail(&reader,
                             "a cache must come right after its mesh, which cannot be glTF");
    }
    pli_memory_allow(&asset->memory, size);
    return load_cache(asset, &reader, size, path, format, had_mesh);
}

/* A file of which only the clips are read. */
static pliant_result load_clips(pliant_asset *asset, const char *path)
{
    uint8_t head[PLI_HEAD + 1] = {0};
    uint64_t size = 0;
    pli_reader reader;
    const pli_format *format = NULL;
    pliant_result result = look_at(asset, path, head, &reader, &size, &format);
    if (result == PLIANT_OK && format->kind != PLI_FORMAT_SCENE) {
        return pli_read_fail(&reader, "clips are read from glTF files only");
    }
    return result == PLIANT_OK ? pli_read_gltf(asset, &reader, size, path, true) : result;
}

/* Sequences and caches together are one more clip. */
static pliant_result add_frames_clip(pliant_asset *asset)
{
    if (asset->frames_count == 0) {
        return PLIANT_OK;
    }
    pli_asset_clip *clip = pli_asset_add_clip(asset);
    if (clip == NULL) {
        return asset->memory.failure;
    }
    clip->shown.name = "frames";
    for (size_t i = 0; i < asset->frames_count; i++) {
        const pli_frames *frames = &asset->frames[i];
        uint32_t count = frames->frame_count;
        double duration = frames->times != NULL ? (double)frames->times[count - 1]
                                                : (count - 1) / asset->frames_per_second;
        clip->shown.duration = fmax(clip->shown.duration, duration);
        if (count > clip->shown.frame_count) {
            clip->shown.frame_count = count;
            clip->shown.frame_numbers = frames->numbers;
        }
        uint64_t missing = frames->numbers != NULL
                               ? frames->numbers[count - 1] - frames->numbers[0] + 1 - count
                               : 0;
        if (missing > clip->shown.missing_frames) {
            clip->shown.missing_frames = missing;
        }
    }
    return PLIANT_OK;
}

static PLIANT_NOINLINE pliant_result load_all(pliant_asset *asset, const pliant_asset_def *def)
{
    bool is_mesh = false;
    for (uint32_t i = 0; i < def->path_count; i++) {
        const char *next = i + 1 < def->path_count ? def->paths[i + 1] : NULL;
        pliant_result result = load_path(asset, def->paths[i], next, &is_mesh);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    for (uint32_t i = 0; i < def->clip_path_count; i++) {
        pliant_result result = load_clips(asset, def->clip_paths[i]);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return asset->notes.failure == PLIANT_OK ? add_frames_clip(asset) : asset->notes.failure;
}

static pliant_result check_def(const pliant_asset_def *def)
{
    PLI_ASSET_REQUIRE(def);
    pliant_result result =
        pliant_check_tag(def->tag, PLI_ASSET_TAG(pliant_asset_def), "pliant_asset_def");
    if (result != PLIANT_OK) {
        return result;
    }
    PLI_ASSET_REQUIRE(def->paths);
    PLI_ASSET_REQUIRE(def->files.size);
    PLI_ASSET_REQUIRE(def->files.read);
    if (def->path_count == 0) {
        return pli_asset_fail(PLIANT_ERROR_ARGUMENT, "pliant_asset_load: no file is given");
    }
    for (uint32_t i = 0; i < def->path_count; i++) {
        PLI_ASSET_REQUIRE(def->paths[i]);
    }
    for (uint32_t i = 0; i < def->clip_path_count; i++) {
        PLI_ASSET_REQUIRE(def->clip_paths);
        PLI_ASSET_REQUIRE(def->clip_paths[i]);
    }
    if (!(def->frames_per_second > 0.0 && def->frames_per_second <= 1e6)) {
        return pli_asset_fail(PLIANT_ERROR_RANGE,
                              "frames_per_second is %g; it must be above 0, up to 1e6",
                              def->frames_per_second);
    }
    return PLIANT_OK;
}

pliant_result pliant_asset_load(pliant_context *context, const pliant_asset_def *def,
                                pliant_asset **asset)
{
    PLI_ASSET_REQUIRE(context);
    PLI_ASSET_REQUIRE(asset);
    pliant_result result = check_def(def);
    if (result != PLIANT_OK) {
        return result;
    }
    result = pliant_context_join(context);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_asset *created = pliant_context_allocate(context, sizeof *created);
    if (created == NULL) {
        pliant_context_leave(context);
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *created = (pliant_asset){.context = context,
                              .users = 1,
                              .memory = {.context = context, .limit = PLI_MEMORY_BASE},
                              .files = def->files,
                              .frames_per_second = def->frames_per_second,
                              .together = def->together,
                              .normalise_weights = def->normalise_weights,
                              .repair = def->repair,
                              .scene = def->scene};
    created->notes.memory = &created->memory;
    pli_number_locale locale = pli_number_locale_enter();
    pliant_float_env saved;
    pliant_float_env_enter(&saved);
    result = load_all(created, def);
    created->scene = NULL; /* the caller's, and only while it loads */
    pliant_float_env_leave(&saved);
    pli_number_locale_leave(locale);
    if (result != PLIANT_OK) {
        pliant_asset_destroy(created);
        return result;
    }
    *asset = created;
    return PLIANT_OK;
}

static void drop_user(pliant_asset *asset)
{
    if (atomic_fetch_sub(&asset->users, 1) == 1) {
        pliant_context *context = asset->context;
        pli_memory_clear(&asset->memory);
        pliant_context_release(context, asset, sizeof *asset);
        pliant_context_leave(context);
    }
}

void pli_asset_join(const pliant_asset *asset)
{
    atomic_fetch_add_explicit(&((pliant_asset *)asset)->users, 1, memory_order_relaxed);
}

void pli_asset_leave(const pliant_asset *asset)
{
    drop_user((pliant_asset *)asset);
}

void pliant_asset_destroy(pliant_asset *asset)
{
    if (asset != NULL) {
#ifdef PLI_DEBUG /* as the core does */
        if (asset->users > 1) {
            fprintf(stderr,
                    "pliant_asset_destroy: the asset is used by %llu poses; destroy them first\n",
                    (unsigned long long)asset->users - 1);
            abort();
        }
#endif
        drop_user(asset);
    }
}

pliant_asset_counts pliant_asset_get_counts(const pliant_asset *asset)
{
    if (asset == NULL) {
        return (pliant_asset_counts){0};
    }
    return (pliant_asset_counts){.shapes = (uint32_t)asset->mesh_count,
                                 .bodies = (uint32_t)asset->body_count,
                                 .clips = (uint32_t)asset->clip_count,
                                 .notes = (uint32_t)asset->notes.count};
}

const pliant_asset_mesh *pliant_asset_get_mesh(const pliant_asset *asset, uint32_t shape)
{
    return asset != NULL && shape < asset->mesh_count ? &asset->meshes[shape] : NULL;
}

const pliant_asset_body *pliant_asset_get_body(const pliant_asset *asset, uint32_t body)
{
    return asset != NULL && body < asset->body_count ? &asset->bodies[body].shown : NULL;
}

const pliant_asset_clip *pliant_asset_get_clip(const pliant_asset *asset, uint32_t clip)
{
    return asset != NULL && clip < asset->clip_count ? &asset->clips[clip].shown : NULL;
}

const char *pliant_asset_get_note(const pliant_asset *asset, uint32_t note)
{
    return asset != NULL && note < asset->notes.count ? asset->notes.items[note] : NULL;
}
