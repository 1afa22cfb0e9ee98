/* The built-in crowds: bodies that hit each other often, do not pass through each other, and are
   recorded step by step. */
#include "scene_player.h"

#include <math.h>
#include <stdlib.h>

#include "gallery/crowd.h"
#include "solid.h"

static bool touch_exactly(void *user, const gallery_scene *scene, uint32_t step, uint32_t a,
                          uint32_t b)
{
    (void)scene;
    return player_count(user, step, a, b) > 0;
}

/* What happens in a crowd, all steps together. */
typedef struct crowd_events {
    uint64_t touching;     /* pairs of bodies that touch */
    uint64_t hits;         /* that did not touch the step before */
    uint32_t steps;        /* in which any touch */
    double least_distance; /* of two centres */
} crowd_events;

static double centre_distance(const gallery_scene *scene, uint32_t step, uint32_t a, uint32_t b)
{
    gallery_placement placements[2];
    gallery_place(scene, a, step, &placements[0]);
    gallery_place(scene, b, step, &placements[1]);
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double side = placements[1].translation[axis] - placements[0].translation[axis];
        square += side * side;
    }
    return sqrt(square);
}

static crowd_events watch_crowd(const gallery_scene *scene)
{
    crowd_events events = {.least_distance = INFINITY};
    scene_player player = player_create(scene);
    uint32_t count = scene->body_count;
    bool *touched = calloc((size_t)count * count, sizeof *touched);
    assert_non_null(touched);
    for (uint32_t step = 0; step <= scene->steps; step++) {
        uint64_t before = events.touching;
        for (uint32_t a = 0; a < count; a++) {
            for (uint32_t b = a + 1; b < count; b++) {
                bool *last = &touched[(size_t)a * count + b];
                bool touches =
                    crowd_may_touch(scene, step, a, b) && player_count(&player, step, a, b) > 0;
                events.touching += touches;
                events.hits += touches && !*last;
                *last = touches;
                events.least_distance =
                    fmin(events.least_distance, centre_distance(scene, step, a, b));
            }
        }
        events.steps += events.touching > before;
    }
    free(touched);
    player_destroy(&player);
    return events;
}

static void check_events(const gallery_scene *scene, double least_distance)
{
    crowd_events events = watch_crowd(scene);
    print_message("%s: %.1f body pairs touch per step, %.1f of them newly, in %u steps; centres "
                  "stay %.2f apart\n",
                  scene->kind->name, (double)events.touching / scene->steps,
                  (double)events.hits / scene->steps, events.steps, events.least_distance);
    assert_true(events.steps > scene->steps * 3 / 4);
    assert_true(events.touching > (uint64_t)10 * scene->steps);
    assert_true(events.hits > scene->steps);
    assert_true(events.least_distance > least_distance);
}

/* Bodies hit each other often and do not pass through each other, whoever says what touches. */
static void test_crowds_collide(void **state)
{
    (void)state;
    static const struct {
        const gallery_kind *kind;
        double least_distance;
        uint64_t hash; /* of the motion recorded with exact contacts */
    } crowds[] = {{&gallery_crowd_spheres, 1.8, 0x8b56b20be782f676u},
                  {&gallery_crowd_arms, 0.7, 0xc2aac9f083d3c556u}};
    for (int i = 0; i < 2; i++) {
        gallery_scene *scene = player_scene(crowds[i].kind, 1280, 0, 1);
        assert_true(gallery_is_crowd(scene));
        assert_int_equal(scene->body_count, 27);
        check_events(scene, crowds[i].least_distance);
        scene_player player = player_create(scene);
        assert_true(crowd_record(scene, touch_exactly, &player));
        player_destroy(&player);
        check_events(scene, crowds[i].least_distance);
        uint64_t hash = hash_scene(scene);
        if (hash != crowds[i].hash) {
            print_message("%s, exact: 0x%016llx\n", scene->kind->name, (unsigned long long)hash);
        }
        assert_true(hash == crowds[i].hash);
        gallery_destroy(scene);
    }
}

/* Nothing touches: then all bodies run into the middle. */
static bool touch_never(void *user, const gallery_scene *scene, uint32_t step, uint32_t a,
                        uint32_t b)
{
    (void)scene;
    assert_true(a < b);
    uint32_t *last_step = user;
    assert_true(step >= *last_step);
    *last_step = step;
    return false;
}

static void test_crowd_step_by_step(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 320, .steps = 100, .seed = 5, .bodies = 30};
    gallery_scene *scene = gallery_create(&gallery_crowd_spheres, &settings);
    assert_non_null(scene);
    assert_int_equal(scene->body_count, 30);
    assert_int_equal(crowd_last_step(scene), 100);
    uint64_t rough = hash_scene(scene);
    uint32_t last_step = 0;
    assert_true(crowd_record(scene, touch_never, &last_step));
    uint64_t untouched = hash_scene(scene);
    assert_true(untouched != rough);
    double least = INFINITY;
    for (uint32_t step = 0; step <= 100; step++) {
        for (uint32_t body = 1; body < 30; body++) {
            least = fmin(least, centre_distance(scene, step, 0, body));
        }
    }
    assert_true(least < 1.0);
    crowd_restart(scene);
    assert_int_equal(crowd_last_step(scene), 0);
    for (uint32_t step = 0; step < 103; step++) {
        crowd_step(scene, NULL, 0);
    }
    assert_int_equal(crowd_last_step(scene), 100);
    assert_true(hash_scene(scene) == untouched);
    assert_true(crowd_record(scene, NULL, NULL));
    assert_true(hash_scene(scene) == rough);
    /* A contact counts. */
    crowd_restart(scene);
    crowd_step(scene, &(crowd_contact){0, 1}, 1);
    double pushed = centre_distance(scene, 1, 0, 1);
    crowd_restart(scene);
    crowd_step(scene, NULL, 0);
    assert_true(pushed > centre_distance(scene, 1, 0, 1));
    gallery_destroy(scene);
}

static void test_crowd_bodies_are_closed(void **state)
{
    (void)state;
    const gallery_kind *kinds[2] = {&gallery_crowd_spheres, &gallery_crowd_arms};
    for (int i = 0; i < 2; i++) {
        gallery_scene *scene = player_scene(kinds[i], 0, 0, 1);
        scene_player player = player_create(scene);
        for (uint32_t body = 0; body < scene->body_count; body++) {
            assert_int_equal(scene->bodies[body].triangle_count, 5120);
            assert_true(pliant_shape_is_closed(player.bodies[body].shape));
            assert_true(test_solid_volume(&scene->bodies[body]) > 0.0);
        }
        for (uint32_t step = 0; step <= scene->steps; step += 100) {
            for (uint32_t body = 0; body < scene->body_count; body++) {
                assert_true(player_count(&player, step, body, body) == 0);
            }
        }
        player_destroy(&player);
        gallery_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crowds_collide),
        cmocka_unit_test(test_crowd_step_by_step),
        cmocka_unit_test(test_crowd_bodies_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
