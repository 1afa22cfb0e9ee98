/* Sequences of meshes, and vertex caches. */
#include "asset_fixture.h"
#include "temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file in a temporary folder: sequences are found in the file system. */
static void write_text(const char *folder, const char *name, const char *text)
{
    char path[TEMPORARY_FILE];
    temporary_path(path, folder, name);
    temporary_write(path, text, strlen(text));
}

#define FACES "f 1 2 3\no b\nf 2 3 4\n"

static void sequences_are_read_frame_by_frame(void **unused)
{
    (void)unused;
    char folder[TEMPORARY_FOLDER];
    temporary_folder(folder);
    static const char *const names[] = {"s.0009.obj",  "s.0010.obj", "s.0012.obj", "s.0013.obj",
                                        "s.10000.obj", "s.abc.obj",  "s.001.obj"};
    write_text(folder, names[0], "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n" FACES);
    write_text(folder, names[1], "o a\nv 5 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\n" FACES);
    write_text(folder, names[2],
               "o a\nv 5 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nf 1 3 2\no b\nf 2 3 4\n");
    write_text(folder, names[3], "o a\nv 5 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text(folder, names[4], "o a\nv 9 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 3\n" FACES);
    write_text(folder, names[5], "not a frame");
    write_text(folder, names[6], "not a frame either");
    char pattern[TEMPORARY_FILE];
    temporary_path(pattern, folder, "s.####.obj");
    const char *path = pattern;
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = &path;
    def.path_count = 1;
    def.frames_per_second = 10.0;
    pliant_asset *asset = NULL;
    pliant_asset_pose *pose = NULL;
    assert_ok(pliant_asset_load(context, &def, &asset));
    assert_ok(pliant_asset_pose_create(asset, &pose));
    assert_int_equal(pliant_asset_get_counts(asset).bodies, 2);
    assert_int_equal(pliant_asset_get_body(asset, 0)->motion, PLIANT_ASSET_FRAMES);
    assert_int_equal(pliant_asset_get_counts(asset).clips, 1);
    const pliant_asset_clip *clip = pliant_asset_get_clip(asset, 0);
    assert_string_equal(clip->name, "frames");
    assert_int_equal(clip->frame_count, 5);
    assert_true(clip->duration == 0.4);
    assert_int_equal(pliant_asset_get_counts(asset).notes, 2); /* two gaps */

    assert_true(pliant_asset_pose_get_state(pose, 0).positions[0] == 0.0f); /* rest: the first */
    assert_ok(pliant_asset_pose_sample(pose, 0, 0.1));
    assert_true(pliant_asset_pose_get_state(pose, 0).positions[0] == 5.0f);
    assert_true(pliant_asset_pose_get_state(pose, 1).positions[8] == 2.0f);
    assert_int_equal(pliant_asset_pose_get_state(pose, 1).position_count, 3);
    assert_null(pliant_asset_pose_get_state(pose, 1).transforms);
    /* The nearest frame counts, and times outside count as the ends. */
    assert_ok(pliant_asset_pose_sample(pose, 0, 0.14));
    assert_true(pliant_asset_pose_get_state(pose, 0).positions[0] == 5.0f);
    assert_ok(pliant_asset_pose_sample(pose, 0, 99.0));
    assert_true(pliant_asset_pose_get_state(pose, 0).positions[0] == 9.0f);
    assert_ok(pliant_asset_pose_sample(pose, 0, -99.0));
    assert_true(pliant_asset_pose_get_state(pose, 0).positions[0] == 0.0f);
    /* Frames that are another mesh. */
    assert_int_equal(pliant_asset_pose_sample(pose, 0, 0.2), PLIANT_ERROR_DATA);
    assert_non_null(strstr(pliant_last_error(), "s.0012.obj: its faces are not those"));
    assert_int_equal(pliant_asset_pose_sample(pose, 0, 0.3), PLIANT_ERROR_DATA);
    assert_non_null(strstr(pliant_last_error(), "s.0013.obj: it has 1 bodies"));
    assert_int_equal(pliant_asset_pose_sample(pose, 1, 0.0), PLIANT_ERROR_RANGE);
    assert_ok(pliant_asset_pose_sample(pose, 0, 0.1));
    assert_true(pliant_asset_pose_get_state(pose, 0).positions[0] == 5.0f);

    /* The state goes into a body as it is. */
    pliant_shape_def shape_def;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    assert_ok(pliant_asset_get_shape_def(asset, 0, &shape_def));
    assert_ok(pliant_shape_create(context, &shape_def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_ok(pliant_asset_pose_apply(pose, 0, body));
    float position[3];
    assert_ok(pliant_body_evaluate(body, NULL, 1, position));
    assert_true(position[0] == 5.0f);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);

    pliant_asset_pose_destroy(pose);
    pliant_asset_destroy(asset);
    temporary_path(pattern, folder, "t.####.obj");
    assert_int_equal(pliant_asset_load(context, &def, &asset), PLIANT_ERROR_DATA);
    assert_non_null(strstr(pliant_last_error(), "there is no such file"));
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
    temporary_remove(folder);
}

/* Bodies are named after their object, or after the pattern without its number. */
static void sequences_have_names_without_numbers(void **unused)
{
    (void)unused;
    char folder[TEMPORARY_FOLDER];
    temporary_folder(folder);
    static const char *const names[] = {"cloth.01.off", "cloth.02.off", "7.off"};
    for (int i = 0; i < 3; i++) {
        write_text(folder, names[i], "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    }
    static const char *const cases[][2] = {{"cloth.##.off", "cloth"}, {"#.off", "7"}};
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    for (int i = 0; i < 2; i++) {
        char pattern[TEMPORARY_FILE];
        temporary_path(pattern, folder, cases[i][0]);
        const char *path = pattern;
        pliant_asset_def def = pliant_asset_def_default();
        def.paths = &path;
        def.path_count = 1;
        pliant_asset *asset = NULL;
        assert_ok(pliant_asset_load(context, &def, &asset));
        assert_string_equal(pliant_asset_get_body(asset, 0)->name, cases[i][1]);
        pliant_asset_destroy(asset);
    }
    pliant_context_destroy(context);
    temporary_remove(folder);
}

static void only_meshes_form_sequences(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *pattern, *text, *part;
    } cases[] = {
        {"s.1.gltf", "s.#.gltf", "{}", "s.1.gltf: glTF files cannot form a sequence"},
        {"s.1.pc2", "s.#.pc2", "POINTCACHE2", "s.1.pc2: PC2 files cannot form a sequence"},
        {"s.1.stl", "s.#.stl", "solid", "s.1.stl: STL is not read"},
        {"s.1.xyz", "s.#.xyz", "f 1 2 3\n", "s.1.xyz: its format is not known"},
    };
    char folder[TEMPORARY_FOLDER], pattern[TEMPORARY_FILE];
    temporary_folder(folder);
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_text(folder, cases[i].name, cases[i].text);
        temporary_path(pattern, folder, cases[i].pattern);
        const char *path = pattern;
        assert_int_equal(exercise_paths(context, NULL, &path, 1), PLIANT_ERROR_DATA);
        assert_non_null(strstr(pliant_last_error(), cases[i].part));
    }
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
    temporary_remove(folder);
}

static byte_string make_pc2(uint32_t points, uint32_t frames, uint32_t stored)
{
    byte_string bytes = {0};
    bytes_add(&bytes, "POINTCACHE2", 12);
    uint32_t head[] = {1, points};
    bytes_add_u32(&bytes, head, 2);
    const float rate[] = {0.0f, 1.0f};
    bytes_add_floats(&bytes, rate, 2);
    bytes_add_u32(&bytes, &frames, 1);
    for (uint32_t i = 0; i < stored; i++) {
        float value = (float)i;
        bytes_add_floats(&bytes, &value, 1);
    }
    return bytes;
}

static byte_string make_mdd(uint32_t points, uint32_t frames, uint32_t stored)
{
    byte_string bytes = {0};
    bytes_add_u32_big(&bytes, frames);
    bytes_add_u32_big(&bytes, points);
    for (uint32_t i = 0; i < frames && i < 100; i++) {
        bytes_add_float_big(&bytes, 0.5f * (float)(i * i));
    }
    for (uint32_t i = 0; i < stored; i++) {
        bytes_add_float_big(&bytes, (float)i);
    }
    return bytes;
}

/* Two objects: before a cache they are one body with the file's order of vertices. */
static const char *const cached_mesh =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no a\nf 3 2 1\no b\nf 4 2 1\n";

static void caches_move_their_mesh(void **unused)
{
    (void)unused;
    static const char *const names[] = {"c.pc2", "c.mdd", "C.PC2", "C.Mdd"};
    for (int i = 0; i < 4; i++) {
        bool mdd = i % 2 == 1;
        byte_string cache = mdd ? make_mdd(4, 3, 36) : make_pc2(4, 3, 36);
        const char *paths[] = {"m.obj", names[i]};
        loaded state = {.files = {{paths[0], cached_mesh, strlen(cached_mesh)},
                                  {paths[1], cache.at, cache.size}}};
        load_files(&state, paths, 2);
        assert_int_equal(pliant_asset_get_counts(state.asset).bodies, 1);
        const pliant_asset_mesh *mesh = mesh_of(&state, 0);
        assert_int_equal(mesh->vertex_count, 4);
        assert_int_equal(mesh->triangle_count, 2);
        assert_triangle(mesh, 0, 2, 1, 0);
        assert_triangle(mesh, 1, 3, 1, 0);
        const pliant_asset_clip *clip = pliant_asset_get_clip(state.asset, 0);
        assert_int_equal(clip->frame_count, 3);
        assert_true(clip->duration == (mdd ? 2.0 : 2.0 / 30.0));
        assert_true(pliant_asset_pose_get_state(state.pose, 0).positions[3] == 1.0f);
        assert_ok(pliant_asset_pose_sample(state.pose, 0, mdd ? 0.5 : 1.0 / 30.0));
        assert_true(pliant_asset_pose_get_state(state.pose, 0).positions[0] == 12.0f);
        assert_ok(pliant_asset_pose_sample(state.pose, 0, mdd ? 1.3 : 10.0));
        assert_true(pliant_asset_pose_get_state(state.pose, 0).positions[11] == 35.0f);
        assert_ok(pliant_asset_pose_sample(state.pose, PLIANT_ASSET_REST, 0.0));
        assert_true(pliant_asset_pose_get_state(state.pose, 0).positions[3] == 1.0f);
        unload(&state);
        bytes_free(&cache);
    }
}

static void caches_alone_are_points(void **unused)
{
    (void)unused;
    byte_string cache = make_pc2(4, 3, 36);
    loaded state;
    load_bytes(&state, "c.pc2", cache.at, cache.size);
    assert_int_equal(mesh_of(&state, 0)->vertex_count, 4);
    assert_int_equal(mesh_of(&state, 0)->triangle_count, 0);
    pliant_shape_def def;
    assert_int_equal(pliant_asset_get_shape_def(state.asset, 0, &def), PLIANT_ERROR_DATA);
    assert_ok(pliant_asset_pose_sample(state.pose, 0, 1.0 / 30.0));
    assert_true(pliant_asset_pose_get_state(state.pose, 0).positions[0] == 12.0f);
    unload(&state);
    bytes_free(&cache);
}

/* A number of a cache, in its order of bytes. */
static void put(FILE *file, const void *number, bool high_first)
{
    const uint8_t *bytes = number;
    const uint16_t one = 1;
    bool reversed = high_first == (*(const uint8_t *)&one == 1);
    for (int i = 0; i < 4; i++) {
        assert_true(fputc(bytes[reversed ? 3 - i : i], file) != EOF);
    }
}

enum { LARGE_POINTS = 1 << 20, LARGE_FRAMES = 430 };

/* A cache of 5 GiB, nearly all of it a hole: the first and last number of three frames. */
static bool write_large(const char *path, bool mdd, const uint32_t frames[3])
{
    const uint32_t points = LARGE_POINTS, count = LARGE_FRAMES, version = 1;
    const float start = 0.0f, step = 1.0f;
    FILE *file = temporary_open(path);
    if (mdd) {
        put(file, &count, true);
        put(file, &points, true);
        for (uint32_t i = 0; i < count; i++) {
            float time = (float)i;
            put(file, &time, true);
        }
    } else {
        fwrite("POINTCACHE2", 1, 12, file);
        put(file, &version, false);
        put(file, &points, false);
        put(file, &start, false);
        put(file, &step, false);
        put(file, &count, false);
    }
    off_t data = mdd ? 8 + 4 * (off_t)count : 32, frame_size = 12 * (off_t)points;
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        for (int end = 0; end < 2 && good; end++) {
            float value = (float)(2 * i + end + 1);
            good =
                fseeko(file, data + frame_size * frames[i] + end * (frame_size - 4), SEEK_SET) == 0;
            if (good) {
                put(file, &value, mdd);
            }
        }
    }
    return fclose(file) == 0 && good;
}

/* Frames beyond 2 and 4 GiB of a file, which memory need not be able to hold. */
static void large_caches_are_read(void **unused)
{
    (void)unused;
    static const uint32_t frames[3] = {180, 350, LARGE_FRAMES - 1};
    char folder[TEMPORARY_FOLDER], file[TEMPORARY_FILE];
    temporary_folder(folder);
    for (int mdd = 0; mdd < 2; mdd++) {
        temporary_path(file, folder, mdd ? "large.mdd" : "large.pc2");
        if (!write_large(file, mdd != 0, frames)) {
            print_message("no room for a large file\n");
            break;
        }
        const char *path = file;
        counting_allocator memory = {0};
        pliant_context *context = asset_context(&memory);
        pliant_asset_def def = pliant_asset_def_default();
        def.paths = &path;
        def.path_count = 1;
        def.frames_per_second = 1.0;
        pliant_asset *asset = NULL;
        pliant_asset_pose *pose = NULL;
        assert_ok(pliant_asset_load(context, &def, &asset));
        assert_ok(pliant_asset_pose_create(asset, &pose));
        assert_int_equal(pliant_asset_get_clip(asset, 0)->frame_count, LARGE_FRAMES);
        for (int i = 0; i < 3; i++) {
            assert_ok(pliant_asset_pose_sample(pose, 0, frames[i]));
            const float *positions = pliant_asset_pose_get_state(pose, 0).positions;
            assert_true(positions[0] == (float)(2 * i + 1));
            assert_true(positions[3 * LARGE_POINTS - 1] == (float)(2 * i + 2));
            assert_ok(pliant_asset_pose_sample(pose, 0, frames[i] - 1));
            assert_true(pliant_asset_pose_get_state(pose, 0).positions[0] == 0.0f);
        }
        pliant_asset_pose_destroy(pose);
        pliant_asset_destroy(asset);
        pliant_context_destroy(context);
        assert_int_equal(memory.live, 0);
        remove(file);
    }
    temporary_remove(folder);
}

static void bad_caches_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t points, frames, stored;
        const char *part;
    } cases[] = {
        {4, 3, 35, "do not fit"},          {0, 3, 36, "a cache of 3 frames and 0 points"},
        {4, 0, 36, "a cache of 0 frames"}, {0xffffffff, 0xffffffff, 36, "do not fit"},
        {0x55555556, 3, 36, "do not fit"}, {4, 0x40000000, 36, "do not fit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        byte_string pc2 = make_pc2(cases[i].points, cases[i].frames, cases[i].stored);
        assert_refused("c.pc2", pc2.at, pc2.size, cases[i].part);
        bytes_free(&pc2);
        byte_string mdd = make_mdd(cases[i].points, cases[i].frames, cases[i].stored);
        assert_refused("c.mdd", mdd.at, mdd.size, cases[i].part);
        bytes_free(&mdd);
    }
    /* The second of three times is 4, the third 2. */
    byte_string back = make_mdd(4, 3, 36);
    memcpy(back.at + 12, "\x40\x80\0\0", 4);
    assert_refused("c.mdd", back.at, back.size, "the time of frame 2 does not follow");
    bytes_free(&back);
    /* Caches that do not belong to their mesh, or have none. */
    byte_string cache = make_pc2(5, 1, 15);
    const char *const paths[] = {"m.obj", "c.pc2", "c.pc2"};
    memory_file files[] = {{paths[0], cached_mesh, strlen(cached_mesh)},
                           {paths[1], cache.at, cache.size}};
    memory_folder folder = {files, 2};
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    assert_int_equal(exercise_paths(context, &folder, paths, 2), PLIANT_ERROR_DATA);
    assert_non_null(strstr(pliant_last_error(), "it has 5 points, and its mesh 'm' 4 vertices"));
    assert_int_equal(exercise_paths(context, &folder, paths + 1, 2), PLIANT_ERROR_DATA);
    assert_non_null(strstr(pliant_last_error(), "must come right after its"));
    /* A frame with a number that is none is found when it is read. */
    bytes_free(&cache);
    cache = make_pc2(4, 2, 24);
    memset(cache.at + 32 + 12 * 4, 0xff, 4);
    files[1] = (memory_file){paths[1], cache.at, cache.size};
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = paths;
    def.path_count = 2;
    def.files = memory_files(&folder);
    pliant_asset *asset = NULL;
    pliant_asset_pose *pose = NULL;
    assert_ok(pliant_asset_load(context, &def, &asset));
    assert_ok(pliant_asset_pose_create(asset, &pose));
    assert_ok(pliant_asset_pose_sample(pose, 0, 0.0));
    assert_int_equal(pliant_asset_pose_sample(pose, 0, 1.0), PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "c.pc2: frame 1, vertex 0 is not finite"));
    pliant_asset_pose_destroy(pose);
    pliant_asset_destroy(asset);
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
    bytes_free(&cache);
}

#ifndef PLI_DEBUG /* Debug builds stop where something is destroyed before its users */
/* A pose keeps its asset, and both keep their context. */
static void poses_outlive_assets(void **unused)
{
    (void)unused;
    for (int order = 0; order < 2; order++) {
        loaded state;
        load_text(&state, "t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        pliant_context_destroy(state.context);
        if (order == 0) {
            uint64_t live = state.memory.live;
            pliant_asset_destroy(state.asset);
            assert_int_equal(state.memory.live, live); /* all of it is needed */
            assert_ok(pliant_asset_pose_sample(state.pose, PLIANT_ASSET_REST, 0.0));
            float positions[9];
            assert_ok(pliant_asset_pose_evaluate(state.pose, 0, positions));
            assert_true(positions[3] == 1.0f);
            pliant_asset_pose_destroy(state.pose);
        } else {
            pliant_asset_pose_destroy(state.pose);
            assert_int_equal(pliant_asset_get_counts(state.asset).bodies, 1);
            pliant_asset_destroy(state.asset);
        }
        assert_int_equal(state.memory.live, 0);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_are_read_frame_by_frame),
        cmocka_unit_test(sequences_have_names_without_numbers),
        cmocka_unit_test(only_meshes_form_sequences),
        cmocka_unit_test(caches_move_their_mesh),
        cmocka_unit_test(caches_alone_are_points),
        cmocka_unit_test(large_caches_are_read),
        cmocka_unit_test(bad_caches_are_refused),
#ifndef PLI_DEBUG
        cmocka_unit_test(poses_outlive_assets),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
