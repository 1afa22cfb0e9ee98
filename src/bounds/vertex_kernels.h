/*
 * The kernels that read vertices, one table per instruction set. All of them compute minima and
 * maxima only, so all tables give equal boxes.
 */
#ifndef PLI_BOUNDS_VERTEX_KERNELS_H
#define PLI_BOUNDS_VERTEX_KERNELS_H

#include "bounds/record.h"

/* Positions as the caller keeps them. */
typedef struct pli_positions {
    const float *first;
    size_t stride; /* bytes */
    uint32_t last; /* reading 16 bytes at any vertex but this one is safe */
} pli_positions;

static inline const float *pli_position(pli_positions positions, size_t vertex)
{
    return (const float *)(const void *)((const char *)positions.first + vertex * positions.stride);
}

/*
 * A box, and the sum of all its vertices: it is finite only if every coordinate is. (The converse
 * fails for coordinates near FLT_MAX; then they are looked at one by one.) The fourth entries mean
 * nothing.
 */
typedef struct pli_vertex_box {
    float lower[4], upper[4], sum[4];
} pli_vertex_box;

typedef struct pli_vertex_kernels {
    /* The box of two lists of vertices; the second may be empty. */
    void (*enclose_lists)(pli_positions positions, const uint32_t *list, uint32_t count,
                          const uint32_t *extras, uint32_t extra_count, pli_vertex_box *box);
    /* The same, with vertices first, first + 1, ... in place of the first list. */
    void (*enclose_range)(pli_positions positions, uint32_t first, uint32_t count,
                          const uint32_t *extras, uint32_t extra_count, pli_vertex_box *box);
    /* Copies a cluster's listed vertices, record->stride of them, into its record; gives their sum.
     */
    void (*read_vertices)(pli_positions positions, const uint32_t *list, pli_cluster_record *record,
                          float sum[4]);
    /* Fills in the boxes of a record's triangles and leaves from its vertices. */
    void (*bound_triangles)(const pli_cluster *cluster, const uint8_t *corners,
                            pli_cluster_record *record);
} pli_vertex_kernels;

#endif
