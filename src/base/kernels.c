#include "kernels.h"

#include "simd/simd4.h"

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

/* The build defines PLI_WITH_AVX2 and the like for what it compiles. Where it leaves a set out, the
   next lower one stands in; plain may be left out where there is a baseline. */
#if defined(PLI_WITH_PLAIN)
DEFINE_TABLE(plain);
#define PLAIN_TEXT       "plain"
#define LEAST_EVERYWHERE PLIANT_ISA_PLAIN
#else
#define kernels_plain    kernels_baseline
#define PLAIN_TEXT       "no plain"
#define LEAST_EVERYWHERE PLIANT_ISA_BASELINE
#endif
#if defined(PLI_WITH_BASELINE)
DEFINE_TABLE(baseline);
#define BASELINE_TEXT   "baseline=" PLI_SIMD4_NAME " "
#define BEST_EVERYWHERE PLIANT_ISA_BASELINE
#else
#define kernels_baseline kernels_plain
#define BASELINE_TEXT
#define BEST_EVERYWHERE PLIANT_ISA_PLAIN
#endif
#if defined(PLI_WITH_AVX2)
DEFINE_TABLE(avx2);
DEFINE_TABLE(avx512);
#define WIDE_TEXT "avx512 avx2 "
#else
#define kernels_avx2   kernels_baseline
#define kernels_avx512 kernels_baseline
#define WIDE_TEXT
#endif

const pli_kernels *pli_kernels_for(pliant_isa isa)
{
    switch (isa) {
    case PLIANT_ISA_BASELINE:
        return &kernels_baseline;
    case PLIANT_ISA_AVX2:
        return &kernels_avx2;
    case PLIANT_ISA_AVX512:
        return &kernels_avx512;
    case PLIANT_ISA_BEST:
    case PLIANT_ISA_PLAIN:
        break;
    }
    return &kernels_plain;
}

const char *pliant_version(void)
{
    return PLIANT_VERSION_TEXT " (" WIDE_TEXT BASELINE_TEXT PLAIN_TEXT ")";
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

static pliant_isa best_of_machine(void)
{
#if defined(PLI_WITH_AVX2)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2")) {
        return PLIANT_ISA_AVX512;
    }
    if (__builtin_cpu_supports("avx2")) {
        return PLIANT_ISA_AVX2;
    }
#endif
    return BEST_EVERYWHERE;
}

pliant_isa pli_isa_choose(pliant_isa cap)
{
    pliant_isa best = best_of_machine();
    if (cap == PLIANT_ISA_BEST || cap > best) {
        return best;
    }
    return cap < LEAST_EVERYWHERE ? LEAST_EVERYWHERE : cap;
}
