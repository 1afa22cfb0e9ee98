/*
 * Islands: pieces of a mesh that have subtrees of their own, so that a tree does not decay when the
 * pieces move apart. Ours.
 *
 * A piece is what triangles with a common welded vertex hold together. One that would leave most of
 * a cluster empty is a crumb: crumbs are grouped by place, up to a cluster in a group. Where most
 * of a mesh is crumbs, a triangle soup, islands would be no more than clusters, and there are none.
 */
#include "builder.h"

#include <string.h>

/* A piece of fewer than this part of the triangles of a cluster is a crumb. */
enum { CRUMBS = 4 };

uint32_t pli_island_sizes(uint32_t count, uint32_t arity, uint32_t sizes[PLI_WIDTH])
{
    uint64_t below = 1; /* the most islands that a child may have */
    while (below * arity < count) {
        below *= arity;
    }
    uint32_t children = (uint32_t)((count + below - 1) / below);
    for (uint32_t i = 0; i < children; i++) {
        sizes[i] = count / children + (i < count % children);
    }
    return children;
}

uint32_t pli_count_top_nodes(uint32_t count, uint32_t arity)
{
    uint32_t sizes[PLI_WIDTH], nodes = 1, below[2] = {0, 0};
    uint32_t children = pli_island_sizes(count, arity, sizes);
    for (uint32_t i = 0; i < children && sizes[0] > 1; i++) {
        uint32_t *known = &below[sizes[0] - sizes[i]]; /* there are at most two different sizes */
        if (*known == 0 && sizes[i] > 1) {
            *known = pli_count_top_nodes(sizes[i], arity);
        }
        nodes += *known;
    }
    return nodes;
}

/* Cuts items into runs of the sizes given, once and then both sides. */
static void cut_by_sizes(pli_item *items, const uint32_t *sizes, uint32_t parts)
{
    uint32_t left = 0, count = 0;
    for (uint32_t i = 0; i < parts; i++) {
        left += i < parts / 2 ? sizes[i] : 0;
        count += sizes[i];
    }
    if (parts > 1) {
        pli_select_smallest(items, count, left, pli_longest_axis(items, count));
        cut_by_sizes(items, sizes, parts / 2);
        cut_by_sizes(items + left, sizes + parts / 2, parts - parts / 2);
    }
}

void pli_sort_islands(pli_item *islands, uint32_t count, uint32_t arity)
{
    uint32_t sizes[PLI_WIDTH] = {0};
    if (count <= 1) {
        return;
    }
    uint32_t parts = pli_island_sizes(count, arity, sizes);
    cut_by_sizes(islands, sizes, parts);
    for (uint32_t i = 0; i < parts; i++) {
        pli_sort_islands(islands, sizes[i], arity);
        islands += sizes[i];
    }
}

/* ------------------------------------------------------------- the pieces */

/* Scratch: what each triangle belongs to, and the pieces themselves. */
typedef struct pieces {
    uint32_t *root;   /* per vertex: one that it is held together with */
    uint32_t *number; /* per vertex that stands for its piece: the piece's */
    uint32_t *piece;  /* per triangle */
    uint32_t *size;   /* per piece, in triangles */
    uint32_t *island; /* per piece */
    pli_item *crumbs; /* middles of crumbs, with the piece in place of the triangle */
    uint32_t count, crumb_count, island_count;
    uint64_t crumb_triangles;
} pieces;

static uint32_t find_root(uint32_t *root, uint32_t v)
{
    while (root[v] != v) {
        root[v] = root[root[v]];
        v = root[v];
    }
    return v;
}

static void join(uint32_t *root, uint32_t a, uint32_t b)
{
    a = find_root(root, a);
    b = find_root(root, b);
    root[a < b ? b : a] = a < b ? a : b; /* the lower one stands for both */
}

/* How many triangles the tree is over. */
static size_t item_count(const pli_tree_builder *builder)
{
    return builder->mesh->triangle_count - builder->mesh->removed_count;
}

/* Numbers pieces by their first items, and counts their triangles. */
static void find_pieces(const pli_tree_builder *builder, pieces *p)
{
    const pli_mesh *mesh = builder->mesh;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        p->root[v] = v;
        p->number[v] = UINT32_MAX;
    }
    for (size_t i = 0; i < item_count(builder); i++) {
        const uint32_t *corner = mesh->triangles + 3 * (size_t)builder->items.data[i].triangle;
        join(p->root, mesh->welded[corner[0]], mesh->welded[corner[1]]);
        join(p->root, mesh->welded[corner[0]], mesh->welded[corner[2]]);
    }
    for (size_t i = 0; i < item_count(builder); i++) {
        uint32_t t = builder->items.data[i].triangle;
        uint32_t *number =
            &p->number[find_root(p->root, mesh->welded[mesh->triangles[3 * (size_t)t]])];
        if (*number == UINT32_MAX) {
            *number = p->count++;
            p->size[*number] = 0;
        }
        p->piece[t] = *number;
        p->size[*number]++;
    }
}

/* The middle of the box of some items' midpoints. */
static pli_item middle_of(const pli_item *items, uint32_t count, uint32_t number)
{
    pli_item middle = {.triangle = number};
    for (int k = 0; k < 3; k++) {
        float low = items[0].midpoint[k], high = low;
        for (uint32_t i = 1; i < count; i++) {
            low = items[i].midpoint[k] < low ? items[i].midpoint[k] : low;
            high = items[i].midpoint[k] > high ? items[i].midpoint[k] : high;
        }
        middle.midpoint[k] = 0.5f * low + 0.5f * high;
    }
    return middle;
}

/* Large pieces become islands; crumbs are listed where their first triangle is. */
static void part_crumbs(const pli_tree_builder *builder, pieces *p)
{
    uint32_t least = builder->cluster_triangles / CRUMBS;
    for (size_t i = 0; i < item_count(builder); i++) {
        uint32_t piece = p->piece[builder->items.data[i].triangle];
        if (p->island[piece] != UINT32_MAX) {
            continue;
        }
        if (p->size[piece] >= least) {
            p->island[piece] = p->island_count++;
        } else {
            p->island[piece] = UINT32_MAX - 1;
            p->crumbs[p->crumb_count] = builder->items.data[i];
            p->crumbs[p->crumb_count++].triangle = piece;
            p->crumb_triangles += p->size[piece];
        }
    }
}

/* Makes an island of each group of crumbs that fits into a cluster. */
static void group_crumbs(const pli_tree_builder *builder, pieces *p, pli_item *crumbs,
                         uint32_t count)
{
    uint64_t triangles = 0;
    for (uint32_t i = 0; i < count; i++) {
        triangles += p->size[crumbs[i].triangle];
    }
    if (triangles <= builder->cluster_triangles) {
        for (uint32_t i = 0; i < count; i++) {
            p->island[crumbs[i].triangle] = p->island_count;
        }
        p->island_count += count > 0;
        return;
    }
    pli_select_smallest(crumbs, count, count / 2, pli_longest_axis(crumbs, count));
    group_crumbs(builder, p, crumbs, count / 2);
    group_crumbs(builder, p, crumbs + count / 2, count - count / 2);
}

/* Puts the items of each island side by side, in the order of the islands given, or in that of
   their numbers. Items become those of the scratch and the other way round. */
static void gather_items(pli_tree_builder *builder, const pieces *p, const pli_item *order)
{
    pli_item_run *islands = builder->islands.data;
    uint32_t next = 0;
    for (uint32_t i = 0; i < p->island_count; i++) {
        pli_item_run *run = &islands[order != NULL ? order[i].triangle : i];
        run->first = next;
        next += run->count;
        run->count = 0;
    }
    for (size_t i = 0; i < item_count(builder); i++) {
        const pli_item *item = &builder->items.data[i];
        pli_item_run *run = &islands[p->island[p->piece[item->triangle]]];
        builder->scratch.data[run->first + run->count++] = *item;
    }
    memcpy(builder->items.data, builder->scratch.data,
           item_count(builder) * sizeof *builder->items.data);
}

static pliant_result make_islands(pli_tree_builder *builder, const pieces *p)
{
    uint32_t count = p->island_count;
    if (!PLI_CREATE(builder->context, &builder->islands, count) ||
        !PLI_CREATE(builder->context, &builder->island_order, count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t piece = 0; piece < p->count; piece++) {
        builder->islands.data[p->island[piece]].count += p->size[piece];
    }
    gather_items(builder, p, NULL);
    for (uint32_t i = 0; i < count; i++) {
        const pli_item_run *run = &builder->islands.data[i];
        builder->island_order.data[i] = middle_of(builder->items.data + run->first, run->count, i);
    }
    pli_sort_islands(builder->island_order.data, count, builder->arity);
    gather_items(builder, p, builder->island_order.data);
    return PLIANT_OK;
}

pliant_result pli_islands_find(pli_tree_builder *builder)
{
    const pli_mesh *mesh = builder->mesh;
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    size_t words = 2 * vertices + 3 * triangles;
    size_t bytes = words * sizeof(uint32_t) + triangles * sizeof(pli_item);
    uint32_t *memory = pli_allocate(builder->context, bytes);
    if (memory == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pieces p = {.root = memory,
                .number = memory + vertices,
                .piece = memory + 2 * vertices,
                .size = memory + 2 * vertices + triangles,
                .island = memory + 2 * vertices + 2 * triangles,
                .crumbs = (pli_item *)(memory + words)};
    find_pieces(builder, &p);
    memset(p.island, 0xff, p.count * sizeof *p.island);
    part_crumbs(builder, &p);
    pliant_result result = PLIANT_OK;
    if (2 * p.crumb_triangles <= item_count(builder)) {
        group_crumbs(builder, &p, p.crumbs, p.crumb_count);
        if (p.island_count > 1) {
            result = make_islands(builder, &p);
        }
    }
    pli_release(builder->context, memory, bytes);
    return result;
}
