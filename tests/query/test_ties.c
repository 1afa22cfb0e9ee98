/*
 * Ties (D5, D11, D15): pairs whose distance is a few roundings from the distance of the query. A
 * pair is reported if and only if its computed distance is at most that. Trees, bounds, kinds of
 * bodies, instruction sets, scenes, workers and the size of triangles change nothing.
 */
#include "feature_truth.h"
#include "as_triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES = 24, VERTICES = 3 * TRIANGLES, MOST_PAIRS = TRIANGLES * TRIANGLES };

/* ------------------------------------------------------ constructed pairs */

/* A pair of triangles that are closest along an axis, d (1 + k 2^-e) apart or about that. */
typedef struct tie {
    float corner[2][3][3];
} tie;

/* k 2^-e d: a number that float32 may lose beside d, or double, as every second one. */
static float sliver(rng *r, float d)
{
    int e = (int)rng_below(r, 2) == 0 ? 51 + (int)rng_below(r, 4) : 24 + (int)rng_below(r, 27);
    int k = (int)rng_below(r, 7) - 3;
    return (float)ldexp((double)d * (double)k, -e);
}

static float about(rng *r, float size)
{
    return (float)rng_range(r, -(double)size, (double)size);
}

/* A vertex below a flat face, or two edges that cross as seen along z, or two corners. Sizes go to
   2^30 d, whose roundings are larger than the slivers. */
static tie make_tie(rng *r, float d)
{
    static const int powers[] = {-2, 0, 3, 12, 20, 24, 30};
    float size = ldexpf(d, powers[rng_below(r, 7)]);
    float below = sliver(r, d), above = d + sliver(r, d);
    uint64_t kind = rng_below(r, 3);
    tie t;
    for (int side = 0; side < 2; side++) {
        for (int c = 0; c < 3; c++) {
            float away = fabsf(about(r, size));
            t.corner[side][c][0] = about(r, size);
            t.corner[side][c][1] = about(r, size);
            t.corner[side][c][2] = side == 0 ? below - away : above + away;
        }
    }
    float(*a)[3] = t.corner[0], (*b)[3] = t.corner[1];
    a[0][2] = below;
    b[0][2] = above;
    if (kind == 0) { /* around the vertex */
        const float around[3][2] = {{-3.0f, -2.0f}, {3.0f, -2.5f}, {0.25f, 4.0f}};
        for (int c = 0; c < 3; c++) {
            b[c][0] = a[0][0] + size * around[c][0];
            b[c][1] = a[0][1] + size * around[c][1];
            b[c][2] = above;
        }
    } else if (kind == 1) {
        a[1][2] = below;
        b[1][2] = above;
        for (int i = 0; i < 2; i++) {
            float end = i == 0 ? -1.0f : 1.0f;
            a[i][0] = end * size;
            b[i][1] = end * size;
            a[i][1] *= 0.25f;
            b[i][0] *= 0.25f;
        }
    } else { /* 3, 4, 5 */
        a[0][0] = a[0][1] = 0.0f;
        b[0][0] = d * 0.6f;
        b[0][2] = d * 0.8f + sliver(r, d);
        b[0][1] = sliver(r, d);
    }
    return t;
}

/* Two meshes of separate triangles; pair i has triangle i of both, its axes permuted. */
static void make_meshes(rng *r, float d, test_mesh mesh[2])
{
    for (int side = 0; side < 2; side++) {
        mesh[side] = (test_mesh){.name = side == 0 ? "first" : "second",
                                 .vertex_count = VERTICES,
                                 .triangle_count = TRIANGLES};
        mesh[side].rest = calloc(3 * VERTICES, sizeof(float));
        mesh[side].positions = calloc(3 * VERTICES, sizeof(float));
        mesh[side].triangles = calloc(VERTICES, sizeof(uint32_t));
        assert_non_null(mesh[side].rest);
        assert_non_null(mesh[side].positions);
        assert_non_null(mesh[side].triangles);
    }
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        tie t = make_tie(r, d);
        uint64_t swap = rng_below(r, 2), turn = rng_below(r, 3);
        for (uint32_t j = 0; j < 18; j++) {
            uint32_t side = j / 9, c = j / 3 % 3, k = j % 3, v = 3 * i + c;
            mesh[side].triangles[v] = v;
            mesh[side].positions[3 * v + (k + turn) % 3] = t.corner[side ^ swap][c][k];
        }
    }
    for (int side = 0; side < 2; side++) {
        memcpy(mesh[side].rest, mesh[side].positions, 3 * VERTICES * sizeof(float));
    }
}

/* --------------------------------------------------------------- configurations */

typedef enum body_kind { BY_POSITIONS, RIGID, MODAL, BODY_KINDS } body_kind;

typedef struct made_body {
    pliant_shape *shape;
    pliant_body *body;
} made_body;

/* A body in the positions of the mesh, whatever computes them: transforms are identities, and the
   coordinates of modes are 0. */
static made_body make_body(pliant_context *context, const test_mesh *mesh, rng *r)
{
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    static const uint32_t arities[] = {2, 4, 8};
    body_kind kind = (body_kind)rng_below(r, BODY_KINDS);
    pliant_shape_def def = pliant_shape_def_default();
    pliant_body_def body_def = pliant_body_def_default();
    float mode[3 * VERTICES], zero = 0.0f;
    made_body made = {0};
    for (uint32_t i = 0; i < 3 * VERTICES; i++) {
        mode[i] = 0.25f * mesh->rest[i]; /* equal where vertices are welded */
    }
    def.positions = mesh->rest;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    def.partition = (pliant_partition)rng_below(r, PLIANT_PARTITION_COVARIANCE + 1);
    def.arity = arities[rng_below(r, 3)];
    def.leaf_size = 1 + (uint32_t)rng_below(r, 8);
    def.bound = (pliant_bound_kind)rng_below(r, PLIANT_BOUND_AFFINE + 1);
    def.joint_count = kind == RIGID;
    def.modes = kind == MODAL ? mode : NULL;
    def.mode_count = kind == MODAL;
    body_def.update = (pliant_update)rng_below(r, PLIANT_UPDATE_FRONT + 1);
    assert_ok(pliant_shape_create(context, &def, &made.shape));
    assert_ok(pliant_body_create(made.shape, &body_def, &made.body));
    if (kind == RIGID) {
        assert_ok(pliant_body_set_transforms(made.body, identity, 1, 0));
    } else if (kind == MODAL) {
        assert_ok(pliant_body_set_coordinates(made.body, &zero, 1));
    } else {
        assert_ok(pliant_body_share_positions(made.body, mesh->positions, 0));
    }
    return made;
}

static void free_body(made_body *made)
{
    pliant_body_destroy(made->body);
    pliant_shape_destroy(made->shape);
}

/* Expected results for two meshes and a distance. */
typedef struct truth {
    const test_mesh *mesh;
    float d;
    pliant_pair within[3][MOST_PAIRS]; /* of both; of the first with itself; of the second */
    uint64_t within_count[3];
    bool approach[TRIANGLES][TRIANGLES]; /* D15, while nothing moves */
    feature_set sets[2];
    measured_features features[3];
} truth;

/* The two meshes of list i: 0 and 1, 0 and 0, 1 and 1. */
static int first_of(int list)
{
    return list / 2;
}

static int second_of(int list)
{
    return list != 1;
}

/* Whether two triangles, nine numbers each, share a vertex: equal ones are welded. */
static bool share_a_vertex(const float *p, const float *q)
{
    bool share = false;
    for (int i = 0; i < 9; i++) {
        const float *x = p + 3 * (i / 3), *y = q + 3 * (i % 3);
        share = share || (x[0] == y[0] && x[1] == y[1] && x[2] == y[2]);
    }
    return share;
}

static pliant_moving_triangle standing(const test_mesh *mesh, uint32_t triangle)
{
    pliant_moving_triangle t;
    for (size_t c = 0; c < 3; c++) {
        const float *corner = mesh->positions + 9 * (size_t)triangle + 3 * c;
        memcpy(t.corner[c].start, corner, sizeof t.corner[c].start);
        memcpy(t.corner[c].end, corner, sizeof t.corner[c].end);
    }
    return t;
}

static void find_approaches(truth *t)
{
    for (uint32_t a = 0; a < TRIANGLES; a++) {
        for (uint32_t b = 0; b < TRIANGLES; b++) {
            pliant_moving_triangle p = standing(&t->mesh[0], a), q = standing(&t->mesh[1], b);
            t->approach[a][b] = pliant_moving_triangle_approach(&p, &q, t->d, NULL);
        }
    }
}

static void find_truth(truth *t, const test_mesh mesh[2], float d)
{
    t->mesh = mesh;
    t->d = d;
    for (int i = 0; i < 2; i++) {
        t->sets[i] = feature_set_of(&mesh[i]);
    }
    for (int list = 0; list < 3; list++) {
        int first = first_of(list), second = second_of(list);
        bool self = first == second;
        t->within_count[list] = 0;
        for (uint32_t a = 0; a < TRIANGLES; a++) {
            for (uint32_t b = self ? a + 1 : 0; b < TRIANGLES; b++) {
                const float *p = mesh[first].positions + 9 * (size_t)a;
                const float *q = mesh[second].positions + 9 * (size_t)b;
                bool neighbours = self && share_a_vertex(p, q);
                if (!neighbours && pliant_triangle_measure_distance(as_triangle(p), as_triangle(q),
                                                                    NULL) <= (double)d) {
                    t->within[list][t->within_count[list]++] = (pliant_pair){a, b};
                }
            }
        }
        t->features[list] = measure_features(&t->sets[first], &t->sets[second], self);
    }
    find_approaches(t);
}

static void free_truth(truth *t)
{
    for (int i = 0; i < 3; i++) {
        free(t->features[i].pairs);
    }
    for (int i = 0; i < 2; i++) {
        feature_set_free(&t->sets[i]);
    }
}

static void check_within(const truth *t, int list, const pliant_proximity *pairs, uint64_t count)
{
    bool equal = count == t->within_count[list];
    for (uint64_t i = 0; i < count && equal; i++) {
        equal = pairs[i].a == t->within[list][i].a && pairs[i].b == t->within[list][i].b;
    }
    if (!equal) {
        fail_msg("within %a, list %d: %llu pairs, or others than the %llu", (double)t->d, list,
                 (unsigned long long)count, (unsigned long long)t->within_count[list]);
    }
}

static void check_features(const truth *t, int list, const pliant_feature_pair *pairs,
                           uint64_t count)
{
    pliant_features got = {.pairs = pairs, .count = count};
    measured_features_check(&t->features[list], &got, t->d, "ties");
}

/* -------------------------------------------------------------------- tests */

/* Meetings within the distance are those of single pairs, and all pairs of D5 are among them. */
static void ask_meetings(const truth *t, pliant_query *query, const made_body made[2])
{
    pliant_meeting_options options = pliant_meeting_options_default();
    pliant_meetings got;
    uint64_t expected = 0;
    options.distance = t->d;
    assert_ok(pliant_find_meetings(query, made[0].body, made[1].body, &options, &got));
    for (uint64_t i = 0; i < got.count; i++) {
        assert_true(t->approach[got.pairs[i].a][got.pairs[i].b]);
    }
    for (uint32_t i = 0; i < TRIANGLES * TRIANGLES; i++) {
        expected += t->approach[i / TRIANGLES][i % TRIANGLES];
    }
    assert_int_equal(got.count, expected);
    for (uint64_t i = 0; i < t->within_count[0]; i++) {
        assert_true(t->approach[t->within[0][i].a][t->within[0][i].b]);
    }
}

static void ask_bodies(const truth *t, pliant_query *query, const made_body made[2])
{
    for (int list = 0; list < 3; list++) {
        pliant_body *a = made[first_of(list)].body, *b = made[second_of(list)].body;
        pliant_proximities got;
        pliant_features found;
        if (a == b) {
            assert_ok(pliant_find_within_self(query, a, t->d, NULL, &got));
            check_within(t, list, got.pairs, got.count);
            assert_ok(pliant_find_features_self(query, a, t->d, NULL, &found));
        } else {
            assert_ok(pliant_find_within(query, a, b, t->d, NULL, &got));
            check_within(t, list, got.pairs, got.count);
            assert_ok(pliant_find_features(query, a, b, t->d, NULL, &found));
        }
        check_features(t, list, found.pairs, found.count);
    }
}

/* Returns the list of the answer about two bodies of a scene. */
static int list_of(const pliant_scene_pair *pair)
{
    return pair->a.index != pair->b.index ? 0 : pair->a.index == 0 ? 1 : 2;
}

static void ask_scene(const truth *t, pliant_context *context, const made_body made[2])
{
    pliant_scene *scene = NULL;
    pliant_scene_proximities got;
    pliant_scene_features found;
    pliant_member_def def = pliant_member_def_default();
    pliant_body_id id;
    uint64_t count = 0;
    def.self = true;
    assert_ok(pliant_scene_create(context, NULL, &scene));
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_scene_add(scene, made[i].body, &def, &id));
    }
    assert_ok(pliant_scene_find_within(scene, t->d, NULL, &got));
    for (uint32_t i = 0; i < got.body_pair_count; i++) {
        const pliant_scene_pair *pair = &got.bodies[i];
        check_within(t, list_of(pair), got.pairs + pair->first, pair->count);
        count += pair->count;
    }
    assert_int_equal(count, t->within_count[0] + t->within_count[1] + t->within_count[2]);
    count = 0;
    assert_ok(pliant_scene_find_features(scene, t->d, NULL, &found));
    for (uint32_t i = 0; i < found.body_pair_count; i++) {
        const pliant_scene_pair *pair = &found.bodies[i];
        check_features(t, list_of(pair), found.pairs + pair->first, pair->count);
        count += pair->count;
    }
    uint64_t expected = 0;
    for (int list = 0; list < 3; list++) {
        for (size_t i = 0; i < t->features[list].count; i++) {
            expected += t->features[list].pairs[i].computed <= (double)t->d;
        }
    }
    assert_int_equal(count, expected);
    pliant_scene_destroy(scene);
}

/* Distances around those of the constructed pairs. */
static void check_meshes(rng *r, pliant_context *context[], uint32_t context_count,
                         const test_mesh mesh[2], float d)
{
    float asked[3] = {nextafterf(d, 0.0f), d, nextafterf(d, INFINITY)};
    for (int i = 0; i < 3; i++) {
        truth *t = malloc(sizeof *t);
        assert_non_null(t);
        find_truth(t, mesh, asked[i]);
        for (uint32_t c = 0; c < context_count; c++) {
            pliant_query *query = NULL;
            made_body made[2];
            assert_ok(pliant_query_create(context[c], &query));
            for (int side = 0; side < 2; side++) {
                made[side] = make_body(context[c], &mesh[side], r);
            }
            ask_bodies(t, query, made);
            ask_meetings(t, query, made);
            ask_scene(t, context[c], made);
            pliant_query_destroy(query);
            free_body(&made[0]);
            free_body(&made[1]);
        }
        free_truth(t);
        free(t);
    }
}

static void ties_equal_brute_force(void **state)
{
    static const float distances[] = {1.0f, 0.1f, 0.001f, 1000.0f, 0x1p-60f, 0.25f};
    pliant_context *context[] = {
        fixture_context_with(PLIANT_ISA_PLAIN, 1), fixture_context_with(PLIANT_ISA_BASELINE, 2),
        fixture_context_with(PLIANT_ISA_AVX2, 3),  fixture_context_with(PLIANT_ISA_AVX512, 1),
        fixture_context_with(PLIANT_ISA_BEST, 2),
    };
    uint32_t count = fixture_at_least(12, 120);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        rng r;
        test_mesh mesh[2];
        float d = distances[i % 6];
        rng_seed(&r, 9100 + i);
        make_meshes(&r, d, mesh);
        check_meshes(&r, context, 5, mesh, d);
        test_mesh_destroy(&mesh[0]);
        test_mesh_destroy(&mesh[1]);
    }
    for (int i = 0; i < 5; i++) {
        pliant_context_destroy(context[i]);
    }
}

/* No computed distance is less than the gap between boxes along an axis, however large the
   triangles: else boxes would leave out pairs that are to be reported. */
static void distances_are_no_less_than_gaps(void **state)
{
    rng r;
    uint64_t equal = 0;
    (void)state;
    rng_seed(&r, 9300);
    for (uint32_t i = 0; i < fixture_at_least(20000, 200000); i++) {
        tie t = make_tie(&r, 1.0f);
        double gap = -(double)INFINITY;
        for (int k = 0; k < 3; k++) {
            float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
            for (int c = 0; c < 6; c++) {
                low[c / 3] = fminf(low[c / 3], t.corner[c / 3][c % 3][k]);
                high[c / 3] = fmaxf(high[c / 3], t.corner[c / 3][c % 3][k]);
            }
            gap =
                fmax(gap, fmax((double)low[0] - (double)high[1], (double)low[1] - (double)high[0]));
        }
        double distance = pliant_triangle_measure_distance(as_triangle(t.corner[0]),
                                                           as_triangle(t.corner[1]), NULL);
        assert_true(distance >= gap);
        equal += distance == gap;
    }
    assert_true(equal > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_equal_brute_force),
        cmocka_unit_test(distances_are_no_less_than_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, one_body_tear_down);
}
