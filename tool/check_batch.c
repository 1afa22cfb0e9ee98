/* pliant check --each: every file by itself, several at a time; a line for each, and a total. */
#include "check_request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/batch.h"
#include "check/gather.h"
#include "system.h"
#include "tool/text/characters.h"

/* The settings of one file, and the texts that they point to. */
typedef struct batch_request {
    check_request request;
    const char *path;
    char *reference;
} batch_request;

typedef struct batch_run {
    check_request *asked;
    gathered found;
    batch_request *requests;
    check_batch batch;
    uint32_t skipped;
    size_t width; /* of the longest path */
    FILE *lines;  /* where people read */
} batch_run;

static bool gather(batch_run *run)
{
    char error[4400];
    for (uint32_t i = 0; i < run->asked->settings.file_count; i++) {
        if (!gather_word(&run->found, run->asked->files[i], error, sizeof error)) {
            cli_fail(CLI_USAGE, "%s", error);
            return false;
        }
    }
    gather_end(&run->found);
    return true;
}

/*
 * A '*' in --against stands for the file's name without its ending: each file has a reference of
 * its own, and one without any is compared with its rest pose. False: there was no memory.
 */
static bool choose_reference(batch_request *own)
{
    const char *pattern = own->request.settings.reference;
    const char *star = pattern != NULL ? strchr(pattern, '*') : NULL;
    if (star == NULL) {
        return true;
    }
    const char *slash = strrchr(own->path, '/'), *name = slash != NULL ? slash + 1 : own->path;
    const char *dot = strrchr(name, '.');
    int stem = (int)(dot != NULL ? (size_t)(dot - name) : strlen(name));
    size_t size = strlen(pattern) + (size_t)stem + 1;
    own->reference = malloc(size);
    if (own->reference == NULL) {
        return false;
    }
    snprintf(own->reference, size, "%.*s%.*s%s", (int)(star - pattern), pattern, stem, name,
             star + 1);
    /* One that exists but cannot be read is an error later. */
    own->request.settings.reference = system_is_absent(own->reference) ? NULL : own->reference;
    return true;
}

static void measure(batch_run *run, const char *path)
{
    size_t width = (size_t)text_show(NULL, path);
    run->width = width > run->width ? width : run->width;
}

/* Folders that could not be visited are in the reports like files that cannot be checked. */
static void add_failures(batch_run *run)
{
    for (uint32_t i = 0; i < run->found.failure_count; i++) {
        const gathered_failure *failure = &run->found.failures[i];
        batch_file *file = &run->batch.files[run->batch.count++];
        file->settings = check_default_settings();
        file->settings.files = (const char *const *)&failure->path;
        file->settings.file_count = 1;
        file->error = failure->error;
        measure(run, failure->path);
    }
}

static bool prepare(batch_run *run, const check_config *config, int argument_count,
                    char **arguments)
{
    uint32_t count = run->found.count, jobs = run->asked->jobs;
    uint32_t threads = run->asked->limits.threads;
    jobs = jobs > 0 ? jobs : threads;
    jobs = jobs < count ? jobs : count;
    run->requests = calloc((size_t)count + 1, sizeof *run->requests);
    run->batch.files =
        calloc((size_t)count + run->found.failure_count + 1, sizeof *run->batch.files);
    run->batch.jobs = jobs;
    run->batch.keep_pages = run->asked->html != NULL;
    if (run->requests == NULL || run->batch.files == NULL) {
        cli_fail(CLI_FAILED, "not enough memory");
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        batch_request *own = &run->requests[run->batch.count];
        bool skip = false;
        own->path = run->found.paths[i];
        if (!check_request_parse_for(&own->request, config, own->path, argument_count, arguments,
                                     &skip)) {
            return false;
        }
        if (skip) {
            run->skipped++;
            continue;
        }
        if (!choose_reference(own)) {
            cli_fail(CLI_FAILED, "not enough memory");
            return false;
        }
        check_settings *settings = &own->request.settings;
        settings->files = &own->path;
        settings->file_count = 1;
        settings->threads = jobs > 0 ? (threads + jobs - 1) / jobs : 1;
        settings->source = output_guard_files(run->asked->guard);
        if (!check_request_guard_inputs(&own->request, run->asked->guard)) {
            return false;
        }
        run->batch.files[run->batch.count++].settings = *settings;
        measure(run, own->path);
    }
    add_failures(run);
    return true;
}

/* The line of a file, as soon as it and those before it are done. */
static void tell(void *user, const batch_file *file, uint32_t index)
{
    const batch_run *run = user;
    const check_outcome *outcome = &file->outcome;
    static const char *const words[] = {"ok", "FOUND", "ERROR", "ERROR"};
    char line[1500];
    check_outcome_line(outcome, line, sizeof line);
    fprintf(run->lines, "%-5s  ", words[check_outcome_status(outcome)]);
    int width = text_show(run->lines, outcome->path),
        wanted = (int)(run->width < 60 ? run->width : 60);
    fprintf(run->lines, "%*s  ", width < wanted ? wanted - width : 0, "");
    text_show(run->lines, line);
    fputc('\n', run->lines);
    fflush(run->lines);
    if (run->asked->progress == CHECK_PROGRESS_PLAIN) {
        fprintf(stderr, "file %" PRIu32 " of %" PRIu32 "\n", index + 1, run->batch.count);
    }
}

static void tell_total(const batch_run *run, const check_outcome *outcomes)
{
    outcome_totals totals = check_outcomes_total(outcomes, run->batch.count);
    const check_compared *compared = &totals.compared;
    fprintf(run->lines,
            "\n%" PRIu32 " %s: %" PRIu32 " ok, %" PRIu32 " with findings, %" PRIu32
            " could not be checked",
            run->batch.count, check_plural(run->batch.count, "file", "files"), totals.good,
            totals.failing, totals.broken);
    if (run->skipped > 0) {
        fprintf(run->lines, "; %" PRIu32 " skipped by the config", run->skipped);
    }
    fprintf(run->lines,
            "\ncompared: %" PRIu32 " %s, %" PRIu32 " %s of bodies, %" PRIu32 " %s, %" PRIu32
            " %s\n",
            compared->bodies, check_plural(compared->bodies, "body", "bodies"),
            compared->body_pairs, check_plural(compared->body_pairs, "pair", "pairs"),
            compared->clips, check_plural(compared->clips, "clip", "clips"), compared->frames,
            check_plural(compared->frames, "frame", "frames"));
}

typedef struct batch_outcomes {
    const check_outcome *outcomes;
    const batch_run *run;
} batch_outcomes;

static check_result write_json(void *user, FILE *stream)
{
    const batch_outcomes *list = user;
    check_write_outcomes_json(list->outcomes, list->run->batch.count, stream);
    return CHECK_DONE;
}

static check_result write_page(void *user, FILE *stream)
{
    const batch_outcomes *list = user;
    const check_batch *batch = &list->run->batch;
    char title[200];
    snprintf(title, sizeof title, "%" PRIu32 " %s", batch->count,
             check_plural(batch->count, "file", "files"));
    return check_batch_write_page(batch, title, stream) ? CHECK_DONE : CHECK_NO_MEMORY;
}

/* Everything behind the lines: total, reports, exit status. */
static cli_status finish(batch_run *run)
{
    uint32_t count = run->batch.count;
    check_outcome *outcomes = calloc((size_t)count + 1, sizeof *outcomes); /* the batch owns them */
    if (outcomes == NULL) {
        return cli_fail(CLI_FAILED, "not enough memory");
    }
    for (uint32_t i = 0; i < count; i++) {
        outcomes[i] = run->batch.files[i].outcome;
    }
    batch_outcomes list = {outcomes, run};
    tell_total(run, outcomes);
    if (!output_guard_holds(run->asked->guard)) {
        free(outcomes);
        return CLI_USAGE;
    }
    cli_status status = check_write_file(
        run->asked->json, &(check_writer){.write = write_json, .user = &list}, run->lines);
    status = status == CLI_DONE
                 ? check_write_file(run->asked->html,
                                    &(check_writer){.write = write_page, .user = &list}, run->lines)
                 : status;
    status =
        status == CLI_DONE ? check_write_outcomes(run->asked, outcomes, count, run->lines) : status;
    status = status == CLI_DONE ? (cli_status)check_outcomes_status(outcomes, count) : status;
    free(outcomes);
    return status;
}

static void note_unused(const batch_run *run, const check_config *config)
{
    const char *pattern =
        config != NULL
            ? check_config_unused(config, (const char *const *)run->found.paths, run->found.count)
            : NULL;
    if (pattern != NULL) {
        fputs("note: ", run->lines);
        text_show(run->lines, run->asked->config);
        fputs(": no file fits \"", run->lines);
        text_show(run->lines, pattern);
        fputs("\"\n", run->lines);
    }
}

static cli_status run_all(batch_run *run, const check_config *config)
{
    if (run->batch.count == 0) {
        return cli_fail(CLI_USAGE, "the config skips all of %" PRIu32 " files", run->skipped);
    }
    note_unused(run, config);
    return check_batch_run(&run->batch) ? finish(run) : cli_fail(CLI_FAILED, "not enough memory");
}

cli_status check_run_batch(check_request *request, const check_config *config, int argument_count,
                           char **arguments)
{
    batch_run run = {.asked = request,
                     .lines = check_request_uses_output(request) ? stderr : stdout};
    run.batch.done = tell;
    run.batch.user = &run;
    if (request->csv != NULL) {
        return cli_fail(CLI_USAGE, "--csv is about one file; --each has --json");
    }
    cli_status status = CLI_USAGE;
    if (gather(&run) && prepare(&run, config, argument_count, arguments)) {
        status = run_all(&run, config);
    }
    if (run.batch.files != NULL) {
        check_batch_free(&run.batch);
    }
    for (uint32_t i = 0; run.requests != NULL && i < run.found.count; i++) {
        free(run.requests[i].reference);
    }
    free(run.batch.files);
    free(run.requests);
    gather_free(&run.found);
    return status;
}
