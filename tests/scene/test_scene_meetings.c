/* Steps of scenes: they begin for all bodies or for none; empty scenes and bad arguments. */
#include "flock_scene.h"
#include "models.h"

#include <math.h>
#include <string.h>

#include "random.h"

enum { BODIES = 12, TRIANGLES = 10, SCENES = 8 };

static float positions[2][BODIES][3 * TRIANGLES][3];

/* The same bodies once more. */
typedef struct group {
    pliant_context *context;
    pliant_scene *scene;
    pliant_query *query;
    pliant_body *body[BODIES];
    pliant_body_id id[BODIES];
} group;

static pliant_member_def describe(uint32_t i, uint32_t *users)
{
    static const uint64_t odd_groups[1] = {2};
    pliant_member_def def = pliant_member_def_default();
    def.self = i % 4 == 0;
    def.is_static = i % 5 == 1;
    def.category = i == 7 ? 2 : 1;
    def.mask = i == 3 ? 1 : UINT64_MAX;
    def.user = &users[i];
    if (i == 2) {
        def.groups = (pliant_groups){odd_groups, 2};
    }
    return def;
}

static pliant_body *create_body(pliant_context *context)
{
    static uint32_t triangles[3 * TRIANGLES];
    static uint16_t groups[TRIANGLES];
    static float rest[3 * TRIANGLES][3];
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++) {
        triangles[i] = i;
        groups[i / 3] = i / 3 % 2;
        rest[i][0] = (float)i; /* no two vertices are welded */
        rest[i][1] = (float)(i % 3 == 1);
    }
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = rest[0];
    def.vertex_count = 3 * TRIANGLES;
    def.triangles = triangles;
    def.triangle_count = TRIANGLES;
    def.groups = groups;
    pliant_shape *shape;
    pliant_body *body;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    pliant_shape_destroy(shape);
    return body;
}

static group create(pliant_context *context, uint32_t *users)
{
    group g = {.context = context};
    assert_ok(pliant_scene_create(context, NULL, &g.scene));
    assert_ok(pliant_query_create(context, &g.query));
    for (uint32_t i = 0; i < BODIES; i++) {
        pliant_member_def def = describe(i, users);
        g.body[i] = create_body(context);
        assert_ok(pliant_scene_add(g.scene, g.body[i], &def, &g.id[i]));
    }
    return g;
}

static void destroy(group *g)
{
    pliant_scene_destroy(g->scene);
    pliant_query_destroy(g->query);
    for (int i = 0; i < BODIES; i++) {
        pliant_body_destroy(g->body[i]);
    }
    pliant_context_destroy(g->context);
}

/* Small triangles about a place of each body's own, so that some pairs of boxes stay apart. */
static void scatter(rng *random, float at[BODIES][3 * TRIANGLES][3])
{
    for (int b = 0; b < BODIES; b++) {
        float place = (float)rng_range(random, -4.0, 4.0);
        for (int v = 0; v < 3 * TRIANGLES; v++) {
            for (int k = 0; k < 3; k++) {
                float middle = v % 3 == 0 ? (float)rng_range(random, -1.0, 1.0) + (k == 0) * place
                                          : at[b][v - v % 3][k];
                at[b][v][k] = middle + (float)rng_range(random, -0.2, 0.2);
            }
        }
    }
}

/* The bodies of a group go from the first positions to the second; every sixth stands still. */
static void step(group *g, bool by_scene)
{
    for (int i = 0; i < BODIES; i++) {
        assert_ok(pliant_body_set_positions(g->body[i], positions[0][i][0], 0));
        if (!by_scene) {
            assert_ok(pliant_body_begin_step(g->body[i]));
        }
    }
    if (by_scene) {
        assert_ok(pliant_scene_begin_step(g->scene));
    }
    for (int i = 0; i < BODIES; i++) {
        if (i % 6 != 5) {
            assert_ok(pliant_body_set_positions(g->body[i], positions[1][i][0], 0));
        }
    }
}

/* A body whose shared positions turned out to be none: nobody's step begins, and those that had
 * begun one keep it. */
static void a_step_begins_for_all_or_for_none(void **state)
{
    (void)state;
    uint32_t users[BODIES];
    rng random;
    rng_seed(&random, 3);
    group g = create(fixture_context_with(PLIANT_ISA_BEST, 2), users);
    pliant_scene_meetings before, after;
    scatter(&random, positions[0]);
    scatter(&random, positions[1]);
    step(&g, true);
    assert_ok(pliant_scene_find_meetings(g.scene, NULL, &before));
    uint64_t count = before.count;
    assert_true(count > 0);
    pliant_body *bad = create_body(g.context), *late = create_body(g.context);
    pliant_body_id id, late_id;
    assert_ok(pliant_scene_add(g.scene, late, NULL, &late_id));
    assert_ok(pliant_scene_add(g.scene, bad, NULL, &id));
    assert_ok(pliant_body_set_positions(late, positions[0][0][0], 0));
    float nowhere[3 * TRIANGLES][3] = {{NAN}};
    assert_ok(pliant_body_share_positions(bad, nowhere[0], 0));
    assert_int_not_equal(pliant_body_prepare(bad), PLIANT_OK);
    assert_int_not_equal(pliant_scene_begin_step(g.scene), PLIANT_OK);
    assert_non_null(strstr(pliant_last_error(), "body 13"));
    assert_int_not_equal(pliant_scene_find_meetings(g.scene, NULL, &after), PLIANT_OK);
    assert_non_null(strstr(pliant_last_error(), "body 13"));
    assert_ok(pliant_scene_remove(g.scene, id));
    /* The one that would have begun its first step stands still: it meets what a still body does.
     */
    pliant_meetings one;
    assert_ok(pliant_body_set_positions(late, positions[1][0][0], 0));
    assert_ok(pliant_find_meetings(g.query, late, g.body[0], NULL, &one));
    uint64_t with_late = one.count;
    assert_ok(pliant_body_end_step(late));
    assert_ok(pliant_find_meetings(g.query, late, g.body[0], NULL, &one));
    assert_int_equal(with_late, one.count);
    assert_ok(pliant_scene_remove(g.scene, late_id));
    assert_ok(pliant_scene_find_meetings(g.scene, NULL, &after));
    assert_int_equal(after.count, count);
    pliant_body_destroy(bad);
    pliant_body_destroy(late);
    destroy(&g);
}

static void empty_scenes_and_bad_arguments(void **state)
{
    (void)state;
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    pliant_scene *scene;
    pliant_scene_meetings found = {.count = 1};
    assert_ok(pliant_scene_create(context, NULL, &scene));
    assert_ok(pliant_scene_begin_step(scene));
    assert_ok(pliant_scene_find_meetings(scene, NULL, &found));
    assert_true(found.count == 0 && found.bodies == NULL && found.pairs == NULL);
    assert_int_equal(pliant_scene_begin_step(NULL), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_scene_find_meetings(NULL, NULL, &found), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_scene_find_meetings(scene, NULL, NULL), PLIANT_ERROR_ARGUMENT);
    pliant_scene_destroy(scene);
    pliant_context_destroy(context);
}

/* A declared box that holds the boxes of a body at both ends of a step is large enough. */
static void declared_boxes_hold_both_ends(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 5);
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    for (int i = 0; i < 4 * MODEL_KINDS; i++) {
        model_case c =
            model_case_create((model_kind)(i % MODEL_KINDS), MODEL_SMOOTH, 1.0, 0.0, 320, &r);
        pliant_shape *shape = model_case_shape(context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
        pliant_scene *scene = NULL;
        pliant_body *body = NULL;
        pliant_body_id id;
        pliant_scene_meetings found;
        pliant_box ends[2];
        pliant_member_def member = pliant_member_def_default();
        assert_ok(pliant_scene_create(context, NULL, &scene));
        assert_ok(pliant_body_create(shape, NULL, &body));
        model_case_set(&c, body);
        assert_ok(pliant_body_get_bounds(body, &ends[0]));
        assert_ok(pliant_body_begin_step(body));
        model_case_move(&c, &r, false);
        model_case_set(&c, body);
        assert_ok(pliant_body_get_bounds(body, &ends[1]));
        member.self = member.has_loose_box = true;
        for (int k = 0; k < 3; k++) {
            member.loose_box.lower[k] = fminf(ends[0].lower[k], ends[1].lower[k]);
            member.loose_box.upper[k] = fmaxf(ends[0].upper[k], ends[1].upper[k]);
        }
        assert_ok(pliant_scene_add(scene, body, &member, &id));
        assert_ok(pliant_scene_find_meetings(scene, NULL, &found));
        pliant_scene_destroy(scene);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declared_boxes_hold_both_ends),
        cmocka_unit_test(a_step_begins_for_all_or_for_none),
        cmocka_unit_test(empty_scenes_and_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
