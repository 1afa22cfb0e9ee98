/* The numbers of the built-in scenes: the same bits everywhere, and placed where they say. */
#include "scene_player.h"

#include <math.h>
#include <stdlib.h>

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
        {"crowd-arms", 0x234f2b310add121bu}, {"shatter", 0x3113bf7138a0c6d2u},
    };
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        const gallery_kind *kind = gallery_find(golden[i].name);
        assert_non_null(kind);
        gallery_scene *scene = player_scene(kind, 0, 0, 1);
        uint64_t hash = hash_scene(scene);
        if (hash != golden[i].hash) {
            print_message("%s: 0x%016llx\n", golden[i].name, (unsigned long long)hash);
        }
        assert_true(hash == golden[i].hash);
        gallery_destroy(scene);
    }
    assert_null(gallery_find("nothing"));
}

/* Some scenes are simulated when they are made: small runs share them out among the tests. */
static uint32_t every_kind(void)
{
    return fixture_scale() < 0.1 ? 2 : 1;
}

static void test_seed_changes_the_scene(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gallery_kind_count; i += every_kind()) {
        gallery_scene *first = player_scene(gallery_kinds[i], 320, 12, 1);
        gallery_scene *other = player_scene(gallery_kinds[i], 320, 12, 2);
        assert_true(hash_scene(first) != hash_scene(other));
        if (fixture_scale() >= 10.0) { /* slow, and known from the hashes above */
            gallery_scene *again = player_scene(gallery_kinds[i], 320, 12, 1);
            assert_true(hash_scene(first) == hash_scene(again));
            gallery_destroy(again);
        }
        gallery_destroy(first);
        gallery_destroy(other);
    }
}

static void test_sine(void **state)
{
    (void)state;
    for (int i = -20000; i <= 20000; i++) {
        double x = 0.00731 * i;
        assert_true(fabs(gallery_sin(x) - sin(x)) < 1e-14);
        assert_true(fabs(gallery_cos(x) - cos(x)) < 1e-14);
    }
}

static void test_rotations(void **state)
{
    (void)state;
    gallery_random random = gallery_random_seed(7, 0);
    for (int i = 0; i < 1000; i++) {
        double r[3][3];
        gallery_random_rotation(&random, r);
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

/* World positions are the placed local ones, up to the rounding of either. */
static void test_local_and_world_agree(void **state)
{
    (void)state;
    uint32_t triangles = fixture_scale() < 10.0 ? 320 : 0; /* the usual size takes half a minute */
    for (uint32_t k = every_kind() - 1; k < gallery_kind_count; k += every_kind()) {
        gallery_scene *scene = player_scene(gallery_kinds[k], triangles, 12, 3);
        for (uint32_t body = 0; body < scene->body_count; body++) {
            float *world = allocate_positions(scene, body);
            float *local = allocate_positions(scene, body);
            gallery_placement placement;
            uint32_t step = scene->steps / 3;
            gallery_evaluate(scene, body, step, world);
            gallery_evaluate_local(scene, body, step, local);
            gallery_place(scene, body, step, &placement);
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
        gallery_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_hashes),
        cmocka_unit_test(test_seed_changes_the_scene),
        cmocka_unit_test(test_sine),
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_local_and_world_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
