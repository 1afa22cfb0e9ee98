/*
 * Fuzzing of the public interface: the bytes are read as a program that makes shapes and bodies of
 * all kinds and sizes, some from forged blocks, sets states good and bad, and asks: api_make.c and
 * api_ask.c.
 */
#include "api.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SCHEDULED_WORKERS = 8 };

/* A job system of one thread that hands out the work in another order, to other workers, each time
   the order changes. */
static void run_in_some_order(void *user, pliant_task task, void *argument, uint32_t count)
{
    const world *w = user;
    uint32_t workers = 1 + w->order % SCHEDULED_WORKERS, first = w->order / SCHEDULED_WORKERS;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = (w->order & 1) != 0 ? count - 1 - i : i;
        index = (index + first) % count;
        task(argument, index, (index + w->order) % workers);
    }
}

static void set_up(world *w, input *in)
{
    static const uint32_t workers[] = {1, 1, 2, 8};
    pliant_context_def def = pliant_context_def_default();
    def.isa = (pliant_isa)below(in, 5);
    uint32_t kind = below(in, 8);
    if (kind < 4) {
        def.workers = workers[kind];
    } else {
        def.scheduler = (pliant_scheduler){
            .run = run_in_some_order, .user = w, .worker_count = SCHEDULED_WORKERS};
    }
    if (pliant_context_create(&def, &w->context) != PLIANT_OK ||
        pliant_query_create(w->context, &w->query) != PLIANT_OK ||
        pliant_scene_create(w->context, NULL, &w->scene) != PLIANT_OK) {
        abort();
    }
}

static void tear_down(world *w)
{
    for (uint32_t i = 0; i < BODIES; i++) {
        drop_body(w, i);
    }
    pliant_scene_destroy(w->scene);
    pliant_query_destroy(w->query);
    pliant_context_destroy(w->context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world w;
    input in = {data, data + size, 1.0f};
    memset(&w, 0, sizeof w);
    set_up(&w, &in);
    for (int call = 0; call < MOST_CALLS && in.at < in.end; call++) {
        uint32_t what = below(&in, 10), a = below(&in, BODIES), b = below(&in, BODIES);
        if (w.bodies[a] == NULL || what == 0) {
            make_body(&w, &in, a);
        } else if (what < 3) {
            set_state(&w, &in, a);
        } else if (what == 3) {
            nudge_state(&w, &in, a);
        } else if (what == 4) {
            set_member(&w, &in, a);
        } else if (w.bodies[b] != NULL && a != b && what < 8) {
            ask_pair(&w, &in, a, b);
        } else if (w.bodies[b] != NULL) {
            ask(&w, &in, a, b);
        }
    }
    tear_down(&w);
    return 0;
}
