/* Small linear programs over the integers (GMP), for the oracle. */
#ifndef PLIANT_TESTS_LINEAR_PROGRAM_H
#define PLIANT_TESTS_LINEAR_PROGRAM_H

#include <gmp.h>
#include <stdbool.h>

#define LP_MAX_ROWS    5
#define LP_MAX_COLUMNS 6

/*
 * A linear program: x >= 0 with A x = b, in the simplex tableau of its basis. All entries carry the
 * common denominator `scale`, which is the latest pivot, so they stay integers (determinants of the
 * input) and divisions are exact. Column `columns` is the right-hand side, row `rows` the
 * objective. Artificial variables start in the basis as -1 and never come back.
 */
typedef struct linear_program {
    int rows, columns;
    int basis[LP_MAX_ROWS];
    mpz_t entry[LP_MAX_ROWS + 1][LP_MAX_COLUMNS + 1];
    mpz_t scale;
    mpz_t cost[LP_MAX_COLUMNS];
    mpz_t value;       /* of the latest maximum, times `scale` */
    mpz_t left, right; /* for whatever is worked out on the way */
} linear_program;

void lp_init(linear_program *lp);
void lp_clear(linear_program *lp);

/* Whether A x = b has a solution x >= 0: the artificial variables can be brought to a sum of 0. */
bool lp_feasible(linear_program *lp);

/* After lp_feasible(): replaces artificial variables, which are 0, by others; drops rows that say
   0 = 0. */
void lp_drop_artificials(linear_program *lp);

/* Maximises the sum of cost x from a feasible basis without artificials. The maximum is then
   value / scale. */
void lp_maximise(linear_program *lp);
bool lp_maximum_is_positive(linear_program *lp);

void lp_negate_costs(linear_program *lp);

#endif
