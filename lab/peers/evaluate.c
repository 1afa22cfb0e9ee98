#include "evaluate.h"

#include <stdlib.h>
#include <string.h>

/* GCC's and Clang's vectors, which become whatever registers the machine has. */
typedef float lanes __attribute__((vector_size(16 * sizeof(float))));
typedef float row __attribute__((vector_size(4 * sizeof(float))));

struct peer_evaluation {
    const bench_motion *motion;
    uint32_t body_count;
    float *positions[BENCH_MAX_BODIES];
    lanes *transforms; /* of one body; four columns (x, y, z, unused) each */
};

peer_evaluation *peer_evaluation_create(const bench_motion *motion)
{
    peer_evaluation *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->motion = motion;
    own->body_count = motion->body_count;
    uint32_t joints = 0;
    bool done = true;
    for (uint32_t i = 0; i < motion->body_count; i++) {
        uint32_t count = motion->models[i]->joint_count;
        joints = count > joints ? count : joints;
        own->positions[i] = malloc((size_t)motion->meshes[i].vertex_count * 3 * sizeof(float));
        done = done && own->positions[i] != NULL;
    }
    own->transforms = aligned_alloc(sizeof(lanes), joints * sizeof(lanes));
    if (!done || own->transforms == NULL) {
        peer_evaluation_destroy(own);
        return NULL;
    }
    return own;
}

void peer_evaluation_destroy(peer_evaluation *own)
{
    if (own != NULL) {
        for (uint32_t i = 0; i < own->body_count; i++) {
            free(own->positions[i]);
        }
        free(own->transforms);
        free(own);
    }
}

/* From rows of (A | t) to columns. */
static void load_transforms(const float *given, uint32_t count, lanes *transforms)
{
    for (uint32_t j = 0; j < count; j++, given += 12) {
        transforms[j] =
            (lanes){given[0], given[4], given[8],  0.0f, given[1], given[5], given[9],  0.0f,
                    given[2], given[6], given[10], 0.0f, given[3], given[7], given[11], 0.0f};
    }
}

static row column(const lanes *blended, int i)
{
    row values;
    memcpy(&values, (const float *)blended + (size_t)4 * (size_t)i, sizeof values);
    return values;
}

static void evaluate_body(const gallery_model *model, const float *rest, uint32_t vertex_count,
                          const lanes *transforms, float *positions)
{
    for (uint32_t v = 0; v < vertex_count; v++, rest += 3, positions += 3) {
        lanes blended = {0};
        for (uint32_t i = model->influence_offsets[v]; i < model->influence_offsets[v + 1]; i++) {
            blended += model->influence_weights[i] * transforms[model->influence_joints[i]];
        }
        row x = column(&blended, 0) * rest[0] + column(&blended, 1) * rest[1] +
                column(&blended, 2) * rest[2] + column(&blended, 3);
        memcpy(positions, &x, 3 * sizeof *positions);
    }
}

void peer_evaluate(const gallery_model *model, const float *rest, uint32_t vertex_count,
                   const float *transforms, float *positions)
{
    lanes columns[PEER_MAX_JOINTS];
    load_transforms(transforms, model->joint_count, columns);
    evaluate_body(model, rest, vertex_count, columns, positions);
}

const float *const *peer_evaluation_run(peer_evaluation *own, const bench_frame *frame)
{
    const bench_motion *motion = own->motion;
    for (uint32_t i = 0; i < own->body_count; i++) {
        const gallery_model *model = motion->models[i];
        load_transforms(frame->transforms[i], model->joint_count, own->transforms);
        evaluate_body(model, motion->rest[i], motion->meshes[i].vertex_count, own->transforms,
                      own->positions[i]);
    }
    return (const float *const *)own->positions;
}
