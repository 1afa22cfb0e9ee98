/* The parts of pliant check on files and triangles made here: hidden bodies, frames to compare
   with, lists of names, pieces, depths. */
#include "check_fixture.h"
#include "as_triangle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "gltf_maker.h"
#include "random.h"
#include "temporary.h"

/*
 * Two tetrahedra. The second stands apart at rest and in frame 0, a quarter inside the first in
 * frame 1, and is scaled to nothing in frame 2.
 */
static void write_tetrahedra(char folder[TEMPORARY_FOLDER], char path[TEMPORARY_FILE])
{
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint16_t triangles[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    static const float times[] = {0.0f, 1.0f / 30, 2.0f / 30};
    static const float moves[] = {5, 0, 0, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f};
    static const float scales[] = {1, 1, 1, 1, 1, 1, 0, 0, 0};
    gltf_maker maker = {0};
    int p = gltf_add(&maker, "VEC3", GLTF_F32, 4, positions);
    int t = gltf_add(&maker, "SCALAR", GLTF_U16, 12, triangles);
    int s = gltf_add(&maker, "SCALAR", GLTF_F32, 3, times);
    int m = gltf_add(&maker, "VEC3", GLTF_F32, 3, moves);
    int c = gltf_add(&maker, "VEC3", GLTF_F32, 3, scales);
    char members[1500];
    snprintf(members, sizeof members,
             ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d}]}],"
             "\"nodes\":[{\"name\":\"one\",\"mesh\":0},"
             "{\"name\":\"one\",\"mesh\":0,\"translation\":[5,0,0]}],"
             "\"scenes\":[{\"nodes\":[0,1]}],\"scene\":0,"
             "\"animations\":[{\"name\":\"go\",\"channels\":["
             "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}},"
             "{\"sampler\":1,\"target\":{\"node\":1,\"path\":\"scale\"}}],\"samplers\":["
             "{\"input\":%d,\"output\":%d,\"interpolation\":\"STEP\"},"
             "{\"input\":%d,\"output\":%d,\"interpolation\":\"STEP\"}]}]",
             p, t, s, m, s, c);
    byte_string bytes = gltf_finish(&maker, members);
    temporary_folder(folder);
    temporary_path(path, folder, "check");
    temporary_write(path, bytes.at, bytes.size);
    bytes_free(&bytes);
}

static void hidden_bodies_are_left_out(void **unused)
{
    (void)unused;
    char folder[TEMPORARY_FOLDER], path[TEMPORARY_FILE];
    write_tetrahedra(folder, path);
    check_settings settings = check_fixture_settings();
    settings.volume = settings.contours = settings.keep_triangles = settings.keep_lines = true;
    check state;
    check_fixture_fill(&state, path, settings);
    assert_int_equal(state.frame_count, 3);
    assert_string_equal(state.parts[1].name, "one#2");
    assert_int_equal(state.frames[0].found_count, 0);
    assert_int_equal(state.frames[1].found_count, 1);
    const check_found *found = &state.frames[1].found[0];
    assert_true(found->count > 0 && found->new_count == found->count);
    assert_true(found->has_volume && found->volume_error < 0.0015);
    assert_true(fabs(found->volume - 0.25 * 0.25 * 0.25 / 6) <= found->volume_error);
    /* A corner of each tetrahedron is in the other: two regions, of one closed curve. */
    assert_true(found->has_contours && !found->contours.guess);
    assert_int_equal(found->contours.count, 1);
    assert_true(found->contours.area > 0.0 && found->contours.depth > 0.0);
    assert_true(found->contours.line_count >= 3 && found->contours.inside_count[0] > 0);
    assert_int_equal(state.frames[2].found_count, 0);
    assert_int_equal(state.frames[2].hidden_count, 1);
    assert_int_equal(state.frames[2].hidden[0], 1);
    bool noted = false;
    for (uint32_t i = 0; i < state.note_count; i++) {
        noted =
            noted || strstr(state.notes[i],
                            "'one#2' is scaled to nothing, or flat, in 1 frame of 1 clip;") != NULL;
    }
    assert_true(noted);
    check_free(&state);
    temporary_remove(folder);
}

static void frames_can_be_compared_with(void **unused)
{
    (void)unused;
    char folder[TEMPORARY_FOLDER], path[TEMPORARY_FILE];
    write_tetrahedra(folder, path);
    check_settings settings = check_fixture_settings();
    settings.against = CHECK_AGAINST_FRAME;
    settings.against_frame = 1;
    check state;
    check_fixture_fill(&state, path, settings);
    assert_int_equal(state.row_count, 1);
    assert_int_equal(state.failing_count, 0);
    check_free(&state);
    settings.against = CHECK_AGAINST_REST;
    settings.has_max_depth = true;
    settings.max_depth = (check_limit){100.0, false};
    check_fixture_fill(&state, path, settings);
    assert_int_equal(state.finding_count, 1);
    assert_int_equal(state.findings[0].verdict, CHECK_NEW);
    assert_int_equal(state.failing_count, 0);
    check_free(&state);
    temporary_remove(folder);
}

static void lists_name_bodies_and_pairs(void **unused)
{
    (void)unused;
    assert_true(check_list_has("Cape,Sword_*", "Cape"));
    assert_true(check_list_has("Cape,Sword_*", "Sword_Left"));
    assert_false(check_list_has("Cape,Sword_*", "Cap"));
    assert_false(check_list_has("Cape", "cape"));
    assert_false(check_list_has(NULL, "Cape"));
    assert_true(check_list_has("a,b", "a,b"));
    assert_true(check_list_has("[x]", "[x]"));
    assert_true(check_list_has_pair("Cape+Body", "Body", "Cape"));
    assert_true(check_list_has_pair("x,C*+A+B", "Cape", "A+B"));
    assert_false(check_list_has_pair("Cape+Body", "Cape", "Cape"));
    assert_false(check_list_has_pair("Cape", "Cape", "Cape"));
    char *clean = check_clean_text("a\x1b[2J\xff\xc3\xa9\xed\xa0\x80");
    assert_string_equal(clean, "a?[2J?\xc3\xa9???");
    free(clean);
}

static void pieces_are_welded_by_position(void **unused)
{
    (void)unused;
    /* Triangles 0 and 2 meet in doubled vertices (one of them -0); 1 stands alone. */
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1,     0, 5, 5, 5, 6, 5,
                                      5, 5, 6, 5, 1, 0, 0, -0.0f, 1, 0, 1, 1, 0};
    static const uint32_t triangles[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    pliant_asset_mesh mesh = {
        .positions = positions, .triangles = triangles, .vertex_count = 9, .triangle_count = 3};
    uint32_t pieces[3], count = 0;
    assert_int_equal(check_find_pieces(&mesh, pieces, &count), CHECK_DONE);
    assert_int_equal(count, 2);
    assert_int_equal(pieces[0], 0);
    assert_int_equal(pieces[1], 1);
    assert_int_equal(pieces[2], 0);
}

static void move(float from[3][3], const double direction[3], double length, float to[3][3])
{
    for (int i = 0; i < 9; i++) {
        to[i / 3][i % 3] = (float)((double)from[i / 3][i % 3] + length * direction[i % 3]);
    }
}

static bool touch(float a[3][3], float b[3][3])
{
    return pliant_triangle_overlap(as_triangle(a), as_triangle(b));
}

/* No shorter move in any direction parts two triangles, and one a little longer does. */
static void depth_is_the_shortest_way_out(void **unused)
{
    (void)unused;
    rng random;
    rng_seed(&random, 8);
    uint32_t cases = fixture_count(200), touching = 0;
    for (uint32_t i = 0; i < cases; i++) {
        float a[3][3], b[3][3], moved[3][3];
        for (int k = 0; k < 9; k++) {
            a[k / 3][k % 3] = (float)rng_range(&random, -1, 1);
            b[k / 3][k % 3] = (float)rng_range(&random, -1, 1);
        }
        double depth = check_pair_depth(as_triangle(a), as_triangle(b), 0.0), shortest = HUGE_VAL;
        if (!touch(a, b)) {
            continue;
        }
        touching++;
        assert_true(check_pair_depth(as_triangle(a), as_triangle(b), 0.5 * depth) == depth);
        assert_true(check_pair_depth(as_triangle(a), as_triangle(b), 2.0 * depth) <= 2.0 * depth);
        for (int k = 0; k < 2000; k++) {
            double direction[3], length = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                direction[axis] = rng_range(&random, -1, 1);
                length += direction[axis] * direction[axis];
            }
            length = sqrt(length);
            for (int axis = 0; axis < 3; axis++) {
                direction[axis] /= length;
            }
            move(b, direction, 0.999 * depth, moved);
            assert_true(touch(a, moved));
            double low = 0.0, high = 4.0; /* convex: out once, out for good */
            for (int halving = 0; halving < 20; halving++) {
                double middle = 0.5 * (low + high);
                move(b, direction, middle, moved);
                *(touch(a, moved) ? &low : &high) = middle;
            }
            shortest = high < shortest ? high : shortest;
        }
        assert_true(shortest >= 0.999 * depth && shortest <= 1.02 * depth + 1e-5);
    }
    assert_true(cases < 100 || touching > cases / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_bodies_are_left_out),
        cmocka_unit_test(frames_can_be_compared_with),
        cmocka_unit_test(lists_name_bodies_and_pairs),
        cmocka_unit_test(pieces_are_welded_by_position),
        cmocka_unit_test(depth_is_the_shortest_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
