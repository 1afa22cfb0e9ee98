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

static inline const float *pli_position(pli_positions positions, uint32_t vertex)
{
    return (const float *)(const void *)((const char *)positions.first + vertex * positions.stride);
}

/*
 * A box that grows, and the sum of all its vertices: it is finite only if every coordinate is. (The
 * converse fails for coordinates near FLT_MAX; then they are looked at one by one.)
 */
typedef struct pli_growing_box {
    float lower[3], upper[3], sum[3];
} pli_growing_box;

typedef struct pli_vertex_kernels {
    /* Grows a box by listed vertices. */
    void (*enclose_list)(pli_positions positions, const uint32_t *list, uint32_t count,
                         pli_growing_box *box);
    /* Grows a box by vertices first, first + 1, ... */
    void (*enclose_range)(pli_positions positions, uint32_t first, uint32_t count,
                          pli_growing_box *box);
    /* Copies a cluster's listed vertices into its record, and returns their sum in sum[3]. */
    void (*read_vertices)(pli_positions positions, const uint32_t *list, uint32_t count,
                          pli_cluster_record *record, float sum[3]);
    /* Fills in the boxes of a record's triangles and leaves from its vertices. */
    void (*bound_triangles)(const pli_cluster *cluster, const uint8_t *corners,
                            pli_cluster_record *record);
} pli_vertex_kernels;

extern const pli_vertex_kernels pli_vertex_kernels_plain, pli_vertex_kernels_baseline;
extern const pli_vertex_kernels pli_vertex_kernels_avx2, pli_vertex_kernels_avx512;

/* The table of an instruction set that the running machine has. */
const pli_vertex_kernels *pli_vertex_kernels_for(pliant_isa isa);

#endif
