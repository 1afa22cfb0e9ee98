/*
 * Bodies sorted along one axis, anew each time, and swept: each is compared with those behind it
 * that begin before it ends (D. Baraff, "Dynamic Simulation of Non-Penetrating Rigid Bodies",
 * 1992). Nothing is kept, so it does not matter how far bodies moved. As F. Liu, T. Harada, Y. Lee,
 * Y. J. Kim, "Real-Time Collision Culling of a Million Bodies on Graphics Processing Units", 2010,
 * found for graphics processors, this is the method that many comparisons at once favour: each
 * body's candidates lie side by side, and bodies are swept independently of each other, by several
 * workers where they are many. Details are ours:
 *
 *   - The axis is the one along which the fewest of a sample overlap.
 *   - Sorting is one pass over cells, about one per body; within a cell bodies are in no order. A
 *     body's candidates reach to the end of the cell that its upper side lies in.
 *   - So how many comparisons there will be is known before the first of them. They grow as the
 *     power 5/3 of bodies in a cube: where they are too many, the automatic choice does without.
 */
#include "method.h"

#include "base/sort.h"

#define SAMPLE        32
#define SAMPLE_CUT    16  /* one of so many at either end of the sample is no measure */
#define BEYOND_SAMPLE 0.1 /* cells reach so far beyond the rest, of its width */
#define LEAST_CELLS   64
#define MOST_CELLS    65536

/* Comparisons per body up to which this is faster than a grid, in what the kernel makes in 32 ns.
 */
#define MANY_CANDIDATES 4

/* The time for comparisons from which on workers share them, in the same unit; and bodies from
   which on they share sorting, each about an eighth of a search in a tree. */
#define SHARED_FROM   500
#define SHARED_BODIES 8

enum { BUCKETS = 256 };

/* A few bodies that stand for all of them; what is missing overlaps nothing. */
typedef struct line_sample {
    uint32_t lower[3][SAMPLE], upper[3][SAMPLE];
    uint32_t count;
} line_sample;

static void draw_sample(const pli_broad *broad, line_sample *sample)
{
    uint32_t stride = broad->slot_count / SAMPLE + 1;
    memset(sample->lower, 0xff, sizeof sample->lower);
    memset(sample->upper, 0, sizeof sample->upper);
    sample->count = 0;
    for (uint32_t slot = 0; slot < broad->slot_count; slot += stride) {
        const pli_ordered_box *box = &broad->boxes.data[slot];
        if (pli_ordered_box_is_empty(box)) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            sample->lower[axis][sample->count] = box->lower[axis];
            sample->upper[axis][sample->count] = box->upper[axis];
        }
        sample->count++;
    }
}

static uint32_t count_overlaps(const uint32_t lower[SAMPLE], const uint32_t upper[SAMPLE])
{
    uint32_t overlaps = 0;
    for (int i = 0; i < SAMPLE; i++) {
        for (int j = 0; j < SAMPLE; j++) {
            overlaps += (lower[i] <= upper[j]) & (lower[j] <= upper[i]);
        }
    }
    return overlaps;
}

static int choose_axis(const line_sample *sample)
{
    int best = 0;
    uint32_t fewest = UINT32_MAX;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t overlaps = count_overlaps(sample->lower[axis], sample->upper[axis]);
        if (overlaps < fewest) {
            best = axis;
            fewest = overlaps;
        }
    }
    return best;
}

/* A few bodies far away do not matter: they share the cells at the ends. */
static pli_line_frame choose_frame(const pli_broad *broad)
{
    line_sample sample;
    uint64_t sides[SAMPLE], scratch[SAMPLE];
    draw_sample(broad, &sample);
    pli_line_frame frame = {.axis = choose_axis(&sample), .cells = LEAST_CELLS};
    while (frame.cells < broad->body_count && frame.cells < MOST_CELLS) {
        frame.cells *= 2;
    }
    if (sample.count == 0) {
        return frame;
    }
    for (uint32_t i = 0; i < sample.count; i++) {
        sides[i] = sample.lower[frame.axis][i];
    }
    pli_sort_keys(sides, scratch, NULL, NULL, sample.count);
    uint32_t cut = sample.count / SAMPLE_CUT;
    double first = (double)pli_ordered_float((uint32_t)sides[cut]);
    double last = (double)pli_ordered_float((uint32_t)sides[sample.count - 1 - cut]);
    double width = last - first;
    frame.origin = first - BEYOND_SAMPLE * width;
    frame.cells_per_unit = width > 0.0 ? frame.cells / ((1.0 + 2.0 * BEYOND_SAMPLE) * width) : 0.0;
    return frame;
}

/* Monotone in the side whatever is rounded on the way, which is all that finding every pair needs;
   where there is nothing to compute with, everything is in the first cell. */
static uint32_t cell_at(const pli_line_frame *frame, uint32_t ordered)
{
    double at = ((double)pli_ordered_float(ordered) - frame->origin) * frame->cells_per_unit;
    at = at > 0.0 ? at : 0.0;
    return (uint32_t)(at < frame->cells - 1 ? at : frame->cells - 1);
}

static bool reserve(pli_broad *broad)
{
    pli_line *line = &broad->line;
    pliant_context *context = broad->context;
    size_t slots = broad->slot_count;
    /* Rows begin where a line of the cache does, and an odd number of lines apart: the caches
       would have room for few lines with the same offset from a power of two. */
    size_t places = ((slots / PLI_OVERLAP_PADDING + 2) | 1) * PLI_OVERLAP_PADDING;
    bool done = PLI_RESERVE(context, &line->begins, slots) &&
                PLI_RESERVE(context, &line->reaches, slots) &&
                PLI_RESERVE(context, &line->order, slots) &&
                PLI_RESERVE(context, &line->counts, (size_t)BUCKETS * broad->piece_count) &&
                PLI_RESERVE(context, &line->buckets, BUCKETS + 1) &&
                PLI_RESERVE(context, &line->starts, broad->line_frame.cells) &&
                PLI_RESERVE(context, &line->sides, 6 * places) &&
                PLI_RESERVE(context, &line->slots, places);
    broad->rows.slots = line->slots.data;
    for (int axis = 0; axis < 3 && done; axis++) {
        broad->rows.lower[axis] = line->sides.data + (size_t)axis * places;
        broad->rows.upper[axis] = line->sides.data + (size_t)(3 + axis) * places;
    }
    return done;
}

/*
 * Sorting by cells, on several workers where bodies are many: each piece of the slots counts its
 * bodies by bucket, a stretch of cells, then lists them there; each bucket is then sorted by
 * itself. Alone, a worker has one bucket of all cells.
 */

/* Finds the cells of a piece's bodies, and counts them by bucket. */
static void count_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const pli_broad *broad = argument;
    const pli_line *line = &broad->line;
    const pli_line_frame *frame = &broad->line_frame;
    uint32_t *counts = line->counts.data + (size_t)BUCKETS * index;
    pli_broad_range slots = pli_broad_share(broad, index, broad->slot_count);
    memset(counts, 0, BUCKETS * sizeof *counts);
    for (size_t slot = slots.first; slot < slots.end; slot++) {
        const pli_ordered_box *box = &broad->boxes.data[slot];
        if (!pli_ordered_box_is_empty(box)) {
            line->begins.data[slot] = cell_at(frame, box->lower[frame->axis]);
            counts[line->begins.data[slot] >> frame->bucket_bits]++;
        }
    }
}

/* Makes of the counts where a piece's bodies of a bucket go. */
static void place_buckets(const pli_broad *broad)
{
    const pli_line *line = &broad->line;
    uint32_t sum = 0;
    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
        line->buckets.data[bucket] = sum;
        for (uint32_t i = 0; i < broad->piece_count; i++) {
            uint32_t *at = &line->counts.data[(size_t)BUCKETS * i + bucket], count = *at;
            *at = sum;
            sum += count;
        }
    }
    line->buckets.data[BUCKETS] = sum;
}

static void scatter_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const pli_broad *broad = argument;
    const pli_line *line = &broad->line;
    uint32_t *at = line->counts.data + (size_t)BUCKETS * index;
    pli_broad_range slots = pli_broad_share(broad, index, broad->slot_count);
    for (size_t slot = slots.first; slot < slots.end; slot++) {
        if (!pli_ordered_box_is_empty(&broad->boxes.data[slot])) {
            uint32_t bucket = line->begins.data[slot] >> broad->line_frame.bucket_bits;
            line->order.data[at[bucket]++] = (uint32_t)slot;
        }
    }
}

static void put(const pli_box_rows *rows, uint32_t place, uint32_t slot, const pli_ordered_box *box)
{
    for (int axis = 0; axis < 3; axis++) {
        /* The order of unsigned integers as that of signed ones. */
        rows->lower[axis][place] = (int32_t)(box->lower[axis] ^ 0x80000000u);
        rows->upper[axis][place] = (int32_t)(box->upper[axis] ^ 0x80000000u);
    }
    rows->slots[place] = slot;
}

/* Puts the bodies of a bucket in order; starts[] then tells where each cell's bodies end. */
static void sort_bucket(const pli_broad *broad, size_t bucket)
{
    const pli_line *line = &broad->line;
    const pli_line_frame *frame = &broad->line_frame;
    uint32_t first = line->buckets.data[bucket], end = line->buckets.data[bucket + 1];
    uint32_t cells = (uint32_t)1 << frame->bucket_bits, sum = first;
    uint32_t *starts = line->starts.data + bucket * cells;
    memset(starts, 0, cells * sizeof *starts);
    for (uint32_t i = first; i < end; i++) {
        line->starts.data[line->begins.data[line->order.data[i]]]++;
    }
    for (uint32_t cell = 0; cell < cells; cell++) {
        uint32_t count = starts[cell];
        starts[cell] = sum;
        sum += count;
    }
    for (uint32_t i = first; i < end; i++) {
        uint32_t slot = line->order.data[i];
        const pli_ordered_box *box = &broad->boxes.data[slot];
        uint32_t place = line->starts.data[line->begins.data[slot]]++;
        put(&broad->rows, place, slot, box);
        line->reaches.data[place] = cell_at(frame, box->upper[frame->axis]);
    }
}

static void sort_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const pli_broad *broad = argument;
    pli_broad_range buckets =
        pli_broad_share(broad, index, broad->line_frame.cells >> broad->line_frame.bucket_bits);
    for (size_t bucket = buckets.first; bucket < buckets.end; bucket++) {
        sort_bucket(broad, bucket);
    }
}

/* Makes of each body's last cell the end of its candidates, and counts all of these. */
static void reach_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    pli_broad *broad = argument;
    const pli_line *line = &broad->line;
    pli_broad_range places = pli_broad_share(broad, index, broad->body_count);
    uint64_t candidates = 0;
    for (size_t place = places.first; place < places.end; place++) {
        line->reaches.data[place] = line->starts.data[line->reaches.data[place]];
        candidates += line->reaches.data[place] - place - 1;
    }
    broad->pieces.data[index].tests = candidates;
}

/* Puts all bodies in order, and counts the comparisons to be made. */
static bool put_in_order(pli_broad *broad, uint64_t *candidates)
{
    const pli_ordered_box empty = PLI_EMPTY_BOX;
    if (!pli_broad_run(broad, count_task)) {
        return false;
    }
    place_buckets(broad);
    if (!pli_broad_run(broad, scatter_task) || !pli_broad_run(broad, sort_task) ||
        !pli_broad_run(broad, reach_task)) {
        return false;
    }
    for (uint32_t i = 0; i < PLI_OVERLAP_PADDING; i++) {
        put(&broad->rows, broad->body_count + i, 0, &empty);
    }
    *candidates = 0;
    for (uint32_t i = 0; i < broad->piece_count; i++) {
        *candidates += broad->pieces.data[i].tests;
        broad->pieces.data[i].tests = 0; /* they have not been made */
    }
    return true;
}

/* Finds all pairs whose first body is at one of a piece's places. */
static void sweep_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    pli_broad *broad = argument;
    pli_broad_piece *piece = &broad->pieces.data[index];
    pli_broad_range places = pli_broad_share(broad, index, broad->body_count);
    pli_keys *pairs = &piece->pairs;
    uint32_t *found = piece->slots.data;
    for (uint32_t place = (uint32_t)places.first; place < places.end; place++) {
        uint32_t slot = broad->rows.slots[place], reach = broad->line.reaches.data[place];
        uint32_t count = broad->kernels->meet(&broad->rows, place, reach, found);
        if (pairs->count + count > pairs->capacity &&
            !(pli_broad_allows(broad, pairs) && PLI_RESERVE_MORE(broad->context, pairs, count))) {
            piece->failed = true;
            return;
        }
        uint64_t *keys = pairs->data;
        for (uint32_t i = 0; i < count; i++) {
            keys[pairs->count++] = pli_pair_key(slot, found[i]);
        }
    }
}

static bool reserve_pieces(pli_broad *broad)
{
    bool done = true;
    for (uint32_t i = 0; i < broad->piece_count; i++) {
        done = done && PLI_RESERVE(broad->context, &broad->pieces.data[i].slots,
                                   (size_t)broad->slot_count + PLI_OVERLAP_PADDING);
    }
    return done;
}

bool pli_line_find(pli_broad *broad)
{
    pli_line_frame *frame = &broad->line_frame;
    uint64_t candidates, quick = broad->kernels->quick;
    pli_broad_cut(broad, broad->body_count >= SHARED_BODIES * broad->shared_from);
    *frame = choose_frame(broad);
    for (frame->bucket_bits = 0;
         frame->cells >> frame->bucket_bits > (broad->piece_count > 1 ? (uint32_t)BUCKETS : 1);
         frame->bucket_bits++) {
    }
    if (!reserve(broad) || !put_in_order(broad, &candidates)) {
        return false;
    }
    uint64_t most = MANY_CANDIDATES * quick * broad->body_count;
    broad->line_declined = broad->kind == PLI_BROAD_AUTO && candidates > most;
    if (broad->line_declined) {
        return true;
    }
    pli_broad_cut(broad, candidates >= SHARED_FROM * quick);
    broad->stats.tests = candidates;
    broad->answer = &broad->found;
    return reserve_pieces(broad) && pli_broad_collect_in_order(broad, sweep_task, &broad->found);
}
