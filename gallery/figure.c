/*
 * A figure in a coat walks and squats: two bodies that are skinned to the same bones, the first of
 * them with morph targets as well. Nobody keeps the coat off the legs, so that knees come through,
 * as they do in games.
 */
#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INFLUENCES 4

/* Drops the lids of the coat, and the vertices left unused. */
static bool cut_lids(gallery_mesh *mesh)
{
    uint32_t *numbers = malloc(((size_t)mesh->vertex_count + 1) * sizeof *numbers);
    if (numbers == NULL) {
        return false;
    }
    memset(numbers, 0xff, mesh->vertex_count * sizeof *numbers);
    uint32_t vertex_count = 0, triangle_count = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        uint32_t *corners = mesh->triangles + (size_t)3 * i;
        bool cloth = true;
        for (int k = 0; k < 3; k++) {
            const float *p = mesh->positions + (size_t)3 * corners[k];
            cloth = cloth &&
                    figure_is_cloth((const double[3]){(double)p[0], (double)p[1], (double)p[2]});
        }
        if (cloth) {
            memmove(mesh->triangles + (size_t)3 * triangle_count++, corners, 3 * sizeof *corners);
        }
    }
    for (uint32_t i = 0; i < 3 * triangle_count; i++) {
        numbers[mesh->triangles[i]] = 0;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (numbers[v] == 0) {
            memmove(mesh->positions + (size_t)3 * vertex_count, mesh->positions + (size_t)3 * v,
                    3 * sizeof(float));
            numbers[v] = vertex_count++;
        }
    }
    for (uint32_t i = 0; i < 3 * triangle_count; i++) {
        mesh->triangles[i] = numbers[mesh->triangles[i]];
    }
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    free(numbers);
    return triangle_count > 0;
}

static double square_to_segment(const double point[3], const double a[3], const double b[3])
{
    double along = 0.0, square = 0.0, distance = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        along += (b[axis] - a[axis]) * (point[axis] - a[axis]);
        square += (b[axis] - a[axis]) * (b[axis] - a[axis]);
    }
    along = fmin(fmax(along / square, 0.0), 1.0);
    for (int axis = 0; axis < 3; axis++) {
        double d = point[axis] - (a[axis] + along * (b[axis] - a[axis]));
        distance += d * d;
    }
    return distance;
}

/*
 * Weighs the bones at a point: the nearer, the more. All but four are taken off, and the fifth's
 * weight from each of the four, so that weights change smoothly over the surface.
 */
static void weigh(const double point[3], bool coat, double weights[FIGURE_BONES])
{
    double ordered[MAX_INFLUENCES + 1] = {0.0};
    for (int i = 0; i < FIGURE_BONES; i++) {
        const figure_bone *bone = &figure_bones[i];
        double tip[3] = {bone->tip[0], bone->tip[1], bone->tip[2]}, joint[3];
        memcpy(joint, bone->joint, sizeof joint);
        if (coat && bone->parent < 0) {
            joint[2] = 0.5; /* the skirt hangs from the hips */
        }
        double square = square_to_segment(point, joint, tip) + 1e-4;
        weights[i] = (coat ? bone->coat : bone->body) / (square * square * square);
        double weight = weights[i];
        for (int k = 0; k <= MAX_INFLUENCES; k++) {
            if (weight > ordered[k]) {
                double other = ordered[k];
                ordered[k] = weight;
                weight = other;
            }
        }
    }
    double sum = 0.0, fifth = ordered[MAX_INFLUENCES];
    for (int i = 0; i < FIGURE_BONES; i++) {
        weights[i] = fmax(weights[i] - fifth, 0.0);
        sum += weights[i];
    }
    for (int i = 0; i < FIGURE_BONES; i++) {
        /* What is too little to be seen is dropped; four at most are left. */
        weights[i] = weights[i] > 1e-4 * sum ? weights[i] / sum : 0.0;
    }
}

static bool skin(const gallery_mesh *mesh, bool coat, gallery_model *model)
{
    size_t count = mesh->vertex_count;
    model->joint_count = FIGURE_BONES;
    model->influence_offsets = malloc((count + 1) * sizeof *model->influence_offsets);
    model->influence_joints = malloc(MAX_INFLUENCES * count * sizeof *model->influence_joints);
    model->influence_weights = malloc(MAX_INFLUENCES * count * sizeof *model->influence_weights);
    if (model->influence_offsets == NULL || model->influence_joints == NULL ||
        model->influence_weights == NULL) {
        return false;
    }
    uint32_t end = 0;
    for (size_t v = 0; v < count; v++) {
        const float *p = mesh->positions + 3 * v;
        double weights[FIGURE_BONES], sum = 0.0;
        weigh((const double[3]){(double)p[0], (double)p[1], (double)p[2]}, coat, weights);
        for (int i = 0; i < FIGURE_BONES; i++) {
            sum += weights[i];
        }
        model->influence_offsets[v] = end;
        for (uint32_t i = 0; i < FIGURE_BONES; i++) {
            if (weights[i] > 0.0) {
                model->influence_joints[end] = i;
                model->influence_weights[end++] = (float)(weights[i] / sum);
            }
        }
    }
    model->influence_offsets[count] = end;
    return true;
}

static bool add_morphs(const gallery_mesh *mesh, gallery_model *model)
{
    size_t count = mesh->vertex_count;
    model->modes = malloc(3 * FIGURE_MODES * count * sizeof *model->modes);
    if (model->modes == NULL) {
        return false;
    }
    model->mode_count = FIGURE_MODES;
    for (uint32_t mode = 0; mode < FIGURE_MODES; mode++) {
        for (size_t v = 0; v < count; v++) {
            const float *p = mesh->positions + 3 * v;
            double offset[3];
            figure_morph(mode, (const double[3]){(double)p[0], (double)p[1], (double)p[2]}, offset);
            for (size_t axis = 0; axis < 3; axis++) {
                model->modes[3 * (mode * count + v) + axis] = (float)offset[axis];
            }
        }
    }
    return true;
}

bool figure_make_body(uint32_t vertices, gallery_mesh *mesh, gallery_model *model)
{
    return surface_make_mesh(&figure_body, vertices, mesh) && skin(mesh, false, model) &&
           add_morphs(mesh, model);
}

static bool create(gallery_scene *scene, uint32_t triangles)
{
    gallery_mesh *body = &scene->bodies[0], *coat = &scene->bodies[1];
    uint32_t vertices = triangles / 2 + 2;
    return figure_make_body(vertices, body, &scene->models[0]) &&
           surface_make_mesh(&figure_coat, vertices, coat) && cut_lids(coat) &&
           skin(coat, true, &scene->models[1]);
}

static void state(const gallery_scene *scene, uint32_t body, uint32_t step, float *coordinates,
                  float *transforms)
{
    float unused[FIGURE_MODES];
    double time = (double)step / (double)scene->steps;
    figure_pose(time, scene->phases[0], body == 0 ? coordinates : unused, transforms);
}

static const char *const names[] = {"figure", "coat"};

const gallery_kind gallery_figure = {
    .name = "figure",
    .title = "A figure in a coat walks and squats",
    .description = "a figure with bones and morph targets walks and squats in a coat, which its "
                   "knees come through",
    .names = names,
    .body_count = 2,
    .triangles = 10000,
    .steps = 200,
    .create = create,
    .state = state,
};
