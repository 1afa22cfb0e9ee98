/* Moving points to try the tests of moving features with: families from general position to every
   kind of degeneracy. */
#ifndef PLIANT_TESTS_MOVING_CASES_H
#define PLIANT_TESTS_MOVING_CASES_H

#include "random.h"

enum { MOVING_FAMILIES = 13, MOVING_MOST_POINTS = 6 };

/* What a family is about. */
const char *moving_family_name(int family);

/* Fills `count` points, x[i][0] and x[i][1] at both ends of the step. */
void moving_case(int family, rng *r, int count, float x[][2][3]);

#endif
