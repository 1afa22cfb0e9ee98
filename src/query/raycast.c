/*
 * The first triangle along a ray. Boxes are entered front to back, and those behind the best hit so
 * far are left out; triangles are tested exactly (geometry/ray.c).
 *
 * Why no box is left out wrongly. Along an axis with direction d != 0 the ray is between two sides
 * at x for the parameters between (x - o) / d. In double, with e = 2^-53, x - o and 1 / d are off
 * by a factor 1 + h, |h| <= e, each, and their product by another one. Nothing underflows or
 * overflows: x - o is 0 or in [2^-149, 2^129], 1 / d in [2^-128, 2^149]. So the computed parameter
 * p of an exact one q has the sign of q, and |q| lies between |p| / (1 + e)^3 and |p| / (1 - e)^3.
 * An axis with d = 0 needs no parameter: comparing o with the sides is exact. Let p be the largest
 * computed entry, 0 included, and r the smallest computed exit, the best hit's parameter or t_max
 * included, which is off by a factor 1 + h at most. If the ray meets the box at a parameter that
 * matters, then every exact entry is at most every exact exit, and r >= 0, because signs are right.
 * From q_p <= q_r follows p <= r (1 + e)^3 / (1 - e)^3 < r (1 + 7e), while the factor 1 + 2^-49 = 1
 * + 16e, times r and rounded, is at least r (1 + 14e). So comparing p with that product never
 * rejects such a box.
 */
#include "query/walk_one.h"

#include "base/float_env.h"
#include "base/observer.h"
#include "geometry/normal.h"
#include "geometry/triangle_distance.h"

#include <math.h>
#include <string.h>

#define WIDENED (1.0 + 0x1p-49)

/* One ray on its way through the body. */
typedef struct cast {
    pli_run *run;
    const pliant_ray *ray;
    double origin[3], inverse[3]; /* inverse 0: the ray does not move along that axis */
    double limit;                 /* parameters above it do not matter any more */
    pliant_ray_hit hit;
    float corner[3][3]; /* of the triangle hit */
} cast;

static void cast_start(cast *c, pli_run *run, const pliant_ray *ray)
{
    *c = (cast){.run = run,
                .ray = ray,
                .limit = (double)ray->t_max,
                .hit = {.t = INFINITY, .triangle = PLIANT_NO_TRIANGLE}};
    for (int k = 0; k < 3; k++) {
        c->origin[k] = (double)ray->origin[k];
        c->inverse[k] = ray->direction[k] != 0.0f ? 1.0 / (double)ray->direction[k] : 0.0;
    }
}

/*
 * Which of eight boxes the ray meets at a parameter that matters; bit j for box j, which it enters
 * at near[j]. `side` points at the lower x of the first box; its other sides follow `stride` floats
 * apart. Empty boxes are never met.
 */
static unsigned meet_boxes(const cast *c, const float *side, size_t stride, double near[PLI_WIDTH])
{
    double leave[PLI_WIDTH];
    for (int j = 0; j < PLI_WIDTH; j++) {
        near[j] = 0.0;
        leave[j] = c->limit;
    }
    for (size_t k = 0; k < 3; k++) {
        const float *lower = side + k * stride, *upper = side + (3 + k) * stride;
        double o = c->origin[k], inverse = c->inverse[k];
        if (inverse == 0.0) {
            for (int j = 0; j < PLI_WIDTH; j++) {
                bool between = (double)lower[j] <= o && o <= (double)upper[j];
                leave[j] = between ? leave[j] : -1.0;
            }
            continue;
        }
        const float *front = inverse > 0.0 ? lower : upper, *back = inverse > 0.0 ? upper : lower;
        for (int j = 0; j < PLI_WIDTH; j++) {
            double in = ((double)front[j] - o) * inverse;
            double out = ((double)back[j] - o) * inverse;
            near[j] = in > near[j] ? in : near[j];
            leave[j] = out < leave[j] ? out : leave[j];
        }
    }
    unsigned mask = 0;
    for (int j = 0; j < PLI_WIDTH; j++) {
        mask |= (unsigned)(near[j] <= leave[j] * WIDENED) << j;
    }
    return mask;
}

/* A float above every parameter that matters: t, of which the limit is the rounded value. */
static float limit_above(const cast *c)
{
    if (c->hit.triangle == PLIANT_NO_TRIANGLE) {
        return c->ray->t_max;
    }
    float rounded = (float)c->limit;
    rounded = (double)rounded > c->limit ? rounded : nextafterf(rounded, INFINITY);
    return rounded < c->ray->t_max ? rounded : c->ray->t_max;
}

/* Whether a hit at t comes before the best so far: nearer, or as near with a lower number. */
static bool comes_first(const cast *c, double t, uint32_t triangle, const float corner[3][3])
{
    if (c->hit.triangle == PLIANT_NO_TRIANGLE || t != c->hit.t) {
        return t < c->hit.t;
    }
    int order = pli_triangle_ray_compare(c->ray->origin, c->ray->direction, corner,
                                         (const float(*)[3])c->corner);
    return order < 0 || (order == 0 && triangle < c->hit.triangle);
}

static void test_triangle(cast *c, pli_cluster_view view, uint32_t slot)
{
    float corner[3][3];
    const float(*p)[3] = (const float(*)[3])corner;
    pli_slot_corners(view, slot, corner);
    uint32_t triangle = pli_slot_triangle(view, slot);
    double t = 0.0;
    c->run->query->stats.triangle_tests++;
    if (pli_triangle_ray(c->ray->origin, c->ray->direction, limit_above(c), p, &t) &&
        comes_first(c, t, triangle, p)) {
        c->hit.t = c->limit = t;
        c->hit.triangle = triangle;
        memcpy(c->corner, corner, sizeof corner);
    }
}

static void test_cluster(cast *c, pli_cluster_view view)
{
    double near[PLI_WIDTH], slot_near[PLI_WIDTH];
    unsigned leaves = meet_boxes(c, view.record->leaf_box.side[0], PLI_WIDTH, near);
    for (; leaves != 0; leaves &= leaves - 1) {
        uint32_t leaf = (uint32_t)__builtin_ctz(leaves);
        if (near[leaf] > c->limit * WIDENED) {
            continue;
        }
        uint32_t first = PLI_WIDTH * leaf;
        unsigned slots = meet_boxes(c, view.record->data + first, view.record->slots, slot_near);
        for (; slots != 0; slots &= slots - 1) {
            uint32_t slot = (uint32_t)__builtin_ctz(slots);
            if (slot_near[slot] <= c->limit * WIDENED) {
                test_triangle(c, view, first + slot);
            }
        }
    }
}

/* The point of the hit, and where on its triangle that is. The weights are those of the triangle's
   point closest to it, which rounding has moved off the triangle. */
static void describe_hit(cast *c, const pliant_shape *shape)
{
    const float(*corner)[3] = (const float(*)[3])c->corner;
    double normal[3];
    for (int k = 0; k < 3; k++) {
        c->hit.point[k] = (float)(c->origin[k] + c->hit.t * (double)c->ray->direction[k]);
    }
    pli_triangle_closest_weights(c->hit.point, corner, c->hit.weights);
    pli_unit_normal(corner, normal);
    for (int k = 0; k < 3; k++) {
        c->hit.normal[k] = (float)normal[k];
    }
    c->hit.group = shape->groups != NULL ? shape->groups[c->hit.triangle] : 0;
}

static pliant_result cast_through(cast *c)
{
    pliant_body *body = c->run->body[0];
    double near[PLI_WIDTH];
    pliant_result result = PLIANT_OK;
    if (meet_boxes(c, body->root.box.side[0], PLI_WIDTH, near) & 1) {
        result = pli_visit_push(c->run, (pli_visit){near[0], &body->root, 0, 0});
    }
    pli_visit visit;
    while (result == PLIANT_OK && pli_visit_pop(c->run, &visit)) {
        void *record = NULL;
        if (visit.near > c->limit * WIDENED) {
            continue;
        }
        result = pli_visit_open(c->run, &visit, &record);
        if (result == PLIANT_OK && (visit.child & PLI_CLUSTER_BIT)) {
            test_cluster(c, pli_view_cluster(body, visit.child, record));
        } else if (result == PLIANT_OK) {
            pli_node_record *node = record;
            unsigned mask = meet_boxes(c, node->box.side[0], PLI_WIDTH, near);
            result =
                pli_visit_push_nearest(c->run, node, &body->shape->nodes[visit.child], mask, near);
        }
    }
    if (result == PLIANT_OK && c->hit.triangle != PLIANT_NO_TRIANGLE) {
        describe_hit(c, body->shape);
    }
    return result;
}

static pliant_result check_ray(const pliant_ray *ray, uint64_t index)
{
    for (int k = 0; k < 3; k++) {
        if (!isfinite(ray->origin[k]) || !isfinite(ray->direction[k])) {
            bool origin = !isfinite(ray->origin[k]);
            return pli_fail(PLIANT_ERROR_NOT_FINITE, "ray %llu: %s %c is %f",
                            (unsigned long long)index, origin ? "origin" : "direction", "xyz"[k],
                            (double)(origin ? ray->origin[k] : ray->direction[k]));
        }
    }
    if (isnan(ray->t_max)) {
        return pli_fail(PLIANT_ERROR_NOT_FINITE, "ray %llu: t_max is not a number",
                        (unsigned long long)index);
    }
    if (ray->t_max < 0.0f) {
        return pli_fail(PLIANT_ERROR_RANGE, "ray %llu: t_max is %f; it must be 0 or more",
                        (unsigned long long)index, (double)ray->t_max);
    }
    return PLIANT_OK;
}

/* Hits are kept aside until all are known, so that a failure leaves the caller's as they were. */
static pliant_result reserve_hits(pliant_query *query, uint64_t count)
{
    if (count > SIZE_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "%llu rays", (unsigned long long)count);
    }
    bool done = PLI_RESERVE(query->context, &query->hits, (size_t)count);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

static PLI_NOINLINE pliant_result raycast(pliant_query *query, pliant_body *body,
                                          const pliant_ray *rays, uint64_t count,
                                          pliant_ray_hit *hits)
{
    pli_run run;
    uint64_t found = 0;
    pliant_result result = PLIANT_OK;
    for (uint64_t i = 0; i < count && result == PLIANT_OK; i++) {
        result = check_ray(&rays[i], i);
    }
    if (result == PLIANT_OK) {
        result = reserve_hits(query, count);
    }
    if (result == PLIANT_OK) {
        pli_run_init(&run, query, body, NULL);
        result = pli_run_begin(&run);
    }
    pli_stage_begin(query->context, PLIANT_STAGE_QUERY_TRAVERSE);
    for (uint64_t i = 0; i < count && result == PLIANT_OK; i++) {
        cast c;
        cast_start(&c, &run, &rays[i]);
        result = cast_through(&c);
        query->hits.data[i] = c.hit;
        found += c.hit.triangle != PLIANT_NO_TRIANGLE;
    }
    pli_stage_end(query->context, PLIANT_STAGE_QUERY_TRAVERSE);
    if (result == PLIANT_OK) {
        pli_run_end(&run, found);
        for (uint64_t i = 0; i < count; i++) {
            hits[i] = query->hits.data[i];
        }
    }
    return result;
}

pliant_result pliant_raycast_many(pliant_query *query, pliant_body *body, const pliant_ray *rays,
                                  uint64_t count, pliant_ray_hit *hits)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(body);
    if (count > 0) {
        PLI_REQUIRE(rays);
        PLI_REQUIRE(hits);
    }
    pli_float_env env = pli_float_env_enter();
    pliant_result result = raycast(query, body, rays, count, hits);
    pli_float_env_leave(env);
    return result;
}

pliant_result pliant_raycast(pliant_query *query, pliant_body *body, const pliant_ray *ray,
                             pliant_ray_hit *hit)
{
    PLI_REQUIRE(ray);
    PLI_REQUIRE(hit);
    return pliant_raycast_many(query, body, ray, 1, hit);
}
