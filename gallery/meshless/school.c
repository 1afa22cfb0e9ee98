/*
 * Based on: D. Steinemann, M. Otaduy, M. Gross, "Efficient Bounds for Point-Based Animations",
 * 2007, figure 7: 24 fish with about 8,000 vertices and 96 nodes each collide. The paper says no
 * more of them. Here two shoals swim through each other: every fish is drawn softly towards a
 * swimming fish on a path of its own, and is pushed off it, and bent, by the others.
 */
#include "gallery/gallery.h"

#include <math.h>
#include <string.h>

#include "bodies.h"
#include "solids.h"

#define DURATION   6.0
#define NODES      96
#define ROWS       3     /* of a shoal, one above the other */
#define COLUMNS    4     /* side by side */
#define SPACING    1.28  /* between rows and columns */
#define WAY        3.2   /* from the middle, at the start and at the end */
#define SWAY       0.15  /* of a path to the side */
#define BEND       0.16  /* of a tail to the side */
#define PULL       40.0  /* stiffness towards the swimming fish, per mass */
#define REPEL      600.0 /* stiffness of contact, per mass */
#define BALL_SHARE 0.75  /* of a node's ball that keeps others out */

typedef struct school_state {
    const gallery_scene *scene;
    const bodies_simulation *simulation;
} school_state;

/* Where the middle of a fish wants to be; fish of odd number swim the other way. */
static void path(const gallery_scene *scene, uint32_t body, double time, double place[3])
{
    uint32_t cell = body / 2;
    double side = body % 2 == 0 ? 1.0 : -1.0;
    double stagger = 0.25 * SPACING * side; /* the shoals meet in each other's gaps */
    uint32_t column = cell % COLUMNS, row = cell / COLUMNS % ROWS;
    uint32_t layer = cell / (ROWS * COLUMNS); /* where there are more than 24 */
    const double *phases = scene->phases[body];
    place[0] = side * (2.0 * WAY * time / DURATION - WAY - 3.0 * (double)layer +
                       0.4 * gallery_sin(phases[0] + time));
    place[1] = SPACING * ((double)column - 0.5 * (COLUMNS - 1)) + stagger +
               SWAY * (gallery_sin(phases[1] + 1.1 * time));
    place[2] = SPACING * ((double)row - 0.5 * (ROWS - 1)) + stagger +
               SWAY * (gallery_sin(phases[2] + 0.9 * time));
}

/* A fish on its path, which looks where it goes. */
static void place_on_path(const gallery_scene *scene, uint32_t body, double time,
                          gallery_placement *placement)
{
    double ahead[3], behind[3], forwards[3], length = 0.0;
    path(scene, body, time + 0.1, ahead);
    path(scene, body, time - 0.1, behind);
    path(scene, body, time, placement->translation);
    for (int axis = 0; axis < 3; axis++) {
        forwards[axis] = ahead[axis] - behind[axis];
        length += forwards[axis] * forwards[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        forwards[axis] /= sqrt(length);
    }
    double flat = sqrt(forwards[0] * forwards[0] + forwards[1] * forwards[1]);
    const double left[3] = {-forwards[1] / flat, forwards[0] / flat, 0.0};
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        placement->rotation[axis][0] = forwards[axis];
        placement->rotation[axis][1] = left[axis];
        placement->rotation[axis][2] = forwards[next] * left[last] - forwards[last] * left[next];
    }
}

/* A point of a swimming fish: its tail swings from side to side. */
static void swim(const gallery_placement *placement, const double rest[3], double angle,
                 double point[3])
{
    double back = fmax(0.5 - rest[0], 0.0);
    double bent[3] = {rest[0], rest[1] + BEND * back * back * gallery_sin(angle + 2.0 * rest[0]),
                      rest[2]};
    for (int axis = 0; axis < 3; axis++) {
        const double *row = placement->rotation[axis];
        point[axis] =
            row[0] * bent[0] + row[1] * bent[1] + row[2] * bent[2] + placement->translation[axis];
    }
}

static void push(void *user, const elastic_world *world, double (*forces)[3])
{
    const school_state *school = user;
    const node_cloud *nodes = &school->simulation->nodes;
    const double moment = 1e-3;
    bodies_add_contact(school->simulation, world, BALL_SHARE, REPEL, forces);
    for (uint32_t body = 0; body < world->body_count; body++) {
        gallery_placement now, soon;
        double angle = school->scene->phases[body][0] + 6.0 * world->time;
        place_on_path(school->scene, body, world->time, &now);
        place_on_path(school->scene, body, world->time + moment, &soon);
        for (uint32_t node = 0; node < nodes->count; node++) {
            double target[3], next[3], velocity[3];
            swim(&now, nodes->points[node], angle, target);
            swim(&soon, nodes->points[node], angle + 6.0 * moment, next);
            for (int axis = 0; axis < 3; axis++) {
                velocity[axis] = (next[axis] - target[axis]) / moment;
            }
            bodies_add_target(world, body, node, target, velocity, PULL, forces);
        }
    }
}

static bool create(gallery_scene *scene, uint32_t triangles)
{
    bodies_recipe recipe = {&solid_fish, NODES, elastic_material_default()};
    recipe.material.stiffness = 40.0;
    recipe.material.volume = 20.0;
    bodies_simulation simulation;
    bool done = bodies_create(scene, triangles, &recipe, &simulation);
    if (done) {
        school_state school = {.scene = scene, .simulation = &simulation};
        for (uint32_t body = 0; body < scene->body_count; body++) {
            gallery_placement start;
            place_on_path(scene, body, 0.0, &start);
            elastic_place(simulation.world, body, &start);
        }
        simulation.world->external = push;
        simulation.world->user = &school;
        done = bodies_record(scene, &simulation);
    }
    bodies_free(&simulation);
    return done;
}

const gallery_kind gallery_school = {
    .name = "school",
    .title = "Two shoals of fish swim through each other",
    .description = "24 elastic fish of two shoals swim through each other (Steinemann, Otaduy and "
                   "Gross 2007, figure 7)",
    .body_count = 24,
    .triangles = 2 * (8000 - 2),
    .steps = 200,
    .duration = DURATION,
    .any_count = true,
    .create = create,
    .destroy = bodies_destroy,
    .state = bodies_state,
};
