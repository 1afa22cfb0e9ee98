/*
 * What libraries beside the core are made with (pliant/extend.h): sentences, settings of programs
 * that know another size, memory, and objects that keep their context.
 */
#include "fixture.h"

#include "base/context.h"
#include "pliant/extend.h"

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
#ifndef PLI_DEBUG
        cmocka_unit_test(users_keep_the_context),
#endif
        cmocka_unit_test(contexts_of_another_copy_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
