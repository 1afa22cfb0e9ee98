/* Contours and regions (D12) of closed bodies in general position, of every kind, and of sheets. */
#include "contour_check.h"
#include "failing_memory.h"
#include "solid.h"
#include "subjects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Between closed bodies in general position all contours are closed, and every vertex is inside or
   outside exactly. */
static void test_closed_bodies(void **state)
{
    (void)state;
    rng r;
    uint64_t contours = 0, compared = 0, guesses = 0, inside = 0;
    for (uint32_t i = 0; i < fixture_at_least(20, 400); i++) {
        rng_seed(&r, 1000 + i);
        test_solid a = test_solid_create(test_context, test_solid_random(&r));
        test_solid b = test_solid_create(test_context, test_solid_random(&r));
        pliant_contour_set set = {.length = 0.0};
        assert_ok(pliant_contours_find(test_contours, a.body, b.body, NULL, &set));
        contour_case c = contour_case_of(a.body, &a.mesh, b.body, &b.mesh);
        assert_int_equal(contour_check_set(&c, &set), 0);
        assert_int_equal(set.touch_count, 0);
        compared += contour_check_regions(&c, &set, true);
        contours += set.contour_count;
        for (uint64_t k = 0; k < set.contour_count; k++) {
            assert_true(set.contours[k].generic);
        }
        for (uint64_t k = 0; k < set.region_count; k++) {
            guesses += set.regions[k].guess;
            inside += set.regions[k].inside;
        }
        contour_case_free(&c);
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
    print_message("%u contours, %u regions inside, %u guessed, %u vertices compared\n",
                  (unsigned)contours, (unsigned)inside, (unsigned)guesses, (unsigned)compared);
    assert_true(contours > fixture_at_least(20, 400) / 4 && compared > contours);
    assert_int_equal(guesses, 0);
}

/* What does not depend on how a body is given, nor on strategy, instruction set or workers. */
static uint64_t digest_set(const pliant_contour_set *set)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (uint64_t i = 0; i < set->point_count; i++) {
        h = hash_bytes(h, &set->points[i], sizeof *set->points);
    }
    for (uint64_t i = 0; i < set->segment_count; i++) {
        h = hash_bytes(h, &set->segments[i], sizeof *set->segments);
    }
    for (uint64_t i = 0; i < set->region_count; i++) {
        const pliant_region *g = &set->regions[i];
        uint32_t numbers[] = {g->body,        g->vertex_count, g->triangle_count,
                              g->piece_count, g->inside,       g->guess};
        double sizes[] = {g->area, g->depth};
        h = hash_bytes(hash_bytes(h, numbers, sizeof numbers), sizes, sizeof sizes);
    }
    return hash_bytes(h, &set->length, sizeof set->length);
}

/* Bodies of every kind in random states, not closed as a rule, with random trees and strategies;
   then free bodies at the same positions give the same bytes. */
static void test_every_kind_of_body(void **state)
{
    (void)state;
    rng r;
    uint64_t segments = 0;
    for (uint32_t i = 0; i < fixture_at_least(30, 120); i++) {
        rng_seed(&r, 7000 + i);
        subject s[2];
        for (int k = 0; k < 2; k++) {
            subject_def def = subject_def_random(60, &r);
            def.kind = (i + (uint32_t)k * 5) % (MODEL_KINDS + 1);
            s[k] = subject_create(test_context, def, &r);
        }
        pliant_contour_set set = {.length = 0.0};
        assert_ok(pliant_contours_find(test_contours, s[0].body, s[1].body, NULL, &set));
        contour_case c = contour_case_of(s[0].body, &s[0].c.mesh, s[1].body, &s[1].c.mesh);
        contour_check_set(&c, &set);
        contour_check_regions(&c, &set, false);
        segments += set.segment_count;
        uint64_t before = digest_set(&set);
        pliant_shape *shape[2];
        pliant_body *body[2];
        for (int k = 0; k < 2; k++) {
            /* A shape of the rest state welds as that of the case did, but for fields. */
            pliant_shape_def def = fixture_shape_def(&s[k].c.mesh);
            def.weld = false;
            assert_ok(pliant_shape_create(test_context, &def, &shape[k]));
            assert_ok(pliant_body_create(shape[k], NULL, &body[k]));
            assert_ok(pliant_body_set_positions(body[k], c.positions[k], 0));
        }
        pliant_contour_set again;
        assert_ok(pliant_contours_find(test_contours, body[0], body[1], NULL, &again));
        assert_int_equal(before, digest_set(&again));
        for (int k = 0; k < 2; k++) {
            pliant_body_destroy(body[k]);
            pliant_shape_destroy(shape[k]);
        }
        contour_case_free(&c);
        subjects_destroy(s);
    }
    print_message("%u segments\n", (unsigned)segments);
    assert_true(segments > fixture_at_least(30, 120));
}

/* One body with itself. */
static void test_self(void **state)
{
    (void)state;
    rng r;
    uint64_t segments = 0, ends[5] = {0};
    for (uint32_t i = 0; i < fixture_at_least(30, 120); i++) {
        rng_seed(&r, 9000 + i);
        subject_def def = subject_def_random(100, &r);
        def.kind = i % (MODEL_KINDS + 1);
        subject s = subject_create(test_context, def, &r);
        pliant_contour_set set = {.length = 0.0};
        assert_ok(pliant_contours_find_self(test_contours, s.body, NULL, &set));
        contour_case c = contour_case_of(s.body, &s.c.mesh, NULL, NULL);
        contour_check_set(&c, &set);
        contour_check_regions(&c, &set, false);
        segments += set.segment_count;
        for (uint64_t k = 0; k < set.contour_count; k++) {
            ends[set.contours[k].begin]++;
        }
        contour_case_free(&c);
        subject_destroy(&s);
    }
    print_message("%u segments; closed %u, border %u, vertex %u, branch %u, contact %u\n",
                  (unsigned)segments, (unsigned)ends[0], (unsigned)ends[1], (unsigned)ends[2],
                  (unsigned)ends[3], (unsigned)ends[4]);
    assert_true(segments > fixture_at_least(30, 120));
    assert_true(ends[PLIANT_CONTOUR_VERTEX] > 0);
}

/* Sheets: contours close or end at borders, in general position. */
static void test_sheets(void **state)
{
    (void)state;
    rng r;
    uint64_t closed = 0, borders = 0;
    for (uint32_t i = 0; i < fixture_at_least(20, 200); i++) {
        rng_seed(&r, 11000 + i);
        test_solid s[2];
        for (int k = 0; k < 2; k++) {
            gallery_mesh mesh;
            assert_true(mesh_make_sheet(6 + (uint32_t)rng_below(&r, 6), 7, &mesh));
            for (uint32_t v = 0; v < mesh.vertex_count; v++) {
                mesh.positions[3 * v + 2] = (float)rng_range(&r, -0.2, 0.2);
            }
            test_place place = place_random(&r, 0.2);
            if (i % 2 == 0) {
                place = place_at(rng_range(&r, -0.1, 0.1), rng_range(&r, -0.1, 0.1), 0.0);
            }
            test_solid_move(&mesh, &place);
            s[k] = test_solid_create(test_context, mesh);
        }
        pliant_contour_set set = {.length = 0.0};
        assert_ok(pliant_contours_find(test_contours, s[0].body, s[1].body, NULL, &set));
        contour_case c = contour_case_of(s[0].body, &s[0].mesh, s[1].body, &s[1].mesh);
        contour_check_set(&c, &set);
        contour_check_regions(&c, &set, false);
        for (uint64_t k = 0; k < set.contour_count; k++) {
            const pliant_contour *contour = &set.contours[k];
            bool is_closed = contour->begin == PLIANT_CONTOUR_CLOSED;
            closed += is_closed;
            borders += !is_closed;
            assert_true(is_closed || (contour->begin == PLIANT_CONTOUR_BORDER &&
                                      contour->end == PLIANT_CONTOUR_BORDER));
        }
        for (uint64_t k = 0; k < set.region_count; k++) {
            assert_true(set.regions[k].guess);
        }
        contour_case_free(&c);
        test_solid_destroy(&s[0]);
        test_solid_destroy(&s[1]);
    }
    print_message("%u closed, %u from border to border\n", (unsigned)closed, (unsigned)borders);
    assert_true(closed > 0 && borders > 0);
}

/* Pairs that a query found give the same answer. */
static void test_pairs_given(void **state)
{
    (void)state;
    test_place p = place_at(0.0, 0.0, 0.0), q = place_at(0.7, 0.5, 0.3);
    test_solid a = test_solid_create(test_context, test_solid_sphere(80, &p));
    test_solid b = test_solid_create(test_context, test_solid_sphere(80, &q));
    pliant_contour_set set, again;
    pliant_contacts contacts;
    assert_ok(pliant_contours_find(test_contours, a.body, b.body, NULL, &set));
    uint64_t before = digest_set(&set);
    assert_ok(pliant_collide(test_query, a.body, b.body, NULL, &contacts));
    pliant_contour_options options = pliant_contour_options_default();
    options.pairs = contacts.pairs;
    options.pair_count = contacts.count;
    assert_ok(pliant_contours_find(test_contours, a.body, b.body, &options, &again));
    assert_int_equal(before, digest_set(&again));
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

/* The call is refused with a result and a sentence, and writes nothing. */
static void assert_refused(pliant_body *a, pliant_body *b, const pliant_pair *pairs, uint64_t count,
                           pliant_result expected, const char *sentence)
{
    pliant_contour_options options = pliant_contour_options_default();
    pliant_contour_set set = {.pair_count = 12345};
    options.pairs = pairs;
    options.pair_count = count;
    pliant_result result = a == b ? pliant_contours_find_self(test_contours, a, &options, &set)
                                  : pliant_contours_find(test_contours, a, b, &options, &set);
    assert_int_equal(result, expected);
    assert_non_null(strstr(pliant_last_error(), sentence));
    assert_int_equal(set.pair_count, 12345);
}

/* The first pair of all that is not in a list. */
static pliant_pair first_apart(const pliant_contacts *contacts, uint32_t count)
{
    pliant_pair pair = {0, 0};
    for (uint64_t i = 0; i < contacts->count; i++) {
        if (contacts->pairs[i].a != pair.a || contacts->pairs[i].b != pair.b) {
            break;
        }
        pair.b++;
        pair.a += pair.b == count;
        pair.b %= count;
    }
    return pair;
}

static void test_wrong_pairs(void **state)
{
    (void)state;
    test_place p = place_at(0.0, 0.0, 0.0), q = place_at(0.7, 0.5, 0.3);
    test_solid a = test_solid_create(test_context, test_solid_sphere(80, &p));
    test_solid b = test_solid_create(test_context, test_solid_sphere(80, &q));
    pliant_contacts contacts;
    pliant_contour_set set = {.length = 0.0};
    assert_ok(pliant_collide(test_query, a.body, b.body, NULL, &contacts));
    pliant_pair beyond = {3, 500}, twice[] = {contacts.pairs[0], contacts.pairs[0]};
    pliant_pair loose = first_apart(&contacts, 80), itself = {4, 4}, neighbours = {0, 1};
    assert_refused(a.body, b.body, &beyond, 1, PLIANT_ERROR_RANGE, "pair 0: triangle 500 of 80");
    assert_refused(a.body, b.body, twice, 2, PLIANT_ERROR_ARGUMENT, "pair 1: pairs do not ascend");
    assert_refused(a.body, b.body, &loose, 1, PLIANT_ERROR_ARGUMENT, "do not touch in this state");
    assert_refused(a.body, b.body, NULL, 1, PLIANT_ERROR_ARGUMENT,
                   "pairs is NULL, and pair_count is 1");
    assert_refused(a.body, a.body, &itself, 1, PLIANT_ERROR_ARGUMENT,
                   "triangle 4 does not come before 4");
    assert_refused(a.body, a.body, &neighbours, 1, PLIANT_ERROR_ARGUMENT,
                   "do not touch in this state");
    assert_int_equal(pliant_contours_find(test_contours, a.body, a.body, NULL, &set),
                     PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "use pliant_contours_find_self"));
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

/* With groups the answer is that of a mesh with only these triangles. */
static void test_groups(void **state)
{
    (void)state;
    test_place p = place_at(0.0, 0.0, 0.0), q = place_at(0.7, 0.5, 0.3),
               far = place_at(-0.8, 0.1, 0);
    test_solid a = test_solid_create(test_context, test_solid_sphere(320, &p));
    test_solid b = test_solid_create(test_context, test_solid_sphere(80, &q));
    gallery_mesh both = test_solid_sphere(80, &q), more = test_solid_sphere(80, &far);
    test_solid_join(&both, &more);
    uint16_t *groups = calloc(both.triangle_count, sizeof *groups);
    for (uint32_t t = 80; t < both.triangle_count; t++) {
        groups[t] = 1;
    }
    pliant_shape_def def = fixture_shape_def(&both);
    def.groups = groups;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    pliant_contour_set set = {.length = 0.0};
    assert_ok(pliant_contours_find(test_contours, a.body, b.body, NULL, &set));
    double length = set.length;
    pliant_contour_options options = pliant_contour_options_default();
    uint64_t bits = 1;
    options.groups_b = (pliant_groups){&bits, 1};
    assert_ok(pliant_contours_find(test_contours, a.body, body, &options, &set));
    assert_true(set.length == length);
    assert_int_equal(set.contour_count, 1);
    for (uint32_t v = 0; v < both.vertex_count; v++) {
        bool other = v >= b.mesh.vertex_count;
        assert_true(!other || set.vertex_regions[1][v] == PLIANT_NO_REGION);
    }
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    mesh_free(&both);
    free(groups);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

/* Positions that are not finite are named, also those that no pair needs. */
static void test_not_finite(void **state)
{
    (void)state;
    test_place p = place_at(0.0, 0.0, 0.0), q = place_at(0.7, 0.5, 0.3);
    test_solid a = test_solid_create(test_context, test_solid_sphere(320, &p));
    test_solid b = test_solid_create(test_context, test_solid_sphere(80, &q));
    float *positions = malloc(3 * (size_t)a.mesh.vertex_count * sizeof *positions);
    memcpy(positions, a.mesh.positions, 3 * (size_t)a.mesh.vertex_count * sizeof *positions);
    positions[31] = NAN;
    pliant_contour_set set = {.length = 0.0};
    pliant_pair pair = {0, 0};
    pliant_contour_options options = pliant_contour_options_default();
    options.pairs = &pair;
    assert_ok(pliant_body_share_positions(a.body, positions, 0));
    assert_int_equal(pliant_contours_find(test_contours, a.body, b.body, &options, &set),
                     PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "vertex 10: coordinate y is "));
    options.regions = false;
    options.pair_count = 1;
    for (uint32_t t = 0; t < a.mesh.triangle_count; t++) {
        const uint32_t *v = a.mesh.triangles + 3 * (size_t)t;
        pair.a = v[0] == 10 || v[1] == 10 || v[2] == 10 ? t : pair.a;
    }
    assert_int_equal(pliant_contours_find(test_contours, a.body, b.body, &options, &set),
                     PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "of the first body: a coordinate is "));
    free(positions);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

static void test_no_allocation_once_warm(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    test_place p = place_at(0.0, 0.0, 0.0), q = place_at(0.7, 0.5, 0.3);
    test_solid a = test_solid_create(context, test_solid_sphere(1280, &p));
    test_solid b = test_solid_create(context, test_solid_torus(20, 30, 0.3, &q));
    pliant_contours *own = NULL;
    pliant_contour_set set = {.length = 0.0};
    pliant_contour_options options = pliant_contour_options_default();
    options.gradients = true;
    assert_ok(pliant_contours_create(context, &own));
    uint64_t calls = 0;
    for (int i = 0; i < 3; i++) {
        calls = allocator.calls;
        assert_ok(pliant_contours_find(own, a.body, b.body, &options, &set));
        assert_ok(pliant_contours_find_self(own, b.body, &options, &set));
    }
    assert_int_equal(allocator.calls, calls);
    const pliant_contour_stats *stats = pliant_contours_get_stats(own);
    assert_true(stats->bytes > 0 && stats->bytes < allocator.live_bytes);
    pliant_contours_destroy(own);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_bodies),
        cmocka_unit_test(test_every_kind_of_body),
        cmocka_unit_test(test_self),
        cmocka_unit_test(test_sheets),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_pairs_given),
        cmocka_unit_test(test_wrong_pairs),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_no_allocation_once_warm),
    };
    return cmocka_run_group_tests(tests, test_contours_set_up, test_contours_tear_down);
}
