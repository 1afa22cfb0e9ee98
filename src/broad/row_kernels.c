#include "row_kernels.h"

#include "base/isa.h"

const pli_row_kernels *pli_row_kernels_for(pliant_isa isa)
{
    switch (isa) {
#if PLI_HAVE_X86
    case PLIANT_ISA_AVX512:
        return &pli_row_kernels_avx512;
    case PLIANT_ISA_AVX2:
        return &pli_row_kernels_avx2;
    case PLIANT_ISA_BASELINE:
        return &pli_row_kernels_baseline;
#else
    case PLIANT_ISA_AVX512:
    case PLIANT_ISA_AVX2:
    case PLIANT_ISA_BASELINE:
#endif
    case PLIANT_ISA_BEST:
    case PLIANT_ISA_PLAIN:
        break;
    }
    return &pli_row_kernels_plain;
}
