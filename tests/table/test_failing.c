/*
 * Allocations fail in worlds of the table, in every query of every form and in every change of a
 * body or a scene. The call returns PLIANT_ERROR_OUT_OF_MEMORY and changes nothing. The same call
 * then succeeds, and the rest of the life has the results of a life without failures. Nothing is
 * leaked. Once warm, no call allocates. Calls that are no rows of the table are in
 * library/test_failing_calls.c.
 */
#include "failing_memory.h"
#include "table_world.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Results and allocations of the events of a life in which nothing fails. */
typedef struct truth {
    uint64_t hashes[TABLE_EVENTS], allocations[TABLE_EVENTS];
    bool done[TABLE_EVENTS];
} truth;

/* Settings of a world. Noise would allocate too. */
static table_settings choose_settings(uint64_t seed, counting_allocator *allocator)
{
    rng r;
    rng_seed(&r, seed * 631 + 7);
    table_settings settings = table_settings_random(&r);
    settings.noise = 0;
    settings.allocator = allocator;
    return settings;
}

static void report(table_failure *failure, uint32_t event, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    failure->found = true;
    failure->event = event;
}

/* ------------------------------------------------------------------- lives */

static pliant_result result_of(const table_life *l, uint32_t i)
{
    return l->world->events[i].deed == TABLE_QUERY ? l->copy.result : l->state;
}

static uint64_t hash_of(const table_life *l, uint32_t i)
{
    return l->world->events[i].deed == TABLE_QUERY ? l->copy.hash : (uint64_t)l->state;
}

/* Returns false if the event or its bodies are left out. */
static bool do_event(table_life *l, uint32_t i)
{
    const table_event *e = &l->world->events[i];
    bool query = table_life_do(l, i);
    return query || (e->deed != TABLE_QUERY && !e->left_out && l->actors[e->body].body != NULL);
}

static bool can_fail(const table_world *w, const truth *t, uint32_t i)
{
    return t->done[i] && t->allocations[i] > 0 && w->events[i].deed != TABLE_REPLACE;
}

/* A tree that could not be rebuilt for want of memory differs from the one of the other life. */
static bool may_differ(const table_life *l, const table_event *e)
{
    const pliant_scene_options *options = &e->arguments.scene_options;
    return l->settings->rebuild == PLIANT_REBUILD_AUTO && e->deed == TABLE_QUERY &&
           (e->row->recorded == PLIANT_RECORDED_COLLIDE_PROXIES || options->budget_nodes > 0 ||
            options->mode == PLIANT_COLLIDE_FIRST || options->first_in_all || options->events);
}

/* A hash of the positions of all bodies and of the members of the scene. */
static uint64_t fingerprint(const table_life *l)
{
    uint64_t hash = pliant_scene_get_body_count(l->place.scene);
    for (uint32_t i = 0; i < l->world->body_count; i++) {
        const table_actor *a = &l->actors[i];
        if (a->body == NULL) {
            continue;
        }
        float *positions = table_positions(a);
        hash = hash_bytes(hash, positions, 3 * (size_t)a->vertex_count * sizeof *positions);
        free(positions);
        if (a->present) {
            pliant_member_def def = pliant_member_def_default();
            assert_ok(pliant_scene_get_member(l->place.scene, a->id, &def));
            const uint64_t member[] = {def.category, def.mask,          def.self,
                                       def.proxies,  def.has_loose_box, def.is_static};
            hash = hash_bytes(hash, member, sizeof member);
            hash = hash_bytes(hash, &def.loose_box, sizeof def.loose_box);
        }
    }
    return hash;
}

static void find_truth(const table_world *w, const table_settings *settings, truth *t)
{
    static table_life l;
    table_life_begin(&l, w, settings);
    for (uint32_t i = 0; i < w->event_count; i++) {
        uint64_t before = settings->allocator->calls;
        t->done[i] = do_event(&l, i);
        t->hashes[i] = hash_of(&l, i);
        t->allocations[i] = settings->allocator->calls - before;
    }
    table_life_end(&l);
}

/* Lets allocation `n` of an event fail. Returns true if the event must be repeated. */
static bool fail_event(table_life *l, uint32_t i, uint64_t n, bool from_there,
                       table_failure *failure)
{
    counting_allocator *allocator = l->settings->allocator;
    uint64_t before = fingerprint(l);
    allocator->fail_at = allocator->calls + n;
    allocator->fail_from_there = from_there;
    do_event(l, i);
    bool failed = allocator->calls >= allocator->fail_at;
    allocator->fail_at = 0;
    bool query = l->world->events[i].deed == TABLE_QUERY;
    const char *wrong = NULL, *error = query ? l->copy.error : pliant_last_error();
    if (result_of(l, i) != PLIANT_ERROR_OUT_OF_MEMORY) { /* a tree is rebuilt if memory suffices */
        bool may = !failed || l->settings->rebuild == PLIANT_REBUILD_AUTO;
        wrong = may ? NULL : "returns something else";
    } else if (strstr(error, "no memory for") == NULL) {
        wrong = "has another message";
    } else if (fingerprint(l) != before) {
        wrong = "has changed something";
    }
    if (wrong != NULL) {
        report(failure, i, "allocation %llu%s of event %u: the call %s", (unsigned long long)n,
               from_there ? " and all later ones" : "", i, wrong);
    }
    return result_of(l, i) == PLIANT_ERROR_OUT_OF_MEMORY;
}

static void compare(const table_life *l, const truth *t, uint32_t i, table_failure *failure)
{
    if (!failure->found && t->done[i] && hash_of(l, i) != t->hashes[i] &&
        !may_differ(l, &l->world->events[i])) {
        report(failure, i, "event %u has another result after failed allocations: %.150s", i,
               result_of(l, i) == PLIANT_OK ? "no error" : l->copy.error);
    }
}

static void end_life(table_life *l, table_failure *failure)
{
    const counting_allocator *allocator = l->settings->allocator;
    table_life_end(l);
    if ((allocator->live != 0 || allocator->live_bytes != 0) && !failure->found) {
        report(failure, l->world->event_count - 1, "%llu allocations are leaked",
               (unsigned long long)allocator->live);
    }
}

/* ------------------------------------------------------------ random failures */

/* Up to four random allocations fail in each event. */
static bool life_is_wrong(const table_world *w, void *user, table_failure *failure)
{
    (void)user;
    static table_life l;
    static truth t;
    counting_allocator allocator = {0};
    const table_settings settings = choose_settings(w->seed, &allocator);
    rng r;
    rng_seed(&r, w->seed);
    failure->found = false;
    failure->settings[0] = failure->settings[1] = settings;
    find_truth(w, &settings, &t);
    table_life_begin(&l, w, &settings);
    for (uint32_t i = 0; i < w->event_count && !failure->found; i++) {
        bool again = true;
        for (int k = 0; k < 4 && again && can_fail(w, &t, i) && !failure->found; k++) {
            uint64_t n = 1 + rng_below(&r, t.allocations[i]);
            again = fail_event(&l, i, n, rng_below(&r, 2) == 0, failure);
        }
        if (again) {
            do_event(&l, i);
        }
        compare(&l, &t, i, failure);
    }
    end_life(&l, failure);
    return failure->found;
}

static void lives_survive(void **state)
{
    (void)state;
    table_try(1000, life_is_wrong, NULL);
}

/* ----------------------------------------------------------- every allocation */

/* Lets one allocation of one event fail. */
static void try_allocation(const table_world *w, const truth *t, uint32_t event, uint64_t n,
                           bool from_there)
{
    static table_life l;
    table_failure failure = {.found = false};
    counting_allocator allocator = {0};
    const table_settings settings = choose_settings(w->seed, &allocator);
    table_life_begin(&l, w, &settings);
    for (uint32_t i = 0; i < w->event_count && !failure.found; i++) {
        if (i != event || fail_event(&l, i, n, from_there, &failure)) {
            do_event(&l, i);
        }
        compare(&l, t, i, &failure);
    }
    end_life(&l, &failure);
    if (failure.found) {
        fail_msg("world %llu: %s", (unsigned long long)w->seed, failure.text);
    }
}

/* How many events were tried: [row][form] of queries, or by deed. */
typedef struct tried_events {
    uint32_t queries[64][QUERY_FORMS], deeds[TABLE_QUERY];
} tried_events;

/* Lets each allocation of the events of a world fail, or some of many. */
static void try_events(const table_world *w, tried_events *tried, uint32_t wanted)
{
    static truth t;
    counting_allocator allocator = {0};
    const table_settings settings = choose_settings(w->seed, &allocator);
    find_truth(w, &settings, &t);
    for (uint32_t i = 0; i < w->event_count; i++) {
        const table_event *e = &w->events[i];
        uint32_t *count = e->deed == TABLE_QUERY ? &tried->queries[e->row - query_rows][e->form]
                                                 : &tried->deeds[e->deed];
        if (!can_fail(w, &t, i) || *count == wanted) {
            continue;
        }
        uint64_t step = 1 + t.allocations[i] / fixture_at_least(6, 24);
        for (uint64_t n = 1; n <= t.allocations[i]; n += step) {
            try_allocation(w, &t, i, n, false);
            try_allocation(w, &t, i, n, true);
        }
        ++*count;
    }
}

/* Returns the name of a query or change that was tried less often than wanted, or NULL. */
static const char *find_missing(const tried_events *tried, uint32_t wanted)
{
    const struct {
        table_deed deed;
        const char *name;
    } deeds[] = {{TABLE_SET_POSITIONS, "positions"},
                 {TABLE_SET_WORLD, "a world transform"},
                 {TABLE_TEAR, "a tear"},
                 {TABLE_BEGIN_STEP, "a step"},
                 {TABLE_ADD, "a new member"},
                 {TABLE_SET_MEMBER, "a changed member"}};
    for (size_t k = 0; k < sizeof deeds / sizeof deeds[0]; k++) {
        if (tried->deeds[deeds[k].deed] < wanted) {
            return deeds[k].name;
        }
    }
    for (uint32_t k = 0; k < query_row_count * QUERY_FORMS; k++) {
        const char *name = query_rows[k / QUERY_FORMS].forms[k % QUERY_FORMS].name;
        if (name != NULL && tried->queries[k / QUERY_FORMS][k % QUERY_FORMS] < wanted) {
            return name;
        }
    }
    return NULL;
}

static void every_allocation_fails(void **state)
{
    (void)state;
    static table_world w;
    static tried_events tried;
    uint32_t wanted = fixture_at_least(1, 4);
    const char *missing = "";
    assert_true(query_row_count <= sizeof tried.queries / sizeof tried.queries[0]);
    for (uint64_t seed = 1; missing != NULL; seed++) {
        table_world_create(&w, seed);
        try_events(&w, &tried, wanted);
        table_world_destroy(&w);
        missing = find_missing(&tried, wanted);
        if (missing != NULL && seed == 3000) {
            fail_msg("%s: no allocation in %llu worlds", missing, (unsigned long long)seed);
        }
    }
}

/* ------------------------------------------------------------------ warm calls */

/* Returns true if an event can be repeated. The end of a step frees memory, and a torn body has
   more vertices than were known before. */
static bool repeats(const table_life *l, const table_event *e)
{
    return e->deed == TABLE_SET_POSITIONS
               ? e->number_count >= 3 * l->actors[e->body].vertex_count
               : e->deed <= TABLE_SET_WORLD || e->deed == TABLE_BEGIN_STEP ||
                     e->deed == TABLE_QUERY;
}

/* Returns true if a call may allocate although the same calls were made before. The search for the
   cause of an error needs memory of its own. Images of a volume change places, so each of them
   grows to the largest one (volume/test_volume_memory.c). */
static bool may_allocate(const table_life *l, uint32_t i)
{
    const table_event *e = &l->world->events[i];
    return result_of(l, i) != PLIANT_OK ||
           (e->deed == TABLE_QUERY && e->row->forms[e->form].owner == QUERY_OF_VOLUME);
}

/* Repeats the states and queries of a world once. Returns false if a call allocates that may not,
   and sets its event. */
static bool repeat(table_life *l, bool all, uint32_t *event)
{
    const counting_allocator *allocator = l->settings->allocator;
    bool none = true;
    for (uint32_t i = 0; i < l->world->event_count; i++) {
        uint64_t before = allocator->calls;
        if ((all || repeats(l, &l->world->events[i])) && do_event(l, i) && none &&
            allocator->calls != before && !may_allocate(l, i)) {
            none = false;
            *event = i;
        }
    }
    return none;
}

/* A world is repeated until it allocates nothing twice in a row, which it must at last. Bodies and
   the starts of their steps exchange buffers, so this can take a while. */
static bool warm_life_allocates(const table_world *w, void *user, table_failure *failure)
{
    enum { MOST_PASSES = 16 };
    (void)user;
    static table_life l;
    uint32_t event = 0, idle = 0;
    counting_allocator allocator = {0};
    table_settings settings = choose_settings(w->seed, &allocator);
    settings.rebuild = PLIANT_REBUILD_NEVER;
    failure->found = false;
    failure->settings[0] = failure->settings[1] = settings;
    table_life_begin(&l, w, &settings);
    for (int pass = 0; pass < MOST_PASSES && idle < 2; pass++) {
        idle = repeat(&l, pass == 0, &event) ? idle + 1 : 0;
    }
    if (idle < 2) { /* events after the query matter too, in the next pass */
        report(failure, w->event_count - 1, "event %u allocates again and again", event);
    }
    end_life(&l, failure);
    return failure->found;
}

static void warm_calls_allocate_nothing(void **state)
{
    (void)state;
    table_try(1000, warm_life_allocates, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(lives_survive),
        cmocka_unit_test(warm_calls_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
