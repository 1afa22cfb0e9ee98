#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t positions_size(const gallery_mesh *mesh)
{
    return (size_t)mesh->vertex_count * 3 * sizeof(float);
}

static bool has_model(const bench_motion *motion, uint32_t body)
{
    return motion->models[body] != NULL;
}

static size_t coordinates_size(const gallery_model *model)
{
    return model->mode_count * sizeof(float);
}

static size_t transforms_size(const gallery_model *model)
{
    return (size_t)model->joint_count * 12 * sizeof(float);
}

/* Positions where there is no model or they are wanted all the same. */
static bool allocate_frame(const bench_motion *motion, bool positions, bench_frame *frame)
{
    bool done = true;
    for (uint32_t i = 0; i < motion->body_count; i++) {
        const gallery_model *model = motion->models[i];
        if (model != NULL) {
            frame->coordinates[i] = malloc(coordinates_size(model) + 1);
            frame->transforms[i] = malloc(transforms_size(model) + 1);
            done = done && frame->coordinates[i] != NULL && frame->transforms[i] != NULL;
        }
        if (model == NULL || positions) {
            frame->world[i] = malloc(positions_size(&motion->meshes[i]));
            frame->local[i] = malloc(positions_size(&motion->meshes[i]));
            done = done && frame->world[i] != NULL && frame->local[i] != NULL;
        }
    }
    return done;
}

static void free_frame(const bench_motion *motion, bench_frame *frame)
{
    for (uint32_t i = 0; i < motion->body_count; i++) {
        free(frame->world[i]);
        free(frame->local[i]);
        free(frame->coordinates[i]);
        free(frame->transforms[i]);
    }
}

static bool allocate_frames(uint32_t step_count, bench_motion *motion)
{
    motion->steps = calloc(step_count, sizeof *motion->steps);
    motion->frames = calloc(step_count, sizeof *motion->frames);
    motion->step_count = motion->frames != NULL ? step_count : 0;
    bool done = motion->steps != NULL && motion->frames != NULL &&
                allocate_frame(motion, true, &motion->start) &&
                allocate_frame(motion, false, &motion->live);
    for (uint32_t i = 0; done && i < step_count; i++) {
        done = allocate_frame(motion, false, &motion->frames[i]);
    }
    return done;
}

/* False, with a motion of no bodies, where there are too many. */
static bool take_meshes(const gallery_mesh *meshes, uint32_t body_count, bench_motion *motion)
{
    memset(motion, 0, sizeof *motion);
    if (body_count > BENCH_MAX_BODIES) {
        return false;
    }
    motion->body_count = body_count;
    memcpy(motion->meshes, meshes, body_count * sizeof *meshes);
    for (uint32_t i = 0; i < body_count; i++) {
        motion->twins[i] = i;
    }
    return true;
}

bool bench_motion_allocate(const gallery_mesh *meshes, uint32_t body_count, uint32_t step_count,
                           bench_motion *motion)
{
    return take_meshes(meshes, body_count, motion) && allocate_frames(step_count, motion);
}

bool bench_motion_allocate_models(const gallery_mesh *meshes, const gallery_model *models,
                                  uint32_t body_count, uint32_t step_count, bench_motion *motion)
{
    if (!take_meshes(meshes, body_count, motion)) {
        return false;
    }
    bool few_modes = true;
    for (uint32_t i = 0; i < body_count; i++) {
        motion->models[i] = &models[i];
        few_modes = few_modes && models[i].mode_count <= BENCH_MAX_MODES;
    }
    return few_modes && allocate_frames(step_count, motion);
}

static bool are_twins(const gallery_scene *scene, uint32_t a, uint32_t b)
{
    const gallery_mesh *mesh = &scene->bodies[a], *other = &scene->bodies[b];
    const gallery_model *model = &scene->models[a], *other_model = &scene->models[b];
    if (mesh->vertex_count != other->vertex_count ||
        mesh->triangle_count != other->triangle_count || model->mode_count > 0 ||
        other_model->mode_count > 0 || model->joint_count != other_model->joint_count ||
        model->influence_offsets == NULL || other_model->influence_offsets == NULL) {
        return false;
    }
    size_t offsets_size = ((size_t)mesh->vertex_count + 1) * sizeof(uint32_t);
    size_t influences = model->influence_offsets[mesh->vertex_count];
    return memcmp(scene->rest[a], scene->rest[b], positions_size(mesh)) == 0 &&
           memcmp(mesh->triangles, other->triangles,
                  3 * (size_t)mesh->triangle_count * sizeof *mesh->triangles) == 0 &&
           memcmp(model->influence_offsets, other_model->influence_offsets, offsets_size) == 0 &&
           memcmp(model->influence_joints, other_model->influence_joints,
                  influences * sizeof *model->influence_joints) == 0 &&
           memcmp(model->influence_weights, other_model->influence_weights,
                  influences * sizeof *model->influence_weights) == 0;
}

/* Finds out which bodies have models, and which of those are alike. False if one has too many
 * modes.
 */
static bool take_models(const gallery_scene *scene, bench_motion *motion)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        if (!gallery_has_model(scene, i)) {
            continue;
        }
        if (scene->models[i].mode_count > BENCH_MAX_MODES) {
            return false;
        }
        motion->models[i] = &scene->models[i];
        motion->rest[i] = scene->rest[i];
        for (uint32_t k = 0; k < i && motion->twins[i] == i; k++) {
            if (motion->twins[k] == k && has_model(motion, k) && are_twins(scene, k, i)) {
                motion->twins[i] = k;
                motion->models[i] = motion->models[k];
                motion->rest[i] = motion->rest[k];
            }
        }
    }
    return true;
}

static void evaluate_frame(const gallery_scene *scene, uint32_t step, bench_frame *frame)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        if (gallery_has_model(scene, i)) {
            gallery_state(scene, i, step, frame->coordinates[i], frame->transforms[i]);
        }
        if (frame->world[i] != NULL) {
            gallery_evaluate(scene, i, step, frame->world[i]);
            gallery_evaluate_local(scene, i, step, frame->local[i]);
        }
        gallery_place(scene, i, step, &frame->placements[i]);
    }
}

/* Takes the last `count` of the steps that are `stride` apart. */
static bool take_steps(const gallery_scene *scene, uint32_t stride, uint32_t count,
                       bench_motion *motion)
{
    if (!take_meshes(scene->bodies, scene->body_count, motion) || !take_models(scene, motion) ||
        !allocate_frames(count, motion)) {
        return false;
    }
    evaluate_frame(scene, 0, &motion->start);
    for (uint32_t i = 0; i < count; i++) {
        motion->steps[i] = scene->steps - (count - 1 - i) * stride;
        evaluate_frame(scene, motion->steps[i], &motion->frames[i]);
    }
    double duration = scene->kind->duration;
    motion->states_per_second = duration > 0.0 ? scene->steps / duration / stride : 0.0;
    return true;
}

bool bench_motion_of_scene(const gallery_scene *scene, uint32_t stride, bench_motion *motion)
{
    return take_steps(scene, stride, scene->steps / stride, motion);
}

bool bench_motion_in_time(const bench_settings *settings, const gallery_kind *kind,
                          gallery_settings wanted, double seconds, gallery_scene **scene,
                          bench_motion *motion)
{
    double rate = bench_rate(settings);
    wanted.steps = (uint32_t)lround(rate * kind->duration);
    *scene = gallery_create(kind, &wanted);
    *motion = (bench_motion){0};
    return *scene != NULL && take_steps(*scene, 1, (uint32_t)lround(rate * seconds), motion);
}

void bench_motion_free(bench_motion *motion)
{
    for (uint32_t i = 0; i < motion->step_count; i++) {
        free_frame(motion, &motion->frames[i]);
    }
    free_frame(motion, &motion->start);
    free_frame(motion, &motion->live);
    free(motion->steps);
    free(motion->frames);
    memset(motion, 0, sizeof *motion);
}

const bench_frame *bench_motion_show(bench_motion *motion, uint32_t at)
{
    const bench_frame *frame = &motion->frames[at];
    for (uint32_t i = 0; i < motion->body_count; i++) {
        const gallery_model *model = motion->models[i];
        if (model != NULL) {
            memcpy(motion->live.coordinates[i], frame->coordinates[i], coordinates_size(model));
            memcpy(motion->live.transforms[i], frame->transforms[i], transforms_size(model));
        } else {
            memcpy(motion->live.world[i], frame->world[i], positions_size(&motion->meshes[i]));
            memcpy(motion->live.local[i], frame->local[i], positions_size(&motion->meshes[i]));
        }
        motion->live.placements[i] = frame->placements[i];
    }
    return &motion->live;
}

/* One vertex under a model. */
static void evaluate_vertex(const bench_motion *motion, const bench_frame *frame, uint32_t body,
                            uint32_t vertex, float position[3])
{
    const gallery_model *model = motion->models[body];
    uint32_t count = motion->meshes[body].vertex_count;
    float fields[3 * BENCH_MAX_MODES];
    for (size_t m = 0; m < model->mode_count; m++) {
        memcpy(fields + 3 * m, model->modes + 3 * (m * count + vertex), 3 * sizeof(float));
    }
    gallery_model alone = *model;
    alone.modes = fields;
    alone.influence_offsets =
        model->influence_offsets != NULL ? model->influence_offsets + vertex : NULL;
    gallery_model_evaluate(&alone, motion->rest[body] + 3 * (size_t)vertex, 1,
                           frame->coordinates[body], frame->transforms[body], position);
}

void bench_motion_corners(const bench_motion *motion, const bench_frame *frame, uint32_t body,
                          uint32_t triangle, float corners[3][3])
{
    for (size_t k = 0; k < 3; k++) {
        uint32_t vertex = motion->meshes[body].triangles[3 * (size_t)triangle + k];
        if (has_model(motion, body)) {
            evaluate_vertex(motion, frame, body, vertex, corners[k]);
        } else {
            memcpy(corners[k], frame->world[body] + 3 * (size_t)vertex, sizeof corners[k]);
        }
    }
}
