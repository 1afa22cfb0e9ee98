/* Questions about two bodies: which of their triangles touch, or are closer than the clearance. */
#include "worker.h"

#include <stdlib.h>

void *check_grow(void *list, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) {
        return list;
    }
    size_t wanted = *capacity < 64 ? 64 : 2 * *capacity;
    void *grown = wanted <= SIZE_MAX / size ? realloc(list, wanted * size) : NULL;
    *capacity = grown != NULL ? wanted : *capacity;
    return grown;
}

static uint32_t part_of(const check_body *body, uint32_t triangle)
{
    return body->parts != NULL ? body->parts[triangle] : body->first_part;
}

static bool is_wanted(const check *state, uint32_t a, uint32_t b)
{
    if (a == CHECK_NONE || b == CHECK_NONE) {
        return false;
    }
    return a != b || state->settings.self;
}

static bool add_record(check_worker *worker, uint32_t body_a, uint32_t body_b, pliant_pair pair,
                       double gap)
{
    const check *state = worker->state;
    uint32_t a = part_of(&state->bodies[body_a], pair.a);
    uint32_t b = part_of(&state->bodies[body_b], pair.b);
    if (!is_wanted(state, a, b)) {
        return true;
    }
    check_record *grown =
        check_grow(worker->records, &worker->record_capacity, worker->record_count, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    worker->records = grown;
    check_record record = {a, b, pair, gap};
    if (a > b) { /* two parts of one body */
        record = (check_record){b, a, {pair.b, pair.a}, gap};
    }
    worker->records[worker->record_count++] = record;
    return true;
}

static pliant_result add_close(check_worker *worker, uint32_t a, uint32_t b,
                               const pliant_proximities *close)
{
    for (uint64_t i = 0; i < close->count; i++) {
        const pliant_proximity *pair = &close->pairs[i];
        if (!add_record(worker, a, b, (pliant_pair){pair->a, pair->b}, pair->gap.distance)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    return PLIANT_OK;
}

/* Which pieces of one body, the groups of its shape, are too close to each other. */
static pliant_result ask_pieces(check_worker *worker, uint32_t body)
{
    pliant_within_options options = pliant_within_options_default();
    options.across_groups = true;
    pliant_proximities close = {0};
    pliant_result result =
        pliant_find_within_self(worker->query, worker->bodies[body],
                                (float)worker->state->settings.clearance, &options, &close);
    return result == PLIANT_OK ? add_close(worker, body, body, &close) : result;
}

/* Which triangles touch, or are too close, goes to the records. */
pliant_result check_ask(check_worker *worker, uint32_t a, uint32_t b)
{
    pliant_body *const *bodies = worker->bodies;
    pliant_collide_options options = pliant_collide_options_default();
    options.neighbours = PLIANT_NEIGHBOURS_SKIP;
    pliant_contacts contacts = {0};
    pliant_proximities close = {0};
    pliant_result result = PLIANT_OK;
    if (a != b && worker->state->settings.clearance > 0.0) {
        result = pliant_find_within(worker->query, bodies[a], bodies[b],
                                    (float)worker->state->settings.clearance, NULL, &close);
        return result == PLIANT_OK ? add_close(worker, a, b, &close) : result;
    }
    bool by_pieces = a == b && worker->state->bodies[a].piece_count > 1;
    if (by_pieces) {
        result = ask_pieces(worker, a);
        if (result != PLIANT_OK || !worker->state->settings.self) {
            return result;
        }
    }
    result = a == b ? pliant_collide_self(worker->query, bodies[a], &options, &contacts)
                    : pliant_collide(worker->query, bodies[a], bodies[b], &options, &contacts);
    const check_body *body = &worker->state->bodies[a];
    for (uint64_t i = 0; result == PLIANT_OK && i < contacts.count; i++) {
        pliant_pair pair = contacts.pairs[i];
        bool known = by_pieces && part_of(body, pair.a) != part_of(body, pair.b);
        if (!known && !add_record(worker, a, b, pair, 0.0)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    return result;
}
