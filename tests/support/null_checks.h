/*
 * Macros for null_calls.inc, which interface/generate writes for each library: it calls every
 * public function with NULL for all of its pointers.
 */
#ifndef PLIANT_TESTS_NULL_CHECKS_H
#define PLIANT_TESTS_NULL_CHECKS_H

#include "fixture.h"

#define FAILS(function, type, ...)   null_check_fails(#function, function(__VA_ARGS__));
#define IGNORED(function, type, ...) function(__VA_ARGS__);
#define NUMBER(function, type, ...)  null_check_zero(#function, function(__VA_ARGS__) == (type)0);
#define POINTER(function, type, ...) null_check_zero(#function, function(__VA_ARGS__) == NULL);
#define STRUCT(function, type, zero, ...)                                                          \
    {                                                                                              \
        type given = function(__VA_ARGS__);                                                        \
        null_check_zero(#function, zero);                                                          \
    }

static int null_calls, null_mistakes;

static inline void null_check_fails(const char *function, pliant_result result)
{
    null_calls++;
    if (result != PLIANT_ERROR_ARGUMENT) {
        print_error("%s: %s instead of PLIANT_ERROR_ARGUMENT\n", function,
                    pliant_result_get_name(result));
        null_mistakes++;
    }
}

static inline void null_check_zero(const char *function, bool good)
{
    null_calls++;
    if (!good) {
        print_error("%s: not 0, false or NULL\n", function);
        null_mistakes++;
    }
}

/* Asserts that more than `least` functions were called, and that all did as they should. */
static inline void null_check_end(int least)
{
    assert_true(null_calls > least);
    assert_int_equal(null_mistakes, 0);
}

#endif
