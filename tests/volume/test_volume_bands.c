/*
 * Bands of rows: a volume object with little memory answers as one with much, bit by bit, holds no
 * more than its limit, and names the limit where a single row does not fit.
 */
#include "solid.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 400, MOST_SPANS = 1 << 17, MOST_VERTICES = 1 << 12 };

/* Answers that must agree, bit by bit. */
typedef struct answers {
    double numbers[3][9];
    pliant_box box[3];
    pliant_volume_span spans[MOST_SPANS];
    pliant_volume_vertex gradient[2][MOST_VERTICES];
    pliant_volume_point points[2][POINTS];
    double sampling[2];
} answers;

static void add_measure(answers *a, int i, const pliant_volume_measure *m)
{
    const double numbers[9] = {m->volume,
                               m->error,
                               m->least,
                               m->most,
                               m->centroid[0],
                               m->centroid[1],
                               m->centroid[2],
                               (double)m->open_rays,
                               (double)m->span_count};
    memcpy(a->numbers[i], numbers, sizeof numbers);
    a->box[i] = m->box;
}

/* Flat boxes above each other along z, `count` of them across every ray. */
static gallery_mesh layers(uint32_t count)
{
    gallery_mesh all = {0};
    for (uint32_t i = 0; i < count; i++) {
        test_place place = place_at(0.0, 0.0, 0.01 * i);
        place.scale[2] = 0.002;
        gallery_mesh box = test_solid_box(&place);
        if (i == 0) {
            all = box;
        } else {
            test_solid_join(&all, &box);
        }
    }
    return all;
}

/* Points in and around the cube of side 2.4. */
static void fill_points(float points[POINTS][3])
{
    rng r;
    rng_seed(&r, 77);
    for (int i = 0; i < 3 * POINTS; i++) {
        points[i / 3][i % 3] = (float)rng_range(&r, -1.2, 1.2);
    }
}

/* Asks everything about two bodies, of which the second is then moved by a world transform: points
   are looked up in its own frame. Returns how many images were made. */
static uint64_t ask(pliant_volume *volume, pliant_body *a, pliant_body *b, answers *found)
{
    float points[POINTS][3];
    uint64_t images = 0;
    pliant_volume_measure m;
    pliant_volume_options options = volume_at_resolution(70);
    pliant_volume_sampling sampling;
    memset(found, 0, sizeof *found);
    fill_points(points);
    assert_ok(pliant_volume_measure_body(volume, a, &options, &m));
    add_measure(found, 0, &m);
    images += pliant_volume_get_stats(volume)->images;
    assert_ok(pliant_volume_intersect_self(volume, a, &options, &m));
    add_measure(found, 1, &m);
    options.spans = options.gradients = true;
    assert_ok(pliant_volume_intersect(volume, a, b, &options, &m));
    add_measure(found, 2, &m);
    images += pliant_volume_get_stats(volume)->images;
    assert_in_range(m.span_count, 1, MOST_SPANS);
    memcpy(found->spans, m.spans, (size_t)m.span_count * sizeof *m.spans);
    for (int i = 0; i < 2; i++) {
        assert_in_range(m.vertex_count[i], 1, MOST_VERTICES);
        memcpy(found->gradient[i], m.vertices[i], m.vertex_count[i] * sizeof *m.vertices[i]);
        pliant_body *body = i == 0 ? a : b;
        static const float turned[12] = {0.0f, -1.0f, 0.0f, 0.1f, 1.0f, 0.0f,
                                         0.0f, 0.2f,  0.0f, 0.0f, 1.0f, 0.0f};
        if (i == 1) {
            assert_ok(pliant_body_set_world(body, turned));
        }
        assert_ok(pliant_volume_locate_points(volume, body, points[0], POINTS, 0, &options,
                                              found->points[i], &sampling));
        found->sampling[i] = sampling.error;
        images += pliant_volume_get_stats(volume)->images;
    }
    assert_ok(pliant_body_set_world(b, NULL));
    return images;
}

static gallery_mesh mesh_of(int kind, rng *r)
{
    test_place place = place_random(r, 0.1);
    gallery_mesh mesh;
    switch (kind) {
    case 0:
        return layers(12);
    case 1:
        return test_solid_torus(24, 48, 0.4, &place);
    case 2:
        mesh = test_solid_sphere(320, &place);
        place = place_random(r, 0.3);
        gallery_mesh other = test_solid_sphere(320, &place);
        test_solid_join(&mesh, &other);
        return mesh;
    default:
        return test_solid_random(r);
    }
}

static void bands_change_no_answer(void **state)
{
    (void)state;
    /* All rows at once; a few bands; bands of few rows: times what a row needs, about. */
    static const uint64_t limits[] = {0, 8, 2, 1};
    enum { LIMITS = sizeof limits / sizeof *limits, KINDS = 4 };
    answers *found[2] = {malloc(sizeof *found[0]), malloc(sizeof *found[0])};
    assert_true(found[0] != NULL && found[1] != NULL);
    uint64_t least = 0, most = 0;
    for (int kind = 0; kind < KINDS * KINDS; kind++) {
        uint64_t row = kind / KINDS == 0 || kind % KINDS == 0 ? 3 << 20 : 400000;
        for (uint32_t i = 0; i < 2 * LIMITS; i++) {
            rng r;
            rng_seed(&r, 300 + (uint64_t)kind);
            pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, i % 2 == 0 ? 1 : 3);
            test_solid a = test_solid_create(context, mesh_of(kind / KINDS, &r));
            test_solid b = test_solid_create(context, mesh_of(kind % KINDS, &r));
            pliant_volume *volume = test_volume_limited(context, row * limits[i / 2]);
            uint64_t images = ask(volume, a.body, b.body, found[i > 0]);
            least += i == 0 ? images : 0;
            most += i == 2 * LIMITS - 1 ? images : 0;
            if (i > 0 && memcmp(found[0], found[1], sizeof *found[0]) != 0) {
                fail_msg("kind %d, limit %llu: volume %.17g of %.17g, most %.17g of %.17g", kind,
                         (unsigned long long)limits[i / 2], found[1]->numbers[2][0],
                         found[0]->numbers[2][0], found[1]->numbers[2][3], found[0]->numbers[2][3]);
            }
            pliant_volume_destroy(volume);
            test_solid_destroy(&a);
            test_solid_destroy(&b);
            pliant_context_destroy(context);
        }
    }
    print_message("  %llu images became %llu\n", (unsigned long long)least,
                  (unsigned long long)most);
    assert_true(most > 4 * least);
    free(found[0]);
    free(found[1]);
}

/* The most bytes that measuring takes in a volume object of a limit. */
static uint64_t measure_peak(uint64_t limit, double *volume_found)
{
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    test_solid solid = test_solid_create(context, layers(100));
    pliant_volume *volume = test_volume_limited(context, limit);
    pliant_volume_options options = pliant_volume_options_default();
    pliant_volume_measure m;
    assert_ok(pliant_body_prepare(solid.body));
    uint64_t before = allocator.live_bytes;
    allocator.peak_bytes = before;
    assert_ok(pliant_volume_measure_body(volume, solid.body, &options, &m));
    uint64_t peak = allocator.peak_bytes - before;
    *volume_found = m.volume;
    pliant_volume_destroy(volume);
    test_solid_destroy(&solid);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
    return peak;
}

/* 128 x 128 rays through 100 sheets. */
static void memory_stays_below_the_limit(void **state)
{
    (void)state;
    enum { PER_RAY = 64 * 128 * 128, PER_BAND = 208 * 128 * 128 };
    double all, some;
    uint64_t most = measure_peak((uint64_t)8 << 30, &all);
    for (uint64_t limit = (uint64_t)256 << 20; limit >= (uint64_t)64 << 20; limit /= 2) {
        uint64_t peak = measure_peak(limit, &some);
        print_message("  limit %llu: %llu bytes, without %llu\n", (unsigned long long)limit,
                      (unsigned long long)peak, (unsigned long long)most);
        assert_true(peak <= limit + PER_RAY + PER_BAND);
        assert_true(some == all);
    }
    assert_true(most > (uint64_t)100 << 20);
}

/* The error names the limit; the object then answers about what does fit. */
static void a_row_without_room_is_an_error(void **state)
{
    (void)state;
    test_place place = place_at(0.0, 0.0, 0.0);
    test_solid solid = test_solid_create(test_context, layers(100));
    test_solid ball = test_solid_create(test_context, test_solid_sphere(320, &place));
    pliant_volume *volume = test_volume_limited(test_context, 1 << 18);
    pliant_volume *large = test_volume_limited(test_context, 0);
    pliant_volume_measure m = {.volume = -1.0}, expected;
    float points[2][3] = {{-0.9f, -0.9f, 0.5f}, {0.9f, 0.9f, 0.5f}};
    pliant_volume_point looked_up[2];
    for (int i = 0; i < 3; i++) {
        pliant_result result =
            i == 0   ? pliant_volume_measure_body(volume, solid.body, NULL, &m)
            : i == 1 ? pliant_volume_intersect(volume, ball.body, solid.body, NULL, &m)
                     : pliant_volume_locate_points(volume, solid.body, points[0], 2, 0, NULL,
                                                   looked_up, NULL);
        assert_int_equal(result, PLIANT_ERROR_TOO_LARGE);
        assert_non_null(strstr(pliant_last_error(), "memory_limit"));
        assert_true(m.volume == -1.0);
        pliant_volume_measure again;
        assert_ok(pliant_volume_measure_body(volume, ball.body, NULL, &again));
        assert_ok(pliant_volume_measure_body(large, ball.body, NULL, &expected));
        assert_true(again.volume == expected.volume && again.most == expected.most);
    }
    pliant_volume_def def = pliant_volume_def_default();
    pliant_volume *none = NULL;
    def.memory_limit = 65535;
    assert_int_equal(pliant_volume_create(test_context, &def, &none), PLIANT_ERROR_RANGE);
    assert_non_null(strstr(pliant_last_error(), "memory_limit is 65535"));
    pliant_volume_destroy(volume);
    pliant_volume_destroy(large);
    test_solid_destroy(&solid);
    test_solid_destroy(&ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_change_no_answer),
        cmocka_unit_test(memory_stays_below_the_limit),
        cmocka_unit_test(a_row_without_room_is_an_error),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
