/*
 * Affine transforms as translation, rotation and scale. A node of glTF cannot shear, but two can:
 * every matrix is U S V' with rotations U and V and a diagonal S, so that a node with U and S
 * around a node with V' is the same.
 */
#include "export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gallery/modal/algebra.h"

#define SAME 2e-6 /* relative; float32 matrices of rotations are no better */

typedef struct split {
    modal_matrix outer, inner; /* rotations U and V, the latter by its columns */
    double scale[3];
} split;

static modal_matrix linear_part(const float *transform)
{
    modal_matrix matrix;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            matrix.rows[row][column] = (double)transform[4 * row + column];
        }
    }
    return matrix;
}

static modal_matrix product_with_itself(const modal_matrix *matrix)
{
    modal_matrix product = {{{0.0}}};
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 3; k++) {
            product.rows[i / 3][i % 3] += matrix->rows[k][i / 3] * matrix->rows[k][i % 3];
        }
    }
    return product;
}

static double determinant(const modal_matrix *matrix)
{
    double product[3];
    modal_cross(matrix->rows[0], matrix->rows[1], product);
    return modal_dot(product, matrix->rows[2]);
}

/* Turns the plane of two axes so that the entry between them vanishes. */
static void rotate_pair(modal_matrix *symmetric, modal_matrix *vectors, int p, int q)
{
    double between = symmetric->rows[p][q];
    if (between == 0.0) {
        return;
    }
    double theta = (symmetric->rows[q][q] - symmetric->rows[p][p]) / (2.0 * between);
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        double a = symmetric->rows[k][p], b = symmetric->rows[k][q];
        symmetric->rows[k][p] = c * a - s * b;
        symmetric->rows[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        double a = symmetric->rows[p][k], b = symmetric->rows[q][k];
        symmetric->rows[p][k] = c * a - s * b;
        symmetric->rows[q][k] = s * a + c * b;
        double x = vectors->rows[k][p], y = vectors->rows[k][q];
        vectors->rows[k][p] = c * x - s * y;
        vectors->rows[k][q] = s * x + c * y;
    }
}

static double column_dot(const modal_matrix *a, int i, const modal_matrix *b, int j)
{
    return a->rows[0][i] * b->rows[0][j] + a->rows[1][i] * b->rows[1][j] +
           a->rows[2][i] * b->rows[2][j];
}

/* Orders and turns the axes so that they are as near to those of the frame before as can be. */
static void match(modal_matrix *vectors, const modal_matrix *before)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int best = 0;
    double most = -1.0;
    for (int i = 0; i < 6; i++) {
        double sum = 0.0;
        for (int k = 0; k < 3; k++) {
            sum += fabs(column_dot(vectors, orders[i][k], before, k));
        }
        if (sum > most) {
            most = sum;
            best = i;
        }
    }
    modal_matrix matched;
    for (int k = 0; k < 3; k++) {
        int from = orders[best][k];
        double sign = column_dot(vectors, from, before, k) < 0.0 ? -1.0 : 1.0;
        for (int row = 0; row < 3; row++) {
            matched.rows[row][k] = sign * vectors->rows[row][from];
        }
    }
    if (determinant(&matched) < 0.0) {
        for (int row = 0; row < 3; row++) {
            matched.rows[row][2] = -matched.rows[row][2];
        }
    }
    *vectors = matched;
}

static void set_column(modal_matrix *matrix, int column, const double vector[3])
{
    for (int row = 0; row < 3; row++) {
        matrix->rows[row][column] = vector[row];
    }
}

/* Columns of U: where the axes go. One that shrinks to nothing is whatever completes the others. */
static void find_outer(const modal_matrix *matrix, split *made)
{
    double columns[3][3];
    int largest = 0, smallest = 0;
    for (int k = 0; k < 3; k++) {
        double axis[3] = {made->inner.rows[0][k], made->inner.rows[1][k], made->inner.rows[2][k]};
        modal_apply(matrix, axis, columns[k]);
        made->scale[k] = sqrt(modal_dot(columns[k], columns[k]));
        largest = made->scale[k] > made->scale[largest] ? k : largest;
        smallest = made->scale[k] <= made->scale[smallest] ? k : smallest;
    }
    for (int k = 0; k < 3; k++) {
        for (int row = 0; row < 3; row++) {
            columns[k][row] /= made->scale[k] > 0.0 ? made->scale[k] : 1.0;
        }
    }
    /* The smallest one is the least exact: it follows from the others, and keeps its sign. */
    double completed[3];
    modal_cross(columns[(smallest + 1) % 3], columns[(smallest + 2) % 3], completed);
    if (modal_dot(completed, columns[smallest]) < 0.0) {
        made->scale[smallest] = -made->scale[smallest];
    }
    memcpy(columns[smallest], completed, sizeof completed);
    for (int k = 0; k < 3; k++) {
        set_column(&made->outer, k, columns[k]);
    }
}

static split split_matrix(const modal_matrix *matrix, const modal_matrix *before)
{
    split made = {.inner = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}};
    modal_matrix square = product_with_itself(matrix);
    for (int sweep = 0; sweep < 12; sweep++) {
        rotate_pair(&square, &made.inner, 0, 1);
        rotate_pair(&square, &made.inner, 0, 2);
        rotate_pair(&square, &made.inner, 1, 2);
    }
    match(&made.inner, before);
    find_outer(matrix, &made);
    return made;
}

/* Whether a matrix is a rotation times a number above 0, which is returned; else 0. */
static double uniform_scale(const modal_matrix *matrix)
{
    modal_matrix square = product_with_itself(matrix);
    double mean = (square.rows[0][0] + square.rows[1][1] + square.rows[2][2]) / 3.0;
    for (int i = 0; i < 9; i++) {
        double wanted = i / 3 == i % 3 ? mean : 0.0;
        if (!(fabs(square.rows[i / 3][i % 3] - wanted) <= 2.0 * SAME * mean)) {
            return 0.0;
        }
    }
    return determinant(matrix) > 0.0 ? sqrt(mean) : 0.0;
}

/* A quaternion, of the two that mean the same the one nearer to that of the frame before. */
static void put_rotation(float *rotations, size_t at, bool is_first, const modal_matrix *rotation)
{
    double q[4], nearness = 0.0;
    modal_orientation(rotation, q);
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (size_t k = 0; k < 4; k++) {
        nearness += is_first ? 0.0 : q[k] * (double)rotations[4 * (at - 1) + k];
    }
    for (size_t k = 0; k < 4; k++) {
        rotations[4 * at + k] = (float)((nearness < 0.0 ? -q[k] : q[k]) / length);
    }
}

static void transpose(modal_matrix *matrix)
{
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < row; column++) {
            double kept = matrix->rows[row][column];
            matrix->rows[row][column] = matrix->rows[column][row];
            matrix->rows[column][row] = kept;
        }
    }
}

/* One joint in one frame; `before` are the axes of the frame before. */
static void put_frame(export_body *body, const float *transform, size_t at, bool is_first,
                      modal_matrix *before)
{
    modal_matrix matrix = linear_part(transform);
    for (size_t k = 0; k < 3; k++) {
        body->translations[3 * at + k] = transform[4 * k + 3];
    }
    if (body->inner_rotations == NULL) {
        double scale = uniform_scale(&matrix);
        for (int i = 0; i < 9; i++) {
            matrix.rows[i / 3][i % 3] /= scale;
        }
        put_rotation(body->rotations, at, is_first, &matrix);
        for (size_t k = 0; k < 3 && body->scales != NULL; k++) {
            body->scales[3 * at + k] = (float)scale;
        }
        return;
    }
    split made = split_matrix(&matrix, before);
    *before = made.inner;
    put_rotation(body->rotations, at, is_first, &made.outer);
    for (size_t k = 0; k < 3; k++) {
        body->scales[3 * at + k] = (float)made.scale[k];
    }
    transpose(&made.inner);
    put_rotation(body->inner_rotations, at, is_first, &made.inner);
}

bool export_joints(const float *transforms, uint32_t joint_count, uint32_t frame_count,
                   export_body *body)
{
    size_t count = (size_t)joint_count * frame_count;
    bool scales = false, shears = false;
    for (size_t i = 0; i < count; i++) {
        modal_matrix matrix = linear_part(transforms + 12 * i);
        double scale = uniform_scale(&matrix);
        shears = shears || scale == 0.0;
        scales = scales || fabs(scale - 1.0) > SAME;
    }
    body->translations = malloc(count * 3 * sizeof(float));
    body->rotations = malloc(count * 4 * sizeof(float));
    body->scales = scales || shears ? malloc(count * 3 * sizeof(float)) : NULL;
    body->inner_rotations = shears ? malloc(count * 4 * sizeof(float)) : NULL;
    if (body->translations == NULL || body->rotations == NULL ||
        ((scales || shears) && body->scales == NULL) || (shears && body->inner_rotations == NULL)) {
        return false;
    }
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        modal_matrix before = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
        for (uint32_t frame = 0; frame < frame_count; frame++) {
            put_frame(body, transforms + 12 * ((size_t)frame * joint_count + joint),
                      (size_t)joint * frame_count + frame, frame == 0, &before);
        }
    }
    return true;
}
