/*
 * The kernel that finds the closest points of several pairs of triangles side by side, in double,
 * one table per instruction set. All give the same bits, those of pli_triangle_distance().
 */
#ifndef PLI_GEOMETRY_NEAREST_KERNELS_H
#define PLI_GEOMETRY_NEAREST_KERNELS_H

enum { PLI_MEASURED_AT_ONCE = 8 };

/* Pairs of triangles a and b: coordinate k of corner c of pair i, all of them finite. */
typedef struct pli_measured_triangles {
    float a[3][3][PLI_MEASURED_AT_ONCE];
    float b[3][3][PLI_MEASURED_AT_ONCE];
} pli_measured_triangles;

/* Of pair i: the distance, the closest points, and on what they lie: bit c says whether corner c
   has a weight. */
typedef struct pli_measured_gaps {
    double distance[PLI_MEASURED_AT_ONCE];
    double point_a[3][PLI_MEASURED_AT_ONCE], point_b[3][PLI_MEASURED_AT_ONCE];
    unsigned char corners_a[PLI_MEASURED_AT_ONCE], corners_b[PLI_MEASURED_AT_ONCE];
} pli_measured_gaps;

typedef struct pli_nearest_kernels {
    /* Measures the first `count` pairs; the others have to be numbers too. Bit i of what is
       returned is set if pair i is certainly apart; the gaps of the others mean nothing: they may
       touch. */
    unsigned (*measure)(const pli_measured_triangles *triangles, unsigned count,
                        pli_measured_gaps *gaps);
} pli_nearest_kernels;

#endif
