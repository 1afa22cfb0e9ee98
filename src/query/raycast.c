/* Rays through one body: the calls. */
#include "query/ray_walk.h"
#include "query/query.h"

#include "base/float_env.h"
#include "base/context.h"

#include <string.h>

/* Checks what rays are asked about, and begins a run. Hits are kept aside until all are known, so
   that a failure leaves the caller's as they were. */
static pliant_result begin(pli_run *run, pliant_query *query, pliant_body *body,
                           const pliant_ray *rays, uint64_t count)
{
    pliant_result result = pli_rays_check(rays, count);
    if (result == PLIANT_OK) {
        pli_run_init(run, &query->worker, body, NULL);
        result = pli_run_begin(run);
    }
    return result;
}

static PLI_NOINLINE pliant_result raycast(pliant_query *query, pliant_body *body,
                                          const pliant_ray *rays, uint64_t count,
                                          pliant_ray_hit *hits)
{
    pli_run run;
    uint64_t found = 0;
    pliant_result result = begin(&run, query, body, rays, count);
    if (result == PLIANT_OK && !PLI_RESERVE(query->context, &query->hits, (size_t)count)) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_stage_begin(query->context, PLIANT_STAGE_QUERY_TRAVERSE);
    for (uint64_t i = 0; i < count && result == PLIANT_OK; i++) {
        pli_cast cast;
        pli_cast_start(&cast, query->context, &rays[i], PLI_CAST_FIRST);
        result = pli_cast_through(&cast, &run, 0);
        pli_touch_report(&rays[i], cast.found ? &cast.first : NULL, body->shape,
                         &query->hits.data[i]);
        found += cast.found;
    }
    pli_stage_end(query->context, PLIANT_STAGE_QUERY_TRAVERSE);
    if (result == PLIANT_OK) {
        pli_run_end(query, &run, found);
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

/* Adds what the query has of one ray to its hits, in order. */
static pliant_result add_hits(pliant_query *query, const pliant_ray *ray, const pliant_shape *shape)
{
    const uint64_t *order = NULL;
    pli_worker *worker = &query->worker;
    size_t count = worker->touches.count;
    pliant_result result = pli_touches_sort(worker, ray, &order);
    if (result == PLIANT_OK && !PLI_RESERVE_MORE(query->context, &query->hits, count)) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        pli_touch_report(ray, &worker->touches.data[order[i]], shape,
                         &query->hits.data[query->hits.count++]);
    }
    return result;
}

static pliant_result cast_all(pliant_query *query, pli_run *run, const pliant_ray *rays,
                              uint64_t count)
{
    if (!PLI_RESERVE(query->context, &query->hit_starts, (size_t)count + 1)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = PLIANT_OK;
    query->hits.count = 0;
    query->hit_starts.data[0] = 0;
    for (uint64_t i = 0; i < count && result == PLIANT_OK; i++) {
        pli_cast cast;
        query->worker.touches.count = 0;
        pli_cast_start(&cast, query->context, &rays[i], PLI_CAST_ALL);
        result = pli_cast_through(&cast, run, 0);
        if (result == PLIANT_OK) {
            result = add_hits(query, &rays[i], run->body[0]->shape);
        }
        query->hit_starts.data[i + 1] = query->hits.count;
    }
    return result;
}

static PLI_NOINLINE pliant_result raycast_all(pliant_query *query, pliant_body *body,
                                              const pliant_ray *rays, uint64_t count,
                                              pliant_ray_hits *hits)
{
    pli_run run;
    pliant_result result = begin(&run, query, body, rays, count);
    if (result == PLIANT_OK) {
        result = cast_all(query, &run, rays, count);
    }
    if (result == PLIANT_OK) {
        pli_run_end(query, &run, query->hits.count);
        *hits = (pliant_ray_hits){.starts = query->hit_starts.data,
                                  .hits = query->hits.count > 0 ? query->hits.data : NULL,
                                  .count = query->hits.count};
    }
    return result;
}

pliant_result pliant_raycast_all(pliant_query *query, pliant_body *body, const pliant_ray *rays,
                                 uint64_t count, pliant_ray_hits *hits)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(body);
    PLI_REQUIRE(hits);
    if (count > 0) {
        PLI_REQUIRE(rays);
    }
    pli_float_env env = pli_float_env_enter();
    pliant_result result = raycast_all(query, body, rays, count, hits);
    pli_float_env_leave(env);
    return result;
}
