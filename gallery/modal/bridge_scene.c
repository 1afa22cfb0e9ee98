/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree", 2004, section 4: fish falling on a swaying bridge, a
 * compressed animation. The paper has about 12,000 of them; see models.h for those.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "models.h"
#include "record.h"
#include "touch.h"

#define FISH_FACES 3000 /* of each fish, unless the bridge has the paper's size */
#define WORLD_STEP (1.0 / 240.0)
#define SPACING    0.13 /* of the balls below the fish's skin */
#define BALL       0.045
#define LEAD       2.8  /* metres that the road will have swung aside when the fish arrive */
#define DEEPEST    0.25 /* metres below the road from where a fish still comes up */

/* The upper side of the road as strips between stations, for a rough test of what lies on it. */
typedef struct bridge_road {
    const gallery_mesh *mesh;
    uint32_t ring, stations;
    uint32_t left, right; /* the upper vertices of a ring that are farthest apart */
} bridge_road;

typedef struct bridge_work {
    modal_animation animation;
    modal_model bridge, fish;
    modal_samples samples;
    modal_touch touch;
    modal_world *world;
    bridge_road road;
} bridge_work;

/* The road is the first part of the mesh, ring after ring; a ring has one x at rest. In the mean of
   the animation that is so only nearly, so rings are counted on the original. */
static bool survey_road(uint32_t triangles, const gallery_mesh *mesh, bridge_road *road)
{
    gallery_mesh original;
    if (!modal_mesh_bridge(triangles, &original)) {
        return false;
    }
    *road = (bridge_road){.mesh = mesh};
    const float *p = original.positions;
    while (p[3 * (size_t)road->ring] == p[0]) {
        road->ring++;
    }
    float end = (float)(0.5 * MODAL_BRIDGE_LENGTH);
    while (p[3 * (size_t)road->stations * road->ring] < end) {
        road->stations++;
    }
    road->stations++;
    for (uint32_t i = 0; i < road->ring; i++) {
        if (p[3 * (size_t)i + 2] > 0.8f * (float)MODAL_BRIDGE_ROAD) {
            bool first = p[3 * (size_t)road->left + 2] <= 0.8f * (float)MODAL_BRIDGE_ROAD;
            float y = p[3 * (size_t)i + 1];
            road->left = first || y < p[3 * (size_t)road->left + 1] ? i : road->left;
            road->right = first || y > p[3 * (size_t)road->right + 1] ? i : road->right;
        }
    }
    mesh_free(&original);
    return true;
}

static void road_point(const bridge_work *work, uint32_t station, uint32_t corner, double point[3])
{
    uint32_t vertex = station * work->road.ring + corner;
    modal_world_place(work->world, 0, work->road.mesh->positions + 3 * (size_t)vertex, vertex,
                      point);
}

/* Sides are numbered from left to right along the ring, which runs from y < 0 or y > 0. */
static uint32_t nearest_corner(const bridge_work *work, double across)
{
    double from = work->road.left, to = work->road.right;
    return (uint32_t)floor(from + fmin(fmax(across, 0.0), 1.0) * (to - from) + 0.5);
}

/* A ball against the strip of road below it: the plane through the station's two edges. */
static bool touch_road(bridge_work *work, const modal_touch_ball *ball)
{
    double share = ball->centre[0] / MODAL_BRIDGE_LENGTH + 0.5;
    double last = (double)(work->road.stations - 1);
    double at = floor(share * last + 0.5);
    if (at < 0.0 || at > last - 1.0) {
        return true;
    }
    uint32_t station = (uint32_t)at;
    double left[3], right[3], onward[3], across[3], along[3], from[3], normal[3];
    road_point(work, station, work->road.left, left);
    road_point(work, station, work->road.right, right);
    road_point(work, station + 1, work->road.left, onward);
    for (int a = 0; a < 3; a++) {
        across[a] = right[a] - left[a];
        along[a] = onward[a] - left[a];
        from[a] = ball->centre[a] - left[a];
    }
    modal_cross(along, across, normal);
    double length = sqrt(modal_dot(normal, normal));
    double width = modal_dot(from, across) / modal_dot(across, across);
    double depth = work->samples.radius - modal_dot(from, normal) / length;
    if (width < 0.0 || width > 1.0 || depth <= 0.0 || depth > DEEPEST) {
        return true;
    }
    modal_contact contact = {.a = ball->body, .b = 0, .vertex_a = ball->vertex};
    contact.vertex_b = station * work->road.ring + nearest_corner(work, width);
    contact.depth = (float)depth;
    for (int a = 0; a < 3; a++) {
        contact.point[a] = (float)ball->centre[a];
        contact.normal[a] = (float)(normal[a] / length);
    }
    return modal_touch_add(&work->touch, &contact);
}

static bool make_world(const gallery_scene *scene, double step, bridge_work *work)
{
    modal_world_def def = modal_world_default();
    def.time_step = step;
    def.contact_frequency = 90.0;
    def.friction = 0.6;
    work->bridge = modal_driven_model(&scene->bodies[0], &work->animation);
    work->world = modal_world_create(&def);
    modal_start starts[GALLERY_MAX_BODIES];
    modal_start_fish(scene->body_count - 1, work->fish.radius, scene->seed, starts);
    if (work->world == NULL || modal_world_add_shape(work->world, &work->bridge) != 0 ||
        modal_world_add_shape(work->world, &work->fish) != 1) {
        return false;
    }
    modal_matrix upright = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (modal_world_add_body(work->world, 0, (const double[3]){0, 0, 0}, &upright, true) != 0) {
        return false;
    }
    for (uint32_t i = 1; i < scene->body_count; i++) {
        modal_start *start = &starts[i - 1];
        start->position[1] += LEAD;
        if (modal_world_add_body(work->world, 1, start->position, &start->rotation, false) != i) {
            return false;
        }
        modal_world_set_velocity(work->world, i, start->velocity, start->spin);
    }
    return true;
}

/* The bridge swings once over the whole motion. */
static void drive(const gallery_scene *scene, bridge_work *work, double step)
{
    float coordinates[MODAL_BRIDGE_MODES];
    modal_animation_at(&work->animation, step / scene->steps * (MODAL_BRIDGE_FRAMES - 1),
                       coordinates);
    modal_world_drive(work->world, 0, coordinates);
}

static bool advance(const gallery_scene *scene, bridge_work *work)
{
    if (!modal_touch_bodies(&work->touch, work->world, 1, scene->body_count, &work->samples)) {
        return false;
    }
    for (uint32_t i = 0; i < work->touch.ball_count; i++) {
        if (!touch_road(work, &work->touch.balls[i])) {
            return false;
        }
    }
    modal_world_step(work->world, work->touch.contacts, work->touch.contact_count);
    return true;
}

static bool simulate(const gallery_scene *scene, bridge_work *work, const modal_record *record)
{
    double time = MODAL_BRIDGE_PERIOD / scene->steps;
    uint32_t substeps = (uint32_t)ceil(time / WORLD_STEP - 1e-9);
    if (!make_world(scene, time / substeps, work)) {
        return false;
    }
    /* One step without contacts puts the bridge where it starts. */
    drive(scene, work, 0.0);
    modal_world_step(work->world, NULL, 0);
    for (uint32_t step = 0; step <= scene->steps; step++) {
        for (uint32_t body = 0; body < scene->body_count; body++) {
            float *numbers = modal_record_at(record, body, step);
            modal_world_state(work->world, body, numbers,
                              body == 0 ? NULL : numbers + MODAL_FISH_MODES);
        }
        for (uint32_t i = 0; i < substeps && step < scene->steps; i++) {
            drive(scene, work, step + (i + 1.0) / substeps);
            if (!advance(scene, work)) {
                return false;
            }
        }
    }
    return true;
}

static bool copy_fish(gallery_scene *scene, const gallery_mesh *mesh, const modal_model *model)
{
    for (uint32_t i = 1; i < scene->body_count; i++) {
        if (!modal_copy_body(mesh, model, &scene->bodies[i], &scene->models[i])) {
            return false;
        }
    }
    return true;
}

static bool create(gallery_scene *scene, uint32_t triangles)
{
    bridge_work work = {0};
    gallery_mesh fish = {0};
    modal_record *record = calloc(1, sizeof *record);
    scene->own = record;
    uint32_t fish_faces = triangles == MODAL_BRIDGE_FACES ? MODAL_FISH_FACES : FISH_FACES;
    bool done = record != NULL && modal_make_bridge(triangles, &scene->bodies[0], &work.animation);
    done = done && modal_copy_model(work.animation.modes, work.animation.mode_count,
                                    work.animation.vertex_count, false, &scene->models[0]);
    done = done && survey_road(triangles, &scene->bodies[0], &work.road) &&
           modal_make_fish(fish_faces, &fish, &work.fish) &&
           modal_sample_mesh(&fish, SPACING, BALL, &work.samples) &&
           copy_fish(scene, &fish, &work.fish);
    done = done && modal_record_create(scene, record) && simulate(scene, &work, record);
    mesh_free(&fish);
    modal_model_free(&work.fish);
    modal_animation_free(&work.animation);
    modal_samples_free(&work.samples);
    modal_touch_free(&work.touch);
    modal_world_destroy(work.world);
    return done;
}

const gallery_kind gallery_bridge = {
    .name = "bridge",
    .title = "Fish fall on a swaying bridge",
    .description = "a bridge of 10 principal components sways, and fish of 3 vibration modes fall "
                   "on it (James and Pai 2004); 240316 triangles for the paper's bridge",
    .body_count = 21,
    .triangles = 24000,
    .steps = 240,
    .create = create,
    .destroy = modal_record_destroy_own,
    .state = modal_record_state,
};
