/*
 * What kernels are written on, so that both nvcc and a C compiler take them. A kernel is a function
 * of one warp: a row of *phases*, each of which all 32 lanes go through before the next begins.
 * Between PLI_LANES and PLI_END stands what one lane does; `lane` is its number. What a lane keeps
 * from phase to phase is declared by PLI_VARIES and named by PLI_OF; PLI_REF hands it to a
 * function, which names it by PLI_AT. All else is the same for the whole warp. On the device a
 * phase is the code of a thread with __syncwarp() behind it; in the emulator it is a loop over the
 * lanes, in an order that tests shuffle. What lanes learn of each other they learn between phases,
 * by the functions at the end, or through the warp's scratch.
 *
 * Atomic operations change memory that other warps change too. Nothing may depend on the order in
 * which warps or lanes come to it but where things lie in a queue.
 */
#ifndef PLI_CUDA_LANES_H
#define PLI_CUDA_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
#endif

enum { PLI_CUDA_LANES = 32 };

#define PLI_ALL_LANES 0xffffffffu

#ifdef __CUDACC__

#define PLI_DEVICE             static __device__ __forceinline__
#define PLI_DEVICE_CALL        static __device__ __noinline__ /* long, rarely used code */
#define PLI_VARIES(type, name) type name
#define PLI_OF(name)           name
#define PLI_REF(name)          (&(name))
#define PLI_AT(pointer)        (*(pointer))
#define PLI_LANES(warp)                                                                            \
    {                                                                                              \
        const uint32_t lane = threadIdx.x & 31u;                                                   \
        (void)lane;
#define PLI_END                                                                                    \
    }                                                                                              \
    __syncwarp();
#define PLI_UNROLL          _Pragma("unroll")
#define PLI_UNROLL_BY_FOUR  _Pragma("unroll 4")
#define PLI_UNROLL_BY_EIGHT _Pragma("unroll 8")

#else

#define PLI_DEVICE             static inline
#define PLI_DEVICE_CALL        static inline
#define PLI_VARIES(type, name) type name[PLI_CUDA_LANES]
#define PLI_OF(name)           name[lane]
#define PLI_REF(name)          (name)
#define PLI_AT(pointer)        ((pointer)[lane])
#define PLI_LANES(warp)                                                                            \
    for (uint32_t turn_ = 0; turn_ < PLI_CUDA_LANES; turn_++) {                                    \
        const uint32_t lane = (turn_ * (warp)->lane_step + (warp)->lane_start) % PLI_CUDA_LANES;   \
        (void)lane;
#define PLI_END }
#define PLI_UNROLL
#define PLI_UNROLL_BY_FOUR
#define PLI_UNROLL_BY_EIGHT

#endif

#ifdef __CUDACC__
#define PLI_ALIGN_16 __align__(16)
#else
#define PLI_ALIGN_16 _Alignas(16)
#endif

/* Four numbers, of whatever kind, that are copied at once. */
typedef struct pli_cuda_four {
    PLI_ALIGN_16 uint32_t of[4];
} pli_cuda_four;

/* A warp of a launch. The emulator goes through lanes and items in shuffled orders. */
typedef struct pli_cuda_warp {
    uint32_t number, count;         /* of the warps of the launch */
    uint32_t lane_start, lane_step; /* lane of turn t: start + t step modulo 32, step odd */
    uint64_t item_start, item_step; /* item of place i among n: start + i step modulo n, where the
                                       step has no factor in common with n */
} pli_cuda_warp;

/* Which item of n stands in place i. */
PLI_DEVICE uint64_t pli_item(const pli_cuda_warp *warp, uint64_t i, uint64_t n)
{
#ifdef __CUDACC__
    (void)warp;
    (void)n;
    return i;
#else
    uint64_t step = warp->item_step % n, a = n, b = step;
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)(a == 1 ? step : 1) * i + warp->item_start) % n);
#endif
}

#ifdef __CUDACC__

typedef unsigned long long pli_count; /* as CUDA's atomics have it */

PLI_DEVICE uint64_t pli_atomic_add(uint64_t *at, uint64_t n)
{
    return atomicAdd((pli_count *)at, (pli_count)n);
}

PLI_DEVICE uint32_t pli_atomic_add32(uint32_t *at, uint32_t n)
{
    return atomicAdd(at, n);
}

PLI_DEVICE void pli_atomic_min(uint64_t *at, uint64_t value)
{
    atomicMin((pli_count *)at, (pli_count)value);
}

PLI_DEVICE void pli_atomic_max(uint64_t *at, uint64_t value)
{
    atomicMax((pli_count *)at, (pli_count)value);
}

PLI_DEVICE uint32_t pli_atomic_exchange(uint32_t *at, uint32_t value)
{
    return atomicExch(at, value);
}

PLI_DEVICE void pli_atomic_min_int(int32_t *at, int32_t value)
{
    atomicMin(at, value);
}

PLI_DEVICE void pli_atomic_max_int(int32_t *at, int32_t value)
{
    atomicMax(at, value);
}

PLI_DEVICE int32_t pli_bits_of(float x)
{
    return __float_as_int(x);
}

PLI_DEVICE float pli_float_of_bits(int32_t bits)
{
    return __int_as_float(bits);
}

PLI_DEVICE uint32_t pli_lowest_bit(uint32_t bits)
{
    return (uint32_t)__ffs((int)bits) - 1u;
}

PLI_DEVICE uint32_t pli_count_bits(uint32_t bits)
{
    return (uint32_t)__popc(bits);
}

/* The upper half of a product. */
PLI_DEVICE uint64_t pli_multiply_high(uint64_t a, uint64_t b)
{
    return __umul64hi(a, b);
}

/* Two numbers rounded to half precision, the first in the lower half. */
PLI_DEVICE uint32_t pli_two_halves(float low, float high)
{
    __half2 two = __floats2half2_rn(low, high);
    return *(const uint32_t *)&two;
}

/* 1 where both halves of each of three numbers are at most those of three others, else 0. */
PLI_DEVICE uint32_t pli_halves_at_most(const uint32_t a[3], const uint32_t b[3])
{
    uint32_t all;
    asm("{\n"
        ".reg .pred x, y;\n"
        "setp.le.f16x2 x|y, %1, %4;\n"
        "and.pred x, x, y;\n"
        "setp.le.and.f16x2 x|y, %2, %5, x;\n"
        "and.pred x, x, y;\n"
        "setp.le.and.f16x2 x|y, %3, %6, x;\n"
        "and.pred x, x, y;\n"
        "selp.u32 %0, 1, 0, x;\n"
        "}"
        : "=r"(all)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(b[0]), "r"(b[1]), "r"(b[2]));
    return all;
}

/* Begins to copy to the scratch; it is there once pli_await_copies() returned. */
PLI_DEVICE void pli_copy_four(pli_cuda_four *to, const pli_cuda_four *from)
{
    __pipeline_memcpy_async(to, from, sizeof *to);
}

PLI_DEVICE void pli_await_copies()
{
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

/* Adds n once for the whole warp; all lanes get what was there before. */
PLI_DEVICE uint64_t pli_warp_add(uint64_t *at, uint64_t n)
{
    pli_count before = 0;
    if ((threadIdx.x & 31u) == 0) {
        before = atomicAdd((pli_count *)at, (pli_count)n);
    }
    return __shfl_sync(PLI_ALL_LANES, before, 0);
}

/* Tells the processor, by setting *flag to 1, once it can see what this warp wrote before. */
PLI_DEVICE void pli_tell(uint64_t *flag)
{
    __threadfence_system();
    __syncwarp();
    if ((threadIdx.x & 31u) == 0) {
        *(volatile pli_count *)flag = 1;
    }
}

/* What lane 0 has. */
PLI_DEVICE uint64_t pli_of_first_lane(const uint64_t *value)
{
    return __shfl_sync(PLI_ALL_LANES, *(const pli_count *)value, 0);
}

/* The lanes whose value is not 0. */
PLI_DEVICE uint32_t pli_ballot(const uint32_t *value)
{
    return __ballot_sync(PLI_ALL_LANES, *value != 0);
}

/* Each lane's value becomes the sum of those of lower lanes; returns the sum of all. */
PLI_DEVICE uint32_t pli_scan(uint32_t *value)
{
    uint32_t lane = threadIdx.x & 31u, own = *value, sum = own;
    for (uint32_t d = 1; d < 32; d *= 2) {
        uint32_t below = __shfl_up_sync(PLI_ALL_LANES, sum, d);
        sum += lane >= d ? below : 0;
    }
    *value = sum - own;
    return __shfl_sync(PLI_ALL_LANES, sum, 31);
}

/* The least and the greatest value of all lanes. */
PLI_DEVICE int32_t pli_least(const int32_t *value)
{
    return __reduce_min_sync(PLI_ALL_LANES, *value);
}

PLI_DEVICE int32_t pli_greatest(const int32_t *value)
{
    return __reduce_max_sync(PLI_ALL_LANES, *value);
}

/* The least value of each eight lanes in a row, for all of them. */
PLI_DEVICE void pli_least_of_eight(int32_t *value)
{
    for (int d = 4; d > 0; d /= 2) {
        int32_t other = __shfl_xor_sync(PLI_ALL_LANES, *value, d);
        *value = other < *value ? other : *value;
    }
}

#else

PLI_DEVICE uint64_t pli_atomic_add(uint64_t *at, uint64_t n)
{
    uint64_t before = *at;
    *at += n;
    return before;
}

PLI_DEVICE uint32_t pli_atomic_add32(uint32_t *at, uint32_t n)
{
    uint32_t before = *at;
    *at += n;
    return before;
}

PLI_DEVICE void pli_atomic_min(uint64_t *at, uint64_t value)
{
    *at = value < *at ? value : *at;
}

PLI_DEVICE void pli_atomic_max(uint64_t *at, uint64_t value)
{
    *at = value > *at ? value : *at;
}

PLI_DEVICE uint32_t pli_atomic_exchange(uint32_t *at, uint32_t value)
{
    uint32_t before = *at;
    *at = value;
    return before;
}

PLI_DEVICE void pli_atomic_min_int(int32_t *at, int32_t value)
{
    *at = value < *at ? value : *at;
}

PLI_DEVICE void pli_atomic_max_int(int32_t *at, int32_t value)
{
    *at = value > *at ? value : *at;
}

PLI_DEVICE int32_t pli_bits_of(float x)
{
    union {
        float real;
        int32_t bits;
    } both;
    both.real = x;
    return both.bits;
}

PLI_DEVICE float pli_float_of_bits(int32_t bits)
{
    union {
        float real;
        int32_t bits;
    } both;
    both.bits = bits;
    return both.real;
}

PLI_DEVICE uint32_t pli_lowest_bit(uint32_t bits)
{
    return (uint32_t)__builtin_ctz(bits);
}

PLI_DEVICE uint32_t pli_count_bits(uint32_t bits)
{
    return (uint32_t)__builtin_popcount(bits);
}

PLI_DEVICE uint64_t pli_multiply_high(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b >> 64);
}

/* To the nearest number of half precision, of two as near the even one. */
PLI_DEVICE uint32_t pli_half_of(float x)
{
    uint32_t bits = (uint32_t)pli_bits_of(x), sign = bits >> 16 & 0x8000u,
             size = bits & 0x7fffffffu;
    if (size >= 0x47800000u) { /* 2^16 and more */
        return sign | 0x7c00u;
    }
    /* Bits that go, and more of them where the half is denormal. */
    uint32_t drop = size >= 0x38800000u ? 13 : 126 - (size >> 23);
    if (drop > 24) {
        return sign;
    }
    uint32_t whole = size >= 0x38800000u ? size - 0x38000000u : (size & 0x7fffffu) | 0x800000u;
    uint32_t kept = whole >> drop, rest = whole & ((1u << drop) - 1), middle = 1u << (drop - 1);
    return sign | (kept + (rest > middle || (rest == middle && (kept & 1u) != 0) ? 1 : 0));
}

PLI_DEVICE uint32_t pli_two_halves(float low, float high)
{
    return pli_half_of(low) | pli_half_of(high) << 16;
}

/* Halves, none of them NaN, as whole numbers in their order; both zeros are one. */
PLI_DEVICE int32_t pli_order_of_half(uint32_t half)
{
    return (half & 0x8000u) != 0 ? -(int32_t)(half & 0x7fffu) : (int32_t)half;
}

PLI_DEVICE uint32_t pli_halves_at_most(const uint32_t a[3], const uint32_t b[3])
{
    bool all = true;
    for (int k = 0; k < 3; k++) {
        all = all && pli_order_of_half(a[k] & 0xffffu) <= pli_order_of_half(b[k] & 0xffffu) &&
              pli_order_of_half(a[k] >> 16) <= pli_order_of_half(b[k] >> 16);
    }
    return all;
}

PLI_DEVICE void pli_copy_four(pli_cuda_four *to, const pli_cuda_four *from)
{
    *to = *from;
}

PLI_DEVICE void pli_await_copies(void)
{
}

PLI_DEVICE uint64_t pli_warp_add(uint64_t *at, uint64_t n)
{
    return pli_atomic_add(at, n);
}

PLI_DEVICE void pli_tell(uint64_t *flag)
{
    *flag = 1;
}

PLI_DEVICE uint64_t pli_of_first_lane(const uint64_t *value)
{
    return value[0];
}

PLI_DEVICE uint32_t pli_ballot(const uint32_t *value)
{
    uint32_t lanes = 0;
    for (int i = 0; i < PLI_CUDA_LANES; i++) {
        lanes |= (uint32_t)(value[i] != 0) << i;
    }
    return lanes;
}

PLI_DEVICE uint32_t pli_scan(uint32_t *value)
{
    uint32_t sum = 0;
    for (int i = 0; i < PLI_CUDA_LANES; i++) {
        uint32_t own = value[i];
        value[i] = sum;
        sum += own;
    }
    return sum;
}

PLI_DEVICE int32_t pli_least(const int32_t *value)
{
    int32_t best = value[0];
    for (int i = 1; i < PLI_CUDA_LANES; i++) {
        best = value[i] < best ? value[i] : best;
    }
    return best;
}

PLI_DEVICE int32_t pli_greatest(const int32_t *value)
{
    int32_t best = value[0];
    for (int i = 1; i < PLI_CUDA_LANES; i++) {
        best = value[i] > best ? value[i] : best;
    }
    return best;
}

PLI_DEVICE void pli_least_of_eight(int32_t *value)
{
    for (int i = 0; i < PLI_CUDA_LANES; i += 8) {
        int32_t best = value[i];
        for (int k = 1; k < 8; k++) {
            best = value[i + k] < best ? value[i + k] : best;
        }
        for (int k = 0; k < 8; k++) {
            value[i + k] = best;
        }
    }
}

#endif

/* How many of the lanes in a set are lower than this one. */
PLI_DEVICE uint32_t pli_lower_lanes(uint32_t lanes, uint32_t lane)
{
    return pli_count_bits(lanes & ((1u << lane) - 1u));
}

/* A whole number that is less for lesser floats; 0 and -0 have the same. */
PLI_DEVICE int32_t pli_order_of(float x)
{
    int32_t bits = pli_bits_of(x + 0.0f);
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}

/* The float that has such a number. */
PLI_DEVICE float pli_float_of(int32_t order)
{
    return pli_float_of_bits(order < 0 ? order ^ 0x7fffffff : order);
}

#endif
