/* Questions about all bodies of a frame: which of their triangles touch, or are closer than the
 * clearance. */
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

bool check_add_record(check_worker *worker, const check_body *first, const check_body *second,
                      pliant_pair pair, double gap)
{
    uint32_t a = part_of(first, pair.a), b = part_of(second, pair.b);
    if (!is_wanted(worker->state, a, b)) {
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

/* What was found of two bodies, or of one and itself: triangles that touch, or that are close. */
static pliant_result add_pair(check_worker *worker, const pliant_scene_pair *bodies,
                              const pliant_pair *touching, const pliant_proximity *close,
                              const check_acceptance *accepted, bool keep)
{
    const check_body *a = bodies->user_a, *b = bodies->user_b, *first = worker->state->bodies;
    bool by_pieces = close == NULL && a == b && a->piece_count > 1;
    bool done = true;
    worker->record_count = 0;
    for (uint64_t i = bodies->first; done && i < bodies->first + bodies->count; i++) {
        pliant_pair pair;
        if (close != NULL) {
            pair = (pliant_pair){close[i].a, close[i].b};
        } else if (touching != NULL) {
            pair = touching[i];
        } else {
            break;
        }
        /* Different pieces are among those that are close. */
        bool known = by_pieces && part_of(a, pair.a) != part_of(b, pair.b);
        done = known ||
               check_add_record(worker, a, b, pair, close != NULL ? close[i].gap.distance : 0.0);
    }
    if (!done) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return worker->record_count > 0 ? check_add_found(worker, (uint32_t)(a - first),
                                                      (uint32_t)(b - first), accepted, keep)
                                    : PLIANT_OK;
}

/* Which bodies, and which pieces of one (groups of its shape), are too close to each other. */
static pliant_result ask_close(check_worker *worker, const check_acceptance *accepted, bool keep)
{
    pliant_scene_options options = pliant_scene_options_default();
    options.across_groups = true;
    pliant_scene_proximities close;
    pliant_result result = pliant_scene_find_within(
        worker->scene, (float)worker->state->settings.clearance, &options, &close);
    for (uint32_t i = 0; result == PLIANT_OK && i < close.body_pair_count; i++) {
        result = add_pair(worker, &close.bodies[i], NULL, close.pairs, accepted, keep);
    }
    return result;
}

static bool no_pair(void *user, pliant_body_id a, pliant_body_id b)
{
    (void)user;
    (void)a;
    (void)b;
    return false;
}

static pliant_result ask_touching(check_worker *worker, bool only_self,
                                  const check_acceptance *accepted, bool keep)
{
    pliant_scene_options options = pliant_scene_options_default();
    options.neighbours = PLIANT_NEIGHBOURS_SKIP;
    options.filter = only_self ? no_pair : NULL;
    pliant_scene_contacts contacts;
    pliant_result result = pliant_scene_collide(worker->scene, &options, &contacts);
    for (uint32_t i = 0; result == PLIANT_OK && i < contacts.body_pair_count; i++) {
        result = add_pair(worker, &contacts.bodies[i], contacts.pairs, NULL, accepted, keep);
    }
    return result;
}

pliant_result check_ask(check_worker *worker, const check_acceptance *accepted, bool keep)
{
    const check_settings *settings = &worker->state->settings;
    if (!(settings->clearance > 0.0)) {
        return ask_touching(worker, false, accepted, keep);
    }
    /* The clearance is one between bodies, and between pieces; within them, touching counts. */
    pliant_result result = ask_close(worker, accepted, keep);
    bool within = settings->self || settings->split == CHECK_SPLIT_PRIMITIVE;
    return result == PLIANT_OK && within ? ask_touching(worker, true, accepted, keep) : result;
}
