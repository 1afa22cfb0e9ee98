/* T10 for questions about one or two bodies and for contours, cold and warm: as in
   test_failing_calls.c, which looks at the answer that is asked for after each failure. */
#include "world_of_bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Steps that lead nowhere: what meets is what touches, or is close. */
static pliant_result meet_within(void *made, uint64_t *hash, float distance)
{
    world *w = made;
    pliant_meetings found;
    pliant_meeting_options options = pliant_meeting_options_default();
    options.distance = distance;
    *hash = 20;
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        result = pliant_body_begin_step(w->body[i]);
        result = result == PLIANT_OK && i < FREE ? world_set_model(w, i) : result;
    }
    for (int i = 0; i + 1 < BODIES && result == PLIANT_OK; i++) {
        result = pliant_find_meetings(w->query, w->body[i], w->body[i + 1], &options, &found);
        *hash = result == PLIANT_OK ? 31 * *hash + found.count : 0;
        result = result == PLIANT_OK
                     ? pliant_find_meetings_self(w->query, w->body[i], &options, &found)
                     : result;
        *hash = result == PLIANT_OK ? 31 * *hash + found.count : 0;
    }
    for (int i = 0; i < BODIES; i++) {
        assert_ok(pliant_body_end_step(w->body[i]));
    }
    return result;
}

static pliant_result meetings(void *made, uint64_t *hash)
{
    return meet_within(made, hash, 0.0f);
}

static pliant_result approaches(void *made, uint64_t *hash)
{
    return meet_within(made, hash, 0.05f);
}

/* A free body goes from far away to where it is, or as far as that is free. */
static pliant_result free_time(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_free_time found, self;
    pliant_advance advance;
    pliant_body *two[2] = {w->body[FREE], w->body[MODEL_BLENDED]};
    size_t numbers = 3 * (size_t)world_cases[FREE].mesh.vertex_count;
    float *away = malloc(numbers * sizeof *away);
    for (size_t i = 0; i < numbers; i++) {
        away[i] = world_cases[FREE].positions[i] + 9.0f;
    }
    pliant_result result = pliant_body_share_positions(two[0], away, 0);
    result = result == PLIANT_OK ? pliant_body_begin_step(two[0]) : result;
    result = result == PLIANT_OK
                 ? pliant_body_share_positions(two[0], world_cases[FREE].positions, 0)
                 : result;
    result = result == PLIANT_OK ? pliant_find_free_time(w->query, two[0], two[1], NULL, &found)
                                 : result;
    result =
        result == PLIANT_OK ? pliant_find_free_time_self(w->query, two[0], NULL, &self) : result;
    result = result == PLIANT_OK ? pliant_advance_bodies(w->query, two, 2, NULL, &advance) : result;
    *hash = 22;
    if (result == PLIANT_OK) {
        *hash = hash_bytes(*hash, &found.time, sizeof found.time);
        *hash = hash_bytes(*hash, &self.time, sizeof self.time);
        *hash = hash_bytes(*hash, &advance.time, sizeof advance.time);
    }
    assert_ok(pliant_body_end_step(two[0]));
    assert_ok(pliant_body_share_positions(two[0], world_cases[FREE].positions, 0));
    free(away);
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
    pliant_ray_hits all = {.count = 0};
    result = result == PLIANT_OK ? pliant_raycast_all(w->query, w->body[OTHER_FREE], rays, 8, &all)
                                 : result;
    *hash = 10 + all.count;
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

/* More points than one task takes, so that the workers share them. */
static pliant_result measure_distances(void *made, uint64_t *hash)
{
    enum { POINTS = 1100 };
    static float points[POINTS][3];
    static pliant_signed_distance distances[POINTS];
    static pliant_closest closest[POINTS];
    world *w = made;
    uint16_t group = 0;
    for (int i = 0; i < 3 * POINTS; i++) {
        points[i / 3][i % 3] = (float)((i * 7919) % 997) / 400.0f - 1.2f;
    }
    *hash = 12;
    pliant_result result = pliant_shape_get_group(w->shape[FREE], 1, &group);
    for (int i = 0; i < BODIES && result == PLIANT_OK; i++) {
        result =
            pliant_measure_distances(w->query, w->body[i], points[0], POINTS, 0, NULL, distances);
        result = result == PLIANT_OK ? pliant_find_closest_points(w->query, w->body[i], points[0],
                                                                  600, 0, 0.5f, closest)
                                     : result;
        for (int j = 0; j < POINTS && result == PLIANT_OK; j++) {
            *hash = hash_bytes(*hash, &distances[j].distance, sizeof distances[j].distance);
        }
    }
    return result;
}

static pliant_result visit_bounds(void *made, uint64_t *hash)
{
    world *w = made;
    *hash = 12;
    return pliant_visit_bounds(w->query, w->body[MODEL_COMPOSED], true, count_bound, hash);
}

/* ---------------------------------------------------------------- contours */

static uint64_t hash_contours(uint64_t hash, const pliant_contour_set *set)
{
    hash = hash_bytes(hash, &set->length, sizeof set->length);
    for (uint64_t i = 0; i < set->region_count; i++) {
        double sizes[] = {set->regions[i].area, set->regions[i].depth};
        hash = hash_bytes(hash, sizes, sizeof sizes);
    }
    return hash;
}

static pliant_result find_contours(void *made, uint64_t *hash)
{
    world *w = made;
    pliant_contour_options options = pliant_contour_options_default();
    pliant_contour_set set = {.length = 0.0};
    options.gradients = true;
    *hash = 18;
    pliant_result result =
        pliant_contours_find(w->contours, w->body[FREE], w->body[MODEL_BLENDED], &options, &set);
    *hash = result == PLIANT_OK ? hash_contours(*hash, &set) : 0;
    result = result == PLIANT_OK
                 ? pliant_contours_find_self(w->contours, w->body[MODEL_COMPOSED], &options, &set)
                 : result;
    *hash = result == PLIANT_OK ? hash_contours(*hash, &set) : 0;
    return result;
}

static const failing_call calls[] = {
    {"collide", collide},
    {"collide self", collide_self},
    {"within", within},
    {"within one body", within_self},
    {"features", features},
    {"features of one body", features_self},
    {"meetings", meetings},
    {"meetings within a distance", approaches},
    {"free time", free_time},
    {"collide proxies", collide_proxies},
    {"rays", cast_rays},
    {"closest point and box", find_near},
    {"distances", measure_distances},
    {"visit bounds", visit_bounds},
    {"contours", find_contours},
};

static void every_call_survives(void **state)
{
    (void)state;
    world_try_calls(calls, sizeof calls / sizeof calls[0], fixture_scale() < 0.1 ? 300 : 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_survives),
    };
    return cmocka_run_group_tests(tests, world_set_up, world_tear_down);
}
