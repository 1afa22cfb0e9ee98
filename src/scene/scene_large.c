/*
 * The update of large bodies, spread over the workers: with a few bodies of hundreds of thousands
 * of triangles, one worker per body would leave the others idle. A part is a child of a root, or a
 * grandchild where there are enough levels.
 */
#include "scene.h"

enum { LARGE_VERTICES = 32768 };

bool pli_scene_is_large(const pliant_body *body)
{
    return body->shape->vertex_count >= LARGE_VERTICES;
}

typedef struct large_body {
    uint32_t slot;
    pli_node_record *root;
} large_body;

/* A few bodies at a time. */
enum { MOST_BODIES = 32 };

typedef struct large_run {
    pliant_scene *scene;
    bool swept; /* their sweeps are meant */
    uint32_t count;
    bool has_upper; /* some body has upper parts */
    bool is_upper;  /* upper parts are bounded, else parts refreshed */
    large_body bodies[MOST_BODIES];
} large_run;

static uint32_t parts_of_each(const large_run *run)
{
    return run->is_upper ? PLI_BODY_UPPER_PARTS : PLI_BODY_PARTS;
}

static void refresh_part(const large_run *run, uint32_t part, uint32_t number)
{
    pliant_scene *scene = run->scene;
    uint32_t parts = parts_of_each(run);
    const large_body *large = &run->bodies[part / parts];
    const pli_member *member = &scene->members.data[large->slot];
    pliant_body *body = pli_member_body(member, run->swept);
    pli_refresh_counts made = {0};
    pli_arena *arena = &pli_member_arenas(member, run->swept)[number];
    arena->counts = &made;
    pliant_result result = run->is_upper
                               ? pli_body_bound_upper_part(body, arena, large->root, part % parts)
                               : pli_body_refresh_part(body, arena, large->root, part % parts);
    pli_scene_add_counts(scene, number, body, &made);
    if (result != PLIANT_OK) {
        pli_worker_note_failure(&scene->workers[number], large->slot, result);
    }
}

static void part_task(void *argument, uint32_t index, uint32_t number)
{
    (void)index;
    const large_run *run = argument;
    uint32_t part = 0;
    while (pli_scene_take(run->scene, number, 1, &part) > 0) {
        refresh_part(run, part, number);
    }
}

static pliant_result run_parts(large_run *run, bool is_upper)
{
    pliant_scene *scene = run->scene;
    run->is_upper = is_upper;
    pli_scene_distribute(scene, parts_of_each(run) * run->count);
    pliant_result result = pli_context_run(scene->context, part_task, run, scene->worker_count);
    return result == PLIANT_OK ? pli_scene_body_failure(scene) : result;
}

/* Refreshes the bodies gathered so far, and starts anew. */
static pliant_result refresh_bodies(large_run *run)
{
    pliant_scene *scene = run->scene;
    pliant_result result = run->has_upper ? run_parts(run, true) : PLIANT_OK;
    result = result == PLIANT_OK ? run_parts(run, false) : result;
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t slot = run->bodies[i].slot;
        pliant_body *body = pli_member_body(&scene->members.data[slot], run->swept);
        if (result != PLIANT_OK) {
            pli_body_forget(body);
            continue;
        }
        pliant_stats *stats = &scene->workers[0].stats;
        uint64_t sizes = body->counts.sizes, cut_sizes = body->counts.cut_sizes;
        pli_body_join_parts(body, run->bodies[i].root);
        stats->bound_sizes += body->counts.sizes - sizes;
        stats->bound_sizes_at_cut += body->counts.cut_sizes - cut_sizes;
        pli_body_end_parts(body, run->bodies[i].root);
        result = pli_body_prepare(body); /* whose box may follow from its state alone */
        pli_scene_move_member(scene, slot, run->swept);
        scene->workers[0].bodies_updated++;
    }
    run->count = 0;
    return result;
}

/* Whether a member's body, or its sweep, is to be refreshed in parts. */
static bool has_parts(const pli_member *member, bool swept)
{
    const pliant_body *body = member->body != NULL ? pli_member_body(member, swept) : NULL;
    return body != NULL && pli_scene_is_large(body) && body->shape->top_count <= 1 &&
           pli_member_arenas(member, swept) != NULL && !member->def.has_loose_box && !body->ready &&
           body->valid &&
           ((body->update == PLIANT_UPDATE_HYBRID && !pli_body_has_coefficients(body)) ||
            (body->update == PLIANT_UPDATE_FRONT &&
             (body->root_was_opened || !pli_body_bounds_whole_first(body))));
}

pliant_result pli_scene_update_large_bodies(pliant_scene *scene, bool swept)
{
    large_run run = {.scene = scene, .swept = swept};
    pliant_result result = PLIANT_OK;
    if (scene->large_count == 0 || scene->worker_count < 2) {
        return PLIANT_OK;
    }
    pli_scene_forget_failures(scene);
    for (uint32_t i = 0; i < scene->slot_count && result == PLIANT_OK; i++) {
        if (!has_parts(&scene->members.data[i], swept)) {
            continue;
        }
        large_body *large = &run.bodies[run.count];
        pliant_body *body = pli_member_body(&scene->members.data[i], swept);
        uint64_t before = body->counts.nodes;
        large->slot = i;
        run.has_upper = run.has_upper || body->update == PLIANT_UPDATE_FRONT;
        result = pli_body_begin_parts(body, &large->root);
        scene->workers[0].stats.nodes_refreshed += body->counts.nodes - before;
        if (result == PLIANT_OK) {
            pli_scene_open_arenas(scene, &scene->members.data[i], swept);
            run.count++;
        }
        if (run.count == MOST_BODIES && result == PLIANT_OK) {
            result = refresh_bodies(&run);
        }
    }
    for (uint32_t i = 0; i < run.count && result != PLIANT_OK; i++) {
        /* begun for nothing */
        pli_body_forget(pli_member_body(&scene->members.data[run.bodies[i].slot], swept));
    }
    return result == PLIANT_OK && run.count > 0 ? refresh_bodies(&run) : result;
}
