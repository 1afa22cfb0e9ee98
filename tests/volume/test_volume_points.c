/* Points inside bodies, what vertices do to volumes, and the volumes of a scene. */
#include "solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 3000 };

/* Winding numbers are right for all points farther from the surface than the error that is told. */
static void test_winding(void **state)
{
    (void)state;
    uint32_t count = fixture_count(POINTS), judged = 0, inside = 0, twice = 0;
    float(*points)[4] = calloc(count, sizeof *points);
    pliant_volume_point *answers = calloc(count, sizeof *answers);
    if (points == NULL || answers == NULL) {
        free(points);
        free(answers);
        fail_msg("no memory for %u points", count);
        return;
    }
    for (uint32_t which = 0; which < 4; which++) {
        rng r;
        rng_seed(&r, 20 + which);
        test_place place = place_random(&r, 1.0), other = place;
        gallery_mesh mesh = which == 0   ? test_solid_box(&place)
                            : which == 1 ? test_solid_sphere(1280, &place)
                                         : test_solid_torus(16, 32, 0.45, &place);
        if (which == 3) { /* two tori that pass through each other, as one body */
            other.translation[0] += 0.5;
            gallery_mesh more = test_solid_torus(16, 32, 0.45, &other);
            test_solid_join(&mesh, &more);
        }
        test_solid solid = test_solid_create(test_context, mesh);
        for (uint32_t i = 0; i < count; i++) {
            for (int k = 0; k < 3; k++) {
                points[i][k] = (float)(place.translation[k] + rng_range(&r, -1.7, 1.7));
            }
        }
        pliant_volume_options options = pliant_volume_options_default();
        options.resolution = which % 2 ? 64 : 128;
        pliant_volume_sampling sampling;
        assert_ok(pliant_volume_locate_points(test_volume, solid.body, points[0], count,
                                              sizeof points[0], &options, answers, &sampling));
        assert_true(sampling.error > 0.0 && sampling.error < 0.05);
        for (uint32_t i = 0; i < count; i++) {
            if (test_solid_distance(&solid.mesh, points[i]) > sampling.error) {
                int expected = test_solid_winding(&solid.mesh, points[i]);
                if (answers[i].winding != expected) {
                    fail_msg("mesh %u, point %u (%g %g %g): winding %d instead of %d", which, i,
                             (double)points[i][0], (double)points[i][1], (double)points[i][2],
                             answers[i].winding, expected);
                }
                judged++;
                inside += expected != 0;
                twice += expected == 2;
            }
        }
        test_solid_destroy(&solid);
    }
    assert_true(judged > 3 * count && inside > count / 4);
    assert_true(twice > 0 || count < 500);
    free(points);
    free(answers);
}

/* Depths lead to the surface; an answer does not depend on the other points. */
static void test_depth(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 30);
    test_place place = place_random(&r, 1.0);
    test_solid solid = test_solid_create(test_context, test_solid_torus(32, 64, 0.45, &place));
    static float points[POINTS][3];
    static pliant_volume_point answers[POINTS], alone;
    for (uint32_t i = 0; i < POINTS; i++) {
        for (int k = 0; k < 3; k++) {
            points[i][k] = (float)(place.translation[k] + rng_range(&r, -1.5, 1.5));
        }
    }
    pliant_volume_sampling sampling;
    assert_ok(pliant_volume_locate_points(test_volume, solid.body, points[0], POINTS, 0, NULL,
                                          answers, &sampling));
    uint32_t inside = 0, limit = fixture_count(300);
    limit = limit < 300 ? limit : 300; /* there are not many more inside */
    for (uint32_t i = 0; i < POINTS && inside < limit; i++) {
        assert_true((answers[i].winding != 0) || answers[i].depth == 0.0f);
        if (answers[i].winding == 0) {
            continue;
        }
        inside++;
        float end[3];
        memcpy(end, points[i], sizeof end);
        end[sampling.grid.axis] += answers[i].depth;
        /* The ray is the pixel's, so the point at the end is off the surface by its error. */
        assert_true(test_solid_distance(&solid.mesh, end) <= sampling.error + 1e-5);
        /* Small images, of this point only. */
        assert_ok(pliant_body_set_positions(solid.body, solid.mesh.positions, 0));
        assert_ok(pliant_volume_locate_points(test_volume, solid.body, points[i], 1, 0, NULL,
                                              &alone, NULL));
        assert_int_equal(alone.winding, answers[i].winding);
        assert_true(alone.depth == answers[i].depth);
    }
    assert_true(inside == limit);
    float bad[3] = {0.0f, NAN, 0.0f};
    assert_int_equal(
        pliant_volume_locate_points(test_volume, solid.body, bad, 1, 0, NULL, &alone, NULL),
        PLIANT_ERROR_NOT_FINITE);
    float far[3] = {100.0f, 0.0f, 0.0f};
    assert_ok(pliant_volume_locate_points(test_volume, solid.body, far, 1, 0, NULL, &alone, NULL));
    assert_int_equal(alone.winding, 0);
    assert_ok(pliant_volume_locate_points(test_volume, solid.body, NULL, 0, 0, NULL, NULL, NULL));
    test_solid_destroy(&solid);
}

/* The volume of the overlap with one vertex moved, by clipping. */
static double moved_volume(const gallery_mesh *mesh, const gallery_mesh *convex, uint32_t vertex,
                           int k, float by)
{
    float *x = &mesh->positions[3 * (size_t)vertex + k], saved = *x;
    *x += by;
    double result = test_solid_common_volume(mesh, convex);
    *x = saved;
    return result;
}

/* Gradients of the overlap of a sphere and a box, against differences of true volumes. */
static void test_gradient(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 40);
    test_place first = place_random(&r, 0.1), second = place_random(&r, 0.1);
    second.translation[0] += 0.8;
    test_solid a = test_solid_create(test_context, test_solid_sphere(320, &first));
    test_solid b = test_solid_create(test_context, test_solid_box(&second));
    pliant_volume_options options = pliant_volume_options_default();
    options.resolution = 1024;
    options.gradients = true;
    options.error_bound = false;
    pliant_volume_measure m;
    assert_ok(pliant_volume_intersect(test_volume, a.body, b.body, &options, &m));
    assert_true(m.vertex_count[0] > 20 && m.vertex_count[1] > 0);
    double largest = 0.0, sum[2][3] = {{0}};
    for (uint32_t i = 0; i < m.vertex_count[0]; i++) {
        for (int k = 0; k < 3; k++) {
            largest = fmax(largest, fabs((double)m.vertices[0][i].gradient[k]));
        }
    }
    uint32_t step = 1 + 20 / fixture_count(20);
    for (uint32_t i = 0; i < m.vertex_count[0]; i += step) {
        const pliant_volume_vertex *v = &m.vertices[0][i];
        assert_true(i == 0 || v->vertex > v[-1].vertex || step > 1);
        assert_true(v->area > 0.0f && v->depth > 0.0f && v->depth < 2.1f);
        for (int k = 0; k < 3; k++) {
            double expected = (moved_volume(&a.mesh, &b.mesh, v->vertex, k, 0.001f) -
                               moved_volume(&a.mesh, &b.mesh, v->vertex, k, -0.001f)) /
                              0.002;
            if (fabs(expected - (double)v->gradient[k]) > 0.01 * largest) {
                fail_msg("vertex %u, %c: gradient %g, difference %g", v->vertex, "xyz"[k],
                         (double)v -> gradient[k], expected);
            }
        }
    }
    /* Moving both bodies together changes nothing. */
    for (int body = 0; body < 2; body++) {
        for (uint32_t i = 0; i < m.vertex_count[body]; i++) {
            for (int k = 0; k < 3; k++) {
                sum[body][k] += (double)m.vertices[body][i].gradient[k];
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(sum[0][k] + sum[1][k]) < 0.005 * (fabs(sum[0][0]) + 1.0));
    }
    /* Moving the first body along -gradient makes the overlap smaller. */
    float *moved = malloc(a.mesh.vertex_count * 3 * sizeof *moved);
    assert_non_null(moved);
    memcpy(moved, a.mesh.positions, a.mesh.vertex_count * 3 * sizeof *moved);
    for (uint32_t i = 0; i < m.vertex_count[0]; i++) {
        const pliant_volume_vertex *v = &m.vertices[0][i];
        for (int k = 0; k < 3; k++) {
            moved[3 * v->vertex + k] -= 0.2f * v->gradient[k];
        }
    }
    double before = m.volume;
    assert_ok(pliant_body_set_positions(a.body, moved, 0));
    assert_ok(pliant_volume_intersect(test_volume, a.body, b.body, &options, &m));
    assert_true(m.volume < before);
    free(moved);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

/* Cubes on the axes: two thirds of the surface are edge-on to any rays. */
static void test_gradient_of_cubes(void **state)
{
    (void)state;
    test_place here = place_at(0, 0, 0), there = place_at(1.5, 0.5, 0.25);
    test_solid a = test_solid_create(test_context, test_solid_box(&here));
    test_solid b = test_solid_create(test_context, test_solid_box(&there));
    pliant_volume_options options = pliant_volume_options_default();
    options.gradients = true;
    pliant_volume_measure m;
    assert_ok(pliant_volume_intersect(test_volume, a.body, b.body, &options, &m));
    const double expected[3] = {1.5 * 1.75, 0.5 * 1.75, 0.5 * 1.5};
    for (int body = 0; body < 2; body++) {
        double sum[3] = {0, 0, 0};
        for (uint32_t i = 0; i < m.vertex_count[body]; i++) {
            for (int k = 0; k < 3; k++) {
                sum[k] += (double)m.vertices[body][i].gradient[k];
            }
        }
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(sum[k] - (body == 0 ? 1.0 : -1.0) * expected[k]) < 1e-3);
        }
    }
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

/* The gradient of a body's own volume: exact sums of face normals. */
static void test_gradient_of_body(void **state)
{
    (void)state;
    test_place here = place_at(0, 0, 0);
    test_solid a = test_solid_create(test_context, test_solid_tetrahedron(&here));
    pliant_volume_options options = pliant_volume_options_default();
    options.resolution = 512;
    options.gradients = true;
    pliant_volume_measure m;
    assert_ok(pliant_volume_measure_body(test_volume, a.body, &options, &m));
    assert_int_equal(m.vertex_count[0], 4);
    for (uint32_t i = 0; i < 4; i++) {
        const pliant_volume_vertex *v = &m.vertices[0][i];
        for (int k = 0; k < 3; k++) {
            float *x = &a.mesh.positions[3 * v->vertex + k], saved = *x;
            *x = saved + 0.01f;
            double more = test_solid_volume(&a.mesh);
            *x = saved - 0.01f;
            double less = test_solid_volume(&a.mesh);
            *x = saved;
            assert_true(fabs((more - less) / 0.02 - (double)v->gradient[k]) < 0.02);
        }
    }
    test_solid_destroy(&a);
}

static void test_scene(void **state)
{
    (void)state;
    pliant_scene *scene;
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    test_solid solids[5];
    pliant_body_id ids[5];
    for (uint32_t i = 0; i < 5; i++) {
        test_place place = place_at(1.6 * i, 0.1 * i, 0.0);
        solids[i] = test_solid_create(test_context, i % 2 ? test_solid_box(&place)
                                                          : test_solid_sphere(320, &place));
        assert_ok(pliant_scene_add(scene, solids[i].body, NULL, &ids[i]));
    }
    pliant_scene_volumes volumes;
    assert_ok(pliant_volume_intersect_scene(test_volume, scene, NULL, NULL, &volumes));
    assert_int_equal(volumes.count, 4);
    for (uint32_t p = 0; p < 4; p++) {
        const pliant_scene_volume *pair = &volumes.pairs[p];
        assert_true(pair->a.index == p && pair->b.index == p + 1);
        uint32_t box = p % 2 ? p : p + 1, sphere = p % 2 ? p + 1 : p;
        double truth = test_solid_common_volume(&solids[sphere].mesh, &solids[box].mesh);
        assert_true(pair->measure.least <= truth && truth <= pair->measure.most);
        assert_true(fabs(pair->measure.volume - truth) < 0.02 * truth);
    }
    /* An open body fails the call, which names it. */
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = solids[0].mesh.positions;
    def.vertex_count = solids[0].mesh.vertex_count;
    def.triangles = solids[0].mesh.triangles;
    def.triangle_count = solids[0].mesh.triangle_count - 1;
    pliant_shape *shape;
    pliant_body *open;
    pliant_body_id id;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &open));
    assert_ok(pliant_scene_add(scene, open, NULL, &id));
    assert_int_equal(pliant_volume_intersect_scene(test_volume, scene, NULL, NULL, &volumes),
                     PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "bodies 0 and 5"));
    pliant_scene_destroy(scene);
    pliant_body_destroy(open);
    pliant_shape_destroy(shape);
    for (uint32_t i = 0; i < 5; i++) {
        test_solid_destroy(&solids[i]);
    }
}

/* Bodies that ask for it are measured with themselves, in the order of indices. */
static void test_scene_with_selves(void **state)
{
    (void)state;
    pliant_scene *scene;
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    test_solid solids[3];
    pliant_volume_measure selves[3], common;
    for (uint32_t i = 0; i < 3; i++) { /* each is two boxes that overlap */
        test_place first = place_at(3.0 * i, 0.0, 0.0), second = place_at(3.0 * i + 1.5, 0.3, 0.5);
        gallery_mesh mesh = test_solid_box(&first), more = test_solid_box(&second);
        test_solid_join(&mesh, &more);
        solids[i] = test_solid_create(test_context, mesh);
        pliant_member_def member = pliant_member_def_default();
        pliant_body_id id;
        member.self = i != 1;
        member.mask = i == 2 ? 0 : UINT64_MAX; /* it is compared with nobody else */
        assert_ok(pliant_scene_add(scene, solids[i].body, &member, &id));
        assert_ok(pliant_volume_intersect_self(test_volume, solids[i].body, NULL, &selves[i]));
        assert_true(fabs(selves[i].volume - 0.5 * 1.7 * 1.5) < 0.1);
    }
    assert_ok(pliant_volume_intersect(test_volume, solids[0].body, solids[1].body, NULL, &common));
    pliant_scene_volumes volumes;
    assert_ok(pliant_volume_intersect_scene(test_volume, scene, NULL, NULL, &volumes));
    assert_int_equal(volumes.count, 3);
    const uint32_t a[3] = {0, 0, 2}, b[3] = {0, 1, 2};
    const pliant_volume_measure *expected[3] = {&selves[0], &common, &selves[2]};
    for (int i = 0; i < 3; i++) {
        const pliant_scene_volume *found = &volumes.pairs[i];
        assert_true(found->a.index == a[i] && found->b.index == b[i]);
        assert_true(found->measure.volume == expected[i]->volume);
        assert_true(found->measure.least == expected[i]->least);
        assert_true(found->measure.most == expected[i]->most);
    }
    pliant_scene_destroy(scene);
    for (uint32_t i = 0; i < 3; i++) {
        test_solid_destroy(&solids[i]);
    }
}

/* The scene owns its answer: what the volume object does next, even its end, leaves it alone. */
static void test_scene_owns_answer(void **state)
{
    (void)state;
    pliant_scene *scene;
    pliant_volume *volume;
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    assert_ok(pliant_volume_create(test_context, NULL, &volume));
    test_solid solids[3];
    pliant_body_id id;
    for (uint32_t i = 0; i < 3; i++) {
        test_place place = place_at(1.6 * i, 0.1 * i, 0.0);
        solids[i] = test_solid_create(test_context, test_solid_sphere(320, &place));
        assert_ok(pliant_scene_add(scene, solids[i].body, NULL, &id));
    }
    pliant_scene_volumes volumes;
    pliant_scene_volume kept[2];
    pliant_volume_measure measure;
    assert_ok(pliant_volume_intersect_scene(volume, scene, NULL, NULL, &volumes));
    assert_int_equal(volumes.count, 2);
    memcpy(kept, volumes.pairs, sizeof kept);
    assert_ok(pliant_volume_measure_body(volume, solids[0].body, NULL, &measure));
    assert_ok(pliant_volume_intersect(volume, solids[0].body, solids[1].body, NULL, &measure));
    pliant_volume_destroy(volume);
    assert_memory_equal(kept, volumes.pairs, sizeof kept);
    pliant_scene_destroy(scene);
    for (uint32_t i = 0; i < 3; i++) {
        test_solid_destroy(&solids[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_winding),           cmocka_unit_test(test_depth),
        cmocka_unit_test(test_gradient),          cmocka_unit_test(test_gradient_of_body),
        cmocka_unit_test(test_gradient_of_cubes), cmocka_unit_test(test_scene),
        cmocka_unit_test(test_scene_with_selves), cmocka_unit_test(test_scene_owns_answer),
    };
    return cmocka_run_group_tests(tests, test_volume_set_up, test_volume_tear_down);
}
