/*
 * The device as the processor plays it: memory is the program's, a launch is a loop over warps, and
 * a warp is a loop over lanes (lanes.h). The kernels are the very functions that the GPU runs.
 */
#include "emulator.h"

#include "pliant/extend.h"

#include "kernel_boxes.h"
#include "kernel_fans.h"
#include "kernel_lazy.h"
#include "kernel_refit.h"
#include "kernel_sort.h"
#include "kernel_tests.h"
#include "kernel_walk.h"

#include <stdlib.h>
#include <string.h>

typedef void (*kernel_function)(const pli_cuda_step *step, const pli_cuda_warp *warp,
                                pli_cuda_scratch *scratch);

#define KERNEL(name, blocks) pli_kernel_##name,
static const kernel_function kernels[PLI_CUDA_KERNEL_COUNT] = {PLI_CUDA_KERNELS(KERNEL)};
#undef KERNEL

static pli_cuda_emulator *emulator_of(pli_cuda_device *device)
{
    return (pli_cuda_emulator *)(void *)device;
}

static void *allocate(pli_cuda_device *device, size_t size)
{
    pli_cuda_emulator *emulator = emulator_of(device);
    emulator->allocations++;
    bool fails = emulator->fail_at != 0 && emulator->allocations >= emulator->fail_at;
    void *memory = fails ? NULL : malloc(size > 0 ? size : 1);
    if (memory != NULL) {
        memset(memory, 0xa5, size); /* nothing may rely on what is there */
        emulator->live++;
    }
    return memory;
}

static void release(pli_cuda_device *device, void *memory)
{
    emulator_of(device)->live -= memory != NULL;
    free(memory);
}

static bool copy(pli_cuda_device *device, void *to, const void *from, size_t size)
{
    (void)device;
    if (size > 0) {
        memcpy(to, from, size);
    }
    return true;
}

/* The next number of a sequence (splitmix64). */
static uint64_t next(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A launch: all warps, from a random one on. Items are shuffled alike for all warps of a launch, so
   that each is met once. */
static void launch(pli_cuda_emulator *emulator, pli_cuda_kernel kernel, const pli_cuda_step *step)
{
    uint64_t state = emulator->seed + ++emulator->launches;
    bool shuffles = emulator->seed != 0;
    uint32_t count = emulator->warps;
    uint32_t first = shuffles ? (uint32_t)(next(&state) % count) : 0;
    pli_cuda_warp warp = {.count = count, .lane_step = 1, .item_step = 1};
    if (shuffles) {
        warp.item_step = next(&state) >> 32 | 1;
        warp.item_start = next(&state) >> 32;
    }
    for (uint32_t i = 0; i < count; i++) {
        pli_cuda_scratch scratch;
        memset(&scratch, 0xa5, sizeof scratch);
        warp.number = (first + i) % count;
        if (shuffles) {
            warp.lane_step = (uint32_t)next(&state) | 1u;
            warp.lane_start = (uint32_t)next(&state) % PLI_CUDA_LANES;
        }
        kernels[kernel](step, &warp, &scratch);
    }
}

static bool run(pli_cuda_device *device, const pli_cuda_kernel *list, uint32_t count,
                const pli_cuda_step *step)
{
    pliant_float_env env;
    pliant_float_env_enter(&env);
    for (uint32_t i = 0; i < count; i++) {
        launch(emulator_of(device), list[i], step); /* kernels are called through pointers */
    }
    pliant_float_env_leave(&env);
    return true;
}

static bool wait(pli_cuda_device *device, const uint64_t *flag)
{
    (void)device;
    return *flag == 1;
}

static bool end(pli_cuda_device *device)
{
    (void)device;
    return true;
}

static void destroy(pli_cuda_device *device)
{
    free(emulator_of(device));
}

pli_cuda_device *pli_cuda_emulate(void)
{
    pli_cuda_emulator *emulator = malloc(sizeof *emulator);
    if (emulator == NULL) {
        return NULL;
    }
    *emulator = (pli_cuda_emulator){
        .device = {.allocate = allocate,
                   .release = release,
                   .allocate_shared = allocate,
                   .release_shared = release,
                   .upload = copy,
                   .download = copy,
                   .run = run,
                   .wait = wait,
                   .end = end,
                   .destroy = destroy,
                   .name = "emulated"},
        .warps = 3,
    };
    return &emulator->device;
}
