/*
 * What lies at the edges of scenes over MPI: bodies that are torn, scenes that one rank destroys,
 * arguments that one rank lacks, distances that two boxes are apart by, and what a body keeps when
 * it moves to another rank.
 *
 *   mpi_edges      on two ranks or more
 */
#include "mpi_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"

enum { TRIANGLES = 320, KEY = 7 };

typedef struct edges {
    int rank, size;
    counting_allocator allocator;
    pliant_context *context;
    pliant_shape *sphere;
    uint32_t vertex_count;
    float *positions;
    pliant_mpi_scene *scene;
} edges;

/* All ranks must have got `expected`, with one sentence, which has `part` in it. */
static void expect(const edges *e, pliant_result result, pliant_result expected, const char *part)
{
    char own[256] = {0}, first[256];
    snprintf(own, sizeof own, "%d %s", (int)result, result != PLIANT_OK ? pliant_last_error() : "");
    memcpy(first, own, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (result != expected || strcmp(own, first) != 0 || strstr(own, part) == NULL) {
        mpi_give_up("\"%s\": rank %d got \"%s\", rank 0 \"%s\"", part, e->rank, own, first);
    }
}

static pliant_mpi_scene_def scene_def(void)
{
    pliant_mpi_scene_def def = pliant_mpi_scene_def_default();
    def.communicator = (int)MPI_Comm_c2f(MPI_COMM_WORLD);
    return def;
}

static void start(edges *e)
{
    pliant_mpi_scene_def def = scene_def();
    MUST(pliant_mpi_scene_create(e->context, &def, &e->scene));
    MUST(pliant_mpi_scene_add_shape(e->scene, KEY, e->sphere));
}

static void finish(edges *e)
{
    pliant_mpi_scene_destroy(e->scene);
    e->scene = NULL;
}

/* --------------------------------------------------------------------- scenes */

/* One rank has no context, or nowhere to put the scene: all are told. */
static void try_arguments(const edges *e)
{
    pliant_mpi_scene_def def = scene_def();
    pliant_mpi_scene *scene = NULL;
    expect(e, pliant_mpi_scene_create(e->rank == 1 ? NULL : e->context, &def, &scene),
           PLIANT_ERROR_ARGUMENT, "context is NULL");
    expect(e, pliant_mpi_scene_create(e->context, &def, e->rank == 1 ? NULL : &scene),
           PLIANT_ERROR_ARGUMENT, "scene is NULL");
}

/* One rank destroys the scene while the others ask, or fail at that. */
static void try_destroying(edges *e)
{
    for (int failing = 0; failing < 2; failing++) {
        pliant_mpi_contacts contacts;
        start(e);
        if (e->rank != 1) {
            pliant_result result = pliant_mpi_scene_collide(
                e->scene, NULL, failing && e->rank == 0 ? NULL : &contacts);
            if (result != PLIANT_ERROR_ARGUMENT ||
                (!failing && strstr(pliant_last_error(), "pliant_mpi_scene_destroy()") == NULL)) {
                mpi_give_up("rank %d: a scene that is gone: %s", e->rank, pliant_last_error());
            }
            result = pliant_mpi_scene_balance(e->scene, 0.1, NULL);
            if (result != PLIANT_ERROR_STATE || strstr(pliant_last_error(), "destroyed") == NULL) {
                mpi_give_up("rank %d: a scene that is gone answers", e->rank);
            }
        }
        finish(e);
    }
}

/* --------------------------------------------------------------------- bodies */

static pliant_mpi_state state_at(const edges *e, uint64_t id, float *to, float x)
{
    for (uint32_t v = 0; v < e->vertex_count; v++) {
        for (uint32_t k = 0; k < 3; k++) {
            to[3 * v + k] = e->positions[3 * v + k] + (k == 0 ? x : 0.0f);
        }
    }
    return (pliant_mpi_state){.id = id, .state = {.positions = to}};
}

/* A torn body of one rank stops all of them until it is out; the lowest one is named. */
static void try_torn(edges *e)
{
    pliant_mpi_contacts before, after;
    pliant_mpi_ray_hit hit;
    pliant_ray ray = {.direction = {1, 0, 0}, .t_max = 1.0f};
    uint64_t id = (uint64_t)e->rank;
    float *moved = malloc((size_t)3 * e->vertex_count * sizeof *moved);
    if (moved == NULL) {
        mpi_give_up("no memory");
        return;
    }
    start(e);
    MUST(pliant_mpi_scene_add(e->scene, id, KEY, NULL, NULL));
    MUST(pliant_mpi_scene_collide(e->scene, NULL, &before));
    if (e->rank == 1) {
        const uint32_t split[1] = {0};
        const pliant_tear tear = {.split = split, .split_count = 1};
        pliant_body *body = pliant_mpi_scene_get_body(e->scene, id);
        MUST(pliant_body_tear(body, &tear));
        if (pliant_mpi_scene_add_shape(e->scene, 99, pliant_body_get_shape(body)) !=
            PLIANT_ERROR_STATE) {
            mpi_give_up("a torn shape was taken: %s", pliant_last_error());
        }
    }
    const char *part = "body 1, on rank 1: it was torn";
    expect(e, pliant_mpi_scene_collide(e->scene, NULL, &after), PLIANT_ERROR_STATE, part);
    expect(e, pliant_mpi_scene_raycast(e->scene, &ray, 1, NULL, &hit), PLIANT_ERROR_STATE, part);
    expect(e, pliant_mpi_scene_balance(e->scene, 0.0, NULL), PLIANT_ERROR_STATE, part);
    pliant_mpi_state state = state_at(e, id, moved, 0.5f);
    expect(e, pliant_mpi_scene_set_states(e->scene, &state, 1), PLIANT_ERROR_STATE, part);
    if (e->rank == 0) { /* taken out from elsewhere, and another one by its id: that one stays */
        MUST(pliant_mpi_scene_remove(e->scene, 1));
        MUST(pliant_mpi_scene_add(e->scene, 1, KEY, NULL, NULL));
    }
    MUST(pliant_mpi_scene_collide(e->scene, NULL, &after));
    uint64_t counts[2] = {before.body_pair_count, after.body_pair_count};
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    bool here = pliant_mpi_scene_get_body(e->scene, 1) != NULL;
    if (counts[0] != counts[1] || counts[0] == 0 || here != (e->rank == 0)) {
        mpi_give_up("without the torn body there are %llu pairs, not %llu",
                    (unsigned long long)counts[1], (unsigned long long)counts[0]);
    }
    if (pliant_mpi_scene_remove(e->scene, UINT64_MAX) != PLIANT_ERROR_RANGE) {
        mpi_give_up("nobody was removed");
    }
    free(moved);
    finish(e);
}

/* Bodies at rest are given borrowed positions, which one rank refuses: they are at rest again, even
   if there is no memory left on the other. */
static void try_rest(edges *e)
{
    enum { MOST = 12 };
    uint64_t id = (uint64_t)e->rank;
    float *moved = malloc((size_t)3 * e->vertex_count * sizeof *moved);
    if (moved == NULL) {
        mpi_give_up("no memory");
        return;
    }
    for (uint64_t number = 1; number <= MOST; number++) {
        pliant_mpi_contacts contacts;
        start(e);
        MUST(pliant_mpi_scene_add(e->scene, id, KEY, NULL, NULL));
        pliant_mpi_state state = state_at(e, id, moved, 50.0f * (float)(e->rank + 1));
        state.state.shares_positions = true;
        float bad[12] = {NAN};
        state.state.world = e->rank == 0 ? bad : NULL;
        if (e->rank == 1) {
            e->allocator.fail_at = e->allocator.calls + number;
            e->allocator.fail_from_there = true;
        }
        pliant_result result = pliant_mpi_scene_set_states(e->scene, &state, 1);
        e->allocator.fail_at = 0;
        e->allocator.fail_from_there = false;
        if (result == PLIANT_OK) {
            mpi_give_up("a bad state was taken");
        }
        MUST(pliant_mpi_scene_collide(e->scene, NULL, &contacts));
        uint64_t count = contacts.body_pair_count;
        MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        if (count != (uint64_t)(e->size * (e->size - 1) / 2)) {
            mpi_give_up("bodies are not at rest again: allocation %llu",
                        (unsigned long long)number);
        }
        finish(e);
    }
    free(moved);
}

/* Two bodies on different ranks are apart by d and a bit: what one process lists, ranks list too.
 */
static void try_slack(edges *e)
{
    static const float ulps[] = {0, 1, 2, 3, 4, 6, 8, 16};
    const uint64_t ids[2] = {5, 6};
    float *to[2] = {NULL, NULL};
    uint64_t most = 0;
    pliant_body *body[2] = {NULL, NULL};
    pliant_query *query = NULL;
    MUST(pliant_query_create(e->context, &query));
    start(e);
    for (int i = 0; i < 2; i++) {
        to[i] = malloc((size_t)3 * e->vertex_count * sizeof **to);
        if (to[i] == NULL) {
            mpi_give_up("no memory");
            return;
        }
        MUST(pliant_body_create(e->sphere, NULL, &body[i]));
        if (e->rank == i) {
            MUST(pliant_mpi_scene_add(e->scene, ids[i], KEY, NULL, NULL));
        }
    }
    for (size_t n = 0; n < sizeof ulps / sizeof *ulps; n++) {
        pliant_mpi_state states[2];
        for (int i = 0; i < 2; i++) {
            states[i] = state_at(e, ids[i], to[i], 0.0f);
            for (uint32_t v = 0; v < e->vertex_count; v++) { /* flat where they face each other */
                float x = fmaxf(-0.5f, fminf(to[i][3 * v], 0.5f));
                to[i][3 * v] = i == 0 ? x : x + 1.3f;
            }
            MUST(pliant_body_set_state(body[i], &states[i].state));
        }
        pliant_box a, b;
        MUST(pliant_body_get_bounds(body[0], &a));
        MUST(pliant_body_get_bounds(body[1], &b));
        float gap = b.lower[0] - a.upper[0];
        float distance = gap * (1.0f - ulps[n] * 0x1p-23f);
        MUST(pliant_mpi_scene_set_states(e->scene, e->rank < 2 ? &states[e->rank] : NULL,
                                         e->rank < 2));
        pliant_mpi_proximities own;
        pliant_proximities truth;
        MUST(pliant_mpi_scene_find_within(e->scene, distance, NULL, &own));
        MUST(pliant_find_within(query, body[0], body[1], distance, NULL, &truth));
        uint64_t found = own.count;
        MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        if (found != truth.count) {
            mpi_give_up("%g ulps beyond %g: %llu pairs, not %llu", (double)ulps[n],
                        (double)distance, (unsigned long long)found,
                        (unsigned long long)truth.count);
        }
        most = truth.count > most ? truth.count : most;
    }
    if (most == 0) {
        mpi_give_up("nothing was listed at a distance: nothing was tried");
    }
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(body[i]);
        free(to[i]);
    }
    pliant_query_destroy(query);
    finish(e);
}

/* A body that is to build its tree anew does so on every rank that it comes to. */
static void try_moved(edges *e)
{
    enum { MANY = 8, STEPS = 30 };
    uint32_t count = 0;
    float *all = malloc((size_t)MANY * 3 * e->vertex_count * sizeof *all);
    if (all == NULL) {
        mpi_give_up("no memory");
        return;
    }
    start(e);
    pliant_body_def def = pliant_body_def_default();
    def.rebuild = PLIANT_REBUILD_AUTO;
    for (uint64_t i = 0; i < MANY && e->rank == 0; i++) {
        MUST(pliant_mpi_scene_add(e->scene, i, KEY, &def, NULL));
    }
    pliant_mpi_contacts contacts;
    MUST(pliant_mpi_scene_collide(e->scene, NULL, &contacts));
    MUST(pliant_mpi_scene_balance(e->scene, 0.0, NULL));
    const uint64_t *ids = pliant_mpi_scene_get_ids(e->scene, &count);
    if (count == 0) {
        mpi_give_up("rank %d has got nobody", e->rank);
    }
    int everywhere = 0; /* on all ranks */
    for (uint32_t step = 0; step < STEPS && !everywhere; step++) {
        pliant_mpi_state states[MANY];
        for (uint32_t i = 0; i < count; i++) { /* triangles fly apart */
            float *to = all + (size_t)i * 3 * e->vertex_count, side = (float)(step + 1);
            states[i] = state_at(e, ids[i], to, 0.01f * (float)ids[i]);
            for (uint32_t v = 0; v < e->vertex_count; v++) {
                for (uint32_t k = 0; k < 3; k++) {
                    to[3 * v + k] += side * (float)((v * 7919 + k * 104729) % 31);
                }
            }
        }
        MUST(pliant_mpi_scene_set_states(e->scene, states, count));
        MUST(pliant_mpi_scene_collide(e->scene, NULL, &contacts));
        for (uint32_t i = 0; i < count; i++) {
            pliant_body_quality quality;
            MUST(pliant_body_get_quality(pliant_mpi_scene_get_body(e->scene, ids[i]), &quality));
            everywhere = everywhere || quality.rebuilds > 0;
        }
        MPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    }
    if (!everywhere) {
        mpi_give_up("there is a rank on which no tree was built anew");
    }
    free(all);
    finish(e);
}

int main(int argument_count, char **arguments)
{
    edges e = {0};
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &e.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &e.size);
    if (e.size < 2) {
        mpi_give_up("usage: mpi_edges, on two ranks or more");
    }
    e.context = fixture_context(&e.allocator);
    e.sphere = fixture_sphere(e.context, TRIANGLES, fixture_usual_tree);
    e.vertex_count = pliant_shape_get_vertex_count(e.sphere);
    e.positions = malloc((size_t)3 * e.vertex_count * sizeof *e.positions);
    pliant_body *rest = NULL;
    MUST(pliant_body_create(e.sphere, NULL, &rest));
    if (e.positions == NULL) {
        mpi_give_up("no memory");
        return 1;
    }
    MUST(pliant_body_evaluate(rest, NULL, e.vertex_count, e.positions));
    pliant_body_destroy(rest);
    try_arguments(&e);
    try_destroying(&e);
    try_torn(&e);
    try_rest(&e);
    try_slack(&e);
    try_moved(&e);
    pliant_shape_destroy(e.sphere);
    pliant_context_destroy(e.context);
    free(e.positions);
    if (e.allocator.live != 0) {
        mpi_give_up("rank %d: %llu blocks of memory are left", e.rank,
                    (unsigned long long)e.allocator.live);
    }
    if (e.rank == 0) {
        printf("edges: done\n");
    }
    MPI_Finalize();
    return 0;
}
