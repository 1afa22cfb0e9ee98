/* Plastic chairs that vibrate (James and Pai 2004) on a floor, struck with a pointer. */
#include "live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gallery/modal/builder.h"
#include "gallery/modal/models.h"
#include "gallery/modal/touch.h"

#define STEP    (1.0 / 240.0)
#define CHAIRS  5
#define BODIES  (CHAIRS + 1) /* the last one is the floor */
#define SPACING 0.03         /* of the balls below the surface that the solver pushes with */
#define BALL    0.0105
#define HALF    2.2 /* of the floor's side */
#define STRIKE  3.0 /* metres per second that a strike gives a body as a whole */

static struct {
    live_world shown;
    live_body bodies[BODIES];
    gallery_mesh chair, floor;
    modal_model model, ground;
    modal_samples samples;
    modal_touch touch;
    modal_world *world;
    pliant_context *context;
    pliant_shape *shapes[2];
    pliant_body *at[BODIES];
    pliant_body_id ids[BODIES];
    pliant_scene *scene;
} room;

static void destroy(void)
{
    pliant_scene_destroy(room.scene);
    for (int i = 0; i < BODIES; i++) {
        pliant_body_destroy(room.at[i]);
        live_body_free(&room.bodies[i]);
    }
    pliant_shape_destroy(room.shapes[0]);
    pliant_shape_destroy(room.shapes[1]);
    pliant_context_destroy(room.context);
    modal_world_destroy(room.world);
    modal_touch_free(&room.touch);
    modal_samples_free(&room.samples);
    modal_model_free(&room.model);
    mesh_free(&room.chair);
    mesh_free(&room.floor);
    memset(&room, 0, sizeof room);
}

/* Balls below the floor are pushed up, and those beyond its edges back. */
static bool touch_floor(void)
{
    for (uint32_t i = 0; i < room.touch.ball_count; i++) {
        const modal_touch_ball *ball = &room.touch.balls[i];
        double gaps[3] = {HALF - fabs(ball->centre[0]), HALF - fabs(ball->centre[1]),
                          ball->centre[2]};
        for (int axis = 0; axis < 3; axis++) {
            double depth = room.samples.radius - gaps[axis];
            modal_contact contact = {.a = ball->body, .b = CHAIRS, .vertex_a = ball->vertex};
            contact.depth = (float)depth;
            contact.normal[axis] = axis < 2 && ball->centre[axis] > 0.0 ? -1.0f : 1.0f;
            for (int k = 0; k < 3; k++) {
                contact.point[k] = (float)ball->centre[k];
            }
            if (depth > 0.0 && !modal_touch_add(&room.touch, &contact)) {
                return false;
            }
        }
    }
    return true;
}

static bool step(void)
{
    if (!modal_touch_bodies(&room.touch, room.world, 0, CHAIRS, &room.samples) || !touch_floor()) {
        return false;
    }
    modal_world_step(room.world, room.touch.contacts, room.touch.contact_count);
    room.shown.counts.steps++;
    room.shown.counts.seconds = room.shown.counts.steps * STEP;
    room.shown.counts.held = room.touch.contact_count;
    return true;
}

static bool set_states(void)
{
    for (uint32_t i = 0; i < CHAIRS; i++) {
        float coordinates[MODAL_CHAIR_MODES], transform[12];
        modal_world_state(room.world, i, coordinates, transform);
        if (pliant_body_set_coordinates(room.at[i], coordinates, MODAL_CHAIR_MODES) != PLIANT_OK ||
            pliant_body_set_transforms(room.at[i], transform, 1, 0) != PLIANT_OK) {
            return false;
        }
    }
    return true;
}

/* Which body has an id. */
static uint32_t find_body(pliant_body_id id)
{
    uint32_t body = 0;
    while (body < CHAIRS &&
           (room.ids[body].index != id.index || room.ids[body].generation != id.generation)) {
        body++;
    }
    return body;
}

static bool look(void)
{
    pliant_scene_contacts found = {0};
    if (!set_states() || pliant_scene_collide(room.scene, NULL, &found) != PLIANT_OK) {
        return false;
    }
    for (uint32_t i = 0; i < BODIES; i++) {
        live_body *body = &room.bodies[i];
        memset(body->marks, 0, body->mesh->triangle_count);
        if (pliant_body_evaluate(room.at[i], NULL, body->mesh->vertex_count, body->positions) !=
            PLIANT_OK) {
            return false;
        }
    }
    room.shown.counts.touching = 0;
    for (uint32_t i = 0; i < found.body_pair_count; i++) {
        const pliant_scene_pair *pair = &found.bodies[i];
        const pliant_contacts pairs = {.pairs = found.pairs + pair->first, .count = pair->count};
        live_mark_pairs(&room.bodies[find_body(pair->a)], &room.bodies[find_body(pair->b)], &pairs);
        room.shown.counts.touching += (double)pair->count;
    }
    return true;
}

/* Strikes a chair along the direction that somebody looks in. */
static void press(uint32_t body, uint32_t vertex, const double point[3], const double along[3])
{
    double length = sqrt(modal_dot(along, along)), impulse[3];
    for (int axis = 0; axis < 3 && length > 0.0; axis++) {
        impulse[axis] = STRIKE * room.model.mass * along[axis] / length;
    }
    if (length > 0.0 && body < CHAIRS) {
        modal_world_strike(room.world, body, vertex, point, impulse);
    }
}

static void drag(const double to[3])
{
    (void)to; /* a strike is over at once */
}

static void release(void)
{
}

static bool make_floor(void)
{
    modal_builder builder = {0};
    modal_build_beam(&builder, (const double[3]){-HALF, 0, -0.1}, (const double[3]){HALF, 0, -0.1},
                     (const double[2]){2 * HALF, 0.2}, 8);
    return modal_build_finish(&builder, &room.floor);
}

static bool make_world(void)
{
    modal_world_def def = modal_world_default();
    def.time_step = STEP;
    def.contact_frequency = 120.0;
    def.modal_damping = 0.03;
    room.ground = modal_driven_model(&room.floor, NULL);
    room.world = modal_world_create(&def);
    if (room.world == NULL || modal_world_add_shape(room.world, &room.model) != 0 ||
        modal_world_add_shape(room.world, &room.ground) != 1) {
        return false;
    }
    for (uint32_t i = 0; i < CHAIRS; i++) {
        gallery_random random = gallery_random_seed(3, 100 + (uint64_t)i);
        double around = 2.0 * GALLERY_PI * i / CHAIRS, radius = room.model.radius;
        double place[3] = {0.9 * radius * gallery_cos(around), 0.9 * radius * gallery_sin(around),
                           (1.1 + 0.8 * i) * radius};
        modal_matrix rotation;
        gallery_random_rotation(&random, rotation.rows);
        if (modal_world_add_body(room.world, 0, place, &rotation, false) != i) {
            return false;
        }
    }
    modal_matrix upright = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return modal_world_add_body(room.world, 1, (const double[3]){0, 0, 0}, &upright, true) ==
           CHAIRS;
}

static bool make_shape(const gallery_mesh *mesh, const modal_model *model, pliant_shape **shape)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = mesh->positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    if (model != NULL) {
        def.modes = model->modes;
        def.mode_count = model->mode_count;
        def.joint_count = 1;
    }
    return pliant_shape_create(room.context, &def, shape) == PLIANT_OK;
}

static bool make_bodies(void)
{
    bool done = pliant_context_create(NULL, &room.context) == PLIANT_OK &&
                pliant_scene_create(room.context, NULL, &room.scene) == PLIANT_OK &&
                make_shape(&room.chair, &room.model, &room.shapes[0]) &&
                make_shape(&room.floor, NULL, &room.shapes[1]);
    for (int i = 0; i < BODIES && done; i++) {
        const gallery_mesh *mesh = i < CHAIRS ? &room.chair : &room.floor;
        done =
            pliant_body_create(room.shapes[i < CHAIRS ? 0 : 1], NULL, &room.at[i]) == PLIANT_OK &&
            pliant_scene_add(room.scene, room.at[i], NULL, &room.ids[i]) == PLIANT_OK &&
            live_body_make(&room.bodies[i], mesh);
    }
    return done && pliant_body_set_positions(room.at[CHAIRS], room.floor.positions, 0) == PLIANT_OK;
}

live_world *live_make_chairs(uint32_t triangles)
{
    memset(&room, 0, sizeof room);
    room.shown = (live_world){.step = step,
                              .look = look,
                              .press = press,
                              .drag = drag,
                              .release = release,
                              .destroy = destroy,
                              .bodies = room.bodies,
                              .body_count = BODIES};
    if (!modal_make_chair(triangles, &room.chair, &room.model) ||
        !modal_sample_mesh(&room.chair, SPACING, BALL, &room.samples) || !make_floor() ||
        !make_world() || !make_bodies()) {
        destroy();
        return NULL;
    }
    return &room.shown;
}
