/*
 * Subtrees on workers. The nodes near the root are made first, and where a subtree begins that is
 * small enough, its number takes the place of a child. Workers make the subtrees side by side, each
 * in memory of its own; joining them gives the numbers that one worker alone would have given.
 * Only balanced trees: of these it is known how many clusters a run becomes.
 */
#include "builder.h"

#include "base/assert.h"

#include <string.h>

enum {
    SUBTREES_PER_WORKER = 8, /* about so many, so that all have work to the end */
    SMALLEST_SUBTREE = 1024
};

void pli_subtrees_begin(pli_tree_builder *builder)
{
    uint32_t workers = pliant_context_get_worker_count(builder->context);
    uint32_t count = builder->mesh->triangle_count;
    if (workers == 1 || builder->mesh->alone || count < PLI_SHARED_TRIANGLES ||
        builder->partition != PLIANT_PARTITION_BALANCED) {
        return;
    }
    uint32_t share = count / (SUBTREES_PER_WORKER * workers);
    builder->subtree_triangles = share > SMALLEST_SUBTREE ? share : SMALLEST_SUBTREE;
}

pliant_result pli_subtree_leave(pli_tree_builder *builder, pli_item_run run, uint32_t level,
                                uint32_t *child)
{
    uint32_t before = (uint32_t)builder->subtrees.count, first = 0;
    if (before > 0) {
        const pli_subtree *last = &builder->subtrees.data[before - 1];
        first = last->first + last->capacity;
    }
    pli_subtree subtree = {.run = run,
                           .level = level,
                           .first = first,
                           .capacity = (run.count - 1) / builder->cluster_triangles + 1};
    *child = PLI_CLUSTER_BIT | before;
    return PLI_PUSH(builder->context, &builder->subtrees, subtree) ? PLIANT_OK
                                                                   : PLIANT_ERROR_OUT_OF_MEMORY;
}

static void make_subtree(void *argument, uint32_t index, uint32_t worker)
{
    pli_tree_builder *builder = argument, own = *builder;
    pli_subtree *subtree = &builder->subtrees.data[index];
    (void)worker;
    own.subtree_triangles = 0;
    own.cutter.context = NULL;
    own.nodes.data = builder->made_nodes.data + subtree->first;
    own.clusters.data = builder->made_clusters.data + subtree->first;
    own.nodes.count = own.clusters.count = 0;
    /* Each node has two children or more, so there are fewer nodes than clusters: none grows. */
    own.nodes.capacity = own.clusters.capacity = subtree->capacity;
    pliant_result result = pli_tree_build_run(&own, subtree->run, subtree->level, &subtree->root);
    PLI_ASSERT(result == PLIANT_OK);
    (void)result;
    subtree->node_count = (uint32_t)own.nodes.count;
    subtree->cluster_count = (uint32_t)own.clusters.count;
}

/* A child of a node as it is numbered once so many nodes and clusters come before. */
static uint32_t renumber(uint32_t child, uint32_t nodes, uint32_t clusters)
{
    return child + (child & PLI_CLUSTER_BIT ? clusters : nodes);
}

/* Puts a subtree behind all nodes and clusters that are there; returns it as a child. */
static uint32_t join_subtree(pli_tree_builder *builder, const pli_subtree *subtree)
{
    uint32_t nodes = (uint32_t)builder->nodes.count, clusters = (uint32_t)builder->clusters.count;
    pli_node *to = builder->nodes.data + nodes;
    memcpy(to, builder->made_nodes.data + subtree->first, subtree->node_count * sizeof *to);
    memcpy(builder->clusters.data + clusters, builder->made_clusters.data + subtree->first,
           subtree->cluster_count * sizeof *builder->clusters.data);
    for (uint32_t n = 0; n < subtree->node_count; n++) {
        for (uint32_t i = 0; i < to[n].child_count; i++) {
            to[n].child[i] = renumber(to[n].child[i], nodes, clusters);
        }
    }
    builder->nodes.count += subtree->node_count;
    builder->clusters.count += subtree->cluster_count;
    return renumber(subtree->root, nodes, clusters);
}

/* Puts an upper node and all that is below it behind what is there, depth first. */
static uint32_t join_upper(pli_tree_builder *builder, uint32_t upper)
{
    pli_node node = builder->upper_nodes.data[upper];
    uint32_t number = (uint32_t)builder->nodes.count++;
    for (uint32_t i = 0; i < node.child_count; i++) {
        uint32_t child = node.child[i];
        node.child[i] =
            child & PLI_CLUSTER_BIT
                ? join_subtree(builder, &builder->subtrees.data[child & ~PLI_CLUSTER_BIT])
                : join_upper(builder, child);
    }
    builder->nodes.data[number] = node;
    return number;
}

static bool reserve_made(pli_tree_builder *builder)
{
    const pli_subtree *last = builder->subtrees.data + builder->subtrees.count - 1;
    size_t most = (size_t)last->first + last->capacity;
    return PLI_RESERVE(builder->context, &builder->made_nodes, most) &&
           PLI_RESERVE(builder->context, &builder->made_clusters, most);
}

/* The nodes that are there become the upper ones, and what the subtrees became fits behind. */
static bool reserve_joined(pli_tree_builder *builder)
{
    pli_array upper = builder->nodes.array;
    builder->nodes.array = builder->upper_nodes.array;
    builder->upper_nodes.array = upper;
    size_t nodes = upper.count, clusters = 0;
    for (size_t i = 0; i < builder->subtrees.count; i++) {
        nodes += builder->subtrees.data[i].node_count;
        clusters += builder->subtrees.data[i].cluster_count;
    }
    return PLI_RESERVE(builder->context, &builder->nodes, nodes) &&
           PLI_RESERVE(builder->context, &builder->clusters, clusters);
}

pliant_result pli_subtrees_end(pli_tree_builder *builder)
{
    if (!reserve_made(builder)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result =
        pli_context_run(builder->context, make_subtree, builder, (uint32_t)builder->subtrees.count);
    if (result == PLIANT_OK && !reserve_joined(builder)) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (result == PLIANT_OK) {
        join_upper(builder, 0);
    }
    return result;
}
