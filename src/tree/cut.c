/*
 * Where to cut a run of items, ours: along the longest axis of their midpoints' box, at the place
 * that makes the diagonals of the boxes on both sides shortest, each weighed by what is in it.
 *
 * The axis is divided into slices. One pass finds the slice of each item, and the box and number of
 * items of each slice; a cut is judged by whole slices, and the slice in which it falls counts for
 * both sides. A second pass parts items by slices, those of one side before those of the other,
 * each in the order that they had; only within the slice of the cut are they selected one by one.
 * The boxes of both sides follow from those of the slices. Large runs go through both passes in
 * blocks, which workers share.
 */
#include "builder.h"

#include "base/simd/simd4.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------ selecting */

/* Midpoint along `axis`, then number: a total order, so that the tree is the same everywhere. */
static bool item_is_less(const pli_item *a, const pli_item *b, int axis)
{
    float x = a->midpoint[axis], y = b->midpoint[axis];
    return x < y || (x == y && a->triangle < b->triangle);
}

static void swap_items(pli_item *a, pli_item *b)
{
    pli_item kept = *a;
    *a = *b;
    *b = kept;
}

/* Quickselect. Pivots come from a fixed sequence: expected linear time whatever the input's order.
 */
void pli_select_smallest(pli_item *items, uint32_t count, uint32_t rank, int axis)
{
    uint32_t low = 0, high = count, state = count;
    while (high - low > 1) {
        state = state * 1664525u + 1013904223u;
        pli_item pivot = items[low + (uint32_t)(((uint64_t)state * (high - low)) >> 32)];
        uint32_t i = low, j = high - 1;
        for (;;) {
            while (item_is_less(&items[i], &pivot, axis)) {
                i++;
            }
            while (item_is_less(&pivot, &items[j], axis)) {
                j--;
            }
            if (i >= j) {
                break;
            }
            swap_items(&items[i++], &items[j--]);
        }
        /* i == j: the pivot stands there, in its final place. Otherwise i == j + 1 parts the two
         * sides. */
        uint32_t above = i == j ? i + 1 : i;
        if (rank < i) {
            high = i;
        } else if (rank > above) {
            low = above;
        } else {
            return;
        }
    }
}

/* ------------------------------------------------------------ boxes of midpoints */

/* The fourth numbers mean nothing. */
typedef struct midpoint_box {
    float lower[4], upper[4];
} midpoint_box;

static const midpoint_box no_box = {{INFINITY, INFINITY, INFINITY, INFINITY},
                                    {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};

static void add_box(midpoint_box *box, const midpoint_box *more)
{
    pli_four_min(box->lower, more->lower);
    pli_four_max(box->upper, more->upper);
}

static void add_items(midpoint_box *box, const pli_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        pli_four_min(box->lower, items[i].four);
        pli_four_max(box->upper, items[i].four);
    }
}

static int longest_side(const midpoint_box *box)
{
    int longest = 0;
    for (int k = 1; k < 3; k++) {
        if (box->upper[k] - box->lower[k] > box->upper[longest] - box->lower[longest]) {
            longest = k;
        }
    }
    return longest;
}

int pli_longest_axis(const pli_item *items, uint32_t count)
{
    midpoint_box box = no_box;
    add_items(&box, items, count);
    return longest_side(&box);
}

static double diagonal(const midpoint_box *box)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double side = (double)box->upper[k] - (double)box->lower[k];
        square += side * side;
    }
    return sqrt(square);
}

/* ------------------------------------------------------------ slices */

enum {
    SLICES = 64,                  /* along an axis; a cut is judged by whole ones */
    BLOCK_ITEMS = 8192,           /* that a worker goes through at once */
    SHARED_FROM = 4 * BLOCK_ITEMS /* runs of fewer items are one block */
};

/* The items of a run, or of a block of it, by slices. */
typedef struct pli_slices {
    midpoint_box box[SLICES];
    uint32_t count[SLICES];
} pli_slices;

uint32_t pli_cutter_blocks(uint32_t items)
{
    return items < SHARED_FROM ? 0 : (items - 1) / BLOCK_ITEMS + 1;
}

size_t pli_cutter_block_size(void)
{
    return sizeof(pli_slices);
}

static void clear_slices(pli_slices *slices)
{
    for (uint32_t i = 0; i < SLICES; i++) {
        slices->box[i] = no_box;
    }
    memset(slices->count, 0, sizeof slices->count);
}

/* A run that is being cut. */
typedef struct cut {
    pli_cutter *cutter;
    pli_item_run run;
    int axis;
    double lower, scale;   /* of the slices along the axis */
    uint64_t left;         /* how many units go to the left, once that is chosen */
    uint32_t at;           /* the slice in which the cut falls, */
    uint32_t before, here; /* how many items lie in the slices before it, and in it */
} cut;

static cut begin_cut(pli_cutter *cutter, pli_item_run run, const midpoint_box *box)
{
    int axis = longest_side(box);
    double lower = (double)box->lower[axis], extent = (double)box->upper[axis] - lower;
    return (cut){.cutter = cutter,
                 .run = run,
                 .axis = axis,
                 .lower = lower,
                 .scale = extent > 0.0 ? SLICES / extent : 0.0};
}

static uint32_t slice_of(const cut *c, const pli_item *item)
{
    uint32_t at = (uint32_t)(((double)item->midpoint[c->axis] - c->lower) * c->scale);
    return at < SLICES ? at : SLICES - 1;
}

static void fill_slices(const cut *c, pli_item_run part, pli_slices *slices)
{
    const pli_item *items = c->cutter->items + part.first;
    uint8_t *slice = c->cutter->slice + part.first;
    clear_slices(slices);
    for (uint32_t i = 0; i < part.count; i++) {
        uint32_t at = slice_of(c, &items[i]);
        slice[i] = (uint8_t)at;
        slices->count[at]++;
        pli_four_min(slices->box[at].lower, items[i].four);
        pli_four_max(slices->box[at].upper, items[i].four);
    }
}

/* Where the next items go: those before the slice of the cut, in it, and behind it. */
typedef struct places {
    uint32_t before, here, behind;
} places;

/* Parts some items into the scratch, keeping their order. */
static void part_items(const cut *c, pli_item_run part, places to)
{
    const pli_item *items = c->cutter->items + part.first;
    const uint8_t *slice = c->cutter->slice + part.first;
    pli_item *scratch = c->cutter->scratch;
    for (uint32_t i = 0; i < part.count; i++) { /* without branches, which nobody could foresee */
        uint32_t before = 0u - (slice[i] < c->at), behind = 0u - (slice[i] > c->at);
        uint32_t place =
            to.here ^ (before & (to.here ^ to.before)) ^ (behind & (to.here ^ to.behind));
        scratch[place] = items[i];
        to.before -= before;
        to.behind -= behind;
        to.here += 1 + before + behind;
    }
}

/* ------------------------------------------------------------ large runs, by workers */

static pli_item_run block_of(pli_item_run run, uint32_t block)
{
    uint32_t first = block * BLOCK_ITEMS, rest = run.count - first;
    return (pli_item_run){run.first + first, rest < BLOCK_ITEMS ? rest : BLOCK_ITEMS};
}

static void fill_block(void *argument, uint32_t block, uint32_t worker)
{
    const cut *c = argument;
    (void)worker;
    fill_slices(c, block_of(c->run, block), &c->cutter->block[block]);
}

/* Where the items of a block go: behind those of the blocks before it. The counts of the slices
   before a block's own are summed up on the way. */
static places places_of_block(const cut *c, uint32_t block)
{
    uint32_t sum[3] = {0};
    for (uint32_t b = 0; b < block; b++) {
        const uint32_t *count = c->cutter->block[b].count;
        uint32_t before = 0;
        for (uint32_t s = 0; s < c->at; s++) {
            before += count[s];
        }
        sum[0] += before;
        sum[1] += count[c->at];
        sum[2] += BLOCK_ITEMS - before - count[c->at];
    }
    uint32_t first = c->run.first;
    return (places){first + sum[0], first + c->before + sum[1],
                    first + c->before + c->here + sum[2]};
}

static void part_block(void *argument, uint32_t block, uint32_t worker)
{
    const cut *c = argument;
    (void)worker;
    part_items(c, block_of(c->run, block), places_of_block(c, block));
}

static void return_block(void *argument, uint32_t block, uint32_t worker)
{
    const cut *c = argument;
    (void)worker;
    pli_item_run part = block_of(c->run, block);
    memcpy(c->cutter->items + part.first, c->cutter->scratch + part.first,
           part.count * sizeof *c->cutter->items);
}

/* Runs a pass over all blocks. Where a caller's scheduler fails, this thread does it all: the tree
   will not be used, but it must have all items. */
static void share(cut *c, pliant_task task)
{
    uint32_t blocks = (c->run.count - 1) / BLOCK_ITEMS + 1;
    pliant_result result = pli_context_run(c->cutter->context, task, c, blocks);
    if (result != PLIANT_OK) {
        c->cutter->result = result;
        for (uint32_t i = 0; i < blocks; i++) {
            task(c, i, 0);
        }
    }
}

static bool is_shared(const cut *c)
{
    return c->cutter->context != NULL && c->run.count >= SHARED_FROM;
}

static void slice_run(cut *c, pli_slices *slices)
{
    if (!is_shared(c)) {
        fill_slices(c, c->run, slices);
        return;
    }
    share(c, fill_block);
    clear_slices(slices);
    for (uint32_t b = 0; b <= (c->run.count - 1) / BLOCK_ITEMS; b++) {
        const pli_slices *block = &c->cutter->block[b];
        for (uint32_t s = 0; s < SLICES; s++) {
            slices->count[s] += block->count[s];
            add_box(&slices->box[s], &block->box[s]);
        }
    }
}

static void part_run(cut *c)
{
    if (is_shared(c)) {
        share(c, part_block);
        share(c, return_block);
        return;
    }
    uint32_t first = c->run.first;
    part_items(c, c->run, (places){first, first + c->before, first + c->before + c->here});
    memcpy(c->cutter->items + first, c->cutter->scratch + first,
           c->run.count * sizeof *c->cutter->items);
}

/* ------------------------------------------------------------ where to cut */

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* What lies on both sides of a cut. */
typedef struct sides {
    midpoint_box left, right;
} sides;

/* Whether so many units to the left take no more children than the run needs. */
static bool is_allowed(uint64_t left, uint64_t units, uint64_t most)
{
    return divide_up(left, most) + divide_up(units - left, most) == divide_up(units, most);
}

/*
 * Chooses how many units of a run go to the left: as many as make the cost least, but no number
 * that would take one child more than the run needs. Returns the boxes of the slices before the one
 * of the cut, and of those behind it.
 */
static sides choose_cut(cut *c, const pli_slices *slices, pli_portions portions)
{
    midpoint_box after[SLICES + 1], before = no_box;
    after[SLICES] = no_box;
    for (uint32_t i = SLICES; i-- > 0;) {
        after[i] = after[i + 1];
        add_box(&after[i], &slices->box[i]);
    }
    uint64_t units = divide_up(c->run.count, portions.unit);
    double least = (double)INFINITY;
    uint32_t at = 0, count = 0; /* the slice in which the cut falls, and how many come before it */
    sides chosen = {no_box, no_box};
    for (uint64_t left = 1; left < units; left++) {
        if (!is_allowed(left, units, portions.most)) {
            continue;
        }
        for (; count + slices->count[at] < left * portions.unit; at++) {
            count += slices->count[at];
            add_box(&before, &slices->box[at]);
        }
        midpoint_box with = before;
        add_box(&with, &slices->box[at]);
        bool whole = count + slices->count[at] == left * portions.unit;
        double cost = diagonal(&with) * (double)left +
                      diagonal(&after[whole ? at + 1 : at]) * (double)(units - left);
        if (cost < least) {
            least = cost;
            c->left = left;
            c->at = at;
            c->before = count;
            c->here = slices->count[at];
            chosen = (sides){before, after[at + 1]};
        }
    }
    return chosen;
}

/* Cuts a run in two, whose midpoints have the box given; returns how many items come first. */
static uint32_t cut_in_two(pli_cutter *cutter, pli_item_run run, const midpoint_box *box,
                           pli_portions portions, sides *boxes)
{
    cut c = begin_cut(cutter, run, box);
    pli_slices slices;
    slice_run(&c, &slices);
    *boxes = choose_cut(&c, &slices, portions);
    part_run(&c);
    uint32_t left = (uint32_t)(c.left * portions.unit), taken = left - c.before;
    pli_item *here = cutter->items + run.first + c.before;
    pli_select_smallest(here, c.here, taken, c.axis);
    add_items(&boxes->left, here, taken);
    add_items(&boxes->right, here + taken, c.here - taken);
    return left;
}

/* ------------------------------------------------------------ few items */

enum { FEW_ITEMS = 64 };

/* A run of few items, which are sorted by slices. */
typedef struct few {
    uint8_t start[SLICES + 1]; /* where the items of each slice begin */
    uint8_t slice[FEW_ITEMS];  /* by place once sorted */
} few;

static void sort_few(const cut *c, few *f)
{
    pli_item *items = c->cutter->items + c->run.first, *sorted = c->cutter->scratch + c->run.first;
    uint8_t slice[FEW_ITEMS], next[SLICES];
    memset(f->start, 0, sizeof f->start);
    for (uint32_t i = 0; i < c->run.count; i++) {
        slice[i] = (uint8_t)slice_of(c, &items[i]);
        f->start[slice[i] + 1]++;
    }
    for (uint32_t s = 0; s < SLICES; s++) {
        f->start[s + 1] = (uint8_t)(f->start[s + 1] + f->start[s]);
    }
    memcpy(next, f->start, sizeof next);
    for (uint32_t i = 0; i < c->run.count; i++) {
        uint32_t place = next[slice[i]]++;
        f->slice[place] = slice[i];
        sorted[place] = items[i];
    }
    memcpy(items, sorted, c->run.count * sizeof *items);
}

/* The box of the sorted items from one place to before another. */
static midpoint_box box_of_few(const cut *c, uint32_t first, uint32_t end)
{
    midpoint_box box = no_box;
    add_items(&box, c->cutter->items + c->run.first + first, end - first);
    return box;
}

/* The same choice as choose_cut()'s, from items that are sorted. */
static void choose_cut_of_few(cut *c, const few *f, pli_portions portions)
{
    uint64_t units = divide_up(c->run.count, portions.unit);
    double least = (double)INFINITY;
    midpoint_box before = no_box;
    uint32_t known = 0; /* how many items that box is of */
    for (uint64_t left = 1; left < units; left++) {
        if (!is_allowed(left, units, portions.most)) {
            continue;
        }
        uint32_t rank = (uint32_t)(left * portions.unit), at = f->slice[rank - 1];
        uint32_t first = f->start[at], end = f->start[at + 1];
        double cost = 0.0;
        if (units > 2) { /* else there is no choice */
            midpoint_box more = box_of_few(c, known, end);
            midpoint_box rest = box_of_few(c, end == rank ? end : first, c->run.count);
            add_box(&before, &more);
            known = end;
            cost = diagonal(&before) * (double)left + diagonal(&rest) * (double)(units - left);
        }
        if (cost < least) {
            least = cost;
            c->left = left;
            c->at = at;
            c->before = first;
            c->here = end - first;
        }
    }
}

static uint32_t cut_few_in_two(pli_cutter *cutter, pli_item_run run, const midpoint_box *box,
                               pli_portions portions, sides *boxes)
{
    cut c = begin_cut(cutter, run, box);
    few f;
    sort_few(&c, &f);
    choose_cut_of_few(&c, &f, portions);
    uint32_t left = (uint32_t)(c.left * portions.unit);
    pli_select_smallest(cutter->items + run.first + c.before, c.here, left - c.before, c.axis);
    *boxes = (sides){box_of_few(&c, 0, left), box_of_few(&c, left, run.count)};
    return left;
}

static uint32_t cut_box(pli_cutter *cutter, pli_item_run run, const midpoint_box *box,
                        pli_portions portions, uint32_t sizes[PLI_WIDTH])
{
    if (run.count <= portions.most * portions.unit) {
        sizes[0] = run.count;
        return 1;
    }
    sides boxes;
    uint32_t left = run.count <= FEW_ITEMS ? cut_few_in_two(cutter, run, box, portions, &boxes)
                                           : cut_in_two(cutter, run, box, portions, &boxes);
    pli_item_run rest = {run.first + left, run.count - left};
    uint32_t parts = cut_box(cutter, (pli_item_run){run.first, left}, &boxes.left, portions, sizes);
    return parts + cut_box(cutter, rest, &boxes.right, portions, sizes + parts);
}

uint32_t pli_cut(pli_cutter *cutter, pli_item_run run, pli_portions portions,
                 uint32_t sizes[PLI_WIDTH])
{
    midpoint_box box = no_box;
    add_items(&box, cutter->items + run.first, run.count);
    return cut_box(cutter, run, &box, portions, sizes);
}
