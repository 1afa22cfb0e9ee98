/* Which parts of a tree are proxies, and how they are numbered; see pliant/shape.h. */
#ifndef PLI_SHAPE_PROXIES_H
#define PLI_SHAPE_PROXIES_H

#include "shape/shape.h"

/* Triangles below a child of a node. */
static inline uint32_t pli_child_triangles(const pliant_shape *shape, uint32_t child)
{
    return child & PLI_CLUSTER_BIT ? shape->clusters[child & ~PLI_CLUSTER_BIT].triangle_count
                                   : shape->nodes[child].triangle_count;
}

/* Bit l: leaf l of a cluster holds triangles. */
static inline unsigned pli_cluster_leaves(const pli_cluster *cluster)
{
    unsigned used = 0;
    for (uint32_t leaf = 0; leaf < PLI_WIDTH; leaf++) {
        used |= (unsigned)((cluster->live >> (PLI_WIDTH * leaf) & 0xff) != 0) << leaf;
    }
    return used;
}

/* One leaf of a cluster, as one side of a contact. */
pliant_proxy pli_proxy_of_leaf(const pliant_shape *shape, uint32_t cluster, uint32_t leaf);

/* A child of a node, or the root, node 0, as one side of a contact. */
pliant_proxy pli_proxy_of_child(const pliant_shape *shape, uint32_t child);

#endif
