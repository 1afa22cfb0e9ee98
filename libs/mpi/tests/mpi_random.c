/*
 * A program drawn at random, the same on all ranks: bodies are put in on any rank, or all on one,
 * at rest or not, taken out by any rank and put in anew by the same id at once, given states or
 * not, moved between ranks, and asked about; allocations fail on one rank or another, and ranks
 * call different functions. Every answer is compared with one process. Prints a hash of all
 * answers, which is the same for any number of ranks, since none of what is drawn changes an
 * answer.
 *
 *   mpi_random SEED STEPS TRAPS OWNER      TRAPS: 0 or 1: allocations fail; OWNER: a
 * pliant_mpi_owner
 */
#include "mpi_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"

enum { BODIES = 40 };

typedef struct program {
    life *l;
    float *shared[BODIES][2]; /* positions that free bodies borrow, by turns */
    uint32_t turn[BODIES];
    uint32_t mistakes;
} program;

/* A number from 0 to below `below`, the same on all ranks. */
static uint32_t draw(const program *p, uint32_t step, uint32_t what, uint32_t number,
                     uint32_t below)
{
    return (uint32_t)(mpi_draw(p->l->w, 100 + what, number, step) % below);
}

/* A rank, on which answers do not depend. */
static int draw_rank(const program *p, uint32_t step, uint32_t what, uint32_t number)
{
    return (int)(mpi_draw(p->l->w, 200 + what, number, step) % (uint64_t)p->l->w->size);
}

/* ------------------------------------------------------------ coming and going */

/* All on one rank for some steps, so that others have nobody; then on any. */
static int rank_for(const program *p, uint32_t step, uint32_t number)
{
    return step / 3 % 3 == 1 ? draw_rank(p, step / 3, 0, 0) : draw_rank(p, step, 1, number);
}

static void take_out(program *p, uint32_t number, int rank)
{
    mpi_world *w = p->l->w;
    w->there[number] = false;
    if (w->rank == rank) {
        MUST(pliant_mpi_scene_remove(w->scene, mpi_id(number)));
    }
}

static void come_and_go(program *p, uint32_t step)
{
    mpi_world *w = p->l->w;
    bool all_go = draw(p, step, 2, 0, 12) == 0; /* a scene of nobody */
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t what = draw(p, step, 3, i, 10);
        if (w->there[i] && (all_go || what < 2)) {
            int rank = draw_rank(p, step, 4, i); /* any rank, most of them not its own */
            take_out(p, i, rank);
            if (what == 1 && !all_go) { /* and another one by the same id, where that is allowed */
                bool own = pliant_mpi_scene_get_body(w->scene, mpi_id(i)) != NULL;
                int has = own ? w->rank : -1;
                MPI_Allreduce(MPI_IN_PLACE, &has, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
                int to = rank_for(p, step, i);
                mpi_join_on(w, i, to == has ? (to + 1) % w->size : to, step);
                w->there[i] = true;
            }
        } else if (!w->there[i] && !all_go && what < 6) {
            mpi_join_on(w, i, rank_for(p, step, i), step);
        } else if (w->there[i] && what == 9) {
            w->member_step[i] = step;
            pliant_member_def member = mpi_member(w, i, step);
            if (pliant_mpi_scene_get_body(w->scene, mpi_id(i)) != NULL) {
                MUST(pliant_mpi_scene_set_member(w->scene, mpi_id(i), &member));
            }
        }
    }
}

/* -------------------------------------------------------------------- states */

static pliant_state state_of(program *p, uint32_t i)
{
    mpi_world *w = p->l->w;
    pliant_state state = mpi_state(w, i);
    if (state.positions != NULL && i % 2 == 0) { /* borrowed, with gaps */
        uint32_t count = w->body[i].mesh.vertex_count;
        float **to = &p->shared[i][p->turn[i]++ % 2];
        *to = realloc(*to, (size_t)4 * count * sizeof **to);
        if (*to == NULL) {
            mpi_give_up("no memory");
        }
        for (uint32_t v = 0; v < count; v++) {
            memcpy(*to + (size_t)4 * v, state.positions + (size_t)3 * v, 3 * sizeof(float));
            (*to)[4 * v + 3] = 0.0f;
        }
        state.positions = *to;
        state.position_stride = 4 * sizeof(float);
        state.shares_positions = true;
    }
    return state;
}

/* Some of those that are there get the states of a step, whoever has them. */
static void give_states(program *p, uint32_t step)
{
    mpi_world *w = p->l->w;
    pliant_mpi_state states[BODIES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        /* Few stay at rest: all of these are in one place. */
        uint32_t of = w->posed[i] ? 3 : 12;
        if (w->there[i] && draw(p, step, 5, i, of) != 0) {
            mpi_pose_one(w, i, step);
            w->posed[i] = true;
            pliant_state state = state_of(p, i); /* on all ranks, since it may come to any */
            if (pliant_mpi_scene_get_body(w->scene, mpi_id(i)) != NULL) {
                states[count++] = (pliant_mpi_state){.id = mpi_id(i), .state = state};
            }
        }
    }
    TRY(p->l, pliant_mpi_scene_set_states(w->scene, states, count));
}

/* ------------------------------------------------------------------ mistakes */

/* One rank calls another function, or gives a bad argument. */
static void make_mistake(program *p, uint32_t step)
{
    mpi_world *w = p->l->w;
    if (w->size == 1) {
        return;
    }
    bool mine = draw_rank(p, step, 6, 0) == w->rank;
    pliant_mpi_contacts contacts;
    pliant_mpi_proximities near;
    const pliant_mpi_event *events = NULL;
    uint64_t count = 0;
    pliant_result result = PLIANT_OK;
    switch (draw(p, step, 7, 0, 4)) {
    case 0:
        result = mine ? pliant_mpi_scene_balance(w->scene, 0.5, NULL)
                      : pliant_mpi_scene_collide(w->scene, NULL, &contacts);
        break;
    case 1:
        result = mine ? pliant_mpi_scene_gather_events(w->scene, &events, &count)
                      : pliant_mpi_scene_find_within(w->scene, 0.1f, NULL, &near);
        break;
    case 2:
        result = pliant_mpi_scene_find_within(w->scene, mine ? 0.1f : 0.2f, NULL, &near);
        break;
    default:
        result = pliant_mpi_scene_set_states(w->scene, NULL, mine ? 1 : 0);
        break;
    }
    if (result != PLIANT_ERROR_ARGUMENT) {
        mpi_give_up("rank %d: a mistake was not noticed: %s", w->rank,
                    pliant_result_get_name(result));
    }
    p->mistakes++;
}

/* --------------------------------------------------------------------- steps */

static void play(program *p, uint32_t step)
{
    life *l = p->l;
    mpi_world *w = l->w;
    come_and_go(p, step);
    /* Ids that came are only looked at in questions: balance and rays are some. */
    if (draw(p, step, 8, 0, 3) == 0) {
        mpi_ask_balance(l, draw(p, step, 9, 0, 2) == 0 ? 0.0 : 0.3);
    }
    give_states(p, step);
    if (draw(p, step, 11, 0, 5) == 0) {
        make_mistake(p, step);
    }
    if (w->rank == 0) {
        mpi_make_truth(w);
    }
    uint32_t first = draw(p, step, 12, 0, 3);
    for (uint32_t k = 0; k < 3; k++) {
        switch ((first + k) % 3) {
        case 0:
            mpi_ask_contacts(l, step, false);
            break;
        case 1:
            mpi_ask_within(l, (float)draw(p, step, 13, 0, 4) / 32.0f);
            break;
        default:
            mpi_ask_rays(l, step);
            break;
        }
    }
}

int main(int argument_count, char **arguments)
{
    MPI_Init(&argument_count, &arguments);
    uint64_t numbers[4] = {0};
    for (int i = 0; i < 4 && i + 1 < argument_count; i++) {
        numbers[i] = strtoull(arguments[i + 1], NULL, 10);
    }
    program *p = calloc(1, sizeof *p);
    life *l = calloc(1, sizeof *l);
    if (argument_count != 5 || numbers[3] > 1 || p == NULL || l == NULL) {
        mpi_give_up("usage: mpi_random SEED STEPS TRAPS OWNER");
        return 1;
    }
    p->l = l;
    l->w = mpi_world_create(numbers[0], BODIES, (pliant_mpi_owner)numbers[3]);
    l->trap = numbers[2] != 0 ? numbers[0] * 1000 + 1 : 0;
    for (uint32_t step = 0; step < numbers[1]; step++) {
        play(p, step);
    }
    if (l->w->rank == 0) {
        printf("hash %016llx\n", (unsigned long long)l->hash);
        printf(
            "# %llu pairs, %llu near, %llu hits, %llu moves here, %u mistakes, %llu of %llu calls "
            "without memory\n",
            (unsigned long long)l->pairs, (unsigned long long)l->near_pairs,
            (unsigned long long)l->hits, (unsigned long long)l->moved, p->mistakes,
            (unsigned long long)l->refused, (unsigned long long)l->tried);
        if (l->pairs == 0 || l->hits == 0 || l->near_pairs == 0 ||
            (numbers[2] != 0 && l->refused == 0)) {
            mpi_give_up("nothing was tried");
        }
    }
    mpi_world_free(l->w);
    for (uint32_t i = 0; i < BODIES; i++) {
        free(p->shared[i][0]);
        free(p->shared[i][1]);
    }
    free(p);
    free(l);
    MPI_Finalize();
    return 0;
}
