/*
 * What passes through between frames: triangles that meet while bodies move from one frame to the
 * next, and neither of which touches the other's part in one of the two. From state to state every
 * vertex moves along a straight line; several steps follow turning joints more closely.
 */
#include "worker.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* The gap of a record that says that two triangles touch at an end. */
#define TOUCHES 0.0

static bool moves(const check_worker *worker, uint32_t body)
{
    return pliant_asset_get_body(worker->state->asset, body)->motion != PLIANT_ASSET_STILL;
}

/* Every body that moves starts a step where it is now. */
static pliant_result begin_steps(check_worker *worker)
{
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; result == PLIANT_OK && i < worker->state->body_count; i++) {
        check_member *member = &worker->members[i];
        member->was_shown = member->body != NULL && member->is_shown;
        if (member->was_shown && moves(worker, i)) {
            result = pliant_body_begin_step(member->body);
        }
    }
    return result;
}

/* Neighbours on the surface never count, as within a frame: vertices at equal positions are one. */
static bool are_neighbours(const pliant_asset_mesh *mesh, pliant_pair pair)
{
    for (int i = 0; i < 9; i++) {
        const float *x = &mesh->positions[3 * (size_t)mesh->triangles[3 * (size_t)pair.a + i / 3]];
        const float *y = &mesh->positions[3 * (size_t)mesh->triangles[3 * (size_t)pair.b + i % 3]];
        if (x[0] == y[0] && x[1] == y[1] && x[2] == y[2]) {
            return true;
        }
    }
    return false;
}

/*
 * Keeps what meets in one of the steps. What touches where a later step starts met in the one
 * before, or is a pair of neighbours, as are those that touch only where a step ends.
 */
static bool keep_meetings(check_worker *worker, uint32_t a, uint32_t b, uint32_t step,
                          const pliant_meetings *found)
{
    const check *state = worker->state;
    const pliant_asset_mesh *mesh =
        pliant_asset_get_mesh(state->asset, pliant_asset_get_body(state->asset, a)->shape);
    bool done = true;
    for (uint64_t i = 0; done && i < found->count; i++) {
        const pliant_meeting *meeting = &found->meetings[i];
        bool starts = meeting->kind == PLIANT_MEETING_START;
        if ((starts && step > 0) || meeting->kind == PLIANT_MEETING_END ||
            (a == b && are_neighbours(mesh, found->pairs[i]))) {
            continue;
        }
        double when = fmax((step + meeting->time.high) / state->settings.steps, DBL_MIN);
        done = check_add_record(worker, &state->bodies[a], &state->bodies[b], found->pairs[i],
                                starts ? TOUCHES : when);
    }
    return done;
}

static bool is_asked(const check_worker *worker, uint32_t a, uint32_t b)
{
    const check_member *x = &worker->members[a], *y = &worker->members[b];
    bool shown = x->was_shown && x->is_shown && y->was_shown && y->is_shown;
    bool self = worker->state->settings.self || worker->state->bodies[a].part_count > 1;
    return shown && (moves(worker, a) || moves(worker, b)) && (a != b || self);
}

/* All pairs of bodies: those far from each other are told apart by one box each. */
static pliant_result ask_step(check_worker *worker, uint32_t step)
{
    uint32_t count = worker->state->body_count;
    pliant_result result = PLIANT_OK;
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = a; result == PLIANT_OK && b < count; b++) {
            if (!is_asked(worker, a, b)) {
                continue;
            }
            pliant_body *x = worker->members[a].body, *y = worker->members[b].body;
            pliant_meetings found;
            result = a == b ? pliant_find_meetings_self(worker->query, x, NULL, &found)
                            : pliant_find_meetings(worker->query, x, y, NULL, &found);
            if (result == PLIANT_OK && !keep_meetings(worker, a, b, step, &found)) {
                result = PLIANT_ERROR_OUT_OF_MEMORY;
            }
        }
    }
    return result;
}

/* Adds what touches of two bodies where they are now, at the end of the last step. */
static pliant_result add_end(check_worker *worker, uint32_t a, uint32_t b)
{
    const check *state = worker->state;
    pliant_body *x = worker->members[a].body, *y = worker->members[b].body;
    pliant_collide_options options = pliant_collide_options_default();
    options.neighbours = PLIANT_NEIGHBOURS_SKIP;
    pliant_contacts contacts;
    if (!worker->members[a].is_shown || !worker->members[b].is_shown) {
        return PLIANT_OK;
    }
    pliant_result result = a == b ? pliant_collide_self(worker->query, x, &options, &contacts)
                                  : pliant_collide(worker->query, x, y, NULL, &contacts);
    for (uint64_t i = 0; result == PLIANT_OK && i < contacts.count; i++) {
        if (!check_add_record(worker, &state->bodies[a], &state->bodies[b], contacts.pairs[i],
                              TOUCHES)) {
            result = PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    return result;
}

/* The same of all bodies of which something met. */
static pliant_result add_ends(check_worker *worker)
{
    const check_part *parts = worker->state->parts;
    uint64_t latest = UINT64_MAX;
    size_t count = worker->record_count;
    pliant_result result = PLIANT_OK;
    check_sort_records(worker);
    for (size_t i = 0; result == PLIANT_OK && i < count; i++) {
        uint32_t a = parts[worker->records[i].a].body, b = parts[worker->records[i].b].body;
        uint64_t bodies = (uint64_t)a << 32 | b;
        if (bodies != latest && worker->records[i].gap > TOUCHES) {
            latest = bodies;
            result = add_end(worker, a, b);
        }
    }
    check_sort_records(worker);
    return result;
}

static int compare_keys(const void *first, const void *second)
{
    const uint64_t *x = first, *y = second;
    return *x < *y ? -1 : *x > *y ? 1 : 0;
}

/* Triangles of two parts that touch the other part at an end, ascending. */
typedef struct touched_list {
    uint64_t *keys;
    size_t count;
} touched_list;

static uint64_t key_of(uint32_t part, uint32_t triangle)
{
    return (uint64_t)part << 32 | triangle;
}

static bool list_touched(const check_record *records, size_t count, touched_list *touched)
{
    *touched = (touched_list){malloc((2 * count + 1) * sizeof *touched->keys), 0};
    for (size_t i = 0; touched->keys != NULL && i < count; i++) {
        if (records[i].gap == TOUCHES) {
            touched->keys[touched->count++] = key_of(records[i].a, records[i].pair.a);
            touched->keys[touched->count++] = key_of(records[i].b, records[i].pair.b);
        }
    }
    if (touched->count > 0) {
        qsort(touched->keys, touched->count, sizeof *touched->keys, compare_keys);
    }
    return touched->keys != NULL;
}

static bool is_touched(const touched_list *touched, uint32_t part, uint32_t triangle)
{
    uint64_t key = key_of(part, triangle);
    return touched->count > 0 &&
           bsearch(&key, touched->keys, touched->count, sizeof key, compare_keys) != NULL;
}

/*
 * Of each pair of triangles the earliest record stays, unless one of the two touches the other's
 * part at an end. Without that, bodies that slide on each other would drown the rest: where their
 * contact moves on, other pairs of the same triangles meet in every step.
 */
static bool drop_touching(check_worker *worker)
{
    check_record *records = worker->records;
    touched_list touched = {0};
    size_t kept = 0;
    for (size_t i = 0, end = 0; i < worker->record_count; i = end) {
        end = check_end_of_parts(worker, i);
        if (!list_touched(records + i, end - i, &touched)) {
            return false;
        }
        uint64_t latest = UINT64_MAX; /* the pair of the record before */
        for (size_t k = i; k < end; k++) {
            check_record record = records[k];
            uint64_t pair = key_of(record.pair.a, record.pair.b);
            if (pair != latest && !is_touched(&touched, record.a, record.pair.a) &&
                !is_touched(&touched, record.b, record.pair.b)) {
                records[kept++] = record;
            }
            latest = pair;
        }
        free(touched.keys);
    }
    worker->record_count = kept;
    return true;
}

static pliant_result sum_up(check_worker *worker, const check_acceptance *accepted, bool keep)
{
    pliant_result result = PLIANT_OK;
    for (size_t i = 0, end = 0; result == PLIANT_OK && i < worker->record_count; i = end) {
        end = check_end_of_parts(worker, i);
        result = check_add_parts(worker, worker->records + i, end - i, CHECK_PASS, accepted, keep);
    }
    return result;
}

pliant_result check_worker_pass(check_worker *worker, const check_frame *from, double end,
                                const check_acceptance *accepted, bool keep_triangles,
                                check_frame *pass)
{
    uint32_t steps = worker->state->settings.steps;
    *pass = (check_frame){.clip = from->clip, .number = from->number, .time = from->time};
    worker->record_count = 0;
    pliant_result result = PLIANT_OK;
    for (uint32_t step = 0; result == PLIANT_OK && step < steps; step++) {
        double time =
            step + 1 == steps ? end : from->time + (end - from->time) * (step + 1) / steps;
        result = begin_steps(worker);
        result = result == PLIANT_OK ? check_place(worker, pass, time) : result;
        result = result == PLIANT_OK ? ask_step(worker, step) : result;
    }
    result = result == PLIANT_OK ? add_ends(worker) : result;
    if (result == PLIANT_OK) {
        result = drop_touching(worker) ? sum_up(worker, accepted, keep_triangles)
                                       : PLIANT_ERROR_OUT_OF_MEMORY;
    }
    result = result == PLIANT_OK ? check_store(worker, pass) : result;
    check_drop_found(worker);
    return result;
}

double check_pass_time(const check *state, const check_frame *pass, const check_found *found)
{
    double next = check_frame_time(state, state->clips[pass->clip].index, pass->number + 1);
    return pass->time + found->gap * (next - pass->time);
}
