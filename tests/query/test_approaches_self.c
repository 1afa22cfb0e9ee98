/* What comes within a distance while a body moves, of one with itself; and what is fast or refused.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "skipping.h"

#include "geometry/moving_approach.h"
#include "moving_mesh.h"
#include "triangle_cases.h"

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

/* Whether two lists of vertices have one in common. */
static bool shares(const uint32_t *p, int count_p, const uint32_t *q, int count_q)
{
    bool found = false;
    for (int i = 0; i < count_p * count_q; i++) {
        found = found || welded(p[i / count_q]) == welded(q[i % count_q]);
    }
    return found;
}

/* Of neighbours: the first of the features without a common vertex that come close; 2: none do. */
static double first_of_features(const moving_mesh *m, uint32_t a, uint32_t b, double d)
{
    const uint32_t *p = m->triangles + 3 * (size_t)a, *q = m->triangles + 3 * (size_t)b;
    double first = 2.0;
    for (int number = 0; number < 15; number++) {
        int i = number < 6 ? number % 3 : (number - 6) / 3, j = (number - 6) % 3;
        const uint32_t *vertex = number < 3 ? p : q, *face = number < 3 ? q : p;
        uint32_t of[4] = {vertex[i], face[0], face[1], face[2]};
        if (number >= 6) {
            const uint32_t edges[4] = {p[i], p[(i + 1) % 3], q[j], q[(j + 1) % 3]};
            memcpy(of, edges, sizeof of);
        }
        int first_count = number < 6 ? 1 : 2;
        if (shares(of, first_count, of + first_count, 4 - first_count)) {
            continue;
        }
        pli_moving_points points = {.edges = number >= 6};
        for (int k = 0; k < 8; k++) {
            points.x[k / 2][k % 2] = m->at[k % 2] + 3 * (size_t)of[k / 2];
        }
        double time;
        if (pli_moving_approach(&points, d, 1.0, &time, NULL)) {
            first = fmin(first, time);
        }
    }
    return first;
}

static bool is_listed(const pliant_contacts *contacts, uint32_t a, uint32_t b)
{
    bool listed = false;
    for (uint64_t i = 0; i < contacts->count; i++) {
        listed = listed || (contacts->pairs[i].a == a && contacts->pairs[i].b == b);
    }
    return listed;
}

/* What is to be said of two triangles of a sheet. */
static pliant_meeting expect_self(const moving_mesh *m, const pliant_contacts contacts[2],
                                  uint32_t a, uint32_t b, float d)
{
    pliant_meeting expected = {.kind = PLIANT_MEETING_NONE};
    if (!shares(m->triangles + 3 * (size_t)a, 3, m->triangles + 3 * (size_t)b, 3)) {
        pliant_moving_triangle p = moving_mesh_triangle(m, a), q = moving_mesh_triangle(m, b);
        return pliant_moving_triangle_approach(&p, &q, d, &expected) ? expected
                                                                     : (pliant_meeting){0};
    }
    double time = first_of_features(m, a, b, (double)d);
    if (is_listed(&contacts[0], a, b) || time == 0.0) {
        expected.kind = PLIANT_MEETING_START;
    } else if (time <= 1.0) {
        expected.kind = PLIANT_MEETING_EDGE_EDGE; /* or another pair of features */
        expected.time = (pliant_meeting_time){time, time};
    } else if (is_listed(&contacts[1], a, b)) {
        expected.kind = PLIANT_MEETING_END;
        expected.time = (pliant_meeting_time){1.0, 1.0};
    }
    return expected;
}

static bool is_of_features(pliant_meeting_kind kind)
{
    return kind == PLIANT_MEETING_VERTEX_FACE || kind == PLIANT_MEETING_FACE_VERTEX ||
           kind == PLIANT_MEETING_EDGE_EDGE;
}

static void crumple(rng *r, const float rest[3 * VERTICES], float to[3 * VERTICES], uint64_t trial)
{
    double far = trial % 3 == 0 ? 2.0 : 0.3;
    for (int i = 0; i < 3 * VERTICES; i++) {
        float by =
            trial % 4 == 1 ? (float)((int)rng_below(r, 3) - 1) : (float)rng_range(r, -far, far);
        bool follows = i / 3 >= SIDE * SIDE && trial % 5 != 0; /* else the seam opens */
        to[i] = follows ? to[3 * (int)welded((uint32_t)i / 3) + i % 3] : rest[i] + by;
    }
}

/* A sheet that crumples: neighbours and everything else. What meets is among what comes close. */
static void test_self(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 2);
    unsigned kinds[6] = {0};
    for (uint64_t trial = 0; trial < scaled_count(60); trial++) {
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
        float rest[3 * VERTICES], at[2][3 * VERTICES];
        uint32_t triangles[3 * TRIANGLES];
        sheet s = create_sheet(context, rest, triangles), ends[2];
        pliant_query *query = NULL, *at_end[2];
        pliant_contacts contacts[2];
        assert_ok(pliant_query_create(context, &query));
        for (int e = 0; e < 2; e++) {
            ends[e] = create_sheet(context, rest, triangles);
            crumple(&r, rest, at[e], trial);
            assert_ok(pliant_query_create(context, &at_end[e]));
            assert_ok(pliant_body_set_positions(ends[e].body, at[e], 0));
            assert_ok(pliant_collide_self(at_end[e], ends[e].body, NULL, &contacts[e]));
        }
        assert_ok(pliant_body_set_positions(s.body, at[0], 0));
        assert_ok(pliant_body_begin_step(s.body));
        assert_ok(pliant_body_set_positions(s.body, at[1], 0));
        pliant_meetings found;
        pliant_meeting_options options =
            approach_options((float)ldexp(0.5, -(int)rng_below(&r, 12)));
        assert_ok(pliant_find_meetings_self(query, s.body, &options, &found));
        assert_true(meetings_are_ordered(&found));
        moving_mesh m = {{at[0], at[1]}, triangles, VERTICES, TRIANGLES};
        for (uint32_t i = 0; i < TRIANGLES; i++) {
            for (uint32_t j = i + 1; j < TRIANGLES; j++) {
                pliant_meeting expected = expect_self(&m, contacts, i, j, options.distance);
                const pliant_meeting *meeting = meetings_find(&found, i, j);
                pliant_meeting got = meeting != NULL ? *meeting : (pliant_meeting){0};
                if (is_of_features(expected.kind) != is_of_features(got.kind) ||
                    (!is_of_features(got.kind) && got.kind != expected.kind) ||
                    got.time.low != expected.time.low || got.time.high != expected.time.high) {
                    fail_msg("trial %llu: triangles %u and %u", (unsigned long long)trial, i, j);
                }
                kinds[got.kind]++;
            }
        }
        options.distance = 0.0f;
        pliant_query *other = NULL;
        pliant_meetings met;
        assert_ok(pliant_query_create(context, &other));
        assert_ok(pliant_find_meetings_self(other, s.body, &options, &met));
        for (uint64_t i = 0; i < met.count; i++) {
            assert_non_null(meetings_find(&found, met.pairs[i].a, met.pairs[i].b));
        }
        for (int e = 0; e < 2; e++) {
            destroy_sheet(&ends[e]);
            pliant_query_destroy(at_end[e]);
        }
        pliant_query_destroy(other);
        pliant_query_destroy(query);
        destroy_sheet(&s);
        pliant_context_destroy(context);
    }
    for (int k = 1; k < 5 && scaled_count(60) >= 30; k++) {
        assert_true(kinds[k] > 0);
    }
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
        cmocka_unit_test(test_self),
        cmocka_unit_test(test_bullet),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
