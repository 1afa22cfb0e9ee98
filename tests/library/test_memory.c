/*
 * T10: the N-th allocation fails, once and from then on, for every N and every public call: the
 * right error, no leak, and what was there before still answers. T13: once warm, no step allocates,
 * and memory stays flat.
 */
#include "fixture.h"
#include "models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Settings of a scenario; all of them make two bodies and ask them everything. */
typedef struct scenario {
    const char *name;
    fixture_tree tree;
    pliant_update update;
    bool segments, copied;
    int kind; /* a model_kind, or -1: free bodies */
    pliant_bound_kind bound;
} scenario;

static const scenario scenarios[] = {
    {"balanced, hybrid", {PLIANT_PARTITION_BALANCED, 8, 8}, PLIANT_UPDATE_AUTO, false, true, -1, 0},
    {"balanced, bottom-up",
     {PLIANT_PARTITION_BALANCED, 2, 1},
     PLIANT_UPDATE_BOTTOM_UP,
     true,
     false,
     -1,
     0},
    {"by shape, top-down",
     {PLIANT_PARTITION_SHAPE_MEAN, 8, 4},
     PLIANT_UPDATE_TOP_DOWN,
     true,
     true,
     -1,
     0},
    {"by connectivity",
     {PLIANT_PARTITION_CONNECTIVITY, 4, 8},
     PLIANT_UPDATE_HYBRID,
     false,
     false,
     -1,
     0},
    {"by shape, one per leaf",
     {PLIANT_PARTITION_SHAPE_CENTRE, 8, 1},
     PLIANT_UPDATE_AUTO,
     true,
     false,
     -1,
     0},
    {"reduced, affine",
     {PLIANT_PARTITION_BALANCED, 8, 8},
     PLIANT_UPDATE_AUTO,
     false,
     false,
     MODEL_REDUCED,
     PLIANT_BOUND_AFFINE},
    {"reduced, smallest spheres",
     {PLIANT_PARTITION_BALANCED, 8, 8},
     PLIANT_UPDATE_TOP_DOWN,
     false,
     false,
     MODEL_REDUCED,
     PLIANT_BOUND_SPHERE},
    {"composed, front",
     {PLIANT_PARTITION_BALANCED, 8, 8},
     PLIANT_UPDATE_FRONT,
     false,
     false,
     MODEL_COMPOSED,
     PLIANT_BOUND_AUTO},
};

/* Objects of a run; each is NULL until made. */
typedef struct world {
    pliant_context *context;
    pliant_query *query;
    pliant_shape *shape[2], *copy;
    pliant_body *body[2];
    void *block;
    uint64_t pairs, self_pairs; /* what was answered */
} world;

static gallery_scene *scene;
static float *positions[2];
static model_case models[MODEL_KINDS][2];

/* Adds a model to a definition. */
static void add_model(const scenario *s, const model_case *c, pliant_shape_def *def)
{
    def->positions = c->mesh.positions;
    def->modes = c->model.modes;
    def->mode_count = c->model.mode_count;
    def->joint_count = c->model.joint_count;
    def->influence_offsets = c->model.influence_offsets;
    def->influence_joints = c->model.influence_joints;
    def->influence_weights = c->model.influence_weights;
    def->bound = s->bound;
    def->sphere_centre = PLIANT_SPHERE_SMALLEST;
    def->proxy_triangles = 8;
}

static pliant_result make_shape(world *w, const scenario *s, int i)
{
    const gallery_mesh *mesh = s->kind >= 0 ? &models[s->kind][i].mesh : &scene->bodies[i];
    uint16_t groups[1280];
    memset(groups, 0, sizeof groups);
    pliant_shape_def def = fixture_shape_def(mesh);
    def.groups = groups;
    def.partition = s->tree.partition;
    def.arity = s->tree.arity;
    def.leaf_size = s->tree.leaf_size;
    if (s->kind >= 0) {
        add_model(s, &models[s->kind][i], &def);
    }
    return pliant_shape_create(w->context, &def, &w->shape[i]);
}

static pliant_result set_state(world *w, const scenario *s, int i)
{
    if (s->kind >= 0) {
        const model_case *c = &models[s->kind][i];
        pliant_result result =
            pliant_body_set_coordinates(w->body[i], c->coordinates, c->model.mode_count);
        return result == PLIANT_OK
                   ? pliant_body_set_transforms(w->body[i], c->transforms, c->model.joint_count, 0)
                   : result;
    }
    return s->copied ? pliant_body_set_positions(w->body[i], positions[i], 0)
                     : pliant_body_share_positions(w->body[i], positions[i], 0);
}

static pliant_result ask(world *w, const scenario *s)
{
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.segments = s->segments;
    options.separations = s->segments; /* as much memory again */
    pliant_result result = pliant_collide(w->query, w->body[0], w->body[1], &options, &contacts);
    if (result == PLIANT_OK) {
        w->pairs = contacts.count;
        options.neighbours = PLIANT_NEIGHBOURS_ALL;
        result = pliant_collide_self(w->query, w->body[0], &options, &contacts);
    }
    if (result == PLIANT_OK) {
        w->self_pairs = contacts.count;
    }
    return result;
}

static pliant_result copy_shape(world *w)
{
    uint64_t size = 0;
    pliant_result result = pliant_shape_write(w->shape[0], NULL, 0, &size);
    if (result == PLIANT_OK) {
        w->block = malloc((size_t)size);
        result = pliant_shape_write(w->shape[0], w->block, size, &size);
    }
    return result == PLIANT_OK ? pliant_shape_read(w->context, w->block, size, &w->copy) : result;
}

/* The calls of a scenario, one by one; returns at the first failure. */
static pliant_result run(world *w, const scenario *s)
{
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < 2 && result == PLIANT_OK; i++) {
        result = make_shape(w, s, i);
        if (result == PLIANT_OK) {
            pliant_body_def def = pliant_body_def_default();
            def.coherent = i == 0;
            result = pliant_body_create(w->shape[i], &def, &w->body[i]);
        }
        if (result == PLIANT_OK) {
            result = pliant_body_set_update(w->body[i], s->update, 0, 1);
        }
        if (result == PLIANT_OK) {
            result = set_state(w, s, i);
        }
    }
    if (result == PLIANT_OK) {
        result = pliant_query_create(w->context, &w->query);
    }
    if (result == PLIANT_OK) {
        result = ask(w, s);
    }
    return result == PLIANT_OK ? copy_shape(w) : result;
}

static void world_destroy(world *w)
{
    pliant_query_destroy(w->query);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(w->body[i]);
        pliant_shape_destroy(w->shape[i]);
    }
    pliant_shape_destroy(w->copy);
    pliant_context_destroy(w->context);
    free(w->block);
}

/* One run in which allocation `n` fails. Returns false when the run got by without it. */
static bool run_with_failure(const scenario *s, uint64_t n, bool from_there, const world *expected)
{
    counting_allocator allocator = {.fail_at = n, .fail_from_there = from_there};
    world w = {.context = fixture_context(&allocator)};
    if (w.context == NULL) {
        assert_int_equal(allocator.live, 0);
        return true;
    }
    pliant_result result = run(&w, s);
    bool failed = result != PLIANT_OK;
    if (failed) {
        if (result != PLIANT_ERROR_OUT_OF_MEMORY) {
            fail_msg("%s: failing allocation %llu gives %s", s->name, (unsigned long long)n,
                     pliant_result_get_name(result));
        }
        assert_non_null(strstr(pliant_last_error(), "no memory for"));
    }
    /* With memory again, whatever exists still works, and the answers are right. */
    allocator.fail_at = 0;
    if (w.query != NULL) {
        assert_ok(ask(&w, s));
        assert_int_equal(w.pairs, expected->pairs);
        assert_int_equal(w.self_pairs, expected->self_pairs);
    }
    world_destroy(&w);
    assert_int_equal(allocator.live, 0);
    assert_int_equal(allocator.live_bytes, 0);
    return failed;
}

static void make_scene(uint32_t triangles)
{
    gallery_settings settings = {.triangles = triangles, .seed = 1};
    scene = gallery_create(&gallery_spheres, &settings);
    for (uint32_t i = 0; i < 2; i++) {
        positions[i] = malloc(scene->bodies[i].vertex_count * 3 * sizeof(float));
        gallery_evaluate(scene, i, scene->steps, positions[i]);
    }
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        rng r;
        rng_seed(&r, 20);
        for (int i = 0; i < 2; i++) {
            models[kind][i] = model_case_create(kind, MODEL_SMOOTH, 1.0, 0.0, triangles, &r);
        }
    }
}

static void free_scene(void)
{
    free(positions[0]);
    free(positions[1]);
    gallery_destroy(scene);
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        for (int i = 0; i < 2; i++) {
            model_case_destroy(&models[kind][i]);
        }
    }
}

static void every_failing_allocation(void **state)
{
    (void)state;
    make_scene(1280);
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        counting_allocator allocator = {0};
        world w = {.context = fixture_context(&allocator)};
        assert_ok(run(&w, &scenarios[i]));
        assert_true(w.pairs > 100 && w.self_pairs > 5000);
        uint64_t calls = allocator.calls;
        world_destroy(&w);
        assert_int_equal(allocator.live, 0);
        /* Small runs, under sanitizers, leave some out: each is a whole scenario. */
        uint64_t step = fixture_scale() < 0.1   ? 1 + calls / 6
                        : fixture_scale() < 1.0 ? 1 + calls / 16
                                                : 1;
        for (uint64_t n = 1; n <= calls; n += step) {
            assert_true(run_with_failure(&scenarios[i], n, false, &w));
            assert_true(run_with_failure(&scenarios[i], n, true, &w));
        }
        assert_false(run_with_failure(&scenarios[i], calls + 1, false, &w));
    }
    free_scene();
}

/* A set that fails for want of memory leaves the previous state answering. */
static void failing_set_keeps_the_state(void **state)
{
    (void)state;
    make_scene(320);
    counting_allocator allocator = {0};
    world w = {.context = fixture_context(&allocator)};
    scenario s = scenarios[3];
    assert_ok(run(&w, &s));
    uint64_t pairs = w.pairs;
    allocator.fail_at = allocator.calls + 1;
    assert_int_equal(pliant_body_set_positions(w.body[0], positions[1], 0),
                     PLIANT_ERROR_OUT_OF_MEMORY);
    assert_ok(ask(&w, &s));
    assert_int_equal(w.pairs, pairs);
    world_destroy(&w);
    assert_int_equal(allocator.live, 0);
    free_scene();
}

/* The whole approach again and again: the first pass warms up, the others must not allocate. */
static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    make_scene(1280);
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        const scenario *s = &scenarios[i];
        counting_allocator allocator = {0};
        world w = {.context = fixture_context(&allocator)};
        assert_ok(run(&w, s));
        uint64_t calls = 0, bytes = 0;
        uint32_t steps = fixture_count(200), period = fixture_scale() < 0.1 ? 20 : 50;
        for (uint32_t step = 0; step < period + steps; step++) {
            for (uint32_t b = 0; b < 2; b++) {
                gallery_evaluate(scene, b, scene->steps * (step % period) / period, positions[b]);
                assert_ok(set_state(&w, s, (int)b));
            }
            assert_ok(ask(&w, s));
            if (step + 1 == period) {
                calls = allocator.calls;
                bytes = allocator.live_bytes;
            }
        }
        assert_int_equal(allocator.calls, calls);
        assert_int_equal(allocator.live_bytes, bytes);
        world_destroy(&w);
    }
    free_scene();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_allocation),
        cmocka_unit_test(failing_set_keeps_the_state),
        cmocka_unit_test(warm_steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
