/*
 * Collecting in stages: ranges are put in order and summed up, keys are gathered, each bin (a pair
 * of bodies, and of features a kind) is sorted, columns follow. All workers share each stage if
 * there is enough to do; they also share a bin that exceeds a worker's share. Keys are unique
 * within a bin or found by one worker in order, and sorting is stable, so the result does not
 * depend on the workers.
 */
#include "collect.h"

#include "base/context.h"
#include "base/sort.h"
#include "base/workers.h"

#include <string.h>

enum {
    FEW_RANGES = 1024,  /* one worker lists fewer faster */
    FEW_RESULTS = 4096, /* one worker gathers fewer faster */
    FEW_KEYS = 1024,    /* one worker sorts fewer faster */
    MANY_KEYS = 2048,   /* in one bin may be cut into buckets */
    FOLLOWING = 4096,   /* elements of columns at a time */
    MOST_BLOCKS = 64,   /* of pairs of bodies */
    PIECES_PER_WORKER = 4,
    PORTIONS_PER_WORKER = 16
};

/* One piece needs no other worker. */
static pliant_result run(const pli_collecting *how, pliant_task task, void *argument, size_t count)
{
    if (count == 1) {
        task(argument, 0, 0);
        return PLIANT_OK;
    }
    return pli_stage_run(how->context, how->stage, task, argument, (uint32_t)count);
}

void pli_keys_to_pairs(uint64_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pliant_pair pair = {.a = (uint32_t)(keys[i] >> 32), .b = (uint32_t)keys[i]};
        memcpy(&keys[i], &pair, sizeof pair);
    }
}

/* ------------------------------------------------------------------ ranges */

static uint64_t bin_of(const pli_collecting *how, const pli_range *range)
{
    return (uint64_t)range->pair * how->list_count + (range->list - how->first_list);
}

static const pli_ranges *ranges_of(const pli_collecting *how, uint32_t worker, uint32_t list)
{
    return &how->workers[worker].results[how->first_list + list].ranges;
}

static bool is_spread(const pli_collecting *how, size_t ranges)
{
    return how->worker_count > 1 && ranges >= FEW_RANGES;
}

/* Makes room for lists of all ranges; c->ranges.count is then their number. */
static pliant_result reserve_ranges(const pli_collecting *how, pli_collection *c)
{
    size_t count = 0, bins = (size_t)how->pair_count * how->list_count;
    for (uint32_t w = 0; w < how->worker_count; w++) {
        for (uint32_t l = 0; l < how->list_count; l++) {
            count += ranges_of(how, w, l)->count;
        }
    }
    size_t most = is_spread(how, count) && bins > count ? bins : count;
    bool done = PLI_RESERVE(how->context, &c->ranges, count) &&
                PLI_RESERVE(how->context, &c->range_scratch, count) &&
                PLI_RESERVE(how->context, &c->parts, count) &&
                PLI_RESERVE(how->context, &c->keys, count) &&
                PLI_RESERVE(how->context, &c->key_scratch, count) &&
                PLI_RESERVE(how->context, &c->order, most) &&
                PLI_RESERVE(how->context, &c->order_scratch, most);
    c->ranges.count = done ? count : 0;
    c->parts.count = 0;
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Lists all ranges, one worker's after the other's, with their bins; returns true if these ascend.
 */
static bool copy_ranges(const pli_collecting *how, pli_collection *c)
{
    size_t count = 0;
    bool in_order = true;
    for (uint32_t w = 0; w < how->worker_count; w++) {
        for (uint32_t l = 0; l < how->list_count; l++) {
            const pli_ranges *from = ranges_of(how, w, l);
            for (size_t r = 0; r < from->count; r++, count++) {
                uint64_t bin = bin_of(how, &from->data[r]);
                in_order = in_order && (count == 0 || c->keys.data[count - 1] <= bin);
                c->keys.data[count] = bin;
                c->ranges.data[count] = from->data[r];
            }
        }
    }
    return in_order;
}

static void sort_ranges(pli_collection *c)
{
    size_t count = c->ranges.count;
    uint64_t *order = c->order.data;
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
    }
    pli_sort_keys(c->keys.data, c->key_scratch.data, order, c->order_scratch.data, count);
    memcpy(c->range_scratch.data, c->ranges.data, count * sizeof *c->ranges.data);
    for (size_t i = 0; i < count; i++) {
        c->ranges.data[i] = c->range_scratch.data[order[i]];
    }
}

static void list_few(const pli_collecting *how, pli_collection *c)
{
    if (!copy_ranges(how, c)) {
        sort_ranges(c);
    }
    c->total = 0;
    for (size_t r = 0; r < c->ranges.count; r++) {
        pli_range *range = &c->ranges.data[r];
        if (r == 0 || c->ranges.data[r - 1].pair != range->pair) {
            c->parts.data[c->parts.count++] = (pli_pair_results){range->pair, true, c->total, 0};
        }
        c->parts.data[c->parts.count - 1].count += range->count;
        range->to = c->total;
        c->total += range->count;
    }
}

/* Pairs that have results, ranges and results. */
typedef struct block_sum {
    uint64_t parts, ranges, results;
} block_sum;

/* A listing that all workers share: counts per bin are in c->order (results) and c->order_scratch
   (ranges), and become the places of the next ones. */
typedef struct listing {
    const pli_collecting *how;
    pli_collection *c;
    block_sum sums[MOST_BLOCKS + 1]; /* of each block, then of all before */
} listing;

static uint32_t block_begin(const listing *all, uint32_t block)
{
    return (uint32_t)((uint64_t)all->how->pair_count * block / MOST_BLOCKS);
}

static void clear_block(void *argument, uint32_t block, uint32_t worker)
{
    (void)worker;
    const listing *all = argument;
    size_t lists = all->how->list_count, first = lists * block_begin(all, block);
    size_t bytes = (lists * block_begin(all, block + 1) - first) * sizeof(uint64_t);
    memset(all->c->order.data + first, 0, bytes);
    memset(all->c->order_scratch.data + first, 0, bytes);
}

static uint64_t add(uint64_t *count, uint64_t more)
{
    return atomic_fetch_add_explicit(PLI_SHARED(uint64_t, count), more, memory_order_relaxed);
}

static void count_ranges(void *argument, uint32_t number, uint32_t worker)
{
    (void)worker;
    const listing *all = argument;
    for (uint32_t l = 0; l < all->how->list_count; l++) {
        const pli_ranges *from = ranges_of(all->how, number, l);
        for (size_t r = 0; r < from->count; r++) {
            uint64_t bin = bin_of(all->how, &from->data[r]);
            add(&all->c->order.data[bin], from->data[r].count);
            add(&all->c->order_scratch.data[bin], 1);
        }
    }
}

/* Sums up a block of pairs or, with `writes`, lists its parts and turns counts into places. */
static inline void pass_block(listing *all, uint32_t block, bool writes)
{
    uint64_t lists = all->how->list_count, *results = all->c->order.data;
    uint64_t *ranges = all->c->order_scratch.data;
    block_sum sum = writes ? all->sums[block] : (block_sum){0, 0, 0};
    for (uint32_t p = block_begin(all, block); p < block_begin(all, block + 1); p++) {
        pli_pair_results part = {p, true, sum.results, 0};
        for (uint64_t bin = p * lists; bin < (p + 1) * lists; bin++) {
            uint64_t found = results[bin], runs = ranges[bin];
            if (writes) {
                results[bin] = sum.results;
                ranges[bin] = sum.ranges;
            }
            part.count += found;
            sum.results += found;
            sum.ranges += runs;
        }
        if (writes && part.count > 0) {
            all->c->parts.data[sum.parts] = part;
        }
        sum.parts += part.count > 0;
    }
    if (!writes) {
        all->sums[block] = sum;
    }
}

static void sum_block(void *argument, uint32_t block, uint32_t worker)
{
    (void)worker;
    pass_block(argument, block, false);
}

static void list_block(void *argument, uint32_t block, uint32_t worker)
{
    (void)worker;
    pass_block(argument, block, true);
}

/* Sums of single blocks become those of all blocks before each. */
static void add_up(listing *all)
{
    block_sum before = {0, 0, 0};
    for (uint32_t i = 0; i <= MOST_BLOCKS; i++) {
        block_sum own = all->sums[i];
        all->sums[i] = before;
        before.parts += own.parts;
        before.ranges += own.ranges;
        before.results += own.results;
    }
}

static void place_ranges(void *argument, uint32_t number, uint32_t worker)
{
    (void)worker;
    const listing *all = argument;
    for (uint32_t l = 0; l < all->how->list_count; l++) {
        const pli_ranges *from = ranges_of(all->how, number, l);
        for (size_t r = 0; r < from->count; r++) {
            pli_range range = from->data[r];
            uint64_t bin = bin_of(all->how, &range);
            range.to = add(&all->c->order.data[bin], range.count);
            all->c->ranges.data[add(&all->c->order_scratch.data[bin], 1)] = range;
        }
    }
}

static pliant_result list_many(const pli_collecting *how, pli_collection *c)
{
    listing all = {.how = how, .c = c};
    pliant_context *context = how->context;
    pliant_result result = pli_context_run(context, clear_block, &all, MOST_BLOCKS);
    if (result == PLIANT_OK) {
        result = pli_context_run(context, count_ranges, &all, how->worker_count);
    }
    if (result == PLIANT_OK) {
        result = pli_context_run(context, sum_block, &all, MOST_BLOCKS);
    }
    add_up(&all);
    if (result == PLIANT_OK) {
        result = pli_context_run(context, list_block, &all, MOST_BLOCKS);
    }
    if (result == PLIANT_OK) {
        result = pli_context_run(context, place_ranges, &all, how->worker_count);
    }
    c->total = all.sums[MOST_BLOCKS].results;
    c->parts.count = (size_t)all.sums[MOST_BLOCKS].parts;
    return result;
}

pliant_result pli_collect_ranges(const pli_collecting *how, pli_collection *c)
{
    c->total = 0;
    pliant_result result = reserve_ranges(how, c);
    if (result == PLIANT_OK && is_spread(how, c->ranges.count)) {
        return list_many(how, c);
    }
    if (result == PLIANT_OK) {
        list_few(how, c);
    }
    return result;
}

/* --------------------------------------------------------------- key_copying */

typedef struct key_copying {
    const pli_collecting *how;
    const pli_collection *c;
    uint32_t pieces;
} key_copying;

static void gather_piece(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const key_copying *all = argument;
    const pli_collection *c = all->c;
    size_t first = c->ranges.count * index / all->pieces;
    size_t end = c->ranges.count * (index + 1) / all->pieces;
    for (size_t r = first; r < end; r++) {
        const pli_range *range = &c->ranges.data[r];
        const pli_results *from = &all->how->workers[range->worker].results[range->list];
        uint64_t *to = c->found + range->to;
        if (to != from->keys.data + range->first) {
            memcpy(to, from->keys.data + range->first, (size_t)range->count * sizeof *to);
        }
        uint64_t place = (uint64_t)(range->worker << 8 | range->list) << 48 | range->first;
        for (uint64_t i = 0; i < range->count && all->how->columns != 0; i++) {
            c->order.data[range->to + i] = place + i;
        }
    }
}

/* Returns true if one worker found all keys in order, in one list: then they stay where they are.
 */
static bool is_gathered(const pli_collecting *how, const pli_collection *c)
{
    bool gathered = how->worker_count == 1 && how->list_count == 1;
    for (size_t r = 0; r < c->ranges.count && gathered; r++) {
        gathered = c->ranges.data[r].first == c->ranges.data[0].first + c->ranges.data[r].to;
    }
    return gathered;
}

static pliant_result gather(const pli_collecting *how, pli_collection *c)
{
    size_t total = (size_t)c->total;
    bool gathered = is_gathered(how, c), few = total < FEW_RESULTS || how->worker_count == 1;
    bool there = PLI_RESERVE(how->context, &c->key_scratch, total) &&
                 (gathered || PLI_RESERVE(how->context, &c->keys, total)) &&
                 (how->columns == 0 || (PLI_RESERVE(how->context, &c->order, total) &&
                                        PLI_RESERVE(how->context, &c->order_scratch, total)));
    for (unsigned left = how->columns; left != 0 && there; left &= left - 1) {
        int column = __builtin_ctz(left);
        size_t size = pli_column_sizes[column];
        there = pli_array_reserve(how->context, &c->column[column], total, size) &&
                (column != PLI_MEETINGS ||
                 pli_array_reserve(how->context, &c->column_scratch, total, size));
    }
    if (!there) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_results *first = &how->workers[0].results[how->first_list];
    c->found = gathered ? first->keys.data + c->ranges.data[0].first : c->keys.data;
    key_copying all = {how, c, few ? 1 : PIECES_PER_WORKER * how->worker_count};
    return gathered && how->columns == 0 ? PLIANT_OK : run(how, gather_piece, &all, all.pieces);
}

/* ---------------------------------------------------------------- all bins */

typedef struct bin_sort {
    const pli_collecting *how;
    const pli_collection *c;
    uint64_t large; /* bins of so many keys or more are listed instead */
    size_t portion; /* ranges at a time */
    PLI_ATOMIC(uint32_t) large_count;
    struct {
        uint64_t first, count;
    } large_bins[PLI_MAX_WORKERS]; /* each has more than a worker's share */
} bin_sort;

static pli_sorted_arrays arrays_from(const bin_sort *sort, uint64_t first)
{
    const pli_collection *c = sort->c;
    bool valued = sort->how->columns != 0;
    return (pli_sorted_arrays){c->found + first, c->key_scratch.data + first,
                               valued ? c->order.data + first : NULL,
                               valued ? c->order_scratch.data + first : NULL};
}

static void sort_bin(const bin_sort *sort, uint64_t first, uint64_t count)
{
    pli_sorted_arrays of = arrays_from(sort, first);
    pli_sort_keys(of.keys, of.key_scratch, of.values, of.value_scratch, (size_t)count);
    if (sort->how->convert != NULL) {
        sort->how->convert(of.keys, (size_t)count);
    }
}

/* Sorts the bins whose first ranges are among some ranges. */
static void sort_portion(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    bin_sort *sort = argument;
    const pli_range *ranges = sort->c->ranges.data;
    size_t all = sort->c->ranges.count, r = index * sort->portion;
    size_t end = all - r < sort->portion ? all : r + sort->portion;
    while (r < end) {
        uint64_t bin = bin_of(sort->how, &ranges[r]), first = UINT64_MAX, count = 0;
        bool begins = r == 0 || bin_of(sort->how, &ranges[r - 1]) != bin;
        for (; r < all && bin_of(sort->how, &ranges[r]) == bin; r++) {
            first = ranges[r].to < first ? ranges[r].to : first;
            count += ranges[r].count;
        }
        if (begins && count >= sort->large) {
            uint32_t at = sort->large_count++;
            sort->large_bins[at].first = first;
            sort->large_bins[at].count = count;
        } else if (begins) {
            sort_bin(sort, first, count);
        }
    }
}

static pliant_result sort_bins(const pli_collecting *how, const pli_collection *c)
{
    size_t ranges = c->ranges.count;
    uint32_t workers = how->worker_count;
    bin_sort sort = {.how = how, .c = c, .large = UINT64_MAX, .portion = ranges};
    if (workers > 1 && c->total > FEW_KEYS) {
        sort.portion = ranges / ((size_t)PORTIONS_PER_WORKER * workers) + 1;
        sort.large = c->total / workers < MANY_KEYS ? MANY_KEYS : c->total / workers + 1;
    }
    pliant_result result = run(how, sort_portion, &sort, (ranges - 1) / sort.portion + 1);
    for (uint32_t i = 0; i < sort.large_count && result == PLIANT_OK; i++) {
        uint64_t first = sort.large_bins[i].first;
        result = pli_sort_shared(how->context, arrays_from(&sort, first),
                                 (size_t)sort.large_bins[i].count, how->convert);
    }
    return result;
}

/* ----------------------------------------------------------------- columns */

/* Copies elements of a size that the compiler knows. */
static inline void follow(const key_copying *all, pli_column column, uint64_t first, uint64_t end,
                          size_t size)
{
    const uint64_t *order = all->c->order.data;
    char *to = all->c->column[column].data;
    const char *found = NULL;
    uint64_t last = UINT64_MAX;
    for (uint64_t i = first; i < end; i++) {
        uint64_t from = order[i] >> 48;
        if (from != last) {
            found = all->how->workers[from >> 8].results[from & 0xff].column[column].data;
            last = from;
        }
        memcpy(to + i * size, found + (order[i] & UINT64_MAX >> 16) * size, size);
    }
}

static void follow_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const key_copying *all = argument;
    uint64_t total = all->c->total, first = (uint64_t)index * FOLLOWING;
    uint64_t end = total - first < FOLLOWING || all->pieces == 1 ? total : first + FOLLOWING;
    for (unsigned left = all->how->columns; left != 0; left &= left - 1) {
        switch ((pli_column)__builtin_ctz(left)) {
        case PLI_SEGMENTS:
            follow(all, PLI_SEGMENTS, first, end, sizeof(pliant_segment));
            break;
        case PLI_SEPARATIONS:
            follow(all, PLI_SEPARATIONS, first, end, sizeof(pliant_separation));
            break;
        case PLI_PROXIMITIES:
            follow(all, PLI_PROXIMITIES, first, end, sizeof(pliant_proximity));
            break;
        case PLI_FEATURES:
            follow(all, PLI_FEATURES, first, end, sizeof(pliant_feature_pair));
            break;
        case PLI_PROXY_CONTACTS:
            follow(all, PLI_PROXY_CONTACTS, first, end, sizeof(pliant_proxy_contact));
            break;
        case PLI_MEETINGS:
            follow(all, PLI_MEETINGS, first, end, sizeof(pliant_meeting));
            break;
        }
    }
}

static pliant_result follow_columns(const pli_collecting *how, const pli_collection *c)
{
    uint64_t pieces = how->worker_count > 1 ? (c->total - 1) / FOLLOWING + 1 : 1;
    key_copying all = {how, c, (uint32_t)pieces};
    return run(how, follow_task, &all, pieces);
}

pliant_result pli_collect_results(const pli_collecting *how, pli_collection *c)
{
    if (c->total == 0) {
        return PLIANT_OK;
    }
    pliant_result result = gather(how, c);
    if (result == PLIANT_OK) {
        result = sort_bins(how, c);
    }
    return result == PLIANT_OK && how->columns != 0 ? follow_columns(how, c) : result;
}
