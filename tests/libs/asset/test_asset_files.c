/* Real files: the known facts about each, and the corpora of bad ones. Skipped where they are not.
 */
#include "asset_fixture.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "pliant/pliant.h"

/* Loads a file below the folder of assets; skips the test where there is none. */
static void load_real(loaded *state, const char *name)
{
    const char *folder = assets_folder();
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *state = (loaded){0};
    state->context = asset_context(&state->memory);
    const char *paths[] = {path};
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = paths;
    def.path_count = 1;
    assert_ok(pliant_asset_load(state->context, &def, &state->asset));
    assert_ok(pliant_asset_pose_create(state->asset, &state->pose));
}

typedef struct known_file {
    const char *path;
    uint32_t bodies, shapes, clips;
    uint64_t triangles;
} known_file;

static const known_file known_files[] = {
    {"characters/dressed-person.glb", 3, 3, 2, 46748},
    {"characters/knight.glb", 15, 15, 76, 6952},
    {"characters/horse.glb", 1, 1, 13, 2182},
    {"characters/wolf.glb", 1, 1, 12, 1962},
    {"characters/shark.glb", 1, 1, 1, 644},
    {"characters/fox.glb", 1, 1, 3, 576},
    {"characters/robot.glb", 14, 14, 14, 3237},
    {"characters/AnimatedMorphSphere.gltf", 1, 1, 1, 960},
    {"characters/hand-left.glb", 1, 1, 0, 2314},
    {"characters/hand-right.glb", 1, 1, 0, 2314},
    {"conformance/InterpolationTest.glb", 10, 2, 9, 110},
    {"conformance/MorphStressTest.glb", 1, 1, 3, 2412},
    {"conformance/SimpleSkin.gltf", 1, 1, 1, 8},
    {"conformance/Instancing/Instancing_06.gltf", 2, 1, 0, 4},
    {"meshes/spot.obj", 1, 1, 0, 23062},
    {"meshes/human_man.obj", 1, 1, 0, 13776},
    {"truth/cloth/cloth_ball92.ply", 1, 1, 0, 92230},
    {"truth/cloth/two-cubes-far.ply", 1, 1, 0, 480},
    {"caches/max_cache_box.pc2", 1, 1, 1, 0},
};

static void known_files_hold_what_is_known(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof known_files / sizeof known_files[0]; i++) {
        const known_file *known = &known_files[i];
        loaded state;
        load_real(&state, known->path);
        pliant_asset_counts counts = pliant_asset_get_counts(state.asset);
        uint64_t triangles = 0;
        for (uint32_t b = 0; b < counts.bodies; b++) {
            uint32_t shape = pliant_asset_get_body(state.asset, b)->shape;
            triangles += pliant_asset_get_mesh(state.asset, shape)->triangle_count;
        }
        if (counts.bodies != known->bodies || counts.shapes != known->shapes ||
            counts.clips != known->clips || triangles != known->triangles) {
            fail_msg("%s: %u bodies of %u shapes, %u clips, %llu triangles", known->path,
                     counts.bodies, counts.shapes, counts.clips, (unsigned long long)triangles);
        }
        unload(&state);
    }
}

static void known_details_are_found(void **unused)
{
    (void)unused;
    loaded state;
    load_real(&state, "characters/dressed-person.glb");
    assert_int_equal(pliant_asset_get_body(state.asset, 0)->joint_count, 163);
    assert_string_equal(pliant_asset_get_clip(state.asset, 0)->name, "walk");
    assert_string_equal(pliant_asset_get_clip(state.asset, 1)->name, "squat");
    unload(&state);
    load_real(&state, "characters/robot.glb");
    unsigned odd = 0;
    for (uint32_t i = 0; i < pliant_asset_get_counts(state.asset).notes; i++) {
        const char *note = strstr(pliant_asset_get_note(state.asset, i), "the weights of ");
        unsigned count = 0;
        odd += note != NULL && sscanf(note, "the weights of %u vertices", &count) == 1 ? count : 0;
    }
    assert_int_equal(odd, 734);
    unload(&state);
    load_real(&state, "caches/max_cache_box.pc2");
    assert_int_equal(pliant_asset_get_mesh(state.asset, 0)->vertex_count, 770);
    assert_int_equal(pliant_asset_get_clip(state.asset, 0)->frame_count, 11);
    unload(&state);
}

/* The sum of all weights of a vertex is 1 after loading, whatever the file says. */
static void weights_sum_to_one(void **unused)
{
    (void)unused;
    loaded state;
    load_real(&state, "characters/robot.glb");
    for (uint32_t s = 0; s < pliant_asset_get_counts(state.asset).shapes; s++) {
        const pliant_asset_mesh *mesh = pliant_asset_get_mesh(state.asset, s);
        for (uint32_t v = 0; mesh->influence_offsets != NULL && v < mesh->vertex_count; v++) {
            double sum = 0.0;
            for (uint32_t i = mesh->influence_offsets[v]; i < mesh->influence_offsets[v + 1]; i++) {
                sum += (double)mesh->influence_weights[i];
            }
            assert_true(fabs(sum - 1.0) < 1e-6);
        }
    }
    unload(&state);
}

static bool is_closed(const loaded *state, uint32_t shape)
{
    pliant_shape_def def;
    pliant_shape *made = NULL;
    assert_ok(pliant_asset_get_shape_def(state->asset, shape, &def));
    assert_ok(pliant_shape_create(state->context, &def, &made));
    bool closed = pliant_shape_is_closed(made);
    pliant_shape_destroy(made);
    return closed;
}

static void watertight_files_are_closed(void **unused)
{
    (void)unused;
    static const char *const files[] = {"meshes/spot.obj",
                                        "meshes/fish_low_resolution.obj",
                                        "meshes/penguin.obj",
                                        "meshes/torus.obj",
                                        "meshes/scorpion_low_resolution.obj",
                                        "characters/hand-left.glb",
                                        "characters/hand-right.glb"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        loaded state;
        load_real(&state, files[i]);
        assert_true(is_closed(&state, 0));
        unload(&state);
    }
}

/* Pairs of the first body with itself that share no vertex, in the current pose. */
static uint64_t self_pairs(const loaded *state)
{
    pliant_shape_def def;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_query *query = NULL;
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.neighbours = PLIANT_NEIGHBOURS_SKIP;
    assert_ok(pliant_asset_get_shape_def(state->asset, 0, &def));
    assert_ok(pliant_shape_create(state->context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_ok(pliant_asset_pose_apply(state->pose, 0, body));
    assert_ok(pliant_query_create(state->context, &query));
    assert_ok(pliant_collide_self(query, body, &options, &contacts));
    uint64_t pairs = pliant_query_get_stats(query)->pairs;
    pliant_query_destroy(query);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    return pairs;
}

static void still_files_touch_themselves_as_known(void **unused)
{
    (void)unused;
    static const struct {
        const char *path;
        uint64_t pairs;
    } files[] = {{"truth/cloth/cloth_ball92.ply", 61530},
                 {"truth/cloth/cloth_ball93.ply", 97320},
                 {"truth/cloth/two-cubes-far.ply", 0},
                 {"truth/cloth/two-cubes-close.ply", 0},
                 {"truth/cloth/two-cubes-intersecting.ply", 96},
                 {"meshes/spot_low_resolution.obj", 0},
                 {"meshes/torus.obj", 0},
                 {"meshes/human_man.obj", 68},
                 {"characters/shark.glb", 0}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        loaded state;
        load_real(&state, files[i].path);
        uint64_t pairs = self_pairs(&state);
        if (pairs != files[i].pairs) {
            fail_msg("%s: %llu pairs, not %llu", files[i].path, (unsigned long long)pairs,
                     (unsigned long long)files[i].pairs);
        }
        unload(&state);
    }
}

/* Every vertex of every body, in every clip, as bodies evaluate it. */
static void bodies_evaluate_what_assets_do(void **unused)
{
    (void)unused;
    static const char *const files[] = {"characters/robot.glb", "characters/fox.glb",
                                        "characters/AnimatedMorphSphere.gltf",
                                        "conformance/MorphStressTest.glb"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        loaded state;
        load_real(&state, files[i]);
        pliant_asset_counts counts = pliant_asset_get_counts(state.asset);
        for (uint32_t b = 0; b < counts.bodies; b++) {
            uint32_t number = pliant_asset_get_body(state.asset, b)->shape;
            uint32_t vertices = pliant_asset_get_mesh(state.asset, number)->vertex_count;
            pliant_shape_def def;
            pliant_shape *shape = NULL;
            pliant_body *body = NULL;
            float *found = calloc(vertices, 3 * sizeof *found);
            assert_ok(pliant_asset_get_shape_def(state.asset, number, &def));
            assert_ok(pliant_shape_create(state.context, &def, &shape));
            assert_ok(pliant_body_create(shape, NULL, &body));
            for (uint32_t clip = 0; clip < counts.clips; clip++) {
                double duration = pliant_asset_get_clip(state.asset, clip)->duration;
                assert_ok(pliant_asset_pose_sample(state.pose, clip, 0.4 * duration));
                assert_ok(pliant_asset_pose_apply(state.pose, b, body));
                assert_ok(pliant_body_evaluate(body, NULL, vertices, found));
                float *expected = evaluated(&state, b);
                for (size_t k = 0; k < 3 * (size_t)vertices; k++) {
                    assert_true(found[k] == expected[k]);
                }
                free(expected);
            }
            free(found);
            pliant_body_destroy(body);
            pliant_shape_destroy(shape);
        }
        unload(&state);
    }
}

/* What is known of a file that has a report beside it: whether the validator found errors. */
static bool is_valid(const char *path)
{
    char report[1300], text[4000] = "";
    snprintf(report, sizeof report, "%s.report.json", path);
    FILE *file = fopen(report, "r");
    if (file == NULL) {
        return false;
    }
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    return strstr(text, "\"numErrors\": 0") != NULL;
}

typedef struct corpus {
    unsigned files, loaded, valid;
} corpus;

/* The file system, and how many bytes of it were read. */
typedef struct counted_files {
    pliant_files files;
    uint64_t bytes;
} counted_files;

static bool counted_size(void *user, const char *path, uint64_t *size)
{
    const counted_files *counted = user;
    return counted->files.size(counted->files.user, path, size);
}

static bool counted_read(void *user, const char *path, uint64_t offset, void *buffer,
                         uint64_t count)
{
    counted_files *counted = user;
    counted->bytes += count;
    return counted->files.read(counted->files.user, path, offset, buffer, count);
}

/* The promise of the header: 64 times the size of what is read, plus 16 MiB. */
static void assert_small_when_loaded(const char *path)
{
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    uint64_t before = memory.live_bytes;
    pliant_asset_def def = pliant_asset_def_default();
    counted_files counted = {def.files, 0};
    def.files = (pliant_files){counted_size, counted_read, &counted};
    def.paths = &path;
    def.path_count = 1;
    pliant_asset *asset = NULL;
    pliant_asset_load(context, &def, &asset);
    if (memory.peak_bytes - before > 64 * counted.bytes + ((uint64_t)16 << 20)) {
        fail_msg("%s: %llu bytes for a file of %llu", path, (unsigned long long)memory.peak_bytes,
                 (unsigned long long)counted.bytes);
    }
    pliant_asset_destroy(asset);
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
}

static bool is_wanted(const char *path)
{
    static const char *const endings[] = {
#define FORMAT(kind, ending, name, magic) "." #ending,
#include "../../../libs/asset/formats.inl"
    };
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(path + length - ending, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void visit_file(corpus *found, const char *path)
{
    struct stat status;
    if (!is_wanted(path) || stat(path, &status) != 0) {
        return;
    }
    assert_small_when_loaded(path);
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    clock_t start = clock();
    pliant_result result = exercise_paths(context, NULL, &path, 1);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    bool valid = is_valid(path);
    bool silent = result != PLIANT_OK && strlen(pliant_last_error()) <= 10;
    if ((valid && result != PLIANT_OK) || silent || seconds > 1.0) {
        fail_msg("%s: %s (%s), %g s", path, pliant_result_get_name(result), pliant_last_error(),
                 seconds);
    }
    found->files++;
    found->loaded += result == PLIANT_OK ? 1 : 0;
    found->valid += valid ? 1 : 0;
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
}

static void visit_folder(corpus *found, const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        char path[1200];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &status) != 0) {
            continue;
        }
        if (S_ISDIR(status.st_mode)) {
            visit_folder(found, path);
        } else {
            visit_file(found, path);
        }
    }
    closedir(directory);
}

static void bad_files_end_cleanly_and_valid_ones_load(void **unused)
{
    (void)unused;
    const char *folder = assets_folder();
    char path[1100];
    corpus malformed = {0}, conformance = {0};
    snprintf(path, sizeof path, "%s/malformed", folder);
    visit_folder(&malformed, path);
    assert_true(malformed.files > 200 && malformed.valid >= 60);
    snprintf(path, sizeof path, "%s/conformance", folder);
    visit_folder(&conformance, path);
    assert_true(conformance.files > 50);
    assert_int_equal(conformance.loaded, conformance.files);
}

/* Debian's package assimp-testmodels, where it is installed: files of many programs, and broken
   ones. */
static void other_programs_files_end_cleanly(void **unused)
{
    (void)unused;
    const char *folder = getenv("PLIANT_ASSIMP_MODELS");
    corpus found = {0};
    visit_folder(&found, folder != NULL ? folder : "/usr/share/assimp/models");
    if (found.files == 0) {
        skip_without("the package assimp-testmodels");
    }
    print_message("%u of %u files load\n", found.loaded, found.files);
    assert_true(found.files > 60 && 2 * found.loaded > found.files);
    assert_true(found.loaded < found.files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_files_hold_what_is_known),
        cmocka_unit_test(known_details_are_found),
        cmocka_unit_test(weights_sum_to_one),
        cmocka_unit_test(watertight_files_are_closed),
        cmocka_unit_test(still_files_touch_themselves_as_known),
        cmocka_unit_test(bodies_evaluate_what_assets_do),
        cmocka_unit_test(bad_files_end_cleanly_and_valid_ones_load),
        cmocka_unit_test(other_programs_files_end_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
