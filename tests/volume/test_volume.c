/* Volumes of bodies and of overlaps: what is measured, and that the truth lies in the range. */
#include "solid.h"

#include "gallery/closed.h"

#include <math.h>
#include <string.h>

static void test_boxes_on_the_axes(void **state)
{
    (void)state;
    test_place here = place_at(0, 0, 0), there = place_at(1.25, 0.5, -0.75);
    test_solid a = test_solid_create(test_context, test_solid_box(&here));
    test_solid b = test_solid_create(test_context, test_solid_box(&there));
    pliant_volume_measure m = intersect_solids(&a, &b, NULL);
    assert_true(m.overlap);
    double truth = 0.75 * 1.5 * 1.25;
    check_volume_range("boxes", &m, truth, 0.0);
    assert_true(fabs(m.volume - truth) < 1e-6);
    assert_true(m.error < 0.07 * truth);
    const double centre[3] = {0.625, 0.25, -0.375};
    const double lower[3] = {0.25, -0.5, -1.0}, upper[3] = {1.0, 1.0, 0.25};
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(m.centroid[k] - centre[k]) < 1e-5);
        assert_true(fabs((double)m.box.lower[k] - lower[k]) < 1e-5);
        assert_true(fabs((double)m.box.upper[k] - upper[k]) < 1e-5);
    }
    assert_int_equal(m.open_rays, 0);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

static void test_apart_and_touching(void **state)
{
    (void)state;
    test_place here = place_at(0, 0, 0), far = place_at(5, 0, 0), touching = place_at(2, 0, 0);
    test_solid a = test_solid_create(test_context, test_solid_box(&here));
    test_solid b = test_solid_create(test_context, test_solid_box(&far));
    test_solid c = test_solid_create(test_context, test_solid_box(&touching));
    pliant_volume_measure m = intersect_solids(&a, &b, NULL);
    assert_true(!m.overlap && m.volume == 0.0 && m.most == 0.0);
    m = intersect_solids(&a, &c, NULL);
    assert_true(!m.overlap && m.volume == 0.0 && m.most == 0.0);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
    test_solid_destroy(&c);
}

/* One body wholly inside the other: the smaller one's test_volume, from all six sides. */
static void test_containment(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        test_place outer = place_at(0, 0, 0), inner = place_at(0, 0, 0);
        inner.translation[i / 2] = i % 2 ? 0.6 : -0.6;
        for (int k = 0; k < 3; k++) {
            inner.scale[k] = 0.2;
        }
        test_solid a = test_solid_create(test_context, test_solid_box(&outer));
        test_solid b = test_solid_create(test_context, test_solid_sphere(1280, &inner));
        pliant_volume_measure m = intersect_solids(&a, &b, NULL);
        double truth = test_solid_volume(&b.mesh);
        check_volume_range("contained", &m, truth, 1e-9);
        assert_true(fabs(m.volume - truth) < 0.01 * truth);
        m = intersect_solids(&b, &a, NULL);
        check_volume_range("container", &m, truth, 1e-9);
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
}

/* Random convex bodies of all proportions, slivers included, against clipping. */
static void test_random_pairs(void **state)
{
    (void)state;
    uint32_t count = fixture_count(400), overlapping = 0;
    for (uint32_t i = 0; i < count; i++) {
        rng r;
        rng_seed(&r, 7000 + i);
        test_place place[2];
        for (int s = 0; s < 2; s++) {
            place[s] = place_random(&r, 0.8);
            for (int k = 0; k < 3; k++) {
                place[s].scale[k] = exp2(rng_range(&r, -9.0 * rng_unit(&r), 0.5));
            }
        }
        gallery_mesh first = i % 3 == 0   ? test_solid_box(&place[0])
                             : i % 3 == 1 ? test_solid_sphere(320, &place[0])
                                          : test_solid_torus(12, 16, 0.4, &place[0]);
        gallery_mesh second =
            i % 2 == 0 ? test_solid_box(&place[1]) : test_solid_tetrahedron(&place[1]);
        double truth = test_solid_common_volume(&first, &second);
        test_solid a = test_solid_create(test_context, first),
                   b = test_solid_create(test_context, second);
        pliant_volume_options options = volume_at_resolution(1 + (uint32_t)rng_below(&r, 48));
        pliant_volume_measure m = intersect_solids(&a, &b, &options);
        check_volume_range("random pair", &m, truth, 1e-9);
        overlapping += truth > 1e-12;
        /* Without the range the rays are walked in another way, to the same end. */
        options.error_bound = false;
        pliant_volume_measure quick = intersect_solids(&a, &b, &options);
        assert_true(quick.overlap == m.overlap && quick.volume == m.volume);
        assert_memory_equal(&quick.box, &m.box, sizeof m.box);
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
    assert_true(count < 50 || overlapping > count / 8);
}

/* An overlap that lies between all rays: nothing is sampled, but it must not read 0 +- 0. */
static void test_between_the_rays(void **state)
{
    (void)state;
    test_place wide = place_at(0, 0, 0), thin = place_at(0, 0, 0);
    thin.scale[0] = thin.scale[1] = 0.001;
    thin.scale[2] = 0.5;
    test_solid a = test_solid_create(test_context, test_solid_box(&wide));
    /* Two needles, so that the region is wide but the overlap thin. */
    gallery_mesh needles = test_solid_box(&thin);
    for (int i = 0; i < 2; i++) {
        test_place other = thin;
        other.translation[0] = i == 0 ? 0.51 : -0.73;
        other.translation[1] = i == 0 ? 0.37 : -0.21;
        gallery_mesh more = test_solid_box(&other);
        test_solid_join(&needles, &more);
    }
    test_solid b = test_solid_create(test_context, needles);
    double truth = test_solid_volume(&b.mesh);
    pliant_volume_options options = volume_at_resolution(16);
    pliant_volume_measure m = intersect_solids(&a, &b, &options);
    check_volume_range("needles", &m, truth, 0.0);
    assert_true(!m.overlap && m.volume == 0.0 && m.most >= truth);
    /* Finer rays find them. */
    options.resolution = 2048;
    m = intersect_solids(&a, &b, &options);
    check_volume_range("needles", &m, truth, 0.0);
    assert_true(m.overlap && m.least > 0.0);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

/* Errors and bounds fall as pixels shrink: the bound by about half, the error much faster. */
static void test_convergence(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 4);
    test_place first = place_random(&r, 0.1), second = place_random(&r, 0.1);
    second.translation[0] += 0.9;
    test_solid a = test_solid_create(test_context, test_solid_torus(48, 96, 0.4, &first));
    test_solid b = test_solid_create(test_context, test_solid_box(&second));
    double truth = test_solid_common_volume(&a.mesh, &b.mesh), error[2] = {0, 0}, bound[2] = {0, 0};
    for (uint32_t i = 0; i < 5; i++) {
        pliant_volume_options options = volume_at_resolution(32u << i);
        pliant_volume_measure m = intersect_solids(&a, &b, &options);
        check_volume_range("torus", &m, truth, 1e-9);
        if (i == 0 || i == 4) {
            error[i / 4] = fabs(m.volume - truth);
            bound[i / 4] = m.error;
        }
    }
    assert_true(truth > 0.1);
    assert_true(bound[1] < bound[0] / 12.0); /* 16 times smaller pixels */
    assert_true(error[1] < 1e-4 * truth);
    pliant_volume_options options = volume_at_resolution(16);
    options.tolerance = 0.05 * truth;
    options.max_resolution = 2048;
    pliant_volume_measure m = intersect_solids(&a, &b, &options);
    check_volume_range("refined", &m, truth, 1e-9);
    assert_true(m.error <= options.tolerance && m.grid.columns > 16);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

/* Spheres: a lens, whose volume is known. The mesh is finer than the tolerance. */
static void test_lens(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 5);
    test_place first = place_random(&r, 0.0), second = place_random(&r, 0.0);
    second.translation[1] = 1.2;
    test_solid a = test_solid_create(test_context, test_solid_sphere(20480, &first));
    test_solid b = test_solid_create(test_context, test_solid_sphere(20480, &second));
    pliant_volume_measure m = intersect_solids(&a, &b, NULL);
    double d = 1.2, truth = GALLERY_PI * (4.0 + d) * (2.0 - d) * (2.0 - d) / 12.0;
    assert_true(fabs(m.volume - truth) < 0.003 * truth);
    assert_true(m.least < truth && truth < m.most * 1.003 && m.error < 0.2 * truth);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

static void test_volume_of_bodies(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        rng r;
        rng_seed(&r, 90 + i);
        test_place place = place_random(&r, 3.0);
        gallery_mesh mesh = i % 3 == 0   ? test_solid_box(&place)
                            : i % 3 == 1 ? test_solid_sphere(1280, &place)
                                         : test_solid_torus(24, 48, 0.3, &place);
        test_solid a = test_solid_create(test_context, mesh);
        pliant_volume_measure m;
        assert_ok(pliant_volume_measure_body(test_volume, a.body, NULL, &m));
        double truth = test_solid_volume(&a.mesh);
        check_volume_range("body", &m, truth, 1e-9);
        assert_true(fabs(m.volume - truth) < 0.01 * truth);
        assert_int_equal(m.open_rays, 0);
        assert_ok(pliant_volume_intersect_self(test_volume, a.body, NULL, &m));
        assert_true(!m.overlap && m.volume == 0.0);
        check_volume_range("no overlap", &m, 0.0, 0.0);
        assert_true(m.most < 0.2 * truth);
        test_solid_destroy(&a);
    }
}

/* Two boxes of one body overlap; a box turned inside out counts too. */
static void test_self_overlap(void **state)
{
    (void)state;
    test_place first = place_at(0, 0, 0), second = place_at(1.5, 0.25, 0.5);
    gallery_mesh mesh = test_solid_box(&first), more = test_solid_box(&second);
    test_solid_join(&mesh, &more);
    test_solid a = test_solid_create(test_context, mesh);
    double truth = 0.5 * 1.75 * 1.5;
    pliant_volume_measure m;
    assert_ok(pliant_volume_intersect_self(test_volume, a.body, NULL, &m));
    check_volume_range("self", &m, truth, 0.0);
    assert_true(m.overlap && fabs(m.volume - truth) < 0.05 * truth);
    assert_ok(pliant_volume_measure_body(test_volume, a.body, NULL, &m));
    check_volume_range("union", &m, 16.0 - truth, 0.0);
    test_solid_destroy(&a);

    mesh = test_solid_box(&first);
    for (uint32_t t = 0; t < mesh.triangle_count; t++) {
        uint32_t corner = mesh.triangles[3 * t];
        mesh.triangles[3 * t] = mesh.triangles[3 * t + 1];
        mesh.triangles[3 * t + 1] = corner;
    }
    a = test_solid_create(test_context, mesh);
    assert_ok(pliant_volume_intersect_self(test_volume, a.body, NULL, &m));
    check_volume_range("inside out", &m, 8.0, 0.0);
    assert_true(fabs(m.volume - 8.0) < 1e-6);
    test_solid_destroy(&a);
}

/* A body that is 100,000 times larger than the region in question, and off the origin. */
static void test_thin_region_of_a_huge_body(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        test_place huge = place_at(300, 200, -100), tiny = place_at(300, 200, -100);
        for (int k = 0; k < 3; k++) {
            huge.scale[k] = 1000.0;
            tiny.scale[k] = 0.25;
        }
        tiny.translation[i] += 1000.0;
        rng r;
        rng_seed(&r, 12);
        test_place turned = place_random(&r, 0.0);
        memcpy(tiny.rotation, turned.rotation, sizeof tiny.rotation);
        test_solid a = test_solid_create(test_context, test_solid_box(&huge));
        test_solid b = test_solid_create(test_context, test_solid_tetrahedron(&tiny));
        double truth = test_solid_common_volume(&b.mesh, &a.mesh);
        pliant_volume_measure m = intersect_solids(&a, &b, NULL);
        check_volume_range("tiny on huge", &m, truth, 1e-9);
        assert_true(truth > 1e-3 && m.volume > 0.5 * truth && m.volume < 2.0 * truth);
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
}

static void test_spans(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 6);
    test_place first = place_random(&r, 0.1), second = place_random(&r, 0.3);
    test_solid a = test_solid_create(test_context, test_solid_torus(24, 48, 0.4, &first));
    test_solid b = test_solid_create(test_context, test_solid_sphere(1280, &second));
    pliant_volume_options options = volume_at_resolution(64);
    options.spans = true;
    pliant_volume_measure m = intersect_solids(&a, &b, &options);
    assert_true(m.span_count > 100);
    double sum = 0.0;
    for (uint64_t i = 0; i < m.span_count; i++) {
        const pliant_volume_span *s = &m.spans[i];
        assert_true(s->lower <= s->upper && s->column < 64 && s->row < 64);
        sum += ((double)s->upper - (double)s->lower) * m.grid.pixel[0] * m.grid.pixel[1];
        if (i > 0) {
            const pliant_volume_span *p = s - 1;
            assert_true(p->row < s->row || (p->row == s->row && p->column < s->column) ||
                        (p->row == s->row && p->column == s->column && p->upper <= s->lower));
        }
        if (i % 16 == 0) {
            float middle[3];
            uint32_t axis = m.grid.axis;
            middle[axis] = 0.5f * (s->lower + s->upper);
            middle[(axis + 1) % 3] =
                (float)(m.grid.origin[0] + (s->column + 0.5) * m.grid.pixel[0]);
            middle[(axis + 2) % 3] = (float)(m.grid.origin[1] + (s->row + 0.5) * m.grid.pixel[1]);
            double near = 0.01;
            if (test_solid_distance(&a.mesh, middle) > near &&
                test_solid_distance(&b.mesh, middle) > near) {
                assert_int_equal(test_solid_winding(&a.mesh, middle), 1);
                assert_int_equal(test_solid_winding(&b.mesh, middle), 1);
            }
        }
    }
    assert_true(fabs(sum - m.volume) < 1e-5 * m.volume);
    options.spans = false;
    pliant_volume_measure again = intersect_solids(&a, &b, &options);
    assert_true(again.volume == m.volume && again.least == m.least && again.spans == NULL);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

/* The built-in bodies: closed, and apart from themselves. */
static void test_built_in_bodies(void **state)
{
    (void)state;
    for (int kind = 0; kind < CLOSED_KINDS; kind++) {
        gallery_mesh mesh;
        uint32_t triangles = fixture_count(closed_triangles((closed_kind)kind) / 4);
        triangles = triangles < 4000 ? 4000 : triangles;
        assert_true(closed_make((closed_kind)kind, triangles, &mesh));
        assert_true(fabs((double)mesh.triangle_count - triangles) < 0.05 * triangles);
        test_solid a = test_solid_create(test_context, mesh);
        assert_true(pliant_shape_is_closed(a.shape));
        pliant_volume_measure m;
        assert_ok(pliant_volume_measure_body(test_volume, a.body, NULL, &m));
        check_volume_range(closed_name((closed_kind)kind), &m, test_solid_volume(&a.mesh), 1e-9);
        assert_true(m.volume > 0.05);
        assert_ok(pliant_volume_intersect_self(test_volume, a.body, NULL, &m));
        assert_true(m.volume < 1e-3);
        test_solid_destroy(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_on_the_axes),
        cmocka_unit_test(test_apart_and_touching),
        cmocka_unit_test(test_containment),
        cmocka_unit_test(test_random_pairs),
        cmocka_unit_test(test_between_the_rays),
        cmocka_unit_test(test_convergence),
        cmocka_unit_test(test_lens),
        cmocka_unit_test(test_volume_of_bodies),
        cmocka_unit_test(test_self_overlap),
        cmocka_unit_test(test_thin_region_of_a_huge_body),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_built_in_bodies),
    };
    return cmocka_run_group_tests(tests, test_volume_set_up, test_volume_tear_down);
}
