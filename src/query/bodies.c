#include "scene_queries.h"

#include "base/clock.h"
#include "base/context.h"

#include <math.h>
#include <stdio.h>

PLIANT_DEFINE_DEFAULT(pliant_scene_select)
{
    pliant_scene_select select = {
        .category = 1, .mask = UINT64_MAX, .tag = PLI_TAG(pliant_scene_select)};
    return select;
}

pliant_result pli_select_check(const pliant_scene_select *select)
{
    if (select != NULL) {
        PLI_REQUIRE_TAG(select, pliant_scene_select);
    }
    return PLIANT_OK;
}

void *pli_question_user(const pliant_scene *scene, uint32_t slot)
{
    return scene->members.data[slot].def.user;
}

/* ------------------------------------------------------------- who is asked */

static bool masks_agree(const pliant_scene_select *select, const pliant_member_def *def)
{
    return (select->category & def->mask) != 0 && (select->mask & def->category) != 0;
}

bool pli_question_takes(const pli_scene_question *q, uint32_t slot)
{
    if (q->select == NULL) {
        return true;
    }
    return q->select->filter != NULL ? q->scene->queries->asked.admitted.data[slot]
                                     : masks_agree(q->select, &q->scene->members.data[slot].def);
}

/* Asks the caller's filter about everybody. What it destroys goes when the call ends, in vain. */
static pliant_result ask_filter(const pli_scene_question *q)
{
    pliant_scene *scene = q->scene;
    const pliant_scene_select *select = q->select;
    if (select == NULL || select->filter == NULL) {
        return PLIANT_OK;
    }
    if (!PLI_RESERVE(scene->context, &scene->queries->asked.admitted, scene->slot_count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        const pli_member *member = &scene->members.data[i];
        bool asked = member->body != NULL && masks_agree(select, &member->def);
        scene->queries->asked.admitted.data[i] =
            asked && pli_recording_note_filter(
                         scene, i, i, select->filter(select->filter_user, pli_scene_id(scene, i)));
    }
    return scene->host.bodies_doomed || scene->host.use.doomed ? PLIANT_ERROR_STATE : PLIANT_OK;
}

pliant_result pli_question_begin(pli_scene_question *q, pliant_scene *scene,
                                 const pliant_scene_select *select)
{
    *q = (pli_scene_question){.scene = scene, .select = select};
    pli_lock_init(&q->lock);
    pli_scene_queries_start_over(scene);
    pliant_result result = ask_filter(q);
    q->began = pli_seconds();
    if (result == PLIANT_OK) {
        result = pli_scene_update(scene, false);
    }
    if (result == PLIANT_OK) {
        result = pli_broad_update_tree(scene->broad[false]);
    }
    q->updated = pli_seconds();
    return result;
}

void pli_question_end(pli_scene_question *q, uint64_t found)
{
    pliant_scene_stats *stats = &q->scene->stats;
    pli_lock_destroy(&q->lock);
    pli_scene_add_stats(q->scene);
    stats->narrow.pairs = found;
    stats->narrow.seconds_update = q->updated - q->began;
    stats->seconds_narrow = stats->narrow.seconds_traverse = pli_seconds() - q->updated;
}

/* -------------------------------------------------------------- one worker */

static pliant_result name_body(uint32_t slot, pliant_result result)
{
    char message[160];
    snprintf(message, sizeof message, "%s", pliant_last_error());
    return pli_fail(result, "body %u: %s", slot, message);
}

/* One worker reads it, others wait: they could do nothing without its box. */
static pliant_result await_loose_body(pli_scene_question *q, uint32_t slot, uint32_t worker)
{
    const pli_member *member = &q->scene->members.data[slot];
    pliant_result result = PLIANT_OK;
    if (atomic_load_explicit(PLI_SHARED(uint64_t, &member->over[false].box_state),
                             memory_order_acquire) != member->body->state) {
        pli_lock_take(&q->lock);
        if (member->over[false].box_state != member->body->state) {
            result = pli_scene_read_loose(q->scene, slot, worker);
        }
        pli_lock_release(&q->lock);
    }
    return result;
}

pliant_result pli_question_enter(pli_scene_question *q, uint32_t slot, uint32_t worker,
                                 pli_run *run)
{
    const pli_member *member = &q->scene->members.data[slot];
    pliant_result result =
        member->def.has_loose_box ? await_loose_body(q, slot, worker) : PLIANT_OK;
    if (result == PLIANT_OK) {
        pli_run_init(run, &q->scene->queries->workers[worker], member->body, NULL);
        pli_run_set_arenas(run, pli_member_arena(member, false, worker), NULL);
        run->tested = run->worker->stats.nodes_tested; /* what there was before */
    }
    return result;
}

pliant_result pli_question_leave(pli_scene_question *q, uint32_t slot, uint32_t worker,
                                 const pli_run *run, pliant_result result)
{
    pli_refresh_counts made = pli_run_refreshed(run, 0);
    if (made.nodes != 0 || made.clusters != 0) {
        pli_scene_add_counts(q->scene, worker, run->body[0], &made);
    }
    pli_body_count_tests(run->body[0], run->worker->stats.nodes_tested - run->tested);
    return result == PLIANT_OK ? PLIANT_OK : name_body(slot, result);
}

pliant_result pli_question_run(pli_scene_question *q, pliant_task task, void *argument,
                               uint64_t count)
{
    pliant_scene *scene = q->scene;
    if (count > PLI_MOST_PAIRS) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "%llu pieces of work", (unsigned long long)count);
    }
    pli_team_forget_failures(&scene->team);
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_NARROW);
    pliant_result result = pli_context_run(scene->context, task, argument, (uint32_t)count);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_NARROW);
    const pli_team_worker *failure = pli_team_first_failure(&scene->team);
    return result == PLIANT_OK && failure != NULL
               ? pli_fail(failure->result, "%s", failure->message)
               : result;
}

void pli_asking_release(pliant_context *context, pli_asking_worker *asking)
{
    pli_broad_walk_release(context, &asking->walk);
    pli_array_release(context, &asking->hits.array);
}
