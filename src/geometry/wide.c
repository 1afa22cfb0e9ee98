#include "wide.h"

#include "base/int128.h"

#include <math.h>
#include <string.h>

static void trim(pli_wide *a)
{
    while (a->count > 0 && a->limb[a->count - 1] == 0) {
        --a->count;
    }
    if (a->count == 0) {
        a->sign = 0;
    }
}

/* The bits of a float as an integer times 2^exponent. Infinities and NaN read as large numbers:
   their answers are unspecified, but nothing else goes wrong. */
static uint32_t decompose(float x, int *exponent)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t field = bits >> 23 & 0xffu;
    uint32_t fraction = bits & 0x7fffffu;
    *exponent = (field > 0 ? (int)field : 1) - 150;
    return field > 0 ? fraction | 0x800000u : fraction;
}

int pli_float_unit(float x)
{
    int exponent;
    uint32_t mantissa = decompose(x, &exponent);
    return mantissa == 0 ? 1000 : exponent + __builtin_ctz(mantissa);
}

/* r = sign low 2^shift, for a value of one limb. */
static void set_shifted(pli_wide *r, int sign, uint64_t low, int shift)
{
    int limbs = shift / 64;
    int bits = shift % 64;
    r->sign = sign;
    r->count = limbs + 2;
    memset(r->limb, 0, (size_t)limbs * sizeof r->limb[0]);
    r->limb[limbs] = low << bits;
    r->limb[limbs + 1] = bits > 0 ? low >> (64 - bits) : 0;
    trim(r);
}

void pli_wide_from_float(pli_wide *r, float x, int unit)
{
    int exponent;
    uint32_t mantissa = decompose(x, &exponent);
    if (mantissa == 0) {
        r->sign = r->count = 0;
        return;
    }
    int zeros = __builtin_ctz(mantissa);
    set_shifted(r, signbit(x) ? -1 : 1, mantissa >> zeros, exponent + zeros - unit);
}

void pli_wide_power(pli_wide *r, int exponent)
{
    set_shifted(r, 1, 1, exponent);
}

void pli_wide_copy(pli_wide *r, const pli_wide *a)
{
    r->sign = a->sign;
    r->count = a->count;
    memmove(r->limb, a->limb, (size_t)a->count * sizeof r->limb[0]);
}

void pli_wide_from_int(pli_wide *r, int x)
{
    r->sign = (x > 0) - (x < 0);
    r->count = x != 0;
    r->limb[0] = (uint64_t)(x < 0 ? -x : x);
}

static int compare_magnitudes(const pli_wide *a, const pli_wide *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (int i = a->count - 1; i >= 0; --i) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

/* r = |a| + |b| with |a| the longer one. */
static void add_magnitudes(pli_wide *r, const pli_wide *a, const pli_wide *b)
{
    uint64_t carry = 0;
    int count = a->count;
    for (int i = 0; i < count; ++i) {
        uint64_t first = a->limb[i], second = i < b->count ? b->limb[i] : 0;
        uint64_t sum = first + second, with_carry = sum + carry;
        carry = (sum < first) | (with_carry < sum);
        r->limb[i] = with_carry;
    }
    r->count = count;
    if (carry > 0) {
        r->limb[r->count++] = carry;
    }
}

/* r = |a| - |b| with |a| the larger one. */
static void subtract_magnitudes(pli_wide *r, const pli_wide *a, const pli_wide *b)
{
    uint64_t borrow = 0;
    int count = a->count;
    for (int i = 0; i < count; ++i) {
        uint64_t first = a->limb[i], second = i < b->count ? b->limb[i] : 0;
        uint64_t difference = first - second, lower = difference - borrow;
        borrow = (first < second) | (difference < borrow);
        r->limb[i] = lower;
    }
    r->count = count;
}

/* r = a + sign |b|. */
static void add_signed(pli_wide *r, const pli_wide *a, const pli_wide *b, int sign)
{
    if (sign == 0 || a->sign == 0) {
        const pli_wide *only = sign == 0 ? a : b;
        int only_sign = sign == 0 ? a->sign : sign;
        pli_wide_copy(r, only);
        r->sign = only_sign;
        return;
    }
    int order = compare_magnitudes(a, b);
    int larger_sign = order >= 0 ? a->sign : sign;
    const pli_wide *larger = order >= 0 ? a : b;
    const pli_wide *smaller = order >= 0 ? b : a;
    if (a->sign == sign) {
        add_magnitudes(r, larger, smaller);
    } else {
        subtract_magnitudes(r, larger, smaller);
    }
    r->sign = larger_sign;
    trim(r);
}

void pli_wide_add(pli_wide *r, const pli_wide *a, const pli_wide *b)
{
    add_signed(r, a, b, b->sign);
}

void pli_wide_subtract(pli_wide *r, const pli_wide *a, const pli_wide *b)
{
    add_signed(r, a, b, -b->sign);
}

void pli_wide_multiply(pli_wide *r, const pli_wide *a, const pli_wide *b)
{
    r->sign = a->sign * b->sign;
    r->count = 0;
    if (r->sign == 0) {
        return;
    }
    r->count = a->count + b->count;
    uint64_t first_carry = 0;
    for (int j = 0; j < b->count; ++j) { /* nothing is there yet to add to */
        r->limb[j] = pli_multiply_add(a->limb[0], b->limb[j], 0, &first_carry);
    }
    r->limb[b->count] = first_carry;
    for (int i = 1; i < a->count; ++i) {
        uint64_t carry = 0;
        for (int j = 0; j < b->count && a->limb[i] != 0; ++j) {
            r->limb[i + j] = pli_multiply_add(a->limb[i], b->limb[j], r->limb[i + j], &carry);
        }
        r->limb[i + b->count] = carry;
    }
    trim(r);
}

void pli_wide_minor(pli_wide *r, const pli_wide *a, const pli_wide *b, const pli_wide *c,
                    const pli_wide *d)
{
    pli_wide ad;
    pli_wide bc;
    pli_wide_multiply(&ad, a, d);
    pli_wide_multiply(&bc, b, c);
    pli_wide_subtract(r, &ad, &bc);
}

void pli_wide_dot(pli_wide *r, const pli_wide a[3], const pli_wide b[3])
{
    pli_wide product;
    pli_wide_multiply(r, &a[0], &b[0]);
    for (int i = 1; i < 3; ++i) {
        pli_wide_multiply(&product, &a[i], &b[i]);
        pli_wide_add(r, r, &product);
    }
}

void pli_wide_cross(pli_wide r[3], const pli_wide a[3], const pli_wide b[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        int k = (i + 2) % 3;
        pli_wide_minor(&r[i], &a[j], &a[k], &b[j], &b[k]);
    }
}

int pli_wide_compare(const pli_wide *a, const pli_wide *b)
{
    if (a->sign != b->sign) {
        return a->sign < b->sign ? -1 : 1;
    }
    return a->sign * compare_magnitudes(a, b);
}

/* The leading 64 bits of a, the highest of them set: |a| is about top 2^exponent, from below. */
static uint64_t leading_bits(const pli_wide *a, int *exponent)
{
    uint64_t top = a->limb[a->count - 1];
    int zeros = __builtin_clzll(top);
    if (zeros > 0) {
        top <<= zeros;
        top |= a->count > 1 ? a->limb[a->count - 2] >> (64 - zeros) : 0;
    }
    *exponent = 64 * (a->count - 1) - zeros;
    return top;
}

double pli_wide_to_double(const pli_wide *a, int exponent)
{
    if (a->sign == 0) {
        return 0.0;
    }
    int shift;
    uint64_t top = leading_bits(a, &shift);
    return a->sign * ldexp((double)top, shift + exponent);
}

/* The sign of |n| - m 2^exponent d. */
static int compare_with_multiple(const pli_wide *n, uint64_t m, int exponent, const pli_wide *d)
{
    pli_wide factor;
    pli_wide left;
    pli_wide right;
    pli_wide_copy(&left, n);
    set_shifted(&factor, 1, m, exponent > 0 ? exponent : 0);
    pli_wide_multiply(&right, &factor, d);
    if (exponent < 0) {
        pli_wide_power(&factor, -exponent);
        pli_wide_multiply(&left, n, &factor);
    }
    return compare_magnitudes(&left, &right);
}

/*
 * Let m 2^x be the quotient of the leading 64 bits of |n| and d, with m in [2^61, 2^64). It is off
 * by at most a few units of m, so we step m to the floor: m 2^x d <= |n| < (m + 1) 2^x d. Beyond
 * bit 53 only whether there is a remainder matters for rounding, so the lowest bit of m may stand
 * for it.
 */
double pli_wide_quotient(const pli_wide *n, const pli_wide *d)
{
    if (n->sign == 0) {
        return 0.0;
    }
    int shift_n;
    int shift_d;
    uint64_t top_n = leading_bits(n, &shift_n);
    uint64_t top_d = leading_bits(d, &shift_d);
    uint64_t m = pli_divide_128(top_n >> 2, top_n << 62, top_d);
    int x = shift_n - shift_d - 62;
    while (compare_with_multiple(n, m, x, d) < 0) {
        --m;
    }
    while (compare_with_multiple(n, m + 1, x, d) >= 0) {
        ++m;
    }
    uint64_t remainder = compare_with_multiple(n, m, x, d) != 0;
    return n->sign * ldexp((double)(m | remainder), x);
}
