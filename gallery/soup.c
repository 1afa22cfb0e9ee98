/*
 * Two triangle soups that drift through each other, with everything a mesh should not have:
 * triangles that appear twice, triangles that are segments or points, by index or by position,
 * coplanar overlaps and exact touching (half of the coordinates lie on a coarse grid), unused
 * vertices.
 */
#include "gallery.h"

#include <math.h>

#define GRID            16.0
#define UNUSED_VERTICES 3

/* The cube root by Newton's method, falling from 1, with one rounding per operation. */
static double cube_root(double x)
{
    double root = 1.0;
    for (int i = 0; i < 60; i++) {
        root = (2.0 * root + x / (root * root)) / 3.0;
    }
    return root;
}

/* A corner near `centre`; on the grid, many corners coincide and many faces are coplanar. */
static void put_corner(gallery_random *random, const double centre[3], double size, bool on_grid,
                       float position[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double x = centre[axis] + gallery_random_range(random, -size, size);
        position[axis] = (float)(on_grid ? floor(x * GRID + 0.5) / GRID : x);
    }
}

/* Bends triangle `i` towards one of the ugly kinds. Earlier triangles are complete. */
static void spoil(gallery_random *random, gallery_mesh *mesh, uint32_t i)
{
    uint32_t *corners = mesh->triangles + (size_t)3 * i;
    float *positions = mesh->positions + (size_t)9 * i;
    switch (gallery_random_below(random, 16)) {
    case 0: /* the same triangle again */
        for (int k = 0; k < 3 && i > 0; k++) {
            corners[k] = mesh->triangles[(size_t)3 * (i - 1) + k];
        }
        break;
    case 1: /* a segment by index */
        corners[2] = corners[0];
        break;
    case 2: /* a point by index */
        corners[1] = corners[2] = corners[0];
        break;
    case 3: /* a segment by position */
        for (int axis = 0; axis < 3; axis++) {
            positions[6 + axis] = 0.5f * (positions[axis] + positions[3 + axis]);
        }
        break;
    case 4: /* a point by position */
        for (int axis = 0; axis < 3; axis++) {
            positions[3 + axis] = positions[6 + axis] = positions[axis];
        }
        break;
    default:
        break;
    }
}

static bool make_soup(gallery_random *random, uint32_t triangles, gallery_mesh *mesh)
{
    if (!mesh_allocate(3 * triangles + UNUSED_VERTICES, triangles, mesh)) {
        return false;
    }
    double spacing = cube_root(1.0 / (double)triangles);
    for (uint32_t i = 0; i < triangles; i++) {
        double centre[3];
        for (int axis = 0; axis < 3; axis++) {
            centre[axis] = gallery_random_range(random, -1.0, 1.0);
        }
        double size = spacing * gallery_random_range(random, 0.6, 4.0);
        bool on_grid = gallery_random_below(random, 2) == 0;
        for (uint32_t k = 0; k < 3; k++) {
            mesh->triangles[(size_t)3 * i + k] = 3 * i + k;
            put_corner(random, centre, size, on_grid, mesh->positions + (size_t)9 * i + 3 * k);
        }
        spoil(random, mesh, i);
    }
    const double far_away[3] = {100.0, 100.0, 100.0};
    for (uint32_t i = 0; i < UNUSED_VERTICES; i++) {
        put_corner(random, far_away, 1.0, false, mesh->positions + (size_t)9 * triangles + 3 * i);
    }
    return true;
}

static bool create(gallery_scene *scene, uint32_t triangles)
{
    for (uint32_t body = 0; body < 2; body++) {
        gallery_random random = gallery_random_seed(scene->seed, 100 + body);
        uint32_t count = body == 0 ? triangles : triangles - triangles / 3;
        if (!make_soup(&random, count, &scene->bodies[body])) {
            return false;
        }
    }
    return true;
}

static void evaluate(const gallery_scene *scene, uint32_t body, double time,
                     const gallery_placement *placement, float *positions)
{
    /* Drift and stretch go in steps of the grid, so that exact touching survives the motion. */
    double drift = floor(8.0 * time + 0.5) / GRID;
    double sign = body == 0 ? 1.0 : -1.0;
    const float *rest = scene->rest[body];
    for (uint32_t i = 0; i < scene->bodies[body].vertex_count; i++, rest += 3) {
        bool on_grid = floor((double)rest[0] * GRID) == (double)rest[0] * GRID;
        double sway = on_grid ? 0.0 : 0.02 * gallery_sin(5.0 * (double)rest[1] + 7.0 * time);
        double point[3] = {(double)rest[0] + sign * drift, (double)rest[1] + sway, (double)rest[2]};
        gallery_put(placement, point, positions + (size_t)3 * i);
    }
}

const gallery_kind gallery_soup = {
    .name = "soup",
    .title = "Two triangle soups drift through each other",
    .description = "two triangle soups with duplicate, degenerate and exactly touching triangles "
                   "drift through each other",
    .body_count = 2,
    .triangles = 600,
    .steps = 40,
    .create = create,
    .place = NULL,
    .evaluate = evaluate,
};
