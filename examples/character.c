/*
 * A character from a file: loads it, poses it by its clips, and asks which of its parts touch.
 * Besides the library itself it needs libpliant_asset:
 *
 *     cc character.c $(pkg-config --cflags --libs pliant_asset) -o character
 *     ./character character.gltf
 */
#include <pliant/asset.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

static pliant_shape *shapes[MOST];
static pliant_body *bodies[MOST];

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s: %s\n", pliant_result_get_name(result), pliant_last_error());
        exit(1);
    }
}

/* Shapes and bodies of a file; the scene gives body number i of the file the index i. */
static pliant_asset *load(pliant_context *context, const char *path, pliant_scene *scene)
{
    pliant_asset *asset = NULL;
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = &path;
    def.path_count = 1;
    check(pliant_asset_load(context, &def, &asset));
    const pliant_asset_counts counts = pliant_asset_get_counts(asset);
    for (uint32_t i = 0; i < counts.shapes && i < MOST; i++) {
        pliant_shape_def shape;
        check(pliant_asset_get_shape_def(asset, i, &shape));
        check(pliant_shape_create(context, &shape, &shapes[i]));
    }
    for (uint32_t i = 0; i < counts.bodies && i < MOST; i++) {
        const pliant_asset_body *body = pliant_asset_get_body(asset, i);
        pliant_body_id id;
        check(pliant_body_create(shapes[body->shape], NULL, &bodies[i]));
        check(pliant_scene_add(scene, bodies[i], NULL, &id));
        printf("%s: %u triangles, %u joints\n", body->name,
               pliant_asset_get_mesh(asset, body->shape)->triangle_count, body->joint_count);
    }
    return asset;
}

/* Poses all bodies at a moment of a clip and says which of them touch. */
static void ask(pliant_scene *scene, pliant_asset_pose *pose, const pliant_asset *asset,
                uint32_t clip, double time)
{
    check(pliant_asset_pose_sample(pose, clip, time));
    for (uint32_t i = 0; i < MOST && bodies[i] != NULL; i++) {
        check(pliant_asset_pose_apply(pose, i, bodies[i]));
    }
    pliant_scene_contacts found;
    check(pliant_scene_collide(scene, NULL, &found));
    printf("%s %.3f s:", pliant_asset_get_clip(asset, clip)->name, time);
    for (uint32_t i = 0; i < found.body_pair_count; i++) {
        const pliant_scene_pair *pair = &found.bodies[i];
        printf(" %s touches %s in %llu pairs of triangles",
               pliant_asset_get_body(asset, pair->a.index)->name,
               pliant_asset_get_body(asset, pair->b.index)->name, (unsigned long long)pair->count);
    }
    printf(found.body_pair_count == 0 ? " nothing touches\n" : "\n");
}

int main(int argument_count, char **arguments)
{
    pliant_context *context = NULL;
    pliant_scene *scene = NULL;
    pliant_asset_pose *pose = NULL;
    check(pliant_context_create(NULL, &context));
    check(pliant_scene_create(context, NULL, &scene));
    pliant_asset *asset =
        load(context, argument_count > 1 ? arguments[1] : "character.gltf", scene);
    check(pliant_asset_pose_create(asset, &pose));

    for (uint32_t clip = 0; clip < pliant_asset_get_counts(asset).clips; clip++) {
        for (int step = 0; step <= 8; step++) {
            double duration = pliant_asset_get_clip(asset, clip)->duration;
            ask(scene, pose, asset, clip, duration * step / 8);
        }
    }

    for (uint32_t i = 0; i < MOST; i++) {
        pliant_body_destroy(bodies[i]);
        pliant_shape_destroy(shapes[i]);
    }
    pliant_asset_pose_destroy(pose);
    pliant_asset_destroy(asset);
    pliant_scene_destroy(scene);
    pliant_context_destroy(context);
    return 0;
}
