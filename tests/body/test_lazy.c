/* The automatic update refreshes the part of a body that a query reaches, for every kind of body.
 */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "models.h"

typedef struct cost {
    uint64_t nodes, clusters, vertices, pairs;
} cost;

/* A triangle around the first vertex of the case. */
static pliant_body *make_probe(const model_case *c, pliant_shape **shape)
{
    const float *p = c->positions;
    float corners[3][3];
    uint32_t triangle[3] = {0, 1, 2};
    for (int i = 0; i < 9; i++) {
        corners[i / 3][i % 3] = p[i % 3] + (i / 3 == i % 3 ? 0.01f : -0.005f);
    }
    gallery_mesh mesh = {
        .positions = corners[0], .triangles = triangle, .vertex_count = 3, .triangle_count = 1};
    *shape = fixture_shape(test_context, &mesh, fixture_usual_tree);
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(*shape, NULL, &body));
    return body;
}

/* Returns the cost of three states in a row under one update. */
static cost find_cost(model_case *c, const rng *random, pliant_update update)
{
    rng r = *random;
    cost sum = {0};
    pliant_query *query = NULL;
    pliant_body *body = NULL;
    pliant_body_def def = pliant_body_def_default();
    def.update = update;
    pliant_shape *shape = model_case_shape(test_context, c, PLIANT_BOUND_AUTO, fixture_usual_tree);
    assert_ok(pliant_body_create(shape, &def, &body));
    assert_ok(pliant_query_create(test_context, &query));
    for (int step = 0; step < 3; step++) {
        pliant_contacts contacts;
        pliant_shape *probe_shape = NULL;
        model_case_move(c, &r, step > 0);
        model_case_set(c, body);
        pliant_body *probe = make_probe(c, &probe_shape);
        assert_ok(pliant_collide(query, body, probe, NULL, &contacts));
        const pliant_stats *stats = pliant_query_get_stats(query);
        sum.nodes += stats->nodes_refreshed;
        sum.clusters += stats->clusters_refreshed;
        sum.vertices += stats->vertices_read;
        sum.pairs += contacts.count;
        pliant_body_destroy(probe);
        pliant_shape_destroy(probe_shape);
    }
    pliant_query_destroy(query);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    return sum;
}

static void automatic_updates_are_lazy(void **state)
{
    (void)state;
    for (int kind = MODEL_RIGID; kind < MODEL_KINDS; kind++) {
        rng r;
        rng_seed(&r, 31);
        model_case c = model_case_create(kind, MODEL_SMOOTH, 1.0, 0.0, 30000, &r);
        cost lazy = find_cost(&c, &r, PLIANT_UPDATE_AUTO);
        cost full = find_cost(&c, &r, PLIANT_UPDATE_BOTTOM_UP);
        assert_int_equal(lazy.pairs, full.pairs);
        assert_true(lazy.nodes > 0 && lazy.nodes < full.nodes);
        assert_true(4 * lazy.clusters < full.clusters);
        assert_true(4 * lazy.vertices < full.vertices);
        model_case_destroy(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(automatic_updates_are_lazy)};
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
