#include "affine_spheres.h"

#include <math.h>
#include <string.h>

/* Sums over the vertices: of (1, p - c) with itself, and of it with the field. */
typedef struct normal_equations {
    double matrix[4][4], right[4][3];
} normal_equations;

static void take_vertex(const affine_set *set, uint32_t i, double one[4])
{
    const float *p = set->rest + 3 * (size_t)set->vertices[i];
    one[0] = 1.0;
    for (int k = 0; k < 3; k++) {
        one[k + 1] = (double)p[k] - set->centre[k];
    }
}

static void sum_up(const affine_set *set, const float *field, normal_equations *equations)
{
    memset(equations, 0, sizeof *equations);
    for (uint32_t i = 0; i < set->count; i++) {
        const float *u = field + 3 * (size_t)set->vertices[i];
        double one[4];
        take_vertex(set, i, one);
        for (int row = 0; row < 4; row++) {
            for (int column = 0; column < 4; column++) {
                equations->matrix[row][column] += one[row] * one[column];
            }
            for (int k = 0; k < 3; k++) {
                equations->right[row][k] += one[row] * (double)u[k];
            }
        }
    }
}

/* Elimination; a little is added to the diagonal, because vertices may lie in a plane, where the
   gradient across it is any. */
static void solve(normal_equations *equations, double solution[4][3])
{
    double trace = 0.0;
    for (int i = 1; i < 4; i++) {
        trace += equations->matrix[i][i];
    }
    for (int i = 0; i < 4; i++) {
        equations->matrix[i][i] += 1e-6 * (i == 0 ? 0.0 : trace) + 1e-300;
    }
    for (int pivot = 0; pivot < 4; pivot++) {
        for (int row = pivot + 1; row < 4; row++) {
            double share = equations->matrix[row][pivot] / equations->matrix[pivot][pivot];
            for (int column = pivot; column < 4; column++) {
                equations->matrix[row][column] -= share * equations->matrix[pivot][column];
            }
            for (int k = 0; k < 3; k++) {
                equations->right[row][k] -= share * equations->right[pivot][k];
            }
        }
    }
    for (int row = 3; row >= 0; row--) {
        for (int k = 0; k < 3; k++) {
            double value = equations->right[row][k];
            for (int column = row + 1; column < 4; column++) {
                value -= equations->matrix[row][column] * solution[column][k];
            }
            value /= equations->matrix[row][row];
            solution[row][k] = isfinite(value) ? value : 0.0;
        }
    }
}

void affine_mode_fit(const affine_set *set, const float *field, affine_mode *mode)
{
    normal_equations equations;
    double solution[4][3] = {{0}};
    sum_up(set, field, &equations);
    solve(&equations, solution);
    mode->residual = 0.0;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            mode->gradient[row][column] = solution[column + 1][row];
        }
    }
    for (uint32_t i = 0; i < set->count; i++) {
        const float *u = field + 3 * (size_t)set->vertices[i];
        double one[4], square = 0.0;
        take_vertex(set, i, one);
        for (int k = 0; k < 3; k++) {
            double off = (double)u[k];
            for (int row = 0; row < 4; row++) {
                off -= one[row] * solution[row][k];
            }
            square += off * off;
        }
        mode->residual = fmax(mode->residual, sqrt(square));
    }
}

/* The largest stretch of a matrix: the square root of the largest eigenvalue of A^T A, from the
   roots of its characteristic polynomial (Smith 1961). */
static double spectral_norm(const double a[3][3])
{
    double s[3][3], off = 0.0, trace = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            s[i][j] = a[0][i] * a[0][j] + a[1][i] * a[1][j] + a[2][i] * a[2][j];
            off += i != j ? 0.5 * s[i][j] * s[i][j] : 0.0;
        }
        trace += s[i][i];
    }
    double mean = trace / 3.0, square = 2.0 * off;
    for (int i = 0; i < 3; i++) {
        square += (s[i][i] - mean) * (s[i][i] - mean);
    }
    double p = sqrt(square / 6.0);
    if (p <= 1e-300) {
        return sqrt(mean);
    }
    for (int i = 0; i < 3; i++) {
        s[i][i] -= mean;
    }
    double determinant = s[0][0] * (s[1][1] * s[2][2] - s[1][2] * s[2][1]) -
                         s[0][1] * (s[1][0] * s[2][2] - s[1][2] * s[2][0]) +
                         s[0][2] * (s[1][0] * s[2][1] - s[1][1] * s[2][0]);
    double angle = acos(fmin(1.0, fmax(-1.0, 0.5 * determinant / (p * p * p)))) / 3.0;
    return sqrt(mean + 2.0 * p * cos(angle));
}

double affine_radius(const affine_mode *modes, const float *coordinates, uint32_t count,
                     double radius)
{
    double a[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, residual = 0.0;
    for (uint32_t m = 0; m < count; m++) {
        for (int k = 0; k < 9; k++) {
            a[k / 3][k % 3] += (double)coordinates[m] * modes[m].gradient[k / 3][k % 3];
        }
        residual += fabs((double)coordinates[m]) * modes[m].residual;
    }
    return spectral_norm((const double(*)[3])a) * radius + residual;
}
