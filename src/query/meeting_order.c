#include "meeting_order.h"

#include "geometry/moving_features.h"
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

static pli_timed_pair timed_pair(const pli_meeting_list *list, uint64_t i)
{
    pliant_pair pair = list->pairs[i];
    return (pli_timed_pair){
        {list->sweep[0], list->sweep[1]}, (uint64_t)pair.a << 32 | pair.b, &list->meetings[i]};
}

/* Whether meeting i is strictly earlier than meeting j. */
static bool is_earlier(const pli_meeting_list *list, uint64_t i, uint64_t j)
{
    const pliant_meeting_time *s = &list->meetings[i].time, *t = &list->meetings[j].time;
    if (s->high < t->low || t->high < s->low) {
        return s->high < t->low; /* most are, and need no call */
    }
    pli_timed_pair a = timed_pair(list, i), b = timed_pair(list, j);
    return pli_compare_meetings(&a, &b) < 0;
}

/* Merges two neighbouring runs; of equal ones the left comes first. */
static void merge(const pli_meeting_list *list, const uint64_t *from, uint64_t *to, size_t left,
                  size_t middle, size_t right)
{
    size_t i = left, j = middle;
    for (size_t k = left; k < right; k++) {
        bool takes_right = i == middle || (j < right && is_earlier(list, from[j], from[i]));
        to[k] = takes_right ? from[j++] : from[i++];
    }
}

/* A merge sort of numbers of meetings; returns which of the two arrays they end up in. */
static uint64_t *sort(const pli_meeting_list *list, uint64_t *order, uint64_t *scratch,
                      size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t left = 0; left < count; left += 2 * width) {
            size_t middle = left + width < count ? left + width : count;
            size_t right = left + 2 * width < count ? left + 2 * width : count;
            merge(list, order, scratch, left, middle, right);
        }
        uint64_t *done = scratch;
        scratch = order;
        order = done;
    }
    return order;
}

/* The numbers of meetings in order, in list->order. Those at time 0 are earlier than all others. */
static void order_by_time(const pli_meeting_list *list, size_t count)
{
    uint64_t *order = list->order;
    size_t starts = 0, others = count;
    for (size_t i = count; i-- > 0;) { /* of equal times, the order of pairs */
        if (list->meetings[i].time.high > 0.0) {
            order[--others] = i;
        }
    }
    const uint64_t *sorted =
        sort(list, order + others, list->order_scratch + others, count - others);
    memmove(order + others, sorted, (count - others) * sizeof *order);
    for (size_t i = 0; i < count; i++) {
        if (list->meetings[i].time.high == 0.0) {
            order[starts++] = i;
        }
    }
}

void pli_order_meeting_list(const pli_meeting_list *list, size_t count)
{
    order_by_time(list, count);
    for (size_t i = 0; i < count; i++) {
        list->meeting_scratch[i] = list->meetings[list->order[i]];
        list->pair_scratch[i] = list->pairs[list->order[i]];
    }
    memcpy(list->meetings, list->meeting_scratch, count * sizeof *list->meetings);
    memcpy(list->pairs, list->pair_scratch, count * sizeof *list->pairs);
}

bool pli_order_meetings(pliant_query *query, pliant_body *const sweep[2])
{
    size_t count = query->keys.count;
    const pli_column_arrays *column = &query->columns[PLI_MEETINGS];
    pliant_context *context = query->context;
    if (count < 2) {
        return true;
    }
    if (!PLI_RESERVE(context, &query->order, count) ||
        !PLI_RESERVE(context, &query->order_scratch, count) ||
        !PLI_RESERVE(context, &query->key_scratch, count)) {
        return false;
    }
    pli_meeting_list list = {{sweep[0], sweep[1]},
                             (pliant_pair *)(void *)query->keys.data,
                             (pliant_pair *)(void *)query->key_scratch.data,
                             column->sorted.data,
                             column->found.data,
                             query->order.data,
                             query->order_scratch.data};
    pli_order_meeting_list(&list, count);
    return true;
}
