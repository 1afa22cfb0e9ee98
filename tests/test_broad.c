/* The broad phase: every method against brute force, without memory, on workers, and counted
   work. */
#include "fixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/isa.h"
#include "broad/method.h"
#include "random.h"
#include "scenes/numbers.h"

enum { MAX_BODIES = 160 };

/*
 * One of each kind, and automatic ones whose kernel claims to be slow, so that they sort seldom, or
 * only where bodies are too fast for the sweep.
 */
enum { CONTESTANTS = PLI_BROAD_KINDS + 2 };

static const char *const names[CONTESTANTS] = {
    "auto", "all pairs", "sweep", "grid", "sort", "auto, sorts seldom", "auto, sorts sometimes"};

static const struct {
    pli_broad_kind kind;
    uint32_t quick; /* 0: as it is */
} contestants[CONTESTANTS] = {
    {PLI_BROAD_AUTO, 0}, {PLI_BROAD_ALL_PAIRS, 0}, {PLI_BROAD_SWEEP, 0}, {PLI_BROAD_GRID, 0},
    {PLI_BROAD_SORT, 0}, {PLI_BROAD_AUTO, 1},      {PLI_BROAD_AUTO, 4},
};

/* What the broad phases should hold. */
typedef struct world {
    pliant_box boxes[MAX_BODIES];
    bool present[MAX_BODIES];
    uint32_t count;
    uint64_t keys[MAX_BODIES * MAX_BODIES / 2];
    size_t key_count;
} world;

static bool boxes_overlap(const pliant_box *a, const pliant_box *b)
{
    for (int axis = 0; axis < 3; axis++) {
        if (a->lower[axis] > b->upper[axis] || b->lower[axis] > a->upper[axis]) {
            return false;
        }
    }
    return true;
}

static void find_by_brute_force(world *w)
{
    w->key_count = 0;
    for (uint32_t a = 0; a < MAX_BODIES; a++) {
        for (uint32_t b = a + 1; w->present[a] && b < MAX_BODIES; b++) {
            if (w->present[b] && boxes_overlap(&w->boxes[a], &w->boxes[b])) {
                w->keys[w->key_count++] = (uint64_t)a << 32 | b;
            }
        }
    }
}

/* One broad phase of each kind, and the world that they should agree with. */
typedef struct contest {
    pli_broad *broad[CONTESTANTS];
    pli_row_kernels kernels[CONTESTANTS];
    world *world;
    scene_random random;
    uint64_t answers[PLI_BROAD_KINDS]; /* of automatic ones, by the method that they chose */
} contest;

static void contest_create(pliant_context *context, uint64_t seed, contest *c)
{
    *c = (contest){.world = calloc(1, sizeof *c->world), .random = scene_random_seed(seed, 0)};
    assert_non_null(c->world);
    for (int i = 0; i < CONTESTANTS; i++) {
        assert_ok(pli_broad_create(context, contestants[i].kind, &c->broad[i]));
        if (contestants[i].quick > 0) {
            c->kernels[i] = *c->broad[i]->kernels;
            c->kernels[i].quick = contestants[i].quick;
            c->broad[i]->kernels = &c->kernels[i];
        }
    }
}

static void contest_destroy(contest *c)
{
    for (int i = 0; i < CONTESTANTS; i++) {
        pli_broad_destroy(c->broad[i]);
    }
    free(c->world);
}

static void check(contest *c, uint64_t seed, uint32_t operation)
{
    find_by_brute_force(c->world);
    for (int i = 0; i < CONTESTANTS; i++) {
        const uint64_t *keys = NULL;
        size_t count = 0;
        assert_ok(pli_broad_pairs(c->broad[i], &keys, &count));
        if (count != c->world->key_count ||
            (count > 0 && memcmp(keys, c->world->keys, count * sizeof *keys) != 0)) {
            fail_msg("%s, seed %llu, operation %u: %zu pairs, not %zu", names[i],
                     (unsigned long long)seed, operation, count, c->world->key_count);
        }
        if (contestants[i].kind == PLI_BROAD_AUTO) {
            c->answers[pli_broad_get_stats(c->broad[i])->method]++;
        }
    }
}

static void add(contest *c, pliant_box box)
{
    uint32_t slot = 0;
    while (slot < MAX_BODIES && c->world->present[slot]) {
        slot++;
    }
    if (slot == MAX_BODIES) {
        return;
    }
    for (int i = 0; i < CONTESTANTS; i++) {
        assert_ok(pli_broad_add(c->broad[i], slot, &box));
    }
    c->world->boxes[slot] = box;
    c->world->present[slot] = true;
    c->world->count++;
}

static void move(contest *c, uint32_t slot, pliant_box box)
{
    for (int i = 0; i < CONTESTANTS; i++) {
        pli_broad_move(c->broad[i], slot, &box);
    }
    c->world->boxes[slot] = box;
}

static void take(contest *c, uint32_t slot)
{
    for (int i = 0; i < CONTESTANTS; i++) {
        pli_broad_remove(c->broad[i], slot);
    }
    c->world->present[slot] = false;
    c->world->count--;
}

/* Any body; MAX_BODIES when there is none. */
static uint32_t pick(contest *c)
{
    if (c->world->count == 0) {
        return MAX_BODIES;
    }
    uint32_t left = scene_random_below(&c->random, c->world->count);
    uint32_t slot = 0;
    while (!c->world->present[slot] || left-- > 0) {
        slot++;
    }
    return slot;
}

/* Half of all boxes have whole coordinates, so that many touch exactly. */
static pliant_box random_box(scene_random *random)
{
    static const double sizes[4] = {0.0, 1.0, 2.0, 9.0};
    bool whole = scene_random_below(random, 2) == 0;
    uint32_t shape = scene_random_below(random, 64);
    pliant_box box;
    for (int axis = 0; axis < 3; axis++) {
        double lower = scene_random_range(random, -8.0, 8.0);
        double size = sizes[scene_random_below(random, shape < 4 ? 4 : 3)];
        box.lower[axis] = (float)(whole ? floor(lower) : lower);
        box.upper[axis] = box.lower[axis] + (float)size;
        if (shape == 63 || (shape == 62 && axis == 1)) {
            box.lower[axis] = -INFINITY;
            box.upper[axis] = INFINITY;
        } else if (shape == 61) {
            box.upper[axis] = INFINITY;
        } else if (shape == 60) {
            box.lower[axis] = box.upper[axis] = FLT_MAX;
        } else if (shape == 59) {
            box.lower[axis] = -0.0f;
            box.upper[axis] = 0.0f;
        } else if (shape == 58) {
            box.lower[axis] = FLT_TRUE_MIN;
            box.upper[axis] = 2.0f * FLT_TRUE_MIN;
        }
    }
    return box;
}

static pliant_box moved_box(scene_random *random, pliant_box box, double reach)
{
    for (int axis = 0; axis < 3; axis++) {
        float shift = (float)scene_random_range(random, -reach, reach);
        box.lower[axis] += shift;
        box.upper[axis] += shift;
    }
    return box;
}

/* The same box beside its old place, with one side in common. */
static pliant_box touching_box(pliant_box box, int axis)
{
    if (isfinite(box.upper[axis]) && isfinite(box.upper[axis] - box.lower[axis])) {
        float size = box.upper[axis] - box.lower[axis];
        box.lower[axis] = box.upper[axis];
        box.upper[axis] += size;
    }
    return box;
}

static void move_all(contest *c, double reach)
{
    for (uint32_t slot = 0; slot < MAX_BODIES; slot++) {
        if (c->world->present[slot]) {
            move(c, slot, moved_box(&c->random, c->world->boxes[slot], reach));
        }
    }
}

static void take_share(contest *c, uint32_t in_64)
{
    for (uint32_t slot = 0; slot < MAX_BODIES; slot++) {
        if (c->world->present[slot] && scene_random_below(&c->random, 64) < in_64) {
            take(c, slot);
        }
    }
}

/* One operation. The first half of a stretch of 1,000 adds more than it removes. */
static void operate(contest *c, uint32_t operation)
{
    scene_random *random = &c->random;
    uint32_t slot = pick(c);
    uint32_t adds = operation % 1000 < 500 ? 24 : 12;
    uint32_t choice = scene_random_below(random, 128);
    if (choice < adds || slot == MAX_BODIES) {
        add(c, random_box(random));
    } else if (choice < 2 * adds) {
        add(c, slot % 2 == 0 ? c->world->boxes[slot]
                             : touching_box(c->world->boxes[slot], (int)(slot % 3)));
    } else if (choice < 72) {
        take(c, slot);
        if (choice % 4 == 0) {
            add(c, random_box(random));
        }
    } else if (choice < 88) {
        move(c, slot, moved_box(random, c->world->boxes[slot], 0.1));
    } else if (choice < 104) {
        move(c, slot, random_box(random));
    } else if (choice < 112) {
        uint32_t other = pick(c);
        move(c, slot, touching_box(c->world->boxes[other], (int)(choice % 3)));
    } else if (choice < 126) {
        move_all(c, choice < 120 ? 0.01 : 0.4);
    } else if (choice < 127) {
        take_share(c, operation % 3 == 0 ? 64 : 20);
    } else {
        for (int i = 0; i < 60; i++) {
            add(c, random_box(random));
        }
    }
}

static void test_random_operations(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    uint64_t answers[PLI_BROAD_KINDS] = {0};
    uint32_t seeds = fixture_count(2), operations = 3000 + fixture_count(7000);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        contest c;
        contest_create(context, seed, &c);
        check(&c, seed, 0);
        for (uint32_t operation = 0; operation < operations; operation++) {
            operate(&c, operation);
            /* Sometimes several changes come between two answers. */
            if (scene_random_below(&c.random, 4) > 0) {
                check(&c, seed, operation);
            }
        }
        for (int kind = 0; kind < PLI_BROAD_KINDS; kind++) {
            answers[kind] += c.answers[kind];
        }
        contest_destroy(&c);
    }
    for (int kind = PLI_BROAD_ALL_PAIRS; kind < PLI_BROAD_KINDS; kind++) {
        assert_true(answers[kind] > 100);
    }
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

static void test_corner_cases(void **state)
{
    (void)state;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    contest c;
    contest_create(context, 1, &c);
    const float inf = INFINITY;
    add(&c, (pliant_box){{0, 0, 0}, {1, 1, 1}});
    add(&c, (pliant_box){{1, 1, 1}, {2, 2, 2}});                         /* touches at a corner */
    add(&c, (pliant_box){{nextafterf(2, 3), 1, 1}, {3, 2, 2}});          /* misses by one bit */
    add(&c, (pliant_box){{-inf, -inf, -inf}, {inf, inf, inf}});          /* everywhere */
    add(&c, (pliant_box){{inf, 0, 0}, {inf, 1, 1}});                     /* at infinity */
    add(&c, (pliant_box){{-0.0f, -0.0f, -0.0f}, {-0.0f, -0.0f, -0.0f}}); /* the point 0 */
    check(&c, 0, 0);
    const uint64_t expected[] = {1,
                                 3,
                                 5,
                                 (uint64_t)1 << 32 | 3,
                                 (uint64_t)2 << 32 | 3,
                                 (uint64_t)3 << 32 | 4,
                                 (uint64_t)3 << 32 | 5};
    assert_int_equal(c.world->key_count, 7);
    assert_memory_equal(c.world->keys, expected, sizeof expected);
    take_share(&c, 64);
    assert_int_equal(c.world->count, 0);
    check(&c, 0, 1);
    assert_int_equal(c.world->key_count, 0);
    contest_destroy(&c);
    pliant_context_destroy(context);
}

/* A caller's scheduler without threads: one worker after the other, the last piece first. */
static void run_in_turn(void *user, pliant_task task, void *argument, uint32_t count)
{
    const uint32_t *workers = user;
    for (uint32_t i = 0; i < count; i++) {
        task(argument, count - 1 - i, i % *workers);
    }
}

/* A few hundred operations of one kind in which any call may lack memory and is then repeated. */
static void run_short_of_memory(pliant_context *context, pli_broad_kind kind, bool *failed)
{
    pli_broad *broad = NULL;
    *failed = pli_broad_create(context, kind, &broad) != PLIANT_OK;
    if (*failed) {
        assert_ok(pli_broad_create(context, kind, &broad));
    }
    pli_row_kernels kernels = *broad->kernels;
    kernels.quick = kind == PLI_BROAD_SORT ? 1 : kernels.quick; /* workers share what is slow */
    broad->kernels = &kernels;
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    scene_random random = scene_random_seed(5, 0);
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
        for (uint32_t slot = 0; slot < MAX_BODIES; slot++) {
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
        find_by_brute_force(w);
        assert_int_equal(count, w->key_count);
        assert_true(count == 0 || memcmp(keys, w->keys, count * sizeof *keys) == 0);
    }
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
            allocator.fail_at = allocator.calls + ++number;
            run_short_of_memory(context, (pli_broad_kind)kind, &failed);
            pliant_context_destroy(context);
            assert_int_equal(allocator.live, 0);
            assert_int_equal(allocator.live_bytes, 0);
        }
        assert_true(number > 3);
    }
}

/* Bodies of edge 1 spread evenly in a cube, 1.5 apart on average, each with its own velocity. */
typedef struct swarm {
    uint32_t count;
    double width;
    double (*centres)[3], (*velocities)[3];
    pli_broad *broad;
} swarm;

static pliant_box swarm_box(const swarm *s, uint32_t body)
{
    pliant_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lower[axis] = (float)(s->centres[body][axis] - 0.5);
        box.upper[axis] = (float)(s->centres[body][axis] + 0.5);
    }
    return box;
}

static swarm swarm_create(pliant_context *context, pli_broad_kind kind, uint32_t count)
{
    swarm s = {.count = count, .width = 1.5 * cbrt((double)count)};
    s.centres = malloc(count * sizeof *s.centres);
    s.velocities = malloc(count * sizeof *s.velocities);
    assert_true(s.centres != NULL && s.velocities != NULL);
    assert_ok(pli_broad_create(context, kind, &s.broad));
    scene_random random = scene_random_seed(count, 0);
    for (uint32_t body = 0; body < count; body++) {
        for (int axis = 0; axis < 3; axis++) {
            s.centres[body][axis] = scene_random_range(&random, 0.0, s.width);
            s.velocities[body][axis] = scene_random_range(&random, -1.0, 1.0);
        }
        pliant_box box = swarm_box(&s, body);
        assert_ok(pli_broad_add(s.broad, body, &box));
    }
    return s;
}

static void swarm_destroy(swarm *s)
{
    pli_broad_destroy(s->broad);
    free(s->centres);
    free(s->velocities);
}

static const pli_broad_stats *swarm_step(swarm *s, double time, size_t *pairs)
{
    for (uint32_t body = 0; body < s->count; body++) {
        for (int axis = 0; axis < 3; axis++) {
            s->centres[body][axis] += time * s->velocities[body][axis];
        }
        pliant_box box = swarm_box(s, body);
        pli_broad_move(s->broad, body, &box);
    }
    const uint64_t *keys = NULL;
    assert_ok(pli_broad_pairs(s->broad, &keys, pairs));
    return pli_broad_get_stats(s->broad);
}

/* The same way there and back, twice: the second time nothing is allocated. */
static void test_warm_steps_allocate_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < PLI_BROAD_KINDS; kind++) {
        counting_allocator allocator = {0};
        pliant_context *context = fixture_context(&allocator);
        swarm s = swarm_create(context, (pli_broad_kind)kind, 400);
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
        assert_true(pli_broad_memory(s.broad) > 400 * 24);
        swarm_destroy(&s);
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
    }
}

/* Exchanges of a sweep per step, over some steps that move bodies by at most `reach`. */
static double count_swaps(pliant_context *context, uint32_t bodies, double reach, double *ends)
{
    swarm s = swarm_create(context, PLI_BROAD_SWEEP, bodies);
    size_t pairs = 0;
    double swaps = 0.0;
    *ends = 0.0;
    assert_true(swarm_step(&s, 0.0, &pairs)->rebuilt);
    enum { STEPS = 20 };
    for (int step = 0; step < STEPS; step++) {
        const pli_broad_stats *stats = swarm_step(&s, reach, &pairs);
        assert_false(stats->rebuilt);
        assert_true(stats->tests <= stats->swaps);
        swaps += (double)stats->swaps / STEPS;
        *ends += (double)stats->ends_read / STEPS;
    }
    swarm_destroy(&s);
    return swaps;
}

/*
 * A step takes O(n + swaps). While bodies move less than the gaps between ends, swaps are O(n) too.
 * At a fixed speed they are not: the ends of n bodies in a cube project to n^(2/3) times denser
 * lists, so swaps grow as n^(5/3).
 */
static void test_sweep_grows_linearly(void **state)
{
    (void)state;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    const uint32_t fewest = 100, most = 3000;
    double growth = log((double)most / fewest);
    double ends[2], coherent[2], fixed[2];
    for (int i = 0; i < 2; i++) {
        uint32_t bodies = i == 0 ? fewest : most;
        double gap = 1.5 * cbrt((double)bodies) / (2.0 * bodies);
        coherent[i] = count_swaps(context, bodies, gap, &ends[i]);
        assert_true(ends[i] == 6.0 * bodies);
        fixed[i] = count_swaps(context, bodies, 0.01, &ends[i]);
    }
    double exponent = log(coherent[1] / coherent[0]) / growth;
    double whole = log((coherent[1] + ends[1]) / (coherent[0] + ends[0])) / growth;
    double fixed_exponent = log(fixed[1] / fixed[0]) / growth;
    print_message("swaps per body: %.2f and %.2f, exponent %.3f (with ends read %.3f); at a fixed "
                  "speed %.2f and %.2f, exponent %.3f\n",
                  coherent[0] / fewest, coherent[1] / most, exponent, whole, fixed[0] / fewest,
                  fixed[1] / most, fixed_exponent);
    assert_true(exponent > 0.9 && exponent < 1.1);
    assert_true(whole > 0.95 && whole < 1.05);
    assert_true(fixed_exponent < 5.0 / 3.0 + 0.1);
    pliant_context_destroy(context);
}

/* Many bodies added at once, or thrown about, cost neither method n^2. */
static void test_without_coherence(void **state)
{
    (void)state;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    size_t expected[3] = {0};
    for (int kind = PLI_BROAD_ALL_PAIRS; kind < PLI_BROAD_KINDS; kind++) {
        swarm s = swarm_create(context, (pli_broad_kind)kind, 3000);
        for (int step = 0; step < 3; step++) {
            size_t pairs = 0;
            const pli_broad_stats *stats = swarm_step(&s, 10.0 * step, &pairs);
            if (kind == PLI_BROAD_ALL_PAIRS) {
                expected[step] = pairs;
                continue;
            }
            assert_int_equal(pairs, expected[step]);
            assert_true(stats->tests + stats->swaps < (uint64_t)s.count * 256);
            assert_true(stats->rebuilt == (kind == PLI_BROAD_SWEEP));
        }
        swarm_destroy(&s);
    }
    pliant_context_destroy(context);
}

/* ---------------------------------------------------------------- kernels */

enum { ROW_BOXES = 200, ROW_ROOM = ROW_BOXES + PLI_ROW_PADDING };

/* Boxes on few values, so that many sides are equal; those behind the last are empty. */
static pli_box_rows draw_rows(rng *random, int32_t *sides, uint32_t *slots)
{
    static const int32_t values[] = {INT32_MIN + 0x7fffff, -2, -1, 0, 1, 2, 0x7f800000};
    pli_box_rows rows = {.slots = slots};
    for (int axis = 0; axis < 3; axis++) {
        rows.lower[axis] = sides + (size_t)axis * ROW_ROOM;
        rows.upper[axis] = sides + (size_t)(3 + axis) * ROW_ROOM;
        for (uint32_t i = 0; i < ROW_ROOM; i++) {
            uint32_t lower = (uint32_t)rng_below(random, 7);
            uint32_t upper = lower + (uint32_t)rng_below(random, 7 - lower);
            rows.lower[axis][i] = i < ROW_BOXES ? values[lower] : INT32_MAX;
            rows.upper[axis][i] = i < ROW_BOXES ? values[upper] : INT32_MIN;
        }
    }
    for (uint32_t i = 0; i < ROW_ROOM; i++) {
        slots[i] = (uint32_t)rng_u64(random);
    }
    return rows;
}

/* Every instruction set finds what a loop finds, in the same order. */
static void test_row_kernels(void **state)
{
    (void)state;
    _Alignas(64) static int32_t sides[6 * ROW_ROOM];
    uint32_t slots[ROW_ROOM], expected[ROW_ROOM], found[ROW_ROOM];
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
                const pli_row_kernels *kernels =
                    pli_row_kernels_for(pli_isa_choose((pliant_isa)isa));
                assert_int_equal(kernels->meet(&rows, place, ROW_BOXES, found), count);
                assert_true(count == 0 || memcmp(found, expected, count * sizeof *found) == 0);
            }
        }
    }
    assert_true(meetings > 1000);
}

/* ---------------------------------------------------------------- workers */

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
        pliant_context_def def = pliant_context_default();
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
            for (uint32_t p = 0; p < swarms[i].broad->line.piece_count; p++) {
                in_pieces += swarms[i].broad->line.pieces[p].pairs.count;
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
        cmocka_unit_test(test_random_operations),
        cmocka_unit_test(test_corner_cases),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_warm_steps_allocate_nothing),
        cmocka_unit_test(test_sweep_grows_linearly),
        cmocka_unit_test(test_without_coherence),
        cmocka_unit_test(test_row_kernels),
        cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
