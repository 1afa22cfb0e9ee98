/* A program whose arguments name its cases, for skipping_test.sh. */
#include "skipping.h"

#include <stdlib.h>
#include <string.h>

static void passes(void **state)
{
    (void)state;
}

static void fails(void **state)
{
    (void)state;
    assert_true(0);
}

static void lacks_a_package(void **state)
{
    (void)state;
    skip_without("a package");
}

static void lacks_assets(void **state)
{
    (void)state;
    skip_without_assets("a file");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest known[] = {cmocka_unit_test(passes), cmocka_unit_test(fails),
                                       cmocka_unit_test(lacks_a_package),
                                       cmocka_unit_test(lacks_assets)};
    struct CMUnitTest tests[8];
    size_t count = 0;
    for (int i = 1; i < argc && i <= 8; i++) {
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
            if (strcmp(argv[i], known[k].name) == 0) {
                tests[count++] = known[k];
            }
        }
    }
    return count > 0 ? skipping_run(tests, count, NULL, NULL) : 2;
}
