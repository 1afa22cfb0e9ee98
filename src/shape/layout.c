/* From a mesh and its tree to the block of a shape: vertex ownership, local numbers, spans. */
#include "layout.h"

#include <string.h>

/* Scratch of the layout: per vertex, the first cluster that uses it and marks of the current set.
 */
typedef struct layout {
    const pli_mesh *mesh;
    const pli_tree_builder *tree;
    uint32_t *owner; /* per vertex: the cluster that owns it, or UINT32_MAX */
    uint32_t *mark;  /* per vertex: the set it was last put into */
    uint32_t *local; /* per vertex: its number inside the current cluster */
    pli_cluster *clusters;
    pli_node *nodes;
    uint32_t *vertex_order;
    uint32_t *node_extras;
    uint32_t *cluster_vertices;
    uint32_t *slot_triangles;
    uint8_t *slot_corners, *slot_features;
    uint8_t *owned; /* per triangle: the features that are its own */
    uint64_t slot_total, cluster_vertex_total, list_total, owned_total, extra_total;
} layout;

static uint32_t leaf_count(const pli_tree_builder *tree, uint32_t triangles)
{
    return (triangles + tree->leaf_size - 1) / tree->leaf_size;
}

/* Slots a cluster takes: eight per leaf, rounded up to 16. */
static uint32_t slot_count(const pli_tree_builder *tree, uint32_t triangles)
{
    return (leaf_count(tree, triangles) * PLI_WIDTH + 15) / 16 * 16;
}

/* The three vertices of the triangle at an item. */
static const uint32_t *item_corners(const layout *l, uint32_t item)
{
    return l->mesh->triangles + 3 * (size_t)l->tree->items.data[item].triangle;
}

/* First pass: who owns each vertex, and how long the lists will be. */
static void count_lists(layout *l)
{
    for (uint32_t c = 0; c < l->tree->clusters.count; c++) {
        pli_item_run run = l->tree->clusters.data[c];
        uint32_t count = 0;
        l->slot_total += slot_count(l->tree, run.count);
        for (uint32_t i = 0; i < run.count; i++) {
            const uint32_t *corner = item_corners(l, run.first + i);
            for (int k = 0; k < 3; k++) {
                uint32_t v = corner[k];
                if (l->mark[v] == c) {
                    continue;
                }
                l->mark[v] = c;
                count++;
                if (l->owner[v] == UINT32_MAX) {
                    l->owner[v] = c;
                    l->owned_total++;
                }
            }
        }
        l->cluster_vertex_total += count;
        l->list_total += pli_padded_count(count);
    }
}

/* Lists a cluster's distinct vertices, owned ones first, numbering them locally. */
static void list_cluster_vertices(layout *l, uint32_t c, uint64_t first_vertex,
                                  uint64_t first_owned)
{
    pli_item_run run = l->tree->clusters.data[c];
    uint32_t *list = l->cluster_vertices + first_vertex;
    uint32_t count = 0, owned = 0;
    for (int pass = 0; pass < 2; pass++) { /* owned ones, then the others */
        uint32_t stamp = 2 * c + (uint32_t)pass;
        for (uint32_t i = 0; i < run.count; i++) {
            const uint32_t *corner = item_corners(l, run.first + i);
            for (int k = 0; k < 3; k++) {
                uint32_t v = corner[k];
                if ((l->owner[v] == c) != (pass == 0) || l->mark[v] == stamp) {
                    continue;
                }
                l->mark[v] = stamp;
                l->local[v] = count;
                list[count++] = v;
            }
        }
        owned = pass == 0 ? count : owned;
    }
    for (uint32_t i = count; i < pli_padded_count(count); i++) {
        list[i] = list[count - 1];
    }
    memcpy(l->vertex_order + first_owned, list, owned * sizeof *list);
    pli_cluster *cluster = &l->clusters[c];
    cluster->first_vertex = (uint32_t)first_vertex;
    cluster->first_owned = (uint32_t)first_owned;
    cluster->vertex_count = (uint8_t)count;
    cluster->owned_count = (uint8_t)owned;
}

/* Puts a cluster's triangles into slots; holes repeat the last triangle before them. */
static void fill_slots(layout *l, uint32_t c, uint64_t first_slot)
{
    pli_item_run run = l->tree->clusters.data[c];
    pli_cluster *cluster = &l->clusters[c];
    uint32_t slots = slot_count(l->tree, run.count), leaf_size = l->tree->leaf_size;
    cluster->first_slot = (uint32_t)first_slot;
    cluster->slot_count = (uint8_t)slots;
    cluster->triangle_count = (uint8_t)run.count;
    uint32_t *ids = l->slot_triangles + first_slot;
    uint8_t *corners = l->slot_corners + 3 * first_slot;
    for (uint32_t s = 0; s < slots; s++) {
        uint32_t leaf = s / PLI_WIDTH, in_leaf = s % PLI_WIDTH;
        uint32_t item = leaf * leaf_size + (in_leaf < leaf_size ? in_leaf : leaf_size - 1);
        bool live = in_leaf < leaf_size && item < run.count;
        cluster->live |= (uint64_t)live << s;
        item = run.first + (item < run.count ? item : run.count - 1);
        ids[s] = l->tree->items.data[item].triangle;
        l->slot_features[first_slot + s] = live ? l->owned[ids[s]] : 0;
        const uint32_t *corner = item_corners(l, item);
        for (uint32_t k = 0; k < 3; k++) {
            corners[k * slots + s] = (uint8_t)l->local[corner[k]];
        }
    }
}

static void lay_out_clusters(layout *l)
{
    uint64_t slot = 0, vertex = 0, owned = 0;
    memset(l->mark, 0xff, l->mesh->vertex_count * sizeof *l->mark);
    for (uint32_t c = 0; c < l->tree->clusters.count; c++) {
        list_cluster_vertices(l, c, vertex, owned);
        fill_slots(l, c, slot);
        slot += l->clusters[c].slot_count;
        vertex += pli_padded_count(l->clusters[c].vertex_count);
        owned += l->clusters[c].owned_count;
    }
    for (uint32_t v = 0; v < l->mesh->vertex_count; v++) {
        if (l->owner[v] == UINT32_MAX) {
            l->vertex_order[owned++] = v; /* used by no triangle: behind all others */
        }
    }
}

/* The clusters below a node: [first, end). */
static pli_item_run cluster_range(const pli_node *nodes, uint32_t node)
{
    uint32_t first = node, last = node;
    do {
        first = nodes[first].child[0];
    } while (!(first & PLI_CLUSTER_BIT));
    do {
        last = nodes[last].child[nodes[last].child_count - 1];
    } while (!(last & PLI_CLUSTER_BIT));
    first &= ~PLI_CLUSTER_BIT;
    return (pli_item_run){first, (last & ~PLI_CLUSTER_BIT) - first + 1};
}

/*
 * Counts, and lists unless `extras` is NULL, the vertices used below a node that clusters before it
 * own.
 */
static uint32_t list_extras(layout *l, uint32_t node, uint32_t *extras)
{
    pli_item_run range = cluster_range(l->tree->nodes.data, node);
    uint32_t first = l->tree->clusters.data[range.first].first, count = 0;
    for (uint32_t i = 0; i < l->tree->nodes.data[node].triangle_count; i++) {
        const uint32_t *corner = item_corners(l, first + i);
        for (int k = 0; k < 3; k++) {
            uint32_t v = corner[k];
            if (l->owner[v] < range.first && l->mark[v] != node) {
                l->mark[v] = node;
                if (extras != NULL) {
                    extras[count] = v;
                }
                count++;
            }
        }
    }
    return count;
}

static void count_extras(layout *l)
{
    memset(l->mark, 0xff, l->mesh->vertex_count * sizeof *l->mark);
    for (uint32_t node = 0; node < l->tree->nodes.count; node++) {
        l->extra_total += list_extras(l, node, NULL);
    }
}

static void lay_out_nodes(layout *l)
{
    uint32_t extra = 0;
    memset(l->mark, 0xff, l->mesh->vertex_count * sizeof *l->mark);
    for (uint32_t n = 0; n < l->tree->nodes.count; n++) {
        pli_item_run range = cluster_range(l->tree->nodes.data, n);
        const pli_cluster *first = &l->clusters[range.first], *last = first + range.count - 1;
        pli_node *node = &l->nodes[n];
        *node = l->tree->nodes.data[n];
        node->vertices.first = first->first_owned;
        node->vertices.count = last->first_owned + last->owned_count - first->first_owned;
        node->vertices.extra_first = extra;
        node->vertices.extra_count = list_extras(l, n, l->node_extras + extra);
        extra += node->vertices.extra_count;
    }
}

static void fill_header(const layout *l, pli_block_header *block)
{
    const pli_mesh *mesh = l->mesh;
    block->partition = (uint32_t)l->tree->partition;
    block->arity = l->tree->arity;
    block->leaf_size = l->tree->leaf_size;
    block->is_closed = mesh->is_closed;
    block->quality = mesh->facts;
    block->model = mesh->model;
}

/* Second half: the lists' lengths are known. */
static pliant_result fill_block(layout *l, pliant_context *context, pli_block_header **out)
{
    const pli_mesh *mesh = l->mesh;
    const uint64_t count[PLI_SECTION_COUNT] = {
        [PLI_SECTION_POSITIONS] = 3 * (uint64_t)mesh->vertex_count,
        [PLI_SECTION_TRIANGLES] = 3 * (uint64_t)mesh->triangle_count,
        [PLI_SECTION_GROUPS] = mesh->groups != NULL ? mesh->triangle_count : 0,
        [PLI_SECTION_WELDED] = mesh->vertex_count,
        [PLI_SECTION_NODES] = l->tree->nodes.count,
        [PLI_SECTION_CLUSTERS] = l->tree->clusters.count,
        [PLI_SECTION_VERTEX_ORDER] = mesh->vertex_count,
        [PLI_SECTION_NODE_EXTRAS] = l->extra_total,
        [PLI_SECTION_CLUSTER_VERTICES] = l->list_total,
        [PLI_SECTION_SLOT_TRIANGLES] = l->slot_total,
        [PLI_SECTION_SLOT_CORNERS] = 3 * l->slot_total,
        [PLI_SECTION_SLOT_FEATURES] = l->slot_total,
    };
    if (l->slot_total > UINT32_MAX || l->list_total > UINT32_MAX || l->extra_total > UINT32_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "a tree with %llu triangle slots",
                        (unsigned long long)l->slot_total);
    }
    pli_block_header *block = NULL;
    pliant_result result = pli_block_allocate(context, count, &block);
    if (result != PLIANT_OK) {
        return result;
    }
    l->clusters = pli_block_section(block, PLI_SECTION_CLUSTERS);
    l->nodes = pli_block_section(block, PLI_SECTION_NODES);
    l->vertex_order = pli_block_section(block, PLI_SECTION_VERTEX_ORDER);
    l->node_extras = pli_block_section(block, PLI_SECTION_NODE_EXTRAS);
    l->cluster_vertices = pli_block_section(block, PLI_SECTION_CLUSTER_VERTICES);
    l->slot_triangles = pli_block_section(block, PLI_SECTION_SLOT_TRIANGLES);
    l->slot_corners = pli_block_section(block, PLI_SECTION_SLOT_CORNERS);
    l->slot_features = pli_block_section(block, PLI_SECTION_SLOT_FEATURES);
    lay_out_clusters(l);
    lay_out_nodes(l);
    memcpy(pli_block_section(block, PLI_SECTION_POSITIONS), mesh->positions,
           count[PLI_SECTION_POSITIONS] * sizeof *mesh->positions);
    memcpy(pli_block_section(block, PLI_SECTION_TRIANGLES), mesh->triangles,
           count[PLI_SECTION_TRIANGLES] * sizeof *mesh->triangles);
    memcpy(pli_block_section(block, PLI_SECTION_WELDED), mesh->welded,
           count[PLI_SECTION_WELDED] * sizeof *mesh->welded);
    if (mesh->groups != NULL) {
        memcpy(pli_block_section(block, PLI_SECTION_GROUPS), mesh->groups,
               count[PLI_SECTION_GROUPS] * sizeof *mesh->groups);
    }
    fill_header(l, block);
    *out = block;
    return PLIANT_OK;
}

pliant_result pli_lay_out(const pli_mesh *mesh, const pli_tree_builder *tree,
                          pli_block_header **block)
{
    layout l = {.mesh = mesh, .tree = tree};
    size_t bytes = mesh->vertex_count * sizeof(uint32_t);
    l.owner = pli_allocate(mesh->context, bytes);
    l.mark = pli_allocate(mesh->context, bytes);
    l.local = pli_allocate(mesh->context, bytes);
    l.owned = pli_allocate(mesh->context, mesh->triangle_count);
    pliant_result result = PLIANT_ERROR_OUT_OF_MEMORY;
    if (l.owner != NULL && l.mark != NULL && l.local != NULL && l.owned != NULL) {
        result = pli_mesh_own_features(mesh, l.owned);
    }
    if (result == PLIANT_OK) {
        memset(l.owner, 0xff, bytes);
        memset(l.mark, 0xff, bytes);
        count_lists(&l);
        count_extras(&l);
        result = fill_block(&l, mesh->context, block);
    }
    pli_release(mesh->context, l.owner, bytes);
    pli_release(mesh->context, l.mark, bytes);
    pli_release(mesh->context, l.local, bytes);
    pli_release(mesh->context, l.owned, mesh->triangle_count);
    return result;
}
