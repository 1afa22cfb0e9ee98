/* Answers of all ranks together on rank 0: lists that are sorted on each rank are merged. */
#include "scene.h"

#include <stdio.h>
#include <string.h>

static pli_mpi_outcome out_of_memory(pliant_mpi_scene *scene)
{
    return pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
}

/* -------------------------------------------------------------------- merging */

/* What is left of the list of one rank; its elements begin with two ids. */
typedef struct sorted_list {
    const char *next;
    uint64_t left;
    int rank;
} sorted_list;

typedef struct list_heap {
    sorted_list *lists;
    int count;
    size_t size; /* of an element */
} list_heap;

static bool comes_first(const sorted_list *x, const sorted_list *y)
{
    uint64_t a[2], b[2];
    memcpy(a, x->next, sizeof a);
    memcpy(b, y->next, sizeof b);
    return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

static void sift_down(list_heap *heap, int at)
{
    for (int child = 2 * at + 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && comes_first(&heap->lists[child + 1], &heap->lists[child])) {
            child++;
        }
        if (!comes_first(&heap->lists[child], &heap->lists[at])) {
            return;
        }
        sorted_list swapped = heap->lists[at];
        heap->lists[at] = heap->lists[child];
        heap->lists[child] = swapped;
        at = child;
    }
}

static void start_heap(list_heap *heap)
{
    int kept = 0;
    for (int i = 0; i < heap->count; i++) {
        if (heap->lists[i].left > 0) {
            heap->lists[kept++] = heap->lists[i];
        }
    }
    heap->count = kept;
    for (int i = kept / 2 - 1; i >= 0; i--) {
        sift_down(heap, i);
    }
}

/* Goes on behind the first element of all. */
static void advance(list_heap *heap)
{
    heap->lists[0].next += heap->size;
    if (--heap->lists[0].left == 0) {
        heap->lists[0] = heap->lists[--heap->count];
    }
    sift_down(heap, 0);
}

/* ------------------------------------------------------------------- messages */

/* The arrays of an answer, each with the size of its elements; what is not there has size 0. */
enum { MOST_ARRAYS = 3 };

typedef struct answer_parts {
    const pliant_mpi_pair *bodies;
    uint64_t body_count, count;
    const void *array[MOST_ARRAYS];
    size_t size[MOST_ARRAYS];
} answer_parts;

static size_t padded(uint64_t size)
{
    return ((size_t)size + 7) / 8 * 8;
}

/* Both counts, then everything else, to rank 0. */
static pli_mpi_outcome write_answer(pliant_mpi_scene *scene, const answer_parts *answer)
{
    const uint64_t head[2] = {answer->body_count, answer->count};
    size_t bodies = pli_mpi_bytes_of(answer->body_count, sizeof *answer->bodies);
    size_t size = sizeof head + bodies;
    for (int k = 0; k < MOST_ARRAYS; k++) {
        size += padded(answer->count * answer->size[k]);
    }
    char *out = pli_mpi_resize(scene->context, &scene->out, size);
    if (out == NULL) {
        return out_of_memory(scene);
    }
    memset(scene->out_sizes, 0, (size_t)scene->size * sizeof *scene->out_sizes);
    scene->out_sizes[0] = size;
    memcpy(out, head, sizeof head);
    out += sizeof head;
    if (bodies > 0) {
        memcpy(out, answer->bodies, bodies);
        out += bodies;
    }
    for (int k = 0; k < MOST_ARRAYS; k++) {
        size_t part = (size_t)answer->count * answer->size[k];
        if (part > 0) {
            memset(out + padded(part) - 8, 0, 8);
            memcpy(out, answer->array[k], part);
            out += padded(part);
        }
    }
    return PLI_MPI_FINE;
}

/* Where the arrays of a rank's answer are in what came from it. */
static answer_parts read_answer(const char *bytes, const answer_parts *like)
{
    answer_parts answer = *like;
    uint64_t head[2];
    memcpy(head, bytes, sizeof head);
    answer.body_count = head[0];
    answer.count = head[1];
    answer.bodies = (const pliant_mpi_pair *)(const void *)(bytes + sizeof head);
    bytes += sizeof head + (size_t)head[0] * sizeof *answer.bodies;
    for (int k = 0; k < MOST_ARRAYS; k++) {
        answer.array[k] = bytes;
        bytes += padded(answer.count * answer.size[k]);
    }
    return answer;
}

/* Rank 0: the merged list in `list`, its arrays in `arrays`; *all says what it is. */
static pli_mpi_outcome merge(pliant_mpi_scene *scene, const answer_parts *like, pli_mpi_bytes *list,
                             pli_mpi_bytes *const arrays[MOST_ARRAYS], answer_parts *all)
{
    size_t ranks = (size_t)scene->size;
    answer_parts *parts = pli_mpi_resize(scene->context, &scene->spare, ranks * sizeof *parts);
    list_heap heap = {.lists =
                          pli_mpi_resize(scene->context, &scene->old, ranks * sizeof *heap.lists),
                      .count = scene->size,
                      .size = sizeof(pliant_mpi_pair)};
    if (parts == NULL || heap.lists == NULL) {
        return out_of_memory(scene);
    }
    const char *from = scene->in.data;
    *all = *like;
    all->body_count = all->count = 0;
    for (int r = 0; r < scene->size; r++) {
        parts[r] = read_answer(from, like);
        from += scene->in_sizes[r];
        heap.lists[r] = (sorted_list){(const char *)parts[r].bodies, parts[r].body_count, r};
        all->body_count += parts[r].body_count;
        all->count += parts[r].count;
    }
    pliant_mpi_pair *bodies =
        pli_mpi_resize(scene->context, list, pli_mpi_bytes_of(all->body_count, sizeof *bodies));
    bool done = bodies != NULL;
    for (int k = 0; k < MOST_ARRAYS && done; k++) {
        all->array[k] = like->size[k] > 0
                            ? pli_mpi_resize(scene->context, arrays[k],
                                             pli_mpi_bytes_of(all->count, like->size[k]))
                            : NULL;
        done = like->size[k] == 0 || all->array[k] != NULL;
    }
    if (!done) {
        return out_of_memory(scene);
    }
    all->bodies = bodies;
    start_heap(&heap);
    for (uint64_t first = 0; heap.count > 0; bodies++) {
        const answer_parts *part = &parts[heap.lists[0].rank];
        memcpy(bodies, heap.lists[0].next, sizeof *bodies);
        for (int k = 0; k < MOST_ARRAYS; k++) {
            if (like->size[k] > 0) {
                memcpy(arrays[k]->data + first * like->size[k],
                       (const char *)part->array[k] + bodies->first * like->size[k],
                       (size_t)bodies->count * like->size[k]);
            }
        }
        bodies->first = first;
        first += bodies->count;
        advance(&heap);
    }
    return PLI_MPI_FINE;
}

/* ---------------------------------------------------------------------- calls */

/* Fails unless the latest question was `answered`. */
static pli_mpi_outcome check_answered(pliant_mpi_scene *scene, pli_mpi_call answered,
                                      const void *all, const char *name)
{
    pliant_result result = PLIANT_OK;
    char sentence[128];
    if (all == NULL) {
        snprintf(sentence, sizeof sentence, "%s: there is nowhere to put it", name);
        result = pliant_fail(PLIANT_ERROR_ARGUMENT, sentence);
    } else if (scene->answered != answered) {
        snprintf(sentence, sizeof sentence, "%s: the latest question was another, or failed", name);
        result = pliant_fail(PLIANT_ERROR_STATE, sentence);
    }
    return result == PLIANT_OK ? PLI_MPI_FINE : pli_mpi_failure(scene, result, PLI_MPI_NOBODY);
}

static pliant_result gather_answer(pliant_mpi_scene *scene, const answer_parts *own,
                                   answer_parts *all)
{
    pli_mpi_bytes *const arrays[MOST_ARRAYS] = {&scene->all_triangles, &scene->all_segments,
                                                &scene->all_separations};
    pliant_result result = pli_mpi_deal(scene, write_answer(scene, own), &scene->out, &scene->in);
    *all = (answer_parts){.body_count = 0};
    if (result != PLIANT_OK) {
        return result;
    }
    pli_mpi_outcome outcome =
        scene->rank == 0 ? merge(scene, own, &scene->all_pairs, arrays, all) : PLI_MPI_FINE;
    return pli_mpi_agree(scene, outcome, NULL);
}

pliant_result pliant_mpi_scene_gather_contacts(pliant_mpi_scene *scene, pliant_mpi_contacts *all)
{
    if (scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT,
                           "pliant_mpi_scene_gather_contacts: scene is NULL");
    }
    pliant_result result =
        pli_mpi_begin(scene, PLI_MPI_GATHER_CONTACTS, 0,
                      check_answered(scene, PLI_MPI_COLLIDE, all, "gather_contacts"), NULL);
    if (result != PLIANT_OK) {
        return result;
    }
    const pliant_mpi_contacts *own = &scene->contacts;
    answer_parts parts = {.bodies = own->bodies,
                          .body_count = own->body_pair_count,
                          .count = own->count,
                          .array = {own->pairs, own->segments, own->separations},
                          .size = {sizeof *own->pairs,
                                   own->segments != NULL ? sizeof *own->segments : 0,
                                   own->separations != NULL ? sizeof *own->separations : 0}};
    answer_parts found;
    result = gather_answer(scene, &parts, &found);
    if (result == PLIANT_OK) {
        *all = (pliant_mpi_contacts){.bodies = found.bodies,
                                     .body_pair_count = found.body_count,
                                     .pairs = found.array[0],
                                     .segments = found.array[1],
                                     .separations = found.array[2],
                                     .count = found.count};
    }
    return result;
}

pliant_result pliant_mpi_scene_gather_proximities(pliant_mpi_scene *scene,
                                                  pliant_mpi_proximities *all)
{
    if (scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT,
                           "pliant_mpi_scene_gather_proximities: scene is NULL");
    }
    pliant_result result =
        pli_mpi_begin(scene, PLI_MPI_GATHER_PROXIMITIES, 0,
                      check_answered(scene, PLI_MPI_FIND_WITHIN, all, "gather_proximities"), NULL);
    if (result != PLIANT_OK) {
        return result;
    }
    const pliant_mpi_proximities *own = &scene->proximities;
    answer_parts parts = {.bodies = own->bodies,
                          .body_count = own->body_pair_count,
                          .count = own->count,
                          .array = {own->pairs},
                          .size = {sizeof *own->pairs}};
    answer_parts found;
    result = gather_answer(scene, &parts, &found);
    if (result == PLIANT_OK) {
        *all = (pliant_mpi_proximities){.bodies = found.bodies,
                                        .body_pair_count = found.body_count,
                                        .pairs = found.array[0],
                                        .count = found.count};
    }
    return result;
}

/* --------------------------------------------------------------------- events */

static pli_mpi_outcome write_events(pliant_mpi_scene *scene)
{
    size_t size = (size_t)scene->event_count * sizeof(pliant_mpi_event);
    char *out = pli_mpi_resize(scene->context, &scene->out, size);
    if (out == NULL) {
        return out_of_memory(scene);
    }
    if (size > 0) {
        memcpy(out, scene->events.data, size);
    }
    memset(scene->out_sizes, 0, (size_t)scene->size * sizeof *scene->out_sizes);
    scene->out_sizes[0] = size;
    return PLI_MPI_FINE;
}

static pli_mpi_outcome merge_events(pliant_mpi_scene *scene)
{
    pliant_mpi_event *events = pli_mpi_resize(scene->context, &scene->all_events, scene->in.count);
    list_heap heap = {.lists = pli_mpi_resize(scene->context, &scene->old,
                                              (size_t)scene->size * sizeof *heap.lists),
                      .count = scene->size,
                      .size = sizeof *events};
    if (events == NULL || heap.lists == NULL) {
        return out_of_memory(scene);
    }
    const char *from = scene->in.data;
    for (int r = 0; r < scene->size; r++) {
        heap.lists[r] = (sorted_list){from, scene->in_sizes[r] / sizeof *events, r};
        from += scene->in_sizes[r];
    }
    for (start_heap(&heap); heap.count > 0; advance(&heap)) {
        memcpy(events++, heap.lists[0].next, sizeof *events);
    }
    return PLI_MPI_FINE;
}

pliant_result pliant_mpi_scene_gather_events(pliant_mpi_scene *scene,
                                             const pliant_mpi_event **events, uint64_t *count)
{
    if (scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, "pliant_mpi_scene_gather_events: scene is NULL");
    }
    pli_mpi_outcome outcome = PLI_MPI_FINE;
    if (events == NULL || count == NULL) {
        pliant_fail(PLIANT_ERROR_ARGUMENT, "gather_events: there is nowhere to put them");
        outcome = pli_mpi_failure(scene, PLIANT_ERROR_ARGUMENT, PLI_MPI_NOBODY);
    }
    pliant_result result = pli_mpi_begin(scene, PLI_MPI_GATHER_EVENTS, 0, outcome, NULL);
    if (result == PLIANT_OK) {
        result = pli_mpi_deal(scene, write_events(scene), &scene->out, &scene->in);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    outcome = scene->rank == 0 ? merge_events(scene) : PLI_MPI_FINE;
    result = pli_mpi_agree(scene, outcome, NULL);
    if (result == PLIANT_OK) {
        *count = scene->rank == 0 ? scene->in.count / sizeof **events : 0;
        *events =
            *count > 0 ? (const pliant_mpi_event *)(const void *)scene->all_events.data : NULL;
    }
    return result;
}
