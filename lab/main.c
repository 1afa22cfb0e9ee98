/* pliant-bench, the laboratory: the papers' experiments. `pliant bench` starts it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lab/experiments/experiments.h"
#include "lab/motions/file_motion.h"
#include "picture.h"
#include "run.h"

#define MAX_WORDS RESULTS_MAX_EXPERIMENTS

static void list_experiments(void)
{
    for (uint32_t i = 0; i < bench_experiment_count; i++) {
        printf("%-18s %s\n", bench_experiments[i]->name, bench_experiments[i]->description);
    }
}

/* What was asked for, as it stands on the command line. */
typedef struct bench_options {
    bool list, quick, full, peers, all, compare, motion;
    uint32_t repeat, minutes, rate;
    const char *json, *into, *page, *picture;
    const char *words[MAX_WORDS];
    uint32_t word_count;
    cli_limits limits;
} bench_options;

/* All with other libraries or all without; where a build has no libraries, never those with. */
static bool is_among(const bench_options *wanted, const bench_experiment *experiment)
{
    return wanted->all ? !experiment->peers || bench_has_peers()
                       : experiment->peers == wanted->peers;
}

/* Finds the experiments asked for; if none is named, those that an option stands for. */
static bool choose(const bench_options *wanted, const bench_experiment **chosen, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < wanted->word_count; i++) {
        chosen[*count] = bench_find(wanted->words[i]);
        if (chosen[(*count)++] == NULL) {
            cli_fail(CLI_USAGE, "there is no experiment '%s'; pliant bench --list lists them",
                     wanted->words[i]);
            return false;
        }
    }
    for (uint32_t i = 0; wanted->word_count == 0 && i < bench_experiment_count; i++) {
        if (is_among(wanted, bench_experiments[i])) {
            chosen[(*count)++] = bench_experiments[i];
        }
    }
    return true;
}

static cli_status draw_picture(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
    }
    bool drawn = picture_draw_overlap(file) && ferror(file) == 0;
    return fclose(file) == 0 && drawn ? CLI_DONE : cli_fail(CLI_FAILED, "cannot write %s", path);
}

static bool parse(int argument_count, char **arguments, bench_options *wanted)
{
    const cli_option options[] = {
        {.name = "--list", .flag = &wanted->list},
        {.name = "--quick", .flag = &wanted->quick},
        {.name = "--full", .flag = &wanted->full},
        {.name = "--peers", .flag = &wanted->peers},
        {.name = "--all", .flag = &wanted->all},
        {.name = "--compare", .flag = &wanted->compare},
        {.name = "--motion", .flag = &wanted->motion},
        {.name = "--repeat", .number = &wanted->repeat, .least = 1, .most = RESULTS_MAX_RUNS},
        {.name = "--minutes", .number = &wanted->minutes, .least = 1, .most = 10000},
        {.name = "--rate", .number = &wanted->rate, .least = 1, .most = 1000},
        {.name = "--json", .text = &wanted->json},
        {.name = "--into", .text = &wanted->into},
        {.name = "--html", .text = &wanted->page},
        {.name = "--picture", .text = &wanted->picture},
    };
    return cli_parse(argument_count, arguments, options, sizeof options / sizeof options[0],
                     &wanted->limits, wanted->words, MAX_WORDS, &wanted->word_count);
}

/* What excludes each other, or asks for files that are not there. */
static cli_status check_options(const bench_options *wanted)
{
    if (wanted->quick && wanted->full) {
        return cli_fail(CLI_USAGE, "--quick and --full exclude each other");
    }
    if (wanted->json != NULL && wanted->into != NULL) {
        return cli_fail(CLI_USAGE, "--json and --into exclude each other");
    }
    if (wanted->motion && wanted->compare) {
        return cli_fail(CLI_USAGE, "--motion and --compare exclude each other");
    }
    if (wanted->motion && wanted->word_count == 0) {
        return cli_fail(CLI_USAGE, "--motion needs files: two meshes, two sequences (a_##.obj), or "
                                   "an animated file");
    }
    return CLI_DONE;
}

/* Files that cannot be played are bad input, which is told before anything is run. */
static cli_status check_files(const bench_options *wanted)
{
    char error[512];
    file_motion *motion =
        file_motion_read(wanted->words, wanted->word_count, 1, error, sizeof error);
    bool good = motion != NULL;
    file_motion_free(motion);
    return good ? CLI_DONE : cli_fail(CLI_USAGE, "%s", error);
}

static cli_status run_chosen(const bench_options *wanted)
{
    static const bench_experiment *const own[] = {&experiment_own_motion};
    const bench_experiment *chosen[MAX_WORDS];
    uint32_t count = 1;
    if (wanted->motion ? check_files(wanted) != CLI_DONE : !choose(wanted, chosen, &count)) {
        return CLI_USAGE;
    }
    bench_settings settings = {
        .length = wanted->quick  ? BENCH_QUICK
                  : wanted->full ? BENCH_FULL
                                 : BENCH_DEFAULT,
        .seed = 1,
        .isa = wanted->limits.isa,
        .threads = wanted->limits.threads,
        .repetitions = wanted->repeat,
        .rate = wanted->rate,
        .files = wanted->words,
        .file_count = wanted->word_count,
        .progress = isatty(STDERR_FILENO) ? stderr : NULL,
    };
    run_wishes wishes = {
        .settings = &settings,
        .experiments = wanted->motion ? own : chosen,
        .count = count,
        .runs = wanted->repeat,
        .minutes = wanted->minutes,
        .json_path = wanted->json,
        .into_path = wanted->into,
        .page_path = wanted->page,
    };
    return run_experiments(&wishes);
}

static cli_status run(int argument_count, char **arguments)
{
    bench_options wanted = {.limits = {.threads = 1}, .repeat = 1};
    if (!parse(argument_count, arguments, &wanted)) {
        return CLI_USAGE;
    }
    cli_status status = check_options(&wanted);
    if (status != CLI_DONE) {
        return status;
    }
    if (wanted.list) {
        list_experiments();
        return CLI_DONE;
    }
    if (wanted.picture != NULL) {
        return draw_picture(wanted.picture);
    }
    return wanted.compare ? run_compare(wanted.words, wanted.word_count) : run_chosen(&wanted);
}

static const cli_command command = {
    .name = "bench",
    .summary = "run the papers' experiments, rivals beside our methods",
    .usage =
        "usage: pliant bench [EXPERIMENT...] [--all | --peers] [--quick | --full] [--repeat N]\n"
        "                    [--rate N] [--json FILE | --into FILE] [--minutes M] [--html FILE]\n"
        "       pliant bench --motion FILE... [--quick | --full] [--json FILE]\n"
        "       pliant bench --compare FILE FILE\n"
        "       pliant bench --list\n\n"
        "Runs the experiments named, or all of them, and prints times, ratios and the papers'\n"
        "figures. Every ratio is the rival's time over ours unless its name says otherwise.\n"
        "Methods that do not agree on the pairs fail the experiment (exit status 3).\n\n"
        "  --quick      a few states, played once\n"
        "  --full       the papers' length, played many times\n"
        "               (default: a minute or two per experiment)\n"
        "  --rate N     states a second of points-ring and points-fish (60)\n"
        "  --peers      instead of all others, the experiments that set us beside other "
        "libraries:\n"
        "               Embree, FCL, Bullet, CGAL and ODE, those that were there at build time\n"
        "  --all        both kinds\n"
        "  --repeat N   run all of them N times, one round after the other, each with an N-th of "
        "the\n"
        "               plays; figures are then medians, with quartiles\n"
        "  --json FILE  write all figures to FILE as well\n"
        "  --into FILE  go on with a file of figures: runs are added until every experiment has "
        "N,\n"
        "               and FILE is written after each; it must be of this program and machine\n"
        "  --minutes M  begin no run after M minutes; the same command goes on later (exit status "
        "1 if\n"
        "               runs are left)\n"
        "  --html FILE  a page with the papers' figures beside ours, as plots\n"
        "  --motion     play the meshes of your own files: two files, two sequences (a_##.obj),\n"
        "               or an animated file; rivals and other libraries beside us\n"
        "  --compare    what changed from the first file of figures to the second, and whether\n"
        "               beyond the spread of their runs (exit status 1 if so)\n"
        "  --picture FILE\n"
        "               draw the picture of docs/methods/heidelberger-2003.md, and nothing else\n"
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
