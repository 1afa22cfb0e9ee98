/* Queries of bodies equal brute force, with random settings. */
#include "brute_queries.h"

static bool result_is_wrong(const table_world *w, void *user, table_failure *failure)
{
    uint64_t *compared = user;
    rng r;
    rng_seed(&r, w->seed * 7919 + 1);
    table_settings settings = failure->found ? failure->settings[0] : table_settings_random(&r);
    static table_life l;
    bool wrong = false;
    table_life_begin(&l, w, &settings);
    for (uint32_t i = 0; i < w->event_count && !wrong; i++) {
        if (table_life_do(&l, i)) {
            brute_verdict verdict = brute_check(&l, &w->events[i], failure->text);
            *compared += verdict == BRUTE_EQUAL;
            wrong = verdict == BRUTE_DIFFERS;
            failure->event = i;
        }
    }
    table_life_end(&l);
    failure->settings[0] = failure->settings[1] = settings;
    failure->found = wrong;
    return wrong;
}

static void results_equal_brute_force(void **state)
{
    (void)state;
    uint64_t compared = 0;
    table_try(1000, result_is_wrong, &compared);
    assert_true(compared > 0);
    print_message("%llu results compared\n", (unsigned long long)compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_equal_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
