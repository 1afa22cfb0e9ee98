/*
 * Scenes so large that lists of pairs and results are made by all workers: whoever makes them, they
 * are the same. One worker makes them alone; its answers are compared with brute force elsewhere.
 */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { BODIES = 150 };

typedef struct heap {
    pliant_context *context;
    pliant_scene *scene;
    pliant_shape *shape;
    pliant_body *body[BODIES];
} heap;

/* Small spheres, nearly all of which touch each other; some are compared with themselves, some not
   with everybody. */
static heap heap_create(uint32_t workers, const gallery_mesh *mesh)
{
    heap h = {.context = fixture_context_with(PLIANT_ISA_BEST, workers)};
    h.shape = fixture_shape(h.context, mesh, fixture_usual_tree);
    assert_ok(pliant_scene_create(h.context, NULL, &h.scene));
    for (uint32_t i = 0; i < BODIES; i++) {
        pliant_member_def member = pliant_member_def_default();
        pliant_body_id id;
        member.self = i % 7 < 3;
        member.category = (uint64_t)1 << i % 5;
        member.mask = i % 3 == 0 ? UINT64_MAX ^ (uint64_t)1 << i % 4 : UINT64_MAX;
        assert_ok(pliant_body_create(h.shape, NULL, &h.body[i]));
        assert_ok(pliant_scene_add(h.scene, h.body[i], &member, &id));
    }
    return h;
}

static void heap_destroy(heap *h)
{
    pliant_scene_destroy(h->scene);
    for (uint32_t i = 0; i < BODIES; i++) {
        pliant_body_destroy(h->body[i]);
    }
    pliant_shape_destroy(h->shape);
    pliant_context_destroy(h->context);
}

/* Bodies at random places, crumpled, so that they touch themselves too. */
static void heap_move(const heap *h, const gallery_mesh *mesh, uint64_t seed)
{
    rng r;
    rng_seed(&r, seed);
    float *positions = malloc(3 * (size_t)mesh->vertex_count * sizeof *positions);
    for (uint32_t i = 0; i < BODIES; i++) {
        float centre[3];
        for (int k = 0; k < 3; k++) {
            centre[k] = (float)rng_range(&r, -0.5, 0.5);
        }
        for (uint32_t v = 0; v < 3 * mesh->vertex_count; v++) {
            positions[v] = mesh->positions[v] + centre[v % 3] + (float)rng_range(&r, -0.1, 0.1);
        }
        assert_ok(pliant_body_set_positions(h->body[i], positions, 0));
    }
    free(positions);
}

static void assert_same(const pliant_scene_contacts *a, const pliant_scene_contacts *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->body_pair_count, b->body_pair_count);
    for (uint32_t i = 0; i < a->body_pair_count; i++) {
        const pliant_scene_pair *p = &a->bodies[i], *q = &b->bodies[i];
        assert_int_equal(p->a.index, q->a.index);
        assert_int_equal(p->b.index, q->b.index);
        assert_int_equal(p->a.generation, q->a.generation);
        assert_int_equal(p->first, q->first);
        assert_int_equal(p->count, q->count);
    }
    assert_memory_equal(a->pairs, b->pairs, a->count * sizeof *a->pairs);
}

static void lists_whoever_makes_them(void **state)
{
    (void)state;
    gallery_mesh mesh;
    assert_true(mesh_make_sphere(fixture_scale() < 0.1 ? 20 : 80, &mesh));
    heap single = heap_create(1, &mesh);
    static const uint32_t workers[] = {2, 3, 8};
    for (int w = 0; w < 3; w++) {
        heap many = heap_create(workers[w], &mesh);
        for (uint32_t round = 0; round < fixture_count(4); round++) {
            pliant_scene_contacts expected, found;
            heap_move(&single, &mesh, round);
            heap_move(&many, &mesh, round);
            assert_ok(pliant_scene_collide(single.scene, NULL, &expected));
            assert_ok(pliant_scene_collide(many.scene, NULL, &found));
            assert_true(pliant_scene_get_stats(single.scene)->pairs_broad >= 4096);
            assert_true(expected.body_pair_count >= 1024);
            assert_same(&expected, &found);
            const pliant_scene_stats *a = pliant_scene_get_stats(single.scene);
            const pliant_scene_stats *b = pliant_scene_get_stats(many.scene);
            assert_int_equal(a->pairs_narrow, b->pairs_narrow);
            assert_int_equal(a->pairs_touching, b->pairs_touching);
            assert_int_equal(a->narrow.nodes_tested, b->narrow.nodes_tested);
            pliant_scene_proximities near, same;
            assert_ok(pliant_scene_find_within(single.scene, 0.001f, NULL, &near));
            assert_ok(pliant_scene_find_within(many.scene, 0.001f, NULL, &same));
            assert_int_equal(near.count, same.count);
            assert_memory_equal(near.pairs, same.pairs, near.count * sizeof *near.pairs);
        }
        heap_destroy(&many);
    }
    heap_destroy(&single);
    mesh_free(&mesh);
}

/* One pair of bodies with more results than a worker's share, which are sorted by all, and a few
   others beside it. */
static void results_of_a_large_pair(void **state)
{
    (void)state;
    gallery_mesh mesh;
    assert_true(mesh_make_sphere(8192, &mesh));
    float *positions = malloc(3 * (size_t)mesh.vertex_count * sizeof *positions);
    pliant_pair *expected = NULL;
    uint64_t count = 0;
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (int w = 0; w < 4; w += fixture_scale() < 0.1 ? 2 : 1) { /* sanitizers take their time */
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, workers[w]);
        pliant_shape *shape = fixture_shape(context, &mesh, fixture_usual_tree);
        pliant_scene *scene = NULL;
        pliant_body *body[3];
        pliant_body_id id;
        assert_ok(pliant_scene_create(context, NULL, &scene));
        for (int i = 0; i < 3; i++) {
            rng r;
            rng_seed(&r, (uint64_t)i);
            for (uint32_t v = 0; v < 3 * mesh.vertex_count; v++) {
                positions[v] = mesh.positions[v] + (float)rng_range(&r, -0.03, 0.03) +
                               (i == 2 && v % 3 == 0 ? 1.95f : 0.0f);
            }
            assert_ok(pliant_body_create(shape, NULL, &body[i]));
            assert_ok(pliant_body_set_positions(body[i], positions, 0));
            assert_ok(pliant_scene_add(scene, body[i], NULL, &id));
        }
        pliant_scene_contacts contacts;
        assert_ok(pliant_scene_collide(scene, NULL, &contacts));
        if (w == 0) {
            count = contacts.count;
            assert_true(contacts.bodies[0].count > 4096);
            expected = malloc(count * sizeof *expected);
            memcpy(expected, contacts.pairs, count * sizeof *expected);
        }
        assert_int_equal(contacts.count, count);
        assert_memory_equal(contacts.pairs, expected, count * sizeof *expected);
        pliant_scene_destroy(scene);
        for (int i = 0; i < 3; i++) {
            pliant_body_destroy(body[i]);
        }
        pliant_shape_destroy(shape);
        pliant_context_destroy(context);
    }
    free(expected);
    free(positions);
    mesh_free(&mesh);
}

/* A figure and its coat, so large that workers share the fronts of single bodies: what is found and
   what it costs, step after step. */
enum { STEPS = 4, COUNTS = 5 };

static pliant_shape *blended_shape(pliant_context *context, const gallery_scene *scene, uint32_t i)
{
    const gallery_model *model = &scene->models[i];
    pliant_shape_def def = fixture_shape_def(&scene->bodies[i]);
    pliant_shape *shape = NULL;
    def.positions = scene->rest[i];
    def.mode_count = model->mode_count;
    def.modes = model->modes;
    def.joint_count = model->joint_count;
    def.influence_offsets = model->influence_offsets;
    def.influence_joints = model->influence_joints;
    def.influence_weights = model->influence_weights;
    assert_ok(pliant_shape_create(context, &def, &shape));
    return shape;
}

static void play_blended(const gallery_scene *scene, uint32_t workers,
                         uint64_t counts[STEPS][COUNTS])
{
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, workers);
    pliant_scene *played = NULL;
    pliant_shape *shape[2];
    pliant_body *body[2];
    assert_ok(pliant_scene_create(context, NULL, &played));
    for (uint32_t i = 0; i < 2; i++) {
        pliant_body_id id;
        shape[i] = blended_shape(context, scene, i);
        assert_ok(pliant_body_create(shape[i], NULL, &body[i]));
        assert_ok(pliant_scene_add(played, body[i], NULL, &id));
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        pliant_scene_contacts contacts;
        for (uint32_t i = 0; i < 2; i++) {
            float coordinates[16], transforms[12 * 64];
            const gallery_model *model = &scene->models[i];
            gallery_state(scene, i, (step + 1) * scene->steps / (STEPS + 1), coordinates,
                          transforms);
            assert_ok(pliant_body_set_state(
                body[i], &(pliant_state){.coordinates = model->mode_count > 0 ? coordinates : NULL,
                                         .coordinate_count = model->mode_count,
                                         .transforms = transforms,
                                         .transform_count = model->joint_count}));
        }
        assert_ok(pliant_scene_collide(played, NULL, &contacts));
        const pliant_stats *stats = &pliant_scene_get_stats(played)->narrow;
        const uint64_t found[COUNTS] = {contacts.count, stats->nodes_tested, stats->nodes_refreshed,
                                        stats->clusters_refreshed, stats->vertices_read};
        memcpy(counts[step], found, sizeof found);
    }
    pliant_scene_destroy(played);
    for (uint32_t i = 0; i < 2; i++) {
        pliant_body_destroy(body[i]);
        pliant_shape_destroy(shape[i]);
    }
    pliant_context_destroy(context);
}

static void large_blended_bodies_in_parts(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 72000, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_figure, &settings);
    assert_non_null(scene);
    assert_true(scene->bodies[0].vertex_count >= 32768); /* what scenes call large */
    uint64_t expected[STEPS][COUNTS], found[STEPS][COUNTS];
    play_blended(scene, 1, expected);
    assert_true(expected[0][0] + expected[1][0] + expected[2][0] + expected[3][0] > 0);
    uint32_t most = fixture_scale() < 0.1 ? 2 : 8; /* sanitizers take their time */
    for (uint32_t workers = 2; workers <= most; workers += 3) {
        play_blended(scene, workers, found);
        assert_memory_equal(found, expected, sizeof expected);
    }
    gallery_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_whoever_makes_them),
        cmocka_unit_test(results_of_a_large_pair),
        cmocka_unit_test(large_blended_bodies_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
