/* Proxies of torn bodies: they hold what is left, and their contacts cover what touches. */
#include "torn_mesh.h"

#include <stdlib.h>

/* Whether a proxy, or one side of a coarse contact, holds a triangle. */
static bool holds(const pliant_shape *shape, pliant_proxy proxy, uint32_t triangle)
{
    uint32_t triangles[4096], count = 0;
    if (proxy.leaves == 0) {
        return proxy.id == triangle;
    }
    assert_ok(pliant_shape_get_proxy_triangles(shape, proxy, triangles, 4096, &count));
    for (uint32_t i = 0; i < count; i++) {
        if (triangles[i] == triangle) {
            return true;
        }
    }
    return false;
}

/* Every triangle that is left is in one proxy, every vertex of a proxy is one of its triangles'. */
static void check_partition(const torn_mesh *m, const pliant_shape *shape)
{
    enum { MOST = 4096 };
    pliant_proxy *proxies = malloc(MOST * sizeof *proxies);
    uint32_t *seen = calloc(m->triangle_count, sizeof *seen), triangles[MOST];
    uint32_t count = 0, left = 0;
    assert_ok(pliant_shape_get_proxies(shape, proxies, MOST, &count));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t held = 0, vertex = 0;
        bool has = false;
        assert_ok(pliant_shape_get_proxy_triangles(shape, proxies[i], triangles, MOST, &held));
        assert_in_range(held, 1, m->tree.proxy_triangles);
        assert_ok(pliant_shape_get_proxy_vertex(shape, proxies[i], &vertex));
        for (uint32_t t = 0; t < held; t++) {
            uint32_t corners[3];
            seen[triangles[t]]++;
            left++;
            assert_ok(pliant_shape_get_triangle(shape, triangles[t], corners));
            has = has || corners[0] == vertex || corners[1] == vertex || corners[2] == vertex;
        }
        assert_true(has);
    }
    assert_int_equal(left, m->left_count);
    for (uint32_t i = 0; i < m->left_count; i++) {
        assert_int_equal(seen[m->number[i]], 1);
    }
    free(proxies);
    free(seen);
}

/* Wherever triangles touch, a contact of proxies holds them, with a spent budget too. */
static void check_covering(pliant_body *torn, pliant_body *other, uint64_t budget)
{
    pliant_proxy_contacts proxies;
    pliant_contacts contacts;
    pliant_query *exact = NULL;
    pliant_proxy_options options = pliant_proxy_options_default();
    const pliant_shape *shape = pliant_body_get_shape(torn);
    options.proxies_b = false;
    options.budget_nodes = budget;
    assert_ok(pliant_query_create(test_context, &exact));
    assert_ok(pliant_collide_proxies(test_query, torn, other, &options, &proxies));
    assert_ok(pliant_collide(exact, torn, other, NULL, &contacts));
    for (uint64_t i = 0; i < contacts.count; i++) {
        bool covered = false;
        for (uint64_t c = 0; c < proxies.count && !covered; c++) {
            covered =
                holds(shape, proxies.contacts[c].a, contacts.pairs[i].a) &&
                holds(pliant_body_get_shape(other), proxies.contacts[c].b, contacts.pairs[i].b);
        }
        assert_true(covered);
    }
    pliant_query_destroy(exact);
}

static void proxies_follow_tears(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < fixture_at_least(TORN_KINDS, 4 * TORN_KINDS); i++) {
        rng r;
        rng_seed(&r, 40 + i);
        torn_mesh m;
        torn_mesh_create(&m, test_context, (torn_kind)(i % TORN_KINDS), &r);
        m.tree.islands = PLIANT_ISLANDS_AUTO;
        m.tree.proxy_triangles = 8 + (uint32_t)rng_below(&r, 60);
        pliant_shape *shape = torn_mesh_make_whole(&m);
        pliant_body *torn = NULL, *other = NULL;
        assert_ok(pliant_body_create(shape, NULL, &torn));
        assert_ok(pliant_body_create(shape, NULL, &other));
        for (uint32_t step = 0; step < 6; step++) {
            torn_mesh_move(&m, &r);
            assert_ok(pliant_body_set_positions(torn, m.positions, 0));
            torn_mesh_remove(&m, torn, 20, &r);
            torn_mesh_tear(&m, torn, &r);
            check_partition(&m, pliant_body_get_shape(torn));
            check_covering(torn, other, step % 2 == 0 ? 0 : 5);
        }
        pliant_body_destroy(torn);
        pliant_body_destroy(other);
        pliant_shape_destroy(shape);
        torn_mesh_destroy(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proxies_follow_tears),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, test_query_tear_down);
}
