#include "team.h"

#include "base/error.h"

#include <stdio.h>

bool pli_team_create(pliant_context *context, pli_team *team)
{
    return PLI_CREATE(context, team, pliant_context_get_worker_count(context));
}

void pli_team_distribute(pli_team *team, uint32_t count)
{
    for (size_t w = 0; w < team->count; w++) {
        uint64_t all = count, workers = team->count;
        atomic_store_explicit(&team->data[w].next, (uint32_t)(all * w / workers),
                              memory_order_relaxed);
        team->data[w].end = (uint32_t)(all * (w + 1) / workers);
    }
}

uint32_t pli_team_take(pli_team *team, uint32_t worker, uint32_t portion, uint32_t *first)
{
    for (size_t i = 0; i < team->count; i++) {
        pli_team_worker *from = &team->data[(worker + i) % team->count];
        uint32_t at = atomic_load_explicit(&from->next, memory_order_relaxed);
        if (at < from->end) {
            at = atomic_fetch_add_explicit(&from->next, portion, memory_order_relaxed);
        }
        if (at < from->end) {
            *first = at;
            return from->end - at < portion ? from->end - at : portion;
        }
    }
    return 0;
}

void pli_team_note_failure(pli_team *team, uint32_t worker, uint32_t number, pliant_result result)
{
    pli_team_worker *own = &team->data[worker];
    if (number < own->failed_at) {
        own->failed_at = number;
        own->result = result;
        snprintf(own->message, sizeof own->message, "%s", pliant_last_error());
    }
}

void pli_team_forget_failures(pli_team *team)
{
    for (size_t w = 0; w < team->count; w++) {
        team->data[w].failed_at = UINT32_MAX;
    }
}

const pli_team_worker *pli_team_first_failure(const pli_team *team)
{
    const pli_team_worker *first = NULL;
    for (size_t w = 0; w < team->count; w++) {
        const pli_team_worker *worker = &team->data[w];
        if (worker->failed_at != UINT32_MAX &&
            (first == NULL || worker->failed_at < first->failed_at)) {
            first = worker;
        }
    }
    return first;
}
