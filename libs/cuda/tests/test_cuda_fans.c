/*
 * Neighbours that are told apart many at a time. Wherever a device says of a vertex that the
 * triangles round it are no contacts, the exact test says so of each two of them, and lists are
 * those of the core: for fans that are folded, wound twice round, flat, degenerate, of any size and
 * far away.
 */
#include "fan_fixture.h"

#include <math.h>
#include <stdio.h>

enum { FANS = 12, MOST_POINTS = 13 };

typedef enum family {
    CONE,
    ALMOST_FLAT,
    WHOLE,      /* on a plane, on few places */
    FOLDED,     /* one step back */
    SHUFFLED,   /* many */
    TWICE,      /* wound twice round, or up to that */
    COINCIDENT, /* two points in one place */
    COLLINEAR,  /* two points on one line with the centre */
    THIN,       /* on a plane, one triangle next to nothing, one way round or the other */
    ANYHOW,
    FULL_TURN,   /* open, the last point in the direction of the first */
    ALMOST_FULL, /* open, and nearly so */
    FAMILIES
} family;

static const char *const family_names[FAMILIES] = {
    "cone",       "almost flat", "whole", "folded", "shuffled",  "twice",
    "coincident", "collinear",   "thin",  "anyhow", "full turn", "almost full"};

/* The fans of a mesh. */
typedef struct fans {
    fan_surface s;
    uint32_t count[FANS], points[FANS], centre[FANS]; /* triangles, the ring's vertices */
    bool closes[FANS];
} fans;

static fans make_fans(uint32_t least, rng *r)
{
    fans f = {.s = fan_surface_create(FANS * (MOST_POINTS + 1), FANS * MOST_POINTS)};
    uint32_t vertices = 0, triangles = 0;
    for (uint32_t i = 0; i < FANS; i++) {
        f.closes[i] = rng_below(r, 2) == 0;
        f.count[i] = least + (uint32_t)rng_below(r, 13 - least);
        f.points[i] = f.count[i] + !f.closes[i];
        f.centre[i] = vertices;
        for (uint32_t k = 0; k < f.count[i]; k++) {
            uint32_t *t = f.s.mesh.triangles + 3 * (size_t)triangles++;
            t[k % 3] = vertices;
            t[(k + 1) % 3] = vertices + 1 + k;
            t[(k + 2) % 3] = vertices + 1 + (k + 1) % f.points[i];
        }
        vertices += 1 + f.points[i];
    }
    f.s.mesh.vertex_count = vertices;
    f.s.mesh.triangle_count = triangles;
    for (size_t i = 0; i < 3 * (size_t)vertices; i++) {
        f.s.mesh.positions[i] = (float)rng_unit(r);
    }
    return f;
}

/* Points of a cone that turns by `span` in so many steps. */
static void place_cone(double p[][3], uint32_t points, double step, double wobble, double height,
                       rng *r)
{
    for (uint32_t i = 0; i < points; i++) {
        double angle = (i + wobble * rng_range(r, -0.3, 0.3)) * step;
        double length = rng_range(r, 0.25, 0.5);
        p[i][0] = length * cos(angle), p[i][1] = length * sin(angle), p[i][2] = length * height;
    }
}

/* Exchanges a point with the next one. */
static void fold(double p[][3], uint32_t i)
{
    for (int k = 0; k < 3; k++) {
        double kept = p[i][k];
        p[i][k] = p[i + 1][k], p[i + 1][k] = kept;
    }
}

static void set_multiple(double to[3], const double from[3], double factor)
{
    for (int k = 0; k < 3; k++) {
        to[k] = factor * from[k];
    }
}

/* Multiples of 1 / cells. */
static void round_points(double p[][3], uint32_t points, double cells)
{
    for (uint32_t i = 0; i < 3 * points; i++) {
        p[i / 3][i % 3] = rint(p[i / 3][i % 3] * cells) / cells;
    }
}

/* Turns points about two axes. */
static void turn_points(double p[][3], uint32_t points, rng *r)
{
    for (int axis = 0; axis < 2; axis++) {
        double angle = rng_range(r, -4.0, 4.0), c = cos(angle), s = sin(angle);
        for (uint32_t i = 0; i < points; i++) {
            double x = p[i][axis], y = p[i][axis + 1];
            p[i][axis] = c * x - s * y, p[i][axis + 1] = s * x + c * y;
        }
    }
}

/* Where the ring of a fan is about its centre; coordinates of at most 1. */
static void place_ring(double p[][3], uint32_t count, bool closes, family kind, double cells,
                       rng *r)
{
    static const double tau = 6.283185307179586;
    uint32_t points = count + !closes;
    uint32_t one = (uint32_t)rng_below(r, points), other = (uint32_t)rng_below(r, points);
    double span = closes ? tau : fmin(rng_range(r, 0.5, 6.2), 2.4 * count);
    bool plain = kind == FOLDED || kind == TWICE;
    span = kind == TWICE ? (closes ? 2.0 * tau : rng_range(r, 6.4, 12.5)) : span;
    span = kind == ALMOST_FULL ? tau * (1.0 + rng_range(r, -1e-6, 1e-6)) : span;
    double height = kind == THIN          ? 0.0
                    : kind == ALMOST_FLAT ? rng_range(r, -1e-6, 1e-6)
                                          : rng_range(r, -0.8, 0.8);
    place_cone(p, points, span / count, plain || kind == ALMOST_FULL ? 0.0 : 1.0, height, r);
    for (uint32_t i = 0; i < 3 * points && (kind == WHOLE || kind == ANYHOW); i++) {
        p[i / 3][i % 3] = kind == ANYHOW ? rng_range(r, -0.5, 0.5)
                          : i % 3 == 2   ? 0.0
                                         : ((double)rng_below(r, 9) - 4.0) / 8.0;
    }
    for (uint32_t k = 0; k < (kind == SHUFFLED ? 4u : kind == FOLDED ? 1u : 0u); k++) {
        fold(p, 1 + (uint32_t)rng_below(r, points - 3));
    }
    if (kind != WHOLE && kind != THIN && rng_below(r, 3) > 0) {
        turn_points(p, points, r);
    }
    if (cells > 0.0 && kind != THIN) {
        round_points(p, points, cells);
    }
    if (kind == COINCIDENT || kind == COLLINEAR) {
        static const double factors[] = {-1.0, -0.5, 0.5, 1.0};
        set_multiple(p[one], p[other], kind == COINCIDENT ? 1.0 : factors[rng_below(r, 4)]);
    } else if (kind == THIN) {
        one = (uint32_t)rng_below(r, points - 1);
        set_multiple(p[one + 1], p[one], rng_range(r, 0.7, 1.3));
    } else if (kind == FULL_TURN) {
        set_multiple(p[points - 1], p[0], rng_below(r, 2) == 0 ? 1.0 : 0.5);
    }
}

/* What a mesh of fans is given. */
typedef struct placing {
    family kind;
    double scale, away, cells;
} placing;

static void place_fans(fans *f, const placing *as, rng *r)
{
    for (uint32_t i = 0; i < FANS; i++) {
        double p[MOST_POINTS + 1][3] = {{0.0}}, centre[3];
        place_ring(p + 1, f->count[i], f->closes[i], as->kind, as->cells, r);
        for (int k = 0; k < 3; k++) {
            centre[k] = as->away * rng_range(r, -1.0, 1.0);
        }
        for (uint32_t v = 0; v < 3 * (f->points[i] + 1); v++) {
            f->s.positions[3 * (size_t)f->centre[i] + v] =
                (float)(as->scale * (centre[v % 3] + p[v / 3][v % 3]));
        }
    }
}

/* Sets them, moved by transforms where this cannot make them infinite. */
static void set_fans(cuda_twin *t, const fans *f, uint32_t moves, rng *r)
{
    float turned[12], world[12];
    model_random_transform(r, 0.3, turned);
    model_random_transform(r, 0.3, world);
    pliant_state state = {.positions = f->s.positions};
    if ((moves & 1) != 0) {
        state.transforms = turned;
        state.transform_count = 1;
    }
    state.world = (moves & 2) != 0 ? world : NULL;
    cuda_twin_set(t, 0, &state);
}

/* What came of a family. */
typedef struct tally {
    uint64_t fans, settled, touching;
} tally;

static void count_fans(tally *sum, const fans *f)
{
    uint32_t welded[FANS * (MOST_POINTS + 1)];
    for (uint32_t v = 0; v < f->s.mesh.vertex_count; v++) {
        welded[v] = v;
    }
    for (uint32_t i = 0; i < FANS; i++) {
        sum->fans++;
        sum->settled += f->s.settled[f->centre[i]];
        sum->touching += fan_contacts(&f->s, welded, f->centre[i]) > 0;
    }
}

static void test_single_fans(void **state)
{
    (void)state;
    static const int exponents[] = {-140, -126, -66, -20, 0, 0, 0, 15, 38, 50, 100, 127};
    static const double cells[] = {0.0, 0.0, 64.0, 4.0};
    static const double away[] = {0.0, 0.0, 0x1p-8, 1.0, 1024.0, 0x1p20, 0x1p24};
    uint32_t runs = fixture_at_least(480, 3600);
    tally plain[FAMILIES] = {{0, 0, 0}}, all[FAMILIES] = {{0, 0, 0}};
    for (uint32_t run = 0; run < runs; run++) {
        rng r;
        rng_seed(&r, 7000 + run);
        int exponent = exponents[rng_below(&r, 12)];
        placing p = {.kind = (family)(run % FAMILIES),
                     .scale = 1.75 * ldexp(1.0, exponent),
                     .away = exponent > 100 ? 0.0 : away[rng_below(&r, 7)],
                     .cells = cells[rng_below(&r, 4)]};
        uint32_t moves = exponent > 100 ? 0 : (uint32_t)rng_below(&r, 6);
        bool winds = p.kind == FOLDED || p.kind == SHUFFLED || p.kind == TWICE;
        fans f = make_fans(winds ? 5 : 3, &r);
        cuda_twin t = fan_twin_create(&f.s, (moves & 1) != 0, rng_below(&r, 3) * rng_u64(&r));
        char what[80];
        (void)snprintf(what, sizeof what, "fans %u, %s", run, family_names[p.kind]);
        place_fans(&f, &p, &r);
        set_fans(&t, &f, moves, &r);
        if (fan_assert_sound(&t, &f.s, what)) {
            count_fans(&all[p.kind], &f);
            if (p.away == 0.0 && p.cells == 0.0 && exponent >= -20 && exponent <= 38) {
                count_fans(&plain[p.kind], &f);
            }
        }
        cuda_twin_destroy(&t);
        fan_surface_destroy(&f.s);
    }
    for (int k = 0; k < FAMILIES; k++) {
        print_message("  %-12s of %6llu fans %6llu touch, %6llu are settled\n", family_names[k],
                      (unsigned long long)all[k].fans, (unsigned long long)all[k].touching,
                      (unsigned long long)all[k].settled);
    }
    assert_true(plain[CONE].settled * 2 >= plain[CONE].fans);
    assert_true(plain[FOLDED].settled == 0 && plain[TWICE].settled == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_fans),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
