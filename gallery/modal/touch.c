#include "touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* Normals of vertices, weighted by the triangles' areas. */
static double (*find_normals(const gallery_mesh *mesh))[3]
{
    double(*normals)[3] = calloc(mesh->vertex_count + 1, sizeof *normals);
    for (uint32_t t = 0; t < mesh->triangle_count && normals != NULL; t++) {
        const uint32_t *corners = mesh->triangles + 3 * (size_t)t;
        double sides[2][3], normal[3];
        for (size_t a = 0; a < 3; a++) {
            double origin = (double)mesh->positions[3 * (size_t)corners[0] + a];
            sides[0][a] = (double)mesh->positions[3 * (size_t)corners[1] + a] - origin;
            sides[1][a] = (double)mesh->positions[3 * (size_t)corners[2] + a] - origin;
        }
        modal_cross(sides[0], sides[1], normal);
        for (int i = 0; i < 3; i++) {
            for (int a = 0; a < 3; a++) {
                normals[corners[i]][a] += normal[a];
            }
        }
    }
    return normals;
}

static bool is_free(const modal_samples *samples, const gallery_mesh *mesh, uint32_t vertex,
                    double spacing)
{
    for (uint32_t i = 0; i < samples->count; i++) {
        double square = 0.0;
        for (size_t a = 0; a < 3; a++) {
            double side = (double)mesh->positions[3 * (size_t)vertex + a] -
                          (double)mesh->positions[3 * (size_t)samples->samples[i].vertex + a];
            square += side * side;
        }
        if (square < spacing * spacing) {
            return false;
        }
    }
    return true;
}

bool modal_sample_mesh(const gallery_mesh *mesh, double spacing, double radius,
                       modal_samples *samples)
{
    *samples = (modal_samples){.radius = radius};
    double(*normals)[3] = find_normals(mesh);
    samples->samples = calloc(mesh->vertex_count + 1, sizeof *samples->samples);
    bool done = normals != NULL && samples->samples != NULL;
    for (uint32_t v = 0; v < mesh->vertex_count && done; v++) {
        double length = sqrt(modal_dot(normals[v], normals[v]));
        if (length > 0.0 && is_free(samples, mesh, v, spacing)) {
            modal_sample *sample = &samples->samples[samples->count++];
            sample->vertex = v;
            for (size_t a = 0; a < 3; a++) {
                sample->centre[a] = (float)((double)mesh->positions[3 * (size_t)v + a] -
                                            radius / length * normals[v][a]);
            }
        }
    }
    free(normals);
    if (!done) {
        modal_samples_free(samples);
    }
    return done;
}

void modal_samples_free(modal_samples *samples)
{
    free(samples->samples);
    memset(samples, 0, sizeof *samples);
}

bool modal_touch_add(modal_touch *touch, const modal_contact *contact)
{
    if (touch->contact_count == touch->contact_capacity) {
        uint32_t capacity = touch->contact_capacity > 0 ? 2 * touch->contact_capacity : 256;
        modal_contact *grown = realloc(touch->contacts, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        touch->contacts = grown;
        touch->contact_capacity = capacity;
    }
    touch->contacts[touch->contact_count++] = *contact;
    return true;
}

/* Slots are as many as a power of two above the balls. */
static uint32_t slot_count(const modal_touch *touch)
{
    uint32_t count = 64;
    while (count < 2 * touch->ball_capacity) {
        count *= 2;
    }
    return count;
}

static uint32_t slot_of(const int32_t cell[3], uint32_t count)
{
    uint32_t hash = (uint32_t)cell[0] * 73856093u ^ (uint32_t)cell[1] * 19349663u ^
                    (uint32_t)cell[2] * 83492791u;
    return (hash ^ hash >> 15) & (count - 1);
}

static void cell_of(const double centre[3], double side, int32_t cell[3])
{
    for (int a = 0; a < 3; a++) {
        cell[a] = (int32_t)fmin(fmax(floor(centre[a] / side), -1e9), 1e9);
    }
}

/* Two balls, `b` found near `a`. */
static bool meet(modal_touch *touch, const modal_touch_ball *a, const modal_touch_ball *b,
                 double radius)
{
    double apart[3] = {a->centre[0] - b->centre[0], a->centre[1] - b->centre[1],
                       a->centre[2] - b->centre[2]};
    double square = modal_dot(apart, apart);
    if (a->body == b->body || square >= 4.0 * radius * radius || square == 0.0) {
        return true;
    }
    double distance = sqrt(square);
    modal_contact contact = {.a = a->body, .b = b->body};
    contact.vertex_a = a->vertex;
    contact.vertex_b = b->vertex;
    contact.depth = (float)(2.0 * radius - distance);
    for (int i = 0; i < 3; i++) {
        contact.point[i] = (float)(0.5 * (a->centre[i] + b->centre[i]));
        contact.normal[i] = (float)(apart[i] / distance);
    }
    return modal_touch_add(touch, &contact);
}

/* Meets all balls that are in the table already, and joins them. */
static bool join(modal_touch *touch, uint32_t ball, double radius, uint32_t slots)
{
    const modal_touch_ball *own = &touch->balls[ball];
    int32_t cell[3];
    cell_of(own->centre, 2.0 * radius, cell);
    for (int32_t i = 0; i < 27; i++) {
        const int32_t near[3] = {cell[0] + i % 3 - 1, cell[1] + i / 3 % 3 - 1, cell[2] + i / 9 - 1};
        for (uint32_t other = touch->slots[slot_of(near, slots)]; other != NONE;
             other = touch->next[other]) {
            int32_t found[3];
            cell_of(touch->balls[other].centre, 2.0 * radius, found);
            /* Two neighbouring cells may share a slot: take a ball in its own cell only. */
            if (memcmp(found, near, sizeof found) == 0 &&
                !meet(touch, own, &touch->balls[other], radius)) {
                return false;
            }
        }
    }
    uint32_t slot = slot_of(cell, slots);
    touch->next[ball] = touch->slots[slot];
    touch->slots[slot] = ball;
    return true;
}

static bool make_room(modal_touch *touch, uint32_t ball_count)
{
    if (ball_count <= touch->ball_capacity) {
        return true;
    }
    touch->ball_capacity = ball_count;
    free(touch->balls);
    free(touch->slots);
    free(touch->next);
    touch->balls = malloc(ball_count * sizeof *touch->balls);
    touch->slots = malloc(slot_count(touch) * sizeof *touch->slots);
    touch->next = malloc(ball_count * sizeof *touch->next);
    if (touch->balls == NULL || touch->slots == NULL || touch->next == NULL) {
        touch->ball_capacity = 0;
        return false;
    }
    return true;
}

bool modal_touch_bodies(modal_touch *touch, const modal_world *world, uint32_t first, uint32_t end,
                        const modal_samples *samples)
{
    touch->contact_count = 0;
    touch->ball_count = 0;
    if (!make_room(touch, (end - first) * samples->count)) {
        return false;
    }
    uint32_t slots = slot_count(touch);
    memset(touch->slots, 0xff, slots * sizeof *touch->slots);
    for (uint32_t body = first; body < end; body++) {
        for (uint32_t i = 0; i < samples->count; i++) {
            const modal_sample *sample = &samples->samples[i];
            uint32_t ball = touch->ball_count++;
            touch->balls[ball].body = body;
            touch->balls[ball].vertex = sample->vertex;
            modal_world_place(world, body, sample->centre, sample->vertex,
                              touch->balls[ball].centre);
            if (!join(touch, ball, samples->radius, slots)) {
                return false;
            }
        }
    }
    return true;
}

void modal_touch_free(modal_touch *touch)
{
    free(touch->contacts);
    free(touch->balls);
    free(touch->slots);
    free(touch->next);
    memset(touch, 0, sizeof *touch);
}
