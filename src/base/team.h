/*
 * A team: the workers of a context in the stages of one object. Each begins a stage with a range of
 * numbers of its own, so that from call to call it meets the same bodies and finds them in its
 * cache; then it helps others with theirs. The failure of the lowest number is reported.
 */
#ifndef PLI_BASE_TEAM_H
#define PLI_BASE_TEAM_H

#include "base/array.h"
#include "base/atomic.h"

typedef struct pli_team_worker {
    _Alignas(64) PLI_ATOMIC(uint32_t) next; /* of the numbers that it was given, up to the end */
    uint32_t end;
    char rest_of_line[56]; /* other workers take numbers there */
    uint32_t failed_at;    /* the lowest number that failed here; UINT32_MAX: none */
    pliant_result result;
    char message[160];
} pli_team_worker;

typedef PLI_ARRAY(pli_team_worker) pli_team;

/* Makes a team of all workers of a context; false without memory. */
bool pli_team_create(pliant_context *context, pli_team *team);

/* Distributes the numbers below `count` over the workers, for a stage in which each takes them with
   pli_team_take() until none are left. */
void pli_team_distribute(pli_team *team, uint32_t count);

/* Takes up to `portion` numbers from *first on; returns how many, 0 when all are taken. */
uint32_t pli_team_take(pli_team *team, uint32_t worker, uint32_t portion, uint32_t *first);

/* Keeps the thread's error as a worker's failure at a number, if it is the lowest. */
void pli_team_note_failure(pli_team *team, uint32_t worker, uint32_t number, pliant_result result);
void pli_team_forget_failures(pli_team *team);

/* Returns the worker with the lowest failure, or NULL. */
const pli_team_worker *pli_team_first_failure(const pli_team *team);

#endif
