#include "fixture.h"

#include <stdlib.h>
#include <string.h>

static void *counting_allocate(void *user, size_t size, size_t alignment)
{
    counting_allocator *counting = user;
    counting->calls++;
    bool fails = counting->fail_at != 0 &&
                 (counting->calls == counting->fail_at ||
                  (counting->fail_from_there && counting->calls > counting->fail_at));
    if (fails) {
        return NULL;
    }
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory != NULL) {
        counting->live++;
        counting->live_bytes += size;
        if (counting->live_bytes > counting->peak_bytes) {
            counting->peak_bytes = counting->live_bytes;
        }
    }
    return memory;
}

static void counting_release(void *user, void *memory, size_t size, size_t alignment)
{
    (void)alignment;
    counting_allocator *counting = user;
    counting->live--;
    counting->live_bytes -= size;
    free(memory);
}

pliant_context *fixture_context(counting_allocator *allocator)
{
    return fixture_context_of(allocator, (pliant_scheduler){.run = NULL});
}

pliant_context *fixture_context_of(counting_allocator *allocator, pliant_scheduler scheduler)
{
    pliant_context_def def = pliant_context_def_default();
    def.allocator = (pliant_allocator){counting_allocate, counting_release, allocator};
    def.scheduler = scheduler;
    pliant_context *context = NULL;
    return pliant_context_create(&def, &context) == PLIANT_OK ? context : NULL;
}

pliant_context *fixture_context_with(pliant_isa isa, uint32_t workers)
{
    pliant_context_def def = pliant_context_def_default();
    def.isa = isa;
    def.workers = workers;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(&def, &context));
    assert_int_equal(pliant_context_get_worker_count(context), workers);
    return context;
}

pliant_context *test_context;
pliant_query *test_query;

int test_context_set_up(void **state)
{
    (void)state;
    assert_ok(pliant_context_create(NULL, &test_context));
    return 0;
}

int test_context_tear_down(void **state)
{
    (void)state;
    pliant_context_destroy(test_context);
    return 0;
}

int test_query_set_up(void **state)
{
    test_context_set_up(state);
    assert_ok(pliant_query_create(test_context, &test_query));
    return 0;
}

int test_query_tear_down(void **state)
{
    pliant_query_destroy(test_query);
    return test_context_tear_down(state);
}

const fixture_tree fixture_usual_tree = {PLIANT_PARTITION_BALANCED, 8, 8};

pliant_shape_def fixture_shape_def(const gallery_mesh *mesh)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = mesh->positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    return def;
}

pliant_shape *fixture_shape(pliant_context *context, const gallery_mesh *mesh, fixture_tree tree)
{
    pliant_shape_def def = fixture_shape_def(mesh);
    def.partition = tree.partition;
    def.arity = tree.arity;
    def.leaf_size = tree.leaf_size;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(context, &def, &shape));
    return shape;
}

pliant_shape *fixture_sphere(pliant_context *context, uint32_t triangles, fixture_tree tree)
{
    gallery_settings settings = {.triangles = triangles, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &settings);
    assert_non_null(scene);
    pliant_shape *shape = fixture_shape(context, &scene->bodies[0], tree);
    gallery_destroy(scene);
    return shape;
}

pliant_shape_quality fixture_quality(const pliant_shape *shape)
{
    pliant_shape_quality quality;
    assert_ok(pliant_shape_get_quality(shape, &quality));
    return quality;
}

void fixture_assert_tidy(const pliant_shape *shape)
{
    pliant_shape_quality quality = fixture_quality(shape);
    assert_int_equal(quality.unused_vertex_count, 0);
    assert_int_equal(quality.degenerate_triangle_count, 0);
    assert_int_equal(quality.duplicate_triangle_count, 0);
}

int fixture_compare_bytes(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size);
}

double fixture_scale(void)
{
    const char *text = getenv("PLIANT_TEST_SCALE");
    double scale = text != NULL ? strtod(text, NULL) : 1.0;
    return scale > 0.0 ? scale : 1.0;
}

uint32_t fixture_count(uint32_t usual)
{
    double count = usual * fixture_scale();
    return count < 1.0 ? 1 : count > 4e9 ? 4000000000u : (uint32_t)count;
}

uint32_t fixture_at_least(uint32_t least, uint32_t usual)
{
    return fixture_count(usual) > least ? fixture_count(usual) : least;
}
