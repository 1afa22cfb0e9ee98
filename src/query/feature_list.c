#include "feature_list.h"

#include "base/sort.h"

void pli_feature_lists_clear(pli_feature_lists *lists)
{
    for (int i = 0; i < PLI_FEATURE_KINDS; i++) {
        lists->kind[i].count = 0;
    }
}

static bool reserve(pliant_context *context, pli_feature_list *list)
{
    uint64_t *keys =
        pli_grow(context, list->keys, &list->key_capacity, list->count + 1, sizeof *keys);
    list->keys = keys != NULL ? keys : list->keys;
    pliant_feature_pair *found =
        pli_grow(context, list->found, &list->found_capacity, list->count + 1, sizeof *found);
    list->found = found != NULL ? found : list->found;
    return keys != NULL && found != NULL;
}

pliant_feature_pair *pli_feature_lists_add(pliant_context *context, pli_feature_lists *lists,
                                           pliant_feature_kind kind, uint32_t a, uint32_t b)
{
    pli_feature_list *list = &lists->kind[kind];
    bool full = list->count >= list->key_capacity || list->count >= list->found_capacity;
    if (full && !reserve(context, list)) {
        return NULL;
    }
    list->keys[list->count] = (uint64_t)a << 32 | b;
    pliant_feature_pair *pair = &list->found[list->count++];
    pair->kind = kind;
    pair->a = a;
    pair->b = b;
    return pair;
}

/* Sorts one list to where it belongs. */
static void sort_list(const pli_feature_list *list, uint64_t *scratch, pliant_feature_pair *sorted)
{
    size_t count = list->count;
    uint64_t *order = scratch + count;
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
    }
    pli_sort_keys(list->keys, scratch, order, scratch + 2 * count, count);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = list->found[order[i]];
    }
}

pliant_result pli_feature_lists_sort(pliant_context *context, pli_feature_lists *lists,
                                     uint64_t *count)
{
    size_t total = 0, most = 0;
    for (int i = 0; i < PLI_FEATURE_KINDS; i++) {
        size_t here = lists->kind[i].count;
        total += here;
        most = here > most ? here : most;
    }
    *count = total;
    if (total == 0) {
        return PLIANT_OK;
    }
    pliant_feature_pair *sorted =
        pli_grow(context, lists->sorted, &lists->sorted_capacity, total, sizeof *sorted);
    lists->sorted = sorted != NULL ? sorted : lists->sorted;
    uint64_t *scratch =
        pli_grow(context, lists->scratch, &lists->scratch_capacity, 3 * most, sizeof *scratch);
    lists->scratch = scratch != NULL ? scratch : lists->scratch;
    if (sorted == NULL || scratch == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < PLI_FEATURE_KINDS; i++) {
        sort_list(&lists->kind[i], scratch, sorted);
        sorted += lists->kind[i].count;
    }
    return PLIANT_OK;
}

void pli_feature_lists_release(pliant_context *context, pli_feature_lists *lists)
{
    for (int i = 0; i < PLI_FEATURE_KINDS; i++) {
        pli_feature_list *list = &lists->kind[i];
        pli_release(context, list->keys, list->key_capacity * sizeof *list->keys);
        pli_release(context, list->found, list->found_capacity * sizeof *list->found);
    }
    pli_release(context, lists->sorted, lists->sorted_capacity * sizeof *lists->sorted);
    pli_release(context, lists->scratch, lists->scratch_capacity * sizeof *lists->scratch);
}

uint64_t pli_feature_lists_bytes(const pli_feature_lists *lists)
{
    uint64_t bytes = lists->sorted_capacity * sizeof *lists->sorted +
                     lists->scratch_capacity * sizeof *lists->scratch;
    for (int i = 0; i < PLI_FEATURE_KINDS; i++) {
        const pli_feature_list *list = &lists->kind[i];
        bytes +=
            list->key_capacity * sizeof *list->keys + list->found_capacity * sizeof *list->found;
    }
    return bytes;
}
