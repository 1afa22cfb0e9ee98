/* What can be asked besides all pairs: segments, groups, budgets, callbacks, bounds, statistics. */
#include "fixture.h"
#include "as_triangle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "body/body.h"
#include "random.h"

/* Two spheres in deep contact. */
typedef struct pair_state {
    pliant_context *context;
    pliant_query *query;
    gallery_scene *scene;
    float *positions[2];
    pliant_shape *shape[2];
    pliant_body *body[2];
} pair_state;

static pair_state s;

static int set_up(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 1280, .seed = 1};
    s.scene = gallery_create(&gallery_spheres, &settings);
    assert_ok(pliant_context_create(NULL, &s.context));
    assert_ok(pliant_query_create(s.context, &s.query));
    uint16_t groups[1280];
    for (int t = 0; t < 1280; t++) {
        groups[t] = (uint16_t)(t % 3 == 0 ? 70 : t % 3);
    }
    for (int i = 0; i < 2; i++) {
        const gallery_mesh *mesh = &s.scene->bodies[i];
        pliant_shape_def def = fixture_shape_def(mesh);
        def.groups = groups;
        def.user = &s.positions[i];
        assert_ok(pliant_shape_create(s.context, &def, &s.shape[i]));
        assert_ptr_equal(pliant_shape_get_user(s.shape[i]), &s.positions[i]);
        assert_ok(pliant_body_create(s.shape[i], NULL, &s.body[i]));
        s.positions[i] = malloc(mesh->vertex_count * 3 * sizeof(float));
        gallery_evaluate(s.scene, (uint32_t)i, s.scene->steps, s.positions[i]);
        assert_ok(pliant_body_share_positions(s.body[i], s.positions[i], 0));
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(s.body[i]);
        pliant_shape_destroy(s.shape[i]);
        free(s.positions[i]);
    }
    pliant_query_destroy(s.query);
    pliant_context_destroy(s.context);
    gallery_destroy(s.scene);
    return 0;
}

static void corners(int body, uint32_t triangle, float corner[3][3])
{
    uint32_t vertices[3];
    assert_ok(pliant_shape_get_triangle(s.shape[body], triangle, vertices));
    assert_ok(pliant_body_evaluate(s.body[body], vertices, 3, corner[0]));
}

static void segments_belong_to_their_pairs(void **state)
{
    (void)state;
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.segments = true;
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts));
    assert_true(contacts.count > 100);
    for (uint64_t i = 0; i < contacts.count; i++) {
        float a[3][3], b[3][3];
        corners(0, contacts.pairs[i].a, a);
        corners(1, contacts.pairs[i].b, b);
        pliant_segment expected;
        pliant_triangle_intersect(as_triangle(a), as_triangle(b), &expected);
        assert_int_equal(contacts.segments[i].common, expected.common);
        assert_memory_equal(contacts.segments[i].p, expected.p, sizeof expected.p);
        assert_memory_equal(contacts.segments[i].q, expected.q, sizeof expected.q);
        assert_true(i == 0 || contacts.pairs[i - 1].a < contacts.pairs[i].a ||
                    (contacts.pairs[i - 1].a == contacts.pairs[i].a &&
                     contacts.pairs[i - 1].b < contacts.pairs[i].b));
    }
}

static void separations_belong_to_their_pairs(void **state)
{
    (void)state;
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.separations = true;
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts));
    assert_true(contacts.count > 100 && contacts.segments == NULL);
    for (uint64_t i = 0; i < contacts.count; i++) {
        float a[3][3], b[3][3];
        corners(0, contacts.pairs[i].a, a);
        corners(1, contacts.pairs[i].b, b);
        pliant_separation expected;
        pliant_triangle_separate(as_triangle(a), as_triangle(b), 0.0f, &expected);
        assert_memory_equal(&contacts.separations[i], &expected, sizeof expected);
    }
    /* Within a body the lower triangle comes first, in normals as well. */
    options.neighbours = PLIANT_NEIGHBOURS_ALL;
    assert_ok(pliant_collide_self(s.query, s.body[0], &options, &contacts));
    assert_true(contacts.count > 1280);
    for (uint64_t i = 0; i < contacts.count; i++) {
        float a[3][3], b[3][3];
        corners(0, contacts.pairs[i].a, a);
        corners(0, contacts.pairs[i].b, b);
        pliant_separation expected;
        pliant_triangle_separate(as_triangle(a), as_triangle(b), 0.0f, &expected);
        assert_memory_equal(&contacts.separations[i], &expected, sizeof expected);
    }
}

/* With a side, the second triangle goes where the normal of one of the two points to. */
static void separations_keep_to_a_side(void **state)
{
    (void)state;
    uint64_t longer = 0;
    for (int side = PLIANT_SEPARATION_FRONT_OF_A; side <= PLIANT_SEPARATION_FRONT_OF_B; side++) {
        pliant_contacts contacts;
        pliant_collide_options options = pliant_collide_options_default();
        options.separations = true;
        options.separation_side = (pliant_separation_side)side;
        assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts));
        assert_true(contacts.count > 100);
        for (uint64_t i = 0; i < contacts.count; i++) {
            float a[3][3], b[3][3], hint[3];
            corners(0, contacts.pairs[i].a, a);
            corners(1, contacts.pairs[i].b, b);
            float(*t)[3] = side == PLIANT_SEPARATION_FRONT_OF_A ? a : b;
            float turn = side == PLIANT_SEPARATION_FRONT_OF_A ? 1.0f : -1.0f, along = 0.0f;
            for (int k = 0; k < 3; k++) {
                int m = (k + 1) % 3, n = (k + 2) % 3;
                hint[k] = turn * ((t[1][m] - t[0][m]) * (t[2][n] - t[0][n]) -
                                  (t[1][n] - t[0][n]) * (t[2][m] - t[0][m]));
                along += hint[k] * contacts.separations[i].normal[k];
            }
            pliant_separation shortest, expected;
            pliant_triangle_separate(as_triangle(a), as_triangle(b), 0.0f, &shortest);
            pliant_triangle_separate_towards(as_triangle(a), as_triangle(b), hint, &expected);
            assert_true(along > -1e-6f);
            assert_true(fabsf(contacts.separations[i].depth - expected.depth) <= 1e-6f);
            longer += expected.depth > shortest.depth;
        }
    }
    assert_true(longer > 0);
}

/* The pair that answered last time is the answer only if it still is one. */
static void remembered_pairs_are_asked_again(void **state)
{
    (void)state;
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.mode = PLIANT_COLLIDE_FIRST;
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts));
    assert_int_equal(contacts.count, 1);
    /* Not where its group is not asked for. */
    for (uint32_t rest = 0; rest < 3; rest++) {
        const uint64_t chosen[2] = {rest == 0 ? 0 : (uint64_t)1 << rest, rest == 0 ? 1u << 6 : 0};
        pliant_collide_options some = options;
        some.groups_a = (pliant_groups){chosen, 71};
        assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &some, &contacts));
        assert_int_equal(contacts.count, 1);
        assert_int_equal(contacts.pairs[0].a % 3, rest);
    }
    /* Not when the body is elsewhere. */
    uint32_t count = s.scene->bodies[1].vertex_count;
    for (uint32_t v = 0; v < count; v++) {
        s.positions[1][3 * v] += 100.0f;
    }
    assert_ok(pliant_body_share_positions(s.body[1], s.positions[1], 0));
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts));
    assert_int_equal(contacts.count, 0);
    gallery_evaluate(s.scene, 1, s.scene->steps, s.positions[1]);
    assert_ok(pliant_body_share_positions(s.body[1], s.positions[1], 0));
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts));
    assert_int_equal(contacts.count, 1);
    uint32_t remembered = contacts.pairs[0].b;
    /* Not when a body has no state, though this pair would be fine. */
    uint32_t corner[3], bad = 0;
    assert_ok(pliant_shape_get_triangle(s.shape[1], remembered, corner));
    while (bad == corner[0] || bad == corner[1] || bad == corner[2]) {
        bad++;
    }
    float kept = s.positions[1][3 * bad];
    s.positions[1][3 * bad] = NAN;
    assert_ok(pliant_body_share_positions(s.body[1], s.positions[1], 0));
    assert_int_equal(pliant_collide(s.query, s.body[0], s.body[1], NULL, &contacts),
                     PLIANT_ERROR_NOT_FINITE);
    assert_int_equal(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts),
                     PLIANT_ERROR_STATE);
    s.positions[1][3 * bad] = kept;
    assert_ok(pliant_body_share_positions(s.body[1], s.positions[1], 0));
}

static int by_key(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Keys of any number of bits, with and without values that go along. */
static void keys_are_sorted(void **state)
{
    (void)state;
    enum { MOST = 2500 };
    static uint64_t keys[MOST], given[MOST], sorted[MOST], values[MOST], scratch[2][MOST];
    rng r;
    rng_seed(&r, 1);
    for (uint32_t round = 0; round < 50 + fixture_count(500); round++) {
        size_t count = (size_t)rng_below(&r, round % 3 == 0 ? 60 : MOST);
        uint64_t mask = rng_u64(&r) >> rng_below(&r, 64);
        for (size_t i = 0; i < count; i++) {
            given[i] = keys[i] = sorted[i] = rng_u64(&r) & mask;
            values[i] = i;
        }
        qsort(sorted, count, sizeof *sorted, by_key);
        bool alone = round % 2 == 0;
        pli_sort_keys(keys, scratch[0], alone ? NULL : values, alone ? NULL : scratch[1], count);
        assert_memory_equal(keys, sorted, count * sizeof *keys);
        for (size_t i = 0; i < count && !alone; i++) {
            assert_int_equal(given[values[i]], keys[i]);
            assert_true(i == 0 || keys[i - 1] < keys[i] || values[i - 1] < values[i]);
        }
    }
}

static void budgets_stop(void **state)
{
    (void)state;
    pliant_contacts contacts;
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], NULL, &contacts));
    uint64_t all = contacts.count, tested = pliant_query_get_stats(s.query)->nodes_tested;
    uint64_t before = 0;
    pliant_collide_options options = pliant_collide_options_default();
    for (uint64_t budget = 1; budget <= tested; budget += 7) {
        options.budget_nodes = budget;
        assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts));
        assert_int_equal(pliant_query_get_stats(s.query)->nodes_tested, budget);
        assert_int_equal(contacts.complete, budget == tested);
        assert_true(contacts.count >= before);
        before = contacts.count;
    }
    options.budget_nodes = tested + 1;
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts));
    assert_true(contacts.complete);
    assert_int_equal(contacts.count, all);
    options.budget_nodes = 0;
    options.budget_microseconds = 1;
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts));
    assert_true(contacts.count <= all); /* how far it gets is the machine's business */
    options.budget_microseconds = UINT64_MAX;
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts));
    assert_true(contacts.complete);
    assert_int_equal(contacts.count, all);
}

/* Collects what a callback gets. */
typedef struct collected {
    brute_pairs pairs;
    uint64_t batches, stop_after;
    bool segments, separations;
} collected;

static int by_pair(const void *x, const void *y)
{
    const pliant_pair *a = x, *b = y;
    if (a->a != b->a) {
        return a->a < b->a ? -1 : 1;
    }
    return (a->b > b->b) - (a->b < b->b);
}

static bool collect(void *user, const pliant_contacts *batch)
{
    collected *c = user;
    c->batches++;
    c->segments = c->segments || batch->segments != NULL;
    c->separations = c->separations || batch->separations != NULL;
    for (uint64_t i = 0; i < batch->count; i++) {
        brute_add(&c->pairs, batch->pairs[i].a, batch->pairs[i].b);
    }
    return c->stop_after == 0 || c->batches < c->stop_after;
}

static void callbacks_get_everything(void **state)
{
    (void)state;
    pliant_contacts contacts;
    collected c = {.batches = 0};
    pliant_collide_options options = pliant_collide_options_default();
    options.callback = collect;
    options.callback_user = &c;
    options.segments = true;
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, NULL));
    assert_true(c.segments && !c.separations);
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], NULL, &contacts));
    qsort(c.pairs.pairs, c.pairs.count, sizeof *c.pairs.pairs, by_pair);
    assert_true(brute_equal(&c.pairs, &contacts, "callback"));
    brute_free(&c.pairs);

    c = (collected){.stop_after = 1};
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts));
    assert_int_equal(c.batches, 1);
    assert_false(contacts.complete);
    assert_null(contacts.pairs);
    assert_int_equal(contacts.count, c.pairs.count);
    brute_free(&c.pairs);
}

/* Every bound must hold every vertex below it, and parents their children. */
typedef struct bound_check {
    uint32_t visited, clusters, stop_level;
    uint64_t cluster_triangles;
} bound_check;

static bool count_bound(void *user, const pliant_bound *bound)
{
    bound_check *check = user;
    check->visited++;
    check->clusters += bound->is_cluster;
    check->cluster_triangles += bound->is_cluster ? bound->triangle_count : 0;
    for (int k = 0; k < 3; k++) {
        assert_true(bound->box.lower[k] <= bound->box.upper[k]);
    }
    return bound->level < check->stop_level;
}

static void bounds_can_be_visited(void **state)
{
    (void)state;
    bound_check check = {.stop_level = 100};
    assert_ok(pliant_body_share_positions(s.body[0], s.positions[0], 0));
    assert_ok(pliant_visit_bounds(s.query, s.body[0], false, count_bound, &check));
    assert_int_equal(check.visited, 0); /* nothing is refreshed yet */
    assert_ok(pliant_visit_bounds(s.query, s.body[0], true, count_bound, &check));
    assert_int_equal(check.clusters, 20);
    assert_int_equal(check.cluster_triangles, 1280);
    check = (bound_check){.stop_level = 1};
    assert_ok(pliant_visit_bounds(s.query, s.body[0], true, count_bound, &check));
    pliant_shape_quality quality;
    assert_ok(pliant_shape_get_quality(s.shape[0], &quality));
    assert_int_equal(check.visited, 1 + 3); /* the root; 20 clusters under three nodes */
    pliant_box box;
    assert_ok(pliant_body_get_bounds(s.body[0], &box));
    for (uint32_t v = 0; v < pliant_shape_get_vertex_count(s.shape[0]); v++) {
        for (int k = 0; k < 3; k++) {
            float x = s.positions[0][3 * v + (uint32_t)k];
            assert_true(box.lower[k] <= x && x <= box.upper[k]);
        }
    }
}

static void statistics_tell_the_work(void **state)
{
    (void)state;
    pliant_contacts contacts;
    const pliant_stats *stats = pliant_query_get_stats(s.query);
    uint64_t tests = 0;
    for (uint32_t i = 0; i < 2; i++) { /* a light contact: some clusters are met, most are not */
        gallery_evaluate(s.scene, i, s.scene->steps * 2 / 5, s.positions[i]);
        assert_ok(pliant_body_share_positions(s.body[i], s.positions[i], 0));
    }
    for (int u = PLIANT_UPDATE_BOTTOM_UP; u <= PLIANT_UPDATE_HYBRID; u++) {
        for (int i = 0; i < 2; i++) {
            assert_ok(pliant_body_set_update(s.body[i], (pliant_update)u, 0, 1));
        }
        assert_ok(pliant_collide(s.query, s.body[0], s.body[1], NULL, &contacts));
        assert_int_equal(stats->pairs, contacts.count);
        assert_true(contacts.count > 0);
        assert_true(u == PLIANT_UPDATE_BOTTOM_UP ? stats->clusters_refreshed == 40
                                                 : stats->clusters_refreshed < 40);
        assert_true(tests == 0 || tests == stats->triangle_tests);
        tests = stats->triangle_tests;
        assert_ok(pliant_collide(s.query, s.body[0], s.body[1], NULL, &contacts));
        assert_int_equal(stats->nodes_refreshed + stats->clusters_refreshed, 0); /* still warm */
        assert_int_equal(stats->vertices_read, 0);
    }
    /* Far apart: only what is eager is read. */
    for (uint32_t v = 0; v < s.scene->bodies[1].vertex_count; v++) {
        s.positions[1][3 * v] += 100.0f;
    }
    assert_ok(pliant_body_share_positions(s.body[1], s.positions[1], 0));
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], NULL, &contacts));
    assert_int_equal(contacts.count, 0);
    assert_int_equal(stats->clusters_refreshed, 0);
    assert_int_equal(stats->nodes_tested, 0);
    for (uint32_t i = 0; i < 2; i++) {
        gallery_evaluate(s.scene, i, s.scene->steps, s.positions[i]);
        assert_ok(pliant_body_share_positions(s.body[i], s.positions[i], 0));
    }
}

static void bad_questions_are_refused(void **state)
{
    (void)state;
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    assert_int_equal(pliant_collide(s.query, s.body[0], s.body[0], NULL, &contacts),
                     PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "pliant_collide_self"));
    assert_int_equal(pliant_collide(NULL, s.body[0], s.body[1], NULL, &contacts),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_collide(s.query, s.body[0], s.body[1], NULL, NULL),
                     PLIANT_ERROR_ARGUMENT);
    options.tag = 1;
    assert_int_equal(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts),
                     PLIANT_ERROR_ARGUMENT);
    options = pliant_collide_options_default();
    options.mode = (pliant_collide_mode)5;
    assert_int_equal(pliant_collide(s.query, s.body[0], s.body[1], &options, &contacts),
                     PLIANT_ERROR_RANGE);
    options = pliant_collide_options_default();
    options.neighbours = (pliant_neighbours)-1;
    assert_int_equal(pliant_collide_self(s.query, s.body[0], &options, &contacts),
                     PLIANT_ERROR_RANGE);
    pliant_context *other = NULL;
    pliant_query *foreign = NULL;
    assert_ok(pliant_context_create(NULL, &other));
    assert_ok(pliant_query_create(other, &foreign));
    assert_int_equal(pliant_collide(foreign, s.body[0], s.body[1], NULL, &contacts),
                     PLIANT_ERROR_ARGUMENT);
    pliant_query_destroy(foreign);
    pliant_context_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_belong_to_their_pairs),
        cmocka_unit_test(separations_belong_to_their_pairs),
        cmocka_unit_test(separations_keep_to_a_side),
        cmocka_unit_test(remembered_pairs_are_asked_again),
        cmocka_unit_test(keys_are_sorted),
        cmocka_unit_test(budgets_stop),
        cmocka_unit_test(callbacks_get_everything),
        cmocka_unit_test(bounds_can_be_visited),
        cmocka_unit_test(statistics_tell_the_work),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
