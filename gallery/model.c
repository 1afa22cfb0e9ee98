#include "gallery.h"

#include <stdlib.h>
#include <string.h>

void gallery_model_free(gallery_model *model)
{
    free(model->modes);
    free(model->influence_offsets);
    free(model->influence_joints);
    free(model->influence_weights);
    memset(model, 0, sizeof *model);
}

/* T y, row by row. */
static void transform(const float *rows, const float y[3], float x[3])
{
    for (int k = 0; k < 3; k++) {
        const float *row = rows + 4 * k;
        x[k] = ((row[0] * y[0] + row[1] * y[1]) + row[2] * y[2]) + row[3];
    }
}

/* Sums over a vertex's influences, or over its one transform, or takes it as it is. */
static void blend(const gallery_model *model, const float *transforms, uint32_t vertex,
                  const float y[3], float x[3])
{
    if (model->joint_count == 0) {
        memcpy(x, y, 3 * sizeof *x);
    } else if (model->influence_offsets == NULL) {
        transform(transforms, y, x);
    } else {
        memset(x, 0, 3 * sizeof *x);
        for (uint32_t i = model->influence_offsets[vertex];
             i < model->influence_offsets[vertex + 1]; i++) {
            float moved[3];
            transform(transforms + 12 * (size_t)model->influence_joints[i], y, moved);
            for (int k = 0; k < 3; k++) {
                x[k] += model->influence_weights[i] * moved[k];
            }
        }
    }
}

void gallery_model_evaluate(const gallery_model *model, const float *rest, uint32_t vertex_count,
                            const float *coordinates, const float *transforms, float *positions)
{
    for (uint32_t v = 0; v < vertex_count; v++) {
        float y[3];
        for (uint32_t k = 0; k < 3; k++) {
            y[k] = rest[3 * (size_t)v + k];
            for (uint32_t m = 0; m < model->mode_count; m++) {
                y[k] += coordinates[m] * model->modes[3 * ((size_t)m * vertex_count + v) + k];
            }
        }
        blend(model, transforms, v, y, positions + 3 * (size_t)v);
        for (uint32_t k = 0; k < 3; k++) {
            positions[3 * (size_t)v + k] += 0.0f; /* -0 becomes 0, as in the library */
        }
    }
}
