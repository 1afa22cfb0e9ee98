/* Large bodies of a scene, which several workers share: equal results and counts of work. */
#include "flock_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The two bodies of a scene, in a context of so many workers. */
typedef struct duel {
    pliant_context *context;
    pliant_scene *scene;
    pliant_shape *shape[2];
    pliant_body *body[2];
} duel;

static duel duel_create(const gallery_scene *scene, uint32_t workers)
{
    duel d = {.context = fixture_context_with(PLIANT_ISA_BEST, workers)};
    assert_ok(pliant_scene_create(d.context, NULL, &d.scene));
    for (int i = 0; i < 2; i++) {
        pliant_body_id id;
        d.shape[i] = fixture_shape(d.context, &scene->bodies[i], fixture_usual_tree);
        assert_ok(pliant_body_create(d.shape[i], NULL, &d.body[i]));
        assert_ok(pliant_scene_add(d.scene, d.body[i], NULL, &id));
    }
    return d;
}

static void duel_destroy(duel *d)
{
    pliant_scene_destroy(d->scene);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(d->body[i]);
        pliant_shape_destroy(d->shape[i]);
    }
    pliant_context_destroy(d->context);
}

/* A big pair alone is split over the workers. */
static void one_big_pair(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 5120, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &settings);
    float *positions[2];
    uint64_t expected = 0;
    for (uint32_t i = 0; i < 2; i++) {
        positions[i] = malloc(scene->bodies[i].vertex_count * 3 * sizeof(float));
        gallery_evaluate(scene, i, scene->steps, positions[i]);
    }
    for (uint32_t workers = 1; workers <= 4; workers++) {
        duel d = duel_create(scene, workers);
        for (uint32_t repeat = 0; repeat < fixture_count(20); repeat++) {
            pliant_scene_contacts contacts;
            for (int i = 0; i < 2; i++) {
                assert_ok(pliant_body_share_positions(d.body[i], positions[i], 0));
            }
            assert_ok(pliant_scene_collide(d.scene, NULL, &contacts));
            expected = expected == 0 ? contacts.count : expected;
            assert_int_equal(contacts.count, expected);
            assert_int_equal(contacts.body_pair_count, 1);
            for (uint64_t i = 1; i < contacts.count; i++) {
                pliant_pair x = contacts.pairs[i - 1], y = contacts.pairs[i];
                assert_true(x.a < y.a || (x.a == y.a && x.b < y.b));
            }
        }
        duel_destroy(&d);
    }
    assert_true(expected > 1000);
    free(positions[0]);
    free(positions[1]);
    gallery_destroy(scene);
}

/* So it is where distances are asked for, and what the workers found is merged. */
static void one_big_pair_within(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 5120, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &settings);
    float *positions[2];
    pliant_proximity *expected = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        positions[i] = malloc(scene->bodies[i].vertex_count * 3 * sizeof(float));
        gallery_evaluate(scene, i, scene->steps, positions[i]);
    }
    uint64_t count = 0;
    for (uint32_t workers = 1; workers <= 8; workers += workers < 3 ? 1 : 5) {
        duel d = duel_create(scene, workers);
        for (uint32_t repeat = 0; repeat < fixture_count(10); repeat++) {
            pliant_scene_proximities near;
            for (int i = 0; i < 2; i++) {
                assert_ok(pliant_body_share_positions(d.body[i], positions[i], 0));
            }
            assert_ok(pliant_scene_find_within(d.scene, 0.02f, NULL, &near));
            if (expected == NULL) {
                count = near.count;
                expected = malloc(count * sizeof *expected);
                memcpy(expected, near.pairs, count * sizeof *expected);
            }
            assert_int_equal(near.count, count);
            assert_memory_equal(near.pairs, expected, count * sizeof *expected);
        }
        duel_destroy(&d);
    }
    assert_true(count > 1000);
    free(expected);
    free(positions[0]);
    free(positions[1]);
    gallery_destroy(scene);
}

/* Two large bodies, whose updates several workers share, at three steps; then one of them cannot be
   read, and can again. Returns a hash of what was found and counted. */
static uint64_t play_large_bodies(const gallery_scene *scene, uint32_t workers)
{
    duel d = duel_create(scene, workers);
    float *positions[2];
    pliant_scene_contacts contacts;
    uint64_t hash = 1;
    for (uint32_t i = 0; i < 2; i++) {
        positions[i] = malloc(scene->bodies[i].vertex_count * 3 * sizeof(float));
    }
    for (uint32_t step = 0; step < 4; step++) {
        for (uint32_t i = 0; i < 2; i++) {
            gallery_evaluate(scene, i, scene->steps - 3 + step % 4, positions[i]);
            assert_ok(pliant_body_share_positions(d.body[i], positions[i], 0));
        }
        float kept = positions[1][3];
        if (step == 2) {
            positions[1][3] = NAN;
            assert_int_equal(pliant_scene_collide(d.scene, NULL, &contacts),
                             PLIANT_ERROR_NOT_FINITE);
            assert_non_null(strstr(pliant_last_error(), "body 1: shared positions: vertex 1"));
            positions[1][3] = kept;
            assert_ok(pliant_body_share_positions(d.body[1], positions[1], 0));
        }
        assert_ok(pliant_scene_collide(d.scene, NULL, &contacts));
        const pliant_scene_stats *stats = pliant_scene_get_stats(d.scene);
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
    duel_destroy(&d);
    free(positions[0]);
    free(positions[1]);
    return hash;
}

static void large_bodies_in_parts(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 81920, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &settings);
    assert_non_null(scene);
    uint64_t expected = play_large_bodies(scene, 1);
    assert_int_equal(play_large_bodies(scene, 2), expected);
    assert_int_equal(play_large_bodies(scene, 3), expected);
    gallery_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_big_pair),
        cmocka_unit_test(one_big_pair_within),
        cmocka_unit_test(large_bodies_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
