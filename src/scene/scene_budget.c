/* Pairs of bodies whose budget was spent before they were compared to the end. */
#include "scene_contacts.h"

#include "base/sort.h"

pliant_result pli_scene_note_spent(pliant_scene *scene, uint32_t worker, uint32_t pair)
{
    bool done = PLI_PUSH(scene->context, &scene->workers[worker].spent, pair);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Lists the pairs that workers have noted in scene->order, ascending; several workers may have
   noted one that they shared. */
static pliant_result order_spent(pliant_scene *scene, size_t *count)
{
    size_t all = 0;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        all += scene->workers[w].spent.count;
    }
    *count = 0;
    if (!PLI_RESERVE(scene->context, &scene->order, all) ||
        !PLI_RESERVE(scene->context, &scene->order_scratch, all)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        for (size_t i = 0; i < scene->workers[w].spent.count; i++) {
            scene->order.data[(*count)++] = scene->pairs[scene->workers[w].spent.data[i]];
        }
    }
    pli_sort_keys(scene->order.data, scene->order_scratch.data, NULL, NULL, all);
    return PLIANT_OK;
}

pliant_result pli_scene_mark_spent(pliant_scene *scene, bool *complete)
{
    size_t count = 0;
    pliant_result result = order_spent(scene, &count);
    pliant_scene_pair *answer = scene->answer.data;
    uint32_t at = 0, touching = scene->stats.pairs_touching;
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        uint64_t pair = scene->order.data[i];
        while (at < touching && pli_scene_pair_key(answer[at].a, answer[at].b) < pair) {
            at++;
        }
        bool again = i > 0 && scene->order.data[i - 1] == pair;
        if (at < touching && pli_scene_pair_key(answer[at].a, answer[at].b) == pair) {
            answer[at].complete = false;
        } else if (!again && !PLI_PUSH(scene->context, &scene->spent, pair)) {
            result = PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    *complete = count == 0;
    return result;
}

pliant_result pli_scene_name_undecided(pliant_scene *scene)
{
    if (!PLI_RESERVE(scene->context, &scene->undecided, scene->spent.count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < scene->spent.count; i++) {
        scene->undecided.data[i] = pli_scene_name_pair(scene, scene->spent.data[i]);
        scene->undecided.data[i].complete = false;
    }
    return PLIANT_OK;
}
