/* Attaching a surface to simulation nodes: weights from kernels, transforms from gradients. */
#include "fixture.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/attach.h"
#include "pliant/body.h"

enum { NODES = 40, VERTICES = 300 };

typedef struct attachment {
    float nodes[3 * NODES], radii[NODES], vertices[3 * VERTICES];
    pliant_attach_def def;
} attachment;

/* Nodes and vertices in a cube; radii that reach every vertex. */
static void attachment_make(attachment *a, rng *r)
{
    for (int i = 0; i < 3 * NODES; i++) {
        a->nodes[i] = (float)rng_range(r, -1.0, 1.0);
    }
    for (int i = 0; i < NODES; i++) {
        a->radii[i] = (float)rng_range(r, 1.2, 2.0);
    }
    for (int i = 0; i < 3 * VERTICES; i++) {
        a->vertices[i] = (float)rng_range(r, -1.0, 1.0);
    }
    a->def = pliant_attach_def_default();
    a->def.joint_positions = a->nodes;
    a->def.joint_radii = a->radii;
    a->def.joint_count = NODES;
    a->def.positions = a->vertices;
    a->def.vertex_count = VERTICES;
}

typedef struct influences {
    uint32_t offsets[VERTICES + 1], nodes[NODES * VERTICES];
    float weights[NODES * VERTICES];
    uint64_t count;
} influences;

static influences *influences_of(const attachment *a)
{
    influences *found = calloc(1, sizeof *found);
    assert_non_null(found);
    assert_ok(pliant_attach_vertices(&a->def, found->offsets, found->nodes, found->weights,
                                     NODES * VERTICES, &found->count));
    return found;
}

/* (1 - (d / r)^2)^3, written another way. */
static double expected_kernel(const attachment *a, uint32_t v, uint32_t j)
{
    double square = 0.0;
    for (uint32_t k = 0; k < 3; k++) {
        square += pow((double)a->vertices[3 * v + k] - (double)a->nodes[3 * j + k], 2.0);
    }
    double ratio = sqrt(square) / (double)a->radii[j];
    return ratio < 1.0 ? pow(1.0 - ratio * ratio, 3.0) : 0.0;
}

static void weights_follow_the_kernel(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 1);
    for (uint32_t round = 0; round < fixture_count(20); round++) {
        attachment a;
        attachment_make(&a, &r);
        influences *found = influences_of(&a);
        uint64_t reached = 0;
        assert_int_equal(found->offsets[0], 0);
        for (uint32_t v = 0; v < VERTICES; v++) {
            double sum = 0.0, total = 0.0;
            uint32_t at = found->offsets[v];
            for (uint32_t j = 0; j < NODES; j++) {
                sum += expected_kernel(&a, v, j);
            }
            for (uint32_t j = 0; j < NODES; j++) {
                double expected = expected_kernel(&a, v, j) / sum;
                if (expected < 1e-12) {
                    at += at < found->offsets[v + 1] && found->nodes[at] == j;
                    continue;
                }
                assert_true(at < found->offsets[v + 1]);
                assert_int_equal(found->nodes[at], j);
                assert_true(fabs((double)found->weights[at] - expected) <= 1e-7);
                total += (double)found->weights[at++];
                reached++;
            }
            assert_int_equal(at, found->offsets[v + 1]);
            assert_true(fabs(total - 1.0) <= 1e-6);
        }
        assert_int_equal(found->offsets[VERTICES], found->count);
        assert_true(reached > VERTICES); /* otherwise nothing was blended */
        free(found);
    }
}

static void count_comes_without_arrays(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 2);
    attachment a;
    attachment_make(&a, &r);
    influences *found = influences_of(&a);
    uint64_t count = 0;
    assert_ok(pliant_attach_vertices(&a.def, NULL, NULL, NULL, 0, &count));
    assert_int_equal(count, found->count);
    /* Just enough room is enough, and one less is an error. */
    assert_ok(pliant_attach_vertices(&a.def, found->offsets, found->nodes, found->weights, count,
                                     &found->count));
    assert_int_equal(pliant_attach_vertices(&a.def, found->offsets, found->nodes, found->weights,
                                            count - 1, &found->count),
                     PLIANT_ERROR_RANGE);
    free(found);
}

static void strides_are_followed(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 3);
    attachment a;
    attachment_make(&a, &r);
    influences *dense = influences_of(&a);
    float nodes[5 * NODES], vertices[4 * VERTICES];
    for (int i = 0; i < NODES; i++) {
        memcpy(nodes + 5 * i, a.nodes + 3 * i, 3 * sizeof(float));
    }
    for (int i = 0; i < VERTICES; i++) {
        memcpy(vertices + 4 * i, a.vertices + 3 * i, 3 * sizeof(float));
    }
    a.def.joint_positions = nodes;
    a.def.joint_stride = 5 * sizeof(float);
    a.def.positions = vertices;
    a.def.position_stride = 4 * sizeof(float);
    influences *strided = influences_of(&a);
    assert_memory_equal(strided, dense, sizeof *dense);
    free(dense);
    free(strided);
}

static void stray_vertices_are_named_or_attached(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 4);
    attachment a;
    attachment_make(&a, &r);
    a.vertices[3 * 17] = 50.0f;
    a.vertices[3 * 200 + 1] = -50.0f;
    uint64_t count = 0;
    assert_int_equal(pliant_attach_vertices(&a.def, NULL, NULL, NULL, 0, &count),
                     PLIANT_ERROR_RANGE);
    assert_non_null(strstr(pliant_last_error(), "vertex 17:"));
    a.def.attach_to_nearest = true;
    influences *found = influences_of(&a);
    static const uint32_t strays[2] = {17, 200};
    for (int i = 0; i < 2; i++) {
        uint32_t v = strays[i], nearest = 0;
        double least = (double)INFINITY;
        for (uint32_t j = 0; j < NODES; j++) {
            double square = 0.0;
            for (uint32_t k = 0; k < 3; k++) {
                square += pow((double)a.vertices[3 * v + k] - (double)a.nodes[3 * j + k], 2.0);
            }
            nearest = square < least ? j : nearest;
            least = fmin(least, square);
        }
        assert_int_equal(found->offsets[v + 1] - found->offsets[v], 1);
        assert_int_equal(found->nodes[found->offsets[v]], nearest);
        assert_true(found->weights[found->offsets[v]] == 1.0f);
    }
    free(found);
}

static void assert_refused(const attachment *a, pliant_result result, const char *named)
{
    uint64_t count = 12345;
    assert_int_equal(pliant_attach_vertices(&a->def, NULL, NULL, NULL, 0, &count), result);
    assert_non_null(strstr(pliant_last_error(), named));
    assert_int_equal(count, 12345);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 5);
    attachment a;
    attachment_make(&a, &r);
    attachment b = a;
    b.def.tag = 0;
    assert_refused(&b, PLIANT_ERROR_ARGUMENT, "pliant_attach_def_default");
    b.def = a.def;
    b.def.joint_radii = NULL;
    assert_refused(&b, PLIANT_ERROR_ARGUMENT, "joint_radii");
    b.def = a.def;
    b.def.joint_count = 0;
    assert_refused(&b, PLIANT_ERROR_RANGE, "0 joints");
    b.def = a.def;
    b.def.joint_count = 65537;
    assert_refused(&b, PLIANT_ERROR_TOO_LARGE, "65537 joints");
    b.def = a.def;
    b.def.position_stride = 10;
    assert_refused(&b, PLIANT_ERROR_RANGE, "position_stride");
    b.def = a.def;
    b.def.joint_radii = b.radii;
    b.radii[7] = 0.0f;
    assert_refused(&b, PLIANT_ERROR_RANGE, "joint 7");
    b.radii[7] = NAN;
    assert_refused(&b, PLIANT_ERROR_NOT_FINITE, "joint 7");
    a.vertices[3 * 21 + 2] = INFINITY;
    assert_refused(&a, PLIANT_ERROR_NOT_FINITE, "vertex 21: coordinate z");
}

static void transforms_follow_displacement_and_gradient(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 6);
    for (uint32_t round = 0; round < fixture_count(1000); round++) {
        float reference[3], displacement[3], gradient[9], transform[12], point[3];
        for (int i = 0; i < 3; i++) {
            reference[i] = (float)rng_range(&r, -2.0, 2.0);
            displacement[i] = (float)rng_range(&r, -2.0, 2.0);
            point[i] = (float)rng_range(&r, -2.0, 2.0);
        }
        for (int i = 0; i < 9; i++) {
            gradient[i] = (float)rng_range(&r, -2.0, 2.0);
        }
        assert_ok(pliant_compute_joint_transform(reference, displacement, gradient, transform));
        for (int k = 0; k < 3; k++) {
            /* x + u + grad(u)^T (x - X), the paper's equation 2 for one node. */
            double expected = (double)point[k] + (double)displacement[k];
            double found = (double)transform[4 * k + 3];
            for (int i = 0; i < 3; i++) {
                expected += (double)gradient[3 * i + k] * ((double)point[i] - (double)reference[i]);
                found += (double)transform[4 * k + i] * (double)point[i];
            }
            assert_true(fabs(expected - found) <= 4e-6);
        }
    }
    float zero[9] = {0}, bad[3] = {0.0f, NAN, 0.0f}, transform[12], place[3] = {3e38f, 0.0f, 0.0f};
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    assert_ok(pliant_compute_joint_transform(place, zero, zero, transform));
    for (int i = 0; i < 12; i++) {
        assert_true(transform[i] == identity[i]);
    }
    assert_int_equal(pliant_compute_joint_transform(zero, bad, zero, transform),
                     PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "displacement"));
    zero[0] = 3e38f;
    assert_int_equal(pliant_compute_joint_transform(place, place, zero, transform),
                     PLIANT_ERROR_RANGE);
}

/* A surface attached to nodes that all move alike moves with them. */
static void attached_surfaces_follow_their_nodes(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 7);
    attachment a;
    attachment_make(&a, &r);
    influences *found = influences_of(&a);
    uint32_t triangles[3 * (VERTICES / 3)];
    for (uint32_t i = 0; i < VERTICES; i++) {
        triangles[i] = i;
    }
    pliant_context *context = NULL;
    pliant_context_def context_def = pliant_context_def_default();
    assert_ok(pliant_context_create(&context_def, &context));
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = a.vertices;
    def.vertex_count = VERTICES;
    def.triangles = triangles;
    def.triangle_count = VERTICES / 3;
    def.joint_count = NODES;
    def.influence_offsets = found->offsets;
    def.influence_joints = found->nodes;
    def.influence_weights = found->weights;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    /* u(x) = (0.5 y + 1, 0, -x), the same affine displacement as every node sees it. */
    static const float gradient[9] = {0, 0, -1, 0.5f, 0, 0, 0, 0, 0};
    float transforms[12 * NODES], positions[3 * VERTICES];
    for (int j = 0; j < NODES; j++) {
        const float *place = a.nodes + 3 * j;
        float displacement[3] = {0.5f * place[1] + 1.0f, 0.0f, -place[0]};
        assert_ok(
            pliant_compute_joint_transform(place, displacement, gradient, transforms + 12 * j));
    }
    assert_ok(pliant_body_set_transforms(body, transforms, NODES, 0));
    assert_ok(pliant_body_evaluate(body, NULL, VERTICES, positions));
    for (int v = 0; v < VERTICES; v++) {
        const float *rest = a.vertices + 3 * v, *now = positions + 3 * v;
        assert_true(fabsf(now[0] - (rest[0] + 0.5f * rest[1] + 1.0f)) < 1e-5f);
        assert_true(fabsf(now[1] - rest[1]) < 1e-5f);
        assert_true(fabsf(now[2] - (rest[2] - rest[0])) < 1e-5f);
    }
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_follow_the_kernel),
        cmocka_unit_test(count_comes_without_arrays),
        cmocka_unit_test(strides_are_followed),
        cmocka_unit_test(stray_vertices_are_named_or_attached),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(transforms_follow_displacement_and_gradient),
        cmocka_unit_test(attached_surfaces_follow_their_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
