/* The broad phase: every method finds the pairs of brute force, whatever is added, moved and
 * removed. */
#include "broad_fixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * One of each kind, and automatic ones whose kernel claims to be slow, so that they sort seldom, or
 * only where bodies are too fast for the tree.
 */
enum { CONTESTANTS = PLI_BROAD_KINDS + 2 };

static const char *const names[CONTESTANTS] = {"auto",
                                               "all pairs",
                                               "sweep",
                                               "grid",
                                               "sort",
                                               "tree",
                                               "auto, sorts seldom",
                                               "auto, sorts sometimes"};

static const struct {
    pli_broad_kind kind;
    uint32_t quick; /* 0: as it is */
} contestants[CONTESTANTS] = {
    {PLI_BROAD_AUTO, 0}, {PLI_BROAD_ALL_PAIRS, 0}, {PLI_BROAD_SWEEP, 0}, {PLI_BROAD_GRID, 0},
    {PLI_BROAD_SORT, 0}, {PLI_BROAD_TREE, 0},      {PLI_BROAD_AUTO, 1},  {PLI_BROAD_AUTO, 4},
};

/* One broad phase of each kind, and the world that they should agree with. */
typedef struct contest {
    pli_broad *broad[CONTESTANTS];
    pli_overlap_kernels kernels[CONTESTANTS];
    world *world;
    gallery_random random;
    uint64_t answers[PLI_BROAD_KINDS]; /* of automatic ones, by the method that they chose */
} contest;

static void contest_create(pliant_context *context, uint64_t seed, contest *c)
{
    *c = (contest){.world = calloc(1, sizeof *c->world), .random = gallery_random_seed(seed, 0)};
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
    world_find_pairs(c->world);
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
    while (slot < WORLD_BODIES && c->world->present[slot]) {
        slot++;
    }
    if (slot == WORLD_BODIES) {
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

/* Any body; WORLD_BODIES when there is none. */
static uint32_t pick(contest *c)
{
    if (c->world->count == 0) {
        return WORLD_BODIES;
    }
    uint32_t left = gallery_random_below(&c->random, c->world->count);
    uint32_t slot = 0;
    while (!c->world->present[slot] || left-- > 0) {
        slot++;
    }
    return slot;
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
    for (uint32_t slot = 0; slot < WORLD_BODIES; slot++) {
        if (c->world->present[slot]) {
            move(c, slot, moved_box(&c->random, c->world->boxes[slot], reach));
        }
    }
}

static void take_share(contest *c, uint32_t in_64)
{
    for (uint32_t slot = 0; slot < WORLD_BODIES; slot++) {
        if (c->world->present[slot] && gallery_random_below(&c->random, 64) < in_64) {
            take(c, slot);
        }
    }
}

/* One operation. The first half of a stretch of 1,000 adds more than it removes. */
static void operate(contest *c, uint32_t operation)
{
    gallery_random *random = &c->random;
    uint32_t slot = pick(c);
    uint32_t adds = operation % 1000 < 500 ? 24 : 12;
    uint32_t choice = gallery_random_below(random, 128);
    if (choice < adds || slot == WORLD_BODIES) {
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
            if (gallery_random_below(&c.random, 4) > 0) {
                check(&c, seed, operation);
            }
        }
        for (int kind = 0; kind < PLI_BROAD_KINDS; kind++) {
            answers[kind] += c.answers[kind];
        }
        contest_destroy(&c);
    }
    for (int kind = PLI_BROAD_ALL_PAIRS; kind < PLI_BROAD_KINDS; kind++) {
        /* The automatic choice has no use for the sweep. */
        assert_true(kind == PLI_BROAD_SWEEP || answers[kind] > 100);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
        cmocka_unit_test(test_corner_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
