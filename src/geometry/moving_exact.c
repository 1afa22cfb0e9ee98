#include "moving_exact.h"

#include <math.h>
#include <string.h>

/* Coordinates at end e are integers times 2^(unit[axis] + e shift). */
typedef struct moving {
    const pli_moving_points *points;
    int unit[3], shift;
} moving;

/* A root of a polynomial at which a condition is tested; roots NULL: time 1. */
typedef struct moment {
    const pli_roots *roots;
    int root;
} moment;

/* Shifts are multiples of this, so that most pairs have the same one: 0. */
enum { SHIFT_STEP = 32, NO_UNIT = 1000 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* The unit of the coordinates along an axis at one end of the motion. */
static int unit_at(const pli_moving_points *points, int axis, int end)
{
    int unit = NO_UNIT;
    for (int i = 0; i < 4; ++i) {
        unit = smaller(unit, pli_float_unit(points->x[i][end][axis]));
    }
    return unit;
}

/* The shift lies between 0 and the difference of the least units at both ends, so that no unit is
   below the least unit of a float. */
static moving read_points(const pli_moving_points *points)
{
    moving m = {.points = points};
    int unit[2][3], least[2];
    for (int end = 0; end < 2; ++end) {
        least[end] = NO_UNIT;
        for (int axis = 0; axis < 3; ++axis) {
            unit[end][axis] = unit_at(points, axis, end);
            least[end] = smaller(least[end], unit[end][axis]);
        }
    }
    if (least[0] < NO_UNIT && least[1] < NO_UNIT) {
        m.shift = (least[1] - least[0]) / SHIFT_STEP * SHIFT_STEP;
    }
    for (int axis = 0; axis < 3; ++axis) {
        m.unit[axis] = smaller(unit[0][axis], unit[1][axis] - m.shift);
    }
    return m;
}

/* ------------------------------------------------------------ polynomials */

/* The difference of points i and j along an axis over time; the degree is not trimmed. */
static void set_difference(const moving *m, pli_wide line[2], int i, int j, int axis)
{
    for (int end = 0; end < 2; ++end) {
        int unit = m->unit[axis] + end * m->shift;
        pli_wide from;
        pli_wide_from_float(&line[end], m->points->x[i][end][axis], unit);
        pli_wide_from_float(&from, m->points->x[j][end][axis], unit);
        pli_wide_subtract(&line[end], &line[end], &from);
    }
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

/* The degree of a condition's polynomial if its highest coefficient is not 0. */
static int condition_degree(const moving *m, int which)
{
    return which < condition_count(m) / 2 ? 2 : 1;
}

/* ------------------------------------------------------------- conditions */

static int sign_at(const moving *m, const moment *t, int axis, int which)
{
    pli_polynomial condition;
    set_condition(m, &condition, axis, which);
    if (t->roots == NULL) {
        int degree = condition_degree(m, which);
        return condition.degree == degree ? condition.c[degree].sign : 0;
    }
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

/* The first root, from one on, at which the features meet; -1: none. */
static int first_root(const moving *m, const pli_roots *roots, int from)
{
    for (int i = from; i < roots->count; ++i) {
        if (meet_at(m, &(moment){roots, i})) {
            return i;
        }
    }
    return -1;
}

/* The first root of a polynomial, which is not 0, that is in the step. */
static int root_in_step(const pli_roots *roots)
{
    pli_fraction start;
    pli_wide_from_int(&start.numerator, 0);
    pli_wide_from_int(&start.denominator, 1);
    return pli_roots_before(roots, &start);
}

/* Sets the time to 1 if the features meet there. */
static bool find_at_end(const moving *m, pli_exact_time *time)
{
    if (!meet_at(m, &(moment){NULL, 0})) {
        return false;
    }
    pli_roots_set_infinite(&time->roots);
    time->root = 0;
    return true;
}

/* The polynomial u. */
static void set_variable(pli_polynomial *r)
{
    clear(r);
    pli_wide_from_int(&r->c[1], 1);
    r->degree = 1;
}

/* Where all is in one plane: candidates are 0, the roots of all conditions' polynomials, and 1. */
static bool find_in_plane(const moving *m, pli_exact_time *time)
{
    pli_polynomial condition;
    set_variable(&condition);
    pli_roots_find(&time->roots, &condition);
    time->root = first_root(m, &time->roots, root_in_step(&time->roots));
    if (time->root >= 0) {
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
        int first = first_root(m, &candidate, root_in_step(&candidate));
        if (first >= 0 &&
            (!found || pli_root_compare(&candidate, first, &time->roots, time->root) < 0)) {
            pli_roots_find(&time->roots, &condition);
            time->root = first;
            found = true;
        }
    }
    return found || find_at_end(m, time);
}

/* The polynomial of coplanarity, in the form that suits the points. */
static moving begin(const pli_moving_points *points, pli_exact_time *time,
                    pli_polynomial *coplanarity)
{
    moving m = read_points(points);
    time->shift = m.shift;
    set_coplanarity(&m, coplanarity);
    return m;
}

bool pli_moving_find_exact(const pli_moving_points *points, pli_exact_time *time)
{
    pli_polynomial coplanarity;
    moving m = begin(points, time, &coplanarity);
    if (coplanarity.degree < 0) {
        return find_in_plane(&m, time);
    }
    pli_roots_find(&time->roots, &coplanarity);
    time->root = first_root(&m, &time->roots, root_in_step(&time->roots));
    return time->root >= 0 || (coplanarity.degree < 3 && find_at_end(&m, time));
}

void pli_moving_find_between(const pli_moving_points *points, double low, double high,
                             pli_exact_time *time)
{
    pli_polynomial coplanarity;
    moving m = begin(points, time, &coplanarity);
    if (coplanarity.degree < 0) {
        (void)find_in_plane(&m, time);
        return;
    }
    pli_fraction from, to;
    bool may_be_end = coplanarity.degree < 3 && high == 1.0;
    pli_time_set_fraction(&from, low, m.shift);
    pli_time_set_fraction(&to, high, m.shift);
    pli_roots_find(&time->roots, &coplanarity);
    int first = pli_roots_before(&time->roots, &from);
    bool only = !may_be_end && pli_roots_up_to(&time->roots, &to) == first + 1;
    time->root = only ? first : first_root(&m, &time->roots, first);
    if (time->root < 0) {
        (void)find_at_end(&m, time);
    }
}
