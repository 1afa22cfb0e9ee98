/*
 * The kernel that tells triangles of one body that share a vertex from others and decides most of
 * them: all it says must be what exact arithmetic says, and the same under every instruction set.
 */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "query/neighbours.h"
#include "random.h"
#include "records.h"

enum { VERTICES = 120, FACES = 64 };

/* A mesh that fits one cluster, so that each two of its triangles are candidates for the kernel. */
typedef struct test_knot {
    float rest[3 * VERTICES], now[3 * VERTICES];
    uint32_t faces[3 * FACES];
    uint32_t vertex_count;
    bool seams;    /* vertices are welded in pairs at rest */
    bool ordinary; /* sizes of about 1, near the origin */
} test_knot;

typedef struct knot_family {
    const char *name;
    /* Fills knot->now, with coordinates of about 1. */
    void (*place)(rng *random, test_knot *knot);
    double least_decided; /* the share of neighbours of ordinary size */
} knot_family;

static void place_anywhere(rng *random, test_knot *knot)
{
    for (uint32_t i = 0; i < 3 * knot->vertex_count; i++) {
        knot->now[i] = (float)rng_range(random, -1.0, 1.0);
    }
}

static void place_on_grid(rng *random, test_knot *knot)
{
    for (uint32_t i = 0; i < 3 * knot->vertex_count; i++) {
        knot->now[i] = (float)rng_below(random, 3);
    }
}

/* A smooth surface, as most neighbours are. */
static void place_on_surface(rng *random, test_knot *knot)
{
    for (uint32_t v = 0; v < knot->vertex_count; v++) {
        float *p = knot->now + (size_t)3 * v;
        p[0] = (float)rng_range(random, -1.0, 1.0);
        p[1] = (float)rng_range(random, -1.0, 1.0);
        p[2] = 0.25f * (p[0] * p[0] - p[1] * p[1]) + 0.1f * p[0] * p[1];
    }
}

/* One tilted plane, but for rounding: every determinant is about as large as its error. */
static void place_in_plane(rng *random, test_knot *knot)
{
    float slope[2] = {(float)rng_range(random, -2.0, 2.0), (float)rng_range(random, -2.0, 2.0)};
    for (uint32_t v = 0; v < knot->vertex_count; v++) {
        float *p = knot->now + (size_t)3 * v;
        p[0] = (float)rng_range(random, -1.0, 1.0);
        p[1] = (float)rng_range(random, -1.0, 1.0);
        p[2] = slope[0] * p[0] + slope[1] * p[1];
        for (uint64_t n = rng_below(random, 3); n > 0; n--) {
            p[2] = nextafterf(p[2], rng_below(random, 2) ? 4.0f : -4.0f);
        }
    }
}

/* Half of the vertices lie on others, or within a few units in the last place of them: edges are
   folded flat and layers on top of each other. */
static void place_folded(rng *random, test_knot *knot)
{
    place_anywhere(random, knot);
    for (uint32_t v = knot->vertex_count / 2; v < knot->vertex_count; v++) {
        const float *other = knot->now + 3 * rng_below(random, knot->vertex_count / 2);
        for (int k = 0; k < 3; k++) {
            float x = other[k];
            for (uint64_t n = rng_below(random, 3); n > 0; n--) {
                x = nextafterf(x, rng_below(random, 2) ? 4.0f : -4.0f);
            }
            knot->now[3 * v + (uint32_t)k] = x;
        }
    }
}

/* All vertices on or nearly on a few lines: slivers. */
static void place_on_lines(rng *random, test_knot *knot)
{
    float end[4][2][3];
    for (int i = 0; i < 24; i++) {
        end[i / 6][i / 3 % 2][i % 3] = (float)rng_range(random, -1.0, 1.0);
    }
    for (uint32_t v = 0; v < knot->vertex_count; v++) {
        float(*line)[3] = end[rng_below(random, 4)];
        float t = (float)rng_below(random, 9) / 8.0f;
        for (int k = 0; k < 3; k++) {
            knot->now[3 * v + (uint32_t)k] = line[0][k] + t * (line[1][k] - line[0][k]);
        }
    }
}

static const knot_family families[] = {
    {"anywhere", place_anywhere, 0.9},  {"grid", place_on_grid, 0.0},
    {"surface", place_on_surface, 0.9}, {"one plane", place_in_plane, 0.0},
    {"folded", place_folded, 0.4},      {"slivers", place_on_lines, 0.0},
};

/* Faces at random among so few vertices that many share one or two; some use a vertex twice. */
static void make_knot(rng *random, uint32_t seed, const knot_family *family, test_knot *knot)
{
    static const uint32_t counts[4] = {12, 40, 70, VERTICES};
    knot->vertex_count = counts[seed % 4];
    knot->seams = seed / 4 % 3 == 0;
    for (uint32_t i = 0; i < 3 * FACES; i++) {
        knot->faces[i] = (uint32_t)rng_below(random, knot->vertex_count);
        if (i % 3 != 0 && rng_below(random, 20) != 0) {
            while (knot->faces[i] == knot->faces[i - 1] ||
                   knot->faces[i] == knot->faces[i - i % 3]) {
                knot->faces[i] = (uint32_t)rng_below(random, knot->vertex_count);
            }
        }
    }
    family->place(random, knot);
    /* Sizes and places at which bounds that are not in proportion would show. */
    static const int exponents[5] = {0, -24, 36, -120, 0};
    uint32_t kind = seed / 12 % 5;
    float scale = ldexpf(1.0f, exponents[kind]), offset = kind == 4 ? 4096.0f : 0.0f;
    knot->ordinary = kind == 0;
    for (uint32_t i = 0; i < 3 * knot->vertex_count; i++) {
        knot->now[i] = scale * knot->now[i] + offset;
        knot->rest[i] = knot->seams ? (float)(i / 6) : (float)(i / 3);
        if (knot->seams && i % 6 >= 3 && rng_below(random, 8) != 0) {
            knot->now[i] = knot->now[i - 3]; /* most seams hold, in some coordinates at least */
        }
    }
}

/* What the kernel made of all candidates of a cluster with itself. */
typedef struct outcome {
    uint32_t candidates, strangers;
    uint8_t slot_a[PLI_CANDIDATES], slot_b[PLI_CANDIDATES];
    pli_neighbour_pairs kept;
} outcome;

static void run_kernel(const recorded *knot_record, pliant_isa isa, pli_neighbour_rule rule,
                       outcome *found)
{
    const pliant_shape *shape = knot_record->shape;
    const pli_pair_kernels *kernels = pli_kernels_for(isa)->pair;
    uint32_t names[3 * PLI_CLUSTER_SLOTS];
    pli_cluster_record *record = knot_record->record[0];
    for (uint32_t i = 0; i < record->stride; i++) {
        names[i] = shape->welded[shape->cluster_vertices[i]];
    }
    pli_named_triangles named = {{record, shape->slot_corners}, names};
    found->candidates = kernels->list_candidates(record, record, found->slot_a, found->slot_b);
    found->strangers = kernels->separate_neighbours(&named, found->slot_a, &named, found->slot_b,
                                                    found->candidates, &rule, &found->kept);
}

static void corners_of(const test_knot *knot, uint32_t triangle, float corner[3][3])
{
    for (int c = 0; c < 3; c++) {
        memcpy(corner[c], knot->now + (size_t)3 * knot->faces[3 * triangle + (uint32_t)c],
               sizeof corner[c]);
    }
}

/* Whether two triangles share a vertex. */
static bool share(const pliant_shape *shape, const test_knot *knot, uint32_t s, uint32_t t)
{
    for (int i = 0; i < 9; i++) {
        uint32_t p = knot->faces[3 * s + (uint32_t)i / 3], q = knot->faces[3 * t + (uint32_t)i % 3];
        const float *x = knot->now + (size_t)3 * p, *y = knot->now + (size_t)3 * q;
        if (shape->welded[p] == shape->welded[q] && x[0] == y[0] && x[1] == y[1] && x[2] == y[2]) {
            return true;
        }
    }
    return false;
}

enum { DROPPED, STRANGER, TOUCH, UNSURE };

/* Where each candidate went, by its two slots. */
static void tabulate(const outcome *found, uint8_t where[FACES][FACES])
{
    memset(where, DROPPED, FACES * FACES);
    for (uint32_t i = 0; i < found->strangers; i++) {
        where[found->slot_a[i]][found->slot_b[i]] = STRANGER;
    }
    for (uint32_t i = 0; i < found->kept.count; i++) {
        where[found->kept.slot_a[i]][found->kept.slot_b[i]] = found->kept.touch[i] ? TOUCH : UNSURE;
    }
}

typedef struct verdict_tally {
    uint64_t neighbours, touching, undecided;
} verdict_tally;

static void check_one(const recorded *plain, const test_knot *knot, pliant_neighbours rule,
                      bool moderate, const char *what, verdict_tally *tally)
{
    static outcome all, found;
    uint8_t where[FACES][FACES];
    const pliant_shape *shape = plain->shape;
    const pli_cluster_record *record = plain->record[0];
    pli_neighbour_rule asked = {rule, knot->seams, moderate};
    all.candidates = pli_kernels_for(PLIANT_ISA_PLAIN)
                         ->pair->list_candidates(record, record, all.slot_a, all.slot_b);
    run_kernel(plain, PLIANT_ISA_PLAIN, asked, &found);
    assert_int_equal(found.candidates, all.candidates);
    tabulate(&found, where);
    uint32_t strangers = 0;
    for (uint32_t i = 0; i < all.candidates; i++) {
        uint8_t at = where[all.slot_a[i]][all.slot_b[i]];
        uint32_t s = shape->slot_triangles[all.slot_a[i]], t = shape->slot_triangles[all.slot_b[i]];
        float a[3][3], b[3][3];
        corners_of(knot, s, a);
        corners_of(knot, t, b);
        if (!share(shape, knot, s, t)) {
            assert_int_equal(at, STRANGER);
            assert_int_equal(found.slot_a[strangers], all.slot_a[i]); /* in their old order */
            assert_int_equal(found.slot_b[strangers++], all.slot_b[i]);
            continue;
        }
        bool truth =
            pli_touch_self(shape, s, t, (const float(*)[3])a, (const float(*)[3])b, rule, NULL);
        if (at == STRANGER || (at == TOUCH && !truth) || (at == DROPPED && truth)) {
            fail_msg("%s, rule %d: triangles %u and %u: verdict %d, but the truth is %d", what,
                     (int)rule, s, t, at, truth);
        }
        tally->neighbours++;
        tally->touching += truth;
        tally->undecided += at == UNSURE;
    }
    assert_int_equal(found.strangers, strangers);
}

/* The kernel of another set, on records of its own. */
static void check_same(const recorded *plain, const recorded *other, pliant_isa isa,
                       pli_neighbour_rule rule)
{
    static outcome expected, found;
    run_kernel(plain, PLIANT_ISA_PLAIN, rule, &expected);
    run_kernel(other, isa, rule, &found);
    assert_int_equal(found.strangers, expected.strangers);
    assert_memory_equal(found.slot_a, expected.slot_a, expected.strangers);
    assert_memory_equal(found.slot_b, expected.slot_b, expected.strangers);
    assert_int_equal(found.kept.count, expected.kept.count);
    assert_memory_equal(found.kept.slot_a, expected.kept.slot_a, expected.kept.count);
    assert_memory_equal(found.kept.slot_b, expected.kept.slot_b, expected.kept.count);
    assert_memory_equal(found.kept.touch, expected.kept.touch, expected.kept.count);
}

/* One knot under every rule and every set; verdicts on neighbours of ordinary size are counted. */
static void check_knot(const test_knot *knot, const char *what, verdict_tally *tally)
{
    gallery_mesh mesh = {.positions = (float *)knot->rest,
                         .triangles = (uint32_t *)knot->faces,
                         .vertex_count = knot->vertex_count,
                         .triangle_count = FACES};
    pliant_isa sets[3];
    int set_count = other_sets(sets);
    recorded other[3], plain = record_all(&mesh, knot->now, fixture_usual_tree, PLIANT_ISA_PLAIN);
    assert_int_equal(plain.shape->cluster_count, 1);
    for (int i = 0; i < set_count; i++) {
        other[i] = record_all(&mesh, knot->now, fixture_usual_tree, sets[i]);
    }
    for (int r = 0; r < 3; r++) {
        verdict_tally unused = {0};
        pli_neighbour_rule rule = {(pliant_neighbours)r, knot->seams, true};
        bool counts = rule.rule == PLIANT_NEIGHBOURS_BEYOND_SHARED && knot->ordinary;
        check_one(&plain, knot, rule.rule, true, what, counts ? tally : &unused);
        check_one(&plain, knot, rule.rule, false, what, &unused);
        for (int i = 0; i < set_count; i++) {
            check_same(&plain, &other[i], sets[i], rule);
        }
    }
    for (int i = 0; i < set_count; i++) {
        recorded_free(&other[i]);
    }
    recorded_free(&plain);
}

static void check_family(const knot_family *family)
{
    verdict_tally tally = {0};
    uint32_t count = 20 * fixture_count(18);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t seed = 7 * i; /* few of them are of all kinds too */
        static test_knot knot;
        char what[80];
        rng random;
        rng_seed(&random, seed + 1);
        make_knot(&random, seed, family, &knot);
        snprintf(what, sizeof what, "%s, seed %u", family->name, seed);
        check_knot(&knot, what, &tally);
    }
    double decided = 1.0 - (double)tally.undecided / (double)tally.neighbours;
    print_message("  %-10s %8llu neighbours, %5.1f %% have more in common, %5.1f %% decided\n",
                  family->name, (unsigned long long)tally.neighbours,
                  100.0 * (double)tally.touching / (double)tally.neighbours, 100.0 * decided);
    assert_true(tally.neighbours > 0 && tally.touching > 0);
    assert_true(decided >= family->least_decided);
}

static void verdicts_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        check_family(&families[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts_are_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
