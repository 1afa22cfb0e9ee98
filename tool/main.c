#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "pliant/base.h"

static const cli_command *const commands[] = {
    &cli_command_demo,  &cli_command_check,  &cli_command_accept,
    &cli_command_bench, &cli_command_scenes, &cli_command_export,
    &cli_command_info,  &cli_command_fit,    &cli_command_replay};
#define COMMANDS ((int)(sizeof commands / sizeof commands[0]))

const char cli_program[] = "pliant";

static void print_help(void)
{
    printf("pliant finds which triangles of deforming bodies touch, exactly.\n\n"
           "usage: pliant COMMAND [OPTIONS]\n\n");
    for (int i = 0; i < COMMANDS; i++) {
        printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
    }
    printf(
        "\n  pliant COMMAND --help   all about one command\n"
        "  pliant --version        the version\n\n"
        "Every command takes --threads N and --isa SET, which limit what it uses of the machine "
        "and\nchange no answer.\n\n"
        "exit status: 0 done, 1 check found something new or replay a difference, 2 bad usage or "
        "bad\ninput, 3 anything else\n");
}

static const cli_command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static cli_status run(int argument_count, char **arguments)
{
    if (argument_count < 2) {
        return cli_fail(CLI_USAGE, "a command is missing; pliant --help lists them");
    }
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help();
        return CLI_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        return cli_print_version();
    }
    const cli_command *command = find_command(name);
    if (command == NULL) {
        return cli_fail(CLI_USAGE, "there is no command '%s'; pliant --help lists them", name);
    }
    return cli_run(command, argument_count - 2, arguments + 2);
}

int main(int argument_count, char **arguments)
{
    cli_begin();
    return cli_end(run(argument_count, arguments));
}
