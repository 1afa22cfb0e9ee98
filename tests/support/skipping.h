/*
 * Cases that cannot run here, because files, packages or devices are missing. If a case of a
 * program was skipped and none failed, the program ends with SKIPPING_STATUS, and ctest reports
 * the test as skipped. Includes cmocka.
 */
#ifndef PLIANT_TESTS_SKIPPING_H
#define PLIANT_TESTS_SKIPPING_H

#if !defined(__wasm__) /* it has none */
#include <setjmp.h>
#endif
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { SKIPPING_STATUS = 77 };

/* Skips the current case and prints what is missing. */
void skip_without(const char *missing) __attribute__((noreturn));

/* The same for files of the assets. If PLIANT_ASSETS_REQUIRED is set, the case fails instead. */
void skip_without_assets(const char *missing) __attribute__((noreturn));

/*
 * Runs cases as cmocka does and returns the exit status of the program. The environment variable
 * PLIANT_TEST_CASE selects one case by its name, or all but one by "-" and its name.
 */
int skipping_run(const struct CMUnitTest *tests, size_t count, int (*set_up)(void **state),
                 int (*tear_down)(void **state));

#undef skip /* it would not be counted */
#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, set_up, tear_down)                                           \
    skipping_run(tests, sizeof(tests) / sizeof(tests)[0], set_up, tear_down)

#endif
