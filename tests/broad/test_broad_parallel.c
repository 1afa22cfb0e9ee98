/* The broad phase finds the same, in the same order, with every instruction set and any number of
   workers. */
#include "broad_fixture.h"

#include <math.h>
#include <string.h>

#include "base/kernels.h"
#include "broad/broad.h"
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

/* Contexts with one worker and with several, the last with a caller's scheduler. */
enum { RUNS = 5 };
static const uint32_t worker_counts[RUNS] = {1, 2, 3, 8, 3};

static pliant_context *create_context(int run, uint32_t *workers)
{
    pliant_context *context = NULL;
    pliant_context_def def = pliant_context_def_default();
    *workers = def.workers = worker_counts[run];
    if (run == RUNS - 1) {
        def.scheduler = (pliant_scheduler){run_in_turn, workers, *workers};
    }
    assert_ok(pliant_context_create(&def, &context));
    return context;
}

/* However many workers there are and whoever schedules them, the answer is that of one. */
static void check_workers(pli_broad_kind kind, uint32_t bodies, double time)
{
    int steps = fixture_scale() < 0.1 ? 4 : 8; /* sanitizers take their time */
    pliant_context *contexts[RUNS];
    swarm swarms[RUNS];
    uint32_t workers[RUNS];
    for (int i = 0; i < RUNS; i++) {
        contexts[i] = create_context(i, &workers[i]);
        swarms[i] = swarm_create(contexts[i], kind, bodies);
    }
    for (int step = 0; step < steps; step++) {
        const uint64_t *keys[RUNS], *near[RUNS];
        size_t pairs[RUNS], near_pairs[RUNS];
        for (int i = 0; i < RUNS; i++) {
            pli_broad *broad = swarms[i].broad;
            uint64_t tests = swarm_step(&swarms[i], time, &pairs[i])->tests;
            assert_ok(pli_broad_pairs(broad, &keys[i], &pairs[i]));
            assert_int_equal(pairs[i], pairs[0]);
            assert_memory_equal(keys[i], keys[0], pairs[0] * sizeof *keys[0]);
            size_t in_pieces = 0;
            for (uint32_t p = 0; p < broad->pieces.count; p++) {
                in_pieces += broad->pieces.data[p].pairs.count;
            }
            assert_int_equal(in_pieces, worker_counts[i] > 1 ? pairs[0] : 0); /* it was shared */
            assert_ok(pli_broad_pairs_within(broad, 0.25, &near[i], &near_pairs[i]));
            assert_int_equal(near_pairs[i], near_pairs[0]);
            assert_memory_equal(near[i], near[0], near_pairs[0] * sizeof *near[0]);
            assert_true(tests > 0);
        }
        assert_true(pairs[0] > bodies / 4 && near_pairs[0] > pairs[0]);
    }
    for (int i = 0; i < RUNS; i++) {
        swarm_destroy(&swarms[i]);
        pliant_context_destroy(contexts[i]);
    }
}

static void test_workers(void **state)
{
    (void)state;
    check_workers(PLI_BROAD_SORT, 2000, 0.1);
    check_workers(PLI_BROAD_SORT, 20000, 0.1); /* shared are sorting bodies and pairs as well */
    check_workers(PLI_BROAD_GRID, 12000, 0.1);
    check_workers(PLI_BROAD_TREE, 40000, 0.02); /* bodies leave their fat boxes a few at a time */
    check_workers(PLI_BROAD_TREE, 12000, 0.2);  /* all of them at once */
}

/* What workers that walk at once found. */
typedef struct walkers {
    const pli_broad *broad;
    pli_broad_walk walks[8];
    uint64_t sums[64];
} walkers;

static void walk_task(void *argument, uint32_t index, uint32_t worker)
{
    walkers *all = argument;
    gallery_random random = gallery_random_seed(index, 3);
    float origin[3], direction[3];
    for (int axis = 0; axis < 3; axis++) {
        origin[axis] = (float)gallery_random_range(&random, 0.0, 30.0);
        direction[axis] = (float)gallery_random_range(&random, -1.0, 1.0);
    }
    pli_broad_walk_step step;
    pli_broad_walk *walk = &all->walks[worker];
    pli_broad_walk_ray(walk, all->broad, origin, direction, INFINITY);
    uint64_t sum = 0;
    while (pli_broad_walk_next(walk, INFINITY, &step)) {
        sum = 31 * sum + step.slot + 1;
    }
    all->sums[index] = walk->failed ? 0 : sum;
}

/* Walks of several workers at once are those of one. */
static void test_walks_at_once(void **state)
{
    (void)state;
    walkers all[2] = {{.broad = NULL}, {.broad = NULL}};
    for (int i = 0; i < 2; i++) {
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, i == 0 ? 1 : 8);
        swarm s = swarm_create(context, PLI_BROAD_AUTO, 8000);
        assert_ok(pli_broad_update_tree(s.broad));
        all[i].broad = s.broad;
        assert_ok(pli_context_run(context, walk_task, &all[i], 64));
        for (int w = 0; w < 8; w++) {
            pli_broad_walk_release(context, &all[i].walks[w]);
        }
        swarm_destroy(&s);
        pliant_context_destroy(context);
    }
    uint32_t met = 0;
    for (int i = 0; i < 64; i++) {
        met += all[0].sums[i] != 0;
        assert_true(all[0].sums[i] == all[1].sums[i]);
    }
    assert_true(met > 48);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap_kernels),
        cmocka_unit_test(test_workers),
        cmocka_unit_test(test_walks_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
