/*
 * Regions of interest and outside faces.
 * Based on: Heidelberger, Teschner & Gross, Volumetric Collision Detection for Deformable Objects,
 * 2003, section 2.1. The paper chooses among faces that both bodies have and extends the region
 * where there are none. The rule here covers all cases at once: along each axis the body whose
 * lower end is the greater one is seen from there and the other from its own upper end, or the body
 * whose upper end is the lesser one from there and the other from its own lower end. All six
 * choices are valid, and the one with the shortest rays is taken.
 */
#include "grid.h"

#include <math.h>

/* One way to lay rays along an axis. */
typedef struct grid_candidate {
    uint32_t axis;
    double lower, upper;
    bool
        first_from_upper; /* the first body is seen from the upper end, the second from the lower */
} grid_candidate;

static grid_candidate candidate_along(const pliant_box box[2], uint32_t axis, bool mirrored)
{
    grid_candidate c = {.axis = axis};
    if (!mirrored) {
        uint32_t low = box[0].lower[axis] >= box[1].lower[axis] ? 0 : 1;
        c.lower = (double)box[low].lower[axis];
        c.upper = (double)box[1 - low].upper[axis];
        c.first_from_upper = low == 1;
    } else {
        uint32_t high = box[0].upper[axis] <= box[1].upper[axis] ? 0 : 1;
        c.upper = (double)box[high].upper[axis];
        c.lower = (double)box[1 - high].lower[axis];
        c.first_from_upper = high == 0;
    }
    return c;
}

static grid_candidate shortest_candidate(const pliant_box box[2], uint32_t axis)
{
    grid_candidate best = {.lower = 0.0, .upper = (double)INFINITY};
    for (uint32_t i = 0; i < 6; i++) {
        grid_candidate c = candidate_along(box, i / 2, i % 2 != 0);
        if ((axis == PLI_ANY_AXIS || axis == i / 2) &&
            c.upper - c.lower < best.upper - best.lower) {
            best = c;
        }
    }
    return best;
}

/*
 * Fills in a direction of the grid. Where bodies reach so far that coordinates would not fit into
 * the bit budget, or the interval is empty, it is widened upwards: a larger region is as good.
 */
static void set_interval(pli_grid *grid, uint32_t k, double lower, double upper, double reach)
{
    double least = k < 2 ? reach * grid->resolution * 0x1p-20 : reach * 0x1p-16;
    double extent = upper - lower;
    extent = extent > least ? extent : least;
    extent = extent > 0x1p-140 ? extent : 0x1p-140;
    grid->lower[k] = lower;
    grid->extent[k] = extent;
    grid->scale[k] = (k < 2 ? (double)grid->resolution * PLI_PIXEL_STEPS : 1.0) / extent;
}

/* How far from `from` boxes reach along an axis. */
static double reach_along(const pliant_box *box, uint32_t count, uint32_t axis, double from)
{
    double reach = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        reach = fmax(reach, fabs((double)box[i].lower[axis] - from));
        reach = fmax(reach, fabs((double)box[i].upper[axis] - from));
    }
    return reach;
}

void pli_grid_for_pair(const pliant_box box[2], uint32_t axis, uint32_t resolution, pli_grid *grid)
{
    grid_candidate rays = shortest_candidate(box, axis);
    *grid = (pli_grid){.resolution = resolution,
                       .from_upper = {rays.first_from_upper, !rays.first_from_upper}};
    for (uint32_t k = 0; k < 3; k++) {
        axis = grid->axis[k] = (rays.axis + 1 + k) % 3;
        double lower = rays.lower, upper = rays.upper;
        if (k < 2) {
            lower = fmax((double)box[0].lower[axis], (double)box[1].lower[axis]);
            upper = fmin((double)box[0].upper[axis], (double)box[1].upper[axis]);
        }
        set_interval(grid, k, lower, upper, reach_along(box, 2, axis, lower));
    }
}

static uint32_t shortest_side(const pliant_box *box)
{
    uint32_t shortest = 0;
    double least = (double)INFINITY;
    for (uint32_t axis = 0; axis < 3; axis++) {
        double extent = (double)box->upper[axis] - (double)box->lower[axis];
        shortest = extent < least ? axis : shortest;
        least = extent < least ? extent : least;
    }
    return shortest;
}

void pli_grid_for_body(const pliant_box *box, uint32_t axis, uint32_t resolution, pli_grid *grid)
{
    uint32_t along = axis == PLI_ANY_AXIS ? shortest_side(box) : axis;
    *grid = (pli_grid){.resolution = resolution};
    for (uint32_t k = 0; k < 3; k++) {
        axis = grid->axis[k] = (along + 1 + k) % 3;
        double lower = (double)box->lower[axis];
        set_interval(grid, k, lower, (double)box->upper[axis], reach_along(box, 1, axis, lower));
    }
}

bool pli_grid_refine(const pli_grid *grid, const pliant_box *boxes, uint32_t count, uint32_t shift,
                     pli_grid *finer)
{
    *finer = *grid;
    finer->resolution <<= shift;
    bool fits = true;
    for (uint32_t k = 0; k < 2; k++) {
        finer->scale[k] *= (double)(1u << shift);
        double reach = reach_along(boxes, count, grid->axis[k], grid->lower[k]);
        fits = fits && reach * finer->scale[k] <= 0x1p28;
    }
    return fits;
}

/* Rounded so that nothing is left out. */
static float float_below(double x)
{
    float y = (float)x;
    return (double)y <= x ? y : nextafterf(y, -INFINITY);
}

static float float_above(double x)
{
    float y = (float)x;
    return (double)y >= x ? y : nextafterf(y, INFINITY);
}

pli_window pli_grid_whole(const pli_grid *grid)
{
    pli_window window = {.last = {grid->resolution - 1, grid->resolution - 1}};
    window.depth[0] = float_below(grid->lower[2]);
    window.depth[1] = float_above(grid->lower[2] + grid->extent[2]);
    return window;
}

pliant_box pli_window_box(const pli_grid *grid, const pli_window *window)
{
    pliant_box box;
    for (uint32_t k = 0; k < 2; k++) {
        double first = (double)window->first[k] * PLI_PIXEL_STEPS - 2.0;
        double last = ((double)window->last[k] + 1.0) * PLI_PIXEL_STEPS + 2.0;
        box.lower[grid->axis[k]] = float_below(grid->lower[k] + first / grid->scale[k]);
        box.upper[grid->axis[k]] = float_above(grid->lower[k] + last / grid->scale[k]);
    }
    /* Beyond these depths the raster leaves out every triangle, in spite of rounding. */
    double beyond = 0x1p-20 * grid->extent[2];
    box.lower[grid->axis[2]] = float_below((double)window->depth[0] - beyond);
    box.upper[grid->axis[2]] = float_above((double)window->depth[1] + beyond);
    return box;
}

pliant_volume_grid pli_grid_describe(const pli_grid *grid)
{
    pliant_volume_grid shown = {
        .axis = grid->axis[2], .columns = grid->resolution, .rows = grid->resolution};
    for (uint32_t k = 0; k < 2; k++) {
        shown.origin[k] = grid->lower[k];
        shown.pixel[k] = grid->extent[k] / grid->resolution;
    }
    shown.depth[0] = grid->lower[2];
    shown.depth[1] = grid->lower[2] + grid->extent[2];
    return shown;
}
