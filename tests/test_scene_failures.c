/* Scenes that are given nonsense or no memory: errors that name the body, nothing lost; and no
   memory is asked for once all is warm. */
#include "arena.h"

#include <math.h>
#include <string.h>

/* Nonsense in one body fails the call; with the body mended, the scene answers again. */
static void failures_name_the_body(void **state)
{
    (void)state;
    flock f = flock_create();
    for (uint32_t workers = 1; workers <= 3; workers++) {
        arena a = arena_create(&f, fixture_context_with(PLIANT_ISA_BEST, workers),
                               PLIANT_BROAD_AUTO, false);
        pliant_scene_contacts contacts = {.count = 77};
        arena_share(&a, &f);
        float kept = f.positions[6][100];
        f.positions[6][100] = INFINITY;
        assert_int_equal(pliant_scene_collide(a.scene, NULL, &contacts), PLIANT_ERROR_NOT_FINITE);
        assert_non_null(strstr(pliant_last_error(), "body 6: "));
        assert_int_equal(contacts.count, 77);
        assert_int_equal(pliant_scene_collide(a.scene, NULL, &contacts), PLIANT_ERROR_STATE);
        f.positions[6][100] = kept;
        assert_ok(pliant_body_share_positions(a.body[6], f.positions[6], 0));
        assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
        assert_true(contacts.count != 77);
        arena_free(&a);
    }
    pliant_context_def def = pliant_context_default();
    pliant_context *context = NULL;
    def.workers = 0;
    assert_int_equal(pliant_context_create(&def, &context), PLIANT_ERROR_RANGE);
    def.workers = 1000;
    assert_int_equal(pliant_context_create(&def, &context), PLIANT_ERROR_RANGE);
    flock_free(&f);
}

/* Every allocation of a scene fails once and from then on. */
static void failing_allocations(void **state)
{
    (void)state;
    flock f = flock_create();
    flock_evaluate(&f, 20);
    uint64_t expected = 0, calls = 0;
    for (uint64_t n = 0; n <= 2 * calls; n++) {
        counting_allocator allocator = {.fail_at = (n + 1) / 2, .fail_from_there = n % 2 == 0};
        pliant_context *context = fixture_context(&allocator);
        pliant_result result = context != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
        pliant_scene *scene = NULL;
        pliant_shape *shape[4] = {NULL};
        pliant_body *body[4] = {NULL};
        pliant_scene_contacts contacts = {.count = 0};
        if (result == PLIANT_OK) {
            result = pliant_scene_create(context, NULL, &scene);
        }
        for (int i = 0; i < 4 && result == PLIANT_OK; i++) {
            const scene_mesh *mesh = &f.kind[i]->bodies[0];
            pliant_shape_def def = fixture_shape_def(mesh);
            result = pliant_shape_create(context, &def, &shape[i]);
            pliant_body_id id;
            if (result == PLIANT_OK) {
                result = pliant_body_create(shape[i], NULL, &body[i]);
            }
            if (result == PLIANT_OK) {
                result = pliant_scene_add(scene, body[i], NULL, &id);
            }
        }
        if (result == PLIANT_OK) {
            result = pliant_scene_collide(scene, NULL, &contacts);
        }
        if (n == 0) {
            assert_int_equal(result, PLIANT_OK);
            expected = contacts.count;
            calls = allocator.calls;
        } else {
            assert_int_equal(result, PLIANT_ERROR_OUT_OF_MEMORY);
        }
        allocator.fail_at = 0;
        if (pliant_scene_body_count(scene) == 4) {
            assert_ok(pliant_scene_collide(scene, NULL, &contacts));
            assert_int_equal(contacts.count, expected);
        }
        pliant_scene_destroy(scene);
        for (int i = 0; i < 4; i++) {
            pliant_body_destroy(body[i]);
            pliant_shape_destroy(shape[i]);
        }
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(expected > 0);
    flock_free(&f);
}

static void warm_scenes_allocate_nothing(void **state)
{
    (void)state;
    flock f = flock_create();
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pliant_scene *scene = NULL;
    pliant_shape *shape[FLOCK_BODIES];
    pliant_body *body[FLOCK_BODIES];
    assert_ok(pliant_scene_create(context, NULL, &scene));
    for (int i = 0; i < FLOCK_BODIES; i++) {
        pliant_body_id id;
        shape[i] = fixture_shape(context, &f.kind[i]->bodies[0], fixture_usual_tree);
        assert_ok(pliant_body_create(shape[i], NULL, &body[i]));
        assert_ok(pliant_scene_add(scene, body[i], NULL, &id));
    }
    uint64_t calls = 0;
    for (uint32_t step = 0; step < 60; step++) {
        flock_evaluate(&f, 3 * (step % 20));
        for (int i = 0; i < FLOCK_BODIES; i++) {
            assert_ok(pliant_body_share_positions(body[i], f.positions[i], 0));
        }
        pliant_scene_contacts contacts;
        assert_ok(pliant_scene_collide(scene, NULL, &contacts));
        if (step == 25) {
            calls = allocator.calls;
        }
    }
    assert_int_equal(allocator.calls, calls);
    pliant_scene_destroy(scene);
    for (int i = 0; i < FLOCK_BODIES; i++) {
        pliant_body_destroy(body[i]);
        pliant_shape_destroy(shape[i]);
    }
    pliant_context_destroy(context);
    flock_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_name_the_body),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(warm_scenes_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
