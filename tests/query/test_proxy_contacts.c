/*
 * Contacts of proxies: none is lost, whatever the bodies and the budget, for two bodies and for
 * scenes.
 */
#include "subjects.h"

#include <string.h>

#include "body/body.h"

/* pliant_find_within() reaches further by the errors, so that pairs of the meshes meant are found.
 */
static void within_reaches_over_errors(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 7);
    uint64_t beyond = 0;
    for (uint32_t round = 0; round < fixture_count(60); round++) {
        subject s[2];
        for (int i = 0; i < 2; i++) {
            subject_def def = subject_def_random(400, &r);
            def.error = 0.02f;
            s[i] = subject_create(test_context, def, &r);
        }
        brute_pairs truth;
        pliant_proximities got;
        subjects_find_truth(s, &r, &truth);
        assert_ok(pliant_find_within(test_query, s[0].body, s[1].body, 0.0f, NULL, &got));
        double errors = (double)s[0].body->pose.world_error + (double)s[1].body->pose.world_error;
        uint64_t next = 0;
        for (size_t i = 0; i < truth.count; i++) {
            while (next < got.count && (got.pairs[next].a < truth.pairs[i].a ||
                                        (got.pairs[next].a == truth.pairs[i].a &&
                                         got.pairs[next].b < truth.pairs[i].b))) {
                next++;
            }
            assert_true(next < got.count && got.pairs[next].a == truth.pairs[i].a &&
                        got.pairs[next].b == truth.pairs[i].b);
            beyond += got.pairs[next].gap.distance > 0.0;
        }
        for (uint64_t i = 0; i < got.count; i++) {
            assert_true(got.pairs[i].gap.distance <= errors * (1.0 + 0x1p-20));
        }
        brute_free(&truth);
        subjects_destroy(s);
    }
    assert_true(beyond > 0);
}

enum { HERD = 16 };

typedef struct herd {
    pliant_context *context;
    pliant_scene *scene;
    uint32_t count;
    subject s[HERD];
    bool proxies[HERD];
} herd;

static herd herd_create(pliant_context *context, uint32_t count, uint64_t seed)
{
    herd h = {.context = context, .count = count};
    rng r;
    rng_seed(&r, seed);
    assert_ok(pliant_scene_create(h.context, NULL, &h.scene));
    for (uint32_t i = 0; i < count; i++) {
        pliant_body_id id;
        pliant_member_def member = pliant_member_def_default();
        h.proxies[i] = member.proxies = rng_below(&r, 3) > 0;
        subject_def def = subject_def_random(300, &r);
        def.proxy_triangles = 1 + i * 3;
        def.error = i % 5 == 0 ? 0.01f : 0.0f;
        h.s[i] = subject_create(h.context, def, &r);
        assert_ok(pliant_scene_add(h.scene, h.s[i].body, &member, &id));
        assert_int_equal(id.index, i);
    }
    return h;
}

static void herd_step(herd *h, uint64_t seed)
{
    rng r;
    rng_seed(&r, seed);
    for (uint32_t i = 0; i + 1 < h->count; i += 2) {
        subjects_set_apart(h->s + i, &r);
    }
}

static void herd_destroy(herd *h)
{
    pliant_scene_destroy(h->scene);
    for (uint32_t i = 0; i < h->count; i++) {
        subject_destroy(&h->s[i]);
    }
}

static void warm_scenes_allocate_nothing(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    herd h = herd_create(context, HERD, 11);
    uint64_t before = 0;
    /* The very first step has no front yet, so its boxes of proxies are others than when it comes
       again after the last one: the third pass is the one that repeats what was before. */
    for (uint32_t pass = 0; pass < 3; pass++) {
        before = allocator.calls;
        for (uint32_t step = 0; step < 4; step++) {
            pliant_scene_proxy_contacts got;
            pliant_proxy_contacts one;
            pliant_proxy_options options = pliant_proxy_options_default();
            herd_step(&h, step);
            assert_ok(pliant_scene_collide_proxies(h.scene, NULL, &got));
            for (uint32_t i = 1; i < HERD; i++) {
                options.proxies_b = step % 2 == 0;
                assert_ok(pliant_collide_proxies(query, h.s[0].body, h.s[i].body, &options, &one));
            }
        }
    }
    assert_int_equal(allocator.calls, before);
    herd_destroy(&h);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

/* Whichever allocation fails, the call fails cleanly and works the next time. */
static void failing_allocations_are_survived(void **state)
{
    (void)state;
    bool done = false;
    for (uint64_t at = 1; !done; at++) {
        counting_allocator allocator = {0};
        pliant_context *context = fixture_context(&allocator);
        herd h = herd_create(context, 3, 12);
        pliant_query *query = NULL;
        pliant_proxy_contacts one;
        pliant_scene_proxy_contacts got;
        assert_ok(pliant_query_create(context, &query));
        allocator.fail_at = allocator.calls + at;
        pliant_result first = pliant_collide_proxies(query, h.s[0].body, h.s[1].body, NULL, &one);
        pliant_result second = pliant_scene_collide_proxies(h.scene, NULL, &got);
        done = allocator.calls < allocator.fail_at;
        assert_true(first == PLIANT_OK || first == PLIANT_ERROR_OUT_OF_MEMORY);
        assert_true(second == PLIANT_OK || second == PLIANT_ERROR_OUT_OF_MEMORY);
        assert_true(done || first != PLIANT_OK || second != PLIANT_OK);
        allocator.fail_at = 0;
        assert_ok(pliant_collide_proxies(query, h.s[0].body, h.s[1].body, NULL, &one));
        assert_ok(pliant_scene_collide_proxies(h.scene, NULL, &got));
        herd_destroy(&h);
        pliant_query_destroy(query);
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
    }
}

static void bad_questions_are_refused(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 8);
    subject_def with = {.kind = MODEL_REDUCED, .triangles = 300, .proxy_triangles = 8};
    subject_def without = {.kind = MODEL_KINDS, .triangles = 300};
    subject s[2] = {subject_create(test_context, with, &r),
                    subject_create(test_context, without, &r)};
    pliant_proxy_contacts got;
    pliant_proxy_options options = pliant_proxy_options_default();
    pliant_body *a = s[0].body, *b = s[1].body;
    assert_int_equal(pliant_collide_proxies(test_query, a, a, NULL, &got), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_collide_proxies(test_query, a, b, NULL, &got), PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "the second body"));
    assert_int_equal(pliant_collide_proxies(test_query, b, a, NULL, &got), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_collide_proxies(NULL, a, b, NULL, &got), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_collide_proxies(test_query, NULL, b, NULL, &got),
                     PLIANT_ERROR_ARGUMENT);
    options.proxies_b = false;
    assert_int_equal(pliant_collide_proxies(test_query, a, b, &options, NULL),
                     PLIANT_ERROR_ARGUMENT);
    assert_ok(pliant_collide_proxies(test_query, a, b, &options, &got));
    options.tag++;
    assert_int_equal(pliant_collide_proxies(test_query, a, b, &options, &got),
                     PLIANT_ERROR_ARGUMENT);

    uint32_t count = 7;
    assert_ok(pliant_shape_get_proxies(s[1].shape, NULL, 0, &count));
    assert_int_equal(count, 0);
    pliant_proxy beyond = {UINT32_MAX, 1}, none = {0, 0}, wide = {0, UINT32_MAX};
    assert_int_equal(pliant_shape_get_proxy_triangles(s[0].shape, beyond, NULL, 0, &count),
                     PLIANT_ERROR_RANGE);
    assert_int_equal(pliant_shape_get_proxy_triangles(s[0].shape, none, NULL, 0, &count),
                     PLIANT_ERROR_RANGE);
    assert_int_equal(pliant_shape_get_proxy_vertex(s[0].shape, wide, &count), PLIANT_ERROR_RANGE);

    pliant_scene *scene = NULL;
    pliant_body_id id;
    pliant_member_def member = pliant_member_def_default();
    member.proxies = true;
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    assert_int_equal(pliant_scene_add(scene, b, &member, &id), PLIANT_ERROR_ARGUMENT);
    assert_ok(pliant_scene_add(scene, b, NULL, &id));
    assert_int_equal(pliant_scene_set_member(scene, id, &member), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_scene_collide_proxies(scene, NULL, NULL), PLIANT_ERROR_ARGUMENT);
    pliant_scene_destroy(scene);
    subjects_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_reaches_over_errors),
        cmocka_unit_test(warm_scenes_allocate_nothing),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, test_query_tear_down);
}
