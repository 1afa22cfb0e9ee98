/*
 * Based on: J. D. Cohen, M. C. Lin, D. Manocha, M. K. Ponamgi, "I-COLLIDE: An Interactive and Exact
 * Collision Detection System for Large-Scale Environments", 1995.
 *
 * Each axis has a list of the ends of all boxes. When bodies have moved, the lists are sorted again
 * by insertion, which exchanges exactly those neighbours whose order is wrong. Where the lower end
 * of one body comes before the upper end of another, the two have begun to overlap along that axis;
 * where an upper end comes before a lower end, they have ceased to. Only such bodies can have
 * entered or left the set of pairs. With n bodies and s exchanges a step takes O(n + s).
 *
 * Deviations:
 *   - All bodies move at once, then each axis is sorted, and an exchange compares whole boxes:
 * those of now for a pair to enter, those seen last time for it to leave. So no counts of
 * overlapping axes are kept, and each entry or exit of the set is found, though perhaps once per
 * axis.
 *   - The set is a sorted array; the few changes are sorted and merged into it. There is no table
 *     of all n^2 pairs.
 *   - An end is one 64-bit number: its coordinate, whether it is an upper end, its body. At equal
 *     coordinates lower ends come first, because boxes that touch overlap.
 *   - New bodies come from beyond the end of the lists. Many of them, or motion without coherence,
 *     would take O(n^2) exchanges: then the lists are sorted from nothing, in O(n log n), and one
 *     sweep along the axis with the fewest overlaps finds the pairs, or the grid if they are many.
 */
#include "method.h"

#define UPPER_END ((uint64_t)1 << 31)

/* Exchanges per body after which sorting from nothing is no slower. */
#define MAX_SWAPS_PER_BODY 64

/* Overlaps along the best axis above which a grid finds the pairs sooner than a sweep. */
#define MAX_OVERLAPS_PER_BODY 32

static uint64_t make_end(uint32_t coordinate, uint64_t upper, uint32_t slot)
{
    return (uint64_t)coordinate << 32 | upper | slot;
}

static uint32_t slot_of(uint64_t end)
{
    return (uint32_t)(end & (UPPER_END - 1));
}

static void append_ends(pli_keys *ends, const pli_ordered_box *box, int axis, uint32_t slot)
{
    ends->data[ends->count++] = make_end(box->lower[axis], 0, slot);
    ends->data[ends->count++] = make_end(box->upper[axis], UPPER_END, slot);
}

/* Gives the ends of the bodies that are still there their new coordinates. */
static void refresh_ends(const pli_broad *broad, pli_keys *ends, int axis)
{
    const pli_ordered_box *boxes = broad->boxes.data;
    uint64_t *keys = ends->data;
    size_t kept = 0;
    for (size_t i = 0; i < ends->count; i++) {
        uint64_t upper = keys[i] & UPPER_END;
        uint32_t slot = slot_of(keys[i]);
        const pli_ordered_box *box = &boxes[slot];
        if (!pli_ordered_box_is_empty(box)) {
            keys[kept++] = make_end(upper != 0 ? box->upper[axis] : box->lower[axis], upper, slot);
        }
    }
    ends->count = kept;
}

/* What an exchange of a lower with an upper end means for the pair; false without memory. */
static bool note_exchange(pli_broad *broad, uint64_t moved_down, uint64_t moved_up)
{
    pli_broad_sweep *sweep = &broad->sweep;
    uint32_t a = slot_of(moved_down), b = slot_of(moved_up);
    bool begins = (moved_up & UPPER_END) != 0;
    broad->stats.tests++;
    const pli_ordered_box *boxes = begins ? broad->boxes.data : sweep->seen.data;
    if (!pli_ordered_boxes_overlap(&boxes[a], &boxes[b])) {
        return true;
    }
    pli_keys *changes = begins ? &sweep->added : &sweep->removed;
    return PLI_PUSH(broad->context, changes, pli_pair_key(a, b));
}

typedef enum sort_outcome { SORTED, TOO_MANY_SWAPS, NO_MEMORY } sort_outcome;

static sort_outcome sort_by_insertion(pli_broad *broad, pli_keys *ends)
{
    uint64_t limit = broad->stats.swaps + (uint64_t)MAX_SWAPS_PER_BODY * broad->body_count;
    uint64_t *keys = ends->data;
    for (size_t i = 1; i < ends->count; i++) {
        uint64_t key = keys[i];
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) {
            uint64_t other = keys[j - 1];
            keys[j] = other;
            if (((key ^ other) & UPPER_END) != 0 && !note_exchange(broad, key, other)) {
                return NO_MEMORY;
            }
        }
        keys[j] = key;
        broad->stats.swaps += i - j;
        if (broad->stats.swaps > limit) {
            return TOO_MANY_SWAPS;
        }
    }
    broad->stats.ends_read += ends->count;
    return SORTED;
}

/* Takes pairs of bodies that are gone out of the set. */
static void forget_removed_bodies(pli_broad *broad)
{
    pli_keys *pairs = &broad->sweep.pairs;
    const pli_ordered_box *boxes = broad->boxes.data;
    size_t kept = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        uint64_t key = pairs->data[i];
        if (!pli_ordered_box_is_empty(&boxes[key >> 32]) &&
            !pli_ordered_box_is_empty(&boxes[(uint32_t)key])) {
            pairs->data[kept++] = key;
        }
    }
    pairs->count = kept;
}

/* pairs = pairs - removed + added. The lists of changes are sorted; no key is in both. */
static void merge_changes(pli_broad_sweep *sweep)
{
    const uint64_t *pairs = sweep->pairs.data, *added = sweep->added.data;
    const uint64_t *removed = sweep->removed.data;
    size_t pair_count = sweep->pairs.count, added_count = sweep->added.count;
    uint64_t *merged = sweep->scratch.data;
    size_t count = 0, in_added = 0, in_removed = 0;
    for (size_t i = 0; i <= pair_count; i++) {
        uint64_t key = i < pair_count ? pairs[i] : UINT64_MAX;
        for (; in_added < added_count && added[in_added] <= key; in_added++) {
            if (added[in_added] != key && (count == 0 || merged[count - 1] != added[in_added])) {
                merged[count++] = added[in_added];
            }
        }
        while (in_removed < sweep->removed.count && removed[in_removed] < key) {
            in_removed++;
        }
        bool gone = in_removed < sweep->removed.count && removed[in_removed] == key;
        if (i < pair_count && !gone) {
            merged[count++] = key;
        }
    }
    pli_keys swap = sweep->pairs;
    sweep->pairs = sweep->scratch;
    sweep->pairs.count = count;
    sweep->scratch = swap;
}

static bool apply_changes(pli_broad *broad)
{
    pli_broad_sweep *sweep = &broad->sweep;
    if (sweep->added.count + sweep->removed.count == 0) {
        return true;
    }
    if (!pli_keys_sort(broad->context, &sweep->added, &sweep->scratch) ||
        !pli_keys_sort(broad->context, &sweep->removed, &sweep->scratch)) {
        return false;
    }
    sweep->scratch.count = 0;
    if (!PLI_RESERVE_MORE(broad->context, &sweep->scratch,
                          sweep->pairs.count + sweep->added.count)) {
        return false;
    }
    merge_changes(sweep);
    return true;
}

/* Bodies that came and went since the lists were made. */
typedef struct turnover {
    uint32_t came, went;
} turnover;

static turnover count_turnover(const pli_broad *broad)
{
    const pli_broad_sweep *sweep = &broad->sweep;
    turnover counts = {0, 0};
    for (uint32_t slot = 0; slot < broad->slot_count; slot++) {
        bool was = !pli_ordered_box_is_empty(&sweep->seen.data[slot]);
        bool is = !pli_ordered_box_is_empty(&broad->boxes.data[slot]);
        counts.came += is && !was;
        counts.went += was && !is;
    }
    return counts;
}

static void append_new_bodies(pli_broad *broad)
{
    pli_broad_sweep *sweep = &broad->sweep;
    for (uint32_t slot = 0; slot < broad->slot_count; slot++) {
        const pli_ordered_box *box = &broad->boxes.data[slot];
        if (pli_ordered_box_is_empty(&sweep->seen.data[slot]) && !pli_ordered_box_is_empty(box)) {
            for (int axis = 0; axis < 3; axis++) {
                append_ends(&sweep->ends[axis], box, axis, slot);
            }
        }
    }
}

/* Brings lists and pairs from the boxes seen last to those of now. */
static sort_outcome update(pli_broad *broad)
{
    pli_broad_sweep *sweep = &broad->sweep;
    turnover bodies = count_turnover(broad);
    if (2 * (uint64_t)bodies.came > MAX_SWAPS_PER_BODY) {
        return TOO_MANY_SWAPS;
    }
    for (int axis = 0; axis < 3; axis++) {
        refresh_ends(broad, &sweep->ends[axis], axis);
    }
    if (bodies.came > 0) {
        append_new_bodies(broad);
    }
    if (bodies.went > 0) {
        forget_removed_bodies(broad);
    }
    sweep->added.count = 0;
    sweep->removed.count = 0;
    for (int axis = 0; axis < 3; axis++) {
        sort_outcome outcome = sort_by_insertion(broad, &sweep->ends[axis]);
        if (outcome != SORTED) {
            return outcome;
        }
    }
    return apply_changes(broad) ? SORTED : NO_MEMORY;
}

static bool sort_from_nothing(pli_broad *broad)
{
    pli_broad_sweep *sweep = &broad->sweep;
    for (int axis = 0; axis < 3; axis++) {
        pli_keys *ends = &sweep->ends[axis];
        ends->count = 0;
        for (uint32_t slot = 0; slot < broad->slot_count; slot++) {
            if (!pli_ordered_box_is_empty(&broad->boxes.data[slot])) {
                append_ends(ends, &broad->boxes.data[slot], axis, slot);
            }
        }
        if (!pli_keys_sort(broad->context, ends, &sweep->scratch)) {
            return false;
        }
    }
    return true;
}

/* How many pairs overlap along one axis. */
static uint64_t count_overlaps(const pli_keys *ends)
{
    uint64_t open = 0, overlaps = 0;
    for (size_t i = 0; i < ends->count; i++) {
        if ((ends->data[i] & UPPER_END) != 0) {
            open--;
        } else {
            overlaps += open++;
        }
    }
    return overlaps;
}

/* The axis along which the fewest pairs overlap, and how many do. */
static int choose_axis(const pli_broad_sweep *sweep, uint64_t *fewest)
{
    int best = 0;
    *fewest = UINT64_MAX;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t overlaps = count_overlaps(&sweep->ends[axis]);
        if (overlaps < *fewest) {
            best = axis;
            *fewest = overlaps;
        }
    }
    return best;
}

/* Walks along one axis and compares each body, where it begins, with those open there. */
static bool sweep_along(pli_broad *broad, const pli_keys *ends)
{
    pli_broad_sweep *sweep = &broad->sweep;
    const pli_ordered_box *boxes = broad->boxes.data;
    uint32_t *open = sweep->open.data, *place = sweep->place.data;
    uint32_t open_count = 0;
    sweep->pairs.count = 0;
    for (size_t i = 0; i < ends->count; i++) {
        uint32_t slot = slot_of(ends->data[i]);
        if ((ends->data[i] & UPPER_END) != 0) {
            uint32_t last = open[--open_count];
            open[place[slot]] = last;
            place[last] = place[slot];
            continue;
        }
        if (!pli_broad_allows(broad, &sweep->pairs) ||
            !PLI_RESERVE_MORE(broad->context, &sweep->pairs, open_count)) {
            return false;
        }
        pli_ordered_box box = boxes[slot];
        uint64_t *keys = sweep->pairs.data;
        size_t count = sweep->pairs.count;
        for (uint32_t k = 0; k < open_count; k++) {
            keys[count] = pli_pair_key(slot, open[k]);
            count += pli_ordered_boxes_overlap(&box, &boxes[open[k]]);
        }
        sweep->pairs.count = count;
        broad->stats.tests += open_count;
        place[slot] = open_count;
        open[open_count++] = slot;
    }
    return pli_keys_sort(broad->context, &sweep->pairs, &sweep->scratch);
}

/* The pairs of the grid become those of the sweep. */
static bool borrow_from_grid(pli_broad *broad)
{
    if (!pli_grid_find(broad)) {
        return false;
    }
    pli_keys swap = broad->sweep.pairs;
    broad->sweep.pairs = broad->found;
    broad->found = swap;
    return true;
}

static bool find_from_nothing(pli_broad *broad)
{
    broad->stats.rebuilt = true;
    if (!sort_from_nothing(broad)) {
        return false;
    }
    uint64_t overlaps;
    int axis = choose_axis(&broad->sweep, &overlaps);
    if (overlaps > (uint64_t)MAX_OVERLAPS_PER_BODY * broad->body_count) {
        return borrow_from_grid(broad);
    }
    return sweep_along(broad, &broad->sweep.ends[axis]);
}

/* Room for the lists, including bodies that are gone but still in them. */
static bool reserve(pli_broad *broad)
{
    pli_broad_sweep *sweep = &broad->sweep;
    pliant_context *context = broad->context;
    size_t slots = broad->slot_count;
    bool done = true;
    for (int axis = 0; axis < 3; axis++) {
        done = done && PLI_RESERVE(context, &sweep->ends[axis], 2 * slots);
    }
    done = done && PLI_RESERVE(context, &sweep->seen, slots) &&
           PLI_RESERVE(context, &sweep->open, slots) && PLI_RESERVE(context, &sweep->place, slots);
    while (done && sweep->seen.count < slots) {
        sweep->seen.data[sweep->seen.count++] = PLI_EMPTY_BOX;
    }
    return done;
}

bool pli_sweep_find(pli_broad *broad)
{
    pli_broad_sweep *sweep = &broad->sweep;
    if (!reserve(broad)) {
        return false;
    }
    /* From here on the lists are in between; a failure leaves them to be made from nothing. */
    sort_outcome outcome = broad->sweep_is_valid ? update(broad) : TOO_MANY_SWAPS;
    broad->sweep_is_valid = false;
    if (outcome == TOO_MANY_SWAPS) {
        outcome = find_from_nothing(broad) ? SORTED : NO_MEMORY;
    }
    if (outcome != SORTED) {
        return false;
    }
    memcpy(sweep->seen.data, broad->boxes.data, broad->slot_count * sizeof *broad->boxes.data);
    broad->sweep_is_valid = true;
    broad->answer = &sweep->pairs;
    return true;
}
