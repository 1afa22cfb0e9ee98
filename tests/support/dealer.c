#include "dealer.h"

#include "base/thread.h"

typedef struct hand {
    pli_thread thread;
    pliant_task task;
    void *argument;
    uint32_t count, worker, step;
} hand;

static void play(void *argument)
{
    hand *h = argument;
    for (uint32_t i = h->worker; i < h->count; i += h->step) {
        h->task(h->argument, h->count - 1 - i, h->worker); /* backwards, to be different */
    }
}

void dealer_run(void *user, pliant_task task, void *argument, uint32_t count)
{
    const uint32_t *workers = user;
    hand hands[8];
    for (uint32_t w = 0; w < *workers; w++) {
        hands[w] = (hand){
            .task = task, .argument = argument, .count = count, .worker = w, .step = *workers};
        if (!PLI_HAVE_THREADS) {
            play(&hands[w]);
        } else {
            assert_true(pli_thread_start(&hands[w].thread, play, &hands[w]));
        }
    }
    for (uint32_t w = 0; w < *workers && PLI_HAVE_THREADS; w++) {
        pli_thread_join(&hands[w].thread);
    }
}

pliant_context *dealer_context(uint32_t *workers)
{
    pliant_context_def def = pliant_context_def_default();
    def.scheduler = (pliant_scheduler){dealer_run, workers, *workers};
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(&def, &context));
    assert_int_equal(pliant_context_get_worker_count(context), *workers);
    return context;
}
