/* pliant check: which bodies of a file touch, in which frames, and what of that is new. */
#include "check_request.h"

#include <string.h>

#include "output.h"
#include "tool/text/characters.h"

/* Prints what went wrong, if anything did. */
static cli_status say_how(const check *state, check_result result)
{
    if (result == CHECK_DONE) {
        return CLI_DONE;
    }
    const char *sentence = state != NULL ? check_error(state, result) : "not enough memory";
    return cli_fail(result == CHECK_BAD_INPUT ? CLI_USAGE : CLI_FAILED, "%s", sentence);
}

/* Errors of standard output are found by cli_end(). */
cli_status check_write_file(const char *path, const check_writer *writer, FILE *names)
{
    if (path == NULL) {
        return CLI_DONE;
    }
    if (output_is_standard(path)) {
        return say_how(writer->state, writer->write(writer->user, stdout));
    }
    output_file file;
    cli_status status = output_open(&file, path);
    if (status != CLI_DONE) {
        return status;
    }
    status = say_how(writer->state, writer->write(writer->user, file.stream));
    status = output_close(&file, status, writer->durable);
    if (status == CLI_DONE) {
        fputs("written: ", names);
        text_show(names, path);
        fputc('\n', names);
    }
    return status;
}

/* What the writers of outcomes are given. */
typedef struct outcome_list {
    const check_outcome *outcomes;
    uint32_t count;
} outcome_list;

static check_result write_junit(void *user, FILE *stream)
{
    const outcome_list *list = user;
    check_write_junit(list->outcomes, list->count, stream);
    return CHECK_DONE;
}

static check_result write_markdown(void *user, FILE *stream)
{
    const outcome_list *list = user;
    check_write_markdown(list->outcomes, list->count, stream);
    return CHECK_DONE;
}

cli_status check_write_outcomes(const check_request *request, const check_outcome *outcomes,
                                uint32_t count, FILE *names)
{
    outcome_list list = {outcomes, count};
    if (request->annotations) {
        check_write_annotations(outcomes, count, stdout);
    }
    cli_status status = check_write_file(
        request->junit, &(check_writer){.write = write_junit, .user = &list}, names);
    return status == CLI_DONE
               ? check_write_file(request->markdown,
                                  &(check_writer){.write = write_markdown, .user = &list}, names)
               : status;
}

static check_result write_json(void *user, FILE *stream)
{
    return check_write_json(user, stream);
}

static check_result write_csv(void *user, FILE *stream)
{
    check_write_csv(user, stream);
    return CHECK_DONE;
}

static check_result write_page(void *user, FILE *stream)
{
    return check_write_page(user, stream);
}

/* Of a check that could not be made, the reports for machines say why. */
static check_result write_failure(void *user, FILE *stream)
{
    const check_outcome *outcome = user;
    check_write_failure_json(outcome, stream);
    return CHECK_DONE;
}

/* Writes everything that was asked for; the first failure ends it. */
static cli_status write_all(check *state, const check_request *request, check_outcome *outcome,
                            FILE *names)
{
    cli_status status = CLI_DONE;
    if (outcome->result != CHECK_DONE) {
        status = check_write_file(request->json,
                                  &(check_writer){.write = write_failure, .user = outcome}, names);
    } else {
        status = check_write_file(
            request->json, &(check_writer){.write = write_json, .user = state, .state = state},
            names);
        status =
            status == CLI_DONE
                ? check_write_file(
                      request->csv,
                      &(check_writer){.write = write_csv, .user = state, .state = state}, names)
                : status;
        status =
            status == CLI_DONE
                ? check_write_file(
                      request->html,
                      &(check_writer){.write = write_page, .user = state, .state = state}, names)
                : status;
    }
    return status == CLI_DONE ? check_write_outcomes(request, outcome, 1, names) : status;
}

/* Checks, writes and prints. */
static cli_status run_one(check_request *request)
{
    check state = {.settings = request->settings};
    check_shown shown;
    check_outcome outcome = {0};
    check_progress_begin(&shown, request->progress, &state.settings);
    check_result filled = check_fill(&state);
    check_progress_end(&shown, request->progress);
    bool uses_output = check_request_uses_output(request);
    cli_status status = output_guard_holds(request->guard) ? CLI_DONE : CLI_USAGE;
    if (status == CLI_DONE && !check_outcome_take(&outcome, &state, request->files[0], filled)) {
        status = say_how(NULL, CHECK_NO_MEMORY);
    }
    if (status == CLI_DONE && filled == CHECK_DONE && !uses_output) {
        status = say_how(&state, check_write_table(&state, stdout));
    }
    if (status == CLI_DONE) {
        status = write_all(&state, request, &outcome, uses_output ? stderr : stdout);
    }
    if (status == CLI_DONE) {
        status = filled != CHECK_DONE ? say_how(&state, filled)
                                      : (cli_status)check_outcome_status(&outcome);
    }
    check_outcome_free(&outcome);
    check_free(&state);
    return status;
}

/* All files in one world, with what the config says about the first. None of them may be one that
   the config skips. */
static cli_status run_together(const check_request *asked, const check_config *config,
                               int argument_count, char **arguments)
{
    check_request request;
    bool skip = false;
    for (uint32_t i = 0; config != NULL && i < asked->settings.file_count; i++) {
        if (check_config_skips(config, asked->files[i])) {
            return cli_fail(CLI_USAGE, "%s skips %s: nothing of it would be checked", asked->config,
                            asked->files[i]);
        }
    }
    if (!check_request_parse_for(&request, config, asked->files[0], argument_count, arguments,
                                 &skip)) {
        return CLI_USAGE;
    }
    request.guard = asked->guard;
    request.settings.source = output_guard_files(asked->guard);
    return check_request_guard_inputs(&request, asked->guard) ? run_one(&request) : CLI_USAGE;
}

static cli_status run(int argument_count, char **arguments)
{
    check_request asked;
    check_config *config = NULL;
    output_guard guard = {.count = 0};
    cli_status status = CLI_USAGE;
    if (check_request_parse(&asked, argument_count, arguments) &&
        check_request_guard(&asked, &guard) && check_request_config(&asked, &config)) {
        status = asked.each ? check_run_batch(&asked, config, argument_count, arguments)
                            : run_together(&asked, config, argument_count, arguments);
    }
    check_config_free(config);
    output_guard_free(&guard);
    return status;
}

const cli_command cli_command_check = {
    .name = "check",
    .summary = "find which bodies of a file touch, in which frames, and what of that is new",
    .usage =
        "usage: pliant check FILE... [OPTIONS]\n"
        "       pliant check --each FILE|FOLDER|PATTERN... [OPTIONS]\n\n"
        "Plays every clip of an animated file and lists which bodies touch or pass through each\n"
        "other: in which frames, how many pairs of triangles, how deep, and how much of it is "
        "new,\n"
        "that is, not already there in the rest pose.\n\n"
        "  pliant check character.glb                      all clips of a character\n"
        "  pliant check character.glb --clip 'Walk*' --self\n"
        "  pliant check body.obj cloth.####.ply            a numbered sequence against a mesh\n"
        "  pliant check cloth.obj cloth.pc2 body.obj       a vertex cache comes after its mesh\n"
        "  pliant check --each characters                  every character below a folder by "
        "itself\n\n"
        "`pliant info --help` lists the formats of files. `pliant info FILE` lists bodies and "
        "clips.\n\n"
        "Many files\n"
        "  --each             check each file by itself, a line for each: files, folders (their "
        "glTF\n"
        "                     and GLB files, up to 64 folders deep) or patterns ('a/**/*.glb')\n"
        "  --jobs N           so many files at a time; default: as many as there are threads\n"
        "  --config FILE      options for all files, or for those that fit a pattern, as JSON\n\n",
    .more =
        {check_options_help,
         "What is written\n"
         "  --json FILE        everything, for programs; - is standard output\n"
         "  --csv FILE         a line for each frame and pair of bodies; - is standard output\n"
         "  --html FILE        a page to look at: the bodies in 3D in every frame, what touches\n"
         "  --junit FILE       findings as failed tests, for build machines\n"
         "  --markdown FILE    a summary for a merge request\n"
         "  --annotations      also print findings as GitHub's workflow commands\n"
         "  --progress HOW     bar (the default on a terminal), plain (lines) or none\n"},
    .threads = "default: one for each processor",
    .option_width = 19,
    .details =
        "Each line of the table is a place at which two bodies do something: first, deepest and "
        "last\n"
        "are frames; depth is how far the one lies inside the other, in the file's units and in "
        "per\n"
        "cent of the smaller body's size. Lines marked new and worse fail; known and shallow ones "
        "do\n"
        "not.\n\n"
        "exit status: 0 nothing new touches, 1 something does, 2 bad usage or bad input,\n"
        "3 anything else; with --each the largest of all files'\n",
    .run = run,
};
