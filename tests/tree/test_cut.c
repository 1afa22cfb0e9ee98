/*
 * Cutting: which triangles come to lie in which leaf is what a plain method says that sorts them
 * and looks at every slice; and a shape is the same, byte for byte, however many workers make it.
 */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dealer.h"
#include "random.h"
#include "tree/builder.h"

/* ------------------------------------------------------------ the plain method */

enum { SLICES = 64 };

static int compared_axis;

static int compare_items(const void *a, const void *b)
{
    const pli_item *p = a, *q = b;
    float x = p->midpoint[compared_axis], y = q->midpoint[compared_axis];
    return x != y ? (x > y) - (x < y) : (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

/* The longest diagonal of the items' box and its longest axis. */
static double diagonal_of(const pli_item *items, uint32_t count, int *axis, double *extent)
{
    double square = 0.0;
    float longest = -1.0f;
    for (int k = 0; k < 3; k++) {
        float lower = INFINITY, upper = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            lower = fminf(lower, items[i].midpoint[k]);
            upper = fmaxf(upper, items[i].midpoint[k]);
        }
        if (upper - lower > longest) {
            longest = upper - lower;
            *axis = k;
            *extent = (double)upper - (double)lower;
        }
        square += ((double)upper - (double)lower) * ((double)upper - (double)lower);
    }
    return sqrt(square);
}

static uint64_t up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint32_t slice_of(const pli_item *items, uint32_t i, int axis, double extent)
{
    double scale = extent > 0.0 ? SLICES / extent : 0.0;
    double along = ((double)items[i].midpoint[axis] - (double)items[0].midpoint[axis]) * scale;
    return along < SLICES ? (uint32_t)along : SLICES - 1;
}

static uint32_t plain_cut(pli_item *items, uint32_t count, pli_portions portions, uint32_t *sizes)
{
    if (count <= portions.most * portions.unit) {
        sizes[0] = count;
        return 1;
    }
    int axis = 0, other = 0;
    double extent = 0.0, least = (double)INFINITY, unused = 0.0;
    diagonal_of(items, count, &axis, &extent);
    compared_axis = axis;
    qsort(items, count, sizeof *items, compare_items);
    uint64_t units = up(count, portions.unit), best = 0;
    for (uint64_t left = 1; left < units; left++) {
        uint32_t rank = (uint32_t)(left * portions.unit), first = rank - 1, end = rank;
        uint32_t slice = slice_of(items, rank - 1, axis, extent);
        while (first > 0 && slice_of(items, first - 1, axis, extent) == slice) {
            first--;
        }
        while (end < count && slice_of(items, end, axis, extent) == slice) {
            end++;
        }
        uint32_t from = end == rank ? end : first;
        double cost =
            diagonal_of(items, end, &other, &unused) * (double)left +
            diagonal_of(items + from, count - from, &other, &unused) * (double)(units - left);
        bool fewest =
            up(left, portions.most) + up(units - left, portions.most) == up(units, portions.most);
        if (fewest && cost < least) {
            least = cost;
            best = left;
        }
    }
    uint32_t left = (uint32_t)(best * portions.unit);
    uint32_t parts = plain_cut(items, left, portions, sizes);
    return parts + plain_cut(items + left, count - left, portions, sizes + parts);
}

/* ------------------------------------------------------------ the same sets */

enum { MOST = 40000, KINDS = 6 };

/* Midpoints of several kinds: scattered, on a grid, heaps, all in one place, the largest floats and
   small ones, in a plane. */
static void scatter(pli_item *items, uint32_t count, int kind, rng *r)
{
    for (uint32_t i = 0; i < count; i++) {
        items[i].triangle = (i * 7919u) % 1000003u;
        for (int k = 0; k < 3; k++) {
            double x = rng_range(r, -1.0, 1.0);
            items[i].midpoint[k] = (float)(kind == 0   ? x
                                           : kind == 1 ? floor(4.0 * x)
                                           : kind == 2 ? (double)(i % 3) * 5.0 + x * x * x
                                           : kind == 3 ? 2.0
                                           : kind == 4 ? ldexp(x, (int)(i % 255) - 127)
                                                       : (k == 1 ? 0.0 : x));
        }
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const pli_item *p = a, *q = b;
    return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static pli_item given[MOST], plain[MOST], items[MOST], scratch[MOST];
static uint8_t slices[MOST];

static void compare_cuts(pli_cutter *cutter, uint32_t count, pli_portions portions)
{
    uint32_t sizes[PLI_WIDTH], expected[PLI_WIDTH], first = 0;
    memcpy(plain, given, count * sizeof *given);
    memcpy(items, given, count * sizeof *given);
    uint32_t parts = plain_cut(plain, count, portions, expected);
    assert_int_equal(pli_cut(cutter, (pli_item_run){0, count}, portions, sizes), parts);
    assert_int_equal(cutter->result, PLIANT_OK);
    for (uint32_t i = 0; i < parts; first += sizes[i++]) {
        assert_int_equal(sizes[i], expected[i]);
        qsort(plain + first, sizes[i], sizeof *plain, compare_numbers);
        qsort(items + first, sizes[i], sizeof *items, compare_numbers);
        assert_memory_equal(plain + first, items + first, sizes[i] * sizeof *items);
    }
    assert_int_equal(first, count);
}

static void cuts_are_the_plain_ones(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 611);
    pli_cutter cutter = {.items = items, .scratch = scratch, .slice = slices};
    for (uint32_t i = 0; i < fixture_at_least(60, 3000); i++) {
        uint32_t count = 2 + (uint32_t)rng_below(&r, i % 16 == 0 ? 4096 : i % 2 ? 64 : 300);
        uint32_t most = i % 3 == 0 ? 1 : 8;
        uint32_t unit = (count - 1) / (most * PLI_WIDTH) + 1;
        scatter(given, count, (int)(i % KINDS), &r);
        compare_cuts(&cutter, count, (pli_portions){unit, most});
    }
}

static void large_runs_are_cut_alike_by_workers(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 612);
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 3);
    void *blocks = malloc(pli_cutter_blocks(MOST) * pli_cutter_block_size());
    for (int kind = 0; kind < KINDS; kind++) {
        scatter(given, MOST, kind, &r);
        pli_cutter alone = {.items = plain, .scratch = scratch, .slice = slices};
        pli_cutter shared = {.context = context,
                             .items = items,
                             .scratch = scratch,
                             .slice = slices,
                             .block = blocks};
        uint32_t sizes[2][PLI_WIDTH];
        memcpy(plain, given, sizeof given);
        memcpy(items, given, sizeof given);
        uint32_t parts = pli_cut(&alone, (pli_item_run){0, MOST}, (pli_portions){640, 8}, sizes[0]);
        assert_int_equal(
            pli_cut(&shared, (pli_item_run){0, MOST}, (pli_portions){640, 8}, sizes[1]), parts);
        assert_memory_equal(sizes[0], sizes[1], parts * sizeof(uint32_t));
        assert_memory_equal(plain, items, sizeof items); /* the order too */
    }
    free(blocks);
    pliant_context_destroy(context);
}

/* ------------------------------------------------------------ whole shapes */

static void *write_shape(pliant_context *context, const gallery_mesh *mesh, fixture_tree tree,
                         uint64_t *size)
{
    pliant_shape *shape = fixture_shape(context, mesh, tree);
    assert_ok(pliant_shape_validate(shape));
    assert_ok(pliant_shape_write(shape, NULL, 0, size));
    void *bytes = malloc(*size);
    assert_ok(pliant_shape_write(shape, bytes, *size, size));
    pliant_shape_destroy(shape);
    return bytes;
}

static void shapes_do_not_depend_on_workers(void **state)
{
    (void)state;
    static const fixture_tree trees[] = {{PLIANT_PARTITION_BALANCED, 8, 8},
                                         {PLIANT_PARTITION_BALANCED, 2, 1},
                                         {PLIANT_PARTITION_BALANCED, 4, 3},
                                         {PLIANT_PARTITION_SHAPE_MEAN, 8, 8},
                                         {PLIANT_PARTITION_COVARIANCE, 8, 8}};
    gallery_settings wanted = {.triangles = fixture_scale() < 1 ? 20480 : 81920, .seed = 3};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    for (uint32_t i = 0; i < (fixture_scale() < 1 ? 1 : 5); i++) {
        uint64_t size = 0, other = 0;
        pliant_context *context = fixture_context_with(PLIANT_ISA_PLAIN, 1);
        void *expected = write_shape(context, &scene->bodies[0], trees[i], &size);
        pliant_context_destroy(context);
        for (uint32_t workers = 2; workers <= 8; workers += 3) {
            uint32_t dealt = workers;
            context = workers == 5 ? dealer_context(&dealt)
                                   : fixture_context_with(PLIANT_ISA_BEST, workers);
            void *bytes = write_shape(context, &scene->bodies[0], trees[i], &other);
            assert_int_equal(size, other);
            assert_memory_equal(expected, bytes, size);
            free(bytes);
            pliant_context_destroy(context);
        }
        free(expected);
    }
    gallery_destroy(scene);
}

/* A scheduler that leaves out the last piece of its n-th run. */
typedef struct lazy_scheduler {
    uint32_t runs, lazy_run;
} lazy_scheduler;

static void run_lazily(void *user, pliant_task task, void *argument, uint32_t count)
{
    lazy_scheduler *lazy = user;
    uint32_t done = lazy->runs++ == lazy->lazy_run ? count - 1 : count;
    for (uint32_t i = 0; i < done; i++) {
        task(argument, i, 0);
    }
}

static void failures_leave_nothing(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 40000, .seed = 3};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    pliant_shape_def def = fixture_shape_def(&scene->bodies[0]);
    uint32_t failed = 0;
    for (uint64_t at = 1, last = 2; at <= last; at++) { /* allocations, then runs of pieces */
        counting_allocator allocator = {0};
        lazy_scheduler lazy = {.lazy_run = UINT32_MAX};
        pliant_context *context =
            fixture_context_of(&allocator, (pliant_scheduler){run_lazily, &lazy, 2});
        allocator.fail_at = at > 1 ? allocator.calls + at - 1 : 0;
        uint64_t before = allocator.calls;
        pliant_shape *shape = NULL;
        pliant_result result = pliant_shape_create(context, &def, &shape);
        last = at == 1 ? allocator.calls - before + 1 : last;
        assert_int_equal(result, at == 1 ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY);
        failed += result != PLIANT_OK;
        pliant_shape_destroy(shape);
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(failed > 20);
    for (uint32_t run = 0, runs = 1; run < runs; run++) {
        counting_allocator allocator = {0};
        lazy_scheduler lazy = {.lazy_run = run == 0 ? UINT32_MAX : run - 1};
        pliant_context *context =
            fixture_context_of(&allocator, (pliant_scheduler){run_lazily, &lazy, 2});
        pliant_shape *shape = NULL;
        pliant_result result = pliant_shape_create(context, &def, &shape);
        runs = run == 0 ? lazy.runs + 1 : runs;
        assert_int_equal(result, run == 0 ? PLIANT_OK : PLIANT_ERROR_STATE);
        pliant_shape_destroy(shape);
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
    }
    gallery_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_are_the_plain_ones),
        cmocka_unit_test(large_runs_are_cut_alike_by_workers),
        cmocka_unit_test(shapes_do_not_depend_on_workers),
        cmocka_unit_test(failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
