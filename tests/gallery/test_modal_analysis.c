/* Modal analysis against theory: beams, forces of the lattice, and what vibrations solve. */
#include <math.h>
#include <stdlib.h>

#include "fixture.h"
#include "random.h"
#include "gallery/modal/builder.h"
#include "gallery/modal/models.h"

static const modal_material rubber = {.young = 1e7, .poisson = 0.3, .density = 1000.0};

static double beam_side;

/* The end of the beam at x = 0, with a vertex at every node of the lattice. */
static void beam_end(double u, double v, double point[3])
{
    point[0] = 0.0;
    point[1] = beam_side * u;
    point[2] = beam_side * v;
}

/* A square beam of length 1 along x. */
static gallery_mesh make_beam(double side, uint32_t cubes)
{
    modal_builder builder = {0};
    gallery_mesh mesh;
    double middle = 0.5 * side;
    beam_side = side;
    modal_build_beam(&builder, (const double[3]){0, middle, middle},
                     (const double[3]){1, middle, middle}, (const double[2]){side, side}, 20);
    modal_build_sheet(&builder, cubes, cubes, beam_end);
    assert_true(modal_build_finish(&builder, &mesh));
    return mesh;
}

static void analyse_beam(double side, uint32_t cubes, bool held, modal_model *model)
{
    gallery_mesh mesh = make_beam(side, cubes);
    bool *fixed = calloc(mesh.vertex_count, sizeof *fixed);
    assert_non_null(fixed);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        fixed[v] = mesh.positions[3 * (size_t)v] == 0.0f;
    }
    modal_analysis_def def = {
        .material = rubber, .mode_count = 8, .cell = side / cubes, .fixed = held ? fixed : NULL};
    assert_true(modal_analyse(&mesh, &def, model));
    free(fixed);
    mesh_free(&mesh);
}

/* Slender beams after Euler and Bernoulli: frequency = root^2 sqrt(E I / (density A)). */
static void test_beam_against_theory(void **state)
{
    (void)state;
    double side = 0.05, radius = side / sqrt(12.0), sound = sqrt(rubber.young / rubber.density);
    static const double cantilever[2] = {1.875104, 4.694091};
    static const double loose[2] = {4.730041, 7.853205};
    for (uint32_t cubes = 1; cubes <= 3; cubes++) {
        modal_model model;
        analyse_beam(side, cubes, true, &model);
        assert_int_equal(model.rigid_count, 0);
        assert_true(fabs(model.mass - rubber.density * side * side) < 1e-9);
        /* Bending comes in pairs. Slower than slender beams by shear, more so the higher. */
        for (int i = 0; i < 2; i++) {
            double theory = cantilever[i] * cantilever[i] * sound * radius;
            for (int k = 0; k < 2; k++) {
                double ratio = model.frequencies[2 * i + k] / theory;
                print_message("cantilever %u cubes thick, bending %d: %.4f of theory\n", cubes,
                              i + 1, ratio);
                assert_true(ratio < 1.005 && ratio > 1.0 - 0.005 - 0.015 * i);
            }
        }
        modal_model_free(&model);
        analyse_beam(side, cubes, false, &model);
        assert_int_equal(model.rigid_count, 6);
        assert_true(model.rigid_residual < 1e-8);
        for (int i = 0; i < 2; i++) {
            double theory = loose[i] * loose[i] * sound * radius;
            double ratio = model.frequencies[2 * i] / theory;
            /* Masses at the corners of one cube turn more heavily than a beam's. */
            assert_true(ratio < 1.005 && ratio > (cubes == 1 ? 0.95 : 0.97));
        }
        double inertia = model.mass / 12.0 * (1.0 + side * side);
        assert_true(fabs(model.inertia.rows[2][2] / inertia - 1.0) < 0.01);
        modal_model_free(&model);
    }
    /* A short beam, where stretching is among the eight slowest: a quarter of a wave long. */
    modal_model model;
    analyse_beam(0.1, 2, true, &model);
    double nearest = 1.0;
    for (int i = 0; i < 8; i++) {
        nearest = fmin(nearest, fabs(model.frequencies[i] / (0.5 * GALLERY_PI * sound) - 1.0));
    }
    assert_true(nearest < 0.005);
    modal_model_free(&model);
}

/* Neither rigid motion nor rounding causes forces; even strain causes none inside (patch test). */
static void test_lattice_forces(void **state)
{
    (void)state;
    gallery_mesh mesh = make_beam(0.5, 1);
    modal_lattice lattice;
    assert_true(modal_lattice_create(&mesh, NULL, 0.125, &rubber, &lattice));
    assert_int_equal(lattice.cell_count, 8 * 4 * 4);
    size_t count = 3 * (size_t)lattice.node_count;
    double *moved = malloc(count * sizeof *moved), *forces = malloc(count * sizeof *forces);
    assert_true(moved != NULL && forces != NULL);
    rng random;
    rng_seed(&random, 11);
    for (int round = 0; round < 4; round++) {
        double gradient[3][3], most_inside = 0.0, most = 0.0;
        for (int i = 0; i < 9; i++) {
            gradient[i / 3][i % 3] = rng_range(&random, -1.0, 1.0);
        }
        bool turning = round < 2;
        for (int i = 0; i < 9 && turning; i++) {
            int row = i / 3, column = i % 3;
            gradient[row][column] = row < column ? -gradient[column][row] : gradient[row][column];
            gradient[row][column] = row == column ? 0.0 : gradient[row][column];
        }
        for (int row = 0; row < 3 && turning; row++) {
            for (int column = 0; column < row; column++) {
                gradient[column][row] = -gradient[row][column];
            }
        }
        for (size_t i = 0; i < count; i++) {
            const double *node = lattice.nodes[i / 3], *row = gradient[i % 3];
            moved[i] = 0.3 + row[0] * node[0] + row[1] * node[1] + row[2] * node[2];
        }
        modal_lattice_forces(&lattice, moved, forces);
        for (size_t i = 0; i < count; i++) {
            const double *node = lattice.nodes[i / 3];
            bool inside = true;
            for (int a = 0; a < 3; a++) {
                double high = lattice.origin[a] + lattice.cell * lattice.sides[a];
                inside = inside && node[a] > lattice.origin[a] + 0.01 && node[a] < high - 0.01;
            }
            most = fmax(most, fabs(forces[i]));
            most_inside = fmax(most_inside, inside ? fabs(forces[i]) : 0.0);
        }
        double scale = rubber.young * lattice.cell * lattice.cell;
        assert_true(most_inside < 1e-9 * scale);
        assert_true(turning ? most < 1e-9 * scale : most > 1e-2 * scale);
    }
    free(moved);
    free(forces);
    modal_lattice_free(&lattice);
    mesh_free(&mesh);
}

/* Vibrations of a chair solve K x = value M x and are orthonormal under M. */
static void test_spectrum_solves_the_problem(void **state)
{
    (void)state;
    enum { COUNT = 12 };
    gallery_mesh mesh;
    modal_lattice lattice;
    modal_spectrum spectrum;
    assert_true(modal_mesh_chair(2000, &mesh));
    assert_true(modal_lattice_fit(&mesh, NULL, 300, &rubber, &lattice));
    assert_true(lattice.node_count > 150 && lattice.node_count <= 300);
    assert_true(modal_solve(&lattice, COUNT, &spectrum));
    size_t count = 3 * (size_t)lattice.node_count;
    double *forces = malloc(count * sizeof *forces);
    assert_non_null(forces);
    for (uint32_t m = 0; m < COUNT; m++) {
        const double *x = spectrum.vectors + m * count;
        for (uint32_t k = 0; k <= m; k++) {
            double sum = 0.0;
            for (size_t i = 0; i < count; i++) {
                sum += x[i] * lattice.masses[i / 3] * spectrum.vectors[k * count + i];
            }
            assert_true(fabs(sum - (k == m ? 1.0 : 0.0)) < 1e-9);
        }
        double value = spectrum.values[m];
        assert_true(m < 6 ? fabs(value) < 1e-8 * spectrum.values[6] : value > 0.0);
        assert_true(m == 0 || value >= spectrum.values[m - 1]);
        modal_lattice_forces(&lattice, x, forces);
        double wrong = 0.0, whole = 0.0;
        for (size_t i = 0; i < count; i++) {
            double load = value * lattice.masses[i / 3] * x[i];
            wrong += (forces[i] - load) * (forces[i] - load) / lattice.masses[i / 3];
            whole += load * load / lattice.masses[i / 3];
        }
        assert_true(m < 6 || sqrt(wrong) < 1e-3 * sqrt(whole));
    }
    free(forces);
    modal_spectrum_free(&spectrum);
    modal_lattice_free(&lattice);
    mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beam_against_theory),
        cmocka_unit_test(test_lattice_forces),
        cmocka_unit_test(test_spectrum_solves_the_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
