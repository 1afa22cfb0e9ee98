/*
 * Based on: D. Steinemann, M. Otaduy, M. Gross, "Efficient Bounds for Point-Based Animations",
 * 2007, figure 6 and table 2: six Santa Claus bodies hang from a ring, which turns; they swing and
 * collide. The paper gives two motions of the ring only by what they lead to, small and large
 * contact; these are ours. In both the ring turns to and fro; for large contact it tilts as well,
 * which brings the bodies side by side closer to each other.
 */
#include "ring.h"

#include <math.h>

#include "bodies.h"
#include "solids.h"

#define DURATION    10.0
#define RADIUS      1.52 /* of the ring */
#define HELD_ABOVE  1.7  /* nodes higher than this are held by the ring */
#define RING_HEIGHT 2.1  /* where the ring is, in a body's own frame */
#define GRAVITY     4.0
#define HOLD        600.0  /* stiffness of the ring's hold, per mass */
#define REPEL       1500.0 /* stiffness of contact, per mass */

typedef struct ring_motion {
    double turn, turn_rate; /* radians to either side; radians of the sine per unit of time */
    double tilt, tilt_rate;
    double share; /* of a node's ball that keeps others out */
} ring_motion;

static const ring_motion small_motion = {0.8, 1.0, 0.25, 1.3, 0.95};
static const ring_motion large_motion = {0.8, 1.2, 0.85, 1.3, 0.65};

typedef struct ring_state {
    const bodies_simulation *simulation;
    const ring_motion *motion;
    gallery_placement starts[6];
} ring_state;

/* From 0 to 1, smoothly. */
static double ease(double time)
{
    double x = fmin(fmax(time, 0.0), 1.0);
    return x * x * (3.0 - 2.0 * x);
}

/* How the ring has turned: about its own axis, then about x. */
static void ring_rotation(const ring_motion *motion, double time, double rotation[3][3])
{
    double turn = motion->turn * ease(time) * gallery_sin(motion->turn_rate * time);
    double tilt =
        motion->tilt * ease(0.5 * time) * (1.0 + 0.3 * gallery_sin(motion->tilt_rate * time));
    double ct = gallery_cos(turn), st = gallery_sin(turn), cx = gallery_cos(tilt),
           sx = gallery_sin(tilt);
    const double rows[3][3] = {{ct, -st, 0.0}, {cx * st, cx * ct, -sx}, {sx * st, sx * ct, cx}};
    for (int i = 0; i < 9; i++) {
        rotation[i / 3][i % 3] = rows[i / 3][i % 3];
    }
}

/* Where the ring holds a point of a body. The ring's middle is the origin. */
static void held_at(const gallery_placement *start, double rotation[3][3], const double point[3],
                    double target[3])
{
    double placed[3];
    for (int axis = 0; axis < 3; axis++) {
        const double *row = start->rotation[axis];
        placed[axis] =
            row[0] * point[0] + row[1] * point[1] + row[2] * point[2] + start->translation[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        const double *row = rotation[axis];
        target[axis] = row[0] * placed[0] + row[1] * placed[1] + row[2] * placed[2];
    }
}

static void push(void *user, const elastic_world *world, double (*forces)[3])
{
    const ring_state *ring = user;
    const node_cloud *nodes = &ring->simulation->nodes;
    double now[3][3], soon[3][3];
    const double moment = 1e-3;
    ring_rotation(ring->motion, world->time, now);
    ring_rotation(ring->motion, world->time + moment, soon);
    bodies_add_gravity(world, GRAVITY, forces);
    bodies_add_contact(ring->simulation, world, ring->motion->share, REPEL, forces);
    for (uint32_t body = 0; body < world->body_count; body++) {
        for (uint32_t node = 0; node < nodes->count; node++) {
            if (nodes->points[node][2] > HELD_ABOVE) {
                double target[3], next[3], velocity[3];
                held_at(&ring->starts[body], now, nodes->points[node], target);
                held_at(&ring->starts[body], soon, nodes->points[node], next);
                for (int axis = 0; axis < 3; axis++) {
                    velocity[axis] = (next[axis] - target[axis]) / moment;
                }
                bodies_add_target(world, body, node, target, velocity, HOLD, forces);
            }
        }
    }
}

/* Six bodies around the ring; each looks outwards. */
static void place_bodies(elastic_world *world, ring_state *ring)
{
    for (uint32_t body = 0; body < world->body_count; body++) {
        double angle = 2.0 * GALLERY_PI * (double)body / (double)world->body_count;
        double c = gallery_cos(angle), s = gallery_sin(angle);
        ring->starts[body] = (gallery_placement){
            .rotation = {{-s, -c, 0.0}, {c, -s, 0.0}, {0.0, 0.0, 1.0}},
            .translation = {RADIUS * c, RADIUS * s, -RING_HEIGHT},
        };
        elastic_place(world, body, &ring->starts[body]);
    }
}

static bool create(gallery_scene *scene, uint32_t triangles, uint32_t node_count,
                   const ring_motion *motion)
{
    bodies_recipe recipe = {&solid_santa, node_count, elastic_material_default()};
    recipe.material.drag = 0.6;
    bodies_simulation simulation;
    bool done = bodies_create(scene, triangles, &recipe, &simulation);
    if (done) {
        ring_state ring = {.simulation = &simulation, .motion = motion};
        place_bodies(simulation.world, &ring);
        simulation.world->external = push;
        simulation.world->user = &ring;
        done = bodies_record(scene, &simulation);
    }
    bodies_free(&simulation);
    return done;
}

static bool create_small_few(gallery_scene *scene, uint32_t triangles)
{
    return create(scene, triangles, RING_FEW_NODES, &small_motion);
}

static bool create_small_many(gallery_scene *scene, uint32_t triangles)
{
    return create(scene, triangles, RING_MANY_NODES, &small_motion);
}

static bool create_large_few(gallery_scene *scene, uint32_t triangles)
{
    return create(scene, triangles, RING_FEW_NODES, &large_motion);
}

static bool create_large_many(gallery_scene *scene, uint32_t triangles)
{
    return create(scene, triangles, RING_MANY_NODES, &large_motion);
}

#define RING_KIND(create_it)                                                                       \
    {                                                                                              \
        .name = "ring", .title = "Six figures hang from a turning ring",                           \
        .description = "six elastic figures swing from a turning ring and brush against each "     \
                       "other (Steinemann, Otaduy and Gross 2007, figure 6)",                      \
        .body_count = 6, .triangles = 2 * (2857 - 2), .steps = 200, .duration = DURATION,          \
        .create = (create_it), .destroy = bodies_destroy, .state = bodies_state                    \
    }

const gallery_kind gallery_ring = RING_KIND(create_small_few);
static const gallery_kind small_many = RING_KIND(create_small_many);
static const gallery_kind large_few = RING_KIND(create_large_few);
static const gallery_kind large_many = RING_KIND(create_large_many);

const gallery_kind *ring_kind(uint32_t nodes, bool large)
{
    if (nodes == RING_FEW_NODES) {
        return large ? &large_few : &gallery_ring;
    }
    if (nodes == RING_MANY_NODES) {
        return large ? &large_many : &small_many;
    }
    return NULL;
}
