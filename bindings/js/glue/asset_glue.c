/*
 * The readers of files as a module of their own: numbers and addresses in, numbers and addresses
 * out, so that JavaScript knows no struct of theirs. The page has the files; the readers ask for
 * them.
 *
 * The readers take memory and sentences from the core and nothing else; this module has no core,
 * and gives them both itself.
 */
#include "pliant/asset.h"
#include "pliant/extend.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name
#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))

/* The size of a file in bytes, or -1 where there is none. */
IMPORT(file_size) double pliant_js_on_file_size(const char *path, size_t length);
IMPORT(file_read)
bool pliant_js_on_file_read(const char *path, size_t length, double offset, void *buffer,
                            size_t count);

struct pliant_context {
    char unused;
};

static pliant_context context;

void *pliant_context_allocate(pliant_context *of, size_t size)
{
    (void)of;
    return size <= SIZE_MAX - 63 ? aligned_alloc(64, (size + 63) / 64 * 64) : NULL;
}

void pliant_context_release(pliant_context *of, void *memory, size_t size)
{
    (void)of;
    (void)size;
    free(memory);
}

pliant_result pliant_context_join(pliant_context *of)
{
    (void)of;
    return PLIANT_OK;
}

void pliant_context_leave(pliant_context *of)
{
    (void)of;
}

/* WebAssembly has one floating-point environment, which nothing changes. */
void pliant_float_env_enter(pliant_float_env *saved)
{
    (void)saved;
}

void pliant_float_env_leave(const pliant_float_env *saved)
{
    (void)saved;
}

void *EXPORT(pliant_js_allocate)(double size)
{
    return size >= 0 && size <= (double)(SIZE_MAX - 63)
               ? pliant_context_allocate(&context, (size_t)size)
               : NULL;
}

void EXPORT(pliant_js_release)(void *memory)
{
    free(memory);
}

static bool file_size(void *user, const char *path, uint64_t *size)
{
    (void)user;
    double found = pliant_js_on_file_size(path, strlen(path));
    *size = found >= 0 ? (uint64_t)found : 0;
    return found >= 0;
}

static bool file_read(void *user, const char *path, uint64_t offset, void *buffer, uint64_t count)
{
    (void)user;
    return count <= SIZE_MAX &&
           pliant_js_on_file_read(path, strlen(path), (double)offset, buffer, (size_t)count);
}

/* Settings of flags: 1 plays clips together, 2 normalises weights, 4 repairs them. */
pliant_result EXPORT(pliant_js_asset_load)(const char *const *paths, uint32_t path_count,
                                           const char *const *clip_paths, uint32_t clip_path_count,
                                           const char *scene, double frames_per_second,
                                           uint32_t flags, pliant_asset **asset)
{
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = paths;
    def.path_count = path_count;
    def.clip_paths = clip_paths;
    def.clip_path_count = clip_path_count;
    def.scene = scene;
    def.frames_per_second = frames_per_second;
    def.together = (flags & 1) != 0;
    def.normalise_weights = (flags & 2) != 0;
    def.repair = (flags & 4) != 0;
    def.files = (pliant_files){.size = file_size, .read = file_read};
    return pliant_asset_load(&context, &def, asset);
}

void EXPORT(pliant_js_asset_get_counts)(const pliant_asset *asset, uint32_t counts[4])
{
    const pliant_asset_counts found = pliant_asset_get_counts(asset);
    counts[0] = found.shapes;
    counts[1] = found.bodies;
    counts[2] = found.clips;
    counts[3] = found.notes;
}

/* Addresses as numbers: this machine has 32 bits. */
static uint32_t at(const void *address)
{
    return (uint32_t)(uintptr_t)address;
}

/* Counts of vertices, triangles, groups, modes, joints and influences; then the addresses of name,
   positions, triangles, groups, names of groups, modes, names of modes, offsets, joints, weights.
 */
void EXPORT(pliant_js_asset_get_mesh)(const pliant_asset *asset, uint32_t shape,
                                      uint32_t numbers[16], float *error)
{
    const pliant_asset_mesh *mesh = pliant_asset_get_mesh(asset, shape);
    const uint32_t *offsets = mesh->influence_offsets;
    const uint32_t found[16] = {mesh->vertex_count,
                                mesh->triangle_count,
                                mesh->group_count,
                                mesh->mode_count,
                                mesh->joint_count,
                                offsets != NULL ? offsets[mesh->vertex_count] : 0,
                                at(mesh->name),
                                at(mesh->positions),
                                at(mesh->triangles),
                                at(mesh->groups),
                                at(mesh->group_names),
                                at(mesh->modes),
                                at(mesh->mode_names),
                                at(offsets),
                                at(mesh->influence_joints),
                                at(mesh->influence_weights)};
    memcpy(numbers, found, sizeof found);
    *error = mesh->error;
}

/* Shape, motion and number of joints; the addresses of name and names of joints. */
void EXPORT(pliant_js_asset_get_body)(const pliant_asset *asset, uint32_t body, uint32_t numbers[5])
{
    const pliant_asset_body *found = pliant_asset_get_body(asset, body);
    numbers[0] = found->shape;
    numbers[1] = (uint32_t)found->motion;
    numbers[2] = found->joint_count;
    numbers[3] = at(found->name);
    numbers[4] = at(found->joint_names);
}

/* Counts of frames and keys, the addresses of name and frame numbers; duration, step of keys and
   missing frames. */
void EXPORT(pliant_js_asset_get_clip)(const pliant_asset *asset, uint32_t clip, uint32_t numbers[4],
                                      double values[3])
{
    const pliant_asset_clip *found = pliant_asset_get_clip(asset, clip);
    numbers[0] = found->frame_count;
    numbers[1] = found->key_count;
    numbers[2] = at(found->name);
    numbers[3] = at(found->frame_numbers);
    values[0] = found->duration;
    values[1] = found->key_step;
    values[2] = (double)found->missing_frames;
}

/* Counts of coordinates, transforms and positions, their addresses, and whether the body is hidden.
 */
void EXPORT(pliant_js_asset_get_state)(const pliant_asset_pose *pose, uint32_t body,
                                       uint32_t numbers[7])
{
    const pliant_asset_state state = pliant_asset_pose_get_state(pose, body);
    numbers[0] = state.coordinate_count;
    numbers[1] = state.transform_count;
    numbers[2] = state.position_count;
    numbers[3] = at(state.coordinates);
    numbers[4] = at(state.transforms);
    numbers[5] = at(state.positions);
    numbers[6] = state.hidden ? 1 : 0;
}
