/*
 * What lanes of float (simd.h) and of double (simd_double.h) have in common, written once. Each
 * macro defines functions, such as name_add() and name_min(), from the operations of a set, which
 * differ by what their names begin and end with.
 */
#ifndef PLI_BASE_SIMD_SHAPE_H
#define PLI_BASE_SIMD_SHAPE_H

#include <math.h>

/* Arithmetic of a register that intrinsics, or simd4.h's table, work on. */
#define PLI_DEFINE_ARITHMETIC(name, number, begin, end)                                            \
    static inline name name##_set(number x)                                                        \
    {                                                                                              \
        return begin##set1##end(x);                                                                \
    }                                                                                              \
    static inline name name##_load(const number *p)                                                \
    {                                                                                              \
        return begin##loadu##end(p);                                                               \
    }                                                                                              \
    static inline void name##_store(number *p, name a)                                             \
    {                                                                                              \
        begin##storeu##end(p, a);                                                                  \
    }                                                                                              \
    static inline name name##_sqrt(name a)                                                         \
    {                                                                                              \
        return begin##sqrt##end(a);                                                                \
    }                                                                                              \
    PLI_DEFINE_OF_TWO(name, name##_add, begin##add##end(a, b))                                     \
    PLI_DEFINE_OF_TWO(name, name##_sub, begin##sub##end(a, b))                                     \
    PLI_DEFINE_OF_TWO(name, name##_mul, begin##mul##end(a, b))                                     \
    PLI_DEFINE_OF_TWO(name, name##_div, begin##div##end(a, b))                                     \
    PLI_DEFINE_OF_TWO(name, name##_min, begin##min##end(a, b))                                     \
    PLI_DEFINE_OF_TWO(name, name##_max, begin##max##end(a, b))

/* The same of one number in plain C. */
#define PLI_DEFINE_PLAIN_ARITHMETIC(name, number, square_root)                                     \
    static inline name name##_set(number x)                                                        \
    {                                                                                              \
        return x;                                                                                  \
    }                                                                                              \
    static inline name name##_load(const number *p)                                                \
    {                                                                                              \
        return *p;                                                                                 \
    }                                                                                              \
    static inline void name##_store(number *p, name a)                                             \
    {                                                                                              \
        *p = a;                                                                                    \
    }                                                                                              \
    static inline name name##_sqrt(name a)                                                         \
    {                                                                                              \
        return square_root(a);                                                                     \
    }                                                                                              \
    PLI_DEFINE_OF_TWO(name, name##_add, a + b)                                                     \
    PLI_DEFINE_OF_TWO(name, name##_sub, a - b)                                                     \
    PLI_DEFINE_OF_TWO(name, name##_mul, a *b)                                                      \
    PLI_DEFINE_OF_TWO(name, name##_div, a / b)                                                     \
    PLI_DEFINE_OF_TWO(name, name##_min, a < b ? a : b)                                             \
    PLI_DEFINE_OF_TWO(name, name##_max, a > b ? a : b)

#define PLI_DEFINE_OF_TWO(type, name, value)                                                       \
    static inline type name(type a, type b)                                                        \
    {                                                                                              \
        return value;                                                                              \
    }

/* Where truth values come from, and what they are for. */
#define PLI_DEFINE_TRUTH(name, mask, less_a_b, less_equal_a_b, select_m_a_b)                       \
    static inline mask name##_less(name a, name b)                                                 \
    {                                                                                              \
        return less_a_b;                                                                           \
    }                                                                                              \
    static inline mask name##_less_equal(name a, name b)                                           \
    {                                                                                              \
        return less_equal_a_b;                                                                     \
    }                                                                                              \
    /* Lane by lane: m ? a : b. */                                                                 \
    static inline name name##_select(mask m, name a, name b)                                       \
    {                                                                                              \
        return select_m_a_b;                                                                       \
    }

/* Truth values in registers. */
#define PLI_DEFINE_LANE_MASKS(mask, begin, end, and_not_a_b)                                       \
    PLI_DEFINE_OF_TWO(mask, mask##_and, begin##and##end(a, b))                                     \
    PLI_DEFINE_OF_TWO(mask, mask##_or, begin## or ##end(a, b))                                     \
    PLI_DEFINE_OF_TWO(mask, mask##_xor, begin## xor ##end(a, b))                                   \
    PLI_DEFINE_OF_TWO(mask, mask##_and_not, and_not_a_b)                                           \
    static inline unsigned mask##_bits(mask a)                                                     \
    {                                                                                              \
        return (unsigned)begin##movemask##end(a);                                                  \
    }

/* Truth values as bits of an integer. */
#define PLI_DEFINE_BIT_MASKS(mask)                                                                 \
    PLI_DEFINE_OF_TWO(mask, mask##_and, (mask)(a & b))                                             \
    PLI_DEFINE_OF_TWO(mask, mask##_or, (mask)(a | b))                                              \
    PLI_DEFINE_OF_TWO(mask, mask##_xor, (mask)(a ^ b))                                             \
    PLI_DEFINE_OF_TWO(mask, mask##_and_not, (mask)(a & ~b))                                        \
    static inline unsigned mask##_bits(mask a)                                                     \
    {                                                                                              \
        return a;                                                                                  \
    }

/*
 * All of it for registers of numbers: `suffix` is that of x86's intrinsics (ps, pd); `four` and
 * `truths` are the registers in simd4.h's table (f4 and m4).
 */
#if defined(PLI_SIMD_AVX512)
#define PLI_DEFINE_LANES(name, mask, number, suffix, four, truths)                                 \
    PLI_DEFINE_ARITHMETIC(name, number, _mm512_, _##suffix)                                        \
    PLI_DEFINE_TRUTH(name, mask, _mm512_cmp_##suffix##_mask(a, b, _CMP_LT_OQ),                     \
                     _mm512_cmp_##suffix##_mask(a, b, _CMP_LE_OQ),                                 \
                     _mm512_mask_mov_##suffix(b, m, a))                                            \
    PLI_DEFINE_BIT_MASKS(mask)
#elif defined(PLI_SIMD_AVX2)
#define PLI_DEFINE_LANES(name, mask, number, suffix, four, truths)                                 \
    PLI_DEFINE_ARITHMETIC(name, number, _mm256_, _##suffix)                                        \
    PLI_DEFINE_TRUTH(name, mask, _mm256_cmp_##suffix(a, b, _CMP_LT_OQ),                            \
                     _mm256_cmp_##suffix(a, b, _CMP_LE_OQ), _mm256_blendv_##suffix(b, a, m))       \
    PLI_DEFINE_LANE_MASKS(mask, _mm256_, _##suffix, _mm256_andnot_##suffix(b, a))
#elif defined(PLI_SIMD_BASELINE)
#define PLI_DEFINE_LANES(name, mask, number, suffix, four, truths)                                 \
    PLI_DEFINE_ARITHMETIC(name, number, pli_##four##_, )                                           \
    PLI_DEFINE_TRUTH(name, mask, pli_##four##_less(a, b), pli_##four##_less_equal(a, b),           \
                     pli_##four##_select(m, a, b))                                                 \
    PLI_DEFINE_LANE_MASKS(mask, pli_##truths##_, , pli_##truths##_and_not(a, b))
#else /* PLI_SIMD_PLAIN */
#define PLI_DEFINE_LANES(name, mask, number, suffix, four, truths)                                 \
    PLI_DEFINE_PLAIN_ARITHMETIC(name, number, PLI_SQRT_##suffix)                                   \
    PLI_DEFINE_TRUTH(name, mask, a < b, a <= b, m ? a : b)                                         \
    PLI_DEFINE_BIT_MASKS(mask)
#define PLI_SQRT_ps sqrtf
#define PLI_SQRT_pd sqrt
#endif

#endif
