/*
 * Queues that are too small grow, and no answer is cut short; a device without memory is an error
 * that changes nothing, at whichever allocation; contacts that lie close together are sorted all
 * the same; what cannot be asked is refused by name; objects end in any order.
 */
#include "cuda_fixture.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two free bodies that touch a great deal, and a reduced one between them. */
typedef struct trio {
    cuda_twin twin;
    model_case c[3];
} trio;

static pliant_shape *shape_of(const model_case *c, bool is_free)
{
    pliant_shape *shape = NULL;
    if (!is_free) {
        return model_case_shape(test_context, c, PLIANT_BOUND_AUTO, fixture_usual_tree);
    }
    pliant_shape_def def = fixture_shape_def(&c->mesh);
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    return shape;
}

static void set_states(trio *w)
{
    for (uint32_t i = 0; i < 3; i++) {
        model_case *c = &w->c[i];
        pliant_state given = {.positions = c->positions};
        if (i == 1) {
            given = (pliant_state){.coordinates = c->coordinates,
                                   .coordinate_count = c->model.mode_count,
                                   .transforms = c->transforms,
                                   .transform_count = c->model.joint_count};
        }
        cuda_twin_set(&w->twin, i, &given);
    }
}

static trio make_trio(uint32_t triangles, uint64_t seed)
{
    rng r;
    rng_seed(&r, seed);
    trio w = {.twin = cuda_twin_create(test_context)};
    for (uint32_t i = 0; i < 3; i++) {
        w.c[i] = model_case_create(MODEL_REDUCED, MODEL_ROUGH, 1.0, 0.0, triangles, &r);
        pliant_shape *shape = shape_of(&w.c[i], i != 1);
        pliant_member_def def = pliant_member_def_default();
        def.self = true;
        cuda_twin_add(&w.twin, shape, &def);
        pliant_shape_destroy(shape);
    }
    set_states(&w);
    return w;
}

static void destroy_trio(trio *w)
{
    cuda_twin_destroy(&w->twin);
    for (int i = 0; i < 3; i++) {
        model_case_destroy(&w->c[i]);
    }
}

static void test_growth(void **state)
{
    (void)state;
    pliant_collide_options options = pliant_collide_options_default();
    for (int run = 0; run < 6; run++) {
        trio w = make_trio(200, 4 + (uint64_t)run);
        uint64_t tiny[PLI_CUDA_QUEUES];
        for (int q = 0; q < PLI_CUDA_QUEUES; q++) {
            tiny[q] = 1 + (uint64_t)run;
        }
        w.twin.scene->forces_exact = run == 3;
        options.mode = run == 4 ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
        assert_ok(pli_cuda_reserve(w.twin.scene, tiny));
        assert_true(cuda_twin_agrees(&w.twin, &options, "tiny queues"));
        assert_true(w.twin.scene->stats.runs > 2);
        /* What has grown stays. */
        assert_true(cuda_twin_agrees(&w.twin, &options, "grown queues"));
        assert_int_equal(w.twin.scene->stats.runs, 1);
        destroy_trio(&w);
    }
}

/* Every allocation on the device fails in turn, and all behind it; then there is memory again. */
static void test_no_memory(void **state)
{
    (void)state;
    trio w = make_trio(100, 8);
    pli_cuda_emulator *emulator = cuda_fixture_emulator(w.twin.cuda);
    if (emulator == NULL) {
        destroy_trio(&w);
        skip_without("the emulator");
    }
    pliant_cuda_contacts contacts = {.count = 12345};
    uint64_t failures = 0;
    pliant_result result = PLIANT_ERROR_OUT_OF_MEMORY;
    for (uint64_t at = 1; result != PLIANT_OK; at++) {
        emulator->fail_at = emulator->allocations + at;
        /* Queues begin tiny, so that growing fails too. */
        if (w.twin.scene->capacity[0] == 0) {
            uint64_t tiny[PLI_CUDA_QUEUES];
            for (int q = 0; q < PLI_CUDA_QUEUES; q++) {
                tiny[q] = 1;
            }
            (void)pli_cuda_reserve(w.twin.scene, tiny);
        }
        result = pliant_cuda_scene_collide(w.twin.scene, NULL, &contacts);
        if (result != PLIANT_OK) {
            assert_int_equal(result, PLIANT_ERROR_OUT_OF_MEMORY);
            assert_non_null(strstr(pliant_last_error(), "device has no memory"));
            assert_int_equal(contacts.count, 12345);
            failures++;
        }
    }
    assert_true(failures > 5);
    emulator->fail_at = 0;
    assert_true(cuda_twin_agrees(&w.twin, NULL, "with memory again"));

    /* Adding and setting states. */
    pliant_shape *shape = shape_of(&w.c[0], true);
    uint32_t number = 77;
    result = PLIANT_ERROR_OUT_OF_MEMORY;
    failures = 0;
    for (uint64_t at = 1; result != PLIANT_OK; at++) {
        uint64_t live = emulator->live;
        emulator->fail_at = emulator->allocations + at;
        result = pliant_cuda_scene_add(w.twin.scene, shape, NULL, &number);
        if (result != PLIANT_OK) {
            assert_int_equal(result, PLIANT_ERROR_OUT_OF_MEMORY);
            assert_int_equal(number, 77);
            assert_int_equal(emulator->live, live);
            failures++;
        }
    }
    emulator->fail_at = 0;
    assert_true(failures >= 4);
    assert_int_equal(number, 3);
    pliant_shape_destroy(shape);
    destroy_trio(&w);
}

/* Allocations of the context fail in turn: nothing leaks and nothing changes. */
static void test_no_host_memory(void **state)
{
    (void)state;
    for (uint64_t at = 1;; at++) {
        counting_allocator allocator = {0};
        pliant_context *context = fixture_context(&allocator);
        pliant_shape *shape = fixture_sphere(context, 200, fixture_usual_tree);
        pliant_cuda *cuda = NULL;
        pliant_cuda_scene *scene = NULL;
        pliant_cuda_def def = pliant_cuda_def_default();
        pliant_member_def member = pliant_member_def_default();
        pliant_cuda_contacts contacts;
        uint32_t number;
        def.kind = PLIANT_CUDA_EMULATED;
        member.self = true;
        allocator.fail_at = allocator.calls + at;
        pliant_result result = pliant_cuda_create(context, &def, &cuda);
        if (result == PLIANT_OK) {
            result = pliant_cuda_scene_create(cuda, &scene);
        }
        for (int i = 0; i < 2 && result == PLIANT_OK; i++) {
            result = pliant_cuda_scene_add(scene, shape, &member, &number);
        }
        if (result == PLIANT_OK) {
            result = pliant_cuda_scene_collide(scene, NULL, &contacts);
        }
        if (result != PLIANT_OK) {
            assert_int_equal(result, PLIANT_ERROR_OUT_OF_MEMORY);
        }
        pliant_cuda_destroy(cuda);
        pliant_cuda_scene_destroy(scene);
        pliant_shape_destroy(shape);
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
        if (result == PLIANT_OK) {
            assert_true(at > 5);
            break;
        }
    }
}

/* A fan: one triangle of each body in the way of thousands of the other, so that nearly all
   contacts fall into one bucket; in two bodies, and in one with itself. */
static void test_full_buckets(void **state)
{
    (void)state;
    enum { BLADES = 3000 };
    gallery_mesh fan = {.vertex_count = 3 * BLADES, .triangle_count = BLADES};
    float *positions = malloc(9 * sizeof(float) * BLADES);
    uint32_t *triangles = malloc(3 * sizeof(uint32_t) * BLADES);
    for (uint32_t i = 0; i < BLADES; i++) {
        float z = (float)i / BLADES - 0.5f;
        float blade[9] = {-1, -1, z, 2, -1, z, -1, 2, z};
        memcpy(positions + 9 * (size_t)i, blade, sizeof blade);
        for (uint32_t k = 0; k < 3; k++) {
            triangles[3 * i + k] = 3 * i + k;
        }
    }
    float wall[9] = {0, 0, -2, 0, 0, 2, 0.1f, 0, 2};
    uint32_t one[3] = {0, 1, 2};
    fan.positions = positions;
    fan.triangles = triangles;
    gallery_mesh plate = {
        .positions = wall, .triangles = one, .vertex_count = 3, .triangle_count = 1};
    cuda_twin t = cuda_twin_create(test_context);
    pliant_shape *shapes[2] = {fixture_shape(test_context, &plate, fixture_usual_tree),
                               fixture_shape(test_context, &fan, fixture_usual_tree)};
    pliant_member_def def = pliant_member_def_default();
    cuda_twin_add(&t, shapes[0], &def);
    cuda_twin_add(&t, shapes[1], &def);
    assert_true(cuda_twin_agrees(&t, NULL, "fan"));
    assert_int_equal(t.got_count, BLADES);
    assert_int_equal(t.scene->stats.sorts_by_digits, 1);
    for (int i = 0; i < 2; i++) {
        pliant_shape_destroy(shapes[i]);
    }
    cuda_twin_destroy(&t);
    free(positions);
    free(triangles);
}

/* What cannot be asked of a device, and mistakes. */
static void test_refusals(void **state)
{
    (void)state;
    trio w = make_trio(60, 2);
    pliant_cuda_scene *scene = w.twin.scene;
    pliant_cuda_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.segments = true;
    assert_int_equal(pliant_cuda_scene_collide(scene, &options, &contacts), PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "segments"));
    options = pliant_collide_options_default();
    options.budget_nodes = 3;
    assert_int_equal(pliant_cuda_scene_collide(scene, &options, &contacts), PLIANT_ERROR_ARGUMENT);
    options = pliant_collide_options_default();
    options.neighbours = (pliant_neighbours)7;
    assert_int_equal(pliant_cuda_scene_collide(scene, &options, &contacts), PLIANT_ERROR_RANGE);
    memset(&options, 0, sizeof options);
    assert_int_equal(pliant_cuda_scene_collide(scene, &options, &contacts), PLIANT_ERROR_ARGUMENT);

    pliant_member_def member = pliant_member_def_default();
    const pliant_shape *shape = pliant_body_get_shape(w.twin.body[0]);
    uint32_t number;
    member.proxies = true;
    assert_int_equal(pliant_cuda_scene_add(scene, shape, &member, &number), PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "proxies"));

    float huge[12] = {1e30f, 0, 0, 0, 0, 1e30f, 0, 0, 0, 0, 1e30f, 0};
    pliant_state bad = {.transforms = huge, .transform_count = 1, .world = huge};
    assert_int_equal(pliant_cuda_scene_set_state(scene, 1, &bad, PLIANT_CUDA_HOST),
                     PLIANT_ERROR_RANGE);
    bad = (pliant_state){.positions = w.c[1].positions};
    assert_int_equal(pliant_cuda_scene_set_state(scene, 1, &bad, PLIANT_CUDA_HOST),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_cuda_scene_set_state(scene, 1, &bad, PLIANT_CUDA_DEVICE),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_cuda_scene_set_state(scene, 3, &bad, PLIANT_CUDA_HOST),
                     PLIANT_ERROR_RANGE);
    bad.position_stride = 13;
    assert_int_equal(pliant_cuda_scene_set_state(scene, 0, &bad, PLIANT_CUDA_DEVICE),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_cuda_scene_set_state(scene, 0, &(pliant_state){0}, PLIANT_CUDA_DEVICE),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_cuda_scene_copy_contacts(scene, NULL, 0), PLIANT_ERROR_STATE);
    assert_true(cuda_twin_agrees(&w.twin, NULL, "after refusals"));
    assert_int_equal(pliant_cuda_scene_copy_contacts(scene, w.twin.got, 1), PLIANT_ERROR_ARGUMENT);

    /* A torn body's shape changes with it. */
    const uint32_t removed = 3;
    pliant_body *torn = NULL;
    assert_ok(pliant_body_create(shape, NULL, &torn));
    assert_ok(pliant_body_tear(torn, &(pliant_tear){.removed = &removed, .removed_count = 1}));
    assert_int_equal(pliant_cuda_scene_add(scene, pliant_body_get_shape(torn), NULL, &number),
                     PLIANT_ERROR_STATE);
    pliant_body_destroy(torn);
    destroy_trio(&w);
}

/* The caller's rounding mode changes nothing. */
static void test_float_environment(void **state)
{
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    pliant_cuda_contact *first = NULL;
    uint64_t count = 0;
    for (int m = 0; m < 4; m++) {
        trio w = make_trio(150, 31);
        pliant_shape *shape = shape_of(&w.c[1], false);
        pliant_cuda_contacts contacts;
        uint32_t number;
        fesetround(modes[m]);
        assert_ok(pliant_cuda_scene_add(w.twin.scene, shape, NULL, &number));
        assert_ok(pliant_cuda_scene_collide(w.twin.scene, NULL, &contacts));
        assert_int_equal(fegetround(), modes[m]);
        fesetround(FE_TONEAREST);
        pliant_shape_destroy(shape);
        pliant_cuda_contact *list = malloc((contacts.count + 1) * sizeof *list);
        assert_ok(pliant_cuda_scene_copy_contacts(w.twin.scene, list, contacts.count));
        if (m == 0) {
            first = list;
            count = contacts.count;
            assert_true(count > 0);
        } else {
            assert_int_equal(contacts.count, count);
            assert_memory_equal(list, first, count * sizeof *list);
            free(list);
        }
        destroy_trio(&w);
    }
    free(first);
}

/* A scene without bodies, one without a pair; answers are the same again and again. */
static void test_edges(void **state)
{
    (void)state;
    pliant_cuda *cuda = cuda_fixture_device(test_context);
    pliant_cuda_scene *scene = NULL;
    pliant_cuda_contacts contacts;
    assert_ok(pliant_cuda_scene_create(cuda, &scene));
    assert_ok(pliant_cuda_scene_collide(scene, NULL, &contacts));
    assert_int_equal(contacts.count, 0);
    assert_null(contacts.on_device);
    pliant_shape *shape = fixture_sphere(test_context, 300, fixture_usual_tree);
    uint32_t number;
    assert_ok(pliant_cuda_scene_add(scene, shape, NULL, &number));
    assert_ok(pliant_cuda_scene_collide(scene, NULL, &contacts));
    assert_int_equal(contacts.count, 0);
    assert_ok(pliant_cuda_scene_add(scene, shape, NULL, &number));
    pliant_shape_destroy(shape); /* the scene keeps it */
    pliant_cuda_destroy(cuda);   /* and the device */
    assert_int_equal(pliant_cuda_scene_get_body_count(scene), 2);
    pliant_cuda_stats stats;
    pliant_cuda_contact *answers[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_cuda_scene_collide(scene, NULL, &contacts));
        assert_true(contacts.count >= 300); /* each triangle touches its twin */
        answers[i] = malloc(contacts.count * sizeof *answers[i]);
        assert_ok(pliant_cuda_scene_copy_contacts(scene, answers[i], contacts.count));
    }
    assert_ok(pliant_cuda_scene_get_stats(scene, &stats));
    assert_int_equal(stats.contacts, contacts.count);
    assert_int_equal(stats.runs, 1);
    assert_true(stats.triangle_tests >= 300 && stats.device_bytes > 0);
    assert_memory_equal(answers[0], answers[1], contacts.count * sizeof *answers[0]);
    free(answers[0]);
    free(answers[1]);
    pliant_cuda_scene_destroy(scene);
    assert_non_null(strstr(pliant_cuda_version(), "emulator"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_no_host_memory),
        cmocka_unit_test(test_full_buckets),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_float_environment),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
