/* Rays asked of a scene: ties go to the lowest body, and a call after one that failed is right. */
#include "flock.h"

#include <math.h>

#include "random.h"

/* A scene, and other bodies of the same shapes to ask one by one. */
typedef struct world {
    flock f;
    pliant_context *context;
    pliant_query *query;
    pliant_shape *shape[FLOCK_BODIES];
    pliant_body *body[FLOCK_BODIES], *alone[FLOCK_BODIES];
    pliant_body_id id[FLOCK_BODIES];
    pliant_scene *scene;
} world;

static world w;

static int set_up(void **state)
{
    (void)state;
    w.f = flock_create();
    flock_evaluate(&w.f, 30);
    w.context = fixture_context_with(PLIANT_ISA_BEST, 2);
    assert_ok(pliant_query_create(w.context, &w.query));
    assert_ok(pliant_scene_create(w.context, NULL, &w.scene));
    for (int i = 0; i < FLOCK_BODIES; i++) {
        w.shape[i] = fixture_shape(w.context, &w.f.kind[i]->bodies[0], fixture_usual_tree);
        assert_ok(pliant_body_create(w.shape[i], NULL, &w.body[i]));
        assert_ok(pliant_body_create(w.shape[i], NULL, &w.alone[i]));
        assert_ok(pliant_body_share_positions(w.body[i], w.f.positions[i], 0));
        assert_ok(pliant_body_share_positions(w.alone[i], w.f.positions[i], 0));
        pliant_member_def member = pliant_member_def_default();
        if (i % 4 == 1) { /* some with a loose box */
            pliant_box box;
            assert_ok(pliant_body_get_bounds(w.alone[i], &box));
            member.has_loose_box = true;
            for (int k = 0; k < 3; k++) {
                member.loose_box.lower[k] = box.lower[k] - 0.25f;
                member.loose_box.upper[k] = box.upper[k] + 0.25f;
            }
        }
        assert_ok(pliant_scene_add(w.scene, w.body[i], &member, &w.id[i]));
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pliant_scene_destroy(w.scene);
    pliant_query_destroy(w.query);
    for (int i = 0; i < FLOCK_BODIES; i++) {
        pliant_body_destroy(w.body[i]);
        pliant_body_destroy(w.alone[i]);
        pliant_shape_destroy(w.shape[i]);
    }
    pliant_context_destroy(w.context);
    flock_free(&w.f);
    return 0;
}

static float coordinate(rng *random, double reach)
{
    return (float)rng_range(random, -reach, reach);
}

/* Two bodies in one place: every hit is a tie, and the lowest index wins. */
static void ties_go_to_the_lowest_body(void **state)
{
    (void)state;
    pliant_body *twin[2];
    pliant_body_id id[2];
    pliant_scene *scene = NULL;
    assert_ok(pliant_scene_create(w.context, NULL, &scene));
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_create(w.shape[0], NULL, &twin[i]));
        assert_ok(pliant_scene_add(scene, twin[i], NULL, &id[i]));
    }
    pliant_box box;
    assert_ok(pliant_body_get_bounds(twin[0], &box));
    rng random;
    rng_seed(&random, 5);
    uint32_t hits = 0;
    for (uint32_t i = 0; i < fixture_count(300); i++) {
        pliant_ray ray = {.t_max = INFINITY};
        pliant_scene_ray_hit hit;
        pliant_scene_closest closest;
        float point[3];
        for (int k = 0; k < 3; k++) {
            float inside = (float)rng_range(&random, box.lower[k], box.upper[k]);
            ray.origin[k] = coordinate(&random, 9.0);
            ray.direction[k] = inside - ray.origin[k];
            point[k] = inside;
        }
        assert_ok(pliant_scene_raycast(scene, &ray, 1, NULL, &hit));
        hits += hit.body.generation != 0;
        assert_int_equal(hit.body.index, 0);
        assert_ok(pliant_scene_find_closest_points(scene, point, 1, 0, INFINITY, NULL, &closest));
        assert_int_equal(closest.body.index, 0);
        assert_int_equal(closest.body.generation, id[0].generation);
    }
    assert_true(hits > 0);
    pliant_scene_destroy(scene);
    pliant_body_destroy(twin[0]);
    pliant_body_destroy(twin[1]);
}

/* A call that failed says nothing about the next one, of whatever kind. */
static void failures_are_forgotten(void **state)
{
    (void)state;
    pliant_scene_contacts contacts;
    pliant_scene_ray_hit hit;
    pliant_ray ray = {.direction = {1, 0, 0}, .t_max = 1.0f};
    float kept = w.f.positions[6][100];
    w.f.positions[6][100] = INFINITY;
    assert_ok(pliant_body_share_positions(w.body[6], w.f.positions[6], 0));
    assert_int_equal(pliant_scene_collide(w.scene, NULL, &contacts), PLIANT_ERROR_NOT_FINITE);
    w.f.positions[6][100] = kept;
    assert_ok(pliant_body_share_positions(w.body[6], w.f.positions[6], 0));
    assert_ok(pliant_scene_raycast(w.scene, &ray, 1, NULL, &hit));
    assert_ok(pliant_scene_collide(w.scene, NULL, &contacts));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_go_to_the_lowest_body),
        cmocka_unit_test(failures_are_forgotten),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
