/*
 * What meets in a scene while its bodies move, or comes within a distance: the stages of contacts
 * (scene_collide.c), but with sweeps in place of bodies (scene_sweeps.c) and, within a pair of
 * bodies, in the order of time.
 */
#include "recording.h"
#include "scene_contacts.h"

#include "base/float_env.h"
#include "query/meeting_order.h"
#include "query/meetings.h"

/* ----------------------------------------------------------------- order */

/* Pairs of bodies whose meetings are put in order at a time, per worker. */
enum { PORTIONS_PER_WORKER = 16 };

typedef struct ordering {
    pliant_scene *scene;
    const pli_scene_comparison *comparison;
    size_t portion; /* pairs of bodies at a time */
} ordering;

static const pliant_body *sweep_of(const pliant_scene *scene, uint32_t slot)
{
    return scene->members.data[slot].body->sweep;
}

static void order_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const ordering *all = argument;
    const pliant_scene *scene = all->scene;
    uint64_t budget = all->comparison->meet->budget_nodes;
    size_t parts = scene->found.parts.count, first = index * all->portion;
    size_t end = parts - first < all->portion ? parts : first + all->portion;
    for (size_t i = first; i < end; i++) {
        pli_pair_results *part = &scene->found.parts.data[i];
        uint64_t pair = scene->pairs[part->pair];
        pli_ordering order = {
            .sweep = {sweep_of(scene, pli_pair_a(pair)), sweep_of(scene, pli_pair_b(pair))},
            .most_compared = budget != 0 ? budget : UINT64_MAX,
            .deadline = all->comparison->deadline};
        if (part->count > 1 && !pli_order_part(&order, &scene->found, part)) {
            part->complete = false;
        }
    }
}

pliant_result pli_scene_order_meetings(pliant_scene *scene, const pli_scene_comparison *comparison,
                                       bool *complete)
{
    size_t parts = scene->found.parts.count;
    if (scene->found.total == parts) { /* one each */
        return PLIANT_OK;
    }
    ordering all = {scene, comparison, parts / (PORTIONS_PER_WORKER * scene->worker_count) + 1};
    pliant_result result = pli_context_run(scene->context, order_task, &all,
                                           (uint32_t)((parts - 1) / all.portion + 1));
    for (size_t i = 0; i < parts; i++) {
        *complete = *complete && scene->found.parts.data[i].complete;
    }
    return result;
}

static pli_timed_pair timed_pair(const pliant_scene *scene, uint64_t bodies, pliant_pair pair,
                                 const pliant_meeting *meeting)
{
    return (pli_timed_pair){
        {sweep_of(scene, pli_pair_a(bodies)), sweep_of(scene, pli_pair_b(bodies))},
        (uint64_t)pair.a << 32 | pair.b,
        meeting};
}

void pli_scene_keep_earliest(const pliant_scene *scene, uint32_t first_pair, pli_earliest *earliest)
{
    const pli_collection *found = &scene->found;
    const pliant_pair *pairs = (const pliant_pair *)(void *)found->found;
    const pliant_meeting *meetings = found->column[PLI_MEETINGS].data;
    for (size_t i = 0; i < found->parts.count; i++) {
        const pli_pair_results *part = &found->parts.data[i];
        uint64_t bodies = scene->pairs[part->pair];
        const pliant_meeting *meeting = &meetings[part->first];
        bool earlier = earliest->part.count == 0;
        if (!earlier) {
            pli_timed_pair here = timed_pair(scene, bodies, pairs[part->first], meeting);
            pli_timed_pair first =
                timed_pair(scene, earliest->bodies, earliest->pair, &earliest->meeting);
            earlier = pli_compare_meetings(&here, &first) < 0;
        }
        if (earlier) { /* bodies come in ascending order: of equal times the first stays */
            *earliest = (pli_earliest){.part = {first_pair + part->pair, part->complete, 0, 1},
                                       .bodies = bodies,
                                       .pair = pairs[part->first],
                                       .meeting = *meeting};
        }
    }
}

/* ------------------------------------------------------------- questions */

/* Pairs of bodies of which neither moves are left out. */
static pliant_result drop_still_pairs(pliant_scene *scene, const pli_journey *moving)
{
    const uint64_t *pairs = scene->pairs;
    size_t count = 0;
    if (!PLI_RESERVE(scene->context, &scene->pair_keys, scene->pair_count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        if (pli_journey_moves(moving, pli_pair_a(pairs[p]), pli_pair_b(pairs[p]))) {
            scene->pair_keys.data[count++] = pairs[p];
        }
    }
    scene->pairs = scene->pair_keys.data;
    scene->pair_count = (uint32_t)count;
    return PLIANT_OK;
}

/* Of what moves, unless `moving` is NULL. */
static PLI_NOINLINE pliant_result find_meetings(pliant_scene *scene,
                                                const pliant_scene_options *options,
                                                const pli_journey *moving,
                                                pliant_scene_meetings *answer)
{
    pliant_meeting_options narrow = pliant_meeting_options_default();
    narrow.mode = options->first_in_all ? PLIANT_COLLIDE_FIRST : options->mode;
    narrow.budget_nodes = options->budget_nodes;
    narrow.distance = options->distance;
    pliant_scene_options asked = *options;
    asked.events = asked.segments = asked.separations = false;
    pliant_scene_contacts found;
    pliant_result result = pli_check_meeting_options(&narrow);
    if (result == PLIANT_OK) {
        result = pli_scene_find_swept_work(scene, &asked);
    }
    if (result == PLIANT_OK && moving != NULL) {
        result = drop_still_pairs(scene, moving);
    }
    if (result == PLIANT_OK) {
        result = pli_scene_answer_blocks(
            scene, &asked, &(pli_scene_comparison){.meet = &narrow, .limit = 1.0}, &found);
    }
    if (result == PLIANT_OK) {
        *answer = (pliant_scene_meetings){
            .bodies = found.bodies,
            .body_pair_count = found.body_pair_count,
            .pairs = found.pairs,
            .meetings = found.pairs != NULL ? scene->found.column[PLI_MEETINGS].data : NULL,
            .count = found.count,
            .undecided = found.undecided,
            .undecided_count = found.undecided_count,
            .complete = found.complete,
        };
    }
    return result;
}

pliant_result pliant_scene_find_meetings(pliant_scene *scene, const pliant_scene_options *options,
                                         pliant_scene_meetings *meetings)
{
    pliant_scene_options defaults = pliant_scene_options_default();
    options = options != NULL ? options : &defaults;
    PLI_REQUIRE(scene);
    pliant_result result = pli_scene_options_check(options, PLIANT_RECORDED_FIND_MEETINGS);
    if (result == PLIANT_OK && meetings == NULL && options->meetings_callback == NULL) {
        result = pli_fail(PLIANT_ERROR_ARGUMENT, "%s: meetings is NULL, and there is no callback",
                          __func__);
    }
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, __func__);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_scene_meetings found = {.count = 0};
    pli_recorded_call call = {.query = PLIANT_RECORDED_FIND_MEETINGS, .arguments = {options}};
    pli_float_env env = pli_float_env_enter();
    pli_recording_ask(scene, &call);
    result = find_meetings(scene, options, NULL, &found);
    result = pli_scene_end_call(scene, pli_recording_answer(scene, &call, result, &found));
    pli_float_env_leave(env);
    if (result == PLIANT_OK && meetings != NULL) {
        *meetings = found;
    }
    return result;
}

pliant_result pli_scene_find_free_time(pliant_scene *scene, const pliant_scene_options *options,
                                       const pli_journey *moving, pliant_scene_free_time *found)
{
    pliant_scene_options first = *options;
    pliant_scene_meetings met = {.count = 0};
    first.first_in_all = true;
    first.meetings_callback = NULL;
    pliant_result result = find_meetings(scene, &first, moving, &met);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_meetings one = {met.pairs, met.meetings, met.count, met.complete};
    pliant_body *sweep[2] = {NULL, NULL};
    *found = (pliant_scene_free_time){.user_a = NULL};
    if (met.count > 0) {
        found->a = met.bodies->a;
        found->b = met.bodies->b;
        found->user_a = met.bodies->user_a;
        found->user_b = met.bodies->user_b;
        sweep[0] = scene->members.data[found->a.index].body->sweep;
        sweep[1] = scene->members.data[found->b.index].body->sweep;
    }
    pli_set_free_time(sweep, &one, &found->path);
    return PLIANT_OK;
}

pliant_result pliant_scene_find_free_time(pliant_scene *scene, const pliant_scene_options *options,
                                          pliant_scene_free_time *found)
{
    pliant_scene_options defaults = pliant_scene_options_default();
    options = options != NULL ? options : &defaults;
    PLI_REQUIRE(scene);
    PLI_REQUIRE(found);
    pliant_result result = pli_scene_options_check(options, PLIANT_RECORDED_FIND_FREE_TIME);
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, __func__);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_scene_free_time free_time;
    pli_recorded_call call = {.query = PLIANT_RECORDED_FIND_FREE_TIME, .arguments = {options}};
    pli_float_env env = pli_float_env_enter();
    pli_recording_ask(scene, &call);
    result = pli_scene_find_free_time(scene, options, NULL, &free_time);
    result = pli_scene_end_call(scene, pli_recording_answer(scene, &call, result, &free_time));
    pli_float_env_leave(env);
    if (result == PLIANT_OK) {
        *found = free_time;
    }
    return result;
}
