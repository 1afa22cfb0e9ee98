/* Points at and near a vertex that many triangles share. Its normal is found once, and triangles
   that have it as a corner need no exact sign. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "pliant/pliant.h"

enum { SPOKES = 300, POINTS = 600 };

/* A cone without a base: the apex and a ring. */
static pliant_body *make_cone(pliant_context *context)
{
    static float positions[SPOKES + 1][3];
    static uint32_t triangles[SPOKES][3];
    memset(positions[0], 0, sizeof positions[0]);
    positions[0][2] = 1.0f;
    for (uint32_t i = 0; i < SPOKES; i++) {
        double angle = 6.283185307179586 * i / SPOKES;
        positions[i + 1][0] = (float)cos(angle);
        positions[i + 1][1] = (float)sin(angle);
        positions[i + 1][2] = 0.0f;
        triangles[i][0] = 0;
        triangles[i][1] = 1 + i;
        triangles[i][2] = 1 + (i + 1) % SPOKES;
    }
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions[0];
    def.vertex_count = SPOKES + 1;
    def.triangles = triangles[0];
    def.triangle_count = SPOKES;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    pliant_shape_destroy(shape);
    return body;
}

static void assert_equal_answers(const pliant_signed_distance *a, const pliant_signed_distance *b)
{
    assert_true(a->distance == b->distance && a->side == b->side && a->flags == b->flags);
    assert_memory_equal(a->direction, b->direction, sizeof a->direction);
    assert_int_equal(a->closest.triangle, b->closest.triangle);
    assert_int_equal(a->closest.at.feature, b->closest.at.feature);
    assert_memory_equal(a->closest.at.point, b->closest.at.point, sizeof a->closest.at.point);
}

/* Every third point lies at the apex, every third beyond it, and the others beside an edge or
   inside a triangle. So the normal of one must not be taken for that of another. */
static void test_ties(void **state)
{
    (void)state;
    static float points[POINTS][3];
    static pliant_signed_distance all[POINTS];
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    pliant_body *body = make_cone(context);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    for (uint32_t i = 0; i < POINTS; i++) {
        float away = (float)i * 0x1p-10f;
        double angle = 6.283185307179586 * (7 * i % SPOKES) / SPOKES;
        bool ring = i % 6 == 5; /* beside a vertex of the ring */
        points[i][0] = ring ? 2.0f * (float)cos(angle) : i % 3 == 2 ? 0.5f + away : 0.0f;
        points[i][1] = ring ? 2.0f * (float)sin(angle) : 0.0f;
        points[i][2] = ring ? -0.5f : i % 3 == 1 ? 1.5f + away : 1.0f;
    }
    assert_ok(pliant_measure_distances(query, body, points[0], POINTS, 0, NULL, all));
    const pliant_stats *stats = pliant_query_get_stats(query);
    print_message("  %llu exact signs, %llu triangle tests\n",
                  (unsigned long long)stats->exact_fallbacks,
                  (unsigned long long)stats->triangle_tests);
    assert_true(stats->exact_fallbacks < 4 * POINTS);
    for (uint32_t i = 0; i < POINTS; i++) {
        pliant_signed_distance one;
        assert_ok(pliant_measure_distances(query, body, points[i], 1, 0, NULL, &one));
        assert_equal_answers(&all[i], &one);
        if (i % 3 < 2) {
            assert_int_equal(one.closest.triangle, 0); /* the lowest of those that tie */
            assert_int_equal(one.closest.at.feature, PLIANT_FEATURE_VERTEX);
            assert_int_equal(one.side, i % 3);
            assert_true(one.direction[2] > 0.99f);
        }
    }
    pliant_query_destroy(query);
    pliant_body_destroy(body);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ties)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
