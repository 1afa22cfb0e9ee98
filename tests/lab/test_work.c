/* The papers' methods do as little as their papers say: counts on worked cases. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gallery/meshless/ring.h"
#include "lab/baselines/baselines.h"
#include "lab/baselines/sphere_tree.h"

static const bench_settings settings = {.length = BENCH_QUICK, .seed = 1};

/* Two bodies of one mesh, one of them turned about z by `angle` and moved by `offset`. */
static void make_pair(const gallery_mesh *mesh, uint32_t moved, double angle,
                      const double offset[3], bench_motion *motion)
{
    const gallery_mesh meshes[2] = {*mesh, *mesh};
    assert_true(bench_motion_allocate(meshes, 2, 1, motion));
    for (uint32_t body = 0; body < 2; body++) {
        double turn = body == moved ? angle : 0.0;
        gallery_placement placement = {
            .rotation = {{cos(turn), -sin(turn), 0}, {sin(turn), cos(turn), 0}, {0, 0, 1}}};
        for (int k = 0; k < 3 && body == moved; k++) {
            placement.translation[k] = offset[k];
        }
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            const float *local = mesh->positions + (size_t)3 * v;
            for (uint32_t k = 0; k < 3; k++) {
                double x = placement.translation[k];
                for (int i = 0; i < 3; i++) {
                    x += placement.rotation[k][i] * (double)local[i];
                }
                motion->start.local[body][3 * v + k] = local[k];
                motion->start.world[body][3 * v + k] = (float)x;
            }
        }
        motion->start.placements[body] = placement;
    }
}

/* The work of a method in the only state of a pair; nothing may touch. */
static bench_work work_apart(const bench_method *method, bench_motion *motion)
{
    bench_outcome outcome = {0};
    void *state = method->create(method, motion, &settings);
    assert_non_null(state);
    assert_true(method->step(state, &motion->start, false, &outcome));
    assert_int_equal(outcome.range_count, 0);
    method->destroy(state);
    return outcome.work;
}

/* n x n x n small triangles, none of which share a vertex. */
static void make_grid(uint32_t n, gallery_mesh *mesh)
{
    uint32_t count = n * n * n;
    mesh->vertex_count = 3 * count;
    mesh->triangle_count = count;
    mesh->positions = malloc(9 * (size_t)count * sizeof *mesh->positions);
    mesh->triangles = malloc(3 * (size_t)count * sizeof *mesh->triangles);
    assert_true(mesh->positions != NULL && mesh->triangles != NULL);
    for (uint32_t i = 0; i < 3 * count; i++) {
        uint32_t cell = i / 3;
        const uint32_t at[3] = {cell % n, cell / n % n, cell / n / n};
        mesh->triangles[i] = i;
        for (uint32_t k = 0; k < 3; k++) {
            mesh->positions[3 * i + k] = (float)at[k] + (i % 3 == k ? 0.25f : 0.0f);
        }
    }
}

static void free_mesh(gallery_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->triangles);
}

/* A tree of n edges updates levels 0 to n/2 early, and level n/2 from its vertices. */
static void test_larsson_levels(void **state)
{
    (void)state;
    gallery_mesh mesh = {0};
    bench_motion motion;
    make_grid(8, &mesh);
    make_pair(&mesh, 1, 0.0, (const double[3]){100, 0, 0}, &motion);
    bench_work hybrid = work_apart(&bench_larsson, &motion); /* levels of 1, 8, 64, 512 */
    assert_int_equal(hybrid.merges, 2);
    assert_int_equal(hybrid.early, 2 * 8);
    assert_int_equal(hybrid.vertices, 2 * 3 * 512);
    assert_int_equal(hybrid.late, 0);
    bench_work binary = work_apart(&bench_larsson_2, &motion); /* nine edges */
    assert_int_equal(binary.merges, 2 * 15);
    assert_int_equal(binary.early, 2 * 16);
    bench_work bottom_up = work_apart(&bench_larsson_bottom_up, &motion);
    assert_int_equal(bottom_up.merges, 2 * 73);
    assert_int_equal(bottom_up.early, 2 * 512);
    bench_motion_free(&motion);
    free_mesh(&mesh);
}

/* A node reads each vertex below it once: of bodies that are apart only the roots are bounded. */
static void test_larsson_lists(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 320, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    assert_non_null(scene);
    const gallery_mesh *mesh = &scene->bodies[0];
    bench_motion motion;
    make_pair(mesh, 1, 0.0, (const double[3]){100, 0, 0}, &motion);
    bench_work work = work_apart(&bench_larsson_top_down, &motion);
    assert_int_equal(work.late, 2);
    assert_int_equal(work.early + work.merges, 0);
    assert_int_equal(work.vertices, 2 * mesh->vertex_count);
    bench_motion_free(&motion);
    gallery_destroy(scene);
}

/* Only the face normals of one cube separate two: the roots are compared and nothing else. */
static void test_van_den_bergen_axes(void **state)
{
    (void)state;
    static float corners[8][3];
    static uint32_t faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5},
                                    {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6},
                                    {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    for (int i = 0; i < 24; i++) {
        corners[i / 3][i % 3] = i / 3 >> i % 3 & 1 ? 1.0f : -1.0f;
    }
    gallery_mesh cube = {
        .positions = corners[0], .triangles = faces[0], .vertex_count = 8, .triangle_count = 12};
    /* Along x and y their boxes overlap; along the turned cube's normals they do not. */
    for (uint32_t moved = 0; moved < 2; moved++) {
        bench_motion motion;
        make_pair(&cube, moved, 0.25 * acos(-1.0), (const double[3]){2, 2, 0}, &motion);
        assert_int_equal(work_apart(&bench_van_den_bergen, &motion).tests, 1);
        assert_int_equal(work_apart(&bench_van_den_bergen_8, &motion).tests, 1);
        bench_motion_free(&motion);
    }
}

/* If a state is repeated, the front has nearly all boxes that the query reads. Merged boxes differ
   in size, so the walk opens a few other nodes. */
static void test_steinemann_front(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 400, .steps = 40, .seed = 1};
    gallery_scene *scene = gallery_create(ring_kind(RING_FEW_NODES, true), &wanted);
    bench_motion motion;
    bench_work work[2] = {{0}};
    assert_non_null(scene);
    assert_true(bench_motion_of_scene(scene, 10, &motion));
    bool touched = false;
    for (uint32_t at = 0; at < motion.step_count && !touched; at++) {
        const bench_frame *frame = bench_motion_show(&motion, at);
        void *rival = bench_steinemann.create(&bench_steinemann, &motion, &settings);
        assert_non_null(rival);
        for (int play = 0; play < 2; play++) {
            bench_outcome outcome = {0};
            assert_true(bench_steinemann.step(rival, frame, false, &outcome));
            touched = outcome.range_count > 0;
            work[play] = outcome.work;
        }
        bench_steinemann.destroy(rival);
    }
    assert_true(touched);
    assert_int_equal(work[0].early, motion.body_count);
    assert_true(work[0].late > 10 * work[0].early);
    assert_int_equal(work[0].merges, 0);
    assert_true(10 * work[1].late < work[0].late);
    assert_true(3 * work[1].merges > work[0].late);
    bench_motion_free(&motion);
    gallery_destroy(scene);
}

/* A grid with one mode, which moves all of it along x. */
typedef struct sliding {
    gallery_mesh mesh;
    gallery_model model;
    sphere_shape shape;
} sliding;

static void make_sliding(bool wide, sliding *made)
{
    *made = (sliding){.model.mode_count = 1};
    make_grid(4, &made->mesh);
    made->model.modes = calloc(3 * (size_t)made->mesh.vertex_count, sizeof *made->model.modes);
    assert_non_null(made->model.modes);
    for (uint32_t v = 0; v < made->mesh.vertex_count; v++) {
        made->model.modes[3 * v] = 1.0f;
    }
    assert_true((wide ? sphere_shape_create_wide : sphere_shape_create)(
        &made->mesh, &made->model, PLIANT_ISA_BEST, &made->shape));
}

static void free_sliding(sliding *made)
{
    sphere_shape_free(&made->shape);
    gallery_model_free(&made->model);
    free_mesh(&made->mesh);
}

/* A BD-Tree makes the spheres that a walk reads, and no other. */
static void test_bd_tree_on_demand(void **state)
{
    (void)state;
    sliding made;
    sphere_body a, b;
    baseline_scratch scratch = {0};
    make_sliding(false, &made);
    assert_true(sphere_body_create(&made.shape, SPHERES_BD, &a));
    assert_true(sphere_body_create(&made.shape, SPHERES_BD, &b));
    const float rest = 0.0f, far = 100.0f, near = 3.0f;
    uint64_t tests = 0;
    sphere_body_set(&a, &rest, NULL);
    sphere_body_set(&b, &far, NULL);
    assert_int_equal(a.refreshed + b.refreshed, 0);
    assert_true(sphere_bodies_collide(&a, &b, 0.0f, &scratch, &tests));
    assert_int_equal(tests, 1);
    assert_int_equal(a.refreshed, 1);
    assert_int_equal(b.refreshed, 1);
    sphere_body_set(&a, &rest, NULL);
    sphere_body_set(&b, &near, NULL); /* the last layer of one is the first of the other */
    assert_true(sphere_bodies_collide(&a, &b, 0.0f, &scratch, &tests));
    assert_true(scratch.pair_count > 0);
    assert_true(a.refreshed > 1 && 4 * a.refreshed < 3 * made.shape.tree.node_count);
    sphere_body_free(&a);
    sphere_body_free(&b);
    baseline_scratch_free(&scratch);
    free_sliding(&made);
}

/* The radius of a node whose sphere holds its children's and is as small as can be, in double. */
static double layered_radius(const sphere_shape *shape, uint32_t at, double centre[3])
{
    const baseline_node *node = &shape->tree.nodes[at];
    double children[2][3], radii[2] = {0}, distance = 0.0, radius = 0.0;
    if (node->count == 0) {
        const uint32_t *corners = shape->tree.triangles + (size_t)3 * node->first;
        const float *p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = shape->mesh->positions + (size_t)3 * corners[i];
        }
        for (int k = 0; k < 3; k++) {
            centre[k] = ((double)p[0][k] + (double)p[1][k] + (double)p[2][k]) / 3.0;
        }
        for (int i = 0; i < 3; i++) {
            double x = p[i][0] - centre[0], y = p[i][1] - centre[1], z = p[i][2] - centre[2];
            radius = fmax(radius, sqrt(x * x + y * y + z * z));
        }
        return radius;
    }
    for (uint32_t i = 0; i < 2; i++) {
        radii[i] = layered_radius(shape, node->first + i, children[i]);
    }
    for (int k = 0; k < 3; k++) {
        distance += pow(children[1][k] - children[0][k], 2.0);
    }
    distance = sqrt(distance);
    radius = fmax(0.5 * (distance + radii[0] + radii[1]), fmax(radii[0], radii[1]));
    for (int k = 0; k < 3; k++) {
        double share = distance > 0.0 ? fmin(1.0, fmax(0.0, (radius - radii[0]) / distance)) : 0.0;
        centre[k] = children[0][k] + share * (children[1][k] - children[0][k]);
    }
    return radius;
}

/* Layered spheres are no larger than two spheres need, whatever computes them. */
static void test_layered_spheres_are_tight(void **state)
{
    (void)state;
    static const sphere_method methods[3] = {SPHERES_LAYERED_SCALAR, SPHERES_LAYERED,
                                             SPHERES_LAYERED_WIDE};
    for (int i = 0; i < 3; i++) {
        sliding made;
        sphere_body body;
        double centre[3];
        const float rest = 0.0f;
        make_sliding(methods[i] == SPHERES_LAYERED_WIDE, &made);
        assert_true(sphere_body_create(&made.shape, methods[i], &body));
        sphere_body_set(&body, &rest, NULL);
        double radius = layered_radius(&made.shape, 0, centre);
        double found = (double)sphere_body_at(&body, 0)->radius;
        assert_true(found >= radius && found <= 1.001 * radius);
        assert_int_equal(body.refreshed, made.shape.tree.node_count);
        sphere_body_free(&body);
        free_sliding(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_larsson_levels),
        cmocka_unit_test(test_larsson_lists),
        cmocka_unit_test(test_van_den_bergen_axes),
        cmocka_unit_test(test_steinemann_front),
        cmocka_unit_test(test_bd_tree_on_demand),
        cmocka_unit_test(test_layered_spheres_are_tight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
