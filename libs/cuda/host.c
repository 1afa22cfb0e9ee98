/* What whole numbers of 128 bits cannot decide on the device is decided here, by the core's exact
   tests: coordinates of very different sizes, and degenerate triangles. Meanwhile the device puts
   what it found itself in order. */
#include "library.h"

#include <string.h>

static bool touches(const pli_cuda_open *open)
{
    pliant_triangle a, b;
    memcpy(a.corner, open->corner[0], sizeof a.corner);
    memcpy(b.corner, open->corner[1], sizeof b.corner);
    return open->shared_count == 0
               ? pliant_triangle_overlap(&a, &b)
               : pliant_triangle_overlap_beyond(&a, &b, open->shared_count, open->shared[0],
                                                open->shared[1]);
}

/* Keys of those that touch; returns how many. With FIRST they name places among pairs of bodies. */
static uint64_t list_touching(const pli_cuda_open *open, uint64_t count, bool finds_first,
                              pli_cuda_key *keys)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (touches(&open[i])) {
            keys[found] = open[i].key;
            if (finds_first) {
                keys[found].bodies = open[i].place;
            }
            found++;
        }
    }
    return found;
}

/* Hands keys over, and the count of those to be sorted. */
static pliant_result bring_keys(pliant_cuda_scene *scene, const void *keys, uint64_t count,
                                uint64_t *counters)
{
    bool finds_first = scene->step.finds_first != 0;
    uint64_t behind = finds_first ? 0 : counters[PLI_CUDA_TOUCHING], total = behind + count;
    pliant_result result = PLIANT_OK;
    if (total <= scene->capacity[PLI_CUDA_TOUCHING]) {
        result = pli_cuda_upload_bytes(scene->cuda, scene->step.touching + behind, keys,
                                       pli_cuda_bytes(count, sizeof(pli_cuda_key)));
        uint64_t left = finds_first ? 0 : total;
        if (result == PLIANT_OK) {
            result = pli_cuda_upload_bytes(scene->cuda, scene->step.counters + PLI_CUDA_TOUCHING,
                                           &left, sizeof left);
        }
    }
    counters[PLI_CUDA_TOUCHING] = total;
    return result;
}

/* What came to what the device found is sorted with it; with FIRST, the least of each pair of
   bodies is found anew first. */
static pliant_result sort_again(pliant_cuda_scene *scene, uint64_t count, uint64_t *counters)
{
    static const pli_cuda_kernel first[] = {
        PLI_CUDA_KERNEL_merge_first,   PLI_CUDA_KERNEL_clear_buckets, PLI_CUDA_KERNEL_list_first,
        PLI_CUDA_KERNEL_begin_buckets, PLI_CUDA_KERNEL_scatter,       PLI_CUDA_KERNEL_rank,
    };
    static const pli_cuda_kernel all[] = {
        PLI_CUDA_KERNEL_clear_buckets, PLI_CUDA_KERNEL_count, PLI_CUDA_KERNEL_begin_buckets,
        PLI_CUDA_KERNEL_scatter,       PLI_CUDA_KERNEL_rank,
    };
    bool finds_first = scene->step.finds_first != 0;
    pli_cuda_step step = scene->step;
    step.key_count = count;
    return pli_cuda_count(scene, finds_first ? first : all,
                          finds_first ? sizeof first / sizeof first[0] : sizeof all / sizeof all[0],
                          &step, counters);
}

pliant_result pli_cuda_decide_open(pliant_cuda_scene *scene, uint64_t *counters)
{
    uint64_t count = counters[PLI_CUDA_OPEN];
    bool finds_first = scene->step.finds_first != 0;
    if (!pliant_context_reserve_array(scene->context, (size_t)count, sizeof *scene->keys.data,
                                      &scene->keys.array)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    uint64_t found = list_touching(scene->step.open, count, finds_first, scene->keys.data);
    if (found == 0) {
        return PLIANT_OK;
    }
    pliant_result result = bring_keys(scene, scene->keys.data, found, counters);
    return result == PLIANT_OK && counters[PLI_CUDA_TOUCHING] <= scene->capacity[PLI_CUDA_TOUCHING]
               ? sort_again(scene, found, counters)
               : result;
}
