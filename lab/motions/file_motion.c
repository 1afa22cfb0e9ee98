#include "file_motion.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/asset.h"

#define FRAMES_PER_SECOND 30.0
#define MOST_FRAMES       1000000.0
#define MOST_FLOATS       (UINT64_C(1) << 29) /* 2 GiB of frames */

struct file_motion {
    pliant_context *context;
    pliant_asset *asset;
    pliant_asset_pose *pose;
    const pliant_asset_clip *clip; /* NULL: nothing moves */
    uint32_t clip_index;
    bool blended; /* joints instead of positions */
    gallery_mesh meshes[BENCH_MAX_BODIES];
    gallery_model models[BENCH_MAX_BODIES];
    bench_motion motion;
    char *error;
    size_t capacity;
};

static bool fail(file_motion *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(file_motion *source, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(source->error, source->capacity, format, arguments);
    va_end(arguments);
    return false;
}

static bool check(file_motion *source, pliant_result result)
{
    return result == PLIANT_OK || fail(source, "%s", pliant_last_error());
}

static const pliant_asset_mesh *mesh_of(const file_motion *source, uint32_t body)
{
    return pliant_asset_get_mesh(source->asset, pliant_asset_get_body(source->asset, body)->shape);
}

static bool load(file_motion *source, const char *const *paths, uint32_t path_count)
{
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = paths;
    def.path_count = path_count;
    def.frames_per_second = FRAMES_PER_SECOND;
    return check(source, pliant_context_create(NULL, &source->context)) &&
           check(source, pliant_asset_load(source->context, &def, &source->asset)) &&
           check(source, pliant_asset_pose_create(source->asset, &source->pose));
}

/* The longest clip; files in which nothing moves are played as they lie, one frame. */
static void choose_clip(file_motion *source)
{
    source->clip_index = PLIANT_ASSET_REST;
    for (uint32_t i = 0; i < pliant_asset_get_counts(source->asset).clips; i++) {
        const pliant_asset_clip *clip = pliant_asset_get_clip(source->asset, i);
        if (source->clip == NULL || clip->duration > source->clip->duration) {
            source->clip = clip;
            source->clip_index = i;
        }
    }
}

static bool check_bodies(file_motion *source, const char *path)
{
    uint32_t count = pliant_asset_get_counts(source->asset).bodies;
    if (count == 0 || count > BENCH_MAX_BODIES) {
        return fail(source, "%s: %u bodies; --motion plays 1 to %d", path, count, BENCH_MAX_BODIES);
    }
    source->blended = count > 1;
    for (uint32_t i = 0; i < count; i++) {
        const pliant_asset_mesh *mesh = mesh_of(source, i);
        if (mesh->triangles == NULL || mesh->triangle_count == 0) {
            return fail(source, "%s: the body %s has no triangles", path,
                        pliant_asset_get_body(source->asset, i)->name);
        }
        source->blended =
            source->blended && mesh->influence_offsets != NULL && mesh->mode_count == 0;
    }
    return true;
}

static void *copy(const void *list, size_t size)
{
    void *made = malloc(size + 1);
    if (made != NULL) {
        memcpy(made, list, size);
    }
    return made;
}

/* Motions may change their meshes, and an asset must not be changed: hence copies. */
static bool copy_mesh(file_motion *source, uint32_t body)
{
    const pliant_asset_mesh *mesh = mesh_of(source, body);
    gallery_mesh *made = &source->meshes[body];
    made->vertex_count = mesh->vertex_count;
    made->triangle_count = mesh->triangle_count;
    made->positions = malloc(3 * (size_t)mesh->vertex_count * sizeof(float) + 1);
    made->triangles = copy(mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof(uint32_t));
    return made->positions != NULL && made->triangles != NULL;
}

static bool copy_model(file_motion *source, uint32_t body)
{
    const pliant_asset_mesh *mesh = mesh_of(source, body);
    gallery_model *model = &source->models[body];
    size_t influences = mesh->influence_offsets[mesh->vertex_count];
    model->joint_count = mesh->joint_count;
    model->influence_offsets =
        copy(mesh->influence_offsets, ((size_t)mesh->vertex_count + 1) * sizeof(uint32_t));
    model->influence_joints = copy(mesh->influence_joints, influences * sizeof(uint32_t));
    model->influence_weights = copy(mesh->influence_weights, influences * sizeof(float));
    return model->influence_offsets != NULL && model->influence_joints != NULL &&
           model->influence_weights != NULL;
}

static bool copy_bodies(file_motion *source, uint32_t count)
{
    bool done = true;
    for (uint32_t i = 0; done && i < count; i++) {
        done = copy_mesh(source, i) && (!source->blended || copy_model(source, i));
    }
    return done || fail(source, "not enough memory");
}

static bool show_body(file_motion *source, uint32_t body, bench_frame *frame)
{
    if (source->blended) {
        pliant_asset_state state = pliant_asset_pose_get_state(source->pose, body);
        memcpy(frame->transforms[body], state.transforms,
               12 * (size_t)state.transform_count * sizeof(float));
    }
    if (frame->world[body] == NULL) {
        return true;
    }
    size_t size = 3 * (size_t)source->meshes[body].vertex_count * sizeof(float);
    if (!check(source, pliant_asset_pose_evaluate(source->pose, body, frame->world[body]))) {
        return false;
    }
    memcpy(frame->local[body], frame->world[body], size);
    return true;
}

/* World and local frame are the same for whoever asks. */
static void place_at_rest(gallery_placement *placement)
{
    *placement = (gallery_placement){0};
    for (int axis = 0; axis < 3; axis++) {
        placement->rotation[axis][axis] = 1.0;
    }
}

static bool show_frame(file_motion *source, double time, bench_frame *frame)
{
    bool done = check(source, pliant_asset_pose_sample(source->pose, source->clip_index, time));
    for (uint32_t i = 0; done && i < source->motion.body_count; i++) {
        place_at_rest(&frame->placements[i]);
        done = show_body(source, i, frame);
    }
    return done;
}

static uint32_t count_frames(const pliant_asset_clip *clip)
{
    if (clip == NULL) {
        return 1;
    }
    double frames = floor(clip->duration * FRAMES_PER_SECOND + 1e-6) + 1;
    return clip->frame_count > 0 ? clip->frame_count : (uint32_t)fmin(frames, MOST_FRAMES);
}

/* All steps, so many frames apart. */
static bool fill_steps(file_motion *source, uint32_t frames, uint32_t stride)
{
    bench_motion *motion = &source->motion;
    double duration = source->clip != NULL ? source->clip->duration : 0.0;
    double last = frames > 1 ? frames - 1 : 1;
    bool done = show_frame(source, 0.0, &motion->start);
    for (uint32_t i = 0; done && i < motion->body_count; i++) {
        memcpy(source->meshes[i].positions, motion->start.world[i],
               3 * (size_t)source->meshes[i].vertex_count * sizeof(float));
        motion->rest[i] = source->blended ? mesh_of(source, i)->positions : NULL;
    }
    for (uint32_t i = 0; done && i < motion->step_count; i++) {
        motion->steps[i] = i * stride;
        done = show_frame(source, duration * motion->steps[i] / last, &motion->frames[i]);
    }
    return done;
}

static bool fill(file_motion *source, const char *path, uint32_t most_frames)
{
    uint32_t bodies = pliant_asset_get_counts(source->asset).bodies;
    uint32_t frames = count_frames(source->clip);
    uint32_t stride = (frames + most_frames - 1) / most_frames;
    uint32_t steps = (frames + stride - 1) / stride;
    uint64_t floats = 0;
    for (uint32_t i = 0; i < bodies; i++) {
        floats += UINT64_C(6) * mesh_of(source, i)->vertex_count * steps;
    }
    if (!source->blended && floats > MOST_FLOATS) {
        return fail(source, "%s: %u frames of these bodies take more than 2 GiB", path, steps);
    }
    bool done = copy_bodies(source, bodies) &&
                ((source->blended
                      ? bench_motion_allocate_models(source->meshes, source->models, bodies, steps,
                                                     &source->motion)
                      : bench_motion_allocate(source->meshes, bodies, steps, &source->motion)) ||
                 fail(source, "not enough memory"));
    source->motion.self = bodies == 1;
    return done && fill_steps(source, frames, stride);
}

file_motion *file_motion_read(const char *const *paths, uint32_t path_count, uint32_t most_frames,
                              char *error, size_t capacity)
{
    file_motion *source = calloc(1, sizeof *source);
    if (source == NULL) {
        snprintf(error, capacity, "not enough memory");
        return NULL;
    }
    source->error = error;
    source->capacity = capacity;
    if (load(source, paths, path_count) && check_bodies(source, paths[0])) {
        choose_clip(source);
        if (fill(source, paths[0], most_frames)) {
            return source;
        }
    }
    file_motion_free(source);
    return NULL;
}

void file_motion_free(file_motion *source)
{
    if (source == NULL) {
        return;
    }
    bench_motion_free(&source->motion);
    for (uint32_t i = 0; i < BENCH_MAX_BODIES; i++) {
        mesh_free(&source->meshes[i]);
        gallery_model_free(&source->models[i]);
    }
    pliant_asset_pose_destroy(source->pose);
    pliant_asset_destroy(source->asset);
    pliant_context_destroy(source->context);
    free(source);
}

bench_motion *file_motion_get(file_motion *source)
{
    return &source->motion;
}

const char *file_motion_clip(const file_motion *source)
{
    return source->clip != NULL ? source->clip->name : "rest";
}
