#include "answer_checks.h"

#include <math.h>

bool bound_is_finite(void *user, const pliant_bound *bound)
{
    uint32_t *count = user;
    for (int k = 0; k < 3; k++) {
        assert_true(isfinite(bound->box.lower[k]) && isfinite(bound->box.upper[k]));
        assert_true(bound->box.lower[k] <= bound->box.upper[k]);
    }
    ++*count;
    return true;
}

void check_pairs(pliant_query *query, pliant_body *a, const brute_body *truth_a, pliant_body *b,
                 const brute_body *truth_b)
{
    brute_pairs truth = {0};
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.budget_nodes = CHECK_MOST_WORK;
    brute_collide(truth_a, truth_b, &truth);
    assert_ok(pliant_collide(query, a, b, &options, &contacts));
    assert_true(contacts.complete && brute_equal(&truth, &contacts, "two bodies"));
    assert_ok(pliant_collide(query, b, a, &options, &contacts));
    assert_true(contacts.complete && contacts.count == truth.count);
    brute_free(&truth);
}

void check_self(pliant_query *query, pliant_body *a, const brute_body *truth_a, bool welded)
{
    brute_pairs truth = {0};
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.budget_nodes = CHECK_MOST_WORK;
    assert_ok(pliant_collide_self(query, a, &options, &contacts));
    assert_true(contacts.complete);
    if (!welded) {
        brute_collide_self(truth_a, NULL, options.neighbours, &truth);
        assert_true(brute_equal(&truth, &contacts, "one body"));
    }
    brute_free(&truth);
}
