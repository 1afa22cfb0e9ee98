/* Recording a scene: it changes no answer, ends with a sentence where it cannot go on, and refuses
   what would change the scene meanwhile. What it writes is played by test_replay.c. */
#include "recorded_world.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 12 };

static void answers_and_counts_stay(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= fixture_count(20); seed++) {
        written_bytes written = {.bytes = NULL};
        recorded_life without = recorded_world_live(test_context, seed, STEPS, NULL);
        recorded_life with = recorded_world_live(test_context, seed, STEPS, &written);
        assert_true(with.answers == without.answers);
        assert_int_equal(with.stopped, PLIANT_OK);
        assert_true(with.recorded_to_end && !without.recorded_to_end);
        assert_true(written.size > 1000);
        free(written.bytes);
    }
}

/* Who is told that a recording has ended. */
static uint32_t told;

static void count_warnings(void *user, pliant_log_level level, const char *sentence)
{
    (void)user;
    told += level == PLIANT_LOG_WARNING && strstr(sentence, "recording") != NULL;
}

static void refused_writes_end_it(void **state)
{
    (void)state;
    pliant_context_def def = pliant_context_def_default();
    pliant_context *context = NULL;
    def.logger.log = count_warnings;
    assert_ok(pliant_context_create(&def, &context));
    written_bytes all = {.bytes = NULL};
    recorded_life good = recorded_world_live(context, 3, STEPS, &all);
    assert_int_equal(told, 0);
    assert_true(all.calls > 2 * good.questions);
    for (uint64_t call = 1; call <= all.calls; call++) {
        written_bytes some = {.refused_call = call};
        told = 0;
        recorded_life life = recorded_world_live(context, 3, STEPS, &some);
        assert_true(life.answers == good.answers);
        assert_int_equal(life.stopped, PLIANT_ERROR_STATE);
        assert_true(life.recorded_to_end == (call == all.calls)); /* the last is that of the end */
        assert_non_null(strstr(pliant_last_error(), "write took no more"));
        assert_int_equal(told, 1);
        assert_int_equal(some.calls, call);
        assert_memory_equal(some.bytes, all.bytes, some.size < 600 ? some.size : 600);
        free(some.bytes);
    }
    free(all.bytes);
    pliant_context_destroy(context);
}

/* ------------------------------------------------------------ a small scene */

typedef struct stage {
    pliant_shape *shape;
    pliant_body *body[2];
    pliant_body_id id[2];
    pliant_scene *scene;
    written_bytes written;
    bool meddles; /* what is written meddles with the scene */
    uint32_t refused;
} stage;

static bool meddle(void *user, const void *bytes, uint64_t size)
{
    stage *s = user;
    if (s->meddles) {
        pliant_scene_contacts contacts;
        s->refused += pliant_scene_stop_recording(s->scene) == PLIANT_ERROR_STATE;
        s->refused += pliant_scene_remove(s->scene, s->id[0]) == PLIANT_ERROR_STATE;
        s->refused += pliant_scene_collide(s->scene, NULL, &contacts) == PLIANT_ERROR_STATE;
        s->refused +=
            pliant_body_set_update(s->body[0], PLIANT_UPDATE_FRONT, 0, 1) == PLIANT_ERROR_STATE;
    }
    return written_bytes_take(&s->written, bytes, size);
}

static stage set_stage(void)
{
    stage s = {.shape = fixture_sphere(test_context, 80, fixture_usual_tree)};
    assert_ok(pliant_scene_create(test_context, NULL, &s.scene));
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_create(s.shape, NULL, &s.body[i]));
        assert_ok(pliant_scene_add(s.scene, s.body[i], NULL, &s.id[i]));
    }
    return s;
}

static void clear_stage(stage *s)
{
    for (int i = 0; i < 2; i++) {
        if (s->scene != NULL) {
            assert_ok(pliant_scene_remove(s->scene, s->id[i]));
        }
        pliant_body_destroy(s->body[i]);
    }
    pliant_scene_destroy(s->scene);
    pliant_shape_destroy(s->shape);
    free(s->written.bytes);
}

static pliant_recording_options into(stage *s)
{
    pliant_recording_options options = pliant_recording_options_default();
    options.write = meddle;
    options.write_user = s;
    return options;
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    stage s = set_stage();
    pliant_recording_options options = into(&s), nothing = pliant_recording_options_default();
    assert_int_equal(pliant_scene_stop_recording(s.scene), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_scene_record(s.scene, NULL), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_scene_record(s.scene, &nothing), PLIANT_ERROR_ARGUMENT);
    assert_false(pliant_scene_is_recording(s.scene));
    assert_ok(pliant_scene_record(s.scene, &options));
    assert_true(pliant_scene_is_recording(s.scene));
    assert_int_equal(pliant_scene_record(s.scene, &options), PLIANT_ERROR_STATE);
    assert_true(pliant_scene_is_recording(s.scene));
    assert_ok(pliant_scene_stop_recording(s.scene));
    assert_ok(pliant_scene_record(s.scene, &options)); /* another one may follow */
    assert_ok(pliant_scene_stop_recording(s.scene));
    clear_stage(&s);
}

static void writing_cannot_meddle(void **state)
{
    (void)state;
    stage s = set_stage();
    pliant_recording_options options = into(&s);
    pliant_scene_contacts contacts;
    s.meddles = true;
    assert_ok(pliant_scene_record(s.scene, &options));
    assert_ok(pliant_scene_collide(s.scene, NULL, &contacts));
    assert_ok(pliant_scene_stop_recording(s.scene));
    assert_true(s.written.calls >= 4);
    assert_int_equal(s.refused, 4 * s.written.calls);
    s.meddles = false;
    clear_stage(&s);
}

/* The last chunk of a recording: its kind. */
static uint32_t last_kind(const written_bytes *written)
{
    uint32_t kind = 0;
    uint64_t size = 0;
    for (uint64_t at = 16; at < written->size; at += 24 + size) {
        memcpy(&kind, written->bytes + at, sizeof kind);
        memcpy(&size, written->bytes + at + 8, sizeof size);
    }
    return kind;
}

static void a_scene_ends_its_recording(void **state)
{
    (void)state;
    stage s = set_stage();
    pliant_recording_options options = into(&s);
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_record(s.scene, &options));
    assert_ok(pliant_scene_collide(s.scene, NULL, &contacts));
    assert_int_equal(last_kind(&s.written), PLIANT_CHUNK_ANSWER);
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_scene_remove(s.scene, s.id[i]));
    }
    pliant_scene_destroy(s.scene);
    s.scene = NULL;
    assert_int_equal(last_kind(&s.written), PLIANT_CHUNK_END);
    clear_stage(&s);
}

/* The bits of the last state that was written of a slot; 0 if there is none behind `from`. */
static uint32_t last_state(const written_bytes *written, uint64_t from, uint32_t slot)
{
    uint32_t last = 0;
    uint64_t size = 0;
    for (uint64_t at = 16; at < written->size; at += 24 + size) {
        uint32_t kind, of, bits;
        memcpy(&kind, written->bytes + at, sizeof kind);
        memcpy(&size, written->bytes + at + 8, sizeof size);
        memcpy(&of, written->bytes + at + 16, sizeof of);
        memcpy(&bits, written->bytes + at + 20, sizeof bits);
        last = at >= from && kind == PLIANT_CHUNK_STATE && of == slot ? bits : last;
    }
    return last;
}

/* A state says that a body has no world transform any more only if it had one. */
static void world_transforms_are_written_when_they_change(void **state)
{
    (void)state;
    static const float here[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    static const struct {
        const float *world;
        uint32_t bits;
    } cases[] = {
        {NULL, 0}, {here, PLIANT_STATE_WORLD}, {here, 0}, {NULL, PLIANT_STATE_NO_WORLD}, {NULL, 0}};
    stage s = set_stage();
    pliant_recording_options options = into(&s);
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_record(s.scene, &options));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t before = s.written.size;
        assert_ok(pliant_body_set_world(s.body[1], cases[i].world));
        assert_ok(pliant_scene_collide(s.scene, NULL, &contacts));
        assert_int_equal(last_state(&s.written, before, s.id[1].index), cases[i].bits);
    }
    clear_stage(&s);
}

/* ------------------------------------------------------------- the same bytes */

/* Compares chunks, and drops what may differ: how the scene was made, and times; results that
   depend on more than the state. */
static void assert_same_chunks(const written_bytes *a, const written_bytes *b)
{
    uint64_t size = 0;
    assert_int_equal(a->size, b->size);
    for (uint64_t at = 16; at < a->size; at += 24 + size) {
        uint32_t kind = 0;
        memcpy(&kind, a->bytes + at, sizeof kind);
        memcpy(&size, a->bytes + at + 8, sizeof size);
        assert_memory_equal(a->bytes + at, b->bytes + at, 16);
        uint8_t *content[2] = {a->bytes + at + 16, b->bytes + at + 16};
        if (kind == PLIANT_CHUNK_ANSWER) {
            pliant_recorded_answer answers[2];
            for (int i = 0; i < 2; i++) {
                memcpy(&answers[i], content[i], sizeof *answers);
                answers[i].seconds = 0.0;
                memcpy(content[i], &answers[i], sizeof *answers);
            }
            assert_int_equal(answers[0].comparable, answers[1].comparable);
            kind = answers[0].comparable ? kind : PLIANT_CHUNK_SCENE;
        }
        if (kind != PLIANT_CHUNK_SCENE) {
            assert_memory_equal(content[0], content[1], size);
        }
    }
}

static written_bytes record_life(uint32_t workers, pliant_isa isa, uint64_t seed)
{
    written_bytes written = {.bytes = NULL};
    pliant_context_def def = pliant_context_def_default();
    pliant_context *context = NULL;
    def.workers = workers;
    def.isa = isa;
    assert_ok(pliant_context_create(&def, &context));
    assert_int_equal(recorded_world_live(context, seed, STEPS, &written).stopped, PLIANT_OK);
    pliant_context_destroy(context);
    return written;
}

static void workers_and_instructions_change_no_byte(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= fixture_count(20); seed++) {
        written_bytes usual = record_life(1, PLIANT_ISA_BEST, seed);
        written_bytes other = record_life(2 + (uint32_t)seed % 4, PLIANT_ISA_PLAIN, seed);
        assert_same_chunks(&usual, &other);
        free(usual.bytes);
        free(other.bytes);
    }
}

/* Bytes between the fields of options are not recorded. */
static void gaps_change_no_byte(void **state)
{
    (void)state;
    written_bytes written[2];
    for (int i = 0; i < 2; i++) {
        stage s = set_stage();
        pliant_recording_options options = into(&s);
        pliant_scene_options asked = pliant_scene_options_default();
        pliant_scene_select select = pliant_scene_select_default();
        const size_t gap = offsetof(pliant_scene_options, first_in_all) + 1;
        assert_true(gap < offsetof(pliant_scene_options, distance));
        ((char *)&asked)[gap] = (char)(i * 77);
        ((char *)&select)[sizeof select.tag] = (char)(i * 77);
        assert_true(offsetof(pliant_scene_select, category) > sizeof select.tag);
        pliant_scene_contacts contacts;
        pliant_scene_triangles triangles;
        const pliant_box box = {{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}};
        assert_ok(pliant_scene_record(s.scene, &options));
        assert_ok(pliant_scene_collide(s.scene, &asked, &contacts));
        assert_ok(pliant_scene_overlap_box(s.scene, &box, &select, &triangles));
        assert_ok(pliant_scene_stop_recording(s.scene));
        written[i] = s.written;
        s.written.bytes = NULL;
        clear_stage(&s);
    }
    assert_same_chunks(&written[0], &written[1]);
    free(written[0].bytes);
    free(written[1].bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_and_counts_stay),
        cmocka_unit_test(refused_writes_end_it),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(writing_cannot_meddle),
        cmocka_unit_test(a_scene_ends_its_recording),
        cmocka_unit_test(world_transforms_are_written_when_they_change),
        cmocka_unit_test(workers_and_instructions_change_no_byte),
        cmocka_unit_test(gaps_change_no_byte),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
