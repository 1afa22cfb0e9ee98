#include "lattice.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

static size_t cube_at(const modal_lattice *lattice, uint32_t i, uint32_t j, uint32_t k)
{
    return ((size_t)k * lattice->sides[1] + j) * lattice->sides[0] + i;
}

static size_t cube_total(const modal_lattice *lattice)
{
    return (size_t)lattice->sides[0] * lattice->sides[1] * lattice->sides[2];
}

/* Does the plane with this normal keep a triangle, seen from the middle of a cube, outside it? */
static bool separates(const double normal[3], double corners[3][3], double half)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        double along =
            normal[0] * corners[i][0] + normal[1] * corners[i][1] + normal[2] * corners[i][2];
        low = fmin(low, along);
        high = fmax(high, along);
    }
    double reach = half * (fabs(normal[0]) + fabs(normal[1]) + fabs(normal[2]));
    return low > reach || high < -reach;
}

/* Separating axes: those of the cube, the triangle's plane, and the nine products of edges. */
static bool enters(double corners[3][3], double half)
{
    double edges[3][3];
    for (int i = 0; i < 3; i++) {
        double axis[3] = {0, 0, 0};
        axis[i] = 1.0;
        if (separates(axis, corners, half)) {
            return false;
        }
        for (int a = 0; a < 3; a++) {
            edges[i][a] = corners[(i + 1) % 3][a] - corners[i][a];
        }
    }
    double normal[3];
    for (int a = 0; a < 3; a++) {
        int next = (a + 1) % 3, last = (a + 2) % 3;
        normal[a] = edges[0][next] * edges[1][last] - edges[0][last] * edges[1][next];
    }
    if (separates(normal, corners, half)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        for (int a = 0; a < 3; a++) {
            double axis[3] = {0, 0, 0};
            axis[(a + 1) % 3] = -edges[i][(a + 2) % 3];
            axis[(a + 2) % 3] = edges[i][(a + 1) % 3];
            if (separates(axis, corners, half)) {
                return false;
            }
        }
    }
    return true;
}

/* Which cube of an axis a coordinate is in. */
static uint32_t cube_of(const modal_lattice *lattice, double coordinate, int axis)
{
    double at = floor((coordinate - lattice->origin[axis]) / lattice->cell);
    double most = (double)(lattice->sides[axis] - 1);
    return (uint32_t)fmin(fmax(at, 0.0), most);
}

static void mark_triangle(modal_lattice *lattice, const gallery_mesh *mesh, uint32_t triangle)
{
    double corners[3][3], half = 0.5 * lattice->cell * (1.0 + 1e-6);
    uint32_t low[3], high[3];
    for (int a = 0; a < 3; a++) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (int i = 0; i < 3; i++) {
            uint32_t vertex = mesh->triangles[3 * (size_t)triangle + (size_t)i];
            corners[i][a] = (double)mesh->positions[3 * (size_t)vertex + (size_t)a];
            least = fmin(least, corners[i][a]);
            most = fmax(most, corners[i][a]);
        }
        low[a] = cube_of(lattice, least - 1e-6 * lattice->cell, a);
        high[a] = cube_of(lattice, most + 1e-6 * lattice->cell, a);
    }
    for (uint32_t k = low[2]; k <= high[2]; k++) {
        for (uint32_t j = low[1]; j <= high[1]; j++) {
            for (uint32_t i = low[0]; i <= high[0]; i++) {
                uint32_t *mark = &lattice->cell_index[cube_at(lattice, i, j, k)];
                const uint32_t cube[3] = {i, j, k};
                double seen[3][3];
                for (int c = 0; c < 3 && *mark == NONE; c++) {
                    for (int a = 0; a < 3; a++) {
                        seen[c][a] =
                            corners[c][a] - lattice->origin[a] - (cube[a] + 0.5) * lattice->cell;
                    }
                }
                if (*mark == NONE && enters(seen, half)) {
                    *mark = 0;
                }
            }
        }
    }
}

/* Fills what the surface shuts in: all cubes that cannot be reached from outside. */
static bool fill_inside(modal_lattice *lattice)
{
    const uint32_t *n = lattice->sides;
    size_t total = cube_total(lattice), waiting = 0;
    size_t *stack = malloc(total * sizeof *stack);
    bool *outside = calloc(total, sizeof *outside);
    bool done = stack != NULL && outside != NULL;
    for (size_t c = 0; c < total && done; c++) {
        const size_t at[3] = {c % n[0], c / n[0] % n[1], c / n[0] / n[1]};
        bool rim = false;
        for (int a = 0; a < 3; a++) {
            rim = rim || at[a] == 0 || at[a] == n[a] - 1;
        }
        if (rim && lattice->cell_index[c] == NONE) {
            outside[c] = true;
            stack[waiting++] = c;
        }
    }
    while (done && waiting > 0) {
        size_t c = stack[--waiting], stride = 1;
        const size_t at[3] = {c % n[0], c / n[0] % n[1], c / n[0] / n[1]};
        for (int a = 0; a < 3; a++) {
            for (int side = 0; side < 2; side++) {
                bool within = side == 0 ? at[a] > 0 : at[a] + 1 < n[a];
                size_t next = side == 0 ? c - stride : c + stride;
                if (within && !outside[next] && lattice->cell_index[next] == NONE) {
                    outside[next] = true;
                    stack[waiting++] = next;
                }
            }
            stride *= n[a];
        }
    }
    for (size_t c = 0; c < total && done; c++) {
        lattice->cell_index[c] = outside[c] ? NONE : lattice->cell_count++;
    }
    free(stack);
    free(outside);
    return done;
}

/* Gives the corners of filled cubes their numbers, in any order. */
static bool number_nodes(modal_lattice *lattice)
{
    const uint32_t *n = lattice->sides;
    size_t total = (size_t)(n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    uint32_t *numbers = malloc(total * sizeof *numbers);
    lattice->corners = malloc((lattice->cell_count + 1) * sizeof *lattice->corners);
    lattice->nodes = malloc(total * sizeof *lattice->nodes);
    bool done = numbers != NULL && lattice->corners != NULL && lattice->nodes != NULL;
    if (done) {
        memset(numbers, 0xff, total * sizeof *numbers);
    }
    for (size_t c = 0; c < cube_total(lattice) && done; c++) {
        uint32_t cell = lattice->cell_index[c];
        for (uint32_t corner = 0; corner < 8 && cell != NONE; corner++) {
            const size_t at[3] = {c % n[0] + (corner & 1), c / n[0] % n[1] + (corner >> 1 & 1),
                                  c / n[0] / n[1] + (corner >> 2)};
            uint32_t *number = &numbers[(at[2] * (n[1] + 1) + at[1]) * (n[0] + 1) + at[0]];
            if (*number == NONE) {
                *number = lattice->node_count++;
                for (int a = 0; a < 3; a++) {
                    lattice->nodes[*number][a] = lattice->origin[a] + (double)at[a] * lattice->cell;
                }
            }
            lattice->corners[cell][corner] = *number;
        }
    }
    free(numbers);
    return done;
}

/* The cubes around each node: at most eight. */
static bool find_stars(const modal_lattice *lattice, uint32_t (**stars)[8])
{
    *stars = malloc((lattice->node_count + 1) * sizeof **stars);
    if (*stars == NULL) {
        return false;
    }
    memset(*stars, 0xff, (lattice->node_count + 1) * sizeof **stars);
    for (uint32_t cell = 0; cell < lattice->cell_count; cell++) {
        for (uint32_t corner = 0; corner < 8; corner++) {
            (*stars)[lattice->corners[cell][corner]][corner] = cell;
        }
    }
    return true;
}

/* Numbers one connected part breadth first from a node; returns the last node met. */
static uint32_t sweep(const modal_lattice *lattice, uint32_t (*stars)[8], uint32_t start,
                      uint32_t *number, uint32_t *order, uint32_t first, uint32_t *end)
{
    uint32_t count = first;
    order[count++] = start;
    number[start] = first;
    for (uint32_t i = first; i < count; i++) {
        for (uint32_t s = 0; s < 8; s++) {
            uint32_t cell = stars[order[i]][s];
            for (uint32_t corner = 0; corner < 8 && cell != NONE; corner++) {
                uint32_t node = lattice->corners[cell][corner];
                if (number[node] == NONE) {
                    number[node] = count;
                    order[count++] = node;
                }
            }
        }
    }
    *end = count;
    return order[count - 1];
}

/* Numbers every part from one of its ends (Cuthill and McKee, 1969, without their second sort). */
static void number_in_bands(const modal_lattice *lattice, uint32_t (*stars)[8], uint32_t *number,
                            uint32_t *order)
{
    memset(number, 0xff, lattice->node_count * sizeof *number);
    uint32_t count = 0;
    for (uint32_t node = 0; node < lattice->node_count; node++) {
        uint32_t start = node, end = 0;
        for (int round = 0; round < 3 && (round > 0 || number[node] == NONE); round++) {
            uint32_t last = sweep(lattice, stars, start, number, order, count, &end);
            for (uint32_t i = count; i < end && round < 2; i++) {
                number[order[i]] = NONE;
            }
            start = last;
        }
        count = end > count ? end : count;
    }
}

static bool renumber(modal_lattice *lattice)
{
    uint32_t(*stars)[8] = NULL;
    uint32_t *number = malloc((lattice->node_count + 1) * sizeof *number);
    uint32_t *order = malloc((lattice->node_count + 1) * sizeof *order);
    double(*moved)[3] = malloc((lattice->node_count + 1) * sizeof *moved);
    bool done = number != NULL && order != NULL && moved != NULL && find_stars(lattice, &stars);
    if (done) {
        number_in_bands(lattice, stars, number, order);
        for (uint32_t node = 0; node < lattice->node_count; node++) {
            memcpy(moved[number[node]], lattice->nodes[node], sizeof moved[0]);
        }
        for (uint32_t cell = 0; cell < lattice->cell_count; cell++) {
            for (uint32_t corner = 0; corner < 8; corner++) {
                lattice->corners[cell][corner] = number[lattice->corners[cell][corner]];
            }
        }
        free(lattice->nodes);
        lattice->nodes = moved;
        moved = NULL;
    }
    free(stars);
    free(number);
    free(order);
    free(moved);
    return done;
}

/* Derivatives along x, y, z of the functions of a cube at a point of [-1, 1]^3: 8 corners, and the
   three bubbles 1 - x^2, 1 - y^2, 1 - z^2 that let a cube bend (Wilson et al., 1973). */
static void derive(const double at[3], double half, double gradients[11][3])
{
    for (int corner = 0; corner < 8; corner++) {
        for (int a = 0; a < 3; a++) {
            double product = 0.125 / half;
            for (int b = 0; b < 3; b++) {
                double sign = corner >> b & 1 ? 1.0 : -1.0;
                product *= a == b ? sign : 1.0 + sign * at[b];
            }
            gradients[corner][a] = product;
        }
    }
    for (int bubble = 0; bubble < 3; bubble++) {
        for (int a = 0; a < 3; a++) {
            gradients[8 + bubble][a] = a == bubble ? -2.0 * at[a] / half : 0.0;
        }
    }
}

/* The stiffness between unknowns (function, axis) at one point: grad N_i C grad N_j. */
static double stiffness_of(const double gi[3], int a, const double gj[3], int b, double lambda,
                           double mu)
{
    double same = a == b ? gi[0] * gj[0] + gi[1] * gj[1] + gi[2] * gj[2] : 0.0;
    return lambda * gi[a] * gj[b] + mu * (gi[b] * gj[a] + same);
}

/*
 * The stiffness of one cube with 2 x 2 x 2 points of integration. The bubbles' 9 unknowns belong to
 * the cube alone and are eliminated. Without them a lattice one or two cubes thick, as chairs' legs
 * are, would be several times too stiff.
 */
static bool derive_stiffness(modal_lattice *lattice)
{
    const modal_material *m = &lattice->material;
    double lambda = m->young * m->poisson / ((1.0 + m->poisson) * (1.0 - 2.0 * m->poisson));
    double mu = 0.5 * m->young / (1.0 + m->poisson);
    double half = 0.5 * lattice->cell, whole[33][33] = {{0}};
    for (int point = 0; point < 8; point++) {
        double at[3], gradients[11][3];
        for (int a = 0; a < 3; a++) {
            at[a] = (point >> a & 1 ? 1.0 : -1.0) * 0.57735026918962576451;
        }
        derive(at, half, gradients);
        for (int i = 0; i < 33; i++) {
            for (int j = 0; j < 33; j++) {
                whole[i][j] +=
                    half * half * half *
                    stiffness_of(gradients[i / 3], i % 3, gradients[j / 3], j % 3, lambda, mu);
            }
        }
    }
    double bubbles[81], coupling[9 * 24];
    for (int i = 0; i < 9; i++) {
        memcpy(bubbles + 9 * i, &whole[24 + i][24], 9 * sizeof(double));
        memcpy(coupling + 24 * i, whole[24 + i], 24 * sizeof(double));
    }
    if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', 9, 24, bubbles, 9, coupling, 24) != 0) {
        return false;
    }
    for (int i = 0; i < 24; i++) {
        for (int j = 0; j < 24; j++) {
            double sum = whole[i][j];
            for (int k = 0; k < 9; k++) {
                sum -= whole[i][24 + k] * coupling[24 * k + j];
            }
            lattice->stiffness[i][j] = sum;
        }
    }
    return true;
}

static bool put_masses(modal_lattice *lattice)
{
    lattice->masses = calloc(lattice->node_count + 1, sizeof *lattice->masses);
    lattice->fixed = calloc(lattice->node_count + 1, sizeof *lattice->fixed);
    if (lattice->masses == NULL || lattice->fixed == NULL) {
        return false;
    }
    double share = lattice->material.density * lattice->cell * lattice->cell * lattice->cell / 8.0;
    for (uint32_t cell = 0; cell < lattice->cell_count; cell++) {
        for (uint32_t corner = 0; corner < 8; corner++) {
            lattice->masses[lattice->corners[cell][corner]] += share;
        }
    }
    return true;
}

/* A box around the mesh, in the middle of as many cubes as it needs. */
static void enclose(const gallery_mesh *mesh, double cell, modal_lattice *lattice)
{
    for (size_t a = 0; a < 3; a++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            double x = (double)mesh->positions[3 * (size_t)v + a];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        double count = fmax(ceil((high - low) / cell - 1e-5), 1.0);
        lattice->sides[a] = (uint32_t)count;
        lattice->origin[a] = 0.5 * (low + high - count * cell);
    }
}

static bool fill(const gallery_mesh *mesh, const bool *fixed, modal_lattice *lattice)
{
    lattice->cell_index = malloc(cube_total(lattice) * sizeof(uint32_t));
    if (lattice->cell_index == NULL) {
        return false;
    }
    memset(lattice->cell_index, 0xff, cube_total(lattice) * sizeof(uint32_t));
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        mark_triangle(lattice, mesh, t);
    }
    if (!fill_inside(lattice) || !number_nodes(lattice) || !renumber(lattice) ||
        !put_masses(lattice) || !derive_stiffness(lattice)) {
        return false;
    }
    for (uint32_t v = 0; v < mesh->vertex_count && fixed != NULL; v++) {
        modal_weights at = modal_lattice_weights(lattice, mesh->positions + 3 * (size_t)v);
        for (int i = 0; i < 8 && fixed[v]; i++) {
            lattice->fixed[at.nodes[i]] = lattice->fixed[at.nodes[i]] || at.weights[i] > 1e-4;
        }
    }
    return true;
}

bool modal_lattice_create(const gallery_mesh *mesh, const bool *fixed, double cell,
                          const modal_material *material, modal_lattice *lattice)
{
    memset(lattice, 0, sizeof *lattice);
    lattice->cell = cell;
    lattice->material = *material;
    enclose(mesh, cell, lattice);
    bool done = fill(mesh, fixed, lattice);
    if (!done) {
        modal_lattice_free(lattice);
    }
    return done;
}

static double longest_side(const gallery_mesh *mesh)
{
    double longest = 0.0;
    for (size_t a = 0; a < 3; a++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            low = fmin(low, (double)mesh->positions[3 * (size_t)v + a]);
            high = fmax(high, (double)mesh->positions[3 * (size_t)v + a]);
        }
        longest = fmax(longest, high - low);
    }
    return longest;
}

bool modal_lattice_fit(const gallery_mesh *mesh, const bool *fixed, uint32_t most_nodes,
                       const modal_material *material, modal_lattice *lattice)
{
    double cell = longest_side(mesh) / 3.0;
    bool done = cell > 0.0 && modal_lattice_create(mesh, fixed, cell, material, lattice);
    while (done) {
        modal_lattice finer;
        cell *= 0.93;
        if (!modal_lattice_create(mesh, fixed, cell, material, &finer)) {
            modal_lattice_free(lattice);
            return false;
        }
        if (finer.node_count > most_nodes) {
            modal_lattice_free(&finer);
            return true;
        }
        modal_lattice_free(lattice);
        *lattice = finer;
    }
    return false;
}

void modal_lattice_free(modal_lattice *lattice)
{
    free(lattice->cell_index);
    free(lattice->corners);
    free(lattice->nodes);
    free(lattice->masses);
    free(lattice->fixed);
    memset(lattice, 0, sizeof *lattice);
}

modal_weights modal_lattice_weights(const modal_lattice *lattice, const float point[3])
{
    uint32_t cube[3];
    double share[3];
    for (int a = 0; a < 3; a++) {
        cube[a] = cube_of(lattice, (double)point[a], a);
        double low = lattice->origin[a] + cube[a] * lattice->cell;
        share[a] = fmin(fmax(((double)point[a] - low) / lattice->cell, 0.0), 1.0);
    }
    uint32_t cell = lattice->cell_index[cube_at(lattice, cube[0], cube[1], cube[2])];
    modal_weights weights = {0};
    for (uint32_t corner = 0; corner < 8 && cell != NONE; corner++) {
        weights.weights[corner] = 1.0;
        for (int a = 0; a < 3; a++) {
            weights.weights[corner] *= corner >> a & 1 ? share[a] : 1.0 - share[a];
        }
        weights.nodes[corner] = lattice->corners[cell][corner];
    }
    return weights;
}

void modal_lattice_forces(const modal_lattice *lattice, const double *displacements, double *forces)
{
    memset(forces, 0, 3 * (size_t)lattice->node_count * sizeof *forces);
    for (uint32_t cell = 0; cell < lattice->cell_count; cell++) {
        const uint32_t *corners = lattice->corners[cell];
        double local[24];
        for (int i = 0; i < 24; i++) {
            local[i] = displacements[3 * (size_t)corners[i / 3] + (size_t)(i % 3)];
        }
        for (int i = 0; i < 24; i++) {
            double sum = 0.0;
            for (int j = 0; j < 24; j++) {
                sum += lattice->stiffness[i][j] * local[j];
            }
            forces[3 * (size_t)corners[i / 3] + (size_t)(i % 3)] += sum;
        }
    }
}
