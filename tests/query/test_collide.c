/*
 * T6: pairs equal brute force, for every partition, arity, leaf size and update strategy, for
 * bodies of different shapes and sizes, triangle soups, open meshes, duplicate and degenerate
 * triangles.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const fixture_tree trees[] = {
    {PLIANT_PARTITION_BALANCED, 8, 8},     {PLIANT_PARTITION_BALANCED, 8, 1},
    {PLIANT_PARTITION_BALANCED, 4, 3},     {PLIANT_PARTITION_BALANCED, 2, 1},
    {PLIANT_PARTITION_SHAPE_CENTRE, 8, 8}, {PLIANT_PARTITION_SHAPE_CENTRE, 8, 1},
    {PLIANT_PARTITION_SHAPE_CENTRE, 4, 8}, {PLIANT_PARTITION_SHAPE_CENTRE, 2, 2},
    {PLIANT_PARTITION_SHAPE_MEAN, 8, 8},   {PLIANT_PARTITION_SHAPE_MEAN, 4, 1},
    {PLIANT_PARTITION_SHAPE_MEAN, 2, 8},   {PLIANT_PARTITION_CONNECTIVITY, 8, 8},
    {PLIANT_PARTITION_CONNECTIVITY, 8, 1}, {PLIANT_PARTITION_CONNECTIVITY, 4, 4},
    {PLIANT_PARTITION_CONNECTIVITY, 2, 1}, {PLIANT_PARTITION_COVARIANCE, 8, 8},
    {PLIANT_PARTITION_COVARIANCE, 2, 1},   {PLIANT_PARTITION_COVARIANCE, 4, 3},
};
enum { TREES = sizeof trees / sizeof trees[0] };

typedef struct strategy {
    const char *name;
    pliant_update update;
    uint32_t eager_levels, lazy_levels;
} strategy;

static const strategy strategies[] = {
    {"auto", PLIANT_UPDATE_AUTO, 0, 1},
    {"bottom-up", PLIANT_UPDATE_BOTTOM_UP, 0, 1},
    {"top-down", PLIANT_UPDATE_TOP_DOWN, 0, 1},
    {"top-down, 3 at once", PLIANT_UPDATE_TOP_DOWN, 0, 3},
    {"hybrid", PLIANT_UPDATE_HYBRID, 0, 1},
    {"hybrid, 1 eager", PLIANT_UPDATE_HYBRID, 1, 2},
    {"hybrid, all eager", PLIANT_UPDATE_HYBRID, 99, 1},
};
enum { STRATEGIES = sizeof strategies / sizeof strategies[0] };

/* Two bodies, from one scene or two, with brute force's answer to each step. */
typedef struct meeting {
    gallery_scene *scene[2];
    uint32_t body[2]; /* of its scene */
    float *positions[2];
} meeting;

static const gallery_mesh *mesh_of(const meeting *a, int i)
{
    return &a->scene[i]->bodies[a->body[i]];
}

static meeting meeting_create(const gallery_kind *first, uint32_t body_a, uint32_t triangles_a,
                              const gallery_kind *second, uint32_t body_b, uint32_t triangles_b,
                              uint64_t seed)
{
    gallery_settings settings_a = {.triangles = triangles_a, .seed = seed};
    gallery_settings settings_b = {.triangles = triangles_b, .seed = seed};
    meeting a = {.scene = {gallery_create(first, &settings_a), gallery_create(second, &settings_b)},
                 .body = {body_a, body_b}};
    for (int i = 0; i < 2; i++) {
        a.positions[i] = malloc(mesh_of(&a, i)->vertex_count * 3 * sizeof(float));
    }
    return a;
}

static void meeting_destroy(meeting *a)
{
    for (int i = 0; i < 2; i++) {
        free(a->positions[i]);
        gallery_destroy(a->scene[i]);
    }
}

/* Step `step` of `steps`, spread over the whole motion of each scene. */
static void meeting_step(meeting *a, uint32_t step, uint32_t steps)
{
    for (int i = 0; i < 2; i++) {
        uint32_t at = (uint32_t)((uint64_t)a->scene[i]->steps * step / steps);
        gallery_evaluate(a->scene[i], a->body[i], at, a->positions[i]);
    }
}

static brute_body brute_of(const meeting *a, int i)
{
    const gallery_mesh *mesh = mesh_of(a, i);
    brute_body body = {a->positions[i], mesh->triangles, mesh->vertex_count, mesh->triangle_count};
    return body;
}

/* One body under one tree and strategy. */
static pliant_body *make_body(pliant_shape *shape, const strategy *s)
{
    pliant_body_def def = pliant_body_def_default();
    def.update = s->update;
    def.eager_levels = s->eager_levels;
    def.lazy_levels = s->lazy_levels;
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, &def, &body));
    return body;
}

static bool contains(const brute_pairs *list, pliant_pair pair)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->pairs[i].a == pair.a && list->pairs[i].b == pair.b) {
            return true;
        }
    }
    return false;
}

/* Both orders, all and first, against brute force's list. */
static void check_state(pliant_query *query, pliant_body *a, pliant_body *b,
                        const brute_pairs *truth, const char *what)
{
    pliant_contacts contacts;
    assert_ok(pliant_collide(query, a, b, NULL, &contacts));
    assert_true(contacts.complete);
    assert_true(brute_equal(truth, &contacts, what));
    pliant_collide_options first = pliant_collide_options_default();
    first.mode = PLIANT_COLLIDE_FIRST;
    assert_ok(pliant_collide(query, a, b, &first, &contacts));
    assert_int_equal(contacts.count, truth->count > 0);
    if (contacts.count > 0) {
        assert_true(contains(truth, contacts.pairs[0]));
    }
    assert_ok(pliant_collide(query, b, a, NULL, &contacts));
    assert_int_equal(contacts.count, truth->count);
    for (size_t i = 0; i < truth->count && truth->count < 200; i++) {
        assert_true(contains(truth, (pliant_pair){contacts.pairs[i].b, contacts.pairs[i].a}));
    }
}

/* All trees and strategies over all steps of a meeting; brute force once per step. */
static void sweep(meeting *a, uint32_t steps, bool must_touch)
{
    pliant_context *context = NULL;
    pliant_query *query = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    assert_ok(pliant_query_create(context, &query));
    pliant_shape *shapes[TREES][2];
    for (int t = 0; t < TREES; t++) {
        for (int i = 0; i < 2; i++) {
            shapes[t][i] = fixture_shape(context, mesh_of(a, i), trees[t]);
            assert_ok(pliant_shape_validate(shapes[t][i]));
        }
    }
    brute_pairs truth = {0};
    size_t most = 0;
    for (uint32_t step = 0; step <= steps; step++) {
        meeting_step(a, step, steps);
        brute_body body_a = brute_of(a, 0), body_b = brute_of(a, 1);
        brute_collide(&body_a, &body_b, &truth);
        most = truth.count > most ? truth.count : most;
        for (int t = 0; t < TREES; t++) {
            for (int s = 0; s < STRATEGIES; s++) {
                char what[200];
                snprintf(what, sizeof what, "%s-%s step %u of %u, tree %d, %s",
                         a->scene[0]->kind->name, a->scene[1]->kind->name, step, steps, t,
                         strategies[s].name);
                /* The other body has another tree and strategy: mixed pairs must agree too. */
                pliant_body *x = make_body(shapes[t][0], &strategies[s]);
                pliant_body *y =
                    make_body(shapes[(t + 5 * s) % TREES][1], &strategies[(s + t) % STRATEGIES]);
                assert_ok(pliant_body_share_positions(x, a->positions[0], 0));
                assert_ok(pliant_body_set_positions(y, a->positions[1], 0));
                check_state(query, x, y, &truth, what);
                pliant_body_destroy(x);
                pliant_body_destroy(y);
            }
        }
    }
    assert_true(!must_touch || most > 0);
    brute_free(&truth);
    for (int t = 0; t < TREES; t++) {
        pliant_shape_destroy(shapes[t][0]);
        pliant_shape_destroy(shapes[t][1]);
    }
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

static void spheres(void **state)
{
    (void)state;
    meeting a = meeting_create(&gallery_spheres, 0, 1280, &gallery_spheres, 1, 1280, 1);
    sweep(&a, fixture_count(20), true);
    meeting_destroy(&a);
}

static void spheres_of_different_sizes(void **state)
{
    (void)state;
    meeting a = meeting_create(&gallery_spheres, 0, 3920, &gallery_spheres, 1, 20, 2);
    sweep(&a, fixture_count(20), true);
    meeting_destroy(&a);
}

static void soup_against_sphere(void **state)
{
    (void)state;
    meeting a = meeting_create(&gallery_soup, 0, 700, &gallery_spheres, 0, 320, 3);
    sweep(&a, fixture_count(20), true);
    meeting_destroy(&a);
}

static void soup_against_soup(void **state)
{
    (void)state;
    meeting a = meeting_create(&gallery_soup, 0, 300, &gallery_soup, 0, 500, 4);
    sweep(&a, fixture_count(10), true);
    meeting_destroy(&a);
}

static void bowl_against_cloth(void **state)
{
    (void)state;
    meeting a = meeting_create(&gallery_bowl, 0, 600, &gallery_cloth, 0, 900, 5);
    sweep(&a, fixture_count(20), false);
    meeting_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres),
        cmocka_unit_test(spheres_of_different_sizes),
        cmocka_unit_test(soup_against_sphere),
        cmocka_unit_test(soup_against_soup),
        cmocka_unit_test(bowl_against_cloth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
