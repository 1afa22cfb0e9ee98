/* The harness holds contests in which all contestants play alike, and an experiment cannot measure
   otherwise. tests/lab/figures_test.sh looks at what every experiment reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gallery/meshless/ring.h"
#include "lab/harness/contest.h"
#include "lab/motions/crowd_motion.h"

#define COUNT 3
#define MOST  40

static bench_report report;

typedef struct game {
    uint32_t plays[COUNT], order[MOST], total;
    uint32_t fails_at; /* the play that fails, counted from 1; 0: none */
} game;

static bool play(void *user, uint32_t who, uint32_t round, bench_report *into)
{
    game *g = user;
    assert_int_equal(g->plays[who], round);
    g->plays[who]++;
    g->order[g->total++] = who;
    return g->total != g->fails_at || report_fail(into, "it failed");
}

static bool take_turns(const char *const *names, uint32_t runs, uint32_t plays, game *g)
{
    const bench_settings settings = {.length = BENCH_DEFAULT, .repetitions = runs};
    const bench_terms terms = {"a contest", names, COUNT, plays, 7, 60.0};
    memset(&report, 0, sizeof report);
    return bench_take_turns(&settings, &terms, play, g, &report);
}

static const char *const names[COUNT] = {"a", "b", "c"};

/* For any number of runs all contestants play equally often, and begin equally often. */
static void test_all_play_alike(void **state)
{
    (void)state;
    for (uint32_t runs = 1; runs <= 4; runs++) {
        game g = {.total = 0};
        uint32_t plays = (12 + runs - 1) / runs, begins[COUNT] = {0};
        assert_true(take_turns(names, runs, 12, &g));
        assert_int_equal(report.contestant_count, COUNT);
        for (uint32_t i = 0; i < COUNT; i++) {
            const bench_contestant *one = &report.contestants[i];
            assert_int_equal(g.plays[i], plays);
            assert_int_equal(one->plays, plays);
            assert_int_equal(one->steps, 7);
            assert_true(one->states_per_second == 60.0);
            assert_string_equal(one->name, names[i]);
        }
        for (uint32_t i = 0; i < g.total; i += COUNT) {
            begins[g.order[i]]++;
        }
        assert_true(begins[0] - begins[2] <= 1 && begins[0] - begins[1] <= 1);
    }
}

static void test_left_out_and_failed(void **state)
{
    (void)state;
    const char *const without[COUNT] = {"a", NULL, "c"};
    game g = {.total = 0};
    assert_true(take_turns(without, 1, 0, &g));
    assert_int_equal(g.plays[1], 0);
    assert_int_equal(g.plays[0], 9);
    assert_int_equal(report.contestant_count, 2);
    for (uint32_t at = 1; at <= 6; at++) {
        g = (game){.fails_at = at};
        assert_false(take_turns(names, 1, 2, &g));
        assert_string_equal(report.error, "it failed");
        assert_int_equal(g.total, at);
        assert_int_equal(report.contestant_count, 0);
    }
}

/* A contest that is held again in another way fails the experiment. Held alike it is one contest.
 */
static void test_other_ways_fail(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        bench_terms contest = {.title = "c", .names = names, .count = 2, .plays = 5, .steps = 10};
        memset(&report, 0, sizeof report);
        report_contest(&report, &contest);
        report_contest(&report, &contest);
        assert_int_equal(report.contestant_count, 2);
        report_ratio(&report, "ratio", 1.0, 1.0, "");
        assert_string_equal(report.ratios[0].contest, "c");
        assert_string_equal(report.error, "");
        contest.names = names + 1; /* one that is known, and one that is new */
        contest.plays += kind == 1;
        contest.steps += kind == 2;
        contest.states_per_second = kind == 3 ? 60.0 : 0.0;
        report_contest(&report, &contest);
        assert_true((report.error[0] != '\0') == (kind > 0));
    }
    memset(&report, 0, sizeof report);
    for (uint32_t i = 0; i <= BENCH_MAX_CONTESTANTS; i++) {
        char title[16];
        const char *name = "x";
        snprintf(title, sizeof title, "%u", i);
        assert_string_equal(report.error, "");
        report_contest(&report, &(bench_terms){title, &name, 1, 1, 1, 0.0});
    }
    assert_true(report.error[0] != '\0');
}

static bool play_clock(void *user, uint32_t who, uint32_t round, bench_report *into)
{
    (void)user;
    (void)who;
    (void)round;
    (void)into;
    return bench_seconds() >= 0.0;
}

static bool run_in_turns(const bench_settings *settings, bench_report *into)
{
    const bench_terms terms = {"clock", names, COUNT, 2, 1, 0.0};
    return bench_take_turns(settings, &terms, play_clock, NULL, into);
}

static bool run_outside(const bench_settings *settings, bench_report *into)
{
    return bench_seconds() >= 0.0 && run_in_turns(settings, into);
}

/* A crowd is recorded with a method that reads the clock, which measures nothing. */
static bool run_recording(const bench_settings *settings, bench_report *into)
{
    crowd_motion crowd;
    bool done = crowd_motion_record(settings, &gallery_crowd_spheres, 100, &crowd, into);
    crowd_motion_free(&crowd);
    return done;
}

static void test_recording_measures_nothing(void **state)
{
    (void)state;
    const bench_settings settings = {.length = BENCH_DEFAULT, .seed = 1};
    const bench_experiment recording = {.name = "recording", .run = run_recording};
    assert_true(bench_run(&recording, &settings, &report));
}

/* Pages and tests know an experiment that is left out by its note. */
static void test_experiment_left_out(void **state)
{
    (void)state;
    const bench_settings settings = {.length = BENCH_QUICK};
    const bench_experiment none = {.name = "none", .description = "left out: built without it"};
    assert_true(bench_run(&none, &settings, &report));
    assert_int_equal(report.note_count, 1);
    assert_string_equal(report.notes[0], none.description);
    assert_int_equal(report.row_count, 0);
}

static void test_clock_runs_in_turns_only(void **state)
{
    (void)state;
    const bench_settings settings = {.length = BENCH_QUICK};
    const bench_experiment good = {.name = "good", .run = run_in_turns};
    const bench_experiment bad = {.name = "bad", .run = run_outside};
    const bench_experiment own = {.name = "own", .own_turns = true, .run = run_outside};
    for (int i = 0; i < 2; i++) { /* one that failed leaves nothing behind */
        assert_true(bench_run(&good, &settings, &report));
        assert_false(bench_run(&bad, &settings, &report));
        assert_non_null(strstr(report.error, "outside of turns"));
        assert_true(bench_run(&own, &settings, &report));
    }
}

/* ----------------------------------------------------------------- contests */

typedef struct counted {
    uint32_t plays;
    uint32_t steps;
} counted;

static counted counts[COUNT];

static void *create(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings)
{
    (void)motion;
    (void)settings;
    return &counts[method->variant];
}

static void destroy(void *state)
{
    (void)state;
}

/* The third is a hundred times as slow as the first. */
static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    counted *own = state;
    (void)frame;
    (void)first_only;
    own->steps++;
    outcome->total_seconds = own == &counts[2] ? 1e-1 : 1e-3;
    return true;
}

/* A slow library plays as often as the others. */
static void test_peers_play_as_often(void **state)
{
    (void)state;
    bench_settings settings = {.length = BENCH_DEFAULT, .seed = 1};
    gallery_settings wanted = {.triangles = 320, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    bench_motion motion;
    bench_method methods[COUNT];
    const bench_method *list[COUNT];
    assert_non_null(scene);
    assert_true(bench_motion_of_scene(scene, 20, &motion));
    assert_true(motion.states_per_second == 0.0);
    for (int i = 0; i < COUNT; i++) {
        methods[i] = (bench_method){.name = names[i],
                                    .variant = i,
                                    .peer = i > 0,
                                    .create = create,
                                    .step = step,
                                    .destroy = destroy};
        list[i] = &methods[i];
    }
    memset(counts, 0, sizeof counts);
    memset(&report, 0, sizeof report);
    bench_contest contest = {.settings = &settings,
                             .motion = &motion,
                             .methods = list,
                             .method_count = COUNT,
                             .plays = 4,
                             .title = "contest"};
    assert_true(contest_run(&contest, &report));
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(counts[i].steps, 4 * motion.step_count);
        assert_int_equal(report.contestants[i].plays, 4);
        assert_int_equal(report.contestants[i].steps, motion.step_count);
    }
    contest_free(&contest);
    bench_motion_free(&motion);
    gallery_destroy(scene);
}

/* The last seconds of the same motion, whatever the rate. */
static void test_motions_in_time(void **state)
{
    (void)state;
    static const uint32_t rates[3] = {0, 60, 30};
    gallery_settings wanted = {.triangles = 500, .seed = 1};
    float ends[3];
    for (int i = 0; i < 3; i++) {
        bench_settings settings = {.rate = rates[i]};
        double rate = rates[i] > 0 ? rates[i] : 60;
        gallery_scene *scene = NULL;
        bench_motion motion;
        assert_true(bench_motion_in_time(&settings, ring_kind(RING_FEW_NODES, false), wanted, 0.5,
                                         &scene, &motion));
        assert_true(motion.states_per_second == rate);
        assert_int_equal(motion.step_count, (uint32_t)(0.5 * rate));
        assert_int_equal(scene->steps, (uint32_t)(10.0 * rate));
        for (uint32_t k = 0; k < motion.step_count; k++) { /* all in a row, up to the last */
            assert_int_equal(motion.steps[k], scene->steps - motion.step_count + 1 + k);
        }
        ends[i] = motion.frames[motion.step_count - 1].transforms[0][3];
        bench_motion_free(&motion);
        gallery_destroy(scene);
    }
    assert_true(ends[0] == ends[1]);
    assert_true(ends[1] - ends[2] < 0.05f && ends[2] - ends[1] < 0.05f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_play_alike),
        cmocka_unit_test(test_left_out_and_failed),
        cmocka_unit_test(test_other_ways_fail),
        cmocka_unit_test(test_experiment_left_out),
        cmocka_unit_test(test_clock_runs_in_turns_only),
        cmocka_unit_test(test_peers_play_as_often),
        cmocka_unit_test(test_motions_in_time),
        cmocka_unit_test(test_recording_measures_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
