/* The cape on the walking figure, with a pointer that pulls at it. */
#include "live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gallery/cape.h"
#include "gallery/figure.h"

#define STEP     (1.0 / 240.0)
#define FIGURE   3000 /* triangles; a coarser one has no neck */
#define NEAR     0.45 /* the cloth is coarse and moves by less than that in a step */
#define PATIENCE 4    /* whoever looks has less of it: the figure is late, and nobody minds */
#define HELD_OFF 0.42 /* in edges of the cloth: a little farther than the solver holds vertices */

static struct {
    live_world shown;
    live_body bodies[2]; /* cape and figure */
    gallery_mesh cape, figure;
    gallery_model model;
    pliant_context *context;
    pliant_query *query;
    cape_world world;
} at;

static void destroy(void)
{
    cape_world_destroy(&at.world);
    pliant_query_destroy(at.query);
    pliant_context_destroy(at.context);
    gallery_model_free(&at.model);
    mesh_free(&at.cape);
    mesh_free(&at.figure);
    live_body_free(&at.bodies[0]);
    live_body_free(&at.bodies[1]);
    memset(&at, 0, sizeof at);
}

/* The figure that had to wait for the cloth does not run after where it should be. */
static bool step(void)
{
    if (!cape_world_step(&at.world, at.world.time + STEP, STEP)) {
        return false;
    }
    at.shown.counts.steps++;
    at.shown.counts.seconds = at.shown.counts.steps * STEP;
    at.shown.counts.held = (double)at.world.costs.on_body;
    at.shown.counts.slowed = (double)at.world.counts.slowed;
    at.shown.counts.late = (double)at.world.counts.late;
    return true;
}

static void mark_held(void)
{
    live_body *cape = &at.bodies[0];
    for (uint32_t i = 0; i < at.cape.triangle_count; i++) {
        const uint32_t *corners = &at.cape.triangles[3 * (size_t)i];
        bool held = true;
        for (int k = 0; k < 3; k++) {
            const pliant_signed_distance *found = &at.world.distances[corners[k]];
            held = held && found->closest.found && found->distance < HELD_OFF * at.world.cloth.edge;
        }
        cape->marks[i] = held ? LIVE_HELD : LIVE_NOTHING;
    }
}

/* Asks for what touches, though the guard has proved that nothing does: what the page says is what
   was found. */
static bool look(void)
{
    pliant_contacts found = {0};
    live_body *cape = &at.bodies[0], *figure = &at.bodies[1];
    memcpy(cape->positions, at.world.cloth.positions,
           3 * (size_t)at.cape.vertex_count * sizeof *cape->positions);
    memcpy(figure->positions, at.world.skin_before,
           3 * (size_t)at.figure.vertex_count * sizeof *figure->positions);
    memset(figure->marks, 0, at.figure.triangle_count);
    mark_held();
    if (pliant_body_set_positions(at.world.bodies[0], at.world.cloth.positions, 0) != PLIANT_OK ||
        pliant_collide(at.query, at.world.bodies[0], at.world.bodies[1], NULL, &found) !=
            PLIANT_OK) {
        return false;
    }
    live_mark_pairs(cape, figure, &found);
    at.shown.counts.touching = (double)found.count;
    if (pliant_collide_self(at.query, at.world.bodies[0], NULL, &found) != PLIANT_OK) {
        return false;
    }
    live_mark_pairs(cape, cape, &found);
    at.shown.counts.touching += (double)found.count;
    return true;
}

static void press(uint32_t body, uint32_t vertex, const double point[3], const double along[3])
{
    (void)along;
    if (body == 0) {
        at.world.pull = (cape_pull){true, vertex, {point[0], point[1], point[2]}};
    }
}

static void drag(const double to[3])
{
    memcpy(at.world.pull.to, to, sizeof at.world.pull.to);
}

static void release(void)
{
    at.world.pull.is_on = false;
}

live_world *live_make_cape(uint32_t triangles)
{
    static const double phases[3] = {0.7, 2.1, 4.0};
    memset(&at, 0, sizeof at);
    at.shown = (live_world){.step = step,
                            .look = look,
                            .press = press,
                            .drag = drag,
                            .release = release,
                            .destroy = destroy,
                            .bodies = at.bodies,
                            .body_count = 2};
    if (!cape_make_mesh(triangles, &at.cape) ||
        !figure_make_body(FIGURE / 2 + 2, &at.figure, &at.model) ||
        pliant_context_create(NULL, &at.context) != PLIANT_OK ||
        pliant_query_create(at.context, &at.query) != PLIANT_OK ||
        !cape_world_create(&at.cape, &at.figure, &at.model, phases, at.context, &at.world) ||
        !live_body_make(&at.bodies[0], &at.cape) || !live_body_make(&at.bodies[1], &at.figure)) {
        destroy();
        return NULL;
    }
    at.world.walk = figure_stroll;
    at.world.near = NEAR;
    at.world.patience = PATIENCE;
    return &at.shown;
}
