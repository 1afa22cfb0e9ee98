/* Casts of recorded motions, and of bodies with modes on a grid. */
#include "workers.h"

#include <math.h>
#include <stdlib.h>

#include "lab/harness/ours.h"
#include "lab/motions/reduced.h"
#include "lab/motions/star_crowd.h"
#ifdef PLIANT_HAVE_LAPACKE
#include "gallery/modal/models.h"
#endif

void workers_cast_free(workers_cast *cast)
{
    if (cast->free != NULL) {
        cast->free(cast);
    }
    free(cast->states);
}

/* ---------------------------------------------------------------- motions */

static bool make_motion_shape(const workers_cast *cast, pliant_context *context, uint32_t number,
                              pliant_shape **shape)
{
    return ours_create_shape_of(context, &bench_scene_auto, cast->own, number, shape);
}

static void show_motion(workers_cast *cast, uint32_t at)
{
    bench_motion *motion = cast->own;
    const bench_frame *live = bench_motion_show(motion, at);
    for (uint32_t i = 0; i < motion->body_count; i++) {
        const gallery_model *model = motion->models[i];
        cast->states[i] = (workers_state){
            .positions = model == NULL ? live->world[i] : NULL,
            .coordinates = model != NULL && model->mode_count > 0 ? live->coordinates[i] : NULL,
            .transforms = model != NULL && model->joint_count > 0 ? live->transforms[i] : NULL};
    }
}

bool workers_cast_motion(const char *title, bench_motion *motion, workers_cast *cast)
{
    *cast = (workers_cast){.title = title,
                           .body_count = motion->body_count,
                           .step_count = motion->step_count,
                           .shape_of = motion->twins,
                           .own = motion,
                           .states = calloc(motion->body_count, sizeof *cast->states),
                           .make_shape = make_motion_shape,
                           .show = show_motion};
    return cast->states != NULL;
}

/* ------------------------------------------------- bodies with modes on a grid */

#define STAR_TRIANGLES 18000
#define STAR_SPACING   2.058 /* about one contact per star */

/* Chairs and fish as in bd-chairs and bd-bridge. */
#define CHAIR_PROXY   17
#define CHAIR_LEAF    2
#define CHAIR_SPACING 1.6
#define FISH_PROXY    194
#define FISH_SPACING  1.3

/* How far modes move a vertex at most, over the body's radius. */
#define SHARE 0.02

typedef struct modal_state {
    float coordinates[STAR_MODES], transform[12];
} modal_state;

typedef struct modal_grid {
    gallery_mesh mesh;
    gallery_model model; /* owns its modes */
    uint32_t proxy_triangles, leaf_size;
    modal_state *states; /* body after body, step after step */
} modal_grid;

static bool make_grid_shape(const workers_cast *cast, pliant_context *context, uint32_t number,
                            pliant_shape **shape)
{
    (void)number;
    const modal_grid *grid = cast->own;
    pliant_shape_def def = reduced_shape_def(&grid->mesh, &grid->model);
    if (grid->proxy_triangles > 0) {
        def.proxy_triangles = grid->proxy_triangles;
        def.bound = PLIANT_BOUND_SPHERE;
    }
    def.leaf_size = grid->leaf_size > 0 ? grid->leaf_size : def.leaf_size;
    return pliant_shape_create(context, &def, shape) == PLIANT_OK;
}

static void show_grid(workers_cast *cast, uint32_t at)
{
    const modal_grid *grid = cast->own;
    for (uint32_t i = 0; i < cast->body_count; i++) {
        const modal_state *state = &grid->states[(size_t)at * cast->body_count + i];
        cast->states[i] =
            (workers_state){.coordinates = state->coordinates, .transforms = state->transform};
    }
}

static void free_grid(workers_cast *cast)
{
    modal_grid *grid = cast->own;
    if (grid != NULL) {
        mesh_free(&grid->mesh);
        gallery_model_free(&grid->model);
        free(grid->states);
        free(grid);
    }
}

/* Begins a cast on a grid; what its bodies are is still to be made, then their states. */
static modal_grid *begin_grid(const char *title, uint32_t count, uint32_t step_count,
                              workers_cast *cast)
{
    modal_grid *grid = calloc(1, sizeof *grid);
    *cast = (workers_cast){.title = title,
                           .body_count = count,
                           .step_count = step_count,
                           .own = grid,
                           .states = calloc(count, sizeof *cast->states),
                           .make_shape = make_grid_shape,
                           .show = show_grid,
                           .free = free_grid};
    return cast->states != NULL ? grid : NULL;
}

/* States as those of a crowd of stars, whose radius is 1 and whose modes have amplitudes[i] of
   that; NULL: they are stars. */
static bool make_states(workers_cast *cast, double spacing, double radius, const double *amplitudes)
{
    modal_grid *grid = cast->own;
    uint32_t count = cast->body_count, side = (uint32_t)ceil(cbrt(count) - 1e-9);
    grid->states = calloc((size_t)count * cast->step_count, sizeof *grid->states);
    for (uint32_t at = 0; at < cast->step_count && grid->states != NULL; at++) {
        for (uint32_t i = 0; i < count; i++) {
            modal_state *state = &grid->states[(size_t)at * count + i];
            star_state(i, side, spacing, at, state->coordinates, state->transform);
            for (int k = 0; k < 3; k++) {
                state->transform[4 * k + 3] *= (float)radius;
            }
            for (uint32_t m = 0; amplitudes != NULL && m < grid->model.mode_count; m++) {
                state->coordinates[m] *= (float)amplitudes[m];
            }
        }
    }
    return grid->states != NULL;
}

bool workers_cast_stars(uint32_t count, uint32_t step_count, workers_cast *cast)
{
    modal_grid *grid = begin_grid("workers, stars", count, step_count, cast);
    return grid != NULL && star_make(STAR_TRIANGLES, &grid->mesh, &grid->model) &&
           make_states(cast, STAR_SPACING, 1.0, NULL);
}

#ifdef PLIANT_HAVE_LAPACKE
/* Makes a grid of copies of a model, which is freed. */
static bool fill_grid(workers_cast *cast, modal_model *model, double spacing)
{
    modal_grid *grid = cast->own;
    double amplitudes[STAR_MODES];
    for (uint32_t m = 0; m < model->mode_count; m++) {
        amplitudes[m] = SHARE * model->radius / model->largest[m] / 0.08; /* a star's */
    }
    cast->proxies = true;
    bool done = modal_copy_model(model->modes, model->mode_count, model->vertex_count, true,
                                 &grid->model) &&
                make_states(cast, spacing, model->radius, amplitudes);
    modal_model_free(model);
    return done;
}

bool workers_cast_chairs(uint32_t count, uint32_t step_count, workers_cast *cast)
{
    modal_grid *grid = begin_grid("workers, chairs", count, step_count, cast);
    modal_model model;
    if (grid == NULL || !modal_make_chair(0, &grid->mesh, &model)) {
        return false;
    }
    grid->proxy_triangles = CHAIR_PROXY;
    grid->leaf_size = CHAIR_LEAF;
    return fill_grid(cast, &model, CHAIR_SPACING);
}

bool workers_cast_fish(uint32_t count, uint32_t step_count, workers_cast *cast)
{
    modal_grid *grid = begin_grid("workers, fish", count, step_count, cast);
    modal_model model;
    if (grid == NULL || !modal_make_fish(0, &grid->mesh, &model)) {
        return false;
    }
    grid->proxy_triangles = FISH_PROXY;
    return fill_grid(cast, &model, FISH_SPACING);
}
#endif
