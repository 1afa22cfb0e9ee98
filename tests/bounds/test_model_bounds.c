/* Bodies with modes and transforms: every bound holds what is below it, whatever the state (T4). */
#include "models.h"

#include <math.h>

#include "containment.h"
#include "shape/shape.h"

/* T4, over kinds, traits, scales, offsets, kinds of bounds, strategies and instruction sets. */
static void bounds_hold(void **state)
{
    (void)state;
    static const double scales[] = {1.0, 0x1p-20, 0x1p20}, offsets[] = {0.0, 1e3, 1e6};
    rng r;
    rng_seed(&r, 2);
    for (uint32_t round = 0; round < fixture_count(8); round++) {
        for (uint32_t i = 0; i < MODEL_KINDS * MODEL_TRAITS; i++) {
            model_kind kind = i % MODEL_KINDS;
            model_trait trait = i / MODEL_KINDS;
            double scale = scales[rng_below(&r, 3)], offset = scale * offsets[rng_below(&r, 3)];
            model_case c = model_case_create(kind, trait, scale, offset, 700, &r);
            pliant_context *context = fixture_context_with((pliant_isa)rng_below(&r, 5), 1);
            for (uint32_t bound = 0; bound <= PLIANT_BOUND_AFFINE; bound++) {
                fixture_tree tree = fixture_usual_tree;
                tree.arity = 2u << rng_below(&r, 3);
                tree.partition = (pliant_partition)((bound + round) % 5);
                c.centre = (pliant_sphere_centre)((i + round) % (PLIANT_SPHERE_SMALLEST + 1));
                pliant_shape *shape = model_case_shape(context, &c, bound, tree);
                pliant_body_def def = pliant_body_def_default();
                def.update = (pliant_update)((i + bound + round) % (PLIANT_UPDATE_FRONT + 1));
                def.coherent = rng_below(&r, 2) != 0;
                pliant_body *body = NULL;
                assert_ok(pliant_body_create(shape, &def, &body));
                for (int step = 0; step < 4; step++) {
                    /* In the end it moves as one, to where floats are as far apart as nodes. */
                    c.together = step == 3;
                    c.away = step == 3 ? scale * 4e6 : 0.0;
                    model_case_move(&c, &r, step == 1);
                    model_case_set(&c, body);
                    uint64_t violations = containment_of_body(body);
                    if (violations != 0) {
                        fail_msg("%llu violations: kind %d, trait %d, scale %g, offset %g, bound "
                                 "%u, step %d",
                                 (unsigned long long)violations, (int)kind, (int)trait, scale,
                                 offset, bound, step);
                    }
                }
                pliant_body_destroy(body);
                pliant_shape_destroy(shape);
            }
            pliant_context_destroy(context);
            model_case_destroy(&c);
        }
    }
}

/* The same with numbers so large that sums of sides overflow: a box without an end would meet those
   of children that are not there. */
static void bounds_hold_far_out(void **state)
{
    (void)state;
    static const double scales[] = {0x1p30, 0x1p90, 0x1p100, 0x1p119};
    rng r;
    rng_seed(&r, 11);
    uint32_t every = fixture_scale() < 0.1 ? 3 : 1; /* sanitizers take their time */
    for (uint32_t i = 0; i < 4 * MODEL_KINDS * MODEL_TRAITS; i += every) {
        double scale = scales[i % 4];
        model_case c =
            model_case_create(i / 4 % MODEL_KINDS, i / 4 / MODEL_KINDS, scale, 0.0, 300, &r);
        bool weighted = c.model.influence_offsets != NULL && i % 4 == 0;
        for (size_t k = 0; weighted && k < c.model.influence_offsets[c.mesh.vertex_count]; k++) {
            c.model.influence_weights[k] *= 0x1p60f;
        }
        pliant_context *context = fixture_context_with((pliant_isa)rng_below(&r, 5), 1);
        for (uint32_t bound = 0; bound <= PLIANT_BOUND_AFFINE; bound++) {
            c.centre = (pliant_sphere_centre)(i % (PLIANT_SPHERE_SMALLEST + 1));
            pliant_shape *shape = model_case_shape(context, &c, bound, fixture_usual_tree);
            pliant_body *body[2] = {NULL, NULL};
            pliant_query *query = NULL;
            pliant_contacts contacts;
            assert_ok(pliant_query_create(context, &query));
            for (int k = 0; k < 2; k++) {
                assert_ok(pliant_body_create(shape, NULL, &body[k]));
            }
            c.together = i % 8 < 4;
            model_case_move(&c, &r, false);
            for (int k = 0; k < 2; k++) {
                model_case_set(&c, body[k]);
                assert_int_equal(containment_of_body(body[k]), 0);
            }
            assert_ok(pliant_collide(query, body[0], body[1], NULL, &contacts));
            assert_true(contacts.count >= c.mesh.triangle_count);
            pliant_query_destroy(query);
            for (int k = 0; k < 2; k++) {
                pliant_body_destroy(body[k]);
            }
            pliant_shape_destroy(shape);
        }
        pliant_context_destroy(context);
        model_case_destroy(&c);
    }
}

/* Smallest spheres are no larger than those about the middle, of the positions and of every mode,
   and often smaller. */
static void smallest_spheres_are_small(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 12);
    uint32_t smaller[2] = {0, 0}, all[2] = {0, 0}; /* at rest, of modes */
    for (uint32_t i = 0; i < MODEL_TRAITS; i++) {
        model_case c = model_case_create(MODEL_REDUCED, i, 1.0, 0.0, 2000, &r);
        c.centre = PLIANT_SPHERE_MID_RANGE;
        pliant_shape *middle =
            model_case_shape(test_context, &c, PLIANT_BOUND_SPHERE, fixture_usual_tree);
        c.centre = PLIANT_SPHERE_SMALLEST;
        pliant_shape *smallest =
            model_case_shape(test_context, &c, PLIANT_BOUND_SPHERE, fixture_usual_tree);
        for (uint32_t n = 0; n < middle->node_count; n++) {
            for (size_t set = 0; set <= middle->coefficients[n].mode_count; set++) {
                size_t at = middle->coefficients[n].first_value + 2 * PLI_HALVES * set + PLI_HALVES;
                for (size_t lane = 0; lane < middle->nodes[n].child_count; lane++) {
                    float one = smallest->coefficient_values[at + PLI_WIDTH + lane];
                    float other = middle->coefficient_values[at + PLI_WIDTH + lane];
                    assert_true(one <= other * 1.00001f);
                    smaller[set > 0] += one < other * 0.99999f;
                    all[set > 0]++;
                }
            }
        }
        pliant_shape_destroy(middle);
        pliant_shape_destroy(smallest);
        model_case_destroy(&c);
    }
    print_message("  smaller: %u of %u at rest, %u of %u of modes\n", smaller[0], all[0],
                  smaller[1], all[1]);
    assert_true(4 * smaller[0] > all[0] && 4 * smaller[1] > all[1]);
}

/* Spheres stand at the mean of their vertices or in the middle of their range, as asked. */
static void spheres_stand_where_asked(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 13);
    model_case c = model_case_create(MODEL_RIGID, MODEL_SMOOTH, 1.0, 0.0, 2000, &r);
    for (uint32_t i = 0; i < 3 * c.mesh.vertex_count; i++) { /* most vertices near the origin */
        c.mesh.positions[i] *= c.mesh.positions[i] * c.mesh.positions[i];
    }
    for (int mean = 0; mean < 2; mean++) {
        c.centre = mean ? PLIANT_SPHERE_MEAN : PLIANT_SPHERE_MID_RANGE;
        pliant_shape *shape =
            model_case_shape(test_context, &c, PLIANT_BOUND_SPHERE, fixture_usual_tree);
        const float *values = shape->coefficient_values + shape->coefficients[0].first_value;
        for (uint32_t lane = 0; lane < shape->nodes[0].child_count; lane++) {
            uint32_t child = shape->nodes[0].child[lane];
            assert_false(child & PLI_CLUSTER_BIT);
            const pli_vertex_span *span = &shape->nodes[child].vertices;
            double sum = 0.0, low = INFINITY, high = -INFINITY;
            for (uint32_t i = 0; i < span->count + span->extra_count; i++) {
                uint32_t v = i < span->count
                                 ? shape->vertex_order[span->first + i]
                                 : shape->node_extras[span->extra_first + i - span->count];
                double x = (double)c.mesh.positions[3 * v];
                sum += x / (span->count + span->extra_count);
                low = fmin(low, x);
                high = fmax(high, x);
            }
            double expected = mean ? sum : 0.5 * (low + high);
            assert_true(fabs((double)values[lane] - expected) < 1e-6);
        }
        pliant_shape_destroy(shape);
    }
    model_case_destroy(&c);
}

/* Whatever part of a node's children is merged, the others are bounded too: fronts that queries
   near single vertices leave behind, and eager levels in trees of uneven depth. */
static void bounds_hold_beside_merged_children(void **state)
{
    (void)state;
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(test_context, &query));
    for (uint32_t i = 0; i < 120; i++) {
        rng r;
        rng_seed(&r, 40 + i);
        model_case c = model_case_create(i % MODEL_KINDS, MODEL_SMOOTH, 1.0, 0.0, 400, &r);
        fixture_tree tree = {PLIANT_PARTITION_SHAPE_CENTRE, 2u << i / 5 % 3, 1};
        pliant_shape *shape = model_case_shape(test_context, &c, PLIANT_BOUND_BOX, tree);
        pliant_body *body = NULL;
        assert_ok(pliant_body_create(shape, NULL, &body));
        pliant_update update = i / 15 % 2 == 0 ? PLIANT_UPDATE_FRONT : PLIANT_UPDATE_HYBRID;
        assert_ok(pliant_body_set_update(body, update, 1 + (uint32_t)rng_below(&r, 6), 1));
        for (int step = 0; step < 4; step++) {
            pliant_closest closest;
            uint32_t v = (uint32_t)rng_below(&r, c.mesh.vertex_count);
            model_case_set(&c, body);
            assert_ok(pliant_find_closest_point(query, body, c.positions + 3 * (size_t)v, 1e-6f,
                                                &closest));
            model_case_move(&c, &r, true);
            model_case_set(&c, body);
            assert_int_equal(containment_of_body(body), 0);
        }
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
    pliant_query_destroy(query);
}

/* The nodes of a shape whose coefficients are of the given kind. */
static uint32_t count_nodes(const pliant_shape *shape, pli_coefficient_kind kind)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < shape->node_count; n++) {
        count += shape->coefficients[n].kind == (uint32_t)kind;
    }
    return count;
}

/* Where fields vary slowly, affine boxes are taken; where they have no order, plain ones, unless
   boxes in frames of their own are smaller already at rest. Whoever asks for a kind gets it
   everywhere. */
static void nodes_have_the_kind_that_pays(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 9);
    for (int i = 0; i < 4; i++) {
        model_kind kind = i % 2 == 0 ? MODEL_MODES : MODEL_REDUCED;
        model_trait trait = i / 2 == 0 ? MODEL_SMOOTH : MODEL_ROUGH;
        model_case c = model_case_create(kind, trait, 1.0, 0.0, 5120, &r);
        pliant_shape *shapes[3];
        for (int bound = PLIANT_BOUND_AUTO; bound <= PLIANT_BOUND_BOX; bound++) {
            shapes[bound] =
                model_case_shape(test_context, &c, (pliant_bound_kind)bound, fixture_usual_tree);
        }
        shapes[2] = model_case_shape(test_context, &c, PLIANT_BOUND_AFFINE, fixture_usual_tree);
        uint32_t count = shapes[0]->node_count;
        uint32_t affine = count_nodes(shapes[0], PLI_COEFFICIENTS_AFFINE);
        print_message("%s: %u of %u coefficients are affine\n",
                      trait == MODEL_SMOOTH ? "smooth" : "rough", affine, count);
        assert_int_equal(affine + count_nodes(shapes[0], PLI_COEFFICIENTS_BOX), count);
        assert_true(trait != MODEL_SMOOTH || 2 * affine > count);
        assert_true(trait != MODEL_ROUGH || kind != MODEL_MODES || affine == 0);
        assert_int_equal(count_nodes(shapes[1], PLI_COEFFICIENTS_BOX), count);
        assert_int_equal(count_nodes(shapes[2], PLI_COEFFICIENTS_AFFINE), count);
        for (int k = 0; k < 3; k++) {
            pliant_shape_destroy(shapes[k]);
        }
        model_case_destroy(&c);
    }
}

/* A long way in small steps: what nodes remember must stay right. */
static void coherent_bounds_hold(void **state)
{
    (void)state;
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(test_context, &query));
    enum { KINDS = PLIANT_BOUND_AFFINE + 1 };
    for (int i = 0; i < 2 * KINDS; i++) {
        /* Where all vertices of a sheet move alike, they leave a bound that does not grow. */
        bool sheet = i >= KINDS;
        pliant_bound_kind bound = (pliant_bound_kind)(i % KINDS);
        rng r;
        rng_seed(&r, 3);
        model_case c = model_case_create(sheet ? MODEL_MODES : MODEL_REDUCED,
                                         sheet ? MODEL_ALIGNED : MODEL_SMOOTH, 1.0, 0.0, 1280, &r);
        pliant_shape *shape = model_case_shape(test_context, &c, bound, fixture_usual_tree);
        pliant_body_def def = pliant_body_def_default();
        def.coherent = true;
        pliant_body *body = NULL;
        assert_ok(pliant_body_create(shape, &def, &body));
        for (uint32_t step = 0; step < fixture_count(1000); step++) {
            model_case_move(&c, &r, true);
            model_case_set(&c, body);
            if (step % 50 < 2) { /* made anew and remembered */
                assert_int_equal(containment_of_body(body), 0);
            } else { /* opens some nodes only, so that nodes differ in what they remember */
                pliant_closest closest;
                float point[3] = {(float)rng_range(&r, -1, 1), (float)rng_range(&r, -1, 1), 0.5f};
                assert_ok(pliant_find_closest_point(query, body, point, INFINITY, &closest));
            }
        }
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
    pliant_query_destroy(query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(bounds_hold_far_out),
        cmocka_unit_test(smallest_spheres_are_small),
        cmocka_unit_test(spheres_stand_where_asked),
        cmocka_unit_test(bounds_hold_beside_merged_children),
        cmocka_unit_test(nodes_have_the_kind_that_pays),
        cmocka_unit_test(coherent_bounds_hold),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
