/* What meets while bodies move: against every pair of triangles, for every kind of body. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "skipping.h"

#include "moving_mesh.h"
#include "records.h"
#include "subjects.h"
#include "triangle_cases.h"

/* The answer has each pair that meets, with what meets and when, and no other. */
static uint64_t check(const moving_mesh *a, const moving_mesh *b, const pliant_meetings *found)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < a->triangle_count; i++) {
        pliant_moving_triangle p = moving_mesh_triangle(a, i);
        for (uint32_t j = 0; j < b->triangle_count; j++) {
            pliant_moving_triangle q = moving_mesh_triangle(b, j);
            pliant_meeting expected;
            if (!pliant_moving_triangle_meet(&p, &q, &expected)) {
                continue;
            }
            const pliant_meeting *meeting = meetings_find(found, i, j);
            if (meeting == NULL || !meetings_agree(meeting, &expected)) {
                fail_msg("triangles %u and %u: %s", i, j,
                         meeting == NULL ? "missing" : "another meeting");
            }
            count++;
        }
    }
    assert_int_equal(found->count, count);
    assert_true(meetings_are_ordered(found));
    assert_true(found->complete);
    return count;
}

static void move(subject *s, rng *r, moving_mesh *m)
{
    model_case_move(&s->c, r, rng_below(r, 2) == 0);
    subject_set(s);
    moving_mesh_read(m, s->body, 1);
}

/* Two bodies of any kinds: steps follow each other, the end of one is the start of the next. */
static void test_kinds(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed());
    uint64_t met = 0;
    for (uint64_t trial = 0; trial < scaled_count(150); trial++) {
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
        pliant_query *query = NULL;
        assert_ok(pliant_query_create(context, &query));
        subject s[2];
        for (int i = 0; i < 2; i++) {
            subject_def def = subject_def_random(20 + (uint32_t)rng_below(&r, 150), &r);
            def.error = 0.0f;
            s[i] = subject_create(context, def, &r);
        }
        subjects_set_apart(s, &r);
        moving_mesh m[2] = {moving_mesh_begin(&s[0]), moving_mesh_begin(&s[1])};
        for (int step = 0; step < 3; step++) {
            pliant_meetings found;
            for (int i = 0; i < 2; i++) {
                if (rng_below(&r, 4) > 0) {
                    assert_ok(pliant_body_begin_step(s[i].body));
                } else {
                    assert_ok(pliant_body_end_step(s[i].body));
                }
                bool stands = step == 2;
                moving_mesh_read(&m[i], s[i].body, 0);
                moving_mesh_read(&m[i], s[i].body, 1);
                if (!stands) {
                    bool began = rng_below(&r, 2) == 0;
                    assert_ok(pliant_body_begin_step(s[i].body));
                    if (began) {
                        assert_ok(pliant_body_begin_step(s[i].body));
                    }
                    move(&s[i], &r, &m[i]);
                }
            }
            assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, NULL, &found));
            met += check(&m[0], &m[1], &found);
            pliant_meeting_options first = pliant_meeting_options_default();
            first.mode = PLIANT_COLLIDE_FIRST;
            pliant_meeting earliest = {0};
            uint64_t count = found.count;
            if (count > 0) {
                earliest = found.meetings[0];
            }
            assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, &first, &found));
            assert_int_equal(found.count, count > 0);
            assert_true(count == 0 || meetings_agree(&earliest, &found.meetings[0]));
        }
        moving_mesh_end(&m[0]);
        moving_mesh_end(&m[1]);
        subjects_destroy(s);
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
    assert_true(scaled_count(150) < 20 || met > 1000);
}

/* With both ends equal the answer is that of pliant_collide(), and all of it is there at time 0. */
static void test_standing(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 1);
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    pliant_query *query = NULL, *other = NULL;
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_query_create(context, &other));
    uint64_t met = 0;
    for (uint64_t trial = 0; trial < scaled_count(100); trial++) {
        subject s[2] = {subject_create(context, subject_def_random(300, &r), &r),
                        subject_create(context, subject_def_random(200, &r), &r)};
        subjects_set_apart(s, &r);
        pliant_meetings found;
        pliant_contacts contacts;
        if (trial % 2 == 0) {
            assert_ok(pliant_body_begin_step(s[0].body));
        }
        assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, NULL, &found));
        assert_ok(pliant_collide(other, s[0].body, s[1].body, NULL, &contacts));
        assert_int_equal(found.count, contacts.count);
        for (uint64_t i = 0; i < found.count; i++) {
            assert_int_equal(found.pairs[i].a, contacts.pairs[i].a);
            assert_int_equal(found.pairs[i].b, contacts.pairs[i].b);
            assert_int_equal(found.meetings[i].kind, PLIANT_MEETING_START);
            assert_true(found.meetings[i].time.low == 0.0 && found.meetings[i].time.high == 0.0);
        }
        assert_ok(pliant_find_meetings_self(query, s[0].body, NULL, &found));
        assert_ok(pliant_collide_self(other, s[0].body, NULL, &contacts));
        assert_int_equal(found.count, contacts.count);
        for (uint64_t i = 0; i < found.count; i++) {
            assert_int_equal(found.pairs[i].a, contacts.pairs[i].a);
            assert_int_equal(found.pairs[i].b, contacts.pairs[i].b);
        }
        met += found.count;
        subjects_destroy(s);
    }
    assert_true(scaled_count(100) < 20 || met > 0);
    pliant_query_destroy(query);
    pliant_query_destroy(other);
    pliant_context_destroy(context);
}

/* A step that is given up and begun again is a new one, wherever its start comes to lie in memory.
 */
static void test_begun_again(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 3);
    uint64_t met = 0, differ = 0;
    for (uint64_t trial = 0; trial < scaled_count(60); trial++) {
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
        pliant_query *query = NULL;
        assert_ok(pliant_query_create(context, &query));
        subject s[2] = {subject_create(context, subject_def_random(80, &r), &r),
                        subject_create(context, subject_def_random(60, &r), &r)};
        moving_mesh m[2] = {moving_mesh_begin(&s[0]), moving_mesh_begin(&s[1])};
        pliant_meetings found;
        assert_ok(pliant_body_begin_step(s[0].body));
        move(&s[0], &r, &m[0]);
        assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, NULL, &found));
        uint64_t before = check(&m[0], &m[1], &found);
        assert_ok(pliant_body_end_step(s[0].body));
        if (trial % 2 == 0) {
            assert_ok(pliant_body_begin_step(s[0].body));
        }
        moving_mesh_read(&m[0], s[0].body, 0);
        assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, NULL, &found));
        uint64_t after = check(&m[0], &m[1], &found);
        met += after;
        differ += before != after;
        moving_mesh_end(&m[0]);
        moving_mesh_end(&m[1]);
        subjects_destroy(s);
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
    assert_true(scaled_count(60) < 20 || (met > 0 && differ > 0));
}

/* ---------------------------------------------------------------- one body */

static bool shares(const uint32_t *welded, const uint32_t *p, const uint32_t *q, int i, int j)
{
    return welded[p[i]] == welded[q[j]];
}

/* Whether features of two triangles of one body meet, as D9 has it. */
static bool features_meet(const moving_mesh *m, const uint32_t *welded, uint32_t a, uint32_t b)
{
    const uint32_t *p = m->triangles + 3 * (size_t)a, *q = m->triangles + 3 * (size_t)b;
    pliant_moving_triangle x = moving_mesh_triangle(m, a), y = moving_mesh_triangle(m, b);
    for (int i = 0; i < 3; i++) {
        pliant_meeting_time time = {0.0, 0.0};
        bool in_b =
            shares(welded, p, q, i, 0) || shares(welded, p, q, i, 1) || shares(welded, p, q, i, 2);
        bool in_a =
            shares(welded, p, q, 0, i) || shares(welded, p, q, 1, i) || shares(welded, p, q, 2, i);
        if ((!in_b && pliant_moving_point_meet(&x.corner[i], &y, &time) && time.high > 0.0) ||
            (!in_a && pliant_moving_point_meet(&y.corner[i], &x, &time) && time.high > 0.0)) {
            return true;
        }
        for (int j = 0; j < 3; j++) {
            int k = (i + 1) % 3, l = (j + 1) % 3;
            pliant_moving_edge e = {{x.corner[i], x.corner[k]}}, f = {{y.corner[j], y.corner[l]}};
            bool common = shares(welded, p, q, i, j) || shares(welded, p, q, i, l) ||
                          shares(welded, p, q, k, j) || shares(welded, p, q, k, l);
            if (!common && pliant_moving_edge_meet(&e, &f, &time) && time.high > 0.0) {
                return true;
            }
        }
    }
    return false;
}

static bool is_listed(const pliant_contacts *contacts, uint32_t a, uint32_t b)
{
    for (uint64_t i = 0; i < contacts->count; i++) {
        if (contacts->pairs[i].a == a && contacts->pairs[i].b == b) {
            return true;
        }
    }
    return false;
}

/* A free body that crumples: neighbours, seams and everything else. */
static void test_self(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 2);
    unsigned kinds[6] = {0};
    for (uint64_t trial = 0; trial < scaled_count(150); trial++) {
        enum { SIDE = 6, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
        uint32_t triangles[3 * TRIANGLES], welded[VERTICES], *next = triangles;
        float rest[3 * VERTICES], at[2][3 * VERTICES];
        double far = trial % 3 == 0 ? 3.0 : 0.6;
        for (uint32_t v = 0; v < VERTICES; v++) {
            welded[v] = v;
            for (uint32_t k = 0; k < 3; k++) {
                rest[3 * v + k] = k == 2 ? 0.0f : (float)(k == 0 ? v % SIDE : v / SIDE);
                for (int e = 0; e < 2; e++) {
                    float by = trial % 2 == 0 ? (float)rng_range(&r, -far, far)
                                              : (float)((int)rng_below(&r, 3) - 1);
                    at[e][3 * v + k] = rest[3 * v + k] + by;
                }
            }
        }
        for (uint32_t y = 0; y + 1 < SIDE; y++) {
            for (uint32_t x = 0; x + 1 < SIDE; x++) {
                uint32_t v = y * SIDE + x;
                const uint32_t two[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
                memcpy(next, two, sizeof two);
                next += 6;
            }
        }
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
        pliant_shape_def def = pliant_shape_def_default();
        def.positions = rest;
        def.triangles = triangles;
        def.vertex_count = VERTICES;
        def.triangle_count = TRIANGLES;
        pliant_shape *shape = NULL;
        pliant_body *body = NULL, *ends[2];
        pliant_query *query = NULL, *at_end[2];
        assert_ok(pliant_shape_create(context, &def, &shape));
        assert_ok(pliant_body_create(shape, NULL, &body));
        assert_ok(pliant_query_create(context, &query));
        pliant_contacts contacts[2];
        for (int e = 0; e < 2; e++) {
            assert_ok(pliant_body_create(shape, NULL, &ends[e]));
            assert_ok(pliant_query_create(context, &at_end[e]));
            assert_ok(pliant_body_set_positions(ends[e], at[e], 0));
            assert_ok(pliant_collide_self(at_end[e], ends[e], NULL, &contacts[e]));
        }
        assert_ok(pliant_body_set_positions(body, at[0], 0));
        assert_ok(pliant_body_begin_step(body));
        assert_ok(pliant_body_set_positions(body, at[1], 0));
        pliant_meetings found;
        assert_ok(pliant_find_meetings_self(query, body, NULL, &found));
        moving_mesh m = {{at[0], at[1]}, triangles, VERTICES, TRIANGLES};
        uint64_t count = 0;
        for (uint32_t i = 0; i < TRIANGLES; i++) {
            for (uint32_t j = i + 1; j < TRIANGLES; j++) {
                bool start = is_listed(&contacts[0], i, j), last = is_listed(&contacts[1], i, j);
                bool features = features_meet(&m, welded, i, j);
                const pliant_meeting *meeting = meetings_find(&found, i, j);
                if ((meeting != NULL) != (start || last || features)) {
                    fail_msg("trial %llu: triangles %u and %u", (unsigned long long)trial, i, j);
                }
                if (meeting == NULL) {
                    continue;
                }
                count++;
                kinds[meeting->kind]++;
                assert_true((meeting->kind == PLIANT_MEETING_START) == start);
                assert_true((meeting->kind == PLIANT_MEETING_END) == (!start && !features));
            }
        }
        assert_int_equal(found.count, count);
        assert_true(meetings_are_ordered(&found));
        for (int e = 0; e < 2; e++) {
            pliant_body_destroy(ends[e]);
            pliant_query_destroy(at_end[e]);
        }
        pliant_query_destroy(query);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
        pliant_context_destroy(context);
    }
    for (int k = 1; k < 6 && scaled_count(150) >= 100; k++) {
        assert_true(k == PLIANT_MEETING_FACE_VERTEX || kinds[k] > 0);
    }
}

/* ------------------------------------------------------ instruction sets */

/* An answer, and what it cost. */
typedef struct kept_answer {
    uint64_t count, tests, fallbacks;
    pliant_pair *pairs;
    pliant_meeting *meetings;
} kept_answer;

static kept_answer keep(const pliant_query *query, const pliant_meetings *found)
{
    const pliant_stats *stats = pliant_query_get_stats(query);
    kept_answer k = {found->count, stats->triangle_tests, stats->exact_fallbacks,
                     malloc((size_t)found->count * sizeof *k.pairs + 1),
                     malloc((size_t)found->count * sizeof *k.meetings + 1)};
    assert_true(k.pairs != NULL && k.meetings != NULL);
    for (uint64_t i = 0; i < found->count; i++) {
        k.pairs[i] = found->pairs[i];
        k.meetings[i] = found->meetings[i];
    }
    return k;
}

static void check_same(const kept_answer *a, const kept_answer *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->tests, b->tests);
    assert_int_equal(a->fallbacks, b->fallbacks);
    for (uint64_t i = 0; i < a->count; i++) {
        assert_int_equal(a->pairs[i].a, b->pairs[i].a);
        assert_int_equal(a->pairs[i].b, b->pairs[i].b);
        assert_true(meetings_agree(&a->meetings[i], &b->meetings[i]));
    }
}

static void drop(kept_answer *k)
{
    free(k->pairs);
    free(k->meetings);
}

/* Two bodies, and the first with itself, in one step that follows from the seed. */
static void answer_under(pliant_isa isa, uint64_t seed, kept_answer kept[2])
{
    rng r;
    rng_seed(&r, seed);
    pliant_context *context = fixture_context_with(isa, 1);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    subject s[2];
    for (int i = 0; i < 2; i++) {
        subject_def def = subject_def_random(100 + (uint32_t)rng_below(&r, 400), &r);
        def.error = 0.0f;
        s[i] = subject_create(context, def, &r);
    }
    subjects_set_apart(s, &r);
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_begin_step(s[i].body));
        model_case_move(&s[i].c, &r, i == 0);
        subject_set(&s[i]);
    }
    pliant_meetings found;
    assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, NULL, &found));
    kept[0] = keep(query, &found);
    assert_ok(pliant_find_meetings_self(query, s[0].body, NULL, &found));
    kept[1] = keep(query, &found);
    subjects_destroy(s);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

/* Answers, their order and the counts do not depend on the instruction set. */
static void test_instruction_sets(void **state)
{
    (void)state;
    pliant_isa sets[3];
    int set_count = other_sets(sets);
    uint64_t met[2] = {0, 0};
    for (uint64_t trial = 0; trial < scaled_count(16); trial++) {
        kept_answer plain[2], other[2];
        answer_under(PLIANT_ISA_PLAIN, test_seed() + 100 + trial, plain);
        for (int i = 0; i < set_count; i++) {
            answer_under(sets[i], test_seed() + 100 + trial, other);
            for (int k = 0; k < 2; k++) {
                check_same(&plain[k], &other[k]);
                drop(&other[k]);
            }
        }
        for (int k = 0; k < 2; k++) {
            met[k] += plain[k].count;
            drop(&plain[k]);
        }
    }
    assert_true(scaled_count(16) < 16 || met[0] + met[1] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_standing),
        cmocka_unit_test(test_begun_again),
        cmocka_unit_test(test_self),
        cmocka_unit_test(test_instruction_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
