#include "linear_program.h"

#include <stdlib.h>

static void for_each_number(linear_program *lp, void (*act)(mpz_t))
{
    for (int i = 0; i <= LP_MAX_ROWS; ++i) {
        for (int j = 0; j <= LP_MAX_COLUMNS; ++j) {
            act(lp->entry[i][j]);
        }
    }
    for (int j = 0; j < LP_MAX_COLUMNS; ++j) {
        act(lp->cost[j]);
    }
    act(lp->scale);
    act(lp->value);
    act(lp->left);
    act(lp->right);
}

static void number_init(mpz_t x)
{
    mpz_init(x);
}

static void number_clear(mpz_t x)
{
    mpz_clear(x);
}

void lp_init(linear_program *lp)
{
    for_each_number(lp, number_init);
}

void lp_clear(linear_program *lp)
{
    for_each_number(lp, number_clear);
}

/* Pivots on row r and column c; the entry there is positive. */
static void pivot(linear_program *lp, int r, int c)
{
    mpz_t *row = lp->entry[r];
    for (int i = 0; i <= lp->rows; ++i) {
        mpz_t *other = lp->entry[i];
        if (i == r) {
            continue;
        }
        for (int j = 0; j <= lp->columns; ++j) {
            if (j != c) {
                mpz_mul(lp->left, other[j], row[c]);
                mpz_submul(lp->left, other[c], row[j]);
                mpz_divexact(other[j], lp->left, lp->scale);
            }
        }
        mpz_set_ui(other[c], 0);
    }
    mpz_set(lp->scale, row[c]);
    lp->basis[r] = c;
}

/* The row that limits column c: the smallest ratio, ties to the smallest variable (Bland), so that
   the method cannot cycle. -1 when nothing limits it. */
static int limiting_row(linear_program *lp, int c)
{
    int best = -1;
    for (int i = 0; i < lp->rows; ++i) {
        if (mpz_sgn(lp->entry[i][c]) <= 0) {
            continue;
        }
        int order = -1;
        if (best >= 0) {
            mpz_mul(lp->left, lp->entry[i][lp->columns], lp->entry[best][c]);
            mpz_mul(lp->right, lp->entry[best][lp->columns], lp->entry[i][c]);
            order = mpz_cmp(lp->left, lp->right);
        }
        if (order < 0 || (order == 0 && lp->basis[i] < lp->basis[best])) {
            best = i;
        }
    }
    return best;
}

/* Improves the objective, whose row holds what each variable would gain, until nothing does or
   `enough` says so. */
static void climb(linear_program *lp, bool (*enough)(linear_program *))
{
    for (;;) {
        int c = 0;
        while (c < lp->columns && mpz_sgn(lp->entry[lp->rows][c]) <= 0) {
            ++c;
        }
        if (c == lp->columns || (enough != NULL && enough(lp))) {
            return;
        }
        int r = limiting_row(lp, c);
        if (r < 0) {
            abort(); /* our programs are bounded */
        }
        pivot(lp, r, c);
    }
}

static void negate_row(linear_program *lp, int i)
{
    for (int j = 0; j <= lp->columns; ++j) {
        mpz_neg(lp->entry[i][j], lp->entry[i][j]);
    }
}

static bool reached_zero(linear_program *lp)
{
    return mpz_sgn(lp->entry[lp->rows][lp->columns]) == 0;
}

bool lp_feasible(linear_program *lp)
{
    mpz_set_ui(lp->scale, 1);
    for (int j = 0; j <= lp->columns; ++j) {
        mpz_set_ui(lp->entry[lp->rows][j], 0);
    }
    for (int i = 0; i < lp->rows; ++i) {
        lp->basis[i] = -1;
        if (mpz_sgn(lp->entry[i][lp->columns]) < 0) {
            negate_row(lp, i);
        }
        for (int j = 0; j <= lp->columns; ++j) {
            mpz_add(lp->entry[lp->rows][j], lp->entry[lp->rows][j], lp->entry[i][j]);
        }
    }
    climb(lp, reached_zero);
    return reached_zero(lp);
}

static void remove_row(linear_program *lp, int r)
{
    --lp->rows;
    lp->basis[r] = lp->basis[lp->rows];
    for (int j = 0; j <= lp->columns; ++j) {
        mpz_set(lp->entry[r][j], lp->entry[lp->rows][j]);
        mpz_set(lp->entry[lp->rows][j], lp->entry[lp->rows + 1][j]);
    }
}

void lp_drop_artificials(linear_program *lp)
{
    for (int i = lp->rows - 1; i >= 0; --i) {
        if (lp->basis[i] >= 0) {
            continue;
        }
        int c = 0;
        while (c < lp->columns && mpz_sgn(lp->entry[i][c]) == 0) {
            ++c;
        }
        if (c == lp->columns) {
            remove_row(lp, i);
            continue;
        }
        if (mpz_sgn(lp->entry[i][c]) < 0) {
            negate_row(lp, i);
        }
        pivot(lp, i, c);
    }
}

void lp_maximise(linear_program *lp)
{
    mpz_t *objective = lp->entry[lp->rows];
    for (int j = 0; j <= lp->columns; ++j) {
        if (j < lp->columns) {
            mpz_mul(objective[j], lp->cost[j], lp->scale);
        } else {
            mpz_set_ui(objective[j], 0);
        }
        for (int i = 0; i < lp->rows; ++i) {
            mpz_submul(objective[j], lp->cost[lp->basis[i]], lp->entry[i][j]);
        }
    }
    climb(lp, NULL);
    mpz_neg(lp->value, objective[lp->columns]);
}

bool lp_maximum_is_positive(linear_program *lp)
{
    lp_maximise(lp);
    return mpz_sgn(lp->value) > 0;
}

void lp_negate_costs(linear_program *lp)
{
    for (int j = 0; j < LP_MAX_COLUMNS; ++j) {
        mpz_neg(lp->cost[j], lp->cost[j]);
    }
}
