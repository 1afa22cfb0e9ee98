/* Triangles that the kernels leave: one at a time, row by row, in 64-bit integers and double. */
#ifndef PLI_VOLUME_LARGE_TRIANGLE_H
#define PLI_VOLUME_LARGE_TRIANGLE_H

#include "volume/image.h"

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
