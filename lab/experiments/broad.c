/*
 * The broad phase alone: boxes that move a little in every step, from a hundred to a hundred
 * thousand. Boxes are drawn in a cube that grows with their number, so that each overlaps about one
 * other. Beside our methods that of another library, and the walks that a tree serves besides.
 */
#include "broad_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t sizes[] = {100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000};
enum { SIZES = 10, MOTIONS = 2, METHODS = 5 };

/* Sizes that all pairs are compared of, and the one from which on trees are compared. */
enum { SMALL_SIZES = 7, TREES_FROM = 3 };
#define ALL_PAIRS_MOST 10000

/* How far a box moves in a step, in sides of a box. */
static const double speeds[MOTIONS] = {0.001, 0.01};
static const char *const speed_names[MOTIONS] = {"0.1 %", "1 %"};

static const pli_broad_kind kinds[METHODS] = {PLI_BROAD_ALL_PAIRS, PLI_BROAD_SWEEP, PLI_BROAD_GRID,
                                              PLI_BROAD_SORT, PLI_BROAD_TREE};
static const char *const kind_names[METHODS] = {"all pairs", "sweep and prune", "grid",
                                                "sort and sweep", "tree"};
enum { ALL_PAIRS, SWEEP, GRID, SORT, TREE };

static bool add_all(broad_run *run, pli_broad *broad)
{
    const uint64_t *keys = NULL;
    size_t count = 0;
    broad_write_boxes(run);
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
    broad_advance(run);
    broad_write_boxes(run);
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
    costs->left += (double)stats->left / run->steps;
    costs->pairs += (double)count / run->steps;
    costs->hash = broad_mix_keys(costs->hash, keys, count);
    return true;
}

/* One method goes through the whole motion. */
static bool play(broad_run *run, pli_broad_kind kind, broad_costs *costs)
{
    double seconds[BROAD_MAX_STEPS];
    pli_broad *broad = NULL;
    *costs = (broad_costs){.rays_met = 0};
    broad_draw(run);
    bool done = pli_broad_create(run->context, kind, &broad) == PLIANT_OK && add_all(run, broad);
    for (uint32_t i = 0; done && i < run->warm_up + run->steps; i++) {
        *costs = i == run->warm_up ? (broad_costs){.hash = costs->hash} : *costs;
        done = step(run, broad, costs, &seconds[i < run->warm_up ? 0 : i - run->warm_up]);
    }
    if (done && kind == PLI_BROAD_TREE) {
        done = broad_walk_tree(run, broad, costs);
    }
    if (done) {
        broad_take_times(costs, seconds, run->steps);
    }
    pli_broad_destroy(broad);
    return done;
}

static bool play_all(broad_run *run, broad_costs costs[METHODS + 1], bench_report *report)
{
    const box_peer *peer = peers_box();
    int first = run->swarm.count > ALL_PAIRS_MOST ? SWEEP : ALL_PAIRS;
    costs[ALL_PAIRS].seconds = costs[METHODS].mean = (double)NAN;
    const char *names[METHODS + 1] = {[METHODS] = peer != NULL ? peer->name : NULL};
    memcpy(names + first, kind_names + first, (size_t)(METHODS - first) * sizeof *names);
    report_contest(report, &(bench_terms){"boxes", names, METHODS + 1, 1, run->steps, 0.0});
    for (int k = first; k < METHODS; k++) {
        if (!play(run, kinds[k], &costs[k])) {
            return report_fail(report, "%s failed: %s", kind_names[k], pliant_last_error());
        }
        if (costs[k].hash != costs[first].hash) {
            return report_fail(report, "%s and %s do not agree on %u boxes", kind_names[first],
                               kind_names[k], run->swarm.count);
        }
    }
    if (peer != NULL && (!broad_play_peer(run, peer, &costs[METHODS]) ||
                         !broad_agrees(&costs[TREE], &costs[METHODS]))) {
        return report_fail(report, "%s and ours do not agree on %u boxes", peer->name,
                           run->swarm.count);
    }
    return true;
}

static void add_row(const broad_run *run, const char *speed, const broad_costs costs[METHODS + 1],
                    bench_report *report)
{
    double count = run->swarm.count;
    bench_row *row = report_row(report, "%.0f boxes, %s a step", count, speed);
    report_cell(row, "boxes", count, 0);
    report_cell(row, "pairs", costs[SWEEP].pairs, 0);
    if (run->swarm.count <= ALL_PAIRS_MOST) {
        report_cell(row, "all_pairs_us", 1e6 * costs[ALL_PAIRS].seconds, 1);
    }
    report_cell(row, "sweep_us", 1e6 * costs[SWEEP].seconds, 1);
    report_cell(row, "grid_us", 1e6 * costs[GRID].seconds, 1);
    report_cell(row, "sort_us", 1e6 * costs[SORT].seconds, 1);
    report_cell(row, "tree_us", 1e6 * costs[TREE].seconds, 1);
    report_cell(row, "tree_left_per_box", costs[TREE].left / count, 3);
    report_cell(row, "sweep_ns_per_box", 1e9 * costs[SWEEP].seconds / count, 1);
    report_cell(row, "swaps_per_box", costs[SWEEP].swaps / count, 2);
    report_cell(row, "grid_tests_per_box", costs[GRID].tests / count, 2);
    report_cell(row, "sort_tests_per_box", costs[SORT].tests / count, 2);
}

/* A tree by itself: ours, or that of the other library. */
static void add_tree_row(const broad_run *run, const char *speed, const char *name,
                         const broad_costs *costs, bench_report *report)
{
    double count = run->swarm.count;
    bench_row *row = report_row(report, "%s of %.0f boxes, %s a step", name, count, speed);
    report_cell(row, "boxes", count, 0);
    report_cell(row, "median_us", 1e6 * costs->seconds, 1);
    report_cell(row, "mean_us", 1e6 * costs->mean, 1);
    report_cell(row, "ray_ns", 1e9 * costs->ray_seconds, 0);
    report_cell(row, "box_ns", 1e9 * costs->box_seconds, 0);
}

static bool run_size(const bench_settings *settings, pliant_context *context, uint32_t size,
                     double speed, const char *speed_name, broad_costs costs[METHODS + 1],
                     bench_report *report)
{
    static const uint32_t steps[3] = {5, 31, BROAD_MAX_STEPS};
    broad_run run = {
        .context = context,
        .swarm = {.movers = calloc(size, sizeof(mover)), .count = size, .side = cbrt(8.0 * size)},
        .boxes = calloc(size, sizeof *run.boxes),
        .steps = steps[settings->length],
        .warm_up = steps[settings->length] / 2,
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
        add_tree_row(&run, speed_name, "tree", &costs[TREE], report);
        if (peers_box() != NULL) {
            add_tree_row(&run, speed_name, "Bullet's tree", &costs[METHODS], report);
        }
    }
    free(run.swarm.movers);
    free(run.boxes);
    return done;
}

/* Growth over the number of boxes, one motion. */
typedef struct growth {
    uint32_t sizes;
    double boxes[SIZES], seconds[METHODS][SIZES], work[SIZES];
    double tree_means[SIZES], peer_means[SIZES];
} growth;

static bool run_motion(const bench_settings *settings, pliant_context *context, int motion,
                       growth *g, bench_report *report)
{
    g->sizes = settings->length == BENCH_QUICK ? SMALL_SIZES : SIZES;
    for (uint32_t i = 0; i < g->sizes; i++) {
        broad_costs costs[METHODS + 1];
        bench_progress(settings, "broad", (uint64_t)motion * g->sizes + i,
                       (uint64_t)MOTIONS * g->sizes);
        if (!run_size(settings, context, sizes[i], speeds[motion], speed_names[motion], costs,
                      report)) {
            return false;
        }
        g->boxes[i] = sizes[i];
        g->work[i] = costs[SWEEP].ends_read + costs[SWEEP].swaps;
        for (int k = 0; k < METHODS; k++) {
            g->seconds[k][i] = costs[k].seconds;
        }
        g->tree_means[i] = costs[TREE].mean;
        g->peer_means[i] = costs[METHODS].mean;
    }
    return true;
}

/* The number of boxes from which on a method takes less time than another, interpolated; NAN if it
   never does. */
static double crossover(const growth *g, int other, int method)
{
    uint32_t i = SMALL_SIZES;
    while (i > 0 && g->seconds[method][i - 1] < g->seconds[other][i - 1]) {
        i--;
    }
    if (i == SMALL_SIZES) {
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

/* The exponent of a tree's mean time over 1,000 and more boxes. */
static double tree_growth(const growth *g, const double means[SIZES])
{
    return bench_fit_exponent(g->boxes + TREES_FROM, means + TREES_FROM, g->sizes - TREES_FROM);
}

static void add_tree_ratios(const growth growths[MOTIONS], bench_report *report)
{
    const growth *slow = &growths[0], *fast = &growths[1];
    double nan = (double)NAN;
    report_ratio(report, "growth_tree", tree_growth(slow, slow->tree_means), nan,
                 "exponent of the tree's mean time over 1,000 and more boxes, 0.1 % a step");
    report_ratio(report, "growth_tree_fast", tree_growth(fast, fast->tree_means), nan,
                 "the same, 1 % a step");
    if (peers_box() == NULL) {
        return;
    }
    report_ratio(report, "growth_bullet", tree_growth(slow, slow->peer_means), nan,
                 "the same of Bullet's dynamic tree, 0.1 % a step");
    report_ratio(report, "growth_bullet_fast", tree_growth(fast, fast->peer_means), nan,
                 "the same of Bullet's, 1 % a step");
    report_ratio(report, "bullet_over_tree",
                 slow->peer_means[slow->sizes - 1] / slow->tree_means[slow->sizes - 1], nan,
                 "mean time of Bullet's dynamic tree over ours, the most boxes, 0.1 % a step");
    report_ratio(report, "bullet_over_tree_fast",
                 fast->peer_means[fast->sizes - 1] / fast->tree_means[fast->sizes - 1], nan,
                 "the same, 1 % a step");
}

static void add_ratios(const growth growths[MOTIONS], bench_report *report)
{
    const growth *slow = &growths[0], *fast = &growths[1];
    double nan = (double)NAN;
    report_ratio(report, "growth_sweep",
                 bench_fit_exponent(slow->boxes, slow->seconds[SWEEP], SMALL_SIZES), nan,
                 "exponent of sweep and prune's time over boxes, 0.1 % a step");
    report_ratio(report, "growth_sweep_work",
                 bench_fit_exponent(slow->boxes, slow->work, SMALL_SIZES), nan,
                 "of its ends read and swaps");
    report_ratio(report, "growth_sweep_fast",
                 bench_fit_exponent(fast->boxes, fast->seconds[SWEEP], SMALL_SIZES), nan,
                 "of its time, 1 % a step");
    report_ratio(report, "growth_sweep_work_fast",
                 bench_fit_exponent(fast->boxes, fast->work, SMALL_SIZES), nan,
                 "of its ends read and swaps, 1 % a step");
    report_ratio(report, "growth_all_pairs",
                 bench_fit_exponent(slow->boxes, slow->seconds[ALL_PAIRS], SMALL_SIZES), nan,
                 "of the time of all pairs");
    report_ratio(report, "growth_grid",
                 bench_fit_exponent(slow->boxes, slow->seconds[GRID], SMALL_SIZES), nan,
                 "of the grid's time");
    report_ratio(report, "growth_sort",
                 bench_fit_exponent(slow->boxes, slow->seconds[SORT], SMALL_SIZES), nan,
                 "of the time of sorting along one axis and sweeping");
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
        add_tree_ratios(growths, report);
        report_note(report, "medians per step over %u steps; speed is in sides of a box per step",
                    settings->length == BENCH_QUICK     ? 5
                    : settings->length == BENCH_DEFAULT ? 31
                                                        : BROAD_MAX_STEPS);
    }
    return done;
}

const bench_experiment experiment_broad = {
    .name = "broad",
    .description = "the broad phase alone: 100 to 100,000 moving boxes by all pairs, sweep and "
                   "prune, grid, sort and sweep, and tree, beside Bullet's",
    .paper = "sweep and prune under coherent motion: linear in bodies and overlaps (Cohen 1995)",
    .own_turns = true,
    .run = run,
};
