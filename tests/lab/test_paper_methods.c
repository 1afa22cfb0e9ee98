/* The papers' own methods as contestants: every pair that touches, exactly, and no other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "skipping.h"

#include "gallery/meshless/ring.h"
#include "lab/baselines/baselines.h"
#include "lab/baselines/blend_bounds.h"
#include "lab/baselines/steinemann.h"
#include "oracle.h"

/* A pair of triangles of two bodies. */
typedef struct found_pair {
    uint32_t a, b;
    pliant_pair triangles;
} found_pair;

typedef struct found_list {
    found_pair *pairs;
    size_t count, capacity;
} found_list;

static void add_found(found_list *list, found_pair pair)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->pairs = realloc(list->pairs, list->capacity * sizeof *list->pairs);
        assert_non_null(list->pairs);
    }
    list->pairs[list->count++] = pair;
}

static int compare_found(const void *x, const void *y)
{
    const found_pair *p = x, *q = y;
    const uint32_t left[4] = {p->a, p->b, p->triangles.a, p->triangles.b};
    const uint32_t right[4] = {q->a, q->b, q->triangles.a, q->triangles.b};
    for (int i = 0; i < 4; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool boxes_meet(const float a[3][3], const float b[3][3])
{
    for (int k = 0; k < 3; k++) {
        float low_a = fminf(a[0][k], fminf(a[1][k], a[2][k]));
        float low_b = fminf(b[0][k], fminf(b[1][k], b[2][k]));
        float high_a = fmaxf(a[0][k], fmaxf(a[1][k], a[2][k]));
        float high_b = fmaxf(b[0][k], fmaxf(b[1][k], b[2][k]));
        if (low_a > high_b || low_b > high_a) {
            return false;
        }
    }
    return true;
}

/* Every pair of every two bodies, by the oracle. */
static void find_by_oracle(const bench_motion *motion, const bench_frame *frame, found_list *list)
{
    for (uint32_t a = 0; a < motion->body_count; a++) {
        for (uint32_t b = a + 1; b < motion->body_count; b++) {
            for (uint32_t i = 0; i < motion->meshes[a].triangle_count; i++) {
                float p[3][3];
                bench_motion_corners(motion, frame, a, i, p);
                for (uint32_t j = 0; j < motion->meshes[b].triangle_count; j++) {
                    float q[3][3];
                    bench_motion_corners(motion, frame, b, j, q);
                    if (boxes_meet((const float(*)[3])p, (const float(*)[3])q) &&
                        oracle_overlap((const float(*)[3])p, (const float(*)[3])q)) {
                        add_found(list, (found_pair){a, b, {i, j}});
                    }
                }
            }
        }
    }
}

static void list_outcome(const bench_outcome *outcome, found_list *list)
{
    for (uint32_t r = 0; r < outcome->range_count; r++) {
        const bench_range *range = &outcome->ranges[r];
        for (uint64_t i = 0; i < range->count; i++) {
            add_found(list, (found_pair){range->a, range->b, outcome->pairs[range->first + i]});
        }
    }
    if (list->count > 0) {
        qsort(list->pairs, list->count, sizeof *list->pairs, compare_found);
    }
}

/* Whether the first contacts are one pair for each two bodies that touch. */
static void check_first(const found_list *expected, const found_list *found)
{
    if (expected->pairs == NULL || found->pairs == NULL) {
        assert_int_equal(expected->count, 0);
        assert_int_equal(found->count, 0);
        return;
    }
    size_t bodies = 0;
    for (size_t i = 0; i < expected->count; i++) {
        bodies += i == 0 || expected->pairs[i].a != expected->pairs[i - 1].a ||
                  expected->pairs[i].b != expected->pairs[i - 1].b;
    }
    assert_int_equal(found->count, bodies);
    for (size_t i = 0; i < found->count; i++) {
        assert_non_null(bsearch(&found->pairs[i], expected->pairs, expected->count,
                                sizeof *expected->pairs, compare_found));
        assert_true(i == 0 || found->pairs[i].a != found->pairs[i - 1].a ||
                    found->pairs[i].b != found->pairs[i - 1].b);
    }
}

/* One method in one step, asked for all pairs and for the first. */
static void check_step(const bench_method *method, void *state, const bench_frame *frame,
                       const found_list *expected)
{
    for (int first_only = 0; first_only < 2; first_only++) {
        bench_outcome outcome = {0};
        found_list found = {0};
        assert_true(method->step(state, frame, first_only != 0, &outcome));
        list_outcome(&outcome, &found);
        if (first_only != 0) {
            check_first(expected, &found);
        } else {
            assert_int_equal(found.count, expected->count);
            for (size_t i = 0; i < found.count && expected->pairs != NULL; i++) {
                assert_int_equal(compare_found(&found.pairs[i], &expected->pairs[i]), 0);
            }
        }
        assert_true(outcome.update_seconds <= outcome.total_seconds);
        free(found.pairs);
    }
}

/* All methods through all steps, twice, so that fronts meet other steps than the next. Returns how
   many pairs there were. */
static size_t check_methods(bench_motion *motion, const bench_method *const *methods,
                            uint32_t method_count)
{
    bench_settings settings = {.length = BENCH_QUICK, .seed = 1};
    void *states[8];
    size_t pairs = 0;
    assert_true(method_count <= 8);
    for (uint32_t m = 0; m < method_count; m++) {
        states[m] = methods[m]->create(methods[m], motion, &settings);
        assert_non_null(states[m]);
    }
    for (uint32_t turn = 0; turn < 2 * motion->step_count; turn++) {
        found_list expected = {0};
        const bench_frame *frame = bench_motion_show(motion, turn % motion->step_count);
        find_by_oracle(motion, frame, &expected);
        for (uint32_t m = 0; m < method_count; m++) {
            check_step(methods[m], states[m], frame, &expected);
        }
        pairs += expected.count;
        free(expected.pairs);
    }
    for (uint32_t m = 0; m < method_count; m++) {
        methods[m]->destroy(states[m]);
    }
    return pairs;
}

static const bench_method *const free_methods[] = {
    &bench_larsson,          &bench_larsson_4,         &bench_larsson_2,
    &bench_larsson_top_down, &bench_larsson_bottom_up, &bench_bottom_up};
static const bench_method *const blended_methods[] = {&bench_steinemann, &bench_blend_bottom_up};
#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof(list)[0]))

static void check_scene(const gallery_kind *kind, const gallery_settings *settings, uint32_t stride,
                        const bench_method *const *methods, uint32_t method_count)
{
    bench_motion motion;
    gallery_scene *scene = gallery_create(kind, settings);
    assert_non_null(scene);
    assert_true(bench_motion_of_scene(scene, stride, &motion));
    assert_true(check_methods(&motion, methods, method_count) > 0);
    bench_motion_free(&motion);
    gallery_destroy(scene);
}

static void test_larsson_on_soup(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 150, .steps = 6, .seed = 3};
    check_scene(&gallery_soup, &wanted, 2, free_methods, COUNT(free_methods));
}

static void test_larsson_on_spheres(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 320, .steps = 8, .seed = 1};
    check_scene(&gallery_spheres, &wanted, 2, free_methods, COUNT(free_methods));
}

static void test_larsson_on_a_crowd(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 320, .steps = 4, .seed = 1};
    check_scene(&gallery_arms, &wanted, 2, free_methods, COUNT(free_methods));
}

/* `count` times the same triangle, and another set of it that crosses the first. */
static void check_copies(uint32_t count)
{
    static const float corners[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0},
                                        {0.2f, 0.2f, -1, 0.3f, 0.2f, 1, 0.2f, 0.4f, 1}};
    gallery_mesh meshes[2];
    for (int body = 0; body < 2; body++) {
        assert_true(mesh_allocate(3 * count, count, &meshes[body]));
        for (uint32_t i = 0; i < 3 * count; i++) {
            meshes[body].triangles[i] = i;
        }
        for (uint32_t i = 0; i < count; i++) {
            memcpy(meshes[body].positions + (size_t)9 * i, corners[body], sizeof corners[body]);
        }
    }
    bench_motion motion;
    assert_true(bench_motion_allocate(meshes, 2, 1, &motion));
    for (int body = 0; body < 2; body++) {
        size_t bytes = (size_t)9 * count * sizeof(float);
        memcpy(motion.start.world[body], meshes[body].positions, bytes);
        memcpy(motion.start.local[body], meshes[body].positions, bytes);
        memcpy(motion.frames[0].world[body], meshes[body].positions, bytes);
        memcpy(motion.frames[0].local[body], meshes[body].positions, bytes);
    }
    assert_int_equal(check_methods(&motion, free_methods, COUNT(free_methods)),
                     2 * (size_t)count * count);
    bench_motion_free(&motion);
    mesh_free(&meshes[0]);
    mesh_free(&meshes[1]);
}

static void test_larsson_where_midpoints_coincide(void **state)
{
    (void)state;
    check_copies(1);
    check_copies(2);
    check_copies(21);
}

static void test_steinemann_on_the_ring(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 400, .steps = 40, .seed = 1};
    check_scene(ring_kind(RING_FEW_NODES, true), &wanted, 10, blended_methods,
                COUNT(blended_methods));
}

/* Whether every vertex below a node, as evaluated in float32, lies in its box. */
static void check_holds(const steinemann_shape *shape, uint32_t at, const float *positions,
                        const float lower[3], const float upper[3])
{
    const baseline_node *node = &shape->tree.nodes[at];
    for (uint32_t i = 0; i < node->count; i++) {
        check_holds(shape, node->first + i, positions, lower, upper);
    }
    for (size_t k = 0; k < 9 && node->count == 0; k++) {
        uint32_t vertex = shape->tree.triangles[(size_t)3 * node->first + k / 3];
        float x = positions[(size_t)3 * vertex + k % 3];
        assert_true(x >= lower[k % 3] && x <= upper[k % 3]);
    }
}

/* The formula against the same in double: as tight, but for the margin. */
static void check_root(const gallery_scene *scene, const steinemann_shape *shape,
                       const float *transforms, const float size[3], const float lower[3],
                       const float upper[3])
{
    blend_source source = {.model = &scene->models[0], .rest = scene->rest[0]};
    blend_patch patch;
    blend_box box;
    assert_true(blend_patch_allocate(scene->models[0].joint_count, &patch));
    blend_patch_measure(&source, NULL, scene->bodies[0].vertex_count, &patch);
    blend_bound(&patch, BLEND_TWO_LARGEST, transforms, &box);
    for (int k = 0; k < 3; k++) {
        double margin = 2.0 * (patch.joint_count + 8) * 0x1p-21 * (double)size[k];
        assert_true((double)upper[k] >= box.upper[k]);
        assert_true((double)upper[k] <= box.upper[k] + margin);
        assert_true((double)lower[k] <= box.lower[k]);
        assert_true((double)lower[k] >= box.lower[k] - margin);
    }
    blend_patch_free(&patch);
    (void)shape;
}

static void check_bounds(const gallery_scene *scene, const steinemann_shape *shape,
                         const float *transforms, float *positions)
{
    float size[3] = {0};
    const gallery_model *model = &scene->models[0];
    baseline_blend_evaluate(model, scene->rest[0], shape->vertex_count, transforms, positions);
    for (uint32_t j = 0; j < model->joint_count; j++) {
        for (int k = 0; k < 3; k++) {
            const float *row = transforms + (size_t)12 * j + (size_t)4 * k;
            size[k] =
                fmaxf(size[k], fabsf(row[0]) * shape->reach[0] + fabsf(row[1]) * shape->reach[1] +
                                   fabsf(row[2]) * shape->reach[2] + fabsf(row[3]));
        }
    }
    for (uint32_t at = 0; at < shape->tree.node_count; at++) {
        float lower[3], upper[3];
        if (shape->tree.nodes[at].count > 0) {
            steinemann_bound(shape, at, transforms, size, lower, upper);
            check_holds(shape, at, positions, lower, upper);
            if (at == 0) {
                check_root(scene, shape, transforms, size, lower, upper);
            }
        }
    }
}

/* Also far from the origin, and where the transforms cancel most of what they add. */
static void test_steinemann_bounds_hold(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 1000, .steps = 20, .seed = 2};
    gallery_scene *scene = gallery_create(ring_kind(RING_FEW_NODES, false), &wanted);
    assert_non_null(scene);
    steinemann_shape shape;
    uint32_t joints = scene->models[0].joint_count;
    float *transforms = malloc((size_t)12 * joints * sizeof *transforms);
    float *positions = malloc((size_t)3 * scene->bodies[0].vertex_count * sizeof *positions);
    if (transforms == NULL || positions == NULL) {
        abort();
    }
    assert_true(
        steinemann_shape_create(&scene->bodies[0], &scene->models[0], scene->rest[0], &shape));
    for (uint32_t step = 0; step <= 20; step += 5) {
        gallery_state(scene, 0, step, NULL, transforms);
        check_bounds(scene, &shape, transforms, positions);
        for (uint32_t i = 0; i < 12 * joints; i++) {
            transforms[i] += i % 4 == 3 ? 1000.0f : (float)(i % 7) - 3.0f;
        }
        check_bounds(scene, &shape, transforms, positions);
    }
    steinemann_shape_free(&shape);
    free(transforms);
    free(positions);
    gallery_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_larsson_on_soup),
        cmocka_unit_test(test_larsson_on_spheres),
        cmocka_unit_test(test_larsson_on_a_crowd),
        cmocka_unit_test(test_larsson_where_midpoints_coincide),
        cmocka_unit_test(test_steinemann_on_the_ring),
        cmocka_unit_test(test_steinemann_bounds_hold),
    };
    return cmocka_run_group_tests(tests, NULL, oracle_tear_down);
}
