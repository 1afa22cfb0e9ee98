/* What the page calls to make a world, to move it on and to look at it. */
#include "live.h"

#include <stdlib.h>
#include <string.h>

#include "export.h"

static live_world *world;

bool live_body_make(live_body *body, const gallery_mesh *mesh)
{
    *body = (live_body){.mesh = mesh};
    body->positions = calloc(3 * (size_t)mesh->vertex_count, sizeof *body->positions);
    body->marks = calloc(mesh->triangle_count, 1);
    return body->positions != NULL && body->marks != NULL;
}

void live_body_free(live_body *body)
{
    free(body->positions);
    free(body->marks);
    *body = (live_body){0};
}

void live_mark_pairs(live_body *a, live_body *b, const pliant_contacts *found)
{
    for (uint64_t i = 0; i < found->count; i++) {
        a->marks[found->pairs[i].a] = LIVE_TOUCHING;
        b->marks[found->pairs[i].b] = LIVE_TOUCHING;
    }
}

void EXPORT(live_end)(void)
{
    if (world != NULL) {
        world->destroy();
        world = NULL;
    }
}

/* Number 0 is the cape, 1 the chairs. */
bool EXPORT(live_begin)(uint32_t number, uint32_t triangles)
{
    live_end();
    world = number == 0 ? live_make_cape(triangles) : live_make_chairs(triangles);
    return world != NULL && world->look();
}

/* Goes on by a step. */
bool EXPORT(live_step)(void)
{
    return world->step();
}

/* Fills positions, marks and counts. */
bool EXPORT(live_look)(void)
{
    return world->look();
}

uint32_t EXPORT(live_body_count)(void)
{
    return world->body_count;
}

uint32_t EXPORT(live_vertex_count)(uint32_t body)
{
    return world->bodies[body].mesh->vertex_count;
}

uint32_t EXPORT(live_triangle_count)(uint32_t body)
{
    return world->bodies[body].mesh->triangle_count;
}

const uint32_t *EXPORT(live_triangles)(uint32_t body)
{
    return world->bodies[body].mesh->triangles;
}

const float *EXPORT(live_positions)(uint32_t body)
{
    return world->bodies[body].positions;
}

const unsigned char *EXPORT(live_marks)(uint32_t body)
{
    return world->bodies[body].marks;
}

/* The fields of live_counts, in their order. */
const double *EXPORT(live_get_counts)(void)
{
    return &world->counts.steps;
}

void EXPORT(live_press)(uint32_t body, uint32_t vertex, double x, double y, double z,
                        double along_x, double along_y, double along_z)
{
    if (body < world->body_count && vertex < world->bodies[body].mesh->vertex_count) {
        world->press(body, vertex, (const double[3]){x, y, z},
                     (const double[3]){along_x, along_y, along_z});
    }
}

void EXPORT(live_drag)(double x, double y, double z)
{
    world->drag((const double[3]){x, y, z});
}

void EXPORT(live_release)(void)
{
    world->release();
}
