#define EVALUATE_VERTICES baseline_evaluate_avx2
#include "fields_kernel.inl"
