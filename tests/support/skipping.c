#if !defined(__wasm__)
#include <setjmp.h>
#endif
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* before skipping.h, which takes its skip() away */

static void skip_case(void)
{
    skip();
}

#ifdef PLIANT_TESTS_OWN_CMOCKA_H
#define run_group own_cmocka_run
#else
static int run_group(const struct CMUnitTest *tests, size_t count, int (*set_up)(void **state),
                     int (*tear_down)(void **state))
{
    return _cmocka_run_group_tests("tests", tests, count, set_up, tear_down);
}
#endif

#include "skipping.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static unsigned skipped;

void skip_without(const char *missing)
{
    print_message("  skipped without %s\n", missing);
    skipped++;
    skip_case();
    abort();
}

void skip_without_assets(const char *missing)
{
    if (getenv("PLIANT_ASSETS_REQUIRED") != NULL) {
        fail_msg("PLIANT_ASSETS_REQUIRED is set, and PLIANT_ASSETS lacks %s", missing);
        abort();
    }
    skip_without(missing);
}

/* Returns true if PLIANT_TEST_CASE selects the case. */
static bool is_selected(const char *name)
{
    const char *selected = getenv("PLIANT_TEST_CASE");
    if (selected == NULL) {
        return true;
    }
    return selected[0] == '-' ? strcmp(selected + 1, name) != 0 : strcmp(selected, name) == 0;
}

int skipping_run(const struct CMUnitTest *tests, size_t count, int (*set_up)(void **state),
                 int (*tear_down)(void **state))
{
    size_t chosen = 0;
    struct CMUnitTest *list = malloc(count * sizeof *list);
    for (size_t i = 0; list != NULL && i < count; i++) {
        if (is_selected(tests[i].name)) {
            list[chosen++] = tests[i];
        }
    }
    if (chosen == 0) {
        print_error("there is no case %s\n", getenv("PLIANT_TEST_CASE"));
        free(list);
        return 1;
    }
    int failures = run_group(list, chosen, set_up, tear_down);
    free(list);
    return failures == 0 && skipped > 0 ? SKIPPING_STATUS : failures;
}
