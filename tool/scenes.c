/* pliant scenes: what is built in. */
#include "cli.h"

#include <stdio.h>

#include "gallery/gallery.h"

static cli_status run(int argument_count, char **arguments)
{
    cli_limits limits = {.threads = 1};
    uint32_t word_count = 0;
    if (!cli_parse(argument_count, arguments, NULL, 0, &limits, NULL, 0, &word_count)) {
        return CLI_USAGE;
    }
    for (uint32_t i = 0; i < gallery_kind_count; i++) {
        const gallery_kind *kind = gallery_kinds[i];
        printf("%-15s%s\n", kind->name, kind->description);
        printf("               %u steps, %u %s, %u triangles in the first%s\n", kind->steps,
               kind->body_count, kind->body_count == 1 ? "body" : "bodies", kind->triangles,
               kind->self ? "; asks whether it touches itself" : "");
    }
    return CLI_DONE;
}

const cli_command cli_command_scenes = {
    .name = "scenes",
    .summary = "list the built-in scenes",
    .usage = "usage: pliant scenes\n\n"
             "Lists the built-in scenes. pliant demo runs one, pliant export writes one to a "
             "file;\nbenchmarks and tests use all of them.\n",
    .threads = "this command uses one",
    .details = "Listing computes nothing, so that no limit makes a difference here.\n",
    .option_width = 13,
    .run = run,
};
