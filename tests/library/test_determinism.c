/*
 * T7: one answer, whatever the caller's floating-point environment, the strategy and the thread.
 * The hash of all pairs of a scene is written down here: every compiler and machine must get it.
 */
#include "models.h"

#include "base/thread.h"
#include "body/body.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/* Pairs of the spheres scene (1,280 triangles each, 20 steps), scaled into the subnormals or not.
 */
static const uint64_t golden_pairs = UINT64_C(0xe5f4bc4dd99e2020);

/* Pairs of a sheet that tears, and of a plate that breaks against a ball (2,000 triangles, 24
   steps), while trees are built anew and islands sorted. */
static const uint64_t golden_torn = UINT64_C(0x894569bed34f26a1),
                      golden_shattered = UINT64_C(0x7826eb1ab2ccc99e);

/* Ways to round; a machine that has one only has it four times. */
#if defined(FE_UPWARD)
static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
#else
static const int modes[4] = {FE_TONEAREST, FE_TONEAREST, FE_TONEAREST, FE_TONEAREST};
#endif

static uint64_t hash_pairs(uint64_t hash, const pliant_contacts *contacts)
{
    for (uint64_t i = 0; i < contacts->count; i++) {
        hash = (hash ^ contacts->pairs[i].a) * UINT64_C(0x100000001b3);
        hash = (hash ^ contacts->pairs[i].b) * UINT64_C(0x100000001b3);
    }
    return (hash ^ contacts->count) * UINT64_C(0x100000001b3);
}

/* Runs the scene on a context of its own; shapes are made under the environment in force, too. */
static uint64_t run_scene(pliant_context *context, const gallery_scene *scene,
                          float *positions[2][21], pliant_update update)
{
    pliant_query *query = NULL;
    pliant_shape *shape[2];
    pliant_body *body[2];
    assert_ok(pliant_query_create(context, &query));
    for (int i = 0; i < 2; i++) {
        gallery_mesh mesh = scene->bodies[i];
        mesh.positions = positions[i][0];
        shape[i] = fixture_shape(context, &mesh, (fixture_tree){PLIANT_PARTITION_SHAPE_MEAN, 8, 8});
        assert_ok(pliant_body_create(shape[i], NULL, &body[i]));
        assert_ok(pliant_body_set_update(body[i], update, 0, 1));
    }
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int step = 0; step <= 20; step++) {
        pliant_contacts contacts;
        for (int i = 0; i < 2; i++) {
            assert_ok(pliant_body_share_positions(body[i], positions[i][step], 0));
        }
        assert_ok(pliant_collide(query, body[0], body[1], NULL, &contacts));
        hash = hash_pairs(hash, &contacts);
    }
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(body[i]);
        pliant_shape_destroy(shape[i]);
    }
    pliant_query_destroy(query);
    return hash;
}

static gallery_scene *scene;
static float *ordinary[2][21], *tiny[2][21];

static int set_up(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 1280, .steps = 20, .seed = 1};
    scene = gallery_create(&gallery_spheres, &settings);
    for (uint32_t i = 0; i < 2; i++) {
        size_t count = 3 * (size_t)scene->bodies[i].vertex_count;
        for (uint32_t step = 0; step <= 20; step++) {
            ordinary[i][step] = malloc(count * sizeof(float));
            tiny[i][step] = malloc(count * sizeof(float));
            gallery_evaluate(scene, i, step, ordinary[i][step]);
            /* Into the subnormals on a grid of 2^-149: flushing would make all of it zero. */
            for (size_t k = 0; k < count; k++) {
                tiny[i][step][k] = ordinary[i][step][k] * 0x1p-130f;
            }
        }
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        for (int step = 0; step <= 20; step++) {
            free(ordinary[i][step]);
            free(tiny[i][step]);
        }
    }
    gallery_destroy(scene);
    return 0;
}

static uint64_t run_on(pliant_isa isa, float *positions[2][21], pliant_update update)
{
    pliant_context *context = NULL;
    pliant_context_def def = pliant_context_def_default();
    def.isa = isa;
    assert_ok(pliant_context_create(&def, &context));
    uint64_t hash = run_scene(context, scene, positions, update);
    pliant_context_destroy(context);
    return hash;
}

static uint64_t run_alone(float *positions[2][21], pliant_update update)
{
    return run_on(PLIANT_ISA_BEST, positions, update);
}

static void the_hash_is_the_one_written_down(void **state)
{
    (void)state;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    pliant_isa best = pliant_context_get_isa(context);
    pliant_context_destroy(context);
    for (int isa = PLIANT_ISA_PLAIN; isa <= (int)best; isa++) {
        uint64_t hash = 0;
        for (int u = PLIANT_UPDATE_AUTO; u <= PLIANT_UPDATE_HYBRID; u++) {
            hash = run_on((pliant_isa)isa, ordinary, (pliant_update)u);
            if (hash != golden_pairs) {
                fail_msg("the hash is 0x%08" PRIx32 "%08" PRIx32, (uint32_t)(hash >> 32),
                         (uint32_t)hash);
            }
        }
        print_message("golden hash 0x%08" PRIx32 "%08" PRIx32 " by %s\n", (uint32_t)(hash >> 32),
                      (uint32_t)hash, pliant_isa_get_name((pliant_isa)isa));
    }
}

/* What an ordinary caller must find again after every call. */
static void callers_environment_does_not_matter(void **state)
{
    (void)state;
    uint64_t expected_tiny = run_alone(tiny, PLIANT_UPDATE_AUTO);
    for (int m = 0; m < 4; m++) {
        assert_int_equal(fesetround(modes[m]), 0);
        uint64_t hash = run_alone(ordinary, PLIANT_UPDATE_AUTO);
        uint64_t hash_tiny = run_alone(tiny, PLIANT_UPDATE_AUTO);
        int after = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(after, modes[m]);
        assert_int_equal(hash, golden_pairs);
        assert_int_equal(hash_tiny, expected_tiny);
    }
#if defined(__SSE__)
    unsigned saved = _mm_getcsr(), flushing = saved | 0x8040u; /* FTZ and DAZ */
    _mm_setcsr(flushing);
    uint64_t hash = run_alone(ordinary, PLIANT_UPDATE_AUTO);
    uint64_t hash_tiny = run_alone(tiny, PLIANT_UPDATE_AUTO);
    unsigned after = _mm_getcsr();
    _mm_setcsr(saved);
    assert_int_equal(after & 0xffc0u, flushing & 0xffc0u);
    assert_int_equal(hash, golden_pairs);
    assert_int_equal(hash_tiny, expected_tiny);
#endif
}

static uint64_t hash_numbers(uint64_t hash, const void *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, (const uint32_t *)numbers + i, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* The boxes of a body that is new, and then given by positions if it may be; a vertex of each
   proxy. All of it under the environment in force. */
static uint64_t hash_new_body(pliant_context *context, const model_case *c, pliant_bound_kind bound)
{
    enum { PROXIES = 400 };
    pliant_shape *shape = model_case_shape(context, c, bound, fixture_usual_tree);
    pliant_body *body = NULL;
    pliant_box boxes[2];
    pliant_proxy proxies[PROXIES];
    uint32_t vertices[PROXIES], count = 0;
    assert_ok(pliant_shape_validate(shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_ok(pliant_body_get_bounds(body, &boxes[0]));
    if (c->kind == MODEL_RIGID) {
        assert_ok(pliant_body_set_transforms(body, c->transforms, 1, 0));
        assert_ok(pliant_body_set_positions(body, c->mesh.positions, 0));
    }
    assert_ok(pliant_body_get_bounds(body, &boxes[1]));
    assert_ok(pliant_shape_get_proxies(shape, proxies, PROXIES, &count));
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(pliant_shape_get_proxy_vertex(shape, proxies[i], &vertices[i]));
    }
    uint64_t hash = hash_numbers(UINT64_C(0xcbf29ce484222325), boxes, sizeof boxes / 4);
    hash = hash_numbers(hash, vertices, count);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    return hash;
}

/* Bodies are made in our environment, not in the caller's. */
static void callers_environment_does_not_matter_to_new_bodies(void **state)
{
    (void)state;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    for (int i = 0; i < 3 * MODEL_KINDS * (PLIANT_BOUND_AFFINE + 1); i++) {
        rng r;
        rng_seed(&r, (uint64_t)i);
        const double scales[] = {1.0, 1e-40, 1e-30};
        model_case c = model_case_create((model_kind)(i / 3 % MODEL_KINDS), MODEL_ALIGNED,
                                         scales[i % 3], 0.0, 320, &r);
        c.proxy_triangles = 4;
        pliant_bound_kind bound = (pliant_bound_kind)(i / 3 / MODEL_KINDS);
        uint64_t expected = hash_new_body(context, &c, bound);
        for (int m = 0; m < 4; m++) {
            fesetround(modes[m]);
#if defined(__SSE__)
            unsigned saved = _mm_getcsr();
            _mm_setcsr(saved | (m % 2 == 0 ? 0x8040u : 0u)); /* flush denormals */
#endif
            uint64_t hash = hash_new_body(context, &c, bound);
#if defined(__SSE__)
            _mm_setcsr(saved);
#endif
            assert_int_equal(fegetround(), modes[m]);
            fesetround(FE_TONEAREST);
            assert_int_equal(hash, expected);
        }
        model_case_destroy(&c);
    }
    pliant_context_destroy(context);
}

/* ------------------------------------------------------------ trees that follow the state */

enum { CHANGING_STEPS = 24 };

/* A scene whose trees change, with all of its states. */
typedef struct changing {
    gallery_scene *scene;
    float *positions[CHANGING_STEPS + 1];
} changing;

static changing changing_create(const gallery_kind *kind)
{
    gallery_settings settings = {.triangles = 2000, .steps = CHANGING_STEPS, .seed = 1};
    changing c = {.scene = gallery_create(kind, &settings)};
    for (uint32_t step = 0; step <= CHANGING_STEPS; step++) {
        c.positions[step] = malloc(3 * (size_t)c.scene->bodies[0].vertex_count * sizeof(float));
        gallery_evaluate(c.scene, 0, step, c.positions[step]);
    }
    return c;
}

static void changing_destroy(changing *c)
{
    for (uint32_t step = 0; step <= CHANGING_STEPS; step++) {
        free(c->positions[step]);
    }
    gallery_destroy(c->scene);
}

static void tear_as_the_scene_does(const gallery_scene *from, pliant_body *body, uint32_t step)
{
    pliant_tear tear;
    uint32_t vertices = pliant_shape_get_vertex_count(pliant_body_get_shape(body));
    if (from->kind->tear != NULL && from->kind->tear(from, vertices, step, &tear)) {
        assert_ok(pliant_body_tear(body, &tear));
    }
}

/* The hash of all pairs of the first body with itself; *counts is that of what they cost. */
static uint64_t run_changing(pliant_context *context, const changing *c, pliant_update update,
                             uint64_t *counts)
{
    const gallery_mesh *mesh =
        c->scene->kind->whole != NULL ? c->scene->kind->whole(c->scene) : &c->scene->bodies[0];
    pliant_shape *shape = fixture_shape(context, mesh, fixture_usual_tree);
    pliant_body_def def = pliant_body_def_default();
    def.update = update;
    def.rebuild = PLIANT_REBUILD_AUTO;
    pliant_body *body = NULL;
    pliant_query *query = NULL;
    assert_ok(pliant_body_create(shape, &def, &body));
    assert_ok(pliant_query_create(context, &query));
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t step = 0; step <= CHANGING_STEPS; step++) {
        pliant_contacts contacts;
        pliant_body_quality quality;
        tear_as_the_scene_does(c->scene, body, step);
        if (step % 8 == 5) {
            pli_body_ask_rebuild(body);
        }
        assert_ok(pliant_body_set_positions(body, c->positions[step], 0));
        assert_ok(pliant_collide_self(query, body, NULL, &contacts));
        hash = hash_pairs(hash, &contacts);
        assert_ok(pliant_body_get_quality(body, &quality));
        const pliant_stats *stats = pliant_query_get_stats(query);
        const uint64_t numbers[] = {stats->nodes_tested,       stats->bound_sizes,
                                    stats->bound_sizes_at_cut, stats->triangle_tests,
                                    quality.rebuilds,          quality.sorts};
        *counts = hash_numbers(*counts, numbers, sizeof numbers / 4);
        *counts = hash_numbers(*counts, &quality.decay, sizeof quality.decay / 4);
    }
    pliant_query_destroy(query);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    return hash;
}

/* The same pairs with every strategy, and besides the same decisions and counts by every
   instruction set and in every environment. */
static void changing_trees_do_not_matter(void **state)
{
    (void)state;
    const gallery_kind *const kinds[] = {&gallery_tear, &gallery_shatter};
    const uint64_t golden[] = {golden_torn, golden_shattered};
    for (int k = 0; k < 2; k++) {
        changing c = changing_create(kinds[k]);
        for (int u = PLIANT_UPDATE_AUTO; u <= PLIANT_UPDATE_FRONT; u++) {
            uint64_t expected = 0;
            for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
                pliant_context *context =
                    fixture_context_with((pliant_isa)isa, 1 + (uint32_t)isa % 2);
                uint64_t counts = 0;
                fesetround(modes[(u + isa) % 4]);
                uint64_t hash = run_changing(context, &c, (pliant_update)u, &counts);
                fesetround(FE_TONEAREST);
                if (hash != golden[k]) {
                    fail_msg("the hash of %s is 0x%08" PRIx32 "%08" PRIx32, kinds[k]->name,
                             (uint32_t)(hash >> 32), (uint32_t)hash);
                }
                expected = isa == PLIANT_ISA_PLAIN ? counts : expected;
                assert_int_equal(counts, expected);
                pliant_context_destroy(context);
            }
        }
        changing_destroy(&c);
    }
}

/* Threads share a context and its page pool, and nothing else. */
typedef struct worker {
    pli_thread thread;
    pliant_context *context;
    pliant_update update;
    uint64_t hash;
} worker;

static void work(void *argument)
{
    worker *w = argument;
    w->hash = run_scene(w->context, scene, ordinary, w->update);
}

static void threads_get_the_same_answer(void **state)
{
    (void)state;
    if (!PLI_HAVE_THREADS) {
        return;
    }
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    worker workers[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = (worker){.context = context, .update = (pliant_update)i};
        assert_true(pli_thread_start(&workers[i].thread, work, &workers[i]));
    }
    for (int i = 0; i < 4; i++) {
        pli_thread_join(&workers[i].thread);
        assert_int_equal(workers[i].hash, golden_pairs);
    }
    pliant_context_destroy(context);
}

/* Prepared bodies are only read: any number of threads may ask at once. */
typedef struct reader {
    pli_thread thread;
    pliant_query *query;
    pliant_body **body;
    uint64_t count;
} reader;

static void read_prepared(void *argument)
{
    reader *r = argument;
    for (int i = 0; i < 20; i++) {
        pliant_contacts contacts;
        assert_ok(pliant_collide(r->query, r->body[0], r->body[1], NULL, &contacts));
        r->count = contacts.count;
    }
}

static void prepared_bodies_are_only_read(void **state)
{
    (void)state;
    if (!PLI_HAVE_THREADS) {
        return;
    }
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    pliant_shape *shape[2];
    pliant_body *body[2];
    for (int u = PLIANT_UPDATE_AUTO; u <= PLIANT_UPDATE_HYBRID; u++) {
        for (int i = 0; i < 2; i++) {
            shape[i] = fixture_shape(context, &scene->bodies[i], fixture_usual_tree);
            assert_ok(pliant_body_create(shape[i], NULL, &body[i]));
            assert_ok(pliant_body_set_update(body[i], (pliant_update)u, 0, 1));
            assert_ok(pliant_body_share_positions(body[i], ordinary[i][20], 0));
            assert_ok(pliant_body_prepare(body[i]));
        }
        reader readers[4];
        for (int i = 0; i < 4; i++) {
            readers[i] = (reader){.body = body};
            assert_ok(pliant_query_create(context, &readers[i].query));
            assert_true(pli_thread_start(&readers[i].thread, read_prepared, &readers[i]));
        }
        for (int i = 0; i < 4; i++) {
            pli_thread_join(&readers[i].thread);
            assert_int_equal(readers[i].count, readers[0].count);
            const pliant_stats *stats = pliant_query_get_stats(readers[i].query);
            assert_int_equal(stats->nodes_refreshed + stats->clusters_refreshed, 0);
            pliant_query_destroy(readers[i].query);
        }
        assert_true(readers[0].count > 100);
        for (int i = 0; i < 2; i++) {
            pliant_body_destroy(body[i]);
            pliant_shape_destroy(shape[i]);
        }
    }
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_is_the_one_written_down),
        cmocka_unit_test(callers_environment_does_not_matter),
        cmocka_unit_test(callers_environment_does_not_matter_to_new_bodies),
        cmocka_unit_test(changing_trees_do_not_matter),
        cmocka_unit_test(threads_get_the_same_answer),
        cmocka_unit_test(prepared_bodies_are_only_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
