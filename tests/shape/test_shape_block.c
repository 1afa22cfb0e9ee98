/* The block of a shape: written and read back; refused or harmless when it was altered. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "shape/shape.h"

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
    for (int partition = 0; partition < 5; partition++) {
        pliant_shape *shape =
            fixture_sphere(test_context, 1280, (fixture_tree){(pliant_partition)partition, 8, 8});
        uint64_t size = 0, again_size = 0;
        void *block = written(shape, &size);
        pliant_shape *copy = NULL;
        assert_ok(pliant_shape_read(test_context, block, size, &copy));
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
        assert_ok(pliant_query_create(test_context, &query));
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
    pliant_shape *shape = fixture_sphere(test_context, 80, fixture_usual_tree);
    uint64_t size = 0;
    uint8_t *block = written(shape, &size);
    pliant_shape *read = NULL;
    for (uint64_t length = 0; length < size; length++) {
        assert_int_equal(pliant_shape_read(test_context, block, length, &read), PLIANT_ERROR_DATA);
    }
    for (uint64_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            block[at] ^= (uint8_t)(1 << bit);
            assert_int_equal(pliant_shape_read(test_context, block, size, &read),
                             PLIANT_ERROR_DATA);
            block[at] ^= (uint8_t)(1 << bit);
        }
    }
    assert_null(read);
    assert_ok(pliant_shape_read(test_context, block, size, &read));
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
    pliant_shape *shape =
        fixture_sphere(test_context, 500, (fixture_tree){PLIANT_PARTITION_SHAPE_MEAN, 4, 4});
    uint64_t size = 0;
    uint8_t *block = written(shape, &size);
    pli_block_header *copy = aligned_alloc(64, (size_t)size);
    rng random;
    rng_seed(&random, 5);
    uint32_t accepted = 0, cases = fixture_count(20000);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(test_context, &query));
    for (uint32_t i = 0; i < cases; i++) {
        memcpy(copy, block, (size_t)size);
        size_t from = i % 2 == 0 ? 0 : copy->offset[PLI_SECTION_WELDED];
        size_t at = from + (size_t)rng_below(&random, size - from);
        ((uint8_t *)copy)[at] ^= (uint8_t)(1u << rng_below(&random, 8));
        if (copy->size == size) {
            pli_block_seal(copy);
        }
        pliant_shape *read = NULL;
        pliant_result result = pliant_shape_read(test_context, copy, size, &read);
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
    assert_int_equal(pliant_shape_read(test_context, copy, size, &read), PLIANT_ERROR_DATA);
    pliant_query_destroy(query);
    pliant_shape_destroy(shape);
    free(copy);
    free(block);
}

/* An array of a block. */
#define SECTION(block, type, name) ((type *)(void *)((char *)(block) + (block)->offset[name]))

/* Alterations that only a look at that very place can find, and that would change answers. */
static void forged_trees_are_refused(void **state)
{
    (void)state;
    pliant_shape *shape =
        fixture_sphere(test_context, 1280, (fixture_tree){PLIANT_PARTITION_BALANCED, 4, 4});
    uint64_t size = 0;
    uint8_t *block = written(shape, &size);
    pli_block_header *copy = aligned_alloc(64, (size_t)size);
    uint32_t forged = 0, nodes = shape->node_count;
    for (uint32_t i = 0; i < nodes + 4; i++) {
        memcpy(copy, block, (size_t)size);
        const pli_cluster *cluster = SECTION(copy, pli_cluster, PLI_SECTION_CLUSTERS);
        uint32_t slots = cluster->slot_count;
        uint32_t *triangles = SECTION(copy, uint32_t, PLI_SECTION_SLOT_TRIANGLES);
        uint8_t *corners = SECTION(copy, uint8_t, PLI_SECTION_SLOT_CORNERS);
        if (i ==
            nodes) { /* a triangle is there twice, another, which owns no feature, is missing */
            const uint8_t *features = SECTION(copy, uint8_t, PLI_SECTION_SLOT_FEATURES);
            uint32_t gone = 1;
            while (gone < slots && (features[gone] != 0 || !(cluster->live >> gone & 1))) {
                gone++;
            }
            assert_true(gone < slots);
            triangles[gone] = triangles[0];
            for (uint32_t k = 0; k < 3; k++) {
                corners[k * slots + gone] = corners[k * slots];
            }
        } else if (i == nodes + 1) { /* a corner is another vertex of the cluster */
            corners[0] = (uint8_t)(corners[0] == 0 ? 1 : corners[0] - 1);
        } else if (i >= nodes + 2) { /* a feature belongs to nobody, or to two triangles */
            SECTION(copy, uint8_t, PLI_SECTION_SLOT_FEATURES)[0] ^= i == nodes + 2 ? 1 : 8;
        } else { /* a node has a vertex more than it needs */
            pli_vertex_span *span = &SECTION(copy, pli_node, PLI_SECTION_NODES)[i].vertices;
            if (span->extra_first + span->extra_count >= copy->count[PLI_SECTION_NODE_EXTRAS]) {
                continue;
            }
            span->extra_count++;
        }
        pli_block_seal(copy);
        pliant_shape *read = NULL;
        assert_int_equal(pliant_shape_read(test_context, copy, size, &read), PLIANT_ERROR_DATA);
        forged++;
    }
    assert_true(forged > 4);
    pliant_shape_destroy(shape);
    free(copy);
    free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_back),
        cmocka_unit_test(damaged_blocks_are_refused),
        cmocka_unit_test(forged_blocks_are_harmless),
        cmocka_unit_test(forged_trees_are_refused),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
