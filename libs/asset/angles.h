/*
 * Angles up to a right one by nothing but sums, products, quotients and roots: C libraries differ in
 * the last digits of their functions, and a pose is the same on every machine.
 */
#ifndef PLI_ASSET_ANGLES_H
#define PLI_ASSET_ANGLES_H

#include <math.h>

/* The sine of 0 to pi/2, by its series, whose next term is below 1e-17 there. */
static inline double pli_sine(double angle)
{
    double squared = angle * angle, sum = 1.0;
    for (int k = 21; k >= 3; k -= 2) {
        sum = 1.0 - sum * squared / (double)(k * (k - 1));
    }
    return angle * sum;
}

/* The angle from 0 to pi/2 of a direction whose parts are not negative. Halved twice, it is small
   enough for the series of the arc tangent. */
static inline double pli_angle(double sine, double cosine)
{
    const double right = 1.57079632679489661923;
    double t = sine < cosine ? sine / cosine : cosine / sine;
    t /= 1.0 + sqrt(1.0 + t * t);
    t /= 1.0 + sqrt(1.0 + t * t);
    double squared = t * t, sum = 0.0;
    for (int k = 23; k >= 1; k -= 2) {
        sum = 1.0 / (double)k - squared * sum;
    }
    double angle = 4.0 * t * sum;
    return sine < cosine ? angle : right - angle;
}

#endif
