/*
 * T5: the tests of bounds have the power to fail. This program is built from the library's sources
 * with PLI_TEST_SHRUNK_BOUNDS, which makes every bound from vertices one float smaller on each
 * side, and takes their margins from those that follow from modes and transforms. Containment (T4)
 * and the comparison with brute force (T6) must both notice.
 */
#include "fixture.h"

#include <stdlib.h>

#include "containment.h"
#include "models.h"

#ifndef PLI_TEST_SHRUNK_BOUNDS
#error "build this with the shrunk bounds it is about"
#endif

static void containment_notices(void **state)
{
    (void)state;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    gallery_settings settings = {.triangles = 1280, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &settings);
    pliant_shape *shape = fixture_shape(context, &scene->bodies[0], fixture_usual_tree);
    for (int u = PLIANT_UPDATE_BOTTOM_UP; u <= PLIANT_UPDATE_HYBRID; u++) {
        assert_true(containment_violations(shape, (pliant_update)u, scene->bodies[0].positions) >
                    0);
    }
    pliant_shape_destroy(shape);
    gallery_destroy(scene);
    pliant_context_destroy(context);
}

/* Two bodies that touch in exactly one plane: their boxes meet there and nowhere else. */
static void brute_force_notices(void **state)
{
    (void)state;
    static const float low[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const float high[12] = {0, 0, 1, 1, 0, 2, 0, 1, 2, 0, 0, 2};
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    pliant_context *context = NULL;
    pliant_query *query = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    assert_ok(pliant_query_create(context, &query));
    pliant_shape *shape[2];
    pliant_body *body[2];
    const float *positions[2] = {low, high};
    for (int i = 0; i < 2; i++) {
        pliant_shape_def def = pliant_shape_def_default();
        def.positions = positions[i];
        def.vertex_count = 4;
        def.triangles = faces;
        def.triangle_count = 4;
        assert_ok(pliant_shape_create(context, &def, &shape[i]));
        assert_ok(pliant_body_create(shape[i], NULL, &body[i]));
    }
    brute_body a = {low, faces, 4, 4}, b = {high, faces, 4, 4};
    brute_pairs truth = {0};
    brute_collide(&a, &b, &truth);
    assert_true(truth.count > 0);
    pliant_contacts contacts;
    assert_ok(pliant_collide(query, body[0], body[1], NULL, &contacts));
    assert_false(brute_equal(&truth, &contacts, "expected with shrunk bounds"));
    brute_free(&truth);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(body[i]);
        pliant_shape_destroy(shape[i]);
    }
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

/* Without margins for rounding, bounds of every kind and of bodies of every kind lose vertices. */
static void containment_notices_margins(void **state)
{
    (void)state;
    static const pliant_bound_kind bounds[] = {PLIANT_BOUND_BOX, PLIANT_BOUND_SPHERE,
                                               PLIANT_BOUND_AFFINE};
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    rng r;
    rng_seed(&r, 1);
    uint64_t of_bound[3] = {0}, of_kind[MODEL_KINDS] = {0}; /* not every pair is attained here */
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        for (int b = 0; b < (kind == MODEL_BLENDED || kind == MODEL_COMPOSED ? 1 : 3); b++) {
            uint64_t violations = 0;
            for (uint32_t i = 0; i < 40 && violations == 0; i++) {
                model_case c = model_case_create(kind, i % MODEL_TRAITS, 1.0, 1000.0, 500, &r);
                pliant_shape *shape = model_case_shape(
                    context, &c, bounds[b], (fixture_tree){PLIANT_PARTITION_BALANCED, 2, 1});
                pliant_body_def def = pliant_body_def_default();
                def.update = PLIANT_UPDATE_TOP_DOWN;
                pliant_body *body = NULL;
                assert_ok(pliant_body_create(shape, &def, &body));
                for (uint32_t j = 0; j < 12 * c.model.joint_count; j++) {
                    /* Turned boxes are loose; boxes that are only shifted are attained. */
                    float shift = j % 12 % 5 == 0 ? 1.0f : j % 4 == 3 ? 0.7f * (float)i : 0.0f;
                    c.transforms[j] = i % 2 == 0 ? shift : c.transforms[j];
                }
                model_case_set(&c, body);
                violations = containment_of_nodes(body);
                pliant_body_destroy(body);
                pliant_shape_destroy(shape);
                model_case_destroy(&c);
            }
            of_bound[b] += violations;
            of_kind[kind] += violations;
        }
    }
    for (int b = 0; b < 3; b++) {
        assert_true(of_bound[b] > 0);
    }
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        assert_true(of_kind[kind] > 0);
    }
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containment_notices),
        cmocka_unit_test(containment_notices_margins),
        cmocka_unit_test(brute_force_notices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
