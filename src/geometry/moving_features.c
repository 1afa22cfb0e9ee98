/*
 * Two moving features in tiers: coordinates that keep their order all the time; the cubic of
 * coplanarity p in Bernstein form, which keeps the sign of its coefficients if that is one; then
 * bisection in double, the earliest part first; and where that cannot decide, exact arithmetic
 * (moving_exact.h).
 *
 * Let u, v, w be points 1, 2 and 3 seen from point 0, and n = u x v, v x w, w x u. Along an axis,
 * these are the sides of the three edges that the vertex is on. For edges, n_0 and -n_2 are the
 * sides of the first edge that the ends of the second are on, n_1 and n_0 + n_1 + n_2 the sides of
 * the second that those of the first are on. And p = (u x v) . w.
 *
 * In an interval in which p keeps a sign, or one of the conditions is violated throughout, nothing
 * meets. Where p has different signs at the ends and every condition holds strictly throughout, the
 * features meet.
 */
#include "moving_features.h"

#include "moving_key.h"
#include "vec3.h"

#include <stddef.h>

#define VALUE_ERROR 0x1p-48 /* 32e, of p anywhere in the step */

enum { MOST_HALVINGS = 24, MOST_HALVINGS_IN_PLANE = 41 };

typedef enum decision { DECISION_NO, DECISION_YES, DECISION_UNSURE } decision;

/* What bisection looks at: p and the conditions seen along one axis, over a part of the step. */
typedef struct step_part {
    double p[4];
    double n[3][3]; /* by product, then coefficient */
    double start, length;
} step_part;

typedef struct errors {
    double p, n;
} errors;

/* ------------------------------------------------- coordinates in order */

static float least(float a, float b)
{
    return a < b ? a : b;
}

static float greatest(float a, float b)
{
    return a > b ? a : b;
}

/* Whether the first feature is ahead of the second along an axis at one end of the step: 1; behind
   it: 2; neither: 0. */
static int order_along(const pli_moving_points *m, int end, int axis)
{
    float first = m->x[0][end][axis], second = m->x[1][end][axis];
    float third = m->x[2][end][axis], last = m->x[3][end][axis];
    float low = least(third, last), high = greatest(third, last);
    if (m->edges) {
        return (least(first, second) > high) | (greatest(first, second) < low) << 1;
    }
    return (first > greatest(second, high)) | (first < least(second, low)) << 1;
}

bool pli_moving_keep_order(const pli_moving_points *m)
{
    int kept = 0;
    for (int axis = 0; axis < 3; ++axis) {
        kept |= order_along(m, 0, axis) & order_along(m, 1, axis);
    }
    return kept != 0;
}

/* The axis along which the normal of the plane that matters is largest in the middle of the step:
   of the face, or of both edges. Any would do; this one decides most. */
static int best_axis(const pli_moving_difference d[3], bool edges)
{
    double x[3][3], a[3], b[3];
    for (int i = 0; i < 9; ++i) {
        x[i / 3][i % 3] = d[i / 3].at[0][i % 3] + d[i / 3].at[1][i % 3];
    }
    for (int k = 0; k < 3; ++k) {
        a[k] = edges ? x[0][k] : x[1][k] - x[0][k];
        b[k] = edges ? x[2][k] - x[1][k] : x[2][k] - x[0][k];
    }
    int best = 0;
    double largest = -1.0;
    for (int axis = 0; axis < 3; ++axis) {
        int k = (axis + 1) % 3, l = (axis + 2) % 3;
        double size = fabs(a[k] * b[l] - a[l] * b[k]);
        best = size > largest ? axis : best;
        largest = size > largest ? size : largest;
    }
    return best;
}

/* ------------------------------------------------------------- bisection */

/* Whether all conditions hold (1), one is violated (-1), throughout and for certain, or neither; by
   the certain signs of the three n and of their sum. */
static int judge(const int sign[4], bool edges)
{
    if (!edges) {
        bool below = sign[0] < 0 || sign[1] < 0 || sign[2] < 0;
        bool above = sign[0] > 0 || sign[1] > 0 || sign[2] > 0;
        bool all = sign[0] != 0 && sign[1] != 0 && sign[2] != 0;
        return below && above ? -1 : all;
    }
    int first = sign[0] * sign[2], second = -sign[1] * sign[3];
    return first < 0 || second < 0 ? -1 : first > 0 && second > 0;
}

/* Judges coefficients `from` up to before `to`: all three for the whole interval, one for an end.
 */
static int judge_conditions(const step_part *part, bool edges, double error, int from, int to)
{
    int sign[4];
    double sum[3];
    for (int i = 0; i < 3; ++i) {
        sign[i] = pli_certain_sign(part->n[i] + from, to - from, error);
        sum[i] = part->n[0][i] + part->n[1][i] + part->n[2][i];
    }
    sign[3] = pli_certain_sign(sum + from, to - from, error);
    return judge(sign, edges);
}

/* Splits coefficients in the middle; `right` may be `c`. */
static void halve(const double *c, int count, double *left, double *right)
{
    double row[4];
    for (int i = 0; i < count; ++i) {
        row[i] = c[i];
    }
    for (int i = 0; i < count; ++i) {
        left[i] = row[0];
        right[count - 1 - i] = row[count - 1 - i];
        for (int j = 0; j < count - 1 - i; ++j) {
            row[j] = 0.5 * (row[j] + row[j + 1]);
        }
    }
}

/* The part becomes its second half; the first half is returned. */
static step_part take_first_half(step_part *part)
{
    step_part first;
    halve(part->p, 4, first.p, part->p);
    for (int i = 0; i < 3; ++i) {
        halve(part->n[i], 3, first.n[i], part->n[i]);
    }
    first.start = part->start;
    first.length = part->length = 0.5 * part->length;
    part->start += part->length;
    return first;
}

/* Whether p rises or falls throughout, for certain: it then has one root at most. */
static bool is_monotone(const double p[4], double error)
{
    const double step[3] = {p[1] - p[0], p[2] - p[1], p[3] - p[2]};
    return pli_certain_sign(step, 3, 4.0 * error) != 0;
}

/* Whether the signs of p at the ends differ for certain. */
static bool changes_sign(const double p[4], double error)
{
    return (p[0] > error && p[3] < -error) || (p[0] < -error && p[3] > error);
}

/* Looks through the step up to a limit, earliest part first; *found is the part with the first
   contact. */
static decision bisect(step_part *all, bool edges, const errors *error, double limit,
                       bool only_root, step_part *found)
{
    step_part stack[MOST_HALVINGS + 1];
    int depth = 1;
    stack[0] = *all;
    while (depth > 0) {
        step_part *part = &stack[depth - 1];
        if (part->start > limit) {
            return DECISION_NO; /* as all that follow */
        }
        bool apart = pli_certain_sign(part->p, 4, error->p) != 0;
        int conditions = apart ? -1 : judge_conditions(part, edges, error->n, 0, 3);
        if (conditions < 0) {
            --depth;
            continue;
        }
        if (conditions > 0 && changes_sign(part->p, error->p) &&
            (!only_root || is_monotone(part->p, error->p))) {
            *found = *part;
            return DECISION_YES;
        }
        if (depth > MOST_HALVINGS || part->length < 0x1p-23) {
            return DECISION_UNSURE;
        }
        stack[depth] = take_first_half(part);
        ++depth;
    }
    return DECISION_NO;
}

/* The value of a cubic in Bernstein form, off by 10e M more than its coefficients, and about a
   third of its slope. */
static double evaluate(const double p[4], double t, double *slope)
{
    double s = 1.0 - t;
    double a = s * p[0] + t * p[1], b = s * p[1] + t * p[2], c = s * p[2] + t * p[3];
    double d = s * a + t * b, e = s * b + t * c;
    *slope = e - d;
    return s * d + t * e;
}

/* About where p is 0 between two times at which its signs differ: Newton's rule, and the middle
   where that leads out. */
static double approach(const double p[4], double low, double high)
{
    double slope, at_low = evaluate(p, low, &slope), at_high = evaluate(p, high, &slope);
    double t = low - at_low * (high - low) / (at_high - at_low);
    for (int i = 0; i < 60; ++i) {
        double value = evaluate(p, t, &slope);
        bool is_high = (value > 0.0) == (at_high > 0.0);
        low = is_high ? low : t;
        high = is_high ? t : high;
        double next = t - value / (3.0 * slope);
        next = next >= low && next <= high ? next : 0.5 * (low + high);
        double way = fabs(next - t);
        t = next;
        if (way < 0x1p-26) {
            break; /* twice as many digits are right now */
        }
    }
    return t;
}

/*
 * Narrows the time of the one root that p, given over the whole step, has in a part: guesses it,
 * and proves it by the signs on both sides of the guess. False where rounding does not allow that.
 */
static bool narrow(const double p[4], const step_part *part, double error,
                   pliant_meeting_time *time)
{
    const double margin = 0x1.ffep-42;
    double start = part->start, end = part->start + part->length;
    double t = approach(p, start, end);
    double low = t - margin, high = t + margin;
    bool rises = part->p[3] > 0.0;
    double slope;
    double at_low = low > start ? evaluate(p, low, &slope) : part->p[0];
    double at_high = high < end ? evaluate(p, high, &slope) : part->p[3];
    *time = (pliant_meeting_time){low > start ? low : start, high < end ? high : end};
    return fabs(at_low) > error && fabs(at_high) > error && (at_low < 0.0) == rises &&
           (at_high > 0.0) == rises;
}

/*
 * Decides by what holds at the root, where p rises or falls throughout and has one for certain. The
 * root is in an interval of 2^-40, in which a condition, a quadratic whose slope is at most 4M, is
 * what it is in the middle but for 2^-39 M, and its rounding: 2^8 times the bound on coefficients
 * covers both.
 */
static decision decide_at_root(const step_part *all, bool edges, const errors *error,
                               double value_error, double limit, pliant_meeting_time *time)
{
    pliant_meeting_time at;
    double slope, past = limit < 1.0 ? evaluate(all->p, limit, &slope) : 0.0;
    if (fabs(past) > value_error && (past > 0.0) == (all->p[0] > 0.0)) {
        return DECISION_NO; /* the root comes later */
    }
    if (!narrow(all->p, all, value_error, &at)) {
        return DECISION_UNSURE;
    }
    double t = 0.5 * (at.low + at.high), s = 1.0 - t;
    step_part root;
    for (int i = 0; i < 3; ++i) {
        const double *n = all->n[i];
        root.n[i][0] = s * (s * n[0] + t * n[1]) + t * (s * n[1] + t * n[2]);
        root.n[i][1] = root.n[i][2] = 0.0;
    }
    int conditions = judge_conditions(&root, edges, 0x1p8 * error->n, 0, 1);
    if (conditions > 0 && time != NULL) {
        *time = at;
    }
    return conditions < 0 ? DECISION_NO : conditions > 0 ? DECISION_YES : DECISION_UNSURE;
}

/* ------------------------------------------------------ motion in a plane */

/* An axis along which all four points have one coordinate at time 0 and one at time 1; -1: none.
   They then lie in one plane all the time. */
static int common_axis(const pli_moving_points *m)
{
    for (int axis = 0; axis < 3; ++axis) {
        bool common = true;
        for (int i = 1; i < 4; ++i) {
            common = common && m->x[i][0][axis] == m->x[0][0][axis] &&
                     m->x[i][1][axis] == m->x[0][1][axis];
        }
        if (common) {
            return axis;
        }
    }
    return -1;
}

/*
 * Seen along the normal of that plane, features meet from when the conditions hold. A part before
 * which one was violated all the time, and at whose end all hold, has the first time in it. 41
 * halvings take two means each, so that the bound on errors is that of bisect().
 */
static decision bisect_in_plane(step_part *all, bool edges, double error, double limit,
                                pliant_meeting_time *time)
{
    step_part stack[MOST_HALVINGS_IN_PLANE + 1];
    int depth = 1;
    stack[0] = *all;
    while (depth > 0) {
        step_part *part = &stack[depth - 1];
        if (part->start > limit) {
            return DECISION_NO;
        }
        if (judge_conditions(part, edges, error, 0, 3) < 0) {
            --depth;
            continue;
        }
        bool at_start = part->start == 0.0 && judge_conditions(part, edges, error, 0, 1) > 0;
        bool at_end = judge_conditions(part, edges, error, 2, 3) > 0;
        if (at_start || (at_end && (time == NULL || part->length < 0x1p-40))) {
            if (time != NULL) {
                *time =
                    (pliant_meeting_time){part->start, at_start ? 0.0 : part->start + part->length};
            }
            return DECISION_YES;
        }
        if (depth > (at_end ? MOST_HALVINGS_IN_PLANE : MOST_HALVINGS) || part->length < 0x1p-40) {
            return DECISION_UNSURE;
        }
        stack[depth] = take_first_half(part);
        ++depth;
    }
    return DECISION_NO;
}

/* ---------------------------------------------------------------- tiers */

/* What bisection needs of the conditions along an axis; returns the bound on their errors. */
static double set_conditions(step_part *all, const pli_moving_difference d[3], int axis)
{
    double size = 0.0;
    for (int i = 0; i < 3; ++i) {
        size += pli_moving_cross(&d[i], &d[(i + 1) % 3], axis, all->n[i]);
    }
    return PLI_BERNSTEIN_ERROR * size;
}

static decision decide(const pli_moving_points *m, double limit, pliant_meeting_time *time)
{
    pli_moving_difference d[3];
    step_part all = {.length = 1.0}, found;
    for (int i = 0; i < 3; ++i) {
        pli_moving_subtract(m->x[i + 1][0], m->x[i + 1][1], m->x[0][0], m->x[0][1], &d[i]);
    }
    int plane = common_axis(m);
    if (plane >= 0) {
        double error = set_conditions(&all, d, plane);
        return bisect_in_plane(&all, m->edges, error, limit, time);
    }
    double size = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double n[3];
        size += pli_moving_cross(&d[0], &d[1], axis, n) * d[2].most[axis];
        pli_moving_add_product(all.p, n, d[2].at[0][axis], d[2].at[1][axis]);
    }
    errors error = {.p = PLI_BERNSTEIN_ERROR * size};
    if (pli_certain_sign(all.p, 4, error.p) != 0) {
        return DECISION_NO;
    }
    error.n = set_conditions(&all, d, best_axis(d, m->edges));
    if (judge_conditions(&all, m->edges, error.n, 0, 3) < 0) {
        return DECISION_NO;
    }
    if (changes_sign(all.p, error.p) && is_monotone(all.p, error.p)) {
        decision at_root = decide_at_root(&all, m->edges, &error, VALUE_ERROR * size, limit, time);
        if (at_root != DECISION_UNSURE) {
            return at_root;
        }
    }
    decision result = bisect(&all, m->edges, &error, limit, time != NULL, &found);
    if (result == DECISION_YES && time != NULL &&
        !narrow(all.p, &found, VALUE_ERROR * size, time)) {
        return DECISION_UNSURE;
    }
    return result;
}

bool pli_moving_meet(const pli_moving_points *points, pliant_meeting_time *time,
                     uint64_t *fallbacks)
{
    return !pli_moving_keep_order(points) && pli_moving_meet_until(points, 1.0, time, fallbacks);
}

bool pli_moving_meet_until(const pli_moving_points *points, double limit, pliant_meeting_time *time,
                           uint64_t *fallbacks)
{
    decision result = decide(points, limit, time);
    if (result != DECISION_UNSURE) {
        return result == DECISION_YES;
    }
    if (fallbacks != NULL) {
        ++*fallbacks;
    }
    pli_exact_time exact;
    bool meet = pli_moving_find_exact(points, &exact);
    if (meet && time != NULL) {
        pli_time_enclose(&exact, &time->low, &time->high);
    }
    return meet;
}

/* The largest float below a number in (0, 1]. */
static float float_before(double x)
{
    float f = (float)x;
    return (double)f < x ? f : nextafterf(f, 0.0f);
}

float pli_moving_float_before(const pli_moving_points *points, const pliant_meeting_time *time)
{
    if (time->low == time->high) {
        return float_before(time->high);
    }
    /* The time lies strictly between both. */
    float low = (float)time->low, high = float_before(time->high);
    low = (double)low > time->low ? nextafterf(low, 0.0f) : low;
    if (low == high) {
        return low;
    }
    pli_exact_time exact;
    pli_moving_find_between(points, time->low, time->high, &exact);
    return pli_time_float_below(&exact, low, high);
}

/* Whether one pair is a copy of the other, as pairs are that several triangles share. */
static bool are_copies(const pli_moving_points *a, const pli_moving_points *b)
{
    pli_moving_key key_a, key_b;
    if (a->edges != b->edges) {
        return false;
    }
    pli_moving_key_set(&key_a, a);
    pli_moving_key_set(&key_b, b);
    return pli_moving_key_equal(&key_a, &key_b);
}

int pli_moving_compare(const pli_moving_points *a, const pliant_meeting_time *time_a,
                       const pli_moving_points *b, const pliant_meeting_time *time_b)
{
    if (time_a->high < time_b->low || time_b->high < time_a->low) {
        return time_a->high < time_b->low ? -1 : 1;
    }
    if (are_copies(a, b)) {
        return 0;
    }
    pli_exact_time exact_a, exact_b;
    pli_moving_find_between(a, time_a->low, time_a->high, &exact_a);
    pli_moving_find_between(b, time_b->low, time_b->high, &exact_b);
    return pli_time_compare(&exact_a, &exact_b);
}
