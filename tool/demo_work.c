#include "demo_work.h"

#include <inttypes.h>
#include <stdlib.h>

#include "pliant/scene.h"
#include "system.h"
#include "tool/text/characters.h"

/* The bodies of the check, made in one way. */
typedef struct way_world {
    pliant_scene *scene;
    pliant_body **bodies;
} way_world;

typedef struct work_run {
    const check *state;
    pliant_asset_pose *pose;
    way_world worlds[DEMO_WAYS];
    /* DEMO_EVALUATED has bodies that are given by positions: */
    pliant_shape **shapes; /* their shapes */
    pliant_body **models;  /* bodies that are evaluated */
    float **positions;     /* results of the evaluation */
    double seconds[DEMO_WAYS][DEMO_PLAYS];
} work_run;

static void free_run(work_run *run)
{
    for (int way = 0; way < DEMO_WAYS; way++) {
        pliant_scene_destroy(run->worlds[way].scene);
        for (uint32_t i = 0; run->worlds[way].bodies != NULL && i < run->state->body_count; i++) {
            pliant_body_destroy(run->worlds[way].bodies[i]);
        }
        free(run->worlds[way].bodies);
    }
    for (uint32_t i = 0; i < run->state->body_count; i++) {
        if (run->models != NULL) {
            pliant_body_destroy(run->models[i]);
        }
        if (run->shapes != NULL) {
            pliant_shape_destroy(run->shapes[i]);
        }
        if (run->positions != NULL) {
            free(run->positions[i]);
        }
    }
    free(run->models);
    free(run->shapes);
    free(run->positions);
    pliant_asset_pose_destroy(run->pose);
}

static const pliant_asset_mesh *mesh_of(const check *state, uint32_t body)
{
    return pliant_asset_get_mesh(state->asset, pliant_asset_get_body(state->asset, body)->shape);
}

/* Makes the shape of a body that is given by its positions, and the model that they come from. */
static pliant_result make_evaluated(work_run *run, uint32_t body)
{
    const pliant_asset_mesh *mesh = mesh_of(run->state, body);
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = mesh->positions;
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    run->positions[body] = malloc(3 * (size_t)mesh->vertex_count * sizeof(float) + 1);
    if (run->positions[body] == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = pliant_shape_create(run->state->context, &def, &run->shapes[body]);
    return result == PLIANT_OK
               ? pliant_body_create(run->state->bodies[body].shape, NULL, &run->models[body])
               : result;
}

static pliant_result make_world(work_run *run, demo_way way)
{
    const check *state = run->state;
    way_world *world = &run->worlds[way];
    world->bodies = calloc((size_t)state->body_count + 1, sizeof(pliant_body *));
    pliant_body_def def = pliant_body_def_default();
    def.update = way == DEMO_DEMAND ? PLIANT_UPDATE_AUTO : PLIANT_UPDATE_BOTTOM_UP;
    pliant_result result = world->bodies != NULL
                               ? pliant_scene_create(state->context, NULL, &world->scene)
                               : PLIANT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; result == PLIANT_OK && i < state->body_count; i++) {
        pliant_body_id id; /* of the same index as the body */
        result = way == DEMO_EVALUATED ? make_evaluated(run, i) : PLIANT_OK;
        pliant_shape *shape =
            way == DEMO_EVALUATED ? run->shapes[i] : (pliant_shape *)state->bodies[i].shape;
        result = result == PLIANT_OK ? pliant_body_create(shape, &def, &world->bodies[i]) : result;
        result = result == PLIANT_OK ? pliant_scene_add(world->scene, world->bodies[i], NULL, &id)
                                     : result;
    }
    return result;
}

static pliant_result make_run(work_run *run)
{
    size_t count = (size_t)run->state->body_count + 1;
    run->shapes = calloc(count, sizeof(pliant_shape *));
    run->models = calloc(count, sizeof(pliant_body *));
    run->positions = calloc(count, sizeof(float *));
    if (run->shapes == NULL || run->models == NULL || run->positions == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = pliant_asset_pose_create(run->state->asset, &run->pose);
    for (int way = 0; result == PLIANT_OK && way < DEMO_WAYS; way++) {
        result = make_world(run, (demo_way)way);
    }
    return result;
}

/* Puts a body of a world into the sampled pose. */
static pliant_result place(work_run *run, demo_way way, uint32_t body)
{
    pliant_body *placed = run->worlds[way].bodies[body];
    if (way != DEMO_EVALUATED) {
        return pliant_asset_pose_apply(run->pose, body, placed);
    }
    float *positions = run->positions[body];
    uint32_t count = mesh_of(run->state, body)->vertex_count;
    pliant_result result = pliant_asset_pose_apply(run->pose, body, run->models[body]);
    result = result == PLIANT_OK ? pliant_body_evaluate(run->models[body], NULL, count, positions)
                                 : result;
    return result == PLIANT_OK ? pliant_body_share_positions(placed, positions, 0) : result;
}

/* Finds what touches in one frame, and adds its time to `seconds`. Sampling the clip is the same
   work in every way, and not counted. */
static pliant_result ask(work_run *run, demo_way way, const check_frame *frame, double *seconds,
                         pliant_scene_contacts *contacts)
{
    const check *state = run->state;
    pliant_result result =
        pliant_asset_pose_sample(run->pose, state->clips[frame->clip].index, frame->time);
    double began = system_seconds();
    for (uint32_t i = 0; result == PLIANT_OK && i < state->body_count; i++) {
        result = place(run, way, i);
    }
    result =
        result == PLIANT_OK ? pliant_scene_collide(run->worlds[way].scene, NULL, contacts) : result;
    *seconds += system_seconds() - began;
    return result;
}

static uint64_t count_pairs(const check_frame *frame)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < frame->found_count; i++) {
        count += frame->found[i].count;
    }
    return count;
}

static cli_status play(work_run *run, demo_way way, uint32_t number, demo_work *work)
{
    work->evaluated = way == DEMO_DEMAND ? 0 : work->evaluated;
    for (uint32_t i = 0; i < run->state->frame_count; i++) {
        const check_frame *frame = &run->state->frames[i];
        pliant_scene_contacts contacts;
        if (ask(run, way, frame, &run->seconds[way][number], &contacts) != PLIANT_OK) {
            return cli_fail(CLI_FAILED, "%s", pliant_last_error());
        }
        if (contacts.count != count_pairs(frame)) {
            return cli_fail(CLI_FAILED,
                            "frame %" PRIu32 ": the check found %" PRIu64
                            " touching pairs of triangles, another way %" PRIu64,
                            frame->number, count_pairs(frame), contacts.count);
        }
        if (way == DEMO_DEMAND) {
            work->evaluated += pliant_scene_get_stats(run->worlds[way].scene)->narrow.vertices_read;
        }
    }
    return CLI_DONE;
}

static int compare_seconds(const void *first, const void *second)
{
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

cli_status demo_measure_work(const check *state, demo_work *work)
{
    work_run run = {.state = state};
    *work = (demo_work){.frames = state->frame_count};
    for (uint32_t i = 0; i < state->body_count; i++) {
        work->vertices += (uint64_t)mesh_of(state, i)->vertex_count * state->frame_count;
    }
    pliant_result result = make_run(&run);
    cli_status status = CLI_DONE;
    if (result != PLIANT_OK) {
        status = cli_fail(CLI_FAILED, "%s",
                          result == PLIANT_ERROR_OUT_OF_MEMORY ? "not enough memory"
                                                               : pliant_last_error());
    }
    for (uint32_t number = 0; number < DEMO_PLAYS; number++) {
        for (int way = 0; way < DEMO_WAYS && status == CLI_DONE; way++) {
            status = play(&run, (demo_way)way, number, work);
        }
    }
    for (int way = 0; way < DEMO_WAYS; way++) {
        qsort(run.seconds[way], DEMO_PLAYS, sizeof run.seconds[way][0], compare_seconds);
        work->milliseconds[way] = 1e3 * run.seconds[way][DEMO_PLAYS / 2];
    }
    free_run(&run);
    return status;
}

void demo_describe_work(const demo_work *work, char *text, size_t capacity)
{
    char evaluated[TEXT_GROUPED], vertices[TEXT_GROUPED];
    double share =
        work->vertices > 0 ? 100.0 * (double)work->evaluated / (double)work->vertices : 0.0;
    snprintf(text, capacity,
             "Vertices evaluated to find the touching triangles: %s of %s (%.0f %%). "
             "Time for all %" PRIu32 " frames: %.1f ms; with a full refit in each %.1f ms; "
             "with every vertex evaluated first and then a full refit %.1f ms "
             "(medians of %d plays, in turn in this run, wall clock, one thread).",
             text_group(work->evaluated, evaluated), text_group(work->vertices, vertices), share,
             work->frames, work->milliseconds[DEMO_DEMAND], work->milliseconds[DEMO_REFIT],
             work->milliseconds[DEMO_EVALUATED], DEMO_PLAYS);
}
