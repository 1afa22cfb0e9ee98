#include "rational_polynomial.h"

#include <stddef.h>

void poly_init(poly *p)
{
    for (int i = 0; i < 4; i++) {
        mpq_init(p->c[i]);
    }
    p->degree = -1;
}

void poly_clear(poly *p)
{
    for (int i = 0; i < 4; i++) {
        mpq_clear(p->c[i]);
    }
}

void poly_trim(poly *p)
{
    p->degree = 3;
    while (p->degree >= 0 && mpq_sgn(p->c[p->degree]) == 0) {
        p->degree--;
    }
}

static void poly_copy(poly *r, const poly *p)
{
    for (int i = 0; i < 4; i++) {
        mpq_set(r->c[i], p->c[i]);
    }
    r->degree = p->degree;
}

void poly_multiply(poly *r, const poly *a, const poly *b)
{
    mpq_t product;
    mpq_init(product);
    poly sum;
    poly_init(&sum);
    for (int i = 0; i <= a->degree; i++) {
        for (int j = 0; j <= b->degree; j++) {
            mpq_mul(product, a->c[i], b->c[j]);
            mpq_add(sum.c[i + j], sum.c[i + j], product);
        }
    }
    poly_trim(&sum);
    poly_copy(r, &sum);
    poly_clear(&sum);
    mpq_clear(product);
}

void poly_add(poly *r, const poly *a, const poly *b, int sign)
{
    for (int i = 0; i < 4; i++) {
        if (sign > 0) {
            mpq_add(r->c[i], a->c[i], b->c[i]);
        } else {
            mpq_sub(r->c[i], a->c[i], b->c[i]);
        }
    }
    poly_trim(r);
}

/* Divides by the leading coefficient. */
static void poly_make_monic(poly *p)
{
    mpq_t leading;
    mpq_init(leading);
    mpq_set(leading, p->c[p->degree]);
    for (int i = 0; i <= p->degree; i++) {
        mpq_div(p->c[i], p->c[i], leading);
    }
    mpq_clear(leading);
}

/* a becomes its remainder by the monic b; the quotient goes to q unless that is NULL. */
static void poly_divide(poly *a, const poly *b, poly *q)
{
    mpq_t product, factor;
    mpq_inits(product, factor, NULL);
    while (a->degree >= b->degree) {
        int shift = a->degree - b->degree;
        mpq_set(factor, a->c[a->degree]);
        if (q != NULL) {
            mpq_set(q->c[shift], factor);
        }
        for (int i = 0; i <= b->degree; i++) {
            mpq_mul(product, factor, b->c[i]);
            mpq_sub(a->c[i + shift], a->c[i + shift], product);
        }
        poly_trim(a);
    }
    mpq_clears(product, factor, NULL);
}

void poly_gcd(poly *r, const poly *a, const poly *b)
{
    poly other;
    poly_init(&other);
    poly_copy(r, a);
    poly_copy(&other, b);
    while (other.degree >= 0) {
        poly_make_monic(&other);
        poly_divide(r, &other, NULL);
        poly swapped = *r;
        *r = other;
        other = swapped;
    }
    poly_make_monic(r);
    poly_clear(&other);
}

int poly_sign(const poly *p, const mpq_t t)
{
    mpq_t value;
    mpq_init(value);
    for (int i = p->degree; i >= 0; i--) {
        mpq_mul(value, value, t);
        mpq_add(value, value, p->c[i]);
    }
    int sign = mpq_sgn(value);
    mpq_clear(value);
    return sign;
}

void poly_square_free(poly *r, const poly *p)
{
    poly derivative, common, rest;
    poly_init(&derivative);
    poly_init(&common);
    poly_init(&rest);
    for (int i = 1; i <= p->degree; i++) {
        mpq_t factor;
        mpq_init(factor);
        mpq_set_si(factor, i, 1);
        mpq_mul(derivative.c[i - 1], p->c[i], factor);
        mpq_clear(factor);
    }
    poly_trim(&derivative);
    poly_gcd(&common, p, &derivative);
    poly_copy(&rest, p);
    for (int i = 0; i < 4; i++) {
        mpq_set_si(r->c[i], 0, 1);
    }
    poly_divide(&rest, &common, r);
    poly_trim(r);
    poly_clear(&derivative);
    poly_clear(&common);
    poly_clear(&rest);
}

int poly_bernstein_changes(const poly *p, const mpq_t low, const mpq_t high, int *one_sign)
{
    static const int choose[4][4] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};
    mpq_t shifted[4], width, product;
    mpq_inits(shifted[0], shifted[1], shifted[2], shifted[3], width, product, NULL);
    mpq_sub(width, high, low);
    for (int i = 0; i <= p->degree; i++) { /* p(low + width s) by Horner's rule */
        for (int j = p->degree; j > 0; j--) {
            mpq_mul(product, shifted[j], low);
            mpq_mul(shifted[j], shifted[j - 1], width);
            mpq_add(shifted[j], shifted[j], product);
        }
        mpq_mul(shifted[0], shifted[0], low);
        mpq_add(shifted[0], shifted[0], p->c[p->degree - i]);
    }
    int changes = 0, before = 0, zeros = 0;
    for (int k = 0; k <= p->degree; k++) {
        mpq_t sum, ratio;
        mpq_inits(sum, ratio, NULL);
        for (int i = 0; i <= k; i++) {
            mpq_set_si(ratio, choose[k][i], choose[p->degree][i]);
            mpq_canonicalize(ratio);
            mpq_mul(ratio, ratio, shifted[i]);
            mpq_add(sum, sum, ratio);
        }
        int sign = mpq_sgn(sum);
        changes += sign != 0 && sign == -before;
        before = sign != 0 ? sign : before;
        zeros += sign == 0;
        mpq_clears(sum, ratio, NULL);
    }
    *one_sign = zeros == 0 && changes == 0 ? before : 0;
    mpq_clears(shifted[0], shifted[1], shifted[2], shifted[3], width, product, NULL);
    return changes;
}
