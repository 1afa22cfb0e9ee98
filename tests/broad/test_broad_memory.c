/* The broad phase without memory: a call that failed can be repeated; and nothing is allocated once
   all is warm. */
#include "broad_fixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "broad/broad.h"

/* Walks and pairs within 0, any of which may lack memory and is then repeated. */
static void ask_the_tree(pli_broad *broad, const world *w, pli_broad_walk *walk, bool *failed)
{
    static const float origin[3] = {0, 0, 0};
    static const pliant_box around = {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}};
    const uint64_t *keys = NULL;
    size_t count = 0, bodies = 0, found = 0;
    if (pli_broad_pairs_within(broad, 0.0, &keys, &count) != PLIANT_OK) {
        *failed = true;
        assert_ok(pli_broad_pairs_within(broad, 0.0, &keys, &count));
    }
    assert_int_equal(count, w->key_count);
    assert_true(count == 0 || memcmp(keys, w->keys, count * sizeof *keys) == 0);
    do {
        pli_broad_walk_step step;
        *failed |= walk->failed;
        pli_broad_walk_point(walk, broad, origin, INFINITY);
        for (bodies = 0; pli_broad_walk_next(walk, INFINITY, &step); bodies++) {
        }
    } while (walk->failed);
    if (pli_broad_walk_box(walk, broad, &around, 0.0, &keys, &found) != PLIANT_OK) {
        *failed = true;
        assert_ok(pli_broad_walk_box(walk, broad, &around, 0.0, &keys, &found));
    }
    walk->failed = false;
    assert_true(bodies <= found && found <= broad->body_count); /* some are at infinity */
    assert_true(bodies + 20 > broad->body_count);
}

/* A few hundred operations of one kind in which any call may lack memory and is then repeated. */
static void run_short_of_memory(pliant_context *context, pli_broad_kind kind, bool *failed)
{
    pli_broad *broad = NULL;
    *failed = pli_broad_create(context, kind, &broad) != PLIANT_OK;
    if (*failed) {
        assert_ok(pli_broad_create(context, kind, &broad));
    }
    pli_overlap_kernels kernels = *broad->kernels;
    kernels.quick = kind == PLI_BROAD_SORT ? 1 : kernels.quick; /* workers share what is slow */
    broad->kernels = &kernels;
    broad->shared_from = 16;
    pli_broad_walk walk = {.failed = false};
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    gallery_random random = gallery_random_seed(5, 0);
    for (uint32_t step = 0; step < 40; step++) {
        for (uint32_t slot = 4 * step % 150; slot < 4 * step % 150 + 4; slot++) {
            pliant_box box = random_box(&random);
            if (w->present[slot]) {
                pli_broad_remove(broad, slot);
            } else if (pli_broad_add(broad, slot, &box) != PLIANT_OK) {
                *failed = true;
                assert_ok(pli_broad_add(broad, slot, &box));
            }
            w->present[slot] = !w->present[slot];
            w->boxes[slot] = box;
        }
        for (uint32_t slot = 0; slot < WORLD_BODIES; slot++) {
            if (w->present[slot]) {
                w->boxes[slot] = moved_box(&random, w->boxes[slot], 0.05);
                pli_broad_move(broad, slot, &w->boxes[slot]);
            }
        }
        const uint64_t *keys = NULL;
        size_t count = 0;
        if (pli_broad_pairs(broad, &keys, &count) != PLIANT_OK) {
            *failed = true;
            assert_ok(pli_broad_pairs(broad, &keys, &count));
        }
        world_find_pairs(w);
        assert_int_equal(count, w->key_count);
        assert_true(count == 0 || memcmp(keys, w->keys, count * sizeof *keys) == 0);
        ask_the_tree(broad, w, &walk, failed);
    }
    pli_broad_walk_release(context, &walk);
    free(w);
    pli_broad_destroy(broad);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    for (int kind = 0; kind < PLI_BROAD_KINDS; kind++) {
        uint64_t number = 0;
        bool failed = true;
        while (failed) {
            counting_allocator allocator = {0};
            uint32_t workers = 2;
            pliant_context *context =
                fixture_context_of(&allocator, (pliant_scheduler){run_in_turn, &workers, workers});
            assert_non_null(context);
            number += fixture_scale() < 0.1 ? 3 : 1; /* sanitizers take their time */
            allocator.fail_at = allocator.calls + number;
            run_short_of_memory(context, (pli_broad_kind)kind, &failed);
            pliant_context_destroy(context);
            assert_int_equal(allocator.live, 0);
            assert_int_equal(allocator.live_bytes, 0);
        }
        assert_true(number > 3);
    }
}

/* The same way there and back, twice: the second time nothing is allocated. */
static void test_warm_steps_allocate_nothing(void **state)
{
    (void)state;
    const uint32_t bodies = fixture_scale() < 0.1 ? 150 : 400; /* sanitizers take their time */
    for (int kind = 0; kind < PLI_BROAD_KINDS; kind++) {
        counting_allocator allocator = {0};
        pliant_context *context = fixture_context(&allocator);
        swarm s = swarm_create(context, (pli_broad_kind)kind, bodies);
        uint64_t cold = 0;
        for (int round = 0; round < 3; round++) {
            /* Sweep and grid in turn, where the method is free. */
            for (int step = 0; step < 200; step++) {
                size_t pairs = 0;
                double speed = step % 100 < 10 ? 0.5 : 0.01;
                swarm_step(&s, step < 100 ? speed : -speed, &pairs);
            }
            pliant_box box = swarm_box(&s, 0);
            pli_broad_remove(s.broad, 0);
            assert_ok(pli_broad_add(s.broad, 0, &box));
            cold = round == 1 ? allocator.calls : cold;
        }
        assert_int_equal(allocator.calls, cold);
        assert_true(pli_broad_memory(s.broad) > bodies * 24);
        swarm_destroy(&s);
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_warm_steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
