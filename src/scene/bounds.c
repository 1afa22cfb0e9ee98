/*
 * Bounds of members: of bodies in their states, or of sweeps, which hold bodies throughout a step.
 * Workers bring those up to date that have a new state, and move them in the broad phase. A
 * declared box needs no update until its body takes part in a pair; it holds the body at both ends
 * of a step, so also in between.
 *
 * The update of a large body is spread over the workers: with a few bodies of hundreds of thousands
 * of triangles, one worker per body would leave the others idle. A subtree is a child of a root, or
 * a grandchild where there are enough levels.
 */
#include "scene.h"

#include "base/context.h"

#include <stdio.h>
#include <string.h>

enum {
    PORTIONS_PER_WORKER = 16, /* bodies are taken in portions, so that idle workers help others */
    LARGE_VERTICES = 32768,
    MOST_BODIES = 32 /* large ones at a time */
};

/* ------------------------------------------------------------------- boxes */

/* The box in lane 0, larger by an error on every side. */
static pliant_box first_box(const pli_boxes *boxes, float error)
{
    pliant_box box;
    for (int k = 0; k < 3; k++) {
        box.lower[k] = pli_below(boxes->side[k][0], error);
        box.upper[k] = -pli_below(-boxes->side[3 + k][0], error);
    }
    return box;
}

pliant_box pli_scene_body_box(const pliant_body *body)
{
    return first_box(&body->root.box, 0.0f);
}

pliant_box pli_scene_state_box(const pliant_body *body, float error)
{
    pli_boxes whole;
    pli_body_state_box(body, &whole);
    return first_box(&whole, error);
}

pliant_box pli_scene_member_box(const pli_member *member)
{
    return member->def.has_loose_box ? member->def.loose_box : pli_scene_body_box(member->body);
}

float pli_scene_largest_error(const pliant_scene *scene, bool over_step)
{
    float error = 0.0f;
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        const pli_member *member = &scene->members.data[i];
        if (member->body != NULL && !member->def.has_loose_box) {
            error = fmaxf(error, pli_member_body(member, over_step)->pose.world_error);
        }
    }
    return error;
}

/* Moves a member in the broad phase to where the true mesh may be. Queries about steps are about
   vertices as they are rounded. */
static void move_member(pliant_scene *scene, uint32_t slot, bool over_step)
{
    pli_member *member = &scene->members.data[slot];
    const pliant_body *body = pli_member_body(member, over_step);
    pliant_box box = first_box(&body->root.box, over_step ? 0.0f : body->pose.world_error);
    pli_broad_move(scene->broad[over_step], slot, &box);
    member->over[over_step].box_state = body->state;
}

static bool is_inside(const pliant_box *box, const pliant_box *other)
{
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        inside = inside && box->lower[k] >= other->lower[k] && box->upper[k] <= other->upper[k];
    }
    return inside;
}

/* Fails unless a prepared body, or its sweep, lies inside its declared box. The result depends on
   the state alone. */
static pliant_result check_loose_box(const pliant_scene *scene, uint32_t slot, bool over_step)
{
    const pli_member *member = &scene->members.data[slot];
    const pliant_box *declared = &member->def.loose_box;
    const pliant_body *body = pli_member_body(member, over_step);
    const pliant_body *start = over_step ? body->ends[0] : body;
    bool computed = pli_body_has_coefficients(member->body) || pli_body_has_coefficients(start);
    pliant_box box = pli_scene_body_box(body);
    /* Computing the smallest box of moved positions reads them all; the root's box holds it. */
    if (computed || !is_inside(&box, declared)) {
        box = pli_scene_state_box(body, 0.0f);
    }
    for (int k = 0; k < 3; k++) {
        if (box.lower[k] < declared->lower[k] || box.upper[k] > declared->upper[k]) {
            return pli_fail(PLIANT_ERROR_RANGE,
                            "body %u: along %c it reaches from %g to %g, its loose box only from "
                            "%g to %g",
                            slot, "xyz"[k], (double)box.lower[k], (double)box.upper[k],
                            (double)declared->lower[k], (double)declared->upper[k]);
        }
    }
    return PLIANT_OK;
}

/* ------------------------------------------------------------------- costs */

void pli_scene_start_over(pliant_scene *scene)
{
    scene->stats = (pliant_scene_stats){.bodies_updated = 0};
    pli_team_forget_failures(&scene->team);
    memset(scene->costs.data, 0, scene->worker_count * sizeof *scene->costs.data);
    scene->pair_count = 0;
}

void pli_stats_add(pliant_stats *total, const pliant_stats *stats)
{
    total->nodes_refreshed += stats->nodes_refreshed;
    total->clusters_refreshed += stats->clusters_refreshed;
    total->vertices_read += stats->vertices_read;
    total->bound_sizes += stats->bound_sizes;
    total->bound_sizes_at_cut += stats->bound_sizes_at_cut;
    total->nodes_tested += stats->nodes_tested;
    total->triangle_tests += stats->triangle_tests;
    total->feature_tests += stats->feature_tests;
    total->exact_fallbacks += stats->exact_fallbacks;
    total->lines += stats->lines;
}

void pli_scene_add_update_stats(pliant_scene *scene)
{
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        pli_stats_add(&scene->stats.narrow, &scene->costs.data[w].stats);
        scene->stats.bodies_updated += scene->costs.data[w].bodies_updated;
    }
}

/* Adds what a body has had refreshed since then. */
static void add_refreshed(pliant_stats *stats, const pli_refresh_counts *now,
                          const pli_refresh_counts *before)
{
    stats->nodes_refreshed += now->nodes - before->nodes;
    stats->clusters_refreshed += now->clusters - before->clusters;
    stats->vertices_read += now->vertices - before->vertices;
    stats->bound_sizes += now->sizes - before->sizes;
    stats->bound_sizes_at_cut += now->cut_sizes - before->cut_sizes;
}

void pli_scene_add_counts(pliant_scene *scene, uint32_t worker, pliant_body *body,
                          const pli_refresh_counts *made)
{
    add_refreshed(&scene->costs.data[worker].stats, made, &(pli_refresh_counts){0});
    /* The strategies that choose by these counts. */
    bool wanted = body->automatic || body->opened != NULL || body->rebuild != NULL;
    pli_refresh_counts *all = &body->counts;
    if (scene->worker_count > 1 && made->measured > 0) {
        atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &all->measured), made->measured,
                                  memory_order_relaxed);
        atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &all->sizes), made->sizes,
                                  memory_order_relaxed);
        atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &all->cut_sizes), made->cut_sizes,
                                  memory_order_relaxed);
    }
    if (scene->worker_count > 1 && wanted) {
        atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &all->vertices_on_demand),
                                  made->vertices_on_demand, memory_order_relaxed);
        atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &all->clusters_on_demand),
                                  made->clusters_on_demand, memory_order_relaxed);
    }
}

pliant_result pli_scene_body_failure(const pliant_scene *scene)
{
    const pli_team_worker *failure = pli_team_first_failure(&scene->team);
    return failure == NULL
               ? PLIANT_OK
               : pli_fail(failure->result, "body %u: %s", failure->failed_at, failure->message);
}

/* ------------------------------------------------------------- one member */

/* Empties the arenas of a member that has a new state. */
static void open_arenas(const pliant_scene *scene, pli_member *member, bool over_step)
{
    pli_presence *over = &member->over[over_step];
    uint64_t state = pli_member_body(member, over_step)->state;
    if (over->arenas != NULL && over->arena_state != state) {
        for (uint32_t w = 0; w < scene->worker_count; w++) {
            over->arenas[w] = (pli_arena){.worker = w};
        }
        over->arena_state = state;
    }
}

/* Makes sure that a member has a sweep of its present step, and arenas for it. */
static pliant_result get_sweep(pliant_scene *scene, pli_member *member)
{
    pliant_body *sweep = NULL;
    pli_presence *over = &member->over[true];
    pliant_result result = pli_body_get_sweep(member->body, &sweep);
    if (result == PLIANT_OK && scene->worker_count > 1 && over->arenas == NULL) {
        over->arenas = pli_allocate(scene->context, pli_scene_arenas_size(scene));
        over->arena_state = UINT64_MAX;
        result = over->arenas != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

/* Prepares a member's body or sweep on one of the workers. */
static pliant_result prepare_member(pliant_scene *scene, uint32_t slot, uint32_t worker,
                                    bool over_step)
{
    pli_member *member = &scene->members.data[slot];
    pliant_result result = over_step ? get_sweep(scene, member) : PLIANT_OK;
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_body *body = pli_member_body(member, over_step);
    pli_refresh_counts before = body->counts;
    body->arena.worker = worker; /* pages from a pool of its own */
    /* Large bodies that were opened in the last state are refreshed with their bounds, since
       several workers do that in parts; then by one worker too. */
    result = !over_step && pli_scene_is_large(body) ? pli_body_prepare_walk(body) : PLIANT_OK;
    result = result == PLIANT_OK ? pli_body_prepare(body) : result;
    if (result == PLIANT_OK) {
        open_arenas(scene, member, over_step);
        add_refreshed(&scene->costs.data[worker].stats, &body->counts, &before);
        bool is_new = !over_step || member->over[true].box_state != body->state;
        scene->costs.data[worker].bodies_updated += is_new;
    }
    return result;
}

/* Brings one member up to date. A sweep is looked at in every call: only that tells if it is new.
 */
static void update_member(pliant_scene *scene, uint32_t slot, uint32_t worker, bool over_step)
{
    const pli_member *member = &scene->members.data[slot];
    const pliant_body *body = member->body;
    if (!over_step && !scene->changed.data[slot]) {
        return;
    }
    uint64_t known = member->over[over_step].box_state;
    if (body != NULL && !member->def.has_loose_box &&
        (over_step || known != body->state || !body->ready)) {
        pliant_result result = prepare_member(scene, slot, worker, over_step);
        if (result != PLIANT_OK) {
            pli_team_note_failure(&scene->team, worker, slot, result);
            return;
        }
        if (!over_step || known != body->sweep->state) {
            move_member(scene, slot, over_step);
        }
    }
    if (!over_step) {
        scene->changed.data[slot] = 0;
    }
}

/* ------------------------------------------------------------ large bodies */

bool pli_scene_is_large(const pliant_body *body)
{
    return body->shape->vertex_count >= LARGE_VERTICES;
}

typedef struct large_body {
    uint32_t slot;
    pli_node_record *root;
} large_body;

typedef struct large_run {
    pliant_scene *scene;
    bool over_step;
    uint32_t count;
    bool has_upper; /* some body has upper parts */
    bool is_upper;  /* upper parts are bounded, else parts refreshed */
    large_body bodies[MOST_BODIES];
} large_run;

static uint32_t parts_of_each(const large_run *run)
{
    return run->is_upper ? PLI_BODY_UPPER_PARTS : PLI_BODY_PARTS;
}

static void refresh_part(const large_run *run, uint32_t part, uint32_t worker)
{
    pliant_scene *scene = run->scene;
    uint32_t parts = parts_of_each(run);
    const large_body *large = &run->bodies[part / parts];
    const pli_member *member = &scene->members.data[large->slot];
    pliant_body *body = pli_member_body(member, run->over_step);
    pli_refresh_counts made = {0};
    pli_arena *arena = pli_member_arena(member, run->over_step, worker);
    arena->counts = &made;
    pliant_result result = run->is_upper
                               ? pli_body_bound_upper_part(body, arena, large->root, part % parts)
                               : pli_body_refresh_part(body, arena, large->root, part % parts);
    pli_scene_add_counts(scene, worker, body, &made);
    if (result != PLIANT_OK) {
        pli_team_note_failure(&scene->team, worker, large->slot, result);
    }
}

static void part_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)index;
    const large_run *run = argument;
    uint32_t part = 0;
    while (pli_team_take(&run->scene->team, worker, 1, &part) > 0) {
        refresh_part(run, part, worker);
    }
}

static pliant_result run_parts(large_run *run, bool is_upper)
{
    pliant_scene *scene = run->scene;
    run->is_upper = is_upper;
    pli_team_distribute(&scene->team, parts_of_each(run) * run->count);
    pliant_result result = pli_context_run(scene->context, part_task, run, scene->worker_count);
    return result == PLIANT_OK ? pli_scene_body_failure(scene) : result;
}

/* Refreshes the bodies gathered so far, and begins again. */
static pliant_result refresh_bodies(large_run *run)
{
    pliant_scene *scene = run->scene;
    pliant_result result = run->has_upper ? run_parts(run, true) : PLIANT_OK;
    result = result == PLIANT_OK ? run_parts(run, false) : result;
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t slot = run->bodies[i].slot;
        pliant_body *body = pli_member_body(&scene->members.data[slot], run->over_step);
        if (result != PLIANT_OK) {
            pli_body_forget(body);
            continue;
        }
        pliant_stats *stats = &scene->costs.data[0].stats;
        uint64_t sizes = body->counts.sizes, cut_sizes = body->counts.cut_sizes;
        pli_body_join_parts(body, run->bodies[i].root);
        stats->bound_sizes += body->counts.sizes - sizes;
        stats->bound_sizes_at_cut += body->counts.cut_sizes - cut_sizes;
        pli_body_end_parts(body, run->bodies[i].root);
        result = pli_body_prepare(body); /* whose box may follow from its state alone */
        move_member(scene, slot, run->over_step);
        scene->costs.data[0].bodies_updated++;
    }
    run->count = 0;
    return result;
}

/* Returns true if a member's body, or its sweep, is to be refreshed in parts. */
static bool has_parts(const pli_member *member, bool over_step)
{
    const pliant_body *body = pli_member_body(member, over_step);
    return body->shape->top_count <= 1 && member->over[over_step].arenas != NULL &&
           !member->def.has_loose_box && !body->ready && body->valid &&
           ((body->update == PLIANT_UPDATE_HYBRID && !pli_body_has_coefficients(body)) ||
            (body->update == PLIANT_UPDATE_FRONT &&
             (body->root_was_opened || !pli_body_bounds_whole_first(body))));
}

/* Adds a large body to those that are refreshed in parts, if it is to be. */
static pliant_result add_large(large_run *run, uint32_t slot)
{
    pliant_scene *scene = run->scene;
    pli_member *member = &scene->members.data[slot];
    pliant_result result = run->over_step ? get_sweep(scene, member) : PLIANT_OK;
    if (result != PLIANT_OK) {
        pli_team_note_failure(&scene->team, 0, slot, result);
        return pli_scene_body_failure(scene);
    }
    if (!has_parts(member, run->over_step)) {
        return PLIANT_OK;
    }
    large_body *large = &run->bodies[run->count];
    pliant_body *body = pli_member_body(member, run->over_step);
    uint64_t before = body->counts.nodes;
    large->slot = slot;
    run->has_upper = run->has_upper || body->update == PLIANT_UPDATE_FRONT;
    result = pli_body_begin_parts(body, &large->root);
    scene->costs.data[0].stats.nodes_refreshed += body->counts.nodes - before;
    if (result == PLIANT_OK) {
        open_arenas(scene, member, run->over_step);
        run->count++;
    }
    return result == PLIANT_OK && run->count == MOST_BODIES ? refresh_bodies(run) : result;
}

static pliant_result update_large_bodies(pliant_scene *scene, bool over_step)
{
    large_run run = {.scene = scene, .over_step = over_step};
    pliant_result result = PLIANT_OK;
    if (scene->large_count == 0 || scene->worker_count < 2) {
        return PLIANT_OK;
    }
    for (uint32_t i = 0; i < scene->slot_count && result == PLIANT_OK; i++) {
        const pliant_body *body = scene->members.data[i].body;
        result = body != NULL && pli_scene_is_large(body) ? add_large(&run, i) : PLIANT_OK;
    }
    for (uint32_t i = 0; i < run.count && result != PLIANT_OK; i++) { /* begun unnecessarily */
        pli_body_forget(pli_member_body(&scene->members.data[run.bodies[i].slot], over_step));
    }
    return result == PLIANT_OK && run.count > 0 ? refresh_bodies(&run) : result;
}

/* -------------------------------------------------------------- all bodies */

typedef struct update_run {
    pliant_scene *scene;
    bool over_step;
} update_run;

static void update_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)index;
    const update_run *run = argument;
    pliant_scene *scene = run->scene;
    uint32_t portion = scene->slot_count / (PORTIONS_PER_WORKER * scene->worker_count) + 1;
    uint32_t first = 0, count = 0;
    while ((count = pli_team_take(&scene->team, worker, portion, &first)) > 0) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            update_member(scene, slot, worker, run->over_step);
        }
    }
}

/* The number of bodies that have another state; counted to no more than `most`. */
static uint32_t count_changed(const pliant_scene *scene, uint32_t most)
{
    const unsigned char *changed = (const unsigned char *)scene->changed.data;
    uint32_t count = 0;
    for (size_t i = 0; i < scene->slot_count && count < most; i++) {
        const unsigned char *next = memchr(changed + i, 1, scene->slot_count - i);
        if (next == NULL) {
            break;
        }
        i = (size_t)(next - changed);
        count++;
    }
    return count;
}

/* The broad phase over steps learns of members that it does not know. */
static pliant_result admit_members(pliant_scene *scene)
{
    pliant_result result = PLIANT_OK;
    if (scene->broad[true] == NULL) {
        result = pli_broad_create(scene->context, pli_scene_broad_kind(scene), &scene->broad[true]);
    }
    for (uint32_t i = 0; i < scene->slot_count && result == PLIANT_OK; i++) {
        pli_member *member = &scene->members.data[i];
        if (member->body != NULL && !member->over[true].in_broad) {
            pliant_box box = pli_scene_first_box(&member->def);
            result = pli_broad_add(scene->broad[true], i, &box);
            member->over[true].in_broad = result == PLIANT_OK;
        }
    }
    if (result == PLIANT_OK) {
        pli_broad_limit_pairs(scene->broad[true], pli_broad_most_pairs(scene->broad[false]));
    }
    return result;
}

static pliant_result update(pliant_scene *scene, bool over_step)
{
    /* Workers that have something to do. */
    uint32_t workers = over_step ? scene->worker_count : count_changed(scene, scene->worker_count);
    if (workers == 0) {
        return PLIANT_OK;
    }
    update_run run = {scene, over_step};
    pli_team_forget_failures(&scene->team);
    pliant_result result = update_large_bodies(scene, over_step); /* up to date below */
    if (result != PLIANT_OK) {
        return result;
    }
    pli_team_distribute(&scene->team, scene->slot_count);
    result = pli_stage_run(scene->context, PLIANT_STAGE_SCENE_BOUNDS, update_task, &run, workers);
    return result == PLIANT_OK ? pli_scene_body_failure(scene) : result;
}

pliant_result pli_scene_update(pliant_scene *scene, bool over_step)
{
    pliant_result result = over_step ? admit_members(scene) : PLIANT_OK;
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
    result = result == PLIANT_OK ? update(scene, over_step) : result;
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
    return result;
}

/* ---------------------------------------------------------- declared boxes */

/* Lists the bodies with declared boxes that are in a pair and may have a new state, each once. */
static pliant_result list_loose_bodies(pliant_scene *scene, bool over_step)
{
    bool done = true;
    scene->slots.count = 0;
    for (uint32_t p = 0; p < scene->pair_count && done; p++) {
        const uint32_t both[2] = {pli_pair_a(scene->pairs[p]), pli_pair_b(scene->pairs[p])};
        for (int i = 0; i < 2 && done; i++) {
            pli_member *member = &scene->members.data[both[i]];
            if (member->def.has_loose_box && !member->named &&
                (over_step || member->over[false].box_state != member->body->state)) {
                done = PLI_PUSH(scene->context, &scene->slots, both[i]);
                member->named = done;
            }
        }
    }
    for (size_t i = 0; i < scene->slots.count; i++) {
        scene->members.data[scene->slots.data[i]].named = 0;
    }
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

static void loose_task(void *argument, uint32_t index, uint32_t worker)
{
    const update_run *run = argument;
    uint32_t slot = run->scene->slots.data[index];
    pliant_result result = prepare_member(run->scene, slot, worker, run->over_step);
    if (result != PLIANT_OK) {
        pli_team_note_failure(&run->scene->team, worker, slot, result);
    }
}

pliant_result pli_scene_update_loose(pliant_scene *scene, bool over_step)
{
    if (scene->loose_count == 0) {
        return PLIANT_OK;
    }
    update_run run = {scene, over_step};
    pliant_result result = list_loose_bodies(scene, over_step);
    if (result == PLIANT_OK) {
        pli_team_forget_failures(&scene->team);
        pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
        result = pli_context_run(scene->context, loose_task, &run, (uint32_t)scene->slots.count);
        pli_stage_end(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
    }
    result = result == PLIANT_OK ? pli_scene_body_failure(scene) : result;
    for (size_t i = 0; i < scene->slots.count && result == PLIANT_OK; i++) {
        uint32_t slot = scene->slots.data[i];
        pli_member *member = &scene->members.data[slot];
        result = check_loose_box(scene, slot, over_step);
        if (result == PLIANT_OK) {
            member->over[over_step].box_state = pli_member_body(member, over_step)->state;
        }
    }
    return result;
}

pliant_result pli_scene_read_loose(pliant_scene *scene, uint32_t slot, uint32_t worker)
{
    pli_member *member = &scene->members.data[slot];
    pliant_result result = prepare_member(scene, slot, worker, false);
    if (result != PLIANT_OK) {
        char message[160];
        snprintf(message, sizeof message, "%s", pliant_last_error());
        return pli_fail(result, "body %u: %s", slot, message);
    }
    result = check_loose_box(scene, slot, false);
    if (result == PLIANT_OK) {
        atomic_store_explicit(PLI_SHARED(uint64_t, &member->over[false].box_state),
                              member->body->state, memory_order_release);
    }
    return result;
}
