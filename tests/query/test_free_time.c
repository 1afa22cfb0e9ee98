/* Until when nothing meets: against all meetings and an oracle; and bodies that are advanced. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "oracle_moving.h"
#include "sheets.h"
#include "triangle_cases.h"

static void read_corner(const pliant_body *body, uint32_t triangle, const uint32_t *triangles,
                        uint32_t corner, float x[3])
{
    assert_ok(pliant_body_evaluate(body, &triangles[3 * (size_t)triangle + corner % 3], 1, x));
}

/* The features that a meeting names. `ends` are bodies in the two states of each. */
static bool read_features(pliant_body *ends[2][2], const uint32_t *triangles[2],
                          const pliant_free_time *f, float x[4][2][3])
{
    const pliant_meeting *m = &f->meeting;
    const uint32_t t[2] = {f->pair.a, f->pair.b};
    bool edges = m->kind == PLIANT_MEETING_EDGE_EDGE;
    int one = m->kind == PLIANT_MEETING_FACE_VERTEX; /* the body of the vertex */
    for (int e = 0; e < 2; e++) {
        if (edges) {
            for (uint32_t i = 0; i < 2; i++) {
                read_corner(ends[0][e], t[0], triangles[0], m->a + i, x[i][e]);
                read_corner(ends[1][e], t[1], triangles[1], m->b + i, x[2 + i][e]);
            }
            continue;
        }
        read_corner(ends[one][e], t[one], triangles[one], one == 0 ? m->a : m->b, x[0][e]);
        for (uint32_t i = 0; i < 3; i++) {
            read_corner(ends[!one][e], t[!one], triangles[!one], i, x[1 + i][e]);
        }
    }
    return edges;
}

/* The time is the largest float below that of the features, in exact arithmetic. */
static void check_features(const float x[4][2][3], bool edges, float time)
{
    oracle_moving m;
    oracle_moving_init(&m);
    oracle_moving_set(&m, x, edges);
    assert_true(oracle_moving_meet(&m));
    assert_false(oracle_moving_time_is_in(&m, 0.0, (double)time));
    assert_true(oracle_moving_time_is_in(&m, (double)time, (double)nextafterf(time, 2.0f)));
    oracle_moving_clear(&m);
}

/* The free time follows from all meetings: the same pair, and a time just below that of contact. */
static void check_free(const pliant_free_time *f, const pliant_meetings *all,
                       pliant_body *ends[2][2], const uint32_t *triangles[2])
{
    assert_true(f->complete);
    if (all->count == 0) {
        assert_true(f->time == 1.0f && f->meeting.kind == PLIANT_MEETING_NONE && !f->touches);
        return;
    }
    assert_memory_equal(&f->pair, all->pairs, sizeof f->pair);
    assert_int_equal(f->meeting.kind, all->meetings->kind);
    assert_int_equal(f->meeting.a, all->meetings->a);
    assert_int_equal(f->meeting.b, all->meetings->b);
    assert_true(f->meeting.time.low == all->meetings->time.low);
    assert_true(f->meeting.time.high == all->meetings->time.high);
    assert_int_equal(f->touches, f->meeting.kind == PLIANT_MEETING_START);
    if (f->touches) {
        assert_true(f->time == 0.0f);
    } else if (f->meeting.kind == PLIANT_MEETING_END) {
        assert_true(f->time == 1.0f - 0x1p-24f);
    } else {
        float x[4][2][3];
        bool edges = read_features(ends, triangles, f, x);
        check_features((const float(*)[2][3])x, edges, f->time);
    }
}

/* The first of two bodies, and of one, is the first of all; the order of the walk is no matter. */
static void test_first(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed());
    sheets s;
    sheets_create(&s);
    pliant_query *other = NULL;
    pliant_body *start[2];
    assert_ok(pliant_query_create(s.context, &other));
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_create(s.shape, NULL, &start[i]));
    }
    unsigned met = 0, many = 0;
    for (uint64_t trial = 0; trial < scaled_count(600); trial++) {
        sheets_move(&s, &r, trial % 4 == 0 ? 0.6 : 3.0, trial % 3 == 0 ? 1000.0 : 0.0);
        for (int i = 0; i < 2; i++) {
            assert_ok(pliant_body_set_positions(start[i], s.at[i][0], 0));
        }
        pliant_meetings all;
        pliant_free_time found;
        pliant_body *two[2][2] = {{start[0], s.body[0]}, {start[1], s.body[1]}};
        pliant_body *one[2][2] = {{start[0], s.body[0]}, {start[0], s.body[0]}};
        const uint32_t *triangles[2] = {s.triangles, s.triangles};
        assert_ok(pliant_find_meetings(other, s.body[0], s.body[1], NULL, &all));
        assert_ok(pliant_find_free_time(s.query, s.body[0], s.body[1], NULL, &found));
        check_free(&found, &all, two, triangles);
        met += all.count > 0;
        many += all.count > 1;
        assert_ok(pliant_find_meetings_self(other, s.body[0], NULL, &all));
        assert_ok(pliant_find_free_time_self(s.query, s.body[0], NULL, &found));
        check_free(&found, &all, one, triangles);
    }
    assert_true(scaled_count(600) < 50 || (met > 20 && many > 10));
    pliant_body_destroy(start[0]);
    pliant_body_destroy(start[1]);
    pliant_query_destroy(other);
    sheets_destroy(&s);
}

/* One triangle falls on another from a height to a depth: it meets it at height / (height +
   depth), at any scale, times that floats are and times below all floats. */
static void test_extremes(void **state)
{
    (void)state;
    const float sizes[] = {0x1p-149f, 1e-38f, 1e-20f, 0.25f, 1.0f, 3.0f, 7.7f, 1e20f, 3.4e38f};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    const uint32_t one[3] = {0, 1, 2};
    const float flat[9] = {-1.0f, -1.0f, 0.0f, 1.0f, -1.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = flat;
    def.triangles = one;
    def.vertex_count = 3;
    def.triangle_count = 1;
    pliant_shape *shape = NULL;
    pliant_query *query = NULL;
    pliant_body *body[2], *start = NULL;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_body_create(shape, NULL, &start));
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_create(shape, NULL, &body[i]));
    }
    for (int trial = 0; trial < SIZES * (SIZES + 1); trial++) {
        float high[9], low[9];
        memcpy(high, flat, sizeof flat);
        memcpy(low, flat, sizeof flat);
        for (int i = 2; i < 9; i += 3) {
            high[i] = sizes[trial % SIZES];
            low[i] = trial / SIZES < SIZES ? -sizes[trial / SIZES] : 0.0f;
        }
        assert_ok(pliant_body_set_positions(start, high, 0));
        assert_ok(pliant_body_set_positions(body[1], high, 0));
        assert_ok(pliant_body_begin_step(body[1]));
        assert_ok(pliant_body_set_positions(body[1], low, 0));
        pliant_free_time found;
        assert_ok(pliant_find_free_time(query, body[0], body[1], NULL, &found));
        assert_false(found.touches);
        pliant_body *ends[2][2] = {{body[0], body[0]}, {start, body[1]}};
        const uint32_t *triangles[2] = {one, one};
        float x[4][2][3];
        bool edges = read_features(ends, triangles, &found, x);
        check_features((const float(*)[2][3])x, edges, found.time);
        pliant_advance advance;
        assert_ok(pliant_advance_bodies(query, body, 2, NULL, &advance));
        assert_true(advance.time <= found.time && advance.path.time == found.time);
        assert_ok(pliant_find_free_time(query, body[0], body[1], NULL, &found));
        assert_int_equal(found.meeting.kind, PLIANT_MEETING_NONE);
    }
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(body[i]);
    }
    pliant_body_destroy(start);
    pliant_query_destroy(query);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
}

/* Times that floats are, far below what the bounds of a time tell apart: one plate rises from 0 to
   1, the other stays at a height h, which is the time. */
static void test_tiny_times(void **state)
{
    (void)state;
    sheets s;
    sheets_create(&s);
    float at[3][3 * VERTICES];
    for (float h = 0x1p-149f; h <= 0.5f; h *= 8.0f) {
        const float height[3] = {0.0f, 1.0f, h};
        for (uint32_t k = 0; k < 9 * VERTICES; k++) {
            uint32_t i = k / (3 * VERTICES), v = k % (3 * VERTICES) / 3, axis = k % 3;
            float flat = (float)(axis == 0 ? v % SIDE : v / SIDE);
            at[i][3 * v + axis] = axis == 2 ? height[i] : flat;
        }
        assert_ok(pliant_body_set_positions(s.body[0], at[0], 0));
        assert_ok(pliant_body_begin_step(s.body[0]));
        assert_ok(pliant_body_set_positions(s.body[0], at[1], 0));
        assert_ok(pliant_body_set_positions(s.body[1], at[2], 0));
        pliant_free_time found;
        assert_ok(pliant_find_free_time(s.query, s.body[0], s.body[1], NULL, &found));
        assert_true(found.time == nextafterf(h, 0.0f) && !found.touches);
    }
    sheets_destroy(&s);
}

/* A spent budget proves nothing. */
static void test_budget(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 2);
    sheets s;
    sheets_create(&s);
    sheets_move(&s, &r, 3.0, 0.0);
    pliant_meeting_options options = pliant_meeting_options_default();
    options.budget_nodes = 1;
    pliant_free_time found;
    assert_ok(pliant_find_free_time_self(s.query, s.body[0], &options, &found));
    assert_true(!found.complete && found.time == 0.0f && !found.touches);
    assert_int_equal(pliant_find_free_time(s.query, s.body[0], s.body[0], NULL, &found),
                     PLIANT_ERROR_ARGUMENT);
    sheets_destroy(&s);
}

/* ---------------------------------------------------------------- advance */

static pliant_moving_triangle moving_triangle(const sheets *s, int body, const float *end,
                                              uint32_t triangle)
{
    pliant_moving_triangle t;
    for (int c = 0; c < 3; c++) {
        size_t v = s->triangles[3 * (size_t)triangle + (size_t)c];
        memcpy(t.corner[c].start, s->at[body][0] + 3 * v, sizeof t.corner[c].start);
        memcpy(t.corner[c].end, end + 3 * v, sizeof t.corner[c].end);
    }
    return t;
}

/* By brute force: nothing of two sheets meets on the ways from their starts. */
static void check_apart(const sheets *s, int a, const float *end_a, int b, const float *end_b)
{
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        pliant_moving_triangle p = moving_triangle(s, a, end_a, i);
        for (uint32_t j = 0; j < TRIANGLES; j++) {
            pliant_moving_triangle q = moving_triangle(s, b, end_b, j);
            assert_false(pliant_moving_triangle_meet(&p, &q, NULL));
        }
    }
}

static void check_advanced(sheets *s, const pliant_advance *advance, bool self)
{
    float end[MOST][3 * VERTICES];
    for (int i = 0; i < MOST; i++) {
        assert_ok(pliant_body_evaluate(s->body[i], NULL, VERTICES, end[i]));
        for (uint32_t k = 0; k < 3 * VERTICES; k++) {
            double x0 = (double)s->at[i][0][k], x1 = (double)s->at[i][1][k];
            float x = advance->time == 1.0f ? s->at[i][1][k]
                                            : (float)(x0 + (double)advance->time * (x1 - x0));
            assert_true(end[i][k] == x);
        }
    }
    for (int i = 0; i < MOST && !advance->path.touches; i++) {
        for (int j = i + 1; j < MOST; j++) {
            check_apart(s, i, end[i], j, end[j]);
        }
        pliant_meetings all;
        if (self) {
            assert_ok(pliant_find_meetings_self(s->query, s->body[i], NULL, &all));
            assert_int_equal(all.count, 0);
        }
    }
}

/* Far from the origin positions are coarse, and times have to shrink. */
static void test_advance(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 3);
    sheets s;
    sheets_create(&s);
    unsigned whole = 0, shrunk = 0, stopped = 0;
    for (uint64_t trial = 0; trial < scaled_count(300); trial++) {
        pliant_advance_options options = pliant_advance_options_default();
        options.self = trial % 2 == 0;
        sheets_move(&s, &r, trial % 4 < 2 ? 0.5 : 3.0, trial % 5 < 3 ? 1e5 : 0.0);
        pliant_advance advance, again;
        if (trial % 3 == 0) { /* borrowed positions */
            assert_ok(pliant_body_share_positions(s.body[0], s.at[0][1], 0));
        }
        assert_ok(pliant_advance_bodies(s.query, s.body, MOST, &options, &advance));
        check_advanced(&s, &advance, options.self);
        assert_true(advance.time <= advance.path.time);
        assert_true(trial % 5 < 3 || advance.time >= 0.5f * advance.path.time);
        whole += advance.time == 1.0f;
        shrunk += advance.time < advance.path.time;
        stopped += advance.time < 1.0f;
        if (!advance.path.touches) { /* the way is now free */
            assert_ok(pliant_advance_bodies(s.query, s.body, MOST, &options, &again));
            assert_true(again.time == 1.0f);
        }
    }
    assert_true(scaled_count(300) < 100 || (whole > 0 && shrunk > 0 && stopped > 20));
    sheets_destroy(&s);
}

/* The first of several bodies is named; nothing is asked of bodies that stand still. */
static void test_names(void **state)
{
    (void)state;
    sheets s;
    sheets_create(&s);
    float at[2][3 * VERTICES];
    for (uint32_t v = 0; v < VERTICES; v++) {
        for (uint32_t k = 0; k < 3; k++) {
            at[0][3 * v + k] = k == 2 ? 4.0f : (float)(k == 0 ? v % SIDE : v / SIDE) + 0.25f;
            at[1][3 * v + k] = k == 2 ? -4.0f : at[0][3 * v + k];
        }
    }
    pliant_advance advance;
    assert_ok(pliant_body_set_positions(s.body[2], at[0], 0));
    assert_ok(pliant_body_begin_step(s.body[2]));
    assert_ok(pliant_body_begin_step(s.body[1])); /* it stands, and touches body 0 */
    assert_ok(pliant_advance_bodies(s.query, s.body, MOST, NULL, &advance));
    assert_true(advance.time == 1.0f && advance.path.meeting.kind == PLIANT_MEETING_NONE);
    assert_ok(pliant_body_set_positions(s.body[2], at[1], 0));
    assert_ok(pliant_advance_bodies(s.query, s.body, MOST, NULL, &advance));
    assert_int_equal(advance.a, 0);
    assert_int_equal(advance.b, 2);
    assert_true(advance.path.time == 0.5f - 0x1p-25f && !advance.path.touches);
    assert_true(advance.time == advance.path.time);
    assert_ok(pliant_advance_bodies(s.query, NULL, 0, NULL, &advance));
    assert_true(advance.time == 1.0f);
    sheets_destroy(&s);
}

/* Refused, and everything stays as it was. */
static void test_refusals(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 4);
    sheets s;
    sheets_create(&s);
    sheets_move(&s, &r, 3.0, 0.0);
    const float turn[12] = {1.0f, 0.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    float before[3 * VERTICES], after[3 * VERTICES];
    pliant_advance advance;
    assert_ok(pliant_body_set_world(s.body[2], turn));
    assert_int_equal(pliant_advance_bodies(s.query, s.body, MOST, NULL, &advance),
                     PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "body 2 moves by coordinates or transforms"));
    pliant_body *twice[2] = {s.body[0], s.body[0]}, *none[2] = {s.body[0], NULL};
    assert_int_equal(pliant_advance_bodies(s.query, twice, 2, NULL, &advance),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_advance_bodies(s.query, none, 2, NULL, &advance),
                     PLIANT_ERROR_ARGUMENT);
    assert_ok(pliant_body_begin_step(s.body[2])); /* it stands now: it may take part */
    assert_ok(pliant_advance_bodies(s.query, s.body, MOST, NULL, &advance));
    s.at[0][1][7] = NAN; /* borrowed: it is seen when it is read */
    memcpy(before, s.at[0][1], sizeof before);
    assert_ok(pliant_body_share_positions(s.body[0], s.at[0][1], 0));
    assert_int_equal(pliant_advance_bodies(s.query, s.body, MOST, NULL, &advance),
                     PLIANT_ERROR_NOT_FINITE);
    s.at[0][1][7] = 0.0f;
    before[7] = 0.0f;
    assert_ok(pliant_body_share_positions(s.body[0], s.at[0][1], 0));
    assert_ok(pliant_body_evaluate(s.body[0], NULL, VERTICES, after));
    assert_memory_equal(before, after, sizeof before);
    sheets_destroy(&s);
}

/* Where and how far sheets are advanced. */
typedef struct advanced {
    pliant_advance advance;
    float at[MOST][3 * VERTICES];
} advanced;

static void advance_sheets(sheets *s, advanced *to)
{
    assert_ok(pliant_advance_bodies(s->query, s->body, MOST, NULL, &to->advance));
    for (int i = 0; i < MOST; i++) {
        assert_ok(pliant_body_evaluate(s->body[i], NULL, VERTICES, to->at[i]));
    }
}

/* Whatever allocation fails, bodies are where they were, and the same call again does what it would
   have done. */
static void test_no_memory(void **state)
{
    (void)state;
    unsigned failed = 0;
    bool done = false;
    rng once;
    rng_seed(&once, 5);
    sheets alone;
    advanced expected, after;
    sheets_create(&alone);
    sheets_move(&alone, &once, 3.0, 1e5);
    advance_sheets(&alone, &expected);
    assert_true(expected.advance.time > 0.0f && expected.advance.time < expected.advance.path.time);
    sheets_destroy(&alone);
    for (uint64_t n = 1; !done; n++) {
        rng r;
        rng_seed(&r, 5);
        counting_allocator allocator = {0};
        sheets s;
        sheets_create_in(&s, fixture_context(&allocator));
        sheets_move(&s, &r, 3.0, 1e5);
        pliant_advance advance;
        allocator.fail_at = allocator.calls + n;
        pliant_result result = pliant_advance_bodies(s.query, s.body, MOST, NULL, &advance);
        allocator.fail_at = 0;
        done = result == PLIANT_OK;
        assert_true(done || result == PLIANT_ERROR_OUT_OF_MEMORY);
        for (int i = 0; i < MOST && !done; i++) {
            float at[3 * VERTICES];
            assert_ok(pliant_body_evaluate(s.body[i], NULL, VERTICES, at));
            assert_memory_equal(at, s.at[i][1], sizeof at);
        }
        if (!done) {
            advance_sheets(&s, &after);
            assert_true(after.advance.time == expected.advance.time);
            assert_true(after.advance.a == expected.advance.a &&
                        after.advance.b == expected.advance.b);
            assert_memory_equal(after.at, expected.at, sizeof after.at);
        }
        failed += !done;
        sheets_destroy(&s);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(failed > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first),      cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_budget),     cmocka_unit_test(test_advance),
        cmocka_unit_test(test_names),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_tiny_times), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
