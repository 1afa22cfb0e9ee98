/* Part of simd4.h: its table in WebAssembly, whose pmin(b, a) is a < b ? a : b. */
#include <wasm_simd128.h>

typedef v128_t pli_f4;
typedef v128_t pli_m4;
typedef v128_t pli_n4;
typedef v128_t pli_d2;
typedef v128_t pli_dm2;

/* By a number of bits that is a constant. */
#define pli_n4_srai(a, bits) wasm_i32x4_shr(a, bits)
#define pli_n4_slli(a, bits) wasm_i32x4_shl(a, bits)

PLI_SIMD4(pli_f4, pli_f4_set1, (float x), wasm_f32x4_splat(x))
PLI_SIMD4(pli_f4, pli_f4_setr, (float a, float b, float c, float d), wasm_f32x4_make(a, b, c, d))
PLI_SIMD4(pli_f4, pli_f4_loadu, (const float *p), wasm_v128_load(p))
PLI_SIMD4(pli_f4, pli_f4_load, (const float *p), wasm_v128_load(p))
PLI_SIMD4_DO(pli_f4_storeu, (float *p, pli_f4 a), wasm_v128_store(p, a))
PLI_SIMD4(pli_f4, pli_f4_add, (pli_f4 a, pli_f4 b), wasm_f32x4_add(a, b))
PLI_SIMD4(pli_f4, pli_f4_sub, (pli_f4 a, pli_f4 b), wasm_f32x4_sub(a, b))
PLI_SIMD4(pli_f4, pli_f4_mul, (pli_f4 a, pli_f4 b), wasm_f32x4_mul(a, b))
PLI_SIMD4(pli_f4, pli_f4_div, (pli_f4 a, pli_f4 b), wasm_f32x4_div(a, b))
PLI_SIMD4(pli_f4, pli_f4_sqrt, (pli_f4 a), wasm_f32x4_sqrt(a))
PLI_SIMD4(pli_f4, pli_f4_min, (pli_f4 a, pli_f4 b), wasm_f32x4_pmin(b, a))
PLI_SIMD4(pli_f4, pli_f4_max, (pli_f4 a, pli_f4 b), wasm_f32x4_pmax(b, a))
PLI_SIMD4(pli_f4, pli_f4_abs, (pli_f4 a), wasm_f32x4_abs(a))
PLI_SIMD4(pli_f4, pli_f4_unpacklo, (pli_f4 a, pli_f4 b), wasm_i32x4_shuffle(a, b, 0, 4, 1, 5))
PLI_SIMD4(pli_f4, pli_f4_unpackhi, (pli_f4 a, pli_f4 b), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7))
PLI_SIMD4(pli_f4, pli_f4_low_halves, (pli_f4 a, pli_f4 b), wasm_i32x4_shuffle(a, b, 0, 1, 4, 5))
PLI_SIMD4(pli_f4, pli_f4_high_halves, (pli_f4 a, pli_f4 b), wasm_i32x4_shuffle(a, b, 2, 3, 6, 7))
PLI_SIMD4(pli_f4, pli_f4_swap_halves, (pli_f4 a), wasm_i32x4_shuffle(a, a, 2, 3, 0, 1))
PLI_SIMD4(pli_f4, pli_f4_swap_pairs, (pli_f4 a), wasm_i32x4_shuffle(a, a, 1, 0, 3, 2))
PLI_SIMD4(pli_m4, pli_f4_less, (pli_f4 a, pli_f4 b), wasm_f32x4_lt(a, b))
PLI_SIMD4(pli_m4, pli_f4_less_equal, (pli_f4 a, pli_f4 b), wasm_f32x4_le(a, b))
PLI_SIMD4(float, pli_f4_first, (pli_f4 a), wasm_f32x4_extract_lane(a, 0))
PLI_SIMD4(pli_f4, pli_f4_select, (pli_m4 m, pli_f4 a, pli_f4 b), wasm_v128_bitselect(a, b, m))

PLI_SIMD4(pli_m4, pli_m4_and, (pli_m4 a, pli_m4 b), wasm_v128_and(a, b))
PLI_SIMD4(pli_m4, pli_m4_or, (pli_m4 a, pli_m4 b), wasm_v128_or(a, b))
PLI_SIMD4(pli_m4, pli_m4_xor, (pli_m4 a, pli_m4 b), wasm_v128_xor(a, b))
PLI_SIMD4(pli_m4, pli_m4_and_not, (pli_m4 a, pli_m4 b), wasm_v128_andnot(a, b))
PLI_SIMD4(unsigned, pli_m4_movemask, (pli_m4 m), wasm_i32x4_bitmask(m))
static inline pli_m4 pli_m4_from_bits(unsigned bits)
{
    const v128_t bit = wasm_i32x4_const(1, 2, 4, 8);
    return wasm_i32x4_eq(wasm_v128_and(wasm_i32x4_splat((int32_t)bits), bit), bit);
}
PLI_SIMD4(pli_m4, pli_m4_from_signs, (pli_m4 a), wasm_i32x4_shr(a, 31))
PLI_SIMD4(pli_m4, pli_m4_cast, (pli_f4 a), a)

PLI_SIMD4(pli_n4, pli_n4_set1, (int32_t x), wasm_i32x4_splat(x))
PLI_SIMD4(pli_n4, pli_n4_setr, (int32_t a, int32_t b, int32_t c, int32_t d),
          wasm_i32x4_make(a, b, c, d))
PLI_SIMD4(pli_n4, pli_n4_loadu, (const void *p), wasm_v128_load(p))
PLI_SIMD4_DO(pli_n4_storeu, (void *p, pli_n4 a), wasm_v128_store(p, a))
PLI_SIMD4(pli_n4, pli_n4_add, (pli_n4 a, pli_n4 b), wasm_i32x4_add(a, b))
PLI_SIMD4(pli_n4, pli_n4_sub, (pli_n4 a, pli_n4 b), wasm_i32x4_sub(a, b))
PLI_SIMD4(pli_m4, pli_n4_greater, (pli_n4 a, pli_n4 b), wasm_i32x4_gt(a, b))
PLI_SIMD4(pli_m4, pli_n4_equal, (pli_n4 a, pli_n4 b), wasm_i32x4_eq(a, b))
PLI_SIMD4(pli_n4, pli_n4_select, (pli_m4 m, pli_n4 a, pli_n4 b), wasm_v128_bitselect(a, b, m))
PLI_SIMD4(pli_n4, pli_n4_min, (pli_n4 a, pli_n4 b), wasm_i32x4_min(a, b))
PLI_SIMD4(pli_n4, pli_n4_max, (pli_n4 a, pli_n4 b), wasm_i32x4_max(a, b))
PLI_SIMD4(pli_n4, pli_n4_mullo, (pli_n4 a, pli_n4 b), wasm_i32x4_mul(a, b))
PLI_SIMD4(pli_f4, pli_f4_of_ints, (pli_n4 a), wasm_f32x4_convert_i32x4(a))
PLI_SIMD4(pli_n4, pli_n4_of_floats, (pli_f4 a), wasm_i32x4_trunc_sat_f32x4(a))

PLI_SIMD4(pli_d2, pli_d2_set1, (double x), wasm_f64x2_splat(x))
PLI_SIMD4(pli_d2, pli_d2_of_floats, (const float *p),
          wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(p)))
PLI_SIMD4(pli_d2, pli_d2_loadu, (const double *p), wasm_v128_load(p))
PLI_SIMD4_DO(pli_d2_storeu, (double *p, pli_d2 a), wasm_v128_store(p, a))
PLI_SIMD4(pli_d2, pli_d2_add, (pli_d2 a, pli_d2 b), wasm_f64x2_add(a, b))
PLI_SIMD4(pli_d2, pli_d2_sub, (pli_d2 a, pli_d2 b), wasm_f64x2_sub(a, b))
PLI_SIMD4(pli_d2, pli_d2_mul, (pli_d2 a, pli_d2 b), wasm_f64x2_mul(a, b))
PLI_SIMD4(pli_d2, pli_d2_div, (pli_d2 a, pli_d2 b), wasm_f64x2_div(a, b))
PLI_SIMD4(pli_d2, pli_d2_sqrt, (pli_d2 a), wasm_f64x2_sqrt(a))
PLI_SIMD4(pli_d2, pli_d2_min, (pli_d2 a, pli_d2 b), wasm_f64x2_pmin(b, a))
PLI_SIMD4(pli_d2, pli_d2_max, (pli_d2 a, pli_d2 b), wasm_f64x2_pmax(b, a))
PLI_SIMD4(pli_dm2, pli_d2_less, (pli_d2 a, pli_d2 b), wasm_f64x2_lt(a, b))
PLI_SIMD4(pli_dm2, pli_d2_less_equal, (pli_d2 a, pli_d2 b), wasm_f64x2_le(a, b))
PLI_SIMD4(pli_d2, pli_d2_select, (pli_dm2 m, pli_d2 a, pli_d2 b), wasm_v128_bitselect(a, b, m))
PLI_SIMD4(pli_dm2, pli_dm2_and, (pli_dm2 a, pli_dm2 b), wasm_v128_and(a, b))
PLI_SIMD4(pli_dm2, pli_dm2_or, (pli_dm2 a, pli_dm2 b), wasm_v128_or(a, b))
PLI_SIMD4(pli_dm2, pli_dm2_xor, (pli_dm2 a, pli_dm2 b), wasm_v128_xor(a, b))
PLI_SIMD4(pli_dm2, pli_dm2_and_not, (pli_dm2 a, pli_dm2 b), wasm_v128_andnot(a, b))
PLI_SIMD4(unsigned, pli_dm2_movemask, (pli_dm2 m), wasm_i64x2_bitmask(m))
