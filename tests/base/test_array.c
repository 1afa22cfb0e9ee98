/*
 * The one growing array: it keeps what was written while it grows, changes nothing where there is
 * no memory or a size overflows, gives back what it took, and does without memory while it is
 * empty.
 */
#include "fixture.h"

#include "base/array.h"

#include <string.h>

/* Elements of an odd size. */
typedef struct element {
    uint8_t bytes[13];
} element;

typedef PLI_ARRAY(element) elements;

/* An owner of several arrays. */
typedef struct owner {
    uint32_t before;
    union {
        struct {
            elements some;
            pli_keys keys[2];
            PLI_ARRAY(double) numbers;
        };
        pli_array arrays[4];
    };
} owner;

PLI_CHECK_ARRAYS(owner);

static element make_element(uint32_t number)
{
    element made;
    memset(made.bytes, (int)(number * 37 % 251), sizeof made.bytes);
    memcpy(made.bytes, &number, sizeof number);
    return made;
}

static bool holds(const elements *array, size_t count)
{
    bool right = array->count == count && array->capacity >= count;
    for (uint32_t i = 0; i < count && right; i++) {
        element expected = make_element(i);
        right = memcmp(array->data[i].bytes, expected.bytes, sizeof expected.bytes) == 0;
    }
    return right;
}

static void push_to(pliant_context *context, elements *array, size_t count)
{
    while (array->count < count) {
        assert_true(PLI_PUSH(context, array, make_element((uint32_t)array->count)));
    }
}

/* Whichever way it grows, what is there stays; doubling makes allocations few. */
static void test_growth(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    uint64_t before = allocator.calls, live = allocator.live_bytes;
    elements array = {.count = 0};
    for (size_t count = 1; count <= 5000; count++) {
        push_to(context, &array, count);
        assert_true(array.capacity < 64 + 2 * count);
        assert_int_equal((uintptr_t)array.data % PLI_ALIGNMENT, 0);
        assert_int_equal(allocator.live_bytes - live, array.capacity * sizeof(element));
        assert_int_equal(pli_arrays_bytes(&array.array, 1), array.capacity * sizeof(element));
    }
    assert_true(holds(&array, 5000));
    assert_true(allocator.calls - before <= 8);
    size_t capacity = array.capacity;
    assert_true(PLI_RESERVE(context, &array, capacity));
    assert_true(PLI_RESERVE_MORE(context, &array, capacity - 5000));
    assert_int_equal(array.capacity, capacity);
    assert_true(PLI_RESERVE_MORE(context, &array, capacity - 5000 + 1));
    assert_int_equal(array.capacity, 2 * capacity);
    assert_true(PLI_RESERVE(context, &array, 7 * capacity));
    assert_int_equal(array.capacity, 7 * capacity);
    assert_true(holds(&array, 5000));
    pli_array_release(context, &array.array);
    assert_int_equal(allocator.live_bytes, live);
    pliant_context_destroy(context);
}

/* Elements that are written and not counted are kept as well. */
static void test_growth_without_count(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    elements array = {.count = 0};
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(PLI_RESERVE(context, &array, i + 1));
        array.data[i] = make_element(i);
    }
    assert_int_equal(array.count, 0);
    array.count = 1000;
    assert_true(holds(&array, 1000));
    pli_array_release(context, &array.array);
    pliant_context_destroy(context);
}

static void test_extend(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pli_indices array = {.count = 0};
    assert_non_null(PLI_EXTEND(context, &array, 0)); /* NULL would mean: no memory */
    assert_int_equal(array.count, 0);
    for (size_t more = 0; more < 100; more++) {
        size_t count = array.count;
        const uint32_t *added = PLI_EXTEND(context, &array, more);
        assert_non_null(added);
        assert_ptr_equal(added, array.data + count);
        assert_int_equal(array.count, count + more);
        for (size_t i = count; i < array.count; i++) {
            assert_int_equal(array.data[i], 0);
            array.data[i] = UINT32_MAX;
        }
    }
    for (size_t i = 0; i < array.count; i++) {
        assert_int_equal(array.data[i], UINT32_MAX);
    }
    array.count = 10; /* what was there does not shine through */
    const uint32_t *again = PLI_EXTEND(context, &array, 20);
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(again[i], 0);
    }
    pli_array_release(context, &array.array);
    pliant_context_destroy(context);
}

/* A full array of which the next growth is asked for, by all ways there are. */
static void assert_all_fail(pliant_context *context, elements *array, size_t more)
{
    elements before = *array;
    assert_false(PLI_RESERVE(context, array, more));
    assert_non_null(strstr(pliant_last_error(), "no memory for"));
    assert_false(PLI_RESERVE_MORE(context, array, more));
    assert_null(PLI_EXTEND(context, array, more));
    assert_memory_equal(array, &before, sizeof before);
}

static void test_failing_allocation(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    elements array = {.count = 0};
    for (size_t full = 0; full <= 256; full = array.capacity) {
        push_to(context, &array, full);
        allocator.fail_at = allocator.calls + 1;
        allocator.fail_from_there = true;
        assert_all_fail(context, &array, full + 1);
        assert_false(PLI_PUSH(context, &array, make_element(0)));
        assert_true(holds(&array, full));
        allocator.fail_at = 0;
        push_to(context, &array, full + 1);
        assert_true(holds(&array, full + 1));
    }
    pli_array_release(context, &array.array);
    elements table = {.count = 0};
    allocator.fail_at = allocator.calls + 1;
    assert_false(PLI_CREATE(context, &table, 3));
    assert_true(table.data == NULL && table.count == 0 && table.capacity == 0);
    allocator.fail_at = 0;
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

/* Sizes that no size_t holds fail before the allocator is asked. */
static void test_overflow(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    elements empty = {.count = 0}, some = {.count = 0};
    push_to(context, &some, 100);
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 99, SIZE_MAX / sizeof(element) + 1};
    uint64_t calls = allocator.calls;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_all_fail(context, &empty, sizes[i]);
        assert_all_fail(context, &some, sizes[i]);
        assert_false(PLI_CREATE(context, &empty, sizes[i]));
    }
    assert_int_equal(allocator.calls, calls);
    assert_true(holds(&some, 100));
    pli_array_release(context, &some.array);
    pliant_context_destroy(context);
}

/* Nothing asked for takes no memory. */
static void test_zero(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    uint64_t calls = allocator.calls;
    elements array = {.count = 0};
    assert_true(PLI_RESERVE(context, &array, 0));
    assert_true(PLI_RESERVE_MORE(context, &array, 0));
    assert_null(array.data);
    assert_int_equal(pli_arrays_bytes(&array.array, 1), 0);
    pli_array_release(context, &array.array);
    assert_int_equal(allocator.calls, calls);
    pliant_context_destroy(context);
}

/* A table has exactly the elements it was made with, all zero, and is made once. */
static void test_create(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    uint64_t live = allocator.live_bytes;
    elements table = {.count = 0};
    assert_true(PLI_CREATE(context, &table, 5));
    assert_true(table.count == 5 && table.capacity == 5);
    assert_int_equal(allocator.live_bytes - live, 5 * sizeof(element));
    for (size_t i = 0; i < 5; i++) {
        assert_memory_equal(&table.data[i], &(element){0}, sizeof(element));
        table.data[i] = make_element((uint32_t)i);
    }
    assert_true(PLI_CREATE(context, &table, 5));
    assert_true(holds(&table, 5));
    pli_array_release(context, &table.array);
    pliant_context_destroy(context);
}

/* What an owner holds is counted and given back in a loop, however often. */
static void test_owner(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    uint64_t live = allocator.live_bytes;
    owner o = {.before = 17};
    assert_int_equal(pli_arrays_bytes(o.arrays, 4), 0);
    for (int round = 0; round < 2; round++) {
        push_to(context, &o.some, 3);
        assert_true(PLI_PUSH(context, &o.keys[0], UINT64_MAX));
        assert_true(PLI_RESERVE(context, &o.keys[1], 1000));
        assert_true(PLI_CREATE(context, &o.numbers, 1));
        uint64_t bytes = 64 * sizeof(element) + 64 * 8 + 1000 * 8 + 8;
        assert_int_equal(pli_arrays_bytes(o.arrays, 4), bytes);
        assert_int_equal(allocator.live_bytes - live, bytes);
        pli_arrays_release(context, o.arrays, 4);
        pli_arrays_release(context, o.arrays, 4);
        assert_int_equal(allocator.live_bytes, live);
        assert_int_equal(pli_arrays_bytes(o.arrays, 4), 0);
        assert_true(o.some.data == NULL && o.keys[0].count == 0 && o.numbers.capacity == 0);
    }
    assert_int_equal(o.before, 17);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth),   cmocka_unit_test(test_growth_without_count),
        cmocka_unit_test(test_extend),   cmocka_unit_test(test_failing_allocation),
        cmocka_unit_test(test_overflow), cmocka_unit_test(test_zero),
        cmocka_unit_test(test_create),   cmocka_unit_test(test_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
