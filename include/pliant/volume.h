/*
 * Pliant: volumes. How much two closed bodies overlap, which points lie inside a body, and where a
 * body passes through itself, by layered depth images (Heidelberger, Teschner & Gross 2003).
 *
 * A body is sampled along parallel rays through the centres of a grid of pixels. Each ray's
 * crossings with the surface are counted with their direction: +1 where the ray enters, -1 where it
 * leaves. A point is inside where that count, the winding number, is not 0. Rays of a closed body
 * never miss a crossing, however small its triangles are.
 *
 * What is sampled has an error. Every volume comes with a range that the true volume lies in for
 * certain: whatever the surfaces may do between the rays is accounted for, down to overlaps that no
 * ray meets. The range is that of the body given by the float32 positions that queries see.
 *
 * Only closed bodies have an inside (pliant_shape_is_closed()); others are refused with the name of
 * an open edge, unless options.allow_open is set. A body is closed by its rest shape: if vertices
 * that lay together at rest are moved apart, rays pass through the gap, and `open_rays` counts
 * those whose winding number does not return to 0.
 */
#ifndef PLIANT_VOLUME_H
#define PLIANT_VOLUME_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who fills the layered depth images: NULL stands for the processor, the reference. Others come
   from libraries of their own (pliant/gl.h, pliant/backend.h). */
typedef struct pliant_volume_backend pliant_volume_backend;

/* Owns images, scratch memory, results and statistics. Use one per thread. Results live until its
   next call. Images of bodies that have not moved since are used again. */
typedef struct pliant_volume pliant_volume;

typedef struct pliant_volume_def {
    uint32_t tag;                         /* set by pliant_volume_def_default() */
    const pliant_volume_backend *backend; /* default NULL: the processor; the volume keeps it */
    /*
     * Bytes that crossings of rays and surfaces may take, in images and while these are made, at
     * least 65536; default 1073741824 (1 GiB). Images that would take more are made and used in
     * bands of rows, one after the other; answers are the same. A call fails
     * (PLIANT_ERROR_TOO_LARGE) if a single row takes more than a quarter. Up to 64 bytes per ray of
     * an image, 14 MB per worker, spans and gradients come on top.
     */
    uint64_t memory_limit;
} pliant_volume_def;

PLIANT_DEFAULT(pliant_volume_def)

/* `def` may be NULL for the defaults. The context's workers are used where there are enough rays.
 */
PLIANT_API pliant_result pliant_volume_create(pliant_context *context, const pliant_volume_def *def,
                                              pliant_volume **volume);

/* Destroys a volume and the arrays of its latest answer; it keeps no body. NULL is ignored. */
PLIANT_API void pliant_volume_destroy(pliant_volume *volume);

#define PLIANT_VOLUME_MAX_RESOLUTION 2048

typedef struct pliant_volume_options {
    uint32_t tag;            /* set by pliant_volume_options_default() */
    uint32_t resolution;     /* rays along each side of the image, 1 to 2048; default 128 */
    double tolerance;        /* if above 0: the resolution is doubled until `error` is at most this,
                                or max_resolution is reached; default 0 */
    uint32_t max_resolution; /* default 1024 */
    bool error_bound;        /* compute least, most and error; default true. Without, `least` is 0,
                                `most` the box's volume, and it takes a fraction of the time */
    bool spans;              /* also list the pieces of rays; default false */
    bool gradients;  /* also list what vertices do to the volume, by images along all three axes;
                        default false. Not for self-overlap */
    bool allow_open; /* default false. Take open bodies too: inside is where the winding number of
                        the ray from the side it is counted from is not 0. The error bound means
                        nothing then */
    bool cull;       /* default true: leave out what cannot meet the region in question. The answer
                        is the same without; only for measurements */
} pliant_volume_options;

PLIANT_DEFAULT(pliant_volume_options)

/*
 * Where the rays are. They run along `axis` (0: x, 1: y, 2: z) through the centres of pixels:
 * column i of axis (axis + 1) % 3 and row j of axis (axis + 2) % 3.
 */
typedef struct pliant_volume_grid {
    uint32_t axis;
    uint32_t columns, rows;
    double origin[2]; /* the lower corner of pixel (0, 0), along columns and rows */
    double pixel[2];  /* size of a pixel, along columns and rows */
    double depth[2];  /* from where to where rays run */
} pliant_volume_grid;

/* A piece of a ray. */
typedef struct pliant_volume_span {
    uint32_t column, row;
    float lower, upper; /* along the grid's axis */
} pliant_volume_span;

/*
 * What moving a vertex does to the volume, by rays along all three axes. Moving it along -gradient
 * makes the overlap smaller at first: the direction for a response. `area` is its share of the
 * surface that bounds the overlap; `depth` the mean length of the overlap along the rays that end
 * on that share.
 */
typedef struct pliant_volume_vertex {
    uint32_t vertex;
    float depth;
    float area;
    float gradient[3]; /* of the volume with respect to the vertex's position */
} pliant_volume_vertex;

/* A measured volume. Arrays belong to the volume object and live until its next call. */
typedef struct pliant_volume_measure {
    bool overlap;       /* a ray runs through it; if false there may still be some: see `most` */
    double volume;      /* the sum over all rays */
    double error;       /* the true volume is within volume - error and volume + error */
    double least, most; /* and, more narrowly, from `least` to `most`; `volume` is never outside */
    double centroid[3]; /* of what the rays run through; 0 if nothing */
    pliant_box box;     /* around the pixels and depths that the rays run through; 0 if nothing */
    uint64_t open_rays; /* rays (of both bodies) that run all the way through a body and do not end
                           outside; 0 for closed bodies. Rays that stop earlier are not counted,
                           nor, with `cull`, those of one body far from the other */
    pliant_volume_grid grid;
    const pliant_volume_span *spans; /* by row, column and depth; NULL unless asked for */
    uint64_t span_count;
    const pliant_volume_vertex *vertices[2]; /* of the first and of the second body, ascending by
                                                vertex; NULL unless asked for */
    uint32_t vertex_count[2];
} pliant_volume_measure;

/*
 * The volume that two bodies have in common, also where one lies wholly inside the other. The
 * bodies must differ and may share a shape. `options` may be NULL for the defaults.
 */
PLIANT_API pliant_result pliant_volume_intersect(pliant_volume *volume, pliant_body *a,
                                                 pliant_body *b,
                                                 const pliant_volume_options *options,
                                                 pliant_volume_measure *measure);

/*
 * The volume in which a body overlaps itself: where its winding number is above 1 or below 0.
 * A shell nested in another of the same orientation also gives 2, and counts.
 */
PLIANT_API pliant_result pliant_volume_intersect_self(pliant_volume *volume, pliant_body *body,
                                                      const pliant_volume_options *options,
                                                      pliant_volume_measure *measure);

/* The volume of a body: where its winding number is not 0. */
PLIANT_API pliant_result pliant_volume_measure_body(pliant_volume *volume, pliant_body *body,
                                                    const pliant_volume_options *options,
                                                    pliant_volume_measure *measure);

/* How a point lies to a body. */
typedef struct pliant_volume_point {
    int32_t winding; /* 0: outside */
    float depth;     /* from the point along the rays' direction to the nearer end of the piece of
                        the ray that is inside; negative: against it; 0 outside */
} pliant_volume_point;

/* How the points of one call were looked at. */
typedef struct pliant_volume_sampling {
    pliant_volume_grid grid; /* over the body's box, whatever the points are */
    bool own_frame;          /* the grid is that of the body's own frame, before its transform */
    float direction[3];      /* of the rays in the world, of length 1 */
    double error;            /* winding numbers of points farther from the surface are right */
} pliant_volume_sampling;

/*
 * Which of `count` points lie inside a body; `stride` bytes apart (0: 12). `answers` has room for
 * as many. A point is looked up on the ray through the centre of its pixel, so answers closer to
 * the surface than sampling->error may be wrong. The grid lies over the body's box and has its axis
 * along that box's shortest side: an answer depends on the body, the resolution and the point only.
 * Only the part of the body that rays of these points meet is looked at. A body that one transform
 * moves as a whole, from its shape's positions, is looked at in its own frame, once for all states.
 * `sampling` may be NULL.
 */
PLIANT_API pliant_result pliant_volume_locate_points(pliant_volume *volume, pliant_body *body,
                                                     const float *points, uint64_t count,
                                                     size_t stride,
                                                     const pliant_volume_options *options,
                                                     pliant_volume_point *answers,
                                                     pliant_volume_sampling *sampling);

/* Two bodies of a scene that overlap, or may, or one that overlaps itself (a == b). Spans and
   gradients are not kept. */
typedef struct pliant_scene_volume {
    pliant_body_id a, b; /* a.index <= b.index */
    pliant_volume_measure measure;
} pliant_scene_volume;

/* The answer. The array belongs to the scene and lives until the scene's next call. */
typedef struct pliant_scene_volumes {
    const pliant_scene_volume *pairs; /* ascending by a.index, then b.index */
    uint32_t count;
} pliant_scene_volumes;

/*
 * The common volumes of all pairs of bodies of a scene that category, mask and the filter of
 * `scene_options` (NULL for none) let through, and where bodies that have `self` set overlap
 * themselves, as in pliant_volume_intersect_self(); as far as they may be above 0 (measure.most >
 * 0), and the smallest boxes around both bodies meet.
 */
PLIANT_API pliant_result pliant_volume_intersect_scene(pliant_volume *volume, pliant_scene *scene,
                                                       const pliant_scene_options *scene_options,
                                                       const pliant_volume_options *options,
                                                       pliant_scene_volumes *volumes);

/* What the latest call cost. Counts are the same on every machine; times are not. */
typedef struct pliant_volume_stats {
    uint64_t clusters_refreshed, vertices_read; /* to bring bodies up to date, as in pliant_stats */
    uint64_t triangles;                         /* given to the rasteriser */
    uint64_t fragments;                         /* crossings of rays and surfaces */
    uint64_t images;                            /* made; images used again are not counted */
    uint32_t depth_complexity[2];               /* the most crossings on a ray, of each body; with
                                                   `cull`, of the rays that were looked at */
    double seconds_image; /* boxes, the region and the images: stages 1 and 2 */
    double seconds_query; /* everything else: stage 3 */
} pliant_volume_stats;

PLIANT_API const pliant_volume_stats *pliant_volume_get_stats(const pliant_volume *volume);

/* Bytes the object holds. */
PLIANT_API uint64_t pliant_volume_get_memory(const pliant_volume *volume);

#ifdef __cplusplus
}
#endif

#endif
