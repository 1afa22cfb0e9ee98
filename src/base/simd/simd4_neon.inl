/* Part of simd4.h: its table on 64-bit ARM. Its own minimum and maximum give NaN for NaN and -0 for
   0 and -0, so they are comparisons here. */
#include <arm_neon.h>

typedef float32x4_t pli_f4;
typedef uint32x4_t pli_m4;
typedef int32x4_t pli_n4;
typedef float64x2_t pli_d2;
typedef uint64x2_t pli_dm2;

/* By a number of bits that is a constant. */
#define pli_n4_srai(a, bits) vshrq_n_s32(a, bits)
#define pli_n4_slli(a, bits) vshlq_n_s32(a, bits)

PLI_SIMD4(pli_f4, pli_f4_set1, (float x), vdupq_n_f32(x))
PLI_SIMD4(pli_f4, pli_f4_setr, (float a, float b, float c, float d), ((float32x4_t){a, b, c, d}))
PLI_SIMD4(pli_f4, pli_f4_loadu, (const float *p), vld1q_f32(p))
PLI_SIMD4(pli_f4, pli_f4_load, (const float *p), vld1q_f32(p))
PLI_SIMD4_DO(pli_f4_storeu, (float *p, pli_f4 a), vst1q_f32(p, a))
PLI_SIMD4(pli_f4, pli_f4_add, (pli_f4 a, pli_f4 b), vaddq_f32(a, b))
PLI_SIMD4(pli_f4, pli_f4_sub, (pli_f4 a, pli_f4 b), vsubq_f32(a, b))
PLI_SIMD4(pli_f4, pli_f4_mul, (pli_f4 a, pli_f4 b), vmulq_f32(a, b))
PLI_SIMD4(pli_f4, pli_f4_div, (pli_f4 a, pli_f4 b), vdivq_f32(a, b))
PLI_SIMD4(pli_f4, pli_f4_sqrt, (pli_f4 a), vsqrtq_f32(a))
PLI_SIMD4(pli_f4, pli_f4_min, (pli_f4 a, pli_f4 b), vbslq_f32(vcltq_f32(a, b), a, b))
PLI_SIMD4(pli_f4, pli_f4_max, (pli_f4 a, pli_f4 b), vbslq_f32(vcgtq_f32(a, b), a, b))
PLI_SIMD4(pli_f4, pli_f4_abs, (pli_f4 a), vabsq_f32(a))
PLI_SIMD4(pli_f4, pli_f4_unpacklo, (pli_f4 a, pli_f4 b), vzip1q_f32(a, b))
PLI_SIMD4(pli_f4, pli_f4_unpackhi, (pli_f4 a, pli_f4 b), vzip2q_f32(a, b))
PLI_SIMD4(pli_f4, pli_f4_low_halves, (pli_f4 a, pli_f4 b),
          vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b))))
PLI_SIMD4(pli_f4, pli_f4_high_halves, (pli_f4 a, pli_f4 b),
          vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b))))
PLI_SIMD4(pli_f4, pli_f4_swap_halves, (pli_f4 a), vextq_f32(a, a, 2))
PLI_SIMD4(pli_f4, pli_f4_swap_pairs, (pli_f4 a), vrev64q_f32(a))
PLI_SIMD4(pli_m4, pli_f4_less, (pli_f4 a, pli_f4 b), vcltq_f32(a, b))
PLI_SIMD4(pli_m4, pli_f4_less_equal, (pli_f4 a, pli_f4 b), vcleq_f32(a, b))
PLI_SIMD4(float, pli_f4_first, (pli_f4 a), vgetq_lane_f32(a, 0))
PLI_SIMD4(pli_f4, pli_f4_select, (pli_m4 m, pli_f4 a, pli_f4 b), vbslq_f32(m, a, b))

PLI_SIMD4(pli_m4, pli_m4_and, (pli_m4 a, pli_m4 b), vandq_u32(a, b))
PLI_SIMD4(pli_m4, pli_m4_or, (pli_m4 a, pli_m4 b), vorrq_u32(a, b))
PLI_SIMD4(pli_m4, pli_m4_xor, (pli_m4 a, pli_m4 b), veorq_u32(a, b))
PLI_SIMD4(pli_m4, pli_m4_and_not, (pli_m4 a, pli_m4 b), vbicq_u32(a, b))
static inline unsigned pli_m4_movemask(pli_m4 m)
{
    const uint32x4_t bit = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(m, bit));
}
static inline pli_m4 pli_m4_from_bits(unsigned bits)
{
    const uint32x4_t bit = {1, 2, 4, 8};
    return vtstq_u32(vdupq_n_u32(bits), bit);
}
PLI_SIMD4(pli_m4, pli_m4_from_signs, (pli_m4 a),
          vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(a), 31)))
PLI_SIMD4(pli_m4, pli_m4_cast, (pli_f4 a), vreinterpretq_u32_f32(a))

PLI_SIMD4(pli_n4, pli_n4_set1, (int32_t x), vdupq_n_s32(x))
PLI_SIMD4(pli_n4, pli_n4_setr, (int32_t a, int32_t b, int32_t c, int32_t d),
          ((int32x4_t){a, b, c, d}))
PLI_SIMD4(pli_n4, pli_n4_loadu, (const void *p), vreinterpretq_s32_u8(vld1q_u8(p)))
PLI_SIMD4_DO(pli_n4_storeu, (void *p, pli_n4 a), vst1q_u8(p, vreinterpretq_u8_s32(a)))
PLI_SIMD4(pli_n4, pli_n4_add, (pli_n4 a, pli_n4 b), vaddq_s32(a, b))
PLI_SIMD4(pli_n4, pli_n4_sub, (pli_n4 a, pli_n4 b), vsubq_s32(a, b))
PLI_SIMD4(pli_m4, pli_n4_greater, (pli_n4 a, pli_n4 b), vcgtq_s32(a, b))
PLI_SIMD4(pli_m4, pli_n4_equal, (pli_n4 a, pli_n4 b), vceqq_s32(a, b))
PLI_SIMD4(pli_n4, pli_n4_select, (pli_m4 m, pli_n4 a, pli_n4 b), vbslq_s32(m, a, b))
PLI_SIMD4(pli_n4, pli_n4_min, (pli_n4 a, pli_n4 b), vminq_s32(a, b))
PLI_SIMD4(pli_n4, pli_n4_max, (pli_n4 a, pli_n4 b), vmaxq_s32(a, b))
PLI_SIMD4(pli_n4, pli_n4_mullo, (pli_n4 a, pli_n4 b), vmulq_s32(a, b))
PLI_SIMD4(pli_f4, pli_f4_of_ints, (pli_n4 a), vcvtq_f32_s32(a))
PLI_SIMD4(pli_n4, pli_n4_of_floats, (pli_f4 a), vcvtq_s32_f32(a))

PLI_SIMD4(pli_d2, pli_d2_set1, (double x), vdupq_n_f64(x))
PLI_SIMD4(pli_d2, pli_d2_of_floats, (const float *p), vcvt_f64_f32(vld1_f32(p)))
PLI_SIMD4(pli_d2, pli_d2_loadu, (const double *p), vld1q_f64(p))
PLI_SIMD4_DO(pli_d2_storeu, (double *p, pli_d2 a), vst1q_f64(p, a))
PLI_SIMD4(pli_d2, pli_d2_add, (pli_d2 a, pli_d2 b), vaddq_f64(a, b))
PLI_SIMD4(pli_d2, pli_d2_sub, (pli_d2 a, pli_d2 b), vsubq_f64(a, b))
PLI_SIMD4(pli_d2, pli_d2_mul, (pli_d2 a, pli_d2 b), vmulq_f64(a, b))
PLI_SIMD4(pli_d2, pli_d2_div, (pli_d2 a, pli_d2 b), vdivq_f64(a, b))
PLI_SIMD4(pli_d2, pli_d2_sqrt, (pli_d2 a), vsqrtq_f64(a))
PLI_SIMD4(pli_d2, pli_d2_min, (pli_d2 a, pli_d2 b), vbslq_f64(vcltq_f64(a, b), a, b))
PLI_SIMD4(pli_d2, pli_d2_max, (pli_d2 a, pli_d2 b), vbslq_f64(vcgtq_f64(a, b), a, b))
PLI_SIMD4(pli_dm2, pli_d2_less, (pli_d2 a, pli_d2 b), vcltq_f64(a, b))
PLI_SIMD4(pli_dm2, pli_d2_less_equal, (pli_d2 a, pli_d2 b), vcleq_f64(a, b))
PLI_SIMD4(pli_d2, pli_d2_select, (pli_dm2 m, pli_d2 a, pli_d2 b), vbslq_f64(m, a, b))
PLI_SIMD4(pli_dm2, pli_dm2_and, (pli_dm2 a, pli_dm2 b), vandq_u64(a, b))
PLI_SIMD4(pli_dm2, pli_dm2_or, (pli_dm2 a, pli_dm2 b), vorrq_u64(a, b))
PLI_SIMD4(pli_dm2, pli_dm2_xor, (pli_dm2 a, pli_dm2 b), veorq_u64(a, b))
PLI_SIMD4(pli_dm2, pli_dm2_and_not, (pli_dm2 a, pli_dm2 b), vbicq_u64(a, b))
static inline unsigned pli_dm2_movemask(pli_dm2 m)
{
    const uint64x2_t bit = {1, 2};
    return (unsigned)vaddvq_u64(vandq_u64(m, bit));
}
