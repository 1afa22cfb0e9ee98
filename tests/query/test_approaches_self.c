/* A bullet past a sheet, and steps with distances that are refused. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "moving_mesh.h"

/* A sheet in a plane with a seam: the vertices of column SEAM are there twice, for what is left of
   it and what is right of it. */
enum { SIDE = 6, SEAM = 3, VERTICES = SIDE * SIDE + SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

/* The first of the vertices that one is welded with. */
static uint32_t welded(uint32_t v)
{
    return v < SIDE * SIDE ? v : (v - SIDE * SIDE) * SIDE + SEAM;
}

static uint32_t right_of_seam(uint32_t v)
{
    return v % SIDE == SEAM ? SIDE * SIDE + v / SIDE : v;
}

static void make_sheet(float rest[3 * VERTICES], uint32_t triangles[3 * TRIANGLES])
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        rest[3 * v] = (float)(welded(v) % SIDE);
        rest[3 * v + 1] = (float)(welded(v) / SIDE);
        rest[3 * v + 2] = 0.0f;
    }
    for (uint32_t cell = 0; cell < (SIDE - 1) * (SIDE - 1); cell++) {
        uint32_t v = cell / (SIDE - 1) * SIDE + cell % (SIDE - 1);
        uint32_t two[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
        for (int i = 0; i < 6 && v % SIDE == SEAM; i++) {
            two[i] = right_of_seam(two[i]);
        }
        memcpy(triangles + (size_t)6 * cell, two, sizeof two);
    }
}

typedef struct sheet {
    pliant_shape *shape;
    pliant_body *body;
} sheet;

static sheet create_sheet(pliant_context *context, float rest[3 * VERTICES],
                          uint32_t triangles[3 * TRIANGLES])
{
    sheet s = {0};
    make_sheet(rest, triangles);
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = rest;
    def.triangles = triangles;
    def.vertex_count = VERTICES;
    def.triangle_count = TRIANGLES;
    assert_ok(pliant_shape_create(context, &def, &s.shape));
    assert_ok(pliant_body_create(s.shape, NULL, &s.body));
    return s;
}

static void destroy_sheet(sheet *s)
{
    pliant_body_destroy(s->body);
    pliant_shape_destroy(s->shape);
}

/* A triangle that flies over a sheet, fast and just within the distance or beyond D15's limit. */
static void test_bullet(void **state)
{
    (void)state;
    static const uint32_t triangle[3] = {0, 1, 2};
    const float d = 0.5f, beyond = d + 0x1p-19f; /* the limit is 2^-21 + 2^-44 2010 beyond d */
    const float small[9] = {-1000.0f, 2.0f, 0.0f, -1000.25f, 2.0f, 0.0f, -1000.0f, 2.25f, 0.25f};
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    float rest[3 * VERTICES], at[2][9];
    uint32_t triangles[3 * TRIANGLES];
    sheet s = create_sheet(context, rest, triangles);
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = small;
    def.triangles = triangle;
    def.vertex_count = 3;
    def.triangle_count = 1;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_query *query = NULL;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_ok(pliant_query_create(context, &query));
    for (int far = 0; far < 2; far++) {
        for (int i = 0; i < 9; i++) {
            at[0][i] = small[i] + (i % 3 == 2 ? (far ? beyond : d) : 0.0f);
            at[1][i] = at[0][i] + (i % 3 == 0 ? 2000.0f : 0.0f);
        }
        assert_ok(pliant_body_set_positions(body, at[0], 0));
        assert_ok(pliant_body_begin_step(body));
        assert_ok(pliant_body_set_positions(body, at[1], 0));
        pliant_meetings found;
        pliant_free_time free_time;
        pliant_meeting_options options = approach_options(d);
        assert_ok(pliant_find_meetings(query, body, s.body, &options, &found));
        assert_int_equal(found.count > 0, !far);
        assert_ok(pliant_find_free_time(query, body, s.body, &options, &free_time));
        assert_true(far ? free_time.time == 1.0f : fabsf(free_time.time - 0.5f) < 0.001f);
        pliant_advance advance;
        pliant_advance_options go = pliant_advance_options_default();
        pliant_body *const bodies[2] = {body, s.body};
        go.distance = d;
        assert_ok(pliant_advance_bodies(query, bodies, 2, &go, &advance));
        assert_true(far ? advance.time == 1.0f
                        : advance.time > 0.499f && advance.time <= free_time.time);
        assert_ok(pliant_find_meetings(query, body, s.body, &options, &found));
        assert_int_equal(found.count, 0);
        go.distance = -1.0f;
        assert_int_equal(pliant_advance_bodies(query, bodies, 2, &go, &advance),
                         PLIANT_ERROR_RANGE);
    }
    pliant_query_destroy(query);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    destroy_sheet(&s);
    pliant_context_destroy(context);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        float distance;
        pliant_result result;
    } cases[] = {{-1.0f, PLIANT_ERROR_RANGE},
                 {NAN, PLIANT_ERROR_NOT_FINITE},
                 {INFINITY, PLIANT_ERROR_NOT_FINITE},
                 {FLT_MAX, PLIANT_OK},
                 {0x1p-149f, PLIANT_OK},
                 {0.0f, PLIANT_OK}};
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    float rest[3 * VERTICES];
    uint32_t triangles[3 * TRIANGLES];
    sheet a = create_sheet(context, rest, triangles), b = create_sheet(context, rest, triangles);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pliant_meeting_options options = approach_options(cases[i].distance);
        pliant_meetings found;
        pliant_free_time free_time;
        pliant_result result = cases[i].result;
        assert_int_equal(pliant_find_meetings(query, a.body, b.body, &options, &found), result);
        assert_int_equal(pliant_find_meetings_self(query, a.body, &options, &found), result);
        assert_int_equal(pliant_find_free_time(query, a.body, b.body, &options, &free_time),
                         result);
        assert_int_equal(pliant_find_free_time_self(query, a.body, &options, &free_time), result);
    }
    pliant_query_destroy(query);
    destroy_sheet(&a);
    destroy_sheet(&b);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bullet),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
