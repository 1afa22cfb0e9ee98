/* Sorting by digits, a pass for each, from the last to the first. */
#include "library.h"

static uint32_t digits_below(uint64_t limit)
{
    uint32_t digits = 0;
    for (; limit > 1; limit = (limit - 1) / PLI_CUDA_DIGITS + 1) {
        digits = digits << 1 | 1u;
    }
    return digits;
}

uint32_t pli_cuda_contact_digits(const pliant_cuda_scene *scene)
{
    uint32_t triangles = digits_below(scene->most_triangles);
    uint32_t bodies = digits_below(scene->members.count);
    return triangles | triangles << 4 | bodies << 8 | bodies << 12;
}

/* One pass: keys go from one array to the other. */
static pliant_result sort_by_digit(pliant_cuda_scene *scene, pli_cuda_step *step, uint32_t digit)
{
    static const pli_cuda_kernel kernels[] = {
        PLI_CUDA_KERNEL_digit_count,
        PLI_CUDA_KERNEL_digit_begin,
        PLI_CUDA_KERNEL_digit_scatter,
    };
    step->digit = digit;
    pliant_result result = pli_cuda_begin(scene, kernels, 3, step);
    pli_cuda_key *sorted = step->scattered;
    step->scattered = step->touching;
    step->touching = sorted;
    return result;
}

pliant_result pli_cuda_sort_by_digits(pliant_cuda_scene *scene, uint64_t count, uint32_t digits)
{
    uint64_t runs = (count + PLI_CUDA_DIGIT_RUN - 1) / PLI_CUDA_DIGIT_RUN;
    size_t size = pli_cuda_bytes((runs + 1) * PLI_CUDA_DIGITS, sizeof(uint32_t));
    pliant_result result =
        pli_cuda_replace(scene->cuda, &scene->store[PLI_CUDA_STORE_DIGITS], size > 0 ? size : 1);
    pli_cuda_step step = scene->step;
    step.digit_counts = scene->store[PLI_CUDA_STORE_DIGITS].data;
    step.key_count = count;
    uint32_t lowest = 0, passes = 0;
    for (uint32_t left = digits; left != 0; left &= left - 1) {
        passes++;
    }
    while (lowest < 15 && (digits >> lowest & 1u) == 0) {
        lowest++;
    }
    /* An even number of passes ends in the array in which it began: the first is done twice. */
    if (passes % 2 != 0 && result == PLIANT_OK) {
        result = sort_by_digit(scene, &step, lowest);
    }
    for (uint32_t digit = 0; digit < 16 && result == PLIANT_OK; digit++) {
        if ((digits >> digit & 1u) != 0) {
            result = sort_by_digit(scene, &step, digit);
        }
    }
    return result;
}
