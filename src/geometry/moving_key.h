/* Pairs of features that meet at one time because one pair is a copy of the other. */
#ifndef PLI_GEOMETRY_MOVING_KEY_H
#define PLI_GEOMETRY_MOVING_KEY_H

#include "moving_exact.h"

/*
 * Equal for the same features, in whatever order their points are given, and for copies that are
 * translated or scaled by powers of two along the axes. Such pairs meet at the same time.
 */
typedef struct pli_moving_key {
    double part[2][2][3][3]; /* exact differences of points: high and low part, end, point, axis */
    uint64_t edges;
} pli_moving_key;

void pli_moving_key_set(pli_moving_key *key, const pli_moving_points *points);

bool pli_moving_key_equal(const pli_moving_key *a, const pli_moving_key *b);

/* Equal for equal keys. */
uint64_t pli_moving_key_hash(const pli_moving_key *key);

#endif
