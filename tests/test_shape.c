/* Shapes: what is refused, what is known of a mesh, and the block written and read back. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "shape/shape.h"

static pliant_context *context;

static int set_up(void **state)
{
    (void)state;
    return pliant_context_create(NULL, &context) == PLIANT_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pliant_context_destroy(context);
    return 0;
}

/* A tetrahedron; tests change copies of it. */
static const float tetrahedron[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t tetrahedron_faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static pliant_shape_def tetrahedron_def(void)
{
    pliant_shape_def def = pliant_shape_default();
    def.positions = tetrahedron;
    def.vertex_count = 4;
    def.triangles = tetrahedron_faces;
    def.triangle_count = 4;
    return def;
}

static void expect_refused(const pliant_shape_def *def, pliant_result expected, const char *part)
{
    pliant_shape *shape = (pliant_shape *)(uintptr_t)1;
    pliant_result result = pliant_shape_create(context, def, &shape);
    assert_int_equal(result, expected);
    assert_ptr_equal(shape, (void *)(uintptr_t)1); /* outputs untouched */
    if (strstr(pliant_last_error(), part) == NULL) {
        fail_msg("'%s' does not say '%s'", pliant_last_error(), part);
    }
}

static void bad_definitions_are_refused(void **state)
{
    (void)state;
    pliant_shape_def def = tetrahedron_def();
    def.cookie = 0;
    expect_refused(&def, PLIANT_ERROR_ARGUMENT, "pliant_shape_default");
    def = tetrahedron_def();
    def.positions = NULL;
    expect_refused(&def, PLIANT_ERROR_ARGUMENT, "positions");
    def = tetrahedron_def();
    def.triangle_count = 0;
    expect_refused(&def, PLIANT_ERROR_RANGE, "0 given");
    def = tetrahedron_def();
    def.vertex_count = 0;
    expect_refused(&def, PLIANT_ERROR_RANGE, "0 and 4");
    def = tetrahedron_def();
    def.vertex_count = UINT32_MAX;
    expect_refused(&def, PLIANT_ERROR_TOO_LARGE, "4294967295 vertices");
    def = tetrahedron_def();
    def.triangle_count = UINT32_MAX;
    expect_refused(&def, PLIANT_ERROR_TOO_LARGE, "4294967295 triangles");
    def = tetrahedron_def();
    def.position_stride = SIZE_MAX / 4 * 4;
    expect_refused(&def, PLIANT_ERROR_TOO_LARGE, "position");
    def = tetrahedron_def();
    def.position_stride = 8;
    expect_refused(&def, PLIANT_ERROR_RANGE, "position_stride is 8");
    def = tetrahedron_def();
    def.arity = 3;
    expect_refused(&def, PLIANT_ERROR_RANGE, "arity is 3");
    def = tetrahedron_def();
    def.leaf_size = 9;
    expect_refused(&def, PLIANT_ERROR_RANGE, "leaf_size is 9");
    def = tetrahedron_def();
    def.partition = (pliant_partition)77;
    expect_refused(&def, PLIANT_ERROR_RANGE, "partition is 77");
}

static void offenders_are_named(void **state)
{
    (void)state;
    scene_settings settings = {.triangles = 320, .seed = 1};
    scene_instance *scene = scene_create(&scene_spheres, &settings);
    scene_mesh *mesh = &scene->bodies[0];
    pliant_shape_def def = pliant_shape_default();
    def.positions = mesh->positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    mesh->positions[3 * 7 + 1] = NAN;
    expect_refused(&def, PLIANT_ERROR_NOT_FINITE, "vertex 7: coordinate y");
    mesh->positions[3 * 7 + 1] = -INFINITY;
    expect_refused(&def, PLIANT_ERROR_NOT_FINITE, "vertex 7: coordinate y");
    mesh->positions[3 * 7 + 1] = 0.5f;
    mesh->triangles[3 * 17 + 2] = 4012;
    expect_refused(&def, PLIANT_ERROR_RANGE, "triangle 17 uses vertex 4012 of 162");
    scene_destroy(scene);
}

static pliant_shape_quality quality_of(const pliant_shape *shape)
{
    pliant_shape_quality quality;
    assert_ok(pliant_shape_get_quality(shape, &quality));
    return quality;
}

static void closedness_is_found(void **state)
{
    (void)state;
    pliant_shape_def def = tetrahedron_def();
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_true(pliant_shape_is_closed(shape));
    assert_int_equal(quality_of(shape).component_count, 1);
    pliant_shape_destroy(shape);

    def.triangle_count = 3;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_false(pliant_shape_is_closed(shape));
    assert_int_equal(quality_of(shape).open_edge_count, 3);
    pliant_shape_destroy(shape);

    uint32_t flipped[12];
    memcpy(flipped, tetrahedron_faces, sizeof flipped);
    flipped[0] = tetrahedron_faces[1];
    flipped[1] = tetrahedron_faces[0];
    def = tetrahedron_def();
    def.triangles = flipped;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_false(pliant_shape_is_closed(shape));
    pliant_shape_destroy(shape);
}

static void seams_are_welded(void **state)
{
    (void)state;
    /* The tetrahedron with three vertices of its own for every face, some zeros negative. */
    float soup[36];
    uint32_t faces[12];
    for (uint32_t i = 0; i < 12; i++) {
        memcpy(soup + 3 * (size_t)i, tetrahedron + 3 * (size_t)tetrahedron_faces[i], 12);
        faces[i] = i;
    }
    for (int i = 0; i < 18; i++) {
        soup[i] = soup[i] == 0.0f ? -0.0f : soup[i];
    }
    pliant_shape_def def = tetrahedron_def();
    def.positions = soup;
    def.vertex_count = 12;
    def.triangles = faces;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_true(pliant_shape_is_closed(shape));
    assert_int_equal(quality_of(shape).welded_vertex_count, 4);
    pliant_shape_destroy(shape);
    def.weld = false;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_false(pliant_shape_is_closed(shape));
    assert_int_equal(quality_of(shape).welded_vertex_count, 12);
    assert_int_equal(quality_of(shape).component_count, 4);
    pliant_shape_destroy(shape);
}

static void odd_triangles_are_counted(void **state)
{
    (void)state;
    const float positions[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 9, 9, 9, 0, 0, 1};
    /* One good one, it again in another order, a sliver on a line, one point thrice. */
    const uint32_t faces[15] = {0, 1, 2, 2, 0, 1, 0, 1, 3, 5, 5, 5, 0, 1, 5};
    pliant_shape_def def = pliant_shape_default();
    def.positions = positions;
    def.vertex_count = 6;
    def.triangles = faces;
    def.triangle_count = 5;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(context, &def, &shape));
    pliant_shape_quality quality = quality_of(shape);
    assert_int_equal(quality.duplicate_triangle_count, 1);
    assert_int_equal(quality.degenerate_triangle_count, 2);
    assert_int_equal(quality.unused_vertex_count, 1);
    assert_false(pliant_shape_is_closed(shape));
    pliant_shape_destroy(shape);
}

static pliant_shape *sphere_shape(uint32_t triangles, fixture_tree tree)
{
    scene_settings settings = {.triangles = triangles, .seed = 1};
    scene_instance *scene = scene_create(&scene_spheres, &settings);
    pliant_shape *shape = fixture_shape(context, &scene->bodies[0], tree);
    scene_destroy(scene);
    return shape;
}

/* The triangles of a range of clusters must hang together by edges. */
static void check_connected(const pliant_shape *shape, uint32_t first_cluster, uint32_t clusters)
{
    uint32_t joined = 1, triangles = 0;
    bool *inside = calloc(shape->triangle_count, sizeof *inside);
    bool *reached = calloc(shape->triangle_count, sizeof *reached);
    uint32_t seed = UINT32_MAX;
    for (uint32_t c = first_cluster; c < first_cluster + clusters; c++) {
        const pli_cluster *cluster = &shape->clusters[c];
        for (uint32_t s = 0; s < cluster->slot_count; s++) {
            if (cluster->live >> s & 1) {
                uint32_t t = shape->slot_triangles[cluster->first_slot + s];
                inside[t] = true;
                seed = seed == UINT32_MAX ? t : seed;
                triangles++;
            }
        }
    }
    reached[seed] = true;
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t t = 0; t < shape->triangle_count; t++) {
            for (uint32_t u = 0; inside[t] && !reached[t] && u < shape->triangle_count; u++) {
                int common = 0;
                for (int i = 0; i < 9 && reached[u]; i++) {
                    common += shape->triangles[3 * t + (uint32_t)i / 3] ==
                              shape->triangles[3 * u + (uint32_t)i % 3];
                }
                if (common >= 2) {
                    reached[t] = grew = true;
                    joined++;
                }
            }
        }
    }
    assert_int_equal(joined, triangles);
    free(inside);
    free(reached);
}

static void connectivity_subtrees_are_connected(void **state)
{
    (void)state;
    for (uint32_t arity = 2; arity <= 8; arity *= 2) {
        pliant_shape *shape =
            sphere_shape(320, (fixture_tree){PLIANT_PARTITION_CONNECTIVITY, arity, 4});
        for (uint32_t n = 0; n < shape->node_count; n++) {
            for (uint32_t i = 0; i < shape->nodes[n].child_count; i++) {
                uint32_t first = shape->nodes[n].child[i], last = first;
                while (!(first & PLI_CLUSTER_BIT)) {
                    first = shape->nodes[first].child[0];
                }
                while (!(last & PLI_CLUSTER_BIT)) {
                    last = shape->nodes[last].child[shape->nodes[last].child_count - 1];
                }
                check_connected(shape, first & ~PLI_CLUSTER_BIT, last - first + 1);
            }
        }
        pliant_shape_destroy(shape);
    }
}

/* Coincident midpoints, one point a thousand times, and a fan of triangles around one edge. */
static void contrived_meshes_terminate(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    float *positions = malloc((COUNT + 2) * 3 * sizeof *positions);
    uint32_t *faces = malloc(3 * COUNT * sizeof *faces);
    rng random;
    rng_seed(&random, 11);
    for (int kind = 0; kind < 4; kind++) {
        for (uint32_t v = 0; v < COUNT + 2; v++) {
            for (uint32_t k = 0; k < 3; k++) {
                float x = (float)rng_unit(&random);
                positions[3 * v + k] = kind == 0   ? 1.0f
                                       : kind == 1 ? ldexpf(1.0f + x, (int)(v % 266) - 140)
                                                   : x;
            }
        }
        for (uint32_t t = 0; t < COUNT; t++) {
            faces[3 * t] = kind == 2 ? 0 : t;
            faces[3 * t + 1] = kind == 2 ? 1 : kind == 3 ? 0 : t + 1;
            faces[3 * t + 2] = t + 2;
        }
        for (int partition = 0; partition < 4; partition++) {
            for (uint32_t arity = 2; arity <= 8; arity *= 2) {
                pliant_shape_def def = pliant_shape_default();
                def.positions = positions;
                def.vertex_count = COUNT + 2;
                def.triangles = faces;
                def.triangle_count = COUNT;
                def.partition = (pliant_partition)partition;
                def.arity = arity;
                def.leaf_size = arity == 8 ? 8 : 1;
                pliant_shape *shape = NULL;
                assert_ok(pliant_shape_create(context, &def, &shape));
                assert_ok(pliant_shape_validate(shape));
                pliant_shape_destroy(shape);
            }
        }
    }
    free(positions);
    free(faces);
}

static void *written(const pliant_shape *shape, uint64_t *size)
{
    assert_ok(pliant_shape_write(shape, NULL, 0, size));
    void *block = malloc((size_t)*size);
    assert_int_equal(pliant_shape_write(shape, block, *size - 1, size), PLIANT_ERROR_RANGE);
    assert_ok(pliant_shape_write(shape, block, *size, size));
    return block;
}

static void blocks_come_back(void **state)
{
    (void)state;
    for (int partition = 0; partition < 4; partition++) {
        pliant_shape *shape = sphere_shape(1280, (fixture_tree){(pliant_partition)partition, 8, 8});
        uint64_t size = 0, again_size = 0;
        void *block = written(shape, &size);
        pliant_shape *copy = NULL;
        assert_ok(pliant_shape_read(context, block, size, &copy));
        void *again = written(copy, &again_size);
        assert_int_equal(size, again_size);
        assert_memory_equal(block, again, (size_t)size);
        assert_int_equal(pliant_shape_is_closed(copy), pliant_shape_is_closed(shape));
        /* Bodies of the two shapes touch themselves in the same places as each other. */
        pliant_body *a = NULL, *b = NULL;
        pliant_query *query = NULL;
        pliant_contacts contacts;
        assert_ok(pliant_body_create(shape, NULL, &a));
        assert_ok(pliant_body_create(copy, NULL, &b));
        assert_ok(pliant_query_create(context, &query));
        assert_ok(pliant_collide(query, a, b, NULL, &contacts));
        assert_true(contacts.count > 1280); /* the same surface: every triangle meets itself */
        pliant_query_destroy(query);
        pliant_body_destroy(a);
        pliant_body_destroy(b);
        pliant_shape_destroy(copy);
        pliant_shape_destroy(shape);
        free(block);
        free(again);
    }
}

/* Truncated anywhere, or altered in any byte: refused by the checksum if by nothing else. */
static void damaged_blocks_are_refused(void **state)
{
    (void)state;
    pliant_shape *shape = sphere_shape(80, (fixture_tree){PLIANT_PARTITION_BALANCED, 8, 8});
    uint64_t size = 0;
    uint8_t *block = written(shape, &size);
    pliant_shape *read = NULL;
    for (uint64_t length = 0; length < size; length++) {
        assert_int_equal(pliant_shape_read(context, block, length, &read), PLIANT_ERROR_DATA);
    }
    for (uint64_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            block[at] ^= (uint8_t)(1 << bit);
            assert_int_equal(pliant_shape_read(context, block, size, &read), PLIANT_ERROR_DATA);
            block[at] ^= (uint8_t)(1 << bit);
        }
    }
    assert_null(read);
    assert_ok(pliant_shape_read(context, block, size, &read));
    pliant_shape_destroy(read);
    pliant_shape_destroy(shape);
    free(block);
}

/*
 * Altered, and the checksum forged: either refused, or a block that can be queried safely and holds
 * every triangle.
 */
static void forged_blocks_are_harmless(void **state)
{
    (void)state;
    pliant_shape *shape = sphere_shape(500, (fixture_tree){PLIANT_PARTITION_SHAPE_MEAN, 4, 4});
    uint64_t size = 0;
    uint8_t *block = written(shape, &size);
    pli_block_header *copy = aligned_alloc(64, (size_t)size);
    rng random;
    rng_seed(&random, 5);
    uint32_t accepted = 0, cases = fixture_count(20000);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    for (uint32_t i = 0; i < cases; i++) {
        memcpy(copy, block, (size_t)size);
        size_t from = i % 2 == 0 ? 0 : copy->offset[PLI_SECTION_WELDED];
        size_t at = from + (size_t)rng_below(&random, size - from);
        ((uint8_t *)copy)[at] ^= (uint8_t)(1u << rng_below(&random, 8));
        if (copy->size == size) {
            pli_block_seal(copy);
        }
        pliant_shape *read = NULL;
        pliant_result result = pliant_shape_read(context, copy, size, &read);
        if (result != PLIANT_OK) {
            assert_int_equal(result, PLIANT_ERROR_DATA);
            continue;
        }
        accepted++;
        pliant_body *body = NULL;
        pliant_contacts contacts;
        assert_ok(pliant_body_create(read, NULL, &body));
        assert_ok(pliant_collide_self(query, body, NULL, &contacts));
        pliant_body_destroy(body);
        pliant_shape_destroy(read);
    }
    /* Quality figures, rest positions and welds of no consequence may differ; the tree may not. */
    assert_true(accepted < cases / 2);
    /* Whether there are seams is of consequence: queries within one body look no further. */
    pliant_shape *read = NULL;
    memcpy(copy, block, (size_t)size);
    copy->quality.welded_vertex_count--;
    pli_block_seal(copy);
    assert_int_equal(pliant_shape_read(context, copy, size, &read), PLIANT_ERROR_DATA);
    pliant_query_destroy(query);
    pliant_shape_destroy(shape);
    free(copy);
    free(block);
}

/* An array of a block. */
#define SECTION(block, type, name) ((type *)(void *)((char *)(block) + (block)->offset[name]))

/* Alterations that nothing but a look at that very place can find, and that would change answers.
 */
static void forged_trees_are_refused(void **state)
{
    (void)state;
    pliant_shape *shape = sphere_shape(1280, (fixture_tree){PLIANT_PARTITION_BALANCED, 4, 4});
    uint64_t size = 0;
    uint8_t *block = written(shape, &size);
    pli_block_header *copy = aligned_alloc(64, (size_t)size);
    uint32_t forged = 0, nodes = shape->node_count;
    for (uint32_t i = 0; i < nodes + 2; i++) {
        memcpy(copy, block, (size_t)size);
        uint32_t slots = SECTION(copy, pli_cluster, PLI_SECTION_CLUSTERS)[0].slot_count;
        uint32_t *triangles = SECTION(copy, uint32_t, PLI_SECTION_SLOT_TRIANGLES);
        uint8_t *corners = SECTION(copy, uint8_t, PLI_SECTION_SLOT_CORNERS);
        if (i == nodes) { /* a triangle is there twice, another is missing */
            triangles[1] = triangles[0];
            for (uint32_t k = 0; k < 3; k++) {
                corners[k * slots + 1] = corners[k * slots];
            }
        } else if (i == nodes + 1) { /* a corner is another vertex of the cluster */
            corners[0] = (uint8_t)(corners[0] == 0 ? 1 : corners[0] - 1);
        } else { /* a node has a vertex more than it needs */
            pli_vertex_span *span = &SECTION(copy, pli_node, PLI_SECTION_NODES)[i].vertices;
            if (span->extra_first + span->extra_count >= copy->count[PLI_SECTION_NODE_EXTRAS]) {
                continue;
            }
            span->extra_count++;
        }
        pli_block_seal(copy);
        pliant_shape *read = NULL;
        assert_int_equal(pliant_shape_read(context, copy, size, &read), PLIANT_ERROR_DATA);
        forged++;
    }
    assert_true(forged > 2);
    pliant_shape_destroy(shape);
    free(copy);
    free(block);
}

static void vertex_order_is_a_permutation(void **state)
{
    (void)state;
    pliant_shape *shape = sphere_shape(1280, (fixture_tree){PLIANT_PARTITION_BALANCED, 8, 8});
    uint32_t count = pliant_shape_vertex_count(shape);
    uint32_t *order = malloc(count * sizeof *order);
    bool *seen = calloc(count, sizeof *seen);
    assert_ok(pliant_shape_vertex_order(shape, order));
    for (uint32_t i = 0; i < count; i++) {
        assert_true(order[i] < count && !seen[order[i]]);
        seen[order[i]] = true;
    }
    uint32_t corners[3];
    assert_ok(pliant_shape_triangle(shape, 1279, corners));
    assert_int_equal(pliant_shape_triangle(shape, 1280, corners), PLIANT_ERROR_RANGE);
    free(order);
    free(seen);
    pliant_shape_destroy(shape);
}

static void balanced_clusters_are_full(void **state)
{
    (void)state;
    pliant_shape *shape = sphere_shape(20480, (fixture_tree){PLIANT_PARTITION_BALANCED, 8, 8});
    pliant_shape_quality quality = quality_of(shape);
    assert_int_equal(quality.cluster_count, 320);
    assert_int_equal(quality.node_count, 46);
    assert_int_equal(quality.levels, 5);
    pliant_shape_destroy(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(offenders_are_named),
        cmocka_unit_test(closedness_is_found),
        cmocka_unit_test(seams_are_welded),
        cmocka_unit_test(odd_triangles_are_counted),
        cmocka_unit_test(connectivity_subtrees_are_connected),
        cmocka_unit_test(contrived_meshes_terminate),
        cmocka_unit_test(blocks_come_back),
        cmocka_unit_test(damaged_blocks_are_refused),
        cmocka_unit_test(forged_blocks_are_harmless),
        cmocka_unit_test(forged_trees_are_refused),
        cmocka_unit_test(vertex_order_is_a_permutation),
        cmocka_unit_test(balanced_clusters_are_full),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
