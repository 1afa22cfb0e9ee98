/*
 * Rays, closest points, boxes and distances asked of a scene equal asking every body by itself,
 * whose answers are tested elsewhere, and choosing among them.
 */
#include "flock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void rays(void **state)
{
    (void)state;
    rng random;
    rng_seed(&random, 3);
    uint32_t count = fixture_count(3000), hit_count = 0;
    pliant_ray *asked = malloc(count * sizeof *asked);
    pliant_scene_ray_hit *hits = malloc(count * sizeof *hits);
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            bool still = i % 7 == 0 && k != (int)(i % 3); /* along an axis, here and there */
            asked[i].origin[k] = coordinate(&random, still ? 2.0 : 6.0);
            asked[i].direction[k] = still ? 0.0f : coordinate(&random, 2.0) - asked[i].origin[k];
        }
        asked[i].t_max = i % 5 == 0 ? (float)rng_unit(&random) : i % 2 == 0 ? INFINITY : 10.0f;
    }
    assert_ok(pliant_scene_raycast(w.scene, asked, count, NULL, hits));
    for (uint32_t i = 0; i < count; i++) {
        pliant_scene_ray_hit expected = {.hit = {.t = INFINITY, .triangle = PLIANT_NO_TRIANGLE}};
        for (int b = 0; b < FLOCK_BODIES; b++) {
            pliant_ray_hit hit;
            assert_ok(pliant_raycast(w.query, w.alone[b], &asked[i], &hit));
            if (hit.t < expected.hit.t) { /* two bodies at the same double: not in these rays */
                expected = (pliant_scene_ray_hit){w.id[b], NULL, hit};
            }
        }
        assert_int_equal(hits[i].body.generation, expected.body.generation);
        assert_int_equal(hits[i].body.index, expected.body.index);
        assert_int_equal(hits[i].hit.triangle, expected.hit.triangle);
        assert_true(hits[i].hit.t == expected.hit.t);
        hit_count += expected.body.generation != 0;
    }
    assert_true(hit_count > count / 10);
    asked[2].direction[1] = NAN;
    assert_int_equal(pliant_scene_raycast(w.scene, asked, count, NULL, hits),
                     PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "ray 2"));
    free(asked);
    free(hits);
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

static void closest_points(void **state)
{
    (void)state;
    rng random;
    rng_seed(&random, 4);
    uint32_t found_count = 0;
    for (uint32_t i = 0; i < fixture_count(1000); i++) {
        float point[3];
        for (int k = 0; k < 3; k++) {
            point[k] = coordinate(&random, 5.0);
        }
        float reach = i % 3 == 0 ? INFINITY : (float)rng_range(&random, 0.0, 2.0);
        pliant_scene_closest closest;
        assert_ok(pliant_scene_find_closest_points(w.scene, point, 1, 0, reach, NULL, &closest));
        bool found = false;
        double best = INFINITY;
        uint32_t body = 0;
        for (uint32_t b = 0; b < FLOCK_BODIES; b++) {
            pliant_closest one;
            assert_ok(pliant_find_closest_point(w.query, w.alone[b], point, reach, &one));
            if (one.found && one.distance < best) {
                best = one.distance;
                body = b;
                found = true;
            }
        }
        assert_int_equal(closest.body.generation != 0, found);
        if (found) {
            assert_int_equal(closest.body.index, body);
            assert_true(closest.closest.distance == best);
            found_count++;
        }
    }
    assert_true(found_count > 0);
    pliant_scene_closest unused;
    const float bad[3] = {0, INFINITY, 0}, good[3] = {0, 0, 0};
    assert_int_equal(pliant_scene_find_closest_points(w.scene, bad, 1, 0, 1.0f, NULL, &unused),
                     PLIANT_ERROR_NOT_FINITE);
    assert_int_equal(pliant_scene_find_closest_points(w.scene, good, 1, 0, -1.0f, NULL, &unused),
                     PLIANT_ERROR_RANGE);
}

static void boxes(void **state)
{
    (void)state;
    rng random;
    rng_seed(&random, 6);
    uint64_t total = 0;
    for (uint32_t i = 0; i < 6 * FLOCK_BODIES + fixture_count(200); i++) {
        pliant_box box;
        for (int k = 0; k < 3; k++) {
            box.lower[k] = coordinate(&random, 2.5);
            box.upper[k] = box.lower[k] + (float)rng_range(&random, 0.0, 2.0);
        }
        if (i < 6 * FLOCK_BODIES) { /* beside a body, and it just touches the box */
            uint32_t side = i % 6, k = side % 3;
            pliant_box own;
            assert_ok(pliant_body_get_bounds(w.alone[i / 6], &own));
            box = own;
            box.lower[k] = side < 3 ? own.lower[k] - 1.0f : own.upper[k];
            box.upper[k] = side < 3 ? own.lower[k] : own.upper[k] + 1.0f;
        }
        pliant_scene_triangles answer;
        assert_ok(pliant_scene_overlap_box(w.scene, &box, NULL, &answer));
        uint64_t first = 0;
        uint32_t next = 0;
        for (int b = 0; b < FLOCK_BODIES; b++) {
            const uint32_t *triangles = NULL;
            uint64_t count = 0;
            assert_ok(pliant_overlap_box(w.query, w.alone[b], &box, &triangles, &count));
            if (count == 0) {
                continue;
            }
            assert_true(next < answer.body_count);
            assert_int_equal(answer.bodies[next].body.index, b);
            assert_int_equal(answer.bodies[next].first, first);
            assert_int_equal(answer.bodies[next++].count, count);
            assert_memory_equal(answer.triangles + first, triangles, count * sizeof *triangles);
            first += count;
        }
        assert_int_equal(answer.body_count, next);
        assert_int_equal(answer.count, first);
        total += first;
    }
    assert_true(total > 0);
    pliant_box inverted = {{0, 1, 0}, {1, 0, 1}};
    pliant_scene_triangles unused;
    assert_int_equal(pliant_scene_overlap_box(w.scene, &inverted, NULL, &unused),
                     PLIANT_ERROR_RANGE);
}

static bool not_seven(void *user, pliant_body_id a, pliant_body_id b)
{
    (void)user;
    return a.index != 7 && b.index != 7;
}

static void distances(void **state)
{
    (void)state;
    const float reaches[] = {0.0f, 0.02f, 0.2f};
    for (int r = 0; r < 3; r++) {
        pliant_scene_options options = pliant_scene_options_default();
        options.filter = r == 1 ? not_seven : NULL;
        pliant_scene_proximities answer;
        assert_ok(pliant_scene_find_within(w.scene, reaches[r], &options, &answer));
        uint64_t first = 0;
        uint32_t next = 0;
        for (uint32_t a = 0; a < FLOCK_BODIES; a++) {
            for (uint32_t b = a + 1; b < FLOCK_BODIES; b++) {
                pliant_proximities one;
                assert_ok(
                    pliant_find_within(w.query, w.alone[a], w.alone[b], reaches[r], NULL, &one));
                if (one.count == 0 || (r == 1 && (a == 7 || b == 7))) {
                    continue;
                }
                assert_true(next < answer.body_pair_count);
                const pliant_scene_pair *pair = &answer.bodies[next++];
                assert_int_equal(pair->a.index, a);
                assert_int_equal(pair->b.index, b);
                assert_int_equal(pair->first, first);
                assert_int_equal(pair->count, one.count);
                for (uint64_t i = 0; i < one.count; i++) {
                    assert_int_equal(answer.pairs[first + i].a, one.pairs[i].a);
                    assert_int_equal(answer.pairs[first + i].b, one.pairs[i].b);
                    assert_true(answer.pairs[first + i].gap.distance == one.pairs[i].gap.distance);
                }
                first += one.count;
            }
        }
        assert_int_equal(answer.body_pair_count, next);
        assert_int_equal(answer.count, first);
        assert_true(first > 0);
    }
    pliant_scene_proximities unused;
    assert_int_equal(pliant_scene_find_within(w.scene, NAN, NULL, &unused),
                     PLIANT_ERROR_NOT_FINITE);
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
        cmocka_unit_test(rays),           cmocka_unit_test(ties_go_to_the_lowest_body),
        cmocka_unit_test(closest_points), cmocka_unit_test(boxes),
        cmocka_unit_test(distances),      cmocka_unit_test(failures_are_forgotten),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
