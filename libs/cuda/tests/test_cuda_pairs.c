/*
 * Contacts on a device are those of the core, one by one and in order: of two bodies and of one
 * with itself, for every rule about neighbours, whatever the order in which lanes, warps and items
 * come along; on gallery scenes, on random surfaces and soups, flat and degenerate ones, at all
 * sizes.
 */
#include "cuda_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const pliant_neighbours rules[3] = {PLIANT_NEIGHBOURS_BEYOND_SHARED, PLIANT_NEIGHBOURS_ALL,
                                           PLIANT_NEIGHBOURS_SKIP};

/* Shuffles what comes when, or with seed 0 does not. */
static void shuffle(cuda_twin *t, uint64_t seed)
{
    pli_cuda_emulator *emulator = cuda_fixture_emulator(t->cuda);
    if (emulator != NULL) {
        emulator->seed = seed;
        emulator->warps = 1 + (uint32_t)(seed % 7);
    }
}

static void assert_rules(cuda_twin *t, const char *what)
{
    pliant_collide_options options = pliant_collide_options_default();
    for (int rule = 0; rule < 3; rule++) {
        options.neighbours = rules[rule];
        options.mode = PLIANT_COLLIDE_ALL;
        assert_true(cuda_twin_agrees(t, &options, what));
        options.mode = PLIANT_COLLIDE_FIRST;
        assert_true(cuda_twin_agrees(t, &options, what));
    }
}

/* ------------------------------------------------------------ gallery scenes */

static void play_scene(const char *name, uint32_t triangles, uint32_t steps)
{
    gallery_settings settings = {.triangles = triangles, .steps = 12, .seed = 1};
    gallery_scene *scene = gallery_create(gallery_find(name), &settings);
    assert_non_null(scene);
    cuda_twin t = cuda_twin_create(test_context);
    pliant_member_def def = pliant_member_def_default();
    def.self = scene->kind->self;
    float *positions[2];
    uint32_t count = scene->body_count < 2 ? scene->body_count : 2;
    for (uint32_t i = 0; i < count; i++) {
        pliant_shape *shape = fixture_shape(test_context, &scene->bodies[i], fixture_usual_tree);
        cuda_twin_add(&t, shape, &def);
        pliant_shape_destroy(shape);
        positions[i] = malloc(3 * sizeof(float) * scene->bodies[i].vertex_count);
    }
    for (uint32_t step = 0; step <= scene->steps; step += scene->steps / steps) {
        shuffle(&t, step);
        for (uint32_t i = 0; i < count; i++) {
            gallery_evaluate(scene, i, step, positions[i]);
            cuda_twin_set(&t, i, &(pliant_state){.positions = positions[i]});
        }
        assert_rules(&t, name);
    }
    for (uint32_t i = 0; i < count; i++) {
        free(positions[i]);
    }
    cuda_twin_destroy(&t);
    gallery_destroy(scene);
}

static void test_gallery_scenes(void **state)
{
    (void)state;
    play_scene("spheres", 1280, 6);
    for (uint32_t i = 0; i < gallery_kind_count; i++) {
        const gallery_kind *kind = gallery_kinds[i];
        bool simulated = strcmp(kind->name, "cape") == 0; /* which takes its time */
        if (kind->tear == NULL && kind->evaluate != NULL && kind->body_count <= 2 && !simulated) {
            play_scene(kind->name, 600, 3);
        }
    }
}

/* ------------------------------------------------------------ random surfaces */

typedef struct surface {
    gallery_mesh mesh;
    float *positions;
} surface;

/* A sheet of 2 * side * side triangles, some of whose vertices are double (seams). */
static surface make_sheet(uint32_t side, rng *r)
{
    uint32_t row = side + 1, vertices = row * row, triangles = 2 * side * side;
    surface s = {.mesh = {.vertex_count = vertices, .triangle_count = triangles}};
    s.mesh.positions = malloc(3 * sizeof(float) * vertices);
    s.positions = malloc(3 * sizeof(float) * vertices);
    s.mesh.triangles = malloc(3 * sizeof(uint32_t) * triangles);
    for (uint32_t v = 0; v < vertices; v++) {
        bool seam = v % row == side / 2 && v > 0;
        s.mesh.positions[3 * v] = (float)(v % row) - (seam ? 1.0f : 0.0f);
        s.mesh.positions[3 * v + 1] = (float)(v / row);
        s.mesh.positions[3 * v + 2] = 0.0f;
    }
    uint32_t *t = s.mesh.triangles;
    for (uint32_t c = 0; c < side * side; c++, t += 6) {
        uint32_t a = c / side * row + c % side, b = a + 1, d = a + row, e = d + 1;
        uint32_t square[6] = {a, b, e, a, e, d};
        memcpy(t, square, sizeof square);
        if (rng_below(r, 40) == 0) {
            t[2] = t[1];                    /* degenerate */
        } else if (rng_below(r, 30) == 0) { /* one triangle twice, its corners in another order */
            t[3] = t[1], t[4] = t[0], t[5] = t[2];
        }
    }
    return s;
}

static void free_surface(surface *s)
{
    free(s->mesh.positions);
    free(s->mesh.triangles);
    free(s->positions);
}

/* Where the vertices go: folded, flat, on a grid, crumpled or a soup; at any size. */
static void deform(surface *s, uint32_t side, uint32_t kind, double scale, rng *r)
{
    uint32_t row = side + 1;
    for (uint32_t v = 0; v < s->mesh.vertex_count; v++) {
        double x = v % row, y = v / row, z = 0.0;
        double fold = (double)side / 3.0, noise = rng_range(r, -0.2, 0.2);
        switch (kind) {
        case 0: /* folded exactly onto itself */
            x = fabs(x - floor(fold));
            break;
        case 1: /* crumpled onto whole numbers */
            x = floor(x / 2), y = floor(y / 2), z = (double)rng_below(r, 2);
            break;
        case 2: /* rolled up */
            z = sin(x * 2.0) * 0.6 + noise, x = cos(x * 2.0) * 0.6;
            break;
        case 3: /* a soup */
            x = rng_range(r, 0, 6), y = rng_range(r, 0, 6), z = rng_range(r, 0, 6);
            break;
        default: /* almost flat */
            z = noise * 1e-4;
            break;
        }
        float *p = s->positions + 3 * (size_t)v;
        p[0] = (float)(x * scale), p[1] = (float)(y * scale), p[2] = (float)(z * scale);
    }
}

static void test_surfaces(void **state)
{
    (void)state;
    static const double scales[] = {1.0, 1e-38, 1e-30, 1e-12, 1e10, 1e20, 1e37};
    uint32_t count = fixture_at_least(70, 1000);
    for (uint32_t i = 0; i < count; i++) {
        rng r;
        rng_seed(&r, 100 + i);
        uint32_t side = 3 + (uint32_t)rng_below(&r, 12), kind = i % 5;
        double scale = scales[i / 5 % 7];
        surface sheet = make_sheet(side, &r), other = make_sheet(4, &r);
        cuda_twin t = cuda_twin_create(test_context);
        pliant_member_def def = pliant_member_def_default();
        def.self = true;
        pliant_shape *shape = fixture_shape(test_context, &sheet.mesh, fixture_usual_tree);
        pliant_shape *second = fixture_shape(test_context, &other.mesh, fixture_usual_tree);
        cuda_twin_add(&t, shape, &def);
        cuda_twin_add(&t, second, NULL);
        shuffle(&t, rng_below(&r, 3) * rng_u64(&r));
        t.scene->forces_exact = rng_below(&r, 4) == 0;
        for (int step = 0; step < 2; step++) {
            deform(&sheet, side, kind, scale, &r);
            deform(&other, 4, (kind + (uint32_t)step) % 5, scale, &r);
            cuda_twin_set(&t, 0, &(pliant_state){.positions = sheet.positions});
            cuda_twin_set(&t, 1, &(pliant_state){.positions = other.positions});
            char what[80];
            (void)snprintf(what, sizeof what, "surface %u, kind %u, scale %g", i, kind, scale);
            assert_rules(&t, what);
        }
        pliant_shape_destroy(shape);
        pliant_shape_destroy(second);
        cuda_twin_destroy(&t);
        free_surface(&sheet);
        free_surface(&other);
    }
}

/* More octets than a tile has, in trees of every kind. */
static void test_large_sheets(void **state)
{
    (void)state;
    static const fixture_tree trees[] = {{PLIANT_PARTITION_BALANCED, 8, 2},
                                         {PLIANT_PARTITION_CONNECTIVITY, 4, 3},
                                         {PLIANT_PARTITION_SHAPE_CENTRE, 2, 1},
                                         {PLIANT_PARTITION_COVARIANCE, 8, 5}};
    for (uint32_t i = 0; i < 4; i++) {
        rng r;
        rng_seed(&r, i);
        uint32_t side = i == 0 ? 48 : 16;
        surface sheet = make_sheet(side, &r);
        cuda_twin t = cuda_twin_create(test_context);
        pliant_member_def def = pliant_member_def_default();
        def.self = true;
        pliant_shape *shape = fixture_shape(test_context, &sheet.mesh, trees[i]);
        cuda_twin_add(&t, shape, &def);
        pliant_shape_destroy(shape);
        shuffle(&t, rng_u64(&r));
        deform(&sheet, side, 2, 1.0, &r);
        cuda_twin_set(&t, 0, &(pliant_state){.positions = sheet.positions});
        assert_true(cuda_twin_agrees(&t, NULL, "large sheet"));
        assert_true(t.got_count > 0);
        assert_true(t.scene->step.octet_count > PLI_CUDA_LANES || i > 0);
        cuda_twin_destroy(&t);
        free_surface(&sheet);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gallery_scenes),
        cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_large_sheets),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
