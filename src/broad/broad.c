#include "method.h"

#include "base/assert.h"
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

void *pli_broad_grow(pliant_context *context, void *array, size_t *room, size_t count,
                     size_t element_size, bool *done)
{
    if (!*done) {
        return array;
    }
    void *grown = pli_grow(context, array, room, count, element_size);
    *done = grown != NULL;
    return *done ? grown : array;
}

bool pli_key_list_reserve(pliant_context *context, pli_key_list *list, size_t more)
{
    bool done = true;
    list->keys = pli_broad_grow(context, list->keys, &list->room, list->count + more,
                                sizeof *list->keys, &done);
    return done;
}

bool pli_key_list_sort(pliant_context *context, pli_key_list *list, pli_key_list *scratch)
{
    scratch->count = 0;
    if (!pli_key_list_reserve(context, scratch, list->count)) {
        return false;
    }
    pli_sort_keys(list->keys, scratch->keys, NULL, NULL, list->count);
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

bool pli_broad_order_pairs(pli_broad *broad, pli_key_list *pairs)
{
    size_t slots = broad->slot_count, count = pairs->count;
    if (count < slots / 2 || count > UINT32_MAX) {
        return pli_key_list_sort(broad->context, pairs, &broad->scratch);
    }
    bool done = true;
    broad->ends = pli_broad_grow(broad->context, broad->ends, &broad->end_capacity, 2 * slots,
                                 sizeof *broad->ends, &done);
    broad->scratch.count = 0;
    if (!done || !pli_key_list_reserve(broad->context, &broad->scratch, count)) {
        return false;
    }
    uint32_t *low = broad->ends, *high = low + slots, low_sum = 0, high_sum = 0;
    memset(low, 0, 2 * slots * sizeof *low);
    for (size_t i = 0; i < count; i++) {
        low[pairs->keys[i] >> 32]++;
        high[(uint32_t)pairs->keys[i]]++;
    }
    for (size_t slot = 0; slot < slots; slot++) {
        uint32_t of_low = low[slot], of_high = high[slot];
        low[slot] = low_sum;
        high[slot] = high_sum;
        low_sum += of_low;
        high_sum += of_high;
    }
    scatter_pairs(pairs->keys, broad->scratch.keys, count, high, 0);
    scatter_pairs(broad->scratch.keys, pairs->keys, count, low, 32);
    return true;
}

/* Pieces of a sweep along a line: a few per worker, so that who is done early helps. */
static pliant_result create_pieces(pli_broad *broad)
{
    uint32_t workers = pliant_context_get_worker_count(broad->context);
    uint32_t count = workers > 1 ? PIECES_PER_WORKER * workers : 1;
    broad->line.pieces = pli_allocate(broad->context, count * sizeof *broad->line.pieces);
    if (broad->line.pieces == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(broad->line.pieces, 0, count * sizeof *broad->line.pieces);
    broad->line.piece_count = count;
    return PLIANT_OK;
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

/* Every array of a broad phase, for what is done to all of them. */
typedef struct held_array {
    void *memory;
    size_t size;
} held_array;

enum { HELD_ARRAYS = 24 };

static void list_arrays(const pli_broad *broad, held_array held[HELD_ARRAYS])
{
    const pli_broad_sweep *sweep = &broad->sweep;
    const pli_broad_grid *grid = &broad->grid;
    const pli_line *line = &broad->line;
    const pli_key_list *lists[] = {&broad->found,   &broad->scratch, &sweep->ends[0],
                                   &sweep->ends[1], &sweep->ends[2], &sweep->pairs,
                                   &sweep->added,   &sweep->removed, &sweep->scratch};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        held[count++] = (held_array){lists[i]->keys, lists[i]->room * sizeof *lists[i]->keys};
    }
    held[count++] = (held_array){broad->boxes, broad->room * sizeof *broad->boxes};
    held[count++] = (held_array){broad->ends, broad->end_capacity * sizeof *broad->ends};
    held[count++] = (held_array){sweep->seen, sweep->seen_capacity * sizeof *sweep->seen};
    held[count++] = (held_array){sweep->open, sweep->open_capacity * sizeof *sweep->open};
    held[count++] = (held_array){sweep->place, sweep->place_capacity * sizeof *sweep->place};
    held[count++] = (held_array){grid->ranges, grid->range_capacity * sizeof *grid->ranges};
    held[count++] = (held_array){grid->entries, grid->entry_capacity * sizeof *grid->entries};
    held[count++] = (held_array){grid->starts, grid->start_capacity * sizeof *grid->starts};
    held[count++] = (held_array){grid->large, grid->large_capacity * sizeof *grid->large};
    held[count++] = (held_array){line->begins, line->begin_capacity * sizeof *line->begins};
    held[count++] = (held_array){line->starts, line->start_capacity * sizeof *line->starts};
    held[count++] = (held_array){line->sides, line->side_capacity * sizeof *line->sides};
    held[count++] = (held_array){line->rows.slots, line->row_slot_capacity * sizeof(uint32_t)};
    held[count++] = (held_array){line->reaches, line->reach_capacity * sizeof *line->reaches};
    held[count++] = (held_array){line->pieces, line->piece_count * sizeof *line->pieces};
    PLI_ASSERT(count == HELD_ARRAYS);
}

void pli_broad_destroy(pli_broad *broad)
{
    if (broad == NULL) {
        return;
    }
    for (uint32_t i = 0; i < broad->line.piece_count; i++) {
        const pli_line_piece *piece = &broad->line.pieces[i];
        pli_release(broad->context, piece->pairs.keys,
                    piece->pairs.room * sizeof *piece->pairs.keys);
        pli_release(broad->context, piece->slots, piece->slot_capacity * sizeof *piece->slots);
    }
    held_array held[HELD_ARRAYS];
    list_arrays(broad, held);
    for (int i = 0; i < HELD_ARRAYS; i++) {
        pli_release(broad->context, held[i].memory, held[i].size);
    }
    pli_release(broad->context, broad, sizeof *broad);
}

uint64_t pli_broad_memory(const pli_broad *broad)
{
    held_array held[HELD_ARRAYS];
    list_arrays(broad, held);
    uint64_t sum = sizeof *broad;
    for (int i = 0; i < HELD_ARRAYS; i++) {
        sum += held[i].size;
    }
    for (uint32_t i = 0; i < broad->line.piece_count; i++) {
        const pli_line_piece *piece = &broad->line.pieces[i];
        sum += piece->pairs.room * sizeof *piece->pairs.keys;
        sum += piece->slot_capacity * sizeof *piece->slots;
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
    PLI_ASSERT(slot >= broad->slot_count || pli_ordered_box_is_empty(&broad->boxes[slot]));
    bool done = true;
    broad->boxes = pli_broad_grow(broad->context, broad->boxes, &broad->room, (size_t)slot + 1,
                                  sizeof *broad->boxes, &done);
    if (!done) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (; broad->slot_count <= slot; broad->slot_count++) {
        broad->boxes[broad->slot_count] = PLI_EMPTY_BOX;
    }
    broad->boxes[slot] = order_box(box);
    broad->body_count++;
    broad->changed = true;
    return PLIANT_OK;
}

void pli_broad_move(pli_broad *broad, uint32_t slot, const pliant_box *box)
{
    PLI_ASSERT(slot < broad->slot_count && !pli_ordered_box_is_empty(&broad->boxes[slot]));
    pli_ordered_box ordered = order_box(box), *known = &broad->boxes[slot];
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
    PLI_ASSERT(slot < broad->slot_count && !pli_ordered_box_is_empty(&broad->boxes[slot]));
    PLI_ASSERT(broad->body_count > 0);
    broad->boxes[slot] = PLI_EMPTY_BOX;
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
        broad->sweep.valid = false;
    }
}

static bool find_pairs(pli_broad *broad)
{
    bool done = methods[broad->stats.method](broad);
    if (done && broad->stats.method == PLI_BROAD_SORT && broad->line.declined) {
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
    const pli_key_list *answer = broad->answer;
    bool valid = answer->count <= answer->room;
    for (size_t i = 0; i < answer->count && valid; i++) {
        uint32_t low = (uint32_t)(answer->keys[i] >> 32), high = (uint32_t)answer->keys[i];
        valid = low < high && high < broad->slot_count &&
                (i == 0 || answer->keys[i - 1] < answer->keys[i]) &&
                pli_ordered_boxes_overlap(&broad->boxes[low], &broad->boxes[high]);
    }
    uint32_t bodies = 0;
    for (uint32_t slot = 0; slot < broad->slot_count; slot++) {
        bodies += !pli_ordered_box_is_empty(&broad->boxes[slot]);
    }
    return valid && bodies == broad->body_count;
}
#endif

pliant_result pli_broad_pairs(pli_broad *broad, const uint64_t **keys, size_t *count)
{
    broad->stats = (pli_broad_stats){.method = choose_method(broad)};
    if (broad->changed) {
        broad->too_many = false;
        broad->scheduled = PLIANT_OK;
        if (!find_pairs(broad) || !pli_broad_allows(broad, broad->answer)) {
            return name_failure(broad);
        }
        PLI_ASSERT_VALID(is_answer_valid(broad));
        broad->changed = false;
        if (broad->kind == PLI_BROAD_AUTO) {
            watch_coherence(broad);
        }
    }
    *keys = broad->answer->keys;
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
