/* The log, and the hooks that stages begin and end with. */
#include "recorded_world.h"

#include "base/array.h"
#include "base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------- log */

typedef struct heard {
    char sentence[64][256];
    pliant_log_level level[64];
    uint32_t count;
} heard;

static void hear(void *user, pliant_log_level level, const char *sentence)
{
    heard *h = user;
    if (h->count < 64) {
        h->level[h->count] = level;
        snprintf(h->sentence[h->count++], sizeof h->sentence[0], "%s", sentence);
    }
}

static uint32_t count_heard(const heard *h, pliant_log_level level, const char *part)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        count += h->level[i] == level && strstr(h->sentence[i], part) != NULL;
    }
    return count;
}

static pliant_context *hearing_context(heard *h)
{
    pliant_context_def def = pliant_context_def_default();
    pliant_context *context = NULL;
    *h = (heard){.count = 0};
    def.isa = PLIANT_ISA_PLAIN;
    def.logger = (pliant_logger){hear, h};
    assert_ok(pliant_context_create(&def, &context));
    return context;
}

static pliant_shape *make_shape(pliant_context *context, uint32_t triangle_count)
{
    static const float positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0};
    static const uint32_t triangles[12] = {0, 1, 2, 0, 1, 3, 1, 2, 0, 0, 0, 0};
    pliant_shape_def def = pliant_shape_def_default();
    pliant_shape *shape = NULL;
    def.positions = positions;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    assert_ok(pliant_shape_create(context, &def, &shape));
    return shape;
}

static void odd_shapes_are_told(void **state)
{
    (void)state;
    heard h;
    pliant_context *context = hearing_context(&h);
    pliant_shape_destroy(make_shape(context, 1));
    assert_int_equal(h.count, 0);
    pliant_shape_destroy(make_shape(context, 4));
    assert_int_equal(h.count, 1);
    assert_int_equal(count_heard(&h, PLIANT_LOG_WARNING,
                                 "a shape of 4 triangles has 2 degenerate and 1 duplicate ones"),
                     1);
    pliant_context_destroy(context);
}

static void large_arrays_are_told(void **state)
{
    (void)state;
    heard h;
    pliant_context *context = hearing_context(&h);
    pli_keys keys = {.count = 0};
    assert_true(PLI_RESERVE(context, &keys, 1000));
    assert_int_equal(h.count, 0);
    assert_true(PLI_RESERVE(context, &keys, 200000));
    assert_int_equal(count_heard(&h, PLIANT_LOG_INFO, "from 8000 to 1600000 bytes"), 1);
    pli_array_release(context, &keys.array);
    pliant_context_destroy(context);
}

static void budgets_are_told(void **state)
{
    (void)state;
    heard h;
    pliant_context *context = hearing_context(&h);
    pliant_shape *shape = fixture_sphere(context, 320, fixture_usual_tree);
    pliant_body *body[2] = {NULL, NULL};
    pliant_query *query = NULL;
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    assert_ok(pliant_body_create(shape, NULL, &body[0]));
    assert_ok(pliant_body_create(shape, NULL, &body[1]));
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_collide(query, body[0], body[1], &options, &contacts));
    assert_int_equal(count_heard(&h, PLIANT_LOG_WARNING, "budget"), 0);
    options.budget_nodes = 2;
    assert_ok(pliant_collide(query, body[0], body[1], &options, &contacts));
    assert_false(contacts.complete);
    assert_int_equal(
        count_heard(&h, PLIANT_LOG_WARNING, "a budget was spent after 2 pairs of nodes"), 1);
    pliant_query_destroy(query);
    pliant_body_destroy(body[1]);
    pliant_body_destroy(body[0]);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
}

static void another_broad_phase_is_told(void **state)
{
    (void)state;
    enum { MANY = 70 };
    heard h;
    pliant_context *context = hearing_context(&h);
    pliant_shape *shape = make_shape(context, 1);
    pliant_scene *scene = NULL;
    pliant_body *body[MANY];
    pliant_body_id id[MANY];
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_create(context, NULL, &scene));
    for (int i = 0; i < MANY; i++) {
        assert_ok(pliant_body_create(shape, NULL, &body[i]));
        assert_ok(pliant_scene_add(scene, body[i], NULL, &id[i]));
        if (i % 8 == 0 || i == MANY - 1) {
            assert_ok(pliant_scene_collide(scene, NULL, &contacts));
        }
    }
    assert_int_equal(count_heard(&h, PLIANT_LOG_INFO, "no longer all pairs"), 1);
    for (int i = 0; i < MANY; i++) {
        assert_ok(pliant_scene_remove(scene, id[i]));
        pliant_body_destroy(body[i]);
    }
    pliant_scene_destroy(scene);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
}

/* ------------------------------------------------------------------- stages */

enum { STAGES = PLIANT_STAGE_SHAPE_MODEL + 1, DEEPEST = 16 };

/* Another one on every thread: its address tells them apart. */
static _Thread_local char own;

/* What is under way on one thread. */
typedef struct thread_stages {
    const char *thread; /* address of its `own` */
    uint32_t depth;
    pliant_stage stage[DEEPEST];
    uint32_t worker[DEEPEST];
} thread_stages;

typedef struct stage_log {
    pli_lock lock;
    thread_stages threads[32];
    uint32_t thread_count;
    uint64_t begun[STAGES], shares;
    bool wrong;
} stage_log;

static thread_stages *this_thread(stage_log *log)
{
    for (uint32_t i = 0; i < log->thread_count; i++) {
        if (log->threads[i].thread == &own) {
            return &log->threads[i];
        }
    }
    log->threads[log->thread_count].thread = &own;
    return &log->threads[log->thread_count++];
}

static void begin_stage(void *user, pliant_stage stage, uint32_t worker)
{
    stage_log *log = user;
    pli_lock_take(&log->lock);
    thread_stages *here = this_thread(log);
    if (here->depth < DEEPEST) {
        here->stage[here->depth] = stage;
        here->worker[here->depth++] = worker;
    } else {
        log->wrong = true;
    }
    log->begun[stage]++;
    log->shares += worker != PLIANT_NO_WORKER;
    log->wrong = log->wrong || (worker != PLIANT_NO_WORKER && worker >= 3);
    pli_lock_release(&log->lock);
}

static void end_stage(void *user, pliant_stage stage, uint32_t worker)
{
    stage_log *log = user;
    pli_lock_take(&log->lock);
    thread_stages *here = this_thread(log);
    if (here->depth == 0 || here->stage[here->depth - 1] != stage ||
        here->worker[here->depth - 1] != worker) {
        log->wrong = true;
    } else {
        here->depth--;
    }
    pli_lock_release(&log->lock);
}

static void check_log(const stage_log *log)
{
    assert_false(log->wrong);
    for (uint32_t i = 0; i < log->thread_count; i++) {
        assert_int_equal(log->threads[i].depth, 0);
    }
}

static void ask_a_query(pliant_context *context)
{
    pliant_shape *shape = make_shape(context, 1);
    pliant_body *body[2];
    pliant_query *query = NULL;
    pliant_contacts contacts;
    assert_ok(pliant_body_create(shape, NULL, &body[0]));
    assert_ok(pliant_body_create(shape, NULL, &body[1]));
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_collide(query, body[0], body[1], NULL, &contacts));
    assert_int_equal(contacts.count, 1);
    pliant_query_destroy(query);
    pliant_body_destroy(body[1]);
    pliant_body_destroy(body[0]);
    pliant_shape_destroy(shape);
}

/* Stages are nested on every thread, all of them are announced, and answers stay. Among the
   questions are some that fail. */
static void stages_are_nested(void **state)
{
    (void)state;
    static stage_log log;
    pli_lock_init(&log.lock);
    pliant_context_def def = pliant_context_def_default();
    pliant_context *context = NULL, *plain = NULL;
    def.workers = 3;
    assert_ok(pliant_context_create(&def, &plain));
    def.hooks = (pliant_stage_hooks){begin_stage, end_stage, &log};
    assert_ok(pliant_context_create(&def, &context));
    for (uint64_t seed = 1; seed <= 6; seed++) {
        assert_true(recorded_world_live(context, seed, 30, NULL).answers ==
                    recorded_world_live(plain, seed, 30, NULL).answers);
        check_log(&log);
    }
    ask_a_query(context);
    check_log(&log);
    for (int i = 0; i < STAGES; i++) {
        if (log.begun[i] == 0) {
            fail_msg("stage '%s' was never announced", pliant_stage_get_name((pliant_stage)i));
        }
    }
    assert_true(log.shares > 0 && log.thread_count > 1);
    pliant_context_destroy(context);
    pliant_context_destroy(plain);
    pli_lock_destroy(&log.lock);
}

static void hooks_come_in_pairs(void **state)
{
    (void)state;
    pliant_context_def def = pliant_context_def_default();
    pliant_context *context = NULL;
    def.hooks.begin = begin_stage;
    assert_int_equal(pliant_context_create(&def, &context), PLIANT_ERROR_ARGUMENT);
    def.hooks = (pliant_stage_hooks){.end = end_stage};
    assert_int_equal(pliant_context_create(&def, &context), PLIANT_ERROR_ARGUMENT);
    assert_null(context);
    assert_string_equal(pliant_stage_get_name(PLIANT_STAGE_SCENE_NARROW), "scene narrow");
    assert_string_equal(pliant_stage_get_name((pliant_stage)STAGES), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_shapes_are_told),
        cmocka_unit_test(large_arrays_are_told),
        cmocka_unit_test(budgets_are_told),
        cmocka_unit_test(stages_are_nested),
        cmocka_unit_test(another_broad_phase_is_told),
        cmocka_unit_test(hooks_come_in_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
