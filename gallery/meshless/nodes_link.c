#include "nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS         1.75 /* over the edge of a cube of a node's mean volume */
#define GROWTH         1.12 /* of a radius that turns out to be too small */
#define MAX_GROWTHS    16
#define LEAST_COUNT    6   /* neighbours */
#define LEAST_SPREAD   0.1 /* of a moment matrix: 0 for neighbours in a plane, 1 for even ones */
#define LEAST_COVERAGE 4   /* nodes per vertex */

static double square_between(const double a[3], const double b[3])
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        square += (a[axis] - b[axis]) * (a[axis] - b[axis]);
    }
    return square;
}

/* Is the way from a to b inside the solid? */
static bool sees(const implicit_solid *solid, const double a[3], const double b[3])
{
    for (int i = 1; solid != NULL && i < 4; i++) {
        double point[3];
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = a[axis] + 0.25 * i * (b[axis] - a[axis]);
        }
        if (solid->value(point) > 0.0) {
            return false;
        }
    }
    return true;
}

/* Appends the neighbours of a node; the array has room for all nodes. */
static void list_neighbours(const implicit_solid *solid, node_cloud *cloud, uint32_t node)
{
    uint32_t end = cloud->starts[node];
    double reach = cloud->radii[node] * cloud->radii[node];
    for (uint32_t other = 0; other < cloud->count; other++) {
        const double *there = cloud->points[other];
        if (other != node && square_between(cloud->points[node], there) < reach &&
            sees(solid, cloud->points[node], there)) {
            cloud->neighbours[end++] = other;
        }
    }
    cloud->starts[node + 1] = end;
}

void nodes_moment(const node_cloud *cloud, uint32_t node, double moment[3][3])
{
    memset(moment, 0, 9 * sizeof moment[0][0]);
    const double *here = cloud->points[node];
    for (uint32_t i = cloud->starts[node]; i < cloud->starts[node + 1]; i++) {
        const double *there = cloud->points[cloud->neighbours[i]];
        double weight = nodes_kernel(square_between(here, there), cloud->radii[node]);
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++) {
                moment[row][column] +=
                    weight * (there[row] - here[row]) * (there[column] - here[column]);
            }
        }
    }
}

/* The determinant over that of even neighbours of the same mean distance. */
static double spread_of(const node_cloud *cloud, uint32_t node)
{
    double m[3][3];
    nodes_moment(cloud, node, m);
    double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    double mean = (m[0][0] + m[1][1] + m[2][2]) / 3.0;
    return mean > 0.0 ? determinant / (mean * mean * mean) : 0.0;
}

static void link_node(const implicit_solid *solid, node_cloud *cloud, uint32_t node)
{
    for (int growth = 0; growth <= MAX_GROWTHS; growth++) {
        /* A node that sees too little at last looks through walls. */
        list_neighbours(growth < MAX_GROWTHS ? solid : NULL, cloud, node);
        if (cloud->starts[node + 1] - cloud->starts[node] >= LEAST_COUNT &&
            spread_of(cloud, node) >= LEAST_SPREAD) {
            return;
        }
        if (growth < MAX_GROWTHS) {
            cloud->radii[node] *= GROWTH;
        }
    }
}

bool nodes_link(const implicit_solid *solid, node_cloud *cloud)
{
    double total = 0.0;
    for (uint32_t node = 0; node < cloud->count; node++) {
        total += cloud->volumes[node];
    }
    double radius = RADIUS * nodes_cube_root(total / fmax((double)cloud->count, 1.0));
    free(cloud->neighbours);
    cloud->neighbours =
        malloc(((size_t)cloud->count * cloud->count + 1) * sizeof *cloud->neighbours);
    if (cloud->neighbours == NULL) {
        return false;
    }
    cloud->starts[0] = 0;
    for (uint32_t node = 0; node < cloud->count; node++) {
        cloud->radii[node] = radius;
        link_node(solid, cloud, node);
        cloud->reaches[node] = cloud->radii[node];
    }
    return true;
}

/* Makes the nodes nearest to a point reach it. */
static void reach_point(node_cloud *cloud, const double point[3])
{
    for (;;) {
        uint32_t reached = 0, best = UINT32_MAX;
        double best_square = 0.0;
        for (uint32_t node = 0; node < cloud->count; node++) {
            double square = square_between(cloud->points[node], point);
            if (square < 0.81 * cloud->reaches[node] * cloud->reaches[node]) {
                reached++;
            } else if (best == UINT32_MAX || square < best_square) {
                best = node;
                best_square = square;
            }
        }
        if (reached >= LEAST_COVERAGE || best == UINT32_MAX) {
            return;
        }
        cloud->reaches[best] = 1.2 * sqrt(best_square);
    }
}

void nodes_cover(node_cloud *cloud, const gallery_mesh *mesh)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const float *p = mesh->positions + (size_t)3 * v;
        reach_point(cloud, (const double[3]){(double)p[0], (double)p[1], (double)p[2]});
    }
}

/* Weighs the nodes at a vertex; returns how many count. */
static uint32_t weigh(const node_cloud *cloud, const float position[3], double *weights)
{
    const double point[3] = {(double)position[0], (double)position[1], (double)position[2]};
    uint32_t count = 0;
    for (uint32_t node = 0; node < cloud->count; node++) {
        weights[node] =
            nodes_kernel(square_between(cloud->points[node], point), cloud->reaches[node]);
        count += weights[node] > 1e-7; /* less is lost in float32 */
    }
    return count;
}

/* Fills the influences of all vertices in; with no room, counts them only. */
static uint32_t attach(const node_cloud *cloud, const gallery_mesh *mesh, double *weights,
                       gallery_model *model)
{
    uint32_t end = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t count = weigh(cloud, mesh->positions + (size_t)3 * v, weights);
        if (model->influence_weights != NULL) {
            double sum = 0.0;
            for (uint32_t node = 0; node < cloud->count; node++) {
                sum += weights[node] > 1e-7 ? weights[node] : 0.0;
            }
            model->influence_offsets[v] = end;
            for (uint32_t node = 0, i = end; node < cloud->count; node++) {
                if (weights[node] > 1e-7) {
                    model->influence_joints[i] = node;
                    model->influence_weights[i++] = (float)(weights[node] / sum);
                }
            }
        }
        end += count;
    }
    return end;
}

bool nodes_attach(const node_cloud *cloud, const gallery_mesh *mesh, gallery_model *model)
{
    memset(model, 0, sizeof *model);
    double *weights = malloc((cloud->count + 1) * sizeof *weights);
    if (weights == NULL) {
        return false;
    }
    model->joint_count = cloud->count;
    uint32_t count = attach(cloud, mesh, weights, model);
    model->influence_offsets =
        malloc(((size_t)mesh->vertex_count + 1) * sizeof *model->influence_offsets);
    model->influence_joints = malloc(((size_t)count + 1) * sizeof *model->influence_joints);
    model->influence_weights = malloc(((size_t)count + 1) * sizeof *model->influence_weights);
    bool done = model->influence_offsets != NULL && model->influence_joints != NULL &&
                model->influence_weights != NULL;
    if (done) {
        model->influence_offsets[mesh->vertex_count] = attach(cloud, mesh, weights, model);
    } else {
        gallery_model_free(model);
    }
    free(weights);
    return done;
}
