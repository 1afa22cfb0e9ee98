/* Pairs of triangles for tests, by family, and what tests of them share. */
#ifndef PLIANT_TESTS_TRIANGLE_CASES_H
#define PLIANT_TESTS_TRIANGLE_CASES_H

#include <stdint.h>

#include "random.h"

/* Two triangles, as internal functions take them; as_triangle() gives them to public ones. */
typedef struct triangle_pair {
    float a[3][3], b[3][3];
} triangle_pair;

typedef struct triangle_family {
    const char *name;
    void (*make)(rng *r, triangle_pair *pair);
} triangle_family;

extern const triangle_family triangle_families[];
extern const int triangle_family_count;

/* Case number `index` of a family. The same numbers give the same pair everywhere. */
void triangle_case(triangle_pair *pair, const triangle_family *family, uint64_t seed,
                   uint64_t index);

/* Prints a pair in hexadecimal, with the family, seed and case that made it. */
void triangle_print(const triangle_pair *pair, const char *family, uint64_t seed, uint64_t index);

/* `count` times the environment's PLIANT_TEST_SCALE, which is 1 unless set; at least 1. */
uint64_t scaled_count(uint64_t count);
double test_scale(void);

/* The environment's PLIANT_TEST_SEED, to replay a failure; 1 unless set. */
uint64_t test_seed(void);

#endif
