/* Names that fit patterns, against the system's own fnmatch(). */
#include "fixture.h"

#include "random.h"
#include "tool/check/check.h"

#include <fnmatch.h>

static void some_fit_and_others_do_not(void **state)
{
    (void)state;
    assert_true(check_name_fits("Sword_*", "Sword_left"));
    assert_true(check_name_fits("*", ""));
    assert_true(check_name_fits("a\\*b", "a*b"));
    assert_true(check_name_fits("[!a-c]?", "dx"));
    assert_true(check_name_fits("[", "["));
    assert_false(check_name_fits("a\\*b", "axb"));
    assert_false(check_name_fits("[!a-c]?", "bx"));
    assert_false(check_name_fits("", "a"));
    assert_false(check_name_fits("Sword", "Sword_left"));
}

static void fill(rng *r, const char *letters, uint32_t letter_count, char *text)
{
    uint32_t length = (uint32_t)rng_below(r, 8);
    for (uint32_t i = 0; i < length; i++) {
        text[i] = letters[rng_below(r, letter_count)];
    }
    text[length] = '\0';
}

static void fnmatch_says_the_same(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 1);
    uint32_t fitting = 0;
    for (uint64_t i = 0; i < fixture_count(200000); i++) {
        char pattern[9], name[9];
        fill(&r, "ab*?[]!", 7, pattern);
        fill(&r, "ab[]!", 5, name);
        bool expected = fnmatch(pattern, name, 0) == 0;
        fitting += expected;
        if (check_name_fits(pattern, name) != expected) {
            fail_msg("'%s' %s '%s'", name, expected ? "fits" : "does not fit", pattern);
        }
    }
    assert_true(fitting > fixture_count(200000) / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_fit_and_others_do_not),
        cmocka_unit_test(fnmatch_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
