/*
 * What comes within a distance in a scene equals asking every pair of bodies and every body by
 * itself, whose answers are tested elsewhere: for every kind of body, with errors, for any number
 * of workers and both schedulers. So do the counts of work.
 */
#include "flock_scene.h"
#include "dealer.h"
#include "scene_options.h"

#include <float.h>
#include <math.h>

#include "moving_mesh.h"

enum { BODIES = 9, SCENES = 8, LOOSE = 4 };

/* The same bodies once more, in a scene or, without one, to be asked one by one. */
typedef struct herd {
    pliant_context *context;
    pliant_scene *scene;
    pliant_query *query;
    subject s[BODIES];
    pliant_box start; /* of the body that may have a loose box */
} herd;

/* Bodies of all kinds, some with errors; equal generators make equal herds. */
static herd herd_create(pliant_context *context, rng r)
{
    herd h = {.context = context};
    assert_ok(pliant_scene_create(context, NULL, &h.scene));
    assert_ok(pliant_query_create(context, &h.query));
    for (uint32_t i = 0; i < BODIES; i++) {
        subject_def def = subject_def_random(20 + (uint32_t)rng_below(&r, 60), &r);
        def.kind = i % (MODEL_KINDS + 1);
        def.error = i % 3 == 1 ? 0.05f : 0.0f;
        h.s[i] = subject_create(context, def, &r);
    }
    return h;
}

static pliant_member_def describe(uint32_t i)
{
    pliant_member_def def = pliant_member_def_default();
    def.self = i % 4 == 0;
    def.is_static = i % 5 == 1;
    def.category = i == 7 ? 2 : 1;
    def.mask = i == 3 ? 1 : UINT64_MAX;
    return def;
}

static void herd_enter(herd *h)
{
    for (uint32_t i = 0; i < BODIES; i++) {
        pliant_member_def def = describe(i);
        pliant_body_id id;
        assert_ok(pliant_scene_add(h->scene, h->s[i].body, &def, &id));
        assert_int_equal(id.index, i);
    }
}

static void herd_destroy(herd *h)
{
    pliant_scene_destroy(h->scene);
    pliant_query_destroy(h->query);
    for (int i = 0; i < BODIES; i++) {
        subject_destroy(&h->s[i]);
    }
    pliant_context_destroy(h->context);
}

/* Puts a body somewhere along a line, larger or smaller. */
static void place(subject *s, rng *r)
{
    float size = (float)rng_range(r, 0.25, 1.0), x = (float)rng_range(r, -5.0, 5.0);
    const float world[12] = {size, 0, 0, x, 0, size, 0, 0, 0, 0, size, 0};
    model_case_place(&s->c, world);
}

/* A step of all bodies but every sixth. */
static void herd_step(herd *h, rng r)
{
    for (int i = 0; i < BODIES; i++) {
        place(&h->s[i], &r);
        subject_set(&h->s[i]);
        if (i == LOOSE) {
            assert_ok(pliant_body_get_bounds(h->s[i].body, &h->start));
        }
        assert_ok(pliant_body_begin_step(h->s[i].body));
        if (i % 6 != 5) {
            model_case_move(&h->s[i].c, &r, true);
            h->s[i].c.world[3] += (float)rng_range(&r, -0.5, 0.5);
            model_case_place(&h->s[i].c, h->s[i].c.world);
            subject_set(&h->s[i]);
        }
    }
}

/* Lets one body take part by a loose box about both ends, its error included, or no longer. */
static void loosen(herd *scenes, const herd *alone, bool is_loose)
{
    pliant_member_def def = describe(LOOSE);
    const pliant_box *start = &alone->start;
    pliant_box end;
    assert_ok(pliant_body_get_bounds(alone->s[LOOSE].body, &end));
    def.has_loose_box = is_loose;
    for (int k = 0; k < 3; k++) {
        def.loose_box.lower[k] = fminf(start->lower[k], end.lower[k]) - 0.0625f;
        def.loose_box.upper[k] = fmaxf(start->upper[k], end.upper[k]) + 0.0625f;
    }
    for (int i = 0; i < SCENES; i++) {
        assert_ok(pliant_scene_set_member(scenes[i].scene, (pliant_body_id){LOOSE, 1}, &def));
    }
}

static bool not_six(void *user, pliant_body_id a, pliant_body_id b)
{
    (void)user;
    return a.index != 6 && b.index != 6;
}

static bool is_asked(uint32_t a, uint32_t b, const pliant_scene_options *options)
{
    pliant_member_def x = describe(a), y = describe(b);
    if (options->only_self || a >= b) {
        return a == b && (options->only_self || x.self);
    }
    return (x.category & y.mask) != 0 && (y.category & x.mask) != 0 &&
           !(x.is_static && y.is_static) && (options->filter == NULL || (a != 6 && b != 6));
}

static void check_pair(const pliant_scene_meetings *answer, const pliant_scene_pair *pair,
                       const pliant_meetings *one)
{
    assert_true(pair->count == one->count && pair->complete);
    assert_memory_equal(answer->pairs + pair->first, one->pairs, one->count * sizeof *one->pairs);
    for (uint64_t k = 0; k < one->count; k++) {
        assert_true(meetings_agree(&answer->meetings[pair->first + k], &one->meetings[k]));
    }
}

/* The answers of a scene's three questions, from asking pair by pair. */
typedef struct asked_alone {
    uint64_t count;
    uint32_t pairs, earliest_a, earliest_b;
    pliant_free_time least;
} asked_alone;

/* Compares an answer with asking about the bodies one by one. */
static asked_alone compare(const herd *h, const pliant_scene_options *options,
                           const pliant_scene_meetings *answer)
{
    asked_alone all = {.least = {.time = 1.0f, .complete = true}};
    for (uint32_t i = 0; i < BODIES * BODIES; i++) {
        uint32_t a = i / BODIES, b = i % BODIES;
        if (!is_asked(a, b, options)) {
            continue;
        }
        pliant_meeting_options each = approach_options(options->distance);
        pliant_body *x = h->s[a].body, *y = h->s[b].body;
        pliant_meetings one;
        pliant_free_time until;
        each.mode = options->mode;
        assert_ok(a == b ? pliant_find_free_time_self(h->query, x, &each, &until)
                         : pliant_find_free_time(h->query, x, y, &each, &until));
        assert_ok(a == b ? pliant_find_meetings_self(h->query, x, &each, &one)
                         : pliant_find_meetings(h->query, x, y, &each, &one));
        if (one.count == 0) {
            continue;
        }
        const pliant_scene_pair *pair = &answer->bodies[all.pairs];
        assert_true(all.pairs++ < answer->body_pair_count);
        assert_true(pair->a.index == a && pair->b.index == b && pair->first == all.count);
        check_pair(answer, pair, &one);
        all.count += one.count;
        if (all.pairs == 1 || until.meeting.time.low < all.least.meeting.time.low) {
            all.least = until;
            all.earliest_a = a;
            all.earliest_b = b;
        }
    }
    assert_true(answer->complete && answer->count == all.count);
    assert_int_equal(answer->body_pair_count, all.pairs);
    return all;
}

/* The earliest of the scene, and until when nothing comes that close. */
static void compare_first(const herd *h, pliant_scene_options options, const asked_alone *all)
{
    pliant_scene_free_time until;
    pliant_scene_meetings one;
    const pliant_scene_options used = scene_options_for(PLIANT_RECORDED_FIND_FREE_TIME, &options);
    assert_ok(pliant_scene_find_free_time(h->scene, &used, &until));
    const pliant_free_time *least = &all->least;
    assert_true(until.path.complete && until.path.time == least->time);
    assert_true(until.path.touches == least->touches);
    options.first_in_all = true;
    assert_ok(pliant_scene_find_meetings(h->scene, &options, &one));
    assert_int_equal(one.count, all->count > 0 ? 1 : 0);
    if (all->count > 0) {
        assert_true(until.a.index == all->earliest_a && until.b.index == all->earliest_b);
        assert_true(until.path.pair.a == least->pair.a && until.path.pair.b == least->pair.b);
        assert_true(meetings_agree(&until.path.meeting, &least->meeting));
        assert_true(one.bodies->a.index == all->earliest_a && one.pairs->a == least->pair.a);
        assert_true(one.bodies->b.index == all->earliest_b && one.pairs->b == least->pair.b);
        assert_true(meetings_agree(one.meetings, &least->meeting));
    }
}

static pliant_scene_options choose(uint64_t round, rng *r)
{
    pliant_scene_options options = pliant_scene_options_default();
    options.filter = round % 3 == 1 ? not_six : NULL;
    options.mode = round % 4 == 3 ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    options.only_self = round % 7 == 6;
    options.distance = (float)ldexp(rng_range(r, 0.5, 1.0), -(int)rng_below(r, 12));
    options.distance = round == 2 ? FLT_MAX : round == 5 ? FLT_TRUE_MIN : options.distance;
    return options;
}

/* One step, asked about in all scenes. */
static uint64_t ask_scenes(herd *scenes, const herd *alone, const pliant_scene_options *options)
{
    pliant_scene_stats expected[2] = {{.bodies_updated = 0}};
    asked_alone all = {.count = 0};
    for (int i = 0; i < SCENES; i++) {
        pliant_scene_meetings found;
        assert_ok(pliant_scene_find_meetings(scenes[i].scene, options, &found));
        pliant_scene_stats stats[2] = {flock_scene_counts(scenes[i].scene)};
        assert_int_equal(stats[0].narrow.pairs, found.count);
        all = compare(alone, options, &found);
        compare_first(&scenes[i], *options, &all);
        stats[1] = flock_scene_counts(scenes[i].scene);
        for (int k = 0; k < 2; k++) {
            expected[k] = i == 0 ? stats[k] : expected[k];
            assert_memory_equal(&stats[k], &expected[k], sizeof stats[k]);
        }
    }
    return all.count;
}

static void answers_equal_asking_one_by_one(void **state)
{
    (void)state;
    static uint32_t worker_counts[] = {1, 2, 3, 8};
    static herd scenes[SCENES], alone;
    uint64_t close = 0, rounds = fixture_count(24);
    rng r;
    rng_seed(&r, 60);
    for (uint64_t round = 0; round < rounds; round++) {
        if (round % 8 == 0) { /* other bodies */
            rng begin = r;
            rng_below(&r, 2);
            alone = herd_create(fixture_context_with(PLIANT_ISA_BEST, 1), begin);
            for (int i = 0; i < SCENES; i++) {
                uint32_t *workers = &worker_counts[i / 2];
                scenes[i] = herd_create(i % 2 == 0 ? fixture_context_with(PLIANT_ISA_BEST, *workers)
                                                   : dealer_context(workers),
                                        begin);
                herd_enter(&scenes[i]);
            }
        }
        rng begin = r;
        rng_below(&r, 2);
        herd_step(&alone, begin);
        for (int i = 0; i < SCENES; i++) {
            herd_step(&scenes[i], begin);
        }
        loosen(scenes, &alone, round % 2 == 1);
        pliant_scene_options options = choose(round, &r);
        close += ask_scenes(scenes, &alone, &options);
        if (round % 8 == 7 || round + 1 == rounds) {
            herd_destroy(&alone);
            for (int i = 0; i < SCENES; i++) {
                herd_destroy(&scenes[i]);
            }
        }
    }
    assert_true(rounds < 8 || close > 1000);
}

/* Two triangles that go past each other, with these errors. */
typedef struct passing {
    pliant_context *context;
    pliant_scene *scene;
    pliant_query *query;
    pliant_body *body[2];
} passing;

static passing passing_create(const float error[2])
{
    passing p = {.context = fixture_context_with(PLIANT_ISA_BEST, 1)};
    assert_ok(pliant_scene_create(p.context, NULL, &p.scene));
    assert_ok(pliant_query_create(p.context, &p.query));
    for (int i = 0; i < 2; i++) {
        static const float corners[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1};
        static const uint32_t triangle[3] = {0, 1, 2};
        pliant_shape_def def = pliant_shape_def_default();
        def.positions = corners;
        def.vertex_count = 3;
        def.triangles = triangle;
        def.triangle_count = 1;
        def.error = error[i];
        pliant_shape *shape;
        pliant_body_id id;
        assert_ok(pliant_shape_create(p.context, &def, &shape));
        assert_ok(pliant_body_create(shape, NULL, &p.body[i]));
        assert_ok(pliant_scene_add(p.scene, p.body[i], NULL, &id));
        pliant_shape_destroy(shape);
    }
    return p;
}

static void passing_destroy(passing *p)
{
    pliant_scene_destroy(p->scene);
    pliant_query_destroy(p->query);
    pliant_body_destroy(p->body[0]);
    pliant_body_destroy(p->body[1]);
    pliant_context_destroy(p->context);
}

/* The second one goes from far beyond to `x` before the first one, and on. */
static void pass(passing *p, float x)
{
    for (int end = 0; end < 2; end++) {
        float y = end == 0 ? 9.0f : -9.0f;
        const float at[9] = {x, y, 0, x, y + 1, 0, x, y, 1};
        assert_ok(pliant_body_set_positions(p->body[1], at, 0));
        if (end == 0) {
            assert_ok(pliant_scene_begin_step(p->scene));
        }
    }
}

/* Errors of both bodies add to the distance, so boxes that are farther apart than it count too. */
static void errors_reach_beyond_the_distance(void **state)
{
    (void)state;
    static const float errors[4][2] = {{0.25f, 0.25f}, {0.5f, 0.0f}, {0.0f, 0.5f}, {0.0f, 0.0f}};
    for (int i = 0; i < 4; i++) {
        passing p = passing_create(errors[i]);
        for (int far = 0; far < 2; far++) {
            pliant_scene_options options = pliant_scene_options_default();
            pliant_meeting_options each = approach_options(0.125f);
            pliant_scene_meetings found;
            pliant_meetings one;
            pass(&p, (i < 3 ? 0.625f : 0.125f) + (far ? 0.01f : 0.0f));
            options.distance = 0.125f;
            assert_ok(pliant_scene_find_meetings(p.scene, &options, &found));
            assert_ok(pliant_find_meetings(p.query, p.body[0], p.body[1], &each, &one));
            assert_true(found.count == (far ? 0u : 1u) && one.count == found.count);
            options.distance = 0.0f; /* errors do not count then */
            assert_ok(pliant_scene_find_meetings(p.scene, &options, &found));
            assert_int_equal(found.count, 0);
        }
        passing_destroy(&p);
    }
}

/* Every question refuses a distance that is none, and leaves bodies where they are. */
static void bad_distances_are_refused(void **state)
{
    (void)state;
    static const float bad[4] = {NAN, INFINITY, -INFINITY, -1.0f};
    passing p = passing_create((const float[2]){0.0f, 0.0f});
    pass(&p, 0.5f);
    for (int i = 0; i < 4; i++) {
        pliant_result expected = i < 3 ? PLIANT_ERROR_NOT_FINITE : PLIANT_ERROR_RANGE;
        pliant_scene_options options = pliant_scene_options_default();
        pliant_scene_meetings found;
        pliant_scene_free_time until;
        pliant_scene_advance advance;
        options.distance = bad[i];
        assert_int_equal(pliant_scene_find_meetings(p.scene, &options, &found), expected);
        assert_int_equal(pliant_scene_find_free_time(p.scene, &options, &until), expected);
        assert_int_equal(pliant_scene_advance_bodies(p.scene, &options, &advance), expected);
        float at[9];
        assert_ok(pliant_body_evaluate(p.body[1], NULL, 3, at));
        assert_true(at[0] == 0.5f && at[1] == -9.0f);
    }
    passing_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_equal_asking_one_by_one),
        cmocka_unit_test(errors_reach_beyond_the_distance),
        cmocka_unit_test(bad_distances_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
