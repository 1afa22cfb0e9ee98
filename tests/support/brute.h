/* Brute force: every triangle against every other, with the exact test and nothing else. */
#ifndef PLIANT_TESTS_BRUTE_H
#define PLIANT_TESTS_BRUTE_H

#include "pliant/pliant.h"

/* A triangle mesh in a state, as brute force sees it. */
typedef struct brute_body {
    const float *positions; /* 3 per vertex */
    const uint32_t *triangles;
    uint32_t vertex_count, triangle_count;
} brute_body;

/* A growing list of pairs, ascending. */
typedef struct brute_pairs {
    pliant_pair *pairs;
    size_t count, capacity;
} brute_pairs;

void brute_add(brute_pairs *list, uint32_t a, uint32_t b);
void brute_free(brute_pairs *list);

/* All touching pairs of two bodies. */
void brute_collide(const brute_body *a, const brute_body *b, brute_pairs *list);

/*
 * All touching pairs within one body, under the rule for neighbours; `rest` decides which vertices
 * are welded (equal rest positions), NULL for none.
 */
void brute_collide_self(const brute_body *body, const float *rest, pliant_neighbours rule,
                        brute_pairs *list);

/* Whether an answer is the list; prints the first difference if not. */
bool brute_equal(const brute_pairs *list, const pliant_contacts *contacts, const char *what);

#endif
