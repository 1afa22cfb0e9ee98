/* Bodies: states that are refused leave the old one; bounds hold (T4); memory follows contact. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "containment.h"

static pliant_context *context;
static pliant_query *query;
static gallery_scene *scene;
static pliant_shape *shape[2];
static float *positions[2];

static int set_up(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 20480, .seed = 1};
    scene = gallery_create(&gallery_spheres, &settings);
    assert_ok(pliant_context_create(NULL, &context));
    assert_ok(pliant_query_create(context, &query));
    for (int i = 0; i < 2; i++) {
        shape[i] = fixture_shape(context, &scene->bodies[i], fixture_usual_tree);
        positions[i] = malloc(scene->bodies[i].vertex_count * 3 * sizeof(float));
        gallery_evaluate(scene, (uint32_t)i, scene->steps, positions[i]);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        pliant_shape_destroy(shape[i]);
        free(positions[i]);
    }
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    gallery_destroy(scene);
    return 0;
}

static uint64_t count_pairs(pliant_body *a, pliant_body *b)
{
    pliant_contacts contacts;
    assert_ok(pliant_collide(query, a, b, NULL, &contacts));
    return contacts.count;
}

static void refused_positions_leave_the_old_ones(void **state)
{
    (void)state;
    pliant_body *a = NULL, *b = NULL;
    assert_ok(pliant_body_create(shape[0], NULL, &a));
    assert_ok(pliant_body_create(shape[1], NULL, &b));
    assert_ok(pliant_body_set_positions(a, positions[0], 0));
    assert_ok(pliant_body_set_positions(b, positions[1], 0));
    uint64_t before = count_pairs(a, b);
    assert_true(before > 3000);
    float kept = positions[0][3 * 7 + 2];
    positions[0][3 * 7 + 2] = NAN;
    assert_int_equal(pliant_body_set_positions(a, positions[0], 0), PLIANT_ERROR_NOT_FINITE);
    assert_string_equal(pliant_last_error(), "vertex 7: coordinate z is nan");
    assert_int_equal(count_pairs(a, b), before);
    assert_int_equal(pliant_body_set_positions(a, positions[0], 10), PLIANT_ERROR_RANGE);
    assert_int_equal(pliant_body_set_positions(a, NULL, 0), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_body_share_positions(a, positions[0], 13), PLIANT_ERROR_RANGE);
    assert_int_equal(pliant_body_share_positions(a, positions[0], SIZE_MAX / 4 * 4),
                     PLIANT_ERROR_TOO_LARGE);
    assert_int_equal(count_pairs(a, b), before);
    positions[0][3 * 7 + 2] = kept;
    float *last = positions[0] + 3 * (size_t)scene->bodies[0].vertex_count - 1;
    kept = *last;
    *last = INFINITY;
    assert_int_equal(pliant_body_set_positions(a, positions[0], 0), PLIANT_ERROR_NOT_FINITE);
    assert_int_equal(count_pairs(a, b), before);
    *last = kept;
    pliant_body_destroy(a);
    pliant_body_destroy(b);
}

static void shared_nonsense_is_found_where_it_is_read(void **state)
{
    (void)state;
    for (int i = 0; i < 9; i++) {
        int u = PLIANT_UPDATE_BOTTOM_UP + i / 3, axis = i % 3;
        char sentence[] = "vertex 1234: coordinate x";
        sentence[sizeof sentence - 2] = "xyz"[axis];
        pliant_body *a = NULL, *b = NULL;
        pliant_contacts contacts = {.count = 42};
        assert_ok(pliant_body_create(shape[0], NULL, &a));
        assert_ok(pliant_body_create(shape[1], NULL, &b));
        assert_ok(pliant_body_set_update(a, (pliant_update)u, 0, 1));
        assert_ok(pliant_body_share_positions(b, positions[1], 0));
        float *bad = &positions[0][3 * 1234 + axis], kept = *bad;
        *bad = u == PLIANT_UPDATE_TOP_DOWN ? NAN : -INFINITY;
        assert_ok(pliant_body_share_positions(a, positions[0], 0)); /* nothing is read yet */
        assert_int_equal(pliant_collide(query, a, b, NULL, &contacts), PLIANT_ERROR_NOT_FINITE);
        assert_non_null(strstr(pliant_last_error(), sentence));
        assert_int_equal(contacts.count, 42);
        assert_int_equal(pliant_collide(query, a, b, NULL, &contacts), PLIANT_ERROR_STATE);
        float point[3];
        assert_int_equal(pliant_body_evaluate(a, NULL, 1, point), PLIANT_ERROR_STATE);
        *bad = kept;
        assert_ok(pliant_body_share_positions(a, positions[0], 0));
        assert_true(count_pairs(a, b) > 3000);
        pliant_body_destroy(a);
        pliant_body_destroy(b);
    }
}

/* Finite numbers whose sum is not are no nonsense. */
static void huge_positions_are_fine(void **state)
{
    (void)state;
    for (int u = PLIANT_UPDATE_BOTTOM_UP; u <= PLIANT_UPDATE_HYBRID; u++) {
        pliant_body *body[2];
        float *huge[2];
        uint64_t pairs = 0;
        for (uint32_t i = 0; i < 2; i++) {
            size_t count = 3 * (size_t)scene->bodies[i].vertex_count;
            huge[i] = malloc(count * sizeof(float));
            assert_ok(pliant_body_create(shape[i], NULL, &body[i]));
            assert_ok(pliant_body_set_update(body[i], (pliant_update)u, 0, 1));
            assert_ok(pliant_body_share_positions(body[i], positions[i], 0));
            for (size_t j = 0; j < count; j++) {
                huge[i][j] = positions[i][j] * 0x1p124f;
            }
        }
        pairs = count_pairs(body[0], body[1]);
        for (int i = 0; i < 2; i++) {
            assert_ok(pliant_body_share_positions(body[i], huge[i], 0));
        }
        assert_int_equal(count_pairs(body[0], body[1]), pairs);
        for (int i = 0; i < 2; i++) {
            pliant_body_destroy(body[i]);
            free(huge[i]);
        }
    }
}

/* Values that go bad after they were shared, below what was read eagerly. */
static void nonsense_below_the_eager_part_is_found(void **state)
{
    (void)state;
    pliant_body *a = NULL, *b = NULL;
    pliant_contacts contacts;
    assert_ok(pliant_body_create(shape[0], NULL, &a));
    assert_ok(pliant_body_create(shape[1], NULL, &b));
    assert_ok(pliant_body_share_positions(a, positions[0], 0));
    assert_ok(pliant_body_share_positions(b, positions[1], 0));
    pliant_box box;
    assert_ok(pliant_body_get_bounds(a, &box));
    for (uint32_t v = 0; v < scene->bodies[0].vertex_count; v++) {
        positions[0][3 * v] = INFINITY;
    }
    assert_int_equal(pliant_collide(query, a, b, NULL, &contacts), PLIANT_ERROR_NOT_FINITE);
    assert_int_equal(pliant_collide(query, a, b, NULL, &contacts), PLIANT_ERROR_STATE);
    gallery_evaluate(scene, 0, scene->steps, positions[0]);
    pliant_body_destroy(a);
    pliant_body_destroy(b);
}

static void strides_and_rest_state(void **state)
{
    (void)state;
    uint32_t count = scene->bodies[0].vertex_count;
    float *wide = malloc(count * 5 * sizeof *wide);
    for (uint32_t v = 0; v < count; v++) {
        memcpy(wide + 5 * (size_t)v, positions[0] + 3 * (size_t)v, 12);
        wide[5 * (size_t)v + 3] = wide[5 * (size_t)v + 4] = NAN; /* must never be read */
    }
    pliant_body *a = NULL, *b = NULL, *rest = NULL;
    assert_ok(pliant_body_create(shape[0], NULL, &a));
    assert_ok(pliant_body_create(shape[1], NULL, &b));
    assert_ok(pliant_body_create(shape[0], NULL, &rest));
    assert_ok(pliant_body_share_positions(b, positions[1], 0));
    assert_ok(pliant_body_share_positions(a, positions[0], 12));
    uint64_t expected = count_pairs(a, b);
    assert_ok(pliant_body_share_positions(a, wide, 20));
    assert_int_equal(count_pairs(a, b), expected);
    assert_ok(pliant_body_set_positions(a, wide, 20));
    assert_int_equal(count_pairs(a, b), expected);
    float read[6], again[6];
    const uint32_t some[2] = {count - 1, 3};
    assert_ok(pliant_body_evaluate(a, some, 2, read));
    memcpy(again, positions[0] + 3 * (size_t)(count - 1), 12);
    memcpy(again + 3, positions[0] + 9, 12);
    assert_memory_equal(read, again, sizeof read);
    assert_int_equal(pliant_body_evaluate(a, &count, 1, read), PLIANT_ERROR_RANGE);
    /* A new body is at rest. */
    assert_ok(pliant_body_evaluate(rest, NULL, 2, read));
    assert_memory_equal(read, scene->bodies[0].positions, sizeof read);
    pliant_body_destroy(a);
    pliant_body_destroy(b);
    pliant_body_destroy(rest);
    free(wide);
}

static void every_bound_holds_its_vertices(void **state)
{
    (void)state;
    const fixture_tree trees[] = {{PLIANT_PARTITION_BALANCED, 8, 8},
                                  {PLIANT_PARTITION_SHAPE_MEAN, 4, 3},
                                  {PLIANT_PARTITION_CONNECTIVITY, 2, 8}};
    const gallery_kind *kinds[] = {&gallery_spheres, &gallery_cloth, &gallery_soup, &gallery_bowl};
    const float scales[] = {0x1p-20f, 1.0f, 0x1p20f};
    const float offsets[] = {0.0f, 1e3f, 1e6f};
    for (int k = 0; k < 4; k++) {
        gallery_settings settings = {.triangles = 600, .seed = (uint64_t)k + 1};
        gallery_scene *small = gallery_create(kinds[k], &settings);
        uint32_t count = small->bodies[0].vertex_count;
        float *moved = malloc(count * 3 * sizeof *moved);
        for (int i = 0; i < 27; i++) {
            gallery_evaluate(small, 0, small->steps * (uint32_t)i / 27, moved);
            for (uint32_t j = 0; j < 3 * count; j++) {
                moved[j] = moved[j] * scales[i % 3] + offsets[i / 3 % 3];
            }
            pliant_shape *made = fixture_shape(context, &small->bodies[0], trees[i % 3]);
            for (int u = PLIANT_UPDATE_BOTTOM_UP; u <= PLIANT_UPDATE_HYBRID; u++) {
                assert_int_equal(containment_violations(made, (pliant_update)u, moved), 0);
            }
            pliant_shape_destroy(made);
        }
        free(moved);
        gallery_destroy(small);
    }
}

/* A body that touches nothing stays small, whatever its size; touching costs what is touched. */
static void memory_follows_contact(void **state)
{
    (void)state;
    for (uint32_t triangles = 1280; triangles <= 327680; triangles *= 4) {
        gallery_settings settings = {.triangles = triangles, .seed = 1};
        gallery_scene *large = gallery_create(&gallery_spheres, &settings);
        pliant_shape *made = fixture_shape(context, &large->bodies[0], fixture_usual_tree);
        pliant_body *a = NULL, *b = NULL;
        assert_ok(pliant_body_create(made, NULL, &a));
        assert_ok(pliant_body_create(shape[1], NULL, &b));
        float *far_away = malloc(large->bodies[0].vertex_count * 3 * sizeof *far_away);
        for (uint32_t i = 0; i < 3 * large->bodies[0].vertex_count; i++) {
            far_away[i] = large->bodies[0].positions[i] + 50.0f;
        }
        assert_ok(pliant_body_set_positions(a, far_away, 0));
        assert_int_equal(count_pairs(a, b), 0);
        pliant_body_memory memory = pliant_body_get_memory(a);
        assert_int_equal(memory.positions, (uint64_t)large->bodies[0].vertex_count * 12);
        assert_true(memory.bounds < 4096);
        free(far_away);
        pliant_body_destroy(a);
        pliant_body_destroy(b);
        pliant_shape_destroy(made);
        gallery_destroy(large);
    }
    pliant_body *a = NULL, *b = NULL;
    assert_ok(pliant_body_create(shape[0], NULL, &a));
    assert_ok(pliant_body_create(shape[1], NULL, &b));
    assert_ok(pliant_body_share_positions(a, positions[0], 0));
    assert_ok(pliant_body_share_positions(b, positions[1], 0));
    count_pairs(a, b);
    assert_true(pliant_body_get_memory(a).bounds > 100000);
    uint64_t pool = pliant_context_get_memory(context);
    assert_ok(pliant_body_share_positions(a, positions[0], 0));
    assert_true(pliant_body_get_memory(a).bounds < 4096); /* the pages went back */
    assert_true(pliant_context_get_memory(context) > pool + 100000);
    pliant_body_destroy(a);
    pliant_body_destroy(b);
}

/* Which bounds of a body have been refreshed: how many nodes of each level. */
typedef struct level_counts {
    uint32_t all[3], refreshed[3];
    uint32_t opened; /* down to this level; nodes there count, but are not looked into */
} level_counts;

static bool count_level(void *user, const pliant_bound *bound)
{
    level_counts *counts = user;
    counts->all[bound->level]++;
    counts->refreshed[bound->level] += bound->refreshed_below;
    return bound->level < counts->opened;
}

/* HYBRID refreshes half of the levels before the first query, or as many as it is told. */
static void half_of_the_levels_are_eager(void **state)
{
    (void)state;
    pliant_body_def def = pliant_body_def_default();
    def.update = PLIANT_UPDATE_HYBRID;
    assert_int_equal(fixture_quality(shape[0]).levels / 2, 2);
    for (uint32_t eager = 0; eager <= 3; eager++) {
        pliant_body *body = NULL;
        pliant_box box;
        def.eager_levels = eager;
        assert_ok(pliant_body_create(shape[0], &def, &body));
        assert_ok(pliant_body_set_positions(body, positions[0], 0));
        assert_ok(pliant_body_get_bounds(body, &box));
        level_counts counts = {.opened = eager == 1 ? 1 : 2};
        assert_ok(pliant_visit_bounds(query, body, false, count_level, &counts));
        assert_int_equal(counts.all[0], 1);
        assert_int_equal(counts.refreshed[0], 1);
        assert_true(counts.all[1] > 1);
        assert_int_equal(counts.refreshed[1], eager == 1 ? 0 : counts.all[1]);
        assert_int_equal(counts.refreshed[2], eager < 3 ? 0 : counts.all[2]);
        pliant_body_destroy(body);
    }
}

/* Descends from the root by the first child alone. */
typedef struct narrow_descent {
    uint32_t seen[3]; /* bounds of each level so far */
    uint32_t depth;   /* the last level that is looked into */
} narrow_descent;

static bool descend_first(void *user, const pliant_bound *bound)
{
    narrow_descent *descent = user;
    return descent->seen[bound->level]++ == 0 && bound->level <= descent->depth;
}

/* Where a query meets a stale node, as many levels are refreshed at once as asked for. */
static void lazy_levels_are_refreshed_at_once(void **state)
{
    (void)state;
    const pliant_update updates[2] = {PLIANT_UPDATE_TOP_DOWN, PLIANT_UPDATE_HYBRID};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t lazy = 1 + i / 2;
        pliant_body *body = NULL;
        assert_ok(pliant_body_create(shape[0], NULL, &body));
        assert_ok(pliant_body_set_update(body, updates[i % 2], 1, lazy));
        assert_ok(pliant_body_set_positions(body, positions[0], 0));
        narrow_descent descent = {.depth = 1};
        assert_ok(pliant_visit_bounds(query, body, true, descend_first, &descent));
        /* The root, its first child, and of that one the children as well. */
        uint64_t expected = lazy == 1 ? 2 : 2 + (uint64_t)descent.seen[2];
        assert_true(descent.seen[2] > 1);
        assert_int_equal(pliant_query_get_stats(query)->nodes_refreshed, expected);
        pliant_body_destroy(body);
    }
}

static void bad_settings_are_refused(void **state)
{
    (void)state;
    pliant_body *body = NULL;
    pliant_body_def def = pliant_body_def_default();
    def.tag++;
    assert_int_equal(pliant_body_create(shape[0], &def, &body), PLIANT_ERROR_ARGUMENT);
    def = pliant_body_def_default();
    def.update = (pliant_update)9;
    assert_int_equal(pliant_body_create(shape[0], &def, &body), PLIANT_ERROR_RANGE);
    def = pliant_body_def_default();
    def.lazy_levels = 0;
    assert_int_equal(pliant_body_create(shape[0], &def, &body), PLIANT_ERROR_RANGE);
    assert_int_equal(pliant_body_create(NULL, NULL, &body), PLIANT_ERROR_ARGUMENT);
    assert_null(body);
    assert_ok(pliant_body_create(shape[0], NULL, &body));
    assert_int_equal(pliant_body_set_update(body, (pliant_update)-1, 0, 1), PLIANT_ERROR_RANGE);
    assert_int_equal(pliant_body_set_update(NULL, PLIANT_UPDATE_AUTO, 0, 1), PLIANT_ERROR_ARGUMENT);
    assert_ptr_equal(pliant_body_get_shape(body), shape[0]);
    pliant_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_positions_leave_the_old_ones),
        cmocka_unit_test(shared_nonsense_is_found_where_it_is_read),
        cmocka_unit_test(nonsense_below_the_eager_part_is_found),
        cmocka_unit_test(huge_positions_are_fine),
        cmocka_unit_test(strides_and_rest_state),
        cmocka_unit_test(every_bound_holds_its_vertices),
        cmocka_unit_test(memory_follows_contact),
        cmocka_unit_test(half_of_the_levels_are_eager),
        cmocka_unit_test(lazy_levels_are_refreshed_at_once),
        cmocka_unit_test(bad_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
