#include "mpi_ask.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "failing_memory.h"

enum { RAYS = 24 };

/* ------------------------------------------------------------- memory that fails */

static uint64_t draw_trap(life *l, uint64_t below)
{
    rng r;
    rng_seed(&r, l->trap++);
    return rng_u64(&r) % below;
}

void mpi_set_trap(life *l)
{
    counting_allocator *memory = &l->w->allocator;
    if (l->trap != 0) { /* all ranks draw the same */
        int rank = (int)draw_trap(l, (uint64_t)l->w->size);
        uint64_t number = 1 + draw_trap(l, draw_trap(l, 2) == 0 ? 4 : 40);
        bool all_behind = draw_trap(l, 3) == 0;
        if (l->w->rank == rank) {
            memory->fail_at = memory->calls + number;
            memory->fail_from_there = all_behind;
        }
    }
}

bool mpi_look_into_trap(life *l, pliant_result result, const char *call)
{
    mpi_world *w = l->w;
    counting_allocator *memory = &w->allocator;
    char own[256] = {0}, first[256];
    if (l->trap == 0) {
        mpi_must(result, call);
        return false;
    }
    int failed = memory->fail_at != 0 && memory->calls >= memory->fail_at;
    memory->fail_at = 0;
    memory->fail_from_there = false;
    snprintf(own, sizeof own, "%d %s", (int)result, result != PLIANT_OK ? pliant_last_error() : "");
    memcpy(first, own, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    /* A tree that is to be built anew may stay as it is without memory: that is no failure. */
    bool fine = result == PLIANT_OK || (failed && result == PLIANT_ERROR_OUT_OF_MEMORY);
    if (!fine || strcmp(own, first) != 0) {
        mpi_give_up("%s: rank %d got \"%s\", rank 0 \"%s\"", call, w->rank, own, first);
    }
    l->tried++;
    l->refused += result != PLIANT_OK;
    return result != PLIANT_OK;
}

static void fold(life *l, const void *bytes, size_t size)
{
    l->hash = hash_bytes(l->hash, bytes, size);
}

/* ------------------------------------------------------------------ contacts */

static bool plain_filter(void *user, pliant_body_id a, pliant_body_id b)
{
    const void *const *both = user;
    const mpi_world *w = both[0];
    uint64_t x = mpi_id(w->id_of[a.index]), y = mpi_id(w->id_of[b.index]);
    return mpi_filter((void *)(uintptr_t)both[1], x, y);
}

static bool same_bytes(const void *a, const void *b, uint64_t count, size_t size)
{
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

static void check_contacts(life *l, const pliant_mpi_options *options, uint32_t step,
                           const pliant_mpi_contacts *all)
{
    mpi_world *w = l->w;
    const void *user[2] = {w, &step};
    pliant_scene_options plain = pliant_scene_options_default();
    plain.mode = options->mode;
    plain.segments = options->segments;
    plain.separations = options->separations;
    plain.separation_side = options->separation_side;
    plain.filter = options->filter != NULL ? plain_filter : NULL;
    plain.filter_user = user;
    pliant_scene_contacts truth;
    MUST(pliant_scene_collide(w->truth, &plain, &truth));
    if (all->body_pair_count != truth.body_pair_count || all->count != truth.count) {
        mpi_give_up("step %u: %llu pairs of bodies and %llu of triangles, not %u and %llu", step,
                    (unsigned long long)all->body_pair_count, (unsigned long long)all->count,
                    truth.body_pair_count, (unsigned long long)truth.count);
    }
    for (uint32_t i = 0; i < truth.body_pair_count; i++) {
        const pliant_scene_pair *a = &truth.bodies[i];
        const pliant_mpi_pair *b = &all->bodies[i];
        if (mpi_id(w->id_of[a->a.index]) != b->a || mpi_id(w->id_of[a->b.index]) != b->b ||
            a->first != b->first || a->count != b->count) {
            mpi_give_up("step %u: pair of bodies %u is another", step, i);
        }
        fold(l, b, sizeof *b);
    }
    bool first = options->mode == PLIANT_COLLIDE_FIRST; /* which pair it is, is not promised */
    if (!first && (!same_bytes(all->pairs, truth.pairs, truth.count, sizeof *truth.pairs) ||
                   (options->segments && !same_bytes(all->segments, truth.segments, truth.count,
                                                     sizeof *truth.segments)) ||
                   (options->separations && !same_bytes(all->separations, truth.separations,
                                                        truth.count, sizeof *truth.separations)))) {
        mpi_give_up("step %u: pairs of triangles or their geometry differ", step);
    }
    if (!first) {
        fold(l, all->pairs, (size_t)all->count * sizeof *all->pairs);
    }
    l->pairs += truth.body_pair_count;
}

/* All pairs of bodies that nothing keeps apart, triangle by triangle. */
static void check_brute(life *l, uint32_t step, const pliant_mpi_contacts *all)
{
    mpi_world *w = l->w;
    uint32_t count = pliant_scene_get_body_count(w->truth);
    uint64_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i; k < count; k++) {
            uint32_t x = w->id_of[i], y = w->id_of[k];
            pliant_member_def a = mpi_member(w, x, w->member_step[x]);
            pliant_member_def b = mpi_member(w, y, w->member_step[y]);
            bool groups = (a.groups.bits == NULL || (*a.groups.bits & 1)) &&
                          (b.groups.bits == NULL || (*b.groups.bits & 1));
            if (i == k || !(a.category & b.mask) || !(b.category & a.mask) ||
                (a.is_static && b.is_static) || !groups) {
                continue;
            }
            brute_pairs list = {0};
            brute_body one = model_case_brute(&w->body[x]), other = model_case_brute(&w->body[y]);
            brute_collide(&one, &other, &list);
            while (next < all->body_pair_count && all->bodies[next].a == all->bodies[next].b) {
                next++; /* with itself */
            }
            if (list.count > 0) {
                const pliant_mpi_pair *pair = &all->bodies[next++];
                if (next > all->body_pair_count || pair->a != mpi_id(x) || pair->b != mpi_id(y) ||
                    pair->count != list.count ||
                    !same_bytes(all->pairs + pair->first, list.pairs, list.count,
                                sizeof *list.pairs)) {
                    mpi_give_up("step %u: brute force says otherwise", step);
                }
                l->brute += list.count;
            }
            brute_free(&list);
        }
    }
}

/* -------------------------------------------------------------------- events */

static pliant_touch touch_of(const life *l, const pliant_mpi_contacts *all, uint64_t a, uint64_t b)
{
    bool was = false, is = false;
    for (uint64_t i = 0; i < l->touched_count; i++) {
        was = was || (l->touched[i][0] == a && l->touched[i][1] == b);
    }
    for (uint64_t i = 0; i < all->body_pair_count; i++) {
        is = is || (all->bodies[i].a == a && all->bodies[i].b == b);
    }
    if (!was && !is) {
        mpi_give_up("an event of bodies that never touched");
    }
    return was ? is ? PLIANT_TOUCH_ONGOING : PLIANT_TOUCH_ENDED : PLIANT_TOUCH_BEGAN;
}

static void check_events(life *l, const pliant_mpi_contacts *all, const pliant_mpi_event *events,
                         uint64_t count)
{
    uint64_t ended = 0;
    for (uint64_t i = 0; i < count; i++) {
        const pliant_mpi_event *e = &events[i];
        if (i > 0 && (e->a < e[-1].a || (e->a == e[-1].a && e->b <= e[-1].b))) {
            mpi_give_up("events are not in order");
        }
        if (touch_of(l, all, e->a, e->b) != e->touch) {
            mpi_give_up("a wrong event");
        }
        ended += e->touch == PLIANT_TOUCH_ENDED;
        l->events[e->touch]++;
    }
    if (count - ended != all->body_pair_count) {
        mpi_give_up("%llu events for %llu pairs", (unsigned long long)(count - ended),
                    (unsigned long long)all->body_pair_count);
    }
    l->touched_count = all->body_pair_count;
    for (uint64_t i = 0; i < all->body_pair_count; i++) {
        l->touched[i][0] = all->bodies[i].a;
        l->touched[i][1] = all->bodies[i].b;
    }
}

void mpi_ask_contacts(life *l, uint32_t step, bool brute)
{
    mpi_world *w = l->w;
    pliant_mpi_options options = pliant_mpi_options_default();
    pliant_mpi_contacts own, all;
    options.events = step % 5 != 4;
    options.mode = step % 4 == 2 ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    options.segments = step % 4 == 1 || step % 4 == 3;
    options.separations = step % 4 == 1;
    options.separation_side = PLIANT_SEPARATION_FRONT_OF_A;
    options.filter = step % 4 == 3 ? mpi_filter : NULL;
    options.filter_user = &step;
    TRY(l, pliant_mpi_scene_collide(w->scene, &options, &own));
    l->ghosts += pliant_mpi_scene_get_stats(w->scene)->ghosts;
    TRY(l, pliant_mpi_scene_gather_contacts(w->scene, &all));
    if (w->rank == 0) {
        check_contacts(l, &options, step, &all);
        if (brute) {
            check_brute(l, step, &all);
        }
    } else if (all.count != 0) {
        mpi_give_up("rank %d has gathered something", w->rank);
    }
    if (options.events) {
        const pliant_mpi_event *events = NULL;
        uint64_t count = 0;
        pliant_mpi_contacts kept = all; /* arrays that the next gather leaves alone */
        TRY(l, pliant_mpi_scene_gather_events(w->scene, &events, &count));
        if (w->rank == 0) {
            check_events(l, &kept, events, count);
        }
    }
}

/* -------------------------------------------------------- distances and rays */

void mpi_ask_within(life *l, float distance)
{
    mpi_world *w = l->w;
    pliant_mpi_proximities own, all;
    TRY(l, pliant_mpi_scene_find_within(w->scene, distance, NULL, &own));
    TRY(l, pliant_mpi_scene_gather_proximities(w->scene, &all));
    if (w->rank != 0) {
        return;
    }
    pliant_scene_proximities truth;
    MUST(pliant_scene_find_within(w->truth, distance, NULL, &truth));
    if (all.body_pair_count != truth.body_pair_count || all.count != truth.count ||
        !same_bytes(all.pairs, truth.pairs, truth.count, sizeof *truth.pairs)) {
        mpi_give_up("other triangles are within %g", (double)distance);
    }
    fold(l, all.pairs, (size_t)all.count * sizeof *all.pairs);
    l->near_pairs += truth.count;
}

static pliant_ray ray_of(const mpi_world *w, uint32_t number, uint32_t step)
{
    rng r;
    pliant_ray ray;
    rng_seed(&r, mpi_draw(w, 12, number, step));
    double side = 1.6 * cbrt(w->count);
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = (float)rng_range(&r, -1.0, side + 1.0);
        ray.direction[k] = (float)rng_range(&r, -1.0, 1.0);
    }
    ray.t_max = number % 3 == 0 ? INFINITY : (float)rng_range(&r, 0.0, 6.0);
    if (number % 5 == 0) { /* through a vertex of a body, where several triangles are hit at once */
        const model_case *c = &w->body[mpi_draw(w, 13, number, step) % w->count];
        for (int k = 0; k < 3; k++) {
            ray.direction[k] = c->positions[k] - ray.origin[k];
        }
        ray.t_max = 2.0f;
    }
    return ray;
}

void mpi_ask_rays(life *l, uint32_t step)
{
    mpi_world *w = l->w;
    pliant_ray rays[RAYS], mine[RAYS];
    pliant_mpi_ray_hit hits[RAYS], found[RAYS];
    uint8_t blocked[RAYS] = {0};
    bool own_blocked[RAYS];
    uint32_t count = 0;
    memset(hits, 0, sizeof hits);
    for (uint32_t i = 0; i < RAYS; i++) {
        rays[i] = ray_of(w, i, step);
        if ((int)i % w->size == w->rank) {
            mine[count++] = rays[i];
        }
    }
    pliant_mpi_select select = pliant_mpi_select_default();
    select.mask = 3;
    const pliant_mpi_select *used = step % 2 == 0 ? NULL : &select;
    TRY(l, pliant_mpi_scene_raycast(w->scene, mine, count, used, found));
    TRY(l, pliant_mpi_scene_raycast_any(w->scene, mine, count, used, own_blocked));
    for (uint32_t i = 0, next = 0; i < RAYS; i++) {
        if ((int)i % w->size == w->rank) {
            blocked[i] = own_blocked[next];
            hits[i] = found[next++];
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, hits, (int)sizeof hits, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, blocked, RAYS, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    if (w->rank != 0) {
        return;
    }
    pliant_scene_ray_hit truth[RAYS];
    pliant_scene_select plain = pliant_scene_select_default();
    plain.mask = 3;
    MUST(pliant_scene_raycast(w->truth, rays, RAYS, used != NULL ? &plain : NULL, truth));
    for (uint32_t i = 0; i < RAYS; i++) {
        bool hit = truth[i].body.generation != 0;
        const pliant_ray_hit *a = &truth[i].hit, *b = &hits[i].hit;
        uint64_t id = hit ? mpi_id(w->id_of[truth[i].body.index]) : UINT64_MAX;
        bool same = id == hits[i].body && a->t == b->t && a->triangle == b->triangle &&
                    a->group == b->group && hit == (blocked[i] != 0);
        for (int k = 0; k < 3; k++) {
            same = same && a->weights[k] == b->weights[k] && a->point[k] == b->point[k];
        }
        if (!same) {
            mpi_give_up("step %u: ray %u meets something else", step, i);
        }
        fold(l, &id, sizeof id);
        fold(l, &b->t, sizeof b->t);
        l->hits += hit;
    }
}

/* ------------------------------------------------------------------- balance */

void mpi_ask_balance(life *l, double most)
{
    pliant_mpi_balance found;
    TRY(l, pliant_mpi_scene_balance(l->w->scene, most, &found));
    for (uint32_t i = 0; i < found.move_count; i++) {
        const pliant_mpi_move *move = &found.moves[i];
        bool here = pliant_mpi_scene_get_body(l->w->scene, move->id) != NULL;
        if (here != ((int)move->to == l->w->rank) || move->from == move->to ||
            (i > 0 && move[-1].id >= move->id)) {
            mpi_give_up("a body moved that did not");
        }
    }
    l->moved += found.move_count;
}
