/*
 * The connectivity partition.
 * Based on: T. Larsson, T. Akenine-Moller, Collision Detection for Continuously Deforming Bodies,
 * Eurographics 2001, section 3.2. The paper asks for connected sub-meshes and leaves the way open.
 *
 * Ours: a connected patch is cut in two by growing two regions from two far-apart triangles, always
 * the smaller one next. A grown region is connected, and so is the other one that takes what is
 * left. Where that gives a lopsided cut (a region walled in early), the patch's breadth-first tree
 * is cut at the edge that halves it best; both sides of a cut tree are connected too, and since a
 * triangle has at most six neighbours here, the smaller side has at least about a sixth: depth
 * stays logarithmic. The pieces of a mesh of several components are first grouped by place;
 * components that fit into one cluster together may share it.
 */
#include "builder.h"

#include "base/sort.h"

#include <string.h>

/* Neighbours over three edges; triangles around an edge are chained, so two per edge at most. */
enum { NEIGHBOURS = 6 };
#define NOBODY UINT32_MAX

struct pli_patches {
    uint32_t *neighbour; /* NEIGHBOURS per triangle, NOBODY where there is none */
    uint32_t *patch;     /* per triangle: the patch it belongs to at the moment */
    uint32_t *mark;      /* per triangle: what the current walk found */
    uint32_t *queue;     /* room for all triangles */
    uint32_t *queue_b;   /* the same */
    uint32_t *weight;    /* the same */
    uint64_t *keys;      /* per component, for ordering them */
    uint64_t *key_scratch;
    pli_item_run *pieces; /* per component of a run */
    uint32_t patch_count;
    size_t bytes; /* of the one allocation behind all arrays */
};

static void add_neighbour(struct pli_patches *patches, uint32_t a, uint32_t b)
{
    uint32_t *slot = patches->neighbour + NEIGHBOURS * (size_t)a;
    for (int i = 0; i < NEIGHBOURS; i++) {
        if (slot[i] == NOBODY) {
            slot[i] = b;
            return;
        }
    }
}

static void chain_neighbours(struct pli_patches *patches, const pli_mesh *mesh)
{
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        for (uint32_t i = mesh->edge_start[v] + 1; i < mesh->edge_start[v + 1]; i++) {
            uint64_t before = mesh->edges[i - 1], here = mesh->edges[i];
            uint32_t a = (uint32_t)before / 3, b = (uint32_t)here / 3;
            if (before >> 32 == here >> 32 && a != b) {
                add_neighbour(patches, a, b);
                add_neighbour(patches, b, a);
            }
        }
    }
}

/* Counting sort of the items by component, so that a component is a run. */
static void sort_by_component(pli_tree_builder *builder, uint32_t *start)
{
    const pli_mesh *mesh = builder->mesh;
    memset(start, 0, mesh->triangle_count * sizeof *start);
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        start[mesh->component[i]]++;
    }
    uint32_t sum = 0;
    for (uint32_t c = 0; c < mesh->facts.component_count; c++) {
        uint32_t size = start[c];
        start[c] = sum;
        sum += size;
    }
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        builder->scratch.data[start[mesh->component[builder->items.data[i].triangle]]++] =
            builder->items.data[i];
    }
    memcpy(builder->items.data, builder->scratch.data,
           mesh->triangle_count * sizeof *builder->items.data);
}

pliant_result pli_patches_create(pli_tree_builder *builder)
{
    size_t count = builder->mesh->triangle_count;
    size_t components = builder->mesh->facts.component_count;
    size_t bytes = sizeof(struct pli_patches) + 3 * components * sizeof(uint64_t) +
                   (NEIGHBOURS + 5) * count * sizeof(uint32_t);
    struct pli_patches *patches = pli_allocate(builder->context, bytes);
    if (patches == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    uint64_t *keys = (uint64_t *)(patches + 1);
    uint32_t *words = (uint32_t *)(keys + 3 * components);
    *patches = (struct pli_patches){.neighbour = words,
                                    .patch = words + NEIGHBOURS * count,
                                    .mark = words + (NEIGHBOURS + 1) * count,
                                    .queue = words + (NEIGHBOURS + 2) * count,
                                    .queue_b = words + (NEIGHBOURS + 3) * count,
                                    .weight = words + (NEIGHBOURS + 4) * count,
                                    .keys = keys,
                                    .key_scratch = keys + components,
                                    .pieces = (pli_item_run *)(keys + 2 * components),
                                    .patch_count = builder->mesh->facts.component_count,
                                    .bytes = bytes};
    memset(patches->neighbour, 0xff, NEIGHBOURS * count * sizeof(uint32_t));
    memset(patches->mark, 0xff, count * sizeof(uint32_t));
    memcpy(patches->patch, builder->mesh->component, count * sizeof(uint32_t));
    chain_neighbours(patches, builder->mesh);
    builder->patches = patches;
    sort_by_component(builder, patches->queue);
    return PLIANT_OK;
}

void pli_patches_release(pli_tree_builder *builder)
{
    if (builder->patches != NULL) {
        pli_release(builder->context, builder->patches, builder->patches->bytes);
        builder->patches = NULL;
    }
}

/*
 * Walks a patch breadth first from `seed`. Afterwards queue holds its triangles in that order and
 * mark[t] the triangle t was reached from (itself for the seed). Returns how many there are.
 */
static uint32_t walk_patch(struct pli_patches *patches, uint32_t seed)
{
    uint32_t count = 0, patch = patches->patch[seed];
    patches->queue[count++] = seed;
    patches->mark[seed] = seed;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *neighbour = patches->neighbour + NEIGHBOURS * (size_t)patches->queue[i];
        for (int k = 0; k < NEIGHBOURS && neighbour[k] != NOBODY; k++) {
            uint32_t t = neighbour[k];
            if (patches->patch[t] == patch && patches->mark[t] == NOBODY) {
                patches->mark[t] = patches->queue[i];
                patches->queue[count++] = t;
            }
        }
    }
    return count;
}

static void clear_marks(struct pli_patches *patches, const pli_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        patches->mark[items[i].triangle] = NOBODY;
    }
}

/* Grows one region by the next triangle of its queue; false when the queue is spent. */
static bool grow_region(struct pli_patches *patches, uint32_t *queue, uint32_t *head,
                        uint32_t *size, uint32_t patch, uint32_t region)
{
    while (*head < *size) {
        const uint32_t *neighbour = patches->neighbour + NEIGHBOURS * (size_t)queue[*head];
        for (int k = 0; k < NEIGHBOURS && neighbour[k] != NOBODY; k++) {
            uint32_t t = neighbour[k];
            if (patches->patch[t] == patch && patches->mark[t] == NOBODY) {
                patches->mark[t] = region;
                queue[(*size)++] = t;
                return true;
            }
        }
        (*head)++;
    }
    return false;
}

/* Marks the triangles of a patch 0 or 1 by growing two regions; returns the size of region 0. */
static uint32_t grow_two_regions(struct pli_patches *patches, uint32_t seed_a, uint32_t seed_b)
{
    uint32_t patch = patches->patch[seed_a];
    uint32_t *queue[2] = {patches->queue, patches->queue_b};
    uint32_t head[2] = {0, 0}, size[2] = {1, 1};
    queue[0][0] = seed_a;
    queue[1][0] = seed_b;
    patches->mark[seed_a] = 0;
    patches->mark[seed_b] = 1;
    for (;;) {
        uint32_t r = size[1] < size[0];
        if (!grow_region(patches, queue[r], &head[r], &size[r], patch, r) &&
            !grow_region(patches, queue[!r], &head[!r], &size[!r], patch, !r)) {
            return size[0];
        }
    }
}

/* Marks by cutting the breadth-first tree at its best edge; returns the size of region 0. */
static uint32_t cut_walk_tree(struct pli_patches *patches, uint32_t seed)
{
    uint32_t count = walk_patch(patches, seed);
    uint32_t *weight = patches->weight, *parent = patches->mark;
    for (uint32_t i = 0; i < count; i++) {
        weight[patches->queue[i]] = 1;
    }
    uint32_t best = patches->queue[count - 1], best_excess = UINT32_MAX;
    for (uint32_t i = count - 1; i > 0; i--) { /* children come after their parents */
        uint32_t t = patches->queue[i];
        uint32_t excess = weight[t] > count / 2 ? weight[t] - count / 2 : count / 2 - weight[t];
        if (excess < best_excess) {
            best = t;
            best_excess = excess;
        }
        weight[parent[t]] += weight[t];
    }
    uint32_t size = count - weight[best];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t t = patches->queue[i];
        parent[t] = t == best ? 1 : i == 0 ? 0 : parent[parent[t]];
    }
    return size;
}

/* Cuts the connected patch items[0 ... count) in two connected ones; returns the first one's size.
 */
static uint32_t cut_patch(pli_tree_builder *builder, pli_item *items, uint32_t count)
{
    struct pli_patches *patches = builder->patches;
    walk_patch(patches, items[0].triangle);
    uint32_t seed_a = patches->queue[count - 1];
    clear_marks(patches, items, count);
    walk_patch(patches, seed_a);
    uint32_t seed_b = patches->queue[count - 1];
    clear_marks(patches, items, count);
    uint32_t size = grow_two_regions(patches, seed_a, seed_b);
    if (size < count / 8 || count - size < count / 8) {
        clear_marks(patches, items, count);
        size = cut_walk_tree(patches, seed_a);
    }
    uint32_t moved = patches->patch_count++, kept = 0, others = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t t = items[i].triangle;
        if (patches->mark[t] == 0) {
            items[kept++] = items[i];
        } else {
            patches->patch[t] = moved;
            builder->scratch.data[others++] = items[i];
        }
        patches->mark[t] = NOBODY;
    }
    memcpy(items + kept, builder->scratch.data, others * sizeof *items);
    return size;
}

/* A float as an unsigned number of the same order. */
static uint32_t sortable_bits(float x)
{
    uint32_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/*
 * Lists the components of a run as (first item, size) in `pieces`, their mean midpoints in `means`,
 * and returns their number.
 */
static uint32_t list_components(const pli_tree_builder *builder, const pli_item *items,
                                uint32_t count, pli_item_run *pieces, pli_item *means)
{
    const uint32_t *patch = builder->patches->patch;
    uint32_t number = 0;
    for (uint32_t first = 0, end = 0; first < count; first = end) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (; end < count && patch[items[end].triangle] == patch[items[first].triangle]; end++) {
            for (int k = 0; k < 3; k++) {
                sum[k] += (double)items[end].midpoint[k];
            }
        }
        for (int k = 0; k < 3; k++) {
            means[number].midpoint[k] = (float)(sum[k] / (end - first));
        }
        pieces[number++] = (pli_item_run){first, end - first};
    }
    return number;
}

/*
 * Parts a run of several whole components between two of them, as near to half the triangles as can
 * be, in the order of their means along the axis on which the means spread most. Returns the size
 * of the first part.
 */
static uint32_t part_components(pli_tree_builder *builder, pli_item *items, uint32_t count)
{
    struct pli_patches *patches = builder->patches;
    pli_item_run *pieces = patches->pieces;
    uint32_t number = list_components(builder, items, count, pieces, builder->scratch.data);
    int axis = pli_longest_axis(builder->scratch.data, number);
    for (uint32_t i = 0; i < number; i++) {
        patches->keys[i] =
            (uint64_t)sortable_bits(builder->scratch.data[i].midpoint[axis]) << 32 | i;
    }
    pli_sort_keys(patches->keys, patches->key_scratch, NULL, NULL, number);
    uint32_t placed = 0, cut = 0, best_excess = UINT32_MAX;
    for (uint32_t i = 0; i < number; i++) {
        pli_item_run piece = pieces[(uint32_t)patches->keys[i]];
        memcpy(builder->scratch.data + placed, items + piece.first, piece.count * sizeof *items);
        placed += piece.count;
        uint32_t excess = placed > count / 2 ? placed - count / 2 : count / 2 - placed;
        if (i + 1 < number && excess < best_excess) {
            cut = placed;
            best_excess = excess;
        }
    }
    memcpy(items, builder->scratch.data, count * sizeof *items);
    return cut;
}

uint32_t pli_split_by_connectivity(pli_tree_builder *builder, pli_item_run run,
                                   uint32_t sizes[PLI_WIDTH])
{
    const uint32_t *patch = builder->patches->patch;
    uint32_t parts = 1;
    sizes[0] = run.count;
    while (parts < builder->arity) {
        uint32_t largest = 0, before = 0;
        for (uint32_t i = 1; i < parts; i++) {
            largest = sizes[i] > sizes[largest] ? i : largest;
        }
        if (sizes[largest] <= builder->cluster_triangles) {
            break;
        }
        for (uint32_t i = 0; i < largest; i++) {
            before += sizes[i];
        }
        /* A component is a run of items, so different ends mean several of them. */
        pli_item *items = builder->items.data + run.first + before;
        uint32_t count = sizes[largest];
        bool connected = patch[items[0].triangle] == patch[items[count - 1].triangle];
        uint32_t first =
            connected ? cut_patch(builder, items, count) : part_components(builder, items, count);
        memmove(sizes + largest + 2, sizes + largest + 1, (parts - largest - 1) * sizeof *sizes);
        sizes[largest] = first;
        sizes[largest + 1] = count - first;
        parts++;
    }
    return parts;
}
