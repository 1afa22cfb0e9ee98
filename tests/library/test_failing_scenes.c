/* T10 for the public calls about scenes and volumes, as test_failing_calls.c has it for the others.
 */
#include "world_of_bodies.h"

#include <math.h>
#include <string.h>

#include "pliant/draw.h"
#include "pliant/recording.h"

/* ----------------------------------------------------------------- scenes */

static pliant_result scene_collide(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_scene_contacts contacts;
    pliant_result result = pliant_scene_collide(w->scene, NULL, &contacts);
    *hash = result == PLIANT_OK ? world_hash_contacts(&contacts) : 0;
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

/* All that can be asked about contacts; the first two are decided within the budget. */
static pliant_result scene_contacts(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_scene_options options = pliant_scene_options_default();
    options.segments = options.separations = options.events = true;
    options.budget_nodes = 3;
    pliant_scene_contacts contacts;
    pliant_result result = pliant_scene_collide(w->scene, &options, &contacts);
    if (result == PLIANT_OK) {
        uint32_t events = 0;
        const pliant_scene_event *event = pliant_scene_get_events(w->scene, &events);
        *hash = world_hash_contacts(&contacts);
        *hash = hash_bytes(*hash, contacts.segments,
                           (size_t)contacts.count * sizeof *contacts.segments);
        *hash = hash_bytes(*hash, &contacts.undecided_count, sizeof contacts.undecided_count);
        for (uint32_t i = 0; i < events; i++) { /* all began, whatever failed before */
            assert_int_equal(event[i].touch, PLIANT_TOUCH_BEGAN);
            *hash = hash_bytes(*hash, &event[i].b.index, sizeof event[i].b.index);
        }
        assert_true(contacts.undecided_count > 0 && events > 0);
    }
    return result;
}

static bool take_all(void *user, const pliant_scene_pair *bodies, const pliant_contacts *contacts)
{
    uint64_t *hash = user;
    *hash = hash_bytes(*hash, &bodies->b.index, sizeof bodies->b.index);
    *hash = hash_bytes(*hash, contacts->pairs, (size_t)contacts->count * sizeof *contacts->pairs);
    return true;
}

/* Pairs that go to a callback: of bodies with groups, and of all with themselves. */
static pliant_result scene_callback(void *made, uint64_t *hash)
{
    world *w = made;
    const uint64_t bits = 1;
    pliant_member_def def = world_member_def(FREE);
    def.groups = (pliant_groups){&bits, 1};
    pliant_scene_options options = pliant_scene_options_default();
    uint64_t given = 3;
    options.callback = take_all;
    options.callback_user = &given;
    pliant_result result = pliant_scene_set_member(w->scene, w->id[FREE], &def);
    result = result == PLIANT_OK ? pliant_scene_collide(w->scene, &options, NULL) : result;
    options.only_self = true;
    result = result == PLIANT_OK ? pliant_scene_collide(w->scene, &options, NULL) : result;
    *hash = given;
    return result;
}

static pliant_result scene_proxies(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_scene_proxy_contacts contacts;
    pliant_result result = pliant_scene_collide_proxies(w->scene, NULL, &contacts);
    *hash = result == PLIANT_OK ? world_hash_pairs(contacts.bodies, contacts.body_pair_count) : 0;
    return result;
}

static pliant_result scene_within(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_scene_proximities found;
    pliant_result result = pliant_scene_find_within(w->scene, 0.05f, NULL, &found);
    *hash = result == PLIANT_OK ? world_hash_pairs(found.bodies, found.body_pair_count) : 0;
    return result;
}

static bool take_meetings(void *user, const pliant_scene_pair *bodies,
                          const pliant_meetings *meetings)
{
    const pliant_contacts contacts = {.pairs = meetings->pairs, .count = meetings->count};
    return take_all(user, bodies, &contacts);
}

static pliant_result ask_about_steps(world *w, uint64_t *hash)
{
    pliant_scene_options options = pliant_scene_options_default();
    pliant_scene_meetings found;
    pliant_scene_free_time until;
    pliant_scene_advance advance;
    pliant_result result = pliant_scene_begin_step(w->scene);
    result = result == PLIANT_OK ? pliant_scene_find_meetings(w->scene, NULL, &found) : result;
    *hash = result == PLIANT_OK ? world_hash_pairs(found.bodies, found.body_pair_count) : 0;
    result = result == PLIANT_OK ? pliant_scene_find_free_time(w->scene, NULL, &until) : result;
    *hash = result == PLIANT_OK ? hash_bytes(*hash, &until.path.time, sizeof(float)) : 0;
    options.budget_nodes = 3;
    result = result == PLIANT_OK ? pliant_scene_find_meetings(w->scene, &options, &found) : result;
    *hash = result == PLIANT_OK ? *hash ^ (uint64_t)found.undecided_count << 40 : 0;
    result = result == PLIANT_OK ? pliant_scene_advance_bodies(w->scene, NULL, &advance) : result;
    options.budget_nodes = 0;
    options.distance = 0.05f;
    result = result == PLIANT_OK ? pliant_scene_find_free_time(w->scene, &options, &until) : result;
    *hash = result == PLIANT_OK ? hash_bytes(*hash, &until.path.time, sizeof(float)) : 0;
    options.meetings_callback = take_meetings;
    options.callback_user = hash;
    return result == PLIANT_OK ? pliant_scene_find_meetings(w->scene, &options, NULL) : result;
}

/* Steps that lead nowhere, which all bodies begin or none: what meets is what touches. */
static pliant_result scene_meetings(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_result result = ask_about_steps(w, hash);
    for (int i = 0; i < BODIES; i++) {
        assert_ok(pliant_body_end_step(w->body[i]));
    }
    return result;
}

static pliant_result scene_features(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_scene_features found;
    pliant_result result = pliant_scene_find_features(w->scene, 0.05f, NULL, &found);
    if (result == PLIANT_OK) {
        *hash = world_hash_pairs(found.bodies, found.body_pair_count);
        *hash = hash_bytes(*hash, found.pairs, (size_t)found.count * sizeof *found.pairs);
        *hash ^= world_hash_contacts(&found.crossings);
    }
    return result;
}

/* Everybody but body 1, on one of the calls. */
static bool not_the_second(void *user, pliant_body_id body)
{
    (void)user;
    return body.index != 1;
}

static pliant_result scene_rays(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_ray rays[40];
    pliant_scene_ray_hit hits[40];
    pliant_scene_ray_hits all;
    bool blocked[40];
    pliant_scene_select select = pliant_scene_select_default();
    select.filter = not_the_second;
    for (int i = 0; i < 40; i++) {
        float y = 0.05f * (float)(i - 20);
        rays[i] = (pliant_ray){{-9.0f, y, 0.2f}, {1.0f, -0.1f * y, 0.0f}, INFINITY};
    }
    pliant_result result = pliant_scene_raycast(w->scene, rays, 40, NULL, hits);
    result = result == PLIANT_OK ? pliant_scene_raycast_any(w->scene, rays, 40, &select, blocked)
                                 : result;
    result =
        result == PLIANT_OK ? pliant_scene_raycast_all(w->scene, rays, 40, NULL, &all) : result;
    if (result == PLIANT_OK) {
        *hash = hash_bytes(14, blocked, sizeof blocked);
        *hash = hash_bytes(*hash, all.starts, 41 * sizeof *all.starts);
        for (uint64_t i = 0; i < 40 + all.count; i++) {
            const pliant_ray_hit *hit = i < 40 ? &hits[i].hit : &all.hits[i - 40].hit;
            *hash = hash_bytes(*hash, &hit->t, sizeof hit->t);
        }
    }
    return result;
}

static pliant_result scene_points(void *made, uint64_t *hash)
{
    world *w = made;
    float points[80][3];
    pliant_scene_closest closest[80];
    pliant_scene_signed_distance distances[80];
    for (int i = 0; i < 80; i++) {
        points[i][0] = i == 7 ? 1e30f : 0.05f * (float)(i - 40);
        points[i][1] = 0.3f;
        points[i][2] = -0.1f;
    }
    pliant_result result =
        pliant_scene_find_closest_points(w->scene, points[0], 80, 0, INFINITY, NULL, closest);
    result = result == PLIANT_OK
                 ? pliant_scene_measure_distances(w->scene, points[0], 80, 0, NULL, NULL, distances)
                 : result;
    for (int i = 0; i < 80 && result == PLIANT_OK; i++) {
        double d[2] = {closest[i].closest.distance, distances[i].distance.distance};
        *hash = hash_bytes(i == 0 ? 15 : *hash, d, sizeof d);
    }
    return result;
}

static pliant_result scene_box(void *made, uint64_t *hash)
{
    world *w = made;
    const pliant_box box = {{-0.4f, -0.4f, -0.4f}, {0.6f, 0.6f, 0.6f}};
    pliant_scene_triangles triangles;
    pliant_result result = pliant_scene_overlap_box(w->scene, &box, NULL, &triangles);
    if (result == PLIANT_OK) {
        *hash = hash_bytes(16, triangles.triangles,
                           (size_t)triangles.count * sizeof *triangles.triangles);
    }
    return result;
}

static pliant_result get_boxes(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_box boxes[BODIES];
    pliant_result result = pliant_scene_get_boxes(w->scene, w->id, BODIES, boxes);
    if (result == PLIANT_OK) {
        *hash = hash_bytes(17, boxes, sizeof boxes);
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
    pliant_member_def def = world_member_def(OTHER_FREE);
    def.self = true;
    pliant_result result = pliant_scene_set_member(w->scene, w->id[FREE], &def);
    assert_int_equal(pliant_scene_get_member(w->scene, w->id[FREE], &def), PLIANT_OK);
    return result == PLIANT_OK ? scene_collide(made, hash) : result;
}

static pliant_state state_of(int i)
{
    const model_case *c = &world_cases[i];
    if (i >= FREE) {
        return (pliant_state){.positions = c->positions};
    }
    return (pliant_state){.coordinates = c->model.mode_count > 0 ? c->coordinates : NULL,
                          .coordinate_count = c->model.mode_count,
                          .transforms = c->model.joint_count > 0 ? c->transforms : NULL,
                          .transform_count = c->model.joint_count};
}

static pliant_result set_states(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_scene_state states[BODIES];
    for (int i = 0; i < BODIES; i++) {
        states[i] = (pliant_scene_state){w->id[i], state_of(i)};
    }
    pliant_result result = pliant_scene_set_states(w->scene, states, BODIES);
    return result == PLIANT_OK ? scene_collide(made, hash) : result;
}

/* ------------------------------------------------------- recording, drawing */

static bool swallow(void *user, const void *bytes, uint64_t size)
{
    (void)bytes;
    *(uint64_t *)user += size;
    return true;
}

/* A recording that runs out of memory ends, and says so at its end; the question is answered. */
static pliant_result record_scene(void *made, uint64_t *hash)
{
    world *w = made;
    uint64_t written = 0;
    pliant_recording_options options = pliant_recording_options_default();
    options.write = swallow;
    options.write_user = &written;
    pliant_result result = pliant_scene_record(w->scene, &options);
    if (result != PLIANT_OK) {
        return result;
    }
    result = scene_collide(made, hash);
    pliant_result stopped = pliant_scene_stop_recording(w->scene);
    if (stopped == PLIANT_ERROR_STATE && strstr(pliant_last_error(), "have no tears") != NULL) {
        stopped = PLIANT_OK; /* the recording ended there, but the scene answers */
    }
    return result == PLIANT_OK ? stopped : result;
}

static void count_box(void *user, const pliant_draw_item *item, const pliant_box *box)
{
    (void)box;
    *(uint64_t *)user += item->level + 1;
}

static void count_triangle(void *user, const pliant_draw_item *item,
                           const pliant_triangle *triangle)
{
    (void)triangle;
    *(uint64_t *)user += item->triangle;
}

static pliant_result draw(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_draw_options options = pliant_draw_options_default();
    pliant_drawer drawer = {.draw_box = count_box, .draw_triangle = count_triangle, .user = hash};
    pliant_scene_contacts contacts;
    pliant_contacts pairs;
    options.bounds = options.refresh = true;
    *hash = 0;
    pliant_result result = pliant_draw_body(w->query, w->body[FREE], &options, &drawer);
    result = result == PLIANT_OK ? pliant_draw_scene(w->scene, &options, &drawer) : result;
    result = result == PLIANT_OK ? pliant_scene_collide(w->scene, NULL, &contacts) : result;
    result = result == PLIANT_OK
                 ? pliant_draw_scene_contacts(w->scene, &contacts, &options, &drawer)
                 : result;
    result = result == PLIANT_OK
                 ? pliant_collide(w->query, w->body[FREE], w->body[OTHER_FREE], NULL, &pairs)
                 : result;
    return result == PLIANT_OK
               ? pliant_draw_contacts(w->body[FREE], w->body[OTHER_FREE], &pairs, &options, &drawer)
               : result;
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
    {"scene: collide", scene_collide},
    {"scene: first", scene_first},
    {"scene: all about contacts, with events", scene_contacts},
    {"scene: callback and groups", scene_callback},
    {"scene: proxies", scene_proxies},
    {"scene: within", scene_within},
    {"scene: features", scene_features},
    {"scene: meetings", scene_meetings},
    {"scene: rays", scene_rays},
    {"scene: closest points, distances", scene_points},
    {"scene: box", scene_box},
    {"scene: boxes of bodies", get_boxes},
    {"scene: add and remove", add_member},
    {"scene: set member", change_member},
    {"scene: set states", set_states},
    {"scene: recording", record_scene},
    {"drawing", draw},
    {"volumes", measure},
    {"volume: points", contains},
    {"volume: scene", measure_scene},
};

static void every_call_survives(void **state)
{
    (void)state;
    world_try_calls(calls, sizeof calls / sizeof calls[0], fixture_scale() < 0.1 ? 200 : 800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_survives),
    };
    return cmocka_run_group_tests(tests, world_set_up, world_tear_down);
}
