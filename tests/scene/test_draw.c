/* Drawing: what is drawn is what is there, and drawing changes nothing. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/draw.h"

enum { KINDS = PLIANT_DRAW_CONTACT + 1 };

/* Who draws: counts by kind, and what is wrong. */
typedef struct picture {
    uint64_t count[KINDS];
    uint32_t deepest, bodies;
    bool wrong; /* something that is not finite, or of no kind */
    pliant_scene *scene;
    pliant_body *body;
    uint32_t refused; /* changes of the scene or body that were refused meanwhile */
    pliant_box box;   /* around all triangles */
} picture;

static void note(picture *p, const pliant_draw_item *item)
{
    p->count[item->kind]++;
    p->wrong = p->wrong || item->colour > 0xffffff;
    p->bodies |= item->body < 32 ? 1u << item->body : 0;
    if (p->body != NULL) {
        p->refused +=
            pliant_body_set_update(p->body, PLIANT_UPDATE_FRONT, 0, 1) == PLIANT_ERROR_STATE;
    }
    if (p->scene != NULL) {
        pliant_scene_contacts contacts;
        p->refused += pliant_scene_collide(p->scene, NULL, &contacts) == PLIANT_ERROR_STATE;
    }
}

static void take_point(void *user, const pliant_draw_item *item, const float at[3])
{
    picture *p = user;
    note(p, item);
    p->wrong = p->wrong || !isfinite(at[0]);
}

static void take_line(void *user, const pliant_draw_item *item, const float from[3],
                      const float to[3])
{
    picture *p = user;
    note(p, item);
    p->wrong = p->wrong || !isfinite(from[0]) || !isfinite(to[0]);
}

static void take_triangle(void *user, const pliant_draw_item *item, const pliant_triangle *triangle)
{
    picture *p = user;
    note(p, item);
    p->wrong = p->wrong || item->triangle == PLIANT_NO_TRIANGLE;
    for (int c = 0; c < 9; c++) {
        float x = triangle->corner[c / 3][c % 3];
        p->box.lower[c % 3] = fminf(p->box.lower[c % 3], x);
        p->box.upper[c % 3] = fmaxf(p->box.upper[c % 3], x);
    }
}

static void take_box(void *user, const pliant_draw_item *item, const pliant_box *box)
{
    picture *p = user;
    note(p, item);
    p->deepest = item->level > p->deepest ? item->level : p->deepest;
    p->wrong = p->wrong || !(box->lower[0] <= box->upper[0]);
}

static void take_contact(void *user, const pliant_draw_item *item, const float at[3],
                         const pliant_separation *separation)
{
    picture *p = user;
    note(p, item);
    p->wrong = p->wrong || !isfinite(at[0]) || !(separation->depth >= 0.0f);
}

static picture empty_picture(void)
{
    return (picture){.box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
}

static pliant_drawer drawer_of(picture *p)
{
    return (pliant_drawer){take_point, take_line, take_triangle, take_box, take_contact, p};
}

/* Two spheres that touch, and one that does not, in a scene. */
typedef struct stage {
    pliant_context *context;
    pliant_shape *shape;
    pliant_body *body[3];
    pliant_body_id id[3];
    pliant_scene *scene;
    pliant_query *query;
} stage;

/* By a transform, or by positions where the shape has none. */
static void place(pliant_body *body, float x)
{
    const float transform[12] = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0};
    const pliant_shape *shape = pliant_body_get_shape(body);
    if (pliant_shape_get_joint_count(shape) > 0) {
        assert_ok(pliant_body_set_transforms(body, transform, 1, 0));
        return;
    }
    uint32_t vertices = pliant_shape_get_vertex_count(shape);
    pliant_body *rest = NULL;
    float *moved = malloc(3 * vertices * sizeof *moved);
    assert_ok(pliant_body_create(shape, NULL, &rest));
    assert_ok(pliant_body_evaluate(rest, NULL, vertices, moved));
    for (uint32_t v = 0; v < vertices; v++) {
        moved[3 * v] += x;
    }
    assert_ok(pliant_body_set_positions(body, moved, 0));
    pliant_body_destroy(rest);
    free(moved);
}

static stage set_stage_of(uint32_t triangle_count, uint32_t joint_count, pliant_update update)
{
    stage s = {.context = fixture_context_with(PLIANT_ISA_BEST, 1)};
    pliant_body_def def = pliant_body_def_default();
    pliant_shape *sphere = fixture_sphere(s.context, triangle_count, fixture_usual_tree);
    uint32_t vertices = pliant_shape_get_vertex_count(sphere),
             triangles = pliant_shape_get_triangle_count(sphere);
    float *positions = malloc(3 * vertices * sizeof *positions);
    uint32_t *corners = malloc(3 * triangles * sizeof *corners);
    pliant_body *rest = NULL;
    assert_ok(pliant_body_create(sphere, NULL, &rest));
    assert_ok(pliant_body_evaluate(rest, NULL, vertices, positions));
    for (uint32_t t = 0; t < triangles; t++) {
        assert_ok(pliant_shape_get_triangle(sphere, t, corners + 3 * t));
    }
    pliant_shape_def shape = pliant_shape_def_default();
    shape.positions = positions;
    shape.triangles = corners;
    shape.vertex_count = vertices;
    shape.triangle_count = triangles;
    shape.joint_count = joint_count;
    assert_ok(pliant_shape_create(s.context, &shape, &s.shape));
    pliant_body_destroy(rest);
    pliant_shape_destroy(sphere);
    free(corners);
    free(positions);
    def.update = update;
    def.eager_levels = 1; /* so that there is something to be lazy about */
    assert_ok(pliant_scene_create(s.context, NULL, &s.scene));
    assert_ok(pliant_query_create(s.context, &s.query));
    for (int i = 0; i < 3; i++) {
        assert_ok(pliant_body_create(s.shape, &def, &s.body[i]));
        place(s.body[i], i == 2 ? 90.0f : 1.1f * (float)i);
        pliant_member_def member = pliant_member_def_default();
        member.has_loose_box = i == 2;
        member.loose_box = (pliant_box){{80, -9, -9}, {99, 9, 9}};
        assert_ok(pliant_scene_add(s.scene, s.body[i], &member, &s.id[i]));
    }
    return s;
}

static stage set_stage(pliant_update update)
{
    return set_stage_of(1280, 1, update);
}

static void clear_stage(stage *s)
{
    for (int i = 0; i < 3; i++) {
        assert_ok(pliant_scene_remove(s->scene, s->id[i]));
        pliant_body_destroy(s->body[i]);
    }
    pliant_query_destroy(s->query);
    pliant_scene_destroy(s->scene);
    pliant_shape_destroy(s->shape);
    pliant_context_destroy(s->context);
}

/* ------------------------------------------------------------------- bodies */

static bool count_bounds(void *user, const pliant_bound *bound)
{
    uint64_t *count = user;
    count[bound->is_cluster]++;
    return true;
}

static void a_body_is_drawn_whole(void **state)
{
    (void)state;
    stage s = set_stage(PLIANT_UPDATE_AUTO);
    picture p = empty_picture();
    pliant_drawer drawer = drawer_of(&p);
    pliant_draw_options options = pliant_draw_options_default();
    options.bounds = options.refresh = true;
    p.body = s.body[0];
    assert_ok(pliant_draw_body(s.query, s.body[0], &options, &drawer));
    uint64_t bounds[2] = {0, 0};
    pliant_box box;
    assert_ok(pliant_visit_bounds(s.query, s.body[0], false, count_bounds, bounds));
    assert_ok(pliant_body_get_bounds(s.body[0], &box));
    assert_int_equal(p.count[PLIANT_DRAW_SURFACE], pliant_shape_get_triangle_count(s.shape));
    assert_int_equal(p.count[PLIANT_DRAW_NODE], bounds[0]);
    assert_int_equal(p.count[PLIANT_DRAW_CLUSTER], bounds[1]);
    assert_true(bounds[1] > 8 && !p.wrong);
    for (int k = 0; k < 3; k++) { /* the box may be larger than the triangles, by rounding */
        assert_true(box.lower[k] <= p.box.lower[k] && p.box.lower[k] < box.lower[k] + 0.01f);
        assert_true(box.upper[k] >= p.box.upper[k] && p.box.upper[k] > box.upper[k] - 0.01f);
    }
    assert_int_equal(p.refused, bounds[0] + bounds[1] + p.count[PLIANT_DRAW_SURFACE]);
    assert_ok(pliant_body_set_update(s.body[0], PLIANT_UPDATE_AUTO, 0, 1)); /* free again */
    clear_stage(&s);
}

static void levels_are_chosen(void **state)
{
    (void)state;
    stage s = set_stage(PLIANT_UPDATE_TOP_DOWN);
    picture p = empty_picture();
    pliant_drawer drawer = drawer_of(&p);
    pliant_draw_options options = pliant_draw_options_default();
    options.surface = false;
    options.bounds = true;
    assert_ok(pliant_draw_body(s.query, s.body[0], &options, &drawer));
    assert_int_equal(p.count[PLIANT_DRAW_NODE], 0); /* nothing has been refreshed */
    options.refresh = true;
    options.last_level = 0;
    assert_ok(pliant_draw_body(s.query, s.body[0], &options, &drawer));
    assert_int_equal(p.count[PLIANT_DRAW_NODE], 1);
    options.first_level = options.last_level = 1;
    p = empty_picture();
    assert_ok(pliant_draw_body(s.query, s.body[0], &options, &drawer));
    uint64_t drawn = p.count[PLIANT_DRAW_NODE] + p.count[PLIANT_DRAW_CLUSTER];
    assert_true(drawn > 1 && drawn <= 8);
    assert_int_equal(p.deepest, 1);
    drawer = (pliant_drawer){.user = &p}; /* nothing to draw with */
    assert_ok(pliant_draw_body(s.query, s.body[0], NULL, &drawer));
    clear_stage(&s);
}

/* ------------------------------------------------------------------- scenes */

static void a_scene_is_drawn_whole(void **state)
{
    (void)state;
    stage s = set_stage(PLIANT_UPDATE_AUTO);
    picture p = empty_picture();
    pliant_drawer drawer = drawer_of(&p);
    pliant_scene_contacts contacts;
    pliant_scene_options ask = pliant_scene_options_default();
    ask.segments = ask.separations = true;
    assert_ok(pliant_draw_scene(s.scene, NULL, &drawer));
    assert_int_equal(p.count[PLIANT_DRAW_BODY_BOX], 0); /* no box is known yet */
    assert_int_equal(p.count[PLIANT_DRAW_LOOSE_BOX], 1);
    assert_ok(pliant_scene_collide(s.scene, &ask, &contacts));
    assert_int_equal(contacts.body_pair_count, 1);
    const pliant_pair first = contacts.pairs[0];
    p = empty_picture();
    p.scene = s.scene;
    assert_ok(pliant_draw_scene(s.scene, NULL, &drawer));
    assert_int_equal(p.count[PLIANT_DRAW_BODY_BOX], 2); /* the third has not been read */
    assert_int_equal(p.count[PLIANT_DRAW_SURFACE], 3 * pliant_shape_get_triangle_count(s.shape));
    assert_int_equal(p.bodies, 7);
    assert_int_equal(p.refused, p.count[PLIANT_DRAW_BODY_BOX] + p.count[PLIANT_DRAW_LOOSE_BOX] +
                                    p.count[PLIANT_DRAW_SURFACE]);
    /* The answer is still there. */
    assert_true(contacts.pairs[0].a == first.a && contacts.pairs[0].b == first.b);
    p = empty_picture();
    assert_ok(pliant_draw_scene_contacts(s.scene, &contacts, NULL, &drawer));
    assert_int_equal(p.count[PLIANT_DRAW_PAIR], 1);
    assert_int_equal(p.count[PLIANT_DRAW_TOUCHING_TRIANGLE], 2 * contacts.count);
    assert_int_equal(p.count[PLIANT_DRAW_SEGMENT], contacts.count);
    assert_int_equal(p.count[PLIANT_DRAW_CONTACT], contacts.count);
    assert_int_equal(p.bodies, 3);
    assert_false(p.wrong);
    pliant_scene_pair stale = contacts.bodies[0];
    stale.b.generation++;
    contacts.bodies = &stale;
    assert_int_equal(pliant_draw_scene_contacts(s.scene, &contacts, NULL, &drawer),
                     PLIANT_ERROR_RANGE);
    clear_stage(&s);
}

static void contacts_are_drawn(void **state)
{
    (void)state;
    stage s = set_stage(PLIANT_UPDATE_AUTO);
    picture p = empty_picture();
    pliant_drawer drawer = drawer_of(&p);
    pliant_collide_options ask = pliant_collide_options_default();
    pliant_contacts contacts;
    ask.segments = ask.separations = true;
    assert_ok(pliant_collide(s.query, s.body[0], s.body[1], &ask, &contacts));
    assert_true(contacts.count > 10);
    assert_ok(pliant_draw_contacts(s.body[0], s.body[1], &contacts, NULL, &drawer));
    assert_int_equal(p.count[PLIANT_DRAW_TOUCHING_TRIANGLE], 2 * contacts.count);
    assert_int_equal(p.count[PLIANT_DRAW_SEGMENT], contacts.count);
    assert_int_equal(p.count[PLIANT_DRAW_CONTACT], contacts.count);
    assert_false(p.wrong);
    pliant_pair pair = {.a = UINT32_MAX, .b = 0};
    contacts = (pliant_contacts){.pairs = &pair, .count = 1};
    assert_int_equal(pliant_draw_contacts(s.body[0], s.body[1], &contacts, NULL, &drawer),
                     PLIANT_ERROR_RANGE);
    clear_stage(&s);
}

/* Counts of the questions of a few states, with and without somebody who draws in between. */
static uint64_t count_work(uint32_t joints, pliant_update update, bool draws, bool refreshes)
{
    stage s = set_stage_of(20480, joints, update);
    picture p = empty_picture();
    pliant_drawer drawer = drawer_of(&p);
    pliant_draw_options options = pliant_draw_options_default();
    pliant_scene_contacts contacts;
    uint64_t work = 0;
    options.surface = false;
    options.bounds = true;
    options.refresh = refreshes;
    pliant_box box;
    assert_ok(pliant_body_get_bounds(s.body[0], &box));
    float width = box.upper[0] - box.lower[0]; /* they hardly touch */
    for (int step = 0; step < 6; step++) {
        place(s.body[1], width * (0.99f - 0.001f * (float)step));
        if (draws && !refreshes) {
            assert_ok(pliant_draw_scene(s.scene, &options, &drawer));
        }
        assert_ok(pliant_scene_collide(s.scene, NULL, &contacts));
        const pliant_scene_stats *stats = pliant_scene_get_stats(s.scene);
        work = 31 * work + stats->narrow.nodes_refreshed;
        work = 31 * work + stats->narrow.clusters_refreshed + stats->narrow.nodes_tested;
        work = 31 * work + contacts.count;
        if (draws) { /* all of this state's bounds, which the next state drops */
            assert_ok(pliant_draw_scene(s.scene, &options, &drawer));
        }
        place(s.body[0], 0.01f * (float)step);
    }
    clear_stage(&s);
    return work;
}

static void drawing_changes_no_count(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * (PLIANT_UPDATE_FRONT + 1); i++) {
        uint32_t joints = (uint32_t)i % 2;
        pliant_update update = (pliant_update)(i / 2);
        uint64_t without = count_work(joints, update, false, false);
        assert_true(count_work(joints, update, true, false) == without);
        assert_true(count_work(joints, update, true, true) == without);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_is_drawn_whole),    cmocka_unit_test(levels_are_chosen),
        cmocka_unit_test(a_scene_is_drawn_whole),   cmocka_unit_test(contacts_are_drawn),
        cmocka_unit_test(drawing_changes_no_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
