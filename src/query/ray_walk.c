/*
 * Boxes are entered front to back, and those behind the best hit so far are left out; triangles are
 * tested exactly (geometry/ray.c).
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
#include "query/ray_walk.h"

#include "base/sort.h"
#include "geometry/vec3.h"
#include "geometry/triangle_distance.h"
#include "geometry/triangle_overlap.h"
#include "query/descend.h"

#include <math.h>
#include <string.h>

void pli_cast_start(pli_cast *cast, pliant_context *context, const pliant_ray *ray,
                    pli_cast_mode mode)
{
    cast->ray = ray;
    cast->kernels = pli_context_kernels(context)->point;
    cast->mode = mode;
    cast->found = false;
    cast->lines.limit = (double)ray->t_max;
    for (int k = 0; k < 3; k++) {
        cast->lines.origin[k] = (double)ray->origin[k];
        cast->lines.inverse[k] = ray->direction[k] != 0.0f ? 1.0 / (double)ray->direction[k] : 0.0;
    }
}

/* A float above every parameter that matters: t, of which the limit is the rounded value. */
static float limit_above(const pli_cast *c)
{
    if (!c->found || c->mode != PLI_CAST_FIRST) {
        return c->ray->t_max;
    }
    float rounded = (float)c->lines.limit;
    rounded = (double)rounded > c->lines.limit ? rounded : nextafterf(rounded, INFINITY);
    return rounded < c->ray->t_max ? rounded : c->ray->t_max;
}

/* The order of touches: by parameter, which is rounded, so that equal ones are compared exactly;
   then by body and triangle. */
static bool comes_first(const pliant_ray *ray, const pli_ray_touch *a, const pli_ray_touch *b)
{
    if (a->t != b->t) {
        return a->t < b->t;
    }
    int order = pli_triangle_ray_compare(ray->origin, ray->direction, (const float(*)[3])a->corner,
                                         (const float(*)[3])b->corner);
    if (order != 0) {
        return order < 0;
    }
    return a->body != b->body ? a->body < b->body : a->triangle < b->triangle;
}

static pliant_result keep(pli_cast *c, pli_worker *worker, const pli_ray_touch *touch)
{
    if (c->mode == PLI_CAST_ALL) {
        c->found = true;
        bool done = PLI_PUSH(worker->context, &worker->touches, *touch);
        return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (!c->found || comes_first(c->ray, touch, &c->first)) {
        c->first = *touch;
        c->lines.limit = touch->t;
    }
    c->found = true;
    return PLIANT_OK;
}

static pliant_result test_triangle(pli_cast *c, pli_run *run, uint32_t body, pli_cluster_view view,
                                   uint32_t slot)
{
    pli_ray_touch touch;
    pli_slot_corners(view, slot, touch.corner);
    run->worker->stats.triangle_tests++;
    double *t = c->mode != PLI_CAST_ANY ? &touch.t : NULL; /* to know it takes longest */
    if (!pli_triangle_ray(c->ray->origin, c->ray->direction, limit_above(c),
                          (const float(*)[3])touch.corner, t)) {
        return PLIANT_OK;
    }
    if (c->mode == PLI_CAST_ANY) {
        c->found = true;
        c->lines.limit = -1.0; /* nothing matters any more */
        return PLIANT_OK;
    }
    touch.body = body;
    touch.triangle = pli_slot_triangle(view, slot);
    return keep(c, run->worker, &touch);
}

static pliant_result test_cluster(pli_cast *c, pli_run *run, uint32_t body, pli_cluster_view view)
{
    double near[PLI_WIDTH], slot_near[PLI_WIDTH];
    pliant_result result = PLIANT_OK;
    unsigned leaves =
        c->kernels->ray_boxes(view.record->leaf_box.side[0], PLI_WIDTH, &c->lines, near);
    for (; leaves != 0; leaves &= leaves - 1) {
        uint32_t leaf = (uint32_t)__builtin_ctz(leaves);
        if (near[leaf] > c->lines.limit * PLI_RAY_WIDENED) {
            continue;
        }
        uint32_t first = PLI_WIDTH * leaf;
        unsigned slots = c->kernels->ray_boxes(view.record->data + first, view.record->slots,
                                               &c->lines, slot_near);
        for (; slots != 0 && result == PLIANT_OK; slots &= slots - 1) {
            uint32_t slot = (uint32_t)__builtin_ctz(slots);
            if (slot_near[slot] <= c->lines.limit * PLI_RAY_WIDENED) {
                result = test_triangle(c, run, body, view, first + slot);
            }
        }
    }
    return result;
}

pliant_result pli_cast_through(pli_cast *c, pli_run *run, uint32_t body_number)
{
    pliant_body *body = run->body[0];
    double near[PLI_WIDTH];
    pliant_result result = PLIANT_OK;
    run->worker->visits.count = 0;
    if (c->kernels->ray_boxes(body->root.box.side[0], PLI_WIDTH, &c->lines, near) & 1) {
        result = pli_visit_push(run, (pli_visit){near[0], &body->root, 0, 0});
    }
    pli_visit visit;
    while (result == PLIANT_OK && pli_visit_pop(run, &visit)) {
        void *record = NULL;
        if (visit.near > c->lines.limit * PLI_RAY_WIDENED) {
            continue;
        }
        result = pli_visit_open(run, &visit, &record);
        if (result == PLIANT_OK && (visit.child & PLI_CLUSTER_BIT)) {
            result = test_cluster(c, run, body_number, pli_view_cluster(body, visit.child, record));
        } else if (result == PLIANT_OK) {
            pli_node_record *node = record;
            unsigned mask = c->kernels->ray_boxes(node->box.side[0], PLI_WIDTH, &c->lines, near);
            result = pli_visit_push_nearest(run, node, visit.child, mask, near);
        }
    }
    return result;
}

/* The point of the hit, and where on its triangle that is. The weights are those of the triangle's
   point closest to it, which rounding has moved off the triangle. */
void pli_touch_report(const pliant_ray *ray, const pli_ray_touch *touch, const pliant_shape *shape,
                      pliant_ray_hit *hit)
{
    *hit = (pliant_ray_hit){.t = INFINITY, .triangle = PLIANT_NO_TRIANGLE};
    if (touch == NULL) {
        return;
    }
    const float(*corner)[3] = (const float(*)[3])touch->corner;
    double normal[3];
    hit->t = touch->t;
    hit->triangle = touch->triangle;
    for (int k = 0; k < 3; k++) {
        hit->point[k] = (float)((double)ray->origin[k] + touch->t * (double)ray->direction[k]);
    }
    pli_triangle_closest_weights(hit->point, corner, hit->weights);
    pli_unit_normal(corner, normal);
    for (int k = 0; k < 3; k++) {
        hit->normal[k] = (float)normal[k];
    }
    hit->group = shape->groups != NULL ? shape->groups[touch->triangle] : 0;
}

/* Puts entry i of the order before those in front of it that come later: these go back to `low`.
   Rounded parameters from there to i are equal. */
static void insert_touch(const pliant_ray *ray, const pli_ray_touch *touches, uint64_t *order,
                         size_t low, size_t i)
{
    uint64_t moved = order[i];
    size_t high = i;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool before = comes_first(ray, &touches[moved], &touches[order[middle]]);
        high = before ? middle : high;
        low = before ? low : middle + 1;
    }
    memmove(order + low + 1, order + low, (i - low) * sizeof *order);
    order[low] = moved;
}

pliant_result pli_touches_sort(pli_worker *worker, const pliant_ray *ray, const uint64_t **order)
{
    size_t count = worker->touches.count;
    if (!PLI_RESERVE(worker->context, &worker->results->keys, count) ||
        !PLI_RESERVE(worker->context, &worker->key_scratch, count) ||
        !PLI_RESERVE(worker->context, &worker->order, count) ||
        !PLI_RESERVE(worker->context, &worker->order_scratch, count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    const pli_ray_touch *touches = worker->touches.data;
    uint64_t *keys = worker->results->keys.data, *places = worker->order.data;
    for (size_t i = 0; i < count; i++) {
        double t = touches[i].t + 0.0; /* never -0: bits of numbers from 0 on are in their order */
        memcpy(&keys[i], &t, sizeof t);
        places[i] = i;
    }
    pli_sort_keys(keys, worker->key_scratch.data, places, worker->order_scratch.data, count);
    size_t equal = 0;
    for (size_t i = 1; i < count; i++) {
        if (keys[i] == keys[equal]) {
            insert_touch(ray, touches, places, equal, i);
        } else {
            equal = i;
        }
    }
    *order = places;
    return PLIANT_OK;
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

pliant_result pli_rays_check(const pliant_ray *rays, uint64_t count)
{
    pliant_result result = PLIANT_OK;
    for (uint64_t i = 0; i < count && result == PLIANT_OK; i++) {
        result = check_ray(&rays[i], i);
    }
    return result == PLIANT_OK && count >= SIZE_MAX
               ? pli_fail(PLIANT_ERROR_TOO_LARGE, "%llu rays", (unsigned long long)count)
               : result;
}
