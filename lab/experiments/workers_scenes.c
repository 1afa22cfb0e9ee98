#include "workers.h"

#include <stdlib.h>

#include "lab/motions/reduced.h"
#include "lab/motions/star_crowd.h"

/* ---------------------------------------------------------------- motions */

static bool start_motion(workers_scene *scene, uint32_t which, uint32_t workers,
                         const bench_settings *settings)
{
    workers_motion *own = scene->own;
    bench_method *method = &own->methods[which];
    *method = bench_scene_workers(workers);
    own->states[which] = method->create(method, own->motion, settings);
    return own->states[which] != NULL;
}

static bool step_motion(workers_scene *scene, uint32_t which, uint32_t at, double *seconds,
                        bench_summary *found)
{
    workers_motion *own = scene->own;
    bench_outcome outcome = {0};
    const bench_frame *live = bench_motion_show(own->motion, at);
    if (!own->methods[which].step(own->states[which], live, false, &outcome)) {
        return false;
    }
    *seconds = outcome.total_seconds;
    *found = bench_summarise(&outcome);
    return true;
}

static void stop_motion(workers_scene *scene, uint32_t which)
{
    workers_motion *own = scene->own;
    if (own->states[which] != NULL) {
        own->methods[which].destroy(own->states[which]);
    }
}

workers_scene workers_scene_of(const char *title, workers_motion *own)
{
    return (workers_scene){.title = title,
                           .step_count = own->motion->step_count,
                           .own = own,
                           .start = start_motion,
                           .step = step_motion,
                           .stop = stop_motion};
}

/* ------------------------------------------------------------------ stars */

#define STAR_TRIANGLES 18000
#define STAR_SPACING   2.058 /* about one contact per star */

typedef struct star {
    float coordinates[STAR_MODES], transform[12];
} star;

/* The crowd of one number of workers. */
typedef struct star_view {
    pliant_context *context;
    pliant_shape *shape;
    pliant_scene *scene;
    pliant_body **bodies;
} star_view;

struct workers_stars {
    uint32_t count;
    gallery_mesh mesh;
    gallery_model model;
    star *states; /* body after body, step after step */
    bench_range *ranges;
    size_t range_capacity;
    star_view views[2];
};

bool workers_stars_create(uint32_t side, uint32_t step_count, workers_stars **stars)
{
    workers_stars *made = calloc(1, sizeof *made);
    *stars = made;
    if (made == NULL || !star_make(STAR_TRIANGLES, &made->mesh, &made->model)) {
        return false;
    }
    made->count = side * side * side;
    made->states = malloc((size_t)made->count * step_count * sizeof *made->states);
    for (uint32_t at = 0; at < step_count && made->states != NULL; at++) {
        for (uint32_t i = 0; i < made->count; i++) {
            star *state = &made->states[(size_t)at * made->count + i];
            star_state(i, side, STAR_SPACING, at, state->coordinates, state->transform);
        }
    }
    return made->states != NULL;
}

void workers_stars_destroy(workers_stars *stars)
{
    if (stars != NULL) {
        mesh_free(&stars->mesh);
        gallery_model_free(&stars->model);
        free(stars->states);
        free(stars->ranges);
        free(stars);
    }
}

uint32_t workers_stars_count(const workers_stars *stars)
{
    return stars->count;
}

static bool start_stars(workers_scene *scene, uint32_t which, uint32_t workers,
                        const bench_settings *settings)
{
    workers_stars *own = scene->own;
    star_view *view = &own->views[which];
    pliant_context_def def = pliant_context_def_default();
    def.isa = settings->isa;
    def.workers = workers;
    pliant_shape_def shape = reduced_shape_def(&own->mesh, &own->model);
    view->bodies = calloc(own->count, sizeof(pliant_body *));
    bool done = view->bodies != NULL && pliant_context_create(&def, &view->context) == PLIANT_OK &&
                pliant_shape_create(view->context, &shape, &view->shape) == PLIANT_OK &&
                pliant_scene_create(view->context, NULL, &view->scene) == PLIANT_OK;
    for (uint32_t i = 0; done && i < own->count; i++) {
        pliant_body_id id;
        done = pliant_body_create(view->shape, NULL, &view->bodies[i]) == PLIANT_OK &&
               pliant_scene_add(view->scene, view->bodies[i], NULL, &id) == PLIANT_OK;
    }
    return done;
}

static void stop_stars(workers_scene *scene, uint32_t which)
{
    const workers_stars *own = scene->own;
    const star_view *view = &own->views[which];
    pliant_scene_destroy(view->scene);
    for (uint32_t i = 0; view->bodies != NULL && i < own->count; i++) {
        pliant_body_destroy(view->bodies[i]);
    }
    free(view->bodies);
    pliant_shape_destroy(view->shape);
    pliant_context_destroy(view->context);
}

static bool summarise(workers_stars *own, const pliant_scene_contacts *contacts,
                      bench_summary *found)
{
    if (own->range_capacity < contacts->body_pair_count) {
        free(own->ranges);
        own->range_capacity = 2 * (size_t)contacts->body_pair_count;
        own->ranges = malloc(own->range_capacity * sizeof *own->ranges);
    }
    if (own->ranges == NULL && contacts->body_pair_count > 0) {
        own->range_capacity = 0;
        return false;
    }
    for (uint32_t i = 0; i < contacts->body_pair_count; i++) {
        const pliant_scene_pair *pair = &contacts->bodies[i];
        own->ranges[i] = (bench_range){pair->a.index, pair->b.index, pair->first, pair->count};
    }
    bench_outcome outcome = {
        .pairs = contacts->pairs, .ranges = own->ranges, .range_count = contacts->body_pair_count};
    *found = bench_summarise(&outcome);
    return true;
}

static bool step_stars(workers_scene *scene, uint32_t which, uint32_t at, double *seconds,
                       bench_summary *found)
{
    workers_stars *own = scene->own;
    const star_view *view = &own->views[which];
    pliant_scene_contacts contacts;
    double start = bench_wall_seconds();
    for (uint32_t i = 0; i < own->count; i++) {
        const star *state = &own->states[(size_t)at * own->count + i];
        if (!reduced_set(view->bodies[i], &own->model, state->coordinates, state->transform)) {
            return false;
        }
    }
    if (pliant_scene_collide(view->scene, NULL, &contacts) != PLIANT_OK) {
        return false;
    }
    *seconds = bench_wall_seconds() - start;
    return summarise(own, &contacts, found);
}

workers_scene workers_scene_of_stars(const char *title, workers_stars *stars, uint32_t step_count)
{
    return (workers_scene){.title = title,
                           .step_count = step_count,
                           .own = stars,
                           .start = start_stars,
                           .step = step_stars,
                           .stop = stop_stars};
}
