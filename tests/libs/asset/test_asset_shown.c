/* Text of files in messages: nothing in it acts on a terminal, and every piece has a limit. */
#include "fixture.h"
#include "gltf_maker.h"
#include "libs/asset/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_shown(const char *text, size_t size, size_t room, const char *expected)
{
    char shown[300];
    memset(shown, 'X', sizeof shown);
    assert_ptr_equal(pli_show(shown, room, text, size), shown);
    assert_string_equal(shown, expected);
    assert_true(strlen(shown) < room && shown[room] == 'X');
    char again[300];
    assert_string_equal(pli_show_string(again, room, shown), shown);
}

#define SHOWN(text, expected) assert_shown(text, sizeof(text) - 1, 200, expected)

static void unsafe_text_is_escaped(void **unused)
{
    (void)unused;
    SHOWN("", "");
    SHOWN("cloth 'a' \\ \"b\" %s", "cloth 'a' \\ \"b\" %s");
    SHOWN("Gr\xc3\xb6\xc3\x9f"
          "e \xe5\xb8\x83 \xf0\x9f\x8e\x88",
          "Gr\xc3\xb6\xc3\x9f"
          "e \xe5\xb8\x83 \xf0\x9f\x8e\x88");
    SHOWN("\x1b]0;t\x07\x1b[31m", "\\x1b]0;t\\x07\\x1b[31m");
    SHOWN("a\0b\tc\r\nd\x7f", "a\\x00b\\x09c\\x0d\\x0ad\\x7f");
    SHOWN("\xc2\x9b"
          "31m\xc2\xad",
          "\\u009b31m\\u00ad");
    SHOWN("\xe2\x80\xae"
          "fdp.exe\xe2\x80\xac\xe2\x81\xa6",
          "\\u202efdp.exe\\u202c\\u2066");
    SHOWN("a\xe2\x80\x8b\xe2\x80\x8d\xef\xbb\xbf\xef\xbf\xbe\xe2\x80\xa8",
          "a\\u200b\\u200d\\ufeff\\ufffe\\u2028");
    SHOWN("\xf3\xa0\x80\x81\xf4\x8f\xbf\xbf", "\\U000e0001\\U0010ffff");
    /* Not UTF-8: Latin-1, a lone byte of a character, overlong forms, a surrogate, a cut end. */
    SHOWN("Gr\xf6\xdf"
          "e",
          "Gr\\xf6\\xdfe");
    SHOWN("\x80\xc0\xaf\xe0\x80\xaf\xed\xa0\x80\xf5\xff",
          "\\x80\\xc0\\xaf\\xe0\\x80\\xaf\\xed\\xa0\\x80\\xf5\\xff");
    SHOWN("\xf4\x90\x80\x80 \xe5\xb8", "\\xf4\\x90\\x80\\x80 \\xe5\\xb8");
}

/* Cuts fall between characters and between escapes, and the rest is "...". */
static void every_piece_has_a_limit(void **unused)
{
    (void)unused;
    assert_shown("0123456789abcde", 15, 16, "0123456789abcde");
    assert_shown("0123456789abcdef", 16, 16, "0123456789ab...");
    assert_shown("0123456789a\xc3\xb6xyz", 16, 16, "0123456789a...");
    assert_shown("0123456789\xc3\xb6wxyz", 16, 16, "0123456789\xc3\xb6...");
    assert_shown("0123456789\x1b\x1b", 12, 16, "0123456789...");
    assert_shown("01234567\x1b", 9, 16, "01234567\\x1b");
    char longer[5000], shown[64];
    for (int fill = 1; fill < 256; fill++) {
        memset(longer, fill, sizeof longer - 1);
        longer[sizeof longer - 1] = '\0';
        for (size_t room = 16; room <= sizeof shown; room++) {
            pli_show_string(shown, room, longer);
            assert_in_range(strlen(shown), room - 16 + 3, room - 1);
        }
    }
    char path[] = "/a/very/long/path/to/\xe5\xb8\x83\xe5\xb8\x83/cloth.ply";
    assert_string_equal(pli_show_end(shown, 16, path), "\xe5\xb8\x83/cloth.ply");
    assert_string_equal(pli_show_end(shown, 64, path), path);
}

/* Escape sequences, a change of direction, nothing of any width, no UTF-8 (where a format allows
   it), and a lot of it. */
#define EVIL_JSON "\\u001b[31m\\u0007\\u009b\\u202e\\u200b\\ufeffz"
#define EVIL      "\x1b[31m\x07\xc2\x9b\xe2\x80\xae\xe2\x80\x8b\xef\xbb\xbf\xff\xfez"
#define LONG      EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL EVIL
#define LONG_JSON                                                                                  \
    "\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8" \
    "\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5" \
    "\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83\xe5\xb8\x83"

static void assert_safe(const char *message)
{
    char shown[1000];
    if (strcmp(pli_show_string(shown, sizeof shown, message), message) != 0) {
        fail_msg("not safe to print: %s", shown);
    }
}

/* Loads one file, whether that succeeds or not; its message and its notes must be safe. */
static void load_evil_scene(const char *path, const void *bytes, size_t size, const char *scene,
                            const char *part)
{
    pliant_asset_def def = pliant_asset_def_default();
    memory_file file = {path, bytes, size};
    memory_folder folder = {&file, 1};
    pliant_asset *asset = NULL;
    def.paths = &path;
    def.path_count = 1;
    def.scene = scene;
    def.files = memory_files(&folder);
    pliant_result result = pliant_asset_load(test_context, &def, &asset);
    const char *said = pliant_last_error();
    if (result == PLIANT_OK) {
        uint32_t count = pliant_asset_get_counts(asset).notes;
        assert_true(count > 0);
        for (uint32_t i = 0; i < count; i++) {
            said = pliant_asset_get_note(asset, i);
            assert_safe(said);
        }
    }
    assert_safe(said);
    if (strstr(said, part) == NULL) {
        fail_msg("'%s' lacks: %s", said, part);
    }
    pliant_asset_destroy(asset);
}

static void load_evil(const char *path, const void *bytes, size_t size, const char *part)
{
    load_evil_scene(path, bytes, size, NULL, part);
}

static void load_evil_text(const char *path, const char *text, const char *part)
{
    load_evil(path, text, strlen(text), part);
}

static void texts_are_shown_safely(void **unused)
{
    (void)unused;
    load_evil_text("a.obj", "v 0 0 " EVIL "\nf 1 2 3\n",
                   "line 1: '\\x1b[31m\\x07\\u009b\\u202e\\u200b");
    load_evil_text("a.obj", "v 0 0 " LONG "\n", "...' is not a number");
    load_evil_text("a.obj", "f 1 2 " EVIL "\n", "'\\x1b[31m");
    load_evil_text("a.off", "OFF\n" EVIL "\n", "'\\x1b[31m");
    load_evil_text("a.off", "OFF\n3 1 0\n0 0 " EVIL "\n0 0 0\n0 0 0\n3 0 1 2", "'\\x1b[31m");
    load_evil_text("a.off", "\x1b\x1b\x1b\x1bOFF\n", "'\\x1b\\x1b\\x1b\\x1bOFF' is not read");
    load_evil_text("a.ply",
                   "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                   "property float z\nend_header\n0 0 " EVIL "\n",
                   "'\\x1b[31m");
    /* Names of files as well. */
    load_evil_text("folder/" EVIL ".obj", "v 0 0 x\n",
                   "\\x1b[31m\\x07\\u009b\\u202e\\u200b\\ufeff\\xff\\xfez.obj: line 1");
    load_evil_text(LONG LONG ".obj", "v 0 0 x\n", "...: line 1: 'x' is not a number");
    load_evil_text(EVIL ".xyz", "?", "its format is not known");
    load_evil_text(EVIL ".off", "", "\\xfez.off: it is empty");
    load_evil_text(EVIL ".#.obj/" EVIL, "", "\\u009b");
    load_evil_text("folder/" EVIL ".#.obj", "", "cannot read");
    load_evil("a.pc2",
              "POINTCACHE2\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\xc0\x7f\0\0\0\0\0\0\0\0",
              44, "vertex 0 is not finite");
}

static void load_evil_gltf(const char *members, const char *part)
{
    gltf_maker maker = {0};
    gltf_add_morphs(&maker);
    byte_string glb = gltf_finish(&maker, members);
    load_evil("a.glb", glb.at, glb.size, part);
    bytes_free(&glb);
}

#define MESH                                                                                       \
    ",\"meshes\":[{\"name\":\"" EVIL_JSON "\",\"primitives\":[{\"attributes\":{\"POSITION\":0"

static void gltf_is_shown_safely(void **unused)
{
    (void)unused;
    load_evil_text("a.gltf", "{\"asset\":{\"version\":\"\\u001b[31m\"}}",
                   "glTF \\x1b[31m is not read");
    load_evil_text("a.gltf", "{\"asset\":\x1b[31m}", "line 1: ");
    load_evil_text("a.gltf", "{\"asset\":{\"version\":\"" LONG_JSON "\"}}",
                   "\xe5\xb8\x83... is not read");
    load_evil_gltf(",\"extensionsRequired\":[\"\\u001b[31mX\"]",
                   "the extension '\\x1b[31mX', which");
    load_evil_gltf(",\"scene\":0,\"scenes\":[{\"nodes\":[0]},{\"name\":\"\\u001b[31m" LONG_JSON
                   "\"},{\"name\":\"" LONG_JSON "\"},{\"name\":\"" LONG_JSON
                   "\"},{\"name\":\"" LONG_JSON "\"},{\"name\":\"" LONG_JSON "\"}]" GLTF_SCENE MESH
                   "},\"indices\":1}]}]",
                   "left out: 1 '\\x1b[31m");
    load_evil_gltf(GLTF_SCENE MESH
                   "},\"indices\":1}]}],\"animations\":[{\"channels\":[{\"sampler\":0,"
                   "\"target\":{\"node\":0,\"path\":\"\\u001b[31m\"}}],\"samplers\":[{\"input\":2,"
                   "\"output\":2}]}]",
                   "'\\x1b[31m' of node 0");
    /* A list that is too long for one sentence, cut at every byte of its characters. */
    for (size_t i = 0; i < 8; i++) {
        char scenes[1000] = "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"name\":\"";
        const char *rest = LONG_JSON "\"},{\"name\":\"" LONG_JSON "\"},{\"name\":\"" LONG_JSON
                                     "\"},{\"name\":\"" LONG_JSON "\"}]}";
        memcpy(scenes + strlen(scenes), "12345678", i + 1);
        memcpy(scenes + strlen(scenes), rest, strlen(rest) + 1);
        load_evil_scene("a.gltf", scenes, strlen(scenes), "other",
                        "no scene 'other'; its scenes: 0 '1");
    }
    /* Buffers. */
    char text[1000];
    const char *const uris[] = {"../\\u001b[31m", "\\u001b[31m", "%1b%5b31m", "http://\\u202e",
                                LONG_JSON};
    const char *const shown[] = {"'../\\x1b[31m' is not the name", "cannot read \\x1b[31m",
                                 "cannot read \\x1b[31m", "'http://\\u202e' is not",
                                 "cannot read \xe5\xb8\x83"};
    for (int i = 0; i < 5; i++) {
        snprintf(
            text, sizeof text,
            "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}],"
            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
            "\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}]" GLTF_SCENE MESH "}}]}]}",
            uris[i]);
        load_evil_text("a.gltf", text, shown[i]);
    }
}

/* Names of outputs come from the caller and may be from a file. */
static void outputs_are_shown_safely(void **unused)
{
    (void)unused;
    const float positions[9] = {0};
    const uint32_t triangles[3] = {0, 1, 3};
    pliant_asset_output body = {.name = EVIL,
                                .positions = positions,
                                .triangles = triangles,
                                .vertex_count = 3,
                                .triangle_count = 1};
    uint64_t size = 0;
    assert_int_equal(pliant_asset_output_write(&body, 1, 1, 30.0, NULL, 0, &size),
                     PLIANT_ERROR_RANGE);
    assert_safe(pliant_last_error());
    assert_non_null(strstr(pliant_last_error(), "\\xff\\xfez': triangle 0 uses vertex 3 of 3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsafe_text_is_escaped),
        cmocka_unit_test(every_piece_has_a_limit),
        cmocka_unit_test_setup_teardown(texts_are_shown_safely, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(gltf_is_shown_safely, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(outputs_are_shown_safely, test_context_set_up,
                                        test_context_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
