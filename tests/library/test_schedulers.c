/* Schedulers that do not keep their contract: the call fails, and nothing is touched by a worker
   that does not exist. */
#include "flock_scene.h"

#include "base/context.h"

#include <string.h>

typedef enum fault {
    NO_FAULT,
    WORKER_TOO_HIGH,
    PIECE_TOO_HIGH,
    PIECE_TWICE,
    PIECE_LEFT_OUT,
    NESTED_WORKER,
    FAULTS
} fault;

typedef struct bad_scheduler {
    fault fault;
    uint32_t from_run; /* the fault begins with this run */
    uint32_t runs;
} bad_scheduler;

/* A piece that is run while the same worker is at another: called from within a scheduler that
   pretends to have threads. */
static void run_badly(void *user, pliant_task task, void *argument, uint32_t count)
{
    bad_scheduler *b = user;
    fault now = b->runs++ >= b->from_run ? b->fault : NO_FAULT;
    for (uint32_t i = 0; i < count; i++) {
        bool last = i + 1 == count;
        if (last && now == PIECE_LEFT_OUT) {
            continue;
        }
        task(argument, last && now == PIECE_TOO_HIGH ? count : i,
             last && now == WORKER_TOO_HIGH ? 3 : i % 3);
        if (last && now == PIECE_TWICE) {
            task(argument, i, 0);
        }
    }
}

static void bad_schedulers_fail_calls(void **state)
{
    (void)state;
    static const char *const texts[FAULTS] = {"",      "as worker 3 of 3",  "ran piece",
                                              "twice", "did not run piece", ""};
    flock f = flock_create();
    flock_scene_truth *truth = flock_scene_truth_create(&f, true);
    for (int kind = WORKER_TOO_HIGH; kind < NESTED_WORKER; kind++) {
        bool failed = true;
        for (uint32_t from = 0; failed; from++) {
            bad_scheduler bad = {.fault = (fault)kind, .from_run = from};
            counting_allocator allocator = {0};
            pliant_context *context =
                fixture_context_of(&allocator, (pliant_scheduler){run_badly, &bad, 3});
            flock_scene a = flock_scene_create(&f, context, PLIANT_BROAD_SORT, true);
            pliant_scene_contacts contacts = {.count = 77};
            flock_scene_share(&a, &f);
            pliant_result result = pliant_scene_collide(a.scene, NULL, &contacts);
            failed = result != PLIANT_OK;
            if (failed) {
                assert_true(result == PLIANT_ERROR_RANGE || result == PLIANT_ERROR_STATE);
                assert_non_null(strstr(pliant_last_error(), texts[kind]));
                assert_int_equal(contacts.count, 77);
                bad.fault = NO_FAULT; /* it has learnt */
                assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
            }
            assert_true(flock_scene_check_contacts(&contacts, truth) > 0);
            flock_scene_free(&a);
            assert_int_equal(allocator.live, 0);
            assert_true(failed || from > 1);
        }
    }
    flock_scene_truth_free(truth);
    flock_free(&f);
}

/* More pieces than a scheduler is given at a time, and one that comes from within another. */
typedef struct tally {
    uint32_t runs[10000];
    pliant_task task;
    void *argument;
    uint32_t inner;
} tally;

static void count_piece(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    tally *t = argument;
    t->runs[index]++;
    if (t->task != NULL && index == 0) {
        t->inner++;
        t->task(t->argument, 1, 0); /* worker 0 is at work */
    }
}

static void run_all(void *user, pliant_task task, void *argument, uint32_t count)
{
    tally *t = user;
    if (t->inner == 1) {
        t->task = task;
        t->argument = argument;
    }
    for (uint32_t i = 0; i < count; i++) {
        task(argument, i, 0);
    }
}

static void every_piece_once(void **state)
{
    (void)state;
    static tally t;
    pliant_context_def def = pliant_context_def_default();
    def.scheduler = (pliant_scheduler){run_all, &t, 2};
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(&def, &context));
    static const uint32_t counts[] = {0, 1, 2, 4095, 4096, 4097, 8192, 8193, 10000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        memset(t.runs, 0, sizeof t.runs);
        assert_ok(pli_context_run(context, count_piece, &t, counts[i]));
        for (uint32_t k = 0; k < 10000; k++) {
            assert_int_equal(t.runs[k], k < counts[i]);
        }
    }
    t.inner = 1;
    assert_int_equal(pli_context_run(context, count_piece, &t, 5), PLIANT_ERROR_STATE);
    assert_non_null(strstr(pliant_last_error(), "two pieces at the same time as worker 0"));
    assert_int_equal(t.inner, 2);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_schedulers_fail_calls),
        cmocka_unit_test(every_piece_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
