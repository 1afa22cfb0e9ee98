/* Contours where nothing is in general position: grids, planes, shared corners, triangles without
   area, the largest and the smallest numbers. Nothing crashes, and no pair is lost (D12). */
#include "contour_check.h"
#include "solid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Triangles over few points of a grid, so that they share, touch and lie in one plane often. */
static gallery_mesh grid_soup(rng *r, uint32_t vertices, uint32_t triangles, uint32_t size,
                              double unit)
{
    gallery_mesh mesh;
    assert_true(mesh_allocate(vertices, triangles, &mesh));
    for (size_t i = 0; i < 3 * (size_t)vertices; i++) {
        mesh.positions[i] = (float)(unit * (double)rng_below(r, size));
    }
    for (size_t i = 0; i < 3 * (size_t)triangles; i++) {
        mesh.triangles[i] = (uint32_t)rng_below(r, vertices);
    }
    return mesh;
}

typedef struct counts {
    uint64_t segments, points, planes, areas, contact_ends, branches;
} counts;

static void count(const pliant_contour_set *set, counts *sum)
{
    sum->segments += set->segment_count;
    for (uint64_t i = 0; i < set->touch_count; i++) {
        sum->points += set->touches[i].common == PLIANT_COMMON_POINT;
        sum->planes += set->touches[i].common == PLIANT_COMMON_SEGMENT;
        sum->areas += set->touches[i].common == PLIANT_COMMON_AREA;
    }
    for (uint64_t i = 0; i < set->contour_count; i++) {
        sum->contact_ends += set->contours[i].end == PLIANT_CONTOUR_CONTACT;
        sum->branches += set->contours[i].end == PLIANT_CONTOUR_BRANCH;
    }
}

static void print_counts(const counts *sum)
{
    print_message(
        "%u segments, %u points, %u in a plane, %u areas; ends: %u contacts, %u branches\n",
        (unsigned)sum->segments, (unsigned)sum->points, (unsigned)sum->planes, (unsigned)sum->areas,
        (unsigned)sum->contact_ends, (unsigned)sum->branches);
}

static void test_soups_on_grids(void **state)
{
    (void)state;
    rng r;
    counts sum = {0};
    for (uint32_t i = 0; i < fixture_at_least(30, 1000); i++) {
        rng_seed(&r, 20000 + i);
        uint32_t size = 2 + (uint32_t)rng_below(&r, 4), vertices = 4 + (uint32_t)rng_below(&r, 12);
        test_solid a = test_solid_create(test_context, grid_soup(&r, vertices, 14, size, 1.0));
        test_solid b = test_solid_create(test_context, grid_soup(&r, vertices, 14, size, 1.0));
        pliant_contour_set set;
        pliant_contour_options options = pliant_contour_options_default();
        options.gradients = true;
        assert_ok(pliant_contours_find(test_contours, a.body, b.body, &options, &set));
        contour_case c = contour_case_of(a.body, &a.mesh, b.body, &b.mesh);
        contour_check_set(&c, &set);
        contour_check_edges(&c, &set);
        count(&set, &sum);
        contour_case_free(&c);
        assert_ok(pliant_contours_find_self(test_contours, a.body, &options, &set));
        c = contour_case_of(a.body, &a.mesh, NULL, NULL);
        contour_check_set(&c, &set);
        contour_check_edges(&c, &set);
        count(&set, &sum);
        contour_case_free(&c);
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
    print_counts(&sum);
    assert_true(sum.segments > 0 && sum.points > 0 && sum.planes > 0 && sum.areas > 0);
    assert_true(sum.branches > 0);
}

/* Boxes and other solids whose sides lie on a common grid: no vertex is said to be where it is
   not, except where that was a guess. */
static void test_solids_on_grids(void **state)
{
    (void)state;
    rng r;
    counts sum = {0};
    uint64_t compared = 0;
    for (uint32_t i = 0; i < fixture_at_least(30, 600); i++) {
        rng_seed(&r, 30000 + i);
        test_solid s[2];
        for (int k = 0; k < 2; k++) {
            test_place place = place_at(0.0, 0.0, 0.0);
            for (int j = 0; j < 3; j++) {
                place.translation[j] = 0.5 * (double)rng_below(&r, 5) - 1.0;
                place.scale[j] = 0.5 * (double)(1 + rng_below(&r, 3));
            }
            bool box = rng_below(&r, 3) > 0;
            s[k] = test_solid_create(test_context,
                                     box ? test_solid_box(&place) : test_solid_tetrahedron(&place));
        }
        pliant_contour_set set;
        assert_ok(pliant_contours_find(test_contours, s[0].body, s[1].body, NULL, &set));
        contour_case c = contour_case_of(s[0].body, &s[0].mesh, s[1].body, &s[1].mesh);
        contour_check_set(&c, &set);
        contour_check_edges(&c, &set);
        compared += contour_check_inside(&c, &set);
        count(&set, &sum);
        contour_case_free(&c);
        test_solid_destroy(&s[0]);
        test_solid_destroy(&s[1]);
    }
    print_counts(&sum);
    print_message("%u vertices compared\n", (unsigned)compared);
    assert_true(sum.segments > 0 && sum.areas > 0 && compared > 100);
}

/* A box one edge of which has a vertex in its middle on one side only, closed by a triangle without
   area: contours go through it. */
static void test_triangle_without_area(void **state)
{
    (void)state;
    rng r;
    uint64_t through = 0;
    for (uint32_t i = 0; i < fixture_at_least(40, 100); i++) { /* few go through it */
        rng_seed(&r, 40000 + i);
        test_place here = place_at(0.0, 0.0, 0.0), there = place_random(&r, 0.9);
        gallery_mesh box = test_solid_box(&here), thin;
        uint32_t t = (uint32_t)rng_below(&r, box.triangle_count);
        assert_true(mesh_allocate(box.vertex_count + 1, box.triangle_count + 2, &thin));
        memcpy(thin.positions, box.positions, 12 * (size_t)box.vertex_count);
        memcpy(thin.triangles, box.triangles, 12 * (size_t)box.triangle_count);
        uint32_t u = box.triangles[3 * t], v = box.triangles[3 * t + 1],
                 w = box.triangles[3 * t + 2], m = box.vertex_count;
        for (uint32_t k = 0; k < 3; k++) {
            thin.positions[3 * m + k] =
                0.5f * (box.positions[3 * u + k] + box.positions[3 * v + k]);
        }
        uint32_t added[] = {u, m, w, m, v, w, u, v, m};
        memcpy(thin.triangles + 3 * t, added, 12);
        memcpy(thin.triangles + 3 * (size_t)box.triangle_count, added + 3, 24);
        mesh_free(&box);
        test_solid a = test_solid_create(test_context, thin);
        test_solid b = test_solid_create(test_context, test_solid_sphere(80, &there));
        assert_true(pliant_shape_is_closed(a.shape));
        pliant_contour_set set;
        assert_ok(pliant_contours_find(test_contours, a.body, b.body, NULL, &set));
        contour_case c = contour_case_of(a.body, &a.mesh, b.body, &b.mesh);
        assert_int_equal(contour_check_set(&c, &set), 0);
        contour_check_regions(&c, &set, true);
        for (uint64_t k = 0; k < set.segment_count; k++) {
            through += set.segments[k].a == a.mesh.triangle_count - 1;
        }
        contour_case_free(&c);
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
    print_message("%u times through it\n", (unsigned)through);
    assert_true(through > 0);
}

/* The largest and the smallest numbers; one triangle; bodies far apart. */
static void test_extremes(void **state)
{
    (void)state;
    rng r;
    static const double units[] = {0x1p126, 0x1p-149, 0x1p-140, 1e-30, 1e30};
    for (uint32_t i = 0; i < fixture_at_least(20, 200); i++) {
        rng_seed(&r, 50000 + i);
        double unit = units[i % 5];
        test_solid a = test_solid_create(test_context, grid_soup(&r, 9, 12, 4, unit));
        test_solid b = test_solid_create(test_context, grid_soup(&r, 3, 1, 4, unit));
        pliant_contour_set set;
        pliant_contour_options options = pliant_contour_options_default();
        options.gradients = true;
        assert_ok(pliant_contours_find(test_contours, a.body, b.body, &options, &set));
        contour_case c = contour_case_of(a.body, &a.mesh, b.body, &b.mesh);
        contour_check_pairs(&c, &set);
        contour_case_free(&c);
        assert_ok(pliant_contours_find_self(test_contours, a.body, &options, &set));
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
    test_place p = place_at(0.0, 0.0, 0.0), q = place_at(9.0, 0.0, 0.0), tiny = p;
    tiny.scale[0] = tiny.scale[1] = tiny.scale[2] = 0.1;
    test_solid a = test_solid_create(test_context, test_solid_box(&p));
    test_solid b = test_solid_create(test_context, test_solid_box(&q));
    test_solid d = test_solid_create(test_context, test_solid_box(&tiny));
    pliant_contour_set set;
    assert_ok(pliant_contours_find(test_contours, a.body, b.body, NULL, &set));
    assert_int_equal(set.contour_count, 0);
    assert_null(set.contours);
    assert_int_equal(set.region_count, 2);
    assert_false(set.regions[0].inside || set.regions[1].inside);
    assert_ok(pliant_contours_find(test_contours, a.body, d.body, NULL, &set));
    assert_int_equal(set.region_count, 2); /* nothing touches, and yet one is inside */
    assert_true(!set.regions[0].inside && set.regions[1].inside && !set.regions[1].guess);
    assert_true(fabs(set.regions[1].depth - 0.9) < 1e-6);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
    test_solid_destroy(&d);
}

static pliant_body *body_of(const gallery_mesh *mesh)
{
    pliant_body *body = NULL;
    assert_ok(
        pliant_body_create(fixture_shape(test_context, mesh, fixture_usual_tree), NULL, &body));
    return body;
}

static void drop_body(pliant_body *body)
{
    pliant_shape *shape = (pliant_shape *)pliant_body_get_shape(body);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
}

/* Three triangles at one edge: a triangle through them gives a contour that branches. */
static void test_branches(void **state)
{
    (void)state;
    float fan[] = {0, 0, -1, 0, 0, 1, 1, 0, 0, -1, 1, 0, -1, -1, 0};
    uint32_t fan_triangles[] = {0, 1, 2, 0, 1, 3, 0, 1, 4};
    float plate[] = {-3, -3, 0.1f, 3, -3, 0.1f, 0, 3, 0.1f};
    uint32_t plate_triangle[] = {0, 1, 2};
    gallery_mesh meshes[2] = {{fan, fan_triangles, 5, 3}, {plate, plate_triangle, 3, 1}};
    pliant_body *body[2] = {body_of(&meshes[0]), body_of(&meshes[1])};
    pliant_contour_set set;
    assert_ok(pliant_contours_find(test_contours, body[0], body[1], NULL, &set));
    contour_case c = contour_case_of(body[0], &meshes[0], body[1], &meshes[1]);
    contour_check_set(&c, &set);
    assert_int_equal(set.contour_count, 3);
    for (uint64_t i = 0; i < 3; i++) {
        bool branch = set.contours[i].begin == PLIANT_CONTOUR_BRANCH ||
                      set.contours[i].end == PLIANT_CONTOUR_BRANCH;
        bool border = set.contours[i].begin == PLIANT_CONTOUR_BORDER ||
                      set.contours[i].end == PLIANT_CONTOUR_BORDER;
        assert_true(branch && border && set.contours[i].generic);
    }
    contour_case_free(&c);
    drop_body(body[0]);
    drop_body(body[1]);
}

/* A triangle that uses one vertex twice cuts an edge and leaves no segment. The object is new, so
   the list of segments has no memory at all. */
static void test_cut_without_segment(void **state)
{
    (void)state;
    float needle[] = {0, 0, -1, 0, 0, 1}, plate[] = {-3, -3, 0, 3, -3, 0, 0, 3, 0};
    uint32_t twice[] = {0, 1, 1}, once[] = {0, 1, 2};
    gallery_mesh meshes[2] = {{needle, twice, 2, 1}, {plate, once, 3, 1}};
    pliant_body *body[2] = {body_of(&meshes[0]), body_of(&meshes[1])};
    pliant_contours *contours = NULL;
    pliant_contour_set set;
    assert_ok(pliant_contours_create(test_context, &contours));
    assert_ok(pliant_contours_find(contours, body[0], body[1], NULL, &set));
    assert_int_equal(set.touch_count, 1);
    assert_int_equal(set.segment_count, 0);
    pliant_contours_destroy(contours);
    drop_body(body[0]);
    drop_body(body[1]);
}

/* Two tetrahedra, one above the other. The upper face of the lower one is oblique and contains the
   origin, exactly. The lower face of the upper one is horizontal, at height `gap`. */
static gallery_mesh tetrahedra_at_origin(rng *r, float gap)
{
    static const double about[2][3] = {{1.0, 0.0, 0.2}, {-0.5, 0.87, -0.1}};
    float lower[4][3] = {{0}},
          upper[4][3] = {{1, 0, gap}, {-0.5f, -0.87f, gap}, {-0.5f, 0.87f, gap}, {0, 0, 9}};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++) { /* sums of multiples of 2^-20 are exact */
            lower[i][k] = (float)floor(0x1p20 * (about[i][k] + rng_range(r, -0.05, 0.05)));
            lower[i][k] *= 0x1p-20f;
        }
        lower[2][k] = -(lower[0][k] + lower[1][k]);
    }
    lower[3][2] = -9.0f;
    gallery_mesh mesh = test_solid_corners((const float(*)[3])lower);
    gallery_mesh more = test_solid_corners((const float(*)[3])upper);
    test_solid_join(&mesh, &more);
    return mesh;
}

/* One edge of a triangle leads from one tetrahedron to the other. Its cuts lie a third of the way
   along, closer to each other than doubles near 1/3. Farther away the oblique face is the higher
   one. So the two contours cross, begin at one place, or have no common point: the exact order of
   the cuts decides. */
static void test_cuts_at_one_place(void **state)
{
    (void)state;
    static const float corners[3][3] = {
        {0, 0, -0.0625f}, {0, 0, 0.125f}, {0.125f, 0.03125f, 0.03125f}};
    static const uint32_t triangle[1][3] = {{0, 1, 2}};
    rng r;
    rng_seed(&r, 60000);
    test_solid a = test_solid_create(test_context, test_solid_mesh(corners, 3, triangle, 1));
    for (uint32_t i = 0; i < 3 * fixture_at_least(20, 200); i++) {
        int above = (int)(i % 3) - 1; /* the sign of the gap */
        test_solid b =
            test_solid_create(test_context, tetrahedra_at_origin(&r, (float)above * 0x1p-60f));
        pliant_contour_set set;
        assert_ok(pliant_contours_find(test_contours, a.body, b.body, NULL, &set));
        contour_case c = contour_case_of(a.body, &a.mesh, b.body, &b.mesh);
        assert_int_equal(contour_check_set(&c, &set), 2);
        contour_check_regions(&c, &set, true);
        uint32_t regions = 0, outside = 0;
        for (uint64_t k = 0; k < set.region_count; k++) {
            bool own = set.regions[k].body == 0;
            assert_false(own && set.regions[k].guess);
            regions += own;
            outside += own && !set.regions[k].inside;
        }
        assert_int_equal(regions, above > 0 ? 4 : 3);
        assert_int_equal(outside, above > 0); /* the gap */
        contour_case_free(&c);
        test_solid_destroy(&b);
    }
    test_solid_destroy(&a);
}

/* Two edges of a triangle pass through a face, and the contour ends at both. The first edge may
   also have a triangle that uses one vertex twice. It touches the face in one point, so that end is
   a contact. The other end remains a border, though its edge begins at that vertex. The face comes
   before or behind the two triangles. */
static void test_end_at_a_contact(void **state)
{
    (void)state;
    static const float positions[6][3] = {{-2, -2, 0}, {2, -2, 0},      {0, 2, 0},
                                          {0, 0, 1},   {0, 0.125f, -1}, {0.5f, 0.25f, 0.75f}};
    static const uint32_t triangles[4][3] = {{0, 1, 2}, {3, 4, 5}, {3, 4, 4}, {0, 1, 2}};
    static const struct {
        uint32_t first, count;
        int contacts;
    } cases[] = {{0, 2, 0}, {1, 3, 1}, {0, 3, 1}};
    for (int i = 0; i < 3; i++) {
        test_solid a = test_solid_create(
            test_context,
            test_solid_mesh(positions, 6, triangles + cases[i].first, cases[i].count));
        pliant_contour_set set;
        assert_ok(pliant_contours_find_self(test_contours, a.body, NULL, &set));
        contour_case c = contour_case_of(a.body, &a.mesh, NULL, NULL);
        assert_int_equal(contour_check_set(&c, &set), 1);
        const pliant_contour *contour = &set.contours[0];
        int contacts =
            (contour->begin == PLIANT_CONTOUR_CONTACT) + (contour->end == PLIANT_CONTOUR_CONTACT);
        int borders =
            (contour->begin == PLIANT_CONTOUR_BORDER) + (contour->end == PLIANT_CONTOUR_BORDER);
        assert_int_equal(contacts, cases[i].contacts);
        assert_int_equal(contacts + borders, 2);
        contour_case_free(&c);
        test_solid_destroy(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups_on_grids),
        cmocka_unit_test(test_solids_on_grids),
        cmocka_unit_test(test_triangle_without_area),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_cuts_at_one_place),
        cmocka_unit_test(test_end_at_a_contact),
        cmocka_unit_test(test_cut_without_segment),
    };
    return cmocka_run_group_tests(tests, test_contours_set_up, test_contours_tear_down);
}
