#include "oracle.h"

#include <math.h>
#include <stdlib.h>

#include "linear_program.h"

static struct {
    bool ready;
    linear_program lp;
    mpz_t left, right, value;
    mpz_t point[6][3]; /* corners as integers: three of a, three of b */
    mpz_t low, low_scale, high, high_scale;
    mpz_t low_point[3], high_point[3], along[3];
    mpq_t parameter, parameter_before;
} w;

static void init_vector(mpz_t vector[3])
{
    mpz_inits(vector[0], vector[1], vector[2], NULL);
}

static void clear_vector(mpz_t vector[3])
{
    mpz_clears(vector[0], vector[1], vector[2], NULL);
}

static void for_each_vector(void (*act)(mpz_t vector[3]))
{
    for (int i = 0; i < 6; ++i) {
        act(w.point[i]);
    }
    act(w.low_point);
    act(w.high_point);
    act(w.along);
}

static void prepare(void)
{
    if (!w.ready) {
        lp_init(&w.lp);
        for_each_vector(init_vector);
        mpz_inits(w.left, w.right, w.value, w.low, w.low_scale, w.high, w.high_scale, NULL);
        mpq_inits(w.parameter, w.parameter_before, NULL);
        w.ready = true;
    }
}

int oracle_tear_down(void **state)
{
    (void)state;
    if (w.ready) {
        lp_clear(&w.lp);
        for_each_vector(clear_vector);
        mpz_clears(w.left, w.right, w.value, w.low, w.low_scale, w.high, w.high_scale, NULL);
        mpq_clears(w.parameter, w.parameter_before, NULL);
        w.ready = false;
    }
    return 0;
}

/* x = mantissa 2^exponent with an odd mantissa, or 0. */
static long mantissa_of(float x, int *exponent)
{
    if (x == 0.0f) {
        *exponent = 1000;
        return 0;
    }
    long mantissa = (long)ldexp(frexp(x, exponent), 24);
    *exponent -= 24;
    while (mantissa % 2 == 0) {
        mantissa /= 2;
        ++*exponent;
    }
    return mantissa;
}

static int lowest_exponent(int lowest, const float *x, int count)
{
    for (int i = 0; i < count; ++i) {
        int exponent;
        mantissa_of(x[i], &exponent);
        lowest = exponent < lowest ? exponent : lowest;
    }
    return lowest;
}

/* r = x / 2^unit. */
static void set_integer(mpz_t r, float x, int unit)
{
    int exponent;
    long mantissa = mantissa_of(x, &exponent);
    mpz_set_si(r, mantissa);
    if (mantissa != 0) {
        mpz_mul_2exp(r, r, (mp_bitcnt_t)(exponent - unit));
    }
}

static void set_points(const float a[3][3], const float b[3][3])
{
    int unit = 1000;
    for (int i = 0; i < 3; ++i) {
        unit = lowest_exponent(unit, a[i], 3);
        unit = lowest_exponent(unit, b[i], 3);
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            set_integer(w.point[i][k], a[i][k], unit);
            set_integer(w.point[i + 3][k], b[i][k], unit);
        }
    }
}

/* Weights of the corners of a and of b that give the same point; each sum to 1. */
static void set_overlap(linear_program *lp, const float a[3][3], const float b[3][3])
{
    prepare();
    set_points(a, b);
    lp->rows = 5;
    lp->columns = 6;
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            mpz_set(lp->entry[k][i], w.point[i][k]);
            if (i >= 3) {
                mpz_neg(lp->entry[k][i], lp->entry[k][i]);
            }
        }
        mpz_set_ui(lp->entry[3][i], i < 3);
        mpz_set_ui(lp->entry[4][i], i >= 3);
    }
    for (int k = 0; k < 5; ++k) {
        mpz_set_ui(lp->entry[k][6], k >= 3);
    }
}

bool oracle_overlap(const float a[3][3], const float b[3][3])
{
    set_overlap(&w.lp, a, b);
    return lp_feasible(&w.lp);
}

/* The costs become a linear function of the common point: the weights of a times its values. */
static void cost_from_axis(int k)
{
    for (int i = 0; i < 6; ++i) {
        mpz_set_ui(w.lp.cost[i], 0);
        if (i < 3) {
            mpz_set(w.lp.cost[i], w.point[i][k]);
        }
    }
}

/* Component k of w.along x (point - corner `from`). */
static void cost_from_cross(int k, int from)
{
    int i1 = (k + 1) % 3;
    int i2 = (k + 2) % 3;
    for (int i = 0; i < 6; ++i) {
        mpz_set_ui(w.lp.cost[i], 0);
        if (i < 3) {
            mpz_sub(w.left, w.point[i][i2], w.point[from][i2]);
            mpz_addmul(w.lp.cost[i], w.along[i1], w.left);
            mpz_sub(w.left, w.point[i][i1], w.point[from][i1]);
            mpz_submul(w.lp.cost[i], w.along[i2], w.left);
        }
    }
}

/* w.along . (point - corner `from`). */
static void cost_along(int from)
{
    for (int i = 0; i < 6; ++i) {
        mpz_set_ui(w.lp.cost[i], 0);
        for (int k = 0; k < 3 && i < 3; ++k) {
            mpz_sub(w.left, w.point[i][k], w.point[from][k]);
            mpz_addmul(w.lp.cost[i], w.along[k], w.left);
        }
    }
}

/* The common point of the present basis, times lp->scale. */
static void present_point(mpz_t point[3], linear_program *lp)
{
    for (int k = 0; k < 3; ++k) {
        mpz_set_ui(point[k], 0);
        for (int i = 0; i < lp->rows; ++i) {
            if (lp->basis[i] < 3) {
                mpz_addmul(point[k], lp->entry[i][lp->columns], w.point[lp->basis[i]][k]);
            }
        }
    }
}

/* Whether the costs take more than one value; leaves points where they are lowest and highest. */
static bool has_extent(linear_program *lp)
{
    lp_maximise(lp);
    mpz_set(w.high, w.lp.value);
    mpz_set(w.high_scale, lp->scale);
    present_point(w.high_point, lp);
    lp_negate_costs(&w.lp);
    lp_maximise(lp);
    mpz_neg(w.low, w.lp.value);
    mpz_set(w.low_scale, lp->scale);
    present_point(w.low_point, lp);
    mpz_mul(w.left, w.high, w.low_scale);
    mpz_mul(w.right, w.low, w.high_scale);
    return mpz_cmp(w.left, w.right) != 0;
}

int oracle_dimension(const float a[3][3], const float b[3][3])
{
    set_overlap(&w.lp, a, b);
    if (!lp_feasible(&w.lp)) {
        return -1;
    }
    lp_drop_artificials(&w.lp);
    bool extent = false;
    for (int k = 0; k < 3 && !extent; ++k) {
        cost_from_axis(k);
        extent = has_extent(&w.lp);
    }
    if (!extent) {
        return 0;
    }
    for (int k = 0; k < 3; ++k) {
        mpz_mul(w.along[k], w.high_point[k], w.low_scale);
        mpz_submul(w.along[k], w.low_point[k], w.high_scale);
    }
    for (int k = 0; k < 3; ++k) {
        cost_from_cross(k, 0);
        if (has_extent(&w.lp)) {
            return 2;
        }
    }
    return 1;
}

/* Whether some common point differs from corner u of a. */
static bool beyond_point(linear_program *lp, int u)
{
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 6; ++i) {
            mpz_set_ui(w.lp.cost[i], 0);
            if (i < 3) {
                mpz_sub(w.lp.cost[i], w.point[i][k], w.point[u][k]);
            }
        }
        if (lp_maximum_is_positive(lp)) {
            return true;
        }
        lp_negate_costs(&w.lp);
        if (lp_maximum_is_positive(lp)) {
            return true;
        }
    }
    return false;
}

/* Whether some common point is off the line through u and v, or on it beyond u or v. */
static bool beyond_segment(linear_program *lp, int u, int v)
{
    for (int k = 0; k < 3; ++k) {
        mpz_sub(w.along[k], w.point[v][k], w.point[u][k]);
    }
    for (int k = 0; k < 3; ++k) {
        cost_from_cross(k, u);
        if (lp_maximum_is_positive(lp)) {
            return true;
        }
        lp_negate_costs(&w.lp);
        if (lp_maximum_is_positive(lp)) {
            return true;
        }
    }
    cost_along(v);
    if (lp_maximum_is_positive(lp)) {
        return true;
    }
    cost_along(u);
    lp_negate_costs(&w.lp);
    return lp_maximum_is_positive(lp);
}

bool oracle_overlap_beyond(const float a[3][3], const float b[3][3], int count,
                           const uint8_t shared[3][2])
{
    set_overlap(&w.lp, a, b);
    if (!lp_feasible(&w.lp)) {
        abort(); /* nothing is shared */
    }
    lp_drop_artificials(&w.lp);
    int u = shared[0][0];
    int v = shared[count - 1][0];
    bool same = mpz_cmp(w.point[u][0], w.point[v][0]) == 0 &&
                mpz_cmp(w.point[u][1], w.point[v][1]) == 0 &&
                mpz_cmp(w.point[u][2], w.point[v][2]) == 0;
    return same ? beyond_point(&w.lp, u) : beyond_segment(&w.lp, u, v);
}

/* Weights of the corners (0 to 2), the parameter t (3) and, if t is bounded, t_max - t (4):
   sum of weights times corners - t direction = origin. */
static void set_ray(linear_program *lp, const float origin[3], const float direction[3],
                    float t_max, const float triangle[3][3])
{
    prepare();
    bool bounded = isfinite(t_max);
    int unit = lowest_exponent(lowest_exponent(1000, origin, 3), direction, 3);
    for (int i = 0; i < 3; ++i) {
        unit = lowest_exponent(unit, triangle[i], 3);
    }
    lp->rows = bounded ? 5 : 4;
    lp->columns = bounded ? 5 : 4;
    for (int i = 0; i < lp->rows; ++i) {
        for (int j = 0; j <= lp->columns; ++j) {
            mpz_set_ui(lp->entry[i][j], i == 3 && (j < 3 || j == lp->columns));
        }
    }
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 3; ++j) {
            set_integer(lp->entry[k][j], triangle[j][k], unit);
        }
        set_integer(lp->entry[k][3], -direction[k], unit);
        set_integer(lp->entry[k][lp->columns], origin[k], unit);
    }
    if (bounded) {
        mpz_set_ui(lp->entry[4][3], 1);
        mpz_mul_2exp(lp->entry[4][3], lp->entry[4][3], 149);
        mpz_set(lp->entry[4][4], lp->entry[4][3]);
        set_integer(lp->entry[4][5], t_max, -149);
    }
}

bool oracle_ray(const float origin[3], const float direction[3], float t_max,
                const float triangle[3][3])
{
    set_ray(&w.lp, origin, direction, t_max, triangle);
    if (t_max < 0.0f || !lp_feasible(&w.lp)) {
        return false;
    }
    lp_drop_artificials(&w.lp);
    for (int j = 0; j < LP_MAX_COLUMNS; ++j) {
        mpz_set_si(w.lp.cost[j], j == 3 ? -1 : 0);
    }
    lp_maximise(&w.lp);
    mpq_swap(w.parameter, w.parameter_before);
    mpz_neg(mpq_numref(w.parameter), w.lp.value);
    mpz_set(mpq_denref(w.parameter), w.lp.scale);
    mpq_canonicalize(w.parameter);
    return true;
}

bool oracle_ray_rounds_to(double t)
{
    mpq_t twice;
    mpq_t limit;
    mpq_t other;
    mpq_inits(twice, limit, other, NULL);
    mpq_add(twice, w.parameter, w.parameter);
    mpq_set_d(limit, t);
    mpq_set_d(other, nextafter(t, INFINITY));
    mpq_add(other, other, limit);
    bool right = mpq_cmp(twice, other) <= 0;
    mpq_set_d(other, nextafter(t, -INFINITY));
    mpq_add(other, other, limit);
    right = right && mpq_cmp(twice, other) >= 0;
    mpq_clears(twice, limit, other, NULL);
    return right;
}

int oracle_ray_order(void)
{
    int order = mpq_cmp(w.parameter, w.parameter_before);
    return (order > 0) - (order < 0);
}

int oracle_orient3d(const float a[3], const float b[3], const float c[3], const float d[3])
{
    prepare();
    const float *point[4] = {a, b, c, d};
    int unit = 1000;
    for (int p = 0; p < 4; ++p) {
        unit = lowest_exponent(unit, point[p], 3);
    }
    for (int p = 0; p < 4; ++p) {
        for (int k = 0; k < 3; ++k) {
            set_integer(w.point[p][k], point[p][k], unit);
        }
    }
    mpz_set_ui(w.value, 0);
    for (int i = 0; i < 3; ++i) { /* expansion by permutations, even and odd */
        for (int turn = 1; turn <= 2; ++turn) {
            int j = (i + turn) % 3;
            int k = 3 - i - j;
            mpz_sub(w.left, w.point[1][i], w.point[0][i]);
            mpz_sub(w.right, w.point[2][j], w.point[0][j]);
            mpz_mul(w.left, w.left, w.right);
            mpz_sub(w.right, w.point[3][k], w.point[0][k]);
            mpz_mul(w.left, w.left, w.right);
            if (turn == 1) {
                mpz_add(w.value, w.value, w.left);
            } else {
                mpz_sub(w.value, w.value, w.left);
            }
        }
    }
    return mpz_sgn(w.value);
}
