/*
 * T10 for every public call of the asset library that is given a context: loading every format,
 * sampling, applying, fitting. What is asked after each failure is which triangles of the skinned
 * body touch another one, in a pose.
 */
#include "asset_seeds.h"
#include "failing_memory.h"

#include "pliant/fit.h"

#include <stdlib.h>

enum { SKINNED = 6 }; /* which seed is animated */

static seed seeds[SEEDS];

typedef struct world {
    pliant_context *context;
    pliant_asset *asset;
    pliant_asset_pose *pose;
    pliant_shape *shape;
    pliant_body *body[2];
    pliant_query *query;
} world;

/* Loads one seed; a cache is loaded alone, as points. */
static pliant_result load(pliant_context *context, int i, pliant_asset **asset)
{
    /* The asset of the world reads its files as long as it lives. */
    static memory_file files[SEEDS];
    static memory_folder folders[SEEDS];
    files[i] = (memory_file){seeds[i].path, seeds[i].bytes.at, seeds[i].bytes.size};
    folders[i] = (memory_folder){&files[i], 1};
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = &seeds[i].path;
    def.path_count = 1;
    def.files = memory_files(&folders[i]);
    return pliant_asset_load(context, &def, asset);
}

static void *create_world(counting_allocator *allocator)
{
    world *w = calloc(1, sizeof *w);
    w->context = fixture_context(allocator);
    assert_ok(load(w->context, SKINNED, &w->asset));
    assert_ok(pliant_asset_pose_create(w->asset, &w->pose));
    pliant_shape_def def;
    assert_ok(pliant_asset_get_shape_def(w->asset, 0, &def));
    assert_ok(pliant_shape_create(w->context, &def, &w->shape));
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_create(w->shape, NULL, &w->body[i]));
    }
    assert_ok(pliant_query_create(w->context, &w->query));
    return w;
}

static void destroy_world(void *made)
{
    world *w = made;
    pliant_query_destroy(w->query);
    pliant_body_destroy(w->body[0]);
    pliant_body_destroy(w->body[1]);
    pliant_shape_destroy(w->shape);
    pliant_asset_pose_destroy(w->pose);
    pliant_asset_destroy(w->asset);
    pliant_context_destroy(w->context);
    free(w);
}

static uint64_t fingerprint(const void *made)
{
    const world *w = made;
    uint64_t hash = 1;
    for (int i = 0; i < 2; i++) {
        float positions[9];
        assert_int_equal(pliant_shape_get_vertex_count(w->shape), 3);
        assert_ok(pliant_body_evaluate(w->body[i], NULL, 3, positions));
        hash = hash_bytes(hash, positions, sizeof positions);
    }
    return hash;
}

static pliant_result sample_and_apply(void *made, uint64_t *hash)
{
    world *w = made;
    float positions[9];
    *hash = 2;
    pliant_result result = pliant_asset_pose_sample(w->pose, 0, 0.25);
    result = result == PLIANT_OK ? pliant_asset_pose_apply(w->pose, 0, w->body[0]) : result;
    result = result == PLIANT_OK ? pliant_asset_pose_evaluate(w->pose, 0, positions) : result;
    if (result == PLIANT_OK) {
        *hash = hash_bytes(*hash, positions, sizeof positions);
    }
    return result;
}

static uint64_t answer(void *made)
{
    world *w = made;
    uint64_t hash = 0;
    assert_ok(sample_and_apply(made, &hash));
    pliant_contacts contacts;
    assert_ok(pliant_collide(w->query, w->body[0], w->body[1], NULL, &contacts));
    return hash_bytes(hash, contacts.pairs, (size_t)contacts.count * sizeof *contacts.pairs);
}

static pliant_result load_all(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 3;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < SEEDS && result == PLIANT_OK; i++) {
        pliant_asset *asset = NULL;
        pliant_asset_pose *pose = NULL;
        result = load(w->context, i, &asset);
        result = result == PLIANT_OK ? pliant_asset_pose_create(asset, &pose) : result;
        result =
            result == PLIANT_OK ? pliant_asset_pose_sample(pose, PLIANT_ASSET_REST, 0.0) : result;
        if (result == PLIANT_OK) {
            pliant_asset_counts counts = pliant_asset_get_counts(asset);
            *hash = hash_bytes(*hash, &counts, sizeof counts);
        }
        pliant_asset_pose_destroy(pose);
        pliant_asset_destroy(asset);
    }
    return result;
}

static pliant_result fit(void *made, uint64_t *hash)
{
    world *w = made;
    float frames[5 * 9];
    for (int i = 0; i < 5 * 9; i++) {
        frames[i] = (float)(i % 9) + 0.1f * (float)(i / 9 * (i % 7));
    }
    pliant_fit_def def = pliant_fit_def_default();
    def.frames = frames;
    def.frame_count = 5;
    def.vertex_count = 3;
    def.mode_count = 2;
    const pliant_fit *fitted = NULL;
    pliant_result result = pliant_fit_create(w->context, &def, &fitted);
    if (result == PLIANT_OK) {
        *hash = hash_bytes(4, fitted->rest, 9 * sizeof(float));
    }
    pliant_fit_destroy(fitted);
    return result;
}

static const failing_call calls[] = {
    {"load every format", load_all},
    {"sample, apply, evaluate", sample_and_apply},
    {"fit", fit},
};

static void every_call_survives(void **state)
{
    (void)state;
    make_seeds(seeds);
    const failing_world kind = {create_world, destroy_world, fingerprint, answer};
    uint64_t tried = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        tried += try_failing_call(&kind, &calls[i]);
    }
    assert_true(tried > (fixture_scale() < 1.0 ? 20 : 100));
    free_seeds(seeds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_survives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
