/*
 * Based on: M. Alexa, W. Mueller, "Representing Animations by Principal Components", 2000. The
 * library finds the components; here they get the scale that scenes want.
 */
#include "compress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/fit.h"
#include "gallery/gallery.h"

/* The longest vector of a field. */
static double longest_vector(const float *field, size_t length)
{
    double square = 0.0;
    for (size_t i = 0; i < length; i += 3) {
        double x = (double)field[i], y = (double)field[i + 1], z = (double)field[i + 2];
        square = fmax(square, x * x + y * y + z * z);
    }
    return sqrt(square);
}

/* Copies what was found, each field scaled to a longest vector of 1. */
static void take_fit(const pliant_fit *fit, modal_animation *animation)
{
    size_t length = 3 * (size_t)fit->vertex_count, count = animation->mode_count;
    memcpy(animation->mean, fit->rest, length * sizeof *animation->mean);
    for (size_t m = 0; m < fit->mode_count; m++) {
        const float *field = fit->modes + m * length;
        double longest = longest_vector(field, length);
        if (longest <= 0.0) {
            continue;
        }
        for (size_t i = 0; i < length; i++) {
            animation->modes[m * length + i] = (float)((double)field[i] / longest + 0.0);
        }
        for (size_t f = 0; f < fit->frame_count; f++) {
            double q = (double)fit->coordinates[f * fit->mode_count + m];
            animation->coordinates[f * count + m] = (float)(q * longest);
        }
    }
}

static bool measure_error(const float *frames, modal_animation *animation)
{
    gallery_model model = {.mode_count = animation->mode_count, .modes = animation->modes};
    size_t length = 3 * (size_t)animation->vertex_count;
    float *positions = malloc((length + 1) * sizeof *positions);
    if (positions == NULL) {
        return false;
    }
    double largest = 0.0;
    for (uint32_t f = 0; f < animation->frame_count; f++) {
        const float *frame = frames + f * length;
        gallery_model_evaluate(&model, animation->mean, animation->vertex_count,
                               animation->coordinates + (size_t)f * animation->mode_count, NULL,
                               positions);
        for (size_t i = 0; i < length; i += 3) {
            double square = 0.0;
            for (size_t a = 0; a < 3; a++) {
                double side = (double)positions[i + a] - (double)frame[i + a];
                square += side * side;
            }
            largest = fmax(largest, square);
        }
    }
    animation->largest_error = sqrt(largest);
    free(positions);
    return true;
}

bool modal_compress(const float *frames, uint32_t frame_count, uint32_t vertex_count,
                    uint32_t mode_count, modal_animation *animation)
{
    size_t length = 3 * (size_t)vertex_count;
    *animation = (modal_animation){
        .vertex_count = vertex_count, .frame_count = frame_count, .mode_count = mode_count};
    animation->mean = malloc((length + 1) * sizeof *animation->mean);
    animation->modes = calloc(length * mode_count + 1, sizeof *animation->modes);
    animation->coordinates =
        calloc((size_t)frame_count * mode_count + 1, sizeof *animation->coordinates);
    pliant_fit_def def = pliant_fit_def_default();
    def.frames = frames;
    def.frame_count = frame_count;
    def.vertex_count = vertex_count;
    def.mode_count = mode_count;
    pliant_context *context = NULL;
    const pliant_fit *fit = NULL;
    bool done = animation->mean != NULL && animation->modes != NULL &&
                animation->coordinates != NULL &&
                pliant_context_create(NULL, &context) == PLIANT_OK &&
                pliant_fit_create(context, &def, &fit) == PLIANT_OK;
    if (done) {
        take_fit(fit, animation);
    }
    pliant_fit_destroy(fit);
    pliant_context_destroy(context);
    done = done && measure_error(frames, animation);
    if (!done) {
        modal_animation_free(animation);
    }
    return done;
}

void modal_animation_at(const modal_animation *animation, double frame, float *coordinates)
{
    double last = (double)(animation->frame_count - 1);
    double at = fmin(fmax(frame, 0.0), last);
    uint32_t before = (uint32_t)fmin(floor(at), fmax(last - 1.0, 0.0));
    uint32_t after = before + 1 < animation->frame_count ? before + 1 : before;
    double share = at - before;
    for (uint32_t m = 0; m < animation->mode_count; m++) {
        double from = (double)animation->coordinates[(size_t)before * animation->mode_count + m];
        double to = (double)animation->coordinates[(size_t)after * animation->mode_count + m];
        coordinates[m] = (float)(from + share * (to - from));
    }
}

void modal_animation_free(modal_animation *animation)
{
    free(animation->mean);
    free(animation->modes);
    free(animation->coordinates);
    memset(animation, 0, sizeof *animation);
}
