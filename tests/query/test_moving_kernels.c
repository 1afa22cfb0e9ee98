/*
 * The kernel that drops pairs of moving triangles: what it drops must never meet by exact
 * arithmetic, and be the same under every instruction set.
 */
#include "fixture.h"

#include <math.h>
#include <string.h>

#include "geometry/moving_triangles.h"
#include "moving_cases.h"
#include "query/moving_kernels.h"
#include "records.h"
#include "triangle_cases.h"

enum { FACES = 64, VERTICES = 3 * FACES };

/* Triangles that share no vertices and fit one cluster; every two that may meet are a pair. */
typedef struct swarm {
    float rest[3 * VERTICES], at[2][3 * VERTICES];
    uint32_t faces[3 * FACES];
} swarm;

/* A finite coordinate that the kernel takes at every scale, of the same digits. */
static float moderate(float x)
{
    return fabsf(x) < 0x1p6f ? x : moderate(0x1p-64f * x);
}

/* Pairs of triangles of a family. With a `share` below 1 each is drawn together to its first
   corner, and most pairs stay apart; far from the origin, rounding puts many on one spot. */
static void make_swarm(rng *random, int family, float share, float scale, float offset, swarm *s)
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        s->faces[v] = v;
        s->rest[3 * v] = (float)v;
        s->rest[3 * v + 1] = (float)(v % 7);
        s->rest[3 * v + 2] = (float)(v % 3);
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

static pliant_moving_triangle triangle_of(const swarm *s, uint32_t triangle)
{
    pliant_moving_triangle t;
    for (uint32_t c = 0; c < 3; c++) {
        memcpy(t.corner[c].start, s->at[0] + 9 * triangle + 3 * c, sizeof t.corner[c].start);
        memcpy(t.corner[c].end, s->at[1] + 9 * triangle + 3 * c, sizeof t.corner[c].end);
    }
    return t;
}

/* The swept box of a triangle along an axis. */
static void sweep_along(const swarm *s, uint32_t triangle, uint32_t k, float *low, float *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t i = 0; i < 6; i++) {
        float x = s->at[i / 3][9 * triangle + 3 * (i % 3) + k];
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
    bool open[FACES * FACES];
} pair_list;

/* What the kernel of a set makes of the pairs, in batches of all lengths. */
static void run_kernel(const swarm *s, pliant_isa isa, pair_list *pairs, uint32_t triangles[FACES])
{
    gallery_mesh mesh = {.positions = (float *)s->rest,
                         .triangles = (uint32_t *)s->faces,
                         .vertex_count = VERTICES,
                         .triangle_count = FACES};
    recorded end[2];
    memset(pairs, 0, sizeof *pairs);
    for (int i = 0; i < 2; i++) {
        end[i] = record_all(&mesh, s->at[i], fixture_usual_tree, isa);
        assert_int_equal(end[i].shape->cluster_count, 1);
    }
    end[0].record[0]->extent = extent_of(s);
    const uint8_t *corners = end[0].shape->slot_corners;
    pli_swept_triangles swept = {{{end[0].record[0], corners}, NULL}, {end[1].record[0], corners}};
    memcpy(triangles, end[0].shape->slot_triangles, FACES * sizeof *triangles);
    for (uint32_t i = 0; i < FACES * FACES; i++) {
        if (i / FACES < i % FACES && boxes_meet(s, triangles[i / FACES], triangles[i % FACES])) {
            pairs->a[pairs->count] = (uint8_t)(i / FACES);
            pairs->b[pairs->count++] = (uint8_t)(i % FACES);
        }
    }
    for (uint32_t i = 0, batch = 1; i < pairs->count; i += batch) {
        batch = i % PLI_BATCH + 1 < pairs->count - i ? i % PLI_BATCH + 1 : pairs->count - i;
        uint64_t open = pli_kernels_for(isa)->moving->may_meet(&swept, pairs->a + i, &swept,
                                                               pairs->b + i, batch);
        assert_true(batch == PLI_BATCH || open >> batch == 0);
        for (uint32_t j = 0; j < batch; j++) {
            pairs->open[i + j] = open >> j & 1;
        }
    }
    recorded_free(&end[0]);
    recorded_free(&end[1]);
}

/* Adds how many pairs there were and how many were dropped. */
static void check_swarm(const swarm *s, const char *what, uint64_t tally[2])
{
    static pair_list pairs, same;
    uint32_t triangles[FACES], unused[FACES];
    pliant_isa sets[3];
    run_kernel(s, PLIANT_ISA_PLAIN, &pairs, triangles);
    for (int i = other_sets(sets) - 1; i >= 0; i--) {
        run_kernel(s, sets[i], &same, unused);
        assert_memory_equal(&same, &pairs, sizeof pairs);
    }
    for (uint32_t i = 0; i < pairs.count; i++) {
        pliant_moving_triangle a = triangle_of(s, triangles[pairs.a[i]]),
                               b = triangle_of(s, triangles[pairs.b[i]]);
        if (!pairs.open[i] && pliant_moving_triangle_meet(&a, &b, NULL)) {
            fail_msg("%s: triangles %u and %u meet", what, triangles[pairs.a[i]],
                     triangles[pairs.b[i]]);
        }
        tally[1] += !pairs.open[i];
    }
    tally[0] += pairs.count;
}

static void dropped_pairs_never_meet(void **state)
{
    (void)state;
    static const float shares[3] = {0.125f, 1.0f, 0x1p-12f};
    static const float scales[4] = {1.0f, 0x1p-40f, 0x1p30f, 0x1p-110f};
    for (int family = 0; family < MOVING_FAMILIES; family++) {
        uint64_t tally[2] = {0, 0};
        for (uint32_t i = 0; i < fixture_count(24); i++) {
            static swarm s;
            rng random;
            rng_seed(&random, test_seed() + i);
            float offset = i % 5 == 4 ? 0x1p12f : 0.0f;
            make_swarm(&random, family, shares[i % 3], scales[i / 3 % 4], offset, &s);
            check_swarm(&s, moving_family_name(family), tally);
        }
        print_message("  %-18s %8llu pairs, %5.1f %% dropped\n", moving_family_name(family),
                      (unsigned long long)tally[0], 100.0 * (double)tally[1] / (double)tally[0]);
        assert_true(tally[0] > 0);
        assert_true(family != 0 || 20 * tally[1] > tally[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dropped_pairs_never_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
