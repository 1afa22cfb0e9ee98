/*
 * T10 for every public call of the core: shapes, bodies, queries, scenes and volumes, cold and
 * warm. What is asked after each failure is everything that touches in a scene of bodies of all
 * kinds, which is compared with brute force.
 */
#include "failing_memory.h"
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FREE = MODEL_KINDS, OTHER_FREE, BODIES, TRIANGLES = 60 };

static model_case cases[BODIES]; /* free bodies use the positions of theirs */

typedef struct world {
    pliant_context *context;
    pliant_shape *shape[BODIES];
    pliant_body *body[BODIES];
    pliant_body_id id[BODIES];
    pliant_scene *scene;
    pliant_query *query;
    pliant_volume *volume;
} world;

/* Three workers that take turns on one thread, so that every run allocates in the same order. */
static void take_turns(void *user, pliant_task task, void *argument, uint32_t count)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++) {
        task(argument, i, i % 3);
    }
}

static pliant_shape_def shape_def(int i)
{
    const model_case *c = &cases[i];
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

static pliant_result set_model(world *w, int i)
{
    const model_case *c = &cases[i];
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
static pliant_member_def member_def(int i)
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
    pliant_shape_def shape = shape_def(i);
    assert_ok(pliant_shape_create(w->context, &shape, &w->shape[i]));
    pliant_body_def def = pliant_body_def_default();
    def.coherent = i == MODEL_REDUCED;
    def.update = i == OTHER_FREE ? PLIANT_UPDATE_BOTTOM_UP : PLIANT_UPDATE_AUTO;
    assert_ok(pliant_body_create(w->shape[i], &def, &w->body[i]));
    if (i < MODEL_KINDS) {
        assert_ok(set_model(w, i));
    } else {
        assert_ok(pliant_body_share_positions(w->body[i], cases[i].positions, 0));
    }
    pliant_member_def member = member_def(i);
    assert_ok(pliant_scene_add(w->scene, w->body[i], &member, &w->id[i]));
}

static void *create_world(counting_allocator *allocator)
{
    world *w = calloc(1, sizeof *w);
    pliant_scheduler turns = {.run = take_turns, .worker_count = 3};
    w->context = fixture_context_of(allocator, turns);
    assert_non_null(w->context);
    assert_ok(pliant_scene_create(w->context, NULL, &w->scene));
    assert_ok(pliant_query_create(w->context, &w->query));
    assert_ok(pliant_volume_create(w->context, NULL, &w->volume));
    for (int i = 0; i < BODIES; i++) {
        make_body(w, i);
    }
    return w;
}

static void destroy_world(void *made)
{
    world *w = made;
    pliant_volume_destroy(w->volume);
    pliant_query_destroy(w->query);
    pliant_scene_destroy(w->scene);
    for (int i = 0; i < BODIES; i++) {
        pliant_body_destroy(w->body[i]);
        pliant_shape_destroy(w->shape[i]);
    }
    pliant_context_destroy(w->context);
    free(w);
}

static float *evaluated(const world *w, int i)
{
    uint32_t count = pliant_shape_get_vertex_count(w->shape[i]);
    float *positions = malloc(3 * (size_t)count * sizeof *positions);
    assert_ok(pliant_body_evaluate(w->body[i], NULL, count, positions));
    return positions;
}

/* Where all vertices are, and who is in the scene. */
static uint64_t fingerprint(const void *made)
{
    const world *w = made;
    uint64_t hash = 1;
    for (int i = 0; i < BODIES; i++) {
        float *positions = evaluated(w, i);
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

static uint64_t hash_scene_pairs(const pliant_scene_pair *bodies, uint32_t count)
{
    uint64_t hash = 2;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t pair[] = {bodies[i].a.index, bodies[i].b.index, bodies[i].first, bodies[i].count};
        hash = hash_bytes(hash, pair, sizeof pair);
    }
    return hash;
}

static uint64_t hash_contacts(const pliant_scene_contacts *contacts)
{
    uint64_t hash = hash_scene_pairs(contacts->bodies, contacts->body_pair_count);
    return hash_bytes(hash, contacts->pairs, (size_t)contacts->count * sizeof *contacts->pairs);
}

static uint64_t answer(void *made)
{
    world *w = made;
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_collide(w->scene, NULL, &contacts));
    return hash_contacts(&contacts);
}

/* The same after every body has been looked at in an earlier state. */
static void *create_warm_world(counting_allocator *allocator)
{
    world *w = create_world(allocator);
    answer(w);
    for (int i = 0; i < BODIES; i++) {
        if (i < MODEL_KINDS) {
            assert_ok(set_model(w, i));
        } else {
            assert_ok(pliant_body_share_positions(w->body[i], cases[i].positions, 0));
        }
    }
    return w;
}

/* ------------------------------------------------------- contexts, shapes */

static pliant_result make_objects(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_shape_def def = shape_def(MODEL_COMPOSED);
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_query *query = NULL;
    pliant_scene *scene = NULL;
    pliant_volume *volume = NULL;
    pliant_result result = pliant_shape_create(w->context, &def, &shape);
    result = result == PLIANT_OK ? pliant_body_create(shape, NULL, &body) : result;
    result = result == PLIANT_OK ? pliant_query_create(w->context, &query) : result;
    result = result == PLIANT_OK ? pliant_scene_create(w->context, NULL, &scene) : result;
    result = result == PLIANT_OK ? pliant_volume_create(w->context, NULL, &volume) : result;
    *hash = pliant_shape_get_memory(shape);
    pliant_volume_destroy(volume);
    pliant_scene_destroy(scene);
    pliant_query_destroy(query);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    return result;
}

static pliant_result copy_shapes(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 18;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        uint64_t size = 0;
        assert_ok(pliant_shape_write(w->shape[i], NULL, 0, &size));
        void *block = malloc((size_t)size);
        assert_ok(pliant_shape_write(w->shape[i], block, size, &size));
        pliant_shape *copy = NULL;
        result = pliant_shape_read(w->context, block, size, &copy);
        result = result == PLIANT_OK ? pliant_shape_validate(copy) : result;
        *hash = hash_bytes(*hash, block, (size_t)size);
        pliant_shape_destroy(copy);
        free(block);
    }
    return result;
}

static pliant_result look_at_shape(void *made, uint64_t *hash)
{
    world *w = made;
    const pliant_shape *shape = w->shape[MODEL_MODES];
    uint32_t order[4 * TRIANGLES], corners[3], triangles[4 * TRIANGLES], count = 0, vertex = 0;
    pliant_proxy proxies[4 * TRIANGLES];
    pliant_shape_quality quality;
    pliant_result result = pliant_shape_get_vertex_order(shape, order);
    result = result == PLIANT_OK ? pliant_shape_get_triangle(shape, 0, corners) : result;
    result = result == PLIANT_OK ? pliant_shape_get_quality(shape, &quality) : result;
    result = result == PLIANT_OK ? pliant_shape_get_proxies(shape, proxies, 4 * TRIANGLES, &count)
                                 : result;
    result = result == PLIANT_OK ? pliant_shape_get_proxy_triangles(shape, proxies[0], triangles,
                                                                    4 * TRIANGLES, &count)
                                 : result;
    result =
        result == PLIANT_OK ? pliant_shape_get_proxy_vertex(shape, proxies[0], &vertex) : result;
    *hash = hash_bytes(hash_bytes(3, corners, sizeof corners), &vertex, sizeof vertex);
    return result;
}

/* ----------------------------------------------------------------- bodies */

static pliant_result ask_bounds(world *w, int i, uint64_t *hash)
{
    pliant_box box;
    pliant_result result = pliant_body_get_bounds(w->body[i], &box);
    if (result == PLIANT_OK) {
        *hash = hash_bytes(*hash, &box, sizeof box);
    }
    return result;
}

static pliant_result set_positions(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 4;
    pliant_result result = pliant_body_set_positions(w->body[FREE], cases[FREE].positions, 0);
    return result == PLIANT_OK ? ask_bounds(w, FREE, hash) : result;
}

static pliant_result set_models(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 5;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < MODEL_KINDS && result == PLIANT_OK; i++) {
        result = set_model(w, i);
        result = result == PLIANT_OK ? ask_bounds(w, i, hash) : result;
    }
    return result;
}

static pliant_result set_updates(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 6;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        result = pliant_body_set_update(w->body[i], PLIANT_UPDATE_FRONT, 0, 2);
        result = result == PLIANT_OK ? pliant_body_prepare(w->body[i]) : result;
    }
    return result;
}

/* ---------------------------------------------------------------- queries */

static pliant_result collide(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 7;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i + 1 < BODIES && result == PLIANT_OK; i++) {
        pliant_collide_options options = pliant_collide_options_default();
        options.segments = options.separations = i % 2 == 0;
        pliant_contacts contacts;
        result = pliant_collide(w->query, w->body[i], w->body[i + 1], &options, &contacts);
        if (result == PLIANT_OK) {
            *hash =
                hash_bytes(*hash, contacts.pairs, (size_t)contacts.count * sizeof *contacts.pairs);
        }
    }
    return result;
}

static pliant_result collide_self(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 8;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        pliant_collide_options options = pliant_collide_options_default();
        options.neighbours = PLIANT_NEIGHBOURS_ALL;
        pliant_contacts contacts;
        result = pliant_collide_self(w->query, w->body[i], &options, &contacts);
        if (result == PLIANT_OK) {
            *hash =
                hash_bytes(*hash, contacts.pairs, (size_t)contacts.count * sizeof *contacts.pairs);
        }
    }
    return result;
}

static pliant_result within(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_proximities found;
    pliant_result result = pliant_find_within(w->query, w->body[MODEL_REDUCED],
                                              w->body[MODEL_BLENDED], 0.1f, NULL, &found);
    *hash = result == PLIANT_OK ? found.count : 0;
    return result;
}

static pliant_result within_self(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_proximities found;
    pliant_result result =
        pliant_find_within_self(w->query, w->body[MODEL_BLENDED], 0.1f, NULL, &found);
    *hash = result == PLIANT_OK ? found.count : 0;
    return result;
}

static pliant_result features(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_features found;
    pliant_result result = pliant_find_features(w->query, w->body[MODEL_REDUCED],
                                                w->body[MODEL_BLENDED], 0.1f, NULL, &found);
    *hash = result == PLIANT_OK ? found.count ^ found.crossing_count << 32 : 0;
    return result;
}

static pliant_result features_self(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_features found;
    pliant_result result =
        pliant_find_features_self(w->query, w->body[MODEL_BLENDED], 0.1f, NULL, &found);
    *hash = result == PLIANT_OK ? found.count ^ found.crossing_count << 32 : 0;
    return result;
}

static pliant_result collide_proxies(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 9;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i + 1 < BODIES && result == PLIANT_OK; i++) {
        pliant_proxy_contacts found;
        result = pliant_collide_proxies(w->query, w->body[i], w->body[i + 1], NULL, &found);
        if (result == PLIANT_OK) {
            *hash = hash_bytes(*hash, &found.count, sizeof found.count);
        }
    }
    return result;
}

static pliant_result cast_rays(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_ray rays[8];
    pliant_ray_hit hits[9];
    for (int i = 0; i < 8; i++) {
        rays[i] =
            (pliant_ray){{-9.0f, 0.1f * (float)i, 0.2f}, {1.0f, 0.01f * (float)i, 0.0f}, INFINITY};
    }
    pliant_result result = pliant_raycast_many(w->query, w->body[FREE], rays, 8, hits);
    result = result == PLIANT_OK
                 ? pliant_raycast(w->query, w->body[MODEL_MODES], &rays[0], &hits[8])
                 : result;
    *hash = 10;
    for (int i = 0; i < 9 && result == PLIANT_OK; i++) {
        *hash = hash_bytes(*hash, &hits[i].t, sizeof hits[i].t);
    }
    return result;
}

static pliant_result find_near(void *made, uint64_t *hash)
{
    world *w = made;
    const float point[3] = {1.0f, 2.0f, 3.0f};
    const pliant_box box = {{-0.4f, -0.4f, -0.4f}, {0.6f, 0.6f, 0.6f}};
    pliant_closest closest;
    const uint32_t *triangles = NULL;
    uint64_t count = 0;
    pliant_result result =
        pliant_find_closest_point(w->query, w->body[MODEL_COMPOSED], point, INFINITY, &closest);
    result = result == PLIANT_OK
                 ? pliant_overlap_box(w->query, w->body[FREE], &box, &triangles, &count)
                 : result;
    if (result == PLIANT_OK) {
        *hash = hash_bytes(11, &closest.distance, sizeof closest.distance);
        *hash = hash_bytes(*hash, triangles, (size_t)count * sizeof *triangles);
    }
    return result;
}

static bool count_bound(void *user, const pliant_bound *bound)
{
    uint64_t *hash = user;
    *hash = hash_bytes(*hash, &bound->triangle_count, sizeof bound->triangle_count);
    return true;
}

static pliant_result visit_bounds(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 12;
    return pliant_visit_bounds(w->query, w->body[MODEL_COMPOSED], true, count_bound, hash);
}

static pliant_result find_contact_time(void *made, uint64_t *hash)
{
    world *w = made;
    size_t numbers = 3 * (size_t)cases[FREE].mesh.vertex_count;
    float *away = malloc(numbers * sizeof *away);
    for (size_t i = 0; i < numbers; i++) {
        away[i] = cases[FREE].positions[i] + 9.0f;
    }
    pliant_motion motion = {away, cases[FREE].positions, 0};
    pliant_contact_time time;
    pliant_result result = pliant_find_contact_time(w->query, w->body[FREE], &motion,
                                                    w->body[OTHER_FREE], NULL, NULL, &time);
    *hash = result == PLIANT_OK ? hash_bytes(13, &time.free, sizeof time.free) : 0;
    free(away);
    return result;
}

/* ----------------------------------------------------------------- scenes */

static pliant_result scene_collide(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_scene_contacts contacts;
    pliant_result result = pliant_scene_collide(w->scene, NULL, &contacts);
    *hash = result == PLIANT_OK ? hash_contacts(&contacts) : 0;
    return result;
}

static pliant_result scene_first(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_scene_options options = pliant_scene_options_default();
    options.mode = PLIANT_COLLIDE_FIRST;
    pliant_scene_contacts contacts;
    pliant_result result = pliant_scene_collide(w->scene, &options, &contacts);
    *hash = result == PLIANT_OK ? contacts.count : 0; /* which pair it is may depend on history */
    return result;
}

static pliant_result scene_proxies(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_scene_proxy_contacts contacts;
    pliant_result result = pliant_scene_collide_proxies(w->scene, NULL, &contacts);
    *hash = result == PLIANT_OK ? hash_scene_pairs(contacts.bodies, contacts.body_pair_count) : 0;
    return result;
}

static pliant_result scene_within(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_scene_proximities found;
    pliant_result result = pliant_scene_find_within(w->scene, 0.05f, NULL, &found);
    *hash = result == PLIANT_OK ? hash_scene_pairs(found.bodies, found.body_pair_count) : 0;
    return result;
}

static pliant_result scene_near(void *made, uint64_t *hash)
{
    world *w = made;
    const pliant_ray ray = {{-9.0f, 0.1f, 0.2f}, {1.0f, 0.0f, 0.0f}, INFINITY};
    const float point[3] = {1.0f, 2.0f, 3.0f};
    const pliant_box box = {{-0.4f, -0.4f, -0.4f}, {0.6f, 0.6f, 0.6f}};
    pliant_scene_ray_hit hit;
    pliant_scene_closest closest;
    pliant_scene_triangles triangles;
    pliant_result result = pliant_scene_raycast(w->scene, &ray, 1, &hit);
    result = result == PLIANT_OK
                 ? pliant_scene_find_closest_point(w->scene, point, INFINITY, &closest)
                 : result;
    result = result == PLIANT_OK ? pliant_scene_overlap_box(w->scene, &box, &triangles) : result;
    if (result == PLIANT_OK) {
        *hash = hash_bytes(14, &hit.hit.t, sizeof hit.hit.t);
        *hash = hash_bytes(*hash, &closest.closest.distance, sizeof closest.closest.distance);
        *hash = hash_bytes(*hash, triangles.triangles,
                           (size_t)triangles.count * sizeof *triangles.triangles);
    }
    return result;
}

static pliant_result add_member(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_body *body = NULL;
    pliant_body_id id;
    pliant_result result = pliant_body_create(w->shape[FREE], NULL, &body);
    result = result == PLIANT_OK ? pliant_scene_add(w->scene, body, NULL, &id) : result;
    if (result == PLIANT_OK) {
        *hash = id.index;
        assert_ok(pliant_scene_remove(w->scene, id));
    }
    pliant_body_destroy(body);
    return result;
}

static pliant_result change_member(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_member_def def = member_def(OTHER_FREE);
    def.self = true;
    pliant_result result = pliant_scene_set_member(w->scene, w->id[FREE], &def);
    return result == PLIANT_OK ? scene_collide(made, hash) : result;
}

/* ---------------------------------------------------------------- volumes */

static pliant_volume_options volume_options(void)
{
    pliant_volume_options options = pliant_volume_options_default();
    options.resolution = 16;
    options.allow_open = true;
    return options;
}

static pliant_result measure(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_volume_options options = volume_options();
    pliant_volume_measure m[3] = {{.volume = 0.0}};
    options.spans = options.gradients = true;
    pliant_result result =
        pliant_volume_intersect(w->volume, w->body[FREE], w->body[MODEL_BLENDED], &options, &m[0]);
    result = result == PLIANT_OK
                 ? pliant_volume_measure_body(w->volume, w->body[MODEL_REDUCED], &options, &m[1])
                 : result;
    options.gradients = false;
    result = result == PLIANT_OK
                 ? pliant_volume_intersect_self(w->volume, w->body[MODEL_RIGID], &options, &m[2])
                 : result;
    *hash = 15;
    for (int i = 0; i < 3; i++) {
        *hash = hash_bytes(*hash, &m[i].volume, sizeof m[i].volume);
    }
    return result;
}

static pliant_result contains(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_volume_options options = volume_options();
    const float points[6] = {0.1f, 0.1f, 0.1f, 2.0f, 0.0f, 0.0f};
    pliant_volume_point answers[2];
    *hash = 16;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        result = pliant_volume_locate_points(w->volume, w->body[i], points, 2, 0, &options, answers,
                                             NULL);
        if (result == PLIANT_OK) {
            int32_t winding[2] = {answers[0].winding, answers[1].winding};
            *hash = hash_bytes(*hash, winding, sizeof winding);
        }
    }
    return result;
}

static pliant_result measure_scene(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_volume_options options = volume_options();
    pliant_scene_volumes found;
    pliant_result result =
        pliant_volume_intersect_scene(w->volume, w->scene, NULL, &options, &found);
    *hash = 17;
    for (uint32_t i = 0; i < (result == PLIANT_OK ? found.count : 0); i++) {
        *hash = hash_bytes(*hash, &found.pairs[i].measure.volume, sizeof(double));
    }
    return result;
}

static const failing_call calls[] = {
    {"make objects", make_objects},
    {"copy shapes", copy_shapes},
    {"look at a shape", look_at_shape},
    {"set positions", set_positions},
    {"set coordinates and transforms", set_models},
    {"set updates and prepare", set_updates},
    {"collide", collide},
    {"collide self", collide_self},
    {"within", within},
    {"within one body", within_self},
    {"features", features},
    {"features of one body", features_self},
    {"collide proxies", collide_proxies},
    {"rays", cast_rays},
    {"closest point and box", find_near},
    {"visit bounds", visit_bounds},
    {"contact time", find_contact_time},
    {"scene: collide", scene_collide},
    {"scene: first", scene_first},
    {"scene: proxies", scene_proxies},
    {"scene: within", scene_within},
    {"scene: ray, closest point, box", scene_near},
    {"scene: add and remove", add_member},
    {"scene: set member", change_member},
    {"volumes", measure},
    {"volume: points", contains},
    {"volume: scene", measure_scene},
};

static void every_call_survives(void **state)
{
    (void)state;
    const failing_world kinds[] = {{create_world, destroy_world, fingerprint, answer},
                                   {create_warm_world, destroy_world, fingerprint, answer}};
    uint64_t tried = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        for (int warm = 0; warm < 2; warm++) {
            tried += try_failing_call(&kinds[warm], &calls[i]);
        }
    }
    assert_true(tried > (fixture_scale() < 0.1 ? 150 : 200));
}

/* A second context: its own allocations fail too. */
static void contexts_survive(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        counting_allocator allocator = {.fail_at = n};
        pliant_context *context = fixture_context(&allocator);
        bool made = context != NULL;
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
        if (made) {
            assert_true(n > 1);
            return;
        }
        assert_non_null(strstr(pliant_last_error(), "no memory for"));
    }
}

/* What is asked after each failure is what brute force finds. */
static void the_answer_is_right(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    world *w = create_world(&allocator);
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_collide(w->scene, NULL, &contacts));
    brute_body body[BODIES];
    for (int i = 0; i < BODIES; i++) {
        body[i] = model_case_brute(&cases[i]);
        body[i].positions = evaluated(w, i);
    }
    uint32_t touching = 0;
    for (uint32_t p = 0; p < contacts.body_pair_count; p++) {
        const pliant_scene_pair *pair = &contacts.bodies[p];
        uint32_t a = pair->a.index, b = pair->b.index;
        brute_pairs expected = {NULL, 0, 0};
        if (a == b) {
            brute_collide_self(&body[a], cases[a].mesh.positions, PLIANT_NEIGHBOURS_BEYOND_SHARED,
                               &expected);
        } else {
            brute_collide(&body[a], &body[b], &expected);
            touching++;
        }
        pliant_contacts part = {.pairs = contacts.pairs + pair->first, .count = pair->count};
        assert_true(brute_equal(&expected, &part, "after failures"));
        brute_free(&expected);
    }
    assert_int_equal(touching, BODIES * (BODIES - 1) / 2); /* all bodies lie in one place */
    for (int i = 0; i < BODIES; i++) {
        free((void *)body[i].positions);
    }
    destroy_world(w);
}

static int set_up(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 30);
    for (int i = 0; i < BODIES; i++) {
        model_kind kind = i < MODEL_KINDS ? (model_kind)i : MODEL_RIGID;
        cases[i] = model_case_create(kind, MODEL_SMOOTH, 1.0, 0.0, TRIANGLES, &r);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < BODIES; i++) {
        model_case_destroy(&cases[i]);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_survive),
        cmocka_unit_test(the_answer_is_right),
        cmocka_unit_test(every_call_survives),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
