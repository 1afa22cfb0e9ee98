/* Features within a distance (D11), against all pairs of features; borderline ones in exact
   arithmetic. A feature is measured as the degenerate triangle that it is. */
#include "one_body.h"
#include "as_triangle.h"

#include "geometry/triangle_distance.h"
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef const float (*const_corners)[3];

/* A feature: as many vertices as it has, the last of them repeated, and where they are. */
typedef struct feature {
    uint32_t number, vertex_count;
    uint32_t vertices[3];
    float corner[3][3];
} feature;

/* The features of a mesh, found the slow way. */
typedef struct feature_set {
    feature *vertices, *edges, *faces;
    uint32_t vertex_count, edge_count, face_count;
} feature_set;

static uint32_t welded(const test_mesh *mesh, uint32_t v)
{
    const float *p = mesh->rest + 3 * (size_t)v;
    for (uint32_t u = 0; u < v; u++) {
        const float *q = mesh->rest + 3 * (size_t)u;
        if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) {
            return u;
        }
    }
    return v;
}

static bool is_new(const feature *features, uint32_t count, const feature *candidate)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *p = features[i].vertices, *q = candidate->vertices;
        if ((p[0] == q[0] && p[1] == q[1]) || (p[0] == q[1] && p[1] == q[0])) {
            return false;
        }
    }
    return true;
}

static feature make_feature(const test_mesh *mesh, uint32_t triangle, uint32_t first,
                            uint32_t count)
{
    feature f = {.vertex_count = count};
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t corner = (first + (c < count ? c : count - 1)) % 3;
        uint32_t v = mesh->triangles[3 * (size_t)triangle + corner];
        f.vertices[c] = welded(mesh, v);
        memcpy(f.corner[c], mesh->positions + 3 * (size_t)v, sizeof f.corner[c]);
    }
    f.number = count == 1 ? f.vertices[0] : count == 2 ? 3 * triangle + first : triangle;
    return f;
}

static feature_set find_all(const test_mesh *mesh)
{
    size_t count = mesh->triangle_count;
    feature_set set = {.vertices = malloc(3 * count * sizeof(feature)),
                       .edges = malloc(3 * count * sizeof(feature)),
                       .faces = malloc(count * sizeof(feature))};
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        set.faces[set.face_count++] = make_feature(mesh, t, 0, 3);
        for (uint32_t k = 0; k < 3; k++) {
            feature vertex = make_feature(mesh, t, k, 1), edge = make_feature(mesh, t, k, 2);
            if (is_new(set.vertices, set.vertex_count, &vertex)) {
                set.vertices[set.vertex_count++] = vertex;
            }
            if (edge.vertices[0] != edge.vertices[1] && is_new(set.edges, set.edge_count, &edge)) {
                set.edges[set.edge_count++] = edge;
            }
        }
    }
    return set;
}

static void feature_set_free(feature_set *set)
{
    free(set->vertices);
    free(set->edges);
    free(set->faces);
}

/* All pairs of features, in order. */
typedef struct measured_pair {
    pliant_feature_kind kind;
    const feature *a, *b;
    double distance, spread;
} measured_pair;

typedef struct measured {
    measured_pair *pairs;
    size_t count;
} measured;

static bool share(const feature *a, const feature *b)
{
    for (int i = 0; i < 9; i++) {
        if (a->vertices[i / 3] == b->vertices[i % 3]) {
            return true;
        }
    }
    return false;
}

static int by_order(const void *p, const void *q)
{
    const measured_pair *a = p, *b = q;
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->a->number != b->a->number) {
        return a->a->number < b->a->number ? -1 : 1;
    }
    return a->b->number < b->b->number ? -1 : a->b->number > b->b->number;
}

static void measure_all(measured *m, pliant_feature_kind kind, const feature *a, uint32_t count_a,
                        const feature *b, uint32_t count_b, bool self)
{
    m->pairs = realloc(m->pairs, (m->count + (size_t)count_a * count_b) * sizeof *m->pairs);
    for (uint32_t i = 0; i < count_a; i++) {
        for (uint32_t j = 0; j < count_b; j++) {
            bool twice = self && kind == PLIANT_EDGE_EDGE && a[i].number >= b[j].number;
            if (twice || (self && share(&a[i], &b[j]))) {
                continue;
            }
            const_corners p = a[i].corner, q = b[j].corner;
            m->pairs[m->count++] = (measured_pair){
                kind, &a[i], &b[j],
                pliant_triangle_measure_distance(as_triangle(p), as_triangle(q), NULL),
                pli_coordinate_spread(p, q, 3)};
        }
    }
}

static measured measure(const feature_set *a, const feature_set *b, bool self)
{
    measured m = {0};
    measure_all(&m, PLIANT_VERTEX_FACE, a->vertices, a->vertex_count, b->faces, b->face_count,
                self);
    if (!self) {
        measure_all(&m, PLIANT_FACE_VERTEX, a->faces, a->face_count, b->vertices, b->vertex_count,
                    false);
    }
    measure_all(&m, PLIANT_EDGE_EDGE, a->edges, a->edge_count, b->edges, b->edge_count, self);
    qsort(m.pairs, m.count, sizeof *m.pairs, by_order);
    return m;
}

/* Whether the answer may leave a pair out, and whether it may give it. */
static bool must_report(const measured_pair *pair, float d)
{
    if (d == 0.0f || pair->distance == 0.0) {
        return pair->distance == 0.0;
    }
    if (fabs(pair->distance - (double)d) > PLI_DISTANCE_ERROR * pair->spread) {
        return pair->distance < (double)d;
    }
    return oracle_triangle_distance_is(pair->a->corner, pair->b->corner, 0.5 * (double)d,
                                       0.5 * (double)d);
}

static bool may_report(const measured_pair *pair, float d)
{
    if (d == 0.0f) {
        return pair->distance == 0.0;
    }
    return pair->distance <= (double)d + 3.0 * PLI_DISTANCE_ERROR * pair->spread;
}

/* What is said of a pair: vertices, weights, the points they stand for, direction, distance. */
static bool is_described(const measured_pair *pair, const pliant_feature_pair *got, bool exactly)
{
    double error = 2.0 * PLI_DISTANCE_ERROR * pair->spread, point[2][3] = {{0}}, sum[2] = {0};
    uint32_t i = 0;
    bool right = fabs(got->distance - pair->distance) <= error &&
                 (got->distance == 0.0) == (pair->distance == 0.0);
    if (exactly && got->distance > 0.0) {
        right = right && oracle_triangle_distance_is(pair->a->corner, pair->b->corner,
                                                     got->distance, 0.5 * error);
    }
    for (int side = 0; side < 2; side++) {
        const feature *f = side == 0 ? pair->a : pair->b;
        for (uint32_t c = 0; c < f->vertex_count; c++, i++) {
            right = right && got->vertices[i] == f->vertices[c] && got->weights[i] >= 0.0f &&
                    got->weights[i] <= 1.0f;
            sum[side] += (double)got->weights[i];
            for (int k = 0; k < 3; k++) {
                point[side][k] += (double)got->weights[i] *
                                  ((double)f->corner[c][k] - (double)pair->a->corner[0][k]);
            }
        }
    }
    double squared = 0.0, length = 0.0, along = 0.0;
    for (int k = 0; k < 3; k++) {
        double between = point[1][k] - point[0][k], direction = (double)got->direction[k];
        squared += between * between;
        length += direction * direction;
        along += between * direction;
    }
    double rounding = 0x1p-20 * pair->spread;
    right = right && fabs(sum[0] - 1.0) < 0x1p-22 && fabs(sum[1] - 1.0) < 0x1p-22 &&
            fabs(sqrt(squared) - got->distance) <= rounding;
    if (got->distance > 0.0) {
        right = right && fabs(length - 1.0) < 0x1p-20 && fabs(along - got->distance) <= rounding;
    } else {
        right = right && (length == 0.0 || fabs(length - 1.0) < 0x1p-20);
    }
    return right;
}

static uint64_t check_answer(const measured *m, const pliant_features *got, float d,
                             const char *name)
{
    uint64_t next = 0;
    for (size_t i = 0; i < m->count; i++) {
        const measured_pair *pair = &m->pairs[i];
        const pliant_feature_pair *here = next < got->count ? &got->pairs[next] : NULL;
        bool given = here != NULL && here->kind == pair->kind && here->a == pair->a->number &&
                     here->b == pair->b->number;
        if (given ? !may_report(pair, d) : must_report(pair, d)) {
            fail_msg("%s, within %a: kind %d, (%u, %u) at %a, spread %a: %s", name, (double)d,
                     (int)pair->kind, pair->a->number, pair->b->number, pair->distance,
                     pair->spread, given ? "given" : "missing");
        }
        if (given && !is_described(pair, here, i % 64 == 0)) {
            fail_msg("%s, within %a: kind %d, (%u, %u) at %a is said to be at %a", name, (double)d,
                     (int)pair->kind, pair->a->number, pair->b->number, pair->distance,
                     here->distance);
        }
        next += given;
    }
    assert_int_equal(next, got->count);
    return next;
}

/* Distances to ask for: none, some pairs' own, rounded up and down, and others. */
static float make_distance(const measured *m, rng *r, uint32_t i)
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
static uint64_t compare_ways(const test_mesh *a, const test_mesh *b, const measured *m, rng *r,
                             uint32_t count, uint32_t first)
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
                reported += check_answer(m, &got, d, a->name);
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
    feature_set set_a = find_all(&a), set_b = find_all(&b);
    measured m = measure(&set_a, self ? &set_a : &set_b, self);
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
