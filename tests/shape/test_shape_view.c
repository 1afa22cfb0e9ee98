/*
 * What a shape shows of itself (pliant/view.h): every triangle is in one cluster, with its own
 * vertices; fields and weights evaluate, by definition D1, to what bodies of the shape have.
 */
#include "models.h"
#include "pliant/view.h"

#include <stdlib.h>
#include <string.h>

/* One vertex of a cluster by D1, from what the view shows. */
static void evaluate(const pliant_shape_view *view, const pliant_shape_cluster *c,
                     const model_case *state, uint32_t i, float point[3])
{
    float y[3];
    for (size_t k = 0; k < 3; k++) {
        y[k] = c->rest != NULL ? c->rest[k * c->stride + i]
                               : view->positions[3 * (size_t)c->vertices[i] + k];
        for (size_t m = 0; m < c->mode_count; m++) {
            y[k] += state->coordinates[c->modes[m]] * c->fields[(3 * m + k) * c->stride + i];
        }
    }
    memcpy(point, y, sizeof y);
    if (view->joint_count > 0 && !view->has_influences) {
        model_move_points(state->transforms, y, 1, point);
    }
    if (view->has_influences) {
        memset(point, 0, 3 * sizeof *point);
        for (size_t j = 0; j < c->joint_count; j++) {
            float moved[3];
            model_move_points(state->transforms + 12 * (size_t)c->joints[j], y, 1, moved);
            for (int k = 0; k < 3; k++) {
                point[k] += c->weights[j * c->stride + i] * moved[k];
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        point[k] += 0.0f;
    }
}

static void check_cluster(const pliant_shape_view *view, const pliant_shape_cluster *c,
                          uint8_t *seen)
{
    assert_true(c->vertex_count >= 1 && c->vertex_count <= 192 && c->slot_count <= 64);
    assert_true(c->stride >= c->vertex_count && c->stride % 16 == 0);
    for (uint32_t slot = 0; slot < c->slot_count; slot++) {
        if ((c->live >> slot & 1) == 0) {
            continue;
        }
        uint32_t triangle = c->triangles[slot];
        assert_true(triangle < view->triangle_count);
        assert_int_equal(seen[triangle]++, 0);
        for (size_t k = 0; k < 3; k++) {
            uint32_t place = c->corners[k * c->slot_count + slot];
            assert_true(place < c->vertex_count);
            assert_int_equal(c->vertices[place], view->triangles[3 * (size_t)triangle + k]);
        }
    }
}

static void test_views(void **state)
{
    (void)state;
    for (uint32_t run = 0; run < 3 * MODEL_KINDS; run++) {
        rng r;
        rng_seed(&r, run);
        model_case c = model_case_create((model_kind)(run % MODEL_KINDS),
                                         (model_trait)(run % MODEL_TRAITS), 1.0, 1.0, 260, &r);
        pliant_shape *shape =
            model_case_shape(test_context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
        pliant_body *body = NULL;
        pliant_shape_view view;
        assert_ok(pliant_body_create(shape, NULL, &body));
        model_case_set(&c, body);
        assert_ok(pliant_shape_get_view(shape, &view));
        assert_int_equal(view.vertex_count, c.mesh.vertex_count);
        assert_int_equal(view.mode_count, c.model.mode_count);
        assert_int_equal(view.joint_count, c.model.joint_count);
        uint8_t *seen = calloc(view.triangle_count, 1);
        for (uint32_t i = 0; i < view.cluster_count; i++) {
            pliant_shape_cluster cluster;
            assert_ok(pliant_shape_get_cluster(shape, i, &cluster));
            check_cluster(&view, &cluster, seen);
            for (uint32_t v = 0; v < cluster.vertex_count; v++) {
                float got[3], want[3];
                evaluate(&view, &cluster, &c, v, got);
                assert_ok(pliant_body_evaluate(body, &cluster.vertices[v], 1, want));
                assert_memory_equal(got, want, sizeof want);
            }
        }
        for (uint32_t t = 0; t < view.triangle_count; t++) {
            assert_int_equal(seen[t], 1);
        }
        pliant_shape_cluster none;
        assert_int_equal(pliant_shape_get_cluster(shape, view.cluster_count, &none),
                         PLIANT_ERROR_RANGE);
        free(seen);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
}

/* The shape of a torn body changes with it, and shows nothing. */
static void test_torn_shape(void **state)
{
    (void)state;
    pliant_shape *shape = fixture_sphere(test_context, 200, fixture_usual_tree);
    pliant_body *body = NULL;
    const uint32_t removed = 7;
    pliant_shape_view view;
    pliant_shape_cluster cluster;
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_ok(pliant_body_tear(body, &(pliant_tear){.removed = &removed, .removed_count = 1}));
    assert_int_equal(pliant_shape_get_view(pliant_body_get_shape(body), &view), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_shape_get_cluster(pliant_body_get_shape(body), 0, &cluster),
                     PLIANT_ERROR_STATE);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_torn_shape),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
