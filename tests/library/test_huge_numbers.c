/* Numbers near the largest float, one at a time: fields, coordinates, distances, boxes without end.
 */
#include "answer_checks.h"

#include <float.h>
#include <math.h>

#include "body/body.h"
#include "containment.h"

/* An octahedron, which mode 0 stretches along the diagonal; the second one pulls one corner only.
 */
static pliant_shape *create_octahedron(pliant_context *context, float size, float reach,
                                       bool one_corner, pliant_shape_def def)
{
    float positions[18], field[18];
    uint32_t triangles[24];
    for (uint32_t i = 0; i < 6; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            float sign = i % 2 == 0 ? 1.0f : -1.0f;
            positions[3 * i + k] = k == i / 2 ? sign * size : 0.0f;
            field[3 * i + k] = reach * (one_corner ? (i == 5 ? -1.0f : 1.0f) : sign);
        }
    }
    for (uint32_t i = 0; i < 8; i++) {
        triangles[3 * i] = i & 1;
        triangles[3 * i + 1] = 2 + (i >> 1 & 1);
        triangles[3 * i + 2] = 4 + (i >> 2);
    }
    def.positions = positions;
    def.vertex_count = 6;
    def.triangles = triangles;
    def.triangle_count = 8;
    def.modes = def.mode_count > 0 ? field : NULL;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(context, &def, &shape));
    return shape;
}

/* Fields so large that what coefficients are made of overflows, and coordinates that make them
 * small. */
static void huge_fields_are_bounded(void **state)
{
    (void)state;
    static const float reaches[] = {1.0f, 0x1p99f, 0x1p100f, 3e38f, FLT_MAX};
    for (uint32_t i = 0; i < 5 * (PLIANT_BOUND_AFFINE + 1); i++) {
        pliant_shape_def def = pliant_shape_def_default();
        def.mode_count = 1;
        def.bound = (pliant_bound_kind)(i / 5);
        def.leaf_size = 1;
        def.arity = 2;
        float reach = reaches[i % 5];
        pliant_shape *shape = create_octahedron(test_context, 1.0f, reach, false, def);
        pliant_body *body = NULL;
        assert_ok(pliant_shape_validate(shape));
        assert_ok(pliant_body_create(shape, NULL, &body));
        for (int k = -3; k <= 3; k++) {
            float coordinate = (float)k / reach;
            assert_ok(pliant_body_set_coordinates(body, &coordinate, 1));
            assert_int_equal(containment_of_body(body), 0);
            assert_true(body->pose.world_error == 0.0f); /* the shape has none */
        }
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
    }
}

/* Coordinates up to where they are refused: for every kind of bound, strategy and instruction set.
 */
static void huge_coordinates_are_answered(void **state)
{
    (void)state;
    static const float huge[] = {0x1p98f, 0x1p99f,  0x1p100f, 1e38f, 1.2e38f,
                                 1.5e38f, 1.69e38f, 0x1p127f, 3e38f};
    uint32_t answered = 0, refused = 0;
    for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
        pliant_context *context = fixture_context_with((pliant_isa)isa, 1);
        pliant_query *query = NULL;
        assert_ok(pliant_query_create(context, &query));
        for (uint32_t i = 0; i < 2 * (PLIANT_BOUND_AFFINE + 1); i++) {
            pliant_shape_def def = pliant_shape_def_default();
            def.mode_count = 1;
            def.bound = (pliant_bound_kind)(i / 2);
            def.leaf_size = 1;
            def.arity = 2;
            pliant_shape *shape = create_octahedron(context, 1.0f, 1.0f, i % 2 == 1, def);
            for (int update = 0; update <= PLIANT_UPDATE_FRONT; update++) {
                pliant_body_def body_def = pliant_body_def_default();
                body_def.update = (pliant_update)update;
                pliant_body *body[2] = {NULL, NULL};
                for (int k = 0; k < 2; k++) {
                    body_def.coherent = k == 0;
                    assert_ok(pliant_body_create(shape, &body_def, &body[k]));
                }
                for (size_t q = 0; q < sizeof huge / sizeof huge[0]; q++) {
                    if (pliant_body_set_coordinates(body[0], &huge[q], 1) != PLIANT_OK) {
                        refused++;
                        continue;
                    }
                    float positions[36];
                    uint32_t triangles[24];
                    for (uint32_t k = 0; k < 2; k++) {
                        assert_ok(pliant_body_evaluate(body[k], NULL, 6, positions + 18 * k));
                    }
                    for (uint32_t t = 0; t < 8; t++) {
                        assert_ok(pliant_shape_get_triangle(shape, t, triangles + 3 * (size_t)t));
                    }
                    brute_body truth = {positions, triangles, 6, 8};
                    brute_body other = {positions + 18, triangles, 6, 8};
                    uint32_t bounds = 0;
                    check_pairs(query, body[0], &truth, body[1], &other);
                    check_self(query, body[0], &truth, true);
                    assert_ok(pliant_visit_bounds(query, body[0], true, bound_is_finite, &bounds));
                    assert_int_equal(containment_of_body(body[0]), 0);
                    answered++;
                }
                pliant_body_destroy(body[0]);
                pliant_body_destroy(body[1]);
            }
            pliant_shape_destroy(shape);
        }
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
    assert_true(answered > 0 && refused > 0);
}

/* A distance that takes boxes past the largest float. */
static void distances_may_be_huge(void **state)
{
    (void)state;
    static const float sizes[] = {1.0f, 1e38f, 3e38f}, distances[] = {1e38f, 3e38f, FLT_MAX};
    for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
        pliant_context *context = fixture_context_with((pliant_isa)isa, 1);
        pliant_query *query = NULL;
        assert_ok(pliant_query_create(context, &query));
        for (int i = 0; i < 9; i++) {
            pliant_shape_def def = pliant_shape_def_default();
            def.leaf_size = i % 2 == 0 ? 8 : 1;
            pliant_shape *shape = create_octahedron(context, sizes[i / 3], 1.0f, false, def);
            pliant_body *a = NULL, *b = NULL;
            pliant_proximities found;
            assert_ok(pliant_body_create(shape, NULL, &a));
            assert_ok(pliant_body_create(shape, NULL, &b));
            assert_ok(pliant_find_within(query, a, b, distances[i % 3], NULL, &found));
            assert_true(2.0f * sizes[i / 3] > distances[i % 3] || found.count == 64);
            for (uint64_t p = 1; p < found.count; p++) {
                assert_true(found.pairs[p - 1].a < found.pairs[p].a ||
                            found.pairs[p - 1].b < found.pairs[p].b);
            }
            pliant_body_destroy(a);
            pliant_body_destroy(b);
            pliant_shape_destroy(shape);
        }
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
}

/* Makes the boxes of all children that a refreshed node has endless. */
static void open_boxes(const pliant_shape *shape, pli_node_record *record, uint32_t node)
{
    for (uint32_t lane = 0; lane < shape->nodes[node].child_count; lane++) {
        uint32_t child = shape->nodes[node].child[lane];
        for (int k = 0; k < 3; k++) {
            record->box.side[k][lane] = -INFINITY;
            record->box.side[3 + k][lane] = INFINITY;
        }
        if (!(child & PLI_CLUSTER_BIT)) {
            open_boxes(shape, record->child[lane], child);
        }
    }
}

/* Walks go by how many children a node has: they end, and find the same, whatever boxes say. */
static void walks_end_whatever_boxes_say(void **state)
{
    (void)state;
    pliant_shape *shapes[2] = {
        fixture_sphere(test_context, 320, (fixture_tree){PLIANT_PARTITION_SHAPE_MEAN, 8, 2}),
        fixture_sphere(test_context, 80, (fixture_tree){PLIANT_PARTITION_BALANCED, 4, 8})};
    const float *positions = shapes[0]->positions;
    pliant_body *body[2] = {NULL, NULL};
    pliant_query *query = NULL;
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    uint64_t pairs[2] = {0, 0}, listed[2] = {0, 0};
    options.budget_nodes = CHECK_MOST_WORK;
    options.neighbours = PLIANT_NEIGHBOURS_ALL;
    assert_ok(pliant_query_create(test_context, &query));
    for (int opened = 0; opened < 2; opened++) {
        for (int k = 0; k < 2; k++) {
            if (opened == 0) {
                assert_ok(pliant_body_create(shapes[k], NULL, &body[k]));
                assert_ok(pliant_body_prepare(body[k]));
            } else {
                open_boxes(shapes[k], body[k]->root.child[0], 0);
            }
        }
        assert_ok(pliant_collide(query, body[0], body[1], &options, &contacts));
        assert_true(contacts.complete);
        pairs[opened] = contacts.count;
        assert_ok(pliant_collide_self(query, body[0], &options, &contacts));
        assert_true(contacts.complete);
        pairs[opened] = pairs[opened] << 32 | contacts.count;
        pliant_proximities close;
        const uint32_t *triangles = NULL;
        uint64_t count = 0;
        pliant_box box = {{0.0f, 0.0f, 0.0f}, {2.0f, 2.0f, 2.0f}};
        pliant_closest closest;
        pliant_ray ray = {{9.0f, 9.0f, 9.0f}, {0.0f, 0.0f, 0.0f}, INFINITY};
        for (int k = 0; k < 3; k++) { /* at a vertex */
            ray.direction[k] = positions[k] - ray.origin[k];
        }
        pliant_ray_hit hit;
        assert_ok(pliant_find_within(query, body[0], body[1], 0.01f, NULL, &close));
        assert_ok(pliant_overlap_box(query, body[0], &box, &triangles, &count));
        assert_ok(pliant_find_closest_point(query, body[0], ray.origin, INFINITY, &closest));
        assert_ok(pliant_raycast(query, body[0], &ray, &hit));
        assert_true(hit.triangle != PLIANT_NO_TRIANGLE);
        listed[opened] = close.count << 32 | count << 20 | closest.triangle << 10 | hit.triangle;
    }
    assert_int_equal(pairs[0], pairs[1]);
    assert_int_equal(listed[0], listed[1]);
    pliant_query_destroy(query);
    for (int k = 0; k < 2; k++) {
        pliant_body_destroy(body[k]);
        pliant_shape_destroy(shapes[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_fields_are_bounded),
        cmocka_unit_test(huge_coordinates_are_answered),
        cmocka_unit_test(distances_may_be_huge),
        cmocka_unit_test(walks_end_whatever_boxes_say),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
