/*
 * After: B. Wang, Z. Ferguson, T. Schneider, X. Jiang, M. Attene, D. Panozzo, A Large-scale
 * Benchmark and an Inclusion-based Algorithm for Continuous Collision Detection, ACM Transactions
 * on Graphics 2021, written anew in plain C from the paper's description.
 *
 * Let F(t, u, v) be the difference of the two points that parameters u and v name on the features
 * at time t. It is linear in each of them, so over a box of parameters it lies in the box of its
 * eight corner values. A box whose image does not hold 0, up to rounding, is dropped; one that is
 * small enough is a contact; others are halved along the parameter that is widest beside its
 * tolerance, the earliest box first.
 */
#include "interval_roots.h"

#include <math.h>

enum { MOST_WAITING = 1 << 12, MOST_BOXES = 1000000 };

typedef struct box {
    double low[3], width[3]; /* t, u, v */
} box;

typedef struct interval_search {
    const float (*x)[2][3];
    bool edges;
    double rounding[3];        /* of F, per coordinate */
    double tolerance[3];       /* of parameters */
    box waiting[MOST_WAITING]; /* a heap: none begins earlier than the one above it */
    uint32_t count;
} interval_search;

/* One coordinate of F. */
static double evaluate(const interval_search *s, double t, double u, double v, int k)
{
    double p[4];
    for (int i = 0; i < 4; i++) {
        double start = (double)s->x[i][0][k], end = (double)s->x[i][1][k];
        p[i] = start + t * (end - start);
    }
    if (s->edges) {
        return (p[0] + u * (p[1] - p[0])) - (p[2] + v * (p[3] - p[2]));
    }
    return p[0] - (p[1] + u * (p[2] - p[1]) + v * (p[3] - p[1]));
}

/* Whether 0 is in the image of a box; *inside: the image lies within the rounding of F. */
static bool may_hold_zero(const interval_search *s, const box *b, bool *inside)
{
    *inside = true;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int corner = 0; corner < 8; corner++) {
            double value = evaluate(s, b->low[0] + (corner & 1 ? b->width[0] : 0.0),
                                    b->low[1] + (corner & 2 ? b->width[1] : 0.0),
                                    b->low[2] + (corner & 4 ? b->width[2] : 0.0), k);
            low = fmin(low, value);
            high = fmax(high, value);
        }
        if (low > s->rounding[k] || high < -s->rounding[k]) {
            return false;
        }
        *inside = *inside && low >= -s->rounding[k] && high <= s->rounding[k];
    }
    return true;
}

/* How far F moves at most along each parameter, and how large it is. */
static void set_tolerances(interval_search *s, double tolerance)
{
    static const int along[2][3][2] = {{{0, 0}, {2, 1}, {3, 1}}, {{0, 0}, {1, 0}, {3, 2}}};
    for (int parameter = 0; parameter < 3; parameter++) {
        double most = 0.0;
        for (int i = 0; i < 8; i++) {
            const int *of = along[s->edges][parameter];
            for (int k = 0; k < 3; k++) {
                double way = parameter == 0
                                 ? (double)s->x[i / 2][1][k] - (double)s->x[i / 2][0][k]
                                 : (double)s->x[of[0]][i % 2][k] - (double)s->x[of[1]][i % 2][k];
                most = fmax(most, fabs(way));
            }
        }
        s->tolerance[parameter] = most > 0.0 ? fmin(1.0, tolerance / (3.0 * most)) : 1.0;
    }
    for (int k = 0; k < 3; k++) {
        double most = 0.0;
        for (int i = 0; i < 8; i++) {
            most = fmax(most, fabs((double)s->x[i / 2][i % 2][k]));
        }
        s->rounding[k] = 30.0 * 0x1p-53 * most;
    }
}

static void push(interval_search *s, const box *b)
{
    uint32_t i = s->count++;
    for (; i > 0 && s->waiting[(i - 1) / 2].low[0] > b->low[0]; i = (i - 1) / 2) {
        s->waiting[i] = s->waiting[(i - 1) / 2];
    }
    s->waiting[i] = *b;
}

static box pop(interval_search *s)
{
    box first = s->waiting[0], last = s->waiting[--s->count];
    uint32_t i = 0;
    for (uint32_t child = 1; child < s->count; child = 2 * i + 1) {
        child += child + 1 < s->count && s->waiting[child + 1].low[0] < s->waiting[child].low[0];
        if (s->waiting[child].low[0] >= last.low[0]) {
            break;
        }
        s->waiting[i] = s->waiting[child];
        i = child;
    }
    s->waiting[i] = last;
    return first;
}

static int widest(const interval_search *s, const box *b)
{
    int best = 0;
    for (int i = 1; i < 3; i++) {
        if (b->width[i] * s->tolerance[best] > b->width[best] * s->tolerance[i]) {
            best = i;
        }
    }
    return best;
}

bool interval_roots_meet(const float x[4][2][3], bool edges, double tolerance, double *time,
                         interval_cost *cost)
{
    static _Thread_local interval_search s; /* the heap is large */
    s.x = x;
    s.edges = edges;
    s.count = 0;
    set_tolerances(&s, tolerance);
    push(&s, &(box){{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}});
    *cost = (interval_cost){0};
    while (s.count > 0) {
        box b = pop(&s);
        bool inside = false;
        cost->boxes++;
        if ((!edges && b.low[1] + b.low[2] > 1.0) || !may_hold_zero(&s, &b, &inside)) {
            continue;
        }
        int along = widest(&s, &b);
        cost->gave_up = cost->boxes >= MOST_BOXES || s.count + 2 > MOST_WAITING;
        if (inside || b.width[along] <= s.tolerance[along] || cost->gave_up) {
            *time = b.low[0];
            return true;
        }
        b.width[along] *= 0.5;
        push(&s, &b);
        b.low[along] += b.width[along];
        push(&s, &b);
    }
    return false;
}
