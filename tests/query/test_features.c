/* Features (D11) by hand: parallel edges, crossings, features that several triangles have. */
#include "feature_truth.h"

#include <math.h>
#include <string.h>

static pliant_features ask(pliant_query *query, const test_body *a, const test_body *b, float d)
{
    pliant_features got = {0};
    if (b == NULL) {
        assert_ok(pliant_find_features_self(query, a->body, d, NULL, &got));
    } else {
        assert_ok(pliant_find_features(query, a->body, b->body, d, NULL, &got));
    }
    assert_int_equal(pliant_query_get_stats(query)->pairs, got.count);
    return got;
}

/* A shape of a few triangles, and a body of it. */
static test_body make_body(const float *positions, uint32_t vertices, const uint32_t *triangles,
                           uint32_t count, const uint16_t *groups, bool weld)
{
    test_body body;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = vertices;
    def.triangles = triangles;
    def.triangle_count = count;
    def.groups = groups;
    def.weld = weld;
    assert_ok(pliant_shape_create(test_context, &def, &body.shape));
    assert_ok(pliant_body_create(body.shape, NULL, &body.body));
    return body;
}

/* Two squares, one above the other, of two triangles each: parallel edges, a shared diagonal. */
static const float squares[] = {0, 0, 0,     1, 0, 0,     1, 1, 0,     0, 1, 0,
                                0, 0, 0.25f, 1, 0, 0.25f, 1, 1, 0.25f, 0, 1, 0.25f};
static const uint32_t square_triangles[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};

static void parallel_edges_meet_in_the_middle(void **state)
{
    (void)state;
    test_body body = make_body(squares, 8, square_triangles, 4, NULL, true);
    pliant_features got = ask(test_query, &body, NULL, 0.5f);
    uint32_t parallel = 0, vertices = 0;
    for (uint64_t i = 0; i < got.count; i++) {
        const pliant_feature_pair *pair = &got.pairs[i];
        assert_true(pair->distance == 0.25);
        assert_true(pair->direction[2] == (pair->vertices[0] < 4 ? 1.0f : -1.0f));
        vertices += pair->kind == PLIANT_VERTEX_FACE;
        if (pair->kind == PLIANT_EDGE_EDGE && pair->vertices[0] + 4 == pair->vertices[2] &&
            pair->vertices[1] + 4 == pair->vertices[3]) {
            parallel++;
            for (int k = 0; k < 4; k++) {
                assert_true(pair->weights[k] == 0.5f);
            }
        }
    }
    assert_int_equal(parallel, 5);     /* four sides and the diagonal */
    assert_int_equal(vertices, 2 * 6); /* corners 0 and 2 are above two faces, the others one */
    assert_true(got.crossing_count == 0 && got.crossings == NULL);
    test_body_destroy(&body);
}

/* The middle of the part that lies beside the other edge; behind it, ends. */
static void shifted_parallel_edges(void **state)
{
    (void)state;
    const float first[] = {0, 0, 0, 4, 0, 0, 0, -9, 0};
    const float second[] = {3, 1, 0, 7, 1, 0, 7, 9, 0};
    const float third[] = {5, 1, 0, 7, 1, 0, 7, 9, 0};
    const uint32_t triangle[] = {0, 1, 2};
    test_body a = make_body(first, 3, triangle, 1, NULL, true);
    test_body b = make_body(second, 3, triangle, 1, NULL, true);
    test_body c = make_body(third, 3, triangle, 1, NULL, true);
    pliant_features got = ask(test_query, &a, &b, 1.0f);
    bool found = false;
    for (uint64_t i = 0; i < got.count; i++) {
        const pliant_feature_pair *pair = &got.pairs[i];
        if (pair->kind == PLIANT_EDGE_EDGE && pair->a == 0 && pair->b == 0) {
            found = true;
            assert_true(pair->weights[1] == 0.875f && pair->weights[3] == 0.125f);
            assert_true(pair->direction[1] == 1.0f && pair->distance == 1.0);
        }
    }
    assert_true(found);
    got = ask(test_query, &a, &c, 1.5f);
    assert_true(got.count > 0);
    for (uint64_t i = 0; i < got.count; i++) {
        assert_true(fabs(got.pairs[i].distance - sqrt(2.0)) < 1e-12);
    }
    test_body_destroy(&a);
    test_body_destroy(&b);
    test_body_destroy(&c);
}

/* A long triangle through the middle of a large one: no features are close, and they cross. */
static void crossings_stand_beside(void **state)
{
    (void)state;
    const float large[] = {-50, -50, 0, 50, -50, 0, 0, 80, 0};
    const float needle[] = {0, 0, -9, 0.5f, 0, -9, 0, 0, 9};
    const uint32_t triangle[] = {0, 1, 2};
    test_body a = make_body(large, 3, triangle, 1, NULL, true);
    test_body b = make_body(needle, 3, triangle, 1, NULL, true);
    pliant_features got = ask(test_query, &a, &b, 1.0f);
    assert_true(got.count == 0 && got.pairs == NULL);
    assert_true(got.crossing_count == 1 && got.crossings[0].a == 0 && got.crossings[0].b == 0);
    test_body_destroy(&a);
    test_body_destroy(&b);
}

/* An edge of three triangles is one edge, a vertex of unwelded copies several. */
static void features_are_counted_once(void **state)
{
    (void)state;
    const float fan[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0, 1, 0, 0};
    const uint32_t triangles[] = {0, 1, 2, 5, 6, 3, 1, 0, 4};
    const float other[] = {0, 0.0625f, 0.0625f, 1, 0.0625f, 0.0625f, 0.5f, 2, 2};
    const uint32_t triangle[] = {0, 1, 2};
    test_body b = make_body(other, 3, triangle, 1, NULL, true);
    for (int weld = 0; weld < 2; weld++) {
        test_body a = make_body(fan, 7, triangles, 3, NULL, weld);
        pliant_features got = ask(test_query, &a, &b, 0.125f);
        uint32_t spines = 0, copies = 0;
        for (uint64_t i = 0; i < got.count; i++) {
            const pliant_feature_pair *pair = &got.pairs[i];
            spines += pair->kind == PLIANT_EDGE_EDGE && pair->b == 0 &&
                      (pair->a == 0 || pair->a == 3 || pair->a == 6);
            copies += pair->kind == PLIANT_VERTEX_FACE && (pair->a == 0 || pair->a == 5);
        }
        assert_int_equal(spines, weld ? 1 : 2);
        assert_int_equal(copies, weld ? 1 : 2);
        test_body_destroy(&a);
    }
    test_body_destroy(&b);
}

static void bad_questions_are_refused(void **state)
{
    (void)state;
    test_body a = make_body(squares, 8, square_triangles, 4, NULL, true);
    test_body b = make_body(squares, 8, square_triangles, 4, NULL, true);
    pliant_features got = {.count = 77};
    pliant_feature_options options = pliant_feature_options_default();
    const float distances[] = {-1.0f, INFINITY, -INFINITY, NAN};
    const pliant_result expected[] = {PLIANT_ERROR_RANGE, PLIANT_ERROR_NOT_FINITE,
                                      PLIANT_ERROR_NOT_FINITE, PLIANT_ERROR_NOT_FINITE};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pliant_find_features(test_query, a.body, b.body, distances[i], NULL, &got),
                         expected[i]);
        assert_non_null(strstr(pliant_last_error(), "distance is"));
        assert_int_equal(pliant_find_features_self(test_query, a.body, distances[i], NULL, &got),
                         expected[i]);
    }
    assert_int_equal(pliant_find_features(test_query, a.body, a.body, 1.0f, NULL, &got),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_find_features(test_query, a.body, NULL, 1.0f, NULL, &got),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_find_features_self(test_query, a.body, 1.0f, NULL, NULL),
                     PLIANT_ERROR_ARGUMENT);
    options.tag++;
    assert_int_equal(pliant_find_features(test_query, a.body, b.body, 1.0f, &options, &got),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(got.count, 77);
    test_body_destroy(&a);
    test_body_destroy(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_edges_meet_in_the_middle),
        cmocka_unit_test(shifted_parallel_edges),
        cmocka_unit_test(crossings_stand_beside),
        cmocka_unit_test(features_are_counted_once),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, one_body_tear_down);
}
