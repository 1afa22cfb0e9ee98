#include "mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool mesh_allocate(uint32_t vertex_count, uint32_t triangle_count, gallery_mesh *mesh)
{
    memset(mesh, 0, sizeof *mesh);
    mesh->positions = malloc((size_t)vertex_count * 3 * sizeof(float));
    mesh->triangles = malloc((size_t)triangle_count * 3 * sizeof(uint32_t));
    if (mesh->positions == NULL || mesh->triangles == NULL) {
        mesh_free(mesh);
        return false;
    }
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    return true;
}

void mesh_free(gallery_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->triangles);
    memset(mesh, 0, sizeof *mesh);
}

/* Stores the point scaled to length 1. */
static void set_on_sphere(gallery_mesh *mesh, uint32_t vertex, const double point[3])
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        square += point[axis] * point[axis];
    }
    double length = sqrt(square);
    for (int axis = 0; axis < 3; axis++) {
        mesh->positions[(size_t)3 * vertex + axis] = (float)(point[axis] / length);
    }
}

static void add_triangle(gallery_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *triangle = mesh->triangles + (size_t)3 * mesh->triangle_count++;
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

#define GOLDEN 1.61803398874989484820

static const double icosahedron_vertices[12][3] = {
    {-1, GOLDEN, 0}, {1, GOLDEN, 0}, {-1, -GOLDEN, 0}, {1, -GOLDEN, 0},
    {0, -1, GOLDEN}, {0, 1, GOLDEN}, {0, -1, -GOLDEN}, {0, 1, -GOLDEN},
    {GOLDEN, 0, -1}, {GOLDEN, 0, 1}, {-GOLDEN, 0, -1}, {-GOLDEN, 0, 1}};

static const uint8_t icosahedron_faces[20][3] = {
    {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};

static void put_icosahedron(gallery_mesh *mesh)
{
    for (uint32_t i = 0; i < 12; i++) {
        set_on_sphere(mesh, i, icosahedron_vertices[i]);
    }
    mesh->vertex_count = 12;
    for (int i = 0; i < 20; i++) {
        const uint8_t *face = icosahedron_faces[i];
        add_triangle(mesh, face[0], face[1], face[2]);
    }
}

/* Two poles above and below a ring of 4 or 8 vertices. */
static void put_bipyramid(gallery_mesh *mesh, uint32_t ring)
{
    static const double corner = 0.70710678118654752440;
    const double octagon[8][3] = {
        {1, 0, 0},  {corner, corner, 0},   {0, 1, 0},  {-corner, corner, 0},
        {-1, 0, 0}, {-corner, -corner, 0}, {0, -1, 0}, {corner, -corner, 0}};
    const double poles[2][3] = {{0, 0, 1}, {0, 0, -1}};
    for (uint32_t i = 0; i < ring; i++) {
        set_on_sphere(mesh, i, octagon[i * (8 / ring)]);
    }
    set_on_sphere(mesh, ring, poles[0]);
    set_on_sphere(mesh, ring + 1, poles[1]);
    mesh->vertex_count = ring + 2;
    for (uint32_t i = 0; i < ring; i++) {
        uint32_t next = (i + 1) % ring;
        add_triangle(mesh, i, next, ring);
        add_triangle(mesh, next, i, ring + 1);
    }
}

/* Finds the vertex in the middle of an edge: an open-addressing table from edges to vertices. */
typedef struct edge_table {
    uint64_t *edges; /* both vertices; 0 means empty (no edge joins vertex 0 to itself) */
    uint32_t *middles;
    uint64_t mask;
} edge_table;

static bool edge_table_allocate(uint64_t edge_count, edge_table *table)
{
    uint64_t size = 16;
    while (size < 2 * edge_count) {
        size *= 2;
    }
    table->mask = size - 1;
    table->edges = calloc(size, sizeof(uint64_t));
    table->middles = malloc(size * sizeof(uint32_t));
    return table->edges != NULL && table->middles != NULL;
}

static void edge_table_free(edge_table *table)
{
    free(table->edges);
    free(table->middles);
}

static uint32_t middle_vertex(gallery_mesh *mesh, edge_table *table, uint32_t a, uint32_t b)
{
    uint64_t edge = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    uint64_t slot = (edge * 0x9e3779b97f4a7c15u >> 20) & table->mask;
    while (table->edges[slot] != 0) {
        if (table->edges[slot] == edge) {
            return table->middles[slot];
        }
        slot = (slot + 1) & table->mask;
    }
    double point[3];
    for (int axis = 0; axis < 3; axis++) {
        point[axis] = (double)mesh->positions[(size_t)3 * a + axis] +
                      (double)mesh->positions[(size_t)3 * b + axis];
    }
    table->edges[slot] = edge;
    table->middles[slot] = mesh->vertex_count;
    set_on_sphere(mesh, mesh->vertex_count, point);
    return mesh->vertex_count++;
}

/* Cuts each triangle in four. The arrays have room. */
static bool subdivide(gallery_mesh *mesh)
{
    uint32_t count = mesh->triangle_count;
    edge_table table = {0};
    uint32_t *old = malloc((size_t)3 * count * sizeof(uint32_t));
    bool done = edge_table_allocate((uint64_t)count * 3 / 2, &table) && old != NULL;
    if (done) {
        memcpy(old, mesh->triangles, (size_t)3 * count * sizeof(uint32_t));
        mesh->triangle_count = 0;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t *corner = old + (size_t)3 * i;
            uint32_t ab = middle_vertex(mesh, &table, corner[0], corner[1]);
            uint32_t bc = middle_vertex(mesh, &table, corner[1], corner[2]);
            uint32_t ca = middle_vertex(mesh, &table, corner[2], corner[0]);
            add_triangle(mesh, corner[0], ab, ca);
            add_triangle(mesh, ab, corner[1], bc);
            add_triangle(mesh, ca, bc, corner[2]);
            add_triangle(mesh, ab, bc, ca);
        }
    }
    edge_table_free(&table);
    free(old);
    return done;
}

bool mesh_make_subdivided_sphere(mesh_solid solid, uint32_t subdivisions, gallery_mesh *mesh)
{
    uint32_t triangle_count = (uint32_t)solid << (2 * subdivisions);
    if (!mesh_allocate(triangle_count / 2 + 2, triangle_count, mesh)) {
        return false;
    }
    mesh->vertex_count = 0;
    mesh->triangle_count = 0;
    if (solid == MESH_ICOSAHEDRON) {
        put_icosahedron(mesh);
    } else {
        put_bipyramid(mesh, (uint32_t)solid / 2);
    }
    for (uint32_t i = 0; i < subdivisions; i++) {
        if (!subdivide(mesh)) {
            mesh_free(mesh);
            return false;
        }
    }
    return true;
}

/*
 * The grid over one face: point (i, j) is i steps towards the second corner and j towards the
 * third. Vertices on an edge are shared by two faces: edge_start[low][high] is the first of the
 * edge's inner vertices, counted from its lower-numbered end, or 0 if no face has made them yet.
 */
typedef struct geodesic_grid {
    gallery_mesh *mesh;
    uint32_t frequency;
    uint32_t edge_start[12][12];
    uint32_t *vertices; /* of the current face, (frequency + 1)^2 */
} geodesic_grid;

static uint32_t add_between(geodesic_grid *grid, const uint8_t face[3], const uint32_t weights[3])
{
    double point[3] = {0, 0, 0};
    for (int corner = 0; corner < 3; corner++) {
        for (int axis = 0; axis < 3; axis++) {
            point[axis] += (double)weights[corner] * icosahedron_vertices[face[corner]][axis];
        }
    }
    set_on_sphere(grid->mesh, grid->mesh->vertex_count, point);
    return grid->mesh->vertex_count++;
}

/* The vertex `step` steps from corner `from` to corner `to` along an edge, 0 < step < frequency. */
static uint32_t edge_vertex(geodesic_grid *grid, uint32_t from, uint32_t to, uint32_t step)
{
    if (from > to) {
        return edge_vertex(grid, to, from, grid->frequency - step);
    }
    uint32_t *start = &grid->edge_start[from][to];
    if (*start == 0) {
        *start = grid->mesh->vertex_count;
        const uint8_t ends[3] = {(uint8_t)from, (uint8_t)to, (uint8_t)to};
        for (uint32_t i = 1; i < grid->frequency; i++) {
            add_between(grid, ends, (const uint32_t[3]){grid->frequency - i, i, 0});
        }
    }
    return *start + step - 1;
}

static uint32_t grid_vertex(geodesic_grid *grid, const uint8_t face[3], uint32_t i, uint32_t j)
{
    uint32_t weights[3] = {grid->frequency - i - j, i, j};
    for (int corner = 0; corner < 3; corner++) {
        int next = (corner + 1) % 3;
        int last = (corner + 2) % 3;
        if (weights[corner] == grid->frequency) {
            return face[corner];
        }
        if (weights[corner] == 0 && weights[next] != 0 && weights[last] != 0) {
            return edge_vertex(grid, face[next], face[last], weights[last]);
        }
    }
    return add_between(grid, face, weights);
}

static void cut_face(geodesic_grid *grid, const uint8_t face[3])
{
    uint32_t n = grid->frequency;
    for (uint32_t i = 0; i <= n; i++) {
        for (uint32_t j = 0; i + j <= n; j++) {
            grid->vertices[i * (n + 1) + j] = grid_vertex(grid, face, i, j);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; i + j < n; j++) {
            const uint32_t *here = grid->vertices + i * (n + 1) + j;
            const uint32_t *there = here + n + 1;
            add_triangle(grid->mesh, here[0], there[0], here[1]);
            if (i + j + 1 < n) {
                add_triangle(grid->mesh, there[0], there[1], here[1]);
            }
        }
    }
}

bool mesh_make_geodesic_sphere(uint32_t frequency, gallery_mesh *mesh)
{
    uint32_t square = frequency * frequency;
    if (!mesh_allocate(10 * square + 2, 20 * square, mesh)) {
        return false;
    }
    geodesic_grid grid = {.mesh = mesh, .frequency = frequency};
    grid.vertices = malloc((size_t)(frequency + 1) * (frequency + 1) * sizeof(uint32_t));
    if (grid.vertices == NULL) {
        mesh_free(mesh);
        return false;
    }
    mesh->vertex_count = 12;
    mesh->triangle_count = 0;
    for (uint32_t i = 0; i < 12; i++) {
        set_on_sphere(mesh, i, icosahedron_vertices[i]);
    }
    for (int i = 0; i < 20; i++) {
        cut_face(&grid, icosahedron_faces[i]);
    }
    free(grid.vertices);
    return true;
}

bool mesh_make_sphere(uint32_t triangles, gallery_mesh *mesh)
{
    const mesh_solid solids[] = {MESH_ICOSAHEDRON, MESH_OCTAHEDRON, MESH_OCTAGONAL_BIPYRAMID};
    for (int i = 0; i < 3; i++) {
        for (uint32_t subdivisions = 0; subdivisions < 12; subdivisions++) {
            if ((uint32_t)solids[i] << (2 * subdivisions) == triangles) {
                return mesh_make_subdivided_sphere(solids[i], subdivisions, mesh);
            }
        }
    }
    uint32_t frequency = (uint32_t)floor(sqrt((double)triangles / 20.0) + 0.5);
    return mesh_make_geodesic_sphere(frequency > 0 ? frequency : 1, mesh);
}

bool mesh_make_sheet(uint32_t columns, uint32_t rows, gallery_mesh *mesh)
{
    if (!mesh_allocate((columns + 1) * (rows + 1), 2 * columns * rows, mesh)) {
        return false;
    }
    float *position = mesh->positions;
    for (uint32_t row = 0; row <= rows; row++) {
        for (uint32_t column = 0; column <= columns; column++, position += 3) {
            position[0] = (float)(2.0 * column / columns - 1.0);
            position[1] = (float)(2.0 * row / rows - 1.0);
            position[2] = 0.0f;
        }
    }
    mesh->triangle_count = 0;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t column = 0; column < columns; column++) {
            uint32_t here = row * (columns + 1) + column;
            uint32_t above = here + columns + 1;
            add_triangle(mesh, here, here + 1, above + 1);
            add_triangle(mesh, here, above + 1, above);
        }
    }
    return true;
}

bool mesh_cut_above(gallery_mesh *mesh, float level)
{
    const uint32_t unused = UINT32_MAX;
    uint32_t *renumbered = malloc((size_t)mesh->vertex_count * sizeof(uint32_t));
    if (renumbered == NULL) {
        mesh_free(mesh);
        return false;
    }
    memset(renumbered, 0xff, (size_t)mesh->vertex_count * sizeof(uint32_t));
    uint32_t vertex_count = 0;
    uint32_t triangle_count = mesh->triangle_count;
    mesh->triangle_count = 0;
    for (uint32_t i = 0; i < triangle_count; i++) {
        uint32_t corners[3];
        bool kept = false;
        for (int k = 0; k < 3; k++) {
            corners[k] = mesh->triangles[(size_t)3 * i + k];
            kept = kept || mesh->positions[(size_t)3 * corners[k] + 2] <= level;
        }
        if (kept) {
            for (int k = 0; k < 3; k++) {
                if (renumbered[corners[k]] == unused) {
                    renumbered[corners[k]] = vertex_count++;
                }
            }
            add_triangle(mesh, renumbered[corners[0]], renumbered[corners[1]],
                         renumbered[corners[2]]);
        }
    }
    float *positions = malloc((size_t)vertex_count * 3 * sizeof(float));
    for (uint32_t i = 0; positions != NULL && i < mesh->vertex_count; i++) {
        if (renumbered[i] != unused) {
            memcpy(positions + (size_t)3 * renumbered[i], mesh->positions + (size_t)3 * i,
                   3 * sizeof(float));
        }
    }
    free(renumbered);
    free(mesh->positions);
    mesh->positions = positions;
    mesh->vertex_count = vertex_count;
    if (positions == NULL) {
        mesh_free(mesh);
    }
    return positions != NULL;
}
