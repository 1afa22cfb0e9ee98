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
    assert_true(mesh_make_sphere(80, &mesh));
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
    for (int w = 0; w < 4; w++) {
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, workers[w]);
        pliant_shape *shape = fixture_shape(context, &mesh, fixture_usual_tree);
        pliant_scene *scene = NULL;
        pliant_body *body[3];
        pliant_body_id id;
        assert_ok(pliant_scene_create(context, NULL, &scene));
        for (int i = 0; i < 3; i++) {
            const float shift[3] = {0.0f, 0.0005f, 1.9f};
            for (uint32_t v = 0; v < 3 * mesh.vertex_count; v++) {
                positions[v] = mesh.positions[v] + shift[i];
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_whoever_makes_them),
        cmocka_unit_test(results_of_a_large_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
