/* Features within a distance (D11), against all pairs of features, and where one knows them. */
#include "feature_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Distances to ask for: none, some pairs' own, rounded up and down, and others. */
static float make_distance(const measured_features *m, rng *r, uint32_t i)
{
    double own = m->pairs[rng_below(r, m->count)].distance;
    own = i % 3 == 0 ? own : own * ldexp(1.0, -(int)rng_below(r, 12));
    float d = i == 0 ? 0.0f : (float)own;
    return isfinite(d) && i % 2 == 0 ? nextafterf(d, INFINITY) : isfinite(d) ? d : 1.0f;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_features(const pliant_features *got)
{
    uint64_t hash = hash_bytes(got->count, got->pairs, (size_t)got->count * sizeof *got->pairs);
    return hash_bytes(hash ^ got->crossing_count, got->crossings,
                      (size_t)got->crossing_count * sizeof *got->crossings);
}

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

/* Crossings are what collide finds. */
static void check_crossings(const test_body *a, const test_body *b, const pliant_features *got)
{
    pliant_query *other = NULL;
    pliant_contacts contacts = {0};
    assert_ok(pliant_query_create(test_context, &other));
    assert_ok(b == NULL ? pliant_collide_self(other, a->body, NULL, &contacts)
                        : pliant_collide(other, a->body, b->body, NULL, &contacts));
    assert_int_equal(contacts.count, got->crossing_count);
    assert_true(contacts.count == 0 || memcmp(contacts.pairs, got->crossings,
                                              contacts.count * sizeof *contacts.pairs) == 0);
    pliant_query_destroy(other);
}

/* Axes exchanged and moved, so that two meshes meet in many ways. */
static void turn(test_mesh *mesh, float offset)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float *p = mesh->positions + 3 * (size_t)v, x = p[0];
        p[0] = p[1];
        p[1] = p[2];
        p[2] = x;
        for (int k = 0; k < 3; k++) {
            p[k] = isfinite(p[k] + offset) ? p[k] + offset : p[k];
        }
    }
}

/* One mesh with another or with itself, in every way, for several distances. */
static uint64_t compare_ways(const test_mesh *a, const test_mesh *b, const measured_features *m,
                             rng *r, uint32_t count, uint32_t first)
{
    uint64_t reported = 0;
    for (uint32_t i = first; i < first + count; i++) {
        float d = make_distance(m, r, i);
        uint64_t expected = 0;
        for (uint32_t w = 0; w < test_way_count; w++) {
            test_body body_a = test_body_create(test_context, a, &test_ways[w]), body_b = {0};
            if (b != NULL) {
                body_b = test_body_create(test_context, b, &test_ways[(w + i) % test_way_count]);
            }
            const test_body *second = b != NULL ? &body_b : NULL;
            pliant_features got = ask(test_query, &body_a, second, d);
            if (w == 0) {
                reported += measured_features_check(m, &got, d, a->name);
                expected = hash_features(&got);
                check_crossings(&body_a, second, &got);
            }
            assert_int_equal(hash_features(&got), expected);
            test_body_destroy(&body_a);
            if (b != NULL) {
                test_body_destroy(&body_b);
            }
        }
    }
    return reported;
}

static void compare_mesh(uint32_t number, bool self)
{
    test_mesh a = test_mesh_create(number, 100), b = test_mesh_create(number, 100);
    turn(&b, number == 6 ? 0x1p118f : number == 7 ? 0x1p-137f : 0.125f);
    feature_set set_a = feature_set_of(&a), set_b = feature_set_of(&b);
    measured_features m = measure_features(&set_a, self ? &set_a : &set_b, self);
    rng r;
    rng_seed(&r, 900 + number);
    uint32_t count = fixture_count(8), first = count > 1 ? 0 : number % 3;
    uint64_t reported = compare_ways(&a, self ? NULL : &b, &m, &r, count, first);
    print_message("  %-22s %6zu pairs of features, %8llu reported\n", a.name, m.count,
                  (unsigned long long)reported);
    free(m.pairs);
    feature_set_free(&set_a);
    feature_set_free(&set_b);
    test_mesh_destroy(&a);
    test_mesh_destroy(&b);
}

static void two_bodies_equal_brute_force(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TEST_MESHES; i++) {
        compare_mesh(i, false);
    }
}

static void one_body_equals_brute_force(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TEST_MESHES; i++) {
        compare_mesh(i, true);
    }
}

static void instruction_sets_agree(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
        pliant_context *context = fixture_context_with((pliant_isa)isa, 1);
        pliant_query *query = NULL;
        assert_ok(pliant_query_create(context, &query));
        uint64_t hash = 0;
        for (uint32_t number = 0; number < TEST_MESHES; number++) {
            test_mesh mesh[2] = {test_mesh_create(number, 600), test_mesh_create(number, 600)};
            turn(&mesh[1], 0.125f);
            test_body a = test_body_create(context, &mesh[0], &test_ways[0]);
            test_body b = test_body_create(context, &mesh[1], &test_ways[1]);
            pliant_features got = ask(query, &a, &b, 0.03f);
            hash = (hash ^ hash_features(&got)) * 3;
            got = ask(query, &a, NULL, 0.03f);
            hash = (hash ^ hash_features(&got)) * 3;
            hash = (hash ^ pliant_query_get_stats(query)->feature_tests) * 3;
            test_body_destroy(&a);
            test_body_destroy(&b);
            test_mesh_destroy(&mesh[0]);
            test_mesh_destroy(&mesh[1]);
        }
        expected = isa == PLIANT_ISA_PLAIN ? hash : expected;
        assert_int_equal(hash, expected);
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
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

static void groups_choose_features(void **state)
{
    (void)state;
    const uint16_t groups[] = {0, 1, 2, 2};
    const uint64_t one[] = {1}, two[] = {4};
    test_body body = make_body(squares, 8, square_triangles, 4, groups, true);
    pliant_feature_options options = pliant_feature_options_default();
    pliant_features got;
    options.groups_a = (pliant_groups){one, 1};
    options.groups_b = (pliant_groups){two, 3};
    assert_ok(pliant_find_features_self(test_query, body.body, 0.5f, &options, &got));
    assert_true(got.count > 0);
    for (uint64_t i = 0; i < got.count; i++) {
        const pliant_feature_pair *pair = &got.pairs[i];
        uint32_t lower = pair->kind == PLIANT_EDGE_EDGE ? pair->a / 3 : pair->b;
        assert_true(pair->kind == PLIANT_EDGE_EDGE ? lower == 0 && pair->b / 3 >= 2
                                                   : lower == 0 || pair->vertices[0] < 3);
    }
    test_body_destroy(&body);
}

static void warm_queries_allocate_nothing(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pliant_query *query = NULL;
    test_mesh mesh = test_mesh_create(1, 1280);
    test_body body = test_body_create(context, &mesh, &test_ways[0]);
    pliant_proximities near;
    assert_ok(pliant_query_create(context, &query));
    ask(query, &body, NULL, 0.1f);
    assert_ok(pliant_find_within_self(query, body.body, 0.1f, NULL, &near));
    uint64_t calls = allocator.calls;
    pliant_features got = ask(query, &body, NULL, 0.1f);
    assert_true(got.count > 0);
    assert_ok(pliant_find_within_self(query, body.body, 0.1f, NULL, &near));
    assert_true(near.count > 0);
    assert_int_equal(allocator.calls, calls);
    pliant_query_destroy(query);
    test_body_destroy(&body);
    test_mesh_destroy(&mesh);
    pliant_context_destroy(context);
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
        cmocka_unit_test(two_bodies_equal_brute_force),
        cmocka_unit_test(one_body_equals_brute_force),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(parallel_edges_meet_in_the_middle),
        cmocka_unit_test(shifted_parallel_edges),
        cmocka_unit_test(crossings_stand_beside),
        cmocka_unit_test(features_are_counted_once),
        cmocka_unit_test(groups_choose_features),
        cmocka_unit_test(warm_queries_allocate_nothing),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, one_body_tear_down);
}
