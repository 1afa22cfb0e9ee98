/*
 * Images that a volume keeps for a body in its own frame, whatever its transform: they are named by
 * the body's shape, and a torn shape is another one.
 */
#include "fixture.h"

#include <string.h>

enum { PIECES = 4 };

/* Tetrahedra in a row, of which each is closed. */
static pliant_shape *make_tetrahedra(void)
{
    static const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    float positions[12 * PIECES];
    uint32_t triangles[12 * PIECES];
    for (uint32_t i = 0; i < 12 * PIECES; i++) {
        positions[i] = corners[i % 12] + (i % 3 == 0 ? 2.0f * (float)(i / 12) : 0.0f);
        triangles[i] = faces[i % 12] + 4 * (i / 12);
    }
    pliant_shape_def def = pliant_shape_def_default();
    pliant_shape *shape = NULL;
    def.positions = positions;
    def.vertex_count = 4 * PIECES;
    def.triangles = triangles;
    def.triangle_count = 4 * PIECES;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    return shape;
}

/* A point in each tetrahedron: inside of those that are left, from number `removed` on. */
static void assert_left(pliant_volume *volume, pliant_body *body, uint32_t removed, bool made)
{
    const float shift = 10.0f;
    const float world[12] = {1, 0, 0, shift, 0, 1, 0, 0, 0, 0, 1, 0};
    float points[3 * PIECES];
    pliant_volume_point answers[PIECES];
    pliant_volume_sampling sampling;
    for (uint32_t i = 0; i < PIECES; i++) {
        points[3 * i] = shift + 2.0f * (float)i + 0.2f;
        points[3 * i + 1] = points[3 * i + 2] = 0.25f;
    }
    assert_ok(pliant_body_set_world(body, world));
    assert_ok(
        pliant_volume_locate_points(volume, body, points, PIECES, 0, NULL, answers, &sampling));
    assert_true(sampling.own_frame);
    assert_int_equal(pliant_volume_get_stats(volume)->images, made ? 1 : 0);
    for (uint32_t i = 0; i < PIECES; i++) {
        assert_int_equal(answers[i].winding, i >= removed ? 1 : 0);
    }
}

static void torn_shapes_have_images_of_their_own(void **state)
{
    (void)state;
    pliant_shape *shape = make_tetrahedra();
    pliant_body *torn = NULL, *whole = NULL;
    pliant_volume *volume = NULL;
    assert_ok(pliant_body_create(shape, NULL, &torn));
    assert_ok(pliant_body_create(shape, NULL, &whole));
    assert_ok(pliant_volume_create(test_context, NULL, &volume));
    assert_left(volume, torn, 0, true);
    assert_left(volume, whole, 0, false);
    for (uint32_t piece = 0; piece + 1 < PIECES; piece++) {
        const uint32_t removed[4] = {4 * piece, 4 * piece + 1, 4 * piece + 2, 4 * piece + 3};
        const pliant_tear tear = {.removed = removed, .removed_count = 4};
        assert_ok(pliant_body_tear(torn, &tear));
        assert_left(volume, torn, piece + 1, true);
        assert_left(volume, torn, piece + 1, false);
        assert_left(volume, whole, 0, false);
    }
    pliant_volume_destroy(volume);
    pliant_body_destroy(torn);
    pliant_body_destroy(whole);
    pliant_shape_destroy(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(torn_shapes_have_images_of_their_own)};
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
