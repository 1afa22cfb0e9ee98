/* The default floating-point environment (docs/soundness.md, S8) around what computes: callers may
   flush denormals or round another way. What stands between the two calls must not be inlined. */
#ifndef PLI_CUDA_FLOAT_ENV_H
#define PLI_CUDA_FLOAT_ENV_H

#include <fenv.h>

static inline fenv_t pli_cuda_float_env_enter(void)
{
    fenv_t saved;
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    return saved;
}

static inline void pli_cuda_float_env_leave(fenv_t saved)
{
    fesetenv(&saved);
}

#endif
