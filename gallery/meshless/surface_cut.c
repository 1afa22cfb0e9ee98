/*
 * Based on: A. Doi, A. Koide, "An Efficient Method of Triangulating Equi-Valued Surfaces by Using
 * Tetrahedral Cells", 1991. Every cube of a grid is cut into six tetrahedra around its diagonal,
 * the same way everywhere, so that the triangles of neighbouring cubes fit and the surface is
 * closed.
 */
#include "surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_VERTEX UINT32_MAX

/*
 * Points are numbered x first. An edge leads from a point in one of seven directions, the bits of
 * which say along which axes; its vertex is vertices[7 * point + direction - 1].
 */
typedef struct cut_grid {
    uint32_t points[3];
    size_t strides[3];
    double lower[3], spacing;
    double *values;
    uint32_t *vertices;
    gallery_mesh *mesh;
    uint32_t vertex_capacity, triangle_capacity;
    bool failed;
} cut_grid;

static void place_of(const cut_grid *grid, size_t point, double place[3])
{
    for (int axis = 2; axis >= 0; axis--) {
        size_t index = point / grid->strides[axis];
        point -= index * grid->strides[axis];
        place[axis] = grid->lower[axis] + grid->spacing * (double)index;
    }
}

static size_t neighbour(const cut_grid *grid, size_t point, uint32_t direction)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        point += (direction >> axis & 1) * grid->strides[axis];
    }
    return point;
}

/* Doubles an array of entries of three numbers each when it is full. */
static void *make_room(cut_grid *grid, void *array, uint32_t count, uint32_t *capacity)
{
    if (count < *capacity) {
        return array;
    }
    void *larger = realloc(array, (size_t)*capacity * 2 * 12);
    if (larger == NULL) {
        grid->failed = true;
        return array;
    }
    *capacity *= 2;
    return larger;
}

static uint32_t edge_vertex(cut_grid *grid, size_t from, uint32_t direction)
{
    uint32_t *vertex = &grid->vertices[7 * from + direction - 1];
    if (*vertex != NO_VERTEX) {
        return *vertex;
    }
    gallery_mesh *mesh = grid->mesh;
    mesh->positions = make_room(grid, mesh->positions, mesh->vertex_count, &grid->vertex_capacity);
    if (grid->failed) {
        return 0;
    }
    size_t to = neighbour(grid, from, direction);
    double share = grid->values[from] / (grid->values[from] - grid->values[to]);
    share = fmin(fmax(share, 0.05), 0.95); /* no triangle shrinks to a point */
    double a[3], b[3];
    place_of(grid, from, a);
    place_of(grid, to, b);
    for (int axis = 0; axis < 3; axis++) {
        mesh->positions[(size_t)3 * mesh->vertex_count + (size_t)axis] =
            (float)(a[axis] + share * (b[axis] - a[axis]));
    }
    *vertex = mesh->vertex_count;
    return mesh->vertex_count++;
}

/* Adds a triangle whose front looks along `outwards`. */
static void add_triangle(cut_grid *grid, const uint32_t corners[3], const double outwards[3])
{
    gallery_mesh *mesh = grid->mesh;
    mesh->triangles =
        make_room(grid, mesh->triangles, mesh->triangle_count, &grid->triangle_capacity);
    if (grid->failed) {
        return;
    }
    double side[2][3];
    for (int k = 0; k < 2; k++) {
        for (int axis = 0; axis < 3; axis++) {
            side[k][axis] = (double)mesh->positions[(size_t)3 * corners[k + 1] + (size_t)axis] -
                            (double)mesh->positions[(size_t)3 * corners[0] + (size_t)axis];
        }
    }
    double faces = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        faces += outwards[axis] * (side[0][next] * side[1][last] - side[0][last] * side[1][next]);
    }
    uint32_t *triangle = mesh->triangles + (size_t)3 * mesh->triangle_count++;
    triangle[0] = corners[0];
    triangle[1] = corners[faces > 0.0 ? 1 : 2];
    triangle[2] = corners[faces > 0.0 ? 2 : 1];
}

/* A tetrahedron: corner k + 1 is a direction away from corner k and from all before. */
typedef struct cut_tetrahedron {
    size_t points[4];
    uint32_t directions[4]; /* from the first corner */
} cut_tetrahedron;

static uint32_t crossing(cut_grid *grid, const cut_tetrahedron *tetrahedron, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    return edge_vertex(grid, tetrahedron->points[low],
                       tetrahedron->directions[high] ^ tetrahedron->directions[low]);
}

static void cut_one(cut_grid *grid, const cut_tetrahedron *tetrahedron)
{
    int inside[4], outside[4], inside_count = 0, outside_count = 0;
    double outwards[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++) {
        if (grid->values[tetrahedron->points[k]] < 0.0) {
            inside[inside_count++] = k;
        } else {
            outside[outside_count++] = k;
        }
    }
    if (inside_count == 0 || outside_count == 0) {
        return;
    }
    for (int k = 0; k < 4; k++) {
        double place[3];
        place_of(grid, tetrahedron->points[k], place);
        bool within = grid->values[tetrahedron->points[k]] < 0.0;
        for (int axis = 0; axis < 3; axis++) {
            outwards[axis] += within ? -place[axis] / inside_count : place[axis] / outside_count;
        }
    }
    if (inside_count == 2) {
        uint32_t c[4] = {crossing(grid, tetrahedron, inside[0], outside[0]),
                         crossing(grid, tetrahedron, inside[0], outside[1]),
                         crossing(grid, tetrahedron, inside[1], outside[1]),
                         crossing(grid, tetrahedron, inside[1], outside[0])};
        add_triangle(grid, (const uint32_t[3]){c[0], c[1], c[2]}, outwards);
        add_triangle(grid, (const uint32_t[3]){c[0], c[2], c[3]}, outwards);
        return;
    }
    int lone = inside_count == 1 ? inside[0] : outside[0];
    const int *others = inside_count == 1 ? outside : inside;
    uint32_t corners[3];
    for (int k = 0; k < 3; k++) {
        corners[k] = crossing(grid, tetrahedron, lone, others[k]);
    }
    add_triangle(grid, corners, outwards);
}

static void cut_cube(cut_grid *grid, size_t point)
{
    static const uint32_t orders[6][2] = {{1, 2}, {1, 4}, {2, 1}, {2, 4}, {4, 1}, {4, 2}};
    bool first = grid->values[point] < 0.0, crossed = false;
    for (uint32_t direction = 1; direction < 8; direction++) {
        crossed = crossed || (grid->values[neighbour(grid, point, direction)] < 0.0) != first;
    }
    for (int k = 0; k < 6 && crossed && !grid->failed; k++) {
        cut_tetrahedron tetrahedron = {
            .directions = {0, orders[k][0], orders[k][0] | orders[k][1], 7}};
        for (int i = 0; i < 4; i++) {
            tetrahedron.points[i] = neighbour(grid, point, tetrahedron.directions[i]);
        }
        cut_one(grid, &tetrahedron);
    }
}

static size_t lay_out(const implicit_solid *solid, double spacing, cut_grid *grid)
{
    size_t count = 1;
    grid->spacing = spacing;
    for (int axis = 0; axis < 3; axis++) {
        double size = solid->upper[axis] - solid->lower[axis];
        grid->points[axis] = 2 + (uint32_t)(size / spacing);
        grid->strides[axis] = count;
        grid->lower[axis] = solid->lower[axis];
        count *= grid->points[axis];
    }
    return count;
}

bool surface_cut(const implicit_solid *solid, double spacing, gallery_mesh *mesh)
{
    memset(mesh, 0, sizeof *mesh);
    cut_grid grid = {.mesh = mesh, .vertex_capacity = 1024, .triangle_capacity = 2048};
    size_t count = lay_out(solid, spacing, &grid);
    grid.values = calloc(count, sizeof *grid.values);
    grid.vertices = malloc(7 * count * sizeof *grid.vertices);
    mesh->positions = malloc((size_t)grid.vertex_capacity * 12);
    mesh->triangles = malloc((size_t)grid.triangle_capacity * 12);
    grid.failed = grid.values == NULL || grid.vertices == NULL || mesh->positions == NULL ||
                  mesh->triangles == NULL;
    for (size_t i = 0; i < count && !grid.failed; i++) {
        double place[3];
        place_of(&grid, i, place);
        grid.values[i] = solid->value(place);
        memset(grid.vertices + 7 * i, 0xff, 7 * sizeof *grid.vertices);
    }
    for (uint32_t z = 0; z + 1 < grid.points[2] && !grid.failed; z++) {
        for (uint32_t y = 0; y + 1 < grid.points[1]; y++) {
            for (uint32_t x = 0; x + 1 < grid.points[0]; x++) {
                cut_cube(&grid, x + y * grid.strides[1] + z * grid.strides[2]);
            }
        }
    }
    free(grid.values);
    free(grid.vertices);
    if (grid.failed) {
        mesh_free(mesh);
    }
    return !grid.failed;
}
