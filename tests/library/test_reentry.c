/*
 * Filters and callbacks that come back to what is being asked: nothing may change under a call, and
 * what they destroy goes when the call ends. And scenes of more pairs than can be numbered.
 */
#include "flock_scene.h"

#include "broad/broad.h"
#include "scene/scene.h"

#include <string.h>

enum { BODIES = 3 };

/* Three bodies in one place, and somebody who meddles. */
typedef struct stage {
    counting_allocator allocator;
    pliant_context *context;
    pliant_shape *shape;
    pliant_body *body[BODIES], *spare;
    pliant_body_id id[BODIES];
    pliant_scene *scene;
    pliant_query *query;
    pliant_volume *volume;
    uint32_t called;
    uint32_t deed; /* what the filter or callback does */
} stage;

static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static void set_up(stage *s, uint32_t deed)
{
    *s = (stage){.deed = deed};
    s->context = fixture_context(&s->allocator);
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corners;
    def.vertex_count = 4;
    def.triangles = faces;
    def.triangle_count = 4;
    assert_ok(pliant_shape_create(s->context, &def, &s->shape));
    assert_ok(pliant_scene_create(s->context, NULL, &s->scene));
    assert_ok(pliant_query_create(s->context, &s->query));
    assert_ok(pliant_volume_create(s->context, NULL, &s->volume));
    assert_ok(pliant_body_create(s->shape, NULL, &s->spare));
    for (int i = 0; i < BODIES; i++) {
        assert_ok(pliant_body_create(s->shape, NULL, &s->body[i]));
        assert_ok(pliant_scene_add(s->scene, s->body[i], NULL, &s->id[i]));
    }
}

static void tear_down(stage *s)
{
    pliant_scene_destroy(s->scene);
    pliant_query_destroy(s->query);
    pliant_volume_destroy(s->volume);
    for (int i = 0; i < BODIES; i++) {
        pliant_body_destroy(s->body[i]);
    }
    pliant_body_destroy(s->spare);
    pliant_shape_destroy(s->shape);
    pliant_context_destroy(s->context);
    assert_int_equal(s->allocator.live, 0);
}

/* What may not be done to a scene during a call. */
enum { CHANGES = 9 };

static pliant_result change(stage *s)
{
    pliant_member_def member = pliant_member_def_default();
    pliant_scene_contacts contacts;
    pliant_scene_proximities proximities;
    pliant_body_id id;
    pliant_advance advance;
    switch (s->deed) {
    case 0:
        return pliant_scene_remove(s->scene, s->id[2]);
    case 1:
        return pliant_scene_add(s->scene, s->spare, NULL, &id);
    case 2:
        return pliant_scene_set_member(s->scene, s->id[1], &member);
    case 3:
        return pliant_scene_collide(s->scene, NULL, &contacts);
    case 4:
        return pliant_scene_find_within(s->scene, 1.0f, NULL, &proximities);
    case 5:
        return pliant_body_set_positions(s->body[2], corners, 0);
    case 6:
        return pliant_body_share_positions(s->body[0], corners, 0);
    case 7:
        return pliant_body_set_update(s->body[1], PLIANT_UPDATE_TOP_DOWN, 0, 1);
    default:
        return pliant_advance_bodies(s->query, s->body, 1, NULL, &advance);
    }
}

/* Changes what it can; asks another query about the same bodies, which is allowed. */
static bool meddle(void *user, pliant_body_id a, pliant_body_id b)
{
    stage *s = user;
    assert_int_equal(change(s), PLIANT_ERROR_STATE);
    assert_non_null(strstr(pliant_last_error(), "under way"));
    pliant_contacts contacts;
    assert_ok(pliant_collide(s->query, pliant_scene_get_body(s->scene, a),
                             pliant_scene_get_body(s->scene, b), NULL, &contacts));
    s->called++;
    return true;
}

static void filters_change_nothing(void **state)
{
    (void)state;
    for (uint32_t deed = 0; deed < CHANGES; deed++) {
        stage s;
        set_up(&s, deed);
        pliant_scene_options options = pliant_scene_options_default();
        options.filter = meddle;
        options.filter_user = &s;
        pliant_scene_contacts contacts;
        pliant_scene_proximities proximities;
        pliant_scene_features features;
        pliant_scene_volumes volumes;
        assert_ok(pliant_scene_collide(s.scene, &options, &contacts));
        assert_int_equal(contacts.body_pair_count, 3);
        assert_int_equal(s.called, 3);
        assert_ok(pliant_scene_find_within(s.scene, 0.1f, &options, &proximities));
        assert_int_equal(proximities.body_pair_count, 3);
        assert_ok(pliant_scene_find_features(s.scene, 0.1f, &options, &features));
        assert_int_equal(features.body_pair_count, 3);
        assert_ok(pliant_volume_intersect_scene(s.volume, s.scene, &options, NULL, &volumes));
        assert_int_equal(volumes.count, 3);
        assert_int_equal(s.called, 12);
        assert_int_equal(pliant_scene_get_body_count(s.scene), 3);
        s.called = 0;
        options.filter = NULL;
        pliant_scene_proxy_contacts none;
        assert_ok(pliant_scene_collide_proxies(s.scene, &options, &none));
        assert_int_equal(none.body_pair_count, 3);
        if (deed != 3 && deed != 4) {
            assert_ok(change(&s)); /* now it may */
        }
        tear_down(&s);
    }
}

static bool meddle_alone(void *user, pliant_body_id body)
{
    return meddle(user, body, (pliant_body_id){(body.index + 1) % BODIES, 1});
}

static void selections_change_nothing(void **state)
{
    (void)state;
    for (uint32_t deed = 0; deed < CHANGES; deed++) {
        stage s;
        set_up(&s, deed);
        pliant_scene_select select = pliant_scene_select_default();
        select.filter = meddle_alone;
        select.filter_user = &s;
        const pliant_ray ray = {{0.1f, 0.1f, -1.0f}, {0, 0, 1}, 9.0f};
        bool blocked = false;
        assert_ok(pliant_scene_raycast_any(s.scene, &ray, 1, &select, &blocked));
        assert_true(blocked && s.called == 3);
        tear_down(&s);
    }
}

/* The same for callbacks of queries: the query and the bodies asked about. */
static bool pass(void *user, const pliant_contacts *batch)
{
    stage *s = user;
    pliant_contacts contacts;
    const pliant_box box = {{0, 0, 0}, {1, 1, 1}};
    const uint32_t *triangles = NULL;
    uint64_t count = 0;
    s->called += batch->count > 0;
    assert_int_equal(pliant_collide(s->query, s->body[1], s->body[2], NULL, &contacts),
                     PLIANT_ERROR_STATE);
    assert_non_null(strstr(pliant_last_error(), "about the query is under way"));
    assert_int_equal(pliant_overlap_box(s->query, s->body[2], &box, &triangles, &count),
                     PLIANT_ERROR_STATE);
    assert_int_equal(pliant_body_set_positions(s->body[0], corners, 0), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_body_share_positions(s->body[1], corners, 0), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_body_set_world(s->body[1], NULL), PLIANT_ERROR_STATE);
    assert_ok(pliant_body_set_positions(s->body[2], corners, 0)); /* is not asked about */
    return true;
}

static bool look(void *user, const pliant_bound *bound)
{
    stage *s = user;
    s->called += bound->triangle_count > 0;
    assert_int_equal(pliant_body_set_positions(s->body[0], corners, 0), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_visit_bounds(s->query, s->body[1], true, look, s), PLIANT_ERROR_STATE);
    return true;
}

static void callbacks_change_nothing(void **state)
{
    (void)state;
    stage s;
    set_up(&s, 0);
    pliant_collide_options options = pliant_collide_options_default();
    options.callback = pass;
    options.callback_user = &s;
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, NULL));
    assert_true(s.called > 0);
    options.neighbours = PLIANT_NEIGHBOURS_ALL;
    s.called = 0;
    assert_ok(pliant_visit_bounds(s.query, s.body[0], true, look, &s));
    assert_true(s.called > 0);
    assert_ok(pliant_body_set_positions(s.body[0], corners, 0)); /* idle again */
    tear_down(&s);
}

#ifndef PLI_DEBUG
/* Destroys something while it is in use; it must still be there until the call ends. */
static void destroy(stage *s)
{
    if (s->called++ > 0) {
        return;
    }
    if (s->deed == 0) {
        pliant_scene_destroy(s->scene);
    } else if (s->deed == 1) {
        pliant_body_destroy(s->body[1]);
    } else if (s->deed == 2) {
        pliant_query_destroy(s->query);
    } else {
        pliant_volume_destroy(s->volume);
    }
}

static bool destroy_in_filter(void *user, pliant_body_id a, pliant_body_id b)
{
    (void)a;
    (void)b;
    destroy(user);
    return true;
}

static bool destroy_in_callback(void *user, const pliant_contacts *batch)
{
    (void)batch;
    destroy(user);
    return true;
}

static void filters_may_destroy(void **state)
{
    (void)state;
    static const char *const texts[] = {"the scene was destroyed", "body 1 was destroyed", NULL,
                                        "the volume was destroyed"};
    for (uint32_t deed = 0; deed < 4; deed++) {
        stage s;
        set_up(&s, deed);
        pliant_scene_options options = pliant_scene_options_default();
        options.filter = destroy_in_filter;
        options.filter_user = &s;
        pliant_scene_contacts contacts = {.count = 77};
        pliant_scene_volumes volumes = {.count = 77};
        if (deed == 2) {
            pliant_collide_options collide = pliant_collide_options_default();
            collide.callback = destroy_in_callback;
            collide.callback_user = &s;
            assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &collide, NULL));
            s.query = NULL;
            tear_down(&s);
            continue;
        }
        assert_int_equal(
            deed == 3 ? pliant_volume_intersect_scene(s.volume, s.scene, &options, NULL, &volumes)
                      : pliant_scene_collide(s.scene, &options, &contacts),
            PLIANT_ERROR_STATE);
        assert_non_null(strstr(pliant_last_error(), texts[deed]));
        assert_true(contacts.count == 77 && volumes.count == 77);
        if (deed == 0) {
            s.scene = NULL;
        } else if (deed == 1) {
            s.body[1] = NULL;
            assert_null(pliant_scene_get_body(s.scene, s.id[1]));
            assert_ok(pliant_scene_collide(s.scene, NULL, &contacts));
            assert_int_equal(contacts.body_pair_count, 1);
        } else {
            s.volume = NULL;
        }
        tear_down(&s);
    }
}

static bool destroy_in_selection(void *user, pliant_body_id body)
{
    (void)body;
    destroy(user);
    return true;
}

/* The same for filters of questions about single bodies: nothing is asked, and nothing written. */
static void selections_may_destroy(void **state)
{
    (void)state;
    for (uint32_t deed = 0; deed < 10; deed++) {
        stage s;
        set_up(&s, deed % 2);
        pliant_scene_select select = pliant_scene_select_default();
        select.filter = destroy_in_selection;
        select.filter_user = &s;
        const pliant_ray ray = {{0.1f, 0.1f, -1.0f}, {0, 0, 1}, 9.0f};
        const float point[3] = {0.1f, 0.1f, 0.1f};
        const pliant_box box = {{0, 0, 0}, {1, 1, 1}};
        pliant_scene_ray_hit hit = {.hit = {.t = 77.0}};
        pliant_scene_ray_hits hits = {.count = 77};
        pliant_scene_closest closest = {.closest = {.distance = 77.0}};
        pliant_scene_signed_distance distance = {.distance = {.distance = 77.0}};
        pliant_scene_triangles triangles = {.count = 77};
        pliant_result result =
            deed < 2   ? pliant_scene_raycast(s.scene, &ray, 1, &select, &hit)
            : deed < 4 ? pliant_scene_raycast_all(s.scene, &ray, 1, &select, &hits)
            : deed < 6
                ? pliant_scene_find_closest_points(s.scene, point, 1, 0, 9.0f, &select, &closest)
            : deed < 8
                ? pliant_scene_measure_distances(s.scene, point, 1, 0, NULL, &select, &distance)
                : pliant_scene_overlap_box(s.scene, &box, &select, &triangles);
        assert_int_equal(result, PLIANT_ERROR_STATE);
        assert_non_null(strstr(pliant_last_error(),
                               s.deed == 0 ? "the scene was destroyed" : "body 1 was destroyed"));
        assert_int_equal(s.called, 3); /* everybody was asked about, before anything else */
        assert_true(hit.hit.t == 77.0 && hits.count == 77 && closest.closest.distance == 77.0);
        assert_true(distance.distance.distance == 77.0 && triangles.count == 77);
        if (s.deed == 0) {
            s.scene = NULL;
        } else {
            s.body[1] = NULL;
            assert_ok(pliant_scene_raycast_all(s.scene, &ray, 1, NULL, &hits));
            assert_int_equal(hits.count, 4); /* two bodies, in and out of each */
        }
        tear_down(&s);
    }
}

static void callbacks_may_destroy_bodies(void **state)
{
    (void)state;
    stage s;
    set_up(&s, 1);
    pliant_collide_options options = pliant_collide_options_default();
    options.callback = destroy_in_callback;
    options.callback_user = &s;
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, NULL));
    assert_true(s.called > 0);
    s.body[1] = NULL;
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_collide(s.scene, NULL, &contacts));
    assert_int_equal(contacts.body_pair_count, 1);
    tear_down(&s);
}
#endif

/* ------------------------------------------------------- too many pairs */

/* Scenes refuse more pairs than they can number, before and behind the filters. */
static void too_many_pairs_are_refused(void **state)
{
    (void)state;
    flock f = flock_create();
    for (int i = 0; i <= 2 * PLIANT_BROAD_TREE + 1; i++) {
        bool self = i % 2 != 0; /* the list is then the scene's, else the broad phase's */
        uint32_t workers = 1 + (uint32_t)i / 2 % 2;
        flock_scene a = flock_scene_create(&f, fixture_context_with(PLIANT_ISA_BEST, workers),
                                           (pliant_broad)(i / 2), self);
        pliant_scene_contacts contacts = {.count = 77};
        assert_int_equal(pli_broad_most_pairs(a.scene->broad[false]), PLI_MOST_PAIRS);
        assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
        uint32_t found = pliant_scene_get_stats(a.scene)->pairs_broad;
        uint32_t compared = pliant_scene_get_stats(a.scene)->pairs_narrow;
        assert_true(found > 4 && (compared > found) == self);
        uint32_t step = fixture_scale() < 0.1 ? 9 : 1;
        for (uint32_t most = 1; most <= compared; most += step) {
            flock_evaluate(&f, most % 8);
            flock_scene_share(&a, &f);
            pli_broad_limit_pairs(a.scene->broad[false], most);
            pliant_result limited = pliant_scene_collide(a.scene, NULL, &contacts);
            if (limited != PLIANT_OK) {
                assert_int_equal(limited, PLIANT_ERROR_TOO_LARGE);
                assert_non_null(strstr(pliant_last_error(), "pairs of bodies"));
            }
            pli_broad_limit_pairs(a.scene->broad[false], PLI_MOST_PAIRS);
            assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
            bool few = pliant_scene_get_stats(a.scene)->pairs_narrow <= most;
            assert_int_equal(limited == PLIANT_OK, few);
        }
        flock_evaluate(&f, 0);
        flock_scene_free(&a);
    }
    flock_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_change_nothing),       cmocka_unit_test(selections_change_nothing),
        cmocka_unit_test(callbacks_change_nothing),
#ifndef PLI_DEBUG
        cmocka_unit_test(filters_may_destroy),          cmocka_unit_test(selections_may_destroy),
        cmocka_unit_test(callbacks_may_destroy_bodies),
#endif
        cmocka_unit_test(too_many_pairs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
