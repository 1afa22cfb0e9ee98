/* Distances and features of scenes: one large body with itself, and what is refused. */
#include "flock_scene.h"

#include <float.h>
#include <math.h>

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
        cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
