/* The regions that contours cut closed bodies into (D12), where one knows what they must be: holes
   in faces, dents, bodies that overlap themselves, seams. */
#include "contour_check.h"
#include "solid.h"

#include <math.h>
#include <string.h>

/* A bar through a box has no vertex inside it and still a depth; of the box, two faces have holes.
 */
static void test_bar_through_box(void **state)
{
    (void)state;
    test_place upright = place_at(0.013, 0.027, 0.0), here = place_at(0.0, 0.0, 0.0);
    upright.scale[0] = upright.scale[1] = 0.1;
    upright.scale[2] = 3.0;
    test_solid box = test_solid_create(test_context, test_solid_box(&here));
    test_solid bar = test_solid_create(test_context, test_solid_box(&upright));
    pliant_contour_set set = {.length = 0.0};
    assert_ok(pliant_contours_find(test_contours, box.body, bar.body, NULL, &set));
    contour_case c = contour_case_of(box.body, &box.mesh, bar.body, &bar.mesh);
    assert_int_equal(contour_check_set(&c, &set), 0);
    contour_check_regions(&c, &set, true);
    assert_int_equal(set.contour_count, 2);
    assert_true(fabs(set.length - 2 * 0.8) < 1e-5);
    double area[2] = {0.0, 0.0}, depth[2] = {0.0, 0.0};
    for (uint64_t i = 0; i < set.region_count; i++) {
        const pliant_region *region = &set.regions[i];
        assert_false(region->guess);
        area[region->body] += region->inside ? region->area : 0.0;
        depth[region->body] = fmax(depth[region->body], region->depth);
    }
    assert_true(fabs(area[0] - 2 * 0.04) < 1e-5);      /* of the box, in the bar */
    assert_true(fabs(area[1] - 4 * 0.2 * 2.0) < 1e-4); /* of the bar, in the box */
    assert_true(fabs(depth[1] - 0.927) < 1e-3);        /* of the middle of a side's diagonal */
    contour_case_free(&c);
    test_solid_destroy(&box);
    test_solid_destroy(&bar);
}

/* The tip of a tetrahedron through one triangle: a hole in it that has neither vertex nor edge. */
static void test_tip_through_triangle(void **state)
{
    (void)state;
    test_place far = place_at(0.1, 0.2, 1.9), here = place_at(0.0, 0.0, 0.0);
    gallery_mesh spike = test_solid_tetrahedron(&far);
    uint32_t lowest = 0;
    for (uint32_t v = 1; v < spike.vertex_count; v++) {
        lowest = spike.positions[3 * v + 2] < spike.positions[3 * lowest + 2] ? v : lowest;
    }
    for (uint32_t v = 0; v < spike.vertex_count; v++) {
        spike.positions[3 * v] = v == lowest ? 0.41f : spike.positions[3 * v];
        spike.positions[3 * v + 1] = v == lowest ? 0.31f : spike.positions[3 * v + 1];
        spike.positions[3 * v + 2] = v == lowest ? 0.95f : 1.5f + 0.1f * (float)v;
    }
    test_solid box = test_solid_create(test_context, test_solid_box(&here));
    test_solid tip = test_solid_create(test_context, spike);
    pliant_contour_set set = {.length = 0.0};
    assert_ok(pliant_contours_find(test_contours, box.body, tip.body, NULL, &set));
    contour_case c = contour_case_of(box.body, &box.mesh, tip.body, &tip.mesh);
    assert_int_equal(contour_check_set(&c, &set), 0);
    contour_check_regions(&c, &set, true);
    assert_int_equal(set.contour_count, 1);
    assert_int_equal(set.segment_count, 3);
    assert_int_equal(set.region_count, 4);
    uint64_t holes = 0, tips = 0;
    for (uint64_t i = 0; i < 4; i++) {
        const pliant_region *region = &set.regions[i];
        assert_false(region->guess);
        holes += region->inside && region->body == 0 && region->vertex_count == 0 &&
                 region->piece_count == 1 && region->area > 0.0;
        tips += region->inside && region->body == 1 && region->vertex_count == 1 &&
                fabs(region->depth - 0.05) < 1e-6;
    }
    assert_int_equal(holes, 1);
    assert_int_equal(tips, 1);
    contour_case_free(&c);
    test_solid_destroy(&box);
    test_solid_destroy(&tip);
}

/* A dent in the top of a box reaches through a plate inside it: what of the plate is in the dent is
   outside, a hole in a triangle that is inside. */
static void test_dent_through_plate(void **state)
{
    (void)state;
    static const float dented[9][3] = {{-2, -2, -2}, {2, -2, -2}, {-2, 2, -2},
                                       {2, 2, -2},   {-2, -2, 2}, {2, -2, 2},
                                       {-2, 2, 2},   {2, 2, 2},   {0.3f, -0.4f, -0.5f}};
    static const uint32_t sides[14][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 8}, {5, 7, 8}, {7, 6, 8},
                                          {6, 4, 8}, {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    static const float plate[4][3] = {
        {-1.5f, -1.4f, 0}, {1.5f, -1.4f, 0.01f}, {0, 1.5f, 0}, {0, 0, -1.8f}};
    test_solid a = test_solid_create(test_context, test_solid_corners(plate));
    test_solid b = test_solid_create(test_context, test_solid_mesh(dented, 9, sides, 14));
    assert_true(pliant_shape_is_closed(a.shape) && pliant_shape_is_closed(b.shape));
    pliant_contour_set set = {.length = 0.0};
    assert_ok(pliant_contours_find(test_contours, a.body, b.body, NULL, &set));
    contour_case c = contour_case_of(a.body, &a.mesh, b.body, &b.mesh);
    assert_int_equal(contour_check_set(&c, &set), 0);
    contour_check_regions(&c, &set, true);
    uint64_t holes = 0;
    for (uint64_t i = 0; i < set.region_count; i++) {
        const pliant_region *region = &set.regions[i];
        assert_false(region->guess);
        bool hole = region->body == 0 && region->vertex_count == 0;
        holes += hole;
        assert_true(region->body == 1 || region->inside == !hole);
    }
    assert_int_equal(holes, 1);
    contour_case_free(&c);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

/* A body of two solids that overlap has winding number 2 where they do: that is inside too. */
static void test_self_overlapping_bodies(void **state)
{
    (void)state;
    rng r;
    uint64_t compared = 0, regions = 0, guesses = 0;
    for (uint32_t i = 0; i < fixture_at_least(20, 100); i++) {
        rng_seed(&r, 15000 + i);
        gallery_mesh both = test_solid_random(&r), more = test_solid_random(&r);
        test_solid_join(&both, &more);
        test_solid a = test_solid_create(test_context, test_solid_random(&r));
        test_solid b = test_solid_create(test_context, both);
        pliant_contour_set set = {.length = 0.0};
        assert_ok(pliant_contours_find(test_contours, a.body, b.body, NULL, &set));
        contour_case c = contour_case_of(a.body, &a.mesh, b.body, &b.mesh);
        assert_int_equal(contour_check_set(&c, &set), 0);
        compared += contour_check_regions(&c, &set, true);
        for (uint64_t k = 0; k < set.region_count; k++) {
            regions++;
            guesses += set.regions[k].guess;
        }
        contour_case_free(&c);
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
    print_message("%u regions, %u guessed, %u vertices compared\n", (unsigned)regions,
                  (unsigned)guesses, (unsigned)compared);
    assert_true(compared > 20 * fixture_at_least(20, 100));
    assert_true(guesses * 10 <= regions);
}

/* The same mesh with three vertices of its own for every triangle. */
static gallery_mesh torn_mesh(const gallery_mesh *mesh)
{
    gallery_mesh torn;
    assert_true(mesh_allocate(3 * mesh->triangle_count, mesh->triangle_count, &torn));
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
        torn.triangles[i] = i;
        memcpy(torn.positions + 3 * (size_t)i, mesh->positions + 3 * (size_t)mesh->triangles[i],
               12);
    }
    return torn;
}

/* Seams change nothing while their vertices lie together; once they are moved apart the surface is
   open, and what is inside is a guess. */
static void test_seams(void **state)
{
    (void)state;
    test_place p = place_at(0.0, 0.0, 0.0), q = place_at(0.7, 0.5, 0.3);
    test_solid a = test_solid_create(test_context, test_solid_sphere(320, &p));
    test_solid b = test_solid_create(test_context, test_solid_sphere(320, &q));
    test_solid torn = {.mesh = torn_mesh(&b.mesh)};
    torn.shape = fixture_shape(test_context, &torn.mesh, fixture_usual_tree); /* which welds */
    assert_ok(pliant_body_create(torn.shape, NULL, &torn.body));
    pliant_contour_set set = {.length = 0.0};
    assert_ok(pliant_contours_find(test_contours, a.body, b.body, NULL, &set));
    double length = set.length, depth = set.regions[0].depth;
    uint64_t regions = set.region_count, segments = set.segment_count;
    assert_ok(pliant_contours_find(test_contours, a.body, torn.body, NULL, &set));
    assert_int_equal(set.contour_count, 1);
    assert_int_equal(set.contours[0].begin, PLIANT_CONTOUR_CLOSED);
    assert_int_equal(set.segment_count, segments);
    assert_int_equal(set.region_count, regions);
    assert_true(set.length == length && set.regions[0].depth == depth);
    assert_false(set.regions[0].guess);
    for (uint32_t v = 0; v < torn.mesh.vertex_count; v++) { /* triangles shrink */
        uint32_t first = v / 3 * 3;
        for (uint32_t k = 0; k < 3; k++) {
            float *x = torn.mesh.positions + 3 * (size_t)v + k;
            float mean =
                (torn.mesh.positions[3 * first + k] + torn.mesh.positions[3 * first + 3 + k] +
                 torn.mesh.positions[3 * first + 6 + k]) /
                3.0f;
            *x += 0.05f * (mean - *x);
        }
    }
    assert_ok(pliant_body_set_positions(torn.body, torn.mesh.positions, 0));
    assert_ok(pliant_contours_find(test_contours, a.body, torn.body, NULL, &set));
    contour_case c = contour_case_of(a.body, &a.mesh, torn.body, &torn.mesh);
    assert_true(contour_check_set(&c, &set) > 1);
    assert_true(set.regions[0].body == 0 && set.regions[0].guess);
    for (uint64_t i = 0; i < set.contour_count; i++) {
        assert_int_equal(set.contours[i].end, PLIANT_CONTOUR_BORDER);
    }
    contour_case_free(&c);
    test_place far = place_at(9.0, 0.0, 0.0); /* nothing contradicts, and yet nothing is known */
    test_solid away = test_solid_create(test_context, test_solid_sphere(80, &far));
    assert_ok(pliant_contours_find(test_contours, away.body, torn.body, NULL, &set));
    assert_true(set.regions[0].guess && !set.regions[0].inside);
    test_solid_destroy(&away);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
    test_solid_destroy(&torn);
}

/* Triangles with one common edge and each with a tip on a face of the box. The tips are the first
   vertices. */
static gallery_mesh spikes_on_face(int axis, float side, float depth, uint32_t tips)
{
    gallery_mesh mesh;
    assert_true(mesh_allocate(tips + 2, tips, &mesh));
    for (uint32_t v = 0; v < tips + 2; v++) {
        float *p = mesh.positions + 3 * (size_t)v;
        bool tip = v < tips;
        p[axis] = side * (tip ? 1.0f : 1.0f - depth);
        p[(axis + 1) % 3] = tip ? 0.2f * (float)(v % 8) - 0.7f : 0.0f;
        p[(axis + 2) % 3] = tip ? 0.2f * (float)(v / 8) - 0.7f : 0.1f * (float)(v - tips);
        if (tip) {
            const uint32_t triangle[3] = {v, tips, tips + 1};
            memcpy(mesh.triangles + 3 * (size_t)v, triangle, sizeof triangle);
        }
    }
    return mesh;
}

/* A vertex exactly on the other surface does not locate a region. Up to 64 vertices are tried
   (D12). */
static void test_vertices_on_the_surface(void **state)
{
    (void)state;
    test_place here = place_at(0.0, 0.0, 0.0);
    test_solid box = test_solid_create(test_context, test_solid_box(&here));
    for (uint32_t i = 0; i < 24; i++) {
        bool inside = i % 2 == 0;
        uint32_t tips = i / 12 == 0 ? 63 : 64;
        gallery_mesh mesh = spikes_on_face((int)(i / 4 % 3), i / 2 % 2 == 0 ? 1.0f : -1.0f,
                                           inside ? 0.5f : -0.5f, tips);
        test_solid spikes = test_solid_create(test_context, mesh);
        pliant_contour_set set;
        assert_ok(pliant_contours_find(test_contours, spikes.body, box.body, NULL, &set));
        contour_case c = contour_case_of(spikes.body, &spikes.mesh, box.body, &box.mesh);
        assert_int_equal(contour_check_set(&c, &set), 0);
        contour_check_regions(&c, &set, true);
        assert_true(set.contour_count == 0 && set.region_count == 2 && set.touch_count >= tips);
        assert_int_equal(set.regions[0].guess, tips == 64);
        assert_int_equal(set.regions[0].inside, inside && tips < 64);
        contour_case_free(&c);
        test_solid_destroy(&spikes);
    }
    test_solid_destroy(&box);
}

/* Two tetrahedra whose sections at height 0 are triangles of different area, each with one corner
   in the other. first_a and first_b are the corners with which the sections begin. */
static gallery_mesh crossing_spikes(uint32_t first_a, uint32_t first_b)
{
    static const float outline[2][3][2] = {{{0.1f, 0}, {-1, 1}, {-1, -1.1f}},
                                           {{-0.1f, 0.02f}, {1.2f, -1}, {1.3f, 1}}};
    const uint32_t first[2] = {first_a, first_b};
    gallery_mesh mesh[2];
    for (uint32_t s = 0; s < 2; s++) {
        float corners[4][3] = {{0}};
        corners[3][0] = s == 0 ? -0.6f : 0.6f;
        corners[3][2] = -1.0f;
        for (uint32_t v = 0; v < 3; v++) { /* half way from the apex to a corner */
            const float *at = outline[s][(v + first[s]) % 3];
            corners[v][0] = 2.0f * at[0] - corners[3][0];
            corners[v][1] = 2.0f * at[1];
            corners[v][2] = 1.0f;
        }
        mesh[s] = test_solid_corners((const float(*)[3])corners);
    }
    test_solid_join(&mesh[0], &mesh[1]);
    return mesh[0];
}

/* Two holes in one triangle cross, and the first corner of each may lie in the other. Only the
   larger hole can be around the smaller one. */
static void test_holes_that_cross(void **state)
{
    (void)state;
    static const float corners[3][3] = {{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}};
    static const uint32_t triangle[1][3] = {{0, 1, 2}};
    test_solid plate = test_solid_create(test_context, test_solid_mesh(corners, 3, triangle, 1));
    for (uint32_t i = 0; i < 9; i++) {
        test_solid spikes = test_solid_create(test_context, crossing_spikes(i / 3, i % 3));
        pliant_contour_set set;
        assert_ok(pliant_contours_find(test_contours, plate.body, spikes.body, NULL, &set));
        contour_case c = contour_case_of(plate.body, &plate.mesh, spikes.body, &spikes.mesh);
        assert_int_equal(contour_check_set(&c, &set), 0);
        contour_check_regions(&c, &set, true);
        uint32_t holes = 0;
        for (uint64_t k = 0; k < set.region_count; k++) {
            const pliant_region *region = &set.regions[k];
            bool hole = region->body == 0 && region->vertex_count == 0;
            assert_true(region->body == 1 || (!region->guess && region->inside == hole));
            holes += hole;
        }
        assert_int_equal(holes, 2);
        contour_case_free(&c);
        test_solid_destroy(&spikes);
    }
    test_solid_destroy(&plate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bar_through_box),
        cmocka_unit_test(test_tip_through_triangle),
        cmocka_unit_test(test_dent_through_plate),
        cmocka_unit_test(test_self_overlapping_bodies),
        cmocka_unit_test(test_seams),
        cmocka_unit_test(test_vertices_on_the_surface),
        cmocka_unit_test(test_holes_that_cross),
    };
    return cmocka_run_group_tests(tests, test_contours_set_up, test_contours_tear_down);
}
