#define WIDE_UPDATE wide_update_avx2
#include "wide_kernel.inl"
