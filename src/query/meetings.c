/*
 * Which triangles meet while bodies move (definition D9), or come within a distance (D15): a walk
 * over the trees of two sweeps, whose boxes hold their bodies throughout the step, down to the test
 * of moving triangles. With a distance the walk is that of pliant_find_within(), with grown boxes.
 */
#include "query/moving_kernels.h"
#include "query/near_clusters.h"

#include "query/collision.h"
#include "query/meeting_order.h"
#include "query/neighbours.h"
#include "query/query_kind.h"

#include "base/clock.h"
#include "geometry/moving_approach.h"
#include "geometry/moving_triangles.h"

#include <string.h>

/* A walk over sweeps. */
typedef struct meeting_walk {
    pli_walk walk; /* the first member, as every walk's; of the bodies' sweeps */
    pliant_meeting_options options;
    const pli_moving_kernels *kernels; /* NULL where coordinates are too large for them, and with a
                                          distance, which is the walk's growth */
    pli_near near;
    double limit;      /* what meets later is not asked for */
    size_t first;      /* of the query's keys; those before are of other pairs of bodies */
    uint64_t reported; /* to the callback */
} meeting_walk;

enum { GIVEN_AT_ONCE = 256 }; /* to a callback */

static const pliant_meeting_options default_options = {
    .mode = PLIANT_COLLIDE_ALL,
    .tag = PLI_TAG(pliant_meeting_options),
};

PLIANT_DEFINE_DEFAULT(pliant_meeting_options)
{
    return default_options;
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
    const pliant_meeting_options *options = &m->options;
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
    bool found = m->options.mode == PLIANT_COLLIDE_FIRST && worker->results->keys.count > m->first;
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
    if (batch.count > 0 && !m->options.callback(m->options.callback_user, &batch)) {
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
    if (m->options.callback != NULL && worker->results->keys.count == GIVEN_AT_ONCE) {
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

/* ---------------------------------------------------------------- the query */

static bool begin(pli_walk *walk, pli_worker *worker, const pli_comparison *c, const pli_pair *pair)
{
    meeting_walk *m = (meeting_walk *)walk;
    pliant_body *const *sweep = pair->body;
    _Static_assert(sizeof *m <= PLI_VISITOR_BYTES, "a visitor has room for it");
    m->options = *(const pliant_meeting_options *)c->options;
    m->options.groups_a = pair->groups[0] != NULL ? *pair->groups[0] : m->options.groups_a;
    m->options.groups_b = pair->groups[1] != NULL ? *pair->groups[1] : m->options.groups_b;
    pli_walk_init(&m->walk, worker, sweep[0], sweep[1], meet_clusters);
    m->limit = c->limit;
    m->first = worker->results->keys.count;
    m->reported = 0;
    if (c->distance > 0.0f) {
        pli_near_begin(&m->near, &m->walk, c->distance);
        pli_near_prepared(&m->near, &m->walk);
    }
    bool usable = m->walk.grow == 0.0f && pli_coordinates_are_moderate(sweep[0]) &&
                  pli_coordinates_are_moderate(sweep[1]);
    m->kernels = usable ? pli_context_kernels(worker->context)->moving : NULL;
    return true;
}

static pliant_result plan(pli_comparison *c)
{
    const pliant_meeting_options *options = c->options;
    PLI_REQUIRE_TAG(options, pliant_meeting_options);
    if ((unsigned)options->mode > PLIANT_COLLIDE_FIRST) {
        return pli_fail(PLIANT_ERROR_RANGE, "mode is %d; there is no such one", (int)options->mode);
    }
    bool first = options->mode == PLIANT_COLLIDE_FIRST;
    c->distance = options->distance;
    c->plan = (pli_plan){.budget_nodes = options->budget_nodes,
                         .budget_microseconds = options->budget_microseconds,
                         .columns = 1u << PLI_MEETINGS,
                         .first = first,
                         .keeps_order = first || options->budget_nodes != 0,
                         .has_callback = options->callback != NULL};
    return pli_distance_check(options->distance);
}

static void adopt(const pliant_scene_options *options, pli_own_options *own)
{
    own->meetings = default_options;
    own->meetings.mode = options->first_in_all ? PLIANT_COLLIDE_FIRST : options->mode;
    own->meetings.budget_nodes = options->budget_nodes;
    own->meetings.budget_microseconds = options->budget_microseconds;
    own->meetings.distance = options->distance;
}

static uint64_t give_rest(pli_walk *walk)
{
    meeting_walk *m = (meeting_walk *)walk;
    flush(m);
    return m->reported;
}

/* By time, within the budget. */
static bool arrange(pli_comparison *c, pliant_body *const sweep[2], const pli_collection *found,
                    const pli_pair_results *part)
{
    uint64_t budget = c->plan.budget_nodes;
    pli_ordering ordering = {.sweep = {sweep[0], sweep[1]},
                             .most_compared = budget != 0 ? budget : UINT64_MAX,
                             .deadline = c->deadline};
    bool complete = pli_order_part(&ordering, found, part);
    c->compared = ordering.compared;
    return complete;
}

static bool give(const pliant_scene_options *options, const pliant_scene_pair *bodies,
                 const pli_report *report, const pli_pair_results *part)
{
    const pliant_meeting *all = pli_report_column(report, PLI_MEETINGS);
    pliant_meetings meetings = {pli_report_pairs(report) + part->first, all + part->first,
                                part->count, part->complete};
    return options->meetings_callback(options->callback_user, bodies, &meetings);
}

static void report_bodies(const pli_report *from, void *result)
{
    *(pliant_meetings *)result =
        (pliant_meetings){.pairs = pli_report_pairs(from),
                          .meetings = pli_report_column(from, PLI_MEETINGS),
                          .count = from->count,
                          .complete = from->complete};
}

static void report_scene(const pli_report *from, void *result)
{
    *(pliant_scene_meetings *)result =
        (pliant_scene_meetings){.bodies = from->bodies,
                                .body_pair_count = from->body_count,
                                .pairs = pli_report_pairs(from),
                                .meetings = pli_report_column(from, PLI_MEETINGS),
                                .count = from->count,
                                .undecided = from->undecided,
                                .undecided_count = from->undecided_count,
                                .complete = from->complete};
}

const pli_query_kind pli_meetings_kind = {.number = PLIANT_RECORDED_FIND_MEETINGS,
                                          .result = "meetings",
                                          .defaults = &default_options,
                                          .over_step = true,
                                          .takes_distance = true,
                                          .has_self = true,
                                          .list_count = 1,
                                          .scene_result_size = sizeof(pliant_scene_meetings),
                                          .adopt = adopt,
                                          .plan = plan,
                                          .begin = begin,
                                          .flush = give_rest,
                                          .arrange = arrange,
                                          .give = give,
                                          .report = report_bodies,
                                          .report_scene = report_scene};

pliant_result pliant_find_meetings(pliant_query *query, pliant_body *a, pliant_body *b,
                                   const pliant_meeting_options *options, pliant_meetings *meetings)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    return pli_query_bodies(&pli_meetings_kind, __func__, query, a, b, false, 0.0f, options,
                            meetings);
}

pliant_result pliant_find_meetings_self(pliant_query *query, pliant_body *body,
                                        const pliant_meeting_options *options,
                                        pliant_meetings *meetings)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(body);
    return pli_query_bodies(&pli_meetings_kind, __func__, query, body, body, true, 0.0f, options,
                            meetings);
}

pliant_result pliant_scene_find_meetings(pliant_scene *scene, const pliant_scene_options *options,
                                         pliant_scene_meetings *meetings)
{
    PLI_REQUIRE(scene);
    return pli_query_scene(&pli_meetings_kind, __func__, scene, 0.0f, options, meetings);
}
