/*
 * Layered depth images. T14: on closed meshes, whatever the view and however degenerate, every ray
 * crosses an even number of layers and its winding number ends at 0. And: no instruction set,
 * number of workers, or tree changes an image.
 */
#include "solid.h"

#include "volume/volume.h"

#include <math.h>

/* Closed meshes: smooth, coarse, folded, on a grid that rays hit exactly, and self-intersecting. */
static gallery_mesh closed_mesh(uint32_t which, rng *r)
{
    test_place place = place_random(r, 2.0);
    gallery_mesh mesh;
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
                for (uint32_t t = 0; t < ray.interval_count; t++) {
                    found = found || (ray.intervals[t].lower >> 1 <= depth &&
                                      depth <= ray.intervals[t].upper >> 1);
                }
                assert_true(found);
            }
        }
    }
}

static void test_even_rays(void **state)
{
    (void)state;
    pliant_volume *volume = test_volume_limited(test_context, WHOLE_IMAGES);
    uint32_t views = fixture_count(10);
    for (uint32_t which = 0; which < 5; which++) {
        for (uint32_t view = 0; view < views; view++) {
            rng r;
            rng_seed(&r, 100 * view + which);
            test_solid solid = test_solid_create(test_context, closed_mesh(which, &r));
            assert_true(pliant_shape_is_closed(solid.shape));
            assert_ok(pliant_body_prepare(solid.body));
            pliant_box box = pli_volume_body_box(solid.body);
            uint32_t resolution = view == 0 ? 128 : 1 + (uint32_t)rng_below(&r, 150);
            pli_image_request request = {.body = solid.body, .intervals = true};
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
            assert_int_equal(x.interval_count, y.interval_count);
            assert_memory_equal(x.crossings, y.crossings, x.crossing_count * sizeof *x.crossings);
            if (x.interval_count > 0) {
                assert_memory_equal(x.intervals, y.intervals,
                                    x.interval_count * sizeof *x.intervals);
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

static image_maker make_image(const gallery_mesh *mesh, pliant_isa isa, uint32_t workers,
                              fixture_tree tree, uint32_t resolution)
{
    image_maker m = {.context = fixture_context_with(isa, workers)};
    m.volume = test_volume_limited(m.context, WHOLE_IMAGES);
    m.shape = fixture_shape(m.context, mesh, tree);
    assert_ok(pliant_body_create(m.shape, NULL, &m.body));
    assert_ok(pli_body_prepare(m.body));
    pliant_box box = pli_volume_body_box(m.body);
    pli_image_request request = {.body = m.body, .intervals = true, .cull = true};
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
        gallery_mesh mesh = closed_mesh(which, &r);
        for (uint32_t i = 0; i < (fixture_scale() < 0.1 ? 3u : 4u); i++) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even_rays),
        cmocka_unit_test(test_same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
