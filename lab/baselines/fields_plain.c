#define EVALUATE_VERTICES baseline_evaluate_plain
#include "fields_kernel.inl"
