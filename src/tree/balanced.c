/*
 * The balanced partition, ours. All clusters but the last are full, and so are all nodes but some
 * near the root, which is what the eight-wide kernels want; the tree has the least possible number
 * of levels. What that leaves open, where to cut along the longest axis of the midpoints' box, goes
 * by the boxes on both sides (cut.c).
 */
#include "builder.h"

/* Children are made of the largest subtrees that are complete in all of them. */
uint32_t pli_split_balanced(pli_tree_builder *builder, pli_item_run run, uint32_t sizes[PLI_WIDTH])
{
    pli_portions portions = {.unit = builder->cluster_triangles, .most = 1};
    while (portions.unit * portions.most * builder->arity < run.count) {
        portions.unit *= portions.most;
        portions.most = builder->arity;
    }
    return pli_cut(&builder->cutter, run, portions, sizes);
}
