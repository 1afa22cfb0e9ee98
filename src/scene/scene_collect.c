/* Collecting results of a scene, and naming the pairs of bodies that have some. */
#include "scene.h"

#include "base/context.h"

enum { FEW_PARTS = 1024 }; /* one worker names fewer faster */

pliant_scene_pair pli_scene_name_pair(const pliant_scene *scene, uint64_t pair)
{
    const pli_member *a = &scene->members.data[pli_pair_a(pair)];
    const pli_member *b = &scene->members.data[pli_pair_b(pair)];
    return (pliant_scene_pair){.a = {pli_pair_a(pair), a->generation},
                               .b = {pli_pair_b(pair), b->generation},
                               .user_a = a->def.user,
                               .user_b = b->def.user,
                               .complete = true};
}

typedef struct naming {
    const pliant_scene *scene;
    const pli_collection *c;
    pliant_scene_pair *to;
    uint32_t pieces;
} naming;

static void name_piece(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const naming *all = argument;
    size_t parts = all->c->parts.count, end = parts * (index + 1) / all->pieces;
    for (size_t i = parts * index / all->pieces; i < end; i++) {
        const pli_pair_results *part = &all->c->parts.data[i];
        all->to[i] = pli_scene_name_pair(all->scene, all->scene->pairs[part->pair]);
        all->to[i].first = part->first;
        all->to[i].count = part->count;
        all->to[i].complete = part->complete;
    }
}

pliant_result pli_scene_name_parts(pliant_scene *scene, const pli_collection *c,
                                   pli_scene_answer *answer)
{
    if (!PLI_RESERVE(scene->context, answer, c->parts.count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    scene->stats.pairs_touching = (uint32_t)c->parts.count;
    naming all = {scene, c, answer->data, c->parts.count < FEW_PARTS ? 1 : scene->worker_count};
    return pli_context_run(scene->context, name_piece, &all, all.pieces);
}

/* ---------------------------------------------------------------- collecting */

static pli_collecting of_scene(const pliant_scene *scene, pli_collecting how)
{
    how.context = scene->context;
    how.workers = scene->workers;
    how.worker_count = scene->worker_count;
    how.pair_count = scene->pair_count;
    how.stage = PLIANT_STAGE_SCENE_SORT;
    return how;
}

pliant_result pli_scene_list_results(pliant_scene *scene, pli_collecting how, pli_collection *c)
{
    how = of_scene(scene, how);
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_COLLECT);
    pliant_result result = pli_collect_ranges(&how, c);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_COLLECT);
    return result;
}

pliant_result pli_scene_sort_results(pliant_scene *scene, pli_collecting how, pli_collection *c)
{
    how = of_scene(scene, how);
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_SORT);
    pliant_result result = pli_collect_results(&how, c);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_SORT);
    return result;
}

pliant_result pli_scene_collect(pliant_scene *scene, pli_collecting how, pli_collection *c,
                                pli_scene_answer *answer)
{
    pliant_result result = pli_scene_list_results(scene, how, c);
    if (result == PLIANT_OK) {
        result = pli_scene_sort_results(scene, how, c);
    }
    return result == PLIANT_OK ? pli_scene_name_parts(scene, c, answer) : result;
}
