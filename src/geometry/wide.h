/*
 * Wide integers: sign and magnitude in a fixed number of limbs, no allocation. The last tier of the
 * exact tests computes in them.
 *
 * A finite float32 is an integer below 2^277 times 2^-149. The widest values that occur are those
 * which compare two times of contact, roots of cubics (root.h): fewer than 11,900 bits, where 192
 * limbs hold 12,288. Only the limbs in use are ever touched.
 */
#ifndef PLI_GEOMETRY_WIDE_H
#define PLI_GEOMETRY_WIDE_H

#include <stdint.h>

#define PLI_WIDE_LIMBS 192

typedef struct pli_wide {
    int sign;                      /* -1, 0 or 1 */
    int count;                     /* limbs in use; the highest of them is not 0 */
    uint64_t limb[PLI_WIDE_LIMBS]; /* the magnitude, lowest limb first */
} pli_wide;

/* The exponent of the lowest bit set in x, so that x / 2^unit is an odd integer; a large number for
   zero. The smallest unit of several floats is a unit that makes all of them integers. */
int pli_float_unit(float x);

/* r = x / 2^unit, where unit is at most pli_float_unit(x). */
void pli_wide_from_float(pli_wide *r, float x, int unit);

/* r = 2^exponent. */
void pli_wide_power(pli_wide *r, int exponent);

/* r = a, of which only the limbs in use are read. */
void pli_wide_copy(pli_wide *r, const pli_wide *a);

/* r = x, where |x| is a few units. */
void pli_wide_from_int(pli_wide *r, int x);

/* r may be a or b in sums and differences, but not in products. */
void pli_wide_add(pli_wide *r, const pli_wide *a, const pli_wide *b);
void pli_wide_subtract(pli_wide *r, const pli_wide *a, const pli_wide *b);
void pli_wide_multiply(pli_wide *r, const pli_wide *a, const pli_wide *b);

/* r = a d - b c, the determinant of two rows (a, b) and (c, d). */
void pli_wide_minor(pli_wide *r, const pli_wide *a, const pli_wide *b, const pli_wide *c,
                    const pli_wide *d);

/* r = a . b and r = a x b. */
void pli_wide_dot(pli_wide *r, const pli_wide a[3], const pli_wide b[3]);
void pli_wide_cross(pli_wide r[3], const pli_wide a[3], const pli_wide b[3]);

/* The sign of a - b. */
int pli_wide_compare(const pli_wide *a, const pli_wide *b);

/* The value of a 2^exponent within a relative error of 2^-52. The caller keeps it in range. */
double pli_wide_to_double(const pli_wide *a, int exponent);

/* The quotient n / d rounded to nearest, ties to even; d is positive. */
double pli_wide_quotient(const pli_wide *n, const pli_wide *d);

#endif
