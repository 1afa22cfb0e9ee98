#include "normal.h"

#include <math.h>

void pli_unit_normal(const float corner[3][3], double normal[3])
{
    double u[3], v[3], square = 0.0;
    for (int k = 0; k < 3; k++) {
        u[k] = (double)corner[1][k] - (double)corner[0][k];
        v[k] = (double)corner[2][k] - (double)corner[0][k];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        normal[i] = u[j] * v[k] - u[k] * v[j];
        square += normal[i] * normal[i];
    }
    double scale = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
    for (int k = 0; k < 3; k++) {
        normal[k] *= scale;
    }
}
