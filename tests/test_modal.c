/* Reduced bodies for scenes: sizes as promised, modal analysis against theory, compression with its
   exact error, and a world that keeps what nature keeps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "pliant/pliant.h"
#include "random.h"
#include "scenes/modal/builder.h"
#include "scenes/modal/kinds.h"
#include "scenes/modal/left_out.h"
#include "scenes/modal/models.h"
#include "scenes/modal/touch.h"
#include "scenes/modal/world.h"

static const fixture_tree usual_tree = {PLIANT_PARTITION_BALANCED, 8, 8};

static void check_quality(const scene_mesh *mesh)
{
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pliant_shape *shape = fixture_shape(context, mesh, usual_tree);
    pliant_shape_quality quality;
    assert_ok(pliant_shape_get_quality(shape, &quality));
    assert_int_equal(quality.unused_vertex_count, 0);
    assert_int_equal(quality.degenerate_triangle_count, 0);
    assert_int_equal(quality.duplicate_triangle_count, 0);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
}

/* James and Pai's table 1. */
static void test_sizes_are_the_papers(void **state)
{
    (void)state;
    static const struct {
        bool (*make)(uint32_t triangles, scene_mesh *mesh);
        uint32_t vertices, faces;
    } table[] = {{modal_mesh_chair, 9471, 17914},
                 {modal_mesh_fish, 12531, 24776},
                 {modal_mesh_bridge, 135304, 240316},
                 {modal_mesh_curtain, 6184, 12020}};
    for (int i = 0; i < 4; i++) {
        scene_mesh mesh;
        assert_true(table[i].make(table[i].faces, &mesh));
        assert_int_equal(mesh.vertex_count, table[i].vertices);
        assert_int_equal(mesh.triangle_count, table[i].faces);
        check_quality(&mesh);
        mesh_free(&mesh);
        /* Another size, about. */
        uint32_t wanted = table[i].faces / 3;
        assert_true(table[i].make(wanted, &mesh));
        assert_true(abs((int)mesh.triangle_count - (int)wanted) < (int)wanted / 10);
        check_quality(&mesh);
        mesh_free(&mesh);
    }
}

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
static scene_mesh make_beam(double side, uint32_t cubes)
{
    modal_builder builder = {0};
    scene_mesh mesh;
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
    scene_mesh mesh = make_beam(side, cubes);
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
        nearest = fmin(nearest, fabs(model.frequencies[i] / (0.5 * SCENE_PI * sound) - 1.0));
    }
    assert_true(nearest < 0.005);
    modal_model_free(&model);
}

/* Neither rigid motion nor rounding causes forces; even strain causes none inside (patch test). */
static void test_lattice_forces(void **state)
{
    (void)state;
    scene_mesh mesh = make_beam(0.5, 1);
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
    scene_mesh mesh;
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

/* A fish of a few hundred triangles, made once. */
static scene_mesh fish_mesh;
static modal_model fish;

static int make_fish(void **state)
{
    (void)state;
    return modal_make_fish(600, &fish_mesh, &fish) ? 0 : -1;
}

static int free_fish(void **state)
{
    (void)state;
    mesh_free(&fish_mesh);
    modal_model_free(&fish);
    return 0;
}

static void test_models(void **state)
{
    (void)state;
    scene_mesh mesh, again_mesh;
    modal_model model, again;
    assert_true(modal_make_chair(0, &mesh, &model));
    assert_int_equal(mesh.triangle_count, MODAL_CHAIR_FACES);
    assert_int_equal(model.vertex_count, MODAL_CHAIR_VERTICES);
    assert_int_equal(model.mode_count, 10);
    assert_int_equal(model.rigid_count, 6);
    assert_true(model.radius > 0.5 && model.radius < 0.7 && model.mass > 1.0 && model.mass < 20.0);
    print_message("chair: %u unknowns, %.1f kg, %.1f to %.1f Hz\n", model.unknowns, model.mass,
                  model.frequencies[0] / (2.0 * SCENE_PI), model.frequencies[9] / (2.0 * SCENE_PI));
    for (uint32_t m = 0; m < 10; m++) {
        const float *mode = model.modes + m * 3 * (size_t)model.vertex_count;
        double longest = 0.0;
        float high = 0.0f, low = 0.0f;
        for (size_t i = 0; i < 3 * (size_t)model.vertex_count; i += 3) {
            double square = 0.0;
            for (size_t a = 0; a < 3; a++) {
                square += (double)mode[i + a] * (double)mode[i + a];
                high = fmaxf(high, mode[i + a]);
                low = fminf(low, mode[i + a]);
            }
            longest = fmax(longest, sqrt(square));
        }
        assert_true(high >= -0.999f * low);
        assert_true(longest == model.largest[m]);
        assert_true(m == 0 || model.frequencies[m] >= model.frequencies[m - 1]);
    }
    modal_model_free(&model);
    mesh_free(&mesh);
    assert_true(modal_make_fish(600, &again_mesh, &again));
    assert_memory_equal(again.modes, fish.modes,
                        (size_t)3 * fish.vertex_count * fish.mode_count * sizeof(float));
    assert_int_equal(again.mode_count, 3);
    modal_model_free(&again);
    mesh_free(&again_mesh);
}

/* The error that was reported, found once more and by other means. */
static double largest_error(const modal_animation *animation, const float *frames)
{
    double largest = 0.0;
    uint32_t count = animation->vertex_count;
    for (uint32_t f = 0; f < animation->frame_count; f++) {
        for (uint32_t v = 0; v < count; v++) {
            double square = 0.0;
            for (size_t a = 0; a < 3; a++) {
                float x = animation->mean[3 * (size_t)v + a];
                for (uint32_t m = 0; m < animation->mode_count; m++) {
                    x += animation->coordinates[f * animation->mode_count + m] *
                         animation->modes[3 * ((size_t)m * count + v) + a];
                }
                double side = (double)x - (double)frames[3 * ((size_t)f * count + v) + a];
                square += side * side;
            }
            largest = fmax(largest, sqrt(square));
        }
    }
    return largest;
}

static void test_compression(void **state)
{
    (void)state;
    enum { FRAMES = 20, VERTICES = 401, RANK = 3 };
    static float frames[FRAMES * VERTICES * 3];
    rng random;
    rng_seed(&random, 3);
    for (uint32_t trial = 0; trial < fixture_count(8); trial++) {
        static double fields[RANK + 1][VERTICES * 3];
        bool noisy = trial % 2 == 1;
        for (int m = 0; m <= RANK; m++) {
            for (int i = 0; i < VERTICES * 3; i++) {
                fields[m][i] = rng_range(&random, -1.0, 1.0);
            }
        }
        for (int f = 0; f < FRAMES; f++) {
            double q[RANK];
            for (int m = 0; m < RANK; m++) {
                q[m] = rng_range(&random, -1.0, 1.0);
            }
            for (int i = 0; i < VERTICES * 3; i++) {
                double sum = fields[RANK][i];
                for (int m = 0; m < RANK; m++) {
                    sum += q[m] * fields[m][i];
                }
                sum += noisy ? rng_range(&random, -0.1, 0.1) : 0.0;
                frames[f * VERTICES * 3 + i] = (float)sum;
            }
        }
        double last = INFINITY;
        for (uint32_t modes = 0; modes <= FRAMES + 2; modes++) {
            modal_animation animation;
            assert_true(modal_compress(frames, FRAMES, VERTICES, modes, &animation));
            assert_true(animation.largest_error == largest_error(&animation, frames));
            assert_true(animation.largest_error < 2.0 * last);
            last = animation.largest_error;
            if (modes == RANK) {
                assert_true(noisy ? last > 0.05 && last < 0.25 : last < 1e-5);
            }
            if (modes >= FRAMES - 1) {
                assert_true(last < 1e-5);
            }
            modal_animation_free(&animation);
        }
    }
    /* Nothing moves: there is nothing to add to the mean. */
    for (int f = 1; f < FRAMES; f++) {
        memcpy(frames + f * VERTICES * 3, frames, VERTICES * 3 * sizeof *frames);
    }
    modal_animation animation;
    assert_true(modal_compress(frames, FRAMES, VERTICES, 2, &animation));
    assert_true(animation.largest_error == 0.0);
    modal_animation_free(&animation);
}

static void test_animations(void **state)
{
    (void)state;
    scene_mesh mesh;
    modal_animation animation;
    assert_true(modal_make_bridge(12000, &mesh, &animation));
    assert_int_equal(animation.mode_count, 10);
    assert_true(animation.largest_error < 0.05); /* metres, of a motion of many metres */
    float most = 0.0f;
    for (uint32_t f = 0; f < animation.frame_count; f++) {
        most = fmaxf(most, fabsf(animation.coordinates[f * 10]));
    }
    assert_true(most > 5.0f);
    print_message("bridge: first coordinate up to %.1f m, largest error %.4f m\n", (double)most,
                  animation.largest_error);
    float end[10];
    modal_animation_at(&animation, animation.frame_count - 1, end);
    assert_memory_equal(end, animation.coordinates + 10 * (animation.frame_count - 1), sizeof end);
    modal_animation_at(&animation, 0.5, end);
    for (int m = 0; m < 10; m++) {
        float middle = 0.5f * (animation.coordinates[m] + animation.coordinates[10 + m]);
        assert_true(fabsf(end[m] - middle) <= 1e-5f * (1.0f + fabsf(middle)));
    }
    mesh_free(&mesh);
    modal_animation_free(&animation);
    modal_ball balls[MODAL_CURTAIN_FRAMES];
    assert_true(modal_make_curtain(2000, 1, &mesh, &animation, balls));
    assert_int_equal(animation.mode_count, 12);
    assert_int_equal(animation.frame_count, 110);
    assert_true(animation.largest_error > 0.0 && animation.largest_error < 0.4);
    print_message("curtain: largest error %.3f m\n", animation.largest_error);
    mesh_free(&mesh);
    modal_animation_free(&animation);
}

static const modal_matrix upright = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static modal_world *make_world(const modal_model *model, modal_world_def def, uint32_t count)
{
    modal_world *world = modal_world_create(&def);
    assert_non_null(world);
    assert_int_equal(modal_world_add_shape(world, model), 0);
    for (uint32_t i = 0; i < count; i++) {
        double position[3] = {3.0 * i, 0.0, 0.0};
        assert_int_equal(modal_world_add_body(world, 0, position, &upright, false), i);
    }
    return world;
}

static double length_of(const double vector[3])
{
    return sqrt(modal_dot(vector, vector));
}

static double energy_of(const modal_totals *totals)
{
    return totals->kinetic + totals->elastic + totals->height;
}

/* Free flight: momenta stay to the last bit, energy nearly, the path is a parabola. */
static void test_free_flight(void **state)
{
    (void)state;
    modal_world_def def = modal_world_default();
    def.gravity[2] = 0.0;
    modal_world *world = make_world(&fish, def, 1);
    modal_world_set_velocity(world, 0, (const double[3]){1, 2, 3}, (const double[3]){2, 0.1, 1.5});
    modal_totals before = modal_world_totals(world);
    for (int i = 0; i < 1000; i++) {
        modal_world_step(world, NULL, 0);
        modal_totals now = modal_world_totals(world);
        for (int a = 0; a < 3; a++) {
            assert_true(fabs(now.momentum[a] - before.momentum[a]) < 1e-9);
            assert_true(fabs(now.angular[a] - before.angular[a]) <
                        1e-9 * (1.0 + length_of(before.angular)));
        }
        assert_true(fabs(energy_of(&now) / energy_of(&before) - 1.0) < 1e-3);
    }
    float transform[12];
    modal_world_state(world, 0, NULL, transform);
    assert_true(fabs((double)transform[11] - 3.0 * 1000.0 * def.time_step) < 1e-4);
    modal_world_destroy(world);
}

/* One push, and then the oscillators alone: q(n+1) = 2 e cos q(n) - e^2 q(n-1). */
static void test_vibrations_are_exact(void **state)
{
    (void)state;
    modal_world_def def = modal_world_default();
    def.gravity[2] = 0.0;
    def.strain_limit = 1e9;
    modal_world *world = make_world(&fish, def, 2);
    modal_contact contact = {.a = 0, .b = 1, .vertex_a = 5, .vertex_b = 9, .depth = 0.05f};
    contact.normal[1] = 1.0f;
    modal_world_step(world, &contact, 1);
    float q[3][3];
    modal_world_state(world, 0, q[0], NULL);
    modal_world_step(world, NULL, 0);
    modal_world_state(world, 0, q[1], NULL);
    double large = 0.0;
    for (int i = 0; i < 200; i++) {
        modal_world_step(world, NULL, 0);
        modal_world_state(world, 0, q[2], NULL);
        for (uint32_t m = 0; m < 3; m++) {
            double slow = def.modal_damping * fish.frequencies[m];
            double turning = sqrt(fish.frequencies[m] * fish.frequencies[m] - slow * slow);
            double fade = exp(-slow * def.time_step);
            double expected = 2.0 * fade * cos(turning * def.time_step) * (double)q[1][m] -
                              fade * fade * (double)q[0][m];
            large = fmax(large, fabs((double)q[2][m]));
            assert_true(fabs((double)q[2][m] - expected) < 1e-6 * large);
        }
        memcpy(q[0], q[1], sizeof q[0]);
        memcpy(q[1], q[2], sizeof q[1]);
    }
    assert_true(large > 1e-3);
    modal_world_destroy(world);
}

/* Two fish meet head on, turned at random: nothing is gained. */
static void test_collision_conserves(void **state)
{
    (void)state;
    rng random;
    rng_seed(&random, 5);
    modal_samples samples;
    assert_true(modal_sample_mesh(&fish_mesh, 0.1, 0.03, &samples));
    modal_touch touch = {0};
    uint32_t hits = 0;
    uint32_t trials = fixture_count(20);
    for (uint32_t trial = 0; trial < trials; trial++) {
        modal_world_def def = modal_world_default();
        def.gravity[2] = 0.0;
        modal_world *world = make_world(&fish, def, 0);
        for (int i = 0; i < 2; i++) {
            double side = i == 0 ? -1.0 : 1.0;
            double position[3] = {side * 1.2, rng_range(&random, -0.1, 0.1), 0.0};
            scene_random turned = scene_random_seed(trial, (uint64_t)i);
            modal_matrix rotation;
            scene_random_rotation(&turned, rotation.rows);
            uint32_t body = modal_world_add_body(world, 0, position, &rotation, false);
            double spin[3] = {rng_range(&random, -1, 1), rng_range(&random, -1, 1), 0.5};
            modal_world_set_velocity(world, body, (const double[3]){-side * 2.0, 0, 0}, spin);
        }
        modal_totals before = modal_world_totals(world);
        bool hit = false;
        for (int i = 0; i < 300; i++) {
            assert_true(modal_touch_bodies(&touch, world, 0, 2, &samples));
            hit = hit || touch.contact_count > 0;
            modal_world_step(world, touch.contacts, touch.contact_count);
            modal_totals now = modal_world_totals(world);
            for (int a = 0; a < 3; a++) {
                assert_true(fabs(now.momentum[a] - before.momentum[a]) < 1e-6 * fish.mass);
                assert_true(fabs(now.angular[a] - before.angular[a]) < 1e-6 * fish.mass);
            }
            assert_true(energy_of(&now) < 1.01 * energy_of(&before));
        }
        hits += hit;
        modal_world_destroy(world);
    }
    assert_true(hits > trials / 2);
    modal_touch_free(&touch);
    modal_samples_free(&samples);
}

/* Balls of a body below z = 0 are pushed up by body `ground`. */
static void add_ground(modal_touch *touch, uint32_t ground, double radius)
{
    for (uint32_t i = 0; i < touch->ball_count; i++) {
        const modal_touch_ball *ball = &touch->balls[i];
        modal_contact contact = {.a = ball->body, .b = ground, .normal = {0, 0, 1}};
        contact.vertex_a = ball->vertex;
        contact.depth = (float)(radius - ball->centre[2]);
        contact.point[0] = (float)ball->centre[0];
        contact.point[1] = (float)ball->centre[1];
        assert_true(contact.depth <= 0.0f || modal_touch_add(touch, &contact));
    }
}

/* Fish dropped on the ground come to rest there, neither sunk nor hovering. */
static void test_resting_contact(void **state)
{
    (void)state;
    modal_model ground = {.vertex_count = 1};
    modal_samples samples;
    modal_touch touch = {0};
    assert_true(modal_sample_mesh(&fish_mesh, 0.08, 0.02, &samples));
    modal_world *world = make_world(&fish, modal_world_default(), 3);
    uint32_t shape = modal_world_add_shape(world, &ground);
    uint32_t floor = modal_world_add_body(world, shape, (const double[3]){0}, &upright, true);
    assert_int_equal(floor, 3);
    double energy = INFINITY;
    for (int i = 0; i < 1500; i++) {
        assert_true(modal_touch_bodies(&touch, world, 0, 3, &samples));
        add_ground(&touch, floor, samples.radius);
        modal_world_step(world, touch.contacts, touch.contact_count);
        if (i % 300 == 299) {
            modal_totals now = modal_world_totals(world);
            assert_true(energy_of(&now) < energy + 0.01 * fish.mass);
            energy = energy_of(&now);
        }
    }
    modal_totals totals = modal_world_totals(world);
    assert_true(totals.kinetic < 0.05 * 3.0 * fish.mass);
    for (uint32_t body = 0; body < 3; body++) {
        double lowest = INFINITY;
        for (uint32_t i = 0; i < touch.ball_count; i++) {
            double low = touch.balls[i].centre[2] - samples.radius;
            lowest = touch.balls[i].body == body ? fmin(lowest, low) : lowest;
        }
        assert_true(lowest < 0.005 && lowest > -0.1);
        float transform[12];
        modal_world_state(world, body, NULL, transform);
        assert_true(transform[11] > 0.05f && transform[11] < 0.5f);
    }
    float transform[12];
    modal_world_state(world, floor, NULL, transform);
    const float still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    assert_memory_equal(transform, still, sizeof still);
    modal_world_destroy(world);
    modal_touch_free(&touch);
    modal_samples_free(&samples);
}

/* Contacts without sense, 1,000 steps long: states stay finite, rotations rotations, and no vertex
   beyond the strain limit. */
static void run_nonsense(uint64_t seed, uint32_t count, float *states)
{
    modal_world_def def = modal_world_default();
    def.strain_limit = 0.02;
    modal_world *world = make_world(&fish, def, count);
    double limit = def.strain_limit * fish.radius, farthest = 0.0;
    rng random;
    rng_seed(&random, seed);
    modal_contact contacts[64];
    for (int step = 0; step < 1000; step++) {
        for (int i = 0; i < 64; i++) {
            modal_contact *contact = &contacts[i];
            *contact = (modal_contact){.a = (uint32_t)rng_below(&random, count)};
            contact->b = (contact->a + 1 + (uint32_t)rng_below(&random, count - 1)) % count;
            contact->vertex_a = (uint32_t)rng_below(&random, fish.vertex_count);
            contact->vertex_b = (uint32_t)rng_below(&random, fish.vertex_count);
            contact->normal[rng_below(&random, 3)] = rng_below(&random, 2) == 0 ? 1.0f : -1.0f;
            contact->depth = (float)rng_range(&random, -0.1, 0.5);
            float transform[12];
            modal_world_state(world, contact->a, NULL, transform);
            for (int a = 0; a < 3; a++) {
                contact->point[a] = transform[4 * a + 3] + (float)rng_range(&random, -0.7, 0.7);
            }
        }
        modal_world_step(world, contacts, 64);
        for (uint32_t body = 0; body < count; body++) {
            float q[3], transform[12];
            modal_world_state(world, body, q, transform);
            double reach = 0.0;
            for (int m = 0; m < 3; m++) {
                assert_true(isfinite(q[m]));
                reach += fabs((double)q[m]) * fish.largest[m];
            }
            assert_true(reach < limit * (1.0 + 1e-6));
            farthest = fmax(farthest, reach);
            for (int row = 0; row < 3; row++) {
                const float *r = transform + 4 * row;
                assert_true(isfinite(r[3]));
                assert_true(fabsf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - 1.0f) < 1e-5f);
            }
        }
    }
    assert_true(farthest > 0.99 * limit);
    for (uint32_t body = 0; body < count; body++) {
        modal_world_state(world, body, states + 15 * (size_t)body, states + 15 * (size_t)body + 3);
    }
    modal_world_destroy(world);
}

static void test_nonsense_is_survived(void **state)
{
    (void)state;
    enum { COUNT = 10 };
    float first[COUNT * 15], again[COUNT * 15], other[COUNT * 15];
    run_nonsense(1, COUNT, first);
    run_nonsense(1, COUNT, again);
    run_nonsense(2, COUNT, other);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
}

/* A driven body goes where it is told and pushes what lies there; a stiffened world does not bend.
 */
static void test_driven_and_rigid(void **state)
{
    (void)state;
    modal_model driven = fish;
    driven.frequencies = NULL;
    driven.mass = 0.0;
    modal_world *world = make_world(&fish, modal_world_default(), 1);
    uint32_t shape = modal_world_add_shape(world, &driven);
    uint32_t body = modal_world_add_body(world, shape, (const double[3]){0, 0, 9}, &upright, true);
    const float target[3] = {0.2f, -0.1f, 0.05f};
    float q[3];
    modal_world_drive(world, body, target);
    modal_world_step(world, NULL, 0);
    modal_world_state(world, body, q, NULL);
    for (int m = 0; m < 3; m++) {
        assert_true(fabsf(q[m] - target[m]) < 1e-6f);
    }
    modal_world_step(world, NULL, 0);
    modal_world_state(world, body, q, NULL);
    assert_true(fabsf(q[0] - target[0]) < 1e-6f);
    modal_contact contact = {.a = 0, .b = body, .depth = 0.1f, .normal = {0, 0, 1}};
    modal_world_stiffen(world);
    for (int i = 0; i < 10; i++) {
        modal_world_step(world, &contact, 1);
    }
    modal_world_state(world, 0, q, NULL);
    assert_true(q[0] == 0.0f && q[1] == 0.0f && q[2] == 0.0f);
    modal_totals totals = modal_world_totals(world);
    assert_true(totals.momentum[2] > 0.0);
    modal_world_destroy(world);
}

static void check_starts(const modal_start *starts, uint32_t count, double radius, double low)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_true(starts[i].position[2] - radius > low);
        for (uint32_t k = 0; k < i; k++) {
            double side[3];
            for (int a = 0; a < 3; a++) {
                side[a] = starts[i].position[a] - starts[k].position[a];
            }
            if (modal_dot(side, side) < 4.0 * radius * radius) {
                fail_msg("bodies %u and %u start in each other", i, k);
            }
        }
    }
}

static void test_starts(void **state)
{
    (void)state;
    modal_start *starts = calloc(MODAL_FISH_COUNT, sizeof *starts);
    assert_non_null(starts);
    modal_start_chairs(MODAL_CHAIR_COUNT, 0.6, 1, starts);
    check_starts(starts, fixture_scale() < 1.0 ? 500 : MODAL_CHAIR_COUNT, 0.6, 0.0);
    modal_start_fish(MODAL_FISH_COUNT, 0.85, 1, starts);
    check_starts(starts, fixture_scale() < 1.0 ? 500 : MODAL_FISH_COUNT, 0.85, MODAL_BRIDGE_ROAD);
    for (uint32_t i = 0; i < MODAL_FISH_COUNT; i++) {
        assert_true(fabs(starts[i].position[1]) + 0.85 < 0.5 * MODAL_BRIDGE_WIDTH);
        assert_true(fabs(starts[i].position[0]) + 0.85 < 0.5 * MODAL_BRIDGE_LENGTH);
    }
    free(starts);
}

/* Pairs of touching triangles of two bodies of a scene at one step. */
static uint64_t count_pairs(const scene_instance *scene, uint32_t step, uint32_t a, uint32_t b)
{
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pliant_query *query;
    pliant_contacts contacts;
    pliant_shape *shapes[2];
    pliant_body *bodies[2];
    float *positions[2];
    const uint32_t which[2] = {a, b};
    assert_ok(pliant_query_create(context, &query));
    for (int i = 0; i < 2; i++) {
        const scene_mesh *mesh = &scene->bodies[which[i]];
        shapes[i] = fixture_shape(context, mesh, usual_tree);
        assert_ok(pliant_body_create(shapes[i], NULL, &bodies[i]));
        positions[i] = malloc(3 * (size_t)mesh->vertex_count * sizeof(float));
        assert_non_null(positions[i]);
        scene_evaluate(scene, which[i], step, positions[i]);
        assert_ok(pliant_body_share_positions(bodies[i], positions[i], 0));
    }
    assert_ok(pliant_collide(query, bodies[0], bodies[1], NULL, &contacts));
    uint64_t count = contacts.count;
    pliant_query_destroy(query);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(bodies[i]);
        pliant_shape_destroy(shapes[i]);
        free(positions[i]);
    }
    pliant_context_destroy(context);
    return count;
}

static scene_instance *make_scene(const scene_kind *kind, uint32_t triangles, uint64_t seed)
{
    scene_settings settings = {.triangles = triangles, .seed = seed};
    scene_instance *scene = scene_create(kind, &settings);
    assert_non_null(scene);
    assert_true(scene->body_count <= SCENE_MAX_BODIES);
    return scene;
}

/* Every state is finite, and transforms are rigid motions. */
static void check_states(const scene_instance *scene)
{
    for (uint32_t body = 0; body < scene->body_count; body++) {
        assert_true(scene_has_model(scene, body));
        for (uint32_t step = 0; step <= scene->steps; step++) {
            float q[16], transform[12];
            scene_state(scene, body, step, q, transform);
            for (uint32_t m = 0; m < scene->models[body].mode_count; m++) {
                assert_true(isfinite(q[m]));
            }
            for (uint32_t row = 0; row < 3 * scene->models[body].node_count; row++) {
                const float *r = transform + 4 * (size_t)row;
                assert_true(isfinite(r[3]));
                assert_true(fabsf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - 1.0f) < 1e-5f);
            }
        }
    }
}

static void test_scene_curtain(void **state)
{
    (void)state;
    scene_instance *scene = make_scene(&scene_curtain, 0, 1);
    assert_int_equal(scene->body_count, 2);
    assert_int_equal(scene->bodies[0].triangle_count, MODAL_CURTAIN_FACES);
    assert_int_equal(scene->models[0].mode_count, 12);
    assert_int_equal(scene->steps, 109);
    check_states(scene);
    uint32_t touching = 0;
    for (uint32_t step = 0; step <= scene->steps; step++) {
        touching += count_pairs(scene, step, 0, 1) > 0;
    }
    print_message("curtain: the ball touches it in %u of 110 frames\n", touching);
    assert_int_equal(count_pairs(scene, 0, 0, 1), 0);
    assert_true(touching >= 5);
    scene_destroy(scene);
}

static void test_scene_chairs(void **state)
{
    (void)state;
    scene_instance *scene = make_scene(&scene_chairs, 3000, 1);
    check_states(scene);
    uint32_t ground = scene->body_count - 1, on_floor = 0, together = 0;
    for (uint32_t a = 0; a < ground; a++) {
        assert_int_equal(scene->models[a].mode_count, 10);
        on_floor += count_pairs(scene, scene->steps, a, ground) > 0;
        for (uint32_t b = 0; b < a; b++) {
            assert_int_equal(count_pairs(scene, 0, a, b), 0);
            together += count_pairs(scene, scene->steps / 2, a, b) > 0;
        }
        float q[10], transform[12];
        scene_state(scene, a, scene->steps, q, transform);
        assert_true(transform[11] > 0.0f && transform[11] < 2.0f);
    }
    print_message("chairs: %u stand on the floor at the end; %u pairs touch half way\n", on_floor,
                  together);
    assert_true(on_floor >= 3 && together >= 3);
    scene_destroy(scene);
}

static void test_scene_bridge(void **state)
{
    (void)state;
    scene_instance *scene = make_scene(&scene_bridge, 12000, 1);
    check_states(scene);
    assert_int_equal(scene->models[0].mode_count, 10);
    assert_int_equal(scene->models[1].mode_count, 3);
    uint32_t on_road = 0;
    for (uint32_t body = 1; body < scene->body_count; body++) {
        assert_int_equal(count_pairs(scene, 0, 0, body), 0);
        on_road += count_pairs(scene, scene->steps / 2, 0, body) > 0;
    }
    print_message("bridge: %u of %u fish lie on it half way\n", on_road, scene->body_count - 1);
    assert_true(on_road >= 5);
    scene_destroy(scene);
}

static void test_scenes_are_listed(void **state)
{
    (void)state;
    const char *const names[3] = {"curtain", "chairs", "bridge"};
    for (int i = 0; i < 3; i++) {
        assert_non_null(scene_find(names[i]));
        assert_false(scene_left_out(names[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_are_the_papers),
        cmocka_unit_test(test_beam_against_theory),
        cmocka_unit_test(test_lattice_forces),
        cmocka_unit_test(test_spectrum_solves_the_problem),
        cmocka_unit_test_setup_teardown(test_models, make_fish, free_fish),
        cmocka_unit_test(test_compression),
        cmocka_unit_test(test_animations),
        cmocka_unit_test_setup_teardown(test_free_flight, make_fish, free_fish),
        cmocka_unit_test_setup_teardown(test_vibrations_are_exact, make_fish, free_fish),
        cmocka_unit_test_setup_teardown(test_collision_conserves, make_fish, free_fish),
        cmocka_unit_test_setup_teardown(test_resting_contact, make_fish, free_fish),
        cmocka_unit_test_setup_teardown(test_nonsense_is_survived, make_fish, free_fish),
        cmocka_unit_test_setup_teardown(test_driven_and_rigid, make_fish, free_fish),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_scene_curtain),
        cmocka_unit_test(test_scene_chairs),
        cmocka_unit_test(test_scene_bridge),
        cmocka_unit_test(test_scenes_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
