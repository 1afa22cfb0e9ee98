/*
 * The nearest rival, which anybody would write in an afternoon: a binary tree of boxes, split by
 * binned surface areas (Wald 2007), 32 bytes a node, refitted whole from the last node to the
 * first. Positions are copied to four floats each first, so that boxes are computed by registers of
 * four.
 */
#ifndef LAB_BASELINES_PLAIN_TREE_H
#define LAB_BASELINES_PLAIN_TREE_H

#include "lab/peers/peer.h"

typedef struct plain_node {
    float lower[3];
    uint32_t first; /* left child, next to the right one; of a leaf: its first triangle */
    float upper[3];
    uint32_t count; /* triangles of a leaf; 0: not a leaf */
} plain_node;

typedef struct plain_tree {
    plain_node *nodes; /* the root is node 0; children are after their parents */
    float *points;     /* four floats per vertex; the fourth is not read */
    uint32_t *corners; /* three vertices per triangle, in the order of the leaves */
    uint32_t *names;   /* index of each triangle in the mesh */
    uint32_t node_count, vertex_count, triangle_count;
} plain_tree;

/* Builds a tree over the positions of a body. Returns false if memory runs out. */
bool plain_tree_build(const peer_body *body, plain_tree *tree);
void plain_tree_free(plain_tree *tree);

/* Copies positions and recomputes every box. */
void plain_tree_refit(plain_tree *tree, const float *positions);

#endif
