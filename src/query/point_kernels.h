/*
 * The kernels of questions about points and rays, one table per instruction set. All tables give
 * the same numbers.
 */
#ifndef PLI_QUERY_POINT_KERNELS_H
#define PLI_QUERY_POINT_KERNELS_H

#include "query/pair_kernels.h"

/* Beyond this, coordinates are none of these kernels' business: their squares may overflow. */
#define PLI_POINT_MODERATE 0x1p38f

/* A limit on squared distances that all moderate coordinates keep. */
#define PLI_POINT_NO_LIMIT 0x1p100f

/* Slots of a cluster, and what wide registers read and write behind them. */
enum { PLI_POINT_SLOTS = PLI_CLUSTER_SLOTS + 16 };

/* A line along an axis through a point. */
typedef struct pli_axis_line {
    const float *point;
    int axis;
    int ahead; /* 1: only from the point on; -1: only up to it; 0: all of it */
} pli_axis_line;

/* A ray as boxes see it, in double. */
typedef struct pli_ray_lines {
    double origin[3], inverse[3]; /* inverse 0: the ray does not move along that axis */
    double limit;                 /* parameters above it do not matter; below 0: none do */
} pli_ray_lines;

/* How much a computed parameter is enlarged before it is called too small; see query/ray_walk.c. */
#define PLI_RAY_WIDENED (1.0 + 0x1p-49)

typedef struct pli_point_kernels {
    /*
     * The squared distances of a box, or of a point given twice, to eight boxes, off by a factor
     * below 1 + 2^-21 and by 2^-120. Returns those that are not above a finite limit; bit j for box
     * j. `side` points at the lower x of the first box; its other sides follow `stride` floats
     * apart. Empty boxes are infinitely far. Coordinates that exist must be moderate.
     */
    unsigned (*near_boxes)(const float *side, size_t stride, const float lower[3],
                           const float upper[3], float limit, float squared[PLI_WIDTH]);
    /* Which of eight boxes a line meets, exactly. Empty boxes are never met. */
    unsigned (*line_boxes)(const float *side, size_t stride, const pli_axis_line *line);
    /*
     * Which of eight boxes a ray meets at a parameter that matters, as query/ray_walk.c says, and
     * the parameters where it enters them. Empty boxes are never met.
     */
    unsigned (*ray_boxes)(const float *side, size_t stride, const pli_ray_lines *ray,
                          double near[PLI_WIDTH]);
    /*
     * Lists the slots of a cluster whose boxes are as near as near_boxes() says, ascending, and for
     * each a distance that the point is at least away from its triangle. Returns their number. Both
     * arrays have room for PLI_POINT_SLOTS. Coordinates must be moderate.
     */
    uint32_t (*near_slots)(const pli_slot_triangles *triangles, const float point[3], float limit,
                           uint8_t *slots, float *beyond);
} pli_point_kernels;

#endif
