/* Answers about small bodies, whatever their numbers are: brute force's, and found with little
 * work. */
#ifndef PLIANT_TESTS_ANSWER_CHECKS_H
#define PLIANT_TESTS_ANSWER_CHECKS_H

#include "fixture.h"

/* More pairs of nodes than any two small bodies have. */
enum { CHECK_MOST_WORK = 1000000 };

/* For pliant_visit_bounds(), with a uint32_t that counts: fails unless the box is finite. */
bool bound_is_finite(void *user, const pliant_bound *bound);

/* Fails unless the pairs of two bodies, either way round, are those of brute force. */
void check_pairs(pliant_query *query, pliant_body *a, const brute_body *truth_a, pliant_body *b,
                 const brute_body *truth_b);

/* The same of one body with itself; of a welded one only that the question is answered. */
void check_self(pliant_query *query, pliant_body *a, const brute_body *truth_a, bool welded);

#endif
