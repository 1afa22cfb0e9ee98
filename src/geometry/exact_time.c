#include "exact_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* r = x 2^exponent. */
static void scale(pli_wide *r, const pli_wide *x, int exponent)
{
    pli_wide power;
    pli_wide_power(&power, exponent);
    pli_wide_multiply(r, x, &power);
}

/* x = 2^exponent x. */
static void scale_fraction(pli_fraction *x, int exponent)
{
    pli_wide *part = exponent < 0 ? &x->denominator : &x->numerator, before;
    pli_wide_copy(&before, part);
    scale(part, &before, abs(exponent));
}

/* x = k / (2^bits - k) 2^shift: u at time k / 2^bits. */
static void set_fraction(pli_fraction *x, uint64_t k, int bits, int shift)
{
    pli_wide all;
    x->numerator.sign = x->numerator.count = k > 0;
    x->numerator.limb[0] = k;
    pli_wide_power(&all, bits);
    pli_wide_subtract(&x->denominator, &all, &x->numerator);
    if (shift != 0) {
        scale_fraction(x, shift);
    }
}

void pli_time_set_fraction(pli_fraction *x, double time, int shift)
{
    enum { MANTISSA = 53 };
    int exponent;
    double mantissa = ldexp(frexp(time, &exponent), MANTISSA);
    set_fraction(x, (uint64_t)mantissa, MANTISSA - exponent, shift);
}

void pli_time_enclose(const pli_exact_time *time, double *low, double *high)
{
    enum { BITS = 41 };
    uint64_t below = 0, above = (uint64_t)1 << BITS;
    pli_fraction x;
    for (int i = 0; i < 2; ++i) {
        set_fraction(&x, (uint64_t)i, 0, time->shift);
        if (pli_root_compare_fraction(&time->roots, time->root, &x) == 0) {
            *low = *high = i;
            return;
        }
    }
    while (above - below > 1) {
        uint64_t middle = (below + above) / 2;
        set_fraction(&x, middle, BITS, time->shift);
        int side = pli_root_compare_fraction(&time->roots, time->root, &x);
        below = side >= 0 ? middle : below;
        above = side <= 0 ? middle : above;
    }
    *low = ldexp((double)below, -BITS);
    *high = ldexp((double)above, -BITS);
}

/* Whether a float in [0, 1] is below a time. */
static bool is_below(float x, const pli_exact_time *time)
{
    pli_fraction fraction;
    pli_time_set_fraction(&fraction, (double)x, time->shift);
    return pli_root_compare_fraction(&time->roots, time->root, &fraction) > 0;
}

float pli_time_float_below(const pli_exact_time *time, float low, float high)
{
    /* Floats that are not negative have the order of their bits. */
    uint32_t below, above;
    memcpy(&below, &low, sizeof below);
    memcpy(&above, &high, sizeof above);
    above++;
    while (above - below > 1) {
        uint32_t middle = below + (above - below) / 2;
        float x;
        memcpy(&x, &middle, sizeof x);
        if (is_below(x, time)) {
            below = middle;
        } else {
            above = middle;
        }
    }
    memcpy(&low, &below, sizeof low);
    return low;
}

/* Gives a time another shift, which lies between 0 and its own. */
static void change_shift(pli_exact_time *time, int shift)
{
    pli_roots *roots = &time->roots;
    int by = shift - time->shift;
    time->shift = shift;
    if (by == 0) {
        return;
    }
    if (roots->fractions) {
        for (int i = 0; i < roots->count; ++i) {
            scale_fraction(&roots->fraction[i], by);
        }
        return;
    }
    pli_polynomial f;
    f.degree = roots->f.degree;
    for (int i = 0; i <= f.degree; ++i) {
        scale(&f.c[i], &roots->f.c[i], by < 0 ? -by * i : by * (f.degree - i));
    }
    pli_roots_find(roots, &f);
}

int pli_time_compare(pli_exact_time *a, pli_exact_time *b)
{
    if (a->shift != b->shift) {
        bool same_side = (a->shift > 0) == (b->shift > 0);
        int nearer = abs(a->shift) < abs(b->shift) ? a->shift : b->shift;
        int shift = same_side ? nearer : 0;
        change_shift(a, shift);
        change_shift(b, shift);
    }
    return pli_root_compare(&a->roots, a->root, &b->roots, b->root);
}
