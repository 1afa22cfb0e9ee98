/*
 * When two moving bodies begin to touch, by first-contact queries at sampled times and bisection.
 * Based on: T. Larsson, T. Akenine-Moller, Collision Detection for Continuously Deforming Bodies,
 * Eurographics 2001, who suggest to back-track in time to the first contact.
 *
 * Ours looks at several times per step if asked to, and keeps both ends of the interval: a time at
 * which the bodies are free and one at which they touch.
 */
#include "query/query.h"

#include "base/float_env.h"

#include <math.h>

enum { MOST_SAMPLES = 1 << 20 };

static const pliant_contact_time_options default_options = {
    .samples = 1, .tolerance = 0x1p-10f, .tag = PLI_TAG(pliant_contact_time_options)};

pliant_contact_time_options pliant_contact_time_options_default(void)
{
    return default_options;
}

/* One search. The bodies' own positions are kept here while others are tried. */
typedef struct tracking {
    pliant_query *query;
    pliant_body *body[2];
    pliant_motion motion[2]; /* start NULL: the body does not move */
    pli_positions positions[2];
    pli_pose pose[2]; /* measured for these positions */
    bool valid[2], by_positions[2];
    const pliant_contact_time_options *options;
    pliant_stats stats; /* of all queries so far */
    pliant_contact_time found;
} tracking;

static const float *position(const float *first, size_t stride, size_t vertex)
{
    return (const float *)(const void *)((const char *)first + vertex * stride);
}

/* Computes all positions at a time between 0 and 1. */
static pliant_result interpolate(const tracking *t, int i, float time)
{
    const pliant_motion *motion = &t->motion[i];
    float *moved = t->query->moved[i].data;
    uint32_t count = t->body[i]->shape->vertex_count;
    for (size_t v = 0; v < count; v++) {
        const float *x0 = position(motion->start, motion->stride, v);
        const float *x1 = position(motion->end, motion->stride, v);
        for (size_t k = 0; k < 3; k++) {
            float x = x0[k] + time * (x1[k] - x0[k]);
            moved[3 * v + k] = x;
            if (!isfinite(x)) {
                return pli_fail(PLIANT_ERROR_NOT_FINITE,
                                "motion of the %s body: vertex %zu: coordinate %c goes from %f to "
                                "%f",
                                i == 0 ? "first" : "second", v, "xyz"[k], (double)x0[k],
                                (double)x1[k]);
            }
        }
    }
    return PLIANT_OK;
}

/* Puts a body in its state at a time. */
static pliant_result move_body(const tracking *t, int i, float time)
{
    const pliant_motion *motion = &t->motion[i];
    if (motion->start == NULL) {
        return PLIANT_OK;
    }
    if (time == 0.0f || time == 1.0f) {
        return pliant_body_share_positions(t->body[i], time == 0.0f ? motion->start : motion->end,
                                           motion->stride);
    }
    pliant_result result = interpolate(t, i, time);
    return result == PLIANT_OK
               ? pliant_body_share_positions(t->body[i], t->query->moved[i].data, 3 * sizeof(float))
               : result;
}

static void add_stats(pliant_stats *sum, const pliant_stats *more)
{
    sum->nodes_refreshed += more->nodes_refreshed;
    sum->clusters_refreshed += more->clusters_refreshed;
    sum->vertices_read += more->vertices_read;
    sum->nodes_tested += more->nodes_tested;
    sum->triangle_tests += more->triangle_tests;
    sum->exact_fallbacks += more->exact_fallbacks;
    sum->seconds_update += more->seconds_update;
    sum->seconds_traverse += more->seconds_traverse;
    sum->seconds_sort += more->seconds_sort;
    sum->bytes = more->bytes > sum->bytes ? more->bytes : sum->bytes;
}

/* Whether the bodies touch at a time; if so that time and the pair are noted. */
static pliant_result try_time(tracking *t, float time, bool *touches)
{
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.mode = PLIANT_COLLIDE_FIRST;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < 2 && result == PLIANT_OK; i++) {
        result = move_body(t, i, time);
    }
    if (result == PLIANT_OK) {
        result = pliant_collide(t->query, t->body[0], t->body[1], &options, &contacts);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    add_stats(&t->stats, &t->query->stats);
    t->found.tried++;
    *touches = contacts.count > 0;
    if (*touches) {
        t->found.touches = true;
        t->found.touching = time;
        t->found.pair = contacts.pairs[0];
    } else {
        t->found.free = time;
    }
    return PLIANT_OK;
}

static pliant_result search_samples(tracking *t)
{
    uint32_t samples = t->options->samples;
    bool touches = false;
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i <= samples && !touches && result == PLIANT_OK; i++) {
        result = try_time(t, (float)i / (float)samples, &touches);
    }
    return result;
}

static pliant_result bisect(tracking *t)
{
    const pliant_contact_time *found = &t->found;
    while (found->touching - found->free > t->options->tolerance) {
        float middle = found->free + 0.5f * (found->touching - found->free);
        if (!(middle > found->free && middle < found->touching)) {
            break; /* there is no number between */
        }
        bool touches = false;
        pliant_result result = try_time(t, middle, &touches);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return PLIANT_OK;
}

static pliant_result check_options(const pliant_contact_time_options *options)
{
    PLI_REQUIRE_TAG(options, pliant_contact_time_options);
    if (options->samples < 1 || options->samples > MOST_SAMPLES) {
        return pli_fail(PLIANT_ERROR_RANGE, "samples is %u; it must be 1 to %u", options->samples,
                        (unsigned)MOST_SAMPLES);
    }
    if (!(options->tolerance >= 0.0f && options->tolerance <= 1.0f)) {
        return pli_fail(PLIANT_ERROR_RANGE, "tolerance is %f; it must be 0 to 1",
                        (double)options->tolerance);
    }
    return PLIANT_OK;
}

/* Checks a motion and makes room for positions between its ends. */
static pliant_result adopt_motion(tracking *t, int i, const pliant_motion *motion)
{
    pliant_query *query = t->query;
    if (motion == NULL) {
        return PLIANT_OK;
    }
    const char *which = i == 0 ? "first" : "second";
    t->motion[i] = *motion;
    size_t *stride = &t->motion[i].stride;
    *stride = *stride == 0 ? 3 * sizeof(float) : *stride;
    if (motion->start == NULL || motion->end == NULL) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "motion of the %s body: %s is NULL", which,
                        motion->start == NULL ? "start" : "end");
    }
    if (*stride < 3 * sizeof(float) || *stride % sizeof(float) != 0) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "motion of the %s body: stride is %zu; it must be 0 or a multiple of 4 "
                        "from 12 on",
                        which, *stride);
    }
    size_t numbers = 3 * (size_t)t->body[i]->shape->vertex_count;
    bool done = PLI_RESERVE(query->context, &query->moved[i], numbers);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Gives a body its own positions back. */
static void restore(tracking *t, int i)
{
    if (t->motion[i].start != NULL) {
        pli_body_forget(t->body[i]);
        t->body[i]->positions = t->positions[i];
        t->body[i]->pose = t->pose[i];
        t->body[i]->valid = t->valid[i];
        if (t->body[i]->by_positions != t->by_positions[i]) {
            t->body[i]->by_positions = t->by_positions[i];
            pli_body_adopt_update(t->body[i]);
        }
    }
}

static PLI_NOINLINE pliant_result find_time(tracking *t)
{
    for (int i = 0; i < 2; i++) {
        t->positions[i] = t->body[i]->positions;
        t->pose[i] = t->body[i]->pose;
        t->valid[i] = t->body[i]->valid;
        t->by_positions[i] = t->body[i]->by_positions;
    }
    pliant_result result = search_samples(t);
    if (result == PLIANT_OK && t->found.touches && t->found.touching > 0.0f) {
        result = bisect(t);
    }
    for (int i = 0; i < 2; i++) {
        restore(t, i);
    }
    return result;
}

pliant_result pliant_find_contact_time(pliant_query *query, pliant_body *a,
                                       const pliant_motion *motion_a, pliant_body *b,
                                       const pliant_motion *motion_b,
                                       const pliant_contact_time_options *options,
                                       pliant_contact_time *time)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    PLI_REQUIRE(time);
    tracking t = {
        .query = query, .body = {a, b}, .options = options != NULL ? options : &default_options};
    pliant_result result = check_options(t.options);
    if (result == PLIANT_OK && a == b) {
        result = pli_fail(PLIANT_ERROR_ARGUMENT, "pliant_find_contact_time: both bodies are the "
                                                 "same");
    }
    for (int i = 0; i < 2 && result == PLIANT_OK; i++) {
        result = pli_body_check_idle(t.body[i], __func__);
    }
    const pliant_motion *motion[2] = {motion_a, motion_b};
    for (int i = 0; i < 2 && result == PLIANT_OK; i++) {
        result = adopt_motion(&t, i, motion[i]);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pli_float_env env = pli_float_env_enter();
    result = find_time(&t);
    pli_float_env_leave(env);
    if (result == PLIANT_OK) {
        *time = t.found;
        query->stats = t.stats;
        query->stats.pairs = t.found.touches;
    }
    return result;
}
