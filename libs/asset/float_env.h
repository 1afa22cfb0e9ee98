/*
 * The default floating-point environment (docs/soundness.md, S8) around what computes: callers may
 * flush denormals, round another way or trap exceptions. The body between enter and leave must be a
 * function that is not inlined, for compilers may move plain arithmetic across the switch.
 */
#ifndef PLI_ASSET_FLOAT_ENV_H
#define PLI_ASSET_FLOAT_ENV_H

#include <fenv.h>

#if defined(__GNUC__)
#define PLI_ASSET_NOINLINE __attribute__((noinline))
#else
#define PLI_ASSET_NOINLINE
#endif

static inline fenv_t pli_asset_float_env_enter(void)
{
    fenv_t saved;
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    return saved;
}

static inline void pli_asset_float_env_leave(fenv_t saved)
{
    fesetenv(&saved);
}

#endif
