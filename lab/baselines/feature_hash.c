/*
 * Based on: M. Teschner, B. Heidelberger, M. Müller, D. Pomerantes, M. Gross, "Optimized Spatial
 * Hashing for Collision Detection of Deformable Objects", 2003. Cells of a uniform grid are hashed
 * to a table; here faces and edges are put into all cells that their boxes meet, vertices are
 * looked up, and edges of one cell are compared. Cells are as large as an edge and the distance.
 */
#include "feature_hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/triangle.h"

/* A feature in a cell. */
typedef struct entry {
    int32_t cell[3];
    uint32_t feature;
} entry;

/* The lowest and highest cell that a box meets. */
typedef struct cell_range {
    int32_t low[3], high[3];
} cell_range;

struct feature_hash {
    const gallery_mesh *mesh;
    uint32_t (*edges)[2];
    uint32_t edge_count, table_mask;
    uint32_t *start; /* table_mask + 2 entries */
    entry *entries;
    size_t entry_capacity;
    cell_range *ranges; /* per feature */
    const float *positions;
    double distance, cell_size;
};

static int compare_edges(const void *p, const void *q)
{
    const uint32_t *a = p, *b = q;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : a[1] < b[1] ? -1 : a[1] > b[1];
}

static void find_edges(feature_hash *hash)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < 3 * hash->mesh->triangle_count; e++) {
        const uint32_t *corner = hash->mesh->triangles + e / 3 * (size_t)3;
        uint32_t from = corner[e % 3], to = corner[(e + 1) % 3];
        hash->edges[e][0] = from < to ? from : to;
        hash->edges[e][1] = from < to ? to : from;
    }
    qsort(hash->edges, (size_t)3 * hash->mesh->triangle_count, sizeof *hash->edges, compare_edges);
    for (uint32_t e = 0; e < 3 * hash->mesh->triangle_count; e++) {
        if (count == 0 || compare_edges(hash->edges[count - 1], hash->edges[e]) != 0) {
            memmove(hash->edges[count++], hash->edges[e], sizeof *hash->edges);
        }
    }
    hash->edge_count = count;
}

feature_hash *feature_hash_create(const gallery_mesh *mesh)
{
    feature_hash *hash = calloc(1, sizeof *hash);
    if (hash == NULL) {
        return NULL;
    }
    size_t size = 1024, most = (size_t)3 * mesh->triangle_count;
    while (size < 2 * most) {
        size *= 2;
    }
    hash->mesh = mesh;
    hash->table_mask = (uint32_t)size - 1;
    hash->edges = malloc(most * sizeof *hash->edges);
    hash->start = malloc((size + 1) * sizeof *hash->start);
    hash->ranges = malloc(most * sizeof *hash->ranges);
    if (hash->edges == NULL || hash->start == NULL || hash->ranges == NULL) {
        feature_hash_destroy(hash);
        return NULL;
    }
    find_edges(hash);
    return hash;
}

void feature_hash_destroy(feature_hash *hash)
{
    if (hash != NULL) {
        free(hash->edges);
        free(hash->start);
        free(hash->entries);
        free(hash->ranges);
        free(hash);
    }
}

static uint32_t place_of(const feature_hash *hash, const int32_t cell[3])
{
    uint32_t h = ((uint32_t)cell[0] * 73856093u) ^ ((uint32_t)cell[1] * 19349663u) ^
                 ((uint32_t)cell[2] * 83492791u);
    return h & hash->table_mask;
}

static int32_t cell_of(const feature_hash *hash, double x)
{
    return (int32_t)floor(x / hash->cell_size);
}

static cell_range range_of(const feature_hash *hash, const uint32_t *vertices, int count,
                           double grow)
{
    cell_range range;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int c = 0; c < count; c++) {
            double x = (double)hash->positions[3 * (size_t)vertices[c] + (size_t)k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        range.low[k] = cell_of(hash, low - grow);
        range.high[k] = cell_of(hash, high + grow);
    }
    return range;
}

/* Counts the cells of all features (`fill` false), or puts these into them. */
static void visit_cells(feature_hash *hash, uint32_t count, bool fill)
{
    for (uint32_t i = 0; i < count; i++) {
        const cell_range *r = &hash->ranges[i];
        int32_t c[3];
        for (c[0] = r->low[0]; c[0] <= r->high[0]; c[0]++) {
            for (c[1] = r->low[1]; c[1] <= r->high[1]; c[1]++) {
                for (c[2] = r->low[2]; c[2] <= r->high[2]; c[2]++) {
                    uint32_t at = place_of(hash, c);
                    if (fill) {
                        hash->entries[--hash->start[at]] = (entry){{c[0], c[1], c[2]}, i};
                    } else {
                        hash->start[at]++;
                    }
                }
            }
        }
    }
}

static bool fill_table(feature_hash *hash, uint32_t count)
{
    uint32_t sum = 0;
    memset(hash->start, 0, (hash->table_mask + (size_t)2) * sizeof *hash->start);
    visit_cells(hash, count, false);
    for (size_t i = 0; i <= hash->table_mask + (size_t)1; i++) {
        sum += hash->start[i];
        hash->start[i] = sum; /* the end for now: filling counts it down */
    }
    if (sum > hash->entry_capacity) {
        entry *grown = realloc(hash->entries, sum * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        hash->entries = grown;
        hash->entry_capacity = sum;
    }
    visit_cells(hash, count, true);
    return true;
}

static bool same_cell(const int32_t a[3], const int32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool face_is_near(const feature_hash *hash, uint32_t vertex, uint32_t face)
{
    const uint32_t *corner = hash->mesh->triangles + 3 * (size_t)face;
    pliant_triangle triangle;
    if (corner[0] == vertex || corner[1] == vertex || corner[2] == vertex) {
        return false;
    }
    for (int c = 0; c < 3; c++) {
        memcpy(triangle.corner[c], hash->positions + 3 * (size_t)corner[c],
               sizeof triangle.corner[c]);
    }
    return pliant_triangle_find_closest_point(&triangle, hash->positions + 3 * (size_t)vertex,
                                              NULL) <= hash->distance;
}

static bool count_vertices(feature_hash *hash, feature_counts *counts)
{
    const gallery_mesh *mesh = hash->mesh;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        hash->ranges[t] = range_of(hash, mesh->triangles + 3 * (size_t)t, 3, hash->distance);
    }
    if (!fill_table(hash, mesh->triangle_count)) {
        return false;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        cell_range here = range_of(hash, &v, 1, 0.0);
        uint32_t at = place_of(hash, here.low);
        for (uint32_t i = hash->start[at]; i < hash->start[at + 1]; i++) {
            const entry *e = &hash->entries[i];
            counts->vertex_faces +=
                same_cell(e->cell, here.low) && face_is_near(hash, v, e->feature);
        }
    }
    return true;
}

static double clamp(double x)
{
    return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

/* The usual segments' distance: the lines' closest points, clamped one after the other. */
static double edge_distance_squared(const float *a, const float *b, const float *c, const float *d)
{
    double u[3], v[3], w[3], uu = 0, vv = 0, uv = 0, uw = 0, vw = 0, squared = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)d[k] - (double)c[k];
        w[k] = (double)a[k] - (double)c[k];
        uu += u[k] * u[k];
        vv += v[k] * v[k];
        uv += u[k] * v[k];
        uw += u[k] * w[k];
        vw += v[k] * w[k];
    }
    double det = uu * vv - uv * uv, s = det > 0.0 ? clamp((uv * vw - vv * uw) / det) : 0.0;
    double t = clamp((uv * s + vw) / vv);
    s = clamp((uv * t - uw) / uu);
    for (int k = 0; k < 3; k++) {
        double r = w[k] + s * u[k] - t * v[k];
        squared += r * r;
    }
    return squared;
}

static bool edges_are_near(const feature_hash *hash, const uint32_t a[2], const uint32_t b[2])
{
    const float *p = hash->positions;
    if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) {
        return false;
    }
    return edge_distance_squared(p + 3 * (size_t)a[0], p + 3 * (size_t)a[1], p + 3 * (size_t)b[0],
                                 p + 3 * (size_t)b[1]) <= hash->distance * hash->distance;
}

/* Whether a cell is the lowest that both edges are in: there their pair is looked at. */
static bool is_first(const feature_hash *hash, const entry *a, const entry *b)
{
    for (int k = 0; k < 3; k++) {
        int32_t low_a = hash->ranges[a->feature].low[k], low_b = hash->ranges[b->feature].low[k];
        if (a->cell[k] != (low_a > low_b ? low_a : low_b)) {
            return false;
        }
    }
    return true;
}

static bool count_edges(feature_hash *hash, feature_counts *counts)
{
    for (uint32_t e = 0; e < hash->edge_count; e++) {
        hash->ranges[e] = range_of(hash, hash->edges[e], 2, 0.5 * hash->distance);
    }
    if (!fill_table(hash, hash->edge_count)) {
        return false;
    }
    for (size_t at = 0; at <= hash->table_mask; at++) {
        for (uint32_t i = hash->start[at]; i < hash->start[at + 1]; i++) {
            for (uint32_t j = i + 1; j < hash->start[at + 1]; j++) {
                const entry *a = &hash->entries[i], *b = &hash->entries[j];
                counts->edges +=
                    same_cell(a->cell, b->cell) && is_first(hash, a, b) &&
                    edges_are_near(hash, hash->edges[a->feature], hash->edges[b->feature]);
            }
        }
    }
    return true;
}

bool feature_hash_count(feature_hash *hash, const float *positions, float distance,
                        feature_counts *counts)
{
    double sum = 0.0;
    hash->positions = positions;
    hash->distance = (double)distance;
    for (uint32_t e = 0; e < hash->edge_count; e++) {
        const float *a = positions + 3 * (size_t)hash->edges[e][0],
                    *b = positions + 3 * (size_t)hash->edges[e][1];
        sum += fabs((double)a[0] - (double)b[0]) + fabs((double)a[1] - (double)b[1]) +
               fabs((double)a[2] - (double)b[2]);
    }
    hash->cell_size = sum / hash->edge_count + hash->distance;
    *counts = (feature_counts){0, 0};
    return count_vertices(hash, counts) && count_edges(hash, counts);
}
