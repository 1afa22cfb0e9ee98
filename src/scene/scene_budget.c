/* Pairs of bodies whose budget was spent before they were compared to the end. */
#include "scene_contacts.h"

#include "base/sort.h"

/* Lists the numbers of the pairs that workers have noted in c->order, ascending; several workers
   may have noted one that they shared. */
static pliant_result order_over_budget(const pliant_scene *scene, pli_collection *c, size_t *count)
{
    size_t all = 0;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        all += scene->workers[w].over_budget.count;
    }
    *count = 0;
    if (!PLI_RESERVE(scene->context, &c->order, all) ||
        !PLI_RESERVE(scene->context, &c->order_scratch, all)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        for (size_t i = 0; i < scene->workers[w].over_budget.count; i++) {
            c->order.data[(*count)++] = scene->workers[w].over_budget.data[i];
        }
    }
    pli_sort_keys(c->order.data, c->order_scratch.data, NULL, NULL, all);
    return PLIANT_OK;
}

pliant_result pli_scene_mark_over_budget(pliant_scene *scene, pli_collection *c, bool *complete)
{
    size_t count = 0, at = 0;
    pliant_result result = order_over_budget(scene, c, &count);
    const uint64_t *spent = c->order.data;
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        while (at < c->parts.count && c->parts.data[at].pair < spent[i]) {
            at++;
        }
        bool again = i > 0 && spent[i - 1] == spent[i];
        if (at < c->parts.count && c->parts.data[at].pair == spent[i]) {
            c->parts.data[at].complete = false;
        } else if (!again &&
                   !PLI_PUSH(scene->context, &scene->over_budget, scene->pairs[spent[i]])) {
            result = PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    *complete = count == 0;
    return result;
}

pliant_result pli_scene_name_undecided(pliant_scene *scene)
{
    if (!PLI_RESERVE(scene->context, &scene->undecided, scene->over_budget.count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < scene->over_budget.count; i++) {
        scene->undecided.data[i] = pli_scene_name_pair(scene, scene->over_budget.data[i]);
        scene->undecided.data[i].complete = false;
    }
    return PLIANT_OK;
}
