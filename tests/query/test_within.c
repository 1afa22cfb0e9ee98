/* Triangles within a distance (D5): far bodies cost nothing, and bad queries are refused. */
#include "one_body.h"

#include <math.h>

/* The same mesh with its axes exchanged, moved by `offset`: it meets the first in many ways. */
static test_mesh turned(uint32_t number, uint32_t triangles, float offset)
{
    test_mesh mesh = test_mesh_create(number, triangles);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        float *p = mesh.positions + 3 * (size_t)v, x = p[0];
        p[0] = p[1];
        p[1] = p[2];
        p[2] = x;
        for (int k = 0; k < 3; k++) {
            p[k] = isfinite(p[k] + offset) ? p[k] + offset : p[k];
        }
    }
    return mesh;
}

/* All pairs measured. */
typedef struct measured {
    test_mesh a, b;
    double *distance;
} measured;

static void far_bodies_cost_nothing(void **state)
{
    (void)state;
    const test_way way = {{PLIANT_PARTITION_BALANCED, 8, 8}, PLIANT_UPDATE_TOP_DOWN, 1};
    test_mesh mesh[2] = {test_mesh_create(0, 1280), turned(0, 1280, 1000.0f)};
    test_body a = test_body_create(test_context, &mesh[0], &way);
    test_body b = test_body_create(test_context, &mesh[1], &way);
    pliant_proximities got;
    assert_ok(pliant_find_within(test_query, a.body, b.body, 10.0f, NULL, &got));
    const pliant_stats *stats = pliant_query_get_stats(test_query);
    assert_true(got.count == 0 && got.pairs == NULL);
    assert_true(stats->clusters_refreshed == 0 && stats->nodes_tested == 0);
    test_body_destroy(&a);
    test_body_destroy(&b);
    test_mesh_destroy(&mesh[0]);
    test_mesh_destroy(&mesh[1]);
}

static void bad_questions_are_refused(void **state)
{
    (void)state;
    test_mesh mesh = test_mesh_create(0, 320);
    test_body a = test_body_create(test_context, &mesh, &test_ways[0]);
    test_body b = test_body_create(test_context, &mesh, &test_ways[1]);
    pliant_proximities got;
    pliant_within_options options = pliant_within_options_default();
    assert_int_equal(pliant_find_within(test_query, a.body, a.body, 1.0f, NULL, &got),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_find_within(test_query, a.body, b.body, 1.0f, NULL, NULL),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_find_within(test_query, a.body, NULL, 1.0f, NULL, &got),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_find_within(test_query, a.body, b.body, -1.0f, NULL, &got),
                     PLIANT_ERROR_RANGE);
    assert_int_equal(pliant_find_within(test_query, a.body, b.body, INFINITY, NULL, &got),
                     PLIANT_ERROR_NOT_FINITE);
    options.tag++;
    assert_int_equal(pliant_find_within(test_query, a.body, b.body, 1.0f, &options, &got),
                     PLIANT_ERROR_ARGUMENT);
    test_body_destroy(&a);
    test_body_destroy(&b);
    test_mesh_destroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_bodies_cost_nothing),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, one_body_tear_down);
}
