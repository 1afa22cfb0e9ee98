/* The float32 filter of the triangle test for peers that leave the test to their users. */
#ifndef LAB_PEERS_ONE_SIDE_H
#define LAB_PEERS_ONE_SIDE_H

#include <math.h>
#include <stdbool.h>

static inline float one_side_larger(float a, float b)
{
    return a < b ? b : a;
}

/*
 * Returns true if all corners of t are on one side of the plane of s by more than the arithmetic
 * can be wrong: six products of three factors, each rounded fewer than ten times; 1e-30 covers
 * underflow.
 */
static inline bool one_side(const float *const s[3], const float *const t[3])
{
    float u[3], v[3], w[3][3], longest = 0.0f, farthest = 0.0f;
    for (int k = 0; k < 3; k++) {
        u[k] = s[1][k] - s[0][k];
        v[k] = s[2][k] - s[0][k];
        longest = one_side_larger(longest, one_side_larger(fabsf(u[k]), fabsf(v[k])));
        for (int i = 0; i < 3; i++) {
            w[i][k] = t[i][k] - s[0][k];
            farthest = one_side_larger(farthest, fabsf(w[i][k]));
        }
    }
    float normal[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                       u[0] * v[1] - u[1] * v[0]};
    float error = 8e-6f * longest * longest * farthest + 1e-30f;
    float d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = normal[0] * w[i][0] + normal[1] * w[i][1] + normal[2] * w[i][2];
    }
    return (d[0] > error && d[1] > error && d[2] > error) ||
           (d[0] < -error && d[1] < -error && d[2] < -error);
}

#endif
