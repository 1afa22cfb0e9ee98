/*
 * Squares that are looked at again for a narrower range: their images are those of a finer grid,
 * the truth stays inside whatever the bodies are, and how much narrower the range becomes.
 */
#include "real_mesh.h"
#include "solid.h"

#include "gallery/closed.h"
#include "volume/volume.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------ images of squares */

/* A body with its own context, on a grid of its own. */
typedef struct looked_at {
    pliant_context *context;
    pliant_volume *volume;
    pliant_shape *shape;
    pliant_body *body;
    pli_image_request request; /* of the whole window, on the coarse grid */
    const pli_image *image;
} looked_at;

static looked_at look_at(const gallery_mesh *mesh, uint32_t workers, uint32_t resolution,
                         uint32_t axis)
{
    static const fixture_tree tree = {PLIANT_PARTITION_BALANCED, 8, 8};
    looked_at l = {.context = fixture_context_with(PLIANT_ISA_BEST, workers)};
    l.volume = test_volume_limited(l.context, WHOLE_IMAGES);
    l.shape = fixture_shape(l.context, mesh, tree);
    assert_ok(pliant_body_create(l.shape, NULL, &l.body));
    assert_ok(pliant_body_set_positions(l.body, mesh->positions, 0));
    assert_ok(pli_body_prepare(l.body));
    pliant_box box = pli_volume_body_box(l.body);
    l.request = (pli_image_request){.body = l.body, .intervals = true, .cull = true};
    pli_grid_for_body(&box, axis, resolution, &l.request.grid);
    l.request.window = pli_grid_whole(&l.request.grid);
    assert_ok(pli_volume_image(l.volume, &l.request, &l.image));
    return l;
}

static void look_away(looked_at *l)
{
    pliant_body_destroy(l->body);
    pliant_shape_destroy(l->shape);
    pliant_volume_destroy(l->volume);
    pliant_context_destroy(l->context);
}

/* Random squares of a window, about one in `rare`. */
typedef struct random_squares {
    pli_squares squares;
    pli_square_range *chosen;
    uint32_t *before;
} random_squares;

static random_squares choose_squares(rng *r, const pli_window *window, uint32_t rare,
                                     uint32_t shift)
{
    uint32_t columns = pli_window_columns(window), rows = pli_window_rows(window);
    random_squares c = {.chosen = calloc((size_t)columns * rows, sizeof *c.chosen),
                        .before = calloc((size_t)columns * rows + 1, sizeof *c.before)};
    assert_non_null(c.chosen);
    assert_non_null(c.before);
    uint32_t count = 0;
    for (uint32_t i = 0; i < columns * rows; i++) {
        c.before[i] = count;
        if (rng_below(r, rare) == 0) {
            c.chosen[count++] = (pli_square_range){.column = i % columns, .row = i / columns};
        }
    }
    c.before[(size_t)columns * rows] = count;
    c.squares = (pli_squares){.shift = shift,
                              .first = {(int32_t)window->first[0], (int32_t)window->first[1]},
                              .size = {(int32_t)columns, (int32_t)rows},
                              .chosen = c.chosen,
                              .count = count,
                              .before = c.before};
    return c;
}

static void check_same_ray(pli_ray x, pli_ray y)
{
    assert_int_equal(x.crossing_count, y.crossing_count);
    assert_int_equal(x.interval_count, y.interval_count);
    assert_memory_equal(x.crossings, y.crossings, x.crossing_count * sizeof *x.crossings);
    if (x.interval_count > 0) {
        assert_memory_equal(x.intervals, y.intervals, x.interval_count * sizeof *x.intervals);
    }
}

/* Squares of part of the grid, imaged alone and as a part of the whole finer grid. */
static void check_squares(looked_at *l, rng *r, uint32_t rare, uint32_t shift, bool with_boxes)
{
    pliant_box box = pli_volume_body_box(l->body);
    pli_image_request fine = l->request;
    assert_true(pli_grid_refine(&l->request.grid, &box, 1, shift, &fine.grid));
    fine.window = pli_grid_whole(&fine.grid);
    const pli_image *whole;
    assert_ok(pli_volume_image(l->volume, &fine, &whole));
    pli_window part = l->request.window;
    for (uint32_t k = 0; k < 2; k++) {
        part.first[k] = (uint32_t)rng_below(r, 1 + part.last[k] / 3);
        part.last[k] -= (uint32_t)rng_below(r, 1 + part.last[k] / 3);
    }
    random_squares c = choose_squares(r, &part, rare, shift);
    if (c.squares.count > 0) {
        fine.squares = &c.squares;
        fine.square_count = c.squares.count;
        const pli_band *band = l->image->bands.data;
        fine.cluster_boxes = with_boxes && l->image->band_count == 1 && band->boxes.count > 0
                                 ? band->boxes.data
                                 : NULL;
        assert_ok(pli_volume_image_squares(l->volume, &fine, &l->volume->finer[0]));
        for (uint32_t i = 0; i < c.squares.count << 2 * shift; i++) {
            uint32_t within = i & (pli_squares_columns(&c.squares) - 1), at = i >> 2 * shift;
            uint32_t column =
                ((part.first[0] + c.chosen[at].column) << shift) + (within & ((1u << shift) - 1));
            uint32_t row = ((part.first[1] + c.chosen[at].row) << shift) + (within >> shift);
            check_same_ray(pli_image_ray(&l->volume->finer[0], within, at),
                           pli_image_ray(whole, column, row));
        }
        l->volume->finer[0].squares = NULL;
    }
    free(c.chosen);
    free(c.before);
}

static gallery_mesh some_mesh(uint32_t which, rng *r)
{
    test_place place = place_random(r, 0.3);
    if (which == 4) { /* slivers */
        place.scale[0] = 1e-4;
    }
    gallery_mesh mesh = which == 0   ? test_solid_box(&place)
                        : which == 1 ? test_solid_torus(16, 40, 0.4, &place)
                        : which == 2 ? test_solid_tetrahedron(&place)
                                     : test_solid_sphere(which == 3   ? 5120
                                                         : which == 4 ? 1280
                                                                      : 80,
                                                         &place);
    for (uint32_t i = 0; which == 5 && i < 3 * mesh.vertex_count; i++) { /* anything goes */
        mesh.positions[i] = (float)rng_range(r, -1.0, 1.0);
    }
    return mesh;
}

static void test_images_of_squares(void **state)
{
    (void)state;
    uint32_t cases = fixture_count(72);
    cases = cases < 12 ? 12 : cases;
    for (uint32_t i = 0; i < cases; i++) {
        rng r;
        rng_seed(&r, 400 + i);
        gallery_mesh mesh = some_mesh(i % 6, &r);
        uint32_t resolution = i % 12 == 11 ? 200 : 1 + (uint32_t)rng_below(&r, 60);
        looked_at l = look_at(&mesh, i % 4 == 3 ? 3 : 1, resolution, i % 3);
        check_squares(&l, &r, 1 + (uint32_t)rng_below(&r, 12), 1 + i % 2, i % 2 == 0);
        look_away(&l);
        mesh_free(&mesh);
    }
}

/* ------------------------------------------------------------- the truth */

static void check_truth(const pliant_volume_measure *m, double truth, const char *what, uint32_t i)
{
    double rounding = 1e-12 * fabs(truth);
    if (!(m->least <= truth + rounding && truth <= m->most + rounding)) {
        fail_msg("%s %u: %.12g is not between %.12g and %.12g", what, i, truth, m->least, m->most);
    }
    assert_true(m->least <= m->volume && m->volume <= m->most);
}

static void scale_mesh(gallery_mesh *mesh, double scale)
{
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        mesh->positions[i] = (float)((double)mesh->positions[i] * scale);
    }
}

/* A pleated ball: star-shaped, with more folds than squares at low resolutions. */
static gallery_mesh pleated_ball(rng *r, uint32_t triangles)
{
    test_place middle = place_at(0, 0, 0), place = place_random(r, 0.5);
    gallery_mesh mesh = test_solid_sphere(triangles, &middle);
    double pleats = rng_range(r, 3.0, 60.0), deep = rng_range(r, 0.0, 0.8);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        float *p = mesh.positions + 3 * (size_t)v;
        double angle = atan2((double)p[1], (double)p[0]);
        double radius = 1.0 - deep * (0.5 + 0.5 * cos(pleats * angle));
        for (int k = 0; k < 3; k++) {
            p[k] = (float)((double)p[k] * radius);
        }
    }
    for (int k = 0; k < 3; k++) { /* some are flat, some long */
        place.scale[k] *= rng_below(r, 3) == 0 ? pow(10.0, rng_range(r, -3.0, 0.0)) : 1.0;
    }
    test_solid_move(&mesh, &place);
    return mesh;
}

/* Folded, thin, long, huge and tiny. */
static void test_folded(void **state)
{
    (void)state;
    static const double scales[6] = {1.0, 1e-12, 1e-3, 1e3, 1e12, 1.0};
    uint32_t cases = fixture_count(240);
    for (uint32_t i = 0; i < cases; i++) {
        rng r;
        rng_seed(&r, 5000 + i);
        gallery_mesh mesh = pleated_ball(&r, 20u << 2 * rng_below(&r, 5));
        scale_mesh(&mesh, scales[i % 6]);
        test_solid ball = test_solid_create(test_context, mesh);
        pliant_volume_options options = volume_at_resolution(1 + (uint32_t)rng_below(&r, 160));
        pliant_volume_measure m;
        assert_ok(pliant_volume_measure_body(test_volume, ball.body, &options, &m));
        check_truth(&m, fabs(test_solid_volume(&ball.mesh)), "pleats", i);
        test_solid_destroy(&ball);
    }
}

/* Two boxes in one mesh, from touching to one inside the other, also turned inside out and flat. */
static void test_boxes_in_one(void **state)
{
    (void)state;
    uint32_t cases = fixture_count(240);
    for (uint32_t i = 0; i < cases; i++) {
        rng r;
        rng_seed(&r, 6000 + i);
        test_place first = place_random(&r, 0.3), second = place_random(&r, 0.3);
        if (i % 3 == 0) { /* corners and edges on rays and on each other */
            first = place_at(0, 0, 0);
            second = place_at((double)rng_below(&r, 3), 0.5, 0.25 * (double)rng_below(&r, 8));
        }
        first.scale[i % 3] *= i % 4 == 0 ? 1e-3 : 1.0;
        gallery_mesh mesh = test_solid_box(&first), more = test_solid_box(&second);
        double sides[2] = {fabs(test_solid_volume(&mesh)), fabs(test_solid_volume(&more))};
        double common = fabs(test_solid_common_volume(&mesh, &more));
        test_solid_join(&mesh, &more);
        test_solid both = test_solid_create(test_context, mesh);
        pliant_volume_options options = volume_at_resolution(1 + (uint32_t)rng_below(&r, 130));
        pliant_volume_measure whole, self;
        assert_ok(pliant_volume_measure_body(test_volume, both.body, &options, &whole));
        assert_ok(pliant_volume_intersect_self(test_volume, both.body, &options, &self));
        /* The oracle rounds where planes are common. */
        double slack = 1e-7 * (sides[0] + sides[1]), all = sides[0] + sides[1] - common;
        if (!(whole.least <= all + slack && all <= whole.most + slack)) {
            fail_msg("boxes %u: %.12g is not between %.12g and %.12g", i, all, whole.least,
                     whole.most);
        }
        if (!(self.least <= common + slack && common <= self.most + slack)) {
            fail_msg("boxes %u: common %.12g is not between %.12g and %.12g", i, common, self.least,
                     self.most);
        }
        test_solid_destroy(&both);
    }
}

/* Two boxes along the axes: common planes, edges and corners on rays, boxes that are all of what is
   in common; nothing is left out of a range by rounding. */
static void test_boxes_on_a_lattice(void **state)
{
    (void)state;
    uint32_t cases = fixture_count(400);
    for (uint32_t i = 0; i < cases; i++) {
        rng r;
        rng_seed(&r, 6500 + i);
        double at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = 0.25 * (double)rng_below(&r, 9) - 1.0;
        }
        test_place places[2] = {place_at(0, 0, 0), place_at(at[0], at[1], at[2])};
        double common = 1.0;
        for (int k = 0; k < 3; k++) {
            double half[2] = {0.25 * (1.0 + (double)rng_below(&r, 4)),
                              0.25 * (1.0 + (double)rng_below(&r, 4))};
            places[0].scale[k] = half[0];
            places[1].scale[k] = half[1];
            common *= fmax(fmin(half[0], at[k] + half[1]) - fmax(-half[0], at[k] - half[1]), 0.0);
        }
        test_solid a = test_solid_create(test_context, test_solid_box(&places[0])),
                   b = test_solid_create(test_context, test_solid_box(&places[1]));
        pliant_volume_options options = volume_at_resolution(1 + (uint32_t)rng_below(&r, 70));
        options.error_bound = i % 8 != 0;
        pliant_volume_measure m = intersect_solids(&a, &b, &options);
        check_truth(&m, common, "lattice", i);
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
}

/* A pleated ball and a box: folds of one body where the other is, cuts it, or hides it. */
static void test_folded_pairs(void **state)
{
    (void)state;
    uint32_t cases = fixture_count(240);
    for (uint32_t i = 0; i < cases; i++) {
        rng r;
        rng_seed(&r, 7000 + i);
        gallery_mesh mesh = pleated_ball(&r, 20u << 2 * rng_below(&r, 5));
        test_place place = place_random(&r, 0.6);
        place.scale[i % 3] *= i % 4 == 0 ? 0.01 : 1.0;
        gallery_mesh box = test_solid_box(&place);
        const double scale = i % 5 == 0 ? 1e-9 : i % 5 == 1 ? 1e9 : 1.0;
        scale_mesh(&mesh, scale);
        scale_mesh(&box, scale);
        double truth = fabs(test_solid_common_volume(&mesh, &box));
        double slack = 1e-7 * fabs(test_solid_volume(&box));
        test_solid a = test_solid_create(test_context, mesh),
                   b = test_solid_create(test_context, box);
        pliant_volume_options options = volume_at_resolution(1 + (uint32_t)rng_below(&r, 130));
        pliant_volume_measure m = intersect_solids(i % 2 ? &a : &b, i % 2 ? &b : &a, &options);
        if (!(m.least <= truth + slack && truth <= m.most + slack)) {
            fail_msg("pair %u: %.12g is not between %.12g and %.12g", i, truth, m.least, m.most);
        }
        assert_true(m.least <= m.volume && m.volume <= m.most);
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
}

/* ----------------------------------------------------------- sameness */

static pliant_volume_measure measure_with(const gallery_mesh *mesh, pliant_isa isa,
                                          uint32_t workers, fixture_tree tree, bool cull,
                                          uint32_t resolution)
{
    pliant_context *context = fixture_context_with(isa, workers);
    pliant_volume *volume;
    pliant_body *body;
    assert_ok(pliant_volume_create(context, NULL, &volume));
    pliant_shape *shape = fixture_shape(context, mesh, tree);
    assert_ok(pliant_body_create(shape, NULL, &body));
    pliant_volume_options options = volume_at_resolution(resolution);
    options.cull = cull;
    pliant_volume_measure m, again;
    assert_ok(pliant_volume_measure_body(volume, body, &options, &m));
    assert_ok(pliant_volume_measure_body(volume, body, &options, &again)); /* images are kept */
    assert_true(m.least == again.least && m.most == again.most);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    pliant_volume_destroy(volume);
    pliant_context_destroy(context);
    return m;
}

/* Instruction set, workers, tree, culling and what is kept make no difference. */
static void test_same_everywhere(void **state)
{
    (void)state;
    static const fixture_tree trees[2] = {{PLIANT_PARTITION_BALANCED, 8, 8},
                                          {PLIANT_PARTITION_SHAPE_MEAN, 2, 3}};
    static const uint32_t resolutions[3] = {20, 128, 400};
    for (uint32_t i = 0; i < (fixture_scale() < 0.1 ? 2u : 3u); i++) {
        rng r;
        rng_seed(&r, 80 + i);
        gallery_mesh mesh = pleated_ball(&r, 5120);
        pliant_volume_measure plain =
            measure_with(&mesh, PLIANT_ISA_PLAIN, 1, trees[0], false, resolutions[i]);
        for (int isa = PLIANT_ISA_BASELINE; isa <= PLIANT_ISA_AVX512; isa++) {
            pliant_volume_measure m = measure_with(&mesh, (pliant_isa)isa, isa % 2 ? 3 : 1,
                                                   trees[isa % 2], true, resolutions[i]);
            assert_true(m.least == plain.least && m.most == plain.most && m.volume == plain.volume);
        }
        mesh_free(&mesh);
    }
}

/* ----------------------------------------------------------- narrowness */

/* What is certain and possible, square by square, without looking again; plain: if every touched
   square were doubtful. */
static void add_image(const pli_image *image, bool plain, uint64_t sums[2])
{
    pli_whole_depths whole = {plain ? 1 : 0, plain ? 0 : PLI_DEPTH_STEPS};
    for (uint32_t i = 0; i < image->rows * image->columns; i++) {
        pli_square square = {.ray = pli_image_ray(image, i % image->columns, i / image->columns),
                             .whole = whole};
        pli_range_add(PLI_SWEEP_BODY, &square, 1, &sums[0], &sums[1]);
    }
}

/* The width of a body's range over the plain one; it lies in the range without looking again. */
static double width_over_plain(const test_solid *solid, uint32_t resolution)
{
    pliant_volume_options options = volume_at_resolution(resolution);
    pliant_volume_measure m;
    assert_ok(pliant_volume_measure_body(test_volume, solid->body, &options, &m));
    pliant_box box = pli_volume_body_box(solid->body);
    pli_image_request request = {.body = solid->body, .intervals = true, .cull = true};
    pli_grid_for_body(&box, PLI_ANY_AXIS, resolution, &request.grid);
    request.window = pli_grid_whole(&request.grid);
    const pli_image *image;
    assert_ok(pli_volume_image(test_volume, &request, &image));
    uint64_t once[2] = {0, 0}, plain[2] = {0, 0};
    add_image(image, false, once);
    add_image(image, true, plain);
    double unit = pli_grid_pixel_area(&request.grid) * pli_grid_depth_step(&request.grid);
    assert_true((double)once[0] * unit * (1.0 - 1e-9) <= m.least || m.least == m.volume);
    assert_true(m.most <= (double)once[1] * unit * (1.0 + 1e-9) || m.most == m.volume);
    return (m.most - m.least) / ((double)(plain[1] - plain[0]) * unit);
}

static void check_narrow(gallery_mesh mesh, const char *name, const double most[2])
{
    test_solid solid = test_solid_create(test_context, mesh);
    uint32_t count = fixture_scale() < 0.1 ? 1 : 2; /* sanitizers take their time */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t resolution = i == 0 ? 128 : 512;
        double ratio = width_over_plain(&solid, resolution);
        if (!(ratio <= most[i])) {
            fail_msg("%s, %u rays a side: %g of the plain width, more than %g", name, resolution,
                     ratio, most[i]);
        }
    }
    test_solid_destroy(&solid);
}

static void test_narrow(void **state)
{
    (void)state;
    /* At 128 and at 512 rays. It is below a quarter at 128 rays already, but where nearly every
       square has a fold there, and where triangles are so small that each square has many. */
    static const double rugged[2] = {0.39, 0.17}, fine[2] = {0.29, 0.16}, most[2] = {0.24, 0.12},
                        smooth[2] = {0.12, 0.06};
    for (uint32_t kind = 0; kind < CLOSED_KINDS; kind++) {
        gallery_mesh mesh;
        assert_true(closed_make((closed_kind)kind, 20000, &mesh));
        bool folds = kind == CLOSED_REPTILE || kind == CLOSED_DRAGON;
        check_narrow(mesh, closed_name((closed_kind)kind), folds ? rugged : most);
    }
    for (uint32_t kind = 0; kind < REAL_KINDS; kind++) {
        gallery_mesh mesh;
        if (real_mesh_load(test_context, (real_kind)kind, &mesh)) {
            check_narrow(mesh, real_mesh_name((real_kind)kind),
                         kind == REAL_SCORPION ? rugged
                         : kind == REAL_BUNNY  ? fine
                                               : most);
        }
    }
    test_place place = place_at(0, 0, 0);
    check_narrow(test_solid_sphere(20480, &place), "ball", smooth);
    real_mesh_skip_missing();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images_of_squares),
        cmocka_unit_test(test_folded),
        cmocka_unit_test(test_boxes_in_one),
        cmocka_unit_test(test_boxes_on_a_lattice),
        cmocka_unit_test(test_folded_pairs),
        cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_narrow),
    };
    return cmocka_run_group_tests(tests, test_volume_set_up, test_volume_tear_down);
}
