/* Which triangles meet a box, against every triangle on its own: separating axes in integers. */
#include "one_body.h"
#include "as_triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef const float (*const_corners)[3];
__extension__ typedef __int128 wide;

static void cross(wide r[3], const wide a[3], const wide b[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/* A triangle and a box as integers. */
typedef struct integer_case {
    wide corner[3][3], box[8][3];
} integer_case;

static bool separates(const integer_case *c, const wide axis[3])
{
    wide low[2] = {0, 0}, high[2] = {0, 0};
    for (int i = 0; i < 11; i++) {
        const wide *p = i < 3 ? c->corner[i] : c->box[i - 3];
        int which = i < 3 ? 0 : 1;
        wide x = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
        bool first = i == 0 || i == 3;
        low[which] = first || x < low[which] ? x : low[which];
        high[which] = first || x > high[which] ? x : high[which];
    }
    return high[0] < low[1] || high[1] < low[0];
}

/*
 * Two convex polytopes are disjoint iff one of these axes separates them: normals of faces,
 * products of edges, and, where one of them is flat, products of its normal with edges.
 */
static bool integers_meet(const integer_case *c)
{
    wide unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, edge[3][3], normal[3], axis[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            edge[i][k] = c->corner[(i + 1) % 3][k] - c->corner[i][k];
        }
    }
    cross(normal, edge[0], edge[1]);
    bool apart = separates(c, normal);
    for (int i = 0; i < 3; i++) {
        apart = apart || separates(c, unit[i]);
        cross(axis, normal, unit[i]);
        apart = apart || separates(c, axis);
        cross(axis, normal, edge[i]);
        apart = apart || separates(c, axis);
        for (int j = 0; j < 3; j++) {
            cross(axis, unit[i], edge[j]);
            apart = apart || separates(c, axis);
            wide other[3]; /* for triangles that are segments, and boxes that are */
            cross(other, axis, edge[j]);
            apart = apart || separates(c, other);
            cross(other, axis, unit[i]);
            apart = apart || separates(c, other);
        }
    }
    return !apart;
}

static void corner_of_box(const pliant_box *box, int i, float corner[3])
{
    for (int k = 0; k < 3; k++) {
        corner[k] = i >> k & 1 ? box->upper[k] : box->lower[k];
    }
}

static bool meets_on_grid(const float corner[3][3], const pliant_box *box)
{
    integer_case c;
    for (int i = 0; i < 11; i++) {
        float p[3];
        corner_of_box(box, i < 3 ? 0 : i - 3, p);
        for (int k = 0; k < 3; k++) {
            float x = 64.0f * (i < 3 ? corner[i][k] : p[k]);
            assert_true(x == rintf(x) && fabsf(x) < 0x1p16f);
            *(i < 3 ? &c.corner[i][k] : &c.box[i - 3][k]) = (wide)x;
        }
    }
    return integers_meet(&c);
}

/* Off the grid: the corners and the exact triangle test with the box's border, all of it. */
static bool meets_exactly(const float corner[3][3], const pliant_box *box)
{
    bool meets = false;
    for (int c = 0; c < 3; c++) {
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            inside = inside && box->lower[k] <= corner[c][k] && corner[c][k] <= box->upper[k];
        }
        meets = meets || inside;
    }
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < 4; i++) { /* upper or lower face, and which half */
            float face[3][3];
            int j = 1 << (axis + 1) % 3, k = 1 << (axis + 2) % 3, base = (i & 1) << axis;
            corner_of_box(box, base | j, face[0]);
            corner_of_box(box, base | k, face[1]);
            corner_of_box(box, i & 2 ? base : base | j | k, face[2]);
            meets = meets || pliant_triangle_overlap(as_triangle(face), as_triangle(corner));
        }
    }
    return meets;
}

static pliant_box make_box(const test_mesh *mesh, rng *r)
{
    pliant_box box;
    uint64_t flat = rng_below(r, 12), size = rng_below(r, 4);
    uint32_t v = 3 * (uint32_t)rng_below(r, mesh->vertex_count);
    for (uint32_t k = 0; k < 3; k++) {
        float low = mesh->positions[3 * rng_below(r, mesh->vertex_count) + k];
        float high = mesh->positions[3 * rng_below(r, mesh->vertex_count) + k];
        if (size > 0) { /* a small one */
            low = mesh->positions[v + k] + (float)((int)rng_below(r, 33) - 16) / 64.0f;
            high = low + (float)rng_below(r, size == 1 ? 4 : 64) / 64.0f;
        }
        box.lower[k] = low < high ? low : high;
        box.upper[k] = low < high ? high : low;
        if (flat == k || flat == 4 || (flat == 5 && k > 0)) {
            box.upper[k] = box.lower[k];
        }
    }
    return box;
}

static void boxes_through_mesh(uint32_t number)
{
    uint32_t count = fixture_count(3000);
    uint64_t listed = 0;
    test_mesh mesh = test_mesh_create(number, 320);
    pliant_box *boxes = malloc(count * sizeof *boxes);
    bool *want = malloc((size_t)count * mesh.triangle_count);
    rng r;
    rng_seed(&r, 500 + number);
    for (uint32_t i = 0; i < count; i++) {
        boxes[i] = make_box(&mesh, &r);
        for (uint32_t t = 0; t < mesh.triangle_count; t++) {
            float corner[3][3];
            test_mesh_corners(&mesh, t, corner);
            bool meets = mesh.on_grid ? meets_on_grid((const_corners)corner, &boxes[i])
                                      : meets_exactly((const_corners)corner, &boxes[i]);
            want[(size_t)i * mesh.triangle_count + t] = meets;
            listed += meets;
        }
    }
    for (uint32_t w = 0; w < test_way_count; w++) {
        test_body body = test_body_create(test_context, &mesh, &test_ways[w]);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t *triangles = NULL;
            uint64_t found = 0, next = 0;
            assert_ok(pliant_overlap_box(test_query, body.body, &boxes[i], &triangles, &found));
            assert_int_equal(pliant_query_get_stats(test_query)->pairs, found);
            assert_true((triangles != NULL) == (found > 0));
            for (uint32_t t = 0; t < mesh.triangle_count; t++) {
                bool got = triangles != NULL && next < found && triangles[next] == t;
                next += got;
                if (got != want[(size_t)i * mesh.triangle_count + t]) {
                    fail_msg("%s, way %u, box %u: triangle %u: got %d", mesh.name, w, i, t, got);
                }
            }
            assert_int_equal(next, found);
        }
        test_body_destroy(&body);
    }
    print_message("  %-22s %6u boxes, %8llu triangles\n", mesh.name, count,
                  (unsigned long long)listed);
    free(boxes);
    free(want);
    test_mesh_destroy(&mesh);
}

static void boxes_equal_brute_force(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TEST_MESHES; i++) {
        boxes_through_mesh(i);
    }
}

/* What lies inside is listed without being refreshed. */
static void whole_bodies_cost_nothing(void **state)
{
    (void)state;
    test_mesh mesh = test_mesh_create(0, 1280);
    const test_way way = {{PLIANT_PARTITION_BALANCED, 8, 8}, PLIANT_UPDATE_TOP_DOWN, 1};
    test_body body = test_body_create(test_context, &mesh, &way);
    pliant_box box;
    const uint32_t *triangles = NULL;
    uint64_t count = 0;
    assert_ok(pliant_body_get_bounds(body.body, &box));
    assert_ok(pliant_overlap_box(test_query, body.body, &box, &triangles, &count));
    assert_int_equal(count, mesh.triangle_count);
    assert_int_equal(triangles[count - 1], mesh.triangle_count - 1);
    const pliant_stats *stats = pliant_query_get_stats(test_query);
    assert_true(stats->clusters_refreshed == 0 && stats->nodes_tested == 0);
    box.upper[0] = 0.5f * (box.lower[0] + box.upper[0]);
    assert_ok(pliant_overlap_box(test_query, body.body, &box, &triangles, &count));
    assert_true(count > 0 && count < mesh.triangle_count);
    assert_true(stats->clusters_refreshed > 0 && stats->clusters_refreshed < 20);
    test_body_destroy(&body);
    test_mesh_destroy(&mesh);
}

/* A side at infinity is as good as one beyond all vertices, for a body and for a scene; and bodies
   may have coordinates up to the largest floats. */
static void sides_may_be_infinite(void **state)
{
    (void)state;
    test_mesh mesh = test_mesh_create(0, 80);
    test_body body = test_body_create(test_context, &mesh, &test_ways[0]);
    pliant_scene *scene = NULL;
    pliant_body_id id;
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    const pliant_box all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    pliant_scene_triangles found;
    assert_ok(pliant_scene_overlap_box(scene, &all, NULL, &found));
    assert_int_equal(found.count, 0);
    assert_ok(pliant_scene_add(scene, body.body, NULL, &id));
    rng random;
    rng_seed(&random, 1);
    for (int i = 0; i < 64 * 20; i++) { /* thin boxes, which often hold no corner of a triangle */
        int open = i % 64;
        pliant_box box, far;
        for (int k = 0; k < 3; k++) {
            box.lower[k] = (float)rng_range(&random, -1.0, 1.0);
            box.upper[k] = box.lower[k] + 0.01f;
        }
        far = box;
        for (int side = 0; side < 6; side++) {
            if (open >> side & 1) {
                float sign = side < 3 ? -1.0f : 1.0f;
                (side < 3 ? box.lower : box.upper)[side % 3] = sign * INFINITY;
                (side < 3 ? far.lower : far.upper)[side % 3] = sign * 1000.0f;
            }
        }
        const uint32_t *triangles = NULL;
        uint64_t count = 0;
        assert_ok(pliant_overlap_box(test_query, body.body, &far, &triangles, &count));
        assert_ok(pliant_scene_overlap_box(scene, &box, NULL, &found));
        assert_int_equal(found.count, count);
        assert_true(count == 0 ||
                    memcmp(found.triangles, triangles, (size_t)count * sizeof *triangles) == 0);
        assert_ok(pliant_overlap_box(test_query, body.body, &box, &triangles, &count));
        assert_int_equal(found.count, count);
    }
    assert_ok(pliant_scene_overlap_box(scene, &all, NULL, &found));
    assert_int_equal(found.count, mesh.triangle_count);
    pliant_scene_destroy(scene);
    test_body_destroy(&body);
    test_mesh_destroy(&mesh);
}

static void bad_boxes_are_refused(void **state)
{
    (void)state;
    test_mesh mesh = test_mesh_create(0, 320);
    test_body body = test_body_create(test_context, &mesh, &test_ways[0]);
    const uint32_t *triangles = (const uint32_t *)(const void *)&mesh;
    uint64_t count = 7;
    pliant_box box = {{0, 0, 0}, {1, -1, 1}};
    assert_int_equal(pliant_overlap_box(test_query, body.body, &box, &triangles, &count),
                     PLIANT_ERROR_RANGE);
    assert_non_null(strstr(pliant_last_error(), "lower y"));
    box.upper[1] = NAN;
    assert_int_equal(pliant_overlap_box(test_query, body.body, &box, &triangles, &count),
                     PLIANT_ERROR_NOT_FINITE);
    box.lower[1] = box.upper[1] = INFINITY;
    assert_int_equal(pliant_overlap_box(test_query, body.body, &box, &triangles, &count),
                     PLIANT_ERROR_RANGE);
    box.lower[1] = box.upper[1] = -INFINITY;
    assert_int_equal(pliant_overlap_box(test_query, body.body, &box, &triangles, &count),
                     PLIANT_ERROR_RANGE);
    box.lower[1] = box.upper[1] = 1.0f;
    assert_int_equal(pliant_overlap_box(test_query, body.body, &box, NULL, &count),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_overlap_box(test_query, body.body, NULL, &triangles, &count),
                     PLIANT_ERROR_ARGUMENT);
    assert_true(count == 7 && triangles == (const uint32_t *)(const void *)&mesh);
    test_body_destroy(&body);
    test_mesh_destroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_equal_brute_force),
        cmocka_unit_test(whole_bodies_cost_nothing),
        cmocka_unit_test(sides_may_be_infinite),
        cmocka_unit_test(bad_boxes_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, one_body_tear_down);
}
