/* Triangles within a distance (D5), against all pairs, by the distance that one pair has alone. */
#include "one_body.h"
#include "as_triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static size_t pair_count(const measured *m)
{
    return (size_t)m->a.triangle_count * m->b.triangle_count;
}

static void corners(const measured *m, size_t pair, float a[3][3], float b[3][3])
{
    test_mesh_corners(&m->a, (uint32_t)(pair / m->b.triangle_count), a);
    test_mesh_corners(&m->b, (uint32_t)(pair % m->b.triangle_count), b);
}

static measured measure_with(test_mesh first, test_mesh second)
{
    measured m = {first, second, NULL};
    m.distance = malloc(pair_count(&m) * sizeof *m.distance);
    for (size_t i = 0; i < pair_count(&m); i++) {
        float a[3][3], b[3][3];
        corners(&m, i, a, b);
        m.distance[i] = pliant_triangle_measure_distance(as_triangle(a), as_triangle(b), NULL);
    }
    return m;
}

static measured measure(uint32_t number, uint32_t triangles, float offset)
{
    return measure_with(test_mesh_create(number, triangles), turned(number, triangles, offset));
}

static void measured_free(measured *m)
{
    test_mesh_destroy(&m->a);
    test_mesh_destroy(&m->b);
    free(m->distance);
}

/* A pair is reported if and only if its computed distance is at most d. */
static bool is_reported(const measured *m, size_t pair, float d)
{
    return m->distance[pair] <= (double)d;
}

static uint64_t check_answer(const measured *m, const pliant_proximities *got, float d,
                             uint32_t way)
{
    uint64_t next = 0;
    for (size_t i = 0; i < pair_count(m); i++) {
        uint32_t a = (uint32_t)(i / m->b.triangle_count), b = (uint32_t)(i % m->b.triangle_count);
        bool given = next < got->count && got->pairs[next].a == a && got->pairs[next].b == b;
        if (given != is_reported(m, i, d)) {
            fail_msg("%s, way %u, within %a: pair (%u, %u) at %a: %s", m->a.name, way, d, a, b,
                     m->distance[i], given ? "given" : "missing");
        }
        if (given) {
            float p[3][3], q[3][3];
            pliant_gap gap;
            corners(m, i, p, q);
            pliant_triangle_measure_distance(as_triangle(p), as_triangle(q), &gap);
            assert_true(gap.distance == got->pairs[next].gap.distance);
            assert_memory_equal(gap.a.point, got->pairs[next].gap.a.point, sizeof gap.a.point);
            assert_memory_equal(gap.b.point, got->pairs[next].gap.b.point, sizeof gap.b.point);
            assert_int_equal(gap.a.feature, got->pairs[next].gap.a.feature);
            assert_int_equal(gap.b.index, got->pairs[next].gap.b.index);
            next++;
        }
    }
    assert_int_equal(next, got->count);
    return next;
}

/* Distances to ask for: none, some pairs' own, rounded up and down, and others. */
static float make_distance(const measured *m, rng *r, uint32_t i)
{
    double own = m->distance[rng_below(r, pair_count(m))];
    own = i % 3 == 0 ? own : own * ldexp(1.0, -(int)rng_below(r, 12));
    float d = i == 0 ? 0.0f : (float)own;
    return isfinite(d) && i % 2 == 0 ? nextafterf(d, INFINITY) : isfinite(d) ? d : 1.0f;
}

static uint64_t hash_pairs(const pliant_proximities *pairs)
{
    uint64_t hash = pairs->count;
    for (uint64_t i = 0; i < pairs->count; i++) {
        uint64_t bits;
        memcpy(&bits, &pairs->pairs[i].gap.distance, sizeof bits);
        hash = (hash ^ pairs->pairs[i].a) * UINT64_C(0x100000001b3);
        hash = (hash ^ pairs->pairs[i].b) * UINT64_C(0x100000001b3);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Distance 0 asks what pliant_collide() asks. */
static void check_same_as_collide(pliant_body *a, pliant_body *b)
{
    pliant_query *other = NULL;
    pliant_contacts contacts = {0};
    pliant_proximities pairs = {0};
    assert_ok(pliant_query_create(test_context, &other));
    assert_ok(pliant_collide(other, a, b, NULL, &contacts));
    assert_ok(pliant_find_within(test_query, a, b, 0.0f, NULL, &pairs));
    assert_int_equal(contacts.count, pairs.count);
    for (uint64_t i = 0; i < pairs.count; i++) {
        assert_int_equal(contacts.pairs[i].a, pairs.pairs[i].a);
        assert_int_equal(contacts.pairs[i].b, pairs.pairs[i].b);
    }
    pliant_query_destroy(other);
}

static void within_mesh(uint32_t number)
{
    measured m = measure(number, 160, number == 6 ? 0x1p118f : number == 7 ? 0x1p-137f : 0.125f);
    uint64_t reported = 0;
    uint32_t count = fixture_count(12);
    uint32_t first = count > 1 ? 0 : number % 3; /* 0 asks for distance 0, for which one would do */
    rng r;
    rng_seed(&r, 700 + number);
    for (uint32_t i = first; i < first + count; i++) {
        float d = i == 0 ? 0.0f : make_distance(&m, &r, i);
        uint64_t expected = 0;
        for (uint32_t w = 0; w < test_way_count; w++) {
            test_body a = test_body_create(test_context, &m.a, &test_ways[w]);
            test_body b =
                test_body_create(test_context, &m.b, &test_ways[(w + i) % test_way_count]);
            pliant_proximities got = {0};
            assert_ok(pliant_find_within(test_query, a.body, b.body, d, NULL, &got));
            assert_int_equal(pliant_query_get_stats(test_query)->pairs, got.count);
            reported += w == 0 ? check_answer(&m, &got, d, w) : 0;
            uint64_t hash = hash_pairs(&got);
            expected = w == 0 ? hash : expected;
            assert_int_equal(hash, expected);
            if (i == 0) {
                check_same_as_collide(a.body, b.body);
            }
            test_body_destroy(&a);
            test_body_destroy(&b);
        }
    }
    print_message("  %-22s %3u distances, %8llu pairs\n", m.a.name, count,
                  (unsigned long long)reported);
    measured_free(&m);
}

static void pairs_equal_brute_force(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TEST_MESHES; i++) {
        within_mesh(i);
    }
}

/* Whether two triangles of one body share a vertex: welded by their rest positions, and in one
   place now. */
static bool are_neighbours(const test_mesh *mesh, uint32_t a, uint32_t b)
{
    for (int i = 0; i < 9; i++) {
        const uint32_t *t = mesh->triangles;
        size_t v = t[3 * (size_t)a + (size_t)(i / 3)], u = t[3 * (size_t)b + (size_t)(i % 3)];
        bool same = true;
        for (size_t k = 0; k < 3; k++) {
            same = same && mesh->rest[3 * v + k] == mesh->rest[3 * u + k] &&
                   mesh->positions[3 * v + k] == mesh->positions[3 * u + k];
        }
        if (same) {
            return true;
        }
    }
    return false;
}

static void check_self_answer(const measured *m, const pliant_proximities *got, float d)
{
    uint64_t next = 0;
    for (size_t i = 0; i < pair_count(m); i++) {
        uint32_t a = (uint32_t)(i / m->b.triangle_count), b = (uint32_t)(i % m->b.triangle_count);
        if (a >= b) {
            continue;
        }
        bool given = next < got->count && got->pairs[next].a == a && got->pairs[next].b == b;
        bool apart = !are_neighbours(&m->a, a, b);
        if (given != (apart && is_reported(m, i, d))) {
            fail_msg("%s with itself, within %a: pair (%u, %u) at %a: %s", m->a.name, (double)d, a,
                     b, m->distance[i], given ? "given" : "missing");
        }
        next += given;
    }
    assert_int_equal(next, got->count);
}

static void one_body_equals_brute_force(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < TEST_MESHES; number++) {
        measured m = measure_with(test_mesh_create(number, 160), test_mesh_create(number, 160));
        rng r;
        rng_seed(&r, 800 + number);
        for (uint32_t i = 0; i < fixture_count(8); i++) {
            float d = i == 0 ? 0.0f : make_distance(&m, &r, i);
            for (uint32_t w = 0; w < test_way_count; w++) {
                test_body body = test_body_create(test_context, &m.a, &test_ways[w]);
                pliant_proximities got = {0};
                assert_ok(pliant_find_within_self(test_query, body.body, d, NULL, &got));
                check_self_answer(&m, &got, d);
                test_body_destroy(&body);
            }
        }
        measured_free(&m);
    }
}

static void groups_choose_triangles(void **state)
{
    (void)state;
    test_mesh mesh[2] = {test_mesh_create(0, 320), turned(0, 320, 0.25f)};
    uint16_t groups[320];
    pliant_shape *shape[2];
    pliant_body *body[2];
    for (uint32_t t = 0; t < 320; t++) {
        groups[t] = (uint16_t)(t % 2 == 0 ? 70 : 1);
    }
    for (int i = 0; i < 2; i++) {
        pliant_shape_def def = pliant_shape_def_default();
        def.positions = mesh[i].rest;
        def.vertex_count = mesh[i].vertex_count;
        def.triangles = mesh[i].triangles;
        def.triangle_count = mesh[i].triangle_count;
        def.groups = groups;
        assert_true(mesh[i].triangle_count <= 320);
        assert_ok(pliant_shape_create(test_context, &def, &shape[i]));
        assert_ok(pliant_body_create(shape[i], NULL, &body[i]));
        assert_ok(pliant_body_share_positions(body[i], mesh[i].positions, 0));
    }
    pliant_proximities got;
    assert_ok(pliant_find_within(test_query, body[0], body[1], 0.125f, NULL, &got));
    uint64_t expected = 0;
    for (uint64_t i = 0; i < got.count; i++) {
        expected += got.pairs[i].a % 2 == 0 && got.pairs[i].b % 2 == 1;
    }
    const uint64_t seventy[2] = {0, 1u << 6}, one[1] = {2};
    pliant_within_options options = pliant_within_options_default();
    options.groups_a = (pliant_groups){seventy, 71};
    options.groups_b = (pliant_groups){one, 2};
    assert_ok(pliant_find_within(test_query, body[0], body[1], 0.125f, &options, &got));
    assert_true(expected > 0 && got.count == expected);
    options = pliant_within_options_default();
    options.across_groups = true;
    assert_ok(pliant_find_within_self(test_query, body[0], 0.5f, &options, &got));
    assert_true(got.count > 0);
    for (uint64_t i = 0; i < got.count; i++) {
        assert_true(got.pairs[i].a % 2 != got.pairs[i].b % 2);
    }
    uint64_t across = got.count;
    assert_ok(pliant_find_within_self(test_query, body[0], 0.5f, NULL, &got));
    for (uint64_t i = 0; i < got.count; i++) {
        across -= got.pairs[i].a % 2 != got.pairs[i].b % 2;
    }
    assert_true(across == 0);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(body[i]);
        pliant_shape_destroy(shape[i]);
        test_mesh_destroy(&mesh[i]);
    }
}

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
        cmocka_unit_test(pairs_equal_brute_force),   cmocka_unit_test(one_body_equals_brute_force),
        cmocka_unit_test(groups_choose_triangles),   cmocka_unit_test(far_bodies_cost_nothing),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, one_body_tear_down);
}
