/* What is left out because it cannot matter, and who does the work, changes no volume. */
#include "solid.h"

#include "volume/volume.h"

static void check_same_measure(const pliant_volume_measure *a, const pliant_volume_measure *b)
{
    assert_true(a->volume == b->volume && a->least == b->least && a->most == b->most);
    assert_memory_equal(&a->box, &b->box, sizeof a->box);
    for (int k = 0; k < 3; k++) {
        assert_true(a->centroid[k] == b->centroid[k]);
    }
}

/* Leaving out what cannot matter changes nothing, and saves reading most of a body. */
static void test_culling(void **state)
{
    (void)state;
    pliant_volume *volume;
    assert_ok(pliant_volume_create(test_context, NULL, &volume));
    for (uint32_t i = 0; i < 8; i++) {
        rng r;
        rng_seed(&r, 50 + i);
        test_place first = place_random(&r, 0.2), second = place_random(&r, 0.2);
        second.translation[i % 3] += i % 2 ? 1.3 : -1.3;
        test_solid a = test_solid_create(test_context, test_solid_torus(64, 128, 0.45, &first));
        test_solid b = test_solid_create(test_context, test_solid_sphere(20480, &second));
        pliant_volume_options options = pliant_volume_options_default();
        options.resolution = 96;
        pliant_volume_measure culled, all;
        assert_ok(pliant_volume_intersect(volume, a.body, b.body, &options, &culled));
        uint64_t triangles = pliant_volume_get_stats(volume)->triangles;
        options.cull = false;
        assert_ok(pliant_volume_intersect(volume, a.body, b.body, &options, &all));
        assert_int_equal(pliant_volume_get_stats(volume)->triangles, 2 * 64 * 128 + 20480);
        assert_true(triangles < 30000);
        check_same_measure(&culled, &all);
        assert_int_equal(all.open_rays, 0);
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
    pliant_volume_destroy(volume);
}

static void check_same_arrays(const pliant_volume_measure *a, const pliant_volume_measure *b)
{
    assert_int_equal(a->span_count, b->span_count);
    if (a->span_count > 0) {
        assert_memory_equal(a->spans, b->spans, a->span_count * sizeof *a->spans);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(a->vertex_count[i], b->vertex_count[i]);
        if (a->vertex_count[i] > 0) {
            assert_memory_equal(a->vertices[i], b->vertices[i],
                                a->vertex_count[i] * sizeof *a->vertices[i]);
        }
    }
}

/* Whether an object holds an image of less than half the rays of its grid. */
static bool has_narrow_image(const pliant_volume *volume)
{
    bool narrow = false;
    for (uint32_t i = 0; i < PLI_IMAGES; i++) {
        const pli_image *image = &volume->images[i];
        uint32_t side = image->grid.resolution;
        narrow = narrow || (image->body != 0 && 2 * image->columns * image->rows < side * side);
    }
    return narrow;
}

/*
 * The body of more triangles is imaged only where the other one is. That changes no volume, span or
 * gradient either, with touched squares or without, whichever body comes first, also where one has
 * a hole, and where one of them is not in the region at all.
 */
static void test_narrowing(void **state)
{
    (void)state;
    pliant_volume *volumes[2];
    assert_ok(pliant_volume_create(test_context, NULL, &volumes[0]));
    assert_ok(pliant_volume_create(test_context, NULL, &volumes[1]));
    uint32_t cases = fixture_count(300), empty = 0, narrowed = 0;
    cases = cases < 24 ? 24 : cases;
    for (uint32_t i = 0; i < cases; i++) {
        rng r;
        rng_seed(&r, 500 + i);
        test_place small = place_random(&r, 1.2), large = place_random(&r, 0.2);
        for (int k = 0; k < 3; k++) { /* a rod: most of its box is empty */
            small.scale[k] *= k == 0 ? 0.9 : 0.08;
            small.translation[k] += i % 7 == 6 ? 9000.0 : 0.0; /* where floats are coarse */
            large.translation[k] += i % 7 == 6 ? 9000.0 : 0.0;
        }
        gallery_mesh ball = test_solid_sphere(320, &small);
        ball.triangle_count -= i % 5 == 4 ? 1 : 0;
        test_solid a = test_solid_create(test_context, ball);
        test_solid b = test_solid_create(test_context, test_solid_torus(24, 48, 0.3, &large));
        pliant_volume_options options = pliant_volume_options_default();
        options.resolution = 16 + i % 40;
        options.error_bound = i % 2 == 0;
        options.spans = options.gradients = options.allow_open = true;
        pliant_volume_measure m[2];
        for (int k = 0; k < 2; k++) {
            options.cull = k == 0;
            assert_ok(pliant_volume_intersect(volumes[k], i % 3 ? a.body : b.body,
                                              i % 3 ? b.body : a.body, &options, &m[k]));
        }
        check_same_measure(&m[0], &m[1]);
        check_same_arrays(&m[0], &m[1]);
        /* Rays are gone along in a shorter way where nobody asks for spans. */
        options.spans = options.gradients = false;
        pliant_volume_measure brief;
        assert_ok(pliant_volume_intersect(volumes[1], i % 3 ? a.body : b.body,
                                          i % 3 ? b.body : a.body, &options, &brief));
        check_same_measure(&m[0], &brief);
        empty += !m[0].overlap && m[0].grid.columns > 0;
        narrowed += has_narrow_image(volumes[0]);
        assert_false(has_narrow_image(volumes[1]));
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
    assert_true(empty > 0 && empty < cases && 10 * narrowed > cases);
    pliant_volume_destroy(volumes[0]);
    pliant_volume_destroy(volumes[1]);
}

/* A solid in three pieces. The outer two are far enough aside for rays along z; the middle one lies
   anywhere, or on the z axis. */
static test_solid create_spread(rng *r, bool centred, double size, double low, double high)
{
    test_place anywhere = place_random(r, 1.0);
    test_place place[3] = {centred ? place_at(0, 0, anywhere.translation[2]) : anywhere,
                           place_at(-20, -20, low), place_at(20, 20, high)};
    for (int k = 0; k < 3; k++) {
        place[0].scale[k] *= size;
    }
    gallery_mesh mesh = test_solid_box(&place[0]);
    for (int i = 1; i < 3; i++) {
        gallery_mesh outer = test_solid_box(&place[i]);
        test_solid_join(&mesh, &outer);
    }
    return test_solid_create(test_context, mesh);
}

/* A cached image that shows less than a call needs is not used. The region is the same in many
   calls, and the middle piece of the other body is smaller and smaller. */
static void test_cached_images(void **state)
{
    (void)state;
    enum { CASES = 480 };
    pliant_volume *volumes[2];
    assert_ok(pliant_volume_create(test_context, NULL, &volumes[0]));
    assert_ok(pliant_volume_create(test_context, NULL, &volumes[1]));
    test_place origin = place_at(0, 0, 0);
    test_solid sphere = test_solid_create(test_context, test_solid_sphere(5120, &origin));
    pliant_volume_options options = pliant_volume_options_default();
    options.resolution = 48;
    options.error_bound = false;
    rng r;
    rng_seed(&r, 900);
    uint32_t cached = 0;
    for (uint32_t i = 0; i < CASES; i++) {
        bool up = 2 * i < CASES; /* rays go to the nearer end of the larger box */
        test_solid spread =
            create_spread(&r, i / 12 % 2, 0.5 / (1 + i % 12), up ? -9 : -5, up ? 5 : 9);
        pliant_volume_measure m[2];
        for (int k = 0; k < 2; k++) {
            options.cull = k == 0;
            assert_ok(
                pliant_volume_intersect(volumes[k], sphere.body, spread.body, &options, &m[k]));
            cached += k == 0 && pliant_volume_get_stats(volumes[k])->images == 1;
        }
        check_same_measure(&m[0], &m[1]);
        test_solid_destroy(&spread);
    }
    assert_true(cached > 0 && cached < CASES);
    test_solid_destroy(&sphere);
    pliant_volume_destroy(volumes[0]);
    pliant_volume_destroy(volumes[1]);
}

/* Volumes, spans and points do not depend on the number of workers. */
static void test_workers(void **state)
{
    (void)state;
    enum { POINTS = 20000 };
    static float points[POINTS][3];
    static pliant_volume_point answers[2][POINTS];
    pliant_volume_measure measures[2], selves[2];
    rng r;
    rng_seed(&r, 70);
    test_place first = place_random(&r, 0.2), second = place_random(&r, 0.2);
    for (uint32_t i = 0; i < 3 * POINTS; i++) {
        points[i / 3][i % 3] = (float)rng_range(&r, -1.5, 1.5);
    }
    for (int i = 0; i < 2; i++) {
        pliant_context_def def = pliant_context_def_default();
        def.workers = i == 0 ? 1 : 3;
        pliant_context *own;
        pliant_volume *volume;
        assert_ok(pliant_context_create(&def, &own));
        assert_ok(pliant_volume_create(own, NULL, &volume));
        test_solid a = test_solid_create(own, test_solid_torus(32, 64, 0.45, &first));
        test_solid b = test_solid_create(own, test_solid_sphere(5120, &second));
        assert_ok(pliant_volume_intersect(volume, a.body, b.body, NULL, &measures[i]));
        assert_ok(pliant_volume_intersect_self(volume, a.body, NULL, &selves[i]));
        assert_ok(pliant_volume_locate_points(volume, a.body, points[0], POINTS, 0, NULL,
                                              answers[i], NULL));
        test_solid_destroy(&a);
        test_solid_destroy(&b);
        pliant_volume_destroy(volume);
        pliant_context_destroy(own);
    }
    check_same_measure(&measures[0], &measures[1]);
    check_same_measure(&selves[0], &selves[1]);
    assert_memory_equal(answers[0], answers[1], sizeof answers[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_culling),
        cmocka_unit_test(test_narrowing),
        cmocka_unit_test(test_cached_images),
        cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
