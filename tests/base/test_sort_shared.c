/*
 * Sorting on all workers gives what one worker gives: keys in order, values with their keys, and
 * values of equal keys in the order they had. Keys are spread, few, in order or all equal.
 */
#include "fixture.h"

#include "base/sort.h"
#include "random.h"

#include <stdlib.h>

enum { MOST = 40000 };

typedef struct numbers {
    uint64_t keys[MOST], values[MOST], key_scratch[MOST], value_scratch[MOST];
} numbers;

static uint64_t make_key(rng *r, int kind, size_t i)
{
    const uint64_t any = rng_u64(r);
    const uint64_t keys[] = {any, any % 7, i, MOST - i, 5, any >> 40};
    return keys[kind];
}

static void complement(uint64_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        keys[i] = ~keys[i];
    }
}

static pli_sorted_arrays arrays_of(numbers *n, bool valued)
{
    return (pli_sorted_arrays){n->keys, n->key_scratch, valued ? n->values : NULL,
                               valued ? n->value_scratch : NULL};
}

/* Sorts `count` keys of a kind both ways. */
static void compare(pliant_context *context, numbers *all, rng *r, int kind, size_t count)
{
    numbers *one = &all[0], *shared = &all[1];
    bool valued = count % 2 == 0, converted = count % 3 == 0;
    for (size_t i = 0; i < count; i++) {
        one->keys[i] = shared->keys[i] = make_key(r, kind, i);
        one->values[i] = shared->values[i] = i;
    }
    pli_sort_keys(one->keys, one->key_scratch, valued ? one->values : NULL,
                  valued ? one->value_scratch : NULL, count);
    if (converted) {
        complement(one->keys, count);
    }
    assert_ok(
        pli_sort_shared(context, arrays_of(shared, valued), count, converted ? complement : NULL));
    assert_memory_equal(one->keys, shared->keys, count * sizeof *one->keys);
    assert_memory_equal(one->values, shared->values, count * sizeof *one->values);
}

static void equals_one_worker(void **state)
{
    (void)state;
    const uint32_t workers[] = {1, 2, 3, 8, 40};
    numbers *all = malloc(2 * sizeof *all);
    rng r;
    rng_seed(&r, 1);
    assert_non_null(all);
    for (size_t w = 0; w < sizeof workers / sizeof workers[0]; w++) {
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, workers[w]);
        for (int kind = 0; kind < 6; kind++) {
            compare(context, all, &r, kind, MOST);
            compare(context, all, &r, kind, 1 + rng_below(&r, MOST));
            compare(context, all, &r, kind, 1 + rng_below(&r, 100));
        }
        pliant_context_destroy(context);
    }
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_one_worker)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
