#include "moving_exact.h"

#include <math.h>
#include <string.h>

typedef struct moving {
    const pli_moving_points *points;
    int unit; /* all coordinates are integers times 2^unit */
} moving;

/* A root of a polynomial that a condition is asked about. */
typedef struct moment {
    const pli_roots *roots;
    int root;
} moment;

static int common_unit(const pli_moving_points *points)
{
    int unit = 1000;
    for (int i = 0; i < 24; ++i) {
        int own = pli_float_unit(points->x[i / 6][i / 3 % 2][i % 3]);
        unit = own < unit ? own : unit;
    }
    return unit;
}

/* ------------------------------------------------------------ polynomials */

/* r = what coordinate `axis` of point i is beyond that of point j at one end of the motion. */
static void subtract(const moving *m, pli_wide *r, int i, int j, int axis, int end)
{
    pli_wide from;
    pli_wide_from_float(r, m->points->x[i][end][axis], m->unit);
    pli_wide_from_float(&from, m->points->x[j][end][axis], m->unit);
    pli_wide_subtract(r, r, &from);
}

/* The same over time; the degree is not trimmed. */
static void set_difference(const moving *m, pli_wide line[2], int i, int j, int axis)
{
    subtract(m, &line[0], i, j, axis, 0);
    subtract(m, &line[1], i, j, axis, 1);
    pli_wide_subtract(&line[1], &line[1], &line[0]);
}

/* r += sign a b for the polynomial r, a of the degree given, and a line b. */
static void add_product(pli_wide *r, const pli_wide *a, int degree, const pli_wide b[2], int sign)
{
    for (int i = 0; i <= degree; ++i) {
        for (int j = 0; j < 2; ++j) {
            pli_wide product;
            pli_wide_multiply(&product, &a[i], &b[j]);
            product.sign *= sign;
            pli_wide_add(&r[i + j], &r[i + j], &product);
        }
    }
}

static void clear(pli_polynomial *r)
{
    for (int i = 0; i < 4; ++i) {
        pli_wide_from_int(&r->c[i], 0);
    }
}

/* The orientation of points o, i, j, seen along an axis. */
static void set_orientation(const moving *m, pli_polynomial *r, int o, int i, int j, int axis)
{
    int k = (axis + 1) % 3, l = (axis + 2) % 3;
    pli_wide a[2], b[2];
    clear(r);
    set_difference(m, a, i, o, k);
    set_difference(m, b, j, o, l);
    add_product(r->c, a, 1, b, 1);
    set_difference(m, a, i, o, l);
    set_difference(m, b, j, o, k);
    add_product(r->c, a, 1, b, -1);
    pli_polynomial_trim(r, 2);
}

/* The determinant that is 0 where the four points lie in one plane. */
static void set_coplanarity(const moving *m, pli_polynomial *r)
{
    clear(r);
    for (int axis = 0; axis < 3; ++axis) {
        pli_polynomial face;
        pli_wide along[2];
        set_orientation(m, &face, 0, 1, 2, axis);
        set_difference(m, along, 3, 0, axis);
        add_product(r->c, face.c, face.degree, along, 1);
    }
    pli_polynomial_trim(r, 3);
}

/*
 * The polynomials that the conditions along an axis are made of: orientations (three for a vertex
 * and a face: where the vertex lies to each edge; four for edges: where each end lies to the other
 * edge), then differences of coordinates between the two features (as many).
 */
static void set_condition(const moving *m, pli_polynomial *r, int axis, int which)
{
    static const int face[6][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 0}, {2, 0}, {3, 0}};
    static const int edges[8][3] = {{0, 1, 2}, {0, 1, 3}, {2, 3, 0}, {2, 3, 1},
                                    {2, 0},    {3, 0},    {2, 1},    {3, 1}};
    const int *of = m->points->edges ? edges[which] : face[which];
    if (which < (m->points->edges ? 4 : 3)) {
        set_orientation(m, r, of[0], of[1], of[2], axis);
    } else {
        set_difference(m, r->c, of[0], of[1], axis);
        pli_polynomial_trim(r, 1);
    }
}

static int condition_count(const moving *m)
{
    return m->points->edges ? 8 : 6;
}

/* ------------------------------------------------------------- conditions */

static int sign_at(const moving *m, const moment *t, int axis, int which)
{
    pli_polynomial condition;
    set_condition(m, &condition, axis, which);
    return pli_sign_at_root(&condition, t->roots, t->root);
}

/* Whether the boxes of both features meet along an axis: not all differences have one sign. */
static bool boxes_meet(const moving *m, const moment *t, int axis)
{
    int count = condition_count(m) / 2;
    int first = sign_at(m, t, axis, count);
    bool apart = first != 0;
    for (int i = count + 1; i < 2 * count && apart; ++i) {
        apart = sign_at(m, t, axis, i) == first;
    }
    return !apart;
}

static bool is_in_triangle(const moving *m, const moment *t, int axis)
{
    bool below = false, above = false;
    for (int i = 0; i < 3; ++i) {
        int sign = sign_at(m, t, axis, i);
        below |= sign < 0;
        above |= sign > 0;
    }
    return !(below && above);
}

static bool segments_straddle(const moving *m, const moment *t, int axis)
{
    for (int i = 0; i < 4; i += 2) {
        int sign = sign_at(m, t, axis, i);
        if (sign != 0 && sign_at(m, t, axis, i + 1) == sign) {
            return false;
        }
    }
    return true;
}

/* Whether the features meet at a moment at which the four points lie in one plane. */
static bool meet_at(const moving *m, const moment *t)
{
    for (int axis = 0; axis < 3; ++axis) {
        if (!boxes_meet(m, t, axis)) {
            return false;
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (!(m->points->edges ? segments_straddle(m, t, axis) : is_in_triangle(m, t, axis))) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------ first time */

/* x = k / 2^shift. */
static void set_dyadic(pli_fraction *x, uint64_t k, int shift)
{
    x->numerator = (pli_wide){.sign = k > 0, .count = k > 0, .limb = {k}};
    pli_wide_power(&x->denominator, shift);
}

static bool is_in_step(const pli_roots *roots, int root)
{
    pli_fraction end;
    set_dyadic(&end, 0, 0);
    if (pli_root_compare_fraction(roots, root, &end) < 0) {
        return false;
    }
    set_dyadic(&end, 1, 0);
    return pli_root_compare_fraction(roots, root, &end) <= 0;
}

/* The first root of a polynomial, which is not 0, at which the features meet; -1: none. */
static int first_root(const moving *m, const pli_roots *roots)
{
    for (int i = 0; i < roots->count; ++i) {
        if (is_in_step(roots, i) && meet_at(m, &(moment){roots, i})) {
            return i;
        }
    }
    return -1;
}

/* The polynomial t. */
static void set_time(pli_polynomial *r)
{
    clear(r);
    pli_wide_from_int(&r->c[1], 1);
    r->degree = 1;
}

/*
 * Where all is in one plane: candidates are 0 and the roots of all conditions' polynomials. Time 1
 * is none: what holds only there is the end of no interval before, so some sign changes there.
 */
static bool find_in_plane(const moving *m, pli_roots *roots, int *root)
{
    pli_polynomial condition;
    set_time(&condition);
    pli_roots_find(roots, &condition);
    *root = first_root(m, roots);
    if (*root >= 0) {
        return true; /* at time 0 */
    }
    bool found = false;
    for (int i = 0; i < 3 * condition_count(m); ++i) {
        pli_roots candidate;
        set_condition(m, &condition, i % 3, i / 3);
        if (condition.degree < 1) {
            continue;
        }
        pli_roots_find(&candidate, &condition);
        int first = first_root(m, &candidate);
        if (first >= 0 && (!found || pli_root_compare(&candidate, first, roots, *root) < 0)) {
            pli_roots_find(roots, &condition);
            *root = first;
            found = true;
        }
    }
    return found;
}

bool pli_moving_find_exact(const pli_moving_points *points, pli_roots *roots, int *root)
{
    moving m = {points, common_unit(points)};
    pli_polynomial coplanarity;
    set_coplanarity(&m, &coplanarity);
    if (coplanarity.degree < 0) {
        return find_in_plane(&m, roots, root);
    }
    pli_roots_find(roots, &coplanarity);
    *root = first_root(&m, roots);
    return *root >= 0;
}

void pli_root_enclose(const pli_roots *roots, int root, double *low, double *high)
{
    enum { BITS = 41 };
    uint64_t below = 0, above = (uint64_t)1 << BITS;
    pli_fraction x;
    for (int i = 0; i < 2; ++i) {
        set_dyadic(&x, (uint64_t)i, 0);
        if (pli_root_compare_fraction(roots, root, &x) == 0) {
            *low = *high = i;
            return;
        }
    }
    while (above - below > 1) {
        uint64_t middle = (below + above) / 2;
        set_dyadic(&x, middle, BITS);
        int side = pli_root_compare_fraction(roots, root, &x);
        below = side >= 0 ? middle : below;
        above = side <= 0 ? middle : above;
    }
    *low = ldexp((double)below, -BITS);
    *high = ldexp((double)above, -BITS);
}

/* Whether a float in [0, 1], which is a multiple of 2^-149, is below a root. */
static bool is_below(float x, const pli_roots *roots, int root)
{
    enum { MANTISSA = 24 };
    int exponent;
    double mantissa = ldexp(frexp((double)x, &exponent), MANTISSA);
    pli_fraction fraction;
    set_dyadic(&fraction, (uint64_t)mantissa, MANTISSA - exponent);
    return pli_root_compare_fraction(roots, root, &fraction) > 0;
}

float pli_root_float_below(const pli_roots *roots, int root, float low, float high)
{
    /* Floats that are not negative have the order of their bits. */
    uint32_t below, above;
    memcpy(&below, &low, sizeof below);
    memcpy(&above, &high, sizeof above);
    above++;
    while (above - below > 1) {
        uint32_t middle = below + (above - below) / 2;
        float x;
        memcpy(&x, &middle, sizeof x);
        if (is_below(x, roots, root)) {
            below = middle;
        } else {
            above = middle;
        }
    }
    memcpy(&low, &below, sizeof low);
    return low;
}
