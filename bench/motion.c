#include "motion.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t positions_size(const scene_mesh *mesh)
{
    return (size_t)mesh->vertex_count * 3 * sizeof(float);
}

static bool allocate_frame(const bench_motion *motion, bench_frame *frame)
{
    bool done = true;
    for (uint32_t i = 0; i < motion->body_count; i++) {
        frame->world[i] = malloc(positions_size(&motion->meshes[i]));
        frame->local[i] = malloc(positions_size(&motion->meshes[i]));
        done = done && frame->world[i] != NULL && frame->local[i] != NULL;
    }
    return done;
}

static void free_frame(const bench_motion *motion, bench_frame *frame)
{
    for (uint32_t i = 0; i < motion->body_count; i++) {
        free(frame->world[i]);
        free(frame->local[i]);
    }
}

bool bench_motion_allocate(const scene_mesh *meshes, uint32_t body_count, uint32_t step_count,
                           bench_motion *motion)
{
    assert(body_count <= BENCH_MAX_BODIES);
    memset(motion, 0, sizeof *motion);
    motion->body_count = body_count;
    memcpy(motion->meshes, meshes, body_count * sizeof *meshes);
    motion->steps = calloc(step_count, sizeof *motion->steps);
    motion->frames = calloc(step_count, sizeof *motion->frames);
    motion->step_count = motion->frames != NULL ? step_count : 0;
    bool done = motion->steps != NULL && motion->frames != NULL &&
                allocate_frame(motion, &motion->start) && allocate_frame(motion, &motion->live);
    for (uint32_t i = 0; done && i < step_count; i++) {
        done = allocate_frame(motion, &motion->frames[i]);
    }
    return done;
}

static void evaluate_frame(const scene_instance *scene, uint32_t step, bench_frame *frame)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        scene_evaluate(scene, i, step, frame->world[i]);
        scene_evaluate_local(scene, i, step, frame->local[i]);
        scene_place(scene, i, step, &frame->placements[i]);
    }
}

bool bench_motion_of_scene(const scene_instance *scene, uint32_t stride, bench_motion *motion)
{
    uint32_t count = scene->steps / stride;
    if (!bench_motion_allocate(scene->bodies, scene->body_count, count, motion)) {
        return false;
    }
    evaluate_frame(scene, 0, &motion->start);
    for (uint32_t i = 0; i < count; i++) {
        motion->steps[i] = scene->steps - (count - 1 - i) * stride;
        evaluate_frame(scene, motion->steps[i], &motion->frames[i]);
    }
    return true;
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
        memcpy(motion->live.world[i], frame->world[i], positions_size(&motion->meshes[i]));
        memcpy(motion->live.local[i], frame->local[i], positions_size(&motion->meshes[i]));
        motion->live.placements[i] = frame->placements[i];
    }
    return &motion->live;
}
