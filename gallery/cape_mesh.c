#include "cape.h"

#include <math.h>

#define HOLE   0.085 /* radius of the opening, around the neck */
#define RIM    0.72  /* radius of the whole */
#define BACK   0.12  /* by which the middle of the rim lies behind that of the hole */
#define HEIGHT 1.5   /* of the flat cloth: between shoulders and chin */

/* Rings of vertices around the hole, `spacing` apart and on each ring. */
typedef struct cape_rings {
    uint32_t count; /* of rings */
    double spacing;
} cape_rings;

static double ring_radius(const cape_rings *rings, uint32_t ring)
{
    return HOLE + (RIM - HOLE) * (double)ring / (double)(rings->count - 1);
}

static uint32_t ring_vertices(const cape_rings *rings, uint32_t ring)
{
    double around = 2.0 * GALLERY_PI * ring_radius(rings, ring);
    uint32_t count = (uint32_t)floor(around / rings->spacing + 0.5);
    return count > 3 ? count : 3;
}

/* Every vertex of two neighbouring rings is the third corner of a triangle on the other one's edge.
 */
static uint32_t count_triangles(const cape_rings *rings)
{
    uint32_t count = 0;
    for (uint32_t ring = 0; ring + 1 < rings->count; ring++) {
        count += ring_vertices(rings, ring) + ring_vertices(rings, ring + 1);
    }
    return count;
}

static cape_rings choose_rings(uint32_t triangles)
{
    double area = GALLERY_PI * (RIM * RIM - HOLE * HOLE);
    double spacing = sqrt(area / (double)triangles * 4.0 / sqrt(3.0));
    uint32_t count = (uint32_t)floor((RIM - HOLE) / (spacing * sqrt(0.75)) + 0.5) + 1;
    return (cape_rings){count > 2 ? count : 2, spacing};
}

static void put_ring(const cape_rings *rings, uint32_t ring, float *positions)
{
    uint32_t count = ring_vertices(rings, ring);
    double radius = ring_radius(rings, ring);
    double back = BACK * (double)ring / (double)(rings->count - 1);
    for (uint32_t i = 0; i < count; i++) {
        double angle = 2.0 * GALLERY_PI * ((double)i + 0.5 * (ring % 2)) / (double)count;
        positions[3 * (size_t)i] = (float)(radius * gallery_sin(angle));
        positions[3 * (size_t)i + 1] = (float)(back - radius * gallery_cos(angle));
        positions[3 * (size_t)i + 2] = (float)HEIGHT;
    }
}

/* Goes around two rings at once, each time on along the one that lags behind. */
static uint32_t *join_rings(const cape_rings *rings, uint32_t ring, uint32_t first,
                            uint32_t *triangles)
{
    uint32_t counts[2] = {ring_vertices(rings, ring), ring_vertices(rings, ring + 1)};
    uint32_t firsts[2] = {first, first + counts[0]}, at[2] = {0, 0};
    double shift[2] = {0.5 * (ring % 2), 0.5 * ((ring + 1) % 2)};
    while (at[0] < counts[0] || at[1] < counts[1]) {
        double next[2];
        for (int side = 0; side < 2; side++) {
            next[side] = ((double)at[side] + 1.0 + shift[side]) / (double)counts[side];
        }
        int side = at[1] >= counts[1] || (at[0] < counts[0] && next[0] <= next[1]) ? 0 : 1;
        triangles[0] = firsts[0] + at[0] % counts[0];
        triangles[1] = firsts[1] + at[1] % counts[1];
        triangles[2] = firsts[side] + (at[side] + 1) % counts[side];
        at[side]++;
        triangles += 3;
    }
    return triangles;
}

bool cape_make_mesh(uint32_t triangles, gallery_mesh *mesh)
{
    cape_rings rings = choose_rings(triangles);
    uint32_t vertices = 0;
    for (uint32_t ring = 0; ring < rings.count; ring++) {
        vertices += ring_vertices(&rings, ring);
    }
    if (!mesh_allocate(vertices, count_triangles(&rings), mesh)) {
        return false;
    }
    uint32_t first = 0, *next = mesh->triangles;
    for (uint32_t ring = 0; ring < rings.count; ring++) {
        put_ring(&rings, ring, mesh->positions + 3 * (size_t)first);
        if (ring + 1 < rings.count) {
            next = join_rings(&rings, ring, first, next);
        }
        first += ring_vertices(&rings, ring);
    }
    return true;
}
