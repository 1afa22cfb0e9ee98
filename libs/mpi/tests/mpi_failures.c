/*
 * Failures of scenes over MPI: whatever goes wrong on one rank, all ranks return the same error
 * with the same sentence, and the next question has the right answer.
 *
 *   mpi_failures SHARE      of the allocations that are made to fail, behind the first few, one in
 *                           about SHARE is
 */
#include "mpi_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"

enum { BODIES = 14 };

static int world_rank, world_size;

/* All ranks must have got `expected`, with one sentence, which has `part` in it. */
static void expect(pliant_result result, pliant_result expected, const char *part, const char *what)
{
    char own[256] = {0}, first[256];
    snprintf(own, sizeof own, "%d %s", (int)result, result != PLIANT_OK ? pliant_last_error() : "");
    memcpy(first, own, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (result != expected || strcmp(own, first) != 0 || strstr(own, part) == NULL) {
        mpi_give_up("%s: rank %d got \"%s\", rank 0 \"%s\"", what, world_rank, own, first);
    }
}

/* The answer, summed up; the same on all ranks. */
static uint64_t answer_of(mpi_world *w)
{
    pliant_mpi_contacts own, all;
    uint64_t hash = 0;
    MUST(pliant_mpi_scene_collide(w->scene, NULL, &own));
    MUST(pliant_mpi_scene_gather_contacts(w->scene, &all));
    for (uint64_t i = 0; i < all.body_pair_count; i++) {
        hash = hash_bytes(hash, &all.bodies[i], sizeof all.bodies[i]);
    }
    hash =
        all.count > 0 ? hash_bytes(hash, all.pairs, (size_t)all.count * sizeof *all.pairs) : hash;
    MPI_Bcast(&hash, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return hash;
}

static void expect_answer(mpi_world *w, uint64_t answer, const char *what)
{
    if (answer_of(w) != answer) {
        mpi_give_up("%s: the answer is another afterwards", what);
    }
}

/* ------------------------------------------------------------------ mistakes */

/* Which byte of what rank 1 says of itself is changed on its way, and so is that of another build:
   "pliantmp", then byte order, version, sizes. -1: none. */
static int forged_byte = -1;

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    char forged[256];
    size_t size = (size_t)count;
    if (forged_byte >= 0 && root == 1 && world_rank == 1 && type == MPI_BYTE &&
        size > (size_t)forged_byte && size <= sizeof forged && memcmp(data, "pliantmp", 8) == 0) {
        memcpy(forged, data, size);
        forged[forged_byte] ^= 1;
        int result = PMPI_Bcast(forged, count, type, root, comm);
        memcpy(data, forged, size); /* a rank of another build sees itself so */
        return result;
    }
    return PMPI_Bcast(data, count, type, root, comm);
}

static void try_other_builds(pliant_context *context, const pliant_mpi_scene_def *def)
{
    const struct {
        int byte;
        const char *sentence;
    } cases[] = {{3, "another byte order, or no version of Pliant that is known"},
                 {8, "another byte order, or no version of Pliant that is known"},
                 {12, "another version of Pliant"},
                 {15, "another version of Pliant"},
                 {16, "another version of Pliant"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pliant_mpi_scene *scene = NULL;
        forged_byte = cases[i].byte;
        pliant_result result = pliant_mpi_scene_create(context, def, &scene);
        forged_byte = -1;
        expect(result, PLIANT_ERROR_ARGUMENT, cases[i].sentence, "another build");
    }
}

static void try_creation(void)
{
    pliant_context *context = NULL;
    pliant_mpi_scene *scene = NULL;
    MUST(pliant_context_create(NULL, &context));
    pliant_mpi_scene_def def = pliant_mpi_scene_def_default();
    def.communicator = (int)MPI_Comm_c2f(MPI_COMM_WORLD);
    try_other_builds(context, &def);
    def.owner = world_rank == 1 ? PLIANT_MPI_OWNER_LESS_LOADED : PLIANT_MPI_OWNER_LOWER_ID;
    expect(pliant_mpi_scene_create(context, &def, &scene), PLIANT_ERROR_ARGUMENT,
           "rank 1 has another `owner` than rank 0", "owners");
    def.owner = world_rank == 1 ? (pliant_mpi_owner)7 : PLIANT_MPI_OWNER_LOWER_ID;
    expect(pliant_mpi_scene_create(context, &def, &scene), PLIANT_ERROR_RANGE, "owner", "no owner");
    def = pliant_mpi_scene_def_default();
    expect(pliant_mpi_scene_create(context, &def, &scene), PLIANT_ERROR_ARGUMENT, "communicator",
           "no communicator");
    expect(pliant_mpi_scene_create(context, NULL, &scene), PLIANT_ERROR_ARGUMENT, "communicator",
           "no definition");
    pliant_context_destroy(context);
}

static void try_calls(mpi_world *w, uint64_t answer)
{
    pliant_mpi_contacts contacts;
    pliant_mpi_proximities near;
    pliant_result result = world_rank == 0 ? pliant_mpi_scene_collide(w->scene, NULL, &contacts)
                                           : pliant_mpi_scene_balance(w->scene, 0.1, NULL);
    expect(result, PLIANT_ERROR_ARGUMENT,
           "rank 0 calls pliant_mpi_scene_collide(), rank 1 pliant_mpi_scene_balance()", "calls");
    result = pliant_mpi_scene_find_within(w->scene, world_rank == 1 ? 0.5f : 0.25f, NULL, &near);
    expect(result, PLIANT_ERROR_ARGUMENT, "other options", "distances");
    result = pliant_mpi_scene_find_within(w->scene, world_rank == 1 ? NAN : 0.25f, NULL, &near);
    expect(result, PLIANT_ERROR_RANGE, "rank 1: distance", "a bad distance");
    pliant_mpi_options options = pliant_mpi_options_default();
    options.tag = world_rank == 1 ? 7 : options.tag;
    expect(pliant_mpi_scene_collide(w->scene, &options, &contacts), PLIANT_ERROR_ARGUMENT,
           "pliant_mpi_options", "a bad tag");
    expect(pliant_mpi_scene_collide(w->scene, NULL, world_rank == 1 ? NULL : &contacts),
           PLIANT_ERROR_ARGUMENT, "contacts is NULL", "no contacts");
    expect(pliant_mpi_scene_balance(w->scene, world_rank == 1 ? -1.0 : 0.1, NULL),
           PLIANT_ERROR_RANGE, "most", "a bad imbalance");
    expect(pliant_mpi_scene_gather_proximities(w->scene, &near), PLIANT_ERROR_STATE,
           "the latest question was another", "gathering nothing");
    pliant_ray ray = {.direction = {1, 0, 0}, .t_max = world_rank == 1 ? -1.0f : 1.0f};
    pliant_mpi_ray_hit hit;
    expect(pliant_mpi_scene_raycast(w->scene, &ray, 1, NULL, &hit), PLIANT_ERROR_NOT_FINITE,
           "rank 1: ray 0", "a bad ray");
    expect_answer(w, answer, "mistaken calls");
}

/* A body of this rank, by its number; BODIES if it has none. */
static uint32_t own_body(const mpi_world *w, uint32_t from)
{
    while (from < w->count && pliant_mpi_scene_get_body(w->scene, mpi_id(from)) == NULL) {
        from++;
    }
    return from;
}

static void try_states(mpi_world *w, uint64_t answer)
{
    float bad[12] = {NAN};
    pliant_mpi_state states[WORLD_MOST];
    uint32_t count = 0;
    uint64_t lowest = UINT64_MAX;
    mpi_pose(w, 9); /* other states, of which some have a bad world transform */
    for (uint32_t i = own_body(w, 0); i < w->count; i = own_body(w, i + 1)) {
        states[count] = (pliant_mpi_state){.id = mpi_id(i), .state = mpi_state(w, i)};
        if (count > 0) {
            states[count].state.world = bad;
            lowest = mpi_id(i) < lowest ? mpi_id(i) : lowest;
        }
        count++;
    }
    MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    char part[64];
    snprintf(part, sizeof part, "body %llu, on rank", (unsigned long long)lowest);
    expect(pliant_mpi_scene_set_states(w->scene, states, count), PLIANT_ERROR_NOT_FINITE, part,
           "bad states");
    expect_answer(w, answer, "bad states");
    /* Good ones on all ranks but one, which gives one twice, or to a stranger. */
    for (uint32_t i = 0; i < count; i++) {
        states[i].state.world = NULL;
        if (states[i].state.coordinates == NULL && states[i].state.transforms == NULL &&
            states[i].state.positions == NULL) {
            states[i].state = mpi_state(w, own_body(w, 0));
        }
    }
    if (world_rank == 1 && count > 1) {
        states[1] = states[0];
    }
    expect(pliant_mpi_scene_set_states(w->scene, states, count), PLIANT_ERROR_ARGUMENT,
           "two states", "a state twice");
    if (world_rank == 1) {
        states[0].id = 3;
    }
    expect(pliant_mpi_scene_set_states(w->scene, states, count), PLIANT_ERROR_RANGE,
           "body 3, on rank 1", "a stranger's state");
    expect_answer(w, answer, "refused states");
    mpi_pose(w, 0);
}

static void try_members(mpi_world *w, uint64_t answer)
{
    pliant_mpi_contacts contacts;
    if (world_rank == 1) {
        MUST(pliant_mpi_scene_remove(w->scene, 77));
    }
    expect(pliant_mpi_scene_collide(w->scene, NULL, &contacts), PLIANT_ERROR_RANGE,
           "body 77, on rank", "removing nobody");
    expect_answer(w, answer, "removing nobody");
    /* Different shapes by the same key. */
    w->other = fixture_sphere(w->context, world_rank == 1 ? 80 : 20, fixture_usual_tree);
    MUST(pliant_mpi_scene_add_shape(w->scene, 500, w->other));
    expect(pliant_mpi_scene_collide(w->scene, NULL, &contacts), PLIANT_ERROR_ARGUMENT,
           "shape 500 of rank 0 is another than that of rank 1", "two shapes of one key");
}

static void try_duplicates(mpi_world *w, uint64_t answer)
{
    pliant_mpi_contacts contacts;
    uint32_t one = own_body(w, 0);
    uint64_t shape = 0;
    for (uint64_t s = 100; s < 100 + WORLD_SHAPES && shape == 0; s++) {
        shape = pliant_mpi_scene_get_shape(w->scene, s) != NULL ? s : 0;
    }
    if (world_rank < 2) {
        MUST(pliant_mpi_scene_add(w->scene, 12, shape, NULL, NULL));
        if (pliant_mpi_scene_add(w->scene, 12, shape, NULL, NULL) != PLIANT_ERROR_ARGUMENT ||
            pliant_mpi_scene_add(w->scene, 13, 9999, NULL, NULL) != PLIANT_ERROR_ARGUMENT ||
            pliant_mpi_scene_add(w->scene, UINT64_MAX, shape, NULL, NULL) != PLIANT_ERROR_RANGE ||
            pliant_mpi_scene_set_member(w->scene, 13, NULL) != PLIANT_ERROR_RANGE) {
            mpi_give_up("a body was added that cannot be");
        }
    }
    expect(pliant_mpi_scene_collide(w->scene, NULL, &contacts), PLIANT_ERROR_ARGUMENT,
           "body 12 is on rank 0 and on rank 1", "an id twice");
    if (world_rank < 2) {
        MUST(pliant_mpi_scene_remove(w->scene, 12));
    }
    expect_answer(w, answer, "an id twice");
    /* A box that a body vouched for and is not in. */
    uint64_t lowest = one < w->count ? mpi_id(one) : UINT64_MAX;
    if (one < w->count && world_rank == 1) {
        pliant_member_def member = mpi_member(w, one, 0);
        member.has_loose_box = true;
        member.mask = member.category = UINT64_MAX;
        for (int k = 0; k < 3; k++) { /* it meets everybody, along two axes */
            member.loose_box.lower[k] = k == 0 ? 0.0f : -1000.0f;
            member.loose_box.upper[k] = k == 0 ? 1e-3f : 1000.0f;
        }
        MUST(pliant_mpi_scene_set_member(w->scene, lowest, &member));
    }
    MPI_Bcast(&lowest, 1, MPI_UINT64_T, 1, MPI_COMM_WORLD);
    char part[64];
    snprintf(part, sizeof part, "body %llu, on rank", (unsigned long long)lowest);
    pliant_result result = pliant_mpi_scene_collide(w->scene, NULL, &contacts);
    if (result != PLIANT_OK) { /* unless nobody is there to meet it */
        expect(result, PLIANT_ERROR_RANGE, part, "a wrong loose box");
    }
    if (one < w->count && world_rank == 1) {
        pliant_member_def member = mpi_member(w, one, 0);
        MUST(pliant_mpi_scene_set_member(w->scene, mpi_id(one), &member));
    }
    expect_answer(w, answer, "a wrong loose box");
}

/* Positions that are only borrowed turn out bad when bounds are asked for. */
static void try_borrowed(mpi_world *w, uint64_t answer)
{
    pliant_mpi_state state = {0};
    pliant_mpi_contacts contacts;
    float *bad = calloc((size_t)3 * w->body[WORLD_FREE].mesh.vertex_count, sizeof *bad);
    uint32_t free_body = WORLD_FREE, count = 0;
    while (free_body < w->count && !w->there[free_body]) {
        free_body += WORLD_SHAPES;
    }
    if (bad == NULL || free_body >= w->count) {
        mpi_give_up("no free body to try");
        return;
    }
    bad[4] = NAN;
    if (pliant_mpi_scene_get_body(w->scene, mpi_id(free_body)) != NULL) {
        state = (pliant_mpi_state){.id = mpi_id(free_body),
                                   .state = {.positions = bad, .shares_positions = true}};
        count = 1;
    }
    MUST(pliant_mpi_scene_set_states(w->scene, &state, count));
    char part[64];
    snprintf(part, sizeof part, "body %llu, on rank", (unsigned long long)mpi_id(free_body));
    expect(pliant_mpi_scene_collide(w->scene, NULL, &contacts), PLIANT_ERROR_NOT_FINITE, part,
           "bad positions");
    state.state = mpi_state(w, free_body);
    MUST(pliant_mpi_scene_set_states(w->scene, &state, count));
    expect_answer(w, answer, "bad positions");
    free(bad);
}

/* -------------------------------------------------------------------- memory */

typedef struct memory_call {
    const char *name;
    pliant_result (*call)(mpi_world *w);
} memory_call;

static pliant_result ask_contacts(mpi_world *w)
{
    pliant_mpi_contacts own, all;
    const pliant_mpi_event *events = NULL;
    uint64_t count = 0;
    pliant_mpi_options options = pliant_mpi_options_default();
    options.events = options.segments = true;
    pliant_result result = pliant_mpi_scene_collide(w->scene, &options, &own);
    result = result == PLIANT_OK ? pliant_mpi_scene_gather_contacts(w->scene, &all) : result;
    return result == PLIANT_OK ? pliant_mpi_scene_gather_events(w->scene, &events, &count) : result;
}

static pliant_result ask_near(mpi_world *w)
{
    pliant_mpi_proximities own, all;
    pliant_result result = pliant_mpi_scene_find_within(w->scene, 0.1f, NULL, &own);
    return result == PLIANT_OK ? pliant_mpi_scene_gather_proximities(w->scene, &all) : result;
}

static pliant_result ask_rays(mpi_world *w)
{
    pliant_ray rays[3] = {{.direction = {1, 1, 1}, .t_max = INFINITY},
                          {.direction = {1, 1, 0.5f}, .t_max = INFINITY},
                          {.direction = {0.5f, 1, 1}, .t_max = INFINITY}};
    pliant_mpi_ray_hit hits[3];
    bool blocked[3];
    pliant_result result = pliant_mpi_scene_raycast(w->scene, rays, 3, NULL, hits);
    return result == PLIANT_OK ? pliant_mpi_scene_raycast_any(w->scene, rays, 3, NULL, blocked)
                               : result;
}

static pliant_result move_bodies(mpi_world *w)
{
    return pliant_mpi_scene_balance(w->scene, 0.0, NULL);
}

static pliant_result set_states(mpi_world *w)
{
    pliant_mpi_state states[WORLD_MOST];
    uint32_t count = 0;
    for (uint32_t i = own_body(w, 0); i < w->count; i = own_body(w, i + 1)) {
        states[count++] = (pliant_mpi_state){.id = mpi_id(i), .state = mpi_state(w, i)};
    }
    return pliant_mpi_scene_set_states(w->scene, states, count);
}

static const memory_call memory_calls[] = {{"contacts", ask_contacts},
                                           {"near", ask_near},
                                           {"rays", ask_rays},
                                           {"balance", move_bodies},
                                           {"states", set_states}};

/* Lets one allocation of a call fail on one rank; whether there was one to fail. */
static bool try_allocation(const memory_call *call, uint64_t number, bool all_behind,
                           uint64_t answer)
{
    mpi_world *w = mpi_world_create(5, BODIES, PLIANT_MPI_OWNER_LOWER_ID);
    int rank = (int)(number % (uint64_t)w->size), failed = 0;
    mpi_play(w, 0);
    if (w->rank == rank) {
        w->allocator.fail_at = w->allocator.calls + number;
        w->allocator.fail_from_there = all_behind;
    }
    pliant_result result = call->call(w);
    if (w->rank == rank) {
        failed = w->allocator.calls >= w->allocator.fail_at;
        w->allocator.fail_at = 0;
        w->allocator.fail_from_there = false;
    }
    MPI_Bcast(&failed, 1, MPI_INT, rank, MPI_COMM_WORLD);
    if (failed || result != PLIANT_OK) {
        expect(result, PLIANT_ERROR_OUT_OF_MEMORY, "rank", call->name);
        MUST(call->call(w));
    }
    expect_answer(w, answer, call->name);
    mpi_world_free(w);
    return failed != 0;
}

static void try_memory(uint64_t share, uint64_t answer)
{
    uint64_t tried = 0;
    for (size_t c = 0; c < sizeof memory_calls / sizeof *memory_calls; c++) {
        uint64_t stride = 1, missed = 0;
        /* Ranks take turns, and some have less to allocate than others. */
        for (uint64_t number = 1; missed < (uint64_t)world_size; number += stride) {
            bool failed = try_allocation(&memory_calls[c], number, number % 3 == 0, answer);
            missed = failed ? 0 : missed + 1;
            tried += failed;
            stride = number < 8 || missed > 0 ? 1 : share + (number % 2);
        }
    }
    if (world_rank == 0) {
        printf("# %llu allocations failed\n", (unsigned long long)tried);
    }
    if (tried < 20) {
        mpi_give_up("only %llu allocations failed", (unsigned long long)tried);
    }
}

int main(int argument_count, char **arguments)
{
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    uint64_t share = argument_count == 2 ? strtoull(arguments[1], NULL, 10) : 0;
    if (share == 0 || world_size < 2) {
        mpi_give_up("usage: mpi_failures SHARE, on two ranks or more");
    }
    try_creation();
    mpi_world *w = mpi_world_create(5, BODIES, PLIANT_MPI_OWNER_LOWER_ID);
    mpi_play(w, 0);
    uint64_t answer = answer_of(w);
    try_calls(w, answer);
    try_states(w, answer);
    try_duplicates(w, answer);
    try_borrowed(w, answer);
    try_members(w, answer); /* the last, since shapes stay */
    mpi_world_free(w);
    try_memory(share, answer);
    if (world_rank == 0) {
        printf("failures: done\n");
    }
    MPI_Finalize();
    return 0;
}
