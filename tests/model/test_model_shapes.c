/* Shapes with modes and influences: what is refused, what is welded, and the block written and read
   back. */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "containment.h"
#include "shape/shape.h"

/* What a shape refuses, and the sentence it says. */
static void bad_models_are_refused(void **state)
{
    (void)state;
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t triangle[3] = {0, 1, 2}, offsets[4] = {0, 1, 2, 3}, nodes[3] = {0, 1, 0};
    static const float weights[3] = {1, 1, 1}, negative[3] = {1, -0.5f, 1}, bad[3] = {1, NAN, 1};
    static const uint32_t wide_offsets[4] = {0, 1, 3, 4}, wide_nodes[4] = {0, 0, 1, 1};
    static const float wide[4] = {1, 3e38f, 3e38f, 1}, large[3] = {3e38f, 3e38f, 1};
    static const uint32_t far_node[3] = {0, 7, 0}, far_vertex[1] = {9}, twice[2] = {1, 1};
    static const uint32_t one[2] = {0, 1}, two[2] = {0, 2};
    float field[9] = {0, 0, 0, 0, INFINITY, 0, 0, 0, 0};
    static const float fine[6] = {1, 2, 3, 4, 5, 6};
    pliant_shape_def base = pliant_shape_def_default();
    base.positions = corners;
    base.vertex_count = 3;
    base.triangles = triangle;
    base.triangle_count = 1;
    pliant_shape *shape = NULL;
#define REFUSED(result, text, ...)                                                                 \
    do {                                                                                           \
        pliant_shape_def def = base;                                                               \
        __VA_ARGS__;                                                                               \
        assert_int_equal(pliant_shape_create(test_context, &def, &shape), result);                 \
        assert_null(shape);                                                                        \
        if (strstr(pliant_last_error(), text) == NULL) {                                           \
            fail_msg("\"%s\" does not say \"%s\"", pliant_last_error(), text);                     \
        }                                                                                          \
    } while (0)
#define INFLUENCES(n, w)                                                                           \
    def.influence_offsets = offsets, def.influence_joints = (n), def.influence_weights = (w),      \
    def.joint_count = 2
    REFUSED(PLIANT_ERROR_NOT_FINITE, "mode 0, vertex 1: coordinate y", def.modes = field,
            def.mode_count = 1);
    REFUSED(PLIANT_ERROR_ARGUMENT, "mode_count is 2", def.mode_count = 2);
    REFUSED(PLIANT_ERROR_RANGE, "mode 0 moves vertex 9 of 3", def.modes = fine, def.mode_count = 1,
            def.mode_offsets = one, def.mode_vertices = far_vertex);
    REFUSED(PLIANT_ERROR_ARGUMENT, "mode 0 moves vertex 1 twice", def.modes = fine,
            def.mode_count = 1, def.mode_offsets = two, def.mode_vertices = twice);
    REFUSED(PLIANT_ERROR_RANGE, "vertex 1 is moved by joint 7 of 2", INFLUENCES(far_node, weights));
    REFUSED(PLIANT_ERROR_RANGE, "vertex 1: the weight of joint 1 is -0.5",
            INFLUENCES(nodes, negative));
    REFUSED(PLIANT_ERROR_NOT_FINITE, "vertex 1: the weight of joint 1", INFLUENCES(nodes, bad));
    REFUSED(PLIANT_ERROR_TOO_LARGE, "vertex 1: its weights sum to more",
            INFLUENCES(wide_nodes, wide), def.influence_offsets = wide_offsets,
            def.normalise_weights = false);
    REFUSED(PLIANT_ERROR_TOO_LARGE, "the largest weights of all joints sum to 6e+38",
            INFLUENCES(nodes, large), def.normalise_weights = false);
    REFUSED(PLIANT_ERROR_ARGUMENT, "joint_count is 2, but there are no influences",
            def.joint_count = 2);
    REFUSED(PLIANT_ERROR_TOO_LARGE, "at most 65536", def.joint_count = 70000);
    REFUSED(PLIANT_ERROR_RANGE, "error is -1", def.error = -1.0f);
#undef REFUSED
#undef INFLUENCES
}

/* Two triangles with an edge in one place, each with vertices of its own there: these are the same
   only if they also move alike. */
static void only_what_moves_alike_is_welded(void **state)
{
    (void)state;
    static const float positions[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const uint32_t triangles[6] = {0, 1, 2, 3, 5, 4};
    static const uint32_t offsets[7] = {0, 2, 4, 6, 8, 10, 12};
    static const uint32_t nodes[12] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    for (int unlike = 0; unlike < 5; unlike++) {
        float modes[18] = {0}, weights[12];
        uint32_t moved_by[12];
        memcpy(moved_by, nodes, sizeof nodes);
        for (int i = 0; i < 12; i++) {
            weights[i] = 0.5f;
        }
        for (int i = 0; i < 6; i++) {
            modes[3 * i] = 1.0f;
        }
        pliant_shape_def def = pliant_shape_def_default();
        def.positions = positions;
        def.vertex_count = 6;
        def.triangles = triangles;
        def.triangle_count = 2;
        def.modes = modes;
        def.mode_count = 1;
        def.joint_count = unlike == 4 ? 3 : 2;
        def.influence_offsets = offsets;
        def.influence_joints = moved_by;
        def.influence_weights = weights;
        modes[3 * 3 + 2] = unlike == 1 ? 0.25f : 0.0f; /* vertex 3, as vertex 1 but for this */
        weights[7] = unlike == 2 ? 0.75f : 0.5f;
        weights[6] = unlike == 3 ? 0.0f : 0.5f;
        moved_by[7] = unlike == 4 ? 2 : 1;
        pliant_shape *shape = NULL;
        assert_ok(pliant_shape_create(test_context, &def, &shape));
        assert_int_equal(fixture_quality(shape).welded_vertex_count, unlike == 0 ? 4 : 5);
        pliant_shape_destroy(shape);
    }
}

/* A block with a model goes out and comes back; an altered one is refused or harmless. */
static void blocks_come_back(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 7);
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        model_case c = model_case_create(kind, MODEL_SPARSE, 1.0, 0.0, 320, &r);
        pliant_shape *shape =
            model_case_shape(test_context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
        pliant_shape *again = NULL;
        uint64_t size = 0;
        assert_ok(pliant_shape_validate(shape));
        assert_ok(pliant_shape_write(shape, NULL, 0, &size));
        unsigned char *block = malloc(size);
        assert_ok(pliant_shape_write(shape, block, size, &size));
        assert_ok(pliant_shape_read(test_context, block, size, &again));
        pliant_body *body = NULL;
        assert_ok(pliant_body_create(again, NULL, &body));
        model_case_set(&c, body);
        assert_int_equal(containment_of_body(body), 0);
        pliant_body_destroy(body);
        pliant_shape_destroy(again);
        for (uint32_t i = 0; i < fixture_count(400); i++) {
            size_t at = (size_t)rng_below(&r, size);
            unsigned char before = block[at];
            block[at] ^= (unsigned char)(1u << rng_below(&r, 8));
            assert_int_equal(pliant_shape_read(test_context, block, size, &again),
                             PLIANT_ERROR_DATA);
            block[at] = before;
        }
        /* With a checksum that agrees: what is not finite would be no bound. */
        pli_block_header *forged = aligned_alloc(64, (size_t)size);
        memcpy(forged, block, (size_t)size);
        ((float *)(void *)((char *)forged + forged->offset[PLI_SECTION_COEFFICIENT_VALUES]))[0] =
            NAN;
        pli_block_seal(forged);
        assert_int_equal(pliant_shape_read(test_context, forged, size, &again), PLIANT_ERROR_DATA);
        free(forged);
        free(block);
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
}

/* Weights whose sums are just not too large make a sound shape, and bounds that hold. */
static void large_weights_are_kept(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 12);
    for (int i = 0; i < 4; i++) {
        bool normalise = i % 2 == 1;
        model_case c = model_case_create(MODEL_BLENDED, i < 2 ? MODEL_SMOOTH : MODEL_ROUGH, 1e-25,
                                         0.0, 1280, &r);
        c.normalise = normalise;
        for (uint32_t k = 0; k < c.model.influence_offsets[c.mesh.vertex_count]; k++) {
            c.model.influence_weights[k] *= normalise ? 3e38f : 3.3e38f / 6.0f;
        }
        pliant_shape *shape =
            model_case_shape(test_context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
        assert_ok(pliant_shape_validate(shape));
        pliant_body *body = NULL;
        assert_ok(pliant_body_create(shape, NULL, &body));
        model_case_set(&c, body);
        assert_int_equal(containment_of_body(body), 0);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_models_are_refused),
        cmocka_unit_test(large_weights_are_kept),
        cmocka_unit_test(only_what_moves_alike_is_welded),
        cmocka_unit_test(blocks_come_back),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
