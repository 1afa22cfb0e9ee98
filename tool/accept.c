/* pliant accept: writes down what a check found, so that the next one passes. */
#include "check/reference.h"
#include "check_request.h"

#include <inttypes.h>

#include "system.h"

/* A reference is to hold at other frame rates too: between two frames something fast is elsewhere.
 */
#define POSES_BETWEEN 3

/* What the writer is given. */
typedef struct accept_job {
    const check *state;
    const char *reason;
    check_accepting accepting;
} accept_job;

static check_result write_reference(void *user, FILE *stream)
{
    accept_job *job = user;
    return check_write_reference(job->state, job->reason, stream, stdout, &job->accepting);
}

static cli_status accept_all(const check_request *request)
{
    check state = {.settings = request->settings};
    accept_job job = {.state = &state, .reason = request->reason};
    check_result filled = check_fill(&state);
    cli_status status = !output_guard_holds(request->guard) ? CLI_USAGE
                        : filled == CHECK_DONE
                            ? CLI_DONE
                            : cli_fail(filled == CHECK_BAD_INPUT ? CLI_USAGE : CLI_FAILED, "%s",
                                       check_error(&state, filled));
    if (status == CLI_DONE) {
        check_writer writer = {
            .write = write_reference, .user = &job, .state = &state, .durable = true};
        status = check_write_file(request->output, &writer, stdout);
    }
    if (status == CLI_DONE) {
        printf("accepted: %" PRIu32 " %s added, %" PRIu32 " kept, %" PRIu32 " no longer there\n",
               job.accepting.added, check_plural(job.accepting.added, "place", "places"),
               job.accepting.kept, job.accepting.gone);
    }
    check_free(&state);
    return status;
}

static cli_status run(int argument_count, char **arguments)
{
    static check_request request; /* large */
    if (!check_request_parse_accept(&request, argument_count, arguments)) {
        return CLI_USAGE;
    }
    if (request.output == NULL) {
        return cli_fail(CLI_USAGE, "accept needs -o REFERENCE; pliant accept --help tells more");
    }
    bool exists = !output_is_standard(request.output) && !system_is_absent(request.output);
    if (request.settings.reference == NULL && exists) {
        request.settings.reference = request.output; /* it is brought up to date */
    }
    request.settings.between = POSES_BETWEEN;
    output_guard guard = {.count = 0};
    cli_status status = CLI_USAGE;
    if (check_request_guard(&request, &guard) && check_request_guard_inputs(&request, &guard)) {
        request.settings.source = output_guard_files(&guard);
        status = accept_all(&request);
    }
    output_guard_free(&guard);
    return status;
}

const cli_command cli_command_accept = {
    .name = "accept",
    .summary = "write down what a check found, so that the next one passes",
    .usage =
        "usage: pliant accept FILE... -o REFERENCE [OPTIONS]\n\n"
        "Checks a file as `pliant check` does and writes what fails to a reference, for\n"
        "`pliant check FILE... --against REFERENCE`. A reference that is there is brought up to\n"
        "date: what still occurs stays, what is found beside that is added, what no longer\n"
        "occurs is listed and left out (with --clip or --frames nothing is). Three poses between\n"
        "each two frames are looked at as well, so that it holds at other frame rates. It is "
        "text,\n"
        "in order, for version control: places at rest and depths, no numbers of triangles.\n\n"
        "  -o FILE            the reference\n"
        "  --reason TEXT      why it is accepted; stands behind every place that is added\n\n"
        "The rest are options of `pliant check`.\n\n",
    .more = {check_options_help},
    .threads = "default: one for each processor",
    .option_width = 19,
    .run = run,
};
