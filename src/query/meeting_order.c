/*
 * Meetings are sorted by the lower bounds of their times. That settles the order of all but chains:
 * runs of meetings each of which overlaps the times before it. The meetings of a chain fall into
 * classes of copies (geometry/moving_key.h), which meet at one time, so only one meeting per class
 * is compared exactly. A chain is written back once it is finished: a budget that ends in it leaves
 * it and all later ones in the order of the lower bounds.
 */
#include "meeting_order.h"

#include "base/clock.h"
#include "base/context.h"
#include "base/sort.h"
#include "geometry/moving_features.h"
#include "geometry/moving_key.h"
#include "geometry/moving_triangles.h"

#include <string.h>

void pli_read_moving_triangle(const pliant_body *sweep, uint32_t triangle,
                              pliant_moving_triangle *moving)
{
    for (size_t c = 0; c < 3; c++) {
        uint32_t vertex = sweep->shape->triangles[3 * (size_t)triangle + c];
        pli_body_vertex(sweep->ends[0], vertex, moving->corner[c].start);
        pli_body_vertex(sweep->ends[1], vertex, moving->corner[c].end);
    }
}

/* Whether features are known to meet at a time that a double is. */
static bool is_exact(const pliant_meeting_time *time)
{
    return time->low == time->high;
}

void pli_find_meeting_points(const pli_timed_pair *pair, pliant_moving_triangle triangle[2],
                             pli_moving_points *points)
{
    pli_read_moving_triangle(pair->sweep[0], (uint32_t)(pair->key >> 32), &triangle[0]);
    pli_read_moving_triangle(pair->sweep[1], (uint32_t)pair->key, &triangle[1]);
    pli_meeting_points(&triangle[0], &triangle[1], pair->meeting, points);
}

int pli_compare_meetings(const pli_timed_pair *a, const pli_timed_pair *b)
{
    const pliant_meeting_time *s = &a->meeting->time, *t = &b->meeting->time;
    if (s->high < t->low || t->high < s->low) {
        return s->high < t->low ? -1 : 1;
    }
    if (is_exact(s) && is_exact(t)) {
        return 0;
    }
    /* Times 0 and 1 are always given as they are; times in doubt are between them, of features. */
    if (is_exact(s) && (s->low == 0.0 || s->low == 1.0)) {
        return s->low == 0.0 ? -1 : 1;
    }
    if (is_exact(t) && (t->low == 0.0 || t->low == 1.0)) {
        return t->low == 0.0 ? 1 : -1;
    }
    pliant_moving_triangle of_a[2], of_b[2];
    pli_moving_points points_a, points_b;
    pli_find_meeting_points(a, of_a, &points_a);
    pli_find_meeting_points(b, of_b, &points_b);
    return pli_moving_compare(&points_a, s, &points_b, t);
}

/* Meetings of two sweeps with their pairs, and scratch for as many. */
typedef struct meeting_list {
    pli_ordering *how;
    pliant_pair *pairs, *pair_scratch;
    pliant_meeting *meetings, *meeting_scratch;
    uint64_t *order, *order_scratch;
} meeting_list;

static pli_timed_pair timed_pair(const meeting_list *list, uint64_t i)
{
    pliant_pair pair = list->pairs[i];
    return (pli_timed_pair){{list->how->sweep[0], list->how->sweep[1]},
                            (uint64_t)pair.a << 32 | pair.b,
                            &list->meetings[i]};
}

enum { FEW = 8 }; /* meetings of a short chain */

/* A chain: meetings by number, and scratch arrays that have room for all of them. */
typedef struct chain {
    meeting_list *list;
    size_t count;
    uint64_t *meeting, *hash, *class_of, *scratch;
    uint64_t *first; /* by class: its first meeting */
    bool spent;
} chain;

/* The key of features; of a time that is a double, that double. */
static void set_key(const meeting_list *list, uint64_t i, pli_moving_key *key)
{
    const pliant_meeting_time *time = &list->meetings[i].time;
    if (is_exact(time)) {
        *key = (pli_moving_key){.part[0][0][0][0] = time->low, .edges = 2};
        return;
    }
    pli_timed_pair pair = timed_pair(list, i);
    pliant_moving_triangle triangle[2];
    pli_moving_points points;
    pli_find_meeting_points(&pair, triangle, &points);
    pli_moving_key_set(key, &points);
}

static bool are_copies(const meeting_list *list, uint64_t i, uint64_t j)
{
    pli_moving_key a, b;
    set_key(list, i, &a);
    set_key(list, j, &b);
    return pli_moving_key_equal(&a, &b);
}

/* The same as find_classes() for a short chain: each key is made once. */
static size_t find_few_classes(chain *c)
{
    pli_moving_key key[FEW];
    size_t classes = 0;
    for (size_t i = 0; i < c->count; i++) {
        size_t k = 0;
        set_key(c->list, c->meeting[i], &key[classes]);
        while (k < classes && !pli_moving_key_equal(&key[k], &key[classes])) {
            k++;
        }
        c->class_of[i] = k;
        if (k == classes) {
            c->first[classes++] = c->meeting[i];
        }
    }
    return classes;
}

/* Numbers the classes of a chain; within each, meetings ascend. Returns the number of classes. */
static size_t find_classes(chain *c)
{
    size_t classes = 0;
    pli_sort_keys(c->meeting, c->scratch, NULL, NULL, c->count);
    if (c->count <= FEW) {
        return find_few_classes(c);
    }
    for (size_t i = 0; i < c->count; i++) {
        pli_moving_key key;
        set_key(c->list, c->meeting[i], &key);
        c->hash[i] = pli_moving_key_hash(&key);
    }
    pli_sort_keys(c->hash, c->scratch, c->meeting, c->class_of, c->count);
    for (size_t i = 0; i < c->count; i++) {
        bool same = i > 0 && c->hash[i] == c->hash[i - 1] &&
                    are_copies(c->list, c->first[classes - 1], c->meeting[i]);
        if (!same) {
            c->first[classes++] = c->meeting[i];
        }
        c->class_of[i] = classes - 1;
    }
    return classes;
}

/* The sign of the time of one class minus that of another; 0 once the budget is spent. */
static int compare_classes(chain *c, uint64_t i, uint64_t j)
{
    meeting_list *list = c->list;
    pli_timed_pair a = timed_pair(list, c->first[i]), b = timed_pair(list, c->first[j]);
    const pliant_meeting_time *s = &a.meeting->time, *t = &b.meeting->time;
    if (s->high < t->low || t->high < s->low) {
        return s->high < t->low ? -1 : 1;
    }
    c->spent = c->spent || list->how->compared >= list->how->most_compared ||
               (list->how->deadline > 0.0 && pli_seconds() >= list->how->deadline);
    list->how->compared += !c->spent;
    return c->spent ? 0 : pli_compare_meetings(&a, &b);
}

/* A merge sort of classes; returns which of the two arrays they end up in. */
static uint64_t *sort_classes(chain *c, uint64_t *order, uint64_t *scratch, size_t count)
{
    for (size_t width = 1; width < count && !c->spent; width *= 2) {
        for (size_t left = 0; left < count; left += 2 * width) {
            size_t middle = left + width < count ? left + width : count;
            size_t right = left + 2 * width < count ? left + 2 * width : count;
            size_t i = left, j = middle;
            for (size_t k = left; k < right; k++) {
                bool takes_right =
                    i == middle || (j < right && compare_classes(c, order[j], order[i]) < 0);
                scratch[k] = takes_right ? order[j++] : order[i++];
            }
        }
        uint64_t *done = scratch;
        scratch = order;
        order = done;
    }
    return order;
}

/* Sorts meetings by the rank of their class, and of equal ranks by number. */
static void sort_by_rank(chain *c, size_t classes)
{
    uint64_t *order = c->hash;
    for (size_t k = 0; k < classes; k++) {
        order[k] = k;
    }
    order = sort_classes(c, order, c->scratch, classes);
    uint64_t *rank = order == c->hash ? c->scratch : c->hash;
    for (size_t k = 0, at = 0; k < classes && !c->spent; k++) {
        at += k > 0 && compare_classes(c, order[k - 1], order[k]) < 0;
        rank[order[k]] = at;
    }
    for (size_t i = 0; i < c->count && !c->spent; i++) {
        c->class_of[i] = rank[c->class_of[i]];
    }
    if (!c->spent) {
        pli_sort_keys(c->meeting, c->hash, c->class_of, c->scratch, c->count);
        pli_sort_keys(c->class_of, c->hash, c->meeting, c->scratch, c->count);
    }
}

/* Puts a chain of the order in the order of exact times; false if the budget ends in it. */
static bool order_chain(meeting_list *list, size_t begin, size_t count)
{
    _Static_assert(sizeof(pliant_meeting) >= 3 * sizeof(uint64_t), "scratch is large enough");
    uint64_t *room = (uint64_t *)(void *)(list->meeting_scratch + begin);
    chain c = {.list = list,
               .count = count,
               .meeting = room,
               .hash = room + count,
               .class_of = room + 2 * count,
               .scratch = list->order_scratch + begin,
               .first = (uint64_t *)(void *)(list->pair_scratch + begin)};
    memcpy(c.meeting, list->order + begin, count * sizeof *c.meeting);
    size_t classes = find_classes(&c);
    if (classes > 1) {
        sort_by_rank(&c, classes);
    }
    if (!c.spent) {
        memcpy(list->order + begin, c.meeting, count * sizeof *c.meeting);
    }
    return !c.spent;
}

/* Orders chains from the earliest on, in meetings that are sorted by the lower bounds of times. */
static bool order_chains(meeting_list *list, size_t begin, size_t end)
{
    bool complete = true;
    while (begin < end && complete) {
        const pliant_meeting_time *first = &list->meetings[list->order[begin]].time;
        double high = first->high;
        bool exact = is_exact(first);
        size_t next = begin + 1;
        for (; next < end; next++) {
            const pliant_meeting_time *time = &list->meetings[list->order[next]].time;
            if (time->low > high) {
                break;
            }
            high = time->high > high ? time->high : high;
            exact = exact && is_exact(time);
        }
        complete = exact || next - begin == 1 || order_chain(list, begin, next - begin);
        begin = next;
    }
    return complete;
}

/* The bits of a double that is not negative have its order. */
static uint64_t order_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The numbers of meetings in order, in list->order. Those at time 0 are earlier than all others. */
static bool order_by_time(meeting_list *list, size_t count)
{
    uint64_t *order = list->order, *low = (uint64_t *)(void *)list->meeting_scratch;
    size_t starts = 0, others;
    for (size_t i = 0; i < count; i++) {
        if (list->meetings[i].time.high == 0.0) {
            order[starts++] = i;
        }
    }
    others = starts;
    for (size_t i = 0; i < count && starts < count; i++) { /* of equal times, the order of pairs */
        if (list->meetings[i].time.high > 0.0) {
            low[others] = order_bits(list->meetings[i].time.low);
            order[others++] = i;
        }
    }
    pli_sort_keys(low + starts, low + count, order + starts, list->order_scratch + starts,
                  count - starts);
    return order_chains(list, starts, count);
}

bool pli_order_part(pli_ordering *ordering, const pli_collection *c, const pli_pair_results *part)
{
    uint64_t at = part->first;
    size_t count = (size_t)part->count;
    meeting_list list = {
        .how = ordering,
        .pairs = (pliant_pair *)(void *)(c->found + at),
        .pair_scratch = (pliant_pair *)(void *)(c->key_scratch.data + at),
        .meetings = (pliant_meeting *)c->column[PLI_MEETINGS].data + at,
        .meeting_scratch = (pliant_meeting *)c->column_scratch.data + at,
        .order = c->order.data + at,
        .order_scratch = c->order_scratch.data + at,
    };
    ordering->compared = 0;
    bool complete = order_by_time(&list, count);
    for (size_t i = 0; i < count; i++) {
        list.meeting_scratch[i] = list.meetings[list.order[i]];
        list.pair_scratch[i] = list.pairs[list.order[i]];
    }
    memcpy(list.meetings, list.meeting_scratch, count * sizeof *list.meetings);
    memcpy(list.pairs, list.pair_scratch, count * sizeof *list.pairs);
    return complete;
}
