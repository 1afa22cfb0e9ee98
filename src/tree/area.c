/* How large the boxes of a tree are, while it is being chosen among others. */
#include "builder.h"

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

double pli_tree_area(const pli_tree_builder *builder)
{
    double sum = 0.0;
    box root = bound_child(builder, 0, &sum);
    return area(&root) > 0.0 ? sum / area(&root) : 1.0;
}
