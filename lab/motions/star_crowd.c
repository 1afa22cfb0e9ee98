#include "star_crowd.h"

#include <math.h>
#include <stdlib.h>

/* Arms along the diagonals of a cube. */
static double star_radius(const float p[3])
{
    double along = 5.196 * fabs((double)p[0] * (double)p[1] * (double)p[2]);
    return 0.35 + 0.65 * along * sqrt(along);
}

/* A field that bends the whole body: waves about as long as the body is wide. */
static double star_field(uint32_t mode, uint32_t axis, const float p[3])
{
    double x = (double)p[(axis + 1) % 3], y = (double)p[(axis + 2) % 3];
    double along = 1.0 + 0.3 * ((mode + 2 * axis) % 8),
           across = 0.6 + 0.4 * ((7 * mode + axis) % 5);
    return 0.5 * gallery_sin(along * x + mode) * gallery_cos(across * y + 0.5 * axis);
}

bool star_make(uint32_t triangles, gallery_mesh *mesh, gallery_model *model)
{
    *model = (gallery_model){.mode_count = STAR_MODES, .joint_count = 1};
    if (!mesh_make_geodesic_sphere((uint32_t)(sqrt(triangles / 20.0) + 0.5), mesh)) {
        return false;
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        float *p = mesh->positions + 3 * v, radius = (float)star_radius(p);
        for (int k = 0; k < 3; k++) {
            p[k] *= radius;
        }
    }
    model->modes = malloc(3 * (size_t)STAR_MODES * mesh->vertex_count * sizeof *model->modes);
    if (model->modes == NULL) {
        return false;
    }
    for (uint32_t m = 0; m < STAR_MODES; m++) {
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            for (uint32_t axis = 0; axis < 3; axis++) {
                model->modes[3 * ((size_t)m * mesh->vertex_count + v) + axis] =
                    (float)star_field(m, axis, mesh->positions + 3 * (size_t)v);
            }
        }
    }
    return true;
}

/* A rotation about an axis of length 1. */
static void rotate(const double axis[3], double angle, double rotation[3][3])
{
    double sine = gallery_sin(angle), cosine = gallery_cos(angle);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        rotation[i][i] = cosine + (1.0 - cosine) * axis[i] * axis[i];
        rotation[i][j] = (1.0 - cosine) * axis[i] * axis[j] - sine * axis[k];
        rotation[i][k] = (1.0 - cosine) * axis[i] * axis[k] + sine * axis[j];
    }
}

void star_state(uint32_t body, uint32_t side, double spacing, uint32_t step,
                float coordinates[STAR_MODES], float transform[12])
{
    gallery_random random = gallery_random_seed(1, body);
    const uint32_t cell[3] = {body % side, body / side % side, body / side / side};
    double axis[3], rotation[3][3], length = 0.0;
    double phase = gallery_random_range(&random, 0.0, 2.0 * GALLERY_PI) + 0.05 * step;
    double turned = gallery_random_range(&random, 0.0, 2.0 * GALLERY_PI) + 0.01 * step;
    for (int k = 0; k < 3; k++) {
        axis[k] = gallery_random_range(&random, -1.0, 1.0);
        length += axis[k] * axis[k];
    }
    for (int k = 0; k < 3; k++) {
        axis[k] /= sqrt(length);
    }
    rotate(axis, turned, rotation);
    for (int k = 0; k < 3; k++) {
        double sway = 0.12 * gallery_sin((1.0 + 0.3 * k) * phase + k);
        for (int column = 0; column < 3; column++) {
            transform[4 * k + column] = (float)rotation[k][column];
        }
        transform[4 * k + 3] = (float)(spacing * cell[k] + sway);
    }
    for (int m = 0; m < STAR_MODES; m++) {
        coordinates[m] = (float)(0.08 * gallery_sin((1.0 + 0.17 * m) * phase + m));
    }
}
