/*
 * Whether two moving features stay farther apart than a distance (definition D15), by another way
 * than the library's: seen from one of them the other is a polygon, and every corner, side and face
 * of it gives a polynomial of time that is negative where the origin is too close, and others that
 * tell whether its closest point lies there. Integers (GMP) and halving; directions play no role.
 */
#ifndef PLIANT_TESTS_ORACLE_APPROACH_H
#define PLIANT_TESTS_ORACLE_APPROACH_H

#include <stdbool.h>

/* Points as in oracle_moving.h. Whether they are farther apart than d at all times from 0 to
   `until`; false too where that takes more than 2^-80 of the step to show. */
bool oracle_stay_beyond(const float x[4][2][3], bool edges, double d, double until);

/* Whether they are at most d (1 + 2^-20) + 2^-44 spread apart at a time. */
bool oracle_is_near(const float x[4][2][3], bool edges, double d, double spread, double time);

#endif
