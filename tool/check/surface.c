#include "surface.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counts, sums, fills: which triangles are around each welded vertex. A triangle that has a vertex
   twice stands there twice, which does no harm. */
static bool make_rings(check_surface *surface)
{
    const pliant_asset_mesh *mesh = surface->mesh;
    size_t corner_count = 3 * (size_t)mesh->triangle_count;
    surface->ring_start = calloc((size_t)mesh->vertex_count + 2, sizeof *surface->ring_start);
    surface->ring = malloc((corner_count + 1) * sizeof *surface->ring);
    if (surface->ring_start == NULL || surface->ring == NULL) {
        return false;
    }
    uint32_t *start = surface->ring_start + 1; /* shifted by one: filling moves it into place */
    for (size_t i = 0; i < corner_count; i++) {
        start[surface->welded[mesh->triangles[i]] + 1]++;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        start[v + 1] += start[v];
    }
    for (size_t i = 0; i < corner_count; i++) {
        surface->ring[start[surface->welded[mesh->triangles[i]]]++] = (uint32_t)(i / 3);
    }
    return true;
}

/*
 * Marks the edges of each triangle along which triangles do not go as often in one direction as in
 * the other: bit k is the edge from corner k on. Sums up all edges of a vertex together, so that a
 * vertex with many triangles costs no more than many with few.
 */
static bool mark_open_edges(const check_surface *surface, unsigned char *open)
{
    int32_t *net = calloc((size_t)surface->mesh->vertex_count + 1, sizeof *net);
    for (uint32_t v = 0; net != NULL && v < surface->mesh->vertex_count; v++) {
        for (int pass = 0; pass < 3; pass++) { /* counts, marks, clears */
            for (uint32_t i = surface->ring_start[v]; i < surface->ring_start[v + 1]; i++) {
                uint32_t c[3], t = surface->ring[i];
                check_surface_corners(surface, t, c);
                for (int k = 0; k < 3; k++) {
                    uint32_t next = c[(k + 1) % 3];
                    if (pass == 0) {
                        net[next] += c[k] == v ? 1 : 0;
                        net[c[k]] -= next == v ? 1 : 0;
                    } else if (pass == 2) {
                        net[next] = 0;
                    } else if (c[k] == v && next != v && net[next] != 0) {
                        open[t] |= (unsigned char)(1u << k);
                    }
                }
            }
        }
    }
    bool done = net != NULL;
    free(net);
    return done;
}

/* What a piece has of surface and of borders. */
typedef struct piece_sums {
    double area, border; /* twice the area; the length of edges that are not balanced */
} piece_sums;

static double length_of(const float *from, const float *to)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += ((double)to[k] - (double)from[k]) * ((double)to[k] - (double)from[k]);
    }
    return sqrt(sum);
}

static double double_area(const float *const corners[3])
{
    double e[2][3], sum = 0.0;
    for (int k = 0; k < 3; k++) {
        e[0][k] = (double)corners[1][k] - (double)corners[0][k];
        e[1][k] = (double)corners[2][k] - (double)corners[0][k];
    }
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        double n = e[0][l] * e[1][m] - e[0][m] * e[1][l];
        sum += n * n;
    }
    return sqrt(sum);
}

/* A hole of so large a share of a piece's surface, at most, leaves it an inside. */
#define HOLE_SHARE 0.05

/* Which edges triangles list, and which pieces are closed, but for small holes: a border of length
   L encloses at most L^2 / (4 pi). */
static bool find_open_pieces(check_surface *surface, const float *rest)
{
    const pliant_asset_mesh *mesh = surface->mesh;
    piece_sums *sums = calloc((size_t)surface->piece_count + 1, sizeof *sums);
    unsigned char *edges = calloc((size_t)mesh->triangle_count + 1, 1);
    if (sums == NULL || edges == NULL || !mark_open_edges(surface, edges)) {
        free(sums);
        free(edges);
        return false;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t c[3];
        const float *at[3];
        piece_sums *sum = &sums[surface->pieces[t]];
        check_surface_corners(surface, t, c);
        for (int k = 0; k < 3; k++) {
            at[k] = rest + 3 * (size_t)c[k];
        }
        sum->area += double_area(at);
        for (int k = 0; k < 3; k++) {
            int next = (k + 1) % 3;
            bool open = (edges[t] >> k & 1) != 0;
            sum->border += open ? length_of(at[k], at[next]) : 0.0;
            if (open || c[k] < c[next]) { /* balanced edges go up as often as down */
                surface->owned[t] |= (unsigned char)(1u << k);
            }
        }
    }
    for (uint32_t i = 0; i < surface->piece_count; i++) {
        const double pi = 3.14159265358979323846;
        double hole = sums[i].border * sums[i].border / (4.0 * pi);
        surface->sides[i] = hole <= HOLE_SHARE * 0.5 * sums[i].area ? 1 : 0;
    }
    free(edges);
    free(sums);
    return true;
}

/* Six times the volume of the pyramid over a triangle whose tip is `origin`. */
static double pyramid(const float *origin, const float *const corners[3])
{
    double e[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            e[i][k] = (double)corners[i][k] - (double)origin[k];
        }
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
           e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/* A closed piece that a mirror, or its author, turned inside out has a negative volume. */
static bool orient_pieces(check_surface *surface, const float *rest)
{
    const pliant_asset_mesh *mesh = surface->mesh;
    double *volumes = calloc((size_t)surface->piece_count + 1, sizeof *volumes);
    uint32_t *first = malloc(((size_t)surface->piece_count + 1) * sizeof *first);
    if (volumes == NULL || first == NULL) {
        free(volumes);
        free(first);
        return false;
    }
    memset(first, 0xff, ((size_t)surface->piece_count + 1) * sizeof *first);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles + 3 * (size_t)t;
        uint32_t piece = surface->pieces[t];
        first[piece] = first[piece] == CHECK_NONE ? c[0] : first[piece];
        const float *const corners[3] = {rest + 3 * (size_t)c[0], rest + 3 * (size_t)c[1],
                                         rest + 3 * (size_t)c[2]};
        volumes[piece] += pyramid(rest + 3 * (size_t)first[piece], corners);
    }
    for (uint32_t i = 0; i < surface->piece_count; i++) {
        surface->sides[i] = volumes[i] < 0.0 ? (signed char)-surface->sides[i] : surface->sides[i];
    }
    free(volumes);
    free(first);
    return true;
}

/* The diagonal of the box around the vertices that triangles use. */
static double find_diagonal(const pliant_asset_mesh *mesh, const float *positions)
{
    double lower[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, upper[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
        const float *p = positions + 3 * (size_t)mesh->triangles[i];
        for (int k = 0; k < 3; k++) {
            lower[k] = fmin(lower[k], (double)p[k]);
            upper[k] = fmax(upper[k], (double)p[k]);
        }
    }
    double sum = 0.0;
    for (int k = 0; k < 3 && mesh->triangle_count > 0; k++) {
        sum += (upper[k] - lower[k]) * (upper[k] - lower[k]);
    }
    return sqrt(sum);
}

bool check_surface_create(const pliant_asset_mesh *mesh, const float *rest, check_surface *surface)
{
    *surface = (check_surface){.mesh = mesh};
    surface->welded = malloc(((size_t)mesh->vertex_count + 1) * sizeof *surface->welded);
    surface->pieces = malloc(((size_t)mesh->triangle_count + 1) * sizeof *surface->pieces);
    if (surface->welded == NULL || surface->pieces == NULL || !check_weld(mesh, surface->welded) ||
        check_find_pieces(mesh, surface->pieces, &surface->piece_count) != CHECK_DONE ||
        !make_rings(surface)) {
        return false;
    }
    surface->sides = malloc((size_t)surface->piece_count + 1);
    surface->owned = calloc((size_t)mesh->triangle_count + 1, 1);
    if (surface->sides == NULL || surface->owned == NULL) {
        return false;
    }
    double own = find_diagonal(mesh, mesh->positions);
    surface->diagonal = find_diagonal(mesh, rest);
    surface->to_mesh = surface->diagonal > 0.0 ? own / surface->diagonal : 1.0;
    return find_open_pieces(surface, rest) && orient_pieces(surface, rest);
}

void check_surface_destroy(check_surface *surface)
{
    free(surface->welded);
    free(surface->ring_start);
    free(surface->ring);
    free(surface->pieces);
    free(surface->sides);
    free(surface->owned);
    *surface = (check_surface){0};
}
