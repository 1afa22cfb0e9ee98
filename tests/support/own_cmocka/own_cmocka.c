#include "cmocka.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PASSED, FAILED, SKIPPED };

static const char *filter;

/* WebAssembly cannot jump out of functions: there a test that does not pass ends the program. */
#if defined(__wasm__)
static _Noreturn void leave(int outcome)
{
    exit(outcome == FAILED ? 1 : 77);
}

static int run_here(const struct CMUnitTest *test, void **state)
{
    test->run(state);
    return PASSED;
}
#else
#include <setjmp.h>

static _Thread_local jmp_buf *way_out; /* of the test that this thread runs */

static _Noreturn void leave(int outcome)
{
    if (way_out == NULL) { /* a thread that a test started */
        exit(1);
    }
    longjmp(*way_out, outcome);
}

static int run_here(const struct CMUnitTest *test, void **state)
{
    jmp_buf here;
    int outcome = setjmp(here);
    if (outcome == PASSED) {
        way_out = &here;
        test->run(state);
    }
    way_out = NULL;
    return outcome;
}
#endif

static int run_one(const struct CMUnitTest *test, void *state)
{
    static const char *const words[] = {"OK", "FAILED", "SKIPPED"};
    if (test->setup != NULL && test->setup(&state) != 0) {
        return FAILED;
    }
    int outcome = run_here(test, &state);
    if (test->teardown != NULL && test->teardown(&state) != 0) {
        outcome = FAILED;
    }
    printf("%s: %s\n", words[outcome], test->name);
    fflush(stdout);
    return outcome;
}

int own_cmocka_run(const struct CMUnitTest *tests, size_t count, int (*setup)(void **state),
                   int (*teardown)(void **state))
{
    void *state = NULL;
    int failures = setup != NULL && setup(&state) != 0;
    for (size_t i = 0; failures == 0 && i < count; i++) {
        if (filter == NULL || strcmp(filter, tests[i].name) == 0) {
            failures += run_one(&tests[i], state) == FAILED;
        }
    }
    failures += teardown != NULL && teardown(&state) != 0;
    return failures;
}

void cmocka_set_test_filter(const char *pattern)
{
    filter = pattern;
}

static void print_line(FILE *file, const char *format, va_list arguments)
{
    vfprintf(file, format, arguments);
    fflush(file);
}

void print_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(stdout, format, arguments);
    va_end(arguments);
}

void print_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(stderr, format, arguments);
    va_end(arguments);
}

void own_cmocka_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s:%d: ", file, line);
    va_start(arguments, format);
    print_line(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    leave(FAILED);
}

void own_cmocka_skip(void)
{
    leave(SKIPPED);
}

void own_cmocka_compare(uintmax_t a, uintmax_t b, int equal, const char *what, const char *file,
                        int line)
{
    if ((a == b) != (equal != 0)) {
        own_cmocka_fail(file, line, "%s: 0x%" PRIxMAX ", 0x%" PRIxMAX, what, a, b);
    }
}

void own_cmocka_compare_memory(const void *a, const void *b, size_t size, int equal,
                               const char *what, const char *file, int line)
{
    if ((size == 0 || memcmp(a, b, size) == 0) != (equal != 0)) {
        own_cmocka_fail(file, line, "%s", what);
    }
}

void own_cmocka_compare_text(const char *a, const char *b, const char *file, int line)
{
    if (strcmp(a, b) != 0) {
        own_cmocka_fail(file, line, "\"%s\" is not \"%s\"", a, b);
    }
}
