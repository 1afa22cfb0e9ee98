/*
 * Bodies of all kinds for tests of scenes over MPI: who is there, how it takes part and where it is
 * follows from its id and the step alone, so that every rank can say it, and rank 0 can ask one
 * scene of one process about all of them.
 */
#ifndef PLIANT_TESTS_MPI_WORLD_H
#define PLIANT_TESTS_MPI_WORLD_H

#include "models.h"
#include "pliant/mpi.h"

#include <mpi.h>

enum { WORLD_FREE = MODEL_KINDS, WORLD_SHAPES, WORLD_MOST = 64 };

typedef struct mpi_world {
    uint64_t seed;
    uint32_t count; /* ids there may be */
    int rank, size;
    counting_allocator allocator;
    pliant_context *context;
    pliant_mpi_scene *scene;
    pliant_shape *shape[WORLD_SHAPES];
    pliant_shape *other; /* NULL until a test makes it */
    model_case body[WORLD_MOST];
    bool there[WORLD_MOST];           /* in the scene, */
    bool posed[WORLD_MOST];           /* with a state that it was given; else at rest */
    uint32_t member_step[WORLD_MOST]; /* takes part as in that step */
    uint64_t groups[WORLD_MOST];
    /* One process, on rank 0. */
    pliant_context *plain;
    pliant_shape *plain_shape[WORLD_SHAPES];
    pliant_body *plain_body[WORLD_MOST];
    pliant_scene *truth;
    uint32_t id_of[WORLD_MOST]; /* by index in `truth` */
} mpi_world;

/* Ends the program, on all ranks, with a sentence. */
_Noreturn void mpi_give_up(const char *format, ...);

/* The same unless a call went well. */
void mpi_must(pliant_result result, const char *call);
#define MUST(call) mpi_must((call), #call)

/* A number that depends on nothing else. */
uint64_t mpi_draw(const mpi_world *w, uint64_t what, uint64_t id, uint64_t step);

/* Ids are not their numbers: they come in no order, from 0 to the highest one that there can be. */
uint64_t mpi_id(uint32_t number);

mpi_world *mpi_world_create(uint64_t seed, uint32_t count, pliant_mpi_owner owner);
void mpi_world_free(mpi_world *w);

/* Whether a body is there in a step, and how it takes part. */
bool mpi_present(const mpi_world *w, uint32_t number, uint32_t step);
pliant_member_def mpi_member(mpi_world *w, uint32_t number, uint32_t step);

/* Puts all bodies, or one, where they are in a step; what one of them is given. */
void mpi_pose(mpi_world *w, uint32_t step);
void mpi_pose_one(mpi_world *w, uint32_t number, uint32_t step);
pliant_state mpi_state(const mpi_world *w, uint32_t number);

/* Puts a body onto a rank, as it takes part in a step. Its shape becomes known there. */
void mpi_join_on(mpi_world *w, uint32_t number, int rank, uint32_t step);

/* Bodies join and leave as the step says, on ranks drawn at random. Then those of this rank get
   their states. */
void mpi_play(mpi_world *w, uint32_t step);

/* Rank 0: fills w->truth with those who are there. */
void mpi_make_truth(mpi_world *w);

/* The filter of steps that have one, by ids. */
bool mpi_filter(void *user, uint64_t a, uint64_t b);

#endif
