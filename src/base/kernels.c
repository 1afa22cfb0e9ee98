#include "kernels.h"

/* Declares what the build compiles for a set, and makes one table of it. */
#define DEFINE_TABLE(isa)                                                                          \
    extern const struct pli_vertex_kernels pli_vertex_kernels_##isa;                               \
    extern const struct pli_model_kernels pli_model_kernels_##isa;                                 \
    extern const struct pli_pair_kernels pli_pair_kernels_##isa;                                   \
    extern const struct pli_point_kernels pli_point_kernels_##isa;                                 \
    extern const struct pli_overlap_kernels pli_overlap_kernels_##isa;                             \
    extern const struct pli_raster_kernels pli_raster_kernels_##isa;                               \
    extern const struct pli_distance_kernels pli_distance_kernels_##isa;                           \
    extern const struct pli_moving_kernels pli_moving_kernels_##isa;                               \
    extern const struct pli_nearest_kernels pli_nearest_kernels_##isa;                             \
    static const pli_kernels kernels_##isa = {                                                     \
        &pli_vertex_kernels_##isa,  &pli_model_kernels_##isa,    &pli_pair_kernels_##isa,          \
        &pli_point_kernels_##isa,   &pli_distance_kernels_##isa, &pli_moving_kernels_##isa,        \
        &pli_overlap_kernels_##isa, &pli_raster_kernels_##isa,   &pli_nearest_kernels_##isa}

DEFINE_TABLE(plain);
#if PLI_HAVE_X86
DEFINE_TABLE(baseline);
DEFINE_TABLE(avx2);
DEFINE_TABLE(avx512);
#endif

const pli_kernels *pli_kernels_for(pliant_isa isa)
{
    switch (isa) {
#if PLI_HAVE_X86
    case PLIANT_ISA_BASELINE:
        return &kernels_baseline;
    case PLIANT_ISA_AVX2:
        return &kernels_avx2;
    case PLIANT_ISA_AVX512:
        return &kernels_avx512;
#else
    case PLIANT_ISA_BASELINE:
    case PLIANT_ISA_AVX2:
    case PLIANT_ISA_AVX512:
#endif
    case PLIANT_ISA_BEST:
    case PLIANT_ISA_PLAIN:
        break;
    }
    return &kernels_plain;
}

const char *pliant_version(void)
{
#if PLI_HAVE_X86
    return PLIANT_VERSION_TEXT " (avx512 avx2 baseline plain)";
#else
    return PLIANT_VERSION_TEXT " (plain)";
#endif
}

const char *pliant_isa_get_name(pliant_isa isa)
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
