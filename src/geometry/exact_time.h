/*
 * Times in [0, 1] as roots of polynomials. The variable is u = 2^shift t / (1 - t), which rises
 * from 0 at t = 0 and is beyond all numbers at t = 1; moving_exact.h has the reason.
 */
#ifndef PLI_GEOMETRY_EXACT_TIME_H
#define PLI_GEOMETRY_EXACT_TIME_H

#include "root.h"

typedef struct pli_exact_time {
    pli_roots roots; /* values of u */
    int root;        /* the one that is meant; it is not below 0 */
    int shift;
} pli_exact_time;

/* The value of u at a time in [0, 1]. */
void pli_time_set_fraction(pli_fraction *x, double time, int shift);

/* Doubles around a time: at most 2^-40 apart, and equal only if the time is one. */
void pli_time_enclose(const pli_exact_time *time, double *low, double *high);

/* The largest float32 below a time; `low` is below it, `high` is not below `low`. All three are in
   [0, 1]. */
float pli_time_float_below(const pli_exact_time *time, float low, float high);

/* The sign of a - b. Changes the form of one or both if their shifts differ. */
int pli_time_compare(pli_exact_time *a, pli_exact_time *b);

#endif
