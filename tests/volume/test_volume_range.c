/* The certain range: means over single squares, truths of whole bodies, and how narrow it is. */
#include "real_mesh.h"
#include "solid.h"

#include "gallery/closed.h"
#include "volume/volume.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------ single squares */

enum { PLANES = 3, SAMPLES = 32 };

/* The depth of a surface over a square: the greatest or the least of some planes. */
typedef struct surface {
    double depth[PLANES], slope[PLANES][2]; /* at the centre, in steps; per snapping step */
    bool greatest;
} surface;

static double depth_at(const surface *s, double u, double v)
{
    double found = s->greatest ? -(double)INFINITY : (double)INFINITY;
    for (int i = 0; i < PLANES; i++) {
        double depth = s->depth[i] + s->slope[i][0] * u + s->slope[i][1] * v;
        found = s->greatest ? fmax(found, depth) : fmin(found, depth);
    }
    return found;
}

static surface random_surface(rng *r)
{
    surface s = {.greatest = rng_below(r, 2) == 0};
    double steep = pow(2.0, rng_range(r, 4.0, 16.0)), uneven = pow(2.0, rng_range(r, -6.0, 0.0));
    double slope[2] = {rng_range(r, -steep, steep), rng_range(r, -steep, steep)};
    for (int i = 0; i < PLANES; i++) {
        s.depth[i] = 0x1p29 + rng_range(r, -100.0, 100.0) * steep * uneven;
        for (int k = 0; k < 2; k++) {
            s.slope[i][k] = slope[k] + rng_range(r, -uneven, uneven) * steep;
        }
    }
    return s;
}

/* What an image would say about a surface. */
typedef struct shown_surface {
    surface surface;
    pli_crossing crossing;
    pli_interval interval;
} shown_surface;

static shown_surface show(surface s, bool enters)
{
    shown_surface shown = {.surface = s};
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int u = -129; u <= 129; u += 3) {
        for (int v = -129; v <= 129; v += 3) {
            low = fmin(low, depth_at(&s, u, v));
            high = fmax(high, depth_at(&s, u, v));
        }
    }
    uint32_t along = enters ? 0 : 1;
    shown.interval.lower = (uint32_t)(low - 1.0) << 1 | along;
    shown.interval.upper = (uint32_t)(high + 2.0) << 1 | (1 - along);
    shown.crossing = (uint64_t)((uint32_t)depth_at(&s, 0, 0) << 1 | along) << 32;
    for (int k = 0; k < 2; k++) {
        double least = (double)INFINITY, most = -(double)INFINITY;
        for (int i = 0; i < PLANES; i++) {
            least = fmin(least, s.slope[i][k]);
            most = fmax(most, s.slope[i][k]);
        }
        shown.interval.slopes.bound[k] = nextafterf((float)(least * 0x1p-30), -INFINITY);
        shown.interval.slopes.bound[2 + k] = nextafterf((float)(-most * 0x1p-30), -INFINITY);
    }
    return shown;
}

static pli_square square_of(const shown_surface *shown, bool enters)
{
    return (pli_square){.ray = {.crossings = &shown->crossing,
                                .intervals = &shown->interval,
                                .crossing_count = 1,
                                .interval_count = 1},
                        .winding = enters ? 0 : 1,
                        .whole = {0, PLI_DEPTH_STEPS}};
}

/* How much of a line is inside all of some bodies, each entered or left at a depth. */
static double inside_length(const double *depth, const bool *enters, uint32_t count)
{
    double lower = 0.0, upper = PLI_DEPTH_STEPS;
    for (uint32_t i = 0; i < count; i++) {
        lower = enters[i] ? fmax(lower, depth[i]) : lower;
        upper = enters[i] ? upper : fmin(upper, depth[i]);
    }
    return fmax(upper - lower, 0.0);
}

static double mean_length(const shown_surface *shown, const bool *enters, uint32_t count)
{
    double sum = 0.0;
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        double u = 256.0 * ((i % SAMPLES + 0.5) / SAMPLES - 0.5);
        double v = 256.0 * ((double)(i / SAMPLES) + 0.5) / SAMPLES - 128.0;
        double depth[2];
        for (uint32_t k = 0; k < count; k++) {
            depth[k] = depth_at(&shown[k].surface, u, v);
        }
        sum += inside_length(depth, enters, count);
    }
    return sum / (SAMPLES * SAMPLES);
}

static void check_square(const shown_surface *shown, const bool *enters, uint32_t count,
                         double *width, double *plain_width)
{
    pli_square squares[2];
    for (uint32_t i = 0; i < count; i++) {
        squares[i] = square_of(&shown[i], enters[i]);
    }
    pli_sweep_kind kind = count > 1 ? PLI_SWEEP_PAIR : PLI_SWEEP_BODY;
    uint64_t certain = 0, possible = 0, none = 0, any = 0;
    pli_range_add(kind, squares, count, &certain, &possible);
    squares[0].whole = squares[count - 1].whole = (pli_whole_depths){1, 0};
    pli_range_add(kind, squares, count, &none, &any);
    double mean = mean_length(shown, enters, count);
    /* Sums of samples are off where planes meet, by far less than the range allows. */
    double doubt = 2e-3 * (double)(possible - certain);
    if (!((double)certain <= mean + doubt && mean <= (double)possible + doubt)) {
        fail_msg("%.9g is not between %.9g and %.9g", mean, (double)certain, (double)possible);
    }
    assert_true((double)none <= mean && mean <= (double)any);
    *width += (double)(possible - certain);
    *plain_width += (double)(any - none);
}

/* Surfaces of one and of two bodies over a square, entered and left. */
static void test_single_squares(void **state)
{
    (void)state;
    uint32_t cases = fixture_count(2000);
    cases = cases < 400 ? 400 : cases; /* widths are compared on the whole */
    double width[2] = {0.0, 0.0}, plain[2] = {0.0, 0.0};
    for (uint32_t i = 0; i < cases; i++) {
        rng r;
        rng_seed(&r, 7000 + i);
        const bool enters[2] = {i % 2 == 0, i % 4 < 2};
        surface first = random_surface(&r), second = random_surface(&r);
        if (i % 8 < 4) { /* much like the first one, and near it */
            second = first;
            for (int k = 0; k < PLANES; k++) {
                second.depth[k] += rng_range(&r, -200.0, 200.0) * fabs(first.slope[0][0]);
                second.slope[k][0] *= rng_range(&r, 0.8, 1.2);
            }
        }
        shown_surface shown[2] = {show(first, enters[0]), show(second, enters[1])};
        check_square(shown, enters, 1, &width[0], &plain[0]);
        check_square(shown, enters, 2, &width[1], &plain[1]);
    }
    assert_true(width[0] < 0.2 * plain[0] && width[1] < 0.4 * plain[1]);
}

/* A ridge along the middle of the square is as far from its crest as the proof allows. */
static void test_ridge(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        surface ridge = {.depth = {0x1p29, 0x1p29, 0x1p29},
                         .slope = {{4096.0, 0.0}, {-4096.0, 0.0}, {0.0, 0.0}},
                         .greatest = side == 0};
        shown_surface shown = show(ridge, true);
        pli_square square = square_of(&shown, true);
        uint64_t certain = 0, possible = 0;
        pli_range_add(PLI_SWEEP_BODY, &square, 1, &certain, &possible);
        double mean = 0x1p29 + (side == 0 ? -64.0 : 64.0) * 4096.0;
        assert_true((double)certain <= mean && mean <= (double)possible);
        double near_end = side == 0 ? mean - (double)certain : (double)possible - mean;
        assert_true(near_end < 4096.0);
    }
}

/* -------------------------------------------------------- whole bodies */

static void check_truth(const pliant_volume_measure *m, double truth, const char *what, uint32_t i)
{
    double rounding = 1e-12 * truth;
    if (!(m->least <= truth + rounding && truth <= m->most + rounding)) {
        fail_msg("%s %u: %.12g is not between %.12g and %.12g", what, i, truth, m->least, m->most);
    }
    assert_true(m->least <= m->volume && m->volume <= m->most);
}

/* A ball whose every vertex has its own distance from the centre: no line through the centre meets
   the surface twice, so tetrahedra add up to its volume. */
static gallery_mesh rough_ball(rng *r, uint32_t triangles, double roughness, double scale)
{
    test_place middle = place_at(0, 0, 0), place = place_random(r, 0.5);
    gallery_mesh mesh = test_solid_sphere(triangles, &middle);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        double radius = rng_range(r, 1.0 - roughness, 1.0);
        for (int k = 0; k < 3; k++) {
            float *x = &mesh.positions[3 * v + (uint32_t)k];
            *x = (float)((double)*x * radius);
        }
    }
    for (int k = 0; k < 3; k++) {
        place.scale[k] *= scale;
        place.translation[k] *= scale;
    }
    test_solid_move(&mesh, &place);
    return mesh;
}

static void test_rough_balls(void **state)
{
    (void)state;
    static const double scales[4] = {1.0, 1e-9, 1e9, 1e-3};
    uint32_t cases = fixture_count(160);
    for (uint32_t i = 0; i < cases; i++) {
        rng r;
        rng_seed(&r, 8000 + i);
        double roughness = pow(2.0, -(double)rng_below(&r, 16));
        uint32_t triangles = 20u << 2 * rng_below(&r, 5);
        test_solid ball = test_solid_create(
            test_context, rough_ball(&r, triangles, 0.9 * roughness, scales[i % 4]));
        pliant_volume_options options = volume_at_resolution(1 + (uint32_t)rng_below(&r, 200));
        pliant_volume_measure m;
        assert_ok(pliant_volume_measure_body(test_volume, ball.body, &options, &m));
        check_truth(&m, fabs(test_solid_volume(&ball.mesh)), "ball", i);
        test_solid_destroy(&ball);
    }
}

/* Thin plates askew, and a rough ball that they cut: two surfaces at the same depths. */
static void test_plates(void **state)
{
    (void)state;
    uint32_t cases = fixture_count(200);
    for (uint32_t i = 0; i < cases; i++) {
        rng r;
        rng_seed(&r, 9000 + i);
        test_place first = place_random(&r, 0.05), second = first;
        first.scale[i % 3] *= 0.02;
        second.scale[i % 3] *= rng_range(&r, 0.01, 0.04);
        if (i % 4 != 0) { /* else the plates have common planes */
            second.translation[i % 3] += rng_range(&r, -0.02, 0.02);
            second.rotation[0][0] += rng_range(&r, -0.05, 0.05);
        }
        gallery_mesh plate = test_solid_box(&first);
        test_solid a =
            test_solid_create(test_context, i % 2 ? plate : rough_ball(&r, 1280, 0.1, 1.0));
        test_solid b = test_solid_create(test_context, test_solid_box(&second));
        if (i % 2 == 0) {
            mesh_free(&plate);
        }
        pliant_volume_options options = volume_at_resolution(1 + (uint32_t)rng_below(&r, 150));
        pliant_volume_measure m = intersect_solids(&a, &b, &options);
        double truth = test_solid_common_volume(&a.mesh, &b.mesh);
        /* Plates of common planes: the oracle's rounding shows. */
        double slack = 1e-7 * fabs(test_solid_volume(&b.mesh));
        if (!(m.least <= truth + slack && truth <= m.most + slack)) {
            fail_msg("plate %u: %.12g is not between %.12g and %.12g", i, truth, m.least, m.most);
        }
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
}

/* ----------------------------------------------------------- narrowness */

/* What was certain and possible if every touched square were doubtful: the range before sheets
   were told apart. */
static void add_image(const pli_image *image, pli_whole_depths whole, uint64_t sums[2])
{
    for (uint32_t i = 0; i < image->rows * image->columns; i++) {
        pli_square square = {.ray = pli_image_ray(image, i % image->columns, i / image->columns),
                             .whole = whole};
        pli_range_add(PLI_SWEEP_BODY, &square, 1, &sums[0], &sums[1]);
    }
}

/* The width of a body's range over that of the plain one. */
static double width_over_plain(const test_solid *solid, uint32_t resolution)
{
    assert_ok(pliant_body_prepare(solid->body));
    pliant_box box = pli_volume_body_box(solid->body);
    pli_image_request request = {.body = solid->body, .intervals = true, .cull = true};
    pli_grid_for_body(&box, PLI_ANY_AXIS, resolution, &request.grid);
    request.window = pli_grid_whole(&request.grid);
    const pli_image *image;
    assert_ok(pli_volume_image(test_volume, &request, &image));
    uint64_t narrow[2] = {0, 0}, plain[2] = {0, 0};
    add_image(image, (pli_whole_depths){0, PLI_DEPTH_STEPS}, narrow);
    add_image(image, (pli_whole_depths){1, 0}, plain);
    assert_true(plain[0] <= narrow[0] && narrow[0] <= narrow[1] && narrow[1] <= plain[1]);
    return (double)(narrow[1] - narrow[0]) / (double)(plain[1] - plain[0]);
}

static void check_narrow(const test_solid *solid, const char *name, const double most[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t resolution = i == 0 ? 128 : 512;
        double ratio = width_over_plain(solid, resolution);
        if (!(ratio <= most[i])) {
            fail_msg("%s, %u rays a side: %g of the plain width, more than %g", name, resolution,
                     ratio, most[i]);
        }
    }
}

static void test_narrow(void **state)
{
    (void)state;
    static const double closed[2] = {0.6, 0.32}, real[2] = {0.62, 0.33}, smooth[2] = {0.25, 0.13};
    for (uint32_t kind = 0; kind < CLOSED_KINDS; kind++) {
        gallery_mesh mesh;
        assert_true(closed_make((closed_kind)kind, 20000, &mesh));
        test_solid solid = test_solid_create(test_context, mesh);
        check_narrow(&solid, closed_name((closed_kind)kind), closed);
        test_solid_destroy(&solid);
    }
    for (uint32_t kind = 0; kind < REAL_KINDS; kind++) {
        gallery_mesh mesh;
        if (real_mesh_load(test_context, (real_kind)kind, &mesh)) {
            test_solid solid = test_solid_create(test_context, mesh);
            check_narrow(&solid, real_mesh_name((real_kind)kind), real);
            test_solid_destroy(&solid);
        }
    }
    test_place place = place_at(0, 0, 0);
    test_solid ball = test_solid_create(test_context, test_solid_sphere(20480, &place));
    check_narrow(&ball, "ball", smooth);
    test_solid_destroy(&ball);
    real_mesh_skip_missing();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_squares), cmocka_unit_test(test_ridge),
        cmocka_unit_test(test_rough_balls),    cmocka_unit_test(test_plates),
        cmocka_unit_test(test_narrow),
    };
    return cmocka_run_group_tests(tests, test_volume_set_up, test_volume_tear_down);
}
