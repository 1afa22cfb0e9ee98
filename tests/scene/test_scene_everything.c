/*
 * Everything at once: a scene of bodies of all kinds lives a random life (creatures.h), and is
 * asked everything, with filters, budgets, callbacks and events; what would change it meanwhile is
 * refused. One worker's answers equal those of plain queries about free bodies that stand where
 * these do; those of 2, 3 and 8, with their counts, equal its.
 */
#include "creatures.h"
#include "scene_options.h"

#include <math.h>

/* ---------------------------------------------------------------- questions */

/* Whatever is asked or changed while the caller's code runs is refused. */
static void try_meanwhile(life *l, uint32_t index)
{
    const pliant_ray ray = {{0}, {1.0f, 0.0f, 0.0f}, 1.0f};
    const float unit[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    bool blocked;
    pliant_scene_contacts contacts;
    creature *b = find_creature(l, index);
    pliant_scene_state state = {b->id, {.world = unit}};
    assert_int_equal(pliant_scene_raycast_any(l->scene, &ray, 1, NULL, &blocked),
                     PLIANT_ERROR_STATE);
    assert_int_equal(pliant_scene_collide(l->scene, NULL, &contacts), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_scene_set_states(l->scene, &state, 1), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_scene_remove(l->scene, b->id), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_body_set_world(b->body, unit), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_body_set_world(b->body, NULL), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_body_begin_step(b->body), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_body_end_step(b->body), PLIANT_ERROR_STATE);
}

static bool filter(void *user, pliant_body_id a, pliant_body_id b)
{
    life *l = user;
    if ((a.index + b.index + l->salt) % 16 == 0) {
        try_meanwhile(l, b.index);
    }
    return (a.index * 7 + b.index * 3 + l->salt) % 4 != 0;
}

static bool filter_one(void *user, pliant_body_id a)
{
    life *l = user;
    if ((a.index + l->salt) % 16 == 0) {
        try_meanwhile(l, a.index);
    }
    return (a.index + l->salt) % 3 != 0;
}

static bool take(void *user, const pliant_scene_pair *bodies, const pliant_contacts *contacts)
{
    life *l = user;
    fold_number(l, bodies->a.index * 100 + bodies->b.index);
    fold(l, contacts->pairs, (size_t)contacts->count * sizeof *contacts->pairs);
    if (l->salt % 8 == 0) {
        try_meanwhile(l, bodies->a.index);
    }
    return (bodies->b.index + l->salt) % 5 != 0;
}

static bool take_meetings(void *user, const pliant_scene_pair *bodies,
                          const pliant_meetings *meetings)
{
    const pliant_contacts contacts = {.pairs = meetings->pairs, .count = meetings->count};
    return take(user, bodies, &contacts);
}

static pliant_scene_options random_options(life *l, pliant_recorded_question query)
{
    pliant_scene_options o = pliant_scene_options_default();
    l->salt = (uint32_t)rng_below(&l->r, 64);
    o.filter = one_in(l, 3) ? filter : NULL;
    o.filter_user = o.callback_user = l;
    o.budget_nodes = one_in(l, 5) ? 1 + rng_below(&l->r, 30) : 0;
    o.mode = one_in(l, 6) ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    o.first_in_all = one_in(l, 8);
    o.only_self = one_in(l, 8);
    o.segments = one_in(l, 4);
    o.events = one_in(l, 2);
    o.callback = one_in(l, 5) ? take : NULL;
    o.meetings_callback = o.callback != NULL ? take_meetings : NULL;
    o.distance = one_in(l, 12) ? (float)rng_range(&l->r, 0.0, 0.05) : 0.0f;
    return scene_options_for(query, &o);
}

static void fold_pairs(life *l, const pliant_scene_pair *pairs, uint32_t count)
{
    l->found += count;
    for (uint32_t i = 0; i < count; i++) {
        const creature *a = find_creature(l, pairs[i].a.index);
        assert_true(a != NULL && a->id.generation == pairs[i].a.generation);
        assert_true(pairs[i].user_a == a && pairs[i].user_b == find_creature(l, pairs[i].b.index));
        fold_number(l, (uint64_t)pairs[i].a.index << 32 | pairs[i].b.index);
        fold_number(l, 2 * pairs[i].count + pairs[i].complete);
    }
}

static void fold_counts(life *l)
{
    const pliant_scene_stats *s = pliant_scene_get_stats(l->scene);
    const uint64_t counts[] = {s->narrow.nodes_refreshed, s->narrow.clusters_refreshed,
                               s->narrow.vertices_read,   s->narrow.nodes_tested,
                               s->narrow.triangle_tests,  s->narrow.feature_tests,
                               s->narrow.exact_fallbacks, s->narrow.pairs,
                               s->bodies_updated,         s->pairs_broad,
                               s->pairs_narrow,           s->pairs_touching};
    fold(l, counts, sizeof counts);
}

static void fold_events(life *l)
{
    uint32_t count = 0;
    const pliant_scene_event *events = pliant_scene_get_events(l->scene, &count);
    for (uint32_t i = 0; i < count; i++) {
        fold_number(l, events[i].a.index * 100 + events[i].b.index);
        fold_number(l, events[i].touch);
    }
}

/* A pair of bodies of a scene's answer, beside that of their twins. */
typedef struct expected {
    const pliant_scene_pair *pairs;
    uint32_t count, next;
} expected;

static const pliant_scene_pair *next_pair(expected *e, uint32_t a, uint32_t b)
{
    bool is_next =
        e->next < e->count && e->pairs[e->next].a.index == a && e->pairs[e->next].b.index == b;
    return is_next ? &e->pairs[e->next++] : NULL;
}

/* Every pair of bodies to be compared, ascending. */
static void check_each(life *l, bool filters, expected *e, void *user,
                       void (*check)(life *l, creature *a, creature *b,
                                     const pliant_scene_pair *given, const void *user))
{
    for (uint32_t a = 0; a < MOST; a++) {
        for (uint32_t b = a; b < MOST; b++) {
            creature *x = find_creature(l, a), *y = find_creature(l, b);
            if (x == NULL || y == NULL) {
                continue;
            }
            bool compared = a == b ? x->def.self : passes(l, x, y, filters);
            const pliant_scene_pair *given = next_pair(e, a, b);
            if (compared && takes_part(x) && takes_part(y)) {
                check(l, x, y, given, user);
            } else {
                assert_null(given);
            }
        }
    }
    assert_int_equal(e->next, e->count);
}

static void check_touching(life *l, creature *a, creature *b, const pliant_scene_pair *given,
                           const void *user)
{
    const pliant_scene_contacts *got = user;
    pliant_contacts truth;
    assert_ok(a == b ? pliant_collide_self(l->other, a->twin, NULL, &truth)
                     : pliant_collide(l->other, a->twin, b->twin, NULL, &truth));
    assert_int_equal(truth.count, given != NULL ? given->count : 0);
    assert_memory_equal(given != NULL ? got->pairs + given->first : truth.pairs, truth.pairs,
                        truth.count * sizeof *truth.pairs);
}

static void ask_contacts(life *l)
{
    pliant_scene_options o = random_options(l, PLIANT_RECORDED_COLLIDE);
    pliant_scene_contacts got;
    assert_ok(pliant_scene_collide(l->scene, &o, &got));
    fold_pairs(l, got.bodies, got.bodies != NULL ? got.body_pair_count : 0);
    fold_pairs(l, got.undecided, got.undecided_count);
    fold(l, got.pairs, got.pairs != NULL ? (size_t)got.count * sizeof *got.pairs : 0);
    fold_number(l, got.complete);
    fold_counts(l);
    fold_events(l);
    bool all = o.budget_nodes == 0 && o.mode == PLIANT_COLLIDE_ALL && !o.first_in_all &&
               !o.only_self && o.callback == NULL;
    if (l->checks && all) {
        expected e = {got.bodies, got.body_pair_count, 0};
        update_twins(l);
        check_each(l, o.filter != NULL, &e, &got, check_touching);
    }
}

static void check_near(life *l, creature *a, creature *b, const pliant_scene_pair *given,
                       const void *user)
{
    const pliant_scene_proximities *got = user;
    pliant_proximities truth;
    assert_ok(a == b ? pliant_find_within_self(l->other, a->twin, 0.1f, NULL, &truth)
                     : pliant_find_within(l->other, a->twin, b->twin, 0.1f, NULL, &truth));
    assert_int_equal(truth.count, given != NULL ? given->count : 0);
    for (uint64_t i = 0; i < truth.count; i++) {
        const pliant_proximity *p = &got->pairs[given->first + i];
        assert_true(p->a == truth.pairs[i].a && p->b == truth.pairs[i].b &&
                    p->gap.distance == truth.pairs[i].gap.distance);
    }
}

static void ask_within(life *l)
{
    pliant_scene_options o = pliant_scene_options_default();
    pliant_scene_proximities got;
    l->salt = (uint32_t)rng_below(&l->r, 64);
    o.filter = one_in(l, 2) ? filter : NULL;
    o.filter_user = l;
    assert_ok(pliant_scene_find_within(l->scene, 0.1f, &o, &got));
    fold_pairs(l, got.bodies, got.body_pair_count);
    for (uint64_t i = 0; i < got.count; i++) {
        fold(l, &got.pairs[i].gap.distance, sizeof got.pairs[i].gap.distance);
    }
    fold_counts(l);
    if (l->checks) {
        expected e = {got.bodies, got.body_pair_count, 0};
        update_twins(l);
        check_each(l, o.filter != NULL, &e, &got, check_near);
    }
}

static void ask_features(life *l)
{
    pliant_scene_options o = random_options(l, PLIANT_RECORDED_FIND_FEATURES);
    pliant_scene_features got;
    assert_ok(pliant_scene_find_features(l->scene, 0.05f, &o, &got));
    fold_pairs(l, got.bodies, got.body_pair_count);
    fold_pairs(l, got.crossings.bodies, got.crossings.body_pair_count);
    for (uint64_t i = 0; i < got.count; i++) {
        fold(l, &got.pairs[i].distance, sizeof got.pairs[i].distance);
    }
    fold_counts(l);
}

static void ask_proxies(life *l)
{
    pliant_scene_options o = random_options(l, PLIANT_RECORDED_COLLIDE_PROXIES);
    pliant_scene_proxy_contacts got;
    assert_ok(pliant_scene_collide_proxies(l->scene, &o, &got));
    fold_pairs(l, got.bodies, got.body_pair_count);
    fold(l, got.contacts, (size_t)got.count * sizeof *got.contacts);
    fold_counts(l);
}

static void ask_rays(life *l)
{
    enum { RAYS = 5 };
    pliant_ray rays[RAYS];
    pliant_scene_ray_hit hits[RAYS];
    bool blocked[RAYS];
    pliant_scene_ray_hits all;
    pliant_scene_select select = pliant_scene_select_default();
    l->salt = (uint32_t)rng_below(&l->r, 64);
    select.filter = one_in(l, 3) ? filter_one : NULL;
    select.filter_user = l;
    for (int i = 0; i < RAYS; i++) {
        for (int k = 0; k < 3; k++) {
            rays[i].origin[k] = (float)rng_range(&l->r, -3.0, 3.0);
            rays[i].direction[k] = (float)rng_range(&l->r, -0.5, 0.5) - 0.3f * rays[i].origin[k];
        }
        rays[i].t_max = INFINITY;
    }
    assert_ok(pliant_scene_raycast(l->scene, rays, RAYS, &select, hits));
    fold_counts(l);
    update_twins(l);
    for (int i = 0; i < RAYS; i++) {
        double first = INFINITY;
        for (int b = 0; b < MOST && l->checks; b++) {
            creature *x = &l->one[b];
            pliant_ray_hit hit;
            bool takes = x->present && (x->def.mask & 1) &&
                         (select.filter == NULL || (x->id.index + l->salt) % 3 != 0);
            assert_ok(pliant_raycast(l->other, x->twin, &rays[i], &hit));
            first = takes && hit.t < first ? hit.t : first;
        }
        assert_true(!l->checks || first == hits[i].hit.t);
        fold(l, &hits[i].hit.t, sizeof hits[i].hit.t);
        fold_number(l, hits[i].body.index);
    }
    assert_ok(pliant_scene_raycast_any(l->scene, rays, RAYS, &select, blocked));
    assert_ok(pliant_scene_raycast_all(l->scene, rays, RAYS, &select, &all));
    for (int i = 0; i < RAYS; i++) {
        assert_int_equal(blocked[i], hits[i].body.generation != 0);
        assert_int_equal(blocked[i], all.starts[i + 1] > all.starts[i]);
    }
    fold_number(l, all.count);
    fold_counts(l);
}

static void ask_points(life *l)
{
    enum { POINTS = 4 };
    float points[3 * POINTS];
    pliant_scene_closest closest[POINTS];
    for (int i = 0; i < 3 * POINTS; i++) {
        points[i] = (float)rng_range(&l->r, -2.0, 2.0);
    }
    assert_ok(
        pliant_scene_find_closest_points(l->scene, points, POINTS, 0, INFINITY, NULL, closest));
    fold_counts(l);
    update_twins(l);
    for (int i = 0; i < POINTS; i++) {
        double least = INFINITY;
        for (int b = 0; b < MOST && l->checks; b++) {
            pliant_closest one;
            assert_ok(pliant_find_closest_point(l->other, l->one[b].twin, points + 3 * i, INFINITY,
                                                &one));
            least = l->one[b].present && one.distance < least ? one.distance : least;
        }
        bool found = closest[i].body.generation != 0;
        assert_true(!l->checks || (found ? closest[i].closest.distance == least : isinf(least)));
        fold_number(l, found ? closest[i].closest.triangle : 0);
    }
    pliant_scene_triangles inside;
    pliant_box box = {{points[0] - 0.7f, -1.0f, -INFINITY}, {points[0], 1.0f, 1.0f}};
    assert_ok(pliant_scene_overlap_box(l->scene, &box, NULL, &inside));
    fold(l, inside.triangles, (size_t)inside.count * sizeof *inside.triangles);
    fold_counts(l);
}

/* Two bodies of the scene, or outside of it, in their steps. */
static void ask_meetings(life *l)
{
    creature *a = &l->one[rng_below(&l->r, MOST)], *b = &l->one[rng_below(&l->r, MOST)];
    pliant_meetings got, truth;
    if (a == b) {
        return;
    }
    assert_ok(pliant_find_meetings(l->query, a->body, b->body, NULL, &got));
    fold(l, got.pairs, (size_t)got.count * sizeof *got.pairs);
    if (l->checks) {
        begin_twin(a);
        begin_twin(b);
        assert_ok(pliant_find_meetings(l->other, a->twin, b->twin, NULL, &truth));
        assert_int_equal(got.count, truth.count);
        assert_memory_equal(got.pairs, truth.pairs, (size_t)got.count * sizeof *got.pairs);
    }
}

/* What a scene was asked about its step, and what it said. */
typedef struct step_answer {
    pliant_scene_meetings got;
    float distance;
} step_answer;

static void check_meeting(life *l, creature *a, creature *b, const pliant_scene_pair *given,
                          const void *user)
{
    const step_answer *answer = user;
    const pliant_scene_meetings *got = &answer->got;
    pliant_meeting_options o = pliant_meeting_options_default();
    pliant_meetings truth;
    begin_twin(a);
    begin_twin(b);
    o.distance = answer->distance;
    assert_ok(a == b ? pliant_find_meetings_self(l->other, a->twin, &o, &truth)
                     : pliant_find_meetings(l->other, a->twin, b->twin, &o, &truth));
    assert_int_equal(truth.count, given != NULL ? given->count : 0);
    for (uint64_t i = 0; i < truth.count; i++) {
        const pliant_pair *pair = &got->pairs[given->first + i];
        const pliant_meeting *meeting = &got->meetings[given->first + i];
        assert_true(pair->a == truth.pairs[i].a && pair->b == truth.pairs[i].b &&
                    meeting->kind == truth.meetings[i].kind &&
                    meeting->time.low == truth.meetings[i].time.low);
    }
}

/* The whole scene in its steps: all that meets, some of it, and until when nothing does. */
static void ask_scene_meetings(life *l)
{
    pliant_scene_options o = random_options(l, PLIANT_RECORDED_FIND_MEETINGS);
    pliant_scene_meetings got;
    pliant_scene_free_time until;
    assert_ok(pliant_scene_find_meetings(l->scene, &o, &got));
    fold_pairs(l, got.bodies, got.bodies != NULL ? got.body_pair_count : 0);
    fold_pairs(l, got.undecided, got.undecided_count);
    fold(l, got.pairs, got.pairs != NULL ? (size_t)got.count * sizeof *got.pairs : 0);
    fold_number(l, got.count * 2 + got.complete);
    fold_counts(l);
    bool all = o.budget_nodes == 0 && o.mode == PLIANT_COLLIDE_ALL && !o.first_in_all &&
               !o.only_self && o.meetings_callback == NULL;
    if (l->checks && all) {
        expected e = {got.bodies, got.body_pair_count, 0};
        check_each(l, o.filter != NULL, &e, &(step_answer){got, o.distance}, check_meeting);
    }
    o = scene_options_for(PLIANT_RECORDED_FIND_FREE_TIME, &o);
    assert_ok(pliant_scene_find_free_time(l->scene, &o, &until));
    fold(l, &until.path.time, sizeof until.path.time);
    fold_number(l, until.a.index * 100 + until.b.index);
    fold_counts(l);
}

/* Volumes, with static members, groups that do not count here, and filters. */
static void ask_volumes(life *l)
{
    pliant_scene_options o = random_options(l, PLIANT_RECORDED_INTERSECT_VOLUMES);
    pliant_volume_options how = pliant_volume_options_default();
    pliant_volume *volume = NULL, *plain = NULL;
    pliant_scene_volumes got;
    how.resolution = 8;
    how.allow_open = true;
    assert_ok(pliant_volume_create(l->context, NULL, &volume));
    assert_ok(pliant_volume_create(l->plain, NULL, &plain));
    assert_ok(pliant_volume_intersect_scene(volume, l->scene, &o, &how, &got));
    update_twins(l);
    for (uint32_t i = 0; i < got.count; i++) {
        creature *a = find_creature(l, got.pairs[i].a.index);
        creature *b = find_creature(l, got.pairs[i].b.index);
        const pliant_volume_measure *m = &got.pairs[i].measure;
        fold(l, &m->volume, sizeof m->volume);
        fold_number(l, got.pairs[i].a.index * 100 + got.pairs[i].b.index);
        if (l->checks && a != b) {
            pliant_volume_measure truth;
            assert_true(!o.only_self && passes(l, a, b, o.filter != NULL));
            assert_ok(pliant_volume_intersect(plain, a->twin, b->twin, &how, &truth));
            assert_true(fabs(m->volume - truth.volume) <= m->error + truth.error);
        }
    }
    pliant_volume_destroy(volume);
    pliant_volume_destroy(plain);
}

static void draw_box(void *user, const pliant_draw_item *item, const pliant_box *box)
{
    fold(user, &item->body, sizeof item->body);
    fold(user, box, sizeof *box);
}

static void draw(life *l)
{
    pliant_draw_options o = pliant_draw_options_default();
    pliant_drawer drawer = {.draw_box = draw_box, .user = l};
    o.bounds = o.refresh = one_in(l, 2);
    o.last_level = 1;
    assert_ok(pliant_draw_scene(l->scene, &o, &drawer));
}

/* -------------------------------------------------------------------- lives */

/* Boxes hold every vertex, and are the same whoever asks. */
static void check_boxes(life *l)
{
    for (int i = 0; i < MOST; i++) {
        creature *b = &l->one[i];
        pliant_box box;
        assert_ok(pliant_body_get_bounds(b->body, &box));
        fold(l, &box, sizeof box);
        for (uint32_t v = 0; v < b->c.mesh.vertex_count; v++) {
            float at[3];
            assert_ok(pliant_body_evaluate(b->body, &v, 1, at));
            for (int k = 0; k < 3; k++) {
                assert_true(box.lower[k] <= at[k] && at[k] <= box.upper[k]);
            }
        }
    }
}

static uint64_t live(uint64_t seed, uint32_t workers, uint32_t steps)
{
    static void (*const asks[])(life *) = {
        ask_contacts, ask_contacts, ask_within,  ask_features, ask_proxies,       ask_rays,
        ask_points,   ask_meetings, ask_volumes, draw,         ask_scene_meetings};
    life l;
    life_begin(&l, seed, workers);
    for (uint32_t step = 0; step < steps; step++) {
        creature *b = &l.one[rng_below(&l.r, MOST)];
        switch (rng_below(&l.r, 8)) {
        case 0:
        case 1:
            change_member(&l, b);
            break;
        case 2:
            change_body(&l, b);
            break;
        case 3:
            set_states(&l);
            break;
        default:
            asks[rng_below(&l.r, sizeof asks / sizeof *asks)](&l);
        }
        if (step % 64 == 63) {
            check_boxes(&l);
        }
    }
    assert_true(l.found > steps / 4);
    life_end(&l);
    return l.hash;
}

static void lives_are_the_same_for_all_workers(void **state)
{
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (uint32_t seed = 0; seed < fixture_count(8); seed++) {
        uint64_t hash = live(seed, 1, 300);
        for (int i = 1; i < 4; i++) {
            if (live(seed, workers[i], 300) != hash) {
                fail_msg("seed %u: %u workers", seed, workers[i]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lives_are_the_same_for_all_workers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
