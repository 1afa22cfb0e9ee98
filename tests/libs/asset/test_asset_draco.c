/* glTF with KHR_draco_mesh_compression: what Draco's encoder makes of a skinned mesh comes back to
   the bit, by both of its methods, and bad streams end in a sentence. */
#include "draco_maker.h"
#include "fixture.h"
#include "gltf_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 6, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), ROOM = 1 << 14 };

/* A bent sheet on two joints. */
typedef struct sheet {
    float positions[3 * VERTICES], weights[4 * VERTICES];
    uint8_t joints[4 * VERTICES];
    uint32_t triangles[3 * TRIANGLES];
    uint8_t stream[ROOM];
    size_t size;
} sheet;

static void make_sheet(sheet *made, bool sequential)
{
    *made = (sheet){.size = 0};
    size_t corner = 0;
    for (uint32_t i = 0; i < VERTICES; i++) {
        float x = (float)(i % SIDE), y = (float)(i / SIDE);
        float *position = &made->positions[3 * i], share = x / (SIDE - 1);
        position[0] = x;
        position[1] = y / 3.0f;
        position[2] = 0.1f * x * y;
        made->joints[4 * i + 1] = 1;
        made->weights[4 * i] = 1.0f - share;
        made->weights[4 * i + 1] = share;
    }
    for (uint32_t y = 0; y + 1 < SIDE; y++) {
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            uint32_t a = SIDE * y + x;
            const uint32_t corners[] = {a, a + 1, a + SIDE, a + SIDE, a + 1, a + SIDE + 1};
            memcpy(&made->triangles[corner], corners, sizeof corners);
            corner += 6;
        }
    }
    draco_source source = {.positions = made->positions,
                           .joints = made->joints,
                           .weights = made->weights,
                           .triangles = made->triangles,
                           .vertex_count = VERTICES,
                           .triangle_count = TRIANGLES,
                           .sequential = sequential};
    made->size = draco_make(&source, made->stream, sizeof made->stream);
    assert_true(made->size > 0);
}

#define SKIN                                                                                       \
    ",\"nodes\":[{\"mesh\":0,\"skin\":0},{},{\"translation\":[0,1,2]}],\"skins\":[{\"joints\":[1," \
    "2]}],"

#define PRIMITIVE                                                                                  \
    "\"meshes\":[{\"name\":\"sheet\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\"" \
    ":1,\"WEIGHTS_0\":2},\"indices\":3"

#define STREAM                                                                                     \
    ",\"extensions\":{\"KHR_draco_mesh_compression\":{\"bufferView\":4,\"attributes\":{"           \
    "\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2,\"NORMAL\":7}}}"

#define REQUIRED ",\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]"

/* Accessors 0 to 3 without views, and the stream as view 4. */
static void add_stream(gltf_maker *maker, const uint8_t *stream, size_t size, int vertices,
                       int corners)
{
    char json[200];
    const char *const forms[] = {
        "\"componentType\":5126,\"type\":\"VEC3\"", "\"componentType\":5121,\"type\":\"VEC4\"",
        "\"componentType\":5126,\"type\":\"VEC4\"", "\"componentType\":5123,\"type\":\"SCALAR\""};
    for (int i = 0; i < 4; i++) {
        snprintf(json, sizeof json, "{%s,\"count\":%d}", forms[i], i < 3 ? vertices : corners);
        gltf_add_json(maker, json);
    }
    gltf_add_view(maker, stream, size, "");
}

static byte_string make_file(const uint8_t *stream, size_t size)
{
    gltf_maker maker = {0};
    add_stream(&maker, stream, size, VERTICES, 3 * TRIANGLES);
    return gltf_finish(&maker, SKIN PRIMITIVE STREAM "}]}]" REQUIRED);
}

/* Whether a triangle's evaluated corners are those of another one, from some corner on. */
static bool same_corners(const float *found, const uint32_t *corners, const float *expected,
                         const uint32_t *known)
{
    for (uint32_t turn = 0; turn < 3; turn++) {
        bool same = true;
        for (uint32_t k = 0; k < 9; k++) {
            same = same && found[3 * corners[(k / 3 + turn) % 3] + k % 3] ==
                               expected[3 * known[k / 3] + k % 3];
        }
        if (same) {
            return true;
        }
    }
    return false;
}

static void streams_come_back_to_the_bit(void **unused)
{
    (void)unused;
    for (int sequential = 0; sequential < 2; sequential++) {
        sheet made;
        make_sheet(&made, sequential != 0);
        gltf_maker plain = {0};
        uint16_t corners[3 * TRIANGLES];
        for (int i = 0; i < 3 * TRIANGLES; i++) {
            corners[i] = (uint16_t)made.triangles[i];
        }
        gltf_add(&plain, "VEC3", GLTF_F32, VERTICES, made.positions);
        gltf_add(&plain, "VEC4", GLTF_U8, VERTICES, made.joints);
        gltf_add(&plain, "VEC4", GLTF_F32, VERTICES, made.weights);
        gltf_add(&plain, "SCALAR", GLTF_U16, 3 * (size_t)TRIANGLES, corners);
        loaded states[2];
        byte_string files[2];
        gltf_load(&states[0], &plain, SKIN PRIMITIVE "}]}]", &files[0]);
        files[1] = make_file(made.stream, made.size);
        load_bytes(&states[1], "d.glb", files[1].at, files[1].size);
        const pliant_asset_mesh *mesh = mesh_of(&states[1], 0), *known = mesh_of(&states[0], 0);
        assert_int_equal(mesh->vertex_count, VERTICES);
        assert_int_equal(mesh->triangle_count, TRIANGLES);
        float *found = evaluated(&states[1], 0), *expected = evaluated(&states[0], 0);
        bool taken[TRIANGLES] = {false};
        for (uint32_t i = 0; i < TRIANGLES; i++) {
            uint32_t match = 0;
            while (match < TRIANGLES &&
                   (taken[match] || !same_corners(found, &mesh->triangles[3 * i], expected,
                                                  &known->triangles[3 * match]))) {
                match++;
            }
            assert_true(match < TRIANGLES);
            taken[match] = true;
        }
        free(found);
        free(expected);
        for (int i = 0; i < 2; i++) {
            gltf_unload(&states[i], &files[i]);
        }
    }
}

static void refuse_stream(const char *members, int vertices, int corners, const uint8_t *stream,
                          size_t size, const char *part)
{
    gltf_maker maker = {0};
    add_stream(&maker, stream, size, vertices, corners);
    gltf_assert_refused(&maker, members, part);
    gltf_free(&maker);
}

static void what_does_not_fit_is_refused(void **unused)
{
    (void)unused;
    sheet made;
    make_sheet(&made, false);
    const uint8_t *stream = made.stream;
    const int corners = 3 * TRIANGLES;
    const char *good = SKIN PRIMITIVE STREAM "}]}]";
    refuse_stream(good, VERTICES + 1, corners, stream, made.size,
                  "its Draco stream has 36 vertices and 50 triangles, its accessors 37 and 50");
    refuse_stream(good, VERTICES - 1, corners + 3, stream, made.size, "its accessors 35 and 51");
    refuse_stream(good, VERTICES, corners + 3, stream, made.size, "its accessors 36 and 51");
    refuse_stream(good, VERTICES, corners + 1, stream, made.size, "no multiple of 3");
    refuse_stream(good, VERTICES, corners, stream, made.size / 2, "its Draco stream is damaged");
    refuse_stream(good, VERTICES, corners, stream, 3, "its Draco stream is damaged");
    refuse_stream(SKIN PRIMITIVE ",\"mode\":5" STREAM "}]}]", VERTICES, corners, stream, made.size,
                  "Draco compression of strips is not read");
    refuse_stream(SKIN PRIMITIVE ",\"extensions\":{\"KHR_draco_mesh_compression\":{"
                                 "\"bufferView\":4,\"attributes\":{\"JOINTS_0\":1}}}}]}]",
                  VERTICES, corners, stream, made.size, "has no POSITION");
    refuse_stream(SKIN PRIMITIVE ",\"extensions\":{\"KHR_draco_mesh_compression\":{"
                                 "\"bufferView\":4,\"attributes\":{\"POSITION\":5}}}}]}]",
                  VERTICES, corners, stream, made.size, "has no POSITION as its accessor says");
    refuse_stream(SKIN PRIMITIVE ",\"extensions\":{\"KHR_draco_mesh_compression\":{"
                                 "\"bufferView\":4,\"attributes\":{\"POSITION\":-1}}}}]}]",
                  VERTICES, corners, stream, made.size, "an id is no whole number");
    refuse_stream(SKIN PRIMITIVE ",\"extensions\":{\"KHR_draco_mesh_compression\":{"
                                 "\"attributes\":{\"POSITION\":0}}}}]}]",
                  VERTICES, corners, stream, made.size, "names no bufferView");
    uint8_t old[ROOM];
    memcpy(old, stream, made.size);
    old[6] = 1; /* version 2.1 */
    refuse_stream(good, VERTICES, corners, old, made.size, "not of version 2.2");
}

/* Accessors may declare fewer vertices than the stream has, as those of a well-known model do. */
static void more_vertices_than_declared_are_read(void **unused)
{
    (void)unused;
    for (int declared = 1; declared < VERTICES; declared += 17) {
        sheet made;
        make_sheet(&made, declared % 2 != 0);
        byte_string files[2] = {make_file(made.stream, made.size)};
        gltf_maker maker = {0};
        add_stream(&maker, made.stream, made.size, declared, 3 * TRIANGLES);
        files[1] = gltf_finish(&maker, SKIN PRIMITIVE STREAM "}]}]" REQUIRED);
        loaded states[2];
        for (int i = 0; i < 2; i++) {
            load_bytes(&states[i], "d.glb", files[i].at, files[i].size);
        }
        const pliant_asset_mesh *whole = mesh_of(&states[0], 0), *mesh = mesh_of(&states[1], 0);
        assert_int_equal(mesh->vertex_count, VERTICES);
        assert_int_equal(mesh->triangle_count, TRIANGLES);
        assert_memory_equal(mesh->positions, whole->positions, sizeof made.positions);
        assert_memory_equal(mesh->triangles, whole->triangles, sizeof made.triangles);
        float *found = evaluated(&states[1], 0), *expected = evaluated(&states[0], 0);
        assert_memory_equal(found, expected, sizeof made.positions);
        free(found);
        free(expected);
        assert_int_equal(pliant_asset_get_counts(states[0].asset).notes, 0);
        assert_int_equal(pliant_asset_get_counts(states[1].asset).notes, 1);
        char note[200];
        snprintf(note, sizeof note,
                 "d.glb: mesh 0: primitive 0: its Draco stream has 36 vertices, and its accessors "
                 "declare %d; all of the stream are read",
                 declared);
        assert_string_equal(pliant_asset_get_note(states[1].asset, 0), note);
        for (int i = 0; i < 2; i++) {
            gltf_unload(&states[i], &files[i]);
        }
    }
}

/* Attributes of all types that a stream can have: those of glTF are converted, others refused. A
   byte of a bool may be 128, which is no value of that type. */
static void types_of_attributes_are_checked(void **unused)
{
    (void)unused;
    enum { INT64 = 7, FLOAT32 = 9, FLOAT64 = 10, BOOL = 11 };
    static const size_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1};
    for (int type = 1; type <= BOOL; type++) {
        sheet made;
        make_sheet(&made, true);
        uint8_t joints[8 * 4 * VERTICES] = {0};
        for (size_t i = 0; i < 4 * (size_t)VERTICES; i++) {
            float as_float = made.joints[i];
            double as_double = made.joints[i];
            const void *value = type == FLOAT32   ? (const void *)&as_float
                                : type == FLOAT64 ? (const void *)&as_double
                                                  : &made.joints[i];
            memcpy(joints + i * sizes[type], value,
                   type == FLOAT32 || type == FLOAT64 ? sizes[type] : 1);
        }
        joints[4 * sizes[type] - sizes[type]] = type == BOOL ? 128 : 0;
        draco_source source = {.positions = made.positions,
                               .joints = joints,
                               .joint_type = type,
                               .weights = made.weights,
                               .triangles = made.triangles,
                               .vertex_count = VERTICES,
                               .triangle_count = TRIANGLES,
                               .sequential = true};
        size_t size = draco_make(&source, made.stream, sizeof made.stream);
        assert_true(size > 0);
        if (type < INT64 || type == FLOAT32) {
            byte_string file = make_file(made.stream, size);
            loaded state;
            load_bytes(&state, "d.glb", file.at, file.size);
            const pliant_asset_mesh *mesh = mesh_of(&state, 0);
            for (uint32_t i = 0; i < VERTICES; i++) {
                uint32_t first = mesh->influence_offsets[i], last = mesh->influence_offsets[i + 1];
                assert_int_equal(mesh->influence_joints[last - 1], i % SIDE > 0 ? 1 : 0);
                assert_int_equal(last - first, i % SIDE > 0 && i % SIDE < SIDE - 1 ? 2 : 1);
            }
            gltf_unload(&state, &file);
        } else {
            refuse_stream(SKIN PRIMITIVE STREAM "}]}]", VERTICES, 3 * TRIANGLES, made.stream, size,
                          "its Draco stream has no JOINTS_0 as its accessor says");
        }
    }
}

/* A stream that promises 2^31 triangles in a few bytes takes no memory for them. */
static void promises_are_not_believed(void **unused)
{
    (void)unused;
    for (uint8_t method = 0; method < 2; method++) {
        uint8_t stream[64] = "DRACO";
        size_t size = 5;
        const uint8_t head[] = {2, 2, 1, method, 0, 0};
        memcpy(stream + size, head, sizeof head);
        size += sizeof head;
        stream[size] = 0; /* how Edgebreaker is traversed */
        size += method == 1 ? 1 : 0;
        for (int i = 0; i < 2; i++) {
            const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 0x04};
            memcpy(stream + size, huge, sizeof huge);
            size += sizeof huge;
        }
        refuse_stream(SKIN PRIMITIVE STREAM "}]}]", VERTICES, 3 * TRIANGLES, stream, sizeof stream,
                      "promises more than its size allows");
    }
}

/* Two primitives may name the same stream and accessors; two streams may not fill one accessor. */
static void streams_are_shared(void **unused)
{
    (void)unused;
    sheet made;
    make_sheet(&made, true);
    gltf_maker maker = {0};
    add_stream(&maker, made.stream, made.size, VERTICES, 3 * TRIANGLES);
    const char *twice = SKIN PRIMITIVE STREAM
        "},{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},\"indices\":3" STREAM
        "}]}]";
    loaded state;
    byte_string file;
    gltf_load(&state, &maker, twice, &file);
    assert_int_equal(mesh_of(&state, 0)->triangle_count, 2 * TRIANGLES);
    assert_int_equal(mesh_of(&state, 0)->vertex_count, VERTICES);
    gltf_unload(&state, &file);
    add_stream(&maker, made.stream, made.size, VERTICES, 3 * TRIANGLES);
    bytes_add_text(&maker.views, ",{\"buffer\":0,\"byteLength\":%zu}", maker.bin.size);
    gltf_assert_refused(&maker,
                        SKIN PRIMITIVE STREAM
                        "},{\"attributes\":{\"POSITION\":0},\"indices\":3,\"extensions\":{"
                        "\"KHR_draco_mesh_compression\":{\"bufferView\":5,\"attributes\":{"
                        "\"POSITION\":0}}}}]}]",
                        "accessor 0: two streams of Draco claim to hold it");
    gltf_free(&maker);
}

/* Whatever a byte becomes, the file is read or refused, within its memory. */
static void damaged_streams_end_well(void **unused)
{
    (void)unused;
    for (int sequential = 0; sequential < 2; sequential++) {
        sheet made;
        make_sheet(&made, sequential != 0);
        double scale = fixture_scale();
        size_t step = scale >= 10.0 ? 1 : scale >= 1.0 ? 5 : 50; /* bytes, from one to the next */
        for (size_t i = 0; i < made.size; i += step) {
            const uint8_t was = made.stream[i], changes[] = {0x00, 0xff, (uint8_t)(was ^ 0x11)};
            for (size_t k = 0; k < sizeof changes; k++) {
                made.stream[i] = changes[k];
                byte_string file = make_file(made.stream, made.size);
                counting_allocator memory = {0};
                pliant_context *context = asset_context(&memory);
                exercise_bytes(context, "d.glb", file.at, file.size);
                pliant_context_destroy(context);
                assert_int_equal(memory.live, 0);
                assert_true(memory.peak_bytes < 1024 * file.size + (UINT64_C(32) << 20));
                bytes_free(&file);
            }
            made.stream[i] = was;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_come_back_to_the_bit),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(more_vertices_than_declared_are_read),
        cmocka_unit_test(types_of_attributes_are_checked),
        cmocka_unit_test(promises_are_not_believed),
        cmocka_unit_test(streams_are_shared),
        cmocka_unit_test(damaged_streams_end_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
