#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lab/experiments/ldi.h"
#include "page.h"

static cli_status cannot_write(const char *path)
{
    return cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
}

static cli_status close_file(FILE *file, const char *path)
{
    bool failed = ferror(file) != 0;
    return fclose(file) != 0 || failed ? cannot_write(path) : CLI_DONE;
}

/* Tried first: a path that cannot be written should not cost minutes to find out. */
static cli_status try_path(const char *path, const char *mode)
{
    FILE *file = path != NULL ? fopen(path, mode) : NULL;
    if (path == NULL) {
        return CLI_DONE;
    }
    return file == NULL ? cannot_write(path) : close_file(file, path);
}

static bool is_empty(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_size == 0;
}

/* Takes the runs that a file has, if they are of this very program and machine. */
static cli_status take_file(const char *path, const results_origin *here, bench_results *results)
{
    results_error error;
    const char *there = NULL, *ours = NULL;
    if (is_empty(path)) {
        return CLI_DONE;
    }
    if (!results_read(path, results, &error)) {
        return cli_fail(CLI_USAGE, "%s", error.text);
    }
    const char *what = results_origin_difference(&results->origin, here, &there, &ours);
    if (what != NULL) {
        return cli_fail(CLI_USAGE,
                        "%s cannot take more runs: its %s is \"%s\", here it is \"%s\"; remove it "
                        "or give another file",
                        path, what, there, ours);
    }
    return CLI_DONE;
}

static cli_status write_json(const char *path, const bench_results *results)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return cannot_write(path);
    }
    results_write(file, results);
    return close_file(file, path);
}

/* By another name first: a run that is cut short must not cost those before it. */
static cli_status replace_json(const char *path, const bench_results *results)
{
    char part[4096];
    if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part) {
        return cli_fail(CLI_FAILED, "the path %s is too long", path);
    }
    cli_status status = write_json(part, results);
    if (status == CLI_DONE && rename(part, path) != 0) {
        status = cannot_write(path);
    }
    return status;
}

static cli_status write_page(const run_wishes *wishes, const bench_results *results)
{
    FILE *file = fopen(wishes->page_path, "w");
    if (file == NULL) {
        return cannot_write(wishes->page_path);
    }
    bool written = bench_write_page(file, wishes->experiments, wishes->count, results);
    cli_status status = close_file(file, wishes->page_path);
    return written ? status : cli_fail(CLI_FAILED, "not enough memory");
}

static uint32_t runs_of(const bench_results *results, const char *name)
{
    const results_experiment *found = results_find(results, name);
    return found != NULL ? found->run_count : 0;
}

/* A failed experiment is told about in what is written anew; files that collect runs skip it. */
static cli_status keep(const run_wishes *wishes, const char *name, bool good, bench_report *report,
                       bench_results *results)
{
    results_error error;
    if (!good && (wishes->into_path != NULL || runs_of(results, name) > 0)) {
        return CLI_FAILED;
    }
    if (!results_add(results, name, report, &error)) {
        return cli_fail(CLI_FAILED, "%s", error.text);
    }
    results_origin now = results_origin_here(wishes->settings);
    memcpy(results->origin.date, now.date, sizeof now.date);
    if (strncmp(name, "ldi-", 4) == 0) {
        snprintf(results->origin.renderer, sizeof results->origin.renderer, "%s", ldi_renderer());
    }
    cli_status status =
        wishes->into_path != NULL ? replace_json(wishes->into_path, results) : CLI_DONE;
    return good ? status : CLI_FAILED;
}

static cli_status run_once(const run_wishes *wishes, const bench_experiment *experiment,
                           bench_results *results)
{
    bench_report *report = malloc(sizeof *report);
    if (report == NULL) {
        return cli_fail(CLI_FAILED, "not enough memory");
    }
    uint32_t before = runs_of(results, experiment->name);
    bool good = bench_run(experiment, wishes->settings, report);
    if (!good) {
        cli_fail(CLI_FAILED, "%s failed: %s", experiment->name, report->error);
    }
    if (before == 0 || !good) {
        bench_print(stdout, experiment, report);
    } else {
        printf("%s: run %u of %u, %.1f s\n", experiment->name, before + 1, wishes->runs,
               report->seconds);
    }
    fflush(stdout);
    cli_status status = keep(wishes, experiment->name, good, report, results);
    report_free(report);
    free(report);
    return status;
}

/* All experiments once, then again: what changes slowly on a machine then changes all of them. An
   experiment that failed is not tried again. */
static cli_status run_all(const run_wishes *wishes, bench_results *results, uint32_t *left)
{
    double start = bench_wall_seconds();
    cli_status status = CLI_DONE;
    bool failed[RESULTS_MAX_EXPERIMENTS] = {false};
    *left = 0;
    for (uint32_t run = 0; run < wishes->runs; run++) {
        for (uint32_t i = 0; i < wishes->count; i++) {
            const bench_experiment *experiment = wishes->experiments[i];
            if (failed[i] || runs_of(results, experiment->name) > run) {
                continue;
            }
            if (wishes->minutes > 0 && bench_wall_seconds() - start > 60.0 * wishes->minutes) {
                ++*left;
                continue;
            }
            cli_status once = run_once(wishes, experiment, results);
            failed[i] = once != CLI_DONE;
            status = once != CLI_DONE ? once : status;
        }
    }
    return status;
}

static cli_status write_all(const run_wishes *wishes, const bench_results *results)
{
    cli_status status =
        wishes->json_path != NULL ? write_json(wishes->json_path, results) : CLI_DONE;
    if (wishes->page_path != NULL) {
        cli_status written = write_page(wishes, results);
        status = written != CLI_DONE ? written : status;
    }
    return status;
}

static cli_status try_paths(const run_wishes *wishes)
{
    cli_status status = try_path(wishes->json_path, "w");
    status = status != CLI_DONE ? status : try_path(wishes->page_path, "w");
    return status != CLI_DONE ? status : try_path(wishes->into_path, "a");
}

cli_status run_experiments(const run_wishes *wishes)
{
    bench_results *results = calloc(1, sizeof *results);
    if (results == NULL) {
        return cli_fail(CLI_FAILED, "not enough memory");
    }
    results_origin here = results_origin_here(wishes->settings);
    cli_status status = try_paths(wishes);
    if (status == CLI_DONE && wishes->into_path != NULL) {
        status = take_file(wishes->into_path, &here, results);
    }
    if (status == CLI_DONE) {
        uint32_t left = 0;
        memcpy(here.renderer, results->origin.renderer, sizeof here.renderer);
        results->origin = here;
        bench_print_machine(stdout, wishes->settings);
        status = run_all(wishes, results, &left);
        cli_status written = write_all(wishes, results);
        status = written != CLI_DONE ? written : status;
        if (left > 0) {
            printf("%u runs are left; the same command goes on with them\n", left);
            status = status == CLI_DONE ? CLI_CONTACTS : status;
        }
    }
    results_free(results);
    free(results);
    return status;
}

cli_status run_compare(const char *const *paths, uint32_t count)
{
    if (count != 2) {
        return cli_fail(CLI_USAGE, "--compare takes two results files");
    }
    bench_results *both = calloc(2, sizeof *both);
    if (both == NULL) {
        return cli_fail(CLI_FAILED, "not enough memory");
    }
    results_error error;
    cli_status status = CLI_DONE;
    for (int i = 0; i < 2 && status == CLI_DONE; i++) {
        if (!results_read(paths[i], &both[i], &error)) {
            status = cli_fail(CLI_USAGE, "%s", error.text);
        }
    }
    if (status == CLI_DONE) {
        results_comparison found = results_compare(stdout, &both[0], &both[1]);
        status = found.beyond > 0 ? CLI_CONTACTS : CLI_DONE;
    }
    results_free(&both[0]);
    results_free(&both[1]);
    free(both);
    return status;
}
