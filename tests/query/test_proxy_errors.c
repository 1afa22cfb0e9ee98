/*
 * Proxies of meshes that are known up to an error: two cubes, face to face, that touch only if both
 * errors count. Every kind of bound, every role, every direction; alone and in a scene.
 */
#include "fixture.h"

#include "pliant/pliant.h"

/* How a cube is given, and with which bounds. */
typedef enum cube_kind { CUBE_FREE, CUBE_BOX, CUBE_SPHERE, CUBE_KINDS } cube_kind;

static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

typedef struct cube {
    cube_kind kind;
    pliant_shape *shape;
    pliant_body *body;
} cube;

/* Corner i / 3 of the unit cube, coordinate i % 3. */
static float corner(int i)
{
    return (float)(i / 3 >> i % 3 & 1);
}

static cube cube_create(pliant_context *context, cube_kind kind)
{
    cube c = {.kind = kind};
    float corners[24];
    for (int i = 0; i < 24; i++) {
        corners[i] = corner(i);
    }
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corners;
    def.vertex_count = 8;
    def.triangles = faces;
    def.triangle_count = 12;
    def.joint_count = kind == CUBE_FREE ? 0 : 1;
    def.bound = kind == CUBE_SPHERE ? PLIANT_BOUND_SPHERE : PLIANT_BOUND_BOX;
    def.error = 0.01f;
    def.proxy_triangles = 12;
    assert_ok(pliant_shape_create(context, &def, &c.shape));
    assert_ok(pliant_body_create(c.shape, NULL, &c.body));
    return c;
}

static void cube_destroy(cube *c)
{
    pliant_body_destroy(c->body);
    pliant_shape_destroy(c->shape);
}

static void cube_move(const cube *c, int axis, float way)
{
    float moved[24], rows[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    rows[4 * axis + 3] = way;
    for (int i = 0; i < 24; i++) {
        moved[i] = corner(i) + rows[4 * (i % 3) + 3];
    }
    if (c->kind == CUBE_FREE) {
        assert_ok(pliant_body_set_positions(c->body, moved, 0));
    } else {
        assert_ok(pliant_body_set_transforms(c->body, rows, 1, 0));
    }
}

/* Contacts there must be, and each has its normal from the second cube to the first. */
static void check_contacts(const pliant_proxy_contact *contacts, uint64_t count, int axis,
                           float way)
{
    assert_true(count > 0);
    for (uint64_t i = 0; i < count; i++) {
        assert_true(contacts[i].normal[axis] * way < 0.0f);
        assert_true(contacts[i].depth >= 0.0f);
    }
}

static void ask_scene(pliant_scene *scene, const pliant_body_id id[2], const bool proxies[2],
                      int axis, float way)
{
    pliant_scene_proxy_contacts contacts;
    for (int i = 0; i < 2; i++) {
        pliant_member_def member = pliant_member_def_default();
        member.proxies = proxies[i];
        assert_ok(pliant_scene_set_member(scene, id[i], &member));
    }
    assert_ok(pliant_scene_collide_proxies(scene, NULL, &contacts));
    check_contacts(contacts.contacts, contacts.count, axis, way);
}

static void two_cubes(pliant_context *context, cube_kind first, cube_kind second)
{
    pliant_query *query = NULL;
    pliant_scene *scene = NULL;
    pliant_body_id id[2];
    cube c[2] = {cube_create(context, first), cube_create(context, second)};
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_scene_create(context, NULL, &scene));
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_scene_add(scene, c[i].body, NULL, &id[i]));
    }
    for (int n = 0; n < 24; n++) {
        const bool proxies[2] = {n % 2 == 0, n / 2 % 2 == 0};
        int axis = n / 8;
        float way = n / 4 % 2 == 0 ? 1.015f : -1.015f;
        pliant_proxy_options options = pliant_proxy_options_default();
        pliant_proxy_contacts contacts;
        options.proxies_a = proxies[0];
        options.proxies_b = proxies[1];
        cube_move(&c[0], axis, 0.0f);
        cube_move(&c[1], axis, way);
        assert_ok(pliant_collide_proxies(query, c[0].body, c[1].body, &options, &contacts));
        check_contacts(contacts.contacts, contacts.count, axis, way);
        ask_scene(scene, id, proxies, axis, way);
        pliant_scene_proximities near;
        assert_ok(pliant_scene_find_within(scene, 0.0f, NULL, &near));
        assert_true(near.count > 0);
        /* Beyond both errors there is nothing, as triangles. */
        options.proxies_a = options.proxies_b = false;
        cube_move(&c[1], axis, way > 0.0f ? 1.03f : -1.03f);
        assert_ok(pliant_collide_proxies(query, c[0].body, c[1].body, &options, &contacts));
        assert_int_equal(contacts.count, 0);
        assert_ok(pliant_scene_find_within(scene, 0.0f, NULL, &near));
        assert_int_equal(near.count, 0);
    }
    pliant_scene_destroy(scene);
    pliant_query_destroy(query);
    cube_destroy(&c[0]);
    cube_destroy(&c[1]);
}

static void errors_of_both_count(void **state)
{
    (void)state;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    for (int i = 0; i < CUBE_KINDS * CUBE_KINDS; i++) {
        two_cubes(context, i / CUBE_KINDS, i % CUBE_KINDS);
    }
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_of_both_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
