/*
 * What changed between two questions. Which rank compares a pair may change with every question, so
 * each pair has a registrar, a rank by its lower id, that keeps account of it: who finds that it
 * touches tells its registrar.
 */
#include "scene.h"

#include <string.h>

/* Two ids. */
typedef struct id_pair {
    uint64_t a, b;
} id_pair;

static pli_mpi_outcome out_of_memory(pliant_mpi_scene *scene)
{
    return pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
}

static int registrar_of(const pliant_mpi_scene *scene, uint64_t id)
{
    return (int)(pli_mpi_mix(id) % (uint64_t)scene->size);
}

/* The pairs of the answer, by their registrars. */
static pli_mpi_outcome write_pairs(pliant_mpi_scene *scene)
{
    const pliant_mpi_contacts *answer = &scene->contacts;
    id_pair *out = pli_mpi_resize(scene->context, &scene->out,
                                  pli_mpi_bytes_of(answer->body_pair_count, sizeof *out));
    if (out == NULL) {
        return out_of_memory(scene);
    }
    memset(scene->out_sizes, 0, (size_t)scene->size * sizeof *scene->out_sizes);
    for (uint64_t i = 0; i < answer->body_pair_count; i++) {
        scene->out_sizes[registrar_of(scene, answer->bodies[i].a)] += sizeof *out;
    }
    uint64_t start = 0; /* in_sizes are free: where the pairs for each rank begin */
    for (int r = 0; r < scene->size; r++) {
        scene->in_sizes[r] = start;
        start += scene->out_sizes[r] / sizeof *out;
    }
    for (uint64_t i = 0; i < answer->body_pair_count; i++) {
        const pliant_mpi_pair *pair = &answer->bodies[i];
        out[scene->in_sizes[registrar_of(scene, pair->a)]++] = (id_pair){pair->a, pair->b};
    }
    return PLI_MPI_FINE;
}

bool pli_mpi_sort_pairs(pliant_mpi_scene *scene, uint64_t *pairs, size_t count)
{
    size_t size = pli_mpi_bytes_of(count, sizeof(uint64_t)), half = size / 2;
    uint64_t *keys = pli_mpi_resize(scene->context, &scene->sort_keys, size);
    uint64_t *scratch = pli_mpi_resize(scene->context, &scene->sort_scratch, size);
    uint32_t *numbers = pli_mpi_resize(scene->context, &scene->numbers, half);
    uint32_t *number_scratch = pli_mpi_resize(scene->context, &scene->number_scratch, half);
    uint64_t *sorted = pli_mpi_resize(scene->context, &scene->spare, pli_mpi_bytes_of(count, 16));
    if (keys == NULL || scratch == NULL || numbers == NULL || number_scratch == NULL ||
        sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (uint32_t)i;
    }
    for (int side = 1; side >= 0; side--) { /* by b, and then by a, which leaves equal ones alone */
        for (size_t i = 0; i < count; i++) {
            keys[i] = pairs[2 * (size_t)numbers[i] + (size_t)side];
        }
        pli_mpi_sort(keys, numbers, count, scratch, number_scratch);
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(sorted + 2 * i, pairs + 2 * (size_t)numbers[i], 2 * sizeof *pairs);
    }
    memcpy(pairs, sorted, count * 2 * sizeof *pairs);
    return true;
}

static int compare(const id_pair *x, const id_pair *y)
{
    int order = (x->a > y->a) - (x->a < y->a);
    return order != 0 ? order : (x->b > y->b) - (x->b < y->b);
}

/* Pairs that touch now beside those that did, both ascending. */
static pli_mpi_outcome compare_lists(pliant_mpi_scene *scene)
{
    const id_pair *now = (const id_pair *)(void *)scene->touching.data;
    const id_pair *then = (const id_pair *)(void *)scene->touched.data;
    size_t now_count = scene->touching.count / sizeof *now;
    size_t then_count = scene->touched.count / sizeof *then;
    pliant_mpi_event *events =
        pli_mpi_resize(scene->context, &scene->new_events,
                       pli_mpi_bytes_of((uint64_t)now_count + then_count, sizeof *events));
    if (events == NULL) {
        return out_of_memory(scene);
    }
    size_t i = 0, k = 0, count = 0;
    while (i < now_count || k < then_count) {
        int order = i == now_count ? 1 : k == then_count ? -1 : compare(&now[i], &then[k]);
        const id_pair *pair = order <= 0 ? &now[i] : &then[k];
        events[count++] = (pliant_mpi_event){.a = pair->a,
                                             .b = pair->b,
                                             .touch = order < 0    ? PLIANT_TOUCH_BEGAN
                                                      : order == 0 ? PLIANT_TOUCH_ONGOING
                                                                   : PLIANT_TOUCH_ENDED};
        i += order <= 0;
        k += order >= 0;
    }
    scene->new_events.count = count * sizeof *events;
    return PLI_MPI_FINE;
}

pliant_result pli_mpi_find_events(pliant_mpi_scene *scene, pli_mpi_outcome outcome)
{
    if (outcome.result == PLIANT_OK) {
        outcome = write_pairs(scene);
    }
    pliant_result result = pli_mpi_deal(scene, outcome, &scene->out, &scene->touching);
    if (result != PLIANT_OK) {
        return result;
    }
    outcome = pli_mpi_sort_pairs(scene, (uint64_t *)(void *)scene->touching.data,
                                 scene->touching.count / sizeof(id_pair))
                  ? compare_lists(scene)
                  : out_of_memory(scene);
    return pli_mpi_agree(scene, outcome, NULL);
}

void pli_mpi_keep_events(pliant_mpi_scene *scene)
{
    pli_mpi_bytes touched = scene->touched, events = scene->events;
    scene->touched = scene->touching;
    scene->touching = touched;
    scene->events = scene->new_events;
    scene->new_events = events;
    scene->event_count = scene->events.count / sizeof(pliant_mpi_event);
}

const pliant_mpi_event *pliant_mpi_scene_get_events(const pliant_mpi_scene *scene, uint64_t *count)
{
    uint64_t found = scene != NULL ? scene->event_count : 0;
    if (count != NULL) {
        *count = found;
    }
    return found > 0 ? (const pliant_mpi_event *)(const void *)scene->events.data : NULL;
}
