#include "builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gallery/numbers.h"

/* Makes room for one more; false without memory. */
static bool grow(void **array, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room) {
        return true;
    }
    uint32_t wanted = *room > 0 ? 2 * *room : 1024;
    void *grown = realloc(*array, wanted * size);
    if (grown == NULL) {
        return false;
    }
    *array = grown;
    *room = wanted;
    return true;
}

uint32_t modal_build_vertex(modal_builder *builder, const double point[3])
{
    gallery_mesh *mesh = &builder->mesh;
    void *array = mesh->positions;
    builder->failed = builder->failed || !grow(&array, mesh->vertex_count,
                                               &builder->vertex_capacity, 3 * sizeof(float));
    mesh->positions = array;
    if (builder->failed) {
        return 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        mesh->positions[(size_t)3 * mesh->vertex_count + (size_t)axis] = (float)point[axis];
    }
    return mesh->vertex_count++;
}

void modal_build_triangle(modal_builder *builder, uint32_t a, uint32_t b, uint32_t c)
{
    gallery_mesh *mesh = &builder->mesh;
    void *array = mesh->triangles;
    builder->failed = builder->failed || !grow(&array, mesh->triangle_count,
                                               &builder->triangle_capacity, 3 * sizeof(uint32_t));
    mesh->triangles = array;
    if (!builder->failed) {
        uint32_t *triangle = mesh->triangles + (size_t)3 * mesh->triangle_count++;
        triangle[0] = a;
        triangle[1] = b;
        triangle[2] = c;
    }
}

/* Where a ring is at an angle, as a share of its two half axes. */
static void outline_point(double angle, modal_outline outline, double share[2])
{
    share[0] = gallery_cos(angle);
    share[1] = gallery_sin(angle);
    double sum[2] = {share[0] * share[0], share[1] * share[1]};
    uint32_t roots = 1;
    for (uint32_t power = 2; power < (uint32_t)outline; power *= 2, roots++) {
        sum[0] *= sum[0];
        sum[1] *= sum[1];
    }
    double length = sum[0] + sum[1];
    for (uint32_t i = 0; i < roots; i++) {
        length = sqrt(length);
    }
    share[0] /= length;
    share[1] /= length;
}

static void build_ring(modal_builder *builder, const modal_station *station, uint32_t ring,
                       modal_outline outline)
{
    for (uint32_t i = 0; i < ring; i++) {
        double share[2], point[3];
        outline_point(2.0 * GALLERY_PI * i / ring, outline, share);
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = station->centre[axis] + share[0] * station->side[axis] +
                          share[1] * station->up[axis];
        }
        modal_build_vertex(builder, point);
    }
}

void modal_build_loft(modal_builder *builder, const modal_station *stations, uint32_t count,
                      uint32_t ring, modal_outline outline, modal_ends ends)
{
    uint32_t first = builder->mesh.vertex_count;
    for (uint32_t j = 0; j < count; j++) {
        build_ring(builder, &stations[j], ring, outline);
    }
    for (uint32_t j = 0; j + 1 < count; j++) {
        for (uint32_t i = 0; i < ring; i++) {
            uint32_t here = first + j * ring + i;
            uint32_t next = first + j * ring + (i + 1) % ring;
            modal_build_triangle(builder, here, next, next + ring);
            modal_build_triangle(builder, here, next + ring, here + ring);
        }
    }
    if (ends == MODAL_CAPPED) {
        uint32_t start = modal_build_vertex(builder, stations[0].centre);
        uint32_t end = modal_build_vertex(builder, stations[count - 1].centre);
        uint32_t last = first + (count - 1) * ring;
        for (uint32_t i = 0; i < ring; i++) {
            uint32_t next = (i + 1) % ring;
            modal_build_triangle(builder, start, first + next, first + i);
            modal_build_triangle(builder, end, last + i, last + next);
        }
    }
}

static void scale_to(double vector[3], double length)
{
    double square = vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2];
    double scale = square > 0.0 ? length / sqrt(square) : 0.0;
    for (int axis = 0; axis < 3; axis++) {
        vector[axis] *= scale;
    }
}

static void cross(const double a[3], const double b[3], double product[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        product[axis] = a[next] * b[last] - a[last] * b[next];
    }
}

/* Half axes across a direction. The level one is the first, but for a direction that is upright. */
static void frame_across(const double direction[3], const double half[2], modal_station *station)
{
    double along[3] = {direction[0], direction[1], direction[2]};
    scale_to(along, 1.0);
    const double upright[3] = {0, 0, 1}, sideways[3] = {0, 1, 0};
    cross(fabs(along[2]) < 0.9 ? upright : sideways, along, station->side);
    scale_to(station->side, half[0]);
    cross(along, station->side, station->up);
    scale_to(station->up, half[1]);
}

void modal_build_tube(modal_builder *builder, const double (*points)[3], uint32_t count,
                      const double radii[2], uint32_t ring, modal_ends ends)
{
    modal_station *stations = malloc(count * sizeof *stations);
    if (stations == NULL) {
        builder->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const double *before = points[i > 0 ? i - 1 : 0];
        const double *after = points[i + 1 < count ? i + 1 : i];
        double along[3];
        for (int axis = 0; axis < 3; axis++) {
            along[axis] = after[axis] - before[axis];
            stations[i].centre[axis] = points[i][axis];
        }
        double radius = radii[0] + (radii[1] - radii[0]) * i / (count - 1);
        frame_across(along, (const double[2]){radius, radius}, &stations[i]);
    }
    modal_build_loft(builder, stations, count, ring, MODAL_ELLIPSE, ends);
    free(stations);
}

void modal_build_rod(modal_builder *builder, const double from[3], const double to[3],
                     const double radii[2], uint32_t ring, uint32_t count, modal_ends ends)
{
    double(*points)[3] = malloc(count * sizeof *points);
    if (points == NULL) {
        builder->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            points[i][axis] = from[axis] + (to[axis] - from[axis]) * i / (count - 1);
        }
    }
    modal_build_tube(builder, (const double(*)[3])points, count, radii, ring, ends);
    free(points);
}

void modal_build_beam(modal_builder *builder, const double from[3], const double to[3],
                      const double widths[2], uint32_t segments)
{
    double along[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    modal_station station;
    frame_across(along, (const double[2]){0.5 * widths[0], 0.5 * widths[1]}, &station);
    uint32_t first = builder->mesh.vertex_count;
    for (uint32_t j = 0; j <= segments; j++) {
        for (uint32_t i = 0; i < 4; i++) {
            double side = i == 0 || i == 3 ? 1.0 : -1.0, up = i < 2 ? 1.0 : -1.0, point[3];
            for (int axis = 0; axis < 3; axis++) {
                point[axis] = from[axis] + along[axis] * j / segments + side * station.side[axis] +
                              up * station.up[axis];
            }
            modal_build_vertex(builder, point);
        }
    }
    for (uint32_t j = 0; j < segments; j++) {
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t here = first + 4 * j + i, next = first + 4 * j + (i + 1) % 4;
            modal_build_triangle(builder, here, next, next + 4);
            modal_build_triangle(builder, here, next + 4, here + 4);
        }
    }
    uint32_t last = first + 4 * segments;
    modal_build_triangle(builder, first, first + 2, first + 1);
    modal_build_triangle(builder, first, first + 3, first + 2);
    modal_build_triangle(builder, last, last + 1, last + 2);
    modal_build_triangle(builder, last, last + 2, last + 3);
}

void modal_build_ball(modal_builder *builder, const double centre[3], const double radii[3],
                      uint32_t ring, uint32_t rings)
{
    modal_station *stations = malloc((rings + 2) * sizeof *stations);
    if (stations == NULL) {
        builder->failed = true;
        return;
    }
    for (uint32_t j = 0; j < rings + 2; j++) {
        double angle = GALLERY_PI * j / (rings + 1);
        double out = gallery_sin(angle);
        stations[j] = (modal_station){
            .centre = {centre[0], centre[1], centre[2] - radii[2] * gallery_cos(angle)},
            .side = {out * radii[0], 0, 0},
            .up = {0, out * radii[1], 0},
        };
    }
    uint32_t first = builder->mesh.vertex_count;
    modal_build_loft(builder, stations + 1, rings, ring, MODAL_ELLIPSE, MODAL_CAPPED);
    if (!builder->failed) {
        float *poles = builder->mesh.positions + 3 * (size_t)(first + rings * ring);
        poles[2] = (float)(centre[2] - radii[2]);
        poles[5] = (float)(centre[2] + radii[2]);
    }
    free(stations);
}

void modal_build_sheet(modal_builder *builder, uint32_t columns, uint32_t rows,
                       modal_surface surface)
{
    uint32_t first = builder->mesh.vertex_count;
    for (uint32_t row = 0; row <= rows; row++) {
        for (uint32_t column = 0; column <= columns; column++) {
            double point[3];
            surface((double)column / columns, (double)row / rows, point);
            modal_build_vertex(builder, point);
        }
    }
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t column = 0; column < columns; column++) {
            uint32_t here = first + row * (columns + 1) + column;
            uint32_t above = here + columns + 1;
            modal_build_triangle(builder, here, here + 1, above + 1);
            modal_build_triangle(builder, here, above + 1, above);
        }
    }
}

/* One side of a triangle: from its corner `corner` to the next. */
typedef struct half_edge {
    uint32_t low, high;
    uint32_t triangle, corner;
    double length; /* squared */
    uint32_t other, other_corner;
} half_edge;

static int by_vertices(const void *left, const void *right)
{
    const half_edge *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static int by_length(const void *left, const void *right)
{
    const half_edge *a = left, *b = right;
    if (a->length != b->length) {
        return a->length > b->length ? -1 : 1;
    }
    return by_vertices(left, right);
}

/* The edges between exactly two triangles, the longest first. */
static uint32_t find_inner_edges(const gallery_mesh *mesh, half_edge *edges)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t a = mesh->triangles[3 * (size_t)t + k];
            uint32_t b = mesh->triangles[3 * (size_t)t + (k + 1) % 3];
            half_edge *edge = &edges[count++];
            *edge = (half_edge){.low = a < b ? a : b, .high = a < b ? b : a};
            edge->triangle = t;
            edge->corner = k;
            for (uint32_t axis = 0; axis < 3; axis++) {
                double side = (double)mesh->positions[3 * (size_t)a + axis] -
                              (double)mesh->positions[3 * (size_t)b + axis];
                edge->length += side * side;
            }
        }
    }
    qsort(edges, count, sizeof *edges, by_vertices);
    uint32_t kept = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1;
             end < count && edges[end].low == edges[i].low && edges[end].high == edges[i].high;) {
            end++;
        }
        if (end - i == 2) {
            half_edge joined = edges[i];
            joined.other = edges[i + 1].triangle;
            joined.other_corner = edges[i + 1].corner;
            edges[kept++] = joined;
        }
    }
    qsort(edges, kept, sizeof *edges, by_length);
    return kept;
}

/* Cuts a triangle in two at the middle of one side. */
static void cut(modal_builder *builder, uint32_t triangle, uint32_t corner, uint32_t middle)
{
    uint32_t *corners = builder->mesh.triangles + 3 * (size_t)triangle;
    uint32_t b = corners[(corner + 1) % 3], c = corners[(corner + 2) % 3];
    corners[(corner + 1) % 3] = middle;
    modal_build_triangle(builder, middle, b, c);
}

static void split(modal_builder *builder, const half_edge *edge)
{
    const float *a = builder->mesh.positions + 3 * (size_t)edge->low;
    const float *b = builder->mesh.positions + 3 * (size_t)edge->high;
    double point[3];
    for (int axis = 0; axis < 3; axis++) {
        point[axis] = 0.5 * ((double)a[axis] + (double)b[axis]);
    }
    uint32_t middle = modal_build_vertex(builder, point);
    if (!builder->failed) {
        cut(builder, edge->triangle, edge->corner, middle);
    }
    if (!builder->failed) {
        cut(builder, edge->other, edge->other_corner, middle);
    }
}

/* One round: no triangle is cut twice. */
static void refine_once(modal_builder *builder, uint32_t vertex_count)
{
    uint32_t triangle_count = builder->mesh.triangle_count;
    half_edge *edges = malloc(3 * (size_t)triangle_count * sizeof *edges);
    bool *taken = calloc(triangle_count, sizeof *taken);
    builder->failed = builder->failed || edges == NULL || taken == NULL;
    if (!builder->failed) {
        uint32_t count = find_inner_edges(&builder->mesh, edges);
        builder->failed = count == 0;
        for (uint32_t i = 0; i < count && builder->mesh.vertex_count < vertex_count; i++) {
            if (!taken[edges[i].triangle] && !taken[edges[i].other] && !builder->failed) {
                taken[edges[i].triangle] = taken[edges[i].other] = true;
                split(builder, &edges[i]);
            }
        }
    }
    free(edges);
    free(taken);
}

void modal_build_refine(modal_builder *builder, uint32_t vertex_count)
{
    while (!builder->failed && builder->mesh.vertex_count < vertex_count) {
        refine_once(builder, vertex_count);
    }
}

bool modal_build_finish(modal_builder *builder, gallery_mesh *mesh)
{
    if (builder->failed) {
        mesh_free(&builder->mesh);
    }
    *mesh = builder->mesh;
    return !builder->failed;
}
