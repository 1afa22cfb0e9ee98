/*
 * The certain range over one square. The papers have none; this is ours.
 *
 * Where no surface touches the square (grown by a snapping step), at a given depth, all of it is on
 * the same side of the surface, and the ray's winding number is everybody's. What is left are the
 * intervals of depths in which a surface touches: *sheets* from here on. In general nothing is
 * known between their ends. But most sheets are graphs, and then nearly everything is known.
 *
 * A sheet is a graph if all of its triangles face one way, none is seen from the side, and the
 * winding number changes by 1 from one end to the other. For the snapped surface: over almost every
 * point of the grown square the winding number changes by 1 in steps of the same sign, so exactly
 * one triangle lies there, at a depth h(x). The surface has no boundary, and where two triangles
 * meet in projection but not in depth there would be one (only a triangle seen from the side could
 * close it): so h is continuous, and piecewise linear, with slopes between the bounds g and G that
 * the interval carries, per direction.
 *
 * Mean depth. Let c be the centre. For a point c + x and its mirror image c - x,
 *     h(c + x) + h(c - x) - 2 h(c)  <=  max g.x - min g.x  =  |x_1| (G_1 - g_1) + |x_2| (G_2 - g_2)
 * and likewise from below. The mean of |x_k| over the square is 64 steps. So the mean of h over the
 * square is that of the ray's own crossing, give or take 32 (G_1 - g_1 + G_2 - g_2): the slope
 * itself does not count, only how much it varies.
 *
 * The true surface. Every point of it lies within half a snapping step, per direction, of its place
 * on the snapped surface (depths: see PLI_SLOPE_MARGIN). As the one moves to the other, it passes
 * over a point (x, z) of the square only if |z - h(x)| is at most b = (half a step) (max |slope_1|
 * + max |slope_2|): outside that band winding numbers are those of the snapped surface. So lengths
 * along the ray's direction are off by b at most, and b is added to the error of the mean.
 *
 * Two graphs at the same depths, of two bodies. What they have in common follows from the mean of
 * max(0, D), D the difference of their depths, known at the centre and bounded by its slopes over
 * the square. The function is convex: its mean is at least its value at the mean of D (Jensen), and
 * at most that of its chord over the range of D.
 */
#include "volume/sweep.h"

#include <math.h>

/* A sheet of one body: depths in steps, and what is on either side. */
typedef struct sheet {
    uint32_t lower, upper;
    bool before, after; /* in question before and behind */
    bool graph;         /* then: */
    double centre;      /* the depth of the ray's crossing */
    double least, most; /* the mean depth, the band included */
    double error;       /* how far from `centre` the mean is, at most */
    pli_slopes slopes;
} sheet;

/* How far a ray has been read: the crossing and the interval that come next. */
typedef struct place {
    uint32_t crossing, interval;
    int32_t winding;
} place;

/* The sheets of one body in order. */
typedef struct sheets {
    const pli_square *square;
    pli_sweep_kind kind;
    place at;     /* behind `next` */
    place before; /* before `next` */
    bool any;     /* there is another: `next` */
    bool inside;  /* in question before `next` */
    sheet next;
} sheets;

static inline bool in_question(pli_sweep_kind kind, int32_t winding)
{
    return kind == PLI_SWEEP_SELF ? winding > 1 || winding < 0 : winding != 0;
}

/* As fmax() and fmin() of numbers, which are calls. */
static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

/* Half a snapping step, and what rounding a coordinate may add. */
#define HALF_STEP 0.501

static void set_graph(sheet *s, const pli_interval *interval, uint32_t depth)
{
    double apart = 0.0, steep = 0.0;
    for (uint32_t k = 0; k < 2; k++) {
        double lower = (double)interval->slopes.bound[k];
        double upper = -(double)interval->slopes.bound[2 + k];
        apart += upper - lower;
        steep += greater(fabs(lower), fabs(upper));
    }
    s->graph = true;
    s->slopes = interval->slopes;
    s->centre = depth + 0.5; /* depths are rounded down */
    s->error = (0.125 * PLI_PIXEL_STEPS * apart + HALF_STEP * steep) * PLI_DEPTH_STEPS + 1.0;
    s->least = greater(s->centre - s->error, s->lower);
    s->most = lesser(s->centre + s->error, s->upper);
}

/* The sheet of the next interval. False if nothing in question can be in it. */
static inline bool read_interval(const pli_square *square, pli_sweep_kind kind, place *at, sheet *s)
{
    const pli_ray *ray = &square->ray;
    const pli_interval *interval = &ray->intervals[at->interval++];
    uint32_t first = at->crossing, crossing = first;
    int32_t before = at->winding, behind = before;
    s->lower = interval->lower >> 1;
    s->upper = interval->upper >> 1;
    while (crossing < ray->crossing_count &&
           pli_crossing_depth(ray->crossings[crossing]) <= s->upper) {
        behind += pli_crossing_step(ray->crossings[crossing++]);
    }
    at->crossing = crossing;
    at->winding = behind;
    bool one_way = !(interval->lower & interval->upper & 1);
    s->before = in_question(kind, before);
    s->after = in_question(kind, behind);
    s->graph = false;
    if (kind == PLI_SWEEP_SELF && one_way && !s->before && !s->after) {
        return false; /* from 0 to 1 or back */
    }
    const pli_whole_depths *whole = &square->whole;
    if (one_way && s->before != s->after && crossing == first + 1 && s->lower >= whole->from &&
        s->upper <= whole->to) {
        set_graph(s, interval, pli_crossing_depth(ray->crossings[first]));
    }
    return true;
}

/* Goes on to the next sheet. A crossing outside of all intervals, as drivers may round it, is a
   sheet without extent. */
static void read_next(sheets *b)
{
    const pli_ray *ray = &b->square->ray;
    place *at = &b->at;
    b->before = *at;
    for (;;) {
        const pli_interval *interval =
            at->interval < ray->interval_count ? &ray->intervals[at->interval] : NULL;
        b->inside = in_question(b->kind, at->winding);
        b->any = true;
        if (at->crossing < ray->crossing_count) {
            uint32_t depth = pli_crossing_depth(ray->crossings[at->crossing]);
            if (interval == NULL || depth < interval->lower >> 1) {
                at->winding += pli_crossing_step(ray->crossings[at->crossing++]);
                if (depth == 0) { /* all that lies before the grid */
                    continue;
                }
                b->next = (sheet){.lower = depth,
                                  .upper = depth,
                                  .before = b->inside,
                                  .after = in_question(b->kind, at->winding)};
                return;
            }
        }
        if (interval == NULL) {
            b->any = false;
            return;
        }
        if (read_interval(b->square, b->kind, at, &b->next)) {
            return;
        }
    }
}

/* ------------------------------------------------------------- sums */

/* Adds lengths: at least and at most, each rounded to its side. */
static inline void add(double least, double most, uint64_t *certain, uint64_t *possible)
{
    *certain += least > 1.0 ? (uint64_t)(least - 0x1p-10) : 0;
    *possible += most > 0.0 ? (uint64_t)(most + 0x1p-10) + 1 : 0;
}

/* One graph alone, the other body being inside. */
static void add_one(const sheet *s, uint64_t *certain, uint64_t *possible)
{
    if (s->after) {
        add(s->upper - s->most, s->upper - s->least, certain, possible);
    } else {
        add(s->least - s->lower, s->most - s->lower, certain, possible);
    }
}

/* At least and at most. */
typedef struct bounds {
    double least, most;
} bounds;

/* The mean of max(0, D), D the depth of b less that of a. */
static bounds mean_excess(const sheet *a, const sheet *b)
{
    double steep = 0.0;
    for (uint32_t k = 0; k < 2; k++) {
        const float *of_a = a->slopes.bound, *of_b = b->slopes.bound;
        double lower = (double)of_b[k] + (double)of_a[2 + k];
        double upper = -(double)of_b[2 + k] - (double)of_a[k];
        steep += greater(fabs(lower), fabs(upper));
    }
    double reach = 0.5 * PLI_PIXEL_STEPS * steep * PLI_DEPTH_STEPS + a->error + b->error;
    double centre = b->centre - a->centre;
    double lowest = greater(centre - reach, (double)b->lower - a->upper);
    double highest = lesser(centre + reach, (double)b->upper - a->lower);
    double mean = b->most - a->least;
    bounds excess = {greater(b->least - a->most, 0.0), 0.0};
    if (highest > 0.0) {
        mean = lesser(greater(mean, lowest), highest);
        excess.most = lowest < 0.0 ? highest * ((mean - lowest) / (highest - lowest)) : mean;
    }
    excess.most = greater(excess.most, excess.least);
    return excess;
}

/* One graph of each body. */
static void add_two(const sheet *a, const sheet *b, uint64_t *certain, uint64_t *possible)
{
    bounds up = mean_excess(a, b), down = mean_excess(b, a);
    if (a->after && b->after) { /* inside both behind the farther one */
        double upper = a->upper > b->upper ? a->upper : b->upper;
        double most = lesser(a->most + up.most, b->most + down.most);
        add(upper - most, upper - greater(a->least, b->least), certain, possible);
    } else if (a->before && b->before) { /* as far as the nearer one */
        double lower = a->lower < b->lower ? a->lower : b->lower;
        double least = greater(a->least - down.most, b->least - up.most);
        add(least - lower, lesser(a->most, b->most) - lower, certain, possible);
    } else if (a->after) { /* from a to b */
        add(up.least, up.most, certain, possible);
    } else {
        add(down.least, down.most, certain, possible);
    }
}

/* Sheets that share depths, one after the other, when little is known: within a sheet everything is
   possible and nothing certain. */
static void add_zones(sheets *b, uint32_t bodies, uint32_t depth, uint32_t end, uint64_t *certain,
                      uint64_t *possible)
{
    while (depth < end) {
        uint32_t next = end;
        bool sure = true, may = true;
        for (uint32_t i = 0; i < bodies; i++) {
            while (b[i].any && b[i].next.upper <= depth) {
                read_next(&b[i]);
            }
            bool touched = b[i].any && b[i].next.lower <= depth;
            uint32_t event = !b[i].any ? end : touched ? b[i].next.upper : b[i].next.lower;
            next = event < next ? event : next;
            sure = sure && !touched && b[i].inside;
            may = may && (touched || b[i].inside);
        }
        *certain += sure ? next - depth : 0;
        *possible += may ? next - depth : 0;
        depth = next;
    }
}

/* Sheets that share depths, one after the other. */
typedef struct group {
    uint32_t lower, upper;
    uint32_t count[2]; /* per body */
    sheet first[2];
    bool inside[2]; /* before */
} group;

static void read_group(sheets *b, uint32_t bodies, uint32_t lower, group *g)
{
    g->lower = g->upper = lower;
    for (uint32_t i = 0; i < bodies; i++) {
        g->count[i] = 0;
        g->inside[i] = b[i].inside;
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < bodies; i++) {
            if (b[i].any && (b[i].next.lower < g->upper || b[i].next.lower == lower)) {
                if (g->count[i]++ == 0) {
                    g->first[i] = b[i].next;
                }
                g->upper = b[i].next.upper > g->upper ? b[i].next.upper : g->upper;
                read_next(&b[i]);
                more = true;
            }
        }
    }
}

static void add_group(const group *g, const sheets *b, const place *before, uint32_t bodies,
                      uint64_t *certain, uint64_t *possible)
{
    bool plain[2] = {true, true}; /* at most one sheet, and a graph */
    for (uint32_t i = 0; i < bodies; i++) {
        plain[i] = g->count[i] == 0 || (g->count[i] == 1 && g->first[i].graph);
    }
    if (!plain[0] || !plain[1]) {
        sheets again[2];
        for (uint32_t i = 0; i < bodies; i++) {
            again[i] = (sheets){.square = b[i].square, .kind = b[i].kind, .at = before[i]};
            read_next(&again[i]);
        }
        add_zones(again, bodies, g->lower, g->upper, certain, possible);
    } else if (bodies > 1 && g->count[0] + g->count[1] == 2) {
        add_two(&g->first[0], &g->first[1], certain, possible);
    } else if (g->count[0] == 1) {
        if (bodies == 1 || g->inside[1]) {
            add_one(&g->first[0], certain, possible);
        }
    } else if (bodies > 1 && g->count[1] == 1 && g->inside[0]) {
        add_one(&g->first[1], certain, possible);
    }
}

/* One body, whose sheets share no depths. */
static void add_body(pli_sweep_kind kind, const pli_square *square, uint64_t *certain,
                     uint64_t *possible)
{
    const pli_ray *ray = &square->ray;
    place at = {.winding = square->winding};
    uint64_t sure = 0, may = 0, inside = 0;
    uint32_t depth = 0;
    for (;;) {
        bool more = at.interval < ray->interval_count;
        uint32_t lower = more ? ray->intervals[at.interval].lower >> 1 : PLI_DEPTH_STEPS + 1;
        while (at.crossing < ray->crossing_count &&
               pli_crossing_depth(ray->crossings[at.crossing]) < lower) { /* of no interval */
            uint32_t next = pli_crossing_depth(ray->crossings[at.crossing]);
            inside += in_question(kind, at.winding) ? next - depth : 0;
            at.winding += pli_crossing_step(ray->crossings[at.crossing++]);
            depth = next;
        }
        lower = more ? lower : PLI_DEPTH_STEPS;
        inside += in_question(kind, at.winding) ? lower - depth : 0;
        if (!more) {
            break;
        }
        sheet s;
        if (read_interval(square, kind, &at, &s)) {
            if (s.graph) {
                add_one(&s, &sure, &may);
            } else {
                may += s.upper - s.lower;
            }
        }
        depth = s.upper;
    }
    *certain += inside + sure;
    *possible += inside + may;
}

void pli_range_add(pli_sweep_kind kind, const pli_square *squares, uint32_t bodies,
                   uint64_t *certain, uint64_t *possible)
{
    if (bodies == 1) {
        add_body(kind, squares, certain, possible);
        return;
    }
    sheets b[2];
    for (uint32_t i = 0; i < bodies; i++) {
        b[i] = (sheets){.square = &squares[i], .kind = kind, .at.winding = squares[i].winding};
        read_next(&b[i]);
    }
    for (uint32_t depth = 0;;) {
        uint32_t next = PLI_DEPTH_STEPS;
        bool any = false, inside = true;
        for (uint32_t i = 0; i < bodies; i++) {
            if (b[i].any) {
                next = b[i].next.lower < next ? b[i].next.lower : next;
                any = true;
            }
            inside = inside && b[i].inside;
        }
        *certain += inside ? next - depth : 0;
        *possible += inside ? next - depth : 0;
        if (!any) {
            break;
        }
        const place before[2] = {b[0].before, b[1].before};
        group g = {0};
        read_group(b, bodies, next, &g);
        add_group(&g, b, before, bodies, certain, possible);
        depth = g.upper;
    }
}
