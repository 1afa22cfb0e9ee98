/* The bodies of a scene as glTF knows bodies: morph targets, joints and influences. */
#include "export.h"

#include <stdlib.h>
#include <string.h>

/* A body without a model becomes one morph target per key; more keys than this are thinned out. */
#define MOST_KEYS 64

void export_free(export_body *body)
{
    free(body->positions);
    free(body->modes);
    free(body->coordinates);
    free(body->weights);
    free(body->joints);
    free(body->translations);
    free(body->rotations);
    free(body->scales);
    free(body->inner_rotations);
    *body = (export_body){.is_thinned = false};
}

/* In glTF y is up, in the scenes z is: (x, y, z) becomes (x, z, -y), which rounds nothing. */
static void turn_point(float *point)
{
    float y = point[1];
    point[1] = point[2];
    point[2] = -y;
}

static void turn_points(float *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        turn_point(points + 3 * i);
    }
}

static void turn_transform(float *rows)
{
    for (int column = 0; column < 4; column++) {
        float y = rows[4 + column];
        rows[4 + column] = rows[8 + column];
        rows[8 + column] = -y;
    }
}

/* A copy of fields of points, turned; NULL without memory. */
static float *turned_copy(const float *points, size_t count)
{
    float *copy = malloc(count * 3 * sizeof *copy + 1);
    if (copy != NULL) {
        memcpy(copy, points, count * 3 * sizeof *copy);
        turn_points(copy, count);
    }
    return copy;
}

/* Coordinates between two keys, `stride` steps apart, go from one to the other in a straight line.
 */
static void put_hats(float *coordinates, uint32_t steps, uint32_t stride, uint32_t mode_count)
{
    for (uint32_t step = 0; step <= steps; step++) {
        uint32_t low = step / stride, begin = low * stride;
        uint32_t end = steps - begin < stride ? steps : begin + stride;
        /* Key 0 is the mesh itself; key k is mode k - 1. */
        float *row = coordinates + (size_t)step * mode_count;
        memset(row, 0, mode_count * sizeof *row);
        float rest = end > begin ? (float)(step - begin) / (float)(end - begin) : 0.0f;
        if (low > 0) {
            row[low - 1] = 1.0f - rest;
        }
        if (rest > 0.0f) {
            row[low] = rest;
        }
    }
}

/* Positions of steps become displacements from the start. */
static bool fill_positions(const gallery_scene *scene, uint32_t index, export_body *body,
                           pliant_asset_output *output)
{
    uint32_t steps = scene->steps;
    uint32_t stride = (steps + MOST_KEYS - 1) / MOST_KEYS;
    uint32_t mode_count = (steps + stride - 1) / stride;
    size_t field = (size_t)3 * output->vertex_count;
    body->is_thinned = stride > 1;
    body->modes = malloc(field * mode_count * sizeof(float));
    body->coordinates = malloc(((size_t)steps + 1) * mode_count * sizeof(float));
    if (body->modes == NULL || body->coordinates == NULL) {
        return false;
    }
    for (uint32_t m = 0; m < mode_count; m++) {
        float *mode = body->modes + m * field;
        uint32_t step = steps - m * stride < stride ? steps : (m + 1) * stride;
        gallery_evaluate(scene, index, step, mode);
        turn_points(mode, output->vertex_count);
        for (size_t i = 0; i < field; i++) {
            mode[i] -= output->positions[i];
        }
    }
    put_hats(body->coordinates, steps, stride, mode_count);
    output->modes = body->modes;
    output->coordinates = body->coordinates;
    output->mode_count = mode_count;
    return true;
}

static bool fill_influences(const gallery_model *model, export_body *body,
                            pliant_asset_output *output)
{
    uint32_t most = 1, vertices = output->vertex_count;
    for (uint32_t v = 0; v < vertices; v++) {
        uint32_t count = model->influence_offsets[v + 1] - model->influence_offsets[v];
        most = count > most ? count : most;
    }
    uint32_t sets = (most + 3) / 4;
    body->joints = calloc((size_t)sets * vertices * 4, sizeof *body->joints);
    body->weights = calloc((size_t)sets * vertices * 4, sizeof *body->weights);
    if (body->joints == NULL || body->weights == NULL) {
        return false;
    }
    for (uint32_t v = 0; v < vertices; v++) {
        uint32_t first = model->influence_offsets[v], end = model->influence_offsets[v + 1];
        double sum = 0.0;
        for (uint32_t i = first; i < end; i++) {
            sum += (double)model->influence_weights[i];
        }
        for (uint32_t i = first; i < end; i++) {
            uint32_t slot = i - first;
            size_t at = ((size_t)(slot / 4) * vertices + v) * 4 + slot % 4;
            float weight = (float)((double)model->influence_weights[i] / (sum > 0.0 ? sum : 1.0));
            body->joints[at] = weight > 0.0f ? (uint16_t)model->influence_joints[i] : 0;
            body->weights[at] = weight;
        }
    }
    output->joints = body->joints;
    output->weights = body->weights;
    output->influence_sets = sets;
    return true;
}

/* The states of all steps; coordinates and transforms lie apart in the file. */
static bool fill_states(const gallery_scene *scene, uint32_t index, export_body *body,
                        pliant_asset_output *output)
{
    const gallery_model *model = &scene->models[index];
    size_t frames = (size_t)scene->steps + 1, numbers = (size_t)12 * model->joint_count;
    float *transforms = malloc(frames * numbers * sizeof(float) + 1);
    body->coordinates = malloc(frames * model->mode_count * sizeof(float) + 1);
    bool good = transforms != NULL && body->coordinates != NULL;
    for (size_t step = 0; good && step < frames; step++) {
        gallery_state(scene, index, (uint32_t)step, body->coordinates + step * model->mode_count,
                      transforms + step * numbers);
        for (uint32_t node = 0; node < model->joint_count; node++) {
            turn_transform(transforms + step * numbers + (size_t)12 * node);
        }
    }
    if (good && model->joint_count > 0) {
        good = export_joints(transforms, model->joint_count, (uint32_t)frames, body);
    }
    free(transforms);
    if (good && model->joint_count == 0) { /* nothing else can turn these */
        body->modes = turned_copy(model->modes, (size_t)output->vertex_count * model->mode_count);
        good = body->modes != NULL;
    }
    output->modes = model->joint_count > 0 ? model->modes : body->modes;
    output->mode_count = model->mode_count;
    output->coordinates = body->coordinates;
    output->joint_count = model->joint_count;
    output->translations = body->translations;
    output->rotations = body->rotations;
    output->scales = body->scales;
    output->inner_rotations = body->inner_rotations;
    return good;
}

bool export_fill(const gallery_scene *scene, uint32_t index, export_body *body,
                 pliant_asset_output *output)
{
    const gallery_mesh *mesh = &scene->bodies[index];
    const gallery_model *model = &scene->models[index];
    bool has_model = gallery_has_model(scene, index);
    const float *rest = has_model ? scene->rest[index] : mesh->positions;
    if (!has_model || model->joint_count == 0) {
        body->positions = turned_copy(rest, mesh->vertex_count);
        rest = body->positions;
        if (rest == NULL) {
            return false;
        }
    }
    gallery_name_body(scene, index, body->name);
    *output = (pliant_asset_output){.name = body->name,
                                    .positions = rest,
                                    .triangles = mesh->triangles,
                                    .vertex_count = mesh->vertex_count,
                                    .triangle_count = mesh->triangle_count};
    if (!has_model) {
        return fill_positions(scene, index, body, output);
    }
    return fill_states(scene, index, body, output) &&
           (model->influence_offsets == NULL || fill_influences(model, body, output));
}

static pliant_result write_file(const gallery_scene *scene, const pliant_asset_output *outputs,
                                uint32_t count, double rate, export_file *file)
{
    uint32_t frames = scene->steps + 1;
    pliant_result result =
        pliant_asset_output_write(outputs, count, frames, rate, NULL, 0, &file->size);
    if (result != PLIANT_OK) {
        return result;
    }
    file->bytes = malloc((size_t)file->size);
    result = file->bytes != NULL ? pliant_asset_output_write(outputs, count, frames, rate,
                                                             file->bytes, file->size, &file->size)
                                 : PLIANT_ERROR_OUT_OF_MEMORY;
    if (result != PLIANT_OK) {
        free(file->bytes);
        file->bytes = NULL;
    }
    return result;
}

pliant_result export_make(const gallery_scene *scene, uint32_t body_count, double rate,
                          export_file *file)
{
    export_body *bodies = calloc(body_count, sizeof *bodies);
    pliant_asset_output *outputs = calloc(body_count, sizeof *outputs);
    bool good = bodies != NULL && outputs != NULL;
    *file = (export_file){.bytes = NULL};
    for (uint32_t i = 0; good && i < body_count; i++) {
        good = export_fill(scene, i, &bodies[i], &outputs[i]);
        file->is_thinned = file->is_thinned || bodies[i].is_thinned;
    }
    pliant_result result =
        good ? write_file(scene, outputs, body_count, rate, file) : PLIANT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; bodies != NULL && i < body_count; i++) {
        export_free(&bodies[i]);
    }
    free(bodies);
    free(outputs);
    return result;
}
