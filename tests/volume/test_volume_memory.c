/* What a volume object keeps: images of bodies that do not move, and its memory; and what it does
   without memory. */
#include "solid.h"

#include <math.h>

/* An image is used again while its body does not move, and only then. */
static void test_reuse(void **state)
{
    (void)state;
    pliant_volume *volume;
    assert_ok(pliant_volume_create(test_context, NULL, &volume));
    rng r;
    rng_seed(&r, 3);
    test_place place = place_random(&r, 0.0);
    test_solid a = test_solid_create(test_context, test_solid_torus(24, 48, 0.4, &place));
    pliant_volume_measure first, again;
    assert_ok(pliant_volume_measure_body(volume, a.body, NULL, &first));
    assert_int_equal(pliant_volume_get_stats(volume)->images, 1);
    assert_ok(pliant_volume_intersect_self(volume, a.body, NULL, &again));
    assert_int_equal(pliant_volume_get_stats(volume)->images, 0);
    float point[3] = {1.0f, 0.0f, 0.0f};
    pliant_volume_point answer;
    assert_ok(pliant_volume_locate_points(volume, a.body, point, 1, 0, NULL, &answer, NULL));
    assert_int_equal(pliant_volume_get_stats(volume)->images, 0);
    for (uint32_t i = 0; i < 3 * a.mesh.vertex_count; i++) {
        a.mesh.positions[i] *= 2.0f;
    }
    assert_ok(pliant_body_set_positions(a.body, a.mesh.positions, 0));
    assert_ok(pliant_volume_measure_body(volume, a.body, NULL, &again));
    assert_int_equal(pliant_volume_get_stats(volume)->images, 1);
    assert_true(fabs(again.volume - 8.0 * first.volume) < 1e-3 * again.volume);
    test_solid_destroy(&a);
    pliant_volume_destroy(volume);
}

/* Pairs at rest keep their images while another body moves: it overwrites its own. */
static void test_reuse_of_pairs(void **state)
{
    (void)state;
    enum { RESTING = 6 };
    pliant_volume *volume;
    assert_ok(pliant_volume_create(test_context, NULL, &volume));
    test_solid solids[RESTING + 1];
    for (uint32_t i = 0; i <= RESTING; i++) {
        test_place place = place_at(3.0 * (i / 2), 0.9 * (i % 2), 0.0);
        solids[i] = test_solid_create(test_context, test_solid_torus(16, 32, 0.4, &place));
    }
    test_solid *moving = &solids[RESTING];
    double before[RESTING / 2] = {0};
    for (uint32_t step = 0; step < 5; step++) {
        pliant_volume_measure m;
        for (uint32_t i = 0; i < RESTING; i += 2) {
            assert_ok(
                pliant_volume_intersect(volume, solids[i].body, solids[i + 1].body, NULL, &m));
            assert_int_equal(pliant_volume_get_stats(volume)->images, step == 0 ? 2 : 0);
            assert_true(m.volume > 0.0 && (step == 0 || m.volume == before[i / 2]));
            before[i / 2] = m.volume;
        }
        moving->mesh.positions[0] += 0.01f;
        assert_ok(pliant_body_set_positions(moving->body, moving->mesh.positions, 0));
        assert_ok(pliant_volume_measure_body(volume, moving->body, NULL, &m));
        assert_int_equal(pliant_volume_get_stats(volume)->images, 1);
    }
    for (uint32_t i = 0; i <= RESTING; i++) {
        test_solid_destroy(&solids[i]);
    }
    pliant_volume_destroy(volume);
}

/* Without memory, at whatever point, a call fails, nothing leaks, and the next one is right. */
static void test_out_of_memory(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 9);
    test_place first = place_random(&r, 0.1), second = place_random(&r, 0.1);
    gallery_mesh meshes[2] = {test_solid_torus(12, 24, 0.4, &first), test_solid_box(&second)};
    counting_allocator allocator = {0};
    pliant_context *counted = fixture_context(&allocator);
    test_solid a = test_solid_create(counted, meshes[0]), b = test_solid_create(counted, meshes[1]);
    pliant_volume_options options = pliant_volume_options_default();
    options.spans = options.gradients = true;
    options.resolution = 32;
    double expected = 0.0;
    bool failed = true;
    for (uint32_t i = 0; failed; i++) {
        assert_ok(pliant_body_set_positions(a.body, a.mesh.positions, 0));
        allocator.fail_at = i == 0 ? 0 : allocator.calls + i;
        pliant_volume *volume = NULL;
        pliant_volume_measure m = {.volume = -1.0};
        pliant_result result = pliant_volume_create(counted, NULL, &volume);
        if (result == PLIANT_OK) {
            result = pliant_volume_intersect(volume, a.body, b.body, &options, &m);
        }
        failed = i == 0 || result != PLIANT_OK;
        if (result != PLIANT_OK) {
            assert_int_equal(result, PLIANT_ERROR_OUT_OF_MEMORY);
            assert_true(m.volume == -1.0);
            allocator.fail_at = 0;
            if (volume != NULL) {
                assert_ok(pliant_volume_intersect(volume, a.body, b.body, &options, &m));
                assert_true(m.volume == expected);
            }
        } else {
            expected = i == 0 ? m.volume : expected;
            assert_true(m.volume == expected && expected > 0.0);
        }
        allocator.fail_at = 0;
        pliant_volume_destroy(volume);
    }
    test_solid_destroy(&a);
    test_solid_destroy(&b);
    pliant_context_destroy(counted);
    assert_int_equal(allocator.live, 0);
}

/* A warm object allocates nothing. */
static void test_warm(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *counted = fixture_context(&allocator);
    rng r;
    rng_seed(&r, 10);
    test_place first = place_random(&r, 0.1), second = place_random(&r, 0.1);
    test_solid a = test_solid_create(counted, test_solid_torus(24, 48, 0.4, &first));
    test_solid b = test_solid_create(counted, test_solid_sphere(1280, &second));
    pliant_volume *volume;
    assert_ok(pliant_volume_create(counted, NULL, &volume));
    uint64_t before = 0;
    for (int i = 0; i < 8; i++) {
        before = i == 6 ? allocator.calls : before;
        assert_ok(pliant_body_set_positions(a.body, a.mesh.positions, 0));
        pliant_volume_measure m;
        assert_ok(pliant_volume_intersect(volume, a.body, b.body, NULL, &m));
    }
    assert_int_equal(allocator.calls, before);
    assert_true(pliant_volume_get_memory(volume) > 100000);
    pliant_volume_destroy(volume);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
    pliant_context_destroy(counted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_reuse_of_pairs),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_warm),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
