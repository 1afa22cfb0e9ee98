/* The broad phase finds the same, in the same order, with every instruction set and any number of
   workers. */
#include "broad_fixture.h"

#include <string.h>

#include "base/kernels.h"
#include "random.h"

enum { ROW_BOXES = 200, ROW_CAPACITY = ROW_BOXES + PLI_OVERLAP_PADDING };

/* Boxes on few values, so that many sides are equal; those behind the last are empty. */
static pli_box_rows draw_rows(rng *random, int32_t *sides, uint32_t *slots)
{
    static const int32_t values[] = {INT32_MIN + 0x7fffff, -2, -1, 0, 1, 2, 0x7f800000};
    pli_box_rows rows = {.slots = slots};
    for (int axis = 0; axis < 3; axis++) {
        rows.lower[axis] = sides + (size_t)axis * ROW_CAPACITY;
        rows.upper[axis] = sides + (size_t)(3 + axis) * ROW_CAPACITY;
        for (uint32_t i = 0; i < ROW_CAPACITY; i++) {
            uint32_t lower = (uint32_t)rng_below(random, 7);
            uint32_t upper = lower + (uint32_t)rng_below(random, 7 - lower);
            rows.lower[axis][i] = i < ROW_BOXES ? values[lower] : INT32_MAX;
            rows.upper[axis][i] = i < ROW_BOXES ? values[upper] : INT32_MIN;
        }
    }
    for (uint32_t i = 0; i < ROW_CAPACITY; i++) {
        slots[i] = (uint32_t)rng_u64(random);
    }
    return rows;
}

/* Every instruction set finds what a loop finds, in the same order. */
static void test_overlap_kernels(void **state)
{
    (void)state;
    _Alignas(64) static int32_t sides[6 * ROW_CAPACITY];
    uint32_t slots[ROW_CAPACITY], expected[ROW_CAPACITY], found[ROW_CAPACITY];
    uint64_t meetings = 0;
    for (uint32_t seed = 1; seed <= fixture_count(100); seed++) {
        rng random;
        rng_seed(&random, seed);
        pli_box_rows rows = draw_rows(&random, sides, slots);
        for (uint32_t place = 0; place < ROW_BOXES; place++) {
            uint32_t count = 0;
            for (uint32_t i = place + 1; i < ROW_BOXES; i++) {
                bool meets = true;
                for (int axis = 0; axis < 3; axis++) {
                    meets = meets && rows.lower[axis][i] <= rows.upper[axis][place] &&
                            rows.lower[axis][place] <= rows.upper[axis][i];
                }
                expected[count] = slots[i];
                count += meets;
            }
            meetings += count;
            for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
                const pli_overlap_kernels *kernels =
                    pli_kernels_for(pli_isa_choose((pliant_isa)isa))->overlap;
                assert_int_equal(kernels->meet(&rows, place, ROW_BOXES, found), count);
                assert_true(count == 0 || memcmp(found, expected, count * sizeof *found) == 0);
            }
        }
    }
    assert_true(meetings > 1000);
}

/* However many workers there are and whoever schedules them, the answer is that of one. */
static void test_workers(void **state)
{
    (void)state;
    static const uint32_t worker_counts[] = {1, 2, 3, 8, 3};
    enum { RUNS = 5, STEPS = 4, BODIES = 2000 };
    pliant_context *contexts[RUNS];
    swarm swarms[RUNS];
    uint32_t workers = worker_counts[RUNS - 1];
    for (int i = 0; i < RUNS; i++) {
        pliant_context_def def = pliant_context_def_default();
        def.workers = worker_counts[i];
        if (i == RUNS - 1) {
            def.scheduler = (pliant_scheduler){run_in_turn, &workers, workers};
        }
        assert_ok(pliant_context_create(&def, &contexts[i]));
        swarms[i] = swarm_create(contexts[i], PLI_BROAD_SORT, BODIES);
    }
    for (int step = 0; step < STEPS; step++) {
        const uint64_t *keys[RUNS];
        size_t pairs[RUNS];
        for (int i = 0; i < RUNS; i++) {
            swarm_step(&swarms[i], 0.1, &pairs[i]);
            assert_ok(pli_broad_pairs(swarms[i].broad, &keys[i], &pairs[i]));
            assert_int_equal(pairs[i], pairs[0]);
            assert_memory_equal(keys[i], keys[0], pairs[0] * sizeof *keys[0]);
            size_t in_pieces = 0;
            for (uint32_t p = 0; p < swarms[i].broad->pieces.count; p++) {
                in_pieces += swarms[i].broad->pieces.data[p].pairs.count;
            }
            assert_int_equal(in_pieces, worker_counts[i] > 1 ? pairs[0] : 0); /* it was shared */
        }
        assert_true(pairs[0] > BODIES / 4);
    }
    for (int i = 0; i < RUNS; i++) {
        swarm_destroy(&swarms[i]);
        pliant_context_destroy(contexts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap_kernels),
        cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
