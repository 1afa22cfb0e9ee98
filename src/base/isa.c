#include "isa.h"

const char *pliant_isa_name(pliant_isa isa)
{
    switch (isa) {
    case PLIANT_ISA_BEST:
        return "best";
    case PLIANT_ISA_PLAIN:
        return "plain";
    case PLIANT_ISA_BASELINE:
        return "baseline";
    case PLIANT_ISA_AVX2:
        return "avx2";
    case PLIANT_ISA_AVX512:
        return "avx512";
    }
    return "unknown";
}

#if PLI_HAVE_X86
static pliant_isa best_of_machine(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2")) {
        return PLIANT_ISA_AVX512;
    }
    return __builtin_cpu_supports("avx2") ? PLIANT_ISA_AVX2 : PLIANT_ISA_BASELINE;
}
#else
static pliant_isa best_of_machine(void)
{
    return PLIANT_ISA_PLAIN;
}
#endif

pliant_isa pli_isa_choose(pliant_isa cap)
{
    pliant_isa best = best_of_machine();
    return cap == PLIANT_ISA_BEST || cap > best ? best : cap;
}
