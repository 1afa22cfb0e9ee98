/* What a tree is like: the figures of pliant_shape_quality that follow from a shape's arrays. */
#include "mesh/mesh.h"
#include "shape/tearing.h"

#include <string.h>

/* A box of positions. */
typedef struct rest_box {
    double lower[3], upper[3];
} rest_box;

static const rest_box no_box = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};

static rest_box box_of_cluster(const pliant_shape *shape, const float *positions,
                               const pli_cluster *cluster)
{
    rest_box box = no_box;
    const uint32_t *list = shape->cluster_vertices + cluster->first_vertex;
    for (uint32_t i = 0; i < cluster->vertex_count; i++) {
        const float *p = positions + 3 * (size_t)list[i];
        for (int k = 0; k < 3; k++) {
            double x = (double)p[k];
            box.lower[k] = x < box.lower[k] ? x : box.lower[k];
            box.upper[k] = x > box.upper[k] ? x : box.upper[k];
        }
    }
    return box;
}

static void add_box(rest_box *box, const rest_box *more)
{
    for (int k = 0; k < 3; k++) {
        box->lower[k] = more->lower[k] < box->lower[k] ? more->lower[k] : box->lower[k];
        box->upper[k] = more->upper[k] > box->upper[k] ? more->upper[k] : box->upper[k];
    }
}

static double box_area(const rest_box *box)
{
    double side[3];
    for (int k = 0; k < 3; k++) {
        side[k] = box->upper[k] - box->lower[k];
    }
    return 2.0 * (side[0] * side[1] + side[1] * side[2] + side[2] * side[0]);
}

/* The box of all below a child of a node, itself included; adds the areas of their boxes. Trees are
   not deep: this may recurse. */
static rest_box measure_child(const pliant_shape *shape, uint32_t child, double *area)
{
    rest_box box = no_box;
    if (child & PLI_CLUSTER_BIT) {
        box = box_of_cluster(shape, shape->positions, &shape->clusters[child & ~PLI_CLUSTER_BIT]);
    } else {
        const pli_node *node = &shape->nodes[child];
        for (uint32_t i = 0; i < node->child_count; i++) {
            rest_box below = measure_child(shape, node->child[i], area);
            add_box(&box, &below);
        }
    }
    *area += box_area(&box);
    return box;
}

/* The boxes' total area over the root's: how much a random walk down the tree has to test. */
static double measure_area_ratio(const pliant_shape *shape)
{
    double total = 0.0;
    rest_box whole = measure_child(shape, 0, &total);
    double root = box_area(&whole);
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

static double sides_of(const rest_box *box)
{
    double sides = 0.0;
    for (int k = 0; k < 3; k++) {
        sides += box->upper[k] - box->lower[k];
    }
    return sides;
}

/* The box of all below a child; writes, for each node of these, the sides of its children's boxes
   together, in units of 1 / scale. Trees are not deep: this may recurse. */
static rest_box size_child(const pliant_shape *shape, const float *positions, uint32_t child,
                           double scale, uint32_t *sizes)
{
    if (child & PLI_CLUSTER_BIT) {
        return box_of_cluster(shape, positions, &shape->clusters[child & ~PLI_CLUSTER_BIT]);
    }
    const pli_node *node = &shape->nodes[child];
    rest_box box = no_box;
    double sides = 0.0;
    for (uint32_t i = 0; i < node->child_count; i++) {
        rest_box below = size_child(shape, positions, node->child[i], scale, sizes);
        sides += sides_of(&below);
        add_box(&box, &below);
    }
    sizes[child] = (uint32_t)(sides * scale);
    return box;
}

pliant_result pli_shape_measure_cut(pliant_shape *shape, const float *positions)
{
    uint32_t *sizes = pli_allocate(shape->context, shape->node_count * sizeof *sizes);
    if (sizes == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    rest_box whole = size_child(shape, positions, 0, 0.0, sizes);
    shape->cut_scale = sides_of(&whole) > 0.0 ? PLI_CUT_UNITS / sides_of(&whole) : 0.0;
    size_child(shape, positions, 0, shape->cut_scale, sizes);
    shape->cut_sizes = sizes;
    return PLIANT_OK;
}

/* ------------------------------------------------------------ torn shapes

   Edits only look around, so the figures of the whole are found when they are asked for.
   */

/* The facts about the mesh that edits do not keep. */
static pliant_result measure_mesh(const pliant_shape *shape, pliant_shape_quality *quality)
{
    pli_tearing *t = shape->tearing;
    pli_mesh mesh = {.context = shape->context,
                     .vertex_count = shape->vertex_count,
                     .triangle_count = shape->triangle_count,
                     .removed_count = shape->triangle_count - t->live_count,
                     .positions = t->positions.data,
                     .triangles = t->triangles.data,
                     .welded = t->welded.data};
    pliant_result result = pli_mesh_connect(&mesh);
    quality->component_count = mesh.facts.component_count;
    quality->degenerate_triangle_count = mesh.facts.degenerate_triangle_count;
    quality->duplicate_triangle_count = mesh.facts.duplicate_triangle_count;
    mesh.positions = NULL; /* they stay the shape's */
    mesh.triangles = mesh.welded = NULL;
    pli_mesh_release(&mesh);
    return result;
}

static uint32_t count_order(const pliant_shape *shape, uint8_t *seen, uint32_t *order)
{
    uint32_t count = 0;
    memset(seen, 0, shape->vertex_count);
    for (uint32_t c = 0; c < shape->cluster_count; c++) {
        const pli_cluster *cluster = &shape->clusters[c];
        uint32_t listed = cluster->triangle_count > 0 ? cluster->vertex_count : 0;
        for (uint32_t i = 0; i < listed; i++) {
            uint32_t v = shape->cluster_vertices[cluster->first_vertex + i];
            if (!seen[v] && order != NULL) {
                order[count] = v;
            }
            count += !seen[v];
            seen[v] = 1;
        }
    }
    return count;
}

pliant_result pli_tearing_order_vertices(const pliant_shape *shape, uint32_t *order)
{
    uint8_t *seen = pli_allocate(shape->context, shape->vertex_count);
    if (seen == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    uint32_t count = count_order(shape, seen, order);
    for (uint32_t v = 0; v < shape->vertex_count; v++) {
        if (!seen[v]) {
            order[count++] = v; /* used by no triangle: behind all others */
        }
    }
    pli_release(shape->context, seen, shape->vertex_count);
    return PLIANT_OK;
}

pliant_result pli_tearing_measure(const pliant_shape *shape, pliant_shape_quality *quality)
{
    pliant_shape_quality found = shape->block->quality;
    uint8_t *seen = pli_allocate(shape->context, shape->vertex_count);
    pliant_result result = seen != NULL ? measure_mesh(shape, &found) : PLIANT_ERROR_OUT_OF_MEMORY;
    if (result == PLIANT_OK) {
        uint32_t used = count_order(shape, seen, NULL), clusters = 0;
        uint64_t listed = 0;
        for (uint32_t c = 0; c < shape->cluster_count; c++) {
            bool there = shape->clusters[c].triangle_count > 0;
            clusters += there;
            listed += there ? shape->clusters[c].vertex_count : 0;
        }
        pli_shape_measure_tree(shape, &found);
        found.cluster_count = clusters;
        found.unused_vertex_count = shape->vertex_count - used;
        found.cluster_fill = (double)shape->tearing->live_count / (double)clusters /
                             (shape->block->arity * shape->block->leaf_size);
        found.boundary_share = (double)(listed - used) / (double)used;
        *quality = found;
    }
    pli_release(shape->context, seen, shape->vertex_count);
    return result;
}
