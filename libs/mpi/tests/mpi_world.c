#include "mpi_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES = 48 };

void mpi_give_up(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void mpi_must(pliant_result result, const char *call)
{
    if (result != PLIANT_OK) {
        mpi_give_up("%s: %s: %s", call, pliant_result_get_name(result), pliant_last_error());
    }
}

uint64_t mpi_draw(const mpi_world *w, uint64_t what, uint64_t id, uint64_t step)
{
    rng r;
    rng_seed(&r, w->seed * 1000003 + what * 7919 + id * 104729 + step * 15485863);
    return rng_u64(&r);
}

uint64_t mpi_id(uint32_t number)
{
    uint64_t mixed = (number * 37u + 11u) % WORLD_MOST; /* a permutation */
    return mixed + 1 < WORLD_MOST ? mixed * (UINT64_MAX / WORLD_MOST) : UINT64_MAX - 1;
}

static pliant_shape *make_shape(const mpi_world *w, pliant_context *context, uint32_t shape)
{
    if (shape == WORLD_FREE) {
        return fixture_shape(context, &w->body[shape].mesh, fixture_usual_tree);
    }
    return model_case_shape(context, &w->body[shape], PLIANT_BOUND_AUTO, fixture_usual_tree);
}

mpi_world *mpi_world_create(uint64_t seed, uint32_t count, pliant_mpi_owner owner)
{
    mpi_world *w = calloc(1, sizeof *w);
    if (w == NULL) {
        mpi_give_up("no memory");
    }
    w->seed = seed;
    w->count = count;
    MPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w->size);
    for (uint32_t i = 0; i < count; i++) {
        rng same;
        uint32_t shape = i % WORLD_SHAPES;
        rng_seed(&same, seed * 31 + shape); /* bodies of one shape have one mesh and model */
        w->body[i] = model_case_create(shape < MODEL_KINDS ? (model_kind)shape : MODEL_RIGID,
                                       shape % 2 == 0 ? MODEL_ROUGH : MODEL_SMOOTH, 1.0, 0.0,
                                       TRIANGLES, &same);
    }
    w->context = fixture_context(&w->allocator);
    pliant_mpi_scene_def def = pliant_mpi_scene_def_default();
    def.communicator = (int)MPI_Comm_c2f(MPI_COMM_WORLD);
    def.owner = owner;
    MUST(pliant_mpi_scene_create(w->context, &def, &w->scene));
    if (w->rank == 0) {
        MUST(pliant_context_create(NULL, &w->plain));
        for (uint32_t s = 0; s < WORLD_SHAPES; s++) {
            w->plain_shape[s] = make_shape(w, w->plain, s);
        }
        for (uint32_t i = 0; i < count; i++) {
            MUST(pliant_body_create(w->plain_shape[i % WORLD_SHAPES], NULL, &w->plain_body[i]));
        }
    }
    return w;
}

void mpi_world_free(mpi_world *w)
{
    pliant_mpi_scene_destroy(w->scene);
    pliant_scene_destroy(w->truth);
    for (uint32_t i = 0; i < w->count; i++) {
        pliant_body_destroy(w->plain_body[i]);
        model_case_destroy(&w->body[i]);
    }
    for (uint32_t s = 0; s < WORLD_SHAPES; s++) {
        pliant_shape_destroy(w->shape[s]);
        pliant_shape_destroy(w->plain_shape[s]);
    }
    pliant_shape_destroy(w->other);
    pliant_context_destroy(w->context);
    pliant_context_destroy(w->plain);
    if (w->allocator.live != 0) {
        mpi_give_up("rank %d: %llu blocks of memory are left", w->rank,
                    (unsigned long long)w->allocator.live);
    }
    free(w);
}

/* ------------------------------------------------------------ who and where */

bool mpi_present(const mpi_world *w, uint32_t number, uint32_t step)
{
    return mpi_draw(w, 1, number, step / 3) % 6 != 0;
}

static void place_of(const mpi_world *w, uint32_t number, uint32_t step, double at[3])
{
    double side = 1.6 * cbrt(w->count);
    for (uint64_t k = 0; k < 3; k++) {
        double start = (double)(mpi_draw(w, 2 + k, number, 0) % 4096) / 4096.0;
        double speed = (double)(mpi_draw(w, 5 + k, number, 0) % 4096) / 4096.0 - 0.5;
        at[k] = side * (start + 0.1 * speed * step);
    }
}

pliant_member_def mpi_member(mpi_world *w, uint32_t number, uint32_t step)
{
    pliant_member_def def = pliant_member_def_default();
    uint64_t drawn = mpi_draw(w, 8, number, step / 4);
    def.category = UINT64_C(1) << drawn % 3;
    def.mask = drawn % 5 == 0 ? 5 : 7;
    def.self = drawn / 5 % 5 == 0;
    def.is_static = drawn / 25 % 6 == 0;
    if (drawn / 150 % 7 == 0) { /* its shape has group 0 alone */
        w->groups[number] = drawn / 1050 % 2;
        def.groups = (pliant_groups){&w->groups[number], 64};
    }
    if (number % 9 == 4) {
        double at[3];
        place_of(w, number, step, at);
        def.has_loose_box = true;
        for (int k = 0; k < 3; k++) {
            def.loose_box.lower[k] = k == 2 ? -INFINITY : (float)at[k] - 20.0f;
            def.loose_box.upper[k] = k == 2 ? INFINITY : (float)at[k] + 20.0f;
        }
    }
    return def;
}

void mpi_pose_one(mpi_world *w, uint32_t number, uint32_t step)
{
    rng r;
    double at[3];
    rng_seed(&r, mpi_draw(w, 9, number, step));
    place_of(w, number, step, at);
    model_case *c = &w->body[number];
    float world[12] = {0.7f,         0, 0, (float)at[0], 0,           0.7f, 0,
                       (float)at[1], 0, 0, 0.7f,         (float)at[2]};
    model_case_move(c, &r, false);
    model_case_place(c, world);
    if (number % WORLD_SHAPES == WORLD_FREE) { /* what a rigid one makes of it are its positions */
        c->placed = false;
    }
}

void mpi_pose(mpi_world *w, uint32_t step)
{
    for (uint32_t i = 0; i < w->count; i++) {
        mpi_pose_one(w, i, step);
    }
}

pliant_state mpi_state(const mpi_world *w, uint32_t number)
{
    const model_case *c = &w->body[number];
    if (number % WORLD_SHAPES == WORLD_FREE) {
        return (pliant_state){.positions = c->positions};
    }
    return (pliant_state){.coordinates = c->model.mode_count > 0 ? c->coordinates : NULL,
                          .coordinate_count = c->model.mode_count,
                          .transforms = c->model.joint_count > 0 ? c->transforms : NULL,
                          .transform_count = c->model.joint_count,
                          .world = c->world};
}

bool mpi_filter(void *user, uint64_t a, uint64_t b)
{
    return (a * 31 + b + *(const uint32_t *)user) % 4 != 0;
}

/* ---------------------------------------------------------------- playing it */

void mpi_join_on(mpi_world *w, uint32_t number, int rank, uint32_t step)
{
    uint32_t i = number, s = i % WORLD_SHAPES;
    w->there[i] = true;
    w->posed[i] = false;
    w->member_step[i] = step;
    if (rank != w->rank) {
        return;
    }
    if (pliant_mpi_scene_get_shape(w->scene, 100 + s) == NULL) {
        w->shape[s] = make_shape(w, w->context, s);
        MUST(pliant_mpi_scene_add_shape(w->scene, 100 + s, w->shape[s]));
    }
    pliant_body_def def = pliant_body_def_default();
    def.coherent = i % 4 == 1;
    def.rebuild = i % 3 == 0 ? PLIANT_REBUILD_AUTO : PLIANT_REBUILD_NEVER;
    def.update = (pliant_update)(i / WORLD_SHAPES % (PLIANT_UPDATE_FRONT + 1));
    pliant_member_def member = mpi_member(w, i, step);
    MUST(pliant_mpi_scene_add(w->scene, mpi_id(i), 100 + s, &def, &member));
}

static void change_members(mpi_world *w, uint32_t step)
{
    for (uint32_t i = 0; i < w->count; i++) {
        bool here = pliant_mpi_scene_get_body(w->scene, mpi_id(i)) != NULL;
        bool stays = w->there[i] && mpi_present(w, i, step);
        if (here && stays) {
            pliant_member_def member = mpi_member(w, i, step);
            MUST(pliant_mpi_scene_set_member(w->scene, mpi_id(i), &member));
        }
        w->member_step[i] = step;
    }
}

void mpi_play(mpi_world *w, uint32_t step)
{
    mpi_pose(w, step);
    change_members(w, step);
    for (uint32_t i = 0; i < w->count; i++) {
        bool is = mpi_present(w, i, step);
        if (w->there[i] && !is && (int)(mpi_draw(w, 11, i, step) % (uint64_t)w->size) == w->rank) {
            MUST(pliant_mpi_scene_remove(w->scene, mpi_id(i)));
        }
        if (!w->there[i] && is) {
            mpi_join_on(w, i, (int)(mpi_draw(w, 10, i, step) % (uint64_t)w->size), step);
        }
        w->there[i] = w->posed[i] = is;
    }
    pliant_mpi_state states[WORLD_MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        if (pliant_mpi_scene_get_body(w->scene, mpi_id(i)) != NULL) {
            states[count++] = (pliant_mpi_state){.id = mpi_id(i), .state = mpi_state(w, i)};
        }
    }
    MUST(pliant_mpi_scene_set_states(w->scene, states, count));
}

void mpi_make_truth(mpi_world *w)
{
    pliant_scene_destroy(w->truth);
    w->truth = NULL;
    MUST(pliant_scene_create(w->plain, NULL, &w->truth));
    /* In the order of ids, which the numbers are not in. */
    uint32_t index = 0, order[WORLD_MOST] = {0};
    for (uint32_t i = 0; i < WORLD_MOST; i++) {
        order[(i * 37u + 11u) % WORLD_MOST] = i;
    }
    for (uint32_t k = 0; k < WORLD_MOST; k++) {
        uint32_t i = order[k];
        if (i < w->count && w->there[i]) {
            pliant_member_def def = mpi_member(w, i, w->member_step[i]);
            pliant_body_id local;
            if (w->posed[i]) {
                pliant_state state = mpi_state(w, i);
                MUST(pliant_body_set_state(w->plain_body[i], &state));
            } else { /* at rest: another body */
                pliant_body_destroy(w->plain_body[i]);
                MUST(pliant_body_create(w->plain_shape[i % WORLD_SHAPES], NULL, &w->plain_body[i]));
            }
            MUST(pliant_scene_add(w->truth, w->plain_body[i], &def, &local));
            w->id_of[index++] = i;
        }
    }
}
