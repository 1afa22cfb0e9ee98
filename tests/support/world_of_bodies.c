#include "world_of_bodies.h"

#include <stdlib.h>

model_case world_cases[BODIES];

/* Three workers that take turns on one thread, so that every run allocates in the same order. */
static void take_turns(void *user, pliant_task task, void *argument, uint32_t count)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++) {
        task(argument, i, i % 3);
    }
}

pliant_shape_def world_shape_def(int i)
{
    const model_case *c = &world_cases[i];
    pliant_shape_def def = fixture_shape_def(&c->mesh);
    if (i < MODEL_KINDS) {
        def.modes = c->model.modes;
        def.mode_count = c->model.mode_count;
        def.joint_count = c->model.joint_count;
        def.influence_offsets = c->model.influence_offsets;
        def.influence_joints = c->model.influence_joints;
        def.influence_weights = c->model.influence_weights;
        def.bound = i == MODEL_MODES ? PLIANT_BOUND_SPHERE : PLIANT_BOUND_AUTO;
    }
    def.partition = (pliant_partition)(i % 4);
    def.leaf_size = 1 + (uint32_t)i % 8;
    def.proxy_triangles = 8;
    return def;
}

pliant_result world_set_model(world *w, int i)
{
    const model_case *c = &world_cases[i];
    pliant_result result = PLIANT_OK;
    if (c->model.mode_count > 0) {
        result = pliant_body_set_coordinates(w->body[i], c->coordinates, c->model.mode_count);
    }
    if (c->model.joint_count > 0 && result == PLIANT_OK) {
        result = pliant_body_set_transforms(w->body[i], c->transforms, c->model.joint_count, 0);
    }
    return result;
}

/* How a body takes part: some with themselves, as proxies, or with a box that is vouched for. */
pliant_member_def world_member_def(int i)
{
    pliant_member_def def = pliant_member_def_default();
    def.self = i % 2 == 1;
    def.proxies = i != FREE;
    def.has_loose_box = i == MODEL_RIGID || i == MODEL_BLENDED || i == OTHER_FREE;
    def.loose_box = (pliant_box){{-99.0f, -99.0f, -99.0f}, {99.0f, 99.0f, 99.0f}};
    return def;
}

static void make_body(world *w, int i)
{
    pliant_shape_def shape = world_shape_def(i);
    assert_ok(pliant_shape_create(w->context, &shape, &w->shape[i]));
    pliant_body_def def = pliant_body_def_default();
    def.coherent = i == MODEL_REDUCED;
    def.update = i == OTHER_FREE ? PLIANT_UPDATE_BOTTOM_UP : PLIANT_UPDATE_AUTO;
    assert_ok(pliant_body_create(w->shape[i], &def, &w->body[i]));
    if (i < MODEL_KINDS) {
        assert_ok(world_set_model(w, i));
    } else {
        assert_ok(pliant_body_share_positions(w->body[i], world_cases[i].positions, 0));
    }
    pliant_member_def member = world_member_def(i);
    assert_ok(pliant_scene_add(w->scene, w->body[i], &member, &w->id[i]));
}

void *world_create(counting_allocator *allocator)
{
    world *w = calloc(1, sizeof *w);
    pliant_scheduler turns = {.run = take_turns, .worker_count = 3};
    w->context = fixture_context_of(allocator, turns);
    assert_non_null(w->context);
    assert_ok(pliant_scene_create(w->context, NULL, &w->scene));
    assert_ok(pliant_query_create(w->context, &w->query));
    assert_ok(pliant_volume_create(w->context, NULL, &w->volume));
    assert_ok(pliant_contours_create(w->context, &w->contours));
    for (int i = 0; i < BODIES; i++) {
        make_body(w, i);
    }
    return w;
}

void world_destroy(void *made)
{
    world *w = made;
    pliant_volume_destroy(w->volume);
    pliant_contours_destroy(w->contours);
    pliant_query_destroy(w->query);
    pliant_scene_destroy(w->scene);
    for (int i = 0; i < BODIES; i++) {
        pliant_body_destroy(w->body[i]);
        pliant_shape_destroy(w->shape[i]);
    }
    pliant_context_destroy(w->context);
    free(w);
}

float *world_positions(const world *w, int i)
{
    uint32_t count = pliant_shape_get_vertex_count(w->shape[i]);
    float *positions = malloc(3 * (size_t)count * sizeof *positions);
    assert_ok(pliant_body_evaluate(w->body[i], NULL, count, positions));
    return positions;
}

/* Where all vertices are, and who is in the scene. */
uint64_t world_fingerprint(const void *made)
{
    const world *w = made;
    uint64_t hash = 1;
    for (int i = 0; i < BODIES; i++) {
        float *positions = world_positions(w, i);
        hash =
            hash_bytes(hash, positions,
                       3 * (size_t)pliant_shape_get_vertex_count(w->shape[i]) * sizeof *positions);
        free(positions);
        bool member = pliant_scene_get_body(w->scene, w->id[i]) == w->body[i];
        hash = hash_bytes(hash, &member, sizeof member);
    }
    uint32_t members = pliant_scene_get_body_count(w->scene);
    return hash_bytes(hash, &members, sizeof members);
}

uint64_t world_hash_pairs(const pliant_scene_pair *bodies, uint32_t count)
{
    uint64_t hash = 2;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t pair[] = {bodies[i].a.index, bodies[i].b.index, bodies[i].first, bodies[i].count};
        hash = hash_bytes(hash, pair, sizeof pair);
    }
    return hash;
}

uint64_t world_hash_contacts(const pliant_scene_contacts *contacts)
{
    uint64_t hash = world_hash_pairs(contacts->bodies, contacts->body_pair_count);
    return hash_bytes(hash, contacts->pairs, (size_t)contacts->count * sizeof *contacts->pairs);
}

uint64_t world_answer(void *made)
{
    world *w = made;
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_collide(w->scene, NULL, &contacts));
    return world_hash_contacts(&contacts);
}

/* The same after every body has been looked at in an earlier state. */
void *world_create_warm(counting_allocator *allocator)
{
    world *w = world_create(allocator);
    world_answer(w);
    for (int i = 0; i < BODIES; i++) {
        if (i < MODEL_KINDS) {
            assert_ok(world_set_model(w, i));
        } else {
            assert_ok(pliant_body_share_positions(w->body[i], world_cases[i].positions, 0));
        }
    }
    return w;
}

/* The same with free bodies that were torn, and all bodies in the middle of a step. */
static void *world_create_torn(counting_allocator *allocator)
{
    world *w = world_create_warm(allocator);
    for (int i = 0; i < BODIES; i++) {
        static const uint32_t removed[] = {3, 17};
        const pliant_tear tear = {.removed = removed, .removed_count = 2};
        if (i >= MODEL_KINDS) {
            assert_ok(pliant_body_tear(w->body[i], &tear));
        }
        assert_ok(pliant_body_begin_step(w->body[i]));
    }
    return w;
}

void world_try_calls(const failing_call *calls, size_t count, uint64_t least)
{
    const failing_world kinds[] = {
        {world_create, world_destroy, world_fingerprint, world_answer},
        {world_create_warm, world_destroy, world_fingerprint, world_answer},
        {world_create_torn, world_destroy, world_fingerprint, world_answer}};
    uint64_t tried = 0;
    for (size_t i = 0; i < count; i++) {
        for (int kind = 0; kind < 3; kind++) {
            tried += try_failing_call(&kinds[kind], &calls[i]);
        }
    }
    assert_true(tried >= least);
}

int world_set_up(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 30);
    for (int i = 0; i < BODIES; i++) {
        model_kind kind = i < MODEL_KINDS ? (model_kind)i : MODEL_RIGID;
        world_cases[i] = model_case_create(kind, MODEL_SMOOTH, 1.0, 0.0, TRIANGLES, &r);
    }
    return 0;
}

int world_tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < BODIES; i++) {
        model_case_destroy(&world_cases[i]);
    }
    return 0;
}
