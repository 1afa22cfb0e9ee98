/* Back-tracking to the first contact, against brute force at both ends of the interval and beside
   the free time, which misses nothing. */
#include "lab/baselines/back_tracking.h"
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

/* Two spheres that approach each other. */
typedef struct approach {
    pliant_context *context;
    pliant_query *query;
    gallery_scene *scene;
    pliant_shape *shape[2];
    float *at[2][2], *between[2];
    back_tracking_motion motion;
} approach;

static approach s;

static int set_up(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 320, .seed = 1};
    s.scene = gallery_create(&gallery_spheres, &settings);
    assert_ok(pliant_context_create(NULL, &s.context));
    assert_ok(pliant_query_create(s.context, &s.query));
    for (uint32_t i = 0; i < 2; i++) {
        size_t bytes = s.scene->bodies[i].vertex_count * 3 * sizeof(float);
        s.shape[i] = fixture_shape(s.context, &s.scene->bodies[i], fixture_usual_tree);
        assert_ok(pliant_body_create(s.shape[i], NULL, &s.motion.body[i]));
        s.between[i] = malloc(bytes);
        for (uint32_t end = 0; end < 2; end++) {
            s.at[i][end] = malloc(bytes);
            gallery_evaluate(s.scene, i, end * s.scene->steps, s.at[i][end]);
        }
        s.motion.start[i] = s.at[i][0];
        s.motion.end[i] = s.at[i][1];
        s.motion.vertex_count[i] = s.scene->bodies[i].vertex_count;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(s.motion.body[i]);
        pliant_shape_destroy(s.shape[i]);
        free(s.at[i][0]);
        free(s.at[i][1]);
        free(s.between[i]);
    }
    pliant_query_destroy(s.query);
    pliant_context_destroy(s.context);
    gallery_destroy(s.scene);
    return 0;
}

static bool touch_at(float time)
{
    brute_body body[2];
    brute_pairs pairs = {0};
    for (uint32_t i = 0; i < 2; i++) {
        const gallery_mesh *mesh = &s.scene->bodies[i];
        for (uint32_t k = 0; k < 3 * mesh->vertex_count; k++) {
            float step = s.at[i][1][k] - s.at[i][0][k];
            float along = time * step;
            float x = s.at[i][0][k] + along;
            s.between[i][k] = time == 1.0f ? s.at[i][1][k] : x;
        }
        body[i] =
            (brute_body){s.between[i], mesh->triangles, mesh->vertex_count, mesh->triangle_count};
    }
    brute_collide(&body[0], &body[1], &pairs);
    bool touch = pairs.count > 0;
    brute_free(&pairs);
    return touch;
}

static float find_free_time(const back_tracking_motion *m)
{
    pliant_free_time found;
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_set_positions(m->body[i], m->start[i], 0));
        assert_ok(pliant_body_begin_step(m->body[i]));
        assert_ok(pliant_body_set_positions(m->body[i], m->end[i], 0));
    }
    assert_ok(pliant_find_free_time(s.query, m->body[0], m->body[1], NULL, &found));
    return found.time;
}

static void intervals_hold_the_contact(void **state)
{
    (void)state;
    const float tolerances[] = {1.0f, 0.125f, 0x1p-10f, 1e-5f, 0.0f};
    float free_time = find_free_time(&s.motion);
    for (int i = 0; i < 5; i++) {
        for (uint32_t samples = 1; samples <= 16; samples += 5) {
            back_tracking_time found;
            assert_ok(back_tracking_find(s.query, &s.motion, samples, tolerances[i], &found));
            assert_true(found.touches && found.free < found.touching);
            assert_true(found.touching - found.free <= tolerances[i] ||
                        nextafterf(found.free, 1.0f) == found.touching);
            assert_true(!touch_at(found.free) && touch_at(found.touching));
            assert_true(found.tried >= 2 && found.tried <= samples + 35);
            assert_true(found.free <= free_time + 1e-4f && free_time <= found.touching + 1e-4f);
        }
    }
}

/* A contact that comes and goes between two samples is found by more of them only. */
static void samples_decide_what_is_seen(void **state)
{
    (void)state;
    back_tracking_motion through = s.motion;
    uint32_t count = 3 * through.vertex_count[0];
    float *there = malloc(count * sizeof(float)), *beyond = malloc(count * sizeof(float));
    for (uint32_t i = 0; i < count; i++) {
        there[i] = s.at[0][1][i] + (i % 3 == 0 ? -50.0f : 0.0f);
        beyond[i] = s.at[0][1][i] + (i % 3 == 0 ? 50.0f : 0.0f);
    }
    through.start[0] = there;
    through.end[0] = beyond;
    through.start[1] = through.end[1];
    back_tracking_time found;
    assert_ok(back_tracking_find(s.query, &through, 1, 0x1p-10f, &found));
    assert_false(found.touches);
    assert_ok(back_tracking_find(s.query, &through, 64, 0x1p-10f, &found));
    assert_true(found.touches && found.free > 0.4f && found.touching < 0.5f);
    float free_time = find_free_time(&through);
    assert_true(free_time > found.free - 1e-4f && free_time < found.touching + 1e-4f);
    free(there);
    free(beyond);
}

static void contacts_at_the_start(void **state)
{
    (void)state;
    back_tracking_motion back = s.motion;
    for (int i = 0; i < 2; i++) {
        back.start[i] = s.at[i][1];
        back.end[i] = s.at[i][0];
    }
    back_tracking_time found;
    assert_ok(back_tracking_find(s.query, &back, 1, 0.0f, &found));
    assert_true(found.touches && found.free == 0.0f && found.touching == 0.0f && found.tried == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_the_contact),
        cmocka_unit_test(samples_decide_what_is_seen),
        cmocka_unit_test(contacts_at_the_start),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
