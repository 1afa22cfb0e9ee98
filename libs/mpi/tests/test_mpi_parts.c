/* The parts of libpliant_mpi that need no other rank: its map, its sort, and the Hilbert curve. */
#include "fixture.h"
#include "random.h"

#include "libs/mpi/scene.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS = 200 };

/* Keys come and go; many of them have the same place. */
static void map_is_a_map(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 4);
    pli_mpi_map map = {.count = 0};
    uint32_t expected[KEYS];
    memset(expected, 0xff, sizeof expected);
    assert_int_equal(pli_mpi_map_find(&map, 3), PLI_MPI_ABSENT);
    pli_mpi_map_remove(&map, 3);
    for (uint32_t i = 0; i < fixture_count(20000); i++) {
        uint64_t key = rng_below(&r, KEYS);
        if (rng_below(&r, 2) == 0) {
            assert_true(pli_mpi_map_reserve(test_context, &map, 1));
            pli_mpi_map_put(&map, key << 40, i);
            expected[key] = i;
        } else {
            pli_mpi_map_remove(&map, key << 40);
            expected[key] = PLI_MPI_ABSENT;
        }
        size_t count = 0;
        for (uint64_t k = 0; k < KEYS; k++) {
            count += expected[k] != PLI_MPI_ABSENT;
        }
        assert_int_equal(map.count, count);
        key = rng_below(&r, KEYS);
        assert_int_equal(pli_mpi_map_find(&map, key << 40), expected[key]);
    }
    for (uint64_t k = 0; k < KEYS; k++) {
        assert_int_equal(pli_mpi_map_find(&map, k << 40), expected[k]);
    }
    pli_mpi_release(test_context, &map.entries);
}

static void sort_is_stable(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 5);
    for (uint32_t run = 0; run < fixture_count(200); run++) {
        size_t count = rng_below(&r, 300);
        uint64_t keys[300], scratch[300], mask = UINT64_MAX >> rng_below(&r, 64);
        uint32_t numbers[300], number_scratch[300];
        for (size_t i = 0; i < count; i++) {
            keys[i] = rng_u64(&r) & mask;
            keys[i] = run % 3 == 0 ? keys[i] << 8 * rng_below(&r, 8) : keys[i];
            numbers[i] = (uint32_t)i;
        }
        uint64_t before[300];
        memcpy(before, keys, sizeof before);
        pli_mpi_sort(keys, numbers, count, scratch, number_scratch);
        for (size_t i = 0; i < count; i++) {
            assert_true(keys[i] == before[numbers[i]]);
            if (i > 0) {
                assert_true(keys[i - 1] < keys[i] ||
                            (keys[i - 1] == keys[i] && numbers[i - 1] < numbers[i]));
            }
        }
    }
}

/* The curve begins in the cube of 8 cells along each axis at the origin, visits each of its cells
   once before any other, and goes from each to one beside it. */
static void curve_goes_from_cell_to_cell(void **state)
{
    (void)state;
    enum { SIDE = 8, CELLS = SIDE * SIDE * SIDE };
    uint32_t cell_at[CELLS];
    memset(cell_at, 0xff, sizeof cell_at);
    for (uint32_t i = 0; i < CELLS; i++) {
        const uint32_t cell[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        uint64_t place = pli_mpi_hilbert(cell);
        assert_true(place < CELLS && cell_at[place] == UINT32_MAX);
        cell_at[place] = i;
    }
    for (uint32_t k = 1; k < CELLS; k++) {
        uint32_t a = cell_at[k - 1], b = cell_at[k];
        int steps = abs((int)(a % SIDE) - (int)(b % SIDE)) +
                    abs((int)(a / SIDE % SIDE) - (int)(b / SIDE % SIDE)) +
                    abs((int)(a / SIDE / SIDE) - (int)(b / SIDE / SIDE));
        assert_int_equal(steps, 1);
    }
    const uint32_t last[3] = {UINT16_MAX, UINT16_MAX, UINT16_MAX};
    assert_true(pli_mpi_hilbert(last) < UINT64_C(1) << 48);
}

/* Growing keeps what is there, and asks for no more than there can be. */
static void bytes_grow(void **state)
{
    (void)state;
    pli_mpi_bytes bytes = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t *number = pli_mpi_extend(test_context, &bytes, sizeof *number);
        assert_non_null(number);
        *number = i;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(((const uint32_t *)(const void *)bytes.data)[i], i);
    }
    assert_null(pli_mpi_extend(test_context, &bytes, SIZE_MAX - 100));
    assert_null(pli_mpi_resize(test_context, &bytes, pli_mpi_bytes_of(UINT64_MAX, 16)));
    assert_int_equal(bytes.count, 4000);
    assert_int_equal(pli_mpi_bytes_of(7, 0), 0);
    pli_mpi_release(test_context, &bytes);
    assert_non_null(pli_mpi_resize(test_context, &bytes, 0));
    pli_mpi_release(test_context, &bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_is_a_map),
        cmocka_unit_test(sort_is_stable),
        cmocka_unit_test(curve_goes_from_cell_to_cell),
        cmocka_unit_test(bytes_grow),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
