/*
 * Which triangles meet while bodies move (definition D9), or come within a distance (D15): a walk
 * over the trees of two sweeps, whose boxes hold their bodies throughout the step, down to the test
 * of moving triangles. With a distance the walk is that of pliant_find_within(), with grown boxes.
 */
#include "query/meetings.h"

#include "query/collision.h"
#include "query/meeting_order.h"
#include "query/neighbours.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "base/context.h"
#include "geometry/moving_approach.h"
#include "geometry/moving_triangles.h"

#include <string.h>

typedef pli_meeting_walk meeting_walk;

enum { GIVEN_AT_ONCE = 256 }; /* to a callback */

static const pliant_meeting_options default_options = {
    .mode = PLIANT_COLLIDE_ALL,
    .tag = PLI_TAG(pliant_meeting_options),
};

PLIANT_DEFINE_DEFAULT(pliant_meeting_options)
{
    return default_options;
}

pliant_result pli_check_meeting_options(const pliant_meeting_options *options)
{
    PLI_REQUIRE_TAG(options, pliant_meeting_options);
    if ((unsigned)options->mode > PLIANT_COLLIDE_FIRST) {
        return pli_fail(PLIANT_ERROR_RANGE, "mode is %d; there is no such one", (int)options->mode);
    }
    return pli_distance_check(options->distance);
}

/* ------------------------------------------------------------------ tests */

/* The triangle in a slot of a swept cluster, throughout the step. */
static void read_slot(pli_cluster_view view, uint32_t slot, float at[2][3][3],
                      pliant_moving_triangle *moving)
{
    pli_cluster_view end = view;
    end.record = pli_swept_end(view.cluster, view.record);
    pli_slot_corners(view, slot, at[0]);
    pli_slot_corners(end, slot, at[1]);
    for (int c = 0; c < 3; c++) {
        memcpy(moving->corner[c].start, at[0][c], sizeof at[0][c]);
        memcpy(moving->corner[c].end, at[1][c], sizeof at[1][c]);
    }
}

static bool groups_allow(const meeting_walk *m, uint32_t a, uint32_t b)
{
    const pliant_meeting_options *options = m->options;
    const pliant_shape *first = m->walk.run.body[0]->shape, *second = m->walk.run.body[1]->shape;
    if (pli_in_groups(first, options->groups_a, a) && pli_in_groups(second, options->groups_b, b)) {
        return true;
    }
    return m->walk.run.self && pli_in_groups(first, options->groups_a, b) &&
           pli_in_groups(second, options->groups_b, a);
}

/* When only the first is asked for: what was found so far, NULL if nothing. */
static pliant_meeting *first_so_far(const meeting_walk *m)
{
    const pli_worker *worker = m->walk.run.worker;
    bool found = m->options->mode == PLIANT_COLLIDE_FIRST && worker->results->keys.count > m->first;
    pliant_meeting *all = worker->results->column[PLI_MEETINGS].data;
    return found ? all + m->first : NULL;
}

/* Whether a pair can be no earlier than what was found, and comes behind it in the order of pairs.
 */
static bool comes_too_late(const meeting_walk *m, const uint32_t triangle[2])
{
    const pliant_meeting *first = first_so_far(m);
    uint64_t key = (uint64_t)triangle[0] << 32 | triangle[1];
    return first != NULL && first->time.high == 0.0 &&
           key > m->walk.run.worker->results->keys.data[m->first];
}

/* What meets later than this is not asked for. */
static double find_limit(const meeting_walk *m)
{
    const pliant_meeting *first = first_so_far(m);
    return first != NULL && first->time.high < m->limit ? first->time.high : m->limit;
}

/* Gives what was found since the last time to the callback. */
static void flush(meeting_walk *m)
{
    pli_worker *worker = m->walk.run.worker;
    pliant_meetings batch = {.pairs = (const pliant_pair *)(void *)worker->results->keys.data,
                             .meetings = worker->results->column[PLI_MEETINGS].data,
                             .count = worker->results->keys.count};
    pli_keys_to_pairs(worker->results->keys.data, worker->results->keys.count);
    worker->results->keys.count = 0;
    m->reported += batch.count;
    if (batch.count > 0 && !m->options->callback(m->options->callback_user, &batch)) {
        m->walk.run.stopped = true;
        m->walk.run.complete = false;
    }
}

/* Reports a meeting; when only the first is asked for, that stands alone. */
static pliant_result report(meeting_walk *m, const uint32_t triangle[2],
                            const pliant_meeting *meeting)
{
    pli_worker *worker = m->walk.run.worker;
    uint64_t key = (uint64_t)triangle[0] << 32 | triangle[1];
    pliant_meeting *place = first_so_far(m);
    if (place != NULL) {
        uint64_t *first = worker->results->keys.data + m->first;
        pliant_body *const *sweep = m->walk.run.body;
        pli_timed_pair found = {{sweep[0], sweep[1]}, key, meeting};
        pli_timed_pair earliest = {{sweep[0], sweep[1]}, *first, place};
        int order = pli_compare_meetings(&found, &earliest);
        if (order > 0 || (order == 0 && key > *first)) {
            return PLIANT_OK;
        }
        *first = key;
    } else {
        place = pli_results_add(worker, worker->results, key, PLI_MEETINGS);
    }
    if (place == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *place = *meeting;
    if (m->options->callback != NULL && worker->results->keys.count == GIVEN_AT_ONCE) {
        flush(m);
    }
    return PLIANT_OK;
}

/* Whether features of two triangles of one body meet or come within the distance. */
static bool features_meet(const meeting_walk *m, const pliant_moving_triangle moving[2],
                          uint32_t open, double limit, pliant_meeting *meeting)
{
    return m->walk.grow > 0.0f
               ? pli_moving_features_approach(&moving[0], &moving[1], open,
                                              (double)m->near.distance, limit, meeting)
               : pli_moving_features_meet(&moving[0], &moving[1], open, limit, meeting,
                                          &m->walk.run.worker->stats.exact_fallbacks);
}

/* Two triangles that come within the distance and have no vertex in common. */
static bool come_near(const meeting_walk *m, const pliant_moving_triangle moving[2],
                      pliant_meeting *meeting)
{
    return pli_moving_triangles_approach(&moving[0], &moving[1], (double)m->near.distance,
                                         find_limit(m), meeting,
                                         &m->walk.run.worker->stats.exact_fallbacks);
}

/* Two triangles of one body, at `a` and `b` at both ends. */
static bool meet_self(const meeting_walk *m, const uint32_t triangle[2],
                      const pliant_moving_triangle moving[2], float a[2][3][3], float b[2][3][3],
                      pliant_meeting *meeting)
{
    const pliant_shape *shape = m->walk.run.body[0]->shape;
    uint64_t *fallbacks = &m->walk.run.worker->stats.exact_fallbacks;
    bool near = m->walk.grow > 0.0f;
    uint32_t apart = pli_unshared_features(shape, triangle[0], triangle[1]);
    if (near && apart == PLI_ALL_FEATURE_PAIRS) {
        return come_near(m, moving, meeting);
    }
    if (near && pli_moving_boxes_apart(&moving[0], &moving[1], (double)m->near.distance)) {
        return false;
    }
    uint32_t open = near ? PLI_ALL_FEATURE_PAIRS : pli_moving_open_features(&moving[0], &moving[1]);
    if (open == 0) {
        return false;
    }
    double limit = find_limit(m);
    bool touch[2];
    for (int end = 0; end < 2; end++) {
        touch[end] =
            pli_touch_self(shape, triangle[0], triangle[1], (const float(*)[3])a[end],
                           (const float(*)[3])b[end], PLIANT_NEIGHBOURS_BEYOND_SHARED, fallbacks);
        if (touch[0]) {
            *meeting = (pliant_meeting){.kind = PLIANT_MEETING_START};
            return true;
        }
    }
    if (features_meet(m, moving, open & apart, limit, meeting)) {
        return true;
    }
    *meeting = (pliant_meeting){.kind = PLIANT_MEETING_END, .time = {1.0, 1.0}};
    return touch[1];
}

/* A pair of slots, and what kernels know of it. */
typedef struct slot_pair {
    uint32_t a, b;
    bool apart_at_start; /* for certain */
    uint32_t open;       /* features that may meet, where kernels were asked */
} slot_pair;

/* Two triangles of different bodies. */
static bool meet_other(const meeting_walk *m, const pliant_moving_triangle moving[2],
                       const slot_pair *pair, pliant_meeting *meeting)
{
    uint64_t *fallbacks = &m->walk.run.worker->stats.exact_fallbacks;
    if (m->walk.grow > 0.0f) {
        return come_near(m, moving, meeting);
    }
    if (!pair->apart_at_start && pli_moving_touch_at_start(&moving[0], &moving[1], fallbacks)) {
        *meeting = (pliant_meeting){.kind = PLIANT_MEETING_START};
        return true;
    }
    uint32_t open =
        m->kernels != NULL ? pair->open : pli_moving_open_features(&moving[0], &moving[1]);
    return pli_moving_features_meet(&moving[0], &moving[1], open, find_limit(m), meeting,
                                    fallbacks);
}

/* Tests one pair of slots, and reports it if it meets. Within one body the lower comes first. */
static pliant_result test_slots(meeting_walk *m, pli_cluster_view view_a, pli_cluster_view view_b,
                                const slot_pair *pair)
{
    uint32_t number[2] = {pli_slot_triangle(view_a, pair->a), pli_slot_triangle(view_b, pair->b)};
    pliant_moving_triangle moving[2];
    float at[2][2][3][3];
    pliant_meeting meeting;
    if (!groups_allow(m, number[0], number[1])) {
        return PLIANT_OK;
    }
    int swap = m->walk.run.self && number[0] > number[1];
    const uint32_t triangle[2] = {number[swap], number[!swap]};
    if (comes_too_late(m, triangle)) {
        return PLIANT_OK;
    }
    read_slot(view_a, pair->a, at[swap], &moving[swap]);
    read_slot(view_b, pair->b, at[!swap], &moving[!swap]);
    double limit = m->walk.grow > 0.0f ? 1.0 : find_limit(m);
    if (limit < 1.0 && pli_moving_stay_apart(&moving[0], &moving[1], limit)) {
        return PLIANT_OK;
    }
    bool meet = m->walk.run.self ? meet_self(m, triangle, moving, at[0], at[1], &meeting)
                                 : meet_other(m, moving, pair, &meeting);
    return meet ? report(m, triangle, &meeting) : PLIANT_OK;
}

/* Where a mesh has seams, vertices of one name may part, and the kernel is not told of them. */
static pli_swept_triangles swept_triangles(const meeting_walk *m, pli_cluster_view view)
{
    bool named = m->walk.run.self && !pli_shape_has_seams(view.shape);
    pli_cluster_view end = view;
    end.record = pli_swept_end(view.cluster, view.record);
    return (pli_swept_triangles){
        {pli_view_triangles(view), named ? pli_name_vertices(view, false, NULL) : NULL},
        pli_view_triangles(end)};
}

/* Up to PLI_BATCH pairs of slots, and room for what wide kernels look up behind them. */
typedef struct slot_pairs {
    uint32_t count;
    uint8_t a[PLI_BATCH + 16], b[PLI_BATCH + 16];
    uint64_t unsure; /* bit i: pair i may touch at time 0 */
    uint32_t open[PLI_BATCH];
} slot_pairs;

/* Drops all pairs but those whose bits are set. */
static void keep(slot_pairs *pairs, uint64_t chosen)
{
    uint64_t unsure = pairs->unsure;
    pairs->count = 0;
    pairs->unsure = 0;
    for (; chosen != 0; chosen &= chosen - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(chosen);
        pairs->a[pairs->count] = pairs->a[i];
        pairs->b[pairs->count] = pairs->b[i];
        pairs->unsure |= (unsure >> i & 1) << pairs->count++;
    }
}

/* Reports the pairs that touch at time 0, as kernels know. */
static pliant_result report_starts(meeting_walk *m, pli_cluster_view a, pli_cluster_view b,
                                   const slot_pairs *pairs, uint64_t touch)
{
    const pliant_meeting meeting = {.kind = PLIANT_MEETING_START};
    pliant_result result = PLIANT_OK;
    for (; touch != 0 && result == PLIANT_OK && !m->walk.run.stopped; touch &= touch - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(touch);
        const uint32_t number[2] = {pli_slot_triangle(a, pairs->a[i]),
                                    pli_slot_triangle(b, pairs->b[i])};
        result = groups_allow(m, number[0], number[1]) ? report(m, number, &meeting) : PLIANT_OK;
    }
    return result;
}

/* Settles what kernels can settle: drops pairs that stay apart and, of two bodies, reports those
   that touch at time 0 and says which features of the others may meet. */
static pliant_result settle_pairs(meeting_walk *m, pli_cluster_view a, pli_cluster_view b,
                                  slot_pairs *pairs)
{
    const pli_swept_triangles swept[2] = {swept_triangles(m, a), swept_triangles(m, b)};
    const pli_moving_kernels *kernels = m->kernels;
    pliant_result result = PLIANT_OK;
    keep(pairs, kernels->may_meet(&swept[0], pairs->a, &swept[1], pairs->b, pairs->count));
    if (!m->walk.run.self && pairs->count > 0) {
        pli_verdicts at_start = m->walk.kernels->test_triangles(
            &swept[0].start.triangles, pairs->a, &swept[1].start.triangles, pairs->b, pairs->count);
        result = report_starts(m, a, b, pairs, at_start.touch);
        pairs->unsure = at_start.unsure;
        keep(pairs, ~at_start.touch & pli_first_bits(pairs->count));
    }
    if (pairs->count > 0) {
        keep(pairs, kernels->unparted(&swept[0], pairs->a, &swept[1], pairs->b, pairs->count));
    }
    if (!m->walk.run.self && pairs->count > 0) {
        kernels->open_features(&swept[0], pairs->a, &swept[1], pairs->b, pairs->count, pairs->open);
    }
    return result;
}

/* Exact tests take long, so a walk with a budget in time looks at the clock behind each pair. */
static void stop_at_deadline(pli_run *run)
{
    if (run->deadline > 0.0 && pli_seconds() >= run->deadline) {
        run->stopped = true;
        run->complete = false;
    }
}

/* Up to PLI_BATCH candidates, behind which 16 more are valid slots. */
static pliant_result test_batch(meeting_walk *m, pli_cluster_view a, const uint8_t *slot_a,
                                pli_cluster_view b, const uint8_t *slot_b, uint32_t count)
{
    slot_pairs pairs;
    pairs.count = count;
    pairs.unsure = UINT64_MAX;
    memcpy(pairs.a, slot_a, count + 16);
    memcpy(pairs.b, slot_b, count + 16);
    pliant_result result = m->kernels != NULL ? settle_pairs(m, a, b, &pairs) : PLIANT_OK;
    bool opened = m->kernels != NULL && !m->walk.run.self;
    m->walk.run.worker->stats.triangle_tests += count;
    for (uint32_t i = 0; i < pairs.count && result == PLIANT_OK && !m->walk.run.stopped; i++) {
        slot_pair pair = {pairs.a[i], pairs.b[i], !(pairs.unsure >> i & 1),
                          opened ? pairs.open[i] : PLI_ALL_FEATURE_PAIRS};
        result = test_slots(m, a, b, &pair);
        stop_at_deadline(&m->walk.run);
    }
    return result;
}

static pliant_result meet_clusters(pli_walk *walk, pli_cluster_view a, pli_cluster_view b)
{
    meeting_walk *m = (meeting_walk *)walk;
    uint8_t slot_a[PLI_CANDIDATES], slot_b[PLI_CANDIDATES];
    uint32_t count = 0;
    pliant_result result = PLIANT_OK;
    if (walk->grow > 0.0f) {
        result = pli_near_list(&m->near, walk, a, b, slot_a, slot_b, &count);
    } else {
        count = walk->kernels->list_candidates(a.record, b.record, slot_a, slot_b);
    }
    for (uint32_t i = 0; i < count && result == PLIANT_OK && !walk->run.stopped; i += PLI_BATCH) {
        uint32_t batch = count - i < PLI_BATCH ? count - i : PLI_BATCH;
        result = test_batch(m, a, slot_a + i, b, slot_b + i, batch);
    }
    return result;
}

/* ---------------------------------------------------------------- answers */

void pli_meetings_init(pli_meeting_walk *m, pli_worker *worker, pliant_body *sweep_a,
                       pliant_body *sweep_b, const pliant_meeting_options *options)
{
    pli_walk_init(&m->walk, worker, sweep_a, sweep_b, meet_clusters);
    m->walk.run.keeps_order = pli_meetings_keep_order(options);
    m->walk.run.budget = options->budget_nodes;
    m->options = options;
    m->kernels = NULL;
    m->limit = 1.0;
    m->first = worker->results->keys.count;
    m->reported = 0;
}

void pli_meetings_prepared(pli_meeting_walk *m)
{
    pliant_body *const *sweep = m->walk.run.body;
    if (m->options->distance > 0.0f) {
        pli_near_begin(&m->near, &m->walk, m->options->distance);
        pli_near_prepared(&m->near, &m->walk);
    }
    bool usable = m->walk.grow == 0.0f && pli_coordinates_are_moderate(sweep[0]) &&
                  pli_coordinates_are_moderate(sweep[1]);
    m->kernels = usable ? pli_context_kernels(m->walk.run.worker->context)->moving : NULL;
}

static pliant_result find(pliant_query *query, pliant_body *a, pliant_body *b,
                          const pliant_meeting_options *options, meeting_walk *m)
{
    pliant_body *sweep[2];
    pliant_result result = pli_body_get_sweep(a, &sweep[0]);
    if (result == PLIANT_OK) {
        result = pli_body_get_sweep(b, &sweep[1]);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pli_meetings_init(m, &query->worker, sweep[0], sweep[1], options);
    result = pli_run_begin(&m->walk.run);
    if (result == PLIANT_OK) {
        m->first = 0;
        pli_meetings_prepared(m);
        pli_run_set_budget(&m->walk.run, options->budget_nodes, options->budget_microseconds);
        result = pli_walk_push_meeting_roots(&m->walk);
    }
    return result == PLIANT_OK ? pli_walk_all(&m->walk) : result;
}

/* Puts what was found in the order of time, within the run's budget. */
static void order_meetings(meeting_walk *m, const pli_collection *found)
{
    pli_run *run = &m->walk.run;
    pli_ordering ordering = {.sweep = {run->body[0], run->body[1]},
                             .most_compared = run->budget != 0 ? run->budget : UINT64_MAX,
                             .deadline = run->deadline};
    if (!pli_order_part(&ordering, found, found->parts.data)) {
        run->complete = false;
        pli_log(run->worker->context, PLIANT_LOG_WARNING,
                "a budget was spent after %llu exact comparisons of times",
                (unsigned long long)ordering.compared);
    }
    run->worker->stats.exact_fallbacks += ordering.compared;
}

static pliant_result answer(pliant_query *query, meeting_walk *m, pliant_meetings *meetings)
{
    pli_run *run = &m->walk.run;
    pli_collection *found = &query->found;
    pliant_result result = PLIANT_OK;
    found->total = 0;
    if (m->options->callback != NULL) {
        flush(m);
    } else {
        result = pli_run_collect(run,
                                 (pli_collecting){.list_count = 1,
                                                  .columns = 1u << PLI_MEETINGS,
                                                  .convert = pli_keys_to_pairs},
                                 found);
        if (result == PLIANT_OK && found->total > 1) {
            order_meetings(m, found);
        }
        m->reported = found->total;
    }
    if (result != PLIANT_OK) {
        return result;
    }
    if (meetings != NULL) {
        bool stored = found->total > 0;
        *meetings = (pliant_meetings){
            .pairs = stored ? (const pliant_pair *)(void *)found->found : NULL,
            .meetings = stored ? found->column[PLI_MEETINGS].data : NULL,
            .count = m->reported,
            .complete = run->complete,
        };
    }
    pli_run_end(query, run, m->reported);
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result find_meetings(pliant_query *query, pliant_body *a, pliant_body *b,
                                                const pliant_meeting_options *options,
                                                pliant_meetings *meetings)
{
    meeting_walk m;
    pliant_result result = find(query, a, b, options, &m);
    return result == PLIANT_OK ? answer(query, &m, meetings) : result;
}

pliant_result pli_find_meetings(pliant_query *query, pliant_body *a, pliant_body *b,
                                const pliant_meeting_options *options, pliant_meetings *meetings,
                                const char *call)
{
    options = options != NULL ? options : &default_options;
    pliant_result result = pli_check_meeting_options(options);
    bool has_callback = result == PLIANT_OK && options->callback != NULL;
    if (result == PLIANT_OK && meetings == NULL && !has_callback) {
        result =
            pli_fail(PLIANT_ERROR_ARGUMENT, "%s: meetings is NULL, and there is no callback", call);
    }
    if (result == PLIANT_OK) {
        result = has_callback ? pli_run_enter(query, a, b, call)
                              : pli_use_check(&query->use, call, "the query");
    }
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = find_meetings(query, a, b, options, meetings);
        pli_float_env_leave(env);
        if (has_callback) {
            pli_run_leave(query, a, b);
        }
    }
    return result;
}

pliant_result pliant_find_meetings(pliant_query *query, pliant_body *a, pliant_body *b,
                                   const pliant_meeting_options *options, pliant_meetings *meetings)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    if (a == b) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "%s: the bodies are the same; see %s_self()",
                        __func__, __func__);
    }
    return pli_find_meetings(query, a, b, options, meetings, __func__);
}

pliant_result pliant_find_meetings_self(pliant_query *query, pliant_body *body,
                                        const pliant_meeting_options *options,
                                        pliant_meetings *meetings)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(body);
    return pli_find_meetings(query, body, body, options, meetings, __func__);
}
