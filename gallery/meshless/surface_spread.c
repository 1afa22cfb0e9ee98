#include "surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void surface_normal(const implicit_solid *solid, const double point[3], double reach,
                    double normal[3])
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double probe[3] = {point[0], point[1], point[2]};
        probe[axis] = point[axis] + reach;
        normal[axis] = solid->value(probe);
        probe[axis] = point[axis] - reach;
        normal[axis] = (normal[axis] - solid->value(probe)) / (2.0 * reach);
        square += normal[axis] * normal[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] = square > 0.0 ? normal[axis] / sqrt(square) : 0.0;
    }
}

/* Goes along the normal to where the function is zero, but no farther than `reach`. */
static void project(const implicit_solid *solid, const double normal[3], double reach,
                    double point[3])
{
    double start[3] = {point[0], point[1], point[2]};
    double low = -reach, high = reach;
    for (int side = 0; side < 2; side++) {
        double *end = side == 0 ? &low : &high;
        double probe[3];
        for (int axis = 0; axis < 3; axis++) {
            probe[axis] = start[axis] + *end * normal[axis];
        }
        if ((solid->value(probe) < 0.0) != (side == 0)) {
            return; /* no change of sign within reach: better stay */
        }
    }
    for (int i = 0; i < 12; i++) {
        double middle = 0.5 * (low + high);
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = start[axis] + middle * normal[axis];
        }
        if (solid->value(point) < 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/* The neighbours of each vertex, in the order of the triangles around it. */
typedef struct spread_fans {
    uint32_t *starts;
    uint32_t (*sides)[2]; /* the other two corners of each triangle around, in its order */
} spread_fans;

static bool find_fans(const gallery_mesh *mesh, spread_fans *fans)
{
    fans->starts = calloc((size_t)mesh->vertex_count + 2, sizeof *fans->starts);
    fans->sides = malloc((size_t)3 * mesh->triangle_count * sizeof *fans->sides + 1);
    if (fans->starts == NULL || fans->sides == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
        fans->starts[mesh->triangles[i] + 2]++;
    }
    for (uint32_t v = 2; v < mesh->vertex_count + 2; v++) {
        fans->starts[v] += fans->starts[v - 1];
    }
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
        const uint32_t *corners = mesh->triangles + i - i % 3;
        uint32_t *side = fans->sides[fans->starts[mesh->triangles[i] + 1]++];
        side[0] = corners[(i % 3 + 1) % 3];
        side[1] = corners[(i % 3 + 2) % 3];
    }
    return true;
}

static void side_of(const gallery_mesh *mesh, const double from[3], uint32_t to, double side[3])
{
    for (int axis = 0; axis < 3; axis++) {
        side[axis] = (double)mesh->positions[(size_t)3 * to + (size_t)axis] - from[axis];
    }
}

/* Do all triangles around a vertex look outwards, and are none of them needles? */
static bool looks_outwards(const gallery_mesh *mesh, const spread_fans *fans, uint32_t vertex,
                           const double place[3], const double normal[3])
{
    for (uint32_t i = fans->starts[vertex]; i < fans->starts[vertex + 1]; i++) {
        double a[3], b[3], n[3], square = 0.0, dot = 0.0;
        side_of(mesh, place, fans->sides[i][0], a);
        side_of(mesh, place, fans->sides[i][1], b);
        for (int axis = 0; axis < 3; axis++) {
            int next = (axis + 1) % 3, last = (axis + 2) % 3;
            n[axis] = a[next] * b[last] - a[last] * b[next];
            square += n[axis] * n[axis];
            dot += n[axis] * normal[axis];
        }
        if (!(dot > 0.0) || dot * dot < 0.09 * square) {
            return false;
        }
    }
    return true;
}

static void spread_vertex(const implicit_solid *solid, gallery_mesh *mesh, const spread_fans *fans,
                          uint32_t vertex)
{
    float *position = mesh->positions + (size_t)3 * vertex;
    double here[3] = {(double)position[0], (double)position[1], (double)position[2]};
    double mean[3] = {0.0, 0.0, 0.0}, normal[3], reach = 0.0, along = 0.0;
    double share = 1.0 / (double)(fans->starts[vertex + 1] - fans->starts[vertex]);
    for (uint32_t i = fans->starts[vertex]; i < fans->starts[vertex + 1]; i++) {
        double side[3];
        side_of(mesh, here, fans->sides[i][0], side);
        reach += share * sqrt(side[0] * side[0] + side[1] * side[1] + side[2] * side[2]);
        for (int axis = 0; axis < 3; axis++) {
            mean[axis] += share * side[axis];
        }
    }
    surface_normal(solid, here, 0.1 * reach, normal);
    for (int axis = 0; axis < 3; axis++) {
        along += mean[axis] * normal[axis];
    }
    double place[3];
    for (int axis = 0; axis < 3; axis++) {
        place[axis] = here[axis] + 0.6 * (mean[axis] - along * normal[axis]);
    }
    project(solid, normal, 0.6 * reach, place);
    surface_normal(solid, place, 0.1 * reach, normal);
    if (looks_outwards(mesh, fans, vertex, place, normal)) {
        for (int axis = 0; axis < 3; axis++) {
            position[axis] = (float)place[axis];
        }
    }
}

bool surface_spread(const implicit_solid *solid, gallery_mesh *mesh, uint32_t rounds)
{
    spread_fans fans = {0};
    bool done = find_fans(mesh, &fans);
    for (uint32_t round = 0; done && round < rounds; round++) {
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            spread_vertex(solid, mesh, &fans, v);
        }
    }
    free(fans.starts);
    free(fans.sides);
    if (!done) {
        mesh_free(mesh);
    }
    return done;
}

bool surface_make_mesh(const implicit_solid *solid, uint32_t vertex_count, gallery_mesh *mesh)
{
    double spacing = solid->finest;
    if (!surface_cut(solid, spacing, mesh)) {
        return false;
    }
    /* The number of vertices grows with the square of the grid's. */
    while ((double)mesh->vertex_count < 1.3 * (double)vertex_count && mesh->vertex_count > 0) {
        spacing *= sqrt((double)mesh->vertex_count / (1.5 * (double)vertex_count));
        mesh_free(mesh);
        if (!surface_cut(solid, spacing, mesh)) {
            return false;
        }
    }
    return surface_thin(mesh, vertex_count) && surface_spread(solid, mesh, 4);
}
