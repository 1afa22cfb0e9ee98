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

/* Pulls at a vertex from step 60 on, looking at every step; returns how far it is from there at
   the end over how far it was when that began. */
static double pull(uint32_t share, const double to[3])
{
    cape_stage stage;
    pliant_query *query;
    double away[2] = {0.0, 0.0};
    set_stage(SMALL, PLIANT_ISA_BEST, 1, &stage);
    assert_ok(pliant_query_create(stage.context, &query));
    cape_world *world = &stage.world;
    world->walk = figure_stroll;
    world->near = 0.45;
    world->patience = 4;
    uint32_t vertex = (world->cloth.count - 1) / share;
    uint32_t steps = (uint32_t)(400 * fmin(1.0, fixture_scale()));
    steps = steps > 160 ? steps : 160;
    for (uint32_t i = 0; i < steps; i++) {
        if (i == 60) {
            world->pull = (cape_pull){true, vertex, {to[0], to[1], to[2]}};
        }
        assert_true(cape_world_step(world, world->time + 1.0 / 240.0, 1.0 / 240.0));
        assert_int_equal(count_touching(&stage, query), 0);
        for (int axis = 0; axis < 3 && (i == 59 || i + 1 == steps); axis++) {
            away[i != 59] += pow(world->cloth.places[vertex][axis] - to[axis], 2.0);
        }
    }
    pliant_query_destroy(query);
    clear_stage(&stage);
    return sqrt(away[1] / away[0]);
}

/* A vertex of the rim goes where it is pulled, and nothing passes through on the way. */
static void test_pulling_the_rim(void **state)
{
    (void)state;
    assert_true(pull(1, (const double[3]){0.7, 0.3, 1.2}) < 0.5);
}

/* One at the neck cannot go far, and not through the figure, however long somebody pulls. */
static void test_pulling_at_the_neck(void **state)
{
    (void)state;
    double left = pull(12, (const double[3]){0.9, 1.5, 0.8});
    assert_true(left > 0.3 && left < 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk_begins_at_rest),
        cmocka_unit_test(test_pulling_the_rim),
        cmocka_unit_test(test_pulling_at_the_neck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
