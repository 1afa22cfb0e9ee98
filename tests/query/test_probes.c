/*
 * What the questions other than pliant_collide() have in common: the same answers under every
 * instruction set, floating-point environment and tree; a failing allocation is reported and
 * nothing is lost (T10); once warm, none of them allocates (T13).
 */
#include "fixture.h"
#include "one_body.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

enum { RAYS = 40 };

static gallery_scene *scene;
static float *now[2];
static pliant_ray rays[RAYS];

/* Objects of a run; each is NULL until made. */
typedef struct world {
    pliant_context *context;
    pliant_query *query;
    pliant_shape *shape[2];
    pliant_body *body[2];
} world;

static void place(uint32_t step)
{
    for (uint32_t i = 0; i < 2; i++) {
        gallery_evaluate(scene, i, step, now[i]);
    }
}

static int set_up(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 320, .seed = 1};
    scene = gallery_create(&gallery_spheres, &settings);
    rng r;
    rng_seed(&r, 4);
    for (uint32_t i = 0; i < 2; i++) {
        size_t bytes = scene->bodies[i].vertex_count * 3 * sizeof(float);
        now[i] = malloc(bytes);
    }
    place(scene->steps);
    for (int i = 0; i < RAYS; i++) {
        rays[i].t_max = INFINITY;
        for (uint32_t k = 0; k < 3; k++) {
            rays[i].origin[k] = (float)rng_range(&r, -3.0, 3.0);
            rays[i].direction[k] =
                now[0][3 * rng_below(&r, scene->bodies[0].vertex_count) + k] - rays[i].origin[k];
        }
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        free(now[i]);
    }
    gallery_destroy(scene);
    return 0;
}

static void mix(uint64_t *hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        *hash = (*hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
}

static pliant_result make(world *w, const test_way *way)
{
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < 2 && result == PLIANT_OK; i++) {
        const gallery_mesh *mesh = &scene->bodies[i];
        pliant_shape_def def = fixture_shape_def(mesh);
        pliant_body_def body = pliant_body_def_default();
        def.partition = way->tree.partition;
        def.arity = way->tree.arity;
        def.leaf_size = way->tree.leaf_size;
        body.update = way->update;
        body.lazy_levels = way->lazy_levels;
        result = pliant_shape_create(w->context, &def, &w->shape[i]);
        if (result == PLIANT_OK) {
            result = pliant_body_create(w->shape[i], &body, &w->body[i]);
        }
        if (result == PLIANT_OK) {
            result = pliant_body_share_positions(w->body[i], now[i], 0);
        }
    }
    return result == PLIANT_OK ? pliant_query_create(w->context, &w->query) : result;
}

static void world_destroy(world *w)
{
    pliant_query_destroy(w->query);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(w->body[i]);
        pliant_shape_destroy(w->shape[i]);
    }
    pliant_context_destroy(w->context);
}

static void mix_costs(const world *w, uint64_t *hash)
{
    const pliant_stats *stats = pliant_query_get_stats(w->query);
    const uint64_t counts[] = {stats->nodes_refreshed, stats->clusters_refreshed,
                               stats->vertices_read,   stats->nodes_tested,
                               stats->triangle_tests,  stats->exact_fallbacks};
    mix(hash, counts, sizeof counts);
}

static pliant_result ask_rays(world *w, uint64_t *hash)
{
    pliant_ray_hit hits[RAYS];
    pliant_result result = pliant_raycast_many(w->query, w->body[0], rays, RAYS, hits);
    for (int i = 0; i < RAYS && result == PLIANT_OK; i++) {
        mix(hash, &hits[i].t, sizeof hits[i].t);
        mix(hash, &hits[i].triangle, sizeof hits[i].triangle);
        mix(hash, hits[i].point, sizeof hits[i].point);
    }
    return result;
}

static pliant_result ask_points(world *w, uint64_t *hash)
{
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < 8 && result == PLIANT_OK; i++) {
        pliant_closest closest;
        result =
            pliant_find_closest_point(w->query, w->body[0], rays[i].origin, INFINITY, &closest);
        if (result == PLIANT_OK) {
            mix(hash, &closest.triangle, sizeof closest.triangle);
            mix(hash, &closest.distance, sizeof closest.distance);
            mix(hash, closest.at.point, sizeof closest.at.point);
        }
    }
    return result;
}

static pliant_result ask_box(world *w, uint64_t *hash)
{
    pliant_box box = {{-1.0f, -1.0f, -1.0f}, {0.7f, 0.6f, 0.9f}};
    const uint32_t *triangles = NULL;
    uint64_t count = 0;
    pliant_result result = pliant_overlap_box(w->query, w->body[0], &box, &triangles, &count);
    if (result == PLIANT_OK && count > 0) {
        mix(hash, triangles, (size_t)count * sizeof *triangles);
    }
    return result;
}

static pliant_result ask_within(world *w, uint64_t *hash)
{
    pliant_proximities found;
    pliant_result result =
        pliant_find_within(w->query, w->body[0], w->body[1], 0.05f, NULL, &found);
    for (uint64_t i = 0; result == PLIANT_OK && i < found.count; i++) {
        const pliant_proximity *pair = &found.pairs[i];
        mix(hash, &pair->a, sizeof pair->a);
        mix(hash, &pair->b, sizeof pair->b);
        mix(hash, &pair->gap.distance, sizeof pair->gap.distance);
        mix(hash, pair->gap.b.point, sizeof pair->gap.b.point);
    }
    return result;
}

static pliant_result (*const questions[])(world *, uint64_t *) = {ask_rays, ask_points, ask_box,
                                                                  ask_within};

enum { QUESTIONS = sizeof questions / sizeof questions[0] };

/* Asks everything; the hash is that of all answers, and with `costs` of the statistics. */
static pliant_result ask(world *w, bool costs, uint64_t *hash)
{
    *hash = 1;
    for (int i = 0; i < QUESTIONS; i++) {
        pliant_result result = questions[i](w, hash);
        if (result != PLIANT_OK) {
            return result;
        }
        if (costs) {
            mix_costs(w, hash);
        }
    }
    return PLIANT_OK;
}

static void same_under_every_tree(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint32_t i = 0; i < test_way_count; i++) {
        world w = {0};
        uint64_t hash = 0;
        assert_ok(pliant_context_create(NULL, &w.context));
        assert_ok(make(&w, &test_ways[i]));
        assert_ok(ask(&w, false, &hash));
        expected = i == 0 ? hash : expected;
        assert_int_equal(hash, expected);
        world_destroy(&w);
    }
}

static void same_under_every_instruction_set(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
        world w = {0};
        uint64_t hash = 0;
        w.context = fixture_context_with((pliant_isa)isa, 1);
        assert_ok(make(&w, &test_ways[0]));
        assert_ok(ask(&w, true, &hash));
        expected = isa == PLIANT_ISA_PLAIN ? hash : expected;
        assert_int_equal(hash, expected);
        world_destroy(&w);
    }
}

static void same_in_every_environment(void **state)
{
    (void)state;
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    uint64_t expected = 0;
    for (int i = 0; i < 4; i++) {
        world w = {0};
        uint64_t hash = 0;
        assert_ok(pliant_context_create(NULL, &w.context));
        assert_ok(make(&w, &test_ways[0]));
        fesetround(modes[i]);
#if defined(__SSE__)
        unsigned saved = _mm_getcsr();
        _mm_setcsr(saved | (i > 0 ? 0x8040u : 0u)); /* flush denormals */
#endif
        pliant_result result = ask(&w, true, &hash);
#if defined(__SSE__)
        _mm_setcsr(saved);
#endif
        assert_int_equal(fegetround(), modes[i]);
        fesetround(FE_TONEAREST);
        assert_int_equal(result, PLIANT_OK);
        expected = i == 0 ? hash : expected;
        assert_int_equal(hash, expected);
        world_destroy(&w);
    }
}

/* One run of one question in which its allocation `n` fails; true if the run needed it. */
static bool fails_cleanly(int question, const test_way *way, uint64_t n, bool from_there,
                          uint64_t expected)
{
    counting_allocator allocator = {0};
    world w = {.context = fixture_context(&allocator)};
    assert_ok(make(&w, way));
    uint64_t hash = 1;
    allocator.fail_at = allocator.calls + n;
    allocator.fail_from_there = from_there;
    pliant_result result = questions[question](&w, &hash);
    allocator.fail_at = 0;
    if (result != PLIANT_OK) {
        assert_int_equal(result, PLIANT_ERROR_OUT_OF_MEMORY);
        assert_non_null(strstr(pliant_last_error(), "no memory for"));
    }
    hash = 1; /* with memory again everything answers as it should */
    assert_ok(questions[question](&w, &hash));
    assert_int_equal(hash, expected);
    world_destroy(&w);
    assert_int_equal(allocator.live, 0);
    assert_int_equal(allocator.live_bytes, 0);
    return result != PLIANT_OK;
}

static void every_failing_allocation(void **state)
{
    (void)state;
    for (int question = 0; question < QUESTIONS; question++) {
        for (uint32_t way = 0; way < 2; way++) {
            counting_allocator allocator = {0};
            world w = {.context = fixture_context(&allocator)};
            uint64_t expected = 1;
            assert_ok(make(&w, &test_ways[way]));
            uint64_t before = allocator.calls;
            assert_ok(questions[question](&w, &expected));
            uint64_t calls = allocator.calls - before;
            world_destroy(&w);
            assert_true(calls > 0);
            for (uint64_t n = 1; n <= calls; n++) {
                assert_true(fails_cleanly(question, &test_ways[way], n, false, expected));
                assert_true(fails_cleanly(question, &test_ways[way], n, true, expected));
            }
            assert_false(fails_cleanly(question, &test_ways[way], calls + 1, false, expected));
        }
    }
}

static void warm_questions_allocate_nothing(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < test_way_count; way++) {
        counting_allocator allocator = {0};
        world w = {.context = fixture_context(&allocator)};
        assert_ok(make(&w, &test_ways[way]));
        uint64_t calls = 0, bytes = 0, hash = 0;
        uint32_t period = 20, steps = fixture_count(100);
        for (uint32_t step = 0; step < 2 * period + steps; step++) {
            place(scene->steps * (step % period) / (period - 1));
            for (int i = 0; i < 2; i++) {
                assert_ok(pliant_body_share_positions(w.body[i], now[i], 0));
            }
            assert_ok(ask(&w, false, &hash));
            if (step + 1 == 2 * period) { /* AUTO has settled in the second round */
                calls = allocator.calls;
                bytes = allocator.live_bytes;
            }
        }
        assert_int_equal(allocator.calls, calls);
        assert_int_equal(allocator.live_bytes, bytes);
        world_destroy(&w);
    }
    place(scene->steps);
}

static void contexts_must_agree(void **state)
{
    (void)state;
    world w = {0};
    pliant_context *other = NULL;
    pliant_query *foreign = NULL;
    assert_ok(pliant_context_create(NULL, &w.context));
    assert_ok(make(&w, &test_ways[0]));
    assert_ok(pliant_context_create(NULL, &other));
    assert_ok(pliant_query_create(other, &foreign));
    pliant_query *own = w.query;
    w.query = foreign;
    for (int i = 0; i < QUESTIONS; i++) {
        uint64_t hash = 0;
        assert_int_equal(questions[i](&w, &hash), PLIANT_ERROR_ARGUMENT);
    }
    w.query = own;
    pliant_query_destroy(foreign);
    pliant_context_destroy(other);
    world_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_under_every_tree),
        cmocka_unit_test(same_under_every_instruction_set),
        cmocka_unit_test(same_in_every_environment),
        cmocka_unit_test(every_failing_allocation),
        cmocka_unit_test(warm_questions_allocate_nothing),
        cmocka_unit_test(contexts_must_agree),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
