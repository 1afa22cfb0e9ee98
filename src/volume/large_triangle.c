/*
 * What raster_kernels.c does with small triangles, for those that are too large for 32-bit edge
 * functions or cover many pixels. Rows are solved for the columns where all edge functions have the
 * right sign, so nothing is spent on pixels outside.
 */
#include "volume/image.h"

#include <math.h>

/* Bounds of the slopes: what rounding may do to them is as in set_doubt() of the kernels. */
static void set_slopes(pli_large_triangle *t, const double rise[2], double terms)
{
    const double area = (double)t->area;
    const double sum[2] = {-((double)t->dv[1] * rise[0] + (double)t->dv[2] * rise[1]),
                           (double)t->du[1] * rise[0] + (double)t->du[2] * rise[1]};
    double doubt = 0x1p-48 * terms / PLI_SQUARE_STEPS / area +
                   (double)PLI_SLOPE_MARGIN * t->margin_depth + 0x1p-60;
    for (uint32_t k = 0; k < 2; k++) {
        t->slopes.bound[k] = t->slopes.bound[2 + k] = -0x1p60f;
        if (t->area > 0) {
            t->slopes.bound[k] = nextafterf((float)(sum[k] / area - doubt), -INFINITY);
            t->slopes.bound[2 + k] = nextafterf((float)(-sum[k] / area - doubt), -INFINITY);
        }
    }
}

/* What lies in its body's box has coordinates up to 2^28 (grid.c). Where a block lies about its
   bounds there are others, which are cut off, so that products fit into 64 bits. */
static int64_t cut_off(int32_t side)
{
    const int32_t most = 1 << 29;
    return side > most ? most : side < -most ? -most : side;
}

void pli_large_triangle_set(pli_large_triangle *t, const pli_snapped *snapped,
                            const uint8_t corner[3])
{
    for (uint32_t c = 0; c < 3; c++) {
        t->side[0][c] = cut_off(snapped->side[0][corner[c]]);
        t->side[1][c] = cut_off(snapped->side[1][corner[c]]);
        t->depth[c] = (double)snapped->depth[corner[c]];
    }
    t->area = (t->side[0][1] - t->side[0][0]) * (t->side[1][2] - t->side[1][0]) -
              (t->side[0][2] - t->side[0][0]) * (t->side[1][1] - t->side[1][0]);
    t->along = t->area >= 0;
    if (t->area < 0) {
        t->area = -t->area;
        for (uint32_t k = 0; k < 2; k++) {
            int64_t side = t->side[k][1];
            t->side[k][1] = t->side[k][2];
            t->side[k][2] = side;
        }
        double depth = t->depth[1];
        t->depth[1] = t->depth[2];
        t->depth[2] = depth;
    }
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t a = (k + 1) % 3, b = (k + 2) % 3;
        int64_t du = t->du[k] = t->side[0][b] - t->side[0][a];
        int64_t dv = t->dv[k] = t->side[1][b] - t->side[1][a];
        t->bias[k] = dv < 0 || (dv == 0 && du > 0) ? 0 : 1;
        t->margin[k] = ((du < 0 ? -du : du) + (dv < 0 ? -dv : dv)) * PLI_SQUARE_STEPS;
    }
    t->least = fmin(fmin(t->depth[0], t->depth[1]), t->depth[2]);
    t->greatest = fmax(fmax(t->depth[0], t->depth[1]), t->depth[2]);
    t->margin_depth = (double)PLI_DEPTH_MARGIN * fmax(fabs(t->least), fabs(t->greatest));
    double rise[2] = {t->depth[1] - t->depth[0], t->depth[2] - t->depth[0]};
    double slope = fabs((double)t->dv[1] * rise[0] + (double)t->dv[2] * rise[1]) +
                   fabs((double)t->du[1] * rise[0] + (double)t->du[2] * rise[1]);
    /* As set_doubt() of the kernels, with the rounding of double. */
    double terms = (double)t->margin[1] * fabs(rise[0]) + (double)t->margin[2] * fabs(rise[1]);
    double reach = (double)(t->margin[0] + t->margin[1] + t->margin[2]) / PLI_SQUARE_STEPS;
    double doubt = 0x1p-48 * terms * (reach + 2.0 * PLI_PIXEL_STEPS) / PLI_SQUARE_STEPS;
    t->spread = t->area > 0 ? (slope * PLI_SQUARE_STEPS + doubt) / (double)t->area + t->margin_depth
                            : 0x1p60;
    set_slopes(t, rise, terms);
}

static int64_t least_of(const int64_t a[3])
{
    int64_t least = a[0] < a[1] ? a[0] : a[1];
    return least < a[2] ? least : a[2];
}

static int64_t greatest_of(const int64_t a[3])
{
    int64_t greatest = a[0] > a[1] ? a[0] : a[1];
    return greatest > a[2] ? greatest : a[2];
}

static pli_columns clipped(const int64_t side[3], int32_t first, int32_t last)
{
    int64_t low = (least_of(side) - 1) >> PLI_PIXEL_BITS;
    int64_t high = (greatest_of(side) + 1) >> PLI_PIXEL_BITS;
    return (pli_columns){low > first ? low : first, high < last ? high : last};
}

void pli_large_triangle_rows(const pli_large_triangle *t, const pli_raster_target *target,
                             pli_columns *columns, pli_columns *rows)
{
    *columns = clipped(t->side[0], target->first[0], target->last[0]);
    *rows = clipped(t->side[1], target->first[1], target->last[1]);
}

/* Edge function k at the centre of a pixel. */
static int64_t edge_value(const pli_large_triangle *t, uint32_t k, int64_t column, int64_t row)
{
    uint32_t a = (k + 1) % 3;
    int64_t u = column * PLI_PIXEL_STEPS + PLI_PIXEL_STEPS / 2;
    int64_t v = row * PLI_PIXEL_STEPS + PLI_PIXEL_STEPS / 2;
    return t->du[k] * (v - t->side[1][a]) - t->dv[k] * (u - t->side[0][a]);
}

static int64_t divide_down(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q * b > a ? q - 1 : q; /* b > 0 */
}

/* Narrows columns to those where value + step * (column - first) is at least `bound`. */
static pli_columns at_least(pli_columns columns, int64_t first, int64_t value, int64_t step,
                            int64_t bound)
{
    if (step == 0) {
        return value >= bound ? columns : (pli_columns){1, 0};
    }
    if (step > 0) {
        int64_t from = first - divide_down(value - bound, step);
        columns.first = from > columns.first ? from : columns.first;
    } else {
        int64_t to = first + divide_down(value - bound, -step);
        columns.last = to < columns.last ? to : columns.last;
    }
    return columns;
}

pli_columns pli_large_triangle_crossed(const pli_large_triangle *t, pli_columns columns,
                                       int64_t row)
{
    int64_t first = columns.first;
    for (uint32_t k = 0; k < 3 && columns.first <= columns.last; k++) {
        columns = at_least(columns, first, edge_value(t, k, first, row),
                           -t->dv[k] * PLI_PIXEL_STEPS, t->bias[k]);
    }
    return t->area > 0 ? columns : (pli_columns){1, 0};
}

pli_columns pli_large_triangle_touched(const pli_large_triangle *t, pli_columns columns,
                                       int64_t row)
{
    int64_t first = columns.first;
    for (uint32_t k = 0; k < 3 && columns.first <= columns.last; k++) {
        int64_t value = edge_value(t, k, first, row), step = -t->dv[k] * PLI_PIXEL_STEPS;
        columns = at_least(columns, first, value, step, -t->margin[k]);
        if (t->area == 0 && columns.first <= columns.last) {
            columns = at_least(columns, first, -value, -step, -t->margin[k]);
        }
    }
    return columns;
}

static double plane_depth(const pli_large_triangle *t, int64_t column, int64_t row)
{
    if (t->area == 0) {
        return t->depth[0];
    }
    double sum = (double)edge_value(t, 1, column, row) * (t->depth[1] - t->depth[0]) +
                 (double)edge_value(t, 2, column, row) * (t->depth[2] - t->depth[0]);
    return t->depth[0] + sum / (double)t->area;
}

static uint32_t depth_steps(double depth)
{
    return (uint32_t)(fmin(fmax(depth, 0.0), 1.0) * PLI_DEPTH_STEPS);
}

uint32_t pli_large_triangle_word(const pli_large_triangle *t, int64_t column, int64_t row)
{
    double depth = fmin(fmax(plane_depth(t, column, row), t->least), t->greatest);
    return depth_steps(depth) << 1 | (t->along ? 1 : 0);
}

bool pli_large_triangle_interval(const pli_large_triangle *t, int64_t column, int64_t row,
                                 pli_interval *interval)
{
    double depth = plane_depth(t, column, row);
    double low = fmax(depth - t->spread, t->least - t->margin_depth);
    double high = fmin(depth + t->spread, t->greatest + t->margin_depth);
    if (high < 0.0 || low > 1.0) {
        return false;
    }
    uint32_t upper = depth_steps(high) + 1;
    upper = upper < PLI_DEPTH_STEPS ? upper : PLI_DEPTH_STEPS;
    interval->lower = depth_steps(low) << 1 | (t->along ? 1 : 0);
    interval->upper = upper << 1 | (t->along && t->area > 0 ? 0 : 1);
    interval->slopes = t->slopes;
    return true;
}
