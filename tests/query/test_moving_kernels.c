/*
 * The kernels that drop pairs of moving triangles and of their features: what they drop must never
 * meet by exact arithmetic, and be the same under every instruction set.
 */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/moving_triangles.h"
#include "moving_cases.h"
#include "query/moving_kernels.h"
#include "query/neighbours.h"
#include "records.h"
#include "triangle_cases.h"

enum { FACES = 64, VERTICES = 3 * FACES };

/* Triangles that fit one cluster; every two that may meet are a pair. */
typedef struct swarm {
    float rest[3 * VERTICES], at[2][3 * VERTICES];
    uint32_t faces[3 * FACES], vertex_count;
    bool named; /* the kernels are told which vertices triangles share */
} swarm;

static void set_rest(swarm *s, uint32_t vertex_count)
{
    s->vertex_count = vertex_count;
    for (uint32_t v = 0; v < vertex_count; v++) {
        s->rest[3 * v] = (float)v;
        s->rest[3 * v + 1] = (float)(v % 7);
        s->rest[3 * v + 2] = (float)(v % 3);
    }
}

/* A finite coordinate that the kernel takes at every scale, of the same digits. */
static float moderate(float x)
{
    return fabsf(x) < 0x1p6f ? x : moderate(0x1p-64f * x);
}

/* Pairs of triangles of a family. With a `share` below 1 each is drawn together to its first
   corner, and most pairs stay apart; far from the origin, rounding puts many on one spot. */
static void make_swarm(rng *random, int family, float share, float scale, float offset, swarm *s)
{
    set_rest(s, VERTICES);
    s->named = false;
    for (uint32_t v = 0; v < VERTICES; v++) {
        s->faces[v] = v;
    }
    for (uint32_t first = 0; first + 6 <= VERTICES; first += 6) {
        float x[6][2][3];
        moving_case(family, random, 6, x);
        for (uint32_t i = 0; i < 36; i++) {
            uint32_t point = i / 6, end = i / 3 % 2, k = i % 3;
            float from = moderate(x[point - point % 3][end][k]), to = moderate(x[point][end][k]);
            float drawn = share < 1.0f ? from + share * (to - from) : to;
            s->at[end][3 * (first + point) + k] = scale * drawn + offset;
        }
    }
}

/* A sheet of squares cut in two, whose vertices move by up to a distance; from the column `fold` on
   it is turned over onto itself. With `grid` coordinates are whole numbers. */
static void make_sheet(rng *random, uint32_t fold, double distance, bool grid, float scale,
                       swarm *s)
{
    enum { COLUMNS = 8, ROWS = 4 };
    set_rest(s, (COLUMNS + 1) * (ROWS + 1));
    s->named = true;
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        uint32_t column = v % (COLUMNS + 1), row = v / (COLUMNS + 1);
        double x = column < fold ? column : 2.0 * fold - column;
        double place[3] = {4.0 * x, 4.0 * row, column < fold ? 0.0 : 1.0};
        for (uint32_t i = 0; i < 6; i++) {
            double way = rng_range(random, -1.0, 1.0) * (i < 3 ? 0.5 : distance);
            place[i % 3] += grid ? rint(way) : way;
            s->at[i / 3][3 * v + i % 3] = scale * (float)place[i % 3];
        }
    }
    for (uint32_t i = 0; i < FACES; i++) {
        uint32_t square = i / 2, first = square / COLUMNS * (COLUMNS + 1) + square % COLUMNS;
        const uint32_t corners[2][3] = {{first, first + 1, first + COLUMNS + 2},
                                        {first, first + COLUMNS + 2, first + COLUMNS + 1}};
        memcpy(s->faces + 3 * i, corners[i % 2], sizeof corners[0]);
    }
}

static const float *corner_at(const swarm *s, uint32_t triangle, uint32_t c, int end)
{
    return s->at[end] + (size_t)3 * s->faces[3 * triangle + c];
}

static pliant_moving_triangle triangle_of(const swarm *s, uint32_t triangle)
{
    pliant_moving_triangle t;
    for (uint32_t c = 0; c < 3; c++) {
        memcpy(t.corner[c].start, corner_at(s, triangle, c, 0), sizeof t.corner[c].start);
        memcpy(t.corner[c].end, corner_at(s, triangle, c, 1), sizeof t.corner[c].end);
    }
    return t;
}

/* The swept box of a triangle along an axis. */
static void sweep_along(const swarm *s, uint32_t triangle, uint32_t k, float *low, float *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t i = 0; i < 6; i++) {
        float x = corner_at(s, triangle, i % 3, (int)(i / 3))[k];
        *low = x < *low ? x : *low;
        *high = x > *high ? x : *high;
    }
}

static bool boxes_meet(const swarm *s, uint32_t a, uint32_t b)
{
    bool meet = true;
    for (uint32_t k = 0; k < 3; k++) {
        float low[2], high[2];
        sweep_along(s, a, k, &low[0], &high[0]);
        sweep_along(s, b, k, &low[1], &high[1]);
        meet = meet && low[0] <= high[1] && low[1] <= high[0];
    }
    return meet;
}

static float extent_of(const swarm *s)
{
    float extent = 0.0f;
    for (uint32_t i = 0; i < 3 * FACES; i++) {
        float low, high;
        sweep_along(s, i / 3, i % 3, &low, &high);
        extent = high - low > extent ? high - low : extent;
    }
    return extent;
}

typedef struct pair_list {
    uint32_t count;
    uint8_t a[FACES * FACES + 64], b[FACES * FACES + 64]; /* slots */
    bool may_meet[FACES * FACES], unparted[FACES * FACES];
    uint32_t features[FACES * FACES];
} pair_list;

static void list_pairs(const swarm *s, const uint32_t triangles[FACES], pair_list *pairs)
{
    memset(pairs, 0, sizeof *pairs);
    for (uint32_t i = 0; i < FACES * FACES; i++) {
        if (i / FACES < i % FACES && boxes_meet(s, triangles[i / FACES], triangles[i % FACES])) {
            pairs->a[pairs->count] = (uint8_t)(i / FACES);
            pairs->b[pairs->count++] = (uint8_t)(i % FACES);
        }
    }
}

/* What the kernels of a set make of the pairs, in batches of all lengths. */
static void ask_kernels(const pli_moving_kernels *kernels, const pli_swept_triangles *swept,
                        pair_list *pairs)
{
    for (uint32_t i = 0, batch = 1; i < pairs->count; i += batch) {
        batch = i % PLI_BATCH + 1 < pairs->count - i ? i % PLI_BATCH + 1 : pairs->count - i;
        const uint8_t *a = pairs->a + i, *b = pairs->b + i;
        uint64_t may_meet = kernels->may_meet(swept, a, swept, b, batch);
        uint64_t unparted = kernels->unparted(swept, a, swept, b, batch);
        uint32_t open[PLI_BATCH];
        kernels->open_features(swept, a, swept, b, batch, open);
        assert_true(batch == PLI_BATCH || (may_meet | unparted) >> batch == 0);
        for (uint32_t j = 0; j < batch; j++) {
            pairs->may_meet[i + j] = may_meet >> j & 1;
            pairs->unparted[i + j] = unparted >> j & 1;
            pairs->features[i + j] = open[j];
        }
    }
}

/* The pairs of a swarm, and what becomes of them; `triangles` by slot. */
static void run_kernels(const swarm *s, pliant_isa isa, pair_list *pairs, uint32_t triangles[FACES])
{
    gallery_mesh mesh = {.positions = (float *)s->rest,
                         .triangles = (uint32_t *)s->faces,
                         .vertex_count = s->vertex_count,
                         .triangle_count = FACES};
    recorded end[2];
    for (int i = 0; i < 2; i++) {
        end[i] = record_all(&mesh, s->at[i], fixture_usual_tree, isa);
        assert_int_equal(end[i].shape->cluster_count, 1);
    }
    end[0].record[0]->extent = extent_of(s);
    const pliant_shape *shape = end[0].shape;
    pli_swept_triangles swept = {
        {{end[0].record[0], shape->slot_corners}, s->named ? shape->cluster_vertices : NULL},
        {end[1].record[0], shape->slot_corners}};
    memcpy(triangles, shape->slot_triangles, FACES * sizeof *triangles);
    list_pairs(s, triangles, pairs);
    ask_kernels(pli_kernels_for(isa)->moving, &swept, pairs);
    recorded_free(&end[0]);
    recorded_free(&end[1]);
}

/* ---------------------------------------------------------- exact answers */

/* Whether a pair of features meets, by number (geometry/moving_triangles.h). */
static bool features_meet(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                          uint32_t number)
{
    if (number < 6) {
        return number < 3 ? pliant_moving_point_meet(&a->corner[number], b, NULL)
                          : pliant_moving_point_meet(&b->corner[number - 3], a, NULL);
    }
    uint32_t i = (number - 6) / 3, j = number % 3;
    const pliant_moving_edge e = {{a->corner[i], a->corner[(i + 1) % 3]}},
                             f = {{b->corner[j], b->corner[(j + 1) % 3]}};
    return pliant_moving_edge_meet(&e, &f, NULL);
}

/* Which corners a pair of features has: bits 0 to 2 of a, 3 to 5 of b. */
static uint32_t corners_of(uint32_t number)
{
    if (number < 6) {
        return number < 3 ? 1u << number | 7u << 3 : 7u | 1u << number;
    }
    uint32_t i = (number - 6) / 3, j = number % 3;
    return (1u << i | 1u << (i + 1) % 3) | (1u << j | 1u << (j + 1) % 3) << 3;
}

static bool have_common_vertex(const uint32_t a[3], const uint32_t b[3], uint32_t corners)
{
    bool common = false;
    for (uint32_t i = 0; i < 9; i++) {
        common = common ||
                 ((corners >> i / 3 & 1) && (corners >> (3 + i % 3) & 1) && a[i / 3] == b[i % 3]);
    }
    return common;
}

/* Whether triangles of one body touch beyond what they share at an end of the step. */
static bool touch_at(const swarm *s, const pliant_shape *shape, uint32_t a, uint32_t b, int end)
{
    float of_a[3][3], of_b[3][3];
    for (uint32_t c = 0; c < 3; c++) {
        memcpy(of_a[c], corner_at(s, a, c, end), sizeof of_a[c]);
        memcpy(of_b[c], corner_at(s, b, c, end), sizeof of_b[c]);
    }
    return pli_touch_self(shape, a, b, (const float(*)[3])of_a, (const float(*)[3])of_b,
                          PLIANT_NEIGHBOURS_BEYOND_SHARED, NULL);
}

/* Definition D9, of two bodies or within one. */
static bool meet(const swarm *s, const pliant_shape *shape, uint32_t a, uint32_t b)
{
    pliant_moving_triangle moving_a = triangle_of(s, a), moving_b = triangle_of(s, b);
    if (!s->named) {
        return pliant_moving_triangle_meet(&moving_a, &moving_b, NULL);
    }
    bool met = touch_at(s, shape, a, b, 0) || touch_at(s, shape, a, b, 1);
    for (uint32_t i = 0; i < 15 && !met; i++) {
        met = !have_common_vertex(s->faces + (size_t)3 * a, s->faces + (size_t)3 * b,
                                  corners_of(i)) &&
              features_meet(&moving_a, &moving_b, i);
    }
    return met;
}

/* What was dropped: pairs beside planes, pairs by directions, pairs of features. */
typedef struct tally {
    uint64_t pairs, dropped, parted, features;
} tally;

static void check_pair(const swarm *s, const pliant_shape *shape, const pair_list *pairs,
                       uint32_t i, const uint32_t triangles[FACES], const char *what, tally *sums)
{
    uint32_t a = triangles[pairs->a[i]], b = triangles[pairs->b[i]];
    if (!(pairs->may_meet[i] && pairs->unparted[i]) && meet(s, shape, a, b)) {
        fail_msg("%s: triangles %u and %u meet", what, a, b);
    }
    pliant_moving_triangle moving_a = triangle_of(s, a), moving_b = triangle_of(s, b);
    for (uint32_t f = 0; f < 15; f++) {
        bool closed = !(pairs->features[i] >> f & 1);
        if (closed && features_meet(&moving_a, &moving_b, f)) {
            fail_msg("%s: features %u of triangles %u and %u meet", what, f, a, b);
        }
        sums->features += closed;
    }
    sums->pairs++;
    sums->dropped += !pairs->may_meet[i];
    sums->parted += !pairs->unparted[i];
}

static void check_swarm(const swarm *s, const char *what, tally *sums)
{
    static pair_list pairs, same;
    uint32_t triangles[FACES], unused[FACES];
    pliant_isa sets[3];
    run_kernels(s, PLIANT_ISA_PLAIN, &pairs, triangles);
    for (int i = other_sets(sets) - 1; i >= 0; i--) {
        run_kernels(s, sets[i], &same, unused);
        assert_memory_equal(&same, &pairs, sizeof pairs);
    }
    gallery_mesh mesh = {(float *)s->rest, (uint32_t *)s->faces, s->vertex_count, FACES};
    recorded exact = record_all(&mesh, s->at[0], fixture_usual_tree, PLIANT_ISA_PLAIN);
    for (uint32_t i = 0; i < pairs.count; i++) {
        check_pair(s, exact.shape, &pairs, i, triangles, what, sums);
    }
    recorded_free(&exact);
}

static void print_tally(const char *what, const tally *sums)
{
    double pairs = (double)sums->pairs;
    print_message("  %-18s %8llu pairs, %4.1f %% dropped, %4.1f %% parted, %4.1f %% of features\n",
                  what, (unsigned long long)sums->pairs, 100.0 * (double)sums->dropped / pairs,
                  100.0 * (double)sums->parted / pairs,
                  100.0 * (double)sums->features / (15.0 * pairs));
    assert_true(sums->pairs > 0);
}

/* Triangles of one body, which share vertices. */
static void dropped_neighbours_never_meet(void **state)
{
    (void)state;
    static const double distances[4] = {0.25, 0.0, 1.5, 8.0};
    static const uint32_t folds[3] = {9, 4, 2};
    static const float scales[2] = {1.0f, 0x1p-60f};
    for (int k = 0; k < 4; k++) {
        tally sums = {0};
        char what[32];
        snprintf(what, sizeof what, "sheet, by %g", distances[k]);
        for (uint32_t i = 0; i < fixture_count(12); i++) {
            static swarm s;
            rng random;
            rng_seed(&random, test_seed() + i);
            make_sheet(&random, folds[i % 3], distances[k], i / 3 % 2 != 0, scales[i / 6 % 2], &s);
            check_swarm(&s, what, &sums);
        }
        print_tally(what, &sums);
        assert_true(k != 0 || 4 * sums.parted > sums.pairs);
    }
}

static void dropped_pairs_never_meet(void **state)
{
    (void)state;
    static const float shares[3] = {0.125f, 1.0f, 0x1p-12f};
    static const float scales[4] = {1.0f, 0x1p-40f, 0x1p30f, 0x1p-110f};
    for (int family = 0; family < MOVING_FAMILIES; family++) {
        tally sums = {0};
        for (uint32_t i = 0; i < fixture_count(24); i++) {
            static swarm s;
            rng random;
            rng_seed(&random, test_seed() + i);
            float offset = i % 5 == 4 ? 0x1p12f : 0.0f;
            make_swarm(&random, family, shares[i % 3], scales[i / 3 % 4], offset, &s);
            check_swarm(&s, moving_family_name(family), &sums);
        }
        print_tally(moving_family_name(family), &sums);
        assert_true(family != 0 ||
                    (20 * sums.dropped > sums.pairs && 20 * sums.parted > sums.pairs));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropped_pairs_never_meet),
        cmocka_unit_test(dropped_neighbours_never_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
