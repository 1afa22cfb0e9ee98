/* Bodies with modes and transforms: what they are, how they are bounded, what touches. */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "containment.h"
#include "shape/shape.h"

static const fixture_tree usual_tree = {PLIANT_PARTITION_BALANCED, 8, 8};

static pliant_context *create_context(pliant_isa isa)
{
    pliant_context *context = NULL;
    pliant_context_def def = pliant_context_default();
    def.isa = isa;
    assert_ok(pliant_context_create(&def, &context));
    return context;
}

static void evaluation_is_as_defined(void **state)
{
    (void)state;
    pliant_context *context = create_context(PLIANT_ISA_BEST);
    rng r;
    rng_seed(&r, 1);
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        for (int trait = 0; trait < MODEL_TRAITS; trait++) {
            model_case c = model_case_create(kind, trait, 1.0, 0.0, 320, &r);
            pliant_shape *shape = model_case_shape(context, &c, PLIANT_BOUND_AUTO, usual_tree);
            pliant_body *body = NULL;
            assert_ok(pliant_body_create(shape, NULL, &body));
            model_case_set(&c, body);
            size_t bytes = 3 * (size_t)c.mesh.vertex_count * sizeof(float);
            float *positions = malloc(bytes);
            assert_ok(pliant_body_evaluate(body, NULL, c.mesh.vertex_count, positions));
            assert_memory_equal(positions, c.positions, bytes);
            free(positions);
            pliant_body_destroy(body);
            pliant_shape_destroy(shape);
            model_case_destroy(&c);
        }
    }
    pliant_context_destroy(context);
}

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
            pliant_context *context = create_context((pliant_isa)rng_below(&r, 5));
            for (uint32_t bound = 0; bound <= PLIANT_BOUND_AFFINE; bound++) {
                fixture_tree tree = usual_tree;
                tree.arity = 2u << rng_below(&r, 3);
                pliant_shape *shape = model_case_shape(context, &c, bound, tree);
                pliant_body_def def = pliant_body_default();
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
    for (uint32_t i = 0; i < 4 * MODEL_KINDS * MODEL_TRAITS; i++) {
        double scale = scales[i % 4];
        model_case c =
            model_case_create(i / 4 % MODEL_KINDS, i / 4 / MODEL_KINDS, scale, 0.0, 300, &r);
        bool weighted = c.model.influence_offsets != NULL && i % 4 == 0;
        for (size_t k = 0; weighted && k < c.model.influence_offsets[c.mesh.vertex_count]; k++) {
            c.model.influence_weights[k] *= 0x1p60f;
        }
        pliant_context *context = create_context((pliant_isa)rng_below(&r, 5));
        for (uint32_t bound = 0; bound <= PLIANT_BOUND_AFFINE; bound++) {
            pliant_shape *shape = model_case_shape(context, &c, bound, usual_tree);
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

/* The rows of a shape whose kind is the given one. */
static uint32_t count_rows(const pliant_shape *shape, pli_row_kind kind)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < shape->node_count; n++) {
        count += shape->rows[n].kind == (uint32_t)kind;
    }
    return count;
}

/* Where fields vary slowly, affine boxes are taken; where they have no order, plain ones, unless
   boxes in frames of their own are smaller already at rest. Whoever asks for a kind gets it
   everywhere. */
static void rows_are_of_the_kind_that_pays(void **state)
{
    (void)state;
    pliant_context *context = create_context(PLIANT_ISA_BEST);
    rng r;
    rng_seed(&r, 9);
    for (int i = 0; i < 4; i++) {
        model_kind kind = i % 2 == 0 ? MODEL_MODES : MODEL_REDUCED;
        model_trait trait = i / 2 == 0 ? MODEL_SMOOTH : MODEL_ROUGH;
        model_case c = model_case_create(kind, trait, 1.0, 0.0, 5120, &r);
        pliant_shape *shapes[3];
        for (int bound = PLIANT_BOUND_AUTO; bound <= PLIANT_BOUND_BOX; bound++) {
            shapes[bound] = model_case_shape(context, &c, (pliant_bound_kind)bound, usual_tree);
        }
        shapes[2] = model_case_shape(context, &c, PLIANT_BOUND_AFFINE, usual_tree);
        uint32_t count = shapes[0]->node_count;
        uint32_t affine = count_rows(shapes[0], PLI_ROW_AFFINE);
        print_message("%s: %u of %u rows are affine\n", trait == MODEL_SMOOTH ? "smooth" : "rough",
                      affine, count);
        assert_int_equal(affine + count_rows(shapes[0], PLI_ROW_BOX), count);
        assert_true(trait != MODEL_SMOOTH || 2 * affine > count);
        assert_true(trait != MODEL_ROUGH || kind != MODEL_MODES || affine == 0);
        assert_int_equal(count_rows(shapes[1], PLI_ROW_BOX), count);
        assert_int_equal(count_rows(shapes[2], PLI_ROW_AFFINE), count);
        for (int k = 0; k < 3; k++) {
            pliant_shape_destroy(shapes[k]);
        }
        model_case_destroy(&c);
    }
    pliant_context_destroy(context);
}

/* A long way in small steps: what nodes remember must stay right. */
static void coherent_bounds_hold(void **state)
{
    (void)state;
    pliant_context *context = create_context(PLIANT_ISA_BEST);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    enum { KINDS = PLIANT_BOUND_AFFINE + 1 };
    for (int i = 0; i < 2 * KINDS; i++) {
        /* Where all vertices of a sheet move alike, they leave a bound that does not grow. */
        bool sheet = i >= KINDS;
        pliant_bound_kind bound = (pliant_bound_kind)(i % KINDS);
        rng r;
        rng_seed(&r, 3);
        model_case c = model_case_create(sheet ? MODEL_MODES : MODEL_REDUCED,
                                         sheet ? MODEL_ALIGNED : MODEL_SMOOTH, 1.0, 0.0, 1280, &r);
        pliant_shape *shape = model_case_shape(context, &c, bound, usual_tree);
        pliant_body_def def = pliant_body_default();
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
                assert_ok(pliant_closest_point(query, body, point, INFINITY, &closest));
            }
        }
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

/* T6: pairs of bodies of all kinds, free ones among them, against brute force. */
static void pairs_equal_brute_force(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 4);
    uint64_t pairs = 0;
    for (uint32_t round = 0; round < fixture_count(150); round++) {
        pliant_context *context = create_context((pliant_isa)rng_below(&r, 5));
        pliant_query *query = NULL;
        assert_ok(pliant_query_create(context, &query));
        model_case c[2];
        pliant_shape *shape[2];
        pliant_body *body[2];
        bool spheres = round % 3 == 1; /* two that have them meet by these */
        for (int i = 0; i < 2; i++) {
            model_kind kind = spheres && round % 2 == 1 ? MODEL_RIGID
                              : spheres                 ? rng_below(&r, MODEL_BLENDED)
                                                        : rng_below(&r, MODEL_KINDS);
            c[i] = model_case_create(kind, rng_below(&r, MODEL_TRAITS), 1.0, 0.0, 500, &r);
            pliant_bound_kind bound =
                spheres ? PLIANT_BOUND_SPHERE : rng_below(&r, PLIANT_BOUND_AFFINE + 1);
            pliant_body_def def = pliant_body_default();
            def.update = (pliant_update)rng_below(&r, PLIANT_UPDATE_FRONT + 1);
            def.coherent = rng_below(&r, 2) != 0;
            bool is_free = rng_below(&r, 5) == 0 && !spheres;
            shape[i] = is_free ? fixture_shape(context, &c[i].mesh, usual_tree)
                               : model_case_shape(context, &c[i], bound, usual_tree);
            assert_ok(pliant_body_create(shape[i], &def, &body[i]));
        }
        for (int step = 0; step < 3; step++) {
            for (int i = 0; i < 2; i++) {
                model_case_move(&c[i], &r, step == 1);
                if (pliant_shape_mode_count(shape[i]) + pliant_shape_node_count(shape[i]) > 0) {
                    model_case_set(&c[i], body[i]);
                } else {
                    assert_ok(pliant_body_set_positions(body[i], c[i].positions, 0));
                }
            }
            brute_body a = model_case_brute(&c[0]), b = model_case_brute(&c[1]);
            brute_pairs truth = {0};
            pliant_contacts contacts;
            brute_collide(&a, &b, &truth);
            assert_ok(pliant_collide(query, body[0], body[1], NULL, &contacts));
            assert_true(brute_equal(&truth, &contacts, "bodies with models"));
            pairs += truth.count;
            brute_free(&truth);
        }
        for (int i = 0; i < 2; i++) {
            pliant_body_destroy(body[i]);
            pliant_shape_destroy(shape[i]);
            model_case_destroy(&c[i]);
        }
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
    assert_true(pairs > 0);
}

/* A transform on top of positions. */
static void positions_can_be_moved(void **state)
{
    (void)state;
    pliant_context *context = create_context(PLIANT_ISA_BEST);
    rng r;
    rng_seed(&r, 5);
    model_case c = model_case_create(MODEL_RIGID, MODEL_SMOOTH, 1.0, 0.0, 1280, &r);
    pliant_shape *shape = model_case_shape(context, &c, PLIANT_BOUND_AUTO, usual_tree);
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, NULL, &body));
    size_t count = 3 * (size_t)c.mesh.vertex_count;
    float *given = malloc(count * sizeof *given), *moved = malloc(count * sizeof *moved);
    for (int update = 0; update <= PLIANT_UPDATE_FRONT; update++) {
        assert_ok(pliant_body_set_update(body, (pliant_update)update, 0, 1));
        for (int step = 0; step < 4; step++) {
            /* In the end from far away to the origin, where what was rounded on the way shows. */
            bool back = step == 3;
            for (size_t i = 0; i < count; i++) {
                float wobble = (float)rng_range(&r, -0.1, 0.1);
                given[i] = c.mesh.positions[i] + (back ? 1000.0f : wobble);
            }
            model_case_move(&c, &r, false);
            for (int i = 0; i < 12 && back; i++) {
                c.transforms[i] = i % 4 == 3 ? -1300.0f : i % 5 == 0 ? 1.3f : 0.0f;
            }
            assert_ok(pliant_body_set_positions(body, given, 0));
            assert_ok(pliant_body_set_transforms(body, c.transforms, 1, 0));
            scene_model_evaluate(&c.model, given, c.mesh.vertex_count, NULL, c.transforms, moved);
            assert_ok(pliant_body_evaluate(body, NULL, c.mesh.vertex_count, given));
            assert_memory_equal(given, moved, count * sizeof *given);
            assert_int_equal(containment_of_body(body), 0);
        }
    }
    free(given);
    free(moved);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    model_case_destroy(&c);
    pliant_context_destroy(context);
}

/* A state that is refused leaves the one before. */
static void bad_states_are_refused(void **state)
{
    (void)state;
    pliant_context *context = create_context(PLIANT_ISA_BEST);
    rng r;
    rng_seed(&r, 6);
    model_case c = model_case_create(MODEL_REDUCED, MODEL_SMOOTH, 1.0, 0.0, 320, &r);
    pliant_shape *shape = model_case_shape(context, &c, PLIANT_BOUND_AUTO, usual_tree);
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, NULL, &body));
    model_case_set(&c, body);
    float q[64], t[12];
    uint32_t modes = c.model.mode_count;
    memcpy(q, c.coordinates, modes * sizeof *q);
    memcpy(t, c.transforms, sizeof t);
    assert_int_equal(pliant_body_set_coordinates(body, q, modes - 1), PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "6 coordinates given; the shape has 7 modes"));
    q[3] = NAN;
    assert_int_equal(pliant_body_set_coordinates(body, q, modes), PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "coordinate 3"));
    q[3] = 3e38f;
    assert_int_equal(pliant_body_set_coordinates(body, q, modes), PLIANT_ERROR_RANGE);
    t[6] = INFINITY;
    assert_int_equal(pliant_body_set_transforms(body, t, 1, 0), PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "transform 0: row 1, column 2"));
    memcpy(t, c.transforms, sizeof t);
    for (int i = 0; i < 3; i++) { /* two rows alike */
        t[4 + i] = t[i];
    }
    assert_int_equal(pliant_body_set_transforms(body, t, 1, 0), PLIANT_ERROR_RANGE);
    assert_non_null(strstr(pliant_last_error(), "singular"));
    assert_int_equal(pliant_body_set_transforms(body, t, 2, 0), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_body_set_positions(body, c.positions, 0), PLIANT_ERROR_ARGUMENT);
    size_t bytes = 3 * (size_t)c.mesh.vertex_count * sizeof(float);
    float *positions = malloc(bytes);
    assert_ok(pliant_body_evaluate(body, NULL, c.mesh.vertex_count, positions));
    assert_memory_equal(positions, c.positions, bytes);
    free(positions);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    model_case_destroy(&c);
    pliant_context_destroy(context);
}

/* What a shape refuses, and the sentence it says. */
static void bad_models_are_refused(void **state)
{
    (void)state;
    pliant_context *context = create_context(PLIANT_ISA_BEST);
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t triangle[3] = {0, 1, 2}, offsets[4] = {0, 1, 2, 3}, nodes[3] = {0, 1, 0};
    static const float weights[3] = {1, 1, 1}, negative[3] = {1, -0.5f, 1}, bad[3] = {1, NAN, 1};
    static const uint32_t far_node[3] = {0, 7, 0}, far_vertex[1] = {9}, twice[2] = {1, 1};
    static const uint32_t one[2] = {0, 1}, two[2] = {0, 2};
    float field[9] = {0, 0, 0, 0, INFINITY, 0, 0, 0, 0};
    static const float fine[6] = {1, 2, 3, 4, 5, 6};
    pliant_shape_def base = pliant_shape_default();
    base.positions = corners;
    base.vertex_count = 3;
    base.triangles = triangle;
    base.triangle_count = 1;
    pliant_shape *shape = NULL;
#define REFUSED(result, text, ...)                                                                 \
    do {                                                                                           \
        pliant_shape_def def = base;                                                               \
        __VA_ARGS__;                                                                               \
        assert_int_equal(pliant_shape_create(context, &def, &shape), result);                      \
        assert_null(shape);                                                                        \
        if (strstr(pliant_last_error(), text) == NULL) {                                           \
            fail_msg("\"%s\" does not say \"%s\"", pliant_last_error(), text);                     \
        }                                                                                          \
    } while (0)
#define INFLUENCES(n, w)                                                                           \
    def.influence_offsets = offsets, def.influence_nodes = (n), def.influence_weights = (w),       \
    def.node_count = 2
    REFUSED(PLIANT_ERROR_NOT_FINITE, "mode 0, vertex 1: coordinate y", def.modes = field,
            def.mode_count = 1);
    REFUSED(PLIANT_ERROR_ARGUMENT, "mode_count is 2", def.mode_count = 2);
    REFUSED(PLIANT_ERROR_RANGE, "mode 0 moves vertex 9 of 3", def.modes = fine, def.mode_count = 1,
            def.mode_offsets = one, def.mode_vertices = far_vertex);
    REFUSED(PLIANT_ERROR_ARGUMENT, "mode 0 moves vertex 1 twice", def.modes = fine,
            def.mode_count = 1, def.mode_offsets = two, def.mode_vertices = twice);
    REFUSED(PLIANT_ERROR_RANGE, "vertex 1 is moved by node 7 of 2", INFLUENCES(far_node, weights));
    REFUSED(PLIANT_ERROR_RANGE, "vertex 1: the weight of node 1 is -0.5",
            INFLUENCES(nodes, negative));
    REFUSED(PLIANT_ERROR_NOT_FINITE, "vertex 1: the weight of node 1", INFLUENCES(nodes, bad));
    REFUSED(PLIANT_ERROR_ARGUMENT, "node_count is 2, but there are no influences",
            def.node_count = 2);
    REFUSED(PLIANT_ERROR_TOO_LARGE, "at most 65536", def.node_count = 70000);
    REFUSED(PLIANT_ERROR_RANGE, "error is -1", def.error = -1.0f);
#undef REFUSED
#undef INFLUENCES
    pliant_context_destroy(context);
}

/* Two triangles with an edge in one place, each with vertices of its own there: these are the same
   only if they also move alike. */
static void only_what_moves_alike_is_welded(void **state)
{
    (void)state;
    pliant_context *context = create_context(PLIANT_ISA_BEST);
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
        pliant_shape_def def = pliant_shape_default();
        def.positions = positions;
        def.vertex_count = 6;
        def.triangles = triangles;
        def.triangle_count = 2;
        def.modes = modes;
        def.mode_count = 1;
        def.node_count = unlike == 4 ? 3 : 2;
        def.influence_offsets = offsets;
        def.influence_nodes = moved_by;
        def.influence_weights = weights;
        modes[3 * 3 + 2] = unlike == 1 ? 0.25f : 0.0f; /* vertex 3, as vertex 1 but for this */
        weights[7] = unlike == 2 ? 0.75f : 0.5f;
        weights[6] = unlike == 3 ? 0.0f : 0.5f;
        moved_by[7] = unlike == 4 ? 2 : 1;
        pliant_shape *shape = NULL;
        assert_ok(pliant_shape_create(context, &def, &shape));
        pliant_shape_quality quality;
        assert_ok(pliant_shape_get_quality(shape, &quality));
        assert_int_equal(quality.welded_vertex_count, unlike == 0 ? 4 : 5);
        pliant_shape_destroy(shape);
    }
    pliant_context_destroy(context);
}

/* A block with a model goes out and comes back; an altered one is refused or harmless. */
static void blocks_come_back(void **state)
{
    (void)state;
    pliant_context *context = create_context(PLIANT_ISA_BEST);
    rng r;
    rng_seed(&r, 7);
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        model_case c = model_case_create(kind, MODEL_SPARSE, 1.0, 0.0, 320, &r);
        pliant_shape *shape = model_case_shape(context, &c, PLIANT_BOUND_AUTO, usual_tree);
        pliant_shape *again = NULL;
        uint64_t size = 0;
        assert_ok(pliant_shape_validate(shape));
        assert_ok(pliant_shape_write(shape, NULL, 0, &size));
        unsigned char *block = malloc(size);
        assert_ok(pliant_shape_write(shape, block, size, &size));
        assert_ok(pliant_shape_read(context, block, size, &again));
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
            assert_int_equal(pliant_shape_read(context, block, size, &again), PLIANT_ERROR_DATA);
            block[at] = before;
        }
        /* With a checksum that agrees: what is not finite would be no bound. */
        pli_block_header *forged = aligned_alloc(64, (size_t)size);
        memcpy(forged, block, (size_t)size);
        ((float *)(void *)((char *)forged + forged->offset[PLI_SECTION_ROW_VALUES]))[0] = NAN;
        pli_block_seal(forged);
        assert_int_equal(pliant_shape_read(context, forged, size, &again), PLIANT_ERROR_DATA);
        free(forged);
        free(block);
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluation_is_as_defined),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(bounds_hold_far_out),
        cmocka_unit_test(rows_are_of_the_kind_that_pays),
        cmocka_unit_test(coherent_bounds_hold),
        cmocka_unit_test(pairs_equal_brute_force),
        cmocka_unit_test(positions_can_be_moved),
        cmocka_unit_test(bad_states_are_refused),
        cmocka_unit_test(bad_models_are_refused),
        cmocka_unit_test(blocks_come_back),
        cmocka_unit_test(only_what_moves_alike_is_welded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
