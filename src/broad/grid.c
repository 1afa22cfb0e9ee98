/*
 * A uniform grid, as D. L. James, D. K. Pai, "BD-Tree: Output-Sensitive Collision Detection for
 * Reduced Deformable Models", 2004, used for thousands of similar bodies. Details are ours.
 *
 * Cells are cubes, twice as wide as the median body, and exist only where bodies are: a body
 * is entered into every cell that it touches, and cells share buckets by a hash. Two bodies may
 * meet in several cells; they are compared in one only, the cell where the later of their lower
 * corners lies on each axis. Bodies in too many cells, infinite ones for example, stay out and are
 * compared with all others. Nothing is kept: a step takes O(n) however far the bodies moved, but
 * many bodies much smaller than the median, crowded together, would share a cell.
 */
#include "method.h"

#include <math.h>

#define CELL_OVER_MEDIAN 2.0 /* edge of a cell over the longest edge of the median box */
#define MAX_CELLS        64  /* that a body is entered into */
#define CELL_BITS        21
#define CELL_LIMIT       (1 << CELL_BITS) /* cells along an axis; those at the ends are endless */

/* The middle cell of each axis begins at `origin`. */
typedef struct grid_frame {
    double origin[3];
    double cells_per_unit;
} grid_frame;

/* An edge for cells of bodies that are mostly points: as if those were spread evenly. */
static double edge_from_spread(const pli_sample *sample, uint32_t body_count)
{
    double widest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t *corners = sample->corners[axis];
        double width = pli_ordered_side((uint32_t)corners[sample->count - 1]) -
                       pli_ordered_side((uint32_t)corners[0]);
        widest = fmax(widest, width);
    }
    return widest > 0.0 ? widest / cbrt((double)body_count) : 1.0;
}

/* Cells from the median body: a few bodies far away or far too large do not matter. */
static grid_frame choose_frame(const pli_broad *broad)
{
    pli_sample sample;
    grid_frame frame = {{0.0, 0.0, 0.0}, 1.0};
    pli_sample_draw(broad->boxes.data, broad->slot_count, &sample);
    if (sample.count == 0) {
        return frame;
    }
    for (int axis = 0; axis < 3; axis++) {
        frame.origin[axis] = pli_ordered_side((uint32_t)sample.corners[axis][sample.count / 2]);
    }
    double edge = pli_sample_median_edge(&sample);
    if (edge == 0.0) {
        edge = edge_from_spread(&sample, broad->body_count);
    }
    frame.cells_per_unit = 1.0 / (CELL_OVER_MEDIAN * edge);
    return frame;
}

/* Monotone in x whatever is rounded on the way, which is all that finding every pair needs. */
static int32_t cell_at(const grid_frame *frame, int axis, uint32_t ordered)
{
    double at = (pli_ordered_side(ordered) - frame->origin[axis]) * frame->cells_per_unit +
                0.5 * CELL_LIMIT;
    at = at > 0.0 ? at : 0.0;
    return (int32_t)(at < CELL_LIMIT - 1 ? at : CELL_LIMIT - 1);
}

static pli_grid_range find_range(const grid_frame *frame, const pli_ordered_box *box)
{
    pli_grid_range range;
    for (int axis = 0; axis < 3; axis++) {
        range.lower[axis] = cell_at(frame, axis, box->lower[axis]);
        range.upper[axis] = cell_at(frame, axis, box->upper[axis]);
    }
    return range;
}

static uint64_t count_cells(const pli_grid_range *range)
{
    uint64_t count = 1;
    for (int axis = 0; axis < 3; axis++) {
        count *= (uint64_t)(range->upper[axis] - range->lower[axis] + 1);
    }
    return count;
}

static uint64_t cell_key(const int32_t cell[3])
{
    uint64_t key = 0;
    for (int axis = 0; axis < 3; axis++) {
        key = key << CELL_BITS | (uint64_t)cell[axis];
    }
    return key;
}

/* Neighbours along z share cache lines; the primes that part the other axes are those of
   Teschner, Heidelberger, Muller, Pomerantes and Gross 2003. */
static size_t bucket_of(uint64_t cell, size_t mask)
{
    uint64_t y = cell >> CELL_BITS & (CELL_LIMIT - 1), x = cell >> 2 * CELL_BITS;
    return (size_t)(cell + y * 19349663 + x * 73856093) & mask;
}

/* Finds the cells of all bodies and sets the large ones apart. Returns the entries needed. */
static size_t find_ranges(pli_broad *broad)
{
    pli_broad_grid *grid = &broad->grid;
    grid_frame frame = choose_frame(broad);
    size_t entries = 0;
    grid->large.count = 0;
    for (uint32_t slot = 0; slot < broad->slot_count; slot++) {
        pli_grid_range *range = &grid->ranges.data[slot];
        *range = (pli_grid_range){{0, 0, 0}, {-1, -1, -1}};
        if (pli_ordered_box_is_empty(&broad->boxes.data[slot])) {
            continue;
        }
        pli_grid_range found = find_range(&frame, &broad->boxes.data[slot]);
        uint64_t cells = count_cells(&found);
        if (cells > MAX_CELLS) {
            grid->large.data[grid->large.count++] = slot;
        } else {
            *range = found;
            entries += (size_t)cells;
        }
    }
    return entries;
}

/* Runs what follows for each cell of a range; an empty range has none. */
#define FOR_EACH_CELL(range, cell)                                                                 \
    for ((cell)[2] = (range)->lower[2]; (cell)[2] <= (range)->upper[2]; (cell)[2]++)               \
        for ((cell)[1] = (range)->lower[1]; (cell)[1] <= (range)->upper[1]; (cell)[1]++)           \
            for ((cell)[0] = (range)->lower[0]; (cell)[0] <= (range)->upper[0]; (cell)[0]++)

/* Sorts the entries of all bodies by bucket: counted first, then put in place. */
static void fill_buckets(const pli_broad *broad, size_t bucket_count)
{
    const pli_broad_grid *grid = &broad->grid;
    size_t *starts = grid->starts.data;
    int32_t cell[3];
    memset(starts, 0, (bucket_count + 1) * sizeof *starts);
    for (uint32_t slot = 0; slot < broad->slot_count; slot++) {
        FOR_EACH_CELL(&grid->ranges.data[slot], cell)
        {
            starts[bucket_of(cell_key(cell), bucket_count - 1)]++;
        }
    }
    /* Each start begins at the end of its bucket and goes down as the bucket is filled. */
    for (size_t i = 1; i <= bucket_count; i++) {
        starts[i] += starts[i - 1];
    }
    for (uint32_t slot = 0; slot < broad->slot_count; slot++) {
        FOR_EACH_CELL(&grid->ranges.data[slot], cell)
        {
            uint64_t key = cell_key(cell);
            grid->entries.data[--starts[bucket_of(key, bucket_count - 1)]] =
                (pli_grid_entry){key, slot};
        }
    }
}

/* Is this the one cell in which two bodies of the cell are compared? */
static bool is_meeting_cell(const pli_broad_grid *grid, uint64_t cell, uint32_t a, uint32_t b)
{
    const int32_t *lower_a = grid->ranges.data[a].lower, *lower_b = grid->ranges.data[b].lower;
    int32_t meeting[3];
    for (int axis = 0; axis < 3; axis++) {
        meeting[axis] = lower_a[axis] > lower_b[axis] ? lower_a[axis] : lower_b[axis];
    }
    return cell_key(meeting) == cell;
}

static bool compare_in_bucket(pli_broad *broad, pli_broad_piece *piece, size_t first, size_t end)
{
    const pli_broad_grid *grid = &broad->grid;
    for (size_t i = first; i < end; i++) {
        pli_grid_entry a = grid->entries.data[i];
        if (!pli_broad_allows(broad, &piece->pairs)) {
            return false;
        }
        pli_ordered_box box = broad->boxes.data[a.slot];
        for (size_t j = i + 1; j < end; j++) {
            pli_grid_entry b = grid->entries.data[j];
            if (b.cell != a.cell) {
                continue;
            }
            piece->tests++;
            if (pli_ordered_boxes_overlap(&box, &broad->boxes.data[b.slot]) &&
                is_meeting_cell(grid, a.cell, a.slot, b.slot) &&
                !PLI_PUSH(broad->context, &piece->pairs, pli_pair_key(a.slot, b.slot))) {
                return false;
            }
        }
    }
    return true;
}

/* Some bodies against a large one: those in cells, and large ones of higher slots. */
static bool compare_large(pli_broad *broad, pli_broad_piece *piece, uint32_t large,
                          pli_broad_range slots)
{
    const pli_broad_grid *grid = &broad->grid;
    for (uint32_t slot = (uint32_t)slots.first; slot < slots.end; slot++) {
        bool in_cells = grid->ranges.data[slot].lower[0] <= grid->ranges.data[slot].upper[0];
        if ((in_cells || slot > large) &&
            pli_ordered_boxes_overlap(&broad->boxes.data[large], &broad->boxes.data[slot]) &&
            !PLI_PUSH(broad->context, &piece->pairs, pli_pair_key(large, slot))) {
            return false;
        }
    }
    piece->tests += slots.end - slots.first;
    return pli_broad_allows(broad, &piece->pairs);
}

static void compare_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    pli_broad *broad = argument;
    const pli_broad_grid *grid = &broad->grid;
    pli_broad_piece *piece = &broad->pieces.data[index];
    pli_broad_range buckets = pli_broad_share(broad, index, grid->starts.count - 1);
    pli_broad_range slots = pli_broad_share(broad, index, broad->slot_count);
    bool done = true;
    for (size_t i = buckets.first; i < buckets.end && done; i++) {
        done = compare_in_bucket(broad, piece, grid->starts.data[i], grid->starts.data[i + 1]);
    }
    for (size_t i = 0; i < grid->large.count && done; i++) {
        done = compare_large(broad, piece, grid->large.data[i], slots);
    }
    piece->failed = !done;
}

bool pli_grid_find(pli_broad *broad)
{
    pli_broad_grid *grid = &broad->grid;
    if (!PLI_RESERVE(broad->context, &grid->ranges, broad->slot_count) ||
        !PLI_RESERVE(broad->context, &grid->large, broad->slot_count)) {
        return false;
    }
    size_t entries = find_ranges(broad);
    size_t buckets = 64;
    while (buckets < entries) {
        buckets *= 2;
    }
    if (!PLI_RESERVE(broad->context, &grid->entries, entries) ||
        !PLI_RESERVE(broad->context, &grid->starts, buckets + 1)) {
        return false;
    }
    grid->starts.count = buckets + 1;
    fill_buckets(broad, buckets);
    broad->stats.cells = entries;
    broad->answer = &broad->found;
    pli_broad_cut(broad, broad->body_count >= broad->shared_from);
    return pli_broad_collect_in_order(broad, compare_task, &broad->found);
}
