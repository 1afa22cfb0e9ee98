#define WIDE_UPDATE wide_update_plain
#include "wide_kernel.inl"
