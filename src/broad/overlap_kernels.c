#include "overlap_kernels.h"

#include "base/isa.h"

PLI_DEFINE_KERNELS_FOR(overlap)
