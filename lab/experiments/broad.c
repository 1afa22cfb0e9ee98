/*
 * The broad phase alone: boxes that move a little in every step, from a hundred to ten thousand.
 * Boxes are drawn in a cube that grows with their number, so that each overlaps about one other.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>

#include "broad/broad.h"
#include "gallery/numbers.h"

#define MAX_STEPS 64

static const uint32_t sizes[] = {100, 200, 500, 1000, 2000, 5000, 10000};
enum { SIZES = 7, MOTIONS = 2, METHODS = 4 };

/* How far a box moves in a step, in sides of a box. */
static const double speeds[MOTIONS] = {0.001, 0.01};
static const char *const speed_names[MOTIONS] = {"0.1 %", "1 %"};

static const pli_broad_kind kinds[METHODS] = {PLI_BROAD_ALL_PAIRS, PLI_BROAD_SWEEP, PLI_BROAD_GRID,
                                              PLI_BROAD_SORT};
static const char *const kind_names[METHODS] = {"all pairs", "sweep and prune", "grid",
                                                "sort and sweep"};
enum { ALL_PAIRS, SWEEP, GRID, SORT };

/* A box on its way. */
typedef struct mover {
    double centre[3], velocity[3], half[3];
} mover;

typedef struct swarm {
    mover *movers;
    uint32_t count;
    double side; /* of the cube they stay in */
} swarm;

static void draw(swarm *s, double speed, uint64_t seed)
{
    gallery_random random = gallery_random_seed(seed, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        mover *m = &s->movers[i];
        for (int axis = 0; axis < 3; axis++) {
            m->centre[axis] = gallery_random_range(&random, 0.0, s->side);
            m->velocity[axis] = gallery_random_range(&random, -speed, speed);
            m->half[axis] = gallery_random_range(&random, 0.35, 0.65);
        }
    }
}

static void advance(swarm *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        mover *m = &s->movers[i];
        for (int axis = 0; axis < 3; axis++) {
            m->centre[axis] += m->velocity[axis];
            bool outside = m->centre[axis] < 0.0 || m->centre[axis] > s->side;
            m->velocity[axis] = outside ? -m->velocity[axis] : m->velocity[axis];
        }
    }
}

static void write_boxes(const swarm *s, pliant_box *boxes)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const mover *m = &s->movers[i];
        for (int axis = 0; axis < 3; axis++) {
            boxes[i].lower[axis] = (float)(m->centre[axis] - m->half[axis]);
            boxes[i].upper[axis] = (float)(m->centre[axis] + m->half[axis]);
        }
    }
}

/* What one method did over a motion. */
typedef struct broad_costs {
    double seconds; /* median per step */
    double tests, ends_read, swaps, pairs;
    uint64_t hash; /* of all answers */
} broad_costs;

typedef struct broad_run {
    pliant_context *context;
    swarm swarm;
    pliant_box *boxes;
    uint32_t steps;
    double speed;
    uint64_t seed;
} broad_run;

static uint64_t mix_keys(uint64_t hash, const uint64_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ keys[i]) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
    }
    return hash + count;
}

static bool add_all(const broad_run *run, pli_broad *broad)
{
    const uint64_t *keys = NULL;
    size_t count = 0;
    write_boxes(&run->swarm, run->boxes);
    for (uint32_t i = 0; i < run->swarm.count; i++) {
        if (pli_broad_add(broad, i, &run->boxes[i]) != PLIANT_OK) {
            return false;
        }
    }
    return pli_broad_pairs(broad, &keys, &count) == PLIANT_OK;
}

static bool step(broad_run *run, pli_broad *broad, broad_costs *costs, double *seconds)
{
    const uint64_t *keys = NULL;
    size_t count = 0;
    advance(&run->swarm);
    write_boxes(&run->swarm, run->boxes);
    double start = bench_seconds();
    for (uint32_t i = 0; i < run->swarm.count; i++) {
        pli_broad_move(broad, i, &run->boxes[i]);
    }
    if (pli_broad_pairs(broad, &keys, &count) != PLIANT_OK) {
        return false;
    }
    *seconds = bench_seconds() - start;
    const pli_broad_stats *stats = pli_broad_get_stats(broad);
    costs->tests += (double)stats->tests / run->steps;
    costs->ends_read += (double)stats->ends_read / run->steps;
    costs->swaps += (double)stats->swaps / run->steps;
    costs->pairs += (double)count / run->steps;
    costs->hash = mix_keys(costs->hash, keys, count);
    return true;
}

/* One method goes through the whole motion. */
static bool play(broad_run *run, pli_broad_kind kind, broad_costs *costs)
{
    double seconds[MAX_STEPS];
    pli_broad *broad = NULL;
    *costs = (broad_costs){0};
    draw(&run->swarm, run->speed, run->seed);
    bool done = pli_broad_create(run->context, kind, &broad) == PLIANT_OK && add_all(run, broad);
    for (uint32_t i = 0; done && i < run->steps; i++) {
        done = step(run, broad, costs, &seconds[i]);
    }
    costs->seconds = done ? bench_median(seconds, run->steps) : 0.0;
    pli_broad_destroy(broad);
    return done;
}

static bool play_all(broad_run *run, broad_costs costs[METHODS], bench_report *report)
{
    for (int k = 0; k < METHODS; k++) {
        if (!play(run, kinds[k], &costs[k])) {
            return report_fail(report, "%s failed: %s", kind_names[k], pliant_last_error());
        }
        if (costs[k].hash != costs[0].hash) {
            return report_fail(report, "%s and %s do not agree on %u boxes", kind_names[0],
                               kind_names[k], run->swarm.count);
        }
    }
    return true;
}

static void add_row(const broad_run *run, const char *speed, const broad_costs costs[METHODS],
                    bench_report *report)
{
    double count = run->swarm.count;
    bench_row *row = report_row(report, "%.0f boxes, %s a step", count, speed);
    report_cell(row, "boxes", count, 0);
    report_cell(row, "pairs", costs[SWEEP].pairs, 0);
    report_cell(row, "all_pairs_us", 1e6 * costs[ALL_PAIRS].seconds, 1);
    report_cell(row, "sweep_us", 1e6 * costs[SWEEP].seconds, 1);
    report_cell(row, "grid_us", 1e6 * costs[GRID].seconds, 1);
    report_cell(row, "sort_us", 1e6 * costs[SORT].seconds, 1);
    report_cell(row, "sweep_ns_per_box", 1e9 * costs[SWEEP].seconds / count, 1);
    report_cell(row, "swaps_per_box", costs[SWEEP].swaps / count, 2);
    report_cell(row, "grid_tests_per_box", costs[GRID].tests / count, 2);
    report_cell(row, "sort_tests_per_box", costs[SORT].tests / count, 2);
}

static bool run_size(const bench_settings *settings, pliant_context *context, uint32_t size,
                     double speed, const char *speed_name, broad_costs costs[METHODS],
                     bench_report *report)
{
    static const uint32_t steps[3] = {5, 31, MAX_STEPS};
    broad_run run = {
        .context = context,
        .swarm = {.movers = calloc(size, sizeof(mover)), .count = size, .side = cbrt(8.0 * size)},
        .boxes = calloc(size, sizeof *run.boxes),
        .steps = steps[settings->length],
        .speed = speed,
        .seed = settings->seed,
    };
    bool done = run.swarm.movers != NULL && run.boxes != NULL;
    if (!done) {
        report_fail(report, "not enough memory");
    }
    done = done && play_all(&run, costs, report);
    if (done) {
        add_row(&run, speed_name, costs, report);
    }
    free(run.swarm.movers);
    free(run.boxes);
    return done;
}

/* Growth over the number of boxes, one motion. */
typedef struct growth {
    double boxes[SIZES], seconds[METHODS][SIZES], work[SIZES];
} growth;

static bool run_motion(const bench_settings *settings, pliant_context *context, int motion,
                       growth *g, bench_report *report)
{
    for (uint32_t i = 0; i < SIZES; i++) {
        broad_costs costs[METHODS];
        bench_progress(settings, "broad", (uint64_t)motion * SIZES + i, (uint64_t)MOTIONS * SIZES);
        if (!run_size(settings, context, sizes[i], speeds[motion], speed_names[motion], costs,
                      report)) {
            return false;
        }
        g->boxes[i] = sizes[i];
        g->work[i] = costs[SWEEP].ends_read + costs[SWEEP].swaps;
        for (int k = 0; k < METHODS; k++) {
            g->seconds[k][i] = costs[k].seconds;
        }
    }
    return true;
}

/* The number of boxes from which on a method takes less time than another, interpolated; NAN if it
   never does. */
static double crossover(const growth *g, int other, int method)
{
    uint32_t i = SIZES;
    while (i > 0 && g->seconds[method][i - 1] < g->seconds[other][i - 1]) {
        i--;
    }
    if (i == SIZES) {
        return (double)NAN;
    }
    if (i == 0) {
        return g->boxes[0];
    }
    double before = log(g->seconds[method][i - 1] / g->seconds[other][i - 1]);
    double after = log(g->seconds[method][i] / g->seconds[other][i]);
    double share = before / (before - after);
    return exp((1.0 - share) * log(g->boxes[i - 1]) + share * log(g->boxes[i]));
}

static void add_ratios(const growth growths[MOTIONS], bench_report *report)
{
    const growth *slow = &growths[0], *fast = &growths[1];
    double nan = (double)NAN;
    report_ratio(report, "growth_sweep",
                 bench_fit_exponent(slow->boxes, slow->seconds[SWEEP], SIZES), nan,
                 "exponent of sweep and prune's time over boxes, 0.1 % a step");
    report_ratio(report, "growth_sweep_work", bench_fit_exponent(slow->boxes, slow->work, SIZES),
                 nan, "of its ends read and swaps");
    report_ratio(report, "growth_sweep_fast",
                 bench_fit_exponent(fast->boxes, fast->seconds[SWEEP], SIZES), nan,
                 "of its time, 1 % a step");
    report_ratio(report, "growth_sweep_work_fast",
                 bench_fit_exponent(fast->boxes, fast->work, SIZES), nan,
                 "of its ends read and swaps, 1 % a step");
    report_ratio(report, "growth_all_pairs",
                 bench_fit_exponent(slow->boxes, slow->seconds[ALL_PAIRS], SIZES), nan,
                 "of the time of all pairs");
    report_ratio(report, "growth_grid", bench_fit_exponent(slow->boxes, slow->seconds[GRID], SIZES),
                 nan, "of the grid's time");
    report_ratio(report, "growth_sort", bench_fit_exponent(slow->boxes, slow->seconds[SORT], SIZES),
                 nan, "of the time of sorting along one axis and sweeping");
    report_ratio(report, "crossover_sweep", crossover(slow, ALL_PAIRS, SWEEP), nan,
                 "boxes from which on sweep and prune beats all pairs, 0.1 % a step");
    report_ratio(report, "crossover_sweep_fast", crossover(fast, ALL_PAIRS, SWEEP), nan,
                 "the same, 1 % a step");
    report_ratio(report, "crossover_grid", crossover(slow, ALL_PAIRS, GRID), nan,
                 "boxes from which on the grid beats all pairs");
    report_ratio(report, "crossover_sort", crossover(slow, ALL_PAIRS, SORT), nan,
                 "boxes from which on sorting and sweeping beats all pairs");
}

static bool run(const bench_settings *settings, bench_report *report)
{
    growth growths[MOTIONS];
    pliant_context *context = NULL;
    pliant_context_def def = pliant_context_def_default();
    def.isa = settings->isa;
    if (pliant_context_create(&def, &context) != PLIANT_OK) {
        return report_fail(report, "%s", pliant_last_error());
    }
    bool done = true;
    for (int motion = 0; done && motion < MOTIONS; motion++) {
        done = run_motion(settings, context, motion, &growths[motion], report);
    }
    pliant_context_destroy(context);
    if (done) {
        add_ratios(growths, report);
        report_note(report, "medians per step over %u steps; speed is in sides of a box per step",
                    settings->length == BENCH_QUICK     ? 5
                    : settings->length == BENCH_DEFAULT ? 31
                                                        : MAX_STEPS);
    }
    return done;
}

const bench_experiment experiment_broad = {
    .name = "broad",
    .description = "the broad phase alone: 100 to 10,000 moving boxes by all pairs, sweep and "
                   "prune, grid, and sort and sweep",
    .paper = "sweep and prune under coherent motion: linear in bodies and overlaps (Cohen 1995)",
    .run = run,
};
