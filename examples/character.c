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

/* A file, with a shape and a body for each of those in it. */
typedef struct character {
    pliant_asset *asset;
    pliant_asset_counts counts;
    pliant_shape **shapes;
    pliant_body **bodies;
} character;

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s: %s\n", pliant_result_get_name(result), pliant_last_error());
        exit(1);
    }
}

/* An array of NULLs, which free() releases; ends the program without memory. */
static void *make_array(uint32_t count)
{
    void *array = calloc(count, sizeof(void *));
    if (array == NULL && count > 0) {
        fprintf(stderr, "not enough memory for %u objects\n", count);
        exit(1);
    }
    return array;
}

/* Shapes and bodies of a file; the scene gives body number i of the file the index i. */
static character load(pliant_context *context, const char *path, pliant_scene *scene)
{
    character c = {.asset = NULL};
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = &path;
    def.path_count = 1;
    check(pliant_asset_load(context, &def, &c.asset));
    c.counts = pliant_asset_get_counts(c.asset);
    c.shapes = make_array(c.counts.shapes);
    c.bodies = make_array(c.counts.bodies);
    for (uint32_t i = 0; i < c.counts.shapes; i++) {
        pliant_shape_def shape;
        check(pliant_asset_get_shape_def(c.asset, i, &shape));
        check(pliant_shape_create(context, &shape, &c.shapes[i]));
    }
    for (uint32_t i = 0; i < c.counts.bodies; i++) {
        const pliant_asset_body *body = pliant_asset_get_body(c.asset, i);
        pliant_body_id id;
        check(pliant_body_create(c.shapes[body->shape], NULL, &c.bodies[i]));
        check(pliant_scene_add(scene, c.bodies[i], NULL, &id));
        printf("%s: %u triangles, %u joints\n", body->name,
               pliant_asset_get_mesh(c.asset, body->shape)->triangle_count, body->joint_count);
    }
    return c;
}

/* Poses all bodies at a moment of a clip and says which of them touch. */
static void ask(pliant_scene *scene, pliant_asset_pose *pose, const character *c, uint32_t clip,
                double time)
{
    check(pliant_asset_pose_sample(pose, clip, time));
    for (uint32_t i = 0; i < c->counts.bodies; i++) {
        check(pliant_asset_pose_apply(pose, i, c->bodies[i]));
    }
    pliant_scene_contacts found;
    check(pliant_scene_collide(scene, NULL, &found));
    printf("%s %.3f s:", pliant_asset_get_clip(c->asset, clip)->name, time);
    for (uint32_t i = 0; i < found.body_pair_count; i++) {
        const pliant_scene_pair *pair = &found.bodies[i];
        printf(" %s touches %s in %llu pairs of triangles",
               pliant_asset_get_body(c->asset, pair->a.index)->name,
               pliant_asset_get_body(c->asset, pair->b.index)->name,
               (unsigned long long)pair->count);
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
    character c = load(context, argument_count > 1 ? arguments[1] : "character.gltf", scene);
    check(pliant_asset_pose_create(c.asset, &pose));

    for (uint32_t clip = 0; clip < c.counts.clips; clip++) {
        for (int step = 0; step <= 8; step++) {
            double duration = pliant_asset_get_clip(c.asset, clip)->duration;
            ask(scene, pose, &c, clip, duration * step / 8);
        }
    }

    for (uint32_t i = 0; i < c.counts.bodies; i++) {
        pliant_body_destroy(c.bodies[i]);
    }
    for (uint32_t i = 0; i < c.counts.shapes; i++) {
        pliant_shape_destroy(c.shapes[i]);
    }
    free(c.bodies);
    free(c.shapes);
    pliant_asset_pose_destroy(pose);
    pliant_asset_destroy(c.asset);
    pliant_scene_destroy(scene);
    pliant_context_destroy(context);
    return 0;
}
