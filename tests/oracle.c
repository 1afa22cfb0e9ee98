#include "oracle.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>

#define MAX_ROWS    5
#define MAX_COLUMNS 6

/*
 * A linear program: x >= 0 with A x = b, in the simplex tableau of its basis. All entries carry the
 * common denominator `scale`, which is the latest pivot, so they stay integers (determinants of the
 * input) and divisions are exact. Column `columns` is the right-hand side, row `rows` the
 * objective. Artificial variables start in the basis as -1 and never come back.
 */
typedef struct program {
    int rows, columns;
    int basis[MAX_ROWS];
    mpz_t entry[MAX_ROWS + 1][MAX_COLUMNS + 1];
    mpz_t scale;
} program;

static struct {
    bool ready;
    program lp;
    mpz_t left, right;
    mpz_t point[6][3]; /* corners as integers: three of a, three of b */
    mpz_t cost[MAX_COLUMNS];
    mpz_t value, low, low_scale, high, high_scale;
    mpz_t low_point[3], high_point[3], along[3];
    mpq_t parameter, parameter_before;
} w;

static void for_each_number(void (*act)(mpz_t))
{
    for (int i = 0; i <= MAX_ROWS; ++i) {
        for (int j = 0; j <= MAX_COLUMNS; ++j) {
            act(w.lp.entry[i][j]);
        }
    }
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            act(w.point[i][k]);
        }
        act(w.cost[i]);
    }
    for (int k = 0; k < 3; ++k) {
        act(w.low_point[k]);
        act(w.high_point[k]);
        act(w.along[k]);
    }
    act(w.lp.scale);
    act(w.left);
    act(w.right);
    act(w.value);
    act(w.low);
    act(w.low_scale);
    act(w.high);
    act(w.high_scale);
}

static void number_init(mpz_t x)
{
    mpz_init(x);
}

static void number_clear(mpz_t x)
{
    mpz_clear(x);
}

static void prepare(void)
{
    if (!w.ready) {
        for_each_number(number_init);
        mpq_init(w.parameter);
        mpq_init(w.parameter_before);
        w.ready = true;
    }
}

void oracle_clear(void)
{
    if (w.ready) {
        for_each_number(number_clear);
        mpq_clear(w.parameter);
        mpq_clear(w.parameter_before);
        w.ready = false;
    }
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

/* Pivots on row r and column c; the entry there is positive. */
static void pivot(program *lp, int r, int c)
{
    mpz_t *row = lp->entry[r];
    for (int i = 0; i <= lp->rows; ++i) {
        mpz_t *other = lp->entry[i];
        if (i == r) {
            continue;
        }
        for (int j = 0; j <= lp->columns; ++j) {
            if (j != c) {
                mpz_mul(w.left, other[j], row[c]);
                mpz_submul(w.left, other[c], row[j]);
                mpz_divexact(other[j], w.left, lp->scale);
            }
        }
        mpz_set_ui(other[c], 0);
    }
    mpz_set(lp->scale, row[c]);
    lp->basis[r] = c;
}

/* The row that limits column c: the smallest ratio, ties to the smallest variable (Bland), so that
   the method cannot cycle. -1 when nothing limits it. */
static int limiting_row(program *lp, int c)
{
    int best = -1;
    for (int i = 0; i < lp->rows; ++i) {
        if (mpz_sgn(lp->entry[i][c]) <= 0) {
            continue;
        }
        int order = -1;
        if (best >= 0) {
            mpz_mul(w.left, lp->entry[i][lp->columns], lp->entry[best][c]);
            mpz_mul(w.right, lp->entry[best][lp->columns], lp->entry[i][c]);
            order = mpz_cmp(w.left, w.right);
        }
        if (order < 0 || (order == 0 && lp->basis[i] < lp->basis[best])) {
            best = i;
        }
    }
    return best;
}

/* Improves the objective, whose row holds what each variable would gain, until nothing does or
   `enough` says so. */
static void climb(program *lp, bool (*enough)(program *))
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

static void negate_row(program *lp, int i)
{
    for (int j = 0; j <= lp->columns; ++j) {
        mpz_neg(lp->entry[i][j], lp->entry[i][j]);
    }
}

static bool reached_zero(program *lp)
{
    return mpz_sgn(lp->entry[lp->rows][lp->columns]) == 0;
}

/* Whether A x = b has a solution x >= 0: the artificial variables can be brought to a sum of 0. */
static bool feasible(program *lp)
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

static void remove_row(program *lp, int r)
{
    --lp->rows;
    lp->basis[r] = lp->basis[lp->rows];
    for (int j = 0; j <= lp->columns; ++j) {
        mpz_set(lp->entry[r][j], lp->entry[lp->rows][j]);
        mpz_set(lp->entry[lp->rows][j], lp->entry[lp->rows + 1][j]);
    }
}

/* After feasible(): replaces artificial variables, which are 0, by others; drops rows that say 0 =
 * 0. */
static void drop_artificials(program *lp)
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

/* Maximises the sum of cost x from a feasible basis without artificials. The maximum is then
   w.value / lp->scale. */
static void maximise(program *lp)
{
    mpz_t *objective = lp->entry[lp->rows];
    for (int j = 0; j <= lp->columns; ++j) {
        if (j < lp->columns) {
            mpz_mul(objective[j], w.cost[j], lp->scale);
        } else {
            mpz_set_ui(objective[j], 0);
        }
        for (int i = 0; i < lp->rows; ++i) {
            mpz_submul(objective[j], w.cost[lp->basis[i]], lp->entry[i][j]);
        }
    }
    climb(lp, NULL);
    mpz_neg(w.value, objective[lp->columns]);
}

static bool maximum_is_positive(program *lp)
{
    maximise(lp);
    return mpz_sgn(w.value) > 0;
}

static void negate_costs(void)
{
    for (int j = 0; j < MAX_COLUMNS; ++j) {
        mpz_neg(w.cost[j], w.cost[j]);
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
static void set_overlap(program *lp, const float a[3][3], const float b[3][3])
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
    return feasible(&w.lp);
}

/* The costs become a linear function of the common point: the weights of a times its values. */
static void cost_from_axis(int k)
{
    for (int i = 0; i < 6; ++i) {
        mpz_set_ui(w.cost[i], 0);
        if (i < 3) {
            mpz_set(w.cost[i], w.point[i][k]);
        }
    }
}

/* Component k of w.along x (point - corner `from`). */
static void cost_from_cross(int k, int from)
{
    int i1 = (k + 1) % 3;
    int i2 = (k + 2) % 3;
    for (int i = 0; i < 6; ++i) {
        mpz_set_ui(w.cost[i], 0);
        if (i < 3) {
            mpz_sub(w.left, w.point[i][i2], w.point[from][i2]);
            mpz_addmul(w.cost[i], w.along[i1], w.left);
            mpz_sub(w.left, w.point[i][i1], w.point[from][i1]);
            mpz_submul(w.cost[i], w.along[i2], w.left);
        }
    }
}

/* w.along . (point - corner `from`). */
static void cost_along(int from)
{
    for (int i = 0; i < 6; ++i) {
        mpz_set_ui(w.cost[i], 0);
        for (int k = 0; k < 3 && i < 3; ++k) {
            mpz_sub(w.left, w.point[i][k], w.point[from][k]);
            mpz_addmul(w.cost[i], w.along[k], w.left);
        }
    }
}

/* The common point of the present basis, times lp->scale. */
static void present_point(mpz_t point[3], program *lp)
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
static bool has_extent(program *lp)
{
    maximise(lp);
    mpz_set(w.high, w.value);
    mpz_set(w.high_scale, lp->scale);
    present_point(w.high_point, lp);
    negate_costs();
    maximise(lp);
    mpz_neg(w.low, w.value);
    mpz_set(w.low_scale, lp->scale);
    present_point(w.low_point, lp);
    mpz_mul(w.left, w.high, w.low_scale);
    mpz_mul(w.right, w.low, w.high_scale);
    return mpz_cmp(w.left, w.right) != 0;
}

int oracle_dimension(const float a[3][3], const float b[3][3])
{
    set_overlap(&w.lp, a, b);
    if (!feasible(&w.lp)) {
        return -1;
    }
    drop_artificials(&w.lp);
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
static bool beyond_point(program *lp, int u)
{
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 6; ++i) {
            mpz_set_ui(w.cost[i], 0);
            if (i < 3) {
                mpz_sub(w.cost[i], w.point[i][k], w.point[u][k]);
            }
        }
        if (maximum_is_positive(lp)) {
            return true;
        }
        negate_costs();
        if (maximum_is_positive(lp)) {
            return true;
        }
    }
    return false;
}

/* Whether some common point is off the line through u and v, or on it beyond u or v. */
static bool beyond_segment(program *lp, int u, int v)
{
    for (int k = 0; k < 3; ++k) {
        mpz_sub(w.along[k], w.point[v][k], w.point[u][k]);
    }
    for (int k = 0; k < 3; ++k) {
        cost_from_cross(k, u);
        if (maximum_is_positive(lp)) {
            return true;
        }
        negate_costs();
        if (maximum_is_positive(lp)) {
            return true;
        }
    }
    cost_along(v);
    if (maximum_is_positive(lp)) {
        return true;
    }
    cost_along(u);
    negate_costs();
    return maximum_is_positive(lp);
}

bool oracle_overlap_beyond(const float a[3][3], const float b[3][3], int count,
                           const uint8_t shared[3][2])
{
    set_overlap(&w.lp, a, b);
    if (!feasible(&w.lp)) {
        abort(); /* nothing is shared */
    }
    drop_artificials(&w.lp);
    int u = shared[0][0];
    int v = shared[count - 1][0];
    bool same = mpz_cmp(w.point[u][0], w.point[v][0]) == 0 &&
                mpz_cmp(w.point[u][1], w.point[v][1]) == 0 &&
                mpz_cmp(w.point[u][2], w.point[v][2]) == 0;
    return same ? beyond_point(&w.lp, u) : beyond_segment(&w.lp, u, v);
}

/* Weights of the corners (0 to 2), the parameter t (3) and, if t is bounded, t_max - t (4):
   sum of weights times corners - t direction = origin. */
static void set_ray(program *lp, const float origin[3], const float direction[3], float t_max,
                    const float triangle[3][3])
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
    if (t_max < 0.0f || !feasible(&w.lp)) {
        return false;
    }
    drop_artificials(&w.lp);
    for (int j = 0; j < MAX_COLUMNS; ++j) {
        mpz_set_si(w.cost[j], j == 3 ? -1 : 0);
    }
    maximise(&w.lp);
    mpq_swap(w.parameter, w.parameter_before);
    mpz_neg(mpq_numref(w.parameter), w.value);
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

typedef mpq_t rational_vector[3];

static void dot(mpq_t r, rational_vector a, rational_vector b)
{
    mpq_t product;
    mpq_init(product);
    mpq_set_ui(r, 0, 1);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(product, a[k], b[k]);
        mpq_add(r, r, product);
    }
    mpq_clear(product);
}

/* best = min(best, |p - (s u + t v)|^2) if s, t >= 0 and s + t <= 1. */
static void consider(mpq_t best, rational_vector p, rational_vector u, rational_vector v, mpq_t s,
                     mpq_t t)
{
    rational_vector r;
    mpq_t sum;
    mpq_init(sum);
    mpq_add(sum, s, t);
    if (mpq_sgn(s) >= 0 && mpq_sgn(t) >= 0 && mpq_cmp_ui(sum, 1, 1) <= 0) {
        for (int k = 0; k < 3; ++k) {
            mpq_init(r[k]);
            mpq_mul(sum, s, u[k]);
            mpq_sub(r[k], p[k], sum);
            mpq_mul(sum, t, v[k]);
            mpq_sub(r[k], r[k], sum);
        }
        dot(sum, r, r);
        if (mpq_sgn(best) < 0 || mpq_cmp(sum, best) < 0) {
            mpq_set(best, sum);
        }
        for (int k = 0; k < 3; ++k) {
            mpq_clear(r[k]);
        }
    }
    mpq_clear(sum);
}

/* Considers the points of the line (s, t) = (s0, t0) + x (ds, dt), by its closest point. */
static void consider_edge(mpq_t best, rational_vector p, rational_vector u, rational_vector v,
                          const int start[2], const int step[2])
{
    rational_vector from;
    rational_vector along;
    mpq_t x;
    mpq_t length;
    mpq_t s;
    mpq_t t;
    mpq_inits(x, length, s, t, NULL);
    for (int k = 0; k < 3; ++k) {
        mpq_inits(from[k], along[k], NULL);
        for (int i = 0; i < 2; ++i) {
            mpq_set_si(x, start[i], 1);
            mpq_mul(x, x, i == 0 ? u[k] : v[k]);
            mpq_add(from[k], from[k], x);
            mpq_set_si(x, step[i], 1);
            mpq_mul(x, x, i == 0 ? u[k] : v[k]);
            mpq_add(along[k], along[k], x);
        }
        mpq_sub(from[k], p[k], from[k]);
    }
    dot(length, along, along);
    dot(x, from, along);
    if (mpq_sgn(length) > 0) {
        mpq_div(x, x, length);
        mpq_set_si(s, step[0], 1);
        mpq_mul(s, s, x);
        mpq_set_si(t, step[1], 1);
        mpq_mul(t, t, x);
        mpq_set_si(x, start[0], 1);
        mpq_add(s, s, x);
        mpq_set_si(x, start[1], 1);
        mpq_add(t, t, x);
        consider(best, p, u, v, s, t);
    }
    for (int k = 0; k < 3; ++k) {
        mpq_clears(from[k], along[k], NULL);
    }
    mpq_clears(x, length, s, t, NULL);
}

/* Considers the point where the gradient vanishes: the normal equations. */
static void consider_inside(mpq_t best, rational_vector p, rational_vector u, rational_vector v)
{
    mpq_t uu;
    mpq_t uv;
    mpq_t vv;
    mpq_t up;
    mpq_t vp;
    mpq_t s;
    mpq_t t;
    mpq_t det;
    mpq_t x;
    mpq_inits(uu, uv, vv, up, vp, s, t, det, x, NULL);
    dot(uu, u, u);
    dot(uv, u, v);
    dot(vv, v, v);
    dot(up, u, p);
    dot(vp, v, p);
    mpq_mul(det, uu, vv);
    mpq_mul(x, uv, uv);
    mpq_sub(det, det, x);
    if (mpq_sgn(det) != 0) {
        mpq_mul(s, up, vv);
        mpq_mul(x, vp, uv);
        mpq_sub(s, s, x);
        mpq_div(s, s, det);
        mpq_mul(t, vp, uu);
        mpq_mul(x, up, uv);
        mpq_sub(t, t, x);
        mpq_div(t, t, det);
        consider(best, p, u, v, s, t);
    }
    mpq_clears(uu, uv, vv, up, vp, s, t, det, x, NULL);
}

/* Whether best lies between max(0, distance - error)^2 and (distance + error)^2. */
static bool near_square(mpq_t best, double distance, double error)
{
    mpq_t low;
    mpq_t high;
    mpq_inits(low, high, NULL);
    mpq_set_d(low, distance);
    mpq_set_d(high, error);
    mpq_sub(low, low, high);
    mpq_add(high, high, high);
    mpq_add(high, high, low);
    bool above = mpq_sgn(low) <= 0;
    mpq_mul(low, low, low);
    mpq_mul(high, high, high);
    bool right = (above || mpq_cmp(low, best) <= 0) && mpq_cmp(best, high) <= 0;
    mpq_clears(low, high, NULL);
    return right;
}

/* best = min(best, squared distance of a point and a triangle). */
static void consider_point(mpq_t best, const float point[3], const float triangle[3][3])
{
    static const int start[3][2] = {{0, 0}, {0, 0}, {1, 0}};
    static const int step[3][2] = {{1, 0}, {0, 1}, {-1, 1}};
    rational_vector p;
    rational_vector u;
    rational_vector v;
    mpq_t s;
    mpq_t t;
    mpq_inits(s, t, NULL);
    for (int k = 0; k < 3; ++k) {
        mpq_inits(p[k], u[k], v[k], NULL);
        mpq_set_d(s, triangle[0][k]);
        mpq_set_d(p[k], point[k]);
        mpq_sub(p[k], p[k], s);
        mpq_set_d(u[k], triangle[1][k]);
        mpq_sub(u[k], u[k], s);
        mpq_set_d(v[k], triangle[2][k]);
        mpq_sub(v[k], v[k], s);
    }
    for (int i = 0; i < 3; ++i) {
        mpq_set_ui(s, i == 1, 1);
        mpq_set_ui(t, i == 2, 1);
        consider(best, p, u, v, s, t);
        consider_edge(best, p, u, v, start[i], step[i]);
    }
    consider_inside(best, p, u, v);
    for (int k = 0; k < 3; ++k) {
        mpq_clears(p[k], u[k], v[k], NULL);
    }
    mpq_clears(s, t, NULL);
}

bool oracle_distance_is(const float point[3], const float triangle[3][3], double distance,
                        double error)
{
    mpq_t best;
    mpq_init(best);
    mpq_set_si(best, -1, 1);
    consider_point(best, point, triangle);
    bool right = near_square(best, distance, error);
    mpq_clear(best);
    return right;
}

/*
 * best = min(best, squared distance of the lines through two edges) if it is attained inside both:
 * with w from p to q, the point s of the first and t of the second solve the normal equations
 * s u.u - t u.v = u.w and s u.v - t v.v = v.w.
 */
static void consider_lines(mpq_t best, const float p[2][3], const float q[2][3])
{
    rational_vector u;
    rational_vector v;
    rational_vector gap;
    mpq_t uu, uv, vv, uw, vw, det, s, t, x;
    mpq_inits(uu, uv, vv, uw, vw, det, s, t, x, NULL);
    for (int k = 0; k < 3; ++k) {
        mpq_inits(u[k], v[k], gap[k], NULL);
        mpq_set_d(x, p[0][k]);
        mpq_set_d(u[k], p[1][k]);
        mpq_sub(u[k], u[k], x);
        mpq_set_d(gap[k], q[0][k]);
        mpq_set_d(v[k], q[1][k]);
        mpq_sub(v[k], v[k], gap[k]);
        mpq_sub(gap[k], gap[k], x);
    }
    dot(uu, u, u);
    dot(uv, u, v);
    dot(vv, v, v);
    dot(uw, u, gap);
    dot(vw, v, gap);
    mpq_mul(det, uv, uv);
    mpq_mul(x, uu, vv);
    mpq_sub(det, det, x); /* -(u x v)^2 */
    if (mpq_sgn(det) != 0) {
        mpq_mul(s, vw, uv);
        mpq_mul(x, uw, vv);
        mpq_sub(s, s, x);
        mpq_div(s, s, det);
        mpq_mul(t, vw, uu);
        mpq_mul(x, uw, uv);
        mpq_sub(t, t, x);
        mpq_div(t, t, det);
        bool inside = mpq_sgn(s) >= 0 && mpq_cmp_ui(s, 1, 1) <= 0 && mpq_sgn(t) >= 0 &&
                      mpq_cmp_ui(t, 1, 1) <= 0;
        for (int k = 0; k < 3; ++k) { /* w + t v - s u */
            mpq_mul(x, t, v[k]);
            mpq_add(gap[k], gap[k], x);
            mpq_mul(x, s, u[k]);
            mpq_sub(gap[k], gap[k], x);
        }
        dot(x, gap, gap);
        if (inside && (mpq_sgn(best) < 0 || mpq_cmp(x, best) < 0)) {
            mpq_set(best, x);
        }
    }
    for (int k = 0; k < 3; ++k) {
        mpq_clears(u[k], v[k], gap[k], NULL);
    }
    mpq_clears(uu, uv, vv, uw, vw, det, s, t, x, NULL);
}

bool oracle_triangle_distance_is(const float a[3][3], const float b[3][3], double distance,
                                 double error)
{
    mpq_t best;
    mpq_init(best);
    mpq_set_si(best, -1, 1);
    for (int i = 0; i < 3; ++i) {
        consider_point(best, a[i], b);
        consider_point(best, b[i], a);
        for (int j = 0; j < 3; ++j) {
            float p[2][3];
            float q[2][3];
            for (int k = 0; k < 3; ++k) {
                p[0][k] = a[i][k];
                p[1][k] = a[(i + 1) % 3][k];
                q[0][k] = b[j][k];
                q[1][k] = b[(j + 1) % 3][k];
            }
            consider_lines(best, (const float(*)[3])p, (const float(*)[3])q);
        }
    }
    bool right = near_square(best, distance, error);
    mpq_clear(best);
    return right;
}
