/* Files of meshes. */
#include "asset_fixture.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_floats(const float *found, const float *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (found[i] != expected[i]) {
            fail_msg("number %zu is %.9g, not %.9g", i, (double)found[i], (double)expected[i]);
        }
    }
}

static void obj_reads_every_form_of_face(void **unused)
{
    (void)unused;
    loaded state;
    load_text(&state, "folder/shape.obj",
              "# a comment\r\n"
              "mtllib a.mtl\n"
              "v 0 0 0\nv 1.5 0 0 1.0\nv 0 .25e1 0 0.1 0.2 0.3\n\tv  -1e-3 +4 0x1p-2\n"
              "vt 0 0\nvn 0 0 1\n"
              "f 1 2 3\n"
              "f 1/1 2/1/1 3//1\n"
              "f -4 -3 -2 -1 # a quad\n"
              "f 1 2 \\\n 3\n"
              "s off\ng nothing\nf 4 3 2\nl 1 2\n"
              "f 5 1 2\nv 7 8 9\n");
    assert_int_equal(pliant_asset_get_counts(state.asset).bodies, 1);
    const pliant_asset_mesh *mesh = mesh_of(&state, 0);
    assert_string_equal(mesh->name, "shape");
    assert_int_equal(mesh->vertex_count, 5);
    const float expected[] = {0, 0, 0, 1.5f, 0, 0, 0, 2.5f, 0, -1e-3f, 4, 0.25f, 7, 8, 9};
    assert_floats(mesh->positions, expected, 15);
    assert_int_equal(mesh->triangle_count, 7);
    assert_triangle(mesh, 0, 0, 1, 2);
    assert_triangle(mesh, 1, 0, 1, 2);
    assert_triangle(mesh, 2, 0, 1, 2);
    assert_triangle(mesh, 3, 0, 2, 3);
    assert_triangle(mesh, 4, 0, 1, 2);
    assert_triangle(mesh, 5, 3, 2, 1);
    assert_triangle(mesh, 6, 4, 0, 1);
    assert_int_equal(mesh->group_count, 2);
    assert_string_equal(mesh->group_names[0], "default");
    assert_string_equal(mesh->group_names[1], "nothing");
    assert_int_equal(mesh->groups[4], 0);
    assert_int_equal(mesh->groups[5], 1);
    assert_int_equal(pliant_asset_get_counts(state.asset).notes, 2); /* fans; a line */
    unload(&state);
}

/* Twice the area of a triangle in the plane; negative if it turns to the right. */
static double area_of(const pliant_asset_mesh *mesh, uint32_t triangle)
{
    const float *p[3];
    for (int i = 0; i < 3; i++) {
        p[i] = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)triangle + (size_t)i];
    }
    return ((double)p[1][0] - (double)p[0][0]) * ((double)p[2][1] - (double)p[0][1]) -
           ((double)p[1][1] - (double)p[0][1]) * ((double)p[2][0] - (double)p[0][0]);
}

/* A comb with teeth, whose fan would fold over itself many times: every triangle lies within. */
static void faces_that_are_not_convex_are_cut_within(void **unused)
{
    (void)unused;
    for (int teeth = 1; teeth <= 15; teeth++) {
        byte_string text = {0};
        double area = 0.0;
        int corners = 2;
        bytes_add_text(&text, "v %d 0 0\nv 0 0 0\n", 2 * teeth);
        for (int i = 0; i < teeth; i++) { /* tooth i: down from (2 i, 3) to (2 i + 1, 1) and up */
            bytes_add_text(&text, "v %d 3 0\nv %d 1 0\n", 2 * i, 2 * i + 1);
            area += 4.0;
            corners += 2;
        }
        bytes_add_text(&text, "v %d 3 0\nf", 2 * teeth);
        corners++;
        for (int i = corners; i >= 1; i--) {
            bytes_add_text(&text, " %d", i);
        }
        loaded state;
        load_bytes(&state, "comb.obj", text.at, text.size);
        const pliant_asset_mesh *mesh = mesh_of(&state, 0);
        assert_int_equal(mesh->triangle_count, corners - 2);
        double sum = 0.0;
        for (uint32_t t = 0; t < mesh->triangle_count; t++) {
            assert_true(area_of(mesh, t) > 0.0);
            sum += area_of(mesh, t) / 2.0;
        }
        assert_true(sum == area);
        assert_int_equal(pliant_asset_get_counts(state.asset).notes, 1);
        unload(&state);
        bytes_free(&text);
    }
    /* A face that crosses itself has no such cut, and says so. */
    loaded state;
    load_text(&state, "bow.obj", "v 0 0 0\nv 2 2 0\nv 2 0 0\nv 0 3 0\nf 1 2 3 4\n");
    assert_int_equal(mesh_of(&state, 0)->triangle_count, 2);
    assert_non_null(strstr(pliant_asset_get_note(state.asset, 1), "1 of them are not convex"));
    unload(&state);
}

static void obj_objects_become_bodies(void **unused)
{
    (void)unused;
    loaded state;
    load_text(&state, "two.obj",
              "\xef\xbb\xbfv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
              "o empty\no first one\nusemtl skin\nf 1 2 3\n"
              "o second\nusemtl cloth\nf 2 3 4\nf 4 3 1\no last\n");
    assert_int_equal(pliant_asset_get_counts(state.asset).bodies, 2);
    const pliant_asset_mesh *first = mesh_of(&state, 0), *second = mesh_of(&state, 1);
    assert_string_equal(pliant_asset_get_body(state.asset, 0)->name, "first one");
    assert_string_equal(pliant_asset_get_body(state.asset, 1)->name, "second");
    assert_int_equal(first->vertex_count, 3);
    assert_int_equal(second->vertex_count, 4);
    assert_int_equal(second->triangle_count, 2);
    assert_triangle(second, 0, 1, 2, 3);
    assert_triangle(second, 1, 3, 2, 0);
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    assert_floats(second->positions, positions, 12);
    assert_string_equal(second->group_names[second->groups[0]], "cloth");
    assert_string_equal(first->group_names[first->groups[0]], "skin");
    /* The state of a body that nothing moves: the identity. */
    pliant_asset_state rest = pliant_asset_pose_get_state(state.pose, 1);
    assert_int_equal(rest.transform_count, 1);
    float *vertices = evaluated(&state, 1);
    assert_floats(vertices, positions, 12);
    free(vertices);
    unload(&state);
}

/* A language with a decimal comma must not change what is read. */
static void numbers_do_not_depend_on_the_language(void **unused)
{
    (void)unused;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) {
        skip_without("the language de_DE.UTF-8");
    }
    loaded state;
    load_text(&state, "a.obj", "v 0.5 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    bool equal = mesh_of(&state, 0)->positions[0] == 0.5f;
    setlocale(LC_NUMERIC, "C");
    assert_true(equal);
    unload(&state);
}

static const char *const ply_header = "property float x\nproperty float y\nproperty float z\n";

static void check_ply_square(const loaded *state)
{
    const pliant_asset_mesh *mesh = mesh_of(state, 0);
    const float expected[] = {0, 0, 0, 1, 0, 0, 1, 1, 0.1f, 0, 1, -2.5f};
    assert_int_equal(mesh->vertex_count, 4);
    assert_floats(mesh->positions, expected, 12);
    assert_int_equal(mesh->triangle_count, 3);
    assert_triangle(mesh, 0, 0, 1, 2);
    assert_triangle(mesh, 1, 0, 2, 3);
    assert_triangle(mesh, 2, 3, 2, 1);
}

static void ply_reads_ascii(void **unused)
{
    (void)unused;
    loaded state;
    char text[1000];
    snprintf(text, sizeof text,
             "ply\nformat ascii 1.0\ncomment made here\nobj_info none\nelement vertex 4\n%s"
             "property uchar red\nelement other 1\nproperty list uchar short things\n"
             "element face 2\nproperty float weight\nproperty list uchar int vertex_indices\n"
             "end_header\n0 0 0 255\n1 0 0 1\n1 1 0.1 2\n0 1 -2.5 3\n2 7 8\n"
             "0.5 4 0 1 2 3\n0.5 3 3 2 1",
             ply_header);
    load_text(&state, "a.ply", text);
    check_ply_square(&state);
    unload(&state);
}

static void add_ply_body(byte_string *bytes, bool big)
{
    const float positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0.1f, 0, 1, -2.5f};
    const uint32_t faces[] = {4, 0, 1, 2, 3, 3, 3, 2, 1};
    for (int i = 0; i < 12; i++) {
        if (big) {
            bytes_add_float_big(bytes, positions[i]);
        } else {
            bytes_add_floats(bytes, &positions[i], 1);
        }
    }
    for (int i = 0, left = 0; i < 9; i++) {
        if (left == 0) {
            uint8_t length = (uint8_t)faces[i];
            bytes_add_u8(bytes, &length, 1);
            left = (int)length;
        } else {
            left--;
            if (big) {
                bytes_add_u32_big(bytes, faces[i]);
            } else {
                bytes_add_u32(bytes, &faces[i], 1);
            }
        }
    }
}

static byte_string make_ply(bool big)
{
    byte_string bytes = {0};
    bytes_add_text(&bytes,
                   "ply\nformat binary_%s_endian 1.0\nelement vertex 4\n%selement face 2\n"
                   "property list uchar int vertex_index\nend_header\n",
                   big ? "big" : "little", ply_header);
    add_ply_body(&bytes, big);
    return bytes;
}

static void ply_reads_both_byte_orders(void **unused)
{
    (void)unused;
    for (int big = 0; big < 2; big++) {
        byte_string bytes = make_ply(big != 0);
        loaded state;
        load_bytes(&state, "a.ply", bytes.at, bytes.size);
        check_ply_square(&state);
        unload(&state);
        bytes_free(&bytes);
    }
}

static void ply_reads_doubles_strips_and_every_integer(void **unused)
{
    (void)unused;
    loaded state;
    char text[1000];
    /* The first x is not a float32. */
    snprintf(text, sizeof text,
             "ply\nformat ascii 1.0\nelement vertex 5\nproperty double x\nproperty double y\n"
             "property double z\nelement tristrips 1\nproperty list int int vertex_indices\n"
             "end_header\n0.1 0 0\n1 0 0\n0 1 0\n1 1 0\n2 2 0\n8 0 1 2 3 -1 4 3 2\n");
    load_text(&state, "a.ply", text);
    const pliant_asset_mesh *mesh = mesh_of(&state, 0);
    assert_int_equal(mesh->triangle_count, 3);
    assert_triangle(mesh, 0, 0, 1, 2);
    assert_triangle(mesh, 1, 2, 1, 3);
    assert_triangle(mesh, 2, 4, 3, 2);
    assert_true(mesh->positions[0] == 0.1f);
    assert_non_null(strstr(pliant_asset_get_note(state.asset, 0), "1 coordinates were rounded"));
    unload(&state);

    static const char *const types[] = {"char", "uint8", "short", "uint16", "int32", "uint"};
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4};
    for (int t = 0; t < 6; t++) {
        byte_string bytes = {0};
        bytes_add_text(&bytes,
                       "ply\nformat binary_little_endian 1.0\nelement vertex 3\n%selement face 1\n"
                       "property list %s %s vertex_indices\nend_header\n",
                       ply_header, types[t], types[t]);
        const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
        bytes_add_floats(&bytes, positions, 9);
        const uint8_t face[] = {3, 2, 0, 1};
        for (int i = 0; i < 4; i++) {
            const uint8_t zeros[4] = {face[i]};
            bytes_add(&bytes, zeros, sizes[t]);
        }
        load_bytes(&state, "a.ply", bytes.at, bytes.size);
        assert_triangle(mesh_of(&state, 0), 0, 2, 0, 1);
        unload(&state);
        bytes_free(&bytes);
    }
}

static void off_reads_its_variants(void **unused)
{
    (void)unused;
    static const char *const files[] = {
        "OFF\n# counts\n4 2 0\n0 0 0\n1 0 0\n1 1 0.1 # colour\n0 1 -2.5\n\n4 0 1 2 3 255 0 0\n"
        "3 3 2 1",
        "OFF 4 2 0\n0 0 0\n1 0 0\n1 1 0.1\n0 1 -2.5\n4 0 1 2 3\n3 3 2 1\n",
        "COFF\n4 2 5\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n1 1 0.1 0 0 0 0\n0 1 -2.5 0 0 0 1\n"
        "4 0 1 2 3\n3 3 2 1\n",
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        loaded state;
        load_text(&state, "a.off", files[i]);
        check_ply_square(&state);
        unload(&state);
    }
}

/* Cases: what is written and what the error must say. */
static void bad_meshes_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *path, *text, *part;
    } cases[] = {
        {"a.obj", "v 0 0 0\nf 1 1 2\n", "a.obj: line 2: a face uses vertex 2 of 1"},
        {"a.obj", "v 0 0 0\nf 1 1 99999999999\n", "line 2: a face uses vertex 99999999999 of 1"},
        {"a.obj", "f 1 1 999999999999999999999999\n", "is not a corner of a face"},
        {"a.obj", "v 0 0 0\nf -1 -2 -1\n", "line 2: a face uses vertex -2 of 1"},
        {"a.obj", "v 0 0 0\nf 0 1 1\n", "line 2: a face uses vertex 0 of 1"},
        {"a.obj", "v 0 0 0\nf 1 1\n", "line 2: a face with 2 corners"},
        {"a.obj", "v 0 0 0\nf\n", "line 2: a face with 0 corners"},
        {"a.obj", "v 0 0 0\nf 1/x 1 1\n", "'1/x' is not a corner"},
        {"a.obj", "v 0 0 0\nf 1 1 1/1/1/1\n", "'1/1/1/1' is not a corner"},
        {"a.obj", "v 0 0\n", "line 1: a vertex with 2 coordinates"},
        {"a.obj", "\nv 0 zero 0\n", "line 2: 'zero' is not a number"},
        {"a.obj", "v 0 nan 0\n", "line 1: vertex 0 is not finite"},
        {"a.obj", "v 0 inf 0\n", "not finite"},
        {"a.obj", "v 0 1e39 0\n", "not finite"},
        {"a.obj", "v 0 1.#IND 0\n", "'1.#IND' is not a number"},
        {"a.obj", "v 0 0 0\n", "it has no faces"},
        {"a.obj", "", "it is empty"},
        {"a.ply", "pla\n", "it does not begin with 'ply'"},
        {"a.ply", "ply\n", "its header does not end"},
        {"a.ply", "ply\nend_header\n", "the header has no format"},
        {"a.ply", "ply\nformat utf8 1.0\n", "the format is neither"},
        {"a.ply", "ply\nformat ascii 1.0\nelement vertex\n", "without a name and a count"},
        {"a.ply", "ply\nformat ascii 1.0\nelement vertex -1\n", "without a name and a count"},
        {"a.ply", "ply\nformat ascii 1.0\nproperty float x\n", "before the first element"},
        {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\n", "no known type"},
        {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float\n", "without a name"},
        {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int i\n",
         "whose length is not a whole number"},
        {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
         "no x, y and z"},
        {"a.ply", "ply\nformat ascii 1.0\nsurprise\n", "its header does not end"},
        {"a.off", "OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "line 4: a face uses vertex 1 of 1"},
        {"a.off", "OFF\n1 1 0\n0 0 0\n3 0 0 -1\n", "'-1' is not a count"},
        {"a.off", "OFF\n1 1 0\n0 0 0\n2 0 0 0 0\n", "a face with 2 corners"},
        {"a.off", "OFF\n2 0 0\n0 0 0\n     \n", "the file ends at vertex 1 of 2"},
        {"a.off", "OFF\n99999999 1 0\n0 0 0\n3 0 0 0\n", "it promises 99999999 vertices"},
        {"a.off", "OFF\n1 461168601842738790 0\n0 0 0\n3 0 0 0\n", "it promises"},
        {"a.off", "OFF\n1 1 0\n0 0 nan\n3 0 0 0\n", "vertex 0 is not finite"},
        {"a.off", "4OFF\n1 1 0\n", "only three dimensions"},
        {"a.off", "OFF BINARY\n", "binary OFF is not read"},
        {"a.off", "FOO\n", "it does not begin with 'OFF'"},
        {"a.obj", "\xfe\xff", "it is UTF-16"},
        {"a.xyz", "0 0 0\n", "its format is not known"},
        {"a.fbx", "; FBX 7.3.0\n", "FBX is not read; open it in Blender"},
        {"a.bin", "Kaydara FBX Binary  ", "FBX is not read"},
        {"a.usda", "#usda 1.0\n", "USD is not read"},
        {"a.usdc", "PXR-USDC", "USD is not read"},
        {"a.abc", "Ogawa", "Alembic is not read"},
        {"a.drc", "DRACO", "Draco is not read"},
        {"a.pc2", "POINTCACHE1", "the header of a PC2 cache"},
        {"a.mdd", "abc", "too short for an MDD cache"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_text_refused(cases[i].path, cases[i].text, cases[i].part);
    }
}

static void ply_counts_that_disagree_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *counts, *body, *part;
    } cases[] = {
        {"2 1", "0 0 0\n3 0 0 0\n", "a face has 0 corners"},
        {"1 2", "0 0 0\n3 0 0 0\n", "the file ends too early"},
        {"1 1", "0 0 0\n4 0 0 0\n", "the file ends too early"},
        {"1 1", "0 0 0\n3 0 0 1\n", "triangle 0 uses vertex 1 of 1"},
        {"1 1", "0 0 0\n3 0 0 -1\n", "triangle 0 uses vertex -1 of 1"},
        {"1 1", "0 0 0\n3 0 0 0.5\n", "triangle 0 uses vertex 0.5 of 1"},
        {"1 1", "0 0 0\n-3 0 0 0\n", "a list promises -3 numbers"},
        {"1 1", "0 0 0\n1e300 0 0 0\n", "a list promises 1"},
        {"1 1", "0 0 0\nnan 0 0 0\n", "a list promises"},
        {"1 1", "0 0 0\n2 0 0\n", "a face has 2 corners"},
        {"1 1", "0 0 nan\n3 0 0 0\n", "vertex 0 is not finite"},
        {"1 1", "0 0 ?\n3 0 0 0\n", "line 10: '?' is not a number"},
        {"99999999999 1", "0 0 0\n3 0 0 0\n", "the header promises 99999999999 elements"},
        {"1 4611686018427387904", "0 0 0\n3 0 0 0\n", "without a name and a count"},
        {"1 461168601842738790", "0 0 0\n3 0 0 0\n", "the header promises 461168601842738790"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[600];
        int vertices = (int)strcspn(cases[i].counts, " ");
        snprintf(text, sizeof text,
                 "ply\nformat ascii 1.0\nelement vertex %.*s\n%selement face %s\n"
                 "property list int int vertex_indices\nend_header\n%s",
                 vertices, cases[i].counts, ply_header, cases[i].counts + vertices + 1,
                 cases[i].body);
        assert_text_refused("a.ply", text, cases[i].part);
    }
}

/* Lines of megabytes, faces of many corners and many groups take linear time and memory. */
static void long_lines_and_large_faces_are_read(void **unused)
{
    (void)unused;
    byte_string text = {0};
    bytes_add_text(&text, "v 0 0 0\nv 1 0 0\nv 0 1 0\n#");
    for (int i = 0; i < 20000; i++) {
        bytes_add_text(&text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ");
    }
    bytes_add_text(&text, "\nf");
    for (int i = 0; i < 50000; i++) {
        bytes_add_text(&text, " %d", i % 3 + 1);
    }
    for (int i = 0; i < 10000; i++) {
        bytes_add_text(&text, "\nusemtl m%d\nf 1 2 3", i);
    }
    loaded state;
    load_bytes(&state, "long.obj", text.at, text.size);
    assert_int_equal(mesh_of(&state, 0)->triangle_count, 49998 + 10000);
    assert_int_equal(mesh_of(&state, 0)->group_count, 10001);
    assert_true(state.memory.peak_bytes <= 64 * text.size + ((uint64_t)16 << 20));
    unload(&state);
    bytes_free(&text);
}

static void bad_calls_are_refused(void **unused)
{
    (void)unused;
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    pliant_asset *asset = NULL;
    pliant_asset_def def = pliant_asset_def_default();
    const char *path = "nowhere.obj";
    assert_int_equal(pliant_asset_load(context, &def, &asset), PLIANT_ERROR_ARGUMENT);
    def.paths = &path;
    assert_int_equal(pliant_asset_load(context, &def, &asset), PLIANT_ERROR_ARGUMENT);
    def.path_count = 1;
    assert_int_equal(pliant_asset_load(NULL, &def, &asset), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_asset_load(context, &def, &asset), PLIANT_ERROR_DATA);
    assert_non_null(strstr(pliant_last_error(), "cannot read nowhere.obj: No such file"));
    path = "/tmp";
    assert_int_equal(pliant_asset_load(context, &def, &asset), PLIANT_ERROR_DATA);
    def.frames_per_second = 0.0;
    assert_int_equal(pliant_asset_load(context, &def, &asset), PLIANT_ERROR_RANGE);
    def.tag = 0;
    assert_int_equal(pliant_asset_load(context, &def, &asset), PLIANT_ERROR_ARGUMENT);
    assert_null(pliant_asset_get_body(NULL, 0));
    assert_int_equal(pliant_asset_get_counts(NULL).bodies, 0);
    pliant_asset_destroy(NULL);
    pliant_asset_pose_destroy(NULL);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_reads_every_form_of_face),
        cmocka_unit_test(faces_that_are_not_convex_are_cut_within),
        cmocka_unit_test(obj_objects_become_bodies),
        cmocka_unit_test(numbers_do_not_depend_on_the_language),
        cmocka_unit_test(ply_reads_ascii),
        cmocka_unit_test(ply_reads_both_byte_orders),
        cmocka_unit_test(ply_reads_doubles_strips_and_every_integer),
        cmocka_unit_test(off_reads_its_variants),
        cmocka_unit_test(bad_meshes_are_refused),
        cmocka_unit_test(ply_counts_that_disagree_are_refused),
        cmocka_unit_test(long_lines_and_large_faces_are_read),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
