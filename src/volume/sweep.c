#include "sweep.h"

#include <string.h>

void pli_sweep_clear(pli_sweep_sums *sums)
{
    memset(sums, 0, sizeof *sums);
    for (int k = 0; k < 3; k++) {
        sums->lower[k] = UINT32_MAX;
    }
}

void pli_sweep_add(pli_sweep_sums *sums, const pli_sweep_sums *more)
{
    sums->sampled += more->sampled;
    sums->certain += more->certain;
    sums->possible += more->possible;
    sums->column += more->column;
    sums->row += more->row;
    sums->depth += more->depth;
    for (int k = 0; k < 3; k++) {
        sums->lower[k] = more->lower[k] < sums->lower[k] ? more->lower[k] : sums->lower[k];
        sums->upper[k] = more->upper[k] > sums->upper[k] ? more->upper[k] : sums->upper[k];
    }
}

/* Where a walk along a ray is in one body. */
typedef struct ray_state {
    pli_ray ray;
    uint32_t crossing, touch; /* the next ones */
    int32_t winding;
    bool touched;            /* within the next touch */
    int32_t least, greatest; /* winding numbers that the square may have there */
} ray_state;

/* A walk along a ray. */
typedef struct walk {
    const pli_sweep *sweep;
    uint32_t column, row;
    uint32_t bodies;
    ray_state state[2];
    bool inside; /* what is asked about, by the winding numbers of the ray */
    pli_sweep_span span;
    pli_sweep_sums *sums;
} walk;

static bool is_inside(const walk *w)
{
    int32_t first = w->state[0].winding;
    switch (w->sweep->kind) {
    case PLI_SWEEP_BODY:
        return first != 0;
    case PLI_SWEEP_PAIR:
        return first != 0 && w->state[1].winding != 0;
    case PLI_SWEEP_SELF:
        break;
    }
    return first > 1 || first < 0;
}

/* Whether a winding number that is asked about occurs for certain, or may, in the square. */
static void judge(const walk *w, bool *certain, bool *possible)
{
    *certain = w->inside;
    *possible = true;
    for (uint32_t i = 0; i < w->bodies; i++) {
        const ray_state *s = &w->state[i];
        *certain = *certain && !s->touched;
        if (w->sweep->kind == PLI_SWEEP_SELF) {
            *possible = s->touched ? s->greatest > 1 || s->least < 0 : w->inside;
        } else {
            *possible = *possible && (s->touched || s->winding != 0);
        }
    }
}

/* At the beginning of a touch: what winding numbers its square may have until it ends. */
static void limit_winding(ray_state *s)
{
    const pli_touch *touch = &s->ray.touches[s->touch];
    if (touch->lower & touch->upper & 1) {
        s->least = INT32_MIN;
        s->greatest = INT32_MAX;
        return;
    }
    int32_t behind = s->winding;
    for (uint32_t i = s->crossing; i < s->ray.crossing_count; i++) {
        if (pli_crossing_depth(s->ray.crossings[i]) > touch->upper >> 1) {
            break;
        }
        behind += pli_crossing_step(s->ray.crossings[i]);
    }
    s->least = behind < s->winding ? behind : s->winding;
    s->greatest = behind > s->winding ? behind : s->winding;
}

static void open_span(walk *w, uint32_t depth, uint32_t body, uint32_t triangle)
{
    w->span.lower = depth;
    w->span.body[0] = body;
    w->span.triangle[0] = triangle;
}

static void widen(uint32_t *lower, uint32_t *upper, uint32_t from, uint32_t to)
{
    *lower = from < *lower ? from : *lower;
    *upper = to > *upper ? to : *upper;
}

static bool close_span(walk *w, uint32_t depth, uint32_t body, uint32_t triangle)
{
    if (depth == w->span.lower) {
        return true;
    }
    w->span.upper = depth;
    w->span.body[1] = body;
    w->span.triangle[1] = triangle;
    pli_sweep_sums *sums = w->sums;
    uint32_t steps = depth - w->span.lower;
    double length = (double)steps;
    sums->sampled += steps;
    sums->column += length * w->column;
    sums->row += length * w->row;
    sums->depth += length * (0.5 * ((double)depth + (double)w->span.lower));
    widen(&sums->lower[0], &sums->upper[0], w->column, w->column);
    widen(&sums->lower[1], &sums->upper[1], w->row, w->row);
    widen(&sums->lower[2], &sums->upper[2], w->span.lower, depth);
    return w->sweep->sink == NULL ||
           w->sweep->sink(w->sweep->sink_user, w->column, w->row, &w->span);
}

/* Passes the next crossing of a body. */
static bool cross(walk *w, uint32_t body, uint32_t depth)
{
    ray_state *s = &w->state[body];
    pli_crossing crossing = s->ray.crossings[s->crossing++];
    bool before = w->inside;
    s->winding += pli_crossing_step(crossing);
    w->inside = is_inside(w);
    if (w->inside && !before) {
        open_span(w, depth, body, pli_crossing_triangle(crossing));
    } else if (before && !w->inside) {
        return close_span(w, depth, body, pli_crossing_triangle(crossing));
    }
    return true;
}

/* The depth of the next event of a body, PLI_DEPTH_STEPS + 1 if there is none. */
static uint32_t next_event(const ray_state *s)
{
    uint32_t depth = PLI_DEPTH_STEPS + 1;
    if (s->crossing < s->ray.crossing_count) {
        depth = pli_crossing_depth(s->ray.crossings[s->crossing]);
    }
    if (s->touch < s->ray.touch_count) {
        const pli_touch *touch = &s->ray.touches[s->touch];
        uint32_t other = (s->touched ? touch->upper : touch->lower) >> 1;
        depth = other < depth ? other : depth;
    }
    return depth;
}

/* Passes everything at one depth: touches begin, crossings, touches end. */
static bool pass(walk *w, uint32_t depth)
{
    bool go_on = true;
    for (uint32_t i = 0; i < w->bodies; i++) {
        ray_state *s = &w->state[i];
        if (!s->touched && s->touch < s->ray.touch_count &&
            s->ray.touches[s->touch].lower >> 1 == depth) {
            s->touched = true;
            if (w->sweep->kind == PLI_SWEEP_SELF) {
                limit_winding(s);
            }
        }
        while (go_on && s->crossing < s->ray.crossing_count &&
               pli_crossing_depth(s->ray.crossings[s->crossing]) == depth) {
            go_on = cross(w, i, depth);
        }
        if (s->touched && s->ray.touches[s->touch].upper >> 1 == depth) {
            s->touched = false;
            s->touch++;
        }
    }
    return go_on;
}

static bool walk_ray(walk *w)
{
    w->inside = is_inside(w);
    if (w->inside) {
        open_span(w, 0, PLI_NO_BODY, 0);
    }
    uint32_t depth = 0;
    for (;;) {
        uint32_t next = next_event(&w->state[0]);
        if (w->bodies > 1) {
            uint32_t other = next_event(&w->state[1]);
            next = other < next ? other : next;
        }
        uint32_t end = next < PLI_DEPTH_STEPS ? next : PLI_DEPTH_STEPS;
        if (end > depth && w->sweep->touches) {
            bool certain, possible;
            judge(w, &certain, &possible);
            w->sums->certain += certain ? end - depth : 0;
            w->sums->possible += possible ? end - depth : 0;
        }
        depth = end;
        if (next > PLI_DEPTH_STEPS) {
            break;
        }
        if (!pass(w, next)) {
            return false;
        }
    }
    return !w->inside || close_span(w, PLI_DEPTH_STEPS, PLI_NO_BODY, 0);
}

/* The depth of the next crossing of a body, PLI_DEPTH_STEPS + 1 if there is none. */
static inline uint32_t next_crossing(const ray_state *s)
{
    return s->crossing < s->ray.crossing_count ? pli_crossing_depth(s->ray.crossings[s->crossing])
                                               : PLI_DEPTH_STEPS + 1;
}

/* The same where nobody asks for touched squares: only crossings matter. */
static bool walk_crossings(walk *w)
{
    w->inside = is_inside(w);
    if (w->inside) {
        open_span(w, 0, PLI_NO_BODY, 0);
    }
    uint32_t next[2] = {next_crossing(&w->state[0]), PLI_DEPTH_STEPS + 1};
    if (w->bodies > 1) {
        next[1] = next_crossing(&w->state[1]);
    }
    for (;;) {
        uint32_t body = next[1] < next[0] ? 1 : 0;
        if (next[body] > PLI_DEPTH_STEPS) {
            break;
        }
        if (!cross(w, body, next[body])) {
            return false;
        }
        next[body] = next_crossing(&w->state[body]);
        if (next[body] > PLI_DEPTH_STEPS && w->state[body].winding == 0) {
            return true; /* outside from here on */
        }
    }
    return !w->inside || close_span(w, PLI_DEPTH_STEPS, PLI_NO_BODY, 0);
}

/* Sets up one body's part of a walk. */
static void begin_body(const pli_sweep *sweep, uint32_t i, ray_state *s)
{
    s->crossing = s->touch = 0;
    s->touched = false;
    s->winding = 0;
    for (uint32_t c = 0; sweep->from_upper[i] && c < s->ray.crossing_count; c++) {
        /* Counted from the upper end, the ray begins with what remains at the lower one. */
        s->winding -= pli_crossing_step(s->ray.crossings[c]);
    }
}

bool pli_sweep_row(const pli_sweep *sweep, uint32_t row, pli_sweep_sums *sums)
{
    const pli_window *window = &sweep->window;
    if (row < window->first[1] || row > window->last[1]) {
        return true;
    }
    walk w = {.sweep = sweep, .row = row, .sums = sums, .bodies = sweep->image[1] != NULL ? 2 : 1};
    pli_image_row rows[2];
    for (uint32_t i = 0; i < w.bodies; i++) {
        const pli_image *image = sweep->image[i];
        rows[i] = pli_image_row_at(image, row - image->window.first[1]);
        rows[i].with_touches = sweep->touches;
        rows[i].first -= image->window.first[0];
    }
    for (uint32_t column = window->first[0]; column <= window->last[0]; column++) {
        bool any = true;
        for (uint32_t i = 0; i < w.bodies && any; i++) {
            w.state[i].ray = pli_image_row_ray(&rows[i], column);
            any = w.state[i].ray.crossing_count + w.state[i].ray.touch_count > 0;
        }
        if (!any) {
            continue;
        }
        for (uint32_t i = 0; i < w.bodies; i++) {
            begin_body(sweep, i, &w.state[i]);
        }
        w.column = column;
        if (!(sweep->touches ? walk_ray(&w) : walk_crossings(&w))) {
            return false;
        }
    }
    return true;
}
