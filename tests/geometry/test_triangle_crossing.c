/* Where triangles cross, the order of crossings along an edge, and winding numbers: against each
   other's definitions and against other exact tests. */
#include "assert_ok.h"
#include "fixture.h"
#include "random.h"
#include "solid.h"

#include "geometry/triangle_crossing.h"
#include "geometry/triangle_overlap.h"

#include <math.h>
#include <string.h>

typedef const float (*const_corners)[3];

static void random_triangle(rng *r, uint32_t size, float t[3][3])
{
    for (int k = 0; k < 9; k++) {
        t[k / 3][k % 3] = size > 0 ? (float)rng_below(r, size) : (float)rng_range(r, -1.0, 1.0);
    }
}

/* The exact distance of a point from a part is 0: the point's own triangle holds it. */
static void assert_on_part(const double point[3], const float t[3][3], const pli_part *part)
{
    float hull[3][3];
    for (int k = 0; k < 3; k++) {
        int corner = part->kind == PLIANT_FEATURE_FACE ? k : part->corner[k == 0 ? 0 : 1];
        memcpy(hull[k], t[corner], sizeof hull[k]);
    }
    float p[3] = {(float)point[0], (float)point[1], (float)point[2]};
    pliant_triangle as;
    memcpy(as.corner, hull, sizeof hull);
    assert_true(pliant_triangle_find_closest_point(&as, p, NULL) < 1e-5);
}

static bool same_part(const pli_part *p, const pli_part *q, int turned)
{
    int c[2] = {(q->corner[0] + turned) % 3, (q->corner[1] + turned) % 3};
    bool same = (p->corner[0] == c[0] && p->corner[1] == c[1]) ||
                (p->corner[0] == c[1] && p->corner[1] == c[0]);
    return p->kind == q->kind && (p->kind == PLIANT_FEATURE_FACE || same);
}

/* The same ends whichever triangle comes first and wherever its corners begin. */
static void assert_symmetric(const float a[3][3], const float b[3][3],
                             const pli_crossing_end end[2], int turned)
{
    float moved[3][3];
    pli_crossing_end other[2];
    bool joins = false;
    for (int k = 0; k < 3; k++) {
        memcpy(moved[k], a[(k + turned) % 3], sizeof moved[k]);
    }
    pli_triangle_cross(b, (const_corners)moved, other, &joins);
    assert_true(joins);
    for (int e = 0; e < 2; e++) { /* the cross product of the normals is then the opposite */
        assert_true(same_part(&end[e].part[0], &other[1 - e].part[1], turned));
        assert_true(same_part(&end[e].part[1], &other[1 - e].part[0], 0));
    }
}

/* Kinds agree with the construction of segments, ends lie on their parts, and from the first end to
   the second goes the cross product of the normals. */
static void test_crossings(void **state)
{
    (void)state;
    rng r;
    uint64_t joined = 0, thin = 0;
    rng_seed(&r, 1);
    for (uint32_t i = 0; i < fixture_count(300000); i++) {
        float a[3][3], b[3][3];
        random_triangle(&r, i % 3 == 0 ? 0 : 2 + i % 5, a);
        random_triangle(&r, i % 3 == 0 ? 0 : 2 + i % 5, b);
        pli_crossing_end end[2];
        bool joins = true;
        pliant_segment truth;
        pliant_common common = pli_triangle_cross((const_corners)a, (const_corners)b, end, &joins);
        assert_int_equal(common, pli_triangle_segment((const_corners)a, (const_corners)b, &truth));
        if (!joins) {
            continue;
        }
        joined++;
        thin += common == PLIANT_COMMON_POINT;
        double d[3], n[2][3], along = 0.0, size = 0.0;
        for (int k = 0; k < 3; k++) {
            int x = (k + 1) % 3, y = (k + 2) % 3;
            d[k] = end[1].point[k] - end[0].point[k];
            for (int s = 0; s < 2; s++) {
                const float(*t)[3] = s == 0 ? (const_corners)a : (const_corners)b;
                n[s][k] = ((double)t[1][x] - t[0][x]) * ((double)t[2][y] - t[0][y]) -
                          ((double)t[1][y] - t[0][y]) * ((double)t[2][x] - t[0][x]);
            }
        }
        for (int k = 0; k < 3; k++) {
            int x = (k + 1) % 3, y = (k + 2) % 3;
            double cross = n[0][x] * n[1][y] - n[0][y] * n[1][x];
            along += cross * d[k];
            size += fabs(cross * d[k]);
        }
        assert_true(common == PLIANT_COMMON_POINT || along > 0.0 || size < 1e-9);
        if (common == PLIANT_COMMON_SEGMENT) {
            assert_symmetric((const_corners)a, (const_corners)b, end, (int)(i % 3));
        }
        for (int e = 0; e < 2; e++) {
            assert_on_part(end[e].point, (const_corners)a, &end[e].part[0]);
            assert_on_part(end[e].point, (const_corners)b, &end[e].part[1]);
        }
    }
    print_message("%u crossings, %u of triangles without area\n", (unsigned)joined, (unsigned)thin);
    assert_true(joined > fixture_count(300000) / 20 && thin > 0);
}

/* The order along an edge is that of hits of the ray along it. */
static void test_order_along_edge(void **state)
{
    (void)state;
    rng r;
    uint64_t equal = 0, compared = 0;
    rng_seed(&r, 2);
    uint32_t count = fixture_count(200000) > 60000 ? fixture_count(200000) : 60000;
    for (uint32_t i = 0; i < count; i++) { /* equal ones are rare */
        float u[3], v[3], direction[3], t[2][3][3];
        for (int k = 0; k < 3; k++) {
            u[k] = (float)rng_below(&r, 9);
            v[k] = (float)rng_below(&r, 9);
            direction[k] = v[k] - u[k];
        }
        bool both = true;
        for (int s = 0; s < 2; s++) {
            double hit;
            random_triangle(&r, 9, t[s]);
            const float(*p)[3] = (const_corners)t[s];
            int start = pliant_orient3d(p[0], p[1], p[2], u);
            int end = pliant_orient3d(p[0], p[1], p[2], v);
            both = both && start * end < 0 && pli_triangle_ray(u, direction, INFINITY, p, &hit);
        }
        if (!both) {
            continue;
        }
        compared++;
        int order = pli_plane_share_compare(u, v, (const_corners)t[0], (const_corners)t[1]);
        assert_int_equal(order, pli_triangle_ray_compare(u, direction, (const_corners)t[0],
                                                         (const_corners)t[1]));
        double share[2] = {pli_plane_share(u, v, (const_corners)t[0]),
                           pli_plane_share(u, v, (const_corners)t[1])};
        assert_true(fabs(share[0] - share[1]) < 1e-8 || (share[0] > share[1]) == (order > 0));
        equal += order == 0;
    }
    print_message("%u compared, %u equal\n", (unsigned)compared, (unsigned)equal);
    assert_true(compared > 100 && equal > 0);
}

/* Sums of triangles of closed meshes: points of a grid in and around boxes of the same grid, seen
   exactly along edges and vertices, and random points by solid angles. */
static void test_winding(void **state)
{
    (void)state;
    rng r;
    uint64_t on = 0, inside = 0;
    rng_seed(&r, 3);
    for (uint32_t i = 0; i < fixture_count(20000); i++) {
        test_place place = place_at(0.0, 0.0, 0.0);
        if (i % 2 == 1) {
            place = place_random(&r, 0.3);
        }
        gallery_mesh mesh = i % 4 < 2 ? test_solid_box(&place) : test_solid_tetrahedron(&place);
        float p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = i % 2 == 0 ? 0.25f * (float)((int)rng_below(&r, 13) - 6)
                              : (float)rng_range(&r, -1.5, 1.5);
        }
        int winding = 0;
        bool held = false;
        for (uint32_t t = 0; t < mesh.triangle_count; t++) {
            float corner[3][3];
            for (int k = 0; k < 3; k++) {
                memcpy(corner[k], mesh.positions + 3 * (size_t)mesh.triangles[3 * t + (size_t)k],
                       sizeof corner[k]);
            }
            winding += pli_triangle_winding(p, (const_corners)corner);
            held = held || pli_triangle_holds(p, (const_corners)corner);
        }
        if (i % 4 == 0) { /* the box from -1 to 1 */
            float most = fmaxf(fabsf(p[0]), fmaxf(fabsf(p[1]), fabsf(p[2])));
            assert_int_equal(held, most == 1.0f);
            assert_true(held || winding == (most < 1.0f));
        } else if (!held && test_solid_distance(&mesh, p) > 1e-5) {
            assert_int_equal(winding, test_solid_winding(&mesh, p));
        }
        on += held;
        inside += winding != 0;
        mesh_free(&mesh);
    }
    print_message("%u on a surface, %u inside\n", (unsigned)on, (unsigned)inside);
    assert_true(on > 0 && inside > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crossings),
        cmocka_unit_test(test_order_along_edge),
        cmocka_unit_test(test_winding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
