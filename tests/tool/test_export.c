/* What pliant export writes, read back: every vertex is where the scene has it. */
#include "asset_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"
#include "tool/export.h"

#define STEPS 6
#define RATE  10.0

typedef struct exported {
    gallery_scene *scene;
    export_body *bodies;
    pliant_asset_output *outputs;
    void *file;
    uint64_t size;
} exported;

static void export_scene(const gallery_kind *kind, uint32_t steps, exported *made)
{
    gallery_settings settings = {.steps = steps, .seed = 1, .triangles = 600};
    made->scene = gallery_create(kind, &settings);
    assert_non_null(made->scene);
    uint32_t count = made->scene->body_count;
    made->bodies = calloc(count, sizeof *made->bodies);
    made->outputs = calloc(count, sizeof *made->outputs);
    assert_true(made->bodies != NULL && made->outputs != NULL);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(export_fill(made->scene, i, &made->bodies[i], &made->outputs[i]));
    }
    assert_ok(
        pliant_asset_output_write(made->outputs, count, steps + 1, RATE, NULL, 0, &made->size));
    made->file = malloc(made->size);
    assert_non_null(made->file);
    assert_ok(pliant_asset_output_write(made->outputs, count, steps + 1, RATE, made->file,
                                        made->size, &made->size));
}

static void export_end(exported *made)
{
    for (uint32_t i = 0; i < made->scene->body_count; i++) {
        export_free(&made->bodies[i]);
    }
    free(made->bodies);
    free(made->outputs);
    free(made->file);
    gallery_destroy(made->scene);
}

static double diagonal(const float *positions, uint32_t count)
{
    double square = 0.0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        double lower = INFINITY, upper = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            lower = fmin(lower, (double)positions[3 * i + axis]);
            upper = fmax(upper, (double)positions[3 * i + axis]);
        }
        square += (upper - lower) * (upper - lower);
    }
    return sqrt(square);
}

/* Compares one step of every body. */
static void compare_step(const exported *made, loaded *read, uint32_t step, const char *name)
{
    assert_ok(pliant_asset_pose_sample(read->pose, 0, step / RATE));
    for (uint32_t body = 0; body < made->scene->body_count; body++) {
        uint32_t count = made->scene->bodies[body].vertex_count;
        float *wanted = malloc((size_t)count * 3 * sizeof *wanted);
        assert_non_null(wanted);
        gallery_evaluate(made->scene, body, step, wanted);
        const pliant_asset_body *from = pliant_asset_get_body(read->asset, body);
        assert_int_equal(pliant_asset_get_mesh(read->asset, from->shape)->vertex_count, count);
        float *found = evaluated(read, body);
        for (uint32_t i = 0; i < count; i++) { /* z is up in the scene, y in the file */
            float y = wanted[3 * i + 1];
            wanted[3 * i + 1] = wanted[3 * i + 2];
            wanted[3 * i + 2] = -y;
        }
        double size = diagonal(wanted, count);
        for (uint32_t i = 0; i < 3 * count; i++) {
            /* Far away, float32 itself is coarser than that. */
            double allowed = 1e-5 * size + 3e-7 * fabs((double)wanted[i]);
            if (!(fabs((double)found[i] - (double)wanted[i]) <= allowed)) {
                fail_msg("%s, body %u, step %u: number %u is %.9g, not %.9g (size %g)", name, body,
                         step, i, (double)found[i], (double)wanted[i], size);
            }
        }
        free(found);
        free(wanted);
    }
}

static void every_scene_comes_back(void **state)
{
    (void)state;
    uint32_t every = fixture_scale() < 0.1 ? 2 : 1; /* sanitizers take their time */
    for (uint32_t k = 0; k < gallery_kind_count; k += every) {
        exported made = {0};
        export_scene(gallery_kinds[k], STEPS, &made);
        loaded read;
        load_bytes(&read, "scene.glb", made.file, made.size);
        pliant_asset_counts counts = pliant_asset_get_counts(read.asset);
        assert_int_equal(counts.bodies, made.scene->body_count);
        assert_int_equal(counts.clips, 1);
        for (uint32_t step = 0; step <= STEPS; step += 2) {
            compare_step(&made, &read, step, gallery_kinds[k]->name);
        }
        /* Models are kept, not flattened into positions. */
        for (uint32_t i = 0; i < counts.bodies; i++) {
            const gallery_model *model = &made.scene->models[i];
            const pliant_asset_mesh *mesh =
                pliant_asset_get_mesh(read.asset, pliant_asset_get_body(read.asset, i)->shape);
            if (gallery_has_model(made.scene, i)) {
                assert_int_equal(mesh->mode_count, model->mode_count);
                assert_true((mesh->influence_offsets != NULL) ==
                            (model->influence_offsets != NULL));
            }
        }
        unload(&read);
        export_end(&made);
    }
}

/* With more steps than morph targets, the steps that are kept are still right. */
static void long_runs_are_thinned(void **state)
{
    (void)state;
    exported made = {0};
    export_scene(&gallery_spheres, 131, &made);
    assert_true(made.bodies[0].is_thinned);
    assert_int_equal(made.outputs[0].mode_count, 44);
    loaded read;
    load_bytes(&read, "scene.glb", made.file, made.size);
    const uint32_t kept[] = {0, 3, 66, 129, 131};
    for (int i = 0; i < 5; i++) {
        compare_step(&made, &read, kept[i], "spheres");
    }
    unload(&read);
    export_end(&made);
}

/* Matrices that no single node of glTF can have: shears, reflections, flattened ones. */
static void matrices_come_back(void **state)
{
    (void)state;
    static const float matrices[][12] = {
        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
        {1, 0.7f, 0, 1, 0, 1, 0.3f, 2, 0, 0, 1, 3},
        {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
        {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, -3, 0},
        {1, 2, 3, 0, 2, 4, 6, 0, 0, 1, 0, 5},
        {0.1f, -0.4f, 0.2f, 0, 0.3f, 0.2f, -0.1f, 0, -0.2f, 0.5f, 0.4f, 0},
    };
    enum { COUNT = sizeof matrices / sizeof matrices[0] };
    const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    export_body body = {.is_thinned = false};
    assert_true(export_joints(matrices[0], 1, COUNT, &body));
    pliant_asset_output output = {.name = "one",
                                  .positions = corners,
                                  .triangles = triangles,
                                  .vertex_count = 4,
                                  .triangle_count = 2,
                                  .joint_count = 1,
                                  .translations = body.translations,
                                  .rotations = body.rotations,
                                  .scales = body.scales,
                                  .inner_rotations = body.inner_rotations};
    uint64_t size = 0;
    assert_ok(pliant_asset_output_write(&output, 1, COUNT, RATE, NULL, 0, &size));
    void *file = malloc(size);
    assert_non_null(file);
    assert_ok(pliant_asset_output_write(&output, 1, COUNT, RATE, file, size, &size));
    loaded read;
    load_bytes(&read, "one.glb", file, size);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_ok(pliant_asset_pose_sample(read.pose, 0, i / RATE));
        float *found = evaluated(&read, 0);
        for (uint32_t v = 0; v < 4; v++) {
            for (uint32_t row = 0; row < 3; row++) {
                const float *m = matrices[i] + 4 * row, *p = corners + 3 * v;
                double wanted = (double)m[0] * (double)p[0] + (double)m[1] * (double)p[1] +
                                (double)m[2] * (double)p[2] + (double)m[3];
                assert_true(fabs((double)found[3 * v + row] - wanted) < 1e-5);
            }
        }
        free(found);
    }
    unload(&read);
    free(file);
    export_free(&body);
}

static void bad_joints_are_refused(void **state)
{
    (void)state;
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t triangle[3] = {0, 1, 2};
    const uint16_t joints[12] = {0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};
    const float weights[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const float places[6] = {0}, turns[8] = {0, 0, 0, 1, 0, 0, 0, 1};
    pliant_asset_output output = {.name = "one",
                                  .positions = corners,
                                  .triangles = triangle,
                                  .vertex_count = 3,
                                  .triangle_count = 1,
                                  .joint_count = 2,
                                  .influence_sets = 1,
                                  .joints = joints,
                                  .weights = weights,
                                  .translations = places,
                                  .rotations = turns};
    uint64_t size = 0;
    assert_int_equal(pliant_asset_output_write(&output, 1, 1, RATE, NULL, 0, &size),
                     PLIANT_ERROR_RANGE);
    output.influence_sets = 0;
    assert_int_equal(pliant_asset_output_write(&output, 1, 1, RATE, NULL, 0, &size),
                     PLIANT_ERROR_ARGUMENT);
    output.rotations = NULL;
    assert_int_equal(pliant_asset_output_write(&output, 1, 1, RATE, NULL, 0, &size),
                     PLIANT_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_comes_back),
        cmocka_unit_test(long_runs_are_thinned),
        cmocka_unit_test(matrices_come_back),
        cmocka_unit_test(bad_joints_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
