/* What a command line of `pliant check`, with what --config adds to it, asks for. */
#ifndef TOOL_CHECK_REQUEST_H
#define TOOL_CHECK_REQUEST_H

#include "check/check.h"
#include "check/config.h"
#include "check/outcome.h"
#include "cli.h"
#include "output.h"

#define CHECK_MOST_FILES      1024
#define CHECK_MOST_CLIP_FILES 256

/* How far it is: a bar that is drawn over and over, lines for a log, or nothing. */
typedef enum check_progress {
    CHECK_PROGRESS_NONE,
    CHECK_PROGRESS_BAR,
    CHECK_PROGRESS_PLAIN
} check_progress;

typedef struct check_request {
    check_settings settings;
    cli_limits limits;
    /* Values of options that become settings, as they stand there. */
    const char *rate, *frames, *clearance, *against, *split;
    const char *near, *min_depth, *max_depth, *max_area;
    bool self;
    /* Files to write; "-" is standard output, NULL none. */
    const char *json, *csv, *html, *junit, *markdown;
    bool annotations;
    const char *config, *progress_name;
    check_progress progress;
    bool each;
    uint32_t jobs; /* 0: as many as there are threads */
    bool continuous;
    uint32_t steps;
    const char *clip_list, *output, *reason; /* --clips; of accept: -o, --reason */
    const char *files[CHECK_MOST_FILES];
    const char *clip_files[CHECK_MOST_CLIP_FILES];
    char clip_names[4096]; /* of these */
    output_guard *guard;   /* of the whole run; NULL until check_request_guard() */
} check_request;

/* The part of the help that is about options of files, which `pliant accept` takes too. */
extern const char check_options_help[];

/* Reads a command line; prints one line and returns false on a mistake. */
bool check_request_parse(check_request *request, int argument_count, char **arguments);

/* The same for `pliant accept`. */
bool check_request_parse_accept(check_request *request, int argument_count, char **arguments);

/* Puts all outputs into a guard; prints one line and returns false if two are the same file, or one
   is the config. output_guard_free() in any case. */
bool check_request_guard(check_request *request, output_guard *guard);

/* Prints one line and returns false if an output is a file that this request reads. */
bool check_request_guard_inputs(const check_request *request, const output_guard *guard);

/* Reads the file of --config, if there is one; false after a line about what is wrong. */
bool check_request_config(const check_request *request, check_config **config);

/* Reads the command line once more, behind what the config says about a file. */
bool check_request_parse_for(check_request *request, const check_config *config, const char *path,
                             int argument_count, char **arguments, bool *skip);

/* Opens an output (output.h), has it written and names it; "-" is standard output. */
typedef struct check_writer {
    check_result (*write)(void *user, FILE *stream);
    void *user;
    const check *state; /* whose sentence is printed on a failure; may be NULL */
    bool durable;       /* as output_close() takes it */
} check_writer;

cli_status check_write_file(const char *path, const check_writer *writer, FILE *names);

/* Writers of outcomes, for both kinds of runs: JUnit, Markdown, annotations. */
cli_status check_write_outcomes(const check_request *request, const check_outcome *outcomes,
                                uint32_t count, FILE *names);

/* Whether something goes to standard output in place of the table. */
bool check_request_uses_output(const check_request *request);

/* Sets the function that shows how far it is; begin before a check, end after it. */
typedef struct check_shown {
    double start, shown;
    uint32_t tenth;
} check_shown;

void check_progress_begin(check_shown *shown, check_progress how, check_settings *settings);
void check_progress_end(const check_shown *shown, check_progress how);

/* --each: all files, one by one. */
cli_status check_run_batch(check_request *request, const check_config *config, int argument_count,
                           char **arguments);

#endif
