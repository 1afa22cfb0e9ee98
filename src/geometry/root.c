#include "root.h"

#include "base/error.h"

/* A root of a quadratic: (-B + branch sqrt D) / 2A of A t^2 + B t + C, with A and D positive. */
typedef struct surd {
    const pli_polynomial *g;
    pli_wide discriminant;
    int branch; /* 1 or -1 */
} surd;

/* ------------------------------------------------------------ polynomials */

void pli_polynomial_trim(pli_polynomial *p, int degree)
{
    while (degree >= 0 && p->c[degree].sign == 0) {
        --degree;
    }
    p->degree = degree;
}

static int leading_sign(const pli_polynomial *p)
{
    return p->degree < 0 ? 0 : p->c[p->degree].sign;
}

static void negate(pli_polynomial *p)
{
    for (int i = 0; i <= p->degree; ++i) {
        p->c[i].sign = -p->c[i].sign;
    }
}

/* r += factor a b. */
static void add_product(pli_wide *r, const pli_wide *a, const pli_wide *b, int factor)
{
    pli_wide product, scaled, small;
    pli_wide_from_int(&small, factor);
    pli_wide_multiply(&product, a, b);
    pli_wide_multiply(&scaled, &product, &small);
    pli_wide_add(r, r, &scaled);
}

static void copy(pli_polynomial *r, const pli_polynomial *p)
{
    r->degree = p->degree;
    for (int i = 0; i <= p->degree; ++i) {
        pli_wide_copy(&r->c[i], &p->c[i]);
    }
}

static void set_derivative(pli_polynomial *r, const pli_polynomial *p)
{
    r->degree = p->degree - 1;
    for (int i = 0; i < p->degree; ++i) {
        pli_wide factor;
        pli_wide_from_int(&factor, i + 1);
        pli_wide_multiply(&r->c[i], &p->c[i + 1], &factor);
    }
}

/* A linear polynomial that is 0 at x and grows. */
static void set_line_through(pli_polynomial *r, const pli_fraction *x)
{
    r->degree = 1;
    pli_wide_copy(&r->c[0], &x->numerator);
    pli_wide_copy(&r->c[1], &x->denominator);
    r->c[0].sign = -r->c[0].sign;
}

/*
 * One step of a division: r = A p - p_n t^(n - m) g, of lower degree than p, whose degree n is at
 * least that of g, m. A, the leading coefficient of g, is positive: r is p's remainder up to a
 * positive factor.
 */
static void reduce(pli_polynomial *r, const pli_polynomial *p, const pli_polynomial *g)
{
    int shift = p->degree - g->degree;
    for (int i = 0; i < p->degree; ++i) {
        pli_wide product;
        pli_wide_multiply(&r->c[i], &g->c[g->degree], &p->c[i]);
        if (i >= shift) {
            pli_wide_multiply(&product, &p->c[p->degree], &g->c[i - shift]);
            pli_wide_subtract(&r->c[i], &r->c[i], &product);
        }
    }
    pli_polynomial_trim(r, p->degree - 1);
}

/* r is p's remainder by g, of positive leading coefficient, up to a positive factor. */
static void set_remainder(pli_polynomial *r, const pli_polynomial *p, const pli_polynomial *g)
{
    pli_polynomial before;
    PLI_ASSERT(g->degree >= 1 && p->degree <= 3);
    copy(r, p);
    while (r->degree >= g->degree) {
        copy(&before, r);
        reduce(r, &before, g);
    }
}

/* ------------------------------------------------------ signs at a point */

int pli_sign_at_fraction(const pli_polynomial *g, const pli_fraction *x)
{
    if (g->degree < 0) {
        return 0;
    }
    /* Horner's rule for d^n g(n / d), d being positive. */
    pli_wide value, power, product;
    pli_wide_copy(&value, &g->c[g->degree]);
    pli_wide_from_int(&power, 1);
    for (int i = g->degree - 1; i >= 0; --i) {
        pli_wide_multiply(&product, &power, &x->denominator);
        pli_wide_copy(&power, &product);
        pli_wide_multiply(&product, &value, &x->numerator);
        pli_wide_copy(&value, &product);
        pli_wide_multiply(&product, &g->c[i], &power);
        pli_wide_add(&value, &value, &product);
    }
    return value.sign;
}

/* The sign of p + q sqrt(d), d being positive. */
static int sign_of_sum(const pli_wide *p, const pli_wide *q, const pli_wide *d)
{
    if (q->sign == 0 || p->sign == q->sign) {
        return p->sign;
    }
    if (p->sign == 0) {
        return q->sign;
    }
    pli_wide left, square, right;
    pli_wide_multiply(&left, p, p);
    pli_wide_multiply(&square, q, q);
    pli_wide_multiply(&right, &square, d);
    return p->sign * pli_wide_compare(&left, &right);
}

/* The sign of any polynomial at a root of a quadratic. */
static int sign_at_surd(const pli_polynomial *p, const surd *x)
{
    pli_polynomial line;
    set_remainder(&line, p, x->g);
    if (line.degree < 1) {
        return leading_sign(&line);
    }
    /* 2A (line at x) = (2A line_0 - B line_1) + branch line_1 sqrt D. */
    pli_wide constant;
    pli_wide_from_int(&constant, 0);
    add_product(&constant, &x->g->c[2], &line.c[0], 2);
    add_product(&constant, &x->g->c[1], &line.c[1], -1);
    line.c[1].sign *= x->branch;
    return sign_of_sum(&constant, &line.c[1], &x->discriminant);
}

/* ------------------------------------------------------------------ roots */

static void set_discriminant(pli_wide *r, const pli_polynomial *g)
{
    pli_wide_from_int(r, 0);
    add_product(r, &g->c[1], &g->c[1], 1);
    add_product(r, &g->c[2], &g->c[0], -4);
}

/* Sign changes along a chain, zeros left out. */
static int count_changes(const int sign[4])
{
    int changes = 0, before = 0;
    for (int i = 0; i < 4; ++i) {
        changes += sign[i] != 0 && sign[i] == -before;
        before = sign[i] != 0 ? sign[i] : before;
    }
    return changes;
}

/* The third member of a cubic's chain as a polynomial; of a quadratic's: 0. */
static void set_third(pli_polynomial *r, const pli_roots *roots)
{
    r->degree = -1;
    if (roots->f.degree == 3) {
        pli_wide_copy(&r->c[0], &roots->linear[0]);
        pli_wide_copy(&r->c[1], &roots->linear[1]);
        pli_polynomial_trim(r, 1);
    }
}

/* Sign changes at plus or minus infinity. */
static int changes_far(const pli_roots *roots, int side)
{
    pli_polynomial third;
    set_third(&third, roots);
    int odd = roots->f.degree % 2 != 0 ? side : 1;
    int third_sign = leading_sign(&third) * (third.degree == 1 ? side : 1);
    const int sign[4] = {odd, odd * side, third_sign, roots->last};
    return count_changes(sign);
}

/* x = -b / (k a), a being positive. */
static void set_quotient(pli_fraction *x, const pli_wide *b, const pli_wide *a, int k)
{
    pli_wide factor;
    pli_wide_from_int(&factor, k);
    pli_wide_copy(&x->numerator, b);
    x->numerator.sign = -b->sign;
    pli_wide_multiply(&x->denominator, a, &factor);
}

static int compare_fractions(const pli_fraction *a, const pli_fraction *b)
{
    pli_wide left, right;
    pli_wide_multiply(&left, &a->numerator, &b->denominator);
    pli_wide_multiply(&right, &b->numerator, &a->denominator);
    return pli_wide_compare(&left, &right);
}

static void make_positive(pli_fraction *x)
{
    if (x->denominator.sign < 0) {
        x->denominator.sign = 1;
        x->numerator.sign = -x->numerator.sign;
    }
}

/* Where a line, line[0] + line[1] t, is 0. */
static void set_zero_of_line(pli_fraction *x, const pli_wide line[2])
{
    pli_wide_copy(&x->numerator, &line[0]);
    pli_wide_copy(&x->denominator, &line[1]);
    x->numerator.sign = -x->numerator.sign;
    make_positive(x);
}

/* Where a cubic a t^3 + b t^2 + c t + d has a double root, -linear_0 / linear_1, the other one is
   -b / a minus twice that. */
static void set_double_and_other(pli_roots *roots)
{
    const pli_wide *a = &roots->f.c[3], *b = &roots->f.c[2];
    pli_fraction *twice = &roots->fraction[0], *other = &roots->fraction[1];
    set_zero_of_line(twice, roots->linear);
    pli_wide_from_int(&other->numerator, 0);
    add_product(&other->numerator, a, &roots->linear[0], 2);
    add_product(&other->numerator, b, &roots->linear[1], -1);
    pli_wide_multiply(&other->denominator, a, &roots->linear[1]);
    make_positive(other);
    roots->swapped = compare_fractions(twice, other) > 0;
    roots->fractions = true;
    roots->count = 2;
}

/*
 * The chain of a cubic with positive a: 9a times the negated remainder of f by f' is
 * 2 (b^2 - 3ac) t + (bc - 9ad); the last member has the sign of -f' at that line's root.
 */
static void find_cubic(pli_roots *roots)
{
    const pli_polynomial *f = &roots->f;
    pli_wide *line = roots->linear;
    pli_wide_from_int(&line[1], 0);
    add_product(&line[1], &f->c[2], &f->c[2], 2);
    add_product(&line[1], &f->c[3], &f->c[1], -6);
    pli_wide_from_int(&line[0], 0);
    add_product(&line[0], &f->c[2], &f->c[1], 1);
    add_product(&line[0], &f->c[3], &f->c[0], -9);
    if (line[1].sign == 0 && line[0].sign == 0) { /* a triple root */
        set_quotient(&roots->fraction[0], &f->c[2], &f->c[3], 3);
        roots->fractions = true;
        roots->count = 1;
        return;
    }
    if (line[1].sign != 0) {
        pli_polynomial derivative;
        pli_fraction at;
        set_zero_of_line(&at, line);
        set_derivative(&derivative, f);
        roots->last = -pli_sign_at_fraction(&derivative, &at);
        if (roots->last == 0) {
            set_double_and_other(roots);
            return;
        }
    }
    roots->count = changes_far(roots, -1) - changes_far(roots, 1);
}

static void find_quadratic(pli_roots *roots)
{
    pli_wide discriminant;
    set_discriminant(&discriminant, &roots->f);
    roots->count = discriminant.sign + 1;
    roots->last = 1;
    if (discriminant.sign == 0) {
        set_quotient(&roots->fraction[0], &roots->f.c[1], &roots->f.c[2], 2);
        roots->fractions = true;
    }
}

void pli_roots_find(pli_roots *roots, const pli_polynomial *p)
{
    copy(&roots->f, p);
    roots->count = 0;
    roots->last = 0;
    roots->fractions = roots->swapped = false;
    if (leading_sign(p) < 0) {
        negate(&roots->f);
    }
    if (p->degree == 3) {
        find_cubic(roots);
    } else if (p->degree == 2) {
        find_quadratic(roots);
    } else if (p->degree == 1) {
        set_quotient(&roots->fraction[0], &roots->f.c[0], &roots->f.c[1], 1);
        roots->fractions = true;
        roots->count = 1;
    }
}

void pli_roots_set_infinite(pli_roots *roots)
{
    pli_fraction *only = &roots->fraction[0];
    roots->count = 1;
    roots->fractions = true;
    roots->swapped = false;
    pli_wide_from_int(&only->numerator, 1);
    pli_wide_from_int(&only->denominator, 0);
}

/* ------------------------------------------------- roots in relation to a point */

static const pli_fraction *fraction_of(const pli_roots *roots, int root)
{
    return &roots->fraction[roots->swapped ? 1 - root : root];
}

/* Roots at most x, from the signs of the chain of their polynomial at x. */
static int count_by_chain(const pli_roots *roots, const int sign[4])
{
    return roots->count - (count_changes(sign) - changes_far(roots, 1));
}

/* The sign of root - x likewise. */
static int order_by_chain(const pli_roots *roots, int root, const int sign[4])
{
    int from = count_by_chain(roots, sign); /* roots from this one on lie above x */
    if (root >= from) {
        return 1;
    }
    return sign[0] == 0 && root == from - 1 ? 0 : -1;
}

static void set_chain_signs(const pli_roots *roots, const pli_fraction *x, int sign[4])
{
    pli_polynomial derivative, third;
    set_derivative(&derivative, &roots->f);
    set_third(&third, roots);
    sign[0] = pli_sign_at_fraction(&roots->f, x);
    sign[1] = pli_sign_at_fraction(&derivative, x);
    sign[2] = pli_sign_at_fraction(&third, x);
    sign[3] = roots->last;
}

int pli_root_compare_fraction(const pli_roots *roots, int root, const pli_fraction *x)
{
    if (roots->fractions) {
        return compare_fractions(fraction_of(roots, root), x);
    }
    int sign[4];
    set_chain_signs(roots, x, sign);
    return order_by_chain(roots, root, sign);
}

/* Roots below x, or at most x. */
static int count_roots(const pli_roots *roots, const pli_fraction *x, bool also_at)
{
    int sign[4], count = 0;
    if (roots->fractions) {
        while (count < roots->count &&
               compare_fractions(fraction_of(roots, count), x) < (also_at ? 1 : 0)) {
            ++count;
        }
        return count;
    }
    if (roots->count == 0) {
        return 0;
    }
    set_chain_signs(roots, x, sign);
    return count_by_chain(roots, sign) - (sign[0] == 0 && !also_at);
}

int pli_roots_before(const pli_roots *roots, const pli_fraction *x)
{
    return count_roots(roots, x, false);
}

int pli_roots_up_to(const pli_roots *roots, const pli_fraction *x)
{
    return count_roots(roots, x, true);
}

/* The sign of root - x for a root of a quadratic x. */
static int compare_with_surd(const pli_roots *roots, int root, const surd *x)
{
    if (roots->fractions) {
        pli_polynomial line;
        set_line_through(&line, fraction_of(roots, root));
        return -sign_at_surd(&line, x);
    }
    pli_polynomial derivative, third;
    set_derivative(&derivative, &roots->f);
    set_third(&third, roots);
    const int sign[4] = {sign_at_surd(&roots->f, x), sign_at_surd(&derivative, x),
                         sign_at_surd(&third, x), roots->last};
    return order_by_chain(roots, root, sign);
}

/* The sign of a quadratic of positive leading coefficient at a root of another polynomial: by how
   the root lies to the quadratic's own two, of which the lower is looked at first. */
static int sign_of_quadratic(const pli_polynomial *g, const pli_roots *roots, int root)
{
    surd x = {.g = g, .branch = -1};
    set_discriminant(&x.discriminant, g);
    if (x.discriminant.sign < 0) {
        return 1;
    }
    if (x.discriminant.sign == 0) {
        pli_fraction middle;
        set_quotient(&middle, &g->c[1], &g->c[2], 2);
        return pli_root_compare_fraction(roots, root, &middle) != 0;
    }
    int to_lower = compare_with_surd(roots, root, &x);
    if (to_lower <= 0) {
        return -to_lower;
    }
    x.branch = 1;
    return compare_with_surd(roots, root, &x);
}

int pli_sign_at_root(const pli_polynomial *g, const pli_roots *roots, int root)
{
    if (roots->fractions) {
        return pli_sign_at_fraction(g, fraction_of(roots, root));
    }
    pli_polynomial low;
    set_remainder(&low, g, &roots->f);
    int sign = leading_sign(&low);
    if (sign < 0) {
        negate(&low);
    }
    if (low.degree == 2) {
        return sign * sign_of_quadratic(&low, roots, root);
    }
    if (low.degree == 1) {
        pli_fraction zero;
        set_quotient(&zero, &low.c[0], &low.c[1], 1);
        return sign * pli_root_compare_fraction(roots, root, &zero);
    }
    return sign;
}

int pli_root_compare(const pli_roots *a, int root_a, const pli_roots *b, int root_b)
{
    if (b->fractions) {
        return pli_root_compare_fraction(a, root_a, fraction_of(b, root_b));
    }
    if (a->fractions) {
        return -pli_root_compare_fraction(b, root_b, fraction_of(a, root_a));
    }
    pli_polynomial derivative, third;
    set_derivative(&derivative, &a->f);
    set_third(&third, a);
    const int sign[4] = {pli_sign_at_root(&a->f, b, root_b),
                         pli_sign_at_root(&derivative, b, root_b),
                         pli_sign_at_root(&third, b, root_b), a->last};
    return order_by_chain(a, root_a, sign);
}
