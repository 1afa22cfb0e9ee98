/* The inside of a volume object. */
#ifndef PLI_VOLUME_VOLUME_H
#define PLI_VOLUME_VOLUME_H

#include "pliant/backend.h"
#include "pliant/volume.h"

#include "volume/image.h"
#include "volume/sweep.h"

enum { PLI_IMAGES = 8 }; /* kept for bodies that do not move */

/* The end of a span on a surface: what the gradient is made of. */
typedef struct pli_span_end {
    uint32_t triangle;
    uint32_t column, row;
    float sign;   /* +1: the volume grows as the surface moves along the rays */
    float length; /* of the span */
} pli_span_end;

/* A share of a vertex in that surface: per axis of rays. */
typedef struct pli_vertex_share {
    uint32_t vertex;
    double gradient[3], area[3];
    double depth; /* lengths times areas, over all axes */
} pli_vertex_share;

/* What the ends of one body's surface come to: arrays only. */
typedef struct pli_gradient {
    PLI_ARRAY(pli_span_end) ends;
    PLI_ARRAY(pli_vertex_share) shares;
    PLI_ARRAY(pliant_volume_vertex) vertices;
} pli_gradient;

enum { PLI_VOLUME_ARRAYS = 19 };

struct pliant_volume {
    pliant_context *context;
    pli_use use;
    const pli_raster_kernels *kernels;
    const pliant_volume_backend *backend;
    pliant_volume_stats stats;
    pli_image images[PLI_IMAGES];
    pli_image finer[2];  /* of the squares that were looked at again last */
    pli_image band[2];   /* of some rows, where an image of all rows has no room */
    uint64_t clock;      /* counts uses of images */
    uint64_t call_began; /* the clock when the present call began: later uses are its own */
    uint64_t memory_limit;
    /* Bytes that the image being made takes, counted by its workers; and the most that an image of
       the present band took. */
    PLI_ATOMIC(uint64_t) held;
    uint64_t most_held;
    bool lacks_room; /* the last image took more than it may */
    union {
        struct {
            PLI_ARRAY(pli_image_part) parts;
            PLI_ARRAY(char) scratch; /* a record of a cluster's vertices that nobody keeps */
            PLI_ARRAY(pli_raster_worker) workers; /* one per worker of the context */
            PLI_ARRAY(pliant_volume_span) spans;
            pli_gradient gradients[2];
            pli_keys keys; /* four lists, for sorting */
            PLI_ARRAY(pli_sweep_sums) task_sums;
            /* Ranges of squares, row by row; those that were looked at again, and their places. */
            PLI_ARRAY(pli_square_range) ranges;
            pli_indices range_counts;
            PLI_ARRAY(pli_square_range) chosen;
            pli_indices chosen_before;
            PLI_ARRAY(float) own_points; /* points in a body's own frame */
            /* Triangles for a backend: corners on the grid, and the caller's numbers. */
            PLI_ARRAY(float) other_corners;
            pli_indices other_numbers;
        };
        pli_array arrays[PLI_VOLUME_ARRAYS];
    };
};

PLI_CHECK_ARRAYS(struct pliant_volume);

/* Of the record in pliant_volume.scratch. */
#define PLI_SCRATCH_BYTES                                                                          \
    (sizeof(pli_cluster_record) + 4 * (size_t)(3 * PLI_CLUSTER_SLOTS) * sizeof(float) +            \
     PLI_RECORD_SLACK)

/* Checks options; NULL stands for the defaults. */
pliant_result pli_volume_options_check(const pliant_volume_options *options);

/* Fails, naming an edge, unless a shape is closed or that does not matter. */
pliant_result pli_volume_check_closed(const pliant_shape *shape,
                                      const pliant_volume_options *options);

/* Prepares a body: its box is known afterwards. */
pliant_result pli_volume_prepare(pliant_body *body);

/* The box of a body that has been prepared. */
pliant_box pli_volume_body_box(const pliant_body *body);

/* What is to be imaged. */
typedef struct pli_image_request {
    pliant_body *body; /* prepared */
    pli_grid grid;
    pli_window window;
    bool intervals, cull;
    uint64_t frame;             /* as in pli_image */
    pli_image *band;            /* where an image is made that is not kept; NULL: one to keep */
    bool exactly;               /* no image will do that shows more */
    const pli_squares *squares; /* NULL: all of the window. Otherwise `grid` and `window` are of
                                   the finer grid */
    uint32_t first_square, square_count; /* squares to image */
    const pli_pixel_box *cluster_boxes;  /* with squares: of an image of the window, or NULL */
} pli_image_request;

/*
 * The image of a body over a window of a grid, made or found: an image that is there may show more.
 * It stays until the body has another state or many other images have been asked for.
 */
pliant_result pli_volume_image(pliant_volume *volume, const pli_image_request *request,
                               const pli_image **image);

/* An image of squares of a window, not kept for others. */
pliant_result pli_volume_image_squares(pliant_volume *volume, const pli_image_request *request,
                                       pli_image *image);

/* Turns the ends of spans in volume->gradients, on rays of a grid, into shares of vertices. */
pliant_result pli_volume_share_ends(pliant_volume *volume, pliant_body *const *bodies,
                                    uint32_t count, const pli_grid *grid);

/* Adds up the shares of all three axes. */
pliant_result pli_volume_sum_shares(pliant_volume *volume, uint32_t count);

/* The public call without its checks of arguments and without the switch of the floating-point
   environment; `options` are checked. Of a body with itself: where it overlaps itself. */
pliant_result pli_volume_intersect(pliant_volume *volume, pliant_body *a, pliant_body *b,
                                   const pliant_volume_options *options,
                                   pliant_volume_measure *measure);

/* The same for one body: its volume, or where it overlaps itself. */
pliant_result pli_volume_measure(pliant_volume *volume, pliant_body *body,
                                 const pliant_volume_options *options, pli_sweep_kind kind,
                                 pliant_volume_measure *measure);

/* ------------------------------------------------------------ backend.c */

/* A volume begins to use a backend, or has ended; NULL is ignored. Fails where the backend belongs
   to another copy of the library. */
pliant_result pli_backend_join(const pliant_volume_backend *backend);
void pli_backend_leave(const pliant_volume_backend *backend);

/* Fills the only band of an image from volume->parts by volume->backend. */
pliant_result pli_volume_cross_elsewhere(pliant_volume *volume, const pliant_body *body,
                                         const pli_image *image, pli_band_filler *filler);

/* ------------------------------------------------------------ bands.c

   The images of a question are made for all of its rows at once, unless their crossings would take
   more memory than the volume may use. Then rows are imaged and used a band at a time. Every row is
   used in the same way in the same order, so no answer depends on the bands. */

/* Images rows first to last and uses these images. Fails if there is no room for them. */
typedef pliant_result (*pli_band_step)(void *user, uint32_t first, uint32_t last);

/* Does a step for rows first to last, in as many bands as it takes. Fails if there is no room for a
   single row, with a sentence. */
pliant_result pli_volume_in_bands(pliant_volume *volume, uint32_t first, uint32_t last,
                                  pli_band_step step, void *user);

/*
 * Bytes that the crossings of one image may take: a quarter of the volume's limit. Two images of
 * bodies and two of their squares exist at once.
 */
uint64_t pli_volume_room(const pliant_volume *volume);

/* Releases images that the present call does not use and workers' lists, if an image of this size
   may not fit beside them. */
void pli_volume_make_room(pliant_volume *volume);

/* ------------------------------------------------------------ refine.c

   A narrower range: squares of much doubt are cut into smaller ones, for the range alone. */

/* What was swept, and what came out of it. */
typedef struct pli_refinement {
    const pli_ray_sweep *sweep; /* with ranges */
    const pli_grid *grid;
    pliant_body *const *body;
    const pliant_box *box;    /* of each body */
    const pli_window *window; /* of each body's image */
    bool cull;
    /* In steps of depth times squares: first of the grid, then of one with 1 << shift times as many
       columns and rows. */
    uint64_t certain, possible;
    uint32_t shift;
} pli_refinement;

/* Keeps the ranges of squares in a sweep that is to be refined. False without memory. */
bool pli_refine_begin(pliant_volume *volume, pli_ray_sweep *sweep);

/* Narrows the range of what was swept. */
pliant_result pli_refine(pliant_volume *volume, pli_refinement *refinement);

#endif
