#include "asset_motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/asset.h"

#define FRAMES_PER_SECOND 30.0

struct asset_motion {
    pliant_context *context;
    pliant_asset *asset;
    pliant_asset_pose *pose;
    gallery_mesh meshes[BENCH_MAX_BODIES];
    gallery_model models[BENCH_MAX_BODIES];
    bench_motion motion;
};

static const pliant_asset_mesh *mesh_of(const asset_motion *source, uint32_t body)
{
    return pliant_asset_get_mesh(source->asset, pliant_asset_get_body(source->asset, body)->shape);
}

static bool open_file(asset_motion *source, const char *name)
{
    const char *assets = getenv("PLIANT_ASSETS");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", assets != NULL ? assets : PLIANT_ASSETS_DIR, name);
    const char *paths[] = {path};
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = paths;
    def.path_count = 1;
    return pliant_context_create(NULL, &source->context) == PLIANT_OK &&
           pliant_asset_load(source->context, &def, &source->asset) == PLIANT_OK &&
           pliant_asset_pose_create(source->asset, &source->pose) == PLIANT_OK;
}

static bool find_clip(const asset_motion *source, const char *name, uint32_t *clip)
{
    for (*clip = 0; *clip < pliant_asset_get_counts(source->asset).clips; ++*clip) {
        if (strcmp(pliant_asset_get_clip(source->asset, *clip)->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void *copy(const void *list, size_t size)
{
    void *made = malloc(size + 1);
    if (made != NULL) {
        memcpy(made, list, size);
    }
    return made;
}

/* Scenes may change their meshes and models, and an asset must not be changed: hence copies. */
static bool copy_body(asset_motion *source, uint32_t body)
{
    const pliant_asset_mesh *mesh = mesh_of(source, body);
    gallery_mesh *made = &source->meshes[body];
    gallery_model *model = &source->models[body];
    size_t vertices = mesh->vertex_count;
    if (mesh->influence_offsets == NULL || mesh->mode_count > 0 || mesh->triangles == NULL) {
        return false;
    }
    size_t influences = mesh->influence_offsets[vertices];
    made->vertex_count = mesh->vertex_count;
    made->triangle_count = mesh->triangle_count;
    made->positions = malloc(3 * vertices * sizeof(float));
    made->triangles = copy(mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof(uint32_t));
    model->joint_count = mesh->joint_count;
    model->influence_offsets = copy(mesh->influence_offsets, (vertices + 1) * sizeof(uint32_t));
    model->influence_joints = copy(mesh->influence_joints, influences * sizeof(uint32_t));
    model->influence_weights = copy(mesh->influence_weights, influences * sizeof(float));
    return made->positions != NULL && made->triangles != NULL && model->influence_offsets != NULL &&
           model->influence_joints != NULL && model->influence_weights != NULL &&
           pliant_asset_pose_evaluate(source->pose, body, made->positions) == PLIANT_OK;
}

static void show_frame(const asset_motion *source, bench_frame *frame)
{
    for (uint32_t i = 0; i < source->motion.body_count; i++) {
        pliant_asset_state state = pliant_asset_pose_get_state(source->pose, i);
        memcpy(frame->transforms[i], state.transforms,
               12 * (size_t)state.transform_count * sizeof(float));
        if (frame->world[i] != NULL) {
            size_t size = 3 * (size_t)source->meshes[i].vertex_count * sizeof(float);
            memcpy(frame->world[i], source->meshes[i].positions, size);
            memcpy(frame->local[i], source->meshes[i].positions, size);
        }
    }
}

static bool fill_motion(asset_motion *source, uint32_t clip, uint32_t stride)
{
    bench_motion *motion = &source->motion;
    uint32_t bodies = pliant_asset_get_counts(source->asset).bodies;
    double duration = pliant_asset_get_clip(source->asset, clip)->duration;
    uint32_t frames = (uint32_t)floor(duration * FRAMES_PER_SECOND + 1e-6) + 1;
    bool done = bodies <= BENCH_MAX_BODIES &&
                pliant_asset_pose_sample(source->pose, clip, 0.0) == PLIANT_OK;
    for (uint32_t i = 0; done && i < bodies; i++) {
        done = copy_body(source, i);
    }
    if (!done || !bench_motion_allocate_models(source->meshes, source->models, bodies,
                                               (frames + stride - 1) / stride, motion)) {
        return false;
    }
    for (uint32_t i = 0; i < bodies; i++) {
        motion->rest[i] = mesh_of(source, i)->positions;
    }
    show_frame(source, &motion->start);
    for (uint32_t i = 0; done && i < motion->step_count; i++) {
        motion->steps[i] = i * stride;
        done = pliant_asset_pose_sample(source->pose, clip, motion->steps[i] / FRAMES_PER_SECOND) ==
               PLIANT_OK;
        show_frame(source, &motion->frames[i]);
    }
    return done;
}

asset_motion *asset_motion_read(const char *name, const char *clip, uint32_t stride)
{
    asset_motion *source = calloc(1, sizeof *source);
    uint32_t index = 0;
    if (source != NULL && open_file(source, name) && find_clip(source, clip, &index) &&
        fill_motion(source, index, stride)) {
        return source;
    }
    asset_motion_free(source);
    return NULL;
}

void asset_motion_free(asset_motion *source)
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

bench_motion *asset_motion_get(asset_motion *source)
{
    return &source->motion;
}
