/*
 * Products of 64-bit numbers and their quotients. PLI_HAVE_INT128 says whether the compiler has
 * integers of 128 bits; 32-bit targets and some compilers have none, and a build may be told to do
 * without (PLI_NO_INT128). The functions here are there either way, with the same results.
 */
#ifndef PLI_BASE_INT128_H
#define PLI_BASE_INT128_H

#include <stdint.h>

#if defined(__SIZEOF_INT128__) && !defined(PLI_NO_INT128)
#define PLI_HAVE_INT128 1

__extension__ typedef __int128 pli_int128;
__extension__ typedef unsigned __int128 pli_uint128;
#else
#define PLI_HAVE_INT128 0
#endif

/* The low half of a b + c + *carry, which never overflows; its high half goes to *carry. */
static inline uint64_t pli_multiply_add(uint64_t a, uint64_t b, uint64_t c, uint64_t *carry)
{
#if PLI_HAVE_INT128
    pli_uint128 sum = (pli_uint128)a * b + c + *carry;
    *carry = (uint64_t)(sum >> 64);
    return (uint64_t)sum;
#else
    const uint64_t half = UINT32_MAX;
    uint64_t low = (a & half) * (b & half), cross = (a >> 32) * (b & half) + (low >> 32);
    uint64_t middle = (a & half) * (b >> 32) + (cross & half);
    uint64_t high = (a >> 32) * (b >> 32) + (cross >> 32) + (middle >> 32);
    uint64_t product = (middle << 32) | (low & half), sum = product + c;
    high += sum < product;
    product = sum;
    sum += *carry;
    *carry = high + (sum < product);
    return sum;
#endif
}

/* (high 2^64 + low) / divisor rounded down, where high < divisor. */
static inline uint64_t pli_divide_128(uint64_t high, uint64_t low, uint64_t divisor)
{
#if PLI_HAVE_INT128
    return (uint64_t)(((pli_uint128)high << 64 | low) / divisor);
#else
    uint64_t quotient = 0;
    for (int i = 63; i >= 0; i--) {
        uint64_t lost = high >> 63; /* the bit above what is left */
        high = high << 1 | (low >> i & 1);
        if (lost || high >= divisor) {
            high -= divisor;
            quotient |= (uint64_t)1 << i;
        }
    }
    return quotient;
#endif
}

#endif
