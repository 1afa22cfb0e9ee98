/* Reduced bodies for scenes: sizes as promised, models, compression with its exact error, and the
   scenes themselves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "pliant/pliant.h"
#include "random.h"
#include "gallery/modal/kinds.h"
#include "gallery/modal/left_out.h"
#include "gallery/modal/models.h"

static void check_quality(const gallery_mesh *mesh)
{
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pliant_shape *shape = fixture_shape(context, mesh, fixture_usual_tree);
    fixture_assert_tidy(shape);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
}

/* James and Pai's table 1. */
static void test_sizes_are_the_papers(void **state)
{
    (void)state;
    static const struct {
        bool (*make)(uint32_t triangles, gallery_mesh *mesh);
        uint32_t vertices, faces;
    } table[] = {{modal_mesh_chair, 9471, 17914},
                 {modal_mesh_fish, 12531, 24776},
                 {modal_mesh_bridge, 135304, 240316},
                 {modal_mesh_curtain, 6184, 12020}};
    for (int i = 0; i < 4; i++) {
        gallery_mesh mesh;
        assert_true(table[i].make(table[i].faces, &mesh));
        assert_int_equal(mesh.vertex_count, table[i].vertices);
        assert_int_equal(mesh.triangle_count, table[i].faces);
        check_quality(&mesh);
        mesh_free(&mesh);
        /* Another size, about. */
        uint32_t wanted = table[i].faces / 3;
        assert_true(table[i].make(wanted, &mesh));
        assert_true(abs((int)mesh.triangle_count - (int)wanted) < (int)wanted / 10);
        check_quality(&mesh);
        mesh_free(&mesh);
    }
}

static void test_models(void **state)
{
    (void)state;
    gallery_mesh mesh, again_mesh;
    modal_model model, again;
    assert_true(modal_make_chair(0, &mesh, &model));
    assert_int_equal(mesh.triangle_count, MODAL_CHAIR_FACES);
    assert_int_equal(model.vertex_count, MODAL_CHAIR_VERTICES);
    assert_int_equal(model.mode_count, 10);
    assert_int_equal(model.rigid_count, 6);
    assert_true(model.radius > 0.5 && model.radius < 0.7 && model.mass > 1.0 && model.mass < 20.0);
    print_message("chair: %u unknowns, %.1f kg, %.1f to %.1f Hz\n", model.unknowns, model.mass,
                  model.frequencies[0] / (2.0 * GALLERY_PI),
                  model.frequencies[9] / (2.0 * GALLERY_PI));
    for (uint32_t m = 0; m < 10; m++) {
        const float *mode = model.modes + m * 3 * (size_t)model.vertex_count;
        double longest = 0.0;
        float high = 0.0f, low = 0.0f;
        for (size_t i = 0; i < 3 * (size_t)model.vertex_count; i += 3) {
            double square = 0.0;
            for (size_t a = 0; a < 3; a++) {
                square += (double)mode[i + a] * (double)mode[i + a];
                high = fmaxf(high, mode[i + a]);
                low = fminf(low, mode[i + a]);
            }
            longest = fmax(longest, sqrt(square));
        }
        assert_true(high >= -0.999f * low);
        assert_true(longest == model.largest[m]);
        assert_true(m == 0 || model.frequencies[m] >= model.frequencies[m - 1]);
    }
    modal_model_free(&model);
    mesh_free(&mesh);
    assert_true(modal_make_fish(600, &mesh, &model));
    assert_true(modal_make_fish(600, &again_mesh, &again));
    assert_memory_equal(again.modes, model.modes,
                        (size_t)3 * model.vertex_count * model.mode_count * sizeof(float));
    assert_int_equal(again.mode_count, 3);
    modal_model_free(&again);
    mesh_free(&again_mesh);
    modal_model_free(&model);
    mesh_free(&mesh);
}

/* The error that was reported, found once more and by other means. */
static double largest_error(const modal_animation *animation, const float *frames)
{
    double largest = 0.0;
    uint32_t count = animation->vertex_count;
    for (uint32_t f = 0; f < animation->frame_count; f++) {
        for (uint32_t v = 0; v < count; v++) {
            double square = 0.0;
            for (size_t a = 0; a < 3; a++) {
                float x = animation->mean[3 * (size_t)v + a];
                for (uint32_t m = 0; m < animation->mode_count; m++) {
                    x += animation->coordinates[f * animation->mode_count + m] *
                         animation->modes[3 * ((size_t)m * count + v) + a];
                }
                double side = (double)x - (double)frames[3 * ((size_t)f * count + v) + a];
                square += side * side;
            }
            largest = fmax(largest, sqrt(square));
        }
    }
    return largest;
}

static void test_compression(void **state)
{
    (void)state;
    enum { FRAMES = 20, VERTICES = 401, RANK = 3 };
    static float frames[FRAMES * VERTICES * 3];
    rng random;
    rng_seed(&random, 3);
    for (uint32_t trial = 0; trial < fixture_count(8); trial++) {
        static double fields[RANK + 1][VERTICES * 3];
        bool noisy = trial % 2 == 1;
        for (int m = 0; m <= RANK; m++) {
            for (int i = 0; i < VERTICES * 3; i++) {
                fields[m][i] = rng_range(&random, -1.0, 1.0);
            }
        }
        for (int f = 0; f < FRAMES; f++) {
            double q[RANK];
            for (int m = 0; m < RANK; m++) {
                q[m] = rng_range(&random, -1.0, 1.0);
            }
            for (int i = 0; i < VERTICES * 3; i++) {
                double sum = fields[RANK][i];
                for (int m = 0; m < RANK; m++) {
                    sum += q[m] * fields[m][i];
                }
                sum += noisy ? rng_range(&random, -0.1, 0.1) : 0.0;
                frames[f * VERTICES * 3 + i] = (float)sum;
            }
        }
        double last = INFINITY;
        for (uint32_t modes = 0; modes <= FRAMES + 2; modes++) {
            modal_animation animation;
            assert_true(modal_compress(frames, FRAMES, VERTICES, modes, &animation));
            assert_true(animation.largest_error == largest_error(&animation, frames));
            assert_true(animation.largest_error < 2.0 * last);
            last = animation.largest_error;
            if (modes == RANK) {
                assert_true(noisy ? last > 0.05 && last < 0.25 : last < 1e-5);
            }
            if (modes >= FRAMES - 1) {
                assert_true(last < 1e-5);
            }
            modal_animation_free(&animation);
        }
    }
    /* Nothing moves: there is nothing to add to the mean. */
    for (int f = 1; f < FRAMES; f++) {
        memcpy(frames + f * VERTICES * 3, frames, VERTICES * 3 * sizeof *frames);
    }
    modal_animation animation;
    assert_true(modal_compress(frames, FRAMES, VERTICES, 2, &animation));
    assert_true(animation.largest_error == 0.0);
    modal_animation_free(&animation);
}

static void test_animations(void **state)
{
    (void)state;
    gallery_mesh mesh;
    modal_animation animation;
    assert_true(modal_make_bridge(12000, &mesh, &animation));
    assert_int_equal(animation.mode_count, 10);
    assert_true(animation.largest_error < 0.05); /* metres, of a motion of many metres */
    float most = 0.0f;
    for (uint32_t f = 0; f < animation.frame_count; f++) {
        most = fmaxf(most, fabsf(animation.coordinates[f * 10]));
    }
    assert_true(most > 5.0f);
    print_message("bridge: first coordinate up to %.1f m, largest error %.4f m\n", (double)most,
                  animation.largest_error);
    float end[10];
    modal_animation_at(&animation, animation.frame_count - 1, end);
    assert_memory_equal(end, animation.coordinates + 10 * (animation.frame_count - 1), sizeof end);
    modal_animation_at(&animation, 0.5, end);
    for (int m = 0; m < 10; m++) {
        float middle = 0.5f * (animation.coordinates[m] + animation.coordinates[10 + m]);
        assert_true(fabsf(end[m] - middle) <= 1e-5f * (1.0f + fabsf(middle)));
    }
    mesh_free(&mesh);
    modal_animation_free(&animation);
    modal_ball balls[MODAL_CURTAIN_FRAMES];
    assert_true(modal_make_curtain(MODAL_CURTAIN_BLOWN, 2000, 1, PLIANT_ISA_BEST, &mesh, &animation,
                                   balls));
    assert_int_equal(animation.mode_count, 12);
    assert_int_equal(animation.frame_count, 110);
    assert_true(animation.largest_error > 0.0 && animation.largest_error < 0.4);
    print_message("curtain: largest error %.3f m\n", animation.largest_error);
    mesh_free(&mesh);
    modal_animation_free(&animation);
    assert_true(modal_make_curtain(MODAL_CURTAIN_PUSHED, 2000, 1, PLIANT_ISA_BEST, &mesh,
                                   &animation, balls));
    assert_int_equal(animation.mode_count, 12);
    assert_true(animation.largest_error > 0.0 && animation.largest_error < 0.4);
    mesh_free(&mesh);
    modal_animation_free(&animation);
}

static void check_starts(const modal_start *starts, uint32_t count, double radius, double low)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_true(starts[i].position[2] - radius > low);
        for (uint32_t k = 0; k < i; k++) {
            double side[3];
            for (int a = 0; a < 3; a++) {
                side[a] = starts[i].position[a] - starts[k].position[a];
            }
            if (modal_dot(side, side) < 4.0 * radius * radius) {
                fail_msg("bodies %u and %u start in each other", i, k);
            }
        }
    }
}

static void test_starts(void **state)
{
    (void)state;
    modal_start *starts = calloc(MODAL_FISH_COUNT, sizeof *starts);
    assert_non_null(starts);
    modal_start_chairs(MODAL_CHAIR_COUNT, 0, 0.6, 1, starts);
    check_starts(starts, fixture_scale() < 1.0 ? 500 : MODAL_CHAIR_COUNT, 0.6, 0.0);
    modal_start_chairs(MODAL_CHAIR_COUNT, 3, 0.6, 1, starts);
    check_starts(starts, fixture_scale() < 1.0 ? 500 : MODAL_CHAIR_COUNT, 0.6, 0.0);
    for (uint32_t i = 0; i < MODAL_CHAIR_COUNT; i++) {
        assert_true(starts[i].position[2] < 3.0 * 2.3 * 0.6);
    }
    modal_start_fish(MODAL_FISH_COUNT, 0.85, 1, starts);
    check_starts(starts, fixture_scale() < 1.0 ? 500 : MODAL_FISH_COUNT, 0.85, MODAL_BRIDGE_ROAD);
    for (uint32_t i = 0; i < MODAL_FISH_COUNT; i++) {
        assert_true(fabs(starts[i].position[1]) + 0.85 < 0.5 * MODAL_BRIDGE_WIDTH);
        assert_true(fabs(starts[i].position[0]) + 0.85 < 0.5 * MODAL_BRIDGE_LENGTH);
    }
    free(starts);
}

/* Pairs of touching triangles of two bodies of a scene at one step. */
static uint64_t count_pairs(const gallery_scene *scene, uint32_t step, uint32_t a, uint32_t b)
{
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pliant_query *query;
    pliant_contacts contacts;
    pliant_shape *shapes[2];
    pliant_body *bodies[2];
    float *positions[2];
    const uint32_t which[2] = {a, b};
    assert_ok(pliant_query_create(context, &query));
    for (int i = 0; i < 2; i++) {
        const gallery_mesh *mesh = &scene->bodies[which[i]];
        shapes[i] = fixture_shape(context, mesh, fixture_usual_tree);
        assert_ok(pliant_body_create(shapes[i], NULL, &bodies[i]));
        positions[i] = malloc(3 * (size_t)mesh->vertex_count * sizeof(float));
        assert_non_null(positions[i]);
        gallery_evaluate(scene, which[i], step, positions[i]);
        assert_ok(pliant_body_share_positions(bodies[i], positions[i], 0));
    }
    assert_ok(pliant_collide(query, bodies[0], bodies[1], NULL, &contacts));
    uint64_t count = contacts.count;
    pliant_query_destroy(query);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(bodies[i]);
        pliant_shape_destroy(shapes[i]);
        free(positions[i]);
    }
    pliant_context_destroy(context);
    return count;
}

static gallery_scene *make_scene(const gallery_kind *kind, uint32_t triangles, uint64_t seed)
{
    gallery_settings settings = {.triangles = triangles, .seed = seed};
    gallery_scene *scene = gallery_create(kind, &settings);
    assert_non_null(scene);
    assert_true(scene->body_count <= GALLERY_MAX_BODIES);
    return scene;
}

/* Every state is finite, and transforms are rigid motions. */
static void check_states(const gallery_scene *scene)
{
    for (uint32_t body = 0; body < scene->body_count; body++) {
        assert_true(gallery_has_model(scene, body));
        for (uint32_t step = 0; step <= scene->steps; step++) {
            float q[16], transform[12];
            gallery_state(scene, body, step, q, transform);
            for (uint32_t m = 0; m < scene->models[body].mode_count; m++) {
                assert_true(isfinite(q[m]));
            }
            for (uint32_t row = 0; row < 3 * scene->models[body].joint_count; row++) {
                const float *r = transform + 4 * (size_t)row;
                assert_true(isfinite(r[3]));
                assert_true(fabsf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - 1.0f) < 1e-5f);
            }
        }
    }
}

static void test_scene_chairs(void **state)
{
    (void)state;
    gallery_scene *scene = make_scene(&gallery_chairs, 3000, 1);
    check_states(scene);
    uint32_t ground = scene->body_count - 1, on_floor = 0, together = 0;
    for (uint32_t a = 0; a < ground; a++) {
        assert_int_equal(scene->models[a].mode_count, 10);
        on_floor += count_pairs(scene, scene->steps, a, ground) > 0;
        for (uint32_t b = 0; b < a; b++) {
            assert_int_equal(count_pairs(scene, 0, a, b), 0);
            together += count_pairs(scene, scene->steps / 2, a, b) > 0;
        }
        float q[10], transform[12];
        gallery_state(scene, a, scene->steps, q, transform);
        assert_true(transform[11] > 0.0f && transform[11] < 2.0f);
    }
    print_message("chairs: %u stand on the floor at the end; %u pairs touch half way\n", on_floor,
                  together);
    assert_true(on_floor >= 3 && together >= 3);
    gallery_destroy(scene);
}

static void test_scene_bridge(void **state)
{
    (void)state;
    gallery_scene *scene = make_scene(&gallery_bridge, 12000, 1);
    check_states(scene);
    assert_int_equal(scene->models[0].mode_count, 10);
    assert_int_equal(scene->models[1].mode_count, 3);
    uint32_t on_road = 0;
    for (uint32_t body = 1; body < scene->body_count; body++) {
        assert_int_equal(count_pairs(scene, 0, 0, body), 0);
        on_road += count_pairs(scene, scene->steps / 2, 0, body) > 0;
    }
    print_message("bridge: %u of %u fish lie on it half way\n", on_road, scene->body_count - 1);
    assert_true(on_road >= 5);
    gallery_destroy(scene);
}

static void test_scenes_are_listed(void **state)
{
    (void)state;
    const char *const names[4] = {"curtain", "curtain-pushed", "chairs", "bridge"};
    for (int i = 0; i < 4; i++) {
        assert_non_null(gallery_find(names[i]));
        assert_false(gallery_left_out(names[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_are_the_papers),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_compression),
        cmocka_unit_test(test_animations),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_scene_chairs),
        cmocka_unit_test(test_scene_bridge),
        cmocka_unit_test(test_scenes_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
