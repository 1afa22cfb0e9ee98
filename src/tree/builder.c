#include "builder.h"

pli_item pli_item_of(const pli_mesh *mesh, uint32_t triangle)
{
    const uint32_t *corner = mesh->triangles + 3 * (size_t)triangle;
    pli_item item = {.triangle = triangle};
    for (int k = 0; k < 3; k++) {
        double sum = 0.0; /* in double, so that three large floats cannot overflow */
        for (int c = 0; c < 3; c++) {
            sum += (double)mesh->positions[3 * (size_t)corner[c] + (size_t)k];
        }
        item.midpoint[k] = (float)(sum / 3.0);
    }
    return item;
}

static void fill_items(pli_tree_builder *builder)
{
    for (uint32_t t = 0; t < builder->mesh->triangle_count; t++) {
        builder->items.data[t] = pli_item_of(builder->mesh, t);
    }
}

static pliant_result add_cluster(pli_tree_builder *builder, pli_item_run run, uint32_t *child)
{
    uint32_t sizes[PLI_WIDTH]; /* of leaves: all full but the last */
    pli_cut(builder->items.data + run.first, run.count, (pli_portions){builder->leaf_size, 1},
            sizes);
    *child = PLI_CLUSTER_BIT | (uint32_t)builder->clusters.count;
    bool done = PLI_PUSH(builder->context, &builder->clusters, run);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

static pliant_result add_node(pli_tree_builder *builder, uint32_t level, uint32_t triangle_count,
                              uint32_t *node)
{
    *node = (uint32_t)builder->nodes.count;
    bool done = PLI_PUSH(builder->context, &builder->nodes,
                         (pli_node){.level = level, .triangle_count = triangle_count});
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

static uint32_t split(pli_tree_builder *builder, pli_item_run run, uint32_t level,
                      uint32_t sizes[PLI_WIDTH])
{
    /* From here on a balanced tree stays below the limit; only contrived shapes get this deep. */
    if (level >= PLI_MAX_LEVELS - 40) {
        return pli_split_balanced(builder, run, sizes);
    }
    switch (builder->partition) {
    case PLIANT_PARTITION_BALANCED:
        return pli_split_balanced(builder, run, sizes);
    case PLIANT_PARTITION_SHAPE_CENTRE:
    case PLIANT_PARTITION_SHAPE_MEAN:
        return pli_split_by_shape(builder, run, sizes);
    case PLIANT_PARTITION_CONNECTIVITY:
        return pli_split_by_connectivity(builder, run, sizes);
    case PLIANT_PARTITION_COVARIANCE:
        return pli_split_by_covariance(builder, run, sizes);
    }
    return 0;
}

/*
 * Builds the subtree over a run; split() bounds the depth, so recursion is safe. A node is numbered
 * before its children.
 */
static pliant_result build(pli_tree_builder *builder, pli_item_run run, uint32_t level,
                           uint32_t *child)
{
    if (run.count <= builder->cluster_triangles && level > 0) {
        return add_cluster(builder, run, child);
    }
    pliant_result result = add_node(builder, level, run.count, child);
    if (result != PLIANT_OK) {
        return result;
    }
    uint32_t node = *child, sizes[PLI_WIDTH] = {run.count}, parts = 1;
    if (run.count > builder->cluster_triangles) { /* else: the root over a single cluster */
        parts = split(builder, run, level, sizes);
    }
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t below = 0;
        result = build(builder, (pli_item_run){run.first, sizes[i]}, level + 1, &below);
        if (result != PLIANT_OK) {
            return result;
        }
        builder->nodes.data[node].child[i] = below;
        builder->nodes.data[node].child_count = i + 1;
        run.first += sizes[i];
    }
    return PLIANT_OK;
}

pliant_result pli_tree_build(pli_tree_builder *builder, pliant_context *context,
                             const pli_mesh *mesh, const pliant_shape_def *def)
{
    *builder = (pli_tree_builder){.context = context,
                                  .mesh = mesh,
                                  .partition = def->partition,
                                  .arity = def->arity,
                                  .leaf_size = def->leaf_size,
                                  .cluster_triangles = def->arity * def->leaf_size};
    pliant_result result = PLIANT_OK;
    if (!PLI_RESERVE(context, &builder->items, mesh->triangle_count) ||
        !PLI_RESERVE(context, &builder->scratch, mesh->triangle_count)) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    } else {
        fill_items(builder);
        if (builder->partition == PLIANT_PARTITION_CONNECTIVITY) {
            result = pli_patches_create(builder);
        }
    }
    if (result == PLIANT_OK) {
        uint32_t root = 0;
        result = build(builder, (pli_item_run){0, mesh->triangle_count}, 0, &root);
    }
    pli_patches_release(builder);
    if (result != PLIANT_OK) {
        pli_tree_release(builder);
    }
    return result;
}

void pli_tree_release(pli_tree_builder *builder)
{
    pli_arrays_release(builder->context, builder->arrays, PLI_TREE_ARRAYS);
}
