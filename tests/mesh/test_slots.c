/*
 * What engines hand over: tables of joints and weights in every type, and triangles of 16 bits,
 * give the same block as lists and triangles of 32 bits; what is wrong is named.
 */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { VERTICES = 300, TRIANGLES = 500, JOINTS = 200, SLOTS = 5 };

/* A soup with a table in the widest types, and the same as lists. */
typedef struct table_case {
    float positions[3 * VERTICES];
    uint32_t triangles[3 * TRIANGLES];
    uint32_t joints[SLOTS * VERTICES];
    uint32_t shares[SLOTS * VERTICES]; /* of the weights' largest integer, if they are integers */
    float weights[SLOTS * VERTICES];
    uint32_t offsets[VERTICES + 1], list_joints[SLOTS * VERTICES];
    float list_weights[SLOTS * VERTICES];
} table_case;

/* The float32 number nearest to u / most: none beside it is nearer. Products of 24 and 16 bits are
   exact in double. */
static float nearest_share(uint32_t u, uint32_t most)
{
    float weight = (float)((double)u / most);
    float best = weight;
    float beside[2] = {nextafterf(weight, -INFINITY), nextafterf(weight, INFINITY)};
    for (int i = 0; i < 2; i++) {
        if (fabs((double)beside[i] * most - u) < fabs((double)best * most - u)) {
            best = beside[i];
        }
    }
    return best;
}

static void fill_lists(table_case *c)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < VERTICES; v++) {
        c->offsets[v] = count;
        for (uint32_t s = SLOTS * v; s < SLOTS * (v + 1); s++) {
            if (c->weights[s] > 0.0f) {
                c->list_joints[count] = c->joints[s];
                c->list_weights[count++] = c->weights[s];
            }
        }
    }
    c->offsets[VERTICES] = count;
}

/* Weights are whole multiples of 1 / most; for float32 `most` is 0 and they are any. A third of the
   slots is empty, with joints that are out of range where the type can say so. */
static void fill_case(table_case *c, uint32_t most, rng *r)
{
    for (uint32_t i = 0; i < 3 * VERTICES; i++) {
        c->positions[i] = (float)rng_range(r, -1.0, 1.0);
    }
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++) {
        c->triangles[i] = (uint32_t)rng_below(r, VERTICES);
    }
    for (uint32_t s = 0; s < SLOTS * VERTICES; s++) {
        bool empty = rng_below(r, 3) == 0;
        c->joints[s] = empty ? 255 : (uint32_t)rng_below(r, JOINTS);
        c->shares[s] = empty ? 0 : 1 + (uint32_t)rng_below(r, most > 0 ? most : 1);
        c->weights[s] = empty      ? 0.0f
                        : most > 0 ? nearest_share(c->shares[s], most)
                                   : (float)rng_range(r, 0.1, 3.0);
    }
    fill_lists(c);
}

static pliant_shape_def define(const table_case *c)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = c->positions;
    def.triangles = c->triangles;
    def.vertex_count = VERTICES;
    def.triangle_count = TRIANGLES;
    def.joint_count = JOINTS;
    return def;
}

static pliant_shape_def define_lists(const table_case *c)
{
    pliant_shape_def def = define(c);
    def.influence_offsets = c->offsets;
    def.influence_joints = c->list_joints;
    def.influence_weights = c->list_weights;
    return def;
}

static pliant_shape_def define_table(const table_case *c)
{
    pliant_shape_def def = define(c);
    def.slot_count = SLOTS;
    def.slot_joint_type = PLIANT_NUMBER_UINT32;
    def.slot_joints = c->joints;
    def.slot_weights = c->weights;
    return def;
}

/* The block of a shape; free() it. */
static void *write_shape(const pliant_shape_def *def, uint64_t *size)
{
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(test_context, def, &shape));
    assert_ok(pliant_shape_write(shape, NULL, 0, size));
    void *block = malloc((size_t)*size);
    assert_ok(pliant_shape_write(shape, block, *size, size));
    pliant_shape_destroy(shape);
    return block;
}

static void assert_same_blocks(const pliant_shape_def *a, const pliant_shape_def *b)
{
    uint64_t sizes[2];
    void *blocks[2] = {write_shape(a, &sizes[0]), write_shape(b, &sizes[1])};
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(blocks[0], blocks[1], (size_t)sizes[0]);
    free(blocks[0]);
    free(blocks[1]);
}

static size_t size_of(pliant_number type)
{
    return type == PLIANT_NUMBER_UINT8 ? 1 : type == PLIANT_NUMBER_UINT16 ? 2 : 4;
}

/* Writes numbers in a type, `width` to a row; bytes between rows are 0xff. */
static void pack(const uint32_t *numbers, uint32_t width, uint32_t rows, pliant_number type,
                 size_t stride, char *out)
{
    memset(out, 0xff, rows * stride);
    for (uint32_t i = 0; i < width * rows; i++) {
        char *at = out + i / width * stride + i % width * size_of(type);
        uint8_t byte = (uint8_t)numbers[i];
        uint16_t half = (uint16_t)numbers[i];
        const void *from = type == PLIANT_NUMBER_UINT8    ? (const void *)&byte
                           : type == PLIANT_NUMBER_UINT16 ? (const void *)&half
                                                          : &numbers[i];
        memcpy(at, from, size_of(type));
    }
}

static void tables_equal_lists(void **state)
{
    (void)state;
    static const pliant_number weight_types[] = {PLIANT_NUMBER_UINT8, PLIANT_NUMBER_UINT16,
                                                 PLIANT_NUMBER_FLOAT32};
    static const uint32_t most[] = {255, 65535, 0};
    table_case *c = malloc(sizeof *c);
    char *joints = malloc((4 * SLOTS + 16) * VERTICES);
    char *weights = malloc((4 * SLOTS + 16) * VERTICES);
    rng r;
    rng_seed(&r, 31);
    for (uint32_t i = 0; i < 36; i++) {
        uint32_t w = i % 3;
        pliant_number joint_type = (pliant_number)(i / 3 % 3), weight_type = weight_types[w];
        fill_case(c, most[w], &r);
        pliant_shape_def def = define_table(c), lists = define_lists(c);
        lists.normalise_weights = def.normalise_weights = i % 2 == 0;
        def.slot_joint_type = joint_type;
        def.slot_weight_type = weight_type;
        /* Packed, or with the same or different gaps between vertices. */
        size_t gap = i / 9 * 4, joint_stride = SLOTS * size_of(joint_type) + gap;
        size_t weight_stride = SLOTS * size_of(weight_type) + gap / 4 * size_of(weight_type);
        uint32_t bits[SLOTS * VERTICES];
        memcpy(bits, c->weights, sizeof bits);
        pack(c->joints, SLOTS, VERTICES, joint_type, joint_stride, joints);
        pack(w == 2 ? bits : c->shares, SLOTS, VERTICES, weight_type, weight_stride, weights);
        def.slot_joints = joints;
        def.slot_weights = weights;
        def.slot_joint_stride = gap == 0 ? 0 : joint_stride;
        def.slot_weight_stride = gap == 0 ? 0 : weight_stride;
        assert_same_blocks(&def, &lists);
    }
    free(joints);
    free(weights);
    free(c);
}

/* Every value of 8 and of 16 bits, as the weight of one vertex. */
static void shares_are_rounded_once(void **state)
{
    (void)state;
    static const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t triangle[3] = {0, 1, 2};
    static const uint16_t joints[3] = {0, 0, 0};
    const float turned[12] = {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0}; /* (1, 0, 0) becomes 2 */
    for (uint32_t u = 0; u <= 65535 + 256; u++) {
        bool wide = u > 255;
        uint32_t share = wide ? u - 256 : u;
        if (wide && u % 7 != 0 && fixture_scale() < 1.0) {
            continue;
        }
        uint8_t bytes[3] = {255, (uint8_t)share, 255};
        uint16_t halves[3] = {65535, (uint16_t)share, 65535};
        pliant_shape_def def = pliant_shape_def_default();
        def.positions = positions;
        def.triangles = triangle;
        def.vertex_count = 3;
        def.triangle_count = 1;
        def.joint_count = 1;
        def.slot_count = 1;
        def.slot_joints = joints;
        def.slot_weight_type = wide ? PLIANT_NUMBER_UINT16 : PLIANT_NUMBER_UINT8;
        def.slot_weights = wide ? (const void *)halves : bytes;
        def.normalise_weights = false;
        pliant_shape *shape = NULL;
        pliant_body *body = NULL;
        float x[9];
        assert_ok(pliant_shape_create(test_context, &def, &shape));
        assert_ok(pliant_body_create(shape, NULL, &body));
        assert_ok(pliant_body_set_transforms(body, turned, 1, 0));
        assert_ok(pliant_body_evaluate(body, NULL, 3, x));
        assert_true(x[3] == 2.0f * nearest_share(share, wide ? 65535 : 255));
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
    }
}

static void short_triangles_equal_long_ones(void **state)
{
    (void)state;
    table_case *c = malloc(sizeof *c);
    char *packed = malloc(16 * TRIANGLES);
    rng r;
    rng_seed(&r, 32);
    fill_case(c, 0, &r);
    for (size_t stride = 6; stride <= 14; stride += 4) {
        pliant_shape_def def = define_table(c), expected = define_lists(c);
        pack(c->triangles, 3, TRIANGLES, PLIANT_NUMBER_UINT16, stride, packed);
        def.triangles = NULL;
        def.triangles16 = (const uint16_t *)(const void *)packed;
        def.triangle_stride = stride == 6 ? 0 : stride;
        assert_same_blocks(&def, &expected);
    }
    free(packed);
    free(c);
}

/* Creating a shape fails with this result and a sentence that has the text in it. */
static void assert_fails(const pliant_shape_def *def, pliant_result result, const char *text)
{
    pliant_shape *shape = NULL;
    assert_int_equal(pliant_shape_create(test_context, def, &shape), result);
    assert_null(shape);
    if (strstr(pliant_last_error(), text) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", text, pliant_last_error());
    }
}

static void offenders_are_named(void **state)
{
    (void)state;
    table_case *c = malloc(sizeof *c);
    rng r;
    rng_seed(&r, 33);
    fill_case(c, 0, &r);
    pliant_shape_def whole = define_table(c), def = whole;
    uint32_t at = 7 * SLOTS + 3; /* vertex 7, slot 3 */
    c->joints[at] = JOINTS;
    c->weights[at] = 0.0f;
    pliant_shape *shape = NULL; /* an empty slot may have any joint */
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    pliant_shape_destroy(shape);
    c->weights[at] = 0x1p-149f;
    assert_fails(&def, PLIANT_ERROR_RANGE, "vertex 7, slot 3: joint 200 of 200");
    c->joints[at] = 0;
    c->weights[at] = -0x1p-149f;
    assert_fails(&def, PLIANT_ERROR_RANGE, "vertex 7, slot 3: the weight is -1.4");
    c->weights[at] = NAN;
    assert_fails(&def, PLIANT_ERROR_NOT_FINITE, "vertex 7, slot 3: the weight is ");
    c->weights[at] = INFINITY;
    assert_fails(&def, PLIANT_ERROR_NOT_FINITE, "vertex 7, slot 3: the weight is inf");
    c->weights[at] = 1.0f;
    def.slot_joints = NULL;
    assert_fails(&def, PLIANT_ERROR_ARGUMENT, "slot_joints or slot_weights is NULL");
    def = whole;
    def.influence_offsets = c->offsets;
    assert_fails(&def, PLIANT_ERROR_ARGUMENT, "given twice");
    def = whole;
    def.slot_joint_type = PLIANT_NUMBER_FLOAT32;
    assert_fails(&def, PLIANT_ERROR_RANGE, "slot_joint_type is 3");
    def = whole;
    def.slot_weight_type = PLIANT_NUMBER_UINT32;
    assert_fails(&def, PLIANT_ERROR_RANGE, "slot_weight_type is 2");
    def.slot_weight_type = (pliant_number)4;
    assert_fails(&def, PLIANT_ERROR_RANGE, "slot_weight_type is 4");
    def = whole;
    def.slot_joint_stride = 4 * SLOTS - 4;
    assert_fails(&def, PLIANT_ERROR_RANGE, "slot_joint_stride is 16");
    def = whole;
    def.slot_weight_stride = 4 * SLOTS + 2;
    assert_fails(&def, PLIANT_ERROR_RANGE, "slot_weight_stride is 22");
    def = whole;
    def.slot_count = 65537;
    assert_fails(&def, PLIANT_ERROR_TOO_LARGE, "slot_count is 65537");
    def = whole;
    def.joint_count = 0;
    assert_fails(&def, PLIANT_ERROR_RANGE, "of 0");
    free(c);
}

static void wrong_triangles_and_skinnings_are_refused(void **state)
{
    (void)state;
    table_case *c = malloc(sizeof *c);
    uint16_t triangles[3] = {0, 1, VERTICES};
    rng r;
    rng_seed(&r, 34);
    fill_case(c, 0, &r);
    pliant_shape_def whole = define_table(c), def = whole;
    def.triangle_count = 1;
    def.triangles16 = triangles;
    assert_fails(&def, PLIANT_ERROR_ARGUMENT, "only one");
    def.triangles = NULL;
    assert_fails(&def, PLIANT_ERROR_RANGE, "triangle 0 uses vertex 300 of 300");
    def.triangle_stride = 4;
    assert_fails(&def, PLIANT_ERROR_RANGE, "triangle_stride is 4");
    def.triangle_stride = 7;
    assert_fails(&def, PLIANT_ERROR_RANGE, "triangle_stride is 7");
    def.triangles16 = NULL;
    assert_fails(&def, PLIANT_ERROR_ARGUMENT, "only one");
    def = whole;
    def.skinning = PLIANT_SKINNING_DUAL_QUATERNION;
    assert_fails(&def, PLIANT_ERROR_RANGE, "PLIANT_SKINNING_DUAL_QUATERNION");
    def.skinning = (pliant_skinning)2;
    assert_fails(&def, PLIANT_ERROR_RANGE, "skinning is 2");
    free(c);
}

/* Whichever allocation fails, nothing is left. */
static void failing_memory_leaves_nothing(void **state)
{
    (void)state;
    table_case *c = malloc(sizeof *c);
    rng r;
    rng_seed(&r, 35);
    fill_case(c, 0, &r);
    pliant_shape_def def = define_table(c);
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    uint64_t live = allocator.live, failures = 0;
    pliant_result result = PLIANT_ERROR_OUT_OF_MEMORY;
    for (uint64_t i = 1; result != PLIANT_OK; i++) {
        pliant_shape *shape = NULL;
        allocator.fail_at = allocator.calls + i;
        result = pliant_shape_create(context, &def, &shape);
        assert_true(result == PLIANT_OK || result == PLIANT_ERROR_OUT_OF_MEMORY);
        failures += result != PLIANT_OK;
        pliant_shape_destroy(shape);
        assert_int_equal(allocator.live, live);
    }
    assert_true(failures > 10);
    allocator.fail_at = 0;
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_equal_lists),
        cmocka_unit_test(shares_are_rounded_once),
        cmocka_unit_test(short_triangles_equal_long_ones),
        cmocka_unit_test(offenders_are_named),
        cmocka_unit_test(wrong_triangles_and_skinnings_are_refused),
        cmocka_unit_test(failing_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
