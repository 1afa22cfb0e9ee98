/*
 * Nodes are chosen from a dense cloud of candidates: each new one is the candidate farthest from
 * all so far, which fills every limb, and then every node moves a few times to the middle of the
 * candidates that are nearest to it (S. Lloyd, "Least Squares Quantization in PCM", 1982), which
 * makes the parts equal.
 */
#include "nodes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CANDIDATES_PER_NODE 30
#define LLOYD_ROUNDS        6

typedef struct fill_state {
    const implicit_solid *solid;
    node_cloud *cloud;
    double (*candidates)[3];
    double *squares;   /* of the distance to the nearest node */
    uint32_t *nearest; /* node */
    uint32_t count, room;
    double spacing;
} fill_state;

double nodes_cube_root(double x)
{
    if (!(x > 0.0)) {
        return 0.0;
    }
    double root = x < 1.0 ? 1.0 : x;
    for (int i = 0; i < 200; i++) {
        root = (2.0 * root + x / (root * root)) / 3.0;
    }
    return root;
}

bool nodes_allocate(uint32_t count, node_cloud *cloud)
{
    memset(cloud, 0, sizeof *cloud);
    cloud->count = count;
    cloud->points = calloc(count + 1, sizeof *cloud->points);
    cloud->volumes = calloc(count + 1, sizeof *cloud->volumes);
    cloud->radii = calloc(count + 1, sizeof *cloud->radii);
    cloud->reaches = calloc(count + 1, sizeof *cloud->reaches);
    cloud->starts = calloc((size_t)count + 2, sizeof *cloud->starts);
    if (cloud->points == NULL || cloud->volumes == NULL || cloud->radii == NULL ||
        cloud->reaches == NULL || cloud->starts == NULL) {
        nodes_free(cloud);
        return false;
    }
    return true;
}

void nodes_free(node_cloud *cloud)
{
    free(cloud->points);
    free(cloud->volumes);
    free(cloud->radii);
    free(cloud->reaches);
    free(cloud->starts);
    free(cloud->neighbours);
    memset(cloud, 0, sizeof *cloud);
}

static double square_between(const double a[3], const double b[3])
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        square += (a[axis] - b[axis]) * (a[axis] - b[axis]);
    }
    return square;
}

/* A point near every corner of a grid, if it is inside. Counts them all, keeps what there is room
   for. */
static void scatter(fill_state *fill, uint64_t seed)
{
    gallery_random random = gallery_random_seed(seed, 77);
    const implicit_solid *solid = fill->solid;
    uint32_t cells[3];
    for (int axis = 0; axis < 3; axis++) {
        cells[axis] = 1 + (uint32_t)((solid->upper[axis] - solid->lower[axis]) / fill->spacing);
    }
    fill->count = 0;
    for (uint32_t i = 0; i < cells[0] * cells[1] * cells[2]; i++) {
        uint32_t cell[3] = {i % cells[0], i / cells[0] % cells[1], i / cells[0] / cells[1]};
        double point[3];
        for (int axis = 0; axis < 3; axis++) {
            double offset = (double)cell[axis] + gallery_random_range(&random, 0.1, 0.9);
            point[axis] = solid->lower[axis] + fill->spacing * offset;
        }
        if (solid->value(point) < 0.0) {
            if (fill->count < fill->room) {
                memcpy(fill->candidates[fill->count], point, sizeof point);
            }
            fill->count++;
        }
    }
}

/* Scatters candidates as densely as is needed. */
static bool find_candidates(fill_state *fill, uint64_t seed)
{
    double wanted = (double)CANDIDATES_PER_NODE * (double)fill->cloud->count;
    double box = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        box *= fill->solid->upper[axis] - fill->solid->lower[axis];
    }
    fill->spacing = nodes_cube_root(box / wanted);
    do {
        scatter(fill, seed);
        if (fill->count == 0) {
            return false;
        }
        if ((double)fill->count < wanted) {
            fill->spacing *= nodes_cube_root(0.95 * (double)fill->count / wanted);
        }
    } while ((double)fill->count < wanted);
    fill->room = fill->count;
    fill->candidates = malloc(fill->room * sizeof *fill->candidates);
    fill->squares = malloc(fill->room * sizeof *fill->squares);
    fill->nearest = malloc(fill->room * sizeof *fill->nearest);
    if (fill->candidates == NULL || fill->squares == NULL || fill->nearest == NULL) {
        return false;
    }
    scatter(fill, seed);
    return true;
}

static void choose_farthest(fill_state *fill)
{
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < fill->count; i++) {
        fill->squares[i] = DBL_MAX;
    }
    for (uint32_t node = 0; node < fill->cloud->count; node++) {
        double *point = fill->cloud->points[node];
        memcpy(point, fill->candidates[chosen], sizeof fill->candidates[chosen]);
        chosen = 0;
        for (uint32_t i = 0; i < fill->count; i++) {
            fill->squares[i] = fmin(fill->squares[i], square_between(fill->candidates[i], point));
            if (fill->squares[i] > fill->squares[chosen]) {
                chosen = i;
            }
        }
    }
}

static void assign(fill_state *fill)
{
    const node_cloud *cloud = fill->cloud;
    for (uint32_t i = 0; i < fill->count; i++) {
        fill->squares[i] = DBL_MAX;
        for (uint32_t node = 0; node < cloud->count; node++) {
            double square = square_between(fill->candidates[i], cloud->points[node]);
            if (square < fill->squares[i]) {
                fill->squares[i] = square;
                fill->nearest[i] = node;
            }
        }
    }
}

/* Moves a node that has left the solid back to the nearest candidate. */
static void bring_back(const fill_state *fill, double point[3])
{
    if (fill->solid->value(point) < 0.0) {
        return;
    }
    uint32_t best = 0;
    for (uint32_t i = 1; i < fill->count; i++) {
        if (square_between(fill->candidates[i], point) <
            square_between(fill->candidates[best], point)) {
            best = i;
        }
    }
    memcpy(point, fill->candidates[best], sizeof fill->candidates[best]);
}

/* One of Lloyd's rounds; `volumes` serves to count. */
static void even_out(fill_state *fill)
{
    node_cloud *cloud = fill->cloud;
    assign(fill);
    memset(cloud->points, 0, cloud->count * sizeof *cloud->points);
    memset(cloud->volumes, 0, cloud->count * sizeof *cloud->volumes);
    for (uint32_t i = 0; i < fill->count; i++) {
        cloud->volumes[fill->nearest[i]] += 1.0;
        for (int axis = 0; axis < 3; axis++) {
            cloud->points[fill->nearest[i]][axis] += fill->candidates[i][axis];
        }
    }
    for (uint32_t node = 0; node < cloud->count; node++) {
        for (int axis = 0; axis < 3; axis++) {
            cloud->points[node][axis] /= fmax(cloud->volumes[node], 1.0);
        }
        bring_back(fill, cloud->points[node]);
    }
}

static void measure(fill_state *fill)
{
    node_cloud *cloud = fill->cloud;
    double cell = fill->spacing * fill->spacing * fill->spacing;
    assign(fill);
    memset(cloud->volumes, 0, cloud->count * sizeof *cloud->volumes);
    for (uint32_t i = 0; i < fill->count; i++) {
        cloud->volumes[fill->nearest[i]] += cell;
    }
    for (uint32_t node = 0; node < cloud->count; node++) {
        cloud->volumes[node] = fmax(cloud->volumes[node], cell);
    }
}

bool nodes_fill(const implicit_solid *solid, uint32_t count, uint64_t seed, node_cloud *cloud)
{
    if (!nodes_allocate(count, cloud)) {
        return false;
    }
    fill_state fill = {.solid = solid, .cloud = cloud};
    bool done = find_candidates(&fill, seed);
    if (done) {
        choose_farthest(&fill);
        for (int round = 0; round < LLOYD_ROUNDS; round++) {
            even_out(&fill);
        }
        measure(&fill);
        done = nodes_link(solid, cloud);
    }
    free(fill.candidates);
    free(fill.squares);
    free(fill.nearest);
    if (!done) {
        nodes_free(cloud);
    }
    return done;
}
