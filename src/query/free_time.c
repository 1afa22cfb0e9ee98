/* How far bodies may move on their way before anything of them meets (definition D9) or comes
   within a distance (D15). */
#include "query/meetings.h"

#include "base/float_env.h"
#include "geometry/moving_features.h"
#include "query/meeting_order.h"

#include <math.h>

static float float_below(double time)
{
    float nearest = (float)time;
    return (double)nearest < time ? nearest : nextafterf(nearest, 0.0f);
}

/* The largest float before a meeting that is not at time 0. */
static PLI_NOINLINE float time_before(pliant_body *const sweep[2], const pliant_free_time *found)
{
    const pliant_meeting *meeting = &found->meeting;
    if (meeting->time.low == meeting->time.high) {
        return float_below(meeting->time.low);
    }
    uint64_t key = (uint64_t)found->pair.a << 32 | found->pair.b;
    pli_timed_pair pair = {{sweep[0], sweep[1]}, key, meeting};
    pliant_moving_triangle triangle[2];
    pli_moving_points points;
    pli_find_meeting_points(&pair, triangle, &points);
    return pli_moving_float_before(&points, &meeting->time);
}

/* The free time of two sweeps from the first of what meets of them, which `meetings` begins with.
 */
static void set_free_time(pliant_body *const sweep[2], const pliant_meetings *meetings,
                          pliant_free_time *found)
{
    *found = (pliant_free_time){.time = 1.0f, .complete = meetings->complete};
    if (meetings->count > 0) {
        found->pair = meetings->pairs[0];
        found->meeting = meetings->meetings[0];
        found->touches = found->meeting.kind == PLIANT_MEETING_START;
    }
    if (found->touches || !found->complete) {
        found->time = 0.0f; /* with a spent budget nothing is known to be free */
    } else if (meetings->count > 0) {
        pli_float_env env = pli_float_env_enter();
        found->time = time_before(sweep, found);
        pli_float_env_leave(env);
    }
}

/* ------------------------------------------------------------- two bodies */

pliant_result pli_find_free_time(pliant_query *query, pliant_body *a, pliant_body *b, bool self,
                                 const pliant_meeting_options *options, pliant_free_time *found,
                                 const char *call)
{
    pliant_meeting_options first = pliant_meeting_options_default();
    if (options != NULL) {
        pli_comparison c = {.options = options};
        pliant_result result = pli_meetings_kind.plan(&c);
        if (result != PLIANT_OK) {
            return result;
        }
        first = *options;
    }
    first.mode = PLIANT_COLLIDE_FIRST;
    first.callback = NULL;
    pliant_meetings meetings;
    pliant_result result =
        pli_query_bodies(&pli_meetings_kind, call, query, a, b, self, 0.0f, &first, &meetings);
    if (result == PLIANT_OK) {
        set_free_time((pliant_body *const[2]){a->sweep, b->sweep}, &meetings, found);
    }
    return result;
}

pliant_result pliant_find_free_time(pliant_query *query, pliant_body *a, pliant_body *b,
                                    const pliant_meeting_options *options, pliant_free_time *found)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    PLI_REQUIRE(found);
    return pli_find_free_time(query, a, b, false, options, found, __func__);
}

pliant_result pliant_find_free_time_self(pliant_query *query, pliant_body *body,
                                         const pliant_meeting_options *options,
                                         pliant_free_time *found)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(body);
    PLI_REQUIRE(found);
    return pli_find_free_time(query, body, body, true, options, found, __func__);
}

/* ------------------------------------------------------------------- scenes */

pliant_result pli_scene_find_free_time(pliant_scene *scene, const pliant_scene_options *options,
                                       const bool *moving, pliant_scene_free_time *found)
{
    pliant_scene_options first = *options;
    pli_own_options own;
    pli_comparison c = {.kind = &pli_meetings_kind, .options = &own, .limit = 1.0};
    pli_report report;
    first.first_in_all = true;
    pli_meetings_kind.adopt(&first, &own);
    pliant_result result = pli_query_pairs(scene, &c, &first, moving, &report);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_meetings one;
    pliant_body *sweep[2] = {NULL, NULL};
    pli_meetings_kind.report(&report, &one);
    *found = (pliant_scene_free_time){.user_a = NULL};
    if (one.count > 0) {
        found->a = report.bodies->a;
        found->b = report.bodies->b;
        found->user_a = report.bodies->user_a;
        found->user_b = report.bodies->user_b;
        sweep[0] = scene->members.data[found->a.index].body->sweep;
        sweep[1] = scene->members.data[found->b.index].body->sweep;
    }
    set_free_time(sweep, &one, &found->path);
    return PLIANT_OK;
}

typedef struct free_time_run {
    const pliant_scene_options *options;
    pliant_scene_free_time found;
} free_time_run;

static pliant_result run_scene(pliant_scene *scene, pli_scene_call *call)
{
    free_time_run *run = call->argument;
    return pli_scene_find_free_time(scene, run->options, NULL, &run->found);
}

pliant_result pliant_scene_find_free_time(pliant_scene *scene, const pliant_scene_options *options,
                                          pliant_scene_free_time *found)
{
    pliant_scene_options defaults = pliant_scene_options_default();
    free_time_run run = {.options = options != NULL ? options : &defaults};
    PLI_REQUIRE(scene);
    PLI_REQUIRE(found);
    pliant_result result = pli_scene_options_check(options, PLIANT_RECORDED_FIND_FREE_TIME);
    if (result == PLIANT_OK) {
        pli_scene_call call = {
            .name = __func__,
            .recorded = {.query = PLIANT_RECORDED_FIND_FREE_TIME, .arguments = {run.options}},
            .run = run_scene,
            .argument = &run,
            .answer = &run.found};
        result = pli_scene_enter(scene, &call);
    }
    if (result == PLIANT_OK) {
        *found = run.found;
    }
    return result;
}
