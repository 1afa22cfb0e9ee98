#include "collision.h"

#include "base/clock.h"
#include "geometry/triangle_overlap.h"
#include "query/boxes.h"
#include "query/neighbours.h"
#include "query/report.h"
#include "query/witness.h"

#include <sched.h>

pliant_collide_options pliant_collide_options_default(void)
{
    pliant_collide_options options = {.mode = PLIANT_COLLIDE_ALL,
                                      .neighbours = PLIANT_NEIGHBOURS_BEYOND_SHARED,
                                      .tag = PLI_TAG(pliant_collide_options)};
    return options;
}

pliant_result pli_collide_options_check(const pliant_collide_options *options)
{
    if (options == NULL) {
        return PLIANT_OK;
    }
    PLI_REQUIRE_TAG(options, pliant_collide_options);
    if ((unsigned)options->mode > PLIANT_COLLIDE_FIRST) {
        return pli_fail(PLIANT_ERROR_RANGE, "mode is %d; there is no such one", (int)options->mode);
    }
    if ((unsigned)options->neighbours > PLIANT_NEIGHBOURS_SKIP) {
        return pli_fail(PLIANT_ERROR_RANGE, "neighbours is %d; there is no such rule",
                        (int)options->neighbours);
    }
    return PLIANT_OK;
}

/* Whether the triangle kernels' error bound holds: all coordinates are below 2^38 in magnitude. */
static bool coordinates_are_moderate(const pliant_body *body)
{
    bool moderate = true;
    for (int k = 0; k < 3; k++) {
        moderate = moderate && body->top.box.side[k][0] > -0x1p38f &&
                   body->top.box.side[3 + k][0] < 0x1p38f;
    }
    return moderate;
}

static const pliant_collide_options default_options = {.tag = PLI_TAG(pliant_collide_options)};

/* Puts a task aside until the others are done. */
static pliant_result defer(pli_collision *collision, const pli_task *task)
{
    pliant_query *query = collision->query;
    pli_task *deferred = pli_grow(query->context, query->deferred, &query->deferred_room,
                                  query->deferred_count + 1, sizeof *deferred);
    if (deferred == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    query->deferred = deferred;
    deferred[query->deferred_count++] = *task;
    query->stats.nodes_tested--; /* it will be counted when it comes again */
    return PLIANT_OK;
}

pliant_result pli_collision_refresh(pli_collision *collision, int which, const pli_task *task,
                                    void **record)
{
    pliant_body *body = collision->body[which];
    pli_node_record *parent = which == 0 ? task->parent_a : task->parent_b;
    uint32_t lane = which == 0 ? task->lane_a : task->lane_b;
    uint32_t child = which == 0 ? task->child_a : task->child_b;
    if (collision->room[which] == NULL) {
        return pli_body_peek(body, parent, lane, child, record);
    }
    pli_room *room = collision->room[which];
    room->counts = &collision->made[which];
    if (collision->options->mode == PLIANT_COLLIDE_FIRST) {
        /* Which pair is found first must not depend on who else is at work: the order stays. */
        return pli_body_await_child(body, room, parent, lane, child, record);
    }
    pliant_result result = pli_body_claim_child(body, room, parent, lane, child, record);
    return result == PLIANT_OK && *record == NULL ? defer(collision, task) : result;
}

/* Whether a budget is spent. The clock is asked once in 64 tasks. */
static bool budget_is_spent(const pli_collision *collision)
{
    const pliant_collide_options *options = collision->options;
    uint64_t tested = collision->query->stats.nodes_tested;
    return (options->budget_nodes != 0 && tested >= options->budget_nodes) ||
           (options->budget_microseconds != 0 && tested % 64 == 0 &&
            pli_seconds() >= collision->deadline);
}

/* Whether somebody waits for tasks that nobody has given away yet. */
static bool others_wait(const pli_hunger *hunger)
{
    return hunger != NULL && atomic_load_explicit(&hunger->waiting, memory_order_relaxed) >
                                 atomic_load_explicit(&hunger->given, memory_order_relaxed);
}

/* Takes the next task, which stays where it is until another is pushed; NULL when there is none,
   the run has stopped or spent its budget, or some of its tasks should be given away first. */
static const pli_task *pop(pli_collision *collision)
{
    pliant_query *query = collision->query;
    if (collision->stopped) {
        return NULL;
    }
    if (query->task_count == 0 && query->deferred_count > 0) {
        /* Nothing else is left to do. What is awaited takes a microsecond: let its maker run. */
        sched_yield();
        pli_task *swap = query->tasks;
        size_t room = query->task_room;
        query->tasks = query->deferred;
        query->task_room = query->deferred_room;
        query->task_count = query->deferred_count;
        query->deferred = swap;
        query->deferred_room = room;
        query->deferred_count = 0;
    }
    if (query->task_count == 0 || (query->task_count > 1 && others_wait(collision->hunger))) {
        return NULL;
    }
    if (budget_is_spent(collision)) {
        collision->stopped = true;
        collision->complete = false;
        return NULL;
    }
    query->stats.nodes_tested++;
    return &query->tasks[--query->task_count];
}

pliant_result pli_collision_step(pli_collision *collision, const pli_task *task)
{
    bool self =
        collision->within && task->parent_a == task->parent_b && task->lane_a == task->lane_b;
    return self ? pli_collide_self_task(collision, task) : pli_collide_task(collision, task);
}

pliant_result pli_collision_run(pli_collision *collision)
{
    const pli_task *task = NULL;
    pliant_result result = PLIANT_OK;
    while (result == PLIANT_OK && (task = pop(collision)) != NULL) {
        result = pli_collision_step(collision, task);
    }
    return result;
}

static bool groups_allow(const pli_collision *collision, uint32_t a, uint32_t b)
{
    const pliant_collide_options *options = collision->options;
    if (options->groups_a.bits == NULL && options->groups_b.bits == NULL) {
        return true;
    }
    const pliant_shape *first = collision->body[0]->shape, *second = collision->body[1]->shape;
    if (pli_in_groups(first, options->groups_a, a) && pli_in_groups(second, options->groups_b, b)) {
        return true;
    }
    return collision->within && pli_in_groups(first, options->groups_a, b) &&
           pli_in_groups(second, options->groups_b, a);
}

/* The exact test, and within one body the neighbour rule. */
static bool pair_touches(pli_collision *collision, uint32_t triangle_a, uint32_t triangle_b,
                         const float corner_a[3][3], const float corner_b[3][3])
{
    uint64_t *fallbacks = &collision->query->stats.exact_fallbacks;
    return collision->within
               ? pli_touch_within(collision->body[0]->shape, triangle_a, triangle_b, corner_a,
                                  corner_b, collision->options->neighbours, fallbacks)
               : pli_triangle_overlap(corner_a, corner_b, fallbacks);
}

static inline pliant_result settle_pair(pli_collision *collision, pli_cluster_view a,
                                        uint32_t slot_a, pli_cluster_view b, uint32_t slot_b,
                                        bool touches)
{
    uint32_t triangle_a = pli_slot_triangle(a, slot_a), triangle_b = pli_slot_triangle(b, slot_b);
    if (!groups_allow(collision, triangle_a, triangle_b)) {
        return PLIANT_OK;
    }
    float corner_a[3][3], corner_b[3][3];
    const float(*p)[3] = (const float(*)[3])corner_a, (*q)[3] = (const float(*)[3])corner_b;
    if (!touches || pli_report_describes(collision->options)) {
        pli_slot_corners(a, slot_a, corner_a);
        pli_slot_corners(b, slot_b, corner_b);
    }
    if (!touches && !pair_touches(collision, triangle_a, triangle_b, p, q)) {
        return PLIANT_OK;
    }
    return pli_report_pair(collision, triangle_a, triangle_b, p, q);
}

pliant_result pli_settle_pair(pli_collision *collision, pli_cluster_view a, uint32_t slot_a,
                              pli_cluster_view b, uint32_t slot_b, bool touches)
{
    return settle_pair(collision, a, slot_a, b, slot_b, touches);
}

/* What the kernel says to touch or to be apart is so. Within one body it is asked only about
   triangles that share no vertex. */
pliant_result pli_collide_clusters(pli_collision *collision, pli_cluster_view a, pli_cluster_view b)
{
    const pli_pair_kernels *kernels = collision->kernels;
    uint8_t slot_a[PLI_CANDIDATES], slot_b[PLI_CANDIDATES];
    uint32_t candidates = kernels->list_candidates(a.record, b.record, slot_a, slot_b);
    if (collision->within && candidates > 0) {
        pliant_result result = pli_settle_neighbours(collision, a, slot_a, b, slot_b, &candidates);
        if (result != PLIANT_OK || collision->stopped) {
            return result;
        }
    }
    pli_slot_triangles triangles_a = pli_view_triangles(a), triangles_b = pli_view_triangles(b);
    for (uint32_t first = 0; first < candidates; first += PLI_BATCH) {
        uint32_t count = candidates - first < PLI_BATCH ? candidates - first : PLI_BATCH;
        pli_verdicts verdicts = {.unsure = UINT64_MAX >> (PLI_BATCH - count)};
        if (collision->kernels_apply) {
            verdicts = kernels->test_triangles(&triangles_a, slot_a + first, &triangles_b,
                                               slot_b + first, count);
        }
        collision->query->stats.triangle_tests += count;
        uint64_t open = verdicts.touch | verdicts.unsure;
        if (verdicts.touch != 0 && pli_report_takes_all(collision->options)) {
            pliant_result result =
                pli_report_all(collision, a, slot_a + first, b, slot_b + first, verdicts.touch);
            if (result != PLIANT_OK) {
                return result;
            }
            open = verdicts.unsure;
        }
        for (; open != 0; open &= open - 1) {
            uint32_t i = (uint32_t)__builtin_ctzll(open);
            pliant_result result = settle_pair(collision, a, slot_a[first + i], b,
                                               slot_b[first + i], verdicts.touch >> i & 1);
            if (result != PLIANT_OK || collision->stopped) {
                return result;
            }
        }
    }
    return PLIANT_OK;
}

/* Asks the pair that answered last time; if it touches still, that is the answer. */
static pliant_result try_witness(pli_collision *collision)
{
    pliant_body *a = collision->body[0], *b = collision->body[1];
    pliant_stats *stats = &collision->query->stats;
    const pli_witness *witness = pli_witness_entry(collision->query, a, b);
    float corner_a[3][3], corner_b[3][3];
    const float(*p)[3] = (const float(*)[3])corner_a, (*q)[3] = (const float(*)[3])corner_b;
    if (!pli_witness_recall(witness, a, b, corner_a, corner_b)) {
        return PLIANT_OK;
    }
    uint32_t triangle_a = witness->triangle_a, triangle_b = witness->triangle_b;
    stats->vertices_read += 6;
    stats->triangle_tests++;
    bool holds = groups_allow(collision, triangle_a, triangle_b) &&
                 pair_touches(collision, triangle_a, triangle_b, p, q);
    return holds ? pli_report_pair(collision, triangle_a, triangle_b, p, q) : PLIANT_OK;
}

void pli_collision_init(pli_collision *collision, pliant_query *query, pliant_body *a,
                        pliant_body *b, const pliant_collide_options *options)
{
    *collision =
        (pli_collision){.query = query,
                        .options = options,
                        .body = {a, b},
                        .kernels = pli_context_kernels(query->context)->pair,
                        .kernels_apply = coordinates_are_moderate(a) && coordinates_are_moderate(b),
                        .within = a == b,
                        .spheres = pli_body_has_spheres(a) && pli_body_has_spheres(b),
                        .complete = true};
    query->task_count = query->deferred_count = 0;
}

static bool has_callback(const pliant_collide_options *options)
{
    return options != NULL && options->callback != NULL;
}

pliant_result pli_collision_enter(pliant_query *query, pliant_body *a, pliant_body *b,
                                  const pliant_collide_options *options, const char *call)
{
    if (!has_callback(options)) {
        return PLIANT_OK;
    }
    pliant_result result = pli_use_begin(&query->use, call, "the query");
    if (result == PLIANT_OK) {
        pli_body_begin_call(a);
        pli_body_begin_call(b);
    }
    return result;
}

void pli_collision_leave(pliant_query *query, pliant_body *a, pliant_body *b,
                         const pliant_collide_options *options)
{
    if (!has_callback(options)) {
        return;
    }
    pli_body_end_call(a); /* the same body counts twice, and goes with the second */
    pli_body_end_call(b);
    if (pli_use_end(&query->use)) {
        pliant_query_destroy(query);
    }
}

pliant_result pli_collision_push_root(pli_collision *collision)
{
    pliant_body *a = collision->body[0], *b = collision->body[1];
    if (!(pli_box_meets(&a->top.box, 0, &b->top.box) & 1)) {
        return PLIANT_OK;
    }
    return pli_query_push(collision->query, &(pli_task){&a->top, &b->top, 0, 0, 0, 0});
}

pliant_result pli_collision_begin(pli_collision *collision, pliant_query *query, pliant_body *a,
                                  pliant_body *b, const pliant_collide_options *options)
{
    pliant_result result = pli_collide_options_check(options);
    if (result != PLIANT_OK) {
        return result;
    }
    if (a->context != query->context || b->context != query->context) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "the query and the bodies have different contexts");
    }
    double started = pli_seconds();
    options = options != NULL ? options : &default_options;
    query->stats = (pliant_stats){0};
    query->key_count = 0;
    pli_collision_init(collision, query, a, b, options);
    collision->counts[0] = a->counts;
    collision->counts[1] = b->counts;
    collision->started = started;
    if (options->mode == PLIANT_COLLIDE_FIRST) {
        result = try_witness(collision);
        if (result != PLIANT_OK || collision->stopped) {
            return result;
        }
    }
    result = pli_body_prepare(a);
    if (result == PLIANT_OK) {
        result = pli_body_prepare(b);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    double now = pli_seconds();
    query->stats.seconds_update = now - started;
    collision->deadline = now + 1e-6 * (double)options->budget_microseconds;
    collision->kernels_apply = coordinates_are_moderate(a) && coordinates_are_moderate(b);
    return pli_collision_push_root(collision);
}

static void fill_stats(pli_collision *collision)
{
    pliant_stats *stats = &collision->query->stats;
    stats->bytes = pli_query_memory(collision->query);
    for (int i = 0; i < (collision->within ? 1 : 2); i++) {
        const pliant_body *body = collision->body[i];
        stats->nodes_refreshed += body->counts.nodes - collision->counts[i].nodes;
        stats->clusters_refreshed += body->counts.clusters - collision->counts[i].clusters;
        stats->vertices_read += body->counts.vertices - collision->counts[i].vertices;
        stats->bytes += pliant_body_get_memory(body).bounds;
    }
    stats->pairs = collision->reported;
}

pliant_result pli_collision_end(pli_collision *collision, pliant_contacts *contacts)
{
    pliant_query *query = collision->query;
    const pliant_collide_options *options = collision->options;
    double traversed = pli_seconds();
    query->stats.seconds_traverse = traversed - collision->started - query->stats.seconds_update;
    pliant_result result = pli_report_end(collision);
    if (result != PLIANT_OK) {
        return result;
    }
    query->stats.seconds_sort = pli_seconds() - traversed;
    fill_stats(collision);
    if (contacts != NULL) {
        bool stored = options->callback == NULL && query->key_count > 0;
        contacts->pairs = stored ? (const pliant_pair *)(void *)query->keys : NULL;
        contacts->segments = stored && options->segments ? query->sorted_segments : NULL;
        contacts->separations = stored && options->separations ? query->sorted_separations : NULL;
        contacts->count = collision->reported;
        contacts->complete = collision->complete;
    }
    return PLIANT_OK;
}
