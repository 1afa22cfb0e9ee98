/*
 * All contacts of a scene, in stages: pairs of bodies (scene_pairs.c), pieces of narrow-phase work,
 * collecting. Bodies, pieces and results are spread over the workers;
 * what comes out depends on none of that, because every stage ends in a sorted list.
 */
#include "scene.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "base/sort.h"

#include <stdio.h>
#include <string.h>

#define OPTIONS_COOKIE 0x50536f70u

enum {
    PAIRS_PER_WORKER = 6,   /* fewer pairs of bodies than this are split into pieces, */
    PIECES_PER_WORKER = 24, /* about so many */
    FEW_KEYS = 256          /* results that are sorted sooner than shared out */
};

pliant_scene_options pliant_scene_options_default(void)
{
    pliant_scene_options options = {.mode = PLIANT_COLLIDE_ALL,
                                    .neighbours = PLIANT_NEIGHBOURS_BEYOND_SHARED,
                                    .cookie = OPTIONS_COOKIE};
    return options;
}

pliant_result pli_scene_options_check(const pliant_scene_options *options)
{
    if (options != NULL && options->cookie != OPTIONS_COOKIE) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "the options have no cookie; start from pliant_scene_options_default()");
    }
    return PLIANT_OK;
}

static void reset_workers(pliant_scene *scene)
{
    pli_scene_forget_failures(scene);
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        scene->workers[w].run_count = 0;
        scene->workers[w].query->key_count = scene->workers[w].query->proxy_count = 0;
        scene->workers[w].query->stats = (pliant_stats){0};
    }
}

/* ----------------------------------------------------------------- pieces */

static pliant_result add_piece(pliant_scene *scene, pli_piece piece)
{
    pli_piece *pieces = pli_grow(scene->context, scene->pieces, &scene->piece_room,
                                 scene->piece_count + 1, sizeof *pieces);
    if (pieces == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    scene->pieces = pieces;
    pieces[scene->piece_count++] = piece;
    return PLIANT_OK;
}

/* Makes the rooms of a member fresh if its body has a new state. */
static void open_rooms(pliant_scene *scene, uint32_t slot)
{
    pli_member *member = &scene->members[slot];
    if (member->rooms != NULL && member->room_state != member->body->state) {
        for (uint32_t w = 0; w < scene->worker_count; w++) {
            member->rooms[w] = (pli_worker_room){.counts = {0}};
            member->rooms[w].room.counts = &member->rooms[w].counts;
        }
        member->room_state = member->body->state;
    }
}

void pli_scene_open_rooms(pliant_scene *scene, const pli_body_pair *pair)
{
    open_rooms(scene, pair->a);
    open_rooms(scene, pair->b);
}

pli_room *pli_scene_room(const pliant_scene *scene, uint32_t slot, uint32_t worker)
{
    pli_worker_room *rooms = scene->members[slot].rooms;
    return rooms != NULL ? &rooms[worker].room : NULL;
}

/* A collision of two members as one worker sees it. */
static void open_collision(pliant_scene *scene, const pliant_collide_options *options,
                           uint32_t pair, uint32_t worker, pli_collision *collision)
{
    const uint32_t both[2] = {scene->pairs[pair].a, scene->pairs[pair].b};
    pli_collision_init(collision, scene->workers[worker].query, scene->members[both[0]].body,
                       scene->members[both[1]].body, options);
    for (int i = 0; i < 2; i++) {
        collision->room[i] = pli_scene_room(scene, both[i], worker);
    }
}

pliant_result pli_scene_note_run(pli_scene_worker *worker, uint32_t pair, uint64_t first,
                                 uint64_t count)
{
    if (count == 0) {
        return PLIANT_OK;
    }
    pli_key_run *runs = pli_grow(worker->query->context, worker->runs, &worker->run_room,
                                 worker->run_count + 1, sizeof *runs);
    if (runs == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    worker->runs = runs;
    runs[worker->run_count++] = (pli_key_run){pair, first, count};
    return PLIANT_OK;
}

/* Remembers that the keys from `first` on belong to a pair. */
static pliant_result note_keys(pli_scene_worker *worker, uint32_t pair, uint64_t first)
{
    return pli_scene_note_run(worker, pair, first, worker->query->key_count - first);
}

/*
 * Opens one pair breadth first until it has fallen into `wanted` tasks, on the calling thread; each
 * becomes a piece. What is compared to the end on the way is kept.
 */
static pliant_result split_pair(pliant_scene *scene, const pliant_collide_options *options,
                                uint32_t pair, size_t wanted)
{
    pli_collision collision;
    pli_scene_worker *worker = &scene->workers[0];
    uint64_t first_key = worker->query->key_count;
    open_collision(scene, options, pair, 0, &collision);
    pliant_result result = pli_collision_push_root(&collision);
    size_t head = 0;
    while (result == PLIANT_OK && head < worker->query->task_count &&
           worker->query->task_count - head < wanted) {
        pli_task task = worker->query->tasks[head++];
        worker->query->stats.nodes_tested++;
        result = pli_collision_step(&collision, &task);
    }
    for (; result == PLIANT_OK && head < worker->query->task_count; head++) {
        result = add_piece(scene, (pli_piece){pair, false, worker->query->tasks[head]});
    }
    worker->query->task_count = 0;
    return result == PLIANT_OK ? note_keys(worker, pair, first_key) : result;
}

static pliant_result make_pieces(pliant_scene *scene, const pliant_collide_options *options)
{
    size_t wanted = (size_t)PIECES_PER_WORKER * scene->worker_count;
    bool split = scene->worker_count > 1 && options->mode == PLIANT_COLLIDE_ALL &&
                 scene->pair_count < PAIRS_PER_WORKER * scene->worker_count;
    scene->piece_count = 0;
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        pli_scene_open_rooms(scene, &scene->pairs[p]);
        pliant_result result = split ? split_pair(scene, options, p, wanted / scene->pair_count + 1)
                                     : add_piece(scene, (pli_piece){.pair = p, .whole = true});
        if (result != PLIANT_OK) {
            char message[sizeof scene->workers->message];
            snprintf(message, sizeof message, "%s", pliant_last_error());
            return pli_fail(result, "bodies %u and %u: %s", scene->pairs[p].a, scene->pairs[p].b,
                            message);
        }
    }
    return PLIANT_OK;
}

/* ----------------------------------------------------------------- narrow */

typedef struct narrow_run {
    pliant_scene *scene;
    const pliant_collide_options *options;
} narrow_run;

static void narrow_task(void *argument, uint32_t index, uint32_t number)
{
    const narrow_run *run = argument;
    const pli_piece *piece = &run->scene->pieces[index];
    pli_scene_worker *worker = &run->scene->workers[number];
    pli_collision collision;
    uint64_t first_key = worker->query->key_count;
    open_collision(run->scene, run->options, piece->pair, number, &collision);
    pliant_result result = piece->whole ? pli_collision_push_root(&collision)
                                        : pli_query_push(worker->query, &piece->task);
    if (result == PLIANT_OK) {
        result = pli_collision_run(&collision);
    }
    if (result == PLIANT_OK) {
        result = note_keys(worker, piece->pair, first_key);
    }
    if (result != PLIANT_OK) {
        pli_scene_note_failure(worker, index, result);
    }
}

/* Adds what workers refreshed in a member's body to the body's own counts. */
static void merge_counts(pliant_scene *scene, const pli_member *member)
{
    for (uint32_t w = 0; member->rooms != NULL && w < scene->worker_count; w++) {
        pli_refresh_counts *from = &member->rooms[w].counts, *to = &member->body->counts;
        to->nodes += from->nodes;
        to->clusters += from->clusters;
        to->vertices += from->vertices;
        to->vertices_on_demand += from->vertices_on_demand;
        to->clusters_on_demand += from->clusters_on_demand;
        *from = (pli_refresh_counts){0};
    }
}

/* What has been refreshed in all bodies since they were created. */
static pli_refresh_counts sum_counts(const pliant_scene *scene)
{
    pli_refresh_counts sum = {0};
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        if (scene->members[i].body != NULL) {
            const pli_refresh_counts *counts = &scene->members[i].body->counts;
            sum.nodes += counts->nodes;
            sum.clusters += counts->clusters;
            sum.vertices += counts->vertices;
        }
    }
    return sum;
}

void pli_scene_run_narrow(pliant_scene *scene, pliant_task task, void *argument, uint32_t count)
{
    pli_refresh_counts before = sum_counts(scene);
    pli_context_run(scene->context, task, argument, count);
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        if (scene->members[i].body != NULL) {
            merge_counts(scene, &scene->members[i]);
        }
    }
    pli_refresh_counts after = sum_counts(scene);
    scene->stats.narrow.nodes_refreshed += after.nodes - before.nodes;
    scene->stats.narrow.clusters_refreshed += after.clusters - before.clusters;
    scene->stats.narrow.vertices_read += after.vertices - before.vertices;
}

static pliant_result run_pieces(pliant_scene *scene, const pliant_collide_options *options)
{
    narrow_run run = {scene, options};
    pli_scene_run_narrow(scene, narrow_task, &run, (uint32_t)scene->piece_count);
    const pli_scene_worker *failure = pli_scene_first_failure(scene);
    if (failure != NULL) {
        const pli_body_pair *pair = &scene->pairs[scene->pieces[failure->failed_at].pair];
        return pli_fail(failure->result, "bodies %u and %u: %s", pair->a, pair->b,
                        failure->message);
    }
    return PLIANT_OK;
}

/* ---------------------------------------------------------------- collect */

static void sort_pair_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    pliant_scene *scene = argument;
    const pli_body_pair *pair = &scene->pairs[index];
    uint64_t *keys = scene->keys + pair->first;
    pli_sort_keys(keys, scene->key_scratch + pair->first, NULL, NULL, (size_t)pair->count);
    for (uint64_t i = 0; i < pair->count; i++) {
        pliant_pair found = {.a = (uint32_t)(keys[i] >> 32), .b = (uint32_t)keys[i]};
        memcpy(&keys[i], &found, sizeof found);
    }
}

uint64_t pli_scene_place_pairs(pliant_scene *scene)
{
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        const pli_scene_worker *worker = &scene->workers[w];
        for (size_t r = 0; r < worker->run_count; r++) {
            scene->pairs[worker->runs[r].pair].count += worker->runs[r].count;
        }
    }
    uint64_t total = 0;
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        scene->pairs[p].first = total;
        total += scene->pairs[p].count;
    }
    return total;
}

/* Brings the keys of each pair together, in ascending order. */
static pliant_result gather_keys(pliant_scene *scene, uint64_t total)
{
    if (total == 0) {
        return PLIANT_OK;
    }
    uint64_t *keys =
        pli_grow(scene->context, scene->keys, &scene->key_room, (size_t)total, sizeof *keys);
    scene->keys = keys != NULL ? keys : scene->keys;
    uint64_t *scratch = pli_grow(scene->context, scene->key_scratch, &scene->key_scratch_room,
                                 (size_t)total, sizeof *scratch);
    scene->key_scratch = scratch != NULL ? scratch : scene->key_scratch;
    if (keys == NULL || scratch == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        const pli_scene_worker *worker = &scene->workers[w];
        for (size_t r = 0; r < worker->run_count; r++) {
            pli_key_run run = worker->runs[r];
            pli_body_pair *pair = &scene->pairs[run.pair];
            memcpy(keys + pair->first, worker->query->keys + run.first,
                   (size_t)run.count * sizeof *keys);
            pair->first += run.count;
        }
    }
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        scene->pairs[p].first -= scene->pairs[p].count;
    }
    if (total > FEW_KEYS) {
        pli_context_run(scene->context, sort_pair_task, scene, scene->pair_count);
        return PLIANT_OK;
    }
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        sort_pair_task(scene, p, 0);
    }
    return PLIANT_OK;
}

pliant_result pli_scene_list_answer(pliant_scene *scene, uint32_t *touching)
{
    pliant_scene_pair *answer = pli_grow(scene->context, scene->answer, &scene->answer_room,
                                         (size_t)scene->pair_count + 1, sizeof *answer);
    if (answer == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    scene->answer = answer;
    *touching = 0;
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        const pli_body_pair *pair = &scene->pairs[p];
        if (pair->count > 0) {
            answer[(*touching)++] = (pliant_scene_pair){
                .a = {pair->a, scene->members[pair->a].generation},
                .b = {pair->b, scene->members[pair->b].generation},
                .first = pair->first,
                .count = pair->count,
            };
        }
    }
    scene->stats.pairs_touching = *touching;
    return PLIANT_OK;
}

static pliant_result fill_answer(pliant_scene *scene, uint64_t total,
                                 pliant_scene_contacts *contacts)
{
    uint32_t touching = 0;
    pliant_result result = pli_scene_list_answer(scene, &touching);
    if (result != PLIANT_OK) {
        return result;
    }
    *contacts = (pliant_scene_contacts){
        .bodies = scene->answer,
        .body_pair_count = touching,
        .pairs = total > 0 ? (const pliant_pair *)(void *)scene->keys : NULL,
        .count = total,
    };
    return PLIANT_OK;
}

static void add_worker_stats(pliant_scene *scene)
{
    pliant_stats *total = &scene->stats.narrow;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        const pliant_stats *stats = &scene->workers[w].query->stats;
        total->nodes_refreshed += stats->nodes_refreshed;
        total->clusters_refreshed += stats->clusters_refreshed;
        total->vertices_read += stats->vertices_read;
        total->nodes_tested += stats->nodes_tested;
        total->triangle_tests += stats->triangle_tests;
        total->exact_fallbacks += stats->exact_fallbacks;
        total->bytes += pli_query_memory(scene->workers[w].query);
    }
}

void pli_scene_end_stats(pliant_scene *scene, uint64_t total, double began, double ended)
{
    pliant_scene_stats *stats = &scene->stats;
    add_worker_stats(scene);
    stats->narrow.pairs = total;
    stats->pairs_narrow = scene->pair_count;
    stats->seconds_narrow = stats->narrow.seconds_traverse = ended - began;
    stats->seconds_collect = stats->narrow.seconds_sort = pli_seconds() - ended;
}

pliant_result pli_scene_find_work(pliant_scene *scene, const pliant_scene_options *options)
{
    pliant_scene_stats *stats = &scene->stats;
    *stats = (pliant_scene_stats){.bodies_updated = 0};
    reset_workers(scene);
    scene->pair_count = 0;
    double started = pli_seconds();
    pliant_result result = pli_scene_update_boxes(scene);
    double updated = pli_seconds();
    if (result == PLIANT_OK) {
        result = pli_scene_find_pairs(scene, options);
    }
    stats->narrow.seconds_update = updated - started;
    stats->seconds_broad = pli_seconds() - updated;
    return result == PLIANT_OK ? pli_scene_update_loose_bodies(scene) : result;
}

static PLI_NOINLINE pliant_result collide(pliant_scene *scene, const pliant_scene_options *options,
                                          pliant_scene_contacts *contacts)
{
    pliant_collide_options narrow = pliant_collide_default();
    narrow.mode = options->mode;
    narrow.neighbours = options->neighbours;
    pliant_result result = pli_collide_options_check(&narrow);
    if (result != PLIANT_OK) {
        return result;
    }
    result = pli_scene_find_work(scene, options);
    double began = pli_seconds();
    if (result == PLIANT_OK) {
        result = make_pieces(scene, &narrow);
    }
    if (result == PLIANT_OK) {
        result = run_pieces(scene, &narrow);
    }
    double ended = pli_seconds();
    uint64_t total = result == PLIANT_OK ? pli_scene_place_pairs(scene) : 0;
    if (result == PLIANT_OK) {
        result = gather_keys(scene, total);
    }
    if (result == PLIANT_OK) {
        result = fill_answer(scene, total, contacts);
    }
    pli_scene_end_stats(scene, total, began, ended);
    return result;
}

pliant_result pliant_scene_collide(pliant_scene *scene, const pliant_scene_options *options,
                                   pliant_scene_contacts *contacts)
{
    pliant_scene_options defaults = pliant_scene_options_default();
    if (options == NULL) {
        options = &defaults;
    }
    PLI_REQUIRE(scene);
    PLI_REQUIRE(contacts);
    pliant_result result = pli_scene_options_check(options);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = collide(scene, options, contacts);
        pli_float_env_leave(env);
    }
    return result;
}
