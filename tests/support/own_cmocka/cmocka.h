/*
 * As much of cmocka as the tests here use, for machines that it is not packaged for
 * (PLIANT_WITH_CMOCKA=OWN). The names are cmocka's. Values are compared as it compares them: as
 * integers of the widest kind.
 */
#ifndef PLIANT_TESTS_OWN_CMOCKA_H
#define PLIANT_TESTS_OWN_CMOCKA_H

#include <stddef.h>
#include <stdint.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
    int (*setup)(void **state), (*teardown)(void **state);
};

#define cmocka_unit_test(f)                                                                        \
    {                                                                                              \
#f, f, NULL, NULL                                                                          \
    }
#define cmocka_unit_test_setup_teardown(f, before, after)                                          \
    {                                                                                              \
#f, f, before, after                                                                       \
    }
#define cmocka_unit_test_teardown(f, after)                                                        \
    {                                                                                              \
#f, f, NULL, after                                                                         \
    }
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    own_cmocka_run(tests, sizeof(tests) / sizeof(tests)[0], setup, teardown)

int own_cmocka_run(const struct CMUnitTest *tests, size_t count, int (*setup)(void **state),
                   int (*teardown)(void **state));
void cmocka_set_test_filter(const char *pattern);

/* Ends the test that is under way. */
void own_cmocka_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4))) __attribute__((noreturn));
void own_cmocka_skip(void) __attribute__((noreturn));
void print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

void own_cmocka_compare(uintmax_t a, uintmax_t b, int equal, const char *what, const char *file,
                        int line);
void own_cmocka_compare_memory(const void *a, const void *b, size_t size, int equal,
                               const char *what, const char *file, int line);
void own_cmocka_compare_text(const char *a, const char *b, const char *file, int line);

#define own_cmocka_number(x)  ((uintmax_t)(x))
#define own_cmocka_pointer(x) ((uintmax_t)(uintptr_t)(x))

#define fail_msg(...)         own_cmocka_fail(__FILE__, __LINE__, __VA_ARGS__)
#define fail()                own_cmocka_fail(__FILE__, __LINE__, "%s", "failed")
#define skip()                own_cmocka_skip()
#define assert_true(x)        own_cmocka_compare(!(x), 0, 1, #x, __FILE__, __LINE__)
#define assert_false(x)       own_cmocka_compare(!(x), 1, 1, "not " #x, __FILE__, __LINE__)
#define assert_non_null(x)    assert_true((x) != NULL)
#define assert_null(x)        assert_true((x) == NULL)
#define assert_int_equal(a, b)                                                                     \
    own_cmocka_compare(own_cmocka_number(a), own_cmocka_number(b), 1, #a " == " #b, __FILE__,      \
                       __LINE__)
#define assert_int_not_equal(a, b)                                                                 \
    own_cmocka_compare(own_cmocka_number(a), own_cmocka_number(b), 0, #a " != " #b, __FILE__,      \
                       __LINE__)
#define assert_ptr_equal(a, b)                                                                     \
    own_cmocka_compare(own_cmocka_pointer(a), own_cmocka_pointer(b), 1, #a " == " #b, __FILE__,    \
                       __LINE__)
#define assert_ptr_not_equal(a, b)                                                                 \
    own_cmocka_compare(own_cmocka_pointer(a), own_cmocka_pointer(b), 0, #a " != " #b, __FILE__,    \
                       __LINE__)
#define assert_in_range(x, low, high)                                                              \
    assert_true((uintmax_t)(x) >= (uintmax_t)(low) && (uintmax_t)(x) <= (uintmax_t)(high))
#define assert_string_equal(a, b) own_cmocka_compare_text(a, b, __FILE__, __LINE__)
#define assert_memory_equal(a, b, size)                                                            \
    own_cmocka_compare_memory(a, b, size, 1, #a " and " #b " are the same", __FILE__, __LINE__)
#define assert_memory_not_equal(a, b, size)                                                        \
    own_cmocka_compare_memory(a, b, size, 0, #a " and " #b " differ", __FILE__, __LINE__)

#endif
