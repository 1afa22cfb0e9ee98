#include "oracle_moving.h"

#include "rational_polynomial.h"

#include <stddef.h>

/* A root: of f, without multiple roots, the only one in the open interval; or low == high. */
typedef struct root {
    const poly *f;
    mpq_t low, high;
} root;

static bool root_is_rational(const root *r)
{
    return mpq_equal(r->low, r->high) != 0;
}

/* Halves the interval. */
static void root_narrow(root *r)
{
    mpq_t middle, half;
    mpq_inits(middle, half, NULL);
    mpq_set_si(half, 1, 2);
    mpq_add(middle, r->low, r->high);
    mpq_mul(middle, middle, half);
    int sign = poly_sign(r->f, middle), one_sign;
    if (sign == 0) {
        mpq_set(r->low, middle);
        mpq_set(r->high, middle);
    } else if (poly_bernstein_changes(r->f, r->low, middle, &one_sign) == 1) {
        mpq_set(r->high, middle);
    } else {
        mpq_set(r->low, middle);
    }
    mpq_clears(middle, half, NULL);
}

/* The sign of g at a root: 0 if that is one of the common divisor's as well. */
static int sign_at(const poly *g, root *r)
{
    if (g->degree < 1) {
        return g->degree < 0 ? 0 : mpq_sgn(g->c[0]);
    }
    if (root_is_rational(r)) {
        return poly_sign(g, r->low);
    }
    poly common;
    poly_init(&common);
    poly_gcd(&common, r->f, g);
    int one_sign;
    bool zero =
        common.degree > 0 && poly_bernstein_changes(&common, r->low, r->high, &one_sign) == 1;
    poly_clear(&common);
    one_sign = 0;
    while (!zero && one_sign == 0) {
        if (root_is_rational(r)) {
            return poly_sign(g, r->low);
        }
        poly_bernstein_changes(g, r->low, r->high, &one_sign);
        if (one_sign == 0) {
            root_narrow(r);
        }
    }
    return zero ? 0 : one_sign;
}

/* ------------------------------------------------------------- conditions */

static void set_difference(poly *r, const oracle_moving *m, int i, int j, int axis)
{
    mpq_t end;
    mpq_init(end);
    mpq_sub(r->c[0], m->x[i][0][axis], m->x[j][0][axis]);
    mpq_sub(end, m->x[i][1][axis], m->x[j][1][axis]);
    mpq_sub(r->c[1], end, r->c[0]);
    mpq_set_si(r->c[2], 0, 1);
    mpq_set_si(r->c[3], 0, 1);
    poly_trim(r);
    mpq_clear(end);
}

/* Component `axis` of (i - o) x (j - o). */
static void set_cross(poly *r, const oracle_moving *m, int o, int i, int j, int axis)
{
    int k = (axis + 1) % 3, l = (axis + 2) % 3;
    poly a, b, second;
    poly_init(&a);
    poly_init(&b);
    poly_init(&second);
    set_difference(&a, m, i, o, k);
    set_difference(&b, m, j, o, l);
    poly_multiply(r, &a, &b);
    set_difference(&a, m, i, o, l);
    set_difference(&b, m, j, o, k);
    poly_multiply(&second, &a, &b);
    poly_add(r, r, &second, -1);
    poly_clear(&a);
    poly_clear(&b);
    poly_clear(&second);
}

static void set_coplanarity(poly *r, const oracle_moving *m)
{
    poly normal, along;
    poly_init(&normal);
    poly_init(&along);
    for (int axis = 0; axis < 3; axis++) {
        set_cross(&normal, m, 0, 1, 2, axis);
        set_difference(&along, m, 3, 0, axis);
        poly_multiply(&normal, &normal, &along);
        poly_add(r, r, &normal, 1);
    }
    poly_clear(&normal);
    poly_clear(&along);
}

enum { MOST_CONDITIONS = 24 };

/* Along one axis: orientations, then differences; 6 for a vertex and a face, 8 for edges. */
static int set_conditions(poly p[MOST_CONDITIONS], const oracle_moving *m)
{
    static const int sides[2][4][3] = {{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}},
                                       {{0, 1, 2}, {0, 1, 3}, {2, 3, 0}, {2, 3, 1}}};
    static const int ahead[2][4][2] = {{{1, 0}, {2, 0}, {3, 0}}, {{2, 0}, {3, 0}, {2, 1}, {3, 1}}};
    int count = 0, each = m->edges ? 4 : 3;
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < each; i++) {
            const int *of = sides[m->edges][i];
            set_cross(&p[count++], m, of[0], of[1], of[2], axis);
        }
        for (int i = 0; i < each; i++) {
            set_difference(&p[count++], m, ahead[m->edges][i][0], ahead[m->edges][i][1], axis);
        }
    }
    return count;
}

static bool holds_along(const poly *p, bool edges, root *r)
{
    int sign[8], each = edges ? 4 : 3;
    int above = 0, below = 0;
    for (int i = 0; i < 2 * each; i++) {
        sign[i] = sign_at(&p[i], r);
    }
    for (int i = each; i < 2 * each; i++) {
        above += sign[i] > 0;
        below += sign[i] < 0;
    }
    if (above == each || below == each) {
        return false; /* boxes apart */
    }
    if (edges) {
        return sign[0] * sign[1] <= 0 && sign[2] * sign[3] <= 0;
    }
    bool positive = sign[0] > 0 || sign[1] > 0 || sign[2] > 0;
    bool negative = sign[0] < 0 || sign[1] < 0 || sign[2] < 0;
    return !(positive && negative);
}

static bool holds(const poly *p, bool edges, root *r)
{
    int each = edges ? 8 : 6;
    return holds_along(p, edges, r) && holds_along(p + each, edges, r) &&
           holds_along(p + 2 * each, edges, r);
}

/* ------------------------------------------------------------ first time */

/* What is looked for: the first root at which the conditions hold. */
typedef struct search {
    oracle_moving *m;
    const poly *conditions;
    const poly *f; /* whose roots are looked at */
    bool found;
} search;

/* Takes a root if the conditions hold there and no earlier one is known. */
static void try_root(search *s, const mpq_t low, const mpq_t high)
{
    root r = {.f = s->f};
    mpq_inits(r.low, r.high, NULL);
    mpq_set(r.low, low);
    mpq_set(r.high, high);
    if (holds(s->conditions, s->m->edges, &r)) {
        mpq_t tiny, width;
        mpq_inits(tiny, width, NULL);
        mpq_set_si(tiny, 1, 1);
        mpq_div_2exp(tiny, tiny, 300);
        mpq_sub(width, r.high, r.low);
        while (mpq_cmp(width, tiny) > 0 && !root_is_rational(&r)) {
            root_narrow(&r);
            mpq_sub(width, r.high, r.low);
        }
        if (!s->found || mpq_cmp(r.low, s->m->low) < 0) {
            mpq_set(s->m->low, r.low);
            mpq_set(s->m->high, r.high);
        }
        s->found = true;
        mpq_clears(tiny, width, NULL);
    }
    mpq_clears(r.low, r.high, NULL);
}

/* Tries all roots of s->f, which has no multiple ones, in the open interval. */
static void try_between(search *s, const mpq_t low, const mpq_t high)
{
    int one_sign;
    int changes = poly_bernstein_changes(s->f, low, high, &one_sign);
    if (changes == 0) {
        return;
    }
    if (changes == 1) {
        try_root(s, low, high);
        return;
    }
    mpq_t middle;
    mpq_init(middle);
    mpq_add(middle, low, high);
    mpq_div_2exp(middle, middle, 1);
    try_between(s, low, middle);
    if (poly_sign(s->f, middle) == 0) {
        try_root(s, middle, middle);
    }
    try_between(s, middle, high);
    mpq_clear(middle);
}

/* Tries all roots of p in [0, 1]. */
static void try_roots(search *s, const poly *p)
{
    poly f;
    mpq_t end[2];
    if (p->degree < 1) {
        return;
    }
    poly_init(&f);
    poly_square_free(&f, p);
    s->f = &f;
    for (int i = 0; i < 2; i++) {
        mpq_init(end[i]);
        mpq_set_si(end[i], i, 1);
        if (poly_sign(&f, end[i]) == 0) {
            try_root(s, end[i], end[i]);
        }
    }
    try_between(s, end[0], end[1]);
    mpq_clears(end[0], end[1], NULL);
    poly_clear(&f);
}

bool oracle_moving_meet(oracle_moving *m)
{
    poly coplanarity, conditions[MOST_CONDITIONS];
    poly_init(&coplanarity);
    for (int i = 0; i < MOST_CONDITIONS; i++) {
        poly_init(&conditions[i]);
    }
    set_coplanarity(&coplanarity, m);
    int count = set_conditions(conditions, m);
    search s = {.m = m, .conditions = conditions};
    if (coplanarity.degree >= 0) {
        try_roots(&s, &coplanarity);
    } else {
        mpq_t end;
        mpq_init(end);
        for (int i = 0; i < 2; i++) {
            mpq_set_si(end, i, 1);
            try_root(&s, end, end);
        }
        mpq_clear(end);
        for (int i = 0; i < count; i++) {
            try_roots(&s, &conditions[i]);
        }
    }
    poly_clear(&coplanarity);
    for (int i = 0; i < MOST_CONDITIONS; i++) {
        poly_clear(&conditions[i]);
    }
    return s.found;
}

/* The interval is narrower than anything a double between 2^-240 and 1 could be missed by. */
bool oracle_moving_time_is_in(const oracle_moving *m, double low, double high)
{
    mpq_t end;
    mpq_init(end);
    mpq_set_d(end, low);
    bool in = mpq_cmp(end, m->high) <= 0;
    mpq_set_d(end, high);
    in = in && mpq_cmp(m->low, end) <= 0;
    mpq_clear(end);
    return in;
}

int oracle_moving_compare(const oracle_moving *a, const oracle_moving *b)
{
    if (mpq_cmp(a->high, b->low) < 0) {
        return -1;
    }
    return mpq_cmp(b->high, a->low) < 0;
}

static void each_number(oracle_moving *m, void (*visit)(mpq_t, void *), void *argument)
{
    for (int i = 0; i < 24; i++) {
        visit(m->x[i / 6][i / 3 % 2][i % 3], argument);
    }
}

static void init_number(mpq_t x, void *argument)
{
    (void)argument;
    mpq_init(x);
}

static void clear_number(mpq_t x, void *argument)
{
    (void)argument;
    mpq_clear(x);
}

static void set_number(mpq_t x, void *argument)
{
    const float **next = argument;
    mpq_set_d(x, (double)*(*next)++);
}

void oracle_moving_init(oracle_moving *m)
{
    each_number(m, init_number, NULL);
    mpq_inits(m->low, m->high, NULL);
}

void oracle_moving_clear(oracle_moving *m)
{
    each_number(m, clear_number, NULL);
    mpq_clears(m->low, m->high, NULL);
}

void oracle_moving_set(oracle_moving *m, const float x[4][2][3], bool edges)
{
    const float *next = &x[0][0][0];
    each_number(m, set_number, &next);
    m->edges = edges;
}
