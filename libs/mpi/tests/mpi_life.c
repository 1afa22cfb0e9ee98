/*
 * A scene over MPI beside one of one process, step by step: all that is answered is gathered on
 * rank 0 and compared there, bit by bit. Prints a hash of all answers, which is the same for any
 * number of ranks.
 *
 *   mpi_life SEED BODIES STEPS BALANCE OWNER      BALANCE: 0 or 1; OWNER: a pliant_mpi_owner
 */
#include "mpi_ask.h"

#include <stdio.h>
#include <stdlib.h>

#include "failing_memory.h"

int main(int argument_count, char **arguments)
{
    MPI_Init(&argument_count, &arguments);
    if (argument_count != 6) {
        mpi_give_up("usage: mpi_life SEED BODIES STEPS BALANCE OWNER");
    }
    uint64_t numbers[5];
    for (int i = 0; i < 5; i++) {
        numbers[i] = strtoull(arguments[i + 1], NULL, 10);
    }
    if (numbers[1] < WORLD_SHAPES || numbers[1] > WORLD_MOST || numbers[4] > 1) {
        mpi_give_up("BODIES: %d to %d; OWNER: 0 or 1", WORLD_SHAPES, WORLD_MOST);
    }
    life *l = calloc(1, sizeof *l);
    if (l == NULL) {
        mpi_give_up("no memory");
        return 1;
    }
    l->w = mpi_world_create(numbers[0], (uint32_t)numbers[1], (pliant_mpi_owner)numbers[4]);
    for (uint32_t step = 0; step < numbers[2]; step++) {
        mpi_play(l->w, step);
        if (l->w->rank == 0) {
            mpi_make_truth(l->w);
        }
        mpi_ask_contacts(l, step, step % 4 == 0);
        mpi_ask_within(l, step % 2 == 0 ? 0.2f : 0.0f);
        mpi_ask_rays(l, step);
        if (numbers[3] == 1 && step % 2 == 0) {
            mpi_ask_balance(l, 0.02);
        }
    }
    uint64_t sums[2] = {l->moved, l->ghosts};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (l->w->rank == 0) {
        printf("hash %016llx\n", (unsigned long long)l->hash);
        printf("# %llu pairs, %llu by brute force, %llu near, %llu hits, events %llu %llu %llu, "
               "%llu moves, %llu ghosts\n",
               (unsigned long long)l->pairs, (unsigned long long)l->brute,
               (unsigned long long)l->near_pairs, (unsigned long long)l->hits,
               (unsigned long long)l->events[0], (unsigned long long)l->events[1],
               (unsigned long long)l->events[2], (unsigned long long)sums[0] / 2,
               (unsigned long long)sums[1]);
        bool empty = l->pairs == 0 || l->hits == 0 || l->near_pairs == 0;
        bool alone = l->w->size > 1 && (sums[1] == 0 || (numbers[3] == 1 && sums[0] == 0));
        if (empty || alone) {
            mpi_give_up("nothing was tried");
        }
    }
    mpi_world_free(l->w);
    free(l);
    MPI_Finalize();
    return 0;
}
