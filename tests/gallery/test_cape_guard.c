/* The guard of the cape: nothing passes through, however long the steps and fast the figure. */
#include "cape_stage.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

/*
 * Looks at every way that was accepted, with bodies and a query of its own: does anything meet on
 * it, and does anything touch at its end?
 */
typedef struct cape_watch {
    pliant_body *bodies[2];
    pliant_query *query;
    float *before[2], *after[2];               /* vertices of both, where the way begins and ends */
    uint64_t pieces, meeting, touching, brute; /* `brute`: pairs by testing every two triangles */
} cape_watch;

static void pose_watched(cape_watch *watch, double time)
{
    float coordinates[FIGURE_MODES], transforms[12 * FIGURE_BONES];
    figure_pose(0.6 * time, phases, coordinates, transforms);
    assert_ok(pliant_body_set_coordinates(watch->bodies[1], coordinates, FIGURE_MODES));
    assert_ok(pliant_body_set_transforms(watch->bodies[1], transforms, FIGURE_BONES, 0));
}

static void evaluate_watched(const cape_world *world, cape_watch *watch, float *positions[2])
{
    assert_ok(pliant_body_evaluate(watch->bodies[0], NULL, world->cloth.count, positions[0]));
    assert_ok(
        pliant_body_evaluate(watch->bodies[1], NULL, world->figure->vertex_count, positions[1]));
}

static pliant_moving_triangle find_moving(const cape_watch *watch, int body,
                                          const uint32_t corners[3])
{
    pliant_moving_triangle triangle;
    for (int k = 0; k < 3; k++) {
        size_t at = 3 * (size_t)corners[k];
        memcpy(triangle.corner[k].start, watch->before[body] + at, 3 * sizeof(float));
        memcpy(triangle.corner[k].end, watch->after[body] + at, 3 * sizeof(float));
    }
    return triangle;
}

static bool have_common_corner(const uint32_t a[3], const uint32_t b[3])
{
    bool common = false;
    for (int i = 0; i < 9; i++) {
        common = common || a[i / 3] == b[i % 3];
    }
    return common;
}

/* Every triangle of the cape against all of the figure, or all others of the cape that it has no
   corner in common with. */
static uint64_t meet_by_brute_force(const cape_watch *watch, const gallery_mesh *cape,
                                    const gallery_mesh *other)
{
    uint64_t count = 0;
    int body = other != cape;
    for (uint32_t i = 0; i < cape->triangle_count; i++) {
        const uint32_t *a = cape->triangles + 3 * (size_t)i;
        pliant_moving_triangle first = find_moving(watch, 0, a);
        for (uint32_t k = body == 0 ? i + 1 : 0; k < other->triangle_count; k++) {
            const uint32_t *b = other->triangles + 3 * (size_t)k;
            pliant_moving_triangle second = find_moving(watch, body, b);
            count += !(body == 0 && have_common_corner(a, b)) &&
                     pliant_moving_triangle_meet(&first, &second, NULL);
        }
    }
    return count;
}

static void look_at_way(const cape_world *world, void *owner)
{
    cape_stage *stage = owner;
    cape_watch *watch = stage->watch;
    pliant_meetings met;
    pliant_contacts found;
    assert_ok(pliant_body_begin_step(watch->bodies[0]));
    assert_ok(pliant_body_begin_step(watch->bodies[1]));
    evaluate_watched(world, watch, watch->before);
    assert_ok(pliant_body_set_positions(watch->bodies[0], world->cloth.positions, 0));
    pose_watched(watch, world->time);
    evaluate_watched(world, watch, watch->after);
    assert_ok(pliant_find_meetings(watch->query, watch->bodies[0], watch->bodies[1], NULL, &met));
    watch->meeting += met.count;
    assert_ok(pliant_find_meetings_self(watch->query, watch->bodies[0], NULL, &met));
    watch->meeting += met.count;
    assert_ok(pliant_collide(watch->query, watch->bodies[0], watch->bodies[1], NULL, &found));
    watch->touching += found.count;
    assert_ok(pliant_collide_self(watch->query, watch->bodies[0], NULL, &found));
    watch->touching += found.count;
    if (watch->pieces++ % 32 == 15 && !world->unguarded) {
        watch->brute += meet_by_brute_force(watch, &stage->cape, &stage->cape);
        watch->brute += meet_by_brute_force(watch, &stage->cape, &stage->figure);
    }
}

/* Plays a world whose every way is looked at. */
static void watch_stage(cape_stage *stage, uint32_t steps, double jump, double seconds,
                        cape_watch *watch)
{
    cape_world *world = &stage->world;
    const gallery_mesh *const meshes[2] = {&stage->cape, &stage->figure};
    *watch = (cape_watch){0};
    for (int i = 0; i < 2; i++) {
        watch->before[i] = malloc(12 * (size_t)meshes[i]->vertex_count);
        watch->after[i] = malloc(12 * (size_t)meshes[i]->vertex_count);
        assert_true(watch->before[i] != NULL && watch->after[i] != NULL);
        assert_ok(pliant_body_create(world->shapes[i], NULL, &watch->bodies[i]));
    }
    assert_ok(pliant_query_create(stage->context, &watch->query));
    assert_ok(pliant_body_set_positions(watch->bodies[0], stage->cape.positions, 0));
    pose_watched(watch, 0.0);
    world->accepted = look_at_way;
    world->owner = stage;
    stage->watch = watch;
    for (uint32_t i = 1; i <= steps; i++) {
        assert_true(cape_world_step(world, i * jump / CAPE_STEPS, seconds));
    }
    for (int i = 0; i < 2; i++) {
        free(watch->before[i]);
        free(watch->after[i]);
        pliant_body_destroy(watch->bodies[i]);
    }
    pliant_query_destroy(watch->query);
}

/*
 * Steps ten times too long, a figure twenty times too fast, and one that is through with a third of
 * its walk in one step: without the guard the cape passes through, with it nothing ever does. How
 * often it had to do more than to slow the cloth down is counted.
 */
static void test_nothing_passes_through(void **state)
{
    (void)state;
    static const struct {
        uint32_t triangles, steps;
        double jump, seconds; /* of the figure's 600 steps, and for the cloth */
    } cases[] = {{320, 40, 10, 10 / 240.0},
                 {SMALL, 12, 10, 10 / 240.0},
                 {320, 30, 20, 1 / 240.0},
                 {320, 3, 200, 1 / 240.0}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        cape_stage stage;
        cape_watch watch;
        set_stage(cases[i / 2].triangles, PLIANT_ISA_BEST, 1, &stage);
        stage.world.unguarded = i % 2 == 0;
        watch_stage(&stage, cases[i / 2].steps, cases[i / 2].jump, cases[i / 2].seconds, &watch);
        cape_guard_counts counts = stage.world.counts;
        print_message("%s: %llu pairs met, %llu touched; the guard slowed %llu vertices, cut %llu "
                      "ways; the figure waited %llu times, was late %llu\n",
                      i % 2 == 0 ? "unguarded" : "guarded", (unsigned long long)watch.meeting,
                      (unsigned long long)watch.touching, (unsigned long long)counts.slowed,
                      (unsigned long long)counts.cuts, (unsigned long long)counts.waits,
                      (unsigned long long)counts.late);
        assert_true(watch.pieces >= cases[i / 2].steps);
        assert_true((watch.meeting == 0) == (i % 2 == 1));
        assert_true((watch.touching == 0) == (i % 2 == 1));
        assert_true((counts.slowed > 0 && counts.cuts > 0) == (i % 2 == 1));
        assert_true(i % 2 == 0 || watch.brute == 0);
        assert_int_equal(counts.late, 0);
        clear_stage(&stage);
    }
}

/* The cloth is shaken while the figure stands still: the guard keeps it from passing through
   itself, and lets all vertices move that are not in the way. */
static void test_cloth_is_kept_off_itself(void **state)
{
    (void)state;
    cape_stage stage;
    rng random;
    set_stage(320, PLIANT_ISA_BEST, 1, &stage);
    rng_seed(&random, 20);
    cape_world *world = &stage.world;
    cape_cloth *cloth = &world->cloth;
    for (int shake = 0; shake < 8; shake++) {
        pliant_features close;
        pliant_contacts found;
        bool is_free = false;
        uint32_t moved = 0;
        assert_true(cape_find_self(world, &close));
        assert_ok(pliant_body_begin_step(world->bodies[0]));
        cape_cloth_predict(cloth, 0.0);
        for (size_t i = 0; i < 3 * (size_t)cloth->count; i++) {
            cloth->places[i / 3][i % 3] += rng_range(&random, -0.5, 0.5) * cloth->edge;
        }
        cape_cloth_round(cloth);
        assert_true(cape_guard(world, &is_free) && is_free);
        assert_ok(pliant_collide_self(world->outside, world->bodies[0], NULL, &found));
        assert_int_equal(found.count, 0);
        for (uint32_t i = 0; i < cloth->count; i++) {
            moved += memcmp(cloth->places[i], cloth->starts[i], sizeof cloth->starts[i]) != 0;
        }
        assert_int_equal(moved, cloth->count);
        cape_cloth_finish(cloth, 1.0);
    }
    print_message("%llu meetings, %llu vertices slowed\n",
                  (unsigned long long)world->counts.meetings,
                  (unsigned long long)world->counts.slowed);
    assert_true(world->counts.meetings > 10 && world->counts.slowed > 10);
    clear_stage(&stage);
}

/* Where the figure squeezes the cloth it comes too late, and nothing passes through all the same.
 */
static void test_figure_may_be_late(void **state)
{
    (void)state;
    cape_stage stage;
    cape_watch watch;
    if (fixture_scale() < 5.0) {
        return; /* seconds, for a case that the one above has but for its end */
    }
    set_stage(SMALL, PLIANT_ISA_BEST, 1, &stage);
    watch_stage(&stage, 2, 200, 1 / 240.0, &watch);
    assert_int_equal(stage.world.counts.late, 1);
    assert_true(stage.world.time > 200.0 / CAPE_STEPS && stage.world.time < 400.0 / CAPE_STEPS);
    assert_true(watch.meeting + watch.touching + watch.brute == 0);
    clear_stage(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_passes_through),
        cmocka_unit_test(test_cloth_is_kept_off_itself),
        cmocka_unit_test(test_figure_may_be_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
