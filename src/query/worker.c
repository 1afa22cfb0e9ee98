#include "worker.h"

const size_t pli_column_sizes[PLI_COLUMNS] = {
    [PLI_SEGMENTS] = sizeof(pliant_segment),
    [PLI_SEPARATIONS] = sizeof(pliant_separation),
    [PLI_PROXIMITIES] = sizeof(pliant_proximity),
    [PLI_FEATURES] = sizeof(pliant_feature_pair),
    [PLI_PROXY_CONTACTS] = sizeof(pliant_proxy_contact),
    [PLI_MEETINGS] = sizeof(pliant_meeting),
};

void pli_worker_release(pli_worker *worker)
{
    pli_arrays_release(worker->context, worker->arrays, PLI_WORKER_ARRAYS);
}

uint64_t pli_worker_memory(const pli_worker *worker)
{
    return sizeof *worker + pli_arrays_bytes(worker->arrays, PLI_WORKER_ARRAYS);
}

void pli_worker_clear(pli_worker *worker)
{
    for (int i = 0; i < PLI_RESULT_LISTS; i++) {
        worker->results[i].keys.count = worker->results[i].ranges.count = 0;
    }
    worker->over_budget.count = 0;
}

pliant_result pli_result_reserve(pli_worker *worker, size_t count, unsigned columns)
{
    pli_results *results = worker->results;
    size_t wanted = results->keys.count + count;
    bool there = PLI_RESERVE(worker->context, &results->keys, wanted);
    for (; columns != 0 && there; columns &= columns - 1) {
        int column = __builtin_ctz(columns);
        there = pli_array_reserve(worker->context, &results->column[column], wanted,
                                  pli_column_sizes[column]);
    }
    return there ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

pliant_result pli_result_add(pli_worker *worker, uint64_t key)
{
    bool done = PLI_PUSH(worker->context, &worker->results->keys, key);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

pliant_result pli_results_grow(pli_worker *worker, pli_results *results, pli_column column)
{
    size_t wanted = results->keys.count + 1;
    bool there = PLI_RESERVE(worker->context, &results->keys, wanted) &&
                 pli_array_reserve(worker->context, &results->column[column], wanted,
                                   pli_column_sizes[column]);
    return there ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

pliant_result pli_worker_note_found(pli_worker *worker, uint32_t number, uint32_t pair,
                                    const pli_found_before *before, uint32_t lists)
{
    bool done = true;
    for (uint32_t i = 0; i < lists && done; i++) {
        pli_results *results = &worker->results[i];
        pli_range range = {.pair = pair,
                           .worker = (uint16_t)number,
                           .list = (uint16_t)i,
                           .first = before->count[i],
                           .count = results->keys.count - before->count[i]};
        done = range.count == 0 || PLI_PUSH(worker->context, &results->ranges, range);
    }
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

pliant_result pli_worker_note_over_budget(pli_worker *worker, uint32_t pair)
{
    bool done = PLI_PUSH(worker->context, &worker->over_budget, pair);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

bool pli_in_groups(const pliant_shape *shape, pliant_groups groups, uint32_t triangle)
{
    if (groups.bits == NULL) {
        return true;
    }
    uint32_t group = shape->groups != NULL ? shape->groups[triangle] : 0;
    return group < groups.count && (groups.bits[group / 64] >> group % 64 & 1);
}
