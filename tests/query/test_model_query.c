/* Bodies with models: broad contact by fronts, lists of vertices, and boxes that just touch. */
#include "models.h"

#include <stdlib.h>
#include <string.h>

/* A body with a model and a free body with the same vertices. */
typedef struct twins {
    model_case c;
    pliant_shape *shape, *free_shape;
    pliant_body *body, *free_body;
} twins;

static twins twins_create(pliant_context *context, rng *r, uint32_t triangles)
{
    twins t;
    t.c = model_case_create(rng_below(r, MODEL_KINDS), rng_below(r, MODEL_TRAITS), 1.0, 0.0,
                            triangles, r);
    t.shape =
        model_case_shape(context, &t.c, rng_below(r, PLIANT_BOUND_AFFINE + 1), fixture_usual_tree);
    t.free_shape = fixture_shape(context, &t.c.mesh, fixture_usual_tree);
    pliant_body_def def = pliant_body_def_default();
    def.update = (pliant_update)rng_below(r, PLIANT_UPDATE_FRONT + 1);
    def.coherent = rng_below(r, 2) != 0;
    assert_ok(pliant_body_create(t.shape, &def, &t.body));
    assert_ok(pliant_body_create(t.free_shape, NULL, &t.free_body));
    if (rng_below(r, 2) == 0) {
        model_case_place_somewhere(&t.c, r);
    }
    return t;
}

static void twins_move(twins *t, rng *r, bool coherent)
{
    model_case_move(&t->c, r, coherent);
    model_case_set(&t->c, t->body);
    assert_ok(pliant_body_set_positions(t->free_body, t->c.positions, 0));
}

static void twins_destroy(twins *t)
{
    pliant_body_destroy(t->body);
    pliant_body_destroy(t->free_body);
    pliant_shape_destroy(t->shape);
    pliant_shape_destroy(t->free_shape);
    model_case_destroy(&t->c);
}

enum { CROWD = 12 };

/* Two bodies of one shape, worn on top of each other, with an update strategy. */
typedef struct worn {
    pliant_body *under, *over;
    uint64_t tested;
} worn;

static worn worn_create(const pliant_shape *shape, pliant_update update)
{
    worn w = {0};
    pliant_body_def def = pliant_body_def_default();
    def.update = update;
    assert_ok(pliant_body_create(shape, &def, &w.under));
    assert_ok(pliant_body_create(shape, &def, &w.over));
    return w;
}

/* Where contact is broad, the front takes clusters in: fewer nodes are compared, and the answers
   stay. */
static void broad_contact_is_followed(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 11);
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    model_case c = model_case_create(MODEL_BLENDED, MODEL_SMOOTH, 1.0, 0.0, 3000, &r);
    pliant_shape *shape = model_case_shape(context, &c, PLIANT_BOUND_BOX, fixture_usual_tree);
    worn all[2] = {worn_create(shape, PLIANT_UPDATE_TOP_DOWN),
                   worn_create(shape, PLIANT_UPDATE_FRONT)};
    for (int step = 0; step < 6; step++) {
        pliant_pair *expected = NULL;
        uint64_t count = 0;
        for (int i = 0; i < 2; i++) {
            model_case_set(&c, all[i].under);
        }
        model_case_move(&c, &r, true);
        for (int i = 0; i < 2; i++) {
            pliant_contacts contacts;
            model_case_set(&c, all[i].over);
            assert_ok(pliant_collide(query, all[i].under, all[i].over, NULL, &contacts));
            all[i].tested += pliant_query_get_stats(query)->nodes_tested;
            if (i == 0) {
                count = contacts.count;
                expected = malloc((count + 1) * sizeof *expected);
                assert_non_null(expected);
                assert_true(count > 100);
                memcpy(expected, contacts.pairs, count * sizeof *expected);
            } else {
                assert_int_equal(contacts.count, count);
                assert_memory_equal(contacts.pairs, expected, count * sizeof *expected);
            }
        }
        free(expected);
    }
    assert_true(all[1].tested < all[0].tested);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(all[i].under);
        pliant_body_destroy(all[i].over);
    }
    pliant_shape_destroy(shape);
    model_case_destroy(&c);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

/* Vertices in any order are those in the usual one. */
static void lists_of_vertices_agree(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 12);
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    for (uint32_t round = 0; round < fixture_count(40); round++) {
        twins t = twins_create(context, &r, 1500);
        twins_move(&t, &r, false);
        uint32_t vertices = t.c.mesh.vertex_count;
        float *usual = calloc(vertices, 3 * sizeof *usual);
        assert_non_null(usual);
        assert_ok(pliant_body_evaluate(t.body, NULL, vertices, usual));
        assert_memory_equal(usual, t.c.positions, 3 * (size_t)vertices * sizeof *usual);
        uint32_t list[64];
        float found[3 * 64];
        for (uint32_t i = 0; i < 64; i++) {
            list[i] = (uint32_t)rng_below(&r, vertices);
        }
        list[0] = vertices - 1;
        list[1] = 0;
        assert_ok(pliant_body_evaluate(t.body, list, 64, found));
        for (uint32_t i = 0; i < 64; i++) {
            assert_memory_equal(found + 3 * (size_t)i, usual + 3 * (size_t)list[i],
                                3 * sizeof *found);
        }
        free(usual);
        twins_destroy(&t);
    }
    pliant_context_destroy(context);
}

/* Cubes moved by whole numbers, face to face: boxes of evaluated vertices touch and no more. */
static void faces_that_touch_are_found(void **state)
{
    (void)state;
    float corners[24];
    static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 24; i++) {
        corners[i] = (float)(i / 3 >> i % 3 & 1);
    }
    pliant_context *context = NULL;
    pliant_query *query = NULL;
    pliant_shape *shape = NULL;
    pliant_body *body[2] = {NULL, NULL};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corners;
    def.vertex_count = 8;
    def.triangles = faces;
    def.triangle_count = 12;
    def.joint_count = 1;
    assert_ok(pliant_context_create(NULL, &context));
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body[0]));
    assert_ok(pliant_body_create(shape, NULL, &body[1]));
    for (int way = 0; way < 6; way++) {
        float rows[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, moved[24];
        rows[4 * (way / 2) + 3] = way % 2 == 0 ? 1.0f : -1.0f;
        assert_ok(pliant_body_set_transforms(body[1], rows, 1, 0));
        for (int i = 0; i < 24; i++) {
            moved[i] = corners[i] + rows[4 * (i % 3) + 3];
        }
        brute_body truth[2] = {{corners, faces, 8, 12}, {moved, faces, 8, 12}};
        brute_pairs expected = {0};
        pliant_contacts contacts;
        brute_collide(&truth[0], &truth[1], &expected);
        assert_true(expected.count > 0);
        assert_ok(pliant_collide(query, body[0], body[1], NULL, &contacts));
        assert_true(brute_equal(&expected, &contacts, "face to face"));
        brute_free(&expected);
    }
    pliant_body_destroy(body[0]);
    pliant_body_destroy(body[1]);
    pliant_shape_destroy(shape);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broad_contact_is_followed),
        cmocka_unit_test(lists_of_vertices_agree),
        cmocka_unit_test(faces_that_touch_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
