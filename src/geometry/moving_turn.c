/*
 * Directions that turn with a moving polygon, and prove that it stays farther away than d: see
 * moving_approach.c.
 */
#include "moving_polygon.h"

#include <math.h>
#include <string.h>

enum { MOST_TURN = 3, MOST_SQUARE = 2 * (MOST_TURN + 1) };

/* A part of the way, and a direction that turns on it: a polynomial by its Bernstein coefficients.
 */
typedef struct turn {
    pli_polygon at[2]; /* at both ends */
    double n[MOST_TURN + 1][3];
    int degree;
} turn;

/* The normal of the plane, on the side that `n` points to. */
static void turn_with_plane(turn *t, const double n[3])
{
    double u[2][3], v[2][3], other[3];
    for (int end = 0; end < 2; ++end) {
        pli_polygon_side(&t->at[end], 0, u[end]);
        pli_polygon_side(&t->at[end], 1, v[end]);
    }
    t->degree = 2;
    pli_cross(t->n[0], u[0], v[0]);
    pli_cross(t->n[1], u[0], v[1]);
    pli_cross(other, u[1], v[0]);
    pli_cross(t->n[2], u[1], v[1]);
    double sign = pli_dot(t->n[0], n) < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 3; ++k) {
        t->n[0][k] *= sign;
        t->n[1][k] = 0.5 * sign * (t->n[1][k] + other[k]);
        t->n[2][k] *= sign;
    }
}

/* x (e . e) - e (x . e), e being side i and x a point that moves with it, about where it is
   closest: there x is short, and little is lost in the difference. */
static void turn_with_side(turn *t, int i)
{
    double x[2][3], e[2][3], along = 0.0;
    for (int end = 0; end < 2; ++end) {
        pli_polygon_side(&t->at[end], i, e[end]);
        along -= 0.5 * pli_dot(t->at[end].x[i], e[end]) / pli_dot(e[end], e[end]);
    }
    for (int j = 0; j < 6; ++j) {
        x[j / 3][j % 3] = t->at[j / 3].x[i][j % 3] + along * e[j / 3][j % 3];
    }
    const double ee[3] = {pli_dot(e[0], e[0]), pli_dot(e[0], e[1]), pli_dot(e[1], e[1])};
    const double xe[3] = {pli_dot(x[0], e[0]), 0.5 * (pli_dot(x[0], e[1]) + pli_dot(x[1], e[0])),
                          pli_dot(x[1], e[1])};
    t->degree = 3;
    for (int j = 0; j <= 3; ++j) { /* the product of a quadratic and a line */
        double first = (3 - j) / 3.0, last = j / 3.0;
        int q = j < 3 ? j : 2, r = j > 0 ? j - 1 : 0;
        for (int k = 0; k < 3; ++k) {
            t->n[j][k] = first * (ee[q] * x[0][k] - xe[q] * e[0][k]) +
                         last * (ee[r] * x[1][k] - xe[r] * e[1][k]);
        }
    }
}

static void turn_between(turn *t, const double first[3], const double last[3])
{
    t->degree = 1;
    memcpy(t->n[0], first, sizeof t->n[0]);
    memcpy(t->n[1], last, sizeof t->n[1]);
}

/* Bernstein coefficients become those times the binomials, which are multiplied as polynomials are:
   c becomes the coefficients of the product of a and b. */
static void multiply(double c[], const double a[], int degree_a, const double b[], int degree_b)
{
    for (int i = 0; i <= degree_a + degree_b; ++i) {
        c[i] = 0.0;
    }
    for (int i = 0; i <= degree_a; ++i) {
        for (int j = 0; j <= degree_b; ++j) {
            c[i + j] += a[i] * b[j];
        }
    }
}

static double binomial(int n, int k)
{
    static const double rows[5][5] = {
        {1, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 2, 1, 0, 0}, {1, 3, 3, 1, 0}, {1, 4, 6, 4, 1}};
    return rows[n][k];
}

/* The square of d |n(t)|, of the degree of the square of n(t) . x(t), rounded up: |n(t)| is at most
   `longest`. */
static void square_limit(const turn *t, double d, double longest, double limit[MOST_SQUARE + 1])
{
    const double raise[3] = {1.0, 2.0, 1.0};
    double n[MOST_TURN + 1], square[2 * MOST_TURN + 1], sum[2 * MOST_TURN + 1] = {0.0};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i <= t->degree; ++i) {
            n[i] = binomial(t->degree, i) * t->n[i][k];
        }
        multiply(square, n, t->degree, n, t->degree);
        for (int i = 0; i <= 2 * t->degree; ++i) {
            sum[i] += square[i];
        }
    }
    for (int i = 0; i <= 2 * t->degree; ++i) {
        sum[i] += 20.0 * PLI_HEIGHT_ERROR * longest * longest; /* no binomial is above 20 */
    }
    multiply(limit, sum, 2 * t->degree, raise, 2);
    for (int i = 0; i <= 2 * t->degree + 2; ++i) {
        limit[i] *= d * d;
    }
}

/* The height of corner i along n(t), less what rounding can do; false if it may be 0. */
static bool find_heights(const turn *t, int i, double error, double height[MOST_TURN + 2])
{
    int degree = t->degree + 1;
    bool above = true;
    for (int j = 0; j <= degree; ++j) {
        double sum = 0.0;
        sum += j <= t->degree ? binomial(t->degree, j) * pli_dot(t->n[j], t->at[0].x[i]) : 0.0;
        sum += j > 0 ? binomial(t->degree, j - 1) * pli_dot(t->n[j - 1], t->at[1].x[i]) : 0.0;
        height[j] = sum - binomial(degree, j) * error;
        above = above && height[j] > 0.0;
    }
    return above;
}

/* Whether all corners stay beyond d along n(t). */
static bool stay_beyond(const pli_moving_polygon *p, const turn *t)
{
    double limit[MOST_SQUARE + 1], square[MOST_SQUARE + 1], height[MOST_TURN + 2];
    double longest = 0.0;
    for (int i = 0; i <= t->degree; ++i) {
        longest = fmax(longest, sqrt(pli_dot(t->n[i], t->n[i])));
    }
    square_limit(t, p->d, longest, limit);
    bool beyond = longest * longest > PLI_LEAST_SQUARE;
    for (int i = 0; i < t->at[0].count && beyond; ++i) {
        beyond = find_heights(t, i, PLI_HEIGHT_ERROR * longest, height);
        int degree = t->degree + 1;
        multiply(square, height, degree, height, degree);
        for (int j = 0; j <= 2 * degree && beyond; ++j) {
            beyond = square[j] > limit[j];
        }
    }
    return beyond;
}

/* The direction of a part of the polygon; of the plane, on the side that n points to. */
static void turn_with_part(turn *t, int part, const double n[3])
{
    if (part == PLI_PLANE) {
        turn_with_plane(t, n);
    } else if (part >= PLI_SIDE) {
        turn_with_side(t, part - PLI_SIDE);
    } else {
        turn_between(t, t->at[0].x[part - PLI_CORNER], t->at[1].x[part - PLI_CORNER]);
    }
}

bool pli_polygon_is_free(const pli_moving_polygon *p, double from, const pli_direction *first,
                         double to, const pli_direction *last)
{
    turn t;
    pli_polygon_at(p, from, &t.at[0]);
    pli_polygon_at(p, to, &t.at[1]);
    turn_with_part(&t, first->part, first->n);
    bool is_beyond = stay_beyond(p, &t);
    if (!is_beyond && last->part != first->part) {
        turn_with_part(&t, last->part, first->n);
        is_beyond = stay_beyond(p, &t);
    }
    if (!is_beyond) {
        turn_between(&t, first->n, last->n);
        is_beyond = stay_beyond(p, &t);
    }
    return is_beyond;
}
