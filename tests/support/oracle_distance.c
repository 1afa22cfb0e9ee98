/* Distances by rational arithmetic: every place where the closest points can lie is considered. */
#include "oracle.h"

#include <gmp.h>
#include <stddef.h>

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
