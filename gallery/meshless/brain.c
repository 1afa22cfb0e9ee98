/*
 * Based on: D. Steinemann, M. Otaduy, M. Gross, "Efficient Bounds for Point-Based Animations",
 * 2007, figures 1 and 5 and table 1: the deformation of a brain by a pulling force. The paper gives
 * neither force nor path. Ours takes hold of the front of one half, draws it out, round and up, and
 * then lets go; the stem is held, and gives way a little. How far is chosen to meet what the paper
 * does give for 29,966 vertices: a box around the whole from the nodes alone is 1.5 times as large
 * as need be on average, and up to 68 times smaller, with 509 nodes, than by accumulation. That
 * second number depends on how far the body as a whole is carried, which costs accumulation much
 * and other bounds nothing; it says little about bodies that stay where they are.
 */
#include "brain.h"

#include <math.h>

#include "bodies.h"
#include "solids.h"

#define DURATION    8.0
#define LET_GO      5.0   /* when the pull ends */
#define HELD_BELOW  -0.4  /* nodes of the stem, which is held */
#define FOLLOWS     0.42  /* share of the pull that the stem gives way to */
#define GRIP_RADIUS 0.45  /* of the part that is pulled */
#define HOLD        800.0 /* stiffness of the hold, per mass */

static const double grip[3] = {0.4, -0.7, 0.3};

/* How far the grip has been drawn. */
static void drawn_by(double time, double offset[3])
{
    double share = fmin(time / 3.0, 1.0);
    share = share * share * (3.0 - 2.0 * share);
    offset[0] = 0.45 * share * gallery_sin(1.3 * time);
    offset[1] = -1.7 * share;
    offset[2] = 0.8 * share * share * gallery_sin(0.5 * time);
}

static void push(void *user, const elastic_world *world, double (*forces)[3])
{
    const node_cloud *nodes = user;
    static const double still[3] = {0.0, 0.0, 0.0};
    double offset[3];
    drawn_by(world->time, offset);
    for (uint32_t node = 0; node < nodes->count; node++) {
        const double *rest = nodes->points[node];
        double square = 0.0, follow[3], target[3];
        for (int axis = 0; axis < 3; axis++) {
            square += (rest[axis] - grip[axis]) * (rest[axis] - grip[axis]);
            target[axis] = rest[axis] + offset[axis];
            follow[axis] = rest[axis] + FOLLOWS * offset[axis];
        }
        if (rest[2] < HELD_BELOW) {
            bodies_add_target(world, 0, node, follow, still, HOLD, forces);
        } else if (square < GRIP_RADIUS * GRIP_RADIUS && world->time < LET_GO) {
            bodies_add_target(world, 0, node, target, still, 0.5 * HOLD, forces);
        }
    }
}

static bool create(gallery_scene *scene, uint32_t triangles, uint32_t node_count)
{
    bodies_recipe recipe = {&solid_brain, node_count, elastic_material_default()};
    recipe.material.stiffness = 60.0;
    recipe.material.drag = 0.8;
    bodies_simulation simulation;
    bool done = bodies_create(scene, triangles, &recipe, &simulation);
    if (done) {
        simulation.world->external = push;
        simulation.world->user = &simulation.nodes;
        done = bodies_record(scene, &simulation);
    }
    bodies_free(&simulation);
    return done;
}

static bool create_65(gallery_scene *scene, uint32_t triangles)
{
    return create(scene, triangles, 65);
}

static bool create_225(gallery_scene *scene, uint32_t triangles)
{
    return create(scene, triangles, 225);
}

static bool create_509(gallery_scene *scene, uint32_t triangles)
{
    return create(scene, triangles, 509);
}

#define BRAIN_KIND(create_it)                                                                      \
    {                                                                                              \
        .name = "brain", .title = "A folded body is pulled and let go",                            \
        .description = "a folded elastic body is drawn out by a pulling force and let go "         \
                       "(Steinemann, Otaduy and Gross 2007, figure 1)",                            \
        .body_count = 1, .triangles = 2 * (3500 - 2), .steps = 200, .duration = DURATION,          \
        .self = true, .create = (create_it), .destroy = bodies_destroy, .state = bodies_state      \
    }

const gallery_kind gallery_brain = BRAIN_KIND(create_65);
static const gallery_kind brain_225 = BRAIN_KIND(create_225);
static const gallery_kind brain_509 = BRAIN_KIND(create_509);

const gallery_kind *brain_kind(uint32_t nodes)
{
    switch (nodes) {
    case 65:
        return &gallery_brain;
    case 225:
        return &brain_225;
    case 509:
        return &brain_509;
    default:
        return NULL;
    }
}
