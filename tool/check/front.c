/* Whether a body's own vertex lies inside that body, elsewhere; see inside.h. */
#include "inside.h"

#include <math.h>

/* The normal of a vertex: the sum of those of the triangles around it, outwards as at rest. */
static pliant_result find_normal(const inside_walk *walk, uint32_t vertex, double normal[3])
{
    const check_surface *surface = walk->surface;
    pliant_result result = PLIANT_OK;
    normal[0] = normal[1] = normal[2] = 0.0;
    for (uint32_t i = surface->ring_start[vertex];
         result == PLIANT_OK && i < surface->ring_start[vertex + 1]; i++) {
        pliant_triangle at;
        double e[2][3];
        result = check_read_triangle(walk->worker, walk->body, surface->ring[i], &at);
        for (int k = 0; result == PLIANT_OK && k < 3; k++) {
            e[0][k] = (double)at.corner[1][k] - (double)at.corner[0][k];
            e[1][k] = (double)at.corner[2][k] - (double)at.corner[0][k];
        }
        double side = surface->sides[surface->pieces[surface->ring[i]]] < 0 ? -1.0 : 1.0;
        for (int k = 0; result == PLIANT_OK && k < 3; k++) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            normal[k] += side * (e[0][l] * e[1][m] - e[0][m] * e[1][l]);
        }
    }
    return result;
}

static bool is_around(const check_surface *surface, uint32_t vertex, uint32_t triangle)
{
    uint32_t corners[3];
    check_surface_corners(surface, triangle, corners);
    return corners[0] == vertex || corners[1] == vertex || corners[2] == vertex;
}

/* How often a ray from a vertex leaves pieces more than it enters them: closed ones, and where the
   inside is guessed also open ones, whose faces are taken to look outwards. */
static int count_exits(const inside_walk *walk, uint32_t vertex, const pliant_ray *ray,
                       const pliant_ray_hits *hits)
{
    const check_surface *surface = walk->surface;
    int exits = 0;
    for (uint64_t i = 0; i < hits->count; i++) {
        const pliant_ray_hit *hit = &hits->hits[i];
        double along = 0.0;
        for (int k = 0; k < 3; k++) {
            along += (double)hit->normal[k] * (double)ray->direction[k];
        }
        if (!is_around(surface, vertex, hit->triangle)) {
            int8_t side = surface->sides[surface->pieces[hit->triangle]];
            side = side == 0 && walk->is_guess ? 1 : side;
            exits += side * ((along > 0.0) - (along < 0.0));
        }
    }
    return exits;
}

/* The direction is that of the normal but for a little: edges of symmetric bodies lie in planes of
   symmetry, and a ray within such a plane would meet two triangles at an edge. */
pliant_result check_is_front_inside(const inside_walk *walk, uint32_t vertex, bool *inside)
{
    static const double aside[3] = {0.0137, -0.0291, 0.0213};
    const float *at = walk->worker->members[walk->body].known.at[vertex];
    double normal[3];
    pliant_ray_hits hits;
    pliant_result result = find_normal(walk, vertex, normal);
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    *inside = false;
    if (result != PLIANT_OK || !(length > 0.0)) {
        return result;
    }
    pliant_ray ray = {.t_max = INFINITY};
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = at[k];
        ray.direction[k] = (float)(normal[k] / length + aside[k]);
    }
    result = pliant_raycast_all(walk->worker->query, walk->worker->members[walk->body].body, &ray,
                                1, &hits);
    *inside = result == PLIANT_OK && count_exits(walk, vertex, &ray, &hits) > 0;
    return result;
}
