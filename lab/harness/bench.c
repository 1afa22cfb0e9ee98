#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/experiments/experiments.h"
#include "machine.h"
#include "lab/peers/peers.h"

/* An experiment that needs LAPACKE to make its bodies. Without it, only the name is listed. */
#ifdef PLIANT_HAVE_LAPACKE
#define WITH_LAPACKE(title, experiment) (&(experiment))
#else
#define WITH_LAPACKE(title, experiment)                                                            \
    (&(const bench_experiment){.name = (title), .description = "left out: built without LAPACKE"})
#endif

/* One to a line, whatever their number. */
/* clang-format off */
const bench_experiment *const bench_experiments[] = {
    &experiment_larsson_1,
    &experiment_larsson_2,
    &experiment_larsson_3_spheres,
    &experiment_larsson_3_arms,
    WITH_LAPACKE("bd-curtain", experiment_bd_curtain),
    WITH_LAPACKE("bd-bridge", experiment_bd_bridge),
    WITH_LAPACKE("bd-chairs", experiment_bd_chairs),
    &experiment_bd_crowd,
    &experiment_points_root,
    &experiment_points_tightness,
    &experiment_points_ring,
    &experiment_points_fish,
    &experiment_points_idle,
    &experiment_ldi_pairs,
    &experiment_ldi_objects,
    &experiment_ldi_particles,
    &experiment_ldi_resolution,
    &experiment_ldi_self,
    &experiment_workers,
    &experiment_broad,
    &experiment_exact_triangle,
    &experiment_continuous_features,
    &experiment_continuous_larsson,
    &experiment_continuous_cloth,
    &experiment_continuous_ring,
    &experiment_build,
    &experiment_memory,
    &experiment_growth,
    &experiment_peers_spheres,
    &experiment_peers_27,
    &experiment_peers_ring,
    &experiment_peers_first,
    &experiment_peers_self,
    &experiment_check_dressed,
    &experiment_distance_points,
    &experiment_contours_person,
    &experiment_features_cloth,
    &experiment_within_crowd,
    &experiment_rays_scene,
};
/* clang-format on */
const uint32_t bench_experiment_count = sizeof bench_experiments / sizeof bench_experiments[0];

const bench_experiment *bench_find(const char *name)
{
    for (uint32_t i = 0; i < bench_experiment_count; i++) {
        if (strcmp(bench_experiments[i]->name, name) == 0) {
            return bench_experiments[i];
        }
    }
    return NULL;
}

bool bench_has_peers(void)
{
    char libraries[160];
    peers_list_libraries(libraries, sizeof libraries);
    return libraries[0] != '\0';
}

uint32_t bench_repetitions(const bench_settings *settings, uint32_t all)
{
    uint32_t runs = settings->repetitions > 1 ? settings->repetitions : 1;
    return (all + runs - 1) / runs;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, uint64_t count)
{
    if (count == 0) {
        return (double)NAN;
    }
    qsort(values, count, sizeof *values, compare_doubles);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

double bench_fit_exponent(const double *x, const double *y, uint32_t count)
{
    double n = count, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (uint32_t i = 0; i < count; i++) {
        double log_x = log(x[i]), log_y = log(y[i]);
        sum_x += log_x;
        sum_y += log_y;
        sum_xx += log_x * log_x;
        sum_xy += log_x * log_y;
    }
    return (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
}

void bench_progress(const bench_settings *settings, const char *what, uint64_t done, uint64_t all)
{
    if (settings->progress != NULL) {
        fprintf(settings->progress, "\r%s: %3.0f %%\033[K", what,
                100.0 * (double)done / (double)all);
        if (done == all) {
            fputs("\r\033[K", settings->progress);
        }
        fflush(settings->progress);
    }
}

uint32_t bench_threads(const bench_settings *settings)
{
    return settings->threads > 0 ? settings->threads : 1;
}

bool bench_run(const bench_experiment *experiment, const bench_settings *settings,
               bench_report *report)
{
    bench_choose_clock(settings);
    memset(report, 0, sizeof *report);
    report->seed = settings->seed;
    bench_take_read_outside();
    double start = bench_wall_seconds();
    bool done = true;
    if (experiment->run == NULL) {
        report_note(report, "%s", experiment->description);
    } else {
        done = experiment->run(settings, report) && report->error[0] == '\0';
    }
    report->seconds = bench_wall_seconds() - start;
    if (bench_take_read_outside() && done && !experiment->own_turns) {
        done = report_fail(report, "the clock was read outside of turns");
    }
    bench_progress(settings, experiment->name, 1, 1);
    return done;
}

const char *bench_length_name(bench_length length)
{
    static const char *const names[] = {"quick", "default", "full"};
    return names[length];
}

/* The distinct headings of all rows, in the order in which they first occur. */
static uint32_t collect_headings(const bench_report *report, const char *headings[16])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->row_count; i++) {
        for (uint32_t k = 0; k < report->rows[i].cell_count; k++) {
            const char *key = report->rows[i].cells[k].key;
            uint32_t at = 0;
            while (at < count && strcmp(headings[at], key) != 0) {
                at++;
            }
            if (at == count && count < 16) {
                headings[count++] = key;
            }
        }
    }
    return count;
}

/* A column is as wide as its heading, and never narrower than nine. */
static int column_width(const char *heading)
{
    int width = (int)strlen(heading);
    return 2 + (width > 9 ? width : 9);
}

static void print_rows(FILE *stream, const bench_report *report)
{
    const char *headings[16];
    uint32_t count = collect_headings(report, headings);
    fprintf(stream, "  %-34s", "");
    for (uint32_t k = 0; k < count; k++) {
        fprintf(stream, "%*s", column_width(headings[k]), headings[k]);
    }
    fputc('\n', stream);
    for (uint32_t i = 0; i < report->row_count; i++) {
        fprintf(stream, "  %-34s", report->rows[i].method);
        for (uint32_t k = 0; k < count; k++) {
            const bench_cell *cell = report_find_cell(&report->rows[i], headings[k]);
            if (cell != NULL && isfinite(cell->value)) {
                fprintf(stream, "%*.*f", column_width(headings[k]), cell->decimals, cell->value);
            } else {
                fprintf(stream, "%*s", column_width(headings[k]), "-");
            }
        }
        fputc('\n', stream);
    }
}

static void print_ratios(FILE *stream, const bench_report *report)
{
    for (uint32_t i = 0; i < report->ratio_count; i++) {
        const bench_ratio *ratio = &report->ratios[i];
        fprintf(stream, "  %-26s %8.4g", ratio->key, ratio->value);
        if (isfinite(ratio->paper)) {
            fprintf(stream, "  (paper %.3g)", ratio->paper);
        }
        fprintf(stream, "  %s\n", ratio->meaning);
    }
}

/* How each contest was held. */
static void print_contests(FILE *stream, const bench_report *report)
{
    for (uint32_t i = 0; i < report->contestant_count; i++) {
        const bench_contestant *one = &report->contestants[i];
        if (report_find_contest(report, one->contest) == one) {
            fprintf(stream, "  %s: each contestant plays %u times, %u states a play", one->contest,
                    one->plays, one->steps);
            if (one->states_per_second > 0.0) {
                fprintf(stream, ", %.0f states a second", one->states_per_second);
            }
            fputc('\n', stream);
        }
    }
}

void bench_print_machine(FILE *stream, const bench_settings *settings)
{
    bench_machine machine = bench_machine_describe(settings->isa);
    fprintf(stream, "%s, %u cores, %s, %s\n", machine.cpu, machine.cores, machine.system,
            machine.compiler);
    fprintf(stream, "instruction set: %s; the machine has", pliant_isa_get_name(machine.isa));
    for (int isa = PLIANT_ISA_PLAIN; isa <= (int)machine.best_isa; isa++) {
        fprintf(stream, " %s", pliant_isa_get_name((pliant_isa)isa));
    }
    if (bench_threads(settings) > 1) {
        fprintf(stream,
                "\nthreads: %u for our methods, one for others; all by the clock on the wall",
                bench_threads(settings));
    }
    fputs("\n\n", stream);
}

void bench_print(FILE *stream, const bench_experiment *experiment, const bench_report *report)
{
    fprintf(stream, "%s: %s\n", experiment->name, experiment->description);
    if (experiment->paper != NULL) {
        fprintf(stream, "  paper: %s\n", experiment->paper);
    }
    if (report->error[0] != '\0') {
        fprintf(stream, "  failed: %s\n\n", report->error);
        return;
    }
    print_rows(stream, report);
    fputc('\n', stream);
    print_ratios(stream, report);
    print_contests(stream, report);
    for (uint32_t i = 0; i < report->note_count; i++) {
        fprintf(stream, "  %s\n", report->notes[i]);
    }
    fputc('\n', stream);
}
