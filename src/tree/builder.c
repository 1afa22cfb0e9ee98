#include "builder.h"

pli_item pli_item_of(const pli_mesh *mesh, uint32_t triangle)
{
    const uint32_t *corner = mesh->triangles + 3 * (size_t)triangle;
    const float *positions = mesh->at != NULL ? mesh->at : mesh->positions;
    pli_item item = {.triangle = triangle};
    for (int k = 0; k < 3; k++) {
        double sum = 0.0; /* in double, so that three large floats cannot overflow */
        for (int c = 0; c < 3; c++) {
            sum += (double)positions[3 * (size_t)corner[c] + (size_t)k];
        }
        item.midpoint[k] = (float)(sum / 3.0);
    }
    return item;
}

enum { ITEMS_AT_ONCE = 4096 }; /* that a worker fills */

static void fill_items(void *argument, uint32_t piece, uint32_t worker)
{
    const pli_tree_builder *builder = argument;
    (void)worker;
    uint32_t first = piece * ITEMS_AT_ONCE, rest = builder->mesh->triangle_count - first;
    for (uint32_t i = 0; i < ITEMS_AT_ONCE && i < rest; i++) {
        builder->items.data[first + i] = pli_item_of(builder->mesh, first + i);
    }
}

static pliant_result add_cluster(pli_tree_builder *builder, pli_item_run run, uint32_t *child)
{
    uint32_t sizes[PLI_WIDTH]; /* of leaves: all full but the last */
    pli_cut(&builder->cutter, run, (pli_portions){builder->leaf_size, 1}, sizes);
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

/* split() bounds the depth, so recursion is safe. A node is numbered before its children. */
pliant_result pli_tree_build_run(pli_tree_builder *builder, pli_item_run run, uint32_t level,
                                 uint32_t *child)
{
    if (pli_subtree_is_left(builder, run, level)) {
        return pli_subtree_leave(builder, run, level, child);
    }
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
        result =
            pli_tree_build_run(builder, (pli_item_run){run.first, sizes[i]}, level + 1, &below);
        if (result != PLIANT_OK) {
            return result;
        }
        builder->nodes.data[node].child[i] = below;
        builder->nodes.data[node].child_count = i + 1;
        run.first += sizes[i];
    }
    return PLIANT_OK;
}

/* Builds the top nodes over islands that follow each other, and the islands. */
static pliant_result build_islands(pli_tree_builder *builder, uint32_t first, uint32_t count,
                                   uint32_t level, uint32_t *child)
{
    const pli_item *order = builder->island_order.data + first;
    if (count == 1) {
        return pli_tree_build_run(builder, builder->islands.data[order->triangle], level, child);
    }
    uint32_t triangles = 0, sizes[PLI_WIDTH];
    for (uint32_t i = 0; i < count; i++) {
        triangles += builder->islands.data[order[i].triangle].count;
    }
    pliant_result result = add_node(builder, level, triangles, child);
    if (result != PLIANT_OK) {
        return result;
    }
    uint32_t node = *child, parts = pli_island_sizes(count, builder->arity, sizes);
    builder->nodes.data[node].is_top = 1;
    for (uint32_t i = 0; i < parts && result == PLIANT_OK; i++) {
        uint32_t below = 0;
        result = build_islands(builder, first, sizes[i], level + 1, &below);
        builder->nodes.data[node].child[i] = below;
        builder->nodes.data[node].child_count = i + 1;
        first += sizes[i];
    }
    return result;
}

static pliant_result reserve(pli_tree_builder *builder)
{
    uint32_t count = builder->mesh->triangle_count, blocks = pli_cutter_blocks(count);
    bool done =
        PLI_RESERVE(builder->context, &builder->items, count) &&
        PLI_RESERVE(builder->context, &builder->scratch, count) &&
        PLI_RESERVE(builder->context, &builder->slices, count) &&
        pli_array_reserve(builder->context, &builder->blocks, blocks, pli_cutter_block_size());
    builder->cutter = (pli_cutter){.context = builder->mesh->alone ? NULL : builder->context,
                                   .items = builder->items.data,
                                   .scratch = builder->scratch.data,
                                   .slice = builder->slices.data,
                                   .block = builder->blocks.data};
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* The items of all triangles, or of those that were not removed. */
static pliant_result fill_all_items(pli_tree_builder *builder)
{
    const pli_mesh *mesh = builder->mesh;
    uint32_t count = mesh->triangle_count, there = 0;
    if (mesh->removed_count == 0) {
        return pli_mesh_run(mesh, fill_items, builder, (count - 1) / ITEMS_AT_ONCE + 1);
    }
    for (uint32_t t = 0; t < count; t++) {
        if (mesh->triangles[3 * (size_t)t] != UINT32_MAX) {
            builder->items.data[there++] = pli_item_of(mesh, t);
        }
    }
    return PLIANT_OK;
}

/* Fills the items and puts those side by side that belong together: components, for connectivity,
   then islands. */
static pliant_result order_items(pli_tree_builder *builder, bool islands)
{
    pliant_result result = fill_all_items(builder);
    if (result == PLIANT_OK && builder->partition == PLIANT_PARTITION_CONNECTIVITY) {
        result = pli_patches_create(builder);
    }
    return result == PLIANT_OK && islands ? pli_islands_find(builder) : result;
}

/* Builds the tree over items that are in order, or islands; subtrees by workers. */
static pliant_result build_ordered(pli_tree_builder *builder)
{
    uint32_t count = builder->mesh->triangle_count - builder->mesh->removed_count, root = 0;
    uint32_t islands = (uint32_t)builder->islands.count;
    pli_subtrees_begin(builder);
    pliant_result result = islands > 1
                               ? build_islands(builder, 0, islands, 0, &root)
                               : pli_tree_build_run(builder, (pli_item_run){0, count}, 0, &root);
    if (result == PLIANT_OK) {
        result = builder->cutter.result;
    }
    if (result == PLIANT_OK && builder->subtrees.count > 0) {
        result = pli_subtrees_end(builder);
    }
    return result;
}

/* Builds a tree, with islands or without; *made says whether there is one: none is where islands
   were asked for and there are none. */
static pliant_result build_one(pli_tree_builder *builder, bool islands, bool *made)
{
    pliant_result result = reserve(builder);
    if (result == PLIANT_OK) {
        result = order_items(builder, islands);
    }
    bool exists = !islands || builder->islands.count > 1;
    if (result == PLIANT_OK && exists) {
        result = build_ordered(builder);
    }
    pli_patches_release(builder);
    *made = result == PLIANT_OK && exists;
    if (!*made) {
        pli_tree_release(builder);
    }
    return result;
}

/* How much more a tree with islands may have to test at rest than one without, where nobody has
   asked for one of the two: pieces that lie within each other, as clothes over each other, are
   better off in one tree. */
#define MOST_FOR_MANY 1.25 /* there is a tree over them that follows the state */
#define MOST_FOR_FEW  1.05 /* they are the root's children: less is at stake */

/* Whether islands are to be looked for. Proxies are parts of the tree as it is at rest, so nothing
   may be sorted anew above them. Pieces of models mostly move as one thing, and bodies that are
   bounded without looking at their vertices would have much more to do before the first query. */
static bool may_have_islands(const pli_mesh *mesh, pliant_islands asked)
{
    const pli_model *model = &mesh->model;
    bool free = model->mode_count == 0 && !model->has_influences;
    return mesh->facts.component_count > 1 && model->proxy_triangles == 0 &&
           (asked == PLIANT_ISLANDS_ALWAYS || (asked == PLIANT_ISLANDS_AUTO && free));
}

pliant_result pli_tree_build(pli_tree_builder *builder, pliant_context *context,
                             const pli_mesh *mesh, const pli_tree_settings *settings)
{
    const pli_tree_builder empty = {.context = context,
                                    .mesh = mesh,
                                    .partition = settings->partition,
                                    .asked_islands = settings->islands,
                                    .arity = settings->arity,
                                    .leaf_size = settings->leaf_size,
                                    .cluster_triangles = settings->arity * settings->leaf_size};
    bool may = may_have_islands(mesh, settings->islands), has_islands = false, plain = false;
    pli_tree_builder islands = empty;
    *builder = empty;
    pliant_result result = may ? build_one(&islands, true, &has_islands) : PLIANT_OK;
    if (result == PLIANT_OK && !(has_islands && settings->islands == PLIANT_ISLANDS_ALWAYS)) {
        result = build_one(builder, false, &plain);
    }
    double most = islands.islands.count > settings->arity ? MOST_FOR_MANY : MOST_FOR_FEW;
    bool chosen = result == PLIANT_OK && has_islands &&
                  (!plain || pli_tree_area(&islands) <= most * pli_tree_area(builder));
    pli_tree_release(chosen ? builder : &islands);
    if (chosen) {
        *builder = islands;
    }
    return result;
}

void pli_tree_release(pli_tree_builder *builder)
{
    pli_arrays_release(builder->context, builder->arrays, PLI_TREE_ARRAYS);
}
