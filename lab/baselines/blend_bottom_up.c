/*
 * The scalar rival for blended bodies: every vertex is evaluated, every box refitted, as in
 * bottom_up.c, which does the rest. This is what a program does that hands positions to a collision
 * library, and what Steinemann, Otaduy & Gross 2007 compare with.
 */
#include "baselines.h"

#include <stdlib.h>

typedef struct blend_bottom_up {
    const bench_motion *motion;
    void *inner; /* the rival for positions */
    bench_frame frame;
} blend_bottom_up;

static void destroy(void *state)
{
    blend_bottom_up *rival = state;
    if (rival == NULL) {
        return;
    }
    if (rival->inner != NULL) {
        bench_bottom_up.destroy(rival->inner);
    }
    for (uint32_t i = 0; i < rival->motion->body_count; i++) {
        free(rival->frame.world[i]);
    }
    free(rival);
}

static void *create(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings)
{
    blend_bottom_up *rival = calloc(1, sizeof *rival);
    if (rival == NULL) {
        return NULL;
    }
    rival->motion = motion;
    rival->inner = bench_bottom_up.create(method, motion, settings);
    bool done = rival->inner != NULL;
    for (uint32_t i = 0; i < motion->body_count; i++) {
        rival->frame.world[i] = malloc(3 * (size_t)motion->meshes[i].vertex_count * sizeof(float));
        done = done && rival->frame.world[i] != NULL;
    }
    if (!done) {
        destroy(rival);
        return NULL;
    }
    return rival;
}

/* Sums in the order of the library's definition, so that all methods see the same bits. */
void baseline_blend_vertex(const gallery_model *model, const float *rest, uint32_t vertex,
                           const float *transforms, float position[3])
{
    const uint32_t *joints = model->influence_joints;
    const float *weights = model->influence_weights;
    const float *p = rest + 3 * (size_t)vertex;
    float x = 0.0f, y = 0.0f, z = 0.0f;
    for (uint32_t i = model->influence_offsets[vertex]; i < model->influence_offsets[vertex + 1];
         i++) {
        const float *t = transforms + 12 * (size_t)joints[i];
        float weight = weights[i];
        x += weight * (((t[0] * p[0] + t[1] * p[1]) + t[2] * p[2]) + t[3]);
        y += weight * (((t[4] * p[0] + t[5] * p[1]) + t[6] * p[2]) + t[7]);
        z += weight * (((t[8] * p[0] + t[9] * p[1]) + t[10] * p[2]) + t[11]);
    }
    position[0] = x + 0.0f;
    position[1] = y + 0.0f;
    position[2] = z + 0.0f;
}

void baseline_blend_evaluate(const gallery_model *model, const float *rest, uint32_t vertex_count,
                             const float *transforms, float *positions)
{
    for (uint32_t v = 0; v < vertex_count; v++) {
        baseline_blend_vertex(model, rest, v, transforms, positions + 3 * (size_t)v);
    }
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    blend_bottom_up *rival = state;
    const bench_motion *motion = rival->motion;
    double start = bench_seconds();
    for (uint32_t i = 0; i < motion->body_count; i++) {
        baseline_blend_evaluate(motion->models[i], motion->rest[i], motion->meshes[i].vertex_count,
                                frame->transforms[i], rival->frame.world[i]);
    }
    double evaluation = bench_seconds() - start;
    bool done = bench_bottom_up.step(rival->inner, &rival->frame, first_only, outcome);
    outcome->update_seconds += evaluation;
    outcome->total_seconds += evaluation;
    return done;
}

const bench_method bench_blend_bottom_up = {
    .name = "scalar binary bottom-up",
    .create = create,
    .step = step,
    .destroy = destroy,
};
