/* Vectors, matrices and quaternions, as far as bodies need them. */
#ifndef GALLERY_MODAL_ALGEBRA_H
#define GALLERY_MODAL_ALGEBRA_H

#include <math.h>

#include "gallery/numbers.h"

typedef struct modal_matrix {
    double rows[3][3];
} modal_matrix;

static inline double modal_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void modal_cross(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void modal_apply(const modal_matrix *matrix, const double vector[3], double result[3])
{
    for (int row = 0; row < 3; row++) {
        result[row] = modal_dot(matrix->rows[row], vector);
    }
}

static inline void modal_apply_transposed(const modal_matrix *matrix, const double vector[3],
                                          double result[3])
{
    for (int row = 0; row < 3; row++) {
        result[row] = matrix->rows[0][row] * vector[0] + matrix->rows[1][row] * vector[1] +
                      matrix->rows[2][row] * vector[2];
    }
}

/* The matrix has to have an inverse. */
static inline void modal_invert(const modal_matrix *matrix, modal_matrix *inverse)
{
    double determinant = 0.0;
    for (int i = 0; i < 3; i++) {
        const double *first = matrix->rows[(i + 1) % 3], *second = matrix->rows[(i + 2) % 3];
        for (int j = 0; j < 3; j++) {
            int next = (j + 1) % 3, last = (j + 2) % 3;
            inverse->rows[j][i] = first[next] * second[last] - first[last] * second[next];
        }
    }
    for (int j = 0; j < 3; j++) {
        determinant += matrix->rows[0][j] * inverse->rows[j][0];
    }
    for (int i = 0; i < 9; i++) {
        inverse->rows[i / 3][i % 3] /= determinant;
    }
}

/* Quaternions are i, j, k and the real part, of length 1. */
static inline void modal_rotation(const double q[4], modal_matrix *rotation)
{
    for (int row = 0; row < 3; row++) {
        int next = (row + 1) % 3, last = (row + 2) % 3;
        rotation->rows[row][row] = 1.0 - 2.0 * (q[next] * q[next] + q[last] * q[last]);
        rotation->rows[row][next] = 2.0 * (q[row] * q[next] - q[3] * q[last]);
        rotation->rows[row][last] = 2.0 * (q[row] * q[last] + q[3] * q[next]);
    }
}

/* The quaternion of a rotation; the branch is the one with the largest divisor. */
static inline void modal_orientation(const modal_matrix *rotation, double q[4])
{
    double trace = rotation->rows[0][0] + rotation->rows[1][1] + rotation->rows[2][2];
    int most = 0;
    for (int i = 1; i < 3; i++) {
        most = rotation->rows[i][i] > rotation->rows[most][most] ? i : most;
    }
    int next = (most + 1) % 3, last = (most + 2) % 3;
    if (trace >= rotation->rows[most][most]) {
        double twice = sqrt(1.0 + trace);
        q[3] = 0.5 * twice;
        for (int i = 0; i < 3; i++) {
            int after = (i + 1) % 3, before = (i + 2) % 3;
            q[i] = (rotation->rows[before][after] - rotation->rows[after][before]) / (2.0 * twice);
        }
        return;
    }
    double twice = sqrt(1.0 + rotation->rows[most][most] - rotation->rows[next][next] -
                        rotation->rows[last][last]);
    q[most] = 0.5 * twice;
    q[next] = (rotation->rows[most][next] + rotation->rows[next][most]) / (2.0 * twice);
    q[last] = (rotation->rows[most][last] + rotation->rows[last][most]) / (2.0 * twice);
    q[3] = (rotation->rows[last][next] - rotation->rows[next][last]) / (2.0 * twice);
}

/* Turns by spin * time: q := exp(spin time / 2) q. */
static inline void modal_turn(double q[4], const double spin[3], double time)
{
    double rate = sqrt(modal_dot(spin, spin)), half = 0.5 * rate * time;
    double sine = rate > 0.0 ? gallery_sin(half) / rate : 0.0, cosine = gallery_cos(half);
    double by[3] = {sine * spin[0], sine * spin[1], sine * spin[2]}, product[3];
    modal_cross(by, q, product);
    double real = cosine * q[3] - modal_dot(by, q), square = real * real;
    for (int a = 0; a < 3; a++) {
        product[a] += cosine * q[a] + q[3] * by[a];
        square += product[a] * product[a];
    }
    double scale = 1.0 / sqrt(square);
    for (int a = 0; a < 3; a++) {
        q[a] = scale * product[a];
    }
    q[3] = scale * real;
}

#endif
