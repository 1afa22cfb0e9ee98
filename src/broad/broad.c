#include "method.h"

#include <math.h>

#include "base/error.h"
#include "base/context.h"
#include "base/sort.h"

/*
 * The automatic choice, as measured: all pairs cost 1.8 ns each, a step of the tree 10 ns per body
 * and 500 ns per body that left its fat box, sorting along one axis 35 ns per body and 0.25 ns per
 * comparison, which grow faster than bodies, and a grid 150 ns per body. So all pairs of few
 * bodies, else the tree. While more than one of eight bodies leaves its fat box per step, sorting
 * stands in, or the grid where sorting would compare too many (sort_and_sweep.c); the tree is tried
 * again now and then. The lower bound keeps a scene from changing methods at every step.
 */
#define MANY_FROM       64
#define ALL_PAIRS_BELOW 48
#define LINE_PAUSE      64
#define TREE_PAUSE      64

/* How many bodies leave per step is a running mean over about so many steps, in units of 1 / 16. */
#define RESTLESS_STEPS 8
#define RESTLESS_UNIT  16
#define RESTLESS_SHARE 8

/* Bodies that a tree is searched for from which on workers share the search. */
#define SHARED_FROM 512

enum { PIECES_PER_WORKER = 4 };

/*
 * Every box with every other. For a few dozen bodies nothing is faster: the boxes stay in the cache
 * and the pairs come out in order (T. Larsson, T. Akenine-Moller, "Collision Detection for
 * Continuously Deforming Bodies", 2001, section 3.4).
 */
static bool find_all_pairs(pli_broad *broad)
{
    pli_keys *found = &broad->found;
    const pli_ordered_box *boxes = broad->boxes.data;
    uint32_t end = broad->slot_count;
    found->count = 0;
    for (uint32_t a = 0; a < end; a++) {
        if (pli_ordered_box_is_empty(&boxes[a])) {
            continue;
        }
        if (!pli_broad_allows(broad, found) || !PLI_RESERVE_MORE(broad->context, found, end - a)) {
            return false;
        }
        pli_ordered_box box = boxes[a];
        uint64_t *keys = found->data;
        size_t count = found->count;
        for (uint32_t b = a + 1; b < end; b++) {
            keys[count] = (uint64_t)a << 32 | b;
            count += pli_ordered_boxes_overlap(&box, &boxes[b]);
        }
        found->count = count;
        broad->stats.tests += end - a - 1;
    }
    broad->answer = found;
    return true;
}

typedef bool (*broad_method)(pli_broad *broad);

static const broad_method methods[PLI_BROAD_KINDS] = {
    [PLI_BROAD_AUTO] = NULL, /* chooses one of those below */
    [PLI_BROAD_ALL_PAIRS] = find_all_pairs,
    [PLI_BROAD_SWEEP] = pli_sweep_find,
    [PLI_BROAD_GRID] = pli_grid_find,
    [PLI_BROAD_SORT] = pli_line_find,
    [PLI_BROAD_TREE] = pli_body_tree_find,
};

/* Pieces of a search: a few per worker, so that who is done early helps. */
static pliant_result create_pieces(pli_broad *broad)
{
    uint32_t workers = pliant_context_get_worker_count(broad->context);
    uint32_t count = workers > 1 ? PIECES_PER_WORKER * workers : 1;
    return PLI_CREATE(broad->context, &broad->pieces, count) ? PLIANT_OK
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
                           .shared_from = SHARED_FROM,
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
    for (size_t i = 0; i < broad->pieces.count; i++) {
        pli_arrays_release(broad->context, broad->pieces.data[i].arrays, 2);
    }
    pli_arrays_release(broad->context, broad->tree.arrays, PLI_BODY_TREE_ARRAYS);
    pli_arrays_release(broad->context, broad->arrays, PLI_BROAD_ARRAYS);
    pli_release(broad->context, broad, sizeof *broad);
}

uint64_t pli_broad_memory(const pli_broad *broad)
{
    uint64_t sum = sizeof *broad + pli_arrays_bytes(broad->arrays, PLI_BROAD_ARRAYS) +
                   pli_arrays_bytes(broad->tree.arrays, PLI_BODY_TREE_ARRAYS);
    for (size_t i = 0; i < broad->pieces.count; i++) {
        sum += pli_arrays_bytes(broad->pieces.data[i].arrays, 2);
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

/* By any thread: all of them read these flags, so that they are written once. */
static void note_change(pli_broad *broad)
{
    if (!atomic_load_explicit(&broad->changed, memory_order_relaxed) ||
        !atomic_load_explicit(&broad->tree_is_old, memory_order_relaxed)) {
        atomic_store_explicit(&broad->changed, true, memory_order_relaxed);
        atomic_store_explicit(&broad->tree_is_old, true, memory_order_relaxed);
    }
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
    note_change(broad);
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
        note_change(broad);
    }
}

void pli_broad_remove(pli_broad *broad, uint32_t slot)
{
    PLI_ASSERT(slot < broad->slot_count && !pli_ordered_box_is_empty(&broad->boxes.data[slot]));
    PLI_ASSERT(broad->body_count > 0);
    broad->boxes.data[slot] = PLI_EMPTY_BOX;
    broad->body_count--;
    note_change(broad);
}

static pli_broad_kind choose_method(const pli_broad *broad)
{
    if (broad->kind != PLI_BROAD_AUTO) {
        return broad->kind;
    }
    bool was_many = broad->stats.method != PLI_BROAD_ALL_PAIRS;
    if (broad->body_count < (was_many ? ALL_PAIRS_BELOW : MANY_FROM)) {
        return PLI_BROAD_ALL_PAIRS;
    }
    if (broad->tree_pause == 0) {
        return PLI_BROAD_TREE;
    }
    return broad->line_pause == 0 ? PLI_BROAD_SORT : PLI_BROAD_GRID;
}

/* After an answer: are others to stand in for the tree? Where it was not used the step before, all
   bodies have left their fat boxes, which says nothing. */
static void watch_coherence(pli_broad *broad)
{
    if (broad->line_pause > 0) {
        broad->line_pause--;
    }
    if (broad->stats.method != PLI_BROAD_TREE) {
        broad->tree_pause -= broad->tree_pause > 0;
        broad->tree_is_warm = false;
        broad->restless = 0;
        return;
    }
    if (broad->tree_is_warm) {
        broad->restless += broad->stats.left * RESTLESS_UNIT / RESTLESS_STEPS;
        broad->restless -= broad->restless / RESTLESS_STEPS;
    }
    broad->tree_is_warm = true;
    if (broad->restless * RESTLESS_SHARE > (uint64_t)RESTLESS_UNIT * broad->body_count) {
        broad->tree_pause = TREE_PAUSE;
        broad->line_pause = 0; /* it may do now */
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

void pli_broad_begin(pli_broad *broad)
{
    broad->too_many = false;
    broad->scheduled = PLIANT_OK;
    for (size_t i = 0; i < broad->pieces.count; i++) {
        broad->pieces.data[i].tests = 0;
    }
}

pliant_result pli_broad_failure(const pli_broad *broad, const char *what)
{
    if (broad->too_many) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "more than %llu pairs of bodies %s",
                        (unsigned long long)broad->most_pairs, what);
    }
    return broad->scheduled != PLIANT_OK
               ? broad->scheduled
               : pli_fail(PLIANT_ERROR_OUT_OF_MEMORY, "no memory for pairs of bodies");
}

static void count_tests(pli_broad *broad)
{
    for (size_t i = 0; i < broad->pieces.count; i++) {
        broad->stats.tests += broad->pieces.data[i].tests;
    }
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
        pli_broad_begin(broad);
        if (!find_pairs(broad) || !pli_broad_allows(broad, broad->answer)) {
            return pli_broad_failure(broad, "have boxes that meet");
        }
        count_tests(broad);
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

/* ------------------------------------------------------------ samples */

double pli_longest_edge(const pli_ordered_box *box)
{
    double longest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        longest =
            fmax(longest, pli_ordered_side(box->upper[axis]) - pli_ordered_side(box->lower[axis]));
    }
    return longest;
}

void pli_sample_draw(const pli_ordered_box *boxes, uint32_t slot_count, pli_sample *sample)
{
    uint64_t scratch[PLI_SAMPLE];
    uint32_t stride = slot_count / PLI_SAMPLE + 1;
    sample->count = 0;
    for (uint32_t slot = 0; slot < slot_count; slot += stride) {
        const pli_ordered_box *box = &boxes[slot];
        double edge = pli_ordered_box_is_empty(box) ? INFINITY : pli_longest_edge(box);
        if (!isfinite(edge)) {
            continue;
        }
        memcpy(&sample->edges[sample->count], &edge, sizeof edge);
        for (int axis = 0; axis < 3; axis++) {
            sample->corners[axis][sample->count] = box->lower[axis];
        }
        sample->count++;
    }
    pli_sort_keys(sample->edges, scratch, NULL, NULL, sample->count);
    for (int axis = 0; axis < 3; axis++) {
        pli_sort_keys(sample->corners[axis], scratch, NULL, NULL, sample->count);
    }
}

double pli_sample_median_edge(const pli_sample *sample)
{
    double edge;
    memcpy(&edge, &sample->edges[sample->count / 2], sizeof edge);
    return edge;
}
