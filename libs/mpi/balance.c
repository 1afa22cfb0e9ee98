/*
 * Spreading bodies over the ranks by their work: in the order of a Hilbert curve, cut where the
 * work comes out even. Cuts are found by all ranks together, four bits of the place at a time.
 */
#include "balance.h"

#include <math.h>
#include <string.h>

static pli_mpi_outcome out_of_memory(pliant_mpi_scene *scene)
{
    return pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
}

/* ------------------------------------------------------------ along the curve */

static double centre_of(const pliant_box *box, int axis)
{
    return 0.5 * (double)box->lower[axis] + 0.5 * (double)box->upper[axis];
}

/* The range of all centres of finite boxes, of all ranks. */
static void find_range(pliant_mpi_scene *scene, double low[3], double high[3])
{
    const pliant_box *boxes = (const pliant_box *)(void *)scene->boxes.data;
    pli_mpi_head own = {.box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
    for (uint32_t i = 0; i < scene->own_count; i++) {
        for (int k = 0; k < 3; k++) {
            float centre = (float)centre_of(&boxes[i], k);
            if (isfinite(centre)) {
                own.box.lower[k] = fminf(own.box.lower[k], centre);
                own.box.upper[k] = fmaxf(own.box.upper[k], centre);
            }
        }
    }
    pli_mpi_share_heads(scene, &own);
    for (int k = 0; k < 3; k++) {
        low[k] = (double)INFINITY;
        high[k] = -(double)INFINITY;
        for (int r = 0; r < scene->size; r++) {
            low[k] = fmin(low[k], (double)scene->heads[r].box.lower[k]);
            high[k] = fmax(high[k], (double)scene->heads[r].box.upper[k]);
        }
    }
}

/* A place on the curve, and behind it bits of the id, so that bodies in one cell can be parted. */
static uint64_t key_of(const pliant_box *box, uint64_t id, const double low[3],
                       const double high[3])
{
    /* Cells are cubes: one scale for all axes. */
    double width = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    uint32_t cell[3];
    for (int k = 0; k < 3; k++) {
        double share = width > 0.0 ? (centre_of(box, k) - low[k]) / width : 0.0;
        share = share >= 0.0 ? fmin(share, 1.0) : 0.0; /* NaN too, of an endless box */
        cell[k] = (uint32_t)(share * 65535.0);
    }
    return pli_mpi_hilbert(cell) << 16 | pli_mpi_mix(id) >> 48;
}

/* Own bodies along the curve. */
static pli_mpi_outcome sort_bodies(pliant_mpi_scene *scene, pli_mpi_course *course,
                                   const double low[3], const double high[3])
{
    uint32_t count = scene->own_count;
    size_t size = pli_mpi_bytes_of(count, sizeof(uint64_t)), half = size / 2;
    pliant_context *context = scene->context;
    size_t cuts = (size_t)scene->size * sizeof(uint64_t);
    course->keys = pli_mpi_resize(context, &scene->sort_keys, size);
    course->slots = pli_mpi_resize(context, &scene->numbers, half);
    course->sums = pli_mpi_resize(context, &scene->spare, size + sizeof(uint64_t));
    course->cuts = pli_mpi_resize(context, &scene->old, cuts);
    course->probes = pli_mpi_resize(context, &scene->found, PLI_MPI_PROBES * cuts);
    uint64_t *scratch = pli_mpi_resize(context, &scene->sort_scratch, size);
    uint32_t *slot_scratch = pli_mpi_resize(context, &scene->number_scratch, half);
    if (course->keys == NULL || course->slots == NULL || course->sums == NULL ||
        course->cuts == NULL || course->probes == NULL || scratch == NULL || slot_scratch == NULL) {
        return out_of_memory(scene);
    }
    const uint64_t *ids = (const uint64_t *)(void *)scene->ids.data;
    const pliant_body_id *names = (const pliant_body_id *)(void *)scene->names.data;
    const pliant_box *boxes = (const pliant_box *)(void *)scene->boxes.data;
    for (uint32_t i = 0; i < count; i++) {
        course->keys[i] = key_of(&boxes[i], ids[i], low, high);
        course->slots[i] = names[i].index;
    }
    pli_mpi_sort(course->keys, course->slots, count, scratch, slot_scratch);
    course->sums[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        course->sums[i + 1] = course->sums[i] + pli_mpi_slot_at(scene, course->slots[i])->weight;
    }
    course->count = count;
    return PLI_MPI_FINE;
}

/* How many of own bodies come before a place. */
static uint32_t count_before(const pli_mpi_course *course, uint64_t key)
{
    uint32_t low = 0, high = course->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (course->keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Cut c is the last place before which there is no more than c shares of all work. */
static void find_cuts(pliant_mpi_scene *scene, pli_mpi_course *course)
{
    uint64_t total = course->sums[course->count];
    int cuts = scene->size - 1;
    pli_mpi_add_up(scene, &total, 1);
    memset(course->cuts, 0, (size_t)scene->size * sizeof *course->cuts);
    for (int shift = 60; shift >= 0; shift -= 4) {
        for (int c = 0; c < cuts; c++) {
            for (uint64_t j = 0; j < PLI_MPI_PROBES; j++) {
                uint64_t place = course->cuts[c] + ((j + 1) << shift);
                course->probes[PLI_MPI_PROBES * c + (int)j] =
                    course->sums[count_before(course, place)];
            }
        }
        pli_mpi_add_up(scene, course->probes, PLI_MPI_PROBES * cuts);
        for (int c = 0; c < cuts; c++) {
            double most = (double)total * (c + 1) / scene->size;
            uint64_t j = 0;
            while (j < PLI_MPI_PROBES &&
                   (double)course->probes[PLI_MPI_PROBES * c + (int)j] <= most) {
                j++;
            }
            course->cuts[c] += j << shift;
        }
    }
    course->cuts[cuts] = UINT64_MAX;
}

/* ---------------------------------------------------------------------- call */

/* Finds where everybody goes, and sends them. */
static pliant_result spread(pliant_mpi_scene *scene, pliant_mpi_balance *balance)
{
    double low[3], high[3];
    pli_mpi_course course;
    find_range(scene, low, high);
    pliant_result result = pli_mpi_agree(scene, sort_bodies(scene, &course, low, high), NULL);
    if (result == PLIANT_OK) {
        find_cuts(scene, &course);
        result = pli_mpi_migrate(scene, &course);
    }
    if (result == PLIANT_OK) {
        balance->move_count = (uint32_t)(scene->moves.count / sizeof *balance->moves);
        balance->moves = balance->move_count > 0
                             ? (const pliant_mpi_move *)(const void *)scene->moves.data
                             : NULL;
        scene->work = 0;
        for (uint32_t i = 0; i < scene->slots.count / sizeof(pli_mpi_slot); i++) {
            const pli_mpi_slot *one = pli_mpi_slot_at(scene, i);
            scene->work += one->body != NULL && one->from < 0 ? one->weight : 0;
        }
    }
    return result;
}

pliant_result pliant_mpi_scene_balance(pliant_mpi_scene *scene, double most,
                                       pliant_mpi_balance *balance)
{
    if (scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, "pliant_mpi_scene_balance: scene is NULL");
    }
    pli_mpi_outcome outcome = PLI_MPI_FINE;
    uint32_t flags = scene->flags;
    if (!(most >= 0.0)) {
        pliant_fail(PLIANT_ERROR_RANGE, "most: it must not be below 0");
        outcome = pli_mpi_failure(scene, PLIANT_ERROR_RANGE, PLI_MPI_NOBODY);
    }
    pliant_result result =
        pli_mpi_begin(scene, PLI_MPI_BALANCE, pli_mpi_hash(0, &most, sizeof most), outcome, &flags);
    scene->answered = 0;
    result = result == PLIANT_OK ? pli_mpi_check_new(scene, flags) : result;
    result = result == PLIANT_OK ? pli_mpi_share_boxes(scene) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_mpi_balance found = {.imbalance = scene->stats.imbalance};
    if (scene->size > 1 && found.imbalance > most) {
        result = spread(scene, &found);
    }
    if (result == PLIANT_OK && balance != NULL) {
        *balance = found;
    }
    return result;
}
