/* pliant scenes: what is built in. */
#include "cli.h"

#include <stdio.h>

#include "scenes/scene.h"

static cli_status run(int argument_count, char **arguments)
{
    uint32_t word_count = 0;
    if (!cli_parse(argument_count, arguments, NULL, 0, NULL, 0, &word_count)) {
        return CLI_USAGE;
    }
    for (uint32_t i = 0; i < scene_kind_count; i++) {
        const scene_kind *kind = scene_kinds[i];
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
             "Lists the built-in scenes. The demo runs those of one or two bodies; benchmarks and "
             "tests\n"
             "use all of them.\n",
    .run = run,
};
