#include "wide_spheres.h"

#include <stdlib.h>

#include "base/kernels.h"

/* Numbers nodes level by level; `from` has the old numbers in the new order. */
static void number_by_level(const baseline_tree *tree, uint32_t *from, baseline_node *nodes,
                            wide_order *order)
{
    uint32_t count = 1, level_end = 1;
    from[0] = 0;
    order->levels[0] = 0;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        if (i == level_end) {
            order->levels[++order->level_count] = order->inner_count;
            level_end = count;
        }
        const baseline_node *node = &tree->nodes[from[i]];
        nodes[i] = *node;
        if (node->count > 0) {
            nodes[i].first = count;
            from[count++] = node->first;
            from[count++] = node->first + 1;
            order->inner[order->inner_count++] = i;
            continue;
        }
        uint32_t *corners = order->corners + 3 * (size_t)order->leaf_count;
        for (size_t k = 0; k < 3; k++) {
            corners[k] = tree->triangles[3 * (size_t)node->first + k];
        }
        order->leaves[order->leaf_count++] = i;
    }
    order->levels[++order->level_count] = order->inner_count;
}

bool wide_order_create(baseline_tree *tree, pliant_isa cap, wide_order *order)
{
    size_t count = tree->node_count;
    pliant_isa isa = pli_isa_choose(cap);
    uint32_t *from = calloc(count, sizeof *from);
    baseline_node *nodes = malloc(count * sizeof *nodes);
    *order = (wide_order){.inner = malloc(count * sizeof *order->inner),
                          .leaves = malloc(count * sizeof *order->leaves),
                          .corners = malloc(3 * count * sizeof *order->corners),
                          .levels = malloc((count + 2) * sizeof *order->levels)};
    order->update = isa >= PLIANT_ISA_AVX512 ? wide_update_avx512
                    : isa >= PLIANT_ISA_AVX2 ? wide_update_avx2
                                             : wide_update_plain;
    bool done = from != NULL && nodes != NULL && order->inner != NULL && order->leaves != NULL &&
                order->corners != NULL && order->levels != NULL;
    if (done) {
        number_by_level(tree, from, nodes, order);
        free(tree->nodes);
        tree->nodes = nodes;
    } else {
        free(nodes);
    }
    free(from);
    return done;
}

void wide_order_free(wide_order *order)
{
    free(order->inner);
    free(order->leaves);
    free(order->corners);
    free(order->levels);
    *order = (wide_order){0};
}
