/*
 * Layered depth images: per pixel of a window of a grid, the crossings of its ray with the body's
 * surface in order of depth, and the depths in which the surface touches the pixel's square.
 */
#ifndef PLI_VOLUME_IMAGE_H
#define PLI_VOLUME_IMAGE_H

#include "volume/raster_kernels.h"

#include "base/array.h"
#include "body/refresh.h"

/*
 * A crossing: depth in the upper bits, then whether the triangle's normal points along the rays,
 * then the caller's number of the triangle. Ascending keys are in order of depth.
 */
typedef uint64_t pli_crossing;

static inline uint32_t pli_crossing_depth(pli_crossing crossing)
{
    return (uint32_t)(crossing >> 33);
}

/* How the winding number changes along the ray: +1 where it enters, -1 where it leaves. */
static inline int32_t pli_crossing_step(pli_crossing crossing)
{
    return crossing >> 32 & 1 ? -1 : 1;
}

static inline uint32_t pli_crossing_triangle(pli_crossing crossing)
{
    return (uint32_t)crossing;
}

/* So many crossings may be read at any place of a list, whether they are its own or not. */
enum { PLI_CROSSING_SLACK = 4 };

/* Depths that a surface may have in a pixel's square: bounds in the upper 31 bits; the lowest bit
   of `lower` says that some of it faces along the rays, that of `upper` that some faces against. */
typedef struct pli_interval {
    uint32_t lower, upper;
    pli_slopes slopes; /* of all triangles there */
} pli_interval;

/* Where there is anything: columns and rows from the first of the window, and depths. */
typedef struct pli_occupied {
    uint32_t first[2], last[2]; /* first > last: nowhere */
    uint32_t depth[2];
} pli_occupied;

enum { PLI_BAND_ARRAYS = 5, PLI_RASTER_ARRAYS = 7 };

/* Some rows of an image. */
typedef struct pli_band {
    pli_occupied occupied;
    uint32_t depth_complexity;
    uint64_t open_rays; /* whose winding number does not end at 0 */
    pliant_result result;
    union {
        struct {
            pli_indices crossing_start; /* per pixel, and one more */
            PLI_ARRAY(pli_crossing) crossings;
            pli_indices interval_start;        /* likewise */
            PLI_ARRAY(pli_interval) intervals; /* per pixel ascending and apart */
            /* The pixels that clusters touch, by their numbers, where the band is the only one and
               all clusters were drawn; else none are counted. */
            PLI_ARRAY(pli_pixel_box) boxes;
        };
        pli_array arrays[PLI_BAND_ARRAYS];
    };
} pli_band;

PLI_CHECK_ARRAYS(pli_band);

typedef struct pli_image {
    /* NULL: of its whole window. Else of these squares, a row of pixels for each; `grid` is the
       finer one. */
    const pli_squares *squares;
    uint32_t first_square; /* 0 without squares */
    /* What it is an image of. */
    uint32_t body; /* its id; 0: an empty slot */
    uint64_t state;
    uint64_t frame; /* 0: the world; else the body's own, named by its shape, in any state */
    pliant_box box; /* the body's, in that frame */
    pli_grid grid;
    pli_window window;
    bool with_intervals, culled;
    uint64_t used; /* when: the image longest unused is replaced */
    /* The image. */
    uint32_t columns, rows, band_rows;
    PLI_ARRAY(pli_band) bands; /* more than there are now, if an earlier image had more */
    uint32_t band_count;
} pli_image;

/* What one worker fills an image with. */
typedef struct pli_cell {
    uint32_t count; /* in the pixel's pli_more_intervals */
    uint32_t reserved;
    pli_interval first[2]; /* of triangles that face against the rays, and along them; their `lower`
                              may be PLI_NO_INTERVAL */
    uint64_t padding;      /* to the size of a cache line */
} pli_cell;

/* Of a pixel whose cell has more. */
typedef struct pli_more_intervals {
    pli_interval interval[6]; /* in no order */
} pli_more_intervals;

#define PLI_NO_INTERVAL UINT32_MAX

/* An interval that its cell has no room for. */
typedef struct pli_spilled {
    uint32_t pixel;
    pli_interval interval;
} pli_spilled;

typedef struct pli_raster_worker {
    pli_snapped snapped;
    pli_raster_target target;
    union {
        struct {
            pli_indices pixel, word, triangle; /* the target's */
            PLI_ARRAY(pli_cell) cells;
            PLI_ARRAY(pli_more_intervals) more;
            PLI_ARRAY(pli_spilled) spilled;
            pli_keys scratch; /* for sorting long lists of crossings */
        };
        pli_array arrays[PLI_RASTER_ARRAYS];
    };
} pli_raster_worker;

/* Capacity for so many crossings in a worker's target. */
bool pli_raster_reserve(pliant_context *context, pli_raster_worker *worker, size_t count);

/* A cluster that takes part in an image. */
typedef struct pli_image_part {
    pli_cluster_record *record;
    uint32_t cluster;
    int32_t first_row, last_row; /* of the grid; none of its triangles touches others */
} pli_image_part;

/* A band being made of parts. */
typedef struct pli_band_filler {
    pliant_context *context;
    const pliant_shape *shape;
    const pli_raster_kernels *kernels;
    const pli_image *image;
    pli_raster_worker *worker;
    PLI_ATOMIC(uint64_t) * held; /* bytes that all workers' parts of the image take */
    uint64_t room;               /* most bytes that they may take */
    pli_band *band;
    uint32_t first_row, rows; /* of the image; with squares, their numbers */
    size_t pixels;
    size_t crossings, spilled; /* of the worker's lists that are counted in *held */
} pli_band_filler;

/* Counts more crossings, spilled intervals and listed intervals of the image; false if there is no
   room for them. */
bool pli_band_hold(pli_band_filler *filler, size_t crossings, size_t spilled, size_t listed);

/* Begins a band: all but the last six fields are set. All three return false without memory or
   room. */
bool pli_band_begin(pli_band_filler *filler, uint32_t band);

/* Adds the triangles of a part, as far as they touch the band. */
bool pli_band_add(pli_band_filler *filler, const pli_image_part *part);

/* Puts everything in order. */
bool pli_band_finish(pli_band_filler *filler);

void pli_image_release(pliant_context *context, pli_image *image);
uint64_t pli_image_memory(const pli_image *image);

/* The most crossings on a ray. */
static inline uint32_t pli_image_depth_complexity(const pli_image *image)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < image->band_count; i++) {
        uint32_t here = image->bands.data[i].depth_complexity;
        most = here > most ? here : most;
    }
    return most;
}

/* Rays whose winding number does not end at 0. */
static inline uint64_t pli_image_open_rays(const pli_image *image)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < image->band_count; i++) {
        count += image->bands.data[i].open_rays;
    }
    return count;
}

/* What an image says about one pixel of its window. */
typedef struct pli_ray {
    const pli_crossing *crossings;
    const pli_interval *intervals;
    uint32_t crossing_count, interval_count;
} pli_ray;

/* Where there is any surface in an image. */
pli_occupied pli_image_occupied(const pli_image *image);

/* A row of an image. */
typedef struct pli_image_row {
    const pli_band *band;
    size_t first; /* the band's number of its first pixel */
    bool with_intervals;
} pli_image_row;

static inline pli_image_row pli_image_row_at(const pli_image *image, uint32_t row)
{
    pli_image_row found = {image->bands.data, 0, image->with_intervals};
    if (image->band_count > 1) {
        found.band += row / image->band_rows;
        row %= image->band_rows;
    }
    found.first = (size_t)row * image->columns;
    return found;
}

static inline pli_ray pli_image_row_ray(const pli_image_row *row, uint32_t column)
{
    const pli_band *band = row->band;
    size_t pixel = row->first + column;
    const uint32_t *start = band->crossing_start.data + pixel;
    pli_ray ray = {.crossings = band->crossings.data + start[0],
                   .crossing_count = start[1] - start[0]};
    if (row->with_intervals) {
        start = band->interval_start.data + pixel;
        ray.intervals = band->intervals.data + start[0];
        ray.interval_count = start[1] - start[0];
    }
    return ray;
}

static inline pli_ray pli_image_ray(const pli_image *image, uint32_t column, uint32_t row)
{
    pli_image_row found = pli_image_row_at(image, row);
    return pli_image_row_ray(&found, column);
}

/* ------------------------------------------------------------ large_triangle.c

   Triangles that the kernels leave: one at a time, row by row, in 64-bit integers and double. */

/* A triangle on the grid, turned counter-clockwise, with its edge functions. */
typedef struct pli_large_triangle {
    int64_t side[2][3];
    double depth[3];
    int64_t area; /* twice the area, at least 0 */
    bool along;   /* its normal points along the rays */
    int64_t du[3], dv[3], bias[3], margin[3];
    double least, greatest, margin_depth, spread;
    pli_slopes slopes;
} pli_large_triangle;

void pli_large_triangle_set(pli_large_triangle *triangle, const pli_snapped *snapped,
                            const uint8_t corner[3]);

/* Columns of a row, both included; none if first > last. */
typedef struct pli_columns {
    int64_t first, last;
} pli_columns;

/* The pixels, among those to fill, that may be touched: both first and last row in `rows`. */
void pli_large_triangle_rows(const pli_large_triangle *triangle, const pli_raster_target *target,
                             pli_columns *columns, pli_columns *rows);

/* Of these columns, those whose rays cross the triangle, or whose squares it touches. */
pli_columns pli_large_triangle_crossed(const pli_large_triangle *triangle, pli_columns columns,
                                       int64_t row);
pli_columns pli_large_triangle_touched(const pli_large_triangle *triangle, pli_columns columns,
                                       int64_t row);

/* The crossing at a pixel as kernels give it, and the interval of depths; false if it is out of
 * range. */
uint32_t pli_large_triangle_word(const pli_large_triangle *triangle, int64_t column, int64_t row);
bool pli_large_triangle_interval(const pli_large_triangle *triangle, int64_t column, int64_t row,
                                 pli_interval *interval);

#endif
