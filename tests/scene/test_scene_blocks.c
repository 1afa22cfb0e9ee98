/*
 * Contacts of a scene that come block by block, to a callback or until the first; budgets in time;
 * parts of one pair that several workers find, with all that is asked about them. Callbacks that
 * meddle, calls that fail: events stay as they were. And no memory is asked for once all is warm.
 */
#include "dealer.h"
#include "flock_scene.h"
#include "query/scene_queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CUBES = 40, ALL = CUBES * (CUBES - 1) / 2 };

/* Cubes around one centre: all boxes meet, and those touch that are of one size. */
typedef struct cubes {
    pliant_context *context;
    pliant_shape *shape;
    pliant_body *body[CUBES];
    pliant_body_id id[CUBES];
    pliant_scene *scene;
    uint32_t given, stop_after; /* for the callback */
    uint32_t deed;
} cubes;

static const float corners[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                  -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static void resize(cubes *c, uint32_t i, float size)
{
    float positions[24];
    for (int k = 0; k < 24; k++) {
        positions[k] = corners[k] * size;
    }
    assert_ok(pliant_body_set_positions(c->body[i], positions, 0));
}

/* Takes the context over. */
static cubes *cubes_create(pliant_context *context)
{
    cubes *c = calloc(1, sizeof *c);
    c->context = context;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corners;
    def.vertex_count = 8;
    def.triangles = faces;
    def.triangle_count = 12;
    assert_ok(pliant_shape_create(context, &def, &c->shape));
    assert_ok(pliant_scene_create(context, NULL, &c->scene));
    for (uint32_t i = 0; i < CUBES; i++) {
        assert_ok(pliant_body_create(c->shape, NULL, &c->body[i]));
        assert_ok(pliant_scene_add(c->scene, c->body[i], NULL, &c->id[i]));
        resize(c, i, 1.0f + (float)i);
    }
    return c;
}

static void cubes_free(cubes *c)
{
    pliant_scene_destroy(c->scene);
    for (int i = 0; i < CUBES; i++) {
        pliant_body_destroy(c->body[i]);
    }
    pliant_shape_destroy(c->shape);
    pliant_context_destroy(c->context);
    free(c);
}

/* Workers of our own, of the caller's. */
enum { CREWS = 8 };

/* The next crew: with sanitizers, which take their time, every third one. */
static int after(int crew)
{
    return crew + (fixture_scale() < 0.1 ? 3 : 1);
}

static pliant_context *create_crew(int i)
{
    static uint32_t workers[] = {1, 2, 3, 8, 16, 2, 3, 8};
    return i < 5 ? fixture_context_with(PLIANT_ISA_BEST, workers[i]) : dealer_context(&workers[i]);
}

/* The first pair of bodies that touches: blocks before it are compared, its own to the end. */
static void first_of_all_is_the_lowest(void **state)
{
    (void)state;
    static const struct {
        uint32_t a, b, compared;
    } cases[] = {{0, 1, 256},   {0, 39, 256},  {7, 11, 256},   {7, 12, 768},
                 {30, 31, 768}, {38, 39, ALL}, {CUBES, 0, ALL}};
    for (int crew = 0; crew < CREWS; crew = after(crew)) {
        cubes *c = cubes_create(create_crew(crew));
        pliant_scene_options options = pliant_scene_options_default();
        options.first_in_all = options.segments = options.events = true;
        for (int i = 0; i < 7; i++) {
            bool any = cases[i].a < CUBES;
            if (any) {
                resize(c, cases[i].b, 1.0f + (float)cases[i].a);
            }
            pliant_scene_contacts contacts;
            assert_ok(pliant_scene_collide(c->scene, &options, &contacts));
            const pliant_scene_stats *stats = pliant_scene_get_stats(c->scene);
            assert_int_equal(contacts.body_pair_count, any);
            assert_int_equal(contacts.count, any);
            assert_true(contacts.complete);
            assert_int_equal(stats->pairs_narrow, cases[i].compared);
            assert_int_equal(stats->pairs_touching, any);
            if (any) {
                assert_int_equal(contacts.bodies[0].a.index, cases[i].a);
                assert_int_equal(contacts.bodies[0].b.index, cases[i].b);
                assert_int_not_equal(contacts.segments[0].common, PLIANT_COMMON_NOTHING);
                resize(c, cases[i].b, 1.0f + (float)cases[i].b);
            }
        }
        cubes_free(c);
    }
}

static bool count_and_stop(void *user, const pliant_scene_pair *bodies,
                           const pliant_contacts *contacts)
{
    cubes *c = user;
    assert_true(bodies->count > 0 && contacts->count == bodies->count);
    assert_non_null(contacts->pairs);
    return ++c->given != c->stop_after;
}

/* Whenever the callback stops, it got all pairs of bodies before; events know of these only. */
static void callbacks_stop_anywhere(void **state)
{
    (void)state;
    static const uint32_t stops[] = {1, 255, 256, 257, 768, 769, ALL, 0};
    for (int crew = 0; crew < CREWS; crew = after(crew)) {
        cubes *c = cubes_create(create_crew(crew));
        for (uint32_t i = 0; i < CUBES; i++) {
            resize(c, i, 1.0f);
        }
        pliant_scene_options options = pliant_scene_options_default();
        options.callback = count_and_stop;
        options.callback_user = c;
        options.events = true;
        for (int i = 0; i < 8; i++) {
            c->given = 0;
            c->stop_after = stops[i];
            pliant_scene_contacts contacts;
            assert_ok(pliant_scene_collide(c->scene, &options, i % 2 == 0 ? &contacts : NULL));
            uint32_t expected = stops[i] == 0 ? ALL : stops[i], compared = ALL, events = 0;
            compared = expected <= 768 ? 768 : compared;
            compared = expected <= 256 ? 256 : compared;
            assert_int_equal(c->given, expected);
            assert_int_equal(pliant_scene_get_stats(c->scene)->pairs_narrow, compared);
            assert_int_equal(pliant_scene_get_stats(c->scene)->pairs_touching, expected);
            if (i % 2 == 0) {
                assert_int_equal(contacts.body_pair_count, expected);
                assert_false(contacts.complete);
                assert_null(contacts.bodies);
            }
            const pliant_scene_event *event = pliant_scene_get_events(c->scene, &events);
            assert_int_equal(events, expected); /* the table above ascends */
            uint32_t began = 0;
            for (uint32_t e = 0; e < events; e++) {
                began += event[e].touch == PLIANT_TOUCH_BEGAN;
            }
            assert_int_equal(began, expected - (i == 0 ? 0 : stops[i - 1]));
        }
        cubes_free(c);
    }
}

/* --------------------------------------------------- several workers, one pair */

/* What a query finds of two bodies, or one, of a scene. */
static pliant_contacts ask(pliant_query *query, const flock_scene *a, const pliant_scene_pair *pair,
                           const pliant_scene_options *options)
{
    pliant_collide_options narrow = pliant_collide_options_default();
    narrow.segments = narrow.separations = true;
    narrow.separation_side = options->separation_side;
    narrow.budget_nodes = options->budget_nodes;
    pliant_contacts found;
    pliant_body *x = a->body[pair->a.index], *y = a->body[pair->b.index];
    assert_ok(x == y ? pliant_collide_self(query, x, &narrow, &found)
                     : pliant_collide(query, x, y, &narrow, &found));
    return found;
}

static void parts_come_together(void **state)
{
    (void)state;
    flock f = flock_create();
    for (int crew = 0; crew < CREWS; crew = after(crew)) {
        flock_scene a = flock_scene_create(&f, create_crew(crew), PLIANT_BROAD_AUTO, true);
        pliant_query *query = NULL;
        assert_ok(pliant_query_create(a.context, &query));
        for (uint32_t step = 0; step < fixture_count(12); step++) {
            flock_evaluate(&f, 5 * step);
            flock_scene_share(&a, &f);
            pliant_scene_options options = pliant_scene_options_default();
            options.segments = options.separations = true;
            options.separation_side = (pliant_separation_side)(step % 3);
            options.budget_nodes = step % 4 == 3 ? 40 : 0;
            pliant_scene_contacts contacts;
            assert_ok(pliant_scene_collide(a.scene, &options, &contacts));
            assert_true(contacts.count > 0);
            for (uint32_t p = 0; p < contacts.body_pair_count; p++) {
                const pliant_scene_pair *pair = &contacts.bodies[p];
                pliant_contacts found = ask(query, &a, pair, &options);
                assert_int_equal(found.count, pair->count);
                assert_int_equal(found.complete, pair->complete);
                assert_memory_equal(found.pairs, contacts.pairs + pair->first,
                                    found.count * sizeof *found.pairs);
                assert_memory_equal(found.segments, contacts.segments + pair->first,
                                    found.count * sizeof *found.segments);
                assert_memory_equal(found.separations, contacts.separations + pair->first,
                                    found.count * sizeof *found.separations);
            }
            for (uint32_t p = 0; p < contacts.undecided_count; p++) {
                pliant_contacts found = ask(query, &a, &contacts.undecided[p], &options);
                assert_true(found.count == 0 && !found.complete);
            }
            assert_true(options.budget_nodes == 0 ? contacts.complete : !contacts.complete);
        }
        pliant_query_destroy(query);
        flock_scene_free(&a);
    }
    flock_free(&f);
}

/* What is reported touches, and what is missing is said to be. */
static void check_part(const pliant_scene_contacts *contacts, const flock_scene_truth *t)
{
    bool known[FLOCK_BODIES][FLOCK_BODIES] = {{false}}, complete = contacts->undecided_count == 0;
    for (uint32_t p = 0; p < contacts->body_pair_count; p++) {
        const pliant_scene_pair *pair = &contacts->bodies[p];
        const brute_pairs *all = &t->pairs[pair->a.index][pair->b.index];
        known[pair->a.index][pair->b.index] = true;
        complete = complete && pair->complete;
        assert_true(pair->complete ? pair->count == all->count : pair->count <= all->count);
        for (uint64_t k = 0, at = 0; k < pair->count; k++) { /* a part of all, in order */
            const pliant_pair *found = &contacts->pairs[pair->first + k];
            while (at < all->count &&
                   (all->pairs[at].a != found->a || all->pairs[at].b != found->b)) {
                at++;
            }
            assert_true(at < all->count);
        }
    }
    for (uint32_t p = 0; p < contacts->undecided_count; p++) {
        bool *undecided = &known[contacts->undecided[p].a.index][contacts->undecided[p].b.index];
        assert_false(*undecided);
        *undecided = true;
    }
    for (int k = 0; k < FLOCK_BODIES * FLOCK_BODIES; k++) {
        assert_true(known[k / FLOCK_BODIES][k % FLOCK_BODIES] ||
                    t->pairs[k / FLOCK_BODIES][k % FLOCK_BODIES].count == 0);
    }
    assert_int_equal(complete, contacts->complete);
}

static void time_runs_out(void **state)
{
    (void)state;
    flock f = flock_create();
    flock_scene a[CREWS];
    for (int crew = 0; crew < CREWS; crew = after(crew)) {
        a[crew] = flock_scene_create(&f, create_crew(crew), PLIANT_BROAD_AUTO, false);
    }
    for (uint32_t step = 0; step < fixture_count(10); step++) {
        flock_evaluate(&f, 7 * step);
        flock_scene_truth *t = flock_scene_truth_create(&f, false);
        for (int crew = 0; crew < CREWS; crew = after(crew)) {
            flock_scene_share(&a[crew], &f);
            pliant_scene_options options = pliant_scene_options_default();
            options.budget_microseconds = step % 2 == 0 ? 1 : 100 * step;
            options.segments = step % 4 == 2;
            pliant_scene_contacts contacts;
            assert_ok(pliant_scene_collide(a[crew].scene, &options, &contacts));
            check_part(&contacts, t);
            assert_true(step % 2 == 1 || !contacts.complete); /* one is never enough */
        }
        flock_scene_truth_free(t);
    }
    for (int crew = 0; crew < CREWS; crew = after(crew)) {
        flock_scene_free(&a[crew]);
    }
    flock_free(&f);
}

/* Workers that shared a pair note it each: it is undecided once, and not where one found a
   contact. */
static void shared_pairs_are_noted_once(void **state)
{
    (void)state;
    cubes *c = cubes_create(fixture_context_with(PLIANT_ISA_BEST, 3));
    pliant_scene *scene = c->scene;
    const uint64_t pairs[3] = {1, 2, (uint64_t)1 << 32 | 2};
    const pli_collecting how = {.list_count = 1};
    const pli_found_before before = {{0}};
    bool complete = true;
    assert_ok(pli_scene_queries_create(scene));
    pli_scene_queries_start_over(scene);
    pli_scene_queries *queries = scene->queries;
    scene->pairs = pairs;
    scene->pair_count = 3;
    queries->workers[1].results->keys.count = 1;
    assert_ok(pli_worker_note_found(&queries->workers[1], 1, 1, &before, 1));
    for (uint32_t w = 0; w < 3; w++) {
        assert_ok(pli_worker_note_over_budget(&queries->workers[w], 2 - w % 2));
        assert_ok(pli_worker_note_over_budget(&queries->workers[w], 1));
    }
    assert_ok(pli_scene_list_results(scene, how, &queries->found));
    assert_ok(pli_scene_mark_over_budget(scene, &queries->found, &complete));
    assert_int_equal(queries->found.total, 1);
    assert_false(complete);
    assert_false(queries->found.parts.data[0].complete);
    assert_int_equal(queries->over_budget.count, 1);
    assert_int_equal(queries->over_budget.data[0], pairs[2]);
    cubes_free(c);
}

/* ------------------------------------------------- callbacks and calls that fail */

enum { DEEDS = 5 };

/* Tries to change what is being asked about, and cannot; or destroys a body, or the scene. */
static bool meddle(void *user, const pliant_scene_pair *bodies, const pliant_contacts *contacts)
{
    cubes *c = user;
    pliant_scene_contacts others;
    (void)contacts;
    assert_int_equal(pliant_scene_remove(c->scene, bodies->a), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_scene_set_member(c->scene, bodies->b, NULL), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_scene_collide(c->scene, NULL, &others), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_body_set_positions(c->body[7], corners, 0), PLIANT_ERROR_STATE);
    assert_ptr_equal(pliant_scene_get_body(c->scene, bodies->b), c->body[bodies->b.index]);
    c->given++;
    if (c->deed == 1 && c->given == 3) {
        pliant_body_destroy(c->body[5]);
    }
    if (c->deed == 2 && c->given == 300) { /* in a later block: one that is past, and one to come */
        pliant_body_destroy(c->body[0]);
        pliant_body_destroy(c->body[39]);
    }
    if (c->deed == 3 && c->given == 2) {
        pliant_scene_destroy(c->scene);
    }
    return c->deed != 4 || c->given < 2;
}

static void callbacks_change_nothing(void **state)
{
    (void)state;
    for (uint32_t deed = 0; deed < DEEDS; deed++) {
        counting_allocator allocator = {0};
        cubes *c = cubes_create(fixture_context(&allocator));
        for (uint32_t i = 0; i < CUBES; i++) {
            resize(c, i, 1.0f);
        }
        pliant_scene_options options = pliant_scene_options_default();
        pliant_scene_contacts contacts = {.count = 77};
        options.callback = meddle;
        options.callback_user = c;
        options.events = true;
        c->deed = deed;
        pliant_result result = pliant_scene_collide(c->scene, &options, &contacts);
        bool fails = deed > 0 && deed < 4;
        assert_int_equal(result, fails ? PLIANT_ERROR_STATE : PLIANT_OK);
        assert_true(fails == (contacts.count == 77));
        assert_int_equal(c->given, deed == 4 ? 2 : ALL);
        if (deed == 3) {
            c->scene = NULL;
            assert_non_null(strstr(pliant_last_error(), "scene was destroyed"));
        } else {
            uint32_t events = 77, left = CUBES - (deed <= 2 ? deed : 0);
            pliant_scene_get_events(c->scene, &events);
            assert_int_equal(events, fails ? 0 : c->given);
            assert_int_equal(pliant_scene_get_body_count(c->scene), left);
            c->deed = 0;
            assert_ok(pliant_scene_collide(c->scene, &options, &contacts));
            assert_int_equal(contacts.body_pair_count, left * (left - 1) / 2);
        }
        c->body[5] = deed == 1 ? NULL : c->body[5];
        c->body[0] = deed == 2 ? NULL : c->body[0];
        c->body[39] = deed == 2 ? NULL : c->body[39];
        cubes_free(c);
        assert_int_equal(allocator.live, 0);
    }
}

/* A call that fails changes no events; neither does one that did not ask for them. */
static void failures_leave_events_alone(void **state)
{
    (void)state;
    for (int crew = 0; crew < 3; crew++) {
        cubes *c = cubes_create(create_crew(crew));
        pliant_scene_options options = pliant_scene_options_default();
        pliant_scene_contacts contacts;
        options.events = true;
        resize(c, 3, 1.0f);
        assert_ok(pliant_scene_collide(c->scene, &options, &contacts));
        uint32_t count = 0;
        const pliant_scene_event *event = pliant_scene_get_events(c->scene, &count);
        assert_true(count == 1 && event->a.index == 0 && event->b.index == 3);
        assert_int_equal(event->touch, PLIANT_TOUCH_BEGAN);
        resize(c, 3, 2.0f); /* now with body 1 */
        float nonsense[24] = {NAN};
        assert_ok(pliant_body_share_positions(c->body[9], nonsense, 0));
        assert_int_equal(pliant_scene_collide(c->scene, &options, &contacts),
                         PLIANT_ERROR_NOT_FINITE);
        resize(c, 9, 10.0f);
        options.events = false;
        assert_ok(pliant_scene_collide(c->scene, &options, &contacts));
        assert_ptr_equal(pliant_scene_get_events(c->scene, &count), event);
        assert_true(count == 1 && event->b.index == 3);
        assert_int_equal(event->touch, PLIANT_TOUCH_BEGAN);
        options.events = true;
        assert_ok(pliant_scene_collide(c->scene, &options, &contacts));
        event = pliant_scene_get_events(c->scene, &count);
        assert_int_equal(count, 2);
        assert_true(event[0].a.index == 0 && event[0].touch == PLIANT_TOUCH_ENDED);
        assert_true(event[1].a.index == 1 && event[1].touch == PLIANT_TOUCH_BEGAN);
        cubes_free(c);
    }
}

/* The same steps again need no memory, whatever is asked. */
static void warm_calls_allocate_nothing(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    cubes *c = cubes_create(fixture_context(&allocator));
    uint64_t calls = 0;
    for (uint32_t round = 0; round < 4; round++) {
        calls = round == 2 ? allocator.calls : calls;
        for (uint32_t step = 0; step < 24; step++) {
            pliant_scene_options options = pliant_scene_options_default();
            options.segments = options.separations = options.events = true;
            options.budget_nodes = step % 3;
            options.first_in_all = step % 5 == 0;
            options.callback = step % 4 == 0 ? count_and_stop : NULL;
            options.callback_user = c;
            for (uint32_t i = 0; i < CUBES; i++) {
                resize(c, i, 1.0f + (float)(i * step % 7));
            }
            pliant_scene_contacts contacts;
            assert_ok(pliant_scene_collide(c->scene, &options, &contacts));
        }
    }
    assert_int_equal(allocator.calls, calls);
    cubes_free(c);
    assert_int_equal(allocator.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_of_all_is_the_lowest),
        cmocka_unit_test(callbacks_stop_anywhere),
        cmocka_unit_test(parts_come_together),
        cmocka_unit_test(time_runs_out),
        cmocka_unit_test(shared_pairs_are_noted_once),
        cmocka_unit_test(callbacks_change_nothing),
        cmocka_unit_test(failures_leave_events_alone),
        cmocka_unit_test(warm_calls_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
