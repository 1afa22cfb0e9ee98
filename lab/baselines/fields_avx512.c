#define EVALUATE_VERTICES baseline_evaluate_avx512
#include "fields_kernel.inl"
