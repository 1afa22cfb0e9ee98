/* Self pairs equal brute force under each neighbour rule, for every tree and strategy. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#include "random.h"

static const fixture_tree trees[] = {
    {PLIANT_PARTITION_BALANCED, 8, 8},     {PLIANT_PARTITION_BALANCED, 2, 1},
    {PLIANT_PARTITION_SHAPE_CENTRE, 8, 1}, {PLIANT_PARTITION_SHAPE_MEAN, 4, 8},
    {PLIANT_PARTITION_CONNECTIVITY, 8, 8}, {PLIANT_PARTITION_CONNECTIVITY, 2, 2},
};
static const pliant_update updates[] = {PLIANT_UPDATE_BOTTOM_UP, PLIANT_UPDATE_TOP_DOWN,
                                        PLIANT_UPDATE_HYBRID};
static const pliant_neighbours rules[] = {PLIANT_NEIGHBOURS_BEYOND_SHARED, PLIANT_NEIGHBOURS_ALL,
                                          PLIANT_NEIGHBOURS_SKIP};

/* One state of one mesh under all trees, strategies and rules. */
static size_t check_mesh(const gallery_mesh *mesh, const float *positions, const char *what)
{
    pliant_context *context = NULL;
    pliant_query *query = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    assert_ok(pliant_query_create(context, &query));
    brute_body brute = {positions, mesh->triangles, mesh->vertex_count, mesh->triangle_count};
    brute_pairs truth = {0};
    size_t beyond = 0;
    for (int r = 0; r < 3; r++) {
        brute_collide_self(&brute, mesh->positions, rules[r], &truth);
        beyond = r == 0 ? truth.count : beyond;
        pliant_collide_options options = pliant_collide_options_default();
        options.neighbours = rules[r];
        for (size_t t = 0; t < sizeof trees / sizeof trees[0]; t++) {
            pliant_shape *shape = fixture_shape(context, mesh, trees[t]);
            pliant_body *body = NULL;
            assert_ok(pliant_body_create(shape, NULL, &body));
            for (int u = 0; u < 3; u++) {
                char name[160];
                snprintf(name, sizeof name, "%s, rule %d, tree %zu, update %d", what, r, t,
                         (int)updates[u]);
                pliant_contacts contacts;
                assert_ok(pliant_body_set_update(body, updates[u], 0, 1));
                assert_ok(pliant_body_set_positions(body, positions, 0));
                assert_ok(pliant_collide_self(query, body, &options, &contacts));
                assert_true(brute_equal(&truth, &contacts, name));
            }
            pliant_body_destroy(body);
            pliant_shape_destroy(shape);
        }
    }
    brute_free(&truth);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    return beyond;
}

static void sphere_never_touches_itself(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 1280, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &settings);
    assert_int_equal(check_mesh(&scene->bodies[0], scene->bodies[0].positions, "sphere"), 0);
    gallery_destroy(scene);
}

/* Meshes on a tiny grid: coincident vertices, slivers and points of all kinds, as neighbours too.
 */
static void degenerate_neighbours(void **state)
{
    (void)state;
    rng random;
    for (uint32_t seed = 1; seed <= fixture_count(40); seed++) {
        enum { VERTICES = 14, FACES = 60 };
        float rest[VERTICES * 3], now[VERTICES * 3];
        uint32_t faces[FACES * 3];
        rng_seed(&random, seed);
        for (int i = 0; i < VERTICES * 3; i++) {
            rest[i] = (float)rng_below(&random, 3);
            now[i] = rng_below(&random, 4) == 0 ? (float)rng_below(&random, 3) : rest[i];
        }
        for (int i = 0; i < FACES * 3; i++) {
            faces[i] = (uint32_t)rng_below(&random, VERTICES);
        }
        gallery_mesh mesh = {.positions = rest,
                             .triangles = faces,
                             .vertex_count = VERTICES,
                             .triangle_count = FACES};
        char what[60];
        snprintf(what, sizeof what, "grid mesh, seed %u", seed);
        check_mesh(&mesh, now, what);
    }
}

/* Triangles that use a vertex twice share two vertices at most, so NEIGHBOURS_ALL reports two with
   the same vertices, which are duplicates as well. Three different vertices are never reported. */
static void vertices_used_twice(void **state)
{
    static uint32_t faces[18] = {0, 0, 1, 0, 1, 0, 1, 1, 0, 2, 2, 2, 2, 2, 2, 0, 1, 3};
    static uint32_t twins[6] = {0, 1, 3, 1, 3, 0};
    static float rest[12] = {0, 0, 0, 1, 0, 0, 5, 5, 5, 0, 1, 0};
    static const pliant_pair expected[] = {{0, 1}, {0, 2}, {0, 5}, {1, 2}, {1, 5}, {2, 5}, {3, 4}};
    gallery_mesh mesh = {
        .positions = rest, .triangles = faces, .vertex_count = 4, .triangle_count = 6};
    brute_body brute = {rest, faces, 4, 6};
    brute_pairs all = {0};
    (void)state;
    assert_int_equal(check_mesh(&mesh, rest, "vertices used twice"), 0);
    brute_collide_self(&brute, rest, PLIANT_NEIGHBOURS_ALL, &all);
    assert_int_equal(all.count, 7);
    assert_memory_equal(all.pairs, expected, sizeof expected);
    brute_free(&all);
    mesh.triangles = twins;
    mesh.triangle_count = 2;
    brute = (brute_body){rest, twins, 4, 2};
    assert_int_equal(check_mesh(&mesh, rest, "twins"), 0);
    brute_collide_self(&brute, rest, PLIANT_NEIGHBOURS_ALL, &all);
    assert_int_equal(all.count, 0);
    brute_free(&all);
}

/* A seam that is torn open in the current state is no seam: its edges are no longer shared. */
static void torn_seam_counts_as_contact(void **state)
{
    (void)state;
    /* Two triangles, each with its own vertices, welded along one edge at rest. */
    float rest[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    float torn[18];
    memcpy(torn, rest, sizeof torn);
    uint32_t faces[6] = {0, 1, 2, 3, 5, 4};
    gallery_mesh mesh = {
        .positions = rest, .triangles = faces, .vertex_count = 6, .triangle_count = 2};
    assert_int_equal(check_mesh(&mesh, rest, "whole seam"), 0);
    torn[9] = 0.75f; /* vertex 3 slides off vertex 1, into the other triangle */
    torn[12] = 0.125f;
    assert_int_equal(check_mesh(&mesh, torn, "torn seam"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_never_touches_itself),
        cmocka_unit_test(degenerate_neighbours),
        cmocka_unit_test(torn_seam_counts_as_contact),
        cmocka_unit_test(vertices_used_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
