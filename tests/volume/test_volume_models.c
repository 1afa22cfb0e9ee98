/* Volumes of bodies given by modes and transforms: the same as of their evaluated positions. */
#include "models.h"
#include "solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 250 };

/* Winding numbers of points about the body, against solid angles. Returns how many were inside. */
static uint32_t check_points(pliant_body *body, const gallery_mesh *mesh, rng *r)
{
    pliant_box box;
    assert_ok(pliant_body_get_bounds(body, &box));
    uint32_t count = fixture_count(POINTS), inside = 0;
    float(*points)[3] = calloc(count, sizeof *points);
    pliant_volume_point *answers = calloc(count, sizeof *answers);
    if (points == NULL || answers == NULL) {
        free(points);
        free(answers);
        fail_msg("no memory for %u points", count);
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            points[i][k] = (float)rng_range(r, (double)box.lower[k], (double)box.upper[k]);
        }
    }
    pliant_volume_sampling sampling;
    assert_ok(pliant_volume_locate_points(test_volume, body, points[0], count, 0, NULL, answers,
                                          &sampling));
    for (uint32_t i = 0; i < count; i++) {
        if (test_solid_distance(mesh, points[i]) > sampling.error) {
            assert_int_equal(answers[i].winding, test_solid_winding(mesh, points[i]));
            inside += answers[i].winding != 0;
        }
    }
    free(points);
    free(answers);
    return inside;
}

/* A body and its free twin: their ranges meet, and what they have in common is all of either. */
static void check_twin(pliant_body *body, pliant_body *twin)
{
    pliant_volume_measure own, other, both;
    pliant_volume_options options = pliant_volume_options_default();
    options.gradients = true;
    assert_ok(pliant_volume_measure_body(test_volume, body, &options, &own));
    assert_int_equal(own.open_rays, 0);
    assert_ok(pliant_volume_measure_body(test_volume, twin, &options, &other));
    assert_true(own.least <= other.most && other.least <= own.most);
    /* Grids differ, as bounds do; crumpled bodies are sampled roughly. */
    if (fabs(own.volume - other.volume) > 0.05 * other.volume + 0.3 * (own.error + other.error)) {
        fail_msg("volume %g +- %g, of the twin %g +- %g", own.volume, own.error, other.volume,
                 other.error);
    }
    assert_ok(pliant_volume_intersect(test_volume, body, twin, &options, &both));
    assert_true(both.least <= other.most && other.least <= both.most);
}

static void test_models(void **state)
{
    (void)state;
    uint32_t tried = 0, inside = 0;
    int every = fixture_scale() < 0.1 ? 3 : 1; /* sanitizers take their time */
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        for (int trait = 0; trait < MODEL_TRAITS; trait += every) {
            rng r;
            rng_seed(&r, 100 * (uint64_t)kind + (uint64_t)trait);
            model_case c =
                model_case_create((model_kind)kind, (model_trait)trait, 1.0, 0.0, 700, &r);
            pliant_shape *shape =
                model_case_shape(test_context, &c, PLIANT_BOUND_BOX, fixture_usual_tree);
            if (pliant_shape_is_closed(shape)) {
                float placed[12];
                model_random_transform(&r, 1.0, placed);
                model_case_place(&c, (kind + trait) % 2 == 0 ? placed : NULL);
                pliant_body *body;
                assert_ok(pliant_body_create(shape, NULL, &body));
                model_case_set(&c, body);
                gallery_mesh mesh;
                assert_true(mesh_allocate(c.mesh.vertex_count, c.mesh.triangle_count, &mesh));
                memcpy(mesh.triangles, c.mesh.triangles,
                       3 * (size_t)mesh.triangle_count * sizeof *mesh.triangles);
                assert_ok(pliant_body_evaluate(body, NULL, mesh.vertex_count, mesh.positions));
                inside += check_points(body, &mesh, &r);
                test_solid twin = test_solid_create(test_context, mesh);
                check_twin(body, twin.body);
                test_solid_destroy(&twin);
                pliant_body_destroy(body);
                tried++;
            }
            pliant_shape_destroy(shape);
            model_case_destroy(&c);
        }
    }
    assert_true(tried >= MODEL_KINDS);
    assert_true(inside > 0);
}

/* A body for the test below: blended, coherent, or rigid and given by positions. */
static pliant_body *create_for_history(const pliant_shape *shape, const model_case *c,
                                       pliant_update update)
{
    pliant_body_def def = pliant_body_def_default();
    pliant_body *body = NULL;
    def.update = update;
    def.coherent = true;
    assert_ok(pliant_body_create(shape, &def, &body));
    if (c->kind == MODEL_RIGID) {
        assert_ok(pliant_body_set_positions(body, c->mesh.positions, 0));
    }
    return body;
}

/* The case in some states, near each other, each of them asked about in full. */
static void live_through(pliant_body *body, model_case *c, pliant_query *query, rng *r)
{
    for (int step = 0; step < 4; step++) {
        pliant_contacts contacts;
        model_case_set(c, body);
        assert_ok(pliant_collide_self(query, body, NULL, &contacts));
        assert_ok(pliant_body_prepare(body));
        model_case_move(c, r, true);
    }
}

/* What was asked of a body before, in whatever state, changes neither its box nor what it holds. */
static void test_history(void **state)
{
    (void)state;
    uint32_t tried = 0;
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(test_context, &query));
    uint64_t times = fixture_scale() < 0.1 ? 1 : 4; /* sanitizers take their time */
    for (uint64_t seed = 0; seed < times * MODEL_KINDS * (PLIANT_UPDATE_FRONT + 1); seed++) {
        rng r;
        rng_seed(&r, 500 + seed);
        model_case c =
            model_case_create((model_kind)(seed % MODEL_KINDS), MODEL_SMOOTH, 1.0, 0.0, 700, &r);
        fixture_tree tree = {PLIANT_PARTITION_BALANCED, 2, 4};
        pliant_shape *shape =
            model_case_shape(test_context, &c, (pliant_bound_kind)(seed % 4), tree);
        pliant_update update = (pliant_update)(seed / MODEL_KINDS % (PLIANT_UPDATE_FRONT + 1));
        pliant_body *bodies[2];
        for (int i = 0; i < 2; i++) {
            bodies[i] = create_for_history(shape, &c, update);
        }
        live_through(bodies[1], &c, query, &r);
        pliant_volume_measure measures[2];
        pliant_box boxes[2];
        for (int i = 0; i < 2 && pliant_shape_is_closed(shape); i++) {
            model_case_set(&c, bodies[i]);
            assert_ok(pliant_volume_measure_body(test_volume, bodies[i], NULL, &measures[i]));
            assert_ok(pliant_body_get_bounds(bodies[i], &boxes[i]));
            assert_true(measures[i].volume == measures[0].volume);
            assert_true(measures[i].error == measures[0].error);
            assert_memory_equal(&boxes[i], &boxes[0], sizeof *boxes);
            tried++;
        }
        pliant_body_destroy(bodies[0]);
        pliant_body_destroy(bodies[1]);
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
    pliant_query_destroy(query);
    assert_true(tried > 0);
}

/* How a body is moved as a whole. */
typedef enum moved_by { MOVED_BY_JOINT, MOVED_BY_WORLD, MOVED_BY_BOTH, MOVED_WAYS } moved_by;

/* Moves a body by a transform, of its joint or its world's; of both, the world's goes further. */
static void move_whole(pliant_body *body, moved_by how, float transform[12])
{
    const float further[12] = {1, 0, 0, 2, 0, 1, 0, -1, 0, 0, 1, 0.5f};
    if (how == MOVED_BY_WORLD) {
        assert_ok(pliant_body_set_world(body, transform));
        return;
    }
    assert_ok(pliant_body_set_transforms(body, transform, 1, 0));
    for (int k = 3; k < 12 && how == MOVED_BY_BOTH; k += 4) {
        assert_ok(pliant_body_set_world(body, further));
        transform[k] += further[k];
    }
}

/* A rigid body's points need one image, however it moves; mirrored bodies wind the other way. */
static void check_rigid(moved_by how)
{
    rng r;
    rng_seed(&r, 80);
    test_place place = place_at(0.5, 0, 0);
    gallery_mesh rest = test_solid_torus(16, 32, 0.4, &place);
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = rest.positions;
    def.vertex_count = rest.vertex_count;
    def.triangles = rest.triangles;
    def.triangle_count = rest.triangle_count;
    def.joint_count = how == MOVED_BY_WORLD ? 0 : 1;
    pliant_shape *shape;
    pliant_body *body;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    gallery_mesh world;
    assert_true(mesh_allocate(rest.vertex_count, rest.triangle_count, &world));
    memcpy(world.triangles, rest.triangles, 3 * (size_t)rest.triangle_count * sizeof(uint32_t));
    uint32_t inside = 0;
    for (uint32_t i = 0; i < 6; i++) {
        test_place where = place_random(&r, 3.0);
        float transform[12];
        for (int k = 0; k < 12; k++) {
            double scale = i == 4 ? 2.0 : 1.0;
            transform[k] = (float)(k % 4 == 3 ? where.translation[k / 4]
                                              : scale * where.rotation[k / 4][k % 4]);
            transform[k] = i == 5 && k / 4 == 1 ? -transform[k] : transform[k];
        }
        move_whole(body, how, transform);
        assert_ok(pliant_body_evaluate(body, NULL, world.vertex_count, world.positions));
        float points[2][3];
        for (int k = 0; k < 3; k++) { /* one on the tube's middle, one in the hole */
            points[0][k] = (float)((double)transform[4 * k] * 1.5 + (double)transform[4 * k + 3]);
            points[1][k] = (float)((double)transform[4 * k] * 0.5 + (double)transform[4 * k + 3]);
        }
        pliant_volume_point answers[2];
        pliant_volume_sampling sampling;
        assert_ok(pliant_volume_locate_points(test_volume, body, points[0], 2, 0, NULL, answers,
                                              &sampling));
        assert_int_equal(answers[0].winding, i == 5 ? -1 : 1);
        assert_int_equal(answers[1].winding, 0);
        assert_true(sampling.own_frame == (how != MOVED_BY_BOTH));
        bool made = i == 0 || how == MOVED_BY_BOTH;
        assert_int_equal(pliant_volume_get_stats(test_volume)->images, made ? 1 : 0);
        float end[3];
        for (int k = 0; k < 3; k++) {
            end[k] = points[0][k] + answers[0].depth * sampling.direction[k];
        }
        assert_true(test_solid_distance(&world, end) <= sampling.error + 1e-4);
        inside += check_points(body, &world, &r);
    }
    assert_true(inside > 0);
    mesh_free(&world);
    mesh_free(&rest);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
}

static void test_rigid(void **state)
{
    (void)state;
    for (int how = 0; how < MOVED_WAYS; how++) {
        check_rigid((moved_by)how);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_rigid),
                                       cmocka_unit_test(test_history)};
    return cmocka_run_group_tests(tests, test_volume_set_up, test_volume_tear_down);
}
