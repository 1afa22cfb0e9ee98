/*
 * Questions to a scene over MPI and to one of one process: all that is answered is gathered on
 * rank 0 and compared there, bit by bit.
 */
#ifndef PLIANT_TESTS_MPI_ASK_H
#define PLIANT_TESTS_MPI_ASK_H

#include "mpi_world.h"

typedef struct life {
    mpi_world *w;
    uint64_t hash; /* of all answers */
    uint64_t pairs, near_pairs, hits, brute, moved, ghosts, events[3];
    uint64_t touched[WORLD_MOST * WORLD_MOST][2]; /* rank 0: those that touched before */
    uint64_t touched_count;
    uint64_t trap;           /* 0: no allocation fails; else what which one is drawn from */
    uint64_t tried, refused; /* calls with a trap, and those of them that failed */
} life;

/* Whether a question is also compared with brute force: bodies are posed in `step`, all of them. */
void mpi_ask_contacts(life *l, uint32_t step, bool brute);
void mpi_ask_within(life *l, float distance);
void mpi_ask_rays(life *l, uint32_t step);
void mpi_ask_balance(life *l, double most);

/* A collective call during which an allocation may fail on one rank: all ranks then return that
   error, with one sentence, and the same call succeeds afterwards. */
void mpi_set_trap(life *l);
bool mpi_look_into_trap(life *l, pliant_result result, const char *call);

#define TRY(l, call)                                                                               \
    do {                                                                                           \
        mpi_set_trap(l);                                                                           \
        if (mpi_look_into_trap((l), (call), #call)) {                                              \
            MUST(call);                                                                            \
        }                                                                                          \
    } while (0)

#endif
