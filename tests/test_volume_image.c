/*
 * Layered depth images. T14: on closed meshes, whatever the view and however degenerate, every ray
 * crosses an even number of layers and its winding number ends at 0. And: no instruction set,
 * number of workers, tree, or culling changes an image.
 */
#include "solid.h"

#include "volume/volume.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pliant_context *context;

static int set_up(void **state)
{
    (void)state;
    assert_ok(pliant_context_create(NULL, &context));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pliant_context_destroy(context);
    return 0;
}

/* Closed meshes: smooth, coarse, folded, on a grid that rays hit exactly, and self-intersecting. */
static scene_mesh closed_mesh(uint32_t which, rng *r)
{
    test_place place = place_random(r, 2.0);
    scene_mesh mesh;
    switch (which) {
    case 0:
        return test_solid_sphere(fixture_count(5120), &place);
    case 1:
        return test_solid_torus(16, 40, 0.4, &place);
    case 2: /* corners at multiples of 1/8: edges and corners lie on rays */
        place = place_at(0, 0, 0);
        mesh = test_solid_torus(12, 24, 0.5, &place);
        for (uint32_t i = 0; i < 3 * mesh.vertex_count; i++) {
            mesh.positions[i] = rintf(8.0f * mesh.positions[i]) / 8.0f;
        }
        return mesh;
    case 3: /* anything goes: a sphere's triangles over random corners */
        mesh = test_solid_sphere(320, &place);
        for (uint32_t i = 0; i < 3 * mesh.vertex_count; i++) {
            mesh.positions[i] = (float)rng_range(r, -1.0, 1.0);
        }
        return mesh;
    default: /* slivers: nearly all of it edge-on, many triangles per pixel */
        place.scale[0] = 1e-4;
        place.scale[1] = 3.0;
        return test_solid_sphere(1280, &place);
    }
}

static void check_even(const pli_image *image, const char *what, uint32_t number)
{
    for (uint32_t row = 0; row < image->rows; row++) {
        for (uint32_t column = 0; column < image->columns; column++) {
            pli_ray ray = pli_image_ray(image, column, row);
            int32_t winding = 0;
            for (uint32_t i = 0; i < ray.crossing_count; i++) {
                winding += pli_crossing_step(ray.crossings[i]);
                assert_true(i == 0 || ray.crossings[i - 1] <= ray.crossings[i]);
            }
            if (ray.crossing_count % 2 != 0 || winding != 0) {
                fail_msg("%s %u: the ray at column %u, row %u has %u crossings and ends at %d",
                         what, number, column, row, ray.crossing_count, winding);
            }
            /* Every crossing lies in a touched stretch. */
            for (uint32_t i = 0; i < ray.crossing_count; i++) {
                uint32_t depth = pli_crossing_depth(ray.crossings[i]);
                bool found = false;
                for (uint32_t t = 0; t < ray.touch_count; t++) {
                    found = found || (ray.touches[t].lower >> 1 <= depth &&
                                      depth <= ray.touches[t].upper >> 1);
                }
                assert_true(found);
            }
        }
    }
}

static void test_even_rays(void **state)
{
    (void)state;
    pliant_volume *volume;
    assert_ok(pliant_volume_create(context, NULL, &volume));
    uint32_t views = fixture_count(10);
    for (uint32_t which = 0; which < 5; which++) {
        for (uint32_t view = 0; view < views; view++) {
            rng r;
            rng_seed(&r, 100 * view + which);
            test_solid solid = test_solid_create(context, closed_mesh(which, &r));
            assert_true(pliant_shape_is_closed(solid.shape));
            assert_ok(pliant_body_prepare(solid.body));
            pliant_box box = pli_volume_body_box(solid.body);
            uint32_t resolution = view == 0 ? 128 : 1 + (uint32_t)rng_below(&r, 150);
            pli_image_request request = {.body = solid.body, .touches = true};
            pli_grid_for_body(&box, view % 3, resolution, &request.grid);
            request.window = pli_grid_whole(&request.grid);
            const pli_image *image;
            assert_ok(pli_volume_image(volume, &request, &image));
            check_even(image, "mesh", which);
            assert_true(resolution < 100 || pli_image_depth_complexity(image) >= 2);
            test_solid_destroy(&solid);
        }
    }
    pliant_volume_destroy(volume);
}

/* All rays of two images, compared. */
static void check_same(const pli_image *a, const pli_image *b)
{
    assert_true(a->columns == b->columns && a->rows == b->rows);
    for (uint32_t row = 0; row < a->rows; row++) {
        for (uint32_t column = 0; column < a->columns; column++) {
            pli_ray x = pli_image_ray(a, column, row), y = pli_image_ray(b, column, row);
            assert_int_equal(x.crossing_count, y.crossing_count);
            assert_int_equal(x.touch_count, y.touch_count);
            assert_memory_equal(x.crossings, y.crossings, x.crossing_count * sizeof *x.crossings);
            if (x.touch_count > 0) {
                assert_memory_equal(x.touches, y.touches, x.touch_count * sizeof *x.touches);
            }
        }
    }
}

/* One way to make an image: its own context and tree. */
typedef struct image_maker {
    pliant_context *context;
    pliant_volume *volume;
    pliant_shape *shape;
    pliant_body *body;
    const pli_image *image;
} image_maker;

static image_maker make_image(const scene_mesh *mesh, pliant_isa isa, uint32_t workers,
                              fixture_tree tree, uint32_t resolution)
{
    image_maker m;
    pliant_context_def def = pliant_context_default();
    def.isa = isa;
    def.workers = workers;
    assert_ok(pliant_context_create(&def, &m.context));
    assert_ok(pliant_volume_create(m.context, NULL, &m.volume));
    m.shape = fixture_shape(m.context, mesh, tree);
    assert_ok(pliant_body_create(m.shape, NULL, &m.body));
    assert_ok(pli_body_prepare(m.body));
    pliant_box box = pli_volume_body_box(m.body);
    pli_image_request request = {.body = m.body, .touches = true, .cull = true};
    pli_grid_for_body(&box, PLI_ANY_AXIS, resolution, &request.grid);
    request.window = pli_grid_whole(&request.grid);
    assert_ok(pli_volume_image(m.volume, &request, &m.image));
    return m;
}

static void destroy_image(image_maker *m)
{
    pliant_body_destroy(m->body);
    pliant_shape_destroy(m->shape);
    pliant_volume_destroy(m->volume);
    pliant_context_destroy(m->context);
}

static void test_same_bits_everywhere(void **state)
{
    (void)state;
    static const fixture_tree trees[2] = {{PLIANT_PARTITION_BALANCED, 8, 8},
                                          {PLIANT_PARTITION_SHAPE_MEAN, 2, 3}};
    static const uint32_t resolutions[4] = {1, 33, 128, 400};
    for (uint32_t which = 0; which < 5; which++) {
        rng r;
        rng_seed(&r, which);
        scene_mesh mesh = closed_mesh(which, &r);
        for (uint32_t i = 0; i < 4; i++) {
            image_maker plain = make_image(&mesh, PLIANT_ISA_PLAIN, 1, trees[0], resolutions[i]);
            for (int isa = PLIANT_ISA_BASELINE; isa <= PLIANT_ISA_AVX512; isa++) {
                image_maker other = make_image(&mesh, (pliant_isa)isa, isa % 2 ? 3 : 1,
                                               trees[isa % 2], resolutions[i]);
                check_same(plain.image, other.image);
                destroy_image(&other);
            }
            destroy_image(&plain);
        }
        mesh_free(&mesh);
    }
}

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
    assert_ok(pliant_volume_create(context, NULL, &volume));
    for (uint32_t i = 0; i < 8; i++) {
        rng r;
        rng_seed(&r, 50 + i);
        test_place first = place_random(&r, 0.2), second = place_random(&r, 0.2);
        second.translation[i % 3] += i % 2 ? 1.3 : -1.3;
        test_solid a = test_solid_create(context, test_solid_torus(64, 128, 0.45, &first));
        test_solid b = test_solid_create(context, test_solid_sphere(20480, &second));
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
    assert_ok(pliant_volume_create(context, NULL, &volumes[0]));
    assert_ok(pliant_volume_create(context, NULL, &volumes[1]));
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
        scene_mesh ball = test_solid_sphere(320, &small);
        ball.triangle_count -= i % 5 == 4 ? 1 : 0;
        test_solid a = test_solid_create(context, ball);
        test_solid b = test_solid_create(context, test_solid_torus(24, 48, 0.3, &large));
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
        pliant_context_def def = pliant_context_default();
        def.workers = i == 0 ? 1 : 3;
        pliant_context *own;
        pliant_volume *volume;
        assert_ok(pliant_context_create(&def, &own));
        assert_ok(pliant_volume_create(own, NULL, &volume));
        test_solid a = test_solid_create(own, test_solid_torus(32, 64, 0.45, &first));
        test_solid b = test_solid_create(own, test_solid_sphere(5120, &second));
        assert_ok(pliant_volume_intersect(volume, a.body, b.body, NULL, &measures[i]));
        assert_ok(pliant_volume_overlap_self(volume, a.body, NULL, &selves[i]));
        assert_ok(
            pliant_volume_contains(volume, a.body, points[0], POINTS, 0, NULL, answers[i], NULL));
        test_solid_destroy(&a);
        test_solid_destroy(&b);
        pliant_volume_destroy(volume);
        pliant_context_destroy(own);
    }
    check_same_measure(&measures[0], &measures[1]);
    check_same_measure(&selves[0], &selves[1]);
    assert_memory_equal(answers[0], answers[1], sizeof answers[0]);
}

/* An image is used again while its body does not move, and only then. */
static void test_reuse(void **state)
{
    (void)state;
    pliant_volume *volume;
    assert_ok(pliant_volume_create(context, NULL, &volume));
    rng r;
    rng_seed(&r, 3);
    test_place place = place_random(&r, 0.0);
    test_solid a = test_solid_create(context, test_solid_torus(24, 48, 0.4, &place));
    pliant_volume_measure first, again;
    assert_ok(pliant_volume_of_body(volume, a.body, NULL, &first));
    assert_int_equal(pliant_volume_get_stats(volume)->images, 1);
    assert_ok(pliant_volume_overlap_self(volume, a.body, NULL, &again));
    assert_int_equal(pliant_volume_get_stats(volume)->images, 0);
    float point[3] = {1.0f, 0.0f, 0.0f};
    pliant_volume_point answer;
    assert_ok(pliant_volume_contains(volume, a.body, point, 1, 0, NULL, &answer, NULL));
    assert_int_equal(pliant_volume_get_stats(volume)->images, 0);
    for (uint32_t i = 0; i < 3 * a.mesh.vertex_count; i++) {
        a.mesh.positions[i] *= 2.0f;
    }
    assert_ok(pliant_body_set_positions(a.body, a.mesh.positions, 0));
    assert_ok(pliant_volume_of_body(volume, a.body, NULL, &again));
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
    assert_ok(pliant_volume_create(context, NULL, &volume));
    test_solid solids[RESTING + 1];
    for (uint32_t i = 0; i <= RESTING; i++) {
        test_place place = place_at(3.0 * (i / 2), 0.9 * (i % 2), 0.0);
        solids[i] = test_solid_create(context, test_solid_torus(16, 32, 0.4, &place));
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
        assert_ok(pliant_volume_of_body(volume, moving->body, NULL, &m));
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
    scene_mesh meshes[2] = {test_solid_torus(12, 24, 0.4, &first), test_solid_box(&second)};
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
    assert_true(pliant_volume_memory(volume) > 100000);
    pliant_volume_destroy(volume);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
    pliant_context_destroy(counted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even_rays),      cmocka_unit_test(test_same_bits_everywhere),
        cmocka_unit_test(test_culling),        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_reuse_of_pairs), cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_warm),           cmocka_unit_test(test_narrowing),
        cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
