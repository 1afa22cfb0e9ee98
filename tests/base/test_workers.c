/*
 * Our own threads: every piece of a run is done once, and done when the run returns, whether the
 * threads are awake, asleep or about to be, and whoever asks.
 */
#include "fixture.h"

#include "base/atomic.h"
#include "base/clock.h"
#include "base/thread.h"
#include "base/workers.h"

#include <string.h>

enum { MOST_PIECES = 64 };

/* A run that counts what it is given. */
typedef struct counting {
    uint32_t worker_count;
    long piece_nanoseconds; /* a piece sleeps so long; 0: not at all */
    uint32_t plain[MOST_PIECES];
    PLI_ATOMIC(uint32_t) wrong_worker;
} counting;

static void sleep_for(long nanoseconds)
{
    for (double end = pli_seconds() + 1e-9 * (double)nanoseconds; pli_seconds() < end;) {
        pli_thread_yield();
    }
}

/* Counts without atomics: what a piece writes must be there when the run returns. */
static void count_piece(void *argument, uint32_t index, uint32_t worker)
{
    counting *c = argument;
    c->plain[index]++;
    c->wrong_worker += worker >= c->worker_count;
    if (c->piece_nanoseconds > 0) {
        sleep_for(c->piece_nanoseconds);
    }
}

static pli_workers *make_workers(uint32_t count)
{
    pliant_context_def def = pliant_context_def_default();
    pli_workers *workers = NULL;
    assert_ok(pli_workers_create(&def.allocator, count, &workers));
    return workers;
}

static void run_once(pli_workers *workers, counting *c, uint32_t count)
{
    memset(c->plain, 0, sizeof c->plain);
    pli_workers_run(workers, count_piece, c, count);
    for (uint32_t i = 0; i < MOST_PIECES; i++) {
        assert_int_equal(c->plain[i], i < count ? 1 : 0);
    }
    assert_int_equal(c->wrong_worker, 0);
}

/* Runs in quick succession, and after pauses in which threads have gone to sleep or are about to.
 */
static void every_piece_once(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 8};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        counting c = {.worker_count = counts[k]};
        pli_workers *workers = make_workers(counts[k]);
        for (uint32_t run = 0; run < fixture_count(2000); run++) {
            run_once(workers, &c, run * 7 % (MOST_PIECES + 1));
            if (run % 40 == 0) {
                sleep_for((long)(run % 7) * 300000);
            }
        }
        pli_workers_destroy(workers);
    }
}

/* Pieces so long that the caller sleeps until the last one is done. */
static void long_pieces(void **state)
{
    (void)state;
    counting c = {.worker_count = 3, .piece_nanoseconds = 2000000};
    pli_workers *workers = make_workers(3);
    for (uint32_t run = 0; run < fixture_count(20); run++) {
        run_once(workers, &c, 1 + run % 5);
    }
    pli_workers_destroy(workers);
}

/* A caller besides the test's own thread. */
static void call(void *argument)
{
    pli_workers *workers = argument;
    counting c = {.worker_count = 3};
    for (uint32_t run = 0; run < fixture_count(500); run++) {
        run_once(workers, &c, run % MOST_PIECES);
    }
}

static void callers_take_turns(void **state)
{
    (void)state;
    if (!PLI_HAVE_THREADS) {
        return;
    }
    pli_workers *workers = make_workers(3);
    pli_thread thread;
    assert_true(pli_thread_start(&thread, call, workers));
    call(workers);
    pli_thread_join(&thread);
    pli_workers_destroy(workers);
}

/* Threads end at once, whatever they are at. */
static void ends_at_any_time(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < fixture_count(50); i++) {
        counting c = {.worker_count = 4};
        pli_workers *workers = make_workers(4);
        if (i % 2 == 0) {
            run_once(workers, &c, i % MOST_PIECES);
        }
        sleep_for((long)(i % 5) * 400000);
        pli_workers_destroy(workers);
    }
    pli_workers_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_once),
        cmocka_unit_test(long_pieces),
        cmocka_unit_test(callers_take_turns),
        cmocka_unit_test(ends_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
