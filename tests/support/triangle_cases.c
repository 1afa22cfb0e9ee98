#include "triangle_cases.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float *coordinate(triangle_pair *pair, int i)
{
    return i < 9 ? &pair->a[i / 3][i % 3] : &pair->b[(i - 9) / 3][i % 3];
}

static void fill_uniform(rng *r, triangle_pair *pair, double offset, double size)
{
    for (int i = 0; i < 18; ++i) {
        *coordinate(pair, i) = (float)(offset + size * rng_unit(r));
    }
}

static void make_metre(rng *r, triangle_pair *pair)
{
    fill_uniform(r, pair, 0.0, 1.0);
}

static void make_centimetre(rng *r, triangle_pair *pair)
{
    fill_uniform(r, pair, -0.005, 0.01);
}

static void make_millimetre(rng *r, triangle_pair *pair)
{
    fill_uniform(r, pair, 0.0, 0.001);
}

static void make_far_away(rng *r, triangle_pair *pair)
{
    fill_uniform(r, pair, 1000.0, rng_below(r, 2) ? 1.0 : 0.001);
}

static void fill_grid(rng *r, triangle_pair *pair, int size, float unit)
{
    for (int i = 0; i < 18; ++i) {
        *coordinate(pair, i) = (float)((int)rng_below(r, (uint64_t)size) - size / 2) * unit;
    }
}

static void make_integer_grid(rng *r, triangle_pair *pair)
{
    fill_grid(r, pair, 3 + (int)rng_below(r, 8), 1.0f);
}

static void make_decimal_grid(rng *r, triangle_pair *pair)
{
    static const float units[] = {0.1f, 0.01f, 0.3f};
    fill_grid(r, pair, 3 + (int)rng_below(r, 8), units[rng_below(r, 3)]);
}

/* A corner of b is put on a: exactly where 16-bit coordinates allow it, else rounded. */
static void make_vertex_on_face(rng *r, triangle_pair *pair)
{
    bool exact = rng_below(r, 2);
    for (int i = 0; i < 18; ++i) {
        double x = rng_range(r, -1.0, 1.0);
        *coordinate(pair, i) = (float)(exact ? rint(x * 4096.0) / 4096.0 : x);
    }
    double weight[3];
    weight[0] = (double)rng_below(r, 17);
    weight[1] = (double)rng_below(r, (uint64_t)(17.0 - weight[0]));
    weight[2] = 16.0 - weight[0] - weight[1];
    for (int k = 0; k < 3; ++k) {
        double x = 0.0;
        for (int i = 0; i < 3; ++i) {
            x += weight[i] / 16.0 * (double)pair->a[i][k];
        }
        pair->b[0][k] = (float)x;
    }
}

/* Corners in common; in half of the pairs one is moved by one unit in the last place. */
static void make_shared(rng *r, triangle_pair *pair)
{
    fill_uniform(r, pair, -1.0, 2.0);
    int shared = 1 + (int)rng_below(r, 2);
    int turn_a = (int)rng_below(r, 3);
    int turn_b = (int)rng_below(r, 3);
    for (int i = 0; i < shared; ++i) {
        memcpy(pair->b[(i + turn_b) % 3], pair->a[(i + turn_a) % 3], sizeof pair->b[0]);
    }
    if (rng_below(r, 2)) {
        float *x = &pair->b[turn_b][rng_below(r, 3)];
        *x = nextafterf(*x, rng_below(r, 2) ? 2.0f : -2.0f);
    }
}

/* All corners in one tilted plane: origin + i u + j v with few bits, so that nothing is rounded. */
static void make_coplanar(rng *r, triangle_pair *pair)
{
    double origin[3];
    double u[3];
    double v[3];
    for (int k = 0; k < 3; ++k) {
        origin[k] = (double)rng_below(r, 1024);
        u[k] = (double)rng_below(r, 255) - 127.0;
        v[k] = (double)rng_below(r, 255) - 127.0;
    }
    uint64_t size = 4 + rng_below(r, 60);
    for (int c = 0; c < 6; ++c) {
        double i = (double)rng_below(r, size);
        double j = (double)rng_below(r, size);
        for (int k = 0; k < 3; ++k) {
            *coordinate(pair, 3 * c + k) = (float)((origin[k] + i * u[k] + j * v[k]) * 0x1p-10);
        }
    }
}

/* Two sheets 0.1 mm apart, rough by about as much, tilted a little. */
static void make_sheets(rng *r, triangle_pair *pair)
{
    double slope = rng_range(r, -0.5, 0.5);
    double rough = rng_below(r, 2) ? 1e-4 : 1e-6;
    for (int c = 0; c < 6; ++c) {
        double x = rng_range(r, 0.0, 0.01);
        double y = rng_range(r, 0.0, 0.01);
        double z = slope * x + (c < 3 ? 0.0 : 1e-4 * (double)rng_below(r, 2));
        *coordinate(pair, 3 * c) = (float)x;
        *coordinate(pair, 3 * c + 1) = (float)y;
        *coordinate(pair, 3 * c + 2) = (float)(z + rng_range(r, -rough, rough));
    }
}

static float float_from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void make_any_bits(rng *r, triangle_pair *pair)
{
    for (int i = 0; i < 18; ++i) {
        float x;
        do {
            x = float_from_bits((uint32_t)rng_u64(r));
        } while (!isfinite(x));
        *coordinate(pair, i) = x;
    }
}

static void make_subnormal(rng *r, triangle_pair *pair)
{
    uint64_t limit = rng_below(r, 2) ? 8 : 1u << 23;
    for (int i = 0; i < 18; ++i) {
        uint32_t sign = (uint32_t)rng_below(r, 2) << 31;
        *coordinate(pair, i) = float_from_bits(sign | (uint32_t)rng_below(r, limit));
    }
}

static void make_near_largest(rng *r, triangle_pair *pair)
{
    bool grid = rng_below(r, 2);
    for (int i = 0; i < 18; ++i) {
        float x = grid ? 0x1p126f * (float)rng_below(r, 4)
                       : float_from_bits(0x7f7fffffu - (uint32_t)rng_below(r, 1u << 25));
        *coordinate(pair, i) = rng_below(r, 2) ? x : -x;
    }
}

/* Segments and points given as triangles, exactly: third corners at dyadic places on the line. */
static void make_degenerate(rng *r, triangle_pair *pair)
{
    fill_grid(r, pair, 9, 0.25f);
    for (int t = 0; t < 2; ++t) {
        float(*c)[3] = t == 0 ? pair->a : pair->b;
        uint64_t kind = rng_below(r, 4);
        float place = (float)rng_below(r, 9) * 0.5f - 2.0f;
        for (int k = 0; k < 3; ++k) {
            if (kind < 2) {
                c[2][k] = c[0][k] + place * (c[1][k] - c[0][k]);
            } else if (kind == 2) {
                c[1][k] = c[0][k];
            }
        }
    }
    if (rng_below(r, 2)) {
        memcpy(pair->b[rng_below(r, 3)], pair->a[rng_below(r, 3)], sizeof pair->b[0]);
    }
}

/* Contacts of a grid whose axes are scaled apart, beyond the reach of 128-bit integers. */
static void make_stretched(rng *r, triangle_pair *pair)
{
    fill_grid(r, pair, 4, 1.0f);
    for (int k = 0; k < 3; ++k) {
        float scale = ldexpf(1.0f, (int)rng_below(r, 250) - 145);
        for (int c = 0; c < 6; ++c) {
            *coordinate(pair, 3 * c + k) *= scale;
        }
    }
}

/* Contacts of a grid, some coordinates moved by one unit in the last place. */
static void make_jittered(rng *r, triangle_pair *pair)
{
    fill_grid(r, pair, 5, 0.7f);
    for (int i = 0; i < 18; ++i) {
        float *x = coordinate(pair, i);
        uint64_t move = rng_below(r, 8);
        *x = move == 0 ? nextafterf(*x, 2.0f) : (move == 1 ? nextafterf(*x, -2.0f) : *x);
    }
}

/* Needles with a corner so near the line of the others that double arithmetic does not see where
   the normal points: two corners on a line through the origin, the third beside the origin. */
static void make_needle(rng *r, triangle_pair *pair)
{
    int axis = (int)rng_below(r, 3);
    float line[3];
    float tiny = ldexpf(1.0f, -(int)rng_below(r, 12) - 46);
    for (int k = 0; k < 3; ++k) {
        line[k] = k == axis ? 0.0f : (float)(1 + rng_below(r, 2000));
        pair->a[0][k] = k == axis ? 0x1p-80f : tiny * line[k];
        pair->a[1][k] = 17.0f * line[k];
        pair->a[2][k] = 71.0f * line[k];
    }
    for (int c = 0; c < 3; ++c) {
        const float *corner = pair->a[rng_below(r, 3)];
        uint64_t kind = rng_below(r, 4);
        for (int k = 0; k < 3; ++k) {
            pair->b[c][k] = kind < 2    ? corner[k]
                            : kind == 2 ? 31.0f * line[k]
                                        : (float)rng_below(r, 3) - 1.0f;
        }
        if (kind == 1) {
            pair->b[c][axis] = rng_below(r, 2) ? 0x1p-81f : -0x1p-81f;
        }
    }
}

const triangle_family triangle_families[] = {
    {"1 m", make_metre},
    {"1 cm", make_centimetre},
    {"1 mm", make_millimetre},
    {"offset 1000", make_far_away},
    {"integer grid", make_integer_grid},
    {"decimal grid", make_decimal_grid},
    {"vertex on face", make_vertex_on_face},
    {"shared vertex or edge", make_shared},
    {"coplanar tilted", make_coplanar},
    {"sheets 0.1 mm apart", make_sheets},
    {"any finite bits", make_any_bits},
    {"subnormal", make_subnormal},
    {"near FLT_MAX", make_near_largest},
    {"degenerate", make_degenerate},
    {"stretched grid", make_stretched},
    {"jittered grid", make_jittered},
    {"needles", make_needle},
};

const int triangle_family_count = (int)(sizeof triangle_families / sizeof triangle_families[0]);

void triangle_case(triangle_pair *pair, const triangle_family *family, uint64_t seed,
                   uint64_t index)
{
    rng r;
    rng_seed(&r, seed + 1000003u * (uint64_t)(family - triangle_families));
    r.state = rng_u64(&r) ^ index;
    r.state = rng_u64(&r); /* mixed, so that the streams of neighbouring cases do not overlap */
    family->make(&r, pair);
}

void triangle_print(const triangle_pair *pair, const char *family, uint64_t seed, uint64_t index)
{
    fprintf(stderr, "family \"%s\", PLIANT_TEST_SEED=%llu, case %llu\n", family,
            (unsigned long long)seed, (unsigned long long)index);
    for (int i = 0; i < 3; ++i) {
        fprintf(stderr, "  a%d  %a %a %a\n", i, pair->a[i][0], pair->a[i][1], pair->a[i][2]);
    }
    for (int i = 0; i < 3; ++i) {
        fprintf(stderr, "  b%d  %a %a %a\n", i, pair->b[i][0], pair->b[i][1], pair->b[i][2]);
    }
}

double test_scale(void)
{
    const char *text = getenv("PLIANT_TEST_SCALE");
    double scale = text != NULL ? strtod(text, NULL) : 1.0;
    return scale > 0.0 ? scale : 1.0;
}

uint64_t scaled_count(uint64_t count)
{
    double scaled = (double)count * test_scale();
    return scaled < 1.0 ? 1 : (uint64_t)scaled;
}

uint64_t test_seed(void)
{
    const char *text = getenv("PLIANT_TEST_SEED");
    return text != NULL ? strtoull(text, NULL, 0) : 1;
}
