#define WIDE_UPDATE wide_update_avx512
#include "wide_kernel.inl"
