/* Readers read the bytes that matter and no others, from regular files only. */
#include "fixture.h"
#include "gltf_maker.h"
#include "libs/asset/system.h"
#include "temporary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

#define GIB ((uint64_t)1 << 30)

/* A file whose bytes go on with zeros up to `size`. */
typedef struct long_file {
    const char *path;
    byte_string bytes;
    uint64_t size;
} long_file;

typedef struct long_files {
    long_file files[2];
    uint64_t read; /* bytes so far */
} long_files;

static const long_file *find_file(const long_files *all, const char *path)
{
    for (size_t i = 0; i < 2; i++) {
        if (all->files[i].path != NULL && strcmp(all->files[i].path, path) == 0) {
            return &all->files[i];
        }
    }
    return NULL;
}

static bool long_size(void *user, const char *path, uint64_t *size)
{
    const long_file *file = find_file(user, path);
    *size = file != NULL ? file->size : 0;
    return file != NULL;
}

static bool long_read(void *user, const char *path, uint64_t offset, void *buffer, uint64_t count)
{
    long_files *all = user;
    const long_file *file = find_file(all, path);
    all->read += count;
    if (file == NULL || count > (uint64_t)1 << 20 || count > file->size - offset) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        ((uint8_t *)buffer)[i] = offset + i < file->bytes.size ? file->bytes.at[offset + i] : 0;
    }
    return true;
}

static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

/* Loads a triangle from the first of the files, of which at most `most` bytes are read, and one
   frame of it. Frees the files. */
static void assert_reads(long_files *all, const char *path, uint64_t most)
{
    pliant_asset_def def = pliant_asset_def_default();
    pliant_asset *asset = NULL;
    pliant_asset_pose *pose = NULL;
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    def.paths = &path;
    def.path_count = 1;
    def.files = (pliant_files){long_size, long_read, all};
    assert_ok(pliant_asset_load(context, &def, &asset));
    assert_int_equal(pliant_asset_get_counts(asset).bodies, 1);
    const pliant_asset_mesh *mesh = pliant_asset_get_mesh(asset, 0);
    assert_int_equal(mesh->vertex_count, 3);
    assert_memory_equal(mesh->positions, corners, sizeof corners);
    assert_ok(pliant_asset_pose_create(asset, &pose));
    pliant_asset_pose_destroy(pose);
    pliant_asset_destroy(asset);
    pliant_context_destroy(context);
    assert_true(memory.peak_bytes < 1 << 20);
    if (all->read > most) {
        fail_msg("%s: %llu bytes were read", path, (unsigned long long)all->read);
    }
    bytes_free(&all->files[0].bytes);
    bytes_free(&all->files[1].bytes);
}

/* A file of a triangle with a buffer of 36 bytes and these members. */
#define TRIANGLE(members)                                                                          \
    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36" members                     \
    "}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"      \
    "\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}],\"meshes\":[{\"primitives\":[{"        \
    "\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}]}"

static void buffers_are_read_up_to_their_length(void **unused)
{
    (void)unused;
    const char *text = TRIANGLE(",\"uri\":\"a.bin\"");
    long_files all = {.files = {{"a.gltf", {0}, strlen(text)}, {"a.bin", {0}, 8 * GIB}}};
    bytes_add(&all.files[0].bytes, text, strlen(text));
    bytes_add_floats(&all.files[1].bytes, corners, 9);
    assert_reads(&all, "a.gltf", 64 + strlen(text) + 64);
}

/* A binary chunk of 3 GiB, a chunk behind it, and bytes behind that. */
static void chunks_are_read_up_to_the_length_of_the_buffer(void **unused)
{
    (void)unused;
    byte_string bin = {0};
    bytes_add_floats(&bin, corners, 9);
    long_files all = {.files = {{"a.glb", make_glb(TRIANGLE(""), &bin), 8 * GIB}}};
    bytes_free(&bin);
    uint8_t *glb = all.files[0].bytes.at;
    uint32_t json = 0;
    memcpy(&json, glb + 12, sizeof json);
    const uint32_t length = UINT32_MAX - 3, chunk = (uint32_t)(3 * GIB);
    memcpy(glb + 8, &length, sizeof length);
    memcpy(glb + 20 + json, &chunk, sizeof chunk);
    assert_reads(&all, "a.glb", 64 + 16 + json + 36);
}

static void ply_is_read_up_to_its_last_face(void **unused)
{
    (void)unused;
    long_files all = {.files = {{"a.ply", {0}, 8 * GIB}}};
    byte_string *ply = &all.files[0].bytes;
    bytes_add_text(ply, "ply\nformat binary_little_endian 1.0\nelement vertex 3\n"
                        "property float x\nproperty float y\nproperty float z\n"
                        "element face 1\nproperty list uchar int vertex_indices\nend_header\n");
    bytes_add_floats(ply, corners, 9);
    bytes_add_u8(ply, (const uint8_t[]){3}, 1);
    bytes_add_u32(ply, (const uint32_t[]){0, 1, 2}, 3);
    assert_reads(&all, "a.ply", 64 + (1 << 16));
    /* The header alone is longer than what is read first; and so are the vertices. */
    for (int i = 0; i < 2; i++) {
        bytes_add_text(ply, "ply\nformat binary_little_endian 1.0\n");
        for (int k = 0; k < 3000 && i == 0; k++) {
            bytes_add_text(ply, "comment nothing that matters\n");
        }
        bytes_add_text(ply,
                       "element other %d\nproperty list ushort char c\nelement vertex 3\n"
                       "property float x\nproperty float y\nproperty float z\n"
                       "element face 1\nproperty list uchar int vertex_indices\nend_header\n",
                       i == 0 ? 0 : 3);
        for (int k = 0; k < 3 && i > 0; k++) {
            uint8_t item[2 + 40000] = {40000 & 0xff, 40000 >> 8};
            bytes_add(ply, item, sizeof item);
        }
        bytes_add_floats(ply, corners, 9);
        bytes_add_u8(ply, (const uint8_t[]){3}, 1);
        bytes_add_u32(ply, (const uint32_t[]){0, 1, 2}, 3);
        all.read = 0;
        all.files[0].size = i == 0 ? ply->size : 8 * GIB;
        assert_reads(&all, "a.ply", i == 0 ? UINT64_MAX : 64 + (1 << 16) + (1 << 18));
    }
}

/* Of caches only the header and single frames are read. */
static void caches_are_read_frame_by_frame(void **unused)
{
    (void)unused;
    long_files all = {.files = {{"a.pc2", {0}, 8 * GIB}}};
    byte_string *pc2 = &all.files[0].bytes;
    bytes_add(pc2, "POINTCACHE2", 12);
    bytes_add_u32(pc2, (const uint32_t[]){1, 3, 0, 0x3f800000, 1000}, 5);
    bytes_add_floats(pc2, corners, 9);
    assert_reads(&all, "a.pc2", 64 + 2 * 36);
}

static void short_buffers_are_refused(void **unused)
{
    (void)unused;
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n"
                                  "size 12345678\n";
    const char *const texts[] = {TRIANGLE(",\"uri\":\"a.bin\""),
                                 TRIANGLE("000000,\"uri\":\"a.bin\"")};
    const char *const parts[] = {"byteLength is 36, and 35 bytes are there",
                                 "byteLength is 36000000, and 35 bytes are there"};
    for (int i = 0; i < 4; i++) {
        const char *text = texts[i % 2], *path = "a.gltf";
        memory_file files[] = {{path, text, strlen(text)},
                               {"a.bin", i < 2 ? (const void *)corners : pointer,
                                i < 2 ? sizeof corners - 1 : sizeof pointer - 1}};
        memory_folder folder = {files, 2};
        pliant_asset_def def = pliant_asset_def_default();
        pliant_asset *asset = NULL;
        def.paths = &path;
        def.path_count = 1;
        def.files = memory_files(&folder);
        assert_int_equal(pliant_asset_load(test_context, &def, &asset), PLIANT_ERROR_DATA);
        const char *part = i < 2 ? parts[i] : "a.bin: it is a pointer of Git LFS";
        if (strstr(pliant_last_error(), part) == NULL) {
            fail_msg("'%s' lacks: %s", pliant_last_error(), part);
        }
    }
}

#ifndef _WIN32
static void refuse_path(const char *path, const char *part)
{
    pliant_asset_def def = pliant_asset_def_default();
    pliant_asset *asset = NULL;
    def.paths = &path;
    def.path_count = 1;
    assert_int_equal(pliant_asset_load(test_context, &def, &asset), PLIANT_ERROR_DATA);
    if (strstr(pliant_last_error(), part) == NULL) {
        fail_msg("'%s' lacks: %s", pliant_last_error(), part);
    }
}

/* Pipes and devices, which wait or never end, are refused wherever a file is named. */
static void only_regular_files_are_read(void **unused)
{
    (void)unused;
    static const char *const names[] = {"p.obj", "p.ply", "p.glb",  "p.gltf",
                                        "p.pc2", "p.bin", "f.1.ply"};
    char folder[TEMPORARY_FOLDER], path[TEMPORARY_FILE];
    temporary_folder(folder);
    alarm(60);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        temporary_path(path, folder, names[i]);
        assert_int_equal(mkfifo(path, 0600), 0);
        refuse_path(path, "it is no regular file");
        errno = 0;
        assert_null(pli_system_open(path));
        assert_int_equal(errno, PLI_NOT_REGULAR);
    }
    temporary_path(path, folder, "f.#.ply");
    refuse_path(path, "it is no regular file");
    temporary_path(path, folder, "a.gltf");
    const char *text = TRIANGLE(",\"uri\":\"p.bin\"");
    temporary_write(path, text, strlen(text));
    refuse_path(path, "p.bin: it is no regular file");
    refuse_path("/dev/zero", "cannot read /dev/zero: it is no regular file");
    refuse_path(folder, "cannot read");
    FILE *file = pli_system_open(path);
    assert_non_null(file);
    assert_int_equal(fgetc(file), '{');
    fclose(file);
    alarm(0);
    temporary_remove(folder);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_read_up_to_their_length),
        cmocka_unit_test(chunks_are_read_up_to_the_length_of_the_buffer),
        cmocka_unit_test(ply_is_read_up_to_its_last_face),
        cmocka_unit_test(caches_are_read_frame_by_frame),
        cmocka_unit_test(short_buffers_are_refused),
#ifndef _WIN32
        cmocka_unit_test(only_regular_files_are_read),
#endif
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
