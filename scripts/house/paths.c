/*
 * Four queries, one each per run, for scripts/house/paths.py:
 *
 *   paths collide|scene|meetings|contours
 *
 * Two spheres of 2,208 triangles that touch; the query runs twice. Fails if nothing
 * touches.
 */
#include <math.h>
#include <pliant/contour.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RINGS = 24, SEGMENTS = 48, TRIANGLES = 2 * SEGMENTS * (RINGS - 1) };

typedef struct sphere {
    float positions[2 + (RINGS - 1) * SEGMENTS][3];
    uint32_t triangles[TRIANGLES][3];
} sphere;

static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "paths: %s\n", pliant_last_error());
        exit(1);
    }
}

/* Returns the index of a vertex of a ring; rings 0 and RINGS are the poles. */
static uint32_t vertex_of(int ring, int segment)
{
    if (ring == 0 || ring == RINGS) {
        return ring == 0 ? 0 : 1;
    }
    return (uint32_t)(2 + (ring - 1) * SEGMENTS + segment % SEGMENTS);
}

static void make_sphere(sphere *made, float x)
{
    const double pi = 3.14159265358979323846;
    uint32_t count = 0;
    for (int ring = 0; ring <= RINGS; ring++) {
        for (int segment = 0; segment < SEGMENTS; segment++) {
            double polar = pi * ring / RINGS, angle = 2 * pi * segment / SEGMENTS;
            float *position = made->positions[vertex_of(ring, segment)];
            position[0] = x + (float)(sin(polar) * cos(angle));
            position[1] = (float)(sin(polar) * sin(angle));
            position[2] = (float)cos(polar);
            uint32_t here = vertex_of(ring, segment), next = vertex_of(ring, segment + 1);
            uint32_t below = vertex_of(ring + 1, segment), last = vertex_of(ring + 1, segment + 1);
            if (ring > 0 && ring < RINGS) {
                memcpy(made->triangles[count++], (uint32_t[3]){here, below, next}, 12);
            }
            if (ring + 1 < RINGS) {
                memcpy(made->triangles[count++], (uint32_t[3]){next, below, last}, 12);
            }
        }
    }
}

/* The objects that the queries need. */
typedef struct world {
    pliant_context *context;
    pliant_shape *shape;
    pliant_body *a, *b;
    pliant_query *query;
    pliant_scene *scene;
    pliant_contours *contours;
} world;

static uint64_t run_collide(world *world)
{
    pliant_contacts found;
    check(pliant_collide(world->query, world->a, world->b, NULL, &found));
    return found.count;
}

static uint64_t run_scene(world *world)
{
    pliant_scene_contacts found;
    check(pliant_scene_collide(world->scene, NULL, &found));
    return found.count;
}

static uint64_t run_meetings(world *world)
{
    pliant_meetings found;
    check(pliant_find_meetings(world->query, world->a, world->b, NULL, &found));
    return found.count;
}

static uint64_t run_contours(world *world)
{
    pliant_contour_set found;
    check(pliant_contours_find(world->contours, world->a, world->b, NULL, &found));
    return found.segment_count;
}

static const struct path {
    const char *name;
    uint64_t (*run)(world *world);
} paths[] = {{"collide", run_collide},
             {"scene", run_scene},
             {"meetings", run_meetings},
             {"contours", run_contours}};

static void make_world(world *world, const sphere *sphere)
{
    pliant_context_def context = pliant_context_def_default();
    pliant_shape_def shape = pliant_shape_def_default();
    pliant_body_id id;
    context.workers = 2;
    shape.positions = sphere->positions[0];
    shape.vertex_count = sizeof sphere->positions / sizeof sphere->positions[0];
    shape.triangles = sphere->triangles[0];
    shape.triangle_count = TRIANGLES;
    check(pliant_context_create(&context, &world->context));
    check(pliant_shape_create(world->context, &shape, &world->shape));
    check(pliant_body_create(world->shape, NULL, &world->a));
    check(pliant_body_create(world->shape, NULL, &world->b));
    check(pliant_query_create(world->context, &world->query));
    check(pliant_scene_create(world->context, NULL, &world->scene));
    check(pliant_scene_add(world->scene, world->a, NULL, &id));
    check(pliant_scene_add(world->scene, world->b, NULL, &id));
    check(pliant_contours_create(world->context, &world->contours));
}

static void destroy_world(world *world)
{
    pliant_contours_destroy(world->contours);
    pliant_scene_destroy(world->scene);
    pliant_query_destroy(world->query);
    pliant_body_destroy(world->b);
    pliant_body_destroy(world->a);
    pliant_shape_destroy(world->shape);
    pliant_context_destroy(world->context);
}

int main(int argc, char **argv)
{
    static sphere sphere;
    world world = {0};
    uint64_t count = 0;
    make_sphere(&sphere, 0);
    make_world(&world, &sphere);
    for (size_t i = 0; argc == 2 && i < sizeof paths / sizeof paths[0]; i++) {
        for (int play = 0; play < 2 && strcmp(argv[1], paths[i].name) == 0; play++) {
            make_sphere(&sphere, 1.75f);
            check(pliant_body_set_positions(world.b, sphere.positions[0], 0));
            check(pliant_body_begin_step(world.b));
            make_sphere(&sphere, 1.5f);
            check(pliant_body_set_positions(world.b, sphere.positions[0], 0));
            count = paths[i].run(&world);
        }
    }
    destroy_world(&world);
    if (count == 0) {
        fprintf(stderr, "usage: paths collide|scene|meetings|contours\n");
    }
    return count == 0;
}
