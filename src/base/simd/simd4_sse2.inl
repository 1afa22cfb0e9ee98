/* Part of simd4.h: its table on x86. */
#include <emmintrin.h>

typedef __m128 pli_f4;
typedef __m128 pli_m4;
typedef __m128i pli_n4;
typedef __m128d pli_d2;
typedef __m128d pli_dm2;

/* By a number of bits that is a constant. */
#define pli_n4_srai(a, bits) _mm_srai_epi32(a, bits)
#define pli_n4_slli(a, bits) _mm_slli_epi32(a, bits)

PLI_SIMD4(pli_f4, pli_f4_set1, (float x), _mm_set1_ps(x))
PLI_SIMD4(pli_f4, pli_f4_setr, (float a, float b, float c, float d), _mm_setr_ps(a, b, c, d))
PLI_SIMD4(pli_f4, pli_f4_loadu, (const float *p), _mm_loadu_ps(p))
PLI_SIMD4(pli_f4, pli_f4_load, (const float *p), _mm_load_ps(p))
PLI_SIMD4_DO(pli_f4_storeu, (float *p, pli_f4 a), _mm_storeu_ps(p, a))
PLI_SIMD4(pli_f4, pli_f4_add, (pli_f4 a, pli_f4 b), _mm_add_ps(a, b))
PLI_SIMD4(pli_f4, pli_f4_sub, (pli_f4 a, pli_f4 b), _mm_sub_ps(a, b))
PLI_SIMD4(pli_f4, pli_f4_mul, (pli_f4 a, pli_f4 b), _mm_mul_ps(a, b))
PLI_SIMD4(pli_f4, pli_f4_div, (pli_f4 a, pli_f4 b), _mm_div_ps(a, b))
PLI_SIMD4(pli_f4, pli_f4_sqrt, (pli_f4 a), _mm_sqrt_ps(a))
PLI_SIMD4(pli_f4, pli_f4_min, (pli_f4 a, pli_f4 b), _mm_min_ps(a, b))
PLI_SIMD4(pli_f4, pli_f4_max, (pli_f4 a, pli_f4 b), _mm_max_ps(a, b))
PLI_SIMD4(pli_f4, pli_f4_abs, (pli_f4 a), _mm_andnot_ps(_mm_set1_ps(-0.0f), a))
PLI_SIMD4(pli_f4, pli_f4_unpacklo, (pli_f4 a, pli_f4 b), _mm_unpacklo_ps(a, b))
PLI_SIMD4(pli_f4, pli_f4_unpackhi, (pli_f4 a, pli_f4 b), _mm_unpackhi_ps(a, b))
PLI_SIMD4(pli_f4, pli_f4_low_halves, (pli_f4 a, pli_f4 b), _mm_movelh_ps(a, b))
PLI_SIMD4(pli_f4, pli_f4_high_halves, (pli_f4 a, pli_f4 b), _mm_movehl_ps(b, a))
PLI_SIMD4(pli_f4, pli_f4_swap_halves, (pli_f4 a), _mm_shuffle_ps(a, a, 0x4e))
PLI_SIMD4(pli_f4, pli_f4_swap_pairs, (pli_f4 a), _mm_shuffle_ps(a, a, 0xb1))
PLI_SIMD4(pli_m4, pli_f4_less, (pli_f4 a, pli_f4 b), _mm_cmplt_ps(a, b))
PLI_SIMD4(pli_m4, pli_f4_less_equal, (pli_f4 a, pli_f4 b), _mm_cmple_ps(a, b))
PLI_SIMD4(float, pli_f4_first, (pli_f4 a), _mm_cvtss_f32(a))
PLI_SIMD4(pli_f4, pli_f4_select, (pli_m4 m, pli_f4 a, pli_f4 b),
          _mm_or_ps(_mm_and_ps(m, a), _mm_andnot_ps(m, b)))

PLI_SIMD4(pli_m4, pli_m4_and, (pli_m4 a, pli_m4 b), _mm_and_ps(a, b))
PLI_SIMD4(pli_m4, pli_m4_or, (pli_m4 a, pli_m4 b), _mm_or_ps(a, b))
PLI_SIMD4(pli_m4, pli_m4_xor, (pli_m4 a, pli_m4 b), _mm_xor_ps(a, b))
PLI_SIMD4(pli_m4, pli_m4_and_not, (pli_m4 a, pli_m4 b), _mm_andnot_ps(b, a))
PLI_SIMD4(unsigned, pli_m4_movemask, (pli_m4 m), (unsigned)_mm_movemask_ps(m))
static inline pli_m4 pli_m4_from_bits(unsigned bits)
{
    const __m128i bit = _mm_setr_epi32(1, 2, 4, 8);
    return _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), bit), bit));
}
PLI_SIMD4(pli_m4, pli_m4_from_signs, (pli_m4 a),
          _mm_castsi128_ps(_mm_srai_epi32(_mm_castps_si128(a), 31)))
PLI_SIMD4(pli_m4, pli_m4_cast, (pli_f4 a), a)

PLI_SIMD4(pli_n4, pli_n4_set1, (int32_t x), _mm_set1_epi32(x))
PLI_SIMD4(pli_n4, pli_n4_setr, (int32_t a, int32_t b, int32_t c, int32_t d),
          _mm_setr_epi32(a, b, c, d))
PLI_SIMD4(pli_n4, pli_n4_loadu, (const void *p), _mm_loadu_si128((const __m128i *)p))
PLI_SIMD4_DO(pli_n4_storeu, (void *p, pli_n4 a), _mm_storeu_si128((__m128i *)p, a))
PLI_SIMD4(pli_n4, pli_n4_add, (pli_n4 a, pli_n4 b), _mm_add_epi32(a, b))
PLI_SIMD4(pli_n4, pli_n4_sub, (pli_n4 a, pli_n4 b), _mm_sub_epi32(a, b))
PLI_SIMD4(pli_m4, pli_n4_greater, (pli_n4 a, pli_n4 b), _mm_castsi128_ps(_mm_cmpgt_epi32(a, b)))
PLI_SIMD4(pli_m4, pli_n4_equal, (pli_n4 a, pli_n4 b), _mm_castsi128_ps(_mm_cmpeq_epi32(a, b)))
static inline pli_n4 pli_n4_select(pli_m4 m, pli_n4 a, pli_n4 b)
{
    __m128i mask = _mm_castps_si128(m);
    return _mm_or_si128(_mm_and_si128(mask, a), _mm_andnot_si128(mask, b));
}
PLI_SIMD4(pli_n4, pli_n4_min, (pli_n4 a, pli_n4 b), pli_n4_select(pli_n4_greater(a, b), b, a))
PLI_SIMD4(pli_n4, pli_n4_max, (pli_n4 a, pli_n4 b), pli_n4_select(pli_n4_greater(a, b), a, b))
static inline pli_n4 pli_n4_mullo(pli_n4 a, pli_n4 b)
{
    __m128i even = _mm_mul_epu32(a, b);
    __m128i odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, 0x08), _mm_shuffle_epi32(odd, 0x08));
}
PLI_SIMD4(pli_f4, pli_f4_of_ints, (pli_n4 a), _mm_cvtepi32_ps(a))
PLI_SIMD4(pli_n4, pli_n4_of_floats, (pli_f4 a), _mm_cvttps_epi32(a))

PLI_SIMD4(pli_d2, pli_d2_set1, (double x), _mm_set1_pd(x))
PLI_SIMD4(pli_d2, pli_d2_of_floats, (const float *p), _mm_setr_pd((double)p[0], (double)p[1]))
PLI_SIMD4(pli_d2, pli_d2_loadu, (const double *p), _mm_loadu_pd(p))
PLI_SIMD4_DO(pli_d2_storeu, (double *p, pli_d2 a), _mm_storeu_pd(p, a))
PLI_SIMD4(pli_d2, pli_d2_add, (pli_d2 a, pli_d2 b), _mm_add_pd(a, b))
PLI_SIMD4(pli_d2, pli_d2_sub, (pli_d2 a, pli_d2 b), _mm_sub_pd(a, b))
PLI_SIMD4(pli_d2, pli_d2_mul, (pli_d2 a, pli_d2 b), _mm_mul_pd(a, b))
PLI_SIMD4(pli_d2, pli_d2_div, (pli_d2 a, pli_d2 b), _mm_div_pd(a, b))
PLI_SIMD4(pli_d2, pli_d2_sqrt, (pli_d2 a), _mm_sqrt_pd(a))
PLI_SIMD4(pli_d2, pli_d2_min, (pli_d2 a, pli_d2 b), _mm_min_pd(a, b))
PLI_SIMD4(pli_d2, pli_d2_max, (pli_d2 a, pli_d2 b), _mm_max_pd(a, b))
PLI_SIMD4(pli_dm2, pli_d2_less, (pli_d2 a, pli_d2 b), _mm_cmplt_pd(a, b))
PLI_SIMD4(pli_dm2, pli_d2_less_equal, (pli_d2 a, pli_d2 b), _mm_cmple_pd(a, b))
PLI_SIMD4(pli_d2, pli_d2_select, (pli_dm2 m, pli_d2 a, pli_d2 b),
          _mm_or_pd(_mm_and_pd(m, a), _mm_andnot_pd(m, b)))
PLI_SIMD4(pli_dm2, pli_dm2_and, (pli_dm2 a, pli_dm2 b), _mm_and_pd(a, b))
PLI_SIMD4(pli_dm2, pli_dm2_or, (pli_dm2 a, pli_dm2 b), _mm_or_pd(a, b))
PLI_SIMD4(pli_dm2, pli_dm2_xor, (pli_dm2 a, pli_dm2 b), _mm_xor_pd(a, b))
PLI_SIMD4(pli_dm2, pli_dm2_and_not, (pli_dm2 a, pli_dm2 b), _mm_andnot_pd(b, a))
PLI_SIMD4(unsigned, pli_dm2_movemask, (pli_dm2 m), (unsigned)_mm_movemask_pd(m))
