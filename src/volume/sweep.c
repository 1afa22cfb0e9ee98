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
    uint32_t crossing; /* the next one */
    int32_t winding;
} ray_state;

/* A walk along a ray. */
typedef struct walk {
    const pli_ray_sweep *sweep;
    uint32_t column, row;
    uint32_t bodies;
    ray_state state[2];
    bool inside; /* what is asked about, by the winding numbers of the ray */
    pli_sweep_span span;
    pli_sweep_sums *sums;
    /* Of this ray, exactly: the lengths of all spans, the differences of the squares of their ends,
       and the first and the last end. */
    uint64_t length, squares;
    uint32_t lower, upper;
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

static void open_span(walk *w, uint32_t depth, uint32_t body, uint32_t triangle)
{
    w->span.lower = depth;
    w->span.body[0] = body;
    w->span.triangle[0] = triangle;
}

/* Adds what a ray found to the sums. */
static void add_ray(const walk *w)
{
    pli_sweep_sums *sums = w->sums;
    double length = (double)w->length;
    sums->sampled += w->length;
    sums->column += length * w->column;
    sums->row += length * w->row;
    sums->depth += 0.5 * (double)w->squares;
    const uint32_t lower[3] = {w->column, w->row, w->lower},
                   upper[3] = {w->column, w->row, w->upper};
    for (int k = 0; k < 3; k++) {
        sums->lower[k] = lower[k] < sums->lower[k] ? lower[k] : sums->lower[k];
        sums->upper[k] = upper[k] > sums->upper[k] ? upper[k] : sums->upper[k];
    }
}

static bool close_span(walk *w, uint32_t depth, uint32_t body, uint32_t triangle)
{
    uint32_t lower = w->span.lower;
    if (depth == lower) {
        return true;
    }
    w->span.upper = depth;
    w->span.body[1] = body;
    w->span.triangle[1] = triangle;
    w->length += depth - lower;
    w->squares += (uint64_t)depth * depth - (uint64_t)lower * lower;
    w->lower = lower < w->lower ? lower : w->lower;
    w->upper = depth;
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

/* The depth of the next crossing of a body, PLI_DEPTH_STEPS + 1 if there is none. */
static uint32_t next_depth(const ray_state *s)
{
    return s->crossing < s->ray.crossing_count ? pli_crossing_depth(s->ray.crossings[s->crossing])
                                               : PLI_DEPTH_STEPS + 1;
}

static bool walk_ray(walk *w)
{
    w->inside = is_inside(w);
    if (w->inside) {
        open_span(w, 0, PLI_NO_BODY, 0);
    }
    for (;;) {
        /* At one depth, the first body's crossings come first. */
        uint32_t body = 0, depth = next_depth(&w->state[0]);
        if (w->bodies > 1 && next_depth(&w->state[1]) < depth) {
            body = 1;
            depth = next_depth(&w->state[1]);
        }
        if (depth > PLI_DEPTH_STEPS) {
            break;
        }
        if (!cross(w, body, depth)) {
            return false;
        }
    }
    return !w->inside || close_span(w, PLI_DEPTH_STEPS, PLI_NO_BODY, 0);
}

/*
 * The same for two bodies where nobody asks for spans. Which body is crossed
 * next, and whether that begins or ends something, no processor can foresee, so there is no branch
 * on it.
 */
static void walk_pair(walk *w)
{
    const pli_ray *first = &w->state[0].ray, *second = &w->state[1].ray;
    uint32_t at[2] = {0, 0}, last = 0;
    int32_t winding[2] = {w->state[0].winding, w->state[1].winding};
    uint64_t inside = winding[0] != 0 && winding[1] != 0;
    for (uint32_t left = first->crossing_count + second->crossing_count; left > 0; left--) {
        /* Behind the end of a list there is something that can be read: see PLI_CROSSING_SLACK. */
        uint64_t a = first->crossings[at[0]], b = second->crossings[at[1]];
        a = at[0] < first->crossing_count ? a : UINT64_MAX;
        b = at[1] < second->crossing_count ? b : UINT64_MAX;
        uint32_t body = pli_crossing_depth(b) < pli_crossing_depth(a);
        uint64_t crossing = body ? b : a;
        uint32_t depth = pli_crossing_depth(crossing);
        uint64_t taken = -(inside & (depth > last));
        w->length += (depth - last) & taken;
        w->squares += ((uint64_t)depth * depth - (uint64_t)last * last) & taken;
        uint32_t lower = last | (uint32_t)~taken, upper = depth & (uint32_t)taken;
        w->lower = lower < w->lower ? lower : w->lower;
        w->upper = upper > w->upper ? upper : w->upper;
        int32_t step = pli_crossing_step(crossing);
        winding[0] += body ? 0 : step;
        winding[1] += body ? step : 0;
        at[0] += 1 - body;
        at[1] += body;
        inside = (winding[0] != 0) & (winding[1] != 0);
        last = depth;
    }
    if (inside && last < PLI_DEPTH_STEPS) {
        w->span.lower = last;
        close_span(w, PLI_DEPTH_STEPS, PLI_NO_BODY, 0);
    }
}

/* The same for one body. */
static void walk_body(walk *w)
{
    const pli_ray *ray = &w->state[0].ray;
    bool self = w->sweep->kind == PLI_SWEEP_SELF;
    int32_t winding = w->state[0].winding;
    uint32_t last = 0;
    uint64_t inside = self ? winding > 1 || winding < 0 : winding != 0;
    for (uint32_t c = 0; c < ray->crossing_count; c++) {
        uint32_t depth = pli_crossing_depth(ray->crossings[c]);
        uint64_t taken = -(inside & (depth > last));
        w->length += (depth - last) & taken;
        w->squares += ((uint64_t)depth * depth - (uint64_t)last * last) & taken;
        uint32_t lower = last | (uint32_t)~taken, upper = depth & (uint32_t)taken;
        w->lower = lower < w->lower ? lower : w->lower;
        w->upper = upper > w->upper ? upper : w->upper;
        winding += pli_crossing_step(ray->crossings[c]);
        inside = self ? (winding > 1) | (winding < 0) : winding != 0;
        last = depth;
    }
    if (inside && last < PLI_DEPTH_STEPS) {
        w->span.lower = last;
        close_span(w, PLI_DEPTH_STEPS, PLI_NO_BODY, 0);
    }
}

/* Sets up one body's part of a walk. */
static void begin_body(const pli_ray_sweep *sweep, uint32_t i, ray_state *s)
{
    s->crossing = 0;
    s->winding = 0;
    for (uint32_t c = 0; sweep->from_upper[i] && c < s->ray.crossing_count; c++) {
        /* Counted from the upper end, the ray begins with what remains at the lower one. */
        s->winding -= pli_crossing_step(s->ray.crossings[c]);
    }
}

/* Adds what is certain and possible over a square. */
static void add_range(const walk *w, uint64_t *certain, uint64_t *possible)
{
    pli_square squares[2];
    for (uint32_t i = 0; i < w->bodies; i++) {
        squares[i] = (pli_square){w->state[i].ray, w->state[i].winding, w->sweep->whole[i]};
    }
    pli_range_add(w->sweep->kind, squares, w->bodies, certain, possible);
}

/* The same, and keeps it if there is doubt. */
static void add_and_keep_range(const walk *w)
{
    const pli_ray_sweep *sweep = w->sweep;
    uint64_t certain = 0, possible = 0;
    add_range(w, &certain, &possible);
    w->sums->certain += certain;
    w->sums->possible += possible;
    if (sweep->ranges != NULL && possible > certain) {
        const pli_window *window = &sweep->window;
        uint32_t row = w->row - window->first[1];
        size_t first = (size_t)row * pli_window_columns(window);
        sweep->ranges[first + sweep->range_counts[row]++] = (pli_square_range){
            w->column - window->first[0], row, (uint32_t)certain, (uint32_t)possible};
    }
}

/* The images' rows. */
static void read_rows(const pli_ray_sweep *sweep, uint32_t row, uint32_t bodies,
                      pli_image_row *rows)
{
    for (uint32_t i = 0; i < bodies; i++) {
        const pli_image *image = sweep->image[i];
        rows[i] = pli_image_row_at(image, row - image->window.first[1]);
        rows[i].with_intervals = sweep->intervals;
        rows[i].first -= image->window.first[0];
    }
}

/* Sets up a walk along the ray of a column; false if one of the bodies is nowhere near. */
static bool begin_ray(walk *w, const pli_image_row *rows, uint32_t column)
{
    for (uint32_t i = 0; i < w->bodies; i++) {
        w->state[i].ray = pli_image_row_ray(&rows[i], column);
        if (w->state[i].ray.crossing_count + w->state[i].ray.interval_count == 0) {
            return false;
        }
    }
    for (uint32_t i = 0; i < w->bodies; i++) {
        begin_body(w->sweep, i, &w->state[i]);
    }
    w->column = column;
    return true;
}

bool pli_sweep_row(const pli_ray_sweep *sweep, uint32_t row, pli_sweep_sums *sums)
{
    const pli_window *window = &sweep->window;
    if (row < window->first[1] || row > window->last[1]) {
        return true;
    }
    walk w = {.sweep = sweep, .row = row, .sums = sums, .bodies = sweep->image[1] != NULL ? 2 : 1};
    void (*quick)(walk *) = sweep->sink != NULL ? NULL : w.bodies == 2 ? walk_pair : walk_body;
    pli_image_row rows[2];
    read_rows(sweep, row, w.bodies, rows);
    if (sweep->ranges != NULL) {
        sweep->range_counts[row - window->first[1]] = 0;
    }
    for (uint32_t column = window->first[0]; column <= window->last[0]; column++) {
        if (!begin_ray(&w, rows, column)) {
            continue;
        }
        if (sweep->intervals) {
            add_and_keep_range(&w);
        }
        w.length = w.squares = 0;
        w.lower = UINT32_MAX;
        w.upper = 0;
        if (quick != NULL) {
            quick(&w);
        } else if (!walk_ray(&w)) {
            return false;
        }
        if (w.length > 0) {
            add_ray(&w);
        }
    }
    return true;
}

void pli_sweep_row_range(const pli_ray_sweep *sweep, uint32_t row, uint64_t *certain,
                         uint64_t *possible)
{
    walk w = {.sweep = sweep, .row = row, .bodies = sweep->image[1] != NULL ? 2 : 1};
    pli_image_row rows[2];
    read_rows(sweep, row, w.bodies, rows);
    for (uint32_t column = sweep->window.first[0]; column <= sweep->window.last[0]; column++) {
        if (begin_ray(&w, rows, column)) {
            add_range(&w, certain, possible);
        }
    }
}
