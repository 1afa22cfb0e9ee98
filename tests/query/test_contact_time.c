/* The time of first contact, against brute force at the two ends of the interval. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two spheres that approach each other, at the start and the end of a step. */
typedef struct approach {
    pliant_context *context;
    pliant_query *query;
    gallery_scene *scene;
    pliant_shape *shape[2];
    pliant_body *body[2];
    float *start[2], *end[2], *between[2];
} approach;

static approach s;

static int set_up(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 320, .seed = 1};
    s.scene = gallery_create(&gallery_spheres, &settings);
    assert_ok(pliant_context_create(NULL, &s.context));
    assert_ok(pliant_query_create(s.context, &s.query));
    for (uint32_t i = 0; i < 2; i++) {
        size_t bytes = s.scene->bodies[i].vertex_count * 3 * sizeof(float);
        s.shape[i] = fixture_shape(s.context, &s.scene->bodies[i], fixture_usual_tree);
        assert_ok(pliant_body_create(s.shape[i], NULL, &s.body[i]));
        s.start[i] = malloc(bytes);
        s.end[i] = malloc(bytes);
        s.between[i] = malloc(bytes);
        gallery_evaluate(s.scene, i, 0, s.start[i]);
        gallery_evaluate(s.scene, i, s.scene->steps, s.end[i]);
        assert_ok(pliant_body_share_positions(s.body[i], s.end[i], 0));
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(s.body[i]);
        pliant_shape_destroy(s.shape[i]);
        free(s.start[i]);
        free(s.end[i]);
        free(s.between[i]);
    }
    pliant_query_destroy(s.query);
    pliant_context_destroy(s.context);
    gallery_destroy(s.scene);
    return 0;
}

static pliant_motion motion(int i)
{
    return (pliant_motion){s.start[i], s.end[i], 0};
}

/* The pairs that touch at a time, by brute force; `moves` bit i: body i moves. */
static uint64_t touching_at(float time, unsigned moves, brute_pairs *pairs)
{
    brute_body body[2];
    for (uint32_t i = 0; i < 2; i++) {
        const gallery_mesh *mesh = &s.scene->bodies[i];
        for (uint32_t k = 0; k < 3 * mesh->vertex_count; k++) {
            float step = s.end[i][k] - s.start[i][k];
            float along = time * step;
            float x = s.start[i][k] + along;
            bool at_end = time == 1.0f || !(moves >> i & 1);
            s.between[i][k] = at_end ? s.end[i][k] : x;
        }
        body[i] =
            (brute_body){s.between[i], mesh->triangles, mesh->vertex_count, mesh->triangle_count};
    }
    brute_collide(&body[0], &body[1], pairs);
    return pairs->count;
}

static bool has_pair(const brute_pairs *pairs, pliant_pair pair)
{
    for (size_t i = 0; i < pairs->count; i++) {
        if (pairs->pairs[i].a == pair.a && pairs->pairs[i].b == pair.b) {
            return true;
        }
    }
    return false;
}

static void check_interval(const pliant_contact_time *found, float tolerance, unsigned moves)
{
    brute_pairs pairs = {0};
    assert_true(found->touches && found->free < found->touching);
    assert_true(found->touching - found->free <= tolerance ||
                nextafterf(found->free, 1.0f) == found->touching);
    assert_int_equal(touching_at(found->free, moves, &pairs), 0);
    assert_true(touching_at(found->touching, moves, &pairs) > 0);
    assert_true(has_pair(&pairs, found->pair));
    brute_free(&pairs);
}

static void intervals_hold_the_contact(void **state)
{
    (void)state;
    const float tolerances[] = {1.0f, 0.125f, 0x1p-10f, 1e-5f, 0.0f};
    pliant_motion a = motion(0), b = motion(1);
    for (int i = 0; i < 5; i++) {
        for (uint32_t samples = 1; samples <= 16; samples += 5) {
            pliant_contact_time_options options = pliant_contact_time_options_default();
            pliant_contact_time found;
            options.tolerance = tolerances[i];
            options.samples = samples;
            assert_ok(
                pliant_find_contact_time(s.query, s.body[0], &a, s.body[1], &b, &options, &found));
            check_interval(&found, tolerances[i], 3);
            assert_true(found.tried >= 2 && found.tried <= samples + 35);
            assert_int_equal(pliant_query_get_stats(s.query)->pairs, 1);
            assert_true(pliant_query_get_stats(s.query)->vertices_read > 0);
        }
    }
    /* One of them stays where it is. */
    pliant_contact_time found;
    assert_ok(pliant_find_contact_time(s.query, s.body[0], &a, s.body[1], NULL, NULL, &found));
    if (found.touches && found.touching > 0.0f) {
        check_interval(&found, 0x1p-10f, 1);
    }
    /* Positions with a stride. */
    uint32_t count = s.scene->bodies[0].vertex_count;
    float *wide[2] = {malloc(count * 20), malloc(count * 20)};
    for (uint32_t v = 0; v < count; v++) {
        memcpy(wide[0] + 5 * (size_t)v, s.start[0] + 3 * (size_t)v, 12);
        memcpy(wide[1] + 5 * (size_t)v, s.end[0] + 3 * (size_t)v, 12);
    }
    pliant_motion strided = {wide[0], wide[1], 20};
    assert_ok(pliant_find_contact_time(s.query, s.body[0], &strided, s.body[1], &b, NULL, &found));
    check_interval(&found, 0x1p-10f, 3);
    free(wide[0]);
    free(wide[1]);
}

static void bodies_keep_their_state(void **state)
{
    (void)state;
    pliant_contacts before, after;
    pliant_contact_time found;
    pliant_motion a = motion(0), b = motion(1);
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], NULL, &before));
    uint64_t count = before.count;
    assert_true(count > 0);
    assert_ok(pliant_find_contact_time(s.query, s.body[0], &a, s.body[1], &b, NULL, &found));
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], NULL, &after));
    assert_int_equal(after.count, count);
    float p[3];
    const uint32_t seven = 7;
    assert_ok(pliant_body_evaluate(s.body[0], &seven, 1, p));
    assert_memory_equal(p, s.end[0] + 21, sizeof p);
    /* The same on failure, and the sentence names the vertex. */
    float kept = s.end[1][3 * 5 + 1];
    s.end[1][3 * 5 + 1] = NAN;
    pliant_contact_time untouched;
    memset(&untouched, 0x55, sizeof untouched);
    pliant_contact_time got = untouched;
    pliant_contact_time_options options = pliant_contact_time_options_default();
    options.samples = 2;
    assert_int_equal(
        pliant_find_contact_time(s.query, s.body[0], &a, s.body[1], &b, &options, &got),
        PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "second body: vertex 5: coordinate y"));
    assert_memory_equal(&got, &untouched, sizeof got);
    options.samples = 1;
    assert_int_equal(
        pliant_find_contact_time(s.query, s.body[0], &a, s.body[1], &b, &options, &got),
        PLIANT_ERROR_NOT_FINITE);
    s.end[1][3 * 5 + 1] = kept;
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], NULL, &after));
    assert_int_equal(after.count, count);
}

static void contacts_at_the_ends(void **state)
{
    (void)state;
    pliant_contact_time found;
    /* Backwards: they touch at time 0. */
    pliant_motion back[2] = {{s.end[0], s.start[0], 0}, {s.end[1], s.start[1], 0}};
    assert_ok(
        pliant_find_contact_time(s.query, s.body[0], &back[0], s.body[1], &back[1], NULL, &found));
    assert_true(found.touches && found.free == 0.0f && found.touching == 0.0f);
    assert_int_equal(found.tried, 1);
    /* Not at all. */
    pliant_motion still[2] = {{s.start[0], s.start[0], 0}, {s.start[1], s.start[1], 0}};
    assert_ok(pliant_find_contact_time(s.query, s.body[0], &still[0], s.body[1], &still[1], NULL,
                                       &found));
    assert_true(!found.touches && found.tried == 2);
    assert_int_equal(pliant_query_get_stats(s.query)->pairs, 0);
}

/* A contact that comes and goes between two samples is found by more of them only. */
static void samples_decide_what_is_seen(void **state)
{
    (void)state;
    uint32_t count = 3 * s.scene->bodies[0].vertex_count;
    float *there = malloc(count * sizeof(float)), *beyond = malloc(count * sizeof(float));
    for (uint32_t i = 0; i < count; i++) { /* through the other one, and out on its far side */
        there[i] = s.end[0][i] + (i % 3 == 0 ? -50.0f : 0.0f);
        beyond[i] = s.end[0][i] + (i % 3 == 0 ? 50.0f : 0.0f);
    }
    pliant_motion through = {there, beyond, 0};
    pliant_contact_time found;
    pliant_contact_time_options options = pliant_contact_time_options_default();
    assert_ok(
        pliant_find_contact_time(s.query, s.body[0], &through, s.body[1], NULL, &options, &found));
    assert_false(found.touches);
    options.samples = 64;
    assert_ok(
        pliant_find_contact_time(s.query, s.body[0], &through, s.body[1], NULL, &options, &found));
    assert_true(found.touches && found.free > 0.4f && found.touching < 0.5f);
    free(there);
    free(beyond);
}

static void bad_questions_are_refused(void **state)
{
    (void)state;
    pliant_contact_time found;
    pliant_contact_time_options options = pliant_contact_time_options_default();
    pliant_motion a = motion(0), bad = motion(1);
    assert_int_equal(pliant_find_contact_time(s.query, s.body[0], &a, s.body[0], &a, NULL, &found),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_find_contact_time(s.query, s.body[0], &a, s.body[1], NULL, NULL, NULL),
                     PLIANT_ERROR_ARGUMENT);
    bad.end = NULL;
    assert_int_equal(
        pliant_find_contact_time(s.query, s.body[0], &a, s.body[1], &bad, NULL, &found),
        PLIANT_ERROR_ARGUMENT);
    bad = motion(1);
    bad.stride = 10;
    assert_int_equal(
        pliant_find_contact_time(s.query, s.body[0], &a, s.body[1], &bad, NULL, &found),
        PLIANT_ERROR_RANGE);
    options.samples = 0;
    assert_int_equal(
        pliant_find_contact_time(s.query, s.body[0], &a, s.body[1], NULL, &options, &found),
        PLIANT_ERROR_RANGE);
    options = pliant_contact_time_options_default();
    options.tolerance = NAN;
    assert_int_equal(
        pliant_find_contact_time(s.query, s.body[0], &a, s.body[1], NULL, &options, &found),
        PLIANT_ERROR_RANGE);
    options = pliant_contact_time_options_default();
    options.tag = 0;
    assert_int_equal(
        pliant_find_contact_time(s.query, s.body[0], &a, s.body[1], NULL, &options, &found),
        PLIANT_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_the_contact), cmocka_unit_test(bodies_keep_their_state),
        cmocka_unit_test(contacts_at_the_ends),       cmocka_unit_test(samples_decide_what_is_seen),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
