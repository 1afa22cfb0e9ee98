/* Random numbers for tests: 64 bits of state, the same on every machine. */
#ifndef PLIANT_TESTS_RANDOM_H
#define PLIANT_TESTS_RANDOM_H

#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

static inline void rng_seed(rng *r, uint64_t seed)
{
    r->state = seed * UINT64_C(0xd1342543de82ef95) + 1;
}

/* A counter with a bijective mixer (splitmix64). */
static inline uint64_t rng_u64(rng *r)
{
    uint64_t x = r->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* In [0, n), n > 0. The bias of n / 2^64 does not matter here. */
static inline uint64_t rng_below(rng *r, uint64_t n)
{
    return rng_u64(r) % n;
}

/* In [0, 1). */
static inline double rng_unit(rng *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

static inline double rng_range(rng *r, double lo, double hi)
{
    return lo + (hi - lo) * rng_unit(r);
}

#endif
