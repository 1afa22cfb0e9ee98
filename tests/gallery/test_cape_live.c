/* The cape of the playground: the figure walks on for ever, and somebody pulls at the cloth. */
#include "cape_stage.h"

#include <math.h>
#include <string.h>

static void test_walk_begins_at_rest(void **state)
{
    (void)state;
    float coordinates[2][FIGURE_MODES], transforms[2][12 * FIGURE_BONES];
    figure_pose(0.0, phases, coordinates[0], transforms[0]);
    figure_stroll(0.0, phases, coordinates[1], transforms[1]);
    assert_memory_equal(transforms[0], transforms[1], sizeof transforms[0]);
    assert_true(coordinates[0][0] == coordinates[1][0]); /* the others depend on phases */
    /* It stays where it is: after an hour of walking its pelvis is above its place. */
    figure_stroll(3600.0, phases, coordinates[1], transforms[1]);
    assert_true(fabs((double)transforms[1][3]) < 0.3 && fabs((double)transforms[1][7]) < 0.3);
}

static uint64_t count_touching(cape_stage *stage, pliant_query *query)
{
    pliant_contacts found;
    cape_world *world = &stage->world;
    assert_ok(pliant_body_set_positions(world->bodies[0], world->cloth.positions, 0));
    assert_ok(pliant_collide(query, world->bodies[0], world->bodies[1], NULL, &found));
    uint64_t count = found.count;
    assert_ok(pliant_collide_self(query, world->bodies[0], NULL, &found));
    return count + found.count;
}

/* A vertex of the rim goes where it is pulled, and nothing passes through on the way. */
static void test_pulling(void **state)
{
    (void)state;
    cape_stage stage;
    pliant_query *query;
    set_stage(SMALL, PLIANT_ISA_BEST, 1, &stage);
    assert_ok(pliant_query_create(stage.context, &query));
    cape_world *world = &stage.world;
    world->walk = figure_stroll;
    world->near = 0.45;
    uint32_t rim = world->cloth.count - 1, steps = (uint32_t)(600 * fmin(1.0, fixture_scale()));
    steps = steps > 120 ? steps : 120;
    double away = 0.0;
    for (uint32_t i = 0; i < steps; i++) {
        if (i == 60) { /* aside, and up */
            world->pull = (cape_pull){true, rim, {0.9, 0.3, 1.2}};
        }
        if (i == 300) {
            world->pull.is_on = false;
        }
        assert_true(cape_world_step(world, world->time + 1.0 / 240.0, 1.0 / 240.0));
        assert_int_equal(count_touching(&stage, query), 0);
        if (i == 59 || i == 119) {
            double before = away;
            away = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                const double to[3] = {0.9, 0.3, 1.2};
                away += pow(world->cloth.places[rim][axis] - to[axis], 2.0);
            }
            assert_true(i == 59 || sqrt(away) < 0.5 * sqrt(before));
        }
    }
    pliant_query_destroy(query);
    clear_stage(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk_begins_at_rest),
        cmocka_unit_test(test_pulling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
