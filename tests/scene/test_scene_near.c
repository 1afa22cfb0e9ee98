/*
 * What is within a distance in a scene, triangles and features, equals asking every pair of bodies
 * and every body by itself, whose answers are tested elsewhere: for any number of workers, both
 * schedulers and every broad phase, while bodies move, leave, come back and change how they take
 * part. So do the counts of work.
 */
#include "flock_scene.h"
#include "dealer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { MOST_SCENES = 16 };

/* Bodies to ask one by one, and how those in the scenes take part. */
typedef struct crowd {
    flock f;
    flock_scene alone;
    pliant_query *query;
    pliant_member_def member[FLOCK_BODIES];
    bool is_there[FLOCK_BODIES];
    flock_scene scenes[MOST_SCENES];
    int scene_count;
} crowd;

static void add_scene(crowd *c, pliant_context *context, pliant_broad broad)
{
    c->scenes[c->scene_count++] = flock_scene_create(&c->f, context, broad, false);
}

static void crowd_create(crowd *c)
{
    static uint32_t worker_counts[] = {1, 2, 3, 8};
    *c = (crowd){.f = flock_create()};
    pliant_context *own = fixture_context_with(PLIANT_ISA_BEST, 1);
    c->alone = flock_scene_create(&c->f, own, PLIANT_BROAD_AUTO, false);
    assert_ok(pliant_query_create(own, &c->query));
    for (int i = 0; i < 4; i++) {
        add_scene(c, fixture_context_with(PLIANT_ISA_BEST, worker_counts[i]), PLIANT_BROAD_AUTO);
        add_scene(c, dealer_context(&worker_counts[i]), PLIANT_BROAD_AUTO);
    }
    for (int broad = PLIANT_BROAD_ALL_PAIRS; broad <= PLIANT_BROAD_TREE; broad++) {
        add_scene(c, fixture_context_with(PLIANT_ISA_BEST, 2), (pliant_broad)broad);
    }
    for (int i = 0; i < FLOCK_BODIES; i++) {
        c->is_there[i] = true;
        c->member[i] = pliant_member_def_default();
    }
}

static void crowd_free(crowd *c)
{
    for (int i = 0; i < c->scene_count; i++) {
        flock_scene_free(&c->scenes[i]);
    }
    pliant_query_destroy(c->query);
    flock_scene_free(&c->alone);
    flock_free(&c->f);
}

/* Some bodies leave or come back, and some take part in another way. */
static void change_members(crowd *c, rng *random)
{
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        pliant_member_def *member = &c->member[i];
        bool was_there = c->is_there[i];
        if (rng_below(random, 5) == 0) {
            c->is_there[i] = !was_there;
        }
        member->category = rng_below(random, 3) == 0 ? 2 : 1;
        member->mask = rng_below(random, 3) == 0 ? 1 : UINT64_MAX;
        member->self = rng_below(random, 3) == 0;
        member->is_static = rng_below(random, 3) == 0;
        member->user = &c->member[i];
        member->has_loose_box = rng_below(random, 4) == 0;
        if (member->has_loose_box) {
            assert_ok(pliant_body_get_bounds(c->alone.body[i], &member->loose_box));
            for (int k = 0; k < 3; k++) {
                member->loose_box.lower[k] -= 0.1f;
                member->loose_box.upper[k] += 0.1f;
            }
        }
        for (int s = 0; s < c->scene_count; s++) {
            flock_scene *scene = &c->scenes[s];
            if (was_there && !c->is_there[i]) {
                assert_ok(pliant_scene_remove(scene->scene, scene->id[i]));
            } else if (!was_there && c->is_there[i]) {
                assert_ok(pliant_scene_add(scene->scene, scene->body[i], member, &scene->id[i]));
            } else if (was_there) {
                assert_ok(pliant_scene_set_member(scene->scene, scene->id[i], member));
            }
        }
    }
}

static void move(crowd *c, uint32_t step)
{
    flock_evaluate(&c->f, step);
    flock_scene_share(&c->alone, &c->f);
    for (int s = 0; s < c->scene_count; s++) {
        flock_scene_share(&c->scenes[s], &c->f);
    }
}

/* Which body has an index of the scenes: the lowest free one is used first, so that it is not
   always the body's own number. */
static uint32_t body_at(const flock_scene *scene, pliant_body_id id)
{
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        if (scene->id[i].index == id.index && scene->id[i].generation == id.generation) {
            return i;
        }
    }
    fail();
    return 0;
}

static bool not_four(void *user, pliant_body_id a, pliant_body_id b)
{
    (void)user;
    return a.index != 4 && b.index != 4;
}

/* The bodies by index, those that are not there left out; returns how many. */
static uint32_t by_index(const crowd *c, const flock_scene *scene, uint32_t bodies[FLOCK_BODIES])
{
    uint32_t count = 0;
    for (uint32_t index = 0; index < FLOCK_BODIES; index++) {
        for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
            if (c->is_there[i] && scene->id[i].index == index) {
                bodies[count++] = i;
            }
        }
    }
    return count;
}

static bool is_asked(const crowd *c, const flock_scene *scene, uint32_t a, uint32_t b,
                     bool filtered)
{
    const pliant_member_def *x = &c->member[a], *y = &c->member[b];
    if (a == b) {
        return x->self;
    }
    return (x->category & y->mask) != 0 && (y->category & x->mask) != 0 &&
           !(x->is_static && y->is_static) &&
           (!filtered || not_four(NULL, scene->id[a], scene->id[b]));
}

/* The next pair of bodies of an answer is this one, with so many results. */
static const pliant_scene_pair *expect_pair(const crowd *c, const flock_scene *scene,
                                            const pliant_scene_pair *pairs, uint32_t count,
                                            uint32_t *next, uint32_t a, uint32_t b)
{
    assert_true(*next < count);
    const pliant_scene_pair *pair = &pairs[(*next)++];
    assert_int_equal(body_at(scene, pair->a), a);
    assert_int_equal(body_at(scene, pair->b), b);
    assert_true(pair->user_a == &c->member[a] && pair->user_b == &c->member[b]);
    return pair;
}

static uint64_t check_within(const crowd *c, const flock_scene *scene, float distance,
                             bool filtered, const pliant_scene_proximities *answer)
{
    uint32_t bodies[FLOCK_BODIES], count = by_index(c, scene, bodies), next = 0;
    uint64_t first = 0;
    for (uint32_t i = 0; i < count * count; i++) {
        uint32_t a = bodies[i / count], b = bodies[i % count];
        if (i / count > i % count || !is_asked(c, scene, a, b, filtered)) {
            continue;
        }
        pliant_proximities one;
        pliant_body *x = c->alone.body[a], *y = c->alone.body[b];
        assert_ok(a == b ? pliant_find_within_self(c->query, x, distance, NULL, &one)
                         : pliant_find_within(c->query, x, y, distance, NULL, &one));
        if (one.count > 0) {
            const pliant_scene_pair *pair =
                expect_pair(c, scene, answer->bodies, answer->body_pair_count, &next, a, b);
            assert_int_equal(pair->first, first);
            assert_int_equal(pair->count, one.count);
            assert_memory_equal(answer->pairs + first, one.pairs, one.count * sizeof *one.pairs);
            first += one.count;
        }
    }
    assert_int_equal(answer->body_pair_count, next);
    assert_int_equal(answer->count, first);
    assert_true((answer->bodies == NULL) == (next == 0) && (answer->pairs == NULL) == (first == 0));
    return first;
}

static uint64_t check_features(const crowd *c, const flock_scene *scene, float distance,
                               bool filtered, const pliant_scene_features *answer)
{
    uint32_t bodies[FLOCK_BODIES], count = by_index(c, scene, bodies), next = 0, crossing = 0;
    uint64_t first = 0, first_crossing = 0;
    const pliant_scene_contacts *crossings = &answer->crossings;
    for (uint32_t i = 0; i < count * count; i++) {
        uint32_t a = bodies[i / count], b = bodies[i % count];
        if (i / count > i % count || !is_asked(c, scene, a, b, filtered)) {
            continue;
        }
        pliant_features one;
        pliant_body *x = c->alone.body[a], *y = c->alone.body[b];
        assert_ok(a == b ? pliant_find_features_self(c->query, x, distance, NULL, &one)
                         : pliant_find_features(c->query, x, y, distance, NULL, &one));
        if (one.count > 0) {
            const pliant_scene_pair *pair =
                expect_pair(c, scene, answer->bodies, answer->body_pair_count, &next, a, b);
            assert_int_equal(pair->first, first);
            assert_int_equal(pair->count, one.count);
            assert_memory_equal(answer->pairs + first, one.pairs, one.count * sizeof *one.pairs);
            first += one.count;
        }
        if (one.crossing_count > 0) {
            const pliant_scene_pair *pair = expect_pair(
                c, scene, crossings->bodies, crossings->body_pair_count, &crossing, a, b);
            assert_int_equal(pair->first, first_crossing);
            assert_int_equal(pair->count, one.crossing_count);
            assert_memory_equal(crossings->pairs + first_crossing, one.crossings,
                                one.crossing_count * sizeof *one.crossings);
            first_crossing += one.crossing_count;
        }
    }
    assert_int_equal(answer->body_pair_count, next);
    assert_int_equal(answer->count, first);
    assert_int_equal(crossings->body_pair_count, crossing);
    assert_int_equal(crossings->count, first_crossing);
    return first_crossing;
}

static void answers_equal_asking_one_by_one(void **state)
{
    (void)state;
    const float reaches[] = {0.0f, 0.01f, 0.1f};
    crowd c;
    rng random;
    crowd_create(&c);
    rng_seed(&random, 7);
    uint64_t near = 0, crossings = 0;
    for (uint32_t step = 0; step < fixture_count(20); step++) {
        float distance = reaches[step % 3];
        bool filtered = step % 2 == 1;
        pliant_scene_options options = pliant_scene_options_default();
        options.filter = filtered ? not_four : NULL;
        pliant_scene_stats expected[2];
        move(&c, 5 * step);
        change_members(&c, &random);
        for (int s = 0; s < c.scene_count; s++) {
            pliant_scene *scene = c.scenes[s].scene;
            pliant_scene_proximities within;
            assert_ok(pliant_scene_find_within(scene, distance, &options, &within));
            near += check_within(&c, &c.scenes[s], distance, filtered, &within);
            pliant_scene_stats stats[2] = {flock_scene_counts(scene)};
            pliant_scene_features features;
            assert_ok(pliant_scene_find_features(scene, distance, &options, &features));
            crossings += check_features(&c, &c.scenes[s], distance, filtered, &features);
            stats[1] = flock_scene_counts(scene);
            assert_int_equal(stats[0].pairs_touching, within.body_pair_count);
            assert_int_equal(stats[1].pairs_touching, features.body_pair_count);
            assert_int_equal(stats[1].narrow.pairs, features.count);
            if (s == 0) {
                memcpy(expected, stats, sizeof stats);
            }
            assert_memory_equal(stats, expected, sizeof stats);
        }
    }
    assert_true(near > 0 && crossings > 0);
    crowd_free(&c);
}

/* What several workers found about one large body is merged. */
static void one_big_body_with_itself(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 2000, .seed = 3};
    gallery_scene *soup = gallery_create(&gallery_soup, &settings);
    const gallery_mesh *mesh = &soup->bodies[0];
    pliant_member_def member = pliant_member_def_default();
    member.self = true;
    for (uint32_t workers = 1; workers <= 8; workers += workers < 3 ? 1 : 5) {
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, workers);
        pliant_shape *shape = fixture_shape(context, mesh, fixture_usual_tree);
        pliant_query *query;
        pliant_scene *scene;
        pliant_body *body, *alone;
        pliant_body_id id;
        assert_ok(pliant_query_create(context, &query));
        assert_ok(pliant_scene_create(context, NULL, &scene));
        assert_ok(pliant_body_create(shape, NULL, &body));
        assert_ok(pliant_body_create(shape, NULL, &alone));
        assert_ok(pliant_scene_add(scene, body, &member, &id));
        for (uint32_t repeat = 0; repeat < fixture_count(10); repeat++) {
            pliant_features one;
            pliant_scene_features all;
            assert_ok(pliant_body_share_positions(body, mesh->positions, 0));
            assert_ok(pliant_find_features_self(query, alone, 0.05f, NULL, &one));
            assert_ok(pliant_scene_find_features(scene, 0.05f, NULL, &all));
            assert_true(all.count > 1000 && all.count == one.count && all.body_pair_count == 1);
            assert_memory_equal(all.pairs, one.pairs, one.count * sizeof *one.pairs);
            assert_int_equal(all.crossings.count, one.crossing_count);
            assert_memory_equal(all.crossings.pairs, one.crossings,
                                one.crossing_count * sizeof *one.crossings);
        }
        pliant_scene_destroy(scene);
        pliant_query_destroy(query);
        pliant_body_destroy(body);
        pliant_body_destroy(alone);
        pliant_shape_destroy(shape);
        pliant_context_destroy(context);
    }
    gallery_destroy(soup);
}

/* Groups of members, of one body with itself only different ones, and all bodies with themselves.
 */
static void groups_and_selves(void **state)
{
    (void)state;
    static const uint64_t even = 5; /* groups 0 and 2 */
    const float distance = 0.08f;
    gallery_settings settings = {.triangles = 300, .seed = 3};
    gallery_scene *soup = gallery_create(&gallery_soup, &settings);
    const gallery_mesh *mesh = &soup->bodies[0];
    uint16_t *groups = malloc(mesh->triangle_count * sizeof *groups);
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 2);
    pliant_shape_def def = fixture_shape_def(mesh);
    pliant_shape *shape;
    pliant_query *query;
    pliant_scene *scene;
    pliant_body *body[2], *alone[2];
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        groups[t] = (uint16_t)(t / 7 % 4);
    }
    def.groups = groups;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_scene_create(context, NULL, &scene));
    for (int i = 0; i < 2; i++) {
        pliant_member_def member = pliant_member_def_default();
        pliant_body_id id;
        member.self = i == 1;
        member.groups = i == 0 ? (pliant_groups){&even, 4} : member.groups;
        assert_ok(pliant_body_create(shape, NULL, &body[i]));
        assert_ok(pliant_body_create(shape, NULL, &alone[i]));
        assert_ok(pliant_scene_add(scene, body[i], &member, &id));
    }
    pliant_within_options within = pliant_within_options_default();
    pliant_feature_options features = pliant_feature_options_default();
    pliant_scene_options options = pliant_scene_options_default();
    within.groups_a = features.groups_a = (pliant_groups){&even, 4};
    options.across_groups = true;
    pliant_proximities one;
    pliant_features few;
    pliant_scene_proximities all;
    pliant_scene_features many;
    assert_ok(pliant_scene_find_within(scene, distance, &options, &all));
    assert_int_equal(all.body_pair_count, 2);
    assert_ok(pliant_find_within(query, alone[0], alone[1], distance, &within, &one));
    assert_true(one.count > 0 && one.count == all.bodies[0].count);
    assert_memory_equal(all.pairs, one.pairs, one.count * sizeof *one.pairs);
    within = pliant_within_options_default();
    within.across_groups = true;
    assert_ok(pliant_find_within_self(query, alone[1], distance, &within, &one));
    assert_true(one.count > 0 && one.count == all.bodies[1].count);
    assert_memory_equal(all.pairs + all.bodies[1].first, one.pairs, one.count * sizeof *one.pairs);
    assert_ok(pliant_scene_find_features(scene, distance, NULL, &many));
    assert_ok(pliant_find_features(query, alone[0], alone[1], distance, &features, &few));
    assert_true(few.count > 0 && few.count == many.bodies[0].count);
    assert_memory_equal(many.pairs, few.pairs, few.count * sizeof *few.pairs);
    assert_int_equal(many.crossings.bodies[0].count, few.crossing_count);
    options.only_self = true;
    assert_ok(pliant_scene_find_within(scene, distance, &options, &all));
    assert_true(all.body_pair_count == 2 && all.bodies[0].b.index == 0);
    assert_true(all.bodies[1].a.index == 1 && all.bodies[1].count == one.count);
    within.groups_a = within.groups_b = (pliant_groups){&even, 4};
    assert_ok(pliant_find_within_self(query, alone[0], distance, &within, &one));
    assert_true(one.count > 0 && one.count == all.bodies[0].count);
    pliant_scene_destroy(scene);
    pliant_query_destroy(query);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(body[i]);
        pliant_body_destroy(alone[i]);
    }
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    free(groups);
    gallery_destroy(soup);
}

/* An empty scene has nothing in it; distances that mean nothing are refused, the largest is not. */
static void edges(void **state)
{
    (void)state;
    flock f = flock_create();
    flock_scene a =
        flock_scene_create(&f, fixture_context_with(PLIANT_ISA_BEST, 2), PLIANT_BROAD_AUTO, false);
    pliant_scene *empty;
    pliant_scene_features none;
    pliant_scene_proximities nothing;
    assert_ok(pliant_scene_create(a.context, NULL, &empty));
    assert_ok(pliant_scene_find_features(empty, 1.0f, NULL, &none));
    assert_true(none.count == 0 && none.bodies == NULL && none.crossings.count == 0);
    assert_ok(pliant_scene_find_within(empty, FLT_MAX, NULL, &nothing));
    assert_true(nothing.count == 0 && nothing.bodies == NULL);
    const float bad[] = {NAN, INFINITY, -INFINITY, -1.0f};
    for (int i = 0; i < 4; i++) {
        pliant_result expected = i < 3 ? PLIANT_ERROR_NOT_FINITE : PLIANT_ERROR_RANGE;
        assert_int_equal(pliant_scene_find_features(a.scene, bad[i], NULL, &none), expected);
        assert_int_equal(pliant_scene_find_within(a.scene, bad[i], NULL, &nothing), expected);
    }
    /* Two bodies far from each other and no limit: every triangle with every other. */
    for (int i = 2; i < FLOCK_BODIES; i++) {
        assert_ok(pliant_scene_remove(a.scene, a.id[i]));
    }
    for (uint32_t v = 0; v < f.kind[1]->bodies[0].vertex_count; v++) {
        f.positions[1][3 * v] += 50.0f;
    }
    flock_scene_share(&a, &f);
    assert_ok(pliant_scene_find_within(a.scene, 1.0f, NULL, &nothing));
    assert_int_equal(nothing.count, 0);
    assert_ok(pliant_scene_find_within(a.scene, FLT_MAX, NULL, &nothing));
    assert_int_equal(nothing.count, (uint64_t)f.kind[0]->bodies[0].triangle_count *
                                        f.kind[1]->bodies[0].triangle_count);
    pliant_scene_destroy(empty);
    flock_scene_free(&a);
    flock_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_equal_asking_one_by_one),
        cmocka_unit_test(one_big_body_with_itself),
        cmocka_unit_test(groups_and_selves),
        cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
