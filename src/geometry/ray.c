/*
 * Rays against triangles, exactly. The end of the segment, origin + t_max direction, is not a
 * float32 point, so the tests here are linear functions of the parameter t rather than signs of
 * points.
 */
#include "base/float_env.h"
#include "hull.h"
#include "orient.h"
#include "triangle_overlap.h"
#include "wide.h"

typedef struct fraction {
    pli_wide numerator, denominator; /* the denominator is positive */
} fraction;

/* The parameters t in [low, high], or from low on, that satisfy the constraints seen so far. */
typedef struct interval {
    fraction low, high;
    bool bounded, empty;
} interval;

/* A ray as integers in units of 2^unit; t stays a pure number. */
typedef struct wide_ray {
    pli_wide origin[3], direction[3];
    int unit;
} wide_ray;

static int smaller_unit(int unit, const float *x, int count)
{
    for (int i = 0; i < count; ++i) {
        int own = pli_float_unit(x[i]);
        unit = own < unit ? own : unit;
    }
    return unit;
}

static void vector_from_float(pli_wide r[3], const float x[3], int unit)
{
    for (int i = 0; i < 3; ++i) {
        pli_wide_from_float(&r[i], x[i], unit);
    }
}

static void vector_subtract(pli_wide r[3], const pli_wide a[3], const pli_wide b[3])
{
    for (int i = 0; i < 3; ++i) {
        pli_wide_subtract(&r[i], &a[i], &b[i]);
    }
}

static void wide_ray_set(wide_ray *ray, const float origin[3], const float direction[3],
                         const float triangle[3][3])
{
    ray->unit = smaller_unit(1000, origin, 3);
    ray->unit = smaller_unit(ray->unit, direction, 3);
    for (int k = 0; k < 3; ++k) {
        ray->unit = smaller_unit(ray->unit, triangle[k], 3);
    }
    vector_from_float(ray->origin, origin, ray->unit);
    vector_from_float(ray->direction, direction, ray->unit);
}

static int compare_fractions(const fraction *a, const fraction *b)
{
    pli_wide left;
    pli_wide right;
    pli_wide_multiply(&left, &a->numerator, &b->denominator);
    pli_wide_multiply(&right, &b->numerator, &a->denominator);
    return pli_wide_compare(&left, &right);
}

/* Keeps the t with value + t slope >= 0. */
static void clip(interval *t, const pli_wide *value, const pli_wide *slope)
{
    if (slope->sign == 0) {
        t->empty = t->empty || value->sign < 0;
        return;
    }
    fraction bound = {*value, *slope};
    bound.numerator.sign *= -slope->sign;
    bound.denominator.sign = 1;
    if (slope->sign > 0 && compare_fractions(&bound, &t->low) > 0) {
        t->low = bound;
    } else if (slope->sign < 0 && (!t->bounded || compare_fractions(&bound, &t->high) < 0)) {
        t->high = bound;
        t->bounded = true;
    }
    t->empty = t->empty || (t->bounded && compare_fractions(&t->low, &t->high) > 0);
}

/* Keeps the t with value + t slope = 0. */
static void clip_to_zero(interval *t, pli_wide *value, pli_wide *slope)
{
    clip(t, value, slope);
    value->sign = -value->sign;
    slope->sign = -slope->sign;
    clip(t, value, slope);
}

/* Clips to the plane through three corners. */
static void clip_to_plane(interval *t, const wide_ray *ray, pli_wide c[3][3])
{
    pli_wide u[3];
    pli_wide v[3];
    pli_wide n[3];
    pli_wide value;
    pli_wide slope;
    vector_subtract(u, c[1], c[0]);
    vector_subtract(v, c[2], c[0]);
    pli_wide_cross(n, u, v);
    vector_subtract(u, ray->origin, c[0]);
    pli_wide_dot(&value, n, u);
    pli_wide_dot(&slope, n, ray->direction);
    clip_to_zero(t, &value, &slope);
}

/* Component `axis` of (to - from) x (origin + t direction - from), which is value + t slope. */
static void edge_function(pli_wide *value, pli_wide *slope, const wide_ray *ray,
                          const pli_wide from[3], const pli_wide to[3], int axis)
{
    int j = pli_next_axis(axis);
    int k = pli_next_axis(j);
    const pli_wide *d = ray->direction;
    pli_wide u[3];
    pli_wide w[3];
    vector_subtract(u, to, from);
    vector_subtract(w, ray->origin, from);
    pli_wide_minor(value, &u[j], &u[k], &w[j], &w[k]);
    pli_wide_minor(slope, &u[j], &u[k], &d[j], &d[k]);
}

/* Clips to low <= coordinate `axis` <= high. */
static void clip_to_slab(interval *t, const wide_ray *ray, const pli_wide *low,
                         const pli_wide *high, int axis)
{
    bool swap = pli_wide_compare(low, high) > 0;
    pli_wide value;
    pli_wide slope = ray->direction[axis];
    pli_wide_subtract(&value, &ray->origin[axis], swap ? high : low);
    clip(t, &value, &slope);
    pli_wide_subtract(&value, swap ? low : high, &ray->origin[axis]);
    slope.sign = -slope.sign;
    clip(t, &value, &slope);
}

/*
 * A hull is the set of points that satisfy some linear equations and inequalities: for a triangle
 * the plane and, looking along its axis, the inner sides of its edges; for a segment its line
 * (three equations) and its box; for a point its box. Along the ray each is linear in t, with
 * integers as coefficients, so clipping gives the exact interval of t. It covers every case, rays
 * in the plane and zero directions included.
 */
static void clip_to_hull(interval *t, const wide_ray *ray, const pli_hull *hull)
{
    pli_wide c[3][3];
    pli_wide value;
    pli_wide slope;
    for (int k = 0; k < 3; ++k) {
        vector_from_float(c[k], hull->corner[k], ray->unit);
    }
    if (hull->count == 3) {
        clip_to_plane(t, ray, c);
        for (int k = 0; k < 3 && !t->empty; ++k) {
            edge_function(&value, &slope, ray, c[k], c[(k + 1) % 3], hull->axis);
            value.sign *= hull->turn;
            slope.sign *= hull->turn;
            clip(t, &value, &slope);
        }
        return;
    }
    for (int axis = 0; axis < 3 && !t->empty; ++axis) {
        clip_to_slab(t, ray, &c[0][axis], &c[1][axis], axis);
        edge_function(&value, &slope, ray, c[0], c[1], axis);
        clip_to_zero(t, &value, &slope);
    }
}

/* Starts with [0, t_max]; as a fraction t_max is an integer times 2^-149. */
static void interval_set(interval *t, float t_max)
{
    *t = (interval){.bounded = isfinite(t_max)};
    pli_wide_power(&t->low.denominator, 0);
    if (t->bounded) {
        pli_wide_from_float(&t->high.numerator, t_max, -149);
        pli_wide_power(&t->high.denominator, 149);
    }
}

/* The exact test; t->low is then the parameter of the hit. */
static PLI_NOINLINE bool ray_exact(const float origin[3], const float direction[3], float t_max,
                                   const float triangle[3][3], interval *t)
{
    wide_ray ray;
    pli_hull hull;
    interval_set(t, t_max);
    wide_ray_set(&ray, origin, direction, triangle);
    pli_hull_of_triangle(&hull, triangle, NULL);
    clip_to_hull(t, &ray, &hull);
    return !t->empty;
}

/* The parameter where the ray meets the plane of the triangle, which it crosses. */
static PLI_NOINLINE double plane_parameter(const float origin[3], const float direction[3],
                                           const float triangle[3][3])
{
    wide_ray ray;
    interval t;
    pli_wide c[3][3];
    interval_set(&t, INFINITY);
    wide_ray_set(&ray, origin, direction, triangle);
    for (int k = 0; k < 3; ++k) {
        vector_from_float(c[k], triangle[k], ray.unit);
    }
    clip_to_plane(&t, &ray, c);
    return pli_wide_quotient(&t.low.numerator, &t.low.denominator);
}

/* n.d for a prepared normal and a direction that is no difference: fewer roundings than orient3d.
 */
static pli_estimate dot_estimate(const pli_plane *plane, const float d[3])
{
    double term[3];
    double size[3];
    for (int i = 0; i < 3; ++i) {
        term[i] = plane->normal[i] * (double)d[i];
        size[i] = plane->magnitude[i] * fabs((double)d[i]);
    }
    return (pli_estimate){(term[0] + term[1]) + term[2], (size[0] + size[1]) + size[2]};
}

static int estimated_sign(pli_estimate s, double bound)
{
    if (fabs(s.value) > bound * s.permanent) {
        return s.value > 0.0 ? 1 : -1;
    }
    return 0;
}

typedef enum verdict { VERDICT_MISS, VERDICT_HIT, VERDICT_UNKNOWN } verdict;

/*
 * Whether the ray ends on the other side of the plane than it starts. f = n.(origin - a) is off by
 * at most (8e + 29e^2) P, P its permanent, and g = n.direction by no more of its permanent Q. The
 * end is at f + t_max g: the product adds e t_max Q, the sum e (P + t_max Q); fewer than 12 e (P +
 * t_max Q) in all. t_max g is 0 or in [2^-596, 2^515], so nothing underflows or overflows.
 */
static verdict crosses_plane(const pli_plane *plane, const float origin[3],
                             const float direction[3], float t_max)
{
    pli_estimate f = pli_plane_estimate(plane, origin);
    pli_estimate g = dot_estimate(plane, direction);
    pli_estimate end = g;
    if (isfinite(t_max)) {
        end.value = f.value + t_max * g.value;
        end.permanent = f.permanent + t_max * g.permanent;
    }
    int start_side = estimated_sign(f, PLI_ORIENT3D_BOUND);
    int end_side = estimated_sign(end, 12.0 * PLI_EPSILON);
    if (start_side == 0 || end_side == 0) {
        return VERDICT_UNKNOWN;
    }
    return start_side == end_side ? VERDICT_MISS : VERDICT_HIT;
}

/* Whether the line passes the three edges on one side: the sign of |p-o, q-o, direction| for edge
 * pq. */
static verdict passes_edges(const float origin[3], const float direction[3],
                            const float triangle[3][3])
{
    int seen = 0;
    bool unknown = false;
    for (int k = 0; k < 3; ++k) {
        pli_plane plane;
        pli_plane_set(&plane, origin, triangle[k], triangle[(k + 1) % 3]);
        int side = estimated_sign(dot_estimate(&plane, direction), PLI_ORIENT3D_BOUND);
        if (side * seen < 0) {
            return VERDICT_MISS;
        }
        unknown = unknown || side == 0;
        seen = side != 0 ? side : seen;
    }
    return unknown ? VERDICT_UNKNOWN : VERDICT_HIT;
}

/* Tier 1: a certain miss, a certain hit inside the triangle, or unknown. Edges strictly on both
   sides of the line are a miss whatever the plane says: a line in the plane has all three signs 0,
   and a degenerate triangle has opposite signs only if its own line is skew to the ray. */
static verdict ray_estimate(const float origin[3], const float direction[3], float t_max,
                            const float triangle[3][3])
{
    pli_plane plane;
    pli_plane_set(&plane, triangle[0], triangle[1], triangle[2]);
    verdict plane_verdict = crosses_plane(&plane, origin, direction, t_max);
    if (plane_verdict == VERDICT_MISS) {
        return VERDICT_MISS;
    }
    verdict edge_verdict = passes_edges(origin, direction, triangle);
    if (edge_verdict == VERDICT_MISS) {
        return VERDICT_MISS;
    }
    return plane_verdict == VERDICT_HIT ? edge_verdict : VERDICT_UNKNOWN;
}

PLI_NOINLINE bool pli_triangle_ray(const float origin[3], const float direction[3], float t_max,
                                   const float triangle[3][3], double *t)
{
    if (!(t_max >= 0.0f)) {
        return false;
    }
    switch (ray_estimate(origin, direction, t_max, triangle)) {
    case VERDICT_MISS:
        return false;
    case VERDICT_HIT:
        if (t != NULL) {
            *t = plane_parameter(origin, direction, triangle);
        }
        return true;
    case VERDICT_UNKNOWN:
        break;
    }
    interval hit;
    if (!ray_exact(origin, direction, t_max, triangle, &hit)) {
        return false;
    }
    if (t != NULL) {
        *t = pli_wide_quotient(&hit.low.numerator, &hit.low.denominator);
    }
    return true;
}

int pli_triangle_ray_compare(const float origin[3], const float direction[3], const float a[3][3],
                             const float b[3][3])
{
    interval hit_a;
    interval hit_b;
    ray_exact(origin, direction, INFINITY, a, &hit_a);
    ray_exact(origin, direction, INFINITY, b, &hit_b);
    return compare_fractions(&hit_a.low, &hit_b.low);
}

bool pliant_triangle_raycast(const pliant_triangle *triangle, const float origin[3],
                             const float direction[3], float t_max, double *t)
{
    pli_float_env saved = pli_float_env_enter();
    bool hit = pli_triangle_ray(origin, direction, t_max, triangle->corner, t);
    pli_float_env_leave(saved);
    return hit;
}

int pliant_triangle_compare_hits(const pliant_triangle *a, const pliant_triangle *b,
                                 const float origin[3], const float direction[3])
{
    pli_float_env saved = pli_float_env_enter();
    int order = pli_triangle_ray_compare(origin, direction, a->corner, b->corner);
    pli_float_env_leave(saved);
    return order;
}
