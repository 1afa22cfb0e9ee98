#include "asset_exercise.h"

#include <stdlib.h>
#include <string.h>

#include "pliant/pliant.h"

#define MOST_CLIPS     8
#define MOST_BODIES    8
#define MOST_TRIANGLES 300 /* any two of them may have to be compared, slowly */

static const memory_file *find(const void *user, const char *path)
{
    const memory_folder *folder = user;
    for (uint32_t i = 0; i < folder->count; i++) {
        if (strcmp(folder->files[i].path, path) == 0) {
            return &folder->files[i];
        }
    }
    return NULL;
}

static bool memory_size(void *user, const char *path, uint64_t *size)
{
    const memory_file *file = find(user, path);
    *size = file != NULL ? file->size : 0;
    return file != NULL;
}

static bool memory_read(void *user, const char *path, uint64_t offset, void *buffer, uint64_t count)
{
    const memory_file *file = find(user, path);
    if (file == NULL || offset > file->size || count > file->size - offset) {
        return false;
    }
    memcpy(buffer, (const char *)file->bytes + offset, (size_t)count);
    return true;
}

pliant_files memory_files(const memory_folder *folder)
{
    return (pliant_files){memory_size, memory_read, (void *)folder};
}

typedef struct exercise_bodies {
    pliant_shape *shapes[MOST_BODIES];
    pliant_body *bodies[MOST_BODIES];
    uint32_t count;
} exercise_bodies;

static void create_bodies(pliant_context *context, const pliant_asset *asset, exercise_bodies *made)
{
    uint32_t count = pliant_asset_get_counts(asset).bodies;
    made->count = count < MOST_BODIES ? count : MOST_BODIES;
    for (uint32_t i = 0; i < made->count; i++) {
        uint32_t shape = pliant_asset_get_body(asset, i)->shape;
        const pliant_asset_mesh *mesh = pliant_asset_get_mesh(asset, shape);
        pliant_shape_def def;
        bool small = mesh->triangle_count <= MOST_TRIANGLES && mesh->vertex_count <= 100000;
        if (small && pliant_asset_get_shape_def(asset, shape, &def) == PLIANT_OK &&
            pliant_shape_create(context, &def, &made->shapes[i]) == PLIANT_OK) {
            pliant_body_create(made->shapes[i], NULL, &made->bodies[i]);
        }
    }
}

static void collide(const pliant_asset_pose *pose, pliant_query *query, exercise_bodies *made)
{
    pliant_collide_options options = pliant_collide_options_default();
    options.mode = PLIANT_COLLIDE_FIRST;
    for (uint32_t i = 0; i < made->count; i++) {
        if (made->bodies[i] == NULL ||
            pliant_asset_pose_apply(pose, i, made->bodies[i]) != PLIANT_OK) {
            continue;
        }
        pliant_contacts contacts;
        if (i > 0 && made->bodies[i - 1] != NULL) {
            pliant_collide(query, made->bodies[i - 1], made->bodies[i], &options, &contacts);
        }
        pliant_collide_self(query, made->bodies[i], &options, &contacts);
    }
}

static void evaluate_all(const pliant_asset *asset, const pliant_asset_pose *pose)
{
    for (uint32_t i = 0; i < pliant_asset_get_counts(asset).bodies; i++) {
        const pliant_asset_mesh *mesh =
            pliant_asset_get_mesh(asset, pliant_asset_get_body(asset, i)->shape);
        float *positions = malloc((size_t)mesh->vertex_count * 3 * sizeof *positions);
        if (positions != NULL) {
            pliant_asset_pose_evaluate(pose, i, positions);
        }
        free(positions);
    }
}

static void play(pliant_context *context, const pliant_asset *asset)
{
    pliant_asset_pose *pose = NULL;
    pliant_query *query = NULL;
    exercise_bodies made = {.count = 0};
    if (pliant_asset_pose_create(asset, &pose) != PLIANT_OK ||
        pliant_query_create(context, &query) != PLIANT_OK) {
        pliant_asset_pose_destroy(pose);
        return;
    }
    create_bodies(context, asset, &made);
    evaluate_all(asset, pose);
    collide(pose, query, &made);
    uint32_t clips = pliant_asset_get_counts(asset).clips;
    for (uint32_t clip = 0; clip < clips && clip < MOST_CLIPS; clip++) {
        double duration = pliant_asset_get_clip(asset, clip)->duration;
        double times[] = {0.0, 0.37 * duration, duration, 2.0 * duration + 1.0, -1.0};
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
            if (pliant_asset_pose_sample(pose, clip, times[i]) == PLIANT_OK) {
                evaluate_all(asset, pose);
                collide(pose, query, &made);
            }
        }
    }
    for (uint32_t i = 0; i < made.count; i++) {
        pliant_body_destroy(made.bodies[i]);
        pliant_shape_destroy(made.shapes[i]);
    }
    pliant_query_destroy(query);
    pliant_asset_pose_destroy(pose);
}

/* Messages go to terminals: whatever a file holds, none has a control character. */
static void check_message(const char *message)
{
    for (const unsigned char *at = (const unsigned char *)message; *at != '\0'; at++) {
        bool is_c1 = at[0] == 0xc2 && at[1] < 0xa0;
        if (at[0] < 0x20 || at[0] == 0x7f || is_c1) {
            abort();
        }
    }
}

pliant_result exercise_paths(pliant_context *context, const memory_folder *folder,
                             const char *const *paths, uint32_t path_count)
{
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = paths;
    def.path_count = path_count;
    if (folder != NULL) {
        def.files = memory_files(folder);
    }
    pliant_asset *asset = NULL;
    pliant_result result = pliant_asset_load(context, &def, &asset);
    check_message(result == PLIANT_OK ? "" : pliant_last_error());
    for (uint32_t i = 0; i < pliant_asset_get_counts(asset).notes; i++) {
        check_message(pliant_asset_get_note(asset, i));
    }
    if (result == PLIANT_OK) {
        play(context, asset);
    }
    pliant_asset_destroy(asset);
    return result;
}

pliant_result exercise_bytes(pliant_context *context, const char *path, const void *bytes,
                             uint64_t size)
{
    memory_file file = {path, bytes, size};
    memory_folder folder = {&file, 1};
    return exercise_paths(context, &folder, &path, 1);
}
