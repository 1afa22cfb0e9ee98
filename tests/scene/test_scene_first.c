/*
 * FIRST in a scene: which pair is found and what it cost depend neither on the number of workers
 * nor on who schedules them, also where many bodies meet one whose bounds take long to compute, so
 * that workers come across records that others are making.
 */
#include "flock_scene.h"
#include "as_triangle.h"
#include "dealer.h"

#include "base/clock.h"
#include "base/thread.h"
#include "query/collision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 16, /* cells along each side of a sheet */
    VERTICES = (SIDE + 1) * (SIDE + 1),
    TRIANGLES = 2 * SIDE * SIDE,
    MODES = 600,
    OTHERS = 12
};

/* A wavy sheet; with `modes`, which has room for MODES fields, one that is slow to bound. */
typedef struct sheet {
    float positions[3 * VERTICES];
    uint32_t triangles[3 * TRIANGLES];
    float *modes;
} sheet;

static sheet *sheet_create(void)
{
    sheet *s = calloc(1, sizeof *s);
    s->modes = calloc((size_t)3 * VERTICES * MODES, sizeof *s->modes);
    for (uint32_t v = 0; v < VERTICES; v++) {
        float x = (float)(v % (SIDE + 1)), y = (float)(v / (SIDE + 1));
        s->positions[3 * v] = x;
        s->positions[3 * v + 1] = y;
        s->positions[3 * v + 2] = 0.05f * sinf(0.7f * x) * cosf(0.9f * y);
        for (uint32_t m = 0; m < MODES; m++) {
            float phase = 0.1f * x * (float)(m + 1) + 0.05f * y * (float)m;
            s->modes[3 * ((size_t)VERTICES * m + v) + 2] = 1e-3f * sinf(phase);
        }
    }
    uint32_t *next = s->triangles;
    for (uint32_t cell = 0; cell < SIDE * SIDE; cell++) {
        uint32_t a = cell / SIDE * (SIDE + 1) + cell % SIDE, b = a + SIDE + 1;
        const uint32_t corners[6] = {a, a + 1, b + 1, a, b + 1, b};
        memcpy(next, corners, sizeof corners);
        next += 6;
    }
    return s;
}

static void sheet_free(sheet *s)
{
    free(s->modes);
    free(s);
}

static pliant_shape *sheet_shape(const sheet *s, pliant_context *context, uint32_t modes)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = s->positions;
    def.vertex_count = VERTICES;
    def.triangles = s->triangles;
    def.triangle_count = TRIANGLES;
    def.modes = modes > 0 ? s->modes : NULL;
    def.mode_count = modes;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(context, &def, &shape));
    return shape;
}

/* One slow sheet across many that do not meet each other. */
typedef struct crossing {
    pliant_context *context;
    pliant_shape *shape[2]; /* the slow one, the others */
    pliant_body *body[1 + OTHERS];
    pliant_scene *scene;
} crossing;

static crossing crossing_create(const sheet *s, pliant_context *context)
{
    crossing c = {.context = context};
    c.shape[0] = sheet_shape(s, context, MODES);
    c.shape[1] = sheet_shape(s, context, 0);
    assert_ok(pliant_scene_create(context, NULL, &c.scene));
    for (uint32_t i = 0; i <= OTHERS; i++) {
        pliant_member_def member = pliant_member_def_default();
        pliant_body_id id;
        member.category = i == 0 ? 1 : 2;
        member.mask = i == 0 ? 2 : 1;
        assert_ok(pliant_body_create(c.shape[i > 0], NULL, &c.body[i]));
        assert_ok(pliant_scene_add(c.scene, c.body[i], &member, &id));
        float moved[3 * VERTICES];
        for (uint32_t k = 0; k < 3 * VERTICES && i > 0; k++) {
            const float by[3] = {0.3f + 0.01f * (float)i, 0.2f, 0.0f};
            moved[k] = s->positions[k] + by[k % 3];
        }
        if (i > 0) {
            assert_ok(pliant_body_set_positions(c.body[i], moved, 0));
        }
    }
    return c;
}

static void crossing_free(crossing *c)
{
    pliant_scene_destroy(c->scene);
    for (uint32_t i = 0; i <= OTHERS; i++) {
        pliant_body_destroy(c->body[i]);
    }
    pliant_shape_destroy(c->shape[0]);
    pliant_shape_destroy(c->shape[1]);
    pliant_context_destroy(c->context);
}

/* A new state for the slow sheet, then the first contact of all pairs. */
static pliant_scene_contacts ask(const crossing *c, uint32_t round)
{
    float coordinates[MODES];
    for (uint32_t m = 0; m < MODES; m++) {
        coordinates[m] = 0.1f * sinf((float)(m + round % 3));
    }
    assert_ok(pliant_body_set_coordinates(c->body[0], coordinates, MODES));
    pliant_scene_options options = pliant_scene_options_default();
    options.mode = PLIANT_COLLIDE_FIRST;
    pliant_scene_contacts contacts;
    assert_ok(pliant_scene_collide(c->scene, &options, &contacts));
    return contacts;
}

/* Every pair reported does touch. */
static void check_touching(const sheet *s, const crossing *c, const pliant_scene_contacts *contacts)
{
    for (uint32_t i = 0; i < contacts->body_pair_count; i++) {
        const pliant_scene_pair *pair = &contacts->bodies[i];
        const uint32_t bodies[2] = {pair->a.index, pair->b.index};
        const uint32_t triangles[2] = {contacts->pairs[i].a, contacts->pairs[i].b};
        float corner[2][3][3];
        assert_int_equal(pair->count, 1);
        for (int k = 0; k < 2; k++) {
            assert_ok(pliant_body_evaluate(c->body[bodies[k]], s->triangles + 3 * triangles[k], 3,
                                           corner[k][0]));
        }
        assert_true(pliant_triangle_overlap(as_triangle(corner[0]), as_triangle(corner[1])));
    }
}

static void one_pair_whoever_works(void **state)
{
    (void)state;
    static uint32_t worker_counts[] = {1, 2, 3, 8};
    sheet *s = sheet_create();
    for (int i = 1; i < 8; i++) {
        crossing alone = crossing_create(s, fixture_context_with(PLIANT_ISA_BEST, 1));
        uint32_t *workers = &worker_counts[i / 2];
        pliant_context *context =
            i % 2 == 0 ? fixture_context_with(PLIANT_ISA_BEST, *workers) : dealer_context(workers);
        crossing many = crossing_create(s, context);
        uint32_t rounds = fixture_count(i % 2 == 0 ? 200 : 40);
        for (uint32_t round = 0; round < rounds; round++) {
            pliant_scene_contacts expected = ask(&alone, round), found = ask(&many, round);
            assert_int_equal(expected.body_pair_count, OTHERS);
            if (round < 3) {
                check_touching(s, &alone, &expected);
            }
            assert_int_equal(found.count, expected.count);
            assert_memory_equal(found.pairs, expected.pairs, found.count * sizeof *found.pairs);
            pliant_scene_stats x = flock_scene_counts(alone.scene),
                               y = flock_scene_counts(many.scene);
            assert_memory_equal(&x, &y, sizeof x);
        }
        crossing_free(&many);
        crossing_free(&alone);
    }
    sheet_free(s);
}

/* Bodies of all strategies, some of them against themselves: one pair wherever there is any. */
static void all_strategies(void **state)
{
    (void)state;
    static uint32_t worker_counts[] = {1, 2, 3, 8};
    flock f = flock_create();
    flock_scene scenes[8];
    for (int i = 0; i < 8; i++) {
        uint32_t *workers = &worker_counts[i / 2];
        scenes[i] = flock_scene_create(&f,
                                       i % 2 == 0 ? fixture_context_with(PLIANT_ISA_BEST, *workers)
                                                  : dealer_context(workers),
                                       PLIANT_BROAD_AUTO, true);
    }
    pliant_scene_options options = pliant_scene_options_default();
    options.mode = PLIANT_COLLIDE_FIRST;
    for (uint32_t step = 0; step < fixture_count(20); step++) {
        flock_evaluate(&f, 5 * step);
        flock_scene_truth *t = flock_scene_truth_create(&f, true);
        pliant_scene_contacts first = {.count = 0};
        pliant_scene_stats expected;
        for (int i = 0; i < 8; i++) {
            pliant_scene_contacts contacts;
            flock_scene_share(&scenes[i], &f);
            assert_ok(pliant_scene_collide(scenes[i].scene, &options, &contacts));
            pliant_scene_stats counts = flock_scene_counts(scenes[i].scene);
            first = i == 0 ? contacts : first;
            expected = i == 0 ? counts : expected;
            assert_int_equal(contacts.count, first.count);
            assert_memory_equal(contacts.pairs, first.pairs, first.count * sizeof *first.pairs);
            assert_memory_equal(&counts, &expected, sizeof counts);
        }
        uint32_t touching = 0;
        for (int k = 0; k < FLOCK_BODIES * FLOCK_BODIES; k++) {
            touching += t->pairs[k / FLOCK_BODIES][k % FLOCK_BODIES].count > 0;
        }
        assert_true(touching > 0 && first.body_pair_count == touching && first.count == touching);
        flock_scene_truth_free(t);
    }
    for (int i = 0; i < 8; i++) {
        flock_scene_free(&scenes[i]);
    }
    flock_free(&f);
}

/* Another worker that is at a record for a millisecond, and then gives up on it. */
static void give_up(void *argument)
{
    PLI_ATOMIC(void *) *slot = argument;
    double start = pli_seconds();
    while (pli_seconds() < start + 1e-3) {
        pli_thread_yield();
    }
    atomic_store(slot, NULL);
}

/* The walk of one worker, with lane `claimed` below the slow sheet's root in another's hands. */
static uint64_t walk(const crossing *c, uint32_t claimed, uint64_t *tested)
{
    float zero[MODES] = {0.0f};
    assert_ok(pliant_body_set_coordinates(c->body[0], zero, MODES)); /* no record is left */
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(c->context, &query));
    pliant_collide_options options = pliant_collide_options_default();
    options.mode = PLIANT_COLLIDE_FIRST;
    pliant_box box;
    pli_arena arenas[2] = {{.worker = 0}, {.worker = 0}};
    pli_collision collision;
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_get_bounds(c->body[i], &box));
    }
    pli_node_record *root = c->body[0]->root.child[0];
    pli_thread thread;
    if (claimed < PLI_WIDTH) {
        root->child[claimed] = PLI_CLAIMED;
        assert_true(pli_thread_start(&thread, give_up, &root->child[claimed]));
    }
    pli_collision_init(&collision, &query->worker, c->body[0], c->body[1], &options);
    pli_run_set_arenas(&collision.walk.run, &arenas[0], &arenas[1]);
    assert_ok(pli_walk_push_meeting_roots(&collision.walk));
    assert_ok(pli_walk_work(&collision.walk));
    if (claimed < PLI_WIDTH) {
        pli_thread_join(&thread);
    }
    assert_int_equal(query->worker.results->keys.count, 1);
    uint64_t key = query->worker.results->keys.data[0];
    *tested = query->worker.stats.nodes_tested;
    pliant_query_destroy(query);
    return key;
}

static void records_of_others_are_waited_for(void **state)
{
    (void)state;
    sheet *s = sheet_create();
    crossing c = crossing_create(s, fixture_context_with(PLIANT_ISA_BEST, 1));
    uint64_t expected_tested = 0, tested = 0;
    uint64_t expected = walk(&c, PLI_WIDTH, &expected_tested);
    for (uint32_t lane = 0; lane < c.shape[0]->nodes[0].child_count; lane++) {
        assert_int_equal(walk(&c, lane, &tested), expected);
        assert_int_equal(tested, expected_tested);
    }
    crossing_free(&c);
    sheet_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_others_are_waited_for),
        cmocka_unit_test(one_pair_whoever_works),
        cmocka_unit_test(all_strategies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
