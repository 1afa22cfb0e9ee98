/* The balanced partition: full clusters, as few levels and nodes as can be, cuts where gaps are. */
#include "fixture.h"
#include "random.h"
#include "shape/shape.h"

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

/* As few children as can be, all but one of whole units, none larger than a full one. */
static void check_children(const pliant_shape *shape, const pli_node *node, uint32_t arity,
                           uint32_t capacity)
{
    uint64_t unit = capacity, full = capacity;
    while (full * arity < node->triangle_count) {
        unit = full;
        full *= arity;
    }
    uint32_t short_ones = 0;
    for (uint32_t i = 0; i < node->child_count; i++) {
        uint64_t count = pli_child_triangles(shape, node->child[i]);
        assert_in_range(count, 1, full);
        short_ones += count % unit != 0;
    }
    assert_true(short_ones <= 1);
    assert_int_equal(node->child_count, (node->triangle_count + full - 1) / full);
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
        gallery_mesh mesh = {.positions = positions,
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

/* Two heaps far apart, of 2 and 8 units, are the two children of the root, whichever comes first.
 */
static void cuts_follow_gaps(void **state)
{
    (void)state;
    enum { UNIT = 512, COUNT = 10 * UNIT };
    rng random;
    rng_seed(&random, 92);
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    for (uint32_t small = 0; small < 2; small++) {
        make_soup(&random);
        uint32_t first = small == 0 ? 2 * UNIT : 8 * UNIT;
        for (uint32_t i = 0; i < 3 * COUNT; i++) {
            positions[3 * (size_t)i] += i / 3 < first ? 0.0f : 5.0f;
        }
        gallery_mesh mesh = {.positions = positions,
                             .triangles = corners,
                             .vertex_count = 3 * COUNT,
                             .triangle_count = COUNT};
        fixture_tree tree = {PLIANT_PARTITION_BALANCED, 8, 8};
        pliant_shape *shape = fixture_shape(context, &mesh, tree);
        assert_int_equal(shape->nodes[0].child_count, 2);
        assert_int_equal(pli_child_triangles(shape, shape->nodes[0].child[0]), first);
        pliant_shape_destroy(shape);
    }
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_balanced),
        cmocka_unit_test(cuts_follow_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
