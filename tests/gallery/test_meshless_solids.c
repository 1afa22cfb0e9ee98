/* The nodes and surfaces of the meshless simulator's bodies: even, closed, of the paper's sizes. */
#include "solid.h"

#include <math.h>

#include "gallery/figure.h"
#include "gallery/meshless/bodies.h"
#include "gallery/meshless/ring.h"
#include "gallery/meshless/solids.h"

static void check_cloud(const implicit_solid *solid, uint32_t count)
{
    node_cloud nodes;
    assert_true(nodes_fill(solid, count, 1, &nodes));
    assert_int_equal(nodes.count, count);
    double volume = 0.0, nearest = 1e9;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(solid->value(nodes.points[i]) < 0.0);
        assert_true(nodes.starts[i + 1] - nodes.starts[i] >= 6);
        assert_true(nodes.volumes[i] > 0.0);
        volume += nodes.volumes[i];
        for (uint32_t j = 0; j < i; j++) {
            double square = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                double d = nodes.points[i][axis] - nodes.points[j][axis];
                square += d * d;
            }
            nearest = fmin(nearest, sqrt(square));
        }
    }
    /* Evenly spread: no two nodes are near each other. */
    assert_true(nearest > 0.45 * nodes_cube_root(volume / count));
    nodes_free(&nodes);
}

static void test_nodes_fill_solids(void **state)
{
    (void)state;
    static const uint32_t brain_counts[] = {65, 225, 509};
    check_cloud(&solid_santa, RING_FEW_NODES);
    check_cloud(&solid_santa, fixture_scale() < 0.5 ? 200 : RING_MANY_NODES);
    check_cloud(&solid_fish, 96);
    for (uint32_t i = 0; i < (fixture_scale() < 0.5 ? 2 : 3); i++) {
        check_cloud(&solid_brain, brain_counts[i]);
    }
}

/* The volume of a solid, by counting points of a grid that are inside. */
static double volume_of(const implicit_solid *solid)
{
    const double spacing = 0.025;
    double volume = 0.0, point[3];
    for (point[0] = solid->lower[0]; point[0] < solid->upper[0]; point[0] += spacing) {
        for (point[1] = solid->lower[1]; point[1] < solid->upper[1]; point[1] += spacing) {
            for (point[2] = solid->lower[2]; point[2] < solid->upper[2]; point[2] += spacing) {
                volume += solid->value(point) < 0.0 ? spacing * spacing * spacing : 0.0;
            }
        }
    }
    return volume;
}

static void check_surface(const implicit_solid *solid, uint32_t vertices)
{
    gallery_mesh mesh;
    assert_true(surface_make_mesh(solid, vertices, &mesh));
    assert_int_equal(mesh.vertex_count, vertices);
    assert_int_equal(mesh.triangle_count, 2 * (vertices - 2)); /* no handles */
    pliant_shape *shape = fixture_shape(test_context, &mesh, fixture_usual_tree);
    assert_true(pliant_shape_is_closed(shape));
    assert_int_equal(fixture_quality(shape).component_count, 1);
    fixture_assert_tidy(shape);
    pliant_shape_destroy(shape);
    double found = test_solid_volume(&mesh), farthest = 0.0;
    for (uint32_t i = 0; i < vertices; i++) {
        const float *p = mesh.positions + (size_t)3 * i;
        farthest = fmax(farthest,
                        fabs(solid->value((double[3]){(double)p[0], (double)p[1], (double)p[2]})));
    }
    double volume = volume_of(solid);
    assert_true(found > 0.98 * volume && found < 1.02 * volume);
    assert_true(farthest < 0.06); /* steep folds are cut off by a coarse mesh */
    mesh_free(&mesh);
}

static void test_surfaces_have_the_vertices_of_the_paper(void **state)
{
    (void)state;
    bool whole = fixture_scale() >= 0.5;
    check_surface(&solid_santa, 2857);
    check_surface(&solid_fish, 8000);
    check_surface(&solid_brain, 3500);
    check_surface(&figure_body, 5002);
    if (whole) {
        check_surface(&solid_santa, 45682);
        check_surface(&solid_brain, 29966);
        check_surface(&solid_brain, 145000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_fill_solids),
        cmocka_unit_test(test_surfaces_have_the_vertices_of_the_paper),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
