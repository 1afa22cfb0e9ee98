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

void pli_set_free_time(pliant_body *const sweep[2], const pliant_meetings *meetings,
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

pliant_result pli_find_free_time(pliant_query *query, pliant_body *a, pliant_body *b,
                                 const pliant_meeting_options *options, pliant_free_time *found,
                                 const char *call)
{
    pliant_meeting_options first = pliant_meeting_options_default();
    pliant_result result = options != NULL ? pli_check_meeting_options(options) : PLIANT_OK;
    if (result != PLIANT_OK) {
        return result;
    }
    first = options != NULL ? *options : first;
    first.mode = PLIANT_COLLIDE_FIRST;
    first.callback = NULL;
    pliant_meetings meetings;
    result = pli_find_meetings(query, a, b, &first, &meetings, call);
    if (result == PLIANT_OK) {
        pli_set_free_time((pliant_body *const[2]){a->sweep, b->sweep}, &meetings, found);
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
    if (a == b) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "%s: the bodies are the same; see %s_self()",
                        __func__, __func__);
    }
    return pli_find_free_time(query, a, b, options, found, __func__);
}

pliant_result pliant_find_free_time_self(pliant_query *query, pliant_body *body,
                                         const pliant_meeting_options *options,
                                         pliant_free_time *found)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(body);
    PLI_REQUIRE(found);
    return pli_find_free_time(query, body, body, options, found, __func__);
}
