/* Queues between kernels. They grow when a step counted more than they hold. */
#include "library.h"

/* An array that goes with a queue: bytes of an entry, and entries of the queue for one of these. */
typedef struct store {
    pli_cuda_counter queue;
    uint32_t size, per;
} store;

enum { FIXED_STORES = PLI_CUDA_STORE_BUCKETS };

static const store stores[FIXED_STORES] = {
    [PLI_CUDA_BODIES] = {PLI_CUDA_BODIES, sizeof(pli_cuda_bodies), 1},
    [PLI_CUDA_TILES] = {PLI_CUDA_TILES, sizeof(pli_cuda_pair), 1},
    [PLI_CUDA_OCTETS] = {PLI_CUDA_OCTETS, sizeof(pli_cuda_pair), 1},
    [PLI_CUDA_CLUSTERS] = {PLI_CUDA_CLUSTERS, sizeof(pli_cuda_pair), 1},
    [PLI_CUDA_EVALUATED] = {PLI_CUDA_EVALUATED, sizeof(uint32_t), 1},
    [PLI_CUDA_UNITS] = {PLI_CUDA_UNITS, PLI_CUDA_UNIT * sizeof(float), 1},
    [PLI_CUDA_CANDIDATES] = {PLI_CUDA_CANDIDATES, sizeof(uint32_t), 1},
    [PLI_CUDA_NEIGHBOURS] = {PLI_CUDA_NEIGHBOURS, sizeof(uint64_t), 1},
    [PLI_CUDA_UNDECIDED] = {PLI_CUDA_UNDECIDED, sizeof(uint64_t), 1},
    [PLI_CUDA_OPEN] = {PLI_CUDA_OPEN, sizeof(pli_cuda_open), 1},
    [PLI_CUDA_TOUCHING] = {PLI_CUDA_TOUCHING, sizeof(pli_cuda_key), 1},
    [PLI_CUDA_STORE_BASES] = {PLI_CUDA_CANDIDATES, sizeof(uint32_t), PLI_CUDA_CHUNK},
    [PLI_CUDA_STORE_SCATTERED] = {PLI_CUDA_TOUCHING, sizeof(pli_cuda_key), 1},
    [PLI_CUDA_STORE_SORTED] = {PLI_CUDA_TOUCHING, sizeof(pliant_cuda_contact), 1},
    [PLI_CUDA_STORE_FIRST] = {PLI_CUDA_BODIES, sizeof(uint64_t), 1},
};

void pli_cuda_first_capacity(const pliant_cuda_scene *scene, uint64_t wanted[PLI_CUDA_QUEUES])
{
    const pli_cuda_step *step = &scene->step;
    uint64_t clusters = step->cluster_count, bodies = scene->members.count;
    uint64_t free = step->free_count, lazy = clusters - free;
    wanted[PLI_CUDA_BODIES] = 64 + 4 * bodies;
    wanted[PLI_CUDA_TILES] = 64 + 4 * bodies;
    wanted[PLI_CUDA_OCTETS] = 256 + step->octet_count;
    wanted[PLI_CUDA_CLUSTERS] = 256 + 2 * free + lazy / 16;
    wanted[PLI_CUDA_EVALUATED] = 64 + lazy / 64;
    wanted[PLI_CUDA_UNITS] = step->first_units + 12 * wanted[PLI_CUDA_EVALUATED];
    wanted[PLI_CUDA_CANDIDATES] = 4096 + 16 * free + lazy;
    wanted[PLI_CUDA_NEIGHBOURS] = 1024;
    wanted[PLI_CUDA_UNDECIDED] = 1024;
    wanted[PLI_CUDA_OPEN] = 64;
    wanted[PLI_CUDA_TOUCHING] = 1024 + bodies + free / 2;
}

/* As many rows as have a bucket for each four contacts that there is room for; not more than there
   may be. */
static uint32_t bucket_rows(uint64_t contacts)
{
    uint32_t rows = PLI_CUDA_LEAST_ROWS;
    while (rows < PLI_CUDA_BUCKET_ROWS && (uint64_t)rows * PLI_CUDA_BUCKET_ROW < contacts / 4) {
        rows *= 2;
    }
    return rows;
}

/* floor(count * 2^64 / places), for count < places. */
static uint64_t scale_of(uint64_t count, uint64_t places)
{
    uint64_t quotient = 0;
    for (int bit = 0; bit < 64; bit++) {
        bool carries = count >= places - count; /* 2 count >= places */
        count = carries ? count - (places - count) : 2 * count;
        quotient = quotient << 1 | carries;
    }
    return quotient;
}

/* Which bucket a contact belongs to. */
static void set_buckets(pliant_cuda_scene *scene)
{
    pli_cuda_step *step = &scene->step;
    uint64_t bodies = scene->members.count, cells = bodies * bodies, triangles = 1;
    uint64_t buckets = (uint64_t)step->bucket_rows * PLI_CUDA_BUCKET_ROW;
    if (cells <= INT64_MAX / (uint64_t)scene->most_triangles) {
        triangles = scene->most_triangles;
    }
    uint64_t first = 0, places = cells * triangles;
    if (bodies == 2 && !scene->members.data[0].device.self) {
        first = triangles; /* that of bodies 0 and 1 */
        places -= first;
    }
    step->bucket_triangles = (uint32_t)triangles;
    step->bucket_first = first;
    step->bucket_scale = places > buckets ? scale_of(buckets, places) : 0;
}

/* All pointers of the step to queues. */
static void set_step(pliant_cuda_scene *scene)
{
    pli_cuda_step *step = &scene->step;
    const pli_cuda_array *array = scene->store;
    for (int q = 0; q < PLI_CUDA_QUEUES; q++) {
        step->capacity[q] = scene->capacity[q];
    }
    step->pairs = array[PLI_CUDA_BODIES].data;
    step->tiles = array[PLI_CUDA_TILES].data;
    step->octet_pairs = array[PLI_CUDA_OCTETS].data;
    step->cluster_pairs = array[PLI_CUDA_CLUSTERS].data;
    step->evaluated = array[PLI_CUDA_EVALUATED].data;
    step->vertices = array[PLI_CUDA_UNITS].data;
    step->candidates = array[PLI_CUDA_CANDIDATES].data;
    step->bases = array[PLI_CUDA_STORE_BASES].data;
    step->neighbours_found = array[PLI_CUDA_NEIGHBOURS].data;
    step->undecided = array[PLI_CUDA_UNDECIDED].data;
    step->open = array[PLI_CUDA_OPEN].data;
    step->touching = array[PLI_CUDA_TOUCHING].data;
    step->scattered = array[PLI_CUDA_STORE_SCATTERED].data;
    step->sorted = array[PLI_CUDA_STORE_SORTED].data;
    step->first = array[PLI_CUDA_STORE_FIRST].data;
    /* Buckets: their sizes, their ends, then the sizes of rows and where these begin. */
    uint32_t *words = array[PLI_CUDA_STORE_BUCKETS].data;
    size_t buckets = (size_t)step->bucket_rows * PLI_CUDA_BUCKET_ROW;
    if (words != NULL) {
        step->bucket_sizes = words;
        step->bucket_ends = words + buckets;
        step->row_sizes = words + 2 * buckets;
        step->row_begins = words + 2 * buckets + step->bucket_rows;
    }
}

static pliant_result reserve_buckets(pliant_cuda_scene *scene)
{
    uint32_t rows = bucket_rows(scene->capacity[PLI_CUDA_TOUCHING]);
    size_t size = 2 * (size_t)rows * (PLI_CUDA_BUCKET_ROW + 1) * sizeof(uint32_t);
    pliant_result result =
        pli_cuda_replace(scene->cuda, &scene->store[PLI_CUDA_STORE_BUCKETS], size);
    if (result == PLIANT_OK) {
        scene->step.bucket_rows = rows;
    }
    return result;
}

pliant_result pli_cuda_reserve(pliant_cuda_scene *scene, const uint64_t wanted[PLI_CUDA_QUEUES])
{
    /* Places of vertices, pairs of bodies and of clusters are numbers of 32 bits. */
    if (wanted[PLI_CUDA_UNITS] >= UINT32_MAX || wanted[PLI_CUDA_BODIES] >= UINT32_MAX ||
        wanted[PLI_CUDA_CLUSTERS] >= UINT32_MAX || wanted[PLI_CUDA_TOUCHING] >= UINT32_MAX) {
        return pliant_fail(PLIANT_ERROR_TOO_LARGE,
                           "the answer has more parts than a device can number");
    }
    pliant_result result = PLIANT_OK;
    for (int s = 0; s < FIXED_STORES && result == PLIANT_OK; s++) {
        uint64_t count = wanted[stores[s].queue] / stores[s].per + (stores[s].per > 1);
        size_t size = pli_cuda_bytes(count, stores[s].size);
        scene->store[s].is_shared = s == PLI_CUDA_OPEN;
        result = pli_cuda_replace(scene->cuda, &scene->store[s], size > 0 ? size : 1);
    }
    /* What could be had is used, also where something else could not. */
    for (int q = 0; q < PLI_CUDA_QUEUES; q++) {
        scene->capacity[q] = UINT64_MAX;
    }
    for (int s = 0; s < FIXED_STORES; s++) {
        uint64_t *capacity = &scene->capacity[stores[s].queue];
        uint64_t own = scene->store[s].size / stores[s].size * stores[s].per;
        *capacity = own < *capacity ? own : *capacity;
    }
    if (result == PLIANT_OK) {
        result = reserve_buckets(scene);
    }
    set_step(scene);
    set_buckets(scene);
    return result;
}
