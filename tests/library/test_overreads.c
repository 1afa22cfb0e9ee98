/*
 * No kernel reads or writes past its block: every allocation ends at a page that may not be
 * touched, for every instruction set. (AddressSanitizer sees the same, if more slowly.)
 */
#include "models.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/kernels.h"
#include "body/body.h"
#include "shape_exercise.h"

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* Memory whose end is less than `alignment` bytes before a page without any rights. */
static void *guarded_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), used = round_up(size, page);
    char *pages =
        mmap(NULL, used + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + used, page, PROT_NONE) != 0) {
        return NULL;
    }
    return pages + used - round_up(size, alignment);
}

static void guarded_release(void *user, void *memory, size_t size, size_t alignment)
{
    (void)user;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), used = round_up(size, page);
    munmap((char *)memory + round_up(size, alignment) - used, used + page);
}

static pliant_context *guarded_context(pliant_isa isa)
{
    pliant_context_def def = pliant_context_def_default();
    pliant_context *context = NULL;
    def.isa = isa;
    def.workers = 1;
    def.allocator = (pliant_allocator){guarded_allocate, guarded_release, NULL};
    assert_ok(pliant_context_create(&def, &context));
    return context;
}

/* A bumpy sheet of n x n squares. */
static void fill_sheet(uint32_t n, float *positions, uint32_t *triangles)
{
    for (uint32_t i = 0; i < (n + 1) * (n + 1); i++) {
        positions[3 * (size_t)i] = (float)(i % (n + 1));
        positions[3 * (size_t)i + 1] = (float)(i / (n + 1));
        positions[3 * (size_t)i + 2] = 0.05f * (float)(i * 7 % 11);
    }
    for (uint32_t i = 0; i < n * n; i++) {
        uint32_t a = i / n * (n + 1) + i % n;
        const uint32_t corners[6] = {a, a + 1, a + n + 2, a, a + n + 2, a + n + 1};
        memcpy(triangles + 6 * (size_t)i, corners, sizeof corners);
    }
}

/* Where a body's cluster lies in its eager block, what may be read behind it does too. Returns how
   many do. */
static uint32_t check_eager_block(const pliant_body *body, const pli_node_record *record,
                                  uint32_t node)
{
    uint32_t found = 0;
    const pli_node *constant = &body->shape->nodes[node];
    for (uint32_t lane = 0; record != NULL && lane < constant->child_count; lane++) {
        uint32_t child = constant->child[lane];
        const char *below = record->child[lane];
        if (!(child & PLI_CLUSTER_BIT)) {
            found += check_eager_block(body, (const void *)below, child);
        } else if (below != NULL && body->eager_block != NULL && below >= body->eager_block &&
                   below < body->eager_block + body->eager_size) {
            /* A read of the last byte that kernels may touch, which must be there. */
            size_t size = pli_cluster_record_size(&body->shape->clusters[child & ~PLI_CLUSTER_BIT]);
            volatile const char *last = below + size + PLI_RECORD_SLACK - 1;
            (void)*last;
            found++;
        }
    }
    return found;
}

/*
 * Two sheets that are apart for long, so that the eager part of automatic bodies shrinks, and then
 * touch: clusters come to lie where nodes were.
 */
static uint32_t touch_after_long(pliant_context *context, const pliant_shape_def *def, uint32_t n,
                                 float *moved)
{
    pliant_shape *shape = NULL;
    pliant_body *body[2] = {NULL, NULL};
    pliant_query *query = NULL;
    pliant_contacts contacts;
    uint32_t found = 0;
    assert_ok(pliant_shape_create(context, def, &shape));
    assert_ok(pliant_query_create(context, &query));
    for (int k = 0; k < 2; k++) {
        assert_ok(pliant_body_create(shape, NULL, &body[k]));
    }
    for (int step = 0; step < 20; step++) {
        bool touch = step % 10 == 9;
        float beside = (float)n - 1.2f - 0.2f * (float)step; /* at an edge, then more */
        for (uint32_t i = 0; i < 3 * def->vertex_count; i++) {
            float by = i % 3 == 2 ? (touch ? 0.01f : 5.0f) : touch && i % 3 == 0 ? beside : 0.0f;
            moved[i] = def->positions[i] + by;
        }
        assert_ok(pliant_body_set_positions(body[0], def->positions, 0));
        assert_ok(pliant_body_share_positions(body[1], moved, 0));
        assert_ok(pliant_collide(query, body[0], body[1], NULL, &contacts));
        assert_true(touch || contacts.count == 0);
        assert_ok(pliant_collide_self(query, body[step % 2], NULL, &contacts));
        for (int k = 0; k < 2; k++) {
            found += check_eager_block(body[k], body[k]->root.child[0], 0);
        }
    }
    for (int k = 0; k < 2; k++) {
        pliant_body_destroy(body[k]);
    }
    pliant_query_destroy(query);
    pliant_shape_destroy(shape);
    return found;
}

static void clusters_in_eager_blocks(void **state)
{
    (void)state;
    enum { MOST = 24 };
    uint32_t triangles[6 * MOST * MOST], found = 0;
    for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
        pliant_context *context = guarded_context((pliant_isa)isa);
        for (uint32_t n = 6; n < MOST; n += fixture_scale() < 10.0 ? 8 : 4) {
            size_t size = 3 * (size_t)((n + 1) * (n + 1)) * sizeof(float);
            float *positions = guarded_allocate(NULL, size, sizeof(float));
            float *moved = guarded_allocate(NULL, size, sizeof(float));
            pliant_shape_def def = pliant_shape_def_default();
            fill_sheet(n, positions, triangles);
            def.positions = positions;
            def.vertex_count = (n + 1) * (n + 1);
            def.triangles = triangles;
            def.triangle_count = 2 * n * n;
            for (uint32_t i = 0; i < 12; i += fixture_scale() < 0.1 ? 3 : 1) {
                def.arity = 2u << i / 4;
                def.leaf_size = 1 + i % 4;
                found += touch_after_long(context, &def, n, moved);
            }
            guarded_release(NULL, positions, size, sizeof(float));
            guarded_release(NULL, moved, size, sizeof(float));
        }
        pliant_context_destroy(context);
    }
    assert_true(found > 0);
}

/* Every question about bodies of every kind, with small clusters and large ones. */
static void all_questions(void **state)
{
    (void)state;
    static const fixture_tree trees[] = {{PLIANT_PARTITION_BALANCED, 2, 1},
                                         {PLIANT_PARTITION_SHAPE_CENTRE, 4, 3},
                                         {PLIANT_PARTITION_BALANCED, 8, 2},
                                         {PLIANT_PARTITION_CONNECTIVITY, 8, 8}};
    rng r;
    rng_seed(&r, 81);
    for (uint32_t i = 0; i < 4 * MODEL_KINDS * (PLIANT_BOUND_AFFINE + 1); i++) {
        pliant_context *context = guarded_context((pliant_isa)(PLIANT_ISA_PLAIN + i % 4));
        model_case c = model_case_create((model_kind)(i / 4 % MODEL_KINDS), MODEL_ROUGH, 1.0, 0.0,
                                         40 + (uint32_t)rng_below(&r, 200), &r);
        c.proxy_triangles = 1 + i % 8;
        pliant_shape *shape =
            model_case_shape(context, &c, i / 4 / MODEL_KINDS, trees[rng_below(&r, 4)]);
        assert_true(
            shape_exercise(context, shape, (pliant_update)rng_below(&r, PLIANT_UPDATE_FRONT + 1)));
        pliant_shape_destroy(shape);
        pliant_context_destroy(context);
        model_case_destroy(&c);
    }
}

/* Counts that contradict each other, in a block that is too short for one of them: nothing behind
   its end is read. */
static void counts_are_looked_at_first(void **state)
{
    (void)state;
    enum { VERTICES = 1024 };
    const uint64_t count[PLI_SECTION_COUNT] = {[PLI_SECTION_POSITIONS] = 3 * (uint64_t)VERTICES};
    pliant_context *context = guarded_context(PLIANT_ISA_BEST);
    pli_block_header *block = NULL;
    pliant_shape *shape = NULL;
    assert_ok(pli_block_allocate(context, count, &block));
    char *end = (char *)block + block->size;
    uint32_t *order = pli_block_section(block, PLI_SECTION_VERTEX_ORDER);
    for (uint32_t i = 0; (char *)(order + i) < end; i++) {
        order[i] = i; /* which is the tree's, as far as it goes */
    }
    pli_block_seal(block);
    assert_int_equal(pliant_shape_read(context, block, block->size, &shape), PLIANT_ERROR_DATA);
    pli_release(context, block, (size_t)block->size);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_in_eager_blocks),
        cmocka_unit_test(all_questions),
        cmocka_unit_test(counts_are_looked_at_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
