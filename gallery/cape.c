/* A cape falls onto the shoulders of the walking figure and stays there: contacts as a solver uses
   them. The motion is simulated when the scene is made, and recorded. */
#include "cape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"

#define WALK         0.6 /* of the figure's motion; what follows is a squat */
#define SECONDS      ((double)CAPE_STEPS / 240.0)
#define FARTHEST     0.65         /* that a vertex goes in a step, in edges */
#define FINE         0.019        /* the edge, in metres, that steps of 1/240 s will do for */
#define LEAST_PIECE  (1.0 / 64.0) /* of a step that the guard cuts */
#define FIGURE_LEAST 3000         /* triangles: a coarser figure has no neck */

/* The part of the figure's motion in which it walks. */
static void walk(double time, const double phases[3], float *coordinates, float *transforms)
{
    figure_pose(WALK * time, phases, coordinates, transforms);
}

/* Poses the figure; it is closed at every time, and so has an inside. */
static bool pose_figure(cape_world *world, double time)
{
    float coordinates[FIGURE_MODES], transforms[12 * FIGURE_BONES];
    world->walk(time, world->phases, coordinates, transforms);
    gallery_model_evaluate(world->model, world->figure->positions, world->figure->vertex_count,
                           coordinates, transforms, world->skin);
    return pliant_body_set_coordinates(world->bodies[1], coordinates, FIGURE_MODES) == PLIANT_OK &&
           pliant_body_set_transforms(world->bodies[1], transforms, FIGURE_BONES, 0) == PLIANT_OK;
}

/* The figure's state is the start of its next step. */
static bool keep_figure(cape_world *world, double time)
{
    float *before = world->skin;
    world->skin = world->skin_before;
    world->skin_before = before;
    world->time = time;
    return pliant_body_begin_step(world->bodies[1]) == PLIANT_OK;
}

static bool create_bodies(pliant_context *context, const gallery_mesh *const meshes[2],
                          const gallery_model *model, cape_world *world)
{
    bool done = true;
    for (int i = 0; i < 2 && done; i++) {
        pliant_shape_def def = pliant_shape_def_default();
        def.positions = meshes[i]->positions;
        def.vertex_count = meshes[i]->vertex_count;
        def.triangles = meshes[i]->triangles;
        def.triangle_count = meshes[i]->triangle_count;
        if (i == 1) {
            def.modes = model->modes;
            def.mode_count = model->mode_count;
            def.joint_count = model->joint_count;
            def.influence_offsets = model->influence_offsets;
            def.influence_joints = model->influence_joints;
            def.influence_weights = model->influence_weights;
            def.normalise_weights = false; /* they are as gallery_model_evaluate() takes them */
        }
        done = pliant_shape_create(context, &def, &world->shapes[i]) == PLIANT_OK &&
               pliant_body_create(world->shapes[i], NULL, &world->bodies[i]) == PLIANT_OK;
    }
    return done;
}

bool cape_world_create(const gallery_mesh *cape, const gallery_mesh *figure,
                       const gallery_model *model, const double phases[3], pliant_context *context,
                       cape_world *world)
{
    *world = (cape_world){.figure = figure,
                          .triangles = cape->triangles,
                          .model = model,
                          .walk = walk,
                          .near = CAPE_NEAR,
                          .patience = CAPE_PATIENCE};
    memcpy(world->phases, phases, sizeof world->phases);
    size_t skin = 3 * (size_t)figure->vertex_count;
    world->skin = calloc(skin, sizeof *world->skin);
    world->skin_before = calloc(skin, sizeof *world->skin);
    world->distances = calloc(cape->vertex_count, sizeof *world->distances);
    world->shares = calloc(cape->vertex_count, sizeof *world->shares);
    bool done =
        world->skin != NULL && world->skin_before != NULL && world->distances != NULL &&
        world->shares != NULL && cape_cloth_create(cape, &world->cloth) &&
        create_bodies(context, (const gallery_mesh *const[2]){cape, figure}, model, world) &&
        pliant_query_create(context, &world->self) == PLIANT_OK &&
        pliant_query_create(context, &world->outside) == PLIANT_OK && pose_figure(world, 0.0) &&
        keep_figure(world, 0.0);
    if (!done) {
        cape_world_destroy(world);
    }
    return done;
}

void cape_world_destroy(cape_world *world)
{
    cape_cloth_destroy(&world->cloth);
    pliant_query_destroy(world->self);
    pliant_query_destroy(world->outside);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(world->bodies[i]);
        pliant_shape_destroy(world->shapes[i]);
    }
    free(world->skin);
    free(world->skin_before);
    free(world->distances);
    free(world->shares);
    *world = (cape_world){0};
}

/* Proposes where the cloth goes while the figure goes on to `time`. */
static bool propose(cape_world *world, double time, double seconds)
{
    cape_cloth *cloth = &world->cloth;
    pliant_features close;
    if (!cape_find_self(world, &close) || pliant_body_begin_step(world->bodies[0]) != PLIANT_OK ||
        !pose_figure(world, time)) {
        return false;
    }
    world->costs.features = close.count;
    world->costs.crossings = close.crossing_count;
    cape_cloth_predict(cloth, seconds);
    cape_cloth_limit(cloth, FARTHEST * cloth->edge);
    if (!cape_find_outside(world)) {
        return false;
    }
    for (int i = 0; i < CAPE_ITERATIONS; i++) {
        cape_cloth_relax(cloth);
        cape_hold_self(cloth, &close);
        cape_cloth_pull(cloth, &world->pull);
        cape_hold_outside(world);
    }
    cape_cloth_limit(cloth, FARTHEST * cloth->edge);
    return cape_leave_figure(world);
}

static bool accept(cape_world *world, double time, double seconds)
{
    cape_cloth_finish(&world->cloth, seconds);
    if (!keep_figure(world, time)) {
        return false;
    }
    if (world->accepted != NULL) {
        world->accepted(world, world->owner);
    }
    return true;
}

/* Tries to go on to `time`. Where the guard cannot prove the way, the cloth is taken back. */
static bool try_piece(cape_world *world, double time, double seconds, bool *is_free)
{
    *is_free = true;
    if (!propose(world, time, seconds) || !(world->unguarded || cape_guard(world, is_free))) {
        return false;
    }
    if (!*is_free) {
        cape_cloth_restart(&world->cloth);
        return true;
    }
    return accept(world, time, seconds);
}

bool cape_world_step(cape_world *world, double time, double seconds)
{
    double from = world->time, done = 0.0, piece = 1.0;
    for (uint32_t waits = 0; done < 1.0 && waits < world->patience;) {
        double end = done + piece < 1.0 ? from + (done + piece) * (time - from) : time;
        bool is_free;
        if (!try_piece(world, end, piece * seconds, &is_free)) {
            return false;
        }
        if (is_free) {
            done += piece;
            piece = fmin(2.0 * piece, 1.0 - done);
        } else if (piece > LEAST_PIECE) {
            piece *= 0.5;
            world->counts.cuts++;
        } else if (try_piece(world, world->time, piece * seconds, &is_free)) {
            waits++;
            world->counts.waits++;
        } else {
            return false;
        }
    }
    world->counts.late += done < 1.0;
    return true;
}

/* Every step of the scene is as many steps of the solver as it takes to keep these short: shorter
   where the cloth is finer, since FARTHEST goes with the edges. */
static bool record(gallery_scene *scene, cape_world *world)
{
    double finer = fmax(1.0, FINE / world->cloth.edge);
    uint32_t least = (uint32_t)ceil(CAPE_STEPS * finer);
    uint32_t inner = (least + scene->steps - 1) / scene->steps;
    uint32_t all = inner * scene->steps;
    size_t numbers = 3 * (size_t)world->cloth.count;
    float *recorded = scene->own;
    memcpy(recorded, world->cloth.positions, numbers * sizeof *recorded);
    for (uint32_t i = 1; i <= all; i++) {
        if (!cape_world_step(world, (double)i / (double)all, SECONDS / (double)all) ||
            world->counts.late > 0) {
            return false; /* the scene's figure waits for nobody */
        }
        if (i % inner == 0) {
            memcpy(recorded + i / inner * numbers, world->cloth.positions,
                   numbers * sizeof *recorded);
        }
    }
    return true;
}

static bool simulate(gallery_scene *scene)
{
    pliant_context_def def = pliant_context_def_default();
    pliant_context *context = NULL;
    cape_world world;
    def.isa = scene->isa;
    bool done = pliant_context_create(&def, &context) == PLIANT_OK &&
                cape_world_create(&scene->bodies[0], &scene->bodies[1], &scene->models[1],
                                  scene->phases[1], context, &world);
    if (done) {
        done = record(scene, &world);
        cape_world_destroy(&world);
    }
    pliant_context_destroy(context);
    return done;
}

static bool create(gallery_scene *scene, uint32_t triangles)
{
    gallery_mesh *cape = &scene->bodies[0];
    uint32_t skin = triangles > FIGURE_LEAST ? triangles : FIGURE_LEAST;
    if (!cape_make_mesh(triangles, cape) ||
        !figure_make_body(skin / 2 + 2, &scene->bodies[1], &scene->models[1])) {
        return false;
    }
    scene->own = calloc((size_t)scene->steps + 1, 3 * (size_t)cape->vertex_count * sizeof(float));
    return scene->own != NULL && simulate(scene);
}

static void destroy(gallery_scene *scene)
{
    free(scene->own);
}

static void state(const gallery_scene *scene, uint32_t body, uint32_t step, float *coordinates,
                  float *transforms)
{
    walk((double)step / (double)scene->steps, scene->phases[body], coordinates, transforms);
}

static void evaluate(const gallery_scene *scene, uint32_t body, double time,
                     const gallery_placement *placement, float *positions)
{
    (void)placement;
    size_t numbers = 3 * (size_t)scene->bodies[body].vertex_count;
    size_t step = (size_t)(time * (double)scene->steps + 0.5);
    memcpy(positions, (const float *)scene->own + step * numbers, numbers * sizeof *positions);
}

static const char *const names[] = {"cape", "figure"};

const gallery_kind gallery_cape = {
    .name = "cape",
    .title = "A cape falls onto a walking figure",
    .description = "a cape falls onto the shoulders of a walking figure and stays there, passing "
                   "neither through the figure nor through itself",
    .names = names,
    .body_count = 2,
    .triangles = 10400,
    .steps = CAPE_STEPS,
    .create = create,
    .destroy = destroy,
    .state = state,
    .evaluate = evaluate,
};
