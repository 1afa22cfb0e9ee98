/* The library as a contestant: many bodies in a scene. */
#include "ours.h"

#include "body/refresh.h"

#include <stdlib.h>

typedef struct ours_scene {
    const bench_method *method;
    const bench_motion *motion;
    uint32_t body_count;
    pliant_context *context;
    pliant_shape *shapes[BENCH_MAX_BODIES];
    pliant_body *bodies[BENCH_MAX_BODIES];
    pliant_scene *scene;
    bench_range ranges[BENCH_MAX_BODIES * (BENCH_MAX_BODIES - 1) / 2];
} ours_scene;

static void destroy(void *state)
{
    ours_scene *own = state;
    if (own == NULL) {
        return;
    }
    pliant_scene_destroy(own->scene);
    for (uint32_t i = 0; i < own->body_count; i++) {
        pliant_body_destroy(own->bodies[i]);
    }
    for (uint32_t i = 0; i < own->body_count; i++) {
        pliant_shape_destroy(own->shapes[i]);
    }
    pliant_context_destroy(own->context);
    free(own);
}

/* Every body has a shape of its own, made from its start, as a rival's tree is; only twins share
   one. Bodies are added in order, so that a body's index in the scene is its number in the motion.
 */
static bool add_body(ours_scene *own, const bench_motion *motion, uint32_t i)
{
    const bench_method *method = own->method;
    pliant_body_def def = pliant_body_def_default();
    def.update = (pliant_update)method->variant;
    pliant_body_id id;
    uint32_t twin = motion->twins[i];
    return (twin != i || ours_create_shape_of(own->context, method, motion, i, &own->shapes[i])) &&
           pliant_body_create(own->shapes[twin], &def, &own->bodies[i]) == PLIANT_OK &&
           pliant_scene_add(own->scene, own->bodies[i], NULL, &id) == PLIANT_OK;
}

static void *create(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings)
{
    ours_scene *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->method = method;
    own->motion = motion;
    own->body_count = motion->body_count;
    pliant_scene_def def = pliant_scene_def_default();
    def.broad = method->broad;
    bool done = ours_create_context(method, settings, &own->context) &&
                pliant_scene_create(own->context, &def, &own->scene) == PLIANT_OK;
    for (uint32_t i = 0; done && i < motion->body_count; i++) {
        done = add_body(own, motion, i);
    }
    if (!done) {
        destroy(own);
        return NULL;
    }
    return own;
}

/* With workers the scene spreads the update over them, so it is left to the scene. */
static bool scene_updates(const ours_scene *own)
{
    return pliant_context_get_worker_count(own->context) > 1;
}

static bool set_states(ours_scene *own, const bench_frame *frame)
{
    for (uint32_t i = 0; i < own->body_count; i++) {
        if (!ours_set_state(own->bodies[i], own->motion, frame, i)) {
            return false;
        }
    }
    return true;
}

/* The update of each body, ahead of the scene so that it can be timed. */
static bool update_bodies(ours_scene *own)
{
    for (uint32_t i = 0; i < own->body_count; i++) {
        if (pli_body_prepare(own->bodies[i]) != PLIANT_OK) {
            return false;
        }
    }
    return true;
}

static void show(ours_scene *own, const pliant_scene_contacts *contacts, bench_outcome *outcome)
{
    for (uint32_t i = 0; i < contacts->body_pair_count; i++) {
        const pliant_scene_pair *pair = &contacts->bodies[i];
        own->ranges[i] = (bench_range){
            .a = pair->a.index, .b = pair->b.index, .first = pair->first, .count = pair->count};
    }
    outcome->pairs = contacts->pairs;
    outcome->ranges = own->ranges;
    outcome->range_count = contacts->body_pair_count;
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    ours_scene *own = state;
    pliant_scene_options options = pliant_scene_options_default();
    options.mode = first_only ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    pliant_scene_contacts contacts;
    double start = bench_seconds(), updated = start;
    if (!set_states(own, frame)) {
        return false;
    }
    if (!scene_updates(own)) {
        if (!update_bodies(own)) {
            return false;
        }
        updated = bench_seconds();
    }
    if (pliant_scene_collide(own->scene, &options, &contacts) != PLIANT_OK) {
        return false;
    }
    outcome->total_seconds = bench_seconds() - start;
    outcome->update_seconds = scene_updates(own)
                                  ? pliant_scene_get_stats(own->scene)->narrow.seconds_update
                                  : updated - start;
    show(own, &contacts, outcome);
    return true;
}

#define OURS .create = create, .step = step, .destroy = destroy

const bench_method bench_scene_modern = {
    .name = "modern bottom-up", .variant = PLIANT_UPDATE_BOTTOM_UP, OURS};
const bench_method bench_scene_modern_plain = {.name = "modern bottom-up, plain C",
                                               .variant = PLIANT_UPDATE_BOTTOM_UP,
                                               .isa = PLIANT_ISA_PLAIN,
                                               OURS};
const bench_method bench_scene_plain = {.name = "ours, auto, plain", .isa = PLIANT_ISA_PLAIN, OURS};
const bench_method bench_scene_bottom_up = {
    .name = "ours, bottom-up", .variant = PLIANT_UPDATE_BOTTOM_UP, OURS};
const bench_method bench_scene_top_down = {
    .name = "ours, top-down", .variant = PLIANT_UPDATE_TOP_DOWN, OURS};
const bench_method bench_scene_hybrid = {
    .name = "ours, hybrid", .variant = PLIANT_UPDATE_HYBRID, OURS};
const bench_method bench_scene_front = {
    .name = "ours, front", .variant = PLIANT_UPDATE_FRONT, OURS};
const bench_method bench_scene_auto = {.name = "ours, auto", OURS};
const bench_method bench_scene_sweep = {
    .name = "ours, auto, sweep and prune", .broad = PLIANT_BROAD_SWEEP, OURS};
const bench_method bench_scene_grid = {
    .name = "ours, auto, grid", .broad = PLIANT_BROAD_GRID, OURS};
const bench_method bench_scene_avx2 = {.name = "ours, auto, avx2", .isa = PLIANT_ISA_AVX2, OURS};
