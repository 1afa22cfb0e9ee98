/* Polynomials of degree 3 at most with rational coefficients (GMP), for oracles. */
#ifndef PLIANT_TESTS_RATIONAL_POLYNOMIAL_H
#define PLIANT_TESTS_RATIONAL_POLYNOMIAL_H

#include <gmp.h>

typedef struct poly {
    mpq_t c[4];
    int degree; /* -1: 0 */
} poly;

void poly_init(poly *p);

void poly_clear(poly *p);

void poly_trim(poly *p);

/* r = a b, of degree 3 at most. */
void poly_multiply(poly *r, const poly *a, const poly *b);

void poly_add(poly *r, const poly *a, const poly *b, int sign);

/* r is the monic greatest common divisor; one of a and b is not 0. */
void poly_gcd(poly *r, const poly *a, const poly *b);

int poly_sign(const poly *p, const mpq_t t);

/* p without its multiple roots. */
void poly_square_free(poly *r, const poly *p);

/* Bernstein coefficients of p over [low, high], as many as its degree and one more; returns the
   number of their sign changes, and in *one_sign the sign if all have the same, else 0. */
int poly_bernstein_changes(const poly *p, const mpq_t low, const mpq_t high, int *one_sign);

#endif
