/*
 * The floating-point environment (docs/soundness.md, S8). Callers may flush denormals, round
 * another way or trap exceptions; the library's proofs need round-to-nearest with denormals and no
 * traps. Every public call that computes saves the caller's environment, sets the default one and
 * restores the caller's.
 *
 * The body between enter and leave must be a function that is not inlined (PLI_NOINLINE): compilers
 * may move plain arithmetic across the switch.
 */
#ifndef PLI_BASE_FLOAT_ENV_H
#define PLI_BASE_FLOAT_ENV_H

#include <float.h>

#if FLT_EVAL_METHOD != 0
#error "Pliant needs float arithmetic that rounds to float (FLT_EVAL_METHOD 0); on x86 use SSE"
#endif

#if defined(__GNUC__)
#define PLI_NOINLINE __attribute__((noinline))
#else
#define PLI_NOINLINE
#endif

#if defined(__SSE__) || defined(_M_X64)
#include <xmmintrin.h>

typedef unsigned int pli_float_env;

#define PLI_MXCSR_DEFAULT 0x1f80u /* all exceptions masked, to nearest, denormals kept */
#define PLI_MXCSR_FLAGS   0x003fu

static inline pli_float_env pli_float_env_enter(void)
{
    pli_float_env saved = _mm_getcsr();
    if ((saved & ~PLI_MXCSR_FLAGS) != PLI_MXCSR_DEFAULT) {
        _mm_setcsr(PLI_MXCSR_DEFAULT);
    }
    return saved;
}

static inline void pli_float_env_leave(pli_float_env saved)
{
    if ((saved & ~PLI_MXCSR_FLAGS) != PLI_MXCSR_DEFAULT) {
        _mm_setcsr(saved);
    }
}

#elif defined(__aarch64__) && defined(__GNUC__)
#include <stdint.h>

typedef uint64_t pli_float_env;

/* FPCR: 0 is to nearest, denormals kept, NaN carried on, nothing trapped. The flags of exceptions
   are in another register. */
static inline void pli_set_fpcr(pli_float_env value)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(value) : "memory");
}

static inline pli_float_env pli_float_env_enter(void)
{
    pli_float_env saved;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved) : : "memory");
    if (saved != 0) {
        pli_set_fpcr(0);
    }
    return saved;
}

static inline void pli_float_env_leave(pli_float_env saved)
{
    if (saved != 0) {
        pli_set_fpcr(saved);
    }
}

#elif defined(__wasm__)

/* WebAssembly has one environment only, the default one. */
typedef int pli_float_env;

static inline pli_float_env pli_float_env_enter(void)
{
    return 0;
}

static inline void pli_float_env_leave(pli_float_env saved)
{
    (void)saved;
}

#else
#include <fenv.h>

typedef fenv_t pli_float_env;

static inline pli_float_env pli_float_env_enter(void)
{
    fenv_t saved;
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    return saved;
}

static inline void pli_float_env_leave(pli_float_env saved)
{
    fesetenv(&saved);
}
#endif

#endif
