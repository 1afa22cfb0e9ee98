/* Members of a scene: filters, loose boxes, and ids that are never confused. */
#include "flock_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

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
    flock_scene_truth *t = flock_scene_truth_create(&f, false);
    flock_scene a =
        flock_scene_create(&f, fixture_context_with(PLIANT_ISA_BEST, 2), PLIANT_BROAD_AUTO, false);
    flock_scene_share(&a, &f);
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
    assert_true(flock_scene_check_contacts(&contacts, t) > 0);
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
        pliant_member_def member = pliant_member_def_default();
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
            pliant_member_def member = pliant_member_def_default();
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
    flock_scene_free(&a);
    flock_scene_truth_free(t);
    flock_free(&f);
}

static void loose_boxes_spare_bodies(void **state)
{
    (void)state;
    flock f = flock_create();
    flock_scene a =
        flock_scene_create(&f, fixture_context_with(PLIANT_ISA_BEST, 2), PLIANT_BROAD_SWEEP, false);
    flock_scene_share(&a, &f);
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
    uint64_t all = contacts.count;
    pliant_member_def member = pliant_member_def_default();
    member.has_loose_box = true;
    member.loose_box = (pliant_box){{-50, -50, -50}, {50, 50, 50}};
    for (int i = 0; i < FLOCK_BODIES; i++) { /* everyone may be anywhere: nothing changes */
        assert_ok(pliant_scene_set_member(a.scene, a.id[i], &member));
    }
    flock_scene_share(&a, &f);
    assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
    assert_int_equal(contacts.count, all);
    /* Far from everybody: not read, so its nonsense does no harm. */
    float *nonsense = malloc(f.kind[0]->bodies[0].vertex_count * 3 * sizeof *nonsense);
    for (uint32_t i = 0; i < 3 * f.kind[0]->bodies[0].vertex_count; i++) {
        nonsense[i] = NAN;
    }
    flock_scene_share(&a, &f);
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
        assert_ok(pliant_body_get_bounds(a.body[5], &own));
        float middle = 0.5f * own.lower[side % 3] + 0.5f * own.upper[side % 3];
        (side < 3 ? member.loose_box.lower : member.loose_box.upper)[side % 3] = middle;
        assert_ok(pliant_scene_set_member(a.scene, a.id[5], &member));
        assert_int_equal(pliant_scene_collide(a.scene, NULL, &contacts), PLIANT_ERROR_RANGE);
        assert_non_null(strstr(pliant_last_error(), "body 5: along"));
    }
    member.loose_box.lower[1] = NAN;
    assert_int_equal(pliant_scene_set_member(a.scene, a.id[5], &member), PLIANT_ERROR_NOT_FINITE);
    member.loose_box = (pliant_box){{0, INFINITY, 0}, {0, INFINITY, 0}};
    assert_int_equal(pliant_scene_set_member(a.scene, a.id[5], &member), PLIANT_ERROR_RANGE);
    assert_non_null(strstr(pliant_last_error(), "loose_box: no number lies between lower y"));
    member.loose_box = (pliant_box){{-INFINITY, -INFINITY, -50}, {INFINITY, 50, 50}};
    assert_ok(pliant_scene_set_member(a.scene, a.id[5], &member));
    assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
    free(nonsense);
    flock_scene_free(&a);
    flock_free(&f);
}

/* Static bodies meet everybody but each other, in every question about pairs; `self` and their
   moves are their own business. */
static void static_bodies_are_not_compared(void **state)
{
    (void)state;
    enum { COUNT = 7 };
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 2);
    pliant_scene *scene = NULL;
    assert_ok(pliant_scene_create(context, NULL, &scene));
    pliant_shape *shape = fixture_sphere(context, 20, fixture_usual_tree);
    pliant_body *body[COUNT];
    pliant_body_id id[COUNT];
    pliant_scene_options options = pliant_scene_options_default();
    options.filter = odd_sum; /* is not even asked about two static bodies */
    for (uint32_t statics = 0; statics <= COUNT; statics++) {
        for (uint32_t i = 0; i < COUNT; i++) { /* all in one place: every pair touches */
            pliant_member_def def = pliant_member_def_default();
            def.is_static = i < statics;
            assert_ok(statics == 0 ? pliant_body_create(shape, NULL, &body[i]) : PLIANT_OK);
            assert_ok(statics == 0 ? pliant_scene_add(scene, body[i], &def, &id[i])
                                   : pliant_scene_set_member(scene, id[i], &def));
        }
        uint32_t expected = COUNT * (COUNT - 1) / 2 - statics * (statics - (statics > 0)) / 2;
        pliant_scene_contacts contacts;
        assert_ok(pliant_scene_collide(scene, NULL, &contacts));
        assert_int_equal(contacts.body_pair_count, expected);
        for (uint32_t p = 0; p < contacts.body_pair_count; p++) {
            assert_false(contacts.bodies[p].a.index < statics &&
                         contacts.bodies[p].b.index < statics);
        }
        pliant_scene_proxy_contacts proxies;
        assert_ok(pliant_scene_collide_proxies(scene, NULL, &proxies));
        assert_int_equal(proxies.body_pair_count, expected);
        pliant_scene_proximities near;
        assert_ok(pliant_scene_find_within(scene, 0.01f, NULL, &near));
        assert_int_equal(near.body_pair_count, expected);
        uint32_t asked = 0;
        options.filter_user = &asked;
        assert_ok(pliant_scene_collide(scene, &options, &contacts));
        assert_int_equal(asked, expected);
    }
    pliant_scene_destroy(scene);
    for (int i = 0; i < COUNT; i++) {
        pliant_body_destroy(body[i]);
    }
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
}

/* Going through the members finds those that are there, ascending, each with what it was put in
   with; also while every other one is taken out on the way. */
static void check_members(pliant_scene *scene, pliant_body *const body[], uint32_t pool,
                          bool remove_some)
{
    uint32_t count = 0, before = pliant_scene_get_body_count(scene), removed = 0;
    pliant_body_id last = {0};
    for (pliant_body_id id = {0}; pliant_scene_find_next(scene, &id); count++) {
        pliant_body *found = pliant_scene_get_body(scene, id);
        pliant_body_id same = {0};
        pliant_member_def def;
        assert_non_null(found);
        assert_true(count == 0 || id.index > last.index);
        assert_true(pliant_scene_find_id(scene, found, &same));
        assert_true(same.index == id.index && same.generation == id.generation);
        assert_ok(pliant_scene_get_member(scene, id, &def));
        uint32_t number = (uint32_t)((pliant_body *const *)def.user - body);
        assert_true(number < pool && body[number] == found);
        assert_true(def.mask == UINT64_MAX - number && def.is_static == (number % 3 == 0));
        assert_ptr_equal(pliant_scene_get_user(scene, id), def.user);
        last = id;
        if (remove_some && count % 2 == 0) {
            assert_ok(pliant_scene_remove(scene, id));
            assert_false(pliant_scene_find_id(scene, found, &same));
            assert_null(pliant_scene_get_user(scene, id));
            assert_int_equal(pliant_scene_get_member(scene, id, &def), PLIANT_ERROR_RANGE);
            removed++;
        }
    }
    assert_int_equal(count, before);
    assert_int_equal(pliant_scene_get_body_count(scene), before - removed);
}

static void members_are_found(void **state)
{
    (void)state;
    enum { POOL = 20 };
    pliant_context *context = NULL;
    pliant_scene *scene = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    assert_ok(pliant_scene_create(context, NULL, &scene));
    pliant_shape *shape = fixture_sphere(context, 20, fixture_usual_tree);
    pliant_body *body[POOL];
    for (int i = 0; i < POOL; i++) {
        assert_ok(pliant_body_create(shape, NULL, &body[i]));
    }
    rng random;
    rng_seed(&random, 11);
    for (uint32_t n = 0; n < fixture_count(2000); n++) {
        uint32_t i = (uint32_t)rng_below(&random, POOL);
        pliant_body_id id;
        if (pliant_scene_find_id(scene, body[i], &id)) {
            assert_ok(pliant_scene_remove(scene, id));
        } else {
            pliant_member_def def = pliant_member_def_default();
            def.user = &body[i];
            def.mask = UINT64_MAX - i;
            def.is_static = i % 3 == 0;
            assert_ok(pliant_scene_add(scene, body[i], &def, &id));
        }
        check_members(scene, body, POOL, n % 40 == 0);
    }
    pliant_scene_contacts contacts; /* all in one place */
    assert_ok(pliant_scene_collide(scene, NULL, &contacts));
    for (uint32_t p = 0; p < contacts.body_pair_count; p++) {
        const pliant_scene_pair *pair = &contacts.bodies[p];
        assert_ptr_equal(pair->user_a, pliant_scene_get_user(scene, pair->a));
        assert_ptr_equal(pair->user_b, pliant_scene_get_user(scene, pair->b));
        assert_ptr_not_equal(pair->user_a, pair->user_b);
    }
    assert_true(contacts.body_pair_count > 0);
    pliant_scene_destroy(scene);
    for (int i = 0; i < POOL; i++) {
        pliant_body_destroy(body[i]);
    }
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
}

/* 10,000 operations on a small scene; a list beside it knows who should be there. */
static void ids_are_never_confused(void **state)
{
    (void)state;
    enum { POOL = 40 };
    pliant_context *context = NULL;
    pliant_scene *scene = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    assert_ok(pliant_scene_create(context, NULL, &scene));
    pliant_shape *shape = fixture_sphere(context, 20, fixture_usual_tree);
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
        assert_int_equal(pliant_scene_get_body_count(scene), count);
        for (int j = 0; j < POOL; j++) {
            if (present[j]) {
                assert_ptr_equal(pliant_scene_get_body(scene, id[j]), body[j]);
            }
            if (had[j]) {
                assert_null(pliant_scene_get_body(scene, stale[j]));
            }
        }
        if (n % 50 == 0) { /* all stand in one place: every pair touches */
            pliant_scene_contacts contacts;
            assert_ok(pliant_scene_collide(scene, NULL, &contacts));
            assert_int_equal(contacts.body_pair_count, count * (count - (count > 0)) / 2);
            for (uint32_t k = 0; k < contacts.body_pair_count; k++) {
                assert_non_null(pliant_scene_get_body(scene, contacts.bodies[k].a));
                assert_non_null(pliant_scene_get_body(scene, contacts.bodies[k].b));
            }
        }
    }
    pliant_scene_destroy(scene);
    for (int i = 0; i < POOL; i++) {
        pliant_body_destroy(body[i]);
    }
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_choose_pairs),
        cmocka_unit_test(loose_boxes_spare_bodies),
        cmocka_unit_test(static_bodies_are_not_compared),
        cmocka_unit_test(members_are_found),
        cmocka_unit_test(ids_are_never_confused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
