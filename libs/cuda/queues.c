/* Queues between kernels. They grow when a step counted more than they hold. */
#include "library.h"

static const size_t entry_size[PLI_CUDA_STORES] = {
    [PLI_CUDA_BODIES] = sizeof(pli_cuda_bodies),
    [PLI_CUDA_TILES] = sizeof(pli_cuda_pair),
    [PLI_CUDA_GROUPS] = sizeof(pli_cuda_pair),
    [PLI_CUDA_CLUSTERS] = sizeof(pli_cuda_pair),
    [PLI_CUDA_EVALUATED] = sizeof(uint32_t),
    [PLI_CUDA_UNITS] = PLI_CUDA_UNIT * sizeof(float),
    [PLI_CUDA_CANDIDATES] = sizeof(uint64_t),
    [PLI_CUDA_UNDECIDED] = sizeof(uint64_t),
    [PLI_CUDA_OPEN] = sizeof(pli_cuda_open),
    [PLI_CUDA_TOUCHING] = sizeof(pli_cuda_key),
    [PLI_CUDA_STORE_SCATTERED] = sizeof(pli_cuda_key),
    [PLI_CUDA_STORE_SORTED] = sizeof(pliant_cuda_contact),
    [PLI_CUDA_STORE_FIRST] = sizeof(uint64_t),
};

/* The queue that a store goes with. */
static pli_cuda_counter queue_of(int store)
{
    switch (store) {
    case PLI_CUDA_STORE_SCATTERED:
    case PLI_CUDA_STORE_SORTED:
        return PLI_CUDA_TOUCHING;
    case PLI_CUDA_STORE_FIRST:
        return PLI_CUDA_BODIES;
    default:
        return (pli_cuda_counter)store;
    }
}

void pli_cuda_first_capacity(const pliant_cuda_scene *scene, uint64_t wanted[PLI_CUDA_QUEUES])
{
    uint64_t clusters = scene->step.cluster_count, bodies = scene->member_count;
    uint64_t groups = scene->step.group_count;
    wanted[PLI_CUDA_BODIES] = 64 + 4 * bodies;
    wanted[PLI_CUDA_TILES] = 64 + 4 * bodies + groups;
    wanted[PLI_CUDA_GROUPS] = 256 + 8 * groups;
    wanted[PLI_CUDA_CLUSTERS] = 256 + 8 * clusters;
    wanted[PLI_CUDA_EVALUATED] = 64 + scene->step.lazy_count / 16;
    wanted[PLI_CUDA_UNITS] = scene->step.first_units + 12 * wanted[PLI_CUDA_EVALUATED];
    wanted[PLI_CUDA_CANDIDATES] = 4096 + 64 * clusters;
    wanted[PLI_CUDA_UNDECIDED] = 1024 + clusters;
    wanted[PLI_CUDA_OPEN] = 64;
    wanted[PLI_CUDA_TOUCHING] = 1024 + bodies + 4 * clusters;
}

/* All pointers of the step to queues. */
static void set_step(pliant_cuda_scene *scene)
{
    pli_cuda_step *step = &scene->step;
    const pli_cuda_array *store = scene->store;
    for (int q = 0; q < PLI_CUDA_QUEUES; q++) {
        step->capacity[q] = scene->capacity[q];
    }
    step->pairs = store[PLI_CUDA_BODIES].data;
    step->tiles = store[PLI_CUDA_TILES].data;
    step->group_pairs = store[PLI_CUDA_GROUPS].data;
    step->cluster_pairs = store[PLI_CUDA_CLUSTERS].data;
    step->evaluated = store[PLI_CUDA_EVALUATED].data;
    step->vertices = store[PLI_CUDA_UNITS].data;
    step->candidates = store[PLI_CUDA_CANDIDATES].data;
    step->undecided = store[PLI_CUDA_UNDECIDED].data;
    step->open = store[PLI_CUDA_OPEN].data;
    step->touching = store[PLI_CUDA_TOUCHING].data;
    step->scattered = store[PLI_CUDA_STORE_SCATTERED].data;
    step->sorted = store[PLI_CUDA_STORE_SORTED].data;
    step->first = store[PLI_CUDA_STORE_FIRST].data;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

pliant_result pli_cuda_reserve(pliant_cuda_scene *scene, const uint64_t wanted[PLI_CUDA_QUEUES])
{
    /* Places of vertices and of pairs of bodies are numbers of 32 bits. */
    if (wanted[PLI_CUDA_UNITS] >= UINT32_MAX || wanted[PLI_CUDA_BODIES] >= UINT32_MAX ||
        wanted[PLI_CUDA_TOUCHING] >= UINT32_MAX) {
        return pliant_fail(PLIANT_ERROR_TOO_LARGE,
                           "the answer has more parts than a device can number");
    }
    pliant_result result = PLIANT_OK;
    for (int s = 0; s < PLI_CUDA_STORE_DIGITS && result == PLIANT_OK; s++) {
        size_t size = pli_cuda_bytes(wanted[queue_of(s)], entry_size[s]);
        result = pli_cuda_replace(scene->cuda, &scene->store[s], size > 0 ? size : 1);
    }
    /* What could be had is used, also where something else could not. */
    for (int q = 0; q < PLI_CUDA_QUEUES; q++) {
        scene->capacity[q] = UINT64_MAX;
    }
    for (int s = 0; s < PLI_CUDA_STORE_DIGITS; s++) {
        uint64_t *capacity = &scene->capacity[queue_of(s)];
        *capacity = least(*capacity, scene->store[s].size / entry_size[s]);
    }
    set_step(scene);
    return result;
}
