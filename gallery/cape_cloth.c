/*
 * Based on: M. Mueller, B. Heidelberger, M. Hennix, J. Ratcliff, "Position Based Dynamics", 2007.
 * Bending is a link between the two vertices opposite to an edge, as in Provot's springs (1995).
 */
#include "cape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY    9.81
#define DRAG       2.0 /* share of the velocity lost per second */
#define STRETCHING 1.0 /* share of a link's error taken away in a round */
#define BENDING    0.1
#define PULLED     0.15 /* in edges: how far a pull takes a vertex in a round */

/* An edge as one triangle has it: its ends, the lower first, and the third corner. */
typedef struct cape_side {
    uint32_t a, b, opposite;
} cape_side;

static int compare_sides(const void *left, const void *right)
{
    const cape_side *l = left, *r = right;
    if (l->a != r->a) {
        return l->a < r->a ? -1 : 1;
    }
    if (l->b != r->b) {
        return l->b < r->b ? -1 : 1;
    }
    return l->opposite < r->opposite ? -1 : l->opposite > r->opposite;
}

static cape_side *sort_sides(const gallery_mesh *mesh)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    cape_side *sides = malloc((count + 1) * sizeof *sides);
    for (size_t i = 0; i < count && sides != NULL; i++) {
        const uint32_t *corners = mesh->triangles + i / 3 * 3;
        uint32_t a = corners[i % 3], b = corners[(i + 1) % 3];
        sides[i] = (cape_side){a < b ? a : b, a < b ? b : a, corners[(i + 2) % 3]};
    }
    if (sides != NULL) {
        qsort(sides, count, sizeof *sides, compare_sides);
    }
    return sides;
}

static double difference(const double a[3], const double b[3], double d[3])
{
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = b[axis] - a[axis];
    }
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static cape_link make_link(const cape_cloth *cloth, uint32_t a, uint32_t b)
{
    double d[3];
    return (cape_link){a, b, difference(cloth->places[a], cloth->places[b], d)};
}

/* Edges in ascending order run from the neck outwards, the way the load is passed on. */
static bool make_links(const gallery_mesh *mesh, cape_cloth *cloth)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    cape_side *sides = sort_sides(mesh);
    cloth->edges = malloc((count + 1) * sizeof *cloth->edges);
    cloth->bends = malloc((count + 1) * sizeof *cloth->bends);
    bool done = sides != NULL && cloth->edges != NULL && cloth->bends != NULL;
    double sum = 0.0;
    for (size_t i = 0; i < count && done; i++) {
        bool again = i > 0 && sides[i].a == sides[i - 1].a && sides[i].b == sides[i - 1].b;
        if (again) {
            cloth->bends[cloth->bend_count++] =
                make_link(cloth, sides[i - 1].opposite, sides[i].opposite);
        } else {
            cloth->edges[cloth->edge_count] = make_link(cloth, sides[i].a, sides[i].b);
            sum += cloth->edges[cloth->edge_count++].length;
        }
    }
    cloth->edge = done ? sum / (double)cloth->edge_count : 0.0;
    free(sides);
    return done;
}

bool cape_cloth_create(const gallery_mesh *mesh, cape_cloth *cloth)
{
    *cloth = (cape_cloth){.count = mesh->vertex_count};
    cloth->places = calloc(cloth->count, sizeof *cloth->places);
    cloth->starts = calloc(cloth->count, sizeof *cloth->starts);
    cloth->velocities = calloc(cloth->count, sizeof *cloth->velocities);
    cloth->positions = calloc(3 * (size_t)cloth->count, sizeof *cloth->positions);
    if (cloth->places == NULL || cloth->starts == NULL || cloth->velocities == NULL ||
        cloth->positions == NULL) {
        cape_cloth_destroy(cloth);
        return false;
    }
    memcpy(cloth->positions, mesh->positions, 3 * (size_t)cloth->count * sizeof(float));
    for (size_t i = 0; i < 3 * (size_t)cloth->count; i++) {
        cloth->places[i / 3][i % 3] = (double)mesh->positions[i];
    }
    if (!make_links(mesh, cloth)) {
        cape_cloth_destroy(cloth);
        return false;
    }
    return true;
}

void cape_cloth_destroy(cape_cloth *cloth)
{
    free(cloth->places);
    free(cloth->starts);
    free(cloth->velocities);
    free(cloth->positions);
    free(cloth->edges);
    free(cloth->bends);
    *cloth = (cape_cloth){0};
}

void cape_cloth_predict(cape_cloth *cloth, double seconds)
{
    memcpy(cloth->starts, cloth->places, cloth->count * sizeof *cloth->starts);
    for (uint32_t i = 0; i < cloth->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double velocity = cloth->velocities[i][axis] - (axis == 2 ? GRAVITY * seconds : 0.0);
            velocity *= 1.0 - DRAG * seconds;
            cloth->places[i][axis] += seconds * velocity;
        }
    }
}

/* Both ends go half of the way each. */
static void relax(cape_cloth *cloth, const cape_link *link, double share)
{
    double d[3], *a = cloth->places[link->a], *b = cloth->places[link->b];
    double length = difference(a, b, d);
    if (length > 0.0) {
        double move = 0.5 * share * (length - link->length) / length;
        for (int axis = 0; axis < 3; axis++) {
            a[axis] += move * d[axis];
            b[axis] -= move * d[axis];
        }
    }
}

void cape_cloth_relax(cape_cloth *cloth)
{
    for (uint32_t i = 0; i < cloth->bend_count; i++) {
        relax(cloth, &cloth->bends[i], BENDING);
    }
    for (uint32_t i = 0; i < cloth->edge_count; i++) {
        relax(cloth, &cloth->edges[i], STRETCHING);
    }
}

/* No farther than the links can follow, or the cloth would be torn through what is in its way. */
void cape_cloth_pull(cape_cloth *cloth, const cape_pull *pull)
{
    if (pull->is_on) {
        double d[3], *place = cloth->places[pull->vertex];
        double length = difference(place, pull->to, d), most = PULLED * cloth->edge;
        for (int axis = 0; axis < 3; axis++) {
            place[axis] += length > most ? most / length * d[axis] : d[axis];
        }
    }
}

void cape_cloth_limit(cape_cloth *cloth, double most)
{
    for (uint32_t i = 0; i < cloth->count; i++) {
        double d[3], length = difference(cloth->starts[i], cloth->places[i], d);
        for (int axis = 0; axis < 3 && length > most; axis++) {
            cloth->places[i][axis] = cloth->starts[i][axis] + most / length * d[axis];
        }
    }
}

void cape_cloth_round(cape_cloth *cloth)
{
    for (size_t i = 0; i < 3 * (size_t)cloth->count; i++) {
        cloth->positions[i] = (float)cloth->places[i / 3][i % 3];
    }
}

void cape_cloth_restart(cape_cloth *cloth)
{
    memcpy(cloth->places, cloth->starts, cloth->count * sizeof *cloth->places);
    cape_cloth_round(cloth);
}

void cape_cloth_finish(cape_cloth *cloth, double seconds)
{
    for (uint32_t i = 0; i < cloth->count; i++) {
        for (size_t axis = 0; axis < 3; axis++) {
            double place = (double)cloth->positions[3 * (size_t)i + axis];
            cloth->places[i][axis] = place;
            cloth->velocities[i][axis] = (place - cloth->starts[i][axis]) / seconds;
        }
    }
}
