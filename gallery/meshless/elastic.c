#include "elastic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

elastic_material elastic_material_default(void)
{
    return (elastic_material){
        .density = 1.0,
        .stiffness = 100.0,
        .poisson = 0.3,
        .volume = 50.0,
        .springs = 0.3,
        .viscosity = 0.5,
        .drag = 0.2,
    };
}

static double square_of(const double v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static void subtract(const double a[3], const double b[3], double difference[3])
{
    for (int axis = 0; axis < 3; axis++) {
        difference[axis] = a[axis] - b[axis];
    }
}

/* The derivative of the determinant of m, which is the determinant times the transposed inverse.
   Returns the determinant. */
static double cofactors(double m[3][3], double cofactor[3][3])
{
    for (int row = 0; row < 3; row++) {
        int below = (row + 1) % 3, above = (row + 2) % 3;
        for (int column = 0; column < 3; column++) {
            int next = (column + 1) % 3, last = (column + 2) % 3;
            cofactor[row][column] =
                m[below][next] * m[above][last] - m[below][last] * m[above][next];
        }
    }
    return m[0][0] * cofactor[0][0] + m[0][1] * cofactor[0][1] + m[0][2] * cofactor[0][2];
}

/* The slopes and weights of one node. */
static bool prepare_node(elastic_shape *shape, uint32_t node)
{
    const node_cloud *nodes = shape->nodes;
    double moment[3][3], cofactor[3][3], sum = 0.0;
    nodes_moment(nodes, node, moment);
    double determinant = cofactors(moment, cofactor);
    for (uint32_t i = nodes->starts[node]; i < nodes->starts[node + 1]; i++) {
        double side[3];
        subtract(nodes->points[nodes->neighbours[i]], nodes->points[node], side);
        double weight = nodes_kernel(square_of(side), nodes->radii[node]);
        for (int row = 0; row < 3; row++) {
            /* The moment matrix is symmetric, so its cofactors are its adjugate. */
            shape->slopes[i][row] = weight *
                                    (cofactor[row][0] * side[0] + cofactor[row][1] * side[1] +
                                     cofactor[row][2] * side[2]) /
                                    determinant;
        }
        shape->weights[i] = weight;
        sum += weight;
    }
    for (uint32_t i = nodes->starts[node]; i < nodes->starts[node + 1]; i++) {
        shape->weights[i] /= sum;
    }
    return determinant > 0.0;
}

bool elastic_shape_create(const node_cloud *nodes, const elastic_material *material,
                          elastic_shape *shape)
{
    size_t links = nodes->starts[nodes->count];
    *shape = (elastic_shape){.nodes = nodes, .material = *material};
    shape->masses = malloc((nodes->count + 1) * sizeof *shape->masses);
    shape->slopes = malloc((links + 1) * sizeof *shape->slopes);
    shape->weights = malloc((links + 1) * sizeof *shape->weights);
    bool done = shape->masses != NULL && shape->slopes != NULL && shape->weights != NULL;
    for (uint32_t node = 0; done && node < nodes->count; node++) {
        shape->masses[node] = material->density * nodes->volumes[node];
        done = prepare_node(shape, node);
    }
    if (!done) {
        elastic_shape_free(shape);
    }
    return done;
}

void elastic_shape_free(elastic_shape *shape)
{
    free(shape->masses);
    free(shape->slopes);
    free(shape->weights);
    memset(shape, 0, sizeof *shape);
}

/* One body in the arrays of the world. */
typedef struct elastic_view {
    const elastic_shape *shape;
    double (*positions)[3], (*velocities)[3], (*gradients)[3][3], (*forces)[3];
} elastic_view;

static void find_gradient(const elastic_view *view, uint32_t node)
{
    const node_cloud *nodes = view->shape->nodes;
    double gradient[3][3] = {{0.0}};
    for (uint32_t i = nodes->starts[node]; i < nodes->starts[node + 1]; i++) {
        const double *slope = view->shape->slopes[i];
        double side[3];
        subtract(view->positions[nodes->neighbours[i]], view->positions[node], side);
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++) {
                gradient[row][column] += side[row] * slope[column];
            }
        }
    }
    memcpy(view->gradients[node], gradient, sizeof gradient);
}

/* The energy per volume, and its derivative with respect to F: the first Piola-Kirchhoff stress. */
static double find_stress(const elastic_material *material, double f[3][3], double stress[3][3])
{
    double poisson = material->poisson;
    double shear = 0.5 * material->stiffness / (1.0 + poisson);
    double bulk = material->stiffness * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    double strain[3][3], second[3][3], cofactor[3][3], trace = 0.0, squares = 0.0;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            strain[row][column] = 0.5 * (f[0][row] * f[0][column] + f[1][row] * f[1][column] +
                                         f[2][row] * f[2][column] - (row == column ? 1.0 : 0.0));
            squares += strain[row][column] * strain[row][column];
        }
        trace += strain[row][row];
    }
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            second[row][column] =
                2.0 * shear * strain[row][column] + (row == column ? bulk * trace : 0.0);
        }
    }
    double swelling = cofactors(f, cofactor) - 1.0;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            stress[row][column] = f[row][0] * second[0][column] + f[row][1] * second[1][column] +
                                  f[row][2] * second[2][column] +
                                  material->volume * swelling * cofactor[row][column];
        }
    }
    return 0.5 * bulk * trace * trace + shear * squares +
           0.5 * material->volume * swelling * swelling;
}

/*
 * Adds the forces on a node and its neighbours that come from the energy at the node, and returns
 * that energy. What least squares leave over, r_ij, is at its least with respect to F already, so
 * the springs' forces are along r_ij alone.
 */
static double push_neighbours(const elastic_view *view, uint32_t node)
{
    const elastic_shape *shape = view->shape;
    const node_cloud *nodes = shape->nodes;
    const elastic_material *material = &shape->material;
    double(*f)[3] = view->gradients[node], stress[3][3];
    double volume = nodes->volumes[node], radius = nodes->radii[node];
    double energy = volume * find_stress(material, f, stress);
    double spring = material->springs * material->stiffness * volume / (radius * radius);
    double *own = view->forces[node];
    for (uint32_t i = nodes->starts[node]; i < nodes->starts[node + 1]; i++) {
        uint32_t other = nodes->neighbours[i];
        const double *slope = shape->slopes[i];
        double rest[3], side[3], speed[3], approach = 0.0;
        subtract(nodes->points[other], nodes->points[node], rest);
        subtract(view->positions[other], view->positions[node], side);
        subtract(view->velocities[other], view->velocities[node], speed);
        for (int axis = 0; axis < 3; axis++) {
            approach += side[axis] * speed[axis];
        }
        double friction = shape->weights[i] * material->viscosity * volume / (radius * radius) *
                          approach / (square_of(side) + 1e-12 * radius * radius);
        double weak = spring * shape->weights[i];
        for (int row = 0; row < 3; row++) {
            double left =
                side[row] - (f[row][0] * rest[0] + f[row][1] * rest[1] + f[row][2] * rest[2]);
            double force = volume * (stress[row][0] * slope[0] + stress[row][1] * slope[1] +
                                     stress[row][2] * slope[2]) +
                           weak * left + friction * side[row];
            view->forces[other][row] -= force;
            own[row] += force;
            energy += 0.5 * weak * left * left;
        }
    }
    return energy;
}

void elastic_update(elastic_world *world)
{
    world->elastic_energy = 0.0;
    memset(world->inner, 0, world->node_count * sizeof *world->inner);
    memset(world->outer, 0, world->node_count * sizeof *world->outer);
    for (uint32_t body = 0; body < world->body_count; body++) {
        uint32_t start = world->starts[body], count = world->starts[body + 1] - start;
        elastic_view view = {world->shape, world->positions + start, world->velocities + start,
                             world->gradients + start, world->inner + start};
        for (uint32_t node = 0; node < count; node++) {
            find_gradient(&view, node);
            world->elastic_energy += push_neighbours(&view, node);
        }
    }
    if (world->external != NULL) {
        world->external(world->user, world, world->outer);
    }
}
