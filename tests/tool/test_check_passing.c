/* What pliant check finds between frames: against brute force, and where a chord is not an arc. */
#include "as_triangle.h"
#include "check_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "gltf_maker.h"
#include "pliant/moving.h"
#include "random.h"
#include "temporary.h"

#define TRIANGLES 10 /* of each of two bodies */
#define FRAMES    4

typedef float soup[FRAMES][2][TRIANGLES][3][3];

/* Short triangles that jump from frame to frame; some frames stay as they are. */
static void fill_soup(rng *random, soup at)
{
    for (int i = 0; i < FRAMES * 2 * TRIANGLES; i++) {
        float(*corners)[3] = at[i / (2 * TRIANGLES)][i / TRIANGLES % 2][i % TRIANGLES];
        float middle[3];
        for (int k = 0; k < 3; k++) {
            middle[k] = (float)rng_range(random, -1.0, 1.0);
        }
        for (int c = 0; c < 9; c++) {
            corners[c / 3][c % 3] = middle[c % 3] + (float)rng_range(random, -0.4, 0.4);
        }
    }
    if (rng_unit(random) < 0.3) {
        memcpy(at[2], at[1], sizeof at[1]);
    }
}

static void write_frame(const char *folder, int frame, soup at)
{
    char name[32], path[TEMPORARY_FILE];
    snprintf(name, sizeof name, "soup.%d.obj", frame);
    temporary_path(path, folder, name);
    FILE *file = temporary_open(path);
    for (int body = 0; body < 2; body++) {
        fprintf(file, "o body%d\n", body);
        for (int i = 0; i < 3 * TRIANGLES; i++) {
            const float *p = at[frame][body][i / 3][i % 3];
            fprintf(file, "v %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
        }
        for (int i = 0; i < TRIANGLES; i++) {
            int first = 3 * (body * TRIANGLES + i) + 1;
            fprintf(file, "f %d %d %d\n", first, first + 1, first + 2);
        }
    }
    fclose(file);
}

static bool touch(soup at, int frame, const int body[2], const int triangle[2])
{
    return pliant_triangle_overlap(as_triangle(at[frame][body[0]][triangle[0]]),
                                   as_triangle(at[frame][body[1]][triangle[1]]));
}

/* Whether a triangle touches the other body, or its own one, in one of two frames. */
static bool touches(soup at, int frame, int body, int triangle, int other)
{
    for (int i = 0; i < 2 * TRIANGLES; i++) {
        bool itself = body == other && i / 2 == triangle;
        if (!itself && touch(at, frame + i % 2, (int[2]){body, other}, (int[2]){triangle, i / 2})) {
            return true;
        }
    }
    return false;
}

static pliant_moving_triangle moving(soup at, int frame, int body, int triangle)
{
    pliant_moving_triangle made;
    for (int c = 0; c < 3; c++) {
        memcpy(made.corner[c].start, at[frame][body][triangle][c], sizeof made.corner[c].start);
        memcpy(made.corner[c].end, at[frame + 1][body][triangle][c], sizeof made.corner[c].end);
    }
    return made;
}

static uint64_t count_known(const check *state, int frame, int a, int b, uint32_t x, uint32_t y)
{
    const check_found *found = check_find(&state->passes[frame], (uint32_t)a, (uint32_t)b);
    uint64_t count = 0;
    for (uint64_t i = 0; found != NULL && i < found->count; i++) {
        count += found->pairs[i].a == x && found->pairs[i].b == y ? 1 : 0;
    }
    return count;
}

/* Compares one frame, of two bodies or of one and itself. Returns how many pairs pass through. */
static uint64_t compare(const check *state, soup at, int frame, int a, int b)
{
    uint64_t expected = 0;
    for (int i = 0; i < TRIANGLES * TRIANGLES; i++) {
        int x = i / TRIANGLES, y = i % TRIANGLES;
        if (a == b && x >= y) {
            continue;
        }
        pliant_moving_triangle first = moving(at, frame, a, x), second = moving(at, frame, b, y);
        bool passes = pliant_moving_triangle_meet(&first, &second, NULL) &&
                      !touches(at, frame, a, x, b) && !touches(at, frame, b, y, a);
        assert_int_equal(count_known(state, frame, a, b, (uint32_t)x, (uint32_t)y), passes ? 1 : 0);
        expected += passes ? 1 : 0;
    }
    const check_found *found = check_find(&state->passes[frame], (uint32_t)a, (uint32_t)b);
    assert_int_equal(found != NULL ? found->count : 0, expected);
    return expected;
}

static void passes_are_those_of_brute_force(void **unused)
{
    (void)unused;
    rng random;
    rng_seed(&random, 20);
    char folder[TEMPORARY_FOLDER], path[TEMPORARY_FILE];
    temporary_folder(folder);
    temporary_path(path, folder, "soup.#.obj");
    uint64_t passed = 0, within = 0;
    int cases = 20;
    for (int round = 0; round < cases; round++) {
        soup at;
        fill_soup(&random, at);
        for (int frame = 0; frame < FRAMES; frame++) {
            write_frame(folder, frame, at);
        }
        check_settings settings = check_fixture_settings();
        settings.self = settings.keep_triangles = true;
        settings.steps = 1;
        settings.threads = 1 + (uint32_t)round % 3;
        check state;
        check_fixture_fill(&state, path, settings);
        assert_int_equal(state.frame_count, FRAMES);
        for (int frame = 0; frame + 1 < FRAMES; frame++) {
            passed += compare(&state, at, frame, 0, 1);
            within += compare(&state, at, frame, 0, 0) + compare(&state, at, frame, 1, 1);
        }
        assert_int_equal(state.passes[FRAMES - 1].found_count, 0); /* nothing comes after it */
        check_free(&state);
    }
    assert_true(passed > 100 && within > 100);
    temporary_remove(folder);
}

/* A needle that turns half round from one frame to the next, and a blade that stands on its arc
   but not on the straight line. */
static void write_needle(char folder[TEMPORARY_FOLDER], char path[TEMPORARY_FILE])
{
    static const float needle[] = {2, 0, 0, 2.2f, 0, 0, 2.1f, 0, 0.1f};
    static const float blade[] = {0, 1.95f, -1, 0, 2.25f, -1, 0, 2.1f, 1};
    static const uint16_t triangle[] = {0, 1, 2};
    static const float times[] = {0.0f, 1.0f / 30};
    static const float turns[] = {0, 0, 0, 1, 0, 0, 1, 0};
    gltf_maker maker = {0};
    int n = gltf_add(&maker, "VEC3", GLTF_F32, 3, needle);
    int b = gltf_add(&maker, "VEC3", GLTF_F32, 3, blade);
    int t = gltf_add(&maker, "SCALAR", GLTF_U16, 3, triangle);
    int s = gltf_add(&maker, "SCALAR", GLTF_F32, 2, times);
    int r = gltf_add(&maker, "VEC4", GLTF_F32, 2, turns);
    char members[1500];
    snprintf(members, sizeof members,
             ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d}]},"
             "{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d}]}],"
             "\"nodes\":[{\"name\":\"needle\",\"mesh\":0},{\"name\":\"blade\",\"mesh\":1}],"
             "\"scenes\":[{\"nodes\":[0,1]}],\"scene\":0,"
             "\"animations\":[{\"name\":\"turn\",\"channels\":["
             "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}],\"samplers\":["
             "{\"input\":%d,\"output\":%d}]}]",
             n, t, b, t, s, r);
    byte_string bytes = gltf_finish(&maker, members);
    temporary_folder(folder);
    temporary_path(path, folder, "check");
    temporary_write(path, bytes.at, bytes.size);
    bytes_free(&bytes);
}

static void steps_follow_an_arc(void **unused)
{
    (void)unused;
    static const uint32_t steps[] = {0, 1, 2, 3, 8, 9};
    char folder[TEMPORARY_FOLDER], path[TEMPORARY_FILE];
    write_needle(folder, path);
    for (int i = 0; i < 6; i++) {
        check_settings settings = check_fixture_settings();
        settings.steps = steps[i];
        check state;
        check_fixture_fill(&state, path, settings);
        assert_int_equal(state.frame_count, 2);
        assert_int_equal(state.row_count, 0);
        /* Two straight lines end at the top of the arc, in the blade; three cut it off below. */
        bool found = steps[i] == 2 || steps[i] > 3;
        assert_int_equal(state.pass_count, found ? 1 : 0);
        assert_true(check_has_failed(&state) == found);
        if (found) {
            double time = check_pass_time(&state, &state.passes[0], &state.passes[0].found[0]);
            assert_true(time > 0.3 / 30 && time < 0.7 / 30);
            assert_int_equal(state.clips[0].pass_rows[0].fresh.first, 0);
        }
        check_free(&state);
    }
    temporary_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_those_of_brute_force),
        cmocka_unit_test(steps_follow_an_arc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
