/* What comes within a distance while bodies move: against every pair of triangles, for every kind
   of body. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/moving_approach.h"
#include "moving_mesh.h"
#include "records.h"
#include "subjects.h"
#include "triangle_cases.h"

static pliant_meeting_options within(float distance)
{
    pliant_meeting_options options = pliant_meeting_options_default();
    options.distance = distance;
    return options;
}

/* Whether boxes around two triangles throughout the step are farther apart than a distance: such
   pairs are never listed, though the test of one pair may be less certain. */
static bool boxes_are_apart(const pliant_moving_triangle *p, const pliant_moving_triangle *q,
                            float distance)
{
    bool apart = false;
    for (int k = 0; k < 3; k++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 6; i++) {
            const pliant_moving_point *point = &(i / 3 == 0 ? p : q)->corner[i % 3];
            double start = (double)point->start[k], end = (double)point->end[k];
            low[i / 3] = fmin(low[i / 3], fmin(start, end));
            high[i / 3] = fmax(high[i / 3], fmax(start, end));
        }
        apart = apart || low[0] - high[1] > (double)distance || low[1] - high[0] > (double)distance;
    }
    return apart;
}

/* The answer has each pair that comes close, with its time and features, and no other. */
static uint64_t check(const moving_mesh *a, const moving_mesh *b, float distance,
                      const pliant_meetings *found)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < a->triangle_count; i++) {
        pliant_moving_triangle p = moving_mesh_triangle(a, i);
        for (uint32_t j = 0; j < b->triangle_count; j++) {
            pliant_moving_triangle q = moving_mesh_triangle(b, j);
            pliant_meeting expected;
            const pliant_meeting *meeting = meetings_find(found, i, j);
            bool close = pliant_moving_triangle_approach(&p, &q, distance, &expected);
            if (meeting == NULL && close && !boxes_are_apart(&p, &q, distance)) {
                fail_msg("triangles %u and %u: missing", i, j);
            }
            if (meeting != NULL && !(close && meetings_agree(meeting, &expected))) {
                fail_msg("triangles %u and %u: %s", i, j, close ? "another meeting" : "not close");
            }
            count += meeting != NULL;
        }
    }
    assert_int_equal(found->count, count);
    assert_true(meetings_are_ordered(found));
    assert_true(found->complete);
    return count;
}

/* What is asked of the first is what all say of it, and the free time is just below. */
static void check_first(pliant_query *query, const subject s[2], pliant_meeting_options options,
                        const pliant_meetings *all)
{
    pliant_pair pair = {0};
    pliant_meeting first = {0};
    uint64_t count = all->count;
    if (count > 0) {
        pair = all->pairs[0];
        first = all->meetings[0];
    }
    pliant_meetings found;
    pliant_free_time free_time;
    options.mode = PLIANT_COLLIDE_FIRST;
    assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, &options, &found));
    assert_int_equal(found.count, count > 0);
    assert_true(count == 0 || (meetings_agree(&first, &found.meetings[0]) &&
                               found.pairs[0].a == pair.a && found.pairs[0].b == pair.b));
    assert_ok(pliant_find_free_time(query, s[0].body, s[1].body, &options, &free_time));
    assert_true(free_time.complete);
    assert_true(free_time.touches == (first.kind == PLIANT_MEETING_START));
    if (count == 0 || free_time.touches) {
        assert_true(free_time.time == (count == 0 ? 1.0f : 0.0f));
    } else {
        double time = (double)free_time.time;
        assert_true(time < first.time.low &&
                    (double)nextafterf(free_time.time, 2.0f) >= first.time.low);
    }
}

static void move(subject *s, rng *r, moving_mesh *m)
{
    assert_ok(pliant_body_begin_step(s->body));
    moving_mesh_read(m, s->body, 0);
    model_case_move(&s->c, r, rng_below(r, 2) == 0);
    subject_set(s);
    moving_mesh_read(m, s->body, 1);
}

/* Two bodies of any kinds. */
static void test_kinds(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed());
    uint64_t close = 0;
    for (uint64_t trial = 0; trial < scaled_count(100); trial++) {
        pliant_context *context =
            fixture_context_with(PLIANT_ISA_BEST, 1 + (uint32_t)rng_below(&r, 3));
        pliant_query *query = NULL;
        assert_ok(pliant_query_create(context, &query));
        subject s[2];
        for (int i = 0; i < 2; i++) {
            subject_def def = subject_def_random(20 + (uint32_t)rng_below(&r, 100), &r);
            def.error = 0.0f;
            s[i] = subject_create(context, def, &r);
        }
        subjects_set_apart(s, &r);
        moving_mesh m[2] = {moving_mesh_begin(&s[0]), moving_mesh_begin(&s[1])};
        for (int step = 0; step < 3; step++) {
            for (int i = 0; i < 2; i++) {
                if (step != i) {
                    move(&s[i], &r, &m[i]);
                }
            }
            for (int k = 0; k < 2; k++) {
                pliant_meetings found;
                pliant_meeting_options options =
                    within((float)ldexp(rng_range(&r, 0.5, 1.0), -(int)rng_below(&r, 16)));
                assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, &options, &found));
                close += check(&m[0], &m[1], options.distance, &found);
                check_first(query, s, options, &found);
            }
        }
        moving_mesh_end(&m[0]);
        moving_mesh_end(&m[1]);
        subjects_destroy(s);
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
    assert_true(scaled_count(100) < 20 || close > 1000);
}

/* With both ends equal the answer is that of pliant_find_within(), errors of shapes included. */
static void test_standing(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 1);
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    pliant_query *query = NULL, *other = NULL;
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_query_create(context, &other));
    uint64_t close = 0;
    for (uint64_t trial = 0; trial < scaled_count(150); trial++) {
        subject s[2] = {subject_create(context, subject_def_random(300, &r), &r),
                        subject_create(context, subject_def_random(200, &r), &r)};
        subjects_set_apart(s, &r);
        pliant_meetings found;
        pliant_proximities near;
        if (trial % 2 == 0) {
            assert_ok(pliant_body_begin_step(s[0].body));
        }
        pliant_meeting_options options =
            within((float)ldexp(rng_range(&r, 0.5, 1.0), -(int)rng_below(&r, 10)));
        assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, &options, &found));
        assert_ok(pliant_find_within(other, s[0].body, s[1].body, options.distance, NULL, &near));
        assert_int_equal(found.count, near.count);
        for (uint64_t i = 0; i < found.count; i++) {
            assert_int_equal(found.pairs[i].a, near.pairs[i].a);
            assert_int_equal(found.pairs[i].b, near.pairs[i].b);
            assert_int_equal(found.meetings[i].kind, PLIANT_MEETING_START);
            assert_true(found.meetings[i].time.low == 0.0 && found.meetings[i].time.high == 0.0);
        }
        close += found.count;
        subjects_destroy(s);
    }
    assert_true(scaled_count(150) < 20 || close > 0);
    pliant_query_destroy(query);
    pliant_query_destroy(other);
    pliant_context_destroy(context);
}

/* ---------------------------------------------------------------- one body */

/* A sheet in a plane, with positions of its own at both ends of a step. */
enum { SIDE = 6, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

static void make_sheet(float rest[3 * VERTICES], uint32_t triangles[3 * TRIANGLES])
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        rest[3 * v] = (float)(v % SIDE);
        rest[3 * v + 1] = (float)(v / SIDE);
        rest[3 * v + 2] = 0.0f;
    }
    for (uint32_t cell = 0; cell < (SIDE - 1) * (SIDE - 1); cell++) {
        uint32_t v = cell / (SIDE - 1) * SIDE + cell % (SIDE - 1);
        const uint32_t two[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
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

/* Points 0 and 1 of a triangle's feature: a corner, or an edge. */
static bool shares(const uint32_t *p, int count_p, const uint32_t *q, int count_q)
{
    bool found = false;
    for (int i = 0; i < count_p * count_q; i++) {
        found = found || p[i / count_q] == q[i % count_q];
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
        bool close = pliant_moving_triangle_approach(&p, &q, d, &expected);
        return close && !boxes_are_apart(&p, &q, d) ? expected : (pliant_meeting){0};
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
        to[i] = rest[i] + by;
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
        pliant_meeting_options options = within((float)ldexp(0.5, -(int)rng_below(&r, 12)));
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

/* ------------------------------------------------------------------ others */

/* A triangle that flies over a sheet, fast and just within the distance or beyond D5's limit. */
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
        pliant_meeting_options options = within(d);
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

/* An answer as a number: pairs, times, features, and what was counted. */
static uint64_t hash_answer(const pliant_query *query, const pliant_meetings *found)
{
    const pliant_stats *stats = pliant_query_get_stats(query);
    uint64_t hash = 31 * stats->triangle_tests + stats->exact_fallbacks;
    for (uint64_t i = 0; i < found->count; i++) {
        uint64_t time;
        memcpy(&time, &found->meetings[i].time.low, sizeof time);
        const uint64_t words[5] = {found->pairs[i].a, found->pairs[i].b, found->meetings[i].a,
                                   found->meetings[i].b, (uint64_t)found->meetings[i].kind};
        hash = 1000003 * hash + time;
        for (int k = 0; k < 5; k++) {
            hash = 1000003 * hash + words[k];
        }
    }
    return hash;
}

/* Two bodies, and the first with itself, in a step that follows from the seed. */
static uint64_t answer_under(pliant_isa isa, uint32_t workers, uint64_t seed)
{
    rng r;
    rng_seed(&r, seed);
    pliant_context *context = fixture_context_with(isa, workers);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    subject s[2] = {subject_create(context, subject_def_random(200, &r), &r),
                    subject_create(context, subject_def_random(300, &r), &r)};
    subjects_set_apart(s, &r);
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_begin_step(s[i].body));
        model_case_move(&s[i].c, &r, i == 0);
        subject_set(&s[i]);
    }
    pliant_meetings found;
    pliant_meeting_options options = within((float)ldexp(1.0, -(int)rng_below(&r, 10)));
    assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, &options, &found));
    uint64_t hash = hash_answer(query, &found);
    assert_ok(pliant_find_meetings_self(query, s[0].body, &options, &found));
    hash = 31 * hash + hash_answer(query, &found);
    subjects_destroy(s);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    return hash;
}

/* Answers, their order and the counts depend on no instruction set and no workers. */
static void test_instruction_sets(void **state)
{
    (void)state;
    static const uint32_t workers[3] = {2, 3, 8};
    pliant_isa sets[3];
    int set_count = other_sets(sets);
    for (uint64_t trial = 0; trial < scaled_count(12); trial++) {
        uint64_t seed = test_seed() + 100 + trial, plain = answer_under(PLIANT_ISA_PLAIN, 1, seed);
        for (int i = 0; i < set_count; i++) {
            assert_int_equal(answer_under(sets[i], 1, seed), plain);
        }
        assert_int_equal(answer_under(PLIANT_ISA_BEST, workers[trial % 3], seed), plain);
    }
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
        pliant_meeting_options options = within(cases[i].distance);
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
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_standing),
        cmocka_unit_test(test_self),
        cmocka_unit_test(test_bullet),
        cmocka_unit_test(test_instruction_sets),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
