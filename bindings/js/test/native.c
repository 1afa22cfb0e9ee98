/*
 * What the machine itself answers, for the tests of the package: built by scripts/js, read by
 * test/native.mjs.
 *
 *   native scenes FOLDER      each built-in scene as FOLDER/NAME.scene: meshes, states, hashes of
 * pairs native asset FILE...      what the readers find in each file, as text
 */
#include "gallery/gallery.h"
#include "pliant/asset.h"
#include "pliant/pliant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES = 1280, STEPS = 8 };

static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "native: %s\n", pliant_last_error());
        exit(1);
    }
}

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL) {
        exit(1);
    }
    return memory;
}

/* FNV-1a over words of 32 bits. */
static uint32_t hash_words(uint32_t hash, const void *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const char *)words + 4 * i, sizeof word);
        hash = (hash ^ word) * UINT32_C(0x01000193);
    }
    return hash;
}

static void put(FILE *file, const void *words, size_t count)
{
    fwrite(words, 4, count, file);
}

static void put_number(FILE *file, uint32_t number)
{
    put(file, &number, 1);
}

static pliant_shape *write_body(pliant_context *context, const gallery_scene *scene, uint32_t b,
                                FILE *file)
{
    const gallery_mesh *mesh = &scene->bodies[b];
    bool moved = gallery_has_model(scene, b);
    const gallery_model none = {0}, *model = moved ? &scene->models[b] : &none;
    const float *positions = moved ? scene->rest[b] : mesh->positions;
    const uint32_t *offsets = model->influence_offsets;
    uint32_t influences = offsets != NULL ? offsets[mesh->vertex_count] : 0;
    put_number(file, mesh->vertex_count);
    put_number(file, mesh->triangle_count);
    put_number(file, moved);
    put_number(file, model->mode_count);
    put_number(file, model->joint_count);
    put_number(file, offsets != NULL);
    put_number(file, influences);
    put(file, positions, 3 * (size_t)mesh->vertex_count);
    put(file, mesh->triangles, 3 * (size_t)mesh->triangle_count);
    put(file, model->modes, 3 * (size_t)mesh->vertex_count * model->mode_count);
    put(file, offsets, offsets != NULL ? (size_t)mesh->vertex_count + 1 : 0);
    put(file, model->influence_joints, influences);
    put(file, model->influence_weights, influences);
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    def.mode_count = model->mode_count;
    def.modes = model->modes;
    def.joint_count = model->joint_count;
    def.influence_offsets = offsets;
    def.influence_joints = model->influence_joints;
    def.influence_weights = model->influence_weights;
    def.normalise_weights = false;
    pliant_shape *shape = NULL;
    check(pliant_shape_create(context, &def, &shape));
    return shape;
}

static void write_state(const gallery_scene *scene, uint32_t b, uint32_t step, pliant_body *body,
                        FILE *file)
{
    if (gallery_has_model(scene, b)) {
        const gallery_model *model = &scene->models[b];
        float *coordinates = need(model->mode_count, sizeof(float));
        float *transforms = need(12 * (size_t)model->joint_count, sizeof(float));
        gallery_state(scene, b, step, coordinates, transforms);
        put(file, coordinates, model->mode_count);
        put(file, transforms, 12 * (size_t)model->joint_count);
        const pliant_state state = {.coordinates = model->mode_count > 0 ? coordinates : NULL,
                                    .coordinate_count = model->mode_count,
                                    .transforms = model->joint_count > 0 ? transforms : NULL,
                                    .transform_count = model->joint_count};
        check(pliant_body_set_state(body, &state));
        free(coordinates);
        free(transforms);
        return;
    }
    size_t count = 3 * (size_t)scene->bodies[b].vertex_count;
    float *positions = need(count, sizeof(float));
    gallery_evaluate(scene, b, step, positions);
    put(file, positions, count);
    check(pliant_body_set_positions(body, positions, 0));
    free(positions);
}

static void write_scene(const gallery_kind *kind, const char *folder, uint32_t steps)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.scene", folder, kind->name);
    FILE *file = fopen(path, "wb");
    gallery_settings settings = {.triangles = TRIANGLES, .steps = steps, .seed = 1};
    gallery_scene *scene = gallery_create(kind, &settings);
    if (file == NULL || scene == NULL) {
        fprintf(stderr, "native: %s cannot be written\n", path);
        exit(1);
    }
    pliant_context *context = NULL;
    pliant_scene *world = NULL;
    check(pliant_context_create(NULL, &context));
    check(pliant_scene_create(context, NULL, &world));
    put_number(file, scene->body_count);
    put_number(file, steps);
    put_number(file, kind->self);
    pliant_shape **shapes = need(scene->body_count, sizeof *shapes);
    pliant_body **bodies = need(scene->body_count, sizeof *bodies);
    pliant_member_def member = pliant_member_def_default();
    member.self = kind->self;
    for (uint32_t b = 0; b < scene->body_count; b++) {
        pliant_body_id id;
        shapes[b] = write_body(context, scene, b, file);
        check(pliant_body_create(shapes[b], NULL, &bodies[b]));
        check(pliant_scene_add(world, bodies[b], &member, &id));
    }
    for (uint32_t step = 0; step <= steps; step++) {
        for (uint32_t b = 0; b < scene->body_count; b++) {
            write_state(scene, b, step, bodies[b], file);
        }
        pliant_scene_contacts contacts;
        check(pliant_scene_collide(world, NULL, &contacts));
        uint32_t hash = UINT32_C(0x811c9dc5);
        for (uint32_t i = 0; i < contacts.body_pair_count; i++) {
            const pliant_scene_pair *pair = &contacts.bodies[i];
            const uint32_t words[3] = {pair->a.index, pair->b.index, (uint32_t)pair->count};
            hash = hash_words(hash, words, 3);
        }
        hash = hash_words(hash, contacts.pairs, 2 * (size_t)contacts.count);
        put_number(file, (uint32_t)contacts.count);
        put_number(file, hash);
    }
    pliant_scene_destroy(world);
    for (uint32_t b = 0; b < scene->body_count; b++) {
        pliant_body_destroy(bodies[b]);
        pliant_shape_destroy(shapes[b]);
    }
    pliant_context_destroy(context);
    gallery_destroy(scene);
    free(shapes);
    free(bodies);
    fclose(file);
}

static void print_mesh(const pliant_asset *asset, uint32_t shape)
{
    const pliant_asset_mesh *m = pliant_asset_get_mesh(asset, shape);
    uint32_t hash = UINT32_C(0x811c9dc5);
    hash = hash_words(hash, m->positions, 3 * (size_t)m->vertex_count);
    hash =
        m->triangles != NULL ? hash_words(hash, m->triangles, 3 * (size_t)m->triangle_count) : hash;
    hash = m->modes != NULL
               ? hash_words(hash, m->modes, 3 * (size_t)m->vertex_count * m->mode_count)
               : hash;
    if (m->influence_offsets != NULL) {
        uint32_t count = m->influence_offsets[m->vertex_count];
        hash = hash_words(hash, m->influence_offsets, (size_t)m->vertex_count + 1);
        hash = hash_words(hash, m->influence_joints, count);
        hash = hash_words(hash, m->influence_weights, count);
    }
    printf("  shape %s: %u vertices, %u triangles, %u modes, %u joints, %08x", m->name,
           m->vertex_count, m->triangle_count, m->mode_count, m->joint_count, hash);
    for (uint32_t g = 0; g < m->group_count; g++) {
        printf(" [%s]", m->group_names[g]);
    }
    printf("\n");
}

static void print_pose(const pliant_asset *asset, pliant_asset_pose *pose, uint32_t clip,
                       double time)
{
    static const char *const motions[] = {"still", "rigid", "deforming", "frames"};
    if (pliant_asset_pose_sample(pose, clip, time) != PLIANT_OK) {
        printf("  %s\n", pliant_last_error());
        return;
    }
    for (uint32_t b = 0; b < pliant_asset_get_counts(asset).bodies; b++) {
        const pliant_asset_body *body = pliant_asset_get_body(asset, b);
        const pliant_asset_mesh *mesh = pliant_asset_get_mesh(asset, body->shape);
        const pliant_asset_state state = pliant_asset_pose_get_state(pose, b);
        float *positions = need(3 * (size_t)mesh->vertex_count, sizeof(float));
        check(pliant_asset_pose_evaluate(pose, b, positions));
        uint32_t hash = UINT32_C(0x811c9dc5);
        hash = hash_words(hash, state.coordinates, state.coordinate_count);
        hash = hash_words(hash, state.transforms, 12 * (size_t)state.transform_count);
        hash = hash_words(hash, positions, 3 * (size_t)mesh->vertex_count);
        printf("  body %s: shape %u, %s, %u joints, %s%08x\n", body->name, body->shape,
               motions[body->motion], body->joint_count, state.hidden ? "hidden " : "", hash);
        free(positions);
    }
}

static void print_asset(pliant_context *context, const char *path)
{
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = &path;
    def.path_count = 1;
    pliant_asset *asset = NULL;
    printf("file %s\n", strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path);
    if (pliant_asset_load(context, &def, &asset) != PLIANT_OK) {
        printf("  %s\n", pliant_last_error());
        return;
    }
    const pliant_asset_counts counts = pliant_asset_get_counts(asset);
    for (uint32_t s = 0; s < counts.shapes; s++) {
        print_mesh(asset, s);
    }
    for (uint32_t n = 0; n < counts.notes; n++) {
        printf("  note %s\n", pliant_asset_get_note(asset, n));
    }
    pliant_asset_pose *pose = NULL;
    check(pliant_asset_pose_create(asset, &pose));
    print_pose(asset, pose, PLIANT_ASSET_REST, 0);
    for (uint32_t c = 0; c < counts.clips; c++) {
        const pliant_asset_clip *clip = pliant_asset_get_clip(asset, c);
        printf("  clip %s: %u frames, %u keys\n", clip->name, clip->frame_count, clip->key_count);
        print_pose(asset, pose, c, 0.375 * clip->duration);
    }
    pliant_asset_pose_destroy(pose);
    pliant_asset_destroy(asset);
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "scenes") == 0) {
        for (uint32_t i = 0; i < gallery_kind_count; i++) {
            /* That of the determinism test has as many steps as there. */
            write_scene(gallery_kinds[i], arguments[2],
                        gallery_kinds[i] == &gallery_spheres ? 20 : STEPS);
        }
        return 0;
    }
    if (count > 2 && strcmp(arguments[1], "asset") == 0) {
        pliant_context *context = NULL;
        check(pliant_context_create(NULL, &context));
        for (int i = 2; i < count; i++) {
            print_asset(context, arguments[i]);
        }
        pliant_context_destroy(context);
        return 0;
    }
    fprintf(stderr, "usage: native scenes FOLDER | native asset FILE...\n");
    return 2;
}
