/*
 * The six corners against the other triangle and the nine pairs of edges, all of them measured to
 * the end: what pliant_triangle_measure_distance() did before it ruled pairs out first.
 */
#include "plain_distance.h"

#include <math.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(double r[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static double least_of_corners(const pliant_triangle *a, const pliant_triangle *b, double best)
{
    for (int c = 0; c < 3; c++) {
        double distance = pliant_triangle_find_closest_point(b, a->corner[c], NULL);
        best = distance < best ? distance : best;
    }
    return best;
}

/* The closest points inside two edges, refined as far as double goes; infinity if not inside. */
static double edge_distance(const double u[3], const double v[3], const double w[3])
{
    double n[3], s = 0.0, t = 0.0, change = 1.0, best = INFINITY;
    cross(n, u, v);
    double square = dot(n, n);
    for (int step = 0; step <= 5 && change > 0x1p-50 && square > 0.0; step++) {
        double r[3], m[3];
        for (int k = 0; k < 3; k++) {
            r[k] = w[k] + (s * u[k] - t * v[k]);
        }
        double distance = sqrt(dot(r, r));
        bool inside = s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0;
        best = inside && distance < best ? distance : best;
        cross(m, v, r);
        double more_s = dot(n, m) / square;
        cross(m, u, r);
        double more_t = dot(n, m) / square;
        s += more_s;
        t += more_t;
        change = fabs(more_s) + fabs(more_t);
    }
    return best;
}

double plain_distance(const pliant_triangle *a, const pliant_triangle *b)
{
    double best = least_of_corners(a, b, INFINITY);
    best = least_of_corners(b, a, best);
    for (int l = 0; l < 9; l++) {
        int i = l / 3, j = l % 3;
        double u[3], v[3], w[3];
        for (int k = 0; k < 3; k++) {
            u[k] = (double)a->corner[(i + 1) % 3][k] - (double)a->corner[i][k];
            v[k] = (double)b->corner[(j + 1) % 3][k] - (double)b->corner[j][k];
            w[k] = (double)a->corner[i][k] - (double)b->corner[j][k];
        }
        double distance = edge_distance(u, v, w);
        best = distance < best ? distance : best;
    }
    return best;
}
