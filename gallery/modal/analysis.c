/*
 * Subspace iteration: K.-J. Bathe, "Finite Element Procedures", 1996, chapter 11. The matrix
 * K + shift M is factored once as a band; the shift makes it definite though free bodies have six
 * motions without any resistance.
 */
#include "analysis.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gallery/numbers.h"

#define MOST_ROUNDS 200
#define TOLERANCE   1e-9
#define RIGID       1e-8 /* of E / (density size^2): nothing slower is a vibration */

/* The whole problem: unknowns are the axes of nodes that are not fixed. */
typedef struct eigen_problem {
    const modal_lattice *lattice;
    uint32_t *unknown; /* per node and axis, UINT32_MAX if fixed */
    uint32_t count;
    uint32_t band; /* below the diagonal */
    double *factor;
    double *masses; /* per unknown */
    double shift;
    uint32_t width; /* vectors iterated at once */
    double *vectors, *loads;
    double *stiffness, *mass, *values, *last; /* of the small problem */
} eigen_problem;

static void problem_free(eigen_problem *problem)
{
    free(problem->unknown);
    free(problem->factor);
    free(problem->masses);
    free(problem->vectors);
    free(problem->loads);
    free(problem->stiffness);
    free(problem->mass);
    free(problem->values);
    free(problem->last);
}

static bool number_unknowns(eigen_problem *problem)
{
    const modal_lattice *lattice = problem->lattice;
    size_t total = 3 * (size_t)lattice->node_count;
    problem->unknown = malloc((total + 1) * sizeof *problem->unknown);
    problem->masses = malloc((total + 1) * sizeof *problem->masses);
    if (problem->unknown == NULL || problem->masses == NULL) {
        return false;
    }
    for (size_t i = 0; i < total; i++) {
        problem->unknown[i] = UINT32_MAX;
        if (!lattice->fixed[i / 3]) {
            problem->masses[problem->count] = lattice->masses[i / 3];
            problem->unknown[i] = problem->count++;
        }
    }
    return problem->count > 0;
}

static uint32_t unknown_of(const eigen_problem *problem, uint32_t cell, int local)
{
    uint32_t node = problem->lattice->corners[cell][local / 3];
    return problem->unknown[3 * (size_t)node + (size_t)(local % 3)];
}

/* Calls for each entry of the lower half of the matrix: finds the band, then fills it. */
static void assemble(eigen_problem *problem)
{
    for (uint32_t cell = 0; cell < problem->lattice->cell_count; cell++) {
        for (int i = 0; i < 24; i++) {
            for (int j = 0; j < 24; j++) {
                uint32_t row = unknown_of(problem, cell, i), column = unknown_of(problem, cell, j);
                if (row == UINT32_MAX || column == UINT32_MAX || row < column) {
                    continue;
                }
                if (problem->factor == NULL) {
                    problem->band = row - column > problem->band ? row - column : problem->band;
                } else {
                    problem->factor[(size_t)column * (problem->band + 1) + (row - column)] +=
                        problem->lattice->stiffness[i][j];
                }
            }
        }
    }
}

static double size_of(const modal_lattice *lattice)
{
    double longest = 0.0;
    for (int a = 0; a < 3; a++) {
        longest = fmax(longest, lattice->cell * lattice->sides[a]);
    }
    return longest;
}

/* The square of the frequency at which sound crosses the body: the scale of all others. */
static double natural_scale(const modal_lattice *lattice)
{
    double size = size_of(lattice);
    return lattice->material.young / (lattice->material.density * size * size);
}

static bool factorise(eigen_problem *problem)
{
    assemble(problem);
    problem->factor = calloc((size_t)problem->count * (problem->band + 1), sizeof *problem->factor);
    if (problem->factor == NULL) {
        return false;
    }
    assemble(problem);
    problem->shift = 1e-3 * natural_scale(problem->lattice);
    for (uint32_t i = 0; i < problem->count; i++) {
        problem->factor[(size_t)i * (problem->band + 1)] += problem->shift * problem->masses[i];
    }
    return LAPACKE_dpbtrf(LAPACK_COL_MAJOR, 'L', (lapack_int)problem->count,
                          (lapack_int)problem->band, problem->factor,
                          (lapack_int)problem->band + 1) == 0;
}

static bool start_vectors(eigen_problem *problem, uint32_t wanted)
{
    uint32_t width = 2 * wanted < wanted + 12 ? 2 * wanted : wanted + 12;
    problem->width = width < problem->count ? width : problem->count;
    size_t total = (size_t)problem->width * problem->count;
    size_t square = (size_t)problem->width * problem->width;
    problem->vectors = malloc(total * sizeof(double));
    problem->loads = malloc(total * sizeof(double));
    problem->stiffness = malloc(square * sizeof(double));
    problem->mass = malloc(square * sizeof(double));
    problem->values = malloc(problem->width * sizeof(double));
    problem->last = calloc(problem->width, sizeof(double));
    if (problem->vectors == NULL || problem->loads == NULL || problem->stiffness == NULL ||
        problem->mass == NULL || problem->values == NULL || problem->last == NULL) {
        return false;
    }
    gallery_random random = gallery_random_seed(1, 0);
    for (size_t i = 0; i < total; i++) {
        problem->vectors[i] = gallery_random_range(&random, -1.0, 1.0);
    }
    return wanted <= problem->width;
}

static double product(const double *a, const double *b, uint32_t count)
{
    double sums[4] = {0, 0, 0, 0};
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (uint32_t k = 0; k < 4; k++) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < count; i++) {
        sums[0] += a[i] * b[i];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* vectors := loads times the small problem's eigenvectors. */
static void combine(eigen_problem *problem, const double *from)
{
    uint32_t n = problem->count, width = problem->width;
    for (uint32_t j = 0; j < width; j++) {
        double *to = problem->vectors + (size_t)j * n;
        memset(to, 0, n * sizeof *to);
        for (uint32_t k = 0; k < width; k++) {
            double share = problem->stiffness[(size_t)j * width + k];
            const double *vector = from + (size_t)k * n;
            for (uint32_t i = 0; i < n; i++) {
                to[i] += share * vector[i];
            }
        }
    }
}

/* One round: Y = (K + shift M)^-1 M X, then the best vectors within the space of Y. */
static bool iterate(eigen_problem *problem, double *solved)
{
    uint32_t n = problem->count, width = problem->width;
    for (uint32_t j = 0; j < width; j++) {
        for (uint32_t i = 0; i < n; i++) {
            size_t at = (size_t)j * n + i;
            problem->loads[at] = problem->masses[i] * problem->vectors[at];
        }
    }
    memcpy(solved, problem->loads, (size_t)width * n * sizeof *solved);
    if (LAPACKE_dpbtrs(LAPACK_COL_MAJOR, 'L', (lapack_int)n, (lapack_int)problem->band,
                       (lapack_int)width, problem->factor, (lapack_int)problem->band + 1, solved,
                       (lapack_int)n) != 0) {
        return false;
    }
    for (uint32_t j = 0; j < width; j++) {
        for (uint32_t k = 0; k <= j; k++) {
            problem->stiffness[(size_t)k * width + j] =
                product(solved + (size_t)k * n, problem->loads + (size_t)j * n, n);
        }
    }
    for (uint32_t j = 0; j < width; j++) {
        for (uint32_t i = 0; i < n; i++) {
            problem->loads[(size_t)j * n + i] = problem->masses[i] * solved[(size_t)j * n + i];
        }
    }
    for (uint32_t j = 0; j < width; j++) {
        for (uint32_t k = 0; k <= j; k++) {
            problem->mass[(size_t)k * width + j] =
                product(solved + (size_t)k * n, problem->loads + (size_t)j * n, n);
        }
    }
    if (LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'L', (lapack_int)width, problem->stiffness,
                      (lapack_int)width, problem->mass, (lapack_int)width, problem->values) != 0) {
        return false;
    }
    combine(problem, solved);
    return true;
}

static bool converged(eigen_problem *problem, uint32_t wanted)
{
    bool settled = true;
    for (uint32_t i = 0; i < wanted; i++) {
        double change = fabs(problem->values[i] - problem->last[i]);
        settled = settled && change <= TOLERANCE * problem->values[i];
    }
    memcpy(problem->last, problem->values, problem->width * sizeof(double));
    return settled;
}

static bool extract(const eigen_problem *problem, uint32_t count, modal_spectrum *spectrum)
{
    size_t total = 3 * (size_t)problem->lattice->node_count;
    spectrum->values = calloc(count + 1, sizeof(double));
    spectrum->vectors = calloc(count * total, sizeof(double));
    if (spectrum->values == NULL || spectrum->vectors == NULL) {
        return false;
    }
    spectrum->count = count;
    for (uint32_t m = 0; m < count; m++) {
        spectrum->values[m] = problem->values[m] - problem->shift;
        for (size_t i = 0; i < total; i++) {
            if (problem->unknown[i] != UINT32_MAX) {
                spectrum->vectors[m * total + i] =
                    problem->vectors[(size_t)m * problem->count + problem->unknown[i]];
            }
        }
    }
    return true;
}

bool modal_solve(const modal_lattice *lattice, uint32_t count, modal_spectrum *spectrum)
{
    memset(spectrum, 0, sizeof *spectrum);
    eigen_problem problem = {.lattice = lattice};
    double *solved = NULL;
    bool done = number_unknowns(&problem) && start_vectors(&problem, count) && factorise(&problem);
    if (done) {
        solved = malloc((size_t)problem.width * problem.count * sizeof *solved);
        done = solved != NULL;
    }
    bool settled = false;
    for (uint32_t round = 0; round < MOST_ROUNDS && done && !settled; round++) {
        done = iterate(&problem, solved);
        settled = done && converged(&problem, count);
    }
    done = done && settled && extract(&problem, count, spectrum);
    if (!done) {
        modal_spectrum_free(spectrum);
    }
    free(solved);
    problem_free(&problem);
    return done;
}

void modal_spectrum_free(modal_spectrum *spectrum)
{
    free(spectrum->values);
    free(spectrum->vectors);
    memset(spectrum, 0, sizeof *spectrum);
}

/* Mass, centre and inertia of the lattice's nodes. */
static void weigh(const modal_lattice *lattice, modal_model *model, double centre[3])
{
    memset(centre, 0, 3 * sizeof *centre);
    for (uint32_t node = 0; node < lattice->node_count; node++) {
        model->mass += lattice->masses[node];
        for (int a = 0; a < 3; a++) {
            centre[a] += lattice->masses[node] * lattice->nodes[node][a];
        }
    }
    for (int a = 0; a < 3; a++) {
        centre[a] /= model->mass;
    }
    for (uint32_t node = 0; node < lattice->node_count; node++) {
        double r[3], square = 0.0;
        for (int a = 0; a < 3; a++) {
            r[a] = lattice->nodes[node][a] - centre[a];
            square += r[a] * r[a];
        }
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                model->inertia.rows[a][b] +=
                    lattice->masses[node] * ((a == b ? square : 0.0) - r[a] * r[b]);
            }
        }
    }
}

/* Carries one vibration from the nodes to the vertices. */
static void interpolate(const modal_lattice *lattice, const double *vector,
                        const gallery_mesh *mesh, float *mode)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        modal_weights at = modal_lattice_weights(lattice, mesh->positions + 3 * (size_t)v);
        for (size_t a = 0; a < 3; a++) {
            double sum = 0.0;
            for (int i = 0; i < 8; i++) {
                sum += at.weights[i] * vector[3 * (size_t)at.nodes[i] + a];
            }
            mode[3 * (size_t)v + a] = (float)sum;
        }
    }
}

/* Makes the largest entry positive. Among entries that are as large but for rounding, as symmetric
   shapes have them, the first counts. */
static double settle_sign(float *mode, uint32_t vertex_count)
{
    float most = 0.0f;
    double farthest = 0.0;
    for (size_t i = 0; i < 3 * (size_t)vertex_count; i++) {
        most = fmaxf(most, fabsf(mode[i]));
    }
    float sign = 1.0f;
    for (size_t i = 0; i < 3 * (size_t)vertex_count; i++) {
        if (fabsf(mode[i]) >= 0.999f * most) {
            sign = mode[i] < 0.0f ? -1.0f : 1.0f;
            break;
        }
    }
    for (uint32_t v = 0; v < vertex_count; v++) {
        double square = 0.0;
        for (size_t a = 0; a < 3; a++) {
            float *entry = &mode[3 * (size_t)v + a];
            *entry = sign * *entry + 0.0f;
            square += (double)*entry * (double)*entry;
        }
        farthest = fmax(farthest, sqrt(square));
    }
    return farthest;
}

static bool keep_modes(const modal_lattice *lattice, const modal_spectrum *spectrum,
                       const gallery_mesh *mesh, uint32_t wanted, modal_model *model)
{
    double least = RIGID * natural_scale(lattice);
    uint32_t rigid = 0;
    double residual = 0.0;
    while (rigid < spectrum->count && spectrum->values[rigid] < least) {
        residual = fmax(residual, fabs(spectrum->values[rigid]));
        rigid++;
    }
    if (wanted == 0 || rigid + wanted > spectrum->count) {
        return false; /* more loose parts than were allowed for */
    }
    model->vertex_count = mesh->vertex_count;
    model->mode_count = wanted;
    model->rigid_count = rigid;
    model->rigid_residual = residual / spectrum->values[rigid];
    model->modes = malloc(((size_t)wanted * mesh->vertex_count * 3 + 1) * sizeof(float));
    model->frequencies = malloc((wanted + 1) * sizeof(double));
    model->largest = malloc((wanted + 1) * sizeof(double));
    if (model->modes == NULL || model->frequencies == NULL || model->largest == NULL) {
        return false;
    }
    for (uint32_t m = 0; m < wanted; m++) {
        const double *vector = spectrum->vectors + (size_t)(rigid + m) * 3 * lattice->node_count;
        float *mode = model->modes + (size_t)m * 3 * mesh->vertex_count;
        interpolate(lattice, vector, mesh, mode);
        model->largest[m] = settle_sign(mode, mesh->vertex_count);
        model->frequencies[m] = sqrt(spectrum->values[rigid + m]);
    }
    return true;
}

/* Puts the centre of mass at the origin, unless the body is held somewhere. */
static void settle_mesh(gallery_mesh *mesh, const double centre[3], bool held, modal_model *model)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double square = 0.0;
        for (size_t a = 0; a < 3; a++) {
            float *x = &mesh->positions[3 * (size_t)v + a];
            *x = held ? *x : (float)((double)*x - centre[a]);
            square += (double)*x * (double)*x;
        }
        model->radius = fmax(model->radius, sqrt(square));
    }
}

bool modal_analyse(gallery_mesh *mesh, const modal_analysis_def *def, modal_model *model)
{
    memset(model, 0, sizeof *model);
    modal_lattice lattice;
    modal_spectrum spectrum = {0};
    double centre[3];
    bool made =
        def->cell > 0.0
            ? modal_lattice_create(mesh, def->fixed, def->cell, &def->material, &lattice)
            : modal_lattice_fit(mesh, def->fixed, def->most_nodes, &def->material, &lattice);
    bool done = made && modal_solve(&lattice, def->mode_count + 6, &spectrum) &&
                keep_modes(&lattice, &spectrum, mesh, def->mode_count, model);
    if (done) {
        model->unknowns = 3 * lattice.node_count;
        weigh(&lattice, model, centre);
        settle_mesh(mesh, centre, def->fixed != NULL, model);
    } else {
        modal_model_free(model);
    }
    modal_spectrum_free(&spectrum);
    if (made) {
        modal_lattice_free(&lattice);
    }
    return done;
}

void modal_model_free(modal_model *model)
{
    free(model->modes);
    free(model->frequencies);
    free(model->largest);
    memset(model, 0, sizeof *model);
}
