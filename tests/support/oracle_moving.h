/*
 * Whether two moving features meet (definition D9), by another way than the library's: roots are
 * isolated by bisection in rational numbers (GMP) and signs there found by halving the interval
 * until they show, however many bits that takes. Coordinates may be any rational numbers.
 */
#ifndef PLIANT_TESTS_ORACLE_MOVING_H
#define PLIANT_TESTS_ORACLE_MOVING_H

#include <gmp.h>
#include <stdbool.h>

typedef struct oracle_moving {
    mpq_t x[4][2][3]; /* point, end of the step, axis */
    bool edges;       /* points 0 and 1 are an edge, 2 and 3 another; else a vertex and a face */
    mpq_t low, high;  /* around the first time of contact; equal where that is rational */
} oracle_moving;

void oracle_moving_init(oracle_moving *m);
void oracle_moving_clear(oracle_moving *m);

void oracle_moving_set(oracle_moving *m, const float x[4][2][3], bool edges);

bool oracle_moving_meet(oracle_moving *m);

/* After they met: whether the first time of contact is in [low, high]. */
bool oracle_moving_time_is_in(const oracle_moving *m, double low, double high);

/* The sign of one's first time minus another's; 0 where they are closer than 2^-290. */
int oracle_moving_compare(const oracle_moving *a, const oracle_moving *b);

#endif
