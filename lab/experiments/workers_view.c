/* A cast on so many workers: its bodies in a scene, step by step. */
#include "workers.h"

#include <stdlib.h>
#include <string.h>

static uint32_t shape_of(const workers_cast *cast, uint32_t body)
{
    return cast->shape_of != NULL ? cast->shape_of[body] : 0;
}

static bool add_body(const workers_cast *cast, workers_view *view, uint32_t i)
{
    pliant_member_def member = pliant_member_def_default();
    pliant_body_id id;
    pliant_shape **shape = &view->shapes[shape_of(cast, i)];
    member.proxies = cast->proxies;
    return (*shape != NULL || cast->make_shape(cast, view->context, shape_of(cast, i), shape)) &&
           pliant_body_create(*shape, NULL, &view->bodies[i]) == PLIANT_OK &&
           pliant_scene_add(view->scene, view->bodies[i], &member, &id) == PLIANT_OK;
}

bool workers_view_create(const workers_cast *cast, uint32_t workers, const bench_settings *settings,
                         workers_view *view)
{
    pliant_context_def def = pliant_context_def_default();
    def.isa = settings->isa;
    def.workers = workers;
    *view = (workers_view){.shapes = calloc(cast->body_count, sizeof(pliant_shape *)),
                           .bodies = calloc(cast->body_count, sizeof(pliant_body *))};
    bool done = view->shapes != NULL && view->bodies != NULL &&
                pliant_context_create(&def, &view->context) == PLIANT_OK &&
                pliant_scene_create(view->context, NULL, &view->scene) == PLIANT_OK;
    for (uint32_t i = 0; done && i < cast->body_count; i++) {
        done = add_body(cast, view, i);
    }
    return done;
}

void workers_view_free(const workers_cast *cast, workers_view *view)
{
    pliant_scene_destroy(view->scene);
    for (uint32_t i = 0; view->bodies != NULL && i < cast->body_count; i++) {
        pliant_body_destroy(view->bodies[i]);
    }
    for (uint32_t i = 0; view->shapes != NULL && i < cast->body_count; i++) {
        pliant_shape_destroy(view->shapes[i]);
    }
    pliant_context_destroy(view->context);
    free(view->shapes);
    free(view->bodies);
    free(view->ranges);
}

static bool set_state(pliant_body *body, const workers_state *state)
{
    const pliant_shape *shape = pliant_body_get_shape(body);
    return (state->positions == NULL ||
            pliant_body_share_positions(body, state->positions, 0) == PLIANT_OK) &&
           (state->coordinates == NULL ||
            pliant_body_set_coordinates(body, state->coordinates,
                                        pliant_shape_get_mode_count(shape)) == PLIANT_OK) &&
           (state->transforms == NULL ||
            pliant_body_set_transforms(body, state->transforms, pliant_shape_get_joint_count(shape),
                                       0) == PLIANT_OK);
}

static bool set_states(const workers_cast *cast, const workers_view *view)
{
    bool done = true;
    for (uint32_t i = 0; i < cast->body_count && done; i++) {
        done = set_state(view->bodies[i], &cast->states[i]);
    }
    return done;
}

static bool reserve_ranges(workers_view *view, uint32_t count)
{
    if (view->range_capacity < count) {
        free(view->ranges);
        view->range_capacity = 2 * (size_t)count;
        view->ranges = malloc(view->range_capacity * sizeof *view->ranges);
        view->range_capacity = view->ranges != NULL ? view->range_capacity : 0;
    }
    return count == 0 || view->ranges != NULL;
}

/* An answer as a whole, whatever its order. */
static bool summarise(workers_view *view, const pliant_scene_pair *bodies, uint32_t count,
                      const pliant_pair *pairs, bench_summary *found)
{
    if (!reserve_ranges(view, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const pliant_scene_pair *pair = &bodies[i];
        view->ranges[i] = (bench_range){pair->a.index, pair->b.index, pair->first, pair->count};
    }
    bench_outcome outcome = {.pairs = pairs, .ranges = view->ranges, .range_count = count};
    *found = bench_summarise(&outcome);
    return true;
}

static bool collide(workers_view *view, double *ended, bench_summary *found)
{
    pliant_scene_contacts contacts;
    bool done = pliant_scene_collide(view->scene, NULL, &contacts) == PLIANT_OK;
    *ended = bench_wall_seconds();
    return done &&
           summarise(view, contacts.bodies, contacts.body_pair_count, contacts.pairs, found);
}

/* Of a contact of proxies only the two proxies are kept, as if they were triangles. */
static bool collide_proxies(workers_view *view, double *ended, bench_summary *found)
{
    pliant_scene_proxy_contacts contacts;
    bool done = pliant_scene_collide_proxies(view->scene, NULL, &contacts) == PLIANT_OK;
    *ended = bench_wall_seconds();
    pliant_pair *pairs = malloc((contacts.count + 1) * sizeof *pairs);
    for (uint64_t i = 0; done && pairs != NULL && i < contacts.count; i++) {
        pairs[i] = (pliant_pair){contacts.contacts[i].a.id, contacts.contacts[i].b.id};
    }
    done = done && pairs != NULL &&
           summarise(view, contacts.bodies, contacts.body_pair_count, pairs, found);
    free(pairs);
    return done;
}

bool workers_view_step(const workers_cast *cast, workers_view *view, double seconds[WORKERS_STAGES],
                       bench_summary *found)
{
    double ended = 0.0, start = bench_wall_seconds();
    bool done = set_states(cast, view);
    double set = bench_wall_seconds();
    done = done &&
           (cast->proxies ? collide_proxies(view, &ended, found) : collide(view, &ended, found));
    const pliant_scene_stats *stats = pliant_scene_get_stats(view->scene);
    seconds[WORKERS_WHOLE] = ended - start;
    seconds[WORKERS_SET] = set - start;
    seconds[WORKERS_BOUNDS] = stats->narrow.seconds_update;
    seconds[WORKERS_BROAD] = stats->seconds_broad;
    seconds[WORKERS_NARROW] = stats->seconds_narrow;
    seconds[WORKERS_COLLECT] = stats->seconds_collect;
    return done;
}
