/*
 * Bounds of free bodies.
 * Based on: T. Larsson, T. Akenine-Moller, Collision Detection for Continuously Deforming Bodies,
 * Eurographics 2001, section 3.3.
 *
 * A node is bounded from the distinct vertices below it, read through index lists in the caller's
 * order. Ours: those lists are ranges of one vertex order that all nodes share, plus short lists of
 * extras; eight children lie side by side; and a cluster of up to 64 triangles is refreshed whole.
 */
#include "from_vertices.h"

#include <math.h>

/* The smallest and the largest coordinate are the bound. A test builds this file with bounds that
   are too small by one float, to show that the other tests would notice (tests/test_power.c). */
#ifdef PLI_TEST_SHRUNK_BOUNDS
#define PLI_LOWER_BOUND(x) nextafterf((x), INFINITY)
#define PLI_UPPER_BOUND(x) nextafterf((x), -INFINITY)
#else
#define PLI_LOWER_BOUND(x) (x)
#define PLI_UPPER_BOUND(x) (x)
#endif

/* A box that grows, and a probe: 0 times a finite number is 0, times any other it is NaN. */
typedef struct growing_box {
    float lower[3], upper[3];
    float probe;
} growing_box;

static const growing_box empty_box = {
    {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0.0f};

static void enclose(growing_box *box, pli_positions positions, const uint32_t *list, uint32_t count)
{
    growing_box grown = *box;
    for (uint32_t i = 0; i < count; i++) {
        const float *p = pli_position(positions, list[i]);
        for (int k = 0; k < 3; k++) {
            float x = p[k];
            grown.lower[k] = x < grown.lower[k] ? x : grown.lower[k];
            grown.upper[k] = x > grown.upper[k] ? x : grown.upper[k];
            grown.probe += 0.0f * x;
        }
    }
    *box = grown;
}

bool pli_bound_child_from_vertices(const pliant_shape *shape, uint32_t child,
                                   pli_positions positions, pli_boxes *boxes, uint32_t lane)
{
    growing_box box = empty_box;
    if (child & PLI_CLUSTER_BIT) {
        const pli_cluster *cluster = &shape->clusters[child & ~PLI_CLUSTER_BIT];
        enclose(&box, positions, shape->cluster_vertices + cluster->first_vertex,
                cluster->vertex_count);
    } else {
        const pli_vertex_span *span = &shape->nodes[child].vertices;
        enclose(&box, positions, shape->vertex_order + span->first, span->count);
        enclose(&box, positions, shape->node_extras + span->extra_first, span->extra_count);
    }
    for (int k = 0; k < 3; k++) {
        boxes->side[k][lane] = PLI_LOWER_BOUND(box.lower[k]);
        boxes->side[3 + k][lane] = PLI_UPPER_BOUND(box.upper[k]);
    }
    return box.probe == 0.0f;
}

uint32_t pli_child_vertex_count(const pliant_shape *shape, uint32_t child)
{
    if (child & PLI_CLUSTER_BIT) {
        return shape->clusters[child & ~PLI_CLUSTER_BIT].vertex_count;
    }
    return shape->nodes[child].vertices.count + shape->nodes[child].vertices.extra_count;
}

/* Copies a cluster's vertices into its record, coordinate by coordinate. */
static bool read_vertices(const pliant_shape *shape, const pli_cluster *cluster,
                          pli_positions positions, pli_cluster_record *record)
{
    const uint32_t *list = shape->cluster_vertices + cluster->first_vertex;
    float *coordinate[3], probe = 0.0f;
    for (int k = 0; k < 3; k++) {
        coordinate[k] = pli_cluster_coordinate(record, k);
    }
    for (uint32_t i = 0; i < record->stride; i++) {
        /* The padding repeats the last vertex. */
        uint32_t v = list[i < cluster->vertex_count ? i : cluster->vertex_count - 1u];
        const float *p = pli_position(positions, v);
        for (int k = 0; k < 3; k++) {
            coordinate[k][i] = p[k];
            probe += 0.0f * p[k];
        }
    }
    return probe == 0.0f;
}

/* Boxes of all slots along one axis; holes get the empty box. */
static void bound_triangles(const pli_cluster *cluster, const uint8_t *corners,
                            const float *coordinate, float *lower, float *upper)
{
    for (uint32_t s = 0; s < cluster->slot_count; s++) {
        float a = coordinate[corners[s]];
        float b = coordinate[corners[cluster->slot_count + s]];
        float c = coordinate[corners[2 * cluster->slot_count + s]];
        float least = a < b ? a : b, most = a > b ? a : b;
        bool live = cluster->live >> s & 1;
        lower[s] = !live ? INFINITY : PLI_LOWER_BOUND(least < c ? least : c);
        upper[s] = !live ? -INFINITY : PLI_UPPER_BOUND(most > c ? most : c);
    }
}

bool pli_refresh_cluster_from_vertices(const pliant_shape *shape, uint32_t index,
                                       pli_positions positions, pli_cluster_record *record)
{
    const pli_cluster *cluster = &shape->clusters[index];
    const uint8_t *corners = shape->slot_corners + 3 * (size_t)cluster->first_slot;
    record->slots = cluster->slot_count;
    record->stride = pli_vertex_stride(cluster);
    if (!read_vertices(shape, cluster, positions, record)) {
        return false;
    }
    pli_boxes_clear(&record->leaf_box);
    for (int k = 0; k < 3; k++) {
        float *lower = pli_triangle_side(record, k), *upper = pli_triangle_side(record, 3 + k);
        bound_triangles(cluster, corners, pli_cluster_coordinate(record, k), lower, upper);
        for (uint32_t s = 0; s < record->slots; s++) {
            float *leaf_lower = &record->leaf_box.side[k][s / PLI_WIDTH];
            float *leaf_upper = &record->leaf_box.side[3 + k][s / PLI_WIDTH];
            *leaf_lower = lower[s] < *leaf_lower ? lower[s] : *leaf_lower;
            *leaf_upper = upper[s] > *leaf_upper ? upper[s] : *leaf_upper;
        }
    }
    return true;
}

void pli_boxes_clear(pli_boxes *boxes)
{
    for (int k = 0; k < 3; k++) {
        for (int lane = 0; lane < PLI_WIDTH; lane++) {
            boxes->side[k][lane] = INFINITY;
            boxes->side[3 + k][lane] = -INFINITY;
        }
    }
}

void pli_boxes_merge(const pli_boxes *from, pli_boxes *to, uint32_t lane)
{
    for (int k = 0; k < 3; k++) {
        float lower = from->side[k][0], upper = from->side[3 + k][0];
        for (int i = 1; i < PLI_WIDTH; i++) {
            lower = from->side[k][i] < lower ? from->side[k][i] : lower;
            upper = from->side[3 + k][i] > upper ? from->side[3 + k][i] : upper;
        }
        to->side[k][lane] = lower;
        to->side[3 + k][lane] = upper;
    }
}
