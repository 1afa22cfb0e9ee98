#include "numbers.h"

#include <math.h>

/* Taylor polynomials; on |r| <= pi/4 the first term left out is below 2^-57. */
static double sine_near_zero(double r)
{
    static const double coefficients[] = {
        -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,         1.0 / 362880.0,
        -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
    double square = r * r;
    double sum = 0.0;
    for (int i = 6; i >= 0; i--) {
        sum = sum * square + coefficients[i];
    }
    return r + r * (square * sum);
}

static double cosine_near_zero(double r)
{
    static const double coefficients[] = {
        -1.0 / 2.0,       1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,
        -1.0 / 3628800.0, 1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
    double square = r * r;
    double sum = 0.0;
    for (int i = 7; i >= 0; i--) {
        sum = sum * square + coefficients[i];
    }
    return 1.0 + square * sum;
}

/* sin(x + quarter_turns * pi/2). x is reduced by multiples of pi/2, held as a sum of two doubles
   whose first has enough trailing zeros for the product to be exact. */
static double sine_from_quarter(double x, int64_t quarter_turns)
{
    const double high = 1.57079632673412561417e+00;
    const double low = 6.07710050650619224932e-11;
    double turns = floor(x * (2.0 / GALLERY_PI) + 0.5);
    double r = (x - turns * high) - turns * low;
    switch (((int64_t)turns + quarter_turns) & 3) {
    case 0:
        return sine_near_zero(r);
    case 1:
        return cosine_near_zero(r);
    case 2:
        return -sine_near_zero(r);
    default:
        return -cosine_near_zero(r);
    }
}

double gallery_sin(double x)
{
    return sine_from_quarter(x, 0);
}

double gallery_cos(double x)
{
    return sine_from_quarter(x, 1);
}

/* The finaliser of splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

gallery_random gallery_random_seed(uint64_t seed, uint64_t stream)
{
    gallery_random random = {mix(seed + 0x9e3779b97f4a7c15u) ^ mix(~stream)};
    return random;
}

uint64_t gallery_random_bits(gallery_random *random)
{
    random->state += 0x9e3779b97f4a7c15u;
    return mix(random->state);
}

double gallery_random_range(gallery_random *random, double lower, double upper)
{
    double unit = (double)(gallery_random_bits(random) >> 11) * 0x1p-53;
    return lower + unit * (upper - lower);
}

uint32_t gallery_random_below(gallery_random *random, uint32_t bound)
{
    return (uint32_t)(((gallery_random_bits(random) >> 32) * bound) >> 32);
}

void gallery_random_rotation(gallery_random *random, double rotation[3][3])
{
    /* A point drawn from the unit ball of quaternions and pushed onto its surface. */
    double q[4];
    double square;
    do {
        square = 0.0;
        for (int i = 0; i < 4; i++) {
            q[i] = gallery_random_range(random, -1.0, 1.0);
            square += q[i] * q[i];
        }
    } while (square > 1.0 || square < 0.01);
    double scale = 2.0 / square;
    for (int row = 0; row < 3; row++) {
        int next = (row + 1) % 3;
        int last = (row + 2) % 3;
        rotation[row][row] = 1.0 - scale * (q[next] * q[next] + q[last] * q[last]);
        rotation[row][next] = scale * (q[row] * q[next] - q[3] * q[last]);
        rotation[row][last] = scale * (q[row] * q[last] + q[3] * q[next]);
    }
}

uint64_t gallery_hash(const void *data, uint64_t size)
{
    const unsigned char *bytes = data;
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint64_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash;
}
