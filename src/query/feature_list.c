#include "feature_list.h"

#include "base/sort.h"

void pli_feature_lists_clear(pli_feature_lists *lists)
{
    for (int i = 0; i < PLI_FEATURE_KINDS; i++) {
        lists->kind[i].keys.count = 0;
    }
    lists->sorted.count = 0;
}

pliant_feature_pair *pli_feature_lists_add(pliant_context *context, pli_feature_lists *lists,
                                           pliant_feature_kind kind, uint32_t a, uint32_t b)
{
    pli_feature_list *list = &lists->kind[kind];
    if (!PLI_RESERVE(context, &list->found, list->keys.count + 1) ||
        !PLI_PUSH(context, &list->keys, (uint64_t)a << 32 | b)) {
        return NULL;
    }
    pliant_feature_pair *pair = &list->found.data[list->keys.count - 1];
    pair->kind = kind;
    pair->a = a;
    pair->b = b;
    return pair;
}

/* Sorts one list to where it belongs. */
static void sort_list(const pli_feature_list *list, uint64_t *scratch, pliant_feature_pair *sorted)
{
    size_t count = list->keys.count;
    uint64_t *order = scratch + count;
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
    }
    pli_sort_keys(list->keys.data, scratch, order, scratch + 2 * count, count);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = list->found.data[order[i]];
    }
}

pliant_result pli_feature_lists_sort(pliant_context *context, pli_feature_lists *lists,
                                     uint64_t *count)
{
    size_t total = 0, most = 0;
    for (int i = 0; i < PLI_FEATURE_KINDS; i++) {
        size_t here = lists->kind[i].keys.count;
        total += here;
        most = here > most ? here : most;
    }
    *count = total;
    if (total == 0) {
        return PLIANT_OK;
    }
    if (!PLI_RESERVE(context, &lists->sorted, lists->sorted.count + total) ||
        !PLI_RESERVE(context, &lists->scratch, 3 * most)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < PLI_FEATURE_KINDS; i++) {
        pli_feature_list *list = &lists->kind[i];
        sort_list(list, lists->scratch.data, lists->sorted.data + lists->sorted.count);
        lists->sorted.count += list->keys.count;
        list->keys.count = 0;
    }
    return PLIANT_OK;
}
