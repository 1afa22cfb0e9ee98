/*
 * The caller's floating-point environment (base/float_env.h): whatever it is, the library rounds to
 * nearest and keeps denormals, and the caller finds the environment again. A program without a
 * framework, so that it runs wherever the library does.
 */
#include "base/float_env.h"

#include <fenv.h>
#include <stdint.h>
#include <stdio.h>

static int failures;

static void expect(int ok, const char *what)
{
    if (!ok) {
        printf("not so: %s\n", what);
        failures++;
    }
}

/* Numbers that compilers know nothing of. */
static volatile float smallest = 0x1p-149f, normal = 0x1p-126f, one = 1.0f, half_ulp = 0x1p-24f;

static PLI_NOINLINE int keeps_denormals(void)
{
    volatile float sum = smallest + smallest, part = normal * 0.5f;
    return sum == 0x1p-148f && part == 0x1p-127f && part > 0.0f;
}

static PLI_NOINLINE int rounds_to_nearest(void)
{
    volatile float up = one + half_ulp * 1.5f, tie = one + half_ulp, down = -one - half_ulp;
    return up == 1.0f + 0x1p-23f && tie == 1.0f && down == -1.0f;
}

static void check_inside(const char *caller)
{
    pli_float_env saved = pli_float_env_enter();
    int denormals = keeps_denormals(), nearest = rounds_to_nearest();
    pli_float_env_leave(saved);
    expect(denormals, caller);
    expect(nearest, caller);
}

static void check_rounding(void)
{
    const int modes[] = {
        FE_TONEAREST,
#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
        FE_UPWARD,
        FE_DOWNWARD,
        FE_TOWARDZERO
#endif
    };
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        fesetround(modes[i]);
        check_inside("denormals and rounding, where the caller rounds in another way");
        int after = fegetround();
        fesetround(FE_TONEAREST);
        expect(after == modes[i], "the caller's rounding is as it was");
    }
}

/* Flushing denormals is no part of C: each machine has its own switch, or none. */
#if defined(__SSE__)
static uint64_t control(void)
{
    return _mm_getcsr() & ~0x3fu;
}
static void set_control(uint64_t value)
{
    _mm_setcsr((unsigned)value);
}
#define FLUSHING UINT64_C(0x8040) /* results, and operands */
#elif defined(__aarch64__)
static uint64_t control(void)
{
    uint64_t value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
}
static void set_control(uint64_t value)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(value) : "memory");
}
#define FLUSHING UINT64_C(0x03000000) /* denormals; and NaN loses its payload */
#endif

#if defined(FLUSHING)
static void check_flushing(void)
{
    uint64_t usual = control();
    set_control(usual | FLUSHING);
    expect(!keeps_denormals(), "a caller can flush denormals");
    check_inside("denormals and rounding, where the caller flushes");
    uint64_t after = control();
    set_control(usual);
    expect(after == (usual | FLUSHING), "the caller flushes as before");
    expect(keeps_denormals(), "the usual environment keeps denormals");
}
#endif

int main(void)
{
    check_inside("denormals and rounding in the usual environment");
    check_rounding();
#if defined(FLUSHING)
    check_flushing();
#endif
    return failures == 0 ? 0 : 1;
}
