/*
 * Based on: M. Alexa, W. Mueller, "Representing Animations by Principal Components", 2000. There
 * are far fewer frames than vertices, so the eigenvectors of the frames' products give the fields.
 */
#include "compress.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scene.h"

/* Numbers of all frames that are worked on at once, so that they stay in the cache. */
#define BLOCK 512

typedef struct compression {
    const float *frames;
    uint32_t frame_count;
    size_t length; /* of one frame */
    double *gram;  /* products of frames; then, row after row, eigenvectors, ascending */
    double *values;
    double *block; /* BLOCK numbers of every frame, less the mean */
} compression;

static void find_mean(const compression *work, float *mean)
{
    for (size_t i = 0; i < work->length; i++) {
        double sum = 0.0;
        for (uint32_t f = 0; f < work->frame_count; f++) {
            sum += (double)work->frames[f * work->length + i];
        }
        mean[i] = (float)(sum / work->frame_count);
    }
}

/* Loads a block of numbers less the mean; returns how many there are. */
static size_t load(const compression *work, const float *mean, size_t start)
{
    size_t count = work->length - start < BLOCK ? work->length - start : BLOCK;
    for (uint32_t f = 0; f < work->frame_count; f++) {
        double *row = work->block + (size_t)f * BLOCK;
        const float *frame = work->frames + f * work->length + start;
        for (size_t i = 0; i < BLOCK; i++) {
            row[i] = i < count ? (double)frame[i] - (double)mean[start + i] : 0.0;
        }
    }
    return count;
}

static double product(const double *a, const double *b)
{
    double sums[8] = {0};
    for (size_t i = 0; i < BLOCK; i += 8) {
        for (size_t k = 0; k < 8; k++) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

static bool find_components(const compression *work, const float *mean)
{
    uint32_t n = work->frame_count;
    for (size_t start = 0; start < work->length; start += BLOCK) {
        load(work, mean, start);
        for (uint32_t f = 0; f < n; f++) {
            for (uint32_t g = 0; g <= f; g++) {
                work->gram[(size_t)g * n + f] +=
                    product(work->block + (size_t)f * BLOCK, work->block + (size_t)g * BLOCK);
            }
        }
    }
    return LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)n, work->gram, (lapack_int)n,
                         work->values) == 0;
}

/* The fields before they are scaled: sums of frames, weighted by an eigenvector. */
static void sum_fields(const compression *work, const modal_animation *animation, double *fields)
{
    uint32_t n = work->frame_count;
    for (size_t start = 0; start < work->length; start += BLOCK) {
        size_t count = load(work, animation->mean, start);
        for (uint32_t m = 0; m < animation->mode_count && m < n; m++) {
            const double *vector = work->gram + (size_t)(n - 1 - m) * n;
            double *field = fields + m * work->length + start;
            for (uint32_t f = 0; f < n; f++) {
                const double *row = work->block + (size_t)f * BLOCK;
                for (size_t i = 0; i < count; i++) {
                    field[i] += vector[f] * row[i];
                }
            }
        }
    }
}

/* The largest entry of a field with its sign (the first of several), and the longest vector. */
static double survey(const double *field, size_t length, double *longest)
{
    double most = 0.0, square = 0.0;
    for (size_t i = 0; i < length; i++) {
        most = fabs(field[i]) > fabs(most) ? field[i] : most;
        if (i % 3 == 2) {
            square = fmax(square, field[i] * field[i] + field[i - 1] * field[i - 1] +
                                      field[i - 2] * field[i - 2]);
        }
    }
    *longest = sqrt(square);
    return most;
}

/* Scales the fields; q of a frame is what the scaled field must be multiplied with. */
static void scale_fields(const compression *work, const double *fields, modal_animation *animation)
{
    uint32_t n = work->frame_count, count = animation->mode_count;
    double noise = n > 0 ? 1e-14 * fmax(work->values[n - 1], 0.0) : 0.0;
    for (uint32_t m = 0; m < count && m < n; m++) {
        const double *field = fields + m * work->length, *vector;
        double longest, sign = survey(field, work->length, &longest) < 0.0 ? -1.0 : 1.0;
        if (work->values[n - 1 - m] <= noise || longest <= 0.0) {
            continue;
        }
        vector = work->gram + (size_t)(n - 1 - m) * n;
        for (size_t i = 0; i < work->length; i++) {
            animation->modes[m * work->length + i] = (float)(sign * field[i] / longest + 0.0);
        }
        for (uint32_t f = 0; f < n; f++) {
            animation->coordinates[(size_t)f * count + m] = (float)(sign * vector[f] * longest);
        }
    }
}

static bool measure_error(const compression *work, modal_animation *animation)
{
    scene_model model = {.mode_count = animation->mode_count, .modes = animation->modes};
    float *positions = malloc((work->length + 1) * sizeof *positions);
    if (positions == NULL) {
        return false;
    }
    double largest = 0.0;
    for (uint32_t f = 0; f < work->frame_count; f++) {
        const float *frame = work->frames + f * work->length;
        scene_model_evaluate(&model, animation->mean, animation->vertex_count,
                             animation->coordinates + (size_t)f * animation->mode_count, NULL,
                             positions);
        for (size_t i = 0; i < work->length; i += 3) {
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

static bool run(compression *work, modal_animation *animation)
{
    size_t all = work->length * animation->mode_count;
    size_t square = (size_t)work->frame_count * work->frame_count;
    animation->mean = malloc((work->length + 1) * sizeof(float));
    animation->modes = calloc(all + 1, sizeof(float));
    animation->coordinates =
        calloc((size_t)work->frame_count * animation->mode_count + 1, sizeof(float));
    work->gram = calloc(square + 1, sizeof(double));
    work->values = malloc((work->frame_count + 1) * sizeof(double));
    work->block = malloc(((size_t)work->frame_count * BLOCK + 1) * sizeof(double));
    double *fields = calloc(all + 1, sizeof(double));
    bool done = animation->mean != NULL && animation->modes != NULL &&
                animation->coordinates != NULL && work->gram != NULL && work->values != NULL &&
                work->block != NULL && fields != NULL;
    if (done) {
        find_mean(work, animation->mean);
        done = find_components(work, animation->mean);
    }
    if (done) {
        sum_fields(work, animation, fields);
        scale_fields(work, fields, animation);
        done = measure_error(work, animation);
    }
    free(fields);
    free(work->gram);
    free(work->values);
    free(work->block);
    return done;
}

bool modal_compress(const float *frames, uint32_t frame_count, uint32_t vertex_count,
                    uint32_t mode_count, modal_animation *animation)
{
    *animation = (modal_animation){
        .vertex_count = vertex_count, .frame_count = frame_count, .mode_count = mode_count};
    compression work = {
        .frames = frames, .frame_count = frame_count, .length = 3 * (size_t)vertex_count};
    bool done = run(&work, animation);
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
