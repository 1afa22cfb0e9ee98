/* The triangles of a scene that meet a box: workers take the bodies whose boxes do. And the boxes
   of its bodies. */
#include "scene_queries.h"

#include "base/clock.h"
#include "bounds/boxes.h"
#include "query/descend.h"

typedef struct box_call {
    pli_scene_question q;
    const pliant_box *box;
    const uint64_t *slots; /* of the bodies to be asked, ascending */
} box_call;

/* Lists a body's triangles among its worker's results. */
static pliant_result list_body(box_call *call, uint32_t slot, uint32_t worker)
{
    pli_run run;
    pliant_result result = pli_question_enter(&call->q, slot, worker, &run);
    if (result == PLIANT_OK) {
        result = pli_box_list_triangles(&run, call->box);
        result = pli_question_leave(&call->q, slot, worker, &run, result);
    }
    return result;
}

static void list_piece(void *argument, uint32_t index, uint32_t worker)
{
    box_call *call = argument;
    uint32_t slot = (uint32_t)call->slots[index];
    pli_worker *own = &call->q.scene->queries->workers[worker];
    if (!pli_question_takes(&call->q, slot)) {
        return;
    }
    pli_found_before before = pli_worker_found(own, 1);
    pliant_result result = list_body(call, slot, worker);
    if (result == PLIANT_OK) {
        result = pli_worker_note_found(own, worker, index, &before, 1);
    }
    if (result != PLIANT_OK) {
        pli_team_note_failure(&call->q.scene->team, worker, index, result);
    }
}

static pliant_result collect(const box_call *call, size_t count, pliant_scene_triangles *answer)
{
    pliant_scene *scene = call->q.scene;
    pli_collection *found = &scene->queries->found;
    const pli_collecting how = {.list_count = 1};
    *answer = (pliant_scene_triangles){.count = 0};
    scene->pair_count = (uint32_t)count; /* bodies are listed like pairs */
    pliant_result result = pli_scene_list_results(scene, how, found);
    if (result == PLIANT_OK) {
        result = pli_scene_sort_results(scene, how, found);
    }
    if (result == PLIANT_OK &&
        !PLI_RESERVE(scene->context, &scene->queries->asked.ranges, found->parts.count)) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (result != PLIANT_OK || found->total == 0) {
        return result;
    }
    for (size_t i = 0; i < found->parts.count; i++) {
        const pli_pair_results *part = &found->parts.data[i];
        uint32_t slot = (uint32_t)call->slots[part->pair];
        scene->queries->asked.ranges.data[i] = (pliant_scene_range){
            pli_scene_id(scene, slot), pli_question_user(scene, slot), part->first, part->count};
    }
    pli_keys_to_triangles(found->found, (size_t)found->total);
    *answer = (pliant_scene_triangles){.bodies = scene->queries->asked.ranges.data,
                                       .body_count = (uint32_t)found->parts.count,
                                       .triangles = (const uint32_t *)(const void *)found->found,
                                       .count = found->total};
    return PLIANT_OK;
}

typedef struct box_run {
    const pliant_box *box;
    pliant_scene_triangles found;
} box_run;

static pliant_result overlap_box(pliant_scene *scene, pli_scene_call *entry)
{
    box_run *run = entry->argument;
    box_call call = {.box = run->box};
    size_t count = 0;
    pliant_result result = pli_question_begin(&call.q, scene, entry->select);
    if (result == PLIANT_OK) {
        result = pli_broad_walk_box(&scene->queries->asking.data[0].walk, scene->broad[false],
                                    run->box, 0.0, &call.slots, &count);
    }
    if (result == PLIANT_OK) {
        result = pli_question_run(&call.q, list_piece, &call, count);
    }
    if (result == PLIANT_OK) {
        result = collect(&call, count, &run->found);
    }
    pli_question_end(&call.q, result == PLIANT_OK ? run->found.count : 0);
    return result;
}

pliant_result pliant_scene_overlap_box(pliant_scene *scene, const pliant_box *box,
                                       const pliant_scene_select *select,
                                       pliant_scene_triangles *triangles)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(box);
    PLI_REQUIRE(triangles);
    box_run run = {.box = box};
    pli_scene_call entry = {
        .name = __func__,
        .recorded = {.query = PLIANT_RECORDED_OVERLAP_BOX, .arguments = {box, select}},
        .select = select,
        .run = overlap_box,
        .argument = &run,
        .answer = &run.found};
    pliant_result result = pli_box_check(box, "box");
    if (result == PLIANT_OK) {
        result = pli_select_check(select);
    }
    if (result == PLIANT_OK) {
        result = pli_scene_enter(scene, &entry);
    }
    if (result == PLIANT_OK) {
        *triangles = run.found;
    }
    return result;
}

typedef struct boxes_run {
    const pliant_body_id *bodies;
    uint32_t count;
    pliant_box *boxes;
} boxes_run;

static pliant_result get_boxes(pliant_scene *scene, pli_scene_call *entry)
{
    const boxes_run *run = entry->argument;
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < run->count && result == PLIANT_OK; i++) {
        result = pli_scene_member(scene, run->bodies[i]) != NULL ? PLIANT_OK : PLIANT_ERROR_RANGE;
    }
    double began = pli_seconds();
    pli_scene_queries_start_over(scene);
    result = result == PLIANT_OK ? pli_scene_update(scene, false) : result;
    for (uint32_t i = 0; i < run->count && result == PLIANT_OK; i++) {
        const pli_member *member = pli_scene_find_member(scene, run->bodies[i]);
        run->boxes[i] = member->def.has_loose_box
                            ? member->def.loose_box
                            : pli_scene_state_box(member->body, member->body->pose.world_error);
    }
    pli_scene_add_stats(scene);
    scene->stats.narrow.seconds_update = pli_seconds() - began;
    return result;
}

pliant_result pliant_scene_get_boxes(pliant_scene *scene, const pliant_body_id *bodies,
                                     uint32_t count, pliant_box *boxes)
{
    PLI_REQUIRE(scene);
    if (count > 0) {
        PLI_REQUIRE(bodies);
        PLI_REQUIRE(boxes);
    }
    boxes_run run = {bodies, count, boxes};
    return pli_scene_enter(scene,
                           &(pli_scene_call){.name = __func__, .run = get_boxes, .argument = &run});
}
