/*
 * A GPU by CUDA. Each kernel is launched with as many blocks as run at once, and goes through its
 * queue by itself: counts are read from the device's memory, so that a whole step is one graph,
 * which is kept as long as step and kernels stay the same.
 *
 * Compiled with -fmad=false: vertices are evaluated by definition D1, each operation rounded once.
 */
#include "gpu.h"

#include "pliant/extend.h"

#include "kernel_boxes.h"
#include "kernel_fans.h"
#include "kernel_lazy.h"
#include "kernel_refit.h"
#include "kernel_sort.h"
#include "kernel_tests.h"
#include "kernel_walk.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum {
    BLOCK_WARPS = 4,
    BLOCK_THREADS = BLOCK_WARPS * PLI_CUDA_LANES,
    MOST_KERNELS = 32,
    GRAPHS = 4
};

/* From sm_90 on a kernel's blocks come into place while the kernel before still runs, and wait here
   until all that it wrote can be seen. */
static __device__ __forceinline__ void wait_for_kernel_before()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
}

#define KERNEL(name, blocks)                                                                       \
    static __global__ void __launch_bounds__(BLOCK_THREADS, blocks)                                \
        kernel_##name(const __grid_constant__ pli_cuda_step step)                                  \
    {                                                                                              \
        __shared__ pli_cuda_scratch scratch[BLOCK_WARPS];                                          \
        wait_for_kernel_before();                                                                  \
        uint32_t own = threadIdx.x / PLI_CUDA_LANES;                                               \
        pli_cuda_warp warp = {};                                                                   \
        warp.number = blockIdx.x * BLOCK_WARPS + own;                                              \
        warp.count = gridDim.x * BLOCK_WARPS;                                                      \
        pli_kernel_##name(&step, &warp, &scratch[own]);                                            \
    }
PLI_CUDA_KERNELS(KERNEL)
#undef KERNEL

typedef void (*kernel_function)(pli_cuda_step step);

#define KERNEL(name, blocks) kernel_##name,
static const kernel_function kernels[PLI_CUDA_KERNEL_COUNT] = {PLI_CUDA_KERNELS(KERNEL)};
#undef KERNEL

/* A list of kernels that has been made a graph. */
typedef struct graph {
    cudaGraphExec_t exec; /* NULL: none */
    pli_cuda_kernel kernel[MOST_KERNELS];
    uint32_t count;
    pli_cuda_step step;
    uint64_t used; /* when, to give up the one that was not for longest */
} graph;

typedef struct gpu {
    pli_cuda_device device;
    int number;
    bool owns_stream;
    bool overlaps; /* kernels may come into place early */
    cudaStream_t stream;
    unsigned blocks[PLI_CUDA_KERNEL_COUNT];
    graph graphs[GRAPHS];
    uint64_t clock;
} gpu;

static gpu *gpu_of(pli_cuda_device *device)
{
    return (gpu *)(void *)device;
}

/* Whether a call of CUDA succeeded; else the device's error says what failed. */
static bool fine(gpu *g, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) {
        return true;
    }
    (void)snprintf(g->device.error, sizeof g->device.error, "%s: %s", what,
                   cudaGetErrorString(error));
    (void)cudaGetLastError(); /* errors that do not last are forgotten */
    return false;
}

/* Other code may use another GPU on this thread: each call sets its own, and puts back the other.
 */
typedef struct current {
    int before;
} current;

static current enter(const gpu *g)
{
    current c = {0};
    (void)cudaGetDevice(&c.before);
    if (c.before != g->number) {
        (void)cudaSetDevice(g->number);
    }
    return c;
}

static void leave(const gpu *g, current c)
{
    if (c.before != g->number) {
        (void)cudaSetDevice(c.before);
    }
}

static void *gpu_allocate(pli_cuda_device *device, size_t size)
{
    gpu *g = gpu_of(device);
    current c = enter(g);
    void *memory = NULL;
    bool had = fine(g, cudaMalloc(&memory, size > 0 ? size : 1), "cudaMalloc");
    leave(g, c);
    return had ? memory : NULL;
}

static void gpu_release(pli_cuda_device *device, void *memory)
{
    gpu *g = gpu_of(device);
    current c = enter(g);
    (void)cudaStreamSynchronize(g->stream);
    (void)cudaFree(memory);
    leave(g, c);
}

static void *gpu_allocate_shared(pli_cuda_device *device, size_t size)
{
    gpu *g = gpu_of(device);
    current c = enter(g);
    void *memory = NULL;
    bool had =
        fine(g, cudaHostAlloc(&memory, size > 0 ? size : 1, cudaHostAllocMapped), "cudaHostAlloc");
    leave(g, c);
    return had ? memory : NULL;
}

static void gpu_release_shared(pli_cuda_device *device, void *memory)
{
    gpu *g = gpu_of(device);
    current c = enter(g);
    (void)cudaStreamSynchronize(g->stream);
    (void)cudaFreeHost(memory);
    leave(g, c);
}

static bool copy(gpu *g, void *to, const void *from, size_t size, cudaMemcpyKind kind)
{
    current c = enter(g);
    bool done = size == 0 ||
                (fine(g, cudaMemcpyAsync(to, from, size, kind, g->stream), "cudaMemcpyAsync") &&
                 fine(g, cudaStreamSynchronize(g->stream), "cudaStreamSynchronize"));
    leave(g, c);
    return done;
}

static bool gpu_upload(pli_cuda_device *device, void *to, const void *from, size_t size)
{
    return copy(gpu_of(device), to, from, size, cudaMemcpyHostToDevice);
}

static bool gpu_download(pli_cuda_device *device, void *to, const void *from, size_t size)
{
    return copy(gpu_of(device), to, from, size, cudaMemcpyDeviceToHost);
}

/* `follows`: another kernel of the library is right before it. */
static bool launch(gpu *g, pli_cuda_kernel kernel, const pli_cuda_step *step, cudaStream_t stream,
                   bool follows)
{
    void *arguments[] = {(void *)step};
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(g->blocks[kernel]);
    config.blockDim = dim3(BLOCK_THREADS);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = follows && g->overlaps ? 1 : 0;
    return fine(g, cudaLaunchKernelExC(&config, (const void *)kernels[kernel], arguments),
                "cudaLaunchKernel");
}

static void drop_graph(graph *one)
{
    if (one->exec != NULL) {
        (void)cudaGraphExecDestroy(one->exec);
        one->exec = NULL;
    }
}

/* Makes a graph of a list, on a stream of its own, so that the caller's is not captured. */
static bool make_graph(gpu *g, graph *one, const pli_cuda_kernel *list, uint32_t count,
                       const pli_cuda_step *step)
{
    cudaStream_t stream = NULL;
    cudaGraph_t made = NULL;
    drop_graph(one);
    if (!fine(g, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate")) {
        return false;
    }
    bool done = fine(g, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                     "cudaStreamBeginCapture");
    for (uint32_t i = 0; i < count && done; i++) {
        done = launch(g, list[i], step, stream, i > 0);
    }
    done = fine(g, cudaStreamEndCapture(stream, &made), "cudaStreamEndCapture") && done;
    done = done && fine(g, cudaGraphInstantiate(&one->exec, made, 0), "cudaGraphInstantiate");
    if (made != NULL) {
        (void)cudaGraphDestroy(made);
    }
    (void)cudaStreamDestroy(stream);
    if (done) {
        memcpy(one->kernel, list, count * sizeof *list);
        one->count = count;
        memcpy(&one->step, step, sizeof *step);
    }
    return done;
}

/* The graph of a list, if it was run before on the same step; a new one in place of the oldest if
   it was run but now on another; NULL where that is not worth it. */
static graph *find_graph(gpu *g, const pli_cuda_kernel *list, uint32_t count,
                         const pli_cuda_step *step)
{
    graph *oldest = &g->graphs[0];
    for (int i = 0; i < GRAPHS; i++) {
        graph *one = &g->graphs[i];
        if (one->exec != NULL && one->count == count &&
            memcmp(one->kernel, list, count * sizeof *list) == 0 &&
            memcmp(&one->step, step, sizeof *step) == 0) {
            return one;
        }
        oldest = one->used < oldest->used ? one : oldest;
    }
    return make_graph(g, oldest, list, count, step) ? oldest : NULL;
}

static bool gpu_run(pli_cuda_device *device, const pli_cuda_kernel *list, uint32_t count,
                    const pli_cuda_step *step)
{
    enum { WORTH_A_GRAPH = 6 };
    gpu *g = gpu_of(device);
    current c = enter(g);
    graph *one =
        count >= WORTH_A_GRAPH && count <= MOST_KERNELS ? find_graph(g, list, count, step) : NULL;
    bool done = true;
    if (one != NULL) {
        one->used = ++g->clock;
        done = fine(g, cudaGraphLaunch(one->exec, g->stream), "cudaGraphLaunch");
    } else {
        for (uint32_t i = 0; i < count && done; i++) {
            done = launch(g, list[i], step, g->stream, i > 0);
        }
    }
    leave(g, c);
    return done;
}

/* The flag is looked at where it lies, which is quicker than waiting for the stream; now and then
   the stream is asked whether it still works at all. */
static bool gpu_wait(pli_cuda_device *device, const uint64_t *flag)
{
    enum { LOOKS = 4096 };
    gpu *g = gpu_of(device);
    current c = enter(g);
    bool done = false, works = true;
    while (!done && works) {
        for (int i = 0; i < LOOKS && !done; i++) {
            done = __atomic_load_n(flag, __ATOMIC_ACQUIRE) == 1;
        }
        cudaError_t state = done ? cudaSuccess : cudaStreamQuery(g->stream);
        if (!done && state != cudaErrorNotReady) {
            works = fine(g, state, "cudaStreamQuery");
            done = __atomic_load_n(flag, __ATOMIC_ACQUIRE) == 1;
            if (works && !done) {
                (void)snprintf(g->device.error, sizeof g->device.error,
                               "its work ended without a report");
                works = false;
            }
        }
    }
    leave(g, c);
    return done;
}

static bool gpu_end(pli_cuda_device *device)
{
    gpu *g = gpu_of(device);
    current c = enter(g);
    bool done =
        !g->owns_stream || fine(g, cudaStreamSynchronize(g->stream), "cudaStreamSynchronize");
    leave(g, c);
    return done;
}

static void gpu_destroy(pli_cuda_device *device)
{
    gpu *g = gpu_of(device);
    current c = enter(g);
    for (int i = 0; i < GRAPHS; i++) {
        drop_graph(&g->graphs[i]);
    }
    if (g->owns_stream && g->stream != NULL) {
        (void)cudaStreamDestroy(g->stream);
    }
    leave(g, c);
    free(g);
}

/* As many blocks of each kernel as the GPU runs at once. */
static bool count_blocks(gpu *g, int processors)
{
    for (int k = 0; k < PLI_CUDA_KERNEL_COUNT; k++) {
        int blocks = 0;
        if (!fine(g,
                  cudaFuncSetAttribute((const void *)kernels[k],
                                       cudaFuncAttributePreferredSharedMemoryCarveout,
                                       cudaSharedmemCarveoutMaxShared),
                  "cudaFuncSetAttribute") ||
            !fine(g,
                  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernels[k],
                                                                BLOCK_THREADS, 0),
                  "cudaOccupancyMaxActiveBlocksPerMultiprocessor")) {
            return false;
        }
        g->blocks[k] = (unsigned)(blocks * processors);
    }
    return true;
}

static bool set_up(gpu *g, void *stream)
{
    cudaDeviceProp properties;
    if (!fine(g, cudaSetDevice(g->number), "cudaSetDevice") ||
        !fine(g, cudaGetDeviceProperties(&properties, g->number), "cudaGetDeviceProperties")) {
        return false;
    }
    (void)snprintf(g->device.name, sizeof g->device.name, "%s", properties.name);
    g->overlaps = properties.major >= 9;
    g->stream = (cudaStream_t)stream;
    if (stream == NULL) {
        g->owns_stream = true;
        if (!fine(g, cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking),
                  "cudaStreamCreate")) {
            return false;
        }
    }
    return count_blocks(g, properties.multiProcessorCount);
}

extern "C" pliant_result pli_cuda_open_gpu(int32_t number, void *stream, pli_cuda_device **device)
{
    gpu *g = (gpu *)calloc(1, sizeof *g);
    if (g == NULL) {
        return pliant_fail(PLIANT_ERROR_OUT_OF_MEMORY, "there is no memory for a device");
    }
    g->device.allocate = gpu_allocate;
    g->device.release = gpu_release;
    g->device.allocate_shared = gpu_allocate_shared;
    g->device.release_shared = gpu_release_shared;
    g->device.upload = gpu_upload;
    g->device.download = gpu_download;
    g->device.run = gpu_run;
    g->device.wait = gpu_wait;
    g->device.end = gpu_end;
    g->device.destroy = gpu_destroy;
    g->number = number;
    int before = 0;
    (void)cudaGetDevice(&before);
    bool done = set_up(g, stream);
    (void)cudaSetDevice(before);
    if (!done) {
        char sentence[200];
        (void)snprintf(sentence, sizeof sentence, "GPU %d cannot be used: %s", (int)number,
                       g->device.error);
        gpu_destroy(&g->device);
        return pliant_fail(PLIANT_ERROR_STATE, sentence);
    }
    *device = &g->device;
    return PLIANT_OK;
}
