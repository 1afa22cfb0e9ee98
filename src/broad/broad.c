#include "method.h"

#include "base/assert.h"
#include "base/observer.h"
#include "base/sort.h"

/*
 * The automatic choice, as measured. All pairs cost 1.8 ns each; sorting along one axis 45 ns per
 * body, and 0.25 ns per comparison, which grow faster than bodies. So all pairs of few bodies, and
 * sorting of more until its comparisons are too many (sort_and_sweep.c). The lower bound keeps a
 * scene from changing methods at every step. Of many thousands of bodies, a sweep that remembers
 * costs 60 ns per body and 9 ns per exchange. What costs as much as 12 exchanges per body is
 * sorting with four times the comparisons, or else a grid: while bodies are faster than that these
 * stand in, and the sweep is tried again now and then.
 */
#define SORT_FROM           64
#define ALL_PAIRS_BELOW     48
#define LINE_PAUSE          64
#define GRID_SWAPS_PER_BODY 12
#define GRID_STEPS          64

enum { PIECES_PER_WORKER = 4 };

typedef bool (*broad_method)(pli_broad *broad);

static const broad_method methods[PLI_BROAD_KINDS] = {
    [PLI_BROAD_AUTO] = NULL, /* chooses one of those below */
    [PLI_BROAD_ALL_PAIRS] = pli_all_pairs_find,
    [PLI_BROAD_SWEEP] = pli_sweep_find,
    [PLI_BROAD_GRID] = pli_grid_find,
    [PLI_BROAD_SORT] = pli_line_find,
};

bool pli_keys_sort(pliant_context *context, pli_keys *list, pli_keys *scratch)
{
    scratch->count = 0;
    if (!PLI_RESERVE(context, scratch, list->count)) {
        return false;
    }
    pli_sort_keys(list->data, scratch->data, NULL, NULL, list->count);
    return true;
}

/* One stable pass by the slot at `shift`; ends[] tells where each slot's keys begin, then end. */
static void scatter_pairs(const uint64_t *from, uint64_t *to, size_t count, uint32_t *ends,
                          unsigned shift)
{
    for (size_t i = 0; i < count; i++) {
        to[ends[(uint32_t)(from[i] >> shift)]++] = from[i];
    }
}

bool pli_broad_order_pairs(pli_broad *broad, pli_keys *pairs)
{
    size_t slots = broad->slot_count, count = pairs->count;
    if (count < slots / 2 || count > UINT32_MAX) {
        return pli_keys_sort(broad->context, pairs, &broad->scratch);
    }
    if (!PLI_RESERVE(broad->context, &broad->ends, 2 * slots) ||
        !PLI_RESERVE(broad->context, &broad->scratch, count)) {
        return false;
    }
    uint32_t *low = broad->ends.data, *high = low + slots, low_sum = 0, high_sum = 0;
    memset(low, 0, 2 * slots * sizeof *low);
    for (size_t i = 0; i < count; i++) {
        low[pairs->data[i] >> 32]++;
        high[(uint32_t)pairs->data[i]]++;
    }
    for (size_t slot = 0; slot < slots; slot++) {
        uint32_t of_low = low[slot], of_high = high[slot];
        low[slot] = low_sum;
        high[slot] = high_sum;
        low_sum += of_low;
        high_sum += of_high;
    }
    scatter_pairs(pairs->data, broad->scratch.data, count, high, 0);
    scatter_pairs(broad->scratch.data, pairs->data, count, low, 32);
    return true;
}

/* Pieces of a sweep along a line: a few per worker, so that who is done early helps. */
static pliant_result create_pieces(pli_broad *broad)
{
    uint32_t workers = pliant_context_get_worker_count(broad->context);
    uint32_t count = workers > 1 ? PIECES_PER_WORKER * workers : 1;
    return PLI_CREATE(broad->context, &broad->line.pieces, count) ? PLIANT_OK
                                                                  : PLIANT_ERROR_OUT_OF_MEMORY;
}

pliant_result pli_broad_create(pliant_context *context, pli_broad_kind kind, pli_broad **broad)
{
    PLI_ASSERT((unsigned)kind < PLI_BROAD_KINDS);
    pli_broad *created = pli_allocate(context, sizeof *created);
    if (created == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *created = (pli_broad){.context = context,
                           .kernels = pli_context_kernels(context)->overlap,
                           .kind = kind,
                           .most_pairs = PLI_MOST_PAIRS,
                           .answer = &created->found};
    if (create_pieces(created) != PLIANT_OK) {
        pli_broad_destroy(created);
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    created->stats.method = kind == PLI_BROAD_AUTO ? PLI_BROAD_ALL_PAIRS : kind;
    *broad = created;
    return PLIANT_OK;
}

void pli_broad_destroy(pli_broad *broad)
{
    if (broad == NULL) {
        return;
    }
    for (size_t i = 0; i < broad->line.pieces.count; i++) {
        pli_arrays_release(broad->context, broad->line.pieces.data[i].arrays, 2);
    }
    pli_arrays_release(broad->context, broad->arrays, PLI_BROAD_ARRAYS);
    pli_release(broad->context, broad, sizeof *broad);
}

uint64_t pli_broad_memory(const pli_broad *broad)
{
    uint64_t sum = sizeof *broad + pli_arrays_bytes(broad->arrays, PLI_BROAD_ARRAYS);
    for (size_t i = 0; i < broad->line.pieces.count; i++) {
        sum += pli_arrays_bytes(broad->line.pieces.data[i].arrays, 2);
    }
    return sum;
}

static pli_ordered_box order_box(const pliant_box *box)
{
    pli_ordered_box ordered;
    for (int axis = 0; axis < 3; axis++) {
        ordered.lower[axis] = pli_order_float(box->lower[axis]);
        ordered.upper[axis] = pli_order_float(box->upper[axis]);
        PLI_ASSERT(ordered.lower[axis] <= ordered.upper[axis]);
    }
    return ordered;
}

pliant_result pli_broad_add(pli_broad *broad, uint32_t slot, const pliant_box *box)
{
    PLI_ASSERT(slot < PLI_BROAD_MAX_SLOTS);
    PLI_ASSERT(slot >= broad->slot_count || pli_ordered_box_is_empty(&broad->boxes.data[slot]));
    if (!PLI_RESERVE(broad->context, &broad->boxes, (size_t)slot + 1)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (; broad->slot_count <= slot; broad->slot_count++) {
        broad->boxes.data[broad->slot_count] = PLI_EMPTY_BOX;
    }
    broad->boxes.data[slot] = order_box(box);
    broad->body_count++;
    broad->changed = true;
    return PLIANT_OK;
}

void pli_broad_move(pli_broad *broad, uint32_t slot, const pliant_box *box)
{
    PLI_ASSERT(slot < broad->slot_count && !pli_ordered_box_is_empty(&broad->boxes.data[slot]));
    pli_ordered_box ordered = order_box(box), *known = &broad->boxes.data[slot];
    uint32_t differing = 0;
    for (int axis = 0; axis < 3; axis++) {
        differing |=
            (known->lower[axis] ^ ordered.lower[axis]) | (known->upper[axis] ^ ordered.upper[axis]);
    }
    if (differing != 0) {
        *known = ordered;
        if (!atomic_load_explicit(&broad->changed, memory_order_relaxed)) { /* all read this line */
            atomic_store_explicit(&broad->changed, true, memory_order_relaxed);
        }
    }
}

void pli_broad_remove(pli_broad *broad, uint32_t slot)
{
    PLI_ASSERT(slot < broad->slot_count && !pli_ordered_box_is_empty(&broad->boxes.data[slot]));
    PLI_ASSERT(broad->body_count > 0);
    broad->boxes.data[slot] = PLI_EMPTY_BOX;
    broad->body_count--;
    broad->changed = true;
}

static pli_broad_kind choose_method(const pli_broad *broad)
{
    if (broad->kind != PLI_BROAD_AUTO) {
        return broad->kind;
    }
    bool was_many = broad->stats.method != PLI_BROAD_ALL_PAIRS;
    if (broad->body_count < (was_many ? ALL_PAIRS_BELOW : SORT_FROM)) {
        return PLI_BROAD_ALL_PAIRS;
    }
    if (broad->line_pause == 0) {
        return PLI_BROAD_SORT;
    }
    return broad->grid_steps > 0 ? PLI_BROAD_GRID : PLI_BROAD_SWEEP;
}

/* After an answer: is the grid to stand in for the sweep? */
static void watch_coherence(pli_broad *broad)
{
    const pli_broad_stats *stats = &broad->stats;
    if (stats->method != PLI_BROAD_SWEEP && broad->grid_steps > 0) {
        broad->grid_steps--;
    }
    if (broad->line_pause > 0) {
        broad->line_pause--;
    }
    if (stats->swaps > (uint64_t)GRID_SWAPS_PER_BODY * broad->body_count) {
        broad->grid_steps = GRID_STEPS;
        broad->line_pause = 0; /* it may do more now */
        broad->sweep_is_valid = false;
    }
}

static bool find_pairs(pli_broad *broad)
{
    bool done = methods[broad->stats.method](broad);
    if (done && broad->stats.method == PLI_BROAD_SORT && broad->line_declined) {
        broad->line_pause = LINE_PAUSE;
        broad->stats.method = choose_method(broad);
        done = methods[broad->stats.method](broad);
    }
    return done;
}

/* Why pairs were not found, on the thread that asked. */
static pliant_result name_failure(const pli_broad *broad)
{
    if (broad->too_many) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE,
                        "more than %llu pairs of bodies have boxes that meet",
                        (unsigned long long)broad->most_pairs);
    }
    return broad->scheduled != PLIANT_OK
               ? broad->scheduled
               : pli_fail(PLIANT_ERROR_OUT_OF_MEMORY, "no memory for pairs of bodies");
}

#ifdef PLI_DEBUG
static bool is_answer_valid(const pli_broad *broad)
{
    const pli_keys *answer = broad->answer;
    bool valid = answer->count <= answer->capacity;
    for (size_t i = 0; i < answer->count && valid; i++) {
        uint32_t low = (uint32_t)(answer->data[i] >> 32), high = (uint32_t)answer->data[i];
        valid = low < high && high < broad->slot_count &&
                (i == 0 || answer->data[i - 1] < answer->data[i]) &&
                pli_ordered_boxes_overlap(&broad->boxes.data[low], &broad->boxes.data[high]);
    }
    uint32_t bodies = 0;
    for (uint32_t slot = 0; slot < broad->slot_count; slot++) {
        bodies += !pli_ordered_box_is_empty(&broad->boxes.data[slot]);
    }
    return valid && bodies == broad->body_count;
}
#endif

/* Tells the log which method took over from which. */
static void report_switch(const pli_broad *broad, pli_broad_kind before)
{
    static const char *const names[PLI_BROAD_KINDS] = {
        [PLI_BROAD_AUTO] = "nothing",  [PLI_BROAD_ALL_PAIRS] = "all pairs",
        [PLI_BROAD_SWEEP] = "a sweep", [PLI_BROAD_GRID] = "a grid",
        [PLI_BROAD_SORT] = "sorting",
    };
    if (broad->stats.method != before) {
        pli_log(broad->context, PLIANT_LOG_INFO, "the broad phase of %u bodies is %s, no longer %s",
                broad->body_count, names[broad->stats.method], names[before]);
    }
}

pliant_result pli_broad_pairs(pli_broad *broad, const uint64_t **keys, size_t *count)
{
    pli_broad_kind before = broad->stats.method;
    broad->stats = (pli_broad_stats){.method = choose_method(broad)};
    if (broad->changed) {
        broad->too_many = false;
        broad->scheduled = PLIANT_OK;
        if (!find_pairs(broad) || !pli_broad_allows(broad, broad->answer)) {
            return name_failure(broad);
        }
        PLI_ASSERT_VALID(is_answer_valid(broad));
        broad->changed = false;
        report_switch(broad, before);
        if (broad->kind == PLI_BROAD_AUTO) {
            watch_coherence(broad);
        }
    }
    *keys = broad->answer->data;
    *count = broad->answer->count;
    return PLIANT_OK;
}

uint64_t pli_broad_most_pairs(const pli_broad *broad)
{
    return broad->most_pairs;
}

void pli_broad_limit_pairs(pli_broad *broad, uint64_t most)
{
    broad->most_pairs = most;
}

const pli_broad_stats *pli_broad_get_stats(const pli_broad *broad)
{
    return &broad->stats;
}
