/*
 * What a scene says of pairs of bodies, beside a query asked about every two of them: pairs,
 * segments, separations, budgets, callbacks, the first of all; and touch events beside a plain
 * table of who touches whom (D13). With bodies that come, go, move and change, for any number of
 * workers.
 */
#include "crowd.h"
#include "dealer.h"
#include "failing_memory.h"
#include "flock_scene.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- what is asked */

typedef struct asked {
    pliant_scene_options options;
    uint32_t salt; /* of the filter */
    const crowd_truth *truth;
    uint32_t next;       /* of the truth's pairs, for the callback */
    uint32_t given;      /* pairs of bodies that the callback got */
    uint64_t count;      /* their pairs of triangles */
    uint32_t stop_after; /* 0: never */
    bool stopped;
} asked;

/* The next pair of bodies that touches, from `from` on. */
static uint32_t find_touching(const crowd_truth *truth, uint32_t from)
{
    while (from < truth->count && truth->pairs[from].named.count == 0) {
        from++;
    }
    return from;
}

static bool take(void *user, const pliant_scene_pair *bodies, const pliant_contacts *contacts)
{
    asked *a = user;
    a->next = find_touching(a->truth, a->next);
    assert_true(!a->stopped && a->next < a->truth->count);
    assert_int_equal(bodies->first, 0);
    crowd_check_pair(&a->truth->pairs[a->next++], &a->options, bodies, contacts);
    a->given++;
    a->count += contacts->count;
    a->stopped = a->stop_after != 0 && a->given == a->stop_after;
    return !a->stopped;
}

static bool one_in(rng *random, uint32_t n)
{
    return rng_below(random, n) == 0;
}

static void choose_question(asked *a, rng *random)
{
    *a = (asked){.options = pliant_scene_options_default()};
    pliant_scene_options *o = &a->options;
    o->mode = one_in(random, 5) ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    o->neighbours = (pliant_neighbours)rng_below(random, 3);
    o->segments = one_in(random, 3);
    o->separations = one_in(random, 3);
    o->separation_side = (pliant_separation_side)rng_below(random, 3);
    o->only_self = one_in(random, 10);
    o->first_in_all = one_in(random, 10);
    o->events = !one_in(random, 3);
    o->budget_nodes = one_in(random, 4) ? 1 + rng_below(random, 12) : 0;
    a->salt = (uint32_t)rng_below(random, 5);
    o->filter = one_in(random, 3) ? crowd_filter : NULL;
    o->filter_user = &a->salt;
    o->callback = one_in(random, 4) ? take : NULL;
    o->callback_user = a;
    a->stop_after = (uint32_t)rng_below(random, 4) * (uint32_t)rng_below(random, 4);
}

/* ------------------------------------------------------------------- answers */

/* The pairs of bodies that are stored; returns how many of the truth's had their turn. */
static uint32_t check_stored(const asked *a, const pliant_scene_contacts *contacts)
{
    uint32_t next = 0, found = 0;
    uint64_t first = 0;
    const pliant_scene_options *o = &a->options;
    for (next = find_touching(a->truth, 0); next < a->truth->count;
         next = find_touching(a->truth, next + 1)) {
        assert_true(found < contacts->body_pair_count);
        const pliant_scene_pair *pair = &contacts->bodies[found++];
        pliant_contacts part = {.pairs = contacts->pairs + pair->first,
                                .segments = o->segments ? contacts->segments + pair->first : NULL,
                                .separations =
                                    o->separations ? contacts->separations + pair->first : NULL,
                                .count = pair->count,
                                .complete = pair->complete};
        assert_int_equal(pair->first, first);
        crowd_check_pair(&a->truth->pairs[next], o, pair, &part);
        first += pair->count;
        if (o->first_in_all) {
            next++;
            break;
        }
    }
    assert_int_equal(found, contacts->body_pair_count);
    assert_int_equal(first, contacts->count);
    return next;
}

/* The same of those that went to the callback. */
static uint32_t check_given(const asked *a, const pliant_scene_contacts *contacts)
{
    assert_int_equal(contacts->body_pair_count, a->given);
    assert_int_equal(contacts->count, a->count);
    assert_null(contacts->bodies);
    assert_null(contacts->pairs);
    if (a->stopped || (a->options.first_in_all && a->given > 0)) {
        return a->next;
    }
    assert_int_equal(find_touching(a->truth, a->next), a->truth->count);
    return a->truth->count;
}

/* What is undecided, of the pairs of bodies that had their turn; and whether all is complete. */
static void check_undecided(const asked *a, const pliant_scene_contacts *contacts, uint32_t turns)
{
    uint32_t undecided = 0;
    bool complete = !a->stopped;
    bool one = a->options.mode == PLIANT_COLLIDE_FIRST || a->options.first_in_all;
    for (uint32_t p = 0; p < turns; p++) {
        const pliant_scene_pair *pair = &a->truth->pairs[p].named;
        complete = complete && (pair->complete || (one && pair->count > 0));
        if (pair->count == 0 && !pair->complete) {
            assert_true(undecided < contacts->undecided_count);
            const pliant_scene_pair *named = &contacts->undecided[undecided++];
            assert_true(named->a.index == pair->a.index && named->b.index == pair->b.index);
            assert_true(named->a.generation == pair->a.generation && named->count == 0);
            assert_true(named->user_b == pair->user_b && !named->complete);
        }
    }
    assert_int_equal(undecided, contacts->undecided_count);
    assert_int_equal(complete, contacts->complete);
}

/* -------------------------------------------------------------------- events */

/* Who touches whom, by indices: a plain table. */
typedef struct touches {
    struct {
        bool touch;
        pliant_scene_pair named;
    } at[CROWD_BODIES][CROWD_BODIES];
} touches;

static bool boxes_meet(const crowd *c, const pliant_scene_pair *pair)
{
    pliant_box box[2];
    assert_ok(pliant_body_get_bounds(pliant_scene_get_body(c->scene, pair->a), &box[0]));
    assert_ok(pliant_body_get_bounds(pliant_scene_get_body(c->scene, pair->b), &box[1]));
    bool meet = true;
    for (int k = 0; k < 3; k++) {
        meet = meet && box[0].lower[k] <= box[1].upper[k] && box[1].lower[k] <= box[0].upper[k];
    }
    return meet;
}

static bool is_same(const pliant_scene_pair *a, const pliant_scene_pair *b)
{
    return a->a.generation == b->a.generation && a->b.generation == b->b.generation;
}

/* T(n) from T(n - 1) and what was found. */
static void touch_next(const crowd *c, const asked *a, uint32_t turns, const touches *before,
                       touches *now)
{
    memset(now, 0, sizeof *now);
    for (uint32_t p = 0; p < a->truth->count; p++) {
        const pliant_scene_pair *pair = &a->truth->pairs[p].named;
        uint32_t i = pair->a.index, j = pair->b.index;
        bool open = p < turns ? pair->count == 0 && !pair->complete : boxes_meet(c, pair);
        bool as_before = open && before->at[i][j].touch && is_same(&before->at[i][j].named, pair);
        now->at[i][j].touch = (p < turns && pair->count > 0) || as_before;
        now->at[i][j].named = as_before ? before->at[i][j].named : *pair;
    }
}

static void check_event(const pliant_scene_event *events, uint32_t count, uint32_t *next,
                        const pliant_scene_pair *pair, pliant_touch touch)
{
    assert_true(*next < count);
    const pliant_scene_event *event = &events[(*next)++];
    assert_int_equal(event->touch, touch);
    assert_true(event->a.index == pair->a.index && event->b.index == pair->b.index);
    assert_true(event->a.generation == pair->a.generation &&
                event->b.generation == pair->b.generation);
    assert_true(event->user_a == pair->user_a && event->user_b == pair->user_b);
}

static void check_events(const crowd *c, const touches *before, const touches *now)
{
    uint32_t count = 77, next = 0;
    const pliant_scene_event *events = pliant_scene_get_events(c->scene, &count);
    for (uint32_t i = 0; i < CROWD_BODIES; i++) {
        for (uint32_t j = i; j < CROWD_BODIES; j++) {
            bool old = before->at[i][j].touch, new = now->at[i][j].touch;
            const pliant_scene_pair *named = &now->at[i][j].named;
            bool same = old && new &&is_same(&before->at[i][j].named, named);
            if (old && !same) {
                check_event(events, count, &next, &before->at[i][j].named, PLIANT_TOUCH_ENDED);
            }
            if (new) {
                check_event(events, count, &next, named,
                            same ? PLIANT_TOUCH_ONGOING : PLIANT_TOUCH_BEGAN);
            }
        }
    }
    assert_int_equal(next, count);
    assert_true((events == NULL) == (count == 0));
}

/* ------------------------------------------------------------------- the play */

/* How often what happened; a play in which something never does would prove nothing of it. */
enum {
    SAW_CONTACTS,
    SAW_SELVES,
    SAW_UNDECIDED,
    SAW_PARTS,
    SAW_STOPS,
    SAW_EVENTS,
    SAW_KINDS = SAW_EVENTS + 3
};

static void count_sights(const crowd *c, const asked *a, const pliant_scene_contacts *contacts,
                         uint32_t saw[SAW_KINDS])
{
    saw[SAW_UNDECIDED] += contacts->undecided_count;
    saw[SAW_STOPS] += a->stopped;
    for (uint32_t p = 0; p < contacts->body_pair_count && contacts->bodies != NULL; p++) {
        const pliant_scene_pair *pair = &contacts->bodies[p];
        saw[pair->a.index == pair->b.index ? SAW_SELVES : SAW_CONTACTS]++;
        saw[SAW_PARTS] += !pair->complete;
    }
    uint32_t count = 0;
    const pliant_scene_event *events = pliant_scene_get_events(c->scene, &count);
    for (uint32_t e = 0; e < count; e++) {
        saw[SAW_EVENTS + events[e].touch]++;
    }
}

/* What must not depend on who works: counts of each call and single pairs of triangles. */
static uint64_t hash_call(uint64_t hash, const crowd *c, const pliant_scene_contacts *contacts)
{
    pliant_scene_stats counts = flock_scene_counts(c->scene);
    hash = hash_bytes(hash, &counts, sizeof counts);
    return contacts->pairs == NULL
               ? hash
               : hash_bytes(hash, contacts->pairs, contacts->count * sizeof *contacts->pairs);
}

/* So many changes, with a question after one to three of them; returns a hash. */
static uint64_t play(pliant_context *context, pliant_broad broad, uint64_t seed, uint32_t changes)
{
    crowd *c = crowd_create(context, broad, seed);
    crowd_truth *truth = calloc(1, sizeof *truth);
    touches *table = calloc(2, sizeof *table);
    uint32_t now = 0, saw[SAW_KINDS] = {0};
    uint64_t hash = 0;
    for (uint32_t n = 0; n < changes;) {
        for (uint64_t k = 1 + rng_below(&c->random, 3); k > 0; k--, n++) {
            crowd_change(c);
        }
        asked a;
        choose_question(&a, &c->random);
        a.truth = truth;
        bool before = a.options.callback != NULL; /* else bounds are left to the scene */
        if (before) {
            crowd_find_truth(c, &a.options, truth);
        }
        pliant_scene_contacts contacts;
        assert_ok(pliant_scene_collide(c->scene, &a.options, &contacts));
        if (!before) {
            crowd_find_truth(c, &a.options, truth);
        }
        hash = hash_call(hash, c, &contacts);
        uint32_t turns =
            a.options.callback != NULL ? check_given(&a, &contacts) : check_stored(&a, &contacts);
        check_undecided(&a, &contacts, turns);
        count_sights(c, &a, &contacts, saw);
        if (a.options.events) {
            touch_next(c, &a, turns, &table[now], &table[!now]);
            check_events(c, &table[now], &table[!now]);
            now = !now;
        }
    }
    for (int i = 0; i < SAW_KINDS; i++) {
        assert_true(saw[i] > changes / 100 || changes < 500);
    }
    free(table);
    free(truth);
    crowd_free(c);
    return hash;
}

/* 10^5 changes in all. What was asked and found is the same for any number of workers. */
static void a_query_says_the_same(void **state)
{
    (void)state;
    static uint32_t workers[] = {1, 2, 3, 8, 16};
    for (uint32_t seed = 1; seed <= 2; seed++) {
        uint64_t expected = 0;
        for (int i = 0; i < 5; i++) {
            uint64_t hash = play(fixture_context_with(PLIANT_ISA_BEST, workers[i]),
                                 seed == 1 ? PLIANT_BROAD_AUTO : PLIANT_BROAD_SWEEP, seed,
                                 fixture_count(10000));
            expected = i == 0 ? hash : expected;
            assert_int_equal(hash, expected);
        }
    }
    for (int i = 1; i < 4; i++) { /* foreign schedulers, that start threads each time */
        play(dealer_context(&workers[i]), PLIANT_BROAD_AUTO, 7, fixture_count(600));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
