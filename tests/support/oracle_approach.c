#include "oracle_approach.h"

#include <gmp.h>
#include <math.h>

enum { MOST_DEGREE = 6, CORNERS = 4 };

/* Coordinates are integers after multiplication with this power of two. */
enum { EXPONENT = 230 };

/* Times are multiples of a power of two, and the step is halved so often at most. */
enum { TIME_BITS = 140, DEPTH = 80 };

/* A polynomial by its Bernstein coefficients, each times the binomial: products are convolutions,
   and signs are the same. */
typedef struct curve {
    int degree;
    mpz_t c[MOST_DEGREE + 1];
} curve;

typedef curve curve_vector[3];

static void curve_init(curve *f)
{
    f->degree = 0;
    for (int i = 0; i <= MOST_DEGREE; i++) {
        mpz_init(f->c[i]);
    }
}

static void curve_clear(curve *f)
{
    for (int i = 0; i <= MOST_DEGREE; i++) {
        mpz_clear(f->c[i]);
    }
}

static void vector_init(curve_vector v)
{
    for (int k = 0; k < 3; k++) {
        curve_init(&v[k]);
    }
}

static void vector_clear(curve_vector v)
{
    for (int k = 0; k < 3; k++) {
        curve_clear(&v[k]);
    }
}

static void set_zero(curve *f, int degree)
{
    f->degree = degree;
    for (int i = 0; i <= MOST_DEGREE; i++) {
        mpz_set_ui(f->c[i], 0);
    }
}

/* f += sign a b; f has the degree of the product. */
static void add_product(curve *f, const curve *a, const curve *b, int sign)
{
    for (int i = 0; i <= a->degree; i++) {
        for (int j = 0; j <= b->degree; j++) {
            if (sign > 0) {
                mpz_addmul(f->c[i + j], a->c[i], b->c[j]);
            } else {
                mpz_submul(f->c[i + j], a->c[i], b->c[j]);
            }
        }
    }
}

static void set_dot(curve *f, const curve_vector a, const curve_vector b)
{
    set_zero(f, a[0].degree + b[0].degree);
    for (int k = 0; k < 3; k++) {
        add_product(f, &a[k], &b[k], 1);
    }
}

static void set_cross(curve_vector f, const curve_vector a, const curve_vector b)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        set_zero(&f[i], a[0].degree + b[0].degree);
        add_product(&f[i], &a[j], &b[k], 1);
        add_product(&f[i], &a[k], &b[j], -1);
    }
}

static void set_difference(curve_vector f, const curve_vector a, const curve_vector b)
{
    for (int k = 0; k < 3; k++) {
        set_zero(&f[k], 1);
        for (int i = 0; i < 2; i++) {
            mpz_sub(f[k].c[i], a[k].c[i], b[k].c[i]);
        }
    }
}

/* f -= d^2 norm, norm raised to the degree of f, which is greater by 2. */
static void subtract_square(curve *f, const curve *norm, const mpz_t d)
{
    curve times;
    curve_init(&times);
    times.degree = 2;
    mpz_mul(times.c[0], d, d);
    mpz_mul_ui(times.c[1], times.c[0], 2);
    mpz_set(times.c[2], times.c[0]);
    add_product(f, norm, &times, -1);
    curve_clear(&times);
}

/* The sign that all coefficients have; 0 if they differ or some are 0. */
static int one_sign(const curve *f)
{
    int sign = mpz_sgn(f->c[0]);
    for (int i = 1; i <= f->degree; i++) {
        sign = mpz_sgn(f->c[i]) == sign ? sign : 0;
    }
    return sign;
}

/* ------------------------------------------------------------- the places */

/* A part of the polygon. */
typedef struct place {
    curve close;     /* not positive: within the distance */
    curve norm;      /* 0: there is no such part */
    curve inside[4]; /* all not negative: the closest point lies there */
    int inside_count;
} place;

static void place_init(place *p)
{
    curve_init(&p->close);
    curve_init(&p->norm);
    for (int i = 0; i < 4; i++) {
        curve_init(&p->inside[i]);
    }
}

static void place_clear(place *p)
{
    curve_clear(&p->close);
    curve_clear(&p->norm);
    for (int i = 0; i < 4; i++) {
        curve_clear(&p->inside[i]);
    }
}

typedef struct polygon {
    int count;
    curve_vector x[CORNERS], side[CORNERS], normal, scratch;
    mpz_t d;
    place part;
} polygon;

static void set_corner_place(polygon *g, int i)
{
    place *p = &g->part;
    p->inside_count = 0;
    set_zero(&p->norm, 0);
    mpz_set_ui(p->norm.c[0], 1);
    set_dot(&p->close, g->x[i], g->x[i]);
    subtract_square(&p->close, &p->norm, g->d);
}

static void set_side_place(polygon *g, int i)
{
    place *p = &g->part;
    p->inside_count = 2;
    set_dot(&p->norm, g->side[i], g->side[i]);
    set_cross(g->scratch, g->x[i], g->side[i]);
    set_dot(&p->close, g->scratch, g->scratch);
    subtract_square(&p->close, &p->norm, g->d);
    set_dot(&p->inside[1], g->x[(i + 1) % g->count], g->side[i]);
    set_dot(&p->inside[0], g->x[i], g->side[i]);
    for (int k = 0; k <= 2; k++) {
        mpz_neg(p->inside[0].c[k], p->inside[0].c[k]);
    }
}

static void set_face_place(polygon *g)
{
    place *p = &g->part;
    curve height;
    curve_init(&height);
    p->inside_count = g->count;
    set_cross(g->normal, g->side[0], g->side[1]);
    set_dot(&p->norm, g->normal, g->normal);
    set_dot(&height, g->normal, g->x[0]);
    set_zero(&p->close, 6);
    add_product(&p->close, &height, &height, 1);
    subtract_square(&p->close, &p->norm, g->d);
    for (int i = 0; i < g->count; i++) { /* N . (x x e), the origin being at -x from the corner */
        set_cross(g->scratch, g->x[i], g->side[i]);
        set_dot(&p->inside[i], g->normal, g->scratch);
    }
    curve_clear(&height);
}

static void set_place(polygon *g, int number)
{
    if (number < g->count) {
        set_corner_place(g, number);
    } else if (number < 2 * g->count) {
        set_side_place(g, number - g->count);
    } else {
        set_face_place(g);
    }
}

/* Certainly the origin is not within the distance of a point of this part. */
static bool is_harmless(const place *p)
{
    bool there = false;
    for (int i = 0; i <= p->norm.degree; i++) {
        there = there || mpz_sgn(p->norm.c[i]) != 0;
    }
    bool harmless = !there || one_sign(&p->close) > 0;
    for (int i = 0; i < p->inside_count; i++) {
        harmless = harmless || one_sign(&p->inside[i]) < 0;
    }
    return harmless;
}

/* At one moment: all coefficients tell the same. */
static bool is_close(const place *p)
{
    bool close = mpz_sgn(p->norm.c[0]) != 0 && mpz_sgn(p->close.c[0]) <= 0;
    for (int i = 0; i < p->inside_count; i++) {
        close = close && mpz_sgn(p->inside[i].c[0]) >= 0;
    }
    return close;
}

/* --------------------------------------------------------------- the way */

/* Features, and a part of the step from `from` to `to`, both multiples of 2^-bits. */
typedef struct question {
    const float (*x)[2][3];
    bool edges;
    mpz_t d, from, to;
    unsigned bits;
} question;

/* f = a coordinate of point i at a time, times 2^(EXPONENT + bits). */
static void set_coordinate(mpz_t f, const question *q, int i, int k, const mpz_t time)
{
    mpz_t start, end, rest;
    mpz_inits(start, end, rest, NULL);
    mpz_set_d(start, ldexp((double)q->x[i][0][k], EXPONENT));
    mpz_set_d(end, ldexp((double)q->x[i][1][k], EXPONENT));
    mpz_setbit(rest, q->bits);
    mpz_sub(rest, rest, time);
    mpz_mul(f, start, rest);
    mpz_addmul(f, end, time);
    mpz_clears(start, end, rest, NULL);
}

static void set_corner(polygon *g, const question *q, int corner, int i, int j)
{
    mpz_t other;
    mpz_init(other);
    for (int k = 0; k < 3; k++) {
        curve *f = &g->x[corner][k];
        f->degree = 1;
        for (int end = 0; end < 2; end++) {
            set_coordinate(f->c[end], q, i, k, end == 0 ? q->from : q->to);
            set_coordinate(other, q, j, k, end == 0 ? q->from : q->to);
            mpz_sub(f->c[end], f->c[end], other);
        }
    }
    mpz_clear(other);
}

static void polygon_init(polygon *g, const question *q)
{
    static const int pairs[2][CORNERS][2] = {{{1, 0}, {2, 0}, {3, 0}},
                                             {{2, 0}, {2, 1}, {3, 1}, {3, 0}}};
    g->count = q->edges ? 4 : 3;
    for (int i = 0; i < CORNERS; i++) {
        vector_init(g->x[i]);
        vector_init(g->side[i]);
    }
    vector_init(g->normal);
    vector_init(g->scratch);
    place_init(&g->part);
    mpz_init(g->d);
    mpz_mul_2exp(g->d, q->d, q->bits);
    for (int i = 0; i < g->count; i++) {
        set_corner(g, q, i, pairs[q->edges][i][0], pairs[q->edges][i][1]);
    }
    for (int i = 0; i < g->count; i++) {
        set_difference(g->side[i], g->x[(i + 1) % g->count], g->x[i]);
    }
}

static void polygon_clear(polygon *g)
{
    for (int i = 0; i < CORNERS; i++) {
        vector_clear(g->x[i]);
        vector_clear(g->side[i]);
    }
    vector_clear(g->normal);
    vector_clear(g->scratch);
    place_clear(&g->part);
    mpz_clear(g->d);
}

static bool all_harmless(const question *q)
{
    polygon g;
    bool harmless = true;
    polygon_init(&g, q);
    for (int i = 0; i <= 2 * g.count && harmless; i++) {
        set_place(&g, i);
        harmless = is_harmless(&g.part);
    }
    polygon_clear(&g);
    return harmless;
}

/* Whether a part of the polygon is within its distance, at the one moment that it is of. */
static bool any_close(polygon *g)
{
    bool close = false;
    for (int i = 0; i <= 2 * g->count && !close; i++) {
        set_place(g, i);
        close = is_close(&g->part);
    }
    return close;
}

/* How far a corner moves at most, as a sum of coordinates. */
static void set_motion(mpz_t most, const polygon *g)
{
    mpz_t sum, one;
    mpz_inits(sum, one, NULL);
    mpz_set_ui(most, 0);
    for (int i = 0; i < g->count; i++) {
        mpz_set_ui(sum, 0);
        for (int k = 0; k < 3; k++) {
            mpz_sub(one, g->x[i][k].c[1], g->x[i][k].c[0]);
            mpz_abs(one, one);
            mpz_add(sum, sum, one);
        }
        if (mpz_cmp(sum, most) > 0) {
            mpz_set(most, sum);
        }
    }
    mpz_clears(sum, one, NULL);
}

/* Whether the features start farther apart than anything can come closer. Where a part of the
   polygon vanishes for a moment, that alone tells. */
static bool start_far(const question *q)
{
    polygon g, start;
    question at = *q;
    at.to[0] = q->from[0];
    polygon_init(&g, q);
    polygon_init(&start, &at);
    set_motion(start.d, &g);
    mpz_add(start.d, start.d, g.d);
    bool far = !any_close(&start);
    polygon_clear(&g);
    polygon_clear(&start);
    return far;
}

/* Halves what is in doubt. Times are doubles between 0 and 1, with `bits` left for halves. */
static bool stay_beyond(question *q, int depth)
{
    if (all_harmless(q) || (depth < DEPTH && start_far(q))) {
        return true;
    }
    if (depth == 0) {
        return false;
    }
    mpz_t from, to, middle;
    mpz_init_set(from, q->from);
    mpz_init_set(to, q->to);
    mpz_init(middle);
    mpz_add(middle, from, to);
    mpz_fdiv_q_2exp(middle, middle, 1);
    mpz_set(q->to, middle);
    bool beyond = stay_beyond(q, depth - 1);
    mpz_set(q->from, middle);
    mpz_set(q->to, to);
    beyond = beyond && stay_beyond(q, depth - 1);
    mpz_set(q->from, from);
    mpz_clears(from, to, middle, NULL);
    return beyond;
}

static void question_init(question *q, const float x[4][2][3], bool edges, double d)
{
    q->x = x;
    q->edges = edges;
    q->bits = TIME_BITS;
    mpz_inits(q->d, q->from, q->to, NULL);
    mpz_set_d(q->d, ldexp(d, EXPONENT));
}

/* A time as an integer; what is below 2^-TIME_BITS is left out. */
static void set_time(mpz_t f, double time)
{
    mpz_set_d(f, ldexp(time, TIME_BITS));
}

bool oracle_stay_beyond(const float x[4][2][3], bool edges, double d, double until)
{
    question q;
    question_init(&q, x, edges, d);
    set_time(q.to, until);
    bool beyond = stay_beyond(&q, DEPTH);
    mpz_clears(q.d, q.from, q.to, NULL);
    return beyond;
}

bool oracle_is_near(const float x[4][2][3], bool edges, double d, double spread, double time)
{
    question q;
    question_init(&q, x, edges, d);
    mpz_t more;
    mpz_init(more);
    mpz_fdiv_q_2exp(more, q.d, 20);
    mpz_add(q.d, q.d, more);
    mpz_set_d(more, ldexp(spread, EXPONENT - 44));
    mpz_add(q.d, q.d, more);
    mpz_clear(more);
    set_time(q.from, time);
    set_time(q.to, time);
    polygon g;
    polygon_init(&g, &q);
    bool close = any_close(&g);
    polygon_clear(&g);
    mpz_clears(q.d, q.from, q.to, NULL);
    return close;
}
