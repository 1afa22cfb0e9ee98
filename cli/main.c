#include "cli.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pliant/base.h"

static const cli_command *const commands[] = {
    &cli_command_demo,   &cli_command_check, &cli_command_bench, &cli_command_scenes,
    &cli_command_export, &cli_command_info,  &cli_command_fit};
#define COMMANDS ((int)(sizeof commands / sizeof commands[0]))

cli_status cli_fail(cli_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("pliant: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return status;
}

static void print_help(void)
{
    printf("pliant finds which triangles of deforming bodies touch, exactly.\n\n"
           "usage: pliant COMMAND [OPTIONS]\n\n");
    for (int i = 0; i < COMMANDS; i++) {
        printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
    }
    printf("\n  pliant COMMAND --help   all about one command\n"
           "  pliant --version        the version\n\n"
           "Every command takes --threads N and --isa SET, which limit what it uses of the machine "
           "and\nchange no answer.\n\n"
           "exit status: 0 done, 1 check found something new, 2 bad usage or bad input, 3 anything "
           "else\n");
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

/* Whether an option is there, by its name or by its letter. */
static bool asks_for(const char *name, const char *letter, int argument_count, char **arguments)
{
    for (int i = 0; i < argument_count && strcmp(arguments[i], "--") != 0; i++) {
        if (strcmp(arguments[i], name) == 0 || strcmp(arguments[i], letter) == 0) {
            return true;
        }
    }
    return false;
}

static cli_status print_version(void)
{
    printf("pliant %s\n", pliant_version());
    return CLI_DONE;
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
        return print_version();
    }
    const cli_command *command = find_command(name);
    if (command == NULL) {
        return cli_fail(CLI_USAGE, "there is no command '%s'; pliant --help lists them", name);
    }
    if (asks_for("--help", "-h", argument_count - 2, arguments + 2)) {
        cli_print_usage(command);
        return CLI_DONE;
    }
    if (asks_for("--version", "--version", argument_count - 2, arguments + 2)) {
        return print_version();
    }
    return command->run(argument_count - 2, arguments + 2);
}

int main(int argument_count, char **arguments)
{
    /* A reader that goes away is a write error like any other, not a silent end. */
    signal(SIGPIPE, SIG_IGN);
    cli_status status = run(argument_count, arguments);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status != CLI_FAILED) {
        status = cli_fail(CLI_FAILED, "cannot write to standard output");
    }
    return (int)status;
}
