/*
 * What all ranks do together: agreeing on failures, and exchanging bytes. Everything is started
 * without blocking and waited for here, so that a rank that waits gives its core to others, of
 * which there may be more than cores.
 */
#include "scene.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

/* Messages of different exchanges never meet, for ranks are at most one exchange apart. */
enum { TAGS = 1024 };

static const char *const call_names[PLI_MPI_CALLS] = {
    [PLI_MPI_SET_STATES] = "pliant_mpi_scene_set_states",
    [PLI_MPI_COLLIDE] = "pliant_mpi_scene_collide",
    [PLI_MPI_FIND_WITHIN] = "pliant_mpi_scene_find_within",
    [PLI_MPI_RAYCAST] = "pliant_mpi_scene_raycast",
    [PLI_MPI_RAYCAST_ANY] = "pliant_mpi_scene_raycast_any",
    [PLI_MPI_GATHER_CONTACTS] = "pliant_mpi_scene_gather_contacts",
    [PLI_MPI_GATHER_PROXIMITIES] = "pliant_mpi_scene_gather_proximities",
    [PLI_MPI_GATHER_EVENTS] = "pliant_mpi_scene_gather_events",
    [PLI_MPI_BALANCE] = "pliant_mpi_scene_balance",
    [PLI_MPI_DESTROY] = "pliant_mpi_scene_destroy",
};

/* ------------------------------------------------------------------ waiting */

static void wait_for(pliant_mpi_scene *scene, int count, MPI_Request *requests)
{
    double began = MPI_Wtime();
    for (int i = 0; i < count; i++) { /* a test of one makes progress with all */
        int done = 0;
        MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
        while (!done) {
            sched_yield();
            MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
        }
    }
    scene->stats.seconds_wait += MPI_Wtime() - began;
}

static void wait_for_all_ranks(pliant_mpi_scene *scene, MPI_Request *request)
{
    scene->stats.collectives++;
    wait_for(scene, 1, request);
}

void pli_mpi_send(pliant_mpi_scene *scene, int *started, int rank, const void *data, uint64_t size)
{
    scene->stats.messages++;
    MPI_Isend(data, (int)size, MPI_BYTE, rank, scene->tag, scene->comm,
              &scene->requests[(*started)++]);
}

void pli_mpi_receive(pliant_mpi_scene *scene, int *started, int rank, void *data, uint64_t size)
{
    MPI_Irecv(data, (int)size, MPI_BYTE, rank, scene->tag, scene->comm,
              &scene->requests[(*started)++]);
}

void pli_mpi_wait(pliant_mpi_scene *scene, int started)
{
    wait_for(scene, started, scene->requests);
    scene->tag = (scene->tag + 1) % TAGS;
}

/* ----------------------------------------------------------------- agreeing */

void pli_mpi_keep_sentence(pliant_mpi_scene *scene, uint64_t id)
{
    char why[200];
    snprintf(why, sizeof why, "%s", pliant_last_error());
    if (id != PLI_MPI_NOBODY) {
        snprintf(scene->sentence, sizeof scene->sentence, "body %llu, on rank %d: %s",
                 (unsigned long long)id, scene->rank, why);
    } else {
        snprintf(scene->sentence, sizeof scene->sentence, "rank %d: %s", scene->rank, why);
    }
}

pli_mpi_outcome pli_mpi_fail_local(pliant_mpi_scene *scene, pliant_result result)
{
    char sentence[256];
    unsigned index = 0;
    int rest = 0;
    snprintf(sentence, sizeof sentence, "%s", pliant_last_error());
    bool named = sscanf(sentence, "body %u: %n", &index, &rest) == 1 && rest > 0;
    if (!named || index >= scene->slots.count / sizeof(pli_mpi_slot)) {
        return pli_mpi_failure(scene, result, PLI_MPI_NOBODY);
    }
    pliant_fail(result, sentence + rest);
    return pli_mpi_failure(scene, result, pli_mpi_slot_at(scene, index)->id);
}

pliant_result pli_mpi_settle(pliant_mpi_scene *scene, pli_mpi_outcome outcome)
{
    const pli_mpi_head own = {.result = outcome.result, .id = outcome.id};
    pli_mpi_share_heads(scene, &own);
    int first = -1;
    for (int r = 0; r < scene->size; r++) {
        if (scene->heads[r].result != PLIANT_OK &&
            (first < 0 || scene->heads[r].id < scene->heads[first].id)) {
            first = r;
        }
    }
    MPI_Request request;
    MPI_Ibcast(scene->sentence, sizeof scene->sentence, MPI_CHAR, first, scene->comm, &request);
    wait_for_all_ranks(scene, &request);
    return pliant_fail((pliant_result)scene->heads[first].result, scene->sentence);
}

/* Ranks do different things: which is the first that does not what rank 0 does. */
static pliant_result fail_mismatch(pliant_mpi_scene *scene)
{
    const pli_mpi_head own = {.result = (uint64_t)scene->call, .id = scene->digest};
    pli_mpi_share_heads(scene, &own);
    int other = 1;
    while (other + 1 < scene->size && scene->heads[other].id == scene->heads[0].id) {
        other++;
    }
    const char *calls[2] = {call_names[scene->heads[0].result],
                            call_names[scene->heads[other].result]};
    bool same = scene->heads[0].result == scene->heads[other].result;
    char sentence[256];
    snprintf(sentence, sizeof sentence, "ranks differ: rank 0 calls %s(), rank %d %s%s", calls[0],
             other, same ? "does with other options" : calls[1], same ? "" : "()");
    return pliant_fail(PLIANT_ERROR_ARGUMENT, sentence);
}

pliant_result pli_mpi_hear_all(pliant_mpi_scene *scene, pli_mpi_outcome outcome, uint32_t *flags)
{
    enum { FAILED = 1 << 16, ENDS = 1 << 17 };
    uint64_t said = (outcome.result != PLIANT_OK ? FAILED : 0) | (flags != NULL ? *flags : 0) |
                    (scene->call == PLI_MPI_DESTROY ? ENDS : 0);
    const uint64_t own[3] = {scene->digest, ~scene->digest, said};
    uint64_t all[3];
    MPI_Request request;
    MPI_Iallreduce(own, all, 3, MPI_UINT64_T, MPI_BOR, scene->comm, &request);
    wait_for_all_ranks(scene, &request);
    if (flags != NULL) {
        *flags = (uint32_t)all[2] & (FAILED - 1);
    }
    scene->ended = (all[2] & ENDS) != 0;
    if (all[2] & FAILED) {
        return pli_mpi_settle(scene, outcome);
    }
    /* A bit that some have and others do not: */
    return (all[0] & all[1]) != 0 ? fail_mismatch(scene) : PLIANT_OK;
}

void pli_mpi_open_call(pliant_mpi_scene *scene, pli_mpi_call call, uint64_t digest)
{
    scene->call = call;
    scene->digest = pli_mpi_mix(digest + (uint64_t)call);
    if (call != PLI_MPI_SET_STATES && call != PLI_MPI_GATHER_CONTACTS &&
        call != PLI_MPI_GATHER_PROXIMITIES && call != PLI_MPI_GATHER_EVENTS) {
        scene->stats = (pliant_mpi_stats){.bodies = scene->own_count};
    }
}

void pli_mpi_share_heads(pliant_mpi_scene *scene, const pli_mpi_head *own)
{
    MPI_Request request;
    MPI_Iallgather(own, sizeof *own, MPI_BYTE, scene->heads, sizeof *own, MPI_BYTE, scene->comm,
                   &request);
    wait_for_all_ranks(scene, &request);
}

void pli_mpi_add_up(pliant_mpi_scene *scene, uint64_t *numbers, int count)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, numbers, count, MPI_UINT64_T, MPI_SUM, scene->comm, &request);
    wait_for_all_ranks(scene, &request);
}

void pli_mpi_join_flags(pliant_mpi_scene *scene, uint8_t *flags, int count)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, flags, count, MPI_UINT8_T, MPI_BOR, scene->comm, &request);
    wait_for_all_ranks(scene, &request);
}

/* ------------------------------------------------------------------ dealing */

/* Room for what the others will send. */
static pli_mpi_outcome make_room(pliant_mpi_scene *scene, pli_mpi_bytes *in)
{
    uint64_t total = 0;
    bool fits = true;
    for (int r = 0; r < scene->size; r++) {
        fits = fits && scene->in_sizes[r] <= INT32_MAX && scene->out_sizes[r] <= INT32_MAX;
        total += scene->in_sizes[r];
    }
    if (!fits) {
        pliant_fail(PLIANT_ERROR_TOO_LARGE, "a message of more than 2 GiB");
        return pli_mpi_failure(scene, PLIANT_ERROR_TOO_LARGE, PLI_MPI_NOBODY);
    }
    return pli_mpi_resize(scene->context, in, pli_mpi_bytes_of(total, 1)) != NULL
               ? PLI_MPI_FINE
               : pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
}

pliant_result pli_mpi_deal(pliant_mpi_scene *scene, pli_mpi_outcome outcome,
                           const pli_mpi_bytes *out, pli_mpi_bytes *in)
{
    if (outcome.result != PLIANT_OK) {
        memset(scene->out_sizes, 0, (size_t)scene->size * sizeof *scene->out_sizes);
    }
    MPI_Request request;
    MPI_Ialltoall(scene->out_sizes, 1, MPI_UINT64_T, scene->in_sizes, 1, MPI_UINT64_T, scene->comm,
                  &request);
    wait_for_all_ranks(scene, &request);
    if (outcome.result == PLIANT_OK) {
        outcome = make_room(scene, in);
    }
    pliant_result result = pli_mpi_agree(scene, outcome, NULL);
    if (result != PLIANT_OK) {
        return result;
    }
    int started = 0;
    uint64_t to = 0, from = 0;
    for (int r = 0; r < scene->size; r++) {
        if (scene->in_sizes[r] > 0) {
            pli_mpi_receive(scene, &started, r, in->data + to, scene->in_sizes[r]);
        }
        to += scene->in_sizes[r];
    }
    for (int r = 0; r < scene->size; r++) {
        if (scene->out_sizes[r] > 0) {
            pli_mpi_send(scene, &started, r, out->data + from, scene->out_sizes[r]);
            scene->stats.bytes_other += r != scene->rank ? scene->out_sizes[r] : 0;
        }
        from += scene->out_sizes[r];
    }
    pli_mpi_wait(scene, started);
    return PLIANT_OK;
}
