/* The balanced partition: full clusters, as few levels as can be, children of nearly one size. */
#include "fixture.h"
#include "random.h"
#include "shape/proxies.h"

#define MOST 6000

static float positions[9 * MOST];
static uint32_t corners[3 * MOST];

static void make_soup(rng *random)
{
    for (uint32_t i = 0; i < 9 * MOST; i++) {
        positions[i] = (float)rng_range(random, -1.0, 1.0);
    }
    for (uint32_t i = 0; i < 3 * MOST; i++) {
        corners[i] = i;
    }
}

/* The children of a node differ by one unit and by what the last unit lacks. */
static void check_children(const pliant_shape *shape, const pli_node *node, uint32_t arity,
                           uint32_t capacity)
{
    uint64_t unit = capacity, least = UINT64_MAX, most = 0;
    while (unit * arity * arity < node->triangle_count) {
        unit *= arity;
    }
    for (uint32_t i = 0; i < node->child_count; i++) {
        uint64_t count = pli_child_triangles(shape, node->child[i]);
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    assert_true(most - least < 2 * unit);
    assert_true(most <= unit * arity);
}

static void check_tree(const pliant_shape *shape, uint32_t count, uint32_t arity, uint32_t capacity)
{
    uint32_t levels = 1, deepest = 0, not_full = 0;
    for (uint64_t held = (uint64_t)capacity * arity; held < count; held *= arity) {
        levels++;
    }
    for (uint32_t n = 0; n < shape->node_count; n++) {
        deepest = shape->nodes[n].level > deepest ? shape->nodes[n].level : deepest;
        check_children(shape, &shape->nodes[n], arity, capacity);
    }
    for (uint32_t c = 0; c < shape->cluster_count; c++) {
        not_full += pli_child_triangles(shape, PLI_CLUSTER_BIT | c) < capacity;
    }
    assert_int_equal(deepest + 1, levels);
    assert_int_equal(shape->cluster_count, (count + capacity - 1) / capacity);
    assert_true(not_full <= 1);
}

static void trees_are_balanced(void **state)
{
    (void)state;
    static const uint32_t arities[3] = {2, 4, 8};
    rng random;
    rng_seed(&random, 91);
    make_soup(&random);
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    for (uint32_t i = 0; i < fixture_count(300) + 20; i++) {
        /* Also those next to a full tree and next to one triangle more. */
        uint32_t count = i < 5 ? 4095 + i : 1 + (uint32_t)rng_below(&random, MOST);
        uint32_t arity = arities[i % 3], leaf_size = 1 + (uint32_t)rng_below(&random, 8);
        scene_mesh mesh = {.positions = positions,
                           .triangles = corners,
                           .vertex_count = 3 * count,
                           .triangle_count = count};
        fixture_tree tree = {PLIANT_PARTITION_BALANCED, arity, leaf_size};
        pliant_shape *shape = fixture_shape(context, &mesh, tree);
        check_tree(shape, count, arity, arity * leaf_size);
        pliant_shape_destroy(shape);
    }
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees_are_balanced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
