/* A rival for the distance of two triangles: every pair of features measured, in double. */
#ifndef LAB_BASELINES_PLAIN_DISTANCE_H
#define LAB_BASELINES_PLAIN_DISTANCE_H

#include "pliant/triangle.h"

/* The distance of two triangles that do not touch. */
double plain_distance(const pliant_triangle *a, const pliant_triangle *b);

#endif
