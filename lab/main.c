/* pliant-bench, the laboratory: the papers' experiments. `pliant bench` starts it. */
#include "lab/harness/bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "page.h"
#include "tool/cli.h"

#define MAX_EXPERIMENTS 32

static void list_experiments(void)
{
    for (uint32_t i = 0; i < bench_experiment_count; i++) {
        printf("%-18s %s\n", bench_experiments[i]->name, bench_experiments[i]->description);
    }
}

/* Finds the experiments asked for; if none is named, all with other libraries or all without. */
static bool choose(const char *const *names, uint32_t name_count, bool peers,
                   const bench_experiment **chosen, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < name_count; i++) {
        chosen[*count] = bench_find(names[i]);
        if (chosen[(*count)++] == NULL) {
            cli_fail(CLI_USAGE, "there is no experiment '%s'; pliant bench --list lists them",
                     names[i]);
            return false;
        }
    }
    for (uint32_t i = 0; name_count == 0 && i < bench_experiment_count; i++) {
        if (bench_experiments[i]->peers == peers) {
            chosen[(*count)++] = bench_experiments[i];
        }
    }
    return true;
}

static cli_status close_file(FILE *file, const char *path)
{
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        return cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
    }
    return CLI_DONE;
}

static cli_status write_json_file(FILE *file, const char *path, const bench_settings *settings,
                                  const bench_experiment *const *experiments,
                                  const bench_report *reports, uint32_t count)
{
    bench_write_json(file, settings, experiments, reports, count);
    return close_file(file, path);
}

static cli_status write_page_file(FILE *file, const char *path, const bench_settings *settings,
                                  const bench_experiment *const *experiments,
                                  const bench_report *reports, uint32_t count)
{
    bool written = bench_write_page(file, settings, experiments, reports, count);
    cli_status status = close_file(file, path);
    return written ? status : cli_fail(CLI_FAILED, "not enough memory");
}

static cli_status run_all(const bench_settings *settings,
                          const bench_experiment *const *experiments, uint32_t count,
                          bench_report *reports)
{
    cli_status status = CLI_DONE;
    for (uint32_t i = 0; i < count; i++) {
        if (!bench_run(experiments[i], settings, &reports[i])) {
            status = cli_fail(CLI_FAILED, "%s failed: %s", experiments[i]->name, reports[i].error);
        }
        bench_print(stdout, experiments[i], &reports[i]);
        fflush(stdout);
    }
    return status;
}

static cli_status run_and_write(const bench_settings *settings,
                                const bench_experiment *const *experiments, uint32_t count,
                                const char *json_path, const char *page_path)
{
    /* Opened first: a path that cannot be written should not cost minutes to find out. */
    FILE *json = NULL, *page = NULL;
    if (json_path != NULL && (json = fopen(json_path, "w")) == NULL) {
        return cli_fail(CLI_FAILED, "cannot write %s: %s", json_path, strerror(errno));
    }
    bool open = page_path == NULL || (page = fopen(page_path, "w")) != NULL;
    int reason = errno;
    bench_report *reports = calloc(count, sizeof *reports);
    if (reports == NULL || !open) {
        if (json != NULL) {
            fclose(json);
        }
        if (page != NULL) {
            fclose(page);
        }
        free(reports);
        return open ? cli_fail(CLI_FAILED, "not enough memory")
                    : cli_fail(CLI_FAILED, "cannot write %s: %s", page_path, strerror(reason));
    }
    bench_print_machine(stdout, settings);
    cli_status status = run_all(settings, experiments, count, reports);
    if (json != NULL) {
        cli_status written =
            write_json_file(json, json_path, settings, experiments, reports, count);
        status = written != CLI_DONE ? written : status;
    }
    if (page != NULL) {
        cli_status written =
            write_page_file(page, page_path, settings, experiments, reports, count);
        status = written != CLI_DONE ? written : status;
    }
    for (uint32_t i = 0; i < count; i++) {
        report_free(&reports[i]);
    }
    free(reports);
    return status;
}

static cli_status run(int argument_count, char **arguments)
{
    bool list = false, quick = false, full = false, peers = false;
    const char *json_path = NULL, *page_path = NULL;
    cli_limits limits = {.threads = 1};
    const cli_option options[] = {
        {.name = "--list", .flag = &list},   {.name = "--quick", .flag = &quick},
        {.name = "--full", .flag = &full},   {.name = "--json", .text = &json_path},
        {.name = "--peers", .flag = &peers}, {.name = "--html", .text = &page_path},
    };
    const char *names[MAX_EXPERIMENTS];
    uint32_t name_count = 0;
    const bench_experiment *chosen[MAX_EXPERIMENTS];
    uint32_t count = 0;
    if (!cli_parse(argument_count, arguments, options, 6, &limits, names, MAX_EXPERIMENTS,
                   &name_count) ||
        !choose(names, name_count, peers, chosen, &count)) {
        return CLI_USAGE;
    }
    if (quick && full) {
        return cli_fail(CLI_USAGE, "--quick and --full exclude each other");
    }
    if (list) {
        list_experiments();
        return CLI_DONE;
    }
    bench_settings settings = {
        .length = quick  ? BENCH_QUICK
                  : full ? BENCH_FULL
                         : BENCH_DEFAULT,
        .seed = 1,
        .isa = limits.isa,
        .threads = limits.threads,
        .progress = isatty(STDERR_FILENO) ? stderr : NULL,
    };
    return run_and_write(&settings, chosen, count, json_path, page_path);
}

static const cli_command command = {
    .name = "bench",
    .summary = "run the papers' experiments, rivals beside our methods",
    .usage =
        "usage: pliant bench [EXPERIMENT...] [--quick | --full] [--peers] [--json FILE]\n"
        "                    [--html FILE]\n"
        "       pliant bench --list\n\n"
        "Runs the experiments named, or all of them, and prints times, ratios and the papers'\n"
        "figures. Every ratio is the rival's time over ours unless its name says otherwise.\n"
        "Methods that do not agree on the pairs fail the experiment (exit status 3).\n\n"
        "  --quick      about 2 seconds per experiment\n"
        "  --full       the papers' length, with many repetitions\n"
        "               (default: at most 60 seconds per experiment)\n"
        "  --peers      instead of all others, the experiments that set us beside other "
        "libraries:\n"
        "               Embree, FCL, Bullet, CGAL and ODE, those that were there at build time\n"
        "  --json FILE  write all figures to FILE as well\n"
        "  --html FILE  a page with the papers' figures beside ours, as plots\n"
        "  --list       list the experiments and stop\n",
    .threads = "default 1",
    .option_width = 13,
    .details =
        "Threads are for our own methods, where they compare scenes of bodies; two bodies alone\n"
        "are compared by one, and rivals and other libraries stay on one. With N above 1 "
        "everybody\n"
        "is timed by the clock on the wall instead of CPU time of one thread, and the experiment\n"
        "workers compares one thread with N instead of two, with that number in its keys. Other\n"
        "libraries use the instructions that they find.\n",
    .run = run,
};

const char cli_program[] = "pliant-bench";

int main(int argument_count, char **arguments)
{
    cli_begin();
    return cli_end(cli_run(&command, argument_count - 1, arguments + 1));
}
