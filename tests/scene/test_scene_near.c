/* Distances and features of scenes: one large body with itself, groups, and what is refused. */
#include "flock_scene.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_SCENES = 16 };

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
        cmocka_unit_test(one_big_body_with_itself),
        cmocka_unit_test(groups_and_selves),
        cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
