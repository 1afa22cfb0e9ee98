/*
 * Exact questions about the real roots of polynomials of degree 3 at most, whose coefficients are
 * wide integers: how many there are, how two of them lie to each other, and the sign that one
 * polynomial has at a root of another. Nothing is iterated, so the work is bounded.
 *
 * Based on: Sturm's theorem (1829). The chain of a polynomial f without multiple roots is f, f' and
 * then negated remainders. With V(x) the number of sign changes along the chain at x, zeros left
 * out, V(a) - V(b) is the number of roots in (a, b].
 *
 * A root of a polynomial g of degree 2 is (-B +- sqrt D) / 2A. There every polynomial has the value
 * of its remainder by g, which is linear, hence P + Q sqrt D up to a positive factor: its sign
 * follows from those of P, Q and P^2 - Q^2 D. So the roots of f and those of g can be put in order,
 * and that tells the sign of g at each root of f. A cubic is first replaced by its remainder by f.
 *
 * Widths. A coordinate difference has 278 bits, and a coefficient of the cubic of coplanarity is a
 * sum of at most 18 products of three: fewer than 840. The chain's linear member has 1,693. The
 * remainder of one cubic by another is a quadratic of 1,693 bits; reducing a cubic by that takes
 * two steps of 1,693 bits each, to 4,233, then P has 5,928 and P^2 11,856: the widest of all.
 */
#ifndef PLI_GEOMETRY_ROOT_H
#define PLI_GEOMETRY_ROOT_H

#include <stdbool.h>

#include "wide.h"

enum { PLI_MOST_ROOTS = 3 };

typedef struct pli_polynomial {
    int degree;    /* -1: it is 0 */
    pli_wide c[4]; /* of 1, t, t^2, t^3; those above the degree are void */
} pli_polynomial;

/* A fraction; the denominator is positive, or 0 with a positive numerator: beyond all numbers. */
typedef struct pli_fraction {
    pli_wide numerator, denominator;
} pli_fraction;

/*
 * The distinct real roots of a polynomial that is not 0, ascending. They are fractions where its
 * degree is 1 or it has a multiple root; else it is kept with its Sturm chain.
 */
typedef struct pli_roots {
    int count;
    bool fractions; /* the roots are `fraction` */
    bool swapped;   /* the lower root is fraction[1] */
    pli_fraction fraction[2];
    pli_polynomial f;   /* degree 2 or 3, of positive leading coefficient */
    pli_wide linear[2]; /* degree 3: the chain's third member, linear[0] + linear[1] t */
    int last;           /* the sign of the chain's last member, a number */
} pli_roots;

/* Sets the degree to that of the highest coefficient that is not 0, looking from `degree` down. */
void pli_polynomial_trim(pli_polynomial *p, int degree);

/* `p` is not 0. */
void pli_roots_find(pli_roots *roots, const pli_polynomial *p);

/* One root, beyond all numbers. It can be compared. */
void pli_roots_set_infinite(pli_roots *roots);

/* The number of roots below x, and of those that are at most x. */
int pli_roots_before(const pli_roots *roots, const pli_fraction *x);
int pli_roots_up_to(const pli_roots *roots, const pli_fraction *x);

/* The sign of a polynomial of any degree at a root, and at a fraction. */
int pli_sign_at_root(const pli_polynomial *g, const pli_roots *roots, int root);
int pli_sign_at_fraction(const pli_polynomial *g, const pli_fraction *x);

/* The sign of root - x, and of a - b. */
int pli_root_compare_fraction(const pli_roots *roots, int root, const pli_fraction *x);
int pli_root_compare(const pli_roots *a, int root_a, const pli_roots *b, int root_b);

#endif
