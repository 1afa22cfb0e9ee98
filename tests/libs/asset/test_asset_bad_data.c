/* Bad glTF files whose structure is right and whose data is not: numbers, skins, animations, morph
   targets, indices; and bad containers. One test per row of the list of what bad files do to
   readers. */
#include "asset_seeds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void refuse_case(const skinned_case *made, const char *part)
{
    gltf_maker maker = {0};
    byte_string json;
    add_case(&maker, made, &json);
    assert_glb_refused((const char *)json.at, &maker.bin, part);
    bytes_free(&json);
    gltf_free(&maker);
}

/* Refuses a case with one number of an array of its own, of `count`, replaced for this once. */
static void refuse_number(skinned_case *made, const float **array, size_t count, size_t at,
                          float number, const char *part)
{
    const float *good = *array;
    float numbers[32];
    memcpy(numbers, good, count * sizeof *numbers);
    numbers[at] = number;
    *array = numbers;
    refuse_case(made, part);
    *array = good;
}

/* One of the texts of a case, and what is said about it. */
typedef struct bad_text {
    const char *text, *part;
} bad_text;

/* Refuses a case with one of its texts replaced by each of the bad ones. */
static void refuse_texts(skinned_case *made, const char **text, const bad_text *bad, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *text = bad[i].text;
        refuse_case(made, bad[i].part);
    }
}

static void numbers_that_are_none_are_refused(void **unused)
{
    (void)unused;
    byte_string good = make_skinned();
    loaded state;
    load_bytes(&state, "good.glb", good.at, good.size); /* the case itself is good */
    assert_int_equal(pliant_asset_get_counts(state.asset).notes, 0);
    unload(&state);
    bytes_free(&good);
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        skinned_case made = plain_case();
        refuse_number(&made, &made.positions, 9, 4, bad[i], "the POSITION of vertex 1 is not");
        refuse_number(&made, &made.weights, 12, 1, bad[i], "WEIGHTS_0 of vertex 0 is not fi");
        refuse_number(&made, &made.binds, 32, 16, bad[i], "accessor 3: element 1 is not finite");
        refuse_number(&made, &made.times, 3, 2, bad[i], "accessor 4: element 2 is not finite");
    }
    /* Huge, but finite: the transforms overflow, and the pose says so. */
    float huge[32];
    skinned_case made = plain_case();
    memcpy(huge, plain_binds, sizeof plain_binds);
    for (int i = 0; i < 32; i++) {
        huge[i] *= 3e38f;
    }
    huge[12] = 3e38f;
    made.binds = huge;
    gltf_maker maker = {0};
    byte_string json;
    add_case(&maker, &made, &json);
    byte_string glb = make_glb((const char *)json.at, &maker.bin);
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    assert_int_equal(exercise_bytes(context, "huge.glb", glb.at, glb.size), PLIANT_OK);
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
    bytes_free(&glb);
    bytes_free(&json);
    gltf_free(&maker);
}

static void bad_skins_are_refused(void **unused)
{
    (void)unused;
    static const bad_text skins[] = {
        {"{\"joints\":[]}", "skin 0: it has no joints"},
        {"{}", "skin 0: it has no joints"},
        {"{\"joints\":[1,7]}", "skin 0: a joint is 7 of 3"},
        {"{\"joints\":[1]}", "vertex 1 uses joint 1 of 1"},
        {"{\"joints\":[1,2,1],\"inverseBindMatrices\":3}", "2 inverse bind matrices for 3 joints"},
        {"{\"joints\":[1,2],\"inverseBindMatrices\":0}",
         "its type has 3 numbers where 16 are needed"},
    };
    skinned_case made = plain_case();
    refuse_texts(&made, &made.skin, skins, sizeof skins / sizeof skins[0]);
    made = plain_case();
    const float negative[] = {1, 0, 0, 0, 1.5f, -0.5f, 0, 0, 0, 1, 0, 0};
    made.weights = negative;
    refuse_case(&made, "the weight of vertex 1 is -0.5");
}

static void bad_animations_are_refused(void **unused)
{
    (void)unused;
    static const bad_text samplers[] = {
        {"{\"input\":4,\"output\":5,\"interpolation\":0}", "its interpolation is none of LINEAR"},
        {"{\"input\":4,\"output\":5,\"interpolation\":\"SMOOTH\"}", "its interpolation is none of"},
        {"{\"input\":4,\"output\":5,\"interpolation\":\"CUBICSPLINE\"}",
         "has 3 elements where 3 keys need 9"},
        {"{\"input\":4}", "a sampler without input and output"},
        {"{\"input\":9,\"output\":5}", "input is 9 of 6"},
        {"{\"input\":0,\"output\":5}", "its type has 3 numbers where 1 are needed"},
        {"{\"input\":4,\"output\":0}", "its type has 3 numbers where 4 are needed"},
    };
    skinned_case made = plain_case();
    refuse_texts(&made, &made.sampler, samplers, sizeof samplers / sizeof samplers[0]);
    made = plain_case();
    const float backwards[] = {0, 2, 1};
    made.times = backwards;
    refuse_case(&made, "key 2 comes before the key ahead of it");
}

static void morph_targets_of_other_lengths_are_refused(void **unused)
{
    (void)unused;
    static const bad_text targets[] = {
        {"[{\"POSITION\":2}]", "its type has 4 numbers where 3 are needed"},
        {"[{\"POSITION\":0},{}]", "weights is not a list of 2 numbers"},
        {"[7]", "morph target 0 is not an object"},
        {"7", "targets is not a list"},
    };
    skinned_case made = plain_case();
    refuse_texts(&made, &made.targets, targets, sizeof targets / sizeof targets[0]);
    gltf_maker maker = {0};
    int positions, indices;
    gltf_add_square(&maker, &positions, &indices);
    gltf_add(&maker, "VEC3", GLTF_F32, 3, square);
    gltf_assert_refused(&maker,
                        GLTF_SCENE ",\"meshes\":[{\"primitives\":["
                                   "{\"attributes\":{\"POSITION\":0},\"indices\":1,"
                                   "\"targets\":[{\"POSITION\":2}]}]}]",
                        "3 morphed positions for 4 vertices");
    gltf_assert_refused(&maker,
                        GLTF_SCENE
                        ",\"meshes\":[{\"primitives\":["
                        "{\"attributes\":{\"POSITION\":0},\"indices\":1,\"targets\":[{}]},"
                        "{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]",
                        "primitive 1 has 0 morph targets, and the first has 1");
    gltf_free(&maker);
}

static void indices_out_of_range_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *part;
        size_t count;
        int mode;
        uint16_t indices[6];
    } cases[] = {
        {"triangle 1 uses vertex 4 of 4", 6, 4, {0, 1, 2, 0, 1, 4}},
        {"uses vertex 65535 of 4", 6, 5, {0, 1, 2, 0, 65535, 3}},
        {"triangle 0 uses vertex 9 of 4", 6, 6, {9, 1, 2, 3, 1, 2}},
        {"5 corners of triangles", 5, 4, {0, 1, 2, 0, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_maker maker = {0};
        int positions, indices;
        gltf_add_square(&maker, &positions, &indices);
        gltf_add(&maker, "SCALAR", GLTF_U16, cases[i].count, cases[i].indices);
        char members[300];
        snprintf(members, sizeof members,
                 ",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
                 "\"POSITION\":0},\"indices\":2,\"mode\":%d}]}]",
                 cases[i].mode);
        gltf_assert_refused(&maker, members, cases[i].part);
        gltf_free(&maker);
    }
}

/* 84 skins over one skeleton: no fault, and nothing is copied 84 times. */
/* Files from memory, and how often any but the first was read. */
typedef struct counted_files {
    memory_file files[2];
    memory_folder folder;
    unsigned reads;
} counted_files;

static bool counted_size(void *user, const char *path, uint64_t *size)
{
    pliant_files files = memory_files(&((counted_files *)user)->folder);
    return files.size(files.user, path, size);
}

static bool counted_read(void *user, const char *path, uint64_t offset, void *buffer,
                         uint64_t count)
{
    counted_files *counted = user;
    counted->reads += strcmp(path, counted->files[0].path) != 0;
    pliant_files files = memory_files(&counted->folder);
    return files.read(files.user, path, offset, buffer, count);
}

/* A mesh of one triangle in each of `count` buffers, all of them one file under several names. */
static byte_string text_of_many_buffers(unsigned count)
{
    const char *const names[] = {"a.bin", "./a.bin", ".//a.bin", "%61.bin"};
    byte_string text = {0};
    const char *const lists[] = {"buffers", "bufferViews", "accessors", "meshes", "nodes"};
    bytes_add_text(&text, "{\"asset\":{\"version\":\"2.0\"}");
    for (int list = 0; list < 5; list++) {
        bytes_add_text(&text, ",\"%s\":[", lists[list]);
        for (unsigned i = 0; i < count; i++) {
            bytes_add_text(&text, i > 0 ? ",{" : "{");
            switch (list) {
            case 0:
                bytes_add_text(&text, "\"byteLength\":%u,\"uri\":\"%s\"", 36 + i, names[i % 4]);
                break;
            case 1:
                bytes_add_text(&text, "\"buffer\":%u,\"byteOffset\":%u,\"byteLength\":36", i,
                               i / 4 * 4);
                break;
            case 2:
                bytes_add_text(&text,
                               "\"bufferView\":%u,\"componentType\":5126,\"count\":3,"
                               "\"type\":\"VEC3\"",
                               i);
                break;
            case 3:
                bytes_add_text(&text, "\"primitives\":[{\"attributes\":{\"POSITION\":%u}}]", i);
                break;
            default:
                bytes_add_text(&text, "\"mesh\":%u", i);
                break;
            }
            bytes_add_text(&text, "}");
        }
        bytes_add_text(&text, "]");
    }
    bytes_add_text(&text, "}");
    return text;
}

/* A file behind many buffers is read a few times, however many more bytes each of them needs. */
static void shared_files_are_read_a_few_times(void **unused)
{
    (void)unused;
    enum { BUFFERS = 2000, NUMBERS = 1 << 15 };
    float *numbers = malloc(NUMBERS * sizeof *numbers);
    assert_non_null(numbers);
    for (int i = 0; i < NUMBERS; i++) {
        numbers[i] = (float)i;
    }
    byte_string text = text_of_many_buffers(BUFFERS);
    counted_files counted = {
        .files = {{"many.gltf", text.at, text.size}, {"a.bin", numbers, 4 * NUMBERS}}};
    counted.folder = (memory_folder){counted.files, 2};
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    const char *path = "many.gltf";
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = &path;
    def.path_count = 1;
    def.files = (pliant_files){counted_size, counted_read, &counted};
    pliant_asset *asset = NULL;
    assert_ok(pliant_asset_load(context, &def, &asset));
    assert_in_range(counted.reads, 1, 7); /* one for 64 bytes, then for twice as many each time */
    assert_true(memory.peak_bytes <= 64 * (text.size + 4 * NUMBERS) + (16 << 20));
    assert_int_equal(pliant_asset_get_counts(asset).bodies, BUFFERS);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        float first = pliant_asset_get_mesh(asset, i)->positions[0];
        assert_true(first == (float)(i / 4));
    }
    pliant_asset_destroy(asset);
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
    bytes_free(&text);
    free(numbers);
}

static void many_skins_are_read(void **unused)
{
    (void)unused;
    gltf_maker maker = {0};
    gltf_add(&maker, "VEC3", GLTF_F32, 3, square);
    gltf_add(&maker, "VEC4", GLTF_U8, 3, plain_joints);
    gltf_add(&maker, "VEC4", GLTF_F32, 3, plain_weights);
    gltf_add(&maker, "MAT4", GLTF_F32, 2, plain_binds);
    byte_string members = {0};
    bytes_add_text(&members, ",\"nodes\":[{},{}");
    for (int i = 0; i < 84; i++) {
        bytes_add_text(&members, ",{\"mesh\":0,\"skin\":%d}", i);
    }
    bytes_add_text(&members, "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,"
                             "\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]}],\"skins\":[");
    for (int i = 0; i < 84; i++) {
        bytes_add_text(&members, "%s{\"joints\":[%d,%d],\"inverseBindMatrices\":3}",
                       i > 0 ? "," : "", i % 2, 1 - i % 2);
    }
    bytes_add(&members, "]", 2);
    byte_string glb = gltf_finish(&maker, (const char *)members.at);
    loaded state;
    load_bytes(&state, "many.glb", glb.at, glb.size);
    assert_int_equal(pliant_asset_get_counts(state.asset).bodies, 84);
    assert_int_equal(pliant_asset_get_counts(state.asset).shapes, 1);
    unload(&state);
    bytes_free(&glb);
    bytes_free(&members);
}

static void bad_containers_are_refused(void **unused)
{
    (void)unused;
    byte_string good = make_skinned();
    byte_string bad = {0};
    bytes_add(&bad, good.at, good.size);
    bad.at[4] = 1;
    assert_refused("a.glb", bad.at, bad.size, "GLB version 1 is not read");
    bad.at[4] = 2;
    bad.at[16] = 'B';
    assert_refused("a.glb", bad.at, bad.size, "its first chunk, and only that, must be JSON");
    memset(bad.at + 12, 0xff, 4);
    assert_refused("a.glb", bad.at, bad.size, "chunk 0 promises 4294967295 bytes");
    memset(bad.at + 8, 0xff, 4);
    assert_refused("a.glb", bad.at, bad.size, "its header promises 4294967295 bytes");
    assert_refused("a.glb", good.at, 15, "too short for a GLB file");
    bytes_free(&bad);
    bytes_free(&good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(bad_skins_are_refused),
        cmocka_unit_test(bad_animations_are_refused),
        cmocka_unit_test(morph_targets_of_other_lengths_are_refused),
        cmocka_unit_test(indices_out_of_range_are_refused),
        cmocka_unit_test(many_skins_are_read),
        cmocka_unit_test(shared_files_are_read_a_few_times),
        cmocka_unit_test(bad_containers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
