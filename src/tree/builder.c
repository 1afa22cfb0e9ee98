#include "builder.h"

#include "base/error.h"

#include <string.h>

/* ------------------------------------------------------------ items */

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

/* ------------------------------------------------------------ one partition */

/*
 * The balanced partition, ours. All clusters but the last are full, and so are all nodes except
 * some near the root, as the eight-wide kernels need it. The tree has the least possible number of
 * levels. Children are made of the largest subtrees that are complete in all of them. Where to cut
 * along the longest axis of the midpoints' box is still open then, and goes by the boxes on both
 * sides (cut.c).
 */
uint32_t pli_split_balanced(pli_tree_builder *builder, pli_item_run run, uint32_t sizes[PLI_WIDTH])
{
    pli_portions portions = {.unit = builder->cluster_triangles, .most = 1};
    while (portions.unit * portions.most * builder->arity < run.count) {
        portions.unit *= portions.most;
        portions.most = builder->arity;
    }
    return pli_cut(&builder->cutter, run, portions, sizes);
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

/* ------------------------------------------------------------ a run */

/* Leaves a subtree to workers, which makes *child its number. */
static pliant_result leave_subtree(pli_tree_builder *builder, pli_item_run run, uint32_t level,
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

/* Builds the subtree over a run; *child is the node's entry for it. split() bounds the depth, so
 * recursion is safe. A node is numbered before its children. */
static pliant_result build_run(pli_tree_builder *builder, pli_item_run run, uint32_t level,
                               uint32_t *child)
{
    if (run.count <= builder->subtree_triangles && level > 0) {
        return leave_subtree(builder, run, level, child);
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
        result = build_run(builder, (pli_item_run){run.first, sizes[i]}, level + 1, &below);
        if (result != PLIANT_OK) {
            return result;
        }
        builder->nodes.data[node].child[i] = below;
        builder->nodes.data[node].child_count = i + 1;
        run.first += sizes[i];
    }
    return PLIANT_OK;
}

/* ------------------------------------------------------------ subtrees on workers

   The nodes near the root are made first, and where a subtree begins that is small enough, its
   number takes the place of a child. Workers make the subtrees side by side, each in memory of its
   own; joining them gives the numbers that one worker alone would have given. Only balanced trees:
   of these it is known how many clusters a run becomes. */

enum {
    SUBTREES_PER_WORKER = 8, /* about so many, so that all have work to the end */
    SMALLEST_SUBTREE = 1024
};

/* Chooses which subtrees are left to workers. */
static void begin_subtrees(pli_tree_builder *builder)
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
    pliant_result result = build_run(&own, subtree->run, subtree->level, &subtree->root);
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

/* Makes the subtrees that were left to workers, and joins them. */
static pliant_result end_subtrees(pli_tree_builder *builder)
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

/* ------------------------------------------------------------ a tree */

/* Builds the top nodes over islands that follow each other, and the islands. */
static pliant_result build_islands(pli_tree_builder *builder, uint32_t first, uint32_t count,
                                   uint32_t level, uint32_t *child)
{
    const pli_item *order = builder->island_order.data + first;
    if (count == 1) {
        return build_run(builder, builder->islands.data[order->triangle], level, child);
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
    begin_subtrees(builder);
    pliant_result result = islands > 1 ? build_islands(builder, 0, islands, 0, &root)
                                       : build_run(builder, (pli_item_run){0, count}, 0, &root);
    if (result == PLIANT_OK) {
        result = builder->cutter.result;
    }
    if (result == PLIANT_OK && builder->subtrees.count > 0) {
        result = end_subtrees(builder);
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

/* ------------------------------------------------------------ how large its boxes are */

typedef struct box {
    double lower[3], upper[3];
} box;

static const box nothing = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};

static void enclose(box *b, const double lower[3], const double upper[3])
{
    for (int k = 0; k < 3; k++) {
        b->lower[k] = lower[k] < b->lower[k] ? lower[k] : b->lower[k];
        b->upper[k] = upper[k] > b->upper[k] ? upper[k] : b->upper[k];
    }
}

static double area(const box *b)
{
    double side[3];
    for (int k = 0; k < 3; k++) {
        side[k] = b->upper[k] - b->lower[k];
    }
    return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

/* The box of a cluster's triangles. */
static box bound_cluster(const pli_tree_builder *builder, uint32_t cluster)
{
    const pli_mesh *mesh = builder->mesh;
    const float *positions = mesh->at != NULL ? mesh->at : mesh->positions;
    pli_item_run run = builder->clusters.data[cluster];
    box b = nothing;
    for (uint32_t i = 0; i < 3 * run.count; i++) {
        const pli_item *item = &builder->items.data[run.first + i / 3];
        const float *p =
            positions + 3 * (size_t)mesh->triangles[3 * (size_t)item->triangle + i % 3];
        const double point[3] = {(double)p[0], (double)p[1], (double)p[2]};
        enclose(&b, point, point);
    }
    return b;
}

/* The box of a child; *sum grows by its area and those below it. Depth is bounded by the tree's. */
static box bound_child(const pli_tree_builder *builder, uint32_t child, double *sum)
{
    box b = nothing;
    if (child & PLI_CLUSTER_BIT) {
        b = bound_cluster(builder, child & ~PLI_CLUSTER_BIT);
    } else {
        const pli_node *node = &builder->nodes.data[child];
        for (uint32_t i = 0; i < node->child_count; i++) {
            box below = bound_child(builder, node->child[i], sum);
            enclose(&b, below.lower, below.upper);
        }
    }
    *sum += area(&b);
    return b;
}

/* The areas of all boxes of a tree, one below the other, over the root's: what a walk tests. */
static double area_of_tree(const pli_tree_builder *builder)
{
    double sum = 0.0;
    box root = bound_child(builder, 0, &sum);
    return area(&root) > 0.0 ? sum / area(&root) : 1.0;
}

/* ------------------------------------------------------------ with islands or without */

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
                  (!plain || area_of_tree(&islands) <= most * area_of_tree(builder));
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
