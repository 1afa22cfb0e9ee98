/*
 * Every call fits a stack of 128 KiB, on the deepest trees that shapes can have: points whose
 * distances from the origin are powers of four, which a cut through the middle parts one by one.
 */
#include "fixture.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "pliant/pliant.h"

/* What the compiler does not optimise takes more. */
#ifdef __OPTIMIZE__
enum { STACK_BYTES = 128 << 10 };
#else
enum { STACK_BYTES = 512 << 10 };
#endif

enum { POWERS = 131, TRIANGLES = 3 * POWERS };

typedef struct deep_case {
    pliant_partition partition;
    uint32_t arity;
    pliant_update update;
    bool reduced; /* by one mode, bounded by spheres; else free */
    /* What the thread leaves behind: */
    uint32_t levels;
    uint64_t pairs, proxies; /* contacts of proxies with themselves in the other body */
    const char *failed;      /* the call that did, NULL: none */
    char reason[200];
} deep_case;

/* Points that lie farther and farther out along each axis, as triangles without a side. */
static void fill_mesh(float positions[3 * TRIANGLES], uint32_t triangles[3 * TRIANGLES])
{
    memset(positions, 0, 3 * TRIANGLES * sizeof *positions);
    for (int i = 0; i < TRIANGLES; i++) {
        positions[3 * i + i % 3] = ldexpf(1.0f, 2 * (i / 3) - 140);
        triangles[3 * i] = triangles[3 * i + 1] = triangles[3 * i + 2] = (uint32_t)i;
    }
}

static bool show_bound(void *user, const pliant_bound *bound)
{
    uint32_t *levels = user;
    *levels = bound->level > *levels ? bound->level : *levels;
    return true;
}

static void note_failure(deep_case *c, const char *call)
{
    c->failed = call;
    snprintf(c->reason, sizeof c->reason, "%s", pliant_last_error());
}

/* Tests cannot fail on another thread: the first call that does is kept, and none is made after. */
#define DO(call)                                                                                   \
    if (c->failed == NULL && (call) != PLIANT_OK) {                                                \
        note_failure(c, #call);                                                                    \
    }

static void ask_everything(deep_case *c, pliant_context *context, pliant_body *body[2])
{
    const float low = 0x1p-138f; /* a box that reaches into every node on the way to the deepest */
    pliant_query *query = NULL;
    pliant_contacts contacts = {.count = 0};
    pliant_proxy_contacts proxies = {.count = 0};
    pliant_box box, corner = {{0.0f, 0.0f, 0.0f}, {low, low, low}};
    pliant_ray ray = {{1.0f, -1.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, 2.0f};
    pliant_ray_hit hit;
    pliant_closest closest;
    const uint32_t *listed = NULL;
    uint64_t count = 0;
    pliant_proximities near;
    DO(pliant_query_create(context, &query));
    DO(pliant_body_get_bounds(body[0], &box));
    DO(pliant_body_prepare(body[0]));
    DO(pliant_collide(query, body[0], body[1], NULL, &contacts));
    c->pairs = contacts.count;
    DO(pliant_collide_self(query, body[0], NULL, &contacts));
    DO(pliant_raycast(query, body[0], &ray, &hit));
    DO(pliant_find_closest_point(query, body[0], ray.origin, INFINITY, &closest));
    pliant_signed_distance distance;
    DO(pliant_measure_distances(query, body[0], ray.origin, 1, 0, NULL, &distance));
    DO(pliant_overlap_box(query, body[0], &corner, &listed, &count));
    DO(pliant_find_within(query, body[0], body[1], 0x1p-60f, NULL, &near));
    DO(pliant_visit_bounds(query, body[0], true, show_bound, &c->levels));
    if (c->reduced) {
        DO(pliant_collide_proxies(query, body[0], body[1], NULL, &proxies));
        c->proxies = 0;
        for (uint64_t i = 0; i < proxies.count; i++) {
            c->proxies += proxies.contacts[i].a.id == proxies.contacts[i].b.id;
        }
    }
    pliant_query_destroy(query);
}

static void ask_scene(deep_case *c, pliant_context *context, pliant_body *body[2])
{
    pliant_scene *scene = NULL;
    pliant_scene_contacts contacts;
    DO(pliant_scene_create(context, NULL, &scene));
    for (int i = 0; i < 2 && c->failed == NULL; i++) {
        pliant_body_id id;
        DO(pliant_scene_add(scene, body[i], NULL, &id));
    }
    if (c->failed == NULL) {
        DO(pliant_scene_collide(scene, NULL, &contacts));
        const pliant_ray ray = {{1.0f, -1.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, 2.0f};
        const pliant_box corner = {{0.0f, 0.0f, 0.0f}, {0x1p-138f, 0x1p-138f, 0x1p-138f}};
        pliant_scene_ray_hits hits;
        pliant_scene_signed_distance distance;
        pliant_scene_triangles triangles;
        DO(pliant_scene_raycast_all(scene, &ray, 1, NULL, &hits));
        DO(pliant_scene_measure_distances(scene, ray.origin, 1, 0, NULL, NULL, &distance));
        DO(pliant_scene_overlap_box(scene, &corner, NULL, &triangles));
    }
    pliant_scene_destroy(scene);
}

static void *run_case(void *argument)
{
    deep_case *c = argument;
    static float positions[3 * TRIANGLES], mode[3 * TRIANGLES]; /* one thread at a time */
    static uint32_t triangles[3 * TRIANGLES];
    fill_mesh(positions, triangles);
    pliant_context *context = NULL;
    pliant_shape *shape = NULL;
    pliant_body *body[2] = {NULL, NULL};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = def.triangle_count = TRIANGLES;
    def.triangles = triangles;
    def.partition = c->partition;
    def.arity = c->arity;
    def.leaf_size = 1;
    if (c->reduced) {
        def.modes = mode;
        def.mode_count = 1;
        def.bound = PLIANT_BOUND_SPHERE;
        def.proxy_triangles = 1;
    }
    pliant_body_def body_def = pliant_body_def_default();
    body_def.update = c->update;
    body_def.eager_levels = 1000;
    DO(pliant_context_create(NULL, &context));
    DO(pliant_shape_create(context, &def, &shape));
    DO(pliant_shape_validate(shape));
    DO(pliant_body_create(shape, &body_def, &body[0]));
    DO(pliant_body_create(shape, &body_def, &body[1]));
    for (int step = 0; step < 2 && c->failed == NULL; step++) {
        if (!c->reduced) {
            DO(pliant_body_set_positions(body[0], positions, 0));
        }
        ask_everything(c, context, body);
        ask_scene(c, context, body);
    }
    pliant_body_destroy(body[0]);
    pliant_body_destroy(body[1]);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    return NULL;
}

static void run_on_small_stack(deep_case *c)
{
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run_case, c), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    if (c->failed != NULL) {
        fail_msg("partition %d, arity %u, update %d: %s: %s", (int)c->partition, c->arity,
                 (int)c->update, c->failed, c->reason);
    }
}

static void test_deepest_trees(void **state)
{
    (void)state;
    uint32_t deepest = 0;
    for (int partition = 0; partition < 4; partition++) {
        for (uint32_t arity = 2; arity <= 8; arity *= 4) {
            for (int update = 0; update < 5; update++) {
                for (int reduced = 0; reduced < 2; reduced++) {
                    deep_case c = {.partition = (pliant_partition)partition,
                                   .arity = arity,
                                   .update = (pliant_update)update,
                                   .reduced = reduced != 0};
                    run_on_small_stack(&c);
                    assert_int_equal(c.pairs, TRIANGLES);
                    assert_int_equal(c.proxies, c.reduced ? TRIANGLES : 0);
                    deepest = c.levels > deepest ? c.levels : deepest;
                }
            }
        }
    }
    assert_true(deepest >= 80); /* the trees are as deep as they can become */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deepest_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
