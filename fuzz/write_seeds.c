/* Writes the seeds of all targets: FOLDER/FORMAT/seed. */
#include "asset_seeds.h"

#include "pliant/pliant.h"
#ifdef HAVE_DRACO_MAKER
#include "draco_maker.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void write_seed(const char *folder, const char *format, const char *name, const void *bytes,
                       size_t size)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, format);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", folder, format, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(1);
    }
}

/* A shape with modes and influences, as its block. */
static void write_shape(const char *folder, const char *name, bool skinned)
{
    pliant_context *context = NULL;
    pliant_shape *shape = NULL;
    pliant_shape_def def = pliant_shape_def_default();
    const uint32_t triangles[] = {0, 1, 2, 2, 1, 0};
    const uint32_t offsets[] = {0, 1, 2, 3}, joints[] = {0, 1, 1};
    const float weights[] = {1, 1, 1};
    def.positions = square;
    def.vertex_count = 3;
    def.triangles = triangles;
    def.triangle_count = 2;
    if (skinned) {
        def.modes = square;
        def.mode_count = 1;
        def.joint_count = 2;
        def.influence_offsets = offsets;
        def.influence_joints = joints;
        def.influence_weights = weights;
    }
    uint64_t size = 0;
    if (pliant_context_create(NULL, &context) != PLIANT_OK ||
        pliant_shape_create(context, &def, &shape) != PLIANT_OK ||
        pliant_shape_write(shape, NULL, 0, &size) != PLIANT_OK) {
        fprintf(stderr, "no shape: %s\n", pliant_last_error());
        exit(1);
    }
    void *block = malloc(size);
    if (block == NULL || pliant_shape_write(shape, block, size, &size) != PLIANT_OK) {
        exit(1);
    }
    write_seed(folder, "shape", name, block, size);
    free(block);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
}

/* Programs for the public interface: any bytes are one. */
static void write_programs(const char *folder)
{
    uint64_t state = 1;
    for (int i = 0; i < 48; i++) {
        uint8_t bytes[4096];
        for (size_t k = 0; k < sizeof bytes; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[k] = (uint8_t)(state >> 56);
        }
        char name[24];
        snprintf(name, sizeof name, "program%d", i);
        write_seed(folder, "api", name, bytes, sizeof bytes);
    }
}

typedef struct seed_bytes {
    uint8_t bytes[1 << 18];
    size_t size;
} seed_bytes;

static bool take_bytes(void *user, const void *bytes, uint64_t size)
{
    seed_bytes *kept = user;
    if (size > sizeof kept->bytes - kept->size) {
        return false;
    }
    memcpy(kept->bytes + kept->size, bytes, (size_t)size);
    kept->size += (size_t)size;
    return true;
}

static bool let_through(void *user, pliant_body_id a, pliant_body_id b)
{
    (void)user;
    return (a.index + b.index) % 4 != 0;
}

/* Runs each query of two bodies of a scene once. */
static bool find_pairs(pliant_context *context, pliant_scene *scene)
{
    pliant_scene_options options = pliant_scene_options_default();
    pliant_volume_options at = pliant_volume_options_default();
    pliant_volume *volume = NULL;
    pliant_scene_contacts contacts;
    pliant_scene_proxy_contacts proxies;
    pliant_scene_proximities near;
    pliant_scene_features features;
    pliant_scene_volumes volumes;
    pliant_scene_meetings meetings;
    pliant_scene_free_time free_time;
    options.filter = let_through;
    at.resolution = 4;
    at.allow_open = true;
    bool done =
        pliant_volume_create(context, NULL, &volume) == PLIANT_OK &&
        pliant_scene_collide(scene, &options, &contacts) == PLIANT_OK &&
        pliant_scene_collide_proxies(scene, &options, &proxies) == PLIANT_OK &&
        pliant_scene_find_within(scene, 0.1f, &options, &near) == PLIANT_OK &&
        pliant_scene_find_features(scene, 0.1f, NULL, &features) == PLIANT_OK &&
        pliant_volume_intersect_scene(volume, scene, &options, &at, &volumes) == PLIANT_OK &&
        pliant_scene_find_meetings(scene, &options, &meetings) == PLIANT_OK &&
        pliant_scene_find_free_time(scene, NULL, &free_time) == PLIANT_OK;
    pliant_volume_destroy(volume);
    return done;
}

/* Runs each query of a scene once. */
static bool run_queries(pliant_context *context, pliant_scene *scene)
{
    const pliant_ray ray = {{0.2f, 0.2f, 5.0f}, {0.0f, 0.0f, -1.0f}, 9.0f};
    const pliant_box box = {{0.0f, 0.0f, 0.0f}, {0.5f, 0.5f, 0.5f}};
    pliant_scene_select select = pliant_scene_select_default();
    pliant_scene_ray_hit hit;
    bool blocked;
    pliant_scene_ray_hits hits;
    pliant_scene_closest closest;
    pliant_scene_signed_distance distance;
    pliant_scene_triangles triangles;
    return find_pairs(context, scene) &&
           pliant_scene_raycast(scene, &ray, 1, NULL, &hit) == PLIANT_OK &&
           pliant_scene_raycast_any(scene, &ray, 1, &select, &blocked) == PLIANT_OK &&
           pliant_scene_raycast_all(scene, &ray, 1, &select, &hits) == PLIANT_OK &&
           pliant_scene_find_closest_points(scene, ray.origin, 1, 0, 9.0f, NULL, &closest) ==
               PLIANT_OK &&
           pliant_scene_measure_distances(scene, ray.origin, 1, 0, NULL, &select, &distance) ==
               PLIANT_OK &&
           pliant_scene_overlap_box(scene, &box, NULL, &triangles) == PLIANT_OK;
}

/* Three triangles, one of which moves. */
static void write_recording(const char *folder)
{
    static seed_bytes kept;
    pliant_context *context = NULL;
    pliant_shape *shape = NULL;
    pliant_scene *scene = NULL;
    pliant_body *body[3] = {NULL, NULL, NULL};
    pliant_body_id id;
    const uint32_t triangle[] = {0, 1, 2};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = square;
    def.vertex_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    def.joint_count = 1;
    pliant_recording_options options = pliant_recording_options_default();
    options.write = take_bytes;
    options.write_user = &kept;
    const float moved[12] = {1, 0, 0, 0.1f, 0, 1, 0, 0, 0, 0.3f, 1, 0};
    bool done = pliant_context_create(NULL, &context) == PLIANT_OK &&
                pliant_shape_create(context, &def, &shape) == PLIANT_OK &&
                pliant_scene_create(context, NULL, &scene) == PLIANT_OK &&
                pliant_scene_record(scene, &options) == PLIANT_OK;
    for (int i = 0; i < 3 && done; i++) {
        done = pliant_body_create(shape, NULL, &body[i]) == PLIANT_OK &&
               pliant_scene_add(scene, body[i], NULL, &id) == PLIANT_OK;
    }
    done = done && run_queries(context, scene) &&
           pliant_body_set_transforms(body[1], moved, 1, 0) == PLIANT_OK &&
           pliant_scene_remove(scene, id) == PLIANT_OK && run_queries(context, scene) &&
           pliant_scene_stop_recording(scene) == PLIANT_OK;
    if (!done) {
        fprintf(stderr, "no recording: %s\n", pliant_last_error());
        exit(1);
    }
    write_seed(folder, "recording", "triangles", kept.bytes, kept.size);
    pliant_scene_destroy(scene);
    for (int i = 0; i < 3; i++) {
        pliant_body_destroy(body[i]);
    }
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
}

static void write_configs(const char *folder)
{
    static const char *const configs[] = {
        "{\"check\":{\"self\":true,\"ignore\":[\"Sword*\",\"a+b\"],\"number\":3},\"files\":[{"
        "\"match\":\"a/**/*.glb\",\"continuous\":2},{\"match\":\"hero-[0-9].glb\",\"skip\":true}]}",
        "{\"files\":[{\"match\":\"**/a/**/a/**/b\",\"ignore\":0.5,\"continuous\":false}]}"};
    for (size_t i = 0; i < 2; i++) {
        write_seed(folder, "config", i == 0 ? "all" : "some", configs[i], strlen(configs[i]));
    }
}

/* Of the bodies of target_reference.c; the third one opens a pair while another one is in hand. */
static void write_references(const char *folder)
{
    static const char *const references[][2] = {
        {"all", "pliant-reference 2\n# what was accepted\npair\ta\tb\n0.1 0.1 0.8\t0.1 0.1 0.8\t"
                "0.2\tit is so\n.5 .5 0\t.5 .5 .1\t1e-3\ninside\tc\tb\tit may\nend\n"},
        {"swapped", "pliant-reference 1\r\npair\tb\ta\r\n.1 .1 .8\t.1 .1 .8\t.2\r\npair\tx\ty\n"},
        {"between", "pliant-reference 2\npair\ta\tb\ninside\tc\tb\ninside\tc\ta\n"
                    ".1 .1 .8\t.1 .1 .8\t.2\npair\ta\ta\n0 0 0\t1 0 0\t0\nend\n"}};
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        write_seed(folder, "reference", references[i][0], references[i][1],
                   strlen(references[i][1]));
    }
}

#ifdef HAVE_DRACO_MAKER
/* A skinned triangle, compressed by both methods of Draco. */
static void write_draco(const char *folder)
{
    const uint32_t triangles[] = {0, 1, 2};
    for (int sequential = 0; sequential < 2; sequential++) {
        uint8_t stream[1000];
        draco_source source = {.positions = square,
                               .joints = plain_joints,
                               .weights = plain_weights,
                               .triangles = triangles,
                               .vertex_count = 3,
                               .triangle_count = 1,
                               .sequential = sequential != 0};
        size_t size = draco_make(&source, stream, sizeof stream);
        gltf_maker maker = {0};
        gltf_add_json(&maker, "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}");
        gltf_add_json(&maker, "{\"componentType\":5121,\"type\":\"VEC4\",\"count\":3}");
        gltf_add_json(&maker, "{\"componentType\":5126,\"type\":\"VEC4\",\"count\":3}");
        gltf_add_json(&maker, "{\"componentType\":5125,\"type\":\"SCALAR\",\"count\":3}");
        gltf_add_view(&maker, stream, size, "");
        byte_string glb = gltf_finish(
            &maker, ",\"nodes\":[{\"mesh\":0,\"skin\":0},{},{}],\"skins\":[{\"joints\":[1,2]}],"
                    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,"
                    "\"WEIGHTS_0\":2},\"indices\":3,\"extensions\":{"
                    "\"KHR_draco_mesh_compression\":{\"bufferView\":4,\"attributes\":{"
                    "\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2}}}}]}]");
        write_seed(folder, "glb", sequential ? "draco-sequential" : "draco", glb.at, glb.size);
        bytes_free(&glb);
    }
}
#endif

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
        return 2;
    }
    const char *folder = arguments[1];
    mkdir(folder, 0777);
    seed seeds[SEEDS];
    make_seeds(seeds);
    for (int i = 0; i < SEEDS; i++) {
        const char *format = strrchr(seeds[i].path, '.') + 1;
        write_seed(folder, format, seeds[i].path, seeds[i].bytes.at, seeds[i].bytes.size);
    }
    free_seeds(seeds);
    write_shape(folder, "free", false);
    write_shape(folder, "skinned", true);
    write_programs(folder);
    write_recording(folder);
    write_configs(folder);
    write_references(folder);
#ifdef HAVE_DRACO_MAKER
    write_draco(folder);
#endif
    return 0;
}
