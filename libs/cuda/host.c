/* What whole numbers of 128 bits cannot decide on the device is decided here, by the core's exact
   tests: coordinates of very different sizes, and degenerate triangles. */
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

/* Keys of those that touch, in place of what they were read from; returns how many. With FIRST
   they name places among pairs of bodies. */
static uint64_t list_touching(void *memory, uint64_t count, bool finds_first)
{
    const pli_cuda_open *open = memory;
    char *to = memory;
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++) {
        pli_cuda_open one = open[i];
        if (touches(&one)) {
            pli_cuda_key key = one.key;
            key.bodies = finds_first ? one.place : key.bodies;
            memcpy(to + found++ * sizeof key, &key, sizeof key);
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
            result = pli_cuda_upload_bytes(scene->cuda,
                                           scene->step.counters + PLI_CUDA_TOUCHING, &left,
                                           sizeof left);
        }
    }
    counters[PLI_CUDA_TOUCHING] = total;
    return result;
}

/* With FIRST: the least of each pair of bodies, found anew. */
static pliant_result merge_first(pliant_cuda_scene *scene, uint64_t count, uint64_t *counters)
{
    static const pli_cuda_kernel kernels[] = {PLI_CUDA_KERNEL_merge_first,
                                              PLI_CUDA_KERNEL_list_first};
    pli_cuda_step step = scene->step;
    pli_cuda_device *device = scene->cuda->device;
    step.key_count = count;
    if (!device->run(device, kernels, 2, &step)) {
        return pli_cuda_fail(PLIANT_ERROR_STATE, "the device failed: %s", device->error);
    }
    return pli_cuda_download_bytes(scene->cuda, &counters[PLI_CUDA_TOUCHING],
                                   scene->step.counters + PLI_CUDA_TOUCHING, sizeof *counters);
}

pliant_result pli_cuda_decide_open(pliant_cuda_scene *scene, uint64_t *counters)
{
    uint64_t count = counters[PLI_CUDA_OPEN];
    bool finds_first = scene->step.finds_first != 0;
    size_t size = pli_cuda_bytes(count, sizeof(pli_cuda_open));
    if (!pli_cuda_grow_block(scene->context, &scene->open, size, 0)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result =
        pli_cuda_download_bytes(scene->cuda, scene->open.data, scene->step.open, size);
    if (result != PLIANT_OK) {
        return result;
    }
    uint64_t found = list_touching(scene->open.data, count, finds_first);
    if (found == 0) {
        return PLIANT_OK;
    }
    result = bring_keys(scene, scene->open.data, found, counters);
    if (result == PLIANT_OK && finds_first &&
        counters[PLI_CUDA_TOUCHING] <= scene->capacity[PLI_CUDA_TOUCHING]) {
        result = merge_first(scene, found, counters);
    }
    return result;
}
