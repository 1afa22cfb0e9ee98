/* The built-in scenes: meshes as promised, the same bits everywhere, contacts where the papers say.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pliant/pliant.h"
#include "scenes/arms.h"
#include "scenes/crowd.h"

static scene_instance *make(const scene_kind *kind, uint32_t triangles, uint32_t steps,
                            uint64_t seed)
{
    scene_settings settings = {.triangles = triangles, .steps = steps, .seed = seed};
    scene_instance *scene = scene_create(kind, &settings);
    assert_non_null(scene);
    return scene;
}

static float *allocate_positions(const scene_instance *scene, uint32_t body)
{
    float *positions = malloc((size_t)scene->bodies[body].vertex_count * 3 * sizeof(float));
    assert_non_null(positions);
    return positions;
}

/* A hash over all bodies at five steps from start to end. */
static uint64_t hash_scene(const scene_instance *scene)
{
    uint64_t hash = 0;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        const scene_mesh *mesh = &scene->bodies[body];
        float *positions = allocate_positions(scene, body);
        for (uint32_t step = 0; step <= scene->steps; step += scene->steps / 4) {
            scene_evaluate(scene, body, step, positions);
            hash = hash * 31 + scene_hash(positions, (uint64_t)mesh->vertex_count * 12);
        }
        hash = hash * 31 + scene_hash(mesh->triangles, (uint64_t)mesh->triangle_count * 12);
        free(positions);
    }
    return hash;
}

static void test_golden_hashes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t hash;
    } golden[] = {
        {"spheres", 0x4ffd90892cc65924u},    {"cloth", 0x264b06ebcab3f4e8u},
        {"bowl", 0xb1b466d921ae8f9du},       {"soup", 0x99cb8eef0c9d06e4u},
        {"arms", 0x2d80a87e6c992234u},       {"crowd-spheres", 0x28c7c5093f7f5c4au},
        {"crowd-arms", 0x234f2b310add121bu},
    };
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        const scene_kind *kind = scene_find(golden[i].name);
        assert_non_null(kind);
        scene_instance *scene = make(kind, 0, 0, 1);
        uint64_t hash = hash_scene(scene);
        if (hash != golden[i].hash) {
            print_message("%s: 0x%016llx\n", golden[i].name, (unsigned long long)hash);
        }
        assert_true(hash == golden[i].hash);
        scene_destroy(scene);
    }
    assert_null(scene_find("nothing"));
}

static void test_seed_changes_the_scene(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < scene_kind_count; i++) {
        scene_instance *first = make(scene_kinds[i], 320, 0, 1);
        scene_instance *again = make(scene_kinds[i], 320, 0, 1);
        scene_instance *other = make(scene_kinds[i], 320, 0, 2);
        assert_true(hash_scene(first) == hash_scene(again));
        assert_true(hash_scene(first) != hash_scene(other));
        scene_destroy(first);
        scene_destroy(again);
        scene_destroy(other);
    }
}

static void test_sine(void **state)
{
    (void)state;
    for (int i = -20000; i <= 20000; i++) {
        double x = 0.00731 * i;
        assert_true(fabs(scene_sin(x) - sin(x)) < 1e-14);
        assert_true(fabs(scene_cos(x) - cos(x)) < 1e-14);
    }
}

static void test_rotations(void **state)
{
    (void)state;
    scene_random random = scene_random_seed(7, 0);
    for (int i = 0; i < 1000; i++) {
        double r[3][3];
        scene_random_rotation(&random, r);
        for (int row = 0; row < 3; row++) {
            for (int other = 0; other < 3; other++) {
                double dot =
                    r[row][0] * r[other][0] + r[row][1] * r[other][1] + r[row][2] * r[other][2];
                assert_true(fabs(dot - (row == other ? 1.0 : 0.0)) < 1e-14);
            }
        }
        double determinant = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                             r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                             r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
        assert_true(fabs(determinant - 1.0) < 1e-14);
    }
}

static pliant_shape *make_shape(pliant_context *context, const scene_mesh *mesh)
{
    pliant_shape_def def = pliant_shape_default();
    def.positions = mesh->positions;
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    pliant_shape *shape = NULL;
    assert_int_equal(pliant_shape_create(context, &def, &shape), PLIANT_OK);
    return shape;
}

/* Volume by the divergence theorem: positive only if triangles face outwards. */
static double signed_volume(const scene_mesh *mesh)
{
    double volume = 0.0;
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        const float *p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = mesh->positions + (size_t)3 * mesh->triangles[(size_t)3 * i + k];
        }
        for (int axis = 0; axis < 3; axis++) {
            int next = (axis + 1) % 3;
            int last = (axis + 2) % 3;
            volume += (double)p[0][axis] * ((double)p[1][next] * (double)p[2][last] -
                                            (double)p[1][last] * (double)p[2][next]);
        }
    }
    return volume / 6.0;
}

static void check_sphere(pliant_context *context, const scene_mesh *mesh)
{
    /* A closed surface without handles: Euler's formula. */
    assert_int_equal(mesh->vertex_count, mesh->triangle_count / 2 + 2);
    pliant_shape *shape = make_shape(context, mesh);
    pliant_shape_quality quality;
    assert_int_equal(pliant_shape_get_quality(shape, &quality), PLIANT_OK);
    assert_true(pliant_shape_is_closed(shape));
    assert_int_equal(quality.component_count, 1);
    assert_int_equal(quality.welded_vertex_count, mesh->vertex_count);
    assert_int_equal(quality.unused_vertex_count, 0);
    assert_int_equal(quality.degenerate_triangle_count, 0);
    assert_int_equal(quality.duplicate_triangle_count, 0);
    double full = 4.0 / 3.0 * SCENE_PI;
    double volume = signed_volume(mesh);
    assert_true(volume > full * (1.0 - 15.0 / mesh->triangle_count) && volume < full);
    pliant_shape_destroy(shape);
}

static void test_spheres_are_closed(void **state)
{
    (void)state;
    static const struct {
        uint32_t wanted, made;
    } sizes[] = {
        {20, 20},       {80, 80},       {1280, 1280},   {5120, 5120}, {8192, 8192}, {16384, 16384},
        {20480, 20480}, {32768, 32768}, {65536, 65536}, {2000, 2000}, {1000, 980},
    };
    pliant_context *context = NULL;
    assert_int_equal(pliant_context_create(NULL, &context), PLIANT_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        scene_mesh mesh;
        assert_true(mesh_make_sphere(sizes[i].wanted, &mesh));
        assert_int_equal(mesh.triangle_count, sizes[i].made);
        if (mesh.triangle_count >= 80) {
            check_sphere(context, &mesh);
        }
        mesh_free(&mesh);
    }
    pliant_context_destroy(context);
}

static void test_open_and_ugly_meshes(void **state)
{
    (void)state;
    pliant_context *context = NULL;
    assert_int_equal(pliant_context_create(NULL, &context), PLIANT_OK);
    scene_instance *bowl = make(&scene_bowl, 0, 0, 1);
    scene_instance *soup = make(&scene_soup, 0, 0, 1);
    pliant_shape *open = make_shape(context, &bowl->bodies[0]);
    pliant_shape *ugly = make_shape(context, &soup->bodies[0]);
    pliant_shape_quality quality;
    assert_false(pliant_shape_is_closed(open));
    assert_int_equal(pliant_shape_get_quality(open, &quality), PLIANT_OK);
    assert_int_equal(quality.unused_vertex_count, 0);
    assert_int_equal(quality.component_count, 1);
    assert_true(quality.open_edge_count > 10);
    assert_int_equal(pliant_shape_get_quality(ugly, &quality), PLIANT_OK);
    assert_true(quality.unused_vertex_count >= 3);
    assert_true(quality.degenerate_triangle_count > 50);
    assert_true(quality.duplicate_triangle_count > 10);
    pliant_shape_destroy(open);
    pliant_shape_destroy(ugly);
    scene_destroy(bowl);
    scene_destroy(soup);
    pliant_context_destroy(context);
}

/* World positions are the placed local ones, up to the rounding of either. */
static void test_local_and_world_agree(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < scene_kind_count; k++) {
        scene_instance *scene = make(scene_kinds[k], 0, 0, 3);
        for (uint32_t body = 0; body < scene->body_count; body++) {
            float *world = allocate_positions(scene, body);
            float *local = allocate_positions(scene, body);
            scene_placement placement;
            uint32_t step = scene->steps / 3;
            scene_evaluate(scene, body, step, world);
            scene_evaluate_local(scene, body, step, local);
            scene_place(scene, body, step, &placement);
            for (uint32_t i = 0; i < scene->bodies[body].vertex_count; i++) {
                const float *l = local + (size_t)3 * i;
                for (int axis = 0; axis < 3; axis++) {
                    const double *row = placement.rotation[axis];
                    double expected = row[0] * (double)l[0] + row[1] * (double)l[1] +
                                      row[2] * (double)l[2] + placement.translation[axis];
                    double found = (double)world[(size_t)3 * i + axis];
                    assert_true(fabs(found - expected) <= 1e-6 * (1.0 + fabs(expected)));
                }
            }
            free(world);
            free(local);
        }
        scene_destroy(scene);
    }
}

typedef struct player_body {
    pliant_shape *shape;
    pliant_body *body;
    float *positions;
} player_body;

/* The bodies of a scene, for questions about one step after the other. */
typedef struct scene_player {
    const scene_instance *scene;
    pliant_context *context;
    pliant_query *query;
    player_body *bodies;
    uint32_t step;
} scene_player;

static scene_player player_create(const scene_instance *scene)
{
    scene_player player = {.scene = scene, .step = UINT32_MAX};
    assert_int_equal(pliant_context_create(NULL, &player.context), PLIANT_OK);
    assert_int_equal(pliant_query_create(player.context, &player.query), PLIANT_OK);
    player.bodies = calloc(scene->body_count, sizeof *player.bodies);
    assert_non_null(player.bodies);
    for (uint32_t i = 0; i < scene->body_count; i++) {
        player_body *own = &player.bodies[i];
        own->shape = make_shape(player.context, &scene->bodies[i]);
        assert_int_equal(pliant_body_create(own->shape, NULL, &own->body), PLIANT_OK);
        own->positions = allocate_positions(scene, i);
    }
    return player;
}

static void player_destroy(scene_player *player)
{
    pliant_query_destroy(player->query);
    for (uint32_t i = 0; i < player->scene->body_count; i++) {
        pliant_body_destroy(player->bodies[i].body);
        pliant_shape_destroy(player->bodies[i].shape);
        free(player->bodies[i].positions);
    }
    free(player->bodies);
    pliant_context_destroy(player->context);
}

static void player_go_to(scene_player *player, uint32_t step)
{
    for (uint32_t i = 0; i < player->scene->body_count && step != player->step; i++) {
        player_body *own = &player->bodies[i];
        scene_evaluate(player->scene, i, step, own->positions);
        assert_int_equal(pliant_body_share_positions(own->body, own->positions, 0), PLIANT_OK);
    }
    player->step = step;
}

/* Pairs of triangles of two bodies, or of one with itself. */
static uint64_t player_count(scene_player *player, uint32_t step, uint32_t a, uint32_t b)
{
    pliant_contacts contacts;
    player_go_to(player, step);
    pliant_body *first = player->bodies[a].body, *second = player->bodies[b].body;
    pliant_result result = a == b ? pliant_collide_self(player->query, first, NULL, &contacts)
                                  : pliant_collide(player->query, first, second, NULL, &contacts);
    assert_int_equal(result, PLIANT_OK);
    return contacts.count;
}

/* Pairs of the first two bodies at one step, or of the first with itself if that is the question.
 */
static uint64_t count_pairs(const scene_instance *scene, uint32_t step)
{
    scene_player player = player_create(scene);
    uint64_t count = player_count(&player, step, 0, scene->kind->self ? 0 : 1);
    player_destroy(&player);
    return count;
}

static void test_contacts_of_the_spheres(void **state)
{
    (void)state;
    scene_instance *scene = make(&scene_spheres, 0, 0, 1);
    assert_int_equal(scene->bodies[0].triangle_count, 20480);
    assert_int_equal(count_pairs(scene, 0), 0);
    assert_int_equal(count_pairs(scene, 59), 0);
    assert_int_equal(count_pairs(scene, 60), 30);
    assert_int_equal(count_pairs(scene, 200), 3754);
    scene_destroy(scene);
}

static void test_steps_cut_the_same_motion(void **state)
{
    (void)state;
    scene_instance *fine = make(&scene_spheres, 1280, 200, 1);
    scene_instance *coarse = make(&scene_spheres, 1280, 20, 1);
    assert_true(count_pairs(fine, 200) > 100);
    assert_true(count_pairs(fine, 200) == count_pairs(coarse, 20));
    assert_true(count_pairs(fine, 100) == count_pairs(coarse, 10));
    scene_destroy(fine);
    scene_destroy(coarse);
}

static void test_contacts_of_the_others(void **state)
{
    (void)state;
    scene_instance *cloth = make(&scene_cloth, 0, 0, 1);
    scene_instance *bowl = make(&scene_bowl, 0, 0, 1);
    scene_instance *soup = make(&scene_soup, 0, 0, 1);
    assert_int_equal(count_pairs(cloth, 0), 0);
    assert_true(count_pairs(cloth, cloth->steps) > 100);
    assert_int_equal(count_pairs(bowl, 0), 0);
    assert_true(count_pairs(bowl, 150) > 100);
    assert_true(count_pairs(soup, 1) > 100);
    scene_destroy(cloth);
    scene_destroy(bowl);
    scene_destroy(soup);
}

static void test_arms(void **state)
{
    (void)state;
    scene_instance *scene = make(&scene_arms, 0, 0, 1);
    assert_int_equal(scene->bodies[0].triangle_count, 5120);
    assert_int_equal(scene->bodies[0].vertex_count, 5120 / 2 + 2);
    scene_player player = player_create(scene);
    assert_true(pliant_shape_is_closed(player.bodies[0].shape));
    assert_true(player_count(&player, 0, 0, 1) == 0);
    assert_true(player_count(&player, 100, 0, 1) > 100);
    for (uint32_t step = 0; step <= scene->steps; step += 5) {
        assert_true(player_count(&player, step, 0, 0) == 0);
        float *local = player.bodies[0].positions;
        scene_evaluate_local(scene, 0, step, local);
        player.step = UINT32_MAX;
        double reach = 0.0;
        for (uint32_t i = 0; i < scene->bodies[0].vertex_count; i++, local += 3) {
            reach = fmax(reach, sqrt((double)local[0] * (double)local[0] +
                                     (double)local[1] * (double)local[1] +
                                     (double)local[2] * (double)local[2]));
        }
        assert_true(reach > 0.8 && reach < ARMS_REACH);
    }
    player_destroy(&player);
    scene_destroy(scene);
}

static bool touch_exactly(void *user, const scene_instance *scene, uint32_t step, uint32_t a,
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

static double centre_distance(const scene_instance *scene, uint32_t step, uint32_t a, uint32_t b)
{
    scene_placement placements[2];
    scene_place(scene, a, step, &placements[0]);
    scene_place(scene, b, step, &placements[1]);
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double side = placements[1].translation[axis] - placements[0].translation[axis];
        square += side * side;
    }
    return sqrt(square);
}

static crowd_events watch_crowd(const scene_instance *scene)
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

static void check_events(const scene_instance *scene, double least_distance)
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
        const scene_kind *kind;
        double least_distance;
        uint64_t hash; /* of the motion recorded with exact contacts */
    } crowds[] = {{&scene_crowd_spheres, 1.8, 0x8b56b20be782f676u},
                  {&scene_crowd_arms, 0.7, 0xc2aac9f083d3c556u}};
    for (int i = 0; i < 2; i++) {
        scene_instance *scene = make(crowds[i].kind, 1280, 0, 1);
        assert_true(scene_is_crowd(scene));
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
        scene_destroy(scene);
    }
}

/* Nothing touches: then all bodies run into the middle. */
static bool touch_never(void *user, const scene_instance *scene, uint32_t step, uint32_t a,
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
    scene_settings settings = {.triangles = 320, .steps = 100, .seed = 5, .bodies = 30};
    scene_instance *scene = scene_create(&scene_crowd_spheres, &settings);
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
    scene_destroy(scene);
}

static void test_crowd_bodies_are_closed(void **state)
{
    (void)state;
    const scene_kind *kinds[2] = {&scene_crowd_spheres, &scene_crowd_arms};
    for (int i = 0; i < 2; i++) {
        scene_instance *scene = make(kinds[i], 0, 0, 1);
        scene_player player = player_create(scene);
        for (uint32_t body = 0; body < scene->body_count; body++) {
            assert_int_equal(scene->bodies[body].triangle_count, 5120);
            assert_true(pliant_shape_is_closed(player.bodies[body].shape));
            assert_true(signed_volume(&scene->bodies[body]) > 0.0);
        }
        for (uint32_t step = 0; step <= scene->steps; step += 100) {
            for (uint32_t body = 0; body < scene->body_count; body++) {
                assert_true(player_count(&player, step, body, body) == 0);
            }
        }
        player_destroy(&player);
        scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_hashes),
        cmocka_unit_test(test_seed_changes_the_scene),
        cmocka_unit_test(test_sine),
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_spheres_are_closed),
        cmocka_unit_test(test_open_and_ugly_meshes),
        cmocka_unit_test(test_local_and_world_agree),
        cmocka_unit_test(test_contacts_of_the_spheres),
        cmocka_unit_test(test_steps_cut_the_same_motion),
        cmocka_unit_test(test_contacts_of_the_others),
        cmocka_unit_test(test_arms),
        cmocka_unit_test(test_crowds_collide),
        cmocka_unit_test(test_crowd_step_by_step),
        cmocka_unit_test(test_crowd_bodies_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
