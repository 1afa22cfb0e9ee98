/* A crowd on so many workers: its bodies in a scene, step by step. */
#include "crowd.h"

#include <stdlib.h>
#include <string.h>

static bool add_body(const crowd *c, const pliant_body_def *def, crowd_scene *own, uint32_t i)
{
    pliant_member_def member = pliant_member_def_default();
    pliant_shape **shape = &own->shapes[crowd_shape_of(c, i)];
    member.proxies = c->proxies;
    return (*shape != NULL || crowd_make_shape(c, own->context, crowd_shape_of(c, i), shape)) &&
           pliant_body_create(*shape, def, &own->bodies[i]) == PLIANT_OK &&
           pliant_scene_add(own->scene, own->bodies[i], &member, &own->states[i].body) ==
               PLIANT_OK &&
           own->states[i].body.index == i;
}

bool crowd_scene_create(const crowd *c, const pliant_body_def *def, uint32_t workers,
                        const bench_settings *settings, crowd_scene *own)
{
    pliant_context_def context = pliant_context_def_default();
    context.isa = settings->isa;
    context.workers = workers;
    *own = (crowd_scene){.body_count = c->body_count,
                         .shapes = calloc(c->body_count, sizeof(pliant_shape *)),
                         .bodies = calloc(c->body_count, sizeof(pliant_body *)),
                         .states = calloc(c->body_count, sizeof *own->states)};
    bool done = own->shapes != NULL && own->bodies != NULL && own->states != NULL &&
                pliant_context_create(&context, &own->context) == PLIANT_OK &&
                pliant_scene_create(own->context, NULL, &own->scene) == PLIANT_OK;
    for (uint32_t i = 0; done && i < c->body_count; i++) {
        done = add_body(c, def, own, i);
    }
    return done;
}

void crowd_scene_free(crowd_scene *own)
{
    pliant_scene_destroy(own->scene);
    for (uint32_t i = 0; own->bodies != NULL && i < own->body_count; i++) {
        pliant_body_destroy(own->bodies[i]);
    }
    for (uint32_t i = 0; own->shapes != NULL && i < own->body_count; i++) {
        pliant_shape_destroy(own->shapes[i]);
    }
    pliant_context_destroy(own->context);
    free(own->shapes);
    free(own->bodies);
    free(own->states);
    free(own->ranges);
}

/* Copies the states shown last. */
static void fill_states(const crowd *c, crowd_scene *own)
{
    for (uint32_t i = 0; i < c->body_count; i++) {
        const body_state *from = &c->states[i];
        const pliant_shape *shape = own->shapes[crowd_shape_of(c, i)];
        own->states[i].state =
            (pliant_state){.positions = from->positions,
                           .shares_positions = true,
                           .coordinates = from->coordinates,
                           .coordinate_count = pliant_shape_get_mode_count(shape),
                           .transforms = from->transforms,
                           .transform_count = pliant_shape_get_joint_count(shape)};
    }
}

static bool reserve_ranges(crowd_scene *own, uint32_t count)
{
    if (own->range_capacity < count) {
        free(own->ranges);
        own->range_capacity = 2 * (size_t)count;
        own->ranges = malloc(own->range_capacity * sizeof *own->ranges);
        own->range_capacity = own->ranges != NULL ? own->range_capacity : 0;
    }
    return count == 0 || own->ranges != NULL;
}

bool crowd_scene_summarise(crowd_scene *own, const pliant_scene_pair *bodies, uint32_t count,
                           const pliant_pair *pairs, const uint32_t *names, bench_summary *found)
{
    if (!reserve_ranges(own, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = bodies[i].a.index, b = bodies[i].b.index;
        own->ranges[i] = (bench_range){names != NULL ? names[a] : a, names != NULL ? names[b] : b,
                                       bodies[i].first, bodies[i].count};
    }
    bench_outcome outcome = {.pairs = pairs, .ranges = own->ranges, .range_count = count};
    *found = bench_summarise(&outcome);
    return true;
}

static bool collide(crowd_scene *own, double *ended, bench_summary *found)
{
    pliant_scene_contacts contacts;
    bool done = pliant_scene_collide(own->scene, NULL, &contacts) == PLIANT_OK;
    *ended = bench_wall_seconds();
    return done && crowd_scene_summarise(own, contacts.bodies, contacts.body_pair_count,
                                         contacts.pairs, NULL, found);
}

/* Of a contact of proxies only the two proxies are kept, as if they were triangles. */
static bool collide_proxies(crowd_scene *own, double *ended, bench_summary *found)
{
    pliant_scene_proxy_contacts contacts;
    bool done = pliant_scene_collide_proxies(own->scene, NULL, &contacts) == PLIANT_OK;
    *ended = bench_wall_seconds();
    pliant_pair *pairs = malloc((contacts.count + 1) * sizeof *pairs);
    for (uint64_t i = 0; done && pairs != NULL && i < contacts.count; i++) {
        pairs[i] = (pliant_pair){contacts.contacts[i].a.id, contacts.contacts[i].b.id};
    }
    done =
        done && pairs != NULL &&
        crowd_scene_summarise(own, contacts.bodies, contacts.body_pair_count, pairs, NULL, found);
    free(pairs);
    return done;
}

bool crowd_scene_step(const crowd *c, crowd_scene *own, double seconds[CROWD_STAGES],
                      bench_summary *found)
{
    fill_states(c, own);
    double ended = 0.0, start = bench_wall_seconds();
    bool done = pliant_scene_set_states(own->scene, own->states, c->body_count) == PLIANT_OK;
    double set = bench_wall_seconds();
    done = done && (c->proxies ? collide_proxies(own, &ended, found) : collide(own, &ended, found));
    const pliant_scene_stats *stats = pliant_scene_get_stats(own->scene);
    seconds[CROWD_WHOLE] = ended - start;
    seconds[CROWD_SET] = set - start;
    seconds[CROWD_BOUNDS] = stats->narrow.seconds_update;
    seconds[CROWD_BROAD] = stats->seconds_broad;
    seconds[CROWD_NARROW] = stats->seconds_narrow;
    seconds[CROWD_COLLECT] = stats->seconds_collect;
    return done;
}
