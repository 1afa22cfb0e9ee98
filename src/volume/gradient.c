/*
 * What vertices do to a sampled volume. A span ends on a triangle; moving the triangle's corners
 * along the rays moves that end by the weights that the corners have there. Summed over all rays
 * this is the integral over the bounding surface of its normal's component along the rays, times
 * the corner's weight: that component of the volume's gradient. Rays along all three axes give all
 * of it, and no face is seen edge-on from everywhere.
 */
#include "volume/volume.h"

#include "base/sort.h"

#include <math.h>

/* A triangle as rays see it. */
typedef struct plane {
    double corner[3][2]; /* across columns, across rows */
    double area;         /* twice, with sign */
} plane;

static bool set_plane(plane *p, const float position[9], const pli_grid *grid)
{
    for (uint32_t c = 0; c < 3; c++) {
        for (uint32_t k = 0; k < 2; k++) {
            p->corner[c][k] = (double)position[3 * c + grid->axis[k]];
        }
    }
    double side[2][2];
    for (uint32_t k = 0; k < 2; k++) {
        side[0][k] = p->corner[1][k] - p->corner[0][k];
        side[1][k] = p->corner[2][k] - p->corner[0][k];
    }
    p->area = side[0][0] * side[1][1] - side[1][0] * side[0][1];
    return p->area != 0.0;
}

/* The weights of the corners at a ray; a ray that snapping brought onto the triangle may pass it by
   a little, and is taken to the triangle's border. */
static void weigh(const plane *p, double u, double v, double weight[3])
{
    double sum = 0.0;
    for (uint32_t k = 0; k < 3; k++) {
        const double *a = p->corner[(k + 1) % 3], *b = p->corner[(k + 2) % 3];
        double value = (b[0] - a[0]) * (v - a[1]) - (b[1] - a[1]) * (u - a[0]);
        weight[k] = fmax(value / p->area, 0.0);
        sum += weight[k];
    }
    for (uint32_t k = 0; k < 3; k++) {
        weight[k] = sum > 0.0 ? weight[k] / sum : 1.0 / 3.0;
    }
}

/* Adds up the ends on one triangle: ends[order[first]] to ends[order[last - 1]]. */
static void add_ends(const pli_gradient *g, const uint64_t *order, size_t first, size_t last,
                     const plane *p, const pli_grid *grid, pli_vertex_share share[3])
{
    double pixel = pli_grid_pixel_area(grid);
    for (size_t i = first; i < last; i++) {
        const pli_span_end *end = &g->ends.data[order[i]];
        double u = grid->lower[0] + (end->column + 0.5) * grid->extent[0] / grid->resolution;
        double v = grid->lower[1] + (end->row + 0.5) * grid->extent[1] / grid->resolution;
        double weight[3];
        weigh(p, u, v, weight);
        for (uint32_t c = 0; c < 3; c++) {
            double area = weight[c] * pixel;
            share[c].gradient[grid->axis[2]] += area * (double)end->sign;
            share[c].area[grid->axis[2]] += area;
            share[c].depth += area * (double)end->length;
        }
    }
}

/* Sorts keys that are in place, with their places, in volume->keys: four lists one after another.
 */
static const uint64_t *sort_places(pliant_volume *volume, size_t count)
{
    uint64_t *keys = volume->keys.data, *places = keys + count;
    for (size_t i = 0; i < count; i++) {
        places[i] = i;
    }
    pli_sort_keys(keys, keys + 2 * count, places, keys + 3 * count, count);
    return places;
}

static pliant_result share_triangle(pliant_volume *volume, pli_gradient *g, pliant_body *body,
                                    const pli_grid *grid, const uint64_t *order, size_t first,
                                    size_t last)
{
    uint32_t triangle = g->ends.data[order[first]].triangle;
    const uint32_t *corners = body->shape->triangles + 3 * (size_t)triangle;
    float position[9];
    pliant_result result = pliant_body_evaluate(body, corners, 3, position);
    if (result != PLIANT_OK) {
        return result;
    }
    plane p;
    if (!set_plane(&p, position, grid)) {
        return PLIANT_OK;
    }
    pli_vertex_share *share = PLI_EXTEND(volume->context, &g->shares, 3);
    if (share == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t c = 0; c < 3; c++) {
        share[c].vertex = corners[c];
    }
    add_ends(g, order, first, last, &p, grid, share);
    return PLIANT_OK;
}

/* From the ends of spans to shares of vertices, triangle by triangle. */
static pliant_result share_ends(pliant_volume *volume, pli_gradient *g, pliant_body *body,
                                const pli_grid *grid)
{
    size_t count = g->ends.count;
    if (count == 0) {
        return PLIANT_OK;
    }
    if (!PLI_RESERVE(volume->context, &volume->keys, 4 * count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    uint64_t *keys = volume->keys.data;
    for (size_t i = 0; i < count; i++) {
        keys[i] = g->ends.data[i].triangle;
    }
    const uint64_t *order = sort_places(volume, count);
    pliant_result result = PLIANT_OK;
    for (size_t first = 0; first < count && result == PLIANT_OK;) {
        size_t last = first;
        while (last < count && keys[last] == keys[first]) {
            last++;
        }
        result = share_triangle(volume, g, body, grid, order, first, last);
        first = last;
    }
    return result;
}

static void add_share(pli_vertex_share *sum, const pli_vertex_share *more)
{
    for (int k = 0; k < 3; k++) {
        sum->gradient[k] += more->gradient[k];
        sum->area[k] += more->area[k];
    }
    sum->depth += more->depth;
}

static pliant_volume_vertex finished(const pli_vertex_share *sum, double area)
{
    pliant_volume_vertex vertex = {.vertex = sum->vertex, .depth = (float)(sum->depth / area)};
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        vertex.gradient[k] = (float)sum->gradient[k];
        square += sum->area[k] * sum->area[k];
    }
    vertex.area = (float)sqrt(square);
    return vertex;
}

/* From shares to vertices. */
static pliant_result sum_shares(pliant_volume *volume, pli_gradient *g)
{
    size_t count = g->shares.count;
    g->vertices.count = 0;
    if (!PLI_RESERVE(volume->context, &volume->keys, 4 * count + 1) ||
        !PLI_RESERVE(volume->context, &g->vertices, count + 1)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    const pli_vertex_share *shares = g->shares.data;
    for (size_t i = 0; i < count; i++) {
        volume->keys.data[i] = shares[i].vertex;
    }
    const uint64_t *order = sort_places(volume, count);
    for (size_t i = 0; i < count;) {
        pli_vertex_share sum = shares[order[i]];
        for (i++; i < count && shares[order[i]].vertex == sum.vertex; i++) {
            add_share(&sum, &shares[order[i]]);
        }
        double area = sum.area[0] + sum.area[1] + sum.area[2];
        if (area > 0.0) {
            g->vertices.data[g->vertices.count++] = finished(&sum, area);
        }
    }
    return PLIANT_OK;
}

pliant_result pli_volume_share_ends(pliant_volume *volume, pliant_body *const *bodies,
                                    uint32_t count, const pli_grid *grid)
{
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < count && result == PLIANT_OK; i++) {
        result = share_ends(volume, &volume->gradients[i], bodies[i], grid);
    }
    return result;
}

pliant_result pli_volume_sum_shares(pliant_volume *volume, uint32_t count)
{
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < count && result == PLIANT_OK; i++) {
        result = sum_shares(volume, &volume->gradients[i]);
    }
    return result;
}
