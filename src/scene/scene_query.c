/*
 * Rays, closest points and boxes asked of a whole scene: each body whose box is
 * concerned is asked in turn, with what is known so far as a limit.
 */
#include "recording.h"

#include "base/float_env.h"
#include "geometry/triangle_overlap.h"
#include "query/boxes.h"

#include <math.h>
#include <string.h>

pliant_box pli_scene_member_box(const pli_member *member)
{
    return member->def.has_loose_box ? member->def.loose_box : pli_scene_body_box(member->body);
}

static pliant_body_id member_id(const pliant_scene *scene, uint32_t slot)
{
    return (pliant_body_id){slot, scene->members.data[slot].generation};
}

/* A body is about to be read: one with a loose box may have a new state. */
static pliant_result approach(pliant_scene *scene, uint32_t slot)
{
    pliant_result result = PLIANT_OK;
    if (scene->members.data[slot].def.has_loose_box) {
        result = pli_body_prepare(scene->members.data[slot].body);
    }
    return result == PLIANT_OK ? pli_scene_check_loose_box(scene, slot) : result;
}

/* ------------------------------------------------------------------- rays */

/*
 * Whether a ray may meet a box. Parameters are computed in double with three roundings, each off by
 * a factor of at most 1 + 2^-53; widening them by 2^-50 of their size keeps every point of the box.
 */
static bool may_hit(const pliant_ray *ray, const pliant_box *box)
{
    double near = 0.0, far = (double)ray->t_max;
    for (int k = 0; k < 3; k++) {
        double o = (double)ray->origin[k], d = (double)ray->direction[k];
        double low = (double)box->lower[k] - o, high = (double)box->upper[k] - o;
        if (d == 0.0) {
            if (low > 0.0 || high < 0.0) {
                return false;
            }
            continue;
        }
        double first = (d > 0.0 ? low : high) / d, last = (d > 0.0 ? high : low) / d;
        first -= fabs(first) * 0x1p-50;
        last += fabs(last) * 0x1p-50;
        near = first > near ? first : near;
        far = last < far ? last : far;
    }
    return near <= far;
}

static void current_corners(const pliant_body *body, uint32_t triangle, float corner[3][3])
{
    for (size_t c = 0; c < 3; c++) {
        uint32_t vertex = body->shape->triangles[3 * (size_t)triangle + c];
        pli_body_vertex(body, vertex, corner[c]);
    }
}

/* Whether a hit in one body comes strictly before a hit in another; parameters are rounded, so
   equal ones are compared exactly. */
static bool comes_before(const pliant_ray *ray, const pliant_body *body, const pliant_ray_hit *hit,
                         const pliant_body *other_body, const pliant_ray_hit *other)
{
    if (hit->t != other->t) {
        return hit->t < other->t;
    }
    float a[3][3], b[3][3];
    current_corners(body, hit->triangle, a);
    current_corners(other_body, other->triangle, b);
    return pli_triangle_ray_compare(ray->origin, ray->direction, (const float(*)[3])a,
                                    (const float(*)[3])b) < 0;
}

/* The ray cut off behind a hit, never before: t is rounded, and so is the limit. */
static pliant_ray cut_ray(const pliant_ray *ray, double t)
{
    pliant_ray cut = *ray;
    float limit = nextafterf(nextafterf((float)t, INFINITY), INFINITY);
    cut.t_max = limit < ray->t_max ? limit : ray->t_max;
    return cut;
}

static pliant_result cast_ray(pliant_scene *scene, const pliant_ray *ray,
                              pliant_scene_ray_hit *nearest)
{
    const pliant_body *hit_body = NULL;
    pliant_ray left = *ray;
    *nearest = (pliant_scene_ray_hit){
        .hit = {.t = INFINITY, .triangle = PLIANT_NO_TRIANGLE},
    };
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        pli_member *member = &scene->members.data[i];
        if (member->body == NULL) {
            continue;
        }
        pliant_box box = pli_scene_member_box(member);
        if (!may_hit(&left, &box)) {
            continue;
        }
        pliant_ray_hit hit;
        pliant_result result = approach(scene, i);
        if (result == PLIANT_OK) {
            result = pliant_raycast(scene->workers[0].query, member->body, &left, &hit);
        }
        if (result != PLIANT_OK) {
            return result;
        }
        if (hit.triangle != PLIANT_NO_TRIANGLE &&
            (hit_body == NULL || comes_before(ray, member->body, &hit, hit_body, &nearest->hit))) {
            *nearest = (pliant_scene_ray_hit){member_id(scene, i), hit};
            hit_body = member->body;
            left = cut_ray(ray, hit.t);
        }
    }
    return PLIANT_OK;
}

/* Names bad rays before anything is written. */
static pliant_result check_rays(const pliant_ray *rays, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            if (!isfinite(rays[i].origin[k]) || !isfinite(rays[i].direction[k])) {
                return pli_fail(PLIANT_ERROR_NOT_FINITE,
                                "ray %llu: origin or direction is not finite along %c",
                                (unsigned long long)i, "xyz"[k]);
            }
        }
        if (!(rays[i].t_max >= 0.0f)) {
            return pli_fail(PLIANT_ERROR_RANGE, "ray %llu: t_max is %f; it must be 0 or more",
                            (unsigned long long)i, (double)rays[i].t_max);
        }
    }
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result raycast(pliant_scene *scene, const pliant_ray *rays,
                                          uint64_t count, pliant_scene_ray_hit *hits)
{
    if (count == 0) {
        return PLIANT_OK;
    }
    if (!PLI_RESERVE(scene->context, &scene->hits, (size_t)count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_scene_ray_hit *found = scene->hits.data;
    pliant_result result = pli_scene_update_boxes(scene);
    for (uint64_t i = 0; i < count && result == PLIANT_OK; i++) {
        result = cast_ray(scene, &rays[i], &found[i]);
    }
    if (result == PLIANT_OK) {
        memcpy(hits, found, (size_t)count * sizeof *hits); /* not before all of them are known */
    }
    return result;
}

pliant_result pliant_scene_raycast(pliant_scene *scene, const pliant_ray *rays, uint64_t count,
                                   pliant_scene_ray_hit *hits)
{
    PLI_REQUIRE(scene);
    if (count > 0) {
        PLI_REQUIRE(rays);
        PLI_REQUIRE(hits);
    }
    pliant_result result = check_rays(rays, count);
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, __func__);
    }
    if (result == PLIANT_OK) {
        pli_asked asked = {.question = PLIANT_RECORDED_RAYCAST, .rays = rays, .ray_count = count};
        pli_float_env env = pli_float_env_enter();
        pli_recording_ask(scene, &asked);
        result = raycast(scene, rays, count, hits);
        result = pli_scene_end_call(scene, pli_recording_answer(scene, &asked, result, hits));
        pli_float_env_leave(env);
    }
    return result;
}

/* --------------------------------------------------------- closest points */

/* A distance that no point of the box comes closer than. */
static double least_distance(const float point[3], const pliant_box *box)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double below = (double)box->lower[k] - (double)point[k];
        double above = (double)point[k] - (double)box->upper[k];
        double gap = below > above ? below : above;
        sum += gap > 0.0 ? gap * gap : 0.0;
    }
    return sqrt(sum) * (1.0 - 0x1p-40); /* a handful of roundings of 2^-53 each */
}

/* The least float that is not below x. */
static float float_above(double x)
{
    float rounded = (float)x;
    return (double)rounded < x ? nextafterf(rounded, INFINITY) : rounded;
}

static PLI_NOINLINE pliant_result closest_point(pliant_scene *scene, const float point[3],
                                                float max_distance, pliant_scene_closest *closest)
{
    pliant_result result = pli_scene_update_boxes(scene);
    pliant_scene_closest best = {.closest = {.triangle = PLIANT_NO_TRIANGLE}};
    float limit = max_distance;
    for (uint32_t i = 0; i < scene->slot_count && result == PLIANT_OK; i++) {
        pli_member *member = &scene->members.data[i];
        pliant_box box =
            member->body != NULL ? pli_scene_member_box(member) : (pliant_box){{0}, {0}};
        if (member->body == NULL || least_distance(point, &box) > (double)limit) {
            continue;
        }
        pliant_closest found;
        result = approach(scene, i);
        if (result == PLIANT_OK) {
            result = pliant_find_closest_point(scene->workers[0].query, member->body, point, limit,
                                               &found);
        }
        if (result == PLIANT_OK && found.found &&
            (best.body.generation == 0 || found.distance < best.closest.distance)) {
            best = (pliant_scene_closest){member_id(scene, i), found};
            float above = float_above(found.distance);
            limit = above < limit ? above : limit;
        }
    }
    if (result == PLIANT_OK) {
        *closest = best;
    }
    return result;
}

pliant_result pliant_scene_find_closest_point(pliant_scene *scene, const float point[3],
                                              float max_distance, pliant_scene_closest *closest)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(point);
    PLI_REQUIRE(closest);
    for (int k = 0; k < 3; k++) {
        if (!isfinite(point[k])) {
            return pli_fail(PLIANT_ERROR_NOT_FINITE, "point: coordinate %c is %f", "xyz"[k],
                            (double)point[k]);
        }
    }
    if (!(max_distance >= 0.0f)) {
        return pli_fail(PLIANT_ERROR_RANGE, "max_distance is %f; it must be 0 or more",
                        (double)max_distance);
    }
    pliant_result result = pli_scene_begin_call(scene, __func__);
    if (result == PLIANT_OK) {
        pli_asked asked = {.question = PLIANT_RECORDED_FIND_CLOSEST_POINT,
                           .point = point,
                           .distance = max_distance};
        pli_float_env env = pli_float_env_enter();
        pli_recording_ask(scene, &asked);
        result = closest_point(scene, point, max_distance, closest);
        result = pli_scene_end_call(scene, pli_recording_answer(scene, &asked, result, closest));
        pli_float_env_leave(env);
    }
    return result;
}

/* ------------------------------------------------------------------ boxes */

static bool boxes_meet(const pliant_box *a, const pliant_box *b)
{
    for (int k = 0; k < 3; k++) {
        if (a->lower[k] > b->upper[k] || b->lower[k] > a->upper[k]) {
            return false;
        }
    }
    return true;
}

/* Appends one body's triangles to the answer. */
static pliant_result add_triangles(pliant_scene *scene, uint32_t slot, const uint32_t *found,
                                   uint64_t count, pliant_scene_triangles *answer)
{
    if (count == 0) {
        return PLIANT_OK;
    }
    if (!PLI_RESERVE(scene->context, &scene->triangles, (size_t)(answer->count + count)) ||
        !PLI_RESERVE(scene->context, &scene->ranges, (size_t)answer->body_count + 1)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memcpy(scene->triangles.data + answer->count, found, (size_t)count * sizeof *found);
    scene->ranges.data[answer->body_count++] =
        (pliant_scene_range){member_id(scene, slot), answer->count, count};
    answer->count += count;
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result overlap_box(pliant_scene *scene, const pliant_box *box,
                                              pliant_scene_triangles *answer)
{
    pliant_scene_triangles made = {.count = 0};
    pliant_result result = pli_scene_update_boxes(scene);
    for (uint32_t i = 0; i < scene->slot_count && result == PLIANT_OK; i++) {
        pli_member *member = &scene->members.data[i];
        pliant_box own =
            member->body != NULL ? pli_scene_member_box(member) : (pliant_box){{0}, {0}};
        if (member->body == NULL || !boxes_meet(&own, box)) {
            continue;
        }
        const uint32_t *found = NULL;
        uint64_t count = 0;
        result = approach(scene, i);
        if (result == PLIANT_OK) {
            result = pliant_overlap_box(scene->workers[0].query, member->body, box, &found, &count);
        }
        if (result == PLIANT_OK) {
            result = add_triangles(scene, i, found, count, &made);
        }
    }
    if (result == PLIANT_OK) {
        made.bodies = made.body_count > 0 ? scene->ranges.data : NULL;
        made.triangles = made.count > 0 ? scene->triangles.data : NULL;
        *answer = made;
    }
    return result;
}

pliant_result pliant_scene_overlap_box(pliant_scene *scene, const pliant_box *box,
                                       pliant_scene_triangles *triangles)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(box);
    PLI_REQUIRE(triangles);
    pliant_result result = pli_box_check(box, "box");
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, __func__);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pli_asked asked = {.question = PLIANT_RECORDED_OVERLAP_BOX, .box = box};
    pli_float_env env = pli_float_env_enter();
    pli_recording_ask(scene, &asked);
    result = overlap_box(scene, box, triangles);
    result = pli_scene_end_call(scene, pli_recording_answer(scene, &asked, result, triangles));
    pli_float_env_leave(env);
    return result;
}
