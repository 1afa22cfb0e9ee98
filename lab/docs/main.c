/*
 * pliant_bench_docs, for developers: runs all experiments as `pliant bench` does, then writes their
 * figures into the documentation. `make bench` runs it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "docs.h"

static const char usage[] =
    "usage: pliant_bench_docs [--quick | --full] [--peers] [--json FILE] [--docs FOLDER]\n\n"
    "Runs all experiments, prints them as pliant bench does, and writes their figures into the\n"
    "documentation: between <!-- begin NAME --> and <!-- end NAME -->, and into images/.\n\n"
    "  --quick, --full  as in pliant bench; quick figures are for trying this program out\n"
    "  --peers          only benchmarks.md and the experiments that it shows\n"
    "  --json FILE      write all figures to FILE as well\n"
    "  --docs FOLDER    where the documentation is (default: docs)\n";

typedef struct docs_options {
    bench_length length;
    bool peers;
    const char *json, *folder;
} docs_options;

static bool parse(int argument_count, char **arguments, docs_options *options)
{
    for (int i = 1; i < argument_count; i++) {
        const char *value = i + 1 < argument_count ? arguments[i + 1] : NULL;
        if (strcmp(arguments[i], "--quick") == 0) {
            options->length = BENCH_QUICK;
        } else if (strcmp(arguments[i], "--full") == 0) {
            options->length = BENCH_FULL;
        } else if (strcmp(arguments[i], "--peers") == 0) {
            options->peers = true;
        } else if (strcmp(arguments[i], "--json") == 0 && value != NULL) {
            options->json = arguments[++i];
        } else if (strcmp(arguments[i], "--docs") == 0 && value != NULL) {
            options->folder = arguments[++i];
        } else {
            return false;
        }
    }
    return true;
}

static bool run_all(const bench_settings *settings, bool peers, bench_report *reports)
{
    bool done = true;
    bench_print_machine(stdout, settings);
    for (uint32_t i = 0; i < bench_experiment_count; i++) {
        if (peers && !docs_peers_show(bench_experiments[i])) {
            report_fail(&reports[i], "left out");
            continue;
        }
        if (bench_experiments[i]->peers && !bench_has_peers()) {
            report_fail(&reports[i], "left out: built without other libraries");
            continue;
        }
        if (!bench_run(bench_experiments[i], settings, &reports[i])) {
            fprintf(stderr, "pliant_bench_docs: %s failed: %s\n", bench_experiments[i]->name,
                    reports[i].error);
            done = false;
        }
        bench_print(stdout, bench_experiments[i], &reports[i]);
        fflush(stdout);
    }
    return done;
}

static bool write_json(const char *path, const docs_results *results)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        fprintf(stderr, "pliant_bench_docs: cannot write %s: %s\n", path, strerror(errno));
        return false;
    }
    bench_write_json(file, results->settings, bench_experiments, results->reports,
                     bench_experiment_count);
    return docs_close(file, ".", path);
}

/* Fills in all blocks of a list; without results, only checks that they are there. */
static bool visit_blocks(const char *folder, const docs_block *blocks, unsigned count,
                         const docs_results *results)
{
    bool done = true;
    for (unsigned i = 0; i < count && done; i++) {
        done = results != NULL ? docs_fill(folder, &blocks[i], results)
                               : docs_check(folder, &blocks[i]);
    }
    return done;
}

/* The page about other libraries; without any its tables stay as they are. */
static bool visit_peers(const char *folder, const docs_results *results)
{
    return visit_blocks(folder, docs_growth_blocks, docs_growth_block_count, results) &&
           ((results != NULL && !bench_has_peers()) ||
            visit_blocks(folder, docs_peers_blocks, docs_peers_block_count, results));
}

static bool visit_others(const char *folder, const docs_results *results)
{
    return visit_blocks(folder, docs_larsson_blocks, docs_larsson_block_count, results) &&
           visit_blocks(folder, docs_james_blocks, docs_james_block_count, results) &&
           visit_blocks(folder, docs_heidelberger_blocks, docs_heidelberger_block_count, results) &&
           visit_blocks(folder, docs_steinemann_blocks, docs_steinemann_block_count, results) &&
           visit_blocks(folder, docs_figures_blocks, docs_figures_block_count, results);
}

/* Writes what the run has figures for. */
static bool write_docs(const docs_options *options, const docs_results *results)
{
    return visit_peers(options->folder, results) &&
           (options->peers || (visit_others(options->folder, results) &&
                               docs_draw_larsson_figures(options->folder, results) &&
                               docs_draw_steinemann_figure(options->folder, results) &&
                               docs_draw_overlap(options->folder)));
}

int main(int argument_count, char **arguments)
{
    docs_options options = {.length = BENCH_DEFAULT, .folder = "docs"};
    if (!parse(argument_count, arguments, &options)) {
        fputs(usage, stderr);
        return 2;
    }
    /* Before the run: it takes minutes. */
    if (!visit_peers(options.folder, NULL) ||
        (!options.peers && !visit_others(options.folder, NULL))) {
        return 2;
    }
    bench_settings settings = {
        .length = options.length,
        .seed = 1,
        .progress = isatty(STDERR_FILENO) ? stderr : NULL,
    };
    bench_report *reports = calloc(bench_experiment_count, sizeof *reports);
    if (reports == NULL) {
        fputs("pliant_bench_docs: not enough memory\n", stderr);
        return 3;
    }
    docs_results results = {&settings, reports};
    bool done = run_all(&settings, options.peers, reports);
    if (options.json != NULL) {
        done = write_json(options.json, &results) && done;
    }
    /* A run in which methods disagree leaves the documentation as it is. */
    done = done && write_docs(&options, &results);
    for (uint32_t i = 0; i < bench_experiment_count; i++) {
        report_free(&reports[i]);
    }
    free(reports);
    return done ? 0 : 3;
}
