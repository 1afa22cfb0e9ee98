/*
 * Points are put in lexicographic order, which translations and positive scales do not change, and
 * seen from the first one. A difference of two floats is a sum of two doubles, exactly: the rounded
 * difference and its error. Both are scaled along each axis by the power of two that brings the
 * largest difference into [1, 2). So equal keys mean equal differences up to these scales, for
 * which the signs of all polynomials of moving_exact.h are equal, too.
 */
#include "moving_key.h"

#include <math.h>
#include <string.h>

/* Whether point i comes before point j. */
static bool comes_before(const pli_moving_points *m, int i, int j)
{
    for (int k = 0; k < 6; ++k) {
        float a = m->x[i][k / 3][k % 3], b = m->x[j][k / 3][k % 3];
        if (a != b) {
            return a < b;
        }
    }
    return false;
}

static void sort_two(const pli_moving_points *m, int order[4], int i, int j)
{
    if (comes_before(m, order[j], order[i])) {
        int first = order[i];
        order[i] = order[j];
        order[j] = first;
    }
}

/* The corners of the face, or the ends of each edge and then the edges. */
static void sort_points(const pli_moving_points *m, int order[4])
{
    for (int i = 0; i < 4; ++i) {
        order[i] = i;
    }
    if (!m->edges) {
        sort_two(m, order, 1, 2);
        sort_two(m, order, 2, 3);
        sort_two(m, order, 1, 2);
        return;
    }
    sort_two(m, order, 0, 1);
    sort_two(m, order, 2, 3);
    bool same_start = !comes_before(m, order[0], order[2]) && !comes_before(m, order[2], order[0]);
    int which = same_start ? 1 : 0;
    if (comes_before(m, order[2 + which], order[which])) {
        const int swapped[4] = {order[2], order[3], order[0], order[1]};
        memcpy(order, swapped, sizeof swapped);
    }
}

/* high + low = a - b exactly; Knuth, The Art of Computer Programming, volume 2, 4.2.2. */
static void subtract(float x, float y, double *high, double *low)
{
    double a = (double)x, b = (double)y;
    *high = a - b;
    double b_seen = a - *high, a_seen = *high + b_seen;
    *low = (a - a_seen) + (b_seen - b);
}

void pli_moving_key_set(pli_moving_key *key, const pli_moving_points *m)
{
    int order[4];
    double most[3] = {0.0, 0.0, 0.0};
    sort_points(m, order);
    key->edges = m->edges;
    for (int i = 0; i < 18; ++i) {
        int end = i / 9, point = i / 3 % 3, axis = i % 3;
        double *high = &key->part[0][end][point][axis], *low = &key->part[1][end][point][axis];
        subtract(m->x[order[point + 1]][end][axis], m->x[order[0]][end][axis], high, low);
        most[axis] = fabs(*high) > most[axis] ? fabs(*high) : most[axis];
    }
    for (int axis = 0; axis < 3; ++axis) {
        double scale = most[axis] > 0.0 ? ldexp(1.0, -ilogb(most[axis])) : 1.0;
        for (int i = 0; i < 12; ++i) {
            double *part = &key->part[i / 6][i / 3 % 2][i % 3][axis];
            *part = *part * scale + 0.0; /* no negative zeros */
        }
    }
}

bool pli_moving_key_equal(const pli_moving_key *a, const pli_moving_key *b)
{
    bool equal = a->edges == b->edges;
    for (int i = 0; i < 36; ++i) {
        equal = equal && a->part[i / 18][i / 9 % 2][i / 3 % 3][i % 3] ==
                             b->part[i / 18][i / 9 % 2][i / 3 % 3][i % 3];
    }
    return equal;
}

uint64_t pli_moving_key_hash(const pli_moving_key *key)
{
    uint64_t word[sizeof *key / sizeof(uint64_t)], hash = 0;
    memcpy(word, key, sizeof word);
    for (size_t i = 0; i < sizeof word / sizeof word[0]; ++i) {
        hash = (hash ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}
