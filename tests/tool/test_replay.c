/* Playing recordings: the same answers whatever the workers and the instruction set; altered and
   cut ones are told apart from good ones, and never do harm. */
#include "table_world.h"
#include "recorded_world.h"
#include "tool/replay/file.h"
#include "tool/replay/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

enum { STEPS = 14 };

static written_bytes record_life(uint64_t seed, uint32_t steps, uint64_t *questions)
{
    written_bytes written = {.bytes = NULL};
    recorded_life life = recorded_world_live(test_context, seed, steps, &written);
    assert_int_equal(life.stopped, PLIANT_OK);
    *questions = life.questions;
    return written;
}

static replay_summary play(const written_bytes *written, replay_settings settings)
{
    replay_summary summary;
    replay_play(written->bytes, written->size, &settings, &summary);
    return summary;
}

static void count_told(void *user, const replay_question *question)
{
    uint64_t *counts = user;
    counts[question->verdict]++;
    assert_non_null(question->name);
}

static void assert_same(const written_bytes *written, replay_settings settings, uint64_t questions,
                        uint64_t seed)
{
    uint64_t counts[4] = {0};
    settings.tell = count_told;
    settings.user = counts;
    replay_summary summary = play(written, settings);
    if (summary.error[0] != '\0' || summary.differing_count > 0 ||
        summary.asked_count != questions) {
        fail_msg("seed %llu, %u threads, isa %d: %llu of %llu asked, %llu differ, first %llu: %s",
                 (unsigned long long)seed, settings.threads, (int)settings.isa,
                 (unsigned long long)summary.asked_count, (unsigned long long)questions,
                 (unsigned long long)summary.differing_count,
                 (unsigned long long)summary.first_differing, summary.error);
    }
    assert_int_equal(counts[REPLAY_SAME] + counts[REPLAY_NOT_COMPARED], questions);
    assert_int_equal(counts[REPLAY_NOT_COMPARED], summary.not_compared_count);
    assert_int_equal(summary.recorded_version, PLIANT_VERSION);
}

static void lives_are_lived_again(void **state)
{
    (void)state;
    uint64_t compared = 0, all = 0;
    /* In these lives boxes of bodies decide that are the tighter the more was asked before: whether
       proxies meet the triangles of others, and whether a volume may be above 0. */
    static const uint64_t special[] = {143, 848};
    for (uint64_t trial = 0; trial < 2 + fixture_count(60); trial++) {
        uint64_t seed = trial < 2 ? special[trial] : trial - 1;
        uint64_t questions = 0;
        written_bytes written = record_life(seed, STEPS, &questions);
        replay_settings settings = replay_settings_default();
        for (settings.threads = 1; settings.threads <= 8;
             settings.threads += settings.threads < 3 ? 1 : 5) {
            assert_same(&written, settings, questions, seed);
        }
        settings.threads = 1;
        for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
            settings.isa = (pliant_isa)isa;
            assert_same(&written, settings, questions, seed);
        }
        if (trial >= 2) {
            compared += questions - play(&written, settings).not_compared_count;
            all += questions;
        }
        free(written.bytes);
    }
    assert_true(fixture_count(60) < 20 || compared * 10 >= all * 8);
}

/* Counts answers that differ. */
static void count_differing(void *user, const replay_question *question)
{
    if (question->verdict == REPLAY_DIFFERS) {
        print_error("question %u differs: %s\n", (unsigned)question->number, question->name);
        ++*(uint64_t *)user;
    }
}

/* Degenerate worlds too, from their first state on. */
static void random_worlds_are_lived_again(void **state)
{
    (void)state;
    static table_world w;
    static table_life l;
    table_settings usual = table_plain;
    usual.workers = 2;
    usual.shares = true;
    for (uint64_t seed = 1; seed <= fixture_at_least(20, 100); seed++) {
        written_bytes written = {.bytes = NULL};
        pliant_recording_options options = pliant_recording_options_default();
        options.write = written_bytes_take;
        options.write_user = &written;
        table_world_create(&w, seed);
        table_life_begin(&l, &w, &usual);
        assert_ok(pliant_scene_record(l.place.scene, &options));
        for (uint32_t i = 0; i < w.event_count; i++) {
            w.events[i].left_out = w.events[i].deed == TABLE_TEAR; /* not while it is recorded */
            (void)table_life_do(&l, i);
        }
        assert_ok(pliant_scene_stop_recording(l.place.scene));
        table_life_end(&l);
        table_world_destroy(&w);
        uint64_t differing = 0;
        replay_settings settings = replay_settings_default();
        settings.threads = 1 + (uint32_t)seed % 4;
        settings.isa = (pliant_isa)(seed % 5);
        settings.tell = count_differing;
        settings.user = &differing;
        replay_summary summary = play(&written, settings);
        if (summary.error[0] != '\0' || differing > 0 || summary.asked_count == 0) {
            fail_msg("seed %llu: %llu of %llu differ: %s", (unsigned long long)seed,
                     (unsigned long long)differing, (unsigned long long)summary.asked_count,
                     summary.error);
        }
        free(written.bytes);
    }
}

static void a_part_is_asked_alone(void **state)
{
    (void)state;
    uint64_t questions = 0;
    written_bytes written = record_life(5, STEPS, &questions);
    for (uint64_t from = 1; from <= questions; from++) {
        replay_settings settings = replay_settings_default();
        settings.from = from;
        settings.to = from + 1;
        assert_same(&written, settings, from < questions ? 2 : 1, 5);
    }
    free(written.bytes);
}

/* Where the chunks of a recording end, and how many questions are answered up to there. */
static uint64_t answered_before(const written_bytes *written, uint64_t end)
{
    uint64_t size = 0, answered = 0;
    for (uint64_t at = 16; at + 16 <= end; at += 24 + size) {
        uint32_t kind = 0;
        memcpy(&kind, written->bytes + at, sizeof kind);
        memcpy(&size, written->bytes + at + 8, sizeof size);
        answered += kind == PLIANT_CHUNK_ANSWER && at + 24 + size <= end;
    }
    return answered;
}

static void cut_ones_are_played_up_to_there(void **state)
{
    (void)state;
    uint64_t questions = 0, step = fixture_scale() < 0.5 ? 13 : 1;
    written_bytes written = record_life(2, 6, &questions);
    for (uint64_t end = 0; end < written.size; end += step) {
        /* In memory of its own, so that a sanitizer notices what is read behind it. */
        written_bytes cut = {.bytes = malloc(end > 0 ? end : 1), .size = end};
        memcpy(cut.bytes, written.bytes, end);
        replay_summary summary = play(&cut, replay_settings_default());
        uint64_t whole = answered_before(&written, end);
        assert_true(summary.error[0] != '\0');
        assert_int_equal(summary.differing_count, 0);
        assert_true(summary.asked_count == whole || summary.asked_count == whole + 1);
        free(cut.bytes);
    }
    for (uint64_t end = 0; end < written.size; end += 11 * step) {
        /* What lies behind is not read, even if it would fit. */
        written_bytes cut = {.bytes = written.bytes, .size = end};
        replay_summary summary = play(&cut, replay_settings_default());
        assert_true(summary.asked_count <= answered_before(&written, end) + 1);
    }
    free(written.bytes);
}

/* A program that reads a file in parts needs no byte behind the end of the recording, and all of
   one that does not end. */
static void enough_is_read(void **state)
{
    (void)state;
    uint64_t questions = 0;
    written_bytes written = record_life(3, 6, &questions);
    const uint64_t end = written.size - 32; /* where its last chunk begins */
    uint8_t *longer = calloc(written.size + 4000, 1);
    memcpy(longer, written.bytes, written.size);
    for (uint64_t step = 1; step < 3000; step = 3 * step + 1) {
        uint64_t at = 0, size = 16;
        while (!replay_has_enough(longer, size, &at)) {
            assert_true(at <= size && size <= written.size);
            size += size + step < written.size + 1 ? step : 1;
        }
        assert_int_equal(size, written.size + 1);
        /* Without the end, zeros are a chunk of no kind. */
        memset(longer + end, 0, written.size - end);
        for (at = 0, size = 16; !replay_has_enough(longer, size, &at); size++) {
            assert_true(size < end + 16);
        }
        assert_int_equal(size, end + 16);
        assert_int_equal(at, end);
        memcpy(longer, written.bytes, written.size);
    }
    uint64_t at = 0;
    longer[0] = 'P';
    assert_true(replay_has_enough(longer, written.size, &at));
    assert_true(replay_has_enough("pliantr", 7, &at));
    free(longer);
    free(written.bytes);
}

static void altered_ones_are_noticed(void **state)
{
    (void)state;
    uint64_t questions = 0;
    written_bytes written = record_life(4, 6, &questions);
    rng r;
    rng_seed(&r, 7);
    for (uint32_t i = 0; i < fixture_count(600); i++) {
        uint64_t at = i < 64 ? i : rng_below(&r, written.size);
        uint8_t before = written.bytes[at];
        written.bytes[at] ^= (uint8_t)(1u << rng_below(&r, 8));
        replay_summary summary = play(&written, replay_settings_default());
        if (summary.error[0] == '\0') {
            fail_msg("byte %llu was altered, and nobody noticed", (unsigned long long)at);
        }
        written.bytes[at] = before;
    }
    free(written.bytes);
}

/* With checksums that fit, what lies behind them has to be checked. */
static void forged_ones_do_no_harm(void **state)
{
    (void)state;
    uint64_t questions = 0, refused = 0;
    written_bytes written = record_life(6, 8, &questions);
    uint8_t *forged = malloc(written.size);
    rng r;
    rng_seed(&r, 8);
    for (uint32_t i = 0; i < fixture_count(2000); i++) {
        memcpy(forged, written.bytes, written.size);
        for (uint64_t k = 1 + rng_below(&r, 3); k > 0; k--) {
            forged[rng_below(&r, written.size)] = (uint8_t)rng_u64(&r);
        }
        replay_seal(forged, written.size);
        replay_settings settings = replay_settings_default();
        replay_summary summary;
        replay_play(forged, written.size, &settings, &summary);
        refused += summary.error[0] != '\0';
    }
    assert_true(refused > 0);
    free(forged);
    free(written.bytes);
}

/* A wrong answer is named by its question. */
static void wrong_answers_are_named(void **state)
{
    (void)state;
    uint64_t questions = 0, size = 0, number = 0, noticed = 0;
    written_bytes written = record_life(9, STEPS, &questions);
    for (uint64_t at = 16; at < written.size; at += 24 + size) {
        uint32_t kind = 0;
        memcpy(&kind, written.bytes + at, sizeof kind);
        memcpy(&size, written.bytes + at + 8, sizeof size);
        if (kind != PLIANT_CHUNK_ANSWER) {
            continue;
        }
        number++;
        pliant_recorded_answer good, wrong;
        memcpy(&good, written.bytes + at + 16, sizeof good);
        wrong = good;
        wrong.checksum++;
        memcpy(written.bytes + at + 16, &wrong, sizeof wrong);
        replay_seal(written.bytes, written.size);
        replay_summary summary = play(&written, replay_settings_default());
        assert_string_equal(summary.error, "");
        assert_int_equal(summary.differing_count, good.comparable);
        assert_int_equal(summary.first_differing, good.comparable ? number : 0);
        noticed += good.comparable;
        memcpy(written.bytes + at + 16, &good, sizeof good);
        replay_seal(written.bytes, written.size);
    }
    assert_int_equal(number, questions);
    assert_true(noticed > 0);
    free(written.bytes);
}

/* ------------------------------------------------------------ special states */

typedef struct stage {
    pliant_shape *shape;
    pliant_body *body[40];
    pliant_body_id id[40];
    pliant_scene *scene;
    written_bytes written;
} stage;

static void record_stage(stage *s, pliant_shape *shape)
{
    *s = (stage){.shape = shape};
    assert_ok(pliant_scene_create(test_context, NULL, &s->scene));
}

static void begin_recording(stage *s)
{
    pliant_recording_options options = pliant_recording_options_default();
    options.write = written_bytes_take;
    options.write_user = &s->written;
    assert_ok(pliant_scene_record(s->scene, &options));
}

static void add(stage *s, int i)
{
    assert_ok(pliant_body_create(s->shape, NULL, &s->body[i]));
    assert_ok(pliant_scene_add(s->scene, s->body[i], NULL, &s->id[i]));
}

static void drop(stage *s, int i)
{
    assert_ok(pliant_scene_remove(s->scene, s->id[i]));
    pliant_body_destroy(s->body[i]);
    s->body[i] = NULL;
}

static void end_stage(stage *s, uint64_t questions)
{
    assert_ok(pliant_scene_stop_recording(s->scene));
    assert_same(&s->written, replay_settings_default(), questions, 0);
    for (int i = 0; i < 40; i++) {
        if (s->body[i] != NULL) {
            drop(s, i);
        }
    }
    pliant_scene_destroy(s->scene);
    pliant_shape_destroy(s->shape);
    free(s->written.bytes);
}

static void ask(stage *s, pliant_result expected)
{
    pliant_scene_contacts contacts;
    assert_int_equal(pliant_scene_collide(s->scene, NULL, &contacts), expected);
}

/* Only some slots are taken when the recording begins, and slots are taken again. */
static void slots_stay_theirs(void **state)
{
    (void)state;
    stage s;
    record_stage(&s, fixture_sphere(test_context, 20, fixture_usual_tree));
    for (int i = 0; i < 40; i++) {
        add(&s, i);
    }
    for (int i = 0; i < 40; i += i % 3 == 0 ? 1 : 2) {
        drop(&s, i);
    }
    begin_recording(&s);
    ask(&s, PLIANT_OK);
    for (int i = 0; i < 9; i++) {
        if (s.body[i] == NULL) {
            add(&s, i);
        } else {
            drop(&s, i);
        }
        ask(&s, PLIANT_OK);
    }
    end_stage(&s, 10);
}

/* A position that is not finite: met before the recording, or while it runs. */
static void invalid_states_fail_alike(void **state)
{
    (void)state;
    for (int before = 0; before < 2; before++) {
        stage s;
        record_stage(&s, fixture_sphere(test_context, 80, fixture_usual_tree));
        add(&s, 0);
        add(&s, 1);
        uint32_t count = 3 * pliant_shape_get_vertex_count(s.shape);
        float *positions = calloc(count, sizeof *positions);
        positions[7] = INFINITY;
        assert_ok(pliant_body_share_positions(s.body[1], positions, 0));
        if (before) {
            ask(&s, PLIANT_ERROR_NOT_FINITE);
        }
        begin_recording(&s);
        ask(&s, before ? PLIANT_ERROR_STATE : PLIANT_ERROR_NOT_FINITE);
        ask(&s, PLIANT_ERROR_STATE);
        end_stage(&s, 2);
        free(positions);
    }
}

static uint64_t ask_about_step(stage *s, pliant_result expected)
{
    pliant_scene_meetings meetings = {.count = 0};
    assert_int_equal(pliant_scene_find_meetings(s->scene, NULL, &meetings), expected);
    return expected == PLIANT_OK ? meetings.count : 0;
}

/* Positions that starts share are there as long as these are, whatever the body shares then. */
static void borrowed_starts_stay(void **state)
{
    (void)state;
    enum { PLACES = 4 };
    stage s;
    float *at[PLACES];
    uint64_t met[4];
    record_stage(&s, fixture_sphere(test_context, 80, fixture_usual_tree));
    add(&s, 0);
    add(&s, 1);
    uint32_t count = 3 * pliant_shape_get_vertex_count(s.shape);
    for (int i = 0; i < PLACES; i++) { /* from one side of the other to the other side */
        at[i] = malloc(count * sizeof *at[i]);
        assert_ok(pliant_body_evaluate(s.body[0], NULL, count / 3, at[i]));
        for (uint32_t k = 0; k < count; k += 3) {
            at[i][k] += 5.0f * (float)i - 6.0f;
        }
    }
    assert_ok(pliant_body_share_positions(s.body[1], at[0], 0));
    assert_ok(pliant_body_begin_step(s.body[1]));
    begin_recording(&s);
    met[0] = ask_about_step(&s, PLIANT_OK);
    assert_ok(pliant_body_begin_step(s.body[1])); /* still where its start is */
    met[0] += ask_about_step(&s, PLIANT_OK);
    assert_ok(pliant_body_share_positions(s.body[1], at[3], 0));
    met[1] = ask_about_step(&s, PLIANT_OK);
    assert_ok(pliant_body_share_positions(s.body[1], at[2], 0));
    met[2] = ask_about_step(&s, PLIANT_OK);
    assert_ok(pliant_scene_begin_step(s.scene));
    assert_ok(pliant_body_set_positions(s.body[1], at[1], 0));
    met[3] = ask_about_step(&s, PLIANT_OK);
    assert_true(met[0] == 0 && met[1] > 0 && met[2] > 0 && met[3] > 0);
    assert_ok(pliant_body_end_step(s.body[1]));
    ask_about_step(&s, PLIANT_OK);
    end_stage(&s, 6);
    for (int i = 0; i < PLACES; i++) {
        free(at[i]);
    }
}

/* Bytes that are allocated now; 0 where the system does not count them, and a sanitizer does. */
static size_t allocated_bytes(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

/* A recording that ends during a step: positions of the start and of the end are given back. */
static void borrowed_starts_are_given_back(void **state)
{
    (void)state;
    stage s;
    record_stage(&s, fixture_sphere(test_context, 320, fixture_usual_tree));
    add(&s, 0);
    uint32_t count = 3 * pliant_shape_get_vertex_count(s.shape);
    float *start = calloc(count, sizeof *start), *end = calloc(count, sizeof *end);
    end[0] = 1.0f;
    assert_ok(pliant_body_share_positions(s.body[0], start, 0));
    assert_ok(pliant_body_begin_step(s.body[0]));
    begin_recording(&s);
    ask_about_step(&s, PLIANT_OK);
    assert_ok(pliant_body_share_positions(s.body[0], end, 0));
    ask_about_step(&s, PLIANT_OK);
    size_t before = 0;
    for (int i = 0; i < 12; i++) {
        before = i == 2 ? allocated_bytes() : before;
        assert_string_equal(play(&s.written, replay_settings_default()).error,
                            "it ends without an end: the file was cut, or its program crashed");
    }
    size_t after = allocated_bytes();
    if (after > before + count * sizeof *start) {
        fail_msg("ten replays keep %zu bytes", after - before);
    }
    end_stage(&s, 2);
    free(start);
    free(end);
}

/* The same at the start of a step as in a state. */
static void invalid_starts_fail_alike(void **state)
{
    (void)state;
    for (int before = 0; before < 2; before++) {
        stage s;
        record_stage(&s, fixture_sphere(test_context, 80, fixture_usual_tree));
        add(&s, 0);
        add(&s, 1);
        uint32_t count = 3 * pliant_shape_get_vertex_count(s.shape);
        float *positions = calloc(count, sizeof *positions), *good = calloc(count, sizeof *good);
        positions[7] = INFINITY;
        assert_ok(pliant_body_share_positions(s.body[1], positions, 0));
        assert_ok(pliant_body_begin_step(s.body[1]));
        assert_ok(pliant_body_set_positions(s.body[1], good, 0));
        if (before) {
            ask_about_step(&s, PLIANT_ERROR_NOT_FINITE);
        }
        begin_recording(&s);
        ask_about_step(&s, before ? PLIANT_ERROR_STATE : PLIANT_ERROR_NOT_FINITE);
        ask_about_step(&s, PLIANT_ERROR_STATE);
        ask(&s, PLIANT_OK);
        end_stage(&s, 3);
        free(positions);
        free(good);
    }
}

/* Positions too large for the transform that was there before. */
static void states_are_set_in_an_order_that_works(void **state)
{
    (void)state;
    gallery_mesh mesh = {.positions = NULL};
    float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t triangle[3] = {0, 1, 2};
    mesh.positions = corners;
    mesh.triangles = triangle;
    mesh.vertex_count = 3;
    mesh.triangle_count = 1;
    pliant_shape_def def = fixture_shape_def(&mesh);
    def.joint_count = 1;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    stage s;
    record_stage(&s, shape);
    add(&s, 0);
    begin_recording(&s);
    const float large[12] = {0x1p100f, 0, 0, 0, 0, 0x1p100f, 0, 0, 0, 0, 0x1p100f, 0};
    const float small[12] = {0x1p-50f, 0, 0, 0, 0, 0x1p-50f, 0, 0, 0, 0, 0x1p-50f, 0};
    const float far[9] = {0x1p100f, 0, 0, 0, 0x1p100f, 0, 0, 0, 0x1p100f};
    assert_ok(pliant_body_set_transforms(s.body[0], large, 1, 0));
    ask(&s, PLIANT_OK);
    assert_ok(pliant_body_set_transforms(s.body[0], small, 1, 0));
    assert_ok(pliant_body_set_positions(s.body[0], far, 0));
    ask(&s, PLIANT_OK);
    end_stage(&s, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lives_are_lived_again),
        cmocka_unit_test(random_worlds_are_lived_again),
        cmocka_unit_test(a_part_is_asked_alone),
        cmocka_unit_test(cut_ones_are_played_up_to_there),
        cmocka_unit_test(enough_is_read),
        cmocka_unit_test(altered_ones_are_noticed),
        cmocka_unit_test(forged_ones_do_no_harm),
        cmocka_unit_test(wrong_answers_are_named),
        cmocka_unit_test(slots_stay_theirs),
        cmocka_unit_test(invalid_states_fail_alike),
        cmocka_unit_test(borrowed_starts_stay),
        cmocka_unit_test(borrowed_starts_are_given_back),
        cmocka_unit_test(invalid_starts_fail_alike),
        cmocka_unit_test(states_are_set_in_an_order_that_works),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
