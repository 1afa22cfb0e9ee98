/* Questions about bodies under world transforms: the answers are those of brute force at the same
   places. */
#include "placed.h"

/* Bodies of all kinds, placed, against brute force, and against a free body at the same places. */
static void pairs_equal_brute_force(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 23);
    uint64_t pairs = 0;
    for (uint32_t round = 0; round < fixture_count(120); round++) {
        pliant_context *context = fixture_context_with((pliant_isa)rng_below(&r, 5), 1);
        pliant_query *query = NULL;
        placed_body s[2], twin;
        assert_ok(pliant_query_create(context, &query));
        for (int i = 0; i < 2; i++) {
            pliant_body_def def = pliant_body_def_default();
            def.update = (pliant_update)rng_below(&r, PLIANT_UPDATE_FRONT + 1);
            def.coherent = rng_below(&r, 2) != 0;
            s[i] = placed_create(
                context, (int)rng_below(&r, PLACED_KINDS), rng_below(&r, MODEL_TRAITS), 1.0,
                (pliant_bound_kind)rng_below(&r, PLIANT_BOUND_AFFINE + 1), &def, &r);
        }
        twin = placed_create(context, PLACED_FREE, s[0].c.trait, 1.0, PLIANT_BOUND_AUTO, NULL, &r);
        for (int step = 0; step < 3; step++) {
            float world[12];
            for (int i = 0; i < 2; i++) {
                model_random_transform(&r, 1.0, world);
                placed_move(&s[i], step == 1 && i == 0 ? NULL : world, step == 2, &r);
            }
            brute_body a = model_case_brute(&s[0].c), b = model_case_brute(&s[1].c);
            brute_pairs truth = {0};
            pliant_contacts contacts;
            brute_collide(&a, &b, &truth);
            assert_ok(pliant_collide(query, s[0].body, s[1].body, NULL, &contacts));
            assert_true(brute_equal(&truth, &contacts, "placed bodies"));
            assert_ok(pliant_body_set_positions(twin.body, s[0].c.positions, 0));
            assert_ok(pliant_collide(query, twin.body, s[1].body, NULL, &contacts));
            assert_true(brute_equal(&truth, &contacts, "a free body at the same places"));
            pairs += truth.count;
            brute_free(&truth);
        }
        placed_destroy(&s[0]);
        placed_destroy(&s[1]);
        placed_destroy(&twin);
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
    assert_true(pairs > 0);
}

/* A scene of placed bodies of all kinds, for any number of workers. */
static void scenes_find_the_same(void **state)
{
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (int i = 0; i < 4; i++) {
        rng r;
        rng_seed(&r, 33);
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, workers[i]);
        pliant_scene *scene = NULL;
        pliant_scene_contacts contacts;
        placed_body s[PLACED_KINDS];
        uint64_t pairs = 0;
        assert_ok(pliant_scene_create(context, NULL, &scene));
        for (int k = 0; k < PLACED_KINDS; k++) {
            pliant_member_def member = pliant_member_def_default();
            pliant_body_id id;
            s[k] = placed_create(context, k, MODEL_SMOOTH, 1.0, PLIANT_BOUND_AUTO, NULL, &r);
            assert_ok(pliant_scene_add(scene, s[k].body, &member, &id));
        }
        for (int step = 0; step < 3; step++) {
            for (int k = 0; k < PLACED_KINDS; k++) {
                float world[12];
                model_random_transform(&r, 0.6, world);
                world[3] += 0.7f * (float)k;
                placed_move(&s[k], world, false, &r);
            }
            assert_ok(pliant_scene_collide(scene, NULL, &contacts));
            uint32_t p = 0;
            for (int a = 0; a < PLACED_KINDS; a++) {
                for (int b = a + 1; b < PLACED_KINDS; b++) {
                    brute_body first = model_case_brute(&s[a].c),
                               second = model_case_brute(&s[b].c);
                    brute_pairs truth = {0};
                    brute_collide(&first, &second, &truth);
                    if (truth.count > 0) {
                        assert_true(p < contacts.body_pair_count);
                        const pliant_scene_pair *pair = &contacts.bodies[p++];
                        pliant_contacts part = {.pairs = contacts.pairs + pair->first,
                                                .count = pair->count};
                        assert_int_equal(pair->a.index, a);
                        assert_int_equal(pair->b.index, b);
                        assert_true(brute_equal(&truth, &part, "a scene of placed bodies"));
                    }
                    pairs += truth.count;
                    brute_free(&truth);
                }
            }
            assert_int_equal(p, contacts.body_pair_count);
        }
        assert_true(pairs > 0);
        pliant_scene_destroy(scene);
        for (int k = 0; k < PLACED_KINDS; k++) {
            placed_destroy(&s[k]);
        }
        pliant_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_equal_brute_force),
        cmocka_unit_test(scenes_find_the_same),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
