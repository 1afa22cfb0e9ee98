/* What a tree is like: the figures of pliant_shape_quality that follow from a shape's arrays. */
#include "shape/shape.h"

/* Grows a box by the rest positions of listed vertices. */
static void enclose(const pliant_shape *shape, const uint32_t *list, uint32_t count,
                    double lower[3], double upper[3])
{
    for (uint32_t i = 0; i < count; i++) {
        const float *p = shape->positions + 3 * (size_t)list[i];
        for (int k = 0; k < 3; k++) {
            double x = (double)p[k];
            lower[k] = x < lower[k] ? x : lower[k];
            upper[k] = x > upper[k] ? x : upper[k];
        }
    }
}

static double box_area(const double lower[3], const double upper[3])
{
    double side[3];
    for (int k = 0; k < 3; k++) {
        side[k] = upper[k] - lower[k];
    }
    return 2.0 * (side[0] * side[1] + side[1] * side[2] + side[2] * side[0]);
}

/* The boxes' total area over the root's: how much a random walk down the tree has to test. */
static double measure_area_ratio(const pliant_shape *shape)
{
    double total = 0.0, root = 0.0;
    for (uint32_t n = 0; n < shape->node_count; n++) {
        const pli_vertex_span *span = &shape->nodes[n].vertices;
        double lower[3] = {1e300, 1e300, 1e300}, upper[3] = {-1e300, -1e300, -1e300};
        enclose(shape, shape->vertex_order + span->first, span->count, lower, upper);
        enclose(shape, shape->node_extras + span->extra_first, span->extra_count, lower, upper);
        total += box_area(lower, upper);
        root = n == 0 ? total : root;
    }
    for (uint32_t c = 0; c < shape->cluster_count; c++) {
        const pli_cluster *cluster = &shape->clusters[c];
        double lower[3] = {1e300, 1e300, 1e300}, upper[3] = {-1e300, -1e300, -1e300};
        enclose(shape, shape->cluster_vertices + cluster->first_vertex, cluster->vertex_count,
                lower, upper);
        total += box_area(lower, upper);
    }
    return root > 0.0 ? total / root : 1.0;
}

void pli_shape_measure_tree(const pliant_shape *shape, pliant_shape_quality *quality)
{
    const pli_block_header *block = shape->block;
    uint64_t listed = 0, owned = 0;
    uint32_t deepest = 0;
    for (uint32_t c = 0; c < shape->cluster_count; c++) {
        listed += shape->clusters[c].vertex_count;
        owned += shape->clusters[c].owned_count;
    }
    for (uint32_t n = 0; n < shape->node_count; n++) {
        deepest = shape->nodes[n].level > deepest ? shape->nodes[n].level : deepest;
    }
    quality->node_count = shape->node_count;
    quality->cluster_count = shape->cluster_count;
    /* Below the deepest node: its clusters, their leaves, and triangles unless a leaf is one. */
    quality->levels = deepest + 2 + (block->leaf_size > 1);
    quality->unused_vertex_count = shape->vertex_count - (uint32_t)owned;
    quality->cluster_fill = (double)shape->triangle_count / (double)shape->cluster_count /
                            (block->arity * block->leaf_size);
    quality->boundary_share = (double)(listed - owned) / (double)owned;
    quality->area_ratio = measure_area_ratio(shape);
}
