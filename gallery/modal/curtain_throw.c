/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models", 2004, section 4: a ball thrown at a compressed animation of a cloth curtain.
 * The paper says neither how heavy the ball is nor how it is pushed back; contacts are those of the
 * world of chairs and fish, by the law of Kelvin and Voigt that the paper uses for these.
 */
#include "curtain_throw.h"

#include <stdlib.h>
#include <string.h>

#include "pliant/query.h"
#include "world.h"

#define FLIGHT_TIME 0.7 /* seconds until the ball hits */
#define SUBSTEPS    16  /* of a frame: the ball moves by less than a centimetre in each */

/* Of the critical damping. A body on a damped spring that can only push leaves with the share
   exp(-2 d acos(d) / sqrt(1 - d d)) of its speed: 0.6. */
#define BALL_DAMPING 0.18

enum { CURTAIN, FLOOR, BALL };

/* The world, and the same curtain as the library sees it, which finds what is nearest. */
typedef struct throw_work {
    const gallery_mesh *mesh;
    modal_model curtain, floor, ball;
    modal_world *world;
    pliant_context *context;
    pliant_shape *shape;
    pliant_body *body;
    pliant_query *query;
} throw_work;

modal_throw modal_draw_throw(gallery_random *random)
{
    modal_throw start = {.isa = PLIANT_ISA_BEST};
    const double target[3] = {gallery_random_range(random, -0.35, 0.35), 0.0,
                              gallery_random_range(random, 1.1, 1.4)};
    start.velocity[0] = gallery_random_range(random, -0.4, 0.4);
    start.velocity[1] = 4.0;
    start.velocity[2] = 0.5 * MODAL_GRAVITY * FLIGHT_TIME;
    for (int a = 0; a < 3; a++) {
        start.centre[a] = target[a] - FLIGHT_TIME * start.velocity[a];
    }
    start.centre[2] = target[2];
    start.spin = gallery_random_range(random, 2.0, 4.0);
    return start;
}

void modal_turned_about_x(double angle, double orientation[4])
{
    orientation[0] = gallery_sin(0.5 * angle);
    orientation[1] = orientation[2] = 0.0;
    orientation[3] = gallery_cos(0.5 * angle);
}

/* A thin shell: of its moment of inertia, two thirds of mass times radius squared. */
static modal_model ball_model(void)
{
    modal_model model = {.mass = MODAL_BALL_MASS, .radius = MODAL_BALL_RADIUS};
    for (int a = 0; a < 3; a++) {
        model.inertia.rows[a][a] =
            2.0 / 3.0 * MODAL_BALL_MASS * MODAL_BALL_RADIUS * MODAL_BALL_RADIUS;
    }
    return model;
}

static bool make_world(const modal_animation *animation, const modal_throw *start, throw_work *work)
{
    static const modal_matrix upright = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    static const double origin[3] = {0, 0, 0};
    modal_world_def def = modal_world_default();
    def.time_step = MODAL_FRAME_TIME / SUBSTEPS;
    def.contact_damping = BALL_DAMPING;
    work->curtain = modal_driven_model(work->mesh, animation);
    work->ball = ball_model();
    work->world = modal_world_create(&def);
    if (work->world == NULL || modal_world_add_shape(work->world, &work->curtain) == UINT32_MAX ||
        modal_world_add_shape(work->world, &work->floor) == UINT32_MAX ||
        modal_world_add_shape(work->world, &work->ball) == UINT32_MAX ||
        modal_world_add_body(work->world, CURTAIN, origin, &upright, true) != CURTAIN ||
        modal_world_add_body(work->world, FLOOR, origin, &upright, true) != FLOOR) {
        return false;
    }
    /* A step without the ball puts the curtain where it starts. */
    modal_world_drive(work->world, CURTAIN, animation->coordinates);
    modal_world_step(work->world, NULL, 0);
    if (modal_world_add_body(work->world, BALL, start->centre, &upright, false) != BALL) {
        return false;
    }
    modal_world_set_velocity(work->world, BALL, start->velocity,
                             (const double[3]){start->spin, 0.0, 0.0});
    return true;
}

static bool make_query(const modal_animation *animation, pliant_isa isa, throw_work *work)
{
    pliant_context_def context = pliant_context_def_default();
    context.isa = isa;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = work->mesh->positions;
    def.triangles = work->mesh->triangles;
    def.vertex_count = work->mesh->vertex_count;
    def.triangle_count = work->mesh->triangle_count;
    def.modes = animation->modes;
    def.mode_count = animation->mode_count;
    return pliant_context_create(&context, &work->context) == PLIANT_OK &&
           pliant_query_create(work->context, &work->query) == PLIANT_OK &&
           pliant_shape_create(work->context, &def, &work->shape) == PLIANT_OK &&
           pliant_body_create(work->shape, NULL, &work->body) == PLIANT_OK &&
           pliant_body_set_coordinates(work->body, animation->coordinates, animation->mode_count) ==
               PLIANT_OK;
}

static void free_work(throw_work *work)
{
    pliant_query_destroy(work->query);
    pliant_body_destroy(work->body);
    pliant_shape_destroy(work->shape);
    pliant_context_destroy(work->context);
    modal_world_destroy(work->world);
}

/* The corner of a triangle that is nearest to a point. */
static uint32_t nearest_corner(const throw_work *work, uint32_t triangle, const double point[3])
{
    const uint32_t *corners = work->mesh->triangles + 3 * (size_t)triangle;
    uint32_t nearest = corners[0];
    double least = 0.0;
    for (int i = 0; i < 3; i++) {
        double at[3], side[3];
        modal_world_place(work->world, CURTAIN, work->mesh->positions + 3 * (size_t)corners[i],
                          corners[i], at);
        for (int a = 0; a < 3; a++) {
            side[a] = at[a] - point[a];
        }
        double square = modal_dot(side, side);
        if (i == 0 || square < least) {
            least = square;
            nearest = corners[i];
        }
    }
    return nearest;
}

/* The ball is pushed away from the point of the curtain that is nearest to its centre. */
static bool touch_curtain(const throw_work *work, const double centre[3], modal_contact *contact)
{
    const float from[3] = {(float)centre[0], (float)centre[1], (float)centre[2]};
    pliant_closest closest;
    if (pliant_find_closest_point(work->query, work->body, from, (float)MODAL_BALL_RADIUS,
                                  &closest) != PLIANT_OK ||
        !closest.found || closest.distance <= 0.0) {
        return false;
    }
    *contact = (modal_contact){.a = BALL, .b = CURTAIN};
    contact->vertex_b = nearest_corner(work, closest.triangle, closest.at.point);
    contact->depth = (float)(MODAL_BALL_RADIUS - closest.distance);
    for (int a = 0; a < 3; a++) {
        contact->point[a] = (float)closest.at.point[a];
        contact->normal[a] = (float)((centre[a] - closest.at.point[a]) / closest.distance);
    }
    return true;
}

static bool touch_floor(const double centre[3], modal_contact *contact)
{
    double depth = MODAL_BALL_RADIUS - (centre[2] - MODAL_BALL_FLOOR);
    *contact = (modal_contact){.a = BALL, .b = FLOOR, .depth = (float)depth};
    contact->normal[2] = 1.0f;
    contact->point[0] = (float)centre[0];
    contact->point[1] = (float)centre[1];
    contact->point[2] = (float)MODAL_BALL_FLOOR;
    return depth > 0.0;
}

/* One step of the world; `frame` is the time at its end, in frames. */
static bool advance(const modal_animation *animation, double frame, throw_work *work)
{
    float coordinates[MODAL_CURTAIN_MODES];
    modal_contact contacts[2];
    uint64_t count = 0;
    double centre[3];
    modal_world_place(work->world, BALL, (const float[3]){0, 0, 0}, 0, centre);
    count += touch_curtain(work, centre, &contacts[count]);
    count += touch_floor(centre, &contacts[count]);
    modal_animation_at(animation, frame, coordinates);
    modal_world_drive(work->world, CURTAIN, coordinates);
    modal_world_step(work->world, contacts, count);
    return pliant_body_set_coordinates(work->body, coordinates, animation->mode_count) == PLIANT_OK;
}

static void record(const throw_work *work, modal_ball *ball)
{
    float transform[12];
    modal_matrix rotation;
    modal_world_place(work->world, BALL, (const float[3]){0, 0, 0}, 0, ball->centre);
    modal_world_state(work->world, BALL, NULL, transform);
    for (int i = 0; i < 9; i++) {
        rotation.rows[i / 3][i % 3] = (double)transform[4 * (i / 3) + i % 3];
    }
    modal_orientation(&rotation, ball->orientation);
}

bool modal_throw_ball(const gallery_mesh *mesh, const modal_animation *animation,
                      const modal_throw *start, modal_ball *balls)
{
    throw_work work = {.mesh = mesh};
    bool done = make_world(animation, start, &work) && make_query(animation, start->isa, &work);
    for (uint32_t f = 0; f < animation->frame_count && done; f++) {
        record(&work, &balls[f]);
        for (uint32_t i = 0; i < SUBSTEPS && f + 1 < animation->frame_count && done; i++) {
            done = advance(animation, f + (i + 1.0) / SUBSTEPS, &work);
        }
    }
    free_work(&work);
    return done;
}
