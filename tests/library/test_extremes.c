/*
 * Bodies of every kind, bounded and updated in every way, with the smallest and the largest numbers
 * there are: all answers are brute force's, every query ends, and every stored box is finite.
 */
#include "fixture.h"
#include "answer_checks.h"
#include "as_triangle.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernels.h"
#include "body/body.h"
#include "containment.h"
#include "geometry/triangle_distance.h"
#include "random.h"

enum { MOST_VERTICES = 120, MOST_TRIANGLES = 200, MOST_MODES = 6, MOST_JOINTS = 70 };

/* Triangles without any order, and how they deform. */
typedef struct soup {
    uint32_t vertex_count, triangle_count, mode_count, joint_count;
    float scale;
    float positions[3 * MOST_VERTICES];
    uint32_t triangles[3 * MOST_TRIANGLES];
    float fields[MOST_MODES][3 * MOST_VERTICES];
    float coordinates[MOST_MODES];
    float transforms[12 * MOST_JOINTS];
    uint32_t offsets[MOST_VERTICES + 1], joints[6 * MOST_VERTICES];
    float weights[6 * MOST_VERTICES];
} soup;

static const float scales[] = {3e-45f, 1e-41f,  1e-38f,  1e-30f,          1e-20f,   1e-3f, 1.0f,
                               1e6f,   1e20f,   0x1p99f, 1e30f,           0x1p101f, 3e37f, 0x1p125f,
                               1e38f,  1.2e38f, 1.5e38f, 0x1.fffffep126f, 0x1p127f, 3e38f, FLT_MAX};

enum { SCALES = sizeof scales / sizeof scales[0] };

static float draw_scale(rng *r)
{
    return scales[rng_below(r, SCALES)];
}

/* A number of a size: also exactly 0, the size itself, and its half. */
static float draw(rng *r, float size)
{
    switch (rng_below(r, 9)) {
    case 0:
        return 0.0f;
    case 1:
        return 0.5f * size * (float)((int)rng_below(r, 5) - 2);
    default:
        return (float)(rng_range(r, -1.0, 1.0) * (double)size);
    }
}

/* The nearest finite float. */
static float to_finite(double x)
{
    return (float)fmax(fmin(x, (double)FLT_MAX), -(double)FLT_MAX);
}

static void draw_mesh(soup *s, rng *r)
{
    s->scale = draw_scale(r);
    s->vertex_count = 1 + (uint32_t)rng_below(r, MOST_VERTICES);
    s->triangle_count = 1 + (uint32_t)rng_below(r, MOST_TRIANGLES);
    double offset = rng_below(r, 3) == 0 ? 1000.0 * (double)s->scale : 0.0;
    offset = offset < 1e37 ? offset : 0.0;
    for (uint32_t i = 0; i < 3 * s->vertex_count; i++) {
        s->positions[i] = (float)((double)draw(r, s->scale) + offset);
    }
    for (uint32_t i = 0; i < 3 * s->triangle_count; i++) { /* most have neighbours */
        uint64_t near = i >= 3 && rng_below(r, 3) > 0 ? s->triangles[i - 3] + rng_below(r, 5)
                                                      : rng_below(r, s->vertex_count);
        s->triangles[i] = (uint32_t)(near % s->vertex_count);
    }
}

/* One mode: one that cancels the rest positions, a shear of them, or fields without any order and
   of any size. */
static void draw_mode(soup *s, uint32_t mode, rng *r)
{
    uint64_t how = rng_below(r, 4);
    float size = how == 3 ? draw_scale(r) : s->scale;
    for (uint32_t i = 0; i < 3 * s->vertex_count; i++) {
        const float *p = s->positions + i / 3 * 3;
        s->fields[mode][i] = how == 0   ? -s->positions[i]
                             : how == 1 ? 0.5f * p[0] + 0.25f * p[1]
                                        : draw(r, size);
    }
    double moved = rng_below(r, 4) == 0 ? (double)draw_scale(r) : (double)s->scale;
    s->coordinates[mode] =
        how == 0 ? 1.0f : draw(r, to_finite(rng_range(r, 0.0, 2.0) * moved / (double)size));
}

static void draw_joints(soup *s, rng *r)
{
    for (uint32_t j = 0; j < s->joint_count; j++) {
        float size = rng_below(r, 8) == 0 ? to_finite((double)draw_scale(r) / (double)s->scale) : 1;
        for (uint32_t k = 0; k < 3; k++) {
            float *row = s->transforms + 12 * (size_t)j + 4 * (size_t)k;
            for (uint32_t i = 0; i < 3; i++) {
                row[i] = i == k ? size : rng_below(r, 2) == 0 ? draw(r, 0.5f * size) : 0.0f;
            }
            row[3] = draw(r, rng_below(r, 8) == 0 ? draw_scale(r) : s->scale);
        }
    }
    uint32_t end = 0;
    for (uint32_t v = 0; v < s->vertex_count && s->joint_count > 0; v++) {
        s->offsets[v] = end;
        for (uint64_t i = rng_below(r, 6); i > 0; i--, end++) {
            s->joints[end] = (uint32_t)((v / 4 + rng_below(r, 6)) % s->joint_count);
            s->weights[end] = (float)rng_unit(r) * (rng_below(r, 8) == 0 ? 1e-7f : 1.0f);
        }
        s->offsets[v + 1] = end;
    }
}

/* What a soup is, by whether it has modes, and none, one or several joints. */
static void draw_soup(soup *s, uint32_t kind, rng *r)
{
    static const uint32_t joints[] = {0, 1, 2};
    draw_mesh(s, r);
    s->mode_count = kind % 2 == 1 ? 1 + (uint32_t)rng_below(r, MOST_MODES) : 0;
    s->joint_count = joints[kind / 2];
    if (s->joint_count == 2) {
        s->joint_count += (uint32_t)rng_below(r, rng_below(r, 4) == 0 ? MOST_JOINTS - 2 : 6);
    }
    for (uint32_t m = 0; m < s->mode_count; m++) {
        draw_mode(s, m, r);
    }
    draw_joints(s, r);
}

static pliant_shape_def soup_def(const soup *s, rng *r)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = s->positions;
    def.vertex_count = s->vertex_count;
    def.triangles = s->triangles;
    def.triangle_count = s->triangle_count;
    def.partition = (pliant_partition)rng_below(r, PLIANT_PARTITION_COVARIANCE + 1);
    def.arity = 2u << rng_below(r, 3);
    def.leaf_size = 1 + (uint32_t)rng_below(r, 8);
    def.weld = rng_below(r, 2) == 0;
    def.bound = (pliant_bound_kind)rng_below(r, PLIANT_BOUND_AFFINE + 1);
    def.sphere_centre = (pliant_sphere_centre)rng_below(r, PLIANT_SPHERE_SMALLEST + 1);
    def.proxy_triangles = rng_below(r, 3) == 0 ? 1 + (uint32_t)rng_below(r, 9) : 0;
    def.modes = s->mode_count > 0 ? s->fields[0] : NULL;
    def.mode_stride = sizeof s->fields[0];
    def.mode_count = s->mode_count;
    def.joint_count = s->joint_count;
    if (s->joint_count > 1) {
        def.influence_offsets = s->offsets;
        def.influence_joints = s->joints;
        def.influence_weights = s->weights;
        def.normalise_weights = rng_below(r, 3) > 0;
    }
    return def;
}

/* Another state of a soup's body, near the last one; false if it is refused. */
static bool set_state(soup *s, pliant_body *body, rng *r)
{
    pliant_result result = PLIANT_OK;
    for (uint32_t m = 0; m < s->mode_count; m++) {
        s->coordinates[m] = to_finite((double)s->coordinates[m] * rng_range(r, 0.98, 1.02));
    }
    if (s->mode_count > 0) {
        result = pliant_body_set_coordinates(body, s->coordinates, s->mode_count);
    }
    if (s->joint_count > 0 && result == PLIANT_OK) {
        result = pliant_body_set_transforms(body, s->transforms, s->joint_count, 0);
    }
    if (s->mode_count == 0 && s->joint_count == 0) {
        float moved[3 * MOST_VERTICES];
        for (uint32_t i = 0; i < 3 * s->vertex_count; i++) {
            moved[i] = to_finite((double)s->positions[i] + (double)draw(r, 0.01f * s->scale));
        }
        result = pliant_body_set_positions(body, moved, 0);
    }
    assert_true(result == PLIANT_OK || result == PLIANT_ERROR_RANGE);
    return result == PLIANT_OK;
}

/* A body in a state, as brute force sees it. */
typedef struct known {
    pliant_body *body;
    float positions[3 * MOST_VERTICES];
    brute_body brute;
} known;

static void find_positions(known *k, const soup *s)
{
    assert_ok(pliant_body_evaluate(k->body, NULL, s->vertex_count, k->positions));
    for (uint32_t i = 0; i < 3 * s->vertex_count; i++) {
        assert_true(isfinite(k->positions[i]));
    }
    k->brute = (brute_body){k->positions, s->triangles, s->vertex_count, s->triangle_count};
}

/* A free body of which every vertex of another one is a triangle. */
static pliant_body *create_points(pliant_context *context, const known *k, uint32_t *corners,
                                  brute_body *brute)
{
    uint32_t count = k->brute.vertex_count;
    for (uint32_t i = 0; i < 3 * count; i++) {
        corners[i] = i / 3;
    }
    *brute = (brute_body){k->positions, corners, count, count};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = k->positions;
    def.vertex_count = def.triangle_count = count;
    def.triangles = corners;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_shape_validate(shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    return body;
}

static void destroy_with_shape(pliant_body *body)
{
    pliant_shape *shape = (pliant_shape *)(uintptr_t)pliant_body_get_shape(body);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
}

static void corners_of(const brute_body *body, uint32_t triangle, float corner[3][3])
{
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t v = body->triangles[3 * (size_t)triangle + c];
        memcpy(corner[c], body->positions + 3 * (size_t)v, sizeof corner[c]);
    }
}

/* Every pair within a distance is there, once and in order, and none that is farther by more than
   D5 allows. */
static void check_within(pliant_query *query, const known *a, pliant_body *b,
                         const brute_body *other, float distance)
{
    pliant_proximities found;
    uint64_t next = 0, fallbacks = 0;
    assert_ok(pliant_find_within(query, a->body, b, distance, NULL, &found));
    for (uint32_t i = 0; i < a->brute.triangle_count; i++) {
        for (uint32_t j = 0; j < other->triangle_count; j++) {
            float p[3][3], q[3][3];
            pliant_gap gap;
            corners_of(&a->brute, i, p);
            corners_of(other, j, q);
            double apart =
                pli_triangle_distance((const float(*)[3])p, (const float(*)[3])q, &gap, &fallbacks);
            double spread = pli_coordinate_spread((const float(*)[3])p, (const float(*)[3])q, 3);
            bool listed =
                next < found.count && found.pairs[next].a == i && found.pairs[next].b == j;
            next += listed;
            assert_true(listed || apart > (double)distance);
            assert_true(!listed || apart <= (double)distance * (1.0 + 0x1p-20) + 0x1p-44 * spread);
        }
    }
    assert_int_equal(next, found.count);
}

/* Single points on the body: the lowest triangle there is found in every way. */
static void check_points(pliant_query *query, const known *a, rng *r)
{
    for (int i = 0; i < 4; i++) {
        uint32_t at = a->brute.triangles[rng_below(r, 3 * (uint64_t)a->brute.triangle_count)];
        const float *p = a->positions + 3 * (size_t)at;
        pliant_ray ray = {{p[0], p[1], p[2]}, {draw(r, 1.0f), draw(r, 1.0f), draw(r, 1.0f)}, 0.0f};
        pliant_box box = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
        pliant_ray_hit hit;
        pliant_closest closest;
        const uint32_t *list = NULL;
        uint64_t count = 0;
        uint32_t lowest = 0;
        for (;; lowest++) {
            float corner[3][3];
            corners_of(&a->brute, lowest, corner);
            if (pliant_triangle_raycast(as_triangle(corner), ray.origin, ray.direction, 0.0f,
                                        NULL)) {
                break;
            }
        }
        assert_ok(pliant_raycast(query, a->body, &ray, &hit));
        assert_int_equal(hit.triangle, lowest);
        ray.t_max = INFINITY;
        assert_ok(pliant_raycast(query, a->body, &ray, &hit));
        assert_int_equal(hit.triangle, lowest);
        assert_ok(pliant_find_closest_point(query, a->body, p,
                                            rng_below(r, 2) == 0 ? 0.0f : INFINITY, &closest));
        assert_true(closest.triangle == lowest && closest.distance == 0.0);
        assert_ok(pliant_overlap_box(query, a->body, &box, &list, &count));
        assert_true(count > 0 && list[0] == lowest);
    }
    pliant_box all = {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}};
    const uint32_t *list = NULL;
    uint64_t count = 0;
    assert_ok(pliant_overlap_box(query, a->body, &all, &list, &count));
    assert_int_equal(count, a->brute.triangle_count);
}

/* Proxies cover the pairs of triangles that touch; what they say is finite. */
static void check_proxies(pliant_query *query, const known *a, pliant_body *b)
{
    pliant_proxy_options options = pliant_proxy_options_default();
    pliant_proxy_contacts contacts;
    pliant_contacts pairs;
    options.budget_nodes = CHECK_MOST_WORK;
    for (int other = 0; other < 2; other++) {
        options.proxies_b = other == 1;
        assert_ok(pliant_collide_proxies(query, a->body, b, &options, &contacts));
        assert_true(contacts.complete);
        for (uint64_t i = 0; i < contacts.count; i++) {
            const pliant_proxy_contact *contact = &contacts.contacts[i];
            for (int k = 0; k < 3; k++) {
                assert_true(isfinite(contact->point[k]) && isfinite(contact->normal[k]));
            }
            assert_true(isfinite(contact->depth));
        }
        uint64_t found = contacts.count;
        assert_ok(pliant_collide(query, a->body, b, NULL, &pairs));
        assert_true(found > 0 || pairs.count == 0);
    }
}

static void check_state(pliant_query *query, const soup *s, known *a, const pliant_shape_def *def,
                        rng *r)
{
    uint32_t corners[3 * MOST_VERTICES], bounds = 0;
    brute_body points;
    pliant_box box;
    find_positions(a, s);
    pliant_body *b = create_points(a->body->context, a, corners, &points);
    check_pairs(query, a->body, &a->brute, b, &points);
    check_self(query, a->body, &a->brute, def->weld);
    check_points(query, a, r);
    float distance = rng_below(r, 2) == 0 ? draw_scale(r) : s->scale;
    check_within(query, a, b, &points, distance);
    assert_ok(pliant_visit_bounds(query, a->body, true, bound_is_finite, &bounds));
    assert_true(bounds > 1);
    assert_ok(pliant_body_get_bounds(a->body, &box));
    if (def->proxy_triangles > 0) {
        pliant_body *twin = NULL;
        assert_ok(pliant_body_create(pliant_body_get_shape(a->body), NULL, &twin));
        check_proxies(query, a, twin);
        pliant_body_destroy(twin);
    }
    destroy_with_shape(b);
}

/* A body of the soup, if there can be one: not if a vertex rests beyond 2^127. */
static pliant_body *create_body(const pliant_shape *shape, rng *r)
{
    pliant_body_def def = pliant_body_def_default();
    pliant_body *body = NULL;
    def.update = (pliant_update)rng_below(r, PLIANT_UPDATE_FRONT + 1);
    def.lazy_levels = 1 + (uint32_t)rng_below(r, 3);
    def.eager_levels = (uint32_t)rng_below(r, 4);
    def.coherent = rng_below(r, 2) == 0;
    pliant_result result = pliant_body_create(shape, &def, &body);
    assert_true(result == PLIANT_OK || result == PLIANT_ERROR_RANGE);
    return body;
}

static uint32_t check_soup(soup *s, rng *r)
{
    pliant_context *context = fixture_context_with((pliant_isa)(1 + rng_below(r, 4)), 1);
    pliant_query *query = NULL;
    pliant_shape *shape = NULL;
    pliant_shape_def def = soup_def(s, r);
    uint32_t checked = 0;
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_shape_validate(shape));
    known a = {.body = create_body(shape, r)};
    for (int step = 0; step < 3 && a.body != NULL; step++) {
        if (set_state(s, a.body, r) || step == 2) { /* the state before still answers */
            check_state(query, s, &a, &def, r);
            checked++;
        }
    }
    pliant_body_destroy(a.body);
    pliant_shape_destroy(shape);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    return checked;
}

enum { KINDS = 6 };

static uint32_t current_case, first_case, end_case;

static void answers_hold_for_all_sizes(void **state)
{
    (void)state;
    static soup s;
    uint32_t checked[KINDS] = {0};
    for (current_case = first_case; current_case < end_case; current_case++) {
        uint32_t kind = current_case % KINDS;
        rng r;
        rng_seed(&r, 100 + current_case); /* so that one case can be repeated alone */
        draw_soup(&s, kind, &r);
        checked[kind] += check_soup(&s, &r);
    }
    for (int kind = 0; kind < KINDS && end_case - first_case > 1; kind++) {
        assert_true(checked[kind] > 0);
    }
}

int main(int argc, char **argv)
{
    first_case = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    end_case = argc > 1 ? first_case + 1 : fixture_count(750) + KINDS;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_hold_for_all_sizes),
    };
    int failed = cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
    if (failed != 0 && current_case < end_case) {
        printf("repeat with: test_extremes %u\n", current_case);
    }
    return failed;
}
