/*
 * The initial-shape partition.
 * Based on: T. Larsson, T. Akenine-Moller, Collision Detection for Continuously Deforming Bodies,
 * Eurographics 2001, section 3.2.
 *
 * A node's box is split along its one, two or three longest sides (arity 2, 4, 8), at the box's
 * centre or at the mean of the midpoints, and triangles go where their midpoints lie. Ours: a split
 * that leaves everything on one side falls back to the balanced one, so that coincident midpoints
 * terminate; and splitting ends at a full cluster instead of at one triangle (leaf_size 1 and arity
 * 8 give clusters of eight one-triangle leaves, which is the paper's tree).
 */
#include "builder.h"

#include <string.h>

/* Box of the run's triangles and mean of their midpoints, in double: sums cannot overflow. */
typedef struct split_frame {
    double lower[3], upper[3], mean[3];
} split_frame;

static split_frame measure(const pli_tree_builder *builder, pli_item_run run)
{
    const pli_mesh *mesh = builder->mesh;
    split_frame frame = {{0}, {0}, {0}};
    for (uint32_t i = 0; i < run.count; i++) {
        const pli_item *item = &builder->items.data[run.first + i];
        for (size_t c = 0; c < 3; c++) {
            size_t vertex = mesh->triangles[3 * (size_t)item->triangle + c];
            for (size_t k = 0; k < 3; k++) {
                double x = (double)mesh->positions[3 * vertex + k];
                bool first = i == 0 && c == 0;
                frame.lower[k] = first || x < frame.lower[k] ? x : frame.lower[k];
                frame.upper[k] = first || x > frame.upper[k] ? x : frame.upper[k];
            }
        }
        for (int k = 0; k < 3; k++) {
            frame.mean[k] += (double)item->midpoint[k] / run.count;
        }
    }
    return frame;
}

/* The axes from the longest side to the shortest. */
static void order_axes(const split_frame *frame, int axes[3])
{
    for (int k = 0; k < 3; k++) {
        int j = k;
        double side = frame->upper[k] - frame->lower[k];
        for (; j > 0 && frame->upper[axes[j - 1]] - frame->lower[axes[j - 1]] < side; j--) {
            axes[j] = axes[j - 1];
        }
        axes[j] = k;
    }
}

/* Moves items below `plane` to the front, keeping order; returns how many they are. */
static uint32_t part_at_plane(pli_item *items, pli_item *scratch, uint32_t count, int axis,
                              double plane)
{
    uint32_t below = 0, above = 0;
    for (uint32_t i = 0; i < count; i++) {
        if ((double)items[i].midpoint[axis] < plane) {
            items[below++] = items[i];
        } else {
            scratch[above++] = items[i];
        }
    }
    memcpy(items + below, scratch, above * sizeof *items);
    return below;
}

uint32_t pli_split_by_shape(pli_tree_builder *builder, pli_item_run run, uint32_t sizes[PLI_WIDTH])
{
    split_frame frame = measure(builder, run);
    int axes[3];
    order_axes(&frame, axes);
    uint32_t parts = 1;
    sizes[0] = run.count;
    for (uint32_t cut = 0; cut < 3 && 1u << cut < builder->arity; cut++) {
        int axis = axes[cut];
        double plane = builder->partition == PLIANT_PARTITION_SHAPE_MEAN
                           ? frame.mean[axis]
                           : 0.5 * (frame.lower[axis] + frame.upper[axis]);
        uint32_t halves[2 * PLI_WIDTH], count = 0;
        pli_item *items = builder->items.data + run.first;
        for (uint32_t i = 0; i < parts; i++) {
            uint32_t below = part_at_plane(items, builder->scratch.data, sizes[i], axis, plane);
            items += sizes[i];
            if (below > 0) {
                halves[count++] = below;
            }
            if (below < sizes[i]) {
                halves[count++] = sizes[i] - below;
            }
        }
        parts = count;
        memcpy(sizes, halves, parts * sizeof *sizes);
    }
    return parts > 1 ? parts : pli_split_balanced(builder, run, sizes);
}
