/*
 * Scenes: answers equal brute force over all pairs of bodies, for any number of workers, both
 * schedulers and every broad phase; adding and removing under way; statistics that do not depend on
 * workers; errors that name the body.
 */
#include "fixture.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "flock.h"
#include "random.h"

/* Brute force over all pairs of bodies, and within those that want it. */
typedef struct truth {
    brute_pairs pairs[FLOCK_BODIES][FLOCK_BODIES];
} truth;

static truth *truth_create(const flock *f, bool self)
{
    truth *t = calloc(1, sizeof *t);
    for (uint32_t a = 0; a < FLOCK_BODIES; a++) {
        brute_body x = flock_brute(f, a);
        if (self && a % 3 == 0) {
            brute_collide_self(&x, f->kind[a]->bodies[0].positions, PLIANT_NEIGHBOURS_BEYOND_SHARED,
                               &t->pairs[a][a]);
        }
        for (uint32_t b = a + 1; b < FLOCK_BODIES; b++) {
            brute_body y = flock_brute(f, b);
            brute_collide(&x, &y, &t->pairs[a][b]);
        }
    }
    return t;
}

static void truth_free(truth *t)
{
    for (int i = 0; i < FLOCK_BODIES * FLOCK_BODIES; i++) {
        brute_free(&t->pairs[i / FLOCK_BODIES][i % FLOCK_BODIES]);
    }
    free(t);
}

/* A scheduler of the caller's: a thread per worker, started anew each time, pieces dealt in turn.
 */
typedef struct dealer {
    uint32_t worker_count;
} dealer;

typedef struct hand {
    pthread_t thread;
    pliant_task task;
    void *argument;
    uint32_t count, worker, step;
} hand;

static void *play(void *argument)
{
    hand *h = argument;
    for (uint32_t i = h->worker; i < h->count; i += h->step) {
        h->task(h->argument, h->count - 1 - i, h->worker); /* backwards, to be different */
    }
    return NULL;
}

static void deal(void *user, pliant_task task, void *argument, uint32_t count)
{
    dealer *d = user;
    hand hands[8];
    for (uint32_t w = 0; w < d->worker_count; w++) {
        hands[w] = (hand){.task = task,
                          .argument = argument,
                          .count = count,
                          .worker = w,
                          .step = d->worker_count};
        assert_int_equal(pthread_create(&hands[w].thread, NULL, play, &hands[w]), 0);
    }
    for (uint32_t w = 0; w < d->worker_count; w++) {
        pthread_join(hands[w].thread, NULL);
    }
}

/* A scene with all bodies of a flock. */
typedef struct arena {
    pliant_context *context;
    pliant_shape *shape[FLOCK_BODIES];
    pliant_body *body[FLOCK_BODIES];
    pliant_body_id id[FLOCK_BODIES];
    pliant_scene *scene;
} arena;

static arena arena_create(const flock *f, uint32_t workers, dealer *d, pliant_broad broad,
                          bool self)
{
    arena a;
    pliant_context_def def = pliant_context_default();
    def.workers = workers;
    if (d != NULL) {
        d->worker_count = workers;
        def.scheduler = (pliant_scheduler){deal, d, workers};
    }
    assert_ok(pliant_context_create(&def, &a.context));
    assert_int_equal(pliant_context_workers(a.context), workers);
    pliant_scene_def scene = pliant_scene_default();
    scene.broad = broad;
    assert_ok(pliant_scene_create(a.context, &scene, &a.scene));
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        fixture_tree tree = {(pliant_partition)(i % 4), i % 2 == 0 ? 8 : 2, 1 + i % 8};
        a.shape[i] = fixture_shape(a.context, &f->kind[i]->bodies[0], tree);
        assert_ok(pliant_body_create(a.shape[i], NULL, &a.body[i]));
        assert_ok(pliant_body_set_update(a.body[i], (pliant_update)(i % 4), 0, 1 + i % 2));
        pliant_member_def member = pliant_member_default();
        member.self = self && i % 3 == 0;
        assert_ok(pliant_scene_add(a.scene, a.body[i], &member, &a.id[i]));
        assert_int_equal(a.id[i].index, i);
    }
    return a;
}

static void arena_share(arena *a, const flock *f)
{
    for (int i = 0; i < FLOCK_BODIES; i++) {
        assert_ok(pliant_body_share_positions(a->body[i], f->positions[i], 0));
    }
}

static void arena_free(arena *a)
{
    pliant_scene_destroy(a->scene);
    for (int i = 0; i < FLOCK_BODIES; i++) {
        pliant_body_destroy(a->body[i]);
        pliant_shape_destroy(a->shape[i]);
    }
    pliant_context_destroy(a->context);
}

/* Every pair of bodies that touches is there, in order, with exactly brute force's pairs. */
static uint64_t check_contacts(const pliant_scene_contacts *contacts, const truth *t)
{
    uint32_t next = 0;
    uint64_t first = 0;
    for (uint32_t a = 0; a < FLOCK_BODIES; a++) {
        for (uint32_t b = a; b < FLOCK_BODIES; b++) {
            const brute_pairs *expected = &t->pairs[a][b];
            if (expected->count == 0) {
                continue;
            }
            assert_true(next < contacts->body_pair_count);
            const pliant_scene_pair *pair = &contacts->bodies[next++];
            assert_int_equal(pair->a.index, a);
            assert_int_equal(pair->b.index, b);
            assert_int_equal(pair->first, first);
            pliant_contacts part = {.pairs = contacts->pairs + pair->first, .count = pair->count};
            assert_true(brute_equal(expected, &part, "scene"));
            first += pair->count;
        }
    }
    assert_int_equal(next, contacts->body_pair_count);
    assert_int_equal(first, contacts->count);
    return first;
}

/* Statistics without times and memory. */
static pliant_scene_stats stats_of(const pliant_scene *scene)
{
    pliant_scene_stats stats = *pliant_scene_get_stats(scene);
    stats.seconds_broad = stats.seconds_narrow = stats.seconds_collect = 0.0;
    stats.narrow.seconds_update = stats.narrow.seconds_traverse = stats.narrow.seconds_sort = 0.0;
    stats.narrow.bytes = 0;
    return stats;
}

static void answers_equal_brute_force(void **state)
{
    (void)state;
    static const uint32_t worker_counts[] = {1, 2, 3, 8};
    flock f = flock_create();
    dealer dealers[4];
    arena arenas[8 + PLIANT_BROAD_SORT];
    int count = 0;
    for (int i = 0; i < 4; i++) {
        arenas[count++] = arena_create(&f, worker_counts[i], NULL, PLIANT_BROAD_AUTO, true);
        arenas[count++] = arena_create(&f, worker_counts[i], &dealers[i], PLIANT_BROAD_AUTO, true);
    }
    for (int broad = PLIANT_BROAD_ALL_PAIRS; broad <= PLIANT_BROAD_SORT; broad++) {
        arenas[count++] = arena_create(&f, 2, NULL, (pliant_broad)broad, true);
    }
    uint64_t pairs = 0;
    for (uint32_t step = 0; step < fixture_count(12); step++) {
        flock_evaluate(&f, 7 * step);
        truth *t = truth_create(&f, true);
        assert_true(t->pairs[6][6].count > 0);
        pliant_scene_stats expected;
        for (int i = 0; i < count; i++) {
            pliant_scene_contacts contacts;
            arena_share(&arenas[i], &f);
            assert_ok(pliant_scene_collide(arenas[i].scene, NULL, &contacts));
            pairs += check_contacts(&contacts, t);
            pliant_scene_stats stats = stats_of(arenas[i].scene);
            if (i == 0) {
                expected = stats;
            }
            assert_memory_equal(&stats, &expected, sizeof stats);
        }
        truth_free(t);
    }
    assert_true(pairs > 0);
    for (int i = 0; i < count; i++) {
        arena_free(&arenas[i]);
    }
    flock_free(&f);
}

/* A big pair alone is split over the workers. */
static void one_big_pair(void **state)
{
    (void)state;
    scene_settings settings = {.triangles = 5120, .seed = 1};
    scene_instance *scene = scene_create(&scene_spheres, &settings);
    float *positions[2];
    uint64_t expected = 0;
    for (uint32_t i = 0; i < 2; i++) {
        positions[i] = malloc(scene->bodies[i].vertex_count * 3 * sizeof(float));
        scene_evaluate(scene, i, scene->steps, positions[i]);
    }
    for (uint32_t workers = 1; workers <= 4; workers++) {
        pliant_context_def def = pliant_context_default();
        def.workers = workers;
        pliant_context *context = NULL;
        pliant_scene *made = NULL;
        pliant_shape *shape[2];
        pliant_body *body[2];
        pliant_body_id id;
        assert_ok(pliant_context_create(&def, &context));
        assert_ok(pliant_scene_create(context, NULL, &made));
        for (int i = 0; i < 2; i++) {
            shape[i] = fixture_shape(context, &scene->bodies[i],
                                     (fixture_tree){PLIANT_PARTITION_BALANCED, 8, 8});
            assert_ok(pliant_body_create(shape[i], NULL, &body[i]));
            assert_ok(pliant_scene_add(made, body[i], NULL, &id));
        }
        for (uint32_t repeat = 0; repeat < fixture_count(20); repeat++) {
            pliant_scene_contacts contacts;
            for (int i = 0; i < 2; i++) {
                assert_ok(pliant_body_share_positions(body[i], positions[i], 0));
            }
            assert_ok(pliant_scene_collide(made, NULL, &contacts));
            expected = expected == 0 ? contacts.count : expected;
            assert_int_equal(contacts.count, expected);
            assert_int_equal(contacts.body_pair_count, 1);
            for (uint64_t i = 1; i < contacts.count; i++) {
                pliant_pair x = contacts.pairs[i - 1], y = contacts.pairs[i];
                assert_true(x.a < y.a || (x.a == y.a && x.b < y.b));
            }
        }
        pliant_scene_destroy(made);
        for (int i = 0; i < 2; i++) {
            pliant_body_destroy(body[i]);
            pliant_shape_destroy(shape[i]);
        }
        pliant_context_destroy(context);
    }
    assert_true(expected > 1000);
    free(positions[0]);
    free(positions[1]);
    scene_destroy(scene);
}

/* Two large bodies, whose updates several workers share, at three steps; then one of them cannot be
   read, and can again. Returns a hash of what was found and counted. */
static uint64_t play_large_bodies(const scene_instance *scene, uint32_t workers)
{
    pliant_context_def def = pliant_context_default();
    pliant_context *context = NULL;
    pliant_scene *made = NULL;
    pliant_shape *shape[2];
    pliant_body *body[2];
    float *positions[2];
    pliant_scene_contacts contacts;
    uint64_t hash = 1;
    def.workers = workers;
    assert_ok(pliant_context_create(&def, &context));
    assert_ok(pliant_scene_create(context, NULL, &made));
    for (uint32_t i = 0; i < 2; i++) {
        pliant_body_id id;
        positions[i] = malloc(scene->bodies[i].vertex_count * 3 * sizeof(float));
        shape[i] = fixture_shape(context, &scene->bodies[i],
                                 (fixture_tree){PLIANT_PARTITION_BALANCED, 8, 8});
        assert_ok(pliant_body_create(shape[i], NULL, &body[i]));
        assert_ok(pliant_scene_add(made, body[i], NULL, &id));
    }
    for (uint32_t step = 0; step < 4; step++) {
        for (uint32_t i = 0; i < 2; i++) {
            scene_evaluate(scene, i, scene->steps - 3 + step % 4, positions[i]);
            assert_ok(pliant_body_share_positions(body[i], positions[i], 0));
        }
        float kept = positions[1][3];
        if (step == 2) {
            positions[1][3] = NAN;
            assert_int_equal(pliant_scene_collide(made, NULL, &contacts), PLIANT_ERROR_NOT_FINITE);
            assert_non_null(strstr(pliant_last_error(), "body 1: shared positions: vertex 1"));
            positions[1][3] = kept;
            assert_ok(pliant_body_share_positions(body[1], positions[1], 0));
        }
        assert_ok(pliant_scene_collide(made, NULL, &contacts));
        const pliant_scene_stats *stats = pliant_scene_get_stats(made);
        const uint64_t counts[] = {contacts.count,
                                   stats->narrow.nodes_tested,
                                   stats->narrow.nodes_refreshed,
                                   stats->narrow.clusters_refreshed,
                                   stats->narrow.vertices_read,
                                   stats->bodies_updated};
        for (size_t i = 0; i < sizeof counts / sizeof counts[0] && step != 2; i++) {
            hash = (hash ^ counts[i]) * UINT64_C(0x100000001b3);
        }
        for (uint64_t i = 0; i < contacts.count; i++) {
            hash = (hash ^ contacts.pairs[i].a) * UINT64_C(0x100000001b3);
            hash = (hash ^ contacts.pairs[i].b) * UINT64_C(0x100000001b3);
        }
        assert_true(contacts.count > 100);
    }
    pliant_scene_destroy(made);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(body[i]);
        pliant_shape_destroy(shape[i]);
        free(positions[i]);
    }
    pliant_context_destroy(context);
    return hash;
}

static void large_bodies_in_parts(void **state)
{
    (void)state;
    scene_settings settings = {.triangles = 81920, .seed = 1};
    scene_instance *scene = scene_create(&scene_spheres, &settings);
    assert_non_null(scene);
    uint64_t expected = play_large_bodies(scene, 1);
    assert_int_equal(play_large_bodies(scene, 2), expected);
    assert_int_equal(play_large_bodies(scene, 3), expected);
    scene_destroy(scene);
}

static bool odd_sum(void *user, pliant_body_id a, pliant_body_id b)
{
    (*(uint32_t *)user)++;
    return (a.index + b.index) % 2 == 1;
}

static void filters_choose_pairs(void **state)
{
    (void)state;
    flock f = flock_create();
    flock_evaluate(&f, 20);
    truth *t = truth_create(&f, false);
    arena a = arena_create(&f, 2, NULL, PLIANT_BROAD_AUTO, false);
    arena_share(&a, &f);
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
    assert_true(check_contacts(&contacts, t) > 0);
    /* One pair each is enough for a yes; and it is a true one. */
    pliant_scene_options options = pliant_scene_options_default();
    options.mode = PLIANT_COLLIDE_FIRST;
    assert_ok(pliant_scene_collide(a.scene, &options, &contacts));
    assert_int_equal(contacts.count, contacts.body_pair_count);
    for (uint32_t i = 0; i < contacts.body_pair_count; i++) {
        const brute_pairs *all = &t->pairs[contacts.bodies[i].a.index][contacts.bodies[i].b.index];
        bool known = false;
        for (size_t j = 0; j < all->count; j++) {
            known = known || (all->pairs[j].a == contacts.pairs[i].a &&
                              all->pairs[j].b == contacts.pairs[i].b);
        }
        assert_true(known);
    }
    uint32_t asked = 0;
    options = pliant_scene_options_default();
    options.filter = odd_sum;
    options.filter_user = &asked;
    assert_ok(pliant_scene_collide(a.scene, &options, &contacts));
    assert_int_equal(asked, pliant_scene_get_stats(a.scene)->pairs_broad);
    for (uint32_t i = 0; i < contacts.body_pair_count; i++) {
        assert_int_equal((contacts.bodies[i].a.index + contacts.bodies[i].b.index) % 2, 1);
    }
    /* Even bodies see odd ones only: the same pairs by category and mask. */
    uint64_t by_filter = contacts.count;
    for (int i = 0; i < FLOCK_BODIES; i++) {
        pliant_member_def member = pliant_member_default();
        member.category = i % 2 == 0 ? 1 : UINT64_C(1) << 63;
        member.mask = i % 2 == 0 ? UINT64_C(1) << 63 : 1;
        assert_ok(pliant_scene_set_member(a.scene, a.id[i], &member));
    }
    assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
    assert_int_equal(contacts.count, by_filter);
    /* Both must want it: what odd bodies refuse, even ones do not get by asking, nor the other way
       round. */
    for (int who = 0; who < 2; who++) {
        for (int i = 0; i < FLOCK_BODIES; i++) {
            pliant_member_def member = pliant_member_default();
            member.category = i % 2 == 0 ? 1 : 2;
            member.mask = i % 2 == who ? 3 : (uint64_t)1 << i % 2;
            assert_ok(pliant_scene_set_member(a.scene, a.id[i], &member));
        }
        assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
        assert_true(contacts.body_pair_count > 0);
        for (uint32_t i = 0; i < contacts.body_pair_count; i++) {
            assert_int_equal((contacts.bodies[i].a.index + contacts.bodies[i].b.index) % 2, 0);
        }
    }
    arena_free(&a);
    truth_free(t);
    flock_free(&f);
}

static void loose_boxes_spare_bodies(void **state)
{
    (void)state;
    flock f = flock_create();
    arena a = arena_create(&f, 2, NULL, PLIANT_BROAD_SWEEP, false);
    arena_share(&a, &f);
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
    uint64_t all = contacts.count;
    pliant_member_def member = pliant_member_default();
    member.has_loose_box = true;
    member.loose_box = (pliant_box){{-50, -50, -50}, {50, 50, 50}};
    for (int i = 0; i < FLOCK_BODIES; i++) { /* everyone may be anywhere: nothing changes */
        assert_ok(pliant_scene_set_member(a.scene, a.id[i], &member));
    }
    arena_share(&a, &f);
    assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
    assert_int_equal(contacts.count, all);
    /* Far from everybody: not read, so its nonsense does no harm. */
    float *nonsense = malloc(f.kind[0]->bodies[0].vertex_count * 3 * sizeof *nonsense);
    for (uint32_t i = 0; i < 3 * f.kind[0]->bodies[0].vertex_count; i++) {
        nonsense[i] = NAN;
    }
    arena_share(&a, &f);
    assert_ok(pliant_body_share_positions(a.body[0], nonsense, 0));
    member.loose_box = (pliant_box){{900, 900, 900}, {999, 999, 999}};
    assert_ok(pliant_scene_set_member(a.scene, a.id[0], &member));
    assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
    assert_int_equal(pliant_scene_get_stats(a.scene)->bodies_updated, FLOCK_BODIES - 1);
    /* Among the others it is read, and found out; the sentence names it. */
    member.loose_box = (pliant_box){{-50, -50, -50}, {50, 50, 50}};
    assert_ok(pliant_scene_set_member(a.scene, a.id[0], &member));
    assert_int_equal(pliant_scene_collide(a.scene, NULL, &contacts), PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "body 0: shared positions: vertex 0"));
    assert_ok(pliant_body_share_positions(a.body[0], f.positions[0], 0));
    assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
    assert_int_equal(contacts.count, all);
    /* Outside of what was vouched for. */
    member.loose_box = (pliant_box){{-0.1f, -0.1f, -0.1f}, {0.1f, 0.1f, 0.1f}};
    assert_ok(pliant_scene_set_member(a.scene, a.id[5], &member));
    assert_int_equal(pliant_scene_collide(a.scene, NULL, &contacts), PLIANT_ERROR_RANGE);
    assert_non_null(strstr(pliant_last_error(), "body 5: along"));
    for (int side = 0; side < 6; side++) { /* each side by itself */
        member.loose_box = (pliant_box){{-50, -50, -50}, {50, 50, 50}};
        pliant_box own;
        assert_ok(pliant_body_bounds(a.body[5], &own));
        float middle = 0.5f * own.lower[side % 3] + 0.5f * own.upper[side % 3];
        (side < 3 ? member.loose_box.lower : member.loose_box.upper)[side % 3] = middle;
        assert_ok(pliant_scene_set_member(a.scene, a.id[5], &member));
        assert_int_equal(pliant_scene_collide(a.scene, NULL, &contacts), PLIANT_ERROR_RANGE);
        assert_non_null(strstr(pliant_last_error(), "body 5: along"));
    }
    member.loose_box.lower[1] = NAN;
    assert_int_equal(pliant_scene_set_member(a.scene, a.id[5], &member), PLIANT_ERROR_RANGE);
    free(nonsense);
    arena_free(&a);
    flock_free(&f);
}

/* 10,000 operations on a small scene; a list beside it knows who should be there. */
static void ids_are_never_confused(void **state)
{
    (void)state;
    enum { POOL = 40 };
    scene_settings settings = {.triangles = 20, .seed = 1};
    scene_instance *sphere = scene_create(&scene_spheres, &settings);
    pliant_context *context = NULL;
    pliant_scene *scene = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    assert_ok(pliant_scene_create(context, NULL, &scene));
    pliant_shape *shape =
        fixture_shape(context, &sphere->bodies[0], (fixture_tree){PLIANT_PARTITION_BALANCED, 8, 8});
    pliant_body *body[POOL];
    pliant_body_id id[POOL], stale[POOL];
    bool present[POOL] = {false}, had[POOL] = {false};
    for (int i = 0; i < POOL; i++) {
        assert_ok(pliant_body_create(shape, NULL, &body[i]));
    }
    rng random;
    rng_seed(&random, 9);
    uint32_t count = 0;
    for (uint32_t n = 0; n < fixture_count(10000); n++) {
        uint32_t i = (uint32_t)rng_below(&random, POOL);
        if (!present[i]) {
            uint32_t lowest = 0;
            for (bool taken = true; taken;) { /* the lowest index nobody has */
                taken = false;
                for (int j = 0; j < POOL; j++) {
                    taken = taken || (present[j] && id[j].index == lowest);
                }
                lowest += taken;
            }
            assert_ok(pliant_scene_add(scene, body[i], NULL, &id[i]));
            assert_int_equal(id[i].index, lowest);
            present[i] = true;
            count++;
            pliant_body_id again;
            assert_int_equal(pliant_scene_add(scene, body[i], NULL, &again), PLIANT_ERROR_ARGUMENT);
        } else {
            assert_ok(pliant_scene_remove(scene, id[i]));
            assert_int_equal(pliant_scene_remove(scene, id[i]), PLIANT_ERROR_RANGE);
            stale[i] = id[i];
            had[i] = true;
            present[i] = false;
            count--;
        }
        assert_int_equal(pliant_scene_body_count(scene), count);
        for (int j = 0; j < POOL; j++) {
            if (present[j]) {
                assert_ptr_equal(pliant_scene_body(scene, id[j]), body[j]);
            }
            if (had[j]) {
                assert_null(pliant_scene_body(scene, stale[j]));
            }
        }
        if (n % 50 == 0) { /* all stand in one place: every pair touches */
            pliant_scene_contacts contacts;
            assert_ok(pliant_scene_collide(scene, NULL, &contacts));
            assert_int_equal(contacts.body_pair_count, count * (count - (count > 0)) / 2);
            for (uint32_t k = 0; k < contacts.body_pair_count; k++) {
                assert_non_null(pliant_scene_body(scene, contacts.bodies[k].a));
                assert_non_null(pliant_scene_body(scene, contacts.bodies[k].b));
            }
        }
    }
    pliant_scene_destroy(scene);
    for (int i = 0; i < POOL; i++) {
        pliant_body_destroy(body[i]);
    }
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    scene_destroy(sphere);
}

/* Nonsense in one body fails the call; with the body mended, the scene answers again. */
static void failures_name_the_body(void **state)
{
    (void)state;
    flock f = flock_create();
    for (uint32_t workers = 1; workers <= 3; workers++) {
        arena a = arena_create(&f, workers, NULL, PLIANT_BROAD_AUTO, false);
        pliant_scene_contacts contacts = {.count = 77};
        arena_share(&a, &f);
        float kept = f.positions[6][100];
        f.positions[6][100] = INFINITY;
        assert_int_equal(pliant_scene_collide(a.scene, NULL, &contacts), PLIANT_ERROR_NOT_FINITE);
        assert_non_null(strstr(pliant_last_error(), "body 6: "));
        assert_int_equal(contacts.count, 77);
        assert_int_equal(pliant_scene_collide(a.scene, NULL, &contacts), PLIANT_ERROR_STATE);
        f.positions[6][100] = kept;
        assert_ok(pliant_body_share_positions(a.body[6], f.positions[6], 0));
        assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
        assert_true(contacts.count != 77);
        arena_free(&a);
    }
    pliant_context_def def = pliant_context_default();
    pliant_context *context = NULL;
    def.workers = 0;
    assert_int_equal(pliant_context_create(&def, &context), PLIANT_ERROR_RANGE);
    def.workers = 1000;
    assert_int_equal(pliant_context_create(&def, &context), PLIANT_ERROR_RANGE);
    flock_free(&f);
}

/* Every allocation of a scene fails once and from then on. */
static void failing_allocations(void **state)
{
    (void)state;
    flock f = flock_create();
    flock_evaluate(&f, 20);
    uint64_t expected = 0, calls = 0;
    for (uint64_t n = 0; n <= 2 * calls; n++) {
        counting_allocator allocator = {.fail_at = (n + 1) / 2, .fail_from_there = n % 2 == 0};
        pliant_context *context = fixture_context(&allocator);
        pliant_result result = context != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
        pliant_scene *scene = NULL;
        pliant_shape *shape[4] = {NULL};
        pliant_body *body[4] = {NULL};
        pliant_scene_contacts contacts = {.count = 0};
        if (result == PLIANT_OK) {
            result = pliant_scene_create(context, NULL, &scene);
        }
        for (int i = 0; i < 4 && result == PLIANT_OK; i++) {
            const scene_mesh *mesh = &f.kind[i]->bodies[0];
            pliant_shape_def def = pliant_shape_default();
            def.positions = mesh->positions;
            def.vertex_count = mesh->vertex_count;
            def.triangles = mesh->triangles;
            def.triangle_count = mesh->triangle_count;
            result = pliant_shape_create(context, &def, &shape[i]);
            pliant_body_id id;
            if (result == PLIANT_OK) {
                result = pliant_body_create(shape[i], NULL, &body[i]);
            }
            if (result == PLIANT_OK) {
                result = pliant_scene_add(scene, body[i], NULL, &id);
            }
        }
        if (result == PLIANT_OK) {
            result = pliant_scene_collide(scene, NULL, &contacts);
        }
        if (n == 0) {
            assert_int_equal(result, PLIANT_OK);
            expected = contacts.count;
            calls = allocator.calls;
        } else {
            assert_int_equal(result, PLIANT_ERROR_OUT_OF_MEMORY);
        }
        allocator.fail_at = 0;
        if (pliant_scene_body_count(scene) == 4) {
            assert_ok(pliant_scene_collide(scene, NULL, &contacts));
            assert_int_equal(contacts.count, expected);
        }
        pliant_scene_destroy(scene);
        for (int i = 0; i < 4; i++) {
            pliant_body_destroy(body[i]);
            pliant_shape_destroy(shape[i]);
        }
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(expected > 0);
    flock_free(&f);
}

static void warm_scenes_allocate_nothing(void **state)
{
    (void)state;
    flock f = flock_create();
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pliant_scene *scene = NULL;
    pliant_shape *shape[FLOCK_BODIES];
    pliant_body *body[FLOCK_BODIES];
    assert_ok(pliant_scene_create(context, NULL, &scene));
    for (int i = 0; i < FLOCK_BODIES; i++) {
        pliant_body_id id;
        shape[i] = fixture_shape(context, &f.kind[i]->bodies[0],
                                 (fixture_tree){PLIANT_PARTITION_BALANCED, 8, 8});
        assert_ok(pliant_body_create(shape[i], NULL, &body[i]));
        assert_ok(pliant_scene_add(scene, body[i], NULL, &id));
    }
    uint64_t calls = 0;
    for (uint32_t step = 0; step < 60; step++) {
        flock_evaluate(&f, 3 * (step % 20));
        for (int i = 0; i < FLOCK_BODIES; i++) {
            assert_ok(pliant_body_share_positions(body[i], f.positions[i], 0));
        }
        pliant_scene_contacts contacts;
        assert_ok(pliant_scene_collide(scene, NULL, &contacts));
        if (step == 25) {
            calls = allocator.calls;
        }
    }
    assert_int_equal(allocator.calls, calls);
    pliant_scene_destroy(scene);
    for (int i = 0; i < FLOCK_BODIES; i++) {
        pliant_body_destroy(body[i]);
        pliant_shape_destroy(shape[i]);
    }
    pliant_context_destroy(context);
    flock_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_equal_brute_force),    cmocka_unit_test(one_big_pair),
        cmocka_unit_test(large_bodies_in_parts),        cmocka_unit_test(filters_choose_pairs),
        cmocka_unit_test(loose_boxes_spare_bodies),     cmocka_unit_test(ids_are_never_confused),
        cmocka_unit_test(failures_name_the_body),       cmocka_unit_test(failing_allocations),
        cmocka_unit_test(warm_scenes_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
