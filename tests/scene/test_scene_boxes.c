/*
 * The boxes that a scene's broad phase has, and states as they are read from one body and given to
 * another: what libraries beside the core know of bodies.
 */
#include "models.h"

#include <stdlib.h>
#include <string.h>

enum { FREE = MODEL_KINDS, BODIES };

typedef struct cast {
    pliant_context *context;
    pliant_scene *scene;
    model_case c[BODIES];
    pliant_shape *shape[BODIES];
    pliant_body *body[BODIES];
    pliant_body_id id[BODIES];
} cast;

static void cast_create(cast *w, uint32_t workers, float error)
{
    rng r;
    rng_seed(&r, 3);
    w->context = fixture_context_with(PLIANT_ISA_BEST, workers);
    assert_ok(pliant_scene_create(w->context, NULL, &w->scene));
    for (int i = 0; i < BODIES; i++) {
        w->c[i] = model_case_create(i < FREE ? (model_kind)i : MODEL_RIGID, MODEL_SMOOTH, 1.0, 0.0,
                                    120, &r);
        w->c[i].error = error;
        w->shape[i] =
            i < FREE ? model_case_shape(w->context, &w->c[i], PLIANT_BOUND_AUTO, fixture_usual_tree)
                     : fixture_shape(w->context, &w->c[i].mesh, fixture_usual_tree);
        assert_ok(pliant_body_create(w->shape[i], NULL, &w->body[i]));
        assert_ok(pliant_scene_add(w->scene, w->body[i], NULL, &w->id[i]));
    }
}

static void cast_destroy(cast *w)
{
    pliant_scene_destroy(w->scene);
    for (int i = 0; i < BODIES; i++) {
        pliant_body_destroy(w->body[i]);
        pliant_shape_destroy(w->shape[i]);
        model_case_destroy(&w->c[i]);
    }
    pliant_context_destroy(w->context);
}

/* Boxes are those of the bodies, grown by their errors, or the loose ones; in any order. */
static void boxes_of_bodies(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 3; workers += 2) {
        for (int with_error = 0; with_error < 2; with_error++) {
            cast w;
            cast_create(&w, workers, with_error ? 0.25f : 0.0f);
            pliant_member_def loose = pliant_member_def_default();
            loose.has_loose_box = true;
            loose.loose_box = (pliant_box){{-90, -91, -92}, {93, 94, 95}};
            assert_ok(pliant_scene_set_member(w.scene, w.id[1], &loose));
            pliant_box known; /* though it need not be */
            assert_ok(pliant_body_get_bounds(w.body[1], &known));
            pliant_body_id asked[BODIES + 1];
            pliant_box boxes[BODIES + 1];
            for (int i = 0; i <= BODIES; i++) {
                asked[i] = w.id[(BODIES - i) % BODIES];
            }
            assert_ok(pliant_scene_get_boxes(w.scene, asked, BODIES + 1, boxes));
            for (int i = 0; i <= BODIES; i++) {
                int body = (BODIES - i) % BODIES;
                pliant_box own;
                assert_ok(pliant_body_get_bounds(w.body[body], &own));
                bool grown = with_error && body < FREE && body != 1;
                for (int k = 0; k < 3; k++) {
                    if (body == 1) {
                        own = loose.loose_box;
                    }
                    assert_true(grown ? boxes[i].lower[k] <= own.lower[k] - 0.2f
                                      : boxes[i].lower[k] == own.lower[k]);
                    assert_true(grown ? boxes[i].upper[k] >= own.upper[k] + 0.2f
                                      : boxes[i].upper[k] == own.upper[k]);
                }
            }
            cast_destroy(&w);
        }
    }
}

/* A question after it finds the bounds that it made, and has the same answer. */
static void asked_before_a_question(void **state)
{
    (void)state;
    cast w, plain;
    cast_create(&w, 2, 0.0f);
    cast_create(&plain, 1, 0.0f);
    pliant_box boxes[BODIES];
    pliant_scene_contacts first, second;
    assert_ok(pliant_scene_get_boxes(w.scene, w.id, BODIES, boxes));
    assert_int_equal(pliant_scene_get_stats(w.scene)->bodies_updated, BODIES);
    assert_ok(pliant_scene_collide(w.scene, NULL, &first));
    assert_int_equal(pliant_scene_get_stats(w.scene)->bodies_updated, 0);
    assert_ok(pliant_scene_collide(plain.scene, NULL, &second));
    assert_true(first.count > 0 && first.count == second.count);
    assert_memory_equal(first.pairs, second.pairs, (size_t)first.count * sizeof *first.pairs);
    assert_ok(pliant_scene_get_boxes(w.scene, NULL, 0, NULL));
    w.id[0].generation++;
    memset(boxes, 7, sizeof boxes);
    assert_int_equal(pliant_scene_get_boxes(w.scene, w.id, BODIES, boxes), PLIANT_ERROR_RANGE);
    w.id[0].generation--;
    const pliant_box untouched[1] = {{{boxes[1].lower[0], boxes[1].lower[0], boxes[1].lower[0]},
                                      {boxes[1].lower[0], boxes[1].lower[0], boxes[1].lower[0]}}};
    assert_memory_equal(&boxes[0], untouched, sizeof untouched);
    cast_destroy(&plain);
    cast_destroy(&w);
}

/* What one body is given, read from it, puts another into the same place to the bit. */
static void states_of_bodies(void **state)
{
    (void)state;
    cast w;
    rng r;
    rng_seed(&r, 8);
    cast_create(&w, 1, 0.0f);
    for (int i = 0; i < BODIES; i++) {
        model_case *c = &w.c[i];
        pliant_state read;
        pliant_body *twin = NULL;
        uint32_t count = c->mesh.vertex_count;
        float *both[2] = {calloc(count, 12), calloc(count, 12)};
        assert_ok(pliant_body_get_state(w.body[i], &read)); /* at rest */
        assert_true(read.positions == NULL && read.world == NULL);
        assert_true((read.coordinates != NULL) == (c->model.mode_count > 0 && i < FREE));
        if (i < FREE) {
            model_case_set(c, w.body[i]);
        } else {
            assert_ok(pliant_body_share_positions(w.body[i], c->positions, 0));
            assert_ok(pliant_body_get_state(w.body[i], &read));
            assert_true(read.positions == c->positions && read.shares_positions);
            assert_ok(pliant_body_set_positions(w.body[i], c->positions, 0));
            assert_ok(pliant_body_share_positions(w.body[i], c->positions, 0));
            assert_ok(pliant_body_get_state(w.body[i], &read)); /* in spite of the copy */
            assert_true(read.positions == c->positions && read.shares_positions);
            assert_ok(pliant_body_set_positions(w.body[i], c->positions, 0));
        }
        float world[12];
        model_random_transform(&r, 0.4, world);
        assert_ok(pliant_body_set_world(w.body[i], world));
        assert_ok(pliant_body_get_state(w.body[i], &read));
        assert_true(read.world != NULL && !read.shares_positions);
        assert_memory_equal(read.world, world, sizeof world);
        assert_ok(pliant_body_create(w.shape[i], NULL, &twin));
        assert_ok(pliant_body_set_state(twin, &read));
        assert_ok(pliant_body_evaluate(w.body[i], NULL, count, both[0]));
        assert_ok(pliant_body_evaluate(twin, NULL, count, both[1]));
        assert_memory_equal(both[0], both[1], (size_t)count * 12);
        pliant_body_destroy(twin);
        free(both[0]);
        free(both[1]);
    }
    cast_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_of_bodies),
        cmocka_unit_test(asked_before_a_question),
        cmocka_unit_test(states_of_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
