/*
 * The scenes of blended bodies: influences that are weights, motions without a jump, the same bits
 * everywhere, and contacts as in the paper's experiments.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "gallery/figure.h"
#include "gallery/meshless/bodies.h"
#include "gallery/meshless/brain.h"
#include "gallery/meshless/ring.h"

/* What holds for every body with influences. */
static void check_model(const gallery_model *model, uint32_t vertex_count, uint32_t least,
                        uint32_t most)
{
    assert_int_equal(model->influence_offsets[0], 0);
    for (uint32_t v = 0; v < vertex_count; v++) {
        uint32_t start = model->influence_offsets[v], end = model->influence_offsets[v + 1];
        double sum = 0.0;
        assert_true(end >= start + least && end <= start + most);
        for (uint32_t i = start; i < end; i++) {
            assert_true(model->influence_weights[i] >= 0.0f);
            assert_true(model->influence_joints[i] < model->joint_count);
            assert_true(i == start || model->influence_joints[i - 1] < model->influence_joints[i]);
            sum += (double)model->influence_weights[i];
        }
        assert_true(fabs(sum - 1.0) < 1e-6);
    }
}

/* A scene; where any number of bodies may be, with fewer of them in a test that is cut short. */
static gallery_scene *make(const gallery_kind *kind, uint32_t triangles, uint32_t steps)
{
    gallery_settings settings = {.triangles = triangles, .steps = steps, .seed = 1};
    settings.bodies = fixture_scale() < 0.5 ? 8 : 0;
    gallery_scene *scene = gallery_create(kind, &settings);
    assert_non_null(scene);
    return scene;
}

/* All states are numbers, and nothing moves farther than `farthest` in one step. */
static void check_states(const gallery_scene *scene, double farthest)
{
    for (uint32_t body = 0; body < scene->body_count; body++) {
        const gallery_model *model = &scene->models[body];
        uint32_t count = 3 * scene->bodies[body].vertex_count;
        float *positions[2];
        for (int i = 0; i < 2; i++) {
            positions[i] = malloc(count * sizeof(float));
            assert_non_null(positions[i]);
        }
        assert_true(gallery_has_model(scene, body));
        assert_true(model->joint_count > 0);
        for (uint32_t step = 0; step <= scene->steps; step++) {
            float *now = positions[step % 2], *before = positions[(step + 1) % 2];
            gallery_evaluate(scene, body, step, now);
            for (uint32_t i = 0; i < count; i++) {
                assert_true(isfinite(now[i]) && fabsf(now[i]) < 20.0f);
                assert_true(step == 0 || fabs((double)now[i] - (double)before[i]) < farthest);
            }
        }
        free(positions[0]);
        free(positions[1]);
    }
}

/* The nodes that are kept with a recording are those that the influences were made from. */
static void check_rest_nodes(const gallery_scene *scene)
{
    const gallery_model *model = &scene->models[0];
    for (uint32_t v = 0; v < scene->bodies[0].vertex_count; v++) {
        const float *p = scene->rest[0] + (size_t)3 * v;
        double sum = 0.0, weights[64];
        uint32_t start = model->influence_offsets[v];
        uint32_t count = model->influence_offsets[v + 1] - start;
        assert_true(count <= 64);
        for (uint32_t i = 0; i < count; i++) {
            double point[3], reach, square = 0.0;
            bodies_rest_node(scene, model->influence_joints[start + i], point, &reach);
            for (int axis = 0; axis < 3; axis++) {
                square += ((double)p[axis] - point[axis]) * ((double)p[axis] - point[axis]);
            }
            assert_true(square < reach * reach);
            weights[i] = nodes_kernel(square, reach);
            sum += weights[i];
        }
        for (uint32_t i = 0; i < count; i++) {
            double found = (double)model->influence_weights[start + i];
            assert_true(fabs(found - weights[i] / sum) < 1e-6);
        }
    }
}

static void test_scenes_have_models_and_finite_states(void **state)
{
    (void)state;
    gallery_scene *ring = make(&gallery_ring, 2 * (2857 - 2), 0);
    assert_int_equal(ring->bodies[5].vertex_count, 2857);
    assert_int_equal(ring->models[5].joint_count, RING_FEW_NODES);
    check_model(&ring->models[5], 2857, 4, 40);
    check_states(ring, 0.4);
    gallery_destroy(ring);
    gallery_scene *school = make(&gallery_school, 1000, 0);
    assert_int_equal(school->body_count, fixture_scale() < 0.5 ? 8 : 24);
    assert_int_equal(school->models[7].joint_count, 96);
    check_model(&school->models[7], school->bodies[7].vertex_count, 4, 60);
    check_states(school, 0.3);
    gallery_destroy(school);
    gallery_scene *brain = make(brain_kind(225), 2 * (3500 - 2), 0);
    assert_int_equal(brain->bodies[0].vertex_count, 3500);
    assert_int_equal(brain->models[0].joint_count, 225);
    check_model(&brain->models[0], 3500, 4, 40);
    check_rest_nodes(brain);
    check_states(brain, 0.6);
    gallery_destroy(brain);
    assert_null(brain_kind(66));
    assert_null(ring_kind(100, true));
}

/* What is simulated has the same bits on every machine. */
static void test_simulations_are_the_same_everywhere(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t hash;
    } golden[] = {
        {"ring", 0xf48a726335ec9c13u},
        {"school", 0x2fc8d070f8c9cfe0u},
        {"brain", 0x37fa2f1df6ba368eu},
        {"figure", 0x2670ea00558940f1u},
    };
    bool same = true;
    for (size_t k = 0; k < sizeof golden / sizeof golden[0]; k++) {
        gallery_settings settings = {.triangles = 800, .steps = 50, .seed = 1, .bodies = 6};
        gallery_scene *scene = gallery_create(gallery_find(golden[k].name), &settings);
        assert_non_null(scene);
        uint64_t hash = 0;
        for (uint32_t body = 0; body < scene->body_count; body++) {
            uint32_t count = scene->bodies[body].vertex_count;
            float *positions = malloc((size_t)count * 12);
            assert_non_null(positions);
            for (uint32_t step = 0; step <= scene->steps; step += 10) {
                gallery_evaluate(scene, body, step, positions);
                hash = hash * 31 + gallery_hash(positions, (uint64_t)count * 12);
            }
            free(positions);
        }
        if (hash != golden[k].hash) {
            print_message("%s: 0x%016llx\n", golden[k].name, (unsigned long long)hash);
        }
        same = same && hash == golden[k].hash;
        gallery_destroy(scene);
    }
    assert_true(same);
}

/* Pairs of triangles of different bodies at some steps. */
typedef struct touch_count {
    uint64_t pairs, touching_steps, first_step;
} touch_count;

static touch_count count_touches(const gallery_scene *scene, uint32_t stride)
{
    touch_count touches = {0};
    pliant_context *context = NULL;
    pliant_query *query = NULL;
    pliant_shape *shapes[24];
    pliant_body *bodies[24];
    float *positions[24];
    fixture_tree tree = {PLIANT_PARTITION_BALANCED, 8, 4};
    assert_ok(pliant_context_create(NULL, &context));
    assert_ok(pliant_query_create(context, &query));
    for (uint32_t i = 0; i < scene->body_count; i++) {
        shapes[i] = fixture_shape(context, &scene->bodies[i], tree);
        assert_ok(pliant_body_create(shapes[i], NULL, &bodies[i]));
        positions[i] = malloc((size_t)scene->bodies[i].vertex_count * 12);
        assert_non_null(positions[i]);
    }
    for (uint32_t step = 0; step <= scene->steps; step += stride) {
        uint64_t pairs = 0;
        for (uint32_t i = 0; i < scene->body_count; i++) {
            gallery_evaluate(scene, i, step, positions[i]);
            assert_ok(pliant_body_share_positions(bodies[i], positions[i], 0));
        }
        for (uint32_t i = 0; i < scene->body_count; i++) {
            for (uint32_t j = 0; j < i; j++) {
                pliant_contacts contacts;
                assert_ok(pliant_collide(query, bodies[i], bodies[j], NULL, &contacts));
                pairs += contacts.count;
            }
        }
        touches.pairs += pairs;
        touches.touching_steps += pairs > 0;
        touches.first_step += touches.touching_steps == 0 ? stride : 0;
    }
    for (uint32_t i = 0; i < scene->body_count; i++) {
        pliant_body_destroy(bodies[i]);
        pliant_shape_destroy(shapes[i]);
        free(positions[i]);
    }
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    return touches;
}

static void test_contact_of_the_ring(void **state)
{
    (void)state;
    gallery_scene *gentle = make(ring_kind(RING_FEW_NODES, false), 2 * (2857 - 2), 0);
    gallery_scene *rough = make(ring_kind(RING_FEW_NODES, true), 2 * (2857 - 2), 0);
    touch_count small = count_touches(gentle, 5), large = count_touches(rough, 5);
    assert_true(small.pairs > 100);
    assert_true(large.pairs > 3 * small.pairs);
    assert_true(large.touching_steps > small.touching_steps);
    assert_true(small.first_step > 0 && large.first_step > 0); /* none at rest */
    gallery_destroy(gentle);
    gallery_destroy(rough);
}

/* Bodies that run into each other are pushed apart: they do not pass through as ghosts would. */
static void test_contact_of_the_school(void **state)
{
    (void)state;
    gallery_scene *school = make(&gallery_school, 2000, 0);
    touch_count touches = count_touches(school, 5);
    assert_true(touches.first_step > 0);
    assert_true(touches.touching_steps >= 3 && touches.touching_steps <= 35);
    gallery_destroy(school);
}

static void test_figure_cuts_its_coat_only_when_it_squats(void **state)
{
    (void)state;
    gallery_scene *figure = make(&gallery_figure, 0, 0);
    check_model(&figure->models[0], figure->bodies[0].vertex_count, 1, 4);
    check_model(&figure->models[1], figure->bodies[1].vertex_count, 1, 4);
    assert_int_equal(figure->models[0].mode_count, FIGURE_MODES);
    assert_int_equal(figure->models[1].mode_count, 0);
    assert_true(figure->bodies[1].triangle_count > figure->bodies[0].triangle_count / 3);
    check_states(figure, 0.15);
    float coordinates[FIGURE_MODES], bones[2][12 * FIGURE_BONES];
    gallery_state(figure, 0, 77, coordinates, bones[0]);
    gallery_state(figure, 1, 77, coordinates, bones[1]);
    assert_memory_equal(bones[0], bones[1], sizeof bones[0]);
    for (int mode = 0; mode < FIGURE_MODES; mode++) {
        float largest = 0.0f;
        for (uint32_t step = 0; step <= figure->steps; step++) {
            gallery_state(figure, 0, step, coordinates, bones[0]);
            largest = fmaxf(largest, fabsf(coordinates[mode]));
        }
        assert_true(largest > 0.9f && largest < 1.1f);
    }
    touch_count touches = count_touches(figure, 2);
    assert_true(touches.first_step > 120); /* not at rest, and not while it walks */
    assert_true(touches.touching_steps > 15 && touches.touching_steps < 40);
    gallery_destroy(figure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_have_models_and_finite_states),
        cmocka_unit_test(test_simulations_are_the_same_everywhere),
        cmocka_unit_test(test_contact_of_the_ring),
        cmocka_unit_test(test_contact_of_the_school),
        cmocka_unit_test(test_figure_cuts_its_coat_only_when_it_squats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
