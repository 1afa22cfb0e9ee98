/*
 * What libraries beside the core are made with (pliant/extend.h): sentences, settings of programs
 * that know another size, memory, arrays, workers, the floating-point environment, and objects that
 * keep their context.
 */
#include "fixture.h"

#include "base/context.h"
#include "pliant/extend.h"

#include <fenv.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sentences_are_copied(void **state)
{
    (void)state;
    char text[400];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(pliant_fail(PLIANT_ERROR_DATA, "a sentence"), PLIANT_ERROR_DATA);
    assert_string_equal(pliant_last_error(), "a sentence");
    assert_int_equal(pliant_fail(PLIANT_ERROR_STATE, pliant_last_error() + 2), PLIANT_ERROR_STATE);
    assert_string_equal(pliant_last_error(), "sentence");
    assert_int_equal(pliant_fail(PLIANT_ERROR_RANGE, "%s %n"), PLIANT_ERROR_RANGE);
    assert_string_equal(pliant_last_error(), "%s %n");
    pliant_fail(PLIANT_ERROR_DATA, text);
    assert_int_equal(strlen(pliant_last_error()), 255);
    pliant_fail(PLIANT_ERROR_DATA, "");
    assert_string_equal(pliant_last_error(), "");
}

/* Programs that know fewer or more fields get what they have room for, with a tag that says so. */
static void settings_fit_the_program(void **state)
{
    (void)state;
    const uint32_t whole[6] = {0x12340018, 1, 2, 3, 4, 5};
    const size_t ours = sizeof whole;
    for (size_t size = 0; size <= 2 * ours; size++) {
        unsigned char given[2 * sizeof whole + 1];
        memset(given, 0xa5, sizeof given);
        pliant_copy_settings(whole, ours, size, given);
        size_t written = size < 4 ? 0 : size, known = written < ours ? written : ours;
        if (written > 0) {
            uint32_t tag = 0;
            memcpy(&tag, given, sizeof tag);
            assert_int_equal(tag, 0x12340000u | size);
            assert_memory_equal(given + 4, whole + 1, known - 4);
        }
        for (size_t i = known; i < sizeof given; i++) {
            assert_int_equal(given[i], i < written ? 0 : 0xa5);
        }
    }
    uint32_t untouched = 7;
    pliant_copy_settings(whole, 3, sizeof untouched, &untouched);
    assert_int_equal(untouched, 7);
}

/* An old program with a context's definition that ends before the hooks. */
static void shorter_definitions_are_refused(void **state)
{
    (void)state;
    size_t size = offsetof(pliant_context_def, hooks);
    char *given = malloc(size); /* sanitizers watch its end */
    assert_non_null(given);
    pliant_context_def_fill(size, (pliant_context_def *)(void *)given);
    uint32_t workers = 0;
    memcpy(&workers, given + offsetof(pliant_context_def, workers), sizeof workers);
    assert_int_equal(workers, 1);
    pliant_context *context = NULL;
    assert_int_equal(pliant_context_create((const pliant_context_def *)(void *)given, &context),
                     PLIANT_ERROR_ARGUMENT);
    char part[80];
    snprintf(part, sizeof part, "given has %zu bytes, that of this library %zu", size,
             sizeof(pliant_context_def));
    assert_non_null(strstr(pliant_last_error(), part));
    assert_null(context);
    free(given);
}

static void tags_are_checked(void **state)
{
    (void)state;
    uint32_t tag = PLIANT_TAG(0x1234, uint64_t);
    assert_int_equal(tag, 0x12340008);
    assert_ok(pliant_check_tag(tag, tag, "thing_def"));
    assert_int_equal(pliant_check_tag(tag - 4, tag, "thing_def"), PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "thing_def given has 4 bytes, that of this "
                                                "library 8"));
    assert_int_equal(pliant_check_tag(0, tag, "thing_def"), PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "thing_def_default()"));
}

static void memory_is_the_context_s(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    uint64_t before = allocator.live_bytes;
    void *memory = pliant_context_allocate(context, 1000);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % 64, 0);
    assert_int_equal(allocator.live_bytes, before + 1000);
    pliant_context_release(context, memory, 1000);
    pliant_context_release(context, NULL, 1000);
    assert_int_equal(allocator.live_bytes, before);
    allocator.fail_at = allocator.calls + 1;
    assert_null(pliant_context_allocate(context, 77));
    assert_non_null(strstr(pliant_last_error(), "no memory for 77 bytes"));
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

static void arrays_grow(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    uint64_t before = allocator.live_bytes;
    PLIANT_ARRAY(uint32_t) list = {0};
    for (uint32_t i = 0; i < 5000; i++) {
        assert_true(pliant_context_reserve_array(context, i + 1, sizeof *list.data, &list.array));
        list.data[list.count++] = i * i;
    }
    assert_int_equal((uintptr_t)list.data % 64, 0);
    assert_in_range(list.capacity, 5000, 2 * 5000);
    assert_int_equal(allocator.live_bytes, before + list.capacity * sizeof *list.data);

    /* What fails changes nothing. */
    const pliant_array kept = list.array;
    assert_false(
        pliant_context_reserve_array(context, SIZE_MAX / 2, sizeof *list.data, &list.array));
    PLIANT_ARRAY(char) bytes = {0};
    uint64_t calls = allocator.calls;
    assert_false(pliant_context_reserve_array(context, SIZE_MAX, 1, &bytes.array));
    assert_int_equal(allocator.calls, calls);
    allocator.fail_at = allocator.calls + 1;
    assert_false(
        pliant_context_reserve_array(context, kept.capacity + 1, sizeof *list.data, &list.array));
    assert_non_null(strstr(pliant_last_error(), "no memory for"));
    assert_memory_equal(&list.array, &kept, sizeof kept);
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(list.data[i], i * i);
    }
    pliant_context_release_array(context, &list.array);
    assert_null(list.data);
    assert_int_equal(list.count + list.capacity, 0);
    pliant_context_release_array(context, &list.array);
    assert_int_equal(allocator.live_bytes, before);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

/* What pieces of work saw. */
typedef struct seen_run {
    atomic_uint pieces[3000], wrong;
    uint32_t workers;
} seen_run;

static bool rounds_to_nearest(void)
{
    volatile float one = 1.0f, little = 1e-10f;
    return one + little == one && one - little == one;
}

static void see_piece(void *argument, uint32_t index, uint32_t worker)
{
    seen_run *run = argument;
    atomic_fetch_add(&run->pieces[index], 1);
    atomic_fetch_add(&run->wrong, worker >= run->workers || !rounds_to_nearest());
}

static void tasks_run_on_the_workers(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers++) {
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, workers);
        static seen_run run;
        memset(&run, 0, sizeof run);
        run.workers = pliant_context_get_worker_count(context);
        fesetround(FE_UPWARD);
        assert_false(rounds_to_nearest());
        pliant_result result = pliant_context_run(context, see_piece, &run, 3000);
        int after = fegetround();
        fesetround(FE_TONEAREST);
        assert_ok(result);
        assert_int_equal(after, FE_UPWARD);
        assert_ok(pliant_context_run(context, see_piece, &run, 0));
        assert_int_equal(atomic_load(&run.wrong), 0);
        for (uint32_t i = 0; i < 3000; i++) {
            assert_int_equal(atomic_load(&run.pieces[i]), 1);
        }
        pliant_context_destroy(context);
    }
}

static void run_all_but_one(void *user, pliant_task task, void *argument, uint32_t count)
{
    (void)user;
    for (uint32_t i = 1; i < count; i++) {
        task(argument, i, 0);
    }
}

static void schedulers_that_leave_pieces_out_are_noticed(void **state)
{
    (void)state;
    static seen_run run;
    counting_allocator allocator = {0};
    const pliant_scheduler scheduler = {.run = run_all_but_one, .worker_count = 2};
    pliant_context *context = fixture_context_of(&allocator, scheduler);
    assert_int_equal(pliant_context_run(context, see_piece, &run, 7), PLIANT_ERROR_STATE);
    assert_non_null(strstr(pliant_last_error(), "did not run piece 0"));
    pliant_context_destroy(context);
}

static void environments_are_restored(void **state)
{
    (void)state;
    const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        pliant_float_env env;
        assert_int_equal(fesetround(modes[i]), 0);
        pliant_float_env_enter(&env);
        bool inside = rounds_to_nearest() && fegetround() == FE_TONEAREST;
        pliant_float_env_leave(&env);
        int after = fegetround();
        fesetround(FE_TONEAREST);
        assert_true(inside);
        assert_int_equal(after, modes[i]);
    }
}

#ifndef PLI_DEBUG /* Debug builds stop at a context that is in use */
static void users_keep_the_context(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    assert_ok(pliant_context_join(context));
    assert_ok(pliant_context_join(context));
    pliant_context_destroy(context);
    pliant_context_leave(context);
    void *memory = pliant_context_allocate(context, 64);
    assert_non_null(memory);
    pliant_context_release(context, memory, 64);
    pliant_context_leave(context);
    assert_int_equal(allocator.live, 0);
}
#endif

static const char *said_elsewhere;

static pliant_result fail_elsewhere(pliant_result result, const char *sentence)
{
    said_elsewhere = sentence;
    return result;
}

/* The first word of a context tells which copy of the library made it. */
static void contexts_of_another_copy_are_refused(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    const pli_home **home = (const pli_home **)(void *)context, *ours = *home;
    const pli_home other = {fail_elsewhere};
    *home = &other;
    assert_int_equal(pliant_context_join(context), PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(said_elsewhere, "another copy of the library"));
    *home = ours;
    pliant_context_destroy(context); /* nobody has joined */
    assert_int_equal(allocator.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_are_copied),
        cmocka_unit_test(settings_fit_the_program),
        cmocka_unit_test(shorter_definitions_are_refused),
        cmocka_unit_test(tags_are_checked),
        cmocka_unit_test(memory_is_the_context_s),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(tasks_run_on_the_workers),
        cmocka_unit_test(schedulers_that_leave_pieces_out_are_noticed),
        cmocka_unit_test(environments_are_restored),
#ifndef PLI_DEBUG
        cmocka_unit_test(users_keep_the_context),
#endif
        cmocka_unit_test(contexts_of_another_copy_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
