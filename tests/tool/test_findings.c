/* What pliant check calls new, worse, known and shallow, on bodies made here whose depths are
   known, and the depth of regions against definition D12. */
#include "check_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

#define RINGS  12
#define SLICES 16

/* Writes a ball as an object of an OBJ file, or without a name as a piece of the object before it;
   `*base` counts vertices. */
static void write_ball(FILE *file, const char *name, const double centre[3], double radius,
                       unsigned *base)
{
    const double pi = 3.14159265358979323846;
    if (name != NULL) {
        fprintf(file, "o %s\n", name);
    }
    for (int r = 1; r < RINGS; r++) {
        for (int s = 0; s < SLICES; s++) {
            double up = pi * r / RINGS, around = 2.0 * pi * s / SLICES;
            fprintf(file, "v %.9g %.9g %.9g\n", centre[0] + radius * sin(up) * cos(around),
                    centre[1] + radius * sin(up) * sin(around), centre[2] + radius * cos(up));
        }
    }
    fprintf(file, "v %.9g %.9g %.9g\n", centre[0], centre[1], centre[2] + radius);
    fprintf(file, "v %.9g %.9g %.9g\n", centre[0], centre[1], centre[2] - radius);
    unsigned first = *base + 1, top = first + (RINGS - 1) * SLICES, bottom = top + 1;
    for (unsigned s = 0; s < SLICES; s++) {
        unsigned next = (s + 1) % SLICES, last = first + (RINGS - 2) * SLICES;
        fprintf(file, "f %u %u %u\n", top, first + s, first + next);
        fprintf(file, "f %u %u %u\n", bottom, last + next, last + s);
        for (unsigned r = 0; r + 2 < RINGS; r++) {
            unsigned a = first + r * SLICES + s, b = first + r * SLICES + next;
            fprintf(file, "f %u %u %u\nf %u %u %u\n", a, a + SLICES, b, b, a + SLICES, b + SLICES);
        }
    }
    *base += (RINGS - 1) * SLICES + 2;
}

/* A ball that stays, of radius 1 at 0, and one of radius 0.5, at these places frame after frame. */
typedef struct two_balls {
    char folder[64], pattern[96];
    uint32_t count;
} two_balls;

static two_balls write_pieces(const double (*places)[3], uint32_t count, const char *second)
{
    two_balls made = {.count = count};
    snprintf(made.folder, sizeof made.folder, "/tmp/pliant-findings-XXXXXX");
    assert_non_null(mkdtemp(made.folder));
    snprintf(made.pattern, sizeof made.pattern, "%s/balls.##.obj", made.folder);
    for (uint32_t i = 0; i < count; i++) {
        char path[128];
        unsigned base = 0;
        snprintf(path, sizeof path, "%s/balls.%02u.obj", made.folder, i);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        write_ball(file, "large", (const double[]){0, 0, 0}, 1.0, &base);
        write_ball(file, second, places[i], 0.5, &base);
        fclose(file);
    }
    return made;
}

static two_balls write_balls(const double (*places)[3], uint32_t count)
{
    return write_pieces(places, count, "small");
}

static void remove_balls(const two_balls *made)
{
    for (uint32_t i = 0; i < made->count; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/balls.%02u.obj", made->folder, i);
        unlink(path);
    }
    rmdir(made->folder);
}

/* The verdicts of the findings of a motion, the worst first, and its deepest depth. */
static check_verdict worst_of(const double (*places)[3], uint32_t count, check_settings settings,
                              double *depth)
{
    two_balls made = write_balls(places, count);
    check state;
    check_fixture_fill(&state, made.pattern, settings);
    assert_true(state.finding_count > 0);
    check_verdict verdict = state.findings[0].verdict;
    *depth = state.findings[0].depth;
    assert_int_equal(check_has_failed(&state), verdict >= CHECK_NEW);
    check_free(&state);
    remove_balls(&made);
    return verdict;
}

/* How far a region's place is from the closest corner of the triangles that stand for it, in a
   frame in which the small ball has moved by `way`. */
static double place_error(const check *state, const check_region *region, const double *way)
{
    double least = HUGE_VAL;
    for (uint32_t side = 0; side < 2; side++) {
        const pliant_asset_mesh *mesh = state->bodies[state->parts[side].body].surface.mesh;
        for (uint32_t i = 0; i < 3; i++) {
            const float *at =
                mesh->positions + 3 * (size_t)mesh->triangles[3 * region->triangles[side] + i];
            double squared = 0.0;
            for (int k = 0; k < 3; k++) {
                double here = (double)at[k] + (side == 1 ? way[k] : 0.0);
                squared +=
                    (here - (double)region->position[k]) * (here - (double)region->position[k]);
            }
            least = fmin(least, squared);
        }
    }
    return sqrt(least);
}

static void depths_are_those_of_regions(void **unused)
{
    (void)unused;
    for (int i = 1; i <= 5; i++) {
        const double deep = 0.08 * i; /* of the small ball in the large one */
        const double places[2][3] = {{3, 0, 0}, {1.5 - deep, 0.05, 0.03}};
        two_balls made = write_balls(places, 2);
        check_settings settings = check_fixture_settings();
        settings.contours = true;
        check state;
        check_fixture_fill(&state, made.pattern, settings);
        const check_found *found = check_find(&state.frames[1], 0, 1);
        assert_non_null(found);
        assert_int_equal(found->region_count, 1);
        assert_true(found->has_contours && !found->contours.guess);
        /* D12 also asks the middles of pieces of cut edges, which vertices are near to. */
        double difference = fabs(found->regions[0].depth - found->contours.depth);
        assert_true(difference <= 0.15 * found->contours.depth + 0.01);
        assert_true(fabs(found->regions[0].depth - deep) < 0.06);
        assert_true(found->regions[0].length > 0.8 * found->contours.length);
        assert_true(found->regions[0].length < 1.2 * found->contours.length);
        assert_int_equal(state.findings[0].deepest, 1);
        const double way[3] = {places[1][0] - 3, places[1][1], places[1][2]};
        assert_true(place_error(&state, &found->regions[0], way) < 1e-4);
        check_free(&state);
        remove_balls(&made);
    }
}

static void what_is_worse_fails(void **unused)
{
    (void)unused;
    check_settings settings = check_fixture_settings();
    double depth = 0.0;
    /* Apart at rest, then in: new. */
    const double comes[2][3] = {{3, 0, 0}, {1.3, 0, 0}};
    assert_int_equal(worst_of(comes, 2, settings, &depth), CHECK_NEW);
    /* In at rest, and slides along the large ball by little: known. */
    const double slides[3][3] = {{1.4, 0, 0}, {1.4 * 0.9998, 1.4 * 0.02, 0}, {1.4, 0, 0}};
    assert_int_equal(worst_of(slides, 3, settings, &depth), CHECK_KNOWN);
    /* The same place, three times as deep: worse, and by its depth. */
    const double sinks[2][3] = {{1.45, 0, 0}, {1.2, 0, 0}};
    settings.near = (check_limit){50.0, true};
    assert_int_equal(worst_of(sinks, 2, settings, &depth), CHECK_WORSE);
    assert_true(depth > 0.2);
    settings.near = check_default_settings().near;
    /* To the other side of the large ball, with the other side of the small one: new. */
    const double jumps[2][3] = {{1.4, 0, 0}, {-1.4, 0, 0}};
    assert_int_equal(worst_of(jumps, 2, settings, &depth), CHECK_NEW);
    /* Grazes by less than rounding would be seen: shallow. */
    const double grazes[2][3] = {{3, 0, 0}, {1.49999, 0, 0}};
    assert_int_equal(worst_of(grazes, 2, settings, &depth), CHECK_SHALLOW);
    settings.min_depth = (check_limit){0.0, false};
    assert_int_equal(worst_of(grazes, 2, settings, &depth), CHECK_NEW);
}

static void limits_allow(void **unused)
{
    (void)unused;
    const double comes[2][3] = {{3, 0, 0}, {1.3, 0, 0}};
    two_balls made = write_balls(comes, 2);
    check_settings settings = check_fixture_settings();
    settings.has_max_depth = true;
    settings.max_depth = (check_limit){50.0, true};
    check state;
    check_fixture_fill(&state, made.pattern, settings);
    assert_int_equal(state.failing_count, 0);
    check_free(&state);
    settings.max_depth = (check_limit){1.0, true};
    check_fixture_fill(&state, made.pattern, settings);
    assert_true(state.failing_count > 0);
    check_free(&state);
    settings.has_max_depth = false;
    settings.has_max_area = true;
    settings.max_area = 1e-6;
    check_fixture_fill(&state, made.pattern, settings);
    assert_true(state.failing_count > 0);
    check_free(&state);
    remove_balls(&made);
}

/* A ball joint: the small ball turns in the large one, half of it inside, all clip long. */
static void a_ball_that_turns_in_its_shell_is_known(void **unused)
{
    (void)unused;
    double places[8][3];
    for (int i = 0; i < 8; i++) {
        const double angle = 0.03 * i;
        places[i][0] = 1.1 * cos(angle);
        places[i][1] = 1.1 * sin(angle);
        places[i][2] = 0.0;
    }
    double depth = 0.0;
    assert_int_equal(worst_of((const double(*)[3])places, 8, check_fixture_settings(), &depth),
                     CHECK_KNOWN);
}

/* Two pieces of one body are as deep in each other as two bodies would be. */
static void pieces_of_one_body_have_depths(void **unused)
{
    (void)unused;
    for (int i = 1; i <= 5; i++) {
        const double deep = 0.08 * i, places[2][3] = {{3, 0, 0}, {1.5 - deep, 0.05, 0.03}};
        two_balls made = write_pieces(places, 2, NULL);
        check state;
        check_fixture_fill(&state, made.pattern, check_fixture_settings());
        assert_int_equal(state.part_count, 1);
        assert_true(state.finding_count > 0);
        assert_int_equal(state.findings[0].verdict, CHECK_NEW);
        assert_true(fabs(state.findings[0].depth - deep) < 0.06);
        check_free(&state);
        remove_balls(&made);
    }
}

/* The ears of this animal bend in one clip: its tail lies behind their faces, but is not inside. */
static void depths_of_a_body_in_itself_are_plausible(void **unused)
{
    (void)unused;
    check state;
    check_fixture_fill_real(&state, "characters/wolf.glb", check_fixture_settings());
    assert_true(state.finding_count > 0);
    for (uint32_t i = 0; i < state.finding_count; i++) {
        assert_true(state.findings[i].depth < 0.05 * state.findings[i].size);
    }
    check_free(&state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_are_those_of_regions),
        cmocka_unit_test(what_is_worse_fails),
        cmocka_unit_test(limits_allow),
        cmocka_unit_test(a_ball_that_turns_in_its_shell_is_known),
        cmocka_unit_test(pieces_of_one_body_have_depths),
        cmocka_unit_test(depths_of_a_body_in_itself_are_plausible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
